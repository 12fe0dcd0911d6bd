"""`python -m pinview inspect|query|export|export-store`: what is in a store."""

from __future__ import annotations

import argparse
import contextlib
import dataclasses
import json
import os
import shutil
import sys
import time
from collections.abc import Iterator, Sequence
from typing import Any, TextIO

from .. import inspection
from .._output import rows as _rows
from .._output.report import described
from .._output.text import Look, counted, iso, json_value, look, number, size
from .._stores.exporting import export_database
from ..context import Context
from ..errors import Error, InvalidArgumentError, StoreError, UnknownEntityError
from ..examining import readable
from ..fetching import FetchRequest
from ..model import Model

_COMMON = """\
A store is only read, and may be in use: programs that write to it are not disturbed, and all that is shown belongs to
one generation. No model is needed, because a store describes itself; --model names one that describes it better.
"""

_STATUS = """\
exit status:
  0  success    1  the store cannot be read, or the output not written    2  invalid arguments    130  interrupted
"""

_INSPECT = f"""\
Shows what is in a store: its entities as a tree with the numbers of their objects, the attributes with their types and
some values, the relationships as a picture, and the history as a timeline.

{_COMMON}"""

_INSPECT_EPILOG = f"""\
output:
  name  string !      an attribute that must have a value
  owner >── cars ──< Car
                      a relationship and its inverse; there are many objects at the end that forks
  Person +3 ~1 -2     objects that a transaction inserted, updated and deleted

{_STATUS}
examples:
  python -m pinview inspect people.sqlite
  python -m pinview inspect people.sqlite --entity Person --samples 10
  python -m pinview inspect people.sqlite --svg people.svg
  python -m pinview inspect evidence.sqlite --verify
  python -m pinview inspect people.sqlite --json | jq '.entities[].name'
"""

_QUERY = f"""\
Fetches objects with a predicate, or runs an SQL statement that reads.

{_COMMON}"""

_QUERY_EPILOG = f"""\
A predicate is in the language of Core Data, with %@ for arguments, which follow it: numbers, true, false, null, or text.

output:
  A table on a terminal; in a pipe or a file tab-separated columns would not be safe, so CSV. See --format.

{_STATUS}
examples:
  python -m pinview query people.sqlite Person "age > 30 AND name BEGINSWITH 'd'" --sort -age --limit 10
  python -m pinview query people.sqlite Person "name == %@" "O'Hara" --columns name,age,boss.name
  python -m pinview query people.sqlite Person --count
  python -m pinview query people.sqlite --sql "SELECT ZNAME FROM ZPERSON WHERE ZAGE > ?" 30
"""

_EXPORT = f"""\
Writes the objects of an entity to a file: the URI of each object, its attributes, and the URIs of the objects that it
refers to. The file appears when it is complete.

{_COMMON}"""

_EXPORT_EPILOG = f"""\
formats:
  csv      UTF-8 with a header; dates in ISO 8601, data in base64, nothing for a missing value
  json     an array of objects          jsonl    an object on each line
  parquet  Apache Parquet               arrow    Arrow's file format; both need pyarrow: pip install 'pinview[parquet]'

{_STATUS}
examples:
  python -m pinview export people.sqlite --entity Person -o people.parquet
  python -m pinview export people.sqlite --entity Person --where "age > 30" --format jsonl | jq .name
  python -m pinview export people.sqlite --all -o exported/ --format csv
"""

_EXPORT_STORE = """\
Writes the newest state of a store, or of any SQLite database, to a database file of its own, while other programs write
to it. The new file is complete and consistent, needs no journal beside it, and appears only when it is finished: an
export that is interrupted or killed leaves nothing behind.
"""

