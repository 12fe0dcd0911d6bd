// The system's libsqlite3 for Swift, with the calls that Swift cannot make because they take
// variable arguments.
#ifndef CSQLITE_SHIM_H
#define CSQLITE_SHIM_H

#include <sqlite3.h>

/// Whether the last connection leaves the journal as it is when it closes.
static inline int pinview_set_no_checkpoint_on_close(sqlite3 *connection, int enabled) {
    return sqlite3_db_config(connection, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, enabled, (int *)0);
}

/// Has a connection distrust the file: what its schema holds runs no function that could do harm,
/// triggers and views are not run at all, no statement can change the schema's own table, and each
/// page is checked as it is read.
static inline void pinview_distrust_file(sqlite3 *connection) {
    sqlite3_db_config(connection, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, (int *)0);
    sqlite3_db_config(connection, SQLITE_DBCONFIG_ENABLE_TRIGGER, 0, (int *)0);
    sqlite3_db_config(connection, SQLITE_DBCONFIG_ENABLE_VIEW, 0, (int *)0);
    sqlite3_exec(connection, "PRAGMA cell_size_check=ON", 0, 0, 0);
}

/// Whatever becomes of the schema, no statement writes to its table, nor to the shadow tables of
/// others. It also refuses the journal mode off.
static inline void pinview_defend_schema(sqlite3 *connection) {
    sqlite3_db_config(connection, SQLITE_DBCONFIG_DEFENSIVE, 1, (int *)0);
}

/// Spares SQLite's allocations a process-wide mutex that only counts bytes. Refused, harmlessly,
/// once SQLite has been used.
static inline void pinview_disable_memory_statistics(void) {
    sqlite3_config(SQLITE_CONFIG_MEMSTATUS, 0);
}

#endif
