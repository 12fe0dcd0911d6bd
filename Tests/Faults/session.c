/* What a program does with a store in its life, once: opens it, saves, pins, reads late, has a
 * generation detached, checkpoints, closes and opens it again. With shim.c under it one system call
 * fails somewhere on the way.
 *
 * Each call may fail with an error that says something; nothing may be wrong, lost, hang or crash.
 * Every save sets the rounds of all people to the same number and moves an amount from one to
 * another, so any state that was ever committed has one round and one sum. When the fault is gone,
 * everything works again, and a generation that was pinned before it still reads as it was.
 *
 * usage: session FOLDER     Prints what was wrong, a line each, and ends with 1 then. With FAULTS_COUNT set it prints how many calls of
 * each kind there were. */
#define _GNU_SOURCE
#include <pinview.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

extern long faults_count(const char *kind) __attribute__((weak));
extern int faults_fired(void) __attribute__((weak));
extern void faults_end(void) __attribute__((weak));

enum { PEOPLE = 60, SUM = PEOPLE * 100, ROUNDS = 12 };
enum { ENOUGH_ERRORS = 2 }; /* a fault that lasts has shown itself; each error of a lock costs the busy timeout */

static const char model_text[] =
    "{\"entities\": [{\"name\": \"Person\", \"attributes\": ["
    "{\"name\": \"number\", \"type\": \"integer32\"}, {\"name\": \"round\", \"type\": \"integer32\"},"
    "{\"name\": \"amount\", \"type\": \"integer32\"}, {\"name\": \"note\", \"type\": \"string\"}]}]}";

static int wrong, errors;

static void say_wrong(const char *what, const char *detail) {
    printf("wrong: %s: %s\n", what, detail);
    wrong++;
}

/* Whether a call succeeded. A failure has to come with an error that says something. */
static int done(const char *what, pinview_status status, pinview_error **error) {
    if (status == PINVIEW_OK) return 1;
    errors++;
    const pinview_string message = *error ? pinview_error_message(*error) : (pinview_string){0};
    if (message.size == 0) say_wrong(what, "the call failed without a message");
    if (getenv("FAULTS_VERBOSE")) printf("%s: %s\n", what, message.data);
    pinview_error_release(*error);
    *error = NULL;
    return 0;
}

#define DONE(call) done(#call, (call), &error)

/* What a whole read of the store saw. */
typedef struct {
    int count, round, sum, is_torn;
} view;

static view *shown(pinview_context *context, view *seen) {
    pinview_error *error = NULL;
    pinview_fetch_request request;
    pinview_result *people = NULL;
    *seen = (view){0, -1, 0, 0};
    if (!DONE(pinview_fetch_request_init(&request, sizeof request, pinview_text("Person"), &error))) return NULL;
    if (!DONE(pinview_context_fetch(context, &request, &people, &error))) return NULL;
    seen->count = (int)pinview_result_count(people);
    int failed = 0;
    for (uint64_t index = 0; index < (uint64_t)seen->count && !failed; index++) {
        pinview_object *person = NULL;
        pinview_value round, amount;
        if (!DONE(pinview_result_object(people, index, &person, &error)) ||
            !DONE(pinview_object_value(person, pinview_text("round"), &round, &error)) ||
            !DONE(pinview_object_value(person, pinview_text("amount"), &amount, &error))) {
            failed = 1;
        } else {
            if (seen->round >= 0 && seen->round != round.as.integer) seen->is_torn = 1;
            seen->round = (int)round.as.integer;
            seen->sum += (int)amount.as.integer;
        }
        pinview_object_release(person);
    }
    pinview_result_release(people);
    return failed ? NULL : seen;
}

static pinview_context *context_on(pinview_coordinator *coordinator) {
    pinview_error *error = NULL;
    pinview_context *context = NULL;
    if (!DONE(pinview_context_create(PINVIEW_CONCURRENCY_PRIVATE_QUEUE, &context, &error))) return NULL;
    if (DONE(pinview_context_set_coordinator(context, coordinator, &error))) return context;
    pinview_context_release(context);
    return NULL;
}

/* The stack under test, and what is known of the store. */
static struct {
    const char *path;
    pinview_model *model;
    pinview_coordinator *coordinator;
    pinview_store *store;
    int round;           /* of the last save that succeeded; -1: there are no people yet */
    int uncertain_round; /* of a save that failed after it: it may have been committed before it failed */
} stack;

