/* What the tests build their scenes from. Every function requires success. */
#ifndef PINVIEW_TESTS_SUPPORT_H
#define PINVIEW_TESTS_SUPPORT_H

#include "harness.h"

#define TEXT(literal) pinview_text(literal)

/* A model, a coordinator and one store on it. */
typedef struct {
    pinview_model *model;
    pinview_coordinator *coordinator;
    pinview_store *store;
    const char *path;
} data_stack;

/* Person (name, age, cars) and Car (name, owner), both relationships nullify. */
extern const char people_json[];

pinview_model *people_model(void);
data_stack stack_open(const char *file_name);                          /* an SQLite store in the folder of the test */
data_stack stack_open_with(const char *file_name, const char *option, pinview_value value);
data_stack stack_of_model(const char *file_name, const char *json);    /* another model */
data_stack stack_in_memory(void);
void stack_close(data_stack *stack);

pinview_context *context_on(const data_stack *stack);                  /* private queue */
pinview_context *child_of(pinview_context *parent);

/* A saved person with a car of the same number: dave3 and car3, aged 20 + 3. */
void add_daves(const data_stack *stack, int first, int count);

pinview_object *insert_object(pinview_context *context, const char *entity, const char *name); /* owned */
void set_text(pinview_object *object, const char *key, const char *text);
void set_integer(pinview_object *object, const char *key, int64_t number);
pinview_string text_of(pinview_object *object, const char *key);
int64_t integer_of(pinview_object *object, const char *key);
uint64_t members_of(pinview_object *object, const char *key);
uint32_t state_of(pinview_object *object);

pinview_predicate *predicate(const char *format, const char *argument); /* owned; argument NULL: none */
pinview_result *fetch_named(pinview_context *context, const char *entity, const char *name); /* owned; name NULL: all */
pinview_object *one_named(pinview_context *context, const char *entity, const char *name);   /* owned; exactly one */
int64_t count_named(pinview_context *context, const char *entity, const char *name);

int has_token(pinview_context *context);
void pin(pinview_context *context);
void save(pinview_context *context);
int has_changes(pinview_context *context);
int is_valid_error(const pinview_error *error, const char *domain, int64_t code);

/* A number that some statement of SQLite gives, through a connection of its own to the file, as
   another program would. It waits for whoever is in its way, such as the library's own checkpoints;
   or it does not. */
int64_t sql_number(const char *path, const char *sql);
int64_t sql_number_at_once(const char *path, const char *sql);

/* An optional attribute, for a model that is built. */
pinview_attribute_description attribute(const char *name, int32_t type);

#endif
