/* Requests and results. */
#include <math.h>
#include <semaphore.h>
#include <stdio.h>
#include <string.h>

#include "support.h"
#include "topics.h"

typedef struct {
    data_stack stack;
    pinview_context *context;
    pinview_fetch_request request;
} fetch_scene;

static fetch_scene set_up(int people) {
    fetch_scene scene;
    memset(&scene, 0, sizeof scene);
    scene.stack = stack_open("f.sqlite");
    add_daves(&scene.stack, 0, people);
    scene.context = context_on(&scene.stack);
    OK(pinview_fetch_request_init(&scene.request, sizeof scene.request, TEXT("Person"), ERROR));
    return scene;
}

static void tear_down(fetch_scene *scene) {
    pinview_context_release(scene->context);
    stack_close(&scene->stack);
}

static pinview_result *fetch(fetch_scene *scene) {
    pinview_result *result = NULL;
    OK(pinview_context_fetch(scene->context, &scene->request, &result, ERROR));
    return result;
}

static void requests_have_defaults(void) {
    pinview_fetch_request request;
    memset(&request, 0xff, sizeof request);
    OK(pinview_fetch_request_init(&request, sizeof request, TEXT("Person"), ERROR));
    EXPECT_NUMBER(request.struct_size, sizeof request);
    EXPECT_NUMBER(request.flags, PINVIEW_FETCH_INCLUDES_SUBENTITIES | PINVIEW_FETCH_INCLUDES_PENDING_CHANGES | PINVIEW_FETCH_RETURNS_FAULTS);
    EXPECT_TEXT(request.entity, "Person");
    EXPECT(request.predicate == NULL && request.sort_descriptors == NULL && request.stores == NULL);
    EXPECT(request.limit == 0 && request.offset == 0 && request.batch_size == 0 && request.result_type == PINVIEW_RESULT_OBJECTS);
    memset(&request, 0xff, sizeof request);
    pinview_fetch_request before = request;
    FAILS(PINVIEW_ERROR_INVALID_ARGUMENT, pinview_fetch_request_init(&request, 8, TEXT("Person"), ERROR));
    FAILS(PINVIEW_ERROR_INVALID_ARGUMENT, pinview_fetch_request_init(&request, 0, TEXT("Person"), ERROR));
    EXPECT(memcmp(&request, &before, sizeof request) == 0);
}

static void order_limit_and_offset(void) {
    fetch_scene scene = set_up(5);
    pinview_sort_descriptor by_age = {TEXT("age"), 1, 0};
    scene.request.sort_descriptors = &by_age;
    scene.request.sort_descriptor_count = 1;
    scene.request.limit = 2;
    scene.request.offset = 1;
    pinview_object *objects[2] = {NULL, NULL};
    pinview_result *result = fetch(&scene);
    EXPECT_NUMBER(pinview_result_count(result), 2); /* FET-12, FET-21 */
    OK(pinview_result_objects(result, 0, 2, objects, ERROR));
    EXPECT_TEXT(text_of(objects[0], "name"), "dave3");
    EXPECT_TEXT(text_of(objects[1], "name"), "dave2");
    pinview_objects_release(objects, 2);
    pinview_result_release(result);
    tear_down(&scene);
}

static void results_of_each_type(void) {
    fetch_scene scene = set_up(3);
    pinview_object_id *id = NULL;
    pinview_object *object = NULL;
    int64_t count = 0;
    scene.request.result_type = PINVIEW_RESULT_OBJECT_IDS;
    pinview_result *ids = fetch(&scene);
    EXPECT_NUMBER(pinview_result_get_type(ids), PINVIEW_RESULT_OBJECT_IDS);
    EXPECT_NUMBER(pinview_result_count(ids), 3);
    OK(pinview_result_object_id(ids, 2, &id, ERROR));
    EXPECT_TEXT(pinview_object_id_entity_name(id), "Person");
    pinview_object_id *several[3] = {NULL};
    OK(pinview_result_object_ids(ids, 1, 2, several, ERROR));
    EXPECT(pinview_object_id_is_equal(several[1], id) && !pinview_object_id_is_equal(several[0], id) && several[2] == NULL);
    for (int place = 0; place < 2; place++) OK(pinview_object_id_release(several[place]));
    FAILS(PINVIEW_ERROR_INVALID_ARGUMENT, pinview_result_object_ids(ids, 2, 2, several, ERROR));
    FAILS(PINVIEW_ERROR_WRONG_TYPE, pinview_result_object(ids, 0, &object, ERROR));
    scene.request.result_type = PINVIEW_RESULT_COUNT;
    pinview_result *number = fetch(&scene);
    EXPECT_NUMBER(pinview_result_get_type(number), PINVIEW_RESULT_COUNT);
    EXPECT_NUMBER(pinview_result_count(number), 3);
    FAILS(PINVIEW_ERROR_WRONG_TYPE, pinview_result_object(number, 0, &object, ERROR));
    OK(pinview_context_count(scene.context, &scene.request, &count, ERROR)); /* FET-05, EX-40 */
    EXPECT_NUMBER(count, 3);
    EXPECT(object == NULL);
    EXPECT_NUMBER(pinview_result_retain(number), PINVIEW_OK);
    pinview_result_release(number);
    pinview_result_release(number);
    pinview_result_release(ids);
    pinview_object_id_release(id);
    tear_down(&scene);
}

