/* Models: built, read from JSON and from stores, looked at. */
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "support.h"
#include "topics.h"

static pinview_relationship_description relationship(const char *name, const char *destination, const char *inverse) {
    pinview_relationship_description description;
    memset(&description, 0, sizeof description);
    description.struct_size = sizeof description;
    description.flags = PINVIEW_PROPERTY_OPTIONAL;
    description.name = pinview_text(name);
    description.destination = pinview_text(destination);
    description.inverse = pinview_text(inverse);
    description.delete_rule = PINVIEW_DELETE_NULLIFY;
    return description;
}

/* The same model as people_json, step by step. */
static pinview_model_builder *people_builder(void) {
    pinview_model_builder *builder = NULL;
    pinview_attribute_description name = attribute("name", PINVIEW_ATTRIBUTE_STRING), age = attribute("age", PINVIEW_ATTRIBUTE_INTEGER_64);
    pinview_relationship_description cars = relationship("cars", "Car", "owner"), owner = relationship("owner", "Person", "cars");
    age.default_value = pinview_value_integer(0);
    cars.flags |= PINVIEW_PROPERTY_TO_MANY;
    OK(pinview_model_builder_create(&builder, ERROR));
    OK(pinview_model_builder_add_entity(builder, TEXT("Person"), pinview_absent(), 0, ERROR));
    OK(pinview_model_builder_add_entity(builder, TEXT("Car"), pinview_absent(), 0, ERROR));
    OK(pinview_model_builder_add_attribute(builder, TEXT("Person"), &name, ERROR));
    OK(pinview_model_builder_add_attribute(builder, TEXT("Person"), &age, ERROR));
    OK(pinview_model_builder_add_attribute(builder, TEXT("Car"), &name, ERROR));
    OK(pinview_model_builder_add_relationship(builder, TEXT("Person"), &cars, ERROR));
    OK(pinview_model_builder_add_relationship(builder, TEXT("Car"), &owner, ERROR));
    return builder;
}

static void built_and_read_models_are_equal(void) {
    pinview_model_builder *builder = people_builder();
    pinview_model *built = NULL, *read = people_model(), *again = NULL;
    OK(pinview_model_builder_build(builder, &built, ERROR));
    EXPECT(pinview_model_is_equal(built, read));
    pinview_string json;
    OK(pinview_model_json(built, &json, ERROR));
    OK(pinview_model_create_from_json(json, &again, ERROR));
    EXPECT(pinview_model_is_equal(again, built));
    pinview_model_release(built);
    pinview_model_release(read);
    pinview_model_release(again);
    pinview_model_builder_release(builder);
}

static void a_builder_can_be_built_on(void) {
    pinview_model_builder *builder = people_builder();
    pinview_model *first = NULL, *second = NULL;
    pinview_attribute_description colour = attribute("colour", PINVIEW_ATTRIBUTE_STRING);
    const pinview_string keys[] = {TEXT("name")}, entities[] = {TEXT("Car"), TEXT("Person")};
    OK(pinview_model_builder_build(builder, &first, ERROR));
    OK(pinview_model_builder_add_attribute(builder, TEXT("Car"), &colour, ERROR));
    OK(pinview_model_builder_add_uniqueness_constraint(builder, TEXT("Car"), keys, 1, ERROR));
    OK(pinview_model_builder_add_index(builder, TEXT("Person"), TEXT("byName"), keys, 1, ERROR));
    OK(pinview_model_builder_add_configuration(builder, TEXT("All"), entities, 2, ERROR));
    OK(pinview_model_builder_build(builder, &second, ERROR));
    EXPECT(!pinview_model_is_equal(first, second));
    pinview_model_release(first);
    pinview_model_release(second);
    EXPECT_NUMBER(pinview_model_builder_retain(builder), PINVIEW_OK);
    pinview_model_builder_release(builder);
    pinview_model_builder_release(builder);
}

