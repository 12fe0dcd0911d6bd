"""Settings of Sphinx for `make docs`. build.py assembles the folder of pages that these apply to."""

import os
import re
import sys

from docutils import nodes
from sphinx import addnodes

sys.path.insert(0, os.environ["PINVIEW_SITE"])

project = "Pinview"
version = release = os.environ["PINVIEW_SITE_VERSION"]
extensions = [
    "myst_parser",
    "sphinx.ext.autodoc",
    "sphinx.ext.napoleon",
    "sphinx_design",
    "sphinx_copybutton",
    "breathe",
    "python_types",
    "swift_domain",
]

html_theme = "furo"
html_title = f"Pinview {release}"
html_static_path = [os.environ["PINVIEW_SITE"] + "/static"]
html_css_files = ["pinview.css"]
html_show_sourcelink = False
html_show_copyright = False
html_domain_indices = False
html_copy_source = False
html_last_updated_fmt = None
html_theme_options = {"navigation_with_keys": True}
pygments_style = "friendly"
pygments_dark_style = "github-dark"

# Anchors of headings are the same as in the files of the repository, so that links work in both.
myst_heading_anchors = 4
myst_enable_extensions = ["colon_fence"]
# Cards and tabs are the site's, everything else is Markdown as other readers know it. "ref.python" is
# about types named like members.
suppress_warnings = ["myst.header", "misc.highlighting_failure", "ref.python"]

breathe_projects = {"pinview": os.environ["PINVIEW_SITE_XML"]}
breathe_default_project = "pinview"
breathe_domain_by_extension = {"h": "c"}
breathe_show_include = False

default_role = "code"
autodoc_member_order = "bysource"
autodoc_typehints = "signature"
autodoc_typehints_format = "short"
autodoc_preserve_defaults = True
autodoc_inherit_docstrings = True
python_use_unqualified_type_names = True
python_maximum_signature_line_length = 88
c_maximum_signature_line_length = 88
napoleon_google_docstring = True
napoleon_numpy_docstring = False
toc_object_entries_show_parents = "hide"


SECTION = re.compile(r"\s*(Args|Arguments|Attributes|Keyword Args|Raises|Returns|Yields):$")
NAMED = re.compile(r"(?<![`:\w])`(~?[A-Za-z_][\w.]*)(\(\))?`(?![`_\w])")


def prepare(app, what, name, obj, options, lines):
    """Docstrings as text that Sphinx reads as it is meant.

    Indented blocks are programs, not quotations; what stands between single backticks is code, and
    a link if it is the name of something public. (As a default role, py:obj would search all names
    for each of them: a minute's work.)
    """
    titled = [re.sub(r"^For (\S+):$", r"For `\1`:\n\nAttributes:", line) for line in lines]
    lines[:] = [part for line in titled for part in line.split("\n")]
    marked, in_section = [], False
    for index, line in enumerate(lines):
        in_section = bool(SECTION.match(line)) or in_section and (not line.strip() or line.startswith("    "))
        indent, outer = (len(each) - len(each.lstrip()) for each in (line, _before(lines, index)))
        begins = line.strip() and not in_section and index and not lines[index - 1].strip() and indent >= outer + 4
        if begins and not re.match(r"\s*([-*:]|\d+\.)\s", _before(lines, index)) and not _before(lines, index).endswith("::"):
            marked += [" " * outer + "::", ""]
        marked.append(NAMED.sub(_linked, line))
    lines[:] = marked
    app.pinview_lines = list(lines)


def restore(app, what, name, obj, options, lines):
    """Napoleon takes what stands before the first colon of a property's docstring for its type."""
    if what in ("property", "attribute", "data"):
        lines[:] = app.pinview_lines


def _before(lines, index):
    return next((each for each in reversed(lines[:index]) if each.strip()), "")


def _linked(found):
    path = found[1].removeprefix("pinview.")
    value = __import__("pinview")
    for part in path.split("."):
        value = getattr(value, part, None)
    shown = found[1] + (found[2] or "")
    return f"`{shown}`" if value is None or path in ("columns", "history") else f":py:obj:`{shown} <pinview.{path}>`"


def lean_navigation(app, pagename, templatename, context, doctree):
    """The tree at the side needs the titles of pages only; copying the members of all pages for
    each page, to leave them out afterwards, would take a minute.
    """
    whole_tree = context.get("toctree")
    if whole_tree is None:
        return
    if not hasattr(app, "pinview_titles"):
        app.pinview_titles = {name: _title_only(toc) for name, toc in app.env.tocs.items()}

    def tree(**options):
        tocs, app.env.tocs = app.env.tocs, app.pinview_titles
        try:
            return whole_tree(**options)
        finally:
            app.env.tocs = tocs

    context["toctree"] = tree


def _title_only(toc):
    """The table of contents of a page without its members, but with the pages beneath it."""
    copied = toc.deepcopy()
    for item in list(copied.findall(nodes.list_item)):
        if item.parent is not copied and next(item.findall(addnodes.toctree), None) is None:
            item.parent.remove(item)
    for items in [each for each in copied.findall(nodes.bullet_list) if not each.children and each.parent is not None]:
        items.parent.remove(items)
    return copied


def setup(app):
    app.connect("autodoc-process-docstring", prepare, priority=100)
    app.connect("autodoc-process-docstring", restore, priority=900)
    app.connect("html-page-context", lean_navigation, priority=100)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
