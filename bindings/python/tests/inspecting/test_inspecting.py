"""MDL-05: `python -m pinview inspect`, `query`, `export` and `export-store`, and functions."""

from __future__ import annotations

import contextlib
import csv
import datetime
import hashlib
import importlib.util
import io
import json
import os
import pathlib
import pty
import signal
import sqlite3
import subprocess
import sys
import uuid
import xml.dom.minidom
from collections.abc import Iterator
from decimal import Decimal

import pytest

import pinview
from pinview import Attribute, Entity, Relationship, inspection


def zoo_model() -> pinview.Model:
    """An abstract entity with sub-entities, all kinds of values, and all kinds of relationships."""
    return pinview.Model(
        [
            Entity("Being", abstract=True, attributes=[Attribute("name", "string", optional=False)]),
            Entity(
                "Animal",
                parent="Being",
                attributes=[
                    Attribute("legs", "integer16"),
                    Attribute("born", "date"),
                    Attribute("photo", "binaryData"),
                    Attribute("weight", "double"),
                    Attribute("price", "decimal"),
                    Attribute("tag", "uuid"),
                    Attribute("wild", "boolean"),
                    Attribute("mood", "string", transient=True),
                ],
                relationships=[
                    Relationship("cage", "Cage", inverse="animals"),
                    Relationship("friends", "Animal", inverse="friends", to_many=True),
                ],
            ),
            Entity("Bird", parent="Animal", attributes=[Attribute("wingspan", "float")]),
            Entity(
                "Cage",
                attributes=[Attribute("number", "integer64")],
                relationships=[Relationship("animals", "Animal", inverse="cage", to_many=True, ordered=True, delete_rule="cascade")],
            ),
        ]
    )


def fill_zoo(path: pathlib.Path, history: bool = True) -> None:
    """Three animals, one of them a bird, in one of two cages."""
    with zoo_model() as model, pinview.Coordinator(model) as coordinator:
        coordinator.add_store(path, history_tracking=history)
        with pinview.Context(coordinator) as context:
            context.transaction_author = "keeper"
            cage, _ = context.insert("Cage", number=1), context.insert("Cage", number=2)
            born = datetime.datetime(2020, 5, 17, 8, 30, tzinfo=datetime.timezone.utc)
            values = {"legs": 4, "born": born, "photo": b"\x00\x01", "weight": 1.25, "price": Decimal("12.50"), "wild": True, "cage": cage}
            context.insert("Animal", name='say "hi", you', tag=uuid.UUID(int=7), **values)
            context.insert("Animal", name="Łoś 世界")
            context.insert("Bird", name="robin\nredbreast", legs=2, wingspan=0.5)
            context.save()
            context.transaction_author = "vet"
            context.fetch("Bird")[0].weight = 0.02
            context.save()


@pytest.fixture
def zoo(tmp_path: pathlib.Path) -> pathlib.Path:
    path = tmp_path / "zoo.sqlite"
    fill_zoo(path)
    return path


def command(*arguments: object, **environment: str) -> subprocess.CompletedProcess[str]:
    known = {name: value for name, value in os.environ.items() if name not in ("NO_COLOR", "COLUMNS", "TERM")}
    return subprocess.run(
        [sys.executable, "-m", "pinview", *map(str, arguments)],
        capture_output=True,
        text=True,
        encoding="utf-8",
        env={**known, "PYTHONIOENCODING": "utf-8", **environment},
        timeout=120,
    )


def table_of(path: pathlib.Path) -> list[dict[str, str]]:
    """The rows of a CSV file."""
    return list(csv.DictReader(io.StringIO(path.read_bytes().decode("utf-8"), newline="")))


def printed(*arguments: object, **environment: str) -> str:
    done = command(*arguments, **environment)
    assert done.returncode == 0 and done.stderr == "", done.stderr
    return done.stdout


def on_terminal(*arguments: object) -> str:
    """What a command prints on a terminal of 100 columns."""
    leader, follower = pty.openpty()
    environment = {**os.environ, "PYTHONIOENCODING": "utf-8", "TERM": "xterm", "COLUMNS": "100"}
    environment.pop("NO_COLOR", None)
    process = subprocess.Popen([sys.executable, "-m", "pinview", *map(str, arguments)], stdout=follower, stderr=follower, env=environment)
    os.close(follower)
    shown = b""
    with contextlib.suppress(OSError):  # the other side has been closed
        while part := os.read(leader, 65536):
            shown += part
    os.close(leader)
    assert process.wait(60) == 0
    return shown.decode("utf-8").replace("\r\n", "\n")


