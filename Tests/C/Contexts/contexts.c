/* Contexts: settings, object sets, changes, saves, undo, parents. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "support.h"
#include "topics.h"

static void a_new_context_has_the_defaults(void) {
    pinview_context *context = NULL, *parent = NULL;
    pinview_coordinator *coordinator = NULL;
    OK(pinview_context_create(PINVIEW_CONCURRENCY_PRIVATE_QUEUE, &context, ERROR));
    OK(pinview_context_coordinator(context, &coordinator, ERROR));
    OK(pinview_context_parent(context, &parent, ERROR));
    EXPECT(coordinator == NULL && parent == NULL);
    EXPECT_TEXT(pinview_context_name(context), NULL);
    EXPECT_TEXT(pinview_context_transaction_author(context), NULL);
    EXPECT_NUMBER(pinview_context_concurrency_type(context), PINVIEW_CONCURRENCY_PRIVATE_QUEUE);
    EXPECT_NUMBER(pinview_context_merge_policy(context), PINVIEW_MERGE_POLICY_ERROR);
    EXPECT_NUMBER(pinview_context_get_option(context, PINVIEW_CONTEXT_RETAINS_REGISTERED_OBJECTS), 0);
    EXPECT_NUMBER(pinview_context_get_option(context, PINVIEW_CONTEXT_SHOULD_DELETE_INACCESSIBLE_FAULTS), 1);
    EXPECT_NUMBER(pinview_context_get_option(context, PINVIEW_CONTEXT_PROPAGATES_DELETES_AT_END_OF_EVENT), 1);
    EXPECT_NUMBER(pinview_context_get_option(context, PINVIEW_CONTEXT_AUTOMATICALLY_MERGES_CHANGES), 0);
    EXPECT(pinview_context_staleness_interval(context) < 0);
    EXPECT(!has_changes(context));
    EXPECT(!has_token(context));
    EXPECT(pinview_context_is_equal(context, context) && !pinview_context_is_equal(context, NULL));
    EXPECT(pinview_context_hash(context) != 0 && pinview_context_hash(NULL) == 0);
    pinview_context_release(context);
}

static void settings_can_be_set(void) {
    data_stack stack = stack_in_memory();
    pinview_context *context = context_on(&stack);
    pinview_coordinator *coordinator = NULL;
    OK(pinview_context_coordinator(context, &coordinator, ERROR));
    EXPECT(pinview_coordinator_is_equal(coordinator, stack.coordinator));
    OK(pinview_context_set_name(context, TEXT("editor"), ERROR));
    EXPECT_TEXT(pinview_context_name(context), "editor");
    OK(pinview_context_set_name(context, pinview_absent(), ERROR));
    EXPECT_TEXT(pinview_context_name(context), NULL);
    OK(pinview_context_set_transaction_author(context, TEXT("me"), ERROR));
    EXPECT_TEXT(pinview_context_transaction_author(context), "me");
    for (int32_t policy = PINVIEW_MERGE_POLICY_ERROR; policy <= PINVIEW_MERGE_POLICY_ROLLBACK; policy++) {
        OK(pinview_context_set_merge_policy(context, policy, ERROR));
        EXPECT_NUMBER(pinview_context_merge_policy(context), policy);
    }
    for (int32_t flag = 1; flag <= 4; flag++) {
        for (int32_t is_on = 1; is_on >= 0; is_on--) {
            OK(pinview_context_set_option(context, flag, is_on, ERROR));
            EXPECT_NUMBER(pinview_context_get_option(context, flag), is_on);
        }
    }
    OK(pinview_context_set_staleness_interval(context, 2.5, ERROR));
    EXPECT(pinview_context_staleness_interval(context) == 2.5);
    EXPECT(pinview_context_timeout(context) == 0);
    OK(pinview_context_set_timeout(context, 2.5, ERROR));
    EXPECT(pinview_context_timeout(context) == 2.5);
    FAILS(PINVIEW_ERROR_INVALID_ARGUMENT, pinview_context_set_timeout(context, -1, ERROR));
    FAILS(PINVIEW_ERROR_INVALID_ARGUMENT, pinview_context_set_timeout(context, NAN, ERROR));
    OK(pinview_context_set_timeout(context, 0, ERROR));
    EXPECT(pinview_context_timeout(context) == 0 && pinview_context_timeout(NULL) == -1);
    OK(pinview_context_interrupt(context, ERROR)); /* nothing to stop */
    pinview_coordinator_release(coordinator);
    pinview_context_release(context);
    stack_close(&stack);
}

static void settings_that_do_not_exist_are_refused(void) {
    data_stack stack = stack_in_memory(), other = stack_in_memory();
    pinview_context *context = context_on(&stack), *none = NULL;
    FAILS(PINVIEW_ERROR_INVALID_ARGUMENT, pinview_context_create(3, &none, ERROR));
    FAILS(PINVIEW_ERROR_INVALID_ARGUMENT, pinview_context_create(-1, &none, ERROR));
    EXPECT(none == NULL);
    FAILS(PINVIEW_ERROR_INVALID_ARGUMENT, pinview_context_set_merge_policy(context, 5, ERROR));
    FAILS(PINVIEW_ERROR_INVALID_ARGUMENT, pinview_context_set_merge_policy(context, INT32_MIN, ERROR));
    FAILS(PINVIEW_ERROR_INVALID_ARGUMENT, pinview_context_set_option(context, 0, 1, ERROR));
    FAILS(PINVIEW_ERROR_INVALID_ARGUMENT, pinview_context_set_option(context, 5, 1, ERROR));
    EXPECT_NUMBER(pinview_context_get_option(context, 5), -1);
    FAILS(PINVIEW_ERROR_COORDINATOR_NIL, pinview_context_set_coordinator(context, NULL, ERROR)); /* CTX-17 */
    FAILS(PINVIEW_ERROR_INVALID_ARGUMENT, pinview_context_set_coordinator(context, other.coordinator, ERROR));
    pinview_context_release(context);
    stack_close(&other);
    stack_close(&stack);
}

