/* Functions that free userdata may use the library: nothing of the program's runs with a lock of
   the library held. A call that waits for itself is ended by an alarm. */
#define _POSIX_C_SOURCE 200809L
#include <pthread.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "support.h"
#include "topics.h"

static void pause_a_millisecond(void) {
    const struct timespec time = {0, 1000000};
    nanosleep(&time, NULL);
}

enum { alarm_seconds = 120 };

typedef struct {
    data_stack stack;
    pinview_context *context;
    pinview_object *object;
    int freed;
} user;

static user set_up(void) {
    user self;
    memset(&self, 0, sizeof self);
    alarm(alarm_seconds);
    self.stack = stack_open("freeing.sqlite");
    self.context = context_on(&self.stack);
    self.object = insert_object(self.context, "Person", "somebody");
    save(self.context);
    return self;
}

static void tear_down(user *self) {
    pinview_object_release(self->object);
    pinview_context_release(self->context);
    stack_close(&self->stack);
    alarm(0);
}

/* Reads, writes, and sets all that has userdata. */
static void use_library(void *userdata) {
    user *self = userdata;
    pinview_value name = pinview_value_text("somebody else");
    EXPECT_NUMBER(pinview_sql_log_set_callback(NULL, NULL, NULL, NULL), PINVIEW_OK);
    EXPECT_NUMBER(pinview_coordinator_set_journal_callback(self->stack.coordinator, NULL, NULL, NULL, NULL), PINVIEW_OK);
    EXPECT_NUMBER(pinview_context_set_userdata(self->context, NULL, NULL, NULL), PINVIEW_OK);
    EXPECT_NUMBER(pinview_object_set_userdata(self->object, NULL, NULL, NULL), PINVIEW_OK);
    EXPECT_NUMBER(pinview_object_set_value(self->object, TEXT("name"), &name, NULL), PINVIEW_OK);
    EXPECT_NUMBER(pinview_context_save(self->context, NULL), PINVIEW_OK);
    EXPECT_NUMBER(pinview_context_set_query_generation(self->context, pinview_token_current(), NULL), PINVIEW_OK);
    EXPECT_NUMBER(count_named(self->context, "Person", NULL), 1);
    EXPECT_NUMBER(pinview_context_set_query_generation(self->context, NULL, NULL), PINVIEW_OK);
    __atomic_add_fetch(&self->freed, 1, __ATOMIC_RELEASE);
}

static void hear_line(pinview_string line, void *userdata) {
    (void)line;
    (void)userdata;
}

static void hear_journal(const pinview_journal_event *event, void *userdata) {
    (void)event;
    (void)userdata;
}

static void hear_notification(const pinview_notification *notification, void *userdata) {
    (void)notification;
    (void)userdata;
}

static void hear_generation(void *userdata) { (void)userdata; }

static pinview_status resolve_nothing(pinview_merge *merge, void *userdata) {
    (void)merge;
    (void)userdata;
    return PINVIEW_OK;
}

static pinview_status do_nothing(pinview_context *context, void *userdata) {
    (void)context;
    (void)userdata;
    return PINVIEW_OK;
}

static void replaced_userdata_is_freed_outside_locks(void) {
    user self = set_up();
    OK(pinview_context_set_userdata(self.context, &self, use_library, ERROR));
    OK(pinview_context_set_userdata(self.context, &self, NULL, ERROR));
    EXPECT_NUMBER(self.freed, 1);
    OK(pinview_object_set_userdata(self.object, &self, use_library, ERROR));
    OK(pinview_object_set_userdata(self.object, &self, NULL, ERROR));
    EXPECT_NUMBER(self.freed, 2);
    OK(pinview_sql_log_set_callback(hear_line, &self, use_library, ERROR));
    OK(pinview_sql_log_set_callback(hear_line, NULL, NULL, ERROR));
    EXPECT_NUMBER(self.freed, 3);
    OK(pinview_coordinator_set_journal_callback(self.stack.coordinator, hear_journal, &self, use_library, ERROR));
    OK(pinview_coordinator_set_journal_callback(self.stack.coordinator, hear_journal, NULL, NULL, ERROR));
    EXPECT_NUMBER(self.freed, 4);
    OK(pinview_context_set_merge_callback(self.context, resolve_nothing, &self, use_library, ERROR));
    OK(pinview_context_set_merge_policy(self.context, PINVIEW_MERGE_POLICY_ERROR, ERROR));
    EXPECT_NUMBER(self.freed, 5);
    tear_down(&self);
}