static void pending_changes_count_unless_told_otherwise(void) {
    fetch_scene scene = set_up(2);
    pinview_object *pending = insert_object(scene.context, "Person", "new");
    pinview_result *result = fetch(&scene);
    EXPECT_NUMBER(pinview_result_count(result), 3); /* FET-03 */
    pinview_result_release(result);
    scene.request.flags &= ~PINVIEW_FETCH_INCLUDES_PENDING_CHANGES;
    result = fetch(&scene);
    EXPECT_NUMBER(pinview_result_count(result), 2); /* FET-21 */
    pinview_result_release(result);
    pinview_object_release(pending);
    tear_down(&scene);
}

static void refetched_objects_are_refreshed_when_told(void) {
    fetch_scene scene = set_up(1);
    pinview_context *other = context_on(&scene.stack);
    pinview_object *mine = one_named(scene.context, "Person", "dave0"), *theirs = one_named(other, "Person", "dave0");
    EXPECT_NUMBER(integer_of(mine, "age"), 20);
    set_integer(theirs, "age", 70);
    save(other);
    pinview_result_release(fetch(&scene));
    EXPECT_NUMBER(integer_of(mine, "age"), 20); /* RFR-01 */
    scene.request.flags |= PINVIEW_FETCH_REFRESHES_OBJECTS;
    pinview_result_release(fetch(&scene));
    EXPECT_NUMBER(integer_of(mine, "age"), 70); /* FET-16 */
    pinview_object_release(mine);
    pinview_object_release(theirs);
    pinview_context_release(other);
    tear_down(&scene);
}

static void whole_tables_in_one_call(void) {
    fetch_scene scene = set_up(50);
    pinview_buffer *buffer = NULL;
    pinview_entity *car = NULL;
    static pinview_value values[100];
    int32_t indexes[2];
    pinview_sort_descriptor by_id = {TEXT("owner.age"), 0, 0};
    OK(pinview_model_entity_named(scene.stack.model, TEXT("Car"), &car, ERROR));
    OK(pinview_entity_property_index(car, TEXT("name"), &indexes[0], ERROR));
    OK(pinview_entity_property_index(car, TEXT("owner"), &indexes[1], ERROR));
    OK(pinview_buffer_create(&buffer, ERROR));
    scene.request.entity = TEXT("Car");
    scene.request.sort_descriptors = &by_id;
    scene.request.sort_descriptor_count = 1;
    pinview_result *result = fetch(&scene);
    OK(pinview_result_values(result, 0, 50, indexes, 2, buffer, values, ERROR));
    for (int row = 0; row < 50; row++) {
        char name[32];
        snprintf(name, sizeof name, "car%d", row);
        EXPECT_TEXT(values[row * 2].as.string, name);
        EXPECT_NUMBER(values[row * 2 + 1].type, PINVIEW_VALUE_OBJECT_ID);
        EXPECT_TEXT(pinview_object_id_entity_name(values[row * 2 + 1].as.object_id), "Person");
    }
    OK(pinview_result_values(result, 50, 0, indexes, 2, buffer, values, ERROR));
    FAILS(PINVIEW_ERROR_INVALID_ARGUMENT, pinview_result_values(result, 49, 2, indexes, 2, buffer, values, ERROR));
    FAILS(PINVIEW_ERROR_INVALID_ARGUMENT, pinview_result_values(result, UINT64_MAX, 2, indexes, 2, buffer, values, ERROR));
    FAILS(PINVIEW_ERROR_INVALID_ARGUMENT, pinview_result_values(result, 0, SIZE_MAX, indexes, 2, buffer, values, ERROR));
    FAILS(PINVIEW_ERROR_INVALID_ARGUMENT, pinview_result_values(result, 0, 2, NULL, 2, buffer, values, ERROR));
    FAILS(PINVIEW_ERROR_INVALID_ARGUMENT, pinview_result_values(result, 0, 2, indexes, 2, buffer, NULL, ERROR));
    indexes[1] = 99;
    EXPECT(pinview_result_values(result, 0, 2, indexes, 2, buffer, values, ERROR) != PINVIEW_OK);
    pinview_result_release(result);
    pinview_buffer_release(buffer);
    pinview_entity_release(car);
    tear_down(&scene);
}

