/* Calls every function of the library with random mixtures of good, released, foreign, absent and made-up handles, texts, counts, structs
   and callbacks, on several threads. What comes of a call is of no interest, as long as the process lives, every call returns, and errors
   and results are as the header promises.

   usage: calls FOLDER SEED CALLS THREADS

   Each thread has contexts and objects of its own, as the header's rules for threads have it; what any thread may use (coordinators,
   stores, models, tokens, IDs, predicates, errors) goes from hand to hand. The last calls of each thread are told when the process dies. */
#define _GNU_SOURCE
#include <execinfo.h>
#include <math.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "pinview.h"
#include "pinview_binding.h"

#include "kinds.inc"

enum { pool_size = 24, stale_size = 64, room = 64, trace_size = 24, exchange_size = 64, deepest = 2 };

typedef struct scene {
    uint64_t random;
    int is_foreign; /* a thread of the library: it only uses what any thread may */
    int depth;      /* callbacks inside each other */
    void *handles[kind_count][pool_size];
    uint64_t stale[stale_size];
    unsigned next_stale;
    void *scratch[512];
    int scratch_count;
    const char *trace[trace_size];
    unsigned traced;
    struct scene *next;
} scene_t;

typedef struct {
    const char *name;
    void (*run)(scene_t *scene);
    int is_shared;   /* touches nothing that belongs to one thread */
    int is_release;
} call_t;

static _Thread_local scene_t *current;
static _Atomic(scene_t *) all_scenes;
static uint64_t first_seed;
static atomic_ulong made_calls, succeeded, found;
static atomic_int running_threads;

/* What is passed on between threads: a reference of each. */
static pthread_mutex_t exchange_lock = PTHREAD_MUTEX_INITIALIZER;
static struct {
    int kind;
    void *handle;
} exchange[exchange_size];

/* ---- Reporting ---- */

static void say(const char *text) {
    if (write(STDOUT_FILENO, text, strlen(text)) < 0) _exit(99);
}

static void tell_traces(void) {
    for (scene_t *scene = all_scenes; scene != NULL; scene = scene->next) {
        say(scene->is_foreign ? "    a thread of the library:" : "    a thread:");
        for (unsigned index = scene->traced > trace_size ? scene->traced - trace_size : 0; index < scene->traced; index++) {
            say(" ");
            say(scene->trace[index % trace_size]);
        }
        say("\n");
    }
}

static void die(int number) {
    say("FAILED the process got the signal ");
    say(number == SIGSEGV ? "SIGSEGV" : number == SIGABRT ? "SIGABRT" : number == SIGALRM ? "SIGALRM: it hangs" : "SIGILL, SIGBUS, SIGTRAP or SIGFPE");
    say("; the last calls were\n");
    tell_traces();
    /* Addresses within the library; addr2line and libpinview.so.debug name their lines. */
    void *frames[64];
    backtrace_symbols_fd(frames, backtrace(frames, 64), STDOUT_FILENO);
    signal(number, SIG_DFL);
    raise(number);
}

static void broken(const char *what) {
    atomic_fetch_add(&found, 1);
    say("FAILED ");
    say(what);
    say("\n");
}

static void broken_by(const char *name, const char *what) {
    char text[200];
    (void)snprintf(text, sizeof text, "%s %s", name, what);
    broken(text);
}

/* ---- Chance ---- */

