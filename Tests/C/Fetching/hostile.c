/* Hostile predicates: a clear error or the right answer, never a crash. Sizes are
 * such that valgrind takes seconds. */
#define _GNU_SOURCE
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "support.h"
#include "topics.h"

static int64_t count_of(pinview_context *context, const char *format, const pinview_value *argument) {
    pinview_fetch_request request;
    pinview_predicate *condition = NULL;
    int64_t count = 0;
    OK(pinview_predicate_create(TEXT(format), argument, argument == NULL ? 0 : 1, &condition, ERROR));
    OK(pinview_fetch_request_init(&request, sizeof request, TEXT("Person"), ERROR));
    request.predicate = condition;
    OK(pinview_context_count(context, &request, &count, ERROR));
    pinview_predicate_release(condition);
    return count;
}

/* A text many times, behind and before others; freed by the caller. */
static char *repeated(const char *before, const char *text, size_t times, const char *behind) {
    const size_t size = strlen(text);
    char *made = malloc(strlen(before) + size * times + strlen(behind) + 1), *end = made;
    REQUIRE(made != NULL);
    end += sprintf(end, "%s", before);
    for (size_t index = 0; index < times; index++, end += size) memcpy(end, text, size);
    sprintf(end, "%s", behind);
    return made;
}

static void what_is_too_deep_is_refused(void) {
    static const struct {
        const char *before, *text, *behind;
    } cases[] = {{"", "(", "age == 1"}, {"", "NOT ", "age == 1"}, {"age IN ", "{", "}"}, {"age == ", "(", "1"}, {"age == ", "-", "1"}, {"age == 1", "+1", ""},
                 {"age == ", "TERNARY(TRUEPREDICATE, 1, ", "1"}, {"", "SUBQUERY(cars, $c, ", "TRUEPREDICATE"}, {"age == ", "abs(", "1"}};
    for (size_t index = 0; index < sizeof cases / sizeof cases[0]; index++) {
        char *text = repeated(cases[index].before, cases[index].text, 10000, cases[index].behind);
        pinview_predicate *made = NULL;
        FAILS(PINVIEW_ERROR_BAD_PREDICATE, pinview_predicate_create(TEXT(text), NULL, 0, &made, ERROR));
        EXPECT(made == NULL && strstr(last_message(), "levels") != NULL && strlen(last_message()) < 1000);
        free(text);
    }
    pinview_predicate *deep = NULL;
    OK(pinview_predicate_create_constant(1, &deep, ERROR));
    int level = 0;
    for (pinview_status status = PINVIEW_OK; level < 2000; level++) { /* built part by part, not read */
        const pinview_predicate *const parts[] = {deep};
        pinview_predicate *deeper = NULL;
        status = pinview_predicate_create_compound(PINVIEW_COMPOUND_NOT, parts, 1, &deeper, NULL);
        if (status != PINVIEW_OK) {
            EXPECT_NUMBER(status, PINVIEW_ERROR_BAD_PREDICATE);
            break;
        }
        pinview_predicate_release(deep);
        deep = deeper;
    }
    EXPECT_NUMBER(level, 999);
    pinview_predicate_release(deep);
}

static void long_lists_and_texts(void) {
    data_stack stack = stack_open("h.sqlite");
    add_daves(&stack, 0, 3);
    pinview_context *context = context_on(&stack);
    pinview_value *ages = malloc(100000 * sizeof *ages), list = pinview_value_null();
    REQUIRE(ages != NULL);
    for (int index = 0; index < 100000; index++) ages[index] = pinview_value_integer(index + 21);
    list.type = PINVIEW_VALUE_LIST;
    list.as.list.items = ages;
    list.as.list.count = 100000;
    EXPECT_NUMBER(count_of(context, "age IN %@", &list), 2);
    free(ages);
    char *text = repeated("", "aB", 100000, ""), *literal = repeated("name == '", "aB", 100000, "'"), *open = repeated("'", "x", 100000, "");
    pinview_object_release(insert_object(context, "Person", text));
    save(context);
    const pinview_value argument = pinview_value_text(text), like = pinview_value_text("?B*a?");
    EXPECT_NUMBER(count_of(context, "name == %@", &argument), 1);
    EXPECT_NUMBER(count_of(context, literal, NULL), 1);
    EXPECT_NUMBER(count_of(context, "name LIKE %@", &like), 1);
    EXPECT_NUMBER(count_of(context, "name MATCHES '(aB)+'", NULL), 1);
    pinview_predicate *made = NULL;
    OK(pinview_predicate_create(TEXT("name MATCHES '(a|aB)+(B|aB)+[xy]'"), NULL, 0, &made, ERROR));
    pinview_fetch_request request;
    OK(pinview_fetch_request_init(&request, sizeof request, TEXT("Person"), ERROR));
    request.predicate = made;
    int64_t count = 0;
    FAILS(PINVIEW_ERROR_BAD_PREDICATE, pinview_context_count(context, &request, &count, ERROR));
    EXPECT(strstr(last_message(), "cannot be matched against a text") != NULL);
    pinview_predicate_release(made);
    made = NULL;
    FAILS(PINVIEW_ERROR_BAD_PREDICATE, pinview_predicate_create(TEXT("name MATCHES 'ab(c'"), NULL, 0, &made, ERROR));
    EXPECT(strstr(last_message(), "(character 3 of the pattern)") != NULL);
    FAILS(PINVIEW_ERROR_BAD_PREDICATE, pinview_predicate_create(TEXT(open), NULL, 0, &made, ERROR));
    EXPECT(strlen(last_message()) < 1000);
    free(text);
    free(literal);
    free(open);
    pinview_context_release(context);
    stack_close(&stack);
}

