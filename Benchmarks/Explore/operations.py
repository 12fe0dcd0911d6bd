"""What is done with a random store, each kind by hand in SQL and through Pinview.

An operation prepares a `Case` and returns a pair of functions: by hand and through Pinview. What
they return must be the same; None stands for nothing to compare. By hand, rows are kept as tuples.
"""

import pinview

KINDS = {}
# Operations of which Pinview does its part first: by hand, rows get other versions than the objects know.
PINVIEW_FIRST = set()


def kind(function):
    """Registers an operation under its name."""
    KINDS[function.__name__.replace("_", " ")] = function
    return function


def pinview_first(function):
    """Registers an operation of which Pinview does its part first."""
    PINVIEW_FIRST.add(function)
    return function


class Case:
    """A store, and random choices for one operation."""

    def __init__(self, schema, tables, coordinator, rows):
        self.schema, self.tables, self.coordinator, self.rows = schema, tables, coordinator, rows
        self.chance, self.sql = schema.chance, tables.connection
        self.entity = self.chance.choice(schema.names)
        self.table = tables.table(self.entity)
        # Types that both sides give as the same Python objects.
        plain = [
            name for name, each in schema.attributes[self.entity].items() if each.startswith("integer") or each in ("string", "double")
        ]
        self.names = self.chance.sample(plain, min(len(plain), self.chance.randint(1, 3)))
        self.columns = ", ".join("Z" + name.upper() for name in self.names)

    def context(self):
        """A new context, pinned."""
        context = pinview.Context(self.coordinator)
        context.pin()
        return context

    def relation(self, kind):
        """A relationship of a kind."""
        return self.chance.choice([each for each in self.schema.relations if each.kind == kind])

    def keys(self, count):
        """Random primary keys of the entity."""
        return self.chance.sample(range(1, self.rows + 1), min(count, self.rows))

    def ids(self, context, keys):
        """Object IDs for keys."""
        store = self.coordinator.stores[0].identifier
        return [self.coordinator.object_id(f"x-coredata://{store}/{self.entity}/p{key}") for key in keys]


def key_of(each):
    """The primary key of an object."""
    return int(each.object_id.uri.rpartition("/p")[2])


def checksum(rows):
    """A checksum of rows of plain values."""
    return sum(len(value) if isinstance(value, str) else 0 if value is None else int(value) for row in rows for value in row)


@kind
def fetch_objects_and_read(case):
    context = case.context()
    names = case.names

    def by_hand():
        rows = case.sql.execute(f"SELECT * FROM {case.table}").fetchall()
        places = [case.tables.columns[case.table].index("Z" + name.upper()) for name in names]
        return checksum([[row[place] for place in places] for row in rows])

    def pinview_():
        return checksum([[getattr(each, name) for name in names] for each in context.fetch(case.entity)])

    return by_hand, pinview_


@kind
def fetch_by_a_condition(case):
    context, limit = case.context(), case.chance.randrange(-500, 500)
    by_hand = lambda: checksum(case.sql.execute(f"SELECT {case.columns} FROM {case.table} WHERE ZA0 > ?", [limit]).fetchall())
    return by_hand, lambda: checksum(
        [[getattr(each, name) for name in case.names] for each in context.fetch(case.entity, "a0 > %@", [limit])]
    )


@kind
def fetch_a_sorted_page(case):
    context, offset = case.context(), case.chance.randrange(case.rows)
    sql = f"SELECT {case.columns} FROM {case.table} ORDER BY ZA1, Z_PK LIMIT 50 OFFSET {offset}"
    return lambda: checksum(case.sql.execute(sql).fetchall()), lambda: checksum(
        [[getattr(each, name) for name in case.names] for each in context.fetch(case.entity, sort="a1", limit=50, offset=offset)]
    )


@kind
def count_by_a_condition(case):
    context, limit = case.context(), case.chance.randrange(-500, 500)
    return (
        lambda: case.sql.execute(f"SELECT count(*) FROM {case.table} WHERE ZA0 > ? AND ZA1 IS NOT NULL", [limit]).fetchone()[0],
        lambda: context.count(case.entity, "a0 > %@ AND a1 != nil", [limit]),
    )


@kind
def values(case):
    context = case.context()
    return (
        lambda: checksum(case.sql.execute(f"SELECT {case.columns} FROM {case.table}").fetchall()),
        lambda: checksum(list(context.values(case.entity, case.names))),
    )


@kind
def rows_of_columns(case):
    context = case.context()
    return (
        lambda: checksum(case.sql.execute(f"SELECT {case.columns} FROM {case.table}")),
        lambda: checksum(context.fetch_columns(case.entity, case.names).rows()),
    )


