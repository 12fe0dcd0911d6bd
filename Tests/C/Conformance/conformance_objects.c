/* Stacks, objects and fetches of the scenarios. */
#define _POSIX_C_SOURCE 200809L
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "conformance.h"

#define KEY TEXT(step->words[2])

static int32_t kind_of(const char *word) {
    if (word == NULL || strcmp(word, "private") == 0) return PINVIEW_CONCURRENCY_PRIVATE_QUEUE;
    return strcmp(word, "main") == 0 ? PINVIEW_CONCURRENCY_MAIN_QUEUE : PINVIEW_CONCURRENCY_CONFINEMENT;
}

static int add_store(runner *self, char *const *words, seen *out) {
    char file[64];
    pinview_named_value options[4];
    pinview_string configuration = pinview_absent(), type = TEXT(PINVIEW_STORE_TYPE_SQLITE), path = pinview_absent();
    pinview_store *store = NULL;
    size_t count = 0;
    snprintf(file, sizeof file, "%.20s%.20s.sqlite", self->folder, words[0]);
    for (char *const *word = words + 3; *word != NULL; word++) {
        const char *value = strchr(*word, '=') + 1;
        if (strncmp(*word, "file=", 5) == 0) snprintf(file, sizeof file, "%.20s%.30s", self->folder, value);
        if (strncmp(*word, "configuration=", 14) == 0) configuration = TEXT(value);
        if (strncmp(*word, "readonly=", 9) == 0) options[count++] = (pinview_named_value){TEXT(PINVIEW_STORE_OPTION_READ_ONLY), pinview_value_boolean(1)};
        if (strncmp(*word, "history=", 8) == 0) options[count++] = (pinview_named_value){TEXT(PINVIEW_STORE_OPTION_HISTORY_TRACKING), pinview_value_boolean(1)};
        if (strncmp(*word, "impatient=", 10) == 0) options[count++] = (pinview_named_value){TEXT(PINVIEW_STORE_OPTION_BUSY_TIMEOUT), pinview_value_double(0.01)};
        if (strncmp(*word, "journal=", 8) == 0) options[count++] = (pinview_named_value){TEXT(PINVIEW_STORE_OPTION_JOURNAL_MODE), pinview_value_text(value)};
    }
    if (strcmp(words[2], "memory") == 0) {
        type = TEXT(PINVIEW_STORE_TYPE_IN_MEMORY);
    } else {
        path = TEXT(test_path(file));
        set_entry(&self->paths, words[0], strdup(path.data));
    }
    TRY(pinview_coordinator_add_store(find_entry(&self->coordinators, words[1]), type, configuration, path, options, count, &store, &out->error));
    set_entry(&self->stores, words[0], store);
    return 1;
}

static int add_coordinator(runner *self, const char *name, seen *out) {
    pinview_coordinator *coordinator = NULL;
    TRY(pinview_coordinator_create(self->model, &coordinator, &out->error));
    set_entry(&self->coordinators, name, coordinator);
    return 1;
}

/* A context of a coordinator or a parent; of neither when both are NULL. */
static int add_context(runner *self, const char *name, const char *kind, pinview_coordinator *coordinator, pinview_context *parent, seen *out) {
    pinview_context *context = NULL;
    pinview_status status = pinview_context_create(kind_of(kind), &context, &out->error);
    if (status == PINVIEW_OK && coordinator != NULL) status = pinview_context_set_coordinator(context, coordinator, &out->error);
    if (status == PINVIEW_OK && parent != NULL) status = pinview_context_set_parent(context, parent, &out->error);
    if (status != PINVIEW_OK) pinview_context_release(context);
    else set_entry(&self->contexts, name, context);
    return 1;
}