static int open_stack(void) {
    pinview_error *error = NULL;
    const pinview_named_value options[] = {
        {pinview_text(PINVIEW_STORE_OPTION_HISTORY_TRACKING), pinview_value_boolean(1)},
        {pinview_text(PINVIEW_STORE_OPTION_JOURNAL_BUDGET_BYTES), pinview_value_integer(64 * 1024)},
        {pinview_text(PINVIEW_STORE_OPTION_SYNCHRONOUS), pinview_value_text("full")},
        {pinview_text(PINVIEW_STORE_OPTION_BUSY_TIMEOUT), pinview_value_double(0.5)},
    };
    if (!DONE(pinview_coordinator_create(stack.model, &stack.coordinator, &error))) return 0;
    if (DONE(pinview_coordinator_add_store(
            stack.coordinator, pinview_text(PINVIEW_STORE_TYPE_SQLITE), pinview_absent(), pinview_text(stack.path), options,
            sizeof options / sizeof options[0], &stack.store, &error))) {
        return 1;
    }
    pinview_coordinator_release(stack.coordinator);
    stack.coordinator = NULL;
    return 0;
}

static void close_stack(void) {
    pinview_store_release(stack.store);
    pinview_coordinator_release(stack.coordinator);
    stack.store = NULL;
    stack.coordinator = NULL;
}

/* Whether what was read can be a state of the store. */
static void check(const char *what, const view *seen, int is_newest) {
    char text[160];
    snprintf(text, sizeof text, "%d people, round %d, sum %d%s; saved is round %d, perhaps %d", seen->count, seen->round, seen->sum,
             seen->is_torn ? ", of several rounds" : "", stack.round, stack.uncertain_round);
    if (seen->count == 0) {
        if (is_newest && stack.round >= 0) say_wrong(what, text);
        return;
    }
    const int is_whole = seen->count == PEOPLE && seen->sum == SUM && !seen->is_torn;
    const int is_known = !is_newest || seen->round == stack.round || seen->round == stack.uncertain_round;
    if (!is_whole || !is_known) say_wrong(what, text);
    if (is_newest) stack.round = seen->round;
}

static int set_number(pinview_object *person, const char *key, int64_t number) {
    pinview_error *error = NULL;
    const pinview_value value = pinview_value_integer(number);
    return DONE(pinview_object_set_value(person, pinview_text(key), &value, &error));
}

/* One save, in a context of its own: all people, or the next round of them. */
static void save_round(int round) {
    pinview_error *error = NULL;
    pinview_context *context = context_on(stack.coordinator);
    if (!context) return;
    pinview_fetch_request request;
    pinview_result *people = NULL;
    int is_ready = DONE(pinview_fetch_request_init(&request, sizeof request, pinview_text("Person"), &error)) &&
                   DONE(pinview_context_fetch(context, &request, &people, &error));
    const int count = is_ready ? (int)pinview_result_count(people) : 0;
    for (int index = 0; is_ready && index < PEOPLE; index++) {
        pinview_object *person = NULL;
        char note[200];
        snprintf(note, sizeof note, "%0150d", round);
        const pinview_value text = pinview_value_text(note);
        pinview_value amount = pinview_value_integer(100);
        is_ready = count == 0 ? DONE(pinview_context_insert_new_object(context, pinview_text("Person"), &person, &error))
                              : DONE(pinview_result_object(people, (uint64_t)index, &person, &error)) &&
                                    DONE(pinview_object_value(person, pinview_text("amount"), &amount, &error));
        const int given = count == 0 ? 0 : index == round % PEOPLE ? -1 : index == (round + 1) % PEOPLE ? 1 : 0;
        is_ready = is_ready && set_number(person, "number", index) && set_number(person, "round", round) &&
                   set_number(person, "amount", amount.as.integer + given) &&
                   DONE(pinview_object_set_value(person, pinview_text("note"), &text, &error));
        pinview_object_release(person);
    }
    if (is_ready) {
        if (DONE(pinview_context_save(context, &error))) {
            stack.round = round;
            stack.uncertain_round = -1;
        } else {
            stack.uncertain_round = round;
        }
    }
    pinview_result_release(people);
    pinview_context_release(context);
}

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t told = PTHREAD_COND_INITIALIZER;
static int journal_events;

static void note_event(const pinview_journal_event *event, void *userdata) {
    (void)event, (void)userdata;
    pthread_mutex_lock(&lock);
    journal_events++;
    pthread_cond_signal(&told);
    pthread_mutex_unlock(&lock);
}

/* Waits for the library's thread to copy what is pinned aside, but not for ever: it may be what
 * fails. */
static void await_detaching(void) {
    struct timespec deadline;
    clock_gettime(CLOCK_REALTIME, &deadline);
    deadline.tv_nsec += 150 * 1000 * 1000;
    if (deadline.tv_nsec >= 1000000000) deadline.tv_sec++, deadline.tv_nsec -= 1000000000;
    pthread_mutex_lock(&lock);
    while (journal_events == 0 && pthread_cond_timedwait(&told, &lock, &deadline) == 0) continue;
    pthread_mutex_unlock(&lock);
}

