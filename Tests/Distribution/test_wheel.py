"""The wheel works in an empty environment, on a machine without Swift."""

import os
import subprocess
import zipfile

from support import BUILD, DIST, TemporaryFolderTestCase, run


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
