"""`python -m pinview migrate`: brings a store to another version of its model."""

from __future__ import annotations

import argparse
import json
import os
import sys
from collections.abc import Sequence
from typing import TextIO

from ..coordinator import Coordinator
from ..errors import Error
from ..migration import MigrationPlan, migration_plan
from ..model import Model

_DESCRIPTION = """\
Migrates a store to another version of its model, in place and in one transaction: afterwards it is either migrated or as
it was. Without --yes, it only shows what would be done.
"""

_EPILOG = """\
exit status:
  0  success, or nothing to do    1  the store cannot be migrated; it is as it was    2  invalid arguments

examples:
  python -m pinview migrate people.sqlite model.json --dry-run
  python -m pinview migrate people.sqlite model.json --rehearse
  python -m pinview migrate people.sqlite model.json --yes --confirm-removal Person.name
  python -m pinview migrate Shop.sqlite Shop.momd --yes
"""


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m pinview migrate", description=_DESCRIPTION, epilog=_EPILOG, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("store", metavar="STORE", help="the store's file")
    parser.add_argument("model", metavar="MODEL", help="the model: JSON, .momd, .xcdatamodeld …")
    how = parser.add_mutually_exclusive_group()
    how.add_argument("--dry-run", action="store_true", help="show what would be done (the default)")
    how.add_argument(
        "--rehearse", action="store_true", help="run the migration and roll it back, which finds problems that only the rows show"
    )
    how.add_argument("--yes", action="store_true", help="migrate")
    parser.add_argument("--json", action="store_true", help="print the plan as JSON")
    parser.add_argument(
        "--confirm-removal", metavar="NAME", action="append", default=[], help="an entity or property that was removed, not renamed"
    )
    parser.add_argument("--constraint-policy", choices=("error", "keepNewest", "keepOldest"), default="error", help="for new constraints")
    parser.add_argument("--progress", action="store_true", help="show the progress of the migration (the default on a terminal)")
    parser.add_argument(
        "--versions", metavar="PATH", help="a .momd or .xcdatamodeld with the versions of a store of Core Data's (default: MODEL)"
    )
    parser.add_argument("--allow-older-model", action="store_true", help="migrate back to an older version")
    return parser


def main(arguments: Sequence[str]) -> int:
    """Runs the command and returns its exit status."""
    options = _parser().parse_args(arguments)
    try:
        return _migrate(options, sys.stdout)
    except (Error, OSError) as error:
        print(f"pinview: {error}", file=sys.stderr)
        return 1


def _migrate(options: argparse.Namespace, output: TextIO) -> int:
    chosen = {
        "confirmedRemovals": ", ".join(options.confirm_removal),
        "constraintPolicy": options.constraint_policy,
        "allowOlderModel": options.allow_older_model,
    }
    if options.versions is not None or os.path.isdir(options.model):
        chosen["modelVersions"] = options.versions or options.model
    with Model.from_file(options.model) as model:
        plan = migration_plan(options.store, model, rehearse=options.rehearse, options=chosen)
        if plan is None:
            print("The store already has this version of the model.", file=output)
            return 0
        if options.json:
            print(json.dumps(_described(plan), indent=2), file=output)
        else:
            print(plan, file=output)
            print(f"about {plan.rows} rows, {plan.seconds:.2g} s, {plan.bytes} bytes", file=output)
        if options.yes:
            with Coordinator(model) as coordinator:
                shown = options.progress or sys.stderr.isatty()
                coordinator.add_store(
                    options.store, options={**chosen, "migrateStoreAutomatically": True}, progress=_show if shown else None
                )
            print("migrated", file=output)
    return 0


def _show(fraction: float, step: str) -> None:
    line = f"{100 * fraction:3.0f} % {step}"
    print(f"\r{line[:78]:78}", end="\n" if fraction >= 1 else "", file=sys.stderr, flush=True)


def _described(plan: MigrationPlan) -> dict[str, object]:
    return {
        "changes": plan.changes,
        "steps": [{"description": step.description, "statements": list(step.statements), "rows": step.rows} for step in plan.steps],
        "rows": plan.rows,
        "seconds": plan.seconds,
        "bytes": plan.bytes,
    }