/* The newest state, to a context that has not been used before. */
static void check_newest(const char *what, int must_succeed) {
    pinview_context *context = stack.coordinator ? context_on(stack.coordinator) : NULL;
    view seen;
    if (context && shown(context, &seen)) {
        check(what, &seen, 1);
    } else if (must_succeed) {
        say_wrong(what, "it cannot be read, although the fault is gone");
    }
    pinview_context_release(context);
}

static void check_pinned(const char *what, pinview_context *pinned, const view *before, int must_succeed) {
    pinview_error *error = NULL;
    view now;
    if (!pinned || before->count == 0) return;
    /* What was read before must not answer: the objects go, and with them their rows. */
    if (!DONE(pinview_context_refresh_all_objects(pinned, &error))) return;
    if (!shown(pinned, &now)) {
        if (must_succeed) say_wrong(what, "the pinned generation cannot be read, although the fault is gone");
    } else if (now.count != before->count || now.round != before->round || now.sum != before->sum || now.is_torn) {
        say_wrong(what, "the pinned generation has moved");
    }
}

int main(int count, char **arguments) {
    if (count != 2) return 2;
    char path[4096];
    pinview_error *error = NULL;
    snprintf(path, sizeof path, "%s/store.sqlite", arguments[1]);
    stack.path = path;
    stack.round = stack.uncertain_round = -1;
    alarm(400); /* a hang is a failure; SQLite waits ten seconds for each lock that never comes free */
    if (!DONE(pinview_model_create_from_json(pinview_text(model_text), &stack.model, &error))) {
        /* Its text is read with SQLite's functions. Without a model there is nothing to try. */
        if (faults_end) faults_end();
        if (!DONE(pinview_model_create_from_json(pinview_text(model_text), &stack.model, &error))) return 2;
    }

    pinview_context *pinned = NULL, *second = NULL;
    view first_view = {0}, second_view = {0};
    if (open_stack()) {
        DONE(pinview_coordinator_set_journal_callback(stack.coordinator, note_event, NULL, NULL, &error));
        save_round(0);
        pinned = context_on(stack.coordinator);
        if (pinned && DONE(pinview_context_set_query_generation(pinned, pinview_token_current(), &error)) && shown(pinned, &first_view))
            check("the first pin", &first_view, 1);
        for (int round = 1; round <= ROUNDS && errors < ENOUGH_ERRORS; round++) {
            save_round(round);
            if (round % 3 == 0) check_newest("between saves", 0);
            if (round == ROUNDS / 2) {
                second = context_on(stack.coordinator);
                if (second && DONE(pinview_context_set_query_generation(second, pinview_token_current(), &error)) &&
                    shown(second, &second_view))
                    check("the second pin", &second_view, 1);
            }
            check_pinned("after a save", pinned, &first_view, 0);
        }
        if (errors < ENOUGH_ERRORS) await_detaching();
        check_pinned("after detaching", pinned, &first_view, 0);
        check_pinned("after detaching, the second", second, &second_view, 0);
        int32_t emptied = 0;
        DONE(pinview_store_checkpoint(stack.store, &emptied, &error));
        save_round(ROUNDS + 1);
        check_pinned("after a checkpoint", pinned, &first_view, 0);
    }

    if (faults_end) faults_end();
    if (stack.coordinator || open_stack()) {
        check_newest("when the fault is gone", 1);
        check_pinned("when the fault is gone", pinned, &first_view, 1);
        check_pinned("when the fault is gone, the second", second, &second_view, 1);
        const int before = stack.round, failed = errors;
        save_round(ROUNDS + 2);
        if (stack.round == before) say_wrong("a save when the fault is gone", "it fails");
        if (errors > failed) say_wrong("when the fault is gone", "there are errors still");
        check_newest("after a save when the fault is gone", 1);
    } else {
        say_wrong("opening the store when the fault is gone", "it fails");
    }
    pinview_context_release(pinned);
    pinview_context_release(second);
    close_stack();

    if (open_stack()) {
        check_newest("opened again", 1);
        close_stack();
    } else {
        say_wrong("opening the store again", "it fails");
    }
    pinview_model_release(stack.model);
    if (getenv("FAULTS_COUNT") && faults_count) {
        static const char *const kinds[] = {"open", "access", "stat", "fstat", "read", "write", "sync", "truncate", "map", "lock", "getlock", "copy", "unlink", "rename", "thread", "allocate"};
        for (size_t index = 0; index < sizeof kinds / sizeof kinds[0]; index++) printf("%s %ld\n", kinds[index], faults_count(kinds[index]));
    }
    printf("%s, %d errors%s\n", wrong ? "WRONG" : "ok", errors, faults_fired && faults_fired() ? ", the fault has fired" : "");
    return wrong > 0;
}
