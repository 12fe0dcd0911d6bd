/* Objects: faults, values one by one and in bulk, committed values, user errors. */
#include <string.h>

#include "support.h"
#include "topics.h"

typedef struct {
    data_stack stack;
    pinview_context *context;
    pinview_object *dave;
    pinview_entity *person;
    int32_t name, age, cars;
} object_scene;

static object_scene set_up(void) {
    object_scene scene;
    memset(&scene, 0, sizeof scene);
    scene.stack = stack_open("o.sqlite");
    add_daves(&scene.stack, 0, 3);
    scene.context = context_on(&scene.stack);
    scene.dave = one_named(scene.context, "Person", "dave1");
    OK(pinview_object_entity(scene.dave, &scene.person, ERROR));
    OK(pinview_entity_property_index(scene.person, TEXT("name"), &scene.name, ERROR));
    OK(pinview_entity_property_index(scene.person, TEXT("age"), &scene.age, ERROR));
    OK(pinview_entity_property_index(scene.person, TEXT("cars"), &scene.cars, ERROR));
    return scene;
}

static void tear_down(object_scene *scene) {
    pinview_entity_release(scene->person);
    pinview_object_release(scene->dave);
    pinview_context_release(scene->context);
    stack_close(&scene->stack);
}

static void reading_fires_a_fault(void) {
    object_scene scene = set_up();
    pinview_object_id *id = NULL;
    pinview_context *context = NULL;
    EXPECT_NUMBER(state_of(scene.dave), PINVIEW_OBJECT_FAULT); /* FLT-01 */
    OK(pinview_object_get_id(scene.dave, &id, ERROR));
    OK(pinview_object_context(scene.dave, &context, ERROR));
    EXPECT(pinview_context_is_equal(context, scene.context));
    EXPECT_NUMBER(state_of(scene.dave), PINVIEW_OBJECT_FAULT); /* FLT-04 */
    EXPECT_NUMBER(integer_of(scene.dave, "age"), 21);
    EXPECT_NUMBER(state_of(scene.dave), 0); /* FLT-03 */
    OK(pinview_context_refresh(scene.context, scene.dave, 0, ERROR));
    EXPECT_NUMBER(state_of(scene.dave), PINVIEW_OBJECT_FAULT); /* FLT-07 */
    pinview_object_id_release(id);
    pinview_context_release(context);
    tear_down(&scene);
}

static void keys_and_indexes_read_the_same(void) {
    object_scene scene = set_up();
    pinview_value value;
    OK(pinview_object_value_at(scene.dave, scene.name, &value, ERROR));
    EXPECT_TEXT(value.as.string, "dave1");
    value = pinview_value_integer(33);
    OK(pinview_object_set_value_at(scene.dave, scene.age, &value, ERROR));
    EXPECT_NUMBER(integer_of(scene.dave, "age"), 33);
    OK(pinview_object_committed_value(scene.dave, TEXT("age"), &value, ERROR));
    EXPECT_NUMBER(value.as.integer, 21);
    EXPECT_NUMBER(state_of(scene.dave), PINVIEW_OBJECT_UPDATED | PINVIEW_OBJECT_HAS_PERSISTENT_CHANGES); /* CTX-20 */
    tear_down(&scene);
}

static void unknown_properties_are_refused(void) {
    object_scene scene = set_up();
    pinview_value value = pinview_value_integer(1);
    static const int32_t wrong[] = {-1, 99, INT32_MAX, INT32_MIN};
    FAILS(PINVIEW_ERROR_UNKNOWN_KEY, pinview_object_set_value(scene.dave, TEXT("wings"), &value, ERROR));
    EXPECT(strstr(last_message(), "wings") != NULL && strstr(last_message(), "Person") != NULL);
    FAILS(PINVIEW_ERROR_UNKNOWN_KEY, pinview_object_value(scene.dave, TEXT(""), &value, ERROR));
    EXPECT_NUMBER(value.type, PINVIEW_VALUE_NULL);
    FAILS(PINVIEW_ERROR_UNKNOWN_KEY, pinview_object_committed_value(scene.dave, TEXT("wings"), &value, ERROR));
    for (size_t index = 0; index < sizeof wrong / sizeof wrong[0]; index++) {
        value = pinview_value_integer(1);
        EXPECT(pinview_object_set_value_at(scene.dave, wrong[index], &value, ERROR) != PINVIEW_OK);
        EXPECT(pinview_object_value_at(scene.dave, wrong[index], &value, ERROR) != PINVIEW_OK);
        EXPECT_NUMBER(value.type, PINVIEW_VALUE_NULL);
    }
    tear_down(&scene);
}

