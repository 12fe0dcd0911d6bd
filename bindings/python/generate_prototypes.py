#!/usr/bin/env python3
"""Writes pinview/_ffi/prototypes.py from include/pinview.h and include/pinview_binding.h: types,
constants and the prototype of every function.

usage: generate_prototypes.py [--check] [FOLDER]

With --check nothing is written; the exit status is 1 when the committed file is not what the
headers in FOLDER give. Needs a C preprocessor (cc) and pycparser; the package itself needs neither.
"""

from __future__ import annotations

import argparse
import ast
import keyword
import pathlib
import re
import subprocess
import sys
import tempfile

from pycparser import c_ast, c_parser

HERE = pathlib.Path(__file__).resolve().parent
INCLUDE = HERE.parents[1] / "include"
HEADERS = ("pinview.h", "pinview_binding.h")  # the last one includes the others
TARGET = HERE / "pinview" / "_ffi" / "prototypes.py"

# Declarations of the C library that the headers use, so that no system header has to be parsed.
STAND_INS = {
    "stdint.h": "".join(f"typedef {kind}int{bits}_t_ {kind}int{bits}_t;\n" for kind in ("", "u") for bits in (8, 16, 32, 64))
    + "typedef intptr_t_ intptr_t;\ntypedef uintptr_t_ uintptr_t;\n",
    "stddef.h": "typedef size_t_ size_t;\n#define NULL 0\n",
    "stdbool.h": "#define bool _Bool\n",
    "string.h": "",
    "builtin.h": "".join(f"typedef int {name}_;\n" for name in ("size_t", "intptr_t", "uintptr_t"))
    + "".join(f"typedef int {kind}int{bits}_t_;\n" for kind in ("", "u") for bits in (8, 16, 32, 64)),
}

SCALARS = {
    "char": "c_char",
    "int": "c_int",
    "double": "c_double",
    "float": "c_float",
    "_Bool": "c_bool",
    "size_t": "c_size_t",
    "intptr_t": "c_ssize_t",
    "uintptr_t": "c_size_t",
    **{f"{kind}int{bits}_t": f"c_{kind}int{bits}" for kind in ("", "u") for bits in (8, 16, 32, 64)},
}
PYTHON_TYPES = {"c_double": "float", "c_float": "float", "c_bool": "bool", "c_char_p": "bytes | None", "c_void_p": "int | None"}


