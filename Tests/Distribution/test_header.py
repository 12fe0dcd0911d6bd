"""include/pinview.h and pinview_binding.h: they compile alone in every dialect, and name exactly
what the library exports.
"""

import json
import re
import shutil
import unittest

from support import BINDING_HEADER, HEADER, LIBRARY, ROOT, TemporaryFolderTestCase, clang, run

WARNINGS = [
    "-Wall",
    "-Wextra",
    "-Wpedantic",
    "-Wshadow",
    "-Wstrict-prototypes",
    "-Werror",
]
CXX_WARNINGS = [flag for flag in WARNINGS if flag != "-Wstrict-prototypes"]


def declared():
    """The functions and the variables that the headers declare, from the compiler's own syntax
    tree.
    """
    tree = json.loads(
        run(
            clang(),
            "-x",
            "c",
            "-std=c11",
            "-fsyntax-only",
            "-Xclang",
            "-ast-dump=json",
            BINDING_HEADER,
        ).stdout
    )
    functions, variables = set(), set()
    for node in tree["inner"]:
        if not node.get("name", "").startswith("pinview_") or node.get("storageClass") == "static":
            continue
        if node["kind"] == "FunctionDecl":
            functions.add(node["name"])
        elif node["kind"] == "VarDecl":
            variables.add(node["name"])
    return functions, variables


def exported():
    """The symbols that the library defines for others, without the name of their version."""
    symbols = {}
    for line in run("nm", "-D", "--defined-only", LIBRARY).stdout.splitlines():
        _, kind, name = line.split()
        symbols[name.split("@")[0]] = kind
    symbols.pop("PINVIEW_0", None)
    return symbols


class HeaderCompiles(TemporaryFolderTestCase):
    def compile(self, compiler, standard, suffix, warnings):
        for header in (HEADER, BINDING_HEADER):
            source = self.folder / f"twice.{suffix}"
            source.write_text(f'#include "{header.name}"\n#include "{header.name}"\nint main(void) {{ return 0; }}\n')
            with self.subTest(header.name):
                run(compiler, f"-std={standard}", *warnings, f"-I{HEADER.parent}", "-fsyntax-only", source)

    def test_c99(self):
        self.compile("cc", "c99", "c", WARNINGS)

    def test_c11(self):
        self.compile("cc", "c11", "c", WARNINGS)

    def test_cxx11(self):
        self.compile("c++", "c++11", "cpp", CXX_WARNINGS)

    def test_cxx17(self):
        self.compile("c++", "c++17", "cpp", CXX_WARNINGS)

    def test_clang_c99(self):
        self.compile(clang(), "c99", "c", WARNINGS)

    def test_clang_cxx17(self):
        self.compile(clang(), "c++17", "cpp", CXX_WARNINGS)


