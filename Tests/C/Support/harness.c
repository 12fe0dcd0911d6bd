#define _POSIX_C_SOURCE 200809L
#define _XOPEN_SOURCE 700
#include "harness.h"

#include <ftw.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "topics.h"

enum { paths_limit = 64, path_size = 512 };

static jmp_buf end_of_test;
static pthread_t main_thread;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int failures; /* of the running test */
static char folder[path_size];
static char paths[paths_limit][path_size];
static int path_count;
static _Thread_local pinview_error *current_error;

void test_failed(const char *file, int line, const char *format, ...) {
    const char *name = strrchr(file, '/');
    va_list arguments;
    pthread_mutex_lock(&lock);
    failures++;
    printf("    %s:%d: ", name == NULL ? file : name + 1, line);
    va_start(arguments, format);
    vprintf(format, arguments);
    va_end(arguments);
    putchar('\n');
    fflush(stdout);
    pthread_mutex_unlock(&lock);
}

/* On a thread that the test has made, only that thread can be stopped. */
void test_stop(void) {
    if (!pthread_equal(pthread_self(), main_thread)) pthread_exit(NULL);
    longjmp(end_of_test, 1);
}

pinview_error **test_error(void) {
    if (current_error != NULL) pinview_error_release(current_error);
    current_error = NULL;
    return &current_error;
}

const pinview_error *last_error(void) { return current_error; }

const char *last_message(void) {
    pinview_string message = pinview_error_message(current_error);
    return message.data == NULL ? "(no message)" : message.data;
}

void test_check_status(const char *file, int line, const char *call, pinview_status status, pinview_status expected, int is_required) {
    if (status != expected) {
        test_failed(file, line, "%s gave %d, not %d: %s", call, (int)status, (int)expected, last_message());
        if (is_required) test_stop();
    } else if (strstr(call, "ERROR)") != NULL) {
        if ((status == PINVIEW_OK) != (current_error == NULL)) test_failed(file, line, "%s: status %d and error disagree", call, (int)status);
        if (current_error != NULL && status < 0 && pinview_error_status(current_error) != status)
            test_failed(file, line, "%s gave %d, but its error says %d", call, (int)status, (int)pinview_error_status(current_error));
        if (current_error != NULL && pinview_error_message(current_error).size == 0) test_failed(file, line, "%s: an error without a message", call);
    }
}

void test_check_text(const char *file, int line, const char *what, pinview_string text, const char *expected) {
    if (expected == NULL ? text.data == NULL && text.size == 0
                         : text.data != NULL && text.size == strlen(expected) && memcmp(text.data, expected, text.size) == 0) {
        if (text.data != NULL && text.data[text.size] != 0) test_failed(file, line, "%s has no NUL byte after its end", what);
        return;
    }
    test_failed(file, line, "%s is '%.*s', not '%s'", what, (int)text.size, text.data == NULL ? "" : text.data, expected == NULL ? "(absent)" : expected);
}

void test_check_number(const char *file, int line, const char *what, int64_t number, int64_t expected) {
    if (number != expected) test_failed(file, line, "%s is %lld, not %lld", what, (long long)number, (long long)expected);
}

const char *test_path(const char *name) {
    char *path = paths[path_count++ % paths_limit];
    snprintf(path, path_size, "%.200s/%.200s", folder, name);
    return path;
}

int64_t file_size(const char *path) {
    struct stat status;
    return stat(path, &status) == 0 ? (int64_t)status.st_size : -1;
}

static int remove_entry(const char *path, const struct stat *status, int type, struct FTW *place) {
    (void)status;
    (void)type;
    (void)place;
    return remove(path);
}

/* Drops the thread's last error, which may hold a handle, by a failure whose error is not taken. */
static int64_t handles_in_use(void) {
    (void)pinview_context_save(NULL, NULL);
    return pinview_handle_count();
}

static int run_test(const test_topic *topic, const test_case *test) {
    failures = 0;
    path_count = 0;
    snprintf(folder, sizeof folder, "%.200s/pinview-c-XXXXXX", getenv("TMPDIR") == NULL ? "/tmp" : getenv("TMPDIR"));
    if (mkdtemp(folder) == NULL) {
        perror(folder);
        exit(2);
    }
    int64_t before = handles_in_use();
    if (setjmp(end_of_test) == 0) test->run();
    (void)test_error();
    int64_t after = handles_in_use();
    if (failures == 0 && after != before) test_failed(__FILE__, __LINE__, "%lld handles were not released", (long long)(after - before));
    nftw(folder, remove_entry, 16, FTW_DEPTH | FTW_PHYS);
    printf("%s %s: %s\n", failures == 0 ? "ok    " : "FAILED", topic->name, test->name);
    fflush(stdout);
    return failures == 0;
}

/* usage: pinview-tests [TEXT]   runs the tests whose topic or name contains the text */
int main(int count, char **arguments) {
    int passed = 0, failed = 0;
    if (count == 4 && strcmp(arguments[1], "--adopt") == 0) return adopt_in_a_second_program(arguments[2], arguments[3]);
    if (count == 3 && strcmp(arguments[1], "--write") == 0) return write_in_a_second_program(arguments[2]);
    if (count == 4 && strcmp(arguments[1], "--migrate") == 0) return migrate_in_a_second_program(arguments[2], arguments[3]);
    if (count == 3 && strcmp(arguments[1], "--starve") == 0) return starve_in_a_second_program(arguments[2]);
    /* A second program that dies fails its test, not the whole run. */
    (void)signal(SIGPIPE, SIG_IGN);
    main_thread = pthread_self();
    for (size_t topic = 0; topic < topic_count; topic++) {
        for (size_t test = 0; test < topics[topic]->count; test++) {
            const test_case *candidate = &topics[topic]->tests[test];
            if (count > 1 && strstr(candidate->name, arguments[1]) == NULL && strstr(topics[topic]->name, arguments[1]) == NULL) continue;
            if (run_test(topics[topic], candidate)) passed++;
            else failed++;
        }
    }
    printf("%d passed, %d failed\n", passed, failed);
    return failed == 0 ? 0 : 1;
}
