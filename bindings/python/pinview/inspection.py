"""Looks into stores without a model at hand, reading only: what `python -m pinview inspect`,
`query` and `export` do, as functions.

    from pinview import inspection

    print(inspection.inspect("people.sqlite"))
    with inspection.open_store("people.sqlite") as context:
        for person in context.fetch("Person", "age > 30"):
            print(person.name)
    inspection.export("people.sqlite", "Person", "people.parquet")

The store may be in use: a program that writes to it is not disturbed, and everything that one call
tells is of one generation. Nothing is ever written to the store's file.
"""

from __future__ import annotations

import contextlib
import datetime
import hashlib
import os
import shutil
import tempfile
from collections.abc import Callable, Iterable, Iterator, Sequence

from ._ffi.dates import date_of_seconds
from ._output import rows as _rows
from ._output.diagram import drawn
from ._output.report import described
from ._support.annotating import Any
from ._support.forward import Path
from ._support.records import field, record
from .context import Context
from .coordinator import Coordinator
from .errors import InvalidArgumentError, NoCoordinatorError, StoreError, UnknownKeyError
from .fetching import FetchRequest
from .history import HistoryChangeType
from .managed_object import ManagedObject
from .model import Model
from .sql import Parameters

_SAMPLED_ROWS = 200
_EXAMINED_ROWS = 500


@record(frozen=True)
class AttributeSummary:
    """An attribute of an entity."""

    name: str
    type: str
    """integer16, integer32, integer64, decimal, double, float, string, boolean, date, binaryData,
    uuid, uri or transformable.
    """
    optional: bool
    samples: tuple[Any, ...] = ()
    """Different values of the first rows that have one."""
    problem: str | None = None
    """Why values cannot be read, for example because the file of large data is missing."""
    missing: bool = False
    """Whether the store lacks the attribute: see inspect()."""


@record(frozen=True)
class RelationshipSummary:
    """A relationship of an entity."""

    name: str
    destination: str
    inverse: str | None
    to_many: bool
    ordered: bool
    delete_rule: str | None
    missing: bool = False
    """Whether the store lacks the relationship."""


@record(frozen=True)
class EntitySummary:
    """An entity, with what it adds to its parent entity."""

    name: str
    parent: str | None
    abstract: bool
    count: int
    """The number of objects of the entity itself, without sub-entities."""
    attributes: tuple[AttributeSummary, ...]
    relationships: tuple[RelationshipSummary, ...]
    missing: bool = False
    """Whether the store lacks the entity, so that it cannot have objects."""


@record(frozen=True)
class TransactionSummary:
    """A transaction of the store's history."""

    number: int
    timestamp: datetime.datetime
    author: str | None
    context_name: str | None
    program: str | None
    changes: dict[str, tuple[int, int, int]]
    """The numbers of inserted, updated and deleted objects, by entity."""


@record(frozen=True)
class HistorySummary:
    """The history of a store."""

    count: int
    """The number of transactions."""
    first: datetime.datetime | None
    last: datetime.datetime | None
    activity: tuple[int, ...]
    """The number of transactions in each of some equal spans of time from the first to the last."""
    transactions: tuple[TransactionSummary, ...]
    """The newest transactions, the newest last."""


@record(frozen=True)
class StoreSummary:
    """What is in a store, at one generation."""

    path: str
    identifier: str
    size: int
    """The size of the file in bytes."""
    journal_size: int
    """The size of its write-ahead journal in bytes."""
    journal_mode: str
    page_size: int
    entities: tuple[EntitySummary, ...]
    history: HistorySummary | None = None
    """None if the store keeps no history."""
    tables: dict[str, int] = field(default_factory=dict)
    """Tables of the file that belong to no entity, with the number of their rows."""
    missing: tuple[str, ...] = ()
    """What the model asks for and the store lacks: "Pet", "Person.age"."""
    metadata: dict[str, Any] = field(default_factory=dict)
    """What the store says of itself: Core Data's entries, with the versions of its model and of the
    framework, and the program's own. The library's copy of the model is left out.
    """

    @property
    def count(self) -> int:
        """The number of objects."""
        return sum(entity.count for entity in self.entities)

    def to_svg(self) -> str:
        """A diagram of the entities and their relationships, as an SVG document."""
        return drawn(self)

    def __str__(self) -> str:
        return described(self)


