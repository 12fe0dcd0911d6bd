/* Pins, seen from C: the rows QG of the ledger that concern C. Other rows are tested in Swift. */
#include <string.h>

#include "support.h"
#include "topics.h"

static void a_new_context_is_unpinned(void) {
    data_stack stack = stack_open("g.sqlite");
    pinview_context *context = context_on(&stack);
    EXPECT(!has_token(context)); /* QG-03 */
    EXPECT_NUMBER(count_named(context, "Person", NULL), 0);
    add_daves(&stack, 0, 2);
    EXPECT_NUMBER(count_named(context, "Person", NULL), 2); /* QG-04 */
    EXPECT(!has_token(context));
    pinview_context_release(context);
    stack_close(&stack);
}

static void pinning_is_lazy(void) {
    data_stack stack = stack_open("g.sqlite");
    pinview_context *context = context_on(&stack);
    pinview_token *token = NULL;
    pin(context);
    OK(pinview_context_query_generation(context, &token, ERROR));
    EXPECT(pinview_token_is_current(token)); /* QG-05, QG-12 */
    pinview_token_release(token);
    add_daves(&stack, 0, 1); /* after the pin, before the first read: seen (QG-06) */
    EXPECT_NUMBER(count_named(context, "Person", NULL), 1);
    OK(pinview_context_query_generation(context, &token, ERROR));
    EXPECT(token != NULL && !pinview_token_is_current(token));
    pinview_token_release(token);
    add_daves(&stack, 1, 1); /* after the first read: not seen (QG-01, QG-07) */
    EXPECT_NUMBER(count_named(context, "Person", NULL), 1);
    EXPECT_NUMBER(count_named(context, "Person", "dave1"), 0); /* QG-49 */
    pinview_context_release(context);
    stack_close(&stack);
}

static void a_second_stack_writes_meanwhile(void) {
    data_stack mine = stack_open("g.sqlite");
    add_daves(&mine, 0, 3);
    data_stack theirs = stack_open("g.sqlite");
    pinview_context *pinned = context_on(&mine), *unpinned = context_on(&mine), *writer = context_on(&theirs);
    pin(pinned);
    EXPECT_NUMBER(count_named(pinned, "Person", NULL), 3);
    pinview_object *dave = one_named(writer, "Person", "dave1");
    OK(pinview_context_delete(writer, dave, ERROR));
    save(writer);
    EXPECT_NUMBER(count_named(pinned, "Person", NULL), 3); /* QG-02 */
    EXPECT_NUMBER(count_named(unpinned, "Person", NULL), 2);
    pinview_object *mine_too = one_named(pinned, "Person", "dave1"); /* QG-48 */
    EXPECT_NUMBER(integer_of(mine_too, "age"), 21);
    EXPECT_NUMBER(members_of(mine_too, "cars"), 1);
    pinview_object_release(mine_too);
    pinview_object_release(dave);
    pinview_context_release(pinned);
    pinview_context_release(unpinned);
    pinview_context_release(writer);
    stack_close(&theirs);
    stack_close(&mine);
}

static void unpinning_and_advancing(void) {
    data_stack stack = stack_open("g.sqlite");
    pinview_context *context = context_on(&stack);
    pin(context);
    EXPECT_NUMBER(count_named(context, "Person", NULL), 0);
    add_daves(&stack, 0, 1);
    pin(context); /* QG-14 */
    add_daves(&stack, 1, 1);
    EXPECT_NUMBER(count_named(context, "Person", NULL), 2);
    add_daves(&stack, 2, 1);
    EXPECT_NUMBER(count_named(context, "Person", NULL), 2);
    pinview_object *dave = one_named(context, "Person", "dave0");
    OK(pinview_context_set_query_generation(context, NULL, ERROR)); /* QG-13 */
    EXPECT(!has_token(context));
    EXPECT_NUMBER(count_named(context, "Person", NULL), 3);
    EXPECT_TEXT(text_of(dave, "name"), "dave0"); /* QG-16 */
    pinview_object_release(dave);
    pinview_context_release(context);
    stack_close(&stack);
}

