"""Query generations (QG) as Python programs see them."""

from __future__ import annotations

import multiprocessing
import os
import pathlib
import sqlite3

import pytest
from conftest import PERSONS, person_model

import pinview


def rename(context: pinview.Context, old: str, new: str) -> None:
    """A commit by another context."""
    context.fetch("Person", predicate="name == %@", arguments=[old], refresh_refetched=True)[0].name = new
    context.save()


def names(context: pinview.Context, **request: object) -> set[str]:
    return set(context.values("Person", ["name"], **request).column("name"))  # type: ignore[arg-type]


def checkpoint_result(path: pathlib.Path) -> tuple[int, int]:
    """The result of a TRUNCATE checkpoint of another connection (busy), and the size of the journal
    afterwards.
    """
    connection = sqlite3.connect(path, timeout=0)
    try:
        busy = connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()[0]
        return busy, os.path.getsize(f"{path}-wal")
    finally:
        connection.close()


def test_ONE_09_afterASaveAPinnedContextTakesItsGenerationAtTheNextRead(context: pinview.Context) -> None:
    assert context.query_generation_state is pinview.QueryGenerationState.UNPINNED
    context.pin()
    rename(context, "dave1", "changed")
    assert context.query_generation is None
    assert context.query_generation_state is pinview.QueryGenerationState.PINNED_AT_NEXT_READ
    context.count("Person")
    assert context.query_generation_state is pinview.QueryGenerationState.PINNED


def test_QG_01_pinnedContextKeepsItsGeneration(context: pinview.Context, other: pinview.Context) -> None:
    context.pin()
    assert context.count("Person") == PERSONS
    rename(other, "dave1", "changed")
    assert "changed" not in names(context)
    assert context.fetch("Person", predicate="name == 'dave1'")[0].name == "dave1"


def _insert_in_another_process(path: str) -> None:
    with pinview.Coordinator(person_model()) as coordinator:
        coordinator.add_store(path)
        with pinview.Context(coordinator) as context:
            context.insert("Person", name="from another process")
            context.save()


def test_QG_02_commitsOfAnotherCoordinatorAndProcessAreInvisible(context: pinview.Context, path: pathlib.Path) -> None:
    context.pin()
    assert context.count("Person") == PERSONS
    with pinview.Coordinator(person_model()) as second:
        second.add_store(path)
        with pinview.Context(second) as elsewhere:
            elsewhere.insert("Person", name="from another coordinator")
            elsewhere.save()
    process = multiprocessing.get_context("spawn").Process(target=_insert_in_another_process, args=(str(path),))
    process.start()
    process.join()
    assert process.exitcode == 0
    assert context.count("Person") == PERSONS
    context.unpin()
    assert context.count("Person") == PERSONS + 2


def test_QG_03_newContextIsUnpinned(context: pinview.Context) -> None:
    assert context.query_generation is None


def test_QG_04_unpinnedContextSeesEachCommit(context: pinview.Context, other: pinview.Context) -> None:
    for number in range(3):
        rename(other, f"dave{number}", f"changed{number}")
        assert f"changed{number}" in names(context)


def test_QG_05_QG_12_tokenIsCurrentUntilTheFirstRead(context: pinview.Context) -> None:
    context.pin()
    assert context.query_generation == pinview.CURRENT
    context.count("Person")
    token = context.query_generation
    assert token is not None and token != pinview.CURRENT and not token.is_current


def test_QG_06_pinIsLazy(context: pinview.Context, other: pinview.Context) -> None:
    context.pin()
    rename(other, "dave1", "before the first read")
    assert "before the first read" in names(context)
    rename(other, "dave2", "after it")
    assert "after it" not in names(context)


def test_QG_07_firingAFaultFixesTheGeneration(context: pinview.Context, other: pinview.Context) -> None:
    dave0 = context.fetch("Person", predicate="name == 'dave0'")[0]
    context.refresh(dave0, merge_changes=False)
    context.pin()
    assert dave0.name == "dave0"
    rename(other, "dave1", "later")
    assert "later" not in names(context)


def test_QG_08_otherCallsDoNotFixTheGeneration(context: pinview.Context) -> None:
    dave0 = context.fetch("Person", predicate="name == 'dave0'")[0]
    assert dave0.name == "dave0"
    context.pin()
    context.object(dave0.object_id)
    context.registered_object(dave0.object_id)
    repr(dave0)
    assert (dave0.is_fault, dave0.has_changes, context.has_changes) == (False, False, False)
    assert dave0.name == "dave0"
    assert context.query_generation == pinview.CURRENT


