"""The wheel works in an empty environment, on a machine without Swift."""

import glob
import json
import os
import re
import shutil
import subprocess
import zipfile

from support import BUILD, DIST, ROOT, TemporaryFolderTestCase, run

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
        if version.returncode == 0 and len(numbers) == 3 and numbers[0] == "cpython" and (int(numbers[1]), int(numbers[2])) >= (3, 9):
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
            is_same = wheel.read("pinview/libpinview.so.0") == (DIST / "wheel/libpinview.so.0").read_bytes()
            self.assertTrue(is_same, "the wheel holds another library than .build/dist/wheel")
            self.assertIn("pinview/py.typed", wheel.namelist())
            self.assertEqual([name for name in wheel.namelist() if name.startswith("tests")], [])

    def test_isForAnyPython3OnThisKindOfMachine(self):
        self.assertRegex(self.wheel.name, r"^pinview-[0-9.]+-py3-none-manylinux_2_\d+_x86_64\.whl$")

    def shared_objects(self):
        with zipfile.ZipFile(self.wheel) as wheel:
            names = [name for name in wheel.namelist() if ".so" in name]
            return [wheel.extract(name, self.folder) for name in names]

    def test_itsTagIsTheNewestGlibcThatItsSharedObjectsNeed(self):
        tag = int(re.search(r"manylinux_2_(\d+)_", self.wheel.name)[1])
        self.assertEqual(len(self.shared_objects()), 3)
        needed = {17}
        for path in self.shared_objects():
            versions = run("readelf", "-VW", path).stdout
            needed |= {int(minor) for minor in re.findall(r"Name: GLIBC_2\.(\d+)", versions)}
            self.assertNotIn("GLIBC_ABI_DT_RELR", versions, path)
            self.assertNotRegex(run("readelf", "-dW", path).stdout, r"\((RPATH|RUNPATH|RELR)\)", path)
        self.assertEqual(tag, max(needed))

    def test_itsTagIsManylinux_2_34OnTheToolchainOfTheTests(self):
        """What the Swift runtime needs, built against glibc 2.36; a newer glibc may raise it."""
        glibc = tuple(map(int, os.confstr("CS_GNU_LIBC_VERSION").split()[1].split(".")))
        if glibc > (2, 36):
            self.skipTest(f"built against glibc {glibc[0]}.{glibc[1]}")
        self.assertIn("-manylinux_2_34_", self.wheel.name)

    def test_needsOnlyWhatManylinuxHasAndSQLite(self):
        allowed = {"libc.so.6", "libm.so.6", "ld-linux-x86-64.so.2", "libpthread.so.0", "libz.so.1"}
        for path in self.shared_objects():
            needed = set(re.findall(r"NEEDED.*\[(.*)\]", run("readelf", "-d", path).stdout))
            self.assertEqual(needed - allowed - {"libsqlite3.so.0"}, set(), path)

    def test_usesTheSystemsSQLiteOrItsOwn(self):
        """The choice is made at import; both are told by sqlite_library() and read and write the same store."""
        program = """if True:
            import sys, pinview
            coordinator = pinview.Coordinator(pinview.Model([pinview.Entity("Person", [pinview.Attribute("name", "string")])]))
            coordinator.add_store(sys.argv[1])
            with pinview.Context(coordinator) as context:
                context.insert("Person", name="Ada")
                context.save()
                context.pin()
                print(context.count("Person"), pinview.sqlite_library().is_of_package, pinview.sqlite_library().path)
        """
        folder = self.folder / "package"
        run("python3", "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--no-index", "--target", folder, self.wheel)
        shown = {}
        for which in ("system", "package"):
            environment = {**os.environ, "PYTHONPATH": str(folder), "PINVIEW_SQLITE": which}
            environment.pop("PINVIEW_LIBRARY", None)
            command = ["python3", "-c", program, str(self.folder / "both.sqlite")]
            result = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
            self.assertEqual(result.stderr, "")
            shown[which] = result.stdout
        self.assertRegex(shown["system"], r"^1 False /.*/libsqlite3\.so")
        self.assertEqual(shown["package"], f"2 True {folder}/pinview/_sqlite/libsqlite3.so.0\n")

    def test_itsOwnSQLiteIsTakenWhereTheSystemHasNone(self):
        """The linker's error about the missing library is answered with the copy."""
        folder = self.folder / "package"
        run("python3", "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--no-index", "--target", folder, self.wheel)
        program = """if True:
            import ctypes
            usual, own = ctypes.CDLL, []
            class WithoutSQLite(usual):
                def __init__(self, name, *arguments, **options):
                    if str(name).endswith("_sqlite/libsqlite3.so.0"):
                        own.append(name)
                    elif "libpinview" in str(name) and not own:
                        raise OSError("libsqlite3.so.0: cannot open shared object file: No such file or directory")
                    super().__init__(name, *arguments, **options)
            ctypes.CDLL = WithoutSQLite
            import pinview
            print(pinview.sqlite_library().is_of_package)
        """
        environment = {**os.environ, "PYTHONPATH": str(folder)}
        environment.pop("PINVIEW_LIBRARY", None)
        environment.pop("PINVIEW_SQLITE", None)
        result = subprocess.run(["python3", "-c", program], env=environment, capture_output=True, text=True, check=False)
        self.assertEqual((result.stdout, result.stderr), ("True\n", ""))

    def test_auditwheelFindsNothingButTheSystemsSQLite(self):
        python = os.path.abspath(ROOT / os.environ.get("PYTHON", "python3"))
        if subprocess.run([python, "-c", "import auditwheel"], capture_output=True, check=False).returncode:
            self.skipTest("auditwheel is not installed")
        shown = run(python, "-m", "auditwheel", "show", self.wheel).stdout
        tag = re.search(r"manylinux_2_\d+_x86_64", self.wheel.name)[0]
        self.assertIn(f'constrains the platform tag to "{tag}"', " ".join(shown.split()))

    def test_twineFindsNothing(self):
        python = os.path.abspath(ROOT / os.environ.get("PYTHON", "python3"))
        if subprocess.run([python, "-c", "import twine"], capture_output=True, check=False).returncode:
            self.skipTest("twine is not installed")
        self.assertIn("PASSED", run(python, "-m", "twine", "check", "--strict", self.wheel, env={"NO_COLOR": "1"}).stdout)

    def test_namesNoLicenseAndNoPage(self):
        """None is chosen yet."""
        with zipfile.ZipFile(self.wheel) as wheel:
            metadata = wheel.read(next(name for name in wheel.namelist() if name.endswith("/METADATA"))).decode()
        self.assertNotRegex(metadata, r"(?m)^(License|Project-URL|Home-page)")

    def test_twoBuildsGiveTheSameBytes(self):
        """Built once more of the same library, in another folder, as the Makefile does."""
        python = os.path.abspath(ROOT / os.environ.get("PYTHON", "python3"))
        source = self.folder / "elsewhere" / "python"
        shutil.copytree(
            ROOT / "bindings" / "python", source, ignore=shutil.ignore_patterns("*.egg-info", "build", ".*_cache", "__pycache__")
        )
        environment = {
            "PINVIEW_LIBRARY": str(DIST / "wheel/libpinview.so.0"),
            "SOURCE_DATE_EPOCH": os.environ.get("WHEEL_DATE", "1577836800"),
        }
        run(python, "-m", "build", "--wheel", "--no-isolation", "--outdir", self.folder, source, env=environment)
        (made,) = self.folder.glob("*.whl")
        self.assertEqual(made.name, self.wheel.name)
        with zipfile.ZipFile(made) as second, zipfile.ZipFile(self.wheel) as first:
            contents = [{each.filename: (each.date_time, each.CRC) for each in wheel.infolist()} for wheel in (first, second)]
        self.assertEqual(*contents)
        self.assertEqual(made.read_bytes(), self.wheel.read_bytes())

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


