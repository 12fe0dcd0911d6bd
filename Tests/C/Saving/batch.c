/* Batch requests and history. */
#include <string.h>

#include "support.h"
#include "topics.h"

static pinview_batch_update update_of(const pinview_named_value *properties, size_t count) {
    pinview_batch_update update;
    memset(&update, 0, sizeof update);
    update.struct_size = sizeof update;
    update.result_type = PINVIEW_RESULT_COUNT;
    update.entity = TEXT("Person");
    update.properties = properties;
    update.property_count = count;
    return update;
}

static void rows_change_without_objects(void) {
    data_stack stack = stack_open("b.sqlite");
    add_daves(&stack, 0, 4);
    pinview_context *context = context_on(&stack);
    pinview_result *result = NULL;
    pinview_object *dave = one_named(context, "Person", "dave1");
    EXPECT_NUMBER(integer_of(dave, "age"), 21);
    pinview_predicate *young = predicate("age < 22", NULL);
    const pinview_named_value properties[] = {{TEXT("name"), pinview_value_text("young")}, {TEXT("age"), pinview_value_integer(1)}};
    pinview_batch_update update = update_of(properties, 2);
    update.predicate = young;
    OK(pinview_context_batch_update(context, &update, &result, ERROR)); /* BAT-02, BAT-03 */
    EXPECT_NUMBER(pinview_result_get_type(result), PINVIEW_RESULT_COUNT);
    EXPECT_NUMBER(pinview_result_count(result), 2);
    EXPECT(!has_changes(context));
    EXPECT_NUMBER(integer_of(dave, "age"), 21); /* BAT-05 */
    EXPECT_NUMBER(count_named(context, "Person", "young"), 2); /* BAT-04 */
    OK(pinview_context_refresh(context, dave, 0, ERROR));
    EXPECT_NUMBER(integer_of(dave, "age"), 1); /* BAT-09 */
    pinview_result_release(result);
    update.result_type = PINVIEW_RESULT_OBJECT_IDS;
    update.predicate = NULL;
    OK(pinview_context_batch_update(context, &update, &result, ERROR));
    EXPECT_NUMBER(pinview_result_get_type(result), PINVIEW_RESULT_OBJECT_IDS);
    EXPECT_NUMBER(pinview_result_count(result), 4);
    pinview_result_release(result);
    update.result_type = PINVIEW_RESULT_NONE;
    OK(pinview_context_batch_update(context, &update, &result, ERROR));
    EXPECT_NUMBER(pinview_result_get_type(result), PINVIEW_RESULT_NONE);
    EXPECT_NUMBER(pinview_result_count(result), 0);
    pinview_result_release(result);
    set_integer(dave, "age", 5);
    FAILS(PINVIEW_ERROR_MERGE, pinview_context_save(context, ERROR)); /* BAT-07 */
    pinview_predicate_release(young);
    pinview_object_release(dave);
    pinview_context_release(context);
    stack_close(&stack);
}

