/* The conformance scenarios, in C: the same steps run in Swift and in Python. */
#define _POSIX_C_SOURCE 200809L
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "conformance.h"
#include "topics.h"

void append(text_buffer *text, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    text->size += (size_t)vsnprintf(text->data + text->size, text_limit - text->size, format, arguments);
    va_end(arguments);
    if (text->size >= text_limit) text->size = text_limit - 1;
}

const char *yes(int truth) { return truth ? "yes" : "no"; }

/* Tables, in the order in which the names came. */

void *find_entry(const table *entries, const char *name) {
    for (int index = 0; index < entries->count; index++)
        if (strcmp(entries->entries[index].name, name) == 0) return entries->entries[index].value;
    return NULL;
}

void set_entry(table *entries, const char *name, void *value) {
    for (int index = 0; index < entries->count; index++) {
        if (strcmp(entries->entries[index].name, name) != 0) continue;
        entries->entries[index].value = value;
        return;
    }
    snprintf(entries->entries[entries->count].name, name_limit, "%s", name);
    entries->entries[entries->count++].value = value;
}

void *remove_entry_named(table *entries, const char *name) {
    for (int index = 0; index < entries->count; index++) {
        void *value = entries->entries[index].value;
        if (strcmp(entries->entries[index].name, name) != 0) continue;
        memmove(&entries->entries[index], &entries->entries[index + 1], (size_t)(entries->count - index - 1) * sizeof(entry));
        entries->count--;
        return value;
    }
    return NULL;
}

/* Names and values. */

static void *required(void *value, const char *name) {
    if (value != NULL) return value;
    fprintf(stderr, "the scenario has made no %s\n", name);
    exit(2);
}

pinview_context *context_named(runner *self, const char *name) { return required(find_entry(&self->contexts, name), name); }

pinview_context *home_of(runner *self, const char *name) {
    char context[name_limit];
    snprintf(context, sizeof context, "%.*s", (int)strcspn(name, "."), name);
    return context_named(self, context);
}

pinview_object *object_named(runner *self, const char *name) { return required(find_entry(&self->objects, name), name); }

pinview_object_id *id_named(runner *self, const char *name) {
    pinview_object *object = find_entry(&self->objects, name);
    pinview_object_id *object_id = NULL;
    if (object != NULL) {
        EXPECT_NUMBER(pinview_object_get_id(object, &object_id, NULL), PINVIEW_OK);
    } else {
        object_id = required(find_entry(&self->dropped, name), name);
        pinview_object_id_retain(object_id);
    }
    return object_id;
}

void bind_object(runner *self, const char *name, pinview_object *object) {
    pinview_object_id *known = remove_entry_named(&self->dropped, name);
    pinview_object *before = find_entry(&self->objects, name);
    if (known != NULL) pinview_object_id_release(known);
    set_entry(&self->objects, name, object);
    if (before != NULL) pinview_object_release(before);
}

pinview_value value_of(runner *self, const char *word) {
    char *end;
    pinview_object *object = find_entry(&self->objects, word);
    if (object != NULL) return pinview_value_object(object);
    if (strcmp(word, "nil") == 0) return pinview_value_null();
    long long number = strtoll(word, &end, 10);
    return *word != 0 && *end == 0 ? pinview_value_integer(number) : pinview_value_text(word);
}

/* What is shown. */

void show_value(text_buffer *text, const pinview_value *value) {
    if (value->type == PINVIEW_VALUE_NULL) append(text, "nil");
    else if (value->type == PINVIEW_VALUE_INTEGER) append(text, "%lld", (long long)value->as.integer);
    else if (value->type == PINVIEW_VALUE_STRING) append(text, "%s", value->as.string.data);
    else append(text, "a value of type %d", (int)value->type);
}

