/* Does one operation of the library many times and prints what it took that does not wobble: calls
 * of malloc, calloc and realloc, and statements sent to SQLite.
 *
 * usage: counts OPERATION FOLDER COUNT [callgrind]
 *
 * Prints `allocations NUMBER` and `statements NUMBER`, of the operation alone. With `callgrind` it
 * prints nothing, and lets valgrind count instructions during the operation (--tool=callgrind
 * --instr-atstart=no). */
#include "raw_sqlite.h" /* whose malloc counts its calls */

#include <pinview.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <valgrind/callgrind.h>

/* When the operation began. */
static int64_t allocations;
static int64_t statements;

static const char *const model_text =
    "{\"entities\": ["
    "{\"name\": \"Person\", \"attributes\": [{\"name\": \"name\", \"type\": \"string\"}, {\"name\": \"email\", \"type\": \"string\"},"
    " {\"name\": \"age\", \"type\": \"integer16\"}, {\"name\": \"height\", \"type\": \"double\"}],"
    " \"relationships\": [{\"name\": \"cars\", \"destination\": \"Car\", \"inverse\": \"owner\", \"toMany\": true}]},"
    "{\"name\": \"Car\", \"attributes\": [{\"name\": \"plate\", \"type\": \"string\"}, {\"name\": \"year\", \"type\": \"integer16\"}],"
    " \"relationships\": [{\"name\": \"owner\", \"destination\": \"Person\", \"inverse\": \"cars\"}]},"
    "{\"name\": \"Shelf\", \"attributes\": [{\"name\": \"name\", \"type\": \"string\"}],"
    " \"relationships\": [{\"name\": \"books\", \"destination\": \"Book\", \"inverse\": \"shelf\", \"toMany\": true, \"ordered\": true}]},"
    "{\"name\": \"Book\", \"attributes\": [{\"name\": \"name\", \"type\": \"string\"}],"
    " \"relationships\": [{\"name\": \"shelf\", \"destination\": \"Shelf\", \"inverse\": \"books\"},"
    " {\"name\": \"chapters\", \"destination\": \"Chapter\", \"inverse\": \"book\", \"toMany\": true}]},"
    "{\"name\": \"Chapter\", \"attributes\": [{\"name\": \"name\", \"type\": \"string\"}],"
    " \"relationships\": [{\"name\": \"book\", \"destination\": \"Book\", \"inverse\": \"chapters\"}]}]}";

static pinview_error *error;

static void check(pinview_status status) {
    if (status == PINVIEW_OK) return;
    fprintf(stderr, "counts: %s\n", pinview_error_message(error).data);
    exit(EXIT_FAILURE);
}

static void count_statement(pinview_string line, void *userdata) {
    (void)userdata;
    statements += line.data != NULL && strncmp(line.data, "CoreData: sql: ", 15) == 0;
}

static const char *operation;
static int64_t count;
static int is_under_callgrind;
static pinview_model *model;
static pinview_coordinator *coordinator;
static pinview_store *store;
static int32_t name, age, year;

static int32_t property(const char *entity, const char *key) {
    pinview_entity *found;
    int32_t index;
    check(pinview_model_entity_named(model, pinview_text(entity), &found, &error));
    check(pinview_entity_property_index(found, pinview_text(key), &index, &error));
    check(pinview_entity_release(found));
    return index;
}

static void begin(void) {
    if (is_under_callgrind) {
        CALLGRIND_START_INSTRUMENTATION;
        return;
    }
    pinview_sql_log_set_enabled(1);
    statements = 0;
    allocations = raw_allocations();
}

static void end(void) {
    if (is_under_callgrind) {
        CALLGRIND_STOP_INSTRUMENTATION;
        return;
    }
    const int64_t calls = raw_allocations() - allocations;
    pinview_sql_log_set_enabled(0);
    printf("allocations %lld\nstatements %lld\n", (long long)calls, (long long)statements);
}

static pinview_object_id *object_id(const char *entity, int64_t key) {
    char uri[128];
    pinview_object_id *id;
    snprintf(uri, sizeof uri, "x-coredata://%s/%s/p%lld", pinview_store_identifier(store).data, entity, (long long)key);
    check(pinview_coordinator_object_id(coordinator, pinview_text(uri), &id, &error));
    return id;
}

