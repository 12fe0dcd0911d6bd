"""libpinview.so as it is shipped: small, self-contained, quiet when loaded."""

import re
import unittest
import zlib

from support import DIST, LIBRARY, ROOT, TemporaryFolderTestCase, run

MEGABYTE = 1 << 20
# The C runtime and SQLite; those of Swift and C++ are inside.
ALLOWED = re.compile(r"^(linux-vdso\.so\.1|ld-linux-[\w-]+\.so\.\d|lib(c|m|dl|pthread|rt|sqlite3)\.so\.\d+)$")

# The model of the programs in C: an entity P with a string n.
MODEL = (
    'static const char model[] = "{\\"entities\\": [{\\"name\\": \\"P\\", \\"attributes\\": '
    '[{\\"name\\": \\"n\\", \\"type\\": \\"string\\"}]}]}";\n'
)


class Library(TemporaryFolderTestCase):
    def dynamic_section(self):
        return run("readelf", "-dW", LIBRARY).stdout

    def test_isSmallerThan10MegabytesStripped(self):
        stripped = self.folder / "stripped.so"
        run("strip", "-o", stripped, LIBRARY)
        self.assertLess(stripped.stat().st_size, 10 * MEGABYTE)

    def test_functionsOfTheHotPathsLieTogether(self):
        symbols = run("nm", "--defined-only", DIST / "lib/libpinview.so.debug").stdout.splitlines()
        addresses = {name: int(address, 16) for address, _, name in (line.split(" ", 2) for line in symbols)}
        names = (ROOT / "Distribution/pinview.order").read_text().splitlines()
        found = [addresses[name] for name in names if name in addresses]
        advice = "`make function-order` measures them anew; objects that were compiled before functions were sections need `make clean`"
        self.assertGreater(len(found), 0.8 * len(names), f"the library lacks functions of Distribution/pinview.order: {advice}")
        # Equal functions are one, which lies where the first of them is named.
        ascending = sum(first <= second for first, second in zip(found, found[1:], strict=False))
        self.assertGreater(
            ascending, 0.8 * len(found), f"the library's functions are not in the order of Distribution/pinview.order: {advice}"
        )

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

    def test_findsTheLaunchArgumentsOfTheProgram(self):
        source, program = self.folder / "program.c", self.folder / "program"
        source.write_text(
            f"#include <pinview.h>\n{MODEL}"
            "int main(void) {\n    pinview_context *context;\n"
            '    PINVIEW_CHECK(pinview_open(model, "store.sqlite", NULL, 0, &context, NULL));\n    return 0;\n}\n'
        )
        folders = [f"-I{DIST / 'include'}", f"-L{LIBRARY.parent}", f"-Wl,-rpath,{LIBRARY.parent}"]
        run("cc", source, "-o", program, *folders, "-lpinview")
        shown = run(program, "an argument", "", "-com.apple.CoreData.SQLDebug", "1", cwd=self.folder).stdout
        self.assertRegex(shown, "(?m)^CoreData: sql: ")
        self.assertEqual(run(program, "-com.apple.CoreData.SQLDebug", "0", cwd=self.folder).stdout, "")

    def test_sourcesUseNoFoundation(self):
        """Foundation would make the library seven times as large; FoundationEssentials is allowed
        for UUID and Date.
        """
        pattern = re.compile(
            r"^\s*(@\w+ |public |package |internal )*import Foundation\s*$",
            re.MULTILINE,
        )
        using = [str(path.relative_to(ROOT)) for path in sorted((ROOT / "Sources").rglob("*.swift")) if pattern.search(path.read_text())]
        self.assertEqual(using, [])