@kind
def group_and_sum(case):
    context = case.context()
    return (
        lambda: len(case.sql.execute(f"SELECT ZA0, count(Z_PK), max(ZA1) FROM {case.table} GROUP BY ZA0").fetchall()),
        lambda: len(context.fetch_dictionaries(case.entity, {"a0": "a0", "n": "count:(a0)", "most": "max:(a1)"}, group_by="a0")),
    )


@kind
def objects_by_key(case):
    keys = case.keys(300)
    context = case.context()
    ids = case.ids(context, keys)
    sql = f"SELECT * FROM {case.table} WHERE Z_PK = ?"
    place = case.tables.columns[case.table].index("ZA0")
    return (
        lambda: sum(case.sql.execute(sql, [key]).fetchone()[place] or 0 for key in keys),
        lambda: sum(context.existing_object(each).a0 or 0 for each in ids),
    )


def followed(case, relation):
    """By hand: from the owners to the members, a statement for each."""
    members = case.tables.table(relation.member)
    if relation.kind == "many-to-many":
        join, owner, member = case.tables.join(relation)
        sql = f"SELECT m.Z_PK, m.ZA0 FROM {join} j JOIN {members} m ON m.Z_PK = j.{member} WHERE j.{owner} = ?"
    else:
        sql = f"SELECT Z_PK, ZA0 FROM {members} WHERE Z{relation.inverse.upper()} = ?"
        if "ordered" in relation.kind:
            sql += f" ORDER BY {case.tables.order(relation)}"
    owners = f"SELECT Z_PK, ZA0 FROM {case.tables.table(relation.owner)}"
    return lambda: sum(row[1] or 0 for owner in case.sql.execute(owners).fetchall() for row in case.sql.execute(sql, [owner[0]]).fetchall())


def walk(case, kind_of_relation, prefetched):
    relation, context = case.relation(kind_of_relation), case.context()
    options = {"prefetch": [relation.name]} if prefetched else {}

    def pinview_():
        owners = context.fetch(relation.owner, **options)
        return sum(member.a0 or 0 for owner in owners for member in getattr(owner, relation.name))

    return followed(case, relation), pinview_


@kind
def one_to_many(case):
    return walk(case, "one-to-many", False)


@kind
def one_to_many_prefetched(case):
    return walk(case, "one-to-many", True)


@kind
def ordered_members(case):
    return walk(case, "one-to-many ordered", False)


@kind
def ordered_members_prefetched(case):
    return walk(case, "one-to-many ordered", True)


@kind
def many_to_many(case):
    return walk(case, "many-to-many", False)


@kind
def many_to_many_prefetched(case):
    return walk(case, "many-to-many", True)


@kind
def to_one(case):
    relation, context = case.relation("one-to-many"), case.context()
    owners, members = case.tables.table(relation.owner), case.tables.table(relation.member)
    column = "Z" + relation.inverse.upper()

    def by_hand():
        known, total = {}, 0
        for _, key in case.sql.execute(f"SELECT Z_PK, {column} FROM {members}").fetchall():
            if key is not None and key not in known:
                known[key] = case.sql.execute(f"SELECT Z_PK, ZA0 FROM {owners} WHERE Z_PK = ?", [key]).fetchone()
            total += 0 if key is None else known[key][1] or 0
        return total

    def pinview_():
        found = (getattr(each, relation.inverse) for each in context.fetch(relation.member))
        return sum(owner.a0 or 0 for owner in found if owner is not None)

    return by_hand, pinview_


@kind
def condition_over_a_relationship(case):
    relation, context = case.relation("one-to-many"), case.context()
    owners, members = case.tables.table(relation.owner), case.tables.table(relation.member)
    sql = f"SELECT count(*) FROM {members} m JOIN {owners} o ON o.Z_PK = m.Z{relation.inverse.upper()} WHERE o.ZA0 > 0"
    return lambda: case.sql.execute(sql).fetchone()[0], lambda: context.count(relation.member, f"{relation.inverse}.a0 > 0")


# Writing. By hand with the version and the primary key that the store's format asks for.


def transaction(case, work):
    """Runs work by hand in a transaction."""

    def run():
        case.sql.execute("BEGIN IMMEDIATE")
        result = work()
        case.sql.execute("COMMIT")
        return result

    return run


@kind
def insert_many_objects(case):
    context = pinview.Context(case.coordinator)
    (number,) = case.sql.execute("SELECT Z_ENT FROM Z_PRIMARYKEY WHERE Z_NAME = ?", [case.entity]).fetchone()

    def by_hand():
        (last,) = case.sql.execute("SELECT Z_MAX FROM Z_PRIMARYKEY WHERE Z_NAME = ?", [case.entity]).fetchone()
        case.sql.execute("UPDATE Z_PRIMARYKEY SET Z_MAX = ? WHERE Z_NAME = ?", [last + 300, case.entity])
        rows = ((last + 1 + each, number, 1, each, "somebody") for each in range(300))
        case.sql.executemany(f"INSERT INTO {case.table} (Z_PK, Z_ENT, Z_OPT, ZA0, ZA1) VALUES (?, ?, ?, ?, ?)", rows)

    def pinview_():
        for each in range(300):
            context.insert(case.entity, a0=each, a1="somebody")
        context.save()

    return transaction(case, by_hand), pinview_


