/* Features of a context besides its objects: data, the deprecated lock, the undo manager,
 * tasks, prefetching. */
#define _POSIX_C_SOURCE 200809L
#include <poll.h>
#include <pthread.h>
#include <semaphore.h>
#include <string.h>

#include "support.h"
#include "topics.h"

static void count_free(void *userdata) { ++*(int *)userdata; }

static void data_lives_as_long_as_the_context(void) {
    data_stack stack = stack_in_memory();
    pinview_context *context = context_on(&stack);
    int first = 0, second = 0;
    EXPECT(pinview_context_userdata(context) == NULL);
    OK(pinview_context_set_userdata(context, &first, count_free, ERROR));
    EXPECT(pinview_context_userdata(context) == &first);
    OK(pinview_context_set_userdata(context, &second, count_free, ERROR));
    EXPECT(first == 1 && second == 0 && pinview_context_userdata(context) == &second);
    pinview_object *object = insert_object(context, "Person", "dave0");
    pinview_context_release(context);
    EXPECT_NUMBER(second, 1); /* although an object of the context is still there */
    pinview_object_release(object);
    stack_close(&stack);
}

typedef struct {
    pinview_context *context;
    int32_t got;
    pinview_status unlocked;
} lock_record;

static void *try_to_lock(void *userdata) {
    lock_record *record = userdata;
    pinview_context_try_lock(record->context, &record->got, NULL);
    record->unlocked = pinview_context_unlock(record->context, NULL);
    return NULL;
}

static lock_record tried_elsewhere(pinview_context *context) {
    lock_record record = {context, -1, 0};
    pthread_t thread;
    REQUIRE(pthread_create(&thread, NULL, try_to_lock, &record) == 0);
    pthread_join(thread, NULL);
    return record;
}

static void the_deprecated_lock_is_recursive(void) {
    data_stack stack = stack_in_memory();
    pinview_context *context = context_on(&stack);
    int32_t got = 0;
    FAILS(PINVIEW_ERROR_NOT_LOCKED, pinview_context_unlock(context, ERROR)); /* API-63 */
    OK(pinview_context_lock(context, ERROR)); /* API-62 */
    OK(pinview_context_try_lock(context, &got, ERROR)); /* API-64 */
    EXPECT_NUMBER(got, 1);
    lock_record record = tried_elsewhere(context);
    EXPECT(record.got == 0 && record.unlocked == PINVIEW_ERROR_NOT_LOCKED);
    OK(pinview_context_unlock(context, ERROR));
    EXPECT_NUMBER(tried_elsewhere(context).got, 0); /* one level is still there */
    OK(pinview_context_unlock(context, ERROR));
    record = tried_elsewhere(context);
    EXPECT(record.got == 1 && record.unlocked == PINVIEW_OK);
    FAILS(PINVIEW_ERROR_NOT_LOCKED, pinview_context_unlock(context, ERROR));
    pinview_context_release(context);
    stack_close(&stack);
}

static void an_undo_manager_tells_and_takes_back(void) {
    data_stack stack = stack_open("undo.sqlite");
    add_daves(&stack, 0, 1);
    pinview_context *context = context_on(&stack);
    pinview_object *dave = one_named(context, "Person", "dave0");
    pinview_undo_manager *manager = NULL, *same = NULL;
    OK(pinview_context_undo_manager(context, &manager, ERROR)); /* UND-01, API-49 */
    OK(pinview_context_undo_manager(context, &same, ERROR));
    EXPECT(pinview_undo_manager_is_equal(manager, same));
    EXPECT(!pinview_undo_manager_can_undo(manager) && !pinview_undo_manager_can_redo(manager));
    set_integer(dave, "age", 50);
    EXPECT_NUMBER(pinview_undo_manager_grouping_level(manager), 1);
    OK(pinview_undo_manager_set_action_name(manager, TEXT("Birthday"), ERROR));
    OK(pinview_context_process_pending_changes(context, ERROR));
    EXPECT(pinview_undo_manager_can_undo(manager));
    EXPECT_TEXT(pinview_undo_manager_undo_action_name(manager), "Birthday");
    OK(pinview_undo_manager_undo(manager, ERROR)); /* API-50 */
    EXPECT_NUMBER(integer_of(dave, "age"), 20);
    EXPECT_TEXT(pinview_undo_manager_redo_action_name(manager), "Birthday");
    EXPECT_TEXT(pinview_undo_manager_undo_action_name(manager), "");
    OK(pinview_undo_manager_redo(manager, ERROR)); /* API-51 */
    EXPECT_NUMBER(integer_of(dave, "age"), 50);
    OK(pinview_undo_manager_set_registration_enabled(manager, 0, ERROR));
    OK(pinview_undo_manager_set_registration_enabled(manager, 0, ERROR));
    OK(pinview_undo_manager_set_registration_enabled(manager, 1, ERROR));
    EXPECT(!pinview_undo_manager_is_registration_enabled(manager));
    set_integer(dave, "age", 60);
    OK(pinview_undo_manager_set_registration_enabled(manager, 1, ERROR));
    EXPECT(pinview_undo_manager_is_registration_enabled(manager));
    OK(pinview_undo_manager_begin_grouping(manager, ERROR)); /* UND-10 */
    set_integer(dave, "age", 61);
    OK(pinview_undo_manager_end_grouping(manager, ERROR));
    OK(pinview_undo_manager_undo(manager, ERROR));
    EXPECT_NUMBER(integer_of(dave, "age"), 60);
    OK(pinview_undo_manager_set_levels(manager, 3, ERROR));
    EXPECT_NUMBER(pinview_undo_manager_levels(manager), 3);
    OK(pinview_undo_manager_remove_all_actions(manager, ERROR)); /* UND-08 */
    EXPECT(!pinview_undo_manager_can_undo(manager) && !pinview_undo_manager_can_redo(manager));
    pinview_object_release(dave);
    pinview_undo_manager_release(same);
    pinview_undo_manager_release(manager);
    pinview_context_release(context);
    stack_close(&stack);
}

