/* What differs between two generations, what others commit, and who reads the history. */
#define _POSIX_C_SOURCE 200809L
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "support.h"
#include "topics.h"

/* A context that is pinned to what three daves are, and its token. */
static pinview_context *view_on(const data_stack *stack, pinview_token **token) {
    pinview_context *view = context_on(stack);
    pin(view);
    count_named(view, "Person", NULL);
    OK(pinview_context_query_generation(view, token, ERROR));
    return view;
}

static void change_in(const data_stack *stack) {
    pinview_context *writer = context_on(stack);
    pinview_object *dave0 = one_named(writer, "Person", "dave0"), *dave1 = one_named(writer, "Person", "dave1");
    set_integer(dave0, "age", 99);
    OK(pinview_context_delete(writer, dave1, ERROR));
    pinview_object *eve = insert_object(writer, "Person", "eve");
    save(writer);
    pinview_object_release(eve);
    pinview_object_release(dave1);
    pinview_object_release(dave0);
    pinview_context_release(writer);
}

static int is_text(pinview_string text, const char *expected) {
    return text.size == strlen(expected) && memcmp(text.data, expected, text.size) == 0;
}

static void check_difference_of(data_stack *stack) {
    add_daves(stack, 0, 3);
    pinview_token *old = NULL, *new_generation = NULL, *again = NULL;
    pinview_context *view = view_on(stack, &old);
    change_in(stack);

    pinview_difference *difference = NULL;
    OK(pinview_coordinator_difference(stack->coordinator, old, NULL, NULL, 0, &difference, ERROR));
    REQUIRE(pinview_difference_count(difference) == 4);
    pinview_difference_change changes[4];
    pinview_object_id *ids[4];
    OK(pinview_difference_changes(difference, 0, 4, changes, sizeof *changes, ids, ERROR));
    /* The car of dave1 has no owner any more. */
    static const int32_t types[] = {PINVIEW_HISTORY_UPDATE, PINVIEW_HISTORY_UPDATE, PINVIEW_HISTORY_DELETE, PINVIEW_HISTORY_INSERT};
    static const char *const entities[] = {"Car", "Person", "Person", "Person"};
    for (int index = 0; index < 4; index++) {
        EXPECT_NUMBER(changes[index].type, types[index]);
        EXPECT(is_text(pinview_object_id_entity_name(ids[index]), entities[index]));
        EXPECT_NUMBER(changes[index].property_count, types[index] == PINVIEW_HISTORY_UPDATE ? 1 : 0);
        pinview_object_id_release(ids[index]);
    }
    EXPECT(is_text(changes[0].properties[0], "owner"));
    EXPECT(is_text(changes[1].properties[0], "age"));
    FAILS(PINVIEW_ERROR_INVALID_ARGUMENT, pinview_difference_changes(difference, 3, 2, changes, sizeof *changes, NULL, ERROR));

    /* The view goes there, and the two generations are the same to it. */
    OK(pinview_difference_new_generation(difference, &new_generation, ERROR));
    OK(pinview_context_set_query_generation(view, new_generation, ERROR));
    EXPECT_NUMBER(count_named(view, "Person", "eve"), 1);
    OK(pinview_difference_old_generation(difference, &again, ERROR));
    EXPECT(pinview_token_is_equal(again, old));

    /* Backwards, and of one entity. */
    const pinview_string car = TEXT("Car"), ship = TEXT("Ship");
    pinview_difference *back = NULL;
    OK(pinview_coordinator_difference(stack->coordinator, new_generation, old, NULL, 0, &back, ERROR));
    OK(pinview_difference_changes(back, 2, 2, changes, sizeof *changes, NULL, ERROR));
    EXPECT_NUMBER(changes[0].type, PINVIEW_HISTORY_INSERT);
    EXPECT_NUMBER(changes[1].type, PINVIEW_HISTORY_DELETE);
    pinview_difference_release(back);
    OK(pinview_coordinator_difference(stack->coordinator, old, NULL, &car, 1, &back, ERROR));
    EXPECT_NUMBER(pinview_difference_count(back), 1);
    pinview_difference_release(back);
    FAILS(PINVIEW_ERROR_UNKNOWN_ENTITY, pinview_coordinator_difference(stack->coordinator, old, NULL, &ship, 1, &back, ERROR));

    pinview_difference_release(difference);
    FAILS(PINVIEW_ERROR_GENERATION_EXPIRED, pinview_coordinator_difference(stack->coordinator, old, NULL, NULL, 0, &back, ERROR));
    EXPECT(back == NULL);
    pinview_token_release(again);
    pinview_token_release(new_generation);
    pinview_token_release(old);
    pinview_context_release(view);
    stack_close(stack);
}

static void generations_are_compared(void) {
    data_stack stack = stack_open("h.sqlite");
    check_difference_of(&stack);
}

