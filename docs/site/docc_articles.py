#!/usr/bin/env python3
"""Writes the catalog of the DocC archive. usage: docc_articles.py GRAPHS CATALOG   (the Makefile calls it)

The articles are pages of `docs`, without what they have for other languages. Names of public types between backticks
become links to the types.
"""

import json
import pathlib
import re
import shutil
import sys

from guide import END, LEAD
from swift_pages import MODULES

ROOT = pathlib.Path(__file__).resolve().parents[2]
ARTICLES = {
    "Coming from elsewhere": ["coming-from-core-data", "coming-from-swiftdata", "coming-from-grdb"],
    "Essentials": ["typed-objects", "concurrency", "generations", "issue-tracker"],
}
FRONT = """# Pinview

@Metadata {
    @TechnologyRoot
}

Managed objects over an SQLite file, whose contexts can be pinned to one generation of the store.

## Overview

Pinview keeps a graph of managed objects over an ordinary SQLite file, in the manner of Core Data. A pinned context
reads one generation of the store, which stays the same until the program advances it, whatever other threads and
processes commit. `import PinviewTyped` gives a program all of it but what needs Foundation.

## Topics
"""


def types_of(graphs):
    """The path of each public type at the top of a module, by its name."""
    found = {}
    for module in MODULES:
        graph = json.loads((graphs / f"{module}.symbols.json").read_text(encoding="utf-8"))
        for symbol in graph["symbols"]:
            kind = symbol["kind"]["identifier"].removeprefix("swift.")
            if len(symbol["pathComponents"]) == 1 and kind in ("struct", "class", "enum", "protocol"):
                found[symbol["pathComponents"][0]] = f"/{module}/{symbol['pathComponents'][0]}"
    return found


def swift_only(text):
    """The page without the programs in C and Python, if it has them in Swift as well, and without comments."""
    text = re.sub(r"^<!-- file: \S+\.h -->\n+```c\n.*?^```$\n", "", text, flags=re.MULTILINE | re.DOTALL)
    out, language, fence = [], "Swift", ""
    for line in text.split("\n"):
        mark = re.match(r"^ *(`{3,})", line)
        if mark:
            fence = "" if fence and mark[1].startswith(fence) else fence or mark[1]
        elif not fence and LEAD.match(line):
            language = LEAD.match(line)[1]
            if language == "Swift":
                line = re.sub(r"^\*\*Swift\*\*, (.)", lambda found: found[1].upper(), line)
        elif not fence and END.match(line):
            language = "Swift"
        if language == "Swift" and (fence or mark or not line.startswith("<!--")):
            out.append(line)
    return "\n".join(out)


def chapter(text, title):
    """A chapter of a page, from its heading on."""
    return re.search(rf"^## {title}\n.*?(?=^## )", text, re.MULTILINE | re.DOTALL)[0]


def generations(readme, page):
    """What a pin is, from the README, and what it costs. The page of `docs` begins with journals and has Python programs."""
    program = re.search(r"<!-- program: Sources/pin/main.swift -->\n+(.*?^```$)", readme, re.MULTILINE | re.DOTALL)[1]
    output = re.search(r"<!-- prints: pin.c [^\n]* -->\n+(.*?^```$)", readme, re.MULTILINE | re.DOTALL)[1]
    begins = "# Generations\n\nA pinned context reads one state of the store, until the program says otherwise.\n\n## A pin\n\n"
    rest = [chapter(readme, "What a pin means"), chapter(page, "Long-lived pins and the journal budget")]
    return f"{begins}{program}\n\nIt prints:\n\n{output}\n\n" + "".join(rest)


def text_of(name):
    text = (ROOT / f"docs/{name}.md").read_text(encoding="utf-8")
    if name == "generations":
        return generations((ROOT / "README.md").read_text(encoding="utf-8"), text)
    return swift_only(text) if "\n**Swift**" in text else text


def article(name, types):
    """A page of `docs` as an article."""
    text = text_of(name)
    known = {page for pages in ARTICLES.values() for page in pages}

    def link(found):
        page = pathlib.PurePosixPath(found[2].split("#")[0]).stem
        return f"[{found[1]}](<doc:{page}>)" if page in known and page != name else found[1]

    def symbol(found):
        return f"``{types[found[1]]}``" if found[1] in types else found[0]

    pieces = re.split(
        r"(^ *```.*?^ *```$|^ {4}[^\n]*$)", re.sub(r"^<!--.*?-->\n", "", text, flags=re.MULTILINE), flags=re.MULTILINE | re.DOTALL
    )
    for index, piece in enumerate(pieces):
        if not re.match(" *```| {4}", piece):
            piece = re.sub(r"\[([^\]]+)\]\(([^)]+)\)", link, piece)
            heads = re.split(r"(^#.*$)", piece, flags=re.MULTILINE)
            pieces[index] = "".join(part if part.startswith("#") else re.sub(r"(?<!`)`(\w+)`(?!`)", symbol, part) for part in heads)
    return "".join(pieces)


def write(graphs, catalog):
    shutil.rmtree(catalog, ignore_errors=True)
    catalog.mkdir(parents=True)
    types = types_of(graphs)
    front = FRONT
    for title, names in ARTICLES.items():
        front += f"\n### {title}\n\n" + "".join(f"- <doc:{name}>\n" for name in names)
        for name in names:
            (catalog / f"{name}.md").write_text(article(name, types), encoding="utf-8")
    front += "\n### Modules\n\n" + "".join(f"- ``/{module}``\n" for module in MODULES)
    (catalog / "Guide.md").write_text(front, encoding="utf-8")


if __name__ == "__main__":
    write(*map(pathlib.Path, sys.argv[1:]))
