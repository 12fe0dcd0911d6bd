"""Type checkers know declared classes without a plugin (issue 19, point 6)."""

from __future__ import annotations

import json
import os
import pathlib
import re
import shutil
import subprocess
import sys

import pytest

import pinview

PROGRAM = pathlib.Path(__file__).with_name("typed_program.py")
PACKAGE = pathlib.Path(pinview.__file__).resolve().parent.parent
SCRIPTS = pathlib.Path(sys.executable).parent

# Needs Python 3.12.
UNASKED = ("--ignore", "missing-override-decorator")
COMMANDS = {
    "mypy": ["mypy", "--strict", "--no-error-summary"],
    "pyright": ["pyright"],
    "pyrefly": [
        "pyrefly",
        "check",
        "--preset",
        "strict",
        "--output-format",
        "min-text",
        "--ignore",
        "missing-override-decorator",
        "--search-path",
        "{package}",
    ],
    "ty": ["ty", "check", "--output-format", "concise", "--extra-search-path", "{package}"],
}


def reported(folder: pathlib.Path, program: pathlib.Path, checker: str) -> set[int]:
    """The numbers of the lines in which a checker finds errors."""
    (folder / "pyrightconfig.json").write_text(json.dumps({"extraPaths": [str(PACKAGE)], "reportUnusedExpression": False}))
    command, *arguments = (each.format(package=PACKAGE) for each in COMMANDS[checker])
    variables = {**os.environ, "MYPYPATH": str(PACKAGE), "PYRIGHT_PYTHON_IGNORE_WARNINGS": "1"}
    result = subprocess.run(
        [str(SCRIPTS / command), *arguments, program], capture_output=True, text=True, cwd=folder, env=variables, check=False
    )
    print(result.stdout + result.stderr)  # shown with a failure
    lines = [line for line in result.stdout.splitlines() if "error" in line.lower()]
    return {int(number) for line in lines for number in re.findall(rf"{re.escape(program.name)}:(\d+):", line)}


@pytest.mark.parametrize("checker", COMMANDS)
def test_theLinesThatAreWrongAreTheOnesThatACheckerReports(tmp_path: pathlib.Path, checker: str) -> None:
    if not (SCRIPTS / checker).exists():
        pytest.skip(f"needs {checker}: pip install {checker}")
    found = reported(tmp_path, pathlib.Path(shutil.copy(PROGRAM, tmp_path)), checker)
    lines = PROGRAM.read_text(encoding="utf-8").splitlines()
    expected = {number for number, line in enumerate(lines, 1) if line.endswith("# error")}
    assert expected
    assert (sorted(expected - found), sorted(found - expected)) == ([], [])


@pytest.mark.parametrize("checker", COMMANDS)
def test_theIssueTrackerOfTheGuideIsTyped(tmp_path: pathlib.Path, checker: str) -> None:
    """As a new user writes it, without a string for an attribute (issue 19, done when)."""
    if not (SCRIPTS / checker).exists():
        pytest.skip(f"needs {checker}: pip install {checker}")
    page = (pathlib.Path(__file__).parents[4] / "docs/issue-tracker.md").read_text(encoding="utf-8")
    (text,) = re.findall(r"^<!-- program: tracker\.py -->\n+```python\n(.*?)^```$", page, re.MULTILINE | re.DOTALL)
    assert not re.search(r"[\"'](title|state|priority|name)[\"']", text)
    for name, program, expected in (("tracker.py", text, 0), ("wrong.py", text.replace("issue.state =", "issue.sate ="), 1)):
        (tmp_path / name).write_text(program, encoding="utf-8")
        assert len(reported(tmp_path, tmp_path / name, checker)) == expected, name
