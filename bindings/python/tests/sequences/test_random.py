"""Random sequences of steps, compared with a naive model: UND, SAV, NST, RFR, MRG and QG together.

PINVIEW_SEED repeats a sequence, and PINVIEW_ROUNDS sets how many are run.
"""

from __future__ import annotations

import copy
import itertools
import os
import pathlib
import random
from collections.abc import Callable
from dataclasses import dataclass

from naive import BORN_AGE, DRAFT, FAIR, Graph, NaiveContext, Row, random_model

import pinview

Step = tuple[str, int]

KINDS = (
    ["insert", "change", "relate", "befriend", "tasks", "save"] * 4
    + ["delete", "several", "undo", "redo", "fetch"] * 3
    + ["rollback", "refresh", "refresh_all", "push", "pop", "pin_now", "unpin", "elsewhere", "pin_then_elsewhere"] * 2
    + ["reset"]
)


class Mismatch(Exception):
    """The library and the model differ."""


def expect(actual: object, expected: object, what: str) -> None:
    if actual != expected:
        raise Mismatch(f"{what}: the library says {actual}, the model {expected}")


@dataclass(frozen=True)
class Options:
    """Options of a whole sequence: the merge policy, automatic merging, and hooks."""

    policy: pinview.MergePolicy = pinview.MergePolicy.ERROR
    merges: bool = False
    has_hooks: bool = False


class Level:
    """A context under test, with its model and the objects that the test holds."""

    def __init__(self, context: pinview.Context) -> None:
        self.context = context
        self.naive = NaiveContext()
        self.handles: dict[int, pinview.ManagedObject] = {}