static void wrong_updates_are_refused(void) {
    data_stack stack = stack_open("b.sqlite"), memory = stack_in_memory();
    add_daves(&stack, 0, 2);
    pinview_context *context = context_on(&stack), *other = context_on(&memory);
    pinview_result *result = NULL;
    pinview_named_value property = {TEXT("wings"), pinview_value_integer(2)};
    pinview_batch_update update = update_of(&property, 1);
    FAILS(PINVIEW_ERROR_UNKNOWN_KEY, pinview_context_batch_update(context, &update, &result, ERROR)); /* BAT-10 */
    property.name = TEXT("cars");
    FAILS(PINVIEW_ERROR_UNKNOWN_KEY, pinview_context_batch_update(context, &update, &result, ERROR));
    property.name = TEXT("age");
    property.value = pinview_value_text("old");
    FAILS(PINVIEW_ERROR_WRONG_TYPE, pinview_context_batch_update(context, &update, &result, ERROR));
    property.value = pinview_value_integer(2);
    FAILS(PINVIEW_ERROR_UNSUPPORTED_REQUEST, pinview_context_batch_update(other, &update, &result, ERROR)); /* BAT-11 */
    update.result_type = PINVIEW_RESULT_OBJECTS;
    FAILS(PINVIEW_ERROR_INVALID_ARGUMENT, pinview_context_batch_update(context, &update, &result, ERROR));
    update.result_type = PINVIEW_RESULT_COUNT;
    update.entity = TEXT("Dragon");
    FAILS(PINVIEW_ERROR_UNKNOWN_ENTITY, pinview_context_batch_update(context, &update, &result, ERROR));
    update.entity = TEXT("Person");
    update.properties = NULL;
    FAILS(PINVIEW_ERROR_INVALID_ARGUMENT, pinview_context_batch_update(context, &update, &result, ERROR));
    update.struct_size = 4;
    FAILS(PINVIEW_ERROR_INVALID_ARGUMENT, pinview_context_batch_update(context, &update, &result, ERROR));
    FAILS(PINVIEW_ERROR_INVALID_ARGUMENT, pinview_context_batch_update(context, NULL, &result, ERROR));
    EXPECT(result == NULL);
    EXPECT_NUMBER(count_named(context, "Person", "dave1"), 1);
    pinview_context_release(context);
    pinview_context_release(other);
    stack_close(&memory);
    stack_close(&stack);
}

static pinview_batch_insert insert_of(const char *entity, const pinview_string *names, size_t name_count,
                                      pinview_result_type result_type) {
    pinview_batch_insert insert;
    memset(&insert, 0, sizeof insert);
    insert.struct_size = sizeof insert;
    insert.entity = pinview_text(entity);
    insert.names = names;
    insert.name_count = name_count;
    insert.result_type = result_type;
    return insert;
}

static pinview_status next_car(pinview_value *values, size_t count, int32_t *has_row, void *userdata) {
    int *number = userdata;
    if (count != 1) return 150;
    *has_row = *number < 3;
    if (*number == 100) return 160; /* gives up */
    values[0] = pinview_value_text("new");
    *number += 1;
    return PINVIEW_OK;
}

typedef struct {
    int number;
    pinview_coordinator *coordinator;
    pinview_store *store;
} removal;

static pinview_status next_car_without_store(pinview_value *values, size_t count, int32_t *has_row, void *userdata) {
    removal *state = userdata;
    (void)count;
    if (++state->number == 600) OK(pinview_coordinator_remove_store(state->coordinator, state->store, ERROR));
    *has_row = state->number < 1000;
    values[0] = pinview_value_text("new");
    return PINVIEW_OK;
}

static int32_t never_stop(void *userdata) {
    (void)userdata;
    return 0;
}

/* The transaction is watched for interruptions until after the callback. */
static void a_store_that_is_removed_in_the_middle_is_left_as_it_was(void) {
    data_stack stack = stack_open("removed.sqlite");
    pinview_context *context = context_on(&stack);
    pinview_result *result = NULL;
    const pinview_string names[] = {TEXT("name")};
    removal removed = {0, stack.coordinator, stack.store};
    pinview_batch_insert insert = insert_of("Car", names, 1, PINVIEW_RESULT_NONE);
    insert.next_row = next_car_without_store;
    insert.userdata = &removed;
    OK(pinview_set_interrupt_callback(never_stop, NULL, NULL, ERROR));
    EXPECT(pinview_context_batch_insert(context, &insert, &result, ERROR) != PINVIEW_OK);
    OK(pinview_set_interrupt_callback(NULL, NULL, NULL, ERROR));
    EXPECT(removed.number >= 600);
    EXPECT_NUMBER(sql_number(stack.path, "SELECT count(*) FROM ZCAR"), 0);
    pinview_context_release(context);
    stack_close(&stack);
}