class SourceDistribution(TemporaryFolderTestCase):
    def test_itBuilds(self):
        """What pip does with it, but for the build of the library itself, which takes minutes; its package can be read."""
        python = os.path.abspath(ROOT / os.environ.get("PYTHON", "python3"))
        source = self.folder / "Pinview" / "bindings" / "python"
        for name in ("Sources", "include", "Distribution", "scripts", "Makefile", "Package.swift"):
            (source.parents[1] / name).parent.mkdir(parents=True, exist_ok=True)
            (source.parents[1] / name).symlink_to(ROOT / name)
        shutil.copytree(ROOT / "bindings" / "python", source, ignore=shutil.ignore_patterns("tests", "*.egg-info", "build", ".*_cache"))
        run(python, "-m", "build", "--sdist", "--no-isolation", "--outdir", self.folder, source)
        made = next(self.folder.glob("pinview-*.tar.gz"))
        environment = {"PINVIEW_LIBRARY": str(DIST / "wheel/libpinview.so.0")}
        wheels = self.folder / "wheels"
        run(python, "-m", "pip", "wheel", "--quiet", "--no-build-isolation", "--no-deps", "--wheel-dir", wheels, made, env=environment)
        with zipfile.ZipFile(next(wheels.glob("*.whl"))) as wheel:
            self.assertIn("pinview/_accelerator.abi3.so", wheel.namelist())
        shutil.unpack_archive(made, self.folder / "unpacked")
        native = next((self.folder / "unpacked").glob("*/native"))
        described = json.loads(
            run("swift", "package", "--package-path", native, "--scratch-path", self.folder / "build", "dump-package").stdout
        )
        for target in described["targets"]:
            self.assertTrue((native / (target.get("path") or f"Sources/{target['name']}")).is_dir(), target["name"])
        self.assertTrue((native / "Sources/CPinview/include/pinview.h").is_file())

    def test_theSourceFolderCanBeInstalled(self):
        """`pip install .` in bindings/python of a checkout, here with the library that is built already."""
        python = os.path.abspath(ROOT / os.environ.get("PYTHON", "python3"))
        source = self.folder / "python"
        shutil.copytree(ROOT / "bindings" / "python", source, ignore=shutil.ignore_patterns("tests", "*.egg-info", "build", ".*_cache"))
        environment = {"PINVIEW_LIBRARY": str(DIST / "wheel/libpinview.so.0")}
        target = self.folder / "installed"
        command = [python, "-m", "pip", "install", "--quiet", "--no-build-isolation", "--no-deps", "--target", target, source]
        run(*command, env=environment)
        shown = run(python, "-c", "import pinview; print(pinview.implementation)", env={"PYTHONPATH": str(target)}).stdout
        self.assertEqual(shown, "c\n")
