// The section "Short programs" of the header: sequences of calls that programs written by hand
// would repeat.
#include <stdio.h>

#include "pinview.h"
#include "report.h"

void pinview_print_last_error(const char *where, pinview_status status) {
    const pinview_error *error = pinview_error_last();
    const char *before = where == NULL ? "" : where, *colon = where == NULL ? "" : ": ";
    if (error != NULL && pinview_error_status(error) == status)
        fprintf(stderr, "%s%s%s\n", before, colon, pinview_error_description(error).data);
    else
        fprintf(stderr, "%s%sstatus %d\n", before, colon, (int)status);
}

static pinview_status context_on(pinview_coordinator *coordinator, pinview_context **out, pinview_error **error) {
    pinview_status status = pinview_context_create(PINVIEW_CONCURRENCY_PRIVATE_QUEUE, out, error);
    if (status != PINVIEW_OK) return status;
    status = pinview_context_set_coordinator(*out, coordinator, error);
    if (status != PINVIEW_OK) {
        pinview_context_release(*out);
        *out = NULL;
    }
    return status;
}

pinview_status pinview_open(
    const char *model_json, const char *path, const pinview_named_value *options, size_t option_count, pinview_context **out,
    pinview_error **error) {
    pinview_model *model = NULL;
    pinview_coordinator *coordinator = NULL;
    if (out == NULL) return report(PINVIEW_ERROR_INVALID_ARGUMENT, "'out' is NULL.", error);
    *out = NULL;
    const pinview_string type = pinview_text(path == NULL ? PINVIEW_STORE_TYPE_IN_MEMORY : PINVIEW_STORE_TYPE_SQLITE);
    pinview_status status = pinview_model_create_from_json(pinview_text(model_json), &model, error);
    if (status == PINVIEW_OK) status = pinview_coordinator_create(model, &coordinator, error);
    if (status == PINVIEW_OK)
        status = pinview_coordinator_add_store(
            coordinator, type, pinview_absent(), pinview_text(path), options, option_count, NULL, error);
    if (status == PINVIEW_OK) status = context_on(coordinator, out, error);
    pinview_coordinator_release(coordinator);
    pinview_model_release(model);
    return status;
}

pinview_status pinview_open_another(pinview_context *context, pinview_context **out, pinview_error **error) {
    pinview_coordinator *coordinator = NULL;
    if (out == NULL) return report(PINVIEW_ERROR_INVALID_ARGUMENT, "'out' is NULL.", error);
    *out = NULL;
    pinview_status status = pinview_context_coordinator(context, &coordinator, error);
    if (status != PINVIEW_OK) return status;
    if (coordinator == NULL)
        return report(PINVIEW_ERROR_NO_COORDINATOR, "The context has no coordinator that another one could be on.", error);
    status = context_on(coordinator, out, error);
    pinview_coordinator_release(coordinator);
    return status;
}

// Refuses an array that cannot be walked through.
static pinview_status check_array(const void *items, size_t count, const char *message, pinview_error **error) {
    if (count > INT32_MAX) return report(PINVIEW_ERROR_INVALID_ARGUMENT, "The count of 'values' must be between 0 and 2147483647.", error);
    if (items == NULL && count > 0) return report(PINVIEW_ERROR_INVALID_ARGUMENT, message, error);
    return PINVIEW_OK;
}

static const char values_are_missing[] = "'values' is NULL, but its count is not 0.";

