/* Fetch request templates, fetched properties and results controllers. */
#include <stdio.h>
#include <string.h>

#include "support.h"
#include "topics.h"

static const char model_json[] =
    "{\"entities\":[{\"name\":\"Person\",\"attributes\":[{\"name\":\"name\",\"type\":\"string\"},{\"name\":\"city\",\"type\":\"string\"},"
    "{\"name\":\"age\",\"type\":\"integer64\",\"default\":0}],\"fetchedProperties\":[{\"name\":\"neighbours\",\"fetchRequest\":"
    "{\"entity\":\"Person\",\"predicate\":\"city == $FETCH_SOURCE.city AND SELF != $FETCH_SOURCE\",\"sort\":[{\"key\":\"name\"}]}}]}],"
    "\"fetchRequests\":[{\"name\":\"older\",\"entity\":\"Person\",\"predicate\":\"age > $AGE\",\"limit\":2,"
    "\"sort\":[{\"key\":\"age\",\"ascending\":false}]}]}";

typedef struct {
    pinview_model *model;
    pinview_coordinator *coordinator;
    pinview_context *context, *other;
} results_scene;

static pinview_context *context_of(pinview_coordinator *coordinator) {
    pinview_context *context = NULL;
    OK(pinview_context_create(PINVIEW_CONCURRENCY_PRIVATE_QUEUE, &context, ERROR));
    OK(pinview_context_set_coordinator(context, coordinator, ERROR));
    return context;
}

static pinview_object *add(pinview_context *context, const char *name, const char *city, int64_t age) {
    pinview_object *person = insert_object(context, "Person", name);
    set_text(person, "city", city);
    set_integer(person, "age", age);
    return person;
}

static results_scene set_up(void) {
    results_scene scene;
    memset(&scene, 0, sizeof scene);
    OK(pinview_model_create_from_json(TEXT(model_json), &scene.model, ERROR));
    OK(pinview_coordinator_create(scene.model, &scene.coordinator, ERROR));
    OK(pinview_coordinator_add_store(scene.coordinator, TEXT(PINVIEW_STORE_TYPE_SQLITE), pinview_absent(), TEXT(test_path("r.sqlite")), NULL,
                                     0, NULL, ERROR));
    scene.context = context_of(scene.coordinator);
    scene.other = context_of(scene.coordinator);
    pinview_object *people[] = {add(scene.other, "ann", "Ayr", 30), add(scene.other, "bob", "Bath", 20), add(scene.other, "amy", "Ayr", 40)};
    save(scene.other);
    pinview_objects_release((pinview_object *const *)people, 3);
    return scene;
}

static void tear_down(results_scene *scene) {
    pinview_context_release(scene->context);
    pinview_context_release(scene->other);
    pinview_coordinator_release(scene->coordinator);
    pinview_model_release(scene->model);
}

static void templates_become_requests(void) {
    results_scene scene = set_up();
    pinview_fetch_template *made = NULL;
    pinview_named_value age = {TEXT("AGE"), pinview_value_integer(25)};
    OK(pinview_model_fetch_request_from_template(scene.model, TEXT("older"), &age, 1, &made, ERROR));
    const pinview_fetch_request *request = pinview_fetch_template_request(made);
    REQUIRE(request != NULL);
    EXPECT_TEXT(request->entity, "Person");
    EXPECT_NUMBER(request->limit, 2);
    EXPECT_NUMBER(request->sort_descriptor_count, 1);
    EXPECT_NUMBER(request->sort_descriptors[0].is_descending, 1);
    pinview_result *people = NULL;
    pinview_object *eldest = NULL;
    OK(pinview_context_fetch(scene.context, request, &people, ERROR));
    EXPECT_NUMBER(pinview_result_count(people), 2);
    OK(pinview_result_object(people, 0, &eldest, ERROR));
    EXPECT_TEXT(text_of(eldest, "name"), "amy");
    pinview_object_release(eldest);
    pinview_result_release(people);
    pinview_fetch_template_release(made);
    EXPECT(pinview_fetch_template_request(made) == NULL);

    FAILS(PINVIEW_ERROR_BAD_PREDICATE, pinview_model_fetch_request_from_template(scene.model, TEXT("older"), NULL, 0, &made, ERROR));
    FAILS(PINVIEW_ERROR_UNKNOWN_KEY, pinview_model_fetch_request_from_template(scene.model, TEXT("none"), &age, 1, &made, ERROR));
    tear_down(&scene);
}

