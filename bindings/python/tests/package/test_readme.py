"""The program of the package's README runs, and every name that the README mentions exists."""

from __future__ import annotations

import pathlib
import re
import textwrap

import pytest

import pinview

README = (pathlib.Path(__file__).resolve().parents[2] / "README.md").read_text(encoding="utf-8")


def test_programRuns(tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.chdir(tmp_path)
    blocks = re.findall(r"((?:^    .*\n|^\n)+)", README, re.MULTILINE)
    (program,) = [block for block in blocks if "import pinview" in block]
    exec(compile(textwrap.dedent(program), "README.md", "exec"), {})
    assert capsys.readouterr().out == "Dave ['Mini']\n"


def test_namesExist() -> None:
    for dotted in re.findall(r"`pinview\.((?:\w+\.)*\w+)", README):
        thing = pinview
        for name in dotted.split("."):
            thing = getattr(thing, name)