/* So many objects with a name, by a batch; so many neighbours each refer to the same owner. */
static void fill_related(pinview_context *context, const char *entity, const char *key, const char *owner, int64_t neighbours) {
    const pinview_string names[] = {pinview_text("name"), pinview_text(key != NULL ? key : "")};
    const size_t width = key != NULL ? 2 : 1;
    pinview_value *const values = calloc((size_t)count * width, sizeof *values);
    const pinview_batch_insert request = {
        .struct_size = sizeof request, .result_type = PINVIEW_RESULT_NONE, .entity = pinview_text(entity), .names = names,
        .name_count = width, .values = values, .row_count = (size_t)count};
    for (int64_t row = 0; row < count; row++) {
        pinview_value *const value = &values[(size_t)row * width];
        value[0] = pinview_value_text("something");
        if (key == NULL) continue;
        value[1] = pinview_value_null();
        value[1].type = PINVIEW_VALUE_OBJECT_ID;
        value[1].as.object_id = object_id(owner, row / neighbours + 1);
    }
    check(pinview_context_batch_insert(context, &request, NULL, &error));
    if (key != NULL)
        for (int64_t row = 0; row < count; row++) check(pinview_object_id_release(values[(size_t)row * width + 1].as.object_id));
    free(values);
}

/* So many persons, and a car for each, by batches; so many books with a chapter each, ten on a
 * shelf. */
static void fill(pinview_context *context) {
    const pinview_string person_names[] = {pinview_text("name"), pinview_text("email"), pinview_text("age"), pinview_text("height")};
    const pinview_string car_names[] = {pinview_text("plate"), pinview_text("year"), pinview_text("owner")};
    pinview_value *const values = calloc((size_t)count * 4, sizeof *values);
    char(*const texts)[48] = calloc((size_t)count * 2, sizeof *texts);
    pinview_batch_insert request = {
        .struct_size = sizeof request, .result_type = PINVIEW_RESULT_NONE, .entity = pinview_text("Person"), .names = person_names,
        .name_count = 4, .values = values, .row_count = (size_t)count};
    for (int64_t row = 0; row < count; row++) {
        snprintf(texts[2 * row], sizeof *texts, "Person %lld", (long long)row);
        snprintf(texts[2 * row + 1], sizeof *texts, "person%lld@example.com", (long long)row);
        values[4 * row] = pinview_value_text(texts[2 * row]);
        values[4 * row + 1] = pinview_value_text(texts[2 * row + 1]);
        values[4 * row + 2] = pinview_value_integer(row % 90);
        values[4 * row + 3] = pinview_value_double(1.5);
    }
    check(pinview_context_batch_insert(context, &request, NULL, &error));
    for (int64_t row = 0; row < count; row++) {
        values[3 * row] = pinview_value_text(texts[2 * row]);
        values[3 * row + 1] = pinview_value_integer(1990 + row % 30);
        values[3 * row + 2] = pinview_value_null();
        values[3 * row + 2].type = PINVIEW_VALUE_OBJECT_ID;
        values[3 * row + 2].as.object_id = object_id("Person", row + 1);
    }
    request.entity = pinview_text("Car");
    request.names = car_names;
    request.name_count = 3;
    check(pinview_context_batch_insert(context, &request, NULL, &error));
    for (int64_t row = 0; row < count; row++) check(pinview_object_id_release(values[3 * row + 2].as.object_id));
    free(texts);
    free(values);
    fill_related(context, "Shelf", NULL, NULL, 1);
    fill_related(context, "Book", "shelf", "Shelf", 10);
    fill_related(context, "Chapter", "book", "Book", 1);
}

static pinview_fetch_request request_for(const char *entity) {
    pinview_fetch_request request;
    check(pinview_fetch_request_init(&request, sizeof request, pinview_text(entity), &error));
    request.flags &= ~PINVIEW_FETCH_RETURNS_FAULTS;
    return request;
}

static pinview_object **objects_of(pinview_result *result) {
    pinview_object **const objects = calloc((size_t)count, sizeof *objects);
    check(pinview_result_objects(result, 0, (size_t)count, objects, &error));
    return objects;
}

/* Fetches all objects of an entity; the fetch is what is counted, unless the operation is another
 * one. */
static pinview_result *fetch(pinview_context *context, const char *entity, int is_counted) {
    const pinview_fetch_request request = request_for(entity);
    pinview_result *result;
    if (is_counted) begin();
    check(pinview_context_fetch(context, &request, &result, &error));
    if (is_counted) end();
    return result;
}

static void read_ages(pinview_object *const *objects) {
    for (int64_t row = 0; row < count; row++) {
        pinview_value value;
        check(pinview_object_value_at(objects[row], age, &value, &error));
    }
}

