/* Stores of other versions of a model: MIG-01, MIG-05, MIG-10 and MIG-11. */
#include <string.h>

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

static const test_case tests[] = {
    {"MIG-01, MIG-05: a store is migrated where asked for, beside a pinned context", a_store_is_migrated_beside_a_pinned_context},
    {"MIG-02, MIG-11: what is unclear needs a word", what_is_unclear_needs_a_word},
    {"MIG-10: a plan changes nothing", a_plan_changes_nothing},
};
const test_topic migration_topic = TOPIC("migration", tests);
