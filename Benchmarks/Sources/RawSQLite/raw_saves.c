// Small saves and upserts by hand.
#include <stdlib.h>

#include "raw_tables.h"

// A transaction of the history, with one change.
typedef struct {
    int64_t transaction, change, entity;
    sqlite3_stmt *insert_transaction, *insert_change, *note_transaction, *note_change;
} history_rows;

static history_rows history_open(sqlite3 *database) {
    history_rows history = {
        .transaction = raw_value(database, "SELECT coalesce(max(Z_PK), 0) FROM ATRANSACTION"),
        .change = raw_value(database, "SELECT coalesce(max(Z_PK), 0) FROM ACHANGE"),
        .entity = raw_entity(database, "Person"),
        .insert_transaction = raw_prepare(
            database, "INSERT INTO ATRANSACTION (Z_PK, Z_ENT, Z_OPT, ZTIMESTAMP) VALUES (?1, 16002, 1, julianday('now'))"),
        .insert_change = raw_prepare(
            database, "INSERT INTO ACHANGE (Z_PK, Z_ENT, Z_OPT, ZCHANGETYPE, ZENTITY, ZENTITYPK, ZTRANSACTIONID) "
                      "VALUES (?1, 16001, 1, 1, ?2, ?3, ?4)"),
        .note_transaction = raw_prepare(database, "UPDATE Z_PRIMARYKEY SET Z_MAX = ?1 WHERE Z_ENT = 16002"),
        .note_change = raw_prepare(database, "UPDATE Z_PRIMARYKEY SET Z_MAX = ?1 WHERE Z_ENT = 16001"),
    };
    return history;
}

static void history_note(sqlite3 *database, history_rows *history, int64_t key) {
    sqlite3_bind_int64(history->insert_transaction, 1, ++history->transaction);
    raw_run(database, history->insert_transaction);
    sqlite3_bind_int64(history->insert_change, 1, ++history->change);
    sqlite3_bind_int64(history->insert_change, 2, history->entity);
    sqlite3_bind_int64(history->insert_change, 3, key);
    sqlite3_bind_int64(history->insert_change, 4, history->transaction);
    raw_run(database, history->insert_change);
    sqlite3_bind_int64(history->note_transaction, 1, history->transaction);
    raw_run(database, history->note_transaction);
    sqlite3_bind_int64(history->note_change, 1, history->change);
    raw_run(database, history->note_change);
}

static void history_close(history_rows *history) {
    sqlite3_finalize(history->insert_transaction);
    sqlite3_finalize(history->insert_change);
    sqlite3_finalize(history->note_transaction);
    sqlite3_finalize(history->note_change);
}

void raw_people_save_often(sqlite3 *database, int64_t saves, int64_t persons, int with_history, raw_caches *caches) {
    sqlite3_stmt *const begin = raw_prepare(database, "BEGIN IMMEDIATE"), *const commit = raw_prepare(database, "COMMIT");
    sqlite3_stmt *const update =
        raw_prepare(database, "UPDATE ZPERSON SET ZAGE = ?2, Z_OPT = ?3 + 1 WHERE Z_PK = ?1 AND Z_OPT = ?3");
    history_rows history = {0};
    if (with_history) history = history_open(database);
    raw_rows *const rows = raw_rows_fetch(database, RAW_FIRST_PERSONS);
    for (int64_t save = 0; save < saves; save++) {
        raw_row *const changed = &rows->rows[save % persons];
        raw_run(database, begin);
        sqlite3_bind_int64(update, 1, changed->key);
        sqlite3_bind_int64(update, 2, ++changed->number);
        sqlite3_bind_int64(update, 3, changed->version++);
        raw_run(database, update);
        raw_check(database, sqlite3_changes(database), 1, "changes");
        if (with_history) history_note(database, &history, changed->key);
        raw_run(database, commit);
        if (caches != NULL) raw_caches_tell(caches, changed);
    }
    raw_rows_free(rows);
    history_close(&history);
    sqlite3_finalize(begin);
    sqlite3_finalize(commit);
    sqlite3_finalize(update);
}

void raw_people_upsert(sqlite3 *database, int64_t first, int64_t count, int64_t years) {
    const int64_t number = raw_entity(database, "Person");
    sqlite3_stmt *const upsert = raw_prepare(
        database,
        "INSERT INTO ZPERSON (Z_PK, Z_ENT, Z_OPT, ZFIRSTNAME, ZLASTNAME, ZEMAIL, ZAGE, ZHEIGHT) VALUES (?1, ?2, 1, ?3, ?4, ?5, ?6, ?7) "
        "ON CONFLICT (ZEMAIL) DO UPDATE SET ZFIRSTNAME = excluded.ZFIRSTNAME, ZLASTNAME = excluded.ZLASTNAME, ZAGE = excluded.ZAGE, "
        "ZHEIGHT = excluded.ZHEIGHT, Z_OPT = Z_OPT + 1");
    raw_execute(database, "BEGIN IMMEDIATE");
    int64_t key = raw_value(database, "SELECT Z_MAX FROM Z_PRIMARYKEY WHERE Z_NAME = 'Person'");
    raw_person person;
    for (int64_t index = 0; index < count; index++) {
        raw_person_make(&person, first + index);
        person.age = (first + index + years) % 90;
        raw_person_bind(upsert, ++key, number, &person);
        raw_run(database, upsert);
    }
    raw_people_note_keys(database);
    raw_execute(database, "COMMIT");
    sqlite3_finalize(upsert);
}