static void characters_of_zero(void) {
    data_stack stack = stack_open("h.sqlite");
    pinview_context *context = context_on(&stack);
    pinview_object *person = insert_object(context, "Person", "x");
    pinview_value name = pinview_value_text(""), part = pinview_value_text("");
    name.as.string.data = "a\0b";
    name.as.string.size = 3;
    part.as.string.data = "\0b";
    part.as.string.size = 2;
    OK(pinview_object_set_value(person, TEXT("name"), &name, ERROR));
    save(context);
    EXPECT_NUMBER(count_of(context, "name == %@", &name), 1); /* FET-17 */
    EXPECT_NUMBER(count_of(context, "name == 'a'", NULL), 0);
    EXPECT_NUMBER(count_of(context, "name ENDSWITH %@", &part), 1);
    EXPECT_NUMBER(count_of(context, "name CONTAINS '\\0'", NULL), 1);
    pinview_predicate *made = NULL;
    const pinview_string text = {"age == 1\0 OR age == 2", 21};
    FAILS(PINVIEW_ERROR_BAD_PREDICATE, pinview_predicate_create(text, NULL, 0, &made, ERROR));
    EXPECT(strstr(last_message(), "(character 9 of the predicate)") != NULL);
    pinview_object_release(person);
    pinview_context_release(context);
    stack_close(&stack);
}

static void long_chains_are_lists(void) {
    data_stack stack = stack_open("h.sqlite");
    add_daves(&stack, 0, 3);
    pinview_context *context = context_on(&stack);
    char *text = repeated("age == 0", " OR age == 22", 29999, "");
    EXPECT_NUMBER(count_of(context, text, NULL), 1);
    free(text);
    text = repeated("age != 0", " AND age != 22", 29999, "");
    EXPECT_NUMBER(count_of(context, text, NULL), 2);
    free(text);
    pinview_predicate *one = NULL, *chain = NULL;
    OK(pinview_predicate_create(TEXT("age == 22"), NULL, 0, &one, ERROR));
    OK(pinview_predicate_create(TEXT("age == 22"), NULL, 0, &chain, ERROR));
    for (int number = 0; number < 20000; number++) {
        const pinview_predicate *const parts[] = {chain, one};
        pinview_predicate *longer = NULL;
        OK(pinview_predicate_create_compound(PINVIEW_COMPOUND_AND, parts, 2, &longer, ERROR));
        pinview_predicate_release(chain);
        chain = longer;
    }
    pinview_predicate_release(chain);
    pinview_predicate_release(one);
    text = repeated("age > 0", " OR age > 22", 19999, "");
    pinview_predicate *made = NULL;
    pinview_fetch_request request;
    int64_t count = 0;
    OK(pinview_predicate_create(TEXT(text), NULL, 0, &made, ERROR));
    OK(pinview_fetch_request_init(&request, sizeof request, TEXT("Person"), ERROR));
    request.predicate = made;
    FAILS(PINVIEW_ERROR_BAD_PREDICATE, pinview_context_count(context, &request, &count, ERROR));
    EXPECT(strstr(last_message(), "20000 comparisons") != NULL);
    pinview_predicate_release(made);
    free(text);
    pinview_context_release(context);
    stack_close(&stack);
}

static int32_t stop_at_once(void *userdata) {
    *(int *)userdata += 1;
    return 1;
}

static void note_freed(void *userdata) { *(int *)userdata += 1000; }

