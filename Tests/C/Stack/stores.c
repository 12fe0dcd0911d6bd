/* Coordinators, stores and containers. */
#include <sqlite3.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "support.h"
#include "topics.h"

static void a_store_tells_what_it_is(void) {
    data_stack stack = stack_open("a.sqlite");
    pinview_store *same = NULL;
    EXPECT_NUMBER(pinview_store_identifier(stack.store).size, 36);
    EXPECT_TEXT(pinview_store_type(stack.store), PINVIEW_STORE_TYPE_SQLITE);
    EXPECT_TEXT(pinview_store_path(stack.store), stack.path);
    EXPECT_TEXT(pinview_store_configuration(stack.store), NULL);
    EXPECT_TEXT(pinview_store_journal_mode(stack.store), "wal");
    EXPECT_NUMBER(pinview_store_is_read_only(stack.store), 0);
    EXPECT_NUMBER(pinview_store_supports_query_generations(stack.store), 1);
    EXPECT_NUMBER(pinview_coordinator_store_count(stack.coordinator), 1);
    OK(pinview_coordinator_store(stack.coordinator, 0, &same, ERROR));
    EXPECT(pinview_store_is_equal(same, stack.store));
    EXPECT_NUMBER(pinview_store_retain(same), PINVIEW_OK);
    pinview_store_release(same);
    pinview_store_release(same);
    same = NULL;
    FAILS(PINVIEW_ERROR_INVALID_ARGUMENT, pinview_coordinator_store(stack.coordinator, 1, &same, ERROR));
    EXPECT(same == NULL);
    EXPECT_NUMBER(sql_number(stack.path, "SELECT journal_mode = 'wal' FROM pragma_journal_mode"), 1); /* STO-01 */
    stack_close(&stack);
}

static void a_coordinator_tells_its_model(void) {
    data_stack stack = stack_in_memory();
    pinview_model *model = NULL;
    OK(pinview_coordinator_model(stack.coordinator, &model, ERROR));
    EXPECT(pinview_model_is_equal(model, stack.model));
    EXPECT(pinview_coordinator_is_equal(stack.coordinator, stack.coordinator));
    EXPECT(!pinview_coordinator_is_equal(stack.coordinator, NULL));
    EXPECT_NUMBER(pinview_coordinator_retain(stack.coordinator), PINVIEW_OK);
    pinview_coordinator_release(stack.coordinator);
    EXPECT_TEXT(pinview_store_type(stack.store), PINVIEW_STORE_TYPE_IN_MEMORY);
    EXPECT_TEXT(pinview_store_path(stack.store), NULL);
    EXPECT_NUMBER(pinview_store_supports_query_generations(stack.store), 0);
    EXPECT_NUMBER(pinview_store_journal_size(stack.store), 0);
    pinview_model_release(model);
    stack_close(&stack);
}

static void options_are_checked(void) {
    pinview_model *model = people_model();
    pinview_coordinator *coordinator = NULL;
    pinview_named_value option;
    const pinview_string type = TEXT(PINVIEW_STORE_TYPE_SQLITE), path = pinview_text(test_path("o.sqlite"));
    OK(pinview_coordinator_create(model, &coordinator, ERROR));
    option.name = TEXT("colour");
    option.value = pinview_value_text("red");
    FAILS(PINVIEW_ERROR_INVALID_ARGUMENT, pinview_coordinator_add_store(coordinator, type, pinview_absent(), path, &option, 1, NULL, ERROR));
    EXPECT(strstr(last_message(), "colour") != NULL);
    option.name = TEXT(PINVIEW_STORE_OPTION_JOURNAL_MODE);
    FAILS(PINVIEW_ERROR_INVALID_ARGUMENT, pinview_coordinator_add_store(coordinator, type, pinview_absent(), path, &option, 1, NULL, ERROR));
    FAILS(PINVIEW_ERROR_INVALID_ARGUMENT, pinview_coordinator_add_store(coordinator, type, pinview_absent(), path, NULL, 1, NULL, ERROR));
    FAILS(PINVIEW_ERROR_INVALID_ARGUMENT, pinview_coordinator_add_store(coordinator, TEXT("Paper"), pinview_absent(), path, NULL, 0, NULL, ERROR));
    FAILS(PINVIEW_ERROR_INVALID_ARGUMENT, pinview_coordinator_add_store(coordinator, type, pinview_absent(), pinview_absent(), NULL, 0, NULL, ERROR));
    FAILS(PINVIEW_ERROR_INVALID_ARGUMENT,
          pinview_coordinator_add_store(coordinator, TEXT(PINVIEW_STORE_TYPE_IN_MEMORY), pinview_absent(), path, NULL, 0, NULL, ERROR));
    EXPECT_NUMBER(pinview_coordinator_store_count(coordinator), 0);
    pinview_coordinator_release(coordinator);
    pinview_model_release(model);
}

