/* Stores of other versions of a model (MIG). */
#define _POSIX_C_SOURCE 200809L
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "support.h"
#include "topics.h"

static const char old_json[] = "{\"entities\":[{\"name\":\"Person\",\"attributes\":[{\"name\":\"name\",\"type\":\"string\"}]}]}";
static const char new_json[] =
    "{\"entities\":[{\"name\":\"Person\",\"attributes\":[{\"name\":\"name\",\"type\":\"string\"},"
    "{\"name\":\"nickname\",\"type\":\"string\",\"optional\":false,\"default\":\"none\"}]}]}";
static const char unclear_json[] = "{\"entities\":[{\"name\":\"Person\",\"attributes\":[{\"name\":\"title\",\"type\":\"string\"}]}]}";

static pinview_model *model_of(const char *json) {
    pinview_model *model = NULL;
    OK(pinview_model_create_from_json(pinview_text(json), &model, ERROR));
    return model;
}

/* A stack of the old model with one person, which stays open. */
static data_stack filled(void) {
    data_stack stack = stack_of_model("people.sqlite", old_json);
    pinview_context *context = context_on(&stack);
    pinview_object_release(insert_object(context, "Person", "ada"));
    save(context);
    pinview_context_release(context);
    return stack;
}

static pinview_status add(pinview_model *model, const char *path, const pinview_named_value *options, size_t count, pinview_coordinator **out) {
    OK(pinview_coordinator_create(model, out, ERROR));
    return pinview_coordinator_add_store(
        *out, TEXT(PINVIEW_STORE_TYPE_SQLITE), pinview_absent(), pinview_text(path), options, count, NULL, ERROR);
}

static void a_store_is_migrated_beside_a_pinned_context(void) {
    data_stack stack = filled();
    pinview_context *pinned = context_on(&stack), *other = context_on(&stack);
    pin(pinned);
    EXPECT_NUMBER(count_named(pinned, "Person", "ada"), 1);

    pinview_model *model = model_of(new_json);
    pinview_coordinator *coordinator = NULL;
    FAILS(PINVIEW_ERROR_INCOMPATIBLE_MODEL, add(model, stack.path, NULL, 0, &coordinator));
    EXPECT(strstr(last_message(), PINVIEW_STORE_OPTION_MIGRATE) != NULL);
    pinview_coordinator_release(coordinator);
    pinview_named_value migrate = {pinview_text(PINVIEW_STORE_OPTION_MIGRATE), pinview_value_boolean(1)};
    OK(add(model, stack.path, &migrate, 1, &coordinator));
    data_stack migrated = {.model = model, .coordinator = coordinator, .path = stack.path};
    pinview_context *context = context_on(&migrated);
    pinview_object *ada = one_named(context, "Person", "ada");
    EXPECT_TEXT(text_of(ada, "nickname"), "none");

    EXPECT_NUMBER(count_named(pinned, "Person", "ada"), 1);
    pinview_fetch_request request;
    int64_t count = 0;
    OK(pinview_fetch_request_init(&request, sizeof request, TEXT("Person"), ERROR));
    FAILS(PINVIEW_ERROR_STORE_MIGRATED, pinview_context_count(other, &request, &count, ERROR));
    pinview_object_release(ada);
    pinview_context_release(context);
    pinview_context_release(other);
    pinview_context_release(pinned);
    pinview_coordinator_release(coordinator);
    pinview_model_release(model);
    stack_close(&stack);
}

static void what_is_unclear_needs_a_word(void) {
    data_stack stack = filled();
    pinview_model *model = model_of(unclear_json);
    pinview_coordinator *coordinator = NULL;
    pinview_string text;
    pinview_named_value options[] = {
        {pinview_text(PINVIEW_STORE_OPTION_MIGRATE), pinview_value_boolean(1)},
        {pinview_text(PINVIEW_STORE_OPTION_CONFIRMED_REMOVALS), pinview_value_text("Person.name")},
    };
    OK(pinview_model_difference(model, stack.model, pinview_absent(), &text, ERROR));
    EXPECT(strstr(text.data, "\"subject\":\"Person.name\"") != NULL);
    OK(pinview_model_difference(model, stack.model, TEXT("Person.name"), &text, ERROR));
    EXPECT(strstr(text.data, "\"obstacles\":[]") != NULL);
    FAILS(PINVIEW_ERROR_INFERRED_MAPPING, add(model, stack.path, options, 1, &coordinator));
    EXPECT(strstr(last_message(), "Person.name") != NULL);
    pinview_coordinator_release(coordinator);
    OK(add(model, stack.path, options, 2, &coordinator));
    pinview_coordinator_release(coordinator);
    pinview_model_release(model);
    stack_close(&stack);
}