needs_arrow = pytest.mark.skipif(importlib.util.find_spec("pyarrow") is None, reason="pyarrow is not installed")


# Inspecting


def test_mdl_05_inspect_shows_everything(zoo: pathlib.Path) -> None:
    shown = printed("inspect", zoo)
    lines = shown.split("\n")
    assert lines[0] == str(zoo)
    assert "objects     5 of 4 entities" in lines
    tree = lines[lines.index("Entities") :]
    assert tree[1:5] == ["  Being       3  abstract", "  └─ Animal   3  2 of its own", "     └─ Bird  1", "  Cage        2"]
    assert "  name  string !  " + 'say "hi", you · Łoś 世界 · robin\\nredbreast' in lines
    assert "  legs     int16          4 · 2" in lines
    assert "  photo    binary         2 bytes" in lines
    assert "  born     date           2020-05-17 08:30:00Z" in lines
    assert "  cage     Cage           inverse animals" in lines
    assert "  animals  list of Animal  inverse cage, cascade" in lines
    assert "mood" not in shown
    assert any("Animal >─ cage" in line and "animals ── Cage" in line for line in lines)
    assert any("Animal >─ friends" in line and "friends ─< Animal" in line for line in lines)
    assert "History  2 transactions" in lines
    assert any(("keeper" in line and line.endswith("Animal +2, Bird +1")) or "Cage +2" in line for line in lines)
    assert any("vet" in line and line.endswith("Bird ~1") for line in lines)
    assert "\x1b" not in shown


def test_mdl_05_inspect_fits_the_terminal_and_is_coloured_there(zoo: pathlib.Path) -> None:
    shown = on_terminal("inspect", zoo)
    assert "\x1b[1mEntities\x1b[0m" in shown
    plain = printed("inspect", zoo, "--ascii", COLUMNS="60")
    assert plain.isascii() or "世界" in plain
    assert all(len(line) <= 66 for line in plain.replace(str(zoo), "").split("\n"))
    assert "\x1b" not in printed("inspect", zoo, TERM="dumb")


def test_mdl_05_inspect_one_entity_and_json(zoo: pathlib.Path) -> None:
    assert printed("inspect", zoo, "--entity", "Cage").split("\n")[0] == "Cage  2 objects"
    wrong = command("inspect", zoo, "--entity", "Cages")
    assert wrong.returncode == 1 and wrong.stdout == ""
    assert wrong.stderr == "pinview: The store has no entity 'Cages'. It has: Being, Animal, Bird, Cage.\n"
    report = json.loads(printed("inspect", zoo, "--json"))
    assert {entity["name"]: entity["count"] for entity in report["entities"]} == {"Animal": 2, "Being": 0, "Bird": 1, "Cage": 2}
    assert report["history"]["transactions"][0]["author"] == "keeper"


def test_mdl_05_the_diagram_is_an_svg_document(zoo: pathlib.Path, tmp_path: pathlib.Path) -> None:
    picture = tmp_path / "zoo.svg"
    assert printed("inspect", zoo, "--svg", picture) == ""
    document = xml.dom.minidom.parse(str(picture))
    texts = [node.firstChild.data for node in document.getElementsByTagName("text") if node.firstChild is not None]
    assert {"Animal", "Bird", "Cage", "Being", "animals", "friends"} <= set(texts)
    assert command("inspect", zoo, "--svg", picture).returncode == 1
    assert printed("inspect", zoo, "--svg", "-").startswith("<svg ")
    assert inspection.inspect(zoo).to_svg() == picture.read_text(encoding="utf-8")


def test_mdl_05_the_summary_as_a_function(zoo: pathlib.Path) -> None:
    summary = inspection.inspect(zoo, samples=1, transactions=1)
    animal = next(entity for entity in summary.entities if entity.name == "Animal")
    assert (animal.parent, animal.count, summary.count) == ("Being", 2, 5)
    assert [each.name for each in animal.attributes] == ["legs", "born", "photo", "weight", "price", "tag", "wild"]
    assert next(each for each in animal.attributes if each.name == "price").samples == ("12.5",)
    assert {each.name: each.destination for each in animal.relationships} == {"cage": "Cage", "friends": "Animal"}
    assert summary.history is not None
    assert (summary.history.count, len(summary.history.transactions)) == (2, 1)
    assert summary.history.transactions[0].changes == {"Bird": (0, 1, 0)}
    assert sum(summary.history.activity) == 2
    assert "Entities" in str(summary)


