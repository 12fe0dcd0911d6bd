/* The demo's store: quakes and their regions. */
#ifndef QUAKES_STORE_H
#define QUAKES_STORE_H

#include <pinview.h>
#include <stdint.h>

#include "difference.h"

typedef struct {
    pinview_coordinator *coordinator;
    pinview_store *store;
} quake_store;

/* Opens or creates the store file. These functions return 0, or -1 after printing an error. */
int quake_store_open(const char *path, quake_store *opened);
void quake_store_close(quake_store *store);

/* Fills the store with the earthquakes of a GeoJSON file; returns how many there are. */
long quake_store_fill(quake_store *store, const char *feed);

/* A new unpinned context with its own queue. NULL after printing an error. */
pinview_context *quake_store_context(quake_store *store);

/* Pins the context to the newest generation, even if it is pinned already; and unpins it. */
int pin(pinview_context *context);
int unpin(pinview_context *context);

/* Bytes of the store's journal. */
int64_t quake_store_journal(quake_store *store);

/* Fetches the object that matches the condition, which contains one %@ for the argument. The caller
 * releases it; NULL: none. */
pinview_status fetch_one(pinview_context *context, const char *entity, const char *condition, const char *argument,
                         pinview_object **found, pinview_error **error);

/* Inserts a quake into a context; its region is looked up by name, or inserted too. The caller
 * saves. */
int insert_quake(pinview_context *context, const quake *values);

/* Saves the changes of a context. */
int save(pinview_context *context);

/* Asks a view the demo's questions: how many quakes are there, and what are all their values? The
 * list is optional. */
int ask(pinview_context *context, quake_list *list, answers *given);

/* Prints what was being done and the error, and releases the error; returns -1. */
int failed(const char *doing, pinview_error *error);

#endif
