/* The section "Short programs", the symbols of the inline helpers, and arrays of structs that are
 * larger than those of the library. */
#define _DEFAULT_SOURCE
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "support.h"
#include "topics.h"

static pinview_context *people_context(const char *file_name) {
    pinview_context *context = NULL;
    OK(pinview_open(people_json, file_name == NULL ? NULL : test_path(file_name), NULL, 0, &context, ERROR));
    return context;
}

static void add(pinview_context *context, const char *name, int64_t age) {
    OK(pinview_insert(
        context, "Person", PINVIEW_NAMED_VALUES(pinview_named("name", pinview_value_text(name)), pinview_named("age", pinview_value_integer(age))),
        NULL, ERROR));
}

static pinview_context *three_people(const char *file_name) {
    pinview_context *context = people_context(file_name);
    add(context, "Ada", 36);
    add(context, "Bob", 20);
    add(context, "Cleo", 36);
    OK(pinview_context_save(context, ERROR));
    return context;
}

/* The names of a fetch, in a row. */
static const char *names_of(pinview_context *context, const char *format, const pinview_value *arguments, size_t count, const char *sort) {
    static char names[256];
    pinview_result *people = NULL;
    pinview_object *person = NULL;
    uint64_t index = 0;
    names[0] = 0;
    OK(pinview_fetch(context, "Person", format, arguments, count, sort, &people, ERROR));
    while (pinview_next(people, &index, &person, ERROR)) {
        strcat(names, index == 1 ? "" : " ");
        strcat(names, pinview_get_text(person, "name", "?", ERROR));
    }
    EXPECT(person == NULL && index == pinview_result_count(people));
    pinview_result_release(people);
    return names;
}

#define EXPECT_NAMES(names, expected) EXPECT_TEXT(pinview_text(names), expected)

static void a_store_is_opened_filled_and_read(void) {
    pinview_context *context = three_people("short.sqlite");
    EXPECT_NUMBER(sql_number(test_path("short.sqlite"), "SELECT count(*) FROM ZPERSON"), 3);
    EXPECT_NAMES(names_of(context, "age > %d", PINVIEW_VALUES(pinview_value_integer(30)), "-name"), "Cleo Ada");
    pinview_context_release(context);
}

static void a_store_without_a_path_is_in_memory(void) {
    pinview_context *context = three_people(NULL), *another = NULL;
    OK(pinview_open_another(context, &another, ERROR));
    EXPECT_NAMES(names_of(another, NULL, NULL, 0, "name"), "Ada Bob Cleo");
    pinview_context_release(another);
    pinview_context_release(context);
}

static void a_store_takes_options(void) {
    pinview_context *context = NULL;
    pinview_error *error = NULL;
    OK(pinview_open(
        people_json, test_path("options.sqlite"),
        PINVIEW_NAMED_VALUES(pinview_named(PINVIEW_STORE_OPTION_HISTORY_TRACKING, pinview_value_boolean(1))), &context, ERROR));
    pinview_context_release(context);
    FAILS(
        PINVIEW_ERROR_INVALID_ARGUMENT,
        pinview_open(people_json, test_path("bad.sqlite"), PINVIEW_NAMED_VALUES(pinview_named("nothing", pinview_value_null())), &context, ERROR));
    EXPECT(context == NULL);
    EXPECT_NUMBER(pinview_open("{", NULL, NULL, 0, &context, &error), PINVIEW_ERROR_BAD_MODEL);
    EXPECT(context == NULL && error != NULL);
    pinview_error_release(error);
}

static void texts_sort_by_several_keys(void) {
    pinview_context *context = three_people(NULL);
    EXPECT_NAMES(names_of(context, NULL, NULL, 0, "-age, name"), "Ada Cleo Bob");
    EXPECT_NAMES(names_of(context, NULL, NULL, 0, " age ,- name "), "Bob Cleo Ada");
    pinview_result *people = NULL;
    FAILS(PINVIEW_ERROR_UNKNOWN_KEY, pinview_fetch(context, "Person", NULL, NULL, 0, "nmae", &people, ERROR));
    EXPECT(people == NULL && strstr(last_message(), "nmae") != NULL);
    pinview_context_release(context);
}

