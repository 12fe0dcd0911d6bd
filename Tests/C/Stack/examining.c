/* What a store lacks, and values readable and raw (MDL-17). */
#include <string.h>

#include "support.h"
#include "topics.h"

/* People with a birthday and with pets: more than people_json has. */
static const char larger_json[] =
    "{\"entities\": [{\"name\": \"Person\", \"attributes\": [{\"name\": \"name\", \"type\": \"string\"}, {\"name\": \"age\", "
    "\"type\": \"integer64\"}, {\"name\": \"born\", \"type\": \"date\"}], \"relationships\": [{\"name\": \"cars\", \"destination\": "
    "\"Car\", \"inverse\": \"owner\", \"toMany\": true}]}, {\"name\": \"Car\", \"attributes\": [{\"name\": \"name\", \"type\": "
    "\"string\"}], \"relationships\": [{\"name\": \"owner\", \"destination\": \"Person\", \"inverse\": \"cars\"}]}, {\"name\": \"Pet\", "
    "\"attributes\": [{\"name\": \"name\", \"type\": \"string\"}]}]}";

static void a_store_tells_what_it_lacks(void) {
    data_stack stack = stack_open("small.sqlite"), larger;
    add_daves(&stack, 0, 2);
    stack_close(&stack);
    memset(&larger, 0, sizeof larger);
    larger.path = stack.path;
    OK(pinview_model_create_from_json(TEXT(larger_json), &larger.model, ERROR));
    OK(pinview_coordinator_create(larger.model, &larger.coordinator, ERROR));
    const pinview_string type = TEXT(PINVIEW_STORE_TYPE_SQLITE), path = pinview_text(test_path("small.sqlite"));
    const pinview_named_value options[] = {pinview_named(PINVIEW_STORE_OPTION_READ_ONLY, pinview_value_boolean(1)),
                                           pinview_named(PINVIEW_STORE_OPTION_ALLOW_MISSING, pinview_value_boolean(1))};
    FAILS(PINVIEW_ERROR_INCOMPATIBLE_MODEL,
          pinview_coordinator_add_store(larger.coordinator, type, pinview_absent(), path, options, 1, NULL, ERROR));
    EXPECT(strstr(last_message(), PINVIEW_STORE_OPTION_ALLOW_MISSING) != NULL);
    FAILS(PINVIEW_ERROR_INVALID_ARGUMENT,
          pinview_coordinator_add_store(larger.coordinator, type, pinview_absent(), path, options + 1, 1, NULL, ERROR));
    OK(pinview_coordinator_add_store(larger.coordinator, type, pinview_absent(), path, options, 2, &larger.store, ERROR));

    pinview_buffer *buffer = NULL;
    pinview_string entity, property;
    OK(pinview_buffer_create(&buffer, ERROR));
    EXPECT_NUMBER(pinview_store_missing_count(larger.store), 2);
    OK(pinview_store_missing(larger.store, 0, buffer, &entity, &property, ERROR));
    EXPECT_TEXT(entity, "Person");
    EXPECT_TEXT(property, "born");
    OK(pinview_store_missing(larger.store, 1, buffer, &entity, &property, ERROR));
    EXPECT_TEXT(entity, "Pet");
    EXPECT_TEXT(property, NULL);
    FAILS(PINVIEW_ERROR_INVALID_ARGUMENT, pinview_store_missing(larger.store, 2, buffer, &entity, &property, ERROR));
    EXPECT_TEXT(entity, NULL);
    FAILS(PINVIEW_ERROR_INVALID_ARGUMENT, pinview_store_missing(larger.store, UINT64_MAX, buffer, &entity, &property, ERROR));
    int32_t is_missing = 7;
    OK(pinview_store_lacks(larger.store, TEXT("Pet"), pinview_absent(), &is_missing, ERROR));
    EXPECT_NUMBER(is_missing, 1);
    OK(pinview_store_lacks(larger.store, TEXT("Person"), pinview_absent(), &is_missing, ERROR));
    EXPECT_NUMBER(is_missing, 0);
    OK(pinview_store_lacks(larger.store, TEXT("Person"), TEXT("born"), &is_missing, ERROR));
    EXPECT_NUMBER(is_missing, 1);
    FAILS(PINVIEW_ERROR_UNKNOWN_KEY, pinview_store_lacks(larger.store, TEXT("Person"), TEXT("ghost"), &is_missing, ERROR));
    EXPECT_NUMBER(is_missing, 0);
    FAILS(PINVIEW_ERROR_UNKNOWN_ENTITY, pinview_store_lacks(larger.store, TEXT("Ghost"), pinview_absent(), &is_missing, ERROR));

    pinview_context *context = context_on(&larger);
    EXPECT_NUMBER(count_named(context, "Person", NULL), 2);
    EXPECT_NUMBER(count_named(context, "Pet", NULL), 0);
    pinview_object *dave = one_named(context, "Person", "dave1");
    pinview_value raw;
    pinview_string readable;
    OK(pinview_object_examine(dave, TEXT("born"), buffer, &raw, &readable, &is_missing, ERROR));
    EXPECT_NUMBER(raw.type, PINVIEW_VALUE_NULL);
    EXPECT_TEXT(readable, "null");
    EXPECT_NUMBER(is_missing, 1);
    OK(pinview_object_examine(dave, TEXT("age"), buffer, &raw, &readable, &is_missing, ERROR));
    EXPECT_NUMBER(raw.as.integer, 21);
    EXPECT_NUMBER(is_missing, 0);
    FAILS(PINVIEW_ERROR_UNKNOWN_KEY, pinview_object_examine(dave, TEXT("ghost"), buffer, &raw, &readable, &is_missing, ERROR));
    EXPECT_TEXT(readable, NULL);
    const pinview_value date = pinview_value_date(86400.5);
    OK(pinview_object_set_value(dave, TEXT("born"), &date, ERROR));
    OK(pinview_object_examine(dave, TEXT("born"), buffer, &raw, &readable, &is_missing, ERROR));
    EXPECT(raw.type == PINVIEW_VALUE_DOUBLE && raw.as.real == 86400.5);
    EXPECT_TEXT(readable, "\"2001-01-02T00:00:00.5Z\"");
    FAILS(PINVIEW_ERROR_STORE_SAVE, pinview_context_save(context, ERROR));
    pinview_object_release(dave);
    pinview_context_release(context);
    pinview_buffer_release(buffer);
    stack_close(&larger);
}

