/* Contexts, undo, generations and batches of the scenarios. */
#define _POSIX_C_SOURCE 200809L
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "conformance.h"

static const char *const policies[] = {"error", "store-trump", "object-trump", "overwrite", "rollback"};
static const struct { const char *name; int32_t flag; } flags[] = {
    {"retains", PINVIEW_CONTEXT_RETAINS_REGISTERED_OBJECTS},
    {"deletes-inaccessible", PINVIEW_CONTEXT_SHOULD_DELETE_INACCESSIBLE_FAULTS},
    {"propagates", PINVIEW_CONTEXT_PROPAGATES_DELETES_AT_END_OF_EVENT},
    {"automatic", PINVIEW_CONTEXT_AUTOMATICALLY_MERGES_CHANGES}};

static int setting(pinview_context *context, const char *key, const char *word, seen *out) {
    for (size_t index = 0; index < sizeof flags / sizeof flags[0]; index++) {
        if (strcmp(flags[index].name, key) != 0) continue;
        if (word == NULL) append(&out->text, "%s", yes(pinview_context_get_option(context, flags[index].flag)));
        else TRY(pinview_context_set_option(context, flags[index].flag, strcmp(word, "yes") == 0, &out->error));
        return 1;
    }
    if (strcmp(key, "policy") == 0) {
        if (word == NULL) append(&out->text, "%s", policies[pinview_context_merge_policy(context)]);
        for (int32_t policy = 0; word != NULL && policy < 5; policy++)
            if (strcmp(policies[policy], word) == 0) TRY(pinview_context_set_merge_policy(context, policy, &out->error));
    } else if (strcmp(key, "staleness") == 0) {
        if (word == NULL) append(&out->text, "%g", pinview_context_staleness_interval(context));
        else TRY(pinview_context_set_staleness_interval(context, atof(word), &out->error));
    } else if (strcmp(key, "timeout") == 0) {
        if (word != NULL) TRY(pinview_context_set_timeout(context, atof(word), &out->error)); /* 0 for "none" */
        else if (pinview_context_timeout(context) > 0) append(&out->text, "%g", pinview_context_timeout(context));
        else append(&out->text, "none");
    } else {
        int is_name = strcmp(key, "name") == 0;
        pinview_string text = is_name ? pinview_context_name(context) : pinview_context_transaction_author(context);
        if (word == NULL) {
            append(&out->text, "%s", text.data == NULL ? "nil" : text.data);
            return 1;
        }
        text = strcmp(word, "nil") == 0 ? pinview_absent() : TEXT(word);
        if (is_name) TRY(pinview_context_set_name(context, text, &out->error));
        else TRY(pinview_context_set_transaction_author(context, text, &out->error));
    }
    return 1;
}

static int objects(runner *self, pinview_context *context, const char *kind, seen *out) {
    pinview_result *result = NULL;
    if (strcmp(kind, "inserted") == 0) TRY(pinview_context_inserted_objects(context, &result, &out->error));
    else if (strcmp(kind, "updated") == 0) TRY(pinview_context_updated_objects(context, &result, &out->error));
    else if (strcmp(kind, "deleted") == 0) TRY(pinview_context_deleted_objects(context, &result, &out->error));
    else TRY(pinview_context_registered_objects(context, &result, &out->error));
    show_result(self, &out->text, result, 0);
    return 1;
}

/* Undo. */

static const char *named(pinview_string name) { return name.size == 0 ? "unnamed" : name.data; }