static uint64_t next(scene_t *scene) {
    uint64_t value = scene->random += UINT64_C(0x9e3779b97f4a7c15);
    value = (value ^ value >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    value = (value ^ value >> 27) * UINT64_C(0x94d049bb133111eb);
    return value ^ value >> 31;
}

static int one_in(scene_t *scene, unsigned count) { return next(scene) % count == 0; }

static scene_t *new_scene(uint64_t seed, int is_foreign) {
    scene_t *scene = calloc(1, sizeof *scene);
    if (scene == NULL) _exit(98);
    scene->random = seed;
    scene->is_foreign = is_foreign;
    scene->next = all_scenes;
    while (!atomic_compare_exchange_weak(&all_scenes, &scene->next, scene)) {}
    return current = scene;
}

/* Callbacks come on threads of the library as well. */
static scene_t *own_scene(void) {
    return current != NULL ? current : new_scene(first_seed + (uint64_t)syscall(SYS_gettid), 1);
}

/* Memory until the call is over. */
static void *scratch(scene_t *scene, size_t size) {
    if (scene->scratch_count == (int)(sizeof scene->scratch / sizeof *scene->scratch)) return calloc(1, size); /* lost, and seldom */
    return scene->scratch[scene->scratch_count++] = calloc(1, size);
}

#define INTERESTING_32 0, 1, 2, 3, 4, 5, 7, 8, 63, 64, 255, 1000, 65535, INT32_MAX
static int32_t pick_int32(scene_t *scene) {
    static const int32_t numbers[] = {INTERESTING_32, -1, -2, -100, INT32_MIN};
    return one_in(scene, 12) ? (int32_t)next(scene) : numbers[next(scene) % (one_in(scene, 3) ? sizeof numbers / sizeof *numbers : 6)];
}

static int64_t pick_int64(scene_t *scene) {
    static const int64_t numbers[] = {INT64_MAX, INT64_MIN, INT64_MAX - 1, (int64_t)1 << 53, (int64_t)1 << 62, -1};
    return one_in(scene, 6) ? numbers[next(scene) % (sizeof numbers / sizeof *numbers)] : pick_int32(scene);
}

static double pick_double(scene_t *scene) {
    static const double numbers[] = {0.0, -0.0, 1.0, -1.0, 0.5, 1e308, -1e308, 1e-308, 1e15, 1e19};
    if (one_in(scene, 8)) return one_in(scene, 2) ? (double)NAN : one_in(scene, 2) ? (double)INFINITY : -(double)INFINITY;
    return one_in(scene, 4) ? numbers[next(scene) % 10] : (double)(int32_t)next(scene) / 1000;
}

/* Arrays of numbers, of which a call may take the first only. */
#define NUMBERS(type, pick)                                                                     \
    static type *r_##type(scene_t *scene) {                                                     \
        type *array = scratch(scene, room * sizeof *array);                                     \
        for (int index = 0; index < room; index++) array[index] = (type)pick(scene);            \
        return array;                                                                           \
    }
NUMBERS(int32_t, pick_int32)
NUMBERS(uint32_t, pick_int32)
NUMBERS(int64_t, pick_int64)
NUMBERS(uint64_t, pick_int64)
NUMBERS(double, pick_double)

/* Short, because otherwise a call could wait forever. */
static double r_timeout(scene_t *scene) {
    static const double times[] = {0.0, 0.0, 1e-9, 0.001, 0.01};
    return one_in(scene, 16) ? (double)NAN : times[next(scene) % 5];
}

/* At most the size of the arrays, or an impossible count. */
static size_t r_count(scene_t *scene) {
    static const size_t huge[] = {(size_t)1 << 31, (size_t)1 << 32, (size_t)1 << 62, SIZE_MAX / 2, SIZE_MAX / 2 + 1, SIZE_MAX};
    if (one_in(scene, 12)) return huge[next(scene) % 6];
    return one_in(scene, 3) ? 0 : one_in(scene, 3) ? next(scene) % (room + 1) : 1 + next(scene) % 4;
}

static uint32_t r_struct_size(scene_t *scene, size_t usual) {
    if (!one_in(scene, 10)) return (uint32_t)usual;
    return (uint32_t)(one_in(scene, 2) ? next(scene) % 4200 : next(scene));
}

static void *r_userdata(scene_t *scene) { return (void *)(uintptr_t)(next(scene) % 1000); }

static pinview_status r_status(scene_t *scene) {
    static const pinview_status statuses[] = {PINVIEW_STOP, PINVIEW_USE_DEFAULT, 100, 12345, PINVIEW_ERROR_INVALID_ARGUMENT, -7, INT32_MIN, INT32_MAX};
    return one_in(scene, 4) ? statuses[next(scene) % 8] : PINVIEW_OK;
}

/* Room of 4096 bytes, as r_room_size has it. */
static void *r_room(scene_t *scene) { return one_in(scene, 4) ? NULL : scratch(scene, 4096); }

/* ---- Texts ---- */