static void options_work(void) {
    data_stack stack = stack_open_with("delete.sqlite", PINVIEW_STORE_OPTION_JOURNAL_MODE, pinview_value_text("delete"));
    EXPECT_TEXT(pinview_store_journal_mode(stack.store), "delete");
    EXPECT_NUMBER(pinview_store_supports_query_generations(stack.store), 0);
    add_daves(&stack, 0, 1);
    EXPECT_NUMBER(file_size(test_path("delete.sqlite-wal")), -1);
    stack_close(&stack);
    stack = stack_open_with("delete.sqlite", PINVIEW_STORE_OPTION_READ_ONLY, pinview_value_boolean(1));
    EXPECT_NUMBER(pinview_store_is_read_only(stack.store), 1);
    pinview_context *context = context_on(&stack);
    pinview_object *dave = one_named(context, "Person", "dave0");
    set_text(dave, "name", "Dave");
    FAILS(PINVIEW_ERROR_STORE_SAVE, pinview_context_save(context, ERROR)); /* STO-09 */
    pinview_object_release(dave);
    pinview_context_release(context);
    stack_close(&stack);
    stack = stack_open_with("full.sqlite", PINVIEW_STORE_OPTION_SYNCHRONOUS, pinview_value_text("full"));
    stack_close(&stack);
    stack = stack_open_with("busy.sqlite", PINVIEW_STORE_OPTION_BUSY_TIMEOUT, pinview_value_double(0.5));
    stack_close(&stack);
}

static void files_that_cannot_be_opened_are_named(void) {
    pinview_model *model = people_model(), *other = NULL;
    pinview_coordinator *coordinator = NULL;
    const pinview_string type = TEXT(PINVIEW_STORE_TYPE_SQLITE);
    const char *garbage = test_path("garbage.sqlite");
    FILE *file = fopen(garbage, "w");
    REQUIRE(file != NULL);
    for (int index = 0; index < 1000; index++) fputs("this is no database ", file);
    fclose(file);
    OK(pinview_coordinator_create(model, &coordinator, ERROR));
    FAILS(PINVIEW_ERROR_STORE_OPEN, pinview_coordinator_add_store(coordinator, type, pinview_absent(), pinview_text(garbage), NULL, 0, NULL, ERROR));
    EXPECT(strstr(last_message(), "garbage.sqlite") != NULL);
    data_stack people = stack_open("people.sqlite");
    stack_close(&people);
    OK(pinview_model_create_from_json(TEXT("{\"entities\":[{\"name\":\"Tree\"}]}"), &other, ERROR));
    pinview_coordinator_release(coordinator);
    OK(pinview_coordinator_create(other, &coordinator, ERROR));
    FAILS(PINVIEW_ERROR_INCOMPATIBLE_MODEL,
          pinview_coordinator_add_store(coordinator, type, pinview_absent(), pinview_text(test_path("people.sqlite")), NULL, 0, NULL, ERROR));
    EXPECT(strstr(last_message(), "people.sqlite") != NULL);
    EXPECT_NUMBER(pinview_coordinator_store_count(coordinator), 0);
    pinview_coordinator_release(coordinator);
    pinview_model_release(other);
    pinview_model_release(model);
}

