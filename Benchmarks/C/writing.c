// W5 to W9, and W21.
#include <stdlib.h>

#include "benchmark.h"

static const char *const persons_sum =
    "SELECT count(*) + sum(ZAGE + length(ZFIRSTNAME) + length(ZLASTNAME) + length(ZEMAIL)) FROM ZPERSON";
static const char *const names[] = {"firstName", "lastName", "email", "age", "height"};

static void person_values(const raw_person *person, pinview_value values[5]) {
    values[0] = pinview_value_text(person->first_name);
    values[1] = pinview_value_text(person->last_name);
    values[2] = pinview_value_text(person->email);
    values[3] = pinview_value_integer(person->age);
    values[4] = pinview_value_double(person->height);
}

enum { BLOCK = 1000 };

// Block by block: the values of one are column by column.
static void insert_objects(const struct stack *stack, pinview_context *context, int64_t first, int64_t rows) {
    pinview_string keys[5];
    for (int index = 0; index < 5; index++) keys[index] = pinview_text(names[index]);
    const size_t blocks = ((size_t)rows + BLOCK - 1) / BLOCK;
    pinview_result **const kept = malloc(blocks * sizeof *kept);
    const int64_t start = processor_time();
    raw_person *const persons = malloc(BLOCK * sizeof *persons);
    pinview_value(*const columns)[BLOCK] = malloc(5 * sizeof *columns);
    const pinview_value *const pointers[5] = {columns[0], columns[1], columns[2], columns[3], columns[4]};
    for (size_t block = 0; block < blocks; block++) {
        const int64_t begin = (int64_t)block * BLOCK, count = rows - begin < BLOCK ? rows - begin : BLOCK;
        for (int64_t row = 0; row < count; row++) {
            pinview_value values[5];
            raw_person_make(&persons[row], first + begin + row);
            person_values(&persons[row], values);
            for (int index = 0; index < 5; index++) columns[index][row] = values[index];
        }
        check(pinview_context_insert_objects(context, pinview_text("Person"), keys, 5, pointers, (size_t)count, &kept[block], &error));
    }
    check(pinview_context_save(context, &error));
    free(columns);
    free(persons);
    measure("objects", (double)(processor_time() - start) / (double)rows);
    checksum("objects", sql_value(stack, persons_sum));
    for (size_t block = 0; block < blocks; block++) check(pinview_result_release(kept[block]));
    free(kept);
}

static void insert_batch(const struct stack *stack, pinview_context *context, int64_t first, int64_t rows) {
    const int64_t start = processor_time();
    raw_person *const persons = malloc((size_t)rows * sizeof *persons);
    pinview_value *const values = malloc(5 * (size_t)rows * sizeof *values);
    for (int64_t row = 0; row < rows; row++) {
        raw_person_make(&persons[row], first + row);
        person_values(&persons[row], &values[5 * row]);
    }
    pinview_string keys[5];
    for (int index = 0; index < 5; index++) keys[index] = pinview_text(names[index]);
    const pinview_batch_insert request = {
        .struct_size = sizeof request, .result_type = PINVIEW_RESULT_NONE, .entity = pinview_text("Person"), .names = keys,
        .name_count = 5, .values = values, .row_count = (size_t)rows};
    check(pinview_context_batch_insert(context, &request, NULL, &error));
    free(values);
    free(persons);
    measure("batch", (double)(processor_time() - start) / (double)rows);
    checksum("batch", sql_value(stack, persons_sum));
}

static void insert_in(const struct cell *cell, const struct stack *stack, pinview_context *context) {
    const int64_t persons = parameter(cell, "persons"), rows = parameter(cell, "rows");
    check(pinview_context_set_query_generation(context, NULL, &error));
    insert_objects(stack, context, persons + 1, rows);
    insert_batch(stack, context, persons + 1 + rows, rows);
}

void insert(const struct cell *cell) { in_context(cell, "people.sqlite", false, insert_in); }
void insert_with_history(const struct cell *cell) { in_context(cell, "people.sqlite", true, insert_in); }

