#!/usr/bin/env python3
"""Writes pinview/_ffi/prototypes.py and the stub beside it from include/pinview.json, the
description of the C interface: types, constants and the prototype of every function.

usage: generate_prototypes.py [--check] [FOLDER]

With --check nothing is written; the exit status is 1 when the committed files are not what the
description in FOLDER gives.
"""

from __future__ import annotations

import json
import keyword
import pathlib
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))  # for the next import

import generated_file  # noqa: E402

INCLUDE = HERE.parents[1] / "include"
TARGET = HERE / "pinview" / "_ffi"

SCALARS = {
    "char": "c_char",
    "int": "c_int",
    "double": "c_double",
    "float": "c_float",
    "size_t": "c_size_t",
    "intptr_t": "c_ssize_t",
    "uintptr_t": "c_size_t",
    **{f"{kind}int{bits}_t": f"c_{kind}int{bits}" for kind in ("", "u") for bits in (8, 16, 32, 64)},
}
PYTHON_TYPES = {"c_double": "float", "c_float": "float", "c_char_p": "bytes | None", "c_void_p": "int | None"}


class Prototypes:
    """The interface as ctypes has it."""

    def __init__(self, description: dict) -> None:
        self.description = description
        self.types = {each["name"]: each for each in description["types"]}
        self.structs = [each["name"] for each in description["types"] if each["kind"] in ("struct", "union")]
        self.callbacks = [each["name"] for each in description["types"] if each["kind"] == "callback"]
        self.handles = [each["name"] for each in description["types"] if each["kind"] == "handle"]

    def ctype(self, kind: dict) -> str:
        """A type as an expression."""
        name, pointers = kind["name"], kind["pointers"]
        if name == "function":
            return self.prototype_type(kind)
        if name == "void" and pointers == 0:
            return "None"
        if name == "void" or name in self.handles:
            made, pointers = "c_void_p", pointers - 1
        elif pointers and (name == "char" or (name == "uint8_t" and kind.get("const"))):
            made, pointers = "c_char_p", pointers - 1
        else:
            made = self.named(name)
        made = "POINTER(" * pointers + made + ")" * pointers
        return f"{made} * {kind['length']}" if "length" in kind else made

    def base(self, struct: str) -> str:
        return "Union" if self.types[struct]["kind"] == "union" else "Structure"

    def contained(self, struct: str) -> set[str]:
        """The structs that a struct contains, directly or in another one."""
        direct = {each["type"]["name"] for each in self.types[struct]["fields"] if self.ctype(each["type"]) in self.structs}
        return direct.union(*map(self.contained, direct))

    def made_first(self) -> list[str]:
        """The structs that contain a struct that points to them. Made from its fields, they would
        contain it before it has fields.
        """
        return [
            name
            for name in self.structs
            if any(
                f"POINTER({name})" in self.ctype(field["type"]) for inner in self.contained(name) for field in self.types[inner]["fields"]
            )
        ]

    def named(self, name: str) -> str:
        of = self.types.get(name, {"kind": "scalar"})
        if of["kind"] in ("alias", "enumeration"):
            return self.named(of["type"])
        return SCALARS[name] if of["kind"] == "scalar" else name

    def kinds(self, function: dict) -> list[str]:
        return [self.ctype(each["type"]) for each in function["parameters"]]

    def prototype_type(self, function: dict) -> str:
        return f"CFUNCTYPE({', '.join([self.ctype(function['result']), *self.kinds(function)])})"

    def python_type(self, ctype: str, is_result: bool) -> str:
        if ctype == "None":
            return "None"
        if ctype in PYTHON_TYPES:
            return PYTHON_TYPES[ctype]
        if ctype in self.structs and is_result:
            return ctype
        if ctype.startswith(("POINTER", "CFUNCTYPE")) or "*" in ctype or ctype in self.types:
            return "Any"
        return "int"

    def constants(self) -> list[str]:
        return ["# Constants", *[f"{each['name']} = {each['value']!r}" for each in self.description["constants"]]]

    def stub(self) -> list[str]:
        """The lines of prototypes.pyi."""
        lines = [
            '"""For type checkers: the C interface as ctypes sees it. Generated with prototypes.py; do not edit."""',
            "",
            "# fmt: off",
            "# ruff: noqa",
            "from ctypes import CFUNCTYPE, POINTER, Structure, Union, c_double, c_int32, c_size_t, c_uint64, c_void_p",
            "from typing import Any, Callable",
            "",
            *self.constants(),
            "",
            "# Structs and callbacks. A handle is a c_void_p: an int, or None for NULL.",
        ]
        for name in self.structs:
            lines += [f"class {name}({self.base(name)}):"]
            for each in self.types[name]["fields"]:
                lines.append(f"    {_python_name(each['name'])}: {self.python_type(self.ctype(each['type']), True)}")
            lines.append("")
        lines += [f"{name} = {self.prototype_type(self.types[name])}" for name in self.callbacks]
        lines += [
            "",
            "HANDLES: tuple[str, ...]",
            "STRUCTS: dict[str, tuple[Any, dict[str, str]]]",
            "CALLBACKS: dict[str, str]",
            "FUNCTIONS: dict[str, str]",
            "",
            "def prototype(name: str) -> tuple[Any, tuple[Any, ...]]: ...",
            "",
            "class Functions:",
        ]
        for function in self.description["functions"]:
            arguments = ", ".join(self.python_type(kind, False) for kind in self.kinds(function))
            result = self.python_type(self.ctype(function["result"]), True)
            lines.append(f"    {function['name']}: Callable[[{arguments}], {result}]")
        return lines

    def lines(self) -> list[str]:
        """The lines of prototypes.py."""
        lines = [
            '"""The C interface as ctypes sees it. Generated from include/pinview.json by generate_prototypes.py; do not edit."""',
            "",
            "# fmt: off",
            "# ruff: noqa",
            "from ctypes import CFUNCTYPE, POINTER, Structure, Union, c_bool, c_char_p, c_double, c_float, c_int, c_int8, c_int16, c_int32",
            "from ctypes import c_int64, c_size_t, c_ssize_t, c_uint8, c_uint16, c_uint32, c_uint64, c_void_p",
            "from _thread import RLock  # that of threading, which takes longer to import than all the rest",
            "",
            *self.constants(),
            "",
            "HANDLES = (",
            *[f'    "{name}",' for name in self.handles],
            ")",
            "",
            "# The types and prototypes are strings, because a program needs only a few of them; see _Types.",
            "# name: kind, types of the fields.",
            "STRUCTS = {",
        ]
        for name in self.structs:
            fields = [f'"{_python_name(field["name"])}": "{self.ctype(field["type"])}"' for field in self.types[name]["fields"]]
            lines.append(f'    "{name}": ({self.base(name)}, {{{", ".join(fields)}}}),')
        lines += [
            "}",
            "",
            "CALLBACKS = {",
            *[f'    "{name}": "{self.prototype_type(self.types[name])}",' for name in self.callbacks],
            "}",
            "",
            "# name: result, parameters.",
            "FUNCTIONS = {",
        ]
        for function in self.description["functions"]:
            kinds = self.kinds(function)
            parameters = f"({', '.join(kinds)}{',' if len(kinds) == 1 else ''})"
            lines.append(f'    "{function["name"]}": "{self.ctype(function["result"])}, {parameters}",')
        lines += ["}", "", "", *_CODE.format(first="\n".join(f'_types["{name}"]' for name in self.made_first())).splitlines()]
        return lines


