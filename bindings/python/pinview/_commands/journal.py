"""`python -m pinview [journal] STORE`: shows what holds the journal of a store."""

from __future__ import annotations

import argparse
import contextlib
import dataclasses
import json
import os
import shutil
import signal
import sys
import time
from collections.abc import Iterator, Sequence
from typing import TextIO

from .._support.journal_picture import Style, picture, style
from ..errors import Error
from ..journal import JournalReport
from .arguments import interval_between

_DESCRIPTION = """\
Shows what holds the journal (the -wal file) of an SQLite database in WAL mode: how much of it has been copied into the
database, how much the next checkpoint can copy, and which processes hold which read marks. The journal is drawn as a
bar, with its holders marked on it.

It works with any such file, whichever program has it open, and needs no model. The file is not opened as a database, so
nothing is locked, changed or checkpointed, and no pin of any process is affected.
"""

_EPILOG = """\
output:
  read mark    the last frame of the journal that some of SQLite's readers may see; there are five. As long as a process
               holds a read mark, later frames cannot be copied into the database, and the journal cannot restart.
  ?            a process that is not visible from here, for example in another container.
  Only the process itself knows the contexts and generations behind a read mark: call coordinator.journal_report()
  there.

environment:
  NO_COLOR     if set and not empty, disables colours. They are also disabled if the output is not a terminal or if TERM
               is dumb.
  COLUMNS      the width of the picture; by default the width of the terminal, or 80.

exit status:
  0  success (with --watch: interrupted by Ctrl-C)    1  the file cannot be read    2  invalid arguments

examples:
  python -m pinview people.sqlite
  python -m pinview --watch people.sqlite           every second, until Ctrl-C
  python -m pinview people.sqlite --watch 0.2
  python -m pinview --json people.sqlite | jq .reclaimable_frames

other commands, each with its --help:
  python -m pinview inspect STORE         what is in a store: entities, values, relationships, history
  python -m pinview query STORE ...       objects that match a predicate, or the rows of an SQL statement
  python -m pinview export STORE ...      objects as CSV, JSON, Parquet or Arrow
  python -m pinview export-store STORE FILE
                                          a copy of a store that is in use
  python -m pinview watch STORE           a live view of a store that other programs use
  python -m pinview journal STORE         this report, also of a file that is called like a command
"""


def _arguments(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="python -m pinview", description=_DESCRIPTION, epilog=_EPILOG, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("store", metavar="STORE", help="the database file")
    parser.add_argument(
        "--watch",
        metavar="SECONDS",
        nargs="?",
        type=interval_between(0.02, 86400),
        const=1.0,
        help="repeat every SECONDS seconds (default: 1), until Ctrl-C",
    )
    parser.add_argument("--json", action="store_true", help="print a JSON object instead; with --watch one line for each")
    parser.add_argument("--ascii", action="store_true", help="use only ASCII characters")
    given = list(sys.argv[1:] if arguments is None else arguments)
    # `--watch STORE`: the next argument is the interval only if it is a number.
    for place, argument in enumerate(given[:-1]):
        if argument == "--watch" and not given[place + 1].replace(".", "", 1).isdigit():
            given[place] = "--watch=1"
    return parser.parse_args(given)


def _style(output: TextIO, ascii_only: bool) -> Style:
    try:
        "█▓░▲│▕▏".encode(output.encoding or "ascii")
        unicode = not ascii_only
    except (UnicodeEncodeError, LookupError):
        unicode = False
    colour = output.isatty() and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"
    return style(unicode, colour)


def _as_json(report: JournalReport, indent: int | None) -> str:
    fields = dataclasses.asdict(report)
    del fields["text"]
    return json.dumps(fields, indent=indent, default=lambda value: getattr(value, "value", str(value)))


def _shown(report: JournalReport, how: Style, width: int) -> str:
    return f"{report}\n\n{picture(report, width, how)}"


def _cut(text: str, columns: int, rows: int) -> str:
    """The part of a text that fits on the screen. Lines with colours belong to the picture, which
    fits.
    """
    lines = [line if "\x1b" in line else line[:columns] for line in text.split("\n")]
    return "\n".join(lines[:rows])


@contextlib.contextmanager
def _screen(output: TextIO) -> Iterator[None]:
    """Switches to the terminal's alternate screen, without a cursor, and back at the end."""
    output.write("\x1b[?1049h\x1b[?25l")
    try:
        yield
    finally:
        output.write("\x1b[?25h\x1b[?1049l")
        output.flush()


def _watch(options: argparse.Namespace, output: TextIO) -> None:
    """Repeats the report until interrupted."""
    if options.json:
        while True:
            print(_as_json(JournalReport.of_file(options.store), None), file=output, flush=True)
            time.sleep(options.watch)
    how = _style(output, options.ascii)
    if not output.isatty():
        while True:
            report = JournalReport.of_file(options.store)
            print(f"{time.strftime('%H:%M:%S')}  {_shown(report, how, shutil.get_terminal_size().columns)}\n", file=output, flush=True)
            time.sleep(options.watch)
    JournalReport.of_file(options.store)  # raises errors before switching the screen
    with _screen(output):
        while True:
            report = JournalReport.of_file(options.store)
            size = shutil.get_terminal_size()
            text = _cut(f"{time.strftime('%H:%M:%S')}  {_shown(report, how, size.columns)}", size.columns, size.lines)
            output.write("\x1b[H" + text.replace("\n", "\x1b[K\n") + "\x1b[J")
            output.flush()
            time.sleep(options.watch)


def _interrupt(*_: object) -> None:
    raise KeyboardInterrupt


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs the command and returns its exit status."""
    options = _arguments(arguments)
    output = sys.stdout
    try:
        if options.watch is not None:
            # SIGINT too, because a shell that starts a command in the background has it ignored.
            for number in (signal.SIGINT, signal.SIGTERM):
                signal.signal(number, _interrupt)
            with contextlib.suppress(KeyboardInterrupt):
                _watch(options, output)
            return 0
        report = JournalReport.of_file(options.store)
        shown = _as_json(report, 2) if options.json else _shown(report, _style(output, options.ascii), shutil.get_terminal_size().columns)
        print(shown, file=output, flush=True)
        return 0
    except Error as error:
        print(f"pinview: {error}", file=sys.stderr)
        return 1
    except BrokenPipeError:
        # The reader has closed the pipe. Redirect the output, so that flushing it at exit does not
        # fail too.
        os.dup2(os.open(os.devnull, os.O_WRONLY), output.fileno())
        return 0
