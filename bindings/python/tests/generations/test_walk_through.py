"""The walk-through (EX-01 to EX-28): context A is pinned while B deletes a car and renames
everyone.
"""

from __future__ import annotations

import pathlib
import sqlite3
from collections.abc import Iterator

import pytest
from conftest import PERSONS

import pinview
from pinview import FetchRequest, MergePolicy


@pytest.fixture
def a(coordinator: pinview.Coordinator) -> Iterator[pinview.Context]:
    with pinview.Context(coordinator, name="A", merge_policy=MergePolicy.MERGE_BY_PROPERTY_OBJECT_TRUMP) as context:
        yield context


@pytest.fixture
def b(coordinator: pinview.Coordinator) -> Iterator[pinview.Context]:
    with pinview.Context(coordinator, name="B") as context:
        yield context


def named(name: str) -> FetchRequest:
    return FetchRequest("Person", predicate="name == %@", arguments=[name])


def delete_car_and_rename_everyone(b: pinview.Context) -> None:
    """Steps EX-07 to EX-09, in a block of B."""

    def work() -> None:
        dave0 = named("dave0").execute()[0]
        assert dave0.context is b
        assert len(dave0.cars) == 1
        for car in list(dave0.cars):
            b.delete(car)
        b.save()
        assert b.batch_update("Person", {"name": "DaveUpdate"}, result=pinview.BatchResult.COUNT) == PERSONS

    b.perform_and_wait(work)


def test_EX_01_to_EX_20_walkThrough(a: pinview.Context, b: pinview.Context, path: pathlib.Path) -> None:
    def block() -> None:
        assert a.query_generation is None  # EX-02

        a.set_query_generation(pinview.CURRENT)  # EX-03
        assert a.query_generation is not None

        found = named("dave0").execute()  # EX-04
        assert len(found) == 1
        dave0 = found[0]
        assert dave0.name == "dave0"
        assert [car.name for car in dave0.cars] == ["car0"]  # EX-05
        assert dave0.age == 20  # EX-06

        delete_car_and_rename_everyone(b)  # EX-07 to EX-09

        with sqlite3.connect(path) as reader:  # EX-10
            assert reader.execute("SELECT DISTINCT ZNAME FROM ZPERSON").fetchall() == [("DaveUpdate",)]
            assert reader.execute("SELECT count(*) FROM ZCAR WHERE ZNAME = 'car0'").fetchone() == (0,)
        reader.close()

        dave23_result = named("dave23").execute()  # EX-11
        assert len(dave23_result) == 1
        dave23 = dave23_result[0]
        assert dave23.name == "dave23"  # EX-12
        assert a.query_generation is not None  # EX-13

        again = named("dave0").execute()  # EX-14
        assert len(again) == 1
        assert again[0] is dave0
        assert [car.name for car in again[0].cars] == ["car0"]

        dave23.name = "NAME_23"  # EX-16
        assert a.has_changes

        a.save()  # EX-17
        assert a.query_generation is None
        assert dave23_result[0].name == "NAME_23"  # EX-18

        assert len(named("dave0").execute()) == 0  # EX-19
        assert [person.name for person in named("NAME_23").execute()] == ["NAME_23"]
        assert a.query_generation is not None
        assert dave0.name == "dave0"

        a.refresh_all()  # EX-20
        assert dave0.name == "DaveUpdate"
        assert len(dave0.cars) == 0
        a.pin()
        assert a.query_generation == pinview.CURRENT

    a.perform_and_wait(block)


def test_EX_15_relationshipFirstTouchedAfterTheDeletion(a: pinview.Context, b: pinview.Context) -> None:
    a.pin()
    dave0 = a.fetch(named("dave0"))[0]
    delete_car_and_rename_everyone(b)
    assert [car.name for car in dave0.cars] == ["car0"]


def test_EX_21_withoutThePinTheFetchFindsNothing(a: pinview.Context, b: pinview.Context) -> None:
    assert len(a.fetch(named("dave0"))[0].cars) == 1
    delete_car_and_rename_everyone(b)
    assert len(a.fetch(named("dave23"))) == 0


def test_EX_22_withoutThePinUnreadCarsAreGone(a: pinview.Context, b: pinview.Context) -> None:
    dave0 = a.fetch(named("dave0"))[0]
    delete_car_and_rename_everyone(b)
    assert len(dave0.cars) == 0


