// What the files that work with persons share.
#ifndef RAW_TABLES_H
#define RAW_TABLES_H

#include "raw_people.h"

// Steps to the end of a statement without rows, and resets it.
void raw_run(sqlite3 *database, sqlite3_stmt *statement);
// The number of an entity.
int64_t raw_entity(sqlite3 *database, const char *name);
// Notes the last person's key in Z_PRIMARYKEY.
void raw_people_note_keys(sqlite3 *database);
// Binds a person to the parameters from 1 on: key, entity, and the five attributes.
void raw_person_bind(sqlite3_stmt *insert, int64_t key, int64_t entity, const raw_person *person);

typedef struct {
    int64_t key, version, number;
} raw_row;

struct raw_rows {
    int64_t count, capacity;
    raw_row *rows;
};

// The first persons, whom small saves change.
#define RAW_FIRST_PERSONS "SELECT Z_PK, Z_OPT, ZAGE FROM ZPERSON LIMIT 1000"
// Gives each cache that has the row its new contents.
void raw_caches_tell(raw_caches *caches, const raw_row *changed);

#endif
