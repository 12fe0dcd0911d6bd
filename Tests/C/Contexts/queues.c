/* Blocks, threads and the main queue. */
#define _POSIX_C_SOURCE 200809L
#include <poll.h>
#include <pthread.h>
#include <semaphore.h>
#include <string.h>

#include "support.h"
#include "topics.h"

typedef struct {
    pthread_t thread;
    int runs, freed;
    sem_t done;
    pinview_context *context;
    pinview_status status;
} block_record;

static pinview_status record_run(pinview_context *context, void *userdata) {
    block_record *record = userdata;
    record->runs++;
    record->thread = pthread_self();
    EXPECT(record->context == NULL || pinview_context_is_equal(context, record->context));
    return PINVIEW_OK;
}

static void record_free(void *userdata) {
    block_record *record = userdata;
    record->freed++;
    sem_post(&record->done);
}

static block_record record_for(pinview_context *context) {
    block_record record;
    memset(&record, 0, sizeof record);
    sem_init(&record.done, 0, 0);
    record.context = context;
    return record;
}

static void perform_runs_later(void) {
    data_stack stack = stack_in_memory();
    pinview_context *context = context_on(&stack);
    block_record record = record_for(context);
    OK(pinview_context_perform(context, record_run, &record, record_free, ERROR));
    sem_wait(&record.done); /* freed after the run */
    EXPECT_NUMBER(record.runs, 1);
    EXPECT(!pthread_equal(record.thread, pthread_self()));
    FAILS(PINVIEW_ERROR_INVALID_ARGUMENT, pinview_context_perform(context, NULL, &record, record_free, ERROR));
    EXPECT_NUMBER(record.freed, 1);
    pinview_context_release(context);
    stack_close(&stack);
    sem_destroy(&record.done);
}

static void perform_keeps_its_context(void) {
    data_stack stack = stack_in_memory();
    pinview_context *context = context_on(&stack);
    block_record record = record_for(NULL);
    OK(pinview_context_perform(context, record_run, &record, record_free, ERROR));
    pinview_context_release(context); /* CON-16 */
    sem_wait(&record.done);
    EXPECT_NUMBER(record.runs, 1);
    stack_close(&stack);
    sem_destroy(&record.done);
}

static void perform_and_wait_runs_here(void) {
    data_stack stack = stack_in_memory();
    pinview_context *context = context_on(&stack);
    block_record record = record_for(context);
    OK(pinview_context_perform_and_wait(context, record_run, &record, ERROR));
    EXPECT_NUMBER(record.runs, 1);
    EXPECT(pthread_equal(record.thread, pthread_self()));
    FAILS(PINVIEW_ERROR_INVALID_ARGUMENT, pinview_context_perform_and_wait(context, NULL, NULL, ERROR));
    pinview_context_release(context);
    stack_close(&stack);
    sem_destroy(&record.done);
}

static pinview_status nest(pinview_context *context, void *userdata) {
    int *depth = userdata;
    if (++*depth == 50) return PINVIEW_OK;
    return pinview_context_perform_and_wait(context, nest, depth, NULL);
}

static void blocks_nest(void) {
    data_stack stack = stack_in_memory();
    pinview_context *context = context_on(&stack);
    int depth = 0;
    OK(pinview_context_perform_and_wait(context, nest, &depth, ERROR)); /* CON-05 */
    EXPECT_NUMBER(depth, 50);
    pinview_context_release(context);
    stack_close(&stack);
}

static void *call_from_a_thread(void *userdata) {
    block_record *record = userdata;
    int32_t changes = 0;
    pinview_object *object = NULL;
    record->status = pinview_context_insert_new_object(record->context, TEXT("Person"), &object, NULL);
    record->runs = (int)pinview_context_has_changes(record->context, &changes, NULL);
    pinview_object_release(object);
    return NULL;
}

