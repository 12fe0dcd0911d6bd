/* The SQL log. */
#include <string.h>

#include "support.h"
#include "topics.h"

typedef struct {
    int lines, opened, reads, freed;
} log_record;

static void collect(pinview_string line, void *userdata) {
    log_record *record = userdata;
    record->lines++;
    EXPECT(strncmp(line.data, "CoreData: sql: ", 15) == 0 && line.data[line.size] == 0);
    if (strstr(line.data, "FROM ZPERSON") != NULL) {
        EXPECT(strstr(line.data, " -- log.sqlite, reader, generation ") != NULL);
        record->reads++;
    }
    if (strcmp(line.data, "CoreData: sql: pragma journal_mode=wal") == 0) record->opened++;
}

static void note_freed(void *userdata) { ((log_record *)userdata)->freed++; }

static void the_log_shows_every_statement(void) {
    log_record record = {0, 0, 0, 0};
    EXPECT_NUMBER(pinview_sql_log_is_enabled(), 0);
    OK(pinview_sql_log_set_callback(collect, &record, note_freed, ERROR));
    data_stack quiet = stack_open("quiet.sqlite");
    stack_close(&quiet);
    EXPECT_NUMBER(record.lines, 0); /* off by default */
    pinview_sql_log_set_enabled(1);
    EXPECT_NUMBER(pinview_sql_log_is_enabled(), 1);
    data_stack stack = stack_open("log.sqlite");
    EXPECT(record.opened >= 1); /* STO-03, EX-28 */
    int before = record.lines;
    pinview_context *context = context_on(&stack);
    EXPECT_NUMBER(count_named(context, "Person", NULL), 0);
    EXPECT(record.lines > before && record.reads == 1);
    pinview_context_release(context);
    stack_close(&stack);
    pinview_sql_log_set_enabled(0);
    EXPECT_NUMBER(record.freed, 0);
    OK(pinview_sql_log_set_callback(NULL, NULL, NULL, ERROR));
    EXPECT_NUMBER(record.freed, 1);
}

static const test_case tests[] = {
    {"STO-03, EX-28: the SQL log shows every statement", the_log_shows_every_statement},
};
const test_topic diagnostics_topic = TOPIC("diagnostics", tests);