_CODE = '''class _Types(dict):
    """Structs, callbacks and other types by name or expression. Each is made at its first use."""

    def __missing__(self, name):
        if name in STRUCTS:
            base, fields = STRUCTS[name]
            # The class comes before its fields, which may point to it.
            made = self[name] = type(name, (base,), {{"__module__": __name__}})
            made._fields_ = [(field, self[kind]) for field, kind in fields.items()]
            return made
        if name.isidentifier() and name not in CALLBACKS:
            return globals()[name]
        self[name] = eval(CALLBACKS.get(name, name), globals(), self)
        return self[name]


_types = _Types()
# Nobody may get a struct without its fields.
_lock = RLock()
# Made before the structs that it contains, some of which point to it.
{first}


def __getattr__(name):
    if name not in STRUCTS and name not in CALLBACKS:
        raise AttributeError(f"module {{__name__!r}} has no attribute {{name!r}}")
    with _lock:
        made = globals()[name] = _types[name]
    return made


def prototype(name):
    """The types of the result and of the parameters of a function."""
    with _lock:
        return eval(FUNCTIONS[name], globals(), _types)


class Functions:
    """Every function of the headers."""
'''


def _python_name(name: str) -> str:
    """The name of a field in Python; keywords such as `as` get an underscore appended."""
    return f"{name}_" if keyword.iskeyword(name) else name


def generated(folder: pathlib.Path = INCLUDE) -> dict[str, str]:
    """The texts of the modules in pinview/_ffi, by file name."""
    description = json.loads((folder / "pinview.json").read_text(encoding="utf-8"))
    prototypes = Prototypes(description)
    return {
        "prototypes.py": "\n".join(prototypes.lines()) + "\n",
        "prototypes.pyi": "\n".join(prototypes.stub()) + "\n",
    }


def main() -> int:
    folder, is_check = generated_file.arguments(__doc__, INCLUDE)
    source = "pinview.json gives; run generate_prototypes.py"
    return max(generated_file.write_or_check(TARGET / name, text, is_check, source) for name, text in generated(folder).items())


if __name__ == "__main__":
    sys.exit(main())
