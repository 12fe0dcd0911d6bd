/* Error objects: what they say, how long they live, how those of a program are passed on. */
#include <string.h>

#include "support.h"
#include "topics.h"

static void errors_say_what_was_wrong(void) {
    pinview_model *model = NULL;
    FAILS(PINVIEW_ERROR_BAD_MODEL, pinview_model_create_from_json(TEXT("{"), &model, ERROR));
    EXPECT(model == NULL);
    EXPECT(is_valid_error(last_error(), PINVIEW_ERROR_DOMAIN, 20));
    EXPECT(strchr(last_message(), '\n') == NULL);
    EXPECT(strstr(pinview_error_description(last_error()).data, PINVIEW_ERROR_DOMAIN) != NULL);
    EXPECT_NUMBER(pinview_error_sqlite_code(last_error()), 0);
    EXPECT_NUMBER(pinview_error_detailed_error_count(last_error()), 0);
    EXPECT_NUMBER(pinview_error_affected_store_count(last_error()), 0);
    EXPECT_NUMBER(pinview_error_conflict_count(last_error()), 0);
    EXPECT_TEXT(pinview_error_validation_key(last_error()), NULL);
    EXPECT(pinview_error_userdata(last_error()) == NULL);
}

static void an_error_place_is_not_needed(void) {
    pinview_model *model = NULL;
    EXPECT_NUMBER(pinview_model_create_from_json(TEXT("{"), &model, NULL), PINVIEW_ERROR_BAD_MODEL);
    EXPECT(model == NULL);
}

static void the_last_error_of_a_thread_stays(void) {
    pinview_model *model = NULL;
    EXPECT_NUMBER(pinview_model_create_from_json(TEXT("{"), &model, NULL), PINVIEW_ERROR_BAD_MODEL);
    pinview_error *last = pinview_error_last();
    EXPECT(is_valid_error(last, PINVIEW_ERROR_DOMAIN, 20));
    model = people_model(); /* success does not clear it */
    EXPECT(is_valid_error(pinview_error_last(), PINVIEW_ERROR_DOMAIN, 20));
    EXPECT_NUMBER(pinview_context_save(NULL, NULL), PINVIEW_ERROR_INVALID_HANDLE);
    EXPECT(is_valid_error(pinview_error_last(), PINVIEW_ERROR_DOMAIN, 101));
    EXPECT_NUMBER(pinview_error_code(last), 0); /* borrowed until the next failure */
    pinview_model_release(model);
}

static int freed;
static void count_freed(void *userdata) { freed += *(int *)userdata; }

static void own_errors_carry_their_data(void) {
    pinview_error *error = NULL;
    int one = 1;
    freed = 0;
    OK(pinview_error_create(TEXT("Shop"), 4711, TEXT("The till is closed."), &one, count_freed, &error, ERROR));
    EXPECT(is_valid_error(error, "Shop", 4711));
    EXPECT_TEXT(pinview_error_message(error), "The till is closed.");
    EXPECT_NUMBER(pinview_error_status(error), 4711);
    EXPECT(pinview_error_userdata(error) == &one);
    EXPECT_NUMBER(pinview_error_retain(error), PINVIEW_OK);
    EXPECT_NUMBER(pinview_error_release(error), PINVIEW_OK);
    EXPECT_NUMBER(freed, 0);
    EXPECT_NUMBER(pinview_error_release(error), PINVIEW_OK);
    EXPECT_NUMBER(freed, 1);
    EXPECT_NUMBER(pinview_error_release(error), PINVIEW_ERROR_INVALID_HANDLE);
    EXPECT_TEXT(pinview_error_message(error), NULL);
}

static void own_errors_with_odd_codes(void) {
    static const int64_t codes[] = {0, -5, 99, INT64_MAX, INT64_MIN, 1 + (int64_t)INT32_MAX};
    static const char *const domains[] = {"Shop", PINVIEW_ERROR_DOMAIN, PINVIEW_COCOA_ERROR_DOMAIN};
    for (size_t index = 0; index < sizeof codes / sizeof codes[0]; index++) {
        for (size_t domain = 0; domain < 3; domain++) {
            pinview_error *error = NULL;
            OK(pinview_error_create(pinview_text(domains[domain]), codes[index], TEXT("odd"), NULL, NULL, &error, ERROR));
            EXPECT_NUMBER(pinview_error_status(error), domain > 0 && codes[index] == 99 ? -99 : 100);
            EXPECT_NUMBER(pinview_error_code(error), codes[index]);
            pinview_error_release(error);
        }
    }
}