class HeaderAndLibraryAgree(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.functions, cls.variables = declared()
        cls.exported = exported()

    def test_everyDeclaredFunctionIsExported(self):
        self.assertEqual(sorted(self.functions - self.exported.keys()), [])

    def test_nothingElseIsExported(self):
        self.assertEqual(sorted(self.exported.keys() - self.functions - self.variables), [])

    def test_everyDeclaredConstantIsExportedAsData(self):
        data = {name for name, kind in self.exported.items() if kind in "BDRVG"}
        self.assertEqual(sorted(self.variables ^ data), [])

    def test_functionsAreExportedAsCode(self):
        code = {name for name, kind in self.exported.items() if kind == "T"}
        self.assertEqual(sorted(self.functions ^ code), [])


class HeaderIsWrittenForPeople(unittest.TestCase):
    def test_everyFunctionHasADocBlock(self):
        """A doc block stands before each function, or before the group of declarations without an
        empty line it is in.
        """
        text = "\n".join(header.read_text(encoding="utf-8") for header in (HEADER, BINDING_HEADER))
        undocumented = []
        for name in sorted(declared()[0]):
            declaration = re.search(rf"^(?!\s*/?\*)[^\n]*\b{name}\s*\(", text, re.MULTILINE)
            group = text[: declaration.start()].rpartition("\n\n")[2] if declaration else ""
            if "*/" not in group:
                undocumented.append(name)
        self.assertEqual(undocumented, [])

    def test_everythingThatACommentNamesExists(self):
        """Comments and the protocol of bindings cite what is declared; a name that ends in ...
        stands for several.

        pinview.h cites nothing of pinview_binding.h but the file.
        """
        # Variables of the environment, and the file.
        names = {"PINVIEW_CONCURRENCY_DEBUG", "PINVIEW_SQL_DEBUG", "pinview_binding"}
        missing = []
        for page in (HEADER, BINDING_HEADER, ROOT / "docs" / "bindings.md"):
            text = page.read_text(encoding="utf-8")
            prose = text
            if page.suffix == ".h":
                names |= set(re.findall(r"\b(?:pinview|PINVIEW)_\w+", re.sub(r"/\*.*?\*/", "", text, flags=re.DOTALL)))
                prose = "".join(re.findall(r"/\*.*?\*/", text, flags=re.DOTALL))
            for name, several in re.findall(r"\b((?:pinview|PINVIEW)_\w+)(\.\.\.)?", prose):
                if name not in names and not (several and any(each.startswith(name) for each in names)):
                    missing.append(f"{page.name}: {name}")
        self.assertEqual(missing, [])

    def test_aParameterAndItsTypeStandOnOneLine(self):
        for header in (HEADER, BINDING_HEADER):
            text = re.sub(r"/\*.*?\*/", "", header.read_text(encoding="utf-8"), flags=re.DOTALL)
            for arguments in re.findall(r"^[a-z][\w ]*?[ *]+pinview_\w+\(([^;{]*?)\);", text, flags=re.MULTILINE):
                self.assertEqual([each for each in arguments.split(",") if "\n" in each.strip()], [])

    def test_linesFitOnAScreen(self):
        for header in (HEADER, BINDING_HEADER):
            lines = header.read_text(encoding="utf-8").splitlines()
            self.assertEqual([f"{number}: {line}" for number, line in enumerate(lines, 1) if len(line) > 100], [])

    def test_theHeaderForProgramsDoesNotIncludeTheOneForBindings(self):
        self.assertNotIn('#include "pinview_binding.h"', HEADER.read_text(encoding="utf-8"))

    def test_handlesAreDistinctTypes(self):
        self.assertIsNone(re.search(r"typedef\s+void\s*\*?\s*pinview_", HEADER.read_text(encoding="utf-8")))


class ShortProgram(TemporaryFolderTestCase):
    """The program in the section "Short programs" of the header: open, insert, fetch, print (issue
    19, point 9).
    """

    def program(self):
        text = HEADER.read_text(encoding="utf-8")
        example = re.search(r"A whole program:\n \*\n((?: \*(?:     .*)?\n)+)", text)[1]
        return re.sub(r"^ \*(?:     )?", "", example, flags=re.MULTILINE).strip() + "\n"

    def test_itHasAtMost35Lines(self):
        self.assertLessEqual(len(self.program().splitlines()), 35)

    def test_itRunsTwice(self):
        source, program = self.folder / "short.c", self.folder / "short"
        source.write_text(self.program())
        library = LIBRARY.parent
        run("cc", "-std=c99", *WARNINGS, f"-I{HEADER.parent}", source, "-o", program, f"-L{library}", "-lpinview", f"-Wl,-rpath,{library}")
        self.assertEqual(run(program, cwd=self.folder).stdout, "Ada\n")
        self.assertEqual(run(program, cwd=self.folder).stdout, "Ada\nAda\n")


class InlineHelpers(TemporaryFolderTestCase):
    def test_programsDoNotCallTheirSymbols(self):
        """Nor does a program that only loads the library later, or not at all, need them; not even
        without an optimiser.
        """
        source, program = self.folder / "inline.c", self.folder / "inline"
        source.write_text('#include "pinview.h"\nint main(void) { return pinview_value_text("a").type != PINVIEW_VALUE_STRING; }\n')
        for compiler in ("cc", clang()):
            for level in ("-O0", "-O2"):
                run(compiler, level, f"-I{HEADER.parent}", source, "-o", program)
                run(program)


@unittest.skipUnless(shutil.which("cc"), "needs a C compiler")
class LayoutIsTheSameEverywhere(TemporaryFolderTestCase):
    def test_sizesAndOffsetsAreEqualInCAndCxx(self):
        """Every struct of the header has the same layout for a C and a C++ compiler."""
        self.assertEqual(self.layout("cc", "c11", "c"), self.layout("c++", "c++17", "cpp"))

    def layout(self, compiler, standard, suffix):
        lines = [
            "#include <stddef.h>",
            "#include <stdio.h>",
            '#include "pinview_binding.h"',
            "int main(void) {",
        ]
        for struct, fields in structs().items():
            lines.append(f'printf("{struct} %zu\\n", sizeof({struct}));')
            lines += [f'printf("{struct}.{field} %zu\\n", offsetof({struct}, {field}));' for field in fields]
        lines.append("return 0; }")
        source, program = (
            self.folder / f"layout.{suffix}",
            self.folder / f"layout-{suffix}",
        )
        source.write_text("\n".join(lines))
        run(
            compiler,
            f"-std={standard}",
            "-Wno-invalid-offsetof",
            f"-I{HEADER.parent}",
            source,
            "-o",
            program,
        )
        return run(program).stdout


def structs():
    """Name and fields of each struct that the header defines as a typedef of the same name."""
    tree = json.loads(
        run(
            clang(),
            "-x",
            "c",
            "-std=c11",
            "-fsyntax-only",
            "-Xclang",
            "-ast-dump=json",
            BINDING_HEADER,
        ).stdout
    )
    result = {}
    for node in tree["inner"]:
        if node["kind"] == "RecordDecl" and node.get("completeDefinition") and node.get("name", "").startswith("pinview_"):
            result[node["name"]] = [child["name"] for child in node["inner"] if child["kind"] == "FieldDecl" and "name" in child]
    return result