static void values_move_with_a_refresh_only(void) {
    data_stack stack = stack_open("g.sqlite");
    add_daves(&stack, 0, 1);
    pinview_context *pinned = context_on(&stack), *writer = context_on(&stack);
    pin(pinned);
    pinview_object *mine = one_named(pinned, "Person", "dave0"), *theirs = one_named(writer, "Person", "dave0");
    EXPECT_NUMBER(integer_of(mine, "age"), 20);
    set_integer(theirs, "age", 99);
    save(writer);
    OK(pinview_context_refresh_all_objects(pinned, ERROR));
    EXPECT_NUMBER(integer_of(mine, "age"), 20); /* QG-51 */
    pin(pinned);
    EXPECT_NUMBER(integer_of(mine, "age"), 20); /* QG-16 */
    OK(pinview_context_refresh_all_objects(pinned, ERROR));
    EXPECT_NUMBER(integer_of(mine, "age"), 99); /* QG-17 */
    pinview_object_release(mine);
    pinview_object_release(theirs);
    pinview_context_release(pinned);
    pinview_context_release(writer);
    stack_close(&stack);
}

static void contexts_share_a_generation(void) {
    data_stack stack = stack_open("g.sqlite");
    pinview_context *first = context_on(&stack), *second = context_on(&stack);
    pinview_token *token = NULL;
    pin(first);
    EXPECT_NUMBER(count_named(first, "Person", NULL), 0);
    OK(pinview_context_query_generation(first, &token, ERROR));
    add_daves(&stack, 0, 1);
    OK(pinview_context_set_query_generation(second, token, ERROR)); /* QG-09, EX-48 */
    OK(pinview_context_set_query_generation(first, NULL, ERROR));
    EXPECT_NUMBER(count_named(second, "Person", NULL), 0); /* QG-40 */
    OK(pinview_context_set_query_generation(second, NULL, ERROR));
    FAILS(PINVIEW_ERROR_GENERATION_EXPIRED, pinview_context_set_query_generation(first, token, ERROR)); /* QG-41 */
    EXPECT(!has_token(first)); /* QG-57 */
    pinview_token_release(token);
    pinview_context_release(first);
    pinview_context_release(second);
    stack_close(&stack);
}

static void saves_resets_and_rollbacks(void) {
    data_stack stack = stack_open("g.sqlite");
    add_daves(&stack, 0, 1);
    pinview_context *context = context_on(&stack);
    pin(context);
    pinview_object *dave = one_named(context, "Person", "dave0");
    add_daves(&stack, 1, 1);
    save(context); /* nothing to save: stays (QG-26) */
    set_integer(dave, "age", 50);
    OK(pinview_context_rollback(context, ERROR));
    EXPECT(has_token(context));
    EXPECT_NUMBER(count_named(context, "Person", NULL), 1);
    set_integer(dave, "age", 51);
    EXPECT_NUMBER(count_named(context, "Person", NULL), 1); /* QG-50, QG-52 */
    save(context);
    EXPECT(!has_token(context)); /* QG-21 */
    EXPECT_NUMBER(count_named(context, "Person", NULL), 2); /* QG-20 */
    EXPECT(has_token(context));
    OK(pinview_context_reset(context, ERROR));
    EXPECT(!has_token(context)); /* QG-23 */
    add_daves(&stack, 2, 1);
    EXPECT_NUMBER(count_named(context, "Person", NULL), 3);
    EXPECT(has_token(context));
    pinview_object_release(dave);
    pinview_context_release(context);
    stack_close(&stack);
}