static void entities_tell_what_they_have(void) {
    pinview_model *model = people_model();
    pinview_entity *person = NULL, *first = NULL;
    pinview_property property;
    int32_t index = -1;
    EXPECT_NUMBER(pinview_model_entity_count(model), 2);
    OK(pinview_model_entity(model, 0, &first, ERROR));
    EXPECT_TEXT(pinview_entity_name(first), "Car");
    FAILS(PINVIEW_ERROR_INVALID_ARGUMENT, pinview_model_entity(model, 2, &person, ERROR));
    OK(pinview_model_entity_named(model, TEXT("Person"), &person, ERROR));
    EXPECT_TEXT(pinview_entity_parent_name(person), NULL);
    EXPECT_NUMBER(pinview_entity_is_abstract(person), 0);
    EXPECT_NUMBER(pinview_entity_property_count(person), 3);
    OK(pinview_entity_property_index(person, TEXT("cars"), &index, ERROR));
    memset(&property, 0, sizeof property);
    property.struct_size = sizeof property;
    OK(pinview_entity_property(person, (uint64_t)index, &property, ERROR));
    EXPECT_TEXT(property.name, "cars");
    EXPECT_TEXT(property.destination, "Car");
    EXPECT_TEXT(property.inverse, "owner");
    EXPECT_NUMBER(property.flags, PINVIEW_PROPERTY_OPTIONAL | PINVIEW_PROPERTY_RELATIONSHIP | PINVIEW_PROPERTY_TO_MANY);
    EXPECT_NUMBER(property.delete_rule, PINVIEW_DELETE_NULLIFY);
    EXPECT_NUMBER(property.index, index);
    OK(pinview_entity_property_index(person, TEXT("age"), &index, ERROR));
    OK(pinview_entity_property(person, (uint64_t)index, &property, ERROR));
    EXPECT_NUMBER(property.type, PINVIEW_ATTRIBUTE_INTEGER_64);
    EXPECT_TEXT(property.destination, NULL);
    FAILS(PINVIEW_ERROR_UNKNOWN_KEY, pinview_entity_property_index(person, TEXT("wings"), &index, ERROR));
    EXPECT_NUMBER(index, -1);
    FAILS(PINVIEW_ERROR_INVALID_ARGUMENT, pinview_entity_property(person, 3, &property, ERROR));
    property.struct_size = 8;
    FAILS(PINVIEW_ERROR_INVALID_ARGUMENT, pinview_entity_property(person, 0, &property, ERROR));
    pinview_entity *unknown = NULL;
    FAILS(PINVIEW_ERROR_UNKNOWN_ENTITY, pinview_model_entity_named(model, TEXT("Dragon"), &unknown, ERROR));
    EXPECT(unknown == NULL);
    EXPECT_NUMBER(pinview_entity_retain(person), PINVIEW_OK);
    pinview_entity_release(person);
    pinview_model_release(model); /* the entity lives on */
    EXPECT_TEXT(pinview_entity_name(person), "Person");
    pinview_entity_release(person);
    pinview_entity_release(first);
}

static void sub_entities_keep_the_indexes(void) {
    pinview_model_builder *builder = NULL;
    pinview_model *model = NULL;
    pinview_entity *animal = NULL, *dog = NULL;
    int32_t in_animal = -1, in_dog = -2;
    pinview_attribute_description name = attribute("name", PINVIEW_ATTRIBUTE_STRING), barks = attribute("barks", PINVIEW_ATTRIBUTE_BOOLEAN);
    OK(pinview_model_builder_create(&builder, ERROR));
    OK(pinview_model_builder_add_entity(builder, TEXT("Animal"), pinview_absent(), 1, ERROR));
    OK(pinview_model_builder_add_entity(builder, TEXT("Dog"), TEXT("Animal"), 0, ERROR));
    OK(pinview_model_builder_add_attribute(builder, TEXT("Animal"), &name, ERROR));
    OK(pinview_model_builder_add_attribute(builder, TEXT("Dog"), &barks, ERROR));
    OK(pinview_model_builder_build(builder, &model, ERROR));
    OK(pinview_model_entity_named(model, TEXT("Animal"), &animal, ERROR));
    OK(pinview_model_entity_named(model, TEXT("Dog"), &dog, ERROR));
    EXPECT_NUMBER(pinview_entity_is_abstract(animal), 1);
    EXPECT_TEXT(pinview_entity_parent_name(dog), "Animal");
    OK(pinview_entity_property_index(animal, TEXT("name"), &in_animal, ERROR));
    OK(pinview_entity_property_index(dog, TEXT("name"), &in_dog, ERROR));
    EXPECT_NUMBER(in_animal, in_dog);
    pinview_entity_release(animal);
    pinview_entity_release(dog);
    pinview_model_release(model);
    pinview_model_builder_release(builder);
}

