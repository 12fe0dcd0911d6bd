"""Pinview: relationships to many objects, and small saves."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Callable

import pinview
from cell import Cell, sum_of_ages, sum_of_walk, workloads_of
from pinview_stores import ask, ids_of, opened

# Relationships to many objects


def _walk_users(cell: Cell, name: str, prefetch: Sequence[str] = ()) -> None:
    kept: list[Any] = []
    with opened(cell.blog) as coordinator, pinview.Context(coordinator) as context:
        context.pin()
        context.count("Tag")
        with cell.timed(name, cell.parameter("users") * 31):
            total = sum_of_walk(context.fetch("User", prefetch=prefetch), kept)
        cell.checksum("walk", total)
        kept.clear()


def _walk(cell: Cell) -> None:
    _walk_users(cell, "lazy")


def _walk_prefetched(cell: Cell) -> None:
    _walk_users(cell, "prefetched", ("posts", "posts.comments"))


def _walk_tags(cell: Cell, name: str, prefetch: Sequence[str] = ()) -> None:
    total = 0
    kept: list[Any] = []
    count = cell.parameter("posts")
    with opened(cell.blog) as coordinator, pinview.Context(coordinator) as context:
        context.pin()
        context.count("Tag")
        with cell.timed(name, count * 4):
            for post in context.fetch("Post", limit=count, prefetch=prefetch):
                kept.append(post)
                for tag in post.tags:
                    kept.append(tag)
                    total += tag.weight
        cell.checksum("walk", total)
        del kept, post, tag


def _tags(cell: Cell) -> None:
    _walk_tags(cell, "lazy")


def _tags_prefetched(cell: Cell) -> None:
    _walk_tags(cell, "prefetched", ("tags",))


# Small saves


def _persons_in(context: pinview.Context) -> list[Any]:
    """The first persons, which have been read."""
    persons = list(context.fetch("Person", limit=1000))
    sum_of_ages(persons)
    return persons


def _save_often(cell: Cell, coordinator: pinview.Coordinator, undoes: bool = True, finish: Callable[[], object] = lambda: None) -> None:
    saves = cell.parameter("saves")
    with pinview.Context(coordinator) as context:
        if not undoes:
            context.set_undo_enabled(False)
        persons = _persons_in(context)
        with cell.timed("save", saves):
            for number in range(saves):
                persons[number % 1000].age += 1
                context.save()
            finish()
        del persons
    for name, column in (("save", "ZAGE"), ("versions", "Z_OPT")):
        cell.checksum(name, ask(cell.people, f"SELECT sum({column}) FROM ZPERSON")[0])


def _small_saves(cell: Cell) -> None:
    with opened(cell.people) as coordinator:
        _save_often(cell, coordinator)


def _small_saves_with_history(cell: Cell) -> None:
    with opened(cell.people, history_tracking=True) as coordinator:
        _save_often(cell, coordinator)


def _small_saves_without_undo(cell: Cell) -> None:
    with opened(cell.people) as coordinator:
        _save_often(cell, coordinator, undoes=False)


def _small_saves_beside(cell: Cell) -> None:
    with opened(cell.people) as coordinator:
        others = [pinview.Context(coordinator) for _ in range(cell.parameter("contexts"))]
        kept = []
        (key,) = ids_of(coordinator, "Person", [1])
        for context in others:
            context.pin()
            kept.append(context.existing_object(key))
            sum_of_ages(kept[-1:])
        _save_often(cell, coordinator)
        kept.clear()
        for context in others:
            context.close()


_small_saves_beside_few = _small_saves_beside_many = _small_saves_beside


def _small_saves_merging(cell: Cell) -> None:
    with opened(cell.people) as coordinator:
        others = [pinview.Context(coordinator) for _ in range(cell.parameter("contexts"))]
        kept = []
        for context in others:
            context.automatically_merges_changes_from_parent = True
            kept.append(_persons_in(context))
        # What a context has to do before is done when it runs a block.
        _save_often(cell, coordinator, finish=lambda: [context.perform_and_wait(lambda: None) for context in others])
        cell.checksum("merged", sum(map(sum_of_ages, kept)))
        kept.clear()
        for context in others:
            context.close()


WORKLOADS = workloads_of(globals())
