/* Rows of values instead of objects, explanations, orders of texts, and predicates and expressions
 * as values. */
#include <string.h>

#include "support.h"
#include "topics.h"

typedef struct {
    data_stack stack;
    pinview_context *context;
    pinview_buffer *buffer;
    pinview_fetch_request request;
} request_scene;

/* dave0 to dave3, aged 20 to 23, each with a car. */
static request_scene set_up(void) {
    request_scene scene;
    memset(&scene, 0, sizeof scene);
    scene.stack = stack_open("r.sqlite");
    add_daves(&scene.stack, 0, 4);
    scene.context = context_on(&scene.stack);
    OK(pinview_buffer_create(&scene.buffer, ERROR));
    OK(pinview_fetch_request_init(&scene.request, sizeof scene.request, TEXT("Person"), ERROR));
    scene.request.result_type = PINVIEW_RESULT_DICTIONARIES;
    return scene;
}

static void tear_down(request_scene *scene) {
    pinview_buffer_release(scene->buffer);
    pinview_context_release(scene->context);
    stack_close(&scene->stack);
}

static pinview_named_expression computed(const char *name, const char *format) {
    pinview_named_expression value;
    memset(&value, 0, sizeof value);
    value.name = TEXT(name);
    if (format != NULL) value.format = TEXT(format);
    return value;
}

/* The values of the first rows, column after column of each. */
static void read_rows(request_scene *scene, size_t rows, int32_t columns, pinview_value *values) {
    static const int32_t indexes[] = {0, 1, 2, 3};
    pinview_result *result = NULL;
    OK(pinview_context_fetch(scene->context, &scene->request, &result, ERROR));
    EXPECT_NUMBER(pinview_result_get_type(result), PINVIEW_RESULT_DICTIONARIES);
    EXPECT_NUMBER(pinview_result_count(result), rows);
    EXPECT_NUMBER(pinview_result_column_count(result), columns);
    OK(pinview_result_values(result, 0, rows, indexes, (size_t)columns, scene->buffer, values, ERROR));
    pinview_result_release(result);
}

static void rows_of_named_values(void) {
    request_scene scene = set_up();
    pinview_value values[16];
    pinview_sort_descriptor by_age = {TEXT("age"), 1, PINVIEW_COMPARATOR_BINARY};
    const pinview_named_expression properties[] = {computed("name", NULL), computed("twice", "age * 2"), computed("cars", "cars.@count")};
    scene.request.properties = properties;
    scene.request.property_count = 3;
    scene.request.sort_descriptors = &by_age;
    scene.request.sort_descriptor_count = 1;
    scene.request.limit = 2;
    read_rows(&scene, 2, 3, values); /* FET-21 */
    EXPECT_TEXT(values[0].as.string, "dave3");
    EXPECT_NUMBER(values[1].as.integer, 46);
    EXPECT_NUMBER(values[2].as.integer, 1);
    EXPECT_TEXT(values[3].as.string, "dave2");
    scene.request.property_count = 0;
    scene.request.limit = 1;
    read_rows(&scene, 1, 2, values); /* all attributes */
    pinview_result *result = NULL;
    pinview_object *object = NULL;
    pinview_object_id *id = NULL;
    const int32_t none = 7;
    OK(pinview_context_fetch(scene.context, &scene.request, &result, ERROR));
    EXPECT_TEXT(pinview_result_column_name(result, 0), "name");
    EXPECT_TEXT(pinview_result_column_name(result, 2), NULL);
    FAILS(PINVIEW_ERROR_WRONG_TYPE, pinview_result_object(result, 0, &object, ERROR));
    FAILS(PINVIEW_ERROR_WRONG_TYPE, pinview_result_object_id(result, 0, &id, ERROR));
    FAILS(PINVIEW_ERROR_INVALID_ARGUMENT, pinview_result_values(result, 0, 1, &none, 1, scene.buffer, values, ERROR));
    FAILS(PINVIEW_ERROR_INVALID_ARGUMENT, pinview_result_values(result, 0, 2, &none, 0, scene.buffer, values, ERROR));
    pinview_result_release(result);
    tear_down(&scene);
}

