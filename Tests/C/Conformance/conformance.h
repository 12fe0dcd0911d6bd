/* Runs the scenarios of Tests/Conformance in C; what the steps mean is in the README there. */
#ifndef PINVIEW_TESTS_CONFORMANCE_H
#define PINVIEW_TESTS_CONFORMANCE_H

#include <stdio.h>

#include "support.h"

#ifndef CONFORMANCE_FOLDER
#define CONFORMANCE_FOLDER "Tests/Conformance"
#endif

enum { word_limit = 24, name_limit = 32, text_limit = 4000 };

struct step {
    int line, count;
    char *text;              /* the words as they are shown */
    char *words[word_limit]; /* NULL behind the last one */
    char *expected;
    struct step *body, *next;
};

typedef struct {
    char data[text_limit];
    size_t size;
} text_buffer;

/* What a step saw: an error, or a text ("ok" unless something is written). */
typedef struct {
    text_buffer text;
    pinview_error *error;
    int is_refused;
} seen;

typedef struct {
    char name[name_limit];
    void *value;     /* a handle of the kind that the table is for */
} entry;

typedef struct {
    entry entries[64];
    int count;
} table;

typedef struct runner {
    const char *file, *folder;
    FILE *transcript;
    text_buffer waiting; /* what blocks on other threads saw; written where the scenario has waited for them */
    pinview_model *model;
    table coordinators, stores, paths, contexts, objects, dropped, tokens, observers, hooks;
    const pinview_notification *notification; /* the one that is being delivered */
    text_buffer notes, log;
    int has_select;
    pinview_error *failure;
    void *locker;
} runner;

void append(text_buffer *text, const char *format, ...) __attribute__((format(printf, 2, 3)));

void *find_entry(const table *entries, const char *name);
void set_entry(table *entries, const char *name, void *value); /* gives what was there before back to nobody */
void *remove_entry_named(table *entries, const char *name);

/* Runs steps; those that are there to refuse end the row, and the status is that of their error. */
pinview_status run_steps(runner *self, const struct step *steps);

extern _Thread_local int is_later; /* whether a block runs that the scenario did not wait for */
void take_later(runner *self);

/* By name; a scenario that names what it has not made ends the program. */
pinview_context *context_named(runner *self, const char *name);
pinview_context *home_of(runner *self, const char *name);
pinview_object *object_named(runner *self, const char *name);
pinview_object_id *id_named(runner *self, const char *name);              /* owned */
void bind_object(runner *self, const char *name, pinview_object *object); /* takes the reference over */
pinview_value value_of(runner *self, const char *word);

void show_value(text_buffer *text, const pinview_value *value);
void show_label(runner *self, text_buffer *text, const pinview_object_id *object_id);
void show_object(runner *self, text_buffer *text, const pinview_object *object);
void show_result(runner *self, text_buffer *text, pinview_result *result, int is_ordered); /* releases it */
const char *error_name(const pinview_error *error);
const char *yes(int truth);

/* Each says whether the verb is one of its own. */
int stack_verb(runner *self, const struct step *step, seen *out);
int object_verb(runner *self, const struct step *step, seen *out);
int fetch_verb(runner *self, const struct step *step, seen *out);
int context_verb(runner *self, const struct step *step, seen *out);
int event_verb(runner *self, const struct step *step, seen *out);
int fact_verb(runner *self, const struct step *step, seen *out);
void release_hooks(runner *self);

#define VERB(name) (strcmp(step->words[0], name) == 0)
#define TRY(call)                          \
    do {                                   \
        if ((call) != PINVIEW_OK) return 1; \
    } while (0)

#endif