def test_mdl_05_inspect_lists_metadata_and_versions(zoo: pathlib.Path) -> None:
    moment = datetime.datetime(2026, 5, 17, 8, 30, tzinfo=datetime.timezone.utc)
    pinview.Coordinator.set_metadata_of_store(zoo, {"keeper": "Ann", "seen": {"when": moment, "data": b"\0\1"}})
    summary = inspection.inspect(zoo)
    assert summary.metadata["keeper"] == "Ann" and summary.metadata["seen"] == {"when": moment, "data": b"\0\1"}
    assert set(summary.metadata["NSStoreModelVersionHashes"]) == {"Being", "Animal", "Bird", "Cage"}
    assert "PinviewModel" not in summary.metadata
    lines = printed("inspect", zoo).split("\n")
    assert any(line.split() == ["NSPersistenceFrameworkVersion", "1340"] for line in lines[lines.index("Metadata") :])
    assert any('"2026-05-17T08:30:00Z"' in line and "AAE=" in line for line in lines)
    assert json.loads(printed("inspect", zoo, "--json"))["metadata"]["seen"]["data"] == {"$bytes": 2, "$base64": "AAE="}


def test_mdl_05_data_that_cannot_be_read_are_not_called_a_failed_write(tmp_path: pathlib.Path) -> None:
    path, target = tmp_path / "pictures.sqlite", tmp_path / "pictures.csv"
    attributes = [Attribute("picture", "binaryData", allows_external_binary_data_storage=True)]
    with pinview.Model([Entity("Picture", attributes)]) as model, pinview.Coordinator(model) as coordinator:
        coordinator.add_store(path)
        with pinview.Context(coordinator) as context:
            context.insert("Picture", picture=bytes(200_000))
            context.save()
    for file in (tmp_path / ".pictures_SUPPORT" / "_EXTERNAL_DATA").iterdir():
        file.unlink()
    done = command("export", path, "--entity", "Picture", "-o", target)
    assert done.returncode == 1 and "Picture.picture" in done.stderr and "cannot be written" not in done.stderr
    assert not target.exists()


def test_mdl_05_a_store_without_history_and_with_other_tables(tmp_path: pathlib.Path) -> None:
    path = tmp_path / "zoo.sqlite"
    fill_zoo(path, history=False)
    connection = sqlite3.connect(path)
    connection.execute("CREATE TABLE settings (key, value)")
    connection.execute("INSERT INTO settings VALUES (1, 2)")
    connection.commit()
    connection.close()
    summary = inspection.inspect(path)
    assert summary.history is None and summary.tables == {"settings": 1}
    assert "Other tables\n  settings  1\n" in printed("inspect", path)


# Querying


def test_mdl_05_query_in_a_pipe_is_csv(zoo: pathlib.Path) -> None:
    rows = list(csv.DictReader(io.StringIO(printed("query", zoo, "Animal", "legs == 4"))))
    assert len(rows) == 1
    assert rows[0]["name"] == 'say "hi", you'
    assert (rows[0]["born"], rows[0]["photo"], rows[0]["wild"]) == ("2020-05-17T08:30:00Z", "AAE=", "true")
    assert (rows[0]["tag"], rows[0]["price"], rows[0]["weight"]) == (str(uuid.UUID(int=7)), "12.5", "1.25")
    assert rows[0]["cage"].endswith("/Cage/p1") and rows[0]["objectID"].startswith("x-coredata://")


def test_mdl_05_query_takes_arguments_columns_order_and_limit(zoo: pathlib.Path) -> None:
    assert (
        printed("query", zoo, "Animal", "name == %@ AND legs > %@", 'say "hi", you', 3, "--columns", "legs,cage.number")
        == "legs,cage.number\n4,1\n"
    )
    assert printed("query", zoo, "Cage", "--sort", "-number", "--columns", "number") == "number\n2\n1\n"
    assert printed("query", zoo, "Cage", "--sort=number", "--limit", 1, "--columns=number") == "number\n1\n"
    assert printed("query", zoo, "Being", "--count") == "3\n"
    assert [json.loads(line)["name"] for line in printed("query", zoo, "Bird", "--format", "jsonl").splitlines()] == ["robin\nredbreast"]