static void an_undo_manager_serves_one_context(void) {
    data_stack stack = stack_in_memory();
    pinview_context *context = context_on(&stack), *other = context_on(&stack);
    pinview_undo_manager *manager = NULL, *found = NULL;
    OK(pinview_undo_manager_create(&manager, ERROR));
    OK(pinview_undo_manager_undo(manager, ERROR)); /* no context, nothing to do */
    OK(pinview_context_set_undo_manager(context, manager, ERROR));
    OK(pinview_context_set_undo_manager(other, manager, ERROR));
    OK(pinview_context_undo_manager(context, &found, ERROR));
    EXPECT(found == NULL); /* UND-09 */
    pinview_object_release(insert_object(other, "Person", "dave0"));
    EXPECT(pinview_undo_manager_can_undo(manager));
    OK(pinview_context_set_undo_manager(other, NULL, ERROR));
    EXPECT(!pinview_undo_manager_can_undo(manager));
    pinview_undo_manager_release(manager);
    pinview_context_release(context);
    pinview_context_release(other);
    stack_close(&stack);
}

typedef struct {
    sem_t done;
    int64_t count;
    int32_t type;
} task_record;

static pinview_status insert_one(pinview_context *context, void *userdata) {
    task_record *record = userdata;
    pinview_object *object = NULL;
    record->type = pinview_context_concurrency_type(context);
    if (pinview_context_insert_new_object(context, TEXT("Person"), &object, NULL) != PINVIEW_OK) return PINVIEW_STOP;
    pinview_object_release(object);
    record->count = pinview_context_save(context, NULL) == PINVIEW_OK ? 1 : -1;
    return PINVIEW_OK;
}

static void task_ended(void *userdata) { sem_post(&((task_record *)userdata)->done); }

static void a_container_runs_tasks(void) {
    pinview_model *model = people_model();
    pinview_container *container = NULL;
    pinview_context *view = NULL;
    task_record record;
    memset(&record, 0, sizeof record);
    sem_init(&record.done, 0, 0);
    OK(pinview_container_create(TEXT("People"), model, pinview_text(test_path("tasks.sqlite")), NULL, 0, &container, ERROR));
    OK(pinview_container_load_stores(container, ERROR));
    OK(pinview_container_perform_background_task(container, insert_one, &record, task_ended, ERROR));
    sem_wait(&record.done);
    EXPECT_NUMBER(record.type, PINVIEW_CONCURRENCY_PRIVATE_QUEUE);
    EXPECT_NUMBER(record.count, 1);
    OK(pinview_container_view_context(container, &view, ERROR));
    EXPECT_NUMBER(count_named(view, "Person", NULL), 1);
    FAILS(PINVIEW_ERROR_INVALID_ARGUMENT, pinview_container_perform_background_task(container, NULL, NULL, NULL, ERROR));
    pinview_context_release(view);
    pinview_container_release(container);
    pinview_model_release(model);
    sem_destroy(&record.done);
}

/* Lines of the log with a SELECT. */
static void count_selects(pinview_string line, void *userdata) { *(int *)userdata += strstr(line.data, "SELECT") != NULL; }