static pinview_status call_elsewhere(pinview_context *context) {
    block_record record = record_for(context);
    pthread_t thread;
    REQUIRE(pthread_create(&thread, NULL, call_from_a_thread, &record) == 0);
    pthread_join(thread, NULL);
    sem_destroy(&record.done);
    return record.status;
}

static void the_main_queue_is_for_the_main_thread(void) {
    data_stack stack = stack_in_memory();
    pinview_context *context = NULL;
    OK(pinview_context_create(PINVIEW_CONCURRENCY_MAIN_QUEUE, &context, ERROR));
    OK(pinview_context_set_coordinator(context, stack.coordinator, ERROR));
    EXPECT_NUMBER(count_named(context, "Person", NULL), 0); /* CON-10 */
    EXPECT_NUMBER(call_elsewhere(context), PINVIEW_ERROR_WRONG_QUEUE); /* CON-11 */
    EXPECT(!has_changes(context));
    pinview_context_release(context);
    stack_close(&stack);
}

static void a_private_queue_takes_direct_calls(void) {
    data_stack stack = stack_in_memory();
    pinview_context *context = context_on(&stack);
    EXPECT_NUMBER(call_elsewhere(context), PINVIEW_OK); /* CON-11 */
    EXPECT(has_changes(context));
    pinview_set_concurrency_debug(1);
    EXPECT_NUMBER(call_elsewhere(context), PINVIEW_ERROR_WRONG_QUEUE);
    FAILS(PINVIEW_ERROR_WRONG_QUEUE, pinview_context_save(context, ERROR));
    pinview_set_concurrency_debug(0);
    save(context);
    pinview_context_release(context);
    stack_close(&stack);
}

static void a_confinement_context_belongs_to_its_thread(void) {
    data_stack stack = stack_in_memory();
    pinview_context *context = NULL;
    OK(pinview_context_create(PINVIEW_CONCURRENCY_CONFINEMENT, &context, ERROR));
    OK(pinview_context_set_coordinator(context, stack.coordinator, ERROR));
    EXPECT_NUMBER(count_named(context, "Person", NULL), 0);
    EXPECT_NUMBER(call_elsewhere(context), PINVIEW_ERROR_WRONG_QUEUE); /* CON-12 */
    block_record record = record_for(context);
    FAILS(PINVIEW_ERROR_CONFINEMENT_PERFORM, pinview_context_perform_and_wait(context, record_run, &record, ERROR));
    FAILS(PINVIEW_ERROR_CONFINEMENT_PERFORM, pinview_context_perform(context, record_run, &record, record_free, ERROR));
    EXPECT(record.runs == 0 && record.freed == 0); /* the userdata stays the caller's */
    pinview_context_release(context);
    stack_close(&stack);
    sem_destroy(&record.done);
}

static int is_readable(int descriptor) {
    struct pollfd poller = {descriptor, POLLIN, 0};
    return poll(&poller, 1, 0) == 1;
}

static void *drain_from_a_thread(void *userdata) {
    *(pinview_status *)userdata = pinview_main_queue_drain(NULL, NULL);
    return NULL;
}

static void the_main_thread_drains_its_queue(void) {
    data_stack stack = stack_in_memory();
    pinview_context *context = NULL;
    uint64_t count = 99;
    OK(pinview_context_create(PINVIEW_CONCURRENCY_MAIN_QUEUE, &context, ERROR));
    OK(pinview_context_set_coordinator(context, stack.coordinator, ERROR));
    int32_t descriptor = pinview_main_queue_file_descriptor();
    EXPECT(descriptor >= 0);
    OK(pinview_main_queue_drain(&count, ERROR));
    EXPECT_NUMBER(count, 0);
    EXPECT(!is_readable(descriptor));
    block_record record = record_for(context);
    for (int index = 0; index < 3; index++) OK(pinview_context_perform(context, record_run, &record, record_free, ERROR));
    EXPECT_NUMBER(record.runs, 0); /* CON-03 */
    EXPECT(is_readable(descriptor)); /* CON-17 */
    OK(pinview_main_queue_drain(&count, ERROR));
    EXPECT_NUMBER(count, 3);
    EXPECT(record.runs == 3 && record.freed == 3 && pthread_equal(record.thread, pthread_self())); /* CON-02 */
    EXPECT(!is_readable(descriptor));
    OK(pinview_context_perform_and_wait(context, record_run, &record, ERROR)); /* at once */
    EXPECT_NUMBER(record.runs, 4);
    pthread_t thread;
    pinview_status status = PINVIEW_OK;
    REQUIRE(pthread_create(&thread, NULL, drain_from_a_thread, &status) == 0);
    pthread_join(thread, NULL);
    EXPECT_NUMBER(status, PINVIEW_ERROR_WRONG_QUEUE);
    pinview_context_release(context);
    stack_close(&stack);
    sem_destroy(&record.done);
}