static void refused_errors_free_nothing(void) {
    pinview_error *error = NULL;
    int one = 1;
    freed = 0;
    FAILS(PINVIEW_ERROR_INVALID_UTF8, pinview_error_create(TEXT("Shop"), 1, TEXT("\xff"), &one, count_freed, &error, ERROR));
    FAILS(PINVIEW_ERROR_INVALID_ARGUMENT, pinview_error_create(TEXT("Shop"), 1, TEXT("x"), &one, count_freed, NULL, ERROR));
    EXPECT_NUMBER(freed, 0); /* userdata is the library's only after success */
}

/* A block fails with a status of the program. */
static pinview_status failing_block(pinview_context *context, void *userdata) {
    (void)context;
    (void)userdata;
    return 4711;
}

static void the_status_of_a_block_comes_back(void) {
    data_stack stack = stack_in_memory();
    pinview_context *context = context_on(&stack);
    FAILS(4711, pinview_context_perform_and_wait(context, failing_block, NULL, ERROR));
    EXPECT(is_valid_error(last_error(), PINVIEW_CALLBACK_ERROR_DOMAIN, 4711));
    pinview_context_release(context);
    stack_close(&stack);
}

/* A block fails with an error of the program, which carries the program's data (an exception
 * object, for example). */
static pinview_status throwing_block(pinview_context *context, void *userdata) {
    pinview_error *error = NULL;
    (void)context;
    EXPECT_NUMBER(pinview_error_create(TEXT("Shop"), 4711, TEXT("The till is closed."), userdata, count_freed, &error, NULL), PINVIEW_OK);
    pinview_status status = pinview_error_status(error);
    pinview_error_release(error);
    return status;
}

static void an_own_error_passes_through_a_block_whole(void) {
    data_stack stack = stack_in_memory();
    pinview_context *context = context_on(&stack);
    int one = 1;
    freed = 0;
    FAILS(4711, pinview_context_perform_and_wait(context, throwing_block, &one, ERROR));
    EXPECT(is_valid_error(last_error(), "Shop", 4711));
    EXPECT(pinview_error_userdata(last_error()) == &one);
    EXPECT_NUMBER(freed, 0);
    (void)test_error();                       /* lets go of the error */
    (void)pinview_context_save(NULL, NULL);   /* and so does the thread */
    EXPECT_NUMBER(freed, 1);
    pinview_context_release(context);
    stack_close(&stack);
}

static pinview_status stopping_block(pinview_context *context, void *userdata) {
    (void)context;
    return *(pinview_status *)userdata;
}

static void reserved_statuses_of_a_block(void) {
    data_stack stack = stack_in_memory();
    pinview_context *context = context_on(&stack);
    pinview_status status = PINVIEW_STOP;
    FAILS(PINVIEW_ERROR_STOPPED, pinview_context_perform_and_wait(context, stopping_block, &status, ERROR));
    status = PINVIEW_USE_DEFAULT;
    OK(pinview_context_perform_and_wait(context, stopping_block, &status, ERROR));
    pinview_context_release(context);
    stack_close(&stack);
}

/* A call fails in a block, which gives its status back: the error comes along. */
static pinview_status misspelling_block(pinview_context *context, void *userdata) {
    pinview_object *object = NULL;
    (void)userdata;
    return pinview_context_insert_new_object(context, TEXT("Dragon"), &object, NULL);
}

static void the_library_s_own_error_passes_through_a_block(void) {
    data_stack stack = stack_in_memory();
    pinview_context *context = context_on(&stack);
    FAILS(PINVIEW_ERROR_UNKNOWN_ENTITY, pinview_context_perform_and_wait(context, misspelling_block, NULL, ERROR)); /* EX-39 */
    EXPECT(strstr(last_message(), "Dragon") != NULL);
    pinview_context_release(context);
    stack_close(&stack);
}

static pinview_status saving_block(pinview_context *context, void *userdata) {
    (void)userdata;
    return pinview_context_save(context, NULL);
}

static void the_error_of_a_call_in_a_block_comes_back(void) {
    pinview_context *context = NULL;
    OK(pinview_context_create(PINVIEW_CONCURRENCY_PRIVATE_QUEUE, &context, ERROR));
    pinview_status status = PINVIEW_OK;
    pinview_error *error = NULL;
    pinview_fetch_request request;
    int64_t count = 0;
    OK(pinview_fetch_request_init(&request, sizeof request, TEXT("Person"), ERROR));
    FAILS(PINVIEW_ERROR_NO_COORDINATOR, pinview_context_count(context, &request, &count, ERROR)); /* CTX-19 */
    EXPECT(count == PINVIEW_NOT_FOUND);                                                          /* FET-06, EX-41 */
    status = pinview_context_perform_and_wait(context, saving_block, NULL, &error);
    EXPECT_NUMBER(status, PINVIEW_OK); /* SAV-03: nothing to save */
    EXPECT(error == NULL);
    pinview_context_release(context);
}

