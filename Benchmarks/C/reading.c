// W1 to W4, W8, W9 and W11.
#include <stdio.h>
#include <stdlib.h>

#include "benchmark.h"

static double rows(int64_t limit) { return limit == 0 ? FLIGHT_ROWS : (double)limit; }

static void read_all_in(const struct cell *cell, const struct stack *stack, pinview_context *context) {
    const int64_t limit = parameter(cell, "limit");
    const struct six six = make_six(stack);
    const pinview_fetch_request request = request_for("Flight", limit);
    static const char *const names[] = {"first", "again", "second"};
    pinview_result *kept[3];
    pinview_context *second = NULL;
    for (int index = 0; index < 3; index++) {
        if (index == 2) second = new_context(stack, context);
        const int64_t start = processor_time();
        kept[index] = fetch(second ? second : context, &request);
        const int64_t sum = read_six(&six, kept[index]);
        measure(names[index], (double)(processor_time() - start) / rows(limit));
        checksum("rows", sum);
    }
    for (int index = 0; index < 3; index++) check(pinview_result_release(kept[index]));
    check(pinview_context_release(second));
    check(pinview_buffer_release(six.buffer));
}

void read_all(const struct cell *cell) { in_context(cell, "flights.sqlite", false, read_all_in); }

bool next_batch(struct ArrowArrayStream *stream, struct ArrowArray *batch) {
    if (stream->get_next(stream, batch) != 0) {
        fprintf(stderr, "benchmark-c: %s\n", stream->get_last_error(stream));
        exit(EXIT_FAILURE);
    }
    return batch->release != NULL;
}

int64_t sum_of_column(const struct ArrowArray *column, bool is_text) {
    const uint8_t *const validity = column->buffers[0];
    int64_t sum = 0;
    if (is_text) {
        const int32_t *const offsets = column->buffers[1];
        return offsets[column->offset + column->length] - offsets[column->offset];
    }
    const int16_t *const numbers = column->buffers[1];
    for (int64_t row = column->offset; row < column->offset + column->length; row++) {
        if (validity == NULL || (validity[row >> 3] >> (row & 7) & 1) != 0) sum += numbers[row];
    }
    return sum;
}

static void read_columns_in(const struct cell *cell, const struct stack *stack, pinview_context *context) {
    (void)stack;
    enum { BATCHES = 64 };
    static const char *const names[] = {"month", "departureDelay", "arrivalDelay", "distance", "carrier", "tailNumber"};
    pinview_named_expression properties[6] = {0};
    for (int index = 0; index < 6; index++) properties[index].name = pinview_text(names[index]);
    const int64_t limit = parameter(cell, "limit");
    pinview_fetch_request request = request_for("Flight", limit);
    request.properties = properties;
    request.property_count = 6;
    struct ArrowArrayStream stream;
    struct ArrowArray kept[BATCHES];
    int count = 0;
    int64_t sum = 0;
    const int64_t start = processor_time();
    check(pinview_context_fetch_columns(context, &request, 0, &stream, &error));
    for (; count < BATCHES && next_batch(&stream, &kept[count]); count++) {
        for (int column = 0; column < 6; column++) sum += sum_of_column(kept[count].children[column], column >= 4);
    }
    measure("columns", (double)(processor_time() - start) / rows(limit));
    checksum("rows", sum);
    for (int index = 0; index < count; index++) kept[index].release(&kept[index]);
    stream.release(&stream);
}

void read_columns(const struct cell *cell) { in_context(cell, "flights.sqlite", false, read_columns_in); }

static void read_sorted_in(const struct cell *cell, const struct stack *stack, pinview_context *context) {
    (void)cell;
    static const char *const names[] = {
        "year", "month", "day", "departureTime", "scheduledDepartureTime", "departureDelay", "arrivalTime",
        "scheduledArrivalTime", "arrivalDelay", "number", "airTime", "distance", "hour", "minute", "scheduledHour",
        "carrier", "tailNumber", "origin", "destination"};
    enum { COUNT = sizeof names / sizeof *names };
    int32_t indexes[COUNT];
    for (int index = 0; index < COUNT; index++) indexes[index] = property(stack, "Flight", names[index]);
    const pinview_sort_descriptor sort[] = {
        {.key_path = pinview_text("arrivalDelay"), .is_descending = 1},
        {.key_path = pinview_text("scheduledHour")},
        {.key_path = pinview_text("number")}};
    pinview_buffer *buffer;
    check(pinview_buffer_create(&buffer, &error));
    pinview_predicate *const to_washington = predicate("destination == 'DCA'");
    pinview_fetch_request request = request_for("Flight", 0);
    request.predicate = to_washington;
    request.sort_descriptors = sort;
    request.sort_descriptor_count = 3;
    const int64_t start = processor_time();
    pinview_result *const result = fetch(context, &request);
    const int64_t sum = read_values(result, indexes, COUNT, buffer);
    measure("sorted", (double)(processor_time() - start) / (double)pinview_result_count(result));
    checksum("values", sum);
    int64_t order = 0;
    for (uint64_t index = 0; index < pinview_result_count(result); index++) {
        pinview_value value;
        check(pinview_result_values(result, index, 1, &indexes[9], 1, buffer, &value, &error));
        order += (int64_t)(index + 1) * value.as.integer;
    }
    checksum("order", order);
    check(pinview_result_release(result));
    check(pinview_predicate_release(to_washington));
    check(pinview_buffer_release(buffer));
}

