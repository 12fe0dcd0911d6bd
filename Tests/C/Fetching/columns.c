/* Fetches of columns, taken apart by hand as the Arrow C stream interface has them. */
#define _POSIX_C_SOURCE 200809L
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "support.h"
#include "topics.h"

static pinview_fetch_request request_of(const char *entity, const pinview_named_expression *properties, size_t count) {
    pinview_fetch_request request;
    OK(pinview_fetch_request_init(&request, sizeof request, pinview_text(entity), ERROR));
    request.properties = properties;
    request.property_count = count;
    return request;
}

static pinview_named_expression key_path(const char *name) {
    pinview_named_expression property;
    memset(&property, 0, sizeof property);
    property.name = pinview_text(name);
    return property;
}

static struct ArrowArrayStream columns_of(pinview_context *context, const pinview_fetch_request *request, uint32_t flags) {
    struct ArrowArrayStream stream;
    OK(pinview_context_fetch_columns(context, request, flags, &stream, ERROR));
    REQUIRE(stream.release != NULL);
    return stream;
}

static struct ArrowArray next_batch(struct ArrowArrayStream *stream) {
    struct ArrowArray batch;
    memset(&batch, 0xaa, sizeof batch);
    REQUIRE(stream->get_next(stream, &batch) == 0);
    return batch;
}

static int is_text(const struct ArrowArray *column, int64_t row, const char *text) {
    const int32_t *offsets = column->buffers[1];
    const char *bytes = column->buffers[2];
    size_t size = (size_t)(offsets[row + 1] - offsets[row]);
    return size == strlen(text) && memcmp(bytes + offsets[row], text, size) == 0;
}

static int is_null(const struct ArrowArray *column, int64_t row) {
    const uint8_t *validity = column->buffers[0];
    return validity != NULL && (validity[row / 8] >> (row % 8) & 1) == 0;
}

static void columns_have_names_and_types(void) {
    data_stack stack = stack_open("c.sqlite");
    add_daves(&stack, 0, 2);
    pinview_context *context = context_on(&stack);
    const pinview_named_expression properties[] = {key_path("name"), key_path("owner.age"), key_path("owner"), key_path("objectID")};
    pinview_fetch_request request = request_of("Car", properties, 4);
    struct ArrowArrayStream stream = columns_of(context, &request, 0);
    struct ArrowSchema schema;
    REQUIRE(stream.get_schema(&stream, &schema) == 0);
    EXPECT(strcmp(schema.format, "+s") == 0);
    REQUIRE(schema.n_children == 4);
    const char *names[] = {"name", "owner.age", "owner", "objectID"}, *formats[] = {"u", "l", "l", "l"};
    for (int column = 0; column < 4; column++) {
        EXPECT(strcmp(schema.children[column]->name, names[column]) == 0);
        EXPECT(strcmp(schema.children[column]->format, formats[column]) == 0);
        EXPECT_NUMBER(schema.children[column]->flags, ARROW_FLAG_NULLABLE);
    }
    /* Pairs of sizes and texts: of which objects a key is. */
    const char *metadata = schema.children[2]->metadata;
    int32_t pairs = 0, key = 0;
    memcpy(&pairs, metadata, 4);
    memcpy(&key, metadata + 4, 4);
    EXPECT_NUMBER(pairs, 2);
    EXPECT(key == 14 && memcmp(metadata + 8, "pinview.entity", 14) == 0 && memcmp(metadata + 26, "Person", 6) == 0);
    /* A part that is taken lives on without the others. */
    struct ArrowSchema taken = *schema.children[0];
    schema.children[0]->release = NULL;
    schema.release(&schema);
    EXPECT(schema.release == NULL);
    EXPECT(strcmp(taken.name, "name") == 0);
    taken.release(&taken);
    stream.release(&stream);
    EXPECT(stream.release == NULL);
    pinview_context_release(context);
    stack_close(&stack);
}