pinview_status pinview_insert(
    pinview_context *context, const char *entity, const pinview_named_value *values, size_t count, pinview_object **out,
    pinview_error **error) {
    if (out != NULL) *out = NULL;
    pinview_status status = check_array(values, count, values_are_missing, error);
    if (status != PINVIEW_OK) return status;
    pinview_string *names = malloc((count + 1) * (sizeof *names + sizeof(pinview_value *)));
    if (names == NULL) return report(PINVIEW_ERROR_OUT_OF_MEMORY, "Out of memory for the names of the values.", error);
    const pinview_value **columns = (const pinview_value **)(names + count + 1);
    for (size_t index = 0; index < count; index++) {
        names[index] = values[index].name;
        columns[index] = &values[index].value;
    }
    pinview_result *objects = NULL;
    status = pinview_context_insert_objects(
        context, pinview_text(entity), names, count, columns, 1, out == NULL ? NULL : &objects, error);
    if (status == PINVIEW_OK && out != NULL) status = pinview_result_object(objects, 0, out, error);
    pinview_result_release(objects);
    free(names);
    return status;
}

pinview_status pinview_set(pinview_object *object, const pinview_named_value *values, size_t count, pinview_error **error) {
    pinview_object_states states; // of no interest, but the handle is checked even if there are no values
    pinview_status status = check_array(values, count, values_are_missing, error);
    if (status == PINVIEW_OK && count == 0) status = pinview_object_state(object, &states, error);
    for (size_t index = 0; status == PINVIEW_OK && index < count; index++)
        status = pinview_object_set_value(object, values[index].name, &values[index].value, error);
    return status;
}

// The criteria of a text such as "-age, name", to be freed; NULL if there is no memory.
static pinview_sort_descriptor *read_sort(const char *text, size_t *count) {
    *count = 1;
    for (const char *next = text; *next != 0; next++) *count += *next == ',';
    pinview_sort_descriptor *criteria = calloc(*count, sizeof *criteria);
    for (size_t index = 0; criteria != NULL && index < *count; index++) {
        text += strspn(text, " \t\n");
        criteria[index].is_descending = *text == '-';
        if (*text == '-') text += 1 + strspn(text + 1, " \t\n");
        size_t size = strcspn(text, ",");
        const char *next = text + size + (text[size] == ',');
        while (size > 0 && strchr(" \t\n", text[size - 1]) != NULL) size--;
        criteria[index].key_path.data = text;
        criteria[index].key_path.size = size;
        text = next;
    }
    return criteria;
}

static pinview_status fetch(
    pinview_context *context, const char *entity, const char *format, const pinview_value *arguments, size_t count, const char *sort,
    uint64_t limit, pinview_result **out, pinview_error **error) {
    pinview_fetch_request request;
    pinview_predicate *predicate = NULL;
    pinview_sort_descriptor *criteria = NULL;
    pinview_status status = pinview_fetch_request_init(&request, sizeof request, pinview_text(entity), error);
    if (status != PINVIEW_OK) return status;
    // Without a format there is nothing that could take arguments, which the parser says.
    if (format != NULL || count > 0) {
        status = pinview_predicate_create(pinview_text(format == NULL ? "TRUEPREDICATE" : format), arguments, count, &predicate, error);
        if (status != PINVIEW_OK) return status;
    }
    request.predicate = predicate;
    request.limit = limit;
    if (sort != NULL) {
        criteria = read_sort(sort, &request.sort_descriptor_count);
        request.sort_descriptors = criteria;
        request.sort_descriptor_size = sizeof *criteria;
        if (criteria == NULL) status = report(PINVIEW_ERROR_OUT_OF_MEMORY, "Out of memory for the criteria of 'sort'.", error);
    }
    if (status == PINVIEW_OK) status = pinview_context_fetch(context, &request, out, error);
    free(criteria);
    pinview_predicate_release(predicate);
    return status;
}

pinview_status pinview_fetch(
    pinview_context *context, const char *entity, const char *format, const pinview_value *arguments, size_t count, const char *sort,
    pinview_result **out, pinview_error **error) {
    if (out != NULL) *out = NULL;
    return fetch(context, entity, format, arguments, count, sort, 0, out, error);
}

