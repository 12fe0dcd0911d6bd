"""The wheel works in an empty environment, on a machine without Swift."""

import glob
import os
import re
import subprocess
import zipfile

from support import BUILD, DIST, TemporaryFolderTestCase, run

# Of the stable ABI, though they begin with an underscore.
STABLE = (
    "_Py_NoneStruct",
    "_Py_TrueStruct",
    "_Py_FalseStruct",
    "_Py_Dealloc",
    "_Py_IncRef",
    "_Py_DecRef",
    "_PyObject_New",
    "_PyObject_GC_New",
    "_PyObject_GC_NewVar",
)


def pythons():
    """The interpreters of this machine that the package is for, each version once."""
    found = {}
    folders = os.environ["PATH"].split(os.pathsep) + glob.glob(os.path.expanduser("~/.pyenv/versions/*/bin"))
    for python in (
        os.path.join(folder, name) for folder in folders for name in ("python3", *(f"python3.{minor}" for minor in range(9, 16)))
    ):
        if not os.access(python, os.X_OK):
            continue
        asked = "import ctypes, sqlite3, sys; print(sys.implementation.name, *sys.version_info[:2])"
        version = subprocess.run([python, "-c", asked], capture_output=True, text=True, check=False)
        numbers = version.stdout.split()
        if version.returncode == 0 and len(numbers) == 3 and (int(numbers[1]), int(numbers[2])) >= (3, 9):
            found.setdefault(version.stdout, python)
    return list(found.values())


class Wheel(TemporaryFolderTestCase):
    def setUp(self):
        super().setUp()
        wheels = list((BUILD / "wheel").glob("*.whl"))
        self.assertEqual(len(wheels), 1, "one wheel is built by `make wheel`")
        self.wheel = wheels[0]

    def test_holdsTheLibraryThatWasBuilt(self):
        with zipfile.ZipFile(self.wheel) as wheel:
            is_same = wheel.read("pinview/libpinview.so.0") == (DIST / "lib/libpinview.so.0").read_bytes()
            self.assertTrue(is_same, "the wheel holds another library than .build/dist")
            self.assertIn("pinview/py.typed", wheel.namelist())
            self.assertEqual([name for name in wheel.namelist() if name.startswith("tests")], [])

    def test_isForAnyPython3OnThisKindOfMachine(self):
        self.assertRegex(self.wheel.name, r"^pinview-[0-9.]+-py3-none-(many)?linux.*\.whl$")

    def test_holdsTheAcceleratorForTheStableABI(self):
        with zipfile.ZipFile(self.wheel) as wheel:
            self.assertIn("pinview/_accelerator.abi3.so", wheel.namelist())
            wheel.extract("pinview/_accelerator.abi3.so", self.folder)
        accelerator = self.folder / "pinview/_accelerator.abi3.so"
        # What is not promised to stay begins with an underscore; the rest is CPython's own to keep.
        wanted = re.findall(r" U (_?Py\w+)", run("nm", "-D", accelerator).stdout)
        self.assertEqual([name for name in wanted if name.startswith("_") and name not in STABLE and not name.endswith("_SizeT")], [])
        needed = re.findall(r"NEEDED.*\[(.*)\]", run("readelf", "-d", accelerator).stdout)
        self.assertEqual([name for name in needed if "pinview" in name or "sqlite" in name], [], "the library is loaded by ctypes alone")

    def test_worksInEveryPythonThatIsHere(self):
        program = """if True:
            import sys, pinview
            from pinview import Attribute, Entity
            model = pinview.Model([Entity("Person", [Attribute("name", "string"), Attribute("age", "integer64")])])
            with pinview.Coordinator(model) as coordinator:
                coordinator.add_store(sys.argv[1])
                with pinview.Context(coordinator) as context:
                    context.insert_many("Person", {"name": ["Dave", "Ada"], "age": [41, 36]})
                    context.save()
                    people = list(context.fetch("Person", sort="age"))
                    people[0].age += 1
                    print(pinview.implementation, [person.name for person in people], people[0].age)

            class Person(pinview.Object):
                name: "str | None"
                age: "pinview.Attr[int]"
                friend: "pinview.One[Person | None]"

            with pinview.Coordinator(pinview.Model([Person])) as coordinator:
                coordinator.add_store(sys.argv[1] + "-declared")
                with pinview.Context(coordinator) as context:
                    context.insert(Person, name="Ada", age=36, friend=context.insert(Person, name="Bob", age=3))
                    print([(person.name, person.friend.name) for person in context.fetch(Person, Person.friend.age < 5)])
        """
        folder = self.folder / "package"
        run("python3", "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--no-index", "--target", folder, self.wheel)
        seen = {}
        for python in pythons():
            environment = {**os.environ, "PYTHONPATH": str(folder), "PYTHONDONTWRITEBYTECODE": "1"}
            environment.pop("PINVIEW_IMPLEMENTATION", None)
            environment.pop("PINVIEW_LIBRARY", None)
            store = self.folder / f"{len(seen)}.sqlite"
            result = subprocess.run([python, "-c", program, store], env=environment, capture_output=True, text=True, check=False)
            self.assertEqual(result.stderr, "", python)
            seen[python] = result.stdout
        for python, shown in seen.items():
            self.assertRegex(shown, r"^(c|python) \['Ada', 'Dave'\] 37\n\[\('Ada', 'Bob'\)\]\n$", python)
        self.assertTrue(any(shown.startswith("c ") for shown in seen.values()), seen)

    def test_worksInAnEmptyEnvironmentWithoutSwift(self):
        run("python3", "-m", "venv", self.folder / "empty")
        python = self.folder / "empty/bin/python"
        run(
            python,
            "-m",
            "pip",
            "install",
            "--quiet",
            "--disable-pip-version-check",
            "--no-index",
            self.wheel,
        )
        result = subprocess.run(
            [python, "-I", "-c", "import pinview; print(pinview.__version__)"],
            cwd=self.folder,
            env={
                "PATH": "/usr/bin:/bin",
                "HOME": str(self.folder),
                "LANG": os.environ.get("LANG", "C.UTF-8"),
            },
            capture_output=True,
            text=True,
            check=False,
        )
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertRegex(result.stdout, r"^\d+\.\d+\.\d+\n$")
