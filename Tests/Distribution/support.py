"""What the proofs about the finished library share: where it is, and how to run a tool on it."""

import os
import pathlib
import shutil
import subprocess
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
BUILD = (ROOT / os.environ.get("BUILD", ".build")).resolve()
DIST = BUILD / "dist"
HEADER = ROOT / "include" / "pinview.h"
# What only language bindings call; it includes the other one.
BINDING_HEADER = ROOT / "include" / "pinview_binding.h"
LIBRARY = (DIST / "lib" / "libpinview.so").resolve()


def run(*command, check=True, cwd=None, env=None, timeout=600):
    """Runs a command; a failure shows what it printed."""
    environment = None if env is None else {**os.environ, **env}
    result = subprocess.run(
        [str(part) for part in command],
        cwd=cwd or ROOT,
        env=environment,
        timeout=timeout,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        errors="backslashreplace",  # readelf prints bytes of checksums
        check=False,
    )
    if check and result.returncode != 0:
        raise AssertionError(f"{' '.join(map(str, command))} ended with {result.returncode}:\n{result.stdout}")
    return result


def clang():
    """The compiler that comes with Swift, else the system's."""
    swift = shutil.which("swift")
    beside_swift = pathlib.Path(swift).resolve().parent / "clang" if swift else None
    return str(beside_swift) if beside_swift and beside_swift.exists() else shutil.which("clang")


class TemporaryFolderTestCase(unittest.TestCase):
    """Gives each test a folder of its own."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="pinview-test-")
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