static void children_read_through_their_parent(void) {
    data_stack stack = stack_open("g.sqlite");
    add_daves(&stack, 0, 1);
    pinview_context *parent = context_on(&stack), *child = child_of(parent);
    pin(parent);
    EXPECT_NUMBER(count_named(child, "Person", NULL), 1); /* a read of the root (QG-28) */
    add_daves(&stack, 1, 1);
    EXPECT_NUMBER(count_named(parent, "Person", NULL), 1);
    EXPECT_NUMBER(count_named(child, "Person", NULL), 1);
    EXPECT(!has_token(child)); /* QG-27 */
    pinview_object *pending = insert_object(parent, "Person", "pending");
    EXPECT_NUMBER(count_named(child, "Person", NULL), 2); /* QG-29 */
    FAILS(PINVIEW_ERROR_NESTED_PIN, pinview_context_set_query_generation(child, pinview_token_current(), ERROR)); /* QG-30 */
    FAILS(PINVIEW_ERROR_NESTED_PIN, pinview_context_set_query_generation(child, NULL, ERROR));
    pinview_object_release(pending);
    pinview_context_release(child);
    pinview_context_release(parent);
    stack_close(&stack);
}

static void foreign_tokens_are_refused(void) {
    data_stack mine = stack_open("g.sqlite"), theirs = stack_open("g.sqlite");
    pinview_context *first = context_on(&mine), *second = context_on(&theirs), *homeless = NULL;
    pinview_token *token = NULL;
    pin(first);
    EXPECT_NUMBER(count_named(first, "Person", NULL), 0);
    OK(pinview_context_query_generation(first, &token, ERROR));
    FAILS(PINVIEW_ERROR_FOREIGN_TOKEN, pinview_context_set_query_generation(second, token, ERROR)); /* QG-43 */
    EXPECT(!has_token(second));
    OK(pinview_context_create(PINVIEW_CONCURRENCY_PRIVATE_QUEUE, &homeless, ERROR));
    FAILS(PINVIEW_ERROR_NO_COORDINATOR, pinview_context_set_query_generation(homeless, pinview_token_current(), ERROR)); /* CTX-19 */
    pinview_token_release(token);
    pinview_context_release(homeless);
    pinview_context_release(first);
    pinview_context_release(second);
    stack_close(&mine);
    stack_close(&theirs);
}

/* 0: the checkpoint emptied the journal; else a reader or a writer held it. */
static const char truncate[] = "PRAGMA wal_checkpoint(TRUNCATE)";
static int64_t checkpoint_by_others(const char *path) { return sql_number(path, truncate); }

static void pins_hold_the_journal(void) {
    data_stack stack = stack_open("g.sqlite");
    pinview_context *context = context_on(&stack);
    int32_t emptied = -1;
    add_daves(&stack, 0, 5);
    pin(context);
    EXPECT_NUMBER(checkpoint_by_others(stack.path), 0); /* no read yet: no hold (QG-42) */
    EXPECT_NUMBER(file_size(test_path("g.sqlite-wal")), 0);
    add_daves(&stack, 5, 1);
    EXPECT_NUMBER(count_named(context, "Person", NULL), 6);
    add_daves(&stack, 6, 5);
    EXPECT_NUMBER(sql_number_at_once(stack.path, truncate), 1); /* QG-38 */
    OK(pinview_store_checkpoint(stack.store, &emptied, ERROR));
    EXPECT_NUMBER(emptied, 0);
    EXPECT(pinview_store_journal_size(stack.store) > 0);
    EXPECT_NUMBER(pinview_store_journal_size(stack.store), file_size(test_path("g.sqlite-wal")));
    EXPECT_NUMBER(count_named(context, "Person", NULL), 6);
    OK(pinview_context_set_query_generation(context, NULL, ERROR));
    EXPECT_NUMBER(checkpoint_by_others(stack.path), 0); /* QG-39 */
    EXPECT_NUMBER(file_size(test_path("g.sqlite-wal")), 0);
    OK(pinview_store_checkpoint(stack.store, &emptied, ERROR));
    EXPECT_NUMBER(emptied, 1);
    EXPECT_NUMBER(pinview_store_journal_size(stack.store), 0);
    pinview_context_release(context);
    stack_close(&stack);
}

static void the_end_of_a_context_ends_its_hold(void) {
    data_stack stack = stack_open("g.sqlite");
    add_daves(&stack, 0, 2);
    pinview_context *context = context_on(&stack);
    pin(context);
    EXPECT_NUMBER(count_named(context, "Person", NULL), 2);
    add_daves(&stack, 2, 2);
    pinview_context_release(context); /* QG-39, CTX-18 */
    EXPECT_NUMBER(checkpoint_by_others(stack.path), 0);
    EXPECT_NUMBER(file_size(test_path("g.sqlite-wal")), 0);
    stack_close(&stack);
}