static pinview_string r_string(scene_t *scene) {
    static const char *const texts[] = {
        "Person", "Person", "Person", "Car", "Car", "Wheel", "name", "name", "age", "cars", "owner", "owner.name", "cars.name", "cars.@count", "objectID",
        "SELF", "entity", "nothing", "a.sqlite", "b.sqlite", "c/d.sqlite", "file", ".", "", "age > 21", "name == 'dave'", "ANY cars.name == 'x'", "name LIKE %@",
        "name MATCHES '(a+)+b'", "age == 1 OR age == 2", "SUBQUERY(cars, $c, $c.name == 'x').@count > 0", "count:(SELF)", "sum:(age)", "age + 1", "%K == %@", "((((",
        "$X", "1.5", "1e400", "2001-01-01", "{\"entities\":[]}", "{\"entities\":[{\"name\":\"A\",\"attributes\":[{\"name\":\"b\",\"type\":\"string\"}]}]}", "x-coredata://",
        "x-coredata://AA/Person/p1", "\xc3\xa9\xf0\x9f\x98\x80", "a\xff", "\xed\xa0\x80"};
    pinview_string text = {NULL, 0};
    if (one_in(scene, 20)) return text;
    if (one_in(scene, 12)) {
        text.data = header_texts[next(scene) % (sizeof header_texts / sizeof *header_texts)];
    } else if (one_in(scene, 40)) {
        char *made = scratch(scene, 20000);
        memset(made, one_in(scene, 2) ? 'a' : '(', 19999);
        text.data = made;
    } else {
        text.data = texts[next(scene) % (sizeof texts / sizeof *texts)];
    }
    text.size = strlen(text.data);
    if (one_in(scene, 40)) text.size = r_count(scene) > room ? SIZE_MAX / 2 : (size_t)1 << 31;
    if (one_in(scene, 60)) text.data = NULL;
    return text;
}

/* What a parameter of that name takes, as a rule. */
static pinview_string r_string_for(scene_t *scene, const char *parameter) {
    static const char *const entities[] = {"Person", "Person", "Person", "Car"}, *const keys[] = {"name", "age", "cars", "owner", "born", "picture", "weight"},
                      *const formats[] = {"age > 21", "name == 'dave'", "cars.@count > 0", "name BEGINSWITH 'd' OR age == nil", "TRUEPREDICATE"};
    if (one_in(scene, 6)) return r_string(scene);
    if (strcmp(parameter, "entity") == 0) return pinview_text(entities[next(scene) % 4]);
    if (strcmp(parameter, "key") == 0 || strcmp(parameter, "key_path") == 0) return pinview_text(keys[next(scene) % 7]);
    if (strcmp(parameter, "format") == 0) return pinview_text(formats[next(scene) % 5]);
    if (strcmp(parameter, "configuration") == 0) return pinview_absent();
    if (strcmp(parameter, "type") == 0) return pinview_text(one_in(scene, 3) ? PINVIEW_STORE_TYPE_IN_MEMORY : PINVIEW_STORE_TYPE_SQLITE);
    return r_string(scene);
}

/* The text as a C string. */
static const char *c_text(scene_t *scene, pinview_string text) {
    if (text.data == NULL || text.size > 4096) return NULL;
    char *copy = scratch(scene, text.size + 1);
    memcpy(copy, text.data, text.size);
    return copy;
}

/* Tokens as bytes, which may come back changed. */
static struct {
    uint8_t bytes[256];
    size_t size;
} known_bytes;
static pthread_mutex_t bytes_lock = PTHREAD_MUTEX_INITIALIZER;

static pinview_binary r_binary(scene_t *scene) {
    uint8_t *bytes = scratch(scene, sizeof known_bytes.bytes);
    pinview_binary binary = {bytes, next(scene) % 40};
    for (size_t index = 0; index < 40; index++) bytes[index] = (uint8_t)next(scene);
    if (!one_in(scene, 3)) {
        pthread_mutex_lock(&bytes_lock);
        memcpy(bytes, known_bytes.bytes, known_bytes.size);
        binary.size = known_bytes.size;
        pthread_mutex_unlock(&bytes_lock);
        if (one_in(scene, 2) && binary.size > 0) bytes[next(scene) % binary.size] ^= (uint8_t)(1 << next(scene) % 8);
        if (one_in(scene, 4) && binary.size > 0) binary.size -= next(scene) % binary.size;
    }
    if (one_in(scene, 20)) binary.size = SIZE_MAX / 2;
    if (one_in(scene, 20)) binary.data = NULL;
    return binary;
}

