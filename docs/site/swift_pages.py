"""Pages of the Swift reference, from the symbol graphs that the compiler writes of the modules."""

import json
import re

# The modules that `import Pinview` and `import PinviewFoundation` show.
MODULES = ("Pinview", "PinviewTyped", "PinviewModel", "PinviewPredicates", "PinviewFoundation")
# The members of a type in the order of its page.
KINDS = {
    "init": "Initializers",
    "type.property": "Type properties",
    "enum.case": "Cases",
    "property": "Properties",
    "subscript": "Subscripts",
    "method": "Methods",
    "type.method": "Type methods",
    "func.op": "Operators",
    "typealias": "Type aliases",
}
# Types whose pages come first, in the order in which a program meets them.
CHAPTERS = {
    "Typed objects and requests": None,  # what PinviewTyped declares
    "Stack and contexts": r"Persistent(Container|Store)|ManagedObjectContext|Concurrency|MergePolicy|UndoManager|Store",
    "Objects": r"ManagedObject$|ManagedObjectID|Snapshot|Related|Observation",
    "Model": r"ManagedObjectModel|.*Description$|Attribute|Relationship|DeleteRule|Value|Model|Entity|Index|JSON",
    "Fetching": r"Fetch|PinviewSort|Batch|Row|Column|Upsert|Asynchronous",
    "Predicates and expressions": r"PinviewPredicate|PinviewExpression|Predicate|Expression|Comparison|Compound",
    "Generations and history": r"QueryGeneration|Generation|.*History|Journal|Token|Difference|RemoteChange",
    "Notifications and errors": r"Pinview?Notification|.*Notification|PinviewError|ErrorCode|Conflict|Validation",
}


def loaded(folder):
    symbols, parents, conformances = {}, {}, {}
    for path in sorted(folder.glob("*.symbols.json")):
        if path.name.split("@")[0].removesuffix(".symbols.json") not in MODULES:
            continue
        graph = json.loads(path.read_text(encoding="utf-8"))
        for symbol in graph["symbols"]:
            if not any(part.startswith("_") for part in symbol["pathComponents"]):
                symbols[symbol["identifier"]["precise"]] = symbol
                symbol["module"] = graph["module"]["name"]
        for relation in graph["relationships"]:
            if relation["kind"] in ("memberOf", "requirementOf"):
                parents[relation["source"]] = relation["target"]
            elif relation["kind"] == "conformsTo":
                name = relation.get("targetFallback", "").split(".")[-1] or relation["target"]
                conformances.setdefault(relation["source"], set()).add(name)
    return symbols, parents, conformances


def kind_of(symbol):
    return symbol["kind"]["identifier"].removeprefix("swift.")


def declaration_of(symbol):
    text = "".join(part["spelling"] for part in symbol["declarationFragments"])
    return re.sub(r"\s+", " ", text).strip()


