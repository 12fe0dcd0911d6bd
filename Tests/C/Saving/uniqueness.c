/* Uniqueness conflicts of a save, and what merge policies make of them. */
#include <stdio.h>
#include <string.h>

#include "support.h"
#include "topics.h"

static const char unique_json[] =
    "{\"entities\":[{\"name\":\"Person\",\"attributes\":[{\"name\":\"name\",\"type\":\"string\"},{\"name\":\"mail\",\"type\":\"string\"},"
    "{\"name\":\"age\",\"type\":\"integer64\",\"default\":0}],"
    "\"relationships\":[{\"name\":\"cars\",\"destination\":\"Car\",\"inverse\":\"owner\",\"toMany\":true}],"
    "\"uniquenessConstraints\":[[\"mail\"]]},"
    "{\"name\":\"Car\",\"attributes\":[{\"name\":\"name\",\"type\":\"string\"}],"
    "\"relationships\":[{\"name\":\"owner\",\"destination\":\"Person\",\"inverse\":\"cars\"}]}]}";

static data_stack unique_stack(void) {
    data_stack stack = {NULL, NULL, NULL, test_path("unique.sqlite")};
    OK(pinview_model_create_from_json(TEXT(unique_json), &stack.model, ERROR));
    OK(pinview_coordinator_create(stack.model, &stack.coordinator, ERROR));
    OK(pinview_coordinator_add_store(stack.coordinator, TEXT(PINVIEW_STORE_TYPE_SQLITE), pinview_absent(), pinview_text(stack.path), NULL,
                                     0, &stack.store, ERROR));
    return stack;
}

static pinview_object *person(pinview_context *context, const char *mail, const char *name) {
    pinview_object *object = insert_object(context, "Person", name);
    set_text(object, "mail", mail);
    return object;
}

/* The value of a property in a conflict; the index object_count means the object of the store. */
static pinview_value snapshot_value(const pinview_error *error, uint64_t object, const char *name) {
    pinview_constraint_conflict conflict = {.struct_size = sizeof conflict};
    pinview_constraint_property property = {.struct_size = sizeof property};
    EXPECT_NUMBER(pinview_error_constraint_conflict(error, 0, &conflict, NULL), PINVIEW_OK);
    for (uint64_t index = 0; index < conflict.snapshot_property_count; index++) {
        EXPECT_NUMBER(pinview_error_constraint_conflict_value(error, 0, object, index, &property, NULL), PINVIEW_OK);
        if (strcmp(property.name.data, name) == 0) return property.value;
    }
    EXPECT(0);
    return property.value;
}

static void the_error_lists_the_conflicts(void) {
    data_stack stack = unique_stack();
    pinview_context *first = context_on(&stack), *second = context_on(&stack);
    pinview_object *stored = person(first, "a", "old");
    save(first);
    pinview_object *new_one = person(second, "a", "new"), *twin = person(second, "b", "one"), *other_twin = person(second, "b", "two");
    pinview_error *error = NULL;
    EXPECT_NUMBER(pinview_context_save(second, &error), PINVIEW_ERROR_CONSTRAINT_MERGE);
    EXPECT_NUMBER(pinview_error_conflict_count(error), 0);
    EXPECT_NUMBER(pinview_error_constraint_conflict_count(error), 2);
    pinview_constraint_conflict conflict = {.struct_size = sizeof conflict};
    EXPECT_NUMBER(pinview_error_constraint_conflict(error, 0, &conflict, NULL), PINVIEW_OK);
    EXPECT_TEXT(conflict.entity_name, "Person");
    EXPECT(conflict.constraint_property_count == 1 && conflict.object_count == 1 && conflict.snapshot_property_count == 3);
    pinview_object_id *stored_id = NULL, *object_id = NULL, *new_id = NULL;
    OK(pinview_object_get_id(stored, &stored_id, ERROR));
    OK(pinview_object_get_id(new_one, &new_id, ERROR));
    EXPECT(pinview_object_id_is_equal(conflict.database_object_id, stored_id));
    EXPECT_NUMBER(pinview_error_constraint_conflict_object(error, 0, 0, &object_id, NULL), PINVIEW_OK);
    EXPECT(pinview_object_id_is_equal(object_id, new_id));
    EXPECT_NUMBER(pinview_error_constraint_conflict_object(error, 0, 1, &object_id, NULL), PINVIEW_ERROR_INVALID_ARGUMENT);
    pinview_constraint_property property = {.struct_size = sizeof property};
    EXPECT_NUMBER(pinview_error_constraint_conflict_property(error, 0, 0, &property, NULL), PINVIEW_OK);
    EXPECT_TEXT(property.name, "mail");
    EXPECT_TEXT(property.value.as.string, "a");
    EXPECT_NUMBER(pinview_error_constraint_conflict_property(error, 0, 1, &property, NULL), PINVIEW_ERROR_INVALID_ARGUMENT);
    EXPECT_TEXT(snapshot_value(error, 0, "name").as.string, "new");
    EXPECT_TEXT(snapshot_value(error, 1, "name").as.string, "old");
    EXPECT_NUMBER(pinview_error_constraint_conflict_value(error, 0, 2, 0, &property, NULL), PINVIEW_ERROR_INVALID_ARGUMENT);
    EXPECT_NUMBER(pinview_error_constraint_conflict(error, 1, &conflict, NULL), PINVIEW_OK);
    EXPECT(conflict.database_object_id == NULL && conflict.object_count == 2);
    EXPECT_NUMBER(pinview_error_constraint_conflict(error, 2, &conflict, NULL), PINVIEW_ERROR_INVALID_ARGUMENT);
    property.struct_size = 0;
    EXPECT_NUMBER(pinview_error_constraint_conflict_property(error, 0, 0, &property, NULL), PINVIEW_ERROR_INVALID_ARGUMENT);
    pinview_error_release(error);
    pinview_object_id_release(stored_id);
    pinview_object_id_release(new_id);
    EXPECT_NUMBER(sql_number(stack.path, "SELECT count(*) FROM ZPERSON"), 1);
    pinview_object_release(stored);
    pinview_object_release(new_one);
    pinview_object_release(twin);
    pinview_object_release(other_twin);
    pinview_context_release(first);
    pinview_context_release(second);
    stack_close(&stack);
}

