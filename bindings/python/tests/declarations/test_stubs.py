"""`python -m pinview stubs` writes declared classes for a model (issue 19, point 6)."""

from __future__ import annotations

import datetime
import decimal
import pathlib
import subprocess
import sys
import uuid
from typing import Any

import pytest
from declared import CLASSES

import pinview
from pinview import Attribute, Entity, Index, Relationship
from pinview.__main__ import main


def described() -> pinview.Model:
    """A model with something of everything that a class can declare."""
    moment = datetime.datetime(2020, 1, 2, 3, 4, 5, 250000, tzinfo=datetime.timezone.utc)
    attributes = [
        Attribute("text", "string", optional=False, default="a'b", minimum_length=1, maximum_length=9, regular_expression="[a-z']+"),
        Attribute("small", "integer16", default=3, minimum_value=1, maximum_value=5, renaming_identifier="tiny"),
        Attribute("real", "double", default=0.5),
        Attribute("single", "float"),
        Attribute("sure", "boolean", default=False),
        Attribute("moment", "date", default=moment),
        Attribute("price", "decimal", default=decimal.Decimal("1.25")),
        Attribute("key", "uuid", default=uuid.UUID(int=5)),
        Attribute("data", "binaryData", default=b"\0a", allows_external_binary_data_storage=True),
        Attribute("link", "uri", user_info={"a": "b"}),
        Attribute("seen", "boolean", transient=True),
        Attribute("look", "transformable", value_transformer="Looks", optional=False),
        Attribute("style", "transformable", value_transformer="Looks", allows_external_binary_data_storage=True),
        Attribute("raw", "transformable"),
    ]
    return pinview.Model(
        [
            Entity("Base", abstract=True, attributes=[Attribute("code", "string", optional=False)], uniqueness_constraints=[["code"]]),
            Entity(
                "Thing",
                parent="Base",
                attributes=attributes,
                relationships=[
                    Relationship("owner", "Owner", inverse="things", optional=False),
                    Relationship("next", "Thing"),
                    Relationship("parts", "Thing", to_many=True, ordered=True, maximum_count=3),
                ],
                indexes=[Index("by_text_small", ["text", "-small"])],
            ),
            Entity("Owner", relationships=[Relationship("things", "Thing", inverse="owner", to_many=True, delete_rule="cascade")]),
        ]
    )


def classes_of(text: str) -> list[Any]:
    names: dict[str, Any] = {"__name__": "stubs_of_a_test"}
    exec(compile(text, "stubs.py", "exec", dont_inherit=True), names)
    return [each for each in names.values() if isinstance(each, type) and issubclass(each, pinview.ManagedObject)]


@pytest.mark.parametrize("make", [described, lambda: pinview.Model(CLASSES)])
def test_theClassesMakeTheSameModel(tmp_path: pathlib.Path, make: Any, capsys: pytest.CaptureFixture[str]) -> None:
    with make() as model:
        (tmp_path / "model.json").write_text(model.to_json())
        assert main(["stubs", str(tmp_path / "model.json")]) == 0
        text = capsys.readouterr().out
        with pinview.Model(classes_of(text)) as made:
            assert made == model, text
        model.bind(*classes_of(text))


def test_theClassesPassATypeChecker(tmp_path: pathlib.Path) -> None:
    pytest.importorskip("mypy")
    with described() as model:
        (tmp_path / "model.json").write_text(model.to_json())
    assert main(["stubs", str(tmp_path / "model.json"), "--output", str(tmp_path / "classes.py")]) == 0
    package = str(pathlib.Path(pinview.__file__).resolve().parent.parent)
    command = [sys.executable, "-m", "mypy", "--strict", "classes.py"]
    result = subprocess.run(
        command, capture_output=True, text=True, cwd=tmp_path, env={"MYPYPATH": package, "PATH": "/usr/bin:/bin"}, check=False
    )
    assert result.returncode == 0, result.stdout


def test_theModelOfAStoreIsTaken(tmp_path: pathlib.Path, capsys: pytest.CaptureFixture[str]) -> None:
    with described() as model, pinview.Coordinator(model) as coordinator:
        coordinator.add_store(tmp_path / "things.sqlite")
    assert main(["stubs", str(tmp_path / "things.sqlite")]) == 0
    assert "class Thing(Base" in capsys.readouterr().out


def test_namesThatPythonCannotSpellAreLeftOut(tmp_path: pathlib.Path, capsys: pytest.CaptureFixture[str]) -> None:
    attributes = [Attribute("class", "string"), Attribute("values", "string"), Attribute("fine", "string")]
    with pinview.Model([Entity("Odd", attributes=attributes)]) as model:
        (tmp_path / "model.json").write_text(model.to_json())
    assert main(["stubs", str(tmp_path / "model.json")]) == 0
    text = capsys.readouterr().out
    assert "# class: not an attribute in Python; use object['class']" in text and "# values: " in text
    (odd,) = (each for each in classes_of(text) if each is not pinview.Object)
    assert odd._declaration.fields.keys() == {"fine"}


def test_aMissingFileIsToldInOneLine(tmp_path: pathlib.Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["stubs", str(tmp_path / "none.json")]) == 1
    assert capsys.readouterr().err.startswith("pinview: [Errno 2]")