int stack_verb(runner *self, const struct step *step, seen *out) {
    char *const *words = step->words + 1;
    if (VERB("coordinator")) return add_coordinator(self, words[0], out);
    if (VERB("store")) return add_store(self, words, out);
    if (VERB("remove-store")) {
        for (int index = 0; index < self->coordinators.count; index++) {
            pinview_coordinator *coordinator = self->coordinators.entries[index].value;
            for (uint64_t place = 0; place < pinview_coordinator_store_count(coordinator); place++) {
                pinview_store *store = NULL;
                OK(pinview_coordinator_store(coordinator, place, &store, ERROR));
                int is_it = pinview_store_is_equal(store, find_entry(&self->stores, words[0]));
                pinview_store_release(store);
                if (is_it) TRY(pinview_coordinator_remove_store(coordinator, find_entry(&self->stores, words[0]), &out->error));
            }
        }
        return 1;
    }
    if (VERB("context")) {
        if (self->coordinators.count == 0) {
            char *const of_main[] = {"main", "main", "sqlite", NULL};
            add_coordinator(self, "main", out);
            add_store(self, of_main, out);
        }
        const char *coordinator = words[1] != NULL && words[2] != NULL ? words[2] : "main";
        return add_context(self, words[0], words[1], find_entry(&self->coordinators, coordinator), NULL, out);
    }
    if (VERB("bare")) return add_context(self, words[0], words[1], NULL, NULL, out);
    if (VERB("child")) return add_context(self, words[0], words[2], NULL, context_named(self, words[1]), out);
    if (VERB("connect")) TRY(pinview_context_set_coordinator(context_named(self, words[0]), find_entry(&self->coordinators, words[1]), &out->error));
    else if (VERB("parent")) TRY(pinview_context_set_parent(context_named(self, words[0]), context_named(self, words[1]), &out->error));
    else if (VERB("close")) pinview_context_release(remove_entry_named(&self->contexts, words[0]));
    else return 0;
    return 1;
}

/* Properties. */

static pinview_status set(runner *self, pinview_object *object, const char *key, const char *word, pinview_error **error) {
    const pinview_value value = value_of(self, word);
    return pinview_object_set_value(object, TEXT(key), &value, error);
}

static int get(runner *self, pinview_object *object, const char *key, seen *out) {
    pinview_entity *entity = NULL;
    pinview_property property = {.flags = 0};
    pinview_value value;
    TRY(pinview_object_entity(object, &entity, &out->error));
    for (uint64_t index = 0; index < pinview_entity_property_count(entity); index++) {
        pinview_property candidate = {.struct_size = sizeof candidate};
        OK(pinview_entity_property(entity, index, &candidate, ERROR));
        if (strcmp(candidate.name.data, key) == 0) property = candidate;
    }
    pinview_entity_release(entity);
    if (property.flags & PINVIEW_PROPERTY_TO_MANY) {
        pinview_result *members = NULL;
        TRY(pinview_object_related_objects(object, TEXT(key), &members, &out->error));
        show_result(self, &out->text, members, (property.flags & PINVIEW_PROPERTY_ORDERED) != 0);
    } else if (property.flags & PINVIEW_PROPERTY_RELATIONSHIP) {
        pinview_object *related = NULL;
        TRY(pinview_object_related_object(object, TEXT(key), &related, &out->error));
        if (related == NULL) append(&out->text, "nil");
        else show_object(self, &out->text, related);
        pinview_object_release(related);
    } else {
        TRY(pinview_object_value(object, TEXT(key), &value, &out->error));
        show_value(&out->text, &value);
    }
    return 1;
}

static int state(pinview_object *object, seen *out) {
    static const struct { uint32_t flag; const char *name; } names[] = {
        {PINVIEW_OBJECT_INSERTED, "inserted"}, {PINVIEW_OBJECT_UPDATED, "updated"}, {PINVIEW_OBJECT_DELETED, "deleted"}, {PINVIEW_OBJECT_FAULT, "fault"}};
    uint32_t flags = 0;
    TRY(pinview_object_state(object, &flags, &out->error));
    for (size_t index = 0; index < sizeof names / sizeof names[0]; index++)
        if (flags & names[index].flag) append(&out->text, "%s%s", out->text.size == 0 ? "" : " ", names[index].name);
    if (out->text.size == 0) append(&out->text, "clean");
    return 1;
}