enum { writers = 8, rows_of_each = 20 };

static void *write_rows(void *userdata) {
    data_stack *stack = userdata;
    add_daves(stack, 0, rows_of_each);
    return NULL;
}

static void many_threads_write(void) {
    data_stack stack = stack_open("q.sqlite");
    pthread_t threads[writers];
    for (int index = 0; index < writers; index++) REQUIRE(pthread_create(&threads[index], NULL, write_rows, &stack) == 0);
    for (int index = 0; index < writers; index++) pthread_join(threads[index], NULL);
    EXPECT_NUMBER(sql_number(stack.path, "SELECT count(*) FROM ZPERSON"), writers * rows_of_each); /* CON-13 */
    stack_close(&stack);
}

/* Two contexts that merge each other's saves. */

typedef struct {
    pinview_context *context, *receiver;
    pinview_object *mine;
    pthread_barrier_t *both_have_saved;
    int merges;
} cross_merger;

static void merge_when_both_have_saved(const pinview_notification *did_save, void *userdata) {
    cross_merger *self = userdata;
    pthread_barrier_wait(self->both_have_saved);
    EXPECT_NUMBER(pinview_context_merge_changes(self->receiver, did_save, NULL), PINVIEW_OK);
    self->merges++;
}

static void *save_in_a_block(void *userdata) {
    cross_merger *self = userdata;
    set_integer(self->mine, "age", 66);
    EXPECT_NUMBER(pinview_context_save(self->context, NULL), PINVIEW_OK);
    return NULL;
}

static pinview_status nothing(pinview_context *context, void *userdata) {
    (void)context, (void)userdata;
    return PINVIEW_OK;
}

static void contexts_merge_each_others_saves(void) {
    data_stack stack = stack_open("n.sqlite");
    add_daves(&stack, 0, 2);
    pthread_barrier_t both;
    pthread_barrier_init(&both, NULL, 2);
    cross_merger mergers[2];
    pinview_object *theirs[2];
    pinview_observer *observers[2];
    pthread_t threads[2];
    for (int index = 0; index < 2; index++) mergers[index] = (cross_merger){.context = context_on(&stack), .both_have_saved = &both};
    for (int index = 0; index < 2; index++) {
        cross_merger *self = &mergers[index];
        self->receiver = mergers[1 - index].context;
        self->mine = one_named(self->context, "Person", index == 0 ? "dave0" : "dave1");
        theirs[index] = one_named(self->context, "Person", index == 0 ? "dave1" : "dave0");
        EXPECT(integer_of(theirs[index], "age") < 66);
        OK(pinview_observe(TEXT(PINVIEW_DID_SAVE_NOTIFICATION), self->context, merge_when_both_have_saved, self, NULL, &observers[index], ERROR));
    }
    for (int index = 0; index < 2; index++) EXPECT_NUMBER(pthread_create(&threads[index], NULL, save_in_a_block, &mergers[index]), 0);
    for (int index = 0; index < 2; index++) pthread_join(threads[index], NULL);
    for (int index = 0; index < 2; index++) {
        OK(pinview_context_perform_and_wait(mergers[index].context, nothing, NULL, ERROR)); /* after the merge that was put off */
        EXPECT_NUMBER(mergers[index].merges, 1);
        EXPECT_NUMBER(integer_of(theirs[index], "age"), 66);
    }
    for (int index = 0; index < 2; index++) {
        OK(pinview_observer_remove(observers[index], ERROR));
        pinview_observer_release(observers[index]);
        pinview_object_release(mergers[index].mine);
        pinview_object_release(theirs[index]);
        pinview_context_release(mergers[index].context);
    }
    pthread_barrier_destroy(&both);
    stack_close(&stack);
}

