/* To-many relationships and their inverses. */
#include <string.h>

#include "support.h"
#include "topics.h"

static void members_and_inverses(void) {
    data_stack stack = stack_open("r.sqlite");
    pinview_context *context = context_on(&stack);
    pinview_object *ann = insert_object(context, "Person", "ann"), *bob = insert_object(context, "Person", "bob"), *owner = NULL;
    pinview_object *car = insert_object(context, "Car", "kitt"), *van = insert_object(context, "Car", "van");
    int32_t is_member = -1, is_fault = -1;
    OK(pinview_object_add_related_object(ann, TEXT("cars"), car, ERROR)); /* REL-02 */
    OK(pinview_object_add_related_object(ann, TEXT("cars"), car, ERROR));
    EXPECT_NUMBER(members_of(ann, "cars"), 1);
    OK(pinview_object_related_object(car, TEXT("owner"), &owner, ERROR));
    EXPECT(pinview_object_is_equal(owner, ann));
    OK(pinview_object_add_related_object(bob, TEXT("cars"), car, ERROR));
    EXPECT_NUMBER(members_of(ann, "cars"), 0);
    OK(pinview_object_contains_related_object(bob, TEXT("cars"), car, &is_member, ERROR));
    EXPECT_NUMBER(is_member, 1);
    OK(pinview_object_contains_related_object(ann, TEXT("cars"), car, &is_member, ERROR));
    EXPECT_NUMBER(is_member, 0);
    pinview_object *both[] = {car, van, car};
    OK(pinview_object_set_related_objects(ann, TEXT("cars"), both, 3, ERROR));
    EXPECT_NUMBER(members_of(ann, "cars"), 2);
    EXPECT_NUMBER(members_of(bob, "cars"), 0);
    OK(pinview_object_remove_related_object(ann, TEXT("cars"), car, ERROR));
    OK(pinview_object_remove_related_object(ann, TEXT("cars"), car, ERROR));
    EXPECT_NUMBER(members_of(ann, "cars"), 1);
    pinview_object_release(owner);
    OK(pinview_object_related_object(car, TEXT("owner"), &owner, ERROR));
    EXPECT(owner == NULL);
    OK(pinview_object_set_related_objects(ann, TEXT("cars"), NULL, 0, ERROR));
    EXPECT_NUMBER(members_of(ann, "cars"), 0);
    OK(pinview_object_has_fault(ann, TEXT("cars"), &is_fault, ERROR));
    EXPECT_NUMBER(is_fault, 0);
    pinview_objects_release(both, 2);
    pinview_object_release(ann);
    pinview_object_release(bob);
    pinview_context_release(context);
    stack_close(&stack);
}

static void relationships_are_faults_of_their_own(void) {
    data_stack stack = stack_open("r.sqlite");
    add_daves(&stack, 0, 1);
    pinview_context *context = context_on(&stack);
    pinview_object *dave = one_named(context, "Person", "dave0");
    int32_t is_fault = -1;
    EXPECT_NUMBER(integer_of(dave, "age"), 20);
    OK(pinview_object_has_fault(dave, TEXT("cars"), &is_fault, ERROR)); /* FLT-05 */
    EXPECT_NUMBER(is_fault, 1);
    EXPECT_NUMBER(members_of(dave, "cars"), 1);
    OK(pinview_object_has_fault(dave, TEXT("cars"), &is_fault, ERROR));
    EXPECT_NUMBER(is_fault, 0);
    pinview_object_release(dave);
    pinview_context_release(context);
    stack_close(&stack);
}

