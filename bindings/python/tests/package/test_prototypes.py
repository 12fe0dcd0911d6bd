"""The generated prototypes, the use of all functions of the header, and type checking."""

from __future__ import annotations

import ctypes
import importlib.util
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys

import pytest

import pinview
from pinview._ffi import library, prototypes

SOURCES = pathlib.Path(__file__).resolve().parents[2]
PACKAGE = pathlib.Path(pinview.__file__).resolve().parent
CHECKOUT = SOURCES.parents[1]
INCLUDE = CHECKOUT / "include"
DESCRIPTION = json.loads((INCLUDE / "pinview.json").read_text(encoding="utf-8"))

# Functions of the header that the package does not call, and why.
NOT_CALLED = {
    **dict.fromkeys(
        [name for name in prototypes.FUNCTIONS if name.startswith("pinview_model_builder_")], "models are described as JSON: Model(…)"
    ),
    **dict.fromkeys(
        ["pinview_model_entity_named", "pinview_entity_property_index"],
        "Python reads the whole model once",
    ),
    **dict.fromkeys([name for name in prototypes.FUNCTIONS if "_weak" in name], "Python's weakref does it"),
    "pinview_store_metadata_value": "Store.metadata has all of them",
    "pinview_container_perform_background_task": "Container.perform_background_task runs tasks on threads of Python's own",
    **dict.fromkeys(
        [
            *("pinview_object_value", "pinview_object_value_at", "pinview_object_set_value", "pinview_object_set_value_at"),
            *("pinview_object_related_object", "pinview_object_related_object_at", "pinview_objects_related_object_at"),
            *("pinview_objects_values", "pinview_context_delete"),
            *("pinview_result_object", "pinview_result_objects", "pinview_result_object_id", "pinview_result_get_type"),
            *("pinview_context_object", "pinview_context_existing_object", "pinview_context_values", "pinview_context_delete_objects"),
            *("pinview_object_add_related_object", "pinview_object_remove_related_object", "pinview_object_contains_related_object"),
            "pinview_object_block_related_object",
        ],
        "the bulk functions, and those that take an index, do it",
    ),
    **dict.fromkeys(
        ["pinview_object_is_equal", "pinview_object_identity", "pinview_object_entity", "pinview_objects_release"],
        "one object of the library is one object of Python",
    ),
    "pinview_error_description": "errors become exceptions at once",
    **dict.fromkeys(["pinview_merge_retain", "pinview_merge_release"], "conflicts are resolved inside the callback"),
    **dict.fromkeys([each["name"] for each in DESCRIPTION["functions"] if each.get("inline")], "values are made in Python"),
    **dict.fromkeys(
        [each["name"] for each in DESCRIPTION["functions"] if each["section"] == "Short programs"],
        "made of other functions, for programs in C",
    ),
    "pinview_version_number": "pinview.library_version() gives it as text",
    "pinview_coordinator_journal_report_text": "each report has its text",
    "pinview_file_summary": "inspection.inspect() looks into files",
}


