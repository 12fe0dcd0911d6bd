"""Writes misuse.c: calls of every function of the headers with what no caller may give (ERR-05).

Each function is called with all arguments good but one: a handle that is NULL, released, of another
kind or random bits; a NULL place for a result; a text that is not UTF-8; a struct of an impossible
size, or of a later version of the header with a field set that this one lacks; a flag that no
constant stands for; a reserved number that is not 0; a count or a size that no program can mean.
usage: generate_misuse.py pinview.h pinview_binding.h > misuse.c
"""

import re
import sys

KINDS = [
    "error",
    "buffer",
    "model_builder",
    "model",
    "entity",
    "coordinator",
    "store",
    "container",
    "token",
    "context",
    "weak_context",
    "object",
    "object_block",
    "weak_object",
    "object_id",
    "result",
    "predicate",
    "observer",
    "notification",
    "merge",
    "journal_report",
    "undo_manager",
    "history_token",
    "history",
    "expression",
    "difference",
    "fetch_template",
    "results_controller",
    "asynchronous_fetch",
    "sql_cursor",
]

# Handles that may be NULL, by function and parameter.
NULL_IS_LEGAL = {
    (
        "pinview_context_set_coordinator",
        "coordinator",
    ),  # tested in contexts.c: COORDINATOR_NIL
    ("pinview_context_set_parent", "parent"),
    ("pinview_context_set_query_generation", "token"),
    ("pinview_observe", "context"),
    ("pinview_context_set_undo_manager", "manager"),
    ("pinview_coordinator_difference", "new_generation"),
    ("pinview_context_values", "buffer"),
    ("pinview_coordinator_export", "token"),
    ("pinview_coordinator_export", "store"),
    ("pinview_coordinator_query_sql", "token"),
    ("pinview_coordinator_query_sql", "store"),
    ("pinview_context_query_sql", "store"),
}
# Places for a result that may be NULL.
PLACE_IS_OPTIONAL = {
    ("pinview_coordinator_add_store", "out"),
    ("pinview_coordinator_add_migrated_store", "out"),
    ("pinview_context_insert_new_object", "out"),
    ("pinview_context_insert_objects", "out"),
    ("pinview_context_batch_update", "out"),
    ("pinview_context_batch_insert", "out"),
    ("pinview_context_upsert", "out"),
    ("pinview_result_row_counts", "inserted"),
    ("pinview_result_row_counts", "updated"),
    ("pinview_result_row_counts", "left"),
    ("pinview_context_batch_delete", "out"),
    ("pinview_context_delete_history", "out"),
    ("pinview_main_queue_drain", "count"),
    ("pinview_asynchronous_fetch_progress", "rows"),
    ("pinview_asynchronous_fetch_progress", "total"),
    ("pinview_insert", "out"),
    ("pinview_difference_changes", "changes"),
    ("pinview_difference_changes", "object_ids"),
}
# What functions without a status give for a handle that is not good; absent texts, NULL and 0 are
# not listed.
FAILURE = {
    "pinview_context_concurrency_type": -1,
    "pinview_context_merge_policy": -1,
    "pinview_context_query_generation_state": -1,
    "pinview_context_get_option": -1,
    "pinview_context_staleness_interval": -1,
    "pinview_context_timeout": -1,
    "pinview_result_get_type": -1,
}

