"""Modules that are loaded at their first use: `lazy.uuid.UUID(…)`. Standard modules, and some of
this package.

Importing any of them takes a good part of the time that importing this package takes, and few
programs need them all. Type checkers read `lazy.pyi` instead.
"""

import importlib

_MODULES = {
    "arrays": f"{__package__}.arrays",
    "asyncio": "asyncio",
    "base64": "base64",
    "dataclasses": "dataclasses",
    "decimal": "decimal",
    "declarations": "pinview._declarations.modelling",
    "difflib": "difflib",
    "foreign": "pinview._ffi.foreign",
    "futures": "concurrent.futures",
    "inspect": "inspect",
    "journal_picture": f"{__package__}.journal_picture",
    "json": "json",
    "logging": "logging",
    "metadata": "pinview._stores.metadata",
    "near_misses": f"{__package__}.near_misses",
    "numpy": "numpy",
    "paging": "pinview.paging",
    "plistlib": "plistlib",
    "re": "re",
    "showing": f"{__package__}.showing",
    "snapshots": "pinview.snapshots",
    "stopping": "pinview._contexts.stopping",
    "uuid": "uuid",
    "watch_app": "pinview._commands.watch_app",
}


def __getattr__(name):
    if name not in _MODULES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    module = globals()[name] = importlib.import_module(_MODULES[name])
    return module