class StaticLibrary(TemporaryFolderTestCase):
    """libpinview.a (issue 19, point 9)."""

    ARCHIVE = LIBRARY.parent / "libpinview.a"

    def test_onlyTheInterfaceIsVisible(self):
        lines = run("nm", "--extern-only", "--defined-only", self.ARCHIVE).stdout.splitlines()
        names = {line.split()[2] for line in lines if len(line.split()) == 3}
        exported = {line.split()[2].split("@")[0] for line in run("nm", "-D", "--defined-only", LIBRARY).stdout.splitlines()}
        self.assertEqual(names, exported - {"PINVIEW_0"})

    def test_aProgramNeedsNoSharedOne(self):
        source, program = self.folder / "program.c", self.folder / "program"
        source.write_text(
            f"#include <pinview.h>\n#include <stdio.h>\n{MODEL}"
            "int main(void) {\n    pinview_context *context;\n    pinview_object *found;\n"
            '    PINVIEW_CHECK(pinview_open(model, "static.sqlite", NULL, 0, &context, NULL));\n'
            '    PINVIEW_CHECK(pinview_insert(context, "P", PINVIEW_NAMED_VALUES(pinview_named("n", pinview_value_text("x"))), NULL, NULL));\n'
            "    PINVIEW_CHECK(pinview_context_save(context, NULL));\n"
            '    PINVIEW_CHECK(pinview_fetch_first(context, "P", "n == \'x\'", NULL, 0, NULL, &found, NULL));\n'
            '    printf("%s\\n", pinview_get_text(found, "n", "", NULL));\n    return 0;\n}\n'
        )
        flags = run("pkg-config", "--static", "--cflags", "--libs", "pinview", env={"PKG_CONFIG_PATH": str(DIST / "lib/pkgconfig")}).stdout
        flags = [str(self.ARCHIVE) if flag == "-lpinview" else flag for flag in flags.split()]
        run("cc", source, "-o", program, *flags)
        self.assertNotIn("pinview", run("ldd", program).stdout)
        self.assertEqual(run(program, cwd=self.folder).stdout, "x\n")


class DebugSymbols(TemporaryFolderTestCase):
    """libpinview.so.debug, which debuggers find through the library."""

    def test_theLibraryNamesThem(self):
        link = run("readelf", "--string-dump=.gnu_debuglink", LIBRARY).stdout
        self.assertIn("libpinview.so.debug", link)

    def test_theyAreOfThisLibrary(self):
        """Their checksum is in the library, which a debugger compares."""
        run("objcopy", "--dump-section", f".gnu_debuglink={self.folder}/link", LIBRARY, self.folder / "copy")
        content = (LIBRARY.parent / "libpinview.so.debug").read_bytes()
        self.assertEqual((self.folder / "link").read_bytes()[-4:], zlib.crc32(content).to_bytes(4, "little"))

    def test_valgrindReadsThem(self):
        program = self.folder / "program"
        source = self.folder / "program.c"
        source.write_text("#include <pinview.h>\nint main(void) { return pinview_handle_count() != 0; }\n")
        run("cc", f"-I{DIST}/include", source, "-o", program, f"-L{LIBRARY.parent}", "-lpinview", f"-Wl,-rpath,{LIBRARY.parent}")
        run("valgrind", "--quiet", "--error-exitcode=9", program)

    def test_suppressionsLeaveNothingOfTheRuntime(self):
        """Without them, blocks of the runtime are reported as possibly lost."""
        program, source = self.folder / "program", self.folder / "program.c"
        source.write_text(
            "#include <pinview.h>\nint main(void) {\n    pinview_context *context;\n"
            '    PINVIEW_CHECK(pinview_open("{\\"entities\\": [{\\"name\\": \\"P\\"}]}", NULL, NULL, 0, &context, NULL));\n'
            '    PINVIEW_CHECK(pinview_insert(context, "P", NULL, 0, NULL, NULL));\n'
            "    PINVIEW_CHECK(pinview_context_save(context, NULL));\n    pinview_context_release(context);\n    return 0;\n}\n"
        )
        run("cc", f"-I{DIST}/include", source, "-o", program, f"-L{LIBRARY.parent}", "-lpinview", f"-Wl,-rpath,{LIBRARY.parent}")
        command = ["valgrind", "--quiet", "--leak-check=full", "--show-leak-kinds=all", "--errors-for-leak-kinds=all", "--error-exitcode=9"]
        self.assertEqual(run(*command, program, check=False).returncode, 9)
        run(*command, f"--suppressions={ROOT}/Distribution/pinview.supp", program)


if __name__ == "__main__":
    unittest.main()
