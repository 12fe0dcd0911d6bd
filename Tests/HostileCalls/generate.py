"""Writes calls.inc: for each function of the headers a call with random arguments, for each of its
structs a filler, for each of its callbacks a function that calls on; and kinds.inc: the kinds of
handles and the texts of the header. A function that is new in the header is in it at once. usage:
generate.py FOLDER pinview.h pinview_binding.h
"""

import pathlib
import re
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "C"))
from generate_misuse import KINDS, STRUCT_OF_SIZE, Header, c_type, declarations, handle_kind, read_headers

# What only the thread uses that made it: everything that belongs to a context.
OF_ONE_THREAD = {
    "buffer",
    "container",
    "context",
    "weak_context",
    "object",
    "object_block",
    "weak_object",
    "result",
    "results_controller",
    "observer",
    "undo_manager",
    "merge",
    "fetch_template",
    "model_builder",
    "sql_cursor",
}
# Switches of the process that would make all other calls pointless: they are put back.
SWITCHES = {"pinview_set_concurrency_debug": "0"}
# Structs with unions, and those that are views: made by hand in calls.c.
BY_HAND = {"pinview_value", "pinview_value_list", "pinview_string", "pinview_binary", "pinview_value_contents"}
SCALARS = ("int32_t", "uint32_t", "int64_t", "uint64_t", "double")
# Fields with the size of the elements of an array, which the caller has to tell truly.
ELEMENT_OF_SIZE = {
    "sort_descriptor_size": "pinview_sort_descriptor",
    "property_size": "pinview_named_expression",
    "expression_size": "pinview_named_expression",
}
# Elements of an array that a call reads or fills; counts of the caller are at most this, or beyond
# all.
ROOM = 64


def structs(text):
    """Struct by struct: its fields in order, as (type, name)."""
    text = re.sub(r"/\*.*?\*/", "", text, flags=re.DOTALL)
    found = {}
    for name, body in re.findall(r"typedef struct (pinview_\w+) \{\n(.*?)\n\} \1;", text, flags=re.DOTALL):
        fields = []
        for field in body.split(";"):
            field = re.sub(r"\s+", " ", field).strip()
            if field:
                kind, field_name = re.match(r"(.*?[ *])(\w+)(?:\[\d+\])?$", field).groups()
                fields.append((kind.replace(" ", ""), field_name))
        found[name] = fields
    return found


def callbacks(text):
    text = re.sub(r"/\*.*?\*/", "", text, flags=re.DOTALL)
    for result, name, arguments in re.findall(r"typedef (\w+) \(\*(pinview_\w+)\)\((.*?)\);", text, flags=re.DOTALL):
        parameters = []
        for argument in re.sub(r"\s+", " ", arguments).split(","):
            kind, parameter = re.match(r"(.*?[ *])(\w+)$", argument.strip()).groups()
            parameters.append((kind.strip(), parameter))
        yield result, name, parameters


