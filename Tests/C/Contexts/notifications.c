/* The notifications of contexts, and merging them into others. */
#include <string.h>

#include "support.h"
#include "topics.h"

typedef struct {
    int calls, freed;
    uint64_t inserted, updated, deleted, refreshed, forgotten;
    int had_token, removes_itself;
    char order[16];
    pinview_context *watched, *receiver;
    pinview_observer *observer;
    pinview_notification *kept;
} notes;

static uint64_t objects_under(const pinview_notification *notification, const char *key) {
    pinview_result *objects = NULL, *ids = NULL;
    EXPECT_NUMBER(pinview_notification_objects(notification, pinview_text(key), &objects, NULL), PINVIEW_OK);
    EXPECT_NUMBER(pinview_notification_object_ids(notification, pinview_text(key), &ids, NULL), PINVIEW_OK);
    uint64_t count = pinview_result_count(objects);
    EXPECT((objects == NULL) == (count == 0) && pinview_result_count(ids) == count); /* NOT-18 */
    pinview_result_release(objects);
    pinview_result_release(ids);
    return count;
}

static void observe(const pinview_notification *notification, void *userdata) {
    notes *record = userdata;
    pinview_context *context = NULL;
    pinview_result *forgotten = NULL;
    pinview_token *token = NULL;
    record->calls++;
    EXPECT_NUMBER(pinview_notification_context(notification, &context, NULL), PINVIEW_OK);
    if (record->watched != NULL) EXPECT(pinview_context_is_equal(context, record->watched)); /* NOT-11 */
    pinview_context_release(context);
    pinview_string name = pinview_notification_name(notification);
    if (strcmp(name.data, PINVIEW_WILL_SAVE_NOTIFICATION) == 0) strcat(record->order, "w");
    if (strcmp(name.data, PINVIEW_OBJECTS_DID_CHANGE_NOTIFICATION) == 0) strcat(record->order, "c");
    if (strcmp(name.data, PINVIEW_DID_SAVE_NOTIFICATION) == 0) strcat(record->order, "d");
    record->inserted = objects_under(notification, PINVIEW_INSERTED_OBJECTS_KEY);
    record->updated = objects_under(notification, PINVIEW_UPDATED_OBJECTS_KEY);
    record->deleted = objects_under(notification, PINVIEW_DELETED_OBJECTS_KEY);
    record->refreshed = objects_under(notification, PINVIEW_REFRESHED_OBJECTS_KEY);
    EXPECT_NUMBER(objects_under(notification, PINVIEW_INVALIDATED_OBJECTS_KEY), 0);
    EXPECT_NUMBER(pinview_notification_object_ids(notification, TEXT(PINVIEW_INVALIDATED_ALL_OBJECTS_KEY), &forgotten, NULL), PINVIEW_OK);
    record->forgotten = pinview_result_count(forgotten);
    pinview_result_release(forgotten);
    EXPECT_NUMBER(pinview_notification_token(notification, &token, NULL), PINVIEW_OK);
    record->had_token = token != NULL;
    if (token != NULL && record->receiver != NULL) EXPECT_NUMBER(pinview_context_set_query_generation(record->receiver, token, NULL), PINVIEW_OK); /* NOT-16 */
    pinview_token_release(token);
    if (record->removes_itself) EXPECT_NUMBER(pinview_observer_remove(record->observer, NULL), PINVIEW_OK);
    if (record->kept == NULL && strchr(record->order, 'd') != NULL) {
        record->kept = (pinview_notification *)notification;
        EXPECT_NUMBER(pinview_notification_retain(record->kept), PINVIEW_OK);
    }
}

static void count_freed(void *userdata) { ((notes *)userdata)->freed++; }

static notes *start(notes *record, const char *name, pinview_context *context) {
    memset(record, 0, sizeof *record);
    record->watched = context;
    OK(pinview_observe(pinview_text(name), context, observe, record, count_freed, &record->observer, ERROR));
    return record;
}

static void stop(notes *record) {
    OK(pinview_observer_remove(record->observer, ERROR));
    OK(pinview_observer_remove(record->observer, ERROR)); /* again does nothing */
    EXPECT_NUMBER(record->freed, 1);
    EXPECT_NUMBER(pinview_observer_retain(record->observer), PINVIEW_OK);
    pinview_observer_release(record->observer);
    pinview_observer_release(record->observer);
    pinview_notification_release(record->kept);
}

