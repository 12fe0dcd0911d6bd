/* Values of every type are read back unchanged; texts are views. */
#include <math.h>
#include <string.h>

#include "support.h"
#include "topics.h"

static const char everything_json[] =
    "{\"entities\":[{\"name\":\"Everything\",\"attributes\":["
    "{\"name\":\"flag\",\"type\":\"boolean\"},{\"name\":\"small\",\"type\":\"integer16\"},{\"name\":\"middle\",\"type\":\"integer32\"},"
    "{\"name\":\"large\",\"type\":\"integer64\"},{\"name\":\"real\",\"type\":\"double\"},{\"name\":\"single\",\"type\":\"float\"},"
    "{\"name\":\"text\",\"type\":\"string\"},{\"name\":\"bytes\",\"type\":\"binaryData\"},{\"name\":\"time\",\"type\":\"date\"},"
    "{\"name\":\"uuid\",\"type\":\"uuid\"},{\"name\":\"money\",\"type\":\"decimal\"},{\"name\":\"link\",\"type\":\"uri\"}]}]}";

typedef struct {
    pinview_model *model;
    pinview_coordinator *coordinator;
    pinview_context *context;
    pinview_object *object;
} value_scene;

static value_scene set_up(void) {
    value_scene scene = {NULL, NULL, NULL, NULL};
    OK(pinview_model_create_from_json(TEXT(everything_json), &scene.model, ERROR));
    OK(pinview_coordinator_create(scene.model, &scene.coordinator, ERROR));
    OK(pinview_coordinator_add_store(scene.coordinator, TEXT(PINVIEW_STORE_TYPE_SQLITE), pinview_absent(), pinview_text(test_path("v.sqlite")), NULL,
                                     0, NULL, ERROR));
    OK(pinview_context_create(PINVIEW_CONCURRENCY_PRIVATE_QUEUE, &scene.context, ERROR));
    OK(pinview_context_set_coordinator(scene.context, scene.coordinator, ERROR));
    OK(pinview_context_insert_new_object(scene.context, TEXT("Everything"), &scene.object, ERROR));
    return scene;
}

static void tear_down(value_scene *scene) {
    pinview_object_release(scene->object);
    pinview_context_release(scene->context);
    pinview_coordinator_release(scene->coordinator);
    pinview_model_release(scene->model);
}

static int is_same(const pinview_value *left, const pinview_value *right) {
    if (left->type != right->type) return 0;
    switch (left->type) {
    case PINVIEW_VALUE_NULL: return 1;
    case PINVIEW_VALUE_BOOLEAN: return left->as.boolean == right->as.boolean;
    case PINVIEW_VALUE_INTEGER: return left->as.integer == right->as.integer;
    case PINVIEW_VALUE_DOUBLE:
    case PINVIEW_VALUE_DATE: return left->as.real == right->as.real;
    case PINVIEW_VALUE_UUID: return memcmp(left->as.uuid, right->as.uuid, 16) == 0;
    case PINVIEW_VALUE_STRING:
    case PINVIEW_VALUE_DECIMAL:
        return left->as.string.size == right->as.string.size && memcmp(left->as.string.data, right->as.string.data, left->as.string.size) == 0;
    case PINVIEW_VALUE_BINARY:
        return left->as.binary.size == right->as.binary.size &&
               (left->as.binary.size == 0 || memcmp(left->as.binary.data, right->as.binary.data, left->as.binary.size) == 0);
    default: return 0;
    }
}

static pinview_value uuid_value(void) {
    pinview_value value = pinview_value_null();
    value.type = PINVIEW_VALUE_UUID;
    for (int index = 0; index < 16; index++) value.as.uuid[index] = (uint8_t)(index * 16 + 1);
    return value;
}

static pinview_value binary_value(const void *data, size_t size) {
    pinview_value value = pinview_value_null();
    value.type = PINVIEW_VALUE_BINARY;
    value.as.binary.data = data;
    value.as.binary.size = size;
    return value;
}

static pinview_value decimal_value(const char *text) {
    pinview_value value = pinview_value_text(text);
    value.type = PINVIEW_VALUE_DECIMAL;
    return value;
}

