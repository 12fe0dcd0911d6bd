"""The accelerator and the Python implementation of the hot paths both implement the protocol
HotPaths.
"""

from __future__ import annotations

import inspect
import os
import pathlib
import shutil
import subprocess
import sys
from typing import Any

import pytest

import pinview
from pinview._ffi.implementation import accelerator, python_implementation
from pinview._objects.hot_paths import Accelerator, HotPaths

PACKAGE = pathlib.Path(pinview.__file__).resolve().parent
MEMBERS = {name for name in vars(HotPaths) if not name.startswith("_")}
CLASSES = sorted(name for name in MEMBERS if isinstance(python_implementation.get(name), type))


def test_thePythonImplementationHasEveryMemberOfTheProtocolAndNoOther() -> None:
    assert python_implementation.keys() == MEMBERS


def test_theAcceleratorHasEveryMemberOfTheProtocol() -> None:
    if accelerator is None:
        pytest.skip("needs the accelerator")
    own = {name for name in vars(Accelerator) if not name.startswith("_")}
    assert {name for name in MEMBERS | own if not hasattr(accelerator, name)} == set()
    for name, python in python_implementation.items():
        assert callable(getattr(accelerator, name)) == callable(python), name


@pytest.mark.parametrize("name", CLASSES)
def test_aClassOfTheAcceleratorHasTheMembersOfThePythonClass(name: str) -> None:
    if accelerator is None:
        pytest.skip("needs the accelerator")
    python, c = python_implementation[name], getattr(accelerator, name)
    assert isinstance(python, type)
    own: dict[str, Any] = {}
    for kind in python.__mro__:
        if kind.__module__.startswith("pinview"):
            own.update(vars(kind))
    # What only the Python class needs for itself.
    private = {"View": set(), "ViewOfOne": {"cache_version", "faults", "fired", "hierarchies", "note_read", "unknown"}}
    private["Places"] = {"_missed_version", "_misses", "cache_changes", "clock", "objects"}
    private["ContextBase"] = {"_cached_object", "_counter", "_epoch", "_number"}
    private["ObjectIDBase"] = {"_cached"}
    private["LookupsBase"] = {"_free", "_found"}
    expected = {each for each in own if not each.startswith("__")} - private.get(name, set())
    assert {each for each in expected if not hasattr(c, each)} == set()


def test_bothImplementationsMatchTheProtocolForATypeChecker(tmp_path: pathlib.Path) -> None:
    pytest.importorskip("mypy")
    sources = tmp_path / "sources"
    shutil.copytree(PACKAGE, sources / "pinview", ignore=shutil.ignore_patterns("*.so*", "__pycache__"))
    modules = {name: inspect.getmodule(python) for name, python in python_implementation.items()}
    modules["NEVER"] = inspect.getmodule(type(python_implementation["NEVER"]))
    modules["set_plainly"] = modules["View"]
    lines = [f"from {module.__name__} import {name} as {name}\n" for name, module in modules.items() if module is not None]
    assert len(lines) == len(MEMBERS)
    (sources / "gathered.py").write_text("".join(lines))
    (sources / "program.py").write_text("import gathered\nfrom pinview._objects.hot_paths import HotPaths\nboth: HotPaths = gathered\n")
    command = [sys.executable, "-m", "mypy", "--strict", "--cache-dir", str(sources / "cache"), "program.py"]
    result = subprocess.run(command, capture_output=True, text=True, cwd=sources, env={**os.environ, "MYPYPATH": str(sources)})
    assert result.returncode == 0, result.stdout
