"""README.md is taken at its word: its programs are built and run, and must print what the README says they print.

A program is a fenced block after the line `<!-- program: NAME -->`, what it prints is the block after
`<!-- prints: NAME -->`, and the commands that build and run it are the block after `<!-- commands: NAME -->`. All three
programs print the same, so one block of output may serve several names, separated by spaces.
"""

import os
import pathlib
import re
import subprocess
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
BUILD = (ROOT / os.environ.get("BUILD", ".build")).resolve()
BLOCK = re.compile(
    r"^<!-- (program|prints|commands|file): ([\w./ -]+?) -->\n+```\w*\n(.*?)^```$",
    re.MULTILINE | re.DOTALL,
)


def blocks(kind):
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    found = {}
    for what, names, body in BLOCK.findall(text):
        if what == kind:
            found.update(dict.fromkeys(names.split(), body))
    return found


def masked(text):
    """A report about a journal without what is different each time."""
    text = re.sub(r"\S*/people\.sqlite", "people.sqlite", text)
    text = re.sub(r"SQLite [\d.]+.*", "SQLite", text)
    text = re.sub(r"python3[\d.]*", "python3", text)
    text = re.sub(r"[█▓░]+", "bar", text)
    text = re.sub(r"\d+(\.\d+)?( (bytes|KB|MB|s|min)\b)?", "0", text)
    return re.sub(r" +", " ", text)


class Readme(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="pinview-readme-")
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.programs, self.outputs, self.commands, self.files = map(blocks, ("program", "prints", "commands", "file"))

    def run_program(self, name):
        """Writes the program and runs its commands as a reader would, in an empty folder beside the checkout."""
        (self.folder / "pinview").symlink_to(ROOT)
        project = self.folder / "project"
        for path, text in {**self.files, name: self.programs[name]}.items():
            (project / path).parent.mkdir(parents=True, exist_ok=True)
            (project / path).write_text(text, encoding="utf-8")
        environment = {
            **os.environ,
            "PKG_CONFIG_PATH": str(BUILD / "dist/lib/pkgconfig"),
            "LD_LIBRARY_PATH": str(BUILD / "dist/lib"),
        }
        if name.endswith(".py"):
            environment["PATH"] = f"{self.interpreter().parent}:{os.environ['PATH']}"
        commands = self.commands[name].replace("swift run", f"swift run --scratch-path '{BUILD}/readme-swift'")
        result = subprocess.run(
            ["bash", "-euo", "pipefail", "-c", commands],
            cwd=project,
            env=environment,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=1500,
            check=False,
        )
        self.assertEqual(result.returncode, 0, result.stdout + result.stderr)
        return result.stdout

    @staticmethod
    def interpreter():
        """An environment with the built wheel, as the README tells to install it."""
        environment = BUILD / "readme-python"
        python = environment / "bin" / "python3"
        if not python.exists():
            subprocess.run(["python3", "-m", "venv", environment], check=True)
        wheel = max((BUILD / "wheel").glob("*.whl"), key=lambda path: path.stat().st_mtime)
        command = [
            python,
            "-m",
            "pip",
            "install",
            "--quiet",
            "--disable-pip-version-check",
            "--no-index",
            "--force-reinstall",
            wheel,
        ]
        subprocess.run(command, check=True)
        return python

    def assert_prints_what_the_readme_says(self, name):
        self.assertEqual(self.run_program(name), self.outputs[name])

    def test_cProgram(self):
        self.assert_prints_what_the_readme_says("pin.c")

    def test_pythonProgram(self):
        self.assert_prints_what_the_readme_says("pin.py")

    def test_swiftProgram(self):
        self.assert_prints_what_the_readme_says("Sources/pin/main.swift")

    def test_whoHoldsTheJournal(self):
        """Process numbers, ages, sizes, versions are the machine's own; all else is as the README says."""
        self.assertEqual(masked(self.run_program("holds.py")), masked(self.outputs["holds.py"]))

    def test_programOfManyProcesses(self):
        self.assert_prints_what_the_readme_says("workers.py")

    def test_everyProgramIsRun(self):
        """No program may be added to the README without a test."""
        self.assertEqual(sorted(self.programs), ["Sources/pin/main.swift", "holds.py", "pin.c", "pin.py", "workers.py"])
        self.assertEqual(self.programs.keys(), self.outputs.keys())
        self.assertEqual(self.programs.keys(), self.commands.keys())

    def test_everyCodeBlockOfALanguageIsAProgram(self):
        text = (ROOT / "README.md").read_text(encoding="utf-8")
        marked = sum(1 for kind, _, _ in BLOCK.findall(text) if kind in ("program", "file"))
        self.assertEqual(len(re.findall(r"^```(c|python|swift)$", text, re.MULTILINE)), marked)

    def test_commandsOfMakeExist(self):
        text = (ROOT / "README.md").read_text(encoding="utf-8")
        targets = set(
            re.findall(
                r"^([\w-]+):",
                (ROOT / "Makefile").read_text(encoding="utf-8"),
                re.MULTILINE,
            )
        )
        named = set(re.findall(r"\bmake ([a-z][\w-]*)", " ".join(re.findall(r"`[^`\n]+`", text))))
        self.assertEqual(named - targets, set())


if __name__ == "__main__":
    unittest.main()