static void groups_and_distinct_rows(void) {
    request_scene scene = set_up();
    pinview_value values[16];
    pinview_sort_descriptor by_sum = {TEXT("sum"), 0, PINVIEW_COMPARATOR_BINARY};
    pinview_expression *half = NULL;
    const pinview_value two = pinview_value_integer(2);
    OK(pinview_expression_create(TEXT("age / %@"), &two, 1, &half, ERROR));
    pinview_named_expression properties[] = {computed("half", NULL), computed("count", "count:(SELF)"), computed("sum", "sum:(age)")};
    properties[0].expression = half;
    const pinview_string groups[] = {TEXT("half")};
    scene.request.properties = properties;
    scene.request.property_count = 3;
    scene.request.group_by = groups;
    scene.request.group_by_count = 1;
    scene.request.sort_descriptors = &by_sum;
    scene.request.sort_descriptor_count = 1;
    read_rows(&scene, 2, 3, values);
    EXPECT_NUMBER(values[0].as.integer, 10);
    EXPECT_NUMBER(values[1].as.integer, 2);
    EXPECT_NUMBER(values[2].as.integer, 41);
    EXPECT_NUMBER(values[5].as.integer, 45);
    pinview_predicate *large = predicate("sum:(age) > 42", NULL);
    scene.request.having = large;
    read_rows(&scene, 1, 3, values);
    EXPECT_NUMBER(values[2].as.integer, 45);
    pinview_predicate *by_name = predicate("sum > 42 AND half < 100", NULL);
    scene.request.having = by_name;
    read_rows(&scene, 1, 3, values);
    EXPECT_NUMBER(values[2].as.integer, 45);
    pinview_predicate *of_rows = predicate("age > 1", NULL);
    scene.request.having = of_rows;
    pinview_result *none = NULL;
    FAILS(PINVIEW_ERROR_INVALID_ARGUMENT, pinview_context_fetch(scene.context, &scene.request, &none, ERROR));
    EXPECT(none == NULL);
    pinview_predicate_release(by_name);
    pinview_predicate_release(of_rows);
    scene.request.having = NULL;
    scene.request.group_by_count = 0;
    scene.request.property_count = 1;
    scene.request.sort_descriptor_count = 0;
    read_rows(&scene, 4, 1, values);
    scene.request.flags |= PINVIEW_FETCH_RETURNS_DISTINCT;
    read_rows(&scene, 2, 1, values);
    scene.request.having = large;
    pinview_result *result = NULL;
    FAILS(PINVIEW_ERROR_INVALID_ARGUMENT, pinview_context_fetch(scene.context, &scene.request, &result, ERROR));
    scene.request.having = NULL;
    properties[0] = computed("wings", NULL);
    FAILS(PINVIEW_ERROR_UNKNOWN_KEY, pinview_context_fetch(scene.context, &scene.request, &result, ERROR));
    properties[0] = computed("x", "age +");
    FAILS(PINVIEW_ERROR_BAD_PREDICATE, pinview_context_fetch(scene.context, &scene.request, &result, ERROR));
    EXPECT(result == NULL);
    pinview_predicate_release(large);
    pinview_expression_release(half);
    tear_down(&scene);
}

static void statements_are_explained(void) {
    request_scene scene = set_up();
    static pinview_value values[3 * 16];
    static const int32_t indexes[] = {0, 1, 2};
    pinview_predicate *older = predicate("name == %@ AND age > 21", "o'x");
    pinview_result *result = NULL;
    scene.request.result_type = PINVIEW_RESULT_OBJECTS;
    scene.request.predicate = older;
    OK(pinview_context_explain(scene.context, &scene.request, &result, ERROR));
    const uint64_t rows = pinview_result_count(result);
    REQUIRE(rows >= 4 && rows <= 16);
    OK(pinview_result_values(result, 0, rows, indexes, 3, scene.buffer, values, ERROR));
    EXPECT_TEXT(values[0].as.string, pinview_store_identifier(scene.stack.store).data);
    EXPECT_TEXT(values[1].as.string, "sql");
    EXPECT(strstr(values[2].as.string.data, "SELECT") != NULL);
    EXPECT_TEXT(values[4].as.string, "value");
    EXPECT_TEXT(values[5].as.string, "'o''x'");
    EXPECT_TEXT(values[3 * (rows - 1) + 1].as.string, "plan");
    pinview_result_release(result);
    pinview_predicate_release(older);
    tear_down(&scene);
}

