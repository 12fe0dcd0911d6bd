/* A merge policy of the program's own, and when delete rules are carried out. */
#include <stdio.h>
#include <string.h>

#include "support.h"
#include "topics.h"

/* The decisions of a merge policy, and the conflicts that it received. */
typedef struct {
    int calls, freed;
    uint64_t conflicts;
    int32_t row_exists, is_deletion;
    char base[32], mine[32], theirs[32];
    pinview_status status;
    int32_t policy; /* -1: resolve by the value below */
    const char *key, *value;
    pinview_merge *kept;
    pinview_context *saving, *another;
    pinview_object *object;
} resolver;

static void count_freed(void *userdata) { ((resolver *)userdata)->freed++; }

static void copy_text(char *target, const pinview_value *value) {
    snprintf(target, 32, "%s", value->type == PINVIEW_VALUE_STRING ? value->as.string.data : "null");
}

/* What the policy must not do is an error. */
static void expect_refusals(const resolver *record) {
    pinview_value value;
    pinview_object *meanwhile = NULL;
    EXPECT_NUMBER(pinview_context_save(record->saving, NULL), PINVIEW_ERROR_INVALID_ARGUMENT);
    EXPECT_NUMBER(pinview_object_value(record->object, TEXT("name"), &value, NULL), PINVIEW_ERROR_INVALID_ARGUMENT);
    EXPECT_NUMBER(pinview_context_insert_new_object(record->another, TEXT("Person"), &meanwhile, NULL), PINVIEW_OK);
    EXPECT(pinview_context_save(record->another, NULL) != PINVIEW_OK);
    EXPECT_NUMBER(pinview_context_rollback(record->another, NULL), PINVIEW_OK);
    pinview_object_release(meanwhile);
}

static pinview_status resolve(pinview_merge *merge, void *userdata) {
    resolver *record = userdata;
    const pinview_error *error = pinview_merge_conflicts(merge);
    pinview_conflict conflict;
    pinview_conflict_property property;
    memset(&conflict, 0, sizeof conflict);
    memset(&property, 0, sizeof property);
    conflict.struct_size = sizeof conflict;
    property.struct_size = sizeof property;
    record->calls++;
    record->conflicts = pinview_error_conflict_count(error);
    EXPECT_NUMBER(pinview_error_conflict(error, 0, &conflict, NULL), PINVIEW_OK);
    record->row_exists = conflict.row_exists;
    record->is_deletion = conflict.is_deletion;
    for (uint64_t index = 0; index < conflict.property_count; index++) {
        EXPECT_NUMBER(pinview_error_conflict_property(error, 0, index, &property, NULL), PINVIEW_OK);
        if (strcmp(property.name.data, "name") != 0) continue;
        copy_text(record->base, &property.base);
        copy_text(record->mine, &property.mine);
        copy_text(record->theirs, &property.theirs);
    }
    if (record->saving != NULL) expect_refusals(record);
    for (uint64_t index = 0; index < record->conflicts; index++) {
        pinview_value value = pinview_value_text(record->value);
        if (record->policy >= 0)
            EXPECT_NUMBER(pinview_merge_set_policy(merge, index, record->policy, NULL), PINVIEW_OK);
        else
            EXPECT_NUMBER(pinview_merge_set_value(merge, index, pinview_text(record->key), &value, NULL), PINVIEW_OK);
    }
    EXPECT_NUMBER(pinview_merge_set_policy(merge, record->conflicts, 0, NULL), PINVIEW_ERROR_INVALID_ARGUMENT);
    EXPECT_NUMBER(pinview_merge_set_policy(merge, 0, PINVIEW_MERGE_POLICY_CALLBACK, NULL), PINVIEW_ERROR_INVALID_ARGUMENT);
    if (record->kept == NULL && pinview_merge_retain(merge) == PINVIEW_OK) record->kept = merge;
    return record->status;
}