static void a_save_is_told(void) {
    data_stack stack = stack_open("n.sqlite");
    add_daves(&stack, 0, 2);
    pinview_context *context = context_on(&stack), *other = context_on(&stack);
    notes saves, all;
    start(&saves, PINVIEW_DID_SAVE_NOTIFICATION, context);
    start(&all, NULL, context);
    pinview_object *inserted = insert_object(context, "Car", "new"), *updated = one_named(context, "Person", "dave0");
    pinview_object *deleted = one_named(context, "Car", "car1");
    set_integer(updated, "age", 9);
    OK(pinview_context_delete(context, deleted, ERROR));
    save(context);
    EXPECT_NUMBER(saves.calls, 1); /* EX-42 */
    EXPECT(saves.inserted == 1 && saves.updated >= 1 && saves.deleted == 1 && !saves.had_token); /* NOT-05, NOT-16 */
    EXPECT(strcmp(all.order + strlen(all.order) - 2, "wd") == 0 && strchr(all.order, 'c') != NULL); /* NOT-06 */
    pinview_object *theirs = insert_object(other, "Car", "theirs");
    save(other);
    EXPECT_NUMBER(saves.calls, 1); /* NOT-11, EX-42 */
    stop(&saves);
    stop(&all);
    set_integer(updated, "age", 10);
    save(context);
    EXPECT_NUMBER(saves.calls, 1); /* NOT-13 */
    pinview_object_release(inserted);
    pinview_object_release(updated);
    pinview_object_release(deleted);
    pinview_object_release(theirs);
    pinview_context_release(context);
    pinview_context_release(other);
    stack_close(&stack);
}

static void a_failed_save_is_not_told(void) {
    data_stack stack = stack_open("n.sqlite");
    add_daves(&stack, 0, 1);
    pinview_context *context = context_on(&stack), *other = context_on(&stack);
    pinview_object *mine = one_named(context, "Person", "dave0"), *theirs = one_named(other, "Person", "dave0");
    notes saves;
    set_integer(mine, "age", 1);
    set_integer(theirs, "age", 2);
    save(other);
    start(&saves, PINVIEW_DID_SAVE_NOTIFICATION, context);
    FAILS(PINVIEW_ERROR_MERGE, pinview_context_save(context, ERROR));
    EXPECT_NUMBER(saves.calls, 0); /* NOT-05 */
    stop(&saves);
    pinview_object_release(mine);
    pinview_object_release(theirs);
    pinview_context_release(context);
    pinview_context_release(other);
    stack_close(&stack);
}

static void resets_and_refreshes_are_told(void) {
    data_stack stack = stack_open("n.sqlite");
    add_daves(&stack, 0, 2);
    pinview_context *context = context_on(&stack);
    pinview_object *dave = one_named(context, "Person", "dave0");
    notes changes;
    EXPECT_NUMBER(integer_of(dave, "age"), 20);
    start(&changes, PINVIEW_OBJECTS_DID_CHANGE_NOTIFICATION, context);
    EXPECT_NUMBER(count_named(context, "Person", NULL), 2);
    EXPECT_NUMBER(changes.calls, 0); /* NOT-03 */
    OK(pinview_context_refresh(context, dave, 0, ERROR));
    OK(pinview_context_process_pending_changes(context, ERROR));
    EXPECT_NUMBER(changes.refreshed, 1); /* NOT-08 */
    OK(pinview_context_reset(context, ERROR));
    EXPECT(changes.forgotten >= 1); /* NOT-10 */
    stop(&changes);
    pinview_object_release(dave);
    pinview_context_release(context);
    stack_close(&stack);
}

static void pinned_saves_carry_a_token(void) {
    data_stack stack = stack_open("n.sqlite");
    add_daves(&stack, 0, 1);
    pinview_context *context = context_on(&stack), *receiver = context_on(&stack);
    notes saves;
    pin(context);
    pinview_object *dave = one_named(context, "Person", "dave0");
    start(&saves, PINVIEW_DID_SAVE_NOTIFICATION, context);
    saves.receiver = receiver;
    set_text(dave, "name", "Dave");
    save(context);
    EXPECT(saves.had_token);
    EXPECT_NUMBER(count_named(receiver, "Person", "Dave"), 1); /* NOT-16 */
    EXPECT(has_token(receiver));
    stop(&saves);
    pinview_object_release(dave);
    pinview_context_release(context);
    pinview_context_release(receiver);
    stack_close(&stack);
}

