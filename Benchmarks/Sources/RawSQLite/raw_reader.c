#include <pthread.h>
#include <stdlib.h>

#include "raw_sqlite.h"

struct raw_reader {
    pthread_mutex_t turn;
    sqlite3 *database;
    sqlite3_stmt *begin, *end, *point, *range, *scan, *count, *data_version;
};

raw_reader *raw_reader_open(const char *path) {
    raw_reader *reader = calloc(1, sizeof *reader);
    pthread_mutex_init(&reader->turn, NULL);
    sqlite3 *database = reader->database = raw_open(path);
    reader->begin = raw_prepare(database, "BEGIN");
    reader->end = raw_prepare(database, "COMMIT");
    reader->point = raw_prepare(database, "SELECT ZVALUE FROM ZITEM WHERE Z_PK = ?1");
    reader->range = raw_prepare(database, "SELECT ZVALUE, ZTEXT FROM ZITEM WHERE Z_PK BETWEEN ?1 AND ?1 + 99");
    reader->scan = raw_prepare(database, "SELECT sum(ZVALUE + length(ZTEXT)) FROM ZITEM");
    reader->count = raw_prepare(database, "SELECT count(*) FROM ZITEM WHERE ZVALUE = ?1");
    reader->data_version = raw_prepare(database, "PRAGMA data_version");
    return reader;
}

static void run(raw_reader *reader, sqlite3_stmt *statement) {
    raw_check(reader->database, sqlite3_step(statement), SQLITE_DONE, "transaction");
    sqlite3_reset(statement);
}

void raw_reader_begin(raw_reader *reader) { run(reader, reader->begin); }
void raw_reader_end(raw_reader *reader) { run(reader, reader->end); }

int64_t raw_reader_value(raw_reader *reader, int64_t key) {
    sqlite3_bind_int64(reader->point, 1, key);
    raw_check(reader->database, sqlite3_step(reader->point), SQLITE_ROW, "read");
    const int64_t value = sqlite3_column_int64(reader->point, 0);
    sqlite3_reset(reader->point);
    return value;
}

int64_t raw_reader_data_version(raw_reader *reader) {
    raw_check(reader->database, sqlite3_step(reader->data_version), SQLITE_ROW, "data_version");
    const int64_t value = sqlite3_column_int64(reader->data_version, 0);
    sqlite3_reset(reader->data_version);
    return value;
}

void raw_reader_close(raw_reader *reader) {
    sqlite3_stmt *const statements[] = {reader->begin, reader->end, reader->point, reader->range, reader->scan, reader->count,
                                        reader->data_version};
    for (size_t index = 0; index < sizeof statements / sizeof *statements; index++) sqlite3_finalize(statements[index]);
    raw_close(reader->database);
    pthread_mutex_destroy(&reader->turn);
    free(reader);
}

int64_t raw_open_and_read(const char *path, int64_t key, int64_t *nanoseconds) {
    const int64_t start = raw_now();
    sqlite3 *database = raw_open(path);
    sqlite3_stmt *statement = raw_prepare(database, "SELECT ZVALUE FROM ZITEM WHERE Z_PK = ?1");
    sqlite3_bind_int64(statement, 1, key);
    raw_check(database, sqlite3_step(statement), SQLITE_ROW, "read");
    const int64_t value = sqlite3_column_int64(statement, 0);
    sqlite3_reset(statement);
    *nanoseconds = raw_now() - start;
    sqlite3_finalize(statement);
    raw_close(database);
    return value;
}

static int64_t read_once(raw_reader *reader, int kind, int64_t key) {
    if (kind == RAW_POINT) return raw_reader_value(reader, key);
    sqlite3_stmt *statement = kind == RAW_RANGE ? reader->range : kind == RAW_SCAN ? reader->scan : reader->count;
    if (kind == RAW_RANGE) sqlite3_bind_int64(statement, 1, key);
    if (kind == RAW_COUNT) sqlite3_bind_int64(statement, 1, key % 1000);
    int64_t sum = 0;
    int code;
    while ((code = sqlite3_step(statement)) == SQLITE_ROW) {
        sum += sqlite3_column_int64(statement, 0);
        if (kind == RAW_RANGE) sum += sqlite3_column_bytes(statement, 1);
    }
    raw_check(reader->database, code, SQLITE_DONE, "read");
    sqlite3_reset(statement);
    return sum;
}

int64_t raw_reader_take_turn(raw_reader *reader, int kind, int64_t key) {
    pthread_mutex_lock(&reader->turn);
    const int64_t sum = read_once(reader, kind, key);
    pthread_mutex_unlock(&reader->turn);
    return sum;
}
