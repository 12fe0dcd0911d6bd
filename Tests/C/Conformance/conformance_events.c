/* Blocks, notifications, hooks and errors of the scenarios, and the store as others see it. */
#define _POSIX_C_SOURCE 200809L
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "conformance.h"

/* Steps that run later, in a callback. */
typedef struct {
    runner *self;
    const struct step *body;
} later;

static later *new_later(runner *self, const struct step *body) {
    later *made = calloc(1, sizeof *made);
    *made = (later){self, body};
    return made;
}

static pinview_status run_block(pinview_context *context, void *userdata) {
    const later *block = userdata;
    (void)context;
    (void)run_steps(block->self, block->body);
    return PINVIEW_OK;
}

static pinview_status run_later(pinview_context *context, void *userdata) {
    is_later = 1;
    (void)run_block(context, userdata);
    is_later = 0;
    return PINVIEW_OK;
}

static void *run_thread(void *userdata) {
    const later *block = userdata;
    (void)run_steps(block->self, block->body);
    return NULL;
}

/* Hooks. */

enum { hook_count = 11, property_check = 10 };
static const char *const hook_names[] = {"awakeFromInsert", "awakeFromFetch", "prepareForDeletion", "willSave", "validateForInsert", "validateForUpdate",
                                         "validateForDelete", "didSave", "willTurnIntoFault", "didTurnIntoFault"};

typedef struct {
    runner *self;
    const struct step *bodies[hook_count];
    char key[name_limit];
    pinview_string checked;
} hook_set;

static pinview_status run_hook(const hook_set *hooks, int number, pinview_object *object) {
    runner *self = hooks->self;
    pinview_object *before = remove_entry_named(&self->objects, "it");
    set_entry(&self->objects, "it", object);
    pinview_status status = run_steps(self, hooks->bodies[number]);
    (void)remove_entry_named(&self->objects, "it");
    if (before != NULL) set_entry(&self->objects, "it", before);
    return status;
}

#define HOOK(number) \
    static pinview_status hook_##number(pinview_object *object, void *userdata) { return run_hook(userdata, number, object); }
#define NOTICE(number) \
    static void notice_##number(pinview_object *object, void *userdata) { (void)run_hook(userdata, number, object); }
HOOK(0)
HOOK(1)
HOOK(2)
HOOK(3)
HOOK(4)
HOOK(5)
HOOK(6)
NOTICE(7)
NOTICE(8)
NOTICE(9)

static pinview_status check(pinview_object *object, pinview_string key, const pinview_value *value, void *userdata) {
    (void)key;
    (void)value;
    return run_hook(userdata, property_check, object);
}

static int set_hook(runner *self, const struct step *step, seen *out) {
    hook_set *hooks = find_entry(&self->hooks, step->words[1]);
    if (hooks == NULL) {
        hooks = calloc(1, sizeof *hooks);
        hooks->self = self;
        set_entry(&self->hooks, step->words[1], hooks);
    }
    for (int number = 0; number < property_check; number++)
        if (strcmp(hook_names[number], step->words[2]) == 0) hooks->bodies[number] = step->body;
    if (strncmp(step->words[2], "validateProperty:", 17) == 0) {
        hooks->bodies[property_check] = step->body;
        snprintf(hooks->key, sizeof hooks->key, "%s", step->words[2] + 17);
        hooks->checked = TEXT(hooks->key);
    }
    const struct step *const *bodies = hooks->bodies;
    const pinview_entity_hooks given = {
        .struct_size = sizeof given,
        .awake_from_insert = bodies[0] ? hook_0 : NULL,
        .awake_from_fetch = bodies[1] ? hook_1 : NULL,
        .prepare_for_deletion = bodies[2] ? hook_2 : NULL,
        .will_save = bodies[3] ? hook_3 : NULL,
        .validate_for_insert = bodies[4] ? hook_4 : NULL,
        .validate_for_update = bodies[5] ? hook_5 : NULL,
        .validate_for_delete = bodies[6] ? hook_6 : NULL,
        .did_save = bodies[7] ? notice_7 : NULL,
        .will_turn_into_fault = bodies[8] ? notice_8 : NULL,
        .did_turn_into_fault = bodies[9] ? notice_9 : NULL,
        .validate_property = bodies[property_check] ? check : NULL,
        .checked_keys = &hooks->checked,
        .checked_key_count = bodies[property_check] ? 1 : 0,
    };
    TRY(pinview_model_set_entity_hooks(self->model, TEXT(step->words[1]), &given, hooks, NULL, &out->error));
    return 1;
}