static void the_first_object_is_fetched(void) {
    pinview_context *context = three_people("first.sqlite");
    pinview_object *person = NULL;
    OK(pinview_fetch_first(context, "Person", NULL, NULL, 0, "-name", &person, ERROR));
    EXPECT_NAMES(pinview_get_text(person, "name", "?", ERROR), "Cleo");
    pinview_object_release(person);
    OK(pinview_fetch_first(context, "Person", "age > 99", NULL, 0, NULL, &person, ERROR));
    EXPECT(person == NULL);
    FAILS(PINVIEW_ERROR_BAD_PREDICATE, pinview_fetch_first(context, "Person", "age >", NULL, 0, NULL, &person, ERROR));
    FAILS(PINVIEW_ERROR_UNKNOWN_ENTITY, pinview_fetch_first(context, "Persom", NULL, NULL, 0, NULL, &person, ERROR));
    pinview_context_release(context);
}

static void arguments_without_a_format_are_refused(void) {
    pinview_context *context = three_people(NULL);
    pinview_result *people = NULL;
    FAILS(
        PINVIEW_ERROR_BAD_PREDICATE,
        pinview_fetch(context, "Person", NULL, PINVIEW_VALUES(pinview_value_integer(1)), NULL, &people, ERROR));
    pinview_context_release(context);
}

static void values_are_set_by_name(void) {
    pinview_context *context = people_context(NULL);
    pinview_object *person = NULL, *car = NULL;
    OK(pinview_insert(context, "Person", NULL, 0, &person, ERROR));
    OK(pinview_insert(
        context, "Car", PINVIEW_NAMED_VALUES(pinview_named("name", pinview_value_text("Beetle")), pinview_named("owner", pinview_value_object(person))),
        &car, ERROR));
    OK(pinview_set(person, PINVIEW_NAMED_VALUES(pinview_named("age", pinview_value_integer(41)), pinview_named("name", pinview_value_text("Dave"))), ERROR));
    EXPECT_NUMBER(pinview_get_integer(person, "age", -1, ERROR), 41);
    EXPECT_NAMES(pinview_get_text(person, "name", "?", ERROR), "Dave");
    EXPECT_NUMBER(members_of(person, "cars"), 1);
    /* The values before the wrong one are set. */
    FAILS(
        PINVIEW_ERROR_UNKNOWN_KEY,
        pinview_set(person, PINVIEW_NAMED_VALUES(pinview_named("age", pinview_value_integer(42)), pinview_named("nmae", pinview_value_null())), ERROR));
    EXPECT_NUMBER(pinview_get_integer(person, "age", -1, ERROR), 42);
    pinview_object_release(car);
    pinview_object_release(person);
    pinview_context_release(context);
}

static void a_failed_insertion_leaves_no_object(void) {
    pinview_context *context = people_context(NULL);
    pinview_object *person = NULL;
    const pinview_named_value values[] = {pinview_named("age", pinview_value_integer(1)), pinview_named("name", pinview_value_integer(1))};
    FAILS(PINVIEW_ERROR_WRONG_TYPE, pinview_insert(context, "Person", values, 2, &person, ERROR));
    EXPECT(person == NULL && !has_changes(context));
    FAILS(PINVIEW_ERROR_INVALID_ARGUMENT, pinview_insert(context, "Person", NULL, 1, &person, ERROR));
    pinview_context_release(context);
}

