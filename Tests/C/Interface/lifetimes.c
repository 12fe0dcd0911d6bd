/* What handles keep alive, in any order of release. */
#define _POSIX_C_SOURCE 200809L
#include <pthread.h>
#include <string.h>

#include "support.h"
#include "topics.h"

static int is_alive(pinview_weak_object *weak) {
    pinview_object *object = NULL;
    OK(pinview_weak_object_get(weak, &object, ERROR));
    pinview_object_release(object);
    return object != NULL;
}

static void handles_keep_objects(void) {
    data_stack stack = stack_open("l.sqlite");
    add_daves(&stack, 0, 1);
    pinview_context *context = context_on(&stack);
    pinview_object *dave = one_named(context, "Person", "dave0");
    pinview_weak_object *weak = NULL;
    OK(pinview_object_get_weak(dave, &weak, ERROR));
    EXPECT_NUMBER(pinview_weak_object_retain(weak), PINVIEW_OK);
    pinview_weak_object_release(weak);
    EXPECT(is_alive(weak));
    EXPECT_NUMBER(pinview_object_retain(dave), PINVIEW_OK); /* REF-18 */
    pinview_object_release(dave);
    EXPECT(is_alive(weak));
    pinview_object_release(dave);
    EXPECT(!is_alive(weak)); /* REF-01 */
    EXPECT_NUMBER(pinview_object_release(dave), PINVIEW_ERROR_INVALID_HANDLE);
    EXPECT_NUMBER(pinview_object_retain(dave), PINVIEW_ERROR_INVALID_HANDLE);
    EXPECT_NUMBER(pinview_object_release(NULL), PINVIEW_OK);
    pinview_weak_object_release(weak);
    pinview_context_release(context);
    stack_close(&stack);
}

static void changed_objects_are_kept_by_their_context(void) {
    data_stack stack = stack_open("l.sqlite");
    add_daves(&stack, 0, 1);
    pinview_context *context = context_on(&stack);
    OK(pinview_context_set_undo_enabled(context, 0, ERROR));
    pinview_object *dave = one_named(context, "Person", "dave0");
    pinview_weak_object *weak = NULL;
    OK(pinview_object_get_weak(dave, &weak, ERROR));
    set_integer(dave, "age", 1);
    pinview_object_release(dave);
    EXPECT(is_alive(weak)); /* REF-04 */
    save(context);
    EXPECT(!is_alive(weak)); /* REF-05, REF-15 */
    EXPECT_NUMBER(sql_number(stack.path, "SELECT ZAGE FROM ZPERSON"), 1);
    pinview_weak_object_release(weak);
    pinview_context_release(context);
    stack_close(&stack);
}

static void objects_do_not_keep_their_context(void) {
    data_stack stack = stack_open("l.sqlite");
    add_daves(&stack, 0, 1);
    pinview_context *context = context_on(&stack), *found = NULL, *gone = NULL;
    pinview_weak_context *weak = NULL;
    OK(pinview_context_get_weak(context, &weak, ERROR));
    OK(pinview_weak_context_get(weak, &found, ERROR));
    EXPECT(pinview_context_is_equal(found, context));
    EXPECT(pinview_context_hash(found) == pinview_context_hash(context));
    pinview_context_release(found);
    EXPECT_NUMBER(pinview_weak_context_retain(weak), PINVIEW_OK);
    pinview_weak_context_release(weak);
    pinview_object *dave = one_named(context, "Person", "dave0");
    pinview_object_id *id = NULL;
    pinview_value value = pinview_value_integer(1);
    pinview_context_release(context); /* EX-43 */
    OK(pinview_weak_context_get(weak, &gone, ERROR));
    EXPECT(gone == NULL);
    OK(pinview_object_context(dave, &gone, ERROR)); /* REF-02, REF-03 */
    EXPECT(gone == NULL);
    FAILS(PINVIEW_ERROR_CONTEXT_GONE, pinview_object_value(dave, TEXT("name"), &value, ERROR));
    value = pinview_value_integer(1);
    FAILS(PINVIEW_ERROR_CONTEXT_GONE, pinview_object_set_value(dave, TEXT("age"), &value, ERROR));
    OK(pinview_object_get_id(dave, &id, ERROR));
    EXPECT_NUMBER(pinview_object_id_is_temporary(id), 0);
    EXPECT_NUMBER(pinview_object_id_retain(id), PINVIEW_OK);
    pinview_object_id_release(id);
    pinview_object_id_release(id);
    pinview_object_release(dave);
    pinview_weak_context_release(weak);
    stack_close(&stack);
}