def test_mdl_05_query_on_a_terminal_is_a_table(zoo: pathlib.Path) -> None:
    shown = on_terminal("query", zoo, "Animal", "--columns", "name,legs", "--sort", "name")
    assert "robin\\nredbreast" in shown and "3 objects" in shown
    table = printed("query", zoo, "Cage", "--columns", "number", "--sort", "number", "--format", "table")
    assert table == "number\n──────\n     1\n     2\n2 objects\n"


def test_mdl_05_query_runs_sql_that_reads(zoo: pathlib.Path) -> None:
    assert printed("query", zoo, "--sql", "SELECT ZNUMBER AS n FROM ZCAGE WHERE ZNUMBER > ?", 1) == "n\n2\n"
    refused = command("query", zoo, "--sql", "DELETE FROM ZCAGE")
    assert refused.returncode == 1 and "would change the table ZCAGE" in refused.stderr
    assert printed("query", zoo, "Cage", "--count") == "2\n"


@pytest.mark.parametrize(
    ("arguments", "status", "said"),
    [
        (("query", "ZOO", "Nothing"), 1, "no entity"),
        (("query", "ZOO", "Cage", "number >"), 1, "character 9"),
        (("query", "ZOO", "Cage", "nothing == 1"), 1, "nothing"),
        (("query", "ZOO"), 1, "Name an entity"),
        (("query", "ZOO", "--sql", "SELECT 1", "--count"), 1, "belong to a predicate"),
        (("query", "ZOO", "Cage", "--nonsense"), 2, "--nonsense"),
        (("query", "ZOO", "Cage", "--limit", "many"), 2, "many"),
        (("export", "ZOO"), 2, "--entity"),
        (("export", "ZOO", "--entity", "Cage", "-o", "x.unknown"), 1, "does not show the format"),
        (("export", "ZOO", "--all"), 1, "needs a folder"),
        (("inspect", "/nowhere/at.all"), 1, "no file"),
        (("inspect", "/etc/passwd"), 1, "not an SQLite database"),
        (("inspect", "ZOO", "--model", "/nowhere"), 1, "/nowhere"),
        (("export-store", "ZOO", "/nowhere/at.all"), 1, "No such file"),
    ],
)
def test_mdl_05_mistakes_are_said_in_a_line(zoo: pathlib.Path, arguments: tuple[str, ...], status: int, said: str) -> None:
    done = command(*(str(zoo) if each == "ZOO" else each for each in arguments))
    assert (done.returncode, done.stdout) == (status, "")
    assert said in done.stderr and "Traceback" not in done.stderr


# Exporting


def test_mdl_05_export_writes_each_format(zoo: pathlib.Path, tmp_path: pathlib.Path) -> None:
    target = tmp_path / "out"
    target.mkdir()
    for ending in ("csv", "json", "jsonl"):
        assert printed("export", zoo, "--entity", "Animal", "-o", target / f"a.{ending}") == ""
    names = ['say "hi", you', "Łoś 世界", "robin\nredbreast"]
    assert [row["name"] for row in table_of(target / "a.csv")] == names
    assert [row["name"] for row in json.loads((target / "a.json").read_text(encoding="utf-8"))] == names
    assert [json.loads(line)["name"] for line in (target / "a.jsonl").read_text(encoding="utf-8").splitlines()] == names
    assert printed("export", zoo, "--entity", "Cage", "--format", "json", "--where", "number > 5") == "[]\n"
    again = command("export", zoo, "--entity", "Cage", "-o", target / "a.csv")
    assert again.returncode == 1 and "exists already" in again.stderr
    assert printed("export", zoo, "--entity", "Cage", "-o", target / "a.csv", "--replace") == ""
    assert sorted(os.listdir(target)) == ["a.csv", "a.json", "a.jsonl"]
    assert (target / "a.csv").read_text(encoding="utf-8").startswith("objectID,number\n")