static void expect_bad_model(const char *json, const char *word) {
    pinview_model *model = NULL;
    FAILS(PINVIEW_ERROR_BAD_MODEL, pinview_model_create_from_json(pinview_text(json), &model, ERROR));
    EXPECT(model == NULL);
    if (strstr(last_message(), word) == NULL) test_failed(__FILE__, __LINE__, "'%s' does not name %s", last_message(), word);
}

static void contradictions_are_refused(void) {
    expect_bad_model("{\"entities\":[{\"name\":\"A\",\"relationships\":[{\"name\":\"b\",\"destination\":\"Nowhere\"}]}]}", "Nowhere");
    expect_bad_model("{\"entities\":[{\"name\":\"A\",\"relationships\":[{\"name\":\"b\",\"destination\":\"B\",\"inverse\":\"a\"}]},{\"name\":\"B\"}]}", "b");
    expect_bad_model("{\"entities\":3}", "entit");
    expect_bad_model("", "");
    expect_bad_model("[1,2", "");
    expect_bad_model("{\"entities\":[{\"name\":\"A\",\"attributes\":[{\"name\":\"x\",\"type\":\"colour\"}]}]}", "colour");
}

static void contradictions_of_a_builder_are_refused(void) {
    pinview_model_builder *builder = people_builder();
    pinview_model *model = NULL;
    pinview_attribute_description strange = attribute("strange", 12345), small = attribute("small", PINVIEW_ATTRIBUTE_STRING);
    pinview_relationship_description lost = relationship("lost", "Nowhere", NULL), odd = relationship("odd", "Car", NULL);
    FAILS(PINVIEW_ERROR_INVALID_ARGUMENT, pinview_model_builder_add_attribute(builder, TEXT("Car"), &strange, ERROR));
    small.struct_size = 4;
    FAILS(PINVIEW_ERROR_INVALID_ARGUMENT, pinview_model_builder_add_attribute(builder, TEXT("Car"), &small, ERROR));
    FAILS(PINVIEW_ERROR_INVALID_ARGUMENT, pinview_model_builder_add_attribute(builder, TEXT("Car"), NULL, ERROR));
    odd.delete_rule = 9;
    FAILS(PINVIEW_ERROR_INVALID_ARGUMENT, pinview_model_builder_add_relationship(builder, TEXT("Car"), &odd, ERROR));
    OK(pinview_model_builder_add_relationship(builder, TEXT("Car"), &lost, ERROR));
    FAILS(PINVIEW_ERROR_BAD_MODEL, pinview_model_builder_build(builder, &model, ERROR));
    EXPECT(strstr(last_message(), "lost") != NULL);
    EXPECT(model == NULL);
    pinview_model_builder_release(builder);
}

