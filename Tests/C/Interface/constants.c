/* The header's numbers, texts and layouts; and the library's information about itself. */
#include <sqlite3.h>
#include <stddef.h>
#include <string.h>

#include "support.h"
#include "topics.h"

/* Layouts are part of the interface: they never change (x86-64). */
_Static_assert(sizeof(pinview_string) == 16 && offsetof(pinview_string, size) == 8, "pinview_string");
_Static_assert(sizeof(pinview_binary) == 16 && offsetof(pinview_binary, size) == 8, "pinview_binary");
_Static_assert(sizeof(pinview_value_contents) == 16, "pinview_value_contents");
_Static_assert(sizeof(pinview_value) == 24 && offsetof(pinview_value, reserved) == 4 && offsetof(pinview_value, as) == 8, "pinview_value");
_Static_assert(sizeof(pinview_value_list) == 16 && offsetof(pinview_value_list, count) == 8, "pinview_value_list");
_Static_assert(sizeof(pinview_named_value) == 40 && offsetof(pinview_named_value, value) == 16, "pinview_named_value");
_Static_assert(sizeof(pinview_conflict) == 48 && offsetof(pinview_conflict, object_id) == 8 && offsetof(pinview_conflict, old_version) == 16 &&
                   offsetof(pinview_conflict, new_version) == 24 && offsetof(pinview_conflict, property_count) == 32 &&
                   offsetof(pinview_conflict, is_deletion) == 40 && offsetof(pinview_conflict, constraint_number) == 44,
               "pinview_conflict");
_Static_assert(sizeof(pinview_constraint_conflict) == 48 && offsetof(pinview_constraint_conflict, entity_name) == 8 &&
                   offsetof(pinview_constraint_conflict, database_object_id) == 24 &&
                   offsetof(pinview_constraint_conflict, object_count) == 32 &&
                   offsetof(pinview_constraint_conflict, snapshot_property_count) == 40,
               "pinview_constraint_conflict");
_Static_assert(sizeof(pinview_constraint_property) == 48 && offsetof(pinview_constraint_property, name) == 8 &&
                   offsetof(pinview_constraint_property, value) == 24,
               "pinview_constraint_property");
_Static_assert(sizeof(pinview_entity_hooks) == 112 && offsetof(pinview_entity_hooks, awake_from_insert) == 8 &&
                   offsetof(pinview_entity_hooks, did_save) == 40 && offsetof(pinview_entity_hooks, validate_for_insert) == 64 &&
                   offsetof(pinview_entity_hooks, validate_property) == 88 && offsetof(pinview_entity_hooks, checked_keys) == 96,
               "pinview_entity_hooks");
_Static_assert(sizeof(pinview_conflict_property) == 96 && offsetof(pinview_conflict_property, name) == 8 &&
                   offsetof(pinview_conflict_property, base) == 24 && offsetof(pinview_conflict_property, mine) == 48 &&
                   offsetof(pinview_conflict_property, theirs) == 72,
               "pinview_conflict_property");
_Static_assert(sizeof(pinview_attribute_description) == 136 && offsetof(pinview_attribute_description, name) == 8 &&
                   offsetof(pinview_attribute_description, type) == 24 && offsetof(pinview_attribute_description, default_value) == 32 &&
                   offsetof(pinview_attribute_description, minimum_length) == 104 && offsetof(pinview_attribute_description, pattern) == 120,
               "pinview_attribute_description");
_Static_assert(sizeof(pinview_relationship_description) == 80 && offsetof(pinview_relationship_description, destination) == 24 &&
                   offsetof(pinview_relationship_description, delete_rule) == 56 && offsetof(pinview_relationship_description, maximum_count) == 72,
               "pinview_relationship_description");
_Static_assert(sizeof(pinview_property) == 88 && offsetof(pinview_property, index) == 24 && offsetof(pinview_property, destination) == 32 &&
                   offsetof(pinview_property, delete_rule) == 64 && offsetof(pinview_property, maximum_count) == 80,
               "pinview_property");
_Static_assert(sizeof(pinview_sort_descriptor) == 24 && offsetof(pinview_sort_descriptor, comparator) == 20, "pinview_sort_descriptor");
_Static_assert(sizeof(pinview_fetch_request) == 176 && offsetof(pinview_fetch_request, entity) == 8 && offsetof(pinview_fetch_request, predicate) == 24 &&
                   offsetof(pinview_fetch_request, limit) == 48 && offsetof(pinview_fetch_request, result_type) == 72 &&
                   offsetof(pinview_fetch_request, stores) == 80 && offsetof(pinview_fetch_request, prefetched_key_paths) == 96 && offsetof(pinview_fetch_request, properties) == 112 &&
                   offsetof(pinview_fetch_request, group_by) == 128 && offsetof(pinview_fetch_request, having) == 144 && offsetof(pinview_fetch_request, timeout_seconds) == 152 &&
                   offsetof(pinview_fetch_request, sort_descriptor_size) == 160 && offsetof(pinview_fetch_request, property_size) == 168,
               "pinview_fetch_request");