PROLOGUE = """/* Written by generate_misuse.py from the headers. */
#include <string.h>

#include "pinview_binding.h"
#include "support.h"
#include "topics.h"

typedef struct {
HANDLE_FIELDS
} good_handles;

static good_handles good;
static data_stack stack;
static pinview_observer *keeper;

static pinview_status run_nothing(pinview_context *context, void *userdata) {
    (void)context;
    (void)userdata;
    return PINVIEW_OK;
}

static void keep_notification(const pinview_notification *notification, void *userdata) {
    (void)userdata;
    if (good.notification != NULL) return;
    good.notification = (pinview_notification *)notification;
    pinview_notification_retain(good.notification);
}

static pinview_status keep_merge(pinview_merge *merge, void *userdata) {
    (void)userdata;
    if (good.merge == NULL && pinview_merge_retain(merge) == PINVIEW_OK) good.merge = merge;
    return pinview_merge_set_policy(merge, 0, PINVIEW_MERGE_POLICY_ROLLBACK, NULL);
}

/* A save with a conflict, which only a merge policy can tell of. */
static void make_conflict(void) {
    pinview_context *other = context_on(&stack);
    pinview_object *mine = insert_object(good.context, "Car", "disputed"), *theirs = NULL;
    save(good.context);
    theirs = one_named(other, "Car", "disputed");
    set_text(theirs, "name", "changed");
    set_text(mine, "name", "other");
    save(good.context);
    OK(pinview_context_set_merge_callback(other, keep_merge, NULL, NULL, ERROR));
    save(other);
    REQUIRE(good.merge != NULL);
    pinview_object_release(mine);
    pinview_object_release(theirs);
    pinview_context_release(other);
}

/* A template, which has to be set before a coordinator uses its model, and a results controller. */
static void make_results(void) {
    pinview_model *model = NULL;
    pinview_fetch_request request;
    const pinview_sort_descriptor by_name = {TEXT("name"), 0, 0};
    OK(pinview_model_create_from_json(TEXT(people_json), &model, ERROR));
    OK(pinview_fetch_request_init(&request, sizeof request, TEXT("Person"), ERROR));
    OK(pinview_model_set_fetch_request_template(model, TEXT("good"), &request, ERROR));
    OK(pinview_model_fetch_request_template(model, TEXT("good"), &good.fetch_template, ERROR));
    pinview_model_release(model);
    request.sort_descriptors = &by_name;
    request.sort_descriptor_count = 1;
    OK(pinview_results_controller_create(good.context, &request, pinview_absent(), &good.results_controller, ERROR));
    OK(pinview_results_controller_perform_fetch(good.results_controller, ERROR));
}

static void free_nothing(void *userdata) { (void)userdata; }
static void hear_nothing(void *userdata) { (void)userdata; }

static void hear_consumer(pinview_string name, const pinview_history_token *token, void *userdata) {
    (void)name;
    (void)token;
    (void)userdata;
}

static void hear_change(const pinview_remote_change *change, void *userdata) {
    (void)change;
    (void)userdata;
}

/* A good handle of every kind. */
static void set_up(void) {
    memset(&good, 0, sizeof good);
    stack = stack_open_with("misuse.sqlite", PINVIEW_STORE_OPTION_HISTORY_TRACKING, pinview_value_boolean(1));
    good.model = stack.model;
    good.coordinator = stack.coordinator;
    good.store = stack.store;
    good.context = context_on(&stack);
    OK(pinview_observe(TEXT(PINVIEW_DID_SAVE_NOTIFICATION), good.context, keep_notification, NULL, NULL, &keeper, ERROR));
    good.object = insert_object(good.context, "Person", "good");
    save(good.context);
    REQUIRE(good.notification != NULL);
    OK(pinview_observer_remove(keeper, ERROR));
    make_conflict();
    pin(good.context);
    good.result = fetch_named(good.context, "Person", NULL);
    OK(pinview_context_query_generation(good.context, &good.token, ERROR));
    OK(pinview_object_get_id(good.object, &good.object_id, ERROR));
    OK(pinview_object_entity(good.object, &good.entity, ERROR));
    OK(pinview_object_get_weak(good.object, &good.weak_object, ERROR));
    OK(pinview_context_get_weak(good.context, &good.weak_context, ERROR));
    OK(pinview_buffer_create(&good.buffer, ERROR));
    OK(pinview_undo_manager_create(&good.undo_manager, ERROR));
    OK(pinview_model_builder_create(&good.model_builder, ERROR));
    OK(pinview_container_create(TEXT("misuse"), stack.model, pinview_absent(), NULL, 0, &good.container, ERROR));
    OK(pinview_error_create(TEXT("misuse"), 100, TEXT("good"), NULL, NULL, &good.error, ERROR));
    OK(pinview_coordinator_journal_report(good.coordinator, &good.journal_report, ERROR));
    OK(pinview_coordinator_history_token(good.coordinator, &good.history_token, ERROR));
    pinview_history_request everything;
    memset(&everything, 0, sizeof everything);
    everything.struct_size = sizeof everything;
    OK(pinview_context_fetch_history(good.context, &everything, &good.history, ERROR));
    pinview_fetch_request people;
    OK(pinview_fetch_request_init(&people, sizeof people, TEXT("Person"), ERROR));
    OK(pinview_context_fetch_asynchronously(good.context, &people, 0, NULL, NULL, NULL, NULL, &good.asynchronous_fetch, ERROR));
    int32_t has_ended = 0;
    OK(pinview_asynchronous_fetch_wait(good.asynchronous_fetch, -1, &has_ended, ERROR));
    OK(pinview_coordinator_difference(good.coordinator, good.token, NULL, NULL, 0, &good.difference, ERROR));
    OK(pinview_context_query_sql(good.context, NULL, TEXT("SELECT 1"), NULL, 0, &good.sql_cursor, ERROR));
    make_results();
    pinview_object_block_info info;
    uint64_t name = 0;
    memset(&info, 0, sizeof info);
    info.struct_size = sizeof info;
    OK(pinview_objects_object_block(&good.object, 1, &name, &good.object_block, &info, ERROR));
    good.predicate = predicate("TRUEPREDICATE", NULL);
    OK(pinview_expression_create_key_path(TEXT("name"), &good.expression, ERROR));
    OK(pinview_observe(pinview_absent(), good.context, keep_notification, NULL, NULL, &good.observer, ERROR));
}

static void tear_down(void) {
    OK(pinview_observer_remove(good.observer, ERROR));
    pinview_observer_release(keeper);
RELEASES
    stack_close(&stack);
}

/* What no handle is: released, of another kind, random, and with a serial number that no slot has. */
enum { bad_count = 7 };

static void *bad_handle(int number, void *of_another_kind) {
    static const uint64_t bits[] = {1, 8, UINT64_MAX, UINT64_C(0x0123456789abcdef)};
    uint64_t chosen = number < 4 ? bits[number] : 0;
    if (number == 4) return of_another_kind;
    if (number == 5) { /* released */
        pinview_buffer *released = NULL;
        OK(pinview_buffer_create(&released, ERROR));
        pinview_buffer_release(released);
        return released;
    }
    if (number == 6) { /* a neighbour of a good one */
        memcpy(&chosen, &good.object, sizeof chosen);
        chosen += UINT64_C(1) << 40;
    }
    void *handle = NULL;
    memcpy(&handle, &chosen, sizeof handle);
    return handle;
}

/* Whether the last call that took ERROR failed for a reason that its message names in these words. */
static int has_said(const char *words) { return last_error() != NULL && strstr(last_message(), words) != NULL; }

/* Bytes that a struct of a later version of the header has more. */
enum { extra_bytes = 16 };

#define EXPECT_REFUSAL(call, words) \\
    do { \\
        FAILS(PINVIEW_ERROR_INVALID_ARGUMENT, call); \\
        EXPECT(has_said(words)); \\
    } while (0)

/* Counts and sizes that no program can mean (the header's rule), and an array that is far shorter, for calls that would look at it. */
static const size_t huge_sizes[] = {(size_t)1 << 31, (size_t)1 << 62, SIZE_MAX / 2, SIZE_MAX / 2 + 1, SIZE_MAX};
enum { huge_count = sizeof huge_sizes / sizeof huge_sizes[0] };
static const uint64_t short_array[8];

static pinview_string huge_text(size_t size) {
    const pinview_string text = {"Person", size};
    return text;
}

static pinview_binary huge_binary(size_t size) {
    const pinview_binary binary = {(const uint8_t *)"bytes", size};
    return binary;
}

/* Text, data, decimal number and list of a size. */
enum { huge_value_count = 4 };

static pinview_value huge_value(int number, size_t size) {
    pinview_value value = pinview_value_null();
    static const int32_t types[huge_value_count] = {PINVIEW_VALUE_STRING, PINVIEW_VALUE_BINARY, PINVIEW_VALUE_DECIMAL, PINVIEW_VALUE_LIST};
    value.type = types[number];
    if (value.type == PINVIEW_VALUE_BINARY) {
        value.as.binary = huge_binary(size);
    } else if (value.type == PINVIEW_VALUE_LIST) {
        value.as.list.items = (const pinview_value *)short_array;
        value.as.list.count = size;
    } else {
        value.as.string = huge_text(size);
    }
    return value;
}

/* A place for results of which nothing but the first may be written when a count is refused. */
typedef union {
    uint64_t words[64];
    unsigned char bytes[512];
} guarded_place;

static void *guarded(guarded_place *place) {
    memset(place, 0xa5, sizeof *place);
    return place;
}

static int is_untouched(const guarded_place *place) {
    for (size_t index = 1; index < sizeof place->words / sizeof place->words[0]; index++)
        if (place->words[index] != UINT64_C(0xa5a5a5a5a5a5a5a5)) return 0;
    return 1;
}

static void store_options_are_named_as_here(void) {
    pinview_model *model = NULL;
    pinview_coordinator *coordinator = NULL;
    const pinview_named_value unknown = {TEXT("no such option"), pinview_value_boolean(1)};
    OK(pinview_model_create_from_json(TEXT(people_json), &model, ERROR));
    OK(pinview_coordinator_create(model, &coordinator, ERROR));
    FAILS(PINVIEW_ERROR_INVALID_ARGUMENT,
        pinview_coordinator_add_store(coordinator, TEXT(PINVIEW_STORE_TYPE_IN_MEMORY), pinview_absent(), pinview_absent(), &unknown, 1, NULL, ERROR));
STORE_OPTIONS
    pinview_coordinator_release(coordinator);
    pinview_model_release(model);
}
"""


