// What the workloads of Workloads.md share when they are done with Pinview from C.
#ifndef BENCHMARK_H
#define BENCHMARK_H

#include <pinview.h>
#include <raw_flights.h>
#include <raw_people.h>
#include <stdbool.h>

enum { FLIGHT_ROWS = 336776 };

struct cell {
    const char *folder;
    char *const *parameters;  // NAME=NUMBER
};

int64_t parameter(const struct cell *cell, const char *name);
void measure(const char *name, double value);
void checksum(const char *name, int64_t value);
// The clocks: of the process's processors, and of the wall.
int64_t processor_time(void);

extern pinview_error *error;
// Ends the program with the error's message unless the status is PINVIEW_OK.
void check(pinview_status status);

// A store that is open.
enum { STORE_PATH_SIZE = 512 };

struct stack {
    char path[STORE_PATH_SIZE];
    pinview_model *model;
    pinview_coordinator *coordinator;
    pinview_store *store;
};

// The model that a store contains.
pinview_model *model_of(const struct cell *cell, const char *file);
struct stack open_stack(const struct cell *cell, const char *file, bool history);
// With a model that is ready, which the stack releases.
struct stack open_stack_with(pinview_model *model, const struct cell *cell, const char *file, bool history);
// Does the work on the queue of a context, which is pinned to the newest generation and ends with it.
void in_context(const struct cell *cell, const char *file, bool history, void (*work)(const struct cell *, const struct stack *, pinview_context *));
// A context that is pinned to the newest generation, or to that of another one.
pinview_context *new_context(const struct stack *stack, pinview_context *like);
void close_stack(struct stack *stack);
int32_t property(const struct stack *stack, const char *entity, const char *name);
pinview_object_id *object_id(const struct stack *stack, const char *entity, int64_t key);
// Reads one number of the store with SQL.
int64_t sql_value(const struct stack *stack, const char *sql);

// A fetch of whole objects; the first `limit` of them unless it is 0.
pinview_fetch_request request_for(const char *entity, int64_t limit);
pinview_result *fetch(pinview_context *context, const pinview_fetch_request *request);
pinview_predicate *predicate(const char *format);

// What a value counts in a checksum.
int64_t number(const pinview_value *value);

// The indexes of the six attributes.
struct six {
    int32_t indexes[6];
    pinview_buffer *buffer;
};
struct six make_six(const struct stack *stack);
// The six of all objects of a result, many in one call.
int64_t read_six(const struct six *six, pinview_result *result);
// The six of one.
int64_t read_six_of(const struct six *six, pinview_object *object);
// Any attributes of all objects of a result.
int64_t read_values(pinview_result *result, const int32_t *indexes, size_t count, pinview_buffer *buffer);

// The next batch of a stream of columns; false after the last one.
bool next_batch(struct ArrowArrayStream *stream, struct ArrowArray *batch);
// Of the numbers of a column, which have 16 bits, or of the lengths of its texts.
int64_t sum_of_column(const struct ArrowArray *column, bool is_text);

void read_all(const struct cell *cell);
void read_columns(const struct cell *cell);
void read_sorted(const struct cell *cell);
void read_by_key(const struct cell *cell);
void follow(const struct cell *cell);
void prefetch(const struct cell *cell);
void insert(const struct cell *cell);
void insert_with_history(const struct cell *cell);
void update(const struct cell *cell);
void delete(const struct cell *cell);
void count(const struct cell *cell);
void bulk_update(const struct cell *cell);
void snapshots(const struct cell *cell);
void weigh(const struct cell *cell);
void two_threads(const struct cell *cell);
void latency(const struct cell *cell);
void walk_lazily(const struct cell *cell);
void walk_prefetched(const struct cell *cell);
void tags_lazily(const struct cell *cell);
void tags_prefetched(const struct cell *cell);
void save_often(const struct cell *cell);
void save_with_history(const struct cell *cell);
void save_without_undo(const struct cell *cell);
void save_beside_pinned(const struct cell *cell);
void save_beside_merging(const struct cell *cell);
void read_stream(const struct cell *cell);
void upsert(const struct cell *cell);
void follow_list(const struct cell *cell);
void open_twice(const struct cell *cell);
void open_ready(const struct cell *cell);

#endif