static void values_are_readable(void) {
    static const char list[] = "<?xml version=\"1.0\"?><plist version=\"1.0\"><dict><key>a</key><array><true/><integer>3</integer></array></dict></plist>";
    pinview_buffer *buffer = NULL;
    pinview_string text;
    pinview_value value = pinview_value_null();
    OK(pinview_buffer_create(&buffer, ERROR));
    OK(pinview_value_readable(&value, buffer, &text, ERROR));
    EXPECT_TEXT(text, "null");
    value = pinview_value_date(0);
    OK(pinview_value_readable(&value, buffer, &text, ERROR));
    EXPECT_TEXT(text, "\"2001-01-01T00:00:00Z\"");
    value.type = PINVIEW_VALUE_BINARY;
    value.as.binary.data = (const uint8_t *)list;
    value.as.binary.size = sizeof list - 1;
    OK(pinview_value_readable(&value, buffer, &text, ERROR));
    EXPECT_TEXT(text, "{\"a\":[true,3]}");
    value.as.binary.size = 3;
    OK(pinview_value_readable(&value, buffer, &text, ERROR));
    EXPECT_TEXT(text, "{\"$bytes\":3,\"$base64\":\"PD94\"}");
    value.type = PINVIEW_VALUE_LIST;
    FAILS(PINVIEW_ERROR_WRONG_TYPE, pinview_value_readable(&value, buffer, &text, ERROR));
    EXPECT_TEXT(text, NULL);
    FAILS(PINVIEW_ERROR_INVALID_ARGUMENT, pinview_value_readable(NULL, buffer, &text, ERROR));
    pinview_buffer_release(buffer);
}

static const test_case tests[] = {
    {"MDL-17: a store tells what it lacks of a larger model, and gives null for it", a_store_tells_what_it_lacks},
    {"MDL-17: values are readable: dates as text, property lists as what they contain", values_are_readable},
};
const test_topic examining_topic = TOPIC("examining", tests);