void show_label(runner *self, text_buffer *text, const pinview_object_id *object_id) {
    for (int index = 0; index < self->objects.count; index++) {
        pinview_object_id *known = NULL;
        const entry *held = &self->objects.entries[index];
        if (strcmp(held->name, "it") == 0) continue;
        EXPECT_NUMBER(pinview_object_get_id(held->value, &known, NULL), PINVIEW_OK);
        int is_equal = pinview_object_id_is_equal(known, object_id);
        pinview_object_id_release(known);
        if (!is_equal) continue;
        append(text, "%s", strchr(held->name, '.') + 1);
        return;
    }
    for (int index = 0; index < self->dropped.count; index++) {
        const entry *known = &self->dropped.entries[index];
        if (!pinview_object_id_is_equal(known->value, object_id)) continue;
        append(text, "%s", strchr(known->name, '.') + 1);
        return;
    }
    append(text, "?%s", pinview_object_id_entity_name(object_id).data);
}

void show_object(runner *self, text_buffer *text, const pinview_object *object) {
    pinview_object_id *object_id = NULL;
    EXPECT_NUMBER(pinview_object_get_id(object, &object_id, NULL), PINVIEW_OK);
    show_label(self, text, object_id);
    pinview_object_id_release(object_id);
}

static int compare_texts(const void *left, const void *right) {
    return strcmp(((const text_buffer *)left)->data, ((const text_buffer *)right)->data);
}

void show_result(runner *self, text_buffer *text, pinview_result *result, int is_ordered) {
    uint64_t count = pinview_result_count(result);
    text_buffer *labels = calloc(count + 1, sizeof *labels);
    for (uint64_t index = 0; index < count; index++) {
        if (pinview_result_get_type(result) == PINVIEW_RESULT_OBJECT_IDS) {
            pinview_object_id *object_id = NULL;
            EXPECT_NUMBER(pinview_result_object_id(result, index, &object_id, NULL), PINVIEW_OK);
            show_label(self, &labels[index], object_id);
            pinview_object_id_release(object_id);
        } else {
            pinview_object *object = NULL;
            EXPECT_NUMBER(pinview_result_object(result, index, &object, NULL), PINVIEW_OK);
            show_object(self, &labels[index], object);
            pinview_object_release(object);
        }
    }
    if (!is_ordered) qsort(labels, count, sizeof *labels, compare_texts);
    append(text, "%s", is_ordered ? "(" : "[");
    for (uint64_t index = 0; index < count; index++) append(text, "%s%s", index == 0 ? "" : " ", labels[index].data);
    append(text, "%s", is_ordered ? ")" : "]");
    free(labels);
    pinview_result_release(result);
}

static table error_names; /* by "domain code" */

const char *error_name(const pinview_error *error) {
    static char unknown[256];
    char key[name_limit];
    pinview_string domain = pinview_error_domain(error);
    if (strcmp(domain.data, "Conformance") == 0) return "refused";
    snprintf(key, sizeof key, "%.20s %d", domain.data, (int)pinview_error_code(error));
    const char *name = find_entry(&error_names, key);
    if (name != NULL) return name;
    snprintf(unknown, sizeof unknown, "%s: %.200s", key, pinview_error_message(error).data);
    return unknown;
}

/* Running. */

static int see(runner *self, const struct step *step, seen *out) {
    return stack_verb(self, step, out) || object_verb(self, step, out) || fetch_verb(self, step, out) || context_verb(self, step, out) ||
           event_verb(self, step, out) || fact_verb(self, step, out);
}

_Thread_local int is_later;

void take_later(runner *self) {
    if (self->transcript != NULL) fputs(self->waiting.data, self->transcript);
    self->waiting.size = 0;
    self->waiting.data[0] = 0;
}