static void limits_are_kept(void) {
    pinview_model_builder *builder = NULL;
    pinview_model *model = NULL;
    pinview_coordinator *coordinator = NULL;
    pinview_context *context = NULL;
    pinview_attribute_description word = attribute("word", PINVIEW_ATTRIBUTE_STRING), number = attribute("number", PINVIEW_ATTRIBUTE_INTEGER_16);
    word.limits = 4 | 8;
    word.minimum_length = 2;
    word.maximum_length = 4;
    word.pattern = TEXT("[a-z]+");
    number.limits = 1 | 2;
    number.minimum = pinview_value_integer(1);
    number.maximum = pinview_value_integer(6);
    OK(pinview_model_builder_create(&builder, ERROR));
    OK(pinview_model_builder_add_entity(builder, TEXT("Dice"), pinview_absent(), 0, ERROR));
    OK(pinview_model_builder_add_attribute(builder, TEXT("Dice"), &word, ERROR));
    OK(pinview_model_builder_add_attribute(builder, TEXT("Dice"), &number, ERROR));
    OK(pinview_model_builder_build(builder, &model, ERROR));
    OK(pinview_coordinator_create(model, &coordinator, ERROR));
    OK(pinview_coordinator_add_store(coordinator, TEXT(PINVIEW_STORE_TYPE_IN_MEMORY), pinview_absent(), pinview_absent(), NULL, 0, NULL, ERROR));
    OK(pinview_context_create(PINVIEW_CONCURRENCY_PRIVATE_QUEUE, &context, ERROR));
    OK(pinview_context_set_coordinator(context, coordinator, ERROR));
    pinview_object *dice = NULL;
    pinview_value value = pinview_value_text("one");
    OK(pinview_context_insert_new_object(context, TEXT("Dice"), &dice, ERROR));
    OK(pinview_object_set_value(dice, TEXT("word"), &value, ERROR));
    set_integer(dice, "number", 7);
    FAILS(PINVIEW_ERROR_VALIDATION_NUMBER_TOO_LARGE, pinview_object_validate(dice, ERROR));
    set_integer(dice, "number", 0);
    FAILS(PINVIEW_ERROR_VALIDATION_NUMBER_TOO_SMALL, pinview_object_validate(dice, ERROR));
    set_integer(dice, "number", 6);
    OK(pinview_object_validate(dice, ERROR));
    set_text(dice, "word", "seven");
    FAILS(PINVIEW_ERROR_VALIDATION_STRING_TOO_LONG, pinview_object_validate(dice, ERROR));
    set_text(dice, "word", "a");
    FAILS(PINVIEW_ERROR_VALIDATION_STRING_TOO_SHORT, pinview_object_validate(dice, ERROR));
    set_text(dice, "word", "ONE");
    FAILS(PINVIEW_ERROR_VALIDATION_STRING_PATTERN_MATCHING, pinview_object_validate(dice, ERROR));
    pinview_object_release(dice);
    pinview_context_release(context);
    pinview_coordinator_release(coordinator);
    pinview_model_release(model);
    pinview_model_builder_release(builder);
}

/* MDL-01: Xcode's models, whole or in versions. */
static void models_of_xcode_are_read(void) {
    static const char xml[] =
        "<model><entity name='Person'><attribute name='age' optional='YES' attributeType='Integer 16' indexed='YES'/>"
        "<relationship name='boss' optional='YES' maxCount='1' ordered='YES' deletionRule='Nullify' destinationEntity='Person'/>"
        "</entity></model>";
    const pinview_binary data = {(const uint8_t *)xml, sizeof xml - 1};
    pinview_model *model = NULL, *strict = NULL;
    pinview_string warning;
    OK(pinview_model_create_from_data(data, 0, &model, ERROR));
    EXPECT_NUMBER((long long)pinview_model_entity_count(model), 1);
    EXPECT_NUMBER((long long)pinview_model_warning_count(model), 1);
    OK(pinview_model_warning(model, 0, &warning, ERROR));
    EXPECT(strstr(warning.data, "Person.boss") != NULL);
    FAILS(PINVIEW_ERROR_INVALID_ARGUMENT, pinview_model_warning(model, 1, &warning, ERROR));
    FAILS(PINVIEW_ERROR_BAD_MODEL, pinview_model_create_from_data(data, PINVIEW_MODEL_STRICT, &strict, ERROR));
    FAILS(PINVIEW_ERROR_INVALID_ARGUMENT, pinview_model_create_from_data(data, 64, &strict, ERROR));
    EXPECT(strict == NULL);
    pinview_model_release(model);
}

static void write_text(const char *path, const char *text) {
    FILE *file = fopen(path, "w");
    REQUIRE(file != NULL);
    fputs(text, file);
    fclose(file);
}