# Structs that the good arguments do not get filled: of no objects there is no block.
IS_LEFT_ALONE = {"pinview_result_object_block", "pinview_objects_object_block"}
# Structs whose size comes as a parameter; tested by hand.
SIZE_IS_PARAMETER = {"pinview_fetch_request_init"}
# The structs that a parameter `struct_size` is about.
STRUCT_OF_SIZE = {
    "pinview_fetch_request_init": "pinview_fetch_request",
    "pinview_difference_changes": "pinview_difference_change",
    "pinview_store_journal_commits": "pinview_journal_commit",
}
# How many bytes a struct of a later version of the header has more.
EXTRA = 16


def read_headers(paths):
    """The text of several headers, one after the other."""
    texts = []
    for path in paths:
        with open(path, encoding="utf-8") as file:
            texts.append(file.read())
    return "\n".join(texts)


class Header:
    """What the headers say of structs and flags.

    Which bits of a set of flags are defined is told by its type: those of the enumeration beside
    it. A field whose comment names constants takes only those. A field whose comment begins with
    [out] is filled by the library.
    """

    def __init__(self, text):
        enumerations = re.findall(r"PINVIEW_ENUM_OF\((\w+)\) \{([^}]*)\};\n(?:typedef \1 (pinview_\w+);)?", text)
        self.aliases = {name: kind for kind, _, name in enumerations if name}
        self.constants = {name: int(value) for _, body, _ in enumerations for name, value in re.findall(r"(PINVIEW_\w+) = (-?\d+)", body)}
        self.bits = {
            name: sum(int(value) for value in re.findall(r"PINVIEW_\w+ = (\d+)", body))
            for kind, body, name in enumerations
            if kind == "uint32_t"
        }
        self.text = text
        self.store_options = re.findall(r'#define PINVIEW_STORE_OPTION_\w+ "(\w+)"', text)
        bodies = re.findall(r"typedef struct (pinview_\w+) \{\n(.*?)\n\} \1;", text, flags=re.DOTALL)
        self.sized = {name: list(fields(body)) for name, body in bodies if "struct_size;" in body}

    def plain(self, text):
        """The text with the types of enumerations replaced by the integers that they are."""
        return re.sub(r"\bpinview_\w+\b", lambda found: self.aliases.get(found[0], found[0]), text)

    def known_flags(self, kind, comment):
        """The bits that a set of flags may have: those of the constants that its comment names,
        else all of its type.
        """
        names = re.findall(r"\bPINVIEW_\w+\b(?!\.\.\.)", comment)
        if not names:
            return self.bits.get(kind)
        names += [names[0].rsplit("_", 1)[0] + tail for tail in re.findall(r"(?<!\w)(_[A-Z_]+)", comment)]
        return sum(self.constants[name] for name in names)

    def field_flags(self, struct):
        """Field by field: which bits of it mean something going in."""
        for kind, field, comment in self.sized[struct]:
            if comment.startswith("[out]"):
                continue
            if field == "limits":
                yield field, sum(1 << int(bit) for bit in re.findall(r"bit (\d+):", comment))
            elif field == "reserved":
                yield field, 0
            elif field == "flags":
                yield field, self.known_flags(kind, comment)

    def counted_fields(self, struct):
        """Each array of a struct going in, and the field that counts it: the one behind it, or
        behind another array of that count.
        """
        arrays = []
        for kind, field, comment in self.sized[struct]:
            if comment.startswith("[out]"):
                arrays = []
            elif kind.endswith("*"):
                arrays.append(field)
            elif kind == "size_t" and not comment.startswith("sizeof("):
                yield from ((array, field) for array in arrays[-1:])
                arrays = []
            else:
                arrays = []

    def parameter_flags(self, function, parameter):
        """Which bits of a parameter mean something."""
        declaration = re.search(rf"^pinview_status {function}\(([^;]*)\);", self.text, flags=re.MULTILINE)[1]
        # Bindings have flags of their own, as macros.
        added = re.findall(rf"A flag of {function}:(?:(?!\*/).)*\*/\n#define \w+ UINT32_C\((\d+)\)", self.text, flags=re.DOTALL)
        return self.bits[re.search(rf"(pinview_\w+) {parameter}\b", declaration)[1]] + sum(int(each) for each in added)


