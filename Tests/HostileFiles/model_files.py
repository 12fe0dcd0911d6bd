"""Model files, and what is done to them: an XML model and a compiled one, with bytes changed, cut off or repeated; and files that
would expand to far more than they hold.
"""

from __future__ import annotations

import plistlib
import random
import zlib
from typing import Any

XML = b"""<?xml version="1.0" encoding="UTF-8"?>
<model userDefinedModelVersionIdentifier="1">
    <entity name="Person" parentEntity="Being" elementID="Human">
        <attribute name="age" optional="YES" attributeType="Integer 16" defaultValueString="7" minValueString="0"/>
        <relationship name="cars" optional="YES" toMany="YES" deletionRule="Cascade" destinationEntity="Car" inverseName="owner"/>
        <fetchIndex name="byAge"><fetchIndexElement property="age" type="Binary" order="ascending"/></fetchIndex>
        <userInfo><entry key="a" value="b"/></userInfo>
    </entity>
    <entity name="Being" isAbstract="YES"><attribute name="name" attributeType="String" maxValueString="80"/></entity>
    <entity name="Car">
        <relationship name="owner" optional="YES" maxCount="1" deletionRule="Nullify" destinationEntity="Person" inverseName="cars"/>
    </entity>
</model>"""


def archive() -> bytes:
    """A compiled model of two entities whose relationships contain each other."""
    objects: list[Any] = ["$null"]

    def add(value: Any) -> plistlib.UID:
        objects.append(value)
        return plistlib.UID(len(objects) - 1)

    kinds: dict[str, plistlib.UID] = {}

    def an_object(kind: str, **members: Any) -> plistlib.UID:
        if kind not in kinds:
            kinds[kind] = add({"$classname": kind, "$classes": [kind, "NSObject"]})
        return add({"$class": kinds[kind], **members})

    def a_dictionary(members: dict[str, plistlib.UID]) -> plistlib.UID:
        return an_object("NSMutableDictionary", **{"NS.keys": [add(name) for name in members], "NS.objects": list(members.values())})

    def a_relationship(name: str, destination: str, inverse: str, maximum: int) -> plistlib.UID:
        return an_object(
            "NSRelationshipDescription",
            NSPropertyName=add(name),
            _NSDestinationEntityName=add(destination),
            _NSInverseRelationshipName=add(inverse),
            NSMaxCount=maximum,
            NSDeleteRule=1,
            NSIsOptional=True,
        )

    age = an_object("NSAttributeDescription", NSPropertyName=add("age"), NSAttributeType=100, NSDefaultValue=add(7), NSIsOptional=True)
    cars, owner = a_relationship("cars", "Car", "owner", 0), a_relationship("owner", "Person", "cars", 1)
    objects[cars.data]["NSInverseRelationship"], objects[owner.data]["NSInverseRelationship"] = owner, cars
    person = an_object("NSEntityDescription", NSEntityName=add("Person"), NSProperties=a_dictionary({"age": age, "cars": cars}))
    car = an_object("NSEntityDescription", NSEntityName=add("Car"), NSProperties=a_dictionary({"owner": owner}))
    root = an_object("NSManagedObjectModel", NSEntities=a_dictionary({"Person": person, "Car": car}))
    content = {"$archiver": "NSKeyedArchiver", "$version": 100000, "$objects": objects, "$top": {"root": root}}
    return plistlib.dumps(content, fmt=plistlib.FMT_BINARY)


SOUND = (XML, archive())


def nested(levels: int, fan: int, last: bytes = b"\x10\x01") -> bytes:
    """A property list of lists that contain the next one many times each."""
    data, offsets = b"bplist00", []
    for level in range(levels):
        offsets.append(len(data))
        data += b"\xaf\x10" + bytes([fan]) + bytes([level + 1]) * fan
    offsets.append(len(data))
    data += last
    table = b"".join(offset.to_bytes(2, "big") for offset in offsets)
    return data + table + bytes(6) + b"\x02\x01" + len(offsets).to_bytes(8, "big") + bytes(8) + len(data).to_bytes(8, "big")


def _entities() -> bytes:
    """XML whose entities would expand to 8^12 letters."""
    declared = [b'<!ENTITY e0 "aaaaaaaaaa">']
    declared += [b'<!ENTITY e%d "%s">' % (level, b"&e%d;" % (level - 1) * 8) for level in range(1, 12)]
    return b'<?xml version="1.0"?><!DOCTYPE model [' + b"".join(declared) + b']><model><entity name="&e11;"/></model>'


HOSTILE = (
    nested(9, 200),
    nested(1, 200, last=b"\xa1\x00"),  # it contains itself
    b"bplist00"
    + b"\xaf\x13"
    + (2**60).to_bytes(8, "big")
    + bytes(6)
    + b"\x01\x01"
    + (1).to_bytes(8, "big")
    + bytes(8)
    + (8).to_bytes(8, "big"),
    _entities(),
    b'<?xml version="1.0"?><!DOCTYPE model SYSTEM "file:///dev/zero"><model><entity name="Person"/></model>',
    b"<model>" + b"<entity>" * 100_000,
    b"<model><entity " + b" ".join(b'a%d=""' % number for number in range(20_000)) + b"/></model>",
    b'<?xml version="1.0"?><plist version="1.0">' + b"<array>" * 100_000,
    b'{"entities": ' + b"[" * 100_000,
    b"\x89PNG\r\n\x1a\n",
    b"",
)
"""Files that are small and describe much, or are of another kind."""


def cache(chance: random.Random) -> bytes:
    """What a store may have in Z_MODELCACHE: a damaged model, compressed; something far larger; no compressed data."""
    kind = chance.randrange(6)
    if kind == 0:
        return chance.randbytes(chance.randrange(2000))
    content = bytes(100_000_000) if kind == 1 else archive() if kind == 2 else damaged(chance)
    compressor = zlib.compressobj(wbits=-15)
    data = bytearray(compressor.compress(content) + compressor.flush())
    if kind == 2 and data:
        data[chance.randrange(len(data))] ^= 1 << chance.randrange(8)
    return bytes(data)


def damaged(chance: random.Random) -> bytes:
    """A model file with one to three changes, or a hostile one."""
    if chance.random() < 0.1:
        return chance.choice(HOSTILE)
    data = bytearray(chance.choice(SOUND))
    for _ in range(chance.randint(1, 3)):
        start = chance.randrange(len(data) + 1)
        end = min(len(data), start + chance.randint(0, 40))
        choice = chance.randrange(5)
        if choice == 0:
            data[start:end] = bytes(chance.randrange(256) for _ in range(end - start))
        elif choice == 1:
            del data[start:end]
        elif choice == 2:
            data[start:start] = data[start:end] * chance.randint(1, 50)
        elif choice == 3:
            del data[start:]
        elif start < len(data):
            data[start] ^= 1 << chance.randrange(8)
    return bytes(data)