static void many_values_in_one_call(void) {
    object_scene scene = set_up();
    pinview_buffer *buffer = NULL;
    pinview_value values[3];
    const int32_t indexes[] = {scene.age, scene.name, scene.age};
    OK(pinview_buffer_create(&buffer, ERROR));
    OK(pinview_object_values(scene.dave, indexes, 3, buffer, values, ERROR));
    EXPECT_NUMBER(values[0].as.integer, 21);
    EXPECT_TEXT(values[1].as.string, "dave1");
    EXPECT_NUMBER(values[2].as.integer, 21);
    OK(pinview_object_values(scene.dave, NULL, 0, buffer, NULL, ERROR));
    const int32_t to_many[] = {scene.name, scene.cars}, wrong[] = {scene.name, 99};
    FAILS(PINVIEW_ERROR_WRONG_TYPE, pinview_object_values(scene.dave, to_many, 2, buffer, values, ERROR));
    EXPECT(pinview_object_values(scene.dave, wrong, 2, buffer, values, ERROR) != PINVIEW_OK);
    FAILS(PINVIEW_ERROR_INVALID_ARGUMENT, pinview_object_values(scene.dave, NULL, 2, buffer, values, ERROR));
    FAILS(PINVIEW_ERROR_INVALID_ARGUMENT, pinview_object_values(scene.dave, indexes, 2, buffer, NULL, ERROR));
    FAILS(PINVIEW_ERROR_INVALID_ARGUMENT, pinview_object_values(scene.dave, indexes, SIZE_MAX, buffer, values, ERROR));
    EXPECT_NUMBER(pinview_buffer_retain(buffer), PINVIEW_OK);
    pinview_buffer_release(buffer);
    pinview_buffer_release(buffer);
    tear_down(&scene);
}

static void values_of_many_objects_in_one_call(void) {
    object_scene scene = set_up();
    pinview_object *first = one_named(scene.context, "Person", "dave0"), *changed = one_named(scene.context, "Person", "dave2");
    pinview_object *new_one = insert_object(scene.context, "Person", "Zo\xc3\xab");
    pinview_object *objects[] = {first, scene.dave, NULL, changed, new_one};
    const int32_t indexes[] = {scene.name, scene.age}, wrong[] = {scene.name, 99};
    pinview_value age = pinview_value_integer(99), values[10];
    pinview_buffer *buffer = NULL;
    OK(pinview_object_set_value_at(changed, scene.age, &age, ERROR));
    OK(pinview_buffer_create(&buffer, ERROR));

    OK(pinview_objects_values(objects, 5, indexes, 2, buffer, values, ERROR));

    EXPECT_TEXT(values[0].as.string, "dave0");
    EXPECT_NUMBER(values[1].as.integer, 20);
    EXPECT_TEXT(values[2].as.string, "dave1");
    EXPECT_NUMBER(values[3].as.integer, 21);
    EXPECT_NUMBER(values[4].type, PINVIEW_VALUE_NULL);
    EXPECT_NUMBER(values[5].type, PINVIEW_VALUE_NULL);
    EXPECT_TEXT(values[6].as.string, "dave2");
    EXPECT_NUMBER(values[7].as.integer, 99);
    EXPECT_TEXT(values[8].as.string, "Zo\xc3\xab");
    /* Numbers alone, until an object has more than its row. */
    OK(pinview_objects_values(objects, 5, &scene.age, 1, buffer, values, ERROR));
    EXPECT_NUMBER(values[0].as.integer, 20);
    EXPECT_NUMBER(values[1].as.integer, 21);
    EXPECT_NUMBER(values[2].type, PINVIEW_VALUE_NULL);
    EXPECT_NUMBER(values[3].as.integer, 99);
    EXPECT_NUMBER(values[4].type, PINVIEW_VALUE_INTEGER);
    EXPECT_NUMBER(values[4].as.integer, 0);
    OK(pinview_objects_values(NULL, 0, indexes, 2, buffer, NULL, ERROR));
    OK(pinview_objects_values(objects, 5, NULL, 0, buffer, NULL, ERROR));
    FAILS(PINVIEW_ERROR_UNKNOWN_KEY, pinview_objects_values(objects, 5, wrong, 2, buffer, values, ERROR));
    FAILS(PINVIEW_ERROR_INVALID_ARGUMENT, pinview_objects_values(NULL, 5, indexes, 2, buffer, values, ERROR));
    FAILS(PINVIEW_ERROR_INVALID_ARGUMENT, pinview_objects_values(objects, SIZE_MAX, indexes, 2, buffer, values, ERROR));
    FAILS(PINVIEW_ERROR_INVALID_ARGUMENT, pinview_objects_values(objects, 5, indexes, 2, buffer, NULL, ERROR));
    FAILS(PINVIEW_ERROR_INVALID_HANDLE, pinview_objects_values(objects, 5, indexes, 2, NULL, values, ERROR));
    pinview_object_release(new_one);
    FAILS(PINVIEW_ERROR_INVALID_HANDLE, pinview_objects_values(objects, 5, indexes, 2, buffer, values, ERROR));
    pinview_object_release(first);
    pinview_object_release(changed);
    pinview_buffer_release(buffer);
    tear_down(&scene);
}

