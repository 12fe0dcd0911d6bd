"""The result of a call is from one state while others save, for all ways of reading (ONE-05).

`PINVIEW_SEED` sets the order of the ways, and `PINVIEW_ROUNDS` how often each is used.
"""

from __future__ import annotations

import ctypes
import inspect
import json
import os
import pathlib
import random
import tempfile
import threading
from collections.abc import Callable, Iterable
from typing import Any

import pytest

import pinview
from pinview import Attribute, Context, Coordinator, Entity, Relationship, Sort
from pinview._ffi.calls import call
from pinview._ffi.library import functions
from pinview._ffi.prototypes import pinview_value

SEED = int(os.environ.get("PINVIEW_SEED", "1"))
ROUNDS = int(os.environ.get("PINVIEW_ROUNDS", "2"))
ITEMS, GROUPS, TOTAL = 300, 6, 30_000
NAMES = ("k", "twin", "label", "balance")


def ledger_model() -> pinview.Model:
    """Groups of items. Each commit increments k in all rows, and moves balances while their sum
    stays the same.
    """
    return pinview.Model(
        [
            Entity(
                "Group",
                attributes=[Attribute("number", "integer64"), Attribute("k", "integer64")],
                relationships=[Relationship("items", "Item", inverse="group", to_many=True)],
            ),
            Entity(
                "Item",
                attributes=[
                    Attribute("number", "integer64"),
                    Attribute("k", "integer64"),
                    Attribute("twin", "integer64"),
                    Attribute("label", "string"),
                    Attribute("balance", "integer64"),
                ],
                relationships=[Relationship("group", "Group", inverse="items")],
            ),
        ]
    )


class Ledger:
    """A store, and a thread that changes its state."""

    def __init__(self, path: pathlib.Path, *, writes_elsewhere: bool) -> None:
        self.coordinator = Coordinator(ledger_model())
        self.coordinator.add_store(path)
        with Context(self.coordinator) as context:
            groups = [context.insert("Group", number=number, k=0) for number in range(GROUPS)]
            for number in range(ITEMS):
                context.insert("Item", number=number, k=0, twin=0, label="k0", balance=100, group=groups[number % GROUPS])
            context.save()
        self._writes_to = self.coordinator
        if writes_elsewhere:
            self._writes_to = Coordinator(ledger_model())
            self._writes_to.add_store(path)
        self._ended = threading.Event()
        self.commits = 0
        self.failure: BaseException | None = None
        self._thread = threading.Thread(target=self._write)

    def __enter__(self) -> Ledger:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._ended.set()
        self._thread.join()
        if self.failure is not None:
            raise self.failure

    def _write(self) -> None:
        numbers = random.Random(SEED)
        try:
            with Context(self._writes_to) as context:
                while not self._ended.is_set():
                    self.commits += 1
                    k = self.commits
                    context.reset()
                    items = list(context.fetch("Item", returns_objects_as_faults=False))
                    for item in items:
                        item.k, item.twin, item.label = k, k, f"k{k}"
                    for group in context.fetch("Group"):
                        group.k = k
                    left, right = numbers.sample(items, 2)
                    left.balance -= 7
                    right.balance += 7
                    context.save()
        except BaseException as error:
            self.failure = error


def consistent(rows: Iterable[tuple[Any, ...]], count: int = ITEMS) -> str | None:
    """What is wrong with the values of all items, or None."""
    rows = list(rows)
    ks = {row[0] for row in rows} | {row[1] for row in rows}
    labels = {row[2] for row in rows}
    if len(rows) != count:
        return f"{len(rows)} rows"
    if len(ks) != 1 or labels != {f"k{k}" for k in ks}:
        return f"k is {sorted(ks)}, label {sorted(labels)}"
    total = sum(row[3] for row in rows)
    return None if count != ITEMS or total == TOTAL else f"the sum is {total}"


def of_objects(items: Iterable[Any], count: int = ITEMS) -> str | None:
    return consistent(((item.k, item.twin, item.label, item.balance) for item in items), count)


class Way:
    """A way of reading: the names of what it calls, and a check of the result."""

    def __init__(self, covers: str, read: Callable[[Context], str | None]) -> None:
        self.covers = covers.split()
        self.read = read


WAYS: list[Way] = []