static void removed_observers_are_freed_outside_locks(void) {
    user self = set_up();
    pinview_observer *observer = NULL;
    OK(pinview_observe(pinview_absent(), self.context, hear_notification, &self, use_library, &observer, ERROR));
    OK(pinview_observer_remove(observer, ERROR));
    pinview_observer_release(observer);
    EXPECT_NUMBER(self.freed, 1);
    OK(pinview_coordinator_add_generation_observer(self.stack.coordinator, hear_generation, &self, use_library, &observer, ERROR));
    OK(pinview_observer_remove(observer, ERROR));
    pinview_observer_release(observer);
    EXPECT_NUMBER(self.freed, 2);
    tear_down(&self);
}

static void hooks_are_freed_outside_locks(void) {
    user self = set_up();
    pinview_model *model = NULL;
    pinview_entity_hooks hooks;
    memset(&hooks, 0, sizeof hooks);
    hooks.struct_size = sizeof hooks;
    OK(pinview_model_create_from_json(TEXT(people_json), &model, ERROR));
    OK(pinview_model_set_entity_hooks(model, TEXT("Person"), &hooks, &self, use_library, ERROR));
    OK(pinview_model_set_entity_hooks(model, TEXT("Person"), &hooks, NULL, NULL, ERROR));
    EXPECT_NUMBER(self.freed, 1);
    OK(pinview_model_set_entity_hooks(model, TEXT("Person"), &hooks, &self, use_library, ERROR));
    pinview_model_release(model);
    EXPECT_NUMBER(self.freed, 2);
    tear_down(&self);
}

static void errors_and_results_are_freed_outside_locks(void) {
    user self = set_up();
    pinview_error *error = NULL;
    OK(pinview_error_create(TEXT("freeing"), 100, TEXT("of the program"), &self, use_library, &error, ERROR));
    pinview_error_release(error);
    EXPECT_NUMBER(self.freed, 1);
    const pinview_sort_descriptor by_name = {TEXT("name"), 0, 0};
    pinview_results_controller *controller = NULL;
    pinview_results_callbacks callbacks;
    pinview_fetch_request request;
    memset(&callbacks, 0, sizeof callbacks);
    callbacks.struct_size = sizeof callbacks;
    OK(pinview_fetch_request_init(&request, sizeof request, TEXT("Person"), ERROR));
    request.sort_descriptors = &by_name;
    request.sort_descriptor_count = 1;
    OK(pinview_results_controller_create(self.context, &request, pinview_absent(), &controller, ERROR));
    OK(pinview_results_controller_set_callbacks(controller, &callbacks, &self, use_library, ERROR));
    OK(pinview_results_controller_set_callbacks(controller, &callbacks, NULL, NULL, ERROR));
    EXPECT_NUMBER(self.freed, 2);
    pinview_results_controller_release(controller);
    tear_down(&self);
}

/* Blocks and fetches end on threads of the library; the last one is waited for by a block behind
 * it. */
static void what_runs_on_other_threads_is_freed_outside_locks(void) {
    user self = set_up();
    pinview_context *other = context_on(&self.stack);
    pinview_fetch_request request;
    pinview_asynchronous_fetch *fetch = NULL;
    int32_t has_ended = 0;
    OK(pinview_context_perform(other, do_nothing, &self, use_library, ERROR));
    OK(pinview_context_perform_and_wait(other, do_nothing, NULL, ERROR));
    EXPECT_NUMBER(self.freed, 1);
    OK(pinview_fetch_request_init(&request, sizeof request, TEXT("Person"), ERROR));
    OK(pinview_context_fetch_asynchronously(other, &request, 0, NULL, NULL, &self, use_library, &fetch, ERROR));
    OK(pinview_asynchronous_fetch_wait(fetch, -1, &has_ended, ERROR));
    pinview_asynchronous_fetch_release(fetch);
    for (int round = 0; round < 100000 && __atomic_load_n(&self.freed, __ATOMIC_ACQUIRE) < 2; round++) pause_a_millisecond();
    EXPECT_NUMBER(self.freed, 2);
    pinview_context_release(other);
    tear_down(&self);
}

typedef struct {
    user *user;
    pinview_object *released;
    int calls;
    pinview_status status;
    uint64_t stores;
} log_user;

static void use_library_in_log(pinview_string line, void *userdata) {
    log_user *self = userdata;
    int64_t count = 0;
    pinview_fetch_request request;
    (void)line;
    if (self->calls++ > 0) return;
    EXPECT_NUMBER(pinview_fetch_request_init(&request, sizeof request, TEXT("Person"), NULL), PINVIEW_ERROR_INVALID_ARGUMENT);
    memset(&request, 0, sizeof request);
    request.struct_size = sizeof request;
    request.entity = TEXT("Person");
    self->status = pinview_context_count(self->user->context, &request, &count, NULL);
    self->stores = pinview_coordinator_store_count(self->user->stack.coordinator);
    EXPECT_NUMBER(pinview_object_release(self->released), PINVIEW_OK);
}