/* Views are looked at where no other thread can end them. */
static void look_at(scene_t *scene, pinview_string text) {
    (void)scene;
    if (text.data == NULL && text.size != 0) broken("a text has a size and no data");
}

/* ---- Handles ---- */

static void note_stale(scene_t *scene, const void *handle) { scene->stale[scene->next_stale++ % stale_size] = (uint64_t)(uintptr_t)handle; }

static void pass_on(scene_t *scene, int kind, void *handle) {
    if (is_of_one_thread[kind] || retain_handle(kind, handle) != PINVIEW_OK) return;
    pthread_mutex_lock(&exchange_lock);
    unsigned place = (unsigned)(next(scene) % exchange_size);
    int old_kind = exchange[place].kind;
    void *old = exchange[place].handle;
    exchange[place].kind = kind;
    exchange[place].handle = handle;
    pthread_mutex_unlock(&exchange_lock);
    if (old != NULL) (void)release_handle(old_kind, old);
}

/* Keeps a reference that the scene owns. */
static void own(scene_t *scene, int kind, void *handle) {
    if (handle == NULL) return;
    if (one_in(scene, 8)) pass_on(scene, kind, handle);
    unsigned place = (unsigned)(next(scene) % pool_size);
    for (unsigned index = 0; index < pool_size; index++)
        if (scene->handles[kind][index] == NULL) place = index;
    void *old = scene->handles[kind][place];
    scene->handles[kind][place] = handle;
    if (old != NULL) {
        (void)release_handle(kind, old);
        note_stale(scene, old);
    }
}

static void own_all(scene_t *scene, int kind, void **handles, int count) {
    for (int index = 0; index < count; index++) own(scene, kind, handles[index]);
}

static void forget(scene_t *scene, int kind, void *handle) {
    for (unsigned index = 0; handle != NULL && index < pool_size; index++) {
        if (scene->handles[kind][index] != handle) continue;
        scene->handles[kind][index] = NULL;
        note_stale(scene, handle);
        return;
    }
}

static void forget_all(scene_t *scene, int kind, void *handles) {
    for (int index = 0; handles != NULL && index < room; index++) forget(scene, kind, ((void **)handles)[index]);
}

static void take_over(scene_t *scene, int kind) {
    pthread_mutex_lock(&exchange_lock);
    for (unsigned index = 0; index < exchange_size; index++) {
        if (exchange[index].kind != kind || exchange[index].handle == NULL) continue;
        void *handle = exchange[index].handle;
        exchange[index].handle = NULL;
        pthread_mutex_unlock(&exchange_lock);
        own(scene, kind, handle);
        return;
    }
    pthread_mutex_unlock(&exchange_lock);
}

static void *good_handle(scene_t *scene, int kind) {
    unsigned start = (unsigned)(next(scene) % pool_size);
    for (unsigned index = 0; index < pool_size; index++) {
        void *handle = scene->handles[kind][(start + index) % pool_size];
        if (handle != NULL) return handle;
    }
    return NULL;
}

static void *r_handle(scene_t *scene, int kind) {
    switch (next(scene) % 64) {
    case 0: return NULL;
    case 1: return (void *)(uintptr_t)scene->stale[next(scene) % stale_size];
    case 2: { /* of another kind, of a world that is another thread's only where any thread may use it */
        int other = (int)(next(scene) % kind_count);
        return good_handle(scene, other);
    }
    case 3: return (void *)(uintptr_t)(one_in(scene, 2) ? next(scene) : next(scene) % 100000 << 28 | next(scene) % 4096);
    case 4: { /* a neighbour of a good one */
        uint64_t bits = (uint64_t)(uintptr_t)good_handle(scene, kind);
        return (void *)(uintptr_t)(bits + (UINT64_C(1) << (28 + next(scene) % 4)));
    }
    default:
        if (good_handle(scene, kind) == NULL && !is_of_one_thread[kind]) take_over(scene, kind);
        return good_handle(scene, kind);
    }
}

