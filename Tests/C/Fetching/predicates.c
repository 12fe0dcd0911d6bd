/* Predicates in the format language. */
#include <string.h>

#include "support.h"
#include "topics.h"

static int64_t count_of(pinview_context *context, pinview_predicate *condition) {
    pinview_fetch_request request;
    int64_t count = 0;
    OK(pinview_fetch_request_init(&request, sizeof request, TEXT("Person"), ERROR));
    request.predicate = condition;
    OK(pinview_context_count(context, &request, &count, ERROR));
    pinview_predicate_release(condition);
    return count;
}

static void the_language_finds_rows(void) {
    data_stack stack = stack_open("p.sqlite");
    add_daves(&stack, 0, 12);
    pinview_context *context = context_on(&stack);
    static const struct {
        const char *format;
        int64_t count;
    } cases[] = {
        {"name == 'dave3'", 1},          {"name != 'dave3'", 11},          {"age >= 25 AND age < 30", 5},     {"NOT (age > 21)", 2},
        {"name IN {'dave0','dave1','x'}", 2}, {"name CONTAINS 've1'", 3},  {"name BEGINSWITH 'dave1'", 3},    {"name ENDSWITH '1'", 2},
        {"name LIKE 'd*1?'", 2},         {"name ==[c] 'DAVE3'", 1},        {"name == nil", 0},                {"age BETWEEN {20, 22}", 3},
        {"ANY cars.name == 'car5'", 1},  {"cars.@count == 1", 12},         {"TRUEPREDICATE", 12},             {"age == 20 OR age == 31", 2},
    };
    for (size_t index = 0; index < sizeof cases / sizeof cases[0]; index++) {
        int64_t count = count_of(context, predicate(cases[index].format, NULL)); /* FET-18 */
        if (count != cases[index].count) test_failed(__FILE__, __LINE__, "%s finds %d, not %d", cases[index].format, (int)count, (int)cases[index].count);
    }
    pinview_context_release(context);
    stack_close(&stack);
}

static void values_stay_values(void) {
    data_stack stack = stack_open("p.sqlite");
    pinview_context *context = context_on(&stack);
    static const char *const odd[] = {"O'Brien", "100%", "a\"b", "%@", "x' OR 'y'='y", "\\", "; DROP TABLE ZPERSON", ""};
    for (size_t index = 0; index < sizeof odd / sizeof odd[0]; index++) pinview_object_release(insert_object(context, "Person", odd[index]));
    save(context);
    for (size_t index = 0; index < sizeof odd / sizeof odd[0]; index++) EXPECT_NUMBER(count_of(context, predicate("name == %@", odd[index])), 1); /* FET-17 */
    pinview_context_release(context);
    stack_close(&stack);
}

static void arguments_of_every_kind(void) {
    data_stack stack = stack_open("p.sqlite");
    add_daves(&stack, 0, 5);
    pinview_context *context = context_on(&stack);
    pinview_object *dave = one_named(context, "Person", "dave2");
    pinview_object_id *id = NULL;
    pinview_predicate *condition = NULL;
    OK(pinview_object_get_id(dave, &id, ERROR));
    pinview_value arguments[2] = {pinview_value_object(dave), pinview_value_null()};
    OK(pinview_predicate_create(TEXT("SELF == %@"), arguments, 1, &condition, ERROR));
    EXPECT_NUMBER(count_of(context, condition), 1);
    arguments[0].type = PINVIEW_VALUE_OBJECT_ID;
    arguments[0].as.object_id = id;
    OK(pinview_predicate_create(TEXT("SELF == %@"), arguments, 1, &condition, ERROR));
    EXPECT_NUMBER(count_of(context, condition), 1);
    pinview_value items[] = {pinview_value_integer(20), pinview_value_integer(24), pinview_value_integer(99)};
    arguments[0] = pinview_value_text("age");
    arguments[1].type = PINVIEW_VALUE_LIST;
    arguments[1].as.list.items = items;
    arguments[1].as.list.count = 3;
    OK(pinview_predicate_create(TEXT("%K IN %@"), arguments, 2, &condition, ERROR));
    EXPECT_NUMBER(count_of(context, condition), 2);
    pinview_value nothing = pinview_value_null();
    OK(pinview_predicate_create(TEXT("name == %@"), &nothing, 1, &condition, ERROR));
    EXPECT_NUMBER(count_of(context, condition), 0);
    pinview_object_id_release(id);
    pinview_object_release(dave);
    pinview_context_release(context);
    stack_close(&stack);
}

static void predicates_write_themselves(void) {
    pinview_predicate *one = predicate("age >= 3 AND name BEGINSWITH[c] %@", "d'x"), *two = NULL, *other = predicate("age > 3", NULL);
    OK(pinview_predicate_create(pinview_predicate_description(one), NULL, 0, &two, ERROR));
    EXPECT(pinview_predicate_is_equal(one, two) && !pinview_predicate_is_equal(one, other) && !pinview_predicate_is_equal(one, NULL));
    EXPECT_NUMBER(pinview_predicate_retain(one), PINVIEW_OK);
    pinview_predicate_release(one);
    pinview_predicate_release(one);
    pinview_predicate_release(two);
    pinview_predicate_release(other);
}