@needs_arrow
def test_mdl_05_export_writes_parquet_and_arrow(zoo: pathlib.Path, tmp_path: pathlib.Path) -> None:
    import pyarrow
    import pyarrow.parquet

    assert inspection.export(zoo, "Animal", tmp_path / "a.parquet") == 3
    table = pyarrow.parquet.read_table(tmp_path / "a.parquet")
    assert table.column("legs").to_pylist() == [4, None, 2]
    assert table.column("born").to_pylist()[0] == datetime.datetime(2020, 5, 17, 8, 30, tzinfo=datetime.timezone.utc)
    assert inspection.export(zoo, "Cage", tmp_path / "a.arrow", sort="-number") == 2
    with pyarrow.ipc.open_file(tmp_path / "a.arrow") as file:
        assert file.read_all().column("number").to_pylist() == [2, 1]
    piped = subprocess.run(
        [sys.executable, "-m", "pinview", "export", zoo, "--entity", "Cage", "--format", "arrow"], capture_output=True, check=True
    )
    assert pyarrow.ipc.open_file(piped.stdout).read_all().num_rows == 2


def test_mdl_05_without_pyarrow_it_says_what_to_install(zoo: pathlib.Path, tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(pinview.NotSupportedError, match=r"pip install 'pinview\[parquet\]'"):
        inspection.export(zoo, "Cage", tmp_path / "a.parquet")
    assert not [name for name in os.listdir(tmp_path) if "parquet" in name]


def test_mdl_05_export_all_writes_a_file_for_each_entity(zoo: pathlib.Path, tmp_path: pathlib.Path) -> None:
    printed("export", zoo, "--all", "-o", tmp_path / "all")
    assert sorted(os.listdir(tmp_path / "all")) == ["Animal.csv", "Bird.csv", "Cage.csv"]
    assert len(table_of(tmp_path / "all" / "Animal.csv")) == 2


def test_mdl_05_export_is_a_function_with_progress(zoo: pathlib.Path, tmp_path: pathlib.Path) -> None:
    with zoo_model() as model, pinview.Coordinator(model) as coordinator:
        coordinator.add_store(zoo)
        with pinview.Context(coordinator) as context:
            context.insert_many("Cage", {"number": list(range(3, 5001))})
            context.save()
    seen: list[tuple[int, int]] = []
    count = inspection.export(
        zoo,
        "Cage",
        tmp_path / "c.csv",
        "number > %@",
        [1000],
        properties=["number"],
        progress=lambda done, total: seen.append((done, total)),
    )
    assert count == 4000 and seen[-1] == (4000, 4000)
    with pytest.raises(ZeroDivisionError):
        inspection.export(zoo, "Cage", tmp_path / "d.csv", progress=lambda done, total: 1 // 0)
    assert not [name for name in os.listdir(tmp_path) if name.startswith("d.csv")]


def test_mdl_05_export_store_writes_a_store(zoo: pathlib.Path, tmp_path: pathlib.Path) -> None:
    assert printed("export-store", zoo, tmp_path / "copy.sqlite") == ""
    assert inspection.inspect(tmp_path / "copy.sqlite").count == 5
    again = command("export-store", zoo, tmp_path / "copy.sqlite")
    assert again.returncode == 1 and "exists already" in again.stderr


def test_mdl_05_a_reader_that_closes_the_pipe_is_no_error(zoo: pathlib.Path) -> None:
    done = subprocess.run(
        ["bash", "-o", "pipefail", "-c", f"{sys.executable} -m pinview inspect {zoo} | head -n 1"],
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert (done.returncode, done.stderr) == (0, "")


def test_mdl_05_ctrl_c_ends_a_command(zoo: pathlib.Path) -> None:
    endless = "WITH RECURSIVE s(n) AS (VALUES (1) UNION ALL SELECT n + 1 FROM s) SELECT n FROM s"
    command = [sys.executable, "-m", "pinview", "query", zoo, "--sql", endless]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None and process.stdout.readline() == "n\n"
        process.send_signal(signal.SIGINT)
        process.stdout.read()
        assert process.wait(60) == 130


# The store stays as it is


def fingerprint(path: pathlib.Path) -> dict[str, tuple[str, int]]:
    """The hash and the time of the file and of its journal, if that has anything."""
    found = {}
    for name in (str(path), f"{path}-wal"):
        with contextlib.suppress(FileNotFoundError), open(name, "rb") as file:
            if data := file.read():
                found[name] = (hashlib.sha256(data).hexdigest(), os.stat(name).st_mtime_ns)
    return found


def every_command(path: pathlib.Path, folder: pathlib.Path) -> Iterator[None]:
    printed("inspect", path)
    yield
    printed("query", path, "Animal")
    printed("query", path, "--sql", "SELECT count(*) FROM ZBEING")
    yield
    printed("export", path, "--entity", "Cage", "-o", folder / "cages.csv")
    printed("export-store", path, folder / "copy.sqlite")
    yield


def test_mdl_05_no_byte_of_the_store_changes(zoo: pathlib.Path, tmp_path: pathlib.Path) -> None:
    before = fingerprint(zoo)
    assert before
    for _ in every_command(zoo, tmp_path):
        assert fingerprint(zoo) == before


def test_mdl_05_no_byte_of_a_store_with_a_journal_changes(zoo: pathlib.Path, tmp_path: pathlib.Path) -> None:
    # Another program has it open, and the journal is full.
    connection = sqlite3.connect(zoo)
    connection.execute("PRAGMA wal_autocheckpoint = 0")
    connection.execute("UPDATE ZCAGE SET ZNUMBER = 7")
    connection.commit()
    before = fingerprint(zoo)
    assert len(before) == 2
    for _ in every_command(zoo, tmp_path):
        assert fingerprint(zoo) == before
    assert printed("query", zoo, "Cage", "--columns", "number", "--limit", 1) == "number\n7\n"
    connection.close()


def test_mdl_16_inspect_verify_prints_hashes_and_touches_nothing(zoo: pathlib.Path, tmp_path: pathlib.Path) -> None:
    # As a copy of a machine's disk has it: a journal whose program is gone.
    connection = sqlite3.connect(zoo)
    connection.execute("PRAGMA wal_autocheckpoint = 0")
    connection.execute("UPDATE ZCAGE SET ZNUMBER = 7")
    connection.commit()
    folder = tmp_path / "evidence"
    folder.mkdir()
    for name in (zoo.name, zoo.name + "-wal"):
        (folder / name).write_bytes((zoo.parent / name).read_bytes())
    connection.close()
    evidence = folder / zoo.name

    def state() -> list[tuple[str, bytes, int, int]]:
        files = [(path.name, path.read_bytes(), path.stat().st_mtime_ns, path.stat().st_ctime_ns) for path in sorted(folder.iterdir())]
        return [*files, ("", b"", folder.stat().st_mtime_ns, folder.stat().st_ctime_ns)]

    before = state()
    text = printed("inspect", evidence, "--verify")
    assert state() == before
    for name in (evidence.name, evidence.name + "-wal"):
        digest = hashlib.sha256((folder / name).read_bytes()).hexdigest()
        assert text.count(f"{digest}  {name}") == 2
    assert "The files are unchanged." in text
    summary = json.loads(printed("inspect", evidence, "--verify", "--json"))
    assert summary["sha256"]["before"] == summary["sha256"]["after"] == inspection.digests(evidence)
    assert state() == before


WRITER = """
import sqlite3, sys
connection = sqlite3.connect(sys.argv[1], timeout=60)
print("begun", flush=True)
while True:
    with connection:
        connection.execute("UPDATE ZCAGE SET ZNUMBER = ZNUMBER + 1")
"""


def test_mdl_05_a_store_that_is_being_written(zoo: pathlib.Path) -> None:
    writer = subprocess.Popen([sys.executable, "-c", WRITER, zoo], stdout=subprocess.PIPE, text=True)
    try:
        assert writer.stdout is not None and writer.stdout.readline() == "begun\n"
        for _ in range(5):
            with inspection.open_store(zoo) as context:
                first = [cage.number for cage in context.fetch("Cage", sort="number")]
                with context.sql("SELECT ZNUMBER FROM ZCAGE ORDER BY ZNUMBER") as rows:
                    assert [number for (number,) in rows] == first
                assert first[1] - first[0] == 1
            assert inspection.inspect(zoo).count == 5
    finally:
        writer.kill()
        writer.communicate()


def test_mdl_05_the_report_on_the_journal_is_still_the_default(zoo: pathlib.Path) -> None:
    first, second = printed(zoo), printed("journal", zoo)
    assert "journal" in first and first.split("\n")[0] == second.split("\n")[0]
    for name in ("inspect", "query", "export", "export-store", "journal"):
        assert "examples:" in printed(name, "--help")
    assert "inspect" in printed("--help")
