#!/usr/bin/env python3
"""Writes pinview/_ffi/prototypes.py from include/pinview.json, the description of the C interface:
types, constants and the prototype of every function.

usage: generate_prototypes.py [--check] [FOLDER]

With --check nothing is written; the exit status is 1 when the committed file is not what the
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
TARGET = HERE / "pinview" / "_ffi" / "prototypes.py"

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

    def lines(self) -> list[str]:
        lines = [
            '"""The C interface as ctypes sees it. Generated from include/pinview.json by generate_prototypes.py; do not edit."""',
            "",
            "# fmt: off",
            "# ruff: noqa",
            "from __future__ import annotations",
            "",
            "from ctypes import CFUNCTYPE, POINTER, Structure, Union, c_bool, c_char_p, c_double, c_float, c_int, c_int8, c_int16, c_int32",
            "from ctypes import c_int64, c_size_t, c_ssize_t, c_uint8, c_uint16, c_uint32, c_uint64, c_void_p",
            "from typing import TYPE_CHECKING, Any, Callable",
            "",
            "# Constants",
            *[f"{each['name']} = {each['value']!r}" for each in self.description["constants"]],
            "",
            "# Structs and callbacks. A handle is a c_void_p: an int, or None for NULL.",
        ]
        for name in self.structs:
            # The classes come before their fields, which may point to any of them.
            lines += [f"class {name}({'Union' if self.types[name]['kind'] == 'union' else 'Structure'}):"]
            for each in self.types[name]["fields"]:
                lines.append(f"    {_python_name(each['name'])}: {self.python_type(self.ctype(each['type']), True)}")
            lines.append("")
        for each in self.description["types"]:
            if each["kind"] == "callback":
                lines += [f"{each['name']} = {self.prototype_type(each)}", ""]
            elif each["kind"] in ("struct", "union"):
                lines += [f"{each['name']}._fields_ = ["]
                lines += [f'    ("{_python_name(field["name"])}", {self.ctype(field["type"])}),' for field in each["fields"]]
                lines += ["]", ""]
        lines += [
            "HANDLES = (",
            *[f'    "{name}",' for name in self.handles],
            ")",
            "",
            "# name: result, parameters. As strings, because a program needs only a few of them; see prototype().",
            "FUNCTIONS: dict[str, str] = {",
        ]
        for function in self.description["functions"]:
            kinds = self.kinds(function)
            parameters = f"({', '.join(kinds)}{',' if len(kinds) == 1 else ''})"
            lines.append(f'    "{function["name"]}": "{self.ctype(function["result"])}, {parameters}",')
        lines += [
            "}",
            "",
            "",
            "def prototype(name: str) -> tuple[Any, tuple[Any, ...]]:",
            '    """The types of the result and of the parameters of a function."""',
            "    found: tuple[Any, tuple[Any, ...]] = eval(FUNCTIONS[name])",
            "    return found",
            "",
            "",
            "class Functions:",
            '    """Every function of the headers."""',
            "",
            "    if TYPE_CHECKING:",
        ]
        for function in self.description["functions"]:
            arguments = ", ".join(self.python_type(kind, False) for kind in self.kinds(function))
            result = self.python_type(self.ctype(function["result"]), True)
            lines.append(f"        {function['name']}: Callable[[{arguments}], {result}]")
        return lines


def _python_name(name: str) -> str:
    """The name of a field in Python; keywords such as `as` get an underscore appended."""
    return f"{name}_" if keyword.iskeyword(name) else name


def generated(folder: pathlib.Path = INCLUDE) -> str:
    """The text of pinview/_ffi/prototypes.py."""
    description = json.loads((folder / "pinview.json").read_text(encoding="utf-8"))
    return "\n".join(Prototypes(description).lines()) + "\n"


def main() -> int:
    folder, is_check = generated_file.arguments(__doc__, INCLUDE)
    return generated_file.write_or_check(TARGET, generated(folder), is_check, "pinview.json gives; run generate_prototypes.py")


if __name__ == "__main__":
    sys.exit(main())