static void a_fifo_is_no_file(void) {
    pinview_model *model = people_model(), *other = NULL;
    pinview_coordinator *coordinator = NULL;
    pinview_journal_report *report = NULL;
    const char *path = test_path("fifo");
    REQUIRE(mkfifo(path, 0600) == 0);
    OK(pinview_coordinator_create(model, &coordinator, ERROR));
    FAILS(PINVIEW_ERROR_STORE_OPEN,
          pinview_coordinator_add_store(
              coordinator, TEXT(PINVIEW_STORE_TYPE_SQLITE), pinview_absent(), pinview_text(path), NULL, 0, NULL, ERROR));
    EXPECT(strstr(last_message(), "FIFO") != NULL);
    FAILS(PINVIEW_ERROR_STORE_OPEN, pinview_model_create_from_store(pinview_text(path), &other, ERROR));
    FAILS(PINVIEW_ERROR_STORE_OPEN, pinview_model_create_from_tables(pinview_text(path), &other, ERROR));
    pinview_buffer *buffer = NULL;
    pinview_binary metadata;
    OK(pinview_buffer_create(&buffer, ERROR));
    FAILS(PINVIEW_ERROR_STORE_OPEN, pinview_file_metadata(pinview_text(path), buffer, &metadata, ERROR));
    pinview_buffer_release(buffer);
    FAILS(PINVIEW_ERROR_INVALID_ARGUMENT, pinview_model_create_from_file(pinview_text(path), pinview_text(NULL), 0, &other, ERROR));
    FAILS(PINVIEW_ERROR_STORE_OPEN, pinview_journal_report_create_for_file(pinview_text(path), &report, ERROR));
    pinview_coordinator_release(coordinator);
    pinview_model_release(model);
}

static void a_planted_trigger_is_refused(void) {
    data_stack stack = stack_open("planted.sqlite");
    char path[512];
    snprintf(path, sizeof path, "%s", stack.path);
    stack_close(&stack);
    sqlite3 *database = NULL;
    REQUIRE(sqlite3_open(path, &database) == SQLITE_OK);
    REQUIRE(sqlite3_exec(database, "CREATE TRIGGER spy AFTER INSERT ON ZPERSON BEGIN SELECT 1; END", NULL, NULL, NULL) == SQLITE_OK);
    sqlite3_close(database);
    pinview_model *model = people_model();
    pinview_coordinator *coordinator = NULL;
    const pinview_string type = TEXT(PINVIEW_STORE_TYPE_SQLITE);
    pinview_named_value trusted = {TEXT(PINVIEW_STORE_OPTION_TRUSTED_SCHEMA), pinview_value_boolean(1)};
    OK(pinview_coordinator_create(model, &coordinator, ERROR));
    FAILS(PINVIEW_ERROR_STORE_OPEN, pinview_coordinator_add_store(coordinator, type, pinview_absent(), pinview_text(path), NULL, 0, NULL, ERROR));
    EXPECT(strstr(last_message(), "spy") != NULL);
    EXPECT(strstr(last_message(), "trustedSchema") != NULL);
    OK(pinview_coordinator_add_store(coordinator, type, pinview_absent(), pinview_text(path), &trusted, 1, NULL, ERROR));
    pinview_coordinator_release(coordinator);
    pinview_model_release(model);
}

/* Issue 15, 9. */
static void a_save_to_a_file_that_was_moved_away_fails(void) {
    data_stack stack = stack_open("moved.sqlite");
    pinview_context *context = context_on(&stack);
    char path[512], away[520];
    snprintf(path, sizeof path, "%s", stack.path);
    snprintf(away, sizeof away, "%s-away", path);
    pinview_object *person = insert_object(context, "Person", "ann");
    REQUIRE(rename(path, away) == 0);
    FAILS(PINVIEW_ERROR_STORE_SAVE, pinview_context_save(context, ERROR));
    EXPECT(strstr(last_message(), "deleted or moved away") != NULL);
    EXPECT(has_changes(context));
    REQUIRE(rename(away, path) == 0);
    save(context);
    EXPECT_NUMBER(count_named(context, "Person", "ann"), 1);
    pinview_object_release(person);
    pinview_context_release(context);
    stack_close(&stack);
}

