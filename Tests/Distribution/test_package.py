"""Package.swift, as other packages see it."""

import re
import unittest

from support import ROOT


class Products(unittest.TestCase):
    """Issue 19, point 5."""

    def setUp(self):
        manifest = (ROOT / "Package.swift").read_text(encoding="utf-8")
        self.products = re.findall(r'\.(?:library|executable)\(name: "([^"]+)"', manifest)

    def test_namesDoNotDifferByCaseOnly(self):
        """A file system that ignores case, and a reader, would confuse them."""
        self.assertIn("Pinview", self.products)
        self.assertEqual(len({name.lower() for name in self.products}), len(self.products), self.products)


if __name__ == "__main__":
    unittest.main()
