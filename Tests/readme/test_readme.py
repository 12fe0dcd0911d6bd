"""Builds and runs the programs of README.md and docs/*.md and compares what they print with what
the page says.

A program is a fenced block after the line `<!-- program: NAME -->`, its output is the block after
`<!-- prints: NAME -->`, and the commands that build and run it are the block after
`<!-- commands: NAME -->`. What is done with another library, for comparison, is the block after
`<!-- theirs: NAME -->` and is not run. Programs with the same output can share one block, whose
names are separated by spaces.

Pages of docs have no commands, but for those that generate Swift files of a model: the README shows
how programs are built. For speed, their Swift programs are targets of one package, which has the
JSON and Xcode models of all pages. The source paths that the house papers name must exist.
"""

import functools
import os
import pathlib
import re
import shutil
import subprocess
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
README = ROOT / "README.md"
PAGES = sorted((ROOT / "docs").glob("*.md"))
PAPERS = [README, *PAGES, ROOT / "CONTRIBUTING.md", ROOT / "CHANGELOG.md"]
BUILD = (ROOT / os.environ.get("BUILD", ".build")).resolve()
BLOCK = re.compile(
    r"^<!-- (program|prints|commands|file|theirs): ([\w./ -]+?) -->\n+```\w*\n(.*?)^```$",
    re.MULTILINE | re.DOTALL,
)


def blocks(kind, page=README):
    text = page.read_text(encoding="utf-8")
    found = {}
    for what, names, body in BLOCK.findall(text):
        if what == kind:
            found.update(dict.fromkeys(names.split(), body))
    return found


# Pages that make promises, list tables which other tests check, or explain the sources: no programs
# in each chapter.
WITHOUT_CHAPTERS = {
    "architecture.md",
    "bindings.md",
    "coming-from-core-data.md",
    "coming-from-grdb.md",
    "coming-from-sqlalchemy.md",
    "coming-from-swiftdata.md",
    "concurrency.md",
    "core-data.md",
    "declared-classes.md",
    "generations.md",
    "inspecting.md",
    "issue-tracker.md",
    "migration.md",
    "paging.md",
    "parity.md",
    "performance.md",
    "predicates.md",
    "reliability.md",
    "store-files.md",
    "threads.md",
    "typed-objects.md",
    "untrusted-stores.md",
    "watching.md",
}


def masked(text):
    """The output of a command without process numbers, ages, dates, sizes, versions and
    identifiers.
    """
    text = re.sub(r"[0-9A-F]{8}(-[0-9A-F]{4}){3}-[0-9A-F]{12}", "identifier", text)
    text = re.sub(r"\S*/people\.sqlite", "people.sqlite", text)
    text = re.sub(r"SQLite [\d.]+.*", "SQLite", text)
    text = re.sub(r"python(3[\d.]*)?", "python", text)
    text = re.sub(r"[█▓░]+", "bar", text)
    text = re.sub(r"\d+(\.\d+)?( (bytes|KB|MB|s|min)\b)?", "0", text)
    return re.sub(r" +", " ", text)