static void follow_owners(pinview_object *const *cars) {
    for (int64_t row = 0; row < count; row++) {
        pinview_object *owner;
        pinview_value value;
        check(pinview_object_related_object(cars[row], pinview_text("owner"), &owner, &error));
        check(pinview_object_value_at(owner, age, &value, &error));
        check(pinview_object_release(owner));
    }
}

static void read_members(pinview_object *const *persons) {
    pinview_buffer *buffer;
    check(pinview_buffer_create(&buffer, &error));
    for (int64_t row = 0; row < count; row++) {
        pinview_result *cars;
        pinview_value value;
        check(pinview_object_related_objects(persons[row], pinview_text("cars"), &cars, &error));
        check(pinview_result_values(cars, 0, 1, &year, 1, buffer, &value, &error));
        check(pinview_result_release(cars));
    }
    check(pinview_buffer_release(buffer));
}

/* Reads all persons page by page, keeping those of a page only. */
static void read_pages(pinview_context *context, uint64_t size) {
    pinview_fetch_request request = request_for("Person");
    pinview_object **const objects = calloc(size, sizeof *objects);
    pinview_result *result;
    request.flags |= PINVIEW_FETCH_RETURNS_FAULTS;
    request.batch_size = size;
    begin();
    check(pinview_context_fetch(context, &request, &result, &error));
    for (uint64_t first = 0; first < (uint64_t)count; first += size) {
        check(pinview_result_objects(result, first, size, objects, &error));
        for (uint64_t row = 0; row < size; row++) {
            pinview_value value;
            check(pinview_object_value_at(objects[row], age, &value, &error));
            check(pinview_object_release(objects[row]));
        }
    }
    check(pinview_result_release(result));
    end();
}

/* Fetches by a condition with an object, one after another, and reads an attribute of what is found. */
static void fetch_few(pinview_context *context, const char *entity, const char *format, const char *argument) {
    pinview_fetch_request request = request_for(entity);
    pinview_value *const objects = calloc((size_t)count, sizeof *objects);
    request.flags |= PINVIEW_FETCH_RETURNS_FAULTS;
    for (int64_t row = 0; row < count; row++) {
        objects[row].type = PINVIEW_VALUE_OBJECT_ID;
        objects[row].as.object_id = object_id(argument, row + 1);
    }
    begin();
    for (int64_t row = 0; row < count; row++) {
        pinview_predicate *predicate;
        pinview_result *result;
        pinview_object *found;
        pinview_value value;
        check(pinview_predicate_create(pinview_text(format), &objects[row], 1, &predicate, &error));
        request.predicate = predicate;
        check(pinview_context_fetch(context, &request, &result, &error));
        check(pinview_result_object(result, 0, &found, &error));
        check(pinview_object_value(found, pinview_text("name"), &value, &error));
        check(pinview_object_release(found));
        check(pinview_result_release(result));
        check(pinview_predicate_release(predicate));
    }
    end();
}

static void insert_persons(pinview_context *context) {
    begin();
    for (int64_t row = 0; row < count; row++) {
        pinview_object *person;
        const pinview_value text = pinview_value_text("somebody"), number = pinview_value_integer(row % 90);
        check(pinview_context_insert_new_object(context, pinview_text("Person"), &person, &error));
        check(pinview_object_set_value_at(person, name, &text, &error));
        check(pinview_object_set_value_at(person, age, &number, &error));
        check(pinview_object_release(person));
    }
    check(pinview_context_save(context, &error));
    end();
}

static pinview_object_id **ids_of_persons(void) {
    pinview_object_id **const ids = calloc((size_t)count, sizeof *ids);
    for (int64_t row = 0; row < count; row++) ids[row] = object_id("Person", row + 1);
    return ids;
}

static void read_ages_by_id(pinview_context *context) {
    pinview_object_id **const ids = ids_of_persons();
    pinview_value value;
    begin();
    for (int64_t row = 0; row < count; row++) check(pinview_context_values(context, ids[row], &age, 1, NULL, &value, &error));
    end();
}

static void fire_faults(pinview_context *context) {
    pinview_object_id **const ids = ids_of_persons();
    pinview_object **const objects = calloc((size_t)count, sizeof *objects);
    begin();
    for (int64_t row = 0; row < count; row++) {
        pinview_value value;
        check(pinview_context_object(context, ids[row], &objects[row], &error));
        check(pinview_object_value_at(objects[row], age, &value, &error));
    }
    end();
}

static pinview_context *new_context(void) {
    pinview_context *context;
    check(pinview_context_create(PINVIEW_CONCURRENCY_PRIVATE_QUEUE, &context, &error));
    check(pinview_context_set_coordinator(context, coordinator, &error));
    return context;
}