static void *r_handles(scene_t *scene, int kind) {
    void **handles = scratch(scene, room * sizeof *handles);
    int is_good = !one_in(scene, 3);
    for (int index = 0; index < room; index++) handles[index] = is_good ? good_handle(scene, kind) : r_handle(scene, kind);
    return handles;
}

/* A handle that was valid only in a callback: stale afterwards. */
static void note_borrowed(int kind, const void *handle) {
    (void)kind;
    note_stale(own_scene(), handle);
}

/* ---- Values ---- */

static pinview_value r_value(scene_t *scene, int depth) {
    pinview_value value;
    memset(&value, 0, sizeof value);
    value.type = one_in(scene, 16) ? *r_int32_t(scene) : (int32_t)(next(scene) % 12);
    switch (value.type) {
    case PINVIEW_VALUE_BOOLEAN: value.as.boolean = pick_int32(scene); break;
    case PINVIEW_VALUE_INTEGER: value.as.integer = pick_int64(scene); break;
    case PINVIEW_VALUE_DOUBLE:
    case PINVIEW_VALUE_DATE: value.as.real = pick_double(scene); break;
    case PINVIEW_VALUE_STRING:
    case PINVIEW_VALUE_DECIMAL: value.as.string = r_string(scene); break;
    case PINVIEW_VALUE_BINARY: value.as.binary = r_binary(scene); break;
    case PINVIEW_VALUE_UUID: memset(value.as.uuid, (int)next(scene), sizeof value.as.uuid); break;
    case PINVIEW_VALUE_OBJECT: value.as.object = r_handle(scene, KIND_object); break;
    case PINVIEW_VALUE_OBJECT_ID: value.as.object_id = r_handle(scene, KIND_object_id); break;
    case PINVIEW_VALUE_LIST: {
        pinview_value *items = scratch(scene, room * sizeof *items);
        for (int index = 0; index < room; index++) items[index] = depth > 1 ? pinview_value_null() : r_value(scene, depth + 1);
        if (one_in(scene, 20)) items[0] = value; /* a list of an empty list */
        value.as.list.items = one_in(scene, 10) ? NULL : items;
        value.as.list.count = r_count(scene);
        break;
    }
    default: break;
    }
    return value;
}

static pinview_value *r_array_pinview_value(scene_t *scene) {
    pinview_value *values = scratch(scene, room * sizeof *values);
    for (int index = 0; index < room; index++) values[index] = index < 6 ? r_value(scene, 0) : values[index % 6];
    return values;
}

static pinview_string *r_array_pinview_string(scene_t *scene) {
    pinview_string *texts = scratch(scene, room * sizeof *texts);
    for (int index = 0; index < room; index++) texts[index] = index < 6 ? r_string(scene) : texts[index % 6];
    return texts;
}

static void *r_columns(scene_t *scene) {
    const pinview_value **columns = scratch(scene, room * sizeof *columns);
    for (int index = 0; index < room; index++) columns[index] = one_in(scene, 20) ? NULL : index < 3 ? r_array_pinview_value(scene) : columns[index % 3];
    return columns;
}

static void fill_pinview_value(scene_t *scene, pinview_value *value) { *value = r_value(scene, 0); }
static void fill_pinview_binary(scene_t *scene, pinview_binary *binary) { *binary = r_binary(scene); }

static void read_stream(scene_t *scene, struct ArrowArrayStream *stream) {
    if (stream->release == NULL) return;
    struct ArrowSchema schema;
    memset(&schema, 0, sizeof schema);
    if (one_in(scene, 2) && stream->get_schema(stream, &schema) == 0) schema.release(&schema);
    for (uint64_t count = next(scene) % 4; count > 0; count--) {
        struct ArrowArray array;
        memset(&array, 0, sizeof array);
        if (stream->get_next(stream, &array) != 0) {
            (void)stream->get_last_error(stream);
            break;
        }
        if (array.release == NULL) break;
        array.release(&array);
    }
    stream->release(stream);
}

/* ---- Calls ---- */

