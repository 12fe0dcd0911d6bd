"""Migrations in stages: versions of a model, and what the program does between them."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from ctypes import byref, sizeof
from typing import Any, Union

from ._ffi import registry
from ._ffi.calls import call_for_handle, leave_error, shielded
from ._ffi.factories import factories
from ._ffi.handles import handle_of, require_callable
from ._ffi.library import functions
from ._ffi.prototypes import (
    PINVIEW_OK,
    PINVIEW_STOP,
    pinview_migration,
    pinview_migration_mapping,
    pinview_migration_progress_callback,
    pinview_migration_stage,
    pinview_migration_step_callback,
)
from ._ffi.values import handles, string, text
from ._objects.results import wrap
from ._support.forward import Context, ManagedObject, Model
from .errors import WrongTypeError

MigrationProgress = Callable[[float, str], Any]
"""Called with how far a migration is, from 0 to 1, and what was done last; returning False
cancels."""

PropertyMapping = Union[str, Callable[["ManagedObject"], Any], None]
"""An expression of the predicate language over the old object, such as "price * 100", or the name
of an old property; a function that gets the old object; or None if the step sets the property."""


class MigrationManager:
    """The store within a stage of its migration, for the step of the program: as it was, and as it
    is becoming.

    What the step changes in `destination` is saved when it returns. If it saves itself, to use less
    memory, that is committed with the stage, or not at all.
    """

    __slots__ = ("destination", "source")

    source: Context
    """The objects as they were, by the names of the old version. It cannot be saved."""
    destination: Context
    """The objects as they are becoming."""

    def __init__(self, source: Context, destination: Context) -> None:
        self.source, self.destination = source, destination

    def destination_object(self, source: ManagedObject, entity: str | None = None) -> ManagedObject | None:
        """What an old object has become; None if it is gone.

        Args:
            source: An object of `source`.
            entity: An entity of which a mapping has made objects; None for the entity as which the
                object lives on.
        """
        handle = call_for_handle(
            functions.pinview_object_release,
            functions.pinview_migration_destination_object,
            self.destination.handle,
            handle_of(source, "ManagedObject"),
            string(entity),
        )
        return wrap(handle, self.destination._entities) if handle else None

    def source_object(self, destination: ManagedObject) -> ManagedObject | None:
        """What an object of `destination` was; None for a new one."""
        handle = call_for_handle(
            functions.pinview_object_release,
            functions.pinview_migration_source_object,
            self.source.handle,
            handle_of(destination, "ManagedObject"),
        )
        return wrap(handle, self.source._entities) if handle else None


class EntityMapping:
    """Says what an entity of the new version was in the old one, and where its properties come
    from. What it does not name is inferred.

    Args:
        source: The entity in the old version.
        destination: The entity in the new version. If the source's objects live on as another
            entity, each of them also makes an object of this one.
        properties: By the name of the new property.
    """

    __slots__ = ("destination", "properties", "source")

    def __init__(self, source: str, destination: str, properties: Mapping[str, PropertyMapping] | None = None) -> None:
        self.source, self.destination, self.properties = source, destination, dict(properties or {})


class MigrationStage:
    """The way from one version of a model to another, in one transaction.

    Args:
        source: A version: one of its identifiers, or its version_checksum.
        destination: The version to which it leads.
        step: Called inside the transaction with a MigrationManager, when the tables are those of
            the new version and before required values and uniqueness are checked.
        mappings: What inference cannot tell.
        confirmed_removals: What is gone and not renamed, such as "Person.name" or "Car".
    """

    __slots__ = ("confirmed_removals", "destination", "mappings", "source", "step")

    def __init__(
        self,
        source: str,
        destination: str,
        step: Callable[[MigrationManager], Any] | None = None,
        *,
        mappings: Iterable[EntityMapping] = (),
        confirmed_removals: Iterable[str] = (),
    ) -> None:
        if step is not None:
            require_callable(step, "step")
        self.source, self.destination, self.step = source, destination, step
        self.mappings, self.confirmed_removals = tuple(mappings), tuple(confirmed_removals)

    @property
    def _has_step(self) -> bool:
        return self.step is not None or any(callable(value) for each in self.mappings for value in each.properties.values())

    def _run(self, manager: MigrationManager) -> None:
        for mapping in self.mappings:
            computed = {name: value for name, value in mapping.properties.items() if callable(value)}
            if not computed:
                continue
            for old in manager.source.fetch(mapping.source):
                new = manager.destination_object(old, mapping.destination)
                if new is not None:
                    for name, function in computed.items():
                        setattr(new, name, function(old))
        if self.step is not None:
            self.step(manager)


class StagedMigration:
    """The versions of a model, the oldest first, and the stages between them, for
    Coordinator.add_store().

    A store goes from the version that it has through all later stages, and then to the
    coordinator's model; what has no stage is inferred. Without stages, the versions only say what a
    store of Core Data was made with, in any order.

        pinview.StagedMigration([first, second], [pinview.MigrationStage("1", "2", step)])
    """

    __slots__ = ("stages", "versions")

    def __init__(self, versions: Sequence[Model], stages: Iterable[MigrationStage] = ()) -> None:
        self.versions, self.stages = tuple(versions), tuple(stages)


def _step(source: int, destination: int, userdata: int) -> int:
    try:
        manager = MigrationManager(factories.retained_context(source), factories.retained_context(destination))
        registry.registered(userdata)._run(manager)
    except BaseException as error:
        return leave_error(error)
    return PINVIEW_OK


def _progress(fraction: float, step: Any, userdata: int) -> int:
    try:
        progress = registry.registered(userdata)
        return PINVIEW_STOP if progress is not None and progress(fraction, text(step) or "") is False else PINVIEW_OK
    except BaseException as error:
        return leave_error(error)


_step_callback = pinview_migration_step_callback(shielded(_step))
_progress_callback = pinview_migration_progress_callback(shielded(_progress))


@contextlib.contextmanager
def migration_argument(migration: StagedMigration | None, progress: MigrationProgress | None) -> Iterator[Any]:
    """The argument of a function that migrates; valid within the `with`."""
    if progress is not None:
        require_callable(progress, "progress")
    if migration is not None and not isinstance(migration, StagedMigration):
        raise WrongTypeError(f"Expected a StagedMigration, got {migration!r:.100} ({type(migration).__name__}).")
    given = migration or StagedMigration(())
    numbers = [registry.register(progress)]
    stages = (pinview_migration_stage * len(given.stages))()
    try:
        for row, stage in zip(stages, given.stages):
            row.source, row.destination = string(stage.source), string(stage.destination)
            row.confirmed_removals = string(", ".join(stage.confirmed_removals) or None)
            mappings = _mappings(stage)
            row.mappings, row.mapping_count = mappings, len(mappings)
            if stage._has_step:
                numbers.append(registry.register(stage))
                row.step, row.userdata = _step_callback, numbers[-1]
        versions = handles(given.versions, "Model")
        whole = pinview_migration(struct_size=sizeof(pinview_migration))
        whole.versions, whole.version_count = versions, len(given.versions)
        whole.stages, whole.stage_count, whole.stage_size = stages, len(stages), sizeof(pinview_migration_stage)
        whole.mapping_size = sizeof(pinview_migration_mapping)
        whole.progress, whole.progress_userdata = _progress_callback, numbers[0]
        yield byref(whole)
    finally:
        for number in numbers:
            registry.unregister(number)


def _mappings(stage: MigrationStage) -> Any:
    rows: list[tuple[EntityMapping, str | None, PropertyMapping]] = []
    for mapping in stage.mappings:
        rows += [(mapping, name, value) for name, value in mapping.properties.items()] or [(mapping, None, None)]
    array = (pinview_migration_mapping * len(rows))()
    for target, (mapping, name, value) in zip(array, rows):
        target.source_entity, target.destination_entity = string(mapping.source), string(mapping.destination)
        target.property = string(name)
        target.expression = string(value if isinstance(value, str) else None)
    return array
