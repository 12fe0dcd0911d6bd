#include "raw_people.h"
#include "raw_tables.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void raw_person_make(raw_person *person, int64_t number) {
    snprintf(person->first_name, sizeof person->first_name, "First%d", (int)(number % 500));
    snprintf(person->last_name, sizeof person->last_name, "Last%d", (int)(number % 7919));
    snprintf(person->email, sizeof person->email, "person%lld@example.com", (long long)number);
    person->age = number % 90;
    person->height = 1.5 + (double)(number % 50) / 100;
}

void raw_run(sqlite3 *database, sqlite3_stmt *statement) {
    raw_check(database, sqlite3_step(statement), SQLITE_DONE, "write");
    sqlite3_reset(statement);
}

int64_t raw_entity(sqlite3 *database, const char *name) {
    char sql[128];
    snprintf(sql, sizeof sql, "SELECT Z_ENT FROM Z_PRIMARYKEY WHERE Z_NAME = '%s'", name);
    return raw_value(database, sql);
}

void raw_people_note_keys(sqlite3 *database) {
    raw_execute(database, "UPDATE Z_PRIMARYKEY SET Z_MAX = coalesce((SELECT max(Z_PK) FROM ZPERSON), 0) WHERE Z_NAME = 'Person'");
}

static const char *const insert_person =
    "INSERT INTO ZPERSON (Z_PK, Z_ENT, Z_OPT, ZFIRSTNAME, ZLASTNAME, ZEMAIL, ZAGE, ZHEIGHT) VALUES (?1, ?2, 1, ?3, ?4, ?5, ?6, ?7)";

void raw_person_bind(sqlite3_stmt *insert, int64_t key, int64_t entity, const raw_person *person) {
    sqlite3_bind_int64(insert, 1, key);
    sqlite3_bind_int64(insert, 2, entity);
    sqlite3_bind_text(insert, 3, person->first_name, -1, SQLITE_STATIC);
    sqlite3_bind_text(insert, 4, person->last_name, -1, SQLITE_STATIC);
    sqlite3_bind_text(insert, 5, person->email, -1, SQLITE_STATIC);
    sqlite3_bind_int64(insert, 6, person->age);
    sqlite3_bind_double(insert, 7, person->height);
}

void raw_people_insert(sqlite3 *database, int64_t first, int64_t count, int with_history) {
    const int64_t number = raw_entity(database, "Person");
    sqlite3_stmt *const insert = raw_prepare(database, insert_person), *change = NULL;
    raw_execute(database, "BEGIN IMMEDIATE");
    int64_t key = raw_value(database, "SELECT Z_MAX FROM Z_PRIMARYKEY WHERE Z_NAME = 'Person'"), change_key = 0;
    if (with_history) {
        raw_execute(
            database,
            "INSERT INTO ATRANSACTION (Z_PK, Z_ENT, Z_OPT, ZTIMESTAMP) "
            "SELECT coalesce((SELECT max(Z_PK) FROM ATRANSACTION), 0) + 1, 16002, 1, julianday('now')");
        change_key = raw_value(database, "SELECT coalesce(max(Z_PK), 0) FROM ACHANGE");
        change = raw_prepare(
            database, "INSERT INTO ACHANGE (Z_PK, Z_ENT, Z_OPT, ZCHANGETYPE, ZENTITY, ZENTITYPK, ZTRANSACTIONID) "
                      "VALUES (?1, 16001, 1, 0, ?2, ?3, ?4)");
        sqlite3_bind_int64(change, 2, number);
        sqlite3_bind_int64(change, 4, raw_value(database, "SELECT max(Z_PK) FROM ATRANSACTION"));
    }
    raw_person person;
    for (int64_t index = 0; index < count; index++) {
        raw_person_make(&person, first + index);
        raw_person_bind(insert, ++key, number, &person);
        raw_run(database, insert);
        if (!with_history) continue;
        sqlite3_bind_int64(change, 1, ++change_key);
        sqlite3_bind_int64(change, 3, key);
        raw_run(database, change);
    }
    raw_people_note_keys(database);
    if (with_history) {
        raw_execute(database, "UPDATE Z_PRIMARYKEY SET Z_MAX = (SELECT max(Z_PK) FROM ACHANGE) WHERE Z_ENT = 16001");
        raw_execute(database, "UPDATE Z_PRIMARYKEY SET Z_MAX = (SELECT max(Z_PK) FROM ATRANSACTION) WHERE Z_ENT = 16002");
    }
    raw_execute(database, "COMMIT");
    sqlite3_finalize(insert);
    sqlite3_finalize(change);
}