pinview_status run_steps(runner *self, const struct step *steps) {
    for (const struct step *step = steps; step != NULL; step = step->next) {
        seen *out = calloc(1, sizeof *out);
        pinview_status status = PINVIEW_OK;
        if (!see(self, step, out)) append(&out->text, "unknown verb");
        if (out->error != NULL) {
            out->text.size = 0;
            append(&out->text, "error %s", error_name(out->error));
            if (self->failure != NULL) pinview_error_release(self->failure);
            self->failure = out->error;
        } else if (out->is_refused) {
            /* The error that this makes is the callback's. */
            status = pinview_error_create(TEXT("Conformance"), 1, TEXT("The scenario refuses."), NULL, NULL, &out->error, NULL);
            EXPECT_NUMBER(status, PINVIEW_OK);
            status = pinview_error_status(out->error);
            pinview_error_release(out->error);
            append(&out->text, "error refused");
        } else if (out->text.size == 0) {
            append(&out->text, "ok");
        }
        if (is_later) append(&self->waiting, "%d %s = %s\n", step->line, step->text, out->text.data);
        else if (self->transcript != NULL) fprintf(self->transcript, "%d %s = %s\n", step->line, step->text, out->text.data);
        if (!out->is_refused && strcmp(out->text.data, step->expected) != 0)
            test_failed(__FILE__, __LINE__, "%s.steps:%d: %s = %s, expected %s", self->file, step->line, step->text, out->text.data, step->expected);
        free(out);
        if (status != PINVIEW_OK) return status;
    }
    return PINVIEW_OK;
}

static void release_all(table *entries, pinview_status (*release)(void *)) {
    for (int index = 0; index < entries->count; index++)
        if (entries->entries[index].value != NULL) (void)release(entries->entries[index].value);
    entries->count = 0;
}

#define RELEASE(kind) \
    static pinview_status release_##kind(void *handle) { return pinview_##kind##_release(handle); }
RELEASE(coordinator)
RELEASE(store)
RELEASE(context)
RELEASE(object)
RELEASE(object_id)
RELEASE(token)

static pinview_status release_observer(void *observer) {
    OK(pinview_observer_remove(observer, ERROR));
    return pinview_observer_release(observer);
}

static pinview_status release_text(void *text) {
    free(text);
    return PINVIEW_OK;
}

static void run_scenario(const char *file, const char *title, const struct step *steps, FILE *transcript) {
    static int number;
    char folder[32];
    runner *self = calloc(1, sizeof *self);
    snprintf(folder, sizeof folder, "%d-", ++number);
    self->file = file;
    self->folder = folder;
    self->transcript = transcript;
    OK(pinview_model_create_from_file(TEXT(CONFORMANCE_FOLDER "/model.json"), pinview_text(NULL), 0, &self->model, ERROR));
    if (transcript != NULL) fprintf(transcript, "## %s: %s\n", file, title);
    (void)run_steps(self, steps);
    pinview_sql_log_set_enabled(0);
    OK(pinview_sql_log_set_callback(NULL, NULL, NULL, ERROR));
    release_all(&self->observers, release_observer);
    release_all(&self->objects, release_object);
    release_all(&self->dropped, release_object_id);
    release_all(&self->tokens, release_token);
    release_all(&self->contexts, release_context);
    release_all(&self->stores, release_store);
    release_all(&self->coordinators, release_coordinator);
    release_all(&self->paths, release_text);
    if (self->failure != NULL) pinview_error_release(self->failure);
    release_hooks(self);
    pinview_model_release(self->model);
    free(self);
}

/* Reading. */

/* Splits a line at spaces, in place; quotes make one word of several. */
static void split(struct step *step, char *line) {
    char *to = line;
    while (*line != 0) {
        int is_quoted = 0;
        while (*line == ' ') line++;
        if (*line == 0) break;
        to = line;
        step->words[step->count++] = to;
        for (; *line != 0 && (is_quoted || *line != ' '); line++) {
            if (*line == '\'') is_quoted = !is_quoted;
            else *to++ = *line;
        }
        if (*line != 0) line++;
        *to = 0;
    }
}

static struct step *read_step(char *line, int number) {
    struct step *made = calloc(1, sizeof *made);
    char *expected = strstr(line, " = ");
    made->line = number;
    made->expected = strdup(expected == NULL ? "ok" : expected + 3);
    if (expected != NULL) *expected = 0;
    split(made, line);
    text_buffer text = {.size = 0};
    for (int index = 0; index < made->count; index++) {
        append(&text, "%s%s", index == 0 ? "" : " ", made->words[index]);
        made->words[index] = strdup(made->words[index]);
    }
    made->text = strdup(text.data);
    return made;
}

static void free_steps(struct step *steps) {
    while (steps != NULL) {
        struct step *next = steps->next;
        free_steps(steps->body);
        for (int index = 0; index < steps->count; index++) free(steps->words[index]);
        free(steps->text);
        free(steps->expected);
        free(steps);
        steps = next;
    }
}

