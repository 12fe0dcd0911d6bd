// W10, W12 and W13, and opening a store.
#define _GNU_SOURCE
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "benchmark.h"

static int64_t read_minute(pinview_object *flight, int32_t minute) {
    pinview_value value;
    check(pinview_object_value_at(flight, minute, &value, &error));
    return value.as.integer;
}

// The context is to pin at its next read. What it is on is let go at once.
static void let_go(pinview_context *context) { check(pinview_context_set_query_generation(context, pinview_token_current(), &error)); }

// The read of the refreshed object takes the newest generation.
static int64_t snapshot(pinview_context *context, pinview_object *flight, int32_t minute) {
    check(pinview_context_refresh(context, flight, 0, &error));
    const int64_t found = read_minute(flight, minute);
    let_go(context);
    return found;
}

// Takes a snapshot only when there is a newer state, and stays on it.
static int64_t asked(pinview_context *context, pinview_object *flight, int32_t minute) {
    if (pinview_context_has_newer_generation(context) == 1) {
        let_go(context);
        check(pinview_context_refresh(context, flight, 0, &error));
    }
    return read_minute(flight, minute);
}

static void snapshots_in(const struct cell *cell, const struct stack *stack, pinview_context *context) {
    const int64_t repeats = parameter(cell, "repeats");
    const int32_t minute = property(stack, "Flight", "minute");
    pinview_object_id *const id = object_id(stack, "Flight", 1);
    pinview_object *flight;
    check(pinview_context_object(context, id, &flight, &error));
    raw_flights *const writer = raw_flights_open(stack->path);
    snapshot(context, flight, minute);
    int64_t sum = 0, time = 0;
    for (int64_t index = 0; index < repeats; index++) {
        raw_flights_set_minute(writer, 1, index % 60);
        const int64_t start = raw_now();
        sum += snapshot(context, flight, minute);
        time += raw_now() - start;
    }
    measure("commit", (double)time / (double)repeats);
    checksum("commit", sum);
    pinview_context *const keeper = new_context(stack, NULL);
    const pinview_fetch_request airlines = request_for("Airline", 0);
    const char *const names[] = {"idle", "shared", "asked"};
    for (int round = 0; round < 3; round++) {
        // The generation is taken by the first read.
        int64_t count;
        if (round == 1) check(pinview_context_count(keeper, &airlines, &count, &error));
        if (round == 2) check(pinview_context_count(context, &airlines, &count, &error));
        sum = 0;
        const int64_t start = raw_now();
        for (int64_t index = 0; index < repeats; index++) sum += (round == 2 ? asked : snapshot)(context, flight, minute);
        measure(names[round], (double)(raw_now() - start) / (double)repeats);
        checksum(names[round], sum);
    }
    check(pinview_context_release(keeper));
    raw_flights_close(writer);
    check(pinview_object_release(flight));
    check(pinview_object_id_release(id));
}

void snapshots(const struct cell *cell) { in_context(cell, "flights.sqlite", false, snapshots_in); }

// One half of the flights.
struct half {
    const struct stack *stack;
    pinview_context *context;
    const char *condition;
    int64_t limit;
    uint64_t count;
    int64_t sum;
};

static pinview_status read_half(pinview_context *context, void *userdata) {
    struct half *const half = userdata;
    const struct six six = make_six(half->stack);
    pinview_predicate *const condition = predicate(half->condition);
    pinview_fetch_request request = request_for("Flight", half->limit);
    request.predicate = condition;
    pinview_result *const result = fetch(context, &request);
    half->sum = read_six(&six, result);
    half->count = pinview_result_count(result);
    check(pinview_result_release(result));
    check(pinview_predicate_release(condition));
    check(pinview_buffer_release(six.buffer));
    return PINVIEW_OK;
}

static void *thread_of_half(void *argument) {
    struct half *const half = argument;
    check(pinview_context_perform_and_wait(half->context, read_half, half, &error));
    return NULL;
}

void two_threads(const struct cell *cell) {
    const int64_t limit = parameter(cell, "limit");
    double per_row[2];
    for (int threads = 2; threads >= 1; threads--) {
        struct stack stack = open_stack(cell, "flights.sqlite", false);
        struct half halves[] = {{&stack, new_context(&stack, NULL), "month <= 6", limit, 0, 0}, {&stack, NULL, "month > 6", limit, 0, 0}};
        // The generation is taken by the first read.
        const pinview_fetch_request airlines = request_for("Airline", 0);
        int64_t count;
        check(pinview_context_count(halves[0].context, &airlines, &count, &error));
        halves[1].context = new_context(&stack, halves[0].context);
        const int64_t start = raw_now();
        if (threads == 2) {
            pthread_t other;
            if (pthread_create(&other, NULL, thread_of_half, &halves[1]) != 0) exit(EXIT_FAILURE);
            thread_of_half(&halves[0]);
            pthread_join(other, NULL);
        } else {
            thread_of_half(&halves[0]);
            thread_of_half(&halves[1]);
        }
        per_row[threads - 1] = (double)(raw_now() - start) / (double)(halves[0].count + halves[1].count);
        measure(threads == 2 ? "two" : "one", per_row[threads - 1]);
        checksum("rows", halves[0].sum + halves[1].sum);
        for (int index = 0; index < 2; index++) check(pinview_context_release(halves[index].context));
        close_stack(&stack);
    }
    measure("speedup", per_row[0] / per_row[1]);
}

