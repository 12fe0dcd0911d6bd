"""make manual: the man pages of the C interface."""

import re
import shutil
import unittest

from support import BINDING_HEADER, HEADER, ROOT, TemporaryFolderTestCase, run


def make_manual(folder, checkout=ROOT, check=True):
    return run(
        "make", "--no-print-directory", "manual", f"BUILD={folder}", check=check, cwd=checkout, env={"MAKEFLAGS": "", "MAKELEVEL": "0"}
    )


def functions():
    for header in (HEADER, BINDING_HEADER):
        text = re.sub(r"/\*.*?\*/", "", header.read_text(encoding="utf-8"), flags=re.DOTALL)
        yield from re.findall(r"^(?!typedef|static)[a-z][\w ]*?[ *]+(pinview_\w+)\(", text, flags=re.MULTILINE)


@unittest.skipUnless(shutil.which("doxygen"), "doxygen is not installed")
class Manual(TemporaryFolderTestCase):
    def test_everyFunctionHasAManPageAndIsInTheReference(self):
        make_manual(self.folder)
        pages = {path.name for path in (self.folder / "docs" / "man" / "man3").iterdir()}
        reference = "".join(path.read_text(encoding="utf-8") for path in (self.folder / "docs-source" / "xml").glob("group__*.xml"))
        self.assertEqual([name for name in functions() if f"{name}.3" not in pages], [])
        self.assertEqual([name for name in functions() if f"<name>{name}</name>" not in reference], [])

    def test_aMistakeInACommentIsAnError(self):
        checkout = self.folder / "checkout"
        for name in (
            "docs/Doxyfile",
            "scripts/doxygen-filter",
            "scripts/require",
            "Makefile",
            "include/pinview.h",
            "include/pinview_binding.h",
        ):
            (checkout / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(ROOT / name, checkout / name)
        header = checkout / "include" / "pinview.h"
        header.write_text(header.read_text(encoding="utf-8").replace("@param parent ", "@param mother ", 1), encoding="utf-8")
        result = make_manual(self.folder / "build", checkout, check=False)
        self.assertNotEqual(result.returncode, 0, result.stdout)
        self.assertIn("mother", result.stdout)


if __name__ == "__main__":
    unittest.main()