// The values of persons, attribute by attribute.
struct person_columns {
    raw_person *persons;
    pinview_value *values[5];
};

// Persons who are so many years older than their formula says.
static struct person_columns make_columns(int64_t first, int64_t rows, int64_t years) {
    struct person_columns columns = {.persons = malloc((size_t)rows * sizeof *columns.persons)};
    for (int index = 0; index < 5; index++) columns.values[index] = malloc((size_t)rows * sizeof *columns.values[index]);
    for (int64_t row = 0; row < rows; row++) {
        pinview_value values[5];
        raw_person_make(&columns.persons[row], first + row);
        columns.persons[row].age = (first + row + years) % 90;
        person_values(&columns.persons[row], values);
        for (int index = 0; index < 5; index++) columns.values[index][row] = values[index];
    }
    return columns;
}

static void free_columns(struct person_columns *columns) {
    free(columns->persons);
    for (int index = 0; index < 5; index++) free(columns->values[index]);
}

static void upsert_batch(const struct stack *stack, pinview_context *context, int64_t first, int64_t rows) {
    pinview_string keys[5];
    for (int index = 0; index < 5; index++) keys[index] = pinview_text(names[index]);
    const int64_t start = processor_time();
    struct person_columns columns = make_columns(first, rows, 1);
    const pinview_batch_insert request = {
        .struct_size = sizeof request, .result_type = PINVIEW_RESULT_NONE, .entity = pinview_text("Person"), .names = keys,
        .name_count = 5, .columns = (const pinview_value *const *)columns.values, .row_count = (size_t)rows,
        .merge_policy = PINVIEW_MERGE_POLICY_BY_PROPERTY_OBJECT_TRUMP};
    check(pinview_context_batch_insert(context, &request, NULL, &error));
    free_columns(&columns);
    measure("batch", (double)(processor_time() - start) / (double)rows);
    checksum("batch", sql_value(stack, persons_sum));
}

static void upsert_objects(const struct stack *stack, pinview_context *context, int64_t first, int64_t rows) {
    pinview_string keys[5];
    for (int index = 0; index < 5; index++) keys[index] = pinview_text(names[index]);
    const pinview_string email = pinview_text("email");
    pinview_result *kept;
    const int64_t start = processor_time();
    struct person_columns columns = make_columns(first, rows, 2);
    const pinview_upsert request = {
        .struct_size = sizeof request, .entity = pinview_text("Person"), .constraint = &email, .constraint_count = 1, .names = keys,
        .name_count = 5, .columns = (const pinview_value *const *)columns.values, .row_count = (size_t)rows};
    check(pinview_context_upsert(context, &request, &kept, &error));
    free_columns(&columns);
    check(pinview_context_save(context, &error));
    measure("objects", (double)(processor_time() - start) / (double)rows);
    checksum("objects", sql_value(stack, persons_sum));
    check(pinview_result_release(kept));
}

static void upsert_in(const struct cell *cell, const struct stack *stack, pinview_context *context) {
    const int64_t persons = parameter(cell, "persons"), rows = parameter(cell, "rows");
    check(pinview_context_set_query_generation(context, NULL, &error));
    upsert_batch(stack, context, persons - rows / 2 + 1, rows);
    upsert_objects(stack, context, persons + 1, rows);
}

void upsert(const struct cell *cell) { in_context(cell, "people.sqlite", false, upsert_in); }

// The first objects of an entity, read, and each with a handle.
static pinview_object **some_objects(pinview_context *context, const char *entity, int64_t rows) {
    const pinview_fetch_request request = request_for(entity, rows);
    pinview_object **const objects = malloc((size_t)rows * sizeof *objects);
    pinview_result *const result = fetch(context, &request);
    check(pinview_result_objects(result, 0, (size_t)rows, objects, &error));
    check(pinview_result_release(result));
    check(pinview_context_set_query_generation(context, NULL, &error));
    return objects;
}

