"""`python -m pinview watch`: a live view of a store that others write (issue 19, point 12)."""

from __future__ import annotations

import asyncio
import os
import pathlib
import subprocess
import sys
from collections.abc import Awaitable, Callable, Iterator

import pytest
from conftest import person_model

import pinview

pytest.importorskip("textual")

from textual.widgets import DataTable, Static

from pinview._commands.watch_app import WatchApp
from pinview._commands.watcher import Watcher

# Commits one change for each line that it reads, and answers with a line.
WRITER = """
import sys
import pinview
path, tracking = sys.argv[1], sys.argv[2] == "history"
coordinator = pinview.Coordinator(pinview.Coordinator.model_of_store(path))
coordinator.add_store(path, history_tracking=tracking)
context = pinview.Context(coordinator)
context.transaction_author = "writer"
print("ready", flush=True)
for line in sys.stdin:
    verb, name = line.split()
    if verb == "insert":
        context.insert("Person", name=name)
    elif verb == "update":
        context.one("Person", "name == %@", [name]).age += 1
    else:
        context.delete(context.one("Person", "name == %@", [name]))
    context.save()
    print("done", flush=True)
"""


class Writer:
    def __init__(self, path: pathlib.Path, kind: str) -> None:
        command = [sys.executable, "-c", WRITER, str(path), kind]
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        assert self.process.stdout is not None and self.process.stdout.readline() == "ready\n"

    def commit(self, verb: str, name: str) -> None:
        assert self.process.stdin is not None and self.process.stdout is not None
        self.process.stdin.write(f"{verb} {name}\n")
        self.process.stdin.flush()
        assert self.process.stdout.readline() == "done\n"


@pytest.fixture(params=["history", "plain"])
def writer(request: pytest.FixtureRequest, tmp_path: pathlib.Path) -> Iterator[Writer]:
    path = tmp_path / "live.sqlite"
    with person_model() as model, pinview.Coordinator(model) as coordinator:
        coordinator.add_store(path, history_tracking=request.param == "history")
        with pinview.Context(coordinator) as context:
            for name in ("ada", "bob"):
                context.insert("Person", name=name)
            context.save()
    made = Writer(path, request.param)
    yield made
    assert made.process.stdin is not None and made.process.stdout is not None
    made.process.stdin.close()
    made.process.wait()
    made.process.stdout.close()


def view(path: pathlib.Path, body: Callable[[WatchApp, Callable[[str], Awaitable[None]]], Awaitable[None]], width: int = 120) -> None:
    """Runs the view without a terminal. Its timer never fires: the body says when it reads."""

    async def run() -> None:
        with Watcher(path) as watcher:
            app = WatchApp(watcher, interval=3600)
            async with app.run_test(size=(width, 40)) as pilot:

                async def press(key: str) -> None:
                    await pilot.press(key)
                    await pilot.pause()

                await body(app, press)

    asyncio.run(run())


def persons(app: WatchApp) -> str:
    table = app.query_one("#entities", DataTable)
    return dict(tuple(table.get_row_at(row)) for row in range(table.row_count))["Person"]


def text(app: WatchApp, name: str) -> str:
    return str(app.query_one(f"#{name}", Static).render())


def test_theViewFollowsAnotherProcess(writer: Writer, tmp_path: pathlib.Path, request: pytest.FixtureRequest) -> None:
    async def body(app: WatchApp, press: Callable[[str], Awaitable[None]]) -> None:
        assert persons(app) == "2"
        writer.commit("insert", "eve")
        writer.commit("delete", "bob")
        writer.commit("insert", "fay")
        app.show_moment()
        assert persons(app) == "3"
        assert "following" in text(app, "summary") and "journal" in text(app, "summary")
        changes = app.query_one("#changes", DataTable)
        if app.moment is not None and app.moment.has_history:
            assert app.moment.commits == 3
            assert [str(cell) for cell in changes.get_row_at(0)][1:] == ["writer", "Person +1 ~0 -0"]
            assert [str(cell) for cell in changes.get_row_at(1)][1:] == ["writer", "Person +0 ~0 -1"]
        else:
            assert "no history" in str(changes.get_row_at(0))
        holders = app.query_one("#holders", DataTable)
        rows = [" ".join(holders.get_row_at(row)) for row in range(holders.row_count)]
        assert any("the newest" in row for row in rows), rows
        assert any(str(writer.process.pid) in row for row in rows), rows

    view(tmp_path / "live.sqlite", body)


def test_aFrozenViewStaysAndMomentsAreCompared(writer: Writer, tmp_path: pathlib.Path) -> None:
    async def body(app: WatchApp, press: Callable[[str], Awaitable[None]]) -> None:
        await press("m")
        await press("f")
        writer.commit("insert", "eve")
        writer.commit("insert", "fay")
        writer.commit("update", "ada")
        writer.commit("delete", "bob")
        app.show_moment()
        assert persons(app) == "2"
        assert "FROZEN, others have committed since" in text(app, "summary")
        await press("c")
        assert "No difference" in text(app, "comparison")
        await press("f")
        assert persons(app) == "3" and "following" in text(app, "summary")
        await press("c")
        assert "Person: 2 inserted, 1 updated, 1 deleted" in text(app, "comparison")

    view(tmp_path / "live.sqlite", body)


def test_theViewFitsANarrowTerminal(writer: Writer, tmp_path: pathlib.Path) -> None:
    async def body(app: WatchApp, press: Callable[[str], Awaitable[None]]) -> None:
        assert app.screen.has_class("narrow")
        assert app.query_one("#right").region.x == 0

    view(tmp_path / "live.sqlite", body, width=60)


def test_quitEndsTheView(writer: Writer, tmp_path: pathlib.Path) -> None:
    async def body(app: WatchApp, press: Callable[[str], Awaitable[None]]) -> None:
        await press("q")
        assert not app.is_running

    view(tmp_path / "live.sqlite", body)


def watch(*arguments: str, environment: dict[str, str] | None = None) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "pinview", "watch", *arguments]
    return subprocess.run(command, capture_output=True, text=True, env=environment, check=False)


def test_withoutTextualAMessageSaysWhatToInstall(tmp_path: pathlib.Path) -> None:
    (tmp_path / "textual.py").write_text("raise ModuleNotFoundError('no', name='textual')", encoding="utf-8")
    environment = {**os.environ, "PYTHONPATH": f"{tmp_path}:{os.environ.get('PYTHONPATH', '')}"}
    result = watch("people.sqlite", environment=environment)
    assert (result.returncode, result.stderr) == (
        1,
        "pinview: watch needs the package textual; install it with: pip install 'pinview[watch]'\n",
    )


def test_aStoreThatIsMissingIsAnError(tmp_path: pathlib.Path) -> None:
    result = watch(str(tmp_path / "missing.sqlite"))
    assert (result.returncode, result.stdout) == (1, "")
    assert "There is no file" in result.stderr
    assert watch("--interval", "0", "x").returncode == 2
