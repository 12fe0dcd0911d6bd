#!/usr/bin/env python3
"""Writes include/pinview.json, the description of the C interface for generators of bindings:
types, constants and functions of the headers, with what a declaration in C cannot say: directions,
ownership, NULL, lengths of arrays. See docs/bindings.md.

usage: describe_interface.py [--check] [FOLDER]

With --check nothing is written; the exit status is 1 if the file in FOLDER (default: include) is
not what the headers there give. Needs a C compiler (cc) and pycparser.
"""

from __future__ import annotations

import ast
import functools
import json
import pathlib
import re
import subprocess
import sys
import tempfile

import generated_file
from pycparser import c_ast, c_parser

INCLUDE = pathlib.Path(__file__).resolve().parents[1] / "include"
HEADERS = ("pinview.h", "pinview_binding.h")  # the last one includes the others
TARGET = "pinview.json"

# Declarations of the C library that the headers use, so that no system header has to be parsed.
STAND_INS = {
    "stdint.h": "".join(f"typedef {kind}int{bits}_t_ {kind}int{bits}_t;\n" for kind in ("", "u") for bits in (8, 16, 32, 64))
    + "typedef intptr_t_ intptr_t;\ntypedef uintptr_t_ uintptr_t;\n",
    "stddef.h": "typedef size_t_ size_t;\n#define NULL 0\n",
    "stdlib.h": "",
    "string.h": "",
    "builtin.h": "".join(f"typedef int {name}_;\n" for name in ("size_t", "intptr_t", "uintptr_t"))
    + "".join(f"typedef int {kind}int{bits}_t_;\n" for kind in ("", "u") for bits in (8, 16, 32, 64)),
}
INTEGERS = {"size_t", "intptr_t", "uintptr_t", "int", *(f"{kind}int{bits}_t" for kind in ("", "u") for bits in (8, 16, 32, 64))}
SCALARS = INTEGERS | {"char", "double", "float", "void"}

# What the documentation of a parameter says if it may be NULL, or a text absent.
NULL_IS_ALLOWED = re.compile(
    r"\bNULL (?:for|if|or|removes|switches|replaces|elements|leaves|means|to)\b|(?:may|can) be NULL|\bor NULL\b|\bNULL;|; NULL\b|^NULL\b|\babsent\b|"
    r"\bthe (?:handle|token)? ?or NULL\b"
)
# Parameters that go in and come out.
BOTH_WAYS = {
    ("pinview_next", "index"),
    ("pinview_next", "object"),
    ("pinview_result_object_block", "names"),
    ("pinview_objects_object_block", "names"),
    ("pinview_object_block_related_object", "name"),
}
# Arrays whose length is not the parameter behind them: expressions of the function's own
# parameters.
LENGTHS = {
    ("pinview_result_values", "out"): "count * index_count",
    ("pinview_objects_values", "out"): "count * index_count",
    ("pinview_context_insert_objects", "columns"): "name_count",
    ("pinview_context_objects", "out"): "count",
    ("pinview_context_existing_objects", "out"): "count",
    ("pinview_result_upsert_outcomes", "out"): "count",
    ("pinview_context_insert_row", "indexes"): "count",
    ("pinview_result_object_block", "names"): "count",
    ("pinview_objects_object_block", "names"): "count",
}