static void stores_come_and_go(void) {
    data_stack stack = stack_open("first.sqlite"), other = stack_in_memory();
    pinview_store *second = NULL;
    pinview_context *context = context_on(&stack);
    add_daves(&stack, 0, 1);
    OK(pinview_coordinator_add_store(stack.coordinator, TEXT(PINVIEW_STORE_TYPE_SQLITE), pinview_absent(), pinview_text(test_path("second.sqlite")),
                                     NULL, 0, &second, ERROR));
    pinview_object *eve = insert_object(context, "Person", "eve");
    OK(pinview_context_assign(context, eve, second, ERROR));
    FAILS(PINVIEW_ERROR_UNKNOWN_STORE, pinview_coordinator_remove_store(stack.coordinator, other.store, ERROR));
    save(context);
    EXPECT_NUMBER(count_named(context, "Person", NULL), 2); /* FET-11 */
    EXPECT_NUMBER(sql_number(test_path("second.sqlite"), "SELECT count(*) FROM ZPERSON"), 1);
    FAILS(PINVIEW_ERROR_WRONG_STORE, pinview_context_assign(context, eve, stack.store, ERROR)); /* STO-10 */
    OK(pinview_coordinator_remove_store(stack.coordinator, second, ERROR));
    EXPECT_NUMBER(count_named(context, "Person", NULL), 1); /* STO-13 */
    pinview_value value;
    FAILS(PINVIEW_ERROR_STORE_OPERATION, pinview_object_value(eve, TEXT("name"), &value, ERROR)); /* DEC-20, QG-35 */
    EXPECT_NUMBER(value.type, PINVIEW_VALUE_NULL);
    EXPECT_NUMBER(pinview_store_identifier(second).size, 36);
    pinview_object_release(eve);
    pinview_store_release(second);
    pinview_context_release(context);
    stack_close(&other);
    stack_close(&stack);
}

static void configurations_limit_a_store(void) {
    static const char json[] = "{\"entities\":[{\"name\":\"Tree\",\"attributes\":[{\"name\":\"name\",\"type\":\"string\"}]},"
                               "{\"name\":\"Rock\",\"attributes\":[{\"name\":\"name\",\"type\":\"string\"}]}],"
                               "\"configurations\":{\"Plants\":[\"Tree\"]}}";
    pinview_model *model = NULL;
    pinview_coordinator *coordinator = NULL;
    pinview_store *store = NULL;
    OK(pinview_model_create_from_json(TEXT(json), &model, ERROR));
    OK(pinview_coordinator_create(model, &coordinator, ERROR));
    OK(pinview_coordinator_add_store(coordinator, TEXT(PINVIEW_STORE_TYPE_SQLITE), TEXT("Plants"), pinview_text(test_path("plants.sqlite")), NULL, 0,
                                     &store, ERROR));
    EXPECT_TEXT(pinview_store_configuration(store), "Plants");
    pinview_context *context = NULL;
    OK(pinview_context_create(PINVIEW_CONCURRENCY_PRIVATE_QUEUE, &context, ERROR));
    OK(pinview_context_set_coordinator(context, coordinator, ERROR));
    pinview_object *rock = insert_object(context, "Rock", "granite");
    FAILS(PINVIEW_ERROR_WRONG_STORE, pinview_context_assign(context, rock, store, ERROR)); /* STO-10 */
    pinview_object_release(rock);
    pinview_context_release(context);
    pinview_store_release(store);
    pinview_coordinator_release(coordinator);
    pinview_model_release(model);
}

static void ids_come_back_from_uris(void) {
    data_stack stack = stack_open("ids.sqlite");
    add_daves(&stack, 0, 1);
    pinview_context *context = context_on(&stack);
    pinview_object *dave = one_named(context, "Person", "dave0"), *found = NULL;
    pinview_object_id *id = NULL, *again = NULL, *foreign = NULL;
    OK(pinview_object_get_id(dave, &id, ERROR));
    char uri[256];
    snprintf(uri, sizeof uri, "%s", pinview_object_id_uri(id).data);
    EXPECT(strncmp(uri, "x-coredata://", 13) == 0);
    stack_close(&stack);
    pinview_object_release(dave);
    pinview_context_release(context);
    /* A later stack on the same file (STO-16). */
    stack = stack_open("ids.sqlite");
    context = context_on(&stack);
    OK(pinview_coordinator_object_id(stack.coordinator, pinview_text(uri), &again, ERROR));
    EXPECT(again != NULL && pinview_object_id_is_equal(id, again));
    EXPECT(pinview_object_id_hash(id) == pinview_object_id_hash(again));
    OK(pinview_context_existing_object(context, again, &found, ERROR));
    EXPECT_TEXT(text_of(found, "name"), "dave0");
    EXPECT_TEXT(pinview_object_id_store_identifier(again), pinview_store_identifier(stack.store).data);
    OK(pinview_coordinator_object_id(stack.coordinator, TEXT("x-coredata://00000000-0000-0000-0000-000000000000/Person/p1"), &foreign, ERROR));
    EXPECT(foreign == NULL);
    FAILS(PINVIEW_ERROR_INVALID_ARGUMENT, pinview_coordinator_object_id(stack.coordinator, TEXT("https://example.org"), &foreign, ERROR));
    pinview_object_id_release(id);
    pinview_object_id_release(again);
    pinview_object_release(found);
    pinview_context_release(context);
    stack_close(&stack);
}