/* A model with rules, to break them. */
static const char rules_json[] =
    "{\"entities\":[{\"name\":\"Guest\",\"attributes\":[{\"name\":\"name\",\"type\":\"string\",\"optional\":false},"
    "{\"name\":\"age\",\"type\":\"integer64\",\"optional\":false}]}]}";

static pinview_context *context_with_rules(void) {
    pinview_model *model = NULL;
    pinview_coordinator *coordinator = NULL;
    pinview_context *context = NULL;
    OK(pinview_model_create_from_json(TEXT(rules_json), &model, ERROR));
    OK(pinview_coordinator_create(model, &coordinator, ERROR));
    OK(pinview_coordinator_add_store(coordinator, TEXT(PINVIEW_STORE_TYPE_IN_MEMORY), pinview_absent(), pinview_absent(), NULL, 0, NULL, ERROR));
    OK(pinview_context_create(PINVIEW_CONCURRENCY_PRIVATE_QUEUE, &context, ERROR));
    OK(pinview_context_set_coordinator(context, coordinator, ERROR));
    pinview_coordinator_release(coordinator);
    pinview_model_release(model);
    return context;
}

static void one_failure_names_object_key_and_value(void) {
    pinview_context *context = context_with_rules();
    pinview_object *guest = insert_object(context, "Guest", "Ann");
    pinview_object_id *id = NULL, *affected = NULL;
    pinview_result *ids = NULL;
    pinview_value value = pinview_value_integer(1);
    FAILS(PINVIEW_ERROR_VALIDATION_MISSING_MANDATORY_PROPERTY, pinview_context_save(context, ERROR));
    EXPECT(is_valid_error(last_error(), PINVIEW_COCOA_ERROR_DOMAIN, 1570));
    EXPECT_TEXT(pinview_error_validation_key(last_error()), "age");
    EXPECT_NUMBER(pinview_error_detailed_error_count(last_error()), 0);
    EXPECT_NUMBER(pinview_error_validation_value(last_error(), &value, NULL), PINVIEW_OK);
    EXPECT_NUMBER(value.type, PINVIEW_VALUE_NULL);
    EXPECT_NUMBER(pinview_error_affected_object_ids(last_error(), &ids, NULL), PINVIEW_OK);
    EXPECT_NUMBER(pinview_result_get_type(ids), PINVIEW_RESULT_OBJECT_IDS);
    EXPECT_NUMBER(pinview_result_count(ids), 1);
    OK(pinview_result_object_id(ids, 0, &affected, ERROR));
    OK(pinview_object_get_id(guest, &id, ERROR));
    EXPECT(pinview_object_id_is_equal(id, affected));
    EXPECT(has_changes(context)); /* SAV-04 */
    FAILS(PINVIEW_ERROR_VALIDATION_MISSING_MANDATORY_PROPERTY, pinview_object_validate(guest, ERROR));
    set_integer(guest, "age", 30);
    OK(pinview_object_validate(guest, ERROR));
    pinview_object_id_release(id);
    pinview_object_id_release(affected);
    pinview_result_release(ids);
    pinview_object_release(guest);
    pinview_context_release(context);
}

static void several_failures_are_listed(void) {
    pinview_context *context = context_with_rules();
    pinview_object *guest = insert_object(context, "Guest", NULL);
    FAILS(PINVIEW_ERROR_VALIDATION_MULTIPLE_ERRORS, pinview_context_save(context, ERROR));
    uint64_t count = pinview_error_detailed_error_count(last_error());
    EXPECT_NUMBER(count, 2);
    for (uint64_t index = 0; index < count; index++) {
        pinview_error *single = NULL;
        EXPECT_NUMBER(pinview_error_detailed_error(last_error(), index, &single, NULL), PINVIEW_OK);
        EXPECT_NUMBER(pinview_error_code(single), 1570);
        pinview_error_release(single);
    }
    pinview_error *none = NULL;
    EXPECT_NUMBER(pinview_error_detailed_error(last_error(), count, &none, NULL), PINVIEW_ERROR_INVALID_ARGUMENT);
    EXPECT_NUMBER(pinview_error_detailed_error(last_error(), UINT64_MAX, &none, NULL), PINVIEW_ERROR_INVALID_ARGUMENT);
    EXPECT(none == NULL);
    pinview_object_release(guest);
    pinview_context_release(context);
}

