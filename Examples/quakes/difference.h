/* All quakes as one view sees them, and the difference between two views. */
#ifndef QUAKES_DIFFERENCE_H
#define QUAKES_DIFFERENCE_H

#include <stddef.h>

#include "screen.h"

typedef struct {
    char *code;
    char *place;
    char *region;
    double magnitude, time, latitude, longitude, depth;
} quake;

/* Sorted by code. An empty one is all zeros. */
typedef struct {
    quake *items;
    size_t count, capacity;
} quake_list;

/* Appends a copy of the quake; returns 0, or -1 if out of memory. */
int quake_list_add(quake_list *list, const quake *added);
void quake_list_free(quake_list *list);

/* The answers that follow from a list, with the number of quakes as the store counts them. */
answers answers_of(const quake_list *list, long counted);

/* Prints how many quakes were inserted, revised and deleted between the two, with some examples. */
void print_difference(const quake_list *before, const quake_list *after);

#endif
