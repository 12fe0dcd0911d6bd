/* The walk-through of the ledger, step by step: EX-01 to EX-23. Context A is pinned, context B
 * changes the store meanwhile. */
#include <stdlib.h>

#include "support.h"
#include "topics.h"

enum { person_count = 24 };

/* What is switched off for the counter-checks. */
typedef struct {
    int is_pinned;       /* EX-03 is done */
    int touches_cars;    /* EX-05 is done before B deletes the car */
    int32_t policy;
} walk_variant;

typedef struct {
    data_stack stack;
    pinview_context *a, *b;
    walk_variant variant;
    pinview_object *dave0, *dave23; /* of A */
} walk_scene;

/* "The request's own execute inside the block" (EX-04): the context is that of the block. */
static pinview_result *execute_named(const char *name) {
    pinview_fetch_request request;
    pinview_result *result = NULL;
    pinview_predicate *condition = NULL;
    pinview_value argument = pinview_value_text(name);
    EXPECT_NUMBER(pinview_predicate_create(TEXT("name == %@"), &argument, 1, &condition, NULL), PINVIEW_OK);
    EXPECT_NUMBER(pinview_fetch_request_init(&request, sizeof request, TEXT("Person"), NULL), PINVIEW_OK);
    request.predicate = condition;
    EXPECT_NUMBER(pinview_fetch_request_execute(&request, &result, NULL), PINVIEW_OK);
    pinview_predicate_release(condition);
    return result;
}

static pinview_object *execute_one(const char *name) {
    pinview_result *result = execute_named(name);
    pinview_object *object = NULL;
    EXPECT_NUMBER(pinview_result_count(result), 1);
    EXPECT_NUMBER(pinview_result_object(result, 0, &object, NULL), PINVIEW_OK);
    pinview_result_release(result);
    return object;
}

static int token_is_set(pinview_context *context) {
    pinview_token *token = NULL;
    EXPECT_NUMBER(pinview_context_query_generation(context, &token, NULL), PINVIEW_OK);
    pinview_token_release(token);
    return token != NULL;
}

static void expect_text(pinview_object *object, const char *key, const char *expected) {
    pinview_value value = pinview_value_null();
    EXPECT_NUMBER(pinview_object_value(object, pinview_text(key), &value, NULL), PINVIEW_OK);
    EXPECT_NUMBER(value.type, PINVIEW_VALUE_STRING);
    if (value.type == PINVIEW_VALUE_STRING) EXPECT_TEXT(value.as.string, expected);
}

static uint64_t car_count(pinview_object *person) {
    uint64_t count = 99;
    EXPECT_NUMBER(pinview_object_related_object_count(person, TEXT("cars"), &count, NULL), PINVIEW_OK);
    return count;
}

/* The cars are a set with one car whose name can be read (EX-05, EX-14). */
static void expect_one_car(pinview_object *person, const char *name) {
    pinview_result *cars = NULL;
    pinview_object *car = NULL;
    EXPECT_NUMBER(pinview_object_related_objects(person, TEXT("cars"), &cars, NULL), PINVIEW_OK);
    EXPECT(cars != NULL);
    EXPECT_NUMBER(pinview_result_count(cars), 1);
    EXPECT_NUMBER(pinview_result_object(cars, 0, &car, NULL), PINVIEW_OK);
    if (car != NULL) expect_text(car, "name", name);
    pinview_object_release(car);
    pinview_result_release(cars);
}

static pinview_status changes_of_b(pinview_context *b, void *userdata) {
    walk_scene *scene = userdata;
    pinview_result *cars = NULL, *updated = NULL;
    pinview_object *car = NULL;
    /* EX-07: B's own instance, with exactly one car. The innermost block says which context the
     * request runs in (CON-06). */
    pinview_object *dave0 = execute_one("dave0");
    EXPECT(dave0 != NULL && !pinview_object_is_equal(dave0, scene->dave0));
    EXPECT_NUMBER(car_count(dave0), 1);
    /* EX-08 */
    EXPECT_NUMBER(pinview_object_related_objects(dave0, TEXT("cars"), &cars, NULL), PINVIEW_OK);
    EXPECT_NUMBER(pinview_result_object(cars, 0, &car, NULL), PINVIEW_OK);
    EXPECT_NUMBER(pinview_context_delete(b, car, NULL), PINVIEW_OK);
    EXPECT_NUMBER(pinview_context_save(b, NULL), PINVIEW_OK);
    /* EX-09 */
    pinview_named_value name = {TEXT("name"), pinview_value_text("DaveUpdate")};
    pinview_batch_update update = {0};
    update.struct_size = sizeof update;
    update.result_type = PINVIEW_RESULT_COUNT;
    update.entity = TEXT("Person");
    update.properties = &name;
    update.property_count = 1;
    EXPECT_NUMBER(pinview_context_batch_update(b, &update, &updated, NULL), PINVIEW_OK);
    EXPECT_NUMBER(pinview_result_get_type(updated), PINVIEW_RESULT_COUNT);
    EXPECT_NUMBER(pinview_result_count(updated), person_count);
    pinview_result_release(updated);
    pinview_object_release(car);
    pinview_result_release(cars);
    pinview_object_release(dave0);
    return PINVIEW_OK;
}

