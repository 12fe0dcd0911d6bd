"""Read-only stores, in another process: contexts are pinned if possible, unpinned otherwise, or
there is a clear error.
"""

from __future__ import annotations

import json
import os
import pathlib
import shutil
import stat
import subprocess
import sys
from collections.abc import Iterator
from typing import Any

import pytest
from conftest import fill, person_model

import pinview

COUNT = 5

# Opens the store, pins a context with its first read, and prints what it has read; again for each
# line of input.
READER = """
import json, sys
import pinview
from conftest import person_model

def say(**answer):
    print(json.dumps(answer), flush=True)

with person_model() as model, pinview.Coordinator(model) as coordinator:
    try:
        coordinator.add_store(sys.argv[1], read_only=sys.argv[2] == "read-only")
    except pinview.Error as error:
        say(error=type(error).__name__, message=str(error))
        sys.exit()
    with pinview.Context(coordinator) as context:
        context.pin()
        say(count=context.count("Person"), pinned=context.query_generation is not None)
        for line in sys.stdin:
            say(count=context.count("Person"), pinned=context.query_generation is not None)
"""


class Reader:
    """The process that reads the store."""

    def __init__(self, path: pathlib.Path, *, read_only: bool = False, prefix: list[str] | None = None) -> None:
        environment = dict(os.environ)
        folders = [str(pathlib.Path(__file__).parents[1]), environment.get("PYTHONPATH", "")]
        environment["PYTHONPATH"] = os.pathsep.join(folders)
        self.process = subprocess.Popen(
            [*(prefix or []), sys.executable, "-c", READER, str(path), "read-only" if read_only else "read-write"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            env=environment,
        )

    def answer(self) -> dict[str, Any]:
        assert self.process.stdout is not None
        return json.loads(self.process.stdout.readline())  # type: ignore[no-any-return]

    def ask_again(self) -> dict[str, Any]:
        assert self.process.stdin is not None
        self.process.stdin.write("again\n")
        self.process.stdin.flush()
        return self.answer()

    def __enter__(self) -> Reader:
        return self

    def __exit__(self, *_: object) -> None:
        self.process.communicate()


def without_privileges() -> list[str]:
    """Drops the privileges of root, which could write anywhere."""
    if os.geteuid() != 0:
        return []
    if shutil.which("setpriv") is None:
        pytest.skip("run by the superuser, and there is no setpriv to give up its privileges")
    return ["setpriv", "--bounding-set=-all", "--inh-caps=-all"]


def on_read_only_media(folder: pathlib.Path) -> list[str]:
    """Mounts the folder read-only, in this process only."""
    mount = 'mount --bind "$0" "$0" && mount -o remount,ro,bind "$0" && exec "$@"'
    prefix = ["unshare", "-m" if os.geteuid() == 0 else "-rm", "sh", "-c", mount, str(folder)]
    try:
        subprocess.run([*prefix, "true"], check=True, capture_output=True)
    except (OSError, subprocess.CalledProcessError) as error:
        pytest.skip(f"this system does not let the test mount a folder read-only: {error}")
    return prefix


def make_store(path: pathlib.Path, journal_mode: str = "wal") -> None:
    with person_model() as model, pinview.Coordinator(model) as coordinator:
        coordinator.add_store(path, options={"journalMode": journal_mode})
        fill(coordinator, COUNT)


def leave_store_open(path: pathlib.Path) -> None:
    """Leaves a journal behind by killing a process that writes."""
    program = "import os, signal, sys; from conftest import fill, person_model; import pinview\n"
    program += "model = person_model(); coordinator = pinview.Coordinator(model); coordinator.add_store(sys.argv[1])\n"
    program += f"fill(coordinator, {COUNT}); os.kill(os.getpid(), signal.SIGKILL)"
    environment = dict(os.environ)
    environment["PYTHONPATH"] = os.pathsep.join([str(pathlib.Path(__file__).parents[1]), environment.get("PYTHONPATH", "")])
    subprocess.run([sys.executable, "-c", program, str(path)], check=False, env=environment)
    assert pathlib.Path(f"{path}-wal").stat().st_size > 0


@pytest.fixture
def folder(path: pathlib.Path) -> Iterator[pathlib.Path]:
    """The folder of the store. Its permissions are restored after the test."""
    yield path.parent
    path.parent.chmod(0o755)


def forbid_writing(folder: pathlib.Path, *, files: bool = False) -> None:
    for file in folder.iterdir() if files else []:
        file.chmod(stat.S_IRUSR | stat.S_IRGRP | stat.S_IROTH)
    folder.chmod(0o555)


def insert(coordinator: pinview.Coordinator) -> None:
    with pinview.Context(coordinator) as context:
        context.insert("Person", name="new")
        context.save()


# Read-only media


def test_MDL_06_aStoreInAnotherJournalModeOnReadOnlyMediaIsPinnedAsNobodyCanChangeIt(path: pathlib.Path, folder: pathlib.Path) -> None:
    make_store(path, "delete")
    with Reader(path, read_only=True, prefix=on_read_only_media(folder)) as reader:
        assert reader.answer() == {"count": COUNT, "pinned": True}


def test_aWALStoreWithoutJournalOnReadOnlyMediaCannotBeWritten(path: pathlib.Path, folder: pathlib.Path) -> None:
    make_store(path)
    with Reader(path, prefix=on_read_only_media(folder)) as reader:
        answer = reader.answer()
    assert answer["error"] == "StoreOpenError"
    assert "folder is not writable" in answer["message"]


def test_MDL_06_aWALStoreWithoutJournalOnReadOnlyMediaIsRead(path: pathlib.Path, folder: pathlib.Path) -> None:
    make_store(path)
    with Reader(path, read_only=True, prefix=on_read_only_media(folder)) as reader:
        assert reader.answer() == {"count": COUNT, "pinned": True}


def test_MDL_06_aWALStoreWithItsJournalOnReadOnlyMediaIsPinned(path: pathlib.Path, folder: pathlib.Path) -> None:
    leave_store_open(path)
    with Reader(path, read_only=True, prefix=on_read_only_media(folder)) as reader:
        assert reader.answer() == {"count": COUNT, "pinned": True}


def test_aWriterBesideAReaderOnReadOnlyMedia(path: pathlib.Path, folder: pathlib.Path) -> None:
    make_store(path)
    prefix = on_read_only_media(folder)
    with person_model() as model, pinview.Coordinator(model) as coordinator:
        coordinator.add_store(path)
        with Reader(path, read_only=True, prefix=prefix) as reader:
            first = reader.answer()
            assert first["count"] == COUNT
            insert(coordinator)
            assert reader.ask_again()["count"] == (COUNT if first["pinned"] else COUNT + 1)


# A folder without write permission


def test_openingAWALStoreForWritingInAReadOnlyFolderSaysWhatToDo(path: pathlib.Path, folder: pathlib.Path) -> None:
    make_store(path)
    forbid_writing(folder)
    with Reader(path, prefix=without_privileges()) as reader:
        answer = reader.answer()
    assert answer["error"] == "StoreOpenError"
    assert "folder is not writable" in answer["message"]


def test_MDL_06_aWALStoreInAReadOnlyFolderIsRead(path: pathlib.Path, folder: pathlib.Path) -> None:
    make_store(path)
    forbid_writing(folder)
    with Reader(path, read_only=True, prefix=without_privileges()) as reader:
        assert reader.answer() == {"count": COUNT, "pinned": True}


def test_aStoreThatAnotherProcessHasOpenCanBePinnedInAReadOnlyFolder(path: pathlib.Path, folder: pathlib.Path) -> None:
    make_store(path)
    with person_model() as model, pinview.Coordinator(model) as coordinator:
        coordinator.add_store(path)
        forbid_writing(folder)
        with Reader(path, prefix=without_privileges()) as reader:
            assert reader.answer() == {"count": COUNT, "pinned": True}
            insert(coordinator)
            assert reader.ask_again() == {"count": COUNT, "pinned": True}
        folder.chmod(0o755)


def test_aStoreWithReadOnlyFilesIsReadUnpinned(path: pathlib.Path, folder: pathlib.Path) -> None:
    make_store(path)
    with person_model() as model, pinview.Coordinator(model) as coordinator:
        coordinator.add_store(path)
        forbid_writing(folder, files=True)
        with Reader(path, read_only=True, prefix=without_privileges()) as reader:
            assert reader.answer() == {"count": COUNT, "pinned": False}
            insert(coordinator)
            assert reader.ask_again() == {"count": COUNT + 1, "pinned": False}
        folder.chmod(0o755)
