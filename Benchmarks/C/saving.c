// W17: small saves, alone and beside other contexts.
#include <stdlib.h>

#include "benchmark.h"

enum { PERSONS = 1000 };  // that take turns

// The other contexts of the coordinator, and what they keep.
struct others {
    pinview_context **contexts;
    pinview_result **kept;  // the first persons, if they merge
    pinview_object **objects;  // the person with key 1 otherwise
    int64_t count;
    bool merge;
};

static struct others make_others(const struct cell *cell, const struct stack *stack, bool merge) {
    struct others others = {.count = parameter(cell, "contexts"), .merge = merge};
    const size_t count = (size_t)others.count;
    const int32_t age = property(stack, "Person", "age");
    const pinview_fetch_request request = request_for("Person", PERSONS);
    pinview_object_id *const id = object_id(stack, "Person", 1);
    others.contexts = malloc(count * sizeof *others.contexts);
    others.kept = calloc(count, sizeof *others.kept);
    others.objects = calloc(count, sizeof *others.objects);
    for (size_t index = 0; index < count; index++) {
        pinview_context *const context = others.contexts[index] = new_context(stack, NULL);
        if (merge) {
            check(pinview_context_set_query_generation(context, NULL, &error));
            check(pinview_context_set_option(context, PINVIEW_CONTEXT_AUTOMATICALLY_MERGES_CHANGES, 1, &error));
            others.kept[index] = fetch(context, &request);
        } else {
            pinview_value value;
            check(pinview_context_object(context, id, &others.objects[index], &error));
            check(pinview_object_value_at(others.objects[index], age, &value, &error));
        }
    }
    check(pinview_object_id_release(id));
    return others;
}

static void free_others(struct others *others) {
    for (int64_t index = 0; index < others->count; index++) {
        check(pinview_result_release(others->kept[index]));
        check(pinview_object_release(others->objects[index]));
        check(pinview_context_release(others->contexts[index]));
    }
    free(others->contexts);
    free(others->kept);
    free(others->objects);
}

static pinview_status do_nothing(pinview_context *context, void *userdata) {
    (void)context;
    (void)userdata;
    return PINVIEW_OK;
}

// A block of a context's queue runs when all that was to be merged before has been merged.
static void wait_for_merges(const struct others *others) {
    if (!others->merge) return;
    for (int64_t index = 0; index < others->count; index++) {
        check(pinview_context_perform_and_wait(others->contexts[index], do_nothing, NULL, &error));
    }
}

struct sum {
    pinview_result *persons;
    int32_t age;
    int64_t ages;
};

static pinview_status add_ages(pinview_context *context, void *userdata) {
    (void)context;
    struct sum *const sum = userdata;
    pinview_buffer *buffer;
    check(pinview_buffer_create(&buffer, &error));
    sum->ages += read_values(sum->persons, &sum->age, 1, buffer);
    check(pinview_buffer_release(buffer));
    return PINVIEW_OK;
}

// The ages as the other contexts have them.
static int64_t merged_ages(const struct others *others, int32_t age) {
    struct sum sum = {.age = age};
    for (int64_t index = 0; index < others->count; index++) {
        sum.persons = others->kept[index];
        check(pinview_context_perform_and_wait(others->contexts[index], add_ages, &sum, &error));
    }
    return sum.ages;
}

static void save_beside_others(const struct cell *cell, const struct stack *stack, pinview_context *context, struct others *others) {
    const int64_t saves = parameter(cell, "saves");
    const int32_t age = property(stack, "Person", "age");
    const pinview_fetch_request request = request_for("Person", PERSONS);
    pinview_object *persons[PERSONS];
    pinview_result *const result = fetch(context, &request);
    check(pinview_result_objects(result, 0, PERSONS, persons, &error));
    check(pinview_context_set_query_generation(context, NULL, &error));
    const int64_t start = processor_time();
    for (int64_t index = 0; index < saves; index++) {
        pinview_value value;
        check(pinview_object_value_at(persons[index % PERSONS], age, &value, &error));
        value.as.integer++;
        check(pinview_object_set_value_at(persons[index % PERSONS], age, &value, &error));
        check(pinview_context_save(context, &error));
    }
    wait_for_merges(others);
    measure("save", (double)(processor_time() - start) / (double)saves);
    checksum("save", sql_value(stack, "SELECT sum(ZAGE) FROM ZPERSON"));
    checksum("versions", sql_value(stack, "SELECT sum(Z_OPT) FROM ZPERSON"));
    if (others->merge) checksum("merged", merged_ages(others, age));
    pinview_objects_release(persons, PERSONS);
    check(pinview_result_release(result));
    free_others(others);
}

static void save_often_in(const struct cell *cell, const struct stack *stack, pinview_context *context) {
    save_beside_others(cell, stack, context, &(struct others){0});
}

static void save_without_undo_in(const struct cell *cell, const struct stack *stack, pinview_context *context) {
    check(pinview_context_set_undo_enabled(context, 0, &error));
    save_often_in(cell, stack, context);
}

static void save_beside_pinned_in(const struct cell *cell, const struct stack *stack, pinview_context *context) {
    struct others others = make_others(cell, stack, false);
    save_beside_others(cell, stack, context, &others);
}

static void save_beside_merging_in(const struct cell *cell, const struct stack *stack, pinview_context *context) {
    struct others others = make_others(cell, stack, true);
    save_beside_others(cell, stack, context, &others);
}

void save_often(const struct cell *cell) { in_context(cell, "people.sqlite", false, save_often_in); }
void save_with_history(const struct cell *cell) { in_context(cell, "people.sqlite", true, save_often_in); }
void save_without_undo(const struct cell *cell) { in_context(cell, "people.sqlite", false, save_without_undo_in); }
void save_beside_pinned(const struct cell *cell) { in_context(cell, "people.sqlite", false, save_beside_pinned_in); }
void save_beside_merging(const struct cell *cell) { in_context(cell, "people.sqlite", false, save_beside_merging_in); }
