/* Who holds the journal: reports of a coordinator, and of any file. */
#define _POSIX_C_SOURCE 200809L
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "support.h"
#include "topics.h"

static pinview_journal_store store_of(const pinview_journal_report *report, uint64_t index) {
    pinview_journal_store store;
    store.struct_size = sizeof store;
    OK(pinview_journal_report_store(report, index, &store, ERROR));
    return store;
}

static void a_generation_names_its_contexts(void) {
    data_stack stack = stack_open("held.sqlite");
    add_daves(&stack, 0, 3);
    pinview_context *context = context_on(&stack);
    OK(pinview_context_set_name(context, TEXT("report of May"), ERROR));
    OK(pinview_context_set_transaction_author(context, TEXT("accounting"), ERROR));
    pin(context);
    EXPECT_NUMBER(count_named(context, "Person", NULL), 3);
    add_daves(&stack, 3, 20);

    pinview_journal_report *report = NULL;
    OK(pinview_coordinator_journal_report(stack.coordinator, &report, ERROR));
    EXPECT_NUMBER(pinview_journal_report_store_count(report), 1);
    pinview_journal_store store = store_of(report, 0);
    EXPECT_NUMBER(store.is_open_here, 1);
    EXPECT(store.frames > 0 && store.page_size == 4096 && store.journal_bytes == pinview_store_journal_size(stack.store));
    EXPECT(strstr(store.path.data, "/held.sqlite") != NULL && store.path.data[0] == '/');
    EXPECT(store.pins >= 1 && store.reads >= 1);
    REQUIRE(store.generation_count == 1);
    pinview_journal_generation generation;
    generation.struct_size = sizeof generation;
    OK(pinview_journal_report_generation(report, 0, 0, &generation, ERROR));
    EXPECT(generation.frames_held_back > 0 && !generation.is_newest && !generation.is_detached && generation.age >= 0);
    EXPECT_NUMBER(generation.bytes_held_back, (int64_t)generation.frames_held_back * (store.page_size + 24));
    REQUIRE(generation.context_count == 1 && generation.read_mark >= 0);
    EXPECT(store.read_marks & (1u << generation.read_mark));
    if (generation.read_mark > 0) EXPECT(pinview_journal_report_read_mark_frame(report, 0, generation.read_mark) <= generation.frame);
    pinview_journal_context entry;
    entry.struct_size = sizeof entry;
    OK(pinview_journal_report_context(report, 0, 0, 0, &entry, ERROR));
    EXPECT_TEXT(entry.name, "report of May");
    EXPECT_TEXT(entry.transaction_author, "accounting");
    EXPECT_TEXT(entry.thread, "private queue");
    EXPECT_NUMBER(entry.concurrency_type, PINVIEW_CONCURRENCY_PRIVATE_QUEUE);
    EXPECT_NUMBER(entry.is_pinned, 1);
    FAILS(PINVIEW_ERROR_INVALID_ARGUMENT, pinview_journal_report_context(report, 0, 0, 1, &entry, ERROR));
    FAILS(PINVIEW_ERROR_INVALID_ARGUMENT, pinview_journal_report_generation(report, 1, 0, &generation, ERROR));

    /* A snapshot: it does not change, whatever happens to the context. */
    pinview_context_release(context);
    EXPECT_NUMBER(store_of(report, 0).generation_count, 1);
    pinview_journal_report_release(report);
    OK(pinview_coordinator_journal_report(stack.coordinator, &report, ERROR));
    EXPECT_NUMBER(store_of(report, 0).generation_count, 0);
    pinview_journal_report_release(report);
    stack_close(&stack);
}

static void a_lazy_context_waits(void) {
    data_stack stack = stack_open("lazy.sqlite");
    pinview_context *context = context_on(&stack);
    OK(pinview_context_set_name(context, TEXT("lazy"), ERROR));
    OK(pinview_context_set_query_generation(context, pinview_token_current(), ERROR));
    pinview_journal_report *report = NULL;
    OK(pinview_coordinator_journal_report(stack.coordinator, &report, ERROR));
    pinview_journal_store store = store_of(report, 0);
    EXPECT_NUMBER(store.generation_count, 0);
    REQUIRE(store.waiting_context_count == 1);
    pinview_journal_context entry;
    entry.struct_size = sizeof entry;
    OK(pinview_journal_report_context(report, 0, store.generation_count, 0, &entry, ERROR));
    EXPECT_TEXT(entry.name, "lazy");
    EXPECT_NUMBER(entry.is_pinned, 0);
    pinview_journal_report_release(report);
    pinview_context_release(context);
    stack_close(&stack);
}

static void another_process_is_named(void) {
    data_stack stack = stack_open("shared.sqlite");
    add_daves(&stack, 0, 3);
    char command[4200];
    snprintf(command, sizeof command, "sqlite3 -batch '%s' >/dev/null", stack.path);
    FILE *tool = popen(command, "w");
    REQUIRE(tool != NULL);
    fputs("BEGIN; SELECT count(*) FROM ZPERSON;\n", tool);
    fflush(tool);
    int found = 0;
    while (!found) { /* until the tool has come so far */
        pinview_journal_report *report = NULL;
        OK(pinview_journal_report_create_for_file(pinview_text(stack.path), &report, ERROR));
        pinview_journal_store store = store_of(report, 0);
        for (uint64_t index = 0; index < store.process_count; index++) {
            pinview_journal_process process;
            process.struct_size = sizeof process;
            OK(pinview_journal_report_process(report, 0, index, &process, ERROR));
            if (process.is_this_process) {
                EXPECT_NUMBER(process.identifier, getpid());
            } else if (process.read_marks != 0) {
                EXPECT_TEXT(process.command, "sqlite3");
                EXPECT(store.read_marks & process.read_marks);
                found = 1;
            }
        }
        pinview_journal_report_release(report);
    }
    pclose(tool);
    stack_close(&stack);
}

