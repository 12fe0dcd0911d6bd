#define _GNU_SOURCE
#include "raw_sqlite.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

int64_t raw_now(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

void raw_check(sqlite3 *database, int code, int expected, const char *what) {
    if (code == expected) return;
    fprintf(stderr, "%s: %s (%d)\n", what, database ? sqlite3_errmsg(database) : sqlite3_errstr(code), code);
    exit(EXIT_FAILURE);
}

sqlite3 *raw_open(const char *path) {
    sqlite3 *database = NULL;
    raw_check(database, sqlite3_open_v2(path, &database, SQLITE_OPEN_READWRITE, NULL), SQLITE_OK, path);
    sqlite3_busy_timeout(database, 5000);
    raw_execute(database, "PRAGMA synchronous=normal");
    return database;
}

sqlite3 *raw_open_cached(const char *path) {
    sqlite3 *const database = raw_open(path);
    raw_execute(database, "PRAGMA cache_size=-65536");
    return database;
}

void raw_close(sqlite3 *database) { raw_check(database, sqlite3_close(database), SQLITE_OK, "close"); }

void raw_execute(sqlite3 *database, const char *sql) {
    raw_check(database, sqlite3_exec(database, sql, NULL, NULL, NULL), SQLITE_OK, sql);
}

sqlite3_stmt *raw_prepare(sqlite3 *database, const char *sql) {
    sqlite3_stmt *statement = NULL;
    raw_check(database, sqlite3_prepare_v3(database, sql, -1, SQLITE_PREPARE_PERSISTENT, &statement, NULL), SQLITE_OK, sql);
    return statement;
}

int64_t raw_value(sqlite3 *database, const char *sql) {
    sqlite3_stmt *statement = raw_prepare(database, sql);
    raw_check(database, sqlite3_step(statement), SQLITE_ROW, sql);
    const int64_t value = sqlite3_column_int64(statement, 0);
    sqlite3_finalize(statement);
    return value;
}

void raw_fill(const char *path, int64_t rows, int64_t characters) {
    sqlite3 *database = raw_open(path);
    raw_execute(database, "BEGIN IMMEDIATE");
    sqlite3_stmt *insert = raw_prepare(
        database, "INSERT INTO ZITEM (Z_PK, Z_ENT, Z_OPT, ZVALUE, ZTEXT) SELECT ?1, Z_ENT, 1, ?2, printf('%.*c', ?3, 'x') FROM ZITEM WHERE Z_PK = 1");
    for (int64_t key = 2; key <= rows; key++) {
        sqlite3_bind_int64(insert, 1, key);
        sqlite3_bind_int64(insert, 2, key * 7 % 1000);
        sqlite3_bind_int64(insert, 3, characters);
        raw_check(database, sqlite3_step(insert), SQLITE_DONE, "insert");
        sqlite3_reset(insert);
    }
    sqlite3_finalize(insert);
    raw_execute(database, "UPDATE Z_PRIMARYKEY SET Z_MAX = (SELECT max(Z_PK) FROM ZITEM) WHERE Z_NAME = 'Item'");
    raw_execute(database, "COMMIT");
    raw_execute(database, "PRAGMA wal_checkpoint(TRUNCATE)");
    raw_close(database);
}

struct raw_writer {
    sqlite3 *database;
    sqlite3_stmt *set, *grow;
};

raw_writer *raw_writer_open(const char *path) {
    raw_writer *writer = calloc(1, sizeof *writer);
    writer->database = raw_open(path);
    writer->set = raw_prepare(writer->database, "UPDATE ZITEM SET ZVALUE = ?2, Z_OPT = Z_OPT + 1 WHERE Z_PK = ?1");
    writer->grow = raw_prepare(
        writer->database, "UPDATE ZITEM SET ZTEXT = ZTEXT, Z_OPT = Z_OPT + 1 WHERE Z_PK BETWEEN ?1 AND ?1 + ?2 - 1");
    return writer;
}

static void run(sqlite3 *database, sqlite3_stmt *statement, int64_t first, int64_t second) {
    sqlite3_bind_int64(statement, 1, first);
    sqlite3_bind_int64(statement, 2, second);
    raw_check(database, sqlite3_step(statement), SQLITE_DONE, "commit");
    raw_check(database, sqlite3_reset(statement), SQLITE_OK, "commit");
}

void raw_writer_set(raw_writer *writer, int64_t key, int64_t value) { run(writer->database, writer->set, key, value); }

void raw_writer_grow(raw_writer *writer, int64_t key, int64_t count) { run(writer->database, writer->grow, key, count); }

void raw_writer_close(raw_writer *writer) {
    sqlite3_finalize(writer->set);
    sqlite3_finalize(writer->grow);
    raw_close(writer->database);
    free(writer);
}
