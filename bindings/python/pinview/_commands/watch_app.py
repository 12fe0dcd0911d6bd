"""The terminal view of `python -m pinview watch`, made with textual."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import ClassVar

from textual.app import App, ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, Vertical, VerticalScroll
from textual.widgets import DataTable, Footer, Static

from .._output.text import size
from ..errors import Error
from ..journal import JournalReport
from .watcher import Comparison, Moment, Watcher


class WatchApp(App[None]):
    """Shows a store until the user quits."""

    TITLE = "pinview watch"
    ENABLE_COMMAND_PALETTE = False
    CSS = """
    #summary { height: auto; padding: 0 1; background: $boost; }
    #left { width: 2fr; }
    #right { width: 3fr; }
    .title { padding: 0 1; text-style: bold; color: $accent; height: 1; }
    DataTable { height: auto; max-height: 50%; }
    #journal { padding: 0 1; height: auto; }
    #comparison { padding: 0 1; height: auto; color: $warning; }
    Screen.narrow Horizontal { layout: vertical; }
    Screen.narrow #left, Screen.narrow #right { width: 100%; height: auto; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("f,space", "freeze", "Freeze/follow"),
        Binding("m", "mark", "Remember this moment"),
        Binding("c", "compare", "Compare with it"),
        Binding("q,escape", "quit", "Quit"),
    ]

    def __init__(self, watcher: Watcher, interval: float) -> None:
        super().__init__()
        self.watcher, self.interval = watcher, interval
        self.moment: Moment | None = None
        self.comparison: Comparison | None = None
        self.failure: str | None = None

    def compose(self) -> ComposeResult:
        yield Static(id="summary", markup=False)
        with Horizontal():
            with VerticalScroll(id="left"):
                yield Static("Entities", classes="title")
                yield DataTable(id="entities", cursor_type="none")
                yield Static(id="comparison", markup=False)
            with Vertical(id="right"):
                yield Static("Who holds generations", classes="title")
                yield DataTable(id="holders", cursor_type="none")
                yield Static("Last changes", classes="title")
                yield DataTable(id="changes", cursor_type="none")
        yield Footer()

    def on_mount(self) -> None:
        for name, columns in (
            ("entities", ("entity", "objects")),
            ("holders", ("process", "holds", "since")),
            ("changes", ("transaction", "author", "+ inserted  ~ updated  - deleted")),
        ):
            self.query_one(f"#{name}", DataTable).add_columns(*columns)
        self.set_interval(self.interval, self.show_moment)
        self.show_moment()

    def on_resize(self) -> None:
        self.screen.set_class(self.size.width < 90, "narrow")

    def action_freeze(self) -> None:
        if self.moment is not None and self.moment.is_frozen:
            self.watcher.follow()
        else:
            self.watcher.freeze()
        self.show_moment()

    def action_mark(self) -> None:
        self.watcher.mark()
        self.comparison = None
        self.show_moment()

    def action_compare(self) -> None:
        self.comparison = self.watcher.compare()
        self.show_moment()

    def show_moment(self) -> None:
        """Reads the store and shows it. An error ends the view, and is reported afterwards."""
        try:
            moment = self.moment = self.watcher.read()
        except Error as error:
            self.failure = str(error)
            self.exit(return_code=1)
            return
        self.query_one("#summary", Static).update(_summary(self.watcher.path, moment, self.watcher.is_marked))
        self._fill("entities", [(name, str(count)) for name, count in moment.entities])
        self._fill("holders", _holders(moment.journal))
        changes = [(str(each.number), each.author or each.program or "", _changes(each.changes)) for each in reversed(moment.changes)]
        self._fill("changes", changes if moment.has_history else [("", "", "the store has no history")])
        self.query_one("#comparison", Static).update(_comparison(self.comparison))

    def _fill(self, name: str, rows: Sequence[tuple[str, ...]]) -> None:
        table = self.query_one(f"#{name}", DataTable)
        table.clear()
        for row in rows:
            table.add_row(*row)


def _summary(path: str, moment: Moment, is_marked: bool) -> str:
    state = "FROZEN" if moment.is_frozen else "following"
    behind = ", others have committed since" if moment.is_frozen and moment.has_newer else ""
    lines = [
        f"{path}   {state}{behind}{'   (a moment is remembered)' if is_marked else ''}",
        f"{moment.commits} commits, {moment.commits_per_second:.1f} a second",
    ]
    journal = moment.journal
    if journal is not None:
        held = journal.frames - journal.copied_frames - journal.reclaimable_frames
        lines[1] += (
            f"   journal {size(journal.journal_bytes)}: {journal.frames} frames, {journal.copied_frames} copied, {held} held back"
            f"   store {size(journal.store_bytes)}"
        )
    return "\n".join(lines)


def _holders(journal: JournalReport | None) -> list[tuple[str, str, str]]:
    if journal is None:
        return [("", "the store has no journal", "")]
    rows = []
    for generation in journal.generations:
        names = ", ".join(context.name or "a context" for context in generation.contexts) or "no context"
        state = "the newest" if generation.is_newest else f"{generation.frames_held_back} frames held back"
        rows.append((f"this one: {names}", f"generation {generation.ordinal}, {state}", f"{generation.age:.0f} s"))
    for process in journal.processes:
        if not process.is_this_process:
            marks = ", ".join(f"frame {mark.frame}" for mark in process.read_marks) or ("writing" if process.is_writing else "nothing")
            rows.append((f"{process.command or '?'} ({process.pid or '?'})", marks, ""))
    return rows


def _changes(changes: Mapping[str, Sequence[int]]) -> str:
    return ", ".join(f"{name} +{inserted} ~{updated} -{deleted}" for name, (inserted, updated, deleted) in changes.items())


def _comparison(comparison: Comparison | None) -> str:
    if comparison is None:
        return ""
    if not comparison.total:
        return "No difference from the remembered moment."
    rows = [
        f"{name}: {inserted} inserted, {updated} updated, {deleted} deleted" for name, inserted, updated, deleted in comparison.entities
    ]
    return "\n".join(["Since the remembered moment:", *rows])


def run(path: str, interval: float) -> str | None:
    """Shows the store until the user quits, and returns what went wrong, if anything."""
    with Watcher(path) as watcher:
        app = WatchApp(watcher, interval)
        app.run()
        return app.failure
