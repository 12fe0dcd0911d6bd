"""libpinview.so as it is shipped: small, self-contained, quiet when loaded."""

import re
import unittest

from support import LIBRARY, ROOT, TemporaryFolderTestCase, run

MEGABYTE = 1 << 20
# The C and C++ runtimes and SQLite; the Swift runtime is inside.
ALLOWED = re.compile(r"^(linux-vdso\.so\.1|ld-linux-[\w-]+\.so\.\d|lib(c|m|dl|pthread|rt|gcc_s|stdc\+\+|sqlite3)\.so\.\d+)$")


class Library(TemporaryFolderTestCase):
    def dynamic_section(self):
        return run("readelf", "-dW", LIBRARY).stdout

    def test_isSmallerThan10MegabytesStripped(self):
        stripped = self.folder / "stripped.so"
        run("strip", "-o", stripped, LIBRARY)
        self.assertLess(stripped.stat().st_size, 10 * MEGABYTE)

    def test_needsOnlyTheRuntimesAndSQLite(self):
        needed = [line.split()[0].rsplit("/", 1)[-1] for line in run("ldd", LIBRARY).stdout.splitlines()]
        self.assertEqual([name for name in needed if not ALLOWED.match(name)], [])
        self.assertIn("libsqlite3.so.0", needed)

    def test_PCRE2IsInsideAndHidden(self):
        symbols = run("nm", "-D", LIBRARY).stdout
        self.assertNotIn("pcre2", symbols)
        self.assertIn(b"quantifier does not follow a repeatable item", LIBRARY.read_bytes())

    def test_expatAndZlibAreInsideAndHidden(self):
        symbols = run("nm", "-D", LIBRARY).stdout
        self.assertNotIn("XML_Parse", symbols)
        self.assertNotIn("inflate", symbols)
        self.assertIn(b"not well-formed (invalid token)", LIBRARY.read_bytes())

    def test_sonameCarriesTheABIVersion(self):
        self.assertIn("Library soname: [libpinview.so.0]", self.dynamic_section())

    def test_hasNoRunPathOfTheBuildMachine(self):
        self.assertNotRegex(self.dynamic_section(), r"\((RPATH|RUNPATH)\)")

    def test_isNeverUnloaded(self):
        self.assertRegex(self.dynamic_section(), r"\(FLAGS_1\).*NODELETE")

    def test_hasNoTextRelocationsAndNoExecutableStack(self):
        self.assertNotIn("TEXTREL", self.dynamic_section())
        stack = [line for line in run("readelf", "-lW", LIBRARY).stdout.splitlines() if "GNU_STACK" in line]
        self.assertTrue(stack)
        self.assertNotIn("RWE", stack[0])

    def test_loadingChangesNoSignalHandler(self):
        program = self.folder / "load-check"
        run(
            "cc",
            "-std=c11",
            "-Wall",
            "-Wextra",
            "-Werror",
            ROOT / "Tests/Distribution/load_check.c",
            "-o",
            program,
            "-ldl",
        )
        result = run(program, LIBRARY, check=False)
        self.assertEqual(result.returncode, 0, result.stdout)

    def test_sourcesUseNoFoundation(self):
        """Foundation would make the library seven times as large; FoundationEssentials is allowed for UUID and Date."""
        pattern = re.compile(
            r"^\s*(@\w+ |public |package |internal )*import Foundation\s*$",
            re.MULTILINE,
        )
        using = [str(path.relative_to(ROOT)) for path in sorted((ROOT / "Sources").rglob("*.swift")) if pattern.search(path.read_text())]
        self.assertEqual(using, [])


if __name__ == "__main__":
    unittest.main()