// The other process of w13. It says when it begins, and when it is told to end how often it has committed.
static volatile sig_atomic_t stopped;
static void stop(int number) { stopped = number; }

static pid_t start_writer(const struct cell *cell, int results[2]) {
    char path[512];
    snprintf(path, sizeof path, "%s/flights.sqlite", cell->folder);
    if (pipe(results) != 0) exit(EXIT_FAILURE);
    const pid_t writer = fork();
    if (writer < 0) exit(EXIT_FAILURE);
    if (writer > 0) return writer;
    signal(SIGTERM, stop);
    raw_flights *const flights = raw_flights_open(path);
    int64_t commits = 0;
    if (write(results[1], &commits, sizeof commits) != sizeof commits) _exit(EXIT_FAILURE);
    for (; !stopped; commits++) raw_flights_set_minute(flights, raw_random_key(commits * 7919, FLIGHT_ROWS), commits % 60);
    raw_flights_close(flights);
    _exit(write(results[1], &commits, sizeof commits) == sizeof commits ? EXIT_SUCCESS : EXIT_FAILURE);
}

static int by_size(const void *left, const void *right) {
    const int64_t a = *(const int64_t *)left, b = *(const int64_t *)right;
    return (a > b) - (a < b);
}

static int writer_results[2];
static pid_t writer_process;

static void latency_in(const struct cell *cell, const struct stack *stack, pinview_context *context) {
    const int64_t reads = parameter(cell, "reads");
    const struct six six = make_six(stack);
    int64_t *const times = malloc((size_t)reads * sizeof *times), commits;
    pinview_object_id **const ids = malloc((size_t)reads * sizeof *ids);
    for (int64_t index = 0; index < reads; index++) ids[index] = object_id(stack, "Flight", raw_random_key(index, FLIGHT_ROWS));
    const int64_t begin = raw_now();
    for (int64_t index = 0; index < reads; index++) {
        pinview_object *flight;
        const int64_t start = raw_now();
        check(pinview_context_object(context, ids[index], &flight, &error));
        read_six_of(&six, flight);
        check(pinview_object_release(flight));
        let_go(context);
        times[index] = raw_now() - start;
    }
    const double seconds = (double)(raw_now() - begin) / 1e9;
    kill(writer_process, SIGTERM);
    if (read(writer_results[0], &commits, sizeof commits) != sizeof commits) exit(EXIT_FAILURE);
    waitpid(writer_process, NULL, 0);
    qsort(times, (size_t)reads, sizeof *times, by_size);
    measure("p50", (double)times[reads / 2]);
    measure("p99", (double)times[reads * 99 / 100]);
    measure("commits", (double)commits / seconds);
    for (int64_t index = 0; index < reads; index++) check(pinview_object_id_release(ids[index]));
    free(ids);
    free(times);
    check(pinview_buffer_release(six.buffer));
}

void latency(const struct cell *cell) {
    int64_t none;
    // Before anything of the library is used: a process that has forked must not go on with it.
    writer_process = start_writer(cell, writer_results);
    if (read(writer_results[0], &none, sizeof none) != sizeof none) exit(EXIT_FAILURE);
    in_context(cell, "flights.sqlite", false, latency_in);
}

// Takes the time until an object of a new stack is read. Makes the model, too, if there is none.
static void open_and_read(const struct cell *cell, pinview_model *model, const char *name, struct stack *stack, pinview_context **context) {
    pinview_object *flight;
    pinview_value distance;
    const int64_t start = raw_now();
    *stack = open_stack_with(model != NULL ? model : model_of(cell, "flights.sqlite"), cell, "flights.sqlite", false);
    *context = new_context(stack, NULL);
    pinview_object_id *const id = object_id(stack, "Flight", 77);
    check(pinview_context_object(*context, id, &flight, &error));
    check(pinview_object_value(flight, pinview_text("distance"), &distance, &error));
    measure(name, (double)(raw_now() - start));
    checksum("distance", distance.as.integer);
    check(pinview_object_release(flight));
    check(pinview_object_id_release(id));
}

static void close_read(struct stack *stack, pinview_context *context) {
    check(pinview_context_release(context));
    close_stack(stack);
}

void open_twice(const struct cell *cell) {
    struct stack stacks[2];
    pinview_context *contexts[2];
    for (int index = 0; index < 2; index++) {
        open_and_read(cell, NULL, index == 0 ? "open" : "again", &stacks[index], &contexts[index]);
    }
    for (int index = 0; index < 2; index++) close_read(&stacks[index], contexts[index]);
}

void open_ready(const struct cell *cell) {
    struct stack stack;
    pinview_context *context;
    open_and_read(cell, model_of(cell, "flights.sqlite"), "ready", &stack, &context);
    close_read(&stack, context);
}