/* Texts belong to a handle: neither another property nor another handle of the same object ends
 * them. */
static void texts_last_until_the_same_property_is_asked_again(void) {
    object_scene scene = set_up();
    pinview_object *car = one_named(scene.context, "Car", "car1"), *other = one_named(scene.context, "Person", "dave1");
    pinview_value name, name_of_other, again, owner, longer;
    char text[600];
    memset(text, 'x', sizeof text);
    OK(pinview_object_value(scene.dave, TEXT("name"), &name, ERROR));
    OK(pinview_object_value(other, TEXT("name"), &name_of_other, ERROR));
    EXPECT_TEXT(name_of_other.as.string, "dave1");
    OK(pinview_object_value(car, TEXT("owner"), &owner, ERROR));
    EXPECT_NUMBER(owner.type, PINVIEW_VALUE_OBJECT_ID);
    OK(pinview_object_value(car, TEXT("name"), &again, ERROR));
    EXPECT_TEXT(again.as.string, "car1");
    EXPECT(pinview_object_id_uri(owner.as.object_id).size > 0);

    longer = pinview_value_text("");
    longer.as.string = (pinview_string){text, sizeof text};
    OK(pinview_object_set_value(other, TEXT("name"), &longer, ERROR));
    OK(pinview_object_value(other, TEXT("name"), &again, ERROR));

    EXPECT_NUMBER(again.as.string.size, sizeof text);
    EXPECT_NUMBER(again.as.string.data[sizeof text], 0);
    EXPECT_TEXT(name.as.string, "dave1");
    pinview_object_release(other);
    pinview_object_release(car);
    tear_down(&scene);
}

static void to_one_relationships_read_as_ids(void) {
    object_scene scene = set_up();
    pinview_object *car = one_named(scene.context, "Car", "car1"), *free_car = insert_object(scene.context, "Car", "free");
    pinview_value value;
    pinview_object_id *id = NULL;
    OK(pinview_object_get_id(scene.dave, &id, ERROR));
    OK(pinview_object_value(car, TEXT("owner"), &value, ERROR));
    EXPECT_NUMBER(value.type, PINVIEW_VALUE_OBJECT_ID);
    EXPECT(pinview_object_id_is_equal(value.as.object_id, id));
    OK(pinview_object_value(free_car, TEXT("owner"), &value, ERROR));
    EXPECT_NUMBER(value.type, PINVIEW_VALUE_NULL);
    value = pinview_value_object(scene.dave);
    OK(pinview_object_set_value(free_car, TEXT("owner"), &value, ERROR)); /* REL-01 */
    EXPECT_NUMBER(members_of(scene.dave, "cars"), 2);
    value = pinview_value_null();
    OK(pinview_object_set_value(free_car, TEXT("owner"), &value, ERROR));
    EXPECT_NUMBER(members_of(scene.dave, "cars"), 1);
    value = pinview_value_object(car);
    FAILS(PINVIEW_ERROR_WRONG_TYPE, pinview_object_set_value(free_car, TEXT("owner"), &value, ERROR)); /* a car is no person */
    FAILS(PINVIEW_ERROR_WRONG_TYPE, pinview_object_value(scene.dave, TEXT("cars"), &value, ERROR));
    pinview_object_id_release(id);
    pinview_object_release(free_car);
    pinview_object_release(car);
    tear_down(&scene);
}