static void a_container_makes_the_stack(void) {
    pinview_model *model = people_model();
    pinview_container *container = NULL;
    pinview_coordinator *coordinator = NULL, *same = NULL;
    pinview_context *view = NULL, *background = NULL;
    OK(pinview_container_create(TEXT("People"), model, pinview_text(test_path("c.sqlite")), NULL, 0, &container, ERROR));
    OK(pinview_container_coordinator(container, &coordinator, ERROR));
    EXPECT_NUMBER(pinview_coordinator_store_count(coordinator), 0);
    OK(pinview_container_load_stores(container, ERROR));
    OK(pinview_container_load_stores(container, ERROR));
    EXPECT_NUMBER(pinview_coordinator_store_count(coordinator), 1);
    OK(pinview_container_view_context(container, &view, ERROR));
    OK(pinview_container_new_background_context(container, &background, ERROR));
    EXPECT_NUMBER(pinview_context_concurrency_type(view), PINVIEW_CONCURRENCY_MAIN_QUEUE);
    EXPECT_NUMBER(pinview_context_concurrency_type(background), PINVIEW_CONCURRENCY_PRIVATE_QUEUE);
    OK(pinview_context_coordinator(background, &same, ERROR));
    EXPECT(pinview_coordinator_is_equal(same, coordinator));
    EXPECT_NUMBER(pinview_container_retain(container), PINVIEW_OK);
    pinview_container_release(container);
    pinview_container_release(container);
    pinview_object *ann = insert_object(background, "Person", "ann");
    save(background);
    EXPECT_NUMBER(count_named(view, "Person", "ann"), 1);
    pinview_object_release(ann);
    pinview_context_release(background);
    pinview_context_release(view);
    pinview_coordinator_release(same);
    pinview_coordinator_release(coordinator);
    pinview_model_release(model);
}

/* MDL-05, MDL-08. */
static void metadata_are_read_and_set(void) {
    data_stack stack = stack_open("metadata.sqlite");
    pinview_buffer *buffer = NULL;
    pinview_value value = pinview_value_integer(7);
    pinview_binary all;
    OK(pinview_buffer_create(&buffer, ERROR));
    const pinview_string mine = TEXT("mine"), type = TEXT("NSStoreType"), hashes = TEXT("NSStoreModelVersionHashes");
    OK(pinview_store_set_metadata_value(stack.store, mine, &value, ERROR));
    OK(pinview_store_metadata_value(stack.store, mine, buffer, &value, ERROR));
    EXPECT(value.type == PINVIEW_VALUE_INTEGER && value.as.integer == 7);
    OK(pinview_store_metadata_value(stack.store, type, buffer, &value, ERROR));
    EXPECT(value.type == PINVIEW_VALUE_STRING && strcmp(value.as.string.data, "SQLite") == 0);
    OK(pinview_store_metadata_value(stack.store, hashes, buffer, &value, ERROR));
    EXPECT(value.type == PINVIEW_VALUE_BINARY && memcmp(value.as.binary.data, "bplist00", 8) == 0);
    FAILS(PINVIEW_ERROR_INVALID_ARGUMENT, pinview_store_set_metadata_value(stack.store, hashes, &value, ERROR));
    OK(pinview_store_metadata(stack.store, buffer, &all, ERROR));
    EXPECT(all.size > 8 && memcmp(all.data, "bplist00", 8) == 0);
    FAILS(PINVIEW_ERROR_INVALID_ARGUMENT, pinview_store_set_metadata(stack.store, all, ERROR));
    value.type = PINVIEW_VALUE_NULL;
    OK(pinview_store_set_metadata_value(stack.store, mine, &value, ERROR));
    value = pinview_value_integer(1);
    OK(pinview_store_metadata_value(stack.store, mine, buffer, &value, ERROR));
    EXPECT(value.type == PINVIEW_VALUE_NULL);
    OK(pinview_file_metadata(pinview_text(stack.path), buffer, &all, ERROR));
    EXPECT(all.size > 8);
    const pinview_binary wrong = {(const uint8_t *)"no plist", 8};
    FAILS(PINVIEW_ERROR_INVALID_ARGUMENT, pinview_file_set_metadata(pinview_text(stack.path), wrong, ERROR));
    pinview_buffer_release(buffer);
    stack_close(&stack);
}

