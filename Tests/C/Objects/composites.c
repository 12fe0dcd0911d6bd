/* MDL-12: composite attributes, whose elements are stored. */
#include <string.h>

#include "support.h"
#include "topics.h"

static const char shops_json[] =
    "{\"entities\": [{\"name\": \"Shop\", \"attributes\": ["
    "{\"name\": \"name\", \"type\": \"string\"},"
    "{\"name\": \"location\", \"type\": \"composite\", \"elements\": ["
    "{\"name\": \"latitude\", \"type\": \"double\", \"optional\": false, \"maximumValue\": 90},"
    "{\"name\": \"longitude\", \"type\": \"double\", \"default\": 5},"
    "{\"name\": \"area\", \"type\": \"composite\", \"elements\": [{\"name\": \"city\", \"type\": \"string\"}]}]}]}]}";

static double double_of(pinview_object *object, const char *key) {
    pinview_value value;
    OK(pinview_object_value(object, pinview_text(key), &value, ERROR));
    EXPECT_NUMBER(value.type, PINVIEW_VALUE_DOUBLE);
    return value.as.real;
}

static int is_null(pinview_object *object, const char *key) {
    pinview_value value;
    OK(pinview_object_value(object, pinview_text(key), &value, ERROR));
    return value.type == PINVIEW_VALUE_NULL;
}

static void a_builder_adds_elements_by_key_path(void) {
    pinview_model_builder *builder = NULL;
    pinview_model *built = NULL, *read = NULL;
    pinview_attribute_description name = attribute("name", PINVIEW_ATTRIBUTE_STRING),
                                  location = attribute("location", PINVIEW_ATTRIBUTE_COMPOSITE),
                                  latitude = attribute("location.latitude", PINVIEW_ATTRIBUTE_DOUBLE),
                                  longitude = attribute("location.longitude", PINVIEW_ATTRIBUTE_DOUBLE),
                                  area = attribute("location.area", PINVIEW_ATTRIBUTE_COMPOSITE),
                                  city = attribute("location.area.city", PINVIEW_ATTRIBUTE_STRING);
    latitude.flags = 0;
    latitude.limits = 2;
    latitude.maximum = pinview_value_double(90);
    longitude.default_value = pinview_value_double(5);
    OK(pinview_model_builder_create(&builder, ERROR));
    OK(pinview_model_builder_add_entity(builder, TEXT("Shop"), pinview_absent(), 0, ERROR));
    EXPECT(pinview_model_builder_add_attribute(builder, TEXT("Shop"), &latitude, ERROR) != PINVIEW_OK);
    EXPECT(strstr(last_message(), "'location'") != NULL);
    OK(pinview_model_builder_add_attribute(builder, TEXT("Shop"), &name, ERROR));
    EXPECT(pinview_model_builder_add_attribute(builder, TEXT("Shop"), &city, ERROR) != PINVIEW_OK);
    OK(pinview_model_builder_add_attribute(builder, TEXT("Shop"), &location, ERROR));
    OK(pinview_model_builder_add_attribute(builder, TEXT("Shop"), &latitude, ERROR));
    OK(pinview_model_builder_add_attribute(builder, TEXT("Shop"), &longitude, ERROR));
    EXPECT(pinview_model_builder_add_attribute(builder, TEXT("Shop"), &city, ERROR) != PINVIEW_OK);
    EXPECT(strstr(last_message(), "'location.area'") != NULL);
    OK(pinview_model_builder_add_attribute(builder, TEXT("Shop"), &area, ERROR));
    OK(pinview_model_builder_add_attribute(builder, TEXT("Shop"), &city, ERROR));
    OK(pinview_model_builder_build(builder, &built, ERROR));
    OK(pinview_model_create_from_json(pinview_text(shops_json), &read, ERROR));
    EXPECT(pinview_model_is_equal(built, read));
    pinview_model_release(built);
    pinview_model_release(read);
    pinview_model_builder_release(builder);
}

static void entities_tell_their_composites(void) {
    pinview_model *model = NULL;
    pinview_entity *entity = NULL;
    pinview_composite composite;
    pinview_property property;
    OK(pinview_model_create_from_json(pinview_text(shops_json), &model, ERROR));
    OK(pinview_model_entity_named(model, TEXT("Shop"), &entity, ERROR));
    EXPECT_NUMBER(pinview_entity_composite_count(entity), 2);
    EXPECT_NUMBER(pinview_entity_property_count(entity), 4);
    memset(&composite, 0, sizeof composite);
    composite.struct_size = sizeof composite;
    OK(pinview_entity_composite(entity, 0, &composite, ERROR));
    EXPECT_TEXT(composite.name, "location");
    EXPECT_NUMBER(composite.flags, PINVIEW_PROPERTY_OPTIONAL);
    EXPECT_NUMBER(composite.first_index, 1);
    EXPECT_NUMBER(composite.element_count, 3);
    OK(pinview_entity_composite(entity, 1, &composite, ERROR));
    EXPECT_TEXT(composite.name, "location.area");
    EXPECT_NUMBER(composite.first_index, 3);
    EXPECT_NUMBER(composite.element_count, 1);
    EXPECT(pinview_entity_composite(entity, 2, &composite, ERROR) != PINVIEW_OK);
    memset(&property, 0, sizeof property);
    property.struct_size = sizeof property;
    OK(pinview_entity_property(entity, 3, &property, ERROR));
    EXPECT_TEXT(property.name, "location.area.city");
    pinview_entity_release(entity);
    pinview_model_release(model);
}