class Run:
    """A sequence of steps. Each step has its own random numbers, and is skipped if it is not
    applicable.
    """

    def __init__(self, coordinator: pinview.Coordinator, options: Options) -> None:
        self.coordinator = coordinator
        self.options = options
        self.levels = [Level(pinview.Context(coordinator, merge_policy=options.policy))]
        self.top.context.automatically_merges_changes_from_parent = options.merges
        self.history: list[Graph] = [{}]
        self.state: int | str | None = None  # the state of a pinned context; "current" or "moved" until the next read
        self.last_number = 0
        self.log: list[str] = []

    @property
    def top(self) -> Level:
        return self.levels[-1]

    @property
    def born_age(self) -> int:
        return BORN_AGE if self.options.has_hooks else 0

    def source(self, index: int) -> Graph:
        """The state that a context reads: the store at its generation, or its parent."""
        if index > 0:
            return self.levels[index - 1].naive.memory
        return self.history[self.state] if isinstance(self.state, int) else self.history[-1]

    def step(self, kind: str, seed: int) -> None:
        chooser = random.Random(seed)
        if kind in ("insert", "change", "relate", "befriend", "tasks", "delete"):
            self.event([lambda: self.edit(kind, chooser)])
        elif kind == "several":
            kinds = [chooser.choice(["insert", "change", "relate", "befriend", "tasks"]) for _ in range(3)]
            self.event([lambda kind=kind: self.edit(kind, chooser) for kind in kinds])  # type: ignore[misc]
        else:
            getattr(self, kind)(chooser)
        self.compare()

    # Changes

    def event(self, edits: list[Callable[[], None]]) -> None:
        before = copy.deepcopy(self.top.naive.memory)

        def block() -> None:
            for edit in edits:
                edit()

        self.top.context.perform_and_wait(block)
        self.top.naive.event_ended(before)

    def edit(self, kind: str, chooser: random.Random) -> None:
        naive, handles = self.top.naive, self.top.handles
        persons = sorted(number for number, row in naive.memory.items() if row.entity == "Person")
        tasks = sorted(number for number, row in naive.memory.items() if row.entity == "Task")
        if kind == "insert":
            entity = chooser.choice(["Person", "Person", "Task"])
            self.last_number += 1
            self.log.append(f"insert {entity} {self.last_number}")
            handles[self.last_number] = self.top.context.insert(entity, number=self.last_number)
            naive.memory[self.last_number] = Row(entity, self.last_number, age=self.born_age)
            return
        if not naive.memory:
            return
        number = chooser.choice(sorted(naive.memory))
        if kind == "change":
            name, age = chooser.choice([None, "ann", "bob"]), chooser.randrange(3)
            self.log.append(f"{number}: name {name}, age {age}")
            handles[number].update(name=name, age=age)
            naive.memory[number].name, naive.memory[number].age = name, age
        elif kind == "relate":
            destination = chooser.choice([None, *persons])
            self.log.append(f"{number}: boss or owner {destination}")
            row = naive.memory[number]
            handles[number]["owner" if row.entity == "Task" else "boss"] = None if destination is None else handles[destination]
            naive.set_one(number, destination)
        elif kind == "befriend" and persons:
            first, second, add = chooser.choice(persons), chooser.choice(persons), chooser.random() < 0.7
            self.log.append(f"{first} and {second} are {'friends' if add else 'no friends'}")
            (handles[first].friends.add if add else handles[first].friends.discard)(handles[second])
            naive.befriend(first, second, add)
        elif kind == "tasks" and persons:
            owner, chosen = chooser.choice(persons), chooser.sample(tasks, min(len(tasks), chooser.randrange(4)))
            self.log.append(f"{owner}: tasks {chosen}")
            handles[owner]["tasks"] = [handles[task] for task in chosen]
            naive.set_tasks(owner, chosen)
        elif kind == "delete":
            self.log.append(f"delete {number}")
            self.top.context.delete(handles[number])
            naive.delete(number)

    def undo(self, _: random.Random) -> None:
        self.log.append("undo")
        self.top.context.undo()
        self.top.naive.undo()

    def redo(self, _: random.Random) -> None:
        self.log.append("redo")
        self.top.context.redo()
        self.top.naive.redo()

    # Saving and discarding

    def save(self, _: random.Random) -> None:
        naive, level = self.top.naive, self.top
        self.log.append("save")
        if self.options.has_hooks:
            naive.will_save()
        if len(self.levels) > 1:
            self.save_into_parent()
            return
        changes = naive.has_changes()
        resolves = False
        if changes and naive.conflicts(self.history[-1]):
            resolves = naive.can_resolve(self.history[-1], self.options.policy)
            if not resolves:
                self.save_in_vain()
                return
            self.log.append(f"others have written {naive.conflicts(self.history[-1])}: {self.options.policy.name}")
            naive.resolve(self.history[-1], self.options.policy)
        level.context.save()
        if resolves:
            self.forget_actions()
        if changes:
            self.history.append(naive.saved(self.history[-1]))
            naive.mark_saved(self.history[-1])
            if self.state is not None:
                self.state = "moved"
                expect(level.context.query_generation, None, "the token straight after a save")

    def save_in_vain(self) -> None:
        self.top.context.merge_policy = pinview.MergePolicy.ERROR
        try:
            self.top.context.save()
        except pinview.ConflictError:
            return
        finally:
            self.top.context.merge_policy = self.options.policy
        raise Mismatch("the save succeeds, but there is a conflict")

    def save_into_parent(self) -> None:
        child, parent = self.top, self.levels[-2]
        before, had_deletions = copy.deepcopy(parent.naive.memory), bool(child.naive.deleted())
        child.context.save()
        parent.context.process_pending_changes()
        parent.naive.memory = copy.deepcopy(child.naive.memory)
        parent.naive.event_ended(before)
        child.naive.base = copy.deepcopy(child.naive.memory)
        if had_deletions:
            # Undoing such a deletion makes a new record with an old number.
            child.context.remove_all_undo_actions()
            child.naive.forget_actions()

    def rollback(self, _: random.Random) -> None:
        self.log.append("rollback")
        self.top.context.rollback()
        self.top.naive.rollback()

    def reset(self, _: random.Random) -> None:
        self.log.append("reset")
        self.top.context.reset()
        self.top.naive, self.top.handles = NaiveContext(), {}
        if len(self.levels) == 1 and self.state is not None:
            self.state = "moved"

    # Refreshing: its changes cannot be distinguished from those of undo, so the undo stack is
    # cleared.

    def refresh(self, chooser: random.Random) -> None:
        naive, source = self.top.naive, self.source(len(self.levels) - 1)
        numbers = sorted(naive.memory.keys() & naive.base.keys() & source.keys())
        if numbers:
            number = chooser.choice(numbers)
            self.log.append(f"refresh {number}")
            self.top.context.refresh(self.top.handles[number], merge_changes=True)
            naive.see(source[number])
            self.forget_actions()

    def refresh_all(self, _: random.Random) -> None:
        naive, source = self.top.naive, self.source(len(self.levels) - 1)
        self.log.append("refresh all")
        self.top.context.refresh_all()
        for number in naive.base.keys() & source.keys():
            naive.see(source[number])
        self.forget_actions()

    def forget_actions(self) -> None:
        self.top.context.remove_all_undo_actions()
        self.top.naive.forget_actions()

    # Nesting, generations, others

    def push(self, _: random.Random) -> None:
        if len(self.levels) < 3:
            self.log.append("a child context")
            self.levels.append(Level(pinview.Context(parent=self.top.context)))

    def pop(self, _: random.Random) -> None:
        if len(self.levels) > 1:
            self.log.append("the child goes")
            self.levels.pop().context.close()

    def pin_now(self, _: random.Random) -> None:
        if len(self.levels) > 1:
            return
        self.log.append("pin")
        self.top.context.pin()
        self.state = "current"
        expect(self.top.context.query_generation, pinview.QueryGenerationToken.current(), "the token before the first read")

    def pin_then_elsewhere(self, chooser: random.Random) -> None:
        """Pinning is lazy: commits before the first read are seen."""
        if len(self.levels) == 1:
            self.pin_now(chooser)
            self.elsewhere(chooser)

    def unpin(self, _: random.Random) -> None:
        if len(self.levels) == 1:
            self.log.append("unpin")
            self.top.context.unpin()
            self.state = None

    def elsewhere(self, chooser: random.Random) -> None:
        """Another context changes attributes, or inserts a record without relationships."""
        if len(self.levels) > 1 and (self.options.merges or not isinstance(self.state, int)):
            return
        store = copy.deepcopy(self.history[-1])
        with pinview.Context(self.coordinator) as other:
            if store and chooser.random() < 0.7:
                number, age = chooser.choice(sorted(store)), chooser.randrange(3, 6)
                (found,) = other.fetch(store[number].entity, predicate="number == %@", arguments=[number])
                self.log.append(f"elsewhere {number}: age {age}")
                if found.age == age:
                    return
                found.age = store[number].age = age
                if self.options.has_hooks and store[number].name == DRAFT:
                    store[number].name = FAIR
                store[number].version += 1
            else:
                self.last_number += 1
                number = self.last_number
                self.log.append(f"elsewhere: insert Person {number}")
                other.insert("Person", number=number)
                store[number] = Row("Person", number, age=self.born_age, version=1)
            other.save()
        self.history.append(store)
        if self.options.merges:
            self.merged(number)

    def merged(self, number: int) -> None:
        """The context merges other saves automatically, at the latest before its next block."""
        self.log.append("is merged")
        naive = self.top.naive
        self.top.context.perform_and_wait(lambda: None)
        # Records deleted here stay deleted, and the save has the conflict.
        if number in naive.memory and number in naive.base:
            naive.see(self.history[-1][number])
            self.forget_actions()
        if self.state is not None:
            self.state = "moved"

    # Comparing

    def fetch(self, chooser: random.Random) -> None:
        age = chooser.randrange(4)
        index = len(self.levels) - 1
        found = self.top.context.fetch("Person", predicate="age >= %@", arguments=[age], sort=["number"])
        expected = self.matching(index, lambda row: row.entity == "Person" and row.age >= age)
        expect([person.number for person in found], sorted(expected), f"persons of age {age} and more")
        expect(self.top.context.count("Person", predicate="age >= %@", arguments=[age]), len(expected), "their count")

    def matching(self, index: int, matches: Callable[[Row], bool]) -> set[int]:
        """Predicates use the values in memory for pending changes, and the stored ones
        otherwise.
        """
        naive = self.levels[index].naive
        changed = naive.inserted() | naive.updated()
        if index > 0:
            found = self.matching(index - 1, matches)
        else:
            found = {number for number, row in self.source(0).items() if matches(row)}
        return found - changed - naive.deleted() | {number for number in changed if matches(naive.memory[number])}

    def compare(self) -> None:
        for index, level in enumerate(self.levels):
            self.compare_level(index, level)

    def compare_level(self, index: int, level: Level) -> None:
        context, naive = level.context, level.naive
        for number, row in self.source(index).items():
            if number not in naive.base and number not in naive.memory:
                naive.see(row)
        for entity in ("Person", "Task"):
            expected = self.matching(index, lambda row, entity=entity: row.entity == entity)  # type: ignore[misc]
            found = context.fetch(entity)
            if index == 0 and isinstance(self.state, str):
                self.state = len(self.history) - 1
            expect({item.number for item in found}, expected, f"level {index}: a fetch of {entity}")
            for item in found:
                level.handles[item.number] = item
                expect(read(item), naive.memory[item.number], f"level {index}: {item.number}")
        for name, numbers in (
            ("inserted", naive.inserted()),
            ("updated", naive.updated()),
            ("deleted", naive.deleted()),
        ):
            objects = getattr(context, f"{name}_objects")
            # By object, because an undone insertion has no number any more.
            known = {item: number for number, item in level.handles.items()}
            expect({known.get(item) for item in objects}, numbers, f"level {index}: {name} objects")
        expect(context.has_changes, naive.has_changes(), f"level {index}: has_changes")
        token = context.query_generation
        expect(token is not None, index == 0 and self.state is not None, f"level {index}: whether there is a token")