_Static_assert(sizeof(pinview_index_path) == 16 && offsetof(pinview_index_path, item) == 8, "pinview_index_path");
_Static_assert(sizeof(pinview_results_section) == 48 && offsetof(pinview_results_section, index_title) == 24 &&
                   offsetof(pinview_results_section, count) == 40,
               "pinview_results_section");
_Static_assert(sizeof(pinview_results_callbacks) == 48 && offsetof(pinview_results_callbacks, did_change_object) == 24 &&
                   offsetof(pinview_results_callbacks, did_fail) == 40,
               "pinview_results_callbacks");
_Static_assert(sizeof(pinview_journal_store) == 232 && offsetof(pinview_journal_store, store_bytes) == 64 &&
                   offsetof(pinview_journal_store, generation_count) == 96 && offsetof(pinview_journal_store, pins) == 120,
               "pinview_journal_store");
_Static_assert(sizeof(pinview_journal_generation) == 64 && offsetof(pinview_journal_generation, frame) == 32, "pinview_journal_generation");
_Static_assert(sizeof(pinview_journal_context) == 64 && offsetof(pinview_journal_context, is_pinned) == 56, "pinview_journal_context");
_Static_assert(sizeof(pinview_journal_process) == 40 && offsetof(pinview_journal_process, read_marks) == 24, "pinview_journal_process");
_Static_assert(sizeof(pinview_batch_update) == 96 && offsetof(pinview_batch_update, predicate) == 24 && offsetof(pinview_batch_update, properties) == 32 &&
                   offsetof(pinview_batch_update, excludes_subentities) == 48 && offsetof(pinview_batch_update, expressions) == 56,
               "pinview_batch_update");
_Static_assert(sizeof(pinview_named_expression) == 56 && offsetof(pinview_named_expression, arguments) == 32 && offsetof(pinview_named_expression, expression) == 48, "pinview_named_expression");
_Static_assert(sizeof(pinview_upsert) == 112 && offsetof(pinview_upsert, constraint) == 24 && offsetof(pinview_upsert, values) == 56 &&
                   offsetof(pinview_upsert, row_count) == 72 && offsetof(pinview_upsert, update_names) == 96,
               "pinview_upsert");
_Static_assert(sizeof(pinview_batch_insert) == 112 && offsetof(pinview_batch_insert, columns_stream) == 96 &&
                   offsetof(pinview_batch_insert, merge_policy) == 104 &&
                   offsetof(pinview_batch_insert, values) == 40 && offsetof(pinview_batch_insert, next_row) == 56,
               "pinview_batch_insert");
_Static_assert(sizeof(pinview_migration_stage) == 80 && offsetof(pinview_migration_stage, mappings) == 48 && offsetof(pinview_migration_stage, step) == 64,
               "pinview_migration_stage");
_Static_assert(sizeof(pinview_migration_mapping) == 80 && offsetof(pinview_migration_mapping, function) == 64, "pinview_migration_mapping");
_Static_assert(sizeof(pinview_migration) == 72 && offsetof(pinview_migration, stages) == 24 && offsetof(pinview_migration, progress) == 40 &&
                   offsetof(pinview_migration, stage_size) == 56,
               "pinview_migration");
_Static_assert(sizeof(pinview_history_request) == 104 && offsetof(pinview_history_request, date) == 16 && offsetof(pinview_history_request, stores) == 72,
               "pinview_history_request");
_Static_assert(sizeof(pinview_history_transaction) == 104 && offsetof(pinview_history_transaction, author) == 40, "pinview_history_transaction");
_Static_assert(sizeof(pinview_history_change) == 16, "pinview_history_change");

static void version_of_the_library(void) {
    EXPECT_NUMBER(pinview_version_number(), PINVIEW_VERSION_NUMBER);
    EXPECT_NUMBER(PINVIEW_VERSION_NUMBER, PINVIEW_VERSION_MAJOR * 1000000 + PINVIEW_VERSION_MINOR * 1000 + PINVIEW_VERSION_PATCH);
    EXPECT_TEXT(pinview_version_string(), PINVIEW_VERSION_STRING);
    EXPECT_TEXT(pinview_sqlite_version(), sqlite3_libversion());
}

