// W18: all persons, kept and one after another.
#include "benchmark.h"

enum { PAGE = 1000, BLOCK = 250 };

// Looks how much memory is in use, while only that is measured.
struct scale {
    bool is_used;
    int64_t before, most;
};

static void look(struct scale *scale) {
    if (!scale->is_used) return;
    const int64_t bytes = raw_heap_bytes() - scale->before;
    if (bytes > scale->most) scale->most = bytes;
}

// Page by page, since a block never has objects of two of them.
static int64_t read_objects(const struct stack *stack, pinview_context *context, struct scale *scale) {
    const int32_t age = property(stack, "Person", "age");
    pinview_buffer *buffer;
    pinview_fetch_request request = request_for("Person", 0);
    request.batch_size = PAGE;
    check(pinview_buffer_create(&buffer, &error));
    pinview_result *const result = fetch(context, &request);
    const uint64_t rows = pinview_result_count(result);
    int64_t sum = 0;
    for (uint64_t first = 0; first < rows; first += BLOCK) {
        const size_t some = rows - first < BLOCK ? (size_t)(rows - first) : BLOCK;
        pinview_value ages[BLOCK];
        check(pinview_result_values(result, first, some, &age, 1, buffer, ages, &error));
        for (size_t index = 0; index < some; index++) sum += number(&ages[index]);
        if ((first + some) % PAGE == 0) look(scale);
    }
    check(pinview_result_release(result));
    check(pinview_buffer_release(buffer));
    return sum;
}

static int64_t read_batches(const struct stack *stack, pinview_context *context, struct scale *scale) {
    (void)stack;
    const pinview_named_expression properties[] = {{.name = pinview_text("lastName")}, {.name = pinview_text("age")}};
    pinview_fetch_request request = request_for("Person", 0);
    request.properties = properties;
    request.property_count = 2;
    struct ArrowArrayStream stream;
    struct ArrowArray batch;
    int64_t sum = 0;
    check(pinview_context_fetch_columns(context, &request, 0, &stream, &error));
    while (next_batch(&stream, &batch)) {
        sum += sum_of_column(batch.children[1], false);
        look(scale);
        batch.release(&batch);
    }
    stream.release(&stream);
    return sum;
}

typedef int64_t (*reader)(const struct stack *stack, pinview_context *context, struct scale *scale);

// Reads twice, each time in a context of its own: for the time, and for the memory.
static void read_in_turn(const struct cell *cell, const struct stack *stack, reader read, const char *name, const char *peak) {
    struct scale scale = {.is_used = false};
    pinview_context *context = new_context(stack, NULL);
    const int64_t start = processor_time(), sum = read(stack, context, &scale);
    measure(name, (double)(processor_time() - start) / (double)parameter(cell, "persons"));
    checksum("ages", sum);
    check(pinview_context_release(context));
    context = new_context(stack, NULL);
    // The page caches of all readers grow to the limit that the program gave them.
    for (int pass = 0; pass < 3; pass++) read(stack, context, &(struct scale){.is_used = false});
    scale = (struct scale){.is_used = true, .before = raw_heap_bytes()};
    read(stack, context, &scale);
    measure(peak, (double)scale.most);
    check(pinview_context_release(context));
}

static void read_whole(const struct cell *cell, const struct stack *stack, pinview_context *context) {
    const int32_t age = property(stack, "Person", "age");
    const pinview_fetch_request request = request_for("Person", 0);
    pinview_buffer *buffer;
    check(pinview_buffer_create(&buffer, &error));
    const int64_t start = processor_time();
    pinview_result *const result = fetch(context, &request);
    const int64_t sum = read_values(result, &age, 1, buffer);
    measure("whole", (double)(processor_time() - start) / (double)parameter(cell, "persons"));
    checksum("ages", sum);
    check(pinview_result_release(result));
    check(pinview_buffer_release(buffer));
}

static void read_stream_in(const struct cell *cell, const struct stack *stack, pinview_context *context) {
    read_whole(cell, stack, context);
    read_in_turn(cell, stack, read_objects, "objects", "objectsPeak");
    read_in_turn(cell, stack, read_batches, "columns", "columnsPeak");
}

void read_stream(const struct cell *cell) { in_context(cell, "people.sqlite", false, read_stream_in); }