static void orders_of_texts(void) {
    request_scene scene = set_up();
    pinview_value values[8];
    static const char *const names[] = {"file10", "File9", "file1", "file9"};
    for (size_t index = 0; index < 4; index++) pinview_object_release(insert_object(scene.context, "Car", names[index]));
    save(scene.context);
    static const struct {
        int32_t comparator;
        const char *first, *last;
    } orders[] = {
        {PINVIEW_COMPARATOR_BINARY, "File9", "file9"},
        {PINVIEW_COMPARATOR_CASE_INSENSITIVE, "file1", NULL},
        {PINVIEW_COMPARATOR_NUMERIC, "File9", "file10"},
        {PINVIEW_COMPARATOR_LOCALIZED, NULL, NULL},
        {PINVIEW_COMPARATOR_LOCALIZED_CASE_INSENSITIVE, "file1", NULL},
        {PINVIEW_COMPARATOR_LOCALIZED_STANDARD, "file1", "file10"},
    };
    pinview_sort_descriptor order = {TEXT("name"), 0, 0};
    pinview_named_expression name = computed("name", NULL);
    pinview_predicate *files = predicate("name BEGINSWITH[c] 'file'", NULL);
    scene.request.entity = TEXT("Car");
    scene.request.predicate = files;
    scene.request.properties = &name;
    scene.request.property_count = 1;
    scene.request.sort_descriptors = &order;
    scene.request.sort_descriptor_count = 1;
    for (size_t index = 0; index < sizeof orders / sizeof orders[0]; index++) {
        order.comparator = orders[index].comparator;
        read_rows(&scene, 4, 1, values); /* FET-12 */
        if (orders[index].first != NULL) EXPECT_TEXT(values[0].as.string, orders[index].first);
        if (orders[index].last != NULL) EXPECT_TEXT(values[3].as.string, orders[index].last);
    }
    pinview_result *result = NULL;
    order.comparator = 6;
    FAILS(PINVIEW_ERROR_INVALID_ARGUMENT, pinview_context_fetch(scene.context, &scene.request, &result, ERROR));
    order.comparator = PINVIEW_COMPARATOR_NUMERIC;
    order.key_path = TEXT("owner.age");
    FAILS(PINVIEW_ERROR_INVALID_ARGUMENT, pinview_context_fetch(scene.context, &scene.request, &result, ERROR));
    pinview_predicate_release(files);
    tear_down(&scene);
}

static pinview_expression *key_path(const char *path) {
    pinview_expression *made = NULL;
    OK(pinview_expression_create_key_path(TEXT(path), &made, ERROR));
    return made;
}

static pinview_expression *constant(pinview_value value) {
    pinview_expression *made = NULL;
    OK(pinview_expression_create_constant(&value, &made, ERROR));
    return made;
}

/* Takes the sides over. */
static pinview_predicate *compare(pinview_expression *left, int32_t operator, pinview_expression *right, int32_t modifier, uint32_t options) {
    pinview_predicate *made = NULL;
    OK(pinview_predicate_create_comparison(left, operator, right, modifier, options, &made, ERROR));
    pinview_expression_release(left);
    pinview_expression_release(right);
    return made;
}

