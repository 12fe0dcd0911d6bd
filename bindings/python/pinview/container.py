"""Containers, which set up a coordinator with its store and contexts."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Callable, TypeVar

from ._ffi.calls import call, call_for_handle
from ._ffi.handles import Managed, handle_of
from ._ffi.library import functions
from ._ffi.values import named, string
from ._support import lazy
from ._support.forward import Future, MigrationProgress, Path, StagedMigration
from .context import Context
from .coordinator import Coordinator, store_path
from .model import Model

Result = TypeVar("Result")


class Container(Managed, release="pinview_container_release"):
    """A complete stack: a coordinator with a store, a main-queue view context, and contexts for
    background work.

    Args:
        name: The name of the coordinator.
        model: The model.
        path: The store's file; None for a store in memory.
        options: As for Coordinator.add_store().
    """

    __slots__ = ("_coordinator", "_name")

    _coordinator: Coordinator | None
    _name: str

    def __init__(self, name: str, model: Model, path: Path | None = None, *, options: Mapping[str, Any] | None = None) -> None:
        row, count, kept = named(options or {})
        super().__init__(
            call_for_handle(
                functions.pinview_container_release,
                functions.pinview_container_create,
                string(name),
                handle_of(model, "Model"),
                string(None if path is None else store_path(path)),
                row,
                count,
            )
        )
        del kept
        self._name = name
        self._coordinator = self.coordinator

    @property
    def name(self) -> str:
        """The name given to the constructor."""
        return self._name

    def close(self) -> None:
        """Ends the container; contexts that it made go on. A second call does nothing."""
        super().close()
        self._coordinator = None

    def load_stores(self, *, migration: StagedMigration | None = None, progress: MigrationProgress | None = None) -> None:
        """Opens the store, and migrates it if it has another version of the model. A second call
        does nothing.

        Args:
            migration: Versions of the model and stages between them. Default: what can be inferred.
            progress: As for Coordinator.add_store().
        """
        if migration is None and progress is None:
            call(functions.pinview_container_load_stores, self.handle)
            return
        with lazy.stages.migration_argument(migration, progress) as argument:
            call(functions.pinview_container_load_migrated_stores, self.handle, argument)

    @property
    def coordinator(self) -> Coordinator:
        """The coordinator."""
        handle = call_for_handle(functions.pinview_coordinator_release, functions.pinview_container_coordinator, self.handle)
        coordinator = Coordinator._of(handle)
        assert coordinator is not None
        return coordinator

    @property
    def view_context(self) -> Context:
        """The main-queue context."""
        return self._context(functions.pinview_container_view_context)

    def new_background_context(self) -> Context:
        """A new private-queue context."""
        return self._context(functions.pinview_container_new_background_context)

    def _context(self, function: Any) -> Context:
        context = Context._of(call_for_handle(functions.pinview_context_release, function, self.handle))
        assert context is not None
        context._coordinator = self._coordinator
        return context

    def perform_background_task(self, task: Callable[[Context], Result]) -> Future[Result]:
        """Runs a task in the background with a new private-queue context, which is closed after the
        task.
        """
        context = self.new_background_context()

        def run() -> Result:
            return task(context)

        return context.perform(run)

    def _described(self) -> str:
        return self._name