class Headers:
    """The declarations of the headers, in order."""

    def __init__(self, folder: pathlib.Path) -> None:
        self.text = "\n".join((folder / name).read_text(encoding="utf-8") for name in HEADERS)
        self.typedefs: dict[str, c_ast.Node] = {}
        self.structs: dict[str, c_ast.Struct | c_ast.Union] = {}
        self.handles: list[str] = []
        self.aliases: dict[str, str] = {}
        self.callbacks: dict[str, c_ast.FuncDecl] = {}
        self.functions: dict[str, c_ast.FuncDecl] = {}
        self.constants: dict[str, object] = {}
        self.order: list[tuple[str, str]] = []
        self._read_declarations(folder / HEADERS[-1])
        self._read_macros()

    def _read_declarations(self, path: pathlib.Path) -> None:
        with tempfile.TemporaryDirectory() as folder:
            for name, text in STAND_INS.items():
                (pathlib.Path(folder) / name).write_text(text, encoding="utf-8")
            command = ["cc", "-E", "-P", "-std=c99", "-nostdinc", f"-I{folder}", "-D__attribute__(x)=", "-include", "builtin.h", str(path)]
            source = subprocess.run(command, check=True, capture_output=True, text=True).stdout
        for node in c_parser.CParser().parse(source).ext:
            if isinstance(node, c_ast.Typedef):
                self._read_typedef(node)
            elif isinstance(node, c_ast.Decl) and isinstance(node.type, c_ast.FuncDecl):
                if "static" not in node.storage:
                    self.functions[node.name] = node.type
            elif isinstance(node, c_ast.Decl) and isinstance(node.type, (c_ast.Struct, c_ast.Union)):
                self._read_aggregate(node.type, node.type.name)
            elif isinstance(node, c_ast.Decl) and isinstance(node.type, c_ast.Enum):
                self._read_enumeration(node.type)
        defined = set(self.structs)
        self.handles = [name for name in self.handles if name not in defined]

    def _read_typedef(self, node: c_ast.Typedef) -> None:
        if node.name in SCALARS or node.name.endswith("_t_"):
            return
        kind = node.type
        if isinstance(kind, c_ast.PtrDecl) and isinstance(kind.type, c_ast.FuncDecl):
            self.callbacks[node.name] = kind.type
            self.order.append(("callback", node.name))
        elif isinstance(kind, c_ast.TypeDecl) and isinstance(kind.type, (c_ast.Struct, c_ast.Union)):
            if kind.type.decls is not None:
                self._read_aggregate(kind.type, node.name)
            elif node.name not in self.structs:
                self.handles.append(node.name)
        elif isinstance(kind, c_ast.TypeDecl) and isinstance(kind.type, c_ast.Enum):
            self._read_enumeration(kind.type)
            self.aliases[node.name] = "c_int"
        elif isinstance(kind, c_ast.TypeDecl) and isinstance(kind.type, c_ast.IdentifierType):
            self.aliases[node.name] = self.scalar(kind.type)
        else:
            raise SystemExit(f"{node.name}: unsupported kind of typedef")

    def _read_aggregate(self, node: c_ast.Struct | c_ast.Union, name: str) -> None:
        if node.decls is None:
            return
        # Named unions inside structs become types of their own, before the struct.
        for field in node.decls:
            inner = field.type.type if isinstance(field.type, c_ast.TypeDecl) else field.type
            if isinstance(inner, (c_ast.Struct, c_ast.Union)) and inner.decls is not None:
                inner.name = inner.name or f"{name}_{field.name}"
                self._read_aggregate(inner, inner.name)
        self.structs[name] = node
        self.order.append(("struct", name))

    def _read_enumeration(self, node: c_ast.Enum) -> None:
        following = 0
        for entry in node.values.enumerators if node.values else []:
            if entry.value is not None:
                following = self._constant(entry.value)
            self.constants[entry.name] = following
            following += 1

    def _constant(self, node: c_ast.Node) -> int:
        if isinstance(node, c_ast.Constant):
            return int(node.value.rstrip("uUlL"), 0)
        if isinstance(node, c_ast.UnaryOp) and node.op == "-":
            return -self._constant(node.expr)
        if isinstance(node, c_ast.ID) and isinstance(self.constants.get(node.name), int):
            return int(str(self.constants[node.name]))
        if isinstance(node, c_ast.BinaryOp) and node.op in ("<<", "|", "+"):
            left, right = self._constant(node.left), self._constant(node.right)
            return {"<<": left << right, "|": left | right, "+": left + right}[node.op]
        raise SystemExit(f"unsupported form of constant: {node}")

    def _read_macros(self) -> None:
        """Reads macros that are literals, literals with a cast, or other such macros."""
        joined = self.text.replace("\\\n", " ")
        for name, value in re.findall(r"^[ \t]*#[ \t]*define[ \t]+(PINVIEW_\w+)[ \t]+(.+?)[ \t]*$", joined, re.MULTILINE):
            value = re.sub(r"/\*.*?\*/|//.*", "", value).strip()
            while value.startswith("(") and value.endswith(")") and _is_one_group(value):
                value = value[1:-1].strip()
            value = re.sub(r"^\(\s*\w+\s*\)\s*", "", value)
            while value.startswith("(") and value.endswith(")") and _is_one_group(value):
                value = value[1:-1].strip()
            if value in self.constants:
                self.constants[name] = self.constants[value]
            elif literal := re.fullmatch(r"U?INT(?:32|64)_C\((-?\d+)\)", value):
                self.constants[name] = int(literal[1])
            elif value == "INT64_MAX":
                self.constants[name] = 2**63 - 1
            elif re.fullmatch(r"-?(0[xX][0-9a-fA-F]+|\d+)[uUlL]*", value):
                self.constants[name] = int(value.rstrip("uUlL"), 0)
            elif re.fullmatch(r"-?\d+\.\d*([eE][-+]?\d+)?", value):
                self.constants[name] = float(value)
            elif re.fullmatch(r'("([^"\\]|\\.)*"\s*)+', value):
                self.constants[name] = ast.literal_eval(f"({value})")

    # C types as ctypes expressions

    def scalar(self, node: c_ast.IdentifierType) -> str:
        name = " ".join(node.names)
        if name in SCALARS:
            return SCALARS[name]
        if name in self.aliases:
            return self.aliases[name]
        raise SystemExit(f"{name}: unknown type")

    def ctype(self, node: c_ast.Node) -> str:
        if isinstance(node, c_ast.TypeDecl):
            return self.ctype(node.type)
        if isinstance(node, (c_ast.Struct, c_ast.Union)):
            return str(node.name)
        if isinstance(node, c_ast.IdentifierType):
            name = " ".join(node.names)
            return name if name in self.structs or name in self.callbacks else self.scalar(node)
        if isinstance(node, c_ast.ArrayDecl):
            if node.dim is None:
                return f"POINTER({self.ctype(node.type)})"
            return f"{self.ctype(node.type)} * {self._constant(node.dim)}"
        if isinstance(node, c_ast.PtrDecl):
            return self._pointer(node)
        raise SystemExit(f"unknown type: {node}")

    def _pointer(self, node: c_ast.PtrDecl) -> str:
        target = node.type
        if isinstance(target, c_ast.FuncDecl):
            return self.prototype_type(target)
        if isinstance(target, c_ast.TypeDecl):
            constant = "const" in (target.quals or [])
            inner = target.type
            name = " ".join(inner.names) if isinstance(inner, c_ast.IdentifierType) else inner.name
            if name == "void" or name in self.handles or (name not in self.structs and isinstance(inner, c_ast.Struct)):
                return "c_void_p"
            if name == "char" or (name == "uint8_t" and constant):
                return "c_char_p"
        return f"POINTER({self.ctype(target)})"

    def parameters(self, function: c_ast.FuncDecl) -> list[tuple[str, str]]:
        parameters = []
        for parameter in function.args.params if function.args else []:
            if isinstance(parameter, c_ast.EllipsisParam):
                raise SystemExit("variadic functions are not supported")
            if _is_void(parameter.type):
                continue
            parameters.append((parameter.name or f"argument{len(parameters)}", self.ctype(parameter.type)))
        return parameters

    def result(self, function: c_ast.FuncDecl) -> str:
        return "None" if _is_void(function.type) else self.ctype(function.type)

    def prototype_type(self, function: c_ast.FuncDecl) -> str:
        return f"CFUNCTYPE({', '.join([self.result(function)] + [kind for _, kind in self.parameters(function)])})"

    # Output

    def python_type(self, ctype: str, is_result: bool) -> str:
        if ctype == "None":
            return "None"
        if ctype in PYTHON_TYPES:
            return PYTHON_TYPES[ctype]
        if ctype in self.structs and is_result:
            return ctype
        if ctype.startswith(("POINTER", "CFUNCTYPE")) or "*" in ctype or ctype in self.structs or ctype in self.callbacks:
            return "Any"
        return "int"

    def field_type(self, field: c_ast.Decl) -> str:
        ctype = self.ctype(field.type)
        return ctype if ctype in self.structs else self.python_type(ctype, True)

    def lines(self) -> list[str]:
        lines = [
            '"""The C interface as ctypes sees it. Generated from the headers in include/ by generate_prototypes.py; do not edit."""',
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
            *[f"{name} = {value!r}" for name, value in self.constants.items()],
            "",
            "# Structs and callbacks. A handle is a c_void_p: an int, or None for NULL.",
        ]
        structs = [name for kind, name in self.order if kind == "struct"]
        for name in structs:
            # The classes come before their fields, which may point to any of them.
            node = self.structs[name]
            lines += [f"class {name}({'Union' if isinstance(node, c_ast.Union) else 'Structure'}):"]
            lines += [f"    {_python_name(field.name)}: {self.field_type(field)}" for field in node.decls] + [""]
        for kind, name in self.order:
            if kind == "callback":
                lines += [f"{name} = {self.prototype_type(self.callbacks[name])}", ""]
                continue
            lines += [f"{name}._fields_ = ["]
            lines += [f'    ("{_python_name(field.name)}", {self.ctype(field.type)}),' for field in self.structs[name].decls]
            lines += ["]", ""]
        lines += [
            "HANDLES = (",
            *[f'    "{name}",' for name in self.handles],
            ")",
            "",
            "# name: result, parameters. As strings, because a program needs only a few of them; see prototype().",
            "FUNCTIONS: dict[str, str] = {",
        ]
        for name, function in self.functions.items():
            kinds = [kind for _, kind in self.parameters(function)]
            lines.append(f'    "{name}": "{self.result(function)}, ({", ".join(kinds)}{"," if len(kinds) == 1 else ""})",')
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
        for name, function in self.functions.items():
            arguments = ", ".join(self.python_type(kind, False) for _, kind in self.parameters(function))
            lines.append(f"        {name}: Callable[[{arguments}], {self.python_type(self.result(function), True)}]")
        return lines


