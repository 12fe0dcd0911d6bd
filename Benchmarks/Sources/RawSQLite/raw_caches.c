// Caches of the first persons that are told of each save, as a program in C would keep them for its threads.
#include <pthread.h>
#include <stdlib.h>

#include "raw_tables.h"
#include "row_map.h"

typedef struct {
    pthread_mutex_t mutex;
    raw_rows *rows;
    row_map map;
} person_cache;

struct raw_caches {
    int64_t count;
    person_cache *caches;
};

raw_caches *raw_caches_fill(sqlite3 *database, int64_t count) {
    raw_caches *const all = calloc(1, sizeof *all);
    all->count = count;
    all->caches = calloc((size_t)count, sizeof *all->caches);
    for (int64_t index = 0; index < count; index++) {
        person_cache *const cache = &all->caches[index];
        pthread_mutex_init(&cache->mutex, NULL);
        cache->rows = raw_rows_fetch(database, RAW_FIRST_PERSONS);
        row_map_reserve(&cache->map, (uint64_t)cache->rows->count);
        for (int64_t row = 0; row < cache->rows->count; row++) {
            const int64_t key = cache->rows->rows[row].key;
            row_map_put(&cache->map, row_map_find(&cache->map, key), key, &cache->rows->rows[row]);
        }
    }
    return all;
}

void raw_caches_tell(raw_caches *all, const raw_row *changed) {
    for (int64_t index = 0; index < all->count; index++) {
        person_cache *const cache = &all->caches[index];
        pthread_mutex_lock(&cache->mutex);
        raw_row *const row = row_map_find(&cache->map, changed->key)->row;
        if (row != NULL) *row = *changed;
        pthread_mutex_unlock(&cache->mutex);
    }
}

int64_t raw_caches_sum(const raw_caches *all) {
    int64_t sum = 0;
    for (int64_t index = 0; index < all->count; index++) {
        const raw_rows *const rows = all->caches[index].rows;
        for (int64_t row = 0; row < rows->count; row++) sum += rows->rows[row].number;
    }
    return sum;
}

void raw_caches_free(raw_caches *all) {
    for (int64_t index = 0; index < all->count; index++) {
        pthread_mutex_destroy(&all->caches[index].mutex);
        raw_rows_free(all->caches[index].rows);
        free(all->caches[index].map.slots);
    }
    free(all->caches);
    free(all);
}
