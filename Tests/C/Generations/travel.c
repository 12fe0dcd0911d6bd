/* Tokens in other programs, and news of commits. */
#define _POSIX_C_SOURCE 200809L
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "support.h"
#include "topics.h"

/* The second program: pins a context to the token of the first one, and writes how many people it
 * sees for each byte that it reads; or the status of the error. */
int adopt_in_a_second_program(const char *path, const char *digits) {
    uint8_t bytes[1024];
    size_t size = 0;
    unsigned byte;
    while (size < sizeof bytes && sscanf(digits + 2 * size, "%2x", &byte) == 1) bytes[size++] = (uint8_t)byte;
    pinview_binary data = {bytes, size};
    pinview_model *model = NULL;
    pinview_coordinator *coordinator = NULL;
    pinview_context *context = NULL;
    pinview_token *token = NULL;
    pinview_fetch_request request;
    pinview_status status = pinview_fetch_request_init(&request, sizeof request, TEXT("Person"), NULL);
    if (status == PINVIEW_OK) status = pinview_model_create_from_store(pinview_text(path), &model, NULL);
    if (status == PINVIEW_OK) status = pinview_coordinator_create(model, &coordinator, NULL);
    if (status == PINVIEW_OK) {
        status = pinview_coordinator_add_store(coordinator, TEXT(PINVIEW_STORE_TYPE_SQLITE), pinview_absent(), pinview_text(path), NULL, 0,
                                               NULL, NULL);
    }
    if (status == PINVIEW_OK) status = pinview_context_create(PINVIEW_CONCURRENCY_PRIVATE_QUEUE, &context, NULL);
    if (status == PINVIEW_OK) status = pinview_context_set_coordinator(context, coordinator, NULL);
    if (status == PINVIEW_OK) status = pinview_token_create_from_data(data, &token, NULL);
    if (status == PINVIEW_OK) status = pinview_context_set_query_generation(context, token, NULL);
    char go;
    while (read(STDIN_FILENO, &go, 1) == 1) {
        int64_t count = 0;
        if (status == PINVIEW_OK) status = pinview_context_count(context, &request, &count, NULL);
        printf("%lld\n", status == PINVIEW_OK ? (long long)count : (long long)status);
        fflush(stdout);
    }
    pinview_token_release(token);
    pinview_context_release(context);
    pinview_coordinator_release(coordinator);
    pinview_model_release(model);
    return 0;
}

typedef struct {
    pid_t process;
    FILE *input, *output;
} second_program;

static second_program start(const char *path, pinview_token *token) {
    pinview_binary data;
    OK(pinview_token_data(token, &data, ERROR));
    char digits[2048], self[4096];
    REQUIRE(2 * data.size < sizeof digits);
    for (size_t index = 0; index < data.size; index++) sprintf(digits + 2 * index, "%02x", data.data[index]);
    ssize_t length = readlink("/proc/self/exe", self, sizeof self - 1);
    REQUIRE(length > 0);
    self[length] = 0;
    int input[2], output[2];
    REQUIRE(pipe(input) == 0 && pipe(output) == 0);
    fflush(NULL);
    pid_t process = fork();
    REQUIRE(process >= 0);
    if (process == 0) {
        dup2(input[0], STDIN_FILENO);
        dup2(output[1], STDOUT_FILENO);
        close(input[1]);
        close(output[0]);
        execl(self, self, "--adopt", path, digits, (char *)NULL);
        _exit(127);
    }
    close(input[0]);
    close(output[1]);
    second_program started = {process, fdopen(input[1], "w"), fdopen(output[0], "r")};
    REQUIRE(started.input != NULL && started.output != NULL);
    return started;
}

static long long ask(second_program *program) {
    long long answer = -999999;
    fputc('?', program->input);
    fflush(program->input);
    EXPECT_NUMBER(fscanf(program->output, "%lld", &answer), 1);
    return answer;
}

static void finish(second_program *program) {
    fclose(program->input);
    fclose(program->output);
    waitpid(program->process, NULL, 0);
}