static const char unique_json[] =
    "{\"entities\":[{\"name\":\"Person\",\"attributes\":[{\"name\":\"name\",\"type\":\"string\"}],\"uniquenessConstraints\":[[\"name\"]]}]}";

static void duplicates_are_named_or_merged(void) {
    data_stack stack = filled();
    pinview_context *context = context_on(&stack);
    pinview_object_release(insert_object(context, "Person", "ada"));
    save(context);
    pinview_context_release(context);
    pinview_model *model = model_of(unique_json);
    pinview_coordinator *coordinator = NULL;
    pinview_named_value options[] = {
        {pinview_text(PINVIEW_STORE_OPTION_MIGRATE), pinview_value_boolean(1)},
        {pinview_text(PINVIEW_STORE_OPTION_CONSTRAINT_POLICY), pinview_value_text("keepNewest")},
    };
    FAILS(PINVIEW_ERROR_MIGRATION_CONSTRAINT, add(model, stack.path, options, 1, &coordinator));
    EXPECT(strstr(last_message(), "/Person/p1 and") != NULL && strstr(last_message(), "keepOldest") != NULL);
    pinview_coordinator_release(coordinator);
    OK(add(model, stack.path, options, 2, &coordinator));
    EXPECT_NUMBER(sql_number(stack.path, "SELECT group_concat(Z_PK) FROM ZPERSON"), 2);
    pinview_coordinator_release(coordinator);
    pinview_model_release(model);
    stack_close(&stack);
}

static void a_store_is_erased_only_where_asked_for(void) {
    data_stack stack = filled();
    stack_close(&stack);
    pinview_model *model = model_of("{\"entities\":[{\"name\":\"Thing\",\"attributes\":[{\"name\":\"size\",\"type\":\"double\"}]}]}");
    pinview_coordinator *coordinator = NULL;
    pinview_named_value erase = {pinview_text(PINVIEW_STORE_OPTION_ERASE), pinview_value_boolean(1)};
    FAILS(PINVIEW_ERROR_INCOMPATIBLE_MODEL, add(model, stack.path, NULL, 0, &coordinator));
    pinview_coordinator_release(coordinator);
    EXPECT_NUMBER(sql_number(stack.path, "SELECT count(*) FROM ZPERSON"), 1);
    OK(add(model, stack.path, &erase, 1, &coordinator));
    EXPECT_NUMBER(sql_number(stack.path, "SELECT count(*) FROM ZTHING"), 0);
    EXPECT_NUMBER(sql_number(stack.path, "SELECT count(*) FROM sqlite_master WHERE name = 'ZPERSON'"), 0);
    pinview_coordinator_release(coordinator);
    pinview_model_release(model);
}

static void tokens_from_before_a_lost_history_are_expired(void) {
    data_stack stack = stack_open_with("store.sqlite", PINVIEW_STORE_OPTION_HISTORY_TRACKING, pinview_value_boolean(1));
    add_daves(&stack, 0, 1);
    pinview_history_token *token = NULL;
    OK(pinview_coordinator_history_token(stack.coordinator, &token, ERROR));
    stack_close(&stack);
    /* The history has a car, and there are none any more. */
    pinview_model *model = model_of(old_json);
    pinview_named_value options[] = {
        {pinview_text(PINVIEW_STORE_OPTION_MIGRATE), pinview_value_boolean(1)},
        {pinview_text(PINVIEW_STORE_OPTION_HISTORY_TRACKING), pinview_value_boolean(1)},
    };
    pinview_coordinator *coordinator = NULL;
    OK(add(model, stack.path, options, 2, &coordinator));
    data_stack migrated = {.coordinator = coordinator, .path = stack.path};
    pinview_context *context = context_on(&migrated);
    pinview_object_release(one_named(context, "Person", "dave0"));
    pinview_history_request request;
    pinview_history *history = NULL;
    memset(&request, 0, sizeof request);
    request.struct_size = sizeof request;
    request.token = token;
    FAILS(PINVIEW_ERROR_HISTORY_TOKEN_EXPIRED, pinview_context_fetch_history(context, &request, &history, ERROR));
    pinview_context_release(context);
    pinview_history_token_release(token);
    pinview_coordinator_release(coordinator);
    pinview_model_release(model);
}