static void rows_are_inserted(void) {
    data_stack stack = stack_open("b.sqlite");
    pinview_context *context = context_on(&stack);
    pinview_result *result = NULL;
    const pinview_string names[] = {TEXT("name"), TEXT("age")};
    const pinview_value values[] = {pinview_value_text("a"), pinview_value_integer(1), pinview_value_text("b"), pinview_value_null()};
    pinview_batch_insert insert = insert_of("Person", names, 2, PINVIEW_RESULT_OBJECT_IDS);
    insert.values = values;
    insert.row_count = 2;
    OK(pinview_context_batch_insert(context, &insert, &result, ERROR)); /* BAT-13 */
    EXPECT_NUMBER(pinview_result_count(result), 2);
    pinview_result_release(result);
    EXPECT_NUMBER(count_named(context, "Person", "a"), 1);

    int number = 0;
    insert.entity = TEXT("Car");
    insert.name_count = 1;
    insert.values = NULL;
    insert.row_count = 0;
    insert.next_row = next_car;
    insert.userdata = &number;
    insert.result_type = PINVIEW_RESULT_COUNT;
    OK(pinview_context_batch_insert(context, &insert, &result, ERROR));
    EXPECT_NUMBER(pinview_result_count(result), 3);
    pinview_result_release(result);
    number = 100;
    FAILS(160, pinview_context_batch_insert(context, &insert, &result, ERROR));
    EXPECT_NUMBER(count_named(context, "Car", "new"), 3);
    insert.next_row = NULL;
    insert.values = values;
    insert.row_count = 1;
    insert.names = &names[1];
    FAILS(PINVIEW_ERROR_UNKNOWN_KEY, pinview_context_batch_insert(context, &insert, &result, ERROR));
    pinview_context_release(context);
    stack_close(&stack);
}

/* A value that does not fit is found before anything is inserted, the good rows before it included. */
static void values_of_inserted_rows_are_checked(void) {
    data_stack stack = stack_open("f.sqlite");
    pinview_context *context = context_on(&stack);
    pinview_result *result = NULL;
    const pinview_string names[] = {TEXT("name"), TEXT("age")};
    pinview_value values[] = {pinview_value_text("good"), pinview_value_integer(1), pinview_value_text("a\xff"), pinview_value_integer(2)};
    pinview_batch_insert insert = insert_of("Person", names, 2, PINVIEW_RESULT_NONE);
    insert.values = values;
    insert.row_count = 2;
    FAILS(PINVIEW_ERROR_INVALID_UTF8, pinview_context_batch_insert(context, &insert, &result, ERROR));
    values[2] = pinview_value_integer(3);
    FAILS(PINVIEW_ERROR_WRONG_TYPE, pinview_context_batch_insert(context, &insert, &result, ERROR));
    values[2] = pinview_value_text("two");
    values[3] = pinview_value_text("two");
    FAILS(PINVIEW_ERROR_WRONG_TYPE, pinview_context_batch_insert(context, &insert, &result, ERROR));
    values[3] = pinview_value_null();
    values[2].as.string.data = NULL;
    FAILS(PINVIEW_ERROR_INVALID_ARGUMENT, pinview_context_batch_insert(context, &insert, &result, ERROR));
    values[2].as.string.size = 0;
    EXPECT_NUMBER(count_named(context, "Person", "good"), 0);
    OK(pinview_context_batch_insert(context, &insert, NULL, ERROR));
    EXPECT_NUMBER(count_named(context, "Person", "good"), 1);
    pinview_context_release(context);
    stack_close(&stack);
}

static void rows_are_inserted_from_columns(void) {
    data_stack stack = stack_open("b.sqlite");
    pinview_context *context = context_on(&stack);
    pinview_result *result = NULL;
    const pinview_string names[] = {TEXT("name"), TEXT("age")};
    const pinview_value texts[] = {pinview_value_text("a"), pinview_value_text("b"), pinview_value_null()};
    const pinview_value ages[] = {pinview_value_integer(1), pinview_value_integer(2), pinview_value_integer(3)};
    const pinview_value *columns[] = {texts, ages};
    pinview_batch_insert insert = insert_of("Person", names, 2, PINVIEW_RESULT_COUNT);
    insert.columns = columns;
    insert.row_count = 3;
    insert.stores = &stack.store;
    insert.store_count = 1;
    OK(pinview_context_batch_insert(context, &insert, &result, ERROR)); /* BAT-13 */
    EXPECT_NUMBER(pinview_result_count(result), 3);
    pinview_result_release(result);
    pinview_object *second = one_named(context, "Person", "b");
    EXPECT_NUMBER(integer_of(second, "age"), 2);
    columns[1] = NULL;
    FAILS(PINVIEW_ERROR_INVALID_ARGUMENT, pinview_context_batch_insert(context, &insert, &result, ERROR));
    pinview_object_release(second);
    pinview_context_release(context);
    stack_close(&stack);
}