static pinview_object *save_person_with_cars(pinview_context *context, int car_count) {
    pinview_object *person = insert_object(context, "Person", "x");
    for (int number = 0; number < car_count; number++) {
        pinview_object *car = insert_object(context, "Car", "car");
        OK(pinview_object_add_related_object(person, TEXT("cars"), car, ERROR));
        pinview_object_release(car);
    }
    save(context);
    return person;
}

/* The cars of one person, each compared with all of them. */
static void fetches_can_be_stopped(void) {
    enum { car_count = 4000 };
    data_stack stack = stack_open("h.sqlite");
    pinview_context *context = context_on(&stack);
    pinview_object *person = save_person_with_cars(context, car_count);
    pinview_object_release(person);
    pinview_predicate *made = NULL;
    pinview_fetch_request request;
    int64_t count = 0;
    int questions = 0;
    OK(pinview_predicate_create(TEXT("SUBQUERY(owner.cars, $c, $c.name > name).@count > 5000"), NULL, 0, &made, ERROR));
    OK(pinview_fetch_request_init(&request, sizeof request, TEXT("Car"), ERROR));
    request.predicate = made;
    request.timeout_seconds = 1e-9;
    FAILS(PINVIEW_ERROR_TIMED_OUT, pinview_context_count(context, &request, &count, ERROR));
    request.timeout_seconds = -1;
    FAILS(PINVIEW_ERROR_INVALID_ARGUMENT, pinview_context_count(context, &request, &count, ERROR));
    request.timeout_seconds = 0;
    OK(pinview_set_interrupt_callback(stop_at_once, &questions, note_freed, ERROR));
    FAILS(PINVIEW_ERROR_CANCELLED, pinview_context_count(context, &request, &count, ERROR));
    EXPECT_NUMBER(questions, 1);
    OK(pinview_set_interrupt_callback(NULL, NULL, NULL, ERROR));
    EXPECT_NUMBER(questions, 1001);
    EXPECT_NUMBER(count_named(context, "Car", NULL), car_count);
    pinview_predicate_release(made);
    pinview_context_release(context);
    stack_close(&stack);
}

/* The same for the firing of a fault, whose members are many, and for a save. */
static void faults_and_saves_can_be_stopped(void) {
    enum { car_count = 4000 };
    data_stack stack = stack_open("h.sqlite");
    pinview_context *context = context_on(&stack), *other = NULL;
    pinview_object *person = save_person_with_cars(context, car_count);
    OK(pinview_context_refresh_all_objects(context, ERROR));
    OK(pinview_context_set_timeout(context, 1e-9, ERROR));
    pinview_result *cars = NULL;
    FAILS(PINVIEW_ERROR_TIMED_OUT, pinview_object_related_objects(person, TEXT("cars"), &cars, ERROR));
    EXPECT(cars == NULL);
    pinview_object *late = insert_object(context, "Person", "late");
    FAILS(PINVIEW_ERROR_TIMED_OUT, pinview_context_save(context, ERROR));
    EXPECT(strstr(last_message(), "nothing was written") != NULL);
    EXPECT(has_changes(context));
    other = context_on(&stack);
    EXPECT_NUMBER(count_named(other, "Person", NULL), 1);
    OK(pinview_context_set_timeout(context, 600, ERROR));
    save(context);
    EXPECT_NUMBER(count_named(other, "Person", NULL), 2);
    OK(pinview_object_related_objects(person, TEXT("cars"), &cars, ERROR));
    EXPECT_NUMBER(pinview_result_count(cars), car_count);
    pinview_result_release(cars);
    pinview_object_release(late);
    pinview_object_release(person);
    pinview_context_release(other);
    pinview_context_release(context);
    stack_close(&stack);
}

/* Lowers what the process may have to a little more than it has. */
static int leave_memory(size_t bytes) {
    unsigned long pages = 0;
    FILE *status = fopen("/proc/self/statm", "r");
    if (!status || fscanf(status, "%lu", &pages) != 1) return 0;
    fclose(status);
    const struct rlimit limit = {pages * (size_t)sysconf(_SC_PAGESIZE) + bytes, RLIM_INFINITY};
    return setrlimit(RLIMIT_AS, &limit) == 0;
}