static pinview_status die_after(double fraction, pinview_string step, void *userdata) {
    (void)fraction, (void)step;
    if (--*(int *)userdata == 0) raise(SIGKILL);
    return PINVIEW_OK;
}

/* What the second program does: it migrates a store, and dies after some steps of that. */
int migrate_in_a_second_program(const char *path, const char *last_step) {
    int steps = atoi(last_step);
    pinview_model *model = NULL;
    pinview_coordinator *coordinator = NULL;
    pinview_migration migration;
    memset(&migration, 0, sizeof migration);
    migration.struct_size = sizeof migration;
    migration.progress = die_after;
    migration.progress_userdata = &steps;
    pinview_named_value option = {TEXT(PINVIEW_STORE_OPTION_MIGRATE), pinview_value_boolean(1)};
    pinview_status status = pinview_model_create_from_json(TEXT(new_json), &model, NULL);
    if (status == PINVIEW_OK) status = pinview_coordinator_create(model, &coordinator, NULL);
    if (status == PINVIEW_OK) {
        status = pinview_coordinator_add_migrated_store(
            coordinator, TEXT(PINVIEW_STORE_TYPE_SQLITE), pinview_absent(), pinview_text(path), &option, 1, &migration, NULL, NULL);
    }
    pinview_coordinator_release(coordinator);
    pinview_model_release(model);
    return status == PINVIEW_OK ? 0 : 1;
}

static void a_program_that_is_killed_leaves_the_old_version(void) {
    data_stack stack = filled();
    char self[4096] = {0}, steps[16];
    REQUIRE(readlink("/proc/self/exe", self, sizeof self - 1) > 0);
    stack_close(&stack);
    int status = 0, kills = 0;
    for (int step = 1; step < 100; step++) {
        snprintf(steps, sizeof steps, "%d", step);
        pid_t process = fork();
        REQUIRE(process >= 0);
        if (process == 0) {
            execl(self, self, "--migrate", stack.path, steps, (char *)NULL);
            _exit(127);
        }
        REQUIRE(waitpid(process, &status, 0) == process);
        if (!WIFSIGNALED(status)) break;
        kills++;
        EXPECT_NUMBER(WTERMSIG(status), SIGKILL);
        /* The old model opens it, and nothing of the migration is left. */
        pinview_model *model = model_of(old_json);
        pinview_coordinator *coordinator = NULL;
        OK(add(model, stack.path, NULL, 0, &coordinator));
        EXPECT_NUMBER(sql_number(stack.path, "SELECT count(*) FROM ZPERSON WHERE ZNAME = 'ada'"), 1);
        EXPECT_NUMBER(sql_number(stack.path, "SELECT count(*) FROM pragma_table_info('ZPERSON') WHERE name = 'ZNICKNAME'"), 0);
        pinview_coordinator_release(coordinator);
        pinview_model_release(model);
    }
    /* The last program was done before it could die. */
    EXPECT(kills > 2 && WIFEXITED(status) && WEXITSTATUS(status) == 0);
    EXPECT_NUMBER(sql_number(stack.path, "SELECT count(*) FROM ZPERSON WHERE ZNICKNAME = 'none'"), 1);
}

static void a_plan_changes_nothing(void) {
    data_stack stack = filled();
    pinview_model *model = model_of(new_json);
    pinview_string text;
    OK(pinview_model_migration_plan(model, pinview_text(stack.path), pinview_absent(), NULL, 0, 1, &text, ERROR));
    EXPECT(strstr(text.data, "ADD COLUMN ZNICKNAME") != NULL && strstr(text.data, "\"rows\":0") != NULL);
    OK(pinview_model_migration_plan(stack.model, pinview_text(stack.path), pinview_absent(), NULL, 0, 0, &text, ERROR));
    EXPECT(text.data == NULL);
    pinview_context *context = context_on(&stack);
    EXPECT_NUMBER(count_named(context, "Person", "ada"), 1);
    pinview_context_release(context);
    pinview_model_release(model);
    stack_close(&stack);
}

static const char second_json[] =
    "{\"versionIdentifiers\":[\"2\"],\"entities\":[{\"name\":\"Person\",\"attributes\":[{\"name\":\"name\",\"type\":\"string\"},"
    "{\"name\":\"nickname\",\"type\":\"string\",\"optional\":false},{\"name\":\"label\",\"type\":\"string\"}]},"
    "{\"name\":\"Note\",\"attributes\":[{\"name\":\"text\",\"type\":\"string\"}]}]}";

static pinview_status step_status;