/* MDL-01 */
static void a_version_of_a_model_can_be_chosen(void) {
    char path[512];
    pinview_buffer *buffer = NULL;
    pinview_model *model = NULL;
    pinview_string names[2], current;
    size_t count = 0;
    snprintf(path, sizeof path, "%s", test_path("Shop.xcdatamodeld"));
    REQUIRE(mkdir(path, 0700) == 0 && mkdir(test_path("Shop.xcdatamodeld/One.xcdatamodel"), 0700) == 0);
    REQUIRE(mkdir(test_path("Shop.xcdatamodeld/Two.xcdatamodel"), 0700) == 0);
    write_text(test_path("Shop.xcdatamodeld/One.xcdatamodel/contents"), "<model><entity name='A'/></model>");
    write_text(test_path("Shop.xcdatamodeld/Two.xcdatamodel/contents"), "<model><entity name='B'/><entity name='C'/></model>");
    OK(pinview_buffer_create(&buffer, ERROR));
    OK(pinview_model_versions(pinview_text(path), buffer, names, 2, &count, &current, ERROR));
    EXPECT_NUMBER((long long)count, 2);
    EXPECT(strcmp(names[0].data, "One") == 0 && strcmp(names[1].data, "Two") == 0 && current.data == NULL);
    OK(pinview_model_create_from_file(pinview_text(path), pinview_text("Two"), 0, &model, ERROR));
    EXPECT_NUMBER((long long)pinview_model_entity_count(model), 2);
    pinview_model_release(model);
    FAILS(PINVIEW_ERROR_INVALID_ARGUMENT, pinview_model_create_from_file(pinview_text(path), pinview_text(NULL), 0, &model, ERROR));
    write_text(test_path("Shop.xcdatamodeld/.xccurrentversion"),
        "<plist><dict><key>_XCCurrentVersionName</key><string>One.xcdatamodel</string></dict></plist>");
    OK(pinview_model_versions(pinview_text(path), buffer, NULL, 0, &count, &current, ERROR));
    EXPECT(count == 2 && strcmp(current.data, "One") == 0);
    OK(pinview_model_create_from_file(pinview_text(path), pinview_text(NULL), PINVIEW_MODEL_STRICT, &model, ERROR));
    EXPECT_NUMBER((long long)pinview_model_entity_count(model), 1);
    pinview_model_release(model);
    pinview_buffer_release(buffer);
}

static void models_come_from_files_and_stores(void) {
    data_stack stack = stack_open("store.sqlite");
    const char *path = test_path("model.json");
    pinview_model *from_file = NULL, *from_store = NULL, *missing = NULL;
    FILE *file = fopen(path, "w");
    REQUIRE(file != NULL);
    fputs(people_json, file);
    fclose(file);
    OK(pinview_model_create_from_file(pinview_text(path), pinview_text(NULL), 0, &from_file, ERROR));
    EXPECT(pinview_model_is_equal(from_file, stack.model));
    OK(pinview_model_create_from_store(pinview_text(stack.path), &from_store, ERROR));
    EXPECT(pinview_model_is_equal(from_store, stack.model));
    EXPECT(pinview_model_create_from_file(pinview_text(test_path("none.json")), pinview_text(NULL), 0, &missing, ERROR) != PINVIEW_OK);
    EXPECT(strstr(last_message(), "none.json") != NULL);
    EXPECT(pinview_model_create_from_store(pinview_text(test_path("none.sqlite")), &missing, ERROR) != PINVIEW_OK);
    EXPECT(strstr(last_message(), "none.sqlite") != NULL);
    EXPECT(missing == NULL && file_size(test_path("none.sqlite")) == -1);
    EXPECT_NUMBER(pinview_model_retain(from_file), PINVIEW_OK);
    pinview_model_release(from_file);
    pinview_model_release(from_file);
    pinview_model_release(from_store);
    stack_close(&stack);
}

static const test_case tests[] = {
    {"API-67: a built model equals the one read from JSON, and writes itself as JSON", built_and_read_models_are_equal},
    {"a builder can be built on after a model was made", a_builder_can_be_built_on},
    {"entities tell what they have, and outlive their model's handle", entities_tell_what_they_have},
    {"a sub-entity has its parent's properties at the same indexes", sub_entities_keep_the_indexes},
    {"STO-18: a missing destination or a one-sided inverse is refused with its name", contradictions_are_refused},
    {"STO-18: mistakes of a builder are refused", contradictions_of_a_builder_are_refused},
    {"limits of attributes are kept by validation", limits_are_kept},
    {"models come from JSON files and from stores", models_come_from_files_and_stores},
    {"MDL-01, MDL-02: models of Xcode are read", models_of_xcode_are_read},
    {"MDL-01: a version of a model can be chosen", a_version_of_a_model_can_be_chosen},
};
const test_topic model_topic = TOPIC("model", tests);
