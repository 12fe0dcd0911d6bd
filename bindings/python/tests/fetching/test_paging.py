"""Pages that fit together across requests (SNP-02)."""

from __future__ import annotations

import multiprocessing
import pathlib
import threading

import pytest
from conftest import PERSONS, fill
from declared import CLASSES
from declared import Person as DeclaredPerson

import pinview

BY_AGE = pinview.FetchRequest("Person", sort="age")


def names_of_all_pages(coordinator: pinview.Coordinator, request: pinview.FetchRequest, size: int, meanwhile: object = None) -> list[str]:
    """The names on all pages, each read by a context of its own. `meanwhile` is called after the
    first.
    """
    names: list[str] = []
    cursor = None
    while True:
        with pinview.Context(coordinator) as context:
            page = context.page(request, cursor, size=size)
            assert len(page) <= size
            names += [person.name for person in page]
        cursor = page.cursor
        if cursor is None:
            return names
        if callable(meanwhile):
            meanwhile, _ = None, meanwhile()


@pytest.mark.parametrize("size", [1, 5, PERSONS - 1, PERSONS, PERSONS + 1])
def test_SNP_02_pagesTogetherAreTheStateOfTheFirst(coordinator: pinview.Coordinator, size: int) -> None:
    def rewrite() -> None:
        """Moves everybody, and adds and removes some."""
        with pinview.Context(coordinator) as writer:
            for person in writer.fetch("Person"):
                person.age = -person.age
            writer.delete(writer.one("Person", "name == 'dave7'"))
            writer.insert("Person", name="new", age=30)
            writer.save()

    assert names_of_all_pages(coordinator, BY_AGE, size, rewrite) == [f"dave{number}" for number in range(PERSONS)]


def test_SNP_02_pagesOfEqualKeysLeaveOutNobody(empty: pinview.Coordinator) -> None:
    with pinview.Context(empty) as context:
        for number in range(100):
            context.insert("Person", name=f"p{number}", age=number % 3)
        context.save()
    names = names_of_all_pages(empty, BY_AGE, 7)
    assert len(names) == len(set(names)) == 100


def test_SNP_02_limitAndOffsetApplyToAllPagesTogether(coordinator: pinview.Coordinator) -> None:
    request = pinview.FetchRequest("Person", sort="age", limit=8, offset=2)
    assert names_of_all_pages(coordinator, request, 4) == [f"dave{number}" for number in range(2, 10)]


def test_SNP_02_pendingChangesDoNotMovePages(coordinator: pinview.Coordinator) -> None:
    with pinview.Context(coordinator) as context:
        context.insert("Person", name="pending", age=0)
        assert [person.name for person in context.page(BY_AGE, size=2)] == ["dave0", "dave1"]


def test_SNP_02_aPageOfADeclaredClass(tmp_path: pathlib.Path) -> None:
    with pinview.Coordinator(pinview.Model(CLASSES)) as coordinator:
        coordinator.add_store(tmp_path / "declared.sqlite")
        with pinview.Context(coordinator) as context:
            for name in "abc":
                context.insert(DeclaredPerson, name=name)
            context.save()
            page = context.page(DeclaredPerson, size=2, predicate=DeclaredPerson.name != "a", sort=DeclaredPerson.name)
            assert [person.name for person in page] == ["b", "c"] and page.cursor is None
            assert len(page) == 2 and page[0].name == "b"


def test_SNP_02_aCursorExpiresWithItsLease(coordinator: pinview.Coordinator) -> None:
    coordinator.page_leases.seconds = 0.05
    with pinview.Context(coordinator) as context:
        cursor = context.page(BY_AGE, size=5).cursor
        context.insert("Person", name="new")
        context.save()  # moves the context, so that only the lease is left
        waiting = threading.Event()
        while len(coordinator.page_leases) > 0:
            waiting.wait(0.01)
        with pytest.raises(pinview.CursorExpiredError, match="Start again at the first page"):
            context.page(BY_AGE, cursor, size=5)
        assert issubclass(pinview.CursorExpiredError, pinview.GenerationExpiredError)


def test_SNP_02_aPageRenewsTheLease(coordinator: pinview.Coordinator) -> None:
    with pinview.Context(coordinator) as context:
        cursor = context.page(BY_AGE, size=5).cursor
        assert cursor is not None
        (deadline, _), *_ = coordinator.page_leases._held.values()
        context.page(BY_AGE, cursor, size=5)
        (renewed, _), *others = coordinator.page_leases._held.values()
        assert renewed > deadline and others == []


