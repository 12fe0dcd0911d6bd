#define _POSIX_C_SOURCE 200809L
#include "store.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "feed.h"

static const char *const model_text =
    "{\"entities\": ["
    " {\"name\": \"Quake\","
    "  \"attributes\": ["
    "   {\"name\": \"code\", \"type\": \"string\", \"optional\": false},"
    "   {\"name\": \"place\", \"type\": \"string\", \"optional\": false},"
    "   {\"name\": \"magnitude\", \"type\": \"double\", \"optional\": false},"
    "   {\"name\": \"time\", \"type\": \"date\", \"optional\": false},"
    "   {\"name\": \"latitude\", \"type\": \"double\", \"optional\": false},"
    "   {\"name\": \"longitude\", \"type\": \"double\", \"optional\": false},"
    "   {\"name\": \"depth\", \"type\": \"double\", \"optional\": false}],"
    "  \"relationships\": ["
    "   {\"name\": \"region\", \"destination\": \"Region\", \"inverse\": \"quakes\", \"optional\": false}],"
    "  \"uniquenessConstraints\": [[\"code\"]]},"
    " {\"name\": \"Region\","
    "  \"attributes\": [{\"name\": \"name\", \"type\": \"string\", \"optional\": false}],"
    "  \"relationships\": ["
    "   {\"name\": \"quakes\", \"destination\": \"Quake\", \"inverse\": \"region\", \"toMany\": true, \"deleteRule\": \"cascade\"}],"
    "  \"uniquenessConstraints\": [[\"name\"]]}]}";

int failed(const char *doing, pinview_error *error) {
    fprintf(stderr, "quakes: %s: %s\n", doing, error == NULL ? "not enough memory" : pinview_error_message(error).data);
    pinview_error_release(error); /* releasing NULL does nothing */
    return -1;
}

int quake_store_open(const char *path, quake_store *opened) {
    pinview_model *model = NULL;
    pinview_error *error = NULL;
    memset(opened, 0, sizeof *opened);
    pinview_status status = pinview_model_create_from_json(pinview_text(model_text), &model, &error);
    if (status == PINVIEW_OK) status = pinview_coordinator_create(model, &opened->coordinator, &error);
    if (status == PINVIEW_OK) {
        status = pinview_coordinator_add_store(opened->coordinator, pinview_text(PINVIEW_STORE_TYPE_SQLITE), pinview_absent(),
                                               pinview_text(path), NULL, 0, &opened->store, &error);
    }
    pinview_model_release(model);
    if (status == PINVIEW_OK) return 0;
    quake_store_close(opened);
    return failed("opening the store", error);
}

void quake_store_close(quake_store *store) {
    pinview_store_release(store->store);
    pinview_coordinator_release(store->coordinator);
    memset(store, 0, sizeof *store);
}

pinview_context *quake_store_context(quake_store *store) {
    pinview_context *context = NULL;
    pinview_error *error = NULL;
    pinview_status status = pinview_context_create(PINVIEW_CONCURRENCY_PRIVATE_QUEUE, &context, &error);
    if (status == PINVIEW_OK) status = pinview_context_set_coordinator(context, store->coordinator, &error);
    if (status == PINVIEW_OK) return context;
    failed("making a context", error);
    pinview_context_release(context);
    return NULL;
}

int pin(pinview_context *context) {
    pinview_error *error = NULL;
    pinview_status status = pinview_context_set_query_generation(context, pinview_token_current(), &error);
    return status == PINVIEW_OK ? 0 : failed("pinning", error);
}

int unpin(pinview_context *context) {
    pinview_error *error = NULL;
    pinview_status status = pinview_context_set_query_generation(context, NULL, &error);
    return status == PINVIEW_OK ? 0 : failed("letting go of the generation", error);
}

int64_t quake_store_journal(quake_store *store) { return pinview_store_journal_size(store->store); }

pinview_status fetch_one(pinview_context *context, const char *entity, const char *condition, const char *argument,
                         pinview_object **found, pinview_error **error) {
    pinview_predicate *predicate = NULL;
    pinview_result *result = NULL;
    pinview_fetch_request request;
    const pinview_value wanted = pinview_value_text(argument);
    *found = NULL;
    pinview_status status = pinview_predicate_create(pinview_text(condition), &wanted, 1, &predicate, error);
    if (status == PINVIEW_OK) status = pinview_fetch_request_init(&request, sizeof request, pinview_text(entity), error);
    if (status == PINVIEW_OK) {
        request.predicate = predicate;
        request.limit = 1;
        status = pinview_context_fetch(context, &request, &result, error);
    }
    if (status == PINVIEW_OK && pinview_result_count(result) > 0) status = pinview_result_object(result, 0, found, error);
    pinview_result_release(result);
    pinview_predicate_release(predicate);
    return status;
}

/* Finds a region by its name, or inserts it. The region is the caller's to release. */
static pinview_status region_named(pinview_context *context, const char *name, pinview_object **region, pinview_error **error) {
    pinview_status status = fetch_one(context, "Region", "name == %@", name, region, error);
    if (status != PINVIEW_OK || *region != NULL) return status;
    const pinview_value value = pinview_value_text(name);
    status = pinview_context_insert_new_object(context, pinview_text("Region"), region, error);
    return status == PINVIEW_OK ? pinview_object_set_value(*region, pinview_text("name"), &value, error) : status;
}