void release_hooks(runner *self) {
    for (int index = 0; index < self->hooks.count; index++) free(self->hooks.entries[index].value);
    self->hooks.count = 0;
}

/* Notifications. */

static const struct { const char *word, *name; } notification_names[] = {
    {"will-save", PINVIEW_WILL_SAVE_NOTIFICATION}, {"did-save", PINVIEW_DID_SAVE_NOTIFICATION}, {"did-change", PINVIEW_OBJECTS_DID_CHANGE_NOTIFICATION}};

static void describe(runner *self, text_buffer *text, const pinview_notification *note) {
    static const char *const keys[] = {PINVIEW_INSERTED_OBJECTS_KEY, PINVIEW_UPDATED_OBJECTS_KEY, PINVIEW_DELETED_OBJECTS_KEY,
                                       PINVIEW_REFRESHED_OBJECTS_KEY, PINVIEW_INVALIDATED_OBJECTS_KEY};
    pinview_context *context = NULL;
    pinview_result *result = NULL;
    pinview_token *token = NULL;
    EXPECT_NUMBER(pinview_notification_context(note, &context, NULL), PINVIEW_OK);
    for (int index = 0; index < self->contexts.count; index++)
        if (pinview_context_is_equal(context, self->contexts.entries[index].value)) append(text, "%s", self->contexts.entries[index].name);
    pinview_context_release(context);
    for (int index = 0; index < 3; index++)
        if (strcmp(notification_names[index].name, pinview_notification_name(note).data) == 0) append(text, " %s", notification_names[index].word);
    for (int index = 0; index < 5; index++) {
        EXPECT_NUMBER(pinview_notification_objects(note, TEXT(keys[index]), &result, NULL), PINVIEW_OK);
        if (pinview_result_count(result) == 0) {
            pinview_result_release(result);
            continue;
        }
        append(text, " %s", keys[index]);
        show_result(self, text, result, 0);
    }
    EXPECT_NUMBER(pinview_notification_object_ids(note, TEXT(PINVIEW_INVALIDATED_ALL_OBJECTS_KEY), &result, NULL), PINVIEW_OK);
    if (pinview_result_count(result) > 0) {
        append(text, " invalidatedAll");
        show_result(self, text, result, 0);
    } else pinview_result_release(result);
    EXPECT_NUMBER(pinview_notification_token(note, &token, NULL), PINVIEW_OK);
    if (token != NULL) append(text, " generation");
    if (token != NULL) pinview_token_release(token);
}

static void run_on(const pinview_notification *note, void *userdata) {
    const later *block = userdata;
    const pinview_notification *before = block->self->notification;
    block->self->notification = note;
    (void)run_steps(block->self, block->body);
    block->self->notification = before;
}

static void record(const pinview_notification *note, void *userdata) {
    runner *self = userdata;
    if (self->notes.size > 0) append(&self->notes, "; ");
    describe(self, &self->notes, note);
}

static int observe(runner *self, const struct step *step, seen *out) {
    pinview_string name = pinview_absent();
    pinview_context *context = strcmp(step->words[1], "*") == 0 ? NULL : context_named(self, step->words[1]);
    pinview_observer *observer = NULL;
    entry *made = &self->observers.entries[self->observers.count];
    for (int index = 0; index < 3; index++)
        if (strcmp(notification_names[index].word, step->words[2]) == 0) name = TEXT(notification_names[index].name);
    if (VERB("on")) TRY(pinview_observe(name, context, run_on, new_later(self, step->body), free, &observer, &out->error));
    else TRY(pinview_observe(name, context, record, self, NULL, &observer, &out->error));
    snprintf(made->name, name_limit, "%s", step->words[1]); /* there may be several of one name */
    made->value = observer;
    self->observers.count++;
    return 1;
}

