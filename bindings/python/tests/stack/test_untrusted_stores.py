"""Untrusted files: triggers in the schema, files that are not regular, invalid numbers
(docs/untrusted-stores.md).
"""

from __future__ import annotations

import os
import pathlib
import sqlite3

import pytest
from conftest import fill

import pinview


def closed_store(model: pinview.Model, path: pathlib.Path) -> None:
    with pinview.Coordinator(model) as coordinator:
        coordinator.add_store(path)
        fill(coordinator, 3)


def execute(path: pathlib.Path, sql: str) -> None:
    connection = sqlite3.connect(path)
    connection.executescript(sql)
    connection.close()


def test_trigger_isRejectedUnlessTheSchemaIsTrusted(model: pinview.Model, path: pathlib.Path) -> None:
    closed_store(model, path)
    execute(path, "CREATE TRIGGER spy AFTER UPDATE ON ZPERSON BEGIN UPDATE ZCAR SET ZNAME = 'stolen'; END")
    with pinview.Coordinator(model) as coordinator:
        with pytest.raises(pinview.StoreOpenError, match=r'trigger "spy" on the table ZPERSON.*trustedSchema'):
            coordinator.add_store(path)
        assert coordinator.stores == ()
        coordinator.add_store(path, trusted_schema=True)
        with pinview.Context(coordinator) as context:
            context.fetch("Person")[0]["age"] = 99
            context.save()
            assert {car["name"] for car in context.fetch("Car", refresh_refetched=True)} == {"stolen"}


def test_fifo_isRejectedByAllFunctions(model: pinview.Model, path: pathlib.Path) -> None:
    os.mkfifo(path)
    with pinview.Coordinator(model) as coordinator, pytest.raises(pinview.StoreOpenError, match="FIFO"):
        coordinator.add_store(path)
    with pytest.raises(pinview.StoreOpenError, match="FIFO"):
        pinview.Coordinator.model_of_store(path)
    with pytest.raises(pinview.InvalidArgumentError, match="FIFO"):
        pinview.Model.from_file(path)


def test_rejectedStore_isUnchanged(model: pinview.Model, path: pathlib.Path) -> None:
    closed_store(model, path)
    execute(path, "PRAGMA journal_mode=delete")
    before = path.read_bytes()
    other = pinview.Model([pinview.Entity("Other")])
    with other, pinview.Coordinator(other) as coordinator, pytest.raises(pinview.IncompatibleModelError):
        coordinator.add_store(path)
    assert path.read_bytes() == before


def test_damagedRow_namesTableAndKey(model: pinview.Model, path: pathlib.Path) -> None:
    closed_store(model, path)
    execute(path, "UPDATE ZPERSON SET Z_ENT = 99 WHERE ZNAME = 'dave1'")
    with pinview.Coordinator(model) as coordinator:
        coordinator.add_store(path)
        with pinview.Context(coordinator) as context:
            with pytest.raises(pinview.Error, match=r"row \d+ of ZPERSON has 99 in Z_ENT") as raised:
                list(context.fetch("Person"))
            assert (raised.value.code, raised.value.sqlite_code) == (134180, 11)
            assert [person["name"] for person in context.fetch("Person", "name != %@", ["dave1"], sort="name")] == ["dave0", "dave2"]
