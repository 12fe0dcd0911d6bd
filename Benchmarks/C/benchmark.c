// The workloads of Workloads.md with Pinview from C: a peer of pinview-benchmarks, started as
//     benchmark-c cell WORKLOAD PEER FOLDER NAME=NUMBER…
#define _GNU_SOURCE
#include "benchmark.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

pinview_error *error;

static void fail(const char *message) {
    fflush(stdout);
    fprintf(stderr, "benchmark-c: %s\n", message);
    exit(EXIT_FAILURE);
}

void check(pinview_status status) {
    if (status != PINVIEW_OK) fail(pinview_error_message(error).data);
}

int64_t parameter(const struct cell *cell, const char *name) {
    const size_t length = strlen(name);
    for (char *const *text = cell->parameters; *text != NULL; text++) {
        if (strncmp(*text, name, length) == 0 && (*text)[length] == '=') return strtoll(*text + length + 1, NULL, 10);
    }
    fail("a parameter is missing");
    return 0;
}

void measure(const char *name, double value) { printf("measure %s %f\n", name, value); }
void checksum(const char *name, int64_t value) { printf("checksum %s %lld\n", name, (long long)value); }

int64_t processor_time(void) {
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

pinview_model *model_of(const struct cell *cell, const char *file) {
    char path[STORE_PATH_SIZE];
    pinview_model *model;
    snprintf(path, sizeof path, "%s/%s", cell->folder, file);
    check(pinview_model_create_from_store(pinview_text(path), &model, &error));
    return model;
}

struct stack open_stack(const struct cell *cell, const char *file, bool history) {
    return open_stack_with(model_of(cell, file), cell, file, history);
}

struct stack open_stack_with(pinview_model *model, const struct cell *cell, const char *file, bool history) {
    struct stack stack = {.model = model};
    snprintf(stack.path, sizeof stack.path, "%s/%s", cell->folder, file);
    const pinview_named_value options[] = {
        {pinview_text(PINVIEW_STORE_OPTION_CACHE_SIZE), pinview_value_integer(-65536)},
        {pinview_text(PINVIEW_STORE_OPTION_SYNCHRONOUS), pinview_value_text("normal")},
        {pinview_text(PINVIEW_STORE_OPTION_HISTORY_TRACKING), pinview_value_boolean(1)},
    };
    check(pinview_coordinator_create(stack.model, &stack.coordinator, &error));
    check(pinview_coordinator_add_store(stack.coordinator, pinview_text(PINVIEW_STORE_TYPE_SQLITE), pinview_absent(),
                                        pinview_text(stack.path), options, history ? 3 : 2, &stack.store, &error));
    return stack;
}

pinview_context *new_context(const struct stack *stack, pinview_context *like) {
    pinview_context *context;
    pinview_token *token = pinview_token_current();
    check(pinview_context_create(PINVIEW_CONCURRENCY_PRIVATE_QUEUE, &context, &error));
    check(pinview_context_set_coordinator(context, stack->coordinator, &error));
    if (like != NULL) check(pinview_context_query_generation(like, &token, &error));
    check(pinview_context_set_query_generation(context, token, &error));
    if (like != NULL) check(pinview_token_release(token));
    return context;
}

void close_stack(struct stack *stack) {
    check(pinview_store_release(stack->store));
    check(pinview_coordinator_release(stack->coordinator));
    check(pinview_model_release(stack->model));
}

struct block {
    const struct cell *cell;
    const struct stack *stack;
    void (*work)(const struct cell *cell, const struct stack *stack, pinview_context *context);
};

static pinview_status run_block(pinview_context *context, void *userdata) {
    const struct block *const block = userdata;
    block->work(block->cell, block->stack, context);
    return PINVIEW_OK;
}

void in_context(const struct cell *cell, const char *file, bool history, void (*work)(const struct cell *, const struct stack *, pinview_context *)) {
    struct stack stack = open_stack(cell, file, history);
    pinview_context *const context = new_context(&stack, NULL);
    check(pinview_context_perform_and_wait(context, run_block, &(struct block){cell, &stack, work}, &error));
    check(pinview_context_release(context));
    close_stack(&stack);
}

int32_t property(const struct stack *stack, const char *entity, const char *name) {
    pinview_entity *found;
    int32_t index;
    check(pinview_model_entity_named(stack->model, pinview_text(entity), &found, &error));
    check(pinview_entity_property_index(found, pinview_text(name), &index, &error));
    check(pinview_entity_release(found));
    return index;
}

pinview_object_id *object_id(const struct stack *stack, const char *entity, int64_t key) {
    char uri[128];
    pinview_object_id *id;
    snprintf(uri, sizeof uri, "x-coredata://%s/%s/p%lld", pinview_store_identifier(stack->store).data, entity, (long long)key);
    check(pinview_coordinator_object_id(stack->coordinator, pinview_text(uri), &id, &error));
    return id;
}

int64_t sql_value(const struct stack *stack, const char *sql) {
    sqlite3 *const database = raw_open(stack->path);
    const int64_t value = raw_value(database, sql);
    raw_close(database);
    return value;
}

pinview_fetch_request request_for(const char *entity, int64_t limit) {
    pinview_fetch_request request;
    check(pinview_fetch_request_init(&request, sizeof request, pinview_text(entity), &error));
    request.flags &= ~PINVIEW_FETCH_RETURNS_FAULTS;
    request.limit = (uint64_t)limit;
    return request;
}

pinview_result *fetch(pinview_context *context, const pinview_fetch_request *request) {
    pinview_result *result;
    check(pinview_context_fetch(context, request, &result, &error));
    return result;
}

pinview_predicate *predicate(const char *format) {
    pinview_predicate *predicate;
    check(pinview_predicate_create(pinview_text(format), NULL, 0, &predicate, &error));
    return predicate;
}

int64_t number(const pinview_value *value) {
    switch (value->type) {
    case PINVIEW_VALUE_INTEGER: return value->as.integer;
    case PINVIEW_VALUE_STRING: return (int64_t)value->as.string.size;
    case PINVIEW_VALUE_DOUBLE:
    case PINVIEW_VALUE_DATE: return (int64_t)value->as.real;
    case PINVIEW_VALUE_BOOLEAN: return value->as.boolean;
    default: return 0;
    }
}

struct six make_six(const struct stack *stack) {
    static const char *const names[] = {"month", "departureDelay", "arrivalDelay", "distance", "carrier", "tailNumber"};
    struct six six;
    for (int index = 0; index < 6; index++) six.indexes[index] = property(stack, "Flight", names[index]);
    check(pinview_buffer_create(&six.buffer, &error));
    return six;
}

int64_t read_values(pinview_result *result, const int32_t *indexes, size_t count, pinview_buffer *buffer) {
    enum { BLOCK = 256 };
    pinview_value *const values = malloc(BLOCK * count * sizeof *values);
    const uint64_t rows = pinview_result_count(result);
    int64_t sum = 0;
    for (uint64_t first = 0; first < rows; first += BLOCK) {
        const size_t some = rows - first < BLOCK ? (size_t)(rows - first) : BLOCK;
        check(pinview_result_values(result, first, some, indexes, count, buffer, values, &error));
        for (size_t index = 0; index < some * count; index++) sum += number(&values[index]);
    }
    free(values);
    return sum;
}

int64_t read_six(const struct six *six, pinview_result *result) { return read_values(result, six->indexes, 6, six->buffer); }

int64_t read_six_of(const struct six *six, pinview_object *object) {
    pinview_value values[6];
    int64_t sum = 0;
    check(pinview_object_values(object, six->indexes, 6, six->buffer, values, &error));
    for (int index = 0; index < 6; index++) sum += number(&values[index]);
    return sum;
}

static const struct {
    const char *name;
    void (*work)(const struct cell *cell);
} workloads[] = {
    {"w1-read-all", read_all},   {"w1p-columns", read_columns},
    {"w2-index-sorted", read_sorted}, {"w3-by-key", read_by_key},
    {"w4-follow", follow},       {"w4-prefetch", prefetch},
    {"w5-insert", insert},       {"w5-insert-history", insert_with_history},
    {"w6-update", update},       {"w7-delete", delete},
    {"w8-count", count},         {"w9-bulk-update", bulk_update},
    {"w10-snapshot", snapshots}, {"w11-memory", weigh},
    {"w12-threads", two_threads}, {"w13-latency", latency},
    {"w14-walk", walk_lazily},   {"w15-walk-prefetched", walk_prefetched},
    {"w16-tags", tags_lazily},   {"w16-tags-prefetched", tags_prefetched},
    {"w17-small-saves", save_often}, {"w17-small-saves-history", save_with_history},
    {"w17-small-saves-without-undo", save_without_undo}, {"w17-small-saves-beside-1", save_beside_pinned},
    {"w17-small-saves-beside-2", save_beside_pinned}, {"w17-small-saves-merging", save_beside_merging},
    {"w18-stream", read_stream}, {"w21-upsert", upsert},
    {"w22-live-list", follow_list},
    {"load-open", open_twice},   {"load-open-ready", open_ready},
};

int main(int count, char **arguments) {
    if (count < 5 || strcmp(arguments[1], "cell") != 0) fail("usage: benchmark-c cell WORKLOAD PEER FOLDER NAME=NUMBER…");
    for (size_t index = 0; index < sizeof workloads / sizeof *workloads; index++) {
        if (strcmp(arguments[2], workloads[index].name) != 0) continue;
        workloads[index].work(&(struct cell){arguments[4], arguments + 5});
        return EXIT_SUCCESS;
    }
    fail("there is no such workload");
}
