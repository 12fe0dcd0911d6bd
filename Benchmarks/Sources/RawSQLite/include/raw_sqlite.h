// The workloads by hand, on libsqlite3 alone. An error of SQLite ends the process with a message: a benchmark that did not do its
// work must not give a figure.
#ifndef RAW_SQLITE_H
#define RAW_SQLITE_H

#include <sqlite3.h>
#include <stdint.h>

// Nanoseconds of the clock that is never set back.
int64_t raw_now(void);

// Ends the process when a call of SQLite gave anything but what was expected.
void raw_check(sqlite3 *database, int code, int expected, const char *what);

sqlite3 *raw_open(const char *path);
// The same with the page cache of 64 MiB that all peers of the group `workloads` have.
sqlite3 *raw_open_cached(const char *path);
void raw_close(sqlite3 *database);
void raw_execute(sqlite3 *database, const char *sql);
sqlite3_stmt *raw_prepare(sqlite3 *database, const char *sql);
int64_t raw_value(sqlite3 *database, const char *sql);

// Makes `rows` items with keys from 2 on in a store of the entity Item that has one with key 1, each with so many characters of text.
void raw_fill(const char *path, int64_t rows, int64_t characters);

// A program that commits: one row renewed in each transaction.
typedef struct raw_writer raw_writer;
raw_writer *raw_writer_open(const char *path);
void raw_writer_set(raw_writer *writer, int64_t key, int64_t value);
// Renews the text of `count` rows from `key` on, in one transaction.
void raw_writer_grow(raw_writer *writer, int64_t key, int64_t count);
void raw_writer_close(raw_writer *writer);

// How many bytes of the heap the process uses.
int64_t raw_heap_bytes(void);
// How often the calling thread has called malloc, calloc and realloc.
int64_t raw_allocations(void);

// Reads the value of a row over and over. Begins and ends no transaction.
typedef struct raw_reader raw_reader;
raw_reader *raw_reader_open(const char *path);
void raw_reader_begin(raw_reader *reader);
void raw_reader_end(raw_reader *reader);
int64_t raw_reader_value(raw_reader *reader, int64_t key);
// What a program asks that wants to know of other programs' commits.
int64_t raw_reader_data_version(raw_reader *reader);
void raw_reader_close(raw_reader *reader);
// The value of a row, read by a connection of its own, and the nanoseconds that opening and reading took.
int64_t raw_open_and_read(const char *path, int64_t key, int64_t *nanoseconds);

enum { RAW_POINT, RAW_RANGE, RAW_SCAN, RAW_COUNT };
// Reads once, as the only thread that uses the reader at the time: what threads have to do that share one connection.
int64_t raw_reader_take_turn(raw_reader *reader, int kind, int64_t key);

#endif