static void values_come_in_batches(void) {
    data_stack stack = stack_open("c.sqlite");
    add_daves(&stack, 0, 5);
    pinview_context *context = context_on(&stack);
    pinview_object *nobodys = insert_object(context, "Car", "nobody's"), *nameless = insert_object(context, "Person", NULL);
    save(context);
    const pinview_named_expression properties[] = {key_path("name"), key_path("owner.age")};
    pinview_fetch_request request = request_of("Car", properties, 2);
    request.batch_size = 4;
    struct ArrowArrayStream stream = columns_of(context, &request, 0);
    const int64_t sizes[] = {4, 2};
    int64_t row = 0;
    for (int number = 0; number < 2; number++) {
        struct ArrowArray batch = next_batch(&stream);
        REQUIRE(batch.release != NULL && batch.n_children == 2);
        EXPECT_NUMBER(batch.length, sizes[number]);
        EXPECT_NUMBER(batch.offset, 0);
        const struct ArrowArray *names = batch.children[0], *ages = batch.children[1];
        EXPECT(names->n_buffers == 3 && ages->n_buffers == 2);
        for (int64_t place = 0; place < batch.length; place++, row++) {
            char name[16];
            snprintf(name, sizeof name, "car%d", (int)row);
            EXPECT(is_text(names, place, row == 5 ? "nobody's" : name));
            if (row == 5) {
                EXPECT_NUMBER(ages->null_count, 1);
                EXPECT(is_null(ages, place));
            } else {
                EXPECT(!is_null(ages, place));
                EXPECT_NUMBER(((const int64_t *)ages->buffers[1])[place], 20 + row);
            }
        }
        batch.release(&batch);
        EXPECT(batch.release == NULL);
    }
    for (int end = 0; end < 2; end++) EXPECT(next_batch(&stream).release == NULL);
    stream.release(&stream);
    pinview_object_release(nobodys);
    pinview_object_release(nameless);
    pinview_context_release(context);
    stack_close(&stack);
}

static void parts_of_a_batch_outlive_everything(void) {
    data_stack stack = stack_open("c.sqlite");
    add_daves(&stack, 0, 3);
    pinview_context *context = context_on(&stack);
    pinview_fetch_request request = request_of("Person", NULL, 0);
    struct ArrowArrayStream stream = columns_of(context, &request, 0);
    struct ArrowArray batch = next_batch(&stream);
    REQUIRE(batch.n_children == 2);
    struct ArrowArray names = *batch.children[0];
    batch.children[0]->release = NULL;
    batch.release(&batch);
    stream.release(&stream);
    pinview_context_release(context);
    stack_close(&stack);
    EXPECT(is_text(&names, 2, "dave2"));
    names.release(&names);
}

static void *release_stream(void *stream) {
    ((struct ArrowArrayStream *)stream)->release(stream);
    return NULL;
}

static void a_stream_holds_its_generation(void) {
    data_stack stack = stack_open("c.sqlite");
    add_daves(&stack, 0, 3);
    pinview_context *context = context_on(&stack);
    pin(context);
    pinview_fetch_request request = request_of("Person", NULL, 0);
    request.batch_size = 1;
    struct ArrowArrayStream stream = columns_of(context, &request, 0);
    struct ArrowArray batch = next_batch(&stream);
    batch.release(&batch);
    add_daves(&stack, 3, 2);
    pin(context); /* advances it */
    EXPECT_NUMBER(count_named(context, "Person", NULL), 5);
    pinview_context_release(context);
    int count = 1;
    for (batch = next_batch(&stream); batch.release != NULL; batch = next_batch(&stream)) {
        EXPECT_NUMBER(batch.length, 1);
        batch.release(&batch);
        count++;
    }
    EXPECT_NUMBER(count, 3);
    pthread_t thread;
    REQUIRE(pthread_create(&thread, NULL, release_stream, &stream) == 0);
    pthread_join(thread, NULL);
    EXPECT(stream.release == NULL);
    stack_close(&stack);
}

static void wrong_requests_and_uses_are_refused(void) {
    data_stack stack = stack_open("c.sqlite");
    add_daves(&stack, 0, 1);
    pinview_context *context = context_on(&stack);
    const pinview_named_expression properties[] = {key_path("shoe_size")};
    pinview_fetch_request request = request_of("Person", properties, 1);
    struct ArrowArrayStream stream;
    memset(&stream, 0xaa, sizeof stream);
    FAILS(PINVIEW_ERROR_UNKNOWN_KEY, pinview_context_fetch_columns(context, &request, 0, &stream, ERROR));
    EXPECT(stream.release == NULL);
    request.property_count = 0;
    FAILS(PINVIEW_ERROR_INVALID_ARGUMENT, pinview_context_fetch_columns(context, &request, 1u << 30, &stream, ERROR));
    FAILS(PINVIEW_ERROR_INVALID_ARGUMENT, pinview_context_fetch_columns(context, &request, 0, NULL, ERROR));
    stream = columns_of(context, &request, 0);
    EXPECT_NUMBER(stream.get_next(&stream, NULL), EINVAL);
    EXPECT(strstr(stream.get_last_error(&stream), "'out' is NULL") != NULL);
    struct ArrowArrayStream released = stream;
    struct ArrowArray batch;
    OK(pinview_coordinator_remove_store(stack.coordinator, stack.store, ERROR));
    EXPECT_NUMBER(stream.get_next(&stream, &batch), EIO);
    EXPECT(strstr(stream.get_last_error(&stream), "is closed") != NULL);
    EXPECT(batch.release == NULL);
    stream.release(&stream);
    EXPECT_NUMBER(released.get_next(&stream, &batch), EINVAL);
    EXPECT(released.get_last_error(&stream) == NULL);
    released.release(&stream);
    released.release(NULL);
    pinview_context_release(context);
    stack_close(&stack);
}