static int merge_remote(runner *self, const struct step *step, seen *out) {
    static const char *const keys[] = {"inserted", "updated", "deleted"};
    char names[64];
    pinview_object_id *ids[3][8];
    size_t counts[3] = {0};
    for (int word = 2; word + 1 < step->count; word += 2)
        for (int key = 0; key < 3; key++)
            if (strcmp(keys[key], step->words[word]) == 0) ids[key][counts[key]++] = id_named(self, step->words[word + 1]);
    snprintf(names, sizeof names, "%s", step->words[1]);
    for (char *rest = NULL, *name = strtok_r(names, ",", &rest); name != NULL && out->error == NULL; name = strtok_r(NULL, ",", &rest))
        (void)pinview_context_merge_object_ids(context_named(self, name), ids[0], counts[0], ids[1], counts[1], ids[2], counts[2], &out->error);
    for (int key = 0; key < 3; key++)
        for (size_t index = 0; index < counts[key]; index++) pinview_object_id_release(ids[key][index]);
    return 1;
}

static int pin_to_note(runner *self, const char *name, seen *out) {
    pinview_token *token = NULL;
    TRY(pinview_notification_token(self->notification, &token, &out->error));
    (void)pinview_context_set_query_generation(context_named(self, name), token, &out->error);
    if (token != NULL) pinview_token_release(token);
    return 1;
}

static int save_token(runner *self, const char *token_name, const char *context, seen *out) {
    pinview_token *token = NULL, *before = remove_entry_named(&self->tokens, token_name);
    if (before != NULL) pinview_token_release(before);
    TRY(pinview_context_query_generation(context_named(self, context), &token, &out->error));
    set_entry(&self->tokens, token_name, token);
    return 1;
}

static int refuse_when(runner *self, const struct step *step, seen *out) {
    pinview_value value;
    text_buffer shown = {.size = 0};
    TRY(pinview_object_value(object_named(self, step->words[1]), TEXT(step->words[2]), &value, &out->error));
    show_value(&shown, &value);
    out->is_refused = strcmp(shown.data, step->words[3]) == 0;
    return 1;
}

static void take(text_buffer *from, const char *otherwise, seen *out) {
    append(&out->text, "%s", from->size == 0 ? otherwise : from->data);
    from->size = 0;
    from->data[0] = 0;
}

int event_verb(runner *self, const struct step *step, seen *out) {
    char *const *words = step->words + 1;
    later now = {self, step->body};
    pthread_t thread;
    uint64_t count = 0;
    if (VERB("in")) TRY(pinview_context_perform_and_wait(context_named(self, words[0]), run_block, &now, &out->error));
    else if (VERB("later")) {
        later *block = new_later(self, step->body);
        pinview_status status = pinview_context_perform(context_named(self, words[0]), run_later, block, free, &out->error);
        if (status != PINVIEW_OK) free(block); /* a call that fails takes nothing over */
    } else if (VERB("thread")) {
        REQUIRE(pthread_create(&thread, NULL, run_thread, &now) == 0);
        pthread_join(thread, NULL);
    } else if (VERB("drain")) {
        TRY(pinview_main_queue_drain(&count, &out->error));
        append(&out->text, "%d", (int)count);
        take_later(self);
    } else if (VERB("hook")) return set_hook(self, step, out);
    else if (VERB("on") || VERB("record")) return observe(self, step, out);
    else if (VERB("off")) {
        pinview_observer *observer;
        while ((observer = remove_entry_named(&self->observers, words[0])) != NULL) {
            OK(pinview_observer_remove(observer, ERROR));
            pinview_observer_release(observer);
        }
    } else if (VERB("note")) describe(self, &out->text, self->notification);
    else if (VERB("notes")) take(&self->notes, "none", out);
    else if (VERB("merge")) TRY(pinview_context_merge_changes(context_named(self, words[0]), self->notification, &out->error));
    else if (VERB("merge-remote")) return merge_remote(self, step, out);
    else if (VERB("pin-to-note")) return pin_to_note(self, words[0], out);
    else if (VERB("token")) return save_token(self, words[0], words[1], out);
    else if (VERB("refuse")) out->is_refused = 1;
    else if (VERB("refuse-when")) return refuse_when(self, step, out);
    else if (VERB("log") || VERB("log-object")) {
        if (self->log.size > 0) append(&self->log, ", ");
        append(&self->log, "%s", words[0]);
        for (int index = 2; VERB("log") && index < step->count; index++) append(&self->log, " %s", step->words[index]);
        if (VERB("log-object")) append(&self->log, " ");
        if (VERB("log-object")) show_object(self, &self->log, object_named(self, words[1]));
    } else if (VERB("logged")) take(&self->log, "nothing", out);
    else return 0;
    return 1;
}
