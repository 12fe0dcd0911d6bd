/* A child made by fork() gets an error from every call, and hangs nowhere. */
#define _POSIX_C_SOURCE 200809L
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "support.h"
#include "topics.h"

/* In the child; the number of the first call that gave a wrong result, or 0. */
static int use_in_the_child(pinview_context *context, pinview_object *object) {
    pinview_error *error = NULL;
    pinview_value value;
    pinview_result *result = NULL;
    alarm(120);
    if (pinview_context_save(context, &error) != PINVIEW_ERROR_FORKED) return 1;
    if (pinview_object_value(object, TEXT("name"), &value, NULL) != PINVIEW_ERROR_FORKED) return 2;
    if (pinview_context_registered_objects(context, &result, NULL) != PINVIEW_ERROR_FORKED || result != NULL) return 3;
    if (pinview_object_release(object) != PINVIEW_OK) return 4;
    if (pinview_context_release(context) != PINVIEW_OK) return 5;
    return 0;
}

static void a_child_gets_errors(void) {
    data_stack stack = stack_open("fork.sqlite");
    add_daves(&stack, 0, 2);
    pinview_context *context = context_on(&stack);
    pin(context);
    pinview_object *dave = one_named(context, "Person", "dave0");
    fflush(NULL);
    int report[2]; /* not the exit status, which valgrind uses for itself */
    REQUIRE(pipe(report) == 0);
    pid_t child = fork();
    REQUIRE(child >= 0);
    if (child == 0) {
        char failed_call = (char)use_in_the_child(context, dave);
        _exit(write(report[1], &failed_call, 1) == 1 ? 0 : 1);
    }
    close(report[1]);
    char failed_call = 99; /* also where the child hung and was killed by its alarm */
    EXPECT_NUMBER(read(report[0], &failed_call, 1), 1);
    EXPECT_NUMBER(failed_call, 0);
    close(report[0]);
    waitpid(child, NULL, 0);
    add_daves(&stack, 2, 1); /* the parent's pin and store are as they were */
    EXPECT_NUMBER(count_named(context, "Person", NULL), 2);
    EXPECT_TEXT(text_of(dave, "name"), "dave0");
    EXPECT_NUMBER(sql_number(stack.path, "SELECT integrity_check = 'ok' FROM pragma_integrity_check"), 1);
    pinview_object_release(dave);
    pinview_context_release(context);
    stack_close(&stack);
}

static const test_case tests[] = {
    {"a child made by fork() gets an error from every call, and the parent goes on", a_child_gets_errors},
};
const test_topic fork_topic = TOPIC("fork", tests);
