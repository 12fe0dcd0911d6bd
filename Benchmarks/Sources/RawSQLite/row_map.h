// Keys to rows, by open addressing: the identity map that a program in C would write.
#ifndef ROW_MAP_H
#define ROW_MAP_H

#include <stdint.h>
#include <stdlib.h>

typedef struct {
    int64_t key;  // 0: free
    void *row;
} row_map_slot;

typedef struct {
    row_map_slot *slots;
    uint64_t mask, count;
} row_map;

static inline row_map_slot *row_map_find(const row_map *map, int64_t key) {
    uint64_t index = (uint64_t)key * 0x9E3779B97F4A7C15u >> 20;
    while (map->slots[index &= map->mask].key != key && map->slots[index].key != 0) index++;
    return &map->slots[index];
}

static inline void row_map_reserve(row_map *map, uint64_t count) {
    uint64_t capacity = 64;
    while (capacity < 2 * count) capacity *= 2;
    if (map->slots != NULL && capacity <= map->mask + 1) return;
    const row_map old = *map;
    map->slots = calloc(capacity, sizeof *map->slots);
    map->mask = capacity - 1;
    if (old.slots == NULL) return;
    for (uint64_t index = 0; index <= old.mask; index++) {
        if (old.slots[index].key != 0) *row_map_find(map, old.slots[index].key) = old.slots[index];
    }
    free(old.slots);
}

static inline void row_map_put(row_map *map, row_map_slot *slot, int64_t key, void *row) {
    if (map->count + 1 > map->mask / 2) {
        row_map_reserve(map, 2 * (map->count + 1));
        slot = row_map_find(map, key);
    }
    *slot = (row_map_slot){key, row};
    map->count++;
}

#endif
