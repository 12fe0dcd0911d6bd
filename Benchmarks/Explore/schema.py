"""Random models, stores full of random data, and what the operations need to know of them."""

import datetime
import decimal
import random
import sqlite3
import string
import uuid

import pinview

TYPES = ("integer16", "integer32", "integer64", "boolean", "double", "float", "string", "date", "uuid", "binaryData", "decimal")
SETTINGS = ("PRAGMA journal_mode=wal", "PRAGMA synchronous=normal", "PRAGMA cache_size=-65536", "PRAGMA mmap_size=0")


def value_of(kind, chance):
    """A random value of an attribute."""
    if chance.random() < 0.05:
        return None
    if kind.startswith("integer"):
        return chance.randrange(-1000, 1000)
    if kind == "boolean":
        return chance.random() < 0.5
    if kind in ("double", "float"):
        return chance.randrange(-4000, 4000) / 4
    if kind == "string":
        return "".join(chance.choices(string.ascii_letters + " äß", k=chance.choice((3, 8, 20, 60))))
    if kind == "date":
        return datetime.datetime(2001, 1, 1, tzinfo=datetime.timezone.utc) + datetime.timedelta(seconds=chance.randrange(10**9))
    if kind == "uuid":
        return uuid.UUID(int=chance.getrandbits(128))
    if kind == "binaryData":
        return chance.randbytes(chance.choice((4, 30, 200)))
    return decimal.Decimal(chance.randrange(-(10**6), 10**6)).scaleb(-2)


class Relation:
    """A relationship to many and its inverse, as both sides need them."""

    def __init__(self, name, owner, member, inverse, kind):
        self.name, self.owner, self.member, self.inverse, self.kind = name, owner, member, inverse, kind


class Schema:
    """A random model: three to twelve entities, attributes of all types, relationships of all kinds."""

    def __init__(self, seed):
        self.chance = chance = random.Random(seed)
        self.names = [f"Entity{number}" for number in range(chance.randint(3, 12))]
        self.attributes = {}
        for name in self.names:
            kinds = ["integer32", "string", *chance.choices(TYPES, k=chance.randint(1, 10))]
            self.attributes[name] = {f"a{place}": kind for place, kind in enumerate(kinds)}
        # Each model has one of every kind, and as many more as it has entities.
        kinds = ["one-to-many", "many-to-many", "one-to-many ordered", "one-to-one"]
        kinds += chance.choices(kinds, k=len(self.names))
        self.relations = [
            Relation(f"r{place}", chance.choice(self.names), chance.choice(self.names), f"i{place}", kind)
            for place, kind in enumerate(kinds)
        ]
        self.indexed = {name: "a0" for name in self.names if chance.random() < 0.5}

    def model(self):
        """The model as Pinview takes it."""
        entities = []
        for name in self.names:
            attributes = [pinview.Attribute(each, kind) for each, kind in self.attributes[name].items()]
            relationships = []
            for each in self.relations:
                if each.owner == name:
                    relationships.append(
                        pinview.Relationship(
                            each.name,
                            each.member,
                            inverse=each.inverse,
                            to_many=each.kind != "one-to-one",
                            ordered="ordered" in each.kind,
                        )
                    )
                if each.member == name:
                    relationships.append(
                        pinview.Relationship(each.inverse, each.owner, inverse=each.name, to_many=each.kind == "many-to-many")
                    )
            indexes = [pinview.Index("byFirst", ["a0"])] if name in self.indexed else []
            entities.append(pinview.Entity(name, attributes=attributes, relationships=relationships, indexes=indexes))
        return pinview.Model(entities)

    def fill(self, coordinator, rows):
        """Puts rows of each entity and their relationships into the store."""
        chance = self.chance
        with pinview.Context(coordinator) as context:
            for name in self.names:
                context.insert_many(
                    name,
                    {each: [value_of(kind, chance) for _ in range(rows)] for each, kind in self.attributes[name].items()},
                )
            context.save()
        with pinview.Context(coordinator) as context:
            objects = {name: list(context.fetch(name)) for name in self.names}
            for each in self.relations:
                owners, members = objects[each.owner], objects[each.member]
                if each.kind == "many-to-many":
                    for owner in owners:
                        setattr(owner, each.name, set(chance.sample(members, 3)))
                elif each.kind == "one-to-one":
                    for owner, member in zip(owners, chance.sample(members, len(members))):
                        setattr(owner, each.name, member)
                else:
                    few = owners[: max(1, rows // 10)]
                    for member in members:
                        setattr(member, each.inverse, chance.choice(few))
            context.save()


class Tables:
    """How the store keeps a schema: what somebody needs who works on it by hand."""

    def __init__(self, schema, path):
        self.connection = sqlite3.connect(path, isolation_level=None)
        for setting in SETTINGS:
            self.connection.execute(setting).fetchall()
        self.schema = schema
        known = [name for (name,) in self.connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
        self.columns = {name: [row[1] for row in self.connection.execute(f"PRAGMA table_info({name})")] for name in known}

    def table(self, entity):
        return "Z" + entity.upper()

    def join(self, relation):
        """The join table of a many-to-many relationship, and its columns of owners and members."""
        for table, columns in self.columns.items():
            sides = [column for column in columns if column.upper().endswith((relation.name.upper(), relation.inverse.upper()))]
            if len(sides) == 2:
                # A column is named after the relationship that leads to the rows with these keys' partners.
                owner = next(column for column in sides if column.upper().endswith(relation.inverse.upper()))
                member = next(column for column in sides if column.upper().endswith(relation.name.upper()))
                return table, owner, member
        raise LookupError(f"no join table of {relation.name}")

    def order(self, relation):
        """The column with the order of a relationship's members, for ORDER BY; the key if there is none."""
        found = [
            column
            for column in self.columns[self.table(relation.member)]
            if column.upper().startswith("Z_FOK") and column.upper().endswith(relation.inverse.upper())
        ]
        return found[0] if found else "Z_PK"

    def description(self):
        """The schema and these tables, for the program in Swift (ExploredSchema)."""
        return {
            "entities": [
                {
                    "name": name,
                    "table": self.table(name),
                    "attributes": [
                        {"name": each, "type": kind, "column": "Z" + each.upper()} for each, kind in self.schema.attributes[name].items()
                    ],
                }
                for name in self.schema.names
            ],
            "relations": [self._described(each) for each in self.schema.relations],
        }

    def _described(self, relation):
        described = {key: getattr(relation, key) for key in ("name", "owner", "member", "inverse", "kind")}
        if relation.kind == "many-to-many":
            return described | {"join": dict(zip(("table", "owner", "member"), self.join(relation)))}
        described["column"] = "Z" + relation.inverse.upper()
        if relation.kind == "one-to-one":
            described["ownerColumn"] = "Z" + relation.name.upper()
        if "ordered" in relation.kind:
            described["order"] = self.order(relation)
        return described

    def close(self):
        self.connection.close()
