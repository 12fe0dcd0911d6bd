"""By hand: relationships to many objects, with a statement for the members of each object, and
small saves.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import Any

from by_hand_connections import Connecting
from cell import EPOCH_SECONDS, Cell

FIRST_PERSONS = "SELECT Z_PK, Z_OPT, ZAGE FROM ZPERSON LIMIT 1000"
"""The persons whom small saves change."""


class Walking(Connecting):
    """From objects to related ones."""

    def walk(self, cell: Cell) -> None:
        self._walk(cell, "lazy")

    def walk_prefetched(self, cell: Cell) -> None:
        self._walk(cell, "prefetched")

    def _walk(self, cell: Cell, name: str) -> None:
        connection = self._open(cell.blog)
        users = cell.parameter("users")
        total = 0
        kept: list[Any] = []
        with cell.timed(name, users * 31):
            for user in connection.execute("SELECT Z_PK, Z_OPT, ZNAME, ZAGE FROM ZUSER").fetchall():
                kept.append(user)
                total += user[3]
                posts = connection.execute("SELECT Z_PK, Z_OPT, ZTITLE, ZBODY, ZSCORE, ZAUTHOR FROM ZPOST WHERE ZAUTHOR = ?", (user[0],))
                for post in posts.fetchall():
                    kept.append(post)
                    total += post[4]
                    for comment in connection.execute(
                        "SELECT Z_PK, Z_OPT, ZTEXT, ZLIKES, ZPOST FROM ZCOMMENT WHERE ZPOST = ?", (post[0],)
                    ).fetchall():
                        kept.append(comment)
                        total += comment[3]
        cell.checksum("walk", total)

    def tags(self, cell: Cell) -> None:
        self._tags(cell, "lazy")

    def tags_prefetched(self, cell: Cell) -> None:
        self._tags(cell, "prefetched")

    def _tags(self, cell: Cell, name: str) -> None:
        connection = self._open(cell.blog)
        (table,) = connection.execute("SELECT name FROM sqlite_master WHERE type = 'table' AND name GLOB 'Z_[0-9]*'").fetchone()
        columns = [row[1] for row in connection.execute(f"PRAGMA table_info({table})").fetchall()]
        post_column = next(each for each in columns if each.endswith("POSTS"))
        tag_column = next(each for each in columns if each.endswith("TAGS"))
        statement = (
            f"SELECT t.Z_PK, t.Z_OPT, t.ZNAME, t.ZWEIGHT FROM {table} j JOIN ZTAG t ON t.Z_PK = j.{tag_column} WHERE j.{post_column} = ?"
        )
        count = cell.parameter("posts")
        total = 0
        kept: list[Any] = []
        with cell.timed(name, count * 4):
            for post in connection.execute("SELECT Z_PK, Z_OPT, ZTITLE, ZBODY, ZSCORE, ZAUTHOR FROM ZPOST LIMIT ?", (count,)).fetchall():
                kept.append(post)
                for tag in connection.execute(statement, (post[0],)).fetchall():
                    kept.append(tag)
                    total += tag[3]
        cell.checksum("walk", total)


class SmallSaves(Connecting):
    """One change after the other, each in a transaction of its own."""

    def small_saves(self, cell: Cell) -> None:
        self._save_often(cell)

    def small_saves_with_history(self, cell: Cell) -> None:
        self._save_often(cell, history=True)

    def small_saves_without_undo(self, cell: Cell) -> None:
        self._save_often(cell)

    def small_saves_beside_few(self, cell: Cell) -> None:
        self._save_beside_reader(cell)

    def small_saves_beside_many(self, cell: Cell) -> None:
        self._save_beside_reader(cell)

    def _save_beside_reader(self, cell: Cell) -> None:
        """Contexts that are pinned to one state need one snapshot. Nothing can be copied out of the journal meanwhile."""
        reader = self._open(cell.people)
        reader.execute("BEGIN")
        reader.execute("SELECT count(*) FROM ZPERSON WHERE Z_PK = 1").fetchall()
        self._save_often(cell, checkpoints=False)
        reader.execute("COMMIT")

    def small_saves_merging(self, cell: Cell) -> None:
        """Each context is a cache of rows by key, which gets each row that was saved."""
        connection = self._open(cell.people)
        caches = [{row[0]: row for row in connection.execute(FIRST_PERSONS)} for _ in range(cell.parameter("contexts"))]
        self._save_often(cell, caches=caches)
        cell.checksum("merged", sum(row[2] for cache in caches for row in cache.values()))

    def _save_often(
        self, cell: Cell, history: bool = False, checkpoints: bool = True, caches: Sequence[dict[int, tuple[int, int, int]]] = ()
    ) -> None:
        connection = self._open(cell.people)
        if not checkpoints:
            connection.execute("PRAGMA wal_autocheckpoint = 0")
        saves = cell.parameter("saves")
        persons = [list(row) for row in connection.execute(FIRST_PERSONS).fetchall()]
        with cell.timed("save", saves):
            for number in range(saves):
                person = persons[number % 1000]
                person[1] += 1
                person[2] += 1
                connection.execute("BEGIN IMMEDIATE")
                connection.execute(
                    "UPDATE ZPERSON SET ZAGE = ?, Z_OPT = ? WHERE Z_PK = ? AND Z_OPT = ?", (person[2], person[1], person[0], person[1] - 1)
                )
                if history:
                    connection.execute(
                        "INSERT INTO ATRANSACTION (Z_ENT, Z_OPT, ZTIMESTAMP) VALUES (16002, 1, ?)", (time.time() - EPOCH_SECONDS,)
                    )
                    connection.execute(
                        "INSERT INTO ACHANGE (Z_ENT, Z_OPT, ZCHANGETYPE, ZENTITY, ZENTITYPK, ZTRANSACTIONID) "
                        "VALUES (16001, 1, 1, 2, ?, last_insert_rowid())",
                        (person[0],),
                    )
                connection.execute("COMMIT")
                for cache in caches:
                    if person[0] in cache:
                        cache[person[0]] = (person[0], person[1], person[2])
        for name, column in (("save", "ZAGE"), ("versions", "Z_OPT")):
            cell.checksum(name, connection.execute(f"SELECT sum({column}) FROM ZPERSON").fetchone()[0])