/* MDL-06, MDL-16, MDL-04. */
static void an_immutable_store_gives_up_the_commits_of_its_journal(void) {
    data_stack stack = stack_open("immutable.sqlite");
    char path[512];
    snprintf(path, sizeof path, "%s", stack.path);
    add_daves(&stack, 0, 3);
    stack_close(&stack);
    pinview_model *model = NULL;
    pinview_coordinator *coordinator = NULL;
    pinview_store *store = NULL;
    pinview_token *token = NULL;
    OK(pinview_model_create_from_tables(pinview_text(path), &model, ERROR));
    OK(pinview_coordinator_create(model, &coordinator, ERROR));
    pinview_named_value immutable = {TEXT(PINVIEW_STORE_OPTION_IMMUTABLE), pinview_value_boolean(1)};
    OK(pinview_coordinator_add_store(
        coordinator, TEXT(PINVIEW_STORE_TYPE_SQLITE), pinview_absent(), pinview_text(path), &immutable, 1, &store, ERROR));
    EXPECT(pinview_store_is_immutable(store) == 1 && pinview_store_is_read_only(store) == 1);
    /* The journal was emptied when the store was closed: the file is all there is. */
    pinview_journal_commit commit;
    EXPECT_NUMBER((int64_t)pinview_store_journal_commit_count(store), 1);
    OK(pinview_store_journal_commits(store, 0, 1, &commit, sizeof commit, ERROR));
    EXPECT(commit.number == 0 && commit.is_readable == 1 && commit.frame_count == 0 && commit.size > 0);
    FAILS(PINVIEW_ERROR_INVALID_ARGUMENT, pinview_store_journal_commits(store, 1, 1, &commit, sizeof commit, ERROR));
    OK(pinview_coordinator_journal_commit_token(coordinator, store, 0, &token, ERROR));
    pinview_context *context = NULL;
    OK(pinview_context_create(PINVIEW_CONCURRENCY_PRIVATE_QUEUE, &context, ERROR));
    OK(pinview_context_set_coordinator(context, coordinator, ERROR));
    OK(pinview_context_set_query_generation(context, token, ERROR));
    EXPECT_NUMBER(count_named(context, "Person", NULL), 3);
    pinview_token *none = NULL;
    FAILS(PINVIEW_ERROR_INVALID_ARGUMENT, pinview_coordinator_journal_commit_token(coordinator, store, 5, &none, ERROR));
    pinview_context_release(context);
    pinview_token_release(token);
    pinview_store_release(store);
    pinview_coordinator_release(coordinator);
    pinview_model_release(model);
}

static const test_case tests[] = {
    {"MDL-05, MDL-08: metadata are read and set, with and without opening the store", metadata_are_read_and_set},
    {"MDL-04, MDL-06, MDL-16: an immutable store gives up the commits of its journal", an_immutable_store_gives_up_the_commits_of_its_journal},
    {"STO-01, STO-02: a store tells what it is, and is in WAL mode", a_store_tells_what_it_is},
    {"STO-06, STO-07, STO-11: a coordinator tells its model; a store in memory has no journal", a_coordinator_tells_its_model},
    {"options that do not exist are refused with their name", options_are_checked},
    {"STO-04, STO-09: journal mode, read-only and the other options work", options_work},
    {"STO-14: files that cannot be opened are named and nothing is added", files_that_cannot_be_opened_are_named},
    {"a FIFO is an error for each function that takes a path", a_fifo_is_no_file},
    {"a planted trigger is refused unless the schema is trusted", a_planted_trigger_is_refused},
    {"a save to a file that was moved away fails, and its changes are pending", a_save_to_a_file_that_was_moved_away_fails},
    {"STO-10, STO-12, STO-13, FET-11: stores come and go", stores_come_and_go},
    {"STO-08, STO-10: a configuration limits a store", configurations_limit_a_store},
    {"CTX-06, STO-16: IDs come back from their URIs", ids_come_back_from_uris},
    {"STO-15, API-65: a container makes the whole stack", a_container_makes_the_stack},
};
const test_topic stores_topic = TOPIC("stores", tests);