def written(case, count):
    """Objects in an unpinned context, and the same rows by hand with their versions."""
    context = pinview.Context(case.coordinator)
    objects = list(context.fetch(case.entity, "a0 != nil", limit=count, returns_objects_as_faults=False))
    return context, objects, [key_of(each) for each in objects]


def updates(case, keys, value):
    """By hand: the update of some rows, each of which must have the version that was read."""
    versions = dict(case.sql.execute(f"SELECT Z_PK, Z_OPT FROM {case.table} WHERE Z_PK <= {max(keys)}"))
    sql = f"UPDATE {case.table} SET Z_OPT = ?, ZA0 = ? WHERE Z_PK = ? AND Z_OPT = ?"
    return sql, [(versions[key] + 1, value, key, versions[key]) for key in keys]


@pinview_first
@kind
def update_many_objects(case):
    context, objects, keys = written(case, 300)

    def by_hand():
        case.sql.executemany(*updates(case, keys, 7))

    def pinview_():
        for each in objects:
            each.a0 = 8
        context.save()

    return transaction(case, by_hand), pinview_


@pinview_first
@kind
def save_each_change(case):
    context, objects, keys = written(case, 50)

    def by_hand():
        sql, rows = updates(case, keys, 5)
        for row in rows:
            case.sql.execute("BEGIN IMMEDIATE")
            case.sql.execute(sql, row)
            case.sql.execute("COMMIT")

    def pinview_():
        for each in objects:
            each.a0 = 6
            context.save()

    return by_hand, pinview_


@pinview_first
@kind
def delete_objects(case):
    context, objects, keys = written(case, 40)
    # The rows after them, which have as many members.
    following = f"SELECT Z_PK FROM {case.table} WHERE ZA0 IS NOT NULL AND Z_PK > {max(keys)} ORDER BY Z_PK LIMIT 40"
    left = [key for (key,) in case.sql.execute(following)]
    joins = [
        (table, column)
        for each in case.schema.relations
        if each.kind == "many-to-many"
        for table, owner, member in [case.tables.join(each)]
        for column, entity in ((owner, each.owner), (member, each.member))
        if entity == case.entity
    ]
    members = [
        (case.tables.table(each.member), "Z" + each.inverse.upper())
        for each in case.schema.relations
        if each.owner == case.entity and each.kind != "many-to-many"
    ]
    owners = [
        (case.tables.table(each.owner), "Z" + each.name.upper())
        for each in case.schema.relations
        if each.member == case.entity and each.kind == "one-to-one"
    ]

    def by_hand():
        # What refers to the rows must let go of them.
        for table, column in members + owners:
            case.sql.executemany(f"UPDATE {table} SET {column} = NULL, Z_OPT = Z_OPT + 1 WHERE {column} = ?", [(key,) for key in left])
        for table, column in joins:
            case.sql.executemany(f"DELETE FROM {table} WHERE {column} = ?", [(key,) for key in left])
        case.sql.executemany(f"DELETE FROM {case.table} WHERE Z_PK = ?", [(key,) for key in left])

    def pinview_():
        for each in objects:
            context.delete(each)
        context.save()

    return transaction(case, by_hand), pinview_


@kind
def batch_update(case):
    context = pinview.Context(case.coordinator)

    def by_hand():
        case.sql.execute(f"UPDATE {case.table} SET ZA0 = ZA0 + 1, Z_OPT = Z_OPT + 1 WHERE ZA0 > 100")

    def pinview_():
        context.batch_update(case.entity, {}, "a0 > 100", expressions={"a0": "a0 + 1"})

    return transaction(case, by_hand), pinview_


@kind
def pin_and_read(case):
    context = pinview.Context(case.coordinator)
    (one,) = case.ids(context, case.keys(1))
    key = int(one.uri.rpartition("/p")[2])

    def by_hand():
        for _ in range(50):
            case.sql.execute("BEGIN")
            case.sql.execute(f"SELECT * FROM {case.table} WHERE Z_PK = ?", [key]).fetchone()
            case.sql.execute("ROLLBACK")

    def pinview_():
        for _ in range(50):
            context.pin()
            assert context.object(one).a0 is not Ellipsis
            context.unpin()

    return by_hand, pinview_