/* Every person gets the name as nickname; and finds its note, which a mapping has made. */
static pinview_status give_nicknames(pinview_context *source, pinview_context *destination, void *userdata) {
    pinview_object *old = one_named(source, "Person", "ada"), *new = NULL, *back = NULL, *note = NULL;
    OK(pinview_migration_destination_object(destination, old, pinview_absent(), &new, ERROR));
    set_text(new, "nickname", (const char *)userdata);
    OK(pinview_migration_source_object(source, new, &back, ERROR));
    EXPECT_TEXT(text_of(back, "name"), "ada");
    OK(pinview_migration_destination_object(destination, old, TEXT("Note"), &note, ERROR));
    EXPECT_TEXT(text_of(note, "text"), "ada");
    pinview_object *none = NULL;
    FAILS(PINVIEW_ERROR_INVALID_ARGUMENT, pinview_migration_destination_object(destination, new, pinview_absent(), &none, NULL));
    pinview_object_release(note);
    pinview_object_release(back);
    pinview_object_release(new);
    pinview_object_release(old);
    return step_status;
}

static pinview_status label(pinview_object *source, pinview_value *out, void *userdata) {
    EXPECT_TEXT(text_of(source, "name"), "ada");
    *out = pinview_value_text((const char *)userdata);
    return PINVIEW_OK;
}

static pinview_status count_steps(double fraction, pinview_string step, void *userdata) {
    EXPECT(fraction > 0 && fraction <= 1 && step.size > 0);
    return --*(int *)userdata == 0 ? PINVIEW_STOP : PINVIEW_OK;
}

static void a_stage_has_mappings_and_a_step(void) {
    data_stack stack = filled();
    stack_close(&stack);
    pinview_model *first = model_of(old_json), *second = model_of(second_json);
    pinview_migration_mapping mappings[2];
    memset(mappings, 0, sizeof mappings);
    mappings[0].source_entity = mappings[1].source_entity = mappings[0].destination_entity = TEXT("Person");
    mappings[0].property = TEXT("label");
    mappings[0].function = label;
    mappings[0].userdata = "labelled";
    mappings[1].destination_entity = TEXT("Note");
    mappings[1].property = TEXT("text");
    mappings[1].expression = TEXT("name");
    pinview_migration_stage stage;
    memset(&stage, 0, sizeof stage);
    stage.source = pinview_model_version_checksum(first);
    stage.destination = TEXT("2");
    stage.mappings = mappings;
    stage.mapping_count = 2;
    stage.step = give_nicknames;
    stage.userdata = "ace";
    pinview_model *versions[] = {first, second};
    pinview_migration migration;
    memset(&migration, 0, sizeof migration);
    migration.struct_size = sizeof migration;
    migration.versions = versions;
    migration.version_count = 2;
    migration.stages = &stage;
    migration.stage_count = 1;
    int steps = 1;
    migration.progress = count_steps;
    migration.progress_userdata = &steps;
    pinview_coordinator *coordinator = NULL;
    OK(pinview_coordinator_create(second, &coordinator, ERROR));
    FAILS(PINVIEW_ERROR_MIGRATION_CANCELLED, pinview_coordinator_add_migrated_store(
        coordinator, TEXT(PINVIEW_STORE_TYPE_SQLITE), pinview_absent(), pinview_text(stack.path), NULL, 0, &migration, NULL, ERROR));
    step_status = 77;
    FAILS(77, pinview_coordinator_add_migrated_store(
        coordinator, TEXT(PINVIEW_STORE_TYPE_SQLITE), pinview_absent(), pinview_text(stack.path), NULL, 0, &migration, NULL, ERROR));
    step_status = PINVIEW_STOP;
    FAILS(PINVIEW_ERROR_MIGRATION_CANCELLED, pinview_coordinator_add_migrated_store(
        coordinator, TEXT(PINVIEW_STORE_TYPE_SQLITE), pinview_absent(), pinview_text(stack.path), NULL, 0, &migration, NULL, ERROR));
    step_status = PINVIEW_OK;
    OK(pinview_coordinator_add_migrated_store(
        coordinator, TEXT(PINVIEW_STORE_TYPE_SQLITE), pinview_absent(), pinview_text(stack.path), NULL, 0, &migration, NULL, ERROR));
    EXPECT(steps < -5);
    data_stack migrated = {.model = second, .coordinator = coordinator, .path = stack.path};
    pinview_context *context = context_on(&migrated);
    pinview_object *ada = one_named(context, "Person", "ada");
    EXPECT_TEXT(text_of(ada, "nickname"), "ace");
    EXPECT_TEXT(text_of(ada, "label"), "labelled");
    pinview_object *old = NULL;
    FAILS(PINVIEW_ERROR_INVALID_ARGUMENT, pinview_migration_source_object(context, ada, &old, ERROR));
    pinview_object_release(ada);
    pinview_context_release(context);
    pinview_coordinator_release(coordinator);
    pinview_model_release(second);
    pinview_model_release(first);
}