static void the_text_is_a_table(void) {
    data_stack stack = stack_open("table.sqlite");
    pinview_buffer *buffer = NULL;
    pinview_string text;
    OK(pinview_buffer_create(&buffer, ERROR));
    OK(pinview_coordinator_journal_report_text(stack.coordinator, buffer, &text, ERROR));
    EXPECT(strlen(text.data) == text.size && strstr(text.data, "table.sqlite") != NULL && strstr(text.data, "(this one)") != NULL);
    stack_close(&stack);
    stack = stack_in_memory();
    OK(pinview_coordinator_journal_report_text(stack.coordinator, buffer, &text, ERROR));
    EXPECT_TEXT(text, "");
    stack_close(&stack);
    pinview_buffer_release(buffer);
}

static void files_without_a_journal_are_refused(void) {
    data_stack stack = stack_open_with("plain.sqlite", PINVIEW_STORE_OPTION_JOURNAL_MODE, pinview_value_text("delete"));
    pinview_journal_report *report = NULL;
    FAILS(PINVIEW_ERROR_STORE_OPERATION, pinview_journal_report_create_for_file(pinview_text(stack.path), &report, ERROR));
    EXPECT(report == NULL);
    FAILS(PINVIEW_ERROR_STORE_OPEN, pinview_journal_report_create_for_file(TEXT("no such file"), &report, ERROR));
    stack_close(&stack);
}

typedef struct {
    pthread_mutex_t lock;
    pthread_cond_t told;
    int calls, frees, generations;
    int32_t kind;
    int64_t copy_bytes;
    char path[256];
} journal_news;

static void take_news(const pinview_journal_event *event, void *userdata) {
    journal_news *news = userdata;
    pthread_mutex_lock(&news->lock);
    EXPECT_NUMBER(event->struct_size, sizeof *event);
    EXPECT_TEXT(event->reason, NULL);
    EXPECT(event->journal_bytes > 0 && event->budget_bytes > 0);
    news->calls++;
    news->kind = event->kind;
    news->generations = (int)event->generations;
    news->copy_bytes = event->copy_bytes;
    snprintf(news->path, sizeof news->path, "%s", event->path.data);
    pthread_cond_signal(&news->told);
    pthread_mutex_unlock(&news->lock);
}

static void free_news(void *userdata) { ((journal_news *)userdata)->frees++; }

static void an_old_generation_is_copied_aside(void) {
    journal_news news = {.lock = PTHREAD_MUTEX_INITIALIZER, .told = PTHREAD_COND_INITIALIZER};
    data_stack stack = stack_open_with("aside.sqlite", PINVIEW_STORE_OPTION_GENERATION_AGE_BUDGET, pinview_value_double(0.02));
    OK(pinview_coordinator_set_journal_callback(stack.coordinator, take_news, &news, free_news, ERROR));
    pinview_context *context = context_on(&stack);
    add_daves(&stack, 0, 3);
    pin(context);
    EXPECT_NUMBER(count_named(context, "Person", NULL), 3);
    add_daves(&stack, 3, 20);
    pthread_mutex_lock(&news.lock);
    while (news.calls == 0) pthread_cond_wait(&news.told, &news.lock);
    pthread_mutex_unlock(&news.lock);
    OK(pinview_coordinator_set_journal_callback(stack.coordinator, NULL, NULL, NULL, ERROR));
    EXPECT_NUMBER(news.kind, PINVIEW_JOURNAL_DETACHED);
    EXPECT_NUMBER(news.generations, 1);
    EXPECT(news.copy_bytes > 0 && strstr(news.path, "aside.sqlite") != NULL);
    EXPECT_NUMBER(news.frees, 1);
    EXPECT_NUMBER(sql_number(stack.path, "PRAGMA wal_checkpoint(TRUNCATE)"), 0);
    EXPECT_NUMBER(count_named(context, "Person", NULL), 3);
    pinview_journal_report *report = NULL;
    OK(pinview_coordinator_journal_report(stack.coordinator, &report, ERROR));
    pinview_journal_generation generation;
    generation.struct_size = sizeof generation;
    OK(pinview_journal_report_generation(report, 0, 0, &generation, ERROR));
    EXPECT(generation.is_detached && store_of(report, 0).detaches == 1);
    pinview_journal_report_release(report);
    pinview_context_release(context);
    stack_close(&stack);
}

static void options_of_the_budget_are_checked(void) {
    pinview_named_value option = {TEXT(PINVIEW_STORE_OPTION_JOURNAL_BUDGET_POLICY), pinview_value_text("detached")};
    data_stack stack = stack_in_memory();
    pinview_store *store = NULL;
    FAILS(
        PINVIEW_ERROR_INVALID_ARGUMENT,
        pinview_coordinator_add_store(
            stack.coordinator, TEXT(PINVIEW_STORE_TYPE_SQLITE), pinview_absent(), pinview_text(test_path("o.sqlite")), &option, 1, &store,
            ERROR));
    EXPECT(store == NULL);
    stack_close(&stack);
}

static const test_case tests[] = {
    {"a generation names its contexts and what it holds back", a_generation_names_its_contexts},
    {"a context that has not read yet waits", a_lazy_context_waits},
    {"another process is named with its read marks", another_process_is_named},
    {"the text is a table for people", the_text_is_a_table},
    {"files without a journal are refused", files_without_a_journal_are_refused},
    {"an old generation is copied aside, and the callback told", an_old_generation_is_copied_aside},
    {"the options of the budget are checked", options_of_the_budget_are_checked},
};
const test_topic journal_topic = TOPIC("journal", tests);
