/* Batch updates. */
#include <string.h>

#include "support.h"
#include "topics.h"

static pinview_batch_update update_of(const pinview_named_value *properties, size_t count) {
    pinview_batch_update update;
    memset(&update, 0, sizeof update);
    update.struct_size = sizeof update;
    update.result_type = PINVIEW_RESULT_COUNT;
    update.entity = TEXT("Person");
    update.properties = properties;
    update.property_count = count;
    return update;
}

static void rows_change_without_objects(void) {
    data_stack stack = stack_open("b.sqlite");
    add_daves(&stack, 0, 4);
    pinview_context *context = context_on(&stack);
    pinview_result *result = NULL;
    pinview_object *dave = one_named(context, "Person", "dave1");
    EXPECT_NUMBER(integer_of(dave, "age"), 21);
    pinview_predicate *young = predicate("age < 22", NULL);
    const pinview_named_value properties[] = {{TEXT("name"), pinview_value_text("young")}, {TEXT("age"), pinview_value_integer(1)}};
    pinview_batch_update update = update_of(properties, 2);
    update.predicate = young;
    OK(pinview_context_batch_update(context, &update, &result, ERROR)); /* BAT-02, BAT-03 */
    EXPECT_NUMBER(pinview_result_type(result), PINVIEW_RESULT_COUNT);
    EXPECT_NUMBER(pinview_result_count(result), 2);
    EXPECT(!has_changes(context));
    EXPECT_NUMBER(integer_of(dave, "age"), 21); /* BAT-05 */
    EXPECT_NUMBER(count_named(context, "Person", "young"), 2); /* BAT-04 */
    OK(pinview_context_refresh(context, dave, 0, ERROR));
    EXPECT_NUMBER(integer_of(dave, "age"), 1); /* BAT-09 */
    pinview_result_release(result);
    update.result_type = PINVIEW_RESULT_OBJECT_IDS;
    update.predicate = NULL;
    OK(pinview_context_batch_update(context, &update, &result, ERROR));
    EXPECT_NUMBER(pinview_result_type(result), PINVIEW_RESULT_OBJECT_IDS);
    EXPECT_NUMBER(pinview_result_count(result), 4);
    pinview_result_release(result);
    update.result_type = PINVIEW_RESULT_NONE;
    OK(pinview_context_batch_update(context, &update, &result, ERROR));
    EXPECT_NUMBER(pinview_result_type(result), PINVIEW_RESULT_NONE);
    EXPECT_NUMBER(pinview_result_count(result), 0);
    pinview_result_release(result);
    set_integer(dave, "age", 5);
    FAILS(PINVIEW_ERROR_MERGE, pinview_context_save(context, ERROR)); /* BAT-07 */
    pinview_predicate_release(young);
    pinview_object_release(dave);
    pinview_context_release(context);
    stack_close(&stack);
}

static void wrong_updates_are_refused(void) {
    data_stack stack = stack_open("b.sqlite"), memory = stack_in_memory();
    add_daves(&stack, 0, 2);
    pinview_context *context = context_on(&stack), *other = context_on(&memory);
    pinview_result *result = NULL;
    pinview_named_value property = {TEXT("wings"), pinview_value_integer(2)};
    pinview_batch_update update = update_of(&property, 1);
    FAILS(PINVIEW_ERROR_UNKNOWN_KEY, pinview_context_batch_update(context, &update, &result, ERROR)); /* BAT-10 */
    property.name = TEXT("cars");
    FAILS(PINVIEW_ERROR_UNKNOWN_KEY, pinview_context_batch_update(context, &update, &result, ERROR));
    property.name = TEXT("age");
    property.value = pinview_value_text("old");
    FAILS(PINVIEW_ERROR_WRONG_TYPE, pinview_context_batch_update(context, &update, &result, ERROR));
    property.value = pinview_value_integer(2);
    FAILS(PINVIEW_ERROR_UNSUPPORTED_REQUEST, pinview_context_batch_update(other, &update, &result, ERROR)); /* BAT-11 */
    update.result_type = PINVIEW_RESULT_OBJECTS;
    FAILS(PINVIEW_ERROR_INVALID_ARGUMENT, pinview_context_batch_update(context, &update, &result, ERROR));
    update.result_type = PINVIEW_RESULT_COUNT;
    update.entity = TEXT("Dragon");
    FAILS(PINVIEW_ERROR_UNKNOWN_ENTITY, pinview_context_batch_update(context, &update, &result, ERROR));
    update.entity = TEXT("Person");
    update.properties = NULL;
    FAILS(PINVIEW_ERROR_INVALID_ARGUMENT, pinview_context_batch_update(context, &update, &result, ERROR));
    update.struct_size = 4;
    FAILS(PINVIEW_ERROR_INVALID_ARGUMENT, pinview_context_batch_update(context, &update, &result, ERROR));
    FAILS(PINVIEW_ERROR_INVALID_ARGUMENT, pinview_context_batch_update(context, NULL, &result, ERROR));
    EXPECT(result == NULL);
    EXPECT_NUMBER(count_named(context, "Person", "dave1"), 1);
    pinview_context_release(context);
    pinview_context_release(other);
    stack_close(&memory);
    stack_close(&stack);
}

static const test_case tests[] = {
    {"BAT-02 to BAT-05, BAT-07, BAT-09: rows change without objects", rows_change_without_objects},
    {"BAT-10, BAT-11, ERR-05: wrong updates are refused", wrong_updates_are_refused},
};
const test_topic batch_topic = TOPIC("batch updates", tests);