static void observers_may_remove_themselves(void) {
    data_stack stack = stack_open("n.sqlite");
    pinview_context *context = context_on(&stack);
    notes saves;
    start(&saves, PINVIEW_DID_SAVE_NOTIFICATION, NULL); /* every context (NOT-12) */
    saves.removes_itself = 1;
    for (int times = 0; times < 2; times++) {
        pinview_object_release(insert_object(context, "Car", "x"));
        save(context);
    }
    EXPECT_NUMBER(saves.calls, 1); /* NOT-13 */
    stop(&saves);
    pinview_context_release(context);
    stack_close(&stack);
}

static void saves_merge_into_other_contexts(void) {
    data_stack stack = stack_open("n.sqlite");
    add_daves(&stack, 0, 2);
    pinview_context *writer = context_on(&stack), *reader = context_on(&stack);
    pinview_object *theirs = one_named(writer, "Person", "dave0"), *mine = one_named(reader, "Person", "dave0");
    notes saves;
    EXPECT_NUMBER(integer_of(mine, "age"), 20);
    pin(reader);
    EXPECT_NUMBER(count_named(reader, "Person", NULL), 2);
    start(&saves, PINVIEW_DID_SAVE_NOTIFICATION, writer);
    set_integer(theirs, "age", 66);
    save(writer);
    EXPECT_NUMBER(integer_of(mine, "age"), 20);
    OK(pinview_context_merge_changes(reader, saves.kept, ERROR));
    EXPECT(!has_token(reader)); /* QG-22 */
    EXPECT_NUMBER(integer_of(mine, "age"), 66); /* MRG-01 */
    EXPECT(has_token(reader));
    stop(&saves);
    pinview_object_release(theirs);
    pinview_object_release(mine);
    pinview_context_release(writer);
    pinview_context_release(reader);
    stack_close(&stack);
}

static void uris_merge_into_contexts(void) {
    data_stack stack = stack_open("n.sqlite"), remote = stack_open("n.sqlite");
    add_daves(&stack, 0, 1);
    pinview_context *reader = context_on(&stack), *writer = context_on(&remote);
    pinview_object *mine = one_named(reader, "Person", "dave0"), *theirs = one_named(writer, "Person", "dave0");
    pinview_object_id *updated = NULL;
    EXPECT_NUMBER(integer_of(mine, "age"), 20);
    set_integer(theirs, "age", 78);
    save(writer);
    OK(pinview_object_get_id(theirs, &updated, ERROR));
    /* The second is of a store that the coordinator does not have. */
    const pinview_string uris[] = {pinview_object_id_uri(updated), TEXT("x-coredata://00000000-0000-4000-8000-000000000000/Person/p1")};
    const pinview_string wrong[] = {TEXT("no URI")};
    FAILS(PINVIEW_ERROR_INVALID_ARGUMENT, pinview_context_merge_uris(reader, wrong, 1, uris, 2, NULL, 0, ERROR));
    EXPECT_NUMBER(integer_of(mine, "age"), 20);
    OK(pinview_context_merge_uris(reader, NULL, 0, uris, 2, NULL, 0, ERROR));
    EXPECT_NUMBER(integer_of(mine, "age"), 78);
    pinview_object_id_release(updated);
    pinview_object_release(mine);
    pinview_object_release(theirs);
    pinview_context_release(reader);
    pinview_context_release(writer);
    stack_close(&remote);
    stack_close(&stack);
}

static void ids_merge_into_contexts(void) {
    data_stack stack = stack_open("n.sqlite"), remote = stack_open("n.sqlite");
    add_daves(&stack, 0, 3);
    pinview_context *reader = context_on(&stack), *writer = context_on(&remote);
    pinview_object *mine = one_named(reader, "Person", "dave0"), *doomed = one_named(reader, "Person", "dave1");
    pinview_object *theirs = one_named(writer, "Person", "dave0"), *gone = one_named(writer, "Person", "dave1");
    pinview_object_id *updated = NULL, *deleted = NULL;
    EXPECT_NUMBER(integer_of(mine, "age"), 20);
    set_integer(theirs, "age", 77);
    OK(pinview_context_delete(writer, gone, ERROR));
    save(writer);
    OK(pinview_object_get_id(theirs, &updated, ERROR));
    OK(pinview_object_get_id(gone, &deleted, ERROR));
    OK(pinview_context_merge_object_ids(reader, NULL, 0, &updated, 1, &deleted, 1, ERROR)); /* MRG-14 */
    EXPECT_NUMBER(integer_of(mine, "age"), 77);
    EXPECT_NUMBER(state_of(doomed) & PINVIEW_OBJECT_DELETED, PINVIEW_OBJECT_DELETED); /* MRG-03 */
    save(reader);
    FAILS(PINVIEW_ERROR_INVALID_ARGUMENT, pinview_context_merge_object_ids(reader, NULL, 1, NULL, 0, NULL, 0, ERROR));
    pinview_object_id *const none[] = {NULL};
    FAILS(PINVIEW_ERROR_INVALID_HANDLE, pinview_context_merge_object_ids(reader, none, 1, NULL, 0, NULL, 0, ERROR));
    pinview_object_id_release(updated);
    pinview_object_id_release(deleted);
    pinview_object_release(mine);
    pinview_object_release(doomed);
    pinview_object_release(theirs);
    pinview_object_release(gone);
    pinview_context_release(reader);
    pinview_context_release(writer);
    stack_close(&remote);
    stack_close(&stack);
}