static void note_call(const char *name, pinview_status status, pinview_error **error) {
    atomic_fetch_add_explicit(&succeeded, status == PINVIEW_OK, memory_order_relaxed);
    if (error == NULL) return;
    if (status == PINVIEW_OK && *error != NULL) broken_by(name, "succeeded with an error");
    if (status != PINVIEW_OK && *error == NULL) broken_by(name, "failed without an error");
    if (*error != NULL && pinview_error_message(*error).data == NULL) broken_by(name, "gave an error without a message");
}

static void call_on(int frees, void *userdata);

#include "calls.inc"

enum { call_count = sizeof calls / sizeof *calls };

static void make_a_call(scene_t *scene) {
    const call_t *call = &calls[next(scene) % call_count];
    if (scene->is_foreign && !call->is_shared) return;
    if (call->is_release && !one_in(scene, 8)) return; /* else there would soon be nothing to work on */
    const int first = scene->scratch_count;
    scene->trace[scene->traced++ % trace_size] = call->name;
    call->run(scene);
    atomic_fetch_add_explicit(&made_calls, 1, memory_order_relaxed);
    while (scene->scratch_count > first) free(scene->scratch[--scene->scratch_count]);
}

/* What callbacks do. */
static void call_on(int frees, void *userdata) {
    scene_t *scene = own_scene();
    if (scene->depth >= deepest || (frees && userdata == NULL)) return;
    scene->depth++;
    for (uint64_t count = next(scene) % 3; count > 0; count--) make_a_call(scene);
    scene->depth--;
}

/* ---- Scenes ---- */

static const char model_text[] =
    "{\"entities\":["
    "{\"name\":\"Person\",\"attributes\":[{\"name\":\"name\",\"type\":\"string\"},{\"name\":\"age\",\"type\":\"integer64\",\"default\":0},"
    "{\"name\":\"born\",\"type\":\"date\"},{\"name\":\"picture\",\"type\":\"binaryData\"},{\"name\":\"weight\",\"type\":\"double\"}],"
    "\"relationships\":[{\"name\":\"cars\",\"destination\":\"Car\",\"inverse\":\"owner\",\"toMany\":true,\"deleteRule\":\"nullify\"}]},"
    "{\"name\":\"Car\",\"attributes\":[{\"name\":\"name\",\"type\":\"string\"}],"
    "\"relationships\":[{\"name\":\"owner\",\"destination\":\"Person\",\"inverse\":\"cars\",\"deleteRule\":\"nullify\"}]}]}";

/* A context with objects on a store that is there, so that most calls have something to work on. */
static void set_up(scene_t *scene) {
    pinview_model *model = NULL;
    pinview_coordinator *coordinator = NULL;
    pinview_store *store = NULL;
    pinview_context *context = NULL;
    char path[64];
    const pinview_named_value options[] = {{pinview_text(PINVIEW_STORE_OPTION_HISTORY_TRACKING), pinview_value_boolean(one_in(scene, 2))}};
    (void)snprintf(path, sizeof path, "store%d.sqlite", (int)(next(scene) % 6));
    if (pinview_model_create_from_json(pinview_text(model_text), &model, NULL) != PINVIEW_OK) {
        broken("the model of the scene is refused");
        return;
    }
    own(scene, KIND_model, model);
    if (pinview_coordinator_create(model, &coordinator, NULL) != PINVIEW_OK) return;
    own(scene, KIND_coordinator, coordinator);
    if (pinview_coordinator_add_store(coordinator, pinview_text(one_in(scene, 5) ? PINVIEW_STORE_TYPE_IN_MEMORY : PINVIEW_STORE_TYPE_SQLITE),
                                      pinview_absent(), pinview_text(path), options, 1, &store, NULL) != PINVIEW_OK)
        return;
    own(scene, KIND_store, store);
    if (pinview_context_create(PINVIEW_CONCURRENCY_PRIVATE_QUEUE, &context, NULL) != PINVIEW_OK) return;
    own(scene, KIND_context, context);
    if (pinview_context_set_coordinator(context, coordinator, NULL) != PINVIEW_OK) return;
    for (int number = 0; number < 6; number++) {
        pinview_object *person = NULL, *car = NULL;
        const pinview_value name = pinview_value_text(number % 2 == 0 ? "dave" : "a rather long name, longer than others are");
        if (pinview_context_insert_new_object(context, pinview_text("Person"), &person, NULL) != PINVIEW_OK) return;
        (void)pinview_object_set_value(person, pinview_text("name"), &name, NULL);
        if (pinview_context_insert_new_object(context, pinview_text("Car"), &car, NULL) == PINVIEW_OK)
            (void)pinview_object_add_related_object(person, pinview_text("cars"), car, NULL);
        own(scene, KIND_object, person);
        own(scene, KIND_object, car);
    }
    (void)pinview_context_save(context, NULL);
    if (one_in(scene, 2)) (void)pinview_context_set_query_generation(context, pinview_token_current(), NULL);
    pinview_token *token = NULL;
    pinview_binary data = {NULL, 0};
    if (pinview_context_query_generation(context, &token, NULL) == PINVIEW_OK && token != NULL) {
        if (pinview_token_data(token, &data, NULL) == PINVIEW_OK && data.size <= sizeof known_bytes.bytes) {
            pthread_mutex_lock(&bytes_lock);
            memcpy(known_bytes.bytes, data.data, data.size);
            known_bytes.size = data.size;
            pthread_mutex_unlock(&bytes_lock);
        }
        own(scene, KIND_token, token);
    }
}

