"""The stores that are damaged: with history, a hierarchy of entities, every kind of value and
relationship, and a long journal.
"""

from __future__ import annotations

import datetime
import decimal
import os
import pathlib
import uuid

import pinview
from pinview import Attribute, Entity, Relationship

BEINGS = 30
ENTITIES = ("Being", "Person", "Company", "Thing", "Tag")
OPTIONS = {"historyTracking": True, "synchronous": "off", "busyTimeout": 2.0}


def make_model() -> pinview.Model:
    return pinview.Model(
        [
            Entity(
                "Being",
                attributes=[
                    Attribute("label", "string", preserves_value_in_history_on_deletion=True),
                    Attribute("rank", "integer32"),
                ],
                relationships=[
                    Relationship("things", "Thing", inverse="owner", to_many=True, ordered=True),
                    Relationship("friends", "Being", inverse="friends", to_many=True),
                    Relationship("boss", "Being", inverse="staff"),
                    Relationship("staff", "Being", inverse="boss", to_many=True),
                ],
            ),
            Entity("Person", parent="Being", attributes=[Attribute("email", "string")], uniqueness_constraints=[["email"]]),
            Entity("Company", parent="Being", attributes=[Attribute("capital", "decimal")]),
            Entity(
                "Thing",
                attributes=[
                    Attribute("label", "string"),
                    Attribute("small", "integer16"),
                    Attribute("large", "integer64"),
                    Attribute("price", "decimal"),
                    Attribute("weight", "double"),
                    Attribute("ratio", "float"),
                    Attribute("isNew", "boolean"),
                    Attribute("made", "date"),
                    Attribute("serial", "uuid"),
                    Attribute("page", "uri"),
                    Attribute("data", "binaryData"),
                    Attribute("picture", "binaryData", allows_external_binary_data_storage=True),
                ],
                relationships=[
                    Relationship("owner", "Being", inverse="things"),
                    Relationship("tags", "Tag", inverse="things", to_many=True, ordered=True),
                ],
            ),
            Entity(
                "Tag",
                attributes=[Attribute("label", "string")],
                relationships=[Relationship("things", "Thing", inverse="tags", to_many=True)],
            ),
        ]
    )


def fill(context: pinview.Context) -> None:
    tags = [context.insert("Tag", label=f"Tag{number}") for number in range(6)]
    beings = []
    for number in range(BEINGS):
        entity = ("Being", "Person", "Company")[number % 3]
        being = context.insert(entity, label=f"{entity}{number}", rank=number)
        if entity == "Person":
            being["email"] = f"person{number}@example.org"
        elif entity == "Company":
            being["capital"] = decimal.Decimal(number) / 8
        if beings:
            being["boss"] = beings[number // 2 - 1 if number > 1 else 0]
            being["friends"] = {beings[number // 3], beings[-1]}
        beings.append(being)
        for place in range(number % 4):
            thing = context.insert(
                "Thing",
                label=f"Thing{number}.{place}",
                small=number,
                large=number * 10**12,
                price=decimal.Decimal("0.10") * number,
                weight=number / 3,
                ratio=number / 4,
                isNew=number % 2 == 0,
                made=datetime.datetime(2020, 1, 1, tzinfo=datetime.timezone.utc) + datetime.timedelta(days=number),
                serial=uuid.UUID(int=number * 1000 + place),
                page=f"https://example.org/{number}",
                data=bytes(range(number)),
                picture=b"p" * (number * 500),
            )
            thing["owner"] = being
            thing["tags"] = tags[: number % 5]
    context.save()


def change(context: pinview.Context, round_number: int) -> None:
    for being in context.fetch("Being", "rank < %@", [10]):
        being["rank"] = round_number
    for thing in context.fetch("Thing"):
        thing["large"] = (thing["large"] or 0) + 1
    context.insert("Tag", label=f"Tag{round_number + 100}")
    if round_number % 3 == 0:
        things = context.fetch("Thing", "small > %@", [15], limit=1)
        for thing in things:
            context.delete(thing)
    context.save()


def make(folder: pathlib.Path, *, keeps_journal: bool) -> None:
    """Makes a store in a folder. With a journal: its process ends without closing it, as after a
    crash.
    """
    path = folder / "store.sqlite"
    child = os.fork()
    if child:
        _, status = os.waitpid(child, 0)
        if status:
            raise RuntimeError(f"the store could not be made ({status})")
        return
    try:
        with make_model() as model:
            coordinator = pinview.Coordinator(model)
            coordinator.add_store(path, options=OPTIONS)
            context = pinview.Context(coordinator)
            fill(context)
            if keeps_journal:
                pinned = pinview.Context(coordinator)
                pinned.pin()
                pinned.count("Being")
            for round_number in range(8):
                change(context, round_number)
            if keeps_journal:
                os._exit(0)
            context.close()
            coordinator.close()
        os._exit(0)
    except BaseException as error:  # noqa: BLE001
        print(f"the store cannot be made: {error!r}", flush=True)
        os._exit(1)