def fields(body):
    """The fields of a struct: type, name and the comment above it or behind it."""
    for above, kind, name, behind in re.findall(
        r"(?:^ +/\*\*((?:(?!\*/).)*)\*/\n)?^ +([\w][\w *]*?)(\w+)(?:\[\d+\])?;(?: +/\*\*<((?:(?!\*/).)*)\*/)?",
        body,
        flags=re.MULTILINE | re.DOTALL,
    ):
        yield kind.strip(), name, re.sub(r"\s*\n\s*\*?\s*", " ", above or behind).strip()


def declarations(header):
    text = re.sub(r"/\*.*?\*/", "", Header(header).plain(header), flags=re.DOTALL)
    text = re.sub(r"^\s*#.*$", "", text, flags=re.MULTILINE)
    text = re.sub(r"PINVIEW_INLINE [^{]*\{.*?\n\}", "", text, flags=re.DOTALL)
    for found in re.finditer(
        r"^([a-z][\w ]*?[ *]+)(pinview_\w+)\(([^;{]*?)\);",
        text,
        flags=re.MULTILINE | re.DOTALL,
    ):
        result, name, arguments = (re.sub(r"\s+", " ", part).strip() for part in found.groups())
        if "typedef" in result:
            continue
        parameters = []
        for argument in [] if arguments == "void" else arguments.split(","):
            kind, parameter = re.match(r"(.*?[ *])(\w+)$", argument.strip()).groups()
            parameters.append((kind.replace(" ", ""), parameter))
        yield result.replace(" ", ""), name, parameters


