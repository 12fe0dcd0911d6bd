"""Models as Core Data compiles them, and stores as it writes them, made without the library."""

from __future__ import annotations

import pathlib
import plistlib
import sqlite3
import zlib
from collections.abc import Iterable, Mapping
from typing import Any

Properties = Mapping[str, Any]
IDENTIFIER = "0F9A3B52-6C1D-4E7F-8A90-B1C2D3E4F506"


def archive(entities: Mapping[str, Properties], identifier: str = "") -> bytes:
    """A compiled model (`.mom`).

    Args:
        entities: By name: the properties, all of them optional. An attribute is the number of its
            type, or that and its renaming identifier; a relationship is its destination, inverse
            and whether it leads to many.
        identifier: The version's.
    """
    objects: list[Any] = ["$null"]

    def add(value: Any) -> plistlib.UID:
        objects.append(value)
        return plistlib.UID(len(objects) - 1)

    def an_object(name: str, **members: Any) -> plistlib.UID:
        return add({"$class": add({"$classname": name, "$classes": [name, "NSObject"]}), **members})

    def a_dictionary(members: Mapping[str, plistlib.UID]) -> plistlib.UID:
        return an_object("NSMutableDictionary", **{"NS.keys": [add(name) for name in members], "NS.objects": list(members.values())})

    def a_property(name: str, given: Any) -> plistlib.UID:
        common = {"NSPropertyName": add(name), "NSIsOptional": True}
        if isinstance(given, int):
            return an_object("NSAttributeDescription", NSAttributeType=given, **common)
        if isinstance(given[0], int):
            kind, former = given
            return an_object("NSAttributeDescription", NSAttributeType=kind, NSRenamingIdentifier=add(former), **common)
        destination, inverse, is_to_many = given
        ends = {"_NSDestinationEntityName": add(destination), "_NSInverseRelationshipName": add(inverse)}
        return an_object("NSRelationshipDescription", NSMaxCount=0 if is_to_many else 1, NSDeleteRule=1, **ends, **common)

    made = {
        name: an_object(
            "NSEntityDescription",
            NSEntityName=add(name),
            NSProperties=a_dictionary({key: a_property(key, given) for key, given in properties.items()}),
        )
        for name, properties in entities.items()
    }
    identifiers = an_object("NSSet", **{"NS.objects": [add(identifier)]})
    root = an_object("NSManagedObjectModel", NSEntities=a_dictionary(made), NSVersionIdentifiers=identifiers)
    content = {"$archiver": "NSKeyedArchiver", "$version": 100000, "$objects": objects, "$top": {"root": root}}
    return plistlib.dumps(content, fmt=plistlib.FMT_BINARY)


def model_cache(compiled: bytes) -> bytes:
    """What a store keeps in `Z_MODELCACHE`."""
    compressor = zlib.compressobj(wbits=-15)
    return compressor.compress(compiled) + compressor.flush()


def write_bundle(folder: pathlib.Path, versions: Mapping[str, tuple[bytes, Mapping[str, bytes]]]) -> None:
    """Makes a `.momd` of compiled versions and their hashes; the last one is the current one."""
    folder.mkdir()
    for name, (compiled, _) in versions.items():
        (folder / f"{name}.mom").write_bytes(compiled)
    info = {
        "NSManagedObjectModel_CurrentVersionName": list(versions)[-1],
        "NSManagedObjectModel_VersionHashes": {name: dict(hashes) for name, (_, hashes) in versions.items()},
    }
    (folder / "VersionInfo.plist").write_bytes(plistlib.dumps(info, fmt=plistlib.FMT_BINARY))


def write_store(
    path: pathlib.Path, entities: Iterable[str], statements: Iterable[str], *, cache: bytes | None = None, **metadata: Any
) -> None:
    """Makes a store with these entities, numbered from 1, and tables."""
    connection = sqlite3.connect(path)
    connection.executescript(
        """
        PRAGMA page_size=4096; PRAGMA auto_vacuum=2; PRAGMA journal_mode=wal;
        CREATE TABLE Z_PRIMARYKEY (Z_ENT INTEGER PRIMARY KEY, Z_NAME VARCHAR, Z_SUPER INTEGER, Z_MAX INTEGER);
        CREATE TABLE Z_METADATA (Z_VERSION INTEGER PRIMARY KEY, Z_UUID VARCHAR(255), Z_PLIST BLOB);
        CREATE TABLE Z_MODELCACHE (Z_CONTENT BLOB);
        """
    )
    connection.executemany("INSERT INTO Z_PRIMARYKEY VALUES (?, ?, 0, 0)", enumerate(entities, 1))
    content = {"NSStoreType": "SQLite", "NSPersistenceFrameworkVersion": 1044, "NSStoreModelVersionHashesVersion": 3, **metadata}
    connection.execute("INSERT INTO Z_METADATA VALUES (1, ?, ?)", (IDENTIFIER, plistlib.dumps(content, fmt=plistlib.FMT_BINARY)))
    if cache is not None:
        connection.execute("INSERT INTO Z_MODELCACHE VALUES (?)", (cache,))
    for statement in statements:
        connection.execute(statement)
    connection.commit()
    connection.close()