/* A program without memory: with one large text, or with many objects. */
int starve_in_a_second_program(const char *how) {
    pinview_model *model = NULL;
    pinview_coordinator *coordinator = NULL;
    pinview_context *context = NULL;
    pinview_object *object = NULL;
    pinview_error *error = NULL;
    const size_t size = (size_t)200 << 20;
    char *text = malloc(size);
    if (!text) return 2;
    memset(text, 'x', size);
    static const char json[] = "{\"entities\": [{\"name\": \"Note\", \"attributes\": [{\"name\": \"text\", \"type\": \"string\"}]}]}";
    if (pinview_model_create_from_json(pinview_text(json), &model, NULL) != PINVIEW_OK) return 3;
    if (pinview_coordinator_create(model, &coordinator, NULL) != PINVIEW_OK) return 4;
    if (pinview_context_create(PINVIEW_CONCURRENCY_PRIVATE_QUEUE, &context, NULL) != PINVIEW_OK) return 5;
    if (pinview_context_set_coordinator(context, coordinator, NULL) != PINVIEW_OK) return 6;
    if (pinview_context_insert_new_object(context, pinview_text("Note"), &object, NULL) != PINVIEW_OK) return 7;
    if (!leave_memory((size_t)24 << 20)) return 8;
    if (strcmp(how, "size") == 0) {
        const pinview_value value = {.type = PINVIEW_VALUE_STRING, .as.string = {text, size}};
        if (pinview_object_set_value(object, pinview_text("text"), &value, &error) != PINVIEW_ERROR_OUT_OF_MEMORY) return 9;
        fputs(pinview_error_message(error).data, stderr);
        return 0;
    }
    for (int number = 0; number < 10000; number++) {
        pinview_object *next = NULL;
        const pinview_value value = {.type = PINVIEW_VALUE_STRING, .as.string = {text, 100000}};
        if (pinview_context_insert_new_object(context, pinview_text("Note"), &next, NULL) != PINVIEW_OK) return 10;
        if (pinview_object_set_value(next, pinview_text("text"), &value, NULL) != PINVIEW_OK) return 11;
    }
    return 12;
}

/* Gives the exit status, and what the program said. */
static int starved(const char *how, char *said, size_t room) {
    char self[4096];
    const ssize_t size = readlink("/proc/self/exe", self, sizeof self - 1);
    int ends[2], status = -1;
    REQUIRE(size > 0 && pipe(ends) == 0);
    self[size] = 0;
    const pid_t process = fork();
    if (process == 0) {
        const struct rlimit no_core = {0, 0};
        setrlimit(RLIMIT_CORE, &no_core);
        dup2(ends[1], STDERR_FILENO);
        execl(self, self, "--starve", how, (char *)NULL);
        _exit(127);
    }
    close(ends[1]);
    size_t used = 0;
    for (ssize_t part; used + 1 < room && (part = read(ends[0], said + used, room - used - 1)) > 0;) used += (size_t)part;
    said[used] = 0;
    close(ends[0]);
    REQUIRE(waitpid(process, &status, 0) == process);
    return status;
}

/* GCC defines a macro, Clang has a feature. */
#ifdef __SANITIZE_ADDRESS__
#define IS_ADDRESS_SANITIZED
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define IS_ADDRESS_SANITIZED
#endif
#endif

/* Whether the allocator is the system's: those of valgrind and of the address sanitizer end the
 * program themselves. */
static int has_plain_memory(void) {
#ifdef IS_ADDRESS_SANITIZED
    return 0;
#else
    const char *preloaded = getenv("LD_PRELOAD");
    return preloaded == NULL || strstr(preloaded, "vgpreload") == NULL;
#endif
}

static void without_memory_it_says_so(void) {
    char said[4096];
    if (!has_plain_memory()) return;
    int status = starved("size", said, sizeof said);
    EXPECT(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    EXPECT(strstr(said, "memory for 'text'") != NULL && strstr(said, "209715200") != NULL);
    status = starved("many", said, sizeof said);
    EXPECT(WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT);
    EXPECT(strstr(said, "pinview: out of memory: failed to allocate ") != NULL);
}

static const test_case tests[] = {
    {"issue 15, 14: without memory it says so before it dies, and a size that is too large is an error", without_memory_it_says_so},
    {"issue 15, 11: long chains cost their length, or are an error", long_chains_are_lists},
    {"issue 15, 11: fetches have a timeout, and a check that may stop them", fetches_can_be_stopped},
    {"issue 15, 11: faults and saves end with the timeout of their context", faults_and_saves_can_be_stopped},
    {"FET-19: what nests too deep is refused", what_is_too_deep_is_refused},
    {"FET-17: long lists, texts and regular expressions", long_lists_and_texts},
    {"FET-17, FET-19: NUL characters", characters_of_zero},
};

const test_topic hostile_topic = TOPIC("hostile predicates", tests);