def way(covers: str) -> Callable[[Callable[[Context], str | None]], Callable[[Context], str | None]]:
    def add(read: Callable[[Context], str | None]) -> Callable[[Context], str | None]:
        WAYS.append(Way(covers, read))
        return read

    return add


@way("Context.values Rows.__iter__ Rows.__len__ pinview_result_load pinview_result_values")
def _values(context: Context) -> str | None:
    return consistent(context.values("Item", NAMES))


@way("Rows.index Rows.count Rows.__reversed__")
def _values_as_a_sequence(context: Context) -> str | None:
    rows = context.values("Item", NAMES)
    backwards = list(reversed(rows))
    if rows.count(backwards[0]) == 0 or backwards[ITEMS - 1 - rows.index(backwards[-1])] != backwards[-1]:
        return "a row is not found again"
    return consistent(backwards)


@way("Rows.column")
def _values_that_a_condition_chose(context: Context) -> str | None:
    newest = next(iter(context.fetch_dictionaries("Item", {"k": "max:(k)"})))["k"]
    rows = context.values("Item", NAMES, "k >= %d", [newest], sort="number")
    return consistent(rows) or (None if min(rows.column("k")) >= newest else "a row that the condition does not choose")


@way("FetchResult.values FetchResult.__len__")
def _values_of_a_result(context: Context) -> str | None:
    return consistent(context.fetch("Item").values(*NAMES))


@way(
    "FetchResult.__iter__ Context.fetch ManagedObject.values pinview_context_fetch pinview_object_block_column pinview_object_block_values"
)
def _objects(context: Context) -> str | None:
    items = context.fetch("Item", returns_objects_as_faults=False)
    return of_objects(items) or consistent(item.values(*NAMES) for item in items)


@way("pinview_result_object_row")
def _few_objects(context: Context) -> str | None:
    items = context.fetch("Item", limit=12, sort="number", returns_objects_as_faults=False)
    return of_objects(items, 12) or of_objects([items[place] for place in range(12)], 12)


@way("FetchResult.__getitem__ FetchResult.__reversed__ FetchRequest.execute pinview_fetch_request_execute")
def _objects_of_a_request(context: Context) -> str | None:
    request = pinview.FetchRequest("Item", returns_objects_as_faults=False)
    items = context.perform_and_wait(request.execute)
    return of_objects(items[:]) or of_objects(reversed(items))


@way(
    "relationships pinview_object_related_objects pinview_object_block_related_row pinview_object_block_related_object"
    " pinview_object_block_related_objects pinview_object_block_confirm_related_objects"
)
def _prefetched(context: Context) -> str | None:
    groups = list(context.fetch("Group", prefetch=["items"], returns_objects_as_faults=False))
    members = [item for group in groups for item in group.items]
    if {group.k for group in groups} != {item.k for item in members}:
        return "groups and items are of different states"
    return of_objects(members) or of_objects(item for item in members if item.group.k == item.k)


@way("Context.existing_objects pinview_context_existing_objects")
def _looked_up(context: Context) -> str | None:
    return of_objects(context.existing_objects(context.fetch_ids("Item")))


@way(
    "Context.existing_object Context.object Context.objects pinview_context_existing_object pinview_context_object_row"
    " pinview_object_block_row pinview_context_values pinview_object_values pinview_object_value pinview_object_value_at"
    " pinview_object_committed_value ManagedObject.committed_values"
)
def _one_by_one(context: Context) -> str | None:
    ids = context.fetch_ids("Item", limit=20)
    for found in ([context.existing_object(one) for one in ids], [context.object(one) for one in ids], context.objects(ids)):
        for item in found:
            wrong = consistent([item.values(*NAMES)], 1) or consistent([tuple(item.committed_values(NAMES).values())], 1)
            if wrong:
                return wrong
    return None


@way("Context.fetch_ids Context.count pinview_context_count")
def _keys_and_counts(context: Context) -> str | None:
    found = len(context.fetch_ids("Item", "k == twin AND group.k == k"))
    counted = context.count("Item", "k == twin AND group.k == k")
    return None if found == counted == ITEMS else f"{found} IDs, a count of {counted}"


@way("Context.sql pinview_context_query_sql pinview_coordinator_query_sql")
def _sql(context: Context) -> str | None:
    statement = "SELECT ZK, ZTWIN, ZLABEL, ZBALANCE FROM ZITEM"
    with context.sql(statement) as rows, context.coordinator.sql(statement) as others:
        return consistent(rows.fetchall()) or consistent(others.fetchall())


