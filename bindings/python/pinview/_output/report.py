"""A store's summary as text: its entities as a tree, attributes with samples, relationships as a
picture, and the history as a timeline.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from .text import UNICODE, Look, counted, number, padded, shortened, shown, size, table, width

_MINIMUM = 40
_MISSING = "not in this store"
_TYPES = {"integer16": "int16", "integer32": "int32", "integer64": "int64", "boolean": "bool", "binaryData": "binary"}


def described(summary: Any, columns: int = 100, look: Look = UNICODE, entity: str | None = None) -> str:
    """The summary of a store; of a single entity, if one is named."""
    columns = max(columns, _MINIMUM)
    parts = [_entity(summary, each, columns, look) for each in summary.entities if entity in (None, each.name)]
    if entity is None:
        parts = [_head(summary, look), _tree(summary, columns, look), *parts, _picture(summary, columns, look)]
        parts += [_history(summary.history, columns, look), _metadata(summary, columns, look), _tables(summary, look)]
    return "\n\n".join("\n".join(part) for part in parts if part)


def _head(summary: Any, look: Look) -> list[str]:
    journal = f", journal {size(summary.journal_size)}" if summary.journal_size else ""
    return [
        look.strong(summary.path),
        *table(
            [
                ("file", f"{size(summary.size)}{journal}, pages of {number(summary.page_size)} bytes, journal mode {summary.journal_mode}"),
                ("identifier", summary.identifier),
                ("objects", f"{number(summary.count)} of {counted(len(summary.entities), 'entity', 'entities')}"),
                *([("missing", ", ".join(summary.missing))] if summary.missing else []),
            ]
        ),
    ]


# Entities


def _tree(summary: Any, columns: int, look: Look) -> list[str]:
    """The entities, each below its parent, with their numbers of objects."""
    children: dict[str | None, list[Any]] = {}
    for entity in sorted(summary.entities, key=lambda each: str(each.name)):
        children.setdefault(entity.parent, []).append(entity)
    rows: list[tuple[str, str, str]] = []

    def add(entity: Any, before: str, after: str) -> int:
        place = len(rows)
        rows.append(("", "", ""))
        below = children.get(entity.name, [])
        total = int(entity.count)
        for position, child in enumerate(below):
            is_last = position == len(below) - 1
            total += add(child, after + (look.last if is_last else look.branch), after + ("   " if is_last else look.bar))
        note = "abstract" if entity.abstract else f"{number(entity.count)} of its own" if below and total != entity.count else ""
        note = _MISSING if entity.missing else note
        rows[place] = (before + entity.name, number(total), note)
        return total

    for entity in children.get(None, []):
        add(entity, "", "")
    return [look.strong("Entities"), *("  " + line for line in table(rows, right=(False, True)))]


def _entity(summary: Any, entity: Any, columns: int, look: Look) -> list[str]:
    parent = f", a {entity.parent}" if entity.parent else ""
    count = "abstract" if entity.abstract and not entity.count else counted(entity.count, "object")
    lines = [look.strong(entity.name) + look.faint(f"  {count}{parent}")]
    rows: list[tuple[str, str, str]] = []
    for attribute in entity.attributes:
        rows.append((attribute.name, _TYPES.get(attribute.type, attribute.type) + ("" if attribute.optional else " !"), ""))
    for each in entity.relationships:
        kind = f"{'list' if each.ordered else 'set'} of {each.destination}" if each.to_many else each.destination
        rows.append((each.name, kind, _rule(each)))
    names, kinds = (max((width(row[column]) for row in rows), default=0) for column in (0, 1))
    room = max(columns - names - kinds - 6, 10)
    rows = [(name, kind, _samples(attribute, room, look)) for (name, kind, _), attribute in zip(rows, entity.attributes)] + rows[
        len(entity.attributes) :
    ]
    for name, kind, note in rows:
        lines.append(f"  {padded(name, names)}  {padded(kind, kinds)}  {look.faint(shortened(note, room, look.ellipsis))}".rstrip())
    return lines if len(lines) > 1 else []


def _rule(relationship: Any) -> str:
    if relationship.missing:
        return _MISSING
    inverse = f"inverse {relationship.inverse}" if relationship.inverse else "no inverse"
    return inverse + ("" if relationship.delete_rule in (None, "nullify") else f", {relationship.delete_rule}")


def _samples(attribute: Any, room: int, look: Look) -> str:
    if attribute.missing:
        return _MISSING
    if attribute.problem:
        return shortened(f"cannot be read: {attribute.problem}", room, look.ellipsis)
    samples = attribute.samples
    separator = f" {look.dot} "
    each = max((room - len(separator) * (len(samples) - 1)) // max(len(samples), 1), 8)
    return shortened(separator.join(shown(value, each, look) for value in samples), room, look.ellipsis)


# Relationships


def _picture(summary: Any, columns: int, look: Look) -> list[str]:
    """Each pair of relationships as a line between two entities, with a fork at the end of
    which there are many.
    """
    pairs = list(related(summary))
    if not pairs:
        return []
    owners = max(width(owner) for owner, _, _, _ in pairs)
    names = [(one.name, other.name if other is not None else "") for _, one, other, _ in pairs]
    middle = max(width(one) + width(other) for one, other in names) + 7
    lines = []
    for (owner, one, other, destination), (name, inverse) in zip(pairs, names):
        left = look.many_left if other is not None and other.to_many else look.line * 2
        right = look.many if one.to_many else look.line * 2
        line = look.line * (middle - width(name) - width(inverse) - 4)
        text = f"{padded(owner, owners, True)} {left} {name} {line} {inverse}{' ' if inverse else look.line}{right} {destination}"
        lines.append("  " + shortened(text, columns - 2, look.ellipsis))
    return [look.strong("Relationships"), *lines]


def related(summary: Any) -> Iterator[tuple[str, Any, Any, str]]:
    """The relationships, each once with its inverse: entity, relationship, inverse, destination."""
    known = {(entity.name, each.name): each for entity in summary.entities for each in entity.relationships}
    done: set[tuple[str, str]] = set()
    for (entity, name), relationship in known.items():
        if (entity, name) in done:
            continue
        inverse = known.get((relationship.destination, relationship.inverse or ""))
        done.add((entity, name))
        if inverse is not None:
            done.add((relationship.destination, inverse.name))
        is_itself = inverse is relationship
        yield entity, relationship, None if is_itself and not relationship.to_many else inverse, relationship.destination


# History


def _history(history: Any, columns: int, look: Look) -> list[str]:
    if history is None:
        return []
    heading = look.strong("History") + look.faint(f"  {counted(history.count, 'transaction')}")
    if not history.count:
        return [heading]
    lines = [heading]
    if (history.last - history.first).total_seconds() >= 1:
        lines.append(f"  {_moment(history.first)} {_levels(history.activity, look)} {_moment(history.last)}")
    if history.count > len(history.transactions) > 0:
        lines.append("  " + look.faint(f"{look.ellipsis} {number(history.count - len(history.transactions))} earlier"))
    rows = [
        (_moment(each.timestamp), str(each.number), each.author or look.dot, each.context_name or each.program or look.dot, _changes(each))
        for each in history.transactions
    ]
    lines += ["  " + shortened(line, columns - 2, look.ellipsis) for line in table(rows, right=(False, True))]
    return lines


def _moment(moment: Any) -> str:
    return str(moment.strftime("%Y-%m-%d %H:%M:%S"))


def _levels(activity: tuple[int, ...], look: Look) -> str:
    highest, steps = max(activity), len(look.levels) - 1
    return "".join(" " if not count else look.levels[min(1 + count * (steps - 1) // highest, steps)] for count in activity)


def _changes(transaction: Any) -> str:
    parts = []
    for name, numbers in transaction.changes.items():
        signs = " ".join(f"{sign}{number(count)}" for sign, count in zip("+~-", numbers) if count)
        parts.append(f"{name} {signs}")
    return ", ".join(parts)


def _metadata(summary: Any, columns: int, look: Look) -> list[str]:
    if not summary.metadata:
        return []
    names = max(map(width, summary.metadata))
    rows = [(key, shown(value, max(columns - names - 4, 10), look)) for key, value in summary.metadata.items()]
    return [look.strong("Metadata"), *("  " + line for line in table(rows))]


def _tables(summary: Any, look: Look) -> list[str]:
    if not summary.tables:
        return []
    rows = [(name, number(count)) for name, count in summary.tables.items()]
    return [look.strong("Other tables"), *("  " + line for line in table(rows, right=(False, True)))]