static void wrong_relationships_are_refused(void) {
    data_stack stack = stack_open("r.sqlite");
    pinview_context *context = context_on(&stack), *other = context_on(&stack);
    pinview_object *ann = insert_object(context, "Person", "ann"), *car = insert_object(context, "Car", "kitt"), *out = NULL;
    pinview_object *foreign = insert_object(other, "Car", "foreign");
    pinview_result *members = NULL;
    uint64_t count = 9;
    int32_t flag = 9;
    FAILS(PINVIEW_ERROR_WRONG_TYPE, pinview_object_related_object(ann, TEXT("cars"), &out, ERROR));
    FAILS(PINVIEW_ERROR_WRONG_TYPE, pinview_object_related_object(ann, TEXT("name"), &out, ERROR));
    FAILS(PINVIEW_ERROR_WRONG_TYPE, pinview_object_related_objects(car, TEXT("owner"), &members, ERROR));
    FAILS(PINVIEW_ERROR_WRONG_TYPE, pinview_object_related_object_count(ann, TEXT("name"), &count, ERROR));
    EXPECT_NUMBER(count, 0);
    FAILS(PINVIEW_ERROR_WRONG_TYPE, pinview_object_has_fault(ann, TEXT("name"), &flag, ERROR));
    FAILS(PINVIEW_ERROR_UNKNOWN_KEY, pinview_object_add_related_object(ann, TEXT("planes"), car, ERROR));
    FAILS(PINVIEW_ERROR_WRONG_TYPE, pinview_object_add_related_object(ann, TEXT("cars"), ann, ERROR));
    FAILS(PINVIEW_ERROR_WRONG_CONTEXT, pinview_object_add_related_object(ann, TEXT("cars"), foreign, ERROR)); /* CTX-04 */
    FAILS(PINVIEW_ERROR_WRONG_TYPE, pinview_object_insert_related_object(ann, TEXT("cars"), car, 0, ERROR)); /* not ordered */
    FAILS(PINVIEW_ERROR_INVALID_ARGUMENT, pinview_object_set_related_objects(ann, TEXT("cars"), NULL, 2, ERROR));
    EXPECT_NUMBER(members_of(ann, "cars"), 0);
    EXPECT(out == NULL && members == NULL);
    pinview_object_release(ann);
    pinview_object_release(car);
    pinview_object_release(foreign);
    pinview_context_release(context);
    pinview_context_release(other);
    stack_close(&stack);
}

static void expect_order(pinview_object *list, const char *expected) {
    pinview_result *items = NULL;
    char found[16] = "";
    OK(pinview_object_related_objects(list, TEXT("items"), &items, ERROR));
    for (uint64_t index = 0; index < pinview_result_count(items); index++) {
        pinview_object *item = NULL;
        OK(pinview_result_object(items, index, &item, ERROR));
        strncat(found, text_of(item, "name").data, 1);
        pinview_object_release(item);
    }
    if (strcmp(found, expected) != 0) test_failed(__FILE__, __LINE__, "the order is %s, not %s", found, expected);
    pinview_result_release(items);
}

static void ordered_relationships_keep_their_order(void) {
    static const char json[] =
        "{\"entities\":[{\"name\":\"List\",\"relationships\":[{\"name\":\"items\",\"destination\":\"Item\",\"inverse\":\"list\",\"toMany\":true,"
        "\"ordered\":true}]},{\"name\":\"Item\",\"attributes\":[{\"name\":\"name\",\"type\":\"string\"}],\"relationships\":[{\"name\":\"list\","
        "\"destination\":\"List\",\"inverse\":\"items\"}]}]}";
    pinview_model *model = NULL;
    data_stack stack = {NULL, NULL, NULL, test_path("l.sqlite")};
    OK(pinview_model_create_from_json(TEXT(json), &model, ERROR));
    stack.model = model;
    OK(pinview_coordinator_create(model, &stack.coordinator, ERROR));
    OK(pinview_coordinator_add_store(stack.coordinator, TEXT(PINVIEW_STORE_TYPE_SQLITE), pinview_absent(), pinview_text(stack.path), NULL, 0,
                                     &stack.store, ERROR));
    pinview_context *context = context_on(&stack);
    pinview_object *list = insert_object(context, "List", NULL);
    pinview_object *a = insert_object(context, "Item", "a"), *b = insert_object(context, "Item", "b"), *c = insert_object(context, "Item", "c");
    OK(pinview_object_add_related_object(list, TEXT("items"), a, ERROR));
    OK(pinview_object_add_related_object(list, TEXT("items"), c, ERROR));
    OK(pinview_object_insert_related_object(list, TEXT("items"), b, 1, ERROR));
    expect_order(list, "abc");
    OK(pinview_object_insert_related_object(list, TEXT("items"), c, 0, ERROR));
    expect_order(list, "cab");
    FAILS(PINVIEW_ERROR_INVALID_ARGUMENT, pinview_object_insert_related_object(list, TEXT("items"), b, 9, ERROR));
    FAILS(PINVIEW_ERROR_INVALID_ARGUMENT, pinview_object_insert_related_object(list, TEXT("items"), b, UINT64_MAX, ERROR));
    save(context);
    OK(pinview_context_refresh_all_objects(context, ERROR));
    expect_order(list, "cab"); /* REL-05 */
    pinview_object_release(a);
    pinview_object_release(b);
    pinview_object_release(c);
    pinview_object_release(list);
    pinview_context_release(context);
    stack_close(&stack);
}

