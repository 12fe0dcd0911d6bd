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

COMMANDS = {
    "mypy": ["mypy", "--strict", "--no-error-summary"],
    "pyright": ["pyright"],
    "pyrefly": ["pyrefly", "check", "--preset", "strict", "--output-format", "min-text", "--search-path", "{package}"],
    "ty": ["ty", "check", "--output-format", "concise", "--extra-search-path", "{package}"],
}


@pytest.mark.parametrize("checker", COMMANDS)
def test_theLinesThatAreWrongAreTheOnesThatACheckerReports(tmp_path: pathlib.Path, checker: str) -> None:
    if not (SCRIPTS / checker).exists():
        pytest.skip(f"needs {checker}: pip install {checker}")
    program = shutil.copy(PROGRAM, tmp_path)
    (tmp_path / "pyrightconfig.json").write_text(json.dumps({"extraPaths": [str(PACKAGE)], "reportUnusedExpression": False}))
    command, *arguments = (each.format(package=PACKAGE) for each in COMMANDS[checker])
    variables = {**os.environ, "MYPYPATH": str(PACKAGE), "PYRIGHT_PYTHON_IGNORE_WARNINGS": "1"}
    result = subprocess.run(
        [str(SCRIPTS / command), *arguments, program], capture_output=True, text=True, cwd=tmp_path, env=variables, check=False
    )
    lines = PROGRAM.read_text(encoding="utf-8").splitlines()
    expected = {number for number, line in enumerate(lines, 1) if line.endswith("# error")}
    assert expected
    reported = [line for line in result.stdout.splitlines() if "error" in line.lower()]
    found = {int(number) for line in reported for number in re.findall(r"typed_program\.py:(\d+):", line)}
    assert (sorted(expected - found), sorted(found - expected)) == ([], []), result.stdout + result.stderr