class Reference:
    def __init__(self, folder):
        self.symbols, self.parents, self.conformances = loaded(folder)
        self.anchors = {}
        by_path = {}
        for identifier in sorted(self.symbols):
            path = ".".join(self.symbols[identifier]["pathComponents"])
            same = by_path.setdefault(path, [])
            kept = re.sub(r"\W+", "-", path).strip("-")
            same.append(identifier)
            self.anchors[identifier] = f"swift-{kept}" + (f"-{len(same)}" if len(same) > 1 else "")
        taken = set()
        for identifier, anchor in self.anchors.items():
            number, unique = 2, anchor
            while unique.lower() in taken:
                unique, number = f"{anchor}_{number}", number + 1
            taken.add(unique.lower())
            self.anchors[identifier] = unique
        # What ``names`` in comments can mean: a path from the root, or the end of one.
        self.paths = {".".join(symbol["pathComponents"]) for symbol in self.symbols.values()}

    def target(self, name, symbol):
        """The path that a ``link`` in the comment of a symbol leads to."""
        wanted = name.replace("/", ".")
        inside = symbol["pathComponents"]
        for depth in range(len(inside), -1, -1):
            path = ".".join([*inside[:depth], wanted])
            if path in self.paths:
                return path
            overloads = [each for each in self.paths if each.split("(")[0] == path.split("(")[0]]
            if overloads and "(" not in wanted:
                return min(overloads)
        return None

    def comment_of(self, symbol):
        lines = [line["text"] for line in symbol.get("docComment", {}).get("lines", [])]
        text = "\n".join(lines)

        def link(found):
            target = self.target(found[1], symbol)
            shown = found[1].split("/")[-1]
            return f"{{swift:sym}}`{shown} <{target}>`" if target else f"`{shown}`"

        text = re.sub(r"``([^`\n]+)``", link, text)
        out, fields = [], None
        for line in text.split("\n"):
            match = re.match(r"- (Parameters|Parameter|Returns|Throws|Note|Important|Warning|Complexity)\b *([\w`]*)? *: *(.*)", line)
            if match and match[1] == "Parameters":
                out += ["", "**Parameters**", ""]
                fields = "parameters"
            elif match and match[1] == "Parameter":
                if fields != "parameter":
                    out += ["", "**Parameters**", ""]
                out.append(f"- `{match[2]}`: {match[3]}")
                fields = "parameter"
            elif match:
                out += ["", f"**{match[1]}:** {match[3]}"]
                fields = "text"
            elif fields == "parameters" and re.match(r"  - `?\w+`?:", line):
                name, _, rest = line.strip()[2:].partition(":")
                out.append(f"- `{name.strip('`')}`:{rest}")
            elif fields == "text" and line.startswith("  "):
                out.append(line.strip())
            elif fields == "parameters" and line.startswith("    "):
                out.append(line[2:])
            else:
                if line.strip() and not line.startswith(" "):
                    fields = None
                out.append(line)
        return "\n".join(out).strip()

    def symbol_block(self, symbol, body=""):
        path = ".".join(symbol["pathComponents"])
        identifier = symbol["identifier"]["precise"]
        return "\n".join(
            [
                f"``````{{swift:symbol}} {path}",
                f":declaration: {json.dumps(declaration_of(symbol), ensure_ascii=False)}",
                f":anchor: {self.anchors[identifier]}",
                "",
                self.comment_of(symbol),
                body,
                "``````",
                "",
            ]
        )

    def types(self):
        """Types at the top, and what extends types of other modules, by the name of the type."""
        found = {}
        for identifier, symbol in self.symbols.items():
            top = symbol["pathComponents"][0]
            page = found.setdefault(top, {"self": None, "nested": [], "members": []})
            depth = len(symbol["pathComponents"])
            if depth == 1:
                page["self"] = symbol
            elif kind_of(symbol) in ("struct", "class", "enum", "protocol"):
                page["nested"].append(symbol)
            page["members"].append((identifier, symbol))
        return found

    def members(self, owner, members, level):
        out = []
        for kind, title in KINDS.items():
            chosen = [s for _, s in members if kind_of(s) == kind and s["pathComponents"][:-1] == owner]
            if not chosen:
                continue
            # The order of the sources, which is an order by topic.
            chosen.sort(key=lambda s: (s.get("location", {}).get("uri", ""), s.get("location", {}).get("position", {}).get("line", 0)))
            out += [f"{'#' * level} {title}", ""]
            out += [self.symbol_block(symbol) for symbol in chosen]
        return out

    def page(self, name, content):
        out = [f"# {name}", ""]
        if content["self"] is None:
            out += [f"What Pinview adds to `{name}`.", ""]
        elif kind_of(content["self"]) in ("var", "func", "func.op"):
            out += [self.symbol_block(content["self"])]
        else:
            conforms = sorted(self.conformances.get(content["self"]["identifier"]["precise"], ()))
            conforms = [each for each in conforms if re.fullmatch(r"\w+", each) and each not in ("Copyable", "Escapable")]
            out += [self.symbol_block(content["self"])]
            if conforms:
                out += ["Conforms to " + ", ".join(f"`{each}`" for each in conforms) + ".", ""]
        out += self.members([name], content["members"], 2)
        for nested in sorted(content["nested"], key=lambda s: s["pathComponents"]):
            out += [f"## {'.'.join(nested['pathComponents'])}", "", self.symbol_block(nested)]
            out += self.members(nested["pathComponents"], content["members"], 3)
        return "\n".join(out)


def file_name(name):
    return re.sub(r"\W+", "-", name).strip("-") or "operators"


def write(graphs, folder):
    """Writes the pages and returns how many symbols they have."""
    folder.mkdir(parents=True)
    reference = Reference(graphs)
    types = reference.types()
    operators = {
        name: types.pop(name) for name in list(types) if types[name]["self"] and kind_of(types[name]["self"]).startswith(("func", "var"))
    }
    if operators:
        blocks = [reference.symbol_block(symbol) for each in operators.values() for _, symbol in each["members"]]
        (folder / "globals.md").write_text("# Global functions and variables\n\n" + "\n".join(blocks), encoding="utf-8")
    chapters = {title: [] for title in CHAPTERS} | {"More types": []}
    for name in sorted(types):
        title = next((title for title, pattern in CHAPTERS.items() if pattern and re.match(pattern, name)), "More types")
        if types[name]["self"] is None:
            title = "More types"
        elif types[name]["self"]["module"] == "PinviewTyped":
            title = "Typed objects and requests"
        chapters[title].append(name)
        (folder / f"{file_name(name)}.md").write_text(reference.page(name, types[name]), encoding="utf-8")
    if operators:
        chapters["More types"].append("globals")
    index = [
        "# Swift",
        "",
        "The public interface of the modules `Pinview` and `PinviewFoundation`, from the comments in the sources.",
        "Names are Core Data's without `NS`; [Swift, C and Python side by side](../parity.md) has every member.",
        "",
    ]
    for title, names in chapters.items():
        if names:
            index += [f"## {title}", "", "```{toctree}", ":maxdepth: 1", ""] + [file_name(name) for name in names] + ["```", ""]
    (folder / "index.md").write_text("\n".join(index), encoding="utf-8")
    return len(reference.symbols)