/* Reads all persons and cars, then has another context write: from then on, what the context has read
 * and what it reads belong to different states. */
static pinview_object **read_beside_writer(pinview_context *context) {
    pinview_object **const persons = objects_of(fetch(context, "Person", 0));
    pinview_result *const cars = fetch(context, "Car", 0);
    pinview_context *const other = new_context();
    pinview_object_id *const id = object_id("Person", 1);
    const pinview_value older = pinview_value_integer(92);
    pinview_object *person;
    check(pinview_context_set_query_generation(context, NULL, &error));
    check(pinview_result_load(cars, 0, (size_t)count, &error));
    read_ages(persons);
    check(pinview_context_object(other, id, &person, &error));
    check(pinview_object_set_value_at(person, age, &older, &error));
    check(pinview_context_save(other, &error));
    return persons;
}

static pinview_status work(pinview_context *context, void *userdata) {
    (void)userdata;
    if (strcmp(operation, "fetch") == 0) {
        fetch(context, "Person", 1);
    } else if (strcmp(operation, "fetch-again") == 0) {
        fetch(context, "Person", 0);
        fetch(context, "Person", 1);
    } else if (strcmp(operation, "read-attribute") == 0) {
        pinview_object **const persons = objects_of(fetch(context, "Person", 0));
        begin();
        read_ages(persons);
        end();
    } else if (strcmp(operation, "read-by-id") == 0) {
        fetch(context, "Person", 0);
        read_ages_by_id(context);
    } else if (strcmp(operation, "read-pages") == 0) {
        read_pages(context, 500);
    } else if (strcmp(operation, "fire-faults") == 0) {
        fire_faults(context);
    } else if (strcmp(operation, "follow") == 0 || strcmp(operation, "follow-prefetched") == 0) {
        pinview_fetch_request request = request_for("Car");
        const pinview_string owner = pinview_text("owner");
        pinview_result *result;
        if (strcmp(operation, "follow-prefetched") == 0) {
            request.prefetched_key_paths = &owner;
            request.prefetched_key_path_count = 1;
        }
        begin();
        check(pinview_context_fetch(context, &request, &result, &error));
        follow_owners(objects_of(result));
        end();
    } else if (strcmp(operation, "members") == 0 || strcmp(operation, "members-prefetched") == 0) {
        pinview_fetch_request request = request_for("Person");
        const pinview_string cars = pinview_text("cars");
        pinview_result *result;
        if (strcmp(operation, "members-prefetched") == 0) {
            request.prefetched_key_paths = &cars;
            request.prefetched_key_path_count = 1;
        }
        begin();
        check(pinview_context_fetch(context, &request, &result, &error));
        read_members(objects_of(result));
        end();
    } else if (strcmp(operation, "save-each") == 0) {
        pinview_object **const persons = objects_of(fetch(context, "Person", 0));
        const pinview_value older = pinview_value_integer(91);
        check(pinview_context_set_query_generation(context, NULL, &error));
        begin();
        for (int64_t row = 0; row < count; row++) {
            check(pinview_object_set_value_at(persons[row], age, &older, &error));
            check(pinview_context_save(context, &error));
        }
        end();
    } else if (strcmp(operation, "members-beside-writer") == 0) {
        pinview_object **const persons = read_beside_writer(context);
        begin();
        read_members(persons);
        end();
    } else if (strcmp(operation, "save-each-beside-writer") == 0) {
        pinview_object **const persons = read_beside_writer(context);
        const pinview_value older = pinview_value_integer(91);
        read_members(persons);
        begin();
        /* The first one has been changed by the other context. */
        for (int64_t row = 1; row < count; row++) {
            check(pinview_object_set_value_at(persons[row], age, &older, &error));
            check(pinview_context_save(context, &error));
        }
        end();
    } else if (strcmp(operation, "fetch-by-reference") == 0) {
        fetch_few(context, "Chapter", "book == %@", "Book");
    } else if (strcmp(operation, "fetch-by-member") == 0) {
        fetch_few(context, "Person", "ANY cars == %@", "Car");
    } else if (strcmp(operation, "insert") == 0) {
        insert_persons(context);
    } else if (strcmp(operation, "update") == 0) {
        pinview_object **const persons = objects_of(fetch(context, "Person", 0));
        const pinview_value older = pinview_value_integer(91);
        begin();
        for (int64_t row = 0; row < count; row++) check(pinview_object_set_value_at(persons[row], age, &older, &error));
        check(pinview_context_save(context, &error));
        end();
    } else if (strcmp(operation, "delete") == 0 || strcmp(operation, "delete-related") == 0) {
        const int have_members = strcmp(operation, "delete") != 0;
        pinview_object **const objects = objects_of(fetch(context, have_members ? "Book" : "Car", 0));
        begin();
        for (int64_t row = 0; row < count; row++) check(pinview_context_delete(context, objects[row], &error));
        check(pinview_context_save(context, &error));
        end();
    } else if (strcmp(operation, "count") == 0) {
        const pinview_fetch_request request = request_for("Person");
        int64_t found;
        begin();
        for (int64_t repeat = 0; repeat < count; repeat++) check(pinview_context_count(context, &request, &found, &error));
        end();
    } else if (strcmp(operation, "pin") == 0 || strcmp(operation, "pin-and-fire") == 0) {
        const int fires = strcmp(operation, "pin") != 0;
        pinview_object_id *const id = object_id("Person", 1);
        pinview_object *person;
        pinview_value value;
        check(pinview_context_object(context, id, &person, &error));
        check(pinview_object_value_at(person, age, &value, &error));
        begin();
        for (int64_t repeat = 0; repeat < count; repeat++) {
            check(pinview_context_set_query_generation(context, pinview_token_current(), &error));
            if (fires) check(pinview_context_refresh(context, person, 0, &error));
            check(pinview_object_value_at(person, age, &value, &error));
        }
        end();
    } else {
        fprintf(stderr, "counts: there is no operation %s\n", operation);
        exit(EXIT_FAILURE);
    }
    return PINVIEW_OK;
}