class Interface:
    """The declarations of the headers, in order, as the description has them."""

    def __init__(self, folder: pathlib.Path) -> None:
        self.texts = {name: (folder / name).read_text(encoding="utf-8") for name in HEADERS}
        self.lines = {name: text.split("\n") for name, text in self.texts.items()}
        self.types: list[dict] = []
        self.functions: list[dict] = []
        self.constants: list[dict] = []
        self.numbers: dict[str, object] = {}
        self.defined: set[str] = set()
        self.names: dict[str, str] = {}  # of types, with their kinds
        self._read_declarations(folder / HEADERS[-1])
        self._read_macros()
        self.types = [each for each in self.types if each["kind"] != "handle" or each["name"] not in self.defined]
        self._add_layouts(folder)

    # Declarations

    def _read_declarations(self, path: pathlib.Path) -> None:
        with tempfile.TemporaryDirectory() as folder:
            for name, text in STAND_INS.items():
                (pathlib.Path(folder) / name).write_text(text, encoding="utf-8")
            command = ["cc", "-E", "-P", "-std=c99", "-nostdinc", f"-I{folder}", "-D__attribute__(x)=", "-include", "builtin.h", str(path)]
            source = subprocess.run(command, check=True, capture_output=True, text=True).stdout
        enumeration = None
        nodes = c_parser.CParser().parse(source).ext
        # Structs that are declared before they are defined are no handles.
        self.defined = {
            each.type.type.name or each.name
            for each in nodes
            if isinstance(each, c_ast.Typedef) and isinstance(each.type, c_ast.TypeDecl) and getattr(each.type.type, "decls", None)
        } | {each.type.name for each in nodes if isinstance(each, c_ast.Decl) and getattr(each.type, "decls", None)}
        for node in nodes:
            if isinstance(node, c_ast.Typedef):
                self._read_typedef(node, enumeration)
                enumeration = None
            elif isinstance(node, c_ast.FuncDef):
                self._add_function(node.decl.name, node.decl.type, inline=True)
            elif isinstance(node, c_ast.Decl) and isinstance(node.type, c_ast.FuncDecl):
                self._add_function(node.name, node.type, inline=False)
            elif isinstance(node, c_ast.Decl) and isinstance(node.type, (c_ast.Struct, c_ast.Union)):
                self._add_struct(node.type, node.type.name)
            elif isinstance(node, c_ast.Decl) and isinstance(node.type, c_ast.Enum):
                enumeration = self._read_enumeration(node.type)

    def _read_typedef(self, node: c_ast.Typedef, enumeration: list[str] | None) -> None:
        if node.name in SCALARS or node.name.endswith("_t_"):
            return
        kind = node.type
        if isinstance(kind, c_ast.PtrDecl) and isinstance(kind.type, c_ast.FuncDecl):
            made = {"kind": "callback", "name": node.name, **self._signature(node.name, kind.type)}
        elif isinstance(kind.type, (c_ast.Struct, c_ast.Union)):
            if kind.type.decls is not None:
                self._add_struct(kind.type, node.name)
                return
            if node.name in self.defined:
                return
            made = {"kind": "handle", "name": node.name}
        elif isinstance(kind.type, c_ast.IdentifierType):
            made = {"kind": "alias", "name": node.name, "type": " ".join(kind.type.names)}
            if enumeration:
                made = {"kind": "enumeration", "name": node.name, "type": made["type"], "constants": enumeration}
                for constant in self.constants:
                    if constant["name"] in enumeration:
                        constant["type"] = node.name
        else:
            raise SystemExit(f"{node.name}: unsupported kind of typedef")
        self._add_type(made)

    def _add_type(self, made: dict) -> None:
        made["header"] = self._header_of(made["name"])
        if documentation := self._type_documentation(made["name"]):
            made["documentation"] = documentation
        if made["kind"] == "handle":
            stem = made["name"]
            made.update(retain=f"{stem}_retain", release=f"{stem}_release")
            made["immutable"] = "Immutable" in documentation
        self.names[made["name"]] = made["kind"]
        self.types.append(made)

    def _add_struct(self, node: c_ast.Struct | c_ast.Union, name: str) -> None:
        if node.decls is None:
            return
        fields = [{"name": each.name, "type": self._type(each.type), **self._field_documentation(name, each.name)} for each in node.decls]
        self._add_type({"kind": "union" if isinstance(node, c_ast.Union) else "struct", "name": name, "fields": fields})

    def _read_enumeration(self, node: c_ast.Enum) -> list[str]:
        following, names = 0, []
        for entry in node.values.enumerators:
            if entry.value is not None:
                following = self._constant(entry.value)
            self._add_constant(entry.name, following, "int32_t")
            names.append(entry.name)
            following += 1
        return names

    def _add_constant(self, name: str, value: object, kind: str) -> None:
        self.numbers[name] = value
        made = {"name": name, "value": value, "type": kind, "header": self._header_of(name)}
        if documentation := self._constant_documentation(name):
            made["documentation"] = documentation
        self.constants.append(made)

    def _constant(self, node: c_ast.Node) -> int:
        if isinstance(node, c_ast.Constant):
            return int(node.value.rstrip("uUlL"), 0)
        if isinstance(node, c_ast.UnaryOp) and node.op == "-":
            return -self._constant(node.expr)
        if isinstance(node, c_ast.ID) and isinstance(self.numbers.get(node.name), int):
            return int(str(self.numbers[node.name]))
        if isinstance(node, c_ast.BinaryOp) and node.op in ("<<", "|", "+"):
            left, right = self._constant(node.left), self._constant(node.right)
            return {"<<": left << right, "|": left | right, "+": left + right}[node.op]
        raise SystemExit(f"unsupported form of constant: {node}")

    def _read_macros(self) -> None:
        """Reads macros that are literals, literals with a cast, or other such macros."""
        joined = "\n".join(self.texts.values()).replace("\\\n", " ")
        for name, value in re.findall(r"^[ \t]*#[ \t]*define[ \t]+(PINVIEW_\w+)[ \t]+(.+?)[ \t]*$", joined, re.MULTILINE):
            value = re.sub(r"/\*.*?\*/|//.*", "", value).strip()
            value = _without_parentheses(re.sub(r"^\(\s*\w+\s*\)\s*", "", _without_parentheses(value)))
            if value in self.numbers:
                same = next(each for each in self.constants if each["name"] == value)
                self._add_constant(name, same["value"], same["type"])
            elif literal := re.fullmatch(r"U?INT(?:32|64)_C\((-?\d+)\)", value):
                self._add_constant(name, int(literal[1]), "int64_t")
            elif value == "INT64_MAX":
                self._add_constant(name, 2**63 - 1, "int64_t")
            elif re.fullmatch(r"-?(0[xX][0-9a-fA-F]+|\d+)[uUlL]*", value):
                self._add_constant(name, int(value.rstrip("uUlL"), 0), "int32_t")
            elif re.fullmatch(r"-?\d+\.\d*([eE][-+]?\d+)?", value):
                self._add_constant(name, float(value), "double")
            elif re.fullmatch(r'("([^"\\]|\\.)*"\s*)+', value):
                self._add_constant(name, ast.literal_eval(f"({value})"), "string")

    # Types

    def _type(self, node: c_ast.Node) -> dict:
        """A type: its name, const or not, and how many pointers lead to it."""
        pointers, made = 0, {}
        while True:
            if isinstance(node, c_ast.ArrayDecl):
                made["length"] = self._constant(node.dim)
                node = node.type
            elif isinstance(node, c_ast.PtrDecl):
                if isinstance(node.type, c_ast.FuncDecl):  # in the structs of Arrow
                    return {"name": "function", "pointers": 1, **self._signature("", node.type)}
                pointers += 1
                node = node.type
            elif isinstance(node, c_ast.TypeDecl):
                if "const" in (node.quals or []):
                    made["const"] = True
                node = node.type
            else:
                break
        name = " ".join(node.names) if isinstance(node, c_ast.IdentifierType) else str(node.name)
        return {"name": name, "pointers": pointers, **made}

    # Functions

    def _add_function(self, name: str, node: c_ast.FuncDecl, inline: bool) -> None:
        block = self._function_block(name)
        made = {"name": name, "header": self._header_of(name), "section": self._section_of(name), **self._signature(name, node, block)}
        if inline:
            made["inline"] = True
        made.update({key: block[key] for key in ("documentation", "errors", "threads", "cost", "generation", "core data") if key in block})
        if "errors" in made and all(each["name"] != "error" for each in made["parameters"]):
            del made["errors"]  # said of the function that stands beside it in the block
        self.functions.append(made)

    def _signature(self, name: str, node: c_ast.FuncDecl, block: dict | None = None) -> dict:
        result = self._type(node.type)
        if result["pointers"] or result["name"] in ("pinview_string", "pinview_binary"):
            result["ownership"] = "borrowed"
        declared = [each for each in (node.args.params if node.args else []) if not _is_void(each.type)]
        parameters = [{"name": each.name or f"argument{place}", "type": self._type(each.type)} for place, each in enumerate(declared)]
        for place, parameter in enumerate(parameters):
            documentation = (block or {}).get("parameters", {}).get(parameter["name"], "")
            self._describe(name, parameter, parameters, place, documentation)
        return {"result": result, "parameters": parameters}

    def _describe(self, function: str, parameter: dict, parameters: list[dict], place: int, documentation: str) -> None:
        kind, name = parameter["type"], parameter["name"]
        what = self.names.get(kind["name"])
        following = parameters[place + 1]["name"] if place + 1 < len(parameters) else ""
        behind = [each["name"] for each in parameters[place + 1 :]]
        handle = what == "handle"
        # A handle is a pointer; what is behind one more is a place, unless it is const.
        depth = kind["pointers"] - (1 if handle or kind["name"] == "void" else 0)
        is_array_of_handles = handle and depth == 1 and (kind.get("const") or f"*const *{name}" in self._declaration(function))
        is_read = depth < 1 or bool(kind.get("const")) or is_array_of_handles
        parameter["direction"] = "in" if is_read else "out"
        if (function, name) in BOTH_WAYS:
            parameter["direction"] = "inout"
        if kind["pointers"] or what == "callback" or kind["name"] in ("pinview_string", "pinview_binary"):
            parameter["nullable"] = (
                bool(NULL_IS_ALLOWED.search(documentation)) or name in ("userdata", "free_userdata") or (name == "error" and depth == 1)
            )
            if function.endswith("_release") and handle:
                parameter["nullable"] = True
        if depth >= 1 and (length := self._length(function, name, following, documentation)):
            parameter["length"] = length
            parameter["nullable"] = True
        if kind["name"] == "void":
            parameter["ownership"] = "transferred" if "free_userdata" in behind else "borrowed"
        elif kind["pointers"] or kind["name"] in ("pinview_string", "pinview_binary"):
            parameter["ownership"] = "owned" if parameter["direction"] != "in" and handle else "borrowed"
        if documentation:
            parameter["documentation"] = documentation

    @staticmethod
    def _length(function: str, name: str, following: str, documentation: str) -> str:
        if (function, name) in LENGTHS:
            return LENGTHS[function, name]
        if following == "count" or following.endswith("_count"):
            return following
        return "count" if re.search(r"\bcount (?:values|handles|elements|IDs|objects|changes)\b", documentation) else ""

    # Documentation

    def _header_of(self, name: str) -> str:
        pattern = re.compile(rf"\b{name}\b")
        for header in HEADERS:
            if pattern.search(_without_comments(self.texts[header])):
                return header
        raise SystemExit(f"{name}: in none of the headers")

    def _declaration(self, name: str) -> str:
        if not name:
            return ""
        for text in self.texts.values():
            if found := re.search(rf"^[a-zA-Z][^\n;]*?\b{name}\)?\s*\(([^;{{]*?)\)\s*[;{{]", _without_comments(text), re.MULTILINE):
                return re.sub(r"\s+", " ", found[0])
        return ""

    def _section_of(self, name: str) -> str:
        text = self.texts[self._header_of(name)]
        place = re.search(rf"^(?!\s*/?\*)[^\n]*\b{name}\s*\(", text, re.MULTILINE)
        groups = re.findall(r"@defgroup \S+ (.*)", text[: place.start()] if place else "")
        return groups[-1] if groups else ""

    def _function_block(self, name: str) -> dict:
        text = self.texts[self._header_of(name)]
        place = re.search(rf"^(?!\s*/?\*)[^\n]*\b{name}\s*\(", text, re.MULTILINE)
        group = text[: place.start()].rpartition("\n\n")[2] if place else ""
        comment = re.search(r"/\*\*(.*?)\*/", group, re.DOTALL)
        return _parse_block(comment[1]) if comment else {}

    def _type_documentation(self, name: str) -> str:
        pattern = re.compile(rf"(?:typedef )?(?:struct|union) {name} \{{|typedef [^;]*?\(?\*?\b{name}(?:;|\)\()")
        return self._comment_at(pattern, f"{name}")

    def _field_documentation(self, struct: str, field: str) -> dict:
        for text in self.texts.values():
            body = re.search(rf"^(?:typedef )?(?:struct|union) {struct} \{{\n(.*?)\n\}}", text, re.MULTILINE | re.DOTALL)
            if not body:
                continue
            lines = body[1].split("\n")
            pattern = re.compile(rf"^ +[\w][\w *]*?\b{field}(?:\[\d+\])?;")
            documentation = next((_comment_near(lines, place) for place, line in enumerate(lines) if pattern.match(line)), "")
            if documentation.startswith("[out]"):
                return {"direction": "out", "documentation": documentation[5:].strip()}
            return {"documentation": documentation} if documentation else {}
        return {}

    def _constant_documentation(self, name: str) -> str:
        return self._comment_at(re.compile(rf"^(?: +|#define ){name}\b(?! *\()"), name)

    def _comment_at(self, pattern: re.Pattern[str], name: str) -> str:
        """The comment behind or above the first line that begins with the pattern."""
        for lines in self.lines.values():
            for place, line in enumerate(lines):
                if name in line and pattern.match(line):
                    return _comment_near(lines, place)
        return ""

    # Layouts

    def _add_layouts(self, folder: pathlib.Path) -> None:
        """Sizes and offsets, from the compiler: those of 64-bit machines."""
        structs = [each for each in self.types if each["kind"] in ("struct", "union")]
        lines = ["#include <stddef.h>", "#include <stdio.h>", f'#include "{HEADERS[-1]}"', "int main(void) {"]
        for struct in structs:
            name = struct["name"] if struct["name"].startswith("pinview_") else f"struct {struct['name']}"
            lines.append(f'printf("%zu\\n", sizeof({name}));')
            lines += [f'printf("%zu\\n", offsetof({name}, {field["name"]}));' for field in struct["fields"]]
        with tempfile.TemporaryDirectory() as place:
            source, program = pathlib.Path(place, "layout.c"), pathlib.Path(place, "layout")
            source.write_text("\n".join([*lines, "return 0; }"]), encoding="utf-8")
            subprocess.run(["cc", f"-I{folder}", str(source), "-o", str(program)], check=True)
            numbers = iter(subprocess.run([program], check=True, capture_output=True, text=True).stdout.split())
        for struct in structs:
            struct["size"] = int(next(numbers))
            for field in struct["fields"]:
                field["offset"] = int(next(numbers))

    def description(self) -> dict:
        return {
            "about": "The C interface of Pinview, for generators of bindings. Written by bindings/describe_interface.py; see docs/bindings.md.",
            "version": self.numbers["PINVIEW_VERSION_STRING"],
            "library": "libpinview.so.0",
            "headers": list(HEADERS),
            "constants": self.constants,
            "types": self.types,
            "functions": self.functions,
        }


