/* The examples of the documents: EX-24 to EX-27. (EX-28 is in diagnostics.c.) */
#include <stdio.h>
#include <string.h>

#include "support.h"
#include "topics.h"

static const char quake_json[] =
    "{\"entities\":[{\"name\":\"Quake\",\"attributes\":[{\"name\":\"place\",\"type\":\"string\"},{\"name\":\"magnitude\",\"type\":\"double\"}]}]}";

typedef struct {
    pinview_model *model;
    pinview_container *container;
    pinview_context *view;
} quake_scene;

static quake_scene set_up(const char *json) {
    quake_scene scene = {NULL, NULL, NULL};
    OK(pinview_model_create_from_json(pinview_text(json), &scene.model, ERROR));
    OK(pinview_container_create(TEXT("Example"), scene.model, pinview_text(test_path("example.sqlite")), NULL, 0, &scene.container, ERROR));
    OK(pinview_container_load_stores(scene.container, ERROR));
    OK(pinview_container_view_context(scene.container, &scene.view, ERROR));
    return scene;
}

static void tear_down(quake_scene *scene) {
    pinview_context_release(scene->view);
    pinview_container_release(scene->container);
    pinview_model_release(scene->model);
}

static void add_in_background(quake_scene *scene, const char *entity, int count) {
    pinview_context *background = NULL;
    OK(pinview_container_new_background_context(scene->container, &background, ERROR));
    for (int number = 0; number < count; number++) OK(pinview_context_insert_new_object(background, pinview_text(entity), NULL, ERROR));
    save(background);
    pinview_context_release(background);
}

static void the_view_context_is_pinned_and_unpinned(void) {
    quake_scene scene = set_up(quake_json);
    pin(scene.view);
    add_in_background(&scene, "Quake", 1);
    EXPECT_NUMBER(count_named(scene.view, "Quake", NULL), 1); /* the first fetch pins */
    add_in_background(&scene, "Quake", 1);
    EXPECT_NUMBER(count_named(scene.view, "Quake", NULL), 1);
    OK(pinview_context_set_query_generation(scene.view, NULL, ERROR));
    EXPECT_NUMBER(count_named(scene.view, "Quake", NULL), 2);
    tear_down(&scene);
}

static void the_view_context_is_advanced(void) {
    quake_scene scene = set_up(quake_json);
    pin(scene.view);
    EXPECT_NUMBER(count_named(scene.view, "Quake", NULL), 0);
    add_in_background(&scene, "Quake", 3);
    EXPECT_NUMBER(count_named(scene.view, "Quake", NULL), 0);
    pin(scene.view);
    EXPECT_NUMBER(count_named(scene.view, "Quake", NULL), 3);
    tear_down(&scene);
}

static pinview_result *fetch_quakes(quake_scene *scene) {
    pinview_fetch_request request;
    pinview_result *quakes = NULL;
    OK(pinview_fetch_request_init(&request, sizeof request, TEXT("Quake"), ERROR));
    request.batch_size = 10;
    OK(pinview_context_fetch(scene->view, &request, &quakes, ERROR));
    return quakes;
}

static void count_selects(pinview_string line, void *userdata) {
    if (strstr(line.data, "SELECT") != NULL || strstr(line.data, "select") != NULL) ++*(int *)userdata;
}

static void quakes_come_in_pages(void) {
    quake_scene scene = set_up(quake_json);
    int selects = 0, pages = 0;
    add_in_background(&scene, "Quake", 25);
    pinview_result *quakes = fetch_quakes(&scene);
    EXPECT_NUMBER(pinview_result_count(quakes), 25);
    OK(pinview_sql_log_set_callback(count_selects, &selects, NULL, ERROR));
    pinview_sql_log_set_enabled(1);
    for (uint64_t index = 0; index < 25; index++) {
        pinview_object *quake = NULL;
        pinview_value place;
        int before = selects;
        OK(pinview_result_object(quakes, index, &quake, ERROR));
        OK(pinview_object_value(quake, TEXT("place"), &place, ERROR));
        pinview_object_release(quake);
        if (selects != before) {
            pages++;
            EXPECT_NUMBER(index % 10, 0);
            EXPECT_NUMBER(selects - before, 1);
        }
    }
    pinview_sql_log_set_enabled(0);
    OK(pinview_sql_log_set_callback(NULL, NULL, NULL, ERROR));
    EXPECT_NUMBER(pages, 3);
    pinview_result_release(quakes);
    tear_down(&scene);
}

static void delete_all_quakes(quake_scene *scene) {
    pinview_context *background = NULL;
    OK(pinview_container_new_background_context(scene->container, &background, ERROR));
    pinview_result *quakes = fetch_named(background, "Quake", NULL);
    for (uint64_t index = 0; index < pinview_result_count(quakes); index++) {
        pinview_object *quake = NULL;
        OK(pinview_result_object(quakes, index, &quake, ERROR));
        OK(pinview_context_delete(background, quake, ERROR));
        pinview_object_release(quake);
    }
    save(background);
    pinview_result_release(quakes);
    pinview_context_release(background);
}

static void deleted_quakes_stay_in_a_pinned_view(void) {
    quake_scene scene = set_up(quake_json);
    add_in_background(&scene, "Quake", 25);
    pin(scene.view);
    EXPECT_NUMBER(count_named(scene.view, "Quake", NULL), 25);
    delete_all_quakes(&scene);
    pinview_result *quakes = fetch_quakes(&scene);
    EXPECT_NUMBER(pinview_result_count(quakes), 25);
    for (uint64_t index = 0; index < pinview_result_count(quakes); index++) {
        pinview_object *quake = NULL;
        pinview_value place;
        OK(pinview_result_object(quakes, index, &quake, ERROR));
        OK(pinview_object_value(quake, TEXT("place"), &place, ERROR));
        EXPECT(!(state_of(quake) & PINVIEW_OBJECT_DELETED));
        pinview_object_release(quake);
    }
    pinview_result_release(quakes);
    OK(pinview_context_set_query_generation(scene.view, NULL, ERROR));
    quakes = fetch_quakes(&scene);
    EXPECT_NUMBER(pinview_result_count(quakes), 0);
    pinview_result_release(quakes);
    tear_down(&scene);
}

static const test_case tests[] = {
    {"EX-24: the view context is pinned by its first fetch, and unpinned", the_view_context_is_pinned_and_unpinned},
    {"EX-25: the view context is advanced by pinning it again", the_view_context_is_advanced},
    {"EX-26: 25 quakes come in pages of 10, 10 and 5", quakes_come_in_pages},
    {"EX-27: quakes that others deleted stay in a pinned view", deleted_quakes_stay_in_a_pinned_view},
};
const test_topic examples_topic = TOPIC("examples", tests);
