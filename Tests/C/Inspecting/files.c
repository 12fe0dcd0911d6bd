/* Generations as files, and SQL at a generation: SNP-01 and SNP-03. */
#include <string.h>

#include "support.h"
#include "topics.h"

/* A context that is pinned to a state with two people, after which there are three. */
static pinview_context *pinned_to_two(const data_stack *stack, pinview_token **token) {
    add_daves(stack, 0, 2);
    pinview_context *context = context_on(stack);
    pin(context);
    EXPECT_NUMBER(count_named(context, "Person", NULL), 2);
    OK(pinview_context_query_generation(context, token, ERROR));
    add_daves(stack, 2, 1);
    return context;
}

/* test_path() has one path at a time. */
static const char *path_of_copy(void) {
    static char path[4096];
    strncpy(path, test_path("copy.sqlite"), sizeof path - 1);
    return path;
}

typedef struct {
    int calls;
    uint64_t completed, total;
    pinview_status answer;
} progress_seen;

static pinview_status see_progress(uint64_t completed, uint64_t total, void *userdata) {
    progress_seen *seen = userdata;
    seen->calls++;
    seen->completed = completed;
    seen->total = total;
    return seen->answer;
}

static void a_generation_is_a_file(void) {
    data_stack stack = stack_open("people.sqlite");
    pinview_token *token = NULL;
    pinview_context *context = pinned_to_two(&stack, &token);
    const char *copy = path_of_copy();
    progress_seen seen = {0, 0, 0, PINVIEW_OK};
    OK(pinview_coordinator_export(stack.coordinator, token, NULL, pinview_text(copy), 0, see_progress, &seen, ERROR));
    EXPECT(seen.calls >= 2 && seen.total > 0);
    EXPECT_NUMBER((int64_t)seen.completed, (int64_t)seen.total);
    EXPECT_NUMBER(sql_number(copy, "SELECT count(*) FROM ZPERSON"), 2);
    FAILS(PINVIEW_ERROR_STORE_OPERATION,
          pinview_coordinator_export(stack.coordinator, NULL, stack.store, pinview_text(copy), 0, NULL, NULL, ERROR));
    EXPECT_NUMBER(sql_number(copy, "SELECT count(*) FROM ZPERSON"), 2);
    OK(pinview_coordinator_export(stack.coordinator, pinview_token_current(), stack.store, pinview_text(copy), PINVIEW_EXPORT_REPLACE, NULL,
                                  NULL, ERROR));
    EXPECT_NUMBER(sql_number(copy, "SELECT count(*) FROM ZPERSON"), 3);
    pinview_token_release(token);
    pinview_context_release(context);
    stack_close(&stack);
}

static void a_callback_cancels(void) {
    data_stack stack = stack_open("people.sqlite");
    const char *copy = path_of_copy();
    progress_seen seen = {0, 0, 0, PINVIEW_STOP};
    FAILS(PINVIEW_ERROR_STOPPED, pinview_coordinator_export(stack.coordinator, NULL, NULL, pinview_text(copy), 0, see_progress, &seen, ERROR));
    seen.answer = 123;
    FAILS(123, pinview_export_database(pinview_text(stack.path), pinview_text(copy), 0, see_progress, &seen, ERROR));
    EXPECT_NUMBER(seen.calls, 2);
    EXPECT_NUMBER(file_size(copy), -1);
    OK(pinview_export_database(pinview_text(stack.path), pinview_text(copy), 0, NULL, NULL, ERROR));
    EXPECT_NUMBER(sql_number(copy, "SELECT count(*) FROM ZPERSON"), 0);
    FAILS(PINVIEW_ERROR_STORE_OPEN,
          pinview_export_database(pinview_text(test_path("none.sqlite")), pinview_text(test_path("b.sqlite")), 0, NULL, NULL, ERROR));
    stack_close(&stack);
}