static void wrong_requests_are_refused(void) {
    fetch_scene scene = set_up(1);
    pinview_result *result = NULL;
    pinview_sort_descriptor sort = {TEXT("wings"), 0, 0};
    int64_t count = 0;
    scene.request.entity = TEXT("Dragon");
    FAILS(PINVIEW_ERROR_UNKNOWN_ENTITY, pinview_context_fetch(scene.context, &scene.request, &result, ERROR)); /* FET-19 */
    FAILS(PINVIEW_ERROR_UNKNOWN_ENTITY, pinview_context_count(scene.context, &scene.request, &count, ERROR));
    EXPECT(count == PINVIEW_NOT_FOUND);
    scene.request.entity = TEXT("Person");
    scene.request.sort_descriptors = &sort;
    scene.request.sort_descriptor_count = 1;
    FAILS(PINVIEW_ERROR_UNKNOWN_KEY, pinview_context_fetch(scene.context, &scene.request, &result, ERROR));
    scene.request.sort_descriptors = NULL;
    FAILS(PINVIEW_ERROR_INVALID_ARGUMENT, pinview_context_fetch(scene.context, &scene.request, &result, ERROR));
    scene.request.sort_descriptor_count = 0;
    scene.request.result_type = 3;
    FAILS(PINVIEW_ERROR_INVALID_ARGUMENT, pinview_context_fetch(scene.context, &scene.request, &result, ERROR));
    scene.request.result_type = PINVIEW_RESULT_OBJECTS;
    scene.request.struct_size = 4;
    FAILS(PINVIEW_ERROR_INVALID_ARGUMENT, pinview_context_fetch(scene.context, &scene.request, &result, ERROR));
    scene.request.struct_size = sizeof scene.request;
    scene.request.predicate = (pinview_predicate *)scene.context;
    FAILS(PINVIEW_ERROR_INVALID_HANDLE, pinview_context_fetch(scene.context, &scene.request, &result, ERROR));
    scene.request.predicate = NULL;
    pinview_store *const stores[] = {NULL};
    scene.request.stores = stores;
    scene.request.store_count = 1;
    FAILS(PINVIEW_ERROR_INVALID_HANDLE, pinview_context_fetch(scene.context, &scene.request, &result, ERROR));
    scene.request.store_count = 0;
    scene.request.limit = UINT64_MAX; /* more than any table has: no limit, and no trap */
    scene.request.offset = UINT64_MAX;
    scene.request.batch_size = UINT64_MAX;
    pinview_status status = pinview_context_fetch(scene.context, &scene.request, &result, ERROR);
    EXPECT(status == PINVIEW_OK || status == PINVIEW_ERROR_INVALID_ARGUMENT);
    pinview_result_release(result);
    FAILS(PINVIEW_ERROR_INVALID_ARGUMENT, pinview_context_fetch(scene.context, NULL, &result, ERROR));
    FAILS(PINVIEW_ERROR_INVALID_ARGUMENT, pinview_fetch_request_execute(NULL, &result, ERROR));
    OK(pinview_fetch_request_init(&scene.request, sizeof scene.request, TEXT("Person"), ERROR));
    FAILS(PINVIEW_ERROR_NO_CURRENT_CONTEXT, pinview_fetch_request_execute(&scene.request, &result, ERROR)); /* FET-15 */
    tear_down(&scene);
}