static void policies_make_one_row(void) {
    static const struct {
        int32_t policy;
        const char *name;
        int64_t age;
    } expected[] = {
        {PINVIEW_MERGE_POLICY_BY_PROPERTY_OBJECT_TRUMP, "new", 5}, /* UNQ-02 */
        {PINVIEW_MERGE_POLICY_BY_PROPERTY_STORE_TRUMP, "old", 5},  /* UNQ-03 */
        {PINVIEW_MERGE_POLICY_OVERWRITE, "new", 0},    /* UNQ-04 */
        {PINVIEW_MERGE_POLICY_ROLLBACK, "old", 5},
    };
    for (size_t index = 0; index < sizeof expected / sizeof expected[0]; index++) {
        data_stack stack = unique_stack();
        pinview_context *first = context_on(&stack), *second = context_on(&stack);
        pinview_object *stored = person(first, "a", "old");
        set_integer(stored, "age", 5);
        save(first);
        OK(pinview_context_set_merge_policy(second, expected[index].policy, ERROR));
        pinview_object *merged = person(second, "a", "new"), *car = insert_object(second, "Car", "car"), *owner = NULL;
        const pinview_value target = pinview_value_object(merged);
        OK(pinview_object_set_value(car, TEXT("owner"), &target, ERROR));
        save(second);
        EXPECT_TEXT(text_of(merged, "name"), expected[index].name);
        EXPECT_NUMBER(integer_of(merged, "age"), expected[index].age);
        OK(pinview_object_related_object(car, TEXT("owner"), &owner, ERROR));
        EXPECT(pinview_object_is_equal(owner, merged));
        EXPECT_NUMBER(sql_number(stack.path, "SELECT count(*) FROM ZPERSON JOIN ZCAR ON ZOWNER = ZPERSON.Z_PK"), 1);
        EXPECT_NUMBER(sql_number(stack.path, "SELECT count(*) FROM ZPERSON"), 1);
        pinview_object_release(owner);
        pinview_object_release(car);
        pinview_object_release(merged);
        pinview_object_release(stored);
        pinview_context_release(first);
        pinview_context_release(second);
        stack_close(&stack);
        remove(stack.path);
    }
}

typedef struct {
    int calls;
    int32_t constraint_number;
    uint64_t constraint_conflicts;
    const char *key, *value; /* resolves by this; NULL leaves the conflict */
} decision;

static pinview_status decide(pinview_merge *merge, void *userdata) {
    decision *record = userdata;
    const pinview_error *error = pinview_merge_conflicts(merge);
    pinview_conflict conflict = {.struct_size = sizeof conflict};
    record->calls++;
    EXPECT_NUMBER(pinview_error_conflict(error, 0, &conflict, NULL), PINVIEW_OK);
    record->constraint_number = conflict.constraint_number;
    record->constraint_conflicts = pinview_error_constraint_conflict_count(error);
    if (record->key == NULL) return PINVIEW_OK;
    const pinview_value value = pinview_value_text(record->value);
    return pinview_merge_set_value(merge, 0, pinview_text(record->key), &value, NULL);
}

