"""Runs conformance scenarios in Python."""

from __future__ import annotations

import pathlib
import threading
from typing import Any, Callable

from conformance import FOLDER, NESTING, Scenario, Step, codes

import pinview

NAMES = {"will-save": pinview.WILL_SAVE, "did-save": pinview.DID_SAVE, "did-change": pinview.OBJECTS_DID_CHANGE, "any": None}
KINDS = {"private": "private_queue", "main": "main_queue", "confinement": "confinement"}
POLICIES = {
    "error": pinview.MergePolicy.ERROR,
    "store-trump": pinview.MergePolicy.MERGE_BY_PROPERTY_STORE_TRUMP,
    "object-trump": pinview.MergePolicy.MERGE_BY_PROPERTY_OBJECT_TRUMP,
    "overwrite": pinview.MergePolicy.OVERWRITE,
    "rollback": pinview.MergePolicy.ROLLBACK,
}
FLAGS = {
    "retains": "retains_registered_objects",
    "deletes-inaccessible": "should_delete_inaccessible_faults",
    "propagates": "propagates_deletes_at_end_of_event",
    "automatic": "automatically_merges_changes_from_parent",
}
HOOKS = {
    "awakeFromInsert": "awake_from_insert",
    "awakeFromFetch": "awake_from_fetch",
    "prepareForDeletion": "prepare_for_deletion",
    "willSave": "will_save",
    "didSave": "did_save",
    "willTurnIntoFault": "will_turn_into_fault",
    "didTurnIntoFault": "did_turn_into_fault",
    "validateForInsert": "validate_for_insert",
    "validateForUpdate": "validate_for_update",
    "validateForDelete": "validate_for_delete",
}
CODES = codes()


class Refused(Exception):
    """The exception that hooks, blocks and observers raise."""


def yes(truth: bool) -> str:
    return "yes" if truth else "no"


def error_name(error: BaseException) -> str:
    if isinstance(error, pinview.Error):
        return CODES.get((error.domain or "PinviewErrorDomain", error.code), f"{error.domain} {error.code}: {error.message}")
    return "refused" if isinstance(error, Refused) else repr(error)


class Transcript:
    """The output of the steps. Output of blocks on other threads is added where the scenario waits
    for them.
    """

    def __init__(self) -> None:
        self.lines: list[str] = []
        self.waiting: list[str] = []
        self.local = threading.local()

    def add(self, line: str) -> None:
        (self.waiting if getattr(self.local, "is_later", False) else self.lines).append(line)

    def as_later(self, body: Callable[[], None]) -> None:
        self.local.is_later = True
        body()
        self.local.is_later = False

    def take_later(self) -> None:
        self.lines += self.waiting
        self.waiting.clear()