class Writer:
    def __init__(self, text):
        self.structs = structs(text)
        self.callbacks = list(callbacks(text))
        self.callback_names = {name for _, name, _ in self.callbacks}

    def array(self, kind):
        """An expression for an array of ROOM elements that a call reads, of what `kind` points to;
        None if there is no such thing.
        """
        found = re.fullmatch(r"(?:const)?pinview_(\w+)\*const\*", kind)
        if found and found[1] in KINDS:
            return f"r_handles(scene, KIND_{found[1]})"
        if kind == "constpinview_value*const*":
            return "r_columns(scene)"
        found = re.fullmatch(r"const(\w+)\*", kind)
        if not found:
            return None
        element = found[1]
        if element in SCALARS:
            return f"r_{element}(scene)"
        if element in self.structs or element in BY_HAND:
            return f"r_array_{element}(scene)"
        return None

    def field(self, kind, name, place):
        """Statements that fill a field, or an element, of a struct."""
        of = handle_kind(kind)
        if of:
            return f"{place} = r_handle(scene, KIND_{of});"
        if kind in SCALARS:
            if name == "struct_size":
                return f"{place} = r_struct_size(scene, sizeof *made);"
            pick = "r_timeout" if "timeout" in name else f"*r_{kind}"
            return f"{place} = {pick}(scene);"
        if kind == "size_t":
            return f"{place} = r_count(scene);"
        if kind in self.callback_names:
            return f"{place} = one_in(scene, 3) ? NULL : answer_{kind};"
        if kind == "pinview_string":
            return f'{place} = r_string_for(scene, "{name}");'
        if kind == "void*":
            return f"{place} = r_room(scene);"
        if kind in self.structs:
            return f"fill_{kind}(scene, &{place});"
        if array := self.array(kind):
            return f"{place} = one_in(scene, 6) ? NULL : {array};"
        return f"memset(&{place}, 0, sizeof {place});"

    def fillers(self):
        lines = []
        made = [name for name in self.structs if name not in BY_HAND]
        for name in made:
            lines.append(f"static void fill_{name}(scene_t *scene, {name} *made);")
        for element in [*made]:
            lines.append(f"static {element} *r_array_{element}(scene_t *scene);")
        for result, name, parameters in self.callbacks:
            arguments = ", ".join(f"{kind}{'' if kind.endswith('*') else ' '}{parameter}" for kind, parameter in parameters)
            lines.append(f"static {result} answer_{name}({arguments});")
        for name in made:
            lines.append(f"static void fill_{name}(scene_t *scene, {name} *made) {{\n    memset(made, 0, sizeof *made);")
            for kind, field in self.structs[name]:
                often = "" if field in ("struct_size", "entity", "name", "result_type") or kind == "size_t" else "if (!one_in(scene, 3)) "
                if kind == "int32_t" and field in ("result_type", "merge_policy"):
                    lines.append(f"    made->{field} = (int32_t)(*r_uint32_t(scene) % 6);")
                elif field in ELEMENT_OF_SIZE:
                    lines.append(f"    if (one_in(scene, 2)) made->{field} = sizeof({ELEMENT_OF_SIZE[field]}) + 8 * one_in(scene, 8);")
                elif field in ("reserved", "flags", "limits"):
                    lines.append(f"    if (one_in(scene, 4)) made->{field} = *r_uint32_t(scene) % 64;")
                else:
                    lines.append(f"    {often}{self.field(kind, field, 'made->' + field)}")
            lines.append("}")
            lines.append(
                f"static {name} *r_array_{name}(scene_t *scene) {{\n    {name} *array = scratch(scene, {ROOM} * sizeof *array + 4096);\n"
                f"    for (int index = 0; index < 4; index++) fill_{name}(scene, array + index);\n"
                f"    for (int index = 4; index < {ROOM}; index++) array[index] = array[index % 4];\n    return array;\n}}"
            )
        return lines

    def answers(self):
        lines = []
        for result, name, parameters in self.callbacks:
            arguments = ", ".join(f"{kind}{'' if kind.endswith('*') else ' '}{parameter}" for kind, parameter in parameters)
            lines.append(f"static {result} answer_{name}({arguments}) {{")
            for kind, parameter in parameters:
                of = handle_kind(kind.replace(" ", ""))
                lines.append(f"    note_borrowed(KIND_{of}, {parameter});" if of else f"    (void){parameter};")
            # In the middle of a statement every call is refused: a few of them do.
            seldom = "if (one_in(own_scene(), 100)) " if name in ("pinview_log_callback", "pinview_interrupt_callback") else ""
            lines.append(
                f"    {seldom}call_on({int(name == 'pinview_free_callback')}, {'userdata' if name == 'pinview_free_callback' else 'NULL'});"
            )
            if name == "pinview_next_row_callback":
                lines.append("    for (size_t index = 0; index < count; index++) values[index] = *r_array_pinview_value(own_scene());")
                lines.append("    *has_row = !one_in(own_scene(), 4);")
            if result == "pinview_status":
                lines.append("    return r_status(own_scene());")
            elif result != "void":
                lines.append("    return one_in(own_scene(), 8);")
            lines.append("}")
        return lines

    def call(self, result, name, parameters):
        lines = [f"static void call_{name}(scene_t *scene) {{\n    (void)scene;"]
        arguments, after = [], []
        has_count = any(kind == "size_t" for kind, _ in parameters)
        has_room = any(parameter == "count" for _, parameter in parameters)
        has_error = any(kind == "pinview_error**" for kind, _ in parameters)
        if has_error:
            lines.append("    pinview_error *error = NULL, **error_place = one_in(scene, 5) ? NULL : &error;")
        for kind, parameter in parameters:
            of = handle_kind(kind)
            found = re.fullmatch(r"(\w+\*?)\*", kind)
            if parameter == "error" and kind == "pinview_error**":
                arguments.append("error_place")
            elif of:
                lines.append(f"    void *in_{parameter} = r_handle(scene, KIND_{of});")
                arguments.append(f"in_{parameter}")
            elif kind == "size_t" and parameter != "struct_size":
                arguments.append("r_count(scene)")
            elif kind == "size_t" and has_room:  # of the elements of an array
                arguments.append(f"sizeof({STRUCT_OF_SIZE[name]}) + 8 * one_in(scene, 8)")
            elif kind == "size_t":
                arguments.append(f"r_struct_size(scene, sizeof({STRUCT_OF_SIZE[name]}))")
            elif kind == "constchar*":
                arguments.append(f'c_text(scene, r_string_for(scene, "{parameter}"))')
            elif kind == "pinview_status":
                arguments.append("r_status(scene)")
            elif kind in SCALARS:
                pick = "r_timeout" if "timeout" in parameter else f"*r_{kind}"
                arguments.append(f"{pick}(scene)")
            elif kind == "pinview_string":
                arguments.append(f'r_string_for(scene, "{parameter}")')
            elif kind == "pinview_binary":
                arguments.append("r_binary(scene)")
            elif kind in self.callback_names:
                arguments.append(f"(one_in(scene, 4) ? NULL : answer_{kind})")
            elif kind == "void*":
                arguments.append("r_userdata(scene)")
            elif array := self.array(kind):
                variable = f"in_{parameter}"
                lines.append(f"    void *{variable} = one_in(scene, 8) ? NULL : (void *){array};")
                arguments.append(f"({c_type(kind)}){variable}")
                if name == "pinview_objects_release":
                    after.append(f"    forget_all(scene, KIND_object, {variable});")
            elif found:
                element = re.sub(r"^struct(?=[A-Z])|^const(?=pinview)", r"\g<0> ", found[1]).replace("*", " *")
                size = f"{ROOM * ROOM + 8} * sizeof({element})" if has_count else f"sizeof({element}) + 4096"
                lines.append(f"    {element}{'' if element.endswith('*') else ' '}*out_{parameter} = scratch(scene, {size});")
                if found[1] in self.structs and self.structs[found[1]][0][1] == "struct_size":
                    lines.append(f"    fill_{found[1]}(scene, out_{parameter});")
                arguments.append(f"(one_in(scene, 12) ? NULL : out_{parameter})")
                owned = re.fullmatch(r"pinview_(\w+)\*", found[1])
                if owned and owned[1] in KINDS:
                    count = (
                        ROOM
                        if has_count and parameter != "out" or parameter == "out" and name.endswith(("_objects", "_related_object_at"))
                        else 1
                    )
                    after.append(f"    own_all(scene, KIND_{owned[1]}, (void **)out_{parameter}, {count});")
                    if parameter == "out" and result == "pinview_status":
                        after.append(f'    if (status != PINVIEW_OK && *out_{parameter} != NULL) broken("{name} failed with {parameter}");')
                elif found[1] == "pinview_object_row":
                    after.append(f"    own_all(scene, KIND_object_block, (void **)&out_{parameter}->block, 1);")
                elif found[1] == "structArrowArrayStream":
                    after.append(f"    read_stream(scene, out_{parameter});")
            else:
                raise SystemExit(f"{name}: nothing is known of '{kind} {parameter}'")
        call = f"{name}({', '.join(arguments)})"
        if result == "void":
            lines.append(f"    {call};")
        elif result == "pinview_string":
            lines.append(f"    look_at(scene, {call});")
        else:
            lines.append(f"    {'pinview_status status' if result == 'pinview_status' else c_type(result) + ' status'} = {call};")
            if result != "pinview_status":
                lines.append("    (void)status;")
        if result == "pinview_status":
            lines.append(f'    note_call("{name}", status, {"error_place" if has_error else "NULL"});')
            handles = [(parameter, handle_kind(kind)) for kind, parameter in parameters if handle_kind(kind)]
            if name.endswith("_release") and handles:
                lines.append(f"    if (status == PINVIEW_OK) forget(scene, KIND_{handles[0][1]}, in_{handles[0][0]});")
            if name.endswith("_retain") and handles:
                lines.append(f"    if (status == PINVIEW_OK) (void)pinview_{handles[0][1]}_release(in_{handles[0][0]});")
        if name in SWITCHES:
            after.append(f"    {name}({SWITCHES[name]});")
        lines += after
        if has_error:
            lines.append("    if (error != NULL) own_all(scene, KIND_error, (void **)&error, 1);")
        lines.append("}")
        return lines


