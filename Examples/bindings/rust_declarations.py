"""Writes Rust's declarations of the C interface from include/pinview.json, as an example of what
the description is for.

usage: rust_declarations.py pinview.json >pinview.rs
"""

import json
import sys

SCALARS = {
    "char": "std::ffi::c_char",
    "int": "std::ffi::c_int",
    "double": "f64",
    "size_t": "usize",
    "void": "std::ffi::c_void",
    **{f"int{bits}_t": f"i{bits}" for bits in (8, 16, 32, 64)},
    **{f"uint{bits}_t": f"u{bits}" for bits in (8, 16, 32, 64)},
}
KEYWORDS = {"as", "box", "in", "match", "ref", "self", "type", "use", "where"}


def named(name):
    return f"r#{name}" if name in KEYWORDS - {"self"} else "this" if name == "self" else name


def rust(kind):
    if kind["name"] == "function":
        return function_type(kind)
    made = SCALARS.get(kind["name"], kind["name"])
    for level in range(kind["pointers"]):
        made = f"*{'const' if level == 0 and kind.get('const') else 'mut'} {made}"
    return f"[{made}; {kind['length']}]" if "length" in kind else made


def result(function):
    is_void = function["result"]["name"] == "void" and function["result"]["pointers"] == 0
    return "" if is_void else f" -> {rust(function['result'])}"


def parameters(function):
    return ", ".join(f"{named(each['name'])}: {rust(each['type'])}" for each in function["parameters"])


def function_type(function):
    return f'Option<unsafe extern "C" fn({parameters(function)}){result(function)}>'


def lines(description):
    for each in description["constants"]:
        kind, value = each["type"], each["value"]
        if kind == "string":
            yield f"pub const {each['name']}: &str = {json.dumps(value)};"
        else:
            yield f"pub const {each['name']}: {SCALARS.get(kind, kind)} = {value};"
    for each in description["types"]:
        name = each["name"]
        if each["kind"] == "handle":
            yield f"#[repr(C)] pub struct {name} {{ private: [u8; 0] }}"
        elif each["kind"] in ("alias", "enumeration"):
            yield f"pub type {name} = {SCALARS.get(each['type'], each['type'])};"
        elif each["kind"] == "callback":
            yield f"pub type {name} = {function_type(each)};"
        else:
            fields = ", ".join(f"pub {named(field['name'])}: {rust(field['type'])}" for field in each["fields"])
            yield f"#[repr(C)] #[derive(Clone, Copy)] pub {each['kind']} {name} {{ {fields} }}"
            yield f"const _: () = assert!(std::mem::size_of::<{name}>() == {each['size']});"
    yield 'unsafe extern "C" {'
    for each in description["functions"]:
        yield f"    pub fn {each['name']}({parameters(each)}){result(each)};"
    yield "}"


if __name__ == "__main__":
    with open(sys.argv[1], encoding="utf-8") as file:
        print("\n".join(lines(json.load(file))))
