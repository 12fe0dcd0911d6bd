/* Tokens are opaque values. */
#include <string.h>

#include "support.h"
#include "topics.h"

static void the_current_token_equals_only_itself(void) {
    int64_t handles = pinview_handle_count();
    pinview_token *current = pinview_token_current();
    EXPECT_NUMBER(pinview_handle_count(), handles); /* nobody has to release it */
    EXPECT(current != NULL && current == pinview_token_current());
    EXPECT_NUMBER(pinview_token_is_current(current), 1);
    EXPECT_NUMBER(pinview_token_is_equal(current, pinview_token_current()), 1);
    EXPECT_NUMBER(pinview_token_is_equal(current, NULL), 0);
    for (int times = 0; times < 5; times++) EXPECT_NUMBER(pinview_token_release(current), PINVIEW_OK);
    EXPECT_NUMBER(pinview_token_retain(current), PINVIEW_OK);
    EXPECT_NUMBER(pinview_token_is_current(current), 1);
}

static void tokens_of_generations_compare(void) {
    data_stack stack = stack_open("t.sqlite");
    pinview_context *first = context_on(&stack), *second = context_on(&stack);
    pinview_token *old = NULL, *same = NULL, *newer = NULL;
    add_daves(&stack, 0, 1);
    pin(first);
    EXPECT_NUMBER(count_named(first, "Person", NULL), 1);
    OK(pinview_context_query_generation(first, &old, ERROR));
    OK(pinview_context_set_query_generation(second, old, ERROR));
    OK(pinview_context_query_generation(second, &same, ERROR));
    EXPECT(pinview_token_is_equal(old, same));
    EXPECT(pinview_token_hash(old) == pinview_token_hash(same));
    EXPECT(!pinview_token_is_equal(old, pinview_token_current()) && !pinview_token_is_current(old));
    EXPECT(pinview_token_description(old).size > 0);
    add_daves(&stack, 1, 1);
    pin(second);
    EXPECT_NUMBER(count_named(second, "Person", NULL), 2);
    OK(pinview_context_query_generation(second, &newer, ERROR));
    EXPECT(!pinview_token_is_equal(old, newer));
    pinview_token_release(old);
    pinview_token_release(same);
    pinview_token_release(newer);
    pinview_context_release(first);
    pinview_context_release(second);
    stack_close(&stack);
}

static void tokens_become_bytes_and_back(void) {
    data_stack stack = stack_open("t.sqlite");
    pinview_context *context = context_on(&stack);
    pinview_token *token = NULL, *again = NULL;
    pinview_binary data;
    pin(context);
    EXPECT_NUMBER(count_named(context, "Person", NULL), 0);
    OK(pinview_context_query_generation(context, &token, ERROR));
    OK(pinview_token_data(token, &data, ERROR));
    OK(pinview_token_create_from_data(data, &again, ERROR));
    EXPECT(pinview_token_is_equal(token, again));
    pinview_token_release(again);
    again = NULL;
    uint8_t bytes[256];
    REQUIRE(data.size > 0 && data.size < sizeof bytes);
    memcpy(bytes, data.data, data.size);
    pinview_binary altered = {bytes, data.size};
    for (size_t index = 0; index < data.size; index++) {
        bytes[index] ^= 1;
        FAILS(PINVIEW_ERROR_INVALID_ARGUMENT, pinview_token_create_from_data(altered, &again, ERROR));
        bytes[index] ^= 1;
    }
    altered.size--;
    FAILS(PINVIEW_ERROR_INVALID_ARGUMENT, pinview_token_create_from_data(altered, &again, ERROR));
    altered.data = NULL;
    FAILS(PINVIEW_ERROR_INVALID_ARGUMENT, pinview_token_create_from_data(altered, &again, ERROR));
    altered.size = 0;
    FAILS(PINVIEW_ERROR_INVALID_ARGUMENT, pinview_token_create_from_data(altered, &again, ERROR));
    OK(pinview_token_data(pinview_token_current(), &data, ERROR));
    OK(pinview_token_create_from_data(data, &again, ERROR));
    EXPECT(pinview_token_is_current(again));
    pinview_token_release(again);
    pinview_token_release(token);
    pinview_context_release(context);
    stack_close(&stack);
}

static const test_case tests[] = {
    {"QG-56: the current token equals only itself and is never released", the_current_token_equals_only_itself},
    {"QG-10, QG-11: tokens compare and hash by generation", tokens_of_generations_compare},
    {"QG-11: tokens become bytes and back; altered bytes are refused", tokens_become_bytes_and_back},
};
const test_topic tokens_topic = TOPIC("tokens", tests);