static uint64_t size_of(pinview_status (*function)(pinview_context *, pinview_result **, pinview_error **), pinview_context *context) {
    pinview_result *result = NULL;
    OK(function(context, &result, ERROR));
    uint64_t count = pinview_result_count(result);
    EXPECT_NUMBER(pinview_result_get_type(result), PINVIEW_RESULT_OBJECTS);
    pinview_result_release(result);
    return count;
}

static void sets_tell_what_changed(void) {
    data_stack stack = stack_open("c.sqlite");
    add_daves(&stack, 0, 3);
    pinview_context *context = context_on(&stack);
    pinview_object *inserted = insert_object(context, "Person", "new"), *updated = one_named(context, "Person", "dave0");
    pinview_object *deleted = one_named(context, "Person", "dave1"), *gone = insert_object(context, "Person", "gone");
    set_integer(updated, "age", 77);
    OK(pinview_context_delete(context, deleted, ERROR));
    OK(pinview_context_delete(context, gone, ERROR));
    OK(pinview_context_process_pending_changes(context, ERROR));
    EXPECT_NUMBER(size_of(pinview_context_inserted_objects, context), 1);
    EXPECT(size_of(pinview_context_updated_objects, context) >= 1);
    EXPECT_NUMBER(size_of(pinview_context_deleted_objects, context), 1); /* CTX-13 */
    EXPECT(size_of(pinview_context_registered_objects, context) >= 3);
    EXPECT_NUMBER(state_of(inserted) & PINVIEW_OBJECT_INSERTED, PINVIEW_OBJECT_INSERTED);
    EXPECT_NUMBER(state_of(updated) & (PINVIEW_OBJECT_UPDATED | PINVIEW_OBJECT_HAS_PERSISTENT_CHANGES), 4 | 16);
    EXPECT_NUMBER(state_of(deleted) & PINVIEW_OBJECT_DELETED, PINVIEW_OBJECT_DELETED);
    EXPECT(has_changes(context));
    save(context);
    EXPECT(!has_changes(context)); /* SAV-02 */
    EXPECT_NUMBER(size_of(pinview_context_inserted_objects, context) + size_of(pinview_context_updated_objects, context) +
                      size_of(pinview_context_deleted_objects, context), 0);
    EXPECT_NUMBER(sql_number(stack.path, "SELECT count(*) FROM ZPERSON"), 3);
    pinview_object_release(inserted);
    pinview_object_release(updated);
    pinview_object_release(deleted);
    pinview_object_release(gone);
    pinview_context_release(context);
    stack_close(&stack);
}

static void many_objects_are_made_and_deleted(void) {
    data_stack stack = stack_open("c.sqlite");
    pinview_context *context = context_on(&stack);
    pinview_result *persons = NULL, *cars = NULL;
    const pinview_value names[3] = {pinview_value_text("a"), pinview_value_text("b"), pinview_value_null()};
    const pinview_value ages[3] = {pinview_value_integer(1), pinview_value_integer(2), pinview_value_integer(3)};
    const pinview_string keys[2] = {TEXT("name"), TEXT("age")}, car_keys[2] = {TEXT("name"), TEXT("owner")};
    const pinview_value *columns[2] = {names, ages};
    OK(pinview_context_insert_objects(context, TEXT("Person"), keys, 2, columns, 3, &persons, ERROR));
    EXPECT_NUMBER(pinview_result_count(persons), 3);
    pinview_object *objects[3] = {NULL, NULL, NULL};
    OK(pinview_result_objects(persons, 0, 3, objects, ERROR));
    EXPECT_NUMBER(state_of(objects[2]), PINVIEW_OBJECT_INSERTED | PINVIEW_OBJECT_HAS_PERSISTENT_CHANGES);
    EXPECT_NUMBER(integer_of(objects[1], "age"), 2);

    const pinview_value owners[3] = {pinview_value_object(objects[0]), pinview_value_null(), pinview_value_object(objects[0])};
    columns[1] = owners;
    OK(pinview_context_insert_objects(context, TEXT("Car"), car_keys, 2, columns, 3, &cars, ERROR));
    EXPECT_NUMBER(members_of(objects[0], "cars"), 2);

    /* Of those that are not wanted, or that are refused, nothing is left. */
    columns[1] = names;
    FAILS(PINVIEW_ERROR_WRONG_TYPE, pinview_context_insert_objects(context, TEXT("Person"), keys, 2, columns, 3, NULL, ERROR));
    FAILS(PINVIEW_ERROR_UNKNOWN_KEY, pinview_context_insert_objects(context, TEXT("Person"), car_keys, 2, columns, 3, NULL, ERROR));
    FAILS(PINVIEW_ERROR_UNKNOWN_ENTITY, pinview_context_insert_objects(context, TEXT("Boat"), keys, 2, columns, 3, NULL, ERROR));
    OK(pinview_context_insert_objects(context, TEXT("Person"), keys, 2, columns, 0, NULL, ERROR));
    const pinview_string twice[2] = {TEXT("name"), TEXT("name")};
    FAILS(PINVIEW_ERROR_INVALID_ARGUMENT, pinview_context_insert_objects(context, TEXT("Person"), twice, 2, columns, 3, NULL, ERROR));
    FAILS(PINVIEW_ERROR_INVALID_ARGUMENT, pinview_context_insert_objects(context, TEXT("Person"), NULL, 0, NULL, (size_t)1 << 50, NULL, ERROR));
    EXPECT_NUMBER(size_of(pinview_context_inserted_objects, context), 6);
    save(context);
    EXPECT_NUMBER(sql_number(stack.path, "SELECT sum(ZAGE) FROM ZPERSON"), 6);

    pinview_context *other = context_on(&stack);
    FAILS(PINVIEW_ERROR_WRONG_CONTEXT, pinview_context_delete_objects(other, objects, 3, ERROR));
    OK(pinview_context_delete_objects(context, objects, 2, ERROR));
    OK(pinview_context_delete_objects(context, NULL, 0, ERROR));
    save(context);
    EXPECT_NUMBER(sql_number(stack.path, "SELECT count(*) FROM ZPERSON"), 1);
    EXPECT_NUMBER(sql_number(stack.path, "SELECT count(ZOWNER) FROM ZCAR"), 0);
    pinview_objects_release(objects, 3);
    pinview_result_release(persons);
    pinview_result_release(cars);
    pinview_context_release(other);
    pinview_context_release(context);
    stack_close(&stack);
}

