"""One workload of one peer in one round. The results are written to standard output, as
Workloads.md describes.
"""

from __future__ import annotations

import ctypes
import gc
import os
import subprocess
import sys
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any, Callable, NamedTuple

SNAPSHOT_KEY = 1
"""The key of the flight that is read in snapshots."""

EPOCH_SECONDS = 978_307_200
"""Seconds from 1970-01-01 to 2001-01-01, the reference date of stores."""


class Cell:
    """A folder with the peer's own copies of the stores, and the parameters of the workload."""

    def __init__(self, folder: str, parameters: Iterable[str]) -> None:
        self._folder = folder
        self._parameters = {name: int(value) for name, value in (each.split("=") for each in parameters)}

    def parameter(self, name: str) -> int:
        """A parameter of the workload."""
        return self._parameters[name]

    @property
    def flights(self) -> str:
        """The store with the flights."""
        return os.path.join(self._folder, "flights.sqlite")

    @property
    def people(self) -> str:
        """The store with persons and cars."""
        return os.path.join(self._folder, "people.sqlite")

    @property
    def blog(self) -> str:
        """The store with users, posts, comments and tags."""
        return os.path.join(self._folder, "blog.sqlite")

    def measure(self, name: str, value: float) -> None:
        """Reports a measurement."""
        print("measure", name, value)

    def checksum(self, name: str, value: int) -> None:
        """Reports a checksum of the results."""
        print("checksum", name, value)

    @contextmanager
    def timed(self, name: str, count: int, clock: Callable[[], int] = time.process_time_ns) -> Iterator[None]:
        """Reports the duration of a block in nanoseconds, divided by `count`."""
        begin = clock()
        yield
        self.measure(name, (clock() - begin) / max(count, 1))


PEAKS = "w18-stream-peaks"
"""The second run of w18-stream, which the first one starts."""

WORKLOADS = {
    "w1-read-all": "read_all",
    "w1p-columns": "columns",
    "w2-index-sorted": "index_sorted",
    "w3-by-key": "by_key",
    "w4-follow": "follow",
    "w4-prefetch": "prefetch",
    "w5-insert": "insert",
    "w5-insert-history": "insert_with_history",
    "w6-update": "update",
    "w7-delete": "delete",
    "w8-count": "count",
    "w9-bulk-update": "bulk_update",
    "w10-snapshot": "snapshot",
    "w11-memory": "memory",
    "w12-threads": "threads",
    "w13-latency": "latency",
    "w14-walk": "walk",
    "w15-walk-prefetched": "walk_prefetched",
    "w16-tags": "tags",
    "w16-tags-prefetched": "tags_prefetched",
    "w17-small-saves": "small_saves",
    "w17-small-saves-history": "small_saves_with_history",
    "w17-small-saves-without-undo": "small_saves_without_undo",
    "w17-small-saves-beside-1": "small_saves_beside_few",
    "w17-small-saves-beside-2": "small_saves_beside_many",
    "w17-small-saves-merging": "small_saves_merging",
    "w18-stream": "stream",
    PEAKS: "stream_peaks",
    "w21-upsert": "upsert",
    "w22-live-list": "live_list",
}
"""The workloads, and the names of the functions of peers."""


def workloads_of(functions: Mapping[str, Any]) -> dict[str, Callable[[Cell], None]]:
    """The workloads that a module supports: its private functions with the names above."""
    return {workload: functions["_" + name] for workload, name in WORKLOADS.items() if "_" + name in functions}


def random_keys(count: int, rows: int) -> list[int]:
    """The keys to look up, of a table with a number of rows."""
    return [1 + number * 2654435761 % rows for number in range(count)]


def percentile(values: Sequence[float], share: float) -> float:
    """The value below which a share of the values lies."""
    return sorted(values)[min(len(values) - 1, int(len(values) * share))]


# Checksums. Objects have the same attribute names in all peers, so the same code reads them.
# Strings are ASCII.


PEOPLE_SUM = "SELECT sum(ZAGE + length(ZFIRSTNAME) + length(ZLASTNAME) + length(ZEMAIL)) + count(*) FROM ZPERSON"
"""SQL for the sum of all attributes of all persons except the floating-point one."""


def sum_of_six(flights: Iterable[Any]) -> int:
    """The sum of the six attributes of all flights."""
    total = 0
    for flight in flights:
        total += (
            flight.month
            + (flight.departureDelay or 0)
            + (flight.arrivalDelay or 0)
            + len(flight.carrier)
            + len(flight.tailNumber or "")
            + flight.distance
        )
    return total


def sum_and_order(flights: Iterable[Any], seconds: Callable[[Any], int]) -> tuple[int, int]:
    """The sum of all attributes of all flights, and a checksum of their order. `seconds` converts a
    date.
    """
    total = order = 0
    for place, flight in enumerate(flights, 1):
        number = flight.number
        total += (
            flight.year
            + flight.month
            + flight.day
            + (flight.departureTime or 0)
            + flight.scheduledDepartureTime
            + (flight.departureDelay or 0)
            + (flight.arrivalTime or 0)
            + flight.scheduledArrivalTime
            + (flight.arrivalDelay or 0)
            + len(flight.carrier)
            + number
            + len(flight.tailNumber or "")
            + len(flight.origin)
            + len(flight.destination)
            + (flight.airTime or 0)
            + flight.distance
            + flight.hour
            + flight.minute
            + seconds(flight.scheduledHour)
        )
        order += place * number
    return total, order


def sum_of_seats(flights: Iterable[Any]) -> int:
    """The sum of the seats of all flights' planes, following the relationships one by one."""
    total = 0
    for flight in flights:
        plane = flight.plane
        if plane is not None:
            total += plane.seats or 0
    return total