void read_sorted(const struct cell *cell) { in_context(cell, "flights.sqlite", false, read_sorted_in); }

static void read_by_key_in(const struct cell *cell, const struct stack *stack, pinview_context *context) {
    const int64_t lookups = parameter(cell, "lookups");
    const struct six six = make_six(stack);
    const int32_t distance = property(stack, "Flight", "distance");
    pinview_object_id **const ids = malloc((size_t)lookups * sizeof *ids);
    pinview_object **const kept = malloc((size_t)lookups * sizeof *kept);
    for (int64_t index = 0; index < lookups; index++) ids[index] = object_id(stack, "Flight", raw_random_key(index, FLIGHT_ROWS));
    int64_t sum = 0, start = processor_time();
    for (int64_t index = 0; index < lookups; index++) {
        check(pinview_context_object(context, ids[index], &kept[index], &error));
        sum += read_six_of(&six, kept[index]);
    }
    measure("cold", (double)(processor_time() - start) / (double)lookups);
    checksum("cold", sum);
    sum = 0;
    start = processor_time();
    for (int64_t index = 0; index < lookups; index++) {
        pinview_value value;
        check(pinview_context_values(context, ids[index], &distance, 1, NULL, &value, &error));
        sum += value.as.integer;
    }
    measure("warm", (double)(processor_time() - start) / (double)lookups);
    checksum("warm", sum);
    sum = 0;
    start = processor_time();
    for (int64_t index = 0; index < lookups; index++) {
        pinview_object *flight;
        pinview_value value;
        check(pinview_context_object(context, ids[index], &flight, &error));
        check(pinview_object_values(flight, &distance, 1, six.buffer, &value, &error));
        sum += value.as.integer;
        check(pinview_object_release(flight));
    }
    measure("objects", (double)(processor_time() - start) / (double)lookups);
    checksum("warm", sum);
    pinview_objects_release(kept, (size_t)lookups);
    for (int64_t index = 0; index < lookups; index++) check(pinview_object_id_release(ids[index]));
    free(kept);
    free(ids);
    check(pinview_buffer_release(six.buffer));
}

static void read_together_in(const struct cell *cell, const struct stack *stack, pinview_context *context) {
    const int64_t lookups = parameter(cell, "lookups");
    const struct six six = make_six(stack);
    pinview_object_id **const ids = malloc((size_t)lookups * sizeof *ids);
    for (int64_t index = 0; index < lookups; index++) ids[index] = object_id(stack, "Flight", raw_random_key(index, FLIGHT_ROWS));
    pinview_result *found;
    const int64_t start = processor_time();
    check(pinview_context_existing_objects(context, (const pinview_object_id *const *)ids, (size_t)lookups, &found, &error));
    const int64_t sum = read_six(&six, found);
    measure("batch", (double)(processor_time() - start) / (double)lookups);
    checksum("cold", sum);
    check(pinview_result_release(found));
    for (int64_t index = 0; index < lookups; index++) check(pinview_object_id_release(ids[index]));
    free(ids);
    check(pinview_buffer_release(six.buffer));
}

void read_by_key(const struct cell *cell) {
    in_context(cell, "flights.sqlite", false, read_by_key_in);
    // With a coordinator of its own, which has no rows in memory.
    in_context(cell, "flights.sqlite", false, read_together_in);
}

