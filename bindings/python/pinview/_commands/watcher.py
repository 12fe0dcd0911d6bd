"""What `python -m pinview watch` shows: a live store at one moment after another."""

from __future__ import annotations

import contextlib
import os
import time

from .._support.forward import Path
from .._support.records import record
from ..context import Context
from ..difference import GenerationDifference
from ..history import HistoryChangeType
from ..inspection import TransactionSummary, _has_history, _transactions, coordinator_of, open_store
from ..journal import JournalReport
from ..tokens import QueryGenerationToken


@record(frozen=True)
class Moment:
    """A store at one moment."""

    entities: tuple[tuple[str, int], ...]
    """The entities with their numbers of objects, at the generation that is shown."""
    is_frozen: bool
    """Whether that generation is kept while others commit."""
    has_newer: bool
    """Whether somebody has committed since."""
    commits: int
    """How many commits were seen since the beginning."""
    commits_per_second: float
    """How many of them in each of the last seconds."""
    journal: JournalReport | None
    """What holds the journal; None for a store that is not in WAL mode."""
    changes: tuple[TransactionSummary, ...]
    """The newest transactions of the history; none if the store has no history."""
    has_history: bool
    """Whether the store has a history."""


@record(frozen=True)
class Comparison:
    """What differs between two moments, by entity: inserted, updated and deleted objects."""

    entities: tuple[tuple[str, int, int, int], ...]
    """The name of each entity that differs, and the numbers of its objects."""
    total: int
    """The number of all of them."""


class Watcher:
    """Reads a store again and again, for as long as its `with` block lasts."""

    SPAN = 5.0
    """For how many seconds commits are averaged."""

    def __init__(self, path: Path, transactions: int = 12) -> None:
        self.path, self._transactions = os.fspath(path), transactions
        self._stack = contextlib.ExitStack()
        self._context: Context = self._stack.enter_context(open_store(path))
        self._context.name = "watch: shown"
        self._coordinator = coordinator_of(self._context)
        self._newest = self._stack.enter_context(Context(self._coordinator, name="watch"))
        self._marked: Context | None = None
        self._is_frozen = False
        self._has_history = _has_history(self._coordinator)
        self._notified = 0
        self._seen: list[tuple[float, int]] = []
        self._begin = self._latest_transaction() if self._has_history else 0
        self._entities: tuple[tuple[str, int], ...] = ()
        if not self._has_history:
            self._stack.enter_context(self._coordinator.add_generation_observer(self._notify))

    def __enter__(self) -> Watcher:
        return self

    def __exit__(self, *_: object) -> None:
        if self._marked is not None:
            self._marked.close()
        self._stack.close()

    def _notify(self) -> None:
        self._notified += 1

    def _latest_transaction(self) -> int:
        with self._newest.sql("SELECT coalesce(max(Z_PK), 0) FROM ATRANSACTION") as rows:
            return int(rows.fetchall()[0][0])

    def freeze(self) -> None:
        """Keeps the generation that is shown."""
        self._is_frozen = True

    def follow(self) -> None:
        """Shows the newest generation again."""
        self._is_frozen = False

    def mark(self) -> None:
        """Remembers the generation that is shown, to compare others with it."""
        marked = Context(self._coordinator, name="watch: marked")
        marked.pin(self._token())
        if self._marked is not None:
            self._marked.close()
        self._marked = marked

    @property
    def is_marked(self) -> bool:
        """Whether there is a generation to compare with."""
        return self._marked is not None

    def _token(self) -> QueryGenerationToken | None:
        token = self._context.query_generation
        if token is not None and token.is_current:
            self._count()
            token = self._context.query_generation
        return token

    def compare(self) -> Comparison | None:
        """What differs between the remembered generation and the one that is shown."""
        old, new = None if self._marked is None else self._marked.query_generation, self._token()
        if old is None or new is None:
            return None
        counted: dict[str, list[int]] = {}
        with self._coordinator.difference(old, new) as difference:
            return _compared(difference, counted)

    def _count(self) -> None:
        context = self._context
        self._entities = tuple(
            (entity.name, context.count(entity.name, includes_subentities=False))
            for entity in self._coordinator.model.entities
            if not entity.abstract
        )

    def read(self) -> Moment:
        """The present moment."""
        has_newer = self._context.has_newer_generation
        if not self._entities or (has_newer and not self._is_frozen):
            if self._context.query_generation is not None:
                self._context.pin()
            self._count()
            has_newer = self._context.has_newer_generation
        commits = self._latest_transaction() - self._begin if self._has_history else self._notified
        now = time.monotonic()
        self._seen = [each for each in self._seen if each[0] >= now - self.SPAN] + [(now, commits)]
        seconds = now - self._seen[0][0]
        reports = self._coordinator.journal_report()
        return Moment(
            self._entities,
            self._is_frozen,
            has_newer,
            commits,
            (commits - self._seen[0][1]) / seconds if seconds > 0 else 0.0,
            reports[0] if reports else None,
            _transactions(self._newest, self._transactions) if self._has_history else (),
            self._has_history,
        )


def _compared(difference: GenerationDifference, counted: dict[str, list[int]]) -> Comparison:
    for change in difference:
        place = (HistoryChangeType.INSERT, HistoryChangeType.UPDATE, HistoryChangeType.DELETE).index(change.type)
        counted.setdefault(change.object_id.entity_name, [0, 0, 0])[place] += 1
    rows = tuple((name, *numbers) for name, numbers in sorted(counted.items()))
    return Comparison(rows, len(difference))  # type: ignore[arg-type]