_EXPORT_STORE_EPILOG = f"""\
{_STATUS}
examples:
  python -m pinview export-store people.sqlite /backup/people.sqlite
"""


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m pinview")
    commands = parser.add_subparsers(dest="command", required=True)

    def command(name: str, description: str, epilog: str, run: Any, needs_model: bool = True) -> argparse.ArgumentParser:
        made = commands.add_parser(
            name,
            prog=f"python -m pinview {name}",
            description=description,
            epilog=epilog,
            formatter_class=argparse.RawDescriptionHelpFormatter,
        )
        made.add_argument("store", metavar="STORE", help="the store's file")
        if needs_model:
            made.add_argument("--model", metavar="FILE", help="the store's model: JSON, .xcdatamodel, .xcdatamodeld, .mom or .momd")
            made.add_argument(
                "--allow-missing",
                action="store_true",
                help="the store may lack entities and properties of the model; they are listed, and have no objects and no values",
            )
        made.set_defaults(run=run)
        return made

    inspect = command("inspect", _INSPECT, _INSPECT_EPILOG, _inspect)
    inspect.add_argument("--entity", metavar="NAME", help="show only this entity")
    inspect.add_argument("--samples", metavar="N", type=_count, default=3, help="how many values to show of each attribute (default: 3)")
    inspect.add_argument(
        "--history", metavar="N", type=_count, default=10, help="how many of the newest transactions to show (default: 10)"
    )
    inspect.add_argument("--svg", metavar="FILE", help="draw the entities and relationships into an SVG file; - for the output")
    inspect.add_argument("--json", action="store_true", help="print a JSON object instead")
    inspect.add_argument(
        "--verify",
        action="store_true",
        help="read the files directly, without locks, and print their SHA-256 before and after; no program may write to them meanwhile",
    )
    inspect.add_argument("--ascii", action="store_true", help="use only ASCII characters")
    inspect.add_argument("--replace", action="store_true", help="replace an existing SVG file")

    query = command("query", _QUERY, _QUERY_EPILOG, _query)
    query.add_argument(
        "words",
        metavar="ENTITY [PREDICATE [ARGUMENT …]]",
        nargs="*",
        help="the entity, a predicate, and the arguments of the predicate",
    )
    query.add_argument("--sql", metavar="STATEMENT", help="run this statement instead; all arguments are its parameters")
    query.add_argument("--columns", metavar="NAMES", help="attributes, key paths, to-one relationships or objectID, separated by commas")
    query.add_argument("--sort", metavar="KEYS", help="keys, separated by commas; -KEY means descending order")
    query.add_argument("--limit", metavar="N", type=_count, default=0, help="the maximum number of rows")
    query.add_argument("--count", action="store_true", help="print only the number of objects")
    query.add_argument("--format", choices=("table", "csv", "json", "jsonl"), help="default: table on a terminal, else csv")
    query.add_argument("--ascii", action="store_true", help="use only ASCII characters")
    _add_forms(query)

    export = command("export", _EXPORT, _EXPORT_EPILOG, _export)
    which = export.add_mutually_exclusive_group(required=True)
    which.add_argument("--entity", metavar="NAME", help="the entity; objects of its sub-entities are included")
    which.add_argument(
        "--all", action="store_true", help="all entities that are not abstract, each in a file of its own; -o names the folder"
    )
    export.add_argument("-o", "--output", metavar="FILE", help="the new file (default: standard output)")
    export.add_argument("--format", choices=_rows.FORMATS, help="default: according to the file's extension")
    export.add_argument("--where", metavar="PREDICATE", help="write only objects that match")
    export.add_argument("--columns", metavar="NAMES", help="attributes, key paths, to-one relationships or objectID, separated by commas")
    export.add_argument("--sort", metavar="KEYS", help="keys, separated by commas; -KEY means descending order")
    export.add_argument("--limit", metavar="N", type=_count, default=0, help="the maximum number of rows")
    export.add_argument("--replace", action="store_true", help="replace existing files")
    _add_forms(export)

    store = command("export-store", _EXPORT_STORE, _EXPORT_STORE_EPILOG, _export_store, needs_model=False)
    store.add_argument("output", metavar="FILE", help="the new file")
    store.add_argument("--replace", action="store_true", help="replace an existing file, which must not be open")
    return parser