static void templates_are_kept_by_the_model(void) {
    pinview_model *model = NULL, *again = NULL;
    pinview_fetch_request request;
    pinview_fetch_template *template = NULL;
    pinview_string text;
    OK(pinview_model_create_from_json(TEXT(model_json), &model, ERROR));
    OK(pinview_fetch_request_init(&request, sizeof request, TEXT("Person"), ERROR));
    pinview_predicate *named = NULL;
    OK(pinview_predicate_create(TEXT("name == $NAME"), NULL, 0, &named, ERROR));
    request.predicate = named;
    OK(pinview_model_set_fetch_request_template(model, TEXT("named"), &request, ERROR));
    EXPECT_NUMBER(pinview_model_fetch_request_template_count(model), 2);
    OK(pinview_model_fetch_request_template_name(model, 0, &text, ERROR));
    EXPECT_TEXT(text, "named");
    FAILS(PINVIEW_ERROR_INVALID_ARGUMENT, pinview_model_fetch_request_template_name(model, 2, &text, ERROR));

    OK(pinview_model_json(model, &text, ERROR));
    OK(pinview_model_create_from_json(text, &again, ERROR));
    OK(pinview_model_fetch_request_template(again, TEXT("named"), &template, ERROR));
    EXPECT(pinview_predicate_is_equal(pinview_fetch_template_request(template)->predicate, named));
    pinview_fetch_template_release(template);
    OK(pinview_model_set_fetch_request_template(again, TEXT("named"), NULL, ERROR));
    OK(pinview_model_fetch_request_template(again, TEXT("named"), &template, ERROR));
    EXPECT(template == NULL);
    pinview_predicate_release(named);
    pinview_model_release(again);
    pinview_model_release(model);
}

static void fetched_properties_are_fetched_once(void) {
    results_scene scene = set_up();
    pinview_object *ann = one_named(scene.context, "Person", "ann"), *neighbour = NULL;
    pinview_result *neighbours = NULL;
    OK(pinview_object_fetched_objects(ann, TEXT("neighbours"), &neighbours, ERROR));
    EXPECT_NUMBER(pinview_result_count(neighbours), 1);
    OK(pinview_result_object(neighbours, 0, &neighbour, ERROR));
    EXPECT_TEXT(text_of(neighbour, "name"), "amy");
    pinview_object_release(neighbour);
    pinview_result_release(neighbours);

    pinview_object_release(add(scene.other, "abe", "Ayr", 50));
    save(scene.other);
    OK(pinview_object_fetched_objects(ann, TEXT("neighbours"), &neighbours, ERROR));
    EXPECT_NUMBER(pinview_result_count(neighbours), 1);
    pinview_result_release(neighbours);
    OK(pinview_context_refresh(scene.context, ann, 1, ERROR));
    OK(pinview_object_fetched_objects(ann, TEXT("neighbours"), &neighbours, ERROR));
    EXPECT_NUMBER(pinview_result_count(neighbours), 2);
    pinview_result_release(neighbours);

    pinview_value value = pinview_value_null();
    FAILS(PINVIEW_ERROR_UNKNOWN_KEY, pinview_object_set_value(ann, TEXT("neighbours"), &value, ERROR));
    FAILS(PINVIEW_ERROR_UNKNOWN_KEY, pinview_object_fetched_objects(ann, TEXT("name"), &neighbours, ERROR));
    pinview_object_release(ann);
    tear_down(&scene);
}

static void fetched_properties_are_described(void) {
    pinview_model_builder *builder = NULL;
    pinview_model *model = NULL;
    pinview_entity *entity = NULL;
    pinview_fetch_request request;
    pinview_string name, destination;
    OK(pinview_model_builder_create(&builder, ERROR));
    OK(pinview_model_builder_add_entity(builder, TEXT("Person"), pinview_absent(), 0, ERROR));
    OK(pinview_fetch_request_init(&request, sizeof request, TEXT("Person"), ERROR));
    OK(pinview_model_builder_add_fetched_property(builder, TEXT("Person"), TEXT("everybody"), &request, ERROR));
    OK(pinview_model_builder_build(builder, &model, ERROR));
    OK(pinview_model_entity_named(model, TEXT("Person"), &entity, ERROR));
    EXPECT_NUMBER(pinview_entity_property_count(entity), 0);
    EXPECT_NUMBER(pinview_entity_fetched_property_count(entity), 1);
    OK(pinview_entity_fetched_property(entity, 0, &name, &destination, ERROR));
    EXPECT_TEXT(name, "everybody");
    EXPECT_TEXT(destination, "Person");
    pinview_entity_release(entity);
    pinview_model_release(model);
    pinview_model_builder_release(builder);
}

/* The reports of a controller's callbacks, as a text. */
typedef struct {
    char text[512];
    int freed, failures;
} told;

static void tell(told *story, const char *text) { strncat(story->text, text, sizeof story->text - strlen(story->text) - 1); }