@contextlib.contextmanager
def open_store(path: Path, model: Model | None = None, *, immutable: bool = False, allow_missing: bool = False) -> Iterator[Context]:
    """Opens a store for reading only, and gives a context that is pinned to its newest generation.

    Args:
        path: The store's file. Other programs may be using it.
        model: Its model; None for what the store says about itself.
        immutable: Whether nobody changes the file meanwhile, so that it is read without locks and
            nothing in its folder is touched.
        allow_missing: Whether the store may lack entities and properties of the model, which then
            have no objects and no values: see Store.missing.
    """
    if not os.path.exists(os.fspath(path)):
        raise InvalidArgumentError(f"There is no file {os.fspath(path)!r}.")
    with contextlib.ExitStack() as stack:
        known = model
        if known is None:
            source = stack.enter_context(_working_copy(path)) if immutable else path
            known = stack.enter_context(Coordinator.model_of_store(source))
        coordinator = stack.enter_context(_opened(path, known, immutable, allow_missing))
        context = stack.enter_context(Context(coordinator))
        if coordinator.stores[0].supports_query_generations:
            context.pin()
        yield context


def coordinator_of(context: Context) -> Coordinator:
    """The coordinator of a context that open_store() gave."""
    coordinator = context.coordinator
    if coordinator is None:
        raise NoCoordinatorError("The context has no coordinator.")
    return coordinator


@contextlib.contextmanager
def _working_copy(path: Path) -> Iterator[str]:
    """A copy of a store and its journal: finding out the model takes locks."""
    with tempfile.TemporaryDirectory() as folder:
        copy = os.path.join(folder, os.path.basename(os.fspath(path)))
        for suffix in ("", "-wal"):
            with contextlib.suppress(FileNotFoundError):
                shutil.copyfile(os.fspath(path) + suffix, copy + suffix)
        yield copy


def digests(path: Path) -> dict[str, str]:
    """The SHA-256 of a store's file and of the files beside it that belong to SQLite, by name."""
    found: dict[str, str] = {}
    for suffix in ("", "-wal", "-shm", "-journal"):
        with contextlib.suppress(FileNotFoundError), open(os.fspath(path) + suffix, "rb") as file:
            digest = hashlib.sha256()
            while block := file.read(1 << 20):
                digest.update(block)
            found[os.path.basename(file.name)] = digest.hexdigest()
    return found


def _opened(path: Path, model: Model, immutable: bool, allow_missing: bool) -> Coordinator:
    """A coordinator with the store; with its history, if it has one."""
    coordinator = Coordinator(model)
    choices: dict[str, Any] = {"read_only": True, "immutable": immutable, "allow_missing": allow_missing}
    try:
        store = coordinator.add_store(path, **choices)
        if _has_history(coordinator):
            coordinator.remove_store(store)
            coordinator.add_store(path, history_tracking=True, **choices)
    except BaseException:
        coordinator.close()
        raise
    return coordinator


def _has_history(coordinator: Coordinator) -> bool:
    with coordinator.sql("SELECT count(*) FROM sqlite_master WHERE type = 'table' AND name IN ('ATRANSACTION', 'ACHANGE')") as found:
        return found.fetchall() == [(2,)]


def inspect(
    path: Path,
    *,
    model: Model | None = None,
    samples: int = 3,
    transactions: int = 10,
    immutable: bool = False,
    allow_missing: bool = False,
) -> StoreSummary:
    """Summarizes a store: its entities with their numbers of objects, attributes with samples,
    relationships, and its history.

    `print(inspect(path))` shows it as text; `inspect(path).to_svg()` draws it.

    Args:
        path: The store's file. Other programs may be using it.
        model: Its model; None for what the store says about itself.
        samples: How many different values to show of each attribute.
        transactions: How many of the newest transactions to show.
        immutable: Whether nobody changes the file meanwhile; see open_store().
        allow_missing: Whether the store may lack entities and properties of the model; they are
            listed in StoreSummary.missing.
    """
    with open_store(path, model, immutable=immutable, allow_missing=allow_missing) as context:
        store = coordinator_of(context).stores[0]
        entities = tuple(_entity(context, entity, samples) for entity in coordinator_of(context).model.entities)
        return StoreSummary(
            path=os.fspath(path),
            identifier=store.identifier,
            size=os.path.getsize(path),
            journal_size=store.journal_size,
            journal_mode=store.journal_mode,
            page_size=_number(context, "PRAGMA page_size"),
            entities=entities,
            history=_history(context, transactions),
            tables=_other_tables(context),
            missing=tuple(map(str, store.missing)),
            metadata={key: value for key, value in sorted(store.metadata.items()) if key != "PinviewModel"},
        )