static void getters_have_a_fallback_and_an_error(void) {
    pinview_context *context = people_context(NULL);
    pinview_object *person = NULL;
    pinview_error *error = NULL;
    OK(pinview_insert(context, "Person", NULL, 0, &person, ERROR));
    EXPECT_NAMES(pinview_get_text(person, "name", "nobody", &error), "nobody"); /* null */
    EXPECT(error == NULL);
    set_text(person, "name", "Ada");
    EXPECT_NAMES(pinview_get_text(person, "name", "nobody", &error), "Ada");
    set_integer(person, "age", 36);
    EXPECT_NUMBER(pinview_get_integer(person, "age", -7, &error), 36);
    EXPECT(pinview_get_double(person, "age", 0, &error) == 36.0);
    EXPECT_NUMBER(pinview_get_boolean(person, "age", 0, &error), 1);
    EXPECT(error == NULL);
    EXPECT(pinview_get_text(person, "age", NULL, &error) == NULL);
    EXPECT_NUMBER(pinview_error_status(error), PINVIEW_ERROR_WRONG_TYPE);
    EXPECT(pinview_error_last() != NULL && strstr(pinview_error_message(error).data, "'age' is an integer") != NULL);
    pinview_error_release(error);
    EXPECT(pinview_get_double(person, "name", 2.5, &error) == 2.5);
    pinview_error_release(error);
    EXPECT_NUMBER(pinview_get_boolean(person, "nmae", 1, &error), 1);
    EXPECT_NUMBER(pinview_error_status(error), PINVIEW_ERROR_UNKNOWN_KEY);
    pinview_error_release(error);
    EXPECT_NAMES(pinview_get_text(NULL, "name", "nobody", &error), "nobody");
    EXPECT_NUMBER(pinview_error_status(error), PINVIEW_ERROR_INVALID_HANDLE);
    pinview_error_release(error);
    pinview_object_release(person);
    pinview_context_release(context);
}

static void the_next_one_of_nothing_is_an_error(void) {
    pinview_object *person = NULL;
    pinview_error *error = NULL;
    uint64_t index = 0;
    EXPECT_NUMBER(pinview_next(NULL, &index, &person, &error), 0);
    EXPECT_NUMBER(pinview_error_status(error), PINVIEW_ERROR_INVALID_HANDLE);
    EXPECT(person == NULL && index == 0);
    pinview_error_release(error);
    EXPECT_NUMBER(pinview_next(NULL, NULL, &person, &error), 0);
    EXPECT_NUMBER(pinview_error_status(error), PINVIEW_ERROR_INVALID_ARGUMENT);
    pinview_error_release(error);
    /* An empty result has no next one, and that is none. */
    pinview_context *context = people_context(NULL);
    pinview_result *people = NULL;
    OK(pinview_fetch(context, "Person", NULL, NULL, 0, NULL, &people, ERROR));
    EXPECT_NUMBER(pinview_next(people, &index, &person, &error), 0);
    EXPECT(error == NULL);
    pinview_result_release(people);
    pinview_context_release(context);
}

/* What `body` prints to standard error. */
static const char *printed_by(void (*body)(void)) {
    static char text[512];
    int ends[2], usual = dup(STDERR_FILENO);
    REQUIRE(usual >= 0 && pipe(ends) == 0);
    dup2(ends[1], STDERR_FILENO);
    body();
    dup2(usual, STDERR_FILENO);
    close(usual);
    close(ends[1]);
    ssize_t size = read(ends[0], text, sizeof text - 1);
    text[size > 0 ? size : 0] = 0;
    close(ends[0]);
    return text;
}

static int child_status;

/* The child of a fork has none of its parent's threads, so a look for leaks at its end finds what only they refer to, and prints more than
 * the pipe takes. */
static void leave_at_once(int status, void *nothing) {
    (void)nothing;
    _exit(status);
}

/* In a child process of its own, whose calls all fail: it is a fork. */
static void fail_a_check(void) {
    pid_t child = fork();
    if (child == 0) {
        on_exit(leave_at_once, NULL);
        PINVIEW_CHECK(pinview_set_interrupt_callback(NULL, NULL, NULL, NULL));
        _exit(0);
    }
    waitpid(child, &child_status, 0);
}

static void check_what_succeeds(void) { PINVIEW_CHECK(pinview_context_release(NULL)); }

static void print_a_failure(void) {
    pinview_context *context;
    const pinview_status status = pinview_open("{", NULL, NULL, 0, &context, NULL);
    pinview_print_last_error("here", status);
}

static void print_without_an_error(void) { pinview_print_last_error(NULL, 12345); }

