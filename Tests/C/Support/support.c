#include "support.h"

#include <sqlite3.h>
#include <stdio.h>
#include <string.h>

const char people_json[] =
    "{\"entities\":["
    "{\"name\":\"Person\",\"attributes\":[{\"name\":\"name\",\"type\":\"string\"},{\"name\":\"age\",\"type\":\"integer64\",\"default\":0}],"
    "\"relationships\":[{\"name\":\"cars\",\"destination\":\"Car\",\"inverse\":\"owner\",\"toMany\":true,\"deleteRule\":\"nullify\"}]},"
    "{\"name\":\"Car\",\"attributes\":[{\"name\":\"name\",\"type\":\"string\"}],"
    "\"relationships\":[{\"name\":\"owner\",\"destination\":\"Person\",\"inverse\":\"cars\",\"deleteRule\":\"nullify\"}]}]}";

pinview_model *people_model(void) {
    pinview_model *model = NULL;
    OK(pinview_model_create_from_json(TEXT(people_json), &model, ERROR));
    return model;
}

static data_stack stack_with_model(pinview_model *model, const char *file_name, const char *option, pinview_value value) {
    data_stack result = {model, NULL, NULL, test_path(file_name)};
    pinview_named_value options[1];
    options[0].name = pinview_text(option);
    options[0].value = value;
    OK(pinview_coordinator_create(result.model, &result.coordinator, ERROR));
    OK(pinview_coordinator_add_store(result.coordinator, TEXT(PINVIEW_STORE_TYPE_SQLITE), pinview_absent(), pinview_text(result.path),
                                     option == NULL ? NULL : options, option == NULL ? 0 : 1, &result.store, ERROR));
    return result;
}

data_stack stack_open_with(const char *file_name, const char *option, pinview_value value) {
    return stack_with_model(people_model(), file_name, option, value);
}

data_stack stack_of_model(const char *file_name, const char *json) {
    pinview_model *model = NULL;
    OK(pinview_model_create_from_json(pinview_text(json), &model, ERROR));
    return stack_with_model(model, file_name, NULL, pinview_value_null());
}

data_stack stack_open(const char *file_name) { return stack_open_with(file_name, NULL, pinview_value_null()); }

data_stack stack_in_memory(void) {
    data_stack result = {people_model(), NULL, NULL, NULL};
    OK(pinview_coordinator_create(result.model, &result.coordinator, ERROR));
    OK(pinview_coordinator_add_store(result.coordinator, TEXT(PINVIEW_STORE_TYPE_IN_MEMORY), pinview_absent(), pinview_absent(), NULL, 0,
                                     &result.store, ERROR));
    return result;
}

void stack_close(data_stack *stack) {
    EXPECT_NUMBER(pinview_store_release(stack->store), PINVIEW_OK);
    EXPECT_NUMBER(pinview_coordinator_release(stack->coordinator), PINVIEW_OK);
    EXPECT_NUMBER(pinview_model_release(stack->model), PINVIEW_OK);
}

pinview_context *context_on(const data_stack *stack) {
    pinview_context *context = NULL;
    OK(pinview_context_create(PINVIEW_CONCURRENCY_PRIVATE_QUEUE, &context, ERROR));
    OK(pinview_context_set_coordinator(context, stack->coordinator, ERROR));
    return context;
}

pinview_context *child_of(pinview_context *parent) {
    pinview_context *context = NULL;
    OK(pinview_context_create(PINVIEW_CONCURRENCY_PRIVATE_QUEUE, &context, ERROR));
    OK(pinview_context_set_parent(context, parent, ERROR));
    return context;
}

pinview_object *insert_object(pinview_context *context, const char *entity, const char *name) {
    pinview_object *object = NULL;
    OK(pinview_context_insert_new_object(context, pinview_text(entity), &object, ERROR));
    if (name != NULL) set_text(object, "name", name);
    return object;
}

void add_daves(const data_stack *stack, int first, int count) {
    pinview_context *context = context_on(stack);
    for (int number = first; number < first + count; number++) {
        char name[32];
        snprintf(name, sizeof name, "dave%d", number);
        pinview_object *person = insert_object(context, "Person", name);
        set_integer(person, "age", 20 + number);
        snprintf(name, sizeof name, "car%d", number);
        pinview_object *car = insert_object(context, "Car", name);
        OK(pinview_object_add_related_object(person, TEXT("cars"), car, ERROR));
        pinview_object_release(car);
        pinview_object_release(person);
    }
    save(context);
    pinview_context_release(context);
}

void set_text(pinview_object *object, const char *key, const char *text) {
    pinview_value value = pinview_value_text(text);
    OK(pinview_object_set_value(object, pinview_text(key), &value, ERROR));
}

void set_integer(pinview_object *object, const char *key, int64_t number) {
    pinview_value value = pinview_value_integer(number);
    OK(pinview_object_set_value(object, pinview_text(key), &value, ERROR));
}

