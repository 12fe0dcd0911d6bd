#define _POSIX_C_SOURCE 200809L
#include "writer.h"

#include <math.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "difference.h"
#include "store.h"

enum { pause_milliseconds = 40, inserted_per_transaction = 3 };

/* A small pseudo-random generator (xorshift), so that each run of the demo does the same. */
static uint32_t random_state = 1906;

static uint32_t chance(uint32_t limit) {
    random_state ^= random_state << 13;
    random_state ^= random_state >> 17;
    random_state ^= random_state << 5;
    return random_state % limit;
}

static double rounded(double magnitude) { return round(magnitude * 10) / 10; }

static int insert_aftershock(pinview_context *context, const quake *main_quake, long transaction, int number) {
    char code[64], place[256];
    const char *prefix = "aftershock of ";
    int is_aftershock = strncmp(main_quake->place, prefix, strlen(prefix)) == 0;
    snprintf(code, sizeof code, "aftershock-%05ld-%d", transaction, number);
    int size = snprintf(place, sizeof place, "%s%s", is_aftershock ? "" : prefix, main_quake->place);
    quake aftershock = *main_quake;
    aftershock.code = code;
    if (size > 0 && size < (int)sizeof place) aftershock.place = place; /* otherwise the full text */
    aftershock.magnitude = rounded(fmax(0.1, main_quake->magnitude - 0.5 - chance(16) / 10.0));
    aftershock.time += 60 + chance(86400);
    return insert_quake(context, &aftershock);
}

/* Revises the magnitude of one quake and deletes another. */
static int revise_and_delete(pinview_context *context, const quake_list *quakes) {
    const uint32_t count = (uint32_t)quakes->count, position = chance(count);
    const quake *revised = &quakes->items[position];
    const quake *deleted = &quakes->items[(position + 1 + chance(count - 1)) % count];
    const pinview_value magnitude = pinview_value_double(rounded(revised->magnitude + (chance(2) == 0 ? -0.1 : 0.1)));
    pinview_object *object = NULL;
    pinview_error *error = NULL;
    pinview_status status = fetch_one(context, "Quake", "code == %@", revised->code, &object, &error);
    if (status == PINVIEW_OK) status = pinview_object_set_value(object, pinview_text("magnitude"), &magnitude, &error);
    pinview_object_release(object);
    object = NULL;
    if (status == PINVIEW_OK) status = fetch_one(context, "Quake", "code == %@", deleted->code, &object, &error);
    if (status == PINVIEW_OK) status = pinview_context_delete(context, object, &error);
    pinview_object_release(object);
    return status == PINVIEW_OK ? 0 : failed("revising and deleting", error);
}

static int write_once(quake_store *store, long transaction) {
    pinview_context *context = quake_store_context(store);
    if (context == NULL) return -1;
    quake_list quakes = {0};
    answers unused;
    int result = ask(context, &quakes, &unused);
    if (result == 0 && quakes.count >= 2) result = revise_and_delete(context, &quakes);
    for (int number = 0; number < inserted_per_transaction && result == 0; number++) {
        result = insert_aftershock(context, &quakes.items[chance((uint32_t)quakes.count)], transaction, number);
    }
    if (result == 0) result = save(context);
    quake_list_free(&quakes);
    pinview_context_release(context);
    return result;
}

/* Standard input becomes readable when the other end closes it; until then the timeout is the pause
 * between transactions. */
static int told_to_stop(void) {
    struct pollfd input = {.fd = STDIN_FILENO, .events = POLLIN};
    return poll(&input, 1, pause_milliseconds) != 0;
}

long write_until_told(const char *path) {
    quake_store store;
    if (quake_store_open(path, &store) != 0) return -1;
    long transactions = 0;
    int result = 0;
    while (result == 0 && !told_to_stop()) {
        result = write_once(&store, transactions);
        if (result == 0 && ++transactions == 1) {
            puts("begun"); /* the first process begins to watch */
            fflush(stdout);
        }
    }
    quake_store_close(&store);
    return result == 0 ? transactions : -1;
}