static void elements_are_read_and_set_by_key_path(void) {
    data_stack stack = stack_of_model("shops.sqlite", shops_json);
    pinview_context *context = context_on(&stack), *reader = context_on(&stack);
    pinview_object *shop = insert_object(context, "Shop", "a");
    pinview_value value = pinview_value_double(48.5);
    EXPECT(double_of(shop, "location.longitude") == 5);
    OK(pinview_object_set_value(shop, TEXT("location.latitude"), &value, ERROR));
    set_text(shop, "location.area.city", "Paris");
    EXPECT(pinview_object_value(shop, TEXT("location"), &value, ERROR) != PINVIEW_OK);
    EXPECT(strstr(last_message(), "composite attribute") != NULL && strstr(last_message(), "location.latitude") != NULL);
    save(context);

    pinview_predicate *paris = predicate("location.area.city == %@ AND location.latitude > 48", "Paris");
    pinview_fetch_request request;
    pinview_result *result = NULL;
    memset(&request, 0, sizeof request);
    request.struct_size = sizeof request;
    request.entity = TEXT("Shop");
    request.predicate = paris;
    OK(pinview_context_fetch(reader, &request, &result, ERROR));
    EXPECT_NUMBER(pinview_result_count(result), 1);
    pinview_result_release(result);
    pinview_predicate_release(paris);
    pinview_object_release(shop);
    pinview_context_release(context);
    pinview_context_release(reader);
    stack_close(&stack);
}

static void a_composite_is_set_as_a_whole(void) {
    data_stack stack = stack_of_model("shops.sqlite", shops_json);
    pinview_context *context = context_on(&stack);
    pinview_object *shop = insert_object(context, "Shop", "a");
    const pinview_named_value whole[] = {
        pinview_named("latitude", pinview_value_double(1)), pinview_named("area.city", pinview_value_text("Rome"))};
    const pinview_named_value unknown[] = {
        pinview_named("latitude", pinview_value_double(2)), pinview_named("height", pinview_value_double(2))};
    const pinview_named_value wrong[] = {
        pinview_named("latitude", pinview_value_double(2)), pinview_named("area.city", pinview_value_double(2))};

    OK(pinview_object_set_composite(shop, TEXT("location"), whole, 2, ERROR));
    EXPECT(double_of(shop, "location.latitude") == 1 && double_of(shop, "location.longitude") == 5);
    EXPECT_TEXT(text_of(shop, "location.area.city"), "Rome");

    FAILS(PINVIEW_ERROR_UNKNOWN_KEY, pinview_object_set_composite(shop, TEXT("location"), unknown, 2, ERROR));
    EXPECT(strstr(last_message(), "height") != NULL);
    FAILS(PINVIEW_ERROR_WRONG_TYPE, pinview_object_set_composite(shop, TEXT("location"), wrong, 2, ERROR));
    EXPECT(strstr(last_message(), "location.area.city") != NULL);
    FAILS(PINVIEW_ERROR_UNKNOWN_KEY, pinview_object_set_composite(shop, TEXT("name"), whole, 2, ERROR));
    EXPECT(double_of(shop, "location.latitude") == 1);

    /* Without elements they have their defaults; without an array they are null. */
    OK(pinview_object_set_composite(shop, TEXT("location"), whole, 0, ERROR));
    EXPECT(is_null(shop, "location.latitude") && double_of(shop, "location.longitude") == 5);
    OK(pinview_object_set_composite(shop, TEXT("location"), NULL, 0, ERROR));
    EXPECT(is_null(shop, "location.longitude") && is_null(shop, "location.area.city"));
    save(context);

    /* What is required is so once there is a value. */
    set_text(shop, "location.area.city", "Oslo");
    EXPECT(pinview_context_save(context, ERROR) != PINVIEW_OK);
    EXPECT(strstr(last_message(), "Shop.location.latitude") != NULL);
    pinview_object_release(shop);
    pinview_context_release(context);
    stack_close(&stack);
}

static const test_case tests[] = {
    {"MDL-12: a builder adds the elements of a composite attribute by key path", a_builder_adds_elements_by_key_path},
    {"MDL-12: entities tell their composite attributes", entities_tell_their_composites},
    {"MDL-12: elements are read, set and fetched by key path", elements_are_read_and_set_by_key_path},
    {"MDL-12: a composite attribute is set as a whole", a_composite_is_set_as_a_whole},
};
const test_topic composites_topic = TOPIC("composites", tests);
