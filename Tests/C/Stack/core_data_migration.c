/* MIG-08: stores that Core Data wrote go to the current version of their model. */
#include <stdio.h>
#include <string.h>

#include "core_data.h"
#include "topics.h"

#define CAR {"Car", 1, {{.name = "plate", .type = 700}, {.name = "owner", .destination = "Person", .inverse = "cars"}}}
#define CARS {.name = "cars", .destination = "Car", .inverse = "owner", .is_to_many = 1}

/* The second version renames an attribute. In the third one an entity comes before the others, so
 * that all numbers change. */
static const compiled_model versions[] = {
    {"Shop", "1", {CAR, {"Person", 1, {{.name = "age", .type = 100}, {.name = "name", .type = 700}, CARS}}}},
    {"Shop 2", "2", {CAR, {"Person", 2, {{.name = "age", .type = 100}, {.name = "title", .type = 700, .former = "name"},
                                         {.name = "city", .type = 700}, CARS}}}},
    {"Shop 10", "3", {{"Address", 3, {{.name = "street", .type = 700}}}, CAR,
                      {"Person", 3, {{.name = "age", .type = 200}, {.name = "name", .type = 700}, {.name = "city", .type = 700}, CARS}}}},
};

static const char first_tables[] =
    "CREATE TABLE ZCAR (Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZOWNER INTEGER, ZPLATE VARCHAR);"
    "CREATE INDEX ZCAR_ZOWNER_INDEX ON ZCAR (ZOWNER);"
    "CREATE TABLE ZPERSON (Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZAGE INTEGER, ZNAME VARCHAR);"
    "INSERT INTO ZCAR VALUES (1, 1, 1, 1, 'A 1'), (2, 1, 3, 1, 'A 2'), (3, 1, 1, NULL, 'B');"
    "INSERT INTO ZPERSON VALUES (1, 2, 1, 36, 'Ada'), (2, 2, 2, 40, 'Alan'); UPDATE Z_PRIMARYKEY SET Z_MAX = Z_ENT + 2";
static const char second_tables[] =
    "CREATE TABLE ZCAR (Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZOWNER INTEGER, ZPLATE VARCHAR);"
    "CREATE INDEX ZCAR_ZOWNER_INDEX ON ZCAR (ZOWNER);"
    "CREATE TABLE ZPERSON (Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZAGE INTEGER, ZCITY VARCHAR, ZTITLE VARCHAR);"
    "INSERT INTO ZCAR VALUES (1, 1, 1, 1, 'A 1'), (2, 1, 3, 1, 'A 2'), (3, 1, 1, NULL, 'B');"
    "INSERT INTO ZPERSON VALUES (1, 2, 1, 36, 'London', 'Ada'), (2, 2, 2, 40, NULL, 'Alan'); UPDATE Z_PRIMARYKEY SET Z_MAX = Z_ENT + 2";

static pinview_model *version_of(const char *bundle, const char *version) {
    pinview_model *model = NULL;
    OK(pinview_model_create_from_file(pinview_text(bundle), pinview_text(version), 0, &model, ERROR));
    return model;
}

/* Adds a store to a new coordinator, with the path of the versions if there is one. */
static pinview_status migrate(pinview_model *model, const char *path, const char *bundle, pinview_coordinator **out) {
    pinview_named_value options[] = {
        {pinview_text(PINVIEW_STORE_OPTION_MIGRATE), pinview_value_boolean(1)},
        {pinview_text(PINVIEW_STORE_OPTION_MODEL_VERSIONS), pinview_value_text(bundle)},
    };
    OK(pinview_coordinator_create(model, out, ERROR));
    return pinview_coordinator_add_store(
        *out, TEXT(PINVIEW_STORE_TYPE_SQLITE), pinview_absent(), pinview_text(path), options, bundle == NULL ? 1 : 2, NULL, ERROR);
}

static void check_migrated(pinview_coordinator *coordinator, const char *path, const char *city) {
    data_stack stack = {.coordinator = coordinator, .path = path};
    pinview_context *context = context_on(&stack);
    pinview_object *ada = one_named(context, "Person", "Ada");
    EXPECT_NUMBER(integer_of(ada, "age"), 36);
    EXPECT_NUMBER((long long)members_of(ada, "cars"), 2);
    pinview_string text = text_of(ada, "city");
    if (city == NULL) EXPECT(text.data == NULL); else EXPECT_TEXT(text, city);
    EXPECT_NUMBER(sql_number(path, "SELECT group_concat(Z_ENT, '') || sum(Z_MAX) FROM Z_PRIMARYKEY"), 1237);
    EXPECT_NUMBER(sql_number(path, "SELECT Z_ENT FROM Z_PRIMARYKEY WHERE Z_NAME = 'Person'"), 3);
    EXPECT_NUMBER(sql_number(path, "SELECT sum(Z_ENT) || sum(Z_OPT) FROM ZCAR"), 65);
    EXPECT_NUMBER(sql_number(path, "SELECT count(*) FROM Z_MODELCACHE"), 0);
    pinview_object_release(ada);
    pinview_context_release(context);
}

