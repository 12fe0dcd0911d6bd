"""The verbs of objects, blocks and observers; see conformance_runner.py."""

from __future__ import annotations

import contextlib
import sqlite3
import threading
from typing import Any, Callable

from conformance import Step
from conformance_runner import HOOKS, NAMES, POLICIES, Refused, Runner, error_name, yes

import pinview


class Verbs(Runner):
    """The verbs for everything after the contexts of a scenario are set up."""

    # Objects

    def do_insert(self, name: str, entity: str, *values: str) -> None:
        made = self.home(name).insert(entity)
        self.bind(name, made)
        for pair in values:
            key, _, word = pair.partition("=")
            made[key] = self.value(word)

    def do_delete(self, name: str, through: str = "") -> None:
        (self.contexts[through] if through else self.home(name)).delete(self.objects[name])

    def do_reinsert(self, name: str, through: str = "") -> None:
        (self.contexts[through] if through else self.home(name)).reinsert(self.objects[name])

    def do_drop(self, name: str) -> None:
        self.dropped[name] = self.objects.pop(name).object_id

    def do_set(self, name: str, key: str, value: str) -> None:
        self.objects[name][key] = self.value(value)

    def do_get(self, name: str, key: str) -> str:
        return self.shown(self.objects[name][key])

    def do_members(self, name: str, key: str, *members: str) -> None:
        self.objects[name][key] = [self.objects[member] for member in members]

    def do_add(self, name: str, key: str, member: str) -> None:
        related = self.objects[name][key]
        (related.append if isinstance(related, pinview.RelatedList) else related.add)(self.objects[member])

    def do_remove(self, name: str, key: str, member: str) -> None:
        self.objects[name][key].remove(self.objects[member])

    def do_insert_at(self, name: str, key: str, index: str, member: str) -> None:
        self.objects[name][key].insert(int(index), self.objects[member])

    def do_size(self, name: str, key: str) -> int:
        return len(self.objects[name][key])

    def do_contains(self, name: str, key: str, member: str) -> str:
        return yes(self.objects[member] in self.objects[name][key])

    def do_state(self, name: str) -> str:
        target = self.objects[name]
        flags = (
            ("inserted", target.is_inserted),
            ("updated", target.is_updated),
            ("deleted", target.is_deleted),
            ("fault", target.is_fault),
        )
        return " ".join(flag for flag, is_set in flags if is_set) or "clean"

    def do_home(self, name: str) -> str:
        context = self.objects[name].context
        return next((known for known, each in self.contexts.items() if each == context), "none")

    def do_temporary(self, name: str) -> str:
        return yes(self.id_of(name).is_temporary)

    def do_loaded(self, name: str, key: str) -> str:
        return yes(not self.objects[name].has_fault(key))

    def do_same(self, left: str, right: str) -> str:
        return yes(self.objects[left] == self.objects[right])

    def do_same_id(self, left: str, right: str) -> str:
        return yes(self.id_of(left) == self.id_of(right))

    def do_slot(self, name: str, *value: str) -> Any:
        if not value:
            return self.shown(self.objects[name].user_data)
        self.objects[name].user_data = self.value(value[0])
        return None

    def do_validate(self, name: str) -> None:
        self.objects[name].validate()

    def do_validate_delete(self, name: str) -> None:
        self.objects[name].validate_deletion()

    def do_detect(self, name: str) -> None:
        self.home(name).detect_conflicts(self.objects[name])

    def do_obtain(self, *names: str) -> None:
        self.home(names[0]).obtain_permanent_ids([self.objects[name] for name in names])

    def do_assign(self, name: str, store: str) -> None:
        self.home(name).assign(self.objects[name], self.stores[store])

    def do_refresh(self, name: str, how: str) -> None:
        self.home(name).refresh(self.objects[name], merge_changes=how == "merge")

    # Fetching

    def fetched(self, name: str, entity: str, words: tuple[str, ...], **options: Any) -> pinview.FetchResult:
        predicate = words[0] if words else None
        return self.contexts[name].fetch(entity, predicate, [self.value(word) for word in words[1:]], **options)

    def do_find(self, name: str, entity: str, *words: str) -> Any:
        result = list(self.fetched(name.partition(".")[0], entity, words))
        if len(result) != 1:
            return f"{len(result)} objects"
        self.bind(name, result[0])
        return None

    def do_fetch(self, name: str, entity: str, *words: str) -> str:
        return self.listed(self.fetched(name, entity, words))

    def do_refetch(self, name: str, entity: str, *words: str) -> str:
        return self.listed(self.fetched(name, entity, words, refresh_refetched=True))

    def do_sorted(self, name: str, entity: str, key: str, *words: str) -> str:
        return "(" + " ".join(self.label(each.object_id) for each in self.fetched(name, entity, words, sort=[key])) + ")"

    def do_names(self, name: str, entity: str, *words: str) -> str:
        return "[" + " ".join(sorted(self.shown(each["name"]) for each in self.fetched(name, entity, words))) + "]"

    def do_count(self, name: str, entity: str, *words: str) -> int:
        return self.contexts[name].count(entity, words[0] if words else None, [self.value(word) for word in words[1:]])

    def do_fault(self, name: str, of: str) -> None:
        self.bind(name, self.home(name).object(self.id_of(of)))

    def do_existing(self, name: str, of: str) -> None:
        self.bind(name, self.home(name).existing_object(self.id_of(of)))

    def do_registered(self, name: str, of: str) -> str:
        found = self.home(name).registered_object(self.id_of(of))
        if found is not None:
            self.bind(name, found)
        return yes(found is not None)

    def do_alive(self, name: str) -> str:
        return yes(self.home(name).registered_object(self.id_of(name)) is not None)

    # Contexts

    def do_objects(self, name: str, kind: str) -> str:
        return self.listed(getattr(self.contexts[name], kind + "_objects"))

    def do_changes(self, name: str) -> str:
        return yes(self.contexts[name].has_changes)

    def do_save(self, name: str) -> None:
        self.contexts[name].save()

    def do_rollback(self, name: str) -> None:
        self.contexts[name].rollback()

    def do_undo(self, name: str) -> None:
        self.contexts[name].undo()

    def do_redo(self, name: str) -> None:
        self.contexts[name].redo()

    def do_process(self, name: str) -> None:
        self.contexts[name].process_pending_changes()

    def do_reset(self, name: str) -> None:
        self.contexts[name].reset()

    def do_refresh_all(self, name: str) -> None:
        self.contexts[name].refresh_all()

    def manager(self, name: str) -> pinview.UndoManager:
        manager = self.contexts[name].undo_manager
        assert manager is not None
        return manager

    def do_undo_manager(self, name: str, which: str = "") -> Any:
        if not which:
            return yes(self.contexts[name].undo_manager is not None)
        self.contexts[name].undo_manager = pinview.UndoManager() if which == "new" else None
        return None

    def do_undo_through_manager(self, name: str) -> None:
        self.manager(name).undo()

    def do_undo_state(self, name: str) -> str:
        manager = self.manager(name)
        undo = manager.undo_action_name or "unnamed" if manager.can_undo else "nothing"
        redo = manager.redo_action_name or "unnamed" if manager.can_redo else "nothing"
        return f"undo {undo}, redo {redo}"

    def do_group(self, name: str) -> None:
        group = self.manager(name).group()
        group.__enter__()
        self.groups.setdefault(name, []).append(group)

    def do_ungroup(self, name: str) -> None:
        self.groups[name].pop().__exit__(None, None, None)

    def do_action(self, name: str, action: str) -> None:
        self.manager(name).set_action_name(action)

    def do_levels(self, name: str, levels: str) -> None:
        self.manager(name).levels = int(levels)

    def do_forget(self, name: str) -> None:
        self.manager(name).remove_all_actions()

    # Generations

    def do_pin(self, name: str, token: str = "") -> None:
        self.contexts[name].set_query_generation(self.tokens[token] if token else pinview.CURRENT)

    def do_unpin(self, name: str) -> None:
        self.contexts[name].set_query_generation(None)

    def do_token(self, token: str, name: str) -> None:
        self.tokens[token] = self.contexts[name].query_generation

    def do_generation(self, name: str) -> str:
        token = self.contexts[name].query_generation
        return "none" if token is None else "current" if token.is_current else "fixed"

    def do_same_generation(self, left: str, right: str) -> str:
        return yes(self.contexts[left].query_generation == self.contexts[right].query_generation)

    def do_pinning(self, name: str) -> str:
        words = {
            pinview.QueryGenerationState.UNPINNED: "unpinned",
            pinview.QueryGenerationState.PINNED_AT_NEXT_READ: "at-next-read",
            pinview.QueryGenerationState.PINNED: "pinned",
        }
        return words[self.contexts[name].query_generation_state]

    def do_newer(self, name: str) -> str:
        return yes(self.contexts[name].has_newer_generation)

    # Blocks and threads

    def do_in(self, step: Step, name: str) -> None:
        self.contexts[name].perform_and_wait(self.steps, step.body)

    def do_later(self, step: Step, name: str) -> None:
        self.contexts[name].perform(self.transcript.as_later, lambda: self.steps(step.body))

    def do_wait(self, name: str, more: str = "") -> None:
        self.contexts[name].perform(lambda: None).result()
        if not more:
            self.transcript.take_later()

    def do_drain(self) -> int:
        count = pinview.main_queue.drain()
        self.transcript.take_later()
        return count

    def do_thread(self, step: Step) -> None:
        thread = threading.Thread(target=self.steps, args=(step.body,))
        thread.start()
        thread.join()

    # Notifications

    def observing(self, name: str, notification: str, callback: Callable[[pinview.Notification], Any]) -> None:
        context = None if name == "*" else self.contexts[name]
        self.observers.append((name, pinview.observe(NAMES[notification], callback, context=context)))

    def do_on(self, step: Step, name: str, notification: str) -> None:
        def called(note: pinview.Notification) -> None:
            self.notification.append(note)
            try:
                self.steps(step.body)
            finally:
                self.notification.pop()

        self.observing(name, notification, called)

    def do_off(self, name: str) -> None:
        for entry in [entry for entry in self.observers if entry[0] == name]:
            self.observers.remove(entry)
            entry[1].close()

    def do_record(self, name: str, notification: str) -> None:
        self.observing(name, notification, lambda note: self.notes.append(self.described(note)))

    def described(self, note: pinview.Notification) -> str:
        context = next((name for name, each in self.contexts.items() if each == note.context), "?")
        words = [context, next(word for word, name in NAMES.items() if name == note.name)]
        for key in ("inserted", "updated", "deleted", "refreshed", "invalidated"):
            objects = getattr(note, key + "_objects")
            if objects:
                words.append(key + self.listed(objects))
        if note.invalidated_all_object_ids:
            words.append("invalidatedAll" + self.listed_ids(note.invalidated_all_object_ids))
        if note.query_generation is not None:
            words.append("generation")
        return " ".join(words)

    def do_note(self) -> str:
        return self.described(self.notification[-1])

    def do_notes(self) -> str:
        notes, self.notes = self.notes, []
        return "; ".join(notes) or "none"

    def do_merge(self, name: str) -> None:
        self.contexts[name].merge_changes(self.notification[-1])

    def do_pin_to_note(self, name: str) -> None:
        self.contexts[name].set_query_generation(self.notification[-1].query_generation)

    def do_merge_remote(self, names: str, *words: str) -> None:
        changes: dict[str, list[Any]] = {}
        for key, name in zip(words[::2], words[1::2]):
            changes.setdefault(key, []).append(self.id_of(name))
        pinview.merge_remote_changes(changes, [self.contexts[name] for name in names.split(",")])

    # Hooks

    def do_hook(self, step: Step, entity: str, name: str) -> None:
        assert self.model is not None
        hooks = self.hooks.setdefault(entity, ({}, {}))

        def called(target: Any, *value: Any) -> None:
            self.it.append(target)
            self.objects["it"] = target
            try:
                self.steps(step.body)
            finally:
                self.it.pop()
                self.objects.pop("it")
                if self.it:
                    self.objects["it"] = self.it[-1]

        kind, _, key = name.partition(":")
        if kind == "validateProperty":
            hooks[1][key] = called
        else:
            hooks[0][HOOKS[name]] = called
        self.model.set_hooks(entity, validate_property=hooks[1], **hooks[0])

    def do_full_name(self, name: str) -> None:
        target = self.objects[name]
        target["fullName"] = f"{target['firstName'] or ''} {target['lastName'] or ''}"

    def do_refuse(self) -> None:
        raise Refused

    def do_refuse_when(self, name: str, key: str, value: str) -> None:
        if self.objects[name][key] == self.value(value):
            raise Refused

    def do_set_unless(self, name: str, key: str, value: str) -> None:
        if self.objects[name][key] != self.value(value):
            self.objects[name][key] = self.value(value)

    def do_log(self, *words: str) -> None:
        self.log.append(" ".join(words))

    def do_log_object(self, word: str, name: str) -> None:
        self.log.append(f"{word} {self.label(self.objects[name].object_id)}")

    def do_logged(self) -> str:
        log, self.log = self.log, []
        return ", ".join(log) or "nothing"

    # Errors

    def do_failure(self, what: str) -> Any:
        error: Any = self.failure
        if what == "affected":
            return self.listed_ids(error.affected_objects)
        if what == "stores":
            return len(error.affected_stores)
        if what == "key":
            return self.shown(error.key)
        if what == "value":
            return self.shown(error.value)
        if what == "sqlite":
            return self.shown(error.sqlite_code)
        if what == "message":
            return yes(bool(error.message))
        if what == "constraints":
            return "; ".join(self.constraint(each) for each in error.constraint_conflicts)
        if what == "details":
            return "[" + " ".join(sorted(self.detail(each) for each in error.detailed_errors)) + "]"
        return "; ".join(sorted(self.conflict(each) for each in error.conflicts))

    def detail(self, error: Any) -> str:
        name = error_name(error)
        return name if getattr(error, "key", None) is None else f"{name}:{error.key}"

    def constraint(self, conflict: pinview.ConstraintConflict) -> str:
        values = ",".join(f"{key}={self.shown(conflict.values[key])}" for key in conflict.constraint)
        return f"{conflict.entity_name} {values} {'stored' if conflict.database_object else 'new'} {len(conflict.snapshots)}"

    def conflict(self, conflict: pinview.Conflict) -> str:
        words = [self.label(conflict.object_id), "delete" if conflict.is_deletion else "update"]
        words.append("gone" if conflict.theirs is None else "changed")
        for key in sorted(conflict.base):
            theirs = None if conflict.theirs is None else conflict.theirs[key]
            values = (conflict.base[key], conflict.mine[key], theirs)
            if key in ("name", "age") and len({str(value) for value in values}) > 1:
                words.append(key + "=" + "/".join(self.shown(value) for value in values))
        return " ".join(words)

    # The store from outside, and batches

    def do_sql(self, store: str, statement: str) -> str:
        with contextlib.closing(sqlite3.connect(self.paths[store], timeout=60)) as connection:
            rows = connection.execute(statement).fetchall()
            connection.commit()
        return "; ".join("|".join("" if value is None else str(value) for value in row) for row in rows) or "ok"

    def do_export(self, context: str, name: str) -> None:
        source = self.contexts[context]
        assert source.coordinator is not None
        path = self.folder / f"{name}.sqlite"
        source.coordinator.export(path, source.query_generation)
        self.paths[name] = path

    def do_query(self, context: str, statement: str) -> str:
        with self.contexts[context].sql(statement) as rows:
            return "; ".join("|".join(map(self.shown, row)) for row in rows) or "ok"

    def do_sql_begin(self, store: str) -> None:
        self.locker = sqlite3.connect(self.paths[store], isolation_level=None)
        self.locker.execute("BEGIN IMMEDIATE")

    def do_sql_end(self) -> None:
        self.locker.execute("ROLLBACK")
        self.locker.close()

    def do_watch_sql(self) -> None:
        pinview.set_sql_log(self.statements.append)

    def do_selects(self) -> str:
        statements = [line for line in self.statements if "SELECT" in line]
        self.statements.clear()
        return "some" if statements else "none"

    def do_batch_update(self, name: str, entity: str, key: str, value: str, *words: str) -> Any:
        values = [self.value(word) for word in words[1:]]
        return self.contexts[name].batch_update(
            entity, {key: self.value(value)}, words[0] if words else None, values, result=pinview.BatchResult.COUNT
        )

    def row(self, word: str) -> dict[str, Any]:
        return {key: self.value(value) for key, _, value in (pair.partition("=") for pair in word.split(","))}

    def do_batch_insert(self, name: str, entity: str, policy: str, *rows: str) -> str:
        counts = self.contexts[name].batch_insert(
            entity, [self.row(row) for row in rows], merge_policy=POLICIES[policy], result=pinview.BatchResult.COUNTS
        )
        assert isinstance(counts, pinview.BatchInsertCounts)
        return f"inserted {counts.inserted}, updated {counts.updated}, left {counts.left}"

    def do_upsert(self, name: str, entity: str, constraint: str, *words: str) -> str:
        def names(prefix: str) -> list[str] | None:
            return next(([each for each in word[len(prefix) :].split(",") if each] for word in words if word.startswith(prefix)), None)

        rows = [self.row(word) for word in words if not word.startswith("on-")]
        result = self.contexts[name].upsert(
            entity, rows, constraint=constraint.split(","), on_insert=names("on-insert:"), on_update=names("on-update:")
        )
        return " ".join(outcome.name.lower() for outcome in result.outcomes)

    def do_batch_delete(self, name: str, entity: str, *words: str) -> Any:
        return self.contexts[name].batch_delete(entity, words[0] if words else None, [self.value(word) for word in words[1:]])

    def do_authors(self, name: str) -> str:
        return "[" + " ".join(self.shown(transaction.author) for transaction in self.contexts[name].history()) + "]"