static int insert(runner *self, const struct step *step, seen *out) {
    pinview_object *made = NULL;
    TRY(pinview_context_insert_new_object(home_of(self, step->words[1]), TEXT(step->words[2]), &made, &out->error));
    bind_object(self, step->words[1], made);
    for (int index = 3; index < step->count; index++) {
        char key[name_limit];
        const char *value = strchr(step->words[index], '=') + 1;
        snprintf(key, sizeof key, "%.*s", (int)(value - 1 - step->words[index]), step->words[index]);
        TRY(set(self, made, key, value, &out->error));
    }
    return 1;
}

static int home(runner *self, pinview_object *object, seen *out) {
    pinview_context *context = NULL;
    TRY(pinview_object_context(object, &context, &out->error));
    for (int index = 0; index < self->contexts.count && context != NULL; index++)
        if (pinview_context_is_equal(context, self->contexts.entries[index].value)) append(&out->text, "%s", self->contexts.entries[index].name);
    pinview_context_release(context);
    if (out->text.size == 0) append(&out->text, "none");
    return 1;
}

static int full_name(pinview_object *object, seen *out) {
    char name[128];
    pinview_value value;
    TRY(pinview_object_value(object, TEXT("firstName"), &value, &out->error));
    size_t size = (size_t)snprintf(name, sizeof name, "%.60s ", value.type == PINVIEW_VALUE_STRING ? value.as.string.data : "");
    TRY(pinview_object_value(object, TEXT("lastName"), &value, &out->error));
    snprintf(name + size, sizeof name - size, "%.60s", value.type == PINVIEW_VALUE_STRING ? value.as.string.data : "");
    value = pinview_value_text(name);
    TRY(pinview_object_set_value(object, TEXT("fullName"), &value, &out->error));
    return 1;
}

static int same_id(runner *self, const char *left, const char *right, seen *out) {
    pinview_object_id *first = id_named(self, left), *second = id_named(self, right);
    append(&out->text, "%s", yes(pinview_object_id_is_equal(first, second)));
    pinview_object_id_release(first);
    pinview_object_id_release(second);
    return 1;
}

static int temporary(runner *self, const char *name, seen *out) {
    pinview_object_id *object_id = id_named(self, name);
    append(&out->text, "%s", yes(pinview_object_id_is_temporary(object_id)));
    pinview_object_id_release(object_id);
    return 1;
}

static int members(runner *self, const struct step *step, seen *out) {
    pinview_object *chosen[word_limit];
    size_t count = 0;
    for (int index = 3; index < step->count; index++) chosen[count++] = object_named(self, step->words[index]);
    TRY(pinview_object_set_related_objects(object_named(self, step->words[1]), KEY, chosen, count, &out->error));
    return 1;
}

static int drop(runner *self, const char *name) {
    pinview_object_id *object_id = id_named(self, name);
    pinview_object_release(remove_entry_named(&self->objects, name));
    set_entry(&self->dropped, name, object_id);
    return 1;
}