static void the_model_cache_tells_which_version_a_store_has(void) {
    const char *bundle = test_path("Shop.momd"), *path = test_path("Shop.sqlite");
    write_bundle(bundle, versions, 3);
    write_core_data_store(path, &versions[0], 1, first_tables);
    pinview_model *model = version_of(bundle, NULL), *stored = NULL;
    pinview_coordinator *coordinator = NULL;
    OK(migrate(model, path, NULL, &coordinator));
    check_migrated(coordinator, path, NULL);
    pinview_coordinator_release(coordinator);
    OK(pinview_model_create_from_store(pinview_text(path), &stored, ERROR));
    EXPECT(pinview_model_is_equal(stored, model));
    pinview_model_release(stored);
    pinview_model_release(model);
}

static void every_version_in_a_folder_migrates_to_the_current_one(void) {
    const char *bundle = test_path("Shop.momd");
    write_bundle(bundle, versions, 3);
    pinview_model *model = version_of(bundle, NULL);
    for (int version = 0; version < 2; version++) {
        const char *path = test_path(version == 0 ? "first.sqlite" : "second.sqlite");
        write_core_data_store(path, &versions[version], 0, version == 0 ? first_tables : second_tables);
        pinview_coordinator *coordinator = NULL;
        FAILS(PINVIEW_ERROR_INCOMPATIBLE_MODEL, migrate(model, path, NULL, &coordinator));
        EXPECT(strstr(last_message(), "give the versions") != NULL);
        pinview_coordinator_release(coordinator);
        OK(migrate(model, path, bundle, &coordinator));
        check_migrated(coordinator, path, version == 0 ? NULL : "London");
        pinview_coordinator_release(coordinator);
    }
    pinview_model_release(model);
}

static pinview_status give_a_city(pinview_context *source, pinview_context *destination, void *userdata) {
    pinview_object *old = one_named(source, "Person", "Ada"), *new = NULL;
    OK(pinview_migration_destination_object(destination, old, pinview_absent(), &new, ERROR));
    set_text(new, "city", (const char *)userdata);
    pinview_object_release(new);
    pinview_object_release(old);
    return PINVIEW_OK;
}

static void the_program_gives_the_versions_with_and_without_stages(void) {
    const char *bundle = test_path("Shop.momd");
    write_bundle(bundle, versions, 3);
    pinview_model *models[3];
    for (int index = 0; index < 3; index++) models[index] = version_of(bundle, versions[index].name);
    pinview_migration_stage stage;
    memset(&stage, 0, sizeof stage);
    stage.source = TEXT("1");
    stage.destination = TEXT("2");
    stage.step = give_a_city;
    stage.userdata = "Rome";
    for (int stages = 0; stages < 2; stages++) {
        const char *path = test_path(stages == 0 ? "without.sqlite" : "with.sqlite");
        write_core_data_store(path, &versions[0], 0, first_tables);
        pinview_migration migration;
        memset(&migration, 0, sizeof migration);
        migration.struct_size = sizeof migration;
        migration.versions = models;
        migration.version_count = 3;
        migration.stages = &stage;
        migration.stage_count = (size_t)stages;
        pinview_coordinator *coordinator = NULL;
        OK(pinview_coordinator_create(models[2], &coordinator, ERROR));
        OK(pinview_coordinator_add_migrated_store(
            coordinator, TEXT(PINVIEW_STORE_TYPE_SQLITE), pinview_absent(), pinview_text(path), NULL, 0, &migration, NULL, ERROR));
        check_migrated(coordinator, path, stages == 0 ? NULL : "Rome");
        pinview_coordinator_release(coordinator);
    }
    for (int index = 0; index < 3; index++) pinview_model_release(models[index]);
}

static const test_case tests[] = {
    {"MIG-08: the model cache tells which version a store has", the_model_cache_tells_which_version_a_store_has},
    {"MIG-08: every version in a folder migrates to the current one", every_version_in_a_folder_migrates_to_the_current_one},
    {"MIG-06, MIG-08: the program gives the versions, with and without stages", the_program_gives_the_versions_with_and_without_stages},
};
const test_topic core_data_migration_topic = TOPIC("core data migration", tests);
