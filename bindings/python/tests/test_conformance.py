"""The conformance scenarios, in Python: the same steps run in Swift and in C."""

from __future__ import annotations

import gc
import os
import pathlib

import pytest
from conformance import Scenario, scenarios
from conformance_verbs import Verbs

MINE = [scenario for scenario in scenarios() if not scenario.languages or "python" in scenario.languages]
gc.freeze()  # what is there for good needs no look each time that handles are counted


@pytest.mark.parametrize("scenario", MINE, ids=str)
def test_scenario(scenario: Scenario, tmp_path: pathlib.Path) -> None:
    runner = Verbs(scenario, tmp_path)
    runner.run()
    folder = os.environ.get("PINVIEW_TRANSCRIPTS")
    if folder:
        is_first = scenario is next(each for each in MINE if each.file == scenario.file)
        with open(pathlib.Path(folder) / f"python.{scenario.file}.txt", "w" if is_first else "a") as file:
            file.write("\n".join(runner.transcript.lines) + "\n")
    assert not runner.mismatches, "\n" + "\n".join(runner.mismatches)