/* Threads that wait for each other's contexts. */

typedef struct {
    pinview_context *inside, *wanted;
    pthread_barrier_t *both_are_inside;
    pinview_status status;
    int64_t code;
} waiter;

static pinview_status wait_for_the_other(pinview_context *context, void *userdata) {
    waiter *self = userdata;
    pinview_error *error = NULL;
    (void)context;
    pthread_barrier_wait(self->both_are_inside);
    self->status = pinview_context_perform_and_wait(self->wanted, nothing, NULL, &error);
    if (error != NULL) {
        self->code = pinview_error_code(error);
        EXPECT(pinview_error_message(error).size > 0);
        pinview_error_release(error);
    }
    return PINVIEW_OK;
}

static void *wait_in_a_block(void *userdata) {
    waiter *self = userdata;
    EXPECT_NUMBER(pinview_context_perform_and_wait(self->inside, wait_for_the_other, self, NULL), PINVIEW_OK);
    return NULL;
}

static void a_circle_of_waiting_threads_is_an_error(void) {
    data_stack stack = stack_open("circle.sqlite");
    pthread_barrier_t both;
    pthread_barrier_init(&both, NULL, 2);
    pinview_context *contexts[2] = {context_on(&stack), context_on(&stack)};
    waiter waiters[2];
    pthread_t threads[2];
    for (int index = 0; index < 2; index++)
        waiters[index] = (waiter){.inside = contexts[index], .wanted = contexts[1 - index], .both_are_inside = &both};
    for (int index = 0; index < 2; index++) EXPECT_NUMBER(pthread_create(&threads[index], NULL, wait_in_a_block, &waiters[index]), 0);
    for (int index = 0; index < 2; index++) pthread_join(threads[index], NULL);
    int refused = waiters[0].status == PINVIEW_OK ? 1 : 0;
    EXPECT_NUMBER(waiters[refused].status, PINVIEW_ERROR_DEADLOCK);
    EXPECT_NUMBER(waiters[refused].code, 110);
    EXPECT_NUMBER(waiters[1 - refused].status, PINVIEW_OK);
    for (int index = 0; index < 2; index++) pinview_context_release(contexts[index]);
    pthread_barrier_destroy(&both);
    stack_close(&stack);
}

static const test_case tests[] = {
    {"CON-03, API-56: perform runs its block later on another thread and frees its data", perform_runs_later},
    {"CON-16: a context with waiting blocks lives until they have run", perform_keeps_its_context},
    {"CON-04, API-57: perform_and_wait runs its block before it returns", perform_and_wait_runs_here},
    {"CON-05: blocks of one context nest", blocks_nest},
    {"ONE-08: two contexts merge each other's saves from their observers", contexts_merge_each_others_saves},
    {"ONE-08: a circle of threads that wait for each other is an error", a_circle_of_waiting_threads_is_an_error},
    {"CON-10, CON-11: a main-queue context is for the main thread", the_main_queue_is_for_the_main_thread},
    {"CON-11: a private-queue context takes direct calls, unless the check is on", a_private_queue_takes_direct_calls},
    {"CON-12: a confinement context belongs to its thread and takes no blocks", a_confinement_context_belongs_to_its_thread},
    {"CON-02, CON-17: the main thread drains its queue, and a descriptor tells when", the_main_thread_drains_its_queue},
    {"CON-13: eight threads write at once", many_threads_write},
};
const test_topic queues_topic = TOPIC("queues", tests);
