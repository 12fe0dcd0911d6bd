// Pinview from Rust. The declarations are written by rust_declarations.py from include/pinview.json:
//     python3 rust_declarations.py ../../include/pinview.json >pinview.rs && rustc people.rs -l pinview
#![allow(dead_code, non_camel_case_types, non_upper_case_globals)]
use std::ffi::{CStr, CString};
use std::ptr::null_mut;

include!("pinview.rs");

const MODEL: &str = r#"{"entities": [{"name": "Person", "attributes": [
    {"name": "name", "type": "string"}, {"name": "age", "type": "integer64"}]}]}"#;

fn check(status: pinview_status) {
    if status == PINVIEW_OK {
        return;
    }
    let message = unsafe { CStr::from_ptr(pinview_error_message(pinview_error_last()).data) };
    eprintln!("{}", message.to_string_lossy());
    std::process::exit(1);
}

fn text(value: &str) -> CString {
    CString::new(value).expect("no NUL byte")
}

fn insert(context: *mut pinview_context, name: &str, age: i64) {
    let (entity, name_key, age_key, value) = (text("Person"), text("name"), text("age"), text(name));
    unsafe {
        let values = [
            pinview_named(name_key.as_ptr(), pinview_value_text(value.as_ptr())),
            pinview_named(age_key.as_ptr(), pinview_value_integer(age)),
        ];
        check(pinview_insert(context, entity.as_ptr(), values.as_ptr(), values.len(), null_mut(), null_mut()));
    }
}

fn main() {
    let (model, entity, format, sort) = (text(MODEL), text("Person"), text("age >= %d"), text("-age"));
    let (name_key, age_key) = (text("name"), text("age"));
    let (mut context, mut people, mut person, mut index) = (null_mut(), null_mut(), null_mut(), 0u64);
    unsafe {
        check(pinview_open(model.as_ptr(), null_mut(), null_mut(), 0, &mut context, null_mut()));
        insert(context, "Ada", 36);
        insert(context, "Bob", 12);
        insert(context, "Cleo", 20);
        check(pinview_context_save(context, null_mut()));
        let least = pinview_value_integer(18);
        check(pinview_fetch(context, entity.as_ptr(), format.as_ptr(), &least, 1, sort.as_ptr(), &mut people, null_mut()));
        while pinview_next(people, &mut index, &mut person, null_mut()) == 1 {
            let name = CStr::from_ptr(pinview_get_text(person, name_key.as_ptr(), null_mut(), null_mut()));
            println!("{}\t{}", name.to_string_lossy(), pinview_get_integer(person, age_key.as_ptr(), 0, null_mut()));
        }
        pinview_result_release(people);
        pinview_context_release(context);
    }
}