static void history_tells_the_difference(void) {
    data_stack stack = stack_open_with("h.sqlite", PINVIEW_STORE_OPTION_HISTORY_TRACKING, pinview_value_boolean(1));
    check_difference_of(&stack);
}

static void foreign_tokens_have_no_difference(void) {
    data_stack stack = stack_open("h.sqlite"), other = stack_open("i.sqlite");
    pinview_token *token = NULL;
    pinview_context *view = view_on(&other, &token);
    pinview_difference *difference = NULL;
    FAILS(PINVIEW_ERROR_FOREIGN_TOKEN, pinview_coordinator_difference(stack.coordinator, token, NULL, NULL, 0, &difference, ERROR));
    pinview_token_release(token);
    pinview_context_release(view);
    stack_close(&other);
    stack_close(&stack);
}

/* What observers receive; they run on a thread of the library. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t told = PTHREAD_COND_INITIALIZER;
static int told_count, freed_count;
static char told_identifier[64], told_path[4096];
static pinview_history_token *told_token;

static void tell(const pinview_remote_change *change, void *userdata) {
    pthread_mutex_lock(&lock);
    snprintf(told_identifier, sizeof told_identifier, "%s", change->store_identifier.data);
    snprintf(told_path, sizeof told_path, "%s", change->store_path.data);
    if (told_token != NULL) pinview_history_token_release(told_token);
    told_token = (pinview_history_token *)change->history_token;
    if (told_token != NULL) pinview_history_token_retain(told_token);
    told_count += userdata == &told_count && change->struct_size == sizeof *change;
    pthread_cond_broadcast(&told);
    pthread_mutex_unlock(&lock);
}

static void forget(void *userdata) { ++*(int *)userdata; }

static void wait_for(int count) {
    struct timespec end;
    clock_gettime(CLOCK_REALTIME, &end);
    end.tv_sec += 120;
    pthread_mutex_lock(&lock);
    while (told_count < count && pthread_cond_timedwait(&told, &lock, &end) == 0) {}
    EXPECT_NUMBER(told_count, count);
    pthread_mutex_unlock(&lock);
}

/* What the second program does: one save in the store, which keeps a history. */
int write_in_a_second_program(const char *path) {
    pinview_model *model = NULL;
    pinview_coordinator *coordinator = NULL;
    pinview_context *context = NULL;
    pinview_object *object = NULL;
    pinview_named_value option = {TEXT(PINVIEW_STORE_OPTION_HISTORY_TRACKING), pinview_value_boolean(1)};
    pinview_status status = pinview_model_create_from_store(pinview_text(path), &model, NULL);
    if (status == PINVIEW_OK) status = pinview_coordinator_create(model, &coordinator, NULL);
    if (status == PINVIEW_OK) {
        status = pinview_coordinator_add_store(coordinator, TEXT(PINVIEW_STORE_TYPE_SQLITE), pinview_absent(), pinview_text(path), &option, 1,
                                               NULL, NULL);
    }
    if (status == PINVIEW_OK) status = pinview_context_create(PINVIEW_CONCURRENCY_PRIVATE_QUEUE, &context, NULL);
    if (status == PINVIEW_OK) status = pinview_context_set_coordinator(context, coordinator, NULL);
    if (status == PINVIEW_OK) status = pinview_context_insert_new_object(context, TEXT("Person"), &object, NULL);
    if (status == PINVIEW_OK) status = pinview_context_save(context, NULL);
    pinview_object_release(object);
    pinview_context_release(context);
    pinview_coordinator_release(coordinator);
    pinview_model_release(model);
    return status == PINVIEW_OK ? 0 : 1;
}

