"""Pages of the C reference, one for each group of the headers, from what doxygen read in them."""

import pathlib
import re
import xml.etree.ElementTree as ET


def write(xml, folder, headers):
    """Writes the pages and returns the groups that they show."""
    folder.mkdir(parents=True)
    order = [name for header in headers for name in re.findall(r"@defgroup ([\w-]+)", pathlib.Path(header).read_text(encoding="utf-8"))]
    titles = {}
    for path in xml.glob("group__*.xml"):
        group = ET.parse(path).getroot().find("compounddef")
        titles[group.findtext("compoundname")] = group.findtext("title")
    for name in order:
        title = titles[name]
        out = [title, "=" * len(title), "", f".. doxygengroup:: {name}", "   :content-only:", "   :members:", ""]
        (folder / f"{name.removeprefix('pinview-')}.rst").write_text("\n".join(out), encoding="utf-8")
    index = ["C", "=", "", ".. doxygenpage:: index", "   :content-only:", "", ".. toctree::", "   :maxdepth: 1", ""]
    index += [f"   {name.removeprefix('pinview-')}" for name in order] + [""]
    (folder / "index.rst").write_text("\n".join(index), encoding="utf-8")
    return order