def test_QG_09_QG_10_alignedContextsReadOneGeneration(
    context: pinview.Context, other: pinview.Context, coordinator: pinview.Coordinator
) -> None:
    context.pin()
    context.count("Person")
    rename(other, "dave1", "newer")
    with pinview.Context(coordinator) as aligned:
        aligned.pin(context.query_generation)
        assert aligned.query_generation == context.query_generation
        assert hash(aligned.query_generation) == hash(context.query_generation)
        assert "newer" not in names(aligned)
    with pinview.Context(coordinator) as newest:
        newest.pin()
        assert "newer" in names(newest)
        assert newest.query_generation != context.query_generation


def test_QG_11_tokenIsOpaque(context: pinview.Context) -> None:
    context.pin()
    context.count("Person")
    token = context.query_generation
    assert token is not None
    copy = pinview.QueryGenerationToken.from_bytes(bytes(token))
    assert copy == token
    assert {token: "found"}[copy] == "found"
    assert str(token)
    assert pinview.QueryGenerationToken.from_bytes(bytes(pinview.CURRENT)) == pinview.CURRENT
    with pytest.raises(pinview.InvalidArgumentError):
        pinview.QueryGenerationToken.from_bytes(b"no token")


def test_QG_13_unpin(context: pinview.Context, other: pinview.Context) -> None:
    context.pin()
    context.count("Person")
    rename(other, "dave1", "newer")
    context.unpin()
    assert context.query_generation is None
    assert "newer" in names(context)


def test_QG_14_advance(context: pinview.Context, other: pinview.Context) -> None:
    context.pin()
    context.count("Person")
    rename(other, "dave1", "first")
    context.pin()
    rename(other, "dave2", "second")
    assert {"first", "second"} <= names(context)
    rename(other, "dave3", "third")
    assert "third" not in names(context)


def test_QG_15_toAnOlderGeneration(context: pinview.Context, other: pinview.Context, coordinator: pinview.Coordinator) -> None:
    with pinview.Context(coordinator) as keeper:
        keeper.pin()
        keeper.count("Person")
        rename(other, "dave1", "newer")
        context.pin()
        assert "newer" in names(context)
        context.pin(keeper.query_generation)
        assert "newer" not in names(context)


def test_QG_16_QG_17_advancingLeavesObjectsUntilTheyAreRefreshed(context: pinview.Context, other: pinview.Context) -> None:
    context.pin()
    dave1 = context.fetch("Person", predicate="name == 'dave1'")[0]
    assert dave1.name == "dave1"
    rename(other, "dave1", "newer")
    context.pin()
    assert dave1.name == "dave1"
    context.refresh_all()
    assert dave1.name == "newer"


def test_QG_18_QG_19_fetchAfterAdvancing(context: pinview.Context, other: pinview.Context) -> None:
    context.pin()
    realised = context.fetch("Person", predicate="name == 'dave1'")[0]
    assert realised.name == "dave1"
    other.insert("Person", name="inserted", age=99)
    other.delete(other.fetch("Person", predicate="name == 'dave2'")[0])
    rename(other, "dave1", "renamed")
    context.pin()
    found = context.fetch("Person", predicate="name IN %@", arguments=[["inserted", "dave2", "renamed"]], sort=["age"])
    assert next(iter(found)) is realised
    assert [person.name for person in found] == ["dave1", "inserted"]
    found = context.fetch("Person", predicate="name == 'renamed'", refresh_refetched=True)
    assert found[0].name == "renamed"


def test_QG_20_QG_21_QG_25_saveMovesAPinnedContext(context: pinview.Context, other: pinview.Context) -> None:
    context.pin()
    dave0 = context.fetch("Person", predicate="name == 'dave0'")[0]
    rename(other, "dave1", "newer")
    dave0.age = 77
    context.save()
    assert context.query_generation is None
    assert "newer" in names(context)
    assert context.query_generation is not None
    rename(other, "dave2", "later")
    assert "later" not in names(context)
    dave0.age = 78
    context.save()
    context.pin()
    assert context.query_generation == pinview.CURRENT


def test_QG_22_mergingMovesAPinnedContext(context: pinview.Context, other: pinview.Context) -> None:
    context.pin()
    dave1 = context.fetch("Person", predicate="name == 'dave1'")[0]
    assert dave1.name == "dave1"
    with pinview.observe(pinview.DID_SAVE, lambda notification: context.merge_changes(notification), context=other):
        rename(other, "dave1", "merged")
    assert context.query_generation is None
    assert dave1.name == "merged"
    assert context.query_generation is not None