def _is_void(node: c_ast.Node) -> bool:
    return isinstance(node, c_ast.TypeDecl) and isinstance(node.type, c_ast.IdentifierType) and node.type.names == ["void"]


@functools.cache
def _without_comments(text: str) -> str:
    return re.sub(r"/\*.*?\*/", "", text, flags=re.DOTALL)


def _without_parentheses(text: str) -> str:
    """The text without parentheses around all of it."""
    while text.startswith("(") and text.endswith(")"):
        depth = 0
        for position, character in enumerate(text):
            depth += {"(": 1, ")": -1}.get(character, 0)
            if depth == 0 and position < len(text) - 1:
                return text
        text = text[1:-1].strip()
    return text


def _joined(comment: str) -> str:
    return re.sub(r"\s+", " ", re.sub(r"^\s*\*", "", comment, flags=re.MULTILINE)).strip()


def _comment_near(lines: list[str], place: int) -> str:
    """The comment that documents the declaration in a line: behind it or above it."""
    if behind := re.search(r"/\*\*< ?(.*)", lines[place]):
        text, following = behind[1], place
        while "*/" not in text:
            following += 1
            text += "\n" + lines[following]
        return _joined(text.split("*/")[0])
    if place == 0 or not lines[place - 1].rstrip().endswith("*/") or "/**<" in lines[place - 1]:
        return ""
    first = place - 1
    while "/*" not in lines[first]:
        first -= 1
    text = "\n".join(lines[first:place]).strip()
    return _joined(text[3:-2]) if text.startswith("/**") else ""


def _parse_block(comment: str) -> dict:
    """The parts of a function's documentation."""
    made: dict = {"parameters": {}}
    text = re.sub(r"^ *\* ?", "", comment, flags=re.MULTILINE)
    parts = re.split(r"^(@param \w+|@return|Errors:|Threads:|Cost:|Generation:|Core Data:)", text, flags=re.MULTILINE)
    made["documentation"] = _joined(parts[0])
    for title, body in zip(parts[1::2], parts[2::2]):
        body = re.sub(r"\s+", " ", body).strip()
        if title.startswith("@param"):
            made["parameters"][title.split()[1]] = body
        elif title == "@return":
            made["documentation"] = f"{made['documentation']} Returns {body}".strip()
        else:
            made[title.rstrip(":").lower()] = body
    return made


def generated(folder: pathlib.Path = INCLUDE) -> str:
    """The text of pinview.json."""
    return json.dumps(Interface(folder).description(), indent=1, ensure_ascii=False) + "\n"


def main() -> int:
    folder, is_check = generated_file.arguments(__doc__, INCLUDE)
    return generated_file.write_or_check(folder / TARGET, generated(folder), is_check, "the headers give; run describe_interface.py")


if __name__ == "__main__":
    sys.exit(main())