/* Some of the values must be converted, or are refused. */
static void very_many_objects_are_made(void) {
    enum { ROWS = 600, WRONG = 400 };
    data_stack stack = stack_open("c.sqlite");
    pinview_context *context = context_on(&stack);
    static pinview_value names[ROWS], ages[ROWS];
    static char texts[ROWS][16];
    for (int row = 0; row < ROWS; row++) {
        snprintf(texts[row], sizeof texts[row], "person %d", row);
        names[row] = row % 7 == 0 ? pinview_value_null() : pinview_value_text(texts[row]);
        ages[row] = pinview_value_integer(row);
    }
    const pinview_string keys[2] = {TEXT("name"), TEXT("age")};
    const pinview_value *const columns[2] = {names, ages};
    names[WRONG] = pinview_value_text("\xc3\x28");
    FAILS(PINVIEW_ERROR_INVALID_UTF8, pinview_context_insert_objects(context, TEXT("Person"), keys, 2, columns, ROWS, NULL, ERROR));
    names[WRONG] = pinview_value_integer(1);
    FAILS(PINVIEW_ERROR_WRONG_TYPE, pinview_context_insert_objects(context, TEXT("Person"), keys, 2, columns, ROWS, NULL, ERROR));
    EXPECT_NUMBER(size_of(pinview_context_inserted_objects, context), 0);
    names[WRONG] = pinview_value_text(texts[WRONG]);
    ages[WRONG] = pinview_value_double(WRONG); /* converted */

    pinview_result *persons = NULL;
    OK(pinview_context_insert_objects(context, TEXT("Person"), keys, 2, columns, ROWS, &persons, ERROR));
    static pinview_object *objects[ROWS];
    OK(pinview_result_objects(persons, 0, ROWS, objects, ERROR));
    for (int row = 0; row < ROWS; row += 37) EXPECT_NUMBER(integer_of(objects[row], "age"), row);
    save(context);
    EXPECT_NUMBER(sql_number(stack.path, "SELECT sum(ZAGE) FROM ZPERSON"), ROWS * (ROWS - 1) / 2);
    EXPECT_NUMBER(sql_number(stack.path, "SELECT count(*) FROM ZPERSON WHERE ZNAME = 'person ' || ZAGE"), ROWS - (ROWS + 6) / 7);
    EXPECT_NUMBER(sql_number(stack.path, "SELECT count(*) FROM ZPERSON WHERE Z_PK = ZAGE + 1"), ROWS);
    EXPECT_NUMBER(integer_of(objects[ROWS - 1], "age"), ROWS - 1);
    pinview_objects_release(objects, ROWS);
    pinview_result_release(persons);
    pinview_context_release(context);
    stack_close(&stack);
}

static void objects_belong_to_one_context(void) {
    data_stack stack = stack_open("c.sqlite");
    pinview_context *first = context_on(&stack), *second = context_on(&stack);
    pinview_object *object = insert_object(first, "Person", "ann"), *car = insert_object(second, "Car", "kitt");
    FAILS(PINVIEW_ERROR_WRONG_CONTEXT, pinview_context_delete(second, object, ERROR));
    FAILS(PINVIEW_ERROR_WRONG_CONTEXT, pinview_context_insert(second, object, ERROR));
    FAILS(PINVIEW_ERROR_WRONG_CONTEXT, pinview_context_refresh(second, object, 1, ERROR));
    FAILS(PINVIEW_ERROR_WRONG_CONTEXT, pinview_context_detect_conflicts(second, object, ERROR));
    FAILS(PINVIEW_ERROR_WRONG_CONTEXT, pinview_context_assign(second, object, stack.store, ERROR));
    FAILS(PINVIEW_ERROR_WRONG_CONTEXT, pinview_context_obtain_permanent_ids(second, &object, 1, ERROR));
    FAILS(PINVIEW_ERROR_WRONG_CONTEXT, pinview_object_add_related_object(object, TEXT("cars"), car, ERROR));
    OK(pinview_context_insert(first, object, ERROR)); /* API-22: already in it */
    pinview_object_release(car);
    pinview_object_release(object);
    pinview_context_release(first);
    pinview_context_release(second);
    stack_close(&stack);
}