def read(item: pinview.ManagedObject) -> Row:
    row = Row(item.entity.name, item.number, item.name, item.age)
    one = item.owner if row.entity == "Task" else item.boss
    row.one = None if one is None else one.number
    if row.entity == "Person":
        row.friends = {friend.number for friend in item.friends}
        row.staff = {person.number for person in item.staff}
        row.tasks = [task.number for task in item.tasks]
    return row


# The store of an earlier run may still be open: its objects can wait for the garbage collector.
_numbers = itertools.count()


def failure_of(steps: list[Step], options: Options, folder: pathlib.Path) -> tuple[str, list[str]] | None:
    path = folder / f"random{next(_numbers)}.sqlite"
    with random_model(options.has_hooks) as model, pinview.Coordinator(model) as coordinator:
        coordinator.add_store(path)
        run = Run(coordinator, options)
        try:
            for kind, seed in steps:
                run.step(kind, seed)
        except (Mismatch, pinview.Error, KeyError) as error:
            return f"{type(error).__name__}: {error}", run.log
        finally:
            for level in reversed(run.levels):
                level.context.close()
    return None


def shrink(steps: list[Step], options: Options, folder: pathlib.Path) -> list[Step]:
    """Removes steps, first many at a time, as long as the sequence still fails."""
    size = len(steps) // 2
    while size:
        start = 0
        while start < len(steps):
            shorter = steps[:start] + steps[start + size :]
            if failure_of(shorter, options, folder):
                steps = shorter
            else:
                start += size
        size //= 2
    return steps


def test_UND_SAV_NST_QG_randomSequences(tmp_path: pathlib.Path) -> None:
    first = int(os.environ.get("PINVIEW_SEED", "1"))
    rounds = int(os.environ.get("PINVIEW_ROUNDS", "1" if "PINVIEW_SEED" in os.environ else "10"))
    for seed in range(first, first + rounds):
        chooser = random.Random(seed)
        steps = [("insert", chooser.getrandbits(32)) for _ in range(6)]
        steps += [(chooser.choice(KINDS), chooser.getrandbits(32)) for _ in range(60)]
        options = Options(pinview.MergePolicy(chooser.choice([0, 0, 1, 2, 3, 4])), chooser.random() < 0.3, chooser.random() < 0.4)
        if failure_of(steps, options, tmp_path):
            shortest = shrink(steps, options, tmp_path)
            message, log = failure_of(shortest, options, tmp_path) or ("it does not fail again", [])
            raise AssertionError(f"PINVIEW_SEED={seed}: {message}\n{options}. The shortest sequence found that fails:\n" + "\n".join(log))