class Readme(unittest.TestCase):
    def setUp(self):
        # A fixed folder: Swift rebuilds everything when the path to the checkout changes.
        beside = BUILD / "readme-projects"
        beside.mkdir(parents=True, exist_ok=True)
        if not (beside / "pinview").is_symlink():
            (beside / "pinview").symlink_to(ROOT)
        folder = tempfile.TemporaryDirectory(prefix="project-", dir=beside)
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.programs, self.outputs, self.commands, self.files = map(blocks, ("program", "prints", "commands", "file"))

    def run_program(self, name):
        """Writes the program and runs its commands as a reader would, in an empty folder next to
        the checkout.
        """
        commands = self.commands[name].replace("swift run", f"swift run --scratch-path '{BUILD}/readme-swift'")
        return self.run_in_project({**self.files, name: self.programs[name]}, commands)

    def run_in_project(self, files, commands):
        """Writes files into an empty folder, runs commands there, and returns what they print."""
        project = self.folder
        for entry in project.iterdir():
            shutil.rmtree(entry) if entry.is_dir() else entry.unlink()
        for path, text in files.items():
            (project / path).parent.mkdir(parents=True, exist_ok=True)
            (project / path).write_text(text, encoding="utf-8")
        environment = {
            **os.environ,
            "PKG_CONFIG_PATH": str(BUILD / "dist/lib/pkgconfig"),
            "LD_LIBRARY_PATH": str(BUILD / "dist/lib"),
        }
        if "python3" in commands:
            environment["PATH"] = f"{self.interpreter().parent}:{os.environ['PATH']}"
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
    @functools.cache
    def interpreter():
        """A virtual environment with the built wheel installed as the README says."""
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

    def test_everyProgramIsRun(self):
        """A program added to the README needs a test."""
        self.assertEqual(sorted(self.programs), ["Sources/pin/main.swift", "pin.c", "pin.py"])
        self.assertEqual(self.programs.keys(), self.outputs.keys())
        self.assertEqual(self.programs.keys(), self.commands.keys())

    def test_everyCodeBlockOfALanguageIsAProgram(self):
        for page in [README, *PAGES]:
            text = page.read_text(encoding="utf-8")
            kinds = ("program", "file", "theirs")
            marked = sum(1 for kind, name, _ in BLOCK.findall(text) if kind in kinds and not name.endswith((".json", "/contents")))
            self.assertEqual(len(re.findall(r"^```(c|python|swift)$", text, re.MULTILINE)), marked, page.name)

    def assert_programs_of_pages_print_what_they_say(self, suffix, commands):
        """Runs each program in an empty folder with the files of its page."""
        for page in PAGES:
            outputs, files = blocks("prints", page), blocks("file", page)
            for name, program in blocks("program", page).items():
                if name.endswith(suffix):
                    with self.subTest(page=page.name, program=name):
                        stem = pathlib.Path(name).stem
                        printed, expected = self.run_in_project({**files, name: program}, commands(stem)), outputs[name]
                        if name in ("holds.py", "look.py"):
                            printed, expected = masked(printed), masked(expected)
                        self.assertEqual(printed, expected)

    def test_cProgramsOfDocs(self):
        flags = "-Wall -Wextra -Werror $(pkg-config --cflags --libs pinview)"
        self.assert_programs_of_pages_print_what_they_say(".c", lambda name: f"cc {name}.c -o {name} {flags} && ./{name}")

    def test_pythonProgramsOfDocs(self):
        self.assert_programs_of_pages_print_what_they_say(".py", lambda name: f"python3 {name}.py")

    def test_swiftProgramsOfDocs(self):
        """Builds one package with a target per program, reusing the library built for the README's
        program.
        """
        programs, outputs, models, generating = {}, {}, {}, []
        for page in PAGES:
            added = {name: text for name, text in blocks("program", page).items() if name.endswith(".swift")}
            added |= {name: text for name, text in blocks("file", page).items() if not name.endswith(".h")}
            self.assertEqual(set(added) & (programs.keys() | models.keys()), set(), f"{page.name}: names of another page")
            programs.update({name: text for name, text in added.items() if name.endswith("main.swift")})
            models.update({name: text for name, text in added.items() if not name.endswith("main.swift")})
            outputs.update(blocks("prints", page))
            generating += [text for name, text in blocks("commands", page).items() if name.endswith(".swift")]
        targets = {name.split("/")[1]: name for name in programs}
        manifest = self.files["Package.swift"]
        (target,) = re.findall(r"\.executableTarget\(.*\)", manifest)
        (product,) = re.findall(r"\.product\(.*?\)", target)

        def target_of(each):
            products = [name for name in ("Pinview", "PinviewFoundation") if f"import {name}\n" in programs[targets[each]]]
            dependencies = ", ".join(product.replace('"Pinview"', f'"{name}"') for name in products or ["Pinview"])
            return target.replace('"pin"', f'"{each}"').replace(product, dependencies)

        manifest = manifest.replace(target, ", ".join(map(target_of, targets)))
        scratch = f"--scratch-path '{BUILD}/readme-swift'"
        runs = "\n".join(f"echo '# {each}'; \"$folder/{each}\"" for each in targets)
        # The manifest is complete before the files are, so that the package is resolved once.
        generate = "".join(generating).replace("swift run ", f"swift run --quiet {scratch} ")
        commands = f"{generate}swift build --quiet {scratch} >&2\nfolder=$(swift build {scratch} --show-bin-path)\n{runs}"
        printed = self.run_in_project({"Package.swift": manifest, **programs, **models}, commands)
        self.assertEqual(printed, "".join(f"# {each}\n{outputs[name]}" for each, name in targets.items()))

    def test_commandsOfDocsGenerateSwift(self):
        """What is in the blocks of commands is run, and nothing else can be in them."""
        for page in PAGES:
            for name, text in blocks("commands", page).items():
                if name not in blocks("program", page):
                    self.assertRegex(text, rf"^swift run pinview-generate (--foundation )?-o {re.escape(name)} \S+\n$")

    def test_everyChapterOfDocsHasAProgramInEachLanguage(self):
        self.assertNotEqual(PAGES, [])
        for page in PAGES:
            self.assertIn(f"(docs/{page.name})", README.read_text(encoding="utf-8"))
            self.assertEqual(blocks("program", page).keys(), blocks("prints", page).keys())
            if page.name in WITHOUT_CHAPTERS:
                continue
            for chapter in re.split(r"^## ", page.read_text(encoding="utf-8"), flags=re.MULTILINE)[1:]:
                names = [names for kind, names, _ in BLOCK.findall(chapter) if kind == "program"]
                suffixes = [pathlib.Path(name).suffix for name in names]
                self.assertEqual(suffixes, [".c", ".py", ".swift"], chapter.splitlines()[0])

    def test_readmeIsShort(self):
        self.assertLessEqual(len(README.read_text(encoding="utf-8").splitlines()), 300)

    def test_linksLeadToFiles(self):
        for page in PAPERS:
            for link in re.findall(r"\]\(([^)#:]+)(?:#[^)]*)?\)", page.read_text(encoding="utf-8")):
                self.assertTrue((page.parent / link).exists(), f"{page.name}: {link}")

    def test_pathsOfThePapersExist(self):
        """The paths, source files and Swift types that the papers name between backticks."""
        sources = "\n".join(path.read_text(encoding="utf-8") for path in (ROOT / "Sources").rglob("*.swift"))
        declared = set(re.findall(r"\b(?:class|struct|enum|actor|protocol|typealias|extension|case|func|var|let) (\w+)", sources))
        declared.update(path.stem for folder in ("Benchmarks", "Sources", "Tests") for path in (ROOT / folder).rglob("*"))
        declared.update(path.stem for path in ROOT.iterdir())
        folders = [ROOT / name for name in ("Benchmarks", "Examples", "Sources", "Tests", "bindings", "docs", "include", "scripts")]
        tracked = [str(path) for folder in folders for path in folder.rglob("*")] + [str(path) for path in ROOT.iterdir()]
        for page in (*(ROOT / f"docs/{name}.md" for name in ("architecture", "bindings", "generations")), ROOT / "CONTRIBUTING.md"):
            text = re.sub(r"^```.*?^```", "", page.read_text(encoding="utf-8"), flags=re.MULTILINE | re.DOTALL)
            quoted = re.findall(r"`([^`\n]+)`", text)
            paths = [name for name in quoted if re.match(r"(Sources|Tests|bindings|include|scripts|docs|Benchmarks)/[\w./+-]+$", name)]
            self.assertEqual([path for path in paths if not (ROOT / path).exists()], [], page.name)
            files = [name for name in quoted if re.search(r"\w\.(swift|py|c|h)$", name) and " " not in name]
            self.assertEqual([name for name in files if not any(path.endswith("/" + name) for path in tracked)], [], page.name)
            if page.name == "CONTRIBUTING.md":
                continue
            types = [name.split(".")[0] for name in quoted if re.match(r"[A-Z][a-z]\w+(\.\w+)*(\(\))?$", name)]
            self.assertEqual(sorted({name for name in types if name not in declared}), [], page.name)

    def test_papersListTheFolders(self):
        engine = (ROOT / "docs/generations.md").read_text(encoding="utf-8")
        house = (ROOT / "docs/architecture.md").read_text(encoding="utf-8")
        for path in (ROOT / "Sources/PinviewGenerations").iterdir():
            self.assertIn(f"`{path.name}`", engine)
        for module in ("Pinview", "PinviewStore", "PinviewModel", "PinviewPredicates", "PinviewC"):
            for path in (ROOT / "Sources" / module).iterdir():
                self.assertRegex(house, rf"`(Sources/{module}/)?{re.escape(path.name)}`")

    def test_ledgerHasTheCodesOfTheTests(self):
        listed = set(re.findall(r"^- ([A-Z]+-\d+) ", (ROOT / "Tests/ledger.md").read_text(encoding="utf-8"), re.MULTILINE))
        kinds = "|".join(sorted({code.split("-")[0] for code in listed}))
        used = set()
        for folder in (ROOT / "Tests", ROOT / "bindings/python/tests"):
            for path in folder.rglob("*"):
                if path.suffix in (".swift", ".c", ".h", ".py", ".steps"):
                    found = re.findall(rf"\b(?:test_)?({kinds})[-_](\d\d)(?!\d)", path.read_text(encoding="utf-8"))
                    used.update("-".join(code) for code in found)
        self.assertGreater(len(used), 300)
        self.assertEqual(sorted(used - listed), [])

    def test_commandsOfMakeExist(self):
        text = "".join(page.read_text(encoding="utf-8") for page in PAPERS)
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