void raw_people_fill(const char *path, int64_t persons, int64_t cars) {
    sqlite3 *const database = raw_open(path);
    raw_people_insert(database, 1, persons, 0);
    sqlite3_stmt *const insert = raw_prepare(
        database, "INSERT INTO ZCAR (Z_PK, Z_ENT, Z_OPT, ZPLATE, ZBRAND, ZYEAR, ZPRICE, ZOWNER) VALUES (?1, ?2, 1, ?3, ?4, ?5, ?6, ?7)");
    sqlite3_bind_int64(insert, 2, raw_entity(database, "Car"));
    raw_execute(database, "BEGIN IMMEDIATE");
    for (int64_t key = 1; key <= cars; key++) {
        char plate[24], brand[24];
        snprintf(plate, sizeof plate, "P-%lld", (long long)key);
        snprintf(brand, sizeof brand, "Brand%d", (int)(key % 40));
        sqlite3_bind_int64(insert, 1, key);
        sqlite3_bind_text(insert, 3, plate, -1, SQLITE_STATIC);
        sqlite3_bind_text(insert, 4, brand, -1, SQLITE_STATIC);
        sqlite3_bind_int64(insert, 5, 1990 + key % 35);
        sqlite3_bind_double(insert, 6, 5000 + (double)(key % 20000));
        sqlite3_bind_int64(insert, 7, 1 + key * 7919 % persons);
        raw_run(database, insert);
    }
    raw_execute(database, "UPDATE Z_PRIMARYKEY SET Z_MAX = coalesce((SELECT max(Z_PK) FROM ZCAR), 0) WHERE Z_NAME = 'Car'");
    raw_execute(database, "COMMIT");
    sqlite3_finalize(insert);
    raw_execute(database, "PRAGMA wal_checkpoint(TRUNCATE)");
    raw_close(database);
}


raw_rows *raw_rows_fetch(sqlite3 *database, const char *sql) {
    raw_rows *const rows = calloc(1, sizeof *rows);
    sqlite3_stmt *const statement = raw_prepare(database, sql);
    int code;
    while ((code = sqlite3_step(statement)) == SQLITE_ROW) {
        if (rows->count == rows->capacity) {
            rows->capacity = rows->capacity == 0 ? 1024 : 2 * rows->capacity;
            rows->rows = realloc(rows->rows, (size_t)rows->capacity * sizeof *rows->rows);
        }
        rows->rows[rows->count++] = (raw_row){
            sqlite3_column_int64(statement, 0), sqlite3_column_int64(statement, 1), sqlite3_column_int64(statement, 2)};
    }
    raw_check(database, code, SQLITE_DONE, sql);
    sqlite3_finalize(statement);
    return rows;
}

void raw_rows_free(raw_rows *rows) {
    free(rows->rows);
    free(rows);
}

void raw_people_grow_older(sqlite3 *database, const raw_rows *rows) {
    sqlite3_stmt *const update = raw_prepare(database, "UPDATE ZPERSON SET ZAGE = ?1, Z_OPT = ?2 WHERE Z_PK = ?3");
    raw_execute(database, "BEGIN IMMEDIATE");
    for (int64_t index = 0; index < rows->count; index++) {
        const raw_row *const person = &rows->rows[index];
        sqlite3_bind_int64(update, 1, person->number + 1);
        sqlite3_bind_int64(update, 2, person->version + 1);
        sqlite3_bind_int64(update, 3, person->key);
        raw_run(database, update);
    }
    raw_execute(database, "COMMIT");
    sqlite3_finalize(update);
}

void raw_cars_delete(sqlite3 *database, const raw_rows *rows) {
    sqlite3_stmt *const delete = raw_prepare(database, "DELETE FROM ZCAR WHERE Z_PK = ?1");
    raw_execute(database, "BEGIN IMMEDIATE");
    for (int64_t index = 0; index < rows->count; index++) {
        sqlite3_bind_int64(delete, 1, rows->rows[index].key);
        raw_run(database, delete);
    }
    raw_execute(database, "COMMIT");
    sqlite3_finalize(delete);
}