static void contexts_keep_their_coordinator(void) {
    data_stack stack = stack_open("l.sqlite");
    add_daves(&stack, 0, 1);
    pinview_context *parent = context_on(&stack), *child = child_of(parent);
    stack_close(&stack); /* the coordinator's and the store's handles */
    EXPECT_NUMBER(pinview_context_retain(child), PINVIEW_OK);
    pinview_context_release(parent);
    EXPECT_NUMBER(count_named(child, "Person", "dave0"), 1); /* REF-19 */
    pinview_context_release(child);
    EXPECT_NUMBER(count_named(child, "Person", NULL), 1);
    pinview_context_release(child);
    EXPECT_NUMBER(pinview_context_release(child), PINVIEW_ERROR_INVALID_HANDLE);
}

static void results_keep_their_objects(void) {
    data_stack stack = stack_open("l.sqlite");
    add_daves(&stack, 0, 3);
    pinview_context *context = context_on(&stack);
    pinview_result *registered = NULL, *people = fetch_named(context, "Person", NULL);
    OK(pinview_context_registered_objects(context, &registered, ERROR));
    EXPECT_NUMBER(pinview_result_count(registered), 3);
    pinview_result_release(registered);
    pinview_result_release(people);
    OK(pinview_context_registered_objects(context, &registered, ERROR));
    EXPECT_NUMBER(pinview_result_count(registered), 0); /* REF-12 */
    pinview_result_release(registered);
    OK(pinview_context_set_option(context, PINVIEW_CONTEXT_RETAINS_REGISTERED_OBJECTS, 1, ERROR));
    pinview_result_release(fetch_named(context, "Person", NULL));
    OK(pinview_context_registered_objects(context, &registered, ERROR));
    EXPECT_NUMBER(pinview_result_count(registered), 3); /* REF-07 */
    pinview_result_release(registered);
    pinview_context_release(context);
    stack_close(&stack);
}

static void texts_stay_as_long_as_promised(void) {
    data_stack stack = stack_open("l.sqlite");
    add_daves(&stack, 0, 1);
    pinview_context *context = context_on(&stack);
    pinview_object *dave = one_named(context, "Person", "dave0");
    pinview_string name = text_of(dave, "name");
    EXPECT_NUMBER(integer_of(dave, "age"), 20); /* another property of the same handle */
    pinview_object *other = one_named(context, "Car", "car0");
    EXPECT_TEXT(text_of(other, "name"), "car0"); /* the same property of another handle */
    EXPECT_TEXT(name, "dave0");
    set_text(dave, "name", "someone else");
    EXPECT_TEXT(name, "dave0");
    pinview_object_release(other);
    pinview_object_release(dave);
    pinview_context_release(context);
    stack_close(&stack);
}

enum { threads = 8, rounds = 400 };

static void *make_and_release(void *userdata) {
    pinview_object *shared = userdata;
    for (int round = 0; round < rounds; round++) {
        pinview_object_id *id = NULL;
        if (pinview_object_retain(shared) != PINVIEW_OK) return "retain";
        if (pinview_object_get_id(shared, &id, NULL) != PINVIEW_OK) return "id";
        if (pinview_object_id_uri(id).size == 0) return "uri";
        if (pinview_object_id_release(id) != PINVIEW_OK) return "release of the id";
        if (pinview_object_release(shared) != PINVIEW_OK) return "release";
    }
    return NULL;
}