static void ids_become_permanent(void) {
    data_stack stack = stack_open("c.sqlite");
    pinview_context *context = context_on(&stack);
    pinview_object *objects[2] = {insert_object(context, "Person", "ann"), insert_object(context, "Person", "bob")};
    pinview_object_id *temporary = NULL, *permanent = NULL, *saved = NULL;
    OK(pinview_object_get_id(objects[0], &temporary, ERROR));
    EXPECT_NUMBER(pinview_object_id_is_temporary(temporary), 1);
    EXPECT_TEXT(pinview_object_id_store_identifier(temporary), NULL);
    OK(pinview_context_obtain_permanent_ids(context, objects, 2, ERROR)); /* SAV-24 */
    OK(pinview_context_obtain_permanent_ids(context, objects, 2, ERROR));
    OK(pinview_object_get_id(objects[0], &permanent, ERROR));
    EXPECT_NUMBER(pinview_object_id_is_temporary(permanent), 0);
    EXPECT_NUMBER(state_of(objects[0]) & PINVIEW_OBJECT_INSERTED, PINVIEW_OBJECT_INSERTED);
    save(context);
    OK(pinview_object_get_id(objects[0], &saved, ERROR));
    EXPECT(pinview_object_id_is_equal(permanent, saved) && !pinview_object_id_is_equal(temporary, saved));
    OK(pinview_context_obtain_permanent_ids(context, NULL, 0, ERROR));
    FAILS(PINVIEW_ERROR_INVALID_ARGUMENT, pinview_context_obtain_permanent_ids(context, NULL, 1, ERROR));
    objects[1] = (pinview_object_release(objects[1]), NULL);
    FAILS(PINVIEW_ERROR_INVALID_HANDLE, pinview_context_obtain_permanent_ids(context, objects, 2, ERROR));
    pinview_object_id_release(temporary);
    pinview_object_id_release(permanent);
    pinview_object_id_release(saved);
    pinview_object_release(objects[0]);
    pinview_context_release(context);
    stack_close(&stack);
}

static void objects_are_found_by_id(void) {
    data_stack stack = stack_open("c.sqlite");
    add_daves(&stack, 0, 1);
    pinview_context *first = context_on(&stack), *second = context_on(&stack);
    pinview_object *dave = one_named(first, "Person", "dave0"), *same = NULL, *other = NULL, *none = NULL, *fault = NULL;
    pinview_object_id *id = NULL, *missing = NULL;
    OK(pinview_object_get_id(dave, &id, ERROR));
    OK(pinview_context_registered_object(first, id, &same, ERROR)); /* FET-07 */
    EXPECT(pinview_object_is_equal(dave, same));
    EXPECT(pinview_object_identity(dave) == pinview_object_identity(same));
    OK(pinview_context_registered_object(second, id, &none, ERROR));
    EXPECT(none == NULL);
    OK(pinview_context_object(second, id, &fault, ERROR)); /* FET-08 */
    EXPECT_NUMBER(state_of(fault) & PINVIEW_OBJECT_FAULT, PINVIEW_OBJECT_FAULT);
    EXPECT(!pinview_object_is_equal(dave, fault)); /* CTX-03 */
    EXPECT_TEXT(text_of(fault, "name"), "dave0");
    OK(pinview_context_existing_object(second, id, &other, ERROR)); /* FET-09, CTX-02 */
    EXPECT(pinview_object_is_equal(other, fault));
    char uri[256];
    pinview_string text = pinview_object_id_uri(id);
    memcpy(uri, text.data, text.size);
    memcpy(uri + text.size, "999", 4);
    OK(pinview_coordinator_object_id(stack.coordinator, pinview_text(uri), &missing, ERROR));
    FAILS(PINVIEW_ERROR_REFERENTIAL_INTEGRITY, pinview_context_existing_object(first, missing, &none, ERROR)); /* FET-10 */
    EXPECT(none == NULL);
    pinview_object_release(dave);
    pinview_object_release(same);
    pinview_object_release(other);
    pinview_object_release(fault);
    pinview_object_id_release(id);
    pinview_object_id_release(missing);
    pinview_context_release(first);
    pinview_context_release(second);
    stack_close(&stack);
}

