/* What the last error said, and the store as others see it. */
#define _POSIX_C_SOURCE 200809L
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "conformance.h"

static int compare_texts(const void *left, const void *right) {
    return strcmp(((const text_buffer *)left)->data, ((const text_buffer *)right)->data);
}

static void show_details(text_buffer *text, const pinview_error *error) {
    uint64_t count = pinview_error_detailed_error_count(error);
    text_buffer *details = calloc(count + 1, sizeof *details);
    for (uint64_t index = 0; index < count; index++) {
        pinview_error *detail = NULL;
        OK(pinview_error_detailed_error(error, index, &detail, ERROR));
        pinview_string key = pinview_error_validation_key(detail);
        int is_mine = strcmp(error_name(detail), "refused") == 0; /* the program's own error needs no key */
        append(&details[index], "%s", error_name(detail));
        if (key.data != NULL && !is_mine) append(&details[index], ":%s", key.data);
        pinview_error_release(detail);
    }
    qsort(details, count, sizeof *details, compare_texts);
    append(text, "[");
    for (uint64_t index = 0; index < count; index++) append(text, "%s%s", index == 0 ? "" : " ", details[index].data);
    append(text, "]");
    free(details);
}

static void show_conflict(runner *self, text_buffer *text, const pinview_error *error, uint64_t number) {
    static const char *const keys[] = {"age", "name"};
    pinview_conflict conflict;
    conflict.struct_size = sizeof conflict;
    OK(pinview_error_conflict(error, number, &conflict, ERROR));
    show_label(self, text, conflict.object_id);
    append(text, " %s %s", conflict.is_deletion ? "delete" : "update", conflict.row_exists ? "changed" : "gone");
    for (int key = 0; key < 2; key++) {
        for (uint64_t index = 0; index < conflict.property_count; index++) {
            pinview_conflict_property property;
            text_buffer values[3] = {{.size = 0}, {.size = 0}, {.size = 0}};
            property.struct_size = sizeof property;
            OK(pinview_error_conflict_property(error, number, index, &property, ERROR));
            if (strcmp(property.name.data, keys[key]) != 0) continue;
            show_value(&values[0], &property.base);
            show_value(&values[1], &property.mine);
            show_value(&values[2], &property.theirs);
            if (strcmp(values[0].data, values[1].data) == 0 && strcmp(values[0].data, values[2].data) == 0) continue;
            append(text, " %s=%s/%s/%s", keys[key], values[0].data, values[1].data, values[2].data);
        }
    }
    pinview_object_id_release(conflict.object_id);
}

static void show_constraint(text_buffer *text, const pinview_error *error, uint64_t number) {
    pinview_constraint_conflict conflict = {.struct_size = sizeof conflict};
    OK(pinview_error_constraint_conflict(error, number, &conflict, ERROR));
    append(text, "%s%s ", number == 0 ? "" : "; ", conflict.entity_name.data);
    for (uint32_t index = 0; index < conflict.constraint_property_count; index++) {
        pinview_constraint_property property = {.struct_size = sizeof property};
        OK(pinview_error_constraint_conflict_property(error, number, index, &property, ERROR));
        append(text, "%s%s=", index == 0 ? "" : ",", property.name.data);
        show_value(text, &property.value);
    }
    append(text, " %s %d", conflict.database_object_id == NULL ? "new" : "stored", (int)conflict.object_count);
}

static int failure(runner *self, const char *what, seen *out) {
    const pinview_error *error = self->failure;
    if (strcmp(what, "affected") == 0) {
        pinview_result *affected = NULL;
        TRY(pinview_error_affected_object_ids(error, &affected, &out->error));
        show_result(self, &out->text, affected, 0);
    } else if (strcmp(what, "stores") == 0) {
        append(&out->text, "%d", (int)pinview_error_affected_store_count(error));
    } else if (strcmp(what, "key") == 0) {
        pinview_string key = pinview_error_validation_key(error);
        append(&out->text, "%s", key.data == NULL ? "nil" : key.data);
    } else if (strcmp(what, "value") == 0) {
        pinview_value value;
        TRY(pinview_error_validation_value(error, &value, &out->error));
        show_value(&out->text, &value);
    } else if (strcmp(what, "sqlite") == 0) {
        append(&out->text, "%d", (int)pinview_error_sqlite_code(error));
    } else if (strcmp(what, "message") == 0) {
        append(&out->text, "%s", yes(pinview_error_message(error).size > 0));
    } else if (strcmp(what, "constraints") == 0) {
        for (uint64_t index = 0; index < pinview_error_constraint_conflict_count(error); index++) show_constraint(&out->text, error, index);
    } else if (strcmp(what, "details") == 0) {
        show_details(&out->text, error);
    } else {
        for (uint64_t index = 0; index < pinview_error_conflict_count(error); index++) {
            if (index > 0) append(&out->text, "; ");
            show_conflict(self, &out->text, error, index);
        }
    }
    return 1;
}