def handle_kind(kind):
    """The kind of a parameter that is a single handle."""
    found = re.fullmatch(r"(?:const)?pinview_(\w+)\*", kind)
    return found[1] if found and found[1] in KINDS else None


def good_argument(name, kind, parameter, local):
    """A good argument; `local` collects the declarations that it needs."""
    if parameter == "error" and kind == "pinview_error**":
        return "NULL"
    if handle_kind(kind):
        return f"good.{handle_kind(kind)}"
    if kind == "pinview_string":
        key = "cars" if "related" in name or name.endswith("has_fault") else "name"
        return f'TEXT("{key}")'
    if kind == "constchar*":
        return {"entity": '"Person"', "key": '"name"', "model_json": "people_json"}.get(parameter, "NULL")
    if parameter == "struct_size":
        return f"sizeof({STRUCT_OF_SIZE[name]})"
    if kind in ("size_t", "uint64_t", "int64_t", "int32_t", "uint32_t", "double"):
        return "0"
    if kind == "pinview_binary":
        local.append("pinview_binary no_bytes = {NULL, 0};")
        return "no_bytes"
    if kind == "void*":
        return "NULL"
    callbacks = {
        "pinview_block_callback": "run_nothing",
        "pinview_notification_callback": "keep_notification",
        "pinview_generation_callback": "hear_nothing",
        "pinview_merge_callback": "keep_merge",
        "pinview_asynchronous_fetch_callback": "NULL",
        "pinview_history_consumer_callback": "hear_consumer",
        "pinview_remote_change_callback": "hear_change",
        "pinview_free_callback": "free_nothing",
        "pinview_journal_callback": "NULL",
        "pinview_interrupt_callback": "NULL",
        "pinview_export_callback": "NULL",
    }
    if kind in callbacks:
        return callbacks[kind]
    found = re.fullmatch(r"const(\w+)\*", kind) or re.fullmatch(r"(\w+)\*const\*", kind)
    if kind.endswith("*const*"):  # an array of handles
        return "NULL"
    if found:  # a struct or an array that is read
        struct = found[1]
        if struct in ("int32_t", "uint32_t", "pinview_string", "pinview_named_value"):
            return "NULL"
        variable = f"in_{parameter}"
        local.append(f"{struct} {variable}; memset(&{variable}, 0, sizeof {variable});")
        if struct == "pinview_value":
            return f"&{variable}"
        if struct.startswith("pinview_") and struct != "pinview_sort_descriptor":
            local.append(f"{variable}.struct_size = sizeof {variable};")
        if struct.endswith("_description"):
            local.append(f'{variable}.name = TEXT("name");')
            if "relationship" in struct:
                local.append(f'{variable}.destination = TEXT("name");')
        if struct in ("pinview_batch_insert", "pinview_batch_update", "pinview_upsert"):
            local.append(f'{variable}.entity = TEXT("Person");')
        if struct in ("pinview_batch_insert", "pinview_batch_update"):
            local.append(f"{variable}.result_type = PINVIEW_RESULT_COUNT;")
        if struct == "pinview_fetch_request":
            local.append(f'pinview_fetch_request_init(&{variable}, sizeof {variable}, TEXT("Person"), NULL);')
        return f"&{variable}"
    found = re.fullmatch(r"(\w+\*?)\*", kind)
    if found:  # a place for a result
        variable = f"out_{parameter}"
        struct = re.sub(r"^struct(?=[A-Z])|^const(?=pinview)", r"\g<0> ", found[1])
        local.append(f"{struct.replace('*', ' *')} {variable}; memset(&{variable}, 0, sizeof {variable});")
        if found[1] in (
            "pinview_conflict",
            "pinview_conflict_property",
            "pinview_property",
            "pinview_journal_store",
            "pinview_journal_generation",
            "pinview_journal_context",
            "pinview_journal_process",
            "pinview_results_section",
            "pinview_object_row",
        ):
            local.append(f"{variable}.struct_size = sizeof {variable};")
        return f"&{variable}"
    raise SystemExit(f"{name}: no argument for '{kind} {parameter}'")