pinview_string text_of(pinview_object *object, const char *key) {
    pinview_value value;
    OK(pinview_object_value(object, pinview_text(key), &value, ERROR));
    if (value.type == PINVIEW_VALUE_NULL) return pinview_absent();
    REQUIRE(value.type == PINVIEW_VALUE_STRING);
    return value.as.string;
}

int64_t integer_of(pinview_object *object, const char *key) {
    pinview_value value;
    OK(pinview_object_value(object, pinview_text(key), &value, ERROR));
    REQUIRE(value.type == PINVIEW_VALUE_INTEGER);
    return value.as.integer;
}

uint64_t members_of(pinview_object *object, const char *key) {
    uint64_t count = 0;
    OK(pinview_object_related_object_count(object, pinview_text(key), &count, ERROR));
    return count;
}

uint32_t state_of(pinview_object *object) {
    uint32_t state = 0;
    OK(pinview_object_state(object, &state, ERROR));
    return state;
}

pinview_predicate *predicate(const char *format, const char *argument) {
    pinview_predicate *result = NULL;
    pinview_value value = pinview_value_text(argument);
    OK(pinview_predicate_create(pinview_text(format), &value, argument == NULL ? 0 : 1, &result, ERROR));
    return result;
}

pinview_result *fetch_named(pinview_context *context, const char *entity, const char *name) {
    pinview_fetch_request request;
    pinview_result *result = NULL;
    pinview_predicate *condition = name == NULL ? NULL : predicate("name == %@", name);
    OK(pinview_fetch_request_init(&request, sizeof request, pinview_text(entity), ERROR));
    request.predicate = condition;
    OK(pinview_context_fetch(context, &request, &result, ERROR));
    pinview_predicate_release(condition);
    return result;
}

pinview_object *one_named(pinview_context *context, const char *entity, const char *name) {
    pinview_result *result = fetch_named(context, entity, name);
    pinview_object *object = NULL;
    if (pinview_result_count(result) != 1) test_failed(__FILE__, __LINE__, "%s named %s: %d, not 1", entity, name, (int)pinview_result_count(result));
    REQUIRE(pinview_result_count(result) == 1);
    OK(pinview_result_object(result, 0, &object, ERROR));
    pinview_result_release(result);
    return object;
}

int64_t count_named(pinview_context *context, const char *entity, const char *name) {
    pinview_fetch_request request;
    int64_t count = 0;
    pinview_predicate *condition = name == NULL ? NULL : predicate("name == %@", name);
    OK(pinview_fetch_request_init(&request, sizeof request, pinview_text(entity), ERROR));
    request.predicate = condition;
    OK(pinview_context_count(context, &request, &count, ERROR));
    pinview_predicate_release(condition);
    return count;
}

int has_token(pinview_context *context) {
    pinview_token *token = NULL;
    OK(pinview_context_query_generation(context, &token, ERROR));
    pinview_token_release(token);
    return token != NULL;
}

void pin(pinview_context *context) { OK(pinview_context_set_query_generation(context, pinview_token_current(), ERROR)); }

void save(pinview_context *context) { OK(pinview_context_save(context, ERROR)); }

int has_changes(pinview_context *context) {
    int32_t changes = 0;
    OK(pinview_context_has_changes(context, &changes, ERROR));
    return changes;
}

int is_valid_error(const pinview_error *error, const char *domain, int64_t code) {
    pinview_string text = pinview_error_domain(error);
    return text.data != NULL && strcmp(text.data, domain) == 0 && pinview_error_code(error) == code;
}

static int64_t sql_number_within(int milliseconds, const char *path, const char *sql) {
    sqlite3 *database = NULL;
    sqlite3_stmt *statement = NULL;
    REQUIRE(sqlite3_open_v2(path, &database, SQLITE_OPEN_READWRITE, NULL) == SQLITE_OK);
    sqlite3_busy_timeout(database, milliseconds);
    REQUIRE(sqlite3_prepare_v2(database, sql, -1, &statement, NULL) == SQLITE_OK);
    REQUIRE(sqlite3_step(statement) == SQLITE_ROW);
    int64_t number = sqlite3_column_int64(statement, 0);
    sqlite3_finalize(statement);
    sqlite3_close(database);
    return number;
}

int64_t sql_number(const char *path, const char *sql) { return sql_number_within(60000, path, sql); }

int64_t sql_number_at_once(const char *path, const char *sql) { return sql_number_within(0, path, sql); }

pinview_attribute_description attribute(const char *name, int32_t type) {
    pinview_attribute_description description;
    memset(&description, 0, sizeof description);
    description.struct_size = sizeof description;
    description.flags = PINVIEW_PROPERTY_OPTIONAL;
    description.name = pinview_text(name);
    description.type = type;
    return description;
}