@way("pinview_coordinator_export")
def _exported(context: Context) -> str | None:
    with tempfile.TemporaryDirectory() as folder, Coordinator(ledger_model()) as coordinator:
        file = pathlib.Path(folder) / "copy.sqlite"
        context.coordinator.export(file)
        coordinator.add_store(file)
        with Context(coordinator) as copy:
            return consistent(copy.values("Item", NAMES))


@way("Context.first Context.one Context.get Context.get_or_create Context.exists")
def _found(context: Context) -> str | None:
    created, is_new = context.get_or_create("Item", number=0)
    if is_new or not context.exists("Item", "k == twin AND group.k == k"):
        return "what is there is not found"
    found = (context.first("Item", sort="number"), context.one("Item", "number == 0"), context.get("Item", number=0), created)
    wrong = [consistent([item.values(*NAMES)], 1) for item in found if item is not None]
    return next(filter(None, wrong), None)


@way("Context.page")
def _pages(context: Context) -> str | None:
    pages = [context.page("Item", size=ITEMS // 3, sort="number")]
    with Context(context.coordinator) as other:
        while pages[-1].cursor is not None:
            pages.append(other.page("Item", pages[-1].cursor, size=ITEMS // 3, sort="number"))
        wrong = of_objects([each for page in pages for each in page])
    context.coordinator.page_leases.release()
    return wrong


@way("FetchResult.snapshots")
def _snapshots(context: Context) -> str | None:
    snapshots = context.fetch("Item").snapshots()
    return consistent((each.k, each.twin, each.label, each.balance) for each in snapshots)


@way("Context.fetch_dictionaries")
def _dictionaries(context: Context) -> str | None:
    rows = context.fetch_dictionaries("Item", [*NAMES, "group.k"])
    return consistent(tuple(row[name] for name in NAMES) for row in rows) or consistent(
        [(row["k"], row["group.k"], row["label"], 0) for row in rows][:1], 1
    )


@way("Context.fetch_columns Columns.rows ColumnBatch.rows pinview_context_fetch_columns")
def _columns(context: Context) -> str | None:
    with context.fetch_columns("Item", list(NAMES), batch_size=64) as columns:
        return consistent(columns.rows())


@way("Context.begin_fetch Context.fetch_async pinview_context_fetch_asynchronously")
def _off_the_queue(context: Context) -> str | None:
    return of_objects(context.begin_fetch("Item", returns_objects_as_faults=False).result())


@way("FetchedResultsController.perform_fetch pinview_results_controller_perform_fetch")
def _followed(context: Context) -> str | None:
    request = pinview.FetchRequest("Item", sort=[Sort("group.number"), Sort("number")], returns_objects_as_faults=False)
    with pinview.FetchedResultsController(request, context, section_name_key_path="group.number") as controller:
        controller.perform_fetch()
        return of_objects(controller.fetched_objects)


@way("pinview_objects_values pinview_objects_related_object_at")
def _many_handles(context: Context) -> str | None:
    items = list(context.fetch("Item"))
    entity = items[0].entity
    indexes = [entity.property_named(name).index for name in ("k", "twin")]
    values = (pinview_value * (2 * len(items)))()
    handles = (ctypes.c_void_p * len(items))(*(item.handle for item in items))
    buffer = ctypes.c_void_p()
    call(functions.pinview_buffer_create, ctypes.byref(buffer))
    try:
        call(functions.pinview_objects_values, handles, len(items), (ctypes.c_int32 * 2)(*indexes), 2, buffer, values)
        found = {value.as_.integer for value in values}
    finally:
        functions.pinview_buffer_release(buffer)
    return None if len(found) == 1 else f"{len(found)} different values"


@pytest.mark.parametrize("is_pinned", [False, True], ids=["unpinned", "pinned"])
@pytest.mark.parametrize("writes_elsewhere", [False, True], ids=["one coordinator", "two coordinators"])
def test_ONE_05_noResultMixesStates(tmp_path: pathlib.Path, is_pinned: bool, writes_elsewhere: bool) -> None:
    print(f"PINVIEW_SEED={SEED}")
    order = random.Random(SEED)
    torn: list[str] = []
    with Ledger(tmp_path / "ledger.sqlite", writes_elsewhere=writes_elsewhere) as ledger:
        for _ in range(ROUNDS):
            for each in order.sample(WAYS, len(WAYS)):
                with Context(ledger.coordinator) as context:
                    if is_pinned:
                        context.pin()
                    wrong = each.read(context)
                if wrong:
                    torn.append(f"{each.read.__name__}: {wrong}")
    assert torn == []


# Public members that read no rows, or only one object. A member that is neither here nor in a way
# fails the test.
OTHERS = {
    Context: """assign batch_delete concurrency lock try_lock unlock user_info batch_insert batch_update close closed
        coordinator delete delete_history delete_many deleted_objects detect_conflicts execute explain handle
        has_changes has_newer_generation history insert insert_many inserted_objects interrupt interrupt_fetch merge_changes
        merge_history notifications observe obtain_permanent_ids parent perform perform_and_wait pin pinned
        perform_async process_pending_changes query_generation query_generation_state redo refresh refresh_all
        registered_object registered_objects reinsert remove_all_undo_actions reset rollback save set_query_generation
        set_undo_enabled set_undo_levels timeout undo undo_group undo_manager unpin updated_objects upsert
        wait_for_newer_generation
        count_async iterate save_async values_async wait_for_newer_generation_async""",
    pinview.FetchResult: "close closed handle object_ids index count",
    pinview.Rows: "names",
}

# Functions that read or change a generation and are not part of a way, by reason.
OTHER_FUNCTIONS = {
    "read one object or one relationship": """pinview_object_examine pinview_object_related_object pinview_object_related_object_at
        pinview_object_related_object_count pinview_object_contains_related_object
        pinview_object_block_contains_related_object pinview_context_refresh pinview_context_refresh_all_objects""",
    "change objects, or write them": """pinview_context_delete pinview_context_delete_objects pinview_context_delete_named
        pinview_context_process_pending_changes pinview_context_save pinview_context_reset pinview_undo_manager_undo
        pinview_undo_manager_redo pinview_object_set_value pinview_object_set_value_at pinview_object_add_related_object
        pinview_object_insert_related_object pinview_object_remove_related_object pinview_object_set_related_objects
        pinview_object_validate pinview_object_validate_for_delete pinview_object_block_set_value pinview_context_upsert
        pinview_object_set_composite pinview_object_block_add_related_objects
        pinview_object_block_remove_related_objects""",
    "move a context, and read nothing": """pinview_context_set_query_generation
        pinview_context_merge_history pinview_context_merge_changes pinview_context_merge_object_ids
        pinview_context_merge_uris""",
    "are the Swift functions, which the checker in Swift goes through": """pinview_predicate_evaluate pinview_expression_evaluate
        pinview_object_fetched_objects pinview_coordinator_difference""",
    "give statements": "pinview_context_explain",
    "are made of others, in C alone": """pinview_fetch pinview_fetch_first pinview_set pinview_get_text pinview_get_integer
        pinview_get_double pinview_get_boolean""",
}


def covered() -> set[str]:
    return {name for each in WAYS for name in each.covers}


def functions_that_read() -> set[str]:
    """The functions whose documentation says that they read or change a generation."""
    description = pathlib.Path(__file__).parents[4] / "include" / "pinview.json"
    said = {each["name"]: each.get("generation") for each in json.loads(description.read_text(encoding="utf-8"))["functions"]}
    return {name for name, generation in said.items() if generation and not generation.startswith(("the context stays", "not a read"))}


def test_ONE_05_eachFunctionOfTheHeaderThatReadsIsPartOfAWay() -> None:
    found = functions_that_read()
    others = {name for names in OTHER_FUNCTIONS.values() for name in names.split()}
    assert len(found) > 40
    assert found - covered() - others == set(), "Call each in a way of reading, or say in OTHER_FUNCTIONS why none does."
    assert others - found == set()
    assert others & covered() == set()


@pytest.mark.parametrize("kind", OTHERS, ids=lambda kind: kind.__name__)
def test_ONE_05_eachMemberThatReadsIsPartOfAWay(kind: type) -> None:
    settings = {name for name, value in inspect.getmembers(kind) if isinstance(value, property) and value.fset is not None}
    members = {name for name in dir(kind) if not name.startswith("_")} - settings - set(OTHERS[kind].split())
    assert {f"{kind.__name__}.{name}" for name in members} - covered() == set(), (
        "Use each in a way of reading, or list it in OTHERS if it reads no rows."
    )
