"""Batch requests as objects, for Context.execute()."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Protocol, TypeVar

from ._ffi.choices import BatchResult, MergePolicy
from ._requests.batch import update_batch
from ._support.forward import Context, Store
from ._support.records import field, record
from .columns import ArrowColumns
from .expressions import Expression
from .fetching import FetchRequest
from .inserting import BatchInsertCounts
from .object_id import ObjectID
from .predicates import Predicate

Returned = TypeVar("Returned", covariant=True)


class Executable(Protocol[Returned]):
    """A request that Context.execute() accepts."""

    def _execute(self, context: Context) -> Returned: ...


@record()
class BatchUpdateRequest:
    """Sets attributes of all matching rows directly in the store; see Context.batch_update().

    Attributes:
        entity: The name of the entity.
        values: The attributes to set, by name.
        predicate: A Predicate or its format string; None for all rows.
        arguments: The arguments of the format string.
        result: Whether to return nothing, the number of rows, or their IDs.
        includes_subentities: Whether to include rows of sub-entities.
        expressions: Attributes to compute from each row's own values, by name: {"score": "score +
            1"}.
        stores: The stores to update; None for all.
    """

    entity: str
    values: Mapping[str, Any] = field(default_factory=dict)
    predicate: str | Predicate | None = None
    arguments: Iterable[Any] = ()
    result: BatchResult | str = BatchResult.STATUS
    includes_subentities: bool = True
    expressions: Mapping[str, str | Expression] = field(default_factory=dict)
    stores: Sequence[Store] | None = None

    def _execute(self, context: Context) -> int | list[ObjectID] | None:
        result = BatchResult.of(self.result)
        return update_batch(
            context.handle,
            self.entity,
            self.values,
            self.expressions,
            self.predicate,
            self.arguments,
            result,
            self.includes_subentities,
            self.stores,
        )


@record()
class BatchInsertRequest:
    """Inserts rows directly into the store, in one transaction; see Context.batch_insert().

    Attributes:
        entity: The name of the entity.
        rows: Mappings that all have the keys of the first, or, with names, sequences of values.
        names: The names of the values of rows that are sequences.
        columns: The values of each property, instead of rows.
        result: What to return.
        stores: The rows are inserted into the first of these that holds the entity; None for all
            stores.
        merge_policy: What to do with rows whose unique values exist already.
    """

    entity: str
    rows: Iterable[Mapping[str, Any]] | Iterable[Sequence[Any]] = ()
    names: Sequence[str] | None = None
    columns: Mapping[str, Sequence[Any]] | ArrowColumns | None = None
    result: BatchResult | str = BatchResult.STATUS
    stores: Sequence[Store] | None = None
    merge_policy: MergePolicy | str = MergePolicy.ERROR

    def _execute(self, context: Context) -> int | list[ObjectID] | BatchInsertCounts | None:
        return context.batch_insert(
            self.entity,
            self.rows,
            self.names,
            columns=self.columns,
            result=self.result,
            stores=self.stores,
            merge_policy=self.merge_policy,
        )


@record()
class BatchDeleteRequest:
    """Deletes rows directly in the store; see Context.batch_delete().

    Attributes:
        request: A request that finds the rows; None to delete the rows of object_ids.
        object_ids: The IDs of the rows to delete.
        result: Whether to return nothing, the number of rows, or their IDs.
    """

    request: FetchRequest | None = None
    object_ids: Iterable[ObjectID] = ()
    result: BatchResult | str = BatchResult.STATUS

    def _execute(self, context: Context) -> int | list[ObjectID] | None:
        return context.batch_delete(self.request, object_ids=self.object_ids, result=self.result)
