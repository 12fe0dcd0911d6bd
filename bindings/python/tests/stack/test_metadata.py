"""The metadata interface, models made of tables, and immutable stores with the commits of their
journals: MDL-04, MDL-06, MDL-08 and MDL-16.
"""

from __future__ import annotations

import datetime
import hashlib
import os
import pathlib
import shutil
import sqlite3
import subprocess
import sys

import pytest

import pinview

PEOPLE = pinview.Model([pinview.Entity("Person", attributes=[pinview.Attribute("name", "string")])])
WHEN = datetime.datetime(2024, 5, 6, 7, 8, 9, tzinfo=datetime.timezone.utc)


def add(coordinator: pinview.Coordinator, *names: str) -> None:
    with pinview.Context(coordinator) as context:
        for name in names:
            context.insert("Person", name=name)
        context.save()


def facts(folder: pathlib.Path) -> dict[str, tuple[str, int, int]]:
    """Hash and times of change of each file, and of the folder."""
    result = {}
    for path in [folder, *folder.iterdir()]:
        status = path.stat()
        content = path.read_bytes() if path.is_file() else b""
        result[path.name] = (hashlib.sha256(content).hexdigest(), status.st_mtime_ns, status.st_ctime_ns)
    return result


@pytest.fixture
def store_file(tmp_path: pathlib.Path) -> pathlib.Path:
    """A store with three commits in its journal, as a killed program leaves it."""
    coordinator = pinview.Coordinator(PEOPLE)
    source = tmp_path / "source"
    source.mkdir()
    coordinator.add_store(source / "people.sqlite")
    for name in ("Ada", "Alan", "Grace"):
        add(coordinator, name)
    folder = tmp_path / "copy"
    folder.mkdir()
    for suffix in ("", "-wal"):
        shutil.copy(source / f"people.sqlite{suffix}", folder / f"people.sqlite{suffix}")
    coordinator.close()
    return folder / "people.sqlite"


def test_metadata_of_an_open_store_are_read_and_set(tmp_path: pathlib.Path) -> None:
    coordinator = pinview.Coordinator(PEOPLE)
    store = coordinator.add_store(tmp_path / "people.sqlite")
    assert store.metadata["NSStoreType"] == "SQLite"
    assert len(store.metadata["NSStoreModelVersionHashes"]["Person"]) == 32
    entries = {"text": "ä", "number": 7, "when": WHEN, "data": b"\0\1", "list": [1, {"flag": True}], "real": 0.5}
    store.set_metadata(entries)
    assert {key: store.metadata[key] for key in entries} == entries
    store.set_metadata({"number": None, "text": "b"})
    assert "number" not in store.metadata
    assert store.metadata["text"] == "b"
    assert store.metadata["NSStoreType"] == "SQLite"
    for key in ("NSStoreModelVersionHashes", "NSStoreType", "PinviewModel", "_NSAutoVacuumLevel"):
        with pytest.raises(pinview.InvalidArgumentError, match=key):
            store.set_metadata({key: "mine"})
    with pytest.raises(pinview.WrongTypeError):
        store.set_metadata({"a": object()})


def test_metadata_of_a_file_need_no_model(tmp_path: pathlib.Path) -> None:
    path = tmp_path / "people.sqlite"
    coordinator = pinview.Coordinator(PEOPLE)
    coordinator.add_store(path)
    coordinator.close()
    pinview.Coordinator.set_metadata_of_store(path, {"mine": [1, 2]})
    before = facts(tmp_path)
    metadata = pinview.Coordinator.metadata_of_store(path)
    assert metadata["mine"] == [1, 2]
    assert metadata["NSStoreModelVersionHashesVersion"] == 3
    after = facts(tmp_path)
    assert after["people.sqlite"] == before["people.sqlite"]
    assert after.keys() == before.keys()
    with pytest.raises(pinview.StoreOpenError):
        pinview.Coordinator.metadata_of_store(tmp_path / "none.sqlite")
    with pytest.raises(pinview.StoreOpenError):
        pinview.Coordinator.set_metadata_of_store(tmp_path / "none.sqlite", {"a": 1})
    assert not (tmp_path / "none.sqlite").exists()