static void many_objects_are_found_by_their_ids(void) {
    enum { COUNT = 5 };
    data_stack stack = stack_open("c.sqlite");
    add_daves(&stack, 0, COUNT);
    pinview_context *first = context_on(&stack), *second = context_on(&stack);
    pinview_object *known = one_named(second, "Person", "dave3"), *objects[COUNT + 1];
    pinview_object_id *ids[COUNT + 1];
    pinview_result *found = NULL;
    char name[16];
    for (int index = 0; index < COUNT; index++) {
        snprintf(name, sizeof name, "dave%d", COUNT - 1 - index);
        pinview_object *dave = one_named(first, "Person", name);
        OK(pinview_object_get_id(dave, &ids[index], ERROR));
        pinview_object_release(dave);
    }
    ids[COUNT] = ids[1];
    OK(pinview_context_objects(second, (const pinview_object_id *const *)ids, COUNT + 1, &found, ERROR)); /* FET-08 */
    EXPECT_NUMBER(pinview_result_get_type(found), PINVIEW_RESULT_OBJECTS);
    EXPECT_NUMBER(pinview_result_count(found), COUNT + 1);
    OK(pinview_result_objects(found, 0, COUNT + 1, objects, ERROR));
    EXPECT(pinview_object_is_equal(objects[1], known) && pinview_object_is_equal(objects[COUNT], known));
    for (int index = 0; index < COUNT; index++) {
        if (index != 1) EXPECT(state_of(objects[index]) & PINVIEW_OBJECT_FAULT);
    }
    pinview_objects_release(objects, COUNT + 1);
    pinview_result_release(found);

    OK(pinview_context_existing_objects(second, (const pinview_object_id *const *)ids, COUNT + 1, &found, ERROR)); /* FET-09 */
    EXPECT_NUMBER(pinview_result_count(found), COUNT + 1);
    OK(pinview_result_objects(found, 0, COUNT + 1, objects, ERROR));
    for (int index = 0; index < COUNT; index++) {
        EXPECT(!(state_of(objects[index]) & PINVIEW_OBJECT_FAULT));
        EXPECT_NUMBER(integer_of(objects[index], "age"), 20 + COUNT - 1 - index);
    }
    EXPECT(pinview_object_is_equal(objects[COUNT], known));
    pinview_objects_release(objects, COUNT + 1);
    pinview_result_release(found);

    OK(pinview_context_existing_objects(second, NULL, 0, &found, ERROR));
    EXPECT_NUMBER(pinview_result_count(found), 0);
    pinview_result_release(found);
    FAILS(PINVIEW_ERROR_INVALID_ARGUMENT, pinview_context_objects(second, NULL, 1, &found, ERROR));
    ids[COUNT] = NULL;
    FAILS(PINVIEW_ERROR_INVALID_HANDLE,
          pinview_context_existing_objects(second, (const pinview_object_id *const *)ids, COUNT + 1, &found, ERROR));

    sql_number(stack.path, "DELETE FROM ZPERSON WHERE ZNAME = 'dave2' RETURNING 1");
    pinview_context *third = context_on(&stack);
    pinview_error *error = NULL;
    EXPECT_NUMBER(pinview_context_existing_objects(third, (const pinview_object_id *const *)ids, COUNT, &found, &error),
                  PINVIEW_ERROR_REFERENTIAL_INTEGRITY); /* FET-10 */
    EXPECT(found == NULL);
    OK(pinview_error_affected_object_ids(error, &found, ERROR));
    EXPECT_NUMBER(pinview_result_count(found), 1);
    pinview_object_id *missing = NULL;
    OK(pinview_result_object_id(found, 0, &missing, ERROR));
    EXPECT(pinview_object_id_is_equal(missing, ids[2]));
    pinview_object_id_release(missing);
    pinview_result_release(found);
    pinview_error_release(error);
    pinview_object_release(known);
    for (int index = 0; index < COUNT; index++) pinview_object_id_release(ids[index]);
    pinview_context_release(first);
    pinview_context_release(second);
    pinview_context_release(third);
    stack_close(&stack);
}

typedef struct {
    pinview_object_id *id;
    int32_t name, age;
    const data_stack *stack;
} values_by_id;

static void expect_values(pinview_context *context, const values_by_id *wanted, int64_t age) {
    const int32_t indexes[] = {wanted->age, wanted->age};
    pinview_value values[2];
    OK(pinview_context_values(context, wanted->id, indexes, 2, NULL, values, ERROR));
    EXPECT_NUMBER(values[0].type, PINVIEW_VALUE_INTEGER);
    EXPECT_NUMBER(values[0].as.integer, age);
    EXPECT_NUMBER(values[1].as.integer, age);
}

static pinview_status read_in_a_block(pinview_context *context, void *userdata) {
    const values_by_id *const wanted = userdata;
    expect_values(context, wanted, 20);
    expect_values(context, wanted, 20);
    pinview_object *dave = NULL;
    OK(pinview_context_object(context, wanted->id, &dave, ERROR));
    set_integer(dave, "age", 50);
    expect_values(context, wanted, 50); /* unsaved changes count */
    OK(pinview_context_rollback(context, ERROR));
    expect_values(context, wanted, 20);
    pinview_object_release(dave);
    return PINVIEW_OK;
}

static pinview_status release_in_a_block(pinview_context *context, void *userdata) {
    const values_by_id *const wanted = userdata;
    expect_values(context, wanted, 20);
    pinview_context_release(context);
    pinview_value value;
    FAILS(PINVIEW_ERROR_INVALID_HANDLE, pinview_context_values(context, wanted->id, &wanted->age, 1, NULL, &value, ERROR));
    EXPECT_NUMBER(pinview_context_release(context), PINVIEW_ERROR_INVALID_HANDLE);
    /* Its slot becomes another handle's. */
    pinview_object_id *copy = NULL;
    pinview_context *const other = context_on(wanted->stack);
    pinview_object *dave = NULL;
    OK(pinview_context_object(other, wanted->id, &dave, ERROR));
    OK(pinview_object_get_id(dave, &copy, ERROR));
    expect_values(other, &(values_by_id){copy, wanted->name, wanted->age, NULL}, 20);
    pinview_object_release(dave);
    pinview_object_id_release(copy);
    pinview_context_release(other);
    return PINVIEW_OK;
}