def test_SNP_02_theCapReleasesWhatWouldExpireFirst(coordinator: pinview.Coordinator) -> None:
    coordinator.page_leases.limit = 2
    cursors = []
    with pinview.Context(coordinator) as context:
        for number in range(3):
            context.pin()
            cursors.append(context.page(BY_AGE, size=5).cursor)
            context.insert("Person", name=f"new{number}", age=100)
            context.save()
        assert len(coordinator.page_leases) == 2
        with pytest.raises(pinview.CursorExpiredError):
            context.page(BY_AGE, cursors[0], size=5)
        for cursor in cursors[1:]:
            assert [person.name for person in context.page(BY_AGE, cursor, size=1)] == ["dave5"]


def test_SNP_02_cursorsOfOneGenerationShareALease(coordinator: pinview.Coordinator) -> None:
    for _ in range(5):
        with pinview.Context(coordinator) as context:
            context.page(BY_AGE, size=5)
    assert len(coordinator.page_leases) == 1


def test_SNP_02_closingTheCoordinatorReleasesTheLeases(coordinator: pinview.Coordinator) -> None:
    with pinview.Context(coordinator) as context:
        context.page(BY_AGE, size=5)
    leases = coordinator.page_leases
    coordinator.close()
    assert len(leases) == 0
    with pytest.raises(pinview.InvalidHandleError):
        coordinator.page_leases  # noqa: B018


def test_SNP_02_aCursorOfAnotherRequestOrDamagedIsRefused(context: pinview.Context) -> None:
    cursor = context.page(BY_AGE, size=5).cursor
    assert cursor is not None
    with pytest.raises(pinview.InvalidArgumentError, match="another request"):
        context.page("Person", cursor, sort="-age")
    with pytest.raises(pinview.InvalidArgumentError, match="another request"):
        context.page("Person", cursor, sort="age", predicate="age > %@", arguments=[3])
    for damaged in (b"", b"PvC1", cursor[:-1], cursor + b"x", bytes([cursor[0] ^ 1]) + cursor[1:], cursor[:30] + b"!!" + cursor[32:]):
        with pytest.raises(pinview.InvalidArgumentError, match="not a cursor"):
            context.page(BY_AGE, damaged)
    with pytest.raises(pinview.InvalidArgumentError, match="at least 1"):
        context.page(BY_AGE, size=0)


def page_elsewhere(path: str, cursor: bytes, connection: object) -> None:
    """In another process: reads the rest, and holds the cursor while it waits."""
    with pinview.Coordinator(pinview.Coordinator.model_of_store(path)) as coordinator:
        coordinator.add_store(path)
        coordinator.page_leases.hold(cursor, seconds=600)
        with pinview.Context(coordinator) as context:
            names = [person.name for person in context.page(BY_AGE, cursor, size=PERSONS)]
        connection.send(names)  # type: ignore[attr-defined]
        connection.recv()  # type: ignore[attr-defined]


def test_SNP_02_anotherProcessReadsTheNextPageAndHoldsTheCursor(path: pathlib.Path, coordinator: pinview.Coordinator) -> None:
    with pinview.Context(coordinator) as context:
        cursor = context.page(BY_AGE, size=20).cursor
        context.insert("Person", name="new", age=21)
        context.save()
        ours, theirs = multiprocessing.get_context("spawn").Pipe()
        process = multiprocessing.get_context("spawn").Process(target=page_elsewhere, args=(str(path), cursor, theirs))
        process.start()
        try:
            assert ours.recv() == [f"dave{number}" for number in range(20, PERSONS)]
            coordinator.page_leases.release()  # from now on only the other process holds the generation
            assert [person.name for person in context.page(BY_AGE, cursor, size=2)] == ["dave20", "dave21"]
        finally:
            ours.send("done")
            process.join()


def test_SNP_02_manyReadersAtOnceGetTheirOwnStates(coordinator: pinview.Coordinator) -> None:
    """Threads that page while the store is rewritten: each sees one state on all its pages."""
    wrong: list[object] = []

    def read() -> None:
        for _ in range(5):
            with pinview.Context(coordinator) as context:
                page = context.page(BY_AGE, size=6)
                ages = [person.age for person in page]
            while page.cursor is not None:
                with pinview.Context(coordinator) as context:
                    page = context.page(BY_AGE, page.cursor, size=6)
                    ages += [person.age for person in page]
            if len(ages) != PERSONS or len({age - 20 - index for index, age in enumerate(ages)}) != 1:
                wrong.append(ages)

    threads = [threading.Thread(target=read) for _ in range(3)]
    for thread in threads:
        thread.start()
    with pinview.Context(coordinator) as writer:
        while any(thread.is_alive() for thread in threads):
            for person in writer.fetch("Person"):
                person.age += 1
            writer.save()
    assert wrong == []


def test_SNP_02_aLastPageHoldsNothing(empty: pinview.Coordinator) -> None:
    fill(empty, 3)
    with pinview.Context(empty) as context:
        page = context.page(BY_AGE, size=3)
    assert len(page) == 3 and page.cursor is None and len(empty.page_leases) == 0
