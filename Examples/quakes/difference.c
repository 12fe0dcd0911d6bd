#define _POSIX_C_SOURCE 200809L
#include "difference.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int quake_list_add(quake_list *list, const quake *added) {
    if (list->count == list->capacity) {
        size_t capacity = list->capacity == 0 ? 256 : list->capacity * 2;
        quake *items = realloc(list->items, capacity * sizeof *items);
        if (items == NULL) return -1;
        list->items = items;
        list->capacity = capacity;
    }
    quake copy = *added;
    copy.code = strdup(added->code);
    copy.place = strdup(added->place);
    copy.region = strdup(added->region);
    if (copy.code == NULL || copy.place == NULL || copy.region == NULL) {
        free(copy.code);
        free(copy.place);
        free(copy.region);
        return -1;
    }
    list->items[list->count++] = copy;
    return 0;
}

void quake_list_free(quake_list *list) {
    for (size_t index = 0; index < list->count; index++) {
        free(list->items[index].code);
        free(list->items[index].place);
        free(list->items[index].region);
    }
    free(list->items);
    memset(list, 0, sizeof *list);
}

/* FNV-1a: changing any byte changes the checksum. */
static uint64_t mix(uint64_t sum, const void *bytes, size_t size) {
    for (size_t index = 0; index < size; index++) sum = (sum ^ ((const unsigned char *)bytes)[index]) * 1099511628211u;
    return sum;
}

answers answers_of(const quake_list *list, long counted) {
    answers result = {.quakes = counted, .mean_magnitude = 0, .checksum = 14695981039346656037u};
    for (size_t index = 0; index < list->count; index++) {
        const quake *item = &list->items[index];
        const double numbers[] = {item->magnitude, item->time, item->latitude, item->longitude, item->depth};
        result.checksum = mix(result.checksum, item->code, strlen(item->code) + 1);
        result.checksum = mix(result.checksum, item->place, strlen(item->place) + 1);
        result.checksum = mix(result.checksum, item->region, strlen(item->region) + 1);
        result.checksum = mix(result.checksum, numbers, sizeof numbers);
        result.mean_magnitude += item->magnitude;
    }
    if (list->count > 0) result.mean_magnitude /= (double)list->count;
    return result;
}

enum { examples = 3 };

typedef enum { change_inserted, change_revised, change_deleted } change_kind;

/* Walks both lists, sorted by code, in parallel; prints the first changes of a kind and returns
 * their number. */
static size_t walk(const quake_list *before, const quake_list *after, change_kind wanted, size_t printed) {
    size_t old = 0, new = 0, found = 0;
    while (old < before->count || new < after->count) {
        const quake *was = old < before->count ? &before->items[old] : NULL;
        const quake *is = new < after->count ? &after->items[new] : NULL;
        int order = was == NULL ? 1 : is == NULL ? -1 : strcmp(was->code, is->code);
        if (order <= 0) old++;
        if (order >= 0) new++;
        if (order == 0 && was->magnitude == is->magnitude) continue;
        if (wanted != (order < 0 ? change_deleted : order > 0 ? change_inserted : change_revised)) continue;
        if (found++ >= printed) continue;
        if (order == 0) {
            screen_line(style_plain, "      M %.1f is now %.1f  %s", was->magnitude, is->magnitude, is->place);
        } else {
            screen_line(style_plain, "      M %.1f  %s", (order < 0 ? was : is)->magnitude, (order < 0 ? was : is)->place);
        }
    }
    return found;
}

void print_difference(const quake_list *before, const quake_list *after) {
    static const struct {
        change_kind kind;
        const char *name;
    } kinds[] = {{change_inserted, "inserted"}, {change_revised, "revised"}, {change_deleted, "deleted"}};
    for (size_t index = 0; index < sizeof kinds / sizeof *kinds; index++) {
        size_t count = walk(before, after, kinds[index].kind, 0);
        screen_line(style_unpinned, "  %4zu %s%s", count, kinds[index].name, count > examples ? ", among them" : "");
        walk(before, after, kinds[index].kind, examples);
    }
}
