"""make docs: the static site of the documentation (issue 19, point 11)."""

import html.parser
import json
import os
import pathlib
import re
import shutil
import subprocess
import unittest
import urllib.parse

import browser

ROOT = pathlib.Path(__file__).resolve().parents[2]
BUILD = (ROOT / os.environ.get("BUILD", ".build")).resolve()
SITE = BUILD / "docs"


class Page(html.parser.HTMLParser):
    """The links, anchors and loaded files of a page."""

    def __init__(self, path):
        super().__init__()
        self.links, self.anchors, self.loaded = [], set(), []
        self.feed(path.read_text(encoding="utf-8"))

    def handle_starttag(self, tag, attributes):
        values = dict(attributes)
        self.anchors.update(value for key, value in attributes if key in ("id", "name") and value)
        if tag == "a" and values.get("href"):
            self.links.append(values["href"])
        if tag == "form" and values.get("action"):
            self.links.append(values["action"])
        if tag in ("script", "img", "iframe") and values.get("src"):
            self.loaded.append(values["src"])
        if tag == "link" and values.get("rel") in ("stylesheet", "icon") and values.get("href"):
            self.loaded.append(values["href"])


class Site(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        environment = {key: value for key, value in os.environ.items() if key not in ("MAKEFLAGS", "MAKELEVEL", "MFLAGS")}
        made = subprocess.run(
            ["make", "--no-print-directory", "docs", f"BUILD={BUILD}"],
            cwd=ROOT,
            env=environment,
            capture_output=True,
            text=True,
            check=False,
        )
        if made.returncode != 0:
            raise AssertionError(made.stdout[-3000:] + made.stderr[-3000:])
        cls.pages = {path.relative_to(SITE).as_posix(): Page(path) for path in SITE.rglob("*.html")}

    @staticmethod
    def target(page, link):
        """The page and the anchor that a link leads to; no page if it leads out of the site."""
        parts = urllib.parse.urlsplit(link)
        if parts.scheme or parts.netloc:
            return None, None
        path = os.path.normpath(os.path.join(os.path.dirname(page), urllib.parse.unquote(parts.path))) if parts.path else page
        return path, urllib.parse.unquote(parts.fragment)

    def test_linksAndAnchorsLeadSomewhere(self):
        broken = []
        for name, page in self.pages.items():
            for link in page.links:
                path, anchor = self.target(name, link)
                if path is None or link == "#":
                    continue
                if path in self.pages:
                    if anchor and anchor not in self.pages[path].anchors:
                        broken.append(f"{name}: {link} (no such anchor)")
                elif not (SITE / path).is_file():
                    broken.append(f"{name}: {link}")
        self.assertEqual(broken, [])

    def test_allPagesCanBeReachedFromTheFirst(self):
        seen, waiting = set(), ["index.html"]
        while waiting:
            name = waiting.pop()
            if name in seen or name not in self.pages:
                continue
            seen.add(name)
            waiting += [path for path, _ in (self.target(name, link) for link in self.pages[name].links) if path]
        self.assertEqual(sorted(set(self.pages) - seen), [])

    def test_nothingIsLoadedFromElsewhere(self):
        for name, page in self.pages.items():
            for link in page.loaded:
                path, _ = self.target(name, link)
                self.assertIsNotNone(path, f"{name} loads {link}")
                self.assertTrue((SITE / path).is_file(), f"{name} loads {link}")

    def test_theSearchKnowsNamesOfEachLanguageAndTheGuide(self):
        index = (SITE / "searchindex.js").read_text(encoding="utf-8")
        index = json.loads(index[index.index("{") : index.rindex("}") + 1])
        names = {entry[4] if isinstance(entry, list) else "" for entries in index["objects"].values() for entry in entries}
        found = {(prefix + "." if prefix else "") + str(entry[-1]) for prefix, entries in index["objects"].items() for entry in entries}
        for name in ("pinview_context_fetch", "pinview.Context.page", "ManagedObjectContext.setQueryGeneration(from:)"):
            self.assertTrue(any(each.endswith(name) for each in found), f"{name} is not in the search; it has {sorted(names)[:5]}")
        self.assertIn("undo", index["terms"])

    def test_programsOfThreeLanguagesAreInTabs(self):
        for name in ("start", "objects", "fetching", "history"):
            text = (SITE / f"{name}.html").read_text(encoding="utf-8")
            labels = re.findall(r'<label[^>]*data-sync-id="(\w+)"', text)
            self.assertGreater(len(labels), 2, name)
            self.assertEqual(labels, ["c", "python", "swift"] * (len(labels) // 3), name)

    def test_theSwiftArchiveHasTheArticles(self):
        """The Makefile fails if DocC warns of one, so that their links lead somewhere."""
        if shutil.which("docc") is None:
            self.skipTest("needs DocC")
        pages = BUILD / "docs-docc/Pinview.doccarchive/data/documentation"
        for name in ("coming-from-core-data", "coming-from-swiftdata", "coming-from-grdb", "concurrency", "generations"):
            page = json.loads((pages / f"pinview/{name}.json").read_text(encoding="utf-8"))
            code = [line for part in page["primaryContentSections"] for each in part["content"] for line in each.get("code", [])]
            self.assertTrue(any("import Pinview" in line for line in code), name)
            self.assertFalse(any("#include" in line or line.startswith("import pinview") for line in code), name)
        guide = json.loads((pages / "guide.json").read_text(encoding="utf-8"))
        self.assertIn("doc://pinview/documentation/PinviewTyped", guide["references"])

    def test_everyPageOfTheGuideIsThere(self):
        for path in (ROOT / "docs").glob("*.md"):
            self.assertIn(f"{path.stem}.html", self.pages)

    def test_pagesAreMadeForNarrowScreensAndDarkMode(self):
        text = (SITE / "index.html").read_text(encoding="utf-8")
        self.assertIn('name="viewport"', text)
        styles = "".join(path.read_text(encoding="utf-8") for path in SITE.rglob("*.css"))
        self.assertIn("prefers-color-scheme: dark", styles.replace("prefers-color-scheme:dark", "prefers-color-scheme: dark"))

    def test_aBrowserShowsAllPagesOnNarrowScreensAndInDarkMode(self):
        if browser.CHROMIUM is None:
            self.skipTest("needs Chromium")
        for dark in (False, True):
            shown = browser.seen(SITE, self.pages, 360, dark=dark)
            self.assertEqual(shown.keys(), self.pages.keys())
            for name, page in shown.items():
                with self.subTest(name, dark=dark):
                    self.assertLessEqual(page["width"], page["room"], "the page is wider than the screen")
                    self.assertEqual(page["missing"], [])
                    background, text = (sum(map(int, re.findall(r"\d+", page[each])[:3])) for each in ("background", "text"))
                    self.assertEqual(background < text, dark, (page["background"], page["text"]))
                    self.assertGreater(abs(background - text), 380, "the text can hardly be read")


if __name__ == "__main__":
    unittest.main()