static void predicates_are_built(void) {
    request_scene scene = set_up();
    pinview_predicate *parts[2], *both = NULL, *neither = NULL, *parsed = NULL, *made = NULL;
    const pinview_value bounds[] = {pinview_value_integer(21), pinview_value_integer(23)};
    pinview_value list = pinview_value_null();
    list.type = PINVIEW_VALUE_LIST;
    list.as.list.items = bounds;
    list.as.list.count = 2;
    parts[0] = compare(key_path("age"), PINVIEW_OPERATOR_BETWEEN, constant(list), PINVIEW_MODIFIER_DIRECT, 0);
    parts[1] = compare(key_path("cars.name"), PINVIEW_OPERATOR_ENDS_WITH, constant(pinview_value_text("R2")), PINVIEW_MODIFIER_ANY,
                       PINVIEW_COMPARE_CASE_INSENSITIVE | PINVIEW_COMPARE_DIACRITIC_INSENSITIVE);
    const pinview_predicate *const borrowed[] = {parts[0], parts[1]};
    OK(pinview_predicate_create_compound(PINVIEW_COMPOUND_AND, borrowed, 2, &both, ERROR));
    EXPECT_TEXT(pinview_predicate_description(both), "age BETWEEN {21, 23} AND ANY cars.name ENDSWITH[cd] \"R2\"");
    OK(pinview_predicate_create(pinview_predicate_description(both), NULL, 0, &parsed, ERROR));
    EXPECT_NUMBER(pinview_predicate_is_equal(both, parsed), 1);
    EXPECT_NUMBER(pinview_predicate_is_equal(both, parts[0]), 0);
    const pinview_predicate *const whole[] = {both};
    OK(pinview_predicate_create_compound(PINVIEW_COMPOUND_NOT, whole, 1, &neither, ERROR));
    int64_t count = 0;
    scene.request.predicate = both;
    OK(pinview_context_count(scene.context, &scene.request, &count, ERROR));
    EXPECT_NUMBER(count, 1);
    scene.request.predicate = neither;
    OK(pinview_context_count(scene.context, &scene.request, &count, ERROR));
    EXPECT_NUMBER(count, 3);
    pinview_object *dave = one_named(scene.context, "Person", "dave2");
    int32_t holds = 7;
    OK(pinview_predicate_evaluate(both, dave, &holds, ERROR));
    EXPECT_NUMBER(holds, 1);
    set_integer(dave, "age", 50);
    OK(pinview_predicate_evaluate(both, dave, &holds, ERROR));
    EXPECT_NUMBER(holds, 0);
    OK(pinview_predicate_create_constant(1, &made, ERROR));
    EXPECT_TEXT(pinview_predicate_description(made), "TRUEPREDICATE");
    pinview_predicate_release(made);
    OK(pinview_predicate_create_compound(PINVIEW_COMPOUND_OR, NULL, 0, &made, ERROR));
    EXPECT_TEXT(pinview_predicate_description(made), "FALSEPREDICATE");
    pinview_predicate_release(made);
    FAILS(PINVIEW_ERROR_INVALID_ARGUMENT, pinview_predicate_create_compound(PINVIEW_COMPOUND_NOT, borrowed, 2, &made, ERROR));
    FAILS(PINVIEW_ERROR_INVALID_ARGUMENT, pinview_predicate_create_compound(3, borrowed, 2, &made, ERROR));
    pinview_expression *age = key_path("age");
    FAILS(PINVIEW_ERROR_INVALID_ARGUMENT, pinview_predicate_create_comparison(age, 11, age, 0, 0, &made, ERROR));
    FAILS(PINVIEW_ERROR_INVALID_ARGUMENT, pinview_predicate_create_comparison(age, 4, age, 4, 0, &made, ERROR));
    FAILS(PINVIEW_ERROR_INVALID_ARGUMENT, pinview_predicate_create_comparison(age, 4, age, -1, 0, &made, ERROR));
    FAILS(PINVIEW_ERROR_INVALID_ARGUMENT, pinview_predicate_create_comparison(age, 4, age, 0, 16, &made, ERROR));
    EXPECT(made == NULL);
    pinview_expression_release(age);
    pinview_object_release(dave);
    for (int index = 0; index < 2; index++) pinview_predicate_release(parts[index]);
    pinview_predicate_release(both);
    pinview_predicate_release(neither);
    pinview_predicate_release(parsed);
    tear_down(&scene);
}

static void expressions_are_built(void) {
    request_scene scene = set_up();
    pinview_expression *made = NULL, *age = key_path("age"), *cars = key_path("cars"), *self = key_path(""), *list = NULL, *sum = NULL, *text = NULL;
    pinview_expression *variable = NULL, *subquery = NULL, *count = NULL, *conditional = NULL;
    EXPECT_TEXT(pinview_expression_description(self), "SELF");
    const pinview_expression *const parts[] = {age, age};
    OK(pinview_expression_create_aggregate(parts, 2, &list, ERROR));
    EXPECT_TEXT(pinview_expression_description(list), "{age, age}");
    OK(pinview_expression_create_function(TEXT("add:to:"), parts, 2, &sum, ERROR));
    OK(pinview_expression_create(TEXT("age + age"), NULL, 0, &made, ERROR));
    EXPECT_NUMBER(pinview_expression_is_equal(sum, made), 1);
    EXPECT_NUMBER(pinview_expression_is_equal(sum, age), 0);
    pinview_expression_release(made);
    OK(pinview_expression_create_cast(sum, TEXT("NSString"), &text, ERROR));
    OK(pinview_expression_create_variable(TEXT("car"), TEXT("name"), &variable, ERROR));
    pinview_predicate *named = compare(variable, PINVIEW_OPERATOR_CONTAINS, constant(pinview_value_text("2")), 0, 0);
    OK(pinview_expression_create_subquery(cars, TEXT("car"), named, &subquery, ERROR));
    const pinview_expression *const members[] = {subquery};
    OK(pinview_expression_create_function(TEXT("count"), members, 1, &count, ERROR));
    EXPECT_TEXT(pinview_expression_description(count), "SUBQUERY(cars, $car, $car.name CONTAINS \"2\").@count");
    pinview_predicate *old = predicate("age > 21", NULL);
    OK(pinview_expression_create_conditional(old, count, age, &conditional, ERROR));
    pinview_object *dave = one_named(scene.context, "Person", "dave2");
    pinview_value value;
    OK(pinview_expression_evaluate(text, dave, scene.buffer, &value, ERROR));
    EXPECT_TEXT(value.as.string, "44");
    OK(pinview_expression_evaluate(conditional, dave, scene.buffer, &value, ERROR));
    EXPECT_NUMBER(value.as.integer, 1);
    OK(pinview_expression_evaluate(self, dave, scene.buffer, &value, ERROR));
    EXPECT_NUMBER(value.type, PINVIEW_VALUE_OBJECT_ID);
    made = NULL;
    FAILS(PINVIEW_ERROR_BAD_PREDICATE, pinview_expression_evaluate(cars, dave, scene.buffer, &value, ERROR));
    FAILS(PINVIEW_ERROR_BAD_PREDICATE, pinview_expression_create_function(TEXT("frobnicate"), parts, 2, &made, ERROR));
    FAILS(PINVIEW_ERROR_BAD_PREDICATE, pinview_expression_create_function(TEXT("abs:"), parts, 2, &made, ERROR));
    FAILS(PINVIEW_ERROR_BAD_PREDICATE, pinview_expression_create_cast(age, TEXT("NSFoo"), &made, ERROR));
    FAILS(PINVIEW_ERROR_BAD_PREDICATE, pinview_expression_create(TEXT("age +"), NULL, 0, &made, ERROR));
    EXPECT(made == NULL);
    EXPECT_NUMBER(pinview_expression_retain(age), PINVIEW_OK);
    pinview_expression_release(age);
    pinview_expression *const used[] = {age, cars, self, list, sum, text, subquery, count, conditional};
    for (size_t index = 0; index < sizeof used / sizeof used[0]; index++) EXPECT_NUMBER(pinview_expression_release(used[index]), PINVIEW_OK);
    pinview_predicate_release(named);
    pinview_predicate_release(old);
    pinview_object_release(dave);
    tear_down(&scene);
}