def main():
    header = Header(read_headers(sys.argv[2:]))
    writer = Writer(header.plain(header.text))
    functions = list(declarations(header.text))
    folder = pathlib.Path(sys.argv[1])
    (folder / "kinds.inc").write_text("\n".join(kinds(header.text)) + "\n", encoding="utf-8")
    lines = ["/* Written by generate.py from the headers. */", *writer.fillers(), *writer.answers()]
    for function in functions:
        lines += writer.call(*function)
    lines.append("static const call_t calls[] = {")
    for _, name, parameters in functions:
        taken = {handle_kind(kind) for kind, _ in parameters}
        given = {found[1] for kind, _ in parameters if (found := re.fullmatch(r"pinview_(\w+)\*\*", kind))}
        lines.append(f'    {{"{name}", call_{name}, {int(not (taken | given) & OF_ONE_THREAD)}, {int(name.endswith("_release"))}}},')
    lines.append("};")
    (folder / "calls.inc").write_text("\n".join(lines) + "\n", encoding="utf-8")


def kinds(text):
    yield "enum { " + ", ".join(f"KIND_{kind}" for kind in KINDS) + ", kind_count };"
    yield "static const int is_of_one_thread[kind_count] = {" + ", ".join(str(int(kind in OF_ONE_THREAD)) for kind in KINDS) + "};"
    for verb in ("retain", "release"):
        yield f"static pinview_status {verb}_handle(int kind, void *handle) {{\n    switch (kind) {{"
        for kind in KINDS:
            yield f"    case KIND_{kind}: return pinview_{kind}_{verb}(handle);"
        yield "    default: return PINVIEW_OK;\n    }\n}"
    yield "static const char *const header_texts[] = {"
    for found in sorted(set(re.findall(r'#define PINVIEW_\w+ ("[^"\n]*")', text))):
        yield f"    {found},"
    yield "};"


if __name__ == "__main__":
    main()