static void update_in(const struct cell *cell, const struct stack *stack, pinview_context *context) {
    const int64_t rows = parameter(cell, "rows");
    const int32_t age = property(stack, "Person", "age");
    pinview_object **const persons = some_objects(context, "Person", rows);
    const int64_t start = processor_time();
    for (int64_t row = 0; row < rows; row++) {
        pinview_value value;
        check(pinview_object_value_at(persons[row], age, &value, &error));
        value.as.integer++;
        check(pinview_object_set_value_at(persons[row], age, &value, &error));
    }
    check(pinview_context_save(context, &error));
    measure("update", (double)(processor_time() - start) / (double)rows);
    checksum("update", sql_value(stack, "SELECT sum(ZAGE) FROM ZPERSON"));
    checksum("versions", sql_value(stack, "SELECT sum(Z_OPT) FROM ZPERSON"));
    pinview_objects_release(persons, (size_t)rows);
    free(persons);
}

void update(const struct cell *cell) { in_context(cell, "people.sqlite", false, update_in); }

static void delete_in(const struct cell *cell, const struct stack *stack, pinview_context *context) {
    const int64_t rows = parameter(cell, "rows");
    pinview_object **const cars = some_objects(context, "Car", rows);
    const int64_t start = processor_time();
    for (int64_t row = 0; row < rows; row++) check(pinview_context_delete(context, cars[row], &error));
    check(pinview_context_save(context, &error));
    measure("delete", (double)(processor_time() - start) / (double)rows);
    checksum("delete", sql_value(stack, "SELECT count(*) + sum(Z_PK) FROM ZCAR"));
    pinview_objects_release(cars, (size_t)rows);
    free(cars);
}

void delete(const struct cell *cell) { in_context(cell, "people.sqlite", false, delete_in); }

static void count_in(const struct cell *cell, const struct stack *stack, pinview_context *context) {
    (void)stack;
    const int64_t repeats = parameter(cell, "repeats");
    check(pinview_context_set_query_generation(context, NULL, &error));
    static const char *const kinds[][2] = {{"scan", "arrivalDelay > 60"}, {"index", "destination == 'DCA'"}};
    for (int kind = 0; kind < 2; kind++) {
        pinview_predicate *const wanted = predicate(kinds[kind][1]);
        pinview_fetch_request request = request_for("Flight", 0);
        request.predicate = wanted;
        int64_t found = 0;
        const int64_t start = processor_time();
        for (int64_t repeat = 0; repeat < repeats; repeat++) check(pinview_context_count(context, &request, &found, &error));
        measure(kinds[kind][0], (double)(processor_time() - start) / (double)repeats);
        checksum(kinds[kind][0], found);
        check(pinview_predicate_release(wanted));
    }
}

void count(const struct cell *cell) { in_context(cell, "flights.sqlite", false, count_in); }

static void bulk_update_in(const struct cell *cell, const struct stack *stack, pinview_context *context) {
    (void)cell;
    check(pinview_context_set_query_generation(context, NULL, &error));
    pinview_predicate *const far = predicate("distance > 500");
    const pinview_named_expression more = {.name = pinview_text("airTime"), .format = pinview_text("airTime + 1")};
    const pinview_batch_update request = {
        .struct_size = sizeof request, .result_type = PINVIEW_RESULT_NONE, .entity = pinview_text("Flight"), .predicate = far,
        .expressions = &more, .expression_count = 1};
    const int64_t start = processor_time();
    check(pinview_context_batch_update(context, &request, NULL, &error));
    measure("update", (double)(processor_time() - start) / FLIGHT_ROWS);
    checksum("update", sql_value(stack, "SELECT sum(ZAIRTIME) FROM ZFLIGHT"));
    checksum("versions", sql_value(stack, "SELECT sum(Z_OPT) FROM ZFLIGHT"));
    check(pinview_predicate_release(far));
}

void bulk_update(const struct cell *cell) { in_context(cell, "flights.sqlite", false, bulk_update_in); }