static void a_callback_resolves_uniqueness(void) {
    decision record = {0};
    data_stack stack = unique_stack();
    pinview_context *context = context_on(&stack);
    pinview_object *stored = person(context, "a", "old");
    save(context);
    OK(pinview_context_set_merge_callback(context, decide, &record, NULL, ERROR));
    pinview_object *apart = person(context, "a", "new");
    FAILS(PINVIEW_ERROR_CONSTRAINT_MERGE, pinview_context_save(context, ERROR)); /* left unresolved */
    EXPECT(record.calls == 1 && record.constraint_number == 1 && record.constraint_conflicts == 1);
    EXPECT_NUMBER(pinview_error_constraint_conflict_count(last_error()), 1);
    record.key = "mail";
    record.value = "b";
    save(context);
    EXPECT_TEXT(text_of(apart, "mail"), "b");
    EXPECT_NUMBER(sql_number(stack.path, "SELECT count(*) FROM ZPERSON"), 2);
    pinview_object *merged = person(context, "a", "third");
    record.key = "name";
    record.value = "both";
    save(context);
    EXPECT_TEXT(text_of(stored, "name"), "both");
    EXPECT_NUMBER(sql_number(stack.path, "SELECT count(*) FROM ZPERSON"), 2);
    pinview_object_release(merged);
    pinview_object_release(apart);
    pinview_object_release(stored);
    pinview_context_release(context);
    stack_close(&stack);
}

static void values_change_hands(void) {
    data_stack stack = unique_stack();
    pinview_context *context = context_on(&stack);
    pinview_object *one = person(context, "a", "one"), *two = person(context, "b", "two");
    save(context);
    set_text(one, "mail", "b");
    set_text(two, "mail", "a");
    save(context);
    EXPECT_NUMBER(sql_number(stack.path, "SELECT count(*) FROM ZPERSON WHERE ZNAME = 'one' AND ZMAIL = 'b'"), 1);
    OK(pinview_context_delete(context, one, ERROR));
    pinview_object *three = person(context, "b", "three");
    save(context);
    EXPECT_NUMBER(sql_number(stack.path, "SELECT count(*) FROM ZPERSON WHERE ZNAME = 'three' AND ZMAIL = 'b'"), 1);
    pinview_object_release(one);
    pinview_object_release(two);
    pinview_object_release(three);
    pinview_context_release(context);
    stack_close(&stack);
}

static void a_batch_inserts_error_lists_its_conflicts(void) {
    data_stack stack = unique_stack();
    pinview_context *context = context_on(&stack);
    pinview_object *stored = person(context, "a", "old");
    pinview_object_id *stored_id = NULL, *object_id = NULL;
    save(context);
    OK(pinview_object_get_id(stored, &stored_id, ERROR));
    const pinview_string names[] = {TEXT("mail"), TEXT("name")};
    const pinview_value values[] = {pinview_value_text("a"), pinview_value_text("new")};
    const pinview_batch_insert request = {.struct_size = sizeof request, .result_type = PINVIEW_RESULT_COUNT, .entity = TEXT("Person"),
                                          .names = names, .name_count = 2, .values = values, .row_count = 1};
    pinview_result *result = NULL;
    pinview_error *error = NULL;
    EXPECT_NUMBER(pinview_context_batch_insert(context, &request, &result, &error), PINVIEW_ERROR_CONSTRAINT_MERGE);
    EXPECT_NUMBER(pinview_error_constraint_conflict_count(error), 1);
    pinview_constraint_conflict conflict = {.struct_size = sizeof conflict};
    EXPECT_NUMBER(pinview_error_constraint_conflict(error, 0, &conflict, NULL), PINVIEW_OK);
    EXPECT(conflict.object_count == 1 && pinview_object_id_is_equal(conflict.database_object_id, stored_id));
    EXPECT_NUMBER(pinview_error_constraint_conflict_object(error, 0, 0, &object_id, NULL), PINVIEW_OK);
    EXPECT(object_id == NULL); /* the row has none */
    EXPECT_NUMBER(pinview_error_constraint_conflict_object(error, 0, 1, &object_id, NULL), PINVIEW_ERROR_INVALID_ARGUMENT);
    EXPECT_TEXT(snapshot_value(error, 0, "name").as.string, "new");
    EXPECT_TEXT(snapshot_value(error, 1, "name").as.string, "old");
    pinview_error_release(error);
    pinview_object_id_release(stored_id);
    pinview_object_release(stored);
    pinview_context_release(context);
    stack_close(&stack);
}

static const test_case tests[] = {
    {"UNQ-01, UNQ-05: the error lists the conflicts of uniqueness", the_error_lists_the_conflicts},
    {"UNQ-02 to UNQ-04: merge policies make one row of two", policies_make_one_row},
    {"UNQ-08: a merge callback resolves conflicts of uniqueness", a_callback_resolves_uniqueness},
    {"UNQ-06: unique values change hands in one save", values_change_hands},
    {"UNQ-09: the error of a batch insert lists its conflicts", a_batch_inserts_error_lists_its_conflicts},
};
const test_topic uniqueness_topic = TOPIC("uniqueness", tests);