int object_verb(runner *self, const struct step *step, seen *out) {
    char *const *words = step->words + 1;
    pinview_object *object = words[0] == NULL ? NULL : find_entry(&self->objects, words[0]);
    int32_t truth = 0;
    uint64_t count = 0;
    if (VERB("insert")) return insert(self, step, out);
    if (VERB("temporary")) return temporary(self, words[0], out);
    if (VERB("same-id")) return same_id(self, words[0], words[1], out);
    if (object == NULL) return 0;
    if (VERB("get")) return get(self, object, words[1], out);
    if (VERB("state")) return state(object, out);
    if (VERB("home")) return home(self, object, out);
    if (VERB("full-name")) return full_name(object, out);
    if (VERB("members")) return members(self, step, out);
    if (VERB("drop")) return drop(self, words[0]);
    if (VERB("delete")) TRY(pinview_context_delete(words[1] != NULL ? context_named(self, words[1]) : home_of(self, words[0]), object, &out->error));
    else if (VERB("reinsert")) TRY(pinview_context_insert(words[1] != NULL ? context_named(self, words[1]) : home_of(self, words[0]), object, &out->error));
    else if (VERB("set")) TRY(set(self, object, words[1], words[2], &out->error));
    else if (VERB("set-unless")) {
        get(self, object, words[1], out);
        if (out->error == NULL && strcmp(out->text.data, words[2]) != 0) (void)set(self, object, words[1], words[2], &out->error);
        out->text.size = 0;
    } else if (VERB("add")) TRY(pinview_object_add_related_object(object, KEY, object_named(self, words[2]), &out->error));
    else if (VERB("remove")) TRY(pinview_object_remove_related_object(object, KEY, object_named(self, words[2]), &out->error));
    else if (VERB("insert-at")) TRY(pinview_object_insert_related_object(object, KEY, object_named(self, words[3]), (uint64_t)atoi(words[2]), &out->error));
    else if (VERB("size")) {
        TRY(pinview_object_related_object_count(object, KEY, &count, &out->error));
        append(&out->text, "%d", (int)count);
    } else if (VERB("contains")) {
        TRY(pinview_object_contains_related_object(object, KEY, object_named(self, words[2]), &truth, &out->error));
        append(&out->text, "%s", yes(truth));
    } else if (VERB("loaded")) {
        TRY(pinview_object_has_fault(object, KEY, &truth, &out->error));
        append(&out->text, "%s", yes(!truth));
    } else if (VERB("same")) append(&out->text, "%s", yes(pinview_object_is_equal(object, object_named(self, words[1]))));
    else if (VERB("slot") && words[1] == NULL) append(&out->text, "%s", pinview_object_userdata(object) == NULL ? "nil" : (const char *)pinview_object_userdata(object));
    else if (VERB("slot")) {
        char *note = strcmp(words[1], "nil") == 0 ? NULL : strdup(words[1]);
        TRY(pinview_object_set_userdata(object, note, note == NULL ? NULL : free, &out->error));
    } else if (VERB("validate")) TRY(pinview_object_validate(object, &out->error));
    else if (VERB("validate-delete")) TRY(pinview_object_validate_for_delete(object, &out->error));
    else if (VERB("detect")) TRY(pinview_context_detect_conflicts(home_of(self, words[0]), object, &out->error));
    else if (VERB("assign")) TRY(pinview_context_assign(home_of(self, words[0]), object, find_entry(&self->stores, words[1]), &out->error));
    else if (VERB("refresh")) TRY(pinview_context_refresh(home_of(self, words[0]), object, strcmp(words[1], "merge") == 0, &out->error));
    else if (VERB("obtain")) {
        pinview_object *chosen[word_limit];
        for (int index = 0; words[index] != NULL; index++) chosen[count++] = object_named(self, words[index]);
        TRY(pinview_context_obtain_permanent_ids(home_of(self, words[0]), chosen, count, &out->error));
    } else return 0;
    return 1;
}

/* Fetches: words from `first` on are entity, predicate and arguments. */

static int fetch(runner *self, pinview_context *context, char *const *words, const char *sort, uint32_t flags, pinview_result **result, int64_t *count, seen *out) {
    pinview_fetch_request request;
    pinview_predicate *predicate = NULL;
    pinview_value arguments[word_limit];
    size_t argument_count = 0;
    pinview_sort_descriptor order = {.key_path = pinview_text(sort == NULL || *sort != '-' ? sort : sort + 1), .is_descending = sort != NULL && *sort == '-'};
    TRY(pinview_fetch_request_init(&request, sizeof request, TEXT(words[0]), &out->error));
    for (char *const *word = words + 2; words[1] != NULL && *word != NULL; word++) arguments[argument_count++] = value_of(self, *word);
    if (words[1] != NULL) TRY(pinview_predicate_create(TEXT(words[1]), arguments, argument_count, &predicate, &out->error));
    request.predicate = predicate;
    request.flags |= flags;
    if (sort != NULL) {
        request.sort_descriptors = &order;
        request.sort_descriptor_count = 1;
    }
    if (result != NULL) (void)pinview_context_fetch(context, &request, result, &out->error);
    else (void)pinview_context_count(context, &request, count, &out->error);
    if (predicate != NULL) pinview_predicate_release(predicate);
    return 1;
}