static void a_failed_check_prints_and_leaves(void) {
    pinview_context_release(people_context(NULL));
    const char *text = printed_by(fail_a_check);
    /* Not which status: valgrind uses it for itself. */
    EXPECT(WIFEXITED(child_status) && WEXITSTATUS(child_status) != EXIT_SUCCESS);
    EXPECT(strstr(text, "short.c:") != NULL && strstr(text, "fork") != NULL);
    EXPECT_NAMES(printed_by(check_what_succeeds), "");
    text = printed_by(print_a_failure);
    EXPECT(strncmp(text, "here: ", 6) == 0 && strstr(text, "JSON") != NULL);
    EXPECT_NAMES(printed_by(print_without_an_error), "status 12345\n");
}

static void inline_helpers_are_symbols_too(void) {
    static const char *const names[] = {"pinview_text",          "pinview_absent",     "pinview_value_null", "pinview_value_boolean", "pinview_value_integer",
                                        "pinview_value_double", "pinview_value_text", "pinview_value_date", "pinview_value_object",  "pinview_named"};
    for (size_t index = 0; index < sizeof names / sizeof *names; index++) EXPECT(dlsym(RTLD_DEFAULT, names[index]) != NULL);
    pinview_value (*volatile make)(const char *) = pinview_value_text;
    const pinview_value value = make("abc");
    EXPECT(value.type == PINVIEW_VALUE_STRING && value.reserved == 0 && value.as.string.size == 3);
}

/* Structs of a later version of the header in an array: they are read at the caller's distance, and
 * refused for what is not known. */
typedef struct {
    pinview_sort_descriptor known;
    uint64_t later;
} later_descriptor;

typedef struct {
    pinview_named_expression known;
    uint64_t later[2];
} later_expression;

static void sort_descriptors_can_grow(void) {
    pinview_context *context = three_people("grown.sqlite");
    later_descriptor criteria[] = {{{TEXT("age"), 1, 0}, 0}, {{TEXT("name"), 1, 0}, 0}};
    pinview_fetch_request request;
    pinview_result *people = NULL;
    OK(pinview_fetch_request_init(&request, sizeof request, TEXT("Person"), ERROR));
    request.sort_descriptors = &criteria[0].known;
    request.sort_descriptor_count = 2;
    request.sort_descriptor_size = sizeof *criteria;
    OK(pinview_context_fetch(context, &request, &people, ERROR));
    uint64_t index = 0;
    pinview_object *person = NULL;
    for (const char *const *name = (const char *const[]){"Cleo", "Ada", "Bob", NULL}; *name != NULL; name++) {
        REQUIRE(pinview_next(people, &index, &person, ERROR));
        EXPECT_NAMES(pinview_get_text(person, "name", "?", ERROR), *name);
    }
    pinview_object_release(person);
    pinview_result_release(people);
    criteria[1].later = 1;
    FAILS(PINVIEW_ERROR_INVALID_ARGUMENT, pinview_context_fetch(context, &request, &people, ERROR));
    EXPECT(strstr(last_message(), "sort_descriptors[1]") != NULL);
    request.sort_descriptor_size = sizeof(pinview_sort_descriptor) - 1;
    FAILS(PINVIEW_ERROR_INVALID_ARGUMENT, pinview_context_fetch(context, &request, &people, ERROR));
    pinview_context_release(context);
}

