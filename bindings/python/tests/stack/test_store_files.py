"""Other programs delete, move, replace or overwrite the files of a store: issue 15, points 7 and
9.
"""

from __future__ import annotations

import os
import pathlib

import pytest
from conftest import fill, person_model

import pinview


def cold(path: pathlib.Path) -> pinview.Coordinator:
    """A coordinator that has read its newest generation, but not all pages of the file."""
    with person_model() as model:
        with pinview.Coordinator(model) as coordinator:
            coordinator.add_store(path)
            fill(coordinator, 600)
        coordinator = pinview.Coordinator(model)
    coordinator.add_store(path)
    with pinview.Context(coordinator) as context:
        assert context.count("Person", "name == 'dave7'") == 1
    return coordinator


def touch(path: pathlib.Path) -> None:
    os.utime(path, (2e9, 2e9))


def test_anUnpinnedReadSucceedsWhenTheFileIsTouched(path: pathlib.Path) -> None:
    with cold(path) as coordinator, pinview.Context(coordinator) as context:
        touch(path)
        assert len([car["name"] for car in context.fetch("Car")]) == 600


def test_aPinnedReadReportsALostGeneration(path: pathlib.Path) -> None:
    with cold(path) as coordinator, pinview.Context(coordinator) as context:
        context.pin()
        assert context.count("Person", "name == 'dave7'") == 1
        touch(path)
        with pytest.raises(pinview.GenerationLostError, match="without SQLite"):
            list(context.fetch("Car"))
        with pinview.Context(coordinator) as unpinned:
            assert len(list(unpinned.fetch("Car"))) == 600


@pytest.mark.parametrize("suffix", ["", "-wal", "-shm"])
def test_aSaveToADeletedFileFailsAndItsChangesArePending(coordinator: pinview.Coordinator, path: pathlib.Path, suffix: str) -> None:
    file, away = pathlib.Path(f"{path}{suffix}"), path.with_name("away")
    with pinview.Context(coordinator) as context:
        person = context.insert("Person", name="new", age=1)
        file.rename(away)
        with pytest.raises(pinview.Error, match="deleted or moved away"):
            context.save()
        assert context.has_changes
        assert person["name"] == "new"
        away.rename(file)
        context.save()
        assert not context.has_changes


def test_aSaveToAReplacedFileFails(coordinator: pinview.Coordinator, path: pathlib.Path) -> None:
    with pinview.Context(coordinator) as context:
        context.insert("Person", name="new", age=1)
        other = path.with_name("other")
        other.write_bytes(path.read_bytes())
        other.rename(path)
        with pytest.raises(pinview.Error, match="replaced"):
            context.save()
        assert context.has_changes