static void values_are_read_by_id(void) {
    data_stack stack = stack_open("c.sqlite");
    add_daves(&stack, 0, 1);
    pinview_context *writer = context_on(&stack), *context = context_on(&stack);
    pinview_object *dave = one_named(writer, "Person", "dave0");
    pinview_buffer *buffer = NULL;
    pinview_entity *entity = NULL;
    values_by_id wanted = {NULL, 0, 0, &stack};
    pinview_value values[2];
    OK(pinview_object_get_id(dave, &wanted.id, ERROR));
    OK(pinview_object_entity(dave, &entity, ERROR));
    OK(pinview_entity_property_index(entity, TEXT("name"), &wanted.name, ERROR));
    OK(pinview_entity_property_index(entity, TEXT("age"), &wanted.age, ERROR));
    OK(pinview_buffer_create(&buffer, ERROR));

    expect_values(context, &wanted, 20); /* a fault that fires, and goes with the call */
    pinview_object *kept = NULL;
    OK(pinview_context_existing_object(context, wanted.id, &kept, ERROR));
    expect_values(context, &wanted, 20);
    OK(pinview_context_perform_and_wait(context, read_in_a_block, &wanted, ERROR));
    const int32_t both[] = {wanted.age, wanted.name};
    OK(pinview_context_values(context, wanted.id, both, 2, buffer, values, ERROR));
    EXPECT_NUMBER(values[0].as.integer, 20);
    EXPECT_TEXT(values[1].as.string, "dave0");
    FAILS(PINVIEW_ERROR_INVALID_ARGUMENT, pinview_context_values(context, wanted.id, both, 2, NULL, values, ERROR));
    FAILS(PINVIEW_ERROR_UNKNOWN_KEY, pinview_context_values(context, wanted.id, &(int32_t){99}, 1, NULL, values, ERROR));
    FAILS(PINVIEW_ERROR_UNKNOWN_KEY, pinview_context_values(context, wanted.id, &(int32_t){-1}, 1, NULL, values, ERROR));
    OK(pinview_context_values(context, wanted.id, NULL, 0, NULL, NULL, ERROR));

    /* What another context has saved is seen when the object is refreshed. */
    set_integer(dave, "age", 21);
    save(writer);
    expect_values(context, &wanted, 20);
    OK(pinview_context_refresh(context, kept, 1, ERROR));
    expect_values(context, &wanted, 21);
    set_integer(dave, "age", 20);
    save(writer);

    pinview_context *last = context_on(&stack);
    OK(pinview_context_perform_and_wait(last, release_in_a_block, &wanted, ERROR));
    FAILS(PINVIEW_ERROR_INVALID_HANDLE, pinview_context_values(last, wanted.id, &wanted.age, 1, NULL, values, ERROR));
    pinview_context_release(context);
    FAILS(PINVIEW_ERROR_INVALID_HANDLE, pinview_context_values(context, wanted.id, &wanted.age, 1, NULL, values, ERROR));
    pinview_entity_release(entity);
    pinview_buffer_release(buffer);
    pinview_object_release(kept);
    pinview_object_release(dave);
    pinview_object_id_release(wanted.id);
    pinview_context_release(writer);
    stack_close(&stack);
}

enum { MANY = 3000 };
static pinview_object *many_people[MANY];
static pinview_object_id *many_ids[MANY];

/* Reads the ages, which are the numbers of the people, in the order of a step. */
static pinview_status read_many_in_a_block(pinview_context *context, void *userdata) {
    static const int steps[] = {1, MANY - 1, 7, 1021};
    const int32_t age = *(const int32_t *)userdata;
    for (size_t round = 0; round < sizeof steps / sizeof *steps; round++) {
        for (int turn = 0, index = 0; turn < MANY; turn++, index = (index + steps[round]) % MANY) {
            pinview_value value;
            pinview_object *object = NULL;
            OK(pinview_context_values(context, many_ids[index], &age, 1, NULL, &value, ERROR));
            EXPECT_NUMBER(value.as.integer, index);
            OK(pinview_context_object(context, many_ids[index], &object, ERROR));
            EXPECT(pinview_object_is_equal(object, many_people[index]));
            pinview_object_release(object);
        }
        /* The next round finds handles of objects in the places of some IDs, and these elsewhere. */
        static pinview_object *others[MANY];
        for (int index = 3; index < MANY; index += 11) pinview_object_id_release(many_ids[index]);
        for (int index = 3; index < MANY; index += 11) OK(pinview_context_object(context, many_ids[index - 1], &others[index], ERROR));
        for (int index = 3; index < MANY; index += 11) OK(pinview_object_get_id(many_people[index], &many_ids[index], ERROR));
        for (int index = 3; index < MANY; index += 11) pinview_object_release(others[index]);
    }
    return PINVIEW_OK;
}

/* The library guesses from the order of registration what is asked for next. */
static void values_of_many_are_read_in_any_order(void) {
    data_stack stack = stack_open("c.sqlite");
    pinview_context *const context = context_on(&stack);
    for (int index = 0; index < MANY; index++) {
        many_people[index] = insert_object(context, "Person", "dave");
        set_integer(many_people[index], "age", index);
    }
    save(context);
    pinview_entity *entity = NULL;
    int32_t age = 0;
    OK(pinview_object_entity(many_people[0], &entity, ERROR));
    OK(pinview_entity_property_index(entity, TEXT("age"), &age, ERROR));
    for (int index = 0; index < MANY; index++) OK(pinview_object_get_id(many_people[index], &many_ids[index], ERROR));
    OK(pinview_context_perform_and_wait(context, read_many_in_a_block, &age, ERROR));
    for (int index = 0; index < MANY; index++) {
        pinview_object_id_release(many_ids[index]);
        pinview_object_release(many_people[index]);
    }
    pinview_entity_release(entity);
    pinview_context_release(context);
    stack_close(&stack);
}