/* EX-10, by another program and by a new unpinned context. */
static void expect_store_after_b(const walk_scene *scene) {
    EXPECT_NUMBER(sql_number(scene->stack.path, "SELECT count(*) FROM ZPERSON WHERE ZNAME = 'DaveUpdate'"), person_count);
    EXPECT_NUMBER(sql_number(scene->stack.path, "SELECT count(*) FROM ZCAR WHERE ZNAME = 'car0'"), 0);
    pinview_context *unpinned = context_on(&scene->stack);
    EXPECT_NUMBER(count_named(unpinned, "Person", "DaveUpdate"), person_count);
    EXPECT_NUMBER(count_named(unpinned, "Car", "car0"), 0);
    pinview_context_release(unpinned);
}

static pinview_status first_block_of_a(pinview_context *a, void *userdata) {
    walk_scene *scene = userdata;
    EXPECT(!token_is_set(a)); /* EX-02 */
    if (scene->variant.is_pinned) { /* EX-03 */
        EXPECT_NUMBER(pinview_context_set_query_generation(a, pinview_token_current(), NULL), PINVIEW_OK);
        EXPECT(token_is_set(a));
    }
    scene->dave0 = execute_one("dave0"); /* EX-04 */
    expect_text(scene->dave0, "name", "dave0");
    if (scene->variant.touches_cars) expect_one_car(scene->dave0, "car0"); /* EX-05 */
    pinview_value age = pinview_value_null(); /* EX-06 */
    EXPECT_NUMBER(pinview_object_value(scene->dave0, TEXT("age"), &age, NULL), PINVIEW_OK);
    EXPECT_NUMBER(age.as.integer, 20);
    EXPECT_NUMBER(pinview_context_perform_and_wait(scene->b, changes_of_b, scene, NULL), PINVIEW_OK);
    return PINVIEW_OK;
}

static pinview_status second_block_of_a(pinview_context *a, void *userdata) {
    walk_scene *scene = userdata;
    scene->dave23 = execute_one("dave23");      /* EX-11 */
    expect_text(scene->dave23, "name", "dave23"); /* EX-12 */
    EXPECT(token_is_set(a));                    /* EX-13 */
    pinview_object *again = execute_one("dave0"); /* EX-14; in the variant EX-15 the first access to the cars */
    EXPECT(pinview_object_is_equal(again, scene->dave0));
    EXPECT(car_count(again) > 0);
    expect_one_car(again, "car0");
    pinview_object_release(again);
    pinview_value name = pinview_value_text("NAME_23"); /* EX-16 */
    EXPECT_NUMBER(pinview_object_set_value(scene->dave23, TEXT("name"), &name, NULL), PINVIEW_OK);
    int32_t has_changed = 0;
    EXPECT_NUMBER(pinview_context_has_changes(a, &has_changed, NULL), PINVIEW_OK);
    EXPECT_NUMBER(has_changed, 1);
    return PINVIEW_OK;
}

static pinview_status save_block_of_a(pinview_context *a, void *userdata) {
    walk_scene *scene = userdata;
    EXPECT_NUMBER(pinview_context_save(a, NULL), PINVIEW_OK); /* EX-17 */
    EXPECT(!token_is_set(a));
    expect_text(scene->dave23, "name", "NAME_23"); /* EX-18 */
    /* EX-19 */
    pinview_result *gone = execute_named("dave0");
    EXPECT_NUMBER(pinview_result_count(gone), 0);
    pinview_result_release(gone);
    pinview_object *renamed = execute_one("NAME_23");
    EXPECT(pinview_object_is_equal(renamed, scene->dave23));
    pinview_object_release(renamed);
    EXPECT(token_is_set(a));
    expect_text(scene->dave0, "name", "dave0");
    /* EX-20 */
    EXPECT_NUMBER(pinview_context_refresh_all_objects(a, NULL), PINVIEW_OK);
    expect_text(scene->dave0, "name", "DaveUpdate");
    EXPECT_NUMBER(car_count(scene->dave0), 0);
    EXPECT_NUMBER(pinview_context_set_query_generation(a, pinview_token_current(), NULL), PINVIEW_OK);
    EXPECT(token_is_set(a));
    return PINVIEW_OK;
}

/* EX-01 */
static walk_scene set_up(walk_variant variant) {
    walk_scene result = {{NULL, NULL, NULL, NULL}, NULL, NULL, variant, NULL, NULL};
    result.stack = stack_open("walk.sqlite");
    add_daves(&result.stack, 0, person_count);
    result.a = context_on(&result.stack);
    result.b = context_on(&result.stack);
    OK(pinview_context_set_merge_policy(result.a, variant.policy, ERROR));
    return result;
}

static void tear_down(walk_scene *scene) {
    pinview_object_release(scene->dave0);
    pinview_object_release(scene->dave23);
    pinview_context_release(scene->a);
    pinview_context_release(scene->b);
    stack_close(&scene->stack);
}