static void will_change(pinview_results_controller *controller, void *userdata) {
    uint64_t count = 0;
    char line[32];
    OK(pinview_results_controller_count(controller, &count, ERROR));
    snprintf(line, sizeof line, "(%d ", (int)count);
    tell(userdata, line);
}

static void did_change(pinview_results_controller *controller, void *userdata) {
    uint64_t count = 0;
    char line[32];
    OK(pinview_results_controller_count(controller, &count, ERROR));
    snprintf(line, sizeof line, "%d)", (int)count);
    tell(userdata, line);
}

static void section_changed(pinview_results_controller *controller, pinview_string name, uint64_t section, int32_t change, void *userdata) {
    char line[64];
    (void)controller;
    snprintf(line, sizeof line, "%s%s %d; ", change == PINVIEW_RESULTS_CHANGE_INSERT ? "+" : "-", name.data, (int)section);
    tell(userdata, line);
}

static void object_changed(pinview_results_controller *controller, pinview_object *object, const pinview_index_path *from,
                           const pinview_index_path *to, int32_t change, void *userdata) {
    char line[96];
    pinview_index_path place;
    OK(pinview_results_controller_index_path(controller, object, &place, ERROR));
    if (to != NULL) EXPECT(place.section == to->section && place.item == to->item);
    else EXPECT(place.section == UINT64_MAX && place.item == UINT64_MAX);
    snprintf(line, sizeof line, "%d %d.%d %d.%d; ", (int)change, from ? (int)from->section : -1, from ? (int)from->item : -1,
             to ? (int)to->section : -1, to ? (int)to->item : -1);
    tell(userdata, line);
}

static void failed(pinview_results_controller *controller, const pinview_error *failure, void *userdata) {
    (void)controller;
    (void)failure;
    ((told *)userdata)->failures++;
}

static void count_freed(void *userdata) { ((told *)userdata)->freed++; }

static pinview_results_controller *controller_of(results_scene *scene, told *story) {
    pinview_results_controller *controller = NULL;
    pinview_fetch_request request;
    const pinview_sort_descriptor order[] = {{TEXT("city"), 0, 0}, {TEXT("name"), 0, 0}};
    const pinview_results_callbacks callbacks = {sizeof callbacks, 0, will_change, section_changed, object_changed, did_change, failed};
    OK(pinview_fetch_request_init(&request, sizeof request, TEXT("Person"), ERROR));
    request.sort_descriptors = order;
    request.sort_descriptor_count = 2;
    OK(pinview_results_controller_create(scene->context, &request, TEXT("city"), &controller, ERROR));
    OK(pinview_results_controller_set_callbacks(controller, &callbacks, story, count_freed, ERROR));
    OK(pinview_results_controller_perform_fetch(controller, ERROR));
    return controller;
}

static void controllers_have_sections(void) {
    results_scene scene = set_up();
    told story = {"", 0, 0};
    pinview_results_controller *controller = controller_of(&scene, &story);
    pinview_results_section section = {.struct_size = sizeof section};
    pinview_result *objects = NULL;
    pinview_object *object = NULL;
    pinview_index_path place;
    uint64_t number = 0;
    OK(pinview_results_controller_section_count(controller, &number, ERROR));
    EXPECT_NUMBER(number, 2);
    OK(pinview_results_controller_section(controller, 1, &section, ERROR));
    EXPECT_TEXT(section.name, "Bath");
    EXPECT_TEXT(section.index_title, "B");
    EXPECT_NUMBER(section.count, 1);
    OK(pinview_results_controller_section_objects(controller, 0, &objects, ERROR));
    EXPECT_NUMBER(pinview_result_count(objects), 2);
    pinview_result_release(objects);
    OK(pinview_results_controller_objects(controller, &objects, ERROR));
    EXPECT_NUMBER(pinview_result_count(objects), 3);
    pinview_result_release(objects);
    OK(pinview_results_controller_section_for_index_title(controller, TEXT("B"), &number, ERROR));
    EXPECT_NUMBER(number, 1);
    FAILS(PINVIEW_ERROR_INVALID_ARGUMENT, pinview_results_controller_section_for_index_title(controller, TEXT("Z"), &number, ERROR));
    OK(pinview_results_controller_object(controller, 0, 1, &object, ERROR));
    EXPECT_TEXT(text_of(object, "name"), "ann");
    OK(pinview_results_controller_index_path(controller, object, &place, ERROR));
    EXPECT(place.section == 0 && place.item == 1);
    pinview_object_release(object);
    FAILS(PINVIEW_ERROR_INVALID_ARGUMENT, pinview_results_controller_object(controller, 0, 2, &object, ERROR));
    FAILS(PINVIEW_ERROR_INVALID_ARGUMENT, pinview_results_controller_object(controller, UINT64_MAX, UINT64_MAX, &object, ERROR));
    FAILS(PINVIEW_ERROR_INVALID_ARGUMENT, pinview_results_controller_section(controller, 2, &section, ERROR));
    pinview_results_controller_release(controller);
    EXPECT_NUMBER(story.freed, 1);
    tear_down(&scene);
}

