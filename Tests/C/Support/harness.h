/* A test is a function. EXPECT notes a failure and goes on; REQUIRE ends the test, and only works
   on the thread of the test, outside callbacks. Each test has a folder of its own, and every handle
   that it makes has to be released at its end. */
#ifndef PINVIEW_TESTS_HARNESS_H
#define PINVIEW_TESTS_HARNESS_H

#include <stddef.h>
#include <stdint.h>

#include "pinview.h"

typedef struct {
    const char *name; /* what it shows, with the ledger's IDs */
    void (*run)(void);
} test_case;

typedef struct {
    const char *name;
    const test_case *tests;
    size_t count;
} test_topic;

#define TOPIC(name, tests) {name, tests, sizeof tests / sizeof tests[0]}

/* Says that a check failed. */
#if defined(__GNUC__)
__attribute__((format(printf, 3, 4)))
#endif
void test_failed(const char *file, int line, const char *format, ...);
void test_stop(void);

#define EXPECT(condition)                                                                                      \
    do {                                                                                                       \
        if (!(condition)) test_failed(__FILE__, __LINE__, "not true: %s", #condition);                         \
    } while (0)

#define REQUIRE(condition)                                                                                     \
    do {                                                                                                       \
        if (!(condition)) {                                                                                    \
            test_failed(__FILE__, __LINE__, "not true: %s", #condition);                                       \
            test_stop();                                                                                       \
        }                                                                                                      \
    } while (0)

/* Where a call puts its error: the harness releases it. Give it as the last argument:
 * OK(pinview_context_save(context, ERROR)). */
#define ERROR test_error()
pinview_error **test_error(void);

/* The error of the call just checked. */
const pinview_error *last_error(void);
const char *last_message(void);

void test_check_status(const char *file, int line, const char *call, pinview_status status, pinview_status expected, int is_required);

/* The call succeeds and gives no error; the test cannot go on without it. */
#define OK(call) test_check_status(__FILE__, __LINE__, #call, (call), PINVIEW_OK, 1)

/* The call fails with this status, and its error says so. */
#define FAILS(expected, call) test_check_status(__FILE__, __LINE__, #call, (call), (expected), 0)

void test_check_text(const char *file, int line, const char *what, pinview_string text, const char *expected);
#define EXPECT_TEXT(text, expected) test_check_text(__FILE__, __LINE__, #text, (text), (expected))

void test_check_number(const char *file, int line, const char *what, int64_t number, int64_t expected);
#define EXPECT_NUMBER(number, expected) test_check_number(__FILE__, __LINE__, #number, (int64_t)(number), (int64_t)(expected))

/* A path in the folder of the test; valid until the test ends. */
const char *test_path(const char *name);

int64_t file_size(const char *path); /* -1 where there is none */

#endif