def call_text(name, parameters, replaced, text, local):
    arguments = []
    for position, (kind, parameter) in enumerate(parameters):
        arguments.append(text if position == replaced else good_argument(name, kind, parameter, local))
    return f"{name}({', '.join(arguments)})"


def expectation(result, name, call, status):
    if name == "pinview_error_status":  # gives what an error has, and fails at nothing itself
        return f"EXPECT_NUMBER({call}, PINVIEW_OK);"
    if result == "pinview_status":
        return f"FAILS({status}, {call});"
    if result == "pinview_string":
        return f"EXPECT_TEXT({call}, NULL);"
    if result == "void":
        return f"{call};"
    if result.endswith("*"):
        return f"EXPECT({call} == NULL);"
    return f"EXPECT({call} == {FAILURE.get(name, 0)});"


def case(body, local):
    lines = [f"        {line}" for line in dict.fromkeys(local)] + [f"        {line}" for line in body]
    return ["    {"] + lines + ["    }"]


def handle_cases(result, name, parameters):
    lines = []
    for position, (kind, parameter) in enumerate(parameters):
        of = handle_kind(kind)
        if of is None:
            continue
        other = "good.object" if of != "object" else "good.store"
        local = []
        body = [
            "for (int number = 0; number < bad_count; number++) {",
            f"    void *bad = bad_handle(number, {other});",
        ]
        body += [
            "    "
            + expectation(
                result,
                name,
                call_text(name, parameters, position, "bad", local),
                "PINVIEW_ERROR_INVALID_HANDLE",
            ),
            "}",
        ]
        if (name, parameter) not in NULL_IS_LEGAL:
            null = call_text(name, parameters, position, "NULL", local)
            if name.endswith("_release"):
                body.append(f"EXPECT_NUMBER({null}, PINVIEW_OK);")
            else:
                body.append(expectation(result, name, null, "PINVIEW_ERROR_INVALID_HANDLE"))
        lines += case(body, local)
    return lines


def place_cases(result, name, parameters):
    lines = []
    for position, (kind, parameter) in enumerate(parameters):
        is_place = re.fullmatch(r"\w+\*{1,2}", kind) and not kind.startswith("const") and handle_kind(kind) is None
        if not is_place or kind == "void*" or parameter == "error" or (name, parameter) in PLACE_IS_OPTIONAL or result != "pinview_status":
            continue
        if any(other == "count" for _, other in parameters[position:] + parameters[:position]) and name != "pinview_main_queue_drain":
            continue  # an array of no elements may be NULL; tested by hand with some
        local = []
        lines += case(
            [
                expectation(
                    result,
                    name,
                    call_text(name, parameters, position, "NULL", local),
                    "PINVIEW_ERROR_INVALID_ARGUMENT",
                )
            ],
            local,
        )
    return lines


def of_good_type(name, call):
    """A call whose first text is a type of store where one is asked for."""
    if name in ("pinview_coordinator_add_store", "pinview_coordinator_add_migrated_store", "pinview_container_create") or name.startswith(
        "pinview_model_create"
    ):
        return call.replace('TEXT("name")', "TEXT(PINVIEW_STORE_TYPE_IN_MEMORY)", 1)
    return call


def text_cases(result, name, parameters):
    lines = []
    for position, (kind, parameter) in enumerate(parameters):
        if kind not in ("pinview_string", "constchar*") or result != "pinview_status" or name == "pinview_fetch_request_init":
            continue
        local = []
        text = r'TEXT("a\xff")' if kind == "pinview_string" else r'"a\xff"'
        call = call_text(name, parameters, position, text, local)
        call = of_good_type(name, call)
        lines += case([expectation(result, name, call, "PINVIEW_ERROR_INVALID_UTF8")], local)
    return lines


def with_error(call):
    return re.sub(r"NULL\)$", "ERROR)", call)


def release(struct_kind, variable):
    """What gives back a result that the call may have made."""
    found = re.fullmatch(r"pinview_(\w+)\*\*", struct_kind)
    if found and found[1] in KINDS:
        return [f"if ({variable} != NULL) (void)pinview_{found[1]}_release({variable});"]
    if struct_kind == "structArrowArrayStream*":
        return [f"if ({variable}.release != NULL) {variable}.release(&{variable});"]
    return []


def releases_of(parameters):
    lines = []
    for kind, parameter in parameters:
        if parameter != "error":
            lines += release(kind, f"out_{parameter}")
    return lines