static char path[512];

static void add_store(void) {
    check(pinview_coordinator_create(model, &coordinator, &error));
    check(pinview_coordinator_add_store(coordinator, pinview_text(PINVIEW_STORE_TYPE_SQLITE), pinview_absent(), pinview_text(path), NULL,
                                        0, &store, &error));
}

static void close_store(void) {
    check(pinview_store_release(store));
    check(pinview_coordinator_release(coordinator));
}

/* Opens the store with a model that is ready, reads an object, and closes it. Nobody else has it open. */
static void open_repeatedly(void) {
    close_store();
    begin();
    for (int64_t repeat = 0; repeat < count; repeat++) {
        pinview_object *person;
        pinview_value value;
        add_store();
        pinview_context *const context = new_context();
        pinview_object_id *const id = object_id("Person", 1);
        check(pinview_context_object(context, id, &person, &error));
        check(pinview_object_value_at(person, age, &value, &error));
        check(pinview_object_release(person));
        check(pinview_object_id_release(id));
        check(pinview_context_release(context));
        close_store();
    }
    end();
}

static void open_store(const char *folder) {
    snprintf(path, sizeof path, "%s/counts-%lld.sqlite", folder, (long long)count);
    FILE *const file = fopen(path, "r");
    check(pinview_model_create_from_json(pinview_text(model_text), &model, &error));
    add_store();
    if (file != NULL) {
        fclose(file);
        /* The first transaction reads the schema, and that is no part of what a row costs. */
        const pinview_value value = pinview_value_integer(count);
        check(pinview_store_set_metadata_value(store, pinview_text("count"), &value, &error));
        return;
    }
    pinview_context *const context = new_context();
    fill(context);
    check(pinview_context_release(context));
}

int main(int argument_count, char **arguments) {
    if (argument_count < 4) {
        fprintf(stderr, "usage: counts OPERATION FOLDER COUNT [callgrind]\n");
        return EXIT_FAILURE;
    }
    operation = arguments[1];
    count = strtoll(arguments[3], NULL, 10);
    is_under_callgrind = argument_count > 4;
    open_store(arguments[2]);
    check(pinview_sql_log_set_callback(count_statement, NULL, NULL, &error));
    name = property("Person", "name");
    age = property("Person", "age");
    year = property("Car", "year");
    if (strcmp(operation, "open") == 0) {
        open_repeatedly();
        fflush(stdout);
        return EXIT_SUCCESS;
    }
    pinview_context *const context = new_context();
    check(pinview_context_set_query_generation(context, pinview_token_current(), &error));
    const pinview_fetch_request request = request_for("Person");
    int64_t found;
    /* The generation is taken, and the statements of opening are over. */
    check(pinview_context_count(context, &request, &found, &error));
    if (strcmp(operation, "nothing") != 0) check(pinview_context_perform_and_wait(context, work, NULL, &error));
    fflush(stdout);
    return EXIT_SUCCESS;
}