static int starts(const char *line, const char *word) {
    size_t size = strlen(word);
    return strncmp(line, word, size) == 0 && (line[size] == ' ' || line[size] == 0);
}

static void read_error_names(void) {
    char line[256], name[64], domain[64], key[80];
    int code;
    FILE *file = fopen(CONFORMANCE_FOLDER "/codes.txt", "r");
    REQUIRE(file != NULL);
    while (error_names.count < 64 && fgets(line, sizeof line, file) != NULL) {
        if (line[0] == '#' || sscanf(line, "%63s %63s %d", name, domain, &code) != 3) continue;
        snprintf(key, sizeof key, "%.20s %d", domain, code);
        if (find_entry(&error_names, key) == NULL) set_entry(&error_names, key, strdup(name));
    }
    fclose(file);
}

static FILE *open_transcript(const char *name) {
    char path[512];
    const char *place = getenv("PINVIEW_TRANSCRIPTS");
    if (place == NULL) return NULL;
    snprintf(path, sizeof path, "%.300s/c.%.60s.txt", place, name);
    FILE *transcript = fopen(path, "w");
    REQUIRE(transcript != NULL);
    return transcript;
}

/* Runs the scenarios of one file, one after the other. */
static void run_file(const char *name) {
    char path[512], line[512], title[256] = "";
    struct step *steps = NULL, **places[8] = {&steps};
    int depth = 0, number = 0, is_for_c = 1;
    snprintf(path, sizeof path, "%.300s/%.60s.steps", CONFORMANCE_FOLDER, name);
    if (error_names.count == 0) read_error_names();
    FILE *transcript = open_transcript(name), *file = fopen(path, "r");
    REQUIRE(file != NULL);
    for (int has_line = 1; has_line;) {
        has_line = fgets(line, sizeof line, file) != NULL;
        char *text = line + (has_line ? strspn(line, " ") : 0);
        number++;
        if (has_line) text[strcspn(text, "\n")] = 0;
        if (!has_line || starts(text, "scenario")) {
            if (title[0] != 0 && is_for_c) run_scenario(name, title, steps, transcript);
            free_steps(steps);
            steps = NULL;
            places[depth = 0] = &steps;
            is_for_c = 1;
            if (has_line) snprintf(title, sizeof title, "%.250s", text + strlen("scenario "));
        } else if (*text == 0 || *text == '#' || starts(text, "rows")) {
            continue;
        } else if (starts(text, "languages")) {
            is_for_c = strstr(text, " c") != NULL;
        } else if (starts(text, "end")) {
            depth--;
        } else {
            struct step *made = read_step(text, number);
            *places[depth] = made;
            places[depth] = &made->next;
            if (starts(text, "in") || starts(text, "later") || starts(text, "thread") || starts(text, "on") || starts(text, "hook"))
                places[++depth] = &made->body;
        }
    }
    fclose(file);
    if (transcript != NULL) fclose(transcript);
}

#define FILE_TEST(name) \
    static void name(void) { run_file(#name); }
FILE_TEST(agreeing)
FILE_TEST(contexts)
FILE_TEST(damaged)
FILE_TEST(faulting)
FILE_TEST(fetching)
FILE_TEST(generations)
FILE_TEST(nested)
FILE_TEST(notifications)
FILE_TEST(queues)
FILE_TEST(refreshing)
FILE_TEST(relationships)
FILE_TEST(saving)
FILE_TEST(undo)
FILE_TEST(uniqueness)

#define ENTRY(name) {"the scenarios of " #name, name}
static const test_case tests[] = {
    ENTRY(agreeing), ENTRY(contexts),      ENTRY(damaged), ENTRY(faulting), ENTRY(fetching),   ENTRY(generations), ENTRY(nested), ENTRY(notifications),
    ENTRY(queues),   ENTRY(refreshing), ENTRY(relationships), ENTRY(saving),   ENTRY(undo),        ENTRY(uniqueness),
};
const test_topic conformance_topic = TOPIC("conformance", tests);
