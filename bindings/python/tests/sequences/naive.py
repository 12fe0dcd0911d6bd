"""A naive model of contexts for the random test, with full copies of the committed and the
in-memory state.
"""

from __future__ import annotations

import copy
from dataclasses import dataclass, field

import pinview
from pinview import Attribute, Entity, Relationship

# What the hooks do: they set the age of new objects and the name of deleted ones, and a save
# replaces one name by another.
BORN_AGE, LAST_NAME, DRAFT, FAIR = 1, "late", "ann", "anna"


def _settle_name(item: pinview.ManagedObject) -> None:
    if not item.is_deleted and item.name == DRAFT:
        item.name = FAIR


def random_model(has_hooks: bool = False) -> pinview.Model:
    """Persons with a boss, friends and an ordered list of tasks that are deleted with them."""
    attributes = [Attribute("number", "integer64"), Attribute("name", "string"), Attribute("age", "integer64", default=0)]
    model = pinview.Model(
        [
            Entity(
                "Person",
                attributes=attributes,
                relationships=[
                    Relationship("boss", "Person", inverse="staff"),
                    Relationship("staff", "Person", inverse="boss", to_many=True),
                    Relationship("friends", "Person", inverse="friends", to_many=True),
                    Relationship("tasks", "Task", inverse="owner", to_many=True, ordered=True, delete_rule="cascade"),
                ],
            ),
            Entity("Task", attributes=attributes, relationships=[Relationship("owner", "Person", inverse="tasks")]),
        ]
    )
    for entity in ("Person", "Task") if has_hooks else ():
        model.set_hooks(
            entity,
            awake_from_insert=lambda item: item.update(age=BORN_AGE),
            prepare_for_deletion=lambda item: item.update(name=LAST_NAME),
            will_save=_settle_name,
        )
    return model


@dataclass
class Row:
    """A record. It refers to related records by number."""

    entity: str
    number: int
    name: str | None = None
    age: int = 0
    one: int | None = None  # the boss of a person, the owner of a task
    friends: set[int] = field(default_factory=set)
    staff: set[int] = field(default_factory=set)
    tasks: list[int] = field(default_factory=list)
    version: int = field(default=0, compare=False)

    def is_related(self) -> bool:
        return bool(self.one or self.friends or self.staff or self.tasks)

    def relations(self) -> tuple[object, ...]:
        return (self.one, self.friends, self.staff, self.tasks)

    def columns(self) -> tuple[object, ...]:
        return (self.name, self.age, self.one)


Graph = dict[int, Row]