/* A stage as a later version of the library may have it. */
typedef struct {
    pinview_migration_stage stage;
    size_t added;
} later_stage;

static void a_container_takes_stages_that_have_grown(void) {
    data_stack stack = filled();
    stack_close(&stack);
    pinview_model *first = model_of(old_json), *second = model_of(second_json);
    later_stage stage;
    memset(&stage, 0, sizeof stage);
    stage.stage.source = pinview_model_version_checksum(first);
    stage.stage.destination = TEXT("2");
    pinview_migration_mapping mappings[2];
    memset(mappings, 0, sizeof mappings);
    mappings[0].source_entity = mappings[0].destination_entity = mappings[1].source_entity = TEXT("Person");
    mappings[0].property = TEXT("label");
    mappings[0].expression = TEXT("uppercase:(name)");
    mappings[1].destination_entity = TEXT("Note");
    mappings[1].property = TEXT("text");
    mappings[1].expression = TEXT("name");
    stage.stage.mappings = mappings;
    stage.stage.mapping_count = 2;
    stage.stage.step = give_nicknames;
    stage.stage.userdata = "ace";
    step_status = PINVIEW_OK;
    pinview_model *versions[] = {first, second};
    pinview_migration migration;
    memset(&migration, 0, sizeof migration);
    migration.struct_size = sizeof migration;
    migration.versions = versions;
    migration.version_count = 2;
    migration.stages = &stage.stage;
    migration.stage_count = 1;
    migration.stage_size = sizeof stage;
    migration.mapping_size = sizeof *mappings;
    pinview_container *container = NULL;
    OK(pinview_container_create(TEXT("people"), second, pinview_text(stack.path), NULL, 0, &container, ERROR));
    stage.added = 1;
    FAILS(PINVIEW_ERROR_INVALID_ARGUMENT, pinview_container_load_migrated_stores(container, &migration, NULL));
    stage.added = 0;
    migration.mapping_size = sizeof *mappings - 8;
    FAILS(PINVIEW_ERROR_INVALID_ARGUMENT, pinview_container_load_migrated_stores(container, &migration, NULL));
    migration.mapping_size = 0;
    int steps = 1;
    migration.progress = count_steps;
    migration.progress_userdata = &steps;
    FAILS(PINVIEW_ERROR_MIGRATION_CANCELLED, pinview_container_load_migrated_stores(container, &migration, ERROR));
    OK(pinview_container_load_migrated_stores(container, &migration, ERROR));
    OK(pinview_container_load_migrated_stores(container, &migration, ERROR));
    pinview_context *context = NULL;
    OK(pinview_container_new_background_context(container, &context, ERROR));
    pinview_object *ada = one_named(context, "Person", "ada");
    EXPECT_TEXT(text_of(ada, "nickname"), "ace");
    EXPECT_TEXT(text_of(ada, "label"), "ADA");
    pinview_object_release(ada);
    pinview_context_release(context);
    pinview_container_release(container);
    pinview_model_release(second);
    pinview_model_release(first);
}

static const test_case tests[] = {
    {"MIG-01, MIG-05: a store is migrated where asked for, beside a pinned context", a_store_is_migrated_beside_a_pinned_context},
    {"MIG-02, MIG-11: what is unclear needs a word", what_is_unclear_needs_a_word},
    {"MIG-12: duplicates are named, or merged by a policy", duplicates_are_named_or_merged},
    {"MIG-13: a store is erased only where asked for", a_store_is_erased_only_where_asked_for},
    {"MIG-09: tokens from before a history that cannot be told are expired", tokens_from_before_a_lost_history_are_expired},
    {"MIG-04: a program that is killed leaves the old version", a_program_that_is_killed_leaves_the_old_version},
    {"MIG-10: a plan changes nothing", a_plan_changes_nothing},
    {"MIG-03, MIG-06, MIG-07: a stage has mappings and a step", a_stage_has_mappings_and_a_step},
    {"MIG-06, CPL-02: a container takes stages, whose structs may grow", a_container_takes_stages_that_have_grown},
};
const test_topic migration_topic = TOPIC("migration", tests);