def _number(context: Context, statement: str, parameters: Parameters = ()) -> int:
    with context.sql(statement, parameters) as rows:
        return int(rows.fetchall()[0][0])


def _entity(context: Context, entity: Any, samples: int) -> EntitySummary:
    coordinator = coordinator_of(context)
    model, store = coordinator.model, coordinator.stores[0]
    inherited = model.entity(entity.parent).properties if entity.parent else {}
    own = [each for name, each in entity.properties.items() if name not in inherited]
    count = context.count(FetchRequest(entity.name, includes_subentities=False))
    found, problems = _samples(context, entity, [each.name for each in own if each.is_attribute and not each.transient], samples)
    return EntitySummary(
        name=entity.name,
        parent=entity.parent,
        abstract=entity.abstract,
        count=count,
        attributes=tuple(
            AttributeSummary(
                each.name,
                each.type or "undefined",
                each.optional,
                tuple(found.get(each.name, ())),
                problems.get(each.name),
                store.lacks(entity.name, each.name),
            )
            for each in own
            if each.is_attribute and not each.transient
        ),
        relationships=tuple(
            RelationshipSummary(
                each.name,
                each.destination or "",
                each.inverse,
                each.to_many,
                each.ordered,
                each.delete_rule,
                store.lacks(entity.name, each.name),
            )
            for each in own
            if not each.is_attribute and not each.transient
        ),
        missing=store.lacks(entity.name),
    )


def _samples(context: Context, entity: Any, names: list[str], limit: int) -> tuple[dict[str, list[Any]], dict[str, str]]:
    """Different values of attributes, from the first rows of the entity and its sub-entities; and
    why the values of some cannot be read.
    """
    try:
        return _values(context, entity, names, limit), {}
    except StoreError as error:
        if len(names) == 1:
            return {}, {names[0]: error.message}
    found: dict[str, list[Any]] = {}
    problems: dict[str, str] = {}
    for name in names:
        values, problem = _samples(context, entity, [name], limit)
        found.update(values)
        problems.update(problem)
    return found, problems


def _values(context: Context, entity: Any, names: list[str], limit: int) -> dict[str, list[Any]]:
    found: dict[str, list[Any]] = {name: [] for name in names}
    if not names or limit <= 0:
        return found
    with context.fetch_columns(entity.name, names, limit=_SAMPLED_ROWS) as columns:
        for row in columns.rows():
            for values, value in zip(found.values(), row):
                if value is not None and len(values) < limit and value not in values:
                    values.append(value)
    return found


def _history(context: Context, limit: int) -> HistorySummary | None:
    if not _has_history(coordinator_of(context)):
        return None
    with context.sql("SELECT count(*), min(ZTIMESTAMP), max(ZTIMESTAMP) FROM ATRANSACTION") as rows:
        count, first, last = rows.fetchall()[0]
    if not count:
        return HistorySummary(0, None, None, (), ())
    spans = 40
    width = (last - first) / spans or 1.0
    activity = [0] * spans
    with context.sql(
        "SELECT min(CAST((ZTIMESTAMP - ?) / ? AS INTEGER), ?), count(*) FROM ATRANSACTION GROUP BY 1", [first, width, spans - 1]
    ) as rows:
        for span, number in rows:
            activity[span] = number
    return HistorySummary(count, date_of_seconds(first), date_of_seconds(last), tuple(activity), _transactions(context, limit))