/* The IDs that a result holds, of which there are two at the most; each is owned by the caller. */
static size_t ids_of(pinview_result *result, pinview_object_id **ids) {
    const size_t count = (size_t)pinview_result_count(result);
    for (size_t index = 0; index < count && index < 2; index++) OK(pinview_result_object_id(result, index, &ids[index], ERROR));
    pinview_result_release(result);
    return count;
}

static void changes_are_merged_on_request(void) {
    data_stack stack = stack_open("b.sqlite");
    add_daves(&stack, 0, 2);
    pinview_context *context = context_on(&stack), *view = context_on(&stack);
    pinview_object *first = one_named(view, "Person", "dave0"), *second = one_named(view, "Person", "dave1");
    EXPECT_NUMBER(integer_of(first, "age") + integer_of(second, "age"), 41);
    pinview_result *result = NULL;
    pinview_object_id *updated[2] = {NULL, NULL}, *deleted[2] = {NULL, NULL};
    pinview_predicate *of_first = predicate("name == %@", "dave0"), *of_second = predicate("name == %@", "dave1");
    const pinview_named_expression expression = {TEXT("age"), TEXT("age + 1"), NULL, 0, NULL};
    pinview_batch_update update = update_of(NULL, 0);
    update.expressions = &expression;
    update.expression_count = 1;
    update.predicate = of_first;
    update.result_type = PINVIEW_RESULT_OBJECT_IDS;
    OK(pinview_context_batch_update(context, &update, &result, ERROR));
    EXPECT_NUMBER(ids_of(result, updated), 1);
    pinview_fetch_request request;
    OK(pinview_fetch_request_init(&request, sizeof request, TEXT("Person"), ERROR));
    request.predicate = of_second;
    OK(pinview_context_batch_delete(context, &request, NULL, 0, PINVIEW_RESULT_OBJECT_IDS, &result, ERROR));
    EXPECT_NUMBER(ids_of(result, deleted), 1);
    EXPECT_NUMBER(integer_of(first, "age"), 20); /* BAT-05 */
    OK(pinview_context_merge_object_ids(view, NULL, 0, updated, 1, deleted, 1, ERROR));
    EXPECT_NUMBER(integer_of(first, "age"), 21);
    EXPECT(state_of(second) & PINVIEW_OBJECT_DELETED);
    pinview_object_id_release(updated[0]);
    pinview_object_id_release(deleted[0]);
    pinview_predicate_release(of_first);
    pinview_predicate_release(of_second);
    pinview_object_release(first);
    pinview_object_release(second);
    pinview_context_release(view);
    pinview_context_release(context);
    stack_close(&stack);
}

static void rows_are_deleted(void) {
    data_stack stack = stack_open("b.sqlite");
    add_daves(&stack, 0, 4);
    pinview_context *context = context_on(&stack);
    pinview_result *result = NULL;
    pinview_fetch_request request;
    OK(pinview_fetch_request_init(&request, sizeof request, TEXT("Person"), ERROR));
    request.predicate = predicate("age < 22", NULL);
    OK(pinview_context_batch_delete(context, &request, NULL, 0, PINVIEW_RESULT_COUNT, &result, ERROR)); /* BAT-12 */
    EXPECT_NUMBER(pinview_result_count(result), 2);
    pinview_result_release(result);
    pinview_object *dave = one_named(context, "Person", "dave3");
    pinview_object_id *dave_id = NULL;
    OK(pinview_object_get_id(dave, &dave_id, ERROR));
    const pinview_object_id *ids[] = {dave_id, dave_id};
    OK(pinview_context_batch_delete(context, NULL, ids, 2, PINVIEW_RESULT_COUNT, &result, ERROR));
    EXPECT_NUMBER(pinview_result_count(result), 1);
    pinview_result_release(result);
    EXPECT_NUMBER(count_named(context, "Person", "dave2"), 1);
    EXPECT_NUMBER(count_named(context, "Person", "dave3"), 0);
    pinview_predicate_release((pinview_predicate *)request.predicate);
    pinview_object_id_release(dave_id);
    pinview_object_release(dave);
    pinview_context_release(context);
    stack_close(&stack);
}