def sum_of_ages(persons: Iterable[Any]) -> int:
    """The sum of the ages of all persons."""
    total = 0
    for person in persons:
        total += person.age
    return total


def sum_of_second(rows: Iterable[Sequence[Any]]) -> int:
    """The sum of the second of two values in each row."""
    total = 0
    for _, number in rows:
        total += number
    return total


def sum_of_walk(users: Iterable[Any], kept: list[Any]) -> int:
    """The sum of a number of each user, post and comment, walking from users to posts to comments.
    All of them are kept.
    """
    total = 0
    for user in users:
        kept.append(user)
        total += user.age
        for post in user.posts:
            kept.append(post)
            total += post.score
            for comment in post.comments:
                kept.append(comment)
                total += comment.likes
    return total


# The second process


@contextmanager
def _second_process(program: str, path: str) -> Iterator[subprocess.Popen[str]]:
    command = [sys.executable, os.path.join(os.path.dirname(os.path.abspath(__file__)), program), path]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        yield process
    if process.returncode:
        raise SystemExit(f"{program} failed.")


@contextmanager
def commits(path: str) -> Iterator[None]:
    """Has a second process commit changes to the flights, one after the other, during a `with`
    block.
    """
    with _second_process("change_flights.py", path) as process:
        assert process.stdout is not None and process.stdin is not None
        if process.stdout.readline() != "ready\n":
            raise SystemExit("The second process did not start.")
        try:
            yield
        finally:
            process.stdin.close()
            done = process.stdout.read()
    if int(done) == 0:
        raise SystemExit("The second process committed nothing.")


class Companion:
    """A second process that commits a change to a person for each line it reads."""

    def __init__(self, process: subprocess.Popen[str]) -> None:
        assert process.stdout is not None and process.stdin is not None
        self._input, self._output = process.stdin, process.stdout

    def tell(self) -> None:
        """Has the next change committed."""
        self._input.write("next\n")
        self._input.flush()

    def hear(self) -> None:
        """Waits until it is."""
        if not self._output.readline():
            raise SystemExit("The second process has ended.")


@contextmanager
def changes_of_persons(path: str) -> Iterator[Companion]:
    """A second process that changes persons, during a `with` block. It has opened the store."""
    with _second_process("change_persons.py", path) as process:
        companion = Companion(process)
        companion.hear()
        yield companion


# Memory


_libc = ctypes.CDLL(None)


class _Heap:
    """The private memory of this process in bytes, after it has returned what it could."""

    def __init__(self) -> None:
        gc.collect()
        _libc.malloc_trim(ctypes.c_size_t(0))
        with open("/proc/self/status", encoding="ascii") as status:
            self.size = next(int(line.split()[1]) for line in status if line.startswith("RssAnon:")) * 1024


def memory_per(count: int, make: Callable[[], Any]) -> tuple[float, Any]:
    """The memory in bytes for each of `count` objects that `make` creates, and what it returned."""
    before = _Heap()
    made = make()
    return (_Heap().size - before.size) / max(count, 1), made


COLUMN_BATCH = 65536
"""The rows of a batch of columns."""


class Stream(NamedTuple):
    """A way to read all persons one after another: what reads them, and what sums their ages."""

    name: str
    rows: Callable[[], Iterable[Any]]
    sum_ages: Callable[[Iterable[Any]], int]
    every: int = 1000
    """The memory is read at each row whose number is a multiple of this."""


def measure_streams(cell: Cell, streams: Iterable[Stream]) -> None:
    """Measures how long it takes to read all persons, and has the second run of this workload
    measure the memory, in a process in which all memory comes from malloc, which is exact.
    """
    for stream in streams:
        with cell.timed(stream.name, cell.parameter("persons")):
            total = stream.sum_ages(stream.rows())
        cell.checksum("ages", total)
    arguments = [PEAKS if each == "w18-stream" else each for each in sys.argv]
    sys.stdout.flush()
    subprocess.run([sys.executable, *arguments], env={**os.environ, "PYTHONMALLOC": "malloc"}, check=True)


# How little a page cache may still grow, in bytes.
_SOME = 1 << 16


def measure_peaks(cell: Cell, streams: Iterable[Stream]) -> None:
    """Measures the most memory in use while all persons are read, besides what was in use before.
    Page caches are in use before: everything is read until they do not grow any more.
    """
    for stream in streams:
        before, peak, calm = _memory_in_use(), 0, 0
        # Which connection reads which page is left to chance where several take part.
        while calm < 3:
            stream.sum_ages(stream.rows())
            gc.collect()
            former, before = before, _memory_in_use()
            calm = calm + 1 if before - former < _SOME else 0

        def watched(rows: Iterable[Any], every: int) -> Iterator[Any]:
            nonlocal peak
            for number, row in enumerate(rows):
                if number % every == 0:
                    peak = max(peak, _memory_in_use())
                yield row

        stream.sum_ages(watched(stream.rows(), stream.every))
        cell.measure(f"{stream.name}Peak", max(0, peak - before))


class _MemoryInfo(ctypes.Structure):
    _fields_ = tuple(
        (name, ctypes.c_size_t)
        for name in ("arena", "ordblks", "smblks", "hblks", "hblkhd", "usmblks", "fsmblks", "uordblks", "fordblks", "keepcost")
    )


def _memory_in_use() -> int:
    """The bytes that malloc has given out."""
    _libc.mallinfo2.restype = _MemoryInfo
    info = _libc.mallinfo2()
    return int(info.uordblks + info.hblkhd)
