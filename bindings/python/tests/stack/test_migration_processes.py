"""Migrations while other processes use the store (MIG-04, MIG-05)."""

from __future__ import annotations

import pathlib
import subprocess
import sys
import threading

import pytest

import pinview

OLD = pinview.Model([pinview.Entity("Person", attributes=[pinview.Attribute("name", "string")])])
NEW = pinview.Model(
    [
        pinview.Entity(
            "Person", attributes=[pinview.Attribute("title", "string", renaming_identifier="name"), pinview.Attribute("age", "integer64")]
        )
    ]
)

READER = """
import sys, pinview
model = pinview.Model([pinview.Entity("Person", attributes=[pinview.Attribute("name", "string")])])
def tell(text):
    sys.stdout.write(text + "\\n"); sys.stdout.flush(); sys.stdin.readline()
coordinator = pinview.Coordinator(model)
coordinator.add_store(sys.argv[1])
pinned, other, writer = (pinview.Context(coordinator) for _ in range(3))
pinned.pin()
pinned.count("Person")
kept = writer.insert("Person", name="late")
tell("pinned")
tell(",".join(sorted(each.name for each in pinned.fetch("Person"))))
for work in (lambda: other.count("Person"), writer.save):
    try:
        work()
        tell("nothing")
    except pinview.StoreMigratedError as error:
        tell(type(error).__name__)
coordinator.remove_store(coordinator.stores[0])
again = pinview.Coordinator(pinview.Coordinator.model_of_store(sys.argv[1]))
again.add_store(sys.argv[1])
tell(",".join(sorted(each.title for each in pinview.Context(again).fetch("Person"))))
"""

# Holds the only lock that writers share.
WRITER = """
import sqlite3, sys
connection = sqlite3.connect(sys.argv[1], isolation_level=None)
connection.execute("BEGIN IMMEDIATE")
sys.stdout.write("writing\\n"); sys.stdout.flush(); sys.stdin.readline()
connection.execute("UPDATE ZPERSON SET ZNAME = 'eve' WHERE ZNAME = 'bob'")
connection.execute("COMMIT")
"""


class Other:
    """Another process, which waits after each line that it writes."""

    def __init__(self, program: str, path: str) -> None:
        self._process = subprocess.Popen([sys.executable, "-c", program, path], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def line(self) -> str:
        assert self._process.stdout is not None
        return self._process.stdout.readline().strip()

    def go_on(self) -> None:
        assert self._process.stdin is not None
        self._process.stdin.write("\n")
        self._process.stdin.flush()

    def next(self) -> str:
        self.go_on()
        return self.line()

    def end(self) -> None:
        self._process.communicate("\n")
        assert self._process.returncode == 0


@pytest.fixture
def store(tmp_path: pathlib.Path) -> str:
    path = str(tmp_path / "people.sqlite")
    with pinview.Coordinator(OLD) as coordinator:
        coordinator.add_store(path)
        with pinview.Context(coordinator) as context:
            for name in ("ada", "bob"):
                context.insert("Person", name=name)
            context.save()
    return path


def migrate(path: str, **options: float) -> list[str]:
    with pinview.Coordinator(NEW) as coordinator:
        coordinator.add_store(path, migrate=True, **options)  # type: ignore[arg-type]
        with pinview.Context(coordinator) as context:
            return sorted(each.title for each in context.fetch("Person"))


def test_another_process_goes_on_with_what_it_has_pinned_and_learns_of_the_rest_MIG_05(store: str) -> None:
    reader = Other(READER, store)
    assert reader.line() == "pinned"
    assert migrate(store) == ["ada", "bob"]
    assert reader.next() == "ada,bob"
    assert reader.next() == "StoreMigratedError"
    assert reader.next() == "StoreMigratedError"
    assert reader.next() == "ada,bob"
    reader.end()


def test_a_migration_waits_for_a_writer_or_leaves_the_store_MIG_04(store: str) -> None:
    writer = Other(WRITER, store)
    assert writer.line() == "writing"
    with pytest.raises(pinview.StoreBusyError):
        migrate(store, busy_timeout=0.1)
    found: list[list[str]] = []
    migration = threading.Thread(target=lambda: found.append(migrate(store, busy_timeout=60)))
    migration.start()
    writer.end()
    migration.join()
    assert found == [["ada", "eve"]]