static void faults_whose_row_is_gone(void) {
    for (int32_t deletes = 0; deletes <= 1; deletes++) {
        object_scene scene = set_up();
        pinview_context *other = context_on(&scene.stack);
        pinview_object *theirs = one_named(other, "Person", "dave1");
        pinview_object_id *id = NULL;
        pinview_object *fault = NULL;
        pinview_value value;
        OK(pinview_object_get_id(scene.dave, &id, ERROR));
        pinview_object_release(scene.dave);
        OK(pinview_context_reset(scene.context, ERROR));
        OK(pinview_context_set_option(scene.context, PINVIEW_CONTEXT_SHOULD_DELETE_INACCESSIBLE_FAULTS, deletes, ERROR));
        OK(pinview_context_object(scene.context, id, &fault, ERROR));
        OK(pinview_context_delete(other, theirs, ERROR));
        save(other);
        if (deletes) { /* FLT-08, EX-46 */
            OK(pinview_object_value(fault, TEXT("name"), &value, ERROR));
            EXPECT_NUMBER(value.type, PINVIEW_VALUE_NULL);
            EXPECT_NUMBER(state_of(fault) & PINVIEW_OBJECT_DELETED, PINVIEW_OBJECT_DELETED);
        } else { /* FLT-10 */
            pinview_result *ids = NULL;
            FAILS(PINVIEW_ERROR_REFERENTIAL_INTEGRITY, pinview_object_value(fault, TEXT("name"), &value, ERROR));
            OK(pinview_error_affected_object_ids(last_error(), &ids, NULL));
            EXPECT_NUMBER(pinview_result_count(ids), 1);
            pinview_result_release(ids);
            EXPECT_NUMBER(state_of(fault), PINVIEW_OBJECT_FAULT);
        }
        scene.dave = fault;
        pinview_object_id_release(id);
        pinview_object_release(theirs);
        pinview_context_release(other);
        tear_down(&scene);
    }
}

static void changed_properties_are_told_by_index(void) {
    object_scene scene = set_up();
    int32_t indexes[2] = {-1, -1};
    size_t count = 9;
    OK(pinview_object_changed_properties(scene.dave, NULL, 0, &count, ERROR));
    EXPECT_NUMBER(count, 0);
    set_text(scene.dave, "name", "changed");
    set_integer(scene.dave, "age", 5);
    OK(pinview_object_changed_properties(scene.dave, indexes, 2, &count, ERROR));
    EXPECT_NUMBER(count, 2);
    EXPECT_NUMBER(indexes[0], scene.name < scene.age ? scene.name : scene.age);
    EXPECT_NUMBER(indexes[1], scene.name < scene.age ? scene.age : scene.name);
    indexes[1] = -1;
    OK(pinview_object_changed_properties(scene.dave, indexes, 1, &count, ERROR));
    EXPECT_NUMBER(count, 2);
    EXPECT_NUMBER(indexes[1], -1);
    FAILS(PINVIEW_ERROR_INVALID_ARGUMENT, pinview_object_changed_properties(scene.dave, NULL, 1, &count, ERROR));
    tear_down(&scene);
}

static void coordinators_have_names(void) {
    object_scene scene = set_up();
    EXPECT_TEXT(pinview_coordinator_name(scene.stack.coordinator), NULL);
    OK(pinview_coordinator_set_name(scene.stack.coordinator, TEXT("first"), ERROR));
    EXPECT_TEXT(pinview_coordinator_name(scene.stack.coordinator), "first");
    OK(pinview_coordinator_set_name(scene.stack.coordinator, TEXT("a second, longer name"), ERROR));
    EXPECT_TEXT(pinview_coordinator_name(scene.stack.coordinator), "a second, longer name");
    OK(pinview_coordinator_set_name(scene.stack.coordinator, pinview_absent(), ERROR));
    EXPECT_TEXT(pinview_coordinator_name(scene.stack.coordinator), NULL);
    tear_down(&scene);
}

static const test_case tests[] = {
    {"changedValues: changed properties are told by index", changed_properties_are_told_by_index},
    {"a coordinator has a name", coordinators_have_names},
    {"FLT-01, FLT-03, FLT-04, FLT-07: reading fires a fault, looking at the object does not", reading_fires_a_fault},
    {"CTX-20: keys and indexes read and set the same", keys_and_indexes_read_the_same},
    {"STO-19, ERR-05: unknown properties are refused", unknown_properties_are_refused},
    {"many values in one call", many_values_in_one_call},
    {"STO-19: values of many objects in one call", values_of_many_objects_in_one_call},
    {"REF-18: texts last until the same property is asked of the same handle", texts_last_until_the_same_property_is_asked_again},
    {"REL-01: to-one relationships read as IDs and are set by objects", to_one_relationships_read_as_ids},
    {"FLT-08, FLT-10, EX-46: a fault whose row is gone", faults_whose_row_is_gone},
};
const test_topic objects_topic = TOPIC("objects", tests);