static void updates_compute(void) {
    data_stack stack = stack_open("b.sqlite");
    add_daves(&stack, 0, 2);
    pinview_context *context = context_on(&stack);
    const pinview_value two = pinview_value_integer(2);
    pinview_named_expression expression = {TEXT("age"), TEXT("age * %d"), &two, 1, NULL};
    pinview_batch_update update = update_of(NULL, 0);
    update.expressions = &expression;
    update.expression_count = 1;
    OK(pinview_context_batch_update(context, &update, NULL, ERROR)); /* BAT-02 */
    pinview_object *dave = one_named(context, "Person", "dave1");
    EXPECT_NUMBER(integer_of(dave, "age"), 42);
    expression.format = TEXT("age +");
    FAILS(PINVIEW_ERROR_BAD_PREDICATE, pinview_context_batch_update(context, &update, NULL, ERROR));
    pinview_object_release(dave);
    pinview_context_release(context);
    stack_close(&stack);
}

static void history_is_kept(void) {
    data_stack stack = stack_open_with("b.sqlite", PINVIEW_STORE_OPTION_HISTORY_TRACKING, pinview_value_boolean(1));
    pinview_context *context = context_on(&stack), *view = context_on(&stack);
    pinview_history_token *start = NULL, *end = NULL, *copy = NULL;
    pinview_history *history = NULL;
    OK(pinview_coordinator_history_token(stack.coordinator, &start, ERROR));
    OK(pinview_context_set_transaction_author(context, TEXT("editor"), ERROR)); /* HIS-01 */
    pinview_object *dave = insert_object(context, "Person", "dave");
    save(context);
    set_integer(dave, "age", 7);
    save(context);
    pinview_history_request request;
    memset(&request, 0, sizeof request);
    request.struct_size = sizeof request;
    request.token = start;
    OK(pinview_context_fetch_history(view, &request, &history, ERROR)); /* HIS-02 to HIS-04 */
    EXPECT_NUMBER(pinview_history_count(history), 2);
    pinview_history_transaction transaction;
    OK(pinview_history_transaction_at(history, 1, &transaction, ERROR));
    EXPECT_NUMBER(transaction.number, 2);
    EXPECT_NUMBER(transaction.change_count, 1);
    EXPECT(transaction.author.size == 6 && memcmp(transaction.author.data, "editor", 6) == 0);
    pinview_history_change change;
    OK(pinview_history_change_at(history, 1, 0, &change, ERROR));
    EXPECT_NUMBER(change.type, PINVIEW_HISTORY_UPDATE);
    EXPECT_NUMBER(change.property_count, 1);
    pinview_string name;
    OK(pinview_history_change_property(history, 1, 0, 0, &name, ERROR));
    EXPECT(name.size == 3 && memcmp(name.data, "age", 3) == 0);
    FAILS(PINVIEW_ERROR_INVALID_ARGUMENT, pinview_history_transaction_at(history, 2, &transaction, ERROR));
    FAILS(PINVIEW_ERROR_INVALID_ARGUMENT, pinview_history_change_at(history, 0, 1, &change, ERROR));
    OK(pinview_context_merge_history(view, history, 0, 2, ERROR)); /* HIS-06 */
    const pinview_string editor = TEXT("editor");
    pinview_history *others = NULL;
    request.excluded_authors = &editor;
    request.excluded_author_count = 1;
    OK(pinview_context_fetch_history(view, &request, &others, ERROR)); /* HIS-05 */
    EXPECT_NUMBER(pinview_history_count(others), 0);
    pinview_history_release(others);

    OK(pinview_history_token_after(history, 1, &end, ERROR));
    request.excluded_author_count = 0;
    request.before = end;
    OK(pinview_context_fetch_history(view, &request, &others, ERROR)); /* HIS-04 */
    EXPECT_NUMBER(pinview_history_count(others), 1);
    pinview_history_release(others);
    request.before = NULL;
    request.before_date = 0;
    request.flags = PINVIEW_HISTORY_BEFORE_DATE;
    OK(pinview_context_fetch_history(view, &request, &others, ERROR));
    EXPECT_NUMBER(pinview_history_count(others), 0);
    pinview_history_release(others);
    request.flags = 0;
    pinview_binary bytes;
    OK(pinview_history_token_data(end, &bytes, ERROR));
    OK(pinview_history_token_create_from_data(bytes, &copy, ERROR));
    EXPECT(pinview_history_token_is_equal(end, copy));
    { /* one bit more or less is an error, not another place (issue 15, point 12) */
        uint8_t damaged[512];
        EXPECT(bytes.size < sizeof damaged);
        for (size_t bit = 0; bit < bytes.size * 8; bit++) {
            memcpy(damaged, bytes.data, bytes.size);
            damaged[bit / 8] ^= (uint8_t)(1u << bit % 8);
            pinview_history_token *none = NULL;
            const pinview_binary binary = {.data = damaged, .size = bytes.size};
            FAILS(PINVIEW_ERROR_INVALID_ARGUMENT, pinview_history_token_create_from_data(binary, &none, ERROR));
        }
    }
    OK(pinview_coordinator_set_history_consumer(stack.coordinator, TEXT("index"), start, ERROR)); /* HIS-07 */
    int64_t deleted = -1;
    request.token = end;
    OK(pinview_context_delete_history(view, &request, &deleted, ERROR));
    EXPECT_NUMBER(deleted, 0);
    OK(pinview_coordinator_remove_history_consumer(stack.coordinator, TEXT("index"), ERROR));
    OK(pinview_context_delete_history(view, &request, &deleted, ERROR));
    EXPECT_NUMBER(deleted, 1);
    request.token = start;
    FAILS(PINVIEW_ERROR_HISTORY_TOKEN_EXPIRED, pinview_context_fetch_history(view, &request, &others, ERROR));
    pinview_history_token_release(start);
    pinview_history_token_release(end);
    pinview_history_token_release(copy);
    pinview_history_release(history);
    pinview_object_release(dave);
    pinview_context_release(view);
    pinview_context_release(context);
    stack_close(&stack);
}

