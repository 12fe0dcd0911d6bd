"""What is done to a store: each kind changes the files in a folder, by its own random numbers."""

from __future__ import annotations

import os
import pathlib
import plistlib
import random
import sqlite3
from collections.abc import Callable

import model_files

STORE = "store.sqlite"
EXTREMES: tuple[object, ...] = (
    2**63 - 1,
    -(2**63),
    2**63 - 2,
    2**62,
    2**62 + 1,
    2**53 + 1,
    2**32,
    2**31,
    -(2**31) - 1,
    65536,
    256,
    -1,
    0,
    None,
    "text",
    "",
    "9" * 400,
    b"",
    b"\x00\xff\x02",
    float("inf"),
    float("-inf"),
    1e308,
    0.5,
    "x" * 300_000,
    b"\x02" + b"../../../../etc/passwd" + b"\x00",
)
"""What may stand in no column, or in few."""


def quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


def connect(folder: pathlib.Path) -> sqlite3.Connection:
    connection = sqlite3.connect(folder / STORE, isolation_level=None)
    connection.execute("PRAGMA wal_autocheckpoint=0")
    connection.execute("PRAGMA ignore_check_constraints=ON")
    connection.text_factory = bytes
    return connection


def close(connection: sqlite3.Connection, keeps_journal: bool) -> None:
    # Without this the last connection would empty the journal.
    if keeps_journal:
        connection.setconfig(sqlite3.SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, True) if hasattr(connection, "setconfig") else None
    connection.close()


