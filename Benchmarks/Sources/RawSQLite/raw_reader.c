#define _GNU_SOURCE
#include <pthread.h>
#include <stdlib.h>

#include "raw_sqlite.h"

struct raw_reader {
    sqlite3 *database;
    sqlite3_stmt *begin, *end, *point, *range, *scan, *count, *data_version;
};

raw_reader *raw_reader_open(const char *path) {
    raw_reader *reader = calloc(1, sizeof *reader);
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

int64_t raw_key(int64_t operation, int64_t rows) { return 1 + (int64_t)((uint64_t)operation * 2654435761u % (uint64_t)(rows - 99)); }

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

typedef struct {
    raw_reader *reader;
    pthread_mutex_t *turn;
    int kind;
    int64_t first, end, step, rows, sum;
} share;

static void *work(void *argument) {
    share *part = argument;
    for (int64_t operation = part->first; operation < part->end; operation += part->step) {
        pthread_mutex_lock(part->turn);
        part->sum += read_once(part->reader, part->kind, raw_key(operation, part->rows));
        pthread_mutex_unlock(part->turn);
    }
    return NULL;
}

int64_t raw_shared_connection(raw_reader *reader, int kind, int threads, int64_t first, int64_t end, int64_t rows, int64_t *sum) {
    enum { most = 16 };
    share parts[most];
    pthread_t identifiers[most];
    pthread_mutex_t turn = PTHREAD_MUTEX_INITIALIZER;
    if (threads > most) threads = most;
    const int64_t start = raw_now();
    for (int thread = 0; thread < threads; thread++) {
        parts[thread] = (share){reader, &turn, kind, first + thread, end, threads, rows, 0};
        if (pthread_create(&identifiers[thread], NULL, work, &parts[thread]) != 0) exit(EXIT_FAILURE);
    }
    *sum = 0;
    for (int thread = 0; thread < threads; thread++) {
        pthread_join(identifiers[thread], NULL);
        *sum += parts[thread].sum;
    }
    return raw_now() - start;
}