static int64_t read_seats(pinview_result *result, int32_t plane, int32_t seats, pinview_buffer *buffer) {
    enum { BLOCK = 256 };
    pinview_object *flights[BLOCK], *planes[BLOCK];
    pinview_value values[BLOCK];
    const uint64_t rows = pinview_result_count(result);
    int64_t sum = 0;
    for (uint64_t first = 0; first < rows; first += BLOCK) {
        const size_t some = rows - first < BLOCK ? (size_t)(rows - first) : BLOCK;
        check(pinview_result_objects(result, first, some, flights, &error));
        check(pinview_objects_related_object_at(flights, some, plane, planes, &error));
        check(pinview_objects_values(planes, some, &seats, 1, buffer, values, &error));
        for (size_t index = 0; index < some; index++) sum += number(&values[index]);
        pinview_objects_release(planes, some);
        pinview_objects_release(flights, some);
    }
    return sum;
}

static void follow_in(const struct cell *cell, const struct stack *stack, pinview_context *context) {
    const int64_t count = parameter(cell, "flights");
    const struct six six = make_six(stack);
    const int32_t plane = property(stack, "Flight", "plane"), seats = property(stack, "Plane", "seats");
    const pinview_fetch_request request = request_for("Flight", count);
    int64_t start = processor_time();
    pinview_result *const result = fetch(context, &request);
    int64_t sum = read_six(&six, result);
    measure("fetch", (double)(processor_time() - start) / (double)count);
    checksum("fetch", sum);
    start = processor_time();
    sum = read_seats(result, plane, seats, six.buffer);
    measure("lazy", (double)(processor_time() - start) / (double)count);
    checksum("lazy", sum);
    check(pinview_result_release(result));
    check(pinview_buffer_release(six.buffer));
}

void follow(const struct cell *cell) { in_context(cell, "flights.sqlite", false, follow_in); }

static void prefetch_in(const struct cell *cell, const struct stack *stack, pinview_context *context) {
    const int64_t count = parameter(cell, "flights");
    const struct six six = make_six(stack);
    const int32_t plane = property(stack, "Flight", "plane"), seats = property(stack, "Plane", "seats");
    const pinview_string planes = pinview_text("plane");
    pinview_fetch_request request = request_for("Flight", count);
    request.prefetched_key_paths = &planes;
    request.prefetched_key_path_count = 1;
    const int64_t start = processor_time();
    pinview_result *const result = fetch(context, &request);
    const int64_t sum = read_six(&six, result) + read_seats(result, plane, seats, six.buffer);
    measure("eager", (double)(processor_time() - start) / (double)count);
    checksum("eager", sum);
    check(pinview_result_release(result));
    check(pinview_buffer_release(six.buffer));
}

void prefetch(const struct cell *cell) { in_context(cell, "flights.sqlite", false, prefetch_in); }

static void weigh_in(const struct cell *cell, const struct stack *stack, pinview_context *context) {
    const int64_t limit = parameter(cell, "limit");
    const struct six six = make_six(stack);
    pinview_fetch_request request = request_for("Flight", limit);
    // Fills the page cache, which is not an object's.
    pinview_predicate *const none = predicate("minute == 99");
    request.predicate = none;
    check(pinview_result_release(fetch(context, &request)));
    check(pinview_predicate_release(none));
    request.predicate = NULL;
    // Rows without gaps between their keys are counted in an index.
    int64_t rows_of_table;
    const pinview_fetch_request all = request_for("Flight", 0);
    check(pinview_context_count(context, &all, &rows_of_table, &error));
    request.flags |= PINVIEW_FETCH_RETURNS_FAULTS | PINVIEW_FETCH_OMITS_VALUES;
    pinview_context *const other = new_context(stack, context);
    int64_t heap = raw_heap_bytes();
    pinview_result *faults = fetch(other, &request);
    measure("fault", (double)(raw_heap_bytes() - heap) / rows(limit));
    check(pinview_result_release(faults));
    check(pinview_context_release(other));
    request = request_for("Flight", limit);
    heap = raw_heap_bytes();
    int64_t calls = raw_allocations();
    pinview_result *const first = fetch(context, &request);
    checksum("rows", read_six(&six, first));
    measure("object", (double)(raw_heap_bytes() - heap) / rows(limit));
    measure("allocations", (double)(raw_allocations() - calls) / rows(limit));
    calls = raw_allocations();
    pinview_result *const again = fetch(context, &request);
    read_six(&six, again);
    measure("allocationsAgain", (double)(raw_allocations() - calls) / rows(limit));
    check(pinview_result_release(again));
    check(pinview_result_release(first));
    check(pinview_buffer_release(six.buffer));
}

void weigh(const struct cell *cell) { in_context(cell, "flights.sqlite", false, weigh_in); }