static void elements_beyond_the_end(void) {
    fetch_scene scene = set_up(2);
    pinview_result *result = fetch(&scene);
    pinview_object *object = NULL, *objects[3] = {NULL, NULL, NULL};
    pinview_object_id *id = NULL;
    FAILS(PINVIEW_ERROR_INVALID_ARGUMENT, pinview_result_object(result, 2, &object, ERROR));
    FAILS(PINVIEW_ERROR_INVALID_ARGUMENT, pinview_result_object(result, UINT64_MAX, &object, ERROR));
    FAILS(PINVIEW_ERROR_INVALID_ARGUMENT, pinview_result_object_id(result, 2, &id, ERROR));
    FAILS(PINVIEW_ERROR_INVALID_ARGUMENT, pinview_result_objects(result, 0, 3, objects, ERROR));
    FAILS(PINVIEW_ERROR_INVALID_ARGUMENT, pinview_result_objects(result, 1, SIZE_MAX, objects, ERROR));
    EXPECT(object == NULL && id == NULL && objects[0] == NULL && objects[2] == NULL);
    OK(pinview_result_objects(result, 2, 0, NULL, ERROR));
    OK(pinview_result_object_id(result, 1, &id, ERROR));
    pinview_object_id_release(id);
    pinview_result_release(result);
    tear_down(&scene);
}

static void one_store_of_two(void) {
    fetch_scene scene = set_up(2);
    pinview_store *second = NULL;
    OK(pinview_coordinator_add_store(scene.stack.coordinator, TEXT(PINVIEW_STORE_TYPE_IN_MEMORY), pinview_absent(), pinview_absent(), NULL, 0, &second,
                                     ERROR));
    pinview_object *eve = insert_object(scene.context, "Person", "eve");
    OK(pinview_context_assign(scene.context, eve, second, ERROR));
    save(scene.context);
    scene.request.stores = &second;
    scene.request.store_count = 1;
    pinview_result *result = fetch(&scene);
    EXPECT_NUMBER(pinview_result_count(result), 1);
    pinview_result_release(result);
    pinview_object_release(eve);
    pinview_store_release(second);
    tear_down(&scene);
}

/* What the callbacks of an asynchronous fetch saw. */
typedef struct {
    pinview_status status; /* of its result */
    uint64_t count;
    uint64_t reported;
    int ended, freed;
    sem_t is_free;
} seen_fetch;

static void note_end(pinview_asynchronous_fetch *fetch, void *userdata) {
    seen_fetch *seen = userdata;
    pinview_result *result = NULL;
    seen->status = pinview_asynchronous_fetch_result(fetch, &result, NULL);
    seen->count = pinview_result_count(result);
    pinview_result_release(result);
    seen->ended++;
}

static void note_progress(pinview_asynchronous_fetch *fetch, void *userdata) {
    seen_fetch *seen = userdata;
    OK(pinview_asynchronous_fetch_progress(fetch, &seen->reported, NULL, ERROR));
}

static void note_free(void *userdata) {
    seen_fetch *seen = userdata;
    seen->freed++;
    sem_post(&seen->is_free);
}

static pinview_status run_nothing(pinview_context *context, void *userdata) {
    (void)context;
    (void)userdata;
    return PINVIEW_OK;
}

static int wait_for_end(pinview_asynchronous_fetch *fetch) {
    int32_t has_ended = 0;
    OK(pinview_asynchronous_fetch_wait(fetch, 120, &has_ended, ERROR));
    return has_ended;
}

static void a_fetch_runs_in_the_background(void) {
    data_stack stack = stack_open("a.sqlite");
    add_daves(&stack, 0, 3);
    pinview_context *context = context_on(&stack);
    pinview_fetch_request request;
    pinview_asynchronous_fetch *fetch = NULL;
    pinview_result *result = NULL;
    seen_fetch seen = {0};
    sem_init(&seen.is_free, 0, 0);
    OK(pinview_fetch_request_init(&request, sizeof request, TEXT("Person"), ERROR));
    OK(pinview_context_fetch_asynchronously(context, &request, PINVIEW_ASYNCHRONOUS_FETCH_COUNTS_FIRST, note_end, note_progress, &seen,
                                            note_free, &fetch, ERROR));
    EXPECT(wait_for_end(fetch));
    int32_t has_ended = 1;
    FAILS(PINVIEW_ERROR_INVALID_ARGUMENT, pinview_asynchronous_fetch_wait(fetch, NAN, &has_ended, ERROR));
    EXPECT_NUMBER(has_ended, 0);
    OK(pinview_asynchronous_fetch_wait(fetch, INFINITY, &has_ended, ERROR));
    EXPECT_NUMBER(has_ended, 1);
    OK(pinview_asynchronous_fetch_result(fetch, &result, ERROR));
    EXPECT_NUMBER(pinview_result_count(result), 3);
    uint64_t rows = 0;
    int64_t total = 0;
    OK(pinview_asynchronous_fetch_progress(fetch, &rows, &total, ERROR));
    EXPECT_NUMBER(rows, 3);
    EXPECT_NUMBER(total, 3);
    /* The completion is part of the block that ends the fetch. */
    OK(pinview_context_perform_and_wait(context, run_nothing, NULL, ERROR));
    EXPECT_NUMBER(seen.ended, 1);
    EXPECT_NUMBER(seen.status, PINVIEW_OK);
    EXPECT_NUMBER(seen.count, 3);
    EXPECT_NUMBER(seen.reported, 3);
    pinview_result_release(result);
    pinview_asynchronous_fetch_release(fetch);
    sem_wait(&seen.is_free); /* by a thread of the library: until then the userdata has to be there */
    EXPECT_NUMBER(seen.freed, 1);
    sem_destroy(&seen.is_free);

    /* Mistakes are reported at once, and the userdata stays the caller's. */
    seen_fetch other = {0};
    OK(pinview_fetch_request_init(&request, sizeof request, TEXT("Ship"), ERROR));
    FAILS(PINVIEW_ERROR_UNKNOWN_ENTITY,
          pinview_context_fetch_asynchronously(context, &request, 0, note_end, NULL, &other, note_free, &fetch, ERROR));
    EXPECT(fetch == NULL && other.freed == 0);
    pinview_context_release(context);
    stack_close(&stack);
}