/* Persons, of which no two have the same name. */
static const char unique_json[] =
    "{\"entities\": [{\"name\": \"Person\", \"uniquenessConstraints\": [[\"name\"], [\"code\"]], \"attributes\": ["
    "{\"name\": \"name\", \"type\": \"string\"}, {\"name\": \"age\", \"type\": \"integer64\", \"default\": 0},"
    "{\"name\": \"code\", \"type\": \"integer64\"}]}]}";

static void expect_counts(pinview_result *result, uint64_t inserted, uint64_t updated, uint64_t left) {
    uint64_t counts[3] = {9, 9, 9};
    OK(pinview_result_row_counts(result, &counts[0], &counts[1], &counts[2], ERROR));
    EXPECT_NUMBER(counts[0], inserted);
    EXPECT_NUMBER(counts[1], updated);
    EXPECT_NUMBER(counts[2], left);
    OK(pinview_result_row_counts(result, NULL, NULL, NULL, ERROR));
}

static void rows_that_are_there_are_updated(void) {
    data_stack stack = stack_of_model("u.sqlite", unique_json);
    pinview_context *context = context_on(&stack);
    pinview_result *result = NULL;
    const pinview_string names[] = {TEXT("name"), TEXT("age")};
    const pinview_value values[] = {pinview_value_text("a"), pinview_value_integer(1), pinview_value_text("b"), pinview_value_integer(2),
                                    pinview_value_text("a"), pinview_value_integer(3), pinview_value_text("b"), pinview_value_integer(2)};
    pinview_batch_insert insert = insert_of("Person", names, 2, PINVIEW_RESULT_OBJECT_IDS);
    insert.values = values;
    insert.row_count = 4;
    pinview_error *error = NULL;
    EXPECT_NUMBER(pinview_context_batch_insert(context, &insert, &result, &error), PINVIEW_ERROR_CONSTRAINT_MERGE); /* UNQ-09 */
    EXPECT(strstr(pinview_error_message(error).data, "Row 3") != NULL);
    pinview_error_release(error);
    EXPECT_NUMBER(count_named(context, "Person", NULL), 0);
    insert.merge_policy = PINVIEW_MERGE_POLICY_BY_PROPERTY_OBJECT_TRUMP;
    OK(pinview_context_batch_insert(context, &insert, &result, ERROR));
    EXPECT_NUMBER(pinview_result_count(result), 4);
    expect_counts(result, 2, 1, 1);
    pinview_object_id *ids[4] = {NULL, NULL, NULL, NULL};
    for (uint64_t place = 0; place < 4; place++) OK(pinview_result_object_id(result, place, &ids[place], ERROR));
    EXPECT(pinview_object_id_is_equal(ids[0], ids[2]) && pinview_object_id_is_equal(ids[1], ids[3]));
    for (size_t place = 0; place < 4; place++) pinview_object_id_release(ids[place]);
    pinview_result_release(result);
    pinview_object *first = one_named(context, "Person", "a");
    EXPECT_NUMBER(integer_of(first, "age"), 3);
    insert.merge_policy = PINVIEW_MERGE_POLICY_ROLLBACK;
    insert.result_type = PINVIEW_RESULT_COUNT;
    OK(pinview_context_batch_insert(context, &insert, &result, ERROR));
    EXPECT_NUMBER(pinview_result_count(result), 0);
    expect_counts(result, 0, 0, 4);
    pinview_result_release(result);
    insert.merge_policy = PINVIEW_MERGE_POLICY_CALLBACK;
    FAILS(PINVIEW_ERROR_INVALID_ARGUMENT, pinview_context_batch_insert(context, &insert, &result, ERROR));
    insert.merge_policy = 0;
    insert.reserved = 1;
    FAILS(PINVIEW_ERROR_INVALID_ARGUMENT, pinview_context_batch_insert(context, &insert, &result, ERROR));
    result = fetch_named(context, "Person", NULL);
    FAILS(PINVIEW_ERROR_WRONG_TYPE, pinview_result_row_counts(result, NULL, NULL, NULL, ERROR));
    pinview_result_release(result);
    pinview_object_release(first);
    pinview_context_release(context);
    stack_close(&stack);
}