class NaiveContext:
    """A context. Pending changes are the differences between `memory` and `base`; undo restores
    full copies of `memory`.
    """

    def __init__(self) -> None:
        self.base: Graph = {}
        self.memory: Graph = {}
        self.undo_stack: list[tuple[Graph, Graph]] = []
        self.redo_stack: list[tuple[Graph, Graph]] = []

    def inserted(self) -> set[int]:
        return self.memory.keys() - self.base.keys()

    def deleted(self) -> set[int]:
        return self.base.keys() - self.memory.keys()

    def updated(self) -> set[int]:
        return {number for number in self.memory.keys() & self.base.keys() if self.memory[number] != self.base[number]}

    def has_changes(self) -> bool:
        return bool(self.inserted() or self.deleted() or self.updated())

    # Changes

    def set_one(self, number: int, destination: int | None) -> None:
        row = self.memory[number]
        if row.one == destination:
            return
        if row.one is not None:
            self._others(row, row.one, False)
        row.one = destination
        if destination is not None:
            self._others(row, destination, True)

    def _others(self, row: Row, other: int, add: bool) -> None:
        far = self.memory[other]
        if row.entity == "Task":
            far.tasks = [task for task in far.tasks if task != row.number] + ([row.number] if add else [])
        elif add:
            far.staff.add(row.number)
        else:
            far.staff.discard(row.number)

    def befriend(self, first: int, second: int, add: bool) -> None:
        for one, other in ((first, second), (second, first)):
            (self.memory[one].friends.add if add else self.memory[one].friends.discard)(other)

    def set_tasks(self, number: int, tasks: list[int]) -> None:
        for task in self.memory[number].tasks:
            if task not in tasks:
                self.memory[task].one = None
        for task in tasks:
            self.set_one(task, number)
        self.memory[number].tasks = list(tasks)

    def delete(self, number: int) -> None:
        row = self.memory[number]
        if row.entity == "Task":
            self.set_one(number, None)
        else:
            for task in list(row.tasks):
                self.delete(task)
            for person in list(row.staff):
                self.set_one(person, None)
            for friend in list(row.friends):
                self.befriend(number, friend, False)
            self.set_one(number, None)
        del self.memory[number]

    # Undo

    def event_ended(self, before: Graph) -> None:
        if before != self.memory:
            self.undo_stack.append((before, copy.deepcopy(self.memory)))
            self.redo_stack.clear()

    def undo(self) -> None:
        if self.undo_stack:
            before, after = self.undo_stack.pop()
            self.redo_stack.append((before, after))
            self.memory = copy.deepcopy(before)

    def redo(self) -> None:
        if self.redo_stack:
            before, after = self.redo_stack.pop()
            self.undo_stack.append((before, after))
            self.memory = copy.deepcopy(after)

    def forget_actions(self) -> None:
        self.undo_stack.clear()
        self.redo_stack.clear()

    # Reading and discarding

    def see(self, row: Row) -> None:
        """Reads a record again. Local changes stay."""
        old, mine = self.base.get(row.number), self.memory.get(row.number)
        self.base[row.number] = copy.deepcopy(row)
        if old is None:
            # The record is new to the context only, so undo does not remove it.
            for graph in [self.memory, *(graph for group in self.undo_stack + self.redo_stack for graph in group)]:
                graph[row.number] = copy.deepcopy(row)
        elif mine is not None:
            for name in ("name", "age", "one", "friends", "staff", "tasks"):
                if getattr(mine, name) == getattr(old, name):
                    setattr(mine, name, copy.deepcopy(getattr(row, name)))

    def rollback(self) -> None:
        self.memory = copy.deepcopy(self.base)
        self.forget_actions()

    def mark_saved(self, store: Graph) -> None:
        for number in self.inserted() | self.updated():
            old = self.base.get(number)
            was_written = old is None or old.columns() != self.memory[number].columns()
            version = store[number].version if was_written or old is None else old.version
            self.base[number] = copy.deepcopy(self.memory[number])
            self.base[number].version = version
        for number in self.deleted():
            del self.base[number]

    def will_save(self) -> None:
        """What the hooks do to a record that is saved."""
        before = copy.deepcopy(self.memory)
        for number in self.inserted() | self.updated():
            if self.memory[number].name == DRAFT:
                self.memory[number].name = FAIR
        self.event_ended(before)

    def conflicts(self, store: Graph) -> set[int]:
        """The rows that a save would write and that others have written meanwhile."""
        written = {number for number in self.updated() if self.memory[number].columns() != self.base[number].columns()}
        return {number for number in written | self.deleted() if store[number].version != self.base[number].version}

    def can_resolve(self, store: Graph, policy: pinview.MergePolicy) -> bool:
        """Whether this model can predict the policy's result: the other side of a removed
        relationship is not a conflict.
        """
        if policy == pinview.MergePolicy.ERROR:
            return False
        for number in self.conflicts(store):
            mine, base = self.memory.get(number), self.base[number]
            if mine is not None and policy == pinview.MergePolicy.ROLLBACK and mine.relations() != base.relations():
                return False
            gives_up = policy in (pinview.MergePolicy.ROLLBACK, pinview.MergePolicy.MERGE_BY_PROPERTY_STORE_TRUMP)
            if mine is None and gives_up and base.is_related():
                return False
        return True

    def resolve(self, store: Graph, policy: pinview.MergePolicy) -> None:
        """Resolves the conflicts by a policy. Afterwards the context has read what others wrote."""
        for number in self.conflicts(store):
            mine, base, theirs = self.memory.get(number), self.base[number], store[number]
            if mine is None:
                if policy in (pinview.MergePolicy.MERGE_BY_PROPERTY_OBJECT_TRUMP, pinview.MergePolicy.OVERWRITE):
                    continue
                self.memory[number] = copy.deepcopy(theirs)
            elif policy != pinview.MergePolicy.OVERWRITE:
                for name in ("name", "age"):
                    own, original, other = getattr(mine, name), getattr(base, name), getattr(theirs, name)
                    if policy == pinview.MergePolicy.MERGE_BY_PROPERTY_STORE_TRUMP:
                        keeps = other == original
                    else:
                        keeps = policy == pinview.MergePolicy.MERGE_BY_PROPERTY_OBJECT_TRUMP and own != original
                    if not keeps:
                        setattr(mine, name, other)
            self.base[number] = copy.deepcopy(theirs)

    def saved(self, store: Graph) -> Graph:
        """The store after a save."""
        result = copy.deepcopy(store)
        for number in self.deleted():
            del result[number]
        for number in self.inserted():
            result[number] = copy.deepcopy(self.memory[number])
            result[number].version = 1
        for number in self.updated():
            mine, old, row = self.memory[number], self.base[number], result[number]
            for name in ("name", "age", "one", "friends", "staff", "tasks"):
                if getattr(mine, name) != getattr(old, name):
                    setattr(row, name, copy.deepcopy(getattr(mine, name)))
            row.version += mine.columns() != old.columns()
        return result
