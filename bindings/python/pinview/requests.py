"""Requests as values, for Context.execute; a FetchRequest is one as well."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from ._ffi.choices import BatchResult, MergePolicy
from ._requests.batch import update_batch
from ._support.records import field, record

if TYPE_CHECKING:
    from .context import ArrowColumns, Context
    from .coordinator import Store
    from .expressions import Expression
    from .fetching import FetchRequest
    from .inserting import BatchInsertCounts
    from .object_id import ObjectID
    from .predicates import Predicate


@record()
class BatchUpdateRequest:
    """Sets attributes in all matching rows, in the store and at once, without loading objects or moving a pinned context.

    Attributes:
        entity: the name of the entity.
        values: the attributes to set, by name.
        predicate: which rows, a Predicate or its text; None for all.
        arguments: the values for the places marked by %@ in the text.
        result: whether executing it gives nothing, the number of rows, or their IDs.
        includes_subentities: whether rows of sub-entities count.
        expressions: the attributes to compute from each row's own values, by name: {"score": "score + 1"}.
        stores: the stores to update; None for all.
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
    """Inserts rows into the store at once, without objects, in one transaction; see Context.batch_insert.

    Attributes:
        entity: the name of the entity.
        rows: mappings, all with the keys of the first, or, with names, sequences of values in that order.
        names: the names of the values of rows that are sequences.
        columns: the values of each property, instead of rows.
        result: whether executing it gives nothing, the number of rows, or their IDs.
        stores: the first of these that holds the entity is inserted into; None for all.
        merge_policy: what becomes of rows whose unique values are there already.
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
    """Deletes the rows that a request finds, or those of some IDs, in the store and at once; see Context.batch_delete.

    Attributes:
        request: what finds the rows; None for those of the IDs.
        object_ids: the IDs of rows to delete.
        result: whether executing it gives nothing, the number of rows, or their IDs.
    """

    request: FetchRequest | None = None
    object_ids: Iterable[ObjectID] = ()
    result: BatchResult | str = BatchResult.STATUS

    def _execute(self, context: Context) -> int | list[ObjectID] | None:
        return context.batch_delete(self.request, object_ids=self.object_ids, result=self.result)