static void stores_without_generations_fall_back(void) {
    data_stack stacks[2];
    stacks[0] = stack_in_memory();
    stacks[1] = stack_open_with("d.sqlite", PINVIEW_STORE_OPTION_JOURNAL_MODE, pinview_value_text("delete"));
    for (int index = 0; index < 2; index++) {
        pinview_context *context = context_on(&stacks[index]);
        pin(context);
        EXPECT(has_token(context));
        EXPECT_NUMBER(count_named(context, "Person", NULL), 0);
        EXPECT(!has_token(context)); /* QG-44 */
        add_daves(&stacks[index], 0, 1);
        EXPECT_NUMBER(count_named(context, "Person", NULL), 1);
        pinview_context_release(context);
        stack_close(&stacks[index]);
    }
}

static void removed_stores_and_tokens(void) {
    data_stack stack = stack_open("g.sqlite");
    add_daves(&stack, 0, 1);
    pinview_context *first = context_on(&stack), *second = context_on(&stack);
    pinview_token *token = NULL;
    pin(first);
    EXPECT_NUMBER(count_named(first, "Person", NULL), 1);
    OK(pinview_context_query_generation(first, &token, ERROR));
    OK(pinview_coordinator_remove_store(stack.coordinator, stack.store, ERROR));
    FAILS(PINVIEW_ERROR_STORE_OPERATION, pinview_context_set_query_generation(second, token, ERROR)); /* QG-37 */
    EXPECT(pinview_error_affected_store_count(last_error()) == 1);
    pinview_fetch_request request;
    int64_t count = 0;
    OK(pinview_fetch_request_init(&request, sizeof request, TEXT("Person"), ERROR));
    FAILS(PINVIEW_ERROR_STORE_OPERATION, pinview_context_count(first, &request, &count, ERROR)); /* QG-36 */
    EXPECT(count == PINVIEW_NOT_FOUND);
    pinview_token_release(token);
    pinview_context_release(first);
    pinview_context_release(second);
    stack_close(&stack);
}

static void batch_updates_move_nothing(void) {
    data_stack stack = stack_open("g.sqlite");
    add_daves(&stack, 0, 2);
    pinview_context *context = context_on(&stack);
    pinview_token *before = NULL, *after = NULL;
    pin(context);
    EXPECT_NUMBER(count_named(context, "Person", "dave1"), 1);
    OK(pinview_context_query_generation(context, &before, ERROR));
    pinview_named_value name = {TEXT("name"), pinview_value_text("x")};
    pinview_batch_update update;
    memset(&update, 0, sizeof update);
    update.struct_size = sizeof update;
    update.result_type = PINVIEW_RESULT_NONE;
    update.entity = TEXT("Person");
    update.properties = &name;
    update.property_count = 1;
    OK(pinview_context_batch_update(context, &update, NULL, ERROR));
    OK(pinview_context_query_generation(context, &after, ERROR));
    EXPECT(pinview_token_is_equal(before, after)); /* QG-47, BAT-06 */
    EXPECT_NUMBER(count_named(context, "Person", "dave1"), 1);
    EXPECT_NUMBER(count_named(context, "Person", "x"), 0);
    pinview_token_release(before);
    pinview_token_release(after);
    pinview_context_release(context);
    stack_close(&stack);
}