def _add_forms(command: argparse.ArgumentParser) -> None:
    command.add_argument(
        "--readable", action="store_true", help="property lists and keyed archives as JSON, other data with their size (csv, json, jsonl)"
    )
    command.add_argument("--raw", action="store_true", help="like --readable, with the stored value beside each value, as NAME:raw")


COMMANDS = ("inspect", "query", "export", "export-store")


def _count(text: str) -> int:
    try:
        count = int(text)
    except ValueError:
        count = -1
    if count < 0:
        raise argparse.ArgumentTypeError(f"'{text}' is not a number of 0 or more")
    return count


def _names(text: str | None) -> list[str]:
    return [name.strip() for name in (text or "").split(",") if name.strip()]


def _look(output: TextIO, ascii_only: bool) -> Look:
    try:
        "├└│─▁█·…".encode(output.encoding or "ascii")
        unicode = not ascii_only
    except (UnicodeEncodeError, LookupError):
        unicode = False
    colour = output.isatty() and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"
    return look(unicode, colour)


def _model(options: argparse.Namespace) -> Model | None:
    return None if options.model is None else Model.from_file(options.model)


class _Bar:
    """Shows the progress of long work on a terminal, and nothing elsewhere."""

    def __init__(self, what: str, shown: Any = number) -> None:
        self._what, self._shown = what, shown
        self._output = sys.stderr
        self._wants = self._output.isatty()
        self._begun = self._last = time.monotonic()
        self._drawn = False

    def __call__(self, done: int, total: int) -> None:
        now = time.monotonic()
        # Work that is soon over shows nothing.
        if not self._wants or now - self._last < 0.1 or now - self._begun < 0.5:
            return
        self._last, self._drawn = now, True
        share = f" {100 * done // total}%" if total else ""
        of = f" of {self._shown(total)}" if total else ""
        self._output.write(f"\r\x1b[K{self._what}{share}  {self._shown(done)}{of}")
        self._output.flush()

    def __enter__(self) -> _Bar:
        return self

    def __exit__(self, *_: object) -> None:
        if self._drawn:
            self._output.write("\r\x1b[K")
            self._output.flush()


# The commands


def _inspect(options: argparse.Namespace, output: TextIO) -> None:
    before = inspection.digests(options.store) if options.verify else {}
    summary = inspection.inspect(
        options.store,
        model=_model(options),
        samples=options.samples,
        transactions=options.history,
        immutable=options.verify,
        allow_missing=options.allow_missing,
    )
    after = inspection.digests(options.store) if options.verify else {}
    _report(options, output, summary, before, after)
    if before != after:
        raise StoreError("The files changed while they were read: another program writes to the store.")


def _report(options: argparse.Namespace, output: TextIO, summary: Any, before: dict[str, str], after: dict[str, str]) -> None:
    if options.entity is not None and options.entity not in [entity.name for entity in summary.entities]:
        names = ", ".join(entity.name for entity in summary.entities)
        raise UnknownEntityError(f"The store has no entity {options.entity!r}. It has: {names}.")
    if options.svg == "-":
        output.write(summary.to_svg())
        return
    if options.svg is not None:
        with _rows.target_file(options.svg, options.replace) as file:
            file.write(summary.to_svg().encode("utf-8"))
    if options.json:
        plain = _plain(summary)
        if options.verify:
            plain["sha256"] = {"before": before, "after": after}
        print(json.dumps(plain, indent=2, ensure_ascii=False), file=output)
        return
    if options.svg is None:
        columns = shutil.get_terminal_size((100, 24)).columns
        print(described(summary, columns, _look(output, options.ascii), options.entity), file=output)
    if options.verify and options.svg is None:
        print("\nSHA-256", file=output)
        for name in sorted({*before, *after}):
            print(f"  before  {before.get(name, '-'):64}  {name}\n  after   {after.get(name, '-'):64}  {name}", file=output)
        print("  The files are unchanged." if before == after else "  The files have changed.", file=output)