def test_QG_23_resetMovesAPinnedContext(context: pinview.Context, other: pinview.Context) -> None:
    context.pin()
    context.count("Person")
    rename(other, "dave1", "newer")
    context.reset()
    assert context.query_generation is None
    assert "newer" in names(context)
    assert context.query_generation is not None


def test_QG_24_unpinnedContextStaysUnpinned(context: pinview.Context, other: pinview.Context) -> None:
    context.fetch("Person", predicate="name == 'dave0'")[0].age = 5
    context.save()
    context.reset()
    context.count("Person")
    assert context.query_generation is None
    rename(other, "dave1", "newer")
    assert "newer" in names(context)


def test_QG_26_QG_57_whatDoesNotMoveAPinnedContext(context: pinview.Context, other: pinview.Context) -> None:
    context.pin()
    dave1 = context.fetch("Person", predicate="name == 'dave1'")[0]
    token = context.query_generation
    rename(other, "dave1", "newer")
    context.save()
    assert context.query_generation == token
    dave1.name = "conflicting"
    with pytest.raises(pinview.ConflictError):
        context.save()
    assert context.query_generation == token
    context.rollback()
    assert context.query_generation == token
    assert dave1.name == "dave1"
    assert "newer" not in names(context)


def test_QG_27_QG_28_QG_29_QG_31_childrenReadThroughTheirParents(context: pinview.Context, other: pinview.Context) -> None:
    context.pin()
    context.count("Person")
    rename(other, "dave1", "newer")
    context.insert("Person", name="pending")
    with pinview.Context(parent=context) as child, pinview.Context(parent=child) as grandchild:
        assert child.query_generation is None
        for descendant in (child, grandchild):
            assert "pending" in {person.name for person in descendant.fetch("Person")}
            assert "newer" not in {person.name for person in descendant.fetch("Person")}


def test_QG_30_pinningAChildIsAnError(context: pinview.Context) -> None:
    with pinview.Context(parent=context) as child:
        with pytest.raises(pinview.NestedPinError):
            child.pin()
        with pytest.raises(pinview.NestedPinError):
            child.unpin()


def test_QG_38_QG_39_QG_42_theJournalIsHeldAsLongAsThePin(context: pinview.Context, other: pinview.Context, path: pathlib.Path) -> None:
    context.pin()
    assert checkpoint_result(path)[0] == 0
    context.count("Person")
    rename(other, "dave1", "newer")
    assert checkpoint_result(path)[0] == 1
    assert "newer" not in names(context)
    context.unpin()
    assert checkpoint_result(path) == (0, 0)


def test_QG_39_closingTheContextReleasesTheGeneration(other: pinview.Context, coordinator: pinview.Coordinator, path: pathlib.Path) -> None:
    with pinview.Context(coordinator) as pinned:
        pinned.pin()
        pinned.count("Person")
        rename(other, "dave1", "newer")
        assert checkpoint_result(path)[0] == 1
    assert checkpoint_result(path) == (0, 0)


def test_QG_40_QG_41_generationLivesWithItsContexts(
    context: pinview.Context, other: pinview.Context, coordinator: pinview.Coordinator
) -> None:
    with pinview.Context(coordinator) as second:
        context.pin()
        context.count("Person")
        token = context.query_generation
        second.pin(token)
        rename(other, "dave1", "newer")
        context.unpin()
        assert "newer" not in names(second)
    with pytest.raises(pinview.GenerationExpiredError):
        context.pin(token)
    assert context.query_generation is None


def test_QG_43_tokenOfAnotherCoordinator(context: pinview.Context, path: pathlib.Path) -> None:
    context.pin()
    context.count("Person")
    with pinview.Coordinator(person_model()) as second:
        second.add_store(path)
        with pinview.Context(second) as foreign, pytest.raises(pinview.ForeignTokenError):
            foreign.pin(context.query_generation)


def test_QG_44_storesWithoutGenerationsReadUnpinned(model: pinview.Model) -> None:
    with pinview.Coordinator(model) as coordinator:
        store = coordinator.add_store()
        assert not store.supports_query_generations
        with pinview.Context(coordinator) as context, pinview.Context(coordinator) as other:
            context.pin()
            assert context.query_generation == pinview.CURRENT
            assert context.count("Person") == 0
            assert context.query_generation is None
            other.insert("Person", name="new")
            other.save()
            assert context.count("Person") == 1


