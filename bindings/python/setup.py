"""Puts the shared library and the accelerator into the wheel. All other settings are in
pyproject.toml.
"""

import functools
import os
import pathlib
import re
import shutil
import subprocess
import sysconfig

from setuptools import Extension, setup
from setuptools.command.build_ext import build_ext
from setuptools.command.build_py import build_py
from setuptools.command.sdist import sdist

try:
    from setuptools.command.bdist_wheel import bdist_wheel
except ImportError:  # setuptools before 70.1
    from wheel.bdist_wheel import bdist_wheel

HERE = pathlib.Path(__file__).resolve().parent
LIBRARY = "libpinview.so.0"
SQLITE = "libsqlite3.so.0"
# The library's source in a source distribution.
NATIVE = "native"


def source() -> "pathlib.Path | None":
    """Where the source of the library is: in the checkout around this folder, or in a source
    distribution.
    """
    return next((each for each in (HERE / NATIVE, HERE.parents[1]) if (each / "Package.swift").is_file()), None)


@functools.cache
def library() -> pathlib.Path:
    """The library that PINVIEW_LIBRARY names or, by default, that `make` builds in the checkout for
    the wheel.
    """
    if named := os.environ.get("PINVIEW_LIBRARY"):
        if not os.path.isfile(named):
            raise SystemExit(f"{named} does not exist. Correct PINVIEW_LIBRARY, or unset it to build the library")
        return pathlib.Path(named)
    checkout = source()
    if not checkout:
        raise SystemExit(
            "libpinview is not here, and neither is its source. Install the wheel, run pip in the folder bindings/python of a "
            "checkout, or set PINVIEW_LIBRARY to a libpinview.so.0"
        )
    subprocess.run(["make", "--no-print-directory", "wheel-library"], cwd=checkout, check=True)
    return checkout / os.environ.get("BUILD", ".build") / "dist" / "wheel" / LIBRARY


def sqlite() -> "pathlib.Path | None":
    """A copy of SQLite for machines that have none: the one that PINVIEW_SQLITE names or, by
    default, this machine's.
    """
    if named := os.environ.get("PINVIEW_SQLITE"):
        return pathlib.Path(named)
    folders = [sysconfig.get_config_var("MULTIARCH") or "", "", "."]
    places = [pathlib.Path(root, folder, SQLITE) for folder in folders for root in ("/usr/lib", "/lib", "/usr/lib64")]
    return next((each.resolve() for each in places if each.is_file()), None)


def glibc(path: pathlib.Path) -> int:
    """The minor version of glibc 2 that a shared object needs. The names of the versions stand in
    its table of strings.
    """
    content = path.read_bytes()
    # Packed relocations are understood since 2.36.
    versions = [36] if b"GLIBC_ABI_DT_RELR\0" in content else [17]
    return max(versions + [int(minor) for minor in re.findall(rb"\0GLIBC_2\.(\d+)(?:\.\d+)?(?=\0)", content)])


def header_folder() -> str:
    """The folder of pinview_binding.h: beside the library, or in the checkout; empty for the
    system's.
    """
    folders = [library().resolve().parents[1] / "include", HERE / NATIVE / "include", HERE.parents[1] / "include"]
    return next((str(each) for each in folders if (each / "pinview_binding.h").is_file()), "")


def accelerator() -> Extension:
    """The hot paths in C, for CPython 3.10 and newer. The package works without it if it cannot
    be built.
    """
    return Extension(
        "pinview._accelerator",
        sorted(str(path.relative_to(HERE)) for path in (HERE / "accelerator").glob("*.c")),
        extra_compile_args=["-std=c11", "-O2", "-g0", "-fvisibility=hidden", "-Wall", "-Wextra"],
        py_limited_api=True,
        optional=True,
    )


class BuildWithLibrary(build_py):
    def run(self) -> None:
        super().run()
        for source, target in self.libraries().items():
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(source, target)

    def libraries(self) -> dict:
        """Where the libraries come from and go to."""
        package = pathlib.Path(self.build_lib, "pinview")
        found = {library(): package / LIBRARY}
        if copy := sqlite():
            found[copy] = package / "_sqlite" / SQLITE
        return found

    def get_outputs(self, include_bytecode: bool = True) -> list:
        return [*super().get_outputs(include_bytecode), *map(str, self.libraries().values())]


class BuildWithHeader(build_ext):
    """Looks for the header when it is needed: a source distribution is made without a library."""

    def build_extensions(self) -> None:
        # Some interpreters have options for libraries of their own machine.
        self.compiler.linker_so = [each for each in self.compiler.linker_so if not each.startswith("-Wl,-rpath")]
        super().build_extensions()

    def build_extension(self, ext: Extension) -> None:
        ext.include_dirs.append(header_folder())
        super().build_extension(ext)


class WithNativeSource(sdist):
    """Adds what `make wheel-library` needs, so that it can be built where Swift is."""

    def make_release_tree(self, base_dir: str, files: list) -> None:
        super().make_release_tree(base_dir, files)
        checkout, target = source(), pathlib.Path(base_dir, NATIVE)
        if not checkout:
            raise SystemExit("The source of libpinview is not here; make source distributions in a checkout")
        for name in ("Sources", "include", "Distribution", "scripts"):
            shutil.copytree(checkout / name, target / name, symlinks=True, ignore=shutil.ignore_patterns("__pycache__"))
        shutil.copy(checkout / "Makefile", target)
        # Without the targets of tests and benchmarks, and the product that the benchmarks use.
        manifest = (checkout / "Package.swift").read_text(encoding="utf-8")
        manifest = re.sub(r"\n        // For the package in Benchmarks only\.\n.*", "", manifest)
        kept, mark, _ = manifest.partition("        // From here on for tests and benchmarks only")
        if not mark:
            raise SystemExit("Package.swift does not say where the targets of tests and benchmarks begin")
        (target / "Package.swift").write_text(kept + "    ]\n)\n", encoding="utf-8")


class AnyPythonOneMachine(bdist_wheel):
    """The library depends on the machine but on no version of Python. Interpreters that cannot use
    the accelerator ignore it.

    The tag names the oldest glibc that has all that the shared objects in the wheel need. The
    system's libsqlite3, which manylinux does not guarantee, is used where it is, else the copy.
    """

    def get_tag(self) -> tuple:
        objects = [each for each in pathlib.Path(self.bdist_dir).rglob("*.so*") if each.is_file()]
        minor = max(map(glibc, objects or [library()]))
        machine = super().get_tag()[2].removeprefix("linux_")
        return "py3", "none", f"manylinux_2_{minor}_{machine}"


setup(
    ext_modules=[accelerator()],
    cmdclass={
        "build_py": BuildWithLibrary,
        "build_ext": BuildWithHeader,
        "bdist_wheel": AnyPythonOneMachine,
        "sdist": WithNativeSource,
    },
)
