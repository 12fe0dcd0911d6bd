"""Requests as values, for Context.execute; a FetchRequest is one as well."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from ._batch import update_batch
from ._records import field, record
from ._settings import BatchResult

if TYPE_CHECKING:
    from .context import Context
    from .coordinator import Store
    from .expressions import Expression
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