static void tear_down(scene_t *scene) {
    for (int kind = 0; kind < kind_count; kind++) {
        for (int index = 0; index < pool_size; index++) {
            if (scene->handles[kind][index] != NULL) (void)release_handle(kind, scene->handles[kind][index]);
            scene->handles[kind][index] = NULL;
        }
    }
}

typedef struct {
    uint64_t seed;
    long calls;
} thread_task;

static void *run(void *argument) {
    const thread_task *task = argument;
    scene_t *scene = new_scene(task->seed, 0);
    for (long number = 0; number < task->calls; number++) {
        if (number % 400 == 0 && one_in(scene, 3)) tear_down(scene);
        if (number % 400 == 0 || good_handle(scene, KIND_context) == NULL || good_handle(scene, KIND_object) == NULL) set_up(scene);
        make_a_call(scene);
    }
    tear_down(scene);
    atomic_fetch_sub(&running_threads, 1);
    return NULL;
}

static void hear_nothing(pinview_string line, void *userdata) {
    (void)line;
    (void)userdata;
}

int main(int count, char **arguments) {
    if (count != 5 || chdir(arguments[1]) != 0) {
        say("usage: calls FOLDER SEED CALLS THREADS\n");
        return 2;
    }
    static const int signals[] = {SIGSEGV, SIGABRT, SIGILL, SIGBUS, SIGTRAP, SIGFPE, SIGALRM};
    for (size_t index = 0; index < sizeof signals / sizeof *signals; index++) signal(signals[index], die);
    void *frame;
    (void)backtrace(&frame, 1); /* the first call loads the unwinder, which a signal handler should not */
    first_seed = strtoull(arguments[2], NULL, 10);
    const int threads = atoi(arguments[4]);
    thread_task tasks[16];
    pthread_t others[16];
    (void)pinview_sql_log_set_callback(hear_nothing, NULL, NULL, NULL);
    running_threads = threads;
    for (int index = 0; index < threads && index < 16; index++) {
        tasks[index].seed = first_seed * 1000 + (uint64_t)index;
        tasks[index].calls = atol(arguments[3]);
        if (index > 0 && pthread_create(&others[index], NULL, run, &tasks[index]) != 0) return 97;
    }
    (void)run(&tasks[0]);
    /* Others may wait for the main queue. */
    while (atomic_load(&running_threads) > 0) {
        (void)pinview_main_queue_drain(NULL, NULL);
        usleep(1000);
    }
    for (int index = 1; index < threads; index++) pthread_join(others[index], NULL);
    printf("%lu calls, %lu succeeded\n", (unsigned long)made_calls, (unsigned long)succeeded);
    fflush(stdout);
    /* Threads of the library may still be in callbacks. */
    _exit(found > 0 ? 1 : 0);
}