pinview_status pinview_fetch_first(
    pinview_context *context, const char *entity, const char *format, const pinview_value *arguments, size_t count, const char *sort,
    pinview_object **out, pinview_error **error) {
    pinview_result *objects = NULL;
    if (out == NULL) return report(PINVIEW_ERROR_INVALID_ARGUMENT, "'out' is NULL.", error);
    *out = NULL;
    pinview_status status = fetch(context, entity, format, arguments, count, sort, 1, &objects, error);
    if (status == PINVIEW_OK && pinview_result_count(objects) > 0) status = pinview_result_object(objects, 0, out, error);
    pinview_result_release(objects);
    return status;
}

int32_t pinview_next(pinview_result *result, uint64_t *index, pinview_object **object, pinview_error **error) {
    if (error != NULL) *error = NULL;
    if (index == NULL || object == NULL) {
        (void)report(PINVIEW_ERROR_INVALID_ARGUMENT, index == NULL ? "'index' is NULL." : "'object' is NULL.", error);
        return 0;
    }
    pinview_object_release(*object);
    *object = NULL;
    const uint64_t count = pinview_result_count(result);
    // A result that is not valid has no elements; the call that follows says what is wrong with it.
    if (*index >= count && count > 0) return 0;
    if (count == 0 && pinview_result_get_type(result) == PINVIEW_RESULT_OBJECTS) return 0;
    if (pinview_result_object(result, *index, object, error) != PINVIEW_OK) return 0;
    ++*index;
    return 1;
}

enum {
    OF_TEXT = 1 << PINVIEW_VALUE_STRING | 1 << PINVIEW_VALUE_DECIMAL,
    OF_INTEGER = 1 << PINVIEW_VALUE_INTEGER | 1 << PINVIEW_VALUE_BOOLEAN,
    OF_DOUBLE = 1 << PINVIEW_VALUE_DOUBLE | 1 << PINVIEW_VALUE_DATE | 1 << PINVIEW_VALUE_INTEGER,
};

// Whether an object has a value of one of these types.
static int has_value(pinview_object *object, const char *key, int types, const char *wanted, pinview_value *value, pinview_error **error) {
    static const char *const names[] = {
        "null", "a Boolean", "an integer", "a floating-point number", "a text", "binary data", "a date", "a UUID", "a decimal number",
        "an object", "a relationship", "a list"};
    char message[256];
    if (pinview_object_value(object, pinview_text(key), value, error) != PINVIEW_OK || value->type == PINVIEW_VALUE_NULL) return 0;
    if ((types >> value->type & 1) != 0) return 1;
    snprintf(message, sizeof message, "'%.80s' is %s, not %s.", key, names[value->type], wanted);
    (void)report(PINVIEW_ERROR_WRONG_TYPE, message, error);
    return 0;
}

const char *pinview_get_text(pinview_object *object, const char *key, const char *fallback, pinview_error **error) {
    pinview_value value;
    return has_value(object, key, OF_TEXT, "a text or decimal number", &value, error) ? value.as.string.data : fallback;
}

int64_t pinview_get_integer(pinview_object *object, const char *key, int64_t fallback, pinview_error **error) {
    pinview_value value;
    if (!has_value(object, key, OF_INTEGER, "an integer or Boolean", &value, error)) return fallback;
    return value.type == PINVIEW_VALUE_BOOLEAN ? value.as.boolean : value.as.integer;
}

double pinview_get_double(pinview_object *object, const char *key, double fallback, pinview_error **error) {
    pinview_value value;
    if (!has_value(object, key, OF_DOUBLE, "a number or date", &value, error)) return fallback;
    return value.type == PINVIEW_VALUE_INTEGER ? (double)value.as.integer : value.as.real;
}

int32_t pinview_get_boolean(pinview_object *object, const char *key, int32_t fallback, pinview_error **error) {
    pinview_value value;
    if (!has_value(object, key, OF_INTEGER, "a Boolean or integer", &value, error)) return fallback;
    return value.type == PINVIEW_VALUE_BOOLEAN ? value.as.boolean : value.as.integer != 0;
}