static void automatic_merging(void) {
    data_stack stack = stack_open("n.sqlite");
    add_daves(&stack, 0, 1);
    pinview_context *writer = context_on(&stack), *reader = context_on(&stack);
    pinview_object *theirs = one_named(writer, "Person", "dave0"), *mine = one_named(reader, "Person", "dave0");
    EXPECT_NUMBER(integer_of(mine, "age"), 20);
    OK(pinview_context_set_option(reader, PINVIEW_CONTEXT_AUTOMATICALLY_MERGES_CHANGES, 1, ERROR));
    set_integer(theirs, "age", 55);
    save(writer);
    EXPECT_NUMBER(integer_of(mine, "age"), 55); /* MRG-07 */
    pinview_object_release(theirs);
    pinview_object_release(mine);
    pinview_context_release(writer);
    pinview_context_release(reader);
    stack_close(&stack);
}

static void wrong_registrations_are_refused(void) {
    notes none;
    pinview_observer *observer = NULL;
    memset(&none, 0, sizeof none);
    FAILS(PINVIEW_ERROR_INVALID_ARGUMENT, pinview_observe(TEXT("NSUnknown"), NULL, observe, &none, count_freed, &observer, ERROR));
    FAILS(PINVIEW_ERROR_INVALID_ARGUMENT, pinview_observe(pinview_absent(), NULL, NULL, &none, count_freed, &observer, ERROR));
    FAILS(PINVIEW_ERROR_INVALID_ARGUMENT, pinview_observe(pinview_absent(), NULL, observe, &none, count_freed, NULL, ERROR));
    EXPECT(observer == NULL && none.freed == 0);
}

/* A key that notifications do not have. */
static void ask_for_nonsense(const pinview_notification *notification, void *userdata) {
    pinview_result *result = NULL;
    *(pinview_status *)userdata = pinview_notification_objects(notification, TEXT("nonsense"), &result, NULL);
}

static void unknown_keys_are_refused(void) {
    data_stack stack = stack_in_memory();
    pinview_context *context = context_on(&stack);
    pinview_observer *observer = NULL;
    pinview_status status = PINVIEW_OK;
    OK(pinview_observe(pinview_absent(), context, ask_for_nonsense, &status, NULL, &observer, ERROR));
    pinview_object_release(insert_object(context, "Car", "x"));
    save(context);
    EXPECT_NUMBER(status, PINVIEW_ERROR_UNKNOWN_KEY);
    OK(pinview_observer_remove(observer, ERROR));
    pinview_observer_release(observer);
    pinview_context_release(context);
    stack_close(&stack);
}

static const test_case tests[] = {
    {"MRG-14: URIs merge into contexts", uris_merge_into_contexts},
    {"NOT-01, NOT-05, NOT-06, NOT-11, NOT-13, NOT-18, EX-42: a save is told to those who watch its context", a_save_is_told},
    {"NOT-05: a failed save is not told", a_failed_save_is_not_told},
    {"NOT-03, NOT-08, NOT-10: refreshes and resets are told, fetches are not", resets_and_refreshes_are_told},
    {"NOT-16: the save of a pinned context carries a token for others", pinned_saves_carry_a_token},
    {"NOT-12, NOT-13: observers of all contexts, and one that removes itself", observers_may_remove_themselves},
    {"MRG-01, QG-22: a save is merged into another context and moves its pin", saves_merge_into_other_contexts},
    {"MRG-03, MRG-13, MRG-14: changes of elsewhere are merged by their IDs", ids_merge_into_contexts},
    {"MRG-07: automatic merging", automatic_merging},
    {"ERR-05: wrong registrations are refused and free nothing", wrong_registrations_are_refused},
    {"a key that no notification has is refused", unknown_keys_are_refused},
};
const test_topic notifications_topic = TOPIC("notifications", tests);