def test_QG_46_saveOfAPinnedContextKeepsWhatOthersWrote(context: pinview.Context, other: pinview.Context, path: pathlib.Path) -> None:
    context.merge_policy = pinview.MergePolicy.MERGE_BY_PROPERTY_OBJECT_TRUMP
    context.pin()
    dave1 = context.fetch("Person", predicate="name == 'dave1'")[0]
    rename(other, "dave1", "newer")
    dave1.age = 99
    context.save()
    reader = sqlite3.connect(path)
    assert reader.execute("SELECT ZAGE FROM ZPERSON WHERE ZNAME = 'newer'").fetchall() == [(99,)]
    reader.close()


def test_QG_47_batchUpdateDoesNotMoveThePin(context: pinview.Context) -> None:
    context.pin()
    context.count("Person")
    token = context.query_generation
    assert context.batch_update("Person", {"name": "batch"}, result=pinview.BatchResult.COUNT) == PERSONS
    assert context.query_generation == token
    assert "batch" not in names(context)


def test_QG_48_faultsOfDeletedRowsFire(context: pinview.Context, other: pinview.Context) -> None:
    context.pin()
    people = context.fetch("Person", sort=["age"])
    for model_object in list(other.fetch("Person")) + list(other.fetch("Car")):
        other.delete(model_object)
    other.save()
    assert [person.name for person in people] == [f"dave{number}" for number in range(PERSONS)]
    assert [car.name for car in people[3].cars] == ["car3"]


def test_QG_49_predicateAndCountAreOfTheGeneration(context: pinview.Context, other: pinview.Context) -> None:
    context.pin()
    context.count("Person")
    rename(other, "dave1", "newer")
    assert context.count("Person", predicate="name == 'dave1'") == 1
    assert context.count("Person", predicate="name == 'newer'") == 0


def test_QG_50_QG_52_pendingChangesStayOnTop(context: pinview.Context) -> None:
    context.pin()
    context.insert("Person", name="mine")
    assert context.count("Person", predicate="name == 'mine'") == 1
    context.pin()
    assert context.has_changes
    assert context.count("Person") == PERSONS + 1


def test_QG_51_refreshReadsTheSameGeneration(context: pinview.Context, other: pinview.Context) -> None:
    context.pin()
    dave1 = context.fetch("Person", predicate="name == 'dave1'")[0]
    rename(other, "dave1", "newer")
    context.refresh(dave1, merge_changes=True)
    assert dave1.name == "dave1"
    context.refresh_all()
    assert dave1.name == "dave1"


def test_QG_53_pinsBlockNoWriter(other: pinview.Context, coordinator: pinview.Coordinator) -> None:
    pinned = [pinview.Context(coordinator) for _ in range(8)]
    try:
        for number, context in enumerate(pinned):
            context.pin()
            assert context.count("Person", predicate="name BEGINSWITH 'changed'") == number
            rename(other, f"dave{number}", f"changed{number}")
    finally:
        for context in pinned:
            context.close()


def test_QG_54_isolationSurvivesAutomaticCheckpoints(context: pinview.Context, other: pinview.Context) -> None:
    context.pin()
    assert context.count("Person") == PERSONS
    for _ in range(5):
        for _ in range(400):
            other.insert("Person", name="x" * 4000)
        other.save()
    assert context.count("Person") == PERSONS
    assert context.count("Person", predicate="age == 21") == 1


def test_QG_55_thirtyTwoGenerations(other: pinview.Context, coordinator: pinview.Coordinator) -> None:
    pinned = [pinview.Context(coordinator) for _ in range(32)]
    try:
        for number, context in enumerate(pinned):
            context.pin()
            assert context.count("Person") == PERSONS + number
            other.insert("Person", name="one more")
            other.save()
        assert [context.count("Person") for context in pinned] == [PERSONS + number for number in range(32)]
        assert len({context.query_generation for context in pinned}) == 32
    finally:
        for context in pinned:
            context.close()


def test_QG_56_currentNeedsNoContext(context: pinview.Context) -> None:
    assert pinview.CURRENT == pinview.QueryGenerationToken.current()
    context.pin()
    context.count("Person")
    assert context.query_generation != pinview.CURRENT


def test_pinnedUnpinsAtTheEnd(context: pinview.Context, other: pinview.Context) -> None:
    with context.pinned() as pinned:
        assert pinned is context
        context.count("Person")
        rename(other, "dave1", "newer")
        assert "newer" not in names(context)
    assert context.query_generation is None
    assert "newer" in names(context)
