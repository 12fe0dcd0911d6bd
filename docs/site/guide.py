"""Pages of the guide, from README.md and docs/*.md, with the programs of C, Python and Swift in
tabs.
"""

import re

# The files of the repository that become pages, besides docs/*.md, and the pages that they become.
FILES = {
    "README.md": "start",
    "CONTRIBUTING.md": "contributing",
    "CHANGELOG.md": "changelog",
    "Tests/ledger.md": "ledger",
    "Benchmarks/Workloads.md": "workloads",
}
# Where links to other files of the repository lead.
OTHERS = {
    "include/pinview.h": "c/index.rst",
    "include/pinview_binding.h": "c/index.rst",
    "Examples/quakes/quakes.c": "quakes.md",
    "Examples/quakes/quakes.py": "quakes.md",
}
LANGUAGES = {"C": "c", "Python": "python", "Swift": "swift"}
LEAD = re.compile(r"^\*\*(C|Python|Swift)\*\*")
END = re.compile(r"^(#|<!-- prints|---$|(They|All three|Both|It|The programs?) .*\bprints?\b)")


SHARED = re.compile(r"^<!-- file: (\S+\.h) -->\n+(```c\n.*?^```)$", re.MULTILINE | re.DOTALL)


def folded(text):
    """What the C programs of a page share, closed until a reader opens it."""
    return SHARED.sub(lambda found: f"::::{{dropdown}} {found[1]}\n{found[2]}\n::::", text)


def in_tabs(text):
    """Parts that begin with **C**, **Python** and **Swift** as tabs; which of them is open is kept
    for the whole site.
    """
    out, tabs, fence = [], None, ""

    def close():
        nonlocal tabs
        if tabs is None:
            return
        if len(tabs) < 2:
            for _, lines in tabs:
                out.extend(lines)
        else:
            out.extend(["::::::{tab-set}", ":sync-group: language", ""])
            for language, lines in tabs:
                out.extend([f":::::{{tab-item}} {language}", f":sync: {LANGUAGES[language]}", ""])
                out.extend(lines)
                out.extend([":::::", ""])
            out.extend(["::::::", ""])
        tabs = None

    for line in text.split("\n"):
        mark = re.match(r"^ *(`{3,})", line)
        if mark:
            fence = "" if fence and mark[1].startswith(fence) else fence or mark[1]
        elif not fence and LEAD.match(line) and re.match(r"^\*\*\w+\*\*,? ", line):
            language = LEAD.match(line)[1]
            if tabs is None or language in [name for name, _ in tabs]:
                close()
                tabs = []
            tabs.append((language, []))
        elif not fence and END.match(line):
            close()
        (out if tabs is None else tabs[-1][1]).append(line)
    close()
    return "\n".join(out)


def with_links(text, folder, names):
    """Links to files of the repository as links to pages. `folder` is where the text lies in the
    repository.
    """

    def link(found):
        path, anchor = found[1], found[2] or ""
        parts = []
        for part in [*folder.split("/"), *path.split("/")]:
            if part == "..":
                parts.pop()
            elif part not in ("", "."):
                parts.append(part)
        target = "/".join(parts)
        if target in OTHERS:
            return f"]({OTHERS[target]})"
        if target in FILES:
            return f"]({FILES[target]}.md{anchor})"
        if target.startswith("docs/"):
            return f"]({target.removeprefix('docs/')}{anchor})"
        raise ValueError(f"a link to {target}, which is no page of the site (docs/site/guide.py)")

    pattern = re.compile(r"\]\(([\w./-]+\.\w+)(#[\w-]*)?\)")
    pieces = re.split(r"(^```.*?^```$)", text, flags=re.MULTILINE | re.DOTALL)
    return "".join(piece if piece.startswith("```") else pattern.sub(link, piece) for piece in pieces)


def write(root, folder):
    """Writes the pages and returns their names."""
    pages = {path.stem: path for path in sorted((root / "docs").glob("*.md"))}
    pages.update({name: root / path for path, name in FILES.items()})
    for name, path in pages.items():
        text = path.read_text(encoding="utf-8")
        text = with_links(text, str(path.parent.relative_to(root)), pages)
        (folder / f"{name}.md").write_text(in_tabs(folded(text)), encoding="utf-8")
    return list(pages)