def _python_name(name: str) -> str:
    """The name of a field in Python; keywords such as `as` get an underscore appended."""
    return f"{name}_" if keyword.iskeyword(name) else name


def _is_void(node: c_ast.Node) -> bool:
    return isinstance(node, c_ast.TypeDecl) and isinstance(node.type, c_ast.IdentifierType) and node.type.names == ["void"]


def _is_one_group(text: str) -> bool:
    """Whether the first parenthesis is closed by the last one."""
    depth = 0
    for position, character in enumerate(text):
        depth += {"(": 1, ")": -1}.get(character, 0)
        if depth == 0:
            return position == len(text) - 1
    return False


def generated(folder: pathlib.Path = INCLUDE) -> str:
    """The text of pinview/_ffi/prototypes.py."""
    return "\n".join(Headers(folder).lines()) + "\n"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true", help="only check whether the file is up to date")
    parser.add_argument("folder", nargs="?", type=pathlib.Path, default=INCLUDE)
    arguments = parser.parse_args()
    text = generated(arguments.folder)
    if arguments.check:
        if not TARGET.exists() or TARGET.read_text(encoding="utf-8") != text:
            print(f"{TARGET.name} is not what the headers give; run generate_prototypes.py", file=sys.stderr)
            return 1
        return 0
    TARGET.write_text(text, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
