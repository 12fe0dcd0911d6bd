"""Model files, and what is done to them: an XML model and a compiled one, with bytes changed, cut off or repeated."""

from __future__ import annotations

import plistlib
import random
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


def damaged(chance: random.Random) -> bytes:
    """A model file with one to three changes."""
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
