"""Migrations: what differs between two versions of a model, and what migrating does."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping

from ._ffi.calls import call_for_text
from ._ffi.handles import handle_of
from ._ffi.library import functions
from ._ffi.values import named, string
from ._support import lazy
from ._support.annotating import Any
from ._support.forward import Path
from ._support.records import record
from .coordinator import store_path
from .model import Model


@record(frozen=True)
class ModelChange:
    """One change of an entity or of one of its properties.

    `kind` is one of entityAdded, entityRemoved, entityRenamed, parentChanged, abstractChanged,
    propertyAdded, propertyRemoved, propertyRenamed, propertyChanged, constraintAdded,
    constraintRemoved, indexAdded, indexRemoved, indexChanged and versionHashModifierChanged.
    """

    entity: str
    name: str | None
    kind: str
    description: str

    def __str__(self) -> str:
        return self.description


@record(frozen=True)
class ModelObstacle:
    """Why a migration cannot be inferred, and what would resolve it.

    `kind` is unclearRemoval, typeChange or contradiction; `subject` is what `confirmed_removals`
    takes for the first.
    """

    kind: str
    subject: str
    description: str

    def __str__(self) -> str:
        return self.description


@record(frozen=True)
class ModelDifference:
    """What changes from one version of a model to another; str() is a line for each entity."""

    changes: tuple[ModelChange, ...]
    obstacles: tuple[ModelObstacle, ...]
    description: str

    def __str__(self) -> str:
        return self.description

    def __bool__(self) -> bool:
        return bool(self.changes)


@record(frozen=True)
class MigrationStep:
    """A step of a migration. `rows` is 0 if its cost does not depend on the number of rows."""

    description: str
    statements: tuple[str, ...]
    rows: int


@record(frozen=True)
class MigrationPlan:
    """What a migration would do to a store. `seconds` and `bytes` are rough estimates."""

    changes: str
    steps: tuple[MigrationStep, ...]
    rows: int
    seconds: float
    bytes: int
    description: str

    def __str__(self) -> str:
        return self.description


def model_difference(older: Model, newer: Model, *, confirmed_removals: Iterable[str] = ()) -> ModelDifference:
    """Compares two versions of a model, any two.

    Args:
        older: The version to start from, such as Coordinator.model_of_store(path).
        newer: The version to compare it with.
        confirmed_removals: What is gone and not renamed, such as "Person.name" or "Car".
    """
    text = call_for_text(
        functions.pinview_model_difference,
        handle_of(newer, "Model"),
        handle_of(older, "Model"),
        string(", ".join(confirmed_removals)),
    )
    found = lazy.json.loads(text or "{}")
    return ModelDifference(
        tuple(ModelChange(change["entity"], change["name"], change["kind"], change["description"]) for change in found["changes"]),
        tuple(ModelObstacle(each["kind"], each["subject"], each["description"]) for each in found["obstacles"]),
        found["description"],
    )


def migration_plan(
    path: Path,
    model: Model,
    *,
    configuration: str | None = None,
    rehearse: bool = False,
    options: Mapping[str, Any] | None = None,
) -> MigrationPlan | None:
    """What adding a store with a model would do to it; None if there is nothing to do. The store
    stays as it is.

    Args:
        path: The store's file.
        model: The version of the model that the store would get.
        configuration: As for Coordinator.add_store().
        rehearse: Whether the migration is run and rolled back, which finds problems that
            only the rows show: missing values, duplicates. Takes as long as the migration.
        options: As for Coordinator.add_store().

    Raises:
        InferredMappingError: The difference needs a decision of the program.
        MigrationError: Rows do not fit the model.
    """
    row, count, kept = named(options or {})
    text = call_for_text(
        functions.pinview_model_migration_plan,
        handle_of(model, "Model"),
        string(store_path(path)),
        string(configuration),
        row,
        count,
        int(rehearse),
    )
    del kept
    if text is None:
        return None
    found = lazy.json.loads(text)
    return MigrationPlan(
        found["changes"],
        tuple(MigrationStep(step["description"], tuple(step["statements"]), step["rows"]) for step in found["steps"]),
        found["rows"],
        found["seconds"],
        found["bytes"],
        found["description"],
    )


def rehearse_migration(model: Model, paths: Iterable[str | os.PathLike[str]], *, options: Mapping[str, Any] | None = None) -> None:
    """Checks that a model opens stores of other versions, for a program's tests. Each store is
    migrated and rolled back.

        pinview.rehearse_migration(model, ["fixtures/v1.sqlite", "fixtures/v2.sqlite"])
    """
    for path in paths:
        migration_plan(path, model, rehearse=True, options=options)
