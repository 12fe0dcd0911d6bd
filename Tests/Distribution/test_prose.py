"""What users read names no codes of the project's tests, such as those of Tests/ledger.md: they
mean nothing to them.
"""

import ast
import re
import unittest

from support import BINDING_HEADER, HEADER, ROOT


def codes():
    """The kinds of codes, and others that were used before there was a ledger."""
    listed = re.findall(r"^- ([A-Z]+)-\d+ ", (ROOT / "Tests" / "ledger.md").read_text(encoding="utf-8"), flags=re.MULTILINE)
    return re.compile(rf"\b(?:{'|'.join(sorted({*listed, 'API', 'DEC'}))})-[A-Z]?\d{{2,3}}\b")


def public_documentation(path):
    """The documentation comments of a Swift file that belong to public declarations."""
    comment = []
    for line in path.read_text(encoding="utf-8").splitlines():
        text = line.strip()
        if text.startswith("///"):
            comment.append(text)
        elif not text.startswith("@") or re.match(r"(@\w+(\(.*?\))? )+(public|open)\b", text):
            if re.match(r"(@\w+(\(.*?\))? )*(public|open)\b", text):
                yield from comment
            comment = []


def docstrings(path):
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)):
            yield ast.get_docstring(node) or ""


class ProseForUsers(unittest.TestCase):
    def assertNamesNoCodes(self, texts):
        pattern = codes()
        found = [f"{path.relative_to(ROOT)}: {code}" for path, text in texts for code in pattern.findall(text)]
        self.assertEqual(found, [])

    def test_headersAndPages(self):
        pages = [HEADER, BINDING_HEADER, ROOT / "README.md", ROOT / "CHANGELOG.md", *(ROOT / "docs").glob("*.md")]
        self.assertNamesNoCodes((path, path.read_text(encoding="utf-8")) for path in pages)

    def test_documentationOfSwift(self):
        paths = sorted((ROOT / "Sources").rglob("*.swift"))
        self.assertNamesNoCodes((path, text) for path in paths for text in public_documentation(path))

    def test_docstringsOfPython(self):
        paths = sorted((ROOT / "bindings" / "python" / "pinview").rglob("*.py"))
        self.assertNamesNoCodes((path, text) for path in paths for text in docstrings(path))


if __name__ == "__main__":
    unittest.main()
