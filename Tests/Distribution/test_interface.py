"""include/pinview.json: it says what the headers and the library say, and bindings can be made from
it (issue 19, point 10).
"""

import json
import os
import re
import shutil
import subprocess
import sys
import unittest

from support import DIST, HEADER, LIBRARY, ROOT, TemporaryFolderTestCase, run

sys.path.insert(0, str(ROOT / "Tests" / "C"))
from generate_misuse import NULL_IS_LEGAL, PLACE_IS_OPTIONAL

DESCRIPTION = json.loads((HEADER.parent / "pinview.json").read_text(encoding="utf-8"))
FUNCTIONS = {each["name"]: each for each in DESCRIPTION["functions"]}
TYPES = {each["name"]: each for each in DESCRIPTION["types"]}
EXAMPLES = ROOT / "Examples" / "bindings"
PRINTED = "Ada\t36\nCleo\t20\n"


def parameters():
    for function in DESCRIPTION["functions"]:
        for parameter in function["parameters"]:
            yield function["name"], parameter


def is_handle(parameter, pointers):
    kind = parameter["type"]
    return TYPES.get(kind["name"], {}).get("kind") == "handle" and kind["pointers"] == pointers


class Description(unittest.TestCase):
    def test_isWhatTheHeadersGive(self):
        """The interpreter of the build has the parser for C."""
        python = os.path.abspath(ROOT / os.environ.get("PYTHON", sys.executable))
        if subprocess.run([python, "-c", "import pycparser"], capture_output=True, check=False).returncode:
            self.skipTest("pycparser is not installed")
        run(python, ROOT / "bindings" / "describe_interface.py", "--check")

    def test_itsFunctionsAreTheSymbolsOfTheLibrary(self):
        exported = {line.split()[2].split("@")[0] for line in run("nm", "-D", "--defined-only", LIBRARY).stdout.splitlines()}
        self.assertEqual(exported - {"PINVIEW_0"}, FUNCTIONS.keys())

    def test_itsConstantsAreThoseOfTheHeaders(self):
        text = "\n".join((HEADER.parent / name).read_text(encoding="utf-8") for name in DESCRIPTION["headers"])
        named = set(re.findall(r"^(?:#define (?=PINVIEW_\w+ [-\"(\dIP])| +(?=PINVIEW_\w+ = ))(\w+)", text, flags=re.MULTILINE))
        self.assertEqual(named - {each["name"] for each in DESCRIPTION["constants"]} - {"PINVIEW_ENUM_OF"}, set())

    def test_everyTypeIsKnown(self):
        scalars = {"char", "int", "double", "size_t", "void", "function"}
        scalars |= {f"{sign}int{bits}_t" for sign in ("", "u") for bits in (8, 16, 32, 64)}
        used = {parameter["type"]["name"] for _, parameter in parameters()} | {each["result"]["name"] for each in FUNCTIONS.values()}
        used |= {field["type"]["name"] for each in TYPES.values() for field in each.get("fields", [])}
        self.assertEqual(used - scalars - TYPES.keys(), set())

    def test_handlesThatMayBeNULLAreThoseThatTheMisuseTestsPass(self):
        nullable = {(name, each["name"]) for name, each in parameters() if is_handle(each, 1) and each["nullable"]}
        self.assertEqual({each for each in nullable if not each[0].endswith("_release")}, NULL_IS_LEGAL)

    def test_placesThatMayBeNULLAreThoseThatTheMisuseTestsLeaveOut(self):
        described = {(name, each["name"]) for name, each in parameters() if each["direction"] == "out" and each.get("nullable")}
        self.assertEqual(PLACE_IS_OPTIONAL - described, set())

    def test_whatIsOwnedIsAHandleThatComesOut(self):
        for name, each in parameters():
            owned = is_handle(each, 2) and each["direction"] != "in"
            with self.subTest(f"{name}({each['name']})"):
                self.assertEqual(each.get("ownership") == "owned", owned)

    def test_everyFunctionButRetainAndReleaseIsDocumented(self):
        self.assertEqual(
            [name for name, each in FUNCTIONS.items() if not each.get("documentation") and not name.endswith(("_retain", "_release"))], []
        )

    def test_lengthsNameParameters(self):
        for name, each in parameters():
            for factor in each.get("length", "").split(" * "):
                self.assertIn(factor or each["name"], {other["name"] for other in FUNCTIONS[name]["parameters"]}, name)

    def test_arraysOfTheCallerHaveALength(self):
        """A pointer to a constant scalar or text is an array; those without a length would be
        unusable for a binding.
        """
        kinds = {"int32_t", "uint32_t", "uint64_t", "pinview_string", "pinview_named_value"}
        found = [
            f"{name}({each['name']})"
            for name, each in parameters()
            if each["type"]["pointers"] == 1 and each["type"].get("const") and each["type"]["name"] in kinds and "length" not in each
        ]
        self.assertEqual(found, [])


class OtherLanguages(TemporaryFolderTestCase):
    """The same program in other languages, where they are installed (Debian: luajit, golang-go,
    rustc).
    """

    def test_LuaJIT(self):
        if not shutil.which("luajit"):
            self.skipTest("luajit is not installed")
        self.assertEqual(
            sorted(run("luajit", EXAMPLES / "people.lua", HEADER.parent / "pinview.json", LIBRARY).stdout.splitlines()),
            sorted(PRINTED.splitlines()),
        )

    def test_Go(self):
        if not shutil.which("go"):
            self.skipTest("go is not installed")
        library = DIST / "lib"
        environment = {
            "CGO_CFLAGS": f"-I{DIST}/include",
            "CGO_LDFLAGS": f"-L{library} -lpinview -Wl,-rpath,{library}",
            "GOCACHE": str(self.folder / "cache"),
            "GOPATH": str(self.folder / "go"),
            "CGO_ENABLED": "1",
        }
        self.assertEqual(run("go", "run", EXAMPLES / "people.go", env=environment).stdout, PRINTED)

    def test_Rust(self):
        if not shutil.which("rustc"):
            self.skipTest("rustc is not installed")
        shutil.copy(EXAMPLES / "people.rs", self.folder)
        written = run(sys.executable, EXAMPLES / "rust_declarations.py", HEADER.parent / "pinview.json").stdout
        (self.folder / "pinview.rs").write_text(written, encoding="utf-8")
        library = DIST / "lib"
        run(
            "rustc",
            "--edition",
            "2021",
            "people.rs",
            "-L",
            library,
            "-l",
            "pinview",
            "-C",
            f"link-arg=-Wl,-rpath,{library}",
            cwd=self.folder,
        )
        self.assertEqual(run(self.folder / "people").stdout, PRINTED)


if __name__ == "__main__":
    unittest.main()