def columns(connection: sqlite3.Connection) -> list[tuple[str, str]]:
    tables = [row[0].decode() for row in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY name")]
    return [
        (table, row[1].decode())
        for table in tables
        if not table.startswith("sqlite_")
        for row in connection.execute(f"PRAGMA table_info({quoted(table)})")
    ]


def sweep_cases(folder: pathlib.Path, chance: random.Random) -> list[tuple[str, str, object, bool]]:
    """Every column of every table, each extreme value, in one row and in all, in a random order."""
    connection = connect(folder)
    first: list[tuple[str, str, object, bool]] = []
    vital: list[tuple[str, str, object, bool]] = []
    others: list[tuple[str, str, object, bool]] = []
    for table, column in columns(connection):
        # Z_PK, Z_ENT, Z_OPT, Z_MAX, Z1_OWNER, Z_FOK_OWNER, ZENTITYPK and the like: what the library counts and finds its way with.
        is_vital = column.startswith(("Z_", "ZENTITY")) or column[1:2].isdigit() or column == "ZTRANSACTIONID"
        leads_to_entity = column in ("Z_ENT", "ZENTITY") or column[1:2].isdigit()
        values = EXTREMES + (tuple(range(1, 7)) + (16001,) if leads_to_entity else ())
        for place, value in enumerate(values):
            # The ends of the integers and other entities, in the tables of objects, are where the most has gone wrong.
            is_worst = is_vital and table.startswith("Z") and (place < 3 or place >= len(EXTREMES))
            kind = first if is_worst else vital if is_vital else others
            kind.extend((table, column, value, is_one) for is_one in (True, False))
    connection.close()
    for kind in (first, vital, others):
        chance.shuffle(kind)
    cases = []
    while first or vital or others:
        cases += [kind.pop() for kind in (first, vital, others) if kind]
    return cases


def sweep(folder: pathlib.Path, chance: random.Random, case: tuple[str, str, object, bool]) -> str:
    table, column, value, is_one = case
    connection = connect(folder)
    name, target = quoted(column), quoted(table)
    where = ""
    if is_one:
        key = "rowid"
        try:
            rows = [row[0] for row in connection.execute(f"SELECT rowid FROM {target}")]
        except sqlite3.Error:
            key, rows = name, [row[0] for row in connection.execute(f"SELECT {name} FROM {target}")]
        where = f" WHERE {key} IS ?" if rows else ""
        chosen = [chance.choice(rows)] if rows else []
    else:
        chosen = []
    try:
        connection.execute(f"UPDATE OR REPLACE {target} SET {name} = ?{where}", [value, *chosen])
    except (sqlite3.Error, OverflowError) as error:
        connection.close()
        return f"{table}.{column} = {str(value)[:30]!r}: not possible ({error})"
    connection.close()
    return f"{table}.{column} = {str(value)[:30]!r} in {'row ' + str(chosen[0])[:20] if chosen else 'all rows'}"


def rewrite(path: pathlib.Path, change: Callable[[bytearray], str]) -> str:
    data = bytearray(path.read_bytes()) if path.exists() else bytearray()
    if not data:
        return f"{path.name} is empty"
    what = change(data)
    path.write_bytes(data)
    return f"{path.name}: {what}"


def bits(data: bytearray, chance: random.Random) -> str:
    count = chance.choice((1, 1, 2, 8, 64))
    places = [chance.randrange(len(data) * 8) for _ in range(count)]
    for place in places:
        data[place // 8] ^= 1 << place % 8
    return f"{count} bits, the first in byte {places[0] // 8}"


def bytes_(data: bytearray, chance: random.Random) -> str:
    count = chance.choice((1, 2, 4, 16, 200))
    start = chance.randrange(len(data))
    kind = chance.choice(("random", "zero", "ones", "copied"))
    for place in range(start, min(start + count, len(data))):
        data[place] = {"random": chance.randrange(256), "zero": 0, "ones": 255, "copied": data[chance.randrange(len(data))]}[kind]
    return f"{count} bytes at {start} are {kind}"


def pages(data: bytearray, chance: random.Random, size: int = 4096) -> str:
    count = len(data) // size
    if count < 2:
        return bytes_(data, chance)
    one, other = chance.sample(range(count), 2)
    kind = chance.choice(("swapped", "copied", "zero", "random"))
    first, second = slice(one * size, one * size + size), slice(other * size, other * size + size)
    if kind == "swapped":
        data[first], data[second] = data[second], data[first]
    elif kind == "copied":
        data[first] = data[second]
    else:
        data[first] = bytes(size) if kind == "zero" else chance.randbytes(size)
    return f"pages {one} and {other} {kind}"


def cut(data: bytearray, chance: random.Random) -> str:
    if chance.random() < 0.7:
        size = chance.randrange(len(data))
        del data[size:]
        return f"cut to {size} bytes"
    data += chance.randbytes(chance.choice((1, 4096, 100_000)))
    return "longer by random bytes"


def header(data: bytearray, chance: random.Random) -> str:
    place = chance.randrange(min(100, len(data)))
    data[place] = chance.choice((0, 1, 2, 127, 128, 255, chance.randrange(256)))
    return f"byte {place} of the header is {data[place]}"


def main_file(folder: pathlib.Path, chance: random.Random) -> str:
    return rewrite(folder / STORE, lambda data: chance.choice((bits, bits, bytes_, bytes_, pages, cut, header))(data, chance))


def journal(folder: pathlib.Path, chance: random.Random) -> str:
    def change(data: bytearray) -> str:
        kind = chance.choice((bits, bytes_, cut, header, pages))
        return pages(data, chance, 4096 + 24) if kind is pages else kind(data, chance)

    return rewrite(folder / (STORE + "-wal"), change)


def index(folder: pathlib.Path, chance: random.Random) -> str:
    path = folder / (STORE + "-shm")
    if chance.random() < 0.2:
        path.write_bytes(chance.randbytes(chance.choice((1, 136, 32768, 65536))))
        return "the index is random bytes"

    def change(data: bytearray) -> str:
        if chance.random() < 0.5:
            return header(data, chance)
        return chance.choice((bits, bytes_, cut))(data, chance)

    return rewrite(path, change)


def metadata(folder: pathlib.Path, chance: random.Random) -> str:
    connection = connect(folder)
    blob = bytearray(connection.execute("SELECT Z_PLIST FROM Z_METADATA").fetchone()[0])
    kind = chance.randrange(6)
    if kind == 0:
        what = bits(blob, chance)
    elif kind == 1:
        what = bytes_(blob, chance)
    elif kind == 2:
        what = cut(blob, chance)
    else:
        entries = plistlib.loads(bytes(blob))
        name = chance.choice(sorted(entries)) if kind == 3 else "PinviewModel"
        if kind == 3:
            value: object = chance.choice((0, 2**63, "", b"", [], {}, [[[]]], {"a": {}}, "x" * 100_000, 1.5, True))
            entries[name], what = value, f"metadata {name} = {str(value)[:20]}"
        else:
            text = bytearray(str(entries[name]).encode())
            if kind == 4:
                what = f"model text: {bits(text, chance)}"
            else:
                old, new = chance.choice(
                    (
                        (b'"Being"', b'"Thing"'),
                        (b'"integer32"', b'"string"'),
                        (b'"parent"', b'"x"'),
                        (b'"Being"', b'"\\u0000"'),
                        (b"[", b"[" * 2000),
                        (b"{", b'{"a":' * 3000),
                        (b"true", b"1e999"),
                        (b"0", b"9" * 5000),
                    )
                )
                text = bytearray(bytes(text).replace(old, new, chance.choice((1, -1))))
                what = f"model text: {old[:20]!r} becomes {new[:20]!r}"
            entries[name] = text.decode(errors="replace")
        try:
            blob = bytearray(plistlib.dumps(entries, fmt=plistlib.FMT_BINARY))
        except (OverflowError, ValueError):
            blob = bytearray()
    connection.execute("UPDATE Z_METADATA SET Z_PLIST = ?", [bytes(blob)])
    connection.close()
    return what


def history(folder: pathlib.Path, chance: random.Random) -> str:
    connection = connect(folder)
    column = chance.choice(("ZCOLUMNS", "ZTOMBSTONE0"))
    for key, value in connection.execute(f"SELECT Z_PK, {column} FROM ACHANGE WHERE {column} IS NOT NULL").fetchall():
        data = bytearray(value or b"\0")
        if chance.random() < 0.5:
            data = bytearray(chance.randbytes(chance.choice((0, 1, 5, 4000))))
        else:
            bits(data, chance)
        connection.execute(f"UPDATE ACHANGE SET {column} = ? WHERE Z_PK = ?", [bytes(data), key])
    connection.close()
    return f"random bytes in ACHANGE.{column}"


PLANTED = (
    "CREATE TRIGGER planted AFTER INSERT ON ZTAG BEGIN UPDATE ZBEING SET ZLABEL = 'planted'; END",
    "CREATE TRIGGER planted AFTER UPDATE ON ZBEING BEGIN DELETE FROM ZTHING; END",
    "CREATE TRIGGER planted AFTER INSERT ON ZTAG BEGIN INSERT INTO ZTAG (Z_ENT, Z_OPT, ZLABEL) VALUES (NEW.Z_ENT, 1, 'planted'); END",
    "CREATE TRIGGER planted BEFORE UPDATE ON Z_PRIMARYKEY BEGIN SELECT RAISE(IGNORE); END",
    "CREATE TRIGGER planted AFTER INSERT ON ATRANSACTION BEGIN SELECT randomblob(1000000000); END",
    "ALTER TABLE ZTAG RENAME TO ZTAG_OLD; CREATE VIEW ZTAG AS SELECT * FROM ZTAG_OLD",
    "ALTER TABLE ZBEING RENAME TO ZBEING_OLD; CREATE VIEW ZBEING AS SELECT Z_PK, 4 AS Z_ENT, Z_OPT, * FROM ZBEING_OLD",
    "ALTER TABLE Z_METADATA RENAME TO OLD; CREATE VIEW Z_METADATA AS WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i FROM n) SELECT Z_VERSION, Z_UUID, Z_PLIST FROM OLD, n",
    "ALTER TABLE ZTAG ADD COLUMN EXTRA TEXT AS (ZLABEL || randomblob(100000000))",
    "CREATE INDEX planted ON ZTHING (abs(ZLARGE), ZLABEL || ZLABEL)",
    "CREATE TABLE planted (a INTEGER PRIMARY KEY, b REFERENCES ZTAG (Z_PK) ON DELETE CASCADE)",
)
REWRITTEN = (
    ("Z_PK INTEGER PRIMARY KEY", "Z_PK TEXT"),
    ("Z_PK INTEGER PRIMARY KEY", "Z_PK BLOB PRIMARY KEY"),
    ("Z_ENT INTEGER", "Z_ENT AS (99)"),
    ("Z_OPT INTEGER", "Z_OPT AS (9223372036854775807)"),
    ("ZLABEL VARCHAR", "ZLABEL VARCHAR DEFAULT (randomblob(9))"),
    ("CREATE TABLE", "CREATE TEMP TABLE"),
    ("INTEGER", "INTEGER CHECK (0)"),
    ("(", "(("),
)


def schema(folder: pathlib.Path, chance: random.Random) -> str:
    connection = connect(folder)
    connection.execute("PRAGMA legacy_alter_table=ON")
    try:
        if chance.random() < 0.6:
            what = chance.choice(PLANTED)
            connection.executescript(what)
        else:
            old, new = chance.choice(REWRITTEN)
            table = chance.choice(("ZBEING", "ZTHING", "ZTAG", "Z_PRIMARYKEY", "ATRANSACTION", "ACHANGE"))
            what = f"the schema of {table}: {new}"
            connection.execute("PRAGMA writable_schema=ON")
            connection.execute("UPDATE sqlite_master SET sql = replace(sql, ?, ?) WHERE name = ?", [old, new, table])
            if chance.random() < 0.2:
                page = chance.choice((0, 1, 2, -1, 10**9))
                connection.execute("UPDATE sqlite_master SET rootpage = ? WHERE name = ?", [page, table])
                what += f", its root page {page}"
    except sqlite3.Error as error:
        what = f"not possible: {error}"
    connection.close()
    return what


def beside(folder: pathlib.Path, chance: random.Random) -> str:
    """Something that is no regular file beside the store, or in its place."""
    external = folder / ".store_SUPPORT" / "_EXTERNAL_DATA"
    name = "6F9619FF-8B86-D011-B42D-00CF4FC964FF"
    target = chance.choice(("", "-wal", "-shm", "-journal", "external"))
    path = external / name if target == "external" else folder / (STORE + target)
    if target == "external":
        external.mkdir(parents=True)
        connection = connect(folder)
        connection.execute("UPDATE ZTHING SET ZPICTURE = ?", [b"\x02" + name.encode() + b"\x00"])
        connection.close()
    path.unlink(missing_ok=True)
    kind = chance.choice(("FIFO", "folder", "link to itself", "link to a device", "file with a hole"))
    if kind == "FIFO":
        os.mkfifo(path)
    elif kind == "folder":
        path.mkdir()
    elif kind == "file with a hole":
        with path.open("wb") as file:
            file.truncate(1 << 40)
    else:
        path.symlink_to(path if kind == "link to itself" else "/dev/zero")
    return f"{path.name} is a {kind}"


def model_cache(folder: pathlib.Path, chance: random.Random) -> str:
    """Core Data's copy of the model instead of the library's, damaged."""
    connection = connect(folder)
    entries = plistlib.loads(connection.execute("SELECT Z_PLIST FROM Z_METADATA").fetchone()[0])
    entries.pop("PinviewModel", None)
    content = model_files.cache(chance)
    connection.execute("UPDATE Z_METADATA SET Z_PLIST = ?", [plistlib.dumps(entries, fmt=plistlib.FMT_BINARY)])
    connection.execute("CREATE TABLE Z_MODELCACHE (Z_CONTENT BLOB)")
    connection.execute("INSERT INTO Z_MODELCACHE VALUES (?)", [content])
    connection.close()
    return f"a model cache of {len(content)} bytes"


def nothing(folder: pathlib.Path, chance: random.Random) -> str:
    return "only URIs and tokens"


KINDS: tuple[Callable[[pathlib.Path, random.Random], str], ...] = (
    main_file,
    main_file,
    journal,
    index,
    metadata,
    history,
    schema,
    beside,
    nothing,
    model_cache,
)
