"""Threads that share contexts and objects, and perform random operations: CON-13, CTX-02, REF-18.

Names contain the number of the object, which reveals values of other objects. PINVIEW_SEED repeats
the threads' choices (not their interleaving), and PINVIEW_ROUNDS sets how many hundreds of steps
each thread takes.
"""

from __future__ import annotations

import gc
import os
import random
import sys
import threading
import weakref
from collections.abc import Iterator

import pytest
from conftest import fill

import pinview

# Exceptions that steps may raise while others delete, save and reset.
EXPECTED = (pinview.ConflictError, pinview.ObjectNotFoundError, pinview.ExternalRelationshipError)


class Worker:
    """The steps of one thread."""

    def __init__(self, coordinator: pinview.Coordinator, contexts: list[pinview.Context], seed: int) -> None:
        self.coordinator = coordinator
        self.contexts = contexts
        self.random = random.Random(seed)
        self.kept: list[pinview.ManagedObject] = []
        self.seen: list[weakref.ref[pinview.ManagedObject]] = []
        self.failure: BaseException | None = None

    def run(self, steps: int) -> None:
        kinds = [self.fetch, self.fetch, self.read, self.read, self.follow, self.change, self.insert, self.delete, self.save]
        kinds += [self.pin, self.forget, self.roll_back, self.look_up, self.elsewhere]
        try:
            for _ in range(steps):
                try:
                    self.random.choice(kinds)(self.random.choice(self.contexts))
                except EXPECTED:
                    pass
        except BaseException as error:
            self.failure = error

    def some(self, count: int) -> list[pinview.ManagedObject]:
        return self.random.sample(self.kept, min(count, len(self.kept)))

    def fetch(self, context: pinview.Context) -> None:
        for person in context.fetch("Person", sort=[self.random.choice(["name", "-age"])], limit=self.random.choice([0, 1, 5])):
            self.check(person)
            if self.random.random() < 0.1:
                self.kept.append(person)
            self.seen.append(weakref.ref(person))

    def check(self, person: pinview.ManagedObject) -> None:
        # Another thread may have inserted it just now, and not set anything yet.
        assert (person.name or "dave").startswith("dave")
        assert (person.age or 20) >= 20

    def read(self, context: pinview.Context) -> None:
        for person in self.some(10):
            self.check(person)
            for car in person.cars:
                assert (car.name or "car").startswith("car")

    def follow(self, context: pinview.Context) -> None:
        for car in context.fetch("Car", limit=20):
            owner = car.owner
            if owner is not None:
                self.check(owner)

    def change(self, context: pinview.Context) -> None:
        for person in self.some(1):
            person.age = self.random.randrange(20, 1 << 40)
            person.name = f"dave{self.random.randrange(1000)}"

    def insert(self, context: pinview.Context) -> None:
        person = context.insert("Person", name="dave new", age=20)
        try:
            context.insert("Car", name="car new", owner=person)
        except pinview.InvalidArgumentError as error:
            # Another thread has rolled back or deleted the person meanwhile.
            assert "delete" in str(error)
            return
        self.kept.append(person)

    def delete(self, context: pinview.Context) -> None:
        for person in self.some(1):
            person.context.delete(person)

    def save(self, context: pinview.Context) -> None:
        context.save()

    def pin(self, context: pinview.Context) -> None:
        if self.random.random() < 0.5:
            context.pin()
        else:
            context.refresh_all()

    def forget(self, context: pinview.Context) -> None:
        self.kept = self.some(len(self.kept) // 2)
        gc.collect(0)
        self.seen = [each for each in self.seen if each() is not None][:200]

    def roll_back(self, context: pinview.Context) -> None:
        if self.random.random() < 0.3:
            context.rollback()

    def look_up(self, context: pinview.Context) -> None:
        for person in self.some(3):
            self.check(context.object(person.object_id))
            self.check(context.existing_object(person.object_id))
        for person in context.existing_objects([person.object_id for person in self.some(20)]):
            self.check(person)

    def elsewhere(self, context: pinview.Context) -> None:
        with pinview.Context(self.coordinator) as other:
            for person in other.fetch("Person", limit=5):
                person.age = (person.age or 20) + 1
            other.save()


@pytest.fixture
def hasty_threads() -> Iterator[None]:
    """Has threads switch far more often than usual."""
    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-5)
    yield
    sys.setswitchinterval(interval)


@pytest.mark.usefixtures("hasty_threads")
def test_CON_13_threadsThatShareEverything(empty: pinview.Coordinator) -> None:
    seed = int(os.environ.get("PINVIEW_SEED") or 1)
    print(f"PINVIEW_SEED={seed}")
    fill(empty, 200)
    contexts = [pinview.Context(empty) for _ in range(3)]
    contexts[0].pin()
    contexts[1].pin()
    contexts[1].automatically_merges_changes_from_parent = True
    workers = [Worker(empty, contexts, seed * 10 + number) for number in range(4)]
    threads = [threading.Thread(target=worker.run, args=(100 * int(os.environ.get("PINVIEW_ROUNDS") or 3),)) for worker in workers]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    failures = [worker.failure for worker in workers if worker.failure is not None]
    workers.clear()
    for context in contexts:
        context.close()
    if failures:
        raise AssertionError(f"with PINVIEW_SEED={seed}") from failures[0]