static void features(void) {
    static const char *const known[] = {"query-generations", "undo", "nested-contexts", "merge-policies", "batch-update", "sql-log", "journal-report",
                                        "journal-budget", "batch-insert", "batch-delete", "history", "asynchronous-fetch",
                                        "dictionary-results", "explain", "expressions", "fetch-request-templates",
                                        "fetched-properties", "generation-difference", "remote-changes", "results-controller", "upsert"};
    for (size_t index = 0; index < sizeof known / sizeof known[0]; index++) EXPECT_NUMBER(pinview_has_feature(pinview_text(known[index])), 1);
    EXPECT_NUMBER(pinview_has_feature(TEXT("time-travel")), 0);
    EXPECT_NUMBER(pinview_has_feature(pinview_absent()), 0);
    EXPECT_NUMBER(pinview_has_feature(TEXT("\xff\xfe")), 0);
}

/* Row of the ledger, constant, published value. */
static const struct {
    const char *row;
    double constant, value;
} published[] = {
    {"API-V02", PINVIEW_CORE_DATA_VERSION_NUMBER_10_10, 526.0},
    {"API-V03", PINVIEW_CORE_DATA_VERSION_NUMBER_10_10_2, 526.1},
    {"API-V04", PINVIEW_CORE_DATA_VERSION_NUMBER_10_10_3, 526.2},
    {"API-V05", PINVIEW_CORE_DATA_VERSION_NUMBER_10_11, 640.0},
    {"API-V06", PINVIEW_CORE_DATA_VERSION_NUMBER_10_11_3, 641.3},
    {"API-V07", PINVIEW_CORE_DATA_VERSION_NUMBER_10_4, 46.0},
    {"API-V08", PINVIEW_CORE_DATA_VERSION_NUMBER_10_4_3, 77.0},
    {"API-V09", PINVIEW_CORE_DATA_VERSION_NUMBER_10_5, 185.0},
    {"API-V10", PINVIEW_CORE_DATA_VERSION_NUMBER_10_5_3, 186.0},
    {"API-V11", PINVIEW_CORE_DATA_VERSION_NUMBER_10_6, 246.0},
    {"API-V12", PINVIEW_CORE_DATA_VERSION_NUMBER_10_6_2, 250.0},
    {"API-V13", PINVIEW_CORE_DATA_VERSION_NUMBER_10_6_3, 251.0},
    {"API-V14", PINVIEW_CORE_DATA_VERSION_NUMBER_10_7, 358.4},
    {"API-V15", PINVIEW_CORE_DATA_VERSION_NUMBER_10_7_2, 358.12},
    {"API-V16", PINVIEW_CORE_DATA_VERSION_NUMBER_10_7_3, 358.13},
    {"API-V17", PINVIEW_CORE_DATA_VERSION_NUMBER_10_7_4, 358.14},
    {"API-V18", PINVIEW_CORE_DATA_VERSION_NUMBER_10_8, 407.5},
    {"API-V19", PINVIEW_CORE_DATA_VERSION_NUMBER_10_8_2, 407.7},
    {"API-V20", PINVIEW_CORE_DATA_VERSION_NUMBER_10_9, 481.0},
    {"API-V21", PINVIEW_CORE_DATA_VERSION_NUMBER_10_9_2, 481.1},
    {"API-V22", PINVIEW_CORE_DATA_VERSION_NUMBER_10_9_3, 481.3},
    {"API-V23", PINVIEW_CORE_DATA_VERSION_NUMBER_IPHONEOS_3_0, 241.0},
    {"API-V24", PINVIEW_CORE_DATA_VERSION_NUMBER_IPHONEOS_3_1, 248.0},
    {"API-V25", PINVIEW_CORE_DATA_VERSION_NUMBER_IPHONEOS_3_2, 310.2},
    {"API-V26", PINVIEW_CORE_DATA_VERSION_NUMBER_IPHONEOS_4_0, 320.5},
    {"API-V27", PINVIEW_CORE_DATA_VERSION_NUMBER_IPHONEOS_4_1, 320.11},
    {"API-V28", PINVIEW_CORE_DATA_VERSION_NUMBER_IPHONEOS_4_2, 320.15},
    {"API-V29", PINVIEW_CORE_DATA_VERSION_NUMBER_IPHONEOS_4_3, 320.17},
    {"API-V30", PINVIEW_CORE_DATA_VERSION_NUMBER_IPHONEOS_5_0, 386.1},
    {"API-V31", PINVIEW_CORE_DATA_VERSION_NUMBER_IPHONEOS_5_1, 386.5},
    {"API-V32", PINVIEW_CORE_DATA_VERSION_NUMBER_IPHONEOS_6_0, 419.0},
    {"API-V33", PINVIEW_CORE_DATA_VERSION_NUMBER_IPHONEOS_6_1, 419.1},
    {"API-V34", PINVIEW_CORE_DATA_VERSION_NUMBER_IPHONEOS_7_0, 479.1},
    {"API-V35", PINVIEW_CORE_DATA_VERSION_NUMBER_IPHONEOS_7_1, 479.3},
    {"API-V36", PINVIEW_CORE_DATA_VERSION_NUMBER_IPHONEOS_8_0, 519.0},
    {"API-V37", PINVIEW_CORE_DATA_VERSION_NUMBER_IPHONEOS_8_3, 519.15},
    {"API-V38", PINVIEW_CORE_DATA_VERSION_NUMBER_IPHONEOS_9_0, 640.0},
    {"API-V39", PINVIEW_CORE_DATA_VERSION_NUMBER_IPHONEOS_9_2, 641.4},
    {"API-V40", PINVIEW_CORE_DATA_VERSION_NUMBER_IPHONEOS_9_3, 641.6},
};