static void walk(int touches_cars) {
    walk_variant variant = {1, touches_cars, PINVIEW_MERGE_POLICY_BY_PROPERTY_OBJECT_TRUMP};
    walk_scene scene = set_up(variant);
    OK(pinview_context_perform_and_wait(scene.a, first_block_of_a, &scene, ERROR));
    expect_store_after_b(&scene);
    OK(pinview_context_perform_and_wait(scene.a, second_block_of_a, &scene, ERROR));
    OK(pinview_context_perform_and_wait(scene.a, save_block_of_a, &scene, ERROR));
    EXPECT_NUMBER(sql_number(scene.stack.path, "SELECT count(*) FROM ZPERSON WHERE ZNAME = 'NAME_23'"), 1);
    tear_down(&scene);
}

static void pinned_walk(void) { walk(1); }

static void pinned_walk_with_late_cars(void) { walk(0); }

static pinview_status fetch_dave23(pinview_context *a, void *userdata) {
    (void)a;
    (void)userdata;
    pinview_result *result = execute_named("dave23");
    EXPECT_NUMBER(pinview_result_count(result), 0);
    pinview_result_release(result);
    return PINVIEW_OK;
}

static void unpinned_walk(void) {
    walk_variant variant = {0, 1, PINVIEW_MERGE_POLICY_BY_PROPERTY_OBJECT_TRUMP};
    walk_scene scene = set_up(variant);
    OK(pinview_context_perform_and_wait(scene.a, first_block_of_a, &scene, ERROR));
    OK(pinview_context_perform_and_wait(scene.a, fetch_dave23, &scene, ERROR));
    EXPECT(!has_token(scene.a)); /* QG-24 */
    tear_down(&scene);
}

static void unpinned_walk_with_late_cars(void) {
    walk_variant variant = {0, 0, PINVIEW_MERGE_POLICY_BY_PROPERTY_OBJECT_TRUMP};
    walk_scene scene = set_up(variant);
    OK(pinview_context_perform_and_wait(scene.a, first_block_of_a, &scene, ERROR));
    EXPECT_NUMBER(members_of(scene.dave0, "cars"), 0);
    tear_down(&scene);
}

static void conflicting_walk(void) {
    walk_variant variant = {1, 1, PINVIEW_MERGE_POLICY_ERROR};
    walk_scene scene = set_up(variant);
    pinview_token *before = NULL, *after = NULL;
    OK(pinview_context_perform_and_wait(scene.a, first_block_of_a, &scene, ERROR));
    OK(pinview_context_perform_and_wait(scene.a, second_block_of_a, &scene, ERROR));
    OK(pinview_context_query_generation(scene.a, &before, ERROR));
    FAILS(PINVIEW_ERROR_MERGE, pinview_context_save(scene.a, ERROR));
    /* The conflict says who wanted what (SAV-10). */
    REQUIRE(pinview_error_conflict_count(last_error()) == 1);
    pinview_conflict conflict = {0};
    conflict.struct_size = sizeof conflict;
    EXPECT_NUMBER(pinview_error_conflict(last_error(), 0, &conflict, NULL), PINVIEW_OK);
    EXPECT(conflict.row_exists && conflict.new_version > conflict.old_version);
    EXPECT_TEXT(pinview_object_id_entity_name(conflict.object_id), "Person");
    int found = 0;
    for (uint64_t index = 0; index < conflict.property_count; index++) {
        pinview_conflict_property property = {0};
        property.struct_size = sizeof property;
        EXPECT_NUMBER(pinview_error_conflict_property(last_error(), 0, index, &property, NULL), PINVIEW_OK);
        if (property.name.size != 4 || property.name.data[0] != 'n') continue;
        found = 1;
        EXPECT_TEXT(property.base.as.string, "dave23");
        EXPECT_TEXT(property.mine.as.string, "NAME_23");
        EXPECT_TEXT(property.theirs.as.string, "DaveUpdate");
    }
    EXPECT(found);
    /* Token, data and pending changes as before. */
    OK(pinview_context_query_generation(scene.a, &after, ERROR));
    EXPECT(pinview_token_is_equal(before, after));
    EXPECT(has_changes(scene.a));
    EXPECT_TEXT(text_of(scene.dave23, "name"), "NAME_23");
    EXPECT_NUMBER(count_named(scene.a, "Person", "dave0"), 1);
    pinview_token_release(before);
    pinview_token_release(after);
    tear_down(&scene);
}

static const test_case tests[] = {
    {"EX-01 to EX-14, EX-16 to EX-20: a pinned context stands still while another one deletes and updates", pinned_walk},
    {"EX-15: a relationship first touched after the deletion still belongs to the generation", pinned_walk_with_late_cars},
    {"EX-21: without a pin the changed name is gone", unpinned_walk},
    {"EX-22: without a pin the deleted car is gone", unpinned_walk_with_late_cars},
    {"EX-23: under the error policy the save is a conflict, and pin and data stay", conflicting_walk},
};
const test_topic walk_through_topic = TOPIC("walk-through", tests);