static int undo_verb(const struct step *step, pinview_context *context, pinview_undo_manager *manager, seen *out) {
    const char *word = step->words[2];
    if (VERB("undo-manager") && word == NULL) append(&out->text, "%s", yes(manager != NULL));
    else if (VERB("undo-manager") && strcmp(word, "none") == 0) TRY(pinview_context_set_undo_manager(context, NULL, &out->error));
    else if (VERB("undo-manager")) {
        pinview_undo_manager *made = NULL;
        TRY(pinview_undo_manager_create(&made, &out->error));
        (void)pinview_context_set_undo_manager(context, made, &out->error);
        pinview_undo_manager_release(made);
    } else if (VERB("undo-state")) {
        append(&out->text, "undo %s, ", pinview_undo_manager_can_undo(manager) ? named(pinview_undo_manager_undo_action_name(manager)) : "nothing");
        append(&out->text, "redo %s", pinview_undo_manager_can_redo(manager) ? named(pinview_undo_manager_redo_action_name(manager)) : "nothing");
    } else if (VERB("undo-through-manager")) TRY(pinview_undo_manager_undo(manager, &out->error));
    else if (VERB("group")) TRY(pinview_undo_manager_begin_grouping(manager, &out->error));
    else if (VERB("ungroup")) TRY(pinview_undo_manager_end_grouping(manager, &out->error));
    else if (VERB("action")) TRY(pinview_undo_manager_set_action_name(manager, TEXT(word), &out->error));
    else if (VERB("levels")) TRY(pinview_undo_manager_set_levels(manager, (uint64_t)atoi(word), &out->error));
    else if (VERB("forget")) TRY(pinview_undo_manager_remove_all_actions(manager, &out->error));
    else return 0;
    return 1;
}

/* Generations. */

static pinview_token *token_of(pinview_context *context) {
    pinview_token *token = NULL;
    EXPECT_NUMBER(pinview_context_query_generation(context, &token, NULL), PINVIEW_OK);
    return token;
}

static const char *pinning(int32_t state) {
    switch (state) {
    case PINVIEW_QUERY_GENERATION_UNPINNED: return "unpinned";
    case PINVIEW_QUERY_GENERATION_PINNED_AT_NEXT_READ: return "at-next-read";
    case PINVIEW_QUERY_GENERATION_PINNED: return "pinned";
    default: return "?";
    }
}

static int generation_verb(runner *self, const struct step *step, pinview_context *context, seen *out) {
    pinview_token *token = NULL, *other = NULL;
    if (VERB("pin")) TRY(pinview_context_set_query_generation(context, step->words[2] == NULL ? pinview_token_current() : find_entry(&self->tokens, step->words[2]), &out->error));
    else if (VERB("unpin")) TRY(pinview_context_set_query_generation(context, NULL, &out->error));
    else if (VERB("pinning")) append(&out->text, "%s", pinning(pinview_context_query_generation_state(context)));
    else if (VERB("newer")) append(&out->text, "%s", yes(pinview_context_has_newer_generation(context)));
    else if (VERB("generation")) {
        token = token_of(context);
        append(&out->text, "%s", token == NULL ? "none" : pinview_token_is_current(token) ? "current" : "fixed");
    } else if (VERB("same-generation")) {
        token = token_of(context);
        other = token_of(context_named(self, step->words[2]));
        append(&out->text, "%s", yes(token == NULL || other == NULL ? token == other : pinview_token_is_equal(token, other)));
    } else return 0;
    if (token != NULL) pinview_token_release(token);
    if (other != NULL) pinview_token_release(other);
    return 1;
}

/* Batches and history. */

static int show_count(pinview_result *result, seen *out) {
    append(&out->text, "%d", (int)pinview_result_count(result));
    pinview_result_release(result);
    return 1;
}

static int batch(runner *self, const struct step *step, pinview_context *context, seen *out) {
    int is_update = VERB("batch-update"), first = is_update ? 5 : 3;
    pinview_predicate *predicate = NULL;
    pinview_value arguments[word_limit];
    pinview_result *result = NULL;
    size_t count = 0;
    for (int index = first + 1; index < step->count; index++) arguments[count++] = value_of(self, step->words[index]);
    if (step->words[first] != NULL) TRY(pinview_predicate_create(TEXT(step->words[first]), arguments, count, &predicate, &out->error));
    if (is_update) {
        const pinview_named_value property = {TEXT(step->words[3]), value_of(self, step->words[4])};
        const pinview_batch_update request = {.struct_size = sizeof request, .result_type = PINVIEW_RESULT_COUNT, .entity = TEXT(step->words[2]),
                                              .predicate = predicate, .properties = &property, .property_count = 1};
        (void)pinview_context_batch_update(context, &request, &result, &out->error);
    } else {
        pinview_fetch_request request;
        OK(pinview_fetch_request_init(&request, sizeof request, TEXT(step->words[2]), ERROR));
        request.predicate = predicate;
        (void)pinview_context_batch_delete(context, &request, NULL, 0, PINVIEW_RESULT_COUNT, &result, &out->error);
    }
    if (predicate != NULL) pinview_predicate_release(predicate);
    return out->error != NULL ? 1 : show_count(result, out);
}