static void core_data_versions(void) {
    EXPECT_NUMBER(sizeof published / sizeof published[0], 39);
    for (size_t index = 0; index < sizeof published / sizeof published[0]; index++) {
        EXPECT(published[index].constant == published[index].value);
        EXPECT(PINVIEW_CORE_DATA_VERSION_NUMBER > published[index].value); /* API-V01 */
    }
}

static void texts_of_the_documents(void) {
    EXPECT(strcmp(PINVIEW_WILL_SAVE_NOTIFICATION, "NSManagedObjectContextWillSaveNotification") == 0);
    EXPECT(strcmp(PINVIEW_DID_SAVE_NOTIFICATION, "NSManagedObjectContextDidSaveNotification") == 0);
    EXPECT(strcmp(PINVIEW_OBJECTS_DID_CHANGE_NOTIFICATION, "NSManagedObjectContextObjectsDidChangeNotification") == 0);
    EXPECT(strcmp(PINVIEW_QUERY_GENERATION_KEY, "NSManagedObjectContextQueryGenerationKey") == 0);
    EXPECT(strcmp(PINVIEW_INSERTED_OBJECTS_KEY, "inserted") == 0 && strcmp(PINVIEW_UPDATED_OBJECTS_KEY, "updated") == 0);
    EXPECT(strcmp(PINVIEW_DELETED_OBJECTS_KEY, "deleted") == 0 && strcmp(PINVIEW_REFRESHED_OBJECTS_KEY, "refreshed") == 0);
    EXPECT(strcmp(PINVIEW_INVALIDATED_OBJECTS_KEY, "invalidated") == 0);
    EXPECT(strcmp(PINVIEW_INVALIDATED_ALL_OBJECTS_KEY, "invalidatedAll") == 0);
    EXPECT(strcmp(PINVIEW_AFFECTED_OBJECTS_ERROR_KEY, "NSAffectedObjectsErrorKey") == 0);
    EXPECT(strcmp(PINVIEW_AFFECTED_STORES_ERROR_KEY, "NSAffectedStoresErrorKey") == 0);
    EXPECT(strcmp(PINVIEW_DETAILED_ERRORS_KEY, "NSDetailedErrorsKey") == 0);
    EXPECT(strcmp(PINVIEW_SQLITE_ERROR_DOMAIN, "NSSQLiteErrorDomain") == 0);
    EXPECT(strcmp(PINVIEW_COCOA_ERROR_DOMAIN, "NSCocoaErrorDomain") == 0 && strcmp(PINVIEW_ERROR_DOMAIN, "PinviewErrorDomain") == 0);
}

static void numbers_of_the_documents(void) {
    EXPECT(PINVIEW_NOT_FOUND == INT64_MAX);
    EXPECT(PINVIEW_CONCURRENCY_CONFINEMENT == 0 && PINVIEW_CONCURRENCY_PRIVATE_QUEUE == 1 && PINVIEW_CONCURRENCY_MAIN_QUEUE == 2);
    EXPECT(PINVIEW_DELETE_NO_ACTION == 0 && PINVIEW_DELETE_NULLIFY == 1 && PINVIEW_DELETE_CASCADE == 2 && PINVIEW_DELETE_DENY == 3);
    EXPECT(PINVIEW_ERROR_NESTED_PIN == -1 && PINVIEW_ERROR_NOT_LOCKED == -21 && PINVIEW_ERROR_REFERENTIAL_INTEGRITY == -133000);
    EXPECT(PINVIEW_ERROR_MERGE == -133020 && PINVIEW_ERROR_STORE_SAVE == -134030 && PINVIEW_ERROR_UNSUPPORTED_REQUEST == -134091);
}

static const test_case tests[] = {
    {"the version is that of the header", version_of_the_library},
    {"features can be asked for", features},
    {"API-V01 to API-V40: the published numbers are below the library's", core_data_versions},
    {"API-37 to API-46, API-58 to API-61, ERR-08: constants have the documented texts", texts_of_the_documents},
    {"API-36, DEC-34, DEC-59: constants have the documented numbers", numbers_of_the_documents},
};
const test_topic constants_topic = TOPIC("constants", tests);