static void undo_takes_changes_back(void) {
    data_stack stack = stack_open("c.sqlite");
    add_daves(&stack, 0, 1);
    pinview_context *context = context_on(&stack);
    pinview_object *dave = one_named(context, "Person", "dave0");
    set_integer(dave, "age", 50);
    OK(pinview_context_process_pending_changes(context, ERROR));
    set_integer(dave, "age", 60);
    OK(pinview_context_undo(context, ERROR)); /* UND-02, UND-05 */
    EXPECT_NUMBER(integer_of(dave, "age"), 50);
    OK(pinview_context_undo(context, ERROR));
    EXPECT_NUMBER(integer_of(dave, "age"), 20);
    EXPECT(!has_changes(context)); /* UND-16 */
    OK(pinview_context_redo(context, ERROR));
    EXPECT_NUMBER(integer_of(dave, "age"), 50);
    OK(pinview_context_remove_all_undo_actions(context, ERROR)); /* UND-08 */
    OK(pinview_context_undo(context, ERROR));
    EXPECT_NUMBER(integer_of(dave, "age"), 50);
    OK(pinview_context_begin_undo_grouping(context, ERROR)); /* UND-10 */
    set_integer(dave, "age", 51);
    OK(pinview_context_end_undo_grouping(context, ERROR));
    OK(pinview_context_begin_undo_grouping(context, ERROR));
    set_integer(dave, "age", 52);
    OK(pinview_context_end_undo_grouping(context, ERROR));
    OK(pinview_context_undo(context, ERROR));
    EXPECT_NUMBER(integer_of(dave, "age"), 51);
    OK(pinview_context_set_undo_levels(context, 1, ERROR)); /* UND-06 */
    OK(pinview_context_set_undo_levels(context, 0, ERROR));
    OK(pinview_context_set_undo_levels(context, UINT64_MAX, ERROR));
    OK(pinview_context_set_undo_enabled(context, 0, ERROR)); /* UND-09 */
    set_integer(dave, "age", 53);
    OK(pinview_context_undo(context, ERROR));
    EXPECT_NUMBER(integer_of(dave, "age"), 53);
    OK(pinview_context_set_undo_enabled(context, 1, ERROR));
    OK(pinview_context_rollback(context, ERROR)); /* UND-13 */
    EXPECT_NUMBER(integer_of(dave, "age"), 20);
    pinview_object_release(dave);
    pinview_context_release(context);
    stack_close(&stack);
}

static void reset_invalidates_objects(void) {
    data_stack stack = stack_open("c.sqlite");
    add_daves(&stack, 0, 1);
    pinview_context *context = context_on(&stack);
    pinview_object *dave = one_named(context, "Person", "dave0");
    pinview_object_id *id = NULL;
    pinview_value value = pinview_value_integer(1);
    set_integer(dave, "age", 50);
    OK(pinview_context_reset(context, ERROR)); /* CTX-14, CTX-15 */
    EXPECT(!has_changes(context));
    FAILS(PINVIEW_ERROR_OBJECT_INVALIDATED, pinview_object_set_value(dave, TEXT("age"), &value, ERROR));
    FAILS(PINVIEW_ERROR_OBJECT_INVALIDATED, pinview_object_value(dave, TEXT("age"), &value, ERROR));
    EXPECT_NUMBER(value.type, PINVIEW_VALUE_NULL);
    OK(pinview_object_get_id(dave, &id, ERROR));
    EXPECT_TEXT(pinview_object_id_entity_name(id), "Person");
    pinview_object_id_release(id);
    pinview_object_release(dave);
    pinview_context_release(context);
    stack_close(&stack);
}

/* Both contexts edit one row; the second save meets the first. */
static pinview_status conflict(int32_t policy, int64_t *mine, int64_t *stored) {
    data_stack stack = stack_open("conflict.sqlite");
    if (sql_number(stack.path, "SELECT count(*) FROM ZPERSON") == 0) add_daves(&stack, 0, 1);
    pinview_context *before = context_on(&stack);
    pinview_object *base = one_named(before, "Person", "dave0");
    set_integer(base, "age", 20);
    save(before);
    pinview_object_release(base);
    pinview_context_release(before);
    pinview_context *first = context_on(&stack), *second = context_on(&stack);
    pinview_object *one = one_named(first, "Person", "dave0"), *two = one_named(second, "Person", "dave0");
    set_integer(one, "age", 31);
    set_integer(two, "age", 42);
    OK(pinview_context_set_merge_policy(second, policy, ERROR));
    save(first);
    pinview_status status = pinview_context_save(second, ERROR);
    *mine = integer_of(two, "age");
    *stored = sql_number(stack.path, "SELECT ZAGE FROM ZPERSON");
    pinview_object_release(one);
    pinview_object_release(two);
    pinview_context_release(first);
    pinview_context_release(second);
    stack_close(&stack);
    return status;
}

static void policies_resolve_conflicts(void) {
    int64_t mine = 0, stored = 0;
    EXPECT_NUMBER(conflict(PINVIEW_MERGE_POLICY_ERROR, &mine, &stored), PINVIEW_ERROR_MERGE); /* SAV-10 */
    EXPECT(mine == 42 && stored == 31);
    EXPECT_NUMBER(conflict(PINVIEW_MERGE_POLICY_BY_PROPERTY_OBJECT_TRUMP, &mine, &stored), PINVIEW_OK); /* SAV-12 */
    EXPECT(mine == 42 && stored == 42);
    EXPECT_NUMBER(conflict(PINVIEW_MERGE_POLICY_BY_PROPERTY_STORE_TRUMP, &mine, &stored), PINVIEW_OK); /* SAV-11 */
    EXPECT(mine == 31 && stored == 31);
    EXPECT_NUMBER(conflict(PINVIEW_MERGE_POLICY_OVERWRITE, &mine, &stored), PINVIEW_OK); /* SAV-13 */
    EXPECT(mine == 42 && stored == 42);
    EXPECT_NUMBER(conflict(PINVIEW_MERGE_POLICY_ROLLBACK, &mine, &stored), PINVIEW_OK); /* SAV-14 */
    EXPECT(mine == 31 && stored == 31);
}

