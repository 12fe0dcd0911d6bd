/* What differs between two generations. */
#include <string.h>

#include "support.h"
#include "topics.h"

/* A context that is pinned to what three daves are, and its token. */
static pinview_context *view_on(const data_stack *stack, pinview_token **token) {
    pinview_context *view = context_on(stack);
    pin(view);
    count_named(view, "Person", NULL);
    OK(pinview_context_query_generation(view, token, ERROR));
    return view;
}

static void change_in(const data_stack *stack) {
    pinview_context *writer = context_on(stack);
    pinview_object *dave0 = one_named(writer, "Person", "dave0"), *dave1 = one_named(writer, "Person", "dave1");
    set_integer(dave0, "age", 99);
    OK(pinview_context_delete(writer, dave1, ERROR));
    pinview_object *eve = insert_object(writer, "Person", "eve");
    save(writer);
    pinview_object_release(eve);
    pinview_object_release(dave1);
    pinview_object_release(dave0);
    pinview_context_release(writer);
}

static int is_text(pinview_string text, const char *expected) {
    return text.size == strlen(expected) && memcmp(text.data, expected, text.size) == 0;
}

static void check_difference_of(data_stack *stack) {
    add_daves(stack, 0, 3);
    pinview_token *old = NULL, *new_generation = NULL, *again = NULL;
    pinview_context *view = view_on(stack, &old);
    change_in(stack);

    pinview_difference *difference = NULL;
    OK(pinview_coordinator_difference(stack->coordinator, old, NULL, NULL, 0, &difference, ERROR));
    REQUIRE(pinview_difference_count(difference) == 4);
    pinview_difference_change changes[4];
    pinview_object_id *ids[4];
    OK(pinview_difference_changes(difference, 0, 4, changes, ids, ERROR));
    /* The car of dave1 has no owner any more. */
    static const int32_t types[] = {PINVIEW_HISTORY_UPDATE, PINVIEW_HISTORY_UPDATE, PINVIEW_HISTORY_DELETE, PINVIEW_HISTORY_INSERT};
    static const char *const entities[] = {"Car", "Person", "Person", "Person"};
    for (int index = 0; index < 4; index++) {
        EXPECT_NUMBER(changes[index].type, types[index]);
        EXPECT(is_text(pinview_object_id_entity_name(ids[index]), entities[index]));
        EXPECT_NUMBER(changes[index].property_count, types[index] == PINVIEW_HISTORY_UPDATE ? 1 : 0);
        pinview_object_id_release(ids[index]);
    }
    EXPECT(is_text(changes[0].properties[0], "owner"));
    EXPECT(is_text(changes[1].properties[0], "age"));
    FAILS(PINVIEW_ERROR_INVALID_ARGUMENT, pinview_difference_changes(difference, 3, 2, changes, NULL, ERROR));

    /* The view goes there, and the two generations are the same to it. */
    OK(pinview_difference_new_generation(difference, &new_generation, ERROR));
    OK(pinview_context_set_query_generation(view, new_generation, ERROR));
    EXPECT_NUMBER(count_named(view, "Person", "eve"), 1);
    OK(pinview_difference_old_generation(difference, &again, ERROR));
    EXPECT(pinview_token_is_equal(again, old));

    /* Backwards, and of one entity. */
    const pinview_string car = TEXT("Car"), ship = TEXT("Ship");
    pinview_difference *back = NULL;
    OK(pinview_coordinator_difference(stack->coordinator, new_generation, old, NULL, 0, &back, ERROR));
    OK(pinview_difference_changes(back, 2, 2, changes, NULL, ERROR));
    EXPECT_NUMBER(changes[0].type, PINVIEW_HISTORY_INSERT);
    EXPECT_NUMBER(changes[1].type, PINVIEW_HISTORY_DELETE);
    pinview_difference_release(back);
    OK(pinview_coordinator_difference(stack->coordinator, old, NULL, &car, 1, &back, ERROR));
    EXPECT_NUMBER(pinview_difference_count(back), 1);
    pinview_difference_release(back);
    FAILS(PINVIEW_ERROR_UNKNOWN_ENTITY, pinview_coordinator_difference(stack->coordinator, old, NULL, &ship, 1, &back, ERROR));

    pinview_difference_release(difference);
    FAILS(PINVIEW_ERROR_GENERATION_EXPIRED, pinview_coordinator_difference(stack->coordinator, old, NULL, NULL, 0, &back, ERROR));
    EXPECT(back == NULL);
    pinview_token_release(again);
    pinview_token_release(new_generation);
    pinview_token_release(old);
    pinview_context_release(view);
    stack_close(stack);
}

static void generations_are_compared(void) {
    data_stack stack = stack_open("h.sqlite");
    check_difference_of(&stack);
}

static void history_tells_the_difference(void) {
    data_stack stack = stack_open_with("h.sqlite", PINVIEW_STORE_OPTION_HISTORY_TRACKING, pinview_value_boolean(1));
    check_difference_of(&stack);
}

static void foreign_tokens_have_no_difference(void) {
    data_stack stack = stack_open("h.sqlite"), other = stack_open("i.sqlite");
    pinview_token *token = NULL;
    pinview_context *view = view_on(&other, &token);
    pinview_difference *difference = NULL;
    FAILS(PINVIEW_ERROR_FOREIGN_TOKEN, pinview_coordinator_difference(stack.coordinator, token, NULL, NULL, 0, &difference, ERROR));
    pinview_token_release(token);
    pinview_context_release(view);
    stack_close(&other);
    stack_close(&stack);
}

static const test_case tests[] = {
    {"two generations are compared by their rows", generations_are_compared},
    {"the history tells what differs, the same", history_tells_the_difference},
    {"a token of another coordinator is refused", foreign_tokens_have_no_difference},
};
const test_topic history_topic = TOPIC("history", tests);