static void a_child_cannot_use_a_stream(void) {
    data_stack stack = stack_open("c.sqlite");
    add_daves(&stack, 0, 2);
    pinview_context *context = context_on(&stack);
    pinview_fetch_request request = request_of("Person", NULL, 0);
    struct ArrowArrayStream stream = columns_of(context, &request, 0);
    int report[2];
    REQUIRE(pipe(report) == 0);
    fflush(NULL);
    pid_t child = fork();
    REQUIRE(child >= 0);
    if (child == 0) {
        struct ArrowArray batch;
        alarm(120);
        char failed = 0;
        if (stream.get_next(&stream, &batch) != EIO) failed = 1;
        if (strstr(stream.get_last_error(&stream), "fork()") == NULL) failed = 2;
        stream.release(&stream);
        if (stream.release != NULL) failed = 3;
        _exit(write(report[1], &failed, 1) == 1 ? 0 : 1);
    }
    close(report[1]);
    char failed = 99;
    EXPECT_NUMBER(read(report[0], &failed, 1), 1);
    EXPECT_NUMBER(failed, 0);
    close(report[0]);
    waitpid(child, NULL, 0);
    struct ArrowArray batch = next_batch(&stream);
    EXPECT_NUMBER(batch.length, 2);
    batch.release(&batch);
    stream.release(&stream);
    pinview_context_release(context);
    stack_close(&stack);
}

/* A producer written by hand: names and ages of three persons in two batches, or an error instead
 * of the second one. */
typedef struct {
    int batches, fails_at, released, ends_early;
    const char *formats[2];
} producer;

static void forget_schema(struct ArrowSchema *schema) { schema->release = NULL; }
static void forget_array(struct ArrowArray *array) { array->release = NULL; }

static int give_schema(struct ArrowArrayStream *stream, struct ArrowSchema *out) {
    static struct ArrowSchema children[2], *pointers[2] = {&children[0], &children[1]};
    producer *self = stream->private_data;
    const char *names[] = {"name", "age"};
    if (self->fails_at == 0) return EAGAIN;
    memset(out, 0, sizeof *out);
    for (int column = 0; column < 2; column++) {
        memset(&children[column], 0, sizeof children[column]);
        children[column].name = names[column];
        children[column].format = self->formats[column];
        children[column].release = forget_schema;
    }
    out->format = "+s";
    out->n_children = 2;
    out->children = pointers;
    out->release = forget_schema;
    return 0;
}

static int give_batch(struct ArrowArrayStream *stream, struct ArrowArray *out) {
    static const int32_t offsets[] = {0, 3, 3, 6};
    static const int64_t ages[] = {36, 85, 41};
    static const uint8_t valid = 5;
    static struct ArrowArray children[2], *pointers[2] = {&children[0], &children[1]};
    static const void *names_buffers[3], *ages_buffers[2], *no_buffers[1];
    producer *self = stream->private_data;
    memset(out, 0, sizeof *out);
    if (++self->batches == self->fails_at) return EIO;
    if (self->batches > 2) return 0;
    memset(children, 0, sizeof children);
    names_buffers[0] = &valid;
    names_buffers[1] = offsets;
    names_buffers[2] = "AdaBob";
    ages_buffers[1] = ages;
    for (int column = 0; column < 2; column++) {
        children[column].length = 3 - self->ends_early;
        children[column].n_buffers = column == 0 ? 3 : 2;
        children[column].buffers = column == 0 ? names_buffers : ages_buffers;
        children[column].null_count = column == 0 ? -1 : 0;
        children[column].release = forget_array;
    }
    /* The second batch is the last row of the same columns. */
    out->offset = self->batches == 2 ? 2 : 0;
    out->length = self->batches == 2 ? 1 : 2;
    out->n_buffers = 1;
    out->buffers = no_buffers;
    out->n_children = 2;
    out->children = pointers;
    out->release = forget_array;
    return 0;
}

static const char *say_why(struct ArrowArrayStream *stream) {
    (void)stream;
    return "no more paper";
}

static void note_release(struct ArrowArrayStream *stream) {
    ((producer *)stream->private_data)->released++;
    stream->release = NULL;
}

