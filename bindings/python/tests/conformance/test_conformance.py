"""The conformance scenarios in Python. The same steps are run in Swift and in C."""

from __future__ import annotations

import os
import pathlib

import pytest
from conformance import scenarios
from conformance_verbs import Verbs

MINE = [scenario for scenario in scenarios() if not scenario.languages or "python" in scenario.languages]


@pytest.mark.parametrize("file", sorted({scenario.file for scenario in MINE}))
def test_scenarios(file: str, tmp_path: pathlib.Path) -> None:
    transcript: list[str] = []
    mismatches: list[str] = []
    for number, scenario in enumerate(each for each in MINE if each.file == file):
        folder = tmp_path / str(number)
        folder.mkdir()
        runner = Verbs(scenario, folder)
        runner.run()
        transcript += runner.transcript.lines
        mismatches += runner.mismatches
    place = os.environ.get("PINVIEW_TRANSCRIPTS")
    if place:
        (pathlib.Path(place) / f"python.{file}.txt").write_text("\n".join(transcript) + "\n")
    assert not mismatches, "\n" + "\n".join(mismatches)