def test_prototypesAreWhatTheDescriptionGives(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(SOURCES)  # the generator adds a folder of its own, which is taken out again as well
    import generate_prototypes

    generated = generate_prototypes.generated(INCLUDE)
    for name, text in generated.items():
        assert (PACKAGE / "_ffi" / name).read_text(encoding="utf-8") == text
        assert (SOURCES / "pinview" / "_ffi" / name).read_text(encoding="utf-8") == text


def test_everyFunctionIsInTheLibrary() -> None:
    loaded = ctypes.CDLL(library.path)
    assert [name for name in prototypes.FUNCTIONS if not hasattr(loaded, name)] == []


def test_everyFunctionOfTheHeaderIsUsed() -> None:
    sources = "".join(file.read_text(encoding="utf-8") for file in PACKAGE.rglob("*.py") if file.name != "prototypes.py")
    used = set(re.findall(r"\bpinview_\w+", sources))
    used |= {name.replace("_release", "_retain") for name in used}  # which Managed derives by name
    unused = {name for name in prototypes.FUNCTIONS if name not in used}
    assert unused - NOT_CALLED.keys() == set()
    assert NOT_CALLED.keys() - unused == set(), "listed, but used"
    assert all(NOT_CALLED.values())


def test_everyPublicNameIsThere() -> None:
    assert len(set(pinview.__all__)) == len(pinview.__all__)
    for name in pinview.__all__:
        assert getattr(pinview, name).__doc__ or isinstance(getattr(pinview, name), (str, pinview.QueryGenerationToken)), name


def test_everyPublicMemberIsDocumented() -> None:
    undocumented = []
    for name in pinview.__all__:
        thing = getattr(pinview, name)
        if isinstance(thing, type) and thing.__module__.startswith("pinview") and not issubclass(thing, Exception):
            for member, value in vars(thing).items():
                if not member.startswith("_") and (callable(value) or isinstance(value, property)) and not getattr(value, "__doc__", None):
                    undocumented.append(f"{name}.{member}")
    assert undocumented == []


STRUCTS = [getattr(prototypes, name) for name, (base, _) in prototypes.STRUCTS.items() if base is ctypes.Structure]


def test_structsAreTheSameWhicheverIsMadeFirst() -> None:
    names = [*prototypes.STRUCTS, *prototypes.CALLBACKS]
    specification = importlib.util.find_spec("pinview._ffi.prototypes")
    assert specification is not None and specification.loader is not None
    for first in names:
        module = importlib.util.module_from_spec(specification)
        specification.loader.exec_module(module)
        getattr(module, first)
        for name in names:
            assert ctypes.sizeof(getattr(module, name)) == ctypes.sizeof(getattr(prototypes, name)), (first, name)
    assert not hasattr(prototypes, "pinview_missing")


@pytest.mark.parametrize("structure", STRUCTS)
def test_structsHaveTheSizeThatTheCompilerGives(structure: type[ctypes.Structure], tmp_path: pathlib.Path) -> None:
    compiler = shutil.which("cc")
    if compiler is None:
        pytest.skip("needs a C compiler")
    # Arrow's structs have a tag only.
    name = f"struct {structure.__name__}" if structure.__name__.startswith("Arrow") else structure.__name__
    proofs = [f"sizeof({name}) == {ctypes.sizeof(structure)}"]
    proofs += [f"offsetof({name}, {field[0].rstrip('_')}) == {getattr(structure, field[0]).offset}" for field in structure._fields_]
    source = "#include <stddef.h>\n#include <pinview_binding.h>\n" + "".join(f'_Static_assert({proof}, "layout");\n' for proof in proofs)
    result = subprocess.run(
        [compiler, "-std=c11", "-fsyntax-only", f"-I{INCLUDE}", "-x", "c", "-"], input=source, capture_output=True, text=True
    )
    assert result.returncode == 0, result.stderr


@pytest.fixture
def sources(tmp_path: pathlib.Path) -> pathlib.Path:
    """A folder with the sources of the package only, for mypy."""
    folder = tmp_path / "sources"
    shutil.copytree(PACKAGE, folder / "pinview", ignore=shutil.ignore_patterns("*.so*", "__pycache__"))
    return folder


def mypy(*arguments: str, sources: pathlib.Path) -> subprocess.CompletedProcess[str]:
    pytest.importorskip("mypy")
    command = [sys.executable, "-m", "mypy", "--strict", "--cache-dir", str(sources / "cache"), *arguments]
    return subprocess.run(command, capture_output=True, text=True, cwd=sources, env={**os.environ, "MYPYPATH": str(sources)})


def test_typesAreStrict(sources: pathlib.Path) -> None:
    result = mypy("pinview", sources=sources)
    assert result.returncode == 0, result.stdout


def test_aProgramIsTypeChecked(sources: pathlib.Path) -> None:
    (sources / "program.py").write_text(
        "import pinview\n"
        "def program(context: pinview.Context) -> None:\n"
        "    reveal_type(context.fetch('Person')[0])\n"
        "    reveal_type(context.fetch('Person')[0:2])\n"
        "    reveal_type(context.count('Person'))\n"
        "    reveal_type(context.query_generation)\n"
        "    reveal_type(context.perform_and_wait(lambda: 3))\n"
        "    context.pin(3)\n"
    )
    output = mypy("program.py", sources=sources).stdout
    revealed = [re.sub(r"\b\w+\.", "", kind) for kind in re.findall(r'Revealed type is "([^"]+)"', output)]
    assert revealed[:3] == ["ManagedObject", "list[ManagedObject]", "int"], output
    assert "QueryGenerationToken" in revealed[3] and "None" in revealed[3]
    assert "int" in revealed[4]
    assert 'program.py:8: error: Argument 1 to "pin"' in output