/* `mail=a,name=b`: the names, the same in every row, and the values. The word is cut into pieces. */
static size_t row_of(runner *self, char *word, pinview_string *names, pinview_value *values) {
    size_t count = 0;
    for (char *pair = strtok(word, ","); pair != NULL; pair = strtok(NULL, ",")) {
        char *value = strchr(pair, '=');
        *value++ = 0;
        names[count] = TEXT(pair);
        values[count++] = value_of(self, value);
    }
    return count;
}

static size_t names_of(char *word, pinview_string *names) {
    size_t count = 0;
    for (char *name = strtok(word, ","); name != NULL; name = strtok(NULL, ",")) names[count++] = TEXT(name);
    return count;
}

/* Rows from a word on. */
typedef struct {
    char *texts[word_limit];
    pinview_string names[word_limit];
    pinview_value values[word_limit * word_limit];
    size_t name_count, row_count;
} row_words;

static void read_rows(runner *self, const struct step *step, int first, row_words *rows) {
    memset(rows, 0, sizeof *rows);
    for (int index = first; index < step->count; index++) {
        if (strncmp(step->words[index], "on-", 3) == 0) continue;
        rows->texts[rows->row_count] = strdup(step->words[index]);
        rows->name_count = row_of(self, rows->texts[rows->row_count], rows->names, rows->values + rows->row_count * rows->name_count);
        rows->row_count++;
    }
}

static void free_rows(row_words *rows) {
    for (size_t row = 0; row < rows->row_count; row++) free(rows->texts[row]);
}

static int batch_insert(runner *self, const struct step *step, pinview_context *context, seen *out) {
    row_words rows;
    pinview_result *result = NULL;
    uint64_t inserted = 0, updated = 0, left = 0;
    read_rows(self, step, 4, &rows);
    pinview_batch_insert request = {.struct_size = sizeof request, .result_type = PINVIEW_RESULT_COUNT, .entity = TEXT(step->words[2]),
                                    .names = rows.names, .name_count = rows.name_count, .values = rows.values, .row_count = rows.row_count};
    for (int policy = 0; policy < (int)(sizeof policies / sizeof policies[0]); policy++)
        if (strcmp(policies[policy], step->words[3]) == 0) request.merge_policy = policy;
    (void)pinview_context_batch_insert(context, &request, &result, &out->error);
    free_rows(&rows);
    if (out->error != NULL) return 1;
    TRY(pinview_result_row_counts(result, &inserted, &updated, &left, &out->error));
    append(&out->text, "inserted %d, updated %d, left %d", (int)inserted, (int)updated, (int)left);
    pinview_result_release(result);
    return 1;
}

