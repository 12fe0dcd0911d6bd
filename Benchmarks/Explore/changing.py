"""Work beside unsaved changes, with the members of relationships, and with changes that are taken back."""

from collections.abc import Callable

import pinview
from operations import Case, followed, key_of, kind, pinview_first, transaction, written


def page_beside_changes(case: Case, order: str):
    """Sorted pages while half of the objects have unsaved changes of `a0`; by hand, in the transaction that made them."""
    context = pinview.Context(case.coordinator)
    objects = list(context.fetch(case.entity, returns_objects_as_faults=False))
    changed = {key_of(each): case.chance.randrange(-500, 500) for each in objects[::2]}
    for each in objects[::2]:
        each.a0 = changed[key_of(each)]
    if case.sql.in_transaction:
        case.sql.execute("ROLLBACK")
    case.sql.execute("BEGIN")
    case.sql.executemany(f"UPDATE {case.table} SET ZA0 = ? WHERE Z_PK = ?", [(value, key) for key, value in changed.items()])
    offsets = [case.chance.randrange(case.rows) for _ in range(5)]
    sql = f"SELECT * FROM {case.table} ORDER BY Z{order.upper()} LIMIT 50 OFFSET ?"
    place = case.tables.columns[case.table].index("Z" + order.upper())
    return (
        # What follows from the order; objects that are equal in it may be any.
        lambda: [[row[place] for row in case.sql.execute(sql, [offset]).fetchall()] for offset in offsets],
        lambda: [[getattr(each, order) for each in context.fetch(case.entity, sort=order, limit=50, offset=offset)] for offset in offsets],
    )


@kind
def page_beside_other_changes(case):
    return page_beside_changes(case, "a1")


@kind
def page_beside_changes_of_its_order(case):
    return page_beside_changes(case, "a0")


def taken_back(case: Case, take_back: Callable[[pinview.Context], None]):
    """Changes that are taken back."""
    context, objects, keys = written(case, 300)

    def by_hand():
        case.sql.execute("BEGIN")
        case.sql.executemany(f"UPDATE {case.table} SET ZA0 = ? WHERE Z_PK = ?", [(7, key) for key in keys])
        case.sql.execute("ROLLBACK")

    def pinview_():
        for each in objects:
            each.a0 = 7
        take_back(context)

    return by_hand, pinview_


@kind
def undo_changes(case):
    return taken_back(case, pinview.Context.undo)


@kind
def roll_changes_back(case):
    return taken_back(case, pinview.Context.rollback)


@pinview_first
@kind
def save_a_child_and_its_parent(case):
    parent, _, keys = written(case, 300)
    child = pinview.Context(parent=parent)
    objects = list(child.fetch(case.entity, "a0 != nil", limit=300, returns_objects_as_faults=False))

    def by_hand():
        case.sql.execute("SAVEPOINT child")
        case.sql.executemany(f"UPDATE {case.table} SET Z_OPT = Z_OPT + 1, ZA0 = ? WHERE Z_PK = ?", [(7, key) for key in keys])
        case.sql.execute("RELEASE child")

    def pinview_():
        for each in objects:
            each.a0 = 8
        child.save()
        parent.save()

    return transaction(case, by_hand), pinview_


# Members.


def largest(case, kind_of_relation):
    """An owner with many members of a relationship, as an object of an unpinned context with its members loaded."""
    relation, context = case.relation(kind_of_relation), pinview.Context(case.coordinator)
    owners = context.fetch(relation.owner, prefetch=[relation.name])
    owner = max(owners, key=lambda each: len(getattr(each, relation.name)))
    key = key_of(owner)
    return relation, context, owner, key


def ordered_columns(case, relation):
    return case.tables.table(relation.member), "Z" + relation.inverse.upper(), case.tables.order(relation)


@pinview_first
@kind
def save_each_move_of_an_ordered_member(case):
    relation, context, owner, key = largest(case, "one-to-many ordered")
    members = getattr(owner, relation.name)
    table, column, order = ordered_columns(case, relation)
    first, last = (f"SELECT Z_PK, {order} FROM {table} WHERE {column} = ? ORDER BY {order} {way} LIMIT 1" for way in ("ASC", "DESC"))

    def by_hand():
        for _ in range(20):
            case.sql.execute("BEGIN IMMEDIATE")
            (moved, _), (_, place) = case.sql.execute(last, [key]).fetchone(), case.sql.execute(first, [key]).fetchone()
            case.sql.execute(f"UPDATE {table} SET {order} = ? WHERE Z_PK = ?", [place - 1, moved])
            case.sql.execute("COMMIT")

    def pinview_():
        for _ in range(20):
            members.insert(0, members[-1])
            context.save()

    return by_hand, pinview_