static void many_threads_use_one_handle(void) {
    data_stack stack = stack_in_memory();
    pinview_context *context = context_on(&stack);
    pinview_object *shared = insert_object(context, "Person", "shared");
    pthread_t handles[threads];
    for (int index = 0; index < threads; index++) REQUIRE(pthread_create(&handles[index], NULL, make_and_release, shared) == 0);
    for (int index = 0; index < threads; index++) {
        void *complaint = NULL;
        pthread_join(handles[index], &complaint);
        if (complaint != NULL) test_failed(__FILE__, __LINE__, "a thread could not %s", (const char *)complaint);
    }
    EXPECT_TEXT(text_of(shared, "name"), "shared");
    pinview_object_release(shared);
    pinview_context_release(context);
    stack_close(&stack);
}

static int64_t live_objects(pinview_context *context) {
    pinview_result *registered = NULL;
    OK(pinview_context_registered_objects(context, &registered, ERROR));
    int64_t count = (int64_t)pinview_result_count(registered);
    pinview_result_release(registered);
    return count;
}

/* Fetches all persons and loads their cars; both ways: the cars' owners, too. Gives all handles
 * back. */
static void load(pinview_context *context, int both_ways) {
    pinview_result *people = fetch_named(context, "Person", NULL);
    for (uint64_t index = 0; index < pinview_result_count(people); index++) {
        pinview_object *person = NULL, *car = NULL, *owner = NULL;
        pinview_result *cars = NULL;
        OK(pinview_result_object(people, index, &person, ERROR));
        OK(pinview_object_related_objects(person, TEXT("cars"), &cars, ERROR));
        OK(pinview_result_object(cars, 0, &car, ERROR));
        if (both_ways) OK(pinview_object_related_object(car, TEXT("owner"), &owner, ERROR));
        if (owner != NULL) pinview_object_release(owner);
        pinview_object_release(car);
        pinview_result_release(cars);
        pinview_object_release(person);
    }
    pinview_result_release(people);
}

static void live_objects_are_counted(void) {
    data_stack stack = stack_open("l.sqlite");
    add_daves(&stack, 0, 5);
    pinview_context *context = context_on(&stack);
    OK(pinview_context_set_undo_enabled(context, 0, ERROR));
    load(context, 0);
    EXPECT_NUMBER(live_objects(context), 0);
    int64_t handles = pinview_handle_count();
    load(context, 1);
    EXPECT_NUMBER(live_objects(context), 10); /* REF-10: persons and cars keep each other */
    EXPECT_NUMBER(pinview_handle_count(), handles); /* which takes no handles */
    OK(pinview_context_refresh_all_objects(context, ERROR));
    EXPECT_NUMBER(live_objects(context), 0); /* REF-17 */
    pinview_object *dave = one_named(context, "Person", "dave1");
    EXPECT_NUMBER(live_objects(context), 1);
    set_text(dave, "name", "renamed");
    pinview_object_release(dave);
    EXPECT_NUMBER(live_objects(context), 1); /* REF-04 */
    save(context);
    EXPECT_NUMBER(live_objects(context), 0); /* REF-05 */
    pinview_context_release(context);
    stack_close(&stack);
}

static const test_case tests[] = {
    {"REF-01, REF-04, REF-10, REF-17: live objects are counted", live_objects_are_counted},
    {"REF-01, REF-18: a handle keeps its object, a weak handle does not", handles_keep_objects},
    {"REF-04, REF-05, REF-15: changed objects are kept until they are saved", changed_objects_are_kept_by_their_context},
    {"REF-02, REF-03, EX-43: objects do not keep their context", objects_do_not_keep_their_context},
    {"REF-19: a child keeps its parent, a context its coordinator", contexts_keep_their_coordinator},
    {"REF-07, REF-12: results keep their objects", results_keep_their_objects},
    {"texts stay as long as the header promises", texts_stay_as_long_as_promised},
    {"CON-14: many threads use one handle", many_threads_use_one_handle},
};
const test_topic lifetimes_topic = TOPIC("lifetimes", tests);