static pinview_object *first_of(request_scene *scene) {
    pinview_result *result = NULL;
    pinview_object *object = NULL;
    OK(pinview_context_fetch(scene->context, &scene->request, &result, ERROR));
    OK(pinview_result_object(result, 0, &object, ERROR));
    pinview_result_release(result);
    return object;
}

static void what_comes_along(void) {
    request_scene scene = set_up();
    const pinview_sort_descriptor by_name = {TEXT("name"), 0, PINVIEW_COMPARATOR_BINARY};
    const pinview_string cars = TEXT("cars");
    scene.request.result_type = PINVIEW_RESULT_OBJECTS;
    scene.request.sort_descriptors = &by_name;
    scene.request.sort_descriptor_count = 1;
    pinview_object *dave = first_of(&scene);
    EXPECT(state_of(dave) & PINVIEW_OBJECT_FAULT);
    scene.request.flags &= ~PINVIEW_FETCH_RETURNS_FAULTS;
    pinview_object_release(first_of(&scene));
    EXPECT(!(state_of(dave) & PINVIEW_OBJECT_FAULT));
    pinview_object_release(dave);
    OK(pinview_context_reset(scene.context, ERROR));
    scene.request.flags |= PINVIEW_FETCH_OMITS_VALUES | PINVIEW_FETCH_RETURNS_FAULTS;
    dave = first_of(&scene);
    EXPECT(state_of(dave) & PINVIEW_OBJECT_FAULT);
    EXPECT_TEXT(text_of(dave, "name"), "dave0");
    pinview_object_release(dave);
    scene.request.flags &= ~PINVIEW_FETCH_OMITS_VALUES;
    scene.request.prefetched_key_paths = &cars;
    scene.request.prefetched_key_path_count = 1;
    dave = first_of(&scene);
    EXPECT_NUMBER(members_of(dave, "cars"), 1);
    pinview_object_release(dave);
    scene.request.prefetched_key_path_count = 0;
    scene.request.batch_size = 2;
    dave = first_of(&scene);
    EXPECT_TEXT(text_of(dave, "name"), "dave0");
    pinview_object_release(dave);
    tear_down(&scene);
}

static const test_case tests[] = {
    {"rows of named values (FET-21)", rows_of_named_values},
    {"groups and distinct rows (FET-21)", groups_and_distinct_rows},
    {"FET-13, FET-21: faults, values, prefetched relationships and pages", what_comes_along},
    {"statements are explained", statements_are_explained},
    {"orders of texts (FET-12)", orders_of_texts},
    {"predicates are built part by part, printed, compared and judge objects", predicates_are_built},
    {"expressions are built part by part, printed, compared and computed", expressions_are_built},
};

const test_topic requests_topic = TOPIC("requests", tests);