static void objects_are_upserted(void) {
    data_stack stack = stack_of_model("u.sqlite", unique_json);
    pinview_context *context = context_on(&stack);
    pinview_object *known = insert_object(context, "Person", "a");
    save(context);
    const pinview_string names[] = {TEXT("age"), TEXT("name")}, constraint = TEXT("name");
    const pinview_value ages[] = {pinview_value_integer(1), pinview_value_integer(2), pinview_value_integer(2), pinview_value_integer(3)};
    const pinview_value texts[] = {pinview_value_text("a"), pinview_value_text("b"), pinview_value_text("b"), pinview_value_null()};
    const pinview_value *columns[] = {ages, texts};
    pinview_upsert upsert;
    memset(&upsert, 0, sizeof upsert);
    upsert.struct_size = sizeof upsert;
    upsert.entity = TEXT("Person");
    upsert.constraint = &constraint;
    upsert.constraint_count = 1;
    upsert.names = names;
    upsert.name_count = 2;
    upsert.columns = columns;
    upsert.row_count = 4;
    pinview_result *result = NULL;
    OK(pinview_context_upsert(context, &upsert, &result, ERROR)); /* UNQ-11 */
    EXPECT_NUMBER(pinview_result_count(result), 4);
    expect_counts(result, 2, 1, 1);
    int32_t outcomes[4] = {9, 9, 9, 9};
    OK(pinview_result_upsert_outcomes(result, 0, 4, outcomes, ERROR));
    EXPECT_NUMBER(outcomes[0], PINVIEW_UPSERT_UPDATED);
    EXPECT_NUMBER(outcomes[1], PINVIEW_UPSERT_CREATED);
    EXPECT_NUMBER(outcomes[2], PINVIEW_UPSERT_UNCHANGED);
    EXPECT_NUMBER(outcomes[3], PINVIEW_UPSERT_CREATED);
    FAILS(PINVIEW_ERROR_INVALID_ARGUMENT, pinview_result_upsert_outcomes(result, 2, 3, outcomes, ERROR));
    pinview_object *first = NULL;
    OK(pinview_result_object(result, 0, &first, ERROR));
    EXPECT(pinview_object_is_equal(first, known));
    EXPECT_NUMBER(integer_of(first, "age"), 1);
    pinview_object_release(first);
    pinview_result_release(result);
    save(context);
    EXPECT_NUMBER(count_named(context, "Person", NULL), 3);

    upsert.columns = NULL;
    upsert.values = texts; /* two names, one row: not the types that they want */
    upsert.row_count = 1;
    FAILS(PINVIEW_ERROR_WRONG_TYPE, pinview_context_upsert(context, &upsert, &result, ERROR));
    const pinview_value row[] = {pinview_value_integer(8), pinview_value_text("a")};
    upsert.values = row;
    upsert.flags = PINVIEW_UPSERT_LEAVES_EXISTING;
    OK(pinview_context_upsert(context, &upsert, NULL, ERROR));
    EXPECT_NUMBER(integer_of(known, "age"), 1);
    upsert.flags = 0;
    upsert.update_names = names;
    upsert.update_name_count = 1;
    OK(pinview_context_upsert(context, &upsert, NULL, ERROR));
    EXPECT_NUMBER(integer_of(known, "age"), 8);
    upsert.flags = PINVIEW_UPSERT_LEAVES_EXISTING;
    FAILS(PINVIEW_ERROR_INVALID_ARGUMENT, pinview_context_upsert(context, &upsert, NULL, ERROR));
    upsert.flags = 2;
    FAILS(PINVIEW_ERROR_INVALID_ARGUMENT, pinview_context_upsert(context, &upsert, NULL, ERROR));
    upsert.flags = 0;
    upsert.name_count = 1;
    FAILS(PINVIEW_ERROR_INVALID_ARGUMENT, pinview_context_upsert(context, &upsert, NULL, ERROR));
    upsert.name_count = 2;
    const pinview_string other = TEXT("age");
    upsert.constraint = &other;
    FAILS(PINVIEW_ERROR_INVALID_ARGUMENT, pinview_context_upsert(context, &upsert, NULL, ERROR));
    upsert.constraint = &constraint;
    upsert.row_count = (size_t)-1;
    FAILS(PINVIEW_ERROR_INVALID_ARGUMENT, pinview_context_upsert(context, &upsert, NULL, ERROR));
    pinview_object_release(known);
    pinview_context_release(context);
    stack_close(&stack);
}

