"""What a program does with a store: opens it, reads everything, pins, saves, reads again. Runs in a process of its own.

Each call may fail with an error of the library. Whatever else is raised is a fault of the library, and so is a right answer that is
none: an object of an entity that the row's Z_ENT does not name, or a pinned read that changes.
"""

from __future__ import annotations

import contextlib
import os
import pathlib
import random
from collections.abc import Callable, Iterator

import model_files
import pinview
import template


class Wrong(Exception):
    """What must not be."""


class Session:
    def __init__(self, path: pathlib.Path, entities: dict[tuple[str, int], str] | None, chance: random.Random) -> None:
        self.path = path
        self.entities = entities
        """By root entity and key, as SQLite itself reads the file; None where it cannot."""
        self.chance = chance
        self.errors: dict[str, int] = {}
        self.values_read = 0

    @contextlib.contextmanager
    def attempt(self) -> Iterator[None]:
        try:
            yield
        except pinview.Error as error:
            if not str(error):
                raise Wrong("an error says nothing") from error
            text = f"{type(error).__name__}: {error}"
            if os.environ.get("HOSTILE_VERBOSE"):
                print(text, flush=True)
            self.errors[text] = self.errors.get(text, 0) + 1

    def run(self) -> None:
        with self.attempt(), pinview.Coordinator.model_of_store(self.path) as model:
            model.to_json()
        self.read_models()
        with self.attempt():
            pinview.Coordinator.metadata_of_store(self.path)
        self.examine()
        with template.make_model() as model, pinview.Coordinator(model) as coordinator:
            with self.attempt():
                coordinator.add_store(self.path, options=template.OPTIONS)
            if coordinator.stores:
                self.use(coordinator)
        with template.make_model() as model, pinview.Coordinator(model) as coordinator, self.attempt():
            coordinator.add_store(self.path, read_only=True)
            with pinview.Context(coordinator) as context:
                self.read_all(context, checks=False)

    def examine(self) -> None:
        """Reads the store with a model made of its tables and without locks, commit by commit."""
        with self.attempt(), pinview.Coordinator.model_of_tables(self.path) as model, pinview.Coordinator(model) as coordinator:
            store = coordinator.add_store(self.path, immutable=True)
            commits = store.journal_commits
            for commit in commits[:3] + commits[-3:]:
                with self.attempt(), pinview.Context(coordinator) as context:
                    context.pin(coordinator.journal_commit_token(store, commit.number))
                    for entity in model.entities:
                        with self.attempt():
                            context.count(entity.name)
                            for found in context.fetch(entity.name, limit=5):
                                found.to_dict()

    def use(self, coordinator: pinview.Coordinator) -> None:
        with pinview.Context(coordinator) as context, pinview.Context(coordinator) as pinned:
            with self.attempt():
                coordinator.journal_report()
            with self.attempt():
                pinned.pin()
            before = self.read_all(pinned, checks=True)
            self.read_all(context, checks=True)
            self.read_other_ways(context)
            token = None
            with self.attempt():
                token = pinned.query_generation
            self.read_history(coordinator, context)
            self.write(coordinator)
            self.names_and_tokens(coordinator, context)
            if token is not None:
                self.generation_tokens(context, bytes(token))
            with self.attempt():
                if token is not None:
                    for change in coordinator.difference(token):
                        str(change)
            with self.attempt():
                pinned.refresh_all()
                after = self.read_all(pinned, checks=True)
                for entity, labels in before.items():
                    if entity in after and after[entity] != labels:
                        raise Wrong(
                            f"the pinned {entity} objects were {sorted(map(str, labels))[:5]}, and are {sorted(map(str, after[entity]))[:5]}"
                        )
            with self.attempt():
                coordinator.stores[0].checkpoint()

    def read_models(self) -> None:
        """Reads damaged model files. What loads is a sound model. The same bytes as values of attributes."""
        with self.attempt():
            pinview.KEYED_ARCHIVE.decode(model_files.damaged(self.chance))
        for _ in range(20):
            data = model_files.damaged(self.chance)
            pinview.readable(data)
            with self.attempt(), pinview.Model.from_bytes(data) as model:
                again = pinview.Model.from_json(model.to_json())
                with again:
                    if again != model:
                        raise Wrong(f"a damaged model differs from its JSON: {data!r}")

    # Reading

    def check_entity(self, found: pinview.ManagedObject) -> None:
        if self.entities is None:
            return
        uri = found.object_id.uri
        entity, key = uri.rsplit("/", 2)[1:]
        root = "Being" if entity in ("Being", "Person", "Company") else entity
        expected = self.entities.get((root, int(key[1:])))
        if expected is not None and expected != entity:
            raise Wrong(f"{uri} is an object of {entity}; its row says {expected}")

    def read_all(self, context: pinview.Context, *, checks: bool) -> dict[str, set[object]]:
        """What the objects of each entity are called, of those that can be read as a whole."""
        seen: dict[str, set[object]] = {}
        for entity in template.ENTITIES:
            with self.attempt():
                labels: set[object] = set()
                failures = sum(self.errors.values())
                for found in context.fetch(entity):
                    if checks:
                        self.check_entity(found)
                    with self.attempt():
                        labels.add((found.object_id.uri, str(found["label"])))
                    self.read_object(found, checks)
                if sum(self.errors.values()) == failures:
                    seen[entity] = labels
            with self.attempt():
                context.count(entity)
            for number in range(3):  # others stay readable where one is damaged
                with self.attempt():
                    for found in context.fetch(entity, "label ENDSWITH %@", [str(number)]):
                        self.read_object(found, checks)
        return seen

    def read_object(self, found: pinview.ManagedObject, checks: bool) -> None:
        for name, kind in found.entity.properties.items():
            with self.attempt():
                value = found[name]
                self.values_read += 1
                if kind.is_attribute or value is None:
                    continue
                for member in list(value) if kind.to_many else [value]:
                    # The entity of a fault is what leads to it says; when it is loaded, it is the row's.
                    member["label"]
                    if checks:
                        self.check_entity(member)

    def read_other_ways(self, context: pinview.Context) -> None:
        steps: tuple[Callable[[], object], ...] = (
            lambda: context.fetch_dictionaries("Thing", ["label", "owner", "small", "made", "price"]),
            lambda: list(context.fetch_columns("Thing")),
            lambda: list(context.fetch_columns("Being", ["label", "boss"], object_uris=True)),
            lambda: context.fetch_ids("Being"),
            lambda: list(context.fetch("Thing", "owner.rank > %@", [3], sort=["-large", "label"])),
            lambda: list(context.fetch("Being", "ANY things.small > %@", [3])),
            lambda: list(context.fetch("Being", prefetch=["things", "boss", "friends"])),
            lambda: list(context.fetch("Thing", batch_size=7)),
        )
        for step in steps:
            try:
                with self.attempt():
                    step()
            except TypeError as error:
                raise Wrong(f"the session itself is wrong: {error}") from error

    def read_history(self, coordinator: pinview.Coordinator, context: pinview.Context) -> None:
        with self.attempt():
            for transaction in context.history():
                str(transaction)
                for change in transaction.changes:
                    str(change)
                    with self.attempt():
                        change.tombstone("label")
        with self.attempt():
            context.merge_history(context.history())
        with self.attempt():
            bytes(coordinator.history_token())
        with self.attempt():
            coordinator.set_history_consumer("reader", coordinator.history_token())
            coordinator.history_consumers()

    # Writing

    def write(self, coordinator: pinview.Coordinator) -> None:
        chance = self.chance
        for step in range(6):
            with self.attempt(), pinview.Context(coordinator) as context:
                if step == 0:
                    tag = context.insert("Tag", label="new")
                    context.insert("Person", label="new", email="new@example.org")["things"] = [
                        context.insert("Thing", label="new", tags=[tag])
                    ]
                elif step == 1:
                    for being in context.fetch("Being", limit=5):
                        being["rank"] = 7
                elif step == 2:
                    for thing in context.fetch("Thing", limit=5):
                        thing["tags"] = list(reversed(list(thing["tags"])))
                        thing["owner"] = None
                elif step == 3:
                    for being in context.fetch("Being", limit=4, offset=chance.randrange(10)):
                        context.delete(being)
                elif step == 4:
                    context.batch_update("Thing", {"small": 3})
                    context.batch_delete("Tag", "label == %@", ["new"])
                else:
                    context.batch_insert("Tag", [{"label": f"batch{number}"} for number in range(20)])
                    context.upsert("Person", [{"email": "person1@example.org", "rank": 5}], constraint=["email"])
                context.save()
        with self.attempt(), pinview.Context(coordinator) as context:
            for being in context.fetch("Being"):
                self.read_object(being, checks=False)

    # Names and tokens

    def damaged_bytes(self, sound: bytes) -> Iterator[bytes]:
        chance = self.chance
        for _ in range(12):
            data = bytearray(sound)
            for _ in range(chance.choice((1, 1, 3))):
                data[chance.randrange(len(data))] ^= 1 << chance.randrange(8)
            if chance.random() < 0.2:
                del data[chance.randrange(len(data)) :]
            if bytes(data) != sound:
                yield bytes(data)

    def generation_tokens(self, context: pinview.Context, sound: bytes) -> None:
        for data in self.damaged_bytes(sound):
            with self.attempt():
                context.pin(pinview.QueryGenerationToken.from_bytes(data))
                raise Wrong(f"a damaged generation token is taken: {data!r} for {sound!r}")

    def names_and_tokens(self, coordinator: pinview.Coordinator, context: pinview.Context) -> None:
        chance = self.chance
        uris: list[str] = []
        tokens: list[bytes] = []
        with self.attempt():
            uris = [found.uri for found in context.fetch_ids("Being")]
        with self.attempt():
            tokens.append(bytes(coordinator.history_token()))
        for uri in chance.sample(uris, min(8, len(uris))):
            head, entity, key = uri.rsplit("/", 2)
            for damaged in (
                f"{head}/{chance.choice(template.ENTITIES)}/{key}",
                f"{head}/{entity}/p{chance.choice((2**63 - 1, -(2**63), 0, -1, 2**62, 2**64, 10**6))}",
                "".join(chr(ord(character) ^ (chance.random() < 0.05)) for character in uri),
                uri[: chance.randrange(len(uri))],
            ):
                # A context that knows no object yet: nobody else says of which entity it is.
                with self.attempt(), pinview.Context(coordinator) as fresh:
                    object_id = coordinator.object_id(damaged)
                    if object_id is None:
                        continue
                    found = fresh.existing_object(object_id)
                    self.check_entity(found)
                    self.read_object(found, checks=True)
        for token in tokens:
            for data in self.damaged_bytes(token):
                with self.attempt():
                    pinview.HistoryToken.from_bytes(data)
                    raise Wrong(f"a damaged history token is taken: {data!r} for {token!r}")
        with self.attempt():
            for being in context.fetch("Being"):
                self.check_entity(being)