def _transactions(context: Context, limit: int) -> tuple[TransactionSummary, ...]:
    if limit <= 0:
        return ()
    with context.sql("SELECT ZTIMESTAMP FROM ATRANSACTION ORDER BY Z_PK DESC LIMIT 1 OFFSET ?", [limit]) as rows:
        before = rows.fetchone()
    # A little earlier: dates are rounded to microseconds.
    after = date_of_seconds(before[0]) - datetime.timedelta(milliseconds=1) if before else None
    found = []
    with context.history(after) as history:
        for transaction in history[-limit:]:
            changes: dict[str, list[int]] = {}
            for change in transaction.changes:
                place = (HistoryChangeType.INSERT, HistoryChangeType.UPDATE, HistoryChangeType.DELETE).index(change.type)
                changes.setdefault(change.object_id.entity_name, [0, 0, 0])[place] += 1
            found.append(
                TransactionSummary(
                    transaction.number,
                    transaction.timestamp,
                    transaction.author,
                    transaction.context_name,
                    transaction.program,
                    {name: (numbers[0], numbers[1], numbers[2]) for name, numbers in changes.items()},
                )
            )
    return tuple(found)


def _other_tables(context: Context) -> dict[str, int]:
    """Tables that neither entities nor the library use."""
    statement = (
        "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'Z%' AND name NOT LIKE 'sqlite~_%' ESCAPE '~' "
        "AND name NOT IN ('ATRANSACTION', 'ATRANSACTIONSTRING', 'ACHANGE') AND name NOT LIKE 'PINVIEW%' ORDER BY name"
    )
    with context.sql(statement) as rows:
        names = [name for (name,) in rows]
    tables = {}
    for name in names:
        quoted = name.replace('"', '""')
        with contextlib.suppress(StoreError):  # a virtual table of another program
            tables[name] = _number(context, f'SELECT count(*) FROM "{quoted}"')
    return tables


def export(
    path: Path,
    entity: str,
    target: Path,
    predicate: str | None = None,
    arguments: Iterable[Any] = (),
    *,
    properties: Iterable[str] = (),
    sort: str | Iterable[str] = (),
    limit: int = 0,
    format: str | None = None,
    replace: bool = False,
    model: Model | None = None,
    allow_missing: bool = False,
    readable: bool = False,
    raw: bool = False,
    progress: Callable[[int, int], Any] | None = None,
) -> int:
    """Writes the objects of an entity, at one generation, to a file; returns their number.

    Each row has the object's URI in the column `objectID`, its attributes, and the URIs of the
    objects that it refers to. The file appears when it is complete.

    Args:
        path: The store's file. Other programs may be using it.
        entity: The entity; objects of sub-entities are included.
        target: The new file.
        predicate: A predicate that the objects have to match, in the predicate language.
        arguments: The predicate's arguments.
        properties: The columns: attributes, to-one relationships, key paths, objectID.
        sort: A key, or several; a leading minus sign means descending order.
        limit: The maximum number of rows; 0 for all.
        format: csv, json, jsonl, parquet or arrow; None for what the target's name ends with. The
            last two need pyarrow.
        replace: Whether an existing file is replaced.
        model: The store's model; None for what the store says about itself.
        allow_missing: Whether the store may lack entities and properties of the model.
        readable: Whether property lists and keyed archives are written as what they contain; see
            examined_rows(). For csv, json and jsonl.
        raw: Whether there is also what stands in the store.
        progress: Called with the numbers of rows written and to be written.
    """
    kind = _rows.format_of(os.fspath(target), format)
    arguments = list(arguments)
    with open_store(path, model, allow_missing=allow_missing) as context:
        with _rows.target_file(os.fspath(target), replace) as file:
            total = _rows.limited(context.count(FetchRequest(entity, predicate, arguments)), limit) if progress is not None else 0
            if readable or raw:
                names, rows = examined_rows(context, entity, predicate, arguments, properties=properties, sort=sort, limit=limit, raw=raw)
                with _rows.text_of(file) as text:
                    return _rows.write_rows(names, rows, kind, text, progress, total)
            columns = fetch_rows(context, entity, predicate, arguments, properties=properties, sort=sort, limit=limit)
            with columns:
                return _rows.write_columns(columns, kind, file, progress, total)


def fetch_rows(
    context: Context,
    entity: str,
    predicate: str | None = None,
    arguments: Iterable[Any] = (),
    *,
    properties: Iterable[str] = (),
    sort: str | Iterable[str] = (),
    limit: int = 0,
) -> Any:
    """The columns that export() writes: by default the object's URI, all attributes, and the URIs
    of to-one destinations.
    """
    names = list(properties) or exported_properties(context, entity)
    order = [sort] if isinstance(sort, str) and sort else list(sort)
    return context.fetch_columns(entity, names, predicate, arguments, sort=order, limit=limit, object_uris=True)


