/* What the header says without a call: numbers, texts, layouts; and what the library says about itself. */
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
_Static_assert(sizeof(pinview_conflict) == 40 && offsetof(pinview_conflict, object_id) == 8 && offsetof(pinview_conflict, old_version) == 16 &&
                   offsetof(pinview_conflict, new_version) == 24 && offsetof(pinview_conflict, property_count) == 32,
               "pinview_conflict");
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
_Static_assert(sizeof(pinview_sort_descriptor) == 24 && offsetof(pinview_sort_descriptor, is_case_insensitive) == 20, "pinview_sort_descriptor");
_Static_assert(sizeof(pinview_fetch_request) == 96 && offsetof(pinview_fetch_request, entity) == 8 && offsetof(pinview_fetch_request, predicate) == 24 &&
                   offsetof(pinview_fetch_request, limit) == 48 && offsetof(pinview_fetch_request, result_type) == 72 &&
                   offsetof(pinview_fetch_request, stores) == 80,
               "pinview_fetch_request");
_Static_assert(sizeof(pinview_journal_store) == 200 && offsetof(pinview_journal_store, store_bytes) == 64 &&
                   offsetof(pinview_journal_store, generation_count) == 96 && offsetof(pinview_journal_store, pins) == 120,
               "pinview_journal_store");
_Static_assert(sizeof(pinview_journal_generation) == 64 && offsetof(pinview_journal_generation, frame) == 32, "pinview_journal_generation");
_Static_assert(sizeof(pinview_journal_context) == 64 && offsetof(pinview_journal_context, is_pinned) == 56, "pinview_journal_context");
_Static_assert(sizeof(pinview_journal_process) == 40 && offsetof(pinview_journal_process, read_marks) == 24, "pinview_journal_process");
_Static_assert(sizeof(pinview_batch_update) == 56 && offsetof(pinview_batch_update, predicate) == 24 && offsetof(pinview_batch_update, properties) == 32 &&
                   offsetof(pinview_batch_update, excludes_subentities) == 48,
               "pinview_batch_update");

static void version_of_the_library(void) {
    EXPECT_NUMBER(pinview_version_number(), PINVIEW_VERSION_NUMBER);
    EXPECT_NUMBER(PINVIEW_VERSION_NUMBER, PINVIEW_VERSION_MAJOR * 1000000 + PINVIEW_VERSION_MINOR * 1000 + PINVIEW_VERSION_PATCH);
    EXPECT_TEXT(pinview_version_string(), PINVIEW_VERSION_STRING);
    EXPECT_TEXT(pinview_sqlite_version(), sqlite3_libversion());
}

static void features(void) {
    static const char *const known[] = {"query-generations", "undo", "nested-contexts", "merge-policies", "batch-update", "sql-log", "journal-report"};
    for (size_t index = 0; index < sizeof known / sizeof known[0]; index++) EXPECT_NUMBER(pinview_has_feature(pinview_text(known[index])), 1);
    EXPECT_NUMBER(pinview_has_feature(TEXT("time-travel")), 0);
    EXPECT_NUMBER(pinview_has_feature(pinview_absent()), 0);
    EXPECT_NUMBER(pinview_has_feature(TEXT("\xff\xfe")), 0);
}

static void core_data_versions(void) {
    static const double published[] = {
        PINVIEW_CORE_DATA_VERSION_NUMBER_10_4,         PINVIEW_CORE_DATA_VERSION_NUMBER_10_4_3,       PINVIEW_CORE_DATA_VERSION_NUMBER_10_5,
        PINVIEW_CORE_DATA_VERSION_NUMBER_10_5_3,       PINVIEW_CORE_DATA_VERSION_NUMBER_10_6,         PINVIEW_CORE_DATA_VERSION_NUMBER_10_6_2,
        PINVIEW_CORE_DATA_VERSION_NUMBER_10_6_3,       PINVIEW_CORE_DATA_VERSION_NUMBER_10_7,         PINVIEW_CORE_DATA_VERSION_NUMBER_10_7_2,
        PINVIEW_CORE_DATA_VERSION_NUMBER_10_7_3,       PINVIEW_CORE_DATA_VERSION_NUMBER_10_7_4,       PINVIEW_CORE_DATA_VERSION_NUMBER_10_8,
        PINVIEW_CORE_DATA_VERSION_NUMBER_10_8_2,       PINVIEW_CORE_DATA_VERSION_NUMBER_10_9,         PINVIEW_CORE_DATA_VERSION_NUMBER_10_9_2,
        PINVIEW_CORE_DATA_VERSION_NUMBER_10_9_3,       PINVIEW_CORE_DATA_VERSION_NUMBER_10_10,        PINVIEW_CORE_DATA_VERSION_NUMBER_10_10_2,
        PINVIEW_CORE_DATA_VERSION_NUMBER_10_10_3,      PINVIEW_CORE_DATA_VERSION_NUMBER_10_11,        PINVIEW_CORE_DATA_VERSION_NUMBER_10_11_3,
        PINVIEW_CORE_DATA_VERSION_NUMBER_IPHONEOS_3_0, PINVIEW_CORE_DATA_VERSION_NUMBER_IPHONEOS_3_1, PINVIEW_CORE_DATA_VERSION_NUMBER_IPHONEOS_3_2,
        PINVIEW_CORE_DATA_VERSION_NUMBER_IPHONEOS_4_0, PINVIEW_CORE_DATA_VERSION_NUMBER_IPHONEOS_4_1, PINVIEW_CORE_DATA_VERSION_NUMBER_IPHONEOS_4_2,
        PINVIEW_CORE_DATA_VERSION_NUMBER_IPHONEOS_4_3, PINVIEW_CORE_DATA_VERSION_NUMBER_IPHONEOS_5_0, PINVIEW_CORE_DATA_VERSION_NUMBER_IPHONEOS_5_1,
        PINVIEW_CORE_DATA_VERSION_NUMBER_IPHONEOS_6_0, PINVIEW_CORE_DATA_VERSION_NUMBER_IPHONEOS_6_1, PINVIEW_CORE_DATA_VERSION_NUMBER_IPHONEOS_7_0,
        PINVIEW_CORE_DATA_VERSION_NUMBER_IPHONEOS_7_1, PINVIEW_CORE_DATA_VERSION_NUMBER_IPHONEOS_8_0, PINVIEW_CORE_DATA_VERSION_NUMBER_IPHONEOS_8_3,
        PINVIEW_CORE_DATA_VERSION_NUMBER_IPHONEOS_9_0, PINVIEW_CORE_DATA_VERSION_NUMBER_IPHONEOS_9_2, PINVIEW_CORE_DATA_VERSION_NUMBER_IPHONEOS_9_3,
    };
    EXPECT_NUMBER(sizeof published / sizeof published[0], 39);
    double sum = 0;
    for (size_t index = 0; index < 39; index++) {
        EXPECT(published[index] < PINVIEW_CORE_DATA_VERSION_NUMBER);
        sum += published[index];
    }
    /* The sum of the ledger's numbers, so that no digit is wrong. */
    EXPECT(sum > 15402.3699 && sum < 15402.3701);
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