static void named_expressions_can_grow(void) {
    pinview_context *context = three_people("grown-expressions.sqlite");
    later_expression columns[2];
    pinview_batch_update update;
    pinview_result *updated = NULL;
    memset(columns, 0, sizeof columns);
    memset(&update, 0, sizeof update);
    columns[0].known.name = TEXT("age");
    columns[0].known.format = TEXT("age + 1");
    columns[1].known.name = TEXT("name");
    columns[1].known.format = TEXT("'x'");
    update.struct_size = sizeof update;
    update.result_type = PINVIEW_RESULT_COUNT;
    update.entity = TEXT("Person");
    update.expressions = &columns[0].known;
    update.expression_count = 2;
    update.expression_size = sizeof *columns;
    OK(pinview_context_batch_update(context, &update, &updated, ERROR));
    EXPECT_NUMBER(pinview_result_count(updated), 3);
    pinview_result_release(updated);
    EXPECT_NUMBER(sql_number(test_path("grown-expressions.sqlite"), "SELECT sum(ZAGE) FROM ZPERSON WHERE ZNAME = 'x'"), 95);
    columns[0].later[1] = 1;
    FAILS(PINVIEW_ERROR_INVALID_ARGUMENT, pinview_context_batch_update(context, &update, &updated, ERROR));

    pinview_fetch_request request;
    pinview_result *rows = NULL;
    columns[0].later[1] = 0;
    OK(pinview_fetch_request_init(&request, sizeof request, TEXT("Person"), ERROR));
    request.result_type = PINVIEW_RESULT_DICTIONARIES;
    request.properties = &columns[0].known;
    request.property_count = 2;
    request.property_size = sizeof *columns;
    OK(pinview_context_fetch(context, &request, &rows, ERROR));
    EXPECT_TEXT(pinview_result_column_name(rows, 1), "name");
    pinview_result_release(rows);
    pinview_context_release(context);
}

static void structs_of_an_array_that_is_filled_can_grow(void) {
    struct {
        pinview_difference_change known;
        uint64_t later;
    } changes[3];
    pinview_context *context = people_context("grown-difference.sqlite");
    pinview_coordinator *coordinator = NULL;
    pinview_token *before = NULL;
    pinview_difference *difference = NULL;
    OK(pinview_context_coordinator(context, &coordinator, ERROR));
    pinview_context *pinned = NULL;
    OK(pinview_open_another(context, &pinned, ERROR));
    pin(pinned);
    EXPECT_NAMES(names_of(pinned, NULL, NULL, 0, NULL), "");
    OK(pinview_context_query_generation(pinned, &before, ERROR));
    add(context, "Ada", 36);
    add(context, "Bob", 20);
    add(context, "Cleo", 36);
    save(context);
    OK(pinview_coordinator_difference(coordinator, before, NULL, NULL, 0, &difference, ERROR));
    memset(changes, 0xa5, sizeof changes);
    OK(pinview_difference_changes(difference, 0, 3, &changes[0].known, sizeof *changes, NULL, ERROR));
    for (int index = 0; index < 3; index++) EXPECT(changes[index].known.type == PINVIEW_HISTORY_INSERT && changes[index].later == 0);
    FAILS(PINVIEW_ERROR_INVALID_ARGUMENT, pinview_difference_changes(difference, 0, 3, &changes[0].known, 8, NULL, ERROR));
    pinview_difference_release(difference);
    pinview_token_release(before);
    pinview_context_release(pinned);
    pinview_coordinator_release(coordinator);
    pinview_context_release(context);
}

/* Issue 19, point 9. */
static const test_case tests[] = {
    {"a store is opened, filled and read", a_store_is_opened_filled_and_read},
    {"a store without a path is in memory", a_store_without_a_path_is_in_memory},
    {"a store takes options", a_store_takes_options},
    {"texts sort by several keys", texts_sort_by_several_keys},
    {"the first object is fetched", the_first_object_is_fetched},
    {"arguments without a format are refused", arguments_without_a_format_are_refused},
    {"values are set by name", values_are_set_by_name},
    {"a failed insertion leaves no object", a_failed_insertion_leaves_no_object},
    {"getters have a fallback and an error", getters_have_a_fallback_and_an_error},
    {"the next one of nothing is an error", the_next_one_of_nothing_is_an_error},
    {"a failed check prints and leaves", a_failed_check_prints_and_leaves},
    {"inline helpers are symbols too", inline_helpers_are_symbols_too},
    {"sort descriptors can grow", sort_descriptors_can_grow},
    {"named expressions can grow", named_expressions_can_grow},
    {"structs of an array that is filled can grow", structs_of_an_array_that_is_filled_can_grow},
};
const test_topic short_topic = TOPIC("short", tests);
