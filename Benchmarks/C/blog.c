// W14 to W16: relationships to many objects.
#include <stdlib.h>

#include "benchmark.h"

// What has to be known of an entity: the attribute that is read, and the relationship that is followed.
struct step {
    const char *relationship;
    int32_t number;
};

// The members of an object, and what their relationships lead to; their numbers are added up.
static int64_t walk(const struct step *step, pinview_object *object, pinview_buffer *buffer, int64_t *count) {
    enum { BLOCK = 64 };
    pinview_result *members;
    check(pinview_object_related_objects(object, pinview_text(step->relationship), &members, &error));
    const uint64_t found = pinview_result_count(members);
    int64_t sum = 0;
    *count += (int64_t)found;
    for (uint64_t first = 0; first < found; first += BLOCK) {
        const size_t some = found - first < BLOCK ? (size_t)(found - first) : BLOCK;
        pinview_value values[BLOCK];
        check(pinview_result_values(members, first, some, &step->number, 1, buffer, values, &error));
        for (size_t index = 0; index < some; index++) sum += number(&values[index]);
        if (step[1].relationship == NULL) continue;
        pinview_object *objects[BLOCK];
        check(pinview_result_objects(members, first, some, objects, &error));
        for (size_t index = 0; index < some; index++) sum += walk(step + 1, objects[index], buffer, count);
        pinview_objects_release(objects, some);
    }
    check(pinview_result_release(members));
    return sum;
}

// Fetches objects and walks from each of them. The cost is that of an object.
static void walk_all(pinview_context *context, const pinview_fetch_request *request, int32_t number_of_first, const struct step *steps,
                     const char *name) {
    pinview_buffer *buffer;
    check(pinview_buffer_create(&buffer, &error));
    const int64_t start = processor_time();
    pinview_result *const result = fetch(context, request);
    const uint64_t found = pinview_result_count(result);
    int64_t count = (int64_t)found, sum = number_of_first < 0 ? 0 : read_values(result, &number_of_first, 1, buffer);
    pinview_object **const objects = malloc((size_t)found * sizeof *objects);
    check(pinview_result_objects(result, 0, (size_t)found, objects, &error));
    for (uint64_t index = 0; index < found; index++) sum += walk(steps, objects[index], buffer, &count);
    measure(name, (double)(processor_time() - start) / (double)count);
    checksum("walk", sum);
    pinview_objects_release(objects, (size_t)found);
    free(objects);
    check(pinview_result_release(result));
    check(pinview_buffer_release(buffer));
}

static void walk_users(const struct stack *stack, pinview_context *context, bool prefetches) {
    const pinview_string paths[] = {pinview_text("posts"), pinview_text("posts.comments")};
    const struct step steps[] = {
        {"posts", property(stack, "Post", "score")}, {"comments", property(stack, "Comment", "likes")}, {NULL, 0}};
    pinview_fetch_request request = request_for("User", 0);
    request.prefetched_key_paths = paths;
    request.prefetched_key_path_count = prefetches ? 2 : 0;
    walk_all(context, &request, property(stack, "User", "age"), steps, prefetches ? "prefetched" : "lazy");
}

static void walk_lazily_in(const struct cell *cell, const struct stack *stack, pinview_context *context) {
    (void)cell;
    walk_users(stack, context, false);
}

static void walk_prefetched_in(const struct cell *cell, const struct stack *stack, pinview_context *context) {
    (void)cell;
    walk_users(stack, context, true);
}

void walk_lazily(const struct cell *cell) { in_context(cell, "blog.sqlite", false, walk_lazily_in); }
void walk_prefetched(const struct cell *cell) { in_context(cell, "blog.sqlite", false, walk_prefetched_in); }

static void walk_tags(const struct cell *cell, const struct stack *stack, pinview_context *context, bool prefetches) {
    const pinview_string path = pinview_text("tags");
    const struct step steps[] = {{"tags", property(stack, "Tag", "weight")}, {NULL, 0}};
    pinview_fetch_request request = request_for("Post", parameter(cell, "posts"));
    request.prefetched_key_paths = &path;
    request.prefetched_key_path_count = prefetches ? 1 : 0;
    walk_all(context, &request, -1, steps, prefetches ? "prefetched" : "lazy");
}

static void tags_lazily_in(const struct cell *cell, const struct stack *stack, pinview_context *context) {
    walk_tags(cell, stack, context, false);
}

static void tags_prefetched_in(const struct cell *cell, const struct stack *stack, pinview_context *context) {
    walk_tags(cell, stack, context, true);
}

void tags_lazily(const struct cell *cell) { in_context(cell, "blog.sqlite", false, tags_lazily_in); }
void tags_prefetched(const struct cell *cell) { in_context(cell, "blog.sqlite", false, tags_prefetched_in); }