def test_EX_23_underTheErrorPolicyTheSaveIsAConflict(a: pinview.Context, b: pinview.Context) -> None:
    a.merge_policy = MergePolicy.ERROR
    a.pin()
    dave0 = a.fetch(named("dave0"))[0]
    assert len(dave0.cars) == 1
    delete_car_and_rename_everyone(b)
    dave23 = a.fetch(named("dave23"))[0]
    token = a.query_generation
    dave23.name = "NAME_23"

    with pytest.raises(pinview.ConflictError) as caught:
        a.save()

    assert [conflict.object_id for conflict in caught.value.conflicts] == [dave23.object_id]
    conflict = caught.value.conflicts[0]
    assert (conflict.base["name"], conflict.mine["name"]) == ("dave23", "NAME_23")
    assert conflict.theirs is not None and conflict.theirs["name"] == "DaveUpdate"
    assert a.query_generation == token
    assert a.has_changes
    assert dave23.name == "NAME_23"
    assert len(a.fetch(named("dave0"))) == 1


# A container and its view context, and quakes


def quake_model() -> pinview.Model:
    return pinview.Model(
        [pinview.Entity("Quake", attributes=[pinview.Attribute("magnitude", "double"), pinview.Attribute("code", "string")])]
    )


@pytest.fixture
def container(tmp_path: pathlib.Path) -> Iterator[pinview.Container]:
    with pinview.Container("Quakes", quake_model(), tmp_path / "quakes.sqlite") as container:
        container.load_stores()
        with container.new_background_context() as background:
            for number in range(25):
                background.insert("Quake", magnitude=number / 10, code=f"q{number:02}")
            background.save()
        yield container


def insert_quake(container: pinview.Container) -> None:
    with container.new_background_context() as background:
        background.insert("Quake", magnitude=9.0, code="new")
        background.save()


def test_EX_24_viewContextIsPinnedByItsFirstFetch(container: pinview.Container) -> None:
    view = container.view_context
    view.pin()
    assert view.count("Quake") == 25
    insert_quake(container)
    assert view.count("Quake") == 25
    view.unpin()
    assert view.query_generation is None
    assert view.count("Quake") == 26


def test_EX_25_viewContextIsAdvancedByPinningAgain(container: pinview.Container) -> None:
    view = container.view_context
    view.pin()
    assert len(view.fetch("Quake")) == 25
    insert_quake(container)
    view.pin()
    assert len(view.fetch("Quake")) == 26


def test_EX_26_batchedFetchLoadsPages(container: pinview.Container) -> None:
    with container.new_background_context() as context:
        quakes = context.fetch("Quake", sort=["code"], batch_size=10)
        assert len(quakes) == 25
        lines: list[str] = []
        with pinview.sql_log(lines.append):
            codes = [quake.code for quake in quakes]
        assert codes == [f"q{number:02}" for number in range(25)]
        assert len([line for line in lines if "SELECT" in line and "ZQUAKE" in line]) == 3


def test_EX_27_pinnedViewOutlivesTheDeletionOfAllQuakes(container: pinview.Container) -> None:
    view = container.view_context
    view.pin()
    assert view.count("Quake") == 25
    with container.new_background_context() as background:
        for quake in background.fetch("Quake"):
            background.delete(quake)
        background.save()
    quakes = view.fetch("Quake", sort=["code"], batch_size=10)
    assert [quake.code for quake in quakes] == [f"q{number:02}" for number in range(25)]
    with container.new_background_context() as unpinned:
        assert len(unpinned.fetch("Quake")) == 0


def test_EX_28_openingAStoreLogsTheJournalMode(tmp_path: pathlib.Path) -> None:
    lines: list[str] = []
    with pinview.sql_log(lines.append), pinview.Coordinator(quake_model()) as coordinator:
        coordinator.add_store(tmp_path / "quakes.sqlite")
    assert "CoreData: sql: pragma journal_mode=wal" in lines


def test_STO_03_readsAreLoggedWithTheirGeneration(tmp_path: pathlib.Path) -> None:
    lines: list[str] = []
    with pinview.Coordinator(quake_model()) as coordinator, pinview.Context(coordinator) as context:
        coordinator.add_store(tmp_path / "quakes.sqlite")
        context.pin()
        assert context.count("Quake") == 0
        (generation,) = coordinator.journal_report()[0].generations
        with pinview.sql_log(lines.append):
            # A different request, because the same one would be answered from the fetch cache.
            assert context.count("Quake", "code != 'q01'") == 0
    assert len(lines) == 1 and lines[0].endswith(f" -- quakes.sqlite, reader, generation {generation.ordinal}")
