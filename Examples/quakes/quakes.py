"""A pinned and an unpinned view of the same store while a second process writes. quakes.c does the
same in C.

Exits with 0 if the pinned view did not move, 1 if it did, 2 after an error.
"""

from __future__ import annotations

import argparse
import contextlib
import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator

import pinview
import screen
from feed import FeedError, FeedQuake, read_feed
from store import ask, insert_quake, open_store, read_quakes
from writer import write

STOOD_STILL, MOVED, FAILED = 0, 1, 2
EXAMPLES = 3
# A journal that grew by more than this while pinned is shortened at once; a smaller one is reused.
WORTH_GIVING_BACK = 512 * 1024


@contextlib.contextmanager
def second_process(store: str) -> Iterator[subprocess.Popen[str]]:
    """Starts this program with --write and waits until it has begun; it runs until its standard
    input is closed.
    """
    command = [sys.executable, __file__, "--write", store]
    with subprocess.Popen(
        command,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        start_new_session=True,
    ) as process:
        assert process.stdout is not None
        process.stdout.readline()
        yield process


def watch(
    store: pinview.Store,
    pinned: pinview.Context,
    unpinned: pinview.Context,
    start: screen.Answers,
    seconds: int,
) -> bool:
    """Asks both views the same questions once a second. Returns whether the pinned view's
    answers stayed the same.
    """
    stood_still = True
    screen.table_head()
    for second in range(1, seconds + 1):
        time.sleep(1)
        answers = ask(pinned)
        screen.table_row(second, answers, ask(unpinned), start, store.journal_size)
        stood_still = stood_still and answers == start
    screen.table_foot()
    return stood_still


def print_difference(before: dict[str, FeedQuake], after: dict[str, FeedQuake]) -> None:
    """How many quakes were inserted, revised and deleted between two views, with some examples."""
    inserted = [after[code] for code in after if code not in before]
    deleted = [before[code] for code in before if code not in after]
    revised = [(before[code], after[code]) for code in after if code in before and before[code].magnitude != after[code].magnitude]
    changes = {
        "inserted": [f"M {quake.magnitude:.1f}  {quake.place}" for quake in inserted],
        "revised": [f"M {old.magnitude:.1f} is now {new.magnitude:.1f}  {new.place}" for old, new in revised],
        "deleted": [f"M {quake.magnitude:.1f}  {quake.place}" for quake in deleted],
    }
    for kind, lines in changes.items():
        screen.line(
            "unpinned",
            f"  {len(lines):4} {kind}{', among them' if len(lines) > EXAMPLES else ''}",
        )
        for text in lines[:EXAMPLES]:
            screen.line("plain", f"      {text}")


def wait_for_empty_journal(store: pinview.Store, held: int) -> bool:
    """The journal is shortened in the background as soon as nobody needs it."""
    end = time.monotonic() + (60 if held > WORTH_GIVING_BACK else 0.5)
    while store.journal_size > 0 and time.monotonic() < end:
        time.sleep(0.05)
    return store.journal_size == 0


def tell(path: str, feed: str, seconds: int, pin: bool) -> int:
    quakes = read_feed(feed)
    coordinator, store = open_store(path)
    with (
        coordinator,
        pinview.Context(coordinator) as pinned,
        pinview.Context(coordinator) as unpinned,
    ):
        with pinview.Context(coordinator) as context:
            for quake in quakes:
                insert_quake(context, quake)
            context.save()
        screen.line(
            "strong",
            f"Pinview {pinview.__version__}, in Python: {len(quakes)} earthquakes from {feed}",
        )

        if pin:
            pinned.pin()
        before = read_quakes(pinned)  # the generation is taken at the first fetch
        start = ask(pinned, before)

        screen.line("plain", "A second process now inserts, revises and deletes quakes.\n")
        with second_process(path) as writer:
            stood_still = watch(store, pinned, unpinned, start, seconds)
            transactions, _ = writer.communicate()
        if writer.returncode != 0:
            raise RuntimeError("the second process failed")
        screen.line(
            "plain",
            f"  The second process committed {transactions.strip()} transactions.\n",
        )

        held = store.journal_size
        screen.line(
            "strong",
            "Advance: the pinned view moves to the newest generation in one step.",
        )
        pinned.pin()
        print_difference(before, read_quakes(pinned))

        screen.line(
            "strong",
            "\nRelease: nobody needs the old generations any more, so the journal shrinks.",
        )
        pinned.unpin()
        screen.journal("journal while the view was pinned", held)
        shrunk = wait_for_empty_journal(store, held)
        screen.journal("journal after the release", store.journal_size)

    if not stood_still:
        screen.line("alarm", "\nThe pinned view moved.")
        return MOVED
    if not shrunk and held > WORTH_GIVING_BACK:
        raise RuntimeError("the journal did not shrink after the release")
    screen.line(
        "pinned",
        f"\nThe pinned view gave the same answers {seconds} times while the store changed under it.\n",
    )
    return STOOD_STILL


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("feed", metavar="FEED.geojson", nargs="?")
    parser.add_argument("--seconds", type=int, default=8, help="how long to compare the views, in seconds")
    parser.add_argument(
        "--unpinned",
        action="store_true",
        help="omit the pin, to show that the demo notices",
    )
    parser.add_argument("--write", metavar="STORE", help="be the second process")
    options = parser.parse_args()
    if options.write:
        print(write(options.write))
        return STOOD_STILL
    if options.feed is None or options.seconds < 1:
        parser.error("a feed is needed, and at least one second")
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(FAILED))
    try:
        with tempfile.TemporaryDirectory(prefix="pinview-quakes-") as folder:
            return tell(
                os.path.join(folder, "quakes.sqlite"),
                options.feed,
                options.seconds,
                not options.unpinned,
            )
    except (FeedError, pinview.Error, RuntimeError, OSError) as error:
        print(f"quakes: {error}", file=sys.stderr)
    except KeyboardInterrupt:
        print("quakes: interrupted", file=sys.stderr)
    return FAILED


if __name__ == "__main__":
    sys.exit(main())