static void a_fetch_is_cancelled_and_interrupted(void) {
    data_stack stack = stack_open("a.sqlite");
    add_daves(&stack, 0, 1);
    pinview_context *context = context_on(&stack);
    pinview_object *dave = one_named(context, "Person", "dave0");
    for (int number = 0; number < 600; number++) {
        pinview_object *car = insert_object(context, "Car", "many");
        OK(pinview_object_add_related_object(dave, TEXT("cars"), car, ERROR));
        pinview_object_release(car);
    }
    save(context);
    pinview_fetch_request request;
    pinview_asynchronous_fetch *fetch = NULL;
    pinview_result *result = NULL;
    pinview_predicate *endless = predicate("ANY cars.owner.cars.owner.cars.owner.cars.name == 'none'", NULL);
    OK(pinview_fetch_request_init(&request, sizeof request, TEXT("Person"), ERROR));
    request.predicate = endless;
    OK(pinview_context_fetch_asynchronously(context, &request, 0, NULL, NULL, NULL, NULL, &fetch, ERROR));
    EXPECT_NUMBER(count_named(context, "Person", NULL), 1); /* meanwhile */
    int32_t has_ended = 1;
    OK(pinview_asynchronous_fetch_wait(fetch, 0, &has_ended, ERROR));
    EXPECT_NUMBER(has_ended, 0);
    FAILS(PINVIEW_ERROR_INVALID_ARGUMENT, pinview_asynchronous_fetch_result(fetch, &result, ERROR));
    OK(pinview_asynchronous_fetch_cancel(fetch, ERROR));
    EXPECT(wait_for_end(fetch));
    FAILS(PINVIEW_ERROR_CANCELLED, pinview_asynchronous_fetch_result(fetch, &result, ERROR));
    EXPECT_NUMBER(count_named(context, "Car", NULL), 601);
    OK(pinview_context_interrupt_fetch(context, ERROR)); /* nothing to stop */
    EXPECT_NUMBER(count_named(context, "Car", NULL), 601);
    pinview_asynchronous_fetch_release(fetch);
    pinview_predicate_release(endless);
    pinview_object_release(dave);
    pinview_context_release(context);
    stack_close(&stack);
}

static const test_case tests[] = {
    {"a fetch runs in the background, with progress and completion", a_fetch_runs_in_the_background},
    {"a fetch in the background is cancelled while the context answers", a_fetch_is_cancelled_and_interrupted},
    {"requests have defaults, and a struct that is too small is refused", requests_have_defaults},
    {"FET-12, FET-21: order, limit and offset", order_limit_and_offset},
    {"FET-05, FET-21, EX-40: objects, IDs and counts", results_of_each_type},
    {"FET-03, FET-21: pending changes count unless told otherwise", pending_changes_count_unless_told_otherwise},
    {"FET-16, RFR-01: refetched objects are refreshed when told", refetched_objects_are_refreshed_when_told},
    {"whole tables in one call", whole_tables_in_one_call},
    {"FET-15, FET-19, ERR-05: wrong requests are refused", wrong_requests_are_refused},
    {"ERR-05: elements beyond the end", elements_beyond_the_end},
    {"a request can name its stores", one_store_of_two},
};
const test_topic fetching_topic = TOPIC("fetching", tests);