@pinview_first
@kind
def save_each_removal_of_an_ordered_member(case):
    relation, context, owner, key = largest(case, "one-to-many ordered")
    members = getattr(owner, relation.name)
    table, column, order = ordered_columns(case, relation)
    last = f"SELECT Z_PK FROM {table} WHERE {column} = ? ORDER BY {order} DESC LIMIT 1"

    def by_hand():
        for _ in range(5):
            case.sql.execute("BEGIN IMMEDIATE")
            (removed,) = case.sql.execute(last, [key]).fetchone()
            case.sql.execute(f"UPDATE {table} SET Z_OPT = Z_OPT + 1, {column} = NULL, {order} = NULL WHERE Z_PK = ?", [removed])
            case.sql.execute("COMMIT")

    def pinview_():
        for _ in range(5):
            members.pop()
            context.save()

    return by_hand, pinview_


@kind
def ordered_members_by_position(case):
    relation, context, owner, key = largest(case, "one-to-many ordered")
    members = getattr(owner, relation.name)
    table, column, order = ordered_columns(case, relation)
    places = [case.chance.randrange(len(members)) for _ in range(50)]
    sql = f"SELECT ZA0 FROM {table} WHERE {column} = ? ORDER BY {order} LIMIT 1 OFFSET ?"

    def pinview_():
        assert not context.closed  # members belong to it
        return [members[place].a0 for place in places]

    return lambda: [case.sql.execute(sql, [key, place]).fetchone()[0] for place in places], pinview_


@kind
def members_beside_a_writer(case):
    relation, context = case.relation("one-to-many"), pinview.Context(case.coordinator)
    known = list(context.fetch(relation.member, returns_objects_as_faults=False))
    # From here on, what the context has read and what it reads belong to different states.
    with pinview.Context(case.coordinator) as other:
        other.fetch(relation.member, limit=1)[0].a1 = "changed"
        other.save()

    def pinview_():
        owners = context.fetch(relation.owner)
        assert known
        return sum(member.a0 or 0 for owner in owners for member in getattr(owner, relation.name))

    return followed(case, relation), pinview_


def joined(case):
    relation = case.relation("many-to-many")
    return relation, case.tables.table(relation.owner), case.tables.table(relation.member), *case.tables.join(relation)


@kind
def owners_of_a_member(case):
    relation, owners, _, join, owner, member = joined(case)
    context = case.context()
    chosen = list(context.fetch(relation.member, limit=20))
    keys = [key_of(each) for each in chosen]
    sql = f"SELECT o.ZA0 FROM {join} j JOIN {owners} o ON o.Z_PK = j.{owner} WHERE j.{member} = ?"
    return (
        lambda: sum(row[0] or 0 for key in keys for row in case.sql.execute(sql, [key]).fetchall()),
        lambda: sum(each.a0 or 0 for one in chosen for each in context.fetch(relation.owner, f"ANY {relation.name} == %@", [one])),
    )


@kind
def owners_of_members_with_a_value(case):
    relation, _, members, join, owner, member = joined(case)
    context = case.context()
    values = [case.chance.randrange(-500, 500) for _ in range(20)]
    sql = f"SELECT count(DISTINCT j.{owner}) FROM {members} m JOIN {join} j ON j.{member} = m.Z_PK WHERE m.ZA0 = ?"
    return (
        lambda: [case.sql.execute(sql, [value]).fetchone()[0] for value in values],
        lambda: [context.count(relation.owner, f"ANY {relation.name}.a0 == %@", [value]) for value in values],
    )


@kind
def save_many_to_many_members(case):
    relation, _, _, join, owner, member = joined(case)
    context = pinview.Context(case.coordinator)
    owners = list(context.fetch(relation.owner, limit=200, prefetch=[relation.name], returns_objects_as_faults=False))
    members = list(context.fetch(relation.member, returns_objects_as_faults=False))
    added, others = case.chance.sample(members, len(owners)), case.chance.sample(range(1, case.rows + 1), len(owners))
    pairs = [(key_of(each), key) for each, key in zip(owners, others)]
    sql = f"INSERT OR IGNORE INTO {join} ({owner}, {member}) VALUES (?, ?)"

    def by_hand():
        case.sql.executemany(sql, pairs)

    def pinview_():
        for each, one in zip(owners, added):
            getattr(each, relation.name).add(one)
        context.save()

    return transaction(case, by_hand), pinview_


# Whole results.


@kind
def fetch_ids(case):
    context = case.context()
    return (
        lambda: len([key for (key,) in case.sql.execute(f"SELECT Z_PK FROM {case.table}").fetchall()]),
        lambda: len(context.fetch_ids(case.entity)),
    )


@kind
def dictionaries(case):
    context, sql = case.context(), f"SELECT {case.columns} FROM {case.table}"
    return (
        lambda: len([dict(zip(case.names, row)) for row in case.sql.execute(sql).fetchall()]),
        lambda: len(context.fetch_dictionaries(case.entity, case.names)),
    )


@kind
def refresh_and_read_again(case):
    context = pinview.Context(case.coordinator)
    objects = list(context.fetch(case.entity, returns_objects_as_faults=False))

    def by_hand():
        return sum(row[0] or 0 for row in case.sql.execute(f"SELECT ZA0 FROM {case.table}").fetchall())

    def pinview_():
        context.refresh_all()
        return sum(each.a0 or 0 for each in objects)

    return by_hand, pinview_