static void controllers_tell_what_changes(void) {
    results_scene scene = set_up();
    told story = {"", 0, 0};
    pinview_results_controller *controller = controller_of(&scene, &story);
    pinview_object *bob = one_named(scene.context, "Person", "bob");
    set_text(bob, "city", "Ayr");
    OK(pinview_context_process_pending_changes(scene.context, ERROR));
    EXPECT_TEXT(pinview_text(story.text), "(3 -Bath 1; 3 1.0 0.2; 3)");
    story.text[0] = 0;
    pinview_object_release(add(scene.context, "eve", "Ely", 1));
    OK(pinview_context_process_pending_changes(scene.context, ERROR));
    EXPECT_TEXT(pinview_text(story.text), "(3 +Ely 1; 1 -1.-1 1.0; 4)");
    OK(pinview_results_controller_set_callbacks(controller, NULL, NULL, NULL, ERROR));
    EXPECT_NUMBER(story.freed, 1);
    story.text[0] = 0;
    OK(pinview_context_delete(scene.context, bob, ERROR));
    OK(pinview_context_process_pending_changes(scene.context, ERROR));
    EXPECT_TEXT(pinview_text(story.text), "");
    EXPECT_NUMBER(story.failures, 0);
    pinview_object_release(bob);
    pinview_results_controller_release(controller);
    tear_down(&scene);
}

static void pinned_controllers_stand_still(void) {
    results_scene scene = set_up();
    told story = {"", 0, 0};
    OK(pinview_context_set_query_generation(scene.context, pinview_token_current(), ERROR));
    pinview_results_controller *controller = controller_of(&scene, &story);
    pinview_object *amy = one_named(scene.other, "Person", "amy");
    OK(pinview_context_delete(scene.other, amy, ERROR));
    pinview_object_release(add(scene.other, "zoe", "Ayr", 1));
    save(scene.other);
    EXPECT_TEXT(pinview_text(story.text), "");
    OK(pinview_context_set_query_generation(scene.context, pinview_token_current(), ERROR));
    EXPECT_TEXT(pinview_text(story.text), "(3 2 0.0 -1.-1; 1 -1.-1 0.1; 3)");
    pinview_object_release(amy);
    pinview_results_controller_release(controller);
    tear_down(&scene);
}

static void controllers_refuse_what_they_cannot_do(void) {
    results_scene scene = set_up();
    pinview_results_controller *controller = NULL;
    pinview_fetch_request request;
    pinview_result *objects = NULL;
    uint64_t count = 0;
    OK(pinview_fetch_request_init(&request, sizeof request, TEXT("Person"), ERROR));
    FAILS(PINVIEW_ERROR_INVALID_ARGUMENT, pinview_results_controller_create(scene.context, &request, pinview_absent(), &controller, ERROR));
    EXPECT(controller == NULL);
    const pinview_sort_descriptor by_name = {TEXT("name"), 0, 0};
    request.sort_descriptors = &by_name;
    request.sort_descriptor_count = 1;
    OK(pinview_results_controller_create(scene.context, &request, TEXT("age"), &controller, ERROR));
    FAILS(PINVIEW_ERROR_INVALID_ARGUMENT, pinview_results_controller_objects(controller, &objects, ERROR));
    FAILS(PINVIEW_ERROR_INVALID_ARGUMENT, pinview_results_controller_count(controller, &count, ERROR));
    pinview_results_controller_release(controller);
    OK(pinview_results_controller_create(scene.context, &request, TEXT("nothing"), &controller, ERROR));
    FAILS(PINVIEW_ERROR_UNKNOWN_KEY, pinview_results_controller_perform_fetch(controller, ERROR));
    pinview_results_controller_release(controller);
    tear_down(&scene);
}

static const test_case tests[] = {
    {"templates become requests", templates_become_requests},
    {"templates are kept by the model", templates_are_kept_by_the_model},
    {"fetched properties are fetched once", fetched_properties_are_fetched_once},
    {"fetched properties are described", fetched_properties_are_described},
    {"results controllers have sections", controllers_have_sections},
    {"results controllers tell what changes", controllers_tell_what_changes},
    {"pinned results controllers stand still until they advance", pinned_controllers_stand_still},
    {"results controllers refuse what they cannot do", controllers_refuse_what_they_cannot_do},
};
const test_topic results_topic = TOPIC("results", tests);