int insert_quake(pinview_context *context, const quake *values) {
    pinview_object *inserted = NULL, *region = NULL;
    pinview_error *error = NULL;
    pinview_status status = region_named(context, values->region, &region, &error);
    if (status == PINVIEW_OK) status = pinview_context_insert_new_object(context, pinview_text("Quake"), &inserted, &error);
    const struct {
        const char *key;
        pinview_value value;
    } properties[] = {
        {"code", pinview_value_text(values->code)},
        {"place", pinview_value_text(values->place)},
        {"magnitude", pinview_value_double(values->magnitude)},
        {"time", pinview_value_date(values->time)},
        {"latitude", pinview_value_double(values->latitude)},
        {"longitude", pinview_value_double(values->longitude)},
        {"depth", pinview_value_double(values->depth)},
        {"region", pinview_value_object(region)},
    };
    for (size_t index = 0; index < sizeof properties / sizeof *properties && status == PINVIEW_OK; index++) {
        status = pinview_object_set_value(inserted, pinview_text(properties[index].key), &properties[index].value, &error);
    }
    pinview_object_release(region);
    pinview_object_release(inserted);
    return status == PINVIEW_OK ? 0 : failed("inserting a quake", error);
}

static int insert_from_feed(const feed_quake *values, void *context) {
    const quake inserted = {
        .code = (char *)values->code,
        .place = (char *)values->place,
        .region = (char *)values->region,
        .magnitude = values->magnitude,
        .time = values->time,
        .latitude = values->latitude,
        .longitude = values->longitude,
        .depth = values->depth,
    };
    return insert_quake(context, &inserted);
}

int save(pinview_context *context) {
    pinview_error *error = NULL;
    return pinview_context_save(context, &error) == PINVIEW_OK ? 0 : failed("saving", error);
}

long quake_store_fill(quake_store *store, const char *feed) {
    pinview_context *context = quake_store_context(store);
    if (context == NULL) return -1;
    long count = feed_read(feed, insert_from_feed, context);
    if (count >= 0 && save(context) != 0) count = -1;
    pinview_context_release(context);
    return count;
}

/* Reads a fetched quake; the name of its region fires a fault of that region. */
static pinview_status read_quake(pinview_object *fetched, quake_list *list, pinview_error **error) {
    enum { code, place, magnitude, time, latitude, longitude, depth, count };
    static const char *const keys[count] = {"code", "place", "magnitude", "time", "latitude", "longitude", "depth"};
    pinview_value values[count], name = pinview_value_null();
    pinview_object *region = NULL;
    pinview_status status = PINVIEW_OK;
    for (int index = 0; index < count && status == PINVIEW_OK; index++) {
        status = pinview_object_value(fetched, pinview_text(keys[index]), &values[index], error);
    }
    if (status == PINVIEW_OK) status = pinview_object_related_object(fetched, pinview_text("region"), &region, error);
    if (status == PINVIEW_OK) status = pinview_object_value(region, pinview_text("name"), &name, error);
    if (status == PINVIEW_OK) {
        const quake read = {
            .code = (char *)values[code].as.string.data,
            .place = (char *)values[place].as.string.data,
            .region = (char *)name.as.string.data,
            .magnitude = values[magnitude].as.real,
            .time = values[time].as.real,
            .latitude = values[latitude].as.real,
            .longitude = values[longitude].as.real,
            .depth = values[depth].as.real,
        };
        if (quake_list_add(list, &read) != 0) status = PINVIEW_ERROR_OUT_OF_MEMORY;
    }
    pinview_object_release(region);
    return status;
}

int ask(pinview_context *context, quake_list *list, answers *given) {
    quake_list own = {0};
    quake_list *quakes = list == NULL ? &own : list;
    pinview_error *error = NULL;
    pinview_result *fetched = NULL;
    pinview_fetch_request request;
    const pinview_sort_descriptor by_code = {.key_path = pinview_text("code")};
    int64_t counted = 0;
    pinview_status status = pinview_fetch_request_init(&request, sizeof request, pinview_text("Quake"), &error);
    if (status == PINVIEW_OK) status = pinview_context_count(context, &request, &counted, &error);
    if (status == PINVIEW_OK) {
        request.sort_descriptors = &by_code;
        request.sort_descriptor_count = 1;
        status = pinview_context_fetch(context, &request, &fetched, &error);
    }
    for (uint64_t index = 0; status == PINVIEW_OK && index < pinview_result_count(fetched); index++) {
        pinview_object *object = NULL;
        status = pinview_result_object(fetched, index, &object, &error);
        if (status == PINVIEW_OK) status = read_quake(object, quakes, &error);
        pinview_object_release(object);
    }
    pinview_result_release(fetched);
    if (status == PINVIEW_OK) *given = answers_of(quakes, (long)counted);
    quake_list_free(&own);
    return status == PINVIEW_OK ? 0 : failed("asking a view", error);
}
