"""The sections of the site: which pages belong to each, and what its own page says."""

SECTIONS = {
    "guide": (
        "Guide by task",
        "Each page has programs that the tests run. A tab that is chosen stays chosen on all pages.",
        {
            "Objects and entities": ["objects", "declared-classes", "typed-objects", "concurrency", "threads"],
            "Finding": ["fetching", "predicates", "columns"],
            "Bulk data": ["importing"],
            "Time": ["generations", "paging", "history"],
            "Stores": ["inspecting", "watching", "migration", "core-data"],
            "Longer examples": ["issue-tracker", "quakes"],
        },
    ),
    "coming-from": (
        "Coming from elsewhere",
        "The same small job done both ways: an issue tracker with a list that stays still while another program writes.",
        {"": ["coming-from-core-data", "coming-from-swiftdata", "coming-from-grdb", "coming-from-sqlalchemy"]},
    ),
    "reference": (
        "Reference",
        "The three interfaces, from the comments of their sources. The search finds every name; {ref}`the index <genindex>` lists those of C and Python.",
        {"": ["c/index", "python/index", "swift/index", "parity"]},
    ),
    "promises": (
        "What is promised",
        "What holds, how it is tested, and where the limits are.",
        {"": ["reliability", "store-files", "untrusted-stores"]},
    ),
    "developing": (
        "Changing Pinview",
        "For engineers who work on it.",
        {"": ["architecture", "bindings", "contributing", "changelog", "ledger", "workloads"]},
    ),
}


def write(folder):
    """Writes the pages of the sections; fails if a page of the folder belongs to none."""
    placed = {"index", "start", "performance"}
    for name, (title, text, groups) in SECTIONS.items():
        out = [f"# {title}", "", text, ""]
        for heading, pages in groups.items():
            present = [page for page in pages if any((folder / f"{page}{suffix}").exists() for suffix in (".md", ".rst"))]
            placed.update(present)
            if not present:
                continue
            if heading:
                out += [f"## {heading}", ""]
            out += ["```{toctree}", ":maxdepth: 1", "", *present, "```", ""]
        (folder / f"{name}.md").write_text("\n".join(out), encoding="utf-8")
        placed.add(name)
    lost = {path.stem for path in folder.glob("*.md")} - placed
    if lost:
        raise ValueError(f"docs/site/sections.py names no section for {', '.join(sorted(lost))}")