static void others_are_told_of(void) {
    pinview_named_value options[] = {{TEXT(PINVIEW_STORE_OPTION_HISTORY_TRACKING), pinview_value_boolean(1)},
                                     {TEXT(PINVIEW_STORE_OPTION_REMOTE_CHANGES), pinview_value_boolean(1)}};
    data_stack stack = stack_open_with("r.sqlite", PINVIEW_STORE_OPTION_HISTORY_TRACKING, pinview_value_boolean(1));
    pinview_coordinator *watching = NULL;
    pinview_observer *observer = NULL;
    pinview_store *store = NULL;
    told_count = freed_count = 0;
    OK(pinview_coordinator_create(stack.model, &watching, ERROR));
    OK(pinview_coordinator_add_store(watching, TEXT(PINVIEW_STORE_TYPE_SQLITE), pinview_absent(), pinview_text(stack.path), options, 2,
                                     &store, ERROR));
    OK(pinview_coordinator_add_remote_change_observer(watching, tell, &told_count, NULL, &observer, ERROR));

    /* Another coordinator of this program; and its own context, whose save is not reported. */
    pinview_context *own = NULL;
    OK(pinview_context_create(PINVIEW_CONCURRENCY_PRIVATE_QUEUE, &own, ERROR));
    OK(pinview_context_set_coordinator(own, watching, ERROR));
    pinview_object_release(insert_object(own, "Person", "own"));
    save(own);
    add_daves(&stack, 0, 1);
    wait_for(1);
    EXPECT_TEXT(pinview_store_identifier(store), told_identifier);
    EXPECT_TEXT(pinview_text(stack.path), told_path);
    pinview_history_token *now = NULL;
    OK(pinview_coordinator_history_token(watching, &now, ERROR));
    EXPECT(pinview_history_token_is_equal(now, told_token));
    pinview_history_token_release(now);

    /* Another program. */
    char self[4096];
    ssize_t size = readlink("/proc/self/exe", self, sizeof self - 1);
    REQUIRE(size > 0);
    self[size] = 0;
    pid_t process = fork();
    if (process == 0) {
        execl(self, self, "--write", stack.path, (char *)NULL);
        _exit(127);
    }
    int status = 0;
    REQUIRE(waitpid(process, &status, 0) == process && WIFEXITED(status) && WEXITSTATUS(status) == 0);
    wait_for(2);
    OK(pinview_coordinator_history_token(watching, &now, ERROR));
    EXPECT(pinview_history_token_is_equal(now, told_token));

    /* A tool that keeps no history. */
    sql_number(stack.path, "UPDATE ZPERSON SET ZAGE = 1 RETURNING 1");
    wait_for(3);
    EXPECT(pinview_history_token_is_equal(now, told_token));
    pinview_history_token_release(now);

    OK(pinview_observer_remove(observer, ERROR));
    pinview_observer_release(observer);
    OK(pinview_coordinator_add_remote_change_observer(watching, tell, &freed_count, forget, &observer, ERROR));
    OK(pinview_observer_remove(observer, ERROR));
    EXPECT_NUMBER(freed_count, 1);
    pinview_observer_release(observer);
    FAILS(PINVIEW_ERROR_INVALID_ARGUMENT, pinview_coordinator_add_remote_change_observer(watching, NULL, NULL, NULL, &observer, ERROR));
    pinview_history_token_release(told_token);
    told_token = NULL;
    pinview_store_release(store);
    pinview_context_release(own);
    pinview_coordinator_release(watching);
    stack_close(&stack);
}

static void note_name(pinview_string name, const pinview_history_token *token, void *userdata) {
    char *names = userdata;
    REQUIRE(token != NULL && strlen(names) + name.size < 90);
    strncat(names, name.data, name.size);
    strcat(names, " ");
}

static void consumers_are_respected(void) {
    data_stack stack = stack_open_with("c.sqlite", PINVIEW_STORE_OPTION_HISTORY_TRACKING, pinview_value_boolean(1));
    pinview_context *context = context_on(&stack);
    pinview_history_token *start = NULL, *end = NULL;
    OK(pinview_coordinator_history_token(stack.coordinator, &start, ERROR));
    add_daves(&stack, 0, 1);
    add_daves(&stack, 1, 1);
    OK(pinview_coordinator_history_token(stack.coordinator, &end, ERROR));
    OK(pinview_coordinator_set_history_consumer(stack.coordinator, TEXT("view"), end, ERROR));
    OK(pinview_coordinator_set_history_consumer(stack.coordinator, TEXT("index"), start, ERROR));
    char names[100] = "";
    OK(pinview_coordinator_each_history_consumer(stack.coordinator, note_name, names, ERROR));
    EXPECT(strcmp(names, "index view ") == 0);
    FAILS(PINVIEW_ERROR_INVALID_ARGUMENT, pinview_coordinator_each_history_consumer(stack.coordinator, NULL, NULL, ERROR));

    pinview_history_request request;
    memset(&request, 0, sizeof request);
    request.struct_size = sizeof request;
    request.token = end;
    request.flags = PINVIEW_HISTORY_REFUSES_TO_PASS_CONSUMERS;
    int64_t deleted = -1;
    pinview_error *error = NULL;
    EXPECT_NUMBER(pinview_context_delete_history(context, &request, &deleted, &error), PINVIEW_ERROR_STORE_OPERATION);
    EXPECT(strstr(pinview_error_message(error).data, "index") != NULL);
    pinview_error_release(error);
    request.flags = PINVIEW_HISTORY_PASSES_CONSUMERS;
    OK(pinview_context_delete_history(context, &request, &deleted, ERROR));
    EXPECT_NUMBER(deleted, 1);
    pinview_history_token_release(start);
    pinview_history_token_release(end);
    pinview_context_release(context);
    stack_close(&stack);
}

static const test_case tests[] = {
    {"what others commit is told of, with the history token", others_are_told_of},
    {"consumers are listed, and respected by deletions", consumers_are_respected},
    {"two generations are compared by their rows", generations_are_compared},
    {"the history tells what differs, the same", history_tells_the_difference},
    {"a token of another coordinator is refused", foreign_tokens_have_no_difference},
};
const test_topic history_topic = TOPIC("history", tests);