def struct_cases(header, result, name, parameters):
    """Structs of impossible sizes and of later versions of the header."""
    lines = []
    for position, (kind, parameter) in enumerate(parameters):
        found = re.fullmatch(r"(const)?(pinview_\w+)\*", kind)
        if not found or found[2] not in header.sized or result != "pinview_status":
            continue
        if name in IS_LEFT_ALONE | SIZE_IS_PARAMETER:
            continue
        struct = found[2]
        comes_in = bool(found[1])
        local = []
        variable = good_argument(name, kind, parameter, local).lstrip("&")
        call = with_error(call_text(name, parameters, position, "&larger.known", local))
        local += [
            f"union {{ {struct} known; unsigned char bytes[sizeof({struct}) + extra_bytes]; }} larger;",
            "memset(&larger, 0, sizeof larger);",
            f"larger.known = {variable};",
        ]
        back = releases_of(parameters)
        if struct == "pinview_object_row":
            back.append("if (larger.known.block != NULL) (void)pinview_object_block_release(larger.known.block);")
        if comes_in:
            body = [
                "for (size_t place = 0; place < extra_bytes; place += extra_bytes - 1) {",
                "    larger.known.struct_size = sizeof larger;",
                f"    larger.bytes[sizeof({struct}) + place] = 1;",
                f'    EXPECT_REFUSAL({call}, "beyond the");',
                f"    larger.bytes[sizeof({struct}) + place] = 0;",
                "}",
                "for (int number = 0; number < 3; number++) {",
                "    const uint32_t sizes[] = {0, 4, UINT32_MAX};",
                "    larger.known.struct_size = sizes[number];",
                f'    EXPECT_REFUSAL({call}, "struct_size");',
                "}",
                "larger.known.struct_size = sizeof larger;",
                f"(void){call};",
                'EXPECT(!has_said("beyond the") && !has_said("struct_size"));',
                *back,
            ]
        else:
            body = [
                f"larger.known.struct_size = sizeof({struct});",
                f"int is_good = {call} == PINVIEW_OK;",
                *back,
                "for (int number = 0; is_good && number < 3; number++) {",
                "    const uint32_t sizes[] = {0, 4, UINT32_MAX};",
                "    larger.known.struct_size = sizes[number];",
                f'    EXPECT_REFUSAL({call}, "struct_size");',
                "}",
                "larger.known.struct_size = sizeof larger;",
            ]
            if struct == "pinview_object_row":  # goes in as well
                body += ["larger.bytes[sizeof larger - 1] = 1;", f'EXPECT_REFUSAL({call}, "beyond the");']
            else:
                body += [
                    f"memset(larger.bytes + sizeof({struct}), 7, extra_bytes);",
                    f"if (is_good) OK({call});",
                    *back,
                    "for (size_t place = 0; is_good && place < extra_bytes; place++)",
                    f"    EXPECT_NUMBER(larger.bytes[sizeof({struct}) + place], 0);",
                ]
        lines += case(body, local)
    return lines


def flag_cases(header, result, name, parameters):
    """Flags without a constant, and reserved numbers that are not 0."""
    lines = []
    for position, (kind, parameter) in enumerate(parameters):
        if result != "pinview_status":
            continue
        loops = []
        found = re.fullmatch(r"const(pinview_\w+)\*", kind)
        if kind == "uint32_t" and parameter in ("flags", "options"):
            known = header.parameter_flags(name, parameter)
            local = []
            loops.append((known, with_error(call_text(name, parameters, position, "flag", local)), [], []))
        elif found and found[1] in header.sized:
            local = []
            variable = good_argument(name, kind, parameter, local).lstrip("&")
            call = with_error(call_text(name, parameters, position, f"&{variable}", local))
            for field, known in header.field_flags(found[1]):
                kind = next(kind for kind, name, _ in header.sized[found[1]] if name == field)
                convert = "(int32_t)" if header.aliases.get(kind, kind) == "int32_t" else ""
                loops.append(
                    (known, call, [f"{found[1]} usual = {variable};", f"{variable}.{field} |= {convert}flag;"], [f"{variable} = usual;"])
                )
        for known, call, before, after in loops:
            body = [
                "for (int bit = 0; bit < 32; bit++) {",
                "    const uint32_t flag = UINT32_C(1) << bit;",
                f"    if ((UINT32_C({known}) & flag) != 0) continue;",
                *[f"    {line}" for line in before],
                f"    FAILS(PINVIEW_ERROR_INVALID_ARGUMENT, {call});",
                '    EXPECT(has_said("the flag ") || has_said("reserved"));',
                *[f"    {line}" for line in after],
                "}",
            ]
            lines += case(body, local)
    return lines


# Places of structs that are looked at before the count; a place of their own type is theirs.
def is_array_place(header, kind):
    found = re.fullmatch(r"(\w+\*?)\*", kind)
    return bool(found) and not kind.startswith("const") and found[1] not in header.sized and handle_kind(kind) is None and kind != "void*"


