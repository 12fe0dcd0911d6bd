"""Reads the scenarios of Tests/Conformance. The README there explains the steps."""

from __future__ import annotations

import pathlib
import shlex
from collections.abc import Iterator
from dataclasses import dataclass, field

FOLDER = pathlib.Path(__file__).resolve().parents[4] / "Tests" / "Conformance"
NESTING = {"in", "later", "thread", "on", "hook"}


@dataclass
class Step:
    """A line of a scenario, with the nested steps up to its `end`."""

    line: int
    words: list[str]
    expected: str
    body: list[Step] = field(default_factory=list)

    @property
    def text(self) -> str:
        return " ".join(self.words)


@dataclass
class Scenario:
    """A named sequence of steps."""

    file: str
    title: str
    rows: list[str]
    languages: list[str]
    steps: list[Step]

    def __str__(self) -> str:
        return f"{self.file}: {self.title}"


def codes() -> dict[tuple[str, int], str]:
    """The names of errors, by domain and code."""
    lines = (line.split() for line in (FOLDER / "codes.txt").read_text().splitlines() if line and not line.startswith("#"))
    return {(domain, int(code)): name for name, domain, code in lines}


def scenarios() -> Iterator[Scenario]:
    """All scenarios, file by file."""
    for path in sorted(FOLDER.glob("*.steps")):
        open_steps: list[list[Step]] = []
        scenario: Scenario | None = None
        for number, line in enumerate(path.read_text().splitlines(), 1):
            text = line.strip()
            if not text or text.startswith("#"):
                continue
            first, _, rest = text.partition(" ")
            if first == "scenario":
                if scenario is not None:
                    yield scenario
                scenario = Scenario(path.stem, rest, [], [], [])
                open_steps = [scenario.steps]
            elif scenario is None:
                raise ValueError(f"{path.name}:{number}: a step before the first scenario")
            elif first == "rows":
                scenario.rows += rest.split()
            elif first == "languages":
                scenario.languages += rest.split()
            elif first == "end":
                open_steps.pop()
            else:
                command, _, expected = text.partition(" = ")
                step = Step(number, shlex.split(command), expected.strip() or "ok")
                open_steps[-1].append(step)
                if first in NESTING:
                    open_steps.append(step.body)
        if scenario is not None:
            yield scenario