class Runner:
    """Runs a scenario in its own folder."""

    def __init__(self, scenario: Scenario, folder: pathlib.Path) -> None:
        self.scenario = scenario
        self.folder = folder
        self.transcript = Transcript()
        self.transcript.add(f"## {scenario}")
        self.mismatches: list[str] = []
        self.model: pinview.Model | None = pinview.Model.from_file(FOLDER / "model.json")
        self.coordinators: dict[str, pinview.Coordinator] = {}
        self.stores: dict[str, pinview.Store] = {}
        self.paths: dict[str, pathlib.Path] = {}
        self.contexts: dict[str, pinview.Context] = {}
        self.objects: dict[str, pinview.ManagedObject] = {}
        self.dropped: dict[str, pinview.ObjectID] = {}
        self.tokens: dict[str, pinview.QueryGenerationToken | None] = {}
        self.observers: list[tuple[str, pinview.Observer]] = []
        self.notification: list[pinview.Notification] = []
        self.hooks: dict[str, tuple[dict[str, Any], dict[str, Any]]] = {}
        self.it: list[Any] = []
        self.groups: dict[str, list[Any]] = {}
        self.notes: list[str] = []
        self.log: list[str] = []
        self.statements: list[str] = []
        self.failure: BaseException | None = None

    # Running

    def run(self) -> None:
        try:
            self.steps(self.scenario.steps)
        finally:
            self.finish()

    def finish(self) -> None:
        pinview.set_sql_log(None, enabled=False)
        for _, observer in self.observers:
            observer.close()
        self.observers.clear()
        self.hooks.clear()
        self.groups.clear()
        self.failure = None
        self.objects.clear()
        self.tokens.clear()
        self.dropped.clear()
        for context in [*self.contexts.values()]:
            context.close()
        self.contexts.clear()
        self.stores.clear()
        for coordinator in self.coordinators.values():
            coordinator.close()
        self.coordinators.clear()
        self.model = None

    def steps(self, steps: list[Step]) -> None:
        for step in steps:
            passing: BaseException | None = None
            try:
                verb = getattr(self, "do_" + step.words[0].replace("-", "_"))
                seen = verb(step, *step.words[1:]) if step.words[0] in NESTING else verb(*step.words[1:])
                seen = "ok" if seen is None else str(seen)
            except (pinview.Error, Refused) as error:
                seen = "error " + error_name(error)
                self.failure = error.with_traceback(None)
                passing = error if step.words[0].startswith("refuse") else None
            self.transcript.add(f"{step.line} {step.text} = {seen}")
            if passing is not None:
                raise passing  # the purpose of this step
            if seen != step.expected:
                self.mismatches.append(f"{self.scenario.file}.steps:{step.line}: {step.text} = {seen}, expected {step.expected}")

    # Words

    def value(self, word: str) -> Any:
        if word in self.objects:
            return self.objects[word]
        if word == "nil":
            return None
        return int(word) if word.lstrip("-").isdigit() else word

    def shown(self, value: Any) -> str:
        if value is None:
            return "nil"
        if isinstance(value, pinview.ManagedObject):
            return self.label(value.object_id)
        if isinstance(value, pinview.RelatedList):
            return "(" + " ".join(self.label(each.object_id) for each in value) + ")"
        if isinstance(value, pinview.RelatedSet):
            return self.listed(value)
        return str(value)

    def label(self, object_id: pinview.ObjectID) -> str:
        for name, held in self.objects.items():
            if name != "it" and held.object_id == object_id:
                return name.partition(".")[2]
        for name, known in self.dropped.items():
            if known == object_id:
                return name.partition(".")[2]
        return "?" + object_id.entity_name

    def listed(self, objects: Any) -> str:
        return "[" + " ".join(sorted(self.label(each.object_id) for each in objects)) + "]"

    def listed_ids(self, ids: Any) -> str:
        return "[" + " ".join(sorted(self.label(each) for each in ids)) + "]"

    def home(self, name: str) -> pinview.Context:
        return self.contexts[name.partition(".")[0]]

    def bind(self, name: str, value: Any) -> None:
        self.dropped.pop(name, None)
        self.objects[name] = value

    def id_of(self, name: str) -> pinview.ObjectID:
        return self.objects[name].object_id if name in self.objects else self.dropped[name]

    # Stacks

    def do_coordinator(self, name: str) -> None:
        assert self.model is not None
        self.coordinators[name] = pinview.Coordinator(self.model)

    def do_store(self, name: str, coordinator: str, kind: str, *options: str) -> None:
        chosen = dict(option.split("=") for option in options)
        path = None if kind == "memory" else self.folder / chosen.get("file", name + ".sqlite")
        self.stores[name] = self.coordinators[coordinator].add_store(
            path,
            configuration=chosen.get("configuration"),
            read_only="readonly" in chosen,
            journal_mode=chosen.get("journal"),
            busy_timeout=0.01 if "impatient" in chosen else None,
            options={"historyTracking": True} if "history" in chosen else None,
        )
        if path is not None:
            self.paths[name] = path

    def do_remove_store(self, name: str) -> None:
        store = self.stores[name]
        for coordinator in self.coordinators.values():
            if store in coordinator.stores:
                coordinator.remove_store(store)

    def do_context(self, name: str, kind: str = "private", coordinator: str = "main") -> None:
        if not self.coordinators:
            self.do_coordinator("main")
            self.do_store("main", "main", "sqlite")
        self.contexts[name] = pinview.Context(self.coordinators[coordinator], concurrency=KINDS[kind])

    def do_bare(self, name: str, kind: str = "private") -> None:
        self.contexts[name] = pinview.Context(concurrency=KINDS[kind])

    def do_child(self, name: str, parent: str, kind: str = "private") -> None:
        self.contexts[name] = pinview.Context(parent=self.contexts[parent], concurrency=KINDS[kind])

    def do_close(self, name: str) -> None:
        self.contexts.pop(name).close()

    def do_setting(self, name: str, key: str, *value: str) -> Any:
        context = self.contexts[name]
        if key in FLAGS:
            return setattr(context, FLAGS[key], value[0] == "yes") if value else yes(getattr(context, FLAGS[key]))
        if key == "policy":
            if not value:
                return next(name for name, policy in POLICIES.items() if policy == context.merge_policy)
            context.merge_policy = POLICIES[value[0]]
        elif key == "staleness":
            if not value:
                return f"{context.staleness_interval:g}"
            context.staleness_interval = float(value[0])
        elif key == "timeout":
            if not value:
                return "none" if context.timeout is None else f"{context.timeout:g}"
            context.timeout = None if value[0] == "none" else float(value[0])
        else:
            attribute = {"name": "name", "author": "transaction_author"}[key]
            if not value:
                return self.shown(getattr(context, attribute))
            setattr(context, attribute, self.value(value[0]))
        return None