static void a_fetch_loads_relationships_along(void) {
    data_stack stack = stack_open("prefetch.sqlite");
    add_daves(&stack, 0, 5);
    pinview_context *context = context_on(&stack);
    int selects = 0;
    pinview_string key_paths[] = {TEXT("cars")};
    pinview_fetch_request request;
    pinview_result *people = NULL;
    OK(pinview_fetch_request_init(&request, sizeof request, TEXT("Person"), ERROR));
    request.prefetched_key_paths = key_paths;
    request.prefetched_key_path_count = 1;
    OK(pinview_sql_log_set_callback(count_selects, &selects, NULL, ERROR));
    pinview_sql_log_set_enabled(1);
    OK(pinview_context_fetch(context, &request, &people, ERROR));
    EXPECT_NUMBER(selects, 2); /* one for the persons, one for the relationship */
    for (uint64_t index = 0; index < 5; index++) {
        pinview_object *person = NULL;
        OK(pinview_result_object(people, index, &person, ERROR));
        EXPECT_NUMBER(members_of(person, "cars"), 1);
        pinview_object_release(person);
    }
    EXPECT_NUMBER(selects, 2);
    pinview_sql_log_set_enabled(0);
    OK(pinview_sql_log_set_callback(NULL, NULL, NULL, ERROR));
    key_paths[0] = TEXT("wheels");
    pinview_result_release(people);
    FAILS(PINVIEW_ERROR_UNKNOWN_KEY, pinview_context_fetch(context, &request, &people, ERROR));
    pinview_context_release(context);
    stack_close(&stack);
}

static void a_fault_is_read_with_its_siblings(void) {
    data_stack stack = stack_open("siblings.sqlite");
    add_daves(&stack, 0, 5);
    pinview_context *context = context_on(&stack);
    int selects = 0;
    pinview_fetch_request request;
    pinview_result *people = NULL;
    OK(pinview_fetch_request_init(&request, sizeof request, TEXT("Person"), ERROR));
    request.flags |= PINVIEW_FETCH_OMITS_VALUES;
    OK(pinview_context_fetch(context, &request, &people, ERROR));
    OK(pinview_sql_log_set_callback(count_selects, &selects, NULL, ERROR));
    pinview_sql_log_set_enabled(1);
    for (uint64_t index = 0; index < 5; index++) {
        pinview_object *person = NULL;
        OK(pinview_result_object(people, index, &person, ERROR));
        EXPECT_NUMBER(integer_of(person, "age"), 20 + (int64_t)index);
        pinview_object_release(person);
    }
    pinview_sql_log_set_enabled(0);
    EXPECT_NUMBER(selects, 1); /* FLT-03 */
    OK(pinview_sql_log_set_callback(NULL, NULL, NULL, ERROR));
    pinview_result_release(people);
    pinview_context_release(context);
    stack_close(&stack);
}

typedef struct {
    int runs;
    sem_t may_put_in;
    pinview_context *context;
} loop_record;

static pinview_status note_run(pinview_context *context, void *userdata) {
    (void)context;
    ((loop_record *)userdata)->runs++;
    return PINVIEW_OK;
}

static void *put_in_work(void *userdata) {
    loop_record *record = userdata;
    sem_wait(&record->may_put_in);
    pinview_context_perform(record->context, note_run, record, NULL, NULL);
    return NULL;
}

/* As a host's loop has it: sleep until something happens, then let the library do its work on the
 * main thread. */
static void a_poll_loop_drains_the_main_queue(void) {
    data_stack stack = stack_in_memory();
    loop_record record;
    pthread_t thread;
    memset(&record, 0, sizeof record);
    sem_init(&record.may_put_in, 0, 0);
    OK(pinview_context_create(PINVIEW_CONCURRENCY_MAIN_QUEUE, &record.context, ERROR));
    OK(pinview_context_set_coordinator(record.context, stack.coordinator, ERROR));
    struct pollfd sources[] = {{pinview_main_queue_file_descriptor(), POLLIN, 0}};
    EXPECT_NUMBER(poll(sources, 1, 0), 0);
    REQUIRE(pthread_create(&thread, NULL, put_in_work, &record) == 0);
    sem_post(&record.may_put_in);
    while (record.runs == 0) {
        REQUIRE(poll(sources, 1, 120000) == 1); /* woken by the other thread */
        OK(pinview_main_queue_drain(NULL, ERROR));
    }
    pthread_join(thread, NULL);
    EXPECT_NUMBER(record.runs, 1);
    EXPECT_NUMBER(poll(sources, 1, 0), 0);
    pinview_context_release(record.context);
    stack_close(&stack);
    sem_destroy(&record.may_put_in);
}

static const test_case tests[] = {
    {"API-05, CTX-21: data of the program's own lives as long as the context", data_lives_as_long_as_the_context},
    {"API-62, API-63, API-64: the deprecated lock is recursive", the_deprecated_lock_is_recursive},
    {"API-49 to API-51, UND-01, UND-08, UND-10: an undo manager tells and takes back", an_undo_manager_tells_and_takes_back},
    {"UND-09, API-49: an undo manager serves one context", an_undo_manager_serves_one_context},
    {"STO-15, API-65: a container runs tasks in the background", a_container_runs_tasks},
    {"relationships come along with a fetch in one statement each", a_fetch_loads_relationships_along},
    {"FLT-03: one statement reads a fault and its siblings", a_fault_is_read_with_its_siblings},
    {"CON-02, CON-17: a poll loop drains the main queue", a_poll_loop_drains_the_main_queue},
};
const test_topic program_topic = TOPIC("program", tests);