static void marked_objects_are_checked(void) {
    data_stack stack = stack_open("c.sqlite");
    add_daves(&stack, 0, 1);
    pinview_context *first = context_on(&stack), *second = context_on(&stack);
    pinview_object *one = one_named(first, "Person", "dave0"), *two = one_named(second, "Person", "dave0");
    EXPECT_NUMBER(integer_of(two, "age"), 20);
    OK(pinview_context_detect_conflicts(second, two, ERROR));
    set_integer(one, "age", 21);
    save(first);
    FAILS(PINVIEW_ERROR_MERGE, pinview_context_save(second, ERROR)); /* SAV-19 */
    OK(pinview_context_refresh(second, two, 1, ERROR));
    save(second); /* SAV-22 */
    EXPECT_NUMBER(integer_of(two, "age"), 21);
    pinview_object_release(one);
    pinview_object_release(two);
    pinview_context_release(first);
    pinview_context_release(second);
    stack_close(&stack);
}

static void children_save_into_their_parent(void) {
    data_stack stack = stack_open("c.sqlite");
    pinview_context *parent = context_on(&stack), *child = child_of(parent), *found = NULL;
    pinview_coordinator *coordinator = NULL;
    OK(pinview_context_parent(child, &found, ERROR));
    EXPECT(pinview_context_is_equal(found, parent));
    OK(pinview_context_coordinator(child, &coordinator, ERROR));
    EXPECT(pinview_coordinator_is_equal(coordinator, stack.coordinator));
    pinview_object *ann = insert_object(child, "Person", "ann");
    EXPECT(!has_changes(parent));
    save(child); /* NST-04 */
    EXPECT(has_changes(parent));
    EXPECT_NUMBER(sql_number(stack.path, "SELECT count(*) FROM ZPERSON"), 0);
    save(parent); /* NST-05 */
    EXPECT_NUMBER(sql_number(stack.path, "SELECT count(*) FROM ZPERSON"), 1);
    FAILS(PINVIEW_ERROR_PARENT_CYCLE, pinview_context_set_parent(parent, child, ERROR));
    FAILS(PINVIEW_ERROR_COORDINATOR_NIL, pinview_context_set_parent(child, NULL, ERROR));
    pinview_coordinator_release(coordinator);
    pinview_context_release(found);
    pinview_object_release(ann);
    pinview_context_release(child);
    pinview_context_release(parent);
    stack_close(&stack);
}

static void confinement_contexts_have_no_children(void) {
    pinview_context *confined = NULL, *child = NULL;
    OK(pinview_context_create(PINVIEW_CONCURRENCY_CONFINEMENT, &confined, ERROR));
    OK(pinview_context_create(PINVIEW_CONCURRENCY_PRIVATE_QUEUE, &child, ERROR));
    FAILS(PINVIEW_ERROR_CONFINEMENT_PARENT, pinview_context_set_parent(child, confined, ERROR)); /* NST-08 */
    FAILS(PINVIEW_ERROR_PARENT_CYCLE, pinview_context_set_parent(child, child, ERROR)); /* NST-16 */
    pinview_context_release(confined);
    pinview_context_release(child);
}

static void unknown_entities_are_refused(void) {
    data_stack stack = stack_in_memory();
    pinview_context *context = context_on(&stack);
    pinview_object *object = NULL;
    FAILS(PINVIEW_ERROR_UNKNOWN_ENTITY, pinview_context_insert_new_object(context, TEXT("Dragon"), &object, ERROR));
    EXPECT(object == NULL && strstr(last_message(), "Dragon") != NULL);
    OK(pinview_context_insert_new_object(context, TEXT("Person"), NULL, ERROR)); /* the context keeps it */
    EXPECT_NUMBER(size_of(pinview_context_inserted_objects, context), 1);
    pinview_context_release(context);
    stack_close(&stack);
}

static const test_case tests[] = {
    {"CTX-01: a new context has the documented defaults", a_new_context_has_the_defaults},
    {"API-02, API-04, API-17, API-18, API-30, API-32, API-33, API-54, API-55: settings can be set", settings_can_be_set},
    {"CTX-17, ERR-05: settings that do not exist are refused", settings_that_do_not_exist_are_refused},
    {"CTX-10 to CTX-13, SAV-02: object sets tell what changed", sets_tell_what_changed},
    {"CTX-07, CTX-13: many objects are made, and marked for removal, in one call", many_objects_are_made_and_deleted},
    {"API-22, SAV-01: very many objects are made, with values of several kinds", very_many_objects_are_made},
    {"CTX-04: objects belong to one context", objects_belong_to_one_context},
    {"CTX-07, SAV-24: IDs become permanent, before the save when asked", ids_become_permanent},
    {"CTX-02, CTX-03, FET-07 to FET-10: objects are found by ID", objects_are_found_by_id},
    {"FET-08 to FET-10: many objects are found by their IDs", many_objects_are_found_by_their_ids},
    {"FET-08, FLT-02: values are read by ID", values_are_read_by_id},
    {"FET-08, FLT-02: values of many are read by ID in any order", values_of_many_are_read_in_any_order},
    {"UND-02, UND-05 to UND-10, UND-13, UND-16: undo takes changes back", undo_takes_changes_back},
    {"CTX-14, CTX-15: reset makes objects invalid but not their IDs", reset_invalidates_objects},
    {"SAV-10 to SAV-14: merge policies resolve conflicts", policies_resolve_conflicts},
    {"SAV-19, SAV-22: objects marked for conflict detection are checked", marked_objects_are_checked},
    {"NST-04, NST-05, NST-16: children save into their parent", children_save_into_their_parent},
    {"NST-08, NST-16: who cannot be a parent", confinement_contexts_have_no_children},
    {"FET-19: an unknown entity is refused", unknown_entities_are_refused},
};
const test_topic contexts_topic = TOPIC("contexts", tests);