static void sql_reads_a_generation(void) {
    data_stack stack = stack_open("people.sqlite");
    pinview_token *token = NULL;
    pinview_context *context = pinned_to_two(&stack, &token);
    pinview_sql_cursor *cursor = NULL;
    const pinview_value *values = NULL;
    size_t rows = 0;
    const pinview_string sql = TEXT("SELECT ZNAME AS name, ZAGE, NULL, 1.5, x'0102' FROM ZPERSON WHERE ZAGE < :limit ORDER BY ZAGE DESC");
    pinview_named_value limit = {TEXT("limit"), pinview_value_integer(99)};
    OK(pinview_context_query_sql(context, NULL, sql, &limit, 1, &cursor, ERROR));
    EXPECT_NUMBER((int64_t)pinview_sql_cursor_column_count(cursor), 5);
    EXPECT_TEXT(pinview_sql_cursor_column_name(cursor, 0), "name");
    EXPECT(pinview_sql_cursor_column_name(cursor, 5).data == NULL);
    OK(pinview_sql_cursor_read(cursor, 1, &values, &rows, ERROR));
    EXPECT_NUMBER((int64_t)rows, 1);
    EXPECT_TEXT(values[0].as.string, "dave1");
    EXPECT_NUMBER(values[1].as.integer, 21);
    EXPECT_NUMBER(values[2].type, PINVIEW_VALUE_NULL);
    EXPECT(values[3].type == PINVIEW_VALUE_DOUBLE && values[3].as.real == 1.5);
    EXPECT(values[4].type == PINVIEW_VALUE_BINARY && values[4].as.binary.size == 2 && values[4].as.binary.data[1] == 2);
    OK(pinview_sql_cursor_read(cursor, 10, &values, &rows, ERROR));
    EXPECT_NUMBER((int64_t)rows, 1);
    EXPECT_TEXT(values[0].as.string, "dave0");
    OK(pinview_sql_cursor_read(cursor, 10, &values, &rows, ERROR));
    EXPECT_NUMBER((int64_t)rows, 0);
    pinview_sql_cursor_release(cursor);

    const pinview_named_value by_place = {pinview_absent(), pinview_value_integer(21)};
    OK(pinview_coordinator_query_sql(stack.coordinator, NULL, stack.store, TEXT("SELECT count(*) FROM ZPERSON WHERE ZAGE > ?"), &by_place, 1,
                                     &cursor, ERROR));
    OK(pinview_sql_cursor_read(cursor, 1, &values, &rows, ERROR));
    EXPECT_NUMBER(values[0].as.integer, 1);
    OK(pinview_sql_cursor_interrupt(cursor, ERROR));
    FAILS(PINVIEW_ERROR_CANCELLED, pinview_sql_cursor_read(cursor, 1, &values, &rows, ERROR));
    pinview_sql_cursor_release(cursor);
    pinview_token_release(token);
    pinview_context_release(context);
    stack_close(&stack);
}

static void sql_only_reads(void) {
    data_stack stack = stack_open("people.sqlite");
    add_daves(&stack, 0, 1);
    static const char *const refused[] = {"DELETE FROM ZPERSON", "ATTACH 'x' AS x", "PRAGMA user_version = 1", "BEGIN", "SELECT 1; SELECT 2",
                                          "CREATE TABLE x (y)", "SELECT * FROM nothing", ""};
    for (size_t index = 0; index < sizeof refused / sizeof refused[0]; index++) {
        pinview_sql_cursor *cursor = NULL;
        FAILS(PINVIEW_ERROR_SQLITE,
              pinview_coordinator_query_sql(stack.coordinator, NULL, NULL, pinview_text(refused[index]), NULL, 0, &cursor, ERROR));
        EXPECT(cursor == NULL);
    }
    pinview_sql_cursor *cursor = NULL;
    FAILS(PINVIEW_ERROR_INVALID_ARGUMENT,
          pinview_coordinator_query_sql(stack.coordinator, NULL, NULL, TEXT("SELECT ?"), NULL, 0, &cursor, ERROR));
    EXPECT_NUMBER(sql_number(stack.path, "SELECT count(*) FROM ZPERSON"), 1);
    stack_close(&stack);
}

static const test_case tests[] = {
    {"SNP-01: a generation is exported as a file", a_generation_is_a_file},
    {"SNP-01: a callback cancels an export; any database is exported", a_callback_cancels},
    {"SNP-03: SQL reads a generation", sql_reads_a_generation},
    {"SNP-03: SQL only reads", sql_only_reads},
};
const test_topic files_topic = TOPIC("files", tests);