/* Set, read back, saved, refreshed and read from the store: the same each time. */
static void expect_round_trip(value_scene *scene, const char *key, pinview_value value) {
    pinview_value out;
    OK(pinview_object_set_value(scene->object, pinview_text(key), &value, ERROR));
    OK(pinview_object_value(scene->object, pinview_text(key), &out, ERROR));
    if (!is_same(&out, &value)) test_failed(__FILE__, __LINE__, "%s: another value in memory", key);
    save(scene->context);
    OK(pinview_context_refresh(scene->context, scene->object, 0, ERROR));
    OK(pinview_context_set_staleness_interval(scene->context, 0, ERROR));
    OK(pinview_object_value(scene->object, pinview_text(key), &out, ERROR));
    if (!is_same(&out, &value)) test_failed(__FILE__, __LINE__, "%s: another value in the store (type %d)", key, (int)out.type);
}

static void every_type_comes_back(void) {
    value_scene scene = set_up();
    static const unsigned char bytes[] = {0, 255, 0, 1, 128};
    expect_round_trip(&scene, "flag", pinview_value_boolean(1));
    expect_round_trip(&scene, "flag", pinview_value_boolean(0));
    expect_round_trip(&scene, "small", pinview_value_integer(-32768));
    expect_round_trip(&scene, "middle", pinview_value_integer(INT32_MAX));
    expect_round_trip(&scene, "large", pinview_value_integer(INT64_MIN));
    expect_round_trip(&scene, "large", pinview_value_integer(INT64_MAX));
    expect_round_trip(&scene, "real", pinview_value_double(0.1));
    expect_round_trip(&scene, "real", pinview_value_double(-INFINITY));
    expect_round_trip(&scene, "single", pinview_value_double(0.5));
    expect_round_trip(&scene, "text", pinview_value_text("Gr\xc3\xbc\xc3\x9f" "e \xf0\x9f\x9a\x97"));
    expect_round_trip(&scene, "text", pinview_value_text(""));
    expect_round_trip(&scene, "bytes", binary_value(bytes, sizeof bytes));
    expect_round_trip(&scene, "time", pinview_value_date(700000000.25));
    expect_round_trip(&scene, "uuid", uuid_value());
    expect_round_trip(&scene, "money", decimal_value("-12.5"));
    expect_round_trip(&scene, "link", pinview_value_text("https://example.org/a?b=c"));
    expect_round_trip(&scene, "text", pinview_value_null());
    tear_down(&scene);
}

static void a_nul_byte_inside_a_text_is_kept(void) {
    value_scene scene = set_up();
    pinview_value value = pinview_value_text("");
    value.as.string.data = "a\0b";
    value.as.string.size = 3;
    expect_round_trip(&scene, "text", value);
    tear_down(&scene);
}

static void empty_text_is_not_nil(void) {
    value_scene scene = set_up();
    pinview_value out;
    pinview_value value = pinview_value_text("");
    OK(pinview_object_set_value(scene.object, TEXT("text"), &value, ERROR));
    OK(pinview_object_value(scene.object, TEXT("text"), &out, ERROR));
    EXPECT_NUMBER(out.type, PINVIEW_VALUE_STRING);
    EXPECT(out.as.string.data != NULL && out.as.string.size == 0);
    EXPECT(pinview_absent().data == NULL && pinview_text(NULL).data == NULL && pinview_text("").data != NULL);
    tear_down(&scene);
}

static void expect_refused(value_scene *scene, const char *key, pinview_value value, pinview_status status) {
    pinview_value before, after;
    OK(pinview_object_value(scene->object, pinview_text(key), &before, ERROR));
    FAILS(status, pinview_object_set_value(scene->object, pinview_text(key), &value, ERROR));
    EXPECT(strstr(last_message(), key) != NULL || status != PINVIEW_ERROR_WRONG_TYPE);
    OK(pinview_object_value(scene->object, pinview_text(key), &after, ERROR));
    EXPECT_NUMBER(after.type, before.type);
}

static void wrong_types_are_refused(void) {
    value_scene scene = set_up();
    expect_refused(&scene, "large", pinview_value_text("seven"), PINVIEW_ERROR_WRONG_TYPE);
    expect_refused(&scene, "small", pinview_value_integer(32768), PINVIEW_ERROR_WRONG_TYPE);
    expect_refused(&scene, "large", pinview_value_double(0.5), PINVIEW_ERROR_WRONG_TYPE);
    expect_refused(&scene, "text", pinview_value_integer(7), PINVIEW_ERROR_WRONG_TYPE);
    expect_refused(&scene, "uuid", pinview_value_text("not a UUID"), PINVIEW_ERROR_WRONG_TYPE);
    expect_refused(&scene, "text", pinview_value_object(scene.object), PINVIEW_ERROR_WRONG_TYPE);
    tear_down(&scene);
}