static pinview_status insert_produced(pinview_context *context, producer *self, pinview_result **out) {
    struct ArrowArrayStream stream = {give_schema, give_batch, say_why, note_release, self};
    pinview_batch_insert insert;
    memset(&insert, 0, sizeof insert);
    insert.struct_size = sizeof insert;
    insert.result_type = PINVIEW_RESULT_COUNT;
    insert.entity = TEXT("Person");
    insert.columns_stream = &stream;
    pinview_status status = pinview_context_batch_insert(context, &insert, out, ERROR);
    EXPECT(stream.release == NULL);
    EXPECT_NUMBER(self->released, 1);
    return status;
}

static void columns_are_inserted(void) {
    data_stack stack = stack_open("c.sqlite");
    pinview_context *context = context_on(&stack);
    pinview_result *result = NULL;
    producer good = {0, -1, 0, 0, {"u", "l"}};
    OK(insert_produced(context, &good, &result));
    EXPECT_NUMBER(pinview_result_count(result), 3);
    pinview_result_release(result);
    pinview_object *ada = one_named(context, "Person", "Ada"), *bob = one_named(context, "Person", "Bob");
    EXPECT_NUMBER(integer_of(ada, "age"), 36);
    EXPECT_NUMBER(integer_of(bob, "age"), 41);
    EXPECT_NUMBER(sql_number(stack.path, "SELECT COUNT(*) FROM ZPERSON WHERE ZNAME IS NULL AND ZAGE = 85"), 1);
    pinview_object_release(ada);
    pinview_object_release(bob);
    pinview_context_release(context);
    stack_close(&stack);
}

static void columns_that_cannot_be_inserted_leave_nothing(void) {
    data_stack stack = stack_open("c.sqlite");
    pinview_context *context = context_on(&stack);
    producer wrong_type = {0, -1, 0, 0, {"u", "g"}}, unknown_type = {0, -1, 0, 0, {"+m", "l"}}, text_for_number = {0, -1, 0, 0, {"u", "u"}},
             no_schema = {0, 0, 0, 0, {"u", "l"}}, no_second_batch = {0, 2, 0, 0, {"u", "l"}}, too_short = {0, -1, 0, 1, {"u", "l"}};
    FAILS(PINVIEW_ERROR_WRONG_TYPE, insert_produced(context, &wrong_type, NULL)); /* the bits of whole numbers as doubles */
    FAILS(PINVIEW_ERROR_WRONG_TYPE, insert_produced(context, &unknown_type, NULL));
    FAILS(PINVIEW_ERROR_WRONG_TYPE, insert_produced(context, &text_for_number, NULL));
    FAILS(PINVIEW_ERROR_STOPPED, insert_produced(context, &no_schema, NULL));
    FAILS(PINVIEW_ERROR_STOPPED, insert_produced(context, &no_second_batch, NULL));
    EXPECT(strstr(last_message(), "no more paper") != NULL);
    FAILS(PINVIEW_ERROR_WRONG_TYPE, insert_produced(context, &too_short, NULL));
    EXPECT_NUMBER(sql_number(stack.path, "SELECT COUNT(*) FROM ZPERSON"), 0);
    /* A call that fails for another reason releases the stream, too; a released one is an error. */
    producer unused = {0, -1, 0, 0, {"u", "l"}};
    FAILS(PINVIEW_ERROR_INVALID_HANDLE, insert_produced(NULL, &unused, NULL));
    struct ArrowArrayStream released;
    memset(&released, 0, sizeof released);
    pinview_batch_insert insert;
    memset(&insert, 0, sizeof insert);
    insert.struct_size = sizeof insert;
    insert.entity = TEXT("Person");
    insert.columns_stream = &released;
    FAILS(PINVIEW_ERROR_INVALID_ARGUMENT, pinview_context_batch_insert(context, &insert, NULL, ERROR));
    pinview_context_release(context);
    stack_close(&stack);
}

static const test_case tests[] = {
    {"columns have names, types and what keys are of", columns_have_names_and_types},
    {"values come in batches, over to-one key paths too", values_come_in_batches},
    {"a column that is taken outlives batch, stream, context and store", parts_of_a_batch_outlive_everything},
    {"a stream holds its generation, also after its context advanced and ended, and is released on any thread", a_stream_holds_its_generation},
    {"wrong requests, closed stores and released streams give errors", wrong_requests_and_uses_are_refused},
    {"columns of a producer written by hand are inserted", columns_are_inserted},
    {"columns that cannot be inserted leave nothing, and their stream is released", columns_that_cannot_be_inserted_leave_nothing},
    {"a child made by fork() cannot use a stream, and the parent goes on", a_child_cannot_use_a_stream},
};
const test_topic columns_topic = TOPIC("columns", tests);
