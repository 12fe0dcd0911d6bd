// Persons and cars by hand: what Workloads.md asks for.
#ifndef RAW_PEOPLE_H
#define RAW_PEOPLE_H

#include "raw_sqlite.h"

// Fills the empty tables of a store with as many persons and cars.
void raw_people_fill(const char *path, int64_t persons, int64_t cars);

// The persons' formulas.
typedef struct {
    char first_name[24], last_name[24], email[40];
    int64_t age;
    double height;
} raw_person;
void raw_person_make(raw_person *person, int64_t number);

// Inserts so many persons from a number on, in one transaction; with a row of ACHANGE for each when there is a history.
void raw_people_insert(sqlite3 *database, int64_t first, int64_t count, int with_history);

// Rows that were read and are kept.
typedef struct raw_rows raw_rows;
raw_rows *raw_rows_fetch(sqlite3 *database, const char *sql);
void raw_rows_free(raw_rows *rows);
// So many caches, for threads of their own, of the first 1,000 persons.
typedef struct raw_caches raw_caches;
raw_caches *raw_caches_fill(sqlite3 *database, int64_t count);
// The sum of the ages in all of them.
int64_t raw_caches_sum(const raw_caches *caches);
void raw_caches_free(raw_caches *caches);
// One more year for each person that was read, one by one in one transaction.
void raw_people_grow_older(sqlite3 *database, const raw_rows *rows);
// One more year for one of the first persons, each time in a transaction of its own that checks the version, with a row of
// ATRANSACTION and one of ACHANGE if there is a history. Tells the caches, if there are any, of each person's new row.
void raw_people_save_often(sqlite3 *database, int64_t saves, int64_t persons, int with_history, raw_caches *caches);
// Inserts so many persons from a number on in one transaction, or updates those whose e-mail address is there already. Each is older
// than its formula says.
void raw_people_upsert(sqlite3 *database, int64_t first, int64_t count, int64_t years);
// Deletes each car that was read, one by one in one transaction.
void raw_cars_delete(sqlite3 *database, const raw_rows *rows);

// Reads rows whose first column is an age and the others texts or numbers, one after another, and gives the sum of the ages. With a
// place for it, gives the most memory that was in use after every 1,000th row instead of being quick.
int64_t raw_people_stream(sqlite3 *database, const char *sql, int64_t *most_memory);

// All persons with all columns, kept; what follows FROM ZPERSON may be an order.
typedef struct raw_persons raw_persons;
raw_persons *raw_persons_fetch(sqlite3 *database, const char *tail);
int64_t raw_persons_ages(const raw_persons *persons);
// The sum of the positions of the persons with keys from 1 to a last one.
int64_t raw_persons_positions(const raw_persons *persons, int64_t last);
void raw_persons_free(raw_persons *persons);

#endif