/* dave0 is changed by one context and saved, and changed by the context with the policy. */
static pinview_context *disputing_context(const data_stack *stack, resolver *record, pinview_object **mine) {
    pinview_context *context = context_on(stack), *other = context_on(stack);
    OK(pinview_context_set_merge_callback(context, resolve, record, count_freed, ERROR));
    EXPECT_NUMBER(pinview_context_merge_policy(context), PINVIEW_MERGE_POLICY_CALLBACK);
    *mine = one_named(context, "Person", "dave0");
    set_text(*mine, "name", "mine");
    pinview_object *theirs = one_named(other, "Person", "dave0");
    set_text(theirs, "name", "theirs");
    set_integer(theirs, "age", 50);
    save(other);
    pinview_object_release(theirs);
    pinview_context_release(other);
    return context;
}

static void a_callback_gives_the_values_to_write(void) {
    resolver record = {.policy = -1, .key = "name", .value = "both"};
    data_stack stack = stack_open("people.sqlite");
    add_daves(&stack, 0, 2);
    pinview_object *mine = NULL;
    pinview_context *context = disputing_context(&stack, &record, &mine);
    record.saving = context;
    record.another = context_on(&stack);
    record.object = mine;
    save(context);
    EXPECT(record.calls == 1 && record.conflicts == 1 && record.row_exists == 1 && record.is_deletion == 0);
    EXPECT_TEXT(pinview_text(record.base), "dave0"); /* SAV-10 */
    EXPECT_TEXT(pinview_text(record.mine), "mine");
    EXPECT_TEXT(pinview_text(record.theirs), "theirs");
    EXPECT_TEXT(text_of(mine, "name"), "both"); /* SAV-15 */
    EXPECT_NUMBER(integer_of(mine, "age"), 50);
    EXPECT_NUMBER(sql_number(stack.path, "SELECT count(*) FROM ZPERSON WHERE ZNAME='both' AND ZAGE=50"), 1);
    /* Afterwards the conflicts can be read, but not resolved. */
    EXPECT_NUMBER(pinview_error_conflict_count(pinview_merge_conflicts(record.kept)), 1);
    FAILS(PINVIEW_ERROR_INVALID_ARGUMENT, pinview_merge_set_policy(record.kept, 0, PINVIEW_MERGE_POLICY_OVERWRITE, ERROR));
    pinview_merge_release(record.kept);
    OK(pinview_context_set_merge_policy(context, PINVIEW_MERGE_POLICY_ERROR, ERROR));
    EXPECT_NUMBER(record.freed, 1);
    pinview_object_release(mine);
    pinview_context_release(record.another);
    pinview_context_release(context);
    stack_close(&stack);
}

static void a_callback_may_refuse(void) {
    resolver record = {.policy = PINVIEW_MERGE_POLICY_ERROR, .status = PINVIEW_OK};
    data_stack stack = stack_open("people.sqlite");
    add_daves(&stack, 0, 2);
    pinview_object *mine = NULL;
    pinview_context *context = disputing_context(&stack, &record, &mine);
    FAILS(PINVIEW_ERROR_MERGE, pinview_context_save(context, ERROR));
    EXPECT_NUMBER(pinview_error_conflict_count(last_error()), 1);
    record.status = 333;
    FAILS(333, pinview_context_save(context, ERROR));
    record.status = PINVIEW_OK;
    record.policy = -1;
    record.key = "nickname";
    FAILS(PINVIEW_ERROR_UNKNOWN_KEY, pinview_context_save(context, ERROR));
    record.key = "age";
    record.value = "a word";
    FAILS(PINVIEW_ERROR_WRONG_TYPE, pinview_context_save(context, ERROR));
    EXPECT_NUMBER(sql_number(stack.path, "SELECT count(*) FROM ZPERSON WHERE ZNAME='theirs' AND ZAGE=50"), 1); /* SAV-04 */
    EXPECT(has_changes(context));
    record.policy = PINVIEW_MERGE_POLICY_OVERWRITE;
    save(context);
    EXPECT_NUMBER(sql_number(stack.path, "SELECT count(*) FROM ZPERSON WHERE ZNAME='mine' AND ZAGE=20"), 1);
    EXPECT_NUMBER(record.freed, 0);
    pinview_merge_release(record.kept);
    pinview_object_release(mine);
    pinview_context_release(context);
    stack_close(&stack);
    EXPECT_NUMBER(record.freed, 1);
}

