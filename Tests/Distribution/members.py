"""The public members of the library in its three languages, read from the sources: nothing has to
be built.
"""

import ast
import re

from support import ROOT

SWIFT_MODULES = ("PinviewModel", "PinviewPredicates", "Pinview", "PinviewFoundation")
_DECLARATION = re.compile(
    r"^\s*(?:@\w+(?:\([^)]*\))?\s+)*(?P<access>public|open)?\s*(?:(?:final|static|class|indirect|mutating|nonisolated(?:\(unsafe\))?|private\(set\)|"
    r"package\(set\)|fileprivate\(set\)|internal\(set\)|unowned|weak|lazy|override|convenience|required|prefix|infix|postfix)\s+)*"
    r"(?P<kind>struct|class|enum|protocol|extension|func|var|let|init|subscript|typealias|case|actor)\b\s*(?P<rest>.*)"
)
_TYPES = {"struct", "class", "enum", "protocol", "extension", "actor"}


def _without_texts(line):
    line = re.sub(r'"(?:\\.|[^"\\])*"', '""', line)
    return line.split("//", 1)[0]


def _swift_file(path):
    """The public names of a file: types, and members as Type.member."""
    names, scopes, depth, in_comment = set(), [], 0, False
    for line in path.read_text(encoding="utf-8").splitlines():
        code = _without_texts(line)
        if in_comment or "/*" in code:
            in_comment = "*/" not in code
            continue
        found = _DECLARATION.match(code)
        if found:
            kind, rest = found["kind"], found["rest"]
            # Only what stands directly in a type, or at the top of the file.
            if not scopes or depth == scopes[-1][2]:
                outer = scopes[-1][0] if scopes else ""
                in_public = scopes[-1][1] if scopes else True
                is_requirement = bool(scopes) and scopes[-1][3] in ("protocol",)
                is_public = found["access"] is not None or (bool(scopes) and in_public and (is_requirement or kind == "case"))
                if kind in _TYPES:
                    name = re.match(r"[\w.\[\]<>]+", rest)
                    full = name[0] if name else "?"
                    full = re.sub(r"<.*", "", full).strip("[]")
                    if outer and kind != "extension":
                        full = f"{outer}.{full}"
                    if is_public and kind != "extension":
                        names.add(full)
                    visible = is_public or kind == "extension"
                    if "{" in code[found.start("rest") :] or not code.rstrip().endswith("}"):
                        scopes.append((full, visible, depth + 1, kind))
                elif is_public and in_public:
                    if kind == "case":
                        for case in re.sub(r"\([^)]*\)", "", rest).split(","):
                            word = re.match(r"\s*`?(\w+)", case)
                            if word:
                                names.add(f"{outer}.{word[1]}")
                    else:
                        word = (
                            "init"
                            if kind == "init"
                            else "subscript"
                            if kind == "subscript"
                            else re.match(r"`?(\w+|[=!<>&|+\-*/^~]+)", rest)
                        )
                        word = word if isinstance(word, str) else word[1] if word else "?"
                        names.add(f"{outer}.{word}" if outer else word)
        depth += code.count("{") - code.count("}")
        while scopes and depth < scopes[-1][2] and ("}" in code or "{" in code):
            scopes.pop()
    return names


def swift_members():
    names = set()
    for module in SWIFT_MODULES:
        for path in sorted((ROOT / "Sources" / module).rglob("*.swift")):
            names |= _swift_file(path)
    # A member counts where its type is public; extensions of the standard library's types count as
    # they are.
    types = {name for name in names if re.match(r"[A-Z]\w*(\.[A-Z]\w*)*$", name)}
    return {name for name in names if "." not in name or name.rsplit(".", 1)[0] in types}


def c_members():
    """Functions, and the constants and structs that programs name."""
    text = "\n".join((ROOT / "include" / name).read_text(encoding="utf-8") for name in ("pinview.h", "pinview_binding.h"))
    text = re.sub(r"/\*.*?\*/", "", text, flags=re.DOTALL)
    functions = set(re.findall(r"^(?:PINVIEW_INLINE )?(?!typedef)[a-z][\w ]*?[ *]+(pinview_\w+)\(", text, flags=re.MULTILINE))
    fields = set()
    for name, body in re.findall(r"typedef struct (pinview_\w+) \{\n(.*?)\n\} \1;", text, flags=re.DOTALL):
        for field in re.findall(r"[ *](\w+)(?:\[\d*\])?;", body):
            fields.add(f"{name}.{field}")
    constants = set(re.findall(r"^(?:#define (?=PINVIEW_\w+ )| +(?=PINVIEW_\w+ = ))(\w+)", text, flags=re.MULTILINE))
    return functions, fields, constants


def _set_on_self(function):
    for node in ast.walk(function):
        targets = node.targets if isinstance(node, ast.Assign) else [node.target] if isinstance(node, ast.AnnAssign) else []
        parts = [part for target in targets for part in (target.elts if isinstance(target, ast.Tuple) else [target])]
        for target in parts:
            if isinstance(target, ast.Attribute) and isinstance(target.value, ast.Name) and target.value.id == "self":
                yield target.attr


def _class_members(node, classes, exported):
    """The members of a class, and those of bases that are not public themselves."""
    for base in node.bases:
        base = base.value if isinstance(base, ast.Subscript) else base  # a generic class
        name = base.id if isinstance(base, ast.Name) else None
        if name in classes and name not in exported:
            yield from _class_members(classes[name], classes, exported)
    for each in node.body:
        if isinstance(each, (ast.FunctionDef, ast.AsyncFunctionDef)):
            yield each.name
            if each.name == "__init__":
                yield from _set_on_self(each)
        elif isinstance(each, ast.AnnAssign) and isinstance(each.target, ast.Name):
            yield each.target.id
        elif isinstance(each, ast.Assign):
            yield from (target.id for target in each.targets if isinstance(target, ast.Name))


def python_members():
    package = ROOT / "bindings" / "python" / "pinview"
    classes, functions, exported = {}, set(), set()
    for path in sorted(package.rglob("*.py")):
        tree = ast.parse(path.read_text(encoding="utf-8"))
        for node in tree.body:
            if isinstance(node, ast.ClassDef):
                classes[node.name] = node
            elif isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
                functions.add(node.name)
            elif (
                isinstance(node, ast.Assign)
                and any(isinstance(target, ast.Name) and target.id == "__all__" for target in node.targets)
                and path.name in ("__init__.py", "errors.py")
                and path.parent == package
                and isinstance(node.value, (ast.List, ast.Tuple))
            ):
                exported |= {each.value for each in node.value.elts if isinstance(each, ast.Constant)}
    members = set()
    for name in exported:
        members.add(name)
        if name in classes:
            members |= {f"{name}.{member}" for member in _class_members(classes[name], classes, exported) if not member.startswith("_")}
    return members