static void malformed_values_are_refused(void) {
    value_scene scene = set_up();
    pinview_value value = pinview_value_null();
    value.type = 77;
    expect_refused(&scene, "text", value, PINVIEW_ERROR_INVALID_ARGUMENT);
    value.type = -1;
    expect_refused(&scene, "text", value, PINVIEW_ERROR_INVALID_ARGUMENT);
    expect_refused(&scene, "text", pinview_value_text("\xc3("), PINVIEW_ERROR_INVALID_UTF8);
    expect_refused(&scene, "text", pinview_value_text("\xed\xa0\x80"), PINVIEW_ERROR_INVALID_UTF8); /* a surrogate */
    value = pinview_value_text("x");
    value.as.string.data = NULL;
    value.as.string.size = 5;
    expect_refused(&scene, "text", value, PINVIEW_ERROR_INVALID_ARGUMENT);
    value.type = PINVIEW_VALUE_BINARY;
    expect_refused(&scene, "bytes", value, PINVIEW_ERROR_INVALID_ARGUMENT);
    expect_refused(&scene, "money", decimal_value("twelve"), PINVIEW_ERROR_WRONG_TYPE);
    value = pinview_value_null();
    value.type = PINVIEW_VALUE_LIST;
    expect_refused(&scene, "text", value, PINVIEW_ERROR_WRONG_TYPE);
    value.type = PINVIEW_VALUE_OBJECT_ID;
    value.as.object_id = (pinview_object_id *)scene.object;
    expect_refused(&scene, "text", value, PINVIEW_ERROR_INVALID_HANDLE);
    FAILS(PINVIEW_ERROR_INVALID_ARGUMENT, pinview_object_set_value(scene.object, TEXT("text"), NULL, ERROR));
    tear_down(&scene);
}

/* Whether SQL and memory both find that the scene's only object satisfies a condition. */
static int holds(value_scene *scene, const char *format) {
    pinview_predicate *condition = NULL;
    pinview_fetch_request request;
    int64_t count = 0;
    int in_memory = 0;
    OK(pinview_predicate_create(pinview_text(format), NULL, 0, &condition, ERROR));
    OK(pinview_fetch_request_init(&request, sizeof request, TEXT("Everything"), ERROR));
    request.predicate = condition;
    OK(pinview_context_count(scene->context, &request, &count, ERROR));
    OK(pinview_predicate_evaluate(condition, scene->object, &in_memory, ERROR));
    if (in_memory != (int)count) test_failed(__FILE__, __LINE__, "%s is %d in SQL, but %d in memory", format, (int)count, in_memory);
    pinview_predicate_release(condition);
    return in_memory;
}

/* SQLite compares integers with reals as long doubles, which valgrind computes with 53 bits. */
static int has_exact_long_doubles(void) {
    volatile long double number = (long double)((int64_t)1 << 60);
    return number + 1 != number;
}

static void numbers_compare_by_their_exact_values(void) {
    if (!has_exact_long_doubles()) return;
    value_scene scene = set_up();
    pinview_value large = pinview_value_integer(((int64_t)1 << 60) + 1), real = pinview_value_integer(0), money = decimal_value("1152921504606846976");
    real.type = PINVIEW_VALUE_DOUBLE;
    real.as.real = 1152921504606846976.0;
    OK(pinview_object_set_value(scene.object, TEXT("large"), &large, ERROR));
    OK(pinview_object_set_value(scene.object, TEXT("real"), &real, ERROR));
    OK(pinview_object_set_value(scene.object, TEXT("money"), &money, ERROR));
    OK(pinview_context_save(scene.context, ERROR));
    EXPECT(holds(&scene, "real == money"));
    EXPECT(!holds(&scene, "real > money"));
    EXPECT(holds(&scene, "large > real") && holds(&scene, "large > money") && !holds(&scene, "large == real"));
    EXPECT(holds(&scene, "large - 1 == real") && holds(&scene, "money + 1 == large") && holds(&scene, "real IN {money}"));
    tear_down(&scene);
}

static const test_case tests[] = {
    {"FET-18: numbers compare by their exact values, in SQL as in memory", numbers_compare_by_their_exact_values},
    {"values of every type come back from memory and store as they went in", every_type_comes_back},
    {"a NUL byte inside a text is kept", a_nul_byte_inside_a_text_is_kept},
    {"an empty text is a text, an absent one is nil", empty_text_is_not_nil},
    {"STO-19: a value of a wrong type or out of range is refused and changes nothing", wrong_types_are_refused},
    {"ERR-05: a value that is none is refused", malformed_values_are_refused},
};
const test_topic values_topic = TOPIC("values", tests);