static const test_case tests[] = {
    {"BAT-02 to BAT-05, BAT-07, BAT-09: rows change without objects", rows_change_without_objects},
    {"BAT-13: rows are inserted from values and from a callback", rows_are_inserted},
    {"BAT-13: a store that is removed in the middle of an insert is left as it was", a_store_that_is_removed_in_the_middle_is_left_as_it_was},
    {"BAT-13: rows are inserted from columns into a store of the caller's choice", rows_are_inserted_from_columns},
    {"BAT-13: a value that does not fit is found before anything is inserted", values_of_inserted_rows_are_checked},
    {"UNQ-09: rows whose unique values are there already are updated, left or refused", rows_that_are_there_are_updated},
    {"UNQ-11: objects are upserted on a named constraint", objects_are_upserted},
    {"BAT: what batches changed is merged into contexts on request", changes_are_merged_on_request},
    {"BAT-12: rows are deleted by a request and by IDs", rows_are_deleted},
    {"BAT-02: updates compute from the row", updates_compute},
    {"HIS-01 to HIS-07: history is kept, read, merged and deleted", history_is_kept},
    {"BAT-10, BAT-11, ERR-05: wrong updates are refused", wrong_updates_are_refused},
};
const test_topic batch_topic = TOPIC("batch requests", tests);
