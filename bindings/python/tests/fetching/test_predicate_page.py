"""Every example in the tables of docs/predicates.md finds, computes or fails as the page says
(FET-17 to FET-19).
"""

from __future__ import annotations

import ast
import datetime
import decimal
import pathlib
import re
from collections.abc import Iterator

import pytest

import pinview

PAGE = pathlib.Path(__file__).resolve().parents[4] / "docs" / "predicates.md"
pytestmark = pytest.mark.skipif(not PAGE.exists(), reason="the page is not beside the tests")


def tables() -> Iterator[tuple[list[str], list[str]]]:
    """The rows of all tables with their headings, without backquotes and escapes."""
    head: list[str] = []
    for line in PAGE.read_text(encoding="utf-8").splitlines() if PAGE.exists() else []:
        if not line.startswith("|"):
            head = []
            continue
        cells = [cell.strip().replace("\\|", "|") for cell in re.split(r"(?<!\\)\|", line)[1:-1]]
        cells = [cell[1:-1] if cell.startswith("`") and cell.endswith("`") else cell for cell in cells]
        if not head:
            head = cells
        elif not set(cells[0]) <= {"-"} or not cells[0]:
            yield head, cells


def rows(first: str) -> list[list[str]]:
    return [cells for head, cells in tables() if head[0] == first]


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> Iterator[pinview.Context]:
    text = PAGE.read_text(encoding="utf-8").split("```json\n")[1].split("```")[0]
    path = tmp_path_factory.mktemp("page") / "world.sqlite"
    with pinview.Model.from_json(text) as model, pinview.Coordinator(model) as coordinator, pinview.Context(coordinator) as context:
        coordinator.add_store(path)
        people: dict[str, pinview.ManagedObject] = {}
        reference = datetime.datetime(2001, 1, 1, tzinfo=datetime.timezone.utc)
        for entity, name, age, height, email, born, place, boss in rows("Person"):
            person = context.insert(entity, name=name, height=float(height), email=email or None, boss=people.get(boss))
            person["age"] = int(age) if age else None
            person["born"] = reference + datetime.timedelta(seconds=int(born)) if born else None
            person["in"] = place or None
            people[name] = person
        for _, brand, price, owner in rows("Car"):
            car = context.insert("Car", brand=brand, price=decimal.Decimal(price))
            people[owner].cars.append(car)
        context.save()
        people.clear()
        yield context


@pytest.fixture(autouse=True)
def no_handle_is_lost() -> Iterator[None]:
    """The fixture outlives each test, so its handles are not counted."""
    yield


def found(world: pinview.Context, predicate: pinview.Predicate) -> list[str]:
    people = world.fetch("Person", predicate, sort="name")
    names = [person.name for person in people]
    everybody = world.fetch("Person", sort="name")
    assert [person.name for person in predicate.filter(everybody)] == names
    assert pinview.Predicate(str(predicate)) == predicate
    return names


@pytest.mark.parametrize("cells", rows("Predicate"), ids=lambda cells: cells[0])
def test_example(world: pinview.Context, cells: list[str]) -> None:
    arguments = ast.literal_eval(f"[{cells[1]}]") if len(cells) == 3 else []
    assert found(world, pinview.Predicate(cells[0], arguments)) == [name for name in cells[-1].split(", ") if name]


@pytest.mark.parametrize("cells", rows("Expression"), ids=lambda cells: cells[0])
def test_computedValue(world: pinview.Context, cells: list[str]) -> None:
    assert found(world, pinview.Predicate(f'name == "Ada" AND {cells[0]} == {cells[1]}')) == ["Ada"]


@pytest.mark.parametrize("cells", rows("Refused"), ids=lambda cells: cells[0])
def test_rejected(world: pinview.Context, cells: list[str]) -> None:
    with pytest.raises((pinview.PredicateError, pinview.UnknownKeyError)) as raised:
        world.fetch("Person", pinview.Predicate(cells[0]))
    assert cells[1] in str(raised.value)


def test_thePageHasExamples() -> None:
    assert len(rows("Predicate")) > 100 and len(rows("Expression")) > 40 and len(rows("Refused")) > 15
