"""A Sphinx domain for Swift: symbols with permanent links, which the search and `{swift:sym}` find."""

import re
from typing import ClassVar

from docutils import nodes
from docutils.parsers.rst import directives
from sphinx import addnodes
from sphinx.directives import ObjectDescription
from sphinx.domains import Domain, ObjType
from sphinx.roles import XRefRole
from sphinx.util.nodes import make_refnode


class SwiftSymbol(ObjectDescription):
    """A declaration. The argument is the path of the symbol, such as `ManagedObjectContext.save()`."""

    option_spec: ClassVar = {
        **ObjectDescription.option_spec,
        "declaration": directives.unchanged_required,
        "anchor": directives.unchanged_required,
    }

    def get_signatures(self):
        return [self.arguments[0]]

    def handle_signature(self, sig, signode):
        signode["swift_path"] = sig
        name = addnodes.desc_name()
        for part in re.split(r"(\w+)", self.options["declaration"]):
            if re.fullmatch(r"[A-Z]\w+", part):
                link = addnodes.pending_xref("", refdomain="swift", reftype="sym", reftarget=part, refwarn=False)
                link += nodes.Text(part)
                name += link
            elif part:
                name += nodes.Text(part)
        signode += name
        return sig

    def add_target_and_index(self, name, sig, signode):
        signode["ids"].append(self.options["anchor"])
        self.state.document.note_explicit_target(signode)
        self.env.get_domain("swift").note(name, self.env.docname, self.options["anchor"])

    def _object_hierarchy_parts(self, sig_node):
        return tuple(re.split(r"\.(?![^(]*\))", sig_node["swift_path"]))

    def _toc_entry_name(self, sig_node):
        return self._object_hierarchy_parts(sig_node)[-1]


class SwiftDomain(Domain):
    name = "swift"
    label = "Swift"
    object_types: ClassVar = {"symbol": ObjType("symbol", "sym")}
    directives: ClassVar = {"symbol": SwiftSymbol}
    roles: ClassVar = {"sym": XRefRole()}
    initial_data: ClassVar = {"symbols": {}}

    @property
    def symbols(self):
        return self.data["symbols"]

    def note(self, path, document, anchor):
        self.symbols.setdefault(path, (document, anchor))

    def clear_doc(self, document):
        for path in [path for path, found in self.symbols.items() if found[0] == document]:
            del self.symbols[path]

    def merge_domaindata(self, documents, other):
        for path, found in other["symbols"].items():
            if found[0] in documents:
                self.symbols.setdefault(path, found)

    def resolve_xref(self, env, fromdocname, builder, kind, target, node, contnode):
        found = self.symbols.get(target)
        return found and make_refnode(builder, fromdocname, found[0], found[1], contnode, target)

    def resolve_any_xref(self, env, fromdocname, builder, target, node, contnode):
        found = self.resolve_xref(env, fromdocname, builder, "sym", target, node, contnode)
        return [("swift:sym", found)] if found is not None else []

    def get_objects(self):
        for path, (document, anchor) in self.symbols.items():
            yield path, path, "symbol", document, anchor, 1


def setup(app):
    app.add_domain(SwiftDomain)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
