#!/usr/bin/env python3
"""Builds the site of the documentation. usage: build.py BUILD VERSION   (the Makefile calls it)

BUILD/docs-source/xml is what doxygen read in the headers, BUILD/docs-source/swift-graphs are the
symbol graphs of the Swift modules. The pages are assembled in BUILD/docs-source/pages and written
to BUILD/docs. A warning is an error.
"""

import os
import pathlib
import shutil
import subprocess
import sys

import c_pages
import guide
import python_pages
import sections
import swift_pages

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]

QUAKES = """# Earthquakes: pinned and unpinned views while another process writes

The example of `make demo`. It reads a feed of the USGS, then shows a pinned and an unpinned view while a second process
changes the store, and fails if the pinned view ever moves.

::::{tab-set}
:sync-group: language

:::{tab-item} C
:sync: c

```{literalinclude} %(root)s/Examples/quakes/quakes.c
:language: c
```
:::

:::{tab-item} Python
:sync: python

```{literalinclude} %(root)s/Examples/quakes/quakes.py
:language: python
```
:::
::::
"""


def main(build, version):
    assembled = build / "docs-source"
    pages = assembled / "pages"
    shutil.rmtree(pages, ignore_errors=True)
    pages.mkdir(parents=True)
    for picture in (ROOT / "docs").glob("*.svg"):
        shutil.copy(picture, pages / picture.name)
    guide.write(ROOT, pages)
    shutil.copy(HERE / "index.md", pages / "index.md")
    for old in (build / "docs").iterdir():
        if old.name != "man":
            shutil.rmtree(old) if old.is_dir() else old.unlink()
    (pages / "quakes.md").write_text(QUAKES % {"root": os.path.relpath(ROOT, pages)}, encoding="utf-8")
    c_pages.write(assembled / "xml", pages / "c", [ROOT / "include/pinview.h", ROOT / "include/pinview_binding.h"])
    swift_pages.write(assembled / "swift-graphs", pages / "swift")
    python_pages.write(pages / "python")
    sections.write(pages)
    environment = {
        **os.environ,
        "PINVIEW_SITE": str(HERE),
        "PINVIEW_SITE_VERSION": version,
        "PINVIEW_SITE_XML": str(assembled / "xml"),
    }
    command = [
        sys.executable,
        "-m",
        "sphinx",
        "-b",
        "html",
        "-q",
        "-j",
        "auto",
        "-W",
        "--keep-going",
        "-c",
        HERE,
        "-d",
        assembled / "doctrees",
    ]
    return subprocess.run([*command, pages, build / "docs"], env=environment, check=False).returncode


if __name__ == "__main__":
    sys.exit(main(pathlib.Path(sys.argv[1]).resolve(), sys.argv[2]))
