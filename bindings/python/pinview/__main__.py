"""`python -m pinview STORE`: who holds the journal of a store."""

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

from ._support.journal_picture import Style, picture, style
from .errors import Error
from .journal import JournalReport

_DESCRIPTION = """\
Shows who holds the journal (the -wal file) of an SQLite database in WAL mode: how much of it has been copied into the
database, how much the next checkpoint can copy, which read marks are held, and by which processes. The journal is
drawn as a bar with everybody who holds it marked on it.

It works on any such file, whichever program has it open, and needs no model. It looks from outside: the file is not
opened as a database, so nothing is locked, changed or checkpointed, and no pin of any process is disturbed.
"""

_EPILOG = """\
what it shows:
  read mark    one of five numbers behind which SQLite's readers stand. As long as a process holds one, frames of the
               journal behind it cannot be copied into the database, and the journal is not begun anew.
  ?            a process that cannot be seen from here: another container, another user's with hidden processes.
  The contexts and generations behind a read mark are known to their own process only: there, call
  coordinator.journal_report().

environment:
  NO_COLOR     when it is set and not empty, nothing is coloured. Nor is it when the output is no terminal, or TERM is dumb.
  COLUMNS      the width of the picture; else that of the terminal, else 80.

exit status:
  0  it was shown (with --watch: until Ctrl-C)    1  the file cannot be looked at    2  wrong arguments

examples:
  python -m pinview people.sqlite
  python -m pinview --watch people.sqlite           every second, until Ctrl-C
  python -m pinview people.sqlite --watch 0.2
  python -m pinview --json people.sqlite | jq .reclaimable_frames
"""


def _interval(text: str) -> float:
    try:
        seconds = float(text)
    except ValueError:
        raise argparse.ArgumentTypeError(f"'{text}' is no number of seconds") from None
    if not 0.02 <= seconds <= 86400:
        raise argparse.ArgumentTypeError(f"{text} seconds are not between 0.02 and 86400")
    return seconds


def _arguments(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="python -m pinview", description=_DESCRIPTION, epilog=_EPILOG, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("store", metavar="STORE", help="the database file")
    parser.add_argument(
        "--watch", metavar="SECONDS", nargs="?", type=_interval, const=1.0, help="draw it again every so many seconds (1), until Ctrl-C"
    )
    parser.add_argument("--json", action="store_true", help="write an object of JSON instead; with --watch one line each time")
    parser.add_argument("--ascii", action="store_true", help="draw with ASCII characters only")
    given = list(sys.argv[1:] if arguments is None else arguments)
    # `--watch STORE`: what follows is a number only if it looks like one.
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
    """As much as fits on a screen. Lines with colours are those of the picture, which fit."""
    lines = [line if "\x1b" in line else line[:columns] for line in text.split("\n")]
    return "\n".join(lines[:rows])


@contextlib.contextmanager
def _screen(output: TextIO) -> Iterator[None]:
    """The terminal's other screen, without a cursor; what was there before comes back, whatever happens."""
    output.write("\x1b[?1049h\x1b[?25l")
    try:
        yield
    finally:
        output.write("\x1b[?25h\x1b[?1049l")
        output.flush()


def _watch(options: argparse.Namespace, output: TextIO) -> None:
    """Until it is interrupted."""
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
    JournalReport.of_file(options.store)  # its error belongs on the screen that stays
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
    """Runs the command; gives its exit status."""
    options = _arguments(arguments)
    output = sys.stdout
    try:
        if options.watch is not None:
            # SIGINT, too: a shell that starts a command in the background has it ignored.
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
        # Whoever read the output has seen enough. Nothing may be written at the end of the process, either.
        os.dup2(os.open(os.devnull, os.O_WRONLY), output.fileno())
        return 0


if __name__ == "__main__":
    sys.exit(main())
