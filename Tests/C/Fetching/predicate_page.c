/* Checks docs/predicates.md: each example of its tables finds, computes or fails as
 * the page says. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support.h"
#include "topics.h"

enum { cell_limit = 10, size_limit = 1 << 16 };

/* A row of a table: its cells without the quotes of code, and the first cell of the table's head. */
typedef struct {
    char *cells[cell_limit];
    int count;
} table_row;

typedef struct {
    data_stack stack;
    pinview_context *context;
    pinview_fetch_request request;
    pinview_result *everybody;
} page_scene;

/* The page, read again, because parsing it cuts it into pieces. */
static char *read_page(void) {
    static char text[size_limit];
    char path[1024];
    snprintf(path, sizeof path, "%.*s../../../docs/predicates.md", (int)(strrchr(__FILE__, '/') + 1 - __FILE__), __FILE__);
    FILE *file = fopen(path, "r");
    REQUIRE(file != NULL);
    const size_t size = fread(text, 1, sizeof text - 1, file);
    fclose(file);
    REQUIRE(size > 0 && size < sizeof text - 1);
    text[size] = '\0';
    return text;
}

static char *stripped(char *cell) {
    while (*cell == ' ') cell++;
    size_t size = strlen(cell);
    while (size > 0 && cell[size - 1] == ' ') cell[--size] = '\0';
    if (size > 1 && cell[0] == '`' && cell[size - 1] == '`') {
        cell[size - 1] = '\0';
        cell++;
    }
    return cell;
}

/* Cuts a line at its bars; a masked bar loses its mask. */
static table_row cut(char *line) {
    table_row row = {{NULL}, 0};
    char *target = ++line, *cell = line;
    for (char *source = line; *source != '\0'; source++) {
        if (source[0] == '\\' && source[1] == '|') {
            *target++ = *++source;
        } else if (*source == '|') {
            *target++ = '\0';
            REQUIRE(row.count < cell_limit);
            row.cells[row.count++] = stripped(cell);
            cell = target;
        } else {
            *target++ = *source;
        }
    }
    return row;
}

/* Does something with each row of the tables whose head begins with a word; gives how many there
 * are. */
static int each_row(char *text, const char *first, void (*body)(page_scene *scene, const table_row *row), page_scene *scene) {
    char *rest = NULL;
    int is_wanted = 0, is_in_table = 0, count = 0;
    for (char *line = text; line != NULL; line = rest) {
        rest = strchr(line, '\n');
        if (rest != NULL) *rest++ = '\0';
        if (*line != '|') {
            is_in_table = 0;
            continue;
        }
        const table_row row = cut(line);
        if (!is_in_table) {
            is_in_table = 1;
            is_wanted = strcmp(row.cells[0], first) == 0;
        } else if (is_wanted && strncmp(row.cells[0], "---", 3) != 0) {
            body(scene, &row);
            count++;
        }
    }
    return count;
}

/* nil for an empty cell. */
static void set_cell(pinview_object *object, const char *key, const char *cell, int32_t type) {
    pinview_value value = pinview_value_text(cell);
    value.type = *cell == '\0' ? PINVIEW_VALUE_NULL : type;
    if (type == PINVIEW_VALUE_INTEGER) value.as.integer = atoll(cell);
    if (type == PINVIEW_VALUE_DOUBLE || type == PINVIEW_VALUE_DATE) value.as.real = atof(cell);
    OK(pinview_object_set_value(object, TEXT(key), &value, ERROR));
}

static void add_person(page_scene *scene, const table_row *row) {
    pinview_object *person = insert_object(scene->context, row->cells[0], row->cells[1]);
    set_cell(person, "age", row->cells[2], PINVIEW_VALUE_INTEGER);
    set_cell(person, "height", row->cells[3], PINVIEW_VALUE_DOUBLE);
    set_cell(person, "email", row->cells[4], PINVIEW_VALUE_STRING);
    set_cell(person, "born", row->cells[5], PINVIEW_VALUE_DATE);
    set_cell(person, "in", row->cells[6], PINVIEW_VALUE_STRING);
    if (*row->cells[7] != '\0') {
        pinview_object *boss = one_named(scene->context, "Person", row->cells[7]);
        const pinview_value value = pinview_value_object(boss);
        OK(pinview_object_set_value(person, TEXT("boss"), &value, ERROR));
        pinview_object_release(boss);
    }
    pinview_object_release(person);
}

static void add_car(page_scene *scene, const table_row *row) {
    pinview_object *car = NULL, *owner = one_named(scene->context, "Person", row->cells[3]);
    OK(pinview_context_insert_new_object(scene->context, TEXT("Car"), &car, ERROR));
    set_cell(car, "brand", row->cells[1], PINVIEW_VALUE_STRING);
    set_cell(car, "price", row->cells[2], PINVIEW_VALUE_DECIMAL);
    OK(pinview_object_add_related_object(owner, TEXT("cars"), car, ERROR));
    pinview_object_release(car);
    pinview_object_release(owner);
}