static void a_save_leaves_the_pin_to_the_next_read(void) {
    data_stack stack = stack_open("state.sqlite");
    add_daves(&stack, 0, 1);
    pinview_context *context = context_on(&stack);
    EXPECT_NUMBER(pinview_context_query_generation_state(context), PINVIEW_QUERY_GENERATION_UNPINNED);
    pin(context);
    pinview_object *dave = one_named(context, "Person", "dave0");
    EXPECT_NUMBER(pinview_context_query_generation_state(context), PINVIEW_QUERY_GENERATION_PINNED);
    set_integer(dave, "age", 50);
    save(context);
    EXPECT_NUMBER(pinview_context_query_generation_state(context), PINVIEW_QUERY_GENERATION_PINNED_AT_NEXT_READ);
    EXPECT_NUMBER(count_named(context, "Person", NULL), 1);
    EXPECT_NUMBER(pinview_context_query_generation_state(context), PINVIEW_QUERY_GENERATION_PINNED);
    EXPECT_NUMBER(pinview_context_query_generation_state(NULL), -1);
    pinview_object_release(dave);
    pinview_context_release(context);
    stack_close(&stack);
}

static void many_generations_at_once(void) {
    enum { contexts = 32 };
    data_stack stack = stack_open("g.sqlite");
    pinview_context *pinned[contexts];
    for (int index = 0; index < contexts; index++) {
        add_daves(&stack, index, 1);
        pinned[index] = context_on(&stack);
        pin(pinned[index]);
        EXPECT_NUMBER(count_named(pinned[index], "Person", NULL), index + 1);
    }
    for (int index = 0; index < contexts; index++) { /* QG-55; none of them blocked a writer (QG-53) */
        EXPECT_NUMBER(count_named(pinned[index], "Person", NULL), index + 1);
        pinview_context_release(pinned[index]);
    }
    EXPECT_NUMBER(checkpoint_by_others(stack.path), 0);
    stack_close(&stack);
}

static void automatic_merging_and_pins(void) {
    data_stack stack = stack_open("g.sqlite");
    pinview_context *context = context_on(&stack);
    pin(context);
    EXPECT_NUMBER(count_named(context, "Person", NULL), 0);
    add_daves(&stack, 0, 1);
    FAILS(PINVIEW_ERROR_PINNED_AUTO_MERGE, pinview_context_set_option(context, PINVIEW_CONTEXT_AUTOMATICALLY_MERGES_CHANGES, 1, ERROR)); /* MRG-12 */
    EXPECT_NUMBER(pinview_context_get_option(context, PINVIEW_CONTEXT_AUTOMATICALLY_MERGES_CHANGES), 0);
    pinview_context_release(context);
    stack_close(&stack);
}

static const test_case tests[] = {
    {"QG-03, QG-04: a new context is unpinned and sees the newest", a_new_context_is_unpinned},
    {"QG-01, QG-05, QG-06, QG-07, QG-12, QG-49: pinning is lazy", pinning_is_lazy},
    {"QG-02, QG-48: another stack on the file writes meanwhile", a_second_stack_writes_meanwhile},
    {"QG-13, QG-14, QG-16: unpinning and advancing", unpinning_and_advancing},
    {"QG-16, QG-17, QG-51: values in memory move with a refresh only", values_move_with_a_refresh_only},
    {"QG-09, QG-40, QG-41, QG-57, EX-48: contexts share a generation until both have left it", contexts_share_a_generation},
    {"QG-20, QG-21, QG-23, QG-26, QG-50, QG-52: what moves a pinned context", saves_resets_and_rollbacks},
    {"QG-27, QG-28, QG-29, QG-30: children read through their parent", children_read_through_their_parent},
    {"QG-43, CTX-19: tokens of another coordinator are refused", foreign_tokens_are_refused},
    {"QG-38, QG-39, QG-42: pins hold the journal from the first read on", pins_hold_the_journal},
    {"QG-39, CTX-18: the end of a context ends its hold", the_end_of_a_context_ends_its_hold},
    {"QG-44: stores without generations take part unpinned", stores_without_generations_fall_back},
    {"QG-36, QG-37: a generation of a removed store is an error", removed_stores_and_tokens},
    {"QG-47, BAT-06: a batch update moves no generation", batch_updates_move_nothing},
    {"ONE-09: after a save a pinned context takes its generation at the next read", a_save_leaves_the_pin_to_the_next_read},
    {"QG-53, QG-55: 32 generations at once", many_generations_at_once},
    {"MRG-12: automatic merging is refused on an old generation", automatic_merging_and_pins},
};
const test_topic generations_topic = TOPIC("generations", tests);
