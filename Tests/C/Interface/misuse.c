/* Written by generate_misuse.py from the headers. */
#include <string.h>

#include "pinview_binding.h"
#include "support.h"
#include "topics.h"

typedef struct {
    pinview_error *error;
    pinview_buffer *buffer;
    pinview_model_builder *model_builder;
    pinview_model *model;
    pinview_entity *entity;
    pinview_coordinator *coordinator;
    pinview_store *store;
    pinview_container *container;
    pinview_token *token;
    pinview_context *context;
    pinview_weak_context *weak_context;
    pinview_object *object;
    pinview_object_block *object_block;
    pinview_weak_object *weak_object;
    pinview_object_id *object_id;
    pinview_result *result;
    pinview_predicate *predicate;
    pinview_observer *observer;
    pinview_notification *notification;
    pinview_merge *merge;
    pinview_journal_report *journal_report;
    pinview_undo_manager *undo_manager;
    pinview_history_token *history_token;
    pinview_history *history;
    pinview_expression *expression;
    pinview_difference *difference;
    pinview_fetch_template *fetch_template;
    pinview_results_controller *results_controller;
    pinview_asynchronous_fetch *asynchronous_fetch;
    pinview_sql_cursor *sql_cursor;
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
    EXPECT_NUMBER(pinview_error_release(good.error), PINVIEW_OK);
    EXPECT_NUMBER(pinview_buffer_release(good.buffer), PINVIEW_OK);
    EXPECT_NUMBER(pinview_model_builder_release(good.model_builder), PINVIEW_OK);
    EXPECT_NUMBER(pinview_entity_release(good.entity), PINVIEW_OK);
    EXPECT_NUMBER(pinview_container_release(good.container), PINVIEW_OK);
    EXPECT_NUMBER(pinview_token_release(good.token), PINVIEW_OK);
    EXPECT_NUMBER(pinview_context_release(good.context), PINVIEW_OK);
    EXPECT_NUMBER(pinview_weak_context_release(good.weak_context), PINVIEW_OK);
    EXPECT_NUMBER(pinview_object_release(good.object), PINVIEW_OK);
    EXPECT_NUMBER(pinview_object_block_release(good.object_block), PINVIEW_OK);
    EXPECT_NUMBER(pinview_weak_object_release(good.weak_object), PINVIEW_OK);
    EXPECT_NUMBER(pinview_object_id_release(good.object_id), PINVIEW_OK);
    EXPECT_NUMBER(pinview_result_release(good.result), PINVIEW_OK);
    EXPECT_NUMBER(pinview_predicate_release(good.predicate), PINVIEW_OK);
    EXPECT_NUMBER(pinview_observer_release(good.observer), PINVIEW_OK);
    EXPECT_NUMBER(pinview_notification_release(good.notification), PINVIEW_OK);
    EXPECT_NUMBER(pinview_merge_release(good.merge), PINVIEW_OK);
    EXPECT_NUMBER(pinview_journal_report_release(good.journal_report), PINVIEW_OK);
    EXPECT_NUMBER(pinview_undo_manager_release(good.undo_manager), PINVIEW_OK);
    EXPECT_NUMBER(pinview_history_token_release(good.history_token), PINVIEW_OK);
    EXPECT_NUMBER(pinview_history_release(good.history), PINVIEW_OK);
    EXPECT_NUMBER(pinview_expression_release(good.expression), PINVIEW_OK);
    EXPECT_NUMBER(pinview_difference_release(good.difference), PINVIEW_OK);
    EXPECT_NUMBER(pinview_fetch_template_release(good.fetch_template), PINVIEW_OK);
    EXPECT_NUMBER(pinview_results_controller_release(good.results_controller), PINVIEW_OK);
    EXPECT_NUMBER(pinview_asynchronous_fetch_release(good.asynchronous_fetch), PINVIEW_OK);
    EXPECT_NUMBER(pinview_sql_cursor_release(good.sql_cursor), PINVIEW_OK);
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

#define EXPECT_REFUSAL(call, words) \
    do { \
        FAILS(PINVIEW_ERROR_INVALID_ARGUMENT, call); \
        EXPECT(has_said(words)); \
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
    EXPECT(has_said("historyTracking"));
    EXPECT(has_said("remoteChanges"));
    EXPECT(has_said("readOnly"));
    EXPECT(has_said("immutable"));
    EXPECT(has_said("allowMissing"));
    EXPECT(has_said("journalMode"));
    EXPECT(has_said("synchronous"));
    EXPECT(has_said("cacheSize"));
    EXPECT(has_said("busyTimeout"));
    EXPECT(has_said("migrateStoreAutomatically"));
    EXPECT(has_said("inferMappingModelAutomatically"));
    EXPECT(has_said("constraintPolicy"));
    EXPECT(has_said("confirmedRemovals"));
    EXPECT(has_said("allowOlderModel"));
    EXPECT(has_said("eraseOnModelChange"));
    EXPECT(has_said("modelVersions"));
    EXPECT(has_said("trustedSchema"));
    EXPECT(has_said("journalBudgetPolicy"));
    EXPECT(has_said("journalBudgetBytes"));
    EXPECT(has_said("journalBudgetShare"));
    EXPECT(has_said("generationAgeBudget"));
    pinview_coordinator_release(coordinator);
    pinview_model_release(model);
}

static void misuse_of_pinview_error_retain(void) {
    set_up();
    {
        for (int number = 0; number < bad_count; number++) {
            void *bad = bad_handle(number, good.object);
            FAILS(PINVIEW_ERROR_INVALID_HANDLE, pinview_error_retain(bad));
        }
        FAILS(PINVIEW_ERROR_INVALID_HANDLE, pinview_error_retain(NULL));
    }
    tear_down();
}

static void misuse_of_pinview_error_release(void) {
    set_up();
    {
        for (int number = 0; number < bad_count; number++) {
            void *bad = bad_handle(number, good.object);
            FAILS(PINVIEW_ERROR_INVALID_HANDLE, pinview_error_release(bad));
        }
        EXPECT_NUMBER(pinview_error_release(NULL), PINVIEW_OK);
    }
    tear_down();
}

static void misuse_of_pinview_buffer_retain(void) {
    set_up();
    {
        for (int number = 0; number < bad_count; number++) {
            void *bad = bad_handle(number, good.object);
            FAILS(PINVIEW_ERROR_INVALID_HANDLE, pinview_buffer_retain(bad));
        }
        FAILS(PINVIEW_ERROR_INVALID_HANDLE, pinview_buffer_retain(NULL));
    }
    tear_down();
}

static void misuse_of_pinview_buffer_release(void) {
    set_up();
    {
        for (int number = 0; number < bad_count; number++) {
            void *bad = bad_handle(number, good.object);
            FAILS(PINVIEW_ERROR_INVALID_HANDLE, pinview_buffer_release(bad));
        }
        EXPECT_NUMBER(pinview_buffer_release(NULL), PINVIEW_OK);
    }
    tear_down();
}

static void misuse_of_pinview_model_builder_retain(void) {
    set_up();
    {
        for (int number = 0; number < bad_count; number++) {
            void *bad = bad_handle(number, good.object);
            FAILS(PINVIEW_ERROR_INVALID_HANDLE, pinview_model_builder_retain(bad));
        }
        FAILS(PINVIEW_ERROR_INVALID_HANDLE, pinview_model_builder_retain(NULL));
    }
    tear_down();
}

static void misuse_of_pinview_model_builder_release(void) {
    set_up();
    {
        for (int number = 0; number < bad_count; number++) {
            void *bad = bad_handle(number, good.object);
            FAILS(PINVIEW_ERROR_INVALID_HANDLE, pinview_model_builder_release(bad));
        }
        EXPECT_NUMBER(pinview_model_builder_release(NULL), PINVIEW_OK);
    }
    tear_down();
}

static void misuse_of_pinview_model_retain(void) {
    set_up();
    {
        for (int number = 0; number < bad_count; number++) {
            void *bad = bad_handle(number, good.object);
            FAILS(PINVIEW_ERROR_INVALID_HANDLE, pinview_model_retain(bad));
        }
        FAILS(PINVIEW_ERROR_INVALID_HANDLE, pinview_model_retain(NULL));
    }
    tear_down();
}

static void misuse_of_pinview_model_release(void) {
    set_up();
    {
        for (int number = 0; number < bad_count; number++) {
            void *bad = bad_handle(number, good.object);
            FAILS(PINVIEW_ERROR_INVALID_HANDLE, pinview_model_release(bad));
        }
        EXPECT_NUMBER(pinview_model_release(NULL), PINVIEW_OK);
    }
    tear_down();
}

static void misuse_of_pinview_entity_retain(void) {
    set_up();
    {
        for (int number = 0; number < bad_count; number++) {
            void *bad = bad_handle(number, good.object);
            FAILS(PINVIEW_ERROR_INVALID_HANDLE, pinview_entity_retain(bad));
        }
        FAILS(PINVIEW_ERROR_INVALID_HANDLE, pinview_entity_retain(NULL));
    }
    tear_down();
}

static void misuse_of_pinview_entity_release(void) {
    set_up();
    {
        for (int number = 0; number < bad_count; number++) {
            void *bad = bad_handle(number, good.object);
            FAILS(PINVIEW_ERROR_INVALID_HANDLE, pinview_entity_release(bad));
        }
        EXPECT_NUMBER(pinview_entity_release(NULL), PINVIEW_OK);
    }
    tear_down();
}

static void misuse_of_pinview_coordinator_retain(void) {
    set_up();
    {
        for (int number = 0; number < bad_count; number++) {
            void *bad = bad_handle(number, good.object);
            FAILS(PINVIEW_ERROR_INVALID_HANDLE, pinview_coordinator_retain(bad));
        }
        FAILS(PINVIEW_ERROR_INVALID_HANDLE, pinview_coordinator_retain(NULL));
    }
    tear_down();
}

static void misuse_of_pinview_coordinator_release(void) {
    set_up();
    {
        for (int number = 0; number < bad_count; number++) {
            void *bad = bad_handle(number, good.object);
            FAILS(PINVIEW_ERROR_INVALID_HANDLE, pinview_coordinator_release(bad));
        }
        EXPECT_NUMBER(pinview_coordinator_release(NULL), PINVIEW_OK);
    }
    tear_down();
}

static void misuse_of_pinview_store_retain(void) {
    set_up();
    {
        for (int number = 0; number < bad_count; number++) {
            void *bad = bad_handle(number, good.object);
            FAILS(PINVIEW_ERROR_INVALID_HANDLE, pinview_store_retain(bad));
        }
        FAILS(PINVIEW_ERROR_INVALID_HANDLE, pinview_store_retain(NULL));
    }
    tear_down();
}

static void misuse_of_pinview_store_release(void) {
    set_up();
    {
        for (int number = 0; number < bad_count; number++) {
            void *bad = bad_handle(number, good.object);
            FAILS(PINVIEW_ERROR_INVALID_HANDLE, pinview_store_release(bad));
        }
        EXPECT_NUMBER(pinview_store_release(NULL), PINVIEW_OK);
    }
    tear_down();
}

static void misuse_of_pinview_container_retain(void) {
    set_up();
    {
        for (int number = 0; number < bad_count; number++) {
            void *bad = bad_handle(number, good.object);
            FAILS(PINVIEW_ERROR_INVALID_HANDLE, pinview_container_retain(bad));
        }
        FAILS(PINVIEW_ERROR_INVALID_HANDLE, pinview_container_retain(NULL));
    }
    tear_down();
}

static void misuse_of_pinview_container_release(void) {
    set_up();
    {
        for (int number = 0; number < bad_count; number++) {
            void *bad = bad_handle(number, good.object);
            FAILS(PINVIEW_ERROR_INVALID_HANDLE, pinview_container_release(bad));
        }
        EXPECT_NUMBER(pinview_container_release(NULL), PINVIEW_OK);
    }
    tear_down();
}

static void misuse_of_pinview_token_retain(void) {
    set_up();
    {
        for (int number = 0; number < bad_count; number++) {
            void *bad = bad_handle(number, good.object);
            FAILS(PINVIEW_ERROR_INVALID_HANDLE, pinview_token_retain(bad));
        }
        FAILS(PINVIEW_ERROR_INVALID_HANDLE, pinview_token_retain(NULL));
    }
    tear_down();
}

static void misuse_of_pinview_token_release(void) {
    set_up();
    {
        for (int number = 0; number < bad_count; number++) {
            void *bad = bad_handle(number, good.object);
            FAILS(PINVIEW_ERROR_INVALID_HANDLE, pinview_token_release(bad));
        }
        EXPECT_NUMBER(pinview_token_release(NULL), PINVIEW_OK);
    }
    tear_down();
}

static void misuse_of_pinview_context_retain(void) {
    set_up();
    {
        for (int number = 0; number < bad_count; number++) {
            void *bad = bad_handle(number, good.object);
            FAILS(PINVIEW_ERROR_INVALID_HANDLE, pinview_context_retain(bad));
        }
        FAILS(PINVIEW_ERROR_INVALID_HANDLE, pinview_context_retain(NULL));
    }
    tear_down();
}

static void misuse_of_pinview_context_release(void) {
    set_up();
    {
        for (int number = 0; number < bad_count; number++) {
            void *bad = bad_handle(number, good.object);
            FAILS(PINVIEW_ERROR_INVALID_HANDLE, pinview_context_release(bad));
        }
        EXPECT_NUMBER(pinview_context_release(NULL), PINVIEW_OK);
    }
    tear_down();
}

static void misuse_of_pinview_undo_manager_retain(void) {
    set_up();
    {
        for (int number = 0; number < bad_count; number++) {
            void *bad = bad_handle(number, good.object);
            FAILS(PINVIEW_ERROR_INVALID_HANDLE, pinview_undo_manager_retain(bad));
        }
        FAILS(PINVIEW_ERROR_INVALID_HANDLE, pinview_undo_manager_retain(NULL));
    }
    tear_down();
}

static void misuse_of_pinview_undo_manager_release(void) {
    set_up();
    {
        for (int number = 0; number < bad_count; number++) {
            void *bad = bad_handle(number, good.object);
            FAILS(PINVIEW_ERROR_INVALID_HANDLE, pinview_undo_manager_release(bad));
        }
        EXPECT_NUMBER(pinview_undo_manager_release(NULL), PINVIEW_OK);
    }
    tear_down();
}

static void misuse_of_pinview_weak_context_retain(void) {
    set_up();
    {
        for (int number = 0; number < bad_count; number++) {
            void *bad = bad_handle(number, good.object);
            FAILS(PINVIEW_ERROR_INVALID_HANDLE, pinview_weak_context_retain(bad));
        }
        FAILS(PINVIEW_ERROR_INVALID_HANDLE, pinview_weak_context_retain(NULL));
    }
    tear_down();
}

static void misuse_of_pinview_weak_context_release(void) {
    set_up();
    {
        for (int number = 0; number < bad_count; number++) {
            void *bad = bad_handle(number, good.object);
            FAILS(PINVIEW_ERROR_INVALID_HANDLE, pinview_weak_context_release(bad));
        }
        EXPECT_NUMBER(pinview_weak_context_release(NULL), PINVIEW_OK);
    }
    tear_down();
}

static void misuse_of_pinview_object_retain(void) {
    set_up();
    {
        for (int number = 0; number < bad_count; number++) {
            void *bad = bad_handle(number, good.store);
            FAILS(PINVIEW_ERROR_INVALID_HANDLE, pinview_object_retain(bad));
        }
        FAILS(PINVIEW_ERROR_INVALID_HANDLE, pinview_object_retain(NULL));
    }
    tear_down();
}

static void misuse_of_pinview_object_release(void) {
    set_up();
    {
        for (int number = 0; number < bad_count; number++) {
            void *bad = bad_handle(number, good.store);
            FAILS(PINVIEW_ERROR_INVALID_HANDLE, pinview_object_release(bad));
        }
        EXPECT_NUMBER(pinview_object_release(NULL), PINVIEW_OK);
    }
    tear_down();
}

static void misuse_of_pinview_weak_object_retain(void) {
    set_up();
    {
        for (int number = 0; number < bad_count; number++) {
            void *bad = bad_handle(number, good.object);
            FAILS(PINVIEW_ERROR_INVALID_HANDLE, pinview_weak_object_retain(bad));
        }
        FAILS(PINVIEW_ERROR_INVALID_HANDLE, pinview_weak_object_retain(NULL));
    }
    tear_down();
}

static void misuse_of_pinview_weak_object_release(void) {
    set_up();
    {
        for (int number = 0; number < bad_count; number++) {
            void *bad = bad_handle(number, good.object);
            FAILS(PINVIEW_ERROR_INVALID_HANDLE, pinview_weak_object_release(bad));
        }
        EXPECT_NUMBER(pinview_weak_object_release(NULL), PINVIEW_OK);
    }
    tear_down();
}

static void misuse_of_pinview_object_id_retain(void) {
    set_up();
    {
        for (int number = 0; number < bad_count; number++) {
            void *bad = bad_handle(number, good.object);
            FAILS(PINVIEW_ERROR_INVALID_HANDLE, pinview_object_id_retain(bad));
        }
        FAILS(PINVIEW_ERROR_INVALID_HANDLE, pinview_object_id_retain(NULL));
    }
    tear_down();
}

static void misuse_of_pinview_object_id_release(void) {
    set_up();
    {
        for (int number = 0; number < bad_count; number++) {
            void *bad = bad_handle(number, good.object);
            FAILS(PINVIEW_ERROR_INVALID_HANDLE, pinview_object_id_release(bad));
        }
        EXPECT_NUMBER(pinview_object_id_release(NULL), PINVIEW_OK);
    }
    tear_down();
}

static void misuse_of_pinview_fetch_template_retain(void) {
    set_up();
    {
        for (int number = 0; number < bad_count; number++) {
            void *bad = bad_handle(number, good.object);
            FAILS(PINVIEW_ERROR_INVALID_HANDLE, pinview_fetch_template_retain(bad));
        }
        FAILS(PINVIEW_ERROR_INVALID_HANDLE, pinview_fetch_template_retain(NULL));
    }
    tear_down();
}

static void misuse_of_pinview_fetch_template_release(void) {
    set_up();
    {
        for (int number = 0; number < bad_count; number++) {
            void *bad = bad_handle(number, good.object);
            FAILS(PINVIEW_ERROR_INVALID_HANDLE, pinview_fetch_template_release(bad));
        }
        EXPECT_NUMBER(pinview_fetch_template_release(NULL), PINVIEW_OK);
    }
    tear_down();
}

static void misuse_of_pinview_results_controller_retain(void) {
    set_up();
    {
        for (int number = 0; number < bad_count; number++) {
            void *bad = bad_handle(number, good.object);
            FAILS(PINVIEW_ERROR_INVALID_HANDLE, pinview_results_controller_retain(bad));
        }
        FAILS(PINVIEW_ERROR_INVALID_HANDLE, pinview_results_controller_retain(NULL));
    }
    tear_down();
}

static void misuse_of_pinview_results_controller_release(void) {
    set_up();
    {
        for (int number = 0; number < bad_count; number++) {
            void *bad = bad_handle(number, good.object);
            FAILS(PINVIEW_ERROR_INVALID_HANDLE, pinview_results_controller_release(bad));
        }
        EXPECT_NUMBER(pinview_results_controller_release(NULL), PINVIEW_OK);
    }
    tear_down();
}

static void misuse_of_pinview_result_retain(void) {
    set_up();
    {
        for (int number = 0; number < bad_count; number++) {
            void *bad = bad_handle(number, good.object);
            FAILS(PINVIEW_ERROR_INVALID_HANDLE, pinview_result_retain(bad));
        }
        FAILS(PINVIEW_ERROR_INVALID_HANDLE, pinview_result_retain(NULL));
    }
    tear_down();
}

static void misuse_of_pinview_result_release(void) {
    set_up();
    {
        for (int number = 0; number < bad_count; number++) {
            void *bad = bad_handle(number, good.object);
            FAILS(PINVIEW_ERROR_INVALID_HANDLE, pinview_result_release(bad));
        }
        EXPECT_NUMBER(pinview_result_release(NULL), PINVIEW_OK);
    }
    tear_down();
}

static void misuse_of_pinview_predicate_retain(void) {
    set_up();
    {
        for (int number = 0; number < bad_count; number++) {
            void *bad = bad_handle(number, good.object);
            FAILS(PINVIEW_ERROR_INVALID_HANDLE, pinview_predicate_retain(bad));
        }
        FAILS(PINVIEW_ERROR_INVALID_HANDLE, pinview_predicate_retain(NULL));
    }
    tear_down();
}

static void misuse_of_pinview_predicate_release(void) {
    set_up();
    {
        for (int number = 0; number < bad_count; number++) {
            void *bad = bad_handle(number, good.object);
            FAILS(PINVIEW_ERROR_INVALID_HANDLE, pinview_predicate_release(bad));
        }
        EXPECT_NUMBER(pinview_predicate_release(NULL), PINVIEW_OK);
    }
    tear_down();
}

static void misuse_of_pinview_expression_retain(void) {
    set_up();
    {
        for (int number = 0; number < bad_count; number++) {
            void *bad = bad_handle(number, good.object);
            FAILS(PINVIEW_ERROR_INVALID_HANDLE, pinview_expression_retain(bad));
        }
        FAILS(PINVIEW_ERROR_INVALID_HANDLE, pinview_expression_retain(NULL));
    }
    tear_down();
}

static void misuse_of_pinview_expression_release(void) {
    set_up();
    {
        for (int number = 0; number < bad_count; number++) {
            void *bad = bad_handle(number, good.object);
            FAILS(PINVIEW_ERROR_INVALID_HANDLE, pinview_expression_release(bad));
        }
        EXPECT_NUMBER(pinview_expression_release(NULL), PINVIEW_OK);
    }
    tear_down();
}

static void misuse_of_pinview_observer_retain(void) {
    set_up();
    {
        for (int number = 0; number < bad_count; number++) {
            void *bad = bad_handle(number, good.object);
            FAILS(PINVIEW_ERROR_INVALID_HANDLE, pinview_observer_retain(bad));
        }
        FAILS(PINVIEW_ERROR_INVALID_HANDLE, pinview_observer_retain(NULL));
    }
    tear_down();
}

static void misuse_of_pinview_observer_release(void) {
    set_up();
    {
        for (int number = 0; number < bad_count; number++) {
            void *bad = bad_handle(number, good.object);
            FAILS(PINVIEW_ERROR_INVALID_HANDLE, pinview_observer_release(bad));
        }
        EXPECT_NUMBER(pinview_observer_release(NULL), PINVIEW_OK);
    }
    tear_down();
}

static void misuse_of_pinview_notification_retain(void) {
    set_up();
    {
        for (int number = 0; number < bad_count; number++) {
            void *bad = bad_handle(number, good.object);
            FAILS(PINVIEW_ERROR_INVALID_HANDLE, pinview_notification_retain(bad));
        }
        FAILS(PINVIEW_ERROR_INVALID_HANDLE, pinview_notification_retain(NULL));
    }
    tear_down();
}

static void misuse_of_pinview_notification_release(void) {
    set_up();
    {
        for (int number = 0; number < bad_count; number++) {
            void *bad = bad_handle(number, good.object);
            FAILS(PINVIEW_ERROR_INVALID_HANDLE, pinview_notification_release(bad));
        }
        EXPECT_NUMBER(pinview_notification_release(NULL), PINVIEW_OK);
    }
    tear_down();
}

static void misuse_of_pinview_merge_retain(void) {
    set_up();
    {
        for (int number = 0; number < bad_count; number++) {
            void *bad = bad_handle(number, good.object);
            FAILS(PINVIEW_ERROR_INVALID_HANDLE, pinview_merge_retain(bad));
        }
        FAILS(PINVIEW_ERROR_INVALID_HANDLE, pinview_merge_retain(NULL));
    }
    tear_down();
}

static void misuse_of_pinview_merge_release(void) {
    set_up();
    {
        for (int number = 0; number < bad_count; number++) {
            void *bad = bad_handle(number, good.object);
            FAILS(PINVIEW_ERROR_INVALID_HANDLE, pinview_merge_release(bad));
        }
        EXPECT_NUMBER(pinview_merge_release(NULL), PINVIEW_OK);
    }
    tear_down();
}

static void misuse_of_pinview_history_token_retain(void) {
    set_up();
    {
        for (int number = 0; number < bad_count; number++) {
            void *bad = bad_handle(number, good.object);
            FAILS(PINVIEW_ERROR_INVALID_HANDLE, pinview_history_token_retain(bad));
        }
        FAILS(PINVIEW_ERROR_INVALID_HANDLE, pinview_history_token_retain(NULL));
    }
    tear_down();
}

static void misuse_of_pinview_history_token_release(void) {
    set_up();
    {
        for (int number = 0; number < bad_count; number++) {
            void *bad = bad_handle(number, good.object);
            FAILS(PINVIEW_ERROR_INVALID_HANDLE, pinview_history_token_release(bad));
        }
        EXPECT_NUMBER(pinview_history_token_release(NULL), PINVIEW_OK);
    }
    tear_down();
}

static void misuse_of_pinview_history_retain(void) {
    set_up();
    {
        for (int number = 0; number < bad_count; number++) {
            void *bad = bad_handle(number, good.object);
            FAILS(PINVIEW_ERROR_INVALID_HANDLE, pinview_history_retain(bad));
        }
        FAILS(PINVIEW_ERROR_INVALID_HANDLE, pinview_history_retain(NULL));
    }
    tear_down();
}

static void misuse_of_pinview_history_release(void) {
    set_up();
    {
        for (int number = 0; number < bad_count; number++) {
            void *bad = bad_handle(number, good.object);
            FAILS(PINVIEW_ERROR_INVALID_HANDLE, pinview_history_release(bad));
        }
        EXPECT_NUMBER(pinview_history_release(NULL), PINVIEW_OK);
    }
    tear_down();
}

static void misuse_of_pinview_asynchronous_fetch_retain(void) {
    set_up();
    {
        for (int number = 0; number < bad_count; number++) {
            void *bad = bad_handle(number, good.object);
            FAILS(PINVIEW_ERROR_INVALID_HANDLE, pinview_asynchronous_fetch_retain(bad));
        }
        FAILS(PINVIEW_ERROR_INVALID_HANDLE, pinview_asynchronous_fetch_retain(NULL));
    }
    tear_down();
}

static void misuse_of_pinview_asynchronous_fetch_release(void) {
    set_up();
    {
        for (int number = 0; number < bad_count; number++) {
            void *bad = bad_handle(number, good.object);
            FAILS(PINVIEW_ERROR_INVALID_HANDLE, pinview_asynchronous_fetch_release(bad));
        }
        EXPECT_NUMBER(pinview_asynchronous_fetch_release(NULL), PINVIEW_OK);
    }
    tear_down();
}

static void misuse_of_pinview_difference_retain(void) {
    set_up();
    {
        for (int number = 0; number < bad_count; number++) {
            void *bad = bad_handle(number, good.object);
            FAILS(PINVIEW_ERROR_INVALID_HANDLE, pinview_difference_retain(bad));
        }
        FAILS(PINVIEW_ERROR_INVALID_HANDLE, pinview_difference_retain(NULL));
    }
    tear_down();
}

static void misuse_of_pinview_difference_release(void) {
    set_up();
    {
        for (int number = 0; number < bad_count; number++) {
            void *bad = bad_handle(number, good.object);
            FAILS(PINVIEW_ERROR_INVALID_HANDLE, pinview_difference_release(bad));
        }
        EXPECT_NUMBER(pinview_difference_release(NULL), PINVIEW_OK);
    }
    tear_down();
}

static void misuse_of_pinview_sql_cursor_retain(void) {
    set_up();
    {
        for (int number = 0; number < bad_count; number++) {
            void *bad = bad_handle(number, good.object);
            FAILS(PINVIEW_ERROR_INVALID_HANDLE, pinview_sql_cursor_retain(bad));
        }
        FAILS(PINVIEW_ERROR_INVALID_HANDLE, pinview_sql_cursor_retain(NULL));
    }
    tear_down();
}

static void misuse_of_pinview_sql_cursor_release(void) {
    set_up();
    {
        for (int number = 0; number < bad_count; number++) {
            void *bad = bad_handle(number, good.object);
            FAILS(PINVIEW_ERROR_INVALID_HANDLE, pinview_sql_cursor_release(bad));
        }
        EXPECT_NUMBER(pinview_sql_cursor_release(NULL), PINVIEW_OK);
    }
    tear_down();
}

static void misuse_of_pinview_journal_report_retain(void) {
    set_up();
    {
        for (int number = 0; number < bad_count; number++) {
            void *bad = bad_handle(number, good.object);
            FAILS(PINVIEW_ERROR_INVALID_HANDLE, pinview_journal_report_retain(bad));
        }
        FAILS(PINVIEW_ERROR_INVALID_HANDLE, pinview_journal_report_retain(NULL));
    }
    tear_down();
}

static void misuse_of_pinview_journal_report_release(void) {
    set_up();
    {
        for (int number = 0; number < bad_count; number++) {
            void *bad = bad_handle(number, good.object);
            FAILS(PINVIEW_ERROR_INVALID_HANDLE, pinview_journal_report_release(bad));
        }
        EXPECT_NUMBER(pinview_journal_report_release(NULL), PINVIEW_OK);
    }
    tear_down();
}

static void misuse_of_pinview_objects_release(void) {
    set_up();
    {
        for (int number = 0; number < huge_count; number++) {
            const size_t size = huge_sizes[number];
            pinview_objects_release((pinview_object *const *)(NULL), size);
        }
    }
    {
        for (int number = 0; number < huge_count; number++) {
            const size_t size = huge_sizes[number];
            pinview_objects_release((pinview_object *const *)(short_array), size);
        }
    }
    tear_down();
}

static void misuse_of_pinview_buffer_create(void) {
    set_up();
    {
        FAILS(PINVIEW_ERROR_INVALID_ARGUMENT, pinview_buffer_create(NULL, NULL));
    }
    tear_down();
}

static void misuse_of_pinview_has_feature(void) {
    set_up();
    {
        for (int number = 0; number < huge_count; number++) {
            EXPECT(pinview_has_feature(huge_text(huge_sizes[number])) == 0);
        }
    }
    tear_down();
}

static void misuse_of_pinview_error_create(void) {
    set_up();
    {
        FAILS(PINVIEW_ERROR_INVALID_ARGUMENT, pinview_error_create(TEXT("name"), 0, TEXT("name"), NULL, free_nothing, NULL, NULL));
    }
    {
        pinview_error * out_out; memset(&out_out, 0, sizeof out_out);
        FAILS(PINVIEW_ERROR_INVALID_UTF8, pinview_error_create(TEXT("a\xff"), 0, TEXT("name"), NULL, free_nothing, &out_out, NULL));
    }
    {
        pinview_error * out_out; memset(&out_out, 0, sizeof out_out);
        FAILS(PINVIEW_ERROR_INVALID_UTF8, pinview_error_create(TEXT("name"), 0, TEXT("a\xff"), NULL, free_nothing, &out_out, NULL));
    }
    {
        pinview_error * out_out; memset(&out_out, 0, sizeof out_out);
        for (int number = 0; number < huge_count; number++) {
            FAILS(PINVIEW_ERROR_INVALID_ARGUMENT, pinview_error_create(huge_text(huge_sizes[number]), 0, TEXT("name"), NULL, free_nothing, &out_out, ERROR)); EXPECT(has_said("must be between"));
        }
    }
    {
        pinview_error * out_out; memset(&out_out, 0, sizeof out_out);
        for (int number = 0; number < huge_count; number++) {
            FAILS(PINVIEW_ERROR_INVALID_ARGUMENT, pinview_error_create(TEXT("name"), 0, huge_text(huge_sizes[number]), NULL, free_nothing, &out_out, ERROR)); EXPECT(has_said("must be between"));
        }
    }
    tear_down();
}

static void misuse_of_pinview_error_status(void) {
    set_up();
    {
        for (int number = 0; number < bad_count; number++) {
            void *bad = bad_handle(number, good.object);
            EXPECT_NUMBER(pinview_error_status(bad), PINVIEW_OK);
        }
        EXPECT_NUMBER(pinview_error_status(NULL), PINVIEW_OK);
    }
    tear_down();
}

static void misuse_of_pinview_error_code(void) {
    set_up();
    {
        for (int number = 0; number < bad_count; number++) {
            void *bad = bad_handle(number, good.object);
            EXPECT(pinview_error_code(bad) == 0);
        }
        EXPECT(pinview_error_code(NULL) == 0);
    }
    tear_down();
}

static void misuse_of_pinview_error_domain(void) {
    set_up();
    {
        for (int number = 0; number < bad_count; number++) {
            void *bad = bad_handle(number, good.object);
            EXPECT_TEXT(pinview_error_domain(bad), NULL);
        }
        EXPECT_TEXT(pinview_error_domain(NULL), NULL);
    }
    tear_down();
}

static void misuse_of_pinview_error_message(void) {
    set_up();
    {
        for (int number = 0; number < bad_count; number++) {
            void *bad = bad_handle(number, good.object);
            EXPECT_TEXT(pinview_error_message(bad), NULL);
        }
        EXPECT_TEXT(pinview_error_message(NULL), NULL);
    }
    tear_down();
}

static void misuse_of_pinview_error_description(void) {
    set_up();
    {
        for (int number = 0; number < bad_count; number++) {
            void *bad = bad_handle(number, good.object);
            EXPECT_TEXT(pinview_error_description(bad), NULL);
        }
        EXPECT_TEXT(pinview_error_description(NULL), NULL);
    }
    tear_down();
}

static void misuse_of_pinview_error_sqlite_code(void) {
    set_up();
    {
        for (int number = 0; number < bad_count; number++) {
            void *bad = bad_handle(number, good.object);
            EXPECT(pinview_error_sqlite_code(bad) == 0);
        }
        EXPECT(pinview_error_sqlite_code(NULL) == 0);
    }
    tear_down();
}

static void misuse_of_pinview_error_userdata(void) {
    set_up();
    {
        for (int number = 0; number < bad_count; number++) {
            void *bad = bad_handle(number, good.object);
            EXPECT(pinview_error_userdata(bad) == NULL);
        }
        EXPECT(pinview_error_userdata(NULL) == NULL);
    }
    tear_down();
}

static void misuse_of_pinview_error_validation_key(void) {
    set_up();
    {
        for (int number = 0; number < bad_count; number++) {
            void *bad = bad_handle(number, good.object);
            EXPECT_TEXT(pinview_error_validation_key(bad), NULL);
        }
        EXPECT_TEXT(pinview_error_validation_key(NULL), NULL);
    }
    tear_down();
}

static void misuse_of_pinview_error_validation_value(void) {
    set_up();
    {
        pinview_value out_out; memset(&out_out, 0, sizeof out_out);
        for (int number = 0; number < bad_count; number++) {
            void *bad = bad_handle(number, good.object);
            FAILS(PINVIEW_ERROR_INVALID_HANDLE, pinview_error_validation_value(bad, &out_out, NULL));
        }
        FAILS(PINVIEW_ERROR_INVALID_HANDLE, pinview_error_validation_value(NULL, &out_out, NULL));
    }
    {
        FAILS(PINVIEW_ERROR_INVALID_ARGUMENT, pinview_error_validation_value(good.error, NULL, NULL));
    }
    tear_down();
}

static void misuse_of_pinview_error_detailed_error_count(void) {
    set_up();
    {
        for (int number = 0; number < bad_count; number++) {
            void *bad = bad_handle(number, good.object);
            EXPECT(pinview_error_detailed_error_count(bad) == 0);
        }
        EXPECT(pinview_error_detailed_error_count(NULL) == 0);
    }
    tear_down();
}

static void misuse_of_pinview_error_detailed_error(void) {
    set_up();
    {
        pinview_error * out_out; memset(&out_out, 0, sizeof out_out);
        for (int number = 0; number < bad_count; number++) {
            void *bad = bad_handle(number, good.object);
            FAILS(PINVIEW_ERROR_INVALID_HANDLE, pinview_error_detailed_error(bad, 0, &out_out, NULL));
        }
        FAILS(PINVIEW_ERROR_INVALID_HANDLE, pinview_error_detailed_error(NULL, 0, &out_out, NULL));
    }
    {
        FAILS(PINVIEW_ERROR_INVALID_ARGUMENT, pinview_error_detailed_error(good.error, 0, NULL, NULL));
    }
    tear_down();
}

static void misuse_of_pinview_error_underlying_error(void) {
    set_up();
    {
        pinview_error * out_out; memset(&out_out, 0, sizeof out_out);
        for (int number = 0; number < bad_count; number++) {
            void *bad = bad_handle(number, good.object);
            FAILS(PINVIEW_ERROR_INVALID_HANDLE, pinview_error_underlying_error(bad, &out_out, NULL));
        }
        FAILS(PINVIEW_ERROR_INVALID_HANDLE, pinview_error_underlying_error(NULL, &out_out, NULL));
    }
    {
        FAILS(PINVIEW_ERROR_INVALID_ARGUMENT, pinview_error_underlying_error(good.error, NULL, NULL));
    }
    tear_down();
}

static void misuse_of_pinview_error_affected_object_ids(void) {
    set_up();
    {
        pinview_result * out_out; memset(&out_out, 0, sizeof out_out);
        for (int number = 0; number < bad_count; number++) {
            void *bad = bad_handle(number, good.object);
            FAILS(PINVIEW_ERROR_INVALID_HANDLE, pinview_error_affected_object_ids(bad, &out_out, NULL));
        }
        FAILS(PINVIEW_ERROR_INVALID_HANDLE, pinview_error_affected_object_ids(NULL, &out_out, NULL));
    }
    {
        FAILS(PINVIEW_ERROR_INVALID_ARGUMENT, pinview_error_affected_object_ids(good.error, NULL, NULL));
    }
    tear_down();
}

static void misuse_of_pinview_error_affected_store_count(void) {
    set_up();
    {
        for (int number = 0; number < bad_count; number++) {
            void *bad = bad_handle(number, good.object);
            EXPECT(pinview_error_affected_store_count(bad) == 0);
        }
        EXPECT(pinview_error_affected_store_count(NULL) == 0);
    }
    tear_down();
}

static void misuse_of_pinview_error_affected_store(void) {
    set_up();
    {
        pinview_string out_out; memset(&out_out, 0, sizeof out_out);
        for (int number = 0; number < bad_count; number++) {
            void *bad = bad_handle(number, good.object);
            FAILS(PINVIEW_ERROR_INVALID_HANDLE, pinview_error_affected_store(bad, 0, &out_out, NULL));
        }
        FAILS(PINVIEW_ERROR_INVALID_HANDLE, pinview_error_affected_store(NULL, 0, &out_out, NULL));
    }
    {
        FAILS(PINVIEW_ERROR_INVALID_ARGUMENT, pinview_error_affected_store(good.error, 0, NULL, NULL));
    }
    tear_down();
}

static void misuse_of_pinview_error_conflict_count(void) {
    set_up();
    {
        for (int number = 0; number < bad_count; number++) {
            void *bad = bad_handle(number, good.object);
            EXPECT(pinview_error_conflict_count(bad) == 0);
        }
        EXPECT(pinview_error_conflict_count(NULL) == 0);
    }
    tear_down();
}

static void misuse_of_pinview_error_conflict(void) {
    set_up();
    {
        pinview_conflict out_out; memset(&out_out, 0, sizeof out_out);
        out_out.struct_size = sizeof out_out;
        for (int number = 0; number < bad_count; number++) {
            void *bad = bad_handle(number, good.object);
            FAILS(PINVIEW_ERROR_INVALID_HANDLE, pinview_error_conflict(bad, 0, &out_out, NULL));
        }
        FAILS(PINVIEW_ERROR_INVALID_HANDLE, pinview_error_conflict(NULL, 0, &out_out, NULL));
    }
    {
        FAILS(PINVIEW_ERROR_INVALID_ARGUMENT, pinview_error_conflict(good.error, 0, NULL, NULL));
    }
    {
        pinview_conflict out_out; memset(&out_out, 0, sizeof out_out);
        out_out.struct_size = sizeof out_out;
        union { pinview_conflict known; unsigned char bytes[sizeof(pinview_conflict) + extra_bytes]; } larger;
        memset(&larger, 0, sizeof larger);
        larger.known = out_out;
        larger.known.struct_size = sizeof(pinview_conflict);
        int is_good = pinview_error_conflict(good.error, 0, &larger.known, ERROR) == PINVIEW_OK;
        for (int number = 0; is_good && number < 3; number++) {
            const uint32_t sizes[] = {0, 4, UINT32_MAX};
            larger.known.struct_size = sizes[number];
            EXPECT_REFUSAL(pinview_error_conflict(good.error, 0, &larger.known, ERROR), "struct_size");
        }
        larger.known.struct_size = sizeof larger;
        memset(larger.bytes + sizeof(pinview_conflict), 7, extra_bytes);
        if (is_good) OK(pinview_error_conflict(good.error, 0, &larger.known, ERROR));
        for (size_t place = 0; is_good && place < extra_bytes; place++)
            EXPECT_NUMBER(larger.bytes[sizeof(pinview_conflict) + place], 0);
    }
    tear_down();
}

static void misuse_of_pinview_error_conflict_property(void) {
    set_up();
    {
        pinview_conflict_property out_out; memset(&out_out, 0, sizeof out_out);
        out_out.struct_size = sizeof out_out;
        for (int number = 0; number < bad_count; number++) {
            void *bad = bad_handle(number, good.object);
            FAILS(PINVIEW_ERROR_INVALID_HANDLE, pinview_error_conflict_property(bad, 0, 0, &out_out, NULL));
        }
        FAILS(PINVIEW_ERROR_INVALID_HANDLE, pinview_error_conflict_property(NULL, 0, 0, &out_out, NULL));
    }
    {
        FAILS(PINVIEW_ERROR_INVALID_ARGUMENT, pinview_error_conflict_property(good.error, 0, 0, NULL, NULL));
    }
    {
        pinview_conflict_property out_out; memset(&out_out, 0, sizeof out_out);
        out_out.struct_size = sizeof out_out;
        union { pinview_conflict_property known; unsigned char bytes[sizeof(pinview_conflict_property) + extra_bytes]; } larger;
        memset(&larger, 0, sizeof larger);
        larger.known = out_out;
        larger.known.struct_size = sizeof(pinview_conflict_property);
        int is_good = pinview_error_conflict_property(good.error, 0, 0, &larger.known, ERROR) == PINVIEW_OK;
        for (int number = 0; is_good && number < 3; number++) {
            const uint32_t sizes[] = {0, 4, UINT32_MAX};
            larger.known.struct_size = sizes[number];
            EXPECT_REFUSAL(pinview_error_conflict_property(good.error, 0, 0, &larger.known, ERROR), "struct_size");
        }
        larger.known.struct_size = sizeof larger;
        memset(larger.bytes + sizeof(pinview_conflict_property), 7, extra_bytes);
        if (is_good) OK(pinview_error_conflict_property(good.error, 0, 0, &larger.known, ERROR));
        for (size_t place = 0; is_good && place < extra_bytes; place++)
            EXPECT_NUMBER(larger.bytes[sizeof(pinview_conflict_property) + place], 0);
    }
    tear_down();
}

static void misuse_of_pinview_error_constraint_conflict_count(void) {
    set_up();
    {
        for (int number = 0; number < bad_count; number++) {
            void *bad = bad_handle(number, good.object);
            EXPECT(pinview_error_constraint_conflict_count(bad) == 0);
        }
        EXPECT(pinview_error_constraint_conflict_count(NULL) == 0);
    }
    tear_down();
}

static void misuse_of_pinview_error_constraint_conflict(void) {
    set_up();
    {
        pinview_constraint_conflict out_out; memset(&out_out, 0, sizeof out_out);
        for (int number = 0; number < bad_count; number++) {
            void *bad = bad_handle(number, good.object);
            FAILS(PINVIEW_ERROR_INVALID_HANDLE, pinview_error_constraint_conflict(bad, 0, &out_out, NULL));
        }
        FAILS(PINVIEW_ERROR_INVALID_HANDLE, pinview_error_constraint_conflict(NULL, 0, &out_out, NULL));
    }
    {
        FAILS(PINVIEW_ERROR_INVALID_ARGUMENT, pinview_error_constraint_conflict(good.error, 0, NULL, NULL));
    }
    {
        pinview_constraint_conflict out_out; memset(&out_out, 0, sizeof out_out);
        union { pinview_constraint_conflict known; unsigned char bytes[sizeof(pinview_constraint_conflict) + extra_bytes]; } larger;
        memset(&larger, 0, sizeof larger);
        larger.known = out_out;
        larger.known.struct_size = sizeof(pinview_constraint_conflict);
        int is_good = pinview_error_constraint_conflict(good.error, 0, &larger.known, ERROR) == PINVIEW_OK;
        for (int number = 0; is_good && number < 3; number++) {
            const uint32_t sizes[] = {0, 4, UINT32_MAX};
            larger.known.struct_size = sizes[number];
            EXPECT_REFUSAL(pinview_error_constraint_conflict(good.error, 0, &larger.known, ERROR), "struct_size");
        }
        larger.known.struct_size = sizeof larger;
        memset(larger.bytes + sizeof(pinview_constraint_conflict), 7, extra_bytes);
        if (is_good) OK(pinview_error_constraint_conflict(good.error, 0, &larger.known, ERROR));
        for (size_t place = 0; is_good && place < extra_bytes; place++)
            EXPECT_NUMBER(larger.bytes[sizeof(pinview_constraint_conflict) + place], 0);
    }
    tear_down();
}

static void misuse_of_pinview_error_constraint_conflict_property(void) {
    set_up();
    {
        pinview_constraint_property out_out; memset(&out_out, 0, sizeof out_out);
        for (int number = 0; number < bad_count; number++) {
            void *bad = bad_handle(number, good.object);
            FAILS(PINVIEW_ERROR_INVALID_HANDLE, pinview_error_constraint_conflict_property(bad, 0, 0, &out_out, NULL));
        }
        FAILS(PINVIEW_ERROR_INVALID_HANDLE, pinview_error_constraint_conflict_property(NULL, 0, 0, &out_out, NULL));
    }
    {
        FAILS(PINVIEW_ERROR_INVALID_ARGUMENT, pinview_error_constraint_conflict_property(good.error, 0, 0, NULL, NULL));
    }
    {
        pinview_constraint_property out_out; memset(&out_out, 0, sizeof out_out);
        union { pinview_constraint_property known; unsigned char bytes[sizeof(pinview_constraint_property) + extra_bytes]; } larger;
        memset(&larger, 0, sizeof larger);
        larger.known = out_out;
        larger.known.struct_size = sizeof(pinview_constraint_property);
        int is_good = pinview_error_constraint_conflict_property(good.error, 0, 0, &larger.known, ERROR) == PINVIEW_OK;
        for (int number = 0; is_good && number < 3; number++) {
            const uint32_t sizes[] = {0, 4, UINT32_MAX};
            larger.known.struct_size = sizes[number];
            EXPECT_REFUSAL(pinview_error_constraint_conflict_property(good.error, 0, 0, &larger.known, ERROR), "struct_size");
        }
        larger.known.struct_size = sizeof larger;
        memset(larger.bytes + sizeof(pinview_constraint_property), 7, extra_bytes);
        if (is_good) OK(pinview_error_constraint_conflict_property(good.error, 0, 0, &larger.known, ERROR));
        for (size_t place = 0; is_good && place < extra_bytes; place++)
            EXPECT_NUMBER(larger.bytes[sizeof(pinview_constraint_property) + place], 0);
    }
    tear_down();
}

static void misuse_of_pinview_error_constraint_conflict_object(void) {
    set_up();
    {
        pinview_object_id * out_out; memset(&out_out, 0, sizeof out_out);
        for (int number = 0; number < bad_count; number++) {
            void *bad = bad_handle(number, good.object);
            FAILS(PINVIEW_ERROR_INVALID_HANDLE, pinview_error_constraint_conflict_object(bad, 0, 0, &out_out, NULL));
        }
        FAILS(PINVIEW_ERROR_INVALID_HANDLE, pinview_error_constraint_conflict_object(NULL, 0, 0, &out_out, NULL));
    }
    {
        FAILS(PINVIEW_ERROR_INVALID_ARGUMENT, pinview_error_constraint_conflict_object(good.error, 0, 0, NULL, NULL));
    }
    tear_down();
}

static void misuse_of_pinview_error_constraint_conflict_value(void) {
    set_up();
    {
        pinview_constraint_property out_out; memset(&out_out, 0, sizeof out_out);
        for (int number = 0; number < bad_count; number++) {
            void *bad = bad_handle(number, good.object);
            FAILS(PINVIEW_ERROR_INVALID_HANDLE, pinview_error_constraint_conflict_value(bad, 0, 0, 0, &out_out, NULL));
        }
        FAILS(PINVIEW_ERROR_INVALID_HANDLE, pinview_error_constraint_conflict_value(NULL, 0, 0, 0, &out_out, NULL));
    }
    {
        FAILS(PINVIEW_ERROR_INVALID_ARGUMENT, pinview_error_constraint_conflict_value(good.error, 0, 0, 0, NULL, NULL));
    }
    {
        pinview_constraint_property out_out; memset(&out_out, 0, sizeof out_out);
        union { pinview_constraint_property known; unsigned char bytes[sizeof(pinview_constraint_property) + extra_bytes]; } larger;
        memset(&larger, 0, sizeof larger);
        larger.known = out_out;
        larger.known.struct_size = sizeof(pinview_constraint_property);
        int is_good = pinview_error_constraint_conflict_value(good.error, 0, 0, 0, &larger.known, ERROR) == PINVIEW_OK;
        for (int number = 0; is_good && number < 3; number++) {
            const uint32_t sizes[] = {0, 4, UINT32_MAX};
            larger.known.struct_size = sizes[number];
            EXPECT_REFUSAL(pinview_error_constraint_conflict_value(good.error, 0, 0, 0, &larger.known, ERROR), "struct_size");
        }
        larger.known.struct_size = sizeof larger;
        memset(larger.bytes + sizeof(pinview_constraint_property), 7, extra_bytes);
        if (is_good) OK(pinview_error_constraint_conflict_value(good.error, 0, 0, 0, &larger.known, ERROR));
        for (size_t place = 0; is_good && place < extra_bytes; place++)
            EXPECT_NUMBER(larger.bytes[sizeof(pinview_constraint_property) + place], 0);
    }
    tear_down();
}

static void misuse_of_pinview_model_builder_create(void) {
    set_up();
    {
        FAILS(PINVIEW_ERROR_INVALID_ARGUMENT, pinview_model_builder_create(NULL, NULL));
    }
    tear_down();
}

static void misuse_of_pinview_model_builder_add_entity(void) {
    set_up();
    {
        for (int number = 0; number < bad_count; number++) {
            void *bad = bad_handle(number, good.object);
            FAILS(PINVIEW_ERROR_INVALID_HANDLE, pinview_model_builder_add_entity(bad, TEXT("name"), TEXT("name"), 0, NULL));
        }
        FAILS(PINVIEW_ERROR_INVALID_HANDLE, pinview_model_builder_add_entity(NULL, TEXT("name"), TEXT("name"), 0, NULL));
    }
    {
        FAILS(PINVIEW_ERROR_INVALID_UTF8, pinview_model_builder_add_entity(good.model_builder, TEXT("a\xff"), TEXT("name"), 0, NULL));
    }
    {
        FAILS(PINVIEW_ERROR_INVALID_UTF8, pinview_model_builder_add_entity(good.model_builder, TEXT("name"), TEXT("a\xff"), 0, NULL));
    }
    {
        for (int number = 0; number < huge_count; number++) {
            FAILS(PINVIEW_ERROR_INVALID_ARGUMENT, pinview_model_builder_add_entity(good.model_builder, huge_text(huge_sizes[number]), TEXT("name"), 0, ERROR)); EXPECT(has_said("must be between"));
        }
    }
    {
        for (int number = 0; number < huge_count; number++) {
            FAILS(PINVIEW_ERROR_INVALID_ARGUMENT, pinview_model_builder_add_entity(good.model_builder, TEXT("name"), huge_text(huge_sizes[number]), 0, ERROR)); EXPECT(has_said("must be between"));
        }
    }
    tear_down();
}

static void misuse_of_pinview_model_builder_add_attribute(void) {
    set_up();
    {
        pinview_attribute_description in_attribute; memset(&in_attribute, 0, sizeof in_attribute);
        in_attribute.struct_size = sizeof in_attribute;
        in_attribute.name = TEXT("name");
        for (int number = 0; number < bad_count; number++) {
            void *bad = bad_handle(number, good.object);
            FAILS(PINVIEW_ERROR_INVALID_HANDLE, pinview_model_builder_add_attribute(bad, TEXT("name"), &in_attribute, NULL));
        }
        FAILS(PINVIEW_ERROR_INVALID_HANDLE, pinview_model_builder_add_attribute(NULL, TEXT("name"), &in_attribute, NULL));
    }
    {
        pinview_attribute_description in_attribute; memset(&in_attribute, 0, sizeof in_attribute);
        in_attribute.struct_size = sizeof in_attribute;
        in_attribute.name = TEXT("name");
        FAILS(PINVIEW_ERROR_INVALID_UTF8, pinview_model_builder_add_attribute(good.model_builder, TEXT("a\xff"), &in_attribute, NULL));
    }
    {
        pinview_attribute_description in_attribute; memset(&in_attribute, 0, sizeof in_attribute);
        in_attribute.struct_size = sizeof in_attribute;
        in_attribute.name = TEXT("name");
        union { pinview_attribute_description known; unsigned char bytes[sizeof(pinview_attribute_description) + extra_bytes]; } larger;
        memset(&larger, 0, sizeof larger);
        larger.known = in_attribute;
        for (size_t place = 0; place < extra_bytes; place += extra_bytes - 1) {
            larger.known.struct_size = sizeof larger;
            larger.bytes[sizeof(pinview_attribute_description) + place] = 1;
            EXPECT_REFUSAL(pinview_model_builder_add_attribute(good.model_builder, TEXT("name"), &larger.known, ERROR), "beyond the");
            larger.bytes[sizeof(pinview_attribute_description) + place] = 0;
        }
        for (int number = 0; number < 3; number++) {
            const uint32_t sizes[] = {0, 4, UINT32_MAX};
            larger.known.struct_size = sizes[number];
            EXPECT_REFUSAL(pinview_model_builder_add_attribute(good.model_builder, TEXT("name"), &larger.known, ERROR), "struct_size");
        }
        larger.known.struct_size = sizeof larger;
        (void)pinview_model_builder_add_attribute(good.model_builder, TEXT("name"), &larger.known, ERROR);
        EXPECT(!has_said("beyond the") && !has_said("struct_size"));
    }
    {
        pinview_attribute_description in_attribute; memset(&in_attribute, 0, sizeof in_attribute);
        in_attribute.struct_size = sizeof in_attribute;
        in_attribute.name = TEXT("name");
        for (int bit = 0; bit < 32; bit++) {
            const uint32_t flag = UINT32_C(1) << bit;
            if ((UINT32_C(99) & flag) != 0) continue;
            pinview_attribute_description usual = in_attribute;
            in_attribute.flags |= flag;
            FAILS(PINVIEW_ERROR_INVALID_ARGUMENT, pinview_model_builder_add_attribute(good.model_builder, TEXT("name"), &in_attribute, ERROR));
            EXPECT(has_said("the flag ") || has_said("reserved"));
            in_attribute = usual;
        }
    }
    {
        pinview_attribute_description in_attribute; memset(&in_attribute, 0, sizeof in_attribute);
        in_attribute.struct_size = sizeof in_attribute;
        in_attribute.name = TEXT("name");
        for (int bit = 0; bit < 32; bit++) {
            const uint32_t flag = UINT32_C(1) << bit;
            if ((UINT32_C(15) & flag) != 0) continue;
            pinview_attribute_description usual = in_attribute;
            in_attribute.limits |= (int32_t)flag;
            FAILS(PINVIEW_ERROR_INVALID_ARGUMENT, pinview_model_builder_add_attribute(good.model_builder, TEXT("name"), &in_attribute, ERROR));
            EXPECT(has_said("the flag ") || has_said("reserved"));
            in_attribute = usual;
        }
    }
    {
        pinview_attribute_description in_attribute; memset(&in_attribute, 0, sizeof in_attribute);
        in_attribute.struct_size = sizeof in_attribute;
        in_attribute.name = TEXT("name");
        for (int number = 0; number < huge_count; number++) {
            FAILS(PINVIEW_ERROR_INVALID_ARGUMENT, pinview_model_builder_add_attribute(good.model_builder, huge_text(huge_sizes[number]), &in_attribute, ERROR)); EXPECT(has_said("must be between"));
        }
    }
    tear_down();
}

static void misuse_of_pinview_model_builder_add_relationship(void) {
    set_up();
    {
        pinview_relationship_description in_relationship; memset(&in_relationship, 0, sizeof in_relationship);
        in_relationship.struct_size = sizeof in_relationship;
        in_relationship.name = TEXT("name");
        in_relationship.destination = TEXT("name");
        for (int number = 0; number < bad_count; number++) {
            void *bad = bad_handle(number, good.object);
            FAILS(PINVIEW_ERROR_INVALID_HANDLE, pinview_model_builder_add_relationship(bad, TEXT("name"), &in_relationship, NULL));
        }
        FAILS(PINVIEW_ERROR_INVALID_HANDLE, pinview_model_builder_add_relationship(NULL, TEXT("name"), &in_relationship, NULL));
    }
    {
        pinview_relationship_description in_relationship; memset(&in_relationship, 0, sizeof in_relationship);
        in_relationship.struct_size = sizeof in_relationship;
        in_relationship.name = TEXT("name");
        in_relationship.destination = TEXT("name");
        FAILS(PINVIEW_ERROR_INVALID_UTF8, pinview_model_builder_add_relationship(good.model_builder, TEXT("a\xff"), &in_relationship, NULL));
    }
    {
        pinview_relationship_description in_relationship; memset(&in_relationship, 0, sizeof in_relationship);
        in_relationship.struct_size = sizeof in_relationship;
        in_relationship.name = TEXT("name");
        in_relationship.destination = TEXT("name");
        union { pinview_relationship_description known; unsigned char bytes[sizeof(pinview_relationship_description) + extra_bytes]; } larger;
        memset(&larger, 0, sizeof larger);
        larger.known = in_relationship;
        for (size_t place = 0; place < extra_bytes; place += extra_bytes - 1) {
            larger.known.struct_size = sizeof larger;
            larger.bytes[sizeof(pinview_relationship_description) + place] = 1;
            EXPECT_REFUSAL(pinview_model_builder_add_relationship(good.model_builder, TEXT("name"), &larger.known, ERROR), "beyond the");
            larger.bytes[sizeof(pinview_relationship_description) + place] = 0;
        }
        for (int number = 0; number < 3; number++) {
            const uint32_t sizes[] = {0, 4, UINT32_MAX};
            larger.known.struct_size = sizes[number];
            EXPECT_REFUSAL(pinview_model_builder_add_relationship(good.model_builder, TEXT("name"), &larger.known, ERROR), "struct_size");
        }
        larger.known.struct_size = sizeof larger;
        (void)pinview_model_builder_add_relationship(good.model_builder, TEXT("name"), &larger.known, ERROR);
        EXPECT(!has_said("beyond the") && !has_said("struct_size"));
    }
    {
        pinview_relationship_description in_relationship; memset(&in_relationship, 0, sizeof in_relationship);
        in_relationship.struct_size = sizeof in_relationship;
        in_relationship.name = TEXT("name");
        in_relationship.destination = TEXT("name");
        for (int bit = 0; bit < 32; bit++) {
            const uint32_t flag = UINT32_C(1) << bit;
            if ((UINT32_C(27) & flag) != 0) continue;
            pinview_relationship_description usual = in_relationship;
            in_relationship.flags |= flag;
            FAILS(PINVIEW_ERROR_INVALID_ARGUMENT, pinview_model_builder_add_relationship(good.model_builder, TEXT("name"), &in_relationship, ERROR));
            EXPECT(has_said("the flag ") || has_said("reserved"));
            in_relationship = usual;
        }
    }
    {
        pinview_relationship_description in_relationship; memset(&in_relationship, 0, sizeof in_relationship);
        in_relationship.struct_size = sizeof in_relationship;
        in_relationship.name = TEXT("name");
        in_relationship.destination = TEXT("name");
        for (int bit = 0; bit < 32; bit++) {
            const uint32_t flag = UINT32_C(1) << bit;
            if ((UINT32_C(0) & flag) != 0) continue;
            pinview_relationship_description usual = in_relationship;
            in_relationship.reserved |= (int32_t)flag;
            FAILS(PINVIEW_ERROR_INVALID_ARGUMENT, pinview_model_builder_add_relationship(good.model_builder, TEXT("name"), &in_relationship, ERROR));
            EXPECT(has_said("the flag ") || has_said("reserved"));
            in_relationship = usual;
        }
    }
    {
        pinview_relationship_description in_relationship; memset(&in_relationship, 0, sizeof in_relationship);
        in_relationship.struct_size = sizeof in_relationship;
        in_relationship.name = TEXT("name");
        in_relationship.destination = TEXT("name");
        for (int number = 0; number < huge_count; number++) {
            FAILS(PINVIEW_ERROR_INVALID_ARGUMENT, pinview_model_builder_add_relationship(good.model_builder, huge_text(huge_sizes[number]), &in_relationship, ERROR)); EXPECT(has_said("must be between"));
        }
    }
    tear_down();
}

static void misuse_of_pinview_model_builder_add_uniqueness_constraint(void) {
    set_up();
    {
        for (int number = 0; number < bad_count; number++) {
            void *bad = bad_handle(number, good.object);
            FAILS(PINVIEW_ERROR_INVALID_HANDLE, pinview_model_builder_add_uniqueness_constraint(bad, TEXT("name"), NULL, 0, NULL));
        }
        FAILS(PINVIEW_ERROR_INVALID_HANDLE, pinview_model_builder_add_uniqueness_constraint(NULL, TEXT("name"), NULL, 0, NULL));
    }
    {
        FAILS(PINVIEW_ERROR_INVALID_UTF8, pinview_model_builder_add_uniqueness_constraint(good.model_builder, TEXT("a\xff"), NULL, 0, NULL));
    }
    {
        for (int number = 0; number < huge_count; number++) {
            FAILS(PINVIEW_ERROR_INVALID_ARGUMENT, pinview_model_builder_add_uniqueness_constraint(good.model_builder, huge_text(huge_sizes[number]), NULL, 0, ERROR)); EXPECT(has_said("must be between"));
        }
    }
    {
        for (int number = 0; number < huge_count; number++) {
            const size_t size = huge_sizes[number];
            FAILS(PINVIEW_ERROR_INVALID_ARGUMENT, pinview_model_builder_add_uniqueness_constraint(good.model_builder, TEXT("name"), (const pinview_string*)(NULL), size, ERROR)); EXPECT(has_said("must be between"));
        }
    }
    {
        for (int number = 0; number < huge_count; number++) {
            const size_t size = huge_sizes[number];
            FAILS(PINVIEW_ERROR_INVALID_ARGUMENT, pinview_model_builder_add_uniqueness_constraint(good.model_builder, TEXT("name"), (const pinview_string*)(short_array), size, ERROR)); EXPECT(has_said("must be between"));
        }
    }
    tear_down();
}

static void misuse_of_pinview_model_builder_add_index(void) {
    set_up();
    {
        for (int number = 0; number < bad_count; number++) {
            void *bad = bad_handle(number, good.object);
            FAILS(PINVIEW_ERROR_INVALID_HANDLE, pinview_model_builder_add_index(bad, TEXT("name"), TEXT("name"), NULL, 0, NULL));
        }
        FAILS(PINVIEW_ERROR_INVALID_HANDLE, pinview_model_builder_add_index(NULL, TEXT("name"), TEXT("name"), NULL, 0, NULL));
    }
    {
        FAILS(PINVIEW_ERROR_INVALID_UTF8, pinview_model_builder_add_index(good.model_builder, TEXT("a\xff"), TEXT("name"), NULL, 0, NULL));
    }
    {
        FAILS(PINVIEW_ERROR_INVALID_UTF8, pinview_model_builder_add_index(good.model_builder, TEXT("name"), TEXT("a\xff"), NULL, 0, NULL));
    }
    {
        for (int number = 0; number < huge_count; number++) {
            FAILS(PINVIEW_ERROR_INVALID_ARGUMENT, pinview_model_builder_add_index(good.model_builder, huge_text(huge_sizes[number]), TEXT("name"), NULL, 0, ERROR)); EXPECT(has_said("must be between"));
        }
    }
    {
        for (int number = 0; number < huge_count; number++) {
            FAILS(PINVIEW_ERROR_INVALID_ARGUMENT, pinview_model_builder_add_index(good.model_builder, TEXT("name"), huge_text(huge_sizes[number]), NULL, 0, ERROR)); EXPECT(has_said("must be between"));
        }
    }
    {
        for (int number = 0; number < huge_count; number++) {
            const size_t size = huge_sizes[number];
            FAILS(PINVIEW_ERROR_INVALID_ARGUMENT, pinview_model_builder_add_index(good.model_builder, TEXT("name"), TEXT("name"), (const pinview_string*)(NULL), size, ERROR)); EXPECT(has_said("must be between"));
        }
    }
    {
        for (int number = 0; number < huge_count; number++) {
            const size_t size = huge_sizes[number];
            FAILS(PINVIEW_ERROR_INVALID_ARGUMENT, pinview_model_builder_add_index(good.model_builder, TEXT("name"), TEXT("name"), (const pinview_string*)(short_array), size, ERROR)); EXPECT(has_said("must be between"));
        }
    }
    tear_down();
}

static void misuse_of_pinview_model_builder_add_configuration(void) {
    set_up();
    {
        for (int number = 0; number < bad_count; number++) {
            void *bad = bad_handle(number, good.object);
            FAILS(PINVIEW_ERROR_INVALID_HANDLE, pinview_model_builder_add_configuration(bad, TEXT("name"), NULL, 0, NULL));
        }
        FAILS(PINVIEW_ERROR_INVALID_HANDLE, pinview_model_builder_add_configuration(NULL, TEXT("name"), NULL, 0, NULL));
    }
    {
        FAILS(PINVIEW_ERROR_INVALID_UTF8, pinview_model_builder_add_configuration(good.model_builder, TEXT("a\xff"), NULL, 0, NULL));
    }
    {
        for (int number = 0; number < huge_count; number++) {
            FAILS(PINVIEW_ERROR_INVALID_ARGUMENT, pinview_model_builder_add_configuration(good.model_builder, huge_text(huge_sizes[number]), NULL, 0, ERROR)); EXPECT(has_said("must be between"));
        }
    }
    {
        for (int number = 0; number < huge_count; number++) {
            const size_t size = huge_sizes[number];
            FAILS(PINVIEW_ERROR_INVALID_ARGUMENT, pinview_model_builder_add_configuration(good.model_builder, TEXT("name"), (const pinview_string*)(NULL), size, ERROR)); EXPECT(has_said("must be between"));
        }
    }
    {
        for (int number = 0; number < huge_count; number++) {
            const size_t size = huge_sizes[number];
            FAILS(PINVIEW_ERROR_INVALID_ARGUMENT, pinview_model_builder_add_configuration(good.model_builder, TEXT("name"), (const pinview_string*)(short_array), size, ERROR)); EXPECT(has_said("must be between"));
        }
    }
    tear_down();
}

static void misuse_of_pinview_model_builder_build(void) {
    set_up();
    {
        pinview_model * out_out; memset(&out_out, 0, sizeof out_out);
        for (int number = 0; number < bad_count; number++) {
            void *bad = bad_handle(number, good.object);
            FAILS(PINVIEW_ERROR_INVALID_HANDLE, pinview_model_builder_build(bad, &out_out, NULL));
        }
        FAILS(PINVIEW_ERROR_INVALID_HANDLE, pinview_model_builder_build(NULL, &out_out, NULL));
    }
    {
        FAILS(PINVIEW_ERROR_INVALID_ARGUMENT, pinview_model_builder_build(good.model_builder, NULL, NULL));
    }
    tear_down();
}

static void misuse_of_pinview_model_create_from_json(void) {
    set_up();
    {
        FAILS(PINVIEW_ERROR_INVALID_ARGUMENT, pinview_model_create_from_json(TEXT("name"), NULL, NULL));
    }
    {
        pinview_model * out_out; memset(&out_out, 0, sizeof out_out);
        FAILS(PINVIEW_ERROR_INVALID_UTF8, pinview_model_create_from_json(TEXT("a\xff"), &out_out, NULL));
    }
    {
        pinview_model * out_out; memset(&out_out, 0, sizeof out_out);
        for (int number = 0; number < huge_count; number++) {
            FAILS(PINVIEW_ERROR_INVALID_ARGUMENT, pinview_model_create_from_json(huge_text(huge_sizes[number]), &out_out, ERROR)); EXPECT(has_said("must be between"));
        }
    }
    tear_down();
}

static void misuse_of_pinview_model_create_from_file(void) {
    set_up();
    {
        FAILS(PINVIEW_ERROR_INVALID_ARGUMENT, pinview_model_create_from_file(TEXT("name"), TEXT("name"), 0, NULL, NULL));
    }
    {
        pinview_model * out_out; memset(&out_out, 0, sizeof out_out);
        FAILS(PINVIEW_ERROR_INVALID_UTF8, pinview_model_create_from_file(TEXT("a\xff"), TEXT(PINVIEW_STORE_TYPE_IN_MEMORY), 0, &out_out, NULL));
    }
    {
        pinview_model * out_out; memset(&out_out, 0, sizeof out_out);
        FAILS(PINVIEW_ERROR_INVALID_UTF8, pinview_model_create_from_file(TEXT(PINVIEW_STORE_TYPE_IN_MEMORY), TEXT("a\xff"), 0, &out_out, NULL));
    }
    {
        pinview_model * out_out; memset(&out_out, 0, sizeof out_out);
        for (int bit = 0; bit < 32; bit++) {
            const uint32_t flag = UINT32_C(1) << bit;
            if ((UINT32_C(1) & flag) != 0) continue;
            FAILS(PINVIEW_ERROR_INVALID_ARGUMENT, pinview_model_create_from_file(TEXT("name"), TEXT("name"), flag, &out_out, ERROR));
            EXPECT(has_said("the flag ") || has_said("reserved"));
        }
    }
    {
        pinview_model * out_out; memset(&out_out, 0, sizeof out_out);
        for (int number = 0; number < huge_count; number++) {
            FAILS(PINVIEW_ERROR_INVALID_ARGUMENT, pinview_model_create_from_file(huge_text(huge_sizes[number]), TEXT(PINVIEW_STORE_TYPE_IN_MEMORY), 0, &out_out, ERROR)); EXPECT(has_said("must be between"));
        }
    }
    {
        pinview_model * out_out; memset(&out_out, 0, sizeof out_out);
        for (int number = 0; number < huge_count; number++) {
            FAILS(PINVIEW_ERROR_INVALID_ARGUMENT, pinview_model_create_from_file(TEXT(PINVIEW_STORE_TYPE_IN_MEMORY), huge_text(huge_sizes[number]), 0, &out_out, ERROR)); EXPECT(has_said("must be between"));
        }
    }
    tear_down();
}

static void misuse_of_pinview_model_create_from_data(void) {
    set_up();
    {
        pinview_binary no_bytes = {NULL, 0};
        FAILS(PINVIEW_ERROR_INVALID_ARGUMENT, pinview_model_create_from_data(no_bytes, 0, NULL, NULL));
    }
    {
        pinview_binary no_bytes = {NULL, 0};
        pinview_model * out_out; memset(&out_out, 0, sizeof out_out);
        for (int bit = 0; bit < 32; bit++) {
            const uint32_t flag = UINT32_C(1) << bit;
            if ((UINT32_C(1) & flag) != 0) continue;
            FAILS(PINVIEW_ERROR_INVALID_ARGUMENT, pinview_model_create_from_data(no_bytes, flag, &out_out, ERROR));
            EXPECT(has_said("the flag ") || has_said("reserved"));
        }
    }
    {
        pinview_model * out_out; memset(&out_out, 0, sizeof out_out);
        for (int number = 0; number < huge_count; number++) {
            FAILS(PINVIEW_ERROR_INVALID_ARGUMENT, pinview_model_create_from_data(huge_binary(huge_sizes[number]), 0, &out_out, ERROR)); EXPECT(has_said("must be between"));
        }
    }
    tear_down();
}

static void misuse_of_pinview_model_versions(void) {
    set_up();
    {
        pinview_string out_names; memset(&out_names, 0, sizeof out_names);
        size_t out_count; memset(&out_count, 0, sizeof out_count);
        pinview_string out_current; memset(&out_current, 0, sizeof out_current);
        for (int number = 0; number < bad_count; number++) {
            void *bad = bad_handle(number, good.object);
            FAILS(PINVIEW_ERROR_INVALID_HANDLE, pinview_model_versions(TEXT("name"), bad, &out_names, 0, &out_count, &out_current, NULL));
        }
        FAILS(PINVIEW_ERROR_INVALID_HANDLE, pinview_model_versions(TEXT("name"), NULL, &out_names, 0, &out_count, &out_current, NULL));
    }
    {
        pinview_string out_names; memset(&out_names, 0, sizeof out_names);
        size_t out_count; memset(&out_count, 0, sizeof out_count);
        pinview_string out_current; memset(&out_current, 0, sizeof out_current);
        FAILS(PINVIEW_ERROR_INVALID_UTF8, pinview_model_versions(TEXT("a\xff"), good.buffer, &out_names, 0, &out_count, &out_current, NULL));
    }
    {
        pinview_string out_names; memset(&out_names, 0, sizeof out_names);
        size_t out_count; memset(&out_count, 0, sizeof out_count);
        pinview_string out_current; memset(&out_current, 0, sizeof out_current);
        for (int number = 0; number < huge_count; number++) {
            FAILS(PINVIEW_ERROR_INVALID_ARGUMENT, pinview_model_versions(huge_text(huge_sizes[number]), good.buffer, &out_names, 0, &out_count, &out_current, ERROR)); EXPECT(has_said("must be between"));
        }
    }
    {
        pinview_string out_names; memset(&out_names, 0, sizeof out_names);
        size_t out_count; memset(&out_count, 0, sizeof out_count);
        pinview_string out_current; memset(&out_current, 0, sizeof out_current);
        guarded_place place_names;
        guarded_place place_count;
        guarded_place place_current;
        for (int number = 0; number < huge_count; number++) {
            const size_t size = huge_sizes[number];
            FAILS(PINVIEW_ERROR_INVALID_ARGUMENT, pinview_model_versions(TEXT("name"), good.buffer, guarded(&place_names), size, guarded(&place_count), guarded(&place_current), ERROR)); EXPECT(has_said("must be between"));
            EXPECT(is_untouched(&place_names));
            EXPECT(is_untouched(&place_count));
            EXPECT(is_untouched(&place_current));
        }
    }
    {
        pinview_string out_names; memset(&out_names, 0, sizeof out_names);
        size_t out_count; memset(&out_count, 0, sizeof out_count);
        pinview_string out_current; memset(&out_current, 0, sizeof out_current);
        guarded_place place_names;
        guarded_place place_count;
        guarded_place place_current;
        for (int number = 0; number < huge_count; number++) {
            const size_t size = huge_sizes[number];
            FAILS(PINVIEW_ERROR_INVALID_ARGUMENT, pinview_model_versions(TEXT("name"), good.buffer, guarded(&place_names), size, guarded(&place_count), guarded(&place_current), ERROR)); EXPECT(has_said("must be between"));
            EXPECT(is_untouched(&place_names));
            EXPECT(is_untouched(&place_count));
            EXPECT(is_untouched(&place_current));
        }
    }
    tear_down();
}

static void misuse_of_pinview_model_warning_count(void) {
    set_up();
    {
        for (int number = 0; number < bad_count; number++) {
            void *bad = bad_handle(number, good.object);
            EXPECT(pinview_model_warning_count(bad) == 0);
        }
        EXPECT(pinview_model_warning_count(NULL) == 0);
    }
    tear_down();
}

static void misuse_of_pinview_model_warning(void) {
    set_up();
    {
        pinview_string out_out; memset(&out_out, 0, sizeof out_out);
        for (int number = 0; number < bad_count; number++) {
            void *bad = bad_handle(number, good.object);
            FAILS(PINVIEW_ERROR_INVALID_HANDLE, pinview_model_warning(bad, 0, &out_out, NULL));
        }
        FAILS(PINVIEW_ERROR_INVALID_HANDLE, pinview_model_warning(NULL, 0, &out_out, NULL));
    }
    {
        FAILS(PINVIEW_ERROR_INVALID_ARGUMENT, pinview_model_warning(good.model, 0, NULL, NULL));
    }
    tear_down();
}

static void misuse_of_pinview_model_create_from_store(void) {
    set_up();
    {
        FAILS(PINVIEW_ERROR_INVALID_ARGUMENT, pinview_model_create_from_store(TEXT("name"), NULL, NULL));
    }
    {
        pinview_model * out_out; memset(&out_out, 0, sizeof out_out);
        FAILS(PINVIEW_ERROR_INVALID_UTF8, pinview_model_create_from_store(TEXT("a\xff"), &out_out, NULL));
    }
    {
        pinview_model * out_out; memset(&out_out, 0, sizeof out_out);
        for (int number = 0; number < huge_count; number++) {
            FAILS(PINVIEW_ERROR_INVALID_ARGUMENT, pinview_model_create_from_store(huge_text(huge_sizes[number]), &out_out, ERROR)); EXPECT(has_said("must be between"));
        }
    }
    tear_down();
}

static void misuse_of_pinview_model_create_from_tables(void) {
    set_up();
    {
        FAILS(PINVIEW_ERROR_INVALID_ARGUMENT, pinview_model_create_from_tables(TEXT("name"), NULL, NULL));
    }
    {
        pinview_model * out_out; memset(&out_out, 0, sizeof out_out);
        FAILS(PINVIEW_ERROR_INVALID_UTF8, pinview_model_create_from_tables(TEXT("a\xff"), &out_out, NULL));
    }
    {
        pinview_model * out_out; memset(&out_out, 0, sizeof out_out);
        for (int number = 0; number < huge_count; number++) {
            FAILS(PINVIEW_ERROR_INVALID_ARGUMENT, pinview_model_create_from_tables(huge_text(huge_sizes[number]), &out_out, ERROR)); EXPECT(has_said("must be between"));
        }
    }
    tear_down();
}

static void misuse_of_pinview_model_is_equal(void) {
    set_up();
    {
        for (int number = 0; number < bad_count; number++) {
            void *bad = bad_handle(number, good.object);
            EXPECT(pinview_model_is_equal(bad, good.model) == 0);
        }
        EXPECT(pinview_model_is_equal(NULL, good.model) == 0);
    }
    {
        for (int number = 0; number < bad_count; number++) {
            void *bad = bad_handle(number, good.object);
            EXPECT(pinview_model_is_equal(good.model, bad) == 0);
        }
        EXPECT(pinview_model_is_equal(good.model, NULL) == 0);
    }
    tear_down();
}

static void misuse_of_pinview_model_identity(void) {
    set_up();
    {
        for (int number = 0; number < bad_count; number++) {
            void *bad = bad_handle(number, good.object);
            EXPECT(pinview_model_identity(bad) == 0);
        }
        EXPECT(pinview_model_identity(NULL) == 0);
    }
    tear_down();
}

static void misuse_of_pinview_model_set_entity_hooks(void) {
    set_up();
    {
        pinview_entity_hooks in_hooks; memset(&in_hooks, 0, sizeof in_hooks);
        in_hooks.struct_size = sizeof in_hooks;
        for (int number = 0; number < bad_count; number++) {
            void *bad = bad_handle(number, good.object);
            FAILS(PINVIEW_ERROR_INVALID_HANDLE, pinview_model_set_entity_hooks(bad, TEXT("name"), &in_hooks, NULL, free_nothing, NULL));
        }
        FAILS(PINVIEW_ERROR_INVALID_HANDLE, pinview_model_set_entity_hooks(NULL, TEXT("name"), &in_hooks, NULL, free_nothing, NULL));
    }
    {
        pinview_entity_hooks in_hooks; memset(&in_hooks, 0, sizeof in_hooks);
        in_hooks.struct_size = sizeof in_hooks;
        FAILS(PINVIEW_ERROR_INVALID_UTF8, pinview_model_set_entity_hooks(good.model, TEXT("a\xff"), &in_hooks, NULL, free_nothing, NULL));
    }
    {
        pinview_entity_hooks in_hooks; memset(&in_hooks, 0, sizeof in_hooks);
        in_hooks.struct_size = sizeof in_hooks;
        union { pinview_entity_hooks known; unsigned char bytes[sizeof(pinview_entity_hooks) + extra_bytes]; } larger;
        memset(&larger, 0, sizeof larger);
        larger.known = in_hooks;
        for (size_t place = 0; place < extra_bytes; place += extra_bytes - 1) {
            larger.known.struct_size = sizeof larger;
            larger.bytes[sizeof(pinview_entity_hooks) + place] = 1;
            EXPECT_REFUSAL(pinview_model_set_entity_hooks(good.model, TEXT("name"), &larger.known, NULL, free_nothing, ERROR), "beyond the");
            larger.bytes[sizeof(pinview_entity_hooks) + place] = 0;
        }
        for (int number = 0; number < 3; number++) {
            const uint32_t sizes[] = {0, 4, UINT32_MAX};
            larger.known.struct_size = sizes[number];
            EXPECT_REFUSAL(pinview_model_set_entity_hooks(good.model, TEXT("name"), &larger.known, NULL, free_nothing, ERROR), "struct_size");
        }
        larger.known.struct_size = sizeof larger;
        (void)pinview_model_set_entity_hooks(good.model, TEXT("name"), &larger.known, NULL, free_nothing, ERROR);
        EXPECT(!has_said("beyond the") && !has_said("struct_size"));
    }
    {
        pinview_entity_hooks in_hooks; memset(&in_hooks, 0, sizeof in_hooks);
        in_hooks.struct_size = sizeof in_hooks;
        for (int bit = 0; bit < 32; bit++) {
            const uint32_t flag = UINT32_C(1) << bit;
            if ((UINT32_C(0) & flag) != 0) continue;
            pinview_entity_hooks usual = in_hooks;
            in_hooks.reserved |= flag;
            FAILS(PINVIEW_ERROR_INVALID_ARGUMENT, pinview_model_set_entity_hooks(good.model, TEXT("name"), &in_hooks, NULL, free_nothing, ERROR));
            EXPECT(has_said("the flag ") || has_said("reserved"));
            in_hooks = usual;
        }
    }
    {
        pinview_entity_hooks in_hooks; memset(&in_hooks, 0, sizeof in_hooks);
        in_hooks.struct_size = sizeof in_hooks;
        for (int number = 0; number < huge_count; number++) {
            FAILS(PINVIEW_ERROR_INVALID_ARGUMENT, pinview_model_set_entity_hooks(good.model, huge_text(huge_sizes[number]), &in_hooks, NULL, free_nothing, ERROR)); EXPECT(has_said("must be between"));
        }
    }
    {
        pinview_entity_hooks in_hooks; memset(&in_hooks, 0, sizeof in_hooks);
        in_hooks.struct_size = sizeof in_hooks;
        pinview_entity_hooks usual = in_hooks;
        for (int number = 0; number < huge_count; number++) {
            in_hooks.checked_key_count = huge_sizes[number];
            memcpy(&in_hooks.checked_keys, &(const void *){NULL}, sizeof in_hooks.checked_keys);
            FAILS(PINVIEW_ERROR_INVALID_ARGUMENT, pinview_model_set_entity_hooks(good.model, TEXT("name"), &in_hooks, NULL, free_nothing, ERROR)); EXPECT(has_said("must be between"));
            in_hooks = usual;
        }
    }
    {
        pinview_entity_hooks in_hooks; memset(&in_hooks, 0, sizeof in_hooks);
        in_hooks.struct_size = sizeof in_hooks;
        pinview_entity_hooks usual = in_hooks;
        for (int number = 0; number < huge_count; number++) {
            in_hooks.checked_key_count = huge_sizes[number];
            memcpy(&in_hooks.checked_keys, &(const void *){short_array}, sizeof in_hooks.checked_keys);
            FAILS(PINVIEW_ERROR_INVALID_ARGUMENT, pinview_model_set_entity_hooks(good.model, TEXT("name"), &in_hooks, NULL, free_nothing, ERROR)); EXPECT(has_said("must be between"));
            in_hooks = usual;
        }
    }
    tear_down();
}

static void misuse_of_pinview_model_difference(void) {
    set_up();
    {
        pinview_string out_out; memset(&out_out, 0, sizeof out_out);
        for (int number = 0; number < bad_count; number++) {
            void *bad = bad_handle(number, good.object);
            FAILS(PINVIEW_ERROR_INVALID_HANDLE, pinview_model_difference(bad, good.model, TEXT("name"), &out_out, NULL));
        }
        FAILS(PINVIEW_ERROR_INVALID_HANDLE, pinview_model_difference(NULL, good.model, TEXT("name"), &out_out, NULL));
    }
    {
        pinview_string out_out; memset(&out_out, 0, sizeof out_out);
        for (int number = 0; number < bad_count; number++) {
            void *bad = bad_handle(number, good.object);
            FAILS(PINVIEW_ERROR_INVALID_HANDLE, pinview_model_difference(good.model, bad, TEXT("name"), &out_out, NULL));
        }
        FAILS(PINVIEW_ERROR_INVALID_HANDLE, pinview_model_difference(good.model, NULL, TEXT("name"), &out_out, NULL));
    }
    {
        FAILS(PINVIEW_ERROR_INVALID_ARGUMENT, pinview_model_difference(good.model, good.model, TEXT("name"), NULL, NULL));
    }
    {
        pinview_string out_out; memset(&out_out, 0, sizeof out_out);
        FAILS(PINVIEW_ERROR_INVALID_UTF8, pinview_model_difference(good.model, good.model, TEXT("a\xff"), &out_out, NULL));
    }
    {
        pinview_string out_out; memset(&out_out, 0, sizeof out_out);
        for (int number = 0; number < huge_count; number++) {
            FAILS(PINVIEW_ERROR_INVALID_ARGUMENT, pinview_model_difference(good.model, good.model, huge_text(huge_sizes[number]), &out_out, ERROR)); EXPECT(has_said("must be between"));
        }
    }
    tear_down();
}

static void misuse_of_pinview_model_migration_plan(void) {
    set_up();
    {
        pinview_string out_out; memset(&out_out, 0, sizeof out_out);
        for (int number = 0; number < bad_count; number++) {
            void *bad = bad_handle(number, good.object);
            FAILS(PINVIEW_ERROR_INVALID_HANDLE, pinview_model_migration_plan(bad, TEXT("name"), TEXT("name"), NULL, 0, 0, &out_out, NULL));
        }
        FAILS(PINVIEW_ERROR_INVALID_HANDLE, pinview_model_migration_plan(NULL, TEXT("name"), TEXT("name"), NULL, 0, 0, &out_out, NULL));
    }
    {
        FAILS(PINVIEW_ERROR_INVALID_ARGUMENT, pinview_model_migration_plan(good.model, TEXT("name"), TEXT("name"), NULL, 0, 0, NULL, NULL));
    }
    {
        pinview_string out_out; memset(&out_out, 0, sizeof out_out);
        FAILS(PINVIEW_ERROR_INVALID_UTF8, pinview_model_migration_plan(good.model, TEXT("a\xff"), TEXT("name"), NULL, 0, 0, &out_out, NULL));
    }
    {
        pinview_string out_out; memset(&out_out, 0, sizeof out_out);
        FAILS(PINVIEW_ERROR_INVALID_UTF8, pinview_model_migration_plan(good.model, TEXT("name"), TEXT("a\xff"), NULL, 0, 0, &out_out, NULL));
    }
    {
        pinview_string out_out; memset(&out_out, 0, sizeof out_out);
        for (int number = 0; number < huge_count; number++) {
            FAILS(PINVIEW_ERROR_INVALID_ARGUMENT, pinview_model_migration_plan(good.model, huge_text(huge_sizes[number]), TEXT("name"), NULL, 0, 0, &out_out, ERROR)); EXPECT(has_said("must be between"));
        }
    }
    {
        pinview_string out_out; memset(&out_out, 0, sizeof out_out);
        for (int number = 0; number < huge_count; number++) {
            FAILS(PINVIEW_ERROR_INVALID_ARGUMENT, pinview_model_migration_plan(good.model, TEXT("name"), huge_text(huge_sizes[number]), NULL, 0, 0, &out_out, ERROR)); EXPECT(has_said("must be between"));
        }
    }
    {
        pinview_string out_out; memset(&out_out, 0, sizeof out_out);
        guarded_place place_out;
        for (int number = 0; number < huge_count; number++) {
            const size_t size = huge_sizes[number];
            FAILS(PINVIEW_ERROR_INVALID_ARGUMENT, pinview_model_migration_plan(good.model, TEXT("name"), TEXT("name"), (const pinview_named_value*)(NULL), size, 0, guarded(&place_out), ERROR)); EXPECT(has_said("must be between"));
            EXPECT(is_untouched(&place_out));
        }
    }
    {
        pinview_string out_out; memset(&out_out, 0, sizeof out_out);
        guarded_place place_out;
        for (int number = 0; number < huge_count; number++) {
            const size_t size = huge_sizes[number];
            FAILS(PINVIEW_ERROR_INVALID_ARGUMENT, pinview_model_migration_plan(good.model, TEXT("name"), TEXT("name"), (const pinview_named_value*)(short_array), size, 0, guarded(&place_out), ERROR)); EXPECT(has_said("must be between"));
            EXPECT(is_untouched(&place_out));
        }
    }
    tear_down();
}

static void misuse_of_pinview_model_version_checksum(void) {
    set_up();
    {
        for (int number = 0; number < bad_count; number++) {
            void *bad = bad_handle(number, good.object);
            EXPECT_TEXT(pinview_model_version_checksum(bad), NULL);
        }
        EXPECT_TEXT(pinview_model_version_checksum(NULL), NULL);
    }
    tear_down();
}

static void misuse_of_pinview_model_json(void) {
    set_up();
    {
        pinview_string out_out; memset(&out_out, 0, sizeof out_out);
        for (int number = 0; number < bad_count; number++) {
            void *bad = bad_handle(number, good.object);
            FAILS(PINVIEW_ERROR_INVALID_HANDLE, pinview_model_json(bad, &out_out, NULL));
        }
        FAILS(PINVIEW_ERROR_INVALID_HANDLE, pinview_model_json(NULL, &out_out, NULL));
    }
    {
        FAILS(PINVIEW_ERROR_INVALID_ARGUMENT, pinview_model_json(good.model, NULL, NULL));
    }
    tear_down();
}

static void misuse_of_pinview_model_entity_count(void) {
    set_up();
    {
        for (int number = 0; number < bad_count; number++) {
            void *bad = bad_handle(number, good.object);
            EXPECT(pinview_model_entity_count(bad) == 0);
        }
        EXPECT(pinview_model_entity_count(NULL) == 0);
    }
    tear_down();
}

static void misuse_of_pinview_model_entity(void) {
    set_up();
    {
        pinview_entity * out_out; memset(&out_out, 0, sizeof out_out);
        for (int number = 0; number < bad_count; number++) {
            void *bad = bad_handle(number, good.object);
            FAILS(PINVIEW_ERROR_INVALID_HANDLE, pinview_model_entity(bad, 0, &out_out, NULL));
        }
        FAILS(PINVIEW_ERROR_INVALID_HANDLE, pinview_model_entity(NULL, 0, &out_out, NULL));
    }
    {
        FAILS(PINVIEW_ERROR_INVALID_ARGUMENT, pinview_model_entity(good.model, 0, NULL, NULL));
    }
    tear_down();
}

static void misuse_of_pinview_model_entity_named(void) {
    set_up();
    {
        pinview_entity * out_out; memset(&out_out, 0, sizeof out_out);
        for (int number = 0; number < bad_count; number++) {
            void *bad = bad_handle(number, good.object);
            FAILS(PINVIEW_ERROR_INVALID_HANDLE, pinview_model_entity_named(bad, TEXT("name"), &out_out, NULL));
        }
        FAILS(PINVIEW_ERROR_INVALID_HANDLE, pinview_model_entity_named(NULL, TEXT("name"), &out_out, NULL));
    }
    {
        FAILS(PINVIEW_ERROR_INVALID_ARGUMENT, pinview_model_entity_named(good.model, TEXT("name"), NULL, NULL));
    }
    {
        pinview_entity * out_out; memset(&out_out, 0, sizeof out_out);
        FAILS(PINVIEW_ERROR_INVALID_UTF8, pinview_model_entity_named(good.model, TEXT("a\xff"), &out_out, NULL));
    }
    {
        pinview_entity * out_out; memset(&out_out, 0, sizeof out_out);
        for (int number = 0; number < huge_count; number++) {
            FAILS(PINVIEW_ERROR_INVALID_ARGUMENT, pinview_model_entity_named(good.model, huge_text(huge_sizes[number]), &out_out, ERROR)); EXPECT(has_said("must be between"));
        }
    }
    tear_down();
}

static void misuse_of_pinview_entity_name(void) {
    set_up();
    {
        for (int number = 0; number < bad_count; number++) {
            void *bad = bad_handle(number, good.object);
            EXPECT_TEXT(pinview_entity_name(bad), NULL);
        }
        EXPECT_TEXT(pinview_entity_name(NULL), NULL);
    }
    tear_down();
}

static void misuse_of_pinview_entity_parent_name(void) {
    set_up();
    {
        for (int number = 0; number < bad_count; number++) {
            void *bad = bad_handle(number, good.object);
            EXPECT_TEXT(pinview_entity_parent_name(bad), NULL);
        }
        EXPECT_TEXT(pinview_entity_parent_name(NULL), NULL);
    }
    tear_down();
}

static void misuse_of_pinview_entity_is_abstract(void) {
    set_up();
    {
        for (int number = 0; number < bad_count; number++) {
            void *bad = bad_handle(number, good.object);
            EXPECT(pinview_entity_is_abstract(bad) == 0);
        }
        EXPECT(pinview_entity_is_abstract(NULL) == 0);
    }
    tear_down();
}

static void misuse_of_pinview_entity_property_count(void) {
    set_up();
    {
        for (int number = 0; number < bad_count; number++) {
            void *bad = bad_handle(number, good.object);
            EXPECT(pinview_entity_property_count(bad) == 0);
        }
        EXPECT(pinview_entity_property_count(NULL) == 0);
    }
    tear_down();
}

static void misuse_of_pinview_entity_property(void) {
    set_up();
    {
        pinview_property out_out; memset(&out_out, 0, sizeof out_out);
        out_out.struct_size = sizeof out_out;
        for (int number = 0; number < bad_count; number++) {
            void *bad = bad_handle(number, good.object);
            FAILS(PINVIEW_ERROR_INVALID_HANDLE, pinview_entity_property(bad, 0, &out_out, NULL));
        }
        FAILS(PINVIEW_ERROR_INVALID_HANDLE, pinview_entity_property(NULL, 0, &out_out, NULL));
    }
    {
        FAILS(PINVIEW_ERROR_INVALID_ARGUMENT, pinview_entity_property(good.entity, 0, NULL, NULL));
    }
    {
        pinview_property out_out; memset(&out_out, 0, sizeof out_out);
        out_out.struct_size = sizeof out_out;
        union { pinview_property known; unsigned char bytes[sizeof(pinview_property) + extra_bytes]; } larger;
        memset(&larger, 0, sizeof larger);
        larger.known = out_out;
        larger.known.struct_size = sizeof(pinview_property);
        int is_good = pinview_entity_property(good.entity, 0, &larger.known, ERROR) == PINVIEW_OK;
        for (int number = 0; is_good && number < 3; number++) {
            const uint32_t sizes[] = {0, 4, UINT32_MAX};
            larger.known.struct_size = sizes[number];
            EXPECT_REFUSAL(pinview_entity_property(good.entity, 0, &larger.known, ERROR), "struct_size");
        }
        larger.known.struct_size = sizeof larger;
        memset(larger.bytes + sizeof(pinview_property), 7, extra_bytes);
        if (is_good) OK(pinview_entity_property(good.entity, 0, &larger.known, ERROR));
        for (size_t place = 0; is_good && place < extra_bytes; place++)
            EXPECT_NUMBER(larger.bytes[sizeof(pinview_property) + place], 0);
    }
    tear_down();
}

static void misuse_of_pinview_entity_property_index(void) {
    set_up();
    {
        int32_t out_out; memset(&out_out, 0, sizeof out_out);
        for (int number = 0; number < bad_count; number++) {
            void *bad = bad_handle(number, good.object);
            FAILS(PINVIEW_ERROR_INVALID_HANDLE, pinview_entity_property_index(bad, TEXT("name"), &out_out, NULL));
        }
        FAILS(PINVIEW_ERROR_INVALID_HANDLE, pinview_entity_property_index(NULL, TEXT("name"), &out_out, NULL));
    }
    {
        FAILS(PINVIEW_ERROR_INVALID_ARGUMENT, pinview_entity_property_index(good.entity, TEXT("name"), NULL, NULL));
    }
    {
        int32_t out_out; memset(&out_out, 0, sizeof out_out);
        FAILS(PINVIEW_ERROR_INVALID_UTF8, pinview_entity_property_index(good.entity, TEXT("a\xff"), &out_out, NULL));
    }
    {
        int32_t out_out; memset(&out_out, 0, sizeof out_out);
        for (int number = 0; number < huge_count; number++) {
            FAILS(PINVIEW_ERROR_INVALID_ARGUMENT, pinview_entity_property_index(good.entity, huge_text(huge_sizes[number]), &out_out, ERROR)); EXPECT(has_said("must be between"));
        }
    }
    tear_down();
}

static void misuse_of_pinview_entity_composite_count(void) {
    set_up();
    {
        for (int number = 0; number < bad_count; number++) {
            void *bad = bad_handle(number, good.object);
            EXPECT(pinview_entity_composite_count(bad) == 0);
        }
        EXPECT(pinview_entity_composite_count(NULL) == 0);
    }
    tear_down();
}

static void misuse_of_pinview_entity_composite(void) {
    set_up();
    {
        pinview_composite out_out; memset(&out_out, 0, sizeof out_out);
        for (int number = 0; number < bad_count; number++) {
            void *bad = bad_handle(number, good.object);
            FAILS(PINVIEW_ERROR_INVALID_HANDLE, pinview_entity_composite(bad, 0, &out_out, NULL));
        }
        FAILS(PINVIEW_ERROR_INVALID_HANDLE, pinview_entity_composite(NULL, 0, &out_out, NULL));
    }
    {
        FAILS(PINVIEW_ERROR_INVALID_ARGUMENT, pinview_entity_composite(good.entity, 0, NULL, NULL));
    }
    {
        pinview_composite out_out; memset(&out_out, 0, sizeof out_out);
        union { pinview_composite known; unsigned char bytes[sizeof(pinview_composite) + extra_bytes]; } larger;
        memset(&larger, 0, sizeof larger);
        larger.known = out_out;
        larger.known.struct_size = sizeof(pinview_composite);
        int is_good = pinview_entity_composite(good.entity, 0, &larger.known, ERROR) == PINVIEW_OK;
        for (int number = 0; is_good && number < 3; number++) {
            const uint32_t sizes[] = {0, 4, UINT32_MAX};
            larger.known.struct_size = sizes[number];
            EXPECT_REFUSAL(pinview_entity_composite(good.entity, 0, &larger.known, ERROR), "struct_size");
        }
        larger.known.struct_size = sizeof larger;
        memset(larger.bytes + sizeof(pinview_composite), 7, extra_bytes);
        if (is_good) OK(pinview_entity_composite(good.entity, 0, &larger.known, ERROR));
        for (size_t place = 0; is_good && place < extra_bytes; place++)
            EXPECT_NUMBER(larger.bytes[sizeof(pinview_composite) + place], 0);
    }
    tear_down();
}

static void misuse_of_pinview_coordinator_create(void) {
    set_up();
    {
        pinview_coordinator * out_out; memset(&out_out, 0, sizeof out_out);
        for (int number = 0; number < bad_count; number++) {
            void *bad = bad_handle(number, good.object);
            FAILS(PINVIEW_ERROR_INVALID_HANDLE, pinview_coordinator_create(bad, &out_out, NULL));
        }
        FAILS(PINVIEW_ERROR_INVALID_HANDLE, pinview_coordinator_create(NULL, &out_out, NULL));
    }
    {
        FAILS(PINVIEW_ERROR_INVALID_ARGUMENT, pinview_coordinator_create(good.model, NULL, NULL));
    }
    tear_down();
}

static void misuse_of_pinview_coordinator_is_equal(void) {
    set_up();
    {
        for (int number = 0; number < bad_count; number++) {
            void *bad = bad_handle(number, good.object);
            EXPECT(pinview_coordinator_is_equal(bad, good.coordinator) == 0);
        }
        EXPECT(pinview_coordinator_is_equal(NULL, good.coordinator) == 0);
    }
    {
        for (int number = 0; number < bad_count; number++) {
            void *bad = bad_handle(number, good.object);
            EXPECT(pinview_coordinator_is_equal(good.coordinator, bad) == 0);
        }
        EXPECT(pinview_coordinator_is_equal(good.coordinator, NULL) == 0);
    }
    tear_down();
}

static void misuse_of_pinview_coordinator_model(void) {
    set_up();
    {
        pinview_model * out_out; memset(&out_out, 0, sizeof out_out);
        for (int number = 0; number < bad_count; number++) {
            void *bad = bad_handle(number, good.object);
            FAILS(PINVIEW_ERROR_INVALID_HANDLE, pinview_coordinator_model(bad, &out_out, NULL));
        }
        FAILS(PINVIEW_ERROR_INVALID_HANDLE, pinview_coordinator_model(NULL, &out_out, NULL));
    }
    {
        FAILS(PINVIEW_ERROR_INVALID_ARGUMENT, pinview_coordinator_model(good.coordinator, NULL, NULL));
    }
    tear_down();
}

static void misuse_of_pinview_coordinator_set_name(void) {
    set_up();
    {
        for (int number = 0; number < bad_count; number++) {
            void *bad = bad_handle(number, good.object);
            FAILS(PINVIEW_ERROR_INVALID_HANDLE, pinview_coordinator_set_name(bad, TEXT("name"), NULL));
        }
        FAILS(PINVIEW_ERROR_INVALID_HANDLE, pinview_coordinator_set_name(NULL, TEXT("name"), NULL));
    }
    {
        FAILS(PINVIEW_ERROR_INVALID_UTF8, pinview_coordinator_set_name(good.coordinator, TEXT("a\xff"), NULL));
    }
    {
        for (int number = 0; number < huge_count; number++) {
            FAILS(PINVIEW_ERROR_INVALID_ARGUMENT, pinview_coordinator_set_name(good.coordinator, huge_text(huge_sizes[number]), ERROR)); EXPECT(has_said("must be between"));
        }
    }
    tear_down();
}

static void misuse_of_pinview_coordinator_name(void) {
    set_up();
    {
        for (int number = 0; number < bad_count; number++) {
            void *bad = bad_handle(number, good.object);
            EXPECT_TEXT(pinview_coordinator_name(bad), NULL);
        }
        EXPECT_TEXT(pinview_coordinator_name(NULL), NULL);
    }
    tear_down();
}

static void misuse_of_pinview_coordinator_add_store(void) {
    set_up();
    {
        pinview_store * out_out; memset(&out_out, 0, sizeof out_out);
        for (int number = 0; number < bad_count; number++) {
            void *bad = bad_handle(number, good.object);
            FAILS(PINVIEW_ERROR_INVALID_HANDLE, pinview_coordinator_add_store(bad, TEXT("name"), TEXT("name"), TEXT("name"), NULL, 0, &out_out, NULL));
        }
        FAILS(PINVIEW_ERROR_INVALID_HANDLE, pinview_coordinator_add_store(NULL, TEXT("name"), TEXT("name"), TEXT("name"), NULL, 0, &out_out, NULL));
    }
    {
        pinview_store * out_out; memset(&out_out, 0, sizeof out_out);
        FAILS(PINVIEW_ERROR_INVALID_UTF8, pinview_coordinator_add_store(good.coordinator, TEXT("a\xff"), TEXT(PINVIEW_STORE_TYPE_IN_MEMORY), TEXT("name"), NULL, 0, &out_out, NULL));
    }
    {
        pinview_store * out_out; memset(&out_out, 0, sizeof out_out);
        FAILS(PINVIEW_ERROR_INVALID_UTF8, pinview_coordinator_add_store(good.coordinator, TEXT(PINVIEW_STORE_TYPE_IN_MEMORY), TEXT("a\xff"), TEXT("name"), NULL, 0, &out_out, NULL));
    }
    {
        pinview_store * out_out; memset(&out_out, 0, sizeof out_out);
        FAILS(PINVIEW_ERROR_INVALID_UTF8, pinview_coordinator_add_store(good.coordinator, TEXT(PINVIEW_STORE_TYPE_IN_MEMORY), TEXT("name"), TEXT("a\xff"), NULL, 0, &out_out, NULL));
    }
    {
        pinview_store * out_out; memset(&out_out, 0, sizeof out_out);
        for (int number = 0; number < huge_count; number++) {
            FAILS(PINVIEW_ERROR_INVALID_ARGUMENT, pinview_coordinator_add_store(good.coordinator, huge_text(huge_sizes[number]), TEXT(PINVIEW_STORE_TYPE_IN_MEMORY), TEXT("name"), NULL, 0, &out_out, ERROR)); EXPECT(has_said("must be between"));
        }
    }
    {
        pinview_store * out_out; memset(&out_out, 0, sizeof out_out);
        for (int number = 0; number < huge_count; number++) {
            FAILS(PINVIEW_ERROR_INVALID_ARGUMENT, pinview_coordinator_add_store(good.coordinator, TEXT(PINVIEW_STORE_TYPE_IN_MEMORY), huge_text(huge_sizes[number]), TEXT("name"), NULL, 0, &out_out, ERROR)); EXPECT(has_said("must be between"));
        }
    }
    {
        pinview_store * out_out; memset(&out_out, 0, sizeof out_out);
        for (int number = 0; number < huge_count; number++) {
            FAILS(PINVIEW_ERROR_INVALID_ARGUMENT, pinview_coordinator_add_store(good.coordinator, TEXT(PINVIEW_STORE_TYPE_IN_MEMORY), TEXT("name"), huge_text(huge_sizes[number]), NULL, 0, &out_out, ERROR)); EXPECT(has_said("must be between"));
        }
    }
    {
        pinview_store * out_out; memset(&out_out, 0, sizeof out_out);
        guarded_place place_out;
        for (int number = 0; number < huge_count; number++) {
            const size_t size = huge_sizes[number];
            FAILS(PINVIEW_ERROR_INVALID_ARGUMENT, pinview_coordinator_add_store(good.coordinator, TEXT(PINVIEW_STORE_TYPE_IN_MEMORY), TEXT("name"), TEXT("name"), (const pinview_named_value*)(NULL), size, guarded(&place_out), ERROR)); EXPECT(has_said("must be between"));
            EXPECT(is_untouched(&place_out));
        }
    }
    {
        pinview_store * out_out; memset(&out_out, 0, sizeof out_out);
        guarded_place place_out;
        for (int number = 0; number < huge_count; number++) {
            const size_t size = huge_sizes[number];
            FAILS(PINVIEW_ERROR_INVALID_ARGUMENT, pinview_coordinator_add_store(good.coordinator, TEXT(PINVIEW_STORE_TYPE_IN_MEMORY), TEXT("name"), TEXT("name"), (const pinview_named_value*)(short_array), size, guarded(&place_out), ERROR)); EXPECT(has_said("must be between"));
            EXPECT(is_untouched(&place_out));
        }
    }
    tear_down();
}

static void misuse_of_pinview_coordinator_add_migrated_store(void) {
    set_up();
    {
        pinview_migration in_migration; memset(&in_migration, 0, sizeof in_migration);
        in_migration.struct_size = sizeof in_migration;
        pinview_store * out_out; memset(&out_out, 0, sizeof out_out);
        for (int number = 0; number < bad_count; number++) {
            void *bad = bad_handle(number, good.object);
            FAILS(PINVIEW_ERROR_INVALID_HANDLE, pinview_coordinator_add_migrated_store(bad, TEXT("name"), TEXT("name"), TEXT("name"), NULL, 0, &in_migration, &out_out, NULL));
        }
        FAILS(PINVIEW_ERROR_INVALID_HANDLE, pinview_coordinator_add_migrated_store(NULL, TEXT("name"), TEXT("name"), TEXT("name"), NULL, 0, &in_migration, &out_out, NULL));
    }
    {
        pinview_migration in_migration; memset(&in_migration, 0, sizeof in_migration);
        in_migration.struct_size = sizeof in_migration;
        pinview_store * out_out; memset(&out_out, 0, sizeof out_out);
        FAILS(PINVIEW_ERROR_INVALID_UTF8, pinview_coordinator_add_migrated_store(good.coordinator, TEXT("a\xff"), TEXT(PINVIEW_STORE_TYPE_IN_MEMORY), TEXT("name"), NULL, 0, &in_migration, &out_out, NULL));
    }
    {
        pinview_migration in_migration; memset(&in_migration, 0, sizeof in_migration);
        in_migration.struct_size = sizeof in_migration;
        pinview_store * out_out; memset(&out_out, 0, sizeof out_out);
        FAILS(PINVIEW_ERROR_INVALID_UTF8, pinview_coordinator_add_migrated_store(good.coordinator, TEXT(PINVIEW_STORE_TYPE_IN_MEMORY), TEXT("a\xff"), TEXT("name"), NULL, 0, &in_migration, &out_out, NULL));
    }
    {
        pinview_migration in_migration; memset(&in_migration, 0, sizeof in_migration);
        in_migration.struct_size = sizeof in_migration;
        pinview_store * out_out; memset(&out_out, 0, sizeof out_out);
        FAILS(PINVIEW_ERROR_INVALID_UTF8, pinview_coordinator_add_migrated_store(good.coordinator, TEXT(PINVIEW_STORE_TYPE_IN_MEMORY), TEXT("name"), TEXT("a\xff"), NULL, 0, &in_migration, &out_out, NULL));
    }
    {
        pinview_migration in_migration; memset(&in_migration, 0, sizeof in_migration);
        in_migration.struct_size = sizeof in_migration;
        pinview_store * out_out; memset(&out_out, 0, sizeof out_out);
        union { pinview_migration known; unsigned char bytes[sizeof(pinview_migration) + extra_bytes]; } larger;
        memset(&larger, 0, sizeof larger);
        larger.known = in_migration;
        for (size_t place = 0; place < extra_bytes; place += extra_bytes - 1) {
            larger.known.struct_size = sizeof larger;
            larger.bytes[sizeof(pinview_migration) + place] = 1;
            EXPECT_REFUSAL(pinview_coordinator_add_migrated_store(good.coordinator, TEXT("name"), TEXT("name"), TEXT("name"), NULL, 0, &larger.known, &out_out, ERROR), "beyond the");
            larger.bytes[sizeof(pinview_migration) + place] = 0;
        }
        for (int number = 0; number < 3; number++) {
            const uint32_t sizes[] = {0, 4, UINT32_MAX};
            larger.known.struct_size = sizes[number];
            EXPECT_REFUSAL(pinview_coordinator_add_migrated_store(good.coordinator, TEXT("name"), TEXT("name"), TEXT("name"), NULL, 0, &larger.known, &out_out, ERROR), "struct_size");
        }
        larger.known.struct_size = sizeof larger;
        (void)pinview_coordinator_add_migrated_store(good.coordinator, TEXT("name"), TEXT("name"), TEXT("name"), NULL, 0, &larger.known, &out_out, ERROR);
        EXPECT(!has_said("beyond the") && !has_said("struct_size"));
        if (out_out != NULL) (void)pinview_store_release(out_out);
    }
    {
        pinview_migration in_migration; memset(&in_migration, 0, sizeof in_migration);
        in_migration.struct_size = sizeof in_migration;
        pinview_store * out_out; memset(&out_out, 0, sizeof out_out);
        for (int bit = 0; bit < 32; bit++) {
            const uint32_t flag = UINT32_C(1) << bit;
            if ((UINT32_C(0) & flag) != 0) continue;
            pinview_migration usual = in_migration;
            in_migration.reserved |= flag;
            FAILS(PINVIEW_ERROR_INVALID_ARGUMENT, pinview_coordinator_add_migrated_store(good.coordinator, TEXT("name"), TEXT("name"), TEXT("name"), NULL, 0, &in_migration, &out_out, ERROR));
            EXPECT(has_said("the flag ") || has_said("reserved"));
            in_migration = usual;
        }
    }
    {
        pinview_migration in_migration; memset(&in_migration, 0, sizeof in_migration);
        in_migration.struct_size = sizeof in_migration;
        pinview_store * out_out; memset(&out_out, 0, sizeof out_out);
        for (int number = 0; number < huge_count; number++) {
            FAILS(PINVIEW_ERROR_INVALID_ARGUMENT, pinview_coordinator_add_migrated_store(good.coordinator, huge_text(huge_sizes[number]), TEXT(PINVIEW_STORE_TYPE_IN_MEMORY), TEXT("name"), NULL, 0, &in_migration, &out_out, ERROR)); EXPECT(has_said("must be between"));
        }
    }
    {
        pinview_migration in_migration; memset(&in_migration, 0, sizeof in_migration);
        in_migration.struct_size = sizeof in_migration;
        pinview_store * out_out; memset(&out_out, 0, sizeof out_out);
        for (int number = 0; number < huge_count; number++) {
            FAILS(PINVIEW_ERROR_INVALID_ARGUMENT, pinview_coordinator_add_migrated_store(good.coordinator, TEXT(PINVIEW_STORE_TYPE_IN_MEMORY), huge_text(huge_sizes[number]), TEXT("name"), NULL, 0, &in_migration, &out_out, ERROR)); EXPECT(has_said("must be between"));
        }
    }
    {
        pinview_migration in_migration; memset(&in_migration, 0, sizeof in_migration);
        in_migration.struct_size = sizeof in_migration;
        pinview_store * out_out; memset(&out_out, 0, sizeof out_out);
        for (int number = 0; number < huge_count; number++) {
            FAILS(PINVIEW_ERROR_INVALID_ARGUMENT, pinview_coordinator_add_migrated_store(good.coordinator, TEXT(PINVIEW_STORE_TYPE_IN_MEMORY), TEXT("name"), huge_text(huge_sizes[number]), NULL, 0, &in_migration, &out_out, ERROR)); EXPECT(has_said("must be between"));
        }
    }
    {
        pinview_migration in_migration; memset(&in_migration, 0, sizeof in_migration);
        in_migration.struct_size = sizeof in_migration;
        pinview_store * out_out; memset(&out_out, 0, sizeof out_out);
        guarded_place place_out;
        for (int number = 0; number < huge_count; number++) {
            const size_t size = huge_sizes[number];
            FAILS(PINVIEW_ERROR_INVALID_ARGUMENT, pinview_coordinator_add_migrated_store(good.coordinator, TEXT(PINVIEW_STORE_TYPE_IN_MEMORY), TEXT("name"), TEXT("name"), (const pinview_named_value*)(NULL), size, &in_migration, guarded(&place_out), ERROR)); EXPECT(has_said("must be between"));
            EXPECT(is_untouched(&place_out));
        }
    }
    {
        pinview_migration in_migration; memset(&in_migration, 0, sizeof in_migration);
        in_migration.struct_size = sizeof in_migration;
        pinview_store * out_out; memset(&out_out, 0, sizeof out_out);
        guarded_place place_out;
        for (int number = 0; number < huge_count; number++) {
            const size_t size = huge_sizes[number];
            FAILS(PINVIEW_ERROR_INVALID_ARGUMENT, pinview_coordinator_add_migrated_store(good.coordinator, TEXT(PINVIEW_STORE_TYPE_IN_MEMORY), TEXT("name"), TEXT("name"), (const pinview_named_value*)(short_array), size, &in_migration, guarded(&place_out), ERROR)); EXPECT(has_said("must be between"));
            EXPECT(is_untouched(&place_out));
        }
    }
    {
        pinview_migration in_migration; memset(&in_migration, 0, sizeof in_migration);
        in_migration.struct_size = sizeof in_migration;
        pinview_store * out_out; memset(&out_out, 0, sizeof out_out);
        pinview_migration usual = in_migration;
        for (int number = 0; number < huge_count; number++) {
            in_migration.version_count = huge_sizes[number];
            memcpy(&in_migration.versions, &(const void *){NULL}, sizeof in_migration.versions);
            FAILS(PINVIEW_ERROR_INVALID_ARGUMENT, pinview_coordinator_add_migrated_store(good.coordinator, TEXT("name"), TEXT("name"), TEXT("name"), NULL, 0, &in_migration, &out_out, ERROR)); EXPECT(has_said("must be between"));
            in_migration = usual;
        }
    }
    {
        pinview_migration in_migration; memset(&in_migration, 0, sizeof in_migration);
        in_migration.struct_size = sizeof in_migration;
        pinview_store * out_out; memset(&out_out, 0, sizeof out_out);
        pinview_migration usual = in_migration;
        for (int number = 0; number < huge_count; number++) {
            in_migration.version_count = huge_sizes[number];
            memcpy(&in_migration.versions, &(const void *){short_array}, sizeof in_migration.versions);
            FAILS(PINVIEW_ERROR_INVALID_ARGUMENT, pinview_coordinator_add_migrated_store(good.coordinator, TEXT("name"), TEXT("name"), TEXT("name"), NULL, 0, &in_migration, &out_out, ERROR)); EXPECT(has_said("must be between"));
            in_migration = usual;
        }
    }
    {
        pinview_migration in_migration; memset(&in_migration, 0, sizeof in_migration);
        in_migration.struct_size = sizeof in_migration;
        pinview_store * out_out; memset(&out_out, 0, sizeof out_out);
        pinview_migration usual = in_migration;
        for (int number = 0; number < huge_count; number++) {
            in_migration.stage_count = huge_sizes[number];
            memcpy(&in_migration.stages, &(const void *){NULL}, sizeof in_migration.stages);
            FAILS(PINVIEW_ERROR_INVALID_ARGUMENT, pinview_coordinator_add_migrated_store(good.coordinator, TEXT("name"), TEXT("name"), TEXT("name"), NULL, 0, &in_migration, &out_out, ERROR)); EXPECT(has_said("must be between"));
            in_migration = usual;
        }
    }
    {
        pinview_migration in_migration; memset(&in_migration, 0, sizeof in_migration);
        in_migration.struct_size = sizeof in_migration;
        pinview_store * out_out; memset(&out_out, 0, sizeof out_out);
        pinview_migration usual = in_migration;
        for (int number = 0; number < huge_count; number++) {
            in_migration.stage_count = huge_sizes[number];
            memcpy(&in_migration.stages, &(const void *){short_array}, sizeof in_migration.stages);
            FAILS(PINVIEW_ERROR_INVALID_ARGUMENT, pinview_coordinator_add_migrated_store(good.coordinator, TEXT("name"), TEXT("name"), TEXT("name"), NULL, 0, &in_migration, &out_out, ERROR)); EXPECT(has_said("must be between"));
            in_migration = usual;
        }
    }
    tear_down();
}

static void misuse_of_pinview_migration_destination_object(void) {
    set_up();
    {
        pinview_object * out_out; memset(&out_out, 0, sizeof out_out);
        for (int number = 0; number < bad_count; number++) {
            void *bad = bad_handle(number, good.object);
            FAILS(PINVIEW_ERROR_INVALID_HANDLE, pinview_migration_destination_object(bad, good.object, TEXT("name"), &out_out, NULL));
        }
        FAILS(PINVIEW_ERROR_INVALID_HANDLE, pinview_migration_destination_object(NULL, good.object, TEXT("name"), &out_out, NULL));
    }
    {
        pinview_object * out_out; memset(&out_out, 0, sizeof out_out);
        for (int number = 0; number < bad_count; number++) {
            void *bad = bad_handle(number, good.store);
            FAILS(PINVIEW_ERROR_INVALID_HANDLE, pinview_migration_destination_object(good.context, bad, TEXT("name"), &out_out, NULL));
        }
        FAILS(PINVIEW_ERROR_INVALID_HANDLE, pinview_migration_destination_object(good.context, NULL, TEXT("name"), &out_out, NULL));
    }
    {
        FAILS(PINVIEW_ERROR_INVALID_ARGUMENT, pinview_migration_destination_object(good.context, good.object, TEXT("name"), NULL, NULL));
    }
    {
        pinview_object * out_out; memset(&out_out, 0, sizeof out_out);
        FAILS(PINVIEW_ERROR_INVALID_UTF8, pinview_migration_destination_object(good.context, good.object, TEXT("a\xff"), &out_out, NULL));
    }
    {
        pinview_object * out_out; memset(&out_out, 0, sizeof out_out);
        for (int number = 0; number < huge_count; number++) {
            FAILS(PINVIEW_ERROR_INVALID_ARGUMENT, pinview_migration_destination_object(good.context, good.object, huge_text(huge_sizes[number]), &out_out, ERROR)); EXPECT(has_said("must be between"));
        }
    }
    tear_down();
}

static void misuse_of_pinview_migration_source_object(void) {
    set_up();
    {
        pinview_object * out_out; memset(&out_out, 0, sizeof out_out);
        for (int number = 0; number < bad_count; number++) {
            void *bad = bad_handle(number, good.object);
            FAILS(PINVIEW_ERROR_INVALID_HANDLE, pinview_migration_source_object(bad, good.object, &out_out, NULL));
        }
        FAILS(PINVIEW_ERROR_INVALID_HANDLE, pinview_migration_source_object(NULL, good.object, &out_out, NULL));
    }
    {
        pinview_object * out_out; memset(&out_out, 0, sizeof out_out);
        for (int number = 0; number < bad_count; number++) {
            void *bad = bad_handle(number, good.store);
            FAILS(PINVIEW_ERROR_INVALID_HANDLE, pinview_migration_source_object(good.context, bad, &out_out, NULL));
        }
        FAILS(PINVIEW_ERROR_INVALID_HANDLE, pinview_migration_source_object(good.context, NULL, &out_out, NULL));
    }
    {
        FAILS(PINVIEW_ERROR_INVALID_ARGUMENT, pinview_migration_source_object(good.context, good.object, NULL, NULL));
    }
    tear_down();
}

static void misuse_of_pinview_coordinator_remove_store(void) {
    set_up();
    {
        for (int number = 0; number < bad_count; number++) {
            void *bad = bad_handle(number, good.object);
            FAILS(PINVIEW_ERROR_INVALID_HANDLE, pinview_coordinator_remove_store(bad, good.store, NULL));
        }
        FAILS(PINVIEW_ERROR_INVALID_HANDLE, pinview_coordinator_remove_store(NULL, good.store, NULL));
    }
    {
        for (int number = 0; number < bad_count; number++) {
            void *bad = bad_handle(number, good.object);
            FAILS(PINVIEW_ERROR_INVALID_HANDLE, pinview_coordinator_remove_store(good.coordinator, bad, NULL));
        }
        FAILS(PINVIEW_ERROR_INVALID_HANDLE, pinview_coordinator_remove_store(good.coordinator, NULL, NULL));
    }
    tear_down();
}

static void misuse_of_pinview_coordinator_set_holds_writers_while_pinning(void) {
    set_up();
    {
        for (int number = 0; number < bad_count; number++) {
            void *bad = bad_handle(number, good.object);
            FAILS(PINVIEW_ERROR_INVALID_HANDLE, pinview_coordinator_set_holds_writers_while_pinning(bad, 0, NULL));
        }
        FAILS(PINVIEW_ERROR_INVALID_HANDLE, pinview_coordinator_set_holds_writers_while_pinning(NULL, 0, NULL));
    }
    tear_down();
}

static void misuse_of_pinview_coordinator_holds_writers_while_pinning(void) {
    set_up();
    {
        for (int number = 0; number < bad_count; number++) {
            void *bad = bad_handle(number, good.object);
            EXPECT(pinview_coordinator_holds_writers_while_pinning(bad) == 0);
        }
        EXPECT(pinview_coordinator_holds_writers_while_pinning(NULL) == 0);
    }
    tear_down();
}

static void misuse_of_pinview_coordinator_add_generation_observer(void) {
    set_up();
    {
        pinview_observer * out_out; memset(&out_out, 0, sizeof out_out);
        for (int number = 0; number < bad_count; number++) {
            void *bad = bad_handle(number, good.object);
            FAILS(PINVIEW_ERROR_INVALID_HANDLE, pinview_coordinator_add_generation_observer(bad, hear_nothing, NULL, free_nothing, &out_out, NULL));
        }
        FAILS(PINVIEW_ERROR_INVALID_HANDLE, pinview_coordinator_add_generation_observer(NULL, hear_nothing, NULL, free_nothing, &out_out, NULL));
    }
    {
        FAILS(PINVIEW_ERROR_INVALID_ARGUMENT, pinview_coordinator_add_generation_observer(good.coordinator, hear_nothing, NULL, free_nothing, NULL, NULL));
    }
    tear_down();
}

static void misuse_of_pinview_coordinator_remove_generation_observer(void) {
    set_up();
    {
        for (int number = 0; number < bad_count; number++) {
            void *bad = bad_handle(number, good.object);
            FAILS(PINVIEW_ERROR_INVALID_HANDLE, pinview_coordinator_remove_generation_observer(bad, good.observer, NULL));
        }
        FAILS(PINVIEW_ERROR_INVALID_HANDLE, pinview_coordinator_remove_generation_observer(NULL, good.observer, NULL));
    }
    {
        for (int number = 0; number < bad_count; number++) {
            void *bad = bad_handle(number, good.object);
            FAILS(PINVIEW_ERROR_INVALID_HANDLE, pinview_coordinator_remove_generation_observer(good.coordinator, bad, NULL));
        }
        FAILS(PINVIEW_ERROR_INVALID_HANDLE, pinview_coordinator_remove_generation_observer(good.coordinator, NULL, NULL));
    }
    tear_down();
}

static void misuse_of_pinview_coordinator_store_count(void) {
    set_up();
    {
        for (int number = 0; number < bad_count; number++) {
            void *bad = bad_handle(number, good.object);
            EXPECT(pinview_coordinator_store_count(bad) == 0);
        }
        EXPECT(pinview_coordinator_store_count(NULL) == 0);
    }
    tear_down();
}

static void misuse_of_pinview_coordinator_store(void) {
    set_up();
    {
        pinview_store * out_out; memset(&out_out, 0, sizeof out_out);
        for (int number = 0; number < bad_count; number++) {
            void *bad = bad_handle(number, good.object);
            FAILS(PINVIEW_ERROR_INVALID_HANDLE, pinview_coordinator_store(bad, 0, &out_out, NULL));
        }
        FAILS(PINVIEW_ERROR_INVALID_HANDLE, pinview_coordinator_store(NULL, 0, &out_out, NULL));
    }
    {
        FAILS(PINVIEW_ERROR_INVALID_ARGUMENT, pinview_coordinator_store(good.coordinator, 0, NULL, NULL));
    }
    tear_down();
}

static void misuse_of_pinview_coordinator_object_id(void) {
    set_up();
    {
        pinview_object_id * out_out; memset(&out_out, 0, sizeof out_out);
        for (int number = 0; number < bad_count; number++) {
            void *bad = bad_handle(number, good.object);
            FAILS(PINVIEW_ERROR_INVALID_HANDLE, pinview_coordinator_object_id(bad, TEXT("name"), &out_out, NULL));
        }
        FAILS(PINVIEW_ERROR_INVALID_HANDLE, pinview_coordinator_object_id(NULL, TEXT("name"), &out_out, NULL));
    }
    {
        FAILS(PINVIEW_ERROR_INVALID_ARGUMENT, pinview_coordinator_object_id(good.coordinator, TEXT("name"), NULL, NULL));
    }
    {
        pinview_object_id * out_out; memset(&out_out, 0, sizeof out_out);
        FAILS(PINVIEW_ERROR_INVALID_UTF8, pinview_coordinator_object_id(good.coordinator, TEXT("a\xff"), &out_out, NULL));
    }
    {
        pinview_object_id * out_out; memset(&out_out, 0, sizeof out_out);
        for (int number = 0; number < huge_count; number++) {
            FAILS(PINVIEW_ERROR_INVALID_ARGUMENT, pinview_coordinator_object_id(good.coordinator, huge_text(huge_sizes[number]), &out_out, ERROR)); EXPECT(has_said("must be between"));
        }
    }
    tear_down();
}

static void misuse_of_pinview_store_is_equal(void) {
    set_up();
    {
        for (int number = 0; number < bad_count; number++) {
            void *bad = bad_handle(number, good.object);
            EXPECT(pinview_store_is_equal(bad, good.store) == 0);
        }
        EXPECT(pinview_store_is_equal(NULL, good.store) == 0);
    }
    {
        for (int number = 0; number < bad_count; number++) {
            void *bad = bad_handle(number, good.object);
            EXPECT(pinview_store_is_equal(good.store, bad) == 0);
        }
        EXPECT(pinview_store_is_equal(good.store, NULL) == 0);
    }
    tear_down();
}

static void misuse_of_pinview_store_identifier(void) {
    set_up();
    {
        for (int number = 0; number < bad_count; number++) {
            void *bad = bad_handle(number, good.object);
            EXPECT_TEXT(pinview_store_identifier(bad), NULL);
        }
        EXPECT_TEXT(pinview_store_identifier(NULL), NULL);
    }
    tear_down();
}

static void misuse_of_pinview_store_type(void) {
    set_up();
    {
        for (int number = 0; number < bad_count; number++) {
            void *bad = bad_handle(number, good.object);
            EXPECT_TEXT(pinview_store_type(bad), NULL);
        }
        EXPECT_TEXT(pinview_store_type(NULL), NULL);
    }
    tear_down();
}

static void misuse_of_pinview_store_path(void) {
    set_up();
    {
        for (int number = 0; number < bad_count; number++) {
            void *bad = bad_handle(number, good.object);
            EXPECT_TEXT(pinview_store_path(bad), NULL);
        }
        EXPECT_TEXT(pinview_store_path(NULL), NULL);
    }
    tear_down();
}

static void misuse_of_pinview_store_configuration(void) {
    set_up();
    {
        for (int number = 0; number < bad_count; number++) {
            void *bad = bad_handle(number, good.object);
            EXPECT_TEXT(pinview_store_configuration(bad), NULL);
        }
        EXPECT_TEXT(pinview_store_configuration(NULL), NULL);
    }
    tear_down();
}

static void misuse_of_pinview_store_journal_mode(void) {
    set_up();
    {
        for (int number = 0; number < bad_count; number++) {
            void *bad = bad_handle(number, good.object);
            EXPECT_TEXT(pinview_store_journal_mode(bad), NULL);
        }
        EXPECT_TEXT(pinview_store_journal_mode(NULL), NULL);
    }
    tear_down();
}

static void misuse_of_pinview_store_is_read_only(void) {
    set_up();
    {
        for (int number = 0; number < bad_count; number++) {
            void *bad = bad_handle(number, good.object);
            EXPECT(pinview_store_is_read_only(bad) == 0);
        }
        EXPECT(pinview_store_is_read_only(NULL) == 0);
    }
    tear_down();
}

static void misuse_of_pinview_store_missing_count(void) {
    set_up();
    {
        for (int number = 0; number < bad_count; number++) {
            void *bad = bad_handle(number, good.object);
            EXPECT(pinview_store_missing_count(bad) == 0);
        }
        EXPECT(pinview_store_missing_count(NULL) == 0);
    }
    tear_down();
}

static void misuse_of_pinview_store_missing(void) {
    set_up();
    {
        pinview_string out_entity; memset(&out_entity, 0, sizeof out_entity);
        pinview_string out_property; memset(&out_property, 0, sizeof out_property);
        for (int number = 0; number < bad_count; number++) {
            void *bad = bad_handle(number, good.object);
            FAILS(PINVIEW_ERROR_INVALID_HANDLE, pinview_store_missing(bad, 0, good.buffer, &out_entity, &out_property, NULL));
        }
        FAILS(PINVIEW_ERROR_INVALID_HANDLE, pinview_store_missing(NULL, 0, good.buffer, &out_entity, &out_property, NULL));
    }
    {
        pinview_string out_entity; memset(&out_entity, 0, sizeof out_entity);
        pinview_string out_property; memset(&out_property, 0, sizeof out_property);
        for (int number = 0; number < bad_count; number++) {
            void *bad = bad_handle(number, good.object);
            FAILS(PINVIEW_ERROR_INVALID_HANDLE, pinview_store_missing(good.store, 0, bad, &out_entity, &out_property, NULL));
        }
        FAILS(PINVIEW_ERROR_INVALID_HANDLE, pinview_store_missing(good.store, 0, NULL, &out_entity, &out_property, NULL));
    }
    {
        pinview_string out_property; memset(&out_property, 0, sizeof out_property);
        FAILS(PINVIEW_ERROR_INVALID_ARGUMENT, pinview_store_missing(good.store, 0, good.buffer, NULL, &out_property, NULL));
    }
    {
        pinview_string out_entity; memset(&out_entity, 0, sizeof out_entity);
        FAILS(PINVIEW_ERROR_INVALID_ARGUMENT, pinview_store_missing(good.store, 0, good.buffer, &out_entity, NULL, NULL));
    }
    tear_down();
}

static void misuse_of_pinview_store_lacks(void) {
    set_up();
    {
        int32_t out_out; memset(&out_out, 0, sizeof out_out);
        for (int number = 0; number < bad_count; number++) {
            void *bad = bad_handle(number, good.object);
            FAILS(PINVIEW_ERROR_INVALID_HANDLE, pinview_store_lacks(bad, TEXT("name"), TEXT("name"), &out_out, NULL));
        }
        FAILS(PINVIEW_ERROR_INVALID_HANDLE, pinview_store_lacks(NULL, TEXT("name"), TEXT("name"), &out_out, NULL));
    }
    {
        FAILS(PINVIEW_ERROR_INVALID_ARGUMENT, pinview_store_lacks(good.store, TEXT("name"), TEXT("name"), NULL, NULL));
    }
    {
        int32_t out_out; memset(&out_out, 0, sizeof out_out);
        FAILS(PINVIEW_ERROR_INVALID_UTF8, pinview_store_lacks(good.store, TEXT("a\xff"), TEXT("name"), &out_out, NULL));
    }
    {
        int32_t out_out; memset(&out_out, 0, sizeof out_out);
        FAILS(PINVIEW_ERROR_INVALID_UTF8, pinview_store_lacks(good.store, TEXT("name"), TEXT("a\xff"), &out_out, NULL));
    }
    {
        int32_t out_out; memset(&out_out, 0, sizeof out_out);
        for (int number = 0; number < huge_count; number++) {
            FAILS(PINVIEW_ERROR_INVALID_ARGUMENT, pinview_store_lacks(good.store, huge_text(huge_sizes[number]), TEXT("name"), &out_out, ERROR)); EXPECT(has_said("must be between"));
        }
    }
    {
        int32_t out_out; memset(&out_out, 0, sizeof out_out);
        for (int number = 0; number < huge_count; number++) {
            FAILS(PINVIEW_ERROR_INVALID_ARGUMENT, pinview_store_lacks(good.store, TEXT("name"), huge_text(huge_sizes[number]), &out_out, ERROR)); EXPECT(has_said("must be between"));
        }
    }
    tear_down();
}

static void misuse_of_pinview_store_supports_query_generations(void) {
    set_up();
    {
        for (int number = 0; number < bad_count; number++) {
            void *bad = bad_handle(number, good.object);
            EXPECT(pinview_store_supports_query_generations(bad) == 0);
        }
        EXPECT(pinview_store_supports_query_generations(NULL) == 0);
    }
    tear_down();
}

static void misuse_of_pinview_store_journal_size(void) {
    set_up();
    {
        for (int number = 0; number < bad_count; number++) {
            void *bad = bad_handle(number, good.object);
            EXPECT(pinview_store_journal_size(bad) == 0);
        }
        EXPECT(pinview_store_journal_size(NULL) == 0);
    }
    tear_down();
}

static void misuse_of_pinview_store_checkpoint(void) {
    set_up();
    {
        int32_t out_emptied; memset(&out_emptied, 0, sizeof out_emptied);
        for (int number = 0; number < bad_count; number++) {
            void *bad = bad_handle(number, good.object);
            FAILS(PINVIEW_ERROR_INVALID_HANDLE, pinview_store_checkpoint(bad, &out_emptied, NULL));
        }
        FAILS(PINVIEW_ERROR_INVALID_HANDLE, pinview_store_checkpoint(NULL, &out_emptied, NULL));
    }
    {
        FAILS(PINVIEW_ERROR_INVALID_ARGUMENT, pinview_store_checkpoint(good.store, NULL, NULL));
    }
    tear_down();
}

static void misuse_of_pinview_store_is_immutable(void) {
    set_up();
    {
        for (int number = 0; number < bad_count; number++) {
            void *bad = bad_handle(number, good.object);
            EXPECT(pinview_store_is_immutable(bad) == 0);
        }
        EXPECT(pinview_store_is_immutable(NULL) == 0);
    }
    tear_down();
}

static void misuse_of_pinview_store_journal_commit_count(void) {
    set_up();
    {
        for (int number = 0; number < bad_count; number++) {
            void *bad = bad_handle(number, good.object);
            EXPECT(pinview_store_journal_commit_count(bad) == 0);
        }
        EXPECT(pinview_store_journal_commit_count(NULL) == 0);
    }
    tear_down();
}

static void misuse_of_pinview_store_journal_commits(void) {
    set_up();
    {
        pinview_journal_commit out_out; memset(&out_out, 0, sizeof out_out);
        for (int number = 0; number < bad_count; number++) {
            void *bad = bad_handle(number, good.object);
            FAILS(PINVIEW_ERROR_INVALID_HANDLE, pinview_store_journal_commits(bad, 0, 0, &out_out, sizeof(pinview_journal_commit), NULL));
        }
        FAILS(PINVIEW_ERROR_INVALID_HANDLE, pinview_store_journal_commits(NULL, 0, 0, &out_out, sizeof(pinview_journal_commit), NULL));
    }
    {
        pinview_journal_commit out_out; memset(&out_out, 0, sizeof out_out);
        guarded_place place_out;
        for (int number = 0; number < huge_count; number++) {
            const size_t size = huge_sizes[number];
            FAILS(PINVIEW_ERROR_INVALID_ARGUMENT, pinview_store_journal_commits(good.store, 0, size, guarded(&place_out), sizeof(pinview_journal_commit), ERROR)); EXPECT(has_said("must be between"));
            EXPECT(is_untouched(&place_out));
        }
    }
    {
        pinview_journal_commit out_out; memset(&out_out, 0, sizeof out_out);
        guarded_place place_out;
        for (int number = 0; number < huge_count; number++) {
            const size_t size = huge_sizes[number];
            FAILS(PINVIEW_ERROR_INVALID_ARGUMENT, pinview_store_journal_commits(good.store, 0, size, guarded(&place_out), sizeof(pinview_journal_commit), ERROR)); EXPECT(has_said("must be between"));
            EXPECT(is_untouched(&place_out));
        }
    }
    tear_down();
}

static void misuse_of_pinview_coordinator_journal_commit_token(void) {
    set_up();
    {
        pinview_token * out_out; memset(&out_out, 0, sizeof out_out);
        for (int number = 0; number < bad_count; number++) {
            void *bad = bad_handle(number, good.object);
            FAILS(PINVIEW_ERROR_INVALID_HANDLE, pinview_coordinator_journal_commit_token(bad, good.store, 0, &out_out, NULL));
        }
        FAILS(PINVIEW_ERROR_INVALID_HANDLE, pinview_coordinator_journal_commit_token(NULL, good.store, 0, &out_out, NULL));
    }
    {
        pinview_token * out_out; memset(&out_out, 0, sizeof out_out);
        for (int number = 0; number < bad_count; number++) {
            void *bad = bad_handle(number, good.object);
            FAILS(PINVIEW_ERROR_INVALID_HANDLE, pinview_coordinator_journal_commit_token(good.coordinator, bad, 0, &out_out, NULL));
        }
        FAILS(PINVIEW_ERROR_INVALID_HANDLE, pinview_coordinator_journal_commit_token(good.coordinator, NULL, 0, &out_out, NULL));
    }
    {
        FAILS(PINVIEW_ERROR_INVALID_ARGUMENT, pinview_coordinator_journal_commit_token(good.coordinator, good.store, 0, NULL, NULL));
    }
    tear_down();
}

static void misuse_of_pinview_store_metadata(void) {
    set_up();
    {
        pinview_binary out_out; memset(&out_out, 0, sizeof out_out);
        for (int number = 0; number < bad_count; number++) {
            void *bad = bad_handle(number, good.object);
            FAILS(PINVIEW_ERROR_INVALID_HANDLE, pinview_store_metadata(bad, good.buffer, &out_out, NULL));
        }
        FAILS(PINVIEW_ERROR_INVALID_HANDLE, pinview_store_metadata(NULL, good.buffer, &out_out, NULL));
    }
    {
        pinview_binary out_out; memset(&out_out, 0, sizeof out_out);
        for (int number = 0; number < bad_count; number++) {
            void *bad = bad_handle(number, good.object);
            FAILS(PINVIEW_ERROR_INVALID_HANDLE, pinview_store_metadata(good.store, bad, &out_out, NULL));
        }
        FAILS(PINVIEW_ERROR_INVALID_HANDLE, pinview_store_metadata(good.store, NULL, &out_out, NULL));
    }
    {
        FAILS(PINVIEW_ERROR_INVALID_ARGUMENT, pinview_store_metadata(good.store, good.buffer, NULL, NULL));
    }
    tear_down();
}

static void misuse_of_pinview_store_metadata_value(void) {
    set_up();
    {
        pinview_value out_out; memset(&out_out, 0, sizeof out_out);
        for (int number = 0; number < bad_count; number++) {
            void *bad = bad_handle(number, good.object);
            FAILS(PINVIEW_ERROR_INVALID_HANDLE, pinview_store_metadata_value(bad, TEXT("name"), good.buffer, &out_out, NULL));
        }
        FAILS(PINVIEW_ERROR_INVALID_HANDLE, pinview_store_metadata_value(NULL, TEXT("name"), good.buffer, &out_out, NULL));
    }
    {
        pinview_value out_out; memset(&out_out, 0, sizeof out_out);
        for (int number = 0; number < bad_count; number++) {
            void *bad = bad_handle(number, good.object);
            FAILS(PINVIEW_ERROR_INVALID_HANDLE, pinview_store_metadata_value(good.store, TEXT("name"), bad, &out_out, NULL));
        }
        FAILS(PINVIEW_ERROR_INVALID_HANDLE, pinview_store_metadata_value(good.store, TEXT("name"), NULL, &out_out, NULL));
    }
    {
        FAILS(PINVIEW_ERROR_INVALID_ARGUMENT, pinview_store_metadata_value(good.store, TEXT("name"), good.buffer, NULL, NULL));
    }
    {
        pinview_value out_out; memset(&out_out, 0, sizeof out_out);
        FAILS(PINVIEW_ERROR_INVALID_UTF8, pinview_store_metadata_value(good.store, TEXT("a\xff"), good.buffer, &out_out, NULL));
    }
    {
        pinview_value out_out; memset(&out_out, 0, sizeof out_out);
        for (int number = 0; number < huge_count; number++) {
            FAILS(PINVIEW_ERROR_INVALID_ARGUMENT, pinview_store_metadata_value(good.store, huge_text(huge_sizes[number]), good.buffer, &out_out, ERROR)); EXPECT(has_said("must be between"));
        }
    }
    tear_down();
}

static void misuse_of_pinview_store_set_metadata_value(void) {
    set_up();
    {
        pinview_value in_value; memset(&in_value, 0, sizeof in_value);
        for (int number = 0; number < bad_count; number++) {
            void *bad = bad_handle(number, good.object);
            FAILS(PINVIEW_ERROR_INVALID_HANDLE, pinview_store_set_metadata_value(bad, TEXT("name"), &in_value, NULL));
        }
        FAILS(PINVIEW_ERROR_INVALID_HANDLE, pinview_store_set_metadata_value(NULL, TEXT("name"), &in_value, NULL));
    }
    {
        pinview_value in_value; memset(&in_value, 0, sizeof in_value);
        FAILS(PINVIEW_ERROR_INVALID_UTF8, pinview_store_set_metadata_value(good.store, TEXT("a\xff"), &in_value, NULL));
    }
    {
        pinview_value in_value; memset(&in_value, 0, sizeof in_value);
        for (int number = 0; number < huge_count; number++) {
            FAILS(PINVIEW_ERROR_INVALID_ARGUMENT, pinview_store_set_metadata_value(good.store, huge_text(huge_sizes[number]), &in_value, ERROR)); EXPECT(has_said("must be between"));
        }
    }
    {
        for (int number = 0; number < huge_count * huge_value_count; number++) {
            const pinview_value value = huge_value(number % huge_value_count, huge_sizes[number / huge_value_count]);
            if (value.type == PINVIEW_VALUE_LIST) continue; /* only predicates take lists */
            FAILS(PINVIEW_ERROR_INVALID_ARGUMENT, pinview_store_set_metadata_value(good.store, TEXT("name"), &value, ERROR)); EXPECT(has_said("must be between"));
        }
    }
    tear_down();
}

static void misuse_of_pinview_store_set_metadata(void) {
    set_up();
    {
        pinview_binary no_bytes = {NULL, 0};
        for (int number = 0; number < bad_count; number++) {
            void *bad = bad_handle(number, good.object);
            FAILS(PINVIEW_ERROR_INVALID_HANDLE, pinview_store_set_metadata(bad, no_bytes, NULL));
        }
        FAILS(PINVIEW_ERROR_INVALID_HANDLE, pinview_store_set_metadata(NULL, no_bytes, NULL));
    }
    {
        for (int number = 0; number < huge_count; number++) {
            FAILS(PINVIEW_ERROR_INVALID_ARGUMENT, pinview_store_set_metadata(good.store, huge_binary(huge_sizes[number]), ERROR)); EXPECT(has_said("must be between"));
        }
    }
    tear_down();
}

static void misuse_of_pinview_file_metadata(void) {
    set_up();
    {
        pinview_binary out_out; memset(&out_out, 0, sizeof out_out);
        for (int number = 0; number < bad_count; number++) {
            void *bad = bad_handle(number, good.object);
            FAILS(PINVIEW_ERROR_INVALID_HANDLE, pinview_file_metadata(TEXT("name"), bad, &out_out, NULL));
        }
        FAILS(PINVIEW_ERROR_INVALID_HANDLE, pinview_file_metadata(TEXT("name"), NULL, &out_out, NULL));
    }
    {
        FAILS(PINVIEW_ERROR_INVALID_ARGUMENT, pinview_file_metadata(TEXT("name"), good.buffer, NULL, NULL));
    }
    {
        pinview_binary out_out; memset(&out_out, 0, sizeof out_out);
        FAILS(PINVIEW_ERROR_INVALID_UTF8, pinview_file_metadata(TEXT("a\xff"), good.buffer, &out_out, NULL));
    }
    {
        pinview_binary out_out; memset(&out_out, 0, sizeof out_out);
        for (int number = 0; number < huge_count; number++) {
            FAILS(PINVIEW_ERROR_INVALID_ARGUMENT, pinview_file_metadata(huge_text(huge_sizes[number]), good.buffer, &out_out, ERROR)); EXPECT(has_said("must be between"));
        }
    }
    tear_down();
}

static void misuse_of_pinview_file_summary(void) {
    set_up();
    {
        pinview_string out_out; memset(&out_out, 0, sizeof out_out);
        for (int number = 0; number < bad_count; number++) {
            void *bad = bad_handle(number, good.object);
            FAILS(PINVIEW_ERROR_INVALID_HANDLE, pinview_file_summary(TEXT("name"), bad, &out_out, NULL));
        }
        FAILS(PINVIEW_ERROR_INVALID_HANDLE, pinview_file_summary(TEXT("name"), NULL, &out_out, NULL));
    }
    {
        FAILS(PINVIEW_ERROR_INVALID_ARGUMENT, pinview_file_summary(TEXT("name"), good.buffer, NULL, NULL));
    }
    {
        pinview_string out_out; memset(&out_out, 0, sizeof out_out);
        FAILS(PINVIEW_ERROR_INVALID_UTF8, pinview_file_summary(TEXT("a\xff"), good.buffer, &out_out, NULL));
    }
    {
        pinview_string out_out; memset(&out_out, 0, sizeof out_out);
        for (int number = 0; number < huge_count; number++) {
            FAILS(PINVIEW_ERROR_INVALID_ARGUMENT, pinview_file_summary(huge_text(huge_sizes[number]), good.buffer, &out_out, ERROR)); EXPECT(has_said("must be between"));
        }
    }
    tear_down();
}

static void misuse_of_pinview_file_set_metadata(void) {
    set_up();
    {
        pinview_binary no_bytes = {NULL, 0};
        FAILS(PINVIEW_ERROR_INVALID_UTF8, pinview_file_set_metadata(TEXT("a\xff"), no_bytes, NULL));
    }
    {
        pinview_binary no_bytes = {NULL, 0};
        for (int number = 0; number < huge_count; number++) {
            FAILS(PINVIEW_ERROR_INVALID_ARGUMENT, pinview_file_set_metadata(huge_text(huge_sizes[number]), no_bytes, ERROR)); EXPECT(has_said("must be between"));
        }
    }
    {
        for (int number = 0; number < huge_count; number++) {
            FAILS(PINVIEW_ERROR_INVALID_ARGUMENT, pinview_file_set_metadata(TEXT("name"), huge_binary(huge_sizes[number]), ERROR)); EXPECT(has_said("must be between"));
        }
    }
    tear_down();
}

static void misuse_of_pinview_container_create(void) {
    set_up();
    {
        pinview_container * out_out; memset(&out_out, 0, sizeof out_out);
        for (int number = 0; number < bad_count; number++) {
            void *bad = bad_handle(number, good.object);
            FAILS(PINVIEW_ERROR_INVALID_HANDLE, pinview_container_create(TEXT("name"), bad, TEXT("name"), NULL, 0, &out_out, NULL));
        }
        FAILS(PINVIEW_ERROR_INVALID_HANDLE, pinview_container_create(TEXT("name"), NULL, TEXT("name"), NULL, 0, &out_out, NULL));
    }
    {
        FAILS(PINVIEW_ERROR_INVALID_ARGUMENT, pinview_container_create(TEXT("name"), good.model, TEXT("name"), NULL, 0, NULL, NULL));
    }
    {
        pinview_container * out_out; memset(&out_out, 0, sizeof out_out);
        FAILS(PINVIEW_ERROR_INVALID_UTF8, pinview_container_create(TEXT("a\xff"), good.model, TEXT(PINVIEW_STORE_TYPE_IN_MEMORY), NULL, 0, &out_out, NULL));
    }
    {
        pinview_container * out_out; memset(&out_out, 0, sizeof out_out);
        FAILS(PINVIEW_ERROR_INVALID_UTF8, pinview_container_create(TEXT(PINVIEW_STORE_TYPE_IN_MEMORY), good.model, TEXT("a\xff"), NULL, 0, &out_out, NULL));
    }
    {
        pinview_container * out_out; memset(&out_out, 0, sizeof out_out);
        for (int number = 0; number < huge_count; number++) {
            FAILS(PINVIEW_ERROR_INVALID_ARGUMENT, pinview_container_create(huge_text(huge_sizes[number]), good.model, TEXT(PINVIEW_STORE_TYPE_IN_MEMORY), NULL, 0, &out_out, ERROR)); EXPECT(has_said("must be between"));
        }
    }
    {
        pinview_container * out_out; memset(&out_out, 0, sizeof out_out);
        for (int number = 0; number < huge_count; number++) {
            FAILS(PINVIEW_ERROR_INVALID_ARGUMENT, pinview_container_create(TEXT(PINVIEW_STORE_TYPE_IN_MEMORY), good.model, huge_text(huge_sizes[number]), NULL, 0, &out_out, ERROR)); EXPECT(has_said("must be between"));
        }
    }
    {
        pinview_container * out_out; memset(&out_out, 0, sizeof out_out);
        guarded_place place_out;
        for (int number = 0; number < huge_count; number++) {
            const size_t size = huge_sizes[number];
            FAILS(PINVIEW_ERROR_INVALID_ARGUMENT, pinview_container_create(TEXT(PINVIEW_STORE_TYPE_IN_MEMORY), good.model, TEXT("name"), (const pinview_named_value*)(NULL), size, guarded(&place_out), ERROR)); EXPECT(has_said("must be between"));
            EXPECT(is_untouched(&place_out));
        }
    }
    {
        pinview_container * out_out; memset(&out_out, 0, sizeof out_out);
        guarded_place place_out;
        for (int number = 0; number < huge_count; number++) {
            const size_t size = huge_sizes[number];
            FAILS(PINVIEW_ERROR_INVALID_ARGUMENT, pinview_container_create(TEXT(PINVIEW_STORE_TYPE_IN_MEMORY), good.model, TEXT("name"), (const pinview_named_value*)(short_array), size, guarded(&place_out), ERROR)); EXPECT(has_said("must be between"));
            EXPECT(is_untouched(&place_out));
        }
    }
    tear_down();
}

static void misuse_of_pinview_container_load_stores(void) {
    set_up();
    {
        for (int number = 0; number < bad_count; number++) {
            void *bad = bad_handle(number, good.object);
            FAILS(PINVIEW_ERROR_INVALID_HANDLE, pinview_container_load_stores(bad, NULL));
        }
        FAILS(PINVIEW_ERROR_INVALID_HANDLE, pinview_container_load_stores(NULL, NULL));
    }
    tear_down();
}

static void misuse_of_pinview_container_load_migrated_stores(void) {
    set_up();
    {
        pinview_migration in_migration; memset(&in_migration, 0, sizeof in_migration);
        in_migration.struct_size = sizeof in_migration;
        for (int number = 0; number < bad_count; number++) {
            void *bad = bad_handle(number, good.object);
            FAILS(PINVIEW_ERROR_INVALID_HANDLE, pinview_container_load_migrated_stores(bad, &in_migration, NULL));
        }
        FAILS(PINVIEW_ERROR_INVALID_HANDLE, pinview_container_load_migrated_stores(NULL, &in_migration, NULL));
    }
    {
        pinview_migration in_migration; memset(&in_migration, 0, sizeof in_migration);
        in_migration.struct_size = sizeof in_migration;
        union { pinview_migration known; unsigned char bytes[sizeof(pinview_migration) + extra_bytes]; } larger;
        memset(&larger, 0, sizeof larger);
        larger.known = in_migration;
        for (size_t place = 0; place < extra_bytes; place += extra_bytes - 1) {
            larger.known.struct_size = sizeof larger;
            larger.bytes[sizeof(pinview_migration) + place] = 1;
            EXPECT_REFUSAL(pinview_container_load_migrated_stores(good.container, &larger.known, ERROR), "beyond the");
            larger.bytes[sizeof(pinview_migration) + place] = 0;
        }
        for (int number = 0; number < 3; number++) {
            const uint32_t sizes[] = {0, 4, UINT32_MAX};
            larger.known.struct_size = sizes[number];
            EXPECT_REFUSAL(pinview_container_load_migrated_stores(good.container, &larger.known, ERROR), "struct_size");
        }
        larger.known.struct_size = sizeof larger;
        (void)pinview_container_load_migrated_stores(good.container, &larger.known, ERROR);
        EXPECT(!has_said("beyond the") && !has_said("struct_size"));
    }
    {
        pinview_migration in_migration; memset(&in_migration, 0, sizeof in_migration);
        in_migration.struct_size = sizeof in_migration;
        for (int bit = 0; bit < 32; bit++) {
            const uint32_t flag = UINT32_C(1) << bit;
            if ((UINT32_C(0) & flag) != 0) continue;
            pinview_migration usual = in_migration;
            in_migration.reserved |= flag;
            FAILS(PINVIEW_ERROR_INVALID_ARGUMENT, pinview_container_load_migrated_stores(good.container, &in_migration, ERROR));
            EXPECT(has_said("the flag ") || has_said("reserved"));
            in_migration = usual;
        }
    }
    {
        pinview_migration in_migration; memset(&in_migration, 0, sizeof in_migration);
        in_migration.struct_size = sizeof in_migration;
        pinview_migration usual = in_migration;
        for (int number = 0; number < huge_count; number++) {
            in_migration.version_count = huge_sizes[number];
            memcpy(&in_migration.versions, &(const void *){NULL}, sizeof in_migration.versions);
            FAILS(PINVIEW_ERROR_INVALID_ARGUMENT, pinview_container_load_migrated_stores(good.container, &in_migration, ERROR)); EXPECT(has_said("must be between"));
            in_migration = usual;
        }
    }
    {
        pinview_migration in_migration; memset(&in_migration, 0, sizeof in_migration);
        in_migration.struct_size = sizeof in_migration;
        pinview_migration usual = in_migration;
        for (int number = 0; number < huge_count; number++) {
            in_migration.version_count = huge_sizes[number];
            memcpy(&in_migration.versions, &(const void *){short_array}, sizeof in_migration.versions);
            FAILS(PINVIEW_ERROR_INVALID_ARGUMENT, pinview_container_load_migrated_stores(good.container, &in_migration, ERROR)); EXPECT(has_said("must be between"));
            in_migration = usual;
        }
    }
    {
        pinview_migration in_migration; memset(&in_migration, 0, sizeof in_migration);
        in_migration.struct_size = sizeof in_migration;
        pinview_migration usual = in_migration;
        for (int number = 0; number < huge_count; number++) {
            in_migration.stage_count = huge_sizes[number];
            memcpy(&in_migration.stages, &(const void *){NULL}, sizeof in_migration.stages);
            FAILS(PINVIEW_ERROR_INVALID_ARGUMENT, pinview_container_load_migrated_stores(good.container, &in_migration, ERROR)); EXPECT(has_said("must be between"));
            in_migration = usual;
        }
    }
    {
        pinview_migration in_migration; memset(&in_migration, 0, sizeof in_migration);
        in_migration.struct_size = sizeof in_migration;
        pinview_migration usual = in_migration;
        for (int number = 0; number < huge_count; number++) {
            in_migration.stage_count = huge_sizes[number];
            memcpy(&in_migration.stages, &(const void *){short_array}, sizeof in_migration.stages);
            FAILS(PINVIEW_ERROR_INVALID_ARGUMENT, pinview_container_load_migrated_stores(good.container, &in_migration, ERROR)); EXPECT(has_said("must be between"));
            in_migration = usual;
        }
    }
    tear_down();
}

static void misuse_of_pinview_container_coordinator(void) {
    set_up();
    {
        pinview_coordinator * out_out; memset(&out_out, 0, sizeof out_out);
        for (int number = 0; number < bad_count; number++) {
            void *bad = bad_handle(number, good.object);
            FAILS(PINVIEW_ERROR_INVALID_HANDLE, pinview_container_coordinator(bad, &out_out, NULL));
        }
        FAILS(PINVIEW_ERROR_INVALID_HANDLE, pinview_container_coordinator(NULL, &out_out, NULL));
    }
    {
        FAILS(PINVIEW_ERROR_INVALID_ARGUMENT, pinview_container_coordinator(good.container, NULL, NULL));
    }
    tear_down();
}

static void misuse_of_pinview_container_view_context(void) {
    set_up();
    {
        pinview_context * out_out; memset(&out_out, 0, sizeof out_out);
        for (int number = 0; number < bad_count; number++) {
            void *bad = bad_handle(number, good.object);
            FAILS(PINVIEW_ERROR_INVALID_HANDLE, pinview_container_view_context(bad, &out_out, NULL));
        }
        FAILS(PINVIEW_ERROR_INVALID_HANDLE, pinview_container_view_context(NULL, &out_out, NULL));
    }
    {
        FAILS(PINVIEW_ERROR_INVALID_ARGUMENT, pinview_container_view_context(good.container, NULL, NULL));
    }
    tear_down();
}

static void misuse_of_pinview_container_new_background_context(void) {
    set_up();
    {
        pinview_context * out_out; memset(&out_out, 0, sizeof out_out);
        for (int number = 0; number < bad_count; number++) {
            void *bad = bad_handle(number, good.object);
            FAILS(PINVIEW_ERROR_INVALID_HANDLE, pinview_container_new_background_context(bad, &out_out, NULL));
        }
        FAILS(PINVIEW_ERROR_INVALID_HANDLE, pinview_container_new_background_context(NULL, &out_out, NULL));
    }
    {
        FAILS(PINVIEW_ERROR_INVALID_ARGUMENT, pinview_container_new_background_context(good.container, NULL, NULL));
    }
    tear_down();
}

static void misuse_of_pinview_container_perform_background_task(void) {
    set_up();
    {
        for (int number = 0; number < bad_count; number++) {
            void *bad = bad_handle(number, good.object);
            FAILS(PINVIEW_ERROR_INVALID_HANDLE, pinview_container_perform_background_task(bad, run_nothing, NULL, free_nothing, NULL));
        }
        FAILS(PINVIEW_ERROR_INVALID_HANDLE, pinview_container_perform_background_task(NULL, run_nothing, NULL, free_nothing, NULL));
    }
    tear_down();
}

static void misuse_of_pinview_token_is_equal(void) {
    set_up();
    {
        for (int number = 0; number < bad_count; number++) {
            void *bad = bad_handle(number, good.object);
            EXPECT(pinview_token_is_equal(bad, good.token) == 0);
        }
        EXPECT(pinview_token_is_equal(NULL, good.token) == 0);
    }
    {
        for (int number = 0; number < bad_count; number++) {
            void *bad = bad_handle(number, good.object);
            EXPECT(pinview_token_is_equal(good.token, bad) == 0);
        }
        EXPECT(pinview_token_is_equal(good.token, NULL) == 0);
    }
    tear_down();
}

static void misuse_of_pinview_token_hash(void) {
    set_up();
    {
        for (int number = 0; number < bad_count; number++) {
            void *bad = bad_handle(number, good.object);
            EXPECT(pinview_token_hash(bad) == 0);
        }
        EXPECT(pinview_token_hash(NULL) == 0);
    }
    tear_down();
}

static void misuse_of_pinview_token_is_current(void) {
    set_up();
    {
        for (int number = 0; number < bad_count; number++) {
            void *bad = bad_handle(number, good.object);
            EXPECT(pinview_token_is_current(bad) == 0);
        }
        EXPECT(pinview_token_is_current(NULL) == 0);
    }
    tear_down();
}

static void misuse_of_pinview_token_description(void) {
    set_up();
    {
        for (int number = 0; number < bad_count; number++) {
            void *bad = bad_handle(number, good.object);
            EXPECT_TEXT(pinview_token_description(bad), NULL);
        }
        EXPECT_TEXT(pinview_token_description(NULL), NULL);
    }
    tear_down();
}

static void misuse_of_pinview_token_data(void) {
    set_up();
    {
        pinview_binary out_out; memset(&out_out, 0, sizeof out_out);
        for (int number = 0; number < bad_count; number++) {
            void *bad = bad_handle(number, good.object);
            FAILS(PINVIEW_ERROR_INVALID_HANDLE, pinview_token_data(bad, &out_out, NULL));
        }
        FAILS(PINVIEW_ERROR_INVALID_HANDLE, pinview_token_data(NULL, &out_out, NULL));
    }
    {
        FAILS(PINVIEW_ERROR_INVALID_ARGUMENT, pinview_token_data(good.token, NULL, NULL));
    }
    tear_down();
}

static void misuse_of_pinview_token_create_from_data(void) {
    set_up();
    {
        pinview_binary no_bytes = {NULL, 0};
        FAILS(PINVIEW_ERROR_INVALID_ARGUMENT, pinview_token_create_from_data(no_bytes, NULL, NULL));
    }
    {
        pinview_token * out_out; memset(&out_out, 0, sizeof out_out);
        for (int number = 0; number < huge_count; number++) {
            FAILS(PINVIEW_ERROR_INVALID_ARGUMENT, pinview_token_create_from_data(huge_binary(huge_sizes[number]), &out_out, ERROR)); EXPECT(has_said("must be between"));
        }
    }
    tear_down();
}

static void misuse_of_pinview_context_create(void) {
    set_up();
    {
        FAILS(PINVIEW_ERROR_INVALID_ARGUMENT, pinview_context_create(0, NULL, NULL));
    }
    tear_down();
}

static void misuse_of_pinview_context_is_equal(void) {
    set_up();
    {
        for (int number = 0; number < bad_count; number++) {
            void *bad = bad_handle(number, good.object);
            EXPECT(pinview_context_is_equal(bad, good.context) == 0);
        }
        EXPECT(pinview_context_is_equal(NULL, good.context) == 0);
    }
    {
        for (int number = 0; number < bad_count; number++) {
            void *bad = bad_handle(number, good.object);
            EXPECT(pinview_context_is_equal(good.context, bad) == 0);
        }
        EXPECT(pinview_context_is_equal(good.context, NULL) == 0);
    }
    tear_down();
}

static void misuse_of_pinview_context_hash(void) {
    set_up();
    {
        for (int number = 0; number < bad_count; number++) {
            void *bad = bad_handle(number, good.object);
            EXPECT(pinview_context_hash(bad) == 0);
        }
        EXPECT(pinview_context_hash(NULL) == 0);
    }
    tear_down();
}

static void misuse_of_pinview_context_set_coordinator(void) {
    set_up();
    {
        for (int number = 0; number < bad_count; number++) {
            void *bad = bad_handle(number, good.object);
            FAILS(PINVIEW_ERROR_INVALID_HANDLE, pinview_context_set_coordinator(bad, good.coordinator, NULL));
        }
        FAILS(PINVIEW_ERROR_INVALID_HANDLE, pinview_context_set_coordinator(NULL, good.coordinator, NULL));
    }
    {
        for (int number = 0; number < bad_count; number++) {
            void *bad = bad_handle(number, good.object);
            FAILS(PINVIEW_ERROR_INVALID_HANDLE, pinview_context_set_coordinator(good.context, bad, NULL));
        }
    }
    tear_down();
}

static void misuse_of_pinview_context_coordinator(void) {
    set_up();
    {
        pinview_coordinator * out_out; memset(&out_out, 0, sizeof out_out);
        for (int number = 0; number < bad_count; number++) {
            void *bad = bad_handle(number, good.object);
            FAILS(PINVIEW_ERROR_INVALID_HANDLE, pinview_context_coordinator(bad, &out_out, NULL));
        }
        FAILS(PINVIEW_ERROR_INVALID_HANDLE, pinview_context_coordinator(NULL, &out_out, NULL));
    }
    {
        FAILS(PINVIEW_ERROR_INVALID_ARGUMENT, pinview_context_coordinator(good.context, NULL, NULL));
    }
    tear_down();
}

static void misuse_of_pinview_context_set_parent(void) {
    set_up();
    {
        for (int number = 0; number < bad_count; number++) {
            void *bad = bad_handle(number, good.object);
            FAILS(PINVIEW_ERROR_INVALID_HANDLE, pinview_context_set_parent(bad, good.context, NULL));
        }
        FAILS(PINVIEW_ERROR_INVALID_HANDLE, pinview_context_set_parent(NULL, good.context, NULL));
    }
    {
        for (int number = 0; number < bad_count; number++) {
            void *bad = bad_handle(number, good.object);
            FAILS(PINVIEW_ERROR_INVALID_HANDLE, pinview_context_set_parent(good.context, bad, NULL));
        }
    }
    tear_down();
}

static void misuse_of_pinview_context_parent(void) {
    set_up();
    {
        pinview_context * out_out; memset(&out_out, 0, sizeof out_out);
        for (int number = 0; number < bad_count; number++) {
            void *bad = bad_handle(number, good.object);
            FAILS(PINVIEW_ERROR_INVALID_HANDLE, pinview_context_parent(bad, &out_out, NULL));
        }
        FAILS(PINVIEW_ERROR_INVALID_HANDLE, pinview_context_parent(NULL, &out_out, NULL));
    }
    {
        FAILS(PINVIEW_ERROR_INVALID_ARGUMENT, pinview_context_parent(good.context, NULL, NULL));
    }
    tear_down();
}

static void misuse_of_pinview_context_concurrency_type(void) {
    set_up();
    {
        for (int number = 0; number < bad_count; number++) {
            void *bad = bad_handle(number, good.object);
            EXPECT(pinview_context_concurrency_type(bad) == -1);
        }
        EXPECT(pinview_context_concurrency_type(NULL) == -1);
    }
    tear_down();
}

static void misuse_of_pinview_context_set_name(void) {
    set_up();
    {
        for (int number = 0; number < bad_count; number++) {
            void *bad = bad_handle(number, good.object);
            FAILS(PINVIEW_ERROR_INVALID_HANDLE, pinview_context_set_name(bad, TEXT("name"), NULL));
        }
        FAILS(PINVIEW_ERROR_INVALID_HANDLE, pinview_context_set_name(NULL, TEXT("name"), NULL));
    }
    {
        FAILS(PINVIEW_ERROR_INVALID_UTF8, pinview_context_set_name(good.context, TEXT("a\xff"), NULL));
    }
    {
        for (int number = 0; number < huge_count; number++) {
            FAILS(PINVIEW_ERROR_INVALID_ARGUMENT, pinview_context_set_name(good.context, huge_text(huge_sizes[number]), ERROR)); EXPECT(has_said("must be between"));
        }
    }
    tear_down();
}

static void misuse_of_pinview_context_name(void) {
    set_up();
    {
        for (int number = 0; number < bad_count; number++) {
            void *bad = bad_handle(number, good.object);
            EXPECT_TEXT(pinview_context_name(bad), NULL);
        }
        EXPECT_TEXT(pinview_context_name(NULL), NULL);
    }
    tear_down();
}

static void misuse_of_pinview_context_set_transaction_author(void) {
    set_up();
    {
        for (int number = 0; number < bad_count; number++) {
            void *bad = bad_handle(number, good.object);
            FAILS(PINVIEW_ERROR_INVALID_HANDLE, pinview_context_set_transaction_author(bad, TEXT("name"), NULL));
        }
        FAILS(PINVIEW_ERROR_INVALID_HANDLE, pinview_context_set_transaction_author(NULL, TEXT("name"), NULL));
    }
    {
        FAILS(PINVIEW_ERROR_INVALID_UTF8, pinview_context_set_transaction_author(good.context, TEXT("a\xff"), NULL));
    }
    {
        for (int number = 0; number < huge_count; number++) {
            FAILS(PINVIEW_ERROR_INVALID_ARGUMENT, pinview_context_set_transaction_author(good.context, huge_text(huge_sizes[number]), ERROR)); EXPECT(has_said("must be between"));
        }
    }
    tear_down();
}

static void misuse_of_pinview_context_transaction_author(void) {
    set_up();
    {
        for (int number = 0; number < bad_count; number++) {
            void *bad = bad_handle(number, good.object);
            EXPECT_TEXT(pinview_context_transaction_author(bad), NULL);
        }
        EXPECT_TEXT(pinview_context_transaction_author(NULL), NULL);
    }
    tear_down();
}

static void misuse_of_pinview_context_set_merge_policy(void) {
    set_up();
    {
        for (int number = 0; number < bad_count; number++) {
            void *bad = bad_handle(number, good.object);
            FAILS(PINVIEW_ERROR_INVALID_HANDLE, pinview_context_set_merge_policy(bad, 0, NULL));
        }
        FAILS(PINVIEW_ERROR_INVALID_HANDLE, pinview_context_set_merge_policy(NULL, 0, NULL));
    }
    tear_down();
}

static void misuse_of_pinview_context_merge_policy(void) {
    set_up();
    {
        for (int number = 0; number < bad_count; number++) {
            void *bad = bad_handle(number, good.object);
            EXPECT(pinview_context_merge_policy(bad) == -1);
        }
        EXPECT(pinview_context_merge_policy(NULL) == -1);
    }
    tear_down();
}

static void misuse_of_pinview_context_set_merge_callback(void) {
    set_up();
    {
        for (int number = 0; number < bad_count; number++) {
            void *bad = bad_handle(number, good.object);
            FAILS(PINVIEW_ERROR_INVALID_HANDLE, pinview_context_set_merge_callback(bad, keep_merge, NULL, free_nothing, NULL));
        }
        FAILS(PINVIEW_ERROR_INVALID_HANDLE, pinview_context_set_merge_callback(NULL, keep_merge, NULL, free_nothing, NULL));
    }
    tear_down();
}

static void misuse_of_pinview_merge_conflicts(void) {
    set_up();
    {
        for (int number = 0; number < bad_count; number++) {
            void *bad = bad_handle(number, good.object);
            EXPECT(pinview_merge_conflicts(bad) == NULL);
        }
        EXPECT(pinview_merge_conflicts(NULL) == NULL);
    }
    tear_down();
}

static void misuse_of_pinview_merge_set_policy(void) {
    set_up();
    {
        for (int number = 0; number < bad_count; number++) {
            void *bad = bad_handle(number, good.object);
            FAILS(PINVIEW_ERROR_INVALID_HANDLE, pinview_merge_set_policy(bad, 0, 0, NULL));
        }
        FAILS(PINVIEW_ERROR_INVALID_HANDLE, pinview_merge_set_policy(NULL, 0, 0, NULL));
    }
    tear_down();
}

static void misuse_of_pinview_merge_set_value(void) {
    set_up();
    {
        pinview_value in_value; memset(&in_value, 0, sizeof in_value);
        for (int number = 0; number < bad_count; number++) {
            void *bad = bad_handle(number, good.object);
            FAILS(PINVIEW_ERROR_INVALID_HANDLE, pinview_merge_set_value(bad, 0, TEXT("name"), &in_value, NULL));
        }
        FAILS(PINVIEW_ERROR_INVALID_HANDLE, pinview_merge_set_value(NULL, 0, TEXT("name"), &in_value, NULL));
    }
    {
        pinview_value in_value; memset(&in_value, 0, sizeof in_value);
        FAILS(PINVIEW_ERROR_INVALID_UTF8, pinview_merge_set_value(good.merge, 0, TEXT("a\xff"), &in_value, NULL));
    }
    {
        pinview_value in_value; memset(&in_value, 0, sizeof in_value);
        for (int number = 0; number < huge_count; number++) {
            FAILS(PINVIEW_ERROR_INVALID_ARGUMENT, pinview_merge_set_value(good.merge, 0, huge_text(huge_sizes[number]), &in_value, ERROR)); EXPECT(has_said("must be between"));
        }
    }
    {
        for (int number = 0; number < huge_count * huge_value_count; number++) {
            const pinview_value value = huge_value(number % huge_value_count, huge_sizes[number / huge_value_count]);
            if (value.type == PINVIEW_VALUE_LIST) continue; /* only predicates take lists */
            FAILS(PINVIEW_ERROR_INVALID_ARGUMENT, pinview_merge_set_value(good.merge, 0, TEXT("name"), &value, ERROR)); EXPECT(has_said("must be between"));
        }
    }
    tear_down();
}

static void misuse_of_pinview_context_set_option(void) {
    set_up();
    {
        for (int number = 0; number < bad_count; number++) {
            void *bad = bad_handle(number, good.object);
            FAILS(PINVIEW_ERROR_INVALID_HANDLE, pinview_context_set_option(bad, 0, 0, NULL));
        }
        FAILS(PINVIEW_ERROR_INVALID_HANDLE, pinview_context_set_option(NULL, 0, 0, NULL));
    }
    tear_down();
}

static void misuse_of_pinview_context_get_option(void) {
    set_up();
    {
        for (int number = 0; number < bad_count; number++) {
            void *bad = bad_handle(number, good.object);
            EXPECT(pinview_context_get_option(bad, 0) == -1);
        }
        EXPECT(pinview_context_get_option(NULL, 0) == -1);
    }
    tear_down();
}

static void misuse_of_pinview_context_set_staleness_interval(void) {
    set_up();
    {
        for (int number = 0; number < bad_count; number++) {
            void *bad = bad_handle(number, good.object);
            FAILS(PINVIEW_ERROR_INVALID_HANDLE, pinview_context_set_staleness_interval(bad, 0, NULL));
        }
        FAILS(PINVIEW_ERROR_INVALID_HANDLE, pinview_context_set_staleness_interval(NULL, 0, NULL));
    }
    tear_down();
}

static void misuse_of_pinview_context_staleness_interval(void) {
    set_up();
    {
        for (int number = 0; number < bad_count; number++) {
            void *bad = bad_handle(number, good.object);
            EXPECT(pinview_context_staleness_interval(bad) == -1);
        }
        EXPECT(pinview_context_staleness_interval(NULL) == -1);
    }
    tear_down();
}

static void misuse_of_pinview_context_set_timeout(void) {
    set_up();
    {
        for (int number = 0; number < bad_count; number++) {
            void *bad = bad_handle(number, good.object);
            FAILS(PINVIEW_ERROR_INVALID_HANDLE, pinview_context_set_timeout(bad, 0, NULL));
        }
        FAILS(PINVIEW_ERROR_INVALID_HANDLE, pinview_context_set_timeout(NULL, 0, NULL));
    }
    tear_down();
}

static void misuse_of_pinview_context_timeout(void) {
    set_up();
    {
        for (int number = 0; number < bad_count; number++) {
            void *bad = bad_handle(number, good.object);
            EXPECT(pinview_context_timeout(bad) == -1);
        }
        EXPECT(pinview_context_timeout(NULL) == -1);
    }
    tear_down();
}

static void misuse_of_pinview_context_set_query_generation(void) {
    set_up();
    {
        for (int number = 0; number < bad_count; number++) {
            void *bad = bad_handle(number, good.object);
            FAILS(PINVIEW_ERROR_INVALID_HANDLE, pinview_context_set_query_generation(bad, good.token, NULL));
        }
        FAILS(PINVIEW_ERROR_INVALID_HANDLE, pinview_context_set_query_generation(NULL, good.token, NULL));
    }
    {
        for (int number = 0; number < bad_count; number++) {
            void *bad = bad_handle(number, good.object);
            FAILS(PINVIEW_ERROR_INVALID_HANDLE, pinview_context_set_query_generation(good.context, bad, NULL));
        }
    }
    tear_down();
}

static void misuse_of_pinview_context_query_generation(void) {
    set_up();
    {
        pinview_token * out_out; memset(&out_out, 0, sizeof out_out);
        for (int number = 0; number < bad_count; number++) {
            void *bad = bad_handle(number, good.object);
            FAILS(PINVIEW_ERROR_INVALID_HANDLE, pinview_context_query_generation(bad, &out_out, NULL));
        }
        FAILS(PINVIEW_ERROR_INVALID_HANDLE, pinview_context_query_generation(NULL, &out_out, NULL));
    }
    {
        FAILS(PINVIEW_ERROR_INVALID_ARGUMENT, pinview_context_query_generation(good.context, NULL, NULL));
    }
    tear_down();
}

static void misuse_of_pinview_context_query_generation_state(void) {
    set_up();
    {
        for (int number = 0; number < bad_count; number++) {
            void *bad = bad_handle(number, good.object);
            EXPECT(pinview_context_query_generation_state(bad) == -1);
        }
        EXPECT(pinview_context_query_generation_state(NULL) == -1);
    }
    tear_down();
}

static void misuse_of_pinview_context_has_newer_generation(void) {
    set_up();
    {
        for (int number = 0; number < bad_count; number++) {
            void *bad = bad_handle(number, good.object);
            EXPECT(pinview_context_has_newer_generation(bad) == 0);
        }
        EXPECT(pinview_context_has_newer_generation(NULL) == 0);
    }
    tear_down();
}

static void misuse_of_pinview_context_wait_for_newer_generation(void) {
    set_up();
    {
        int32_t out_out; memset(&out_out, 0, sizeof out_out);
        for (int number = 0; number < bad_count; number++) {
            void *bad = bad_handle(number, good.object);
            FAILS(PINVIEW_ERROR_INVALID_HANDLE, pinview_context_wait_for_newer_generation(bad, 0, &out_out, NULL));
        }
        FAILS(PINVIEW_ERROR_INVALID_HANDLE, pinview_context_wait_for_newer_generation(NULL, 0, &out_out, NULL));
    }
    {
        FAILS(PINVIEW_ERROR_INVALID_ARGUMENT, pinview_context_wait_for_newer_generation(good.context, 0, NULL, NULL));
    }
    tear_down();
}

static void misuse_of_pinview_context_perform(void) {
    set_up();
    {
        for (int number = 0; number < bad_count; number++) {
            void *bad = bad_handle(number, good.object);
            FAILS(PINVIEW_ERROR_INVALID_HANDLE, pinview_context_perform(bad, run_nothing, NULL, free_nothing, NULL));
        }
        FAILS(PINVIEW_ERROR_INVALID_HANDLE, pinview_context_perform(NULL, run_nothing, NULL, free_nothing, NULL));
    }
    tear_down();
}

static void misuse_of_pinview_context_perform_and_wait(void) {
    set_up();
    {
        for (int number = 0; number < bad_count; number++) {
            void *bad = bad_handle(number, good.object);
            FAILS(PINVIEW_ERROR_INVALID_HANDLE, pinview_context_perform_and_wait(bad, run_nothing, NULL, NULL));
        }
        FAILS(PINVIEW_ERROR_INVALID_HANDLE, pinview_context_perform_and_wait(NULL, run_nothing, NULL, NULL));
    }
    tear_down();
}

static void misuse_of_pinview_context_insert_new_object(void) {
    set_up();
    {
        pinview_object * out_out; memset(&out_out, 0, sizeof out_out);
        for (int number = 0; number < bad_count; number++) {
            void *bad = bad_handle(number, good.object);
            FAILS(PINVIEW_ERROR_INVALID_HANDLE, pinview_context_insert_new_object(bad, TEXT("name"), &out_out, NULL));
        }
        FAILS(PINVIEW_ERROR_INVALID_HANDLE, pinview_context_insert_new_object(NULL, TEXT("name"), &out_out, NULL));
    }
    {
        pinview_object * out_out; memset(&out_out, 0, sizeof out_out);
        FAILS(PINVIEW_ERROR_INVALID_UTF8, pinview_context_insert_new_object(good.context, TEXT("a\xff"), &out_out, NULL));
    }
    {
        pinview_object * out_out; memset(&out_out, 0, sizeof out_out);
        for (int number = 0; number < huge_count; number++) {
            FAILS(PINVIEW_ERROR_INVALID_ARGUMENT, pinview_context_insert_new_object(good.context, huge_text(huge_sizes[number]), &out_out, ERROR)); EXPECT(has_said("must be between"));
        }
    }
    tear_down();
}

static void misuse_of_pinview_context_insert_objects(void) {
    set_up();
    {
        pinview_result * out_out; memset(&out_out, 0, sizeof out_out);
        for (int number = 0; number < bad_count; number++) {
            void *bad = bad_handle(number, good.object);
            FAILS(PINVIEW_ERROR_INVALID_HANDLE, pinview_context_insert_objects(bad, TEXT("name"), NULL, 0, NULL, 0, &out_out, NULL));
        }
        FAILS(PINVIEW_ERROR_INVALID_HANDLE, pinview_context_insert_objects(NULL, TEXT("name"), NULL, 0, NULL, 0, &out_out, NULL));
    }
    {
        pinview_result * out_out; memset(&out_out, 0, sizeof out_out);
        FAILS(PINVIEW_ERROR_INVALID_UTF8, pinview_context_insert_objects(good.context, TEXT("a\xff"), NULL, 0, NULL, 0, &out_out, NULL));
    }
    {
        pinview_result * out_out; memset(&out_out, 0, sizeof out_out);
        for (int number = 0; number < huge_count; number++) {
            FAILS(PINVIEW_ERROR_INVALID_ARGUMENT, pinview_context_insert_objects(good.context, huge_text(huge_sizes[number]), NULL, 0, NULL, 0, &out_out, ERROR)); EXPECT(has_said("must be between"));
        }
    }
    {
        pinview_result * out_out; memset(&out_out, 0, sizeof out_out);
        guarded_place place_out;
        for (int number = 0; number < huge_count; number++) {
            const size_t size = huge_sizes[number];
            FAILS(PINVIEW_ERROR_INVALID_ARGUMENT, pinview_context_insert_objects(good.context, TEXT("name"), (const pinview_string*)(NULL), size, (const pinview_value *const *)(NULL), 0, guarded(&place_out), ERROR)); EXPECT(has_said("must be between"));
            EXPECT(is_untouched(&place_out));
        }
    }
    {
        pinview_result * out_out; memset(&out_out, 0, sizeof out_out);
        guarded_place place_out;
        for (int number = 0; number < huge_count; number++) {
            const size_t size = huge_sizes[number];
            FAILS(PINVIEW_ERROR_INVALID_ARGUMENT, pinview_context_insert_objects(good.context, TEXT("name"), (const pinview_string*)(short_array), size, (const pinview_value *const *)(short_array), 0, guarded(&place_out), ERROR)); EXPECT(has_said("must be between"));
            EXPECT(is_untouched(&place_out));
        }
    }
    {
        pinview_result * out_out; memset(&out_out, 0, sizeof out_out);
        guarded_place place_out;
        for (int number = 0; number < huge_count; number++) {
            const size_t size = huge_sizes[number];
            FAILS(PINVIEW_ERROR_INVALID_ARGUMENT, pinview_context_insert_objects(good.context, TEXT("name"), (const pinview_string*)(NULL), 0, (const pinview_value *const *)(NULL), size, guarded(&place_out), ERROR)); EXPECT(has_said("must be between"));
            EXPECT(is_untouched(&place_out));
        }
    }
    {
        pinview_result * out_out; memset(&out_out, 0, sizeof out_out);
        guarded_place place_out;
        for (int number = 0; number < huge_count; number++) {
            const size_t size = huge_sizes[number];
            FAILS(PINVIEW_ERROR_INVALID_ARGUMENT, pinview_context_insert_objects(good.context, TEXT("name"), (const pinview_string*)(short_array), 0, (const pinview_value *const *)(short_array), size, guarded(&place_out), ERROR)); EXPECT(has_said("must be between"));
            EXPECT(is_untouched(&place_out));
        }
    }
    tear_down();
}

static void misuse_of_pinview_context_upsert(void) {
    set_up();
    {
        pinview_upsert in_request; memset(&in_request, 0, sizeof in_request);
        in_request.struct_size = sizeof in_request;
        in_request.entity = TEXT("Person");
        pinview_result * out_out; memset(&out_out, 0, sizeof out_out);
        for (int number = 0; number < bad_count; number++) {
            void *bad = bad_handle(number, good.object);
            FAILS(PINVIEW_ERROR_INVALID_HANDLE, pinview_context_upsert(bad, &in_request, &out_out, NULL));
        }
        FAILS(PINVIEW_ERROR_INVALID_HANDLE, pinview_context_upsert(NULL, &in_request, &out_out, NULL));
    }
    {
        pinview_upsert in_request; memset(&in_request, 0, sizeof in_request);
        in_request.struct_size = sizeof in_request;
        in_request.entity = TEXT("Person");
        pinview_result * out_out; memset(&out_out, 0, sizeof out_out);
        union { pinview_upsert known; unsigned char bytes[sizeof(pinview_upsert) + extra_bytes]; } larger;
        memset(&larger, 0, sizeof larger);
        larger.known = in_request;
        for (size_t place = 0; place < extra_bytes; place += extra_bytes - 1) {
            larger.known.struct_size = sizeof larger;
            larger.bytes[sizeof(pinview_upsert) + place] = 1;
            EXPECT_REFUSAL(pinview_context_upsert(good.context, &larger.known, &out_out, ERROR), "beyond the");
            larger.bytes[sizeof(pinview_upsert) + place] = 0;
        }
        for (int number = 0; number < 3; number++) {
            const uint32_t sizes[] = {0, 4, UINT32_MAX};
            larger.known.struct_size = sizes[number];
            EXPECT_REFUSAL(pinview_context_upsert(good.context, &larger.known, &out_out, ERROR), "struct_size");
        }
        larger.known.struct_size = sizeof larger;
        (void)pinview_context_upsert(good.context, &larger.known, &out_out, ERROR);
        EXPECT(!has_said("beyond the") && !has_said("struct_size"));
        if (out_out != NULL) (void)pinview_result_release(out_out);
    }
    {
        pinview_upsert in_request; memset(&in_request, 0, sizeof in_request);
        in_request.struct_size = sizeof in_request;
        in_request.entity = TEXT("Person");
        pinview_result * out_out; memset(&out_out, 0, sizeof out_out);
        for (int bit = 0; bit < 32; bit++) {
            const uint32_t flag = UINT32_C(1) << bit;
            if ((UINT32_C(1) & flag) != 0) continue;
            pinview_upsert usual = in_request;
            in_request.flags |= flag;
            FAILS(PINVIEW_ERROR_INVALID_ARGUMENT, pinview_context_upsert(good.context, &in_request, &out_out, ERROR));
            EXPECT(has_said("the flag ") || has_said("reserved"));
            in_request = usual;
        }
    }
    {
        pinview_upsert in_request; memset(&in_request, 0, sizeof in_request);
        in_request.struct_size = sizeof in_request;
        in_request.entity = TEXT("Person");
        pinview_result * out_out; memset(&out_out, 0, sizeof out_out);
        pinview_upsert usual = in_request;
        for (int number = 0; number < huge_count; number++) {
            in_request.constraint_count = huge_sizes[number];
            memcpy(&in_request.constraint, &(const void *){NULL}, sizeof in_request.constraint);
            FAILS(PINVIEW_ERROR_INVALID_ARGUMENT, pinview_context_upsert(good.context, &in_request, &out_out, ERROR)); EXPECT(has_said("must be between"));
            in_request = usual;
        }
    }
    {
        pinview_upsert in_request; memset(&in_request, 0, sizeof in_request);
        in_request.struct_size = sizeof in_request;
        in_request.entity = TEXT("Person");
        pinview_result * out_out; memset(&out_out, 0, sizeof out_out);
        pinview_upsert usual = in_request;
        for (int number = 0; number < huge_count; number++) {
            in_request.constraint_count = huge_sizes[number];
            memcpy(&in_request.constraint, &(const void *){short_array}, sizeof in_request.constraint);
            FAILS(PINVIEW_ERROR_INVALID_ARGUMENT, pinview_context_upsert(good.context, &in_request, &out_out, ERROR)); EXPECT(has_said("must be between"));
            in_request = usual;
        }
    }
    {
        pinview_upsert in_request; memset(&in_request, 0, sizeof in_request);
        in_request.struct_size = sizeof in_request;
        in_request.entity = TEXT("Person");
        pinview_result * out_out; memset(&out_out, 0, sizeof out_out);
        pinview_upsert usual = in_request;
        for (int number = 0; number < huge_count; number++) {
            in_request.name_count = huge_sizes[number];
            memcpy(&in_request.names, &(const void *){NULL}, sizeof in_request.names);
            FAILS(PINVIEW_ERROR_INVALID_ARGUMENT, pinview_context_upsert(good.context, &in_request, &out_out, ERROR)); EXPECT(has_said("must be between"));
            in_request = usual;
        }
    }
    {
        pinview_upsert in_request; memset(&in_request, 0, sizeof in_request);
        in_request.struct_size = sizeof in_request;
        in_request.entity = TEXT("Person");
        pinview_result * out_out; memset(&out_out, 0, sizeof out_out);
        pinview_upsert usual = in_request;
        for (int number = 0; number < huge_count; number++) {
            in_request.name_count = huge_sizes[number];
            memcpy(&in_request.names, &(const void *){short_array}, sizeof in_request.names);
            FAILS(PINVIEW_ERROR_INVALID_ARGUMENT, pinview_context_upsert(good.context, &in_request, &out_out, ERROR)); EXPECT(has_said("must be between"));
            in_request = usual;
        }
    }
    {
        pinview_upsert in_request; memset(&in_request, 0, sizeof in_request);
        in_request.struct_size = sizeof in_request;
        in_request.entity = TEXT("Person");
        pinview_result * out_out; memset(&out_out, 0, sizeof out_out);
        pinview_upsert usual = in_request;
        for (int number = 0; number < huge_count; number++) {
            in_request.row_count = huge_sizes[number];
            memcpy(&in_request.columns, &(const void *){NULL}, sizeof in_request.columns);
            FAILS(PINVIEW_ERROR_INVALID_ARGUMENT, pinview_context_upsert(good.context, &in_request, &out_out, ERROR)); EXPECT(has_said("must be between"));
            in_request = usual;
        }
    }
    {
        pinview_upsert in_request; memset(&in_request, 0, sizeof in_request);
        in_request.struct_size = sizeof in_request;
        in_request.entity = TEXT("Person");
        pinview_result * out_out; memset(&out_out, 0, sizeof out_out);
        pinview_upsert usual = in_request;
        for (int number = 0; number < huge_count; number++) {
            in_request.row_count = huge_sizes[number];
            memcpy(&in_request.columns, &(const void *){short_array}, sizeof in_request.columns);
            FAILS(PINVIEW_ERROR_INVALID_ARGUMENT, pinview_context_upsert(good.context, &in_request, &out_out, ERROR)); EXPECT(has_said("must be between"));
            in_request = usual;
        }
    }
    {
        pinview_upsert in_request; memset(&in_request, 0, sizeof in_request);
        in_request.struct_size = sizeof in_request;
        in_request.entity = TEXT("Person");
        pinview_result * out_out; memset(&out_out, 0, sizeof out_out);
        pinview_upsert usual = in_request;
        for (int number = 0; number < huge_count; number++) {
            in_request.insert_name_count = huge_sizes[number];
            memcpy(&in_request.insert_names, &(const void *){NULL}, sizeof in_request.insert_names);
            FAILS(PINVIEW_ERROR_INVALID_ARGUMENT, pinview_context_upsert(good.context, &in_request, &out_out, ERROR)); EXPECT(has_said("must be between"));
            in_request = usual;
        }
    }
    {
        pinview_upsert in_request; memset(&in_request, 0, sizeof in_request);
        in_request.struct_size = sizeof in_request;
        in_request.entity = TEXT("Person");
        pinview_result * out_out; memset(&out_out, 0, sizeof out_out);
        pinview_upsert usual = in_request;
        for (int number = 0; number < huge_count; number++) {
            in_request.insert_name_count = huge_sizes[number];
            memcpy(&in_request.insert_names, &(const void *){short_array}, sizeof in_request.insert_names);
            FAILS(PINVIEW_ERROR_INVALID_ARGUMENT, pinview_context_upsert(good.context, &in_request, &out_out, ERROR)); EXPECT(has_said("must be between"));
            in_request = usual;
        }
    }
    {
        pinview_upsert in_request; memset(&in_request, 0, sizeof in_request);
        in_request.struct_size = sizeof in_request;
        in_request.entity = TEXT("Person");
        pinview_result * out_out; memset(&out_out, 0, sizeof out_out);
        pinview_upsert usual = in_request;
        for (int number = 0; number < huge_count; number++) {
            in_request.update_name_count = huge_sizes[number];
            memcpy(&in_request.update_names, &(const void *){NULL}, sizeof in_request.update_names);
            FAILS(PINVIEW_ERROR_INVALID_ARGUMENT, pinview_context_upsert(good.context, &in_request, &out_out, ERROR)); EXPECT(has_said("must be between"));
            in_request = usual;
        }
    }
    {
        pinview_upsert in_request; memset(&in_request, 0, sizeof in_request);
        in_request.struct_size = sizeof in_request;
        in_request.entity = TEXT("Person");
        pinview_result * out_out; memset(&out_out, 0, sizeof out_out);
        pinview_upsert usual = in_request;
        for (int number = 0; number < huge_count; number++) {
            in_request.update_name_count = huge_sizes[number];
            memcpy(&in_request.update_names, &(const void *){short_array}, sizeof in_request.update_names);
            FAILS(PINVIEW_ERROR_INVALID_ARGUMENT, pinview_context_upsert(good.context, &in_request, &out_out, ERROR)); EXPECT(has_said("must be between"));
            in_request = usual;
        }
    }
    tear_down();
}

static void misuse_of_pinview_context_insert(void) {
    set_up();
    {
        for (int number = 0; number < bad_count; number++) {
            void *bad = bad_handle(number, good.object);
            FAILS(PINVIEW_ERROR_INVALID_HANDLE, pinview_context_insert(bad, good.object, NULL));
        }
        FAILS(PINVIEW_ERROR_INVALID_HANDLE, pinview_context_insert(NULL, good.object, NULL));
    }
    {
        for (int number = 0; number < bad_count; number++) {
            void *bad = bad_handle(number, good.store);
            FAILS(PINVIEW_ERROR_INVALID_HANDLE, pinview_context_insert(good.context, bad, NULL));
        }
        FAILS(PINVIEW_ERROR_INVALID_HANDLE, pinview_context_insert(good.context, NULL, NULL));
    }
    tear_down();
}

static void misuse_of_pinview_context_delete(void) {
    set_up();
    {
        for (int number = 0; number < bad_count; number++) {
            void *bad = bad_handle(number, good.object);
            FAILS(PINVIEW_ERROR_INVALID_HANDLE, pinview_context_delete(bad, good.object, NULL));
        }
        FAILS(PINVIEW_ERROR_INVALID_HANDLE, pinview_context_delete(NULL, good.object, NULL));
    }
    {
        for (int number = 0; number < bad_count; number++) {
            void *bad = bad_handle(number, good.store);
            FAILS(PINVIEW_ERROR_INVALID_HANDLE, pinview_context_delete(good.context, bad, NULL));
        }
        FAILS(PINVIEW_ERROR_INVALID_HANDLE, pinview_context_delete(good.context, NULL, NULL));
    }
    tear_down();
}

static void misuse_of_pinview_context_delete_objects(void) {
    set_up();
    {
        for (int number = 0; number < bad_count; number++) {
            void *bad = bad_handle(number, good.object);
            FAILS(PINVIEW_ERROR_INVALID_HANDLE, pinview_context_delete_objects(bad, NULL, 0, NULL));
        }
        FAILS(PINVIEW_ERROR_INVALID_HANDLE, pinview_context_delete_objects(NULL, NULL, 0, NULL));
    }
    {
        for (int number = 0; number < huge_count; number++) {
            const size_t size = huge_sizes[number];
            FAILS(PINVIEW_ERROR_INVALID_ARGUMENT, pinview_context_delete_objects(good.context, (pinview_object *const *)(NULL), size, ERROR)); EXPECT(has_said("must be between"));
        }
    }
    {
        for (int number = 0; number < huge_count; number++) {
            const size_t size = huge_sizes[number];
            FAILS(PINVIEW_ERROR_INVALID_ARGUMENT, pinview_context_delete_objects(good.context, (pinview_object *const *)(short_array), size, ERROR)); EXPECT(has_said("must be between"));
        }
    }
    tear_down();
}

static void misuse_of_pinview_context_assign(void) {
    set_up();
    {
        for (int number = 0; number < bad_count; number++) {
            void *bad = bad_handle(number, good.object);
            FAILS(PINVIEW_ERROR_INVALID_HANDLE, pinview_context_assign(bad, good.object, good.store, NULL));
        }
        FAILS(PINVIEW_ERROR_INVALID_HANDLE, pinview_context_assign(NULL, good.object, good.store, NULL));
    }
    {
        for (int number = 0; number < bad_count; number++) {
            void *bad = bad_handle(number, good.store);
            FAILS(PINVIEW_ERROR_INVALID_HANDLE, pinview_context_assign(good.context, bad, good.store, NULL));
        }
        FAILS(PINVIEW_ERROR_INVALID_HANDLE, pinview_context_assign(good.context, NULL, good.store, NULL));
    }
    {
        for (int number = 0; number < bad_count; number++) {
            void *bad = bad_handle(number, good.object);
            FAILS(PINVIEW_ERROR_INVALID_HANDLE, pinview_context_assign(good.context, good.object, bad, NULL));
        }
        FAILS(PINVIEW_ERROR_INVALID_HANDLE, pinview_context_assign(good.context, good.object, NULL, NULL));
    }
    tear_down();
}

static void misuse_of_pinview_context_registered_object(void) {
    set_up();
    {
        pinview_object * out_out; memset(&out_out, 0, sizeof out_out);
        for (int number = 0; number < bad_count; number++) {
            void *bad = bad_handle(number, good.object);
            FAILS(PINVIEW_ERROR_INVALID_HANDLE, pinview_context_registered_object(bad, good.object_id, &out_out, NULL));
        }
        FAILS(PINVIEW_ERROR_INVALID_HANDLE, pinview_context_registered_object(NULL, good.object_id, &out_out, NULL));
    }
    {
        pinview_object * out_out; memset(&out_out, 0, sizeof out_out);
        for (int number = 0; number < bad_count; number++) {
            void *bad = bad_handle(number, good.object);
            FAILS(PINVIEW_ERROR_INVALID_HANDLE, pinview_context_registered_object(good.context, bad, &out_out, NULL));
        }
        FAILS(PINVIEW_ERROR_INVALID_HANDLE, pinview_context_registered_object(good.context, NULL, &out_out, NULL));
    }
    {
        FAILS(PINVIEW_ERROR_INVALID_ARGUMENT, pinview_context_registered_object(good.context, good.object_id, NULL, NULL));
    }
    tear_down();
}

static void misuse_of_pinview_context_object(void) {
    set_up();
    {
        pinview_object * out_out; memset(&out_out, 0, sizeof out_out);
        for (int number = 0; number < bad_count; number++) {
            void *bad = bad_handle(number, good.object);
            FAILS(PINVIEW_ERROR_INVALID_HANDLE, pinview_context_object(bad, good.object_id, &out_out, NULL));
        }
        FAILS(PINVIEW_ERROR_INVALID_HANDLE, pinview_context_object(NULL, good.object_id, &out_out, NULL));
    }
    {
        pinview_object * out_out; memset(&out_out, 0, sizeof out_out);
        for (int number = 0; number < bad_count; number++) {
            void *bad = bad_handle(number, good.object);
            FAILS(PINVIEW_ERROR_INVALID_HANDLE, pinview_context_object(good.context, bad, &out_out, NULL));
        }
        FAILS(PINVIEW_ERROR_INVALID_HANDLE, pinview_context_object(good.context, NULL, &out_out, NULL));
    }
    {
        FAILS(PINVIEW_ERROR_INVALID_ARGUMENT, pinview_context_object(good.context, good.object_id, NULL, NULL));
    }
    tear_down();
}

static void misuse_of_pinview_context_existing_object(void) {
    set_up();
    {
        pinview_object * out_out; memset(&out_out, 0, sizeof out_out);
        for (int number = 0; number < bad_count; number++) {
            void *bad = bad_handle(number, good.object);
            FAILS(PINVIEW_ERROR_INVALID_HANDLE, pinview_context_existing_object(bad, good.object_id, &out_out, NULL));
        }
        FAILS(PINVIEW_ERROR_INVALID_HANDLE, pinview_context_existing_object(NULL, good.object_id, &out_out, NULL));
    }
    {
        pinview_object * out_out; memset(&out_out, 0, sizeof out_out);
        for (int number = 0; number < bad_count; number++) {
            void *bad = bad_handle(number, good.object);
            FAILS(PINVIEW_ERROR_INVALID_HANDLE, pinview_context_existing_object(good.context, bad, &out_out, NULL));
        }
        FAILS(PINVIEW_ERROR_INVALID_HANDLE, pinview_context_existing_object(good.context, NULL, &out_out, NULL));
    }
    {
        FAILS(PINVIEW_ERROR_INVALID_ARGUMENT, pinview_context_existing_object(good.context, good.object_id, NULL, NULL));
    }
    tear_down();
}

static void misuse_of_pinview_context_objects(void) {
    set_up();
    {
        pinview_result * out_out; memset(&out_out, 0, sizeof out_out);
        for (int number = 0; number < bad_count; number++) {
            void *bad = bad_handle(number, good.object);
            FAILS(PINVIEW_ERROR_INVALID_HANDLE, pinview_context_objects(bad, NULL, 0, &out_out, NULL));
        }
        FAILS(PINVIEW_ERROR_INVALID_HANDLE, pinview_context_objects(NULL, NULL, 0, &out_out, NULL));
    }
    {
        pinview_result * out_out; memset(&out_out, 0, sizeof out_out);
        guarded_place place_out;
        for (int number = 0; number < huge_count; number++) {
            const size_t size = huge_sizes[number];
            FAILS(PINVIEW_ERROR_INVALID_ARGUMENT, pinview_context_objects(good.context, (const pinview_object_id *const *)(NULL), size, guarded(&place_out), ERROR)); EXPECT(has_said("must be between"));
            EXPECT(is_untouched(&place_out));
        }
    }
    {
        pinview_result * out_out; memset(&out_out, 0, sizeof out_out);
        guarded_place place_out;
        for (int number = 0; number < huge_count; number++) {
            const size_t size = huge_sizes[number];
            FAILS(PINVIEW_ERROR_INVALID_ARGUMENT, pinview_context_objects(good.context, (const pinview_object_id *const *)(short_array), size, guarded(&place_out), ERROR)); EXPECT(has_said("must be between"));
            EXPECT(is_untouched(&place_out));
        }
    }
    tear_down();
}

static void misuse_of_pinview_context_existing_objects(void) {
    set_up();
    {
        pinview_result * out_out; memset(&out_out, 0, sizeof out_out);
        for (int number = 0; number < bad_count; number++) {
            void *bad = bad_handle(number, good.object);
            FAILS(PINVIEW_ERROR_INVALID_HANDLE, pinview_context_existing_objects(bad, NULL, 0, &out_out, NULL));
        }
        FAILS(PINVIEW_ERROR_INVALID_HANDLE, pinview_context_existing_objects(NULL, NULL, 0, &out_out, NULL));
    }
    {
        pinview_result * out_out; memset(&out_out, 0, sizeof out_out);
        guarded_place place_out;
        for (int number = 0; number < huge_count; number++) {
            const size_t size = huge_sizes[number];
            FAILS(PINVIEW_ERROR_INVALID_ARGUMENT, pinview_context_existing_objects(good.context, (const pinview_object_id *const *)(NULL), size, guarded(&place_out), ERROR)); EXPECT(has_said("must be between"));
            EXPECT(is_untouched(&place_out));
        }
    }
    {
        pinview_result * out_out; memset(&out_out, 0, sizeof out_out);
        guarded_place place_out;
        for (int number = 0; number < huge_count; number++) {
            const size_t size = huge_sizes[number];
            FAILS(PINVIEW_ERROR_INVALID_ARGUMENT, pinview_context_existing_objects(good.context, (const pinview_object_id *const *)(short_array), size, guarded(&place_out), ERROR)); EXPECT(has_said("must be between"));
            EXPECT(is_untouched(&place_out));
        }
    }
    tear_down();
}

static void misuse_of_pinview_context_values(void) {
    set_up();
    {
        pinview_value out_out; memset(&out_out, 0, sizeof out_out);
        for (int number = 0; number < bad_count; number++) {
            void *bad = bad_handle(number, good.object);
            FAILS(PINVIEW_ERROR_INVALID_HANDLE, pinview_context_values(bad, good.object_id, NULL, 0, good.buffer, &out_out, NULL));
        }
        FAILS(PINVIEW_ERROR_INVALID_HANDLE, pinview_context_values(NULL, good.object_id, NULL, 0, good.buffer, &out_out, NULL));
    }
    {
        pinview_value out_out; memset(&out_out, 0, sizeof out_out);
        for (int number = 0; number < bad_count; number++) {
            void *bad = bad_handle(number, good.object);
            FAILS(PINVIEW_ERROR_INVALID_HANDLE, pinview_context_values(good.context, bad, NULL, 0, good.buffer, &out_out, NULL));
        }
        FAILS(PINVIEW_ERROR_INVALID_HANDLE, pinview_context_values(good.context, NULL, NULL, 0, good.buffer, &out_out, NULL));
    }
    {
        pinview_value out_out; memset(&out_out, 0, sizeof out_out);
        for (int number = 0; number < bad_count; number++) {
            void *bad = bad_handle(number, good.object);
            FAILS(PINVIEW_ERROR_INVALID_HANDLE, pinview_context_values(good.context, good.object_id, NULL, 0, bad, &out_out, NULL));
        }
    }
    {
        pinview_value out_out; memset(&out_out, 0, sizeof out_out);
        guarded_place place_out;
        for (int number = 0; number < huge_count; number++) {
            const size_t size = huge_sizes[number];
            FAILS(PINVIEW_ERROR_INVALID_ARGUMENT, pinview_context_values(good.context, good.object_id, (const int32_t*)(NULL), size, good.buffer, guarded(&place_out), ERROR)); EXPECT(has_said("must be between"));
            EXPECT(is_untouched(&place_out));
        }
    }
    {
        pinview_value out_out; memset(&out_out, 0, sizeof out_out);
        guarded_place place_out;
        for (int number = 0; number < huge_count; number++) {
            const size_t size = huge_sizes[number];
            FAILS(PINVIEW_ERROR_INVALID_ARGUMENT, pinview_context_values(good.context, good.object_id, (const int32_t*)(short_array), size, good.buffer, guarded(&place_out), ERROR)); EXPECT(has_said("must be between"));
            EXPECT(is_untouched(&place_out));
        }
    }
    tear_down();
}

static void misuse_of_pinview_context_registered_objects(void) {
    set_up();
    {
        pinview_result * out_out; memset(&out_out, 0, sizeof out_out);
        for (int number = 0; number < bad_count; number++) {
            void *bad = bad_handle(number, good.object);
            FAILS(PINVIEW_ERROR_INVALID_HANDLE, pinview_context_registered_objects(bad, &out_out, NULL));
        }
        FAILS(PINVIEW_ERROR_INVALID_HANDLE, pinview_context_registered_objects(NULL, &out_out, NULL));
    }
    {
        FAILS(PINVIEW_ERROR_INVALID_ARGUMENT, pinview_context_registered_objects(good.context, NULL, NULL));
    }
    tear_down();
}

static void misuse_of_pinview_context_inserted_objects(void) {
    set_up();
    {
        pinview_result * out_out; memset(&out_out, 0, sizeof out_out);
        for (int number = 0; number < bad_count; number++) {
            void *bad = bad_handle(number, good.object);
            FAILS(PINVIEW_ERROR_INVALID_HANDLE, pinview_context_inserted_objects(bad, &out_out, NULL));
        }
        FAILS(PINVIEW_ERROR_INVALID_HANDLE, pinview_context_inserted_objects(NULL, &out_out, NULL));
    }
    {
        FAILS(PINVIEW_ERROR_INVALID_ARGUMENT, pinview_context_inserted_objects(good.context, NULL, NULL));
    }
    tear_down();
}

static void misuse_of_pinview_context_updated_objects(void) {
    set_up();
    {
        pinview_result * out_out; memset(&out_out, 0, sizeof out_out);
        for (int number = 0; number < bad_count; number++) {
            void *bad = bad_handle(number, good.object);
            FAILS(PINVIEW_ERROR_INVALID_HANDLE, pinview_context_updated_objects(bad, &out_out, NULL));
        }
        FAILS(PINVIEW_ERROR_INVALID_HANDLE, pinview_context_updated_objects(NULL, &out_out, NULL));
    }
    {
        FAILS(PINVIEW_ERROR_INVALID_ARGUMENT, pinview_context_updated_objects(good.context, NULL, NULL));
    }
    tear_down();
}

static void misuse_of_pinview_context_deleted_objects(void) {
    set_up();
    {
        pinview_result * out_out; memset(&out_out, 0, sizeof out_out);
        for (int number = 0; number < bad_count; number++) {
            void *bad = bad_handle(number, good.object);
            FAILS(PINVIEW_ERROR_INVALID_HANDLE, pinview_context_deleted_objects(bad, &out_out, NULL));
        }
        FAILS(PINVIEW_ERROR_INVALID_HANDLE, pinview_context_deleted_objects(NULL, &out_out, NULL));
    }
    {
        FAILS(PINVIEW_ERROR_INVALID_ARGUMENT, pinview_context_deleted_objects(good.context, NULL, NULL));
    }
    tear_down();
}

static void misuse_of_pinview_context_has_changes(void) {
    set_up();
    {
        int32_t out_out; memset(&out_out, 0, sizeof out_out);
        for (int number = 0; number < bad_count; number++) {
            void *bad = bad_handle(number, good.object);
            FAILS(PINVIEW_ERROR_INVALID_HANDLE, pinview_context_has_changes(bad, &out_out, NULL));
        }
        FAILS(PINVIEW_ERROR_INVALID_HANDLE, pinview_context_has_changes(NULL, &out_out, NULL));
    }
    {
        FAILS(PINVIEW_ERROR_INVALID_ARGUMENT, pinview_context_has_changes(good.context, NULL, NULL));
    }
    tear_down();
}

static void misuse_of_pinview_context_refresh(void) {
    set_up();
    {
        for (int number = 0; number < bad_count; number++) {
            void *bad = bad_handle(number, good.object);
            FAILS(PINVIEW_ERROR_INVALID_HANDLE, pinview_context_refresh(bad, good.object, 0, NULL));
        }
        FAILS(PINVIEW_ERROR_INVALID_HANDLE, pinview_context_refresh(NULL, good.object, 0, NULL));
    }
    {
        for (int number = 0; number < bad_count; number++) {
            void *bad = bad_handle(number, good.store);
            FAILS(PINVIEW_ERROR_INVALID_HANDLE, pinview_context_refresh(good.context, bad, 0, NULL));
        }
        FAILS(PINVIEW_ERROR_INVALID_HANDLE, pinview_context_refresh(good.context, NULL, 0, NULL));
    }
    tear_down();
}

static void misuse_of_pinview_context_refresh_all_objects(void) {
    set_up();
    {
        for (int number = 0; number < bad_count; number++) {
            void *bad = bad_handle(number, good.object);
            FAILS(PINVIEW_ERROR_INVALID_HANDLE, pinview_context_refresh_all_objects(bad, NULL));
        }
        FAILS(PINVIEW_ERROR_INVALID_HANDLE, pinview_context_refresh_all_objects(NULL, NULL));
    }
    tear_down();
}

static void misuse_of_pinview_context_obtain_permanent_ids(void) {
    set_up();
    {
        for (int number = 0; number < bad_count; number++) {
            void *bad = bad_handle(number, good.object);
            FAILS(PINVIEW_ERROR_INVALID_HANDLE, pinview_context_obtain_permanent_ids(bad, NULL, 0, NULL));
        }
        FAILS(PINVIEW_ERROR_INVALID_HANDLE, pinview_context_obtain_permanent_ids(NULL, NULL, 0, NULL));
    }
    {
        for (int number = 0; number < huge_count; number++) {
            const size_t size = huge_sizes[number];
            FAILS(PINVIEW_ERROR_INVALID_ARGUMENT, pinview_context_obtain_permanent_ids(good.context, (pinview_object *const *)(NULL), size, ERROR)); EXPECT(has_said("must be between"));
        }
    }
    {
        for (int number = 0; number < huge_count; number++) {
            const size_t size = huge_sizes[number];
            FAILS(PINVIEW_ERROR_INVALID_ARGUMENT, pinview_context_obtain_permanent_ids(good.context, (pinview_object *const *)(short_array), size, ERROR)); EXPECT(has_said("must be between"));
        }
    }
    tear_down();
}

static void misuse_of_pinview_context_detect_conflicts(void) {
    set_up();
    {
        for (int number = 0; number < bad_count; number++) {
            void *bad = bad_handle(number, good.object);
            FAILS(PINVIEW_ERROR_INVALID_HANDLE, pinview_context_detect_conflicts(bad, good.object, NULL));
        }
        FAILS(PINVIEW_ERROR_INVALID_HANDLE, pinview_context_detect_conflicts(NULL, good.object, NULL));
    }
    {
        for (int number = 0; number < bad_count; number++) {
            void *bad = bad_handle(number, good.store);
            FAILS(PINVIEW_ERROR_INVALID_HANDLE, pinview_context_detect_conflicts(good.context, bad, NULL));
        }
        FAILS(PINVIEW_ERROR_INVALID_HANDLE, pinview_context_detect_conflicts(good.context, NULL, NULL));
    }
    tear_down();
}

static void misuse_of_pinview_context_process_pending_changes(void) {
    set_up();
    {
        for (int number = 0; number < bad_count; number++) {
            void *bad = bad_handle(number, good.object);
            FAILS(PINVIEW_ERROR_INVALID_HANDLE, pinview_context_process_pending_changes(bad, NULL));
        }
        FAILS(PINVIEW_ERROR_INVALID_HANDLE, pinview_context_process_pending_changes(NULL, NULL));
    }
    tear_down();
}

static void misuse_of_pinview_context_save(void) {
    set_up();
    {
        for (int number = 0; number < bad_count; number++) {
            void *bad = bad_handle(number, good.object);
            FAILS(PINVIEW_ERROR_INVALID_HANDLE, pinview_context_save(bad, NULL));
        }
        FAILS(PINVIEW_ERROR_INVALID_HANDLE, pinview_context_save(NULL, NULL));
    }
    tear_down();
}

static void misuse_of_pinview_context_rollback(void) {
    set_up();
    {
        for (int number = 0; number < bad_count; number++) {
            void *bad = bad_handle(number, good.object);
            FAILS(PINVIEW_ERROR_INVALID_HANDLE, pinview_context_rollback(bad, NULL));
        }
        FAILS(PINVIEW_ERROR_INVALID_HANDLE, pinview_context_rollback(NULL, NULL));
    }
    tear_down();
}

static void misuse_of_pinview_context_reset(void) {
    set_up();
    {
        for (int number = 0; number < bad_count; number++) {
            void *bad = bad_handle(number, good.object);
            FAILS(PINVIEW_ERROR_INVALID_HANDLE, pinview_context_reset(bad, NULL));
        }
        FAILS(PINVIEW_ERROR_INVALID_HANDLE, pinview_context_reset(NULL, NULL));
    }
    tear_down();
}

static void misuse_of_pinview_context_undo(void) {
    set_up();
    {
        for (int number = 0; number < bad_count; number++) {
            void *bad = bad_handle(number, good.object);
            FAILS(PINVIEW_ERROR_INVALID_HANDLE, pinview_context_undo(bad, NULL));
        }
        FAILS(PINVIEW_ERROR_INVALID_HANDLE, pinview_context_undo(NULL, NULL));
    }
    tear_down();
}

static void misuse_of_pinview_context_redo(void) {
    set_up();
    {
        for (int number = 0; number < bad_count; number++) {
            void *bad = bad_handle(number, good.object);
            FAILS(PINVIEW_ERROR_INVALID_HANDLE, pinview_context_redo(bad, NULL));
        }
        FAILS(PINVIEW_ERROR_INVALID_HANDLE, pinview_context_redo(NULL, NULL));
    }
    tear_down();
}

static void misuse_of_pinview_context_set_undo_enabled(void) {
    set_up();
    {
        for (int number = 0; number < bad_count; number++) {
            void *bad = bad_handle(number, good.object);
            FAILS(PINVIEW_ERROR_INVALID_HANDLE, pinview_context_set_undo_enabled(bad, 0, NULL));
        }
        FAILS(PINVIEW_ERROR_INVALID_HANDLE, pinview_context_set_undo_enabled(NULL, 0, NULL));
    }
    tear_down();
}

static void misuse_of_pinview_context_remove_all_undo_actions(void) {
    set_up();
    {
        for (int number = 0; number < bad_count; number++) {
            void *bad = bad_handle(number, good.object);
            FAILS(PINVIEW_ERROR_INVALID_HANDLE, pinview_context_remove_all_undo_actions(bad, NULL));
        }
        FAILS(PINVIEW_ERROR_INVALID_HANDLE, pinview_context_remove_all_undo_actions(NULL, NULL));
    }
    tear_down();
}

static void misuse_of_pinview_context_begin_undo_grouping(void) {
    set_up();
    {
        for (int number = 0; number < bad_count; number++) {
            void *bad = bad_handle(number, good.object);
            FAILS(PINVIEW_ERROR_INVALID_HANDLE, pinview_context_begin_undo_grouping(bad, NULL));
        }
        FAILS(PINVIEW_ERROR_INVALID_HANDLE, pinview_context_begin_undo_grouping(NULL, NULL));
    }
    tear_down();
}

static void misuse_of_pinview_context_end_undo_grouping(void) {
    set_up();
    {
        for (int number = 0; number < bad_count; number++) {
            void *bad = bad_handle(number, good.object);
            FAILS(PINVIEW_ERROR_INVALID_HANDLE, pinview_context_end_undo_grouping(bad, NULL));
        }
        FAILS(PINVIEW_ERROR_INVALID_HANDLE, pinview_context_end_undo_grouping(NULL, NULL));
    }
    tear_down();
}

static void misuse_of_pinview_context_set_undo_levels(void) {
    set_up();
    {
        for (int number = 0; number < bad_count; number++) {
            void *bad = bad_handle(number, good.object);
            FAILS(PINVIEW_ERROR_INVALID_HANDLE, pinview_context_set_undo_levels(bad, 0, NULL));
        }
        FAILS(PINVIEW_ERROR_INVALID_HANDLE, pinview_context_set_undo_levels(NULL, 0, NULL));
    }
    tear_down();
}

static void misuse_of_pinview_context_lock(void) {
    set_up();
    {
        for (int number = 0; number < bad_count; number++) {
            void *bad = bad_handle(number, good.object);
            FAILS(PINVIEW_ERROR_INVALID_HANDLE, pinview_context_lock(bad, NULL));
        }
        FAILS(PINVIEW_ERROR_INVALID_HANDLE, pinview_context_lock(NULL, NULL));
    }
    tear_down();
}

static void misuse_of_pinview_context_unlock(void) {
    set_up();
    {
        for (int number = 0; number < bad_count; number++) {
            void *bad = bad_handle(number, good.object);
            FAILS(PINVIEW_ERROR_INVALID_HANDLE, pinview_context_unlock(bad, NULL));
        }
        FAILS(PINVIEW_ERROR_INVALID_HANDLE, pinview_context_unlock(NULL, NULL));
    }
    tear_down();
}

static void misuse_of_pinview_context_try_lock(void) {
    set_up();
    {
        int32_t out_out; memset(&out_out, 0, sizeof out_out);
        for (int number = 0; number < bad_count; number++) {
            void *bad = bad_handle(number, good.object);
            FAILS(PINVIEW_ERROR_INVALID_HANDLE, pinview_context_try_lock(bad, &out_out, NULL));
        }
        FAILS(PINVIEW_ERROR_INVALID_HANDLE, pinview_context_try_lock(NULL, &out_out, NULL));
    }
    {
        FAILS(PINVIEW_ERROR_INVALID_ARGUMENT, pinview_context_try_lock(good.context, NULL, NULL));
    }
    tear_down();
}

static void misuse_of_pinview_context_set_userdata(void) {
    set_up();
    {
        for (int number = 0; number < bad_count; number++) {
            void *bad = bad_handle(number, good.object);
            FAILS(PINVIEW_ERROR_INVALID_HANDLE, pinview_context_set_userdata(bad, NULL, free_nothing, NULL));
        }
        FAILS(PINVIEW_ERROR_INVALID_HANDLE, pinview_context_set_userdata(NULL, NULL, free_nothing, NULL));
    }
    tear_down();
}

static void misuse_of_pinview_context_userdata(void) {
    set_up();
    {
        for (int number = 0; number < bad_count; number++) {
            void *bad = bad_handle(number, good.object);
            EXPECT(pinview_context_userdata(bad) == NULL);
        }
        EXPECT(pinview_context_userdata(NULL) == NULL);
    }
    tear_down();
}

static void misuse_of_pinview_context_get_weak(void) {
    set_up();
    {
        pinview_weak_context * out_out; memset(&out_out, 0, sizeof out_out);
        for (int number = 0; number < bad_count; number++) {
            void *bad = bad_handle(number, good.object);
            FAILS(PINVIEW_ERROR_INVALID_HANDLE, pinview_context_get_weak(bad, &out_out, NULL));
        }
        FAILS(PINVIEW_ERROR_INVALID_HANDLE, pinview_context_get_weak(NULL, &out_out, NULL));
    }
    {
        FAILS(PINVIEW_ERROR_INVALID_ARGUMENT, pinview_context_get_weak(good.context, NULL, NULL));
    }
    tear_down();
}

static void misuse_of_pinview_weak_context_get(void) {
    set_up();
    {
        pinview_context * out_out; memset(&out_out, 0, sizeof out_out);
        for (int number = 0; number < bad_count; number++) {
            void *bad = bad_handle(number, good.object);
            FAILS(PINVIEW_ERROR_INVALID_HANDLE, pinview_weak_context_get(bad, &out_out, NULL));
        }
        FAILS(PINVIEW_ERROR_INVALID_HANDLE, pinview_weak_context_get(NULL, &out_out, NULL));
    }
    {
        FAILS(PINVIEW_ERROR_INVALID_ARGUMENT, pinview_weak_context_get(good.weak_context, NULL, NULL));
    }
    tear_down();
}

static void misuse_of_pinview_undo_manager_create(void) {
    set_up();
    {
        FAILS(PINVIEW_ERROR_INVALID_ARGUMENT, pinview_undo_manager_create(NULL, NULL));
    }
    tear_down();
}

static void misuse_of_pinview_undo_manager_is_equal(void) {
    set_up();
    {
        for (int number = 0; number < bad_count; number++) {
            void *bad = bad_handle(number, good.object);
            EXPECT(pinview_undo_manager_is_equal(bad, good.undo_manager) == 0);
        }
        EXPECT(pinview_undo_manager_is_equal(NULL, good.undo_manager) == 0);
    }
    {
        for (int number = 0; number < bad_count; number++) {
            void *bad = bad_handle(number, good.object);
            EXPECT(pinview_undo_manager_is_equal(good.undo_manager, bad) == 0);
        }
        EXPECT(pinview_undo_manager_is_equal(good.undo_manager, NULL) == 0);
    }
    tear_down();
}

static void misuse_of_pinview_context_undo_manager(void) {
    set_up();
    {
        pinview_undo_manager * out_out; memset(&out_out, 0, sizeof out_out);
        for (int number = 0; number < bad_count; number++) {
            void *bad = bad_handle(number, good.object);
            FAILS(PINVIEW_ERROR_INVALID_HANDLE, pinview_context_undo_manager(bad, &out_out, NULL));
        }
        FAILS(PINVIEW_ERROR_INVALID_HANDLE, pinview_context_undo_manager(NULL, &out_out, NULL));
    }
    {
        FAILS(PINVIEW_ERROR_INVALID_ARGUMENT, pinview_context_undo_manager(good.context, NULL, NULL));
    }
    tear_down();
}

static void misuse_of_pinview_context_set_undo_manager(void) {
    set_up();
    {
        for (int number = 0; number < bad_count; number++) {
            void *bad = bad_handle(number, good.object);
            FAILS(PINVIEW_ERROR_INVALID_HANDLE, pinview_context_set_undo_manager(bad, good.undo_manager, NULL));
        }
        FAILS(PINVIEW_ERROR_INVALID_HANDLE, pinview_context_set_undo_manager(NULL, good.undo_manager, NULL));
    }
    {
        for (int number = 0; number < bad_count; number++) {
            void *bad = bad_handle(number, good.object);
            FAILS(PINVIEW_ERROR_INVALID_HANDLE, pinview_context_set_undo_manager(good.context, bad, NULL));
        }
    }
    tear_down();
}

static void misuse_of_pinview_undo_manager_undo(void) {
    set_up();
    {
        for (int number = 0; number < bad_count; number++) {
            void *bad = bad_handle(number, good.object);
            FAILS(PINVIEW_ERROR_INVALID_HANDLE, pinview_undo_manager_undo(bad, NULL));
        }
        FAILS(PINVIEW_ERROR_INVALID_HANDLE, pinview_undo_manager_undo(NULL, NULL));
    }
    tear_down();
}

static void misuse_of_pinview_undo_manager_redo(void) {
    set_up();
    {
        for (int number = 0; number < bad_count; number++) {
            void *bad = bad_handle(number, good.object);
            FAILS(PINVIEW_ERROR_INVALID_HANDLE, pinview_undo_manager_redo(bad, NULL));
        }
        FAILS(PINVIEW_ERROR_INVALID_HANDLE, pinview_undo_manager_redo(NULL, NULL));
    }
    tear_down();
}

static void misuse_of_pinview_undo_manager_can_undo(void) {
    set_up();
    {
        for (int number = 0; number < bad_count; number++) {
            void *bad = bad_handle(number, good.object);
            EXPECT(pinview_undo_manager_can_undo(bad) == 0);
        }
        EXPECT(pinview_undo_manager_can_undo(NULL) == 0);
    }
    tear_down();
}

static void misuse_of_pinview_undo_manager_can_redo(void) {
    set_up();
    {
        for (int number = 0; number < bad_count; number++) {
            void *bad = bad_handle(number, good.object);
            EXPECT(pinview_undo_manager_can_redo(bad) == 0);
        }
        EXPECT(pinview_undo_manager_can_redo(NULL) == 0);
    }
    tear_down();
}

static void misuse_of_pinview_undo_manager_undo_action_name(void) {
    set_up();
    {
        for (int number = 0; number < bad_count; number++) {
            void *bad = bad_handle(number, good.object);
            EXPECT_TEXT(pinview_undo_manager_undo_action_name(bad), NULL);
        }
        EXPECT_TEXT(pinview_undo_manager_undo_action_name(NULL), NULL);
    }
    tear_down();
}

static void misuse_of_pinview_undo_manager_redo_action_name(void) {
    set_up();
    {
        for (int number = 0; number < bad_count; number++) {
            void *bad = bad_handle(number, good.object);
            EXPECT_TEXT(pinview_undo_manager_redo_action_name(bad), NULL);
        }
        EXPECT_TEXT(pinview_undo_manager_redo_action_name(NULL), NULL);
    }
    tear_down();
}

static void misuse_of_pinview_undo_manager_set_action_name(void) {
    set_up();
    {
        for (int number = 0; number < bad_count; number++) {
            void *bad = bad_handle(number, good.object);
            FAILS(PINVIEW_ERROR_INVALID_HANDLE, pinview_undo_manager_set_action_name(bad, TEXT("name"), NULL));
        }
        FAILS(PINVIEW_ERROR_INVALID_HANDLE, pinview_undo_manager_set_action_name(NULL, TEXT("name"), NULL));
    }
    {
        FAILS(PINVIEW_ERROR_INVALID_UTF8, pinview_undo_manager_set_action_name(good.undo_manager, TEXT("a\xff"), NULL));
    }
    {
        for (int number = 0; number < huge_count; number++) {
            FAILS(PINVIEW_ERROR_INVALID_ARGUMENT, pinview_undo_manager_set_action_name(good.undo_manager, huge_text(huge_sizes[number]), ERROR)); EXPECT(has_said("must be between"));
        }
    }
    tear_down();
}

static void misuse_of_pinview_undo_manager_begin_grouping(void) {
    set_up();
    {
        for (int number = 0; number < bad_count; number++) {
            void *bad = bad_handle(number, good.object);
            FAILS(PINVIEW_ERROR_INVALID_HANDLE, pinview_undo_manager_begin_grouping(bad, NULL));
        }
        FAILS(PINVIEW_ERROR_INVALID_HANDLE, pinview_undo_manager_begin_grouping(NULL, NULL));
    }
    tear_down();
}

static void misuse_of_pinview_undo_manager_end_grouping(void) {
    set_up();
    {
        for (int number = 0; number < bad_count; number++) {
            void *bad = bad_handle(number, good.object);
            FAILS(PINVIEW_ERROR_INVALID_HANDLE, pinview_undo_manager_end_grouping(bad, NULL));
        }
        FAILS(PINVIEW_ERROR_INVALID_HANDLE, pinview_undo_manager_end_grouping(NULL, NULL));
    }
    tear_down();
}

static void misuse_of_pinview_undo_manager_grouping_level(void) {
    set_up();
    {
        for (int number = 0; number < bad_count; number++) {
            void *bad = bad_handle(number, good.object);
            EXPECT(pinview_undo_manager_grouping_level(bad) == 0);
        }
        EXPECT(pinview_undo_manager_grouping_level(NULL) == 0);
    }
    tear_down();
}

static void misuse_of_pinview_undo_manager_set_levels(void) {
    set_up();
    {
        for (int number = 0; number < bad_count; number++) {
            void *bad = bad_handle(number, good.object);
            FAILS(PINVIEW_ERROR_INVALID_HANDLE, pinview_undo_manager_set_levels(bad, 0, NULL));
        }
        FAILS(PINVIEW_ERROR_INVALID_HANDLE, pinview_undo_manager_set_levels(NULL, 0, NULL));
    }
    tear_down();
}

static void misuse_of_pinview_undo_manager_levels(void) {
    set_up();
    {
        for (int number = 0; number < bad_count; number++) {
            void *bad = bad_handle(number, good.object);
            EXPECT(pinview_undo_manager_levels(bad) == 0);
        }
        EXPECT(pinview_undo_manager_levels(NULL) == 0);
    }
    tear_down();
}

static void misuse_of_pinview_undo_manager_set_registration_enabled(void) {
    set_up();
    {
        for (int number = 0; number < bad_count; number++) {
            void *bad = bad_handle(number, good.object);
            FAILS(PINVIEW_ERROR_INVALID_HANDLE, pinview_undo_manager_set_registration_enabled(bad, 0, NULL));
        }
        FAILS(PINVIEW_ERROR_INVALID_HANDLE, pinview_undo_manager_set_registration_enabled(NULL, 0, NULL));
    }
    tear_down();
}

static void misuse_of_pinview_undo_manager_is_registration_enabled(void) {
    set_up();
    {
        for (int number = 0; number < bad_count; number++) {
            void *bad = bad_handle(number, good.object);
            EXPECT(pinview_undo_manager_is_registration_enabled(bad) == 0);
        }
        EXPECT(pinview_undo_manager_is_registration_enabled(NULL) == 0);
    }
    tear_down();
}

static void misuse_of_pinview_undo_manager_remove_all_actions(void) {
    set_up();
    {
        for (int number = 0; number < bad_count; number++) {
            void *bad = bad_handle(number, good.object);
            FAILS(PINVIEW_ERROR_INVALID_HANDLE, pinview_undo_manager_remove_all_actions(bad, NULL));
        }
        FAILS(PINVIEW_ERROR_INVALID_HANDLE, pinview_undo_manager_remove_all_actions(NULL, NULL));
    }
    tear_down();
}

static void misuse_of_pinview_object_is_equal(void) {
    set_up();
    {
        for (int number = 0; number < bad_count; number++) {
            void *bad = bad_handle(number, good.store);
            EXPECT(pinview_object_is_equal(bad, good.object) == 0);
        }
        EXPECT(pinview_object_is_equal(NULL, good.object) == 0);
    }
    {
        for (int number = 0; number < bad_count; number++) {
            void *bad = bad_handle(number, good.store);
            EXPECT(pinview_object_is_equal(good.object, bad) == 0);
        }
        EXPECT(pinview_object_is_equal(good.object, NULL) == 0);
    }
    tear_down();
}

static void misuse_of_pinview_object_identity(void) {
    set_up();
    {
        for (int number = 0; number < bad_count; number++) {
            void *bad = bad_handle(number, good.store);
            EXPECT(pinview_object_identity(bad) == 0);
        }
        EXPECT(pinview_object_identity(NULL) == 0);
    }
    tear_down();
}

static void misuse_of_pinview_object_get_id(void) {
    set_up();
    {
        pinview_object_id * out_out; memset(&out_out, 0, sizeof out_out);
        for (int number = 0; number < bad_count; number++) {
            void *bad = bad_handle(number, good.store);
            FAILS(PINVIEW_ERROR_INVALID_HANDLE, pinview_object_get_id(bad, &out_out, NULL));
        }
        FAILS(PINVIEW_ERROR_INVALID_HANDLE, pinview_object_get_id(NULL, &out_out, NULL));
    }
    {
        FAILS(PINVIEW_ERROR_INVALID_ARGUMENT, pinview_object_get_id(good.object, NULL, NULL));
    }
    tear_down();
}

static void misuse_of_pinview_object_entity(void) {
    set_up();
    {
        pinview_entity * out_out; memset(&out_out, 0, sizeof out_out);
        for (int number = 0; number < bad_count; number++) {
            void *bad = bad_handle(number, good.store);
            FAILS(PINVIEW_ERROR_INVALID_HANDLE, pinview_object_entity(bad, &out_out, NULL));
        }
        FAILS(PINVIEW_ERROR_INVALID_HANDLE, pinview_object_entity(NULL, &out_out, NULL));
    }
    {
        FAILS(PINVIEW_ERROR_INVALID_ARGUMENT, pinview_object_entity(good.object, NULL, NULL));
    }
    tear_down();
}

static void misuse_of_pinview_object_context(void) {
    set_up();
    {
        pinview_context * out_out; memset(&out_out, 0, sizeof out_out);
        for (int number = 0; number < bad_count; number++) {
            void *bad = bad_handle(number, good.store);
            FAILS(PINVIEW_ERROR_INVALID_HANDLE, pinview_object_context(bad, &out_out, NULL));
        }
        FAILS(PINVIEW_ERROR_INVALID_HANDLE, pinview_object_context(NULL, &out_out, NULL));
    }
    {
        FAILS(PINVIEW_ERROR_INVALID_ARGUMENT, pinview_object_context(good.object, NULL, NULL));
    }
    tear_down();
}

static void misuse_of_pinview_object_state(void) {
    set_up();
    {
        uint32_t out_out; memset(&out_out, 0, sizeof out_out);
        for (int number = 0; number < bad_count; number++) {
            void *bad = bad_handle(number, good.store);
            FAILS(PINVIEW_ERROR_INVALID_HANDLE, pinview_object_state(bad, &out_out, NULL));
        }
        FAILS(PINVIEW_ERROR_INVALID_HANDLE, pinview_object_state(NULL, &out_out, NULL));
    }
    {
        FAILS(PINVIEW_ERROR_INVALID_ARGUMENT, pinview_object_state(good.object, NULL, NULL));
    }
    tear_down();
}

static void misuse_of_pinview_object_value(void) {
    set_up();
    {
        pinview_value out_out; memset(&out_out, 0, sizeof out_out);
        for (int number = 0; number < bad_count; number++) {
            void *bad = bad_handle(number, good.store);
            FAILS(PINVIEW_ERROR_INVALID_HANDLE, pinview_object_value(bad, TEXT("name"), &out_out, NULL));
        }
        FAILS(PINVIEW_ERROR_INVALID_HANDLE, pinview_object_value(NULL, TEXT("name"), &out_out, NULL));
    }
    {
        FAILS(PINVIEW_ERROR_INVALID_ARGUMENT, pinview_object_value(good.object, TEXT("name"), NULL, NULL));
    }
    {
        pinview_value out_out; memset(&out_out, 0, sizeof out_out);
        FAILS(PINVIEW_ERROR_INVALID_UTF8, pinview_object_value(good.object, TEXT("a\xff"), &out_out, NULL));
    }
    {
        pinview_value out_out; memset(&out_out, 0, sizeof out_out);
        for (int number = 0; number < huge_count; number++) {
            FAILS(PINVIEW_ERROR_INVALID_ARGUMENT, pinview_object_value(good.object, huge_text(huge_sizes[number]), &out_out, ERROR)); EXPECT(has_said("must be between"));
        }
    }
    tear_down();
}

static void misuse_of_pinview_object_value_at(void) {
    set_up();
    {
        pinview_value out_out; memset(&out_out, 0, sizeof out_out);
        for (int number = 0; number < bad_count; number++) {
            void *bad = bad_handle(number, good.store);
            FAILS(PINVIEW_ERROR_INVALID_HANDLE, pinview_object_value_at(bad, 0, &out_out, NULL));
        }
        FAILS(PINVIEW_ERROR_INVALID_HANDLE, pinview_object_value_at(NULL, 0, &out_out, NULL));
    }
    {
        FAILS(PINVIEW_ERROR_INVALID_ARGUMENT, pinview_object_value_at(good.object, 0, NULL, NULL));
    }
    tear_down();
}

static void misuse_of_pinview_object_values(void) {
    set_up();
    {
        pinview_value out_out; memset(&out_out, 0, sizeof out_out);
        for (int number = 0; number < bad_count; number++) {
            void *bad = bad_handle(number, good.store);
            FAILS(PINVIEW_ERROR_INVALID_HANDLE, pinview_object_values(bad, NULL, 0, good.buffer, &out_out, NULL));
        }
        FAILS(PINVIEW_ERROR_INVALID_HANDLE, pinview_object_values(NULL, NULL, 0, good.buffer, &out_out, NULL));
    }
    {
        pinview_value out_out; memset(&out_out, 0, sizeof out_out);
        for (int number = 0; number < bad_count; number++) {
            void *bad = bad_handle(number, good.object);
            FAILS(PINVIEW_ERROR_INVALID_HANDLE, pinview_object_values(good.object, NULL, 0, bad, &out_out, NULL));
        }
        FAILS(PINVIEW_ERROR_INVALID_HANDLE, pinview_object_values(good.object, NULL, 0, NULL, &out_out, NULL));
    }
    {
        pinview_value out_out; memset(&out_out, 0, sizeof out_out);
        guarded_place place_out;
        for (int number = 0; number < huge_count; number++) {
            const size_t size = huge_sizes[number];
            FAILS(PINVIEW_ERROR_INVALID_ARGUMENT, pinview_object_values(good.object, (const int32_t*)(NULL), size, good.buffer, guarded(&place_out), ERROR)); EXPECT(has_said("must be between"));
            EXPECT(is_untouched(&place_out));
        }
    }
    {
        pinview_value out_out; memset(&out_out, 0, sizeof out_out);
        guarded_place place_out;
        for (int number = 0; number < huge_count; number++) {
            const size_t size = huge_sizes[number];
            FAILS(PINVIEW_ERROR_INVALID_ARGUMENT, pinview_object_values(good.object, (const int32_t*)(short_array), size, good.buffer, guarded(&place_out), ERROR)); EXPECT(has_said("must be between"));
            EXPECT(is_untouched(&place_out));
        }
    }
    tear_down();
}

static void misuse_of_pinview_object_examine(void) {
    set_up();
    {
        pinview_value out_raw; memset(&out_raw, 0, sizeof out_raw);
        pinview_string out_readable; memset(&out_readable, 0, sizeof out_readable);
        int32_t out_is_missing; memset(&out_is_missing, 0, sizeof out_is_missing);
        for (int number = 0; number < bad_count; number++) {
            void *bad = bad_handle(number, good.store);
            FAILS(PINVIEW_ERROR_INVALID_HANDLE, pinview_object_examine(bad, TEXT("name"), good.buffer, &out_raw, &out_readable, &out_is_missing, NULL));
        }
        FAILS(PINVIEW_ERROR_INVALID_HANDLE, pinview_object_examine(NULL, TEXT("name"), good.buffer, &out_raw, &out_readable, &out_is_missing, NULL));
    }
    {
        pinview_value out_raw; memset(&out_raw, 0, sizeof out_raw);
        pinview_string out_readable; memset(&out_readable, 0, sizeof out_readable);
        int32_t out_is_missing; memset(&out_is_missing, 0, sizeof out_is_missing);
        for (int number = 0; number < bad_count; number++) {
            void *bad = bad_handle(number, good.object);
            FAILS(PINVIEW_ERROR_INVALID_HANDLE, pinview_object_examine(good.object, TEXT("name"), bad, &out_raw, &out_readable, &out_is_missing, NULL));
        }
        FAILS(PINVIEW_ERROR_INVALID_HANDLE, pinview_object_examine(good.object, TEXT("name"), NULL, &out_raw, &out_readable, &out_is_missing, NULL));
    }
    {
        pinview_string out_readable; memset(&out_readable, 0, sizeof out_readable);
        int32_t out_is_missing; memset(&out_is_missing, 0, sizeof out_is_missing);
        FAILS(PINVIEW_ERROR_INVALID_ARGUMENT, pinview_object_examine(good.object, TEXT("name"), good.buffer, NULL, &out_readable, &out_is_missing, NULL));
    }
    {
        pinview_value out_raw; memset(&out_raw, 0, sizeof out_raw);
        int32_t out_is_missing; memset(&out_is_missing, 0, sizeof out_is_missing);
        FAILS(PINVIEW_ERROR_INVALID_ARGUMENT, pinview_object_examine(good.object, TEXT("name"), good.buffer, &out_raw, NULL, &out_is_missing, NULL));
    }
    {
        pinview_value out_raw; memset(&out_raw, 0, sizeof out_raw);
        pinview_string out_readable; memset(&out_readable, 0, sizeof out_readable);
        FAILS(PINVIEW_ERROR_INVALID_ARGUMENT, pinview_object_examine(good.object, TEXT("name"), good.buffer, &out_raw, &out_readable, NULL, NULL));
    }
    {
        pinview_value out_raw; memset(&out_raw, 0, sizeof out_raw);
        pinview_string out_readable; memset(&out_readable, 0, sizeof out_readable);
        int32_t out_is_missing; memset(&out_is_missing, 0, sizeof out_is_missing);
        FAILS(PINVIEW_ERROR_INVALID_UTF8, pinview_object_examine(good.object, TEXT("a\xff"), good.buffer, &out_raw, &out_readable, &out_is_missing, NULL));
    }
    {
        pinview_value out_raw; memset(&out_raw, 0, sizeof out_raw);
        pinview_string out_readable; memset(&out_readable, 0, sizeof out_readable);
        int32_t out_is_missing; memset(&out_is_missing, 0, sizeof out_is_missing);
        for (int number = 0; number < huge_count; number++) {
            FAILS(PINVIEW_ERROR_INVALID_ARGUMENT, pinview_object_examine(good.object, huge_text(huge_sizes[number]), good.buffer, &out_raw, &out_readable, &out_is_missing, ERROR)); EXPECT(has_said("must be between"));
        }
    }
    tear_down();
}

static void misuse_of_pinview_value_readable(void) {
    set_up();
    {
        pinview_value in_value; memset(&in_value, 0, sizeof in_value);
        pinview_string out_out; memset(&out_out, 0, sizeof out_out);
        for (int number = 0; number < bad_count; number++) {
            void *bad = bad_handle(number, good.object);
            FAILS(PINVIEW_ERROR_INVALID_HANDLE, pinview_value_readable(&in_value, bad, &out_out, NULL));
        }
        FAILS(PINVIEW_ERROR_INVALID_HANDLE, pinview_value_readable(&in_value, NULL, &out_out, NULL));
    }
    {
        pinview_value in_value; memset(&in_value, 0, sizeof in_value);
        FAILS(PINVIEW_ERROR_INVALID_ARGUMENT, pinview_value_readable(&in_value, good.buffer, NULL, NULL));
    }
    {
        pinview_string out_out; memset(&out_out, 0, sizeof out_out);
        for (int number = 0; number < huge_count * huge_value_count; number++) {
            const pinview_value value = huge_value(number % huge_value_count, huge_sizes[number / huge_value_count]);
            if (value.type == PINVIEW_VALUE_LIST) continue; /* only predicates take lists */
            FAILS(PINVIEW_ERROR_INVALID_ARGUMENT, pinview_value_readable(&value, good.buffer, &out_out, ERROR)); EXPECT(has_said("must be between"));
        }
    }
    tear_down();
}

static void misuse_of_pinview_objects_values(void) {
    set_up();
    {
        pinview_value out_out; memset(&out_out, 0, sizeof out_out);
        for (int number = 0; number < bad_count; number++) {
            void *bad = bad_handle(number, good.object);
            FAILS(PINVIEW_ERROR_INVALID_HANDLE, pinview_objects_values(NULL, 0, NULL, 0, bad, &out_out, NULL));
        }
        FAILS(PINVIEW_ERROR_INVALID_HANDLE, pinview_objects_values(NULL, 0, NULL, 0, NULL, &out_out, NULL));
    }
    {
        pinview_value out_out; memset(&out_out, 0, sizeof out_out);
        guarded_place place_out;
        for (int number = 0; number < huge_count; number++) {
            const size_t size = huge_sizes[number];
            FAILS(PINVIEW_ERROR_INVALID_ARGUMENT, pinview_objects_values((pinview_object *const *)(NULL), size, (const int32_t*)(NULL), 0, good.buffer, guarded(&place_out), ERROR)); EXPECT(has_said("must be between"));
            EXPECT(is_untouched(&place_out));
        }
    }
    {
        pinview_value out_out; memset(&out_out, 0, sizeof out_out);
        guarded_place place_out;
        for (int number = 0; number < huge_count; number++) {
            const size_t size = huge_sizes[number];
            FAILS(PINVIEW_ERROR_INVALID_ARGUMENT, pinview_objects_values((pinview_object *const *)(short_array), size, (const int32_t*)(short_array), 0, good.buffer, guarded(&place_out), ERROR)); EXPECT(has_said("must be between"));
            EXPECT(is_untouched(&place_out));
        }
    }
    {
        pinview_value out_out; memset(&out_out, 0, sizeof out_out);
        guarded_place place_out;
        for (int number = 0; number < huge_count; number++) {
            const size_t size = huge_sizes[number];
            FAILS(PINVIEW_ERROR_INVALID_ARGUMENT, pinview_objects_values((pinview_object *const *)(NULL), 0, (const int32_t*)(NULL), size, good.buffer, guarded(&place_out), ERROR)); EXPECT(has_said("must be between"));
            EXPECT(is_untouched(&place_out));
        }
    }
    {
        pinview_value out_out; memset(&out_out, 0, sizeof out_out);
        guarded_place place_out;
        for (int number = 0; number < huge_count; number++) {
            const size_t size = huge_sizes[number];
            FAILS(PINVIEW_ERROR_INVALID_ARGUMENT, pinview_objects_values((pinview_object *const *)(short_array), 0, (const int32_t*)(short_array), size, good.buffer, guarded(&place_out), ERROR)); EXPECT(has_said("must be between"));
            EXPECT(is_untouched(&place_out));
        }
    }
    tear_down();
}

static void misuse_of_pinview_object_set_value(void) {
    set_up();
    {
        pinview_value in_value; memset(&in_value, 0, sizeof in_value);
        for (int number = 0; number < bad_count; number++) {
            void *bad = bad_handle(number, good.store);
            FAILS(PINVIEW_ERROR_INVALID_HANDLE, pinview_object_set_value(bad, TEXT("name"), &in_value, NULL));
        }
        FAILS(PINVIEW_ERROR_INVALID_HANDLE, pinview_object_set_value(NULL, TEXT("name"), &in_value, NULL));
    }
    {
        pinview_value in_value; memset(&in_value, 0, sizeof in_value);
        FAILS(PINVIEW_ERROR_INVALID_UTF8, pinview_object_set_value(good.object, TEXT("a\xff"), &in_value, NULL));
    }
    {
        pinview_value in_value; memset(&in_value, 0, sizeof in_value);
        for (int number = 0; number < huge_count; number++) {
            FAILS(PINVIEW_ERROR_INVALID_ARGUMENT, pinview_object_set_value(good.object, huge_text(huge_sizes[number]), &in_value, ERROR)); EXPECT(has_said("must be between"));
        }
    }
    {
        for (int number = 0; number < huge_count * huge_value_count; number++) {
            const pinview_value value = huge_value(number % huge_value_count, huge_sizes[number / huge_value_count]);
            if (value.type == PINVIEW_VALUE_LIST) continue; /* only predicates take lists */
            FAILS(PINVIEW_ERROR_INVALID_ARGUMENT, pinview_object_set_value(good.object, TEXT("name"), &value, ERROR)); EXPECT(has_said("must be between"));
        }
    }
    tear_down();
}

static void misuse_of_pinview_object_set_value_at(void) {
    set_up();
    {
        pinview_value in_value; memset(&in_value, 0, sizeof in_value);
        for (int number = 0; number < bad_count; number++) {
            void *bad = bad_handle(number, good.store);
            FAILS(PINVIEW_ERROR_INVALID_HANDLE, pinview_object_set_value_at(bad, 0, &in_value, NULL));
        }
        FAILS(PINVIEW_ERROR_INVALID_HANDLE, pinview_object_set_value_at(NULL, 0, &in_value, NULL));
    }
    {
        for (int number = 0; number < huge_count * huge_value_count; number++) {
            const pinview_value value = huge_value(number % huge_value_count, huge_sizes[number / huge_value_count]);
            if (value.type == PINVIEW_VALUE_LIST) continue; /* only predicates take lists */
            FAILS(PINVIEW_ERROR_INVALID_ARGUMENT, pinview_object_set_value_at(good.object, 0, &value, ERROR)); EXPECT(has_said("must be between"));
        }
    }
    tear_down();
}

static void misuse_of_pinview_object_set_composite(void) {
    set_up();
    {
        for (int number = 0; number < bad_count; number++) {
            void *bad = bad_handle(number, good.store);
            FAILS(PINVIEW_ERROR_INVALID_HANDLE, pinview_object_set_composite(bad, TEXT("name"), NULL, 0, NULL));
        }
        FAILS(PINVIEW_ERROR_INVALID_HANDLE, pinview_object_set_composite(NULL, TEXT("name"), NULL, 0, NULL));
    }
    {
        FAILS(PINVIEW_ERROR_INVALID_UTF8, pinview_object_set_composite(good.object, TEXT("a\xff"), NULL, 0, NULL));
    }
    {
        for (int number = 0; number < huge_count; number++) {
            FAILS(PINVIEW_ERROR_INVALID_ARGUMENT, pinview_object_set_composite(good.object, huge_text(huge_sizes[number]), NULL, 0, ERROR)); EXPECT(has_said("must be between"));
        }
    }
    {
        for (int number = 0; number < huge_count; number++) {
            const size_t size = huge_sizes[number];
            FAILS(PINVIEW_ERROR_INVALID_ARGUMENT, pinview_object_set_composite(good.object, TEXT("name"), (const pinview_named_value*)(NULL), size, ERROR)); EXPECT(has_said("must be between"));
        }
    }
    {
        for (int number = 0; number < huge_count; number++) {
            const size_t size = huge_sizes[number];
            FAILS(PINVIEW_ERROR_INVALID_ARGUMENT, pinview_object_set_composite(good.object, TEXT("name"), (const pinview_named_value*)(short_array), size, ERROR)); EXPECT(has_said("must be between"));
        }
    }
    tear_down();
}

static void misuse_of_pinview_object_related_object(void) {
    set_up();
    {
        pinview_object * out_out; memset(&out_out, 0, sizeof out_out);
        for (int number = 0; number < bad_count; number++) {
            void *bad = bad_handle(number, good.store);
            FAILS(PINVIEW_ERROR_INVALID_HANDLE, pinview_object_related_object(bad, TEXT("cars"), &out_out, NULL));
        }
        FAILS(PINVIEW_ERROR_INVALID_HANDLE, pinview_object_related_object(NULL, TEXT("cars"), &out_out, NULL));
    }
    {
        FAILS(PINVIEW_ERROR_INVALID_ARGUMENT, pinview_object_related_object(good.object, TEXT("cars"), NULL, NULL));
    }
    {
        pinview_object * out_out; memset(&out_out, 0, sizeof out_out);
        FAILS(PINVIEW_ERROR_INVALID_UTF8, pinview_object_related_object(good.object, TEXT("a\xff"), &out_out, NULL));
    }
    {
        pinview_object * out_out; memset(&out_out, 0, sizeof out_out);
        for (int number = 0; number < huge_count; number++) {
            FAILS(PINVIEW_ERROR_INVALID_ARGUMENT, pinview_object_related_object(good.object, huge_text(huge_sizes[number]), &out_out, ERROR)); EXPECT(has_said("must be between"));
        }
    }
    tear_down();
}

static void misuse_of_pinview_object_related_object_at(void) {
    set_up();
    {
        pinview_object * out_out; memset(&out_out, 0, sizeof out_out);
        for (int number = 0; number < bad_count; number++) {
            void *bad = bad_handle(number, good.store);
            FAILS(PINVIEW_ERROR_INVALID_HANDLE, pinview_object_related_object_at(bad, 0, &out_out, NULL));
        }
        FAILS(PINVIEW_ERROR_INVALID_HANDLE, pinview_object_related_object_at(NULL, 0, &out_out, NULL));
    }
    {
        FAILS(PINVIEW_ERROR_INVALID_ARGUMENT, pinview_object_related_object_at(good.object, 0, NULL, NULL));
    }
    tear_down();
}

static void misuse_of_pinview_objects_related_object_at(void) {
    set_up();
    {
        pinview_object * out_out; memset(&out_out, 0, sizeof out_out);
        guarded_place place_out;
        for (int number = 0; number < huge_count; number++) {
            const size_t size = huge_sizes[number];
            FAILS(PINVIEW_ERROR_INVALID_ARGUMENT, pinview_objects_related_object_at((pinview_object *const *)(NULL), size, 0, guarded(&place_out), ERROR)); EXPECT(has_said("must be between"));
            EXPECT(is_untouched(&place_out));
        }
    }
    {
        pinview_object * out_out; memset(&out_out, 0, sizeof out_out);
        guarded_place place_out;
        for (int number = 0; number < huge_count; number++) {
            const size_t size = huge_sizes[number];
            FAILS(PINVIEW_ERROR_INVALID_ARGUMENT, pinview_objects_related_object_at((pinview_object *const *)(short_array), size, 0, guarded(&place_out), ERROR)); EXPECT(has_said("must be between"));
            EXPECT(is_untouched(&place_out));
        }
    }
    tear_down();
}

static void misuse_of_pinview_object_related_objects(void) {
    set_up();
    {
        pinview_result * out_out; memset(&out_out, 0, sizeof out_out);
        for (int number = 0; number < bad_count; number++) {
            void *bad = bad_handle(number, good.store);
            FAILS(PINVIEW_ERROR_INVALID_HANDLE, pinview_object_related_objects(bad, TEXT("cars"), &out_out, NULL));
        }
        FAILS(PINVIEW_ERROR_INVALID_HANDLE, pinview_object_related_objects(NULL, TEXT("cars"), &out_out, NULL));
    }
    {
        FAILS(PINVIEW_ERROR_INVALID_ARGUMENT, pinview_object_related_objects(good.object, TEXT("cars"), NULL, NULL));
    }
    {
        pinview_result * out_out; memset(&out_out, 0, sizeof out_out);
        FAILS(PINVIEW_ERROR_INVALID_UTF8, pinview_object_related_objects(good.object, TEXT("a\xff"), &out_out, NULL));
    }
    {
        pinview_result * out_out; memset(&out_out, 0, sizeof out_out);
        for (int number = 0; number < huge_count; number++) {
            FAILS(PINVIEW_ERROR_INVALID_ARGUMENT, pinview_object_related_objects(good.object, huge_text(huge_sizes[number]), &out_out, ERROR)); EXPECT(has_said("must be between"));
        }
    }
    tear_down();
}

static void misuse_of_pinview_object_related_object_count(void) {
    set_up();
    {
        uint64_t out_out; memset(&out_out, 0, sizeof out_out);
        for (int number = 0; number < bad_count; number++) {
            void *bad = bad_handle(number, good.store);
            FAILS(PINVIEW_ERROR_INVALID_HANDLE, pinview_object_related_object_count(bad, TEXT("cars"), &out_out, NULL));
        }
        FAILS(PINVIEW_ERROR_INVALID_HANDLE, pinview_object_related_object_count(NULL, TEXT("cars"), &out_out, NULL));
    }
    {
        FAILS(PINVIEW_ERROR_INVALID_ARGUMENT, pinview_object_related_object_count(good.object, TEXT("cars"), NULL, NULL));
    }
    {
        uint64_t out_out; memset(&out_out, 0, sizeof out_out);
        FAILS(PINVIEW_ERROR_INVALID_UTF8, pinview_object_related_object_count(good.object, TEXT("a\xff"), &out_out, NULL));
    }
    {
        uint64_t out_out; memset(&out_out, 0, sizeof out_out);
        for (int number = 0; number < huge_count; number++) {
            FAILS(PINVIEW_ERROR_INVALID_ARGUMENT, pinview_object_related_object_count(good.object, huge_text(huge_sizes[number]), &out_out, ERROR)); EXPECT(has_said("must be between"));
        }
    }
    tear_down();
}

static void misuse_of_pinview_object_contains_related_object(void) {
    set_up();
    {
        int32_t out_out; memset(&out_out, 0, sizeof out_out);
        for (int number = 0; number < bad_count; number++) {
            void *bad = bad_handle(number, good.store);
            FAILS(PINVIEW_ERROR_INVALID_HANDLE, pinview_object_contains_related_object(bad, TEXT("cars"), good.object, &out_out, NULL));
        }
        FAILS(PINVIEW_ERROR_INVALID_HANDLE, pinview_object_contains_related_object(NULL, TEXT("cars"), good.object, &out_out, NULL));
    }
    {
        int32_t out_out; memset(&out_out, 0, sizeof out_out);
        for (int number = 0; number < bad_count; number++) {
            void *bad = bad_handle(number, good.store);
            FAILS(PINVIEW_ERROR_INVALID_HANDLE, pinview_object_contains_related_object(good.object, TEXT("cars"), bad, &out_out, NULL));
        }
        FAILS(PINVIEW_ERROR_INVALID_HANDLE, pinview_object_contains_related_object(good.object, TEXT("cars"), NULL, &out_out, NULL));
    }
    {
        FAILS(PINVIEW_ERROR_INVALID_ARGUMENT, pinview_object_contains_related_object(good.object, TEXT("cars"), good.object, NULL, NULL));
    }
    {
        int32_t out_out; memset(&out_out, 0, sizeof out_out);
        FAILS(PINVIEW_ERROR_INVALID_UTF8, pinview_object_contains_related_object(good.object, TEXT("a\xff"), good.object, &out_out, NULL));
    }
    {
        int32_t out_out; memset(&out_out, 0, sizeof out_out);
        for (int number = 0; number < huge_count; number++) {
            FAILS(PINVIEW_ERROR_INVALID_ARGUMENT, pinview_object_contains_related_object(good.object, huge_text(huge_sizes[number]), good.object, &out_out, ERROR)); EXPECT(has_said("must be between"));
        }
    }
    tear_down();
}

static void misuse_of_pinview_object_add_related_object(void) {
    set_up();
    {
        for (int number = 0; number < bad_count; number++) {
            void *bad = bad_handle(number, good.store);
            FAILS(PINVIEW_ERROR_INVALID_HANDLE, pinview_object_add_related_object(bad, TEXT("cars"), good.object, NULL));
        }
        FAILS(PINVIEW_ERROR_INVALID_HANDLE, pinview_object_add_related_object(NULL, TEXT("cars"), good.object, NULL));
    }
    {
        for (int number = 0; number < bad_count; number++) {
            void *bad = bad_handle(number, good.store);
            FAILS(PINVIEW_ERROR_INVALID_HANDLE, pinview_object_add_related_object(good.object, TEXT("cars"), bad, NULL));
        }
        FAILS(PINVIEW_ERROR_INVALID_HANDLE, pinview_object_add_related_object(good.object, TEXT("cars"), NULL, NULL));
    }
    {
        FAILS(PINVIEW_ERROR_INVALID_UTF8, pinview_object_add_related_object(good.object, TEXT("a\xff"), good.object, NULL));
    }
    {
        for (int number = 0; number < huge_count; number++) {
            FAILS(PINVIEW_ERROR_INVALID_ARGUMENT, pinview_object_add_related_object(good.object, huge_text(huge_sizes[number]), good.object, ERROR)); EXPECT(has_said("must be between"));
        }
    }
    tear_down();
}

static void misuse_of_pinview_object_insert_related_object(void) {
    set_up();
    {
        for (int number = 0; number < bad_count; number++) {
            void *bad = bad_handle(number, good.store);
            FAILS(PINVIEW_ERROR_INVALID_HANDLE, pinview_object_insert_related_object(bad, TEXT("cars"), good.object, 0, NULL));
        }
        FAILS(PINVIEW_ERROR_INVALID_HANDLE, pinview_object_insert_related_object(NULL, TEXT("cars"), good.object, 0, NULL));
    }
    {
        for (int number = 0; number < bad_count; number++) {
            void *bad = bad_handle(number, good.store);
            FAILS(PINVIEW_ERROR_INVALID_HANDLE, pinview_object_insert_related_object(good.object, TEXT("cars"), bad, 0, NULL));
        }
        FAILS(PINVIEW_ERROR_INVALID_HANDLE, pinview_object_insert_related_object(good.object, TEXT("cars"), NULL, 0, NULL));
    }
    {
        FAILS(PINVIEW_ERROR_INVALID_UTF8, pinview_object_insert_related_object(good.object, TEXT("a\xff"), good.object, 0, NULL));
    }
    {
        for (int number = 0; number < huge_count; number++) {
            FAILS(PINVIEW_ERROR_INVALID_ARGUMENT, pinview_object_insert_related_object(good.object, huge_text(huge_sizes[number]), good.object, 0, ERROR)); EXPECT(has_said("must be between"));
        }
    }
    tear_down();
}

static void misuse_of_pinview_object_remove_related_object(void) {
    set_up();
    {
        for (int number = 0; number < bad_count; number++) {
            void *bad = bad_handle(number, good.store);
            FAILS(PINVIEW_ERROR_INVALID_HANDLE, pinview_object_remove_related_object(bad, TEXT("cars"), good.object, NULL));
        }
        FAILS(PINVIEW_ERROR_INVALID_HANDLE, pinview_object_remove_related_object(NULL, TEXT("cars"), good.object, NULL));
    }
    {
        for (int number = 0; number < bad_count; number++) {
            void *bad = bad_handle(number, good.store);
            FAILS(PINVIEW_ERROR_INVALID_HANDLE, pinview_object_remove_related_object(good.object, TEXT("cars"), bad, NULL));
        }
        FAILS(PINVIEW_ERROR_INVALID_HANDLE, pinview_object_remove_related_object(good.object, TEXT("cars"), NULL, NULL));
    }
    {
        FAILS(PINVIEW_ERROR_INVALID_UTF8, pinview_object_remove_related_object(good.object, TEXT("a\xff"), good.object, NULL));
    }
    {
        for (int number = 0; number < huge_count; number++) {
            FAILS(PINVIEW_ERROR_INVALID_ARGUMENT, pinview_object_remove_related_object(good.object, huge_text(huge_sizes[number]), good.object, ERROR)); EXPECT(has_said("must be between"));
        }
    }
    tear_down();
}

static void misuse_of_pinview_object_set_related_objects(void) {
    set_up();
    {
        for (int number = 0; number < bad_count; number++) {
            void *bad = bad_handle(number, good.store);
            FAILS(PINVIEW_ERROR_INVALID_HANDLE, pinview_object_set_related_objects(bad, TEXT("cars"), NULL, 0, NULL));
        }
        FAILS(PINVIEW_ERROR_INVALID_HANDLE, pinview_object_set_related_objects(NULL, TEXT("cars"), NULL, 0, NULL));
    }
    {
        FAILS(PINVIEW_ERROR_INVALID_UTF8, pinview_object_set_related_objects(good.object, TEXT("a\xff"), NULL, 0, NULL));
    }
    {
        for (int number = 0; number < huge_count; number++) {
            FAILS(PINVIEW_ERROR_INVALID_ARGUMENT, pinview_object_set_related_objects(good.object, huge_text(huge_sizes[number]), NULL, 0, ERROR)); EXPECT(has_said("must be between"));
        }
    }
    {
        for (int number = 0; number < huge_count; number++) {
            const size_t size = huge_sizes[number];
            FAILS(PINVIEW_ERROR_INVALID_ARGUMENT, pinview_object_set_related_objects(good.object, TEXT("cars"), (pinview_object *const *)(NULL), size, ERROR)); EXPECT(has_said("must be between"));
        }
    }
    {
        for (int number = 0; number < huge_count; number++) {
            const size_t size = huge_sizes[number];
            FAILS(PINVIEW_ERROR_INVALID_ARGUMENT, pinview_object_set_related_objects(good.object, TEXT("cars"), (pinview_object *const *)(short_array), size, ERROR)); EXPECT(has_said("must be between"));
        }
    }
    tear_down();
}

static void misuse_of_pinview_object_has_fault(void) {
    set_up();
    {
        int32_t out_out; memset(&out_out, 0, sizeof out_out);
        for (int number = 0; number < bad_count; number++) {
            void *bad = bad_handle(number, good.store);
            FAILS(PINVIEW_ERROR_INVALID_HANDLE, pinview_object_has_fault(bad, TEXT("cars"), &out_out, NULL));
        }
        FAILS(PINVIEW_ERROR_INVALID_HANDLE, pinview_object_has_fault(NULL, TEXT("cars"), &out_out, NULL));
    }
    {
        FAILS(PINVIEW_ERROR_INVALID_ARGUMENT, pinview_object_has_fault(good.object, TEXT("cars"), NULL, NULL));
    }
    {
        int32_t out_out; memset(&out_out, 0, sizeof out_out);
        FAILS(PINVIEW_ERROR_INVALID_UTF8, pinview_object_has_fault(good.object, TEXT("a\xff"), &out_out, NULL));
    }
    {
        int32_t out_out; memset(&out_out, 0, sizeof out_out);
        for (int number = 0; number < huge_count; number++) {
            FAILS(PINVIEW_ERROR_INVALID_ARGUMENT, pinview_object_has_fault(good.object, huge_text(huge_sizes[number]), &out_out, ERROR)); EXPECT(has_said("must be between"));
        }
    }
    tear_down();
}

static void misuse_of_pinview_object_changed_properties(void) {
    set_up();
    {
        int32_t out_indexes; memset(&out_indexes, 0, sizeof out_indexes);
        size_t out_count; memset(&out_count, 0, sizeof out_count);
        for (int number = 0; number < bad_count; number++) {
            void *bad = bad_handle(number, good.store);
            FAILS(PINVIEW_ERROR_INVALID_HANDLE, pinview_object_changed_properties(bad, &out_indexes, 0, &out_count, NULL));
        }
        FAILS(PINVIEW_ERROR_INVALID_HANDLE, pinview_object_changed_properties(NULL, &out_indexes, 0, &out_count, NULL));
    }
    {
        int32_t out_indexes; memset(&out_indexes, 0, sizeof out_indexes);
        size_t out_count; memset(&out_count, 0, sizeof out_count);
        guarded_place place_indexes;
        guarded_place place_count;
        for (int number = 0; number < huge_count; number++) {
            const size_t size = huge_sizes[number];
            FAILS(PINVIEW_ERROR_INVALID_ARGUMENT, pinview_object_changed_properties(good.object, guarded(&place_indexes), size, guarded(&place_count), ERROR)); EXPECT(has_said("must be between"));
            EXPECT(is_untouched(&place_indexes));
            EXPECT(is_untouched(&place_count));
        }
    }
    {
        int32_t out_indexes; memset(&out_indexes, 0, sizeof out_indexes);
        size_t out_count; memset(&out_count, 0, sizeof out_count);
        guarded_place place_indexes;
        guarded_place place_count;
        for (int number = 0; number < huge_count; number++) {
            const size_t size = huge_sizes[number];
            FAILS(PINVIEW_ERROR_INVALID_ARGUMENT, pinview_object_changed_properties(good.object, guarded(&place_indexes), size, guarded(&place_count), ERROR)); EXPECT(has_said("must be between"));
            EXPECT(is_untouched(&place_indexes));
            EXPECT(is_untouched(&place_count));
        }
    }
    tear_down();
}

static void misuse_of_pinview_object_committed_value(void) {
    set_up();
    {
        pinview_value out_out; memset(&out_out, 0, sizeof out_out);
        for (int number = 0; number < bad_count; number++) {
            void *bad = bad_handle(number, good.store);
            FAILS(PINVIEW_ERROR_INVALID_HANDLE, pinview_object_committed_value(bad, TEXT("name"), &out_out, NULL));
        }
        FAILS(PINVIEW_ERROR_INVALID_HANDLE, pinview_object_committed_value(NULL, TEXT("name"), &out_out, NULL));
    }
    {
        FAILS(PINVIEW_ERROR_INVALID_ARGUMENT, pinview_object_committed_value(good.object, TEXT("name"), NULL, NULL));
    }
    {
        pinview_value out_out; memset(&out_out, 0, sizeof out_out);
        FAILS(PINVIEW_ERROR_INVALID_UTF8, pinview_object_committed_value(good.object, TEXT("a\xff"), &out_out, NULL));
    }
    {
        pinview_value out_out; memset(&out_out, 0, sizeof out_out);
        for (int number = 0; number < huge_count; number++) {
            FAILS(PINVIEW_ERROR_INVALID_ARGUMENT, pinview_object_committed_value(good.object, huge_text(huge_sizes[number]), &out_out, ERROR)); EXPECT(has_said("must be between"));
        }
    }
    tear_down();
}

static void misuse_of_pinview_object_validate(void) {
    set_up();
    {
        for (int number = 0; number < bad_count; number++) {
            void *bad = bad_handle(number, good.store);
            FAILS(PINVIEW_ERROR_INVALID_HANDLE, pinview_object_validate(bad, NULL));
        }
        FAILS(PINVIEW_ERROR_INVALID_HANDLE, pinview_object_validate(NULL, NULL));
    }
    tear_down();
}

static void misuse_of_pinview_object_validate_for_delete(void) {
    set_up();
    {
        for (int number = 0; number < bad_count; number++) {
            void *bad = bad_handle(number, good.store);
            FAILS(PINVIEW_ERROR_INVALID_HANDLE, pinview_object_validate_for_delete(bad, NULL));
        }
        FAILS(PINVIEW_ERROR_INVALID_HANDLE, pinview_object_validate_for_delete(NULL, NULL));
    }
    tear_down();
}

static void misuse_of_pinview_object_set_userdata(void) {
    set_up();
    {
        for (int number = 0; number < bad_count; number++) {
            void *bad = bad_handle(number, good.store);
            FAILS(PINVIEW_ERROR_INVALID_HANDLE, pinview_object_set_userdata(bad, NULL, free_nothing, NULL));
        }
        FAILS(PINVIEW_ERROR_INVALID_HANDLE, pinview_object_set_userdata(NULL, NULL, free_nothing, NULL));
    }
    tear_down();
}

static void misuse_of_pinview_object_userdata(void) {
    set_up();
    {
        for (int number = 0; number < bad_count; number++) {
            void *bad = bad_handle(number, good.store);
            EXPECT(pinview_object_userdata(bad) == NULL);
        }
        EXPECT(pinview_object_userdata(NULL) == NULL);
    }
    tear_down();
}

static void misuse_of_pinview_object_get_weak(void) {
    set_up();
    {
        pinview_weak_object * out_out; memset(&out_out, 0, sizeof out_out);
        for (int number = 0; number < bad_count; number++) {
            void *bad = bad_handle(number, good.store);
            FAILS(PINVIEW_ERROR_INVALID_HANDLE, pinview_object_get_weak(bad, &out_out, NULL));
        }
        FAILS(PINVIEW_ERROR_INVALID_HANDLE, pinview_object_get_weak(NULL, &out_out, NULL));
    }
    {
        FAILS(PINVIEW_ERROR_INVALID_ARGUMENT, pinview_object_get_weak(good.object, NULL, NULL));
    }
    tear_down();
}

static void misuse_of_pinview_weak_object_get(void) {
    set_up();
    {
        pinview_object * out_out; memset(&out_out, 0, sizeof out_out);
        for (int number = 0; number < bad_count; number++) {
            void *bad = bad_handle(number, good.object);
            FAILS(PINVIEW_ERROR_INVALID_HANDLE, pinview_weak_object_get(bad, &out_out, NULL));
        }
        FAILS(PINVIEW_ERROR_INVALID_HANDLE, pinview_weak_object_get(NULL, &out_out, NULL));
    }
    {
        FAILS(PINVIEW_ERROR_INVALID_ARGUMENT, pinview_weak_object_get(good.weak_object, NULL, NULL));
    }
    tear_down();
}

static void misuse_of_pinview_object_id_is_equal(void) {
    set_up();
    {
        for (int number = 0; number < bad_count; number++) {
            void *bad = bad_handle(number, good.object);
            EXPECT(pinview_object_id_is_equal(bad, good.object_id) == 0);
        }
        EXPECT(pinview_object_id_is_equal(NULL, good.object_id) == 0);
    }
    {
        for (int number = 0; number < bad_count; number++) {
            void *bad = bad_handle(number, good.object);
            EXPECT(pinview_object_id_is_equal(good.object_id, bad) == 0);
        }
        EXPECT(pinview_object_id_is_equal(good.object_id, NULL) == 0);
    }
    tear_down();
}

static void misuse_of_pinview_object_id_hash(void) {
    set_up();
    {
        for (int number = 0; number < bad_count; number++) {
            void *bad = bad_handle(number, good.object);
            EXPECT(pinview_object_id_hash(bad) == 0);
        }
        EXPECT(pinview_object_id_hash(NULL) == 0);
    }
    tear_down();
}

static void misuse_of_pinview_object_id_uri(void) {
    set_up();
    {
        for (int number = 0; number < bad_count; number++) {
            void *bad = bad_handle(number, good.object);
            EXPECT_TEXT(pinview_object_id_uri(bad), NULL);
        }
        EXPECT_TEXT(pinview_object_id_uri(NULL), NULL);
    }
    tear_down();
}

static void misuse_of_pinview_object_id_is_temporary(void) {
    set_up();
    {
        for (int number = 0; number < bad_count; number++) {
            void *bad = bad_handle(number, good.object);
            EXPECT(pinview_object_id_is_temporary(bad) == 0);
        }
        EXPECT(pinview_object_id_is_temporary(NULL) == 0);
    }
    tear_down();
}

static void misuse_of_pinview_object_id_entity_name(void) {
    set_up();
    {
        for (int number = 0; number < bad_count; number++) {
            void *bad = bad_handle(number, good.object);
            EXPECT_TEXT(pinview_object_id_entity_name(bad), NULL);
        }
        EXPECT_TEXT(pinview_object_id_entity_name(NULL), NULL);
    }
    tear_down();
}

static void misuse_of_pinview_object_id_store_identifier(void) {
    set_up();
    {
        for (int number = 0; number < bad_count; number++) {
            void *bad = bad_handle(number, good.object);
            EXPECT_TEXT(pinview_object_id_store_identifier(bad), NULL);
        }
        EXPECT_TEXT(pinview_object_id_store_identifier(NULL), NULL);
    }
    tear_down();
}

static void misuse_of_pinview_fetch_request_init(void) {
    set_up();
    {
        FAILS(PINVIEW_ERROR_INVALID_ARGUMENT, pinview_fetch_request_init(NULL, sizeof(pinview_fetch_request), TEXT("name"), NULL));
    }
    {
        pinview_fetch_request out_request; memset(&out_request, 0, sizeof out_request);
        for (int number = 0; number < huge_count; number++) {
            FAILS(PINVIEW_ERROR_INVALID_ARGUMENT, pinview_fetch_request_init(&out_request, sizeof(pinview_fetch_request), huge_text(huge_sizes[number]), ERROR)); EXPECT(has_said("must be between"));
        }
    }
    tear_down();
}

static void misuse_of_pinview_context_fetch(void) {
    set_up();
    {
        pinview_fetch_request in_request; memset(&in_request, 0, sizeof in_request);
        in_request.struct_size = sizeof in_request;
        pinview_fetch_request_init(&in_request, sizeof in_request, TEXT("Person"), NULL);
        pinview_result * out_out; memset(&out_out, 0, sizeof out_out);
        for (int number = 0; number < bad_count; number++) {
            void *bad = bad_handle(number, good.object);
            FAILS(PINVIEW_ERROR_INVALID_HANDLE, pinview_context_fetch(bad, &in_request, &out_out, NULL));
        }
        FAILS(PINVIEW_ERROR_INVALID_HANDLE, pinview_context_fetch(NULL, &in_request, &out_out, NULL));
    }
    {
        pinview_fetch_request in_request; memset(&in_request, 0, sizeof in_request);
        in_request.struct_size = sizeof in_request;
        pinview_fetch_request_init(&in_request, sizeof in_request, TEXT("Person"), NULL);
        FAILS(PINVIEW_ERROR_INVALID_ARGUMENT, pinview_context_fetch(good.context, &in_request, NULL, NULL));
    }
    {
        pinview_fetch_request in_request; memset(&in_request, 0, sizeof in_request);
        in_request.struct_size = sizeof in_request;
        pinview_fetch_request_init(&in_request, sizeof in_request, TEXT("Person"), NULL);
        pinview_result * out_out; memset(&out_out, 0, sizeof out_out);
        union { pinview_fetch_request known; unsigned char bytes[sizeof(pinview_fetch_request) + extra_bytes]; } larger;
        memset(&larger, 0, sizeof larger);
        larger.known = in_request;
        for (size_t place = 0; place < extra_bytes; place += extra_bytes - 1) {
            larger.known.struct_size = sizeof larger;
            larger.bytes[sizeof(pinview_fetch_request) + place] = 1;
            EXPECT_REFUSAL(pinview_context_fetch(good.context, &larger.known, &out_out, ERROR), "beyond the");
            larger.bytes[sizeof(pinview_fetch_request) + place] = 0;
        }
        for (int number = 0; number < 3; number++) {
            const uint32_t sizes[] = {0, 4, UINT32_MAX};
            larger.known.struct_size = sizes[number];
            EXPECT_REFUSAL(pinview_context_fetch(good.context, &larger.known, &out_out, ERROR), "struct_size");
        }
        larger.known.struct_size = sizeof larger;
        (void)pinview_context_fetch(good.context, &larger.known, &out_out, ERROR);
        EXPECT(!has_said("beyond the") && !has_said("struct_size"));
        if (out_out != NULL) (void)pinview_result_release(out_out);
    }
    {
        pinview_fetch_request in_request; memset(&in_request, 0, sizeof in_request);
        in_request.struct_size = sizeof in_request;
        pinview_fetch_request_init(&in_request, sizeof in_request, TEXT("Person"), NULL);
        pinview_result * out_out; memset(&out_out, 0, sizeof out_out);
        for (int bit = 0; bit < 32; bit++) {
            const uint32_t flag = UINT32_C(1) << bit;
            if ((UINT32_C(63) & flag) != 0) continue;
            pinview_fetch_request usual = in_request;
            in_request.flags |= flag;
            FAILS(PINVIEW_ERROR_INVALID_ARGUMENT, pinview_context_fetch(good.context, &in_request, &out_out, ERROR));
            EXPECT(has_said("the flag ") || has_said("reserved"));
            in_request = usual;
        }
    }
    {
        pinview_fetch_request in_request; memset(&in_request, 0, sizeof in_request);
        in_request.struct_size = sizeof in_request;
        pinview_fetch_request_init(&in_request, sizeof in_request, TEXT("Person"), NULL);
        pinview_result * out_out; memset(&out_out, 0, sizeof out_out);
        for (int bit = 0; bit < 32; bit++) {
            const uint32_t flag = UINT32_C(1) << bit;
            if ((UINT32_C(0) & flag) != 0) continue;
            pinview_fetch_request usual = in_request;
            in_request.reserved |= (int32_t)flag;
            FAILS(PINVIEW_ERROR_INVALID_ARGUMENT, pinview_context_fetch(good.context, &in_request, &out_out, ERROR));
            EXPECT(has_said("the flag ") || has_said("reserved"));
            in_request = usual;
        }
    }
    {
        pinview_fetch_request in_request; memset(&in_request, 0, sizeof in_request);
        in_request.struct_size = sizeof in_request;
        pinview_fetch_request_init(&in_request, sizeof in_request, TEXT("Person"), NULL);
        pinview_result * out_out; memset(&out_out, 0, sizeof out_out);
        pinview_fetch_request usual = in_request;
        for (int number = 0; number < huge_count; number++) {
            in_request.sort_descriptor_count = huge_sizes[number];
            memcpy(&in_request.sort_descriptors, &(const void *){NULL}, sizeof in_request.sort_descriptors);
            FAILS(PINVIEW_ERROR_INVALID_ARGUMENT, pinview_context_fetch(good.context, &in_request, &out_out, ERROR)); EXPECT(has_said("must be between"));
            in_request = usual;
        }
    }
    {
        pinview_fetch_request in_request; memset(&in_request, 0, sizeof in_request);
        in_request.struct_size = sizeof in_request;
        pinview_fetch_request_init(&in_request, sizeof in_request, TEXT("Person"), NULL);
        pinview_result * out_out; memset(&out_out, 0, sizeof out_out);
        pinview_fetch_request usual = in_request;
        for (int number = 0; number < huge_count; number++) {
            in_request.sort_descriptor_count = huge_sizes[number];
            memcpy(&in_request.sort_descriptors, &(const void *){short_array}, sizeof in_request.sort_descriptors);
            FAILS(PINVIEW_ERROR_INVALID_ARGUMENT, pinview_context_fetch(good.context, &in_request, &out_out, ERROR)); EXPECT(has_said("must be between"));
            in_request = usual;
        }
    }
    {
        pinview_fetch_request in_request; memset(&in_request, 0, sizeof in_request);
        in_request.struct_size = sizeof in_request;
        pinview_fetch_request_init(&in_request, sizeof in_request, TEXT("Person"), NULL);
        pinview_result * out_out; memset(&out_out, 0, sizeof out_out);
        pinview_fetch_request usual = in_request;
        for (int number = 0; number < huge_count; number++) {
            in_request.store_count = huge_sizes[number];
            memcpy(&in_request.stores, &(const void *){NULL}, sizeof in_request.stores);
            FAILS(PINVIEW_ERROR_INVALID_ARGUMENT, pinview_context_fetch(good.context, &in_request, &out_out, ERROR)); EXPECT(has_said("must be between"));
            in_request = usual;
        }
    }
    {
        pinview_fetch_request in_request; memset(&in_request, 0, sizeof in_request);
        in_request.struct_size = sizeof in_request;
        pinview_fetch_request_init(&in_request, sizeof in_request, TEXT("Person"), NULL);
        pinview_result * out_out; memset(&out_out, 0, sizeof out_out);
        pinview_fetch_request usual = in_request;
        for (int number = 0; number < huge_count; number++) {
            in_request.store_count = huge_sizes[number];
            memcpy(&in_request.stores, &(const void *){short_array}, sizeof in_request.stores);
            FAILS(PINVIEW_ERROR_INVALID_ARGUMENT, pinview_context_fetch(good.context, &in_request, &out_out, ERROR)); EXPECT(has_said("must be between"));
            in_request = usual;
        }
    }
    {
        pinview_fetch_request in_request; memset(&in_request, 0, sizeof in_request);
        in_request.struct_size = sizeof in_request;
        pinview_fetch_request_init(&in_request, sizeof in_request, TEXT("Person"), NULL);
        pinview_result * out_out; memset(&out_out, 0, sizeof out_out);
        pinview_fetch_request usual = in_request;
        for (int number = 0; number < huge_count; number++) {
            in_request.prefetched_key_path_count = huge_sizes[number];
            memcpy(&in_request.prefetched_key_paths, &(const void *){NULL}, sizeof in_request.prefetched_key_paths);
            FAILS(PINVIEW_ERROR_INVALID_ARGUMENT, pinview_context_fetch(good.context, &in_request, &out_out, ERROR)); EXPECT(has_said("must be between"));
            in_request = usual;
        }
    }
    {
        pinview_fetch_request in_request; memset(&in_request, 0, sizeof in_request);
        in_request.struct_size = sizeof in_request;
        pinview_fetch_request_init(&in_request, sizeof in_request, TEXT("Person"), NULL);
        pinview_result * out_out; memset(&out_out, 0, sizeof out_out);
        pinview_fetch_request usual = in_request;
        for (int number = 0; number < huge_count; number++) {
            in_request.prefetched_key_path_count = huge_sizes[number];
            memcpy(&in_request.prefetched_key_paths, &(const void *){short_array}, sizeof in_request.prefetched_key_paths);
            FAILS(PINVIEW_ERROR_INVALID_ARGUMENT, pinview_context_fetch(good.context, &in_request, &out_out, ERROR)); EXPECT(has_said("must be between"));
            in_request = usual;
        }
    }
    {
        pinview_fetch_request in_request; memset(&in_request, 0, sizeof in_request);
        in_request.struct_size = sizeof in_request;
        pinview_fetch_request_init(&in_request, sizeof in_request, TEXT("Person"), NULL);
        pinview_result * out_out; memset(&out_out, 0, sizeof out_out);
        pinview_fetch_request usual = in_request;
        for (int number = 0; number < huge_count; number++) {
            in_request.property_count = huge_sizes[number];
            memcpy(&in_request.properties, &(const void *){NULL}, sizeof in_request.properties);
            FAILS(PINVIEW_ERROR_INVALID_ARGUMENT, pinview_context_fetch(good.context, &in_request, &out_out, ERROR)); EXPECT(has_said("must be between"));
            in_request = usual;
        }
    }
    {
        pinview_fetch_request in_request; memset(&in_request, 0, sizeof in_request);
        in_request.struct_size = sizeof in_request;
        pinview_fetch_request_init(&in_request, sizeof in_request, TEXT("Person"), NULL);
        pinview_result * out_out; memset(&out_out, 0, sizeof out_out);
        pinview_fetch_request usual = in_request;
        for (int number = 0; number < huge_count; number++) {
            in_request.property_count = huge_sizes[number];
            memcpy(&in_request.properties, &(const void *){short_array}, sizeof in_request.properties);
            FAILS(PINVIEW_ERROR_INVALID_ARGUMENT, pinview_context_fetch(good.context, &in_request, &out_out, ERROR)); EXPECT(has_said("must be between"));
            in_request = usual;
        }
    }
    {
        pinview_fetch_request in_request; memset(&in_request, 0, sizeof in_request);
        in_request.struct_size = sizeof in_request;
        pinview_fetch_request_init(&in_request, sizeof in_request, TEXT("Person"), NULL);
        pinview_result * out_out; memset(&out_out, 0, sizeof out_out);
        pinview_fetch_request usual = in_request;
        for (int number = 0; number < huge_count; number++) {
            in_request.group_by_count = huge_sizes[number];
            memcpy(&in_request.group_by, &(const void *){NULL}, sizeof in_request.group_by);
            FAILS(PINVIEW_ERROR_INVALID_ARGUMENT, pinview_context_fetch(good.context, &in_request, &out_out, ERROR)); EXPECT(has_said("must be between"));
            in_request = usual;
        }
    }
    {
        pinview_fetch_request in_request; memset(&in_request, 0, sizeof in_request);
        in_request.struct_size = sizeof in_request;
        pinview_fetch_request_init(&in_request, sizeof in_request, TEXT("Person"), NULL);
        pinview_result * out_out; memset(&out_out, 0, sizeof out_out);
        pinview_fetch_request usual = in_request;
        for (int number = 0; number < huge_count; number++) {
            in_request.group_by_count = huge_sizes[number];
            memcpy(&in_request.group_by, &(const void *){short_array}, sizeof in_request.group_by);
            FAILS(PINVIEW_ERROR_INVALID_ARGUMENT, pinview_context_fetch(good.context, &in_request, &out_out, ERROR)); EXPECT(has_said("must be between"));
            in_request = usual;
        }
    }
    tear_down();
}

static void misuse_of_pinview_context_fetch_asynchronously(void) {
    set_up();
    {
        pinview_fetch_request in_request; memset(&in_request, 0, sizeof in_request);
        in_request.struct_size = sizeof in_request;
        pinview_fetch_request_init(&in_request, sizeof in_request, TEXT("Person"), NULL);
        pinview_asynchronous_fetch * out_out; memset(&out_out, 0, sizeof out_out);
        for (int number = 0; number < bad_count; number++) {
            void *bad = bad_handle(number, good.object);
            FAILS(PINVIEW_ERROR_INVALID_HANDLE, pinview_context_fetch_asynchronously(bad, &in_request, 0, NULL, NULL, NULL, free_nothing, &out_out, NULL));
        }
        FAILS(PINVIEW_ERROR_INVALID_HANDLE, pinview_context_fetch_asynchronously(NULL, &in_request, 0, NULL, NULL, NULL, free_nothing, &out_out, NULL));
    }
    {
        pinview_fetch_request in_request; memset(&in_request, 0, sizeof in_request);
        in_request.struct_size = sizeof in_request;
        pinview_fetch_request_init(&in_request, sizeof in_request, TEXT("Person"), NULL);
        FAILS(PINVIEW_ERROR_INVALID_ARGUMENT, pinview_context_fetch_asynchronously(good.context, &in_request, 0, NULL, NULL, NULL, free_nothing, NULL, NULL));
    }
    {
        pinview_fetch_request in_request; memset(&in_request, 0, sizeof in_request);
        in_request.struct_size = sizeof in_request;
        pinview_fetch_request_init(&in_request, sizeof in_request, TEXT("Person"), NULL);
        pinview_asynchronous_fetch * out_out; memset(&out_out, 0, sizeof out_out);
        union { pinview_fetch_request known; unsigned char bytes[sizeof(pinview_fetch_request) + extra_bytes]; } larger;
        memset(&larger, 0, sizeof larger);
        larger.known = in_request;
        for (size_t place = 0; place < extra_bytes; place += extra_bytes - 1) {
            larger.known.struct_size = sizeof larger;
            larger.bytes[sizeof(pinview_fetch_request) + place] = 1;
            EXPECT_REFUSAL(pinview_context_fetch_asynchronously(good.context, &larger.known, 0, NULL, NULL, NULL, free_nothing, &out_out, ERROR), "beyond the");
            larger.bytes[sizeof(pinview_fetch_request) + place] = 0;
        }
        for (int number = 0; number < 3; number++) {
            const uint32_t sizes[] = {0, 4, UINT32_MAX};
            larger.known.struct_size = sizes[number];
            EXPECT_REFUSAL(pinview_context_fetch_asynchronously(good.context, &larger.known, 0, NULL, NULL, NULL, free_nothing, &out_out, ERROR), "struct_size");
        }
        larger.known.struct_size = sizeof larger;
        (void)pinview_context_fetch_asynchronously(good.context, &larger.known, 0, NULL, NULL, NULL, free_nothing, &out_out, ERROR);
        EXPECT(!has_said("beyond the") && !has_said("struct_size"));
        if (out_out != NULL) (void)pinview_asynchronous_fetch_release(out_out);
    }
    {
        pinview_fetch_request in_request; memset(&in_request, 0, sizeof in_request);
        in_request.struct_size = sizeof in_request;
        pinview_fetch_request_init(&in_request, sizeof in_request, TEXT("Person"), NULL);
        pinview_asynchronous_fetch * out_out; memset(&out_out, 0, sizeof out_out);
        for (int bit = 0; bit < 32; bit++) {
            const uint32_t flag = UINT32_C(1) << bit;
            if ((UINT32_C(63) & flag) != 0) continue;
            pinview_fetch_request usual = in_request;
            in_request.flags |= flag;
            FAILS(PINVIEW_ERROR_INVALID_ARGUMENT, pinview_context_fetch_asynchronously(good.context, &in_request, 0, NULL, NULL, NULL, free_nothing, &out_out, ERROR));
            EXPECT(has_said("the flag ") || has_said("reserved"));
            in_request = usual;
        }
    }
    {
        pinview_fetch_request in_request; memset(&in_request, 0, sizeof in_request);
        in_request.struct_size = sizeof in_request;
        pinview_fetch_request_init(&in_request, sizeof in_request, TEXT("Person"), NULL);
        pinview_asynchronous_fetch * out_out; memset(&out_out, 0, sizeof out_out);
        for (int bit = 0; bit < 32; bit++) {
            const uint32_t flag = UINT32_C(1) << bit;
            if ((UINT32_C(0) & flag) != 0) continue;
            pinview_fetch_request usual = in_request;
            in_request.reserved |= (int32_t)flag;
            FAILS(PINVIEW_ERROR_INVALID_ARGUMENT, pinview_context_fetch_asynchronously(good.context, &in_request, 0, NULL, NULL, NULL, free_nothing, &out_out, ERROR));
            EXPECT(has_said("the flag ") || has_said("reserved"));
            in_request = usual;
        }
    }
    {
        pinview_fetch_request in_request; memset(&in_request, 0, sizeof in_request);
        in_request.struct_size = sizeof in_request;
        pinview_fetch_request_init(&in_request, sizeof in_request, TEXT("Person"), NULL);
        pinview_asynchronous_fetch * out_out; memset(&out_out, 0, sizeof out_out);
        for (int bit = 0; bit < 32; bit++) {
            const uint32_t flag = UINT32_C(1) << bit;
            if ((UINT32_C(1) & flag) != 0) continue;
            FAILS(PINVIEW_ERROR_INVALID_ARGUMENT, pinview_context_fetch_asynchronously(good.context, &in_request, flag, NULL, NULL, NULL, free_nothing, &out_out, ERROR));
            EXPECT(has_said("the flag ") || has_said("reserved"));
        }
    }
    {
        pinview_fetch_request in_request; memset(&in_request, 0, sizeof in_request);
        in_request.struct_size = sizeof in_request;
        pinview_fetch_request_init(&in_request, sizeof in_request, TEXT("Person"), NULL);
        pinview_asynchronous_fetch * out_out; memset(&out_out, 0, sizeof out_out);
        pinview_fetch_request usual = in_request;
        for (int number = 0; number < huge_count; number++) {
            in_request.sort_descriptor_count = huge_sizes[number];
            memcpy(&in_request.sort_descriptors, &(const void *){NULL}, sizeof in_request.sort_descriptors);
            FAILS(PINVIEW_ERROR_INVALID_ARGUMENT, pinview_context_fetch_asynchronously(good.context, &in_request, 0, NULL, NULL, NULL, free_nothing, &out_out, ERROR)); EXPECT(has_said("must be between"));
            in_request = usual;
        }
    }
    {
        pinview_fetch_request in_request; memset(&in_request, 0, sizeof in_request);
        in_request.struct_size = sizeof in_request;
        pinview_fetch_request_init(&in_request, sizeof in_request, TEXT("Person"), NULL);
        pinview_asynchronous_fetch * out_out; memset(&out_out, 0, sizeof out_out);
        pinview_fetch_request usual = in_request;
        for (int number = 0; number < huge_count; number++) {
            in_request.sort_descriptor_count = huge_sizes[number];
            memcpy(&in_request.sort_descriptors, &(const void *){short_array}, sizeof in_request.sort_descriptors);
            FAILS(PINVIEW_ERROR_INVALID_ARGUMENT, pinview_context_fetch_asynchronously(good.context, &in_request, 0, NULL, NULL, NULL, free_nothing, &out_out, ERROR)); EXPECT(has_said("must be between"));
            in_request = usual;
        }
    }
    {
        pinview_fetch_request in_request; memset(&in_request, 0, sizeof in_request);
        in_request.struct_size = sizeof in_request;
        pinview_fetch_request_init(&in_request, sizeof in_request, TEXT("Person"), NULL);
        pinview_asynchronous_fetch * out_out; memset(&out_out, 0, sizeof out_out);
        pinview_fetch_request usual = in_request;
        for (int number = 0; number < huge_count; number++) {
            in_request.store_count = huge_sizes[number];
            memcpy(&in_request.stores, &(const void *){NULL}, sizeof in_request.stores);
            FAILS(PINVIEW_ERROR_INVALID_ARGUMENT, pinview_context_fetch_asynchronously(good.context, &in_request, 0, NULL, NULL, NULL, free_nothing, &out_out, ERROR)); EXPECT(has_said("must be between"));
            in_request = usual;
        }
    }
    {
        pinview_fetch_request in_request; memset(&in_request, 0, sizeof in_request);
        in_request.struct_size = sizeof in_request;
        pinview_fetch_request_init(&in_request, sizeof in_request, TEXT("Person"), NULL);
        pinview_asynchronous_fetch * out_out; memset(&out_out, 0, sizeof out_out);
        pinview_fetch_request usual = in_request;
        for (int number = 0; number < huge_count; number++) {
            in_request.store_count = huge_sizes[number];
            memcpy(&in_request.stores, &(const void *){short_array}, sizeof in_request.stores);
            FAILS(PINVIEW_ERROR_INVALID_ARGUMENT, pinview_context_fetch_asynchronously(good.context, &in_request, 0, NULL, NULL, NULL, free_nothing, &out_out, ERROR)); EXPECT(has_said("must be between"));
            in_request = usual;
        }
    }
    {
        pinview_fetch_request in_request; memset(&in_request, 0, sizeof in_request);
        in_request.struct_size = sizeof in_request;
        pinview_fetch_request_init(&in_request, sizeof in_request, TEXT("Person"), NULL);
        pinview_asynchronous_fetch * out_out; memset(&out_out, 0, sizeof out_out);
        pinview_fetch_request usual = in_request;
        for (int number = 0; number < huge_count; number++) {
            in_request.prefetched_key_path_count = huge_sizes[number];
            memcpy(&in_request.prefetched_key_paths, &(const void *){NULL}, sizeof in_request.prefetched_key_paths);
            FAILS(PINVIEW_ERROR_INVALID_ARGUMENT, pinview_context_fetch_asynchronously(good.context, &in_request, 0, NULL, NULL, NULL, free_nothing, &out_out, ERROR)); EXPECT(has_said("must be between"));
            in_request = usual;
        }
    }
    {
        pinview_fetch_request in_request; memset(&in_request, 0, sizeof in_request);
        in_request.struct_size = sizeof in_request;
        pinview_fetch_request_init(&in_request, sizeof in_request, TEXT("Person"), NULL);
        pinview_asynchronous_fetch * out_out; memset(&out_out, 0, sizeof out_out);
        pinview_fetch_request usual = in_request;
        for (int number = 0; number < huge_count; number++) {
            in_request.prefetched_key_path_count = huge_sizes[number];
            memcpy(&in_request.prefetched_key_paths, &(const void *){short_array}, sizeof in_request.prefetched_key_paths);
            FAILS(PINVIEW_ERROR_INVALID_ARGUMENT, pinview_context_fetch_asynchronously(good.context, &in_request, 0, NULL, NULL, NULL, free_nothing, &out_out, ERROR)); EXPECT(has_said("must be between"));
            in_request = usual;
        }
    }
    {
        pinview_fetch_request in_request; memset(&in_request, 0, sizeof in_request);
        in_request.struct_size = sizeof in_request;
        pinview_fetch_request_init(&in_request, sizeof in_request, TEXT("Person"), NULL);
        pinview_asynchronous_fetch * out_out; memset(&out_out, 0, sizeof out_out);
        pinview_fetch_request usual = in_request;
        for (int number = 0; number < huge_count; number++) {
            in_request.property_count = huge_sizes[number];
            memcpy(&in_request.properties, &(const void *){NULL}, sizeof in_request.properties);
            FAILS(PINVIEW_ERROR_INVALID_ARGUMENT, pinview_context_fetch_asynchronously(good.context, &in_request, 0, NULL, NULL, NULL, free_nothing, &out_out, ERROR)); EXPECT(has_said("must be between"));
            in_request = usual;
        }
    }
    {
        pinview_fetch_request in_request; memset(&in_request, 0, sizeof in_request);
        in_request.struct_size = sizeof in_request;
        pinview_fetch_request_init(&in_request, sizeof in_request, TEXT("Person"), NULL);
        pinview_asynchronous_fetch * out_out; memset(&out_out, 0, sizeof out_out);
        pinview_fetch_request usual = in_request;
        for (int number = 0; number < huge_count; number++) {
            in_request.property_count = huge_sizes[number];
            memcpy(&in_request.properties, &(const void *){short_array}, sizeof in_request.properties);
            FAILS(PINVIEW_ERROR_INVALID_ARGUMENT, pinview_context_fetch_asynchronously(good.context, &in_request, 0, NULL, NULL, NULL, free_nothing, &out_out, ERROR)); EXPECT(has_said("must be between"));
            in_request = usual;
        }
    }
    {
        pinview_fetch_request in_request; memset(&in_request, 0, sizeof in_request);
        in_request.struct_size = sizeof in_request;
        pinview_fetch_request_init(&in_request, sizeof in_request, TEXT("Person"), NULL);
        pinview_asynchronous_fetch * out_out; memset(&out_out, 0, sizeof out_out);
        pinview_fetch_request usual = in_request;
        for (int number = 0; number < huge_count; number++) {
            in_request.group_by_count = huge_sizes[number];
            memcpy(&in_request.group_by, &(const void *){NULL}, sizeof in_request.group_by);
            FAILS(PINVIEW_ERROR_INVALID_ARGUMENT, pinview_context_fetch_asynchronously(good.context, &in_request, 0, NULL, NULL, NULL, free_nothing, &out_out, ERROR)); EXPECT(has_said("must be between"));
            in_request = usual;
        }
    }
    {
        pinview_fetch_request in_request; memset(&in_request, 0, sizeof in_request);
        in_request.struct_size = sizeof in_request;
        pinview_fetch_request_init(&in_request, sizeof in_request, TEXT("Person"), NULL);
        pinview_asynchronous_fetch * out_out; memset(&out_out, 0, sizeof out_out);
        pinview_fetch_request usual = in_request;
        for (int number = 0; number < huge_count; number++) {
            in_request.group_by_count = huge_sizes[number];
            memcpy(&in_request.group_by, &(const void *){short_array}, sizeof in_request.group_by);
            FAILS(PINVIEW_ERROR_INVALID_ARGUMENT, pinview_context_fetch_asynchronously(good.context, &in_request, 0, NULL, NULL, NULL, free_nothing, &out_out, ERROR)); EXPECT(has_said("must be between"));
            in_request = usual;
        }
    }
    tear_down();
}

static void misuse_of_pinview_asynchronous_fetch_cancel(void) {
    set_up();
    {
        for (int number = 0; number < bad_count; number++) {
            void *bad = bad_handle(number, good.object);
            FAILS(PINVIEW_ERROR_INVALID_HANDLE, pinview_asynchronous_fetch_cancel(bad, NULL));
        }
        FAILS(PINVIEW_ERROR_INVALID_HANDLE, pinview_asynchronous_fetch_cancel(NULL, NULL));
    }
    tear_down();
}

static void misuse_of_pinview_asynchronous_fetch_progress(void) {
    set_up();
    {
        uint64_t out_rows; memset(&out_rows, 0, sizeof out_rows);
        int64_t out_total; memset(&out_total, 0, sizeof out_total);
        for (int number = 0; number < bad_count; number++) {
            void *bad = bad_handle(number, good.object);
            FAILS(PINVIEW_ERROR_INVALID_HANDLE, pinview_asynchronous_fetch_progress(bad, &out_rows, &out_total, NULL));
        }
        FAILS(PINVIEW_ERROR_INVALID_HANDLE, pinview_asynchronous_fetch_progress(NULL, &out_rows, &out_total, NULL));
    }
    tear_down();
}

static void misuse_of_pinview_asynchronous_fetch_wait(void) {
    set_up();
    {
        int32_t out_out; memset(&out_out, 0, sizeof out_out);
        for (int number = 0; number < bad_count; number++) {
            void *bad = bad_handle(number, good.object);
            FAILS(PINVIEW_ERROR_INVALID_HANDLE, pinview_asynchronous_fetch_wait(bad, 0, &out_out, NULL));
        }
        FAILS(PINVIEW_ERROR_INVALID_HANDLE, pinview_asynchronous_fetch_wait(NULL, 0, &out_out, NULL));
    }
    {
        FAILS(PINVIEW_ERROR_INVALID_ARGUMENT, pinview_asynchronous_fetch_wait(good.asynchronous_fetch, 0, NULL, NULL));
    }
    tear_down();
}

static void misuse_of_pinview_asynchronous_fetch_result(void) {
    set_up();
    {
        pinview_result * out_out; memset(&out_out, 0, sizeof out_out);
        for (int number = 0; number < bad_count; number++) {
            void *bad = bad_handle(number, good.object);
            FAILS(PINVIEW_ERROR_INVALID_HANDLE, pinview_asynchronous_fetch_result(bad, &out_out, NULL));
        }
        FAILS(PINVIEW_ERROR_INVALID_HANDLE, pinview_asynchronous_fetch_result(NULL, &out_out, NULL));
    }
    {
        FAILS(PINVIEW_ERROR_INVALID_ARGUMENT, pinview_asynchronous_fetch_result(good.asynchronous_fetch, NULL, NULL));
    }
    tear_down();
}

static void misuse_of_pinview_context_interrupt_fetch(void) {
    set_up();
    {
        for (int number = 0; number < bad_count; number++) {
            void *bad = bad_handle(number, good.object);
            FAILS(PINVIEW_ERROR_INVALID_HANDLE, pinview_context_interrupt_fetch(bad, NULL));
        }
        FAILS(PINVIEW_ERROR_INVALID_HANDLE, pinview_context_interrupt_fetch(NULL, NULL));
    }
    tear_down();
}

static void misuse_of_pinview_context_interrupt(void) {
    set_up();
    {
        for (int number = 0; number < bad_count; number++) {
            void *bad = bad_handle(number, good.object);
            FAILS(PINVIEW_ERROR_INVALID_HANDLE, pinview_context_interrupt(bad, NULL));
        }
        FAILS(PINVIEW_ERROR_INVALID_HANDLE, pinview_context_interrupt(NULL, NULL));
    }
    tear_down();
}

static void misuse_of_pinview_context_count(void) {
    set_up();
    {
        pinview_fetch_request in_request; memset(&in_request, 0, sizeof in_request);
        in_request.struct_size = sizeof in_request;
        pinview_fetch_request_init(&in_request, sizeof in_request, TEXT("Person"), NULL);
        int64_t out_out; memset(&out_out, 0, sizeof out_out);
        for (int number = 0; number < bad_count; number++) {
            void *bad = bad_handle(number, good.object);
            FAILS(PINVIEW_ERROR_INVALID_HANDLE, pinview_context_count(bad, &in_request, &out_out, NULL));
        }
        FAILS(PINVIEW_ERROR_INVALID_HANDLE, pinview_context_count(NULL, &in_request, &out_out, NULL));
    }
    {
        pinview_fetch_request in_request; memset(&in_request, 0, sizeof in_request);
        in_request.struct_size = sizeof in_request;
        pinview_fetch_request_init(&in_request, sizeof in_request, TEXT("Person"), NULL);
        FAILS(PINVIEW_ERROR_INVALID_ARGUMENT, pinview_context_count(good.context, &in_request, NULL, NULL));
    }
    {
        pinview_fetch_request in_request; memset(&in_request, 0, sizeof in_request);
        in_request.struct_size = sizeof in_request;
        pinview_fetch_request_init(&in_request, sizeof in_request, TEXT("Person"), NULL);
        int64_t out_out; memset(&out_out, 0, sizeof out_out);
        union { pinview_fetch_request known; unsigned char bytes[sizeof(pinview_fetch_request) + extra_bytes]; } larger;
        memset(&larger, 0, sizeof larger);
        larger.known = in_request;
        for (size_t place = 0; place < extra_bytes; place += extra_bytes - 1) {
            larger.known.struct_size = sizeof larger;
            larger.bytes[sizeof(pinview_fetch_request) + place] = 1;
            EXPECT_REFUSAL(pinview_context_count(good.context, &larger.known, &out_out, ERROR), "beyond the");
            larger.bytes[sizeof(pinview_fetch_request) + place] = 0;
        }
        for (int number = 0; number < 3; number++) {
            const uint32_t sizes[] = {0, 4, UINT32_MAX};
            larger.known.struct_size = sizes[number];
            EXPECT_REFUSAL(pinview_context_count(good.context, &larger.known, &out_out, ERROR), "struct_size");
        }
        larger.known.struct_size = sizeof larger;
        (void)pinview_context_count(good.context, &larger.known, &out_out, ERROR);
        EXPECT(!has_said("beyond the") && !has_said("struct_size"));
    }
    {
        pinview_fetch_request in_request; memset(&in_request, 0, sizeof in_request);
        in_request.struct_size = sizeof in_request;
        pinview_fetch_request_init(&in_request, sizeof in_request, TEXT("Person"), NULL);
        int64_t out_out; memset(&out_out, 0, sizeof out_out);
        for (int bit = 0; bit < 32; bit++) {
            const uint32_t flag = UINT32_C(1) << bit;
            if ((UINT32_C(63) & flag) != 0) continue;
            pinview_fetch_request usual = in_request;
            in_request.flags |= flag;
            FAILS(PINVIEW_ERROR_INVALID_ARGUMENT, pinview_context_count(good.context, &in_request, &out_out, ERROR));
            EXPECT(has_said("the flag ") || has_said("reserved"));
            in_request = usual;
        }
    }
    {
        pinview_fetch_request in_request; memset(&in_request, 0, sizeof in_request);
        in_request.struct_size = sizeof in_request;
        pinview_fetch_request_init(&in_request, sizeof in_request, TEXT("Person"), NULL);
        int64_t out_out; memset(&out_out, 0, sizeof out_out);
        for (int bit = 0; bit < 32; bit++) {
            const uint32_t flag = UINT32_C(1) << bit;
            if ((UINT32_C(0) & flag) != 0) continue;
            pinview_fetch_request usual = in_request;
            in_request.reserved |= (int32_t)flag;
            FAILS(PINVIEW_ERROR_INVALID_ARGUMENT, pinview_context_count(good.context, &in_request, &out_out, ERROR));
            EXPECT(has_said("the flag ") || has_said("reserved"));
            in_request = usual;
        }
    }
    {
        pinview_fetch_request in_request; memset(&in_request, 0, sizeof in_request);
        in_request.struct_size = sizeof in_request;
        pinview_fetch_request_init(&in_request, sizeof in_request, TEXT("Person"), NULL);
        int64_t out_out; memset(&out_out, 0, sizeof out_out);
        pinview_fetch_request usual = in_request;
        for (int number = 0; number < huge_count; number++) {
            in_request.sort_descriptor_count = huge_sizes[number];
            memcpy(&in_request.sort_descriptors, &(const void *){NULL}, sizeof in_request.sort_descriptors);
            FAILS(PINVIEW_ERROR_INVALID_ARGUMENT, pinview_context_count(good.context, &in_request, &out_out, ERROR)); EXPECT(has_said("must be between"));
            in_request = usual;
        }
    }
    {
        pinview_fetch_request in_request; memset(&in_request, 0, sizeof in_request);
        in_request.struct_size = sizeof in_request;
        pinview_fetch_request_init(&in_request, sizeof in_request, TEXT("Person"), NULL);
        int64_t out_out; memset(&out_out, 0, sizeof out_out);
        pinview_fetch_request usual = in_request;
        for (int number = 0; number < huge_count; number++) {
            in_request.sort_descriptor_count = huge_sizes[number];
            memcpy(&in_request.sort_descriptors, &(const void *){short_array}, sizeof in_request.sort_descriptors);
            FAILS(PINVIEW_ERROR_INVALID_ARGUMENT, pinview_context_count(good.context, &in_request, &out_out, ERROR)); EXPECT(has_said("must be between"));
            in_request = usual;
        }
    }
    {
        pinview_fetch_request in_request; memset(&in_request, 0, sizeof in_request);
        in_request.struct_size = sizeof in_request;
        pinview_fetch_request_init(&in_request, sizeof in_request, TEXT("Person"), NULL);
        int64_t out_out; memset(&out_out, 0, sizeof out_out);
        pinview_fetch_request usual = in_request;
        for (int number = 0; number < huge_count; number++) {
            in_request.store_count = huge_sizes[number];
            memcpy(&in_request.stores, &(const void *){NULL}, sizeof in_request.stores);
            FAILS(PINVIEW_ERROR_INVALID_ARGUMENT, pinview_context_count(good.context, &in_request, &out_out, ERROR)); EXPECT(has_said("must be between"));
            in_request = usual;
        }
    }
    {
        pinview_fetch_request in_request; memset(&in_request, 0, sizeof in_request);
        in_request.struct_size = sizeof in_request;
        pinview_fetch_request_init(&in_request, sizeof in_request, TEXT("Person"), NULL);
        int64_t out_out; memset(&out_out, 0, sizeof out_out);
        pinview_fetch_request usual = in_request;
        for (int number = 0; number < huge_count; number++) {
            in_request.store_count = huge_sizes[number];
            memcpy(&in_request.stores, &(const void *){short_array}, sizeof in_request.stores);
            FAILS(PINVIEW_ERROR_INVALID_ARGUMENT, pinview_context_count(good.context, &in_request, &out_out, ERROR)); EXPECT(has_said("must be between"));
            in_request = usual;
        }
    }
    {
        pinview_fetch_request in_request; memset(&in_request, 0, sizeof in_request);
        in_request.struct_size = sizeof in_request;
        pinview_fetch_request_init(&in_request, sizeof in_request, TEXT("Person"), NULL);
        int64_t out_out; memset(&out_out, 0, sizeof out_out);
        pinview_fetch_request usual = in_request;
        for (int number = 0; number < huge_count; number++) {
            in_request.prefetched_key_path_count = huge_sizes[number];
            memcpy(&in_request.prefetched_key_paths, &(const void *){NULL}, sizeof in_request.prefetched_key_paths);
            FAILS(PINVIEW_ERROR_INVALID_ARGUMENT, pinview_context_count(good.context, &in_request, &out_out, ERROR)); EXPECT(has_said("must be between"));
            in_request = usual;
        }
    }
    {
        pinview_fetch_request in_request; memset(&in_request, 0, sizeof in_request);
        in_request.struct_size = sizeof in_request;
        pinview_fetch_request_init(&in_request, sizeof in_request, TEXT("Person"), NULL);
        int64_t out_out; memset(&out_out, 0, sizeof out_out);
        pinview_fetch_request usual = in_request;
        for (int number = 0; number < huge_count; number++) {
            in_request.prefetched_key_path_count = huge_sizes[number];
            memcpy(&in_request.prefetched_key_paths, &(const void *){short_array}, sizeof in_request.prefetched_key_paths);
            FAILS(PINVIEW_ERROR_INVALID_ARGUMENT, pinview_context_count(good.context, &in_request, &out_out, ERROR)); EXPECT(has_said("must be between"));
            in_request = usual;
        }
    }
    {
        pinview_fetch_request in_request; memset(&in_request, 0, sizeof in_request);
        in_request.struct_size = sizeof in_request;
        pinview_fetch_request_init(&in_request, sizeof in_request, TEXT("Person"), NULL);
        int64_t out_out; memset(&out_out, 0, sizeof out_out);
        pinview_fetch_request usual = in_request;
        for (int number = 0; number < huge_count; number++) {
            in_request.property_count = huge_sizes[number];
            memcpy(&in_request.properties, &(const void *){NULL}, sizeof in_request.properties);
            FAILS(PINVIEW_ERROR_INVALID_ARGUMENT, pinview_context_count(good.context, &in_request, &out_out, ERROR)); EXPECT(has_said("must be between"));
            in_request = usual;
        }
    }
    {
        pinview_fetch_request in_request; memset(&in_request, 0, sizeof in_request);
        in_request.struct_size = sizeof in_request;
        pinview_fetch_request_init(&in_request, sizeof in_request, TEXT("Person"), NULL);
        int64_t out_out; memset(&out_out, 0, sizeof out_out);
        pinview_fetch_request usual = in_request;
        for (int number = 0; number < huge_count; number++) {
            in_request.property_count = huge_sizes[number];
            memcpy(&in_request.properties, &(const void *){short_array}, sizeof in_request.properties);
            FAILS(PINVIEW_ERROR_INVALID_ARGUMENT, pinview_context_count(good.context, &in_request, &out_out, ERROR)); EXPECT(has_said("must be between"));
            in_request = usual;
        }
    }
    {
        pinview_fetch_request in_request; memset(&in_request, 0, sizeof in_request);
        in_request.struct_size = sizeof in_request;
        pinview_fetch_request_init(&in_request, sizeof in_request, TEXT("Person"), NULL);
        int64_t out_out; memset(&out_out, 0, sizeof out_out);
        pinview_fetch_request usual = in_request;
        for (int number = 0; number < huge_count; number++) {
            in_request.group_by_count = huge_sizes[number];
            memcpy(&in_request.group_by, &(const void *){NULL}, sizeof in_request.group_by);
            FAILS(PINVIEW_ERROR_INVALID_ARGUMENT, pinview_context_count(good.context, &in_request, &out_out, ERROR)); EXPECT(has_said("must be between"));
            in_request = usual;
        }
    }
    {
        pinview_fetch_request in_request; memset(&in_request, 0, sizeof in_request);
        in_request.struct_size = sizeof in_request;
        pinview_fetch_request_init(&in_request, sizeof in_request, TEXT("Person"), NULL);
        int64_t out_out; memset(&out_out, 0, sizeof out_out);
        pinview_fetch_request usual = in_request;
        for (int number = 0; number < huge_count; number++) {
            in_request.group_by_count = huge_sizes[number];
            memcpy(&in_request.group_by, &(const void *){short_array}, sizeof in_request.group_by);
            FAILS(PINVIEW_ERROR_INVALID_ARGUMENT, pinview_context_count(good.context, &in_request, &out_out, ERROR)); EXPECT(has_said("must be between"));
            in_request = usual;
        }
    }
    tear_down();
}

static void misuse_of_pinview_fetch_request_execute(void) {
    set_up();
    {
        pinview_fetch_request in_request; memset(&in_request, 0, sizeof in_request);
        in_request.struct_size = sizeof in_request;
        pinview_fetch_request_init(&in_request, sizeof in_request, TEXT("Person"), NULL);
        FAILS(PINVIEW_ERROR_INVALID_ARGUMENT, pinview_fetch_request_execute(&in_request, NULL, NULL));
    }
    {
        pinview_fetch_request in_request; memset(&in_request, 0, sizeof in_request);
        in_request.struct_size = sizeof in_request;
        pinview_fetch_request_init(&in_request, sizeof in_request, TEXT("Person"), NULL);
        pinview_result * out_out; memset(&out_out, 0, sizeof out_out);
        union { pinview_fetch_request known; unsigned char bytes[sizeof(pinview_fetch_request) + extra_bytes]; } larger;
        memset(&larger, 0, sizeof larger);
        larger.known = in_request;
        for (size_t place = 0; place < extra_bytes; place += extra_bytes - 1) {
            larger.known.struct_size = sizeof larger;
            larger.bytes[sizeof(pinview_fetch_request) + place] = 1;
            EXPECT_REFUSAL(pinview_fetch_request_execute(&larger.known, &out_out, ERROR), "beyond the");
            larger.bytes[sizeof(pinview_fetch_request) + place] = 0;
        }
        for (int number = 0; number < 3; number++) {
            const uint32_t sizes[] = {0, 4, UINT32_MAX};
            larger.known.struct_size = sizes[number];
            EXPECT_REFUSAL(pinview_fetch_request_execute(&larger.known, &out_out, ERROR), "struct_size");
        }
        larger.known.struct_size = sizeof larger;
        (void)pinview_fetch_request_execute(&larger.known, &out_out, ERROR);
        EXPECT(!has_said("beyond the") && !has_said("struct_size"));
        if (out_out != NULL) (void)pinview_result_release(out_out);
    }
    {
        pinview_fetch_request in_request; memset(&in_request, 0, sizeof in_request);
        in_request.struct_size = sizeof in_request;
        pinview_fetch_request_init(&in_request, sizeof in_request, TEXT("Person"), NULL);
        pinview_result * out_out; memset(&out_out, 0, sizeof out_out);
        for (int bit = 0; bit < 32; bit++) {
            const uint32_t flag = UINT32_C(1) << bit;
            if ((UINT32_C(63) & flag) != 0) continue;
            pinview_fetch_request usual = in_request;
            in_request.flags |= flag;
            FAILS(PINVIEW_ERROR_INVALID_ARGUMENT, pinview_fetch_request_execute(&in_request, &out_out, ERROR));
            EXPECT(has_said("the flag ") || has_said("reserved"));
            in_request = usual;
        }
    }
    {
        pinview_fetch_request in_request; memset(&in_request, 0, sizeof in_request);
        in_request.struct_size = sizeof in_request;
        pinview_fetch_request_init(&in_request, sizeof in_request, TEXT("Person"), NULL);
        pinview_result * out_out; memset(&out_out, 0, sizeof out_out);
        for (int bit = 0; bit < 32; bit++) {
            const uint32_t flag = UINT32_C(1) << bit;
            if ((UINT32_C(0) & flag) != 0) continue;
            pinview_fetch_request usual = in_request;
            in_request.reserved |= (int32_t)flag;
            FAILS(PINVIEW_ERROR_INVALID_ARGUMENT, pinview_fetch_request_execute(&in_request, &out_out, ERROR));
            EXPECT(has_said("the flag ") || has_said("reserved"));
            in_request = usual;
        }
    }
    {
        pinview_fetch_request in_request; memset(&in_request, 0, sizeof in_request);
        in_request.struct_size = sizeof in_request;
        pinview_fetch_request_init(&in_request, sizeof in_request, TEXT("Person"), NULL);
        pinview_result * out_out; memset(&out_out, 0, sizeof out_out);
        pinview_fetch_request usual = in_request;
        for (int number = 0; number < huge_count; number++) {
            in_request.sort_descriptor_count = huge_sizes[number];
            memcpy(&in_request.sort_descriptors, &(const void *){NULL}, sizeof in_request.sort_descriptors);
            FAILS(PINVIEW_ERROR_INVALID_ARGUMENT, pinview_fetch_request_execute(&in_request, &out_out, ERROR)); EXPECT(has_said("must be between"));
            in_request = usual;
        }
    }
    {
        pinview_fetch_request in_request; memset(&in_request, 0, sizeof in_request);
        in_request.struct_size = sizeof in_request;
        pinview_fetch_request_init(&in_request, sizeof in_request, TEXT("Person"), NULL);
        pinview_result * out_out; memset(&out_out, 0, sizeof out_out);
        pinview_fetch_request usual = in_request;
        for (int number = 0; number < huge_count; number++) {
            in_request.sort_descriptor_count = huge_sizes[number];
            memcpy(&in_request.sort_descriptors, &(const void *){short_array}, sizeof in_request.sort_descriptors);
            FAILS(PINVIEW_ERROR_INVALID_ARGUMENT, pinview_fetch_request_execute(&in_request, &out_out, ERROR)); EXPECT(has_said("must be between"));
            in_request = usual;
        }
    }
    {
        pinview_fetch_request in_request; memset(&in_request, 0, sizeof in_request);
        in_request.struct_size = sizeof in_request;
        pinview_fetch_request_init(&in_request, sizeof in_request, TEXT("Person"), NULL);
        pinview_result * out_out; memset(&out_out, 0, sizeof out_out);
        pinview_fetch_request usual = in_request;
        for (int number = 0; number < huge_count; number++) {
            in_request.store_count = huge_sizes[number];
            memcpy(&in_request.stores, &(const void *){NULL}, sizeof in_request.stores);
            FAILS(PINVIEW_ERROR_INVALID_ARGUMENT, pinview_fetch_request_execute(&in_request, &out_out, ERROR)); EXPECT(has_said("must be between"));
            in_request = usual;
        }
    }
    {
        pinview_fetch_request in_request; memset(&in_request, 0, sizeof in_request);
        in_request.struct_size = sizeof in_request;
        pinview_fetch_request_init(&in_request, sizeof in_request, TEXT("Person"), NULL);
        pinview_result * out_out; memset(&out_out, 0, sizeof out_out);
        pinview_fetch_request usual = in_request;
        for (int number = 0; number < huge_count; number++) {
            in_request.store_count = huge_sizes[number];
            memcpy(&in_request.stores, &(const void *){short_array}, sizeof in_request.stores);
            FAILS(PINVIEW_ERROR_INVALID_ARGUMENT, pinview_fetch_request_execute(&in_request, &out_out, ERROR)); EXPECT(has_said("must be between"));
            in_request = usual;
        }
    }
    {
        pinview_fetch_request in_request; memset(&in_request, 0, sizeof in_request);
        in_request.struct_size = sizeof in_request;
        pinview_fetch_request_init(&in_request, sizeof in_request, TEXT("Person"), NULL);
        pinview_result * out_out; memset(&out_out, 0, sizeof out_out);
        pinview_fetch_request usual = in_request;
        for (int number = 0; number < huge_count; number++) {
            in_request.prefetched_key_path_count = huge_sizes[number];
            memcpy(&in_request.prefetched_key_paths, &(const void *){NULL}, sizeof in_request.prefetched_key_paths);
            FAILS(PINVIEW_ERROR_INVALID_ARGUMENT, pinview_fetch_request_execute(&in_request, &out_out, ERROR)); EXPECT(has_said("must be between"));
            in_request = usual;
        }
    }
    {
        pinview_fetch_request in_request; memset(&in_request, 0, sizeof in_request);
        in_request.struct_size = sizeof in_request;
        pinview_fetch_request_init(&in_request, sizeof in_request, TEXT("Person"), NULL);
        pinview_result * out_out; memset(&out_out, 0, sizeof out_out);
        pinview_fetch_request usual = in_request;
        for (int number = 0; number < huge_count; number++) {
            in_request.prefetched_key_path_count = huge_sizes[number];
            memcpy(&in_request.prefetched_key_paths, &(const void *){short_array}, sizeof in_request.prefetched_key_paths);
            FAILS(PINVIEW_ERROR_INVALID_ARGUMENT, pinview_fetch_request_execute(&in_request, &out_out, ERROR)); EXPECT(has_said("must be between"));
            in_request = usual;
        }
    }
    {
        pinview_fetch_request in_request; memset(&in_request, 0, sizeof in_request);
        in_request.struct_size = sizeof in_request;
        pinview_fetch_request_init(&in_request, sizeof in_request, TEXT("Person"), NULL);
        pinview_result * out_out; memset(&out_out, 0, sizeof out_out);
        pinview_fetch_request usual = in_request;
        for (int number = 0; number < huge_count; number++) {
            in_request.property_count = huge_sizes[number];
            memcpy(&in_request.properties, &(const void *){NULL}, sizeof in_request.properties);
            FAILS(PINVIEW_ERROR_INVALID_ARGUMENT, pinview_fetch_request_execute(&in_request, &out_out, ERROR)); EXPECT(has_said("must be between"));
            in_request = usual;
        }
    }
    {
        pinview_fetch_request in_request; memset(&in_request, 0, sizeof in_request);
        in_request.struct_size = sizeof in_request;
        pinview_fetch_request_init(&in_request, sizeof in_request, TEXT("Person"), NULL);
        pinview_result * out_out; memset(&out_out, 0, sizeof out_out);
        pinview_fetch_request usual = in_request;
        for (int number = 0; number < huge_count; number++) {
            in_request.property_count = huge_sizes[number];
            memcpy(&in_request.properties, &(const void *){short_array}, sizeof in_request.properties);
            FAILS(PINVIEW_ERROR_INVALID_ARGUMENT, pinview_fetch_request_execute(&in_request, &out_out, ERROR)); EXPECT(has_said("must be between"));
            in_request = usual;
        }
    }
    {
        pinview_fetch_request in_request; memset(&in_request, 0, sizeof in_request);
        in_request.struct_size = sizeof in_request;
        pinview_fetch_request_init(&in_request, sizeof in_request, TEXT("Person"), NULL);
        pinview_result * out_out; memset(&out_out, 0, sizeof out_out);
        pinview_fetch_request usual = in_request;
        for (int number = 0; number < huge_count; number++) {
            in_request.group_by_count = huge_sizes[number];
            memcpy(&in_request.group_by, &(const void *){NULL}, sizeof in_request.group_by);
            FAILS(PINVIEW_ERROR_INVALID_ARGUMENT, pinview_fetch_request_execute(&in_request, &out_out, ERROR)); EXPECT(has_said("must be between"));
            in_request = usual;
        }
    }
    {
        pinview_fetch_request in_request; memset(&in_request, 0, sizeof in_request);
        in_request.struct_size = sizeof in_request;
        pinview_fetch_request_init(&in_request, sizeof in_request, TEXT("Person"), NULL);
        pinview_result * out_out; memset(&out_out, 0, sizeof out_out);
        pinview_fetch_request usual = in_request;
        for (int number = 0; number < huge_count; number++) {
            in_request.group_by_count = huge_sizes[number];
            memcpy(&in_request.group_by, &(const void *){short_array}, sizeof in_request.group_by);
            FAILS(PINVIEW_ERROR_INVALID_ARGUMENT, pinview_fetch_request_execute(&in_request, &out_out, ERROR)); EXPECT(has_said("must be between"));
            in_request = usual;
        }
    }
    tear_down();
}

static void misuse_of_pinview_model_set_fetch_request_template(void) {
    set_up();
    {
        pinview_fetch_request in_request; memset(&in_request, 0, sizeof in_request);
        in_request.struct_size = sizeof in_request;
        pinview_fetch_request_init(&in_request, sizeof in_request, TEXT("Person"), NULL);
        for (int number = 0; number < bad_count; number++) {
            void *bad = bad_handle(number, good.object);
            FAILS(PINVIEW_ERROR_INVALID_HANDLE, pinview_model_set_fetch_request_template(bad, TEXT("name"), &in_request, NULL));
        }
        FAILS(PINVIEW_ERROR_INVALID_HANDLE, pinview_model_set_fetch_request_template(NULL, TEXT("name"), &in_request, NULL));
    }
    {
        pinview_fetch_request in_request; memset(&in_request, 0, sizeof in_request);
        in_request.struct_size = sizeof in_request;
        pinview_fetch_request_init(&in_request, sizeof in_request, TEXT("Person"), NULL);
        FAILS(PINVIEW_ERROR_INVALID_UTF8, pinview_model_set_fetch_request_template(good.model, TEXT("a\xff"), &in_request, NULL));
    }
    {
        pinview_fetch_request in_request; memset(&in_request, 0, sizeof in_request);
        in_request.struct_size = sizeof in_request;
        pinview_fetch_request_init(&in_request, sizeof in_request, TEXT("Person"), NULL);
        union { pinview_fetch_request known; unsigned char bytes[sizeof(pinview_fetch_request) + extra_bytes]; } larger;
        memset(&larger, 0, sizeof larger);
        larger.known = in_request;
        for (size_t place = 0; place < extra_bytes; place += extra_bytes - 1) {
            larger.known.struct_size = sizeof larger;
            larger.bytes[sizeof(pinview_fetch_request) + place] = 1;
            EXPECT_REFUSAL(pinview_model_set_fetch_request_template(good.model, TEXT("name"), &larger.known, ERROR), "beyond the");
            larger.bytes[sizeof(pinview_fetch_request) + place] = 0;
        }
        for (int number = 0; number < 3; number++) {
            const uint32_t sizes[] = {0, 4, UINT32_MAX};
            larger.known.struct_size = sizes[number];
            EXPECT_REFUSAL(pinview_model_set_fetch_request_template(good.model, TEXT("name"), &larger.known, ERROR), "struct_size");
        }
        larger.known.struct_size = sizeof larger;
        (void)pinview_model_set_fetch_request_template(good.model, TEXT("name"), &larger.known, ERROR);
        EXPECT(!has_said("beyond the") && !has_said("struct_size"));
    }
    {
        pinview_fetch_request in_request; memset(&in_request, 0, sizeof in_request);
        in_request.struct_size = sizeof in_request;
        pinview_fetch_request_init(&in_request, sizeof in_request, TEXT("Person"), NULL);
        for (int bit = 0; bit < 32; bit++) {
            const uint32_t flag = UINT32_C(1) << bit;
            if ((UINT32_C(63) & flag) != 0) continue;
            pinview_fetch_request usual = in_request;
            in_request.flags |= flag;
            FAILS(PINVIEW_ERROR_INVALID_ARGUMENT, pinview_model_set_fetch_request_template(good.model, TEXT("name"), &in_request, ERROR));
            EXPECT(has_said("the flag ") || has_said("reserved"));
            in_request = usual;
        }
    }
    {
        pinview_fetch_request in_request; memset(&in_request, 0, sizeof in_request);
        in_request.struct_size = sizeof in_request;
        pinview_fetch_request_init(&in_request, sizeof in_request, TEXT("Person"), NULL);
        for (int bit = 0; bit < 32; bit++) {
            const uint32_t flag = UINT32_C(1) << bit;
            if ((UINT32_C(0) & flag) != 0) continue;
            pinview_fetch_request usual = in_request;
            in_request.reserved |= (int32_t)flag;
            FAILS(PINVIEW_ERROR_INVALID_ARGUMENT, pinview_model_set_fetch_request_template(good.model, TEXT("name"), &in_request, ERROR));
            EXPECT(has_said("the flag ") || has_said("reserved"));
            in_request = usual;
        }
    }
    {
        pinview_fetch_request in_request; memset(&in_request, 0, sizeof in_request);
        in_request.struct_size = sizeof in_request;
        pinview_fetch_request_init(&in_request, sizeof in_request, TEXT("Person"), NULL);
        for (int number = 0; number < huge_count; number++) {
            FAILS(PINVIEW_ERROR_INVALID_ARGUMENT, pinview_model_set_fetch_request_template(good.model, huge_text(huge_sizes[number]), &in_request, ERROR)); EXPECT(has_said("must be between"));
        }
    }
    {
        pinview_fetch_request in_request; memset(&in_request, 0, sizeof in_request);
        in_request.struct_size = sizeof in_request;
        pinview_fetch_request_init(&in_request, sizeof in_request, TEXT("Person"), NULL);
        pinview_fetch_request usual = in_request;
        for (int number = 0; number < huge_count; number++) {
            in_request.sort_descriptor_count = huge_sizes[number];
            memcpy(&in_request.sort_descriptors, &(const void *){NULL}, sizeof in_request.sort_descriptors);
            FAILS(PINVIEW_ERROR_INVALID_ARGUMENT, pinview_model_set_fetch_request_template(good.model, TEXT("name"), &in_request, ERROR)); EXPECT(has_said("must be between"));
            in_request = usual;
        }
    }
    {
        pinview_fetch_request in_request; memset(&in_request, 0, sizeof in_request);
        in_request.struct_size = sizeof in_request;
        pinview_fetch_request_init(&in_request, sizeof in_request, TEXT("Person"), NULL);
        pinview_fetch_request usual = in_request;
        for (int number = 0; number < huge_count; number++) {
            in_request.sort_descriptor_count = huge_sizes[number];
            memcpy(&in_request.sort_descriptors, &(const void *){short_array}, sizeof in_request.sort_descriptors);
            FAILS(PINVIEW_ERROR_INVALID_ARGUMENT, pinview_model_set_fetch_request_template(good.model, TEXT("name"), &in_request, ERROR)); EXPECT(has_said("must be between"));
            in_request = usual;
        }
    }
    {
        pinview_fetch_request in_request; memset(&in_request, 0, sizeof in_request);
        in_request.struct_size = sizeof in_request;
        pinview_fetch_request_init(&in_request, sizeof in_request, TEXT("Person"), NULL);
        pinview_fetch_request usual = in_request;
        for (int number = 0; number < huge_count; number++) {
            in_request.store_count = huge_sizes[number];
            memcpy(&in_request.stores, &(const void *){NULL}, sizeof in_request.stores);
            FAILS(PINVIEW_ERROR_INVALID_ARGUMENT, pinview_model_set_fetch_request_template(good.model, TEXT("name"), &in_request, ERROR)); EXPECT(has_said("must be between"));
            in_request = usual;
        }
    }
    {
        pinview_fetch_request in_request; memset(&in_request, 0, sizeof in_request);
        in_request.struct_size = sizeof in_request;
        pinview_fetch_request_init(&in_request, sizeof in_request, TEXT("Person"), NULL);
        pinview_fetch_request usual = in_request;
        for (int number = 0; number < huge_count; number++) {
            in_request.store_count = huge_sizes[number];
            memcpy(&in_request.stores, &(const void *){short_array}, sizeof in_request.stores);
            FAILS(PINVIEW_ERROR_INVALID_ARGUMENT, pinview_model_set_fetch_request_template(good.model, TEXT("name"), &in_request, ERROR)); EXPECT(has_said("must be between"));
            in_request = usual;
        }
    }
    {
        pinview_fetch_request in_request; memset(&in_request, 0, sizeof in_request);
        in_request.struct_size = sizeof in_request;
        pinview_fetch_request_init(&in_request, sizeof in_request, TEXT("Person"), NULL);
        pinview_fetch_request usual = in_request;
        for (int number = 0; number < huge_count; number++) {
            in_request.prefetched_key_path_count = huge_sizes[number];
            memcpy(&in_request.prefetched_key_paths, &(const void *){NULL}, sizeof in_request.prefetched_key_paths);
            FAILS(PINVIEW_ERROR_INVALID_ARGUMENT, pinview_model_set_fetch_request_template(good.model, TEXT("name"), &in_request, ERROR)); EXPECT(has_said("must be between"));
            in_request = usual;
        }
    }
    {
        pinview_fetch_request in_request; memset(&in_request, 0, sizeof in_request);
        in_request.struct_size = sizeof in_request;
        pinview_fetch_request_init(&in_request, sizeof in_request, TEXT("Person"), NULL);
        pinview_fetch_request usual = in_request;
        for (int number = 0; number < huge_count; number++) {
            in_request.prefetched_key_path_count = huge_sizes[number];
            memcpy(&in_request.prefetched_key_paths, &(const void *){short_array}, sizeof in_request.prefetched_key_paths);
            FAILS(PINVIEW_ERROR_INVALID_ARGUMENT, pinview_model_set_fetch_request_template(good.model, TEXT("name"), &in_request, ERROR)); EXPECT(has_said("must be between"));
            in_request = usual;
        }
    }
    {
        pinview_fetch_request in_request; memset(&in_request, 0, sizeof in_request);
        in_request.struct_size = sizeof in_request;
        pinview_fetch_request_init(&in_request, sizeof in_request, TEXT("Person"), NULL);
        pinview_fetch_request usual = in_request;
        for (int number = 0; number < huge_count; number++) {
            in_request.property_count = huge_sizes[number];
            memcpy(&in_request.properties, &(const void *){NULL}, sizeof in_request.properties);
            FAILS(PINVIEW_ERROR_INVALID_ARGUMENT, pinview_model_set_fetch_request_template(good.model, TEXT("name"), &in_request, ERROR)); EXPECT(has_said("must be between"));
            in_request = usual;
        }
    }
    {
        pinview_fetch_request in_request; memset(&in_request, 0, sizeof in_request);
        in_request.struct_size = sizeof in_request;
        pinview_fetch_request_init(&in_request, sizeof in_request, TEXT("Person"), NULL);
        pinview_fetch_request usual = in_request;
        for (int number = 0; number < huge_count; number++) {
            in_request.property_count = huge_sizes[number];
            memcpy(&in_request.properties, &(const void *){short_array}, sizeof in_request.properties);
            FAILS(PINVIEW_ERROR_INVALID_ARGUMENT, pinview_model_set_fetch_request_template(good.model, TEXT("name"), &in_request, ERROR)); EXPECT(has_said("must be between"));
            in_request = usual;
        }
    }
    {
        pinview_fetch_request in_request; memset(&in_request, 0, sizeof in_request);
        in_request.struct_size = sizeof in_request;
        pinview_fetch_request_init(&in_request, sizeof in_request, TEXT("Person"), NULL);
        pinview_fetch_request usual = in_request;
        for (int number = 0; number < huge_count; number++) {
            in_request.group_by_count = huge_sizes[number];
            memcpy(&in_request.group_by, &(const void *){NULL}, sizeof in_request.group_by);
            FAILS(PINVIEW_ERROR_INVALID_ARGUMENT, pinview_model_set_fetch_request_template(good.model, TEXT("name"), &in_request, ERROR)); EXPECT(has_said("must be between"));
            in_request = usual;
        }
    }
    {
        pinview_fetch_request in_request; memset(&in_request, 0, sizeof in_request);
        in_request.struct_size = sizeof in_request;
        pinview_fetch_request_init(&in_request, sizeof in_request, TEXT("Person"), NULL);
        pinview_fetch_request usual = in_request;
        for (int number = 0; number < huge_count; number++) {
            in_request.group_by_count = huge_sizes[number];
            memcpy(&in_request.group_by, &(const void *){short_array}, sizeof in_request.group_by);
            FAILS(PINVIEW_ERROR_INVALID_ARGUMENT, pinview_model_set_fetch_request_template(good.model, TEXT("name"), &in_request, ERROR)); EXPECT(has_said("must be between"));
            in_request = usual;
        }
    }
    tear_down();
}

static void misuse_of_pinview_model_fetch_request_template_count(void) {
    set_up();
    {
        for (int number = 0; number < bad_count; number++) {
            void *bad = bad_handle(number, good.object);
            EXPECT(pinview_model_fetch_request_template_count(bad) == 0);
        }
        EXPECT(pinview_model_fetch_request_template_count(NULL) == 0);
    }
    tear_down();
}

static void misuse_of_pinview_model_fetch_request_template_name(void) {
    set_up();
    {
        pinview_string out_out; memset(&out_out, 0, sizeof out_out);
        for (int number = 0; number < bad_count; number++) {
            void *bad = bad_handle(number, good.object);
            FAILS(PINVIEW_ERROR_INVALID_HANDLE, pinview_model_fetch_request_template_name(bad, 0, &out_out, NULL));
        }
        FAILS(PINVIEW_ERROR_INVALID_HANDLE, pinview_model_fetch_request_template_name(NULL, 0, &out_out, NULL));
    }
    {
        FAILS(PINVIEW_ERROR_INVALID_ARGUMENT, pinview_model_fetch_request_template_name(good.model, 0, NULL, NULL));
    }
    tear_down();
}

static void misuse_of_pinview_model_fetch_request_template(void) {
    set_up();
    {
        pinview_fetch_template * out_out; memset(&out_out, 0, sizeof out_out);
        for (int number = 0; number < bad_count; number++) {
            void *bad = bad_handle(number, good.object);
            FAILS(PINVIEW_ERROR_INVALID_HANDLE, pinview_model_fetch_request_template(bad, TEXT("name"), &out_out, NULL));
        }
        FAILS(PINVIEW_ERROR_INVALID_HANDLE, pinview_model_fetch_request_template(NULL, TEXT("name"), &out_out, NULL));
    }
    {
        FAILS(PINVIEW_ERROR_INVALID_ARGUMENT, pinview_model_fetch_request_template(good.model, TEXT("name"), NULL, NULL));
    }
    {
        pinview_fetch_template * out_out; memset(&out_out, 0, sizeof out_out);
        FAILS(PINVIEW_ERROR_INVALID_UTF8, pinview_model_fetch_request_template(good.model, TEXT("a\xff"), &out_out, NULL));
    }
    {
        pinview_fetch_template * out_out; memset(&out_out, 0, sizeof out_out);
        for (int number = 0; number < huge_count; number++) {
            FAILS(PINVIEW_ERROR_INVALID_ARGUMENT, pinview_model_fetch_request_template(good.model, huge_text(huge_sizes[number]), &out_out, ERROR)); EXPECT(has_said("must be between"));
        }
    }
    tear_down();
}

static void misuse_of_pinview_model_fetch_request_from_template(void) {
    set_up();
    {
        pinview_fetch_template * out_out; memset(&out_out, 0, sizeof out_out);
        for (int number = 0; number < bad_count; number++) {
            void *bad = bad_handle(number, good.object);
            FAILS(PINVIEW_ERROR_INVALID_HANDLE, pinview_model_fetch_request_from_template(bad, TEXT("name"), NULL, 0, &out_out, NULL));
        }
        FAILS(PINVIEW_ERROR_INVALID_HANDLE, pinview_model_fetch_request_from_template(NULL, TEXT("name"), NULL, 0, &out_out, NULL));
    }
    {
        pinview_fetch_template * out_out; memset(&out_out, 0, sizeof out_out);
        FAILS(PINVIEW_ERROR_INVALID_UTF8, pinview_model_fetch_request_from_template(good.model, TEXT("a\xff"), NULL, 0, &out_out, NULL));
    }
    {
        pinview_fetch_template * out_out; memset(&out_out, 0, sizeof out_out);
        for (int number = 0; number < huge_count; number++) {
            FAILS(PINVIEW_ERROR_INVALID_ARGUMENT, pinview_model_fetch_request_from_template(good.model, huge_text(huge_sizes[number]), NULL, 0, &out_out, ERROR)); EXPECT(has_said("must be between"));
        }
    }
    {
        pinview_fetch_template * out_out; memset(&out_out, 0, sizeof out_out);
        guarded_place place_out;
        for (int number = 0; number < huge_count; number++) {
            const size_t size = huge_sizes[number];
            FAILS(PINVIEW_ERROR_INVALID_ARGUMENT, pinview_model_fetch_request_from_template(good.model, TEXT("name"), (const pinview_named_value*)(NULL), size, guarded(&place_out), ERROR)); EXPECT(has_said("must be between"));
            EXPECT(is_untouched(&place_out));
        }
    }
    {
        pinview_fetch_template * out_out; memset(&out_out, 0, sizeof out_out);
        guarded_place place_out;
        for (int number = 0; number < huge_count; number++) {
            const size_t size = huge_sizes[number];
            FAILS(PINVIEW_ERROR_INVALID_ARGUMENT, pinview_model_fetch_request_from_template(good.model, TEXT("name"), (const pinview_named_value*)(short_array), size, guarded(&place_out), ERROR)); EXPECT(has_said("must be between"));
            EXPECT(is_untouched(&place_out));
        }
    }
    tear_down();
}

static void misuse_of_pinview_fetch_template_request(void) {
    set_up();
    {
        for (int number = 0; number < bad_count; number++) {
            void *bad = bad_handle(number, good.object);
            EXPECT(pinview_fetch_template_request(bad) == NULL);
        }
        EXPECT(pinview_fetch_template_request(NULL) == NULL);
    }
    tear_down();
}

static void misuse_of_pinview_model_builder_add_fetched_property(void) {
    set_up();
    {
        pinview_fetch_request in_request; memset(&in_request, 0, sizeof in_request);
        in_request.struct_size = sizeof in_request;
        pinview_fetch_request_init(&in_request, sizeof in_request, TEXT("Person"), NULL);
        for (int number = 0; number < bad_count; number++) {
            void *bad = bad_handle(number, good.object);
            FAILS(PINVIEW_ERROR_INVALID_HANDLE, pinview_model_builder_add_fetched_property(bad, TEXT("name"), TEXT("name"), &in_request, NULL));
        }
        FAILS(PINVIEW_ERROR_INVALID_HANDLE, pinview_model_builder_add_fetched_property(NULL, TEXT("name"), TEXT("name"), &in_request, NULL));
    }
    {
        pinview_fetch_request in_request; memset(&in_request, 0, sizeof in_request);
        in_request.struct_size = sizeof in_request;
        pinview_fetch_request_init(&in_request, sizeof in_request, TEXT("Person"), NULL);
        FAILS(PINVIEW_ERROR_INVALID_UTF8, pinview_model_builder_add_fetched_property(good.model_builder, TEXT("a\xff"), TEXT("name"), &in_request, NULL));
    }
    {
        pinview_fetch_request in_request; memset(&in_request, 0, sizeof in_request);
        in_request.struct_size = sizeof in_request;
        pinview_fetch_request_init(&in_request, sizeof in_request, TEXT("Person"), NULL);
        FAILS(PINVIEW_ERROR_INVALID_UTF8, pinview_model_builder_add_fetched_property(good.model_builder, TEXT("name"), TEXT("a\xff"), &in_request, NULL));
    }
    {
        pinview_fetch_request in_request; memset(&in_request, 0, sizeof in_request);
        in_request.struct_size = sizeof in_request;
        pinview_fetch_request_init(&in_request, sizeof in_request, TEXT("Person"), NULL);
        union { pinview_fetch_request known; unsigned char bytes[sizeof(pinview_fetch_request) + extra_bytes]; } larger;
        memset(&larger, 0, sizeof larger);
        larger.known = in_request;
        for (size_t place = 0; place < extra_bytes; place += extra_bytes - 1) {
            larger.known.struct_size = sizeof larger;
            larger.bytes[sizeof(pinview_fetch_request) + place] = 1;
            EXPECT_REFUSAL(pinview_model_builder_add_fetched_property(good.model_builder, TEXT("name"), TEXT("name"), &larger.known, ERROR), "beyond the");
            larger.bytes[sizeof(pinview_fetch_request) + place] = 0;
        }
        for (int number = 0; number < 3; number++) {
            const uint32_t sizes[] = {0, 4, UINT32_MAX};
            larger.known.struct_size = sizes[number];
            EXPECT_REFUSAL(pinview_model_builder_add_fetched_property(good.model_builder, TEXT("name"), TEXT("name"), &larger.known, ERROR), "struct_size");
        }
        larger.known.struct_size = sizeof larger;
        (void)pinview_model_builder_add_fetched_property(good.model_builder, TEXT("name"), TEXT("name"), &larger.known, ERROR);
        EXPECT(!has_said("beyond the") && !has_said("struct_size"));
    }
    {
        pinview_fetch_request in_request; memset(&in_request, 0, sizeof in_request);
        in_request.struct_size = sizeof in_request;
        pinview_fetch_request_init(&in_request, sizeof in_request, TEXT("Person"), NULL);
        for (int bit = 0; bit < 32; bit++) {
            const uint32_t flag = UINT32_C(1) << bit;
            if ((UINT32_C(63) & flag) != 0) continue;
            pinview_fetch_request usual = in_request;
            in_request.flags |= flag;
            FAILS(PINVIEW_ERROR_INVALID_ARGUMENT, pinview_model_builder_add_fetched_property(good.model_builder, TEXT("name"), TEXT("name"), &in_request, ERROR));
            EXPECT(has_said("the flag ") || has_said("reserved"));
            in_request = usual;
        }
    }
    {
        pinview_fetch_request in_request; memset(&in_request, 0, sizeof in_request);
        in_request.struct_size = sizeof in_request;
        pinview_fetch_request_init(&in_request, sizeof in_request, TEXT("Person"), NULL);
        for (int bit = 0; bit < 32; bit++) {
            const uint32_t flag = UINT32_C(1) << bit;
            if ((UINT32_C(0) & flag) != 0) continue;
            pinview_fetch_request usual = in_request;
            in_request.reserved |= (int32_t)flag;
            FAILS(PINVIEW_ERROR_INVALID_ARGUMENT, pinview_model_builder_add_fetched_property(good.model_builder, TEXT("name"), TEXT("name"), &in_request, ERROR));
            EXPECT(has_said("the flag ") || has_said("reserved"));
            in_request = usual;
        }
    }
    {
        pinview_fetch_request in_request; memset(&in_request, 0, sizeof in_request);
        in_request.struct_size = sizeof in_request;
        pinview_fetch_request_init(&in_request, sizeof in_request, TEXT("Person"), NULL);
        for (int number = 0; number < huge_count; number++) {
            FAILS(PINVIEW_ERROR_INVALID_ARGUMENT, pinview_model_builder_add_fetched_property(good.model_builder, huge_text(huge_sizes[number]), TEXT("name"), &in_request, ERROR)); EXPECT(has_said("must be between"));
        }
    }
    {
        pinview_fetch_request in_request; memset(&in_request, 0, sizeof in_request);
        in_request.struct_size = sizeof in_request;
        pinview_fetch_request_init(&in_request, sizeof in_request, TEXT("Person"), NULL);
        for (int number = 0; number < huge_count; number++) {
            FAILS(PINVIEW_ERROR_INVALID_ARGUMENT, pinview_model_builder_add_fetched_property(good.model_builder, TEXT("name"), huge_text(huge_sizes[number]), &in_request, ERROR)); EXPECT(has_said("must be between"));
        }
    }
    {
        pinview_fetch_request in_request; memset(&in_request, 0, sizeof in_request);
        in_request.struct_size = sizeof in_request;
        pinview_fetch_request_init(&in_request, sizeof in_request, TEXT("Person"), NULL);
        pinview_fetch_request usual = in_request;
        for (int number = 0; number < huge_count; number++) {
            in_request.sort_descriptor_count = huge_sizes[number];
            memcpy(&in_request.sort_descriptors, &(const void *){NULL}, sizeof in_request.sort_descriptors);
            FAILS(PINVIEW_ERROR_INVALID_ARGUMENT, pinview_model_builder_add_fetched_property(good.model_builder, TEXT("name"), TEXT("name"), &in_request, ERROR)); EXPECT(has_said("must be between"));
            in_request = usual;
        }
    }
    {
        pinview_fetch_request in_request; memset(&in_request, 0, sizeof in_request);
        in_request.struct_size = sizeof in_request;
        pinview_fetch_request_init(&in_request, sizeof in_request, TEXT("Person"), NULL);
        pinview_fetch_request usual = in_request;
        for (int number = 0; number < huge_count; number++) {
            in_request.sort_descriptor_count = huge_sizes[number];
            memcpy(&in_request.sort_descriptors, &(const void *){short_array}, sizeof in_request.sort_descriptors);
            FAILS(PINVIEW_ERROR_INVALID_ARGUMENT, pinview_model_builder_add_fetched_property(good.model_builder, TEXT("name"), TEXT("name"), &in_request, ERROR)); EXPECT(has_said("must be between"));
            in_request = usual;
        }
    }
    {
        pinview_fetch_request in_request; memset(&in_request, 0, sizeof in_request);
        in_request.struct_size = sizeof in_request;
        pinview_fetch_request_init(&in_request, sizeof in_request, TEXT("Person"), NULL);
        pinview_fetch_request usual = in_request;
        for (int number = 0; number < huge_count; number++) {
            in_request.store_count = huge_sizes[number];
            memcpy(&in_request.stores, &(const void *){NULL}, sizeof in_request.stores);
            FAILS(PINVIEW_ERROR_INVALID_ARGUMENT, pinview_model_builder_add_fetched_property(good.model_builder, TEXT("name"), TEXT("name"), &in_request, ERROR)); EXPECT(has_said("must be between"));
            in_request = usual;
        }
    }
    {
        pinview_fetch_request in_request; memset(&in_request, 0, sizeof in_request);
        in_request.struct_size = sizeof in_request;
        pinview_fetch_request_init(&in_request, sizeof in_request, TEXT("Person"), NULL);
        pinview_fetch_request usual = in_request;
        for (int number = 0; number < huge_count; number++) {
            in_request.store_count = huge_sizes[number];
            memcpy(&in_request.stores, &(const void *){short_array}, sizeof in_request.stores);
            FAILS(PINVIEW_ERROR_INVALID_ARGUMENT, pinview_model_builder_add_fetched_property(good.model_builder, TEXT("name"), TEXT("name"), &in_request, ERROR)); EXPECT(has_said("must be between"));
            in_request = usual;
        }
    }
    {
        pinview_fetch_request in_request; memset(&in_request, 0, sizeof in_request);
        in_request.struct_size = sizeof in_request;
        pinview_fetch_request_init(&in_request, sizeof in_request, TEXT("Person"), NULL);
        pinview_fetch_request usual = in_request;
        for (int number = 0; number < huge_count; number++) {
            in_request.prefetched_key_path_count = huge_sizes[number];
            memcpy(&in_request.prefetched_key_paths, &(const void *){NULL}, sizeof in_request.prefetched_key_paths);
            FAILS(PINVIEW_ERROR_INVALID_ARGUMENT, pinview_model_builder_add_fetched_property(good.model_builder, TEXT("name"), TEXT("name"), &in_request, ERROR)); EXPECT(has_said("must be between"));
            in_request = usual;
        }
    }
    {
        pinview_fetch_request in_request; memset(&in_request, 0, sizeof in_request);
        in_request.struct_size = sizeof in_request;
        pinview_fetch_request_init(&in_request, sizeof in_request, TEXT("Person"), NULL);
        pinview_fetch_request usual = in_request;
        for (int number = 0; number < huge_count; number++) {
            in_request.prefetched_key_path_count = huge_sizes[number];
            memcpy(&in_request.prefetched_key_paths, &(const void *){short_array}, sizeof in_request.prefetched_key_paths);
            FAILS(PINVIEW_ERROR_INVALID_ARGUMENT, pinview_model_builder_add_fetched_property(good.model_builder, TEXT("name"), TEXT("name"), &in_request, ERROR)); EXPECT(has_said("must be between"));
            in_request = usual;
        }
    }
    {
        pinview_fetch_request in_request; memset(&in_request, 0, sizeof in_request);
        in_request.struct_size = sizeof in_request;
        pinview_fetch_request_init(&in_request, sizeof in_request, TEXT("Person"), NULL);
        pinview_fetch_request usual = in_request;
        for (int number = 0; number < huge_count; number++) {
            in_request.property_count = huge_sizes[number];
            memcpy(&in_request.properties, &(const void *){NULL}, sizeof in_request.properties);
            FAILS(PINVIEW_ERROR_INVALID_ARGUMENT, pinview_model_builder_add_fetched_property(good.model_builder, TEXT("name"), TEXT("name"), &in_request, ERROR)); EXPECT(has_said("must be between"));
            in_request = usual;
        }
    }
    {
        pinview_fetch_request in_request; memset(&in_request, 0, sizeof in_request);
        in_request.struct_size = sizeof in_request;
        pinview_fetch_request_init(&in_request, sizeof in_request, TEXT("Person"), NULL);
        pinview_fetch_request usual = in_request;
        for (int number = 0; number < huge_count; number++) {
            in_request.property_count = huge_sizes[number];
            memcpy(&in_request.properties, &(const void *){short_array}, sizeof in_request.properties);
            FAILS(PINVIEW_ERROR_INVALID_ARGUMENT, pinview_model_builder_add_fetched_property(good.model_builder, TEXT("name"), TEXT("name"), &in_request, ERROR)); EXPECT(has_said("must be between"));
            in_request = usual;
        }
    }
    {
        pinview_fetch_request in_request; memset(&in_request, 0, sizeof in_request);
        in_request.struct_size = sizeof in_request;
        pinview_fetch_request_init(&in_request, sizeof in_request, TEXT("Person"), NULL);
        pinview_fetch_request usual = in_request;
        for (int number = 0; number < huge_count; number++) {
            in_request.group_by_count = huge_sizes[number];
            memcpy(&in_request.group_by, &(const void *){NULL}, sizeof in_request.group_by);
            FAILS(PINVIEW_ERROR_INVALID_ARGUMENT, pinview_model_builder_add_fetched_property(good.model_builder, TEXT("name"), TEXT("name"), &in_request, ERROR)); EXPECT(has_said("must be between"));
            in_request = usual;
        }
    }
    {
        pinview_fetch_request in_request; memset(&in_request, 0, sizeof in_request);
        in_request.struct_size = sizeof in_request;
        pinview_fetch_request_init(&in_request, sizeof in_request, TEXT("Person"), NULL);
        pinview_fetch_request usual = in_request;
        for (int number = 0; number < huge_count; number++) {
            in_request.group_by_count = huge_sizes[number];
            memcpy(&in_request.group_by, &(const void *){short_array}, sizeof in_request.group_by);
            FAILS(PINVIEW_ERROR_INVALID_ARGUMENT, pinview_model_builder_add_fetched_property(good.model_builder, TEXT("name"), TEXT("name"), &in_request, ERROR)); EXPECT(has_said("must be between"));
            in_request = usual;
        }
    }
    tear_down();
}

static void misuse_of_pinview_entity_fetched_property_count(void) {
    set_up();
    {
        for (int number = 0; number < bad_count; number++) {
            void *bad = bad_handle(number, good.object);
            EXPECT(pinview_entity_fetched_property_count(bad) == 0);
        }
        EXPECT(pinview_entity_fetched_property_count(NULL) == 0);
    }
    tear_down();
}

static void misuse_of_pinview_entity_fetched_property(void) {
    set_up();
    {
        pinview_string out_name; memset(&out_name, 0, sizeof out_name);
        pinview_string out_destination; memset(&out_destination, 0, sizeof out_destination);
        for (int number = 0; number < bad_count; number++) {
            void *bad = bad_handle(number, good.object);
            FAILS(PINVIEW_ERROR_INVALID_HANDLE, pinview_entity_fetched_property(bad, 0, &out_name, &out_destination, NULL));
        }
        FAILS(PINVIEW_ERROR_INVALID_HANDLE, pinview_entity_fetched_property(NULL, 0, &out_name, &out_destination, NULL));
    }
    {
        pinview_string out_destination; memset(&out_destination, 0, sizeof out_destination);
        FAILS(PINVIEW_ERROR_INVALID_ARGUMENT, pinview_entity_fetched_property(good.entity, 0, NULL, &out_destination, NULL));
    }
    {
        pinview_string out_name; memset(&out_name, 0, sizeof out_name);
        FAILS(PINVIEW_ERROR_INVALID_ARGUMENT, pinview_entity_fetched_property(good.entity, 0, &out_name, NULL, NULL));
    }
    tear_down();
}

static void misuse_of_pinview_object_fetched_objects(void) {
    set_up();
    {
        pinview_result * out_out; memset(&out_out, 0, sizeof out_out);
        for (int number = 0; number < bad_count; number++) {
            void *bad = bad_handle(number, good.store);
            FAILS(PINVIEW_ERROR_INVALID_HANDLE, pinview_object_fetched_objects(bad, TEXT("name"), &out_out, NULL));
        }
        FAILS(PINVIEW_ERROR_INVALID_HANDLE, pinview_object_fetched_objects(NULL, TEXT("name"), &out_out, NULL));
    }
    {
        FAILS(PINVIEW_ERROR_INVALID_ARGUMENT, pinview_object_fetched_objects(good.object, TEXT("name"), NULL, NULL));
    }
    {
        pinview_result * out_out; memset(&out_out, 0, sizeof out_out);
        FAILS(PINVIEW_ERROR_INVALID_UTF8, pinview_object_fetched_objects(good.object, TEXT("a\xff"), &out_out, NULL));
    }
    {
        pinview_result * out_out; memset(&out_out, 0, sizeof out_out);
        for (int number = 0; number < huge_count; number++) {
            FAILS(PINVIEW_ERROR_INVALID_ARGUMENT, pinview_object_fetched_objects(good.object, huge_text(huge_sizes[number]), &out_out, ERROR)); EXPECT(has_said("must be between"));
        }
    }
    tear_down();
}

static void misuse_of_pinview_result_get_type(void) {
    set_up();
    {
        for (int number = 0; number < bad_count; number++) {
            void *bad = bad_handle(number, good.object);
            EXPECT(pinview_result_get_type(bad) == -1);
        }
        EXPECT(pinview_result_get_type(NULL) == -1);
    }
    tear_down();
}

static void misuse_of_pinview_result_row_counts(void) {
    set_up();
    {
        uint64_t out_inserted; memset(&out_inserted, 0, sizeof out_inserted);
        uint64_t out_updated; memset(&out_updated, 0, sizeof out_updated);
        uint64_t out_left; memset(&out_left, 0, sizeof out_left);
        for (int number = 0; number < bad_count; number++) {
            void *bad = bad_handle(number, good.object);
            FAILS(PINVIEW_ERROR_INVALID_HANDLE, pinview_result_row_counts(bad, &out_inserted, &out_updated, &out_left, NULL));
        }
        FAILS(PINVIEW_ERROR_INVALID_HANDLE, pinview_result_row_counts(NULL, &out_inserted, &out_updated, &out_left, NULL));
    }
    tear_down();
}

static void misuse_of_pinview_result_upsert_outcomes(void) {
    set_up();
    {
        int32_t out_out; memset(&out_out, 0, sizeof out_out);
        for (int number = 0; number < bad_count; number++) {
            void *bad = bad_handle(number, good.object);
            FAILS(PINVIEW_ERROR_INVALID_HANDLE, pinview_result_upsert_outcomes(bad, 0, 0, &out_out, NULL));
        }
        FAILS(PINVIEW_ERROR_INVALID_HANDLE, pinview_result_upsert_outcomes(NULL, 0, 0, &out_out, NULL));
    }
    {
        int32_t out_out; memset(&out_out, 0, sizeof out_out);
        guarded_place place_out;
        for (int number = 0; number < huge_count; number++) {
            const size_t size = huge_sizes[number];
            FAILS(PINVIEW_ERROR_INVALID_ARGUMENT, pinview_result_upsert_outcomes(good.result, 0, size, guarded(&place_out), ERROR)); EXPECT(has_said("must be between"));
            EXPECT(is_untouched(&place_out));
        }
    }
    {
        int32_t out_out; memset(&out_out, 0, sizeof out_out);
        guarded_place place_out;
        for (int number = 0; number < huge_count; number++) {
            const size_t size = huge_sizes[number];
            FAILS(PINVIEW_ERROR_INVALID_ARGUMENT, pinview_result_upsert_outcomes(good.result, 0, size, guarded(&place_out), ERROR)); EXPECT(has_said("must be between"));
            EXPECT(is_untouched(&place_out));
        }
    }
    tear_down();
}

static void misuse_of_pinview_result_count(void) {
    set_up();
    {
        for (int number = 0; number < bad_count; number++) {
            void *bad = bad_handle(number, good.object);
            EXPECT(pinview_result_count(bad) == 0);
        }
        EXPECT(pinview_result_count(NULL) == 0);
    }
    tear_down();
}

static void misuse_of_pinview_result_object(void) {
    set_up();
    {
        pinview_object * out_out; memset(&out_out, 0, sizeof out_out);
        for (int number = 0; number < bad_count; number++) {
            void *bad = bad_handle(number, good.object);
            FAILS(PINVIEW_ERROR_INVALID_HANDLE, pinview_result_object(bad, 0, &out_out, NULL));
        }
        FAILS(PINVIEW_ERROR_INVALID_HANDLE, pinview_result_object(NULL, 0, &out_out, NULL));
    }
    {
        FAILS(PINVIEW_ERROR_INVALID_ARGUMENT, pinview_result_object(good.result, 0, NULL, NULL));
    }
    tear_down();
}

static void misuse_of_pinview_result_objects(void) {
    set_up();
    {
        pinview_object * out_out; memset(&out_out, 0, sizeof out_out);
        for (int number = 0; number < bad_count; number++) {
            void *bad = bad_handle(number, good.object);
            FAILS(PINVIEW_ERROR_INVALID_HANDLE, pinview_result_objects(bad, 0, 0, &out_out, NULL));
        }
        FAILS(PINVIEW_ERROR_INVALID_HANDLE, pinview_result_objects(NULL, 0, 0, &out_out, NULL));
    }
    {
        pinview_object * out_out; memset(&out_out, 0, sizeof out_out);
        guarded_place place_out;
        for (int number = 0; number < huge_count; number++) {
            const size_t size = huge_sizes[number];
            FAILS(PINVIEW_ERROR_INVALID_ARGUMENT, pinview_result_objects(good.result, 0, size, guarded(&place_out), ERROR)); EXPECT(has_said("must be between"));
            EXPECT(is_untouched(&place_out));
        }
    }
    {
        pinview_object * out_out; memset(&out_out, 0, sizeof out_out);
        guarded_place place_out;
        for (int number = 0; number < huge_count; number++) {
            const size_t size = huge_sizes[number];
            FAILS(PINVIEW_ERROR_INVALID_ARGUMENT, pinview_result_objects(good.result, 0, size, guarded(&place_out), ERROR)); EXPECT(has_said("must be between"));
            EXPECT(is_untouched(&place_out));
        }
    }
    tear_down();
}

static void misuse_of_pinview_result_values(void) {
    set_up();
    {
        pinview_value out_out; memset(&out_out, 0, sizeof out_out);
        for (int number = 0; number < bad_count; number++) {
            void *bad = bad_handle(number, good.object);
            FAILS(PINVIEW_ERROR_INVALID_HANDLE, pinview_result_values(bad, 0, 0, NULL, 0, good.buffer, &out_out, NULL));
        }
        FAILS(PINVIEW_ERROR_INVALID_HANDLE, pinview_result_values(NULL, 0, 0, NULL, 0, good.buffer, &out_out, NULL));
    }
    {
        pinview_value out_out; memset(&out_out, 0, sizeof out_out);
        for (int number = 0; number < bad_count; number++) {
            void *bad = bad_handle(number, good.object);
            FAILS(PINVIEW_ERROR_INVALID_HANDLE, pinview_result_values(good.result, 0, 0, NULL, 0, bad, &out_out, NULL));
        }
        FAILS(PINVIEW_ERROR_INVALID_HANDLE, pinview_result_values(good.result, 0, 0, NULL, 0, NULL, &out_out, NULL));
    }
    {
        pinview_value out_out; memset(&out_out, 0, sizeof out_out);
        guarded_place place_out;
        for (int number = 0; number < huge_count; number++) {
            const size_t size = huge_sizes[number];
            FAILS(PINVIEW_ERROR_INVALID_ARGUMENT, pinview_result_values(good.result, 0, size, (const int32_t*)(NULL), 0, good.buffer, guarded(&place_out), ERROR)); EXPECT(has_said("must be between"));
            EXPECT(is_untouched(&place_out));
        }
    }
    {
        pinview_value out_out; memset(&out_out, 0, sizeof out_out);
        guarded_place place_out;
        for (int number = 0; number < huge_count; number++) {
            const size_t size = huge_sizes[number];
            FAILS(PINVIEW_ERROR_INVALID_ARGUMENT, pinview_result_values(good.result, 0, size, (const int32_t*)(short_array), 0, good.buffer, guarded(&place_out), ERROR)); EXPECT(has_said("must be between"));
            EXPECT(is_untouched(&place_out));
        }
    }
    {
        pinview_value out_out; memset(&out_out, 0, sizeof out_out);
        guarded_place place_out;
        for (int number = 0; number < huge_count; number++) {
            const size_t size = huge_sizes[number];
            FAILS(PINVIEW_ERROR_INVALID_ARGUMENT, pinview_result_values(good.result, 0, 0, (const int32_t*)(NULL), size, good.buffer, guarded(&place_out), ERROR)); EXPECT(has_said("must be between"));
            EXPECT(is_untouched(&place_out));
        }
    }
    {
        pinview_value out_out; memset(&out_out, 0, sizeof out_out);
        guarded_place place_out;
        for (int number = 0; number < huge_count; number++) {
            const size_t size = huge_sizes[number];
            FAILS(PINVIEW_ERROR_INVALID_ARGUMENT, pinview_result_values(good.result, 0, 0, (const int32_t*)(short_array), size, good.buffer, guarded(&place_out), ERROR)); EXPECT(has_said("must be between"));
            EXPECT(is_untouched(&place_out));
        }
    }
    tear_down();
}

static void misuse_of_pinview_result_load(void) {
    set_up();
    {
        for (int number = 0; number < bad_count; number++) {
            void *bad = bad_handle(number, good.object);
            FAILS(PINVIEW_ERROR_INVALID_HANDLE, pinview_result_load(bad, 0, 0, NULL));
        }
        FAILS(PINVIEW_ERROR_INVALID_HANDLE, pinview_result_load(NULL, 0, 0, NULL));
    }
    {
        for (int number = 0; number < huge_count; number++) {
            const size_t size = huge_sizes[number];
            FAILS(PINVIEW_ERROR_INVALID_ARGUMENT, pinview_result_load(good.result, 0, size, ERROR)); EXPECT(has_said("must be between"));
        }
    }
    {
        for (int number = 0; number < huge_count; number++) {
            const size_t size = huge_sizes[number];
            FAILS(PINVIEW_ERROR_INVALID_ARGUMENT, pinview_result_load(good.result, 0, size, ERROR)); EXPECT(has_said("must be between"));
        }
    }
    tear_down();
}

static void misuse_of_pinview_result_object_id(void) {
    set_up();
    {
        pinview_object_id * out_out; memset(&out_out, 0, sizeof out_out);
        for (int number = 0; number < bad_count; number++) {
            void *bad = bad_handle(number, good.object);
            FAILS(PINVIEW_ERROR_INVALID_HANDLE, pinview_result_object_id(bad, 0, &out_out, NULL));
        }
        FAILS(PINVIEW_ERROR_INVALID_HANDLE, pinview_result_object_id(NULL, 0, &out_out, NULL));
    }
    {
        FAILS(PINVIEW_ERROR_INVALID_ARGUMENT, pinview_result_object_id(good.result, 0, NULL, NULL));
    }
    tear_down();
}

static void misuse_of_pinview_result_object_ids(void) {
    set_up();
    {
        pinview_object_id * out_out; memset(&out_out, 0, sizeof out_out);
        for (int number = 0; number < bad_count; number++) {
            void *bad = bad_handle(number, good.object);
            FAILS(PINVIEW_ERROR_INVALID_HANDLE, pinview_result_object_ids(bad, 0, 0, &out_out, NULL));
        }
        FAILS(PINVIEW_ERROR_INVALID_HANDLE, pinview_result_object_ids(NULL, 0, 0, &out_out, NULL));
    }
    {
        pinview_object_id * out_out; memset(&out_out, 0, sizeof out_out);
        guarded_place place_out;
        for (int number = 0; number < huge_count; number++) {
            const size_t size = huge_sizes[number];
            FAILS(PINVIEW_ERROR_INVALID_ARGUMENT, pinview_result_object_ids(good.result, 0, size, guarded(&place_out), ERROR)); EXPECT(has_said("must be between"));
            EXPECT(is_untouched(&place_out));
        }
    }
    {
        pinview_object_id * out_out; memset(&out_out, 0, sizeof out_out);
        guarded_place place_out;
        for (int number = 0; number < huge_count; number++) {
            const size_t size = huge_sizes[number];
            FAILS(PINVIEW_ERROR_INVALID_ARGUMENT, pinview_result_object_ids(good.result, 0, size, guarded(&place_out), ERROR)); EXPECT(has_said("must be between"));
            EXPECT(is_untouched(&place_out));
        }
    }
    tear_down();
}

static void misuse_of_pinview_result_column_count(void) {
    set_up();
    {
        for (int number = 0; number < bad_count; number++) {
            void *bad = bad_handle(number, good.object);
            EXPECT(pinview_result_column_count(bad) == 0);
        }
        EXPECT(pinview_result_column_count(NULL) == 0);
    }
    tear_down();
}

static void misuse_of_pinview_result_column_name(void) {
    set_up();
    {
        for (int number = 0; number < bad_count; number++) {
            void *bad = bad_handle(number, good.object);
            EXPECT_TEXT(pinview_result_column_name(bad, 0), NULL);
        }
        EXPECT_TEXT(pinview_result_column_name(NULL, 0), NULL);
    }
    tear_down();
}

static void misuse_of_pinview_context_explain(void) {
    set_up();
    {
        pinview_fetch_request in_request; memset(&in_request, 0, sizeof in_request);
        in_request.struct_size = sizeof in_request;
        pinview_fetch_request_init(&in_request, sizeof in_request, TEXT("Person"), NULL);
        pinview_result * out_out; memset(&out_out, 0, sizeof out_out);
        for (int number = 0; number < bad_count; number++) {
            void *bad = bad_handle(number, good.object);
            FAILS(PINVIEW_ERROR_INVALID_HANDLE, pinview_context_explain(bad, &in_request, &out_out, NULL));
        }
        FAILS(PINVIEW_ERROR_INVALID_HANDLE, pinview_context_explain(NULL, &in_request, &out_out, NULL));
    }
    {
        pinview_fetch_request in_request; memset(&in_request, 0, sizeof in_request);
        in_request.struct_size = sizeof in_request;
        pinview_fetch_request_init(&in_request, sizeof in_request, TEXT("Person"), NULL);
        FAILS(PINVIEW_ERROR_INVALID_ARGUMENT, pinview_context_explain(good.context, &in_request, NULL, NULL));
    }
    {
        pinview_fetch_request in_request; memset(&in_request, 0, sizeof in_request);
        in_request.struct_size = sizeof in_request;
        pinview_fetch_request_init(&in_request, sizeof in_request, TEXT("Person"), NULL);
        pinview_result * out_out; memset(&out_out, 0, sizeof out_out);
        union { pinview_fetch_request known; unsigned char bytes[sizeof(pinview_fetch_request) + extra_bytes]; } larger;
        memset(&larger, 0, sizeof larger);
        larger.known = in_request;
        for (size_t place = 0; place < extra_bytes; place += extra_bytes - 1) {
            larger.known.struct_size = sizeof larger;
            larger.bytes[sizeof(pinview_fetch_request) + place] = 1;
            EXPECT_REFUSAL(pinview_context_explain(good.context, &larger.known, &out_out, ERROR), "beyond the");
            larger.bytes[sizeof(pinview_fetch_request) + place] = 0;
        }
        for (int number = 0; number < 3; number++) {
            const uint32_t sizes[] = {0, 4, UINT32_MAX};
            larger.known.struct_size = sizes[number];
            EXPECT_REFUSAL(pinview_context_explain(good.context, &larger.known, &out_out, ERROR), "struct_size");
        }
        larger.known.struct_size = sizeof larger;
        (void)pinview_context_explain(good.context, &larger.known, &out_out, ERROR);
        EXPECT(!has_said("beyond the") && !has_said("struct_size"));
        if (out_out != NULL) (void)pinview_result_release(out_out);
    }
    {
        pinview_fetch_request in_request; memset(&in_request, 0, sizeof in_request);
        in_request.struct_size = sizeof in_request;
        pinview_fetch_request_init(&in_request, sizeof in_request, TEXT("Person"), NULL);
        pinview_result * out_out; memset(&out_out, 0, sizeof out_out);
        for (int bit = 0; bit < 32; bit++) {
            const uint32_t flag = UINT32_C(1) << bit;
            if ((UINT32_C(63) & flag) != 0) continue;
            pinview_fetch_request usual = in_request;
            in_request.flags |= flag;
            FAILS(PINVIEW_ERROR_INVALID_ARGUMENT, pinview_context_explain(good.context, &in_request, &out_out, ERROR));
            EXPECT(has_said("the flag ") || has_said("reserved"));
            in_request = usual;
        }
    }
    {
        pinview_fetch_request in_request; memset(&in_request, 0, sizeof in_request);
        in_request.struct_size = sizeof in_request;
        pinview_fetch_request_init(&in_request, sizeof in_request, TEXT("Person"), NULL);
        pinview_result * out_out; memset(&out_out, 0, sizeof out_out);
        for (int bit = 0; bit < 32; bit++) {
            const uint32_t flag = UINT32_C(1) << bit;
            if ((UINT32_C(0) & flag) != 0) continue;
            pinview_fetch_request usual = in_request;
            in_request.reserved |= (int32_t)flag;
            FAILS(PINVIEW_ERROR_INVALID_ARGUMENT, pinview_context_explain(good.context, &in_request, &out_out, ERROR));
            EXPECT(has_said("the flag ") || has_said("reserved"));
            in_request = usual;
        }
    }
    {
        pinview_fetch_request in_request; memset(&in_request, 0, sizeof in_request);
        in_request.struct_size = sizeof in_request;
        pinview_fetch_request_init(&in_request, sizeof in_request, TEXT("Person"), NULL);
        pinview_result * out_out; memset(&out_out, 0, sizeof out_out);
        pinview_fetch_request usual = in_request;
        for (int number = 0; number < huge_count; number++) {
            in_request.sort_descriptor_count = huge_sizes[number];
            memcpy(&in_request.sort_descriptors, &(const void *){NULL}, sizeof in_request.sort_descriptors);
            FAILS(PINVIEW_ERROR_INVALID_ARGUMENT, pinview_context_explain(good.context, &in_request, &out_out, ERROR)); EXPECT(has_said("must be between"));
            in_request = usual;
        }
    }
    {
        pinview_fetch_request in_request; memset(&in_request, 0, sizeof in_request);
        in_request.struct_size = sizeof in_request;
        pinview_fetch_request_init(&in_request, sizeof in_request, TEXT("Person"), NULL);
        pinview_result * out_out; memset(&out_out, 0, sizeof out_out);
        pinview_fetch_request usual = in_request;
        for (int number = 0; number < huge_count; number++) {
            in_request.sort_descriptor_count = huge_sizes[number];
            memcpy(&in_request.sort_descriptors, &(const void *){short_array}, sizeof in_request.sort_descriptors);
            FAILS(PINVIEW_ERROR_INVALID_ARGUMENT, pinview_context_explain(good.context, &in_request, &out_out, ERROR)); EXPECT(has_said("must be between"));
            in_request = usual;
        }
    }
    {
        pinview_fetch_request in_request; memset(&in_request, 0, sizeof in_request);
        in_request.struct_size = sizeof in_request;
        pinview_fetch_request_init(&in_request, sizeof in_request, TEXT("Person"), NULL);
        pinview_result * out_out; memset(&out_out, 0, sizeof out_out);
        pinview_fetch_request usual = in_request;
        for (int number = 0; number < huge_count; number++) {
            in_request.store_count = huge_sizes[number];
            memcpy(&in_request.stores, &(const void *){NULL}, sizeof in_request.stores);
            FAILS(PINVIEW_ERROR_INVALID_ARGUMENT, pinview_context_explain(good.context, &in_request, &out_out, ERROR)); EXPECT(has_said("must be between"));
            in_request = usual;
        }
    }
    {
        pinview_fetch_request in_request; memset(&in_request, 0, sizeof in_request);
        in_request.struct_size = sizeof in_request;
        pinview_fetch_request_init(&in_request, sizeof in_request, TEXT("Person"), NULL);
        pinview_result * out_out; memset(&out_out, 0, sizeof out_out);
        pinview_fetch_request usual = in_request;
        for (int number = 0; number < huge_count; number++) {
            in_request.store_count = huge_sizes[number];
            memcpy(&in_request.stores, &(const void *){short_array}, sizeof in_request.stores);
            FAILS(PINVIEW_ERROR_INVALID_ARGUMENT, pinview_context_explain(good.context, &in_request, &out_out, ERROR)); EXPECT(has_said("must be between"));
            in_request = usual;
        }
    }
    {
        pinview_fetch_request in_request; memset(&in_request, 0, sizeof in_request);
        in_request.struct_size = sizeof in_request;
        pinview_fetch_request_init(&in_request, sizeof in_request, TEXT("Person"), NULL);
        pinview_result * out_out; memset(&out_out, 0, sizeof out_out);
        pinview_fetch_request usual = in_request;
        for (int number = 0; number < huge_count; number++) {
            in_request.prefetched_key_path_count = huge_sizes[number];
            memcpy(&in_request.prefetched_key_paths, &(const void *){NULL}, sizeof in_request.prefetched_key_paths);
            FAILS(PINVIEW_ERROR_INVALID_ARGUMENT, pinview_context_explain(good.context, &in_request, &out_out, ERROR)); EXPECT(has_said("must be between"));
            in_request = usual;
        }
    }
    {
        pinview_fetch_request in_request; memset(&in_request, 0, sizeof in_request);
        in_request.struct_size = sizeof in_request;
        pinview_fetch_request_init(&in_request, sizeof in_request, TEXT("Person"), NULL);
        pinview_result * out_out; memset(&out_out, 0, sizeof out_out);
        pinview_fetch_request usual = in_request;
        for (int number = 0; number < huge_count; number++) {
            in_request.prefetched_key_path_count = huge_sizes[number];
            memcpy(&in_request.prefetched_key_paths, &(const void *){short_array}, sizeof in_request.prefetched_key_paths);
            FAILS(PINVIEW_ERROR_INVALID_ARGUMENT, pinview_context_explain(good.context, &in_request, &out_out, ERROR)); EXPECT(has_said("must be between"));
            in_request = usual;
        }
    }
    {
        pinview_fetch_request in_request; memset(&in_request, 0, sizeof in_request);
        in_request.struct_size = sizeof in_request;
        pinview_fetch_request_init(&in_request, sizeof in_request, TEXT("Person"), NULL);
        pinview_result * out_out; memset(&out_out, 0, sizeof out_out);
        pinview_fetch_request usual = in_request;
        for (int number = 0; number < huge_count; number++) {
            in_request.property_count = huge_sizes[number];
            memcpy(&in_request.properties, &(const void *){NULL}, sizeof in_request.properties);
            FAILS(PINVIEW_ERROR_INVALID_ARGUMENT, pinview_context_explain(good.context, &in_request, &out_out, ERROR)); EXPECT(has_said("must be between"));
            in_request = usual;
        }
    }
    {
        pinview_fetch_request in_request; memset(&in_request, 0, sizeof in_request);
        in_request.struct_size = sizeof in_request;
        pinview_fetch_request_init(&in_request, sizeof in_request, TEXT("Person"), NULL);
        pinview_result * out_out; memset(&out_out, 0, sizeof out_out);
        pinview_fetch_request usual = in_request;
        for (int number = 0; number < huge_count; number++) {
            in_request.property_count = huge_sizes[number];
            memcpy(&in_request.properties, &(const void *){short_array}, sizeof in_request.properties);
            FAILS(PINVIEW_ERROR_INVALID_ARGUMENT, pinview_context_explain(good.context, &in_request, &out_out, ERROR)); EXPECT(has_said("must be between"));
            in_request = usual;
        }
    }
    {
        pinview_fetch_request in_request; memset(&in_request, 0, sizeof in_request);
        in_request.struct_size = sizeof in_request;
        pinview_fetch_request_init(&in_request, sizeof in_request, TEXT("Person"), NULL);
        pinview_result * out_out; memset(&out_out, 0, sizeof out_out);
        pinview_fetch_request usual = in_request;
        for (int number = 0; number < huge_count; number++) {
            in_request.group_by_count = huge_sizes[number];
            memcpy(&in_request.group_by, &(const void *){NULL}, sizeof in_request.group_by);
            FAILS(PINVIEW_ERROR_INVALID_ARGUMENT, pinview_context_explain(good.context, &in_request, &out_out, ERROR)); EXPECT(has_said("must be between"));
            in_request = usual;
        }
    }
    {
        pinview_fetch_request in_request; memset(&in_request, 0, sizeof in_request);
        in_request.struct_size = sizeof in_request;
        pinview_fetch_request_init(&in_request, sizeof in_request, TEXT("Person"), NULL);
        pinview_result * out_out; memset(&out_out, 0, sizeof out_out);
        pinview_fetch_request usual = in_request;
        for (int number = 0; number < huge_count; number++) {
            in_request.group_by_count = huge_sizes[number];
            memcpy(&in_request.group_by, &(const void *){short_array}, sizeof in_request.group_by);
            FAILS(PINVIEW_ERROR_INVALID_ARGUMENT, pinview_context_explain(good.context, &in_request, &out_out, ERROR)); EXPECT(has_said("must be between"));
            in_request = usual;
        }
    }
    tear_down();
}

static void misuse_of_pinview_predicate_create(void) {
    set_up();
    {
        pinview_value in_arguments; memset(&in_arguments, 0, sizeof in_arguments);
        pinview_predicate * out_out; memset(&out_out, 0, sizeof out_out);
        FAILS(PINVIEW_ERROR_INVALID_UTF8, pinview_predicate_create(TEXT("a\xff"), &in_arguments, 0, &out_out, NULL));
    }
    {
        pinview_value in_arguments; memset(&in_arguments, 0, sizeof in_arguments);
        pinview_predicate * out_out; memset(&out_out, 0, sizeof out_out);
        for (int number = 0; number < huge_count; number++) {
            FAILS(PINVIEW_ERROR_INVALID_ARGUMENT, pinview_predicate_create(huge_text(huge_sizes[number]), &in_arguments, 0, &out_out, ERROR)); EXPECT(has_said("must be between"));
        }
    }
    {
        pinview_value in_arguments; memset(&in_arguments, 0, sizeof in_arguments);
        pinview_predicate * out_out; memset(&out_out, 0, sizeof out_out);
        guarded_place place_out;
        for (int number = 0; number < huge_count; number++) {
            const size_t size = huge_sizes[number];
            FAILS(PINVIEW_ERROR_INVALID_ARGUMENT, pinview_predicate_create(TEXT("name"), &in_arguments, size, guarded(&place_out), ERROR)); EXPECT(has_said("must be between"));
            EXPECT(is_untouched(&place_out));
        }
    }
    {
        pinview_value in_arguments; memset(&in_arguments, 0, sizeof in_arguments);
        pinview_predicate * out_out; memset(&out_out, 0, sizeof out_out);
        guarded_place place_out;
        for (int number = 0; number < huge_count; number++) {
            const size_t size = huge_sizes[number];
            FAILS(PINVIEW_ERROR_INVALID_ARGUMENT, pinview_predicate_create(TEXT("name"), &in_arguments, size, guarded(&place_out), ERROR)); EXPECT(has_said("must be between"));
            EXPECT(is_untouched(&place_out));
        }
    }
    tear_down();
}

static void misuse_of_pinview_predicate_is_equal(void) {
    set_up();
    {
        for (int number = 0; number < bad_count; number++) {
            void *bad = bad_handle(number, good.object);
            EXPECT(pinview_predicate_is_equal(bad, good.predicate) == 0);
        }
        EXPECT(pinview_predicate_is_equal(NULL, good.predicate) == 0);
    }
    {
        for (int number = 0; number < bad_count; number++) {
            void *bad = bad_handle(number, good.object);
            EXPECT(pinview_predicate_is_equal(good.predicate, bad) == 0);
        }
        EXPECT(pinview_predicate_is_equal(good.predicate, NULL) == 0);
    }
    tear_down();
}

static void misuse_of_pinview_predicate_substitute(void) {
    set_up();
    {
        pinview_predicate * out_out; memset(&out_out, 0, sizeof out_out);
        for (int number = 0; number < bad_count; number++) {
            void *bad = bad_handle(number, good.object);
            FAILS(PINVIEW_ERROR_INVALID_HANDLE, pinview_predicate_substitute(bad, NULL, 0, &out_out, NULL));
        }
        FAILS(PINVIEW_ERROR_INVALID_HANDLE, pinview_predicate_substitute(NULL, NULL, 0, &out_out, NULL));
    }
    {
        pinview_predicate * out_out; memset(&out_out, 0, sizeof out_out);
        guarded_place place_out;
        for (int number = 0; number < huge_count; number++) {
            const size_t size = huge_sizes[number];
            FAILS(PINVIEW_ERROR_INVALID_ARGUMENT, pinview_predicate_substitute(good.predicate, (const pinview_named_value*)(NULL), size, guarded(&place_out), ERROR)); EXPECT(has_said("must be between"));
            EXPECT(is_untouched(&place_out));
        }
    }
    {
        pinview_predicate * out_out; memset(&out_out, 0, sizeof out_out);
        guarded_place place_out;
        for (int number = 0; number < huge_count; number++) {
            const size_t size = huge_sizes[number];
            FAILS(PINVIEW_ERROR_INVALID_ARGUMENT, pinview_predicate_substitute(good.predicate, (const pinview_named_value*)(short_array), size, guarded(&place_out), ERROR)); EXPECT(has_said("must be between"));
            EXPECT(is_untouched(&place_out));
        }
    }
    tear_down();
}

static void misuse_of_pinview_predicate_description(void) {
    set_up();
    {
        for (int number = 0; number < bad_count; number++) {
            void *bad = bad_handle(number, good.object);
            EXPECT_TEXT(pinview_predicate_description(bad), NULL);
        }
        EXPECT_TEXT(pinview_predicate_description(NULL), NULL);
    }
    tear_down();
}

static void misuse_of_pinview_predicate_evaluate(void) {
    set_up();
    {
        int32_t out_out; memset(&out_out, 0, sizeof out_out);
        for (int number = 0; number < bad_count; number++) {
            void *bad = bad_handle(number, good.object);
            FAILS(PINVIEW_ERROR_INVALID_HANDLE, pinview_predicate_evaluate(bad, good.object, &out_out, NULL));
        }
        FAILS(PINVIEW_ERROR_INVALID_HANDLE, pinview_predicate_evaluate(NULL, good.object, &out_out, NULL));
    }
    {
        int32_t out_out; memset(&out_out, 0, sizeof out_out);
        for (int number = 0; number < bad_count; number++) {
            void *bad = bad_handle(number, good.store);
            FAILS(PINVIEW_ERROR_INVALID_HANDLE, pinview_predicate_evaluate(good.predicate, bad, &out_out, NULL));
        }
        FAILS(PINVIEW_ERROR_INVALID_HANDLE, pinview_predicate_evaluate(good.predicate, NULL, &out_out, NULL));
    }
    {
        FAILS(PINVIEW_ERROR_INVALID_ARGUMENT, pinview_predicate_evaluate(good.predicate, good.object, NULL, NULL));
    }
    tear_down();
}

static void misuse_of_pinview_predicate_create_comparison(void) {
    set_up();
    {
        pinview_predicate * out_out; memset(&out_out, 0, sizeof out_out);
        for (int number = 0; number < bad_count; number++) {
            void *bad = bad_handle(number, good.object);
            FAILS(PINVIEW_ERROR_INVALID_HANDLE, pinview_predicate_create_comparison(bad, 0, good.expression, 0, 0, &out_out, NULL));
        }
        FAILS(PINVIEW_ERROR_INVALID_HANDLE, pinview_predicate_create_comparison(NULL, 0, good.expression, 0, 0, &out_out, NULL));
    }
    {
        pinview_predicate * out_out; memset(&out_out, 0, sizeof out_out);
        for (int number = 0; number < bad_count; number++) {
            void *bad = bad_handle(number, good.object);
            FAILS(PINVIEW_ERROR_INVALID_HANDLE, pinview_predicate_create_comparison(good.expression, 0, bad, 0, 0, &out_out, NULL));
        }
        FAILS(PINVIEW_ERROR_INVALID_HANDLE, pinview_predicate_create_comparison(good.expression, 0, NULL, 0, 0, &out_out, NULL));
    }
    {
        FAILS(PINVIEW_ERROR_INVALID_ARGUMENT, pinview_predicate_create_comparison(good.expression, 0, good.expression, 0, 0, NULL, NULL));
    }
    {
        pinview_predicate * out_out; memset(&out_out, 0, sizeof out_out);
        for (int bit = 0; bit < 32; bit++) {
            const uint32_t flag = UINT32_C(1) << bit;
            if ((UINT32_C(15) & flag) != 0) continue;
            FAILS(PINVIEW_ERROR_INVALID_ARGUMENT, pinview_predicate_create_comparison(good.expression, 0, good.expression, 0, flag, &out_out, ERROR));
            EXPECT(has_said("the flag ") || has_said("reserved"));
        }
    }
    tear_down();
}

static void misuse_of_pinview_predicate_create_compound(void) {
    set_up();
    {
        pinview_predicate * out_out; memset(&out_out, 0, sizeof out_out);
        guarded_place place_out;
        for (int number = 0; number < huge_count; number++) {
            const size_t size = huge_sizes[number];
            FAILS(PINVIEW_ERROR_INVALID_ARGUMENT, pinview_predicate_create_compound(0, (const pinview_predicate *const *)(NULL), size, guarded(&place_out), ERROR)); EXPECT(has_said("must be between"));
            EXPECT(is_untouched(&place_out));
        }
    }
    {
        pinview_predicate * out_out; memset(&out_out, 0, sizeof out_out);
        guarded_place place_out;
        for (int number = 0; number < huge_count; number++) {
            const size_t size = huge_sizes[number];
            FAILS(PINVIEW_ERROR_INVALID_ARGUMENT, pinview_predicate_create_compound(0, (const pinview_predicate *const *)(short_array), size, guarded(&place_out), ERROR)); EXPECT(has_said("must be between"));
            EXPECT(is_untouched(&place_out));
        }
    }
    tear_down();
}

static void misuse_of_pinview_predicate_create_constant(void) {
    set_up();
    {
        FAILS(PINVIEW_ERROR_INVALID_ARGUMENT, pinview_predicate_create_constant(0, NULL, NULL));
    }
    tear_down();
}

static void misuse_of_pinview_expression_create(void) {
    set_up();
    {
        pinview_value in_arguments; memset(&in_arguments, 0, sizeof in_arguments);
        pinview_expression * out_out; memset(&out_out, 0, sizeof out_out);
        FAILS(PINVIEW_ERROR_INVALID_UTF8, pinview_expression_create(TEXT("a\xff"), &in_arguments, 0, &out_out, NULL));
    }
    {
        pinview_value in_arguments; memset(&in_arguments, 0, sizeof in_arguments);
        pinview_expression * out_out; memset(&out_out, 0, sizeof out_out);
        for (int number = 0; number < huge_count; number++) {
            FAILS(PINVIEW_ERROR_INVALID_ARGUMENT, pinview_expression_create(huge_text(huge_sizes[number]), &in_arguments, 0, &out_out, ERROR)); EXPECT(has_said("must be between"));
        }
    }
    {
        pinview_value in_arguments; memset(&in_arguments, 0, sizeof in_arguments);
        pinview_expression * out_out; memset(&out_out, 0, sizeof out_out);
        guarded_place place_out;
        for (int number = 0; number < huge_count; number++) {
            const size_t size = huge_sizes[number];
            FAILS(PINVIEW_ERROR_INVALID_ARGUMENT, pinview_expression_create(TEXT("name"), &in_arguments, size, guarded(&place_out), ERROR)); EXPECT(has_said("must be between"));
            EXPECT(is_untouched(&place_out));
        }
    }
    {
        pinview_value in_arguments; memset(&in_arguments, 0, sizeof in_arguments);
        pinview_expression * out_out; memset(&out_out, 0, sizeof out_out);
        guarded_place place_out;
        for (int number = 0; number < huge_count; number++) {
            const size_t size = huge_sizes[number];
            FAILS(PINVIEW_ERROR_INVALID_ARGUMENT, pinview_expression_create(TEXT("name"), &in_arguments, size, guarded(&place_out), ERROR)); EXPECT(has_said("must be between"));
            EXPECT(is_untouched(&place_out));
        }
    }
    tear_down();
}

static void misuse_of_pinview_expression_create_constant(void) {
    set_up();
    {
        pinview_value in_value; memset(&in_value, 0, sizeof in_value);
        FAILS(PINVIEW_ERROR_INVALID_ARGUMENT, pinview_expression_create_constant(&in_value, NULL, NULL));
    }
    {
        pinview_expression * out_out; memset(&out_out, 0, sizeof out_out);
        for (int number = 0; number < huge_count * huge_value_count; number++) {
            const pinview_value value = huge_value(number % huge_value_count, huge_sizes[number / huge_value_count]);
            if (value.type == PINVIEW_VALUE_LIST) continue; /* only predicates take lists */
            FAILS(PINVIEW_ERROR_INVALID_ARGUMENT, pinview_expression_create_constant(&value, &out_out, ERROR)); EXPECT(has_said("must be between"));
        }
    }
    tear_down();
}

static void misuse_of_pinview_expression_create_key_path(void) {
    set_up();
    {
        FAILS(PINVIEW_ERROR_INVALID_ARGUMENT, pinview_expression_create_key_path(TEXT("name"), NULL, NULL));
    }
    {
        pinview_expression * out_out; memset(&out_out, 0, sizeof out_out);
        FAILS(PINVIEW_ERROR_INVALID_UTF8, pinview_expression_create_key_path(TEXT("a\xff"), &out_out, NULL));
    }
    {
        pinview_expression * out_out; memset(&out_out, 0, sizeof out_out);
        for (int number = 0; number < huge_count; number++) {
            FAILS(PINVIEW_ERROR_INVALID_ARGUMENT, pinview_expression_create_key_path(huge_text(huge_sizes[number]), &out_out, ERROR)); EXPECT(has_said("must be between"));
        }
    }
    tear_down();
}

static void misuse_of_pinview_expression_create_variable(void) {
    set_up();
    {
        FAILS(PINVIEW_ERROR_INVALID_ARGUMENT, pinview_expression_create_variable(TEXT("name"), TEXT("name"), NULL, NULL));
    }
    {
        pinview_expression * out_out; memset(&out_out, 0, sizeof out_out);
        FAILS(PINVIEW_ERROR_INVALID_UTF8, pinview_expression_create_variable(TEXT("a\xff"), TEXT("name"), &out_out, NULL));
    }
    {
        pinview_expression * out_out; memset(&out_out, 0, sizeof out_out);
        FAILS(PINVIEW_ERROR_INVALID_UTF8, pinview_expression_create_variable(TEXT("name"), TEXT("a\xff"), &out_out, NULL));
    }
    {
        pinview_expression * out_out; memset(&out_out, 0, sizeof out_out);
        for (int number = 0; number < huge_count; number++) {
            FAILS(PINVIEW_ERROR_INVALID_ARGUMENT, pinview_expression_create_variable(huge_text(huge_sizes[number]), TEXT("name"), &out_out, ERROR)); EXPECT(has_said("must be between"));
        }
    }
    {
        pinview_expression * out_out; memset(&out_out, 0, sizeof out_out);
        for (int number = 0; number < huge_count; number++) {
            FAILS(PINVIEW_ERROR_INVALID_ARGUMENT, pinview_expression_create_variable(TEXT("name"), huge_text(huge_sizes[number]), &out_out, ERROR)); EXPECT(has_said("must be between"));
        }
    }
    tear_down();
}

static void misuse_of_pinview_expression_create_aggregate(void) {
    set_up();
    {
        pinview_expression * out_out; memset(&out_out, 0, sizeof out_out);
        guarded_place place_out;
        for (int number = 0; number < huge_count; number++) {
            const size_t size = huge_sizes[number];
            FAILS(PINVIEW_ERROR_INVALID_ARGUMENT, pinview_expression_create_aggregate((const pinview_expression *const *)(NULL), size, guarded(&place_out), ERROR)); EXPECT(has_said("must be between"));
            EXPECT(is_untouched(&place_out));
        }
    }
    {
        pinview_expression * out_out; memset(&out_out, 0, sizeof out_out);
        guarded_place place_out;
        for (int number = 0; number < huge_count; number++) {
            const size_t size = huge_sizes[number];
            FAILS(PINVIEW_ERROR_INVALID_ARGUMENT, pinview_expression_create_aggregate((const pinview_expression *const *)(short_array), size, guarded(&place_out), ERROR)); EXPECT(has_said("must be between"));
            EXPECT(is_untouched(&place_out));
        }
    }
    tear_down();
}

static void misuse_of_pinview_expression_create_function(void) {
    set_up();
    {
        pinview_expression * out_out; memset(&out_out, 0, sizeof out_out);
        FAILS(PINVIEW_ERROR_INVALID_UTF8, pinview_expression_create_function(TEXT("a\xff"), NULL, 0, &out_out, NULL));
    }
    {
        pinview_expression * out_out; memset(&out_out, 0, sizeof out_out);
        for (int number = 0; number < huge_count; number++) {
            FAILS(PINVIEW_ERROR_INVALID_ARGUMENT, pinview_expression_create_function(huge_text(huge_sizes[number]), NULL, 0, &out_out, ERROR)); EXPECT(has_said("must be between"));
        }
    }
    {
        pinview_expression * out_out; memset(&out_out, 0, sizeof out_out);
        guarded_place place_out;
        for (int number = 0; number < huge_count; number++) {
            const size_t size = huge_sizes[number];
            FAILS(PINVIEW_ERROR_INVALID_ARGUMENT, pinview_expression_create_function(TEXT("name"), (const pinview_expression *const *)(NULL), size, guarded(&place_out), ERROR)); EXPECT(has_said("must be between"));
            EXPECT(is_untouched(&place_out));
        }
    }
    {
        pinview_expression * out_out; memset(&out_out, 0, sizeof out_out);
        guarded_place place_out;
        for (int number = 0; number < huge_count; number++) {
            const size_t size = huge_sizes[number];
            FAILS(PINVIEW_ERROR_INVALID_ARGUMENT, pinview_expression_create_function(TEXT("name"), (const pinview_expression *const *)(short_array), size, guarded(&place_out), ERROR)); EXPECT(has_said("must be between"));
            EXPECT(is_untouched(&place_out));
        }
    }
    tear_down();
}

static void misuse_of_pinview_expression_create_subquery(void) {
    set_up();
    {
        pinview_expression * out_out; memset(&out_out, 0, sizeof out_out);
        for (int number = 0; number < bad_count; number++) {
            void *bad = bad_handle(number, good.object);
            FAILS(PINVIEW_ERROR_INVALID_HANDLE, pinview_expression_create_subquery(bad, TEXT("name"), good.predicate, &out_out, NULL));
        }
        FAILS(PINVIEW_ERROR_INVALID_HANDLE, pinview_expression_create_subquery(NULL, TEXT("name"), good.predicate, &out_out, NULL));
    }
    {
        pinview_expression * out_out; memset(&out_out, 0, sizeof out_out);
        for (int number = 0; number < bad_count; number++) {
            void *bad = bad_handle(number, good.object);
            FAILS(PINVIEW_ERROR_INVALID_HANDLE, pinview_expression_create_subquery(good.expression, TEXT("name"), bad, &out_out, NULL));
        }
        FAILS(PINVIEW_ERROR_INVALID_HANDLE, pinview_expression_create_subquery(good.expression, TEXT("name"), NULL, &out_out, NULL));
    }
    {
        FAILS(PINVIEW_ERROR_INVALID_ARGUMENT, pinview_expression_create_subquery(good.expression, TEXT("name"), good.predicate, NULL, NULL));
    }
    {
        pinview_expression * out_out; memset(&out_out, 0, sizeof out_out);
        FAILS(PINVIEW_ERROR_INVALID_UTF8, pinview_expression_create_subquery(good.expression, TEXT("a\xff"), good.predicate, &out_out, NULL));
    }
    {
        pinview_expression * out_out; memset(&out_out, 0, sizeof out_out);
        for (int number = 0; number < huge_count; number++) {
            FAILS(PINVIEW_ERROR_INVALID_ARGUMENT, pinview_expression_create_subquery(good.expression, huge_text(huge_sizes[number]), good.predicate, &out_out, ERROR)); EXPECT(has_said("must be between"));
        }
    }
    tear_down();
}

static void misuse_of_pinview_expression_create_conditional(void) {
    set_up();
    {
        pinview_expression * out_out; memset(&out_out, 0, sizeof out_out);
        for (int number = 0; number < bad_count; number++) {
            void *bad = bad_handle(number, good.object);
            FAILS(PINVIEW_ERROR_INVALID_HANDLE, pinview_expression_create_conditional(bad, good.expression, good.expression, &out_out, NULL));
        }
        FAILS(PINVIEW_ERROR_INVALID_HANDLE, pinview_expression_create_conditional(NULL, good.expression, good.expression, &out_out, NULL));
    }
    {
        pinview_expression * out_out; memset(&out_out, 0, sizeof out_out);
        for (int number = 0; number < bad_count; number++) {
            void *bad = bad_handle(number, good.object);
            FAILS(PINVIEW_ERROR_INVALID_HANDLE, pinview_expression_create_conditional(good.predicate, bad, good.expression, &out_out, NULL));
        }
        FAILS(PINVIEW_ERROR_INVALID_HANDLE, pinview_expression_create_conditional(good.predicate, NULL, good.expression, &out_out, NULL));
    }
    {
        pinview_expression * out_out; memset(&out_out, 0, sizeof out_out);
        for (int number = 0; number < bad_count; number++) {
            void *bad = bad_handle(number, good.object);
            FAILS(PINVIEW_ERROR_INVALID_HANDLE, pinview_expression_create_conditional(good.predicate, good.expression, bad, &out_out, NULL));
        }
        FAILS(PINVIEW_ERROR_INVALID_HANDLE, pinview_expression_create_conditional(good.predicate, good.expression, NULL, &out_out, NULL));
    }
    {
        FAILS(PINVIEW_ERROR_INVALID_ARGUMENT, pinview_expression_create_conditional(good.predicate, good.expression, good.expression, NULL, NULL));
    }
    tear_down();
}

static void misuse_of_pinview_expression_create_cast(void) {
    set_up();
    {
        pinview_expression * out_out; memset(&out_out, 0, sizeof out_out);
        for (int number = 0; number < bad_count; number++) {
            void *bad = bad_handle(number, good.object);
            FAILS(PINVIEW_ERROR_INVALID_HANDLE, pinview_expression_create_cast(bad, TEXT("name"), &out_out, NULL));
        }
        FAILS(PINVIEW_ERROR_INVALID_HANDLE, pinview_expression_create_cast(NULL, TEXT("name"), &out_out, NULL));
    }
    {
        FAILS(PINVIEW_ERROR_INVALID_ARGUMENT, pinview_expression_create_cast(good.expression, TEXT("name"), NULL, NULL));
    }
    {
        pinview_expression * out_out; memset(&out_out, 0, sizeof out_out);
        FAILS(PINVIEW_ERROR_INVALID_UTF8, pinview_expression_create_cast(good.expression, TEXT("a\xff"), &out_out, NULL));
    }
    {
        pinview_expression * out_out; memset(&out_out, 0, sizeof out_out);
        for (int number = 0; number < huge_count; number++) {
            FAILS(PINVIEW_ERROR_INVALID_ARGUMENT, pinview_expression_create_cast(good.expression, huge_text(huge_sizes[number]), &out_out, ERROR)); EXPECT(has_said("must be between"));
        }
    }
    tear_down();
}

static void misuse_of_pinview_expression_evaluate(void) {
    set_up();
    {
        pinview_value out_out; memset(&out_out, 0, sizeof out_out);
        for (int number = 0; number < bad_count; number++) {
            void *bad = bad_handle(number, good.object);
            FAILS(PINVIEW_ERROR_INVALID_HANDLE, pinview_expression_evaluate(bad, good.object, good.buffer, &out_out, NULL));
        }
        FAILS(PINVIEW_ERROR_INVALID_HANDLE, pinview_expression_evaluate(NULL, good.object, good.buffer, &out_out, NULL));
    }
    {
        pinview_value out_out; memset(&out_out, 0, sizeof out_out);
        for (int number = 0; number < bad_count; number++) {
            void *bad = bad_handle(number, good.store);
            FAILS(PINVIEW_ERROR_INVALID_HANDLE, pinview_expression_evaluate(good.expression, bad, good.buffer, &out_out, NULL));
        }
        FAILS(PINVIEW_ERROR_INVALID_HANDLE, pinview_expression_evaluate(good.expression, NULL, good.buffer, &out_out, NULL));
    }
    {
        pinview_value out_out; memset(&out_out, 0, sizeof out_out);
        for (int number = 0; number < bad_count; number++) {
            void *bad = bad_handle(number, good.object);
            FAILS(PINVIEW_ERROR_INVALID_HANDLE, pinview_expression_evaluate(good.expression, good.object, bad, &out_out, NULL));
        }
        FAILS(PINVIEW_ERROR_INVALID_HANDLE, pinview_expression_evaluate(good.expression, good.object, NULL, &out_out, NULL));
    }
    {
        FAILS(PINVIEW_ERROR_INVALID_ARGUMENT, pinview_expression_evaluate(good.expression, good.object, good.buffer, NULL, NULL));
    }
    tear_down();
}

static void misuse_of_pinview_expression_is_equal(void) {
    set_up();
    {
        for (int number = 0; number < bad_count; number++) {
            void *bad = bad_handle(number, good.object);
            EXPECT(pinview_expression_is_equal(bad, good.expression) == 0);
        }
        EXPECT(pinview_expression_is_equal(NULL, good.expression) == 0);
    }
    {
        for (int number = 0; number < bad_count; number++) {
            void *bad = bad_handle(number, good.object);
            EXPECT(pinview_expression_is_equal(good.expression, bad) == 0);
        }
        EXPECT(pinview_expression_is_equal(good.expression, NULL) == 0);
    }
    tear_down();
}

static void misuse_of_pinview_expression_description(void) {
    set_up();
    {
        for (int number = 0; number < bad_count; number++) {
            void *bad = bad_handle(number, good.object);
            EXPECT_TEXT(pinview_expression_description(bad), NULL);
        }
        EXPECT_TEXT(pinview_expression_description(NULL), NULL);
    }
    tear_down();
}

static void misuse_of_pinview_context_fetch_columns(void) {
    set_up();
    {
        pinview_fetch_request in_request; memset(&in_request, 0, sizeof in_request);
        in_request.struct_size = sizeof in_request;
        pinview_fetch_request_init(&in_request, sizeof in_request, TEXT("Person"), NULL);
        struct ArrowArrayStream out_out; memset(&out_out, 0, sizeof out_out);
        for (int number = 0; number < bad_count; number++) {
            void *bad = bad_handle(number, good.object);
            FAILS(PINVIEW_ERROR_INVALID_HANDLE, pinview_context_fetch_columns(bad, &in_request, 0, &out_out, NULL));
        }
        FAILS(PINVIEW_ERROR_INVALID_HANDLE, pinview_context_fetch_columns(NULL, &in_request, 0, &out_out, NULL));
    }
    {
        pinview_fetch_request in_request; memset(&in_request, 0, sizeof in_request);
        in_request.struct_size = sizeof in_request;
        pinview_fetch_request_init(&in_request, sizeof in_request, TEXT("Person"), NULL);
        FAILS(PINVIEW_ERROR_INVALID_ARGUMENT, pinview_context_fetch_columns(good.context, &in_request, 0, NULL, NULL));
    }
    {
        pinview_fetch_request in_request; memset(&in_request, 0, sizeof in_request);
        in_request.struct_size = sizeof in_request;
        pinview_fetch_request_init(&in_request, sizeof in_request, TEXT("Person"), NULL);
        struct ArrowArrayStream out_out; memset(&out_out, 0, sizeof out_out);
        union { pinview_fetch_request known; unsigned char bytes[sizeof(pinview_fetch_request) + extra_bytes]; } larger;
        memset(&larger, 0, sizeof larger);
        larger.known = in_request;
        for (size_t place = 0; place < extra_bytes; place += extra_bytes - 1) {
            larger.known.struct_size = sizeof larger;
            larger.bytes[sizeof(pinview_fetch_request) + place] = 1;
            EXPECT_REFUSAL(pinview_context_fetch_columns(good.context, &larger.known, 0, &out_out, ERROR), "beyond the");
            larger.bytes[sizeof(pinview_fetch_request) + place] = 0;
        }
        for (int number = 0; number < 3; number++) {
            const uint32_t sizes[] = {0, 4, UINT32_MAX};
            larger.known.struct_size = sizes[number];
            EXPECT_REFUSAL(pinview_context_fetch_columns(good.context, &larger.known, 0, &out_out, ERROR), "struct_size");
        }
        larger.known.struct_size = sizeof larger;
        (void)pinview_context_fetch_columns(good.context, &larger.known, 0, &out_out, ERROR);
        EXPECT(!has_said("beyond the") && !has_said("struct_size"));
        if (out_out.release != NULL) out_out.release(&out_out);
    }
    {
        pinview_fetch_request in_request; memset(&in_request, 0, sizeof in_request);
        in_request.struct_size = sizeof in_request;
        pinview_fetch_request_init(&in_request, sizeof in_request, TEXT("Person"), NULL);
        struct ArrowArrayStream out_out; memset(&out_out, 0, sizeof out_out);
        for (int bit = 0; bit < 32; bit++) {
            const uint32_t flag = UINT32_C(1) << bit;
            if ((UINT32_C(63) & flag) != 0) continue;
            pinview_fetch_request usual = in_request;
            in_request.flags |= flag;
            FAILS(PINVIEW_ERROR_INVALID_ARGUMENT, pinview_context_fetch_columns(good.context, &in_request, 0, &out_out, ERROR));
            EXPECT(has_said("the flag ") || has_said("reserved"));
            in_request = usual;
        }
    }
    {
        pinview_fetch_request in_request; memset(&in_request, 0, sizeof in_request);
        in_request.struct_size = sizeof in_request;
        pinview_fetch_request_init(&in_request, sizeof in_request, TEXT("Person"), NULL);
        struct ArrowArrayStream out_out; memset(&out_out, 0, sizeof out_out);
        for (int bit = 0; bit < 32; bit++) {
            const uint32_t flag = UINT32_C(1) << bit;
            if ((UINT32_C(0) & flag) != 0) continue;
            pinview_fetch_request usual = in_request;
            in_request.reserved |= (int32_t)flag;
            FAILS(PINVIEW_ERROR_INVALID_ARGUMENT, pinview_context_fetch_columns(good.context, &in_request, 0, &out_out, ERROR));
            EXPECT(has_said("the flag ") || has_said("reserved"));
            in_request = usual;
        }
    }
    {
        pinview_fetch_request in_request; memset(&in_request, 0, sizeof in_request);
        in_request.struct_size = sizeof in_request;
        pinview_fetch_request_init(&in_request, sizeof in_request, TEXT("Person"), NULL);
        struct ArrowArrayStream out_out; memset(&out_out, 0, sizeof out_out);
        for (int bit = 0; bit < 32; bit++) {
            const uint32_t flag = UINT32_C(1) << bit;
            if ((UINT32_C(2147483649) & flag) != 0) continue;
            FAILS(PINVIEW_ERROR_INVALID_ARGUMENT, pinview_context_fetch_columns(good.context, &in_request, flag, &out_out, ERROR));
            EXPECT(has_said("the flag ") || has_said("reserved"));
        }
    }
    {
        pinview_fetch_request in_request; memset(&in_request, 0, sizeof in_request);
        in_request.struct_size = sizeof in_request;
        pinview_fetch_request_init(&in_request, sizeof in_request, TEXT("Person"), NULL);
        struct ArrowArrayStream out_out; memset(&out_out, 0, sizeof out_out);
        pinview_fetch_request usual = in_request;
        for (int number = 0; number < huge_count; number++) {
            in_request.sort_descriptor_count = huge_sizes[number];
            memcpy(&in_request.sort_descriptors, &(const void *){NULL}, sizeof in_request.sort_descriptors);
            FAILS(PINVIEW_ERROR_INVALID_ARGUMENT, pinview_context_fetch_columns(good.context, &in_request, 0, &out_out, ERROR)); EXPECT(has_said("must be between"));
            in_request = usual;
        }
    }
    {
        pinview_fetch_request in_request; memset(&in_request, 0, sizeof in_request);
        in_request.struct_size = sizeof in_request;
        pinview_fetch_request_init(&in_request, sizeof in_request, TEXT("Person"), NULL);
        struct ArrowArrayStream out_out; memset(&out_out, 0, sizeof out_out);
        pinview_fetch_request usual = in_request;
        for (int number = 0; number < huge_count; number++) {
            in_request.sort_descriptor_count = huge_sizes[number];
            memcpy(&in_request.sort_descriptors, &(const void *){short_array}, sizeof in_request.sort_descriptors);
            FAILS(PINVIEW_ERROR_INVALID_ARGUMENT, pinview_context_fetch_columns(good.context, &in_request, 0, &out_out, ERROR)); EXPECT(has_said("must be between"));
            in_request = usual;
        }
    }
    {
        pinview_fetch_request in_request; memset(&in_request, 0, sizeof in_request);
        in_request.struct_size = sizeof in_request;
        pinview_fetch_request_init(&in_request, sizeof in_request, TEXT("Person"), NULL);
        struct ArrowArrayStream out_out; memset(&out_out, 0, sizeof out_out);
        pinview_fetch_request usual = in_request;
        for (int number = 0; number < huge_count; number++) {
            in_request.store_count = huge_sizes[number];
            memcpy(&in_request.stores, &(const void *){NULL}, sizeof in_request.stores);
            FAILS(PINVIEW_ERROR_INVALID_ARGUMENT, pinview_context_fetch_columns(good.context, &in_request, 0, &out_out, ERROR)); EXPECT(has_said("must be between"));
            in_request = usual;
        }
    }
    {
        pinview_fetch_request in_request; memset(&in_request, 0, sizeof in_request);
        in_request.struct_size = sizeof in_request;
        pinview_fetch_request_init(&in_request, sizeof in_request, TEXT("Person"), NULL);
        struct ArrowArrayStream out_out; memset(&out_out, 0, sizeof out_out);
        pinview_fetch_request usual = in_request;
        for (int number = 0; number < huge_count; number++) {
            in_request.store_count = huge_sizes[number];
            memcpy(&in_request.stores, &(const void *){short_array}, sizeof in_request.stores);
            FAILS(PINVIEW_ERROR_INVALID_ARGUMENT, pinview_context_fetch_columns(good.context, &in_request, 0, &out_out, ERROR)); EXPECT(has_said("must be between"));
            in_request = usual;
        }
    }
    {
        pinview_fetch_request in_request; memset(&in_request, 0, sizeof in_request);
        in_request.struct_size = sizeof in_request;
        pinview_fetch_request_init(&in_request, sizeof in_request, TEXT("Person"), NULL);
        struct ArrowArrayStream out_out; memset(&out_out, 0, sizeof out_out);
        pinview_fetch_request usual = in_request;
        for (int number = 0; number < huge_count; number++) {
            in_request.prefetched_key_path_count = huge_sizes[number];
            memcpy(&in_request.prefetched_key_paths, &(const void *){NULL}, sizeof in_request.prefetched_key_paths);
            FAILS(PINVIEW_ERROR_INVALID_ARGUMENT, pinview_context_fetch_columns(good.context, &in_request, 0, &out_out, ERROR)); EXPECT(has_said("must be between"));
            in_request = usual;
        }
    }
    {
        pinview_fetch_request in_request; memset(&in_request, 0, sizeof in_request);
        in_request.struct_size = sizeof in_request;
        pinview_fetch_request_init(&in_request, sizeof in_request, TEXT("Person"), NULL);
        struct ArrowArrayStream out_out; memset(&out_out, 0, sizeof out_out);
        pinview_fetch_request usual = in_request;
        for (int number = 0; number < huge_count; number++) {
            in_request.prefetched_key_path_count = huge_sizes[number];
            memcpy(&in_request.prefetched_key_paths, &(const void *){short_array}, sizeof in_request.prefetched_key_paths);
            FAILS(PINVIEW_ERROR_INVALID_ARGUMENT, pinview_context_fetch_columns(good.context, &in_request, 0, &out_out, ERROR)); EXPECT(has_said("must be between"));
            in_request = usual;
        }
    }
    {
        pinview_fetch_request in_request; memset(&in_request, 0, sizeof in_request);
        in_request.struct_size = sizeof in_request;
        pinview_fetch_request_init(&in_request, sizeof in_request, TEXT("Person"), NULL);
        struct ArrowArrayStream out_out; memset(&out_out, 0, sizeof out_out);
        pinview_fetch_request usual = in_request;
        for (int number = 0; number < huge_count; number++) {
            in_request.property_count = huge_sizes[number];
            memcpy(&in_request.properties, &(const void *){NULL}, sizeof in_request.properties);
            FAILS(PINVIEW_ERROR_INVALID_ARGUMENT, pinview_context_fetch_columns(good.context, &in_request, 0, &out_out, ERROR)); EXPECT(has_said("must be between"));
            in_request = usual;
        }
    }
    {
        pinview_fetch_request in_request; memset(&in_request, 0, sizeof in_request);
        in_request.struct_size = sizeof in_request;
        pinview_fetch_request_init(&in_request, sizeof in_request, TEXT("Person"), NULL);
        struct ArrowArrayStream out_out; memset(&out_out, 0, sizeof out_out);
        pinview_fetch_request usual = in_request;
        for (int number = 0; number < huge_count; number++) {
            in_request.property_count = huge_sizes[number];
            memcpy(&in_request.properties, &(const void *){short_array}, sizeof in_request.properties);
            FAILS(PINVIEW_ERROR_INVALID_ARGUMENT, pinview_context_fetch_columns(good.context, &in_request, 0, &out_out, ERROR)); EXPECT(has_said("must be between"));
            in_request = usual;
        }
    }
    {
        pinview_fetch_request in_request; memset(&in_request, 0, sizeof in_request);
        in_request.struct_size = sizeof in_request;
        pinview_fetch_request_init(&in_request, sizeof in_request, TEXT("Person"), NULL);
        struct ArrowArrayStream out_out; memset(&out_out, 0, sizeof out_out);
        pinview_fetch_request usual = in_request;
        for (int number = 0; number < huge_count; number++) {
            in_request.group_by_count = huge_sizes[number];
            memcpy(&in_request.group_by, &(const void *){NULL}, sizeof in_request.group_by);
            FAILS(PINVIEW_ERROR_INVALID_ARGUMENT, pinview_context_fetch_columns(good.context, &in_request, 0, &out_out, ERROR)); EXPECT(has_said("must be between"));
            in_request = usual;
        }
    }
    {
        pinview_fetch_request in_request; memset(&in_request, 0, sizeof in_request);
        in_request.struct_size = sizeof in_request;
        pinview_fetch_request_init(&in_request, sizeof in_request, TEXT("Person"), NULL);
        struct ArrowArrayStream out_out; memset(&out_out, 0, sizeof out_out);
        pinview_fetch_request usual = in_request;
        for (int number = 0; number < huge_count; number++) {
            in_request.group_by_count = huge_sizes[number];
            memcpy(&in_request.group_by, &(const void *){short_array}, sizeof in_request.group_by);
            FAILS(PINVIEW_ERROR_INVALID_ARGUMENT, pinview_context_fetch_columns(good.context, &in_request, 0, &out_out, ERROR)); EXPECT(has_said("must be between"));
            in_request = usual;
        }
    }
    tear_down();
}

static void misuse_of_pinview_context_batch_update(void) {
    set_up();
    {
        pinview_batch_update in_request; memset(&in_request, 0, sizeof in_request);
        in_request.struct_size = sizeof in_request;
        in_request.entity = TEXT("Person");
        in_request.result_type = PINVIEW_RESULT_COUNT;
        pinview_result * out_out; memset(&out_out, 0, sizeof out_out);
        for (int number = 0; number < bad_count; number++) {
            void *bad = bad_handle(number, good.object);
            FAILS(PINVIEW_ERROR_INVALID_HANDLE, pinview_context_batch_update(bad, &in_request, &out_out, NULL));
        }
        FAILS(PINVIEW_ERROR_INVALID_HANDLE, pinview_context_batch_update(NULL, &in_request, &out_out, NULL));
    }
    {
        pinview_batch_update in_request; memset(&in_request, 0, sizeof in_request);
        in_request.struct_size = sizeof in_request;
        in_request.entity = TEXT("Person");
        in_request.result_type = PINVIEW_RESULT_COUNT;
        pinview_result * out_out; memset(&out_out, 0, sizeof out_out);
        union { pinview_batch_update known; unsigned char bytes[sizeof(pinview_batch_update) + extra_bytes]; } larger;
        memset(&larger, 0, sizeof larger);
        larger.known = in_request;
        for (size_t place = 0; place < extra_bytes; place += extra_bytes - 1) {
            larger.known.struct_size = sizeof larger;
            larger.bytes[sizeof(pinview_batch_update) + place] = 1;
            EXPECT_REFUSAL(pinview_context_batch_update(good.context, &larger.known, &out_out, ERROR), "beyond the");
            larger.bytes[sizeof(pinview_batch_update) + place] = 0;
        }
        for (int number = 0; number < 3; number++) {
            const uint32_t sizes[] = {0, 4, UINT32_MAX};
            larger.known.struct_size = sizes[number];
            EXPECT_REFUSAL(pinview_context_batch_update(good.context, &larger.known, &out_out, ERROR), "struct_size");
        }
        larger.known.struct_size = sizeof larger;
        (void)pinview_context_batch_update(good.context, &larger.known, &out_out, ERROR);
        EXPECT(!has_said("beyond the") && !has_said("struct_size"));
        if (out_out != NULL) (void)pinview_result_release(out_out);
    }
    {
        pinview_batch_update in_request; memset(&in_request, 0, sizeof in_request);
        in_request.struct_size = sizeof in_request;
        in_request.entity = TEXT("Person");
        in_request.result_type = PINVIEW_RESULT_COUNT;
        pinview_result * out_out; memset(&out_out, 0, sizeof out_out);
        for (int bit = 0; bit < 32; bit++) {
            const uint32_t flag = UINT32_C(1) << bit;
            if ((UINT32_C(0) & flag) != 0) continue;
            pinview_batch_update usual = in_request;
            in_request.reserved |= (int32_t)flag;
            FAILS(PINVIEW_ERROR_INVALID_ARGUMENT, pinview_context_batch_update(good.context, &in_request, &out_out, ERROR));
            EXPECT(has_said("the flag ") || has_said("reserved"));
            in_request = usual;
        }
    }
    {
        pinview_batch_update in_request; memset(&in_request, 0, sizeof in_request);
        in_request.struct_size = sizeof in_request;
        in_request.entity = TEXT("Person");
        in_request.result_type = PINVIEW_RESULT_COUNT;
        pinview_result * out_out; memset(&out_out, 0, sizeof out_out);
        pinview_batch_update usual = in_request;
        for (int number = 0; number < huge_count; number++) {
            in_request.property_count = huge_sizes[number];
            memcpy(&in_request.properties, &(const void *){NULL}, sizeof in_request.properties);
            FAILS(PINVIEW_ERROR_INVALID_ARGUMENT, pinview_context_batch_update(good.context, &in_request, &out_out, ERROR)); EXPECT(has_said("must be between"));
            in_request = usual;
        }
    }
    {
        pinview_batch_update in_request; memset(&in_request, 0, sizeof in_request);
        in_request.struct_size = sizeof in_request;
        in_request.entity = TEXT("Person");
        in_request.result_type = PINVIEW_RESULT_COUNT;
        pinview_result * out_out; memset(&out_out, 0, sizeof out_out);
        pinview_batch_update usual = in_request;
        for (int number = 0; number < huge_count; number++) {
            in_request.property_count = huge_sizes[number];
            memcpy(&in_request.properties, &(const void *){short_array}, sizeof in_request.properties);
            FAILS(PINVIEW_ERROR_INVALID_ARGUMENT, pinview_context_batch_update(good.context, &in_request, &out_out, ERROR)); EXPECT(has_said("must be between"));
            in_request = usual;
        }
    }
    {
        pinview_batch_update in_request; memset(&in_request, 0, sizeof in_request);
        in_request.struct_size = sizeof in_request;
        in_request.entity = TEXT("Person");
        in_request.result_type = PINVIEW_RESULT_COUNT;
        pinview_result * out_out; memset(&out_out, 0, sizeof out_out);
        pinview_batch_update usual = in_request;
        for (int number = 0; number < huge_count; number++) {
            in_request.expression_count = huge_sizes[number];
            memcpy(&in_request.expressions, &(const void *){NULL}, sizeof in_request.expressions);
            FAILS(PINVIEW_ERROR_INVALID_ARGUMENT, pinview_context_batch_update(good.context, &in_request, &out_out, ERROR)); EXPECT(has_said("must be between"));
            in_request = usual;
        }
    }
    {
        pinview_batch_update in_request; memset(&in_request, 0, sizeof in_request);
        in_request.struct_size = sizeof in_request;
        in_request.entity = TEXT("Person");
        in_request.result_type = PINVIEW_RESULT_COUNT;
        pinview_result * out_out; memset(&out_out, 0, sizeof out_out);
        pinview_batch_update usual = in_request;
        for (int number = 0; number < huge_count; number++) {
            in_request.expression_count = huge_sizes[number];
            memcpy(&in_request.expressions, &(const void *){short_array}, sizeof in_request.expressions);
            FAILS(PINVIEW_ERROR_INVALID_ARGUMENT, pinview_context_batch_update(good.context, &in_request, &out_out, ERROR)); EXPECT(has_said("must be between"));
            in_request = usual;
        }
    }
    {
        pinview_batch_update in_request; memset(&in_request, 0, sizeof in_request);
        in_request.struct_size = sizeof in_request;
        in_request.entity = TEXT("Person");
        in_request.result_type = PINVIEW_RESULT_COUNT;
        pinview_result * out_out; memset(&out_out, 0, sizeof out_out);
        pinview_batch_update usual = in_request;
        for (int number = 0; number < huge_count; number++) {
            in_request.store_count = huge_sizes[number];
            memcpy(&in_request.stores, &(const void *){NULL}, sizeof in_request.stores);
            FAILS(PINVIEW_ERROR_INVALID_ARGUMENT, pinview_context_batch_update(good.context, &in_request, &out_out, ERROR)); EXPECT(has_said("must be between"));
            in_request = usual;
        }
    }
    {
        pinview_batch_update in_request; memset(&in_request, 0, sizeof in_request);
        in_request.struct_size = sizeof in_request;
        in_request.entity = TEXT("Person");
        in_request.result_type = PINVIEW_RESULT_COUNT;
        pinview_result * out_out; memset(&out_out, 0, sizeof out_out);
        pinview_batch_update usual = in_request;
        for (int number = 0; number < huge_count; number++) {
            in_request.store_count = huge_sizes[number];
            memcpy(&in_request.stores, &(const void *){short_array}, sizeof in_request.stores);
            FAILS(PINVIEW_ERROR_INVALID_ARGUMENT, pinview_context_batch_update(good.context, &in_request, &out_out, ERROR)); EXPECT(has_said("must be between"));
            in_request = usual;
        }
    }
    tear_down();
}

static void misuse_of_pinview_context_batch_insert(void) {
    set_up();
    {
        pinview_batch_insert in_request; memset(&in_request, 0, sizeof in_request);
        in_request.struct_size = sizeof in_request;
        in_request.entity = TEXT("Person");
        in_request.result_type = PINVIEW_RESULT_COUNT;
        pinview_result * out_out; memset(&out_out, 0, sizeof out_out);
        for (int number = 0; number < bad_count; number++) {
            void *bad = bad_handle(number, good.object);
            FAILS(PINVIEW_ERROR_INVALID_HANDLE, pinview_context_batch_insert(bad, &in_request, &out_out, NULL));
        }
        FAILS(PINVIEW_ERROR_INVALID_HANDLE, pinview_context_batch_insert(NULL, &in_request, &out_out, NULL));
    }
    {
        pinview_batch_insert in_request; memset(&in_request, 0, sizeof in_request);
        in_request.struct_size = sizeof in_request;
        in_request.entity = TEXT("Person");
        in_request.result_type = PINVIEW_RESULT_COUNT;
        pinview_result * out_out; memset(&out_out, 0, sizeof out_out);
        union { pinview_batch_insert known; unsigned char bytes[sizeof(pinview_batch_insert) + extra_bytes]; } larger;
        memset(&larger, 0, sizeof larger);
        larger.known = in_request;
        for (size_t place = 0; place < extra_bytes; place += extra_bytes - 1) {
            larger.known.struct_size = sizeof larger;
            larger.bytes[sizeof(pinview_batch_insert) + place] = 1;
            EXPECT_REFUSAL(pinview_context_batch_insert(good.context, &larger.known, &out_out, ERROR), "beyond the");
            larger.bytes[sizeof(pinview_batch_insert) + place] = 0;
        }
        for (int number = 0; number < 3; number++) {
            const uint32_t sizes[] = {0, 4, UINT32_MAX};
            larger.known.struct_size = sizes[number];
            EXPECT_REFUSAL(pinview_context_batch_insert(good.context, &larger.known, &out_out, ERROR), "struct_size");
        }
        larger.known.struct_size = sizeof larger;
        (void)pinview_context_batch_insert(good.context, &larger.known, &out_out, ERROR);
        EXPECT(!has_said("beyond the") && !has_said("struct_size"));
        if (out_out != NULL) (void)pinview_result_release(out_out);
    }
    {
        pinview_batch_insert in_request; memset(&in_request, 0, sizeof in_request);
        in_request.struct_size = sizeof in_request;
        in_request.entity = TEXT("Person");
        in_request.result_type = PINVIEW_RESULT_COUNT;
        pinview_result * out_out; memset(&out_out, 0, sizeof out_out);
        for (int bit = 0; bit < 32; bit++) {
            const uint32_t flag = UINT32_C(1) << bit;
            if ((UINT32_C(0) & flag) != 0) continue;
            pinview_batch_insert usual = in_request;
            in_request.reserved |= (int32_t)flag;
            FAILS(PINVIEW_ERROR_INVALID_ARGUMENT, pinview_context_batch_insert(good.context, &in_request, &out_out, ERROR));
            EXPECT(has_said("the flag ") || has_said("reserved"));
            in_request = usual;
        }
    }
    {
        pinview_batch_insert in_request; memset(&in_request, 0, sizeof in_request);
        in_request.struct_size = sizeof in_request;
        in_request.entity = TEXT("Person");
        in_request.result_type = PINVIEW_RESULT_COUNT;
        pinview_result * out_out; memset(&out_out, 0, sizeof out_out);
        pinview_batch_insert usual = in_request;
        for (int number = 0; number < huge_count; number++) {
            in_request.name_count = huge_sizes[number];
            memcpy(&in_request.names, &(const void *){NULL}, sizeof in_request.names);
            FAILS(PINVIEW_ERROR_INVALID_ARGUMENT, pinview_context_batch_insert(good.context, &in_request, &out_out, ERROR)); EXPECT(has_said("must be between"));
            in_request = usual;
        }
    }
    {
        pinview_batch_insert in_request; memset(&in_request, 0, sizeof in_request);
        in_request.struct_size = sizeof in_request;
        in_request.entity = TEXT("Person");
        in_request.result_type = PINVIEW_RESULT_COUNT;
        pinview_result * out_out; memset(&out_out, 0, sizeof out_out);
        pinview_batch_insert usual = in_request;
        for (int number = 0; number < huge_count; number++) {
            in_request.name_count = huge_sizes[number];
            memcpy(&in_request.names, &(const void *){short_array}, sizeof in_request.names);
            FAILS(PINVIEW_ERROR_INVALID_ARGUMENT, pinview_context_batch_insert(good.context, &in_request, &out_out, ERROR)); EXPECT(has_said("must be between"));
            in_request = usual;
        }
    }
    {
        pinview_batch_insert in_request; memset(&in_request, 0, sizeof in_request);
        in_request.struct_size = sizeof in_request;
        in_request.entity = TEXT("Person");
        in_request.result_type = PINVIEW_RESULT_COUNT;
        pinview_result * out_out; memset(&out_out, 0, sizeof out_out);
        pinview_batch_insert usual = in_request;
        for (int number = 0; number < huge_count; number++) {
            in_request.row_count = huge_sizes[number];
            memcpy(&in_request.values, &(const void *){NULL}, sizeof in_request.values);
            FAILS(PINVIEW_ERROR_INVALID_ARGUMENT, pinview_context_batch_insert(good.context, &in_request, &out_out, ERROR)); EXPECT(has_said("must be between"));
            in_request = usual;
        }
    }
    {
        pinview_batch_insert in_request; memset(&in_request, 0, sizeof in_request);
        in_request.struct_size = sizeof in_request;
        in_request.entity = TEXT("Person");
        in_request.result_type = PINVIEW_RESULT_COUNT;
        pinview_result * out_out; memset(&out_out, 0, sizeof out_out);
        pinview_batch_insert usual = in_request;
        for (int number = 0; number < huge_count; number++) {
            in_request.row_count = huge_sizes[number];
            memcpy(&in_request.values, &(const void *){short_array}, sizeof in_request.values);
            FAILS(PINVIEW_ERROR_INVALID_ARGUMENT, pinview_context_batch_insert(good.context, &in_request, &out_out, ERROR)); EXPECT(has_said("must be between"));
            in_request = usual;
        }
    }
    {
        pinview_batch_insert in_request; memset(&in_request, 0, sizeof in_request);
        in_request.struct_size = sizeof in_request;
        in_request.entity = TEXT("Person");
        in_request.result_type = PINVIEW_RESULT_COUNT;
        pinview_result * out_out; memset(&out_out, 0, sizeof out_out);
        pinview_batch_insert usual = in_request;
        for (int number = 0; number < huge_count; number++) {
            in_request.store_count = huge_sizes[number];
            memcpy(&in_request.stores, &(const void *){NULL}, sizeof in_request.stores);
            FAILS(PINVIEW_ERROR_INVALID_ARGUMENT, pinview_context_batch_insert(good.context, &in_request, &out_out, ERROR)); EXPECT(has_said("must be between"));
            in_request = usual;
        }
    }
    {
        pinview_batch_insert in_request; memset(&in_request, 0, sizeof in_request);
        in_request.struct_size = sizeof in_request;
        in_request.entity = TEXT("Person");
        in_request.result_type = PINVIEW_RESULT_COUNT;
        pinview_result * out_out; memset(&out_out, 0, sizeof out_out);
        pinview_batch_insert usual = in_request;
        for (int number = 0; number < huge_count; number++) {
            in_request.store_count = huge_sizes[number];
            memcpy(&in_request.stores, &(const void *){short_array}, sizeof in_request.stores);
            FAILS(PINVIEW_ERROR_INVALID_ARGUMENT, pinview_context_batch_insert(good.context, &in_request, &out_out, ERROR)); EXPECT(has_said("must be between"));
            in_request = usual;
        }
    }
    tear_down();
}

static void misuse_of_pinview_context_batch_delete(void) {
    set_up();
    {
        pinview_fetch_request in_request; memset(&in_request, 0, sizeof in_request);
        in_request.struct_size = sizeof in_request;
        pinview_fetch_request_init(&in_request, sizeof in_request, TEXT("Person"), NULL);
        pinview_result * out_out; memset(&out_out, 0, sizeof out_out);
        for (int number = 0; number < bad_count; number++) {
            void *bad = bad_handle(number, good.object);
            FAILS(PINVIEW_ERROR_INVALID_HANDLE, pinview_context_batch_delete(bad, &in_request, NULL, 0, 0, &out_out, NULL));
        }
        FAILS(PINVIEW_ERROR_INVALID_HANDLE, pinview_context_batch_delete(NULL, &in_request, NULL, 0, 0, &out_out, NULL));
    }
    {
        pinview_fetch_request in_request; memset(&in_request, 0, sizeof in_request);
        in_request.struct_size = sizeof in_request;
        pinview_fetch_request_init(&in_request, sizeof in_request, TEXT("Person"), NULL);
        pinview_result * out_out; memset(&out_out, 0, sizeof out_out);
        union { pinview_fetch_request known; unsigned char bytes[sizeof(pinview_fetch_request) + extra_bytes]; } larger;
        memset(&larger, 0, sizeof larger);
        larger.known = in_request;
        for (size_t place = 0; place < extra_bytes; place += extra_bytes - 1) {
            larger.known.struct_size = sizeof larger;
            larger.bytes[sizeof(pinview_fetch_request) + place] = 1;
            EXPECT_REFUSAL(pinview_context_batch_delete(good.context, &larger.known, NULL, 0, 0, &out_out, ERROR), "beyond the");
            larger.bytes[sizeof(pinview_fetch_request) + place] = 0;
        }
        for (int number = 0; number < 3; number++) {
            const uint32_t sizes[] = {0, 4, UINT32_MAX};
            larger.known.struct_size = sizes[number];
            EXPECT_REFUSAL(pinview_context_batch_delete(good.context, &larger.known, NULL, 0, 0, &out_out, ERROR), "struct_size");
        }
        larger.known.struct_size = sizeof larger;
        (void)pinview_context_batch_delete(good.context, &larger.known, NULL, 0, 0, &out_out, ERROR);
        EXPECT(!has_said("beyond the") && !has_said("struct_size"));
        if (out_out != NULL) (void)pinview_result_release(out_out);
    }
    {
        pinview_fetch_request in_request; memset(&in_request, 0, sizeof in_request);
        in_request.struct_size = sizeof in_request;
        pinview_fetch_request_init(&in_request, sizeof in_request, TEXT("Person"), NULL);
        pinview_result * out_out; memset(&out_out, 0, sizeof out_out);
        for (int bit = 0; bit < 32; bit++) {
            const uint32_t flag = UINT32_C(1) << bit;
            if ((UINT32_C(63) & flag) != 0) continue;
            pinview_fetch_request usual = in_request;
            in_request.flags |= flag;
            FAILS(PINVIEW_ERROR_INVALID_ARGUMENT, pinview_context_batch_delete(good.context, &in_request, NULL, 0, 0, &out_out, ERROR));
            EXPECT(has_said("the flag ") || has_said("reserved"));
            in_request = usual;
        }
    }
    {
        pinview_fetch_request in_request; memset(&in_request, 0, sizeof in_request);
        in_request.struct_size = sizeof in_request;
        pinview_fetch_request_init(&in_request, sizeof in_request, TEXT("Person"), NULL);
        pinview_result * out_out; memset(&out_out, 0, sizeof out_out);
        for (int bit = 0; bit < 32; bit++) {
            const uint32_t flag = UINT32_C(1) << bit;
            if ((UINT32_C(0) & flag) != 0) continue;
            pinview_fetch_request usual = in_request;
            in_request.reserved |= (int32_t)flag;
            FAILS(PINVIEW_ERROR_INVALID_ARGUMENT, pinview_context_batch_delete(good.context, &in_request, NULL, 0, 0, &out_out, ERROR));
            EXPECT(has_said("the flag ") || has_said("reserved"));
            in_request = usual;
        }
    }
    {
        pinview_fetch_request in_request; memset(&in_request, 0, sizeof in_request);
        in_request.struct_size = sizeof in_request;
        pinview_fetch_request_init(&in_request, sizeof in_request, TEXT("Person"), NULL);
        pinview_result * out_out; memset(&out_out, 0, sizeof out_out);
        pinview_fetch_request usual = in_request;
        for (int number = 0; number < huge_count; number++) {
            in_request.sort_descriptor_count = huge_sizes[number];
            memcpy(&in_request.sort_descriptors, &(const void *){NULL}, sizeof in_request.sort_descriptors);
            FAILS(PINVIEW_ERROR_INVALID_ARGUMENT, pinview_context_batch_delete(good.context, &in_request, NULL, 0, 0, &out_out, ERROR)); EXPECT(has_said("must be between"));
            in_request = usual;
        }
    }
    {
        pinview_fetch_request in_request; memset(&in_request, 0, sizeof in_request);
        in_request.struct_size = sizeof in_request;
        pinview_fetch_request_init(&in_request, sizeof in_request, TEXT("Person"), NULL);
        pinview_result * out_out; memset(&out_out, 0, sizeof out_out);
        pinview_fetch_request usual = in_request;
        for (int number = 0; number < huge_count; number++) {
            in_request.sort_descriptor_count = huge_sizes[number];
            memcpy(&in_request.sort_descriptors, &(const void *){short_array}, sizeof in_request.sort_descriptors);
            FAILS(PINVIEW_ERROR_INVALID_ARGUMENT, pinview_context_batch_delete(good.context, &in_request, NULL, 0, 0, &out_out, ERROR)); EXPECT(has_said("must be between"));
            in_request = usual;
        }
    }
    {
        pinview_fetch_request in_request; memset(&in_request, 0, sizeof in_request);
        in_request.struct_size = sizeof in_request;
        pinview_fetch_request_init(&in_request, sizeof in_request, TEXT("Person"), NULL);
        pinview_result * out_out; memset(&out_out, 0, sizeof out_out);
        pinview_fetch_request usual = in_request;
        for (int number = 0; number < huge_count; number++) {
            in_request.store_count = huge_sizes[number];
            memcpy(&in_request.stores, &(const void *){NULL}, sizeof in_request.stores);
            FAILS(PINVIEW_ERROR_INVALID_ARGUMENT, pinview_context_batch_delete(good.context, &in_request, NULL, 0, 0, &out_out, ERROR)); EXPECT(has_said("must be between"));
            in_request = usual;
        }
    }
    {
        pinview_fetch_request in_request; memset(&in_request, 0, sizeof in_request);
        in_request.struct_size = sizeof in_request;
        pinview_fetch_request_init(&in_request, sizeof in_request, TEXT("Person"), NULL);
        pinview_result * out_out; memset(&out_out, 0, sizeof out_out);
        pinview_fetch_request usual = in_request;
        for (int number = 0; number < huge_count; number++) {
            in_request.store_count = huge_sizes[number];
            memcpy(&in_request.stores, &(const void *){short_array}, sizeof in_request.stores);
            FAILS(PINVIEW_ERROR_INVALID_ARGUMENT, pinview_context_batch_delete(good.context, &in_request, NULL, 0, 0, &out_out, ERROR)); EXPECT(has_said("must be between"));
            in_request = usual;
        }
    }
    {
        pinview_fetch_request in_request; memset(&in_request, 0, sizeof in_request);
        in_request.struct_size = sizeof in_request;
        pinview_fetch_request_init(&in_request, sizeof in_request, TEXT("Person"), NULL);
        pinview_result * out_out; memset(&out_out, 0, sizeof out_out);
        pinview_fetch_request usual = in_request;
        for (int number = 0; number < huge_count; number++) {
            in_request.prefetched_key_path_count = huge_sizes[number];
            memcpy(&in_request.prefetched_key_paths, &(const void *){NULL}, sizeof in_request.prefetched_key_paths);
            FAILS(PINVIEW_ERROR_INVALID_ARGUMENT, pinview_context_batch_delete(good.context, &in_request, NULL, 0, 0, &out_out, ERROR)); EXPECT(has_said("must be between"));
            in_request = usual;
        }
    }
    {
        pinview_fetch_request in_request; memset(&in_request, 0, sizeof in_request);
        in_request.struct_size = sizeof in_request;
        pinview_fetch_request_init(&in_request, sizeof in_request, TEXT("Person"), NULL);
        pinview_result * out_out; memset(&out_out, 0, sizeof out_out);
        pinview_fetch_request usual = in_request;
        for (int number = 0; number < huge_count; number++) {
            in_request.prefetched_key_path_count = huge_sizes[number];
            memcpy(&in_request.prefetched_key_paths, &(const void *){short_array}, sizeof in_request.prefetched_key_paths);
            FAILS(PINVIEW_ERROR_INVALID_ARGUMENT, pinview_context_batch_delete(good.context, &in_request, NULL, 0, 0, &out_out, ERROR)); EXPECT(has_said("must be between"));
            in_request = usual;
        }
    }
    {
        pinview_fetch_request in_request; memset(&in_request, 0, sizeof in_request);
        in_request.struct_size = sizeof in_request;
        pinview_fetch_request_init(&in_request, sizeof in_request, TEXT("Person"), NULL);
        pinview_result * out_out; memset(&out_out, 0, sizeof out_out);
        pinview_fetch_request usual = in_request;
        for (int number = 0; number < huge_count; number++) {
            in_request.property_count = huge_sizes[number];
            memcpy(&in_request.properties, &(const void *){NULL}, sizeof in_request.properties);
            FAILS(PINVIEW_ERROR_INVALID_ARGUMENT, pinview_context_batch_delete(good.context, &in_request, NULL, 0, 0, &out_out, ERROR)); EXPECT(has_said("must be between"));
            in_request = usual;
        }
    }
    {
        pinview_fetch_request in_request; memset(&in_request, 0, sizeof in_request);
        in_request.struct_size = sizeof in_request;
        pinview_fetch_request_init(&in_request, sizeof in_request, TEXT("Person"), NULL);
        pinview_result * out_out; memset(&out_out, 0, sizeof out_out);
        pinview_fetch_request usual = in_request;
        for (int number = 0; number < huge_count; number++) {
            in_request.property_count = huge_sizes[number];
            memcpy(&in_request.properties, &(const void *){short_array}, sizeof in_request.properties);
            FAILS(PINVIEW_ERROR_INVALID_ARGUMENT, pinview_context_batch_delete(good.context, &in_request, NULL, 0, 0, &out_out, ERROR)); EXPECT(has_said("must be between"));
            in_request = usual;
        }
    }
    {
        pinview_fetch_request in_request; memset(&in_request, 0, sizeof in_request);
        in_request.struct_size = sizeof in_request;
        pinview_fetch_request_init(&in_request, sizeof in_request, TEXT("Person"), NULL);
        pinview_result * out_out; memset(&out_out, 0, sizeof out_out);
        pinview_fetch_request usual = in_request;
        for (int number = 0; number < huge_count; number++) {
            in_request.group_by_count = huge_sizes[number];
            memcpy(&in_request.group_by, &(const void *){NULL}, sizeof in_request.group_by);
            FAILS(PINVIEW_ERROR_INVALID_ARGUMENT, pinview_context_batch_delete(good.context, &in_request, NULL, 0, 0, &out_out, ERROR)); EXPECT(has_said("must be between"));
            in_request = usual;
        }
    }
    {
        pinview_fetch_request in_request; memset(&in_request, 0, sizeof in_request);
        in_request.struct_size = sizeof in_request;
        pinview_fetch_request_init(&in_request, sizeof in_request, TEXT("Person"), NULL);
        pinview_result * out_out; memset(&out_out, 0, sizeof out_out);
        pinview_fetch_request usual = in_request;
        for (int number = 0; number < huge_count; number++) {
            in_request.group_by_count = huge_sizes[number];
            memcpy(&in_request.group_by, &(const void *){short_array}, sizeof in_request.group_by);
            FAILS(PINVIEW_ERROR_INVALID_ARGUMENT, pinview_context_batch_delete(good.context, &in_request, NULL, 0, 0, &out_out, ERROR)); EXPECT(has_said("must be between"));
            in_request = usual;
        }
    }
    {
        pinview_fetch_request in_request; memset(&in_request, 0, sizeof in_request);
        in_request.struct_size = sizeof in_request;
        pinview_fetch_request_init(&in_request, sizeof in_request, TEXT("Person"), NULL);
        pinview_result * out_out; memset(&out_out, 0, sizeof out_out);
        guarded_place place_out;
        for (int number = 0; number < huge_count; number++) {
            const size_t size = huge_sizes[number];
            FAILS(PINVIEW_ERROR_INVALID_ARGUMENT, pinview_context_batch_delete(good.context, &in_request, (const pinview_object_id *const *)(NULL), size, 0, guarded(&place_out), ERROR)); EXPECT(has_said("must be between"));
            EXPECT(is_untouched(&place_out));
        }
    }
    {
        pinview_fetch_request in_request; memset(&in_request, 0, sizeof in_request);
        in_request.struct_size = sizeof in_request;
        pinview_fetch_request_init(&in_request, sizeof in_request, TEXT("Person"), NULL);
        pinview_result * out_out; memset(&out_out, 0, sizeof out_out);
        guarded_place place_out;
        for (int number = 0; number < huge_count; number++) {
            const size_t size = huge_sizes[number];
            FAILS(PINVIEW_ERROR_INVALID_ARGUMENT, pinview_context_batch_delete(good.context, &in_request, (const pinview_object_id *const *)(short_array), size, 0, guarded(&place_out), ERROR)); EXPECT(has_said("must be between"));
            EXPECT(is_untouched(&place_out));
        }
    }
    tear_down();
}

static void misuse_of_pinview_history_token_is_equal(void) {
    set_up();
    {
        for (int number = 0; number < bad_count; number++) {
            void *bad = bad_handle(number, good.object);
            EXPECT(pinview_history_token_is_equal(bad, good.history_token) == 0);
        }
        EXPECT(pinview_history_token_is_equal(NULL, good.history_token) == 0);
    }
    {
        for (int number = 0; number < bad_count; number++) {
            void *bad = bad_handle(number, good.object);
            EXPECT(pinview_history_token_is_equal(good.history_token, bad) == 0);
        }
        EXPECT(pinview_history_token_is_equal(good.history_token, NULL) == 0);
    }
    tear_down();
}

static void misuse_of_pinview_history_token_data(void) {
    set_up();
    {
        pinview_binary out_out; memset(&out_out, 0, sizeof out_out);
        for (int number = 0; number < bad_count; number++) {
            void *bad = bad_handle(number, good.object);
            FAILS(PINVIEW_ERROR_INVALID_HANDLE, pinview_history_token_data(bad, &out_out, NULL));
        }
        FAILS(PINVIEW_ERROR_INVALID_HANDLE, pinview_history_token_data(NULL, &out_out, NULL));
    }
    {
        FAILS(PINVIEW_ERROR_INVALID_ARGUMENT, pinview_history_token_data(good.history_token, NULL, NULL));
    }
    tear_down();
}

static void misuse_of_pinview_history_token_create_from_data(void) {
    set_up();
    {
        pinview_binary no_bytes = {NULL, 0};
        FAILS(PINVIEW_ERROR_INVALID_ARGUMENT, pinview_history_token_create_from_data(no_bytes, NULL, NULL));
    }
    {
        pinview_history_token * out_out; memset(&out_out, 0, sizeof out_out);
        for (int number = 0; number < huge_count; number++) {
            FAILS(PINVIEW_ERROR_INVALID_ARGUMENT, pinview_history_token_create_from_data(huge_binary(huge_sizes[number]), &out_out, ERROR)); EXPECT(has_said("must be between"));
        }
    }
    tear_down();
}

static void misuse_of_pinview_coordinator_history_token(void) {
    set_up();
    {
        pinview_history_token * out_out; memset(&out_out, 0, sizeof out_out);
        for (int number = 0; number < bad_count; number++) {
            void *bad = bad_handle(number, good.object);
            FAILS(PINVIEW_ERROR_INVALID_HANDLE, pinview_coordinator_history_token(bad, &out_out, NULL));
        }
        FAILS(PINVIEW_ERROR_INVALID_HANDLE, pinview_coordinator_history_token(NULL, &out_out, NULL));
    }
    {
        FAILS(PINVIEW_ERROR_INVALID_ARGUMENT, pinview_coordinator_history_token(good.coordinator, NULL, NULL));
    }
    tear_down();
}

static void misuse_of_pinview_context_fetch_history(void) {
    set_up();
    {
        pinview_history_request in_request; memset(&in_request, 0, sizeof in_request);
        in_request.struct_size = sizeof in_request;
        pinview_history * out_out; memset(&out_out, 0, sizeof out_out);
        for (int number = 0; number < bad_count; number++) {
            void *bad = bad_handle(number, good.object);
            FAILS(PINVIEW_ERROR_INVALID_HANDLE, pinview_context_fetch_history(bad, &in_request, &out_out, NULL));
        }
        FAILS(PINVIEW_ERROR_INVALID_HANDLE, pinview_context_fetch_history(NULL, &in_request, &out_out, NULL));
    }
    {
        pinview_history_request in_request; memset(&in_request, 0, sizeof in_request);
        in_request.struct_size = sizeof in_request;
        FAILS(PINVIEW_ERROR_INVALID_ARGUMENT, pinview_context_fetch_history(good.context, &in_request, NULL, NULL));
    }
    {
        pinview_history_request in_request; memset(&in_request, 0, sizeof in_request);
        in_request.struct_size = sizeof in_request;
        pinview_history * out_out; memset(&out_out, 0, sizeof out_out);
        union { pinview_history_request known; unsigned char bytes[sizeof(pinview_history_request) + extra_bytes]; } larger;
        memset(&larger, 0, sizeof larger);
        larger.known = in_request;
        for (size_t place = 0; place < extra_bytes; place += extra_bytes - 1) {
            larger.known.struct_size = sizeof larger;
            larger.bytes[sizeof(pinview_history_request) + place] = 1;
            EXPECT_REFUSAL(pinview_context_fetch_history(good.context, &larger.known, &out_out, ERROR), "beyond the");
            larger.bytes[sizeof(pinview_history_request) + place] = 0;
        }
        for (int number = 0; number < 3; number++) {
            const uint32_t sizes[] = {0, 4, UINT32_MAX};
            larger.known.struct_size = sizes[number];
            EXPECT_REFUSAL(pinview_context_fetch_history(good.context, &larger.known, &out_out, ERROR), "struct_size");
        }
        larger.known.struct_size = sizeof larger;
        (void)pinview_context_fetch_history(good.context, &larger.known, &out_out, ERROR);
        EXPECT(!has_said("beyond the") && !has_said("struct_size"));
        if (out_out != NULL) (void)pinview_history_release(out_out);
    }
    {
        pinview_history_request in_request; memset(&in_request, 0, sizeof in_request);
        in_request.struct_size = sizeof in_request;
        pinview_history * out_out; memset(&out_out, 0, sizeof out_out);
        for (int bit = 0; bit < 32; bit++) {
            const uint32_t flag = UINT32_C(1) << bit;
            if ((UINT32_C(31) & flag) != 0) continue;
            pinview_history_request usual = in_request;
            in_request.flags |= flag;
            FAILS(PINVIEW_ERROR_INVALID_ARGUMENT, pinview_context_fetch_history(good.context, &in_request, &out_out, ERROR));
            EXPECT(has_said("the flag ") || has_said("reserved"));
            in_request = usual;
        }
    }
    {
        pinview_history_request in_request; memset(&in_request, 0, sizeof in_request);
        in_request.struct_size = sizeof in_request;
        pinview_history * out_out; memset(&out_out, 0, sizeof out_out);
        pinview_history_request usual = in_request;
        for (int number = 0; number < huge_count; number++) {
            in_request.author_count = huge_sizes[number];
            memcpy(&in_request.authors, &(const void *){NULL}, sizeof in_request.authors);
            FAILS(PINVIEW_ERROR_INVALID_ARGUMENT, pinview_context_fetch_history(good.context, &in_request, &out_out, ERROR)); EXPECT(has_said("must be between"));
            in_request = usual;
        }
    }
    {
        pinview_history_request in_request; memset(&in_request, 0, sizeof in_request);
        in_request.struct_size = sizeof in_request;
        pinview_history * out_out; memset(&out_out, 0, sizeof out_out);
        pinview_history_request usual = in_request;
        for (int number = 0; number < huge_count; number++) {
            in_request.author_count = huge_sizes[number];
            memcpy(&in_request.authors, &(const void *){short_array}, sizeof in_request.authors);
            FAILS(PINVIEW_ERROR_INVALID_ARGUMENT, pinview_context_fetch_history(good.context, &in_request, &out_out, ERROR)); EXPECT(has_said("must be between"));
            in_request = usual;
        }
    }
    {
        pinview_history_request in_request; memset(&in_request, 0, sizeof in_request);
        in_request.struct_size = sizeof in_request;
        pinview_history * out_out; memset(&out_out, 0, sizeof out_out);
        pinview_history_request usual = in_request;
        for (int number = 0; number < huge_count; number++) {
            in_request.excluded_author_count = huge_sizes[number];
            memcpy(&in_request.excluded_authors, &(const void *){NULL}, sizeof in_request.excluded_authors);
            FAILS(PINVIEW_ERROR_INVALID_ARGUMENT, pinview_context_fetch_history(good.context, &in_request, &out_out, ERROR)); EXPECT(has_said("must be between"));
            in_request = usual;
        }
    }
    {
        pinview_history_request in_request; memset(&in_request, 0, sizeof in_request);
        in_request.struct_size = sizeof in_request;
        pinview_history * out_out; memset(&out_out, 0, sizeof out_out);
        pinview_history_request usual = in_request;
        for (int number = 0; number < huge_count; number++) {
            in_request.excluded_author_count = huge_sizes[number];
            memcpy(&in_request.excluded_authors, &(const void *){short_array}, sizeof in_request.excluded_authors);
            FAILS(PINVIEW_ERROR_INVALID_ARGUMENT, pinview_context_fetch_history(good.context, &in_request, &out_out, ERROR)); EXPECT(has_said("must be between"));
            in_request = usual;
        }
    }
    {
        pinview_history_request in_request; memset(&in_request, 0, sizeof in_request);
        in_request.struct_size = sizeof in_request;
        pinview_history * out_out; memset(&out_out, 0, sizeof out_out);
        pinview_history_request usual = in_request;
        for (int number = 0; number < huge_count; number++) {
            in_request.entity_count = huge_sizes[number];
            memcpy(&in_request.entities, &(const void *){NULL}, sizeof in_request.entities);
            FAILS(PINVIEW_ERROR_INVALID_ARGUMENT, pinview_context_fetch_history(good.context, &in_request, &out_out, ERROR)); EXPECT(has_said("must be between"));
            in_request = usual;
        }
    }
    {
        pinview_history_request in_request; memset(&in_request, 0, sizeof in_request);
        in_request.struct_size = sizeof in_request;
        pinview_history * out_out; memset(&out_out, 0, sizeof out_out);
        pinview_history_request usual = in_request;
        for (int number = 0; number < huge_count; number++) {
            in_request.entity_count = huge_sizes[number];
            memcpy(&in_request.entities, &(const void *){short_array}, sizeof in_request.entities);
            FAILS(PINVIEW_ERROR_INVALID_ARGUMENT, pinview_context_fetch_history(good.context, &in_request, &out_out, ERROR)); EXPECT(has_said("must be between"));
            in_request = usual;
        }
    }
    {
        pinview_history_request in_request; memset(&in_request, 0, sizeof in_request);
        in_request.struct_size = sizeof in_request;
        pinview_history * out_out; memset(&out_out, 0, sizeof out_out);
        pinview_history_request usual = in_request;
        for (int number = 0; number < huge_count; number++) {
            in_request.store_count = huge_sizes[number];
            memcpy(&in_request.stores, &(const void *){NULL}, sizeof in_request.stores);
            FAILS(PINVIEW_ERROR_INVALID_ARGUMENT, pinview_context_fetch_history(good.context, &in_request, &out_out, ERROR)); EXPECT(has_said("must be between"));
            in_request = usual;
        }
    }
    {
        pinview_history_request in_request; memset(&in_request, 0, sizeof in_request);
        in_request.struct_size = sizeof in_request;
        pinview_history * out_out; memset(&out_out, 0, sizeof out_out);
        pinview_history_request usual = in_request;
        for (int number = 0; number < huge_count; number++) {
            in_request.store_count = huge_sizes[number];
            memcpy(&in_request.stores, &(const void *){short_array}, sizeof in_request.stores);
            FAILS(PINVIEW_ERROR_INVALID_ARGUMENT, pinview_context_fetch_history(good.context, &in_request, &out_out, ERROR)); EXPECT(has_said("must be between"));
            in_request = usual;
        }
    }
    tear_down();
}

static void misuse_of_pinview_context_delete_history(void) {
    set_up();
    {
        pinview_history_request in_request; memset(&in_request, 0, sizeof in_request);
        in_request.struct_size = sizeof in_request;
        int64_t out_out; memset(&out_out, 0, sizeof out_out);
        for (int number = 0; number < bad_count; number++) {
            void *bad = bad_handle(number, good.object);
            FAILS(PINVIEW_ERROR_INVALID_HANDLE, pinview_context_delete_history(bad, &in_request, &out_out, NULL));
        }
        FAILS(PINVIEW_ERROR_INVALID_HANDLE, pinview_context_delete_history(NULL, &in_request, &out_out, NULL));
    }
    {
        pinview_history_request in_request; memset(&in_request, 0, sizeof in_request);
        in_request.struct_size = sizeof in_request;
        int64_t out_out; memset(&out_out, 0, sizeof out_out);
        union { pinview_history_request known; unsigned char bytes[sizeof(pinview_history_request) + extra_bytes]; } larger;
        memset(&larger, 0, sizeof larger);
        larger.known = in_request;
        for (size_t place = 0; place < extra_bytes; place += extra_bytes - 1) {
            larger.known.struct_size = sizeof larger;
            larger.bytes[sizeof(pinview_history_request) + place] = 1;
            EXPECT_REFUSAL(pinview_context_delete_history(good.context, &larger.known, &out_out, ERROR), "beyond the");
            larger.bytes[sizeof(pinview_history_request) + place] = 0;
        }
        for (int number = 0; number < 3; number++) {
            const uint32_t sizes[] = {0, 4, UINT32_MAX};
            larger.known.struct_size = sizes[number];
            EXPECT_REFUSAL(pinview_context_delete_history(good.context, &larger.known, &out_out, ERROR), "struct_size");
        }
        larger.known.struct_size = sizeof larger;
        (void)pinview_context_delete_history(good.context, &larger.known, &out_out, ERROR);
        EXPECT(!has_said("beyond the") && !has_said("struct_size"));
    }
    {
        pinview_history_request in_request; memset(&in_request, 0, sizeof in_request);
        in_request.struct_size = sizeof in_request;
        int64_t out_out; memset(&out_out, 0, sizeof out_out);
        for (int bit = 0; bit < 32; bit++) {
            const uint32_t flag = UINT32_C(1) << bit;
            if ((UINT32_C(31) & flag) != 0) continue;
            pinview_history_request usual = in_request;
            in_request.flags |= flag;
            FAILS(PINVIEW_ERROR_INVALID_ARGUMENT, pinview_context_delete_history(good.context, &in_request, &out_out, ERROR));
            EXPECT(has_said("the flag ") || has_said("reserved"));
            in_request = usual;
        }
    }
    {
        pinview_history_request in_request; memset(&in_request, 0, sizeof in_request);
        in_request.struct_size = sizeof in_request;
        int64_t out_out; memset(&out_out, 0, sizeof out_out);
        pinview_history_request usual = in_request;
        for (int number = 0; number < huge_count; number++) {
            in_request.author_count = huge_sizes[number];
            memcpy(&in_request.authors, &(const void *){NULL}, sizeof in_request.authors);
            FAILS(PINVIEW_ERROR_INVALID_ARGUMENT, pinview_context_delete_history(good.context, &in_request, &out_out, ERROR)); EXPECT(has_said("must be between"));
            in_request = usual;
        }
    }
    {
        pinview_history_request in_request; memset(&in_request, 0, sizeof in_request);
        in_request.struct_size = sizeof in_request;
        int64_t out_out; memset(&out_out, 0, sizeof out_out);
        pinview_history_request usual = in_request;
        for (int number = 0; number < huge_count; number++) {
            in_request.author_count = huge_sizes[number];
            memcpy(&in_request.authors, &(const void *){short_array}, sizeof in_request.authors);
            FAILS(PINVIEW_ERROR_INVALID_ARGUMENT, pinview_context_delete_history(good.context, &in_request, &out_out, ERROR)); EXPECT(has_said("must be between"));
            in_request = usual;
        }
    }
    {
        pinview_history_request in_request; memset(&in_request, 0, sizeof in_request);
        in_request.struct_size = sizeof in_request;
        int64_t out_out; memset(&out_out, 0, sizeof out_out);
        pinview_history_request usual = in_request;
        for (int number = 0; number < huge_count; number++) {
            in_request.excluded_author_count = huge_sizes[number];
            memcpy(&in_request.excluded_authors, &(const void *){NULL}, sizeof in_request.excluded_authors);
            FAILS(PINVIEW_ERROR_INVALID_ARGUMENT, pinview_context_delete_history(good.context, &in_request, &out_out, ERROR)); EXPECT(has_said("must be between"));
            in_request = usual;
        }
    }
    {
        pinview_history_request in_request; memset(&in_request, 0, sizeof in_request);
        in_request.struct_size = sizeof in_request;
        int64_t out_out; memset(&out_out, 0, sizeof out_out);
        pinview_history_request usual = in_request;
        for (int number = 0; number < huge_count; number++) {
            in_request.excluded_author_count = huge_sizes[number];
            memcpy(&in_request.excluded_authors, &(const void *){short_array}, sizeof in_request.excluded_authors);
            FAILS(PINVIEW_ERROR_INVALID_ARGUMENT, pinview_context_delete_history(good.context, &in_request, &out_out, ERROR)); EXPECT(has_said("must be between"));
            in_request = usual;
        }
    }
    {
        pinview_history_request in_request; memset(&in_request, 0, sizeof in_request);
        in_request.struct_size = sizeof in_request;
        int64_t out_out; memset(&out_out, 0, sizeof out_out);
        pinview_history_request usual = in_request;
        for (int number = 0; number < huge_count; number++) {
            in_request.entity_count = huge_sizes[number];
            memcpy(&in_request.entities, &(const void *){NULL}, sizeof in_request.entities);
            FAILS(PINVIEW_ERROR_INVALID_ARGUMENT, pinview_context_delete_history(good.context, &in_request, &out_out, ERROR)); EXPECT(has_said("must be between"));
            in_request = usual;
        }
    }
    {
        pinview_history_request in_request; memset(&in_request, 0, sizeof in_request);
        in_request.struct_size = sizeof in_request;
        int64_t out_out; memset(&out_out, 0, sizeof out_out);
        pinview_history_request usual = in_request;
        for (int number = 0; number < huge_count; number++) {
            in_request.entity_count = huge_sizes[number];
            memcpy(&in_request.entities, &(const void *){short_array}, sizeof in_request.entities);
            FAILS(PINVIEW_ERROR_INVALID_ARGUMENT, pinview_context_delete_history(good.context, &in_request, &out_out, ERROR)); EXPECT(has_said("must be between"));
            in_request = usual;
        }
    }
    {
        pinview_history_request in_request; memset(&in_request, 0, sizeof in_request);
        in_request.struct_size = sizeof in_request;
        int64_t out_out; memset(&out_out, 0, sizeof out_out);
        pinview_history_request usual = in_request;
        for (int number = 0; number < huge_count; number++) {
            in_request.store_count = huge_sizes[number];
            memcpy(&in_request.stores, &(const void *){NULL}, sizeof in_request.stores);
            FAILS(PINVIEW_ERROR_INVALID_ARGUMENT, pinview_context_delete_history(good.context, &in_request, &out_out, ERROR)); EXPECT(has_said("must be between"));
            in_request = usual;
        }
    }
    {
        pinview_history_request in_request; memset(&in_request, 0, sizeof in_request);
        in_request.struct_size = sizeof in_request;
        int64_t out_out; memset(&out_out, 0, sizeof out_out);
        pinview_history_request usual = in_request;
        for (int number = 0; number < huge_count; number++) {
            in_request.store_count = huge_sizes[number];
            memcpy(&in_request.stores, &(const void *){short_array}, sizeof in_request.stores);
            FAILS(PINVIEW_ERROR_INVALID_ARGUMENT, pinview_context_delete_history(good.context, &in_request, &out_out, ERROR)); EXPECT(has_said("must be between"));
            in_request = usual;
        }
    }
    tear_down();
}

static void misuse_of_pinview_history_count(void) {
    set_up();
    {
        for (int number = 0; number < bad_count; number++) {
            void *bad = bad_handle(number, good.object);
            EXPECT(pinview_history_count(bad) == 0);
        }
        EXPECT(pinview_history_count(NULL) == 0);
    }
    tear_down();
}

static void misuse_of_pinview_history_transaction_at(void) {
    set_up();
    {
        pinview_history_transaction out_out; memset(&out_out, 0, sizeof out_out);
        for (int number = 0; number < bad_count; number++) {
            void *bad = bad_handle(number, good.object);
            FAILS(PINVIEW_ERROR_INVALID_HANDLE, pinview_history_transaction_at(bad, 0, &out_out, NULL));
        }
        FAILS(PINVIEW_ERROR_INVALID_HANDLE, pinview_history_transaction_at(NULL, 0, &out_out, NULL));
    }
    {
        FAILS(PINVIEW_ERROR_INVALID_ARGUMENT, pinview_history_transaction_at(good.history, 0, NULL, NULL));
    }
    tear_down();
}

static void misuse_of_pinview_history_token_after(void) {
    set_up();
    {
        pinview_history_token * out_out; memset(&out_out, 0, sizeof out_out);
        for (int number = 0; number < bad_count; number++) {
            void *bad = bad_handle(number, good.object);
            FAILS(PINVIEW_ERROR_INVALID_HANDLE, pinview_history_token_after(bad, 0, &out_out, NULL));
        }
        FAILS(PINVIEW_ERROR_INVALID_HANDLE, pinview_history_token_after(NULL, 0, &out_out, NULL));
    }
    {
        FAILS(PINVIEW_ERROR_INVALID_ARGUMENT, pinview_history_token_after(good.history, 0, NULL, NULL));
    }
    tear_down();
}

static void misuse_of_pinview_history_change_at(void) {
    set_up();
    {
        pinview_history_change out_out; memset(&out_out, 0, sizeof out_out);
        for (int number = 0; number < bad_count; number++) {
            void *bad = bad_handle(number, good.object);
            FAILS(PINVIEW_ERROR_INVALID_HANDLE, pinview_history_change_at(bad, 0, 0, &out_out, NULL));
        }
        FAILS(PINVIEW_ERROR_INVALID_HANDLE, pinview_history_change_at(NULL, 0, 0, &out_out, NULL));
    }
    {
        FAILS(PINVIEW_ERROR_INVALID_ARGUMENT, pinview_history_change_at(good.history, 0, 0, NULL, NULL));
    }
    tear_down();
}

static void misuse_of_pinview_history_change_object_id(void) {
    set_up();
    {
        pinview_object_id * out_out; memset(&out_out, 0, sizeof out_out);
        for (int number = 0; number < bad_count; number++) {
            void *bad = bad_handle(number, good.object);
            FAILS(PINVIEW_ERROR_INVALID_HANDLE, pinview_history_change_object_id(bad, 0, 0, &out_out, NULL));
        }
        FAILS(PINVIEW_ERROR_INVALID_HANDLE, pinview_history_change_object_id(NULL, 0, 0, &out_out, NULL));
    }
    {
        FAILS(PINVIEW_ERROR_INVALID_ARGUMENT, pinview_history_change_object_id(good.history, 0, 0, NULL, NULL));
    }
    tear_down();
}

static void misuse_of_pinview_history_change_property(void) {
    set_up();
    {
        pinview_string out_out; memset(&out_out, 0, sizeof out_out);
        for (int number = 0; number < bad_count; number++) {
            void *bad = bad_handle(number, good.object);
            FAILS(PINVIEW_ERROR_INVALID_HANDLE, pinview_history_change_property(bad, 0, 0, 0, &out_out, NULL));
        }
        FAILS(PINVIEW_ERROR_INVALID_HANDLE, pinview_history_change_property(NULL, 0, 0, 0, &out_out, NULL));
    }
    {
        FAILS(PINVIEW_ERROR_INVALID_ARGUMENT, pinview_history_change_property(good.history, 0, 0, 0, NULL, NULL));
    }
    tear_down();
}

static void misuse_of_pinview_history_change_tombstone(void) {
    set_up();
    {
        pinview_value out_out; memset(&out_out, 0, sizeof out_out);
        for (int number = 0; number < bad_count; number++) {
            void *bad = bad_handle(number, good.object);
            FAILS(PINVIEW_ERROR_INVALID_HANDLE, pinview_history_change_tombstone(bad, 0, 0, TEXT("name"), good.buffer, &out_out, NULL));
        }
        FAILS(PINVIEW_ERROR_INVALID_HANDLE, pinview_history_change_tombstone(NULL, 0, 0, TEXT("name"), good.buffer, &out_out, NULL));
    }
    {
        pinview_value out_out; memset(&out_out, 0, sizeof out_out);
        for (int number = 0; number < bad_count; number++) {
            void *bad = bad_handle(number, good.object);
            FAILS(PINVIEW_ERROR_INVALID_HANDLE, pinview_history_change_tombstone(good.history, 0, 0, TEXT("name"), bad, &out_out, NULL));
        }
        FAILS(PINVIEW_ERROR_INVALID_HANDLE, pinview_history_change_tombstone(good.history, 0, 0, TEXT("name"), NULL, &out_out, NULL));
    }
    {
        FAILS(PINVIEW_ERROR_INVALID_ARGUMENT, pinview_history_change_tombstone(good.history, 0, 0, TEXT("name"), good.buffer, NULL, NULL));
    }
    {
        pinview_value out_out; memset(&out_out, 0, sizeof out_out);
        FAILS(PINVIEW_ERROR_INVALID_UTF8, pinview_history_change_tombstone(good.history, 0, 0, TEXT("a\xff"), good.buffer, &out_out, NULL));
    }
    {
        pinview_value out_out; memset(&out_out, 0, sizeof out_out);
        for (int number = 0; number < huge_count; number++) {
            FAILS(PINVIEW_ERROR_INVALID_ARGUMENT, pinview_history_change_tombstone(good.history, 0, 0, huge_text(huge_sizes[number]), good.buffer, &out_out, ERROR)); EXPECT(has_said("must be between"));
        }
    }
    tear_down();
}

static void misuse_of_pinview_context_merge_history(void) {
    set_up();
    {
        for (int number = 0; number < bad_count; number++) {
            void *bad = bad_handle(number, good.object);
            FAILS(PINVIEW_ERROR_INVALID_HANDLE, pinview_context_merge_history(bad, good.history, 0, 0, NULL));
        }
        FAILS(PINVIEW_ERROR_INVALID_HANDLE, pinview_context_merge_history(NULL, good.history, 0, 0, NULL));
    }
    {
        for (int number = 0; number < bad_count; number++) {
            void *bad = bad_handle(number, good.object);
            FAILS(PINVIEW_ERROR_INVALID_HANDLE, pinview_context_merge_history(good.context, bad, 0, 0, NULL));
        }
        FAILS(PINVIEW_ERROR_INVALID_HANDLE, pinview_context_merge_history(good.context, NULL, 0, 0, NULL));
    }
    {
        for (int number = 0; number < huge_count; number++) {
            const size_t size = huge_sizes[number];
            FAILS(PINVIEW_ERROR_INVALID_ARGUMENT, pinview_context_merge_history(good.context, good.history, 0, size, ERROR)); EXPECT(has_said("must be between"));
        }
    }
    {
        for (int number = 0; number < huge_count; number++) {
            const size_t size = huge_sizes[number];
            FAILS(PINVIEW_ERROR_INVALID_ARGUMENT, pinview_context_merge_history(good.context, good.history, 0, size, ERROR)); EXPECT(has_said("must be between"));
        }
    }
    tear_down();
}

static void misuse_of_pinview_coordinator_set_history_consumer(void) {
    set_up();
    {
        for (int number = 0; number < bad_count; number++) {
            void *bad = bad_handle(number, good.object);
            FAILS(PINVIEW_ERROR_INVALID_HANDLE, pinview_coordinator_set_history_consumer(bad, TEXT("name"), good.history_token, NULL));
        }
        FAILS(PINVIEW_ERROR_INVALID_HANDLE, pinview_coordinator_set_history_consumer(NULL, TEXT("name"), good.history_token, NULL));
    }
    {
        for (int number = 0; number < bad_count; number++) {
            void *bad = bad_handle(number, good.object);
            FAILS(PINVIEW_ERROR_INVALID_HANDLE, pinview_coordinator_set_history_consumer(good.coordinator, TEXT("name"), bad, NULL));
        }
        FAILS(PINVIEW_ERROR_INVALID_HANDLE, pinview_coordinator_set_history_consumer(good.coordinator, TEXT("name"), NULL, NULL));
    }
    {
        FAILS(PINVIEW_ERROR_INVALID_UTF8, pinview_coordinator_set_history_consumer(good.coordinator, TEXT("a\xff"), good.history_token, NULL));
    }
    {
        for (int number = 0; number < huge_count; number++) {
            FAILS(PINVIEW_ERROR_INVALID_ARGUMENT, pinview_coordinator_set_history_consumer(good.coordinator, huge_text(huge_sizes[number]), good.history_token, ERROR)); EXPECT(has_said("must be between"));
        }
    }
    tear_down();
}

static void misuse_of_pinview_coordinator_remove_history_consumer(void) {
    set_up();
    {
        for (int number = 0; number < bad_count; number++) {
            void *bad = bad_handle(number, good.object);
            FAILS(PINVIEW_ERROR_INVALID_HANDLE, pinview_coordinator_remove_history_consumer(bad, TEXT("name"), NULL));
        }
        FAILS(PINVIEW_ERROR_INVALID_HANDLE, pinview_coordinator_remove_history_consumer(NULL, TEXT("name"), NULL));
    }
    {
        FAILS(PINVIEW_ERROR_INVALID_UTF8, pinview_coordinator_remove_history_consumer(good.coordinator, TEXT("a\xff"), NULL));
    }
    {
        for (int number = 0; number < huge_count; number++) {
            FAILS(PINVIEW_ERROR_INVALID_ARGUMENT, pinview_coordinator_remove_history_consumer(good.coordinator, huge_text(huge_sizes[number]), ERROR)); EXPECT(has_said("must be between"));
        }
    }
    tear_down();
}

static void misuse_of_pinview_coordinator_history_consumer(void) {
    set_up();
    {
        pinview_history_token * out_out; memset(&out_out, 0, sizeof out_out);
        for (int number = 0; number < bad_count; number++) {
            void *bad = bad_handle(number, good.object);
            FAILS(PINVIEW_ERROR_INVALID_HANDLE, pinview_coordinator_history_consumer(bad, TEXT("name"), &out_out, NULL));
        }
        FAILS(PINVIEW_ERROR_INVALID_HANDLE, pinview_coordinator_history_consumer(NULL, TEXT("name"), &out_out, NULL));
    }
    {
        FAILS(PINVIEW_ERROR_INVALID_ARGUMENT, pinview_coordinator_history_consumer(good.coordinator, TEXT("name"), NULL, NULL));
    }
    {
        pinview_history_token * out_out; memset(&out_out, 0, sizeof out_out);
        FAILS(PINVIEW_ERROR_INVALID_UTF8, pinview_coordinator_history_consumer(good.coordinator, TEXT("a\xff"), &out_out, NULL));
    }
    {
        pinview_history_token * out_out; memset(&out_out, 0, sizeof out_out);
        for (int number = 0; number < huge_count; number++) {
            FAILS(PINVIEW_ERROR_INVALID_ARGUMENT, pinview_coordinator_history_consumer(good.coordinator, huge_text(huge_sizes[number]), &out_out, ERROR)); EXPECT(has_said("must be between"));
        }
    }
    tear_down();
}

static void misuse_of_pinview_coordinator_each_history_consumer(void) {
    set_up();
    {
        for (int number = 0; number < bad_count; number++) {
            void *bad = bad_handle(number, good.object);
            FAILS(PINVIEW_ERROR_INVALID_HANDLE, pinview_coordinator_each_history_consumer(bad, hear_consumer, NULL, NULL));
        }
        FAILS(PINVIEW_ERROR_INVALID_HANDLE, pinview_coordinator_each_history_consumer(NULL, hear_consumer, NULL, NULL));
    }
    tear_down();
}

static void misuse_of_pinview_coordinator_add_remote_change_observer(void) {
    set_up();
    {
        pinview_observer * out_out; memset(&out_out, 0, sizeof out_out);
        for (int number = 0; number < bad_count; number++) {
            void *bad = bad_handle(number, good.object);
            FAILS(PINVIEW_ERROR_INVALID_HANDLE, pinview_coordinator_add_remote_change_observer(bad, hear_change, NULL, free_nothing, &out_out, NULL));
        }
        FAILS(PINVIEW_ERROR_INVALID_HANDLE, pinview_coordinator_add_remote_change_observer(NULL, hear_change, NULL, free_nothing, &out_out, NULL));
    }
    {
        FAILS(PINVIEW_ERROR_INVALID_ARGUMENT, pinview_coordinator_add_remote_change_observer(good.coordinator, hear_change, NULL, free_nothing, NULL, NULL));
    }
    tear_down();
}

static void misuse_of_pinview_coordinator_difference(void) {
    set_up();
    {
        pinview_difference * out_out; memset(&out_out, 0, sizeof out_out);
        for (int number = 0; number < bad_count; number++) {
            void *bad = bad_handle(number, good.object);
            FAILS(PINVIEW_ERROR_INVALID_HANDLE, pinview_coordinator_difference(bad, good.token, good.token, NULL, 0, &out_out, NULL));
        }
        FAILS(PINVIEW_ERROR_INVALID_HANDLE, pinview_coordinator_difference(NULL, good.token, good.token, NULL, 0, &out_out, NULL));
    }
    {
        pinview_difference * out_out; memset(&out_out, 0, sizeof out_out);
        for (int number = 0; number < bad_count; number++) {
            void *bad = bad_handle(number, good.object);
            FAILS(PINVIEW_ERROR_INVALID_HANDLE, pinview_coordinator_difference(good.coordinator, bad, good.token, NULL, 0, &out_out, NULL));
        }
        FAILS(PINVIEW_ERROR_INVALID_HANDLE, pinview_coordinator_difference(good.coordinator, NULL, good.token, NULL, 0, &out_out, NULL));
    }
    {
        pinview_difference * out_out; memset(&out_out, 0, sizeof out_out);
        for (int number = 0; number < bad_count; number++) {
            void *bad = bad_handle(number, good.object);
            FAILS(PINVIEW_ERROR_INVALID_HANDLE, pinview_coordinator_difference(good.coordinator, good.token, bad, NULL, 0, &out_out, NULL));
        }
    }
    {
        FAILS(PINVIEW_ERROR_INVALID_ARGUMENT, pinview_coordinator_difference(good.coordinator, good.token, good.token, NULL, 0, NULL, NULL));
    }
    {
        pinview_difference * out_out; memset(&out_out, 0, sizeof out_out);
        guarded_place place_out;
        for (int number = 0; number < huge_count; number++) {
            const size_t size = huge_sizes[number];
            FAILS(PINVIEW_ERROR_INVALID_ARGUMENT, pinview_coordinator_difference(good.coordinator, good.token, good.token, (const pinview_string*)(NULL), size, guarded(&place_out), ERROR)); EXPECT(has_said("must be between"));
            EXPECT(is_untouched(&place_out));
        }
    }
    {
        pinview_difference * out_out; memset(&out_out, 0, sizeof out_out);
        guarded_place place_out;
        for (int number = 0; number < huge_count; number++) {
            const size_t size = huge_sizes[number];
            FAILS(PINVIEW_ERROR_INVALID_ARGUMENT, pinview_coordinator_difference(good.coordinator, good.token, good.token, (const pinview_string*)(short_array), size, guarded(&place_out), ERROR)); EXPECT(has_said("must be between"));
            EXPECT(is_untouched(&place_out));
        }
    }
    tear_down();
}

static void misuse_of_pinview_difference_count(void) {
    set_up();
    {
        for (int number = 0; number < bad_count; number++) {
            void *bad = bad_handle(number, good.object);
            EXPECT(pinview_difference_count(bad) == 0);
        }
        EXPECT(pinview_difference_count(NULL) == 0);
    }
    tear_down();
}

static void misuse_of_pinview_difference_changes(void) {
    set_up();
    {
        pinview_difference_change out_changes; memset(&out_changes, 0, sizeof out_changes);
        pinview_object_id * out_object_ids; memset(&out_object_ids, 0, sizeof out_object_ids);
        for (int number = 0; number < bad_count; number++) {
            void *bad = bad_handle(number, good.object);
            FAILS(PINVIEW_ERROR_INVALID_HANDLE, pinview_difference_changes(bad, 0, 0, &out_changes, sizeof(pinview_difference_change), &out_object_ids, NULL));
        }
        FAILS(PINVIEW_ERROR_INVALID_HANDLE, pinview_difference_changes(NULL, 0, 0, &out_changes, sizeof(pinview_difference_change), &out_object_ids, NULL));
    }
    {
        pinview_difference_change out_changes; memset(&out_changes, 0, sizeof out_changes);
        pinview_object_id * out_object_ids; memset(&out_object_ids, 0, sizeof out_object_ids);
        guarded_place place_changes;
        guarded_place place_object_ids;
        for (int number = 0; number < huge_count; number++) {
            const size_t size = huge_sizes[number];
            FAILS(PINVIEW_ERROR_INVALID_ARGUMENT, pinview_difference_changes(good.difference, 0, size, guarded(&place_changes), sizeof(pinview_difference_change), guarded(&place_object_ids), ERROR)); EXPECT(has_said("must be between"));
            EXPECT(is_untouched(&place_changes));
            EXPECT(is_untouched(&place_object_ids));
        }
    }
    {
        pinview_difference_change out_changes; memset(&out_changes, 0, sizeof out_changes);
        pinview_object_id * out_object_ids; memset(&out_object_ids, 0, sizeof out_object_ids);
        guarded_place place_changes;
        guarded_place place_object_ids;
        for (int number = 0; number < huge_count; number++) {
            const size_t size = huge_sizes[number];
            FAILS(PINVIEW_ERROR_INVALID_ARGUMENT, pinview_difference_changes(good.difference, 0, size, guarded(&place_changes), sizeof(pinview_difference_change), guarded(&place_object_ids), ERROR)); EXPECT(has_said("must be between"));
            EXPECT(is_untouched(&place_changes));
            EXPECT(is_untouched(&place_object_ids));
        }
    }
    tear_down();
}

static void misuse_of_pinview_difference_old_generation(void) {
    set_up();
    {
        pinview_token * out_out; memset(&out_out, 0, sizeof out_out);
        for (int number = 0; number < bad_count; number++) {
            void *bad = bad_handle(number, good.object);
            FAILS(PINVIEW_ERROR_INVALID_HANDLE, pinview_difference_old_generation(bad, &out_out, NULL));
        }
        FAILS(PINVIEW_ERROR_INVALID_HANDLE, pinview_difference_old_generation(NULL, &out_out, NULL));
    }
    {
        FAILS(PINVIEW_ERROR_INVALID_ARGUMENT, pinview_difference_old_generation(good.difference, NULL, NULL));
    }
    tear_down();
}

static void misuse_of_pinview_difference_new_generation(void) {
    set_up();
    {
        pinview_token * out_out; memset(&out_out, 0, sizeof out_out);
        for (int number = 0; number < bad_count; number++) {
            void *bad = bad_handle(number, good.object);
            FAILS(PINVIEW_ERROR_INVALID_HANDLE, pinview_difference_new_generation(bad, &out_out, NULL));
        }
        FAILS(PINVIEW_ERROR_INVALID_HANDLE, pinview_difference_new_generation(NULL, &out_out, NULL));
    }
    {
        FAILS(PINVIEW_ERROR_INVALID_ARGUMENT, pinview_difference_new_generation(good.difference, NULL, NULL));
    }
    tear_down();
}

static void misuse_of_pinview_observe(void) {
    set_up();
    {
        pinview_observer * out_out; memset(&out_out, 0, sizeof out_out);
        for (int number = 0; number < bad_count; number++) {
            void *bad = bad_handle(number, good.object);
            FAILS(PINVIEW_ERROR_INVALID_HANDLE, pinview_observe(TEXT("name"), bad, keep_notification, NULL, free_nothing, &out_out, NULL));
        }
    }
    {
        FAILS(PINVIEW_ERROR_INVALID_ARGUMENT, pinview_observe(TEXT("name"), good.context, keep_notification, NULL, free_nothing, NULL, NULL));
    }
    {
        pinview_observer * out_out; memset(&out_out, 0, sizeof out_out);
        FAILS(PINVIEW_ERROR_INVALID_UTF8, pinview_observe(TEXT("a\xff"), good.context, keep_notification, NULL, free_nothing, &out_out, NULL));
    }
    {
        pinview_observer * out_out; memset(&out_out, 0, sizeof out_out);
        for (int number = 0; number < huge_count; number++) {
            FAILS(PINVIEW_ERROR_INVALID_ARGUMENT, pinview_observe(huge_text(huge_sizes[number]), good.context, keep_notification, NULL, free_nothing, &out_out, ERROR)); EXPECT(has_said("must be between"));
        }
    }
    tear_down();
}

static void misuse_of_pinview_observer_remove(void) {
    set_up();
    {
        for (int number = 0; number < bad_count; number++) {
            void *bad = bad_handle(number, good.object);
            FAILS(PINVIEW_ERROR_INVALID_HANDLE, pinview_observer_remove(bad, NULL));
        }
        FAILS(PINVIEW_ERROR_INVALID_HANDLE, pinview_observer_remove(NULL, NULL));
    }
    tear_down();
}

static void misuse_of_pinview_notification_name(void) {
    set_up();
    {
        for (int number = 0; number < bad_count; number++) {
            void *bad = bad_handle(number, good.object);
            EXPECT_TEXT(pinview_notification_name(bad), NULL);
        }
        EXPECT_TEXT(pinview_notification_name(NULL), NULL);
    }
    tear_down();
}

static void misuse_of_pinview_notification_context(void) {
    set_up();
    {
        pinview_context * out_out; memset(&out_out, 0, sizeof out_out);
        for (int number = 0; number < bad_count; number++) {
            void *bad = bad_handle(number, good.object);
            FAILS(PINVIEW_ERROR_INVALID_HANDLE, pinview_notification_context(bad, &out_out, NULL));
        }
        FAILS(PINVIEW_ERROR_INVALID_HANDLE, pinview_notification_context(NULL, &out_out, NULL));
    }
    {
        FAILS(PINVIEW_ERROR_INVALID_ARGUMENT, pinview_notification_context(good.notification, NULL, NULL));
    }
    tear_down();
}

static void misuse_of_pinview_notification_objects(void) {
    set_up();
    {
        pinview_result * out_out; memset(&out_out, 0, sizeof out_out);
        for (int number = 0; number < bad_count; number++) {
            void *bad = bad_handle(number, good.object);
            FAILS(PINVIEW_ERROR_INVALID_HANDLE, pinview_notification_objects(bad, TEXT("name"), &out_out, NULL));
        }
        FAILS(PINVIEW_ERROR_INVALID_HANDLE, pinview_notification_objects(NULL, TEXT("name"), &out_out, NULL));
    }
    {
        FAILS(PINVIEW_ERROR_INVALID_ARGUMENT, pinview_notification_objects(good.notification, TEXT("name"), NULL, NULL));
    }
    {
        pinview_result * out_out; memset(&out_out, 0, sizeof out_out);
        FAILS(PINVIEW_ERROR_INVALID_UTF8, pinview_notification_objects(good.notification, TEXT("a\xff"), &out_out, NULL));
    }
    {
        pinview_result * out_out; memset(&out_out, 0, sizeof out_out);
        for (int number = 0; number < huge_count; number++) {
            FAILS(PINVIEW_ERROR_INVALID_ARGUMENT, pinview_notification_objects(good.notification, huge_text(huge_sizes[number]), &out_out, ERROR)); EXPECT(has_said("must be between"));
        }
    }
    tear_down();
}

static void misuse_of_pinview_notification_object_ids(void) {
    set_up();
    {
        pinview_result * out_out; memset(&out_out, 0, sizeof out_out);
        for (int number = 0; number < bad_count; number++) {
            void *bad = bad_handle(number, good.object);
            FAILS(PINVIEW_ERROR_INVALID_HANDLE, pinview_notification_object_ids(bad, TEXT("name"), &out_out, NULL));
        }
        FAILS(PINVIEW_ERROR_INVALID_HANDLE, pinview_notification_object_ids(NULL, TEXT("name"), &out_out, NULL));
    }
    {
        FAILS(PINVIEW_ERROR_INVALID_ARGUMENT, pinview_notification_object_ids(good.notification, TEXT("name"), NULL, NULL));
    }
    {
        pinview_result * out_out; memset(&out_out, 0, sizeof out_out);
        FAILS(PINVIEW_ERROR_INVALID_UTF8, pinview_notification_object_ids(good.notification, TEXT("a\xff"), &out_out, NULL));
    }
    {
        pinview_result * out_out; memset(&out_out, 0, sizeof out_out);
        for (int number = 0; number < huge_count; number++) {
            FAILS(PINVIEW_ERROR_INVALID_ARGUMENT, pinview_notification_object_ids(good.notification, huge_text(huge_sizes[number]), &out_out, ERROR)); EXPECT(has_said("must be between"));
        }
    }
    tear_down();
}

static void misuse_of_pinview_notification_token(void) {
    set_up();
    {
        pinview_token * out_out; memset(&out_out, 0, sizeof out_out);
        for (int number = 0; number < bad_count; number++) {
            void *bad = bad_handle(number, good.object);
            FAILS(PINVIEW_ERROR_INVALID_HANDLE, pinview_notification_token(bad, &out_out, NULL));
        }
        FAILS(PINVIEW_ERROR_INVALID_HANDLE, pinview_notification_token(NULL, &out_out, NULL));
    }
    {
        FAILS(PINVIEW_ERROR_INVALID_ARGUMENT, pinview_notification_token(good.notification, NULL, NULL));
    }
    tear_down();
}

static void misuse_of_pinview_context_merge_changes(void) {
    set_up();
    {
        for (int number = 0; number < bad_count; number++) {
            void *bad = bad_handle(number, good.object);
            FAILS(PINVIEW_ERROR_INVALID_HANDLE, pinview_context_merge_changes(bad, good.notification, NULL));
        }
        FAILS(PINVIEW_ERROR_INVALID_HANDLE, pinview_context_merge_changes(NULL, good.notification, NULL));
    }
    {
        for (int number = 0; number < bad_count; number++) {
            void *bad = bad_handle(number, good.object);
            FAILS(PINVIEW_ERROR_INVALID_HANDLE, pinview_context_merge_changes(good.context, bad, NULL));
        }
        FAILS(PINVIEW_ERROR_INVALID_HANDLE, pinview_context_merge_changes(good.context, NULL, NULL));
    }
    tear_down();
}

static void misuse_of_pinview_context_merge_object_ids(void) {
    set_up();
    {
        for (int number = 0; number < bad_count; number++) {
            void *bad = bad_handle(number, good.object);
            FAILS(PINVIEW_ERROR_INVALID_HANDLE, pinview_context_merge_object_ids(bad, NULL, 0, NULL, 0, NULL, 0, NULL));
        }
        FAILS(PINVIEW_ERROR_INVALID_HANDLE, pinview_context_merge_object_ids(NULL, NULL, 0, NULL, 0, NULL, 0, NULL));
    }
    {
        for (int number = 0; number < huge_count; number++) {
            const size_t size = huge_sizes[number];
            FAILS(PINVIEW_ERROR_INVALID_ARGUMENT, pinview_context_merge_object_ids(good.context, (pinview_object_id *const *)(NULL), size, (pinview_object_id *const *)(NULL), 0, (pinview_object_id *const *)(NULL), 0, ERROR)); EXPECT(has_said("must be between"));
        }
    }
    {
        for (int number = 0; number < huge_count; number++) {
            const size_t size = huge_sizes[number];
            FAILS(PINVIEW_ERROR_INVALID_ARGUMENT, pinview_context_merge_object_ids(good.context, (pinview_object_id *const *)(short_array), size, (pinview_object_id *const *)(short_array), 0, (pinview_object_id *const *)(short_array), 0, ERROR)); EXPECT(has_said("must be between"));
        }
    }
    {
        for (int number = 0; number < huge_count; number++) {
            const size_t size = huge_sizes[number];
            FAILS(PINVIEW_ERROR_INVALID_ARGUMENT, pinview_context_merge_object_ids(good.context, (pinview_object_id *const *)(NULL), 0, (pinview_object_id *const *)(NULL), size, (pinview_object_id *const *)(NULL), 0, ERROR)); EXPECT(has_said("must be between"));
        }
    }
    {
        for (int number = 0; number < huge_count; number++) {
            const size_t size = huge_sizes[number];
            FAILS(PINVIEW_ERROR_INVALID_ARGUMENT, pinview_context_merge_object_ids(good.context, (pinview_object_id *const *)(short_array), 0, (pinview_object_id *const *)(short_array), size, (pinview_object_id *const *)(short_array), 0, ERROR)); EXPECT(has_said("must be between"));
        }
    }
    {
        for (int number = 0; number < huge_count; number++) {
            const size_t size = huge_sizes[number];
            FAILS(PINVIEW_ERROR_INVALID_ARGUMENT, pinview_context_merge_object_ids(good.context, (pinview_object_id *const *)(NULL), 0, (pinview_object_id *const *)(NULL), 0, (pinview_object_id *const *)(NULL), size, ERROR)); EXPECT(has_said("must be between"));
        }
    }
    {
        for (int number = 0; number < huge_count; number++) {
            const size_t size = huge_sizes[number];
            FAILS(PINVIEW_ERROR_INVALID_ARGUMENT, pinview_context_merge_object_ids(good.context, (pinview_object_id *const *)(short_array), 0, (pinview_object_id *const *)(short_array), 0, (pinview_object_id *const *)(short_array), size, ERROR)); EXPECT(has_said("must be between"));
        }
    }
    tear_down();
}

static void misuse_of_pinview_context_merge_uris(void) {
    set_up();
    {
        for (int number = 0; number < bad_count; number++) {
            void *bad = bad_handle(number, good.object);
            FAILS(PINVIEW_ERROR_INVALID_HANDLE, pinview_context_merge_uris(bad, NULL, 0, NULL, 0, NULL, 0, NULL));
        }
        FAILS(PINVIEW_ERROR_INVALID_HANDLE, pinview_context_merge_uris(NULL, NULL, 0, NULL, 0, NULL, 0, NULL));
    }
    {
        for (int number = 0; number < huge_count; number++) {
            const size_t size = huge_sizes[number];
            FAILS(PINVIEW_ERROR_INVALID_ARGUMENT, pinview_context_merge_uris(good.context, (const pinview_string*)(NULL), size, (const pinview_string*)(NULL), 0, (const pinview_string*)(NULL), 0, ERROR)); EXPECT(has_said("must be between"));
        }
    }
    {
        for (int number = 0; number < huge_count; number++) {
            const size_t size = huge_sizes[number];
            FAILS(PINVIEW_ERROR_INVALID_ARGUMENT, pinview_context_merge_uris(good.context, (const pinview_string*)(short_array), size, (const pinview_string*)(short_array), 0, (const pinview_string*)(short_array), 0, ERROR)); EXPECT(has_said("must be between"));
        }
    }
    {
        for (int number = 0; number < huge_count; number++) {
            const size_t size = huge_sizes[number];
            FAILS(PINVIEW_ERROR_INVALID_ARGUMENT, pinview_context_merge_uris(good.context, (const pinview_string*)(NULL), 0, (const pinview_string*)(NULL), size, (const pinview_string*)(NULL), 0, ERROR)); EXPECT(has_said("must be between"));
        }
    }
    {
        for (int number = 0; number < huge_count; number++) {
            const size_t size = huge_sizes[number];
            FAILS(PINVIEW_ERROR_INVALID_ARGUMENT, pinview_context_merge_uris(good.context, (const pinview_string*)(short_array), 0, (const pinview_string*)(short_array), size, (const pinview_string*)(short_array), 0, ERROR)); EXPECT(has_said("must be between"));
        }
    }
    {
        for (int number = 0; number < huge_count; number++) {
            const size_t size = huge_sizes[number];
            FAILS(PINVIEW_ERROR_INVALID_ARGUMENT, pinview_context_merge_uris(good.context, (const pinview_string*)(NULL), 0, (const pinview_string*)(NULL), 0, (const pinview_string*)(NULL), size, ERROR)); EXPECT(has_said("must be between"));
        }
    }
    {
        for (int number = 0; number < huge_count; number++) {
            const size_t size = huge_sizes[number];
            FAILS(PINVIEW_ERROR_INVALID_ARGUMENT, pinview_context_merge_uris(good.context, (const pinview_string*)(short_array), 0, (const pinview_string*)(short_array), 0, (const pinview_string*)(short_array), size, ERROR)); EXPECT(has_said("must be between"));
        }
    }
    tear_down();
}

static void misuse_of_pinview_results_controller_create(void) {
    set_up();
    {
        pinview_fetch_request in_request; memset(&in_request, 0, sizeof in_request);
        in_request.struct_size = sizeof in_request;
        pinview_fetch_request_init(&in_request, sizeof in_request, TEXT("Person"), NULL);
        pinview_results_controller * out_out; memset(&out_out, 0, sizeof out_out);
        for (int number = 0; number < bad_count; number++) {
            void *bad = bad_handle(number, good.object);
            FAILS(PINVIEW_ERROR_INVALID_HANDLE, pinview_results_controller_create(bad, &in_request, TEXT("name"), &out_out, NULL));
        }
        FAILS(PINVIEW_ERROR_INVALID_HANDLE, pinview_results_controller_create(NULL, &in_request, TEXT("name"), &out_out, NULL));
    }
    {
        pinview_fetch_request in_request; memset(&in_request, 0, sizeof in_request);
        in_request.struct_size = sizeof in_request;
        pinview_fetch_request_init(&in_request, sizeof in_request, TEXT("Person"), NULL);
        FAILS(PINVIEW_ERROR_INVALID_ARGUMENT, pinview_results_controller_create(good.context, &in_request, TEXT("name"), NULL, NULL));
    }
    {
        pinview_fetch_request in_request; memset(&in_request, 0, sizeof in_request);
        in_request.struct_size = sizeof in_request;
        pinview_fetch_request_init(&in_request, sizeof in_request, TEXT("Person"), NULL);
        pinview_results_controller * out_out; memset(&out_out, 0, sizeof out_out);
        FAILS(PINVIEW_ERROR_INVALID_UTF8, pinview_results_controller_create(good.context, &in_request, TEXT("a\xff"), &out_out, NULL));
    }
    {
        pinview_fetch_request in_request; memset(&in_request, 0, sizeof in_request);
        in_request.struct_size = sizeof in_request;
        pinview_fetch_request_init(&in_request, sizeof in_request, TEXT("Person"), NULL);
        pinview_results_controller * out_out; memset(&out_out, 0, sizeof out_out);
        union { pinview_fetch_request known; unsigned char bytes[sizeof(pinview_fetch_request) + extra_bytes]; } larger;
        memset(&larger, 0, sizeof larger);
        larger.known = in_request;
        for (size_t place = 0; place < extra_bytes; place += extra_bytes - 1) {
            larger.known.struct_size = sizeof larger;
            larger.bytes[sizeof(pinview_fetch_request) + place] = 1;
            EXPECT_REFUSAL(pinview_results_controller_create(good.context, &larger.known, TEXT("name"), &out_out, ERROR), "beyond the");
            larger.bytes[sizeof(pinview_fetch_request) + place] = 0;
        }
        for (int number = 0; number < 3; number++) {
            const uint32_t sizes[] = {0, 4, UINT32_MAX};
            larger.known.struct_size = sizes[number];
            EXPECT_REFUSAL(pinview_results_controller_create(good.context, &larger.known, TEXT("name"), &out_out, ERROR), "struct_size");
        }
        larger.known.struct_size = sizeof larger;
        (void)pinview_results_controller_create(good.context, &larger.known, TEXT("name"), &out_out, ERROR);
        EXPECT(!has_said("beyond the") && !has_said("struct_size"));
        if (out_out != NULL) (void)pinview_results_controller_release(out_out);
    }
    {
        pinview_fetch_request in_request; memset(&in_request, 0, sizeof in_request);
        in_request.struct_size = sizeof in_request;
        pinview_fetch_request_init(&in_request, sizeof in_request, TEXT("Person"), NULL);
        pinview_results_controller * out_out; memset(&out_out, 0, sizeof out_out);
        for (int bit = 0; bit < 32; bit++) {
            const uint32_t flag = UINT32_C(1) << bit;
            if ((UINT32_C(63) & flag) != 0) continue;
            pinview_fetch_request usual = in_request;
            in_request.flags |= flag;
            FAILS(PINVIEW_ERROR_INVALID_ARGUMENT, pinview_results_controller_create(good.context, &in_request, TEXT("name"), &out_out, ERROR));
            EXPECT(has_said("the flag ") || has_said("reserved"));
            in_request = usual;
        }
    }
    {
        pinview_fetch_request in_request; memset(&in_request, 0, sizeof in_request);
        in_request.struct_size = sizeof in_request;
        pinview_fetch_request_init(&in_request, sizeof in_request, TEXT("Person"), NULL);
        pinview_results_controller * out_out; memset(&out_out, 0, sizeof out_out);
        for (int bit = 0; bit < 32; bit++) {
            const uint32_t flag = UINT32_C(1) << bit;
            if ((UINT32_C(0) & flag) != 0) continue;
            pinview_fetch_request usual = in_request;
            in_request.reserved |= (int32_t)flag;
            FAILS(PINVIEW_ERROR_INVALID_ARGUMENT, pinview_results_controller_create(good.context, &in_request, TEXT("name"), &out_out, ERROR));
            EXPECT(has_said("the flag ") || has_said("reserved"));
            in_request = usual;
        }
    }
    {
        pinview_fetch_request in_request; memset(&in_request, 0, sizeof in_request);
        in_request.struct_size = sizeof in_request;
        pinview_fetch_request_init(&in_request, sizeof in_request, TEXT("Person"), NULL);
        pinview_results_controller * out_out; memset(&out_out, 0, sizeof out_out);
        pinview_fetch_request usual = in_request;
        for (int number = 0; number < huge_count; number++) {
            in_request.sort_descriptor_count = huge_sizes[number];
            memcpy(&in_request.sort_descriptors, &(const void *){NULL}, sizeof in_request.sort_descriptors);
            FAILS(PINVIEW_ERROR_INVALID_ARGUMENT, pinview_results_controller_create(good.context, &in_request, TEXT("name"), &out_out, ERROR)); EXPECT(has_said("must be between"));
            in_request = usual;
        }
    }
    {
        pinview_fetch_request in_request; memset(&in_request, 0, sizeof in_request);
        in_request.struct_size = sizeof in_request;
        pinview_fetch_request_init(&in_request, sizeof in_request, TEXT("Person"), NULL);
        pinview_results_controller * out_out; memset(&out_out, 0, sizeof out_out);
        pinview_fetch_request usual = in_request;
        for (int number = 0; number < huge_count; number++) {
            in_request.sort_descriptor_count = huge_sizes[number];
            memcpy(&in_request.sort_descriptors, &(const void *){short_array}, sizeof in_request.sort_descriptors);
            FAILS(PINVIEW_ERROR_INVALID_ARGUMENT, pinview_results_controller_create(good.context, &in_request, TEXT("name"), &out_out, ERROR)); EXPECT(has_said("must be between"));
            in_request = usual;
        }
    }
    {
        pinview_fetch_request in_request; memset(&in_request, 0, sizeof in_request);
        in_request.struct_size = sizeof in_request;
        pinview_fetch_request_init(&in_request, sizeof in_request, TEXT("Person"), NULL);
        pinview_results_controller * out_out; memset(&out_out, 0, sizeof out_out);
        pinview_fetch_request usual = in_request;
        for (int number = 0; number < huge_count; number++) {
            in_request.store_count = huge_sizes[number];
            memcpy(&in_request.stores, &(const void *){NULL}, sizeof in_request.stores);
            FAILS(PINVIEW_ERROR_INVALID_ARGUMENT, pinview_results_controller_create(good.context, &in_request, TEXT("name"), &out_out, ERROR)); EXPECT(has_said("must be between"));
            in_request = usual;
        }
    }
    {
        pinview_fetch_request in_request; memset(&in_request, 0, sizeof in_request);
        in_request.struct_size = sizeof in_request;
        pinview_fetch_request_init(&in_request, sizeof in_request, TEXT("Person"), NULL);
        pinview_results_controller * out_out; memset(&out_out, 0, sizeof out_out);
        pinview_fetch_request usual = in_request;
        for (int number = 0; number < huge_count; number++) {
            in_request.store_count = huge_sizes[number];
            memcpy(&in_request.stores, &(const void *){short_array}, sizeof in_request.stores);
            FAILS(PINVIEW_ERROR_INVALID_ARGUMENT, pinview_results_controller_create(good.context, &in_request, TEXT("name"), &out_out, ERROR)); EXPECT(has_said("must be between"));
            in_request = usual;
        }
    }
    {
        pinview_fetch_request in_request; memset(&in_request, 0, sizeof in_request);
        in_request.struct_size = sizeof in_request;
        pinview_fetch_request_init(&in_request, sizeof in_request, TEXT("Person"), NULL);
        pinview_results_controller * out_out; memset(&out_out, 0, sizeof out_out);
        pinview_fetch_request usual = in_request;
        for (int number = 0; number < huge_count; number++) {
            in_request.prefetched_key_path_count = huge_sizes[number];
            memcpy(&in_request.prefetched_key_paths, &(const void *){NULL}, sizeof in_request.prefetched_key_paths);
            FAILS(PINVIEW_ERROR_INVALID_ARGUMENT, pinview_results_controller_create(good.context, &in_request, TEXT("name"), &out_out, ERROR)); EXPECT(has_said("must be between"));
            in_request = usual;
        }
    }
    {
        pinview_fetch_request in_request; memset(&in_request, 0, sizeof in_request);
        in_request.struct_size = sizeof in_request;
        pinview_fetch_request_init(&in_request, sizeof in_request, TEXT("Person"), NULL);
        pinview_results_controller * out_out; memset(&out_out, 0, sizeof out_out);
        pinview_fetch_request usual = in_request;
        for (int number = 0; number < huge_count; number++) {
            in_request.prefetched_key_path_count = huge_sizes[number];
            memcpy(&in_request.prefetched_key_paths, &(const void *){short_array}, sizeof in_request.prefetched_key_paths);
            FAILS(PINVIEW_ERROR_INVALID_ARGUMENT, pinview_results_controller_create(good.context, &in_request, TEXT("name"), &out_out, ERROR)); EXPECT(has_said("must be between"));
            in_request = usual;
        }
    }
    {
        pinview_fetch_request in_request; memset(&in_request, 0, sizeof in_request);
        in_request.struct_size = sizeof in_request;
        pinview_fetch_request_init(&in_request, sizeof in_request, TEXT("Person"), NULL);
        pinview_results_controller * out_out; memset(&out_out, 0, sizeof out_out);
        pinview_fetch_request usual = in_request;
        for (int number = 0; number < huge_count; number++) {
            in_request.property_count = huge_sizes[number];
            memcpy(&in_request.properties, &(const void *){NULL}, sizeof in_request.properties);
            FAILS(PINVIEW_ERROR_INVALID_ARGUMENT, pinview_results_controller_create(good.context, &in_request, TEXT("name"), &out_out, ERROR)); EXPECT(has_said("must be between"));
            in_request = usual;
        }
    }
    {
        pinview_fetch_request in_request; memset(&in_request, 0, sizeof in_request);
        in_request.struct_size = sizeof in_request;
        pinview_fetch_request_init(&in_request, sizeof in_request, TEXT("Person"), NULL);
        pinview_results_controller * out_out; memset(&out_out, 0, sizeof out_out);
        pinview_fetch_request usual = in_request;
        for (int number = 0; number < huge_count; number++) {
            in_request.property_count = huge_sizes[number];
            memcpy(&in_request.properties, &(const void *){short_array}, sizeof in_request.properties);
            FAILS(PINVIEW_ERROR_INVALID_ARGUMENT, pinview_results_controller_create(good.context, &in_request, TEXT("name"), &out_out, ERROR)); EXPECT(has_said("must be between"));
            in_request = usual;
        }
    }
    {
        pinview_fetch_request in_request; memset(&in_request, 0, sizeof in_request);
        in_request.struct_size = sizeof in_request;
        pinview_fetch_request_init(&in_request, sizeof in_request, TEXT("Person"), NULL);
        pinview_results_controller * out_out; memset(&out_out, 0, sizeof out_out);
        pinview_fetch_request usual = in_request;
        for (int number = 0; number < huge_count; number++) {
            in_request.group_by_count = huge_sizes[number];
            memcpy(&in_request.group_by, &(const void *){NULL}, sizeof in_request.group_by);
            FAILS(PINVIEW_ERROR_INVALID_ARGUMENT, pinview_results_controller_create(good.context, &in_request, TEXT("name"), &out_out, ERROR)); EXPECT(has_said("must be between"));
            in_request = usual;
        }
    }
    {
        pinview_fetch_request in_request; memset(&in_request, 0, sizeof in_request);
        in_request.struct_size = sizeof in_request;
        pinview_fetch_request_init(&in_request, sizeof in_request, TEXT("Person"), NULL);
        pinview_results_controller * out_out; memset(&out_out, 0, sizeof out_out);
        pinview_fetch_request usual = in_request;
        for (int number = 0; number < huge_count; number++) {
            in_request.group_by_count = huge_sizes[number];
            memcpy(&in_request.group_by, &(const void *){short_array}, sizeof in_request.group_by);
            FAILS(PINVIEW_ERROR_INVALID_ARGUMENT, pinview_results_controller_create(good.context, &in_request, TEXT("name"), &out_out, ERROR)); EXPECT(has_said("must be between"));
            in_request = usual;
        }
    }
    {
        pinview_fetch_request in_request; memset(&in_request, 0, sizeof in_request);
        in_request.struct_size = sizeof in_request;
        pinview_fetch_request_init(&in_request, sizeof in_request, TEXT("Person"), NULL);
        pinview_results_controller * out_out; memset(&out_out, 0, sizeof out_out);
        for (int number = 0; number < huge_count; number++) {
            FAILS(PINVIEW_ERROR_INVALID_ARGUMENT, pinview_results_controller_create(good.context, &in_request, huge_text(huge_sizes[number]), &out_out, ERROR)); EXPECT(has_said("must be between"));
        }
    }
    tear_down();
}

static void misuse_of_pinview_results_controller_perform_fetch(void) {
    set_up();
    {
        for (int number = 0; number < bad_count; number++) {
            void *bad = bad_handle(number, good.object);
            FAILS(PINVIEW_ERROR_INVALID_HANDLE, pinview_results_controller_perform_fetch(bad, NULL));
        }
        FAILS(PINVIEW_ERROR_INVALID_HANDLE, pinview_results_controller_perform_fetch(NULL, NULL));
    }
    tear_down();
}

static void misuse_of_pinview_results_controller_set_callbacks(void) {
    set_up();
    {
        pinview_results_callbacks in_callbacks; memset(&in_callbacks, 0, sizeof in_callbacks);
        in_callbacks.struct_size = sizeof in_callbacks;
        for (int number = 0; number < bad_count; number++) {
            void *bad = bad_handle(number, good.object);
            FAILS(PINVIEW_ERROR_INVALID_HANDLE, pinview_results_controller_set_callbacks(bad, &in_callbacks, NULL, free_nothing, NULL));
        }
        FAILS(PINVIEW_ERROR_INVALID_HANDLE, pinview_results_controller_set_callbacks(NULL, &in_callbacks, NULL, free_nothing, NULL));
    }
    {
        pinview_results_callbacks in_callbacks; memset(&in_callbacks, 0, sizeof in_callbacks);
        in_callbacks.struct_size = sizeof in_callbacks;
        union { pinview_results_callbacks known; unsigned char bytes[sizeof(pinview_results_callbacks) + extra_bytes]; } larger;
        memset(&larger, 0, sizeof larger);
        larger.known = in_callbacks;
        for (size_t place = 0; place < extra_bytes; place += extra_bytes - 1) {
            larger.known.struct_size = sizeof larger;
            larger.bytes[sizeof(pinview_results_callbacks) + place] = 1;
            EXPECT_REFUSAL(pinview_results_controller_set_callbacks(good.results_controller, &larger.known, NULL, free_nothing, ERROR), "beyond the");
            larger.bytes[sizeof(pinview_results_callbacks) + place] = 0;
        }
        for (int number = 0; number < 3; number++) {
            const uint32_t sizes[] = {0, 4, UINT32_MAX};
            larger.known.struct_size = sizes[number];
            EXPECT_REFUSAL(pinview_results_controller_set_callbacks(good.results_controller, &larger.known, NULL, free_nothing, ERROR), "struct_size");
        }
        larger.known.struct_size = sizeof larger;
        (void)pinview_results_controller_set_callbacks(good.results_controller, &larger.known, NULL, free_nothing, ERROR);
        EXPECT(!has_said("beyond the") && !has_said("struct_size"));
    }
    {
        pinview_results_callbacks in_callbacks; memset(&in_callbacks, 0, sizeof in_callbacks);
        in_callbacks.struct_size = sizeof in_callbacks;
        for (int bit = 0; bit < 32; bit++) {
            const uint32_t flag = UINT32_C(1) << bit;
            if ((UINT32_C(0) & flag) != 0) continue;
            pinview_results_callbacks usual = in_callbacks;
            in_callbacks.reserved |= flag;
            FAILS(PINVIEW_ERROR_INVALID_ARGUMENT, pinview_results_controller_set_callbacks(good.results_controller, &in_callbacks, NULL, free_nothing, ERROR));
            EXPECT(has_said("the flag ") || has_said("reserved"));
            in_callbacks = usual;
        }
    }
    tear_down();
}

static void misuse_of_pinview_results_controller_objects(void) {
    set_up();
    {
        pinview_result * out_out; memset(&out_out, 0, sizeof out_out);
        for (int number = 0; number < bad_count; number++) {
            void *bad = bad_handle(number, good.object);
            FAILS(PINVIEW_ERROR_INVALID_HANDLE, pinview_results_controller_objects(bad, &out_out, NULL));
        }
        FAILS(PINVIEW_ERROR_INVALID_HANDLE, pinview_results_controller_objects(NULL, &out_out, NULL));
    }
    {
        FAILS(PINVIEW_ERROR_INVALID_ARGUMENT, pinview_results_controller_objects(good.results_controller, NULL, NULL));
    }
    tear_down();
}

static void misuse_of_pinview_results_controller_count(void) {
    set_up();
    {
        uint64_t out_out; memset(&out_out, 0, sizeof out_out);
        for (int number = 0; number < bad_count; number++) {
            void *bad = bad_handle(number, good.object);
            FAILS(PINVIEW_ERROR_INVALID_HANDLE, pinview_results_controller_count(bad, &out_out, NULL));
        }
        FAILS(PINVIEW_ERROR_INVALID_HANDLE, pinview_results_controller_count(NULL, &out_out, NULL));
    }
    {
        FAILS(PINVIEW_ERROR_INVALID_ARGUMENT, pinview_results_controller_count(good.results_controller, NULL, NULL));
    }
    tear_down();
}

static void misuse_of_pinview_results_controller_section_count(void) {
    set_up();
    {
        uint64_t out_out; memset(&out_out, 0, sizeof out_out);
        for (int number = 0; number < bad_count; number++) {
            void *bad = bad_handle(number, good.object);
            FAILS(PINVIEW_ERROR_INVALID_HANDLE, pinview_results_controller_section_count(bad, &out_out, NULL));
        }
        FAILS(PINVIEW_ERROR_INVALID_HANDLE, pinview_results_controller_section_count(NULL, &out_out, NULL));
    }
    {
        FAILS(PINVIEW_ERROR_INVALID_ARGUMENT, pinview_results_controller_section_count(good.results_controller, NULL, NULL));
    }
    tear_down();
}

static void misuse_of_pinview_results_controller_section(void) {
    set_up();
    {
        pinview_results_section out_out; memset(&out_out, 0, sizeof out_out);
        out_out.struct_size = sizeof out_out;
        for (int number = 0; number < bad_count; number++) {
            void *bad = bad_handle(number, good.object);
            FAILS(PINVIEW_ERROR_INVALID_HANDLE, pinview_results_controller_section(bad, 0, &out_out, NULL));
        }
        FAILS(PINVIEW_ERROR_INVALID_HANDLE, pinview_results_controller_section(NULL, 0, &out_out, NULL));
    }
    {
        FAILS(PINVIEW_ERROR_INVALID_ARGUMENT, pinview_results_controller_section(good.results_controller, 0, NULL, NULL));
    }
    {
        pinview_results_section out_out; memset(&out_out, 0, sizeof out_out);
        out_out.struct_size = sizeof out_out;
        union { pinview_results_section known; unsigned char bytes[sizeof(pinview_results_section) + extra_bytes]; } larger;
        memset(&larger, 0, sizeof larger);
        larger.known = out_out;
        larger.known.struct_size = sizeof(pinview_results_section);
        int is_good = pinview_results_controller_section(good.results_controller, 0, &larger.known, ERROR) == PINVIEW_OK;
        for (int number = 0; is_good && number < 3; number++) {
            const uint32_t sizes[] = {0, 4, UINT32_MAX};
            larger.known.struct_size = sizes[number];
            EXPECT_REFUSAL(pinview_results_controller_section(good.results_controller, 0, &larger.known, ERROR), "struct_size");
        }
        larger.known.struct_size = sizeof larger;
        memset(larger.bytes + sizeof(pinview_results_section), 7, extra_bytes);
        if (is_good) OK(pinview_results_controller_section(good.results_controller, 0, &larger.known, ERROR));
        for (size_t place = 0; is_good && place < extra_bytes; place++)
            EXPECT_NUMBER(larger.bytes[sizeof(pinview_results_section) + place], 0);
    }
    tear_down();
}

static void misuse_of_pinview_results_controller_section_objects(void) {
    set_up();
    {
        pinview_result * out_out; memset(&out_out, 0, sizeof out_out);
        for (int number = 0; number < bad_count; number++) {
            void *bad = bad_handle(number, good.object);
            FAILS(PINVIEW_ERROR_INVALID_HANDLE, pinview_results_controller_section_objects(bad, 0, &out_out, NULL));
        }
        FAILS(PINVIEW_ERROR_INVALID_HANDLE, pinview_results_controller_section_objects(NULL, 0, &out_out, NULL));
    }
    {
        FAILS(PINVIEW_ERROR_INVALID_ARGUMENT, pinview_results_controller_section_objects(good.results_controller, 0, NULL, NULL));
    }
    tear_down();
}

static void misuse_of_pinview_results_controller_section_for_index_title(void) {
    set_up();
    {
        uint64_t out_out; memset(&out_out, 0, sizeof out_out);
        for (int number = 0; number < bad_count; number++) {
            void *bad = bad_handle(number, good.object);
            FAILS(PINVIEW_ERROR_INVALID_HANDLE, pinview_results_controller_section_for_index_title(bad, TEXT("name"), &out_out, NULL));
        }
        FAILS(PINVIEW_ERROR_INVALID_HANDLE, pinview_results_controller_section_for_index_title(NULL, TEXT("name"), &out_out, NULL));
    }
    {
        FAILS(PINVIEW_ERROR_INVALID_ARGUMENT, pinview_results_controller_section_for_index_title(good.results_controller, TEXT("name"), NULL, NULL));
    }
    {
        uint64_t out_out; memset(&out_out, 0, sizeof out_out);
        FAILS(PINVIEW_ERROR_INVALID_UTF8, pinview_results_controller_section_for_index_title(good.results_controller, TEXT("a\xff"), &out_out, NULL));
    }
    {
        uint64_t out_out; memset(&out_out, 0, sizeof out_out);
        for (int number = 0; number < huge_count; number++) {
            FAILS(PINVIEW_ERROR_INVALID_ARGUMENT, pinview_results_controller_section_for_index_title(good.results_controller, huge_text(huge_sizes[number]), &out_out, ERROR)); EXPECT(has_said("must be between"));
        }
    }
    tear_down();
}

static void misuse_of_pinview_results_controller_object(void) {
    set_up();
    {
        pinview_object * out_out; memset(&out_out, 0, sizeof out_out);
        for (int number = 0; number < bad_count; number++) {
            void *bad = bad_handle(number, good.object);
            FAILS(PINVIEW_ERROR_INVALID_HANDLE, pinview_results_controller_object(bad, 0, 0, &out_out, NULL));
        }
        FAILS(PINVIEW_ERROR_INVALID_HANDLE, pinview_results_controller_object(NULL, 0, 0, &out_out, NULL));
    }
    {
        FAILS(PINVIEW_ERROR_INVALID_ARGUMENT, pinview_results_controller_object(good.results_controller, 0, 0, NULL, NULL));
    }
    tear_down();
}

static void misuse_of_pinview_results_controller_index_path(void) {
    set_up();
    {
        pinview_index_path out_out; memset(&out_out, 0, sizeof out_out);
        for (int number = 0; number < bad_count; number++) {
            void *bad = bad_handle(number, good.object);
            FAILS(PINVIEW_ERROR_INVALID_HANDLE, pinview_results_controller_index_path(bad, good.object, &out_out, NULL));
        }
        FAILS(PINVIEW_ERROR_INVALID_HANDLE, pinview_results_controller_index_path(NULL, good.object, &out_out, NULL));
    }
    {
        pinview_index_path out_out; memset(&out_out, 0, sizeof out_out);
        for (int number = 0; number < bad_count; number++) {
            void *bad = bad_handle(number, good.store);
            FAILS(PINVIEW_ERROR_INVALID_HANDLE, pinview_results_controller_index_path(good.results_controller, bad, &out_out, NULL));
        }
        FAILS(PINVIEW_ERROR_INVALID_HANDLE, pinview_results_controller_index_path(good.results_controller, NULL, &out_out, NULL));
    }
    {
        FAILS(PINVIEW_ERROR_INVALID_ARGUMENT, pinview_results_controller_index_path(good.results_controller, good.object, NULL, NULL));
    }
    tear_down();
}

static void misuse_of_pinview_coordinator_export(void) {
    set_up();
    {
        for (int number = 0; number < bad_count; number++) {
            void *bad = bad_handle(number, good.object);
            FAILS(PINVIEW_ERROR_INVALID_HANDLE, pinview_coordinator_export(bad, good.token, good.store, TEXT("name"), 0, NULL, NULL, NULL));
        }
        FAILS(PINVIEW_ERROR_INVALID_HANDLE, pinview_coordinator_export(NULL, good.token, good.store, TEXT("name"), 0, NULL, NULL, NULL));
    }
    {
        for (int number = 0; number < bad_count; number++) {
            void *bad = bad_handle(number, good.object);
            FAILS(PINVIEW_ERROR_INVALID_HANDLE, pinview_coordinator_export(good.coordinator, bad, good.store, TEXT("name"), 0, NULL, NULL, NULL));
        }
    }
    {
        for (int number = 0; number < bad_count; number++) {
            void *bad = bad_handle(number, good.object);
            FAILS(PINVIEW_ERROR_INVALID_HANDLE, pinview_coordinator_export(good.coordinator, good.token, bad, TEXT("name"), 0, NULL, NULL, NULL));
        }
    }
    {
        FAILS(PINVIEW_ERROR_INVALID_UTF8, pinview_coordinator_export(good.coordinator, good.token, good.store, TEXT("a\xff"), 0, NULL, NULL, NULL));
    }
    {
        for (int bit = 0; bit < 32; bit++) {
            const uint32_t flag = UINT32_C(1) << bit;
            if ((UINT32_C(1) & flag) != 0) continue;
            FAILS(PINVIEW_ERROR_INVALID_ARGUMENT, pinview_coordinator_export(good.coordinator, good.token, good.store, TEXT("name"), flag, NULL, NULL, ERROR));
            EXPECT(has_said("the flag ") || has_said("reserved"));
        }
    }
    {
        for (int number = 0; number < huge_count; number++) {
            FAILS(PINVIEW_ERROR_INVALID_ARGUMENT, pinview_coordinator_export(good.coordinator, good.token, good.store, huge_text(huge_sizes[number]), 0, NULL, NULL, ERROR)); EXPECT(has_said("must be between"));
        }
    }
    tear_down();
}

static void misuse_of_pinview_export_database(void) {
    set_up();
    {
        FAILS(PINVIEW_ERROR_INVALID_UTF8, pinview_export_database(TEXT("a\xff"), TEXT("name"), 0, NULL, NULL, NULL));
    }
    {
        FAILS(PINVIEW_ERROR_INVALID_UTF8, pinview_export_database(TEXT("name"), TEXT("a\xff"), 0, NULL, NULL, NULL));
    }
    {
        for (int bit = 0; bit < 32; bit++) {
            const uint32_t flag = UINT32_C(1) << bit;
            if ((UINT32_C(1) & flag) != 0) continue;
            FAILS(PINVIEW_ERROR_INVALID_ARGUMENT, pinview_export_database(TEXT("name"), TEXT("name"), flag, NULL, NULL, ERROR));
            EXPECT(has_said("the flag ") || has_said("reserved"));
        }
    }
    {
        for (int number = 0; number < huge_count; number++) {
            FAILS(PINVIEW_ERROR_INVALID_ARGUMENT, pinview_export_database(huge_text(huge_sizes[number]), TEXT("name"), 0, NULL, NULL, ERROR)); EXPECT(has_said("must be between"));
        }
    }
    {
        for (int number = 0; number < huge_count; number++) {
            FAILS(PINVIEW_ERROR_INVALID_ARGUMENT, pinview_export_database(TEXT("name"), huge_text(huge_sizes[number]), 0, NULL, NULL, ERROR)); EXPECT(has_said("must be between"));
        }
    }
    tear_down();
}

static void misuse_of_pinview_coordinator_query_sql(void) {
    set_up();
    {
        pinview_sql_cursor * out_out; memset(&out_out, 0, sizeof out_out);
        for (int number = 0; number < bad_count; number++) {
            void *bad = bad_handle(number, good.object);
            FAILS(PINVIEW_ERROR_INVALID_HANDLE, pinview_coordinator_query_sql(bad, good.token, good.store, TEXT("name"), NULL, 0, &out_out, NULL));
        }
        FAILS(PINVIEW_ERROR_INVALID_HANDLE, pinview_coordinator_query_sql(NULL, good.token, good.store, TEXT("name"), NULL, 0, &out_out, NULL));
    }
    {
        pinview_sql_cursor * out_out; memset(&out_out, 0, sizeof out_out);
        for (int number = 0; number < bad_count; number++) {
            void *bad = bad_handle(number, good.object);
            FAILS(PINVIEW_ERROR_INVALID_HANDLE, pinview_coordinator_query_sql(good.coordinator, bad, good.store, TEXT("name"), NULL, 0, &out_out, NULL));
        }
    }
    {
        pinview_sql_cursor * out_out; memset(&out_out, 0, sizeof out_out);
        for (int number = 0; number < bad_count; number++) {
            void *bad = bad_handle(number, good.object);
            FAILS(PINVIEW_ERROR_INVALID_HANDLE, pinview_coordinator_query_sql(good.coordinator, good.token, bad, TEXT("name"), NULL, 0, &out_out, NULL));
        }
    }
    {
        FAILS(PINVIEW_ERROR_INVALID_ARGUMENT, pinview_coordinator_query_sql(good.coordinator, good.token, good.store, TEXT("name"), NULL, 0, NULL, NULL));
    }
    {
        pinview_sql_cursor * out_out; memset(&out_out, 0, sizeof out_out);
        FAILS(PINVIEW_ERROR_INVALID_UTF8, pinview_coordinator_query_sql(good.coordinator, good.token, good.store, TEXT("a\xff"), NULL, 0, &out_out, NULL));
    }
    {
        pinview_sql_cursor * out_out; memset(&out_out, 0, sizeof out_out);
        for (int number = 0; number < huge_count; number++) {
            FAILS(PINVIEW_ERROR_INVALID_ARGUMENT, pinview_coordinator_query_sql(good.coordinator, good.token, good.store, huge_text(huge_sizes[number]), NULL, 0, &out_out, ERROR)); EXPECT(has_said("must be between"));
        }
    }
    {
        pinview_sql_cursor * out_out; memset(&out_out, 0, sizeof out_out);
        guarded_place place_out;
        for (int number = 0; number < huge_count; number++) {
            const size_t size = huge_sizes[number];
            FAILS(PINVIEW_ERROR_INVALID_ARGUMENT, pinview_coordinator_query_sql(good.coordinator, good.token, good.store, TEXT("name"), (const pinview_named_value*)(NULL), size, guarded(&place_out), ERROR)); EXPECT(has_said("must be between"));
            EXPECT(is_untouched(&place_out));
        }
    }
    {
        pinview_sql_cursor * out_out; memset(&out_out, 0, sizeof out_out);
        guarded_place place_out;
        for (int number = 0; number < huge_count; number++) {
            const size_t size = huge_sizes[number];
            FAILS(PINVIEW_ERROR_INVALID_ARGUMENT, pinview_coordinator_query_sql(good.coordinator, good.token, good.store, TEXT("name"), (const pinview_named_value*)(short_array), size, guarded(&place_out), ERROR)); EXPECT(has_said("must be between"));
            EXPECT(is_untouched(&place_out));
        }
    }
    tear_down();
}

static void misuse_of_pinview_context_query_sql(void) {
    set_up();
    {
        pinview_sql_cursor * out_out; memset(&out_out, 0, sizeof out_out);
        for (int number = 0; number < bad_count; number++) {
            void *bad = bad_handle(number, good.object);
            FAILS(PINVIEW_ERROR_INVALID_HANDLE, pinview_context_query_sql(bad, good.store, TEXT("name"), NULL, 0, &out_out, NULL));
        }
        FAILS(PINVIEW_ERROR_INVALID_HANDLE, pinview_context_query_sql(NULL, good.store, TEXT("name"), NULL, 0, &out_out, NULL));
    }
    {
        pinview_sql_cursor * out_out; memset(&out_out, 0, sizeof out_out);
        for (int number = 0; number < bad_count; number++) {
            void *bad = bad_handle(number, good.object);
            FAILS(PINVIEW_ERROR_INVALID_HANDLE, pinview_context_query_sql(good.context, bad, TEXT("name"), NULL, 0, &out_out, NULL));
        }
    }
    {
        FAILS(PINVIEW_ERROR_INVALID_ARGUMENT, pinview_context_query_sql(good.context, good.store, TEXT("name"), NULL, 0, NULL, NULL));
    }
    {
        pinview_sql_cursor * out_out; memset(&out_out, 0, sizeof out_out);
        FAILS(PINVIEW_ERROR_INVALID_UTF8, pinview_context_query_sql(good.context, good.store, TEXT("a\xff"), NULL, 0, &out_out, NULL));
    }
    {
        pinview_sql_cursor * out_out; memset(&out_out, 0, sizeof out_out);
        for (int number = 0; number < huge_count; number++) {
            FAILS(PINVIEW_ERROR_INVALID_ARGUMENT, pinview_context_query_sql(good.context, good.store, huge_text(huge_sizes[number]), NULL, 0, &out_out, ERROR)); EXPECT(has_said("must be between"));
        }
    }
    {
        pinview_sql_cursor * out_out; memset(&out_out, 0, sizeof out_out);
        guarded_place place_out;
        for (int number = 0; number < huge_count; number++) {
            const size_t size = huge_sizes[number];
            FAILS(PINVIEW_ERROR_INVALID_ARGUMENT, pinview_context_query_sql(good.context, good.store, TEXT("name"), (const pinview_named_value*)(NULL), size, guarded(&place_out), ERROR)); EXPECT(has_said("must be between"));
            EXPECT(is_untouched(&place_out));
        }
    }
    {
        pinview_sql_cursor * out_out; memset(&out_out, 0, sizeof out_out);
        guarded_place place_out;
        for (int number = 0; number < huge_count; number++) {
            const size_t size = huge_sizes[number];
            FAILS(PINVIEW_ERROR_INVALID_ARGUMENT, pinview_context_query_sql(good.context, good.store, TEXT("name"), (const pinview_named_value*)(short_array), size, guarded(&place_out), ERROR)); EXPECT(has_said("must be between"));
            EXPECT(is_untouched(&place_out));
        }
    }
    tear_down();
}

static void misuse_of_pinview_sql_cursor_column_count(void) {
    set_up();
    {
        for (int number = 0; number < bad_count; number++) {
            void *bad = bad_handle(number, good.object);
            EXPECT(pinview_sql_cursor_column_count(bad) == 0);
        }
        EXPECT(pinview_sql_cursor_column_count(NULL) == 0);
    }
    tear_down();
}

static void misuse_of_pinview_sql_cursor_column_name(void) {
    set_up();
    {
        for (int number = 0; number < bad_count; number++) {
            void *bad = bad_handle(number, good.object);
            EXPECT_TEXT(pinview_sql_cursor_column_name(bad, 0), NULL);
        }
        EXPECT_TEXT(pinview_sql_cursor_column_name(NULL, 0), NULL);
    }
    {
        for (int number = 0; number < huge_count; number++) {
            const size_t size = huge_sizes[number];
            EXPECT_TEXT(pinview_sql_cursor_column_name(good.sql_cursor, size), NULL);
        }
    }
    {
        for (int number = 0; number < huge_count; number++) {
            const size_t size = huge_sizes[number];
            EXPECT_TEXT(pinview_sql_cursor_column_name(good.sql_cursor, size), NULL);
        }
    }
    tear_down();
}

static void misuse_of_pinview_sql_cursor_read(void) {
    set_up();
    {
        const pinview_value * out_values; memset(&out_values, 0, sizeof out_values);
        size_t out_row_count; memset(&out_row_count, 0, sizeof out_row_count);
        for (int number = 0; number < bad_count; number++) {
            void *bad = bad_handle(number, good.object);
            FAILS(PINVIEW_ERROR_INVALID_HANDLE, pinview_sql_cursor_read(bad, 0, &out_values, &out_row_count, NULL));
        }
        FAILS(PINVIEW_ERROR_INVALID_HANDLE, pinview_sql_cursor_read(NULL, 0, &out_values, &out_row_count, NULL));
    }
    {
        const pinview_value * out_values; memset(&out_values, 0, sizeof out_values);
        FAILS(PINVIEW_ERROR_INVALID_ARGUMENT, pinview_sql_cursor_read(good.sql_cursor, 0, &out_values, NULL, NULL));
    }
    {
        const pinview_value * out_values; memset(&out_values, 0, sizeof out_values);
        size_t out_row_count; memset(&out_row_count, 0, sizeof out_row_count);
        guarded_place place_row_count;
        for (int number = 0; number < huge_count; number++) {
            const size_t size = huge_sizes[number];
            FAILS(PINVIEW_ERROR_INVALID_ARGUMENT, pinview_sql_cursor_read(good.sql_cursor, size, &out_values, guarded(&place_row_count), ERROR)); EXPECT(has_said("must be between"));
            EXPECT(is_untouched(&place_row_count));
        }
    }
    {
        const pinview_value * out_values; memset(&out_values, 0, sizeof out_values);
        size_t out_row_count; memset(&out_row_count, 0, sizeof out_row_count);
        guarded_place place_row_count;
        for (int number = 0; number < huge_count; number++) {
            const size_t size = huge_sizes[number];
            FAILS(PINVIEW_ERROR_INVALID_ARGUMENT, pinview_sql_cursor_read(good.sql_cursor, size, &out_values, guarded(&place_row_count), ERROR)); EXPECT(has_said("must be between"));
            EXPECT(is_untouched(&place_row_count));
        }
    }
    tear_down();
}

static void misuse_of_pinview_sql_cursor_interrupt(void) {
    set_up();
    {
        for (int number = 0; number < bad_count; number++) {
            void *bad = bad_handle(number, good.object);
            FAILS(PINVIEW_ERROR_INVALID_HANDLE, pinview_sql_cursor_interrupt(bad, NULL));
        }
        FAILS(PINVIEW_ERROR_INVALID_HANDLE, pinview_sql_cursor_interrupt(NULL, NULL));
    }
    tear_down();
}

static void misuse_of_pinview_coordinator_set_journal_callback(void) {
    set_up();
    {
        for (int number = 0; number < bad_count; number++) {
            void *bad = bad_handle(number, good.object);
            FAILS(PINVIEW_ERROR_INVALID_HANDLE, pinview_coordinator_set_journal_callback(bad, NULL, NULL, free_nothing, NULL));
        }
        FAILS(PINVIEW_ERROR_INVALID_HANDLE, pinview_coordinator_set_journal_callback(NULL, NULL, NULL, free_nothing, NULL));
    }
    tear_down();
}

static void misuse_of_pinview_coordinator_journal_report(void) {
    set_up();
    {
        pinview_journal_report * out_out; memset(&out_out, 0, sizeof out_out);
        for (int number = 0; number < bad_count; number++) {
            void *bad = bad_handle(number, good.object);
            FAILS(PINVIEW_ERROR_INVALID_HANDLE, pinview_coordinator_journal_report(bad, &out_out, NULL));
        }
        FAILS(PINVIEW_ERROR_INVALID_HANDLE, pinview_coordinator_journal_report(NULL, &out_out, NULL));
    }
    {
        FAILS(PINVIEW_ERROR_INVALID_ARGUMENT, pinview_coordinator_journal_report(good.coordinator, NULL, NULL));
    }
    tear_down();
}

static void misuse_of_pinview_coordinator_journal_report_text(void) {
    set_up();
    {
        pinview_string out_out; memset(&out_out, 0, sizeof out_out);
        for (int number = 0; number < bad_count; number++) {
            void *bad = bad_handle(number, good.object);
            FAILS(PINVIEW_ERROR_INVALID_HANDLE, pinview_coordinator_journal_report_text(bad, good.buffer, &out_out, NULL));
        }
        FAILS(PINVIEW_ERROR_INVALID_HANDLE, pinview_coordinator_journal_report_text(NULL, good.buffer, &out_out, NULL));
    }
    {
        pinview_string out_out; memset(&out_out, 0, sizeof out_out);
        for (int number = 0; number < bad_count; number++) {
            void *bad = bad_handle(number, good.object);
            FAILS(PINVIEW_ERROR_INVALID_HANDLE, pinview_coordinator_journal_report_text(good.coordinator, bad, &out_out, NULL));
        }
        FAILS(PINVIEW_ERROR_INVALID_HANDLE, pinview_coordinator_journal_report_text(good.coordinator, NULL, &out_out, NULL));
    }
    {
        FAILS(PINVIEW_ERROR_INVALID_ARGUMENT, pinview_coordinator_journal_report_text(good.coordinator, good.buffer, NULL, NULL));
    }
    tear_down();
}

static void misuse_of_pinview_journal_report_create_for_file(void) {
    set_up();
    {
        FAILS(PINVIEW_ERROR_INVALID_ARGUMENT, pinview_journal_report_create_for_file(TEXT("name"), NULL, NULL));
    }
    {
        pinview_journal_report * out_out; memset(&out_out, 0, sizeof out_out);
        FAILS(PINVIEW_ERROR_INVALID_UTF8, pinview_journal_report_create_for_file(TEXT("a\xff"), &out_out, NULL));
    }
    {
        pinview_journal_report * out_out; memset(&out_out, 0, sizeof out_out);
        for (int number = 0; number < huge_count; number++) {
            FAILS(PINVIEW_ERROR_INVALID_ARGUMENT, pinview_journal_report_create_for_file(huge_text(huge_sizes[number]), &out_out, ERROR)); EXPECT(has_said("must be between"));
        }
    }
    tear_down();
}

static void misuse_of_pinview_journal_report_store_count(void) {
    set_up();
    {
        for (int number = 0; number < bad_count; number++) {
            void *bad = bad_handle(number, good.object);
            EXPECT(pinview_journal_report_store_count(bad) == 0);
        }
        EXPECT(pinview_journal_report_store_count(NULL) == 0);
    }
    tear_down();
}

static void misuse_of_pinview_journal_report_store(void) {
    set_up();
    {
        pinview_journal_store out_out; memset(&out_out, 0, sizeof out_out);
        out_out.struct_size = sizeof out_out;
        for (int number = 0; number < bad_count; number++) {
            void *bad = bad_handle(number, good.object);
            FAILS(PINVIEW_ERROR_INVALID_HANDLE, pinview_journal_report_store(bad, 0, &out_out, NULL));
        }
        FAILS(PINVIEW_ERROR_INVALID_HANDLE, pinview_journal_report_store(NULL, 0, &out_out, NULL));
    }
    {
        FAILS(PINVIEW_ERROR_INVALID_ARGUMENT, pinview_journal_report_store(good.journal_report, 0, NULL, NULL));
    }
    {
        pinview_journal_store out_out; memset(&out_out, 0, sizeof out_out);
        out_out.struct_size = sizeof out_out;
        union { pinview_journal_store known; unsigned char bytes[sizeof(pinview_journal_store) + extra_bytes]; } larger;
        memset(&larger, 0, sizeof larger);
        larger.known = out_out;
        larger.known.struct_size = sizeof(pinview_journal_store);
        int is_good = pinview_journal_report_store(good.journal_report, 0, &larger.known, ERROR) == PINVIEW_OK;
        for (int number = 0; is_good && number < 3; number++) {
            const uint32_t sizes[] = {0, 4, UINT32_MAX};
            larger.known.struct_size = sizes[number];
            EXPECT_REFUSAL(pinview_journal_report_store(good.journal_report, 0, &larger.known, ERROR), "struct_size");
        }
        larger.known.struct_size = sizeof larger;
        memset(larger.bytes + sizeof(pinview_journal_store), 7, extra_bytes);
        if (is_good) OK(pinview_journal_report_store(good.journal_report, 0, &larger.known, ERROR));
        for (size_t place = 0; is_good && place < extra_bytes; place++)
            EXPECT_NUMBER(larger.bytes[sizeof(pinview_journal_store) + place], 0);
    }
    tear_down();
}

static void misuse_of_pinview_journal_report_generation(void) {
    set_up();
    {
        pinview_journal_generation out_out; memset(&out_out, 0, sizeof out_out);
        out_out.struct_size = sizeof out_out;
        for (int number = 0; number < bad_count; number++) {
            void *bad = bad_handle(number, good.object);
            FAILS(PINVIEW_ERROR_INVALID_HANDLE, pinview_journal_report_generation(bad, 0, 0, &out_out, NULL));
        }
        FAILS(PINVIEW_ERROR_INVALID_HANDLE, pinview_journal_report_generation(NULL, 0, 0, &out_out, NULL));
    }
    {
        FAILS(PINVIEW_ERROR_INVALID_ARGUMENT, pinview_journal_report_generation(good.journal_report, 0, 0, NULL, NULL));
    }
    {
        pinview_journal_generation out_out; memset(&out_out, 0, sizeof out_out);
        out_out.struct_size = sizeof out_out;
        union { pinview_journal_generation known; unsigned char bytes[sizeof(pinview_journal_generation) + extra_bytes]; } larger;
        memset(&larger, 0, sizeof larger);
        larger.known = out_out;
        larger.known.struct_size = sizeof(pinview_journal_generation);
        int is_good = pinview_journal_report_generation(good.journal_report, 0, 0, &larger.known, ERROR) == PINVIEW_OK;
        for (int number = 0; is_good && number < 3; number++) {
            const uint32_t sizes[] = {0, 4, UINT32_MAX};
            larger.known.struct_size = sizes[number];
            EXPECT_REFUSAL(pinview_journal_report_generation(good.journal_report, 0, 0, &larger.known, ERROR), "struct_size");
        }
        larger.known.struct_size = sizeof larger;
        memset(larger.bytes + sizeof(pinview_journal_generation), 7, extra_bytes);
        if (is_good) OK(pinview_journal_report_generation(good.journal_report, 0, 0, &larger.known, ERROR));
        for (size_t place = 0; is_good && place < extra_bytes; place++)
            EXPECT_NUMBER(larger.bytes[sizeof(pinview_journal_generation) + place], 0);
    }
    tear_down();
}

static void misuse_of_pinview_journal_report_context(void) {
    set_up();
    {
        pinview_journal_context out_out; memset(&out_out, 0, sizeof out_out);
        out_out.struct_size = sizeof out_out;
        for (int number = 0; number < bad_count; number++) {
            void *bad = bad_handle(number, good.object);
            FAILS(PINVIEW_ERROR_INVALID_HANDLE, pinview_journal_report_context(bad, 0, 0, 0, &out_out, NULL));
        }
        FAILS(PINVIEW_ERROR_INVALID_HANDLE, pinview_journal_report_context(NULL, 0, 0, 0, &out_out, NULL));
    }
    {
        FAILS(PINVIEW_ERROR_INVALID_ARGUMENT, pinview_journal_report_context(good.journal_report, 0, 0, 0, NULL, NULL));
    }
    {
        pinview_journal_context out_out; memset(&out_out, 0, sizeof out_out);
        out_out.struct_size = sizeof out_out;
        union { pinview_journal_context known; unsigned char bytes[sizeof(pinview_journal_context) + extra_bytes]; } larger;
        memset(&larger, 0, sizeof larger);
        larger.known = out_out;
        larger.known.struct_size = sizeof(pinview_journal_context);
        int is_good = pinview_journal_report_context(good.journal_report, 0, 0, 0, &larger.known, ERROR) == PINVIEW_OK;
        for (int number = 0; is_good && number < 3; number++) {
            const uint32_t sizes[] = {0, 4, UINT32_MAX};
            larger.known.struct_size = sizes[number];
            EXPECT_REFUSAL(pinview_journal_report_context(good.journal_report, 0, 0, 0, &larger.known, ERROR), "struct_size");
        }
        larger.known.struct_size = sizeof larger;
        memset(larger.bytes + sizeof(pinview_journal_context), 7, extra_bytes);
        if (is_good) OK(pinview_journal_report_context(good.journal_report, 0, 0, 0, &larger.known, ERROR));
        for (size_t place = 0; is_good && place < extra_bytes; place++)
            EXPECT_NUMBER(larger.bytes[sizeof(pinview_journal_context) + place], 0);
    }
    tear_down();
}

static void misuse_of_pinview_journal_report_process(void) {
    set_up();
    {
        pinview_journal_process out_out; memset(&out_out, 0, sizeof out_out);
        out_out.struct_size = sizeof out_out;
        for (int number = 0; number < bad_count; number++) {
            void *bad = bad_handle(number, good.object);
            FAILS(PINVIEW_ERROR_INVALID_HANDLE, pinview_journal_report_process(bad, 0, 0, &out_out, NULL));
        }
        FAILS(PINVIEW_ERROR_INVALID_HANDLE, pinview_journal_report_process(NULL, 0, 0, &out_out, NULL));
    }
    {
        FAILS(PINVIEW_ERROR_INVALID_ARGUMENT, pinview_journal_report_process(good.journal_report, 0, 0, NULL, NULL));
    }
    {
        pinview_journal_process out_out; memset(&out_out, 0, sizeof out_out);
        out_out.struct_size = sizeof out_out;
        union { pinview_journal_process known; unsigned char bytes[sizeof(pinview_journal_process) + extra_bytes]; } larger;
        memset(&larger, 0, sizeof larger);
        larger.known = out_out;
        larger.known.struct_size = sizeof(pinview_journal_process);
        int is_good = pinview_journal_report_process(good.journal_report, 0, 0, &larger.known, ERROR) == PINVIEW_OK;
        for (int number = 0; is_good && number < 3; number++) {
            const uint32_t sizes[] = {0, 4, UINT32_MAX};
            larger.known.struct_size = sizes[number];
            EXPECT_REFUSAL(pinview_journal_report_process(good.journal_report, 0, 0, &larger.known, ERROR), "struct_size");
        }
        larger.known.struct_size = sizeof larger;
        memset(larger.bytes + sizeof(pinview_journal_process), 7, extra_bytes);
        if (is_good) OK(pinview_journal_report_process(good.journal_report, 0, 0, &larger.known, ERROR));
        for (size_t place = 0; is_good && place < extra_bytes; place++)
            EXPECT_NUMBER(larger.bytes[sizeof(pinview_journal_process) + place], 0);
    }
    tear_down();
}

static void misuse_of_pinview_journal_report_read_mark_frame(void) {
    set_up();
    {
        for (int number = 0; number < bad_count; number++) {
            void *bad = bad_handle(number, good.object);
            EXPECT(pinview_journal_report_read_mark_frame(bad, 0, 0) == 0);
        }
        EXPECT(pinview_journal_report_read_mark_frame(NULL, 0, 0) == 0);
    }
    tear_down();
}

static void misuse_of_pinview_open(void) {
    set_up();
    {
        FAILS(PINVIEW_ERROR_INVALID_ARGUMENT, pinview_open(people_json, NULL, NULL, 0, NULL, NULL));
    }
    {
        pinview_context * out_out; memset(&out_out, 0, sizeof out_out);
        FAILS(PINVIEW_ERROR_INVALID_UTF8, pinview_open("a\xff", NULL, NULL, 0, &out_out, NULL));
    }
    {
        pinview_context * out_out; memset(&out_out, 0, sizeof out_out);
        FAILS(PINVIEW_ERROR_INVALID_UTF8, pinview_open(people_json, "a\xff", NULL, 0, &out_out, NULL));
    }
    {
        pinview_context * out_out; memset(&out_out, 0, sizeof out_out);
        guarded_place place_out;
        for (int number = 0; number < huge_count; number++) {
            const size_t size = huge_sizes[number];
            FAILS(PINVIEW_ERROR_INVALID_ARGUMENT, pinview_open(people_json, (const char*)(NULL), (const pinview_named_value*)(NULL), size, guarded(&place_out), ERROR)); EXPECT(has_said("must be between"));
            EXPECT(is_untouched(&place_out));
        }
    }
    {
        pinview_context * out_out; memset(&out_out, 0, sizeof out_out);
        guarded_place place_out;
        for (int number = 0; number < huge_count; number++) {
            const size_t size = huge_sizes[number];
            FAILS(PINVIEW_ERROR_INVALID_ARGUMENT, pinview_open(people_json, (const char*)(short_array), (const pinview_named_value*)(short_array), size, guarded(&place_out), ERROR)); EXPECT(has_said("must be between"));
            EXPECT(is_untouched(&place_out));
        }
    }
    tear_down();
}

static void misuse_of_pinview_open_another(void) {
    set_up();
    {
        pinview_context * out_out; memset(&out_out, 0, sizeof out_out);
        for (int number = 0; number < bad_count; number++) {
            void *bad = bad_handle(number, good.object);
            FAILS(PINVIEW_ERROR_INVALID_HANDLE, pinview_open_another(bad, &out_out, NULL));
        }
        FAILS(PINVIEW_ERROR_INVALID_HANDLE, pinview_open_another(NULL, &out_out, NULL));
    }
    {
        FAILS(PINVIEW_ERROR_INVALID_ARGUMENT, pinview_open_another(good.context, NULL, NULL));
    }
    tear_down();
}

static void misuse_of_pinview_insert(void) {
    set_up();
    {
        pinview_object * out_out; memset(&out_out, 0, sizeof out_out);
        for (int number = 0; number < bad_count; number++) {
            void *bad = bad_handle(number, good.object);
            FAILS(PINVIEW_ERROR_INVALID_HANDLE, pinview_insert(bad, "Person", NULL, 0, &out_out, NULL));
        }
        FAILS(PINVIEW_ERROR_INVALID_HANDLE, pinview_insert(NULL, "Person", NULL, 0, &out_out, NULL));
    }
    {
        pinview_object * out_out; memset(&out_out, 0, sizeof out_out);
        FAILS(PINVIEW_ERROR_INVALID_UTF8, pinview_insert(good.context, "a\xff", NULL, 0, &out_out, NULL));
    }
    {
        pinview_object * out_out; memset(&out_out, 0, sizeof out_out);
        guarded_place place_out;
        for (int number = 0; number < huge_count; number++) {
            const size_t size = huge_sizes[number];
            FAILS(PINVIEW_ERROR_INVALID_ARGUMENT, pinview_insert(good.context, "Person", (const pinview_named_value*)(NULL), size, guarded(&place_out), ERROR)); EXPECT(has_said("must be between"));
            EXPECT(is_untouched(&place_out));
        }
    }
    {
        pinview_object * out_out; memset(&out_out, 0, sizeof out_out);
        guarded_place place_out;
        for (int number = 0; number < huge_count; number++) {
            const size_t size = huge_sizes[number];
            FAILS(PINVIEW_ERROR_INVALID_ARGUMENT, pinview_insert(good.context, "Person", (const pinview_named_value*)(short_array), size, guarded(&place_out), ERROR)); EXPECT(has_said("must be between"));
            EXPECT(is_untouched(&place_out));
        }
    }
    tear_down();
}

static void misuse_of_pinview_set(void) {
    set_up();
    {
        for (int number = 0; number < bad_count; number++) {
            void *bad = bad_handle(number, good.store);
            FAILS(PINVIEW_ERROR_INVALID_HANDLE, pinview_set(bad, NULL, 0, NULL));
        }
        FAILS(PINVIEW_ERROR_INVALID_HANDLE, pinview_set(NULL, NULL, 0, NULL));
    }
    {
        for (int number = 0; number < huge_count; number++) {
            const size_t size = huge_sizes[number];
            FAILS(PINVIEW_ERROR_INVALID_ARGUMENT, pinview_set(good.object, (const pinview_named_value*)(NULL), size, ERROR)); EXPECT(has_said("must be between"));
        }
    }
    {
        for (int number = 0; number < huge_count; number++) {
            const size_t size = huge_sizes[number];
            FAILS(PINVIEW_ERROR_INVALID_ARGUMENT, pinview_set(good.object, (const pinview_named_value*)(short_array), size, ERROR)); EXPECT(has_said("must be between"));
        }
    }
    tear_down();
}

static void misuse_of_pinview_fetch(void) {
    set_up();
    {
        pinview_value in_arguments; memset(&in_arguments, 0, sizeof in_arguments);
        pinview_result * out_out; memset(&out_out, 0, sizeof out_out);
        for (int number = 0; number < bad_count; number++) {
            void *bad = bad_handle(number, good.object);
            FAILS(PINVIEW_ERROR_INVALID_HANDLE, pinview_fetch(bad, "Person", NULL, &in_arguments, 0, NULL, &out_out, NULL));
        }
        FAILS(PINVIEW_ERROR_INVALID_HANDLE, pinview_fetch(NULL, "Person", NULL, &in_arguments, 0, NULL, &out_out, NULL));
    }
    {
        pinview_value in_arguments; memset(&in_arguments, 0, sizeof in_arguments);
        pinview_result * out_out; memset(&out_out, 0, sizeof out_out);
        FAILS(PINVIEW_ERROR_INVALID_UTF8, pinview_fetch(good.context, "a\xff", NULL, &in_arguments, 0, NULL, &out_out, NULL));
    }
    {
        pinview_value in_arguments; memset(&in_arguments, 0, sizeof in_arguments);
        pinview_result * out_out; memset(&out_out, 0, sizeof out_out);
        FAILS(PINVIEW_ERROR_INVALID_UTF8, pinview_fetch(good.context, "Person", "a\xff", &in_arguments, 0, NULL, &out_out, NULL));
    }
    {
        pinview_value in_arguments; memset(&in_arguments, 0, sizeof in_arguments);
        pinview_result * out_out; memset(&out_out, 0, sizeof out_out);
        FAILS(PINVIEW_ERROR_INVALID_UTF8, pinview_fetch(good.context, "Person", NULL, &in_arguments, 0, "a\xff", &out_out, NULL));
    }
    {
        pinview_value in_arguments; memset(&in_arguments, 0, sizeof in_arguments);
        pinview_result * out_out; memset(&out_out, 0, sizeof out_out);
        guarded_place place_out;
        for (int number = 0; number < huge_count; number++) {
            const size_t size = huge_sizes[number];
            FAILS(PINVIEW_ERROR_INVALID_ARGUMENT, pinview_fetch(good.context, "Person", (const char*)(NULL), &in_arguments, size, (const char*)(NULL), guarded(&place_out), ERROR)); EXPECT(has_said("must be between"));
            EXPECT(is_untouched(&place_out));
        }
    }
    {
        pinview_value in_arguments; memset(&in_arguments, 0, sizeof in_arguments);
        pinview_result * out_out; memset(&out_out, 0, sizeof out_out);
        guarded_place place_out;
        for (int number = 0; number < huge_count; number++) {
            const size_t size = huge_sizes[number];
            FAILS(PINVIEW_ERROR_INVALID_ARGUMENT, pinview_fetch(good.context, "Person", (const char*)(short_array), &in_arguments, size, (const char*)(short_array), guarded(&place_out), ERROR)); EXPECT(has_said("must be between"));
            EXPECT(is_untouched(&place_out));
        }
    }
    tear_down();
}

static void misuse_of_pinview_fetch_first(void) {
    set_up();
    {
        pinview_value in_arguments; memset(&in_arguments, 0, sizeof in_arguments);
        pinview_object * out_out; memset(&out_out, 0, sizeof out_out);
        for (int number = 0; number < bad_count; number++) {
            void *bad = bad_handle(number, good.object);
            FAILS(PINVIEW_ERROR_INVALID_HANDLE, pinview_fetch_first(bad, "Person", NULL, &in_arguments, 0, NULL, &out_out, NULL));
        }
        FAILS(PINVIEW_ERROR_INVALID_HANDLE, pinview_fetch_first(NULL, "Person", NULL, &in_arguments, 0, NULL, &out_out, NULL));
    }
    {
        pinview_value in_arguments; memset(&in_arguments, 0, sizeof in_arguments);
        pinview_object * out_out; memset(&out_out, 0, sizeof out_out);
        FAILS(PINVIEW_ERROR_INVALID_UTF8, pinview_fetch_first(good.context, "a\xff", NULL, &in_arguments, 0, NULL, &out_out, NULL));
    }
    {
        pinview_value in_arguments; memset(&in_arguments, 0, sizeof in_arguments);
        pinview_object * out_out; memset(&out_out, 0, sizeof out_out);
        FAILS(PINVIEW_ERROR_INVALID_UTF8, pinview_fetch_first(good.context, "Person", "a\xff", &in_arguments, 0, NULL, &out_out, NULL));
    }
    {
        pinview_value in_arguments; memset(&in_arguments, 0, sizeof in_arguments);
        pinview_object * out_out; memset(&out_out, 0, sizeof out_out);
        FAILS(PINVIEW_ERROR_INVALID_UTF8, pinview_fetch_first(good.context, "Person", NULL, &in_arguments, 0, "a\xff", &out_out, NULL));
    }
    {
        pinview_value in_arguments; memset(&in_arguments, 0, sizeof in_arguments);
        pinview_object * out_out; memset(&out_out, 0, sizeof out_out);
        guarded_place place_out;
        for (int number = 0; number < huge_count; number++) {
            const size_t size = huge_sizes[number];
            FAILS(PINVIEW_ERROR_INVALID_ARGUMENT, pinview_fetch_first(good.context, "Person", (const char*)(NULL), &in_arguments, size, (const char*)(NULL), guarded(&place_out), ERROR)); EXPECT(has_said("must be between"));
            EXPECT(is_untouched(&place_out));
        }
    }
    {
        pinview_value in_arguments; memset(&in_arguments, 0, sizeof in_arguments);
        pinview_object * out_out; memset(&out_out, 0, sizeof out_out);
        guarded_place place_out;
        for (int number = 0; number < huge_count; number++) {
            const size_t size = huge_sizes[number];
            FAILS(PINVIEW_ERROR_INVALID_ARGUMENT, pinview_fetch_first(good.context, "Person", (const char*)(short_array), &in_arguments, size, (const char*)(short_array), guarded(&place_out), ERROR)); EXPECT(has_said("must be between"));
            EXPECT(is_untouched(&place_out));
        }
    }
    tear_down();
}

static void misuse_of_pinview_next(void) {
    set_up();
    {
        uint64_t out_index; memset(&out_index, 0, sizeof out_index);
        pinview_object * out_object; memset(&out_object, 0, sizeof out_object);
        for (int number = 0; number < bad_count; number++) {
            void *bad = bad_handle(number, good.object);
            EXPECT(pinview_next(bad, &out_index, &out_object, NULL) == 0);
        }
        EXPECT(pinview_next(NULL, &out_index, &out_object, NULL) == 0);
    }
    tear_down();
}

static void misuse_of_pinview_get_text(void) {
    set_up();
    {
        for (int number = 0; number < bad_count; number++) {
            void *bad = bad_handle(number, good.store);
            EXPECT(pinview_get_text(bad, "name", NULL, NULL) == NULL);
        }
        EXPECT(pinview_get_text(NULL, "name", NULL, NULL) == NULL);
    }
    tear_down();
}

static void misuse_of_pinview_get_integer(void) {
    set_up();
    {
        for (int number = 0; number < bad_count; number++) {
            void *bad = bad_handle(number, good.store);
            EXPECT(pinview_get_integer(bad, "name", 0, NULL) == 0);
        }
        EXPECT(pinview_get_integer(NULL, "name", 0, NULL) == 0);
    }
    tear_down();
}

static void misuse_of_pinview_get_double(void) {
    set_up();
    {
        for (int number = 0; number < bad_count; number++) {
            void *bad = bad_handle(number, good.store);
            EXPECT(pinview_get_double(bad, "name", 0, NULL) == 0);
        }
        EXPECT(pinview_get_double(NULL, "name", 0, NULL) == 0);
    }
    tear_down();
}

static void misuse_of_pinview_get_boolean(void) {
    set_up();
    {
        for (int number = 0; number < bad_count; number++) {
            void *bad = bad_handle(number, good.store);
            EXPECT(pinview_get_boolean(bad, "name", 0, NULL) == 0);
        }
        EXPECT(pinview_get_boolean(NULL, "name", 0, NULL) == 0);
    }
    tear_down();
}

static void misuse_of_pinview_object_block_retain(void) {
    set_up();
    {
        for (int number = 0; number < bad_count; number++) {
            void *bad = bad_handle(number, good.object);
            FAILS(PINVIEW_ERROR_INVALID_HANDLE, pinview_object_block_retain(bad));
        }
        FAILS(PINVIEW_ERROR_INVALID_HANDLE, pinview_object_block_retain(NULL));
    }
    tear_down();
}

static void misuse_of_pinview_object_block_release(void) {
    set_up();
    {
        for (int number = 0; number < bad_count; number++) {
            void *bad = bad_handle(number, good.object);
            FAILS(PINVIEW_ERROR_INVALID_HANDLE, pinview_object_block_release(bad));
        }
        EXPECT_NUMBER(pinview_object_block_release(NULL), PINVIEW_OK);
    }
    tear_down();
}

static void misuse_of_pinview_result_object_block(void) {
    set_up();
    {
        uint64_t out_names; memset(&out_names, 0, sizeof out_names);
        pinview_object_block * out_out; memset(&out_out, 0, sizeof out_out);
        pinview_object_block_info out_info; memset(&out_info, 0, sizeof out_info);
        for (int number = 0; number < bad_count; number++) {
            void *bad = bad_handle(number, good.object);
            FAILS(PINVIEW_ERROR_INVALID_HANDLE, pinview_result_object_block(bad, 0, 0, &out_names, &out_out, &out_info, NULL));
        }
        FAILS(PINVIEW_ERROR_INVALID_HANDLE, pinview_result_object_block(NULL, 0, 0, &out_names, &out_out, &out_info, NULL));
    }
    {
        uint64_t out_names; memset(&out_names, 0, sizeof out_names);
        pinview_object_block * out_out; memset(&out_out, 0, sizeof out_out);
        pinview_object_block_info out_info; memset(&out_info, 0, sizeof out_info);
        guarded_place place_names;
        guarded_place place_out;
        for (int number = 0; number < huge_count; number++) {
            const size_t size = huge_sizes[number];
            FAILS(PINVIEW_ERROR_INVALID_ARGUMENT, pinview_result_object_block(good.result, 0, size, guarded(&place_names), guarded(&place_out), &out_info, ERROR)); EXPECT(has_said("must be between"));
            EXPECT(is_untouched(&place_names));
            EXPECT(is_untouched(&place_out));
        }
    }
    {
        uint64_t out_names; memset(&out_names, 0, sizeof out_names);
        pinview_object_block * out_out; memset(&out_out, 0, sizeof out_out);
        pinview_object_block_info out_info; memset(&out_info, 0, sizeof out_info);
        guarded_place place_names;
        guarded_place place_out;
        for (int number = 0; number < huge_count; number++) {
            const size_t size = huge_sizes[number];
            FAILS(PINVIEW_ERROR_INVALID_ARGUMENT, pinview_result_object_block(good.result, 0, size, guarded(&place_names), guarded(&place_out), &out_info, ERROR)); EXPECT(has_said("must be between"));
            EXPECT(is_untouched(&place_names));
            EXPECT(is_untouched(&place_out));
        }
    }
    tear_down();
}

static void misuse_of_pinview_objects_object_block(void) {
    set_up();
    {
        uint64_t out_names; memset(&out_names, 0, sizeof out_names);
        pinview_object_block * out_out; memset(&out_out, 0, sizeof out_out);
        pinview_object_block_info out_info; memset(&out_info, 0, sizeof out_info);
        guarded_place place_names;
        guarded_place place_out;
        for (int number = 0; number < huge_count; number++) {
            const size_t size = huge_sizes[number];
            FAILS(PINVIEW_ERROR_INVALID_ARGUMENT, pinview_objects_object_block((pinview_object *const *)(NULL), size, guarded(&place_names), guarded(&place_out), &out_info, ERROR)); EXPECT(has_said("must be between"));
            EXPECT(is_untouched(&place_names));
            EXPECT(is_untouched(&place_out));
        }
    }
    {
        uint64_t out_names; memset(&out_names, 0, sizeof out_names);
        pinview_object_block * out_out; memset(&out_out, 0, sizeof out_out);
        pinview_object_block_info out_info; memset(&out_info, 0, sizeof out_info);
        guarded_place place_names;
        guarded_place place_out;
        for (int number = 0; number < huge_count; number++) {
            const size_t size = huge_sizes[number];
            FAILS(PINVIEW_ERROR_INVALID_ARGUMENT, pinview_objects_object_block((pinview_object *const *)(short_array), size, guarded(&place_names), guarded(&place_out), &out_info, ERROR)); EXPECT(has_said("must be between"));
            EXPECT(is_untouched(&place_names));
            EXPECT(is_untouched(&place_out));
        }
    }
    tear_down();
}

static void misuse_of_pinview_object_block_object(void) {
    set_up();
    {
        pinview_object * out_out; memset(&out_out, 0, sizeof out_out);
        for (int number = 0; number < bad_count; number++) {
            void *bad = bad_handle(number, good.object);
            FAILS(PINVIEW_ERROR_INVALID_HANDLE, pinview_object_block_object(bad, 0, &out_out, NULL));
        }
        FAILS(PINVIEW_ERROR_INVALID_HANDLE, pinview_object_block_object(NULL, 0, &out_out, NULL));
    }
    {
        FAILS(PINVIEW_ERROR_INVALID_ARGUMENT, pinview_object_block_object(good.object_block, 0, NULL, NULL));
    }
    tear_down();
}

static void misuse_of_pinview_object_block_drop(void) {
    set_up();
    {
        for (int number = 0; number < bad_count; number++) {
            void *bad = bad_handle(number, good.object);
            pinview_object_block_drop(bad, NULL, 0);
        }
        pinview_object_block_drop(NULL, NULL, 0);
    }
    {
        for (int number = 0; number < huge_count; number++) {
            const size_t size = huge_sizes[number];
            pinview_object_block_drop(good.object_block, (const uint32_t*)(NULL), size);
        }
    }
    {
        for (int number = 0; number < huge_count; number++) {
            const size_t size = huge_sizes[number];
            pinview_object_block_drop(good.object_block, (const uint32_t*)(short_array), size);
        }
    }
    tear_down();
}

static void misuse_of_pinview_object_block_column(void) {
    set_up();
    {
        pinview_column out_out; memset(&out_out, 0, sizeof out_out);
        for (int number = 0; number < bad_count; number++) {
            void *bad = bad_handle(number, good.object);
            FAILS(PINVIEW_ERROR_INVALID_HANDLE, pinview_object_block_column(bad, 0, 0, 0, good.buffer, &out_out, NULL));
        }
        FAILS(PINVIEW_ERROR_INVALID_HANDLE, pinview_object_block_column(NULL, 0, 0, 0, good.buffer, &out_out, NULL));
    }
    {
        pinview_column out_out; memset(&out_out, 0, sizeof out_out);
        for (int number = 0; number < bad_count; number++) {
            void *bad = bad_handle(number, good.object);
            FAILS(PINVIEW_ERROR_INVALID_HANDLE, pinview_object_block_column(good.object_block, 0, 0, 0, bad, &out_out, NULL));
        }
        FAILS(PINVIEW_ERROR_INVALID_HANDLE, pinview_object_block_column(good.object_block, 0, 0, 0, NULL, &out_out, NULL));
    }
    {
        FAILS(PINVIEW_ERROR_INVALID_ARGUMENT, pinview_object_block_column(good.object_block, 0, 0, 0, good.buffer, NULL, NULL));
    }
    {
        pinview_column out_out; memset(&out_out, 0, sizeof out_out);
        union { pinview_column known; unsigned char bytes[sizeof(pinview_column) + extra_bytes]; } larger;
        memset(&larger, 0, sizeof larger);
        larger.known = out_out;
        larger.known.struct_size = sizeof(pinview_column);
        int is_good = pinview_object_block_column(good.object_block, 0, 0, 0, good.buffer, &larger.known, ERROR) == PINVIEW_OK;
        for (int number = 0; is_good && number < 3; number++) {
            const uint32_t sizes[] = {0, 4, UINT32_MAX};
            larger.known.struct_size = sizes[number];
            EXPECT_REFUSAL(pinview_object_block_column(good.object_block, 0, 0, 0, good.buffer, &larger.known, ERROR), "struct_size");
        }
        larger.known.struct_size = sizeof larger;
        memset(larger.bytes + sizeof(pinview_column), 7, extra_bytes);
        if (is_good) OK(pinview_object_block_column(good.object_block, 0, 0, 0, good.buffer, &larger.known, ERROR));
        for (size_t place = 0; is_good && place < extra_bytes; place++)
            EXPECT_NUMBER(larger.bytes[sizeof(pinview_column) + place], 0);
    }
    tear_down();
}

static void misuse_of_pinview_object_block_fire(void) {
    set_up();
    {
        for (int number = 0; number < bad_count; number++) {
            void *bad = bad_handle(number, good.object);
            EXPECT(pinview_object_block_fire(bad, NULL, 0) == 0);
        }
        EXPECT(pinview_object_block_fire(NULL, NULL, 0) == 0);
    }
    {
        for (int number = 0; number < huge_count; number++) {
            const size_t size = huge_sizes[number];
            EXPECT(pinview_object_block_fire(good.object_block, (const uint32_t*)(NULL), size) == 0);
        }
    }
    {
        for (int number = 0; number < huge_count; number++) {
            const size_t size = huge_sizes[number];
            EXPECT(pinview_object_block_fire(good.object_block, (const uint32_t*)(short_array), size) == 0);
        }
    }
    tear_down();
}

static void misuse_of_pinview_object_block_related_object(void) {
    set_up();
    {
        uint64_t out_name; memset(&out_name, 0, sizeof out_name);
        pinview_object_block * out_out; memset(&out_out, 0, sizeof out_out);
        pinview_object_block_info out_info; memset(&out_info, 0, sizeof out_info);
        for (int number = 0; number < bad_count; number++) {
            void *bad = bad_handle(number, good.object);
            FAILS(PINVIEW_ERROR_INVALID_HANDLE, pinview_object_block_related_object(bad, 0, 0, &out_name, &out_out, &out_info, NULL));
        }
        FAILS(PINVIEW_ERROR_INVALID_HANDLE, pinview_object_block_related_object(NULL, 0, 0, &out_name, &out_out, &out_info, NULL));
    }
    {
        pinview_object_block * out_out; memset(&out_out, 0, sizeof out_out);
        pinview_object_block_info out_info; memset(&out_info, 0, sizeof out_info);
        FAILS(PINVIEW_ERROR_INVALID_ARGUMENT, pinview_object_block_related_object(good.object_block, 0, 0, NULL, &out_out, &out_info, NULL));
    }
    {
        uint64_t out_name; memset(&out_name, 0, sizeof out_name);
        pinview_object_block_info out_info; memset(&out_info, 0, sizeof out_info);
        FAILS(PINVIEW_ERROR_INVALID_ARGUMENT, pinview_object_block_related_object(good.object_block, 0, 0, &out_name, NULL, &out_info, NULL));
    }
    {
        uint64_t out_name; memset(&out_name, 0, sizeof out_name);
        pinview_object_block * out_out; memset(&out_out, 0, sizeof out_out);
        FAILS(PINVIEW_ERROR_INVALID_ARGUMENT, pinview_object_block_related_object(good.object_block, 0, 0, &out_name, &out_out, NULL, NULL));
    }
    {
        pinview_object_block_info out_info; memset(&out_info, 0, sizeof out_info);
        uint64_t out_name; memset(&out_name, 0, sizeof out_name);
        pinview_object_block * out_out; memset(&out_out, 0, sizeof out_out);
        union { pinview_object_block_info known; unsigned char bytes[sizeof(pinview_object_block_info) + extra_bytes]; } larger;
        memset(&larger, 0, sizeof larger);
        larger.known = out_info;
        larger.known.struct_size = sizeof(pinview_object_block_info);
        int is_good = pinview_object_block_related_object(good.object_block, 0, 0, &out_name, &out_out, &larger.known, ERROR) == PINVIEW_OK;
        if (out_out != NULL) (void)pinview_object_block_release(out_out);
        for (int number = 0; is_good && number < 3; number++) {
            const uint32_t sizes[] = {0, 4, UINT32_MAX};
            larger.known.struct_size = sizes[number];
            EXPECT_REFUSAL(pinview_object_block_related_object(good.object_block, 0, 0, &out_name, &out_out, &larger.known, ERROR), "struct_size");
        }
        larger.known.struct_size = sizeof larger;
        memset(larger.bytes + sizeof(pinview_object_block_info), 7, extra_bytes);
        if (is_good) OK(pinview_object_block_related_object(good.object_block, 0, 0, &out_name, &out_out, &larger.known, ERROR));
        if (out_out != NULL) (void)pinview_object_block_release(out_out);
        for (size_t place = 0; is_good && place < extra_bytes; place++)
            EXPECT_NUMBER(larger.bytes[sizeof(pinview_object_block_info) + place], 0);
    }
    tear_down();
}

static void misuse_of_pinview_object_block_related_objects(void) {
    set_up();
    {
        int32_t out_counts; memset(&out_counts, 0, sizeof out_counts);
        size_t out_owner_count; memset(&out_owner_count, 0, sizeof out_owner_count);
        pinview_result * out_out; memset(&out_out, 0, sizeof out_out);
        for (int number = 0; number < bad_count; number++) {
            void *bad = bad_handle(number, good.object);
            FAILS(PINVIEW_ERROR_INVALID_HANDLE, pinview_object_block_related_objects(bad, 0, 0, &out_counts, &out_owner_count, &out_out, NULL));
        }
        FAILS(PINVIEW_ERROR_INVALID_HANDLE, pinview_object_block_related_objects(NULL, 0, 0, &out_counts, &out_owner_count, &out_out, NULL));
    }
    {
        size_t out_owner_count; memset(&out_owner_count, 0, sizeof out_owner_count);
        pinview_result * out_out; memset(&out_out, 0, sizeof out_out);
        FAILS(PINVIEW_ERROR_INVALID_ARGUMENT, pinview_object_block_related_objects(good.object_block, 0, 0, NULL, &out_owner_count, &out_out, NULL));
    }
    {
        int32_t out_counts; memset(&out_counts, 0, sizeof out_counts);
        pinview_result * out_out; memset(&out_out, 0, sizeof out_out);
        FAILS(PINVIEW_ERROR_INVALID_ARGUMENT, pinview_object_block_related_objects(good.object_block, 0, 0, &out_counts, NULL, &out_out, NULL));
    }
    {
        int32_t out_counts; memset(&out_counts, 0, sizeof out_counts);
        size_t out_owner_count; memset(&out_owner_count, 0, sizeof out_owner_count);
        FAILS(PINVIEW_ERROR_INVALID_ARGUMENT, pinview_object_block_related_objects(good.object_block, 0, 0, &out_counts, &out_owner_count, NULL, NULL));
    }
    tear_down();
}

static void misuse_of_pinview_object_block_confirm_related_objects(void) {
    set_up();
    {
        int32_t out_out; memset(&out_out, 0, sizeof out_out);
        for (int number = 0; number < bad_count; number++) {
            void *bad = bad_handle(number, good.object);
            FAILS(PINVIEW_ERROR_INVALID_HANDLE, pinview_object_block_confirm_related_objects(bad, 0, 0, &out_out, NULL));
        }
        FAILS(PINVIEW_ERROR_INVALID_HANDLE, pinview_object_block_confirm_related_objects(NULL, 0, 0, &out_out, NULL));
    }
    {
        FAILS(PINVIEW_ERROR_INVALID_ARGUMENT, pinview_object_block_confirm_related_objects(good.object_block, 0, 0, NULL, NULL));
    }
    tear_down();
}

static void misuse_of_pinview_object_block_contains_related_object(void) {
    set_up();
    {
        int32_t out_out; memset(&out_out, 0, sizeof out_out);
        for (int number = 0; number < bad_count; number++) {
            void *bad = bad_handle(number, good.object);
            FAILS(PINVIEW_ERROR_INVALID_HANDLE, pinview_object_block_contains_related_object(bad, 0, 0, 0, &out_out, NULL));
        }
        FAILS(PINVIEW_ERROR_INVALID_HANDLE, pinview_object_block_contains_related_object(NULL, 0, 0, 0, &out_out, NULL));
    }
    {
        FAILS(PINVIEW_ERROR_INVALID_ARGUMENT, pinview_object_block_contains_related_object(good.object_block, 0, 0, 0, NULL, NULL));
    }
    tear_down();
}

static void misuse_of_pinview_object_block_add_related_objects(void) {
    set_up();
    {
        uint64_t in_members; memset(&in_members, 0, sizeof in_members);
        for (int number = 0; number < bad_count; number++) {
            void *bad = bad_handle(number, good.object);
            FAILS(PINVIEW_ERROR_INVALID_HANDLE, pinview_object_block_add_related_objects(bad, 0, 0, &in_members, 0, NULL));
        }
        FAILS(PINVIEW_ERROR_INVALID_HANDLE, pinview_object_block_add_related_objects(NULL, 0, 0, &in_members, 0, NULL));
    }
    {
        uint64_t in_members; memset(&in_members, 0, sizeof in_members);
        for (int number = 0; number < huge_count; number++) {
            const size_t size = huge_sizes[number];
            FAILS(PINVIEW_ERROR_INVALID_ARGUMENT, pinview_object_block_add_related_objects(good.object_block, 0, 0, &in_members, size, ERROR)); EXPECT(has_said("must be between"));
        }
    }
    {
        uint64_t in_members; memset(&in_members, 0, sizeof in_members);
        for (int number = 0; number < huge_count; number++) {
            const size_t size = huge_sizes[number];
            FAILS(PINVIEW_ERROR_INVALID_ARGUMENT, pinview_object_block_add_related_objects(good.object_block, 0, 0, &in_members, size, ERROR)); EXPECT(has_said("must be between"));
        }
    }
    tear_down();
}

static void misuse_of_pinview_object_block_remove_related_objects(void) {
    set_up();
    {
        uint64_t in_members; memset(&in_members, 0, sizeof in_members);
        for (int number = 0; number < bad_count; number++) {
            void *bad = bad_handle(number, good.object);
            FAILS(PINVIEW_ERROR_INVALID_HANDLE, pinview_object_block_remove_related_objects(bad, 0, 0, &in_members, 0, NULL));
        }
        FAILS(PINVIEW_ERROR_INVALID_HANDLE, pinview_object_block_remove_related_objects(NULL, 0, 0, &in_members, 0, NULL));
    }
    {
        uint64_t in_members; memset(&in_members, 0, sizeof in_members);
        for (int number = 0; number < huge_count; number++) {
            const size_t size = huge_sizes[number];
            FAILS(PINVIEW_ERROR_INVALID_ARGUMENT, pinview_object_block_remove_related_objects(good.object_block, 0, 0, &in_members, size, ERROR)); EXPECT(has_said("must be between"));
        }
    }
    {
        uint64_t in_members; memset(&in_members, 0, sizeof in_members);
        for (int number = 0; number < huge_count; number++) {
            const size_t size = huge_sizes[number];
            FAILS(PINVIEW_ERROR_INVALID_ARGUMENT, pinview_object_block_remove_related_objects(good.object_block, 0, 0, &in_members, size, ERROR)); EXPECT(has_said("must be between"));
        }
    }
    tear_down();
}

static void misuse_of_pinview_object_block_set_value(void) {
    set_up();
    {
        pinview_value in_value; memset(&in_value, 0, sizeof in_value);
        for (int number = 0; number < bad_count; number++) {
            void *bad = bad_handle(number, good.object);
            FAILS(PINVIEW_ERROR_INVALID_HANDLE, pinview_object_block_set_value(bad, 0, 0, &in_value, NULL));
        }
        FAILS(PINVIEW_ERROR_INVALID_HANDLE, pinview_object_block_set_value(NULL, 0, 0, &in_value, NULL));
    }
    {
        for (int number = 0; number < huge_count * huge_value_count; number++) {
            const pinview_value value = huge_value(number % huge_value_count, huge_sizes[number / huge_value_count]);
            if (value.type == PINVIEW_VALUE_LIST) continue; /* only predicates take lists */
            FAILS(PINVIEW_ERROR_INVALID_ARGUMENT, pinview_object_block_set_value(good.object_block, 0, 0, &value, ERROR)); EXPECT(has_said("must be between"));
        }
    }
    tear_down();
}

static void misuse_of_pinview_object_block_values(void) {
    set_up();
    {
        pinview_value out_out; memset(&out_out, 0, sizeof out_out);
        uint64_t out_changes; memset(&out_changes, 0, sizeof out_changes);
        for (int number = 0; number < bad_count; number++) {
            void *bad = bad_handle(number, good.object);
            FAILS(PINVIEW_ERROR_INVALID_HANDLE, pinview_object_block_values(bad, 0, NULL, 0, good.buffer, &out_out, &out_changes, NULL));
        }
        FAILS(PINVIEW_ERROR_INVALID_HANDLE, pinview_object_block_values(NULL, 0, NULL, 0, good.buffer, &out_out, &out_changes, NULL));
    }
    {
        pinview_value out_out; memset(&out_out, 0, sizeof out_out);
        uint64_t out_changes; memset(&out_changes, 0, sizeof out_changes);
        for (int number = 0; number < bad_count; number++) {
            void *bad = bad_handle(number, good.object);
            FAILS(PINVIEW_ERROR_INVALID_HANDLE, pinview_object_block_values(good.object_block, 0, NULL, 0, bad, &out_out, &out_changes, NULL));
        }
        FAILS(PINVIEW_ERROR_INVALID_HANDLE, pinview_object_block_values(good.object_block, 0, NULL, 0, NULL, &out_out, &out_changes, NULL));
    }
    {
        pinview_value out_out; memset(&out_out, 0, sizeof out_out);
        uint64_t out_changes; memset(&out_changes, 0, sizeof out_changes);
        guarded_place place_out;
        guarded_place place_changes;
        for (int number = 0; number < huge_count; number++) {
            const size_t size = huge_sizes[number];
            FAILS(PINVIEW_ERROR_INVALID_ARGUMENT, pinview_object_block_values(good.object_block, 0, (const int32_t*)(NULL), size, good.buffer, guarded(&place_out), guarded(&place_changes), ERROR)); EXPECT(has_said("must be between"));
            EXPECT(is_untouched(&place_out));
            EXPECT(is_untouched(&place_changes));
        }
    }
    {
        pinview_value out_out; memset(&out_out, 0, sizeof out_out);
        uint64_t out_changes; memset(&out_changes, 0, sizeof out_changes);
        guarded_place place_out;
        guarded_place place_changes;
        for (int number = 0; number < huge_count; number++) {
            const size_t size = huge_sizes[number];
            FAILS(PINVIEW_ERROR_INVALID_ARGUMENT, pinview_object_block_values(good.object_block, 0, (const int32_t*)(short_array), size, good.buffer, guarded(&place_out), guarded(&place_changes), ERROR)); EXPECT(has_said("must be between"));
            EXPECT(is_untouched(&place_out));
            EXPECT(is_untouched(&place_changes));
        }
    }
    tear_down();
}

static void misuse_of_pinview_context_object_row(void) {
    set_up();
    {
        pinview_object_row out_row; memset(&out_row, 0, sizeof out_row);
        out_row.struct_size = sizeof out_row;
        for (int number = 0; number < bad_count; number++) {
            void *bad = bad_handle(number, good.object);
            FAILS(PINVIEW_ERROR_INVALID_HANDLE, pinview_context_object_row(bad, good.object_id, 0, &out_row, NULL));
        }
        FAILS(PINVIEW_ERROR_INVALID_HANDLE, pinview_context_object_row(NULL, good.object_id, 0, &out_row, NULL));
    }
    {
        pinview_object_row out_row; memset(&out_row, 0, sizeof out_row);
        out_row.struct_size = sizeof out_row;
        for (int number = 0; number < bad_count; number++) {
            void *bad = bad_handle(number, good.object);
            FAILS(PINVIEW_ERROR_INVALID_HANDLE, pinview_context_object_row(good.context, bad, 0, &out_row, NULL));
        }
        FAILS(PINVIEW_ERROR_INVALID_HANDLE, pinview_context_object_row(good.context, NULL, 0, &out_row, NULL));
    }
    {
        FAILS(PINVIEW_ERROR_INVALID_ARGUMENT, pinview_context_object_row(good.context, good.object_id, 0, NULL, NULL));
    }
    {
        pinview_object_row out_row; memset(&out_row, 0, sizeof out_row);
        out_row.struct_size = sizeof out_row;
        union { pinview_object_row known; unsigned char bytes[sizeof(pinview_object_row) + extra_bytes]; } larger;
        memset(&larger, 0, sizeof larger);
        larger.known = out_row;
        larger.known.struct_size = sizeof(pinview_object_row);
        int is_good = pinview_context_object_row(good.context, good.object_id, 0, &larger.known, ERROR) == PINVIEW_OK;
        if (larger.known.block != NULL) (void)pinview_object_block_release(larger.known.block);
        for (int number = 0; is_good && number < 3; number++) {
            const uint32_t sizes[] = {0, 4, UINT32_MAX};
            larger.known.struct_size = sizes[number];
            EXPECT_REFUSAL(pinview_context_object_row(good.context, good.object_id, 0, &larger.known, ERROR), "struct_size");
        }
        larger.known.struct_size = sizeof larger;
        larger.bytes[sizeof larger - 1] = 1;
        EXPECT_REFUSAL(pinview_context_object_row(good.context, good.object_id, 0, &larger.known, ERROR), "beyond the");
    }
    {
        pinview_object_row out_row; memset(&out_row, 0, sizeof out_row);
        out_row.struct_size = sizeof out_row;
        pinview_object_row usual = out_row;
        for (int number = 0; number < huge_count; number++) {
            out_row.dropped_count = huge_sizes[number];
            memcpy(&out_row.dropped, &(const void *){NULL}, sizeof out_row.dropped);
            FAILS(PINVIEW_ERROR_INVALID_ARGUMENT, pinview_context_object_row(good.context, good.object_id, 0, &out_row, ERROR)); EXPECT(has_said("must be between"));
            out_row = usual;
        }
    }
    {
        pinview_object_row out_row; memset(&out_row, 0, sizeof out_row);
        out_row.struct_size = sizeof out_row;
        pinview_object_row usual = out_row;
        for (int number = 0; number < huge_count; number++) {
            out_row.dropped_count = huge_sizes[number];
            memcpy(&out_row.dropped, &(const void *){short_array}, sizeof out_row.dropped);
            FAILS(PINVIEW_ERROR_INVALID_ARGUMENT, pinview_context_object_row(good.context, good.object_id, 0, &out_row, ERROR)); EXPECT(has_said("must be between"));
            out_row = usual;
        }
    }
    {
        pinview_object_row out_row; memset(&out_row, 0, sizeof out_row);
        out_row.struct_size = sizeof out_row;
        pinview_object_row usual = out_row;
        for (int number = 0; number < huge_count; number++) {
            out_row.block_count = huge_sizes[number];
            memcpy(&out_row.blocks, &(const void *){NULL}, sizeof out_row.blocks);
            FAILS(PINVIEW_ERROR_INVALID_ARGUMENT, pinview_context_object_row(good.context, good.object_id, 0, &out_row, ERROR)); EXPECT(has_said("must be between"));
            out_row = usual;
        }
    }
    {
        pinview_object_row out_row; memset(&out_row, 0, sizeof out_row);
        out_row.struct_size = sizeof out_row;
        pinview_object_row usual = out_row;
        for (int number = 0; number < huge_count; number++) {
            out_row.block_count = huge_sizes[number];
            memcpy(&out_row.blocks, &(const void *){short_array}, sizeof out_row.blocks);
            FAILS(PINVIEW_ERROR_INVALID_ARGUMENT, pinview_context_object_row(good.context, good.object_id, 0, &out_row, ERROR)); EXPECT(has_said("must be between"));
            out_row = usual;
        }
    }
    {
        pinview_object_row out_row; memset(&out_row, 0, sizeof out_row);
        out_row.struct_size = sizeof out_row;
        pinview_object_row usual = out_row;
        for (int number = 0; number < huge_count; number++) {
            out_row.room_size = huge_sizes[number];
            memcpy(&out_row.room, &(const void *){NULL}, sizeof out_row.room);
            FAILS(PINVIEW_ERROR_INVALID_ARGUMENT, pinview_context_object_row(good.context, good.object_id, 0, &out_row, ERROR)); EXPECT(has_said("must be between"));
            out_row = usual;
        }
    }
    {
        pinview_object_row out_row; memset(&out_row, 0, sizeof out_row);
        out_row.struct_size = sizeof out_row;
        pinview_object_row usual = out_row;
        for (int number = 0; number < huge_count; number++) {
            out_row.room_size = huge_sizes[number];
            memcpy(&out_row.room, &(const void *){short_array}, sizeof out_row.room);
            FAILS(PINVIEW_ERROR_INVALID_ARGUMENT, pinview_context_object_row(good.context, good.object_id, 0, &out_row, ERROR)); EXPECT(has_said("must be between"));
            out_row = usual;
        }
    }
    tear_down();
}

static void misuse_of_pinview_result_object_row(void) {
    set_up();
    {
        pinview_object_row out_row; memset(&out_row, 0, sizeof out_row);
        out_row.struct_size = sizeof out_row;
        for (int number = 0; number < bad_count; number++) {
            void *bad = bad_handle(number, good.object);
            FAILS(PINVIEW_ERROR_INVALID_HANDLE, pinview_result_object_row(bad, 0, &out_row, NULL));
        }
        FAILS(PINVIEW_ERROR_INVALID_HANDLE, pinview_result_object_row(NULL, 0, &out_row, NULL));
    }
    {
        FAILS(PINVIEW_ERROR_INVALID_ARGUMENT, pinview_result_object_row(good.result, 0, NULL, NULL));
    }
    {
        pinview_object_row out_row; memset(&out_row, 0, sizeof out_row);
        out_row.struct_size = sizeof out_row;
        union { pinview_object_row known; unsigned char bytes[sizeof(pinview_object_row) + extra_bytes]; } larger;
        memset(&larger, 0, sizeof larger);
        larger.known = out_row;
        larger.known.struct_size = sizeof(pinview_object_row);
        int is_good = pinview_result_object_row(good.result, 0, &larger.known, ERROR) == PINVIEW_OK;
        if (larger.known.block != NULL) (void)pinview_object_block_release(larger.known.block);
        for (int number = 0; is_good && number < 3; number++) {
            const uint32_t sizes[] = {0, 4, UINT32_MAX};
            larger.known.struct_size = sizes[number];
            EXPECT_REFUSAL(pinview_result_object_row(good.result, 0, &larger.known, ERROR), "struct_size");
        }
        larger.known.struct_size = sizeof larger;
        larger.bytes[sizeof larger - 1] = 1;
        EXPECT_REFUSAL(pinview_result_object_row(good.result, 0, &larger.known, ERROR), "beyond the");
    }
    {
        pinview_object_row out_row; memset(&out_row, 0, sizeof out_row);
        out_row.struct_size = sizeof out_row;
        pinview_object_row usual = out_row;
        for (int number = 0; number < huge_count; number++) {
            out_row.dropped_count = huge_sizes[number];
            memcpy(&out_row.dropped, &(const void *){NULL}, sizeof out_row.dropped);
            FAILS(PINVIEW_ERROR_INVALID_ARGUMENT, pinview_result_object_row(good.result, 0, &out_row, ERROR)); EXPECT(has_said("must be between"));
            out_row = usual;
        }
    }
    {
        pinview_object_row out_row; memset(&out_row, 0, sizeof out_row);
        out_row.struct_size = sizeof out_row;
        pinview_object_row usual = out_row;
        for (int number = 0; number < huge_count; number++) {
            out_row.dropped_count = huge_sizes[number];
            memcpy(&out_row.dropped, &(const void *){short_array}, sizeof out_row.dropped);
            FAILS(PINVIEW_ERROR_INVALID_ARGUMENT, pinview_result_object_row(good.result, 0, &out_row, ERROR)); EXPECT(has_said("must be between"));
            out_row = usual;
        }
    }
    {
        pinview_object_row out_row; memset(&out_row, 0, sizeof out_row);
        out_row.struct_size = sizeof out_row;
        pinview_object_row usual = out_row;
        for (int number = 0; number < huge_count; number++) {
            out_row.block_count = huge_sizes[number];
            memcpy(&out_row.blocks, &(const void *){NULL}, sizeof out_row.blocks);
            FAILS(PINVIEW_ERROR_INVALID_ARGUMENT, pinview_result_object_row(good.result, 0, &out_row, ERROR)); EXPECT(has_said("must be between"));
            out_row = usual;
        }
    }
    {
        pinview_object_row out_row; memset(&out_row, 0, sizeof out_row);
        out_row.struct_size = sizeof out_row;
        pinview_object_row usual = out_row;
        for (int number = 0; number < huge_count; number++) {
            out_row.block_count = huge_sizes[number];
            memcpy(&out_row.blocks, &(const void *){short_array}, sizeof out_row.blocks);
            FAILS(PINVIEW_ERROR_INVALID_ARGUMENT, pinview_result_object_row(good.result, 0, &out_row, ERROR)); EXPECT(has_said("must be between"));
            out_row = usual;
        }
    }
    {
        pinview_object_row out_row; memset(&out_row, 0, sizeof out_row);
        out_row.struct_size = sizeof out_row;
        pinview_object_row usual = out_row;
        for (int number = 0; number < huge_count; number++) {
            out_row.room_size = huge_sizes[number];
            memcpy(&out_row.room, &(const void *){NULL}, sizeof out_row.room);
            FAILS(PINVIEW_ERROR_INVALID_ARGUMENT, pinview_result_object_row(good.result, 0, &out_row, ERROR)); EXPECT(has_said("must be between"));
            out_row = usual;
        }
    }
    {
        pinview_object_row out_row; memset(&out_row, 0, sizeof out_row);
        out_row.struct_size = sizeof out_row;
        pinview_object_row usual = out_row;
        for (int number = 0; number < huge_count; number++) {
            out_row.room_size = huge_sizes[number];
            memcpy(&out_row.room, &(const void *){short_array}, sizeof out_row.room);
            FAILS(PINVIEW_ERROR_INVALID_ARGUMENT, pinview_result_object_row(good.result, 0, &out_row, ERROR)); EXPECT(has_said("must be between"));
            out_row = usual;
        }
    }
    tear_down();
}

static void misuse_of_pinview_object_block_row(void) {
    set_up();
    {
        pinview_object_row out_row; memset(&out_row, 0, sizeof out_row);
        out_row.struct_size = sizeof out_row;
        for (int number = 0; number < bad_count; number++) {
            void *bad = bad_handle(number, good.object);
            FAILS(PINVIEW_ERROR_INVALID_HANDLE, pinview_object_block_row(bad, 0, &out_row, NULL));
        }
        FAILS(PINVIEW_ERROR_INVALID_HANDLE, pinview_object_block_row(NULL, 0, &out_row, NULL));
    }
    {
        FAILS(PINVIEW_ERROR_INVALID_ARGUMENT, pinview_object_block_row(good.object_block, 0, NULL, NULL));
    }
    {
        pinview_object_row out_row; memset(&out_row, 0, sizeof out_row);
        out_row.struct_size = sizeof out_row;
        union { pinview_object_row known; unsigned char bytes[sizeof(pinview_object_row) + extra_bytes]; } larger;
        memset(&larger, 0, sizeof larger);
        larger.known = out_row;
        larger.known.struct_size = sizeof(pinview_object_row);
        int is_good = pinview_object_block_row(good.object_block, 0, &larger.known, ERROR) == PINVIEW_OK;
        if (larger.known.block != NULL) (void)pinview_object_block_release(larger.known.block);
        for (int number = 0; is_good && number < 3; number++) {
            const uint32_t sizes[] = {0, 4, UINT32_MAX};
            larger.known.struct_size = sizes[number];
            EXPECT_REFUSAL(pinview_object_block_row(good.object_block, 0, &larger.known, ERROR), "struct_size");
        }
        larger.known.struct_size = sizeof larger;
        larger.bytes[sizeof larger - 1] = 1;
        EXPECT_REFUSAL(pinview_object_block_row(good.object_block, 0, &larger.known, ERROR), "beyond the");
    }
    {
        pinview_object_row out_row; memset(&out_row, 0, sizeof out_row);
        out_row.struct_size = sizeof out_row;
        pinview_object_row usual = out_row;
        for (int number = 0; number < huge_count; number++) {
            out_row.dropped_count = huge_sizes[number];
            memcpy(&out_row.dropped, &(const void *){NULL}, sizeof out_row.dropped);
            FAILS(PINVIEW_ERROR_INVALID_ARGUMENT, pinview_object_block_row(good.object_block, 0, &out_row, ERROR)); EXPECT(has_said("must be between"));
            out_row = usual;
        }
    }
    {
        pinview_object_row out_row; memset(&out_row, 0, sizeof out_row);
        out_row.struct_size = sizeof out_row;
        pinview_object_row usual = out_row;
        for (int number = 0; number < huge_count; number++) {
            out_row.dropped_count = huge_sizes[number];
            memcpy(&out_row.dropped, &(const void *){short_array}, sizeof out_row.dropped);
            FAILS(PINVIEW_ERROR_INVALID_ARGUMENT, pinview_object_block_row(good.object_block, 0, &out_row, ERROR)); EXPECT(has_said("must be between"));
            out_row = usual;
        }
    }
    {
        pinview_object_row out_row; memset(&out_row, 0, sizeof out_row);
        out_row.struct_size = sizeof out_row;
        pinview_object_row usual = out_row;
        for (int number = 0; number < huge_count; number++) {
            out_row.block_count = huge_sizes[number];
            memcpy(&out_row.blocks, &(const void *){NULL}, sizeof out_row.blocks);
            FAILS(PINVIEW_ERROR_INVALID_ARGUMENT, pinview_object_block_row(good.object_block, 0, &out_row, ERROR)); EXPECT(has_said("must be between"));
            out_row = usual;
        }
    }
    {
        pinview_object_row out_row; memset(&out_row, 0, sizeof out_row);
        out_row.struct_size = sizeof out_row;
        pinview_object_row usual = out_row;
        for (int number = 0; number < huge_count; number++) {
            out_row.block_count = huge_sizes[number];
            memcpy(&out_row.blocks, &(const void *){short_array}, sizeof out_row.blocks);
            FAILS(PINVIEW_ERROR_INVALID_ARGUMENT, pinview_object_block_row(good.object_block, 0, &out_row, ERROR)); EXPECT(has_said("must be between"));
            out_row = usual;
        }
    }
    {
        pinview_object_row out_row; memset(&out_row, 0, sizeof out_row);
        out_row.struct_size = sizeof out_row;
        pinview_object_row usual = out_row;
        for (int number = 0; number < huge_count; number++) {
            out_row.room_size = huge_sizes[number];
            memcpy(&out_row.room, &(const void *){NULL}, sizeof out_row.room);
            FAILS(PINVIEW_ERROR_INVALID_ARGUMENT, pinview_object_block_row(good.object_block, 0, &out_row, ERROR)); EXPECT(has_said("must be between"));
            out_row = usual;
        }
    }
    {
        pinview_object_row out_row; memset(&out_row, 0, sizeof out_row);
        out_row.struct_size = sizeof out_row;
        pinview_object_row usual = out_row;
        for (int number = 0; number < huge_count; number++) {
            out_row.room_size = huge_sizes[number];
            memcpy(&out_row.room, &(const void *){short_array}, sizeof out_row.room);
            FAILS(PINVIEW_ERROR_INVALID_ARGUMENT, pinview_object_block_row(good.object_block, 0, &out_row, ERROR)); EXPECT(has_said("must be between"));
            out_row = usual;
        }
    }
    tear_down();
}

static void misuse_of_pinview_object_block_related_row(void) {
    set_up();
    {
        pinview_object_row out_row; memset(&out_row, 0, sizeof out_row);
        out_row.struct_size = sizeof out_row;
        for (int number = 0; number < bad_count; number++) {
            void *bad = bad_handle(number, good.object);
            FAILS(PINVIEW_ERROR_INVALID_HANDLE, pinview_object_block_related_row(bad, 0, 0, &out_row, NULL));
        }
        FAILS(PINVIEW_ERROR_INVALID_HANDLE, pinview_object_block_related_row(NULL, 0, 0, &out_row, NULL));
    }
    {
        FAILS(PINVIEW_ERROR_INVALID_ARGUMENT, pinview_object_block_related_row(good.object_block, 0, 0, NULL, NULL));
    }
    {
        pinview_object_row out_row; memset(&out_row, 0, sizeof out_row);
        out_row.struct_size = sizeof out_row;
        union { pinview_object_row known; unsigned char bytes[sizeof(pinview_object_row) + extra_bytes]; } larger;
        memset(&larger, 0, sizeof larger);
        larger.known = out_row;
        larger.known.struct_size = sizeof(pinview_object_row);
        int is_good = pinview_object_block_related_row(good.object_block, 0, 0, &larger.known, ERROR) == PINVIEW_OK;
        if (larger.known.block != NULL) (void)pinview_object_block_release(larger.known.block);
        for (int number = 0; is_good && number < 3; number++) {
            const uint32_t sizes[] = {0, 4, UINT32_MAX};
            larger.known.struct_size = sizes[number];
            EXPECT_REFUSAL(pinview_object_block_related_row(good.object_block, 0, 0, &larger.known, ERROR), "struct_size");
        }
        larger.known.struct_size = sizeof larger;
        larger.bytes[sizeof larger - 1] = 1;
        EXPECT_REFUSAL(pinview_object_block_related_row(good.object_block, 0, 0, &larger.known, ERROR), "beyond the");
    }
    {
        pinview_object_row out_row; memset(&out_row, 0, sizeof out_row);
        out_row.struct_size = sizeof out_row;
        pinview_object_row usual = out_row;
        for (int number = 0; number < huge_count; number++) {
            out_row.dropped_count = huge_sizes[number];
            memcpy(&out_row.dropped, &(const void *){NULL}, sizeof out_row.dropped);
            FAILS(PINVIEW_ERROR_INVALID_ARGUMENT, pinview_object_block_related_row(good.object_block, 0, 0, &out_row, ERROR)); EXPECT(has_said("must be between"));
            out_row = usual;
        }
    }
    {
        pinview_object_row out_row; memset(&out_row, 0, sizeof out_row);
        out_row.struct_size = sizeof out_row;
        pinview_object_row usual = out_row;
        for (int number = 0; number < huge_count; number++) {
            out_row.dropped_count = huge_sizes[number];
            memcpy(&out_row.dropped, &(const void *){short_array}, sizeof out_row.dropped);
            FAILS(PINVIEW_ERROR_INVALID_ARGUMENT, pinview_object_block_related_row(good.object_block, 0, 0, &out_row, ERROR)); EXPECT(has_said("must be between"));
            out_row = usual;
        }
    }
    {
        pinview_object_row out_row; memset(&out_row, 0, sizeof out_row);
        out_row.struct_size = sizeof out_row;
        pinview_object_row usual = out_row;
        for (int number = 0; number < huge_count; number++) {
            out_row.block_count = huge_sizes[number];
            memcpy(&out_row.blocks, &(const void *){NULL}, sizeof out_row.blocks);
            FAILS(PINVIEW_ERROR_INVALID_ARGUMENT, pinview_object_block_related_row(good.object_block, 0, 0, &out_row, ERROR)); EXPECT(has_said("must be between"));
            out_row = usual;
        }
    }
    {
        pinview_object_row out_row; memset(&out_row, 0, sizeof out_row);
        out_row.struct_size = sizeof out_row;
        pinview_object_row usual = out_row;
        for (int number = 0; number < huge_count; number++) {
            out_row.block_count = huge_sizes[number];
            memcpy(&out_row.blocks, &(const void *){short_array}, sizeof out_row.blocks);
            FAILS(PINVIEW_ERROR_INVALID_ARGUMENT, pinview_object_block_related_row(good.object_block, 0, 0, &out_row, ERROR)); EXPECT(has_said("must be between"));
            out_row = usual;
        }
    }
    {
        pinview_object_row out_row; memset(&out_row, 0, sizeof out_row);
        out_row.struct_size = sizeof out_row;
        pinview_object_row usual = out_row;
        for (int number = 0; number < huge_count; number++) {
            out_row.room_size = huge_sizes[number];
            memcpy(&out_row.room, &(const void *){NULL}, sizeof out_row.room);
            FAILS(PINVIEW_ERROR_INVALID_ARGUMENT, pinview_object_block_related_row(good.object_block, 0, 0, &out_row, ERROR)); EXPECT(has_said("must be between"));
            out_row = usual;
        }
    }
    {
        pinview_object_row out_row; memset(&out_row, 0, sizeof out_row);
        out_row.struct_size = sizeof out_row;
        pinview_object_row usual = out_row;
        for (int number = 0; number < huge_count; number++) {
            out_row.room_size = huge_sizes[number];
            memcpy(&out_row.room, &(const void *){short_array}, sizeof out_row.room);
            FAILS(PINVIEW_ERROR_INVALID_ARGUMENT, pinview_object_block_related_row(good.object_block, 0, 0, &out_row, ERROR)); EXPECT(has_said("must be between"));
            out_row = usual;
        }
    }
    tear_down();
}

static void misuse_of_pinview_context_insert_row(void) {
    set_up();
    {
        pinview_value in_values; memset(&in_values, 0, sizeof in_values);
        pinview_object_row out_row; memset(&out_row, 0, sizeof out_row);
        out_row.struct_size = sizeof out_row;
        for (int number = 0; number < bad_count; number++) {
            void *bad = bad_handle(number, good.object);
            FAILS(PINVIEW_ERROR_INVALID_HANDLE, pinview_context_insert_row(bad, TEXT("name"), NULL, &in_values, 0, &out_row, NULL));
        }
        FAILS(PINVIEW_ERROR_INVALID_HANDLE, pinview_context_insert_row(NULL, TEXT("name"), NULL, &in_values, 0, &out_row, NULL));
    }
    {
        pinview_value in_values; memset(&in_values, 0, sizeof in_values);
        pinview_object_row out_row; memset(&out_row, 0, sizeof out_row);
        out_row.struct_size = sizeof out_row;
        FAILS(PINVIEW_ERROR_INVALID_UTF8, pinview_context_insert_row(good.context, TEXT("a\xff"), NULL, &in_values, 0, &out_row, NULL));
    }
    {
        pinview_object_row out_row; memset(&out_row, 0, sizeof out_row);
        out_row.struct_size = sizeof out_row;
        pinview_value in_values; memset(&in_values, 0, sizeof in_values);
        union { pinview_object_row known; unsigned char bytes[sizeof(pinview_object_row) + extra_bytes]; } larger;
        memset(&larger, 0, sizeof larger);
        larger.known = out_row;
        larger.known.struct_size = sizeof(pinview_object_row);
        int is_good = pinview_context_insert_row(good.context, TEXT("name"), NULL, &in_values, 0, &larger.known, ERROR) == PINVIEW_OK;
        if (larger.known.block != NULL) (void)pinview_object_block_release(larger.known.block);
        for (int number = 0; is_good && number < 3; number++) {
            const uint32_t sizes[] = {0, 4, UINT32_MAX};
            larger.known.struct_size = sizes[number];
            EXPECT_REFUSAL(pinview_context_insert_row(good.context, TEXT("name"), NULL, &in_values, 0, &larger.known, ERROR), "struct_size");
        }
        larger.known.struct_size = sizeof larger;
        larger.bytes[sizeof larger - 1] = 1;
        EXPECT_REFUSAL(pinview_context_insert_row(good.context, TEXT("name"), NULL, &in_values, 0, &larger.known, ERROR), "beyond the");
    }
    {
        pinview_value in_values; memset(&in_values, 0, sizeof in_values);
        pinview_object_row out_row; memset(&out_row, 0, sizeof out_row);
        out_row.struct_size = sizeof out_row;
        for (int number = 0; number < huge_count; number++) {
            FAILS(PINVIEW_ERROR_INVALID_ARGUMENT, pinview_context_insert_row(good.context, huge_text(huge_sizes[number]), NULL, &in_values, 0, &out_row, ERROR)); EXPECT(has_said("must be between"));
        }
    }
    {
        pinview_value in_values; memset(&in_values, 0, sizeof in_values);
        pinview_object_row out_row; memset(&out_row, 0, sizeof out_row);
        out_row.struct_size = sizeof out_row;
        for (int number = 0; number < huge_count; number++) {
            const size_t size = huge_sizes[number];
            FAILS(PINVIEW_ERROR_INVALID_ARGUMENT, pinview_context_insert_row(good.context, TEXT("name"), (const int32_t*)(NULL), &in_values, size, &out_row, ERROR)); EXPECT(has_said("must be between"));
        }
    }
    {
        pinview_value in_values; memset(&in_values, 0, sizeof in_values);
        pinview_object_row out_row; memset(&out_row, 0, sizeof out_row);
        out_row.struct_size = sizeof out_row;
        for (int number = 0; number < huge_count; number++) {
            const size_t size = huge_sizes[number];
            FAILS(PINVIEW_ERROR_INVALID_ARGUMENT, pinview_context_insert_row(good.context, TEXT("name"), (const int32_t*)(short_array), &in_values, size, &out_row, ERROR)); EXPECT(has_said("must be between"));
        }
    }
    {
        pinview_object_row out_row; memset(&out_row, 0, sizeof out_row);
        out_row.struct_size = sizeof out_row;
        pinview_value in_values; memset(&in_values, 0, sizeof in_values);
        pinview_object_row usual = out_row;
        for (int number = 0; number < huge_count; number++) {
            out_row.dropped_count = huge_sizes[number];
            memcpy(&out_row.dropped, &(const void *){NULL}, sizeof out_row.dropped);
            FAILS(PINVIEW_ERROR_INVALID_ARGUMENT, pinview_context_insert_row(good.context, TEXT("name"), NULL, &in_values, 0, &out_row, ERROR)); EXPECT(has_said("must be between"));
            out_row = usual;
        }
    }
    {
        pinview_object_row out_row; memset(&out_row, 0, sizeof out_row);
        out_row.struct_size = sizeof out_row;
        pinview_value in_values; memset(&in_values, 0, sizeof in_values);
        pinview_object_row usual = out_row;
        for (int number = 0; number < huge_count; number++) {
            out_row.dropped_count = huge_sizes[number];
            memcpy(&out_row.dropped, &(const void *){short_array}, sizeof out_row.dropped);
            FAILS(PINVIEW_ERROR_INVALID_ARGUMENT, pinview_context_insert_row(good.context, TEXT("name"), NULL, &in_values, 0, &out_row, ERROR)); EXPECT(has_said("must be between"));
            out_row = usual;
        }
    }
    {
        pinview_object_row out_row; memset(&out_row, 0, sizeof out_row);
        out_row.struct_size = sizeof out_row;
        pinview_value in_values; memset(&in_values, 0, sizeof in_values);
        pinview_object_row usual = out_row;
        for (int number = 0; number < huge_count; number++) {
            out_row.block_count = huge_sizes[number];
            memcpy(&out_row.blocks, &(const void *){NULL}, sizeof out_row.blocks);
            FAILS(PINVIEW_ERROR_INVALID_ARGUMENT, pinview_context_insert_row(good.context, TEXT("name"), NULL, &in_values, 0, &out_row, ERROR)); EXPECT(has_said("must be between"));
            out_row = usual;
        }
    }
    {
        pinview_object_row out_row; memset(&out_row, 0, sizeof out_row);
        out_row.struct_size = sizeof out_row;
        pinview_value in_values; memset(&in_values, 0, sizeof in_values);
        pinview_object_row usual = out_row;
        for (int number = 0; number < huge_count; number++) {
            out_row.block_count = huge_sizes[number];
            memcpy(&out_row.blocks, &(const void *){short_array}, sizeof out_row.blocks);
            FAILS(PINVIEW_ERROR_INVALID_ARGUMENT, pinview_context_insert_row(good.context, TEXT("name"), NULL, &in_values, 0, &out_row, ERROR)); EXPECT(has_said("must be between"));
            out_row = usual;
        }
    }
    {
        pinview_object_row out_row; memset(&out_row, 0, sizeof out_row);
        out_row.struct_size = sizeof out_row;
        pinview_value in_values; memset(&in_values, 0, sizeof in_values);
        pinview_object_row usual = out_row;
        for (int number = 0; number < huge_count; number++) {
            out_row.room_size = huge_sizes[number];
            memcpy(&out_row.room, &(const void *){NULL}, sizeof out_row.room);
            FAILS(PINVIEW_ERROR_INVALID_ARGUMENT, pinview_context_insert_row(good.context, TEXT("name"), NULL, &in_values, 0, &out_row, ERROR)); EXPECT(has_said("must be between"));
            out_row = usual;
        }
    }
    {
        pinview_object_row out_row; memset(&out_row, 0, sizeof out_row);
        out_row.struct_size = sizeof out_row;
        pinview_value in_values; memset(&in_values, 0, sizeof in_values);
        pinview_object_row usual = out_row;
        for (int number = 0; number < huge_count; number++) {
            out_row.room_size = huge_sizes[number];
            memcpy(&out_row.room, &(const void *){short_array}, sizeof out_row.room);
            FAILS(PINVIEW_ERROR_INVALID_ARGUMENT, pinview_context_insert_row(good.context, TEXT("name"), NULL, &in_values, 0, &out_row, ERROR)); EXPECT(has_said("must be between"));
            out_row = usual;
        }
    }
    tear_down();
}

static void misuse_of_pinview_context_delete_named(void) {
    set_up();
    {
        uint64_t in_names; memset(&in_names, 0, sizeof in_names);
        for (int number = 0; number < bad_count; number++) {
            void *bad = bad_handle(number, good.object);
            FAILS(PINVIEW_ERROR_INVALID_HANDLE, pinview_context_delete_named(bad, &in_names, 0, NULL));
        }
        FAILS(PINVIEW_ERROR_INVALID_HANDLE, pinview_context_delete_named(NULL, &in_names, 0, NULL));
    }
    {
        uint64_t in_names; memset(&in_names, 0, sizeof in_names);
        for (int number = 0; number < huge_count; number++) {
            const size_t size = huge_sizes[number];
            FAILS(PINVIEW_ERROR_INVALID_ARGUMENT, pinview_context_delete_named(good.context, &in_names, size, ERROR)); EXPECT(has_said("must be between"));
        }
    }
    {
        uint64_t in_names; memset(&in_names, 0, sizeof in_names);
        for (int number = 0; number < huge_count; number++) {
            const size_t size = huge_sizes[number];
            FAILS(PINVIEW_ERROR_INVALID_ARGUMENT, pinview_context_delete_named(good.context, &in_names, size, ERROR)); EXPECT(has_said("must be between"));
        }
    }
    tear_down();
}

static void misuse_of_pinview_object_block_delete(void) {
    set_up();
    {
        for (int number = 0; number < bad_count; number++) {
            void *bad = bad_handle(number, good.object);
            FAILS(PINVIEW_ERROR_INVALID_HANDLE, pinview_object_block_delete(bad, 0, good.context, NULL));
        }
        FAILS(PINVIEW_ERROR_INVALID_HANDLE, pinview_object_block_delete(NULL, 0, good.context, NULL));
    }
    {
        for (int number = 0; number < bad_count; number++) {
            void *bad = bad_handle(number, good.object);
            FAILS(PINVIEW_ERROR_INVALID_HANDLE, pinview_object_block_delete(good.object_block, 0, bad, NULL));
        }
        FAILS(PINVIEW_ERROR_INVALID_HANDLE, pinview_object_block_delete(good.object_block, 0, NULL, NULL));
    }
    tear_down();
}

static const test_case tests[] = {
    {"ERR-05: the error about an unknown store option names those of the header", store_options_are_named_as_here},
    {"ERR-05: pinview_error_retain", misuse_of_pinview_error_retain},
    {"ERR-05: pinview_error_release", misuse_of_pinview_error_release},
    {"ERR-05: pinview_buffer_retain", misuse_of_pinview_buffer_retain},
    {"ERR-05: pinview_buffer_release", misuse_of_pinview_buffer_release},
    {"ERR-05: pinview_model_builder_retain", misuse_of_pinview_model_builder_retain},
    {"ERR-05: pinview_model_builder_release", misuse_of_pinview_model_builder_release},
    {"ERR-05: pinview_model_retain", misuse_of_pinview_model_retain},
    {"ERR-05: pinview_model_release", misuse_of_pinview_model_release},
    {"ERR-05: pinview_entity_retain", misuse_of_pinview_entity_retain},
    {"ERR-05: pinview_entity_release", misuse_of_pinview_entity_release},
    {"ERR-05: pinview_coordinator_retain", misuse_of_pinview_coordinator_retain},
    {"ERR-05: pinview_coordinator_release", misuse_of_pinview_coordinator_release},
    {"ERR-05: pinview_store_retain", misuse_of_pinview_store_retain},
    {"ERR-05: pinview_store_release", misuse_of_pinview_store_release},
    {"ERR-05: pinview_container_retain", misuse_of_pinview_container_retain},
    {"ERR-05: pinview_container_release", misuse_of_pinview_container_release},
    {"ERR-05: pinview_token_retain", misuse_of_pinview_token_retain},
    {"ERR-05: pinview_token_release", misuse_of_pinview_token_release},
    {"ERR-05: pinview_context_retain", misuse_of_pinview_context_retain},
    {"ERR-05: pinview_context_release", misuse_of_pinview_context_release},
    {"ERR-05: pinview_undo_manager_retain", misuse_of_pinview_undo_manager_retain},
    {"ERR-05: pinview_undo_manager_release", misuse_of_pinview_undo_manager_release},
    {"ERR-05: pinview_weak_context_retain", misuse_of_pinview_weak_context_retain},
    {"ERR-05: pinview_weak_context_release", misuse_of_pinview_weak_context_release},
    {"ERR-05: pinview_object_retain", misuse_of_pinview_object_retain},
    {"ERR-05: pinview_object_release", misuse_of_pinview_object_release},
    {"ERR-05: pinview_weak_object_retain", misuse_of_pinview_weak_object_retain},
    {"ERR-05: pinview_weak_object_release", misuse_of_pinview_weak_object_release},
    {"ERR-05: pinview_object_id_retain", misuse_of_pinview_object_id_retain},
    {"ERR-05: pinview_object_id_release", misuse_of_pinview_object_id_release},
    {"ERR-05: pinview_fetch_template_retain", misuse_of_pinview_fetch_template_retain},
    {"ERR-05: pinview_fetch_template_release", misuse_of_pinview_fetch_template_release},
    {"ERR-05: pinview_results_controller_retain", misuse_of_pinview_results_controller_retain},
    {"ERR-05: pinview_results_controller_release", misuse_of_pinview_results_controller_release},
    {"ERR-05: pinview_result_retain", misuse_of_pinview_result_retain},
    {"ERR-05: pinview_result_release", misuse_of_pinview_result_release},
    {"ERR-05: pinview_predicate_retain", misuse_of_pinview_predicate_retain},
    {"ERR-05: pinview_predicate_release", misuse_of_pinview_predicate_release},
    {"ERR-05: pinview_expression_retain", misuse_of_pinview_expression_retain},
    {"ERR-05: pinview_expression_release", misuse_of_pinview_expression_release},
    {"ERR-05: pinview_observer_retain", misuse_of_pinview_observer_retain},
    {"ERR-05: pinview_observer_release", misuse_of_pinview_observer_release},
    {"ERR-05: pinview_notification_retain", misuse_of_pinview_notification_retain},
    {"ERR-05: pinview_notification_release", misuse_of_pinview_notification_release},
    {"ERR-05: pinview_merge_retain", misuse_of_pinview_merge_retain},
    {"ERR-05: pinview_merge_release", misuse_of_pinview_merge_release},
    {"ERR-05: pinview_history_token_retain", misuse_of_pinview_history_token_retain},
    {"ERR-05: pinview_history_token_release", misuse_of_pinview_history_token_release},
    {"ERR-05: pinview_history_retain", misuse_of_pinview_history_retain},
    {"ERR-05: pinview_history_release", misuse_of_pinview_history_release},
    {"ERR-05: pinview_asynchronous_fetch_retain", misuse_of_pinview_asynchronous_fetch_retain},
    {"ERR-05: pinview_asynchronous_fetch_release", misuse_of_pinview_asynchronous_fetch_release},
    {"ERR-05: pinview_difference_retain", misuse_of_pinview_difference_retain},
    {"ERR-05: pinview_difference_release", misuse_of_pinview_difference_release},
    {"ERR-05: pinview_sql_cursor_retain", misuse_of_pinview_sql_cursor_retain},
    {"ERR-05: pinview_sql_cursor_release", misuse_of_pinview_sql_cursor_release},
    {"ERR-05: pinview_journal_report_retain", misuse_of_pinview_journal_report_retain},
    {"ERR-05: pinview_journal_report_release", misuse_of_pinview_journal_report_release},
    {"ERR-05: pinview_objects_release", misuse_of_pinview_objects_release},
    {"ERR-05: pinview_buffer_create", misuse_of_pinview_buffer_create},
    {"ERR-05: pinview_has_feature", misuse_of_pinview_has_feature},
    {"ERR-05: pinview_error_create", misuse_of_pinview_error_create},
    {"ERR-05: pinview_error_status", misuse_of_pinview_error_status},
    {"ERR-05: pinview_error_code", misuse_of_pinview_error_code},
    {"ERR-05: pinview_error_domain", misuse_of_pinview_error_domain},
    {"ERR-05: pinview_error_message", misuse_of_pinview_error_message},
    {"ERR-05: pinview_error_description", misuse_of_pinview_error_description},
    {"ERR-05: pinview_error_sqlite_code", misuse_of_pinview_error_sqlite_code},
    {"ERR-05: pinview_error_userdata", misuse_of_pinview_error_userdata},
    {"ERR-05: pinview_error_validation_key", misuse_of_pinview_error_validation_key},
    {"ERR-05: pinview_error_validation_value", misuse_of_pinview_error_validation_value},
    {"ERR-05: pinview_error_detailed_error_count", misuse_of_pinview_error_detailed_error_count},
    {"ERR-05: pinview_error_detailed_error", misuse_of_pinview_error_detailed_error},
    {"ERR-05: pinview_error_underlying_error", misuse_of_pinview_error_underlying_error},
    {"ERR-05: pinview_error_affected_object_ids", misuse_of_pinview_error_affected_object_ids},
    {"ERR-05: pinview_error_affected_store_count", misuse_of_pinview_error_affected_store_count},
    {"ERR-05: pinview_error_affected_store", misuse_of_pinview_error_affected_store},
    {"ERR-05: pinview_error_conflict_count", misuse_of_pinview_error_conflict_count},
    {"ERR-05: pinview_error_conflict", misuse_of_pinview_error_conflict},
    {"ERR-05: pinview_error_conflict_property", misuse_of_pinview_error_conflict_property},
    {"ERR-05: pinview_error_constraint_conflict_count", misuse_of_pinview_error_constraint_conflict_count},
    {"ERR-05: pinview_error_constraint_conflict", misuse_of_pinview_error_constraint_conflict},
    {"ERR-05: pinview_error_constraint_conflict_property", misuse_of_pinview_error_constraint_conflict_property},
    {"ERR-05: pinview_error_constraint_conflict_object", misuse_of_pinview_error_constraint_conflict_object},
    {"ERR-05: pinview_error_constraint_conflict_value", misuse_of_pinview_error_constraint_conflict_value},
    {"ERR-05: pinview_model_builder_create", misuse_of_pinview_model_builder_create},
    {"ERR-05: pinview_model_builder_add_entity", misuse_of_pinview_model_builder_add_entity},
    {"ERR-05: pinview_model_builder_add_attribute", misuse_of_pinview_model_builder_add_attribute},
    {"ERR-05: pinview_model_builder_add_relationship", misuse_of_pinview_model_builder_add_relationship},
    {"ERR-05: pinview_model_builder_add_uniqueness_constraint", misuse_of_pinview_model_builder_add_uniqueness_constraint},
    {"ERR-05: pinview_model_builder_add_index", misuse_of_pinview_model_builder_add_index},
    {"ERR-05: pinview_model_builder_add_configuration", misuse_of_pinview_model_builder_add_configuration},
    {"ERR-05: pinview_model_builder_build", misuse_of_pinview_model_builder_build},
    {"ERR-05: pinview_model_create_from_json", misuse_of_pinview_model_create_from_json},
    {"ERR-05: pinview_model_create_from_file", misuse_of_pinview_model_create_from_file},
    {"ERR-05: pinview_model_create_from_data", misuse_of_pinview_model_create_from_data},
    {"ERR-05: pinview_model_versions", misuse_of_pinview_model_versions},
    {"ERR-05: pinview_model_warning_count", misuse_of_pinview_model_warning_count},
    {"ERR-05: pinview_model_warning", misuse_of_pinview_model_warning},
    {"ERR-05: pinview_model_create_from_store", misuse_of_pinview_model_create_from_store},
    {"ERR-05: pinview_model_create_from_tables", misuse_of_pinview_model_create_from_tables},
    {"ERR-05: pinview_model_is_equal", misuse_of_pinview_model_is_equal},
    {"ERR-05: pinview_model_identity", misuse_of_pinview_model_identity},
    {"ERR-05: pinview_model_set_entity_hooks", misuse_of_pinview_model_set_entity_hooks},
    {"ERR-05: pinview_model_difference", misuse_of_pinview_model_difference},
    {"ERR-05: pinview_model_migration_plan", misuse_of_pinview_model_migration_plan},
    {"ERR-05: pinview_model_version_checksum", misuse_of_pinview_model_version_checksum},
    {"ERR-05: pinview_model_json", misuse_of_pinview_model_json},
    {"ERR-05: pinview_model_entity_count", misuse_of_pinview_model_entity_count},
    {"ERR-05: pinview_model_entity", misuse_of_pinview_model_entity},
    {"ERR-05: pinview_model_entity_named", misuse_of_pinview_model_entity_named},
    {"ERR-05: pinview_entity_name", misuse_of_pinview_entity_name},
    {"ERR-05: pinview_entity_parent_name", misuse_of_pinview_entity_parent_name},
    {"ERR-05: pinview_entity_is_abstract", misuse_of_pinview_entity_is_abstract},
    {"ERR-05: pinview_entity_property_count", misuse_of_pinview_entity_property_count},
    {"ERR-05: pinview_entity_property", misuse_of_pinview_entity_property},
    {"ERR-05: pinview_entity_property_index", misuse_of_pinview_entity_property_index},
    {"ERR-05: pinview_entity_composite_count", misuse_of_pinview_entity_composite_count},
    {"ERR-05: pinview_entity_composite", misuse_of_pinview_entity_composite},
    {"ERR-05: pinview_coordinator_create", misuse_of_pinview_coordinator_create},
    {"ERR-05: pinview_coordinator_is_equal", misuse_of_pinview_coordinator_is_equal},
    {"ERR-05: pinview_coordinator_model", misuse_of_pinview_coordinator_model},
    {"ERR-05: pinview_coordinator_set_name", misuse_of_pinview_coordinator_set_name},
    {"ERR-05: pinview_coordinator_name", misuse_of_pinview_coordinator_name},
    {"ERR-05: pinview_coordinator_add_store", misuse_of_pinview_coordinator_add_store},
    {"ERR-05: pinview_coordinator_add_migrated_store", misuse_of_pinview_coordinator_add_migrated_store},
    {"ERR-05: pinview_migration_destination_object", misuse_of_pinview_migration_destination_object},
    {"ERR-05: pinview_migration_source_object", misuse_of_pinview_migration_source_object},
    {"ERR-05: pinview_coordinator_remove_store", misuse_of_pinview_coordinator_remove_store},
    {"ERR-05: pinview_coordinator_set_holds_writers_while_pinning", misuse_of_pinview_coordinator_set_holds_writers_while_pinning},
    {"ERR-05: pinview_coordinator_holds_writers_while_pinning", misuse_of_pinview_coordinator_holds_writers_while_pinning},
    {"ERR-05: pinview_coordinator_add_generation_observer", misuse_of_pinview_coordinator_add_generation_observer},
    {"ERR-05: pinview_coordinator_remove_generation_observer", misuse_of_pinview_coordinator_remove_generation_observer},
    {"ERR-05: pinview_coordinator_store_count", misuse_of_pinview_coordinator_store_count},
    {"ERR-05: pinview_coordinator_store", misuse_of_pinview_coordinator_store},
    {"ERR-05: pinview_coordinator_object_id", misuse_of_pinview_coordinator_object_id},
    {"ERR-05: pinview_store_is_equal", misuse_of_pinview_store_is_equal},
    {"ERR-05: pinview_store_identifier", misuse_of_pinview_store_identifier},
    {"ERR-05: pinview_store_type", misuse_of_pinview_store_type},
    {"ERR-05: pinview_store_path", misuse_of_pinview_store_path},
    {"ERR-05: pinview_store_configuration", misuse_of_pinview_store_configuration},
    {"ERR-05: pinview_store_journal_mode", misuse_of_pinview_store_journal_mode},
    {"ERR-05: pinview_store_is_read_only", misuse_of_pinview_store_is_read_only},
    {"ERR-05: pinview_store_missing_count", misuse_of_pinview_store_missing_count},
    {"ERR-05: pinview_store_missing", misuse_of_pinview_store_missing},
    {"ERR-05: pinview_store_lacks", misuse_of_pinview_store_lacks},
    {"ERR-05: pinview_store_supports_query_generations", misuse_of_pinview_store_supports_query_generations},
    {"ERR-05: pinview_store_journal_size", misuse_of_pinview_store_journal_size},
    {"ERR-05: pinview_store_checkpoint", misuse_of_pinview_store_checkpoint},
    {"ERR-05: pinview_store_is_immutable", misuse_of_pinview_store_is_immutable},
    {"ERR-05: pinview_store_journal_commit_count", misuse_of_pinview_store_journal_commit_count},
    {"ERR-05: pinview_store_journal_commits", misuse_of_pinview_store_journal_commits},
    {"ERR-05: pinview_coordinator_journal_commit_token", misuse_of_pinview_coordinator_journal_commit_token},
    {"ERR-05: pinview_store_metadata", misuse_of_pinview_store_metadata},
    {"ERR-05: pinview_store_metadata_value", misuse_of_pinview_store_metadata_value},
    {"ERR-05: pinview_store_set_metadata_value", misuse_of_pinview_store_set_metadata_value},
    {"ERR-05: pinview_store_set_metadata", misuse_of_pinview_store_set_metadata},
    {"ERR-05: pinview_file_metadata", misuse_of_pinview_file_metadata},
    {"ERR-05: pinview_file_summary", misuse_of_pinview_file_summary},
    {"ERR-05: pinview_file_set_metadata", misuse_of_pinview_file_set_metadata},
    {"ERR-05: pinview_container_create", misuse_of_pinview_container_create},
    {"ERR-05: pinview_container_load_stores", misuse_of_pinview_container_load_stores},
    {"ERR-05: pinview_container_load_migrated_stores", misuse_of_pinview_container_load_migrated_stores},
    {"ERR-05: pinview_container_coordinator", misuse_of_pinview_container_coordinator},
    {"ERR-05: pinview_container_view_context", misuse_of_pinview_container_view_context},
    {"ERR-05: pinview_container_new_background_context", misuse_of_pinview_container_new_background_context},
    {"ERR-05: pinview_container_perform_background_task", misuse_of_pinview_container_perform_background_task},
    {"ERR-05: pinview_token_is_equal", misuse_of_pinview_token_is_equal},
    {"ERR-05: pinview_token_hash", misuse_of_pinview_token_hash},
    {"ERR-05: pinview_token_is_current", misuse_of_pinview_token_is_current},
    {"ERR-05: pinview_token_description", misuse_of_pinview_token_description},
    {"ERR-05: pinview_token_data", misuse_of_pinview_token_data},
    {"ERR-05: pinview_token_create_from_data", misuse_of_pinview_token_create_from_data},
    {"ERR-05: pinview_context_create", misuse_of_pinview_context_create},
    {"ERR-05: pinview_context_is_equal", misuse_of_pinview_context_is_equal},
    {"ERR-05: pinview_context_hash", misuse_of_pinview_context_hash},
    {"ERR-05: pinview_context_set_coordinator", misuse_of_pinview_context_set_coordinator},
    {"ERR-05: pinview_context_coordinator", misuse_of_pinview_context_coordinator},
    {"ERR-05: pinview_context_set_parent", misuse_of_pinview_context_set_parent},
    {"ERR-05: pinview_context_parent", misuse_of_pinview_context_parent},
    {"ERR-05: pinview_context_concurrency_type", misuse_of_pinview_context_concurrency_type},
    {"ERR-05: pinview_context_set_name", misuse_of_pinview_context_set_name},
    {"ERR-05: pinview_context_name", misuse_of_pinview_context_name},
    {"ERR-05: pinview_context_set_transaction_author", misuse_of_pinview_context_set_transaction_author},
    {"ERR-05: pinview_context_transaction_author", misuse_of_pinview_context_transaction_author},
    {"ERR-05: pinview_context_set_merge_policy", misuse_of_pinview_context_set_merge_policy},
    {"ERR-05: pinview_context_merge_policy", misuse_of_pinview_context_merge_policy},
    {"ERR-05: pinview_context_set_merge_callback", misuse_of_pinview_context_set_merge_callback},
    {"ERR-05: pinview_merge_conflicts", misuse_of_pinview_merge_conflicts},
    {"ERR-05: pinview_merge_set_policy", misuse_of_pinview_merge_set_policy},
    {"ERR-05: pinview_merge_set_value", misuse_of_pinview_merge_set_value},
    {"ERR-05: pinview_context_set_option", misuse_of_pinview_context_set_option},
    {"ERR-05: pinview_context_get_option", misuse_of_pinview_context_get_option},
    {"ERR-05: pinview_context_set_staleness_interval", misuse_of_pinview_context_set_staleness_interval},
    {"ERR-05: pinview_context_staleness_interval", misuse_of_pinview_context_staleness_interval},
    {"ERR-05: pinview_context_set_timeout", misuse_of_pinview_context_set_timeout},
    {"ERR-05: pinview_context_timeout", misuse_of_pinview_context_timeout},
    {"ERR-05: pinview_context_set_query_generation", misuse_of_pinview_context_set_query_generation},
    {"ERR-05: pinview_context_query_generation", misuse_of_pinview_context_query_generation},
    {"ERR-05: pinview_context_query_generation_state", misuse_of_pinview_context_query_generation_state},
    {"ERR-05: pinview_context_has_newer_generation", misuse_of_pinview_context_has_newer_generation},
    {"ERR-05: pinview_context_wait_for_newer_generation", misuse_of_pinview_context_wait_for_newer_generation},
    {"ERR-05: pinview_context_perform", misuse_of_pinview_context_perform},
    {"ERR-05: pinview_context_perform_and_wait", misuse_of_pinview_context_perform_and_wait},
    {"ERR-05: pinview_context_insert_new_object", misuse_of_pinview_context_insert_new_object},
    {"ERR-05: pinview_context_insert_objects", misuse_of_pinview_context_insert_objects},
    {"ERR-05: pinview_context_upsert", misuse_of_pinview_context_upsert},
    {"ERR-05: pinview_context_insert", misuse_of_pinview_context_insert},
    {"ERR-05: pinview_context_delete", misuse_of_pinview_context_delete},
    {"ERR-05: pinview_context_delete_objects", misuse_of_pinview_context_delete_objects},
    {"ERR-05: pinview_context_assign", misuse_of_pinview_context_assign},
    {"ERR-05: pinview_context_registered_object", misuse_of_pinview_context_registered_object},
    {"ERR-05: pinview_context_object", misuse_of_pinview_context_object},
    {"ERR-05: pinview_context_existing_object", misuse_of_pinview_context_existing_object},
    {"ERR-05: pinview_context_objects", misuse_of_pinview_context_objects},
    {"ERR-05: pinview_context_existing_objects", misuse_of_pinview_context_existing_objects},
    {"ERR-05: pinview_context_values", misuse_of_pinview_context_values},
    {"ERR-05: pinview_context_registered_objects", misuse_of_pinview_context_registered_objects},
    {"ERR-05: pinview_context_inserted_objects", misuse_of_pinview_context_inserted_objects},
    {"ERR-05: pinview_context_updated_objects", misuse_of_pinview_context_updated_objects},
    {"ERR-05: pinview_context_deleted_objects", misuse_of_pinview_context_deleted_objects},
    {"ERR-05: pinview_context_has_changes", misuse_of_pinview_context_has_changes},
    {"ERR-05: pinview_context_refresh", misuse_of_pinview_context_refresh},
    {"ERR-05: pinview_context_refresh_all_objects", misuse_of_pinview_context_refresh_all_objects},
    {"ERR-05: pinview_context_obtain_permanent_ids", misuse_of_pinview_context_obtain_permanent_ids},
    {"ERR-05: pinview_context_detect_conflicts", misuse_of_pinview_context_detect_conflicts},
    {"ERR-05: pinview_context_process_pending_changes", misuse_of_pinview_context_process_pending_changes},
    {"ERR-05: pinview_context_save", misuse_of_pinview_context_save},
    {"ERR-05: pinview_context_rollback", misuse_of_pinview_context_rollback},
    {"ERR-05: pinview_context_reset", misuse_of_pinview_context_reset},
    {"ERR-05: pinview_context_undo", misuse_of_pinview_context_undo},
    {"ERR-05: pinview_context_redo", misuse_of_pinview_context_redo},
    {"ERR-05: pinview_context_set_undo_enabled", misuse_of_pinview_context_set_undo_enabled},
    {"ERR-05: pinview_context_remove_all_undo_actions", misuse_of_pinview_context_remove_all_undo_actions},
    {"ERR-05: pinview_context_begin_undo_grouping", misuse_of_pinview_context_begin_undo_grouping},
    {"ERR-05: pinview_context_end_undo_grouping", misuse_of_pinview_context_end_undo_grouping},
    {"ERR-05: pinview_context_set_undo_levels", misuse_of_pinview_context_set_undo_levels},
    {"ERR-05: pinview_context_lock", misuse_of_pinview_context_lock},
    {"ERR-05: pinview_context_unlock", misuse_of_pinview_context_unlock},
    {"ERR-05: pinview_context_try_lock", misuse_of_pinview_context_try_lock},
    {"ERR-05: pinview_context_set_userdata", misuse_of_pinview_context_set_userdata},
    {"ERR-05: pinview_context_userdata", misuse_of_pinview_context_userdata},
    {"ERR-05: pinview_context_get_weak", misuse_of_pinview_context_get_weak},
    {"ERR-05: pinview_weak_context_get", misuse_of_pinview_weak_context_get},
    {"ERR-05: pinview_undo_manager_create", misuse_of_pinview_undo_manager_create},
    {"ERR-05: pinview_undo_manager_is_equal", misuse_of_pinview_undo_manager_is_equal},
    {"ERR-05: pinview_context_undo_manager", misuse_of_pinview_context_undo_manager},
    {"ERR-05: pinview_context_set_undo_manager", misuse_of_pinview_context_set_undo_manager},
    {"ERR-05: pinview_undo_manager_undo", misuse_of_pinview_undo_manager_undo},
    {"ERR-05: pinview_undo_manager_redo", misuse_of_pinview_undo_manager_redo},
    {"ERR-05: pinview_undo_manager_can_undo", misuse_of_pinview_undo_manager_can_undo},
    {"ERR-05: pinview_undo_manager_can_redo", misuse_of_pinview_undo_manager_can_redo},
    {"ERR-05: pinview_undo_manager_undo_action_name", misuse_of_pinview_undo_manager_undo_action_name},
    {"ERR-05: pinview_undo_manager_redo_action_name", misuse_of_pinview_undo_manager_redo_action_name},
    {"ERR-05: pinview_undo_manager_set_action_name", misuse_of_pinview_undo_manager_set_action_name},
    {"ERR-05: pinview_undo_manager_begin_grouping", misuse_of_pinview_undo_manager_begin_grouping},
    {"ERR-05: pinview_undo_manager_end_grouping", misuse_of_pinview_undo_manager_end_grouping},
    {"ERR-05: pinview_undo_manager_grouping_level", misuse_of_pinview_undo_manager_grouping_level},
    {"ERR-05: pinview_undo_manager_set_levels", misuse_of_pinview_undo_manager_set_levels},
    {"ERR-05: pinview_undo_manager_levels", misuse_of_pinview_undo_manager_levels},
    {"ERR-05: pinview_undo_manager_set_registration_enabled", misuse_of_pinview_undo_manager_set_registration_enabled},
    {"ERR-05: pinview_undo_manager_is_registration_enabled", misuse_of_pinview_undo_manager_is_registration_enabled},
    {"ERR-05: pinview_undo_manager_remove_all_actions", misuse_of_pinview_undo_manager_remove_all_actions},
    {"ERR-05: pinview_object_is_equal", misuse_of_pinview_object_is_equal},
    {"ERR-05: pinview_object_identity", misuse_of_pinview_object_identity},
    {"ERR-05: pinview_object_get_id", misuse_of_pinview_object_get_id},
    {"ERR-05: pinview_object_entity", misuse_of_pinview_object_entity},
    {"ERR-05: pinview_object_context", misuse_of_pinview_object_context},
    {"ERR-05: pinview_object_state", misuse_of_pinview_object_state},
    {"ERR-05: pinview_object_value", misuse_of_pinview_object_value},
    {"ERR-05: pinview_object_value_at", misuse_of_pinview_object_value_at},
    {"ERR-05: pinview_object_values", misuse_of_pinview_object_values},
    {"ERR-05: pinview_object_examine", misuse_of_pinview_object_examine},
    {"ERR-05: pinview_value_readable", misuse_of_pinview_value_readable},
    {"ERR-05: pinview_objects_values", misuse_of_pinview_objects_values},
    {"ERR-05: pinview_object_set_value", misuse_of_pinview_object_set_value},
    {"ERR-05: pinview_object_set_value_at", misuse_of_pinview_object_set_value_at},
    {"ERR-05: pinview_object_set_composite", misuse_of_pinview_object_set_composite},
    {"ERR-05: pinview_object_related_object", misuse_of_pinview_object_related_object},
    {"ERR-05: pinview_object_related_object_at", misuse_of_pinview_object_related_object_at},
    {"ERR-05: pinview_objects_related_object_at", misuse_of_pinview_objects_related_object_at},
    {"ERR-05: pinview_object_related_objects", misuse_of_pinview_object_related_objects},
    {"ERR-05: pinview_object_related_object_count", misuse_of_pinview_object_related_object_count},
    {"ERR-05: pinview_object_contains_related_object", misuse_of_pinview_object_contains_related_object},
    {"ERR-05: pinview_object_add_related_object", misuse_of_pinview_object_add_related_object},
    {"ERR-05: pinview_object_insert_related_object", misuse_of_pinview_object_insert_related_object},
    {"ERR-05: pinview_object_remove_related_object", misuse_of_pinview_object_remove_related_object},
    {"ERR-05: pinview_object_set_related_objects", misuse_of_pinview_object_set_related_objects},
    {"ERR-05: pinview_object_has_fault", misuse_of_pinview_object_has_fault},
    {"ERR-05: pinview_object_changed_properties", misuse_of_pinview_object_changed_properties},
    {"ERR-05: pinview_object_committed_value", misuse_of_pinview_object_committed_value},
    {"ERR-05: pinview_object_validate", misuse_of_pinview_object_validate},
    {"ERR-05: pinview_object_validate_for_delete", misuse_of_pinview_object_validate_for_delete},
    {"ERR-05: pinview_object_set_userdata", misuse_of_pinview_object_set_userdata},
    {"ERR-05: pinview_object_userdata", misuse_of_pinview_object_userdata},
    {"ERR-05: pinview_object_get_weak", misuse_of_pinview_object_get_weak},
    {"ERR-05: pinview_weak_object_get", misuse_of_pinview_weak_object_get},
    {"ERR-05: pinview_object_id_is_equal", misuse_of_pinview_object_id_is_equal},
    {"ERR-05: pinview_object_id_hash", misuse_of_pinview_object_id_hash},
    {"ERR-05: pinview_object_id_uri", misuse_of_pinview_object_id_uri},
    {"ERR-05: pinview_object_id_is_temporary", misuse_of_pinview_object_id_is_temporary},
    {"ERR-05: pinview_object_id_entity_name", misuse_of_pinview_object_id_entity_name},
    {"ERR-05: pinview_object_id_store_identifier", misuse_of_pinview_object_id_store_identifier},
    {"ERR-05: pinview_fetch_request_init", misuse_of_pinview_fetch_request_init},
    {"ERR-05: pinview_context_fetch", misuse_of_pinview_context_fetch},
    {"ERR-05: pinview_context_fetch_asynchronously", misuse_of_pinview_context_fetch_asynchronously},
    {"ERR-05: pinview_asynchronous_fetch_cancel", misuse_of_pinview_asynchronous_fetch_cancel},
    {"ERR-05: pinview_asynchronous_fetch_progress", misuse_of_pinview_asynchronous_fetch_progress},
    {"ERR-05: pinview_asynchronous_fetch_wait", misuse_of_pinview_asynchronous_fetch_wait},
    {"ERR-05: pinview_asynchronous_fetch_result", misuse_of_pinview_asynchronous_fetch_result},
    {"ERR-05: pinview_context_interrupt_fetch", misuse_of_pinview_context_interrupt_fetch},
    {"ERR-05: pinview_context_interrupt", misuse_of_pinview_context_interrupt},
    {"ERR-05: pinview_context_count", misuse_of_pinview_context_count},
    {"ERR-05: pinview_fetch_request_execute", misuse_of_pinview_fetch_request_execute},
    {"ERR-05: pinview_model_set_fetch_request_template", misuse_of_pinview_model_set_fetch_request_template},
    {"ERR-05: pinview_model_fetch_request_template_count", misuse_of_pinview_model_fetch_request_template_count},
    {"ERR-05: pinview_model_fetch_request_template_name", misuse_of_pinview_model_fetch_request_template_name},
    {"ERR-05: pinview_model_fetch_request_template", misuse_of_pinview_model_fetch_request_template},
    {"ERR-05: pinview_model_fetch_request_from_template", misuse_of_pinview_model_fetch_request_from_template},
    {"ERR-05: pinview_fetch_template_request", misuse_of_pinview_fetch_template_request},
    {"ERR-05: pinview_model_builder_add_fetched_property", misuse_of_pinview_model_builder_add_fetched_property},
    {"ERR-05: pinview_entity_fetched_property_count", misuse_of_pinview_entity_fetched_property_count},
    {"ERR-05: pinview_entity_fetched_property", misuse_of_pinview_entity_fetched_property},
    {"ERR-05: pinview_object_fetched_objects", misuse_of_pinview_object_fetched_objects},
    {"ERR-05: pinview_result_get_type", misuse_of_pinview_result_get_type},
    {"ERR-05: pinview_result_row_counts", misuse_of_pinview_result_row_counts},
    {"ERR-05: pinview_result_upsert_outcomes", misuse_of_pinview_result_upsert_outcomes},
    {"ERR-05: pinview_result_count", misuse_of_pinview_result_count},
    {"ERR-05: pinview_result_object", misuse_of_pinview_result_object},
    {"ERR-05: pinview_result_objects", misuse_of_pinview_result_objects},
    {"ERR-05: pinview_result_values", misuse_of_pinview_result_values},
    {"ERR-05: pinview_result_load", misuse_of_pinview_result_load},
    {"ERR-05: pinview_result_object_id", misuse_of_pinview_result_object_id},
    {"ERR-05: pinview_result_object_ids", misuse_of_pinview_result_object_ids},
    {"ERR-05: pinview_result_column_count", misuse_of_pinview_result_column_count},
    {"ERR-05: pinview_result_column_name", misuse_of_pinview_result_column_name},
    {"ERR-05: pinview_context_explain", misuse_of_pinview_context_explain},
    {"ERR-05: pinview_predicate_create", misuse_of_pinview_predicate_create},
    {"ERR-05: pinview_predicate_is_equal", misuse_of_pinview_predicate_is_equal},
    {"ERR-05: pinview_predicate_substitute", misuse_of_pinview_predicate_substitute},
    {"ERR-05: pinview_predicate_description", misuse_of_pinview_predicate_description},
    {"ERR-05: pinview_predicate_evaluate", misuse_of_pinview_predicate_evaluate},
    {"ERR-05: pinview_predicate_create_comparison", misuse_of_pinview_predicate_create_comparison},
    {"ERR-05: pinview_predicate_create_compound", misuse_of_pinview_predicate_create_compound},
    {"ERR-05: pinview_predicate_create_constant", misuse_of_pinview_predicate_create_constant},
    {"ERR-05: pinview_expression_create", misuse_of_pinview_expression_create},
    {"ERR-05: pinview_expression_create_constant", misuse_of_pinview_expression_create_constant},
    {"ERR-05: pinview_expression_create_key_path", misuse_of_pinview_expression_create_key_path},
    {"ERR-05: pinview_expression_create_variable", misuse_of_pinview_expression_create_variable},
    {"ERR-05: pinview_expression_create_aggregate", misuse_of_pinview_expression_create_aggregate},
    {"ERR-05: pinview_expression_create_function", misuse_of_pinview_expression_create_function},
    {"ERR-05: pinview_expression_create_subquery", misuse_of_pinview_expression_create_subquery},
    {"ERR-05: pinview_expression_create_conditional", misuse_of_pinview_expression_create_conditional},
    {"ERR-05: pinview_expression_create_cast", misuse_of_pinview_expression_create_cast},
    {"ERR-05: pinview_expression_evaluate", misuse_of_pinview_expression_evaluate},
    {"ERR-05: pinview_expression_is_equal", misuse_of_pinview_expression_is_equal},
    {"ERR-05: pinview_expression_description", misuse_of_pinview_expression_description},
    {"ERR-05: pinview_context_fetch_columns", misuse_of_pinview_context_fetch_columns},
    {"ERR-05: pinview_context_batch_update", misuse_of_pinview_context_batch_update},
    {"ERR-05: pinview_context_batch_insert", misuse_of_pinview_context_batch_insert},
    {"ERR-05: pinview_context_batch_delete", misuse_of_pinview_context_batch_delete},
    {"ERR-05: pinview_history_token_is_equal", misuse_of_pinview_history_token_is_equal},
    {"ERR-05: pinview_history_token_data", misuse_of_pinview_history_token_data},
    {"ERR-05: pinview_history_token_create_from_data", misuse_of_pinview_history_token_create_from_data},
    {"ERR-05: pinview_coordinator_history_token", misuse_of_pinview_coordinator_history_token},
    {"ERR-05: pinview_context_fetch_history", misuse_of_pinview_context_fetch_history},
    {"ERR-05: pinview_context_delete_history", misuse_of_pinview_context_delete_history},
    {"ERR-05: pinview_history_count", misuse_of_pinview_history_count},
    {"ERR-05: pinview_history_transaction_at", misuse_of_pinview_history_transaction_at},
    {"ERR-05: pinview_history_token_after", misuse_of_pinview_history_token_after},
    {"ERR-05: pinview_history_change_at", misuse_of_pinview_history_change_at},
    {"ERR-05: pinview_history_change_object_id", misuse_of_pinview_history_change_object_id},
    {"ERR-05: pinview_history_change_property", misuse_of_pinview_history_change_property},
    {"ERR-05: pinview_history_change_tombstone", misuse_of_pinview_history_change_tombstone},
    {"ERR-05: pinview_context_merge_history", misuse_of_pinview_context_merge_history},
    {"ERR-05: pinview_coordinator_set_history_consumer", misuse_of_pinview_coordinator_set_history_consumer},
    {"ERR-05: pinview_coordinator_remove_history_consumer", misuse_of_pinview_coordinator_remove_history_consumer},
    {"ERR-05: pinview_coordinator_history_consumer", misuse_of_pinview_coordinator_history_consumer},
    {"ERR-05: pinview_coordinator_each_history_consumer", misuse_of_pinview_coordinator_each_history_consumer},
    {"ERR-05: pinview_coordinator_add_remote_change_observer", misuse_of_pinview_coordinator_add_remote_change_observer},
    {"ERR-05: pinview_coordinator_difference", misuse_of_pinview_coordinator_difference},
    {"ERR-05: pinview_difference_count", misuse_of_pinview_difference_count},
    {"ERR-05: pinview_difference_changes", misuse_of_pinview_difference_changes},
    {"ERR-05: pinview_difference_old_generation", misuse_of_pinview_difference_old_generation},
    {"ERR-05: pinview_difference_new_generation", misuse_of_pinview_difference_new_generation},
    {"ERR-05: pinview_observe", misuse_of_pinview_observe},
    {"ERR-05: pinview_observer_remove", misuse_of_pinview_observer_remove},
    {"ERR-05: pinview_notification_name", misuse_of_pinview_notification_name},
    {"ERR-05: pinview_notification_context", misuse_of_pinview_notification_context},
    {"ERR-05: pinview_notification_objects", misuse_of_pinview_notification_objects},
    {"ERR-05: pinview_notification_object_ids", misuse_of_pinview_notification_object_ids},
    {"ERR-05: pinview_notification_token", misuse_of_pinview_notification_token},
    {"ERR-05: pinview_context_merge_changes", misuse_of_pinview_context_merge_changes},
    {"ERR-05: pinview_context_merge_object_ids", misuse_of_pinview_context_merge_object_ids},
    {"ERR-05: pinview_context_merge_uris", misuse_of_pinview_context_merge_uris},
    {"ERR-05: pinview_results_controller_create", misuse_of_pinview_results_controller_create},
    {"ERR-05: pinview_results_controller_perform_fetch", misuse_of_pinview_results_controller_perform_fetch},
    {"ERR-05: pinview_results_controller_set_callbacks", misuse_of_pinview_results_controller_set_callbacks},
    {"ERR-05: pinview_results_controller_objects", misuse_of_pinview_results_controller_objects},
    {"ERR-05: pinview_results_controller_count", misuse_of_pinview_results_controller_count},
    {"ERR-05: pinview_results_controller_section_count", misuse_of_pinview_results_controller_section_count},
    {"ERR-05: pinview_results_controller_section", misuse_of_pinview_results_controller_section},
    {"ERR-05: pinview_results_controller_section_objects", misuse_of_pinview_results_controller_section_objects},
    {"ERR-05: pinview_results_controller_section_for_index_title", misuse_of_pinview_results_controller_section_for_index_title},
    {"ERR-05: pinview_results_controller_object", misuse_of_pinview_results_controller_object},
    {"ERR-05: pinview_results_controller_index_path", misuse_of_pinview_results_controller_index_path},
    {"ERR-05: pinview_coordinator_export", misuse_of_pinview_coordinator_export},
    {"ERR-05: pinview_export_database", misuse_of_pinview_export_database},
    {"ERR-05: pinview_coordinator_query_sql", misuse_of_pinview_coordinator_query_sql},
    {"ERR-05: pinview_context_query_sql", misuse_of_pinview_context_query_sql},
    {"ERR-05: pinview_sql_cursor_column_count", misuse_of_pinview_sql_cursor_column_count},
    {"ERR-05: pinview_sql_cursor_column_name", misuse_of_pinview_sql_cursor_column_name},
    {"ERR-05: pinview_sql_cursor_read", misuse_of_pinview_sql_cursor_read},
    {"ERR-05: pinview_sql_cursor_interrupt", misuse_of_pinview_sql_cursor_interrupt},
    {"ERR-05: pinview_coordinator_set_journal_callback", misuse_of_pinview_coordinator_set_journal_callback},
    {"ERR-05: pinview_coordinator_journal_report", misuse_of_pinview_coordinator_journal_report},
    {"ERR-05: pinview_coordinator_journal_report_text", misuse_of_pinview_coordinator_journal_report_text},
    {"ERR-05: pinview_journal_report_create_for_file", misuse_of_pinview_journal_report_create_for_file},
    {"ERR-05: pinview_journal_report_store_count", misuse_of_pinview_journal_report_store_count},
    {"ERR-05: pinview_journal_report_store", misuse_of_pinview_journal_report_store},
    {"ERR-05: pinview_journal_report_generation", misuse_of_pinview_journal_report_generation},
    {"ERR-05: pinview_journal_report_context", misuse_of_pinview_journal_report_context},
    {"ERR-05: pinview_journal_report_process", misuse_of_pinview_journal_report_process},
    {"ERR-05: pinview_journal_report_read_mark_frame", misuse_of_pinview_journal_report_read_mark_frame},
    {"ERR-05: pinview_open", misuse_of_pinview_open},
    {"ERR-05: pinview_open_another", misuse_of_pinview_open_another},
    {"ERR-05: pinview_insert", misuse_of_pinview_insert},
    {"ERR-05: pinview_set", misuse_of_pinview_set},
    {"ERR-05: pinview_fetch", misuse_of_pinview_fetch},
    {"ERR-05: pinview_fetch_first", misuse_of_pinview_fetch_first},
    {"ERR-05: pinview_next", misuse_of_pinview_next},
    {"ERR-05: pinview_get_text", misuse_of_pinview_get_text},
    {"ERR-05: pinview_get_integer", misuse_of_pinview_get_integer},
    {"ERR-05: pinview_get_double", misuse_of_pinview_get_double},
    {"ERR-05: pinview_get_boolean", misuse_of_pinview_get_boolean},
    {"ERR-05: pinview_object_block_retain", misuse_of_pinview_object_block_retain},
    {"ERR-05: pinview_object_block_release", misuse_of_pinview_object_block_release},
    {"ERR-05: pinview_result_object_block", misuse_of_pinview_result_object_block},
    {"ERR-05: pinview_objects_object_block", misuse_of_pinview_objects_object_block},
    {"ERR-05: pinview_object_block_object", misuse_of_pinview_object_block_object},
    {"ERR-05: pinview_object_block_drop", misuse_of_pinview_object_block_drop},
    {"ERR-05: pinview_object_block_column", misuse_of_pinview_object_block_column},
    {"ERR-05: pinview_object_block_fire", misuse_of_pinview_object_block_fire},
    {"ERR-05: pinview_object_block_related_object", misuse_of_pinview_object_block_related_object},
    {"ERR-05: pinview_object_block_related_objects", misuse_of_pinview_object_block_related_objects},
    {"ERR-05: pinview_object_block_confirm_related_objects", misuse_of_pinview_object_block_confirm_related_objects},
    {"ERR-05: pinview_object_block_contains_related_object", misuse_of_pinview_object_block_contains_related_object},
    {"ERR-05: pinview_object_block_add_related_objects", misuse_of_pinview_object_block_add_related_objects},
    {"ERR-05: pinview_object_block_remove_related_objects", misuse_of_pinview_object_block_remove_related_objects},
    {"ERR-05: pinview_object_block_set_value", misuse_of_pinview_object_block_set_value},
    {"ERR-05: pinview_object_block_values", misuse_of_pinview_object_block_values},
    {"ERR-05: pinview_context_object_row", misuse_of_pinview_context_object_row},
    {"ERR-05: pinview_result_object_row", misuse_of_pinview_result_object_row},
    {"ERR-05: pinview_object_block_row", misuse_of_pinview_object_block_row},
    {"ERR-05: pinview_object_block_related_row", misuse_of_pinview_object_block_related_row},
    {"ERR-05: pinview_context_insert_row", misuse_of_pinview_context_insert_row},
    {"ERR-05: pinview_context_delete_named", misuse_of_pinview_context_delete_named},
    {"ERR-05: pinview_object_block_delete", misuse_of_pinview_object_block_delete},
};
const test_topic misuse_topic = TOPIC("misuse", tests);
