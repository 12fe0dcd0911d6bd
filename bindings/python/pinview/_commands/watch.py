"""`python -m pinview watch STORE`: a live view of a store that other programs use."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence

from .._support import lazy
from ..errors import Error
from .arguments import interval_between

_DESCRIPTION = """\
Shows a store while other programs use it: how many objects there are of each entity, commits a second, the journal and
who holds it, and the last changes of the store's history. The store is opened for reading only.

keys:
  f, space   freeze: keep showing this generation (a pin), whatever is committed; again to follow the newest
  m          remember the moment that is shown
  c          compare the moment that is shown with the remembered one
  q          quit
"""


def main(arguments: Sequence[str]) -> int:
    """Runs the command and returns its exit status."""
    parser = argparse.ArgumentParser(
        prog="python -m pinview watch", description=_DESCRIPTION, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("store", metavar="STORE", help="the database file")
    parser.add_argument(
        "--interval",
        metavar="SECONDS",
        type=interval_between(0.05, 3600),
        default=0.5,
        help="how often the view is read again (default: 0.5)",
    )
    options = parser.parse_args(list(arguments))
    try:
        run = lazy.watch_app.run
    except ModuleNotFoundError as error:
        if (error.name or "").split(".")[0] != "textual":
            raise
        print("pinview: watch needs the package textual; install it with: pip install 'pinview[watch]'", file=sys.stderr)
        return 1
    try:
        failure = run(options.store, options.interval)
    except Error as error:
        failure = str(error)
    if failure is not None:
        print(f"pinview: {failure}", file=sys.stderr)
        return 1
    return 0