def test_an_immutable_store_leaves_no_trace(store_file: pathlib.Path) -> None:
    before = facts(store_file.parent)
    coordinator = pinview.Coordinator(PEOPLE)
    store = coordinator.add_store(store_file, immutable=True)
    assert store.is_immutable
    assert store.is_read_only
    with pinview.Context(coordinator) as context:
        assert sorted(person.name for person in context.fetch("Person")) == ["Ada", "Alan", "Grace"]
        context.insert("Person", name="x")
        with pytest.raises(pinview.Error):
            context.save()
    coordinator.close()
    assert facts(store_file.parent) == before


def test_every_commit_in_the_journal_can_be_pinned_and_compared(store_file: pathlib.Path) -> None:
    coordinator = pinview.Coordinator(PEOPLE)
    store = coordinator.add_store(store_file, immutable=True)
    commits = store.journal_commits
    assert [commit.number for commit in commits] == list(range(len(commits)))
    assert all(commit.is_readable for commit in commits)
    seen = []
    for commit in commits[-4:]:
        with pinview.Context(coordinator) as context:
            context.pin(coordinator.journal_commit_token(store, commit.number))
            seen.append(sorted(person.name for person in context.fetch("Person")))
    assert seen == [[], ["Ada"], ["Ada", "Alan"], ["Ada", "Alan", "Grace"]]
    first, last = (coordinator.journal_commit_token(store, commits[place].number) for place in (-3, -1))
    assert len(coordinator.difference(first, last)) == 2
    with pytest.raises(pinview.InvalidArgumentError, match="no commit 99"):
        coordinator.journal_commit_token(store, 99)


def test_other_stores_have_no_commits_to_list(tmp_path: pathlib.Path) -> None:
    coordinator = pinview.Coordinator(PEOPLE)
    store = coordinator.add_store(tmp_path / "people.sqlite")
    assert store.journal_commits == []
    with pytest.raises(pinview.InvalidArgumentError, match="immutable"):
        coordinator.journal_commit_token(store, 0)


def test_a_store_without_a_model_opens_from_its_tables(tmp_path: pathlib.Path) -> None:
    path = tmp_path / "people.sqlite"
    coordinator = pinview.Coordinator(PEOPLE)
    coordinator.add_store(path)
    add(coordinator, "Ada")
    coordinator.close()
    with sqlite3.connect(path) as connection:
        connection.execute("UPDATE Z_METADATA SET Z_PLIST = NULL")
    connection.close()
    for model in (pinview.Coordinator.model_of_tables(path), pinview.Coordinator.model_of_store(path)):
        coordinator = pinview.Coordinator(model)
        store = coordinator.add_store(path)
        assert store.is_read_only
        with pinview.Context(coordinator) as context:
            assert [person["name"] for person in context.fetch("Person")] == ["Ada"]
        coordinator.close()


def test_a_read_only_folder(store_file: pathlib.Path) -> None:
    """MDL-06: as a user who may not write there."""
    if os.geteuid() != 0:
        pytest.skip("only root can become somebody who may not write")
    folder = store_file.parent
    for parent in (folder, *folder.parents):
        if not parent.stat().st_mode & 0o001:
            if parent == folder or "pytest" in str(parent):
                parent.chmod(parent.stat().st_mode | 0o055)
            else:
                pytest.skip(f"{parent} is closed to others")
    before = facts(folder)
    program = (
        "import os, sys, json, pinview; from pinview import *; os.setgid(65534); os.setuid(65534)\n"
        "coordinator = pinview.Coordinator(pinview.Coordinator.model_of_store(sys.argv[1]))\n"
        "store = coordinator.add_store(sys.argv[1], read_only=True)\n"
        "print(store.is_immutable, pinview.Context(coordinator).count('Person'))\n"
    )
    done = subprocess.run([sys.executable, "-c", program, str(store_file)], capture_output=True, text=True, check=False)
    assert done.stdout.split() == ["True", "3"], done.stderr
    assert facts(folder) == before
