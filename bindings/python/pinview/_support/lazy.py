"""Modules that are loaded at their first use: `lazy.uuid.UUID(…)`. Standard modules, and some of
this package.

Importing any of them takes a good part of the time that importing this package takes, and few
programs need them all. Type checkers read `lazy.pyi` instead.
"""

import sys

_MODULES = {
    "arrays": f"{__package__}.arrays",
    "asynchronous": "pinview.asynchronous",
    "asyncio": "asyncio",
    "base64": "base64",
    "batch": "pinview._requests.batch",
    "columns": "pinview.columns",
    "commits": "pinview._contexts.commits",
    "composites": "pinview._objects.composites",
    "dataclasses": "dataclasses",
    "dates": "pinview._ffi.dates",
    "datetime": "datetime",
    "decimal": "decimal",
    "declarations": "pinview._declarations.modelling",
    "difference": "pinview.difference",
    "difflib": "difflib",
    "examining": "pinview.examining",
    "exporting": "pinview._stores.exporting",
    "expressions": "pinview.expressions",
    "foreign": "pinview._ffi.foreign",
    "futures": "concurrent.futures",
    "history": "pinview.history",
    "hook_callbacks": "pinview._objects.hook_callbacks",
    "inspect": "inspect",
    "journal": "pinview.journal",
    "journal_picture": f"{__package__}.journal_picture",
    "json": "json",
    "logging": "logging",
    "main_queue": "pinview._contexts.main_queue",
    "members": "pinview._objects.members",
    "metadata": "pinview._stores.metadata",
    "near_misses": f"{__package__}.near_misses",
    "notifications": "pinview.notifications",
    "numpy": "numpy",
    "paging": "pinview.paging",
    "plistlib": "plistlib",
    "re": "re",
    "relationships": "pinview.relationships",
    "showing": f"{__package__}.showing",
    "snapshots": "pinview.snapshots",
    "sql": "pinview.sql",
    "stages": "pinview.stages",
    "stopping": "pinview._contexts.stopping",
    "templates": "pinview._requests.templates",
    "transforming": "pinview._objects.transforming",
    "undo": "pinview.undo",
    "uuid": "uuid",
    "watch_app": "pinview._commands.watch_app",
}


def module(name):
    """importlib.import_module, which would first have to be imported itself, with `warnings`."""
    __import__(name)
    return sys.modules[name]


def __getattr__(name):
    if name not in _MODULES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    found = globals()[name] = module(_MODULES[name])
    return found