static int compare_names(const void *left, const void *right) { return strcmp(*(char *const *)left, *(char *const *)right); }

static void show_names(pinview_result *result, seen *out) {
    char *names[64];
    uint64_t count = pinview_result_count(result);
    REQUIRE(count <= 64);
    for (uint64_t index = 0; index < count; index++) {
        pinview_object *object = NULL;
        pinview_value value;
        text_buffer name = {.size = 0};
        OK(pinview_result_object(result, index, &object, ERROR));
        OK(pinview_object_value(object, TEXT("name"), &value, ERROR));
        show_value(&name, &value);
        names[index] = strdup(name.data);
        pinview_object_release(object);
    }
    qsort(names, count, sizeof *names, compare_names);
    append(&out->text, "[");
    for (uint64_t index = 0; index < count; index++) {
        append(&out->text, "%s%s", index == 0 ? "" : " ", names[index]);
        free(names[index]);
    }
    append(&out->text, "]");
    pinview_result_release(result);
}

static int find(runner *self, char *const *words, seen *out) {
    pinview_result *result = NULL;
    pinview_object *object = NULL;
    fetch(self, home_of(self, words[0]), words + 1, NULL, 0, &result, NULL, out);
    if (out->error != NULL) return 1;
    if (pinview_result_count(result) != 1) append(&out->text, "%d objects", (int)pinview_result_count(result));
    else if (pinview_result_object(result, 0, &object, &out->error) == PINVIEW_OK) bind_object(self, words[0], object);
    pinview_result_release(result);
    return 1;
}

static int look_up(runner *self, const struct step *step, seen *out) {
    char *const *words = step->words + 1;
    pinview_context *context = home_of(self, words[0]);
    pinview_object_id *object_id = id_named(self, words[VERB("alive") ? 0 : 1]);
    pinview_object *found = NULL;
    if (VERB("fault")) (void)pinview_context_object(context, object_id, &found, &out->error);
    else if (VERB("existing")) (void)pinview_context_existing_object(context, object_id, &found, &out->error);
    else (void)pinview_context_registered_object(context, object_id, &found, &out->error);
    pinview_object_id_release(object_id);
    if (VERB("alive") || VERB("registered")) append(&out->text, "%s", yes(found != NULL));
    if (found == NULL) return 1;
    if (VERB("alive")) pinview_object_release(found);
    else bind_object(self, words[0], found);
    return 1;
}

int fetch_verb(runner *self, const struct step *step, seen *out) {
    char *const *words = step->words + 1;
    pinview_result *result = NULL;
    int64_t count = 0;
    if (VERB("find")) return find(self, words, out);
    if (VERB("fault") || VERB("existing") || VERB("registered") || VERB("alive")) return look_up(self, step, out);
    if (VERB("sorted")) {
        char *request[word_limit] = {words[1]};
        for (int index = 3; words[index] != NULL; index++) request[index - 2] = words[index];
        fetch(self, context_named(self, words[0]), request, words[2], 0, &result, NULL, out);
    } else if (VERB("fetch") || VERB("names")) {
        fetch(self, context_named(self, words[0]), words + 1, NULL, 0, &result, NULL, out);
    } else if (VERB("refetch")) {
        fetch(self, context_named(self, words[0]), words + 1, NULL, PINVIEW_FETCH_REFRESHES_OBJECTS, &result, NULL, out);
    } else if (VERB("count")) {
        fetch(self, context_named(self, words[0]), words + 1, NULL, 0, NULL, &count, out);
        if (out->error == NULL) append(&out->text, "%d", (int)count);
        return 1;
    } else return 0;
    if (out->error != NULL) return 1;
    if (VERB("names")) show_names(result, out);
    else show_result(self, &out->text, result, VERB("sorted"));
    return 1;
}