static void a_second_program_adopts_the_generation(void) {
    data_stack stack = stack_open("travel.sqlite");
    pinview_context *context = context_on(&stack);
    pinview_token *token = NULL;
    add_daves(&stack, 0, 2);
    pin(context);
    EXPECT_NUMBER(count_named(context, "Person", NULL), 2);
    OK(pinview_context_query_generation(context, &token, ERROR));
    add_daves(&stack, 2, 3);
    second_program program = start(stack.path, token);
    EXPECT_NUMBER(ask(&program), 2);
    OK(pinview_context_set_query_generation(context, NULL, ERROR)); /* the second one holds it by itself */
    add_daves(&stack, 5, 1);
    EXPECT_NUMBER(ask(&program), 2);
    OK(pinview_context_set_query_generation(context, token, ERROR)); /* and gives it back */
    EXPECT_NUMBER(count_named(context, "Person", NULL), 2);
    finish(&program);
    EXPECT_NUMBER(count_named(context, "Person", NULL), 2);
    OK(pinview_context_set_query_generation(context, NULL, ERROR));
    program = start(stack.path, token);
    EXPECT_NUMBER(ask(&program), PINVIEW_ERROR_GENERATION_EXPIRED);
    finish(&program);
    pinview_token_release(token);
    pinview_context_release(context);
    stack_close(&stack);
}

/* ----- news ----- */

typedef struct {
    int pipe[2];
    int freed;
} commit_news;

static void note(void *userdata) { EXPECT(write(((commit_news *)userdata)->pipe[1], "!", 1) == 1); }
static void count_free(void *userdata) { ((commit_news *)userdata)->freed++; }

static void observers_hear_of_commits(void) {
    data_stack stack = stack_open("news.sqlite"), stranger = stack_open("news.sqlite");
    pinview_observer *observer = NULL;
    commit_news news = {.freed = 0};
    char byte;
    REQUIRE(pipe(news.pipe) == 0);
    OK(pinview_coordinator_add_generation_observer(stack.coordinator, note, &news, count_free, &observer, ERROR));
    add_daves(&stranger, 0, 1);
    EXPECT_NUMBER(read(news.pipe[0], &byte, 1), 1); /* waits for as long as it takes */
    OK(pinview_coordinator_remove_generation_observer(stack.coordinator, observer, ERROR));
    EXPECT_NUMBER(news.freed, 1); /* a call that was under way has ended */
    OK(pinview_coordinator_remove_generation_observer(stack.coordinator, observer, ERROR));
    EXPECT_NUMBER(pinview_observer_release(observer), PINVIEW_OK);
    FAILS(PINVIEW_ERROR_INVALID_ARGUMENT, pinview_coordinator_add_generation_observer(stack.coordinator, NULL, NULL, NULL, &observer, ERROR));
    close(news.pipe[0]);
    close(news.pipe[1]);
    stack_close(&stranger);
    stack_close(&stack);
}

static void contexts_wait_for_news(void) {
    data_stack stack = stack_open("news.sqlite");
    pinview_context *context = context_on(&stack);
    int32_t newer = 9;
    add_daves(&stack, 0, 1);
    EXPECT_NUMBER(pinview_context_has_newer_generation(context), 0);
    pin(context);
    EXPECT_NUMBER(count_named(context, "Person", NULL), 1);
    OK(pinview_context_wait_for_newer_generation(context, 0.01, &newer, ERROR));
    EXPECT_NUMBER(newer, 0);
    add_daves(&stack, 1, 1);
    EXPECT_NUMBER(pinview_context_has_newer_generation(context), 1);
    OK(pinview_context_wait_for_newer_generation(context, -1, &newer, ERROR));
    EXPECT_NUMBER(newer, 1);
    EXPECT_NUMBER(count_named(context, "Person", NULL), 1);
    FAILS(PINVIEW_ERROR_INVALID_ARGUMENT, pinview_context_wait_for_newer_generation(context, 0.0 / 0.0, &newer, ERROR));
    EXPECT_NUMBER(pinview_context_has_newer_generation(NULL), 0);
    pinview_context_release(context);
    stack_close(&stack);
}

static void writers_are_held_when_asked(void) {
    data_stack stack = stack_open("strict.sqlite");
    EXPECT_NUMBER(pinview_coordinator_holds_writers_while_pinning(stack.coordinator), 0);
    OK(pinview_coordinator_set_holds_writers_while_pinning(stack.coordinator, 1, ERROR));
    EXPECT_NUMBER(pinview_coordinator_holds_writers_while_pinning(stack.coordinator), 1);
    add_daves(&stack, 0, 1);
    pinview_context *context = context_on(&stack);
    pin(context);
    EXPECT_NUMBER(count_named(context, "Person", NULL), 1);
    pinview_context_release(context);
    stack_close(&stack);
}

static const test_case tests[] = {
    {"DEC-66: a second program adopts the generation that a token's bytes name", a_second_program_adopts_the_generation},
    {"observers hear of commits, whoever makes them", observers_hear_of_commits},
    {"contexts tell of newer generations and wait for them", contexts_wait_for_news},
    {"DEC-06: writers are held while several stores are pinned, when asked", writers_are_held_when_asked},
};
const test_topic travel_topic = TOPIC("travel", tests);
