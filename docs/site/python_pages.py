"""Pages of the Python reference: one for each module whose names `import pinview` shows, and for
those beside it.
"""

import importlib
import inspect

TITLES = {
    "context": "Contexts",
    "coordinator": "Coordinators and stores",
    "container": "Containers",
    "model": "Models",
    "managed_object": "Managed objects",
    "declared": "Declared classes",
    "relationships": "Relationships",
    "object_id": "Object IDs",
    "fetching": "Fetching",
    "paging": "Pages",
    "predicates": "Predicates",
    "expressions": "Expressions",
    "columns": "Columns",
    "results": "Results controllers",
    "asynchronous": "Asynchronous fetches",
    "requests": "Batch requests",
    "inserting": "Upserts and inserts",
    "notifications": "Notifications",
    "history": "History",
    "tokens": "Generations",
    "difference": "Differences of generations",
    "journal": "Journal reports",
    "snapshots": "Snapshots",
    "sql": "SQL at a generation",
    "exporting": "Generations as files",
    "migration": "Migration",
    "undo": "Undo",
    "inspection": "Looking into stores",
    "diagnostics": "Diagnostics",
    "choices": "Choices",
    "errors": "Errors",
    "threads": "Main queue",
}
# Where names of private modules are shown.
HOMES = {
    "_ffi.choices": "choices",
    "_objects.entities": "model",
    "_objects.hooks": "managed_object",
    "_contexts.main_queue": "threads",
    "_contexts.commits": "context",
    "_ffi.implementation": "diagnostics",
    "_ffi.prototypes": "diagnostics",
    "_stores.exporting": "exporting",
}


def home_of(name, value):
    module = getattr(value, "__module__", None) or ""
    inside = module.removeprefix("pinview.") if module.startswith("pinview.") else ""
    if inside.startswith("_declarations"):
        return "declared"
    if inside in HOMES:
        return HOMES[inside]
    if inside and not inside.startswith("_"):
        return inside.split(".")[0]
    if name in ("CURRENT",):
        return "tokens"
    if name.isupper() or name in ("WILL_SAVE",):
        return "notifications"
    return "diagnostics"


def entry(name, value):
    if inspect.isclass(value):
        options = [":members:"]
        if not issubclass(value, BaseException):
            options.append(":inherited-members: object, tuple, int, str, Enum, Exception, BaseException, dict, list")
        else:
            options.append(":show-inheritance:")
        if value.__name__ not in ("Object",) and not issubclass(value, BaseException):
            options.append(":special-members: __call__, __getitem__, __len__, __iter__, __enter__, __contains__, __bytes__")
        return [f".. autoclass:: pinview.{name}", *(f"   {option}" for option in options), ""]
    if callable(value):
        return [f".. autofunction:: pinview.{name}", ""]
    return [f".. autodata:: pinview.{name}", "   :no-value:", ""]


def write(folder):
    """Writes the pages and returns the names that they show."""
    import pinview

    folder.mkdir(parents=True)
    names = sorted({*pinview.__all__} - {"implementation"})
    homes = {}
    for name in names:
        homes.setdefault(home_of(name, getattr(pinview, name)), []).append(name)
    for extra in ("inspection",):
        module = importlib.import_module(f"pinview.{extra}")
        shown = getattr(
            module,
            "__all__",
            [n for n, v in vars(module).items() if not n.startswith("_") and getattr(v, "__module__", "") == module.__name__],
        )
        if extra not in homes and shown:
            homes[extra] = [f"{extra}.{name}" for name in sorted(shown)]
    order = [*TITLES, *sorted(set(homes) - set(TITLES))]
    present = [home for home in order if home in homes]
    for home in present:
        title = TITLES.get(home, home.replace("_", " ").capitalize())
        out = [title, "=" * len(title), ""]
        text = importlib.import_module(f"pinview.{home}").__doc__ if home not in ("declared", "choices", "exporting", "threads") else None
        if text and len(text.strip().splitlines()) > 1:
            out += [f".. automodule:: pinview.{home}", ""]
        for name in homes[home]:
            value = pinview
            for part in name.split("."):
                value = getattr(value, part)
            out += entry(name, value)
        (folder / f"{home}.rst").write_text("\n".join(out), encoding="utf-8")
    index = [
        "Python",
        "======",
        "",
        ".. automodule:: pinview",
        "",
        ".. toctree::",
        "   :maxdepth: 1",
        "",
        *(f"   {home}" for home in present),
        "",
    ]
    (folder / "index.rst").write_text("\n".join(index), encoding="utf-8")
    return names
