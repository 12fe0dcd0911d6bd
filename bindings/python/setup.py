"""Puts the shared library and the accelerator into the wheel. All other settings are in
pyproject.toml.
"""

import os
import pathlib
import shutil

from setuptools import Extension, setup
from setuptools.command.build_py import build_py

try:
    from setuptools.command.bdist_wheel import bdist_wheel
except ImportError:  # setuptools before 70.1
    from wheel.bdist_wheel import bdist_wheel

HERE = pathlib.Path(__file__).resolve().parent
LIBRARY = "libpinview.so.0"


def library() -> pathlib.Path:
    """The library that PINVIEW_LIBRARY names or, by default, that `make` has built in the
    checkout.
    """
    named = os.environ.get("PINVIEW_LIBRARY")
    path = pathlib.Path(named) if named else HERE.parents[1] / ".build" / "dist" / "lib" / LIBRARY
    if not path.is_file():
        raise SystemExit(f"{path} does not exist. Build it with `make`, or set PINVIEW_LIBRARY to another one")
    return path


def header_folder() -> str:
    """The folder of pinview_binding.h: beside the library, or in the checkout; empty for the
    system's.
    """
    folders = [library().resolve().parents[1] / "include", HERE.parents[1] / "include"]
    return next((str(each) for each in folders if (each / "pinview_binding.h").is_file()), "")


def accelerator() -> Extension:
    """The hot paths in C, for CPython 3.10 and newer. The package works without it if it cannot
    be built.
    """
    return Extension(
        "pinview._accelerator",
        sorted(str(path.relative_to(HERE)) for path in (HERE / "accelerator").glob("*.c")),
        include_dirs=[header_folder()],
        extra_compile_args=["-std=c11", "-O2", "-g0", "-fvisibility=hidden", "-Wall", "-Wextra"],
        py_limited_api=True,
        optional=True,
    )


class BuildWithLibrary(build_py):
    def run(self) -> None:
        super().run()
        target = pathlib.Path(self.build_lib, "pinview", LIBRARY)
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(library(), target)

    def get_outputs(self, include_bytecode: bool = True) -> list:
        return [*super().get_outputs(include_bytecode), str(pathlib.Path(self.build_lib, "pinview", LIBRARY))]


class AnyPythonOneMachine(bdist_wheel):
    """The library depends on the machine but on no version of Python. Interpreters that cannot use
    the accelerator ignore it.

    The tag is linux_…, not manylinux_…, because the library uses the system's libsqlite3, which
    manylinux does not guarantee.
    """

    def get_tag(self) -> tuple:
        return "py3", "none", super().get_tag()[2]


setup(ext_modules=[accelerator()], cmdclass={"build_py": BuildWithLibrary, "bdist_wheel": AnyPythonOneMachine})
