"""Modules that are loaded at their first use: `lazy.uuid.UUID(…)`. Standard modules, and one of
this folder.

Importing any of them takes a good part of the time that importing this package takes, and few
programs need them all. Type checkers read `lazy.pyi` instead.
"""

import importlib

_MODULES = {
    "asyncio": "asyncio",
    "base64": "base64",
    "dataclasses": "dataclasses",
    "decimal": "decimal",
    "declarations": "pinview._declarations.modelling",
    "difflib": "difflib",
    "futures": "concurrent.futures",
    "inspect": "inspect",
    "journal_picture": f"{__package__}.journal_picture",
    "json": "json",
    "uuid": "uuid",
}


def __getattr__(name):
    if name not in _MODULES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    module = globals()[name] = importlib.import_module(_MODULES[name])
    return module