static void to_one_relationships_by_index(void) {
    data_stack stack = stack_open("r.sqlite");
    add_daves(&stack, 0, 2);
    pinview_context *context = context_on(&stack);
    pinview_object *kitt = one_named(context, "Car", "car0"), *van = one_named(context, "Car", "car1");
    pinview_object *free_car = insert_object(context, "Car", "free"), *owner = NULL, *same = NULL;
    pinview_object *cars[] = {kitt, free_car, NULL, van}, *owners[4];
    pinview_entity *entity = NULL;
    int32_t index = -1, name = -1;
    OK(pinview_object_entity(kitt, &entity, ERROR));
    OK(pinview_entity_property_index(entity, TEXT("owner"), &index, ERROR));
    OK(pinview_entity_property_index(entity, TEXT("name"), &name, ERROR));

    OK(pinview_object_related_object_at(kitt, index, &owner, ERROR));
    OK(pinview_objects_related_object_at(cars, 4, index, owners, ERROR));

    OK(pinview_object_related_object(kitt, TEXT("owner"), &same, ERROR));
    EXPECT(pinview_object_is_equal(owner, same));
    pinview_object_release(owner);
    EXPECT(pinview_object_is_equal(owners[0], same));
    EXPECT(owners[1] == NULL);
    EXPECT(owners[2] == NULL);
    EXPECT_NUMBER(integer_of(owners[3], "age"), 21);
    pinview_objects_release(owners, 4);
    OK(pinview_objects_related_object_at(NULL, 0, index, NULL, ERROR));
    FAILS(PINVIEW_ERROR_WRONG_TYPE, pinview_objects_related_object_at(cars, 4, name, owners, ERROR));
    EXPECT(owners[0] == NULL && owners[3] == NULL);
    FAILS(PINVIEW_ERROR_UNKNOWN_KEY, pinview_object_related_object_at(kitt, 99, &owner, ERROR));
    EXPECT(owner == NULL);
    FAILS(PINVIEW_ERROR_UNKNOWN_KEY, pinview_object_related_object_at(kitt, -1, &owner, ERROR));
    FAILS(PINVIEW_ERROR_INVALID_ARGUMENT, pinview_objects_related_object_at(cars, 4, index, NULL, ERROR));
    FAILS(PINVIEW_ERROR_INVALID_ARGUMENT, pinview_objects_related_object_at(cars, SIZE_MAX, index, owners, ERROR));
    pinview_object_release(free_car);
    FAILS(PINVIEW_ERROR_INVALID_HANDLE, pinview_objects_related_object_at(cars, 4, index, owners, ERROR));
    EXPECT(owners[0] == NULL);
    pinview_object_release(same);
    pinview_object_release(kitt);
    pinview_object_release(van);
    pinview_entity_release(entity);
    pinview_context_release(context);
    stack_close(&stack);
}

static const test_case tests[] = {
    {"REL-01, REL-02, REL-04: members and inverses follow each other", members_and_inverses},
    {"FLT-05, REL-01: to-one relationships of one object and of many, by index", to_one_relationships_by_index},
    {"FLT-05: a to-many relationship is a fault of its own", relationships_are_faults_of_their_own},
    {"CTX-04, STO-19: wrong relationships and members are refused", wrong_relationships_are_refused},
    {"REL-05: ordered relationships keep their order", ordered_relationships_keep_their_order},
};
const test_topic relationships_topic = TOPIC("relationships", tests);