static int upsert(runner *self, const struct step *step, pinview_context *context, seen *out) {
    static const char *const outcome_names[] = {"created", "updated", "unchanged"};
    row_words rows;
    char *constraint_text = strdup(step->words[3]), *on_insert = NULL, *on_update = NULL;
    pinview_string constraint[word_limit], insert_names[word_limit], update_names[word_limit];
    pinview_result *result = NULL;
    int32_t outcomes[word_limit];
    read_rows(self, step, 4, &rows);
    pinview_upsert request = {.struct_size = sizeof request, .entity = TEXT(step->words[2]), .constraint = constraint,
                              .names = rows.names, .name_count = rows.name_count, .values = rows.values, .row_count = rows.row_count};
    request.constraint_count = names_of(constraint_text, constraint);
    for (int index = 4; index < step->count; index++) {
        if (strncmp(step->words[index], "on-insert:", 10) == 0) {
            on_insert = strdup(step->words[index] + 10);
            request.insert_names = insert_names;
            request.insert_name_count = names_of(on_insert, insert_names);
        } else if (strncmp(step->words[index], "on-update:", 10) == 0) {
            on_update = strdup(step->words[index] + 10);
            request.update_name_count = names_of(on_update, update_names);
            if (request.update_name_count == 0) request.flags = PINVIEW_UPSERT_LEAVES_EXISTING;
            else request.update_names = update_names;
        }
    }
    (void)pinview_context_upsert(context, &request, &result, &out->error);
    if (out->error == NULL && pinview_result_upsert_outcomes(result, 0, rows.row_count, outcomes, &out->error) == PINVIEW_OK) {
        for (size_t row = 0; row < rows.row_count; row++)
            append(&out->text, "%s%s", row == 0 ? "" : " ", outcome_names[outcomes[row]]);
    }
    if (result != NULL) pinview_result_release(result);
    free_rows(&rows);
    free(constraint_text);
    free(on_insert);
    free(on_update);
    return 1;
}

static int authors(pinview_context *context, seen *out) {
    const pinview_history_request request = {.struct_size = sizeof request};
    pinview_history *history = NULL;
    TRY(pinview_context_fetch_history(context, &request, &history, &out->error));
    append(&out->text, "[");
    for (uint64_t index = 0; index < pinview_history_count(history); index++) {
        pinview_history_transaction transaction;
        OK(pinview_history_transaction_at(history, index, &transaction, ERROR));
        append(&out->text, "%s%s", index == 0 ? "" : " ", transaction.author.data == NULL ? "nil" : transaction.author.data);
    }
    append(&out->text, "]");
    pinview_history_release(history);
    return 1;
}

static pinview_status nothing(pinview_context *context, void *userdata) {
    (void)context;
    (void)userdata;
    return PINVIEW_OK;
}

int context_verb(runner *self, const struct step *step, seen *out) {
    pinview_context *context = step->count > 1 ? find_entry(&self->contexts, step->words[1]) : NULL;
    pinview_undo_manager *manager = NULL;
    int32_t truth = 0;
    if (context == NULL) return 0;
    if (VERB("setting")) return setting(context, step->words[2], step->words[3], out);
    if (VERB("objects")) return objects(self, context, step->words[2], out);
    if (VERB("batch-update") || VERB("batch-delete")) return batch(self, step, context, out);
    if (VERB("batch-insert")) return batch_insert(self, step, context, out);
    if (VERB("upsert")) return upsert(self, step, context, out);
    if (VERB("authors")) return authors(context, out);
    if (VERB("changes")) {
        TRY(pinview_context_has_changes(context, &truth, &out->error));
        append(&out->text, "%s", yes(truth));
    } else if (VERB("save")) TRY(pinview_context_save(context, &out->error));
    else if (VERB("rollback")) TRY(pinview_context_rollback(context, &out->error));
    else if (VERB("undo")) TRY(pinview_context_undo(context, &out->error));
    else if (VERB("redo")) TRY(pinview_context_redo(context, &out->error));
    else if (VERB("process")) TRY(pinview_context_process_pending_changes(context, &out->error));
    else if (VERB("reset")) TRY(pinview_context_reset(context, &out->error));
    else if (VERB("refresh-all")) TRY(pinview_context_refresh_all_objects(context, &out->error));
    else if (VERB("wait")) {
        TRY(pinview_context_perform_and_wait(context, nothing, NULL, &out->error));
        if (step->count == 2) take_later(self);
    } else {
        if (generation_verb(self, step, context, out)) return 1;
        OK(pinview_context_undo_manager(context, &manager, ERROR));
        int is_mine = undo_verb(step, context, manager, out);
        if (manager != NULL) pinview_undo_manager_release(manager);
        return is_mine;
    }
    return 1;
}