static sqlite3 *connect_to(runner *self, const char *store) {
    sqlite3 *connection = NULL;
    REQUIRE(sqlite3_open_v2(find_entry(&self->paths, store), &connection, SQLITE_OPEN_READWRITE, NULL) == SQLITE_OK);
    sqlite3_busy_timeout(connection, 60000);
    return connection;
}

static void run_sql(sqlite3 *connection, const char *sql, text_buffer *text) {
    sqlite3_stmt *statement = NULL;
    REQUIRE(sqlite3_prepare_v2(connection, sql, -1, &statement, NULL) == SQLITE_OK);
    for (int row = 0; sqlite3_step(statement) == SQLITE_ROW; row++) {
        if (row > 0) append(text, "; ");
        for (int column = 0; column < sqlite3_column_count(statement); column++) {
            const char *value = (const char *)sqlite3_column_text(statement, column);
            append(text, "%s%s", column == 0 ? "" : "|", value == NULL ? "" : value);
        }
    }
    sqlite3_finalize(statement);
}

static void query(pinview_context *context, const char *sql, seen *out) {
    pinview_sql_cursor *cursor = NULL;
    const pinview_value *values = NULL;
    size_t rows = 0;
    if (pinview_context_query_sql(context, NULL, pinview_text(sql), NULL, 0, &cursor, &out->error) != PINVIEW_OK) return;
    const size_t columns = pinview_sql_cursor_column_count(cursor);
    for (int row = 0; pinview_sql_cursor_read(cursor, 1, &values, &rows, &out->error) == PINVIEW_OK && rows > 0; row++) {
        if (row > 0) append(&out->text, "; ");
        for (size_t column = 0; column < columns; column++) {
            append(&out->text, "%s", column == 0 ? "" : "|");
            show_value(&out->text, &values[column]);
        }
    }
    pinview_sql_cursor_release(cursor);
}

static void note_statement(pinview_string line, void *userdata) {
    if (strstr(line.data, "SELECT") != NULL) ((runner *)userdata)->has_select = 1;
}

int fact_verb(runner *self, const struct step *step, seen *out) {
    if (VERB("failure")) return failure(self, step->words[1], out);
    if (VERB("sql")) {
        sqlite3 *connection = connect_to(self, step->words[1]);
        run_sql(connection, step->words[2], &out->text);
        sqlite3_close(connection);
    } else if (VERB("export")) {
        char file[64];
        pinview_token *token = NULL;
        pinview_coordinator *coordinator = NULL;
        pinview_context *context = context_named(self, step->words[1]);
        snprintf(file, sizeof file, "%.20s%.20s.sqlite", self->folder, step->words[2]);
        const char *path = test_path(file);
        TRY(pinview_context_query_generation(context, &token, &out->error));
        TRY(pinview_context_coordinator(context, &coordinator, &out->error));
        pinview_status status = pinview_coordinator_export(coordinator, token, NULL, pinview_text(path), 0, NULL, NULL, &out->error);
        pinview_token_release(token);
        pinview_coordinator_release(coordinator);
        TRY(status);
        set_entry(&self->paths, step->words[2], strdup(path));
    } else if (VERB("query")) {
        query(context_named(self, step->words[1]), step->words[2], out);
    } else if (VERB("sql-begin")) {
        self->locker = connect_to(self, step->words[1]);
        run_sql(self->locker, "BEGIN IMMEDIATE", &out->text);
    } else if (VERB("sql-end")) {
        run_sql(self->locker, "ROLLBACK", &out->text);
        sqlite3_close(self->locker);
    } else if (VERB("watch-sql")) {
        self->has_select = 0;
        TRY(pinview_sql_log_set_callback(note_statement, self, NULL, &out->error));
        pinview_sql_log_set_enabled(1);
    } else if (VERB("selects")) {
        append(&out->text, "%s", self->has_select ? "some" : "none");
        self->has_select = 0;
    } else return 0;
    return 1;
}