static void a_log_callback_gets_an_error_from_the_library(void) {
    user self = set_up();
    log_user record = {&self, NULL, 0, PINVIEW_OK, 7};
    record.released = insert_object(self.context, "Person", "kept");
    save(self.context);
    OK(pinview_sql_log_set_callback(use_library_in_log, &record, NULL, ERROR));
    pinview_sql_log_set_enabled(1);
    EXPECT_NUMBER(count_named(self.context, "Person", NULL), 2);
    pinview_sql_log_set_enabled(0);
    OK(pinview_sql_log_set_callback(NULL, NULL, NULL, ERROR));
    EXPECT(record.calls > 0);
    EXPECT_NUMBER(record.status, PINVIEW_ERROR_INVALID_ARGUMENT);
    EXPECT_NUMBER(record.stores, 0);
    EXPECT_NUMBER(count_named(self.context, "Person", NULL), 2);
    for (int round = 0; round < 100000; round++) { /* the release comes a little later */
        pinview_status status = pinview_object_retain(record.released);
        if (status == PINVIEW_ERROR_INVALID_HANDLE) break;
        pinview_object_release(record.released);
        pause_a_millisecond();
    }
    tear_down(&self);
}

typedef struct {
    pinview_context *context;
    pthread_t reader, freer;
    int is_inside, is_replaced, is_freed;
} replaced_log;

static int is_set(int *flag) {
    for (int round = 0; round < 100000 && !__atomic_load_n(flag, __ATOMIC_ACQUIRE); round++) pause_a_millisecond();
    return __atomic_load_n(flag, __ATOMIC_ACQUIRE);
}

static void stay_until_replaced(pinview_string line, void *userdata) {
    replaced_log *self = userdata;
    (void)line;
    if (__atomic_exchange_n(&self->is_inside, 1, __ATOMIC_ACQ_REL) == 0) (void)is_set(&self->is_replaced);
}

static void note_freer(void *userdata) {
    replaced_log *self = userdata;
    self->freer = pthread_self();
    __atomic_store_n(&self->is_freed, 1, __ATOMIC_RELEASE);
}

static void *read_with_the_log(void *userdata) {
    replaced_log *self = userdata;
    pinview_fetch_request request;
    int64_t count = 0;
    (void)pinview_fetch_request_init(&request, sizeof request, TEXT("Person"), NULL);
    (void)pinview_context_count(self->context, &request, &count, NULL);
    return NULL;
}

/* The thread inside is in the middle of a statement, with all that the library holds for it. */
static void a_log_callback_that_runs_is_not_freed_by_its_thread(void) {
    user self = set_up();
    replaced_log record;
    memset(&record, 0, sizeof record);
    record.context = self.context;
    OK(pinview_sql_log_set_callback(stay_until_replaced, &record, note_freer, ERROR));
    pinview_sql_log_set_enabled(1);
    REQUIRE(pthread_create(&record.reader, NULL, read_with_the_log, &record) == 0);
    EXPECT(is_set(&record.is_inside));
    OK(pinview_sql_log_set_callback(hear_line, NULL, NULL, ERROR));
    EXPECT_NUMBER(__atomic_load_n(&record.is_freed, __ATOMIC_ACQUIRE), 0);
    __atomic_store_n(&record.is_replaced, 1, __ATOMIC_RELEASE);
    EXPECT(is_set(&record.is_freed));
    EXPECT(!pthread_equal(record.freer, record.reader));
    pthread_join(record.reader, NULL);
    pinview_sql_log_set_enabled(0);
    OK(pinview_sql_log_set_callback(NULL, NULL, NULL, ERROR));
    tear_down(&self);
}

static const test_case tests[] = {
    {"issue 15, 5: an SQL log's callback that runs is not freed by the thread that runs it", a_log_callback_that_runs_is_not_freed_by_its_thread},
    {"issue 15, 5: userdata that is replaced is freed outside of locks", replaced_userdata_is_freed_outside_locks},
    {"issue 15, 5: observers that are removed are freed outside of locks", removed_observers_are_freed_outside_locks},
    {"issue 15, 5: hooks that are replaced are freed outside of locks", hooks_are_freed_outside_locks},
    {"issue 15, 5: errors and results controllers are freed outside of locks", errors_and_results_are_freed_outside_locks},
    {"issue 15, 5: blocks and asynchronous fetches are freed outside of locks", what_runs_on_other_threads_is_freed_outside_locks},
    {"issue 15, 5: the SQL log's callback gets an error from calls instead of waiting for itself", a_log_callback_gets_an_error_from_the_library},
};

const test_topic freeing_topic = TOPIC("freeing userdata", tests);