static void a_predicate_with_an_object_writes_itself(void) {
    data_stack stack = stack_open("p.sqlite");
    add_daves(&stack, 0, 3);
    pinview_context *context = context_on(&stack);
    pinview_object *dave = one_named(context, "Person", "dave1"), *fresh = insert_object(context, "Person", "new");
    pinview_object *const objects[] = {dave, fresh};
    for (size_t index = 0; index < sizeof objects / sizeof objects[0]; index++) {
        const pinview_value argument = pinview_value_object(objects[index]);
        pinview_predicate *given = NULL, *again = NULL;
        OK(pinview_predicate_create(TEXT("SELF == %@"), &argument, 1, &given, ERROR));
        OK(pinview_predicate_create(pinview_predicate_description(given), NULL, 0, &again, ERROR));
        EXPECT(pinview_predicate_is_equal(given, again));
        pinview_predicate_release(given);
        EXPECT_NUMBER(count_of(context, again), 1);
        pinview_object_release(objects[index]);
    }
    pinview_context_release(context);
    stack_close(&stack);
}

static void variables_are_replaced(void) {
    pinview_predicate *form = predicate("age > $limit", NULL), *filled = NULL, *expected = predicate("age > 7", NULL), *none = NULL;
    pinview_named_value variable = {TEXT("limit"), pinview_value_integer(7)};
    OK(pinview_predicate_substitute(form, &variable, 1, &filled, ERROR));
    EXPECT(pinview_predicate_is_equal(filled, expected));
    FAILS(PINVIEW_ERROR_INVALID_ARGUMENT, pinview_predicate_substitute(form, NULL, 1, &none, ERROR));
    FAILS(PINVIEW_ERROR_BAD_PREDICATE, pinview_predicate_substitute(form, NULL, 0, &none, ERROR));
    EXPECT(none == NULL);
    pinview_predicate_release(form);
    pinview_predicate_release(filled);
    pinview_predicate_release(expected);
}

static void malformed_predicates_are_refused(void) {
    static const char *const wrong[] = {"name ==", "== 3", "", "(name == 'x'", "name == 'x", "name == %@", "name SOUNDSLIKE 'x'", "name == 'x' AND", "%"};
    pinview_predicate *none = NULL;
    pinview_value value = pinview_value_integer(1);
    for (size_t index = 0; index < sizeof wrong / sizeof wrong[0]; index++) {
        FAILS(PINVIEW_ERROR_BAD_PREDICATE, pinview_predicate_create(pinview_text(wrong[index]), NULL, 0, &none, ERROR));
        EXPECT(none == NULL);
    }
    FAILS(PINVIEW_ERROR_BAD_PREDICATE, pinview_predicate_create(TEXT("age == 3"), &value, 1, &none, ERROR)); /* one too many */
    FAILS(PINVIEW_ERROR_INVALID_ARGUMENT, pinview_predicate_create(TEXT("age == %@"), NULL, 1, &none, ERROR));
    value.type = 55;
    FAILS(PINVIEW_ERROR_INVALID_ARGUMENT, pinview_predicate_create(TEXT("age == %@"), &value, 1, &none, ERROR));
    value.type = PINVIEW_VALUE_LIST;
    value.as.list.items = NULL;
    value.as.list.count = 3;
    FAILS(PINVIEW_ERROR_INVALID_ARGUMENT, pinview_predicate_create(TEXT("age IN %@"), &value, 1, &none, ERROR));
    /* A list that contains itself has no end. */
    value.as.list.items = &value;
    value.as.list.count = 1;
    FAILS(PINVIEW_ERROR_INVALID_ARGUMENT, pinview_predicate_create(TEXT("age IN %@"), &value, 1, &none, ERROR));
    EXPECT(none == NULL);
    data_stack stack = stack_in_memory();
    pinview_context *context = context_on(&stack);
    pinview_fetch_request request;
    int64_t count = 0;
    pinview_predicate *unknown = predicate("wings == 2", NULL);
    OK(pinview_fetch_request_init(&request, sizeof request, TEXT("Person"), ERROR));
    request.predicate = unknown;
    FAILS(PINVIEW_ERROR_UNKNOWN_KEY, pinview_context_count(context, &request, &count, ERROR)); /* FET-19 */
    pinview_predicate_release(unknown);
    pinview_context_release(context);
    stack_close(&stack);
}

static const test_case tests[] = {
    {"FET-18: the language finds rows", the_language_finds_rows},
    {"FET-17: values need no care", values_stay_values},
    {"arguments of every kind", arguments_of_every_kind},
    {"predicates write themselves", predicates_write_themselves},
    {"a predicate with an object writes itself as one that finds it", a_predicate_with_an_object_writes_itself},
    {"variables are replaced", variables_are_replaced},
    {"FET-19, ERR-05: malformed predicates are refused", malformed_predicates_are_refused},
};
const test_topic predicates_topic = TOPIC("predicates", tests);