def count_cases(header, result, name, parameters):
    """Counts and sizes that no program can mean: of arrays, texts, data, values, and in structs."""
    lines = []

    def refusal(call):
        if result == "pinview_status":
            return [f'    FAILS(PINVIEW_ERROR_INVALID_ARGUMENT, {with_error(call)}); EXPECT(has_said("must be between"));']
        return [f"    {expectation(result, name, call, '')}"]

    for position, (kind, parameter) in enumerate(parameters):
        if kind == "size_t" and parameter != "struct_size":
            for array in ("NULL", "short_array"):
                local, arguments, places = [], [], []
                for other, (other_kind, other_parameter) in enumerate(parameters):
                    good = good_argument(name, other_kind, other_parameter, local)
                    if other == position:
                        good = "size"
                    elif other_parameter == "error":
                        pass
                    elif (other_kind.startswith("const") or other_kind.endswith("*const*")) and good == "NULL":
                        good = f"({c_type(other_kind)})({array})"
                    elif is_array_place(header, other_kind):
                        places.append(f"place_{other_parameter}")
                        good = f"guarded(&place_{other_parameter})"
                    arguments.append(good)
                local += [f"guarded_place {place};" for place in places]
                body = ["for (int number = 0; number < huge_count; number++) {", "    const size_t size = huge_sizes[number];"]
                body += refusal(of_good_type(name, f"{name}({', '.join(arguments)})"))
                body += [f"    EXPECT(is_untouched(&{place}));" for place in places]
                lines += case(body + ["}"], local)
        if kind in ("pinview_string", "pinview_binary"):
            local = []
            make = kind.replace("pinview_string", "huge_text").replace("pinview_binary", "huge_binary")
            call = call_text(name, parameters, position, f"{make}(huge_sizes[number])", local)
            call = of_good_type(name, call)
            lines += case(["for (int number = 0; number < huge_count; number++) {", *refusal(call), "}"], local)
        if kind == "constpinview_value*" and "size_t" not in [other for other, _ in parameters]:
            local = []
            call = call_text(name, parameters, position, "&value", local)
            body = [
                "for (int number = 0; number < huge_count * huge_value_count; number++) {",
                "    const pinview_value value = huge_value(number % huge_value_count, huge_sizes[number / huge_value_count]);",
                "    if (value.type == PINVIEW_VALUE_LIST) continue; /* only predicates take lists */",
                *refusal(call),
                "}",
            ]
            lines += case(body, local)
        found = re.fullmatch(r"(?:const)?(pinview_\w+)\*", kind)
        comes_in = found and (kind.startswith("const") or found[1] == "pinview_object_row")
        if comes_in and found[1] in header.sized and result == "pinview_status":
            struct = found[1]
            for items, field in header.counted_fields(struct):
                local = []
                variable = good_argument(name, kind, parameter, local).lstrip("&")
                call = call_text(name, parameters, position, f"&{variable}", local)
                for array in ("NULL", "short_array"):
                    body = [
                        f"{struct} usual = {variable};",
                        "for (int number = 0; number < huge_count; number++) {",
                        f"    {variable}.{field} = huge_sizes[number];",
                        f"    memcpy(&{variable}.{items}, &(const void *){{{array}}}, sizeof {variable}.{items});",
                        *refusal(call),
                        f"    {variable} = usual;",
                        "}",
                    ]
                    lines += case(body, local)
    return lines


def c_type(kind):
    """A type as declarations() has it, with its blanks."""
    return re.sub(r"^const(?=\w)", "const ", kind).replace("*const*", " *const *")


def main():
    header = Header(read_headers(sys.argv[1:]))
    functions = list(declarations(header.text))
    options = "\n".join(f'    EXPECT(has_said("{option}"));' for option in header.store_options)
    fields = "\n".join(f"    pinview_{kind} *{kind};" for kind in KINDS)
    releases = "\n".join(
        f"    EXPECT_NUMBER(pinview_{kind}_release(good.{kind}), PINVIEW_OK);"
        for kind in KINDS
        if kind not in ("model", "coordinator", "store")
    )
    print(PROLOGUE.replace("HANDLE_FIELDS", fields).replace("RELEASES", releases).replace("STORE_OPTIONS", options))
    tests = ['    {"ERR-05: the error about an unknown store option names those of the header", store_options_are_named_as_here},']
    for result, name, parameters in functions:
        body = handle_cases(result, name, parameters) + place_cases(result, name, parameters) + text_cases(result, name, parameters)
        body += struct_cases(header, result, name, parameters) + flag_cases(header, result, name, parameters)
        body += count_cases(header, result, name, parameters)
        if not body:
            continue
        print(f"static void misuse_of_{name}(void) {{\n    set_up();")
        print("\n".join(body))
        print("    tear_down();\n}\n")
        tests.append(f'    {{"ERR-05: {name}", misuse_of_{name}}},')
    print("static const test_case tests[] = {\n" + "\n".join(tests) + "\n};")
    print('const test_topic misuse_topic = TOPIC("misuse", tests);')


if __name__ == "__main__":
    main()