static page_scene set_up(void) {
    static const pinview_sort_descriptor by_name = {{"name", 4}, 0, PINVIEW_COMPARATOR_BINARY};
    page_scene scene;
    memset(&scene, 0, sizeof scene);
    char *json = strstr(read_page(), "```json\n");
    REQUIRE(json != NULL);
    *strstr(json + 8, "```") = '\0';
    OK(pinview_model_create_from_json(pinview_text(json + 8), &scene.stack.model, ERROR));
    OK(pinview_coordinator_create(scene.stack.model, &scene.stack.coordinator, ERROR));
    OK(pinview_coordinator_add_store(scene.stack.coordinator, TEXT(PINVIEW_STORE_TYPE_SQLITE), pinview_absent(),
                                     pinview_text(test_path("page.sqlite")), NULL, 0, &scene.stack.store, ERROR));
    scene.context = context_on(&scene.stack);
    EXPECT_NUMBER(each_row(read_page(), "Person", add_person, &scene), 5);
    EXPECT_NUMBER(each_row(read_page(), "Car", add_car, &scene), 4);
    save(scene.context);
    OK(pinview_fetch_request_init(&scene.request, sizeof scene.request, TEXT("Person"), ERROR));
    scene.request.sort_descriptors = &by_name;
    scene.request.sort_descriptor_count = 1;
    OK(pinview_context_fetch(scene.context, &scene.request, &scene.everybody, ERROR));
    return scene;
}

static void tear_down(page_scene *scene) {
    pinview_result_release(scene->everybody);
    pinview_context_release(scene->context);
    stack_close(&scene->stack);
}

/* The names of those that satisfy a predicate, joined by commas; with NULL all of the result. */
static void join_names(pinview_result *people, const pinview_predicate *predicate, char *names, size_t size) {
    names[0] = '\0';
    for (uint64_t index = 0; index < pinview_result_count(people); index++) {
        pinview_object *person = NULL;
        int32_t holds = 1;
        OK(pinview_result_object(people, index, &person, ERROR));
        if (predicate != NULL) OK(pinview_predicate_evaluate(predicate, person, &holds, ERROR));
        if (holds) snprintf(names + strlen(names), size - strlen(names), "%s%s", *names == '\0' ? "" : ", ", text_of(person, "name").data);
        pinview_object_release(person);
    }
}

/* A store and the judgement in memory find what the page says. Takes the predicate over. */
static void check(page_scene *scene, pinview_predicate *predicate, const char *format, const char *expected) {
    char stored[256], judged[256];
    pinview_result *people = NULL;
    scene->request.predicate = predicate;
    OK(pinview_context_fetch(scene->context, &scene->request, &people, ERROR));
    join_names(people, NULL, stored, sizeof stored);
    join_names(scene->everybody, predicate, judged, sizeof judged);
    if (strcmp(stored, expected) != 0) test_failed(__FILE__, __LINE__, "%s finds %s, not %s", format, stored, expected);
    if (strcmp(judged, expected) != 0) test_failed(__FILE__, __LINE__, "%s finds %s in memory, not %s", format, judged, expected);
    pinview_result_release(people);
    pinview_predicate_release(predicate);
}

/* Texts in quotes and numbers, separated by commas. */
static size_t parse_arguments(char *text, pinview_value *arguments) {
    size_t count = 0;
    while (*text != '\0') {
        if (*text == '"') {
            char *end = strchr(text + 1, '"');
            REQUIRE(end != NULL);
            *end = '\0';
            arguments[count++] = pinview_value_text(text + 1);
            text = end + 1;
        } else {
            arguments[count++] = pinview_value_integer(strtoll(text, &text, 10));
        }
        while (*text == ',' || *text == ' ') text++;
    }
    return count;
}

static void check_example(page_scene *scene, const table_row *row) {
    pinview_value arguments[4];
    pinview_predicate *predicate = NULL;
    const size_t count = row->count == 3 ? parse_arguments(row->cells[1], arguments) : 0;
    OK(pinview_predicate_create(pinview_text(row->cells[0]), arguments, count, &predicate, ERROR));
    check(scene, predicate, row->cells[0], row->cells[row->count - 1]);
}

static void check_computed(page_scene *scene, const table_row *row) {
    char format[512];
    pinview_predicate *predicate = NULL;
    snprintf(format, sizeof format, "name == \"Ada\" AND %s == %s", row->cells[0], row->cells[1]);
    OK(pinview_predicate_create(pinview_text(format), NULL, 0, &predicate, ERROR));
    check(scene, predicate, format, "Ada");
}

static void check_refused(page_scene *scene, const table_row *row) {
    pinview_predicate *predicate = NULL;
    pinview_error *error = NULL;
    int64_t count = 0;
    scene->request.predicate = NULL;
    pinview_status status = pinview_predicate_create(pinview_text(row->cells[0]), NULL, 0, &predicate, &error);
    if (status == PINVIEW_OK) {
        scene->request.predicate = predicate;
        status = pinview_context_count(scene->context, &scene->request, &count, &error);
    }
    const char *message = error == NULL ? "no error" : pinview_error_message(error).data;
    EXPECT(status == PINVIEW_ERROR_BAD_PREDICATE || status == PINVIEW_ERROR_UNKNOWN_KEY);
    if (strstr(message, row->cells[1]) == NULL) test_failed(__FILE__, __LINE__, "%s: %s", row->cells[0], message);
    pinview_error_release(error);
    pinview_predicate_release(predicate);
}

static void the_page_is_right(void) {
    page_scene scene = set_up();
    EXPECT(each_row(read_page(), "Predicate", check_example, &scene) > 100);
    EXPECT(each_row(read_page(), "Expression", check_computed, &scene) > 40);
    EXPECT(each_row(read_page(), "Refused", check_refused, &scene) > 15);
    tear_down(&scene);
}

static const test_case tests[] = {
    {"FET-17 to FET-19: every example of docs/predicates.md finds, computes or fails as the page says", the_page_is_right},
};

const test_topic predicate_page_topic = TOPIC("predicate page", tests);