def examined_rows(
    context: Context,
    entity: str,
    predicate: str | None = None,
    arguments: Iterable[Any] = (),
    *,
    properties: Iterable[str] = (),
    sort: str | Iterable[str] = (),
    limit: int = 0,
    raw: bool = False,
    includes_subentities: bool = True,
) -> tuple[list[str], Iterator[list[Any]]]:
    """Rows as examiners read them: the names of the columns, and the rows.

    Values are as ManagedObject.examine() gives them readable. With `raw`, each property is followed
    by what stands in its column of the store, as `NAME:raw`. A property that the store lacks is
    followed by `NAME:missing`, which is true.
    """
    properties = list(properties) or exported_properties(context, entity)
    lacking = missing_properties(context, entity, properties)
    columns: list[str] = []
    places: list[tuple[list[str], bool]] = []
    for name in properties:
        places.append(([step for _, step in _steps(context, entity, name)], name in lacking))
        columns.append(name)
        columns += [f"{name}:raw"] if raw and name != "objectID" else []
        columns += [f"{name}:missing"] if name in lacking else []
    order = [sort] if isinstance(sort, str) and sort else list(sort)
    request = FetchRequest(
        entity,
        predicate,
        list(arguments),
        sort=order,
        limit=limit,
        batch_size=_EXAMINED_ROWS,
        includes_subentities=includes_subentities,
    )

    def rows() -> Iterator[list[Any]]:
        with context.fetch(request) as found:
            for thing in found:
                yield [value for steps, is_missing in places for value in _examined(thing, steps, raw, is_missing)]

    return columns, rows()


def missing_properties(context: Context, entity: str, properties: Iterable[str]) -> list[str]:
    """Those key paths over to-one relationships that the store lacks a part of."""
    store = coordinator_of(context).stores[0]
    return [path for path in properties if any(store.lacks(place, name) for place, name in _steps(context, entity, path))]


def _steps(context: Context, entity: str, path: str) -> list[tuple[str, str]]:
    """The properties of a key path over to-one relationships, each with the entity that it is asked
    of. The names of elements of composite attributes have dots of their own.
    """
    model = coordinator_of(context).model
    steps: list[tuple[str, str]] = []
    place: str | None = entity
    rest = [] if path == "objectID" else path.split(".")
    while rest:
        if place is None:
            raise InvalidArgumentError(f"{path!r} is not an attribute, nor a key path over to-one relationships.")
        known = model.entity(place).properties
        length = next((count for count in range(len(rest), 0, -1) if ".".join(rest[:count]) in known), 1)
        name, rest = ".".join(rest[:length]), rest[length:]
        if name not in known:
            raise UnknownKeyError(f"The entity {place} has no property {name!r}. It has: {', '.join(known)}.")
        steps.append((place, name))
        place = known[name].destination if not known[name].is_attribute and not known[name].to_many else None
    return steps


def _examined(thing: Any, steps: Sequence[str], has_raw: bool, is_missing: bool) -> Iterator[Any]:
    """The cells of a property, or of a key path over to-one relationships."""
    if not steps:
        yield thing.object_id.uri
        return
    owner = thing
    for step in steps[:-1]:
        owner = None if owner is None else owner[step]
    # A property may have the name of the method.
    value = None if owner is None else ManagedObject.examine(owner, steps[-1])
    yield None if value is None else value.readable
    if has_raw:
        yield None if value is None else value.raw
    if is_missing:
        yield True


def exported_properties(context: Context, entity: str) -> list[str]:
    """The columns that export() writes by default."""
    known = coordinator_of(context).model.entity(entity).properties.values()
    return ["objectID", *(each.name for each in known if not each.transient and (each.is_attribute or not each.to_many))]


__all__ = [
    "AttributeSummary",
    "EntitySummary",
    "HistorySummary",
    "RelationshipSummary",
    "StoreSummary",
    "TransactionSummary",
    "examined_rows",
    "export",
    "fetch_rows",
    "inspect",
    "open_store",
]