def _plain(value: Any) -> Any:
    """A summary in terms of JSON."""
    if dataclasses.is_dataclass(value):
        return {each.name: _plain(getattr(value, each.name)) for each in dataclasses.fields(value)}
    if isinstance(value, dict):
        return {key: _plain(each) for key, each in value.items()}
    if isinstance(value, (tuple, list)):
        return [_plain(each) for each in value]
    if isinstance(value, (bytes, bytearray, memoryview)):
        return readable(bytes(value))
    return iso(value) if hasattr(value, "astimezone") else json_value(value)


def _argument(text: str) -> Any:
    """An argument of a predicate: a number, true, false, null, or text."""
    if text in ("true", "false", "null"):
        return {"true": True, "false": False, "null": None}[text]
    for kind in (int, float):
        with contextlib.suppress(ValueError):
            return kind(text)
    return text


def _query(options: argparse.Namespace, output: TextIO) -> None:
    style = _look(output, options.ascii)
    kind = options.format or ("table" if output.isatty() else "csv")
    entity, predicate, *arguments = [*options.words, None, None][: max(len(options.words), 2)]
    if options.sql is None and entity is None:
        raise InvalidArgumentError("Name an entity, or give a statement with --sql.")
    if options.sql is not None and (options.columns or options.sort or options.count or options.limit):
        raise InvalidArgumentError("--columns, --sort, --limit and --count belong to a predicate; write them into the SQL statement.")
    if options.sql is not None and (options.readable or options.raw):
        raise InvalidArgumentError("--readable and --raw belong to a predicate; SQL always returns the stored values.")
    with inspection.open_store(options.store, _model(options), allow_missing=options.allow_missing) as context:
        if options.sql is not None:
            with context.sql(options.sql, [_argument(each) for each in options.words]) as cursor:
                _show(cursor.columns, cursor, kind, output, style, "row")
            return
        values = [_argument(each) for each in arguments]
        properties = _names(options.columns) or _shown_properties(context, entity, kind)
        _tell_missing(context, entity, properties)
        if options.count:
            print(context.count(FetchRequest(entity, predicate, values)), file=output)
            return
        choices: dict[str, Any] = {"properties": properties, "sort": _names(options.sort), "limit": options.limit}
        if options.readable or options.raw:
            names, rows = inspection.examined_rows(context, entity, predicate, values, raw=options.raw, **choices)
            _show(names, rows, kind, output, style, "object")
            return
        with inspection.fetch_rows(context, entity, predicate, values, **choices) as columns:
            _show(tuple(columns.types), columns.rows(), kind, output, style, "object")


def _shown_properties(context: Context, entity: str, kind: str) -> list[str]:
    """People want to see values rather than identities."""
    names = inspection.exported_properties(context, entity)
    known = inspection.coordinator_of(context).model.entity(entity).properties
    attributes = [name for name in names if name in known and known[name].is_attribute]
    return attributes if kind == "table" and attributes else names


def _tell_missing(context: Context, entity: str, properties: Sequence[str]) -> None:
    """Says where no rows, or no values, mean that there could not be any."""
    store = inspection.coordinator_of(context).stores[0]
    if not store.missing:
        return
    if store.lacks(entity):
        print(f"pinview: The store does not have the entity {entity}.", file=sys.stderr)
        return
    # What is no such key path is for the fetch to judge.
    missing = []
    for name in properties:
        with contextlib.suppress(Error):
            missing += inspection.missing_properties(context, entity, [name])
    if missing:
        print(f"pinview: The store does not have these properties of {entity}: {', '.join(missing)}.", file=sys.stderr)


def _show(names: Sequence[str], rows: Any, kind: str, output: TextIO, style: Look, noun: str) -> None:
    if kind != "table":
        _rows.write_rows(names, rows, kind, output)
        return
    count = _rows.write_table(names, rows, output, shutil.get_terminal_size((100, 24)).columns if output.isatty() else 10_000, style)
    output.write(style.faint(counted(count, noun)) + "\n")