static void a_callback_is_told_of_deletions(void) {
    resolver record = {.policy = -1, .key = "name", .value = "kept"};
    data_stack stack = stack_open("people.sqlite");
    add_daves(&stack, 0, 2);
    pinview_object *mine = NULL;
    pinview_context *context = disputing_context(&stack, &record, &mine);
    OK(pinview_context_delete(context, mine, ERROR));
    save(context);
    EXPECT(record.is_deletion == 1 && record.row_exists == 1); /* SAV-18 */
    EXPECT((state_of(mine) & PINVIEW_OBJECT_DELETED) == 0);
    EXPECT_TEXT(text_of(mine, "name"), "kept");
    pinview_merge_release(record.kept);
    pinview_object_release(mine);
    pinview_context_release(context);
    stack_close(&stack);
}

static const char cascade_json[] =
    "{\"entities\":["
    "{\"name\":\"Person\",\"attributes\":[{\"name\":\"name\",\"type\":\"string\"}],"
    "\"relationships\":[{\"name\":\"cars\",\"destination\":\"Car\",\"inverse\":\"owner\",\"toMany\":true,\"deleteRule\":\"cascade\"}]},"
    "{\"name\":\"Car\",\"attributes\":[{\"name\":\"name\",\"type\":\"string\"}],"
    "\"relationships\":[{\"name\":\"owner\",\"destination\":\"Person\",\"inverse\":\"cars\",\"deleteRule\":\"nullify\"}]}]}";

static void delete_rules_run_at_the_end_of_the_event_or_in_the_save(void) {
    data_stack stack = {NULL, NULL, NULL, test_path("cascade.sqlite")};
    OK(pinview_model_create_from_json(TEXT(cascade_json), &stack.model, ERROR));
    OK(pinview_coordinator_create(stack.model, &stack.coordinator, ERROR));
    OK(pinview_coordinator_add_store(stack.coordinator, TEXT(PINVIEW_STORE_TYPE_SQLITE), pinview_absent(), pinview_text(stack.path), NULL,
                                     0, &stack.store, ERROR));
    pinview_context *context = context_on(&stack);
    for (int at_end_of_event = 1; at_end_of_event >= 0; at_end_of_event--) {
        pinview_object *person = insert_object(context, "Person", "dave"), *car = insert_object(context, "Car", "car");
        OK(pinview_object_set_related_objects(person, TEXT("cars"), &car, 1, ERROR));
        save(context);
        OK(pinview_context_set_option(context, PINVIEW_CONTEXT_PROPAGATES_DELETES_AT_END_OF_EVENT, at_end_of_event, ERROR));
        OK(pinview_context_delete(context, person, ERROR));
        OK(pinview_context_process_pending_changes(context, ERROR));
        EXPECT_NUMBER((state_of(car) & PINVIEW_OBJECT_DELETED) != 0, at_end_of_event); /* REL-08, REL-09 */
        save(context);
        EXPECT_NUMBER(sql_number(stack.path, "SELECT count(*) FROM ZCAR"), 0);
        pinview_object_release(person);
        pinview_object_release(car);
    }
    pinview_context_release(context);
    stack_close(&stack);
}

static const test_case tests[] = {
    {"SAV-10, SAV-15: a merge callback gives the values to write", a_callback_gives_the_values_to_write},
    {"SAV-04: a merge callback may refuse, and what it cannot mean fails the save", a_callback_may_refuse},
    {"SAV-18: a merge callback is told of deletions and can keep the object", a_callback_is_told_of_deletions},
    {"REL-08, REL-09: delete rules run at the end of the event, or in the save", delete_rules_run_at_the_end_of_the_event_or_in_the_save},
};
const test_topic conflicts_topic = TOPIC("conflicts", tests);
