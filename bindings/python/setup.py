"""Puts the shared library into the wheel; everything else stands in pyproject.toml."""

import os
import pathlib
import shutil

from setuptools import Distribution, setup
from setuptools.command.build_py import build_py

try:
    from setuptools.command.bdist_wheel import bdist_wheel
except ImportError:  # setuptools before 70.1
    from wheel.bdist_wheel import bdist_wheel

HERE = pathlib.Path(__file__).resolve().parent
LIBRARY = "libpinview.so.0"


def library() -> pathlib.Path:
    """The library that PINVIEW_LIBRARY names, else the one that `make` has built in the checkout."""
    named = os.environ.get("PINVIEW_LIBRARY")
    path = pathlib.Path(named) if named else HERE.parents[1] / ".build" / "dist" / "lib" / LIBRARY
    if not path.is_file():
        raise SystemExit(f"{path} is not there; build it with `make`, or name another one in PINVIEW_LIBRARY")
    return path


class BuildWithLibrary(build_py):
    def run(self) -> None:
        super().run()
        target = pathlib.Path(self.build_lib, "pinview", LIBRARY)
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(library(), target)

    def get_outputs(self, include_bytecode: bool = True) -> list:
        return [*super().get_outputs(include_bytecode), str(pathlib.Path(self.build_lib, "pinview", LIBRARY))]


class AnyPythonOneMachine(bdist_wheel):
    """The library is bound to the machine's kind but to no version of Python.

    The tag is linux_…, not manylinux_…: the library uses the system's libsqlite3, which manylinux does not promise.
    """

    def get_tag(self) -> tuple:
        return "py3", "none", super().get_tag()[2]


class BinaryDistribution(Distribution):
    def has_ext_modules(self) -> bool:
        return True


setup(cmdclass={"build_py": BuildWithLibrary, "bdist_wheel": AnyPythonOneMachine}, distclass=BinaryDistribution)