static void sqlite_errors_carry_their_code(void) {
    const char *path = test_path("locked.sqlite");
    data_stack stack = stack_open_with("locked.sqlite", PINVIEW_STORE_OPTION_READ_ONLY, pinview_value_boolean(0));
    stack_close(&stack);
    EXPECT(file_size(path) > 0);
    /* A folder is not a database: opening fails in SQLite. */
    pinview_model *model = people_model();
    pinview_coordinator *coordinator = NULL;
    pinview_store *store = NULL;
    pinview_error *cause = NULL;
    OK(pinview_coordinator_create(model, &coordinator, ERROR));
    FAILS(PINVIEW_ERROR_STORE_OPEN, pinview_coordinator_add_store(coordinator, TEXT(PINVIEW_STORE_TYPE_SQLITE), pinview_absent(), TEXT("/"), NULL, 0,
                                                                  &store, ERROR));
    EXPECT(store == NULL);
    EXPECT(pinview_error_sqlite_code(last_error()) != 0);
    EXPECT_NUMBER(pinview_error_underlying_error(last_error(), &cause, NULL), PINVIEW_OK);
    EXPECT(cause != NULL && strcmp(pinview_error_domain(cause).data, PINVIEW_SQLITE_ERROR_DOMAIN) == 0);
    EXPECT_NUMBER(pinview_error_code(cause), pinview_error_sqlite_code(last_error()));
    EXPECT_NUMBER(pinview_error_status(cause), PINVIEW_ERROR_SQLITE);
    EXPECT(pinview_error_affected_store_count(last_error()) > 0);
    pinview_string name;
    EXPECT_NUMBER(pinview_error_affected_store(last_error(), 0, &name, NULL), PINVIEW_OK);
    EXPECT_TEXT(name, "/");
    EXPECT_NUMBER(pinview_error_affected_store(last_error(), 9, &name, NULL), PINVIEW_ERROR_INVALID_ARGUMENT);
    EXPECT_TEXT(name, NULL);
    pinview_error_release(cause);
    pinview_coordinator_release(coordinator);
    pinview_model_release(model);
}

static void structs_of_conflicts_are_checked(void) {
    pinview_error *error = NULL;
    pinview_conflict conflict;
    pinview_conflict_property property;
    memset(&conflict, 0, sizeof conflict);
    memset(&property, 0, sizeof property);
    OK(pinview_error_create(TEXT("Shop"), 1, TEXT("none"), NULL, NULL, &error, ERROR));
    FAILS(PINVIEW_ERROR_INVALID_ARGUMENT, pinview_error_conflict(error, 0, &conflict, ERROR)); /* no size */
    conflict.struct_size = sizeof conflict;
    property.struct_size = sizeof property;
    FAILS(PINVIEW_ERROR_INVALID_ARGUMENT, pinview_error_conflict(error, 0, &conflict, ERROR)); /* no conflict */
    FAILS(PINVIEW_ERROR_INVALID_ARGUMENT, pinview_error_conflict_property(error, 0, 0, &property, ERROR));
    pinview_error_release(error);
}

static const test_case tests[] = {
    {"ERR-01: an error has domain, code and message", errors_say_what_was_wrong},
    {"ERR-01: a call fails cleanly without a place for the error", an_error_place_is_not_needed},
    {"the last error of the thread is borrowed until the next failure", the_last_error_of_a_thread_stays},
    {"a program's own error carries its data and frees it once", own_errors_carry_their_data},
    {"a program's own error with an odd code has status 100", own_errors_with_odd_codes},
    {"an error that is refused frees nothing", refused_errors_free_nothing},
    {"the status of a block comes back unchanged", the_status_of_a_block_comes_back},
    {"a program's own error passes through a block whole", an_own_error_passes_through_a_block_whole},
    {"EX-39: an error of a call in a block passes through the block", the_library_s_own_error_passes_through_a_block},
    {"PINVIEW_STOP and PINVIEW_USE_DEFAULT of a block", reserved_statuses_of_a_block},
    {"CTX-19, FET-06, EX-41: a count without a coordinator gives PINVIEW_NOT_FOUND", the_error_of_a_call_in_a_block_comes_back},
    {"ERR-02, ERR-07, SAV-07: a validation error names object, key and value", one_failure_names_object_key_and_value},
    {"ERR-02, SAV-08: several validation errors are listed", several_failures_are_listed},
    {"ERR-03, STO-14: an error of SQLite carries its code and cause", sqlite_errors_carry_their_code},
    {"structs of conflicts are checked", structs_of_conflicts_are_checked},
};
const test_topic errors_topic = TOPIC("errors", tests);
