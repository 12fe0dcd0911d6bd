"""A Sphinx extension: signatures of the Python reference show what the annotations name.

Names that the package uses only in annotations are `object` when it runs; see _support/forward.py.
Here they get the values that type checkers read in the stubs.
"""

import ast
import importlib
import pathlib
import pkgutil
import sys
from importlib.machinery import SourceFileLoader
from importlib.util import module_from_spec, spec_from_loader

import pinview
from sphinx.pycode.parser import VariableCommentPicker

STUBS = ("annotating", "forward")
# What runs a program or needs packages that are not there; nothing of these is shown.
NOT_SHOWN = ("pinview.__main__", "pinview._commands")


def _types():
    """The names in the stubs with their values."""
    found = {}
    folder = pathlib.Path(pinview.__file__).parent / "_support"
    for stub in STUBS:
        loader = SourceFileLoader(f"pinview._support.{stub}", str(folder / f"{stub}.pyi"))
        module = module_from_spec(spec_from_loader(loader.name, loader))
        loader.exec_module(module)
        found |= {name: value for name, value in vars(module).items() if not name.startswith("__")}
    return found


def _set_types():
    for module in pkgutil.walk_packages(pinview.__path__, "pinview."):
        if not module.name.startswith(NOT_SHOWN):
            importlib.import_module(module.name)
    types = _types()
    for name, module in list(sys.modules.items()):
        if name.startswith("pinview."):
            stand_ins = [each for each in types if vars(module).get(each) is object]
            vars(module).update({each: types[each] for each in stand_ins})


def _find_overloads():
    """Sphinx finds overloads where `overload` comes from typing; here it comes from annotating."""
    visit = VariableCommentPicker.visit_ImportFrom

    def visit_import(self, node):
        visit(self, node)
        if node.module == "_support.annotating":
            self.typing_overload_names |= {each.name for each in node.names} & {"overload"}

    VariableCommentPicker.visit_ImportFrom = visit_import
    add = VariableCommentPicker.add_overload_entry

    def add_overload(self, function):
        for each in (function.args.vararg, function.args.kwarg):
            # Sphinx cannot show `*none: Given.args`.
            if each is not None and isinstance(each.annotation, ast.Attribute):
                each.annotation = None
        add(self, function)

    VariableCommentPicker.add_overload_entry = add_overload


def setup(app):
    _set_types()
    _find_overloads()
    return {"parallel_read_safe": True, "parallel_write_safe": True}