def _export(options: argparse.Namespace, output: TextIO) -> None:
    model = _model(options)
    choices = {"sort": _names(options.sort), "limit": options.limit}
    forms = {"readable": options.readable, "raw": options.raw}
    if options.all:
        _export_all(options, model, choices)
        return
    if options.output not in (None, "-"):
        with _Bar(f"exporting {options.entity}") as bar:
            inspection.export(
                options.store,
                options.entity,
                options.output,
                options.where,
                properties=_names(options.columns),
                format=options.format,
                replace=options.replace,
                model=model,
                allow_missing=options.allow_missing,
                progress=bar,
                **choices,
                **forms,
            )
        return
    kind = options.format or "csv"
    if kind in ("parquet", "arrow") and output.isatty():
        raise InvalidArgumentError(f"{kind} is not for terminals; name a file with -o.")
    with inspection.open_store(options.store, model, allow_missing=options.allow_missing) as context:
        properties = _names(options.columns) or inspection.exported_properties(context, options.entity)
        _tell_missing(context, options.entity, properties)
        if any(forms.values()):
            names, rows = inspection.examined_rows(
                context, options.entity, options.where, properties=properties, raw=options.raw, **choices
            )
            with _rows.text_of(output.buffer) as text:
                _rows.write_rows(names, rows, kind, text)
            return
        with inspection.fetch_rows(context, options.entity, options.where, properties=properties, **choices) as columns:
            _rows.write_columns(columns, kind, output.buffer)


def _export_all(options: argparse.Namespace, model: Model | None, choices: dict[str, Any]) -> None:
    if options.output is None or options.where or options.columns:
        raise InvalidArgumentError("--all needs a folder, named with -o, and cannot be combined with --where or --columns.")
    kind = options.format or "csv"
    os.makedirs(options.output, exist_ok=True)
    # One context, so that all files are of one generation.
    with inspection.open_store(options.store, model, allow_missing=options.allow_missing) as context:
        for entity in inspection.coordinator_of(context).model.entities:
            if entity.abstract:
                continue
            names = inspection.exported_properties(context, entity.name)
            request = FetchRequest(entity.name, includes_subentities=False, properties=names, **choices)
            path = os.path.join(options.output, f"{entity.name}.{kind}")
            with _Bar(f"exporting {entity.name}") as bar, _rows.target_file(path, options.replace) as file:
                total = _rows.limited(context.count(request), choices["limit"])
                if options.readable or options.raw:
                    found, rows = inspection.examined_rows(
                        context, entity.name, properties=names, raw=options.raw, includes_subentities=False, **choices
                    )
                    with _rows.text_of(file) as text:
                        _rows.write_rows(found, rows, kind, text, bar, total)
                    continue
                with context.fetch_columns(request, object_uris=True) as columns:
                    _rows.write_columns(columns, kind, file, bar, total)


def _export_store(options: argparse.Namespace, output: TextIO) -> None:
    with _Bar("exporting", size) as bar:
        export_database(options.store, options.output, replace=options.replace, progress=lambda done, total: bar(done, total))


@contextlib.contextmanager
def _closed_pipes(output: TextIO) -> Iterator[None]:
    """The reader of a pipe may close it before all is written."""
    try:
        yield
        output.flush()
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), output.fileno())


def _options(given: list[str]) -> argparse.Namespace:
    """The options of a command. `--sort -KEY` is not an unknown option, and the words of a query
    may follow its options.
    """
    parser = _parser()
    for place in range(len(given) - 1):
        if given[place] == "--sort":
            given[place : place + 2] = [f"--sort={given[place + 1]}"]
            break
    options, rest = parser.parse_known_args(given)
    if rest and (options.command != "query" or any(each.startswith("--") for each in rest)):
        parser.error(f"unrecognized arguments: {' '.join(rest)}")
    if rest:
        options.words += rest
    return options


def main(arguments: Sequence[str]) -> int:
    """Runs a command and returns its exit status."""
    options = _options(list(arguments))
    try:
        with _closed_pipes(sys.stdout):
            options.run(options, sys.stdout)
        return 0
    except (Error, OSError) as error:
        print(f"pinview: {error}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        return 130
