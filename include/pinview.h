/*
 * pinview.h - the C interface of Pinview, and its manual.
 *
 * Pinview keeps a graph of managed objects over an ordinary SQLite file and lets a program pin its
 * view to a query generation: a state of the store that stays put until the program moves on,
 * whatever other threads and other processes commit in the meantime. The vocabulary is Core Data's:
 * a model describes entities; a coordinator connects a model with stores; a context fetches,
 * changes and saves managed objects; a token names a generation.
 *
 * This file is the specification. What is not documented here is not part of the interface.
 *
 *     pinview_model *model = NULL;
 *     pinview_coordinator *coordinator = NULL;
 *     pinview_context *context = NULL;
 *     pinview_result *people = NULL;
 *     pinview_error *error = NULL;
 *     pinview_fetch_request request;
 *
 *     if (pinview_model_create_from_json(pinview_text(json), &model, &error) != PINVIEW_OK ||
 *         pinview_coordinator_create(model, &coordinator, &error) != PINVIEW_OK ||
 *         pinview_coordinator_add_store(
 *             coordinator, pinview_text(PINVIEW_STORE_TYPE_SQLITE), pinview_absent(),
 *             pinview_text("people.sqlite"), NULL, 0, NULL, &error) != PINVIEW_OK ||
 *         pinview_context_create(PINVIEW_CONCURRENCY_PRIVATE_QUEUE, &context, &error) !=
 *             PINVIEW_OK ||
 *         pinview_context_set_coordinator(context, coordinator, &error) != PINVIEW_OK ||
 *         pinview_context_set_query_generation(context, pinview_token_current(), &error) !=
 *             PINVIEW_OK ||
 *         pinview_fetch_request_init(
 *             &request, sizeof request, pinview_text("Person"), &error) != PINVIEW_OK ||
 *         pinview_context_fetch(context, &request, &people, &error) != PINVIEW_OK)
 *         fprintf(stderr, "%s\n", pinview_error_message(error).data);
 *
 *
 * CONTENTS BY TASK
 *
 *   Check versions and features     pinview_version_number, pinview_sqlite_version,
 *                                   pinview_has_feature
 *   Release what you own            pinview_object_release, pinview_objects_release,
 *                                   pinview_handle_count ("Retain and release")
 *   Pass texts and values           pinview_string, pinview_value, pinview_text, pinview_value_text
 *   Find out what went wrong        pinview_status, pinview_error_message, pinview_error_code
 *   Describe a model                pinview_model_create_from_json, pinview_model_builder_create
 *   Read a model of Core Data's     pinview_model_create_from_file
 *   Run code when objects change    pinview_model_set_entity_hooks
 *   Open a store                    pinview_coordinator_create, pinview_coordinator_add_store,
 *                                   or all in one: pinview_container_create
 *   Look into a store               PINVIEW_STORE_OPTION_IMMUTABLE, pinview_store_missing,
 *                                   pinview_object_examine
 *   Migrate a store                 PINVIEW_STORE_OPTION_MIGRATE, pinview_model_migration_plan,
 *                                   pinview_model_difference; with steps of the program:
 *                                   pinview_coordinator_add_migrated_store
 *   Make a context                  pinview_context_create, pinview_context_set_coordinator,
 *                                   pinview_context_set_parent
 *   Run code on a context's queue   pinview_context_perform, pinview_context_perform_and_wait,
 *                                   pinview_main_queue_drain
 *   Pin a context                   pinview_context_set_query_generation, pinview_token_current
 *   Advance a pinned context        pinview_context_has_newer_generation,
 *                                   pinview_context_wait_for_newer_generation,
 *                                   pinview_coordinator_add_generation_observer
 *   See what changed in between     pinview_coordinator_difference
 *   Keep a generation as a file     pinview_coordinator_export, pinview_export_database
 *   Run SQL at a generation         pinview_context_query_sql, pinview_coordinator_query_sql
 *   Give another process your view  pinview_token_data, pinview_token_create_from_data
 *   Fetch objects                   pinview_fetch_request_init, pinview_context_fetch,
 *                                   pinview_context_count, pinview_predicate_create
 *   Read one object                 pinview_object_value, pinview_object_related_object,
 *                                   pinview_object_related_objects
 *   Read many objects               pinview_result_values, pinview_objects_values,
 *                                   pinview_context_existing_objects, pinview_result_load
 *   Read columns (Arrow)            pinview_context_fetch_columns
 *   Fetch in the background         pinview_context_fetch_asynchronously
 *   Stop a fetch, a save, a fault   pinview_context_interrupt, pinview_set_interrupt_callback,
 *                                   pinview_context_set_timeout
 *   See how a fetch is run          pinview_context_explain, pinview_sql_log_set_enabled
 *   Insert, change, delete          pinview_context_insert_new_object, pinview_object_set_value,
 *                                   pinview_context_delete, pinview_context_insert_objects
 *   Insert or update                pinview_context_upsert
 *   Save, and resolve conflicts     pinview_context_save, pinview_context_set_merge_policy,
 *                                   pinview_context_set_merge_callback, pinview_error_conflict
 *   Take changes back               pinview_context_rollback, pinview_context_undo,
 *                                   pinview_undo_manager_begin_grouping
 *   Write many rows at once         pinview_context_batch_insert, pinview_context_batch_update,
 *                                   pinview_context_batch_delete
 *   Keep a list up to date          pinview_results_controller_create
 *   Hear of changes                 pinview_observe, pinview_context_merge_changes
 *   Follow other programs           pinview_context_fetch_history, pinview_context_merge_history,
 *                                   pinview_coordinator_add_remote_change_observer
 *   Find out why a journal grows    pinview_coordinator_journal_report,
 *                                   pinview_journal_report_create_for_file
 *   Write a short program           pinview_open, pinview_insert, pinview_fetch, pinview_next,
 *                                   pinview_get_text, PINVIEW_CHECK
 *
 *
 * DEFAULTS
 *
 * The following holds for every function; a function's own documentation mentions only exceptions.
 * A comment above several functions describes each of them, in this order.
 *
 * Ownership. A handle returned through a parameter `T **out` is owned by the caller, who releases
 * it once. Everything else is borrowed: arguments for the duration of the call; a returned pointer,
 * and texts, data and handles in a returned struct or value, from the handle that was asked.
 * Structs and arrays passed in are read, or copied, during the call. Handles keep alive what they
 * need (an object ID its model, a context its coordinator), so they can be released in any order.
 * An object does not keep its context alive.
 *
 * Handles are checked names, not addresses: a slot and a serial number in a table. Every call looks
 * its handles up first. NULL, a released handle, a handle of another kind and random bits all give
 * PINVIEW_ERROR_INVALID_HANDLE, never a crash. Two handles can name the same thing; compare them
 * with the _is_equal function of their kind, which returns 1 if both handles are valid and name the
 * same thing, else 0. A handle made before fork() gives PINVIEW_ERROR_FORKED in the child;
 * releasing it there only forgets it.
 *
 * Errors. A function that can fail returns a pinview_status: PINVIEW_OK (0) or a stable negative
 * number. It takes `pinview_error **error` last, which may be NULL. On failure *error receives an
 * owned, immutable error; on success, NULL. The status is the negated code of the error if its
 * domain is PINVIEW_ERROR_DOMAIN or PINVIEW_COCOA_ERROR_DOMAIN. After a failure nothing has
 * changed, and out-parameters are NULL, 0, null or absent. A struct passed to be filled is left as
 * it was.
 *
 * A function that returns anything but a status cannot fail. For a handle that is not valid it
 * returns NULL, 0, or the absent text.
 *
 * Every function with a status can return PINVIEW_ERROR_INVALID_HANDLE and PINVIEW_ERROR_FORKED;
 * every function that takes a text, PINVIEW_ERROR_INVALID_UTF8. PINVIEW_ERROR_INVALID_ARGUMENT is
 * returned for NULL where it is not documented to be allowed, for an index out of range, a number
 * that is not one of the constants of its kind, an undefined flag, and a field named `reserved`
 * that is not 0. A call that needs a coordinator returns PINVIEW_ERROR_NO_COORDINATOR if the
 * context has none. If a store stayed locked for longer than its busy timeout, the status is that
 * of the operation (PINVIEW_ERROR_STORE_SAVE, PINVIEW_ERROR_STORE_OPEN, PINVIEW_ERROR_SQLITE), and
 * the low byte of pinview_error_sqlite_code is SQLITE_BUSY (5).
 *
 * Structs that may grow begin with struct_size, which the caller sets to sizeof the struct. It may
 * be larger than the one of the library in use: the excess must be 0 in a struct passed in, or the
 * call fails with PINVIEW_ERROR_INVALID_ARGUMENT; in a struct that is filled it is set to 0. Zero a
 * struct before setting its fields: 0 is the default of every field. Structs that may grow and are
 * passed in arrays state their size once for the array, by a field or a parameter beside it; the
 * same rules apply to it. For a field, 0 is the size that the struct had when the field was added.
 *
 * Texts are UTF-8 with a length in bytes; see pinview_string. A text, data or an ID that a handle
 * hands out is valid until the same thing is asked of that handle again, or until the handle's last
 * release. Texts of immutable things (errors, models, entities, object IDs, tokens, stores) are
 * valid until the last release. Calls that take a buffer put texts, data and IDs there instead;
 * they are valid until the buffer's next use.
 *
 * Counts and sizes. Indexes begin at 0. A count of elements or a size in bytes passed by the caller
 * is at most INT32_MAX, whether as a parameter, in a struct, or in a text, data or a value. A
 * larger one gives PINVIEW_ERROR_INVALID_ARGUMENT before any memory is accessed; functions without
 * a status do nothing. Smaller counts are trusted. NULL is allowed for an array of no elements.
 *
 * Booleans are int32_t: 0 is false, anything else is true; the library returns 1 for true. Flags
 * are combined with |; 0 is none.
 *
 * Times are in seconds. Points in time are seconds since 2001-01-01 00:00 UTC.
 *
 * Threads. A function may be called from any thread, at any time, unless it follows the context
 * rule. The context rule holds for functions whose first parameter is a context, a managed object,
 * an undo manager, a result, a results controller or an array of objects, unless their
 * documentation says "Threads: any thread". It says:
 *
 * - A private-queue context may be used from any thread. A direct call waits for the context's
 *   queue and runs as a block of its own.
 * - A main-queue context is for the main thread, the thread the process began with. A confinement
 *   context is for the thread that created it. Other threads get PINVIEW_ERROR_WRONG_QUEUE.
 * - With the concurrency check (pinview_set_concurrency_debug), private-queue contexts too can be
 *   used inside their blocks only.
 * - A call that would wait forever, because the thread that is using the context waits, directly or
 *   through others, for a context that the calling thread is using, does nothing and returns
 *   PINVIEW_ERROR_DEADLOCK.
 *
 * Callbacks take `void *userdata` and, if it outlives the call, a function that frees it, which may
 * be NULL. The library owns userdata once the call has succeeded; if it failed, userdata remains
 * the caller's. A callback with a status returns PINVIEW_OK; PINVIEW_STOP or PINVIEW_USE_DEFAULT,
 * as documented with the callback; a status of 100 or more, which is passed through unchanged; or
 * the status of a call that failed inside it. The library holds no lock while it calls a callback
 * or frees userdata: both may call every function that their documentation does not exclude.
 *
 * Generations. "Generation: reads" marks functions that read the stores. Such a call fixes the
 * generation of a context that is pinned but has not read yet. "Advances" means that a pinned
 * context takes the newest generation at its next read. All other functions do neither.
 *
 * Costs. A function runs no SQL statement unless its documentation mentions a cost. The library
 * never calls malloc or free on behalf of the program.
 *
 * Versions. Everything is available since 0.1 unless noted otherwise. "Core Data:" names the member
 * that a function corresponds to, in Swift's spelling.
 */
#ifndef PINVIEW_H
#define PINVIEW_H

#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Constants that belong together are enumerations of fixed width. C before C23 cannot declare the
 * width: there the type is the typedef beside them, and the constants are of type int. */
#if defined(__cplusplus) || defined(__swift__) || \
    (defined(__STDC_VERSION__) && __STDC_VERSION__ >= 202311L)
#define PINVIEW_ENUM_OF(type) enum : type
#else
#define PINVIEW_ENUM_OF(type) enum
#endif

/* Small functions are defined here and inlined wherever they are called. The library exports them
 * too, for languages that cannot read C and for programs that need their addresses. */
#ifndef PINVIEW_INLINE
#if defined(__GNUC__) && !defined(__swift__)
#define PINVIEW_INLINE extern inline __attribute__((__gnu_inline__, __always_inline__))
#else
#define PINVIEW_INLINE static inline
#endif
#endif

/* ============================================================================================== */

/**
 * @defgroup pinview-handles Handles
 *
 * Each kind of handle is a distinct, incomplete type. Types marked immutable may be used by any
 * thread, also by several at once.
 * @{
 */

typedef struct pinview_error pinview_error; /**< What went wrong. Immutable */
typedef struct pinview_buffer pinview_buffer; /**< Memory for texts and data */
typedef struct pinview_model_builder pinview_model_builder; /**< A model being built */
typedef struct pinview_model pinview_model; /**< NSManagedObjectModel. Immutable */
typedef struct pinview_entity pinview_entity; /**< NSEntityDescription. Immutable */
typedef struct pinview_coordinator pinview_coordinator; /**< NSPersistentStoreCoordinator */
typedef struct pinview_store pinview_store; /**< NSPersistentStore */
typedef struct pinview_container pinview_container; /**< NSPersistentContainer */
typedef struct pinview_token pinview_token; /**< NSQueryGenerationToken. Immutable */
typedef struct pinview_context pinview_context; /**< NSManagedObjectContext */
typedef struct pinview_undo_manager pinview_undo_manager; /**< UndoManager */
typedef struct pinview_weak_context pinview_weak_context; /**< A context, not kept alive */
typedef struct pinview_object pinview_object; /**< NSManagedObject */
typedef struct pinview_weak_object pinview_weak_object; /**< An object, not kept alive */
typedef struct pinview_object_id pinview_object_id; /**< NSManagedObjectID. Immutable */
/** A request of a model. Immutable */
typedef struct pinview_fetch_template pinview_fetch_template;
/** NSFetchedResultsController */
typedef struct pinview_results_controller pinview_results_controller;
/** Objects, object IDs, rows of values, or a count */
typedef struct pinview_result pinview_result;
typedef struct pinview_predicate pinview_predicate; /**< NSPredicate. Immutable */
typedef struct pinview_expression pinview_expression; /**< NSExpression. Immutable */
typedef struct pinview_observer pinview_observer; /**< A registration for notifications */
typedef struct pinview_notification pinview_notification; /**< NSNotification. Immutable */
typedef struct pinview_merge pinview_merge; /**< The conflicts of a save */
/** NSPersistentHistoryToken. Immutable */
typedef struct pinview_history_token pinview_history_token;
/** A list of NSPersistentHistoryTransaction. Immutable */
typedef struct pinview_history pinview_history;
/** NSAsynchronousFetchResult */
typedef struct pinview_asynchronous_fetch pinview_asynchronous_fetch;
/** What differs between two generations. Immutable */
typedef struct pinview_difference pinview_difference;
/** The rows of an SQL statement */
typedef struct pinview_sql_cursor pinview_sql_cursor;
/** Who holds the journals of stores. Immutable */
typedef struct pinview_journal_report pinview_journal_report;

/** 0 for success, a negative number for an error of the library, 100 or more for a status that a
 * callback of the program returned. See the constants under "Errors". */
typedef int32_t pinview_status;

/** Frees userdata. Called on the thread that drops the last use of it; may call any function. For
 * background work that is a thread of the library, shortly after the end that the program can wait
 * for: userdata must remain usable until this call. */
typedef void (*pinview_free_callback)(void *userdata);

/** A block of work for a context. pinview_context_perform_and_wait returns its status;
 * pinview_context_perform ignores it. */
typedef pinview_status (*pinview_block_callback)(pinview_context *context, void *userdata);

/**
 * @name Retain and release
 *
 * Every kind of handle has these two functions. The first adds a reference and leaves the handle as
 * it is; a handle can have up to 16,777,215 references. The second drops a reference; dropping the
 * last one makes the handle invalid. Release ignores NULL. Neither takes an error, so that they fit
 * into cleanup code: they return PINVIEW_OK, PINVIEW_ERROR_INVALID_HANDLE (also for one reference
 * too many), or PINVIEW_ERROR_FORKED. Both may be called from any thread.
 *
 * Two kinds differ slightly: a merge that is retained beyond its callback can be read but not
 * resolved, and retaining or releasing pinview_token_current() has no effect.
 * @{
 */

/** Adds a reference, or drops one. */
pinview_status pinview_error_retain(pinview_error *error);
pinview_status pinview_error_release(pinview_error *error);
pinview_status pinview_buffer_retain(pinview_buffer *buffer);
pinview_status pinview_buffer_release(pinview_buffer *buffer);
pinview_status pinview_model_builder_retain(pinview_model_builder *model_builder);
pinview_status pinview_model_builder_release(pinview_model_builder *model_builder);
pinview_status pinview_model_retain(pinview_model *model);
pinview_status pinview_model_release(pinview_model *model);
pinview_status pinview_entity_retain(pinview_entity *entity);
pinview_status pinview_entity_release(pinview_entity *entity);
pinview_status pinview_coordinator_retain(pinview_coordinator *coordinator);
pinview_status pinview_coordinator_release(pinview_coordinator *coordinator);
pinview_status pinview_store_retain(pinview_store *store);
pinview_status pinview_store_release(pinview_store *store);
pinview_status pinview_container_retain(pinview_container *container);
pinview_status pinview_container_release(pinview_container *container);
pinview_status pinview_token_retain(pinview_token *token);
pinview_status pinview_token_release(pinview_token *token);
pinview_status pinview_context_retain(pinview_context *context);
pinview_status pinview_context_release(pinview_context *context);
pinview_status pinview_undo_manager_retain(pinview_undo_manager *manager);
pinview_status pinview_undo_manager_release(pinview_undo_manager *manager);
pinview_status pinview_weak_context_retain(pinview_weak_context *weak_context);
pinview_status pinview_weak_context_release(pinview_weak_context *weak_context);
pinview_status pinview_object_retain(pinview_object *object);
pinview_status pinview_object_release(pinview_object *object);
pinview_status pinview_weak_object_retain(pinview_weak_object *weak_object);
pinview_status pinview_weak_object_release(pinview_weak_object *weak_object);
pinview_status pinview_object_id_retain(pinview_object_id *object_id);
pinview_status pinview_object_id_release(pinview_object_id *object_id);
pinview_status pinview_fetch_template_retain(pinview_fetch_template *fetch_template);
pinview_status pinview_fetch_template_release(pinview_fetch_template *fetch_template);
pinview_status pinview_results_controller_retain(pinview_results_controller *controller);
pinview_status pinview_results_controller_release(pinview_results_controller *controller);
pinview_status pinview_result_retain(pinview_result *result);
pinview_status pinview_result_release(pinview_result *result);
pinview_status pinview_predicate_retain(pinview_predicate *predicate);
pinview_status pinview_predicate_release(pinview_predicate *predicate);
pinview_status pinview_expression_retain(pinview_expression *expression);
pinview_status pinview_expression_release(pinview_expression *expression);
pinview_status pinview_observer_retain(pinview_observer *observer);
pinview_status pinview_observer_release(pinview_observer *observer);
pinview_status pinview_notification_retain(pinview_notification *notification);
pinview_status pinview_notification_release(pinview_notification *notification);
pinview_status pinview_merge_retain(pinview_merge *merge);
pinview_status pinview_merge_release(pinview_merge *merge);
pinview_status pinview_history_token_retain(pinview_history_token *token);
pinview_status pinview_history_token_release(pinview_history_token *token);
pinview_status pinview_history_retain(pinview_history *history);
pinview_status pinview_history_release(pinview_history *history);
pinview_status pinview_asynchronous_fetch_retain(pinview_asynchronous_fetch *fetch);
pinview_status pinview_asynchronous_fetch_release(pinview_asynchronous_fetch *fetch);
pinview_status pinview_difference_retain(pinview_difference *difference);
pinview_status pinview_difference_release(pinview_difference *difference);
pinview_status pinview_sql_cursor_retain(pinview_sql_cursor *cursor);
pinview_status pinview_sql_cursor_release(pinview_sql_cursor *cursor);
pinview_status pinview_journal_report_retain(pinview_journal_report *report);
pinview_status pinview_journal_report_release(pinview_journal_report *report);
/** @} */

/** Drops one reference to each of several objects. NULL and invalid handles are skipped.
 * Threads: any thread. */
void pinview_objects_release(pinview_object *const *objects, size_t count);

/** Returns the number of live handles in the process. After a program has released everything, it
 * is the number from before it began. */
int64_t pinview_handle_count(void);

/** @} */

/* ============================================================================================== */

/**
 * @defgroup pinview-values Values and strings
 *
 * A property value, a text and data as they are passed in and out. These layouts never change.
 * @{
 */

/** A text in UTF-8 and its size in bytes. It has three states: absent (data is NULL and size is 0),
 * empty (data is not NULL, size is 0), and text. Texts passed in are read during the call; they may
 * contain NUL bytes, and invalid UTF-8 gives PINVIEW_ERROR_INVALID_UTF8. Texts handed out are
 * borrowed and, for convenience, followed by a NUL byte. */
typedef struct pinview_string {
    const char *data;
    size_t size;
} pinview_string;

/** Bytes: absent, empty or some, as for pinview_string. */
typedef struct pinview_binary {
    const uint8_t *data;
    size_t size;
} pinview_binary;

/** Returns a view of a C string, or the absent text for NULL. Runs strlen. */
PINVIEW_INLINE pinview_string pinview_text(const char *text) {
    pinview_string result;
    result.data = text;
    result.size = text == NULL ? 0 : strlen(text);
    return result;
}

/** Returns the absent text. */
PINVIEW_INLINE pinview_string pinview_absent(void) {
    pinview_string result;
    result.data = NULL;
    result.size = 0;
    return result;
}

/** The type of a value, and the member of `as` that holds it. */
PINVIEW_ENUM_OF(int32_t) {
    PINVIEW_VALUE_NULL = 0,
    PINVIEW_VALUE_BOOLEAN = 1,    /**< as.boolean: 0 or 1; any other number passed in counts as 1 */
    PINVIEW_VALUE_INTEGER = 2,    /**< as.integer */
    PINVIEW_VALUE_DOUBLE = 3,     /**< as.real */
    PINVIEW_VALUE_STRING = 4,     /**< as.string */
    PINVIEW_VALUE_BINARY = 5,     /**< as.binary */
    PINVIEW_VALUE_DATE = 6,       /**< as.real: seconds since 2001-01-01 00:00 UTC */
    PINVIEW_VALUE_UUID = 7,       /**< as.uuid */
    /** as.string: up to 38 significant digits, such as -12.50 or 1e6, or NaN. Stores hold whole
     * numbers of 64 bits, and others of up to 15 digits */
    PINVIEW_VALUE_DECIMAL = 8,
    PINVIEW_VALUE_OBJECT = 9,     /**< as.object; passed in only */
    PINVIEW_VALUE_OBJECT_ID = 10, /**< as.object_id */
    PINVIEW_VALUE_LIST = 11       /**< as.list; passed in only, as an argument of a predicate */
};
typedef int32_t pinview_value_type; /**< PINVIEW_VALUE_... */

typedef struct pinview_value pinview_value;

/** Several values, for IN and BETWEEN. */
typedef struct pinview_value_list {
    const pinview_value *items;
    size_t count;
} pinview_value_list;

/** The contents of a value; its type says which member is valid. */
typedef union pinview_value_contents {
    int32_t boolean;
    int64_t integer;
    double real;
    pinview_string string;
    pinview_binary binary;
    uint8_t uuid[16];
    pinview_object *object;
    pinview_object_id *object_id;
    pinview_value_list list;
} pinview_value_contents;

/** A value. Texts, data and handles in it are borrowed. */
struct pinview_value {
    pinview_value_type type;
    int32_t reserved; /**< 0 */
    pinview_value_contents as;
};

/** Returns null. */
PINVIEW_INLINE pinview_value pinview_value_null(void) {
    pinview_value result;
    memset(&result, 0, sizeof result);
    return result;
}

/** Returns a Boolean. */
PINVIEW_INLINE pinview_value pinview_value_boolean(int32_t boolean) {
    pinview_value result = pinview_value_null();
    result.type = PINVIEW_VALUE_BOOLEAN;
    result.as.boolean = boolean;
    return result;
}

/** Returns an integer. */
PINVIEW_INLINE pinview_value pinview_value_integer(int64_t integer) {
    pinview_value result = pinview_value_null();
    result.type = PINVIEW_VALUE_INTEGER;
    result.as.integer = integer;
    return result;
}

/** Returns a floating-point number. */
PINVIEW_INLINE pinview_value pinview_value_double(double real) {
    pinview_value result = pinview_value_null();
    result.type = PINVIEW_VALUE_DOUBLE;
    result.as.real = real;
    return result;
}

/** Returns a text, or null for NULL. The text is not copied: it must live as long as the value. */
PINVIEW_INLINE pinview_value pinview_value_text(const char *text) {
    pinview_value result = pinview_value_null();
    result.type = text == NULL ? PINVIEW_VALUE_NULL : PINVIEW_VALUE_STRING;
    result.as.string = pinview_text(text);
    return result;
}

/** Returns a date, given in seconds since 2001-01-01 00:00 UTC. */
PINVIEW_INLINE pinview_value pinview_value_date(double seconds) {
    pinview_value result = pinview_value_null();
    result.type = PINVIEW_VALUE_DATE;
    result.as.real = seconds;
    return result;
}

/** Returns an object, or null for NULL. The value borrows the handle. */
PINVIEW_INLINE pinview_value pinview_value_object(pinview_object *object) {
    pinview_value result = pinview_value_null();
    result.type = object == NULL ? PINVIEW_VALUE_NULL : PINVIEW_VALUE_OBJECT;
    result.as.object = object;
    return result;
}

/** A named value: an option, a variable of a predicate, a property to update. */
typedef struct pinview_named_value {
    pinview_string name;
    pinview_value value;
} pinview_named_value;

/** Returns a named value. Name and value are borrowed. */
PINVIEW_INLINE pinview_named_value pinview_named(const char *name, pinview_value value) {
    pinview_named_value result;
    result.name = pinview_text(name);
    result.value = value;
    return result;
}

/** Creates a buffer: memory for the texts, data and IDs that calls for many values return. Each
 * call overwrites what the previous one put there. A buffer grows as needed and never shrinks. Use
 * one buffer per thread. */
pinview_status pinview_buffer_create(pinview_buffer **out, pinview_error **error);

/** @} */

/* ============================================================================================== */

/**
 * @defgroup pinview-version Version and features
 *
 * What the program was compiled against, what is loaded, and what it can do.
 * @{
 */

#define PINVIEW_VERSION_MAJOR 0
#define PINVIEW_VERSION_MINOR 1
#define PINVIEW_VERSION_PATCH 0
#define PINVIEW_VERSION_STRING "0.1.0"
/** 1,000,000 * major + 1,000 * minor + patch */
#define PINVIEW_VERSION_NUMBER 1000

/* Marks functions that exist for ported programs only. Define PINVIEW_ALLOW_DEPRECATED to use them
 * without a warning. */
#if defined(PINVIEW_ALLOW_DEPRECATED) || defined(__swift__) || !defined(__GNUC__)
#define PINVIEW_DEPRECATED(advice)
#else
#define PINVIEW_DEPRECATED(advice) __attribute__((deprecated(advice)))
#endif

/** NSCoreDataVersionNumber: the level this library implements, above every published number. */
#define PINVIEW_CORE_DATA_VERSION_NUMBER 700.0

/* The published values of NSCoreDataVersionNumber, for version checks in ported programs. */

#define PINVIEW_CORE_DATA_VERSION_NUMBER_10_10 526.0
#define PINVIEW_CORE_DATA_VERSION_NUMBER_10_10_2 526.1
#define PINVIEW_CORE_DATA_VERSION_NUMBER_10_10_3 526.2
#define PINVIEW_CORE_DATA_VERSION_NUMBER_10_11 640.0
#define PINVIEW_CORE_DATA_VERSION_NUMBER_10_11_3 641.3
#define PINVIEW_CORE_DATA_VERSION_NUMBER_10_4 46.0
#define PINVIEW_CORE_DATA_VERSION_NUMBER_10_4_3 77.0
#define PINVIEW_CORE_DATA_VERSION_NUMBER_10_5 185.0
#define PINVIEW_CORE_DATA_VERSION_NUMBER_10_5_3 186.0
#define PINVIEW_CORE_DATA_VERSION_NUMBER_10_6 246.0
#define PINVIEW_CORE_DATA_VERSION_NUMBER_10_6_2 250.0
#define PINVIEW_CORE_DATA_VERSION_NUMBER_10_6_3 251.0
#define PINVIEW_CORE_DATA_VERSION_NUMBER_10_7 358.4
#define PINVIEW_CORE_DATA_VERSION_NUMBER_10_7_2 358.12
#define PINVIEW_CORE_DATA_VERSION_NUMBER_10_7_3 358.13
#define PINVIEW_CORE_DATA_VERSION_NUMBER_10_7_4 358.14
#define PINVIEW_CORE_DATA_VERSION_NUMBER_10_8 407.5
#define PINVIEW_CORE_DATA_VERSION_NUMBER_10_8_2 407.7
#define PINVIEW_CORE_DATA_VERSION_NUMBER_10_9 481.0
#define PINVIEW_CORE_DATA_VERSION_NUMBER_10_9_2 481.1
#define PINVIEW_CORE_DATA_VERSION_NUMBER_10_9_3 481.3
#define PINVIEW_CORE_DATA_VERSION_NUMBER_IPHONEOS_3_0 241.0
#define PINVIEW_CORE_DATA_VERSION_NUMBER_IPHONEOS_3_1 248.0
#define PINVIEW_CORE_DATA_VERSION_NUMBER_IPHONEOS_3_2 310.2
#define PINVIEW_CORE_DATA_VERSION_NUMBER_IPHONEOS_4_0 320.5
#define PINVIEW_CORE_DATA_VERSION_NUMBER_IPHONEOS_4_1 320.11
#define PINVIEW_CORE_DATA_VERSION_NUMBER_IPHONEOS_4_2 320.15
#define PINVIEW_CORE_DATA_VERSION_NUMBER_IPHONEOS_4_3 320.17
#define PINVIEW_CORE_DATA_VERSION_NUMBER_IPHONEOS_5_0 386.1
#define PINVIEW_CORE_DATA_VERSION_NUMBER_IPHONEOS_5_1 386.5
#define PINVIEW_CORE_DATA_VERSION_NUMBER_IPHONEOS_6_0 419.0
#define PINVIEW_CORE_DATA_VERSION_NUMBER_IPHONEOS_6_1 419.1
#define PINVIEW_CORE_DATA_VERSION_NUMBER_IPHONEOS_7_0 479.1
#define PINVIEW_CORE_DATA_VERSION_NUMBER_IPHONEOS_7_1 479.3
#define PINVIEW_CORE_DATA_VERSION_NUMBER_IPHONEOS_8_0 519.0
#define PINVIEW_CORE_DATA_VERSION_NUMBER_IPHONEOS_8_3 519.15
#define PINVIEW_CORE_DATA_VERSION_NUMBER_IPHONEOS_9_0 640.0
#define PINVIEW_CORE_DATA_VERSION_NUMBER_IPHONEOS_9_2 641.4
#define PINVIEW_CORE_DATA_VERSION_NUMBER_IPHONEOS_9_3 641.6

/** NSNotFound: the value of a count that could not be determined. */
#define PINVIEW_NOT_FOUND INT64_MAX

/** Returns the version of the loaded library: 1,000,000 * major + 1,000 * minor + patch. */
uint32_t pinview_version_number(void);

/** Returns the version of the loaded library, such as "0.1.0". The text is valid forever. */
pinview_string pinview_version_string(void);

/** Returns the version of the SQLite library in use, such as "3.40.1". The text is valid
 * forever. */
pinview_string pinview_sqlite_version(void);

/**
 * Returns 1 if the loaded library has a feature, 0 if not or if the name is unknown.
 *
 * @param name "asynchronous-fetch", "batch-delete", "batch-insert", "batch-update", "columns",
 *     "dictionary-results", "explain", "expressions", "fetch-request-templates",
 *     "fetched-properties", "generation-difference", "history", "journal-budget", "journal-report",
 *     "merge-policies", "nested-contexts", "query-generations", "remote-changes",
 *     "results-controller", "sql-log", "undo", or "upsert" (which includes merge policies of batch
 *     inserts)
 */
int32_t pinview_has_feature(pinview_string name);

/** @} */

/* ============================================================================================== */

/**
 * @defgroup pinview-errors Errors
 *
 * The status of a call, and the error object with the details. Errors are immutable.
 * @{
 */

/** Success. */
PINVIEW_ENUM_OF(int32_t) {
    PINVIEW_OK = 0
};

/** Reserved for callbacks: stop, or behave as if there were no callback. The library never returns
 * them. */
PINVIEW_ENUM_OF(int32_t) {
    PINVIEW_STOP = 1,
    PINVIEW_USE_DEFAULT = 2
};

/** Errors in the calling program (PINVIEW_ERROR_DOMAIN). */
PINVIEW_ENUM_OF(int32_t) {
    PINVIEW_ERROR_NESTED_PIN = -1,       /**< a child context cannot be pinned; pin its root */
    PINVIEW_ERROR_FOREIGN_TOKEN = -2,    /**< the token belongs to another coordinator */
    /** no context is pinned to the token's generation any more */
    PINVIEW_ERROR_GENERATION_EXPIRED = -3,
    PINVIEW_ERROR_WRONG_QUEUE = -4,      /**< the wrong thread for this context */
    PINVIEW_ERROR_WRONG_CONTEXT = -5,    /**< the object belongs to another context */
    /** the store lacks the entity, or the object is in another store */
    PINVIEW_ERROR_WRONG_STORE = -6,
    PINVIEW_ERROR_NO_COORDINATOR = -7,   /**< the context has neither a coordinator nor a parent */
    /** a coordinator or parent that is set cannot be removed or changed */
    PINVIEW_ERROR_COORDINATOR_NIL = -8,
    /** a confinement context can neither be nor have a parent */
    PINVIEW_ERROR_CONFINEMENT_PARENT = -9,
    PINVIEW_ERROR_CONFINEMENT_PERFORM = -10, /**< a confinement context has no queue */
    PINVIEW_ERROR_PARENT_CYCLE = -11,    /**< a context cannot be its own ancestor */
    PINVIEW_ERROR_CONTEXT_GONE = -12,    /**< the object's context no longer exists */
    /** the object was invalidated by a reset or by the removal of its store */
    PINVIEW_ERROR_OBJECT_INVALIDATED = -13,
    /** the calling thread is not in a block of a context */
    PINVIEW_ERROR_NO_CURRENT_CONTEXT = -14,
    /** automatic merging cannot be combined with this pin */
    PINVIEW_ERROR_PINNED_AUTO_MERGE = -15,
    PINVIEW_ERROR_UNKNOWN_ENTITY = -16,  /**< the model has no such entity */
    PINVIEW_ERROR_UNKNOWN_KEY = -17,     /**< the entity has no such property */
    PINVIEW_ERROR_WRONG_TYPE = -18,      /**< the value does not fit the property */
    PINVIEW_ERROR_BAD_PREDICATE = -19,   /**< the predicate is malformed */
    PINVIEW_ERROR_BAD_MODEL = -20,       /**< the model is inconsistent */
    PINVIEW_ERROR_NOT_LOCKED = -21,      /**< unlock without lock */
    PINVIEW_ERROR_INVALID_HANDLE = -101, /**< NULL, released, of another kind, or not a handle */
    PINVIEW_ERROR_INVALID_ARGUMENT = -102, /**< an argument outside what the function accepts */
    PINVIEW_ERROR_INVALID_UTF8 = -103,   /**< a text is not valid UTF-8 */
    /** the pinned generation can no longer be read; nothing wrong was returned */
    PINVIEW_ERROR_GENERATION_LOST = -104,
    PINVIEW_ERROR_FORKED = -105,         /**< made before fork(), used in the child */
    PINVIEW_ERROR_OUT_OF_MEMORY = -106,  /**< no memory, or no free handle */
    PINVIEW_ERROR_UNKNOWN_STORE = -107,  /**< the coordinator does not have the store */
    PINVIEW_ERROR_STOPPED = -108,        /**< a callback returned PINVIEW_STOP */
    PINVIEW_ERROR_TIMED_OUT = -109,      /**< a call exceeded its timeout */
    PINVIEW_ERROR_DEADLOCK = -110,       /**< waiting for the context would never end */
    /** the store was migrated to another model by someone else; pinned generations stay readable */
    PINVIEW_ERROR_STORE_MIGRATED = -111,
    /** other code of the process, such as a second SQLite, dropped or can drop a store's locks */
    PINVIEW_ERROR_LOCKS_LOST = -112
};

/** Errors of data and stores, with Core Data's numbers (PINVIEW_COCOA_ERROR_DOMAIN). */
PINVIEW_ENUM_OF(int32_t) {
    PINVIEW_ERROR_VALIDATION = -1550,              /**< a validation failed */
    /** several failures; see pinview_error_detailed_error */
    PINVIEW_ERROR_VALIDATION_MULTIPLE_ERRORS = -1560,
    /** a mandatory property has no value */
    PINVIEW_ERROR_VALIDATION_MISSING_MANDATORY_PROPERTY = -1570,
    /** too few related objects */
    PINVIEW_ERROR_VALIDATION_RELATIONSHIP_LACKS_MINIMUM_COUNT = -1580,
    /** too many related objects */
    PINVIEW_ERROR_VALIDATION_RELATIONSHIP_EXCEEDS_MAXIMUM_COUNT = -1590,
    PINVIEW_ERROR_VALIDATION_RELATIONSHIP_DENIED_DELETE = -1600, /**< the delete rule is deny */
    PINVIEW_ERROR_VALIDATION_NUMBER_TOO_LARGE = -1610,
    PINVIEW_ERROR_VALIDATION_NUMBER_TOO_SMALL = -1620,
    PINVIEW_ERROR_VALIDATION_DATE_TOO_LATE = -1630,
    PINVIEW_ERROR_VALIDATION_DATE_TOO_SOON = -1640,
    PINVIEW_ERROR_VALIDATION_INVALID_DATE = -1650,
    PINVIEW_ERROR_VALIDATION_STRING_TOO_LONG = -1660,
    PINVIEW_ERROR_VALIDATION_STRING_TOO_SHORT = -1670,
    PINVIEW_ERROR_VALIDATION_STRING_PATTERN_MATCHING = -1680,
    PINVIEW_ERROR_VALIDATION_INVALID_URI = -1690,
    PINVIEW_ERROR_CANCELLED = -3072,               /**< a call was cancelled or interrupted */
    PINVIEW_ERROR_REFERENTIAL_INTEGRITY = -133000, /**< the row does not exist */
    /** a relationship between objects of different stores */
    PINVIEW_ERROR_EXTERNAL_RELATIONSHIP = -133010,
    /** the row was changed by someone else; see pinview_error_conflict */
    PINVIEW_ERROR_MERGE = -133020,
    /** a uniqueness constraint is violated; see pinview_error_constraint_conflict */
    PINVIEW_ERROR_CONSTRAINT_MERGE = -133021,
    PINVIEW_ERROR_STORE_SAVE = -134030,            /**< the store could not be written */
    /** the store could not carry out the operation, for example because it was removed */
    PINVIEW_ERROR_STORE_OPERATION = -134070,
    PINVIEW_ERROR_STORE_OPEN = -134080,            /**< the store could not be opened */
    PINVIEW_ERROR_UNSUPPORTED_REQUEST = -134091,   /**< the store does not support this request */
    PINVIEW_ERROR_INCOMPATIBLE_MODEL = -134100,    /**< the store was written with another model */
    /** the store could not be migrated: its rows do not fit the model */
    PINVIEW_ERROR_MIGRATION = -134110,
    /** the store could not be migrated: values are not unique; see the option constraintPolicy */
    PINVIEW_ERROR_MIGRATION_CONSTRAINT = -134111,
    PINVIEW_ERROR_MIGRATION_CANCELLED = -134120,   /**< a migration was cancelled */
    /** the store does not hold the model it was made with */
    PINVIEW_ERROR_MISSING_SOURCE_MODEL = -134130,
    /** how to migrate the store cannot be inferred; the message says what would settle it */
    PINVIEW_ERROR_INFERRED_MAPPING = -134190,
    PINVIEW_ERROR_SQLITE = -134180,                /**< SQLite reported corruption or failed */
    PINVIEW_ERROR_HISTORY_TOKEN_EXPIRED = -134301  /**< the history after the token was deleted */
};

/* Error domains. */
#define PINVIEW_COCOA_ERROR_DOMAIN "NSCocoaErrorDomain"
#define PINVIEW_ERROR_DOMAIN "PinviewErrorDomain"
#define PINVIEW_SQLITE_ERROR_DOMAIN "NSSQLiteErrorDomain"
/** The domain of a status that a callback returned without an error. */
#define PINVIEW_CALLBACK_ERROR_DOMAIN "PinviewCallbackErrorDomain"

/* Keys of Core Data's userInfo, and the functions that return what Core Data keeps there. */
/** pinview_error_affected_object_ids */
#define PINVIEW_AFFECTED_OBJECTS_ERROR_KEY "NSAffectedObjectsErrorKey"
/** pinview_error_affected_store */
#define PINVIEW_AFFECTED_STORES_ERROR_KEY "NSAffectedStoresErrorKey"
/** pinview_error_detailed_error */
#define PINVIEW_DETAILED_ERRORS_KEY "NSDetailedErrorsKey"
/** pinview_error_affected_object_ids */
#define PINVIEW_VALIDATION_OBJECT_ERROR_KEY "NSValidationObjectErrorKey"
/** pinview_error_validation_key */
#define PINVIEW_VALIDATION_KEY_ERROR_KEY "NSValidationKeyErrorKey"
/** pinview_error_validation_value */
#define PINVIEW_VALIDATION_VALUE_ERROR_KEY "NSValidationValueErrorKey"
/** pinview_error_underlying_error */
#define PINVIEW_UNDERLYING_ERROR_KEY "NSUnderlyingError"
/** pinview_error_conflict, pinview_error_constraint_conflict */
#define PINVIEW_CONFLICTS_ERROR_KEY "conflictList"

/** A row that was changed since the saving context last read it. */
typedef struct pinview_conflict {
    uint32_t struct_size;         /**< sizeof(pinview_conflict) */
    /** 0 if the row was deleted: new_version is 0, and all values of `theirs` are null */
    int32_t row_exists;
    pinview_object_id *object_id; /**< borrowed from the error */
    int64_t old_version;          /**< the row version that the context's changes are based on */
    int64_t new_version;          /**< the row version in the store */
    uint64_t property_count;      /**< for pinview_error_conflict_property */
    /** 1 if the context was about to delete the object: `mine` then equals `base` */
    int32_t is_deletion;
    /** 0; for a uniqueness conflict, 1 + the index of the constraint conflict it is part of */
    int32_t constraint_number;
} pinview_conflict;

/** One property of a conflict. */
typedef struct pinview_conflict_property {
    uint32_t struct_size; /**< sizeof(pinview_conflict_property) */
    uint32_t reserved;
    pinview_string name;
    pinview_value base;   /**< what the context last read */
    pinview_value mine;   /**< what the context was about to save */
    pinview_value theirs; /**< what is in the store */
} pinview_conflict_property;

/** Objects that would have the same values under a uniqueness constraint. */
typedef struct pinview_constraint_conflict {
    uint32_t struct_size;               /**< sizeof(pinview_constraint_conflict) */
    uint32_t constraint_property_count; /**< for pinview_error_constraint_conflict_property */
    pinview_string entity_name;         /**< the entity that declares the constraint */
    /** the object in the store that has the values; NULL if all objects are part of the same
     * save */
    pinview_object_id *database_object_id;
    /** the context's objects, for pinview_error_constraint_conflict_object */
    uint64_t object_count;
    uint64_t snapshot_property_count;   /**< for pinview_error_constraint_conflict_value */
} pinview_constraint_conflict;

/** One property of a constraint conflict and its value. */
typedef struct pinview_constraint_property {
    uint32_t struct_size; /**< sizeof(pinview_constraint_property) */
    uint32_t reserved;
    pinview_string name;
    pinview_value value;
} pinview_constraint_property;

/**
 * Creates an error of the program's own, to be returned from a callback. An error created inside a
 * block of pinview_context_perform_and_wait becomes the thread's last error; if the block returns
 * its status (pinview_error_status), the call reports this error, including its userdata.
 *
 * @param domain a name for the program's errors
 * @param code any number
 * @param message one line: what was wrong, with which value, and what to do
 * @param userdata kept with the error, for example an exception object; may be NULL
 * @param free_userdata called when the error is freed; may be NULL
 * Core Data: NSError.init(domain:code:userInfo:)
 */
pinview_status pinview_error_create(
    pinview_string domain, int64_t code, pinview_string message, void *userdata,
    pinview_free_callback free_userdata, pinview_error **out, pinview_error **error);

/** Returns the last error that a call on this thread reported, whether or not the caller took it;
 * NULL if there was none. Success does not clear it. The error is borrowed until the next failing
 * call on this thread. Meant for small programs. */
pinview_error *pinview_error_last(void);

/** Returns the status that corresponds to an error: its code negated; PINVIEW_ERROR_SQLITE for the
 * SQLite domain; for an error of the program, the code itself if it is between 100 and INT32_MAX,
 * else 100. For NULL, PINVIEW_OK. */
pinview_status pinview_error_status(const pinview_error *self);

/** Returns the code of an error, a positive number within its domain.
 * Core Data: NSError.code */
int64_t pinview_error_code(const pinview_error *self);

/** Returns the domain of an error.
 * Core Data: NSError.domain */
pinview_string pinview_error_domain(const pinview_error *self);

/** Returns one line that says what was wrong, with which value, and what to do.
 * Core Data: NSError.localizedDescription */
pinview_string pinview_error_message(const pinview_error *self);

/** Returns domain, code and message of an error and of the errors below it, one per line.
 * Core Data: NSError.description */
pinview_string pinview_error_description(const pinview_error *self);

/** Returns SQLite's extended result code if the error comes from SQLite, else 0.
 * Core Data: userInfo[NSSQLiteErrorDomain] */
int32_t pinview_error_sqlite_code(const pinview_error *self);

/** Returns the userdata passed to pinview_error_create, valid as long as the error; else NULL. */
void *pinview_error_userdata(const pinview_error *self);

/** Returns the name of the property that failed validation.
 * Core Data: NSValidationKeyErrorKey */
pinview_string pinview_error_validation_key(const pinview_error *self);

/** Returns the value that failed validation; null if there is none.
 * Core Data: NSValidationValueErrorKey */
pinview_status pinview_error_validation_value(
    const pinview_error *self, pinview_value *out, pinview_error **error);

/** Returns the errors that an error of several failures lists (code 1560): how many, or one of
 * them.
 * Core Data: NSDetailedErrorsKey */
uint64_t pinview_error_detailed_error_count(const pinview_error *self);
pinview_status pinview_error_detailed_error(
    const pinview_error *self, uint64_t index, pinview_error **out, pinview_error **error);

/** Returns the lower-level error that caused this one, such as SQLite's.
 * @param out NULL if there is none
 * Core Data: NSUnderlyingErrorKey */
pinview_status pinview_error_underlying_error(
    const pinview_error *self, pinview_error **out, pinview_error **error);

/** Returns the IDs of the objects that caused an error.
 * @param out a result of object IDs, possibly empty
 * Core Data: NSAffectedObjectsErrorKey */
pinview_status pinview_error_affected_object_ids(
    const pinview_error *self, pinview_result **out, pinview_error **error);

/** Returns the stores that caused an error: how many, or the identifier or the path of one.
 * Core Data: NSAffectedStoresErrorKey */
uint64_t pinview_error_affected_store_count(const pinview_error *self);
pinview_status pinview_error_affected_store(
    const pinview_error *self, uint64_t index, pinview_string *out, pinview_error **error);

/** Returns the rows in conflict (code 133020): how many, or one of them.
 * Core Data: NSPersistentStoreSaveConflictsErrorKey, NSMergeConflict */
uint64_t pinview_error_conflict_count(const pinview_error *self);
pinview_status pinview_error_conflict(
    const pinview_error *self, uint64_t index, pinview_conflict *out, pinview_error **error);

/** Returns a property of a row in conflict. Properties are ordered by name.
 * @param property_index below property_count of the conflict
 * Core Data: NSMergeConflict */
pinview_status pinview_error_conflict_property(
    const pinview_error *self, uint64_t conflict_index, uint64_t property_index,
    pinview_conflict_property *out, pinview_error **error);

/** Returns the uniqueness conflicts of a save (code 133021): how many, or one of them, a set of
 * objects that would have the same values under a constraint. Of a batch insert, only conflicts
 * among the rows checked together with the first one found are listed.
 * Core Data: NSPersistentStoreSaveConflictsErrorKey, NSConstraintConflict */
uint64_t pinview_error_constraint_conflict_count(const pinview_error *self);
pinview_status pinview_error_constraint_conflict(
    const pinview_error *self, uint64_t index, pinview_constraint_conflict *out,
    pinview_error **error);

/** Returns a property of the constraint, with the value that the objects share. Properties are in
 * the model's order.
 * @param property_index below constraint_property_count of the conflict
 * Core Data: NSConstraintConflict */
pinview_status pinview_error_constraint_conflict_property(
    const pinview_error *self, uint64_t conflict_index, uint64_t property_index,
    pinview_constraint_property *out, pinview_error **error);

/**
 * Returns an object of the context that is in conflict. Objects are in the order in which they were
 * inserted or last changed.
 *
 * @param object_index below object_count of the conflict
 * @param out the object's ID, borrowed from the error; NULL for a row of a batch insert, which has
 *     no ID
 * Core Data: NSConstraintConflict
 */
pinview_status pinview_error_constraint_conflict_object(
    const pinview_error *self, uint64_t conflict_index, uint64_t object_index,
    pinview_object_id **out, pinview_error **error);

/**
 * Returns a value that an object in conflict was about to be saved with, or that the object in the
 * store has. Properties are ordered by name.
 *
 * @param object_index below object_count of the conflict; object_count itself means the object in
 *     the store
 * @param property_index below snapshot_property_count of the conflict
 * Core Data: NSConstraintConflict
 */
pinview_status pinview_error_constraint_conflict_value(
    const pinview_error *self, uint64_t conflict_index, uint64_t object_index,
    uint64_t property_index, pinview_constraint_property *out, pinview_error **error);

/** @} */

/* ============================================================================================== */

/**
 * @defgroup pinview-model Model
 *
 * Entities with attributes and relationships. A model is immutable. It is built step by step, read
 * from JSON or from a model of Xcode's, or taken from a store file, which keeps the model it was
 * created with.
 * @{
 */

/** Types of attributes, with Core Data's numbers. */
PINVIEW_ENUM_OF(int32_t) {
    PINVIEW_ATTRIBUTE_UNDEFINED = 0,       /**< transient attributes only */
    PINVIEW_ATTRIBUTE_INTEGER_16 = 100,
    PINVIEW_ATTRIBUTE_INTEGER_32 = 200,
    PINVIEW_ATTRIBUTE_INTEGER_64 = 300,
    PINVIEW_ATTRIBUTE_DECIMAL = 400,
    PINVIEW_ATTRIBUTE_DOUBLE = 500,
    PINVIEW_ATTRIBUTE_FLOAT = 600,
    PINVIEW_ATTRIBUTE_STRING = 700,
    PINVIEW_ATTRIBUTE_BOOLEAN = 800,
    PINVIEW_ATTRIBUTE_DATE = 900,
    PINVIEW_ATTRIBUTE_BINARY = 1000,
    PINVIEW_ATTRIBUTE_UUID = 1100,
    PINVIEW_ATTRIBUTE_URI = 1200,          /**< a text */
    PINVIEW_ATTRIBUTE_TRANSFORMABLE = 1800, /**< data, as a transformer of the program made them */
    PINVIEW_ATTRIBUTE_COMPOSITE = 2100      /**< attributes under one name; see pinview_composite */
};
typedef int32_t pinview_attribute_type; /**< PINVIEW_ATTRIBUTE_... */

/** What happens to related objects when an object is deleted. */
PINVIEW_ENUM_OF(int32_t) {
    PINVIEW_DELETE_NO_ACTION = 0,
    PINVIEW_DELETE_NULLIFY = 1,
    PINVIEW_DELETE_CASCADE = 2,
    PINVIEW_DELETE_DENY = 3
};
typedef int32_t pinview_delete_rule; /**< PINVIEW_DELETE_... */

/** Flags of a property. */
PINVIEW_ENUM_OF(uint32_t) {
    PINVIEW_PROPERTY_OPTIONAL = 1,
    PINVIEW_PROPERTY_TRANSIENT = 2,
    PINVIEW_PROPERTY_RELATIONSHIP = 4,      /**< in pinview_property only */
    PINVIEW_PROPERTY_TO_MANY = 8,
    PINVIEW_PROPERTY_ORDERED = 16,
    PINVIEW_PROPERTY_EXTERNAL_STORAGE = 32, /**< binary attributes */
    /** attributes: the history keeps the value of a deleted object */
    PINVIEW_PROPERTY_KEPT_IN_HISTORY = 64
};
typedef uint32_t pinview_property_flags; /**< PINVIEW_PROPERTY_... */

/** An attribute to add to an entity (NSAttributeDescription). Requires name and type. */
typedef struct pinview_attribute_description {
    uint32_t struct_size;   /**< sizeof(pinview_attribute_description) */
    /** PINVIEW_PROPERTY_OPTIONAL, _TRANSIENT, _EXTERNAL_STORAGE, _KEPT_IN_HISTORY */
    pinview_property_flags flags;
    pinview_string name;
    pinview_attribute_type type;
    /** the limits that apply; bit 0: minimum, bit 1: maximum, bit 2: minimum_length, bit 3:
     * maximum_length */
    int32_t limits;
    pinview_value default_value;
    pinview_value minimum;
    pinview_value maximum;
    int64_t minimum_length; /**< in Unicode code points */
    int64_t maximum_length; /**< in Unicode code points */
    /** a regular expression in ICU's syntax that matches the whole text; absent for none */
    pinview_string pattern;
} pinview_attribute_description;

/** A relationship to add to an entity (NSRelationshipDescription). Requires name and
 * destination. */
typedef struct pinview_relationship_description {
    uint32_t struct_size;         /**< sizeof(pinview_relationship_description) */
    pinview_property_flags flags; /**< PINVIEW_PROPERTY_OPTIONAL, _TRANSIENT, _TO_MANY, _ORDERED */
    pinview_string name;
    pinview_string destination;   /**< the name of an entity */
    /** the relationship of the destination that leads back; absent for none */
    pinview_string inverse;
    pinview_delete_rule delete_rule;
    int32_t reserved;             /**< 0 */
    int64_t minimum_count;
    int64_t maximum_count;        /**< 0 for no limit */
} pinview_relationship_description;

/** A property of an entity. An element of a composite attribute has a key path as its name. */
typedef struct pinview_property {
    uint32_t struct_size;        /**< sizeof(pinview_property) */
    pinview_property_flags flags;
    pinview_string name;
    int32_t index;               /**< its index in the entity, which is the same in sub-entities */
    pinview_attribute_type type; /**< of an attribute */
    pinview_string destination;  /**< of a relationship; else absent */
    pinview_string inverse;      /**< of a relationship; else absent */
    pinview_delete_rule delete_rule;
    int32_t reserved;
    int64_t minimum_count;
    int64_t maximum_count;
} pinview_property;

/** A composite attribute of an entity: a name for several attributes, its elements. Only these are
 * stored. They are properties of the entity, with key paths as names: "location.latitude". */
typedef struct pinview_composite {
    uint32_t struct_size;         /**< sizeof(pinview_composite) */
    pinview_property_flags flags; /**< PINVIEW_PROPERTY_OPTIONAL */
    pinview_string name;          /**< of one inside another a key path: "place.location" */
    /** the index of the first element in the entity; the others follow it */
    int32_t first_index;
    /** how many elements are stored, including those of composite attributes inside it */
    int32_t element_count;
} pinview_composite;

/**
 * Creates a builder of models.
 *
 * The functions of a builder may be called from any thread, but only by one at a time.
 */
pinview_status pinview_model_builder_create(pinview_model_builder **out, pinview_error **error);

/** Adds an entity. Mistakes are reported when the model is built.
 * @param parent the name of the entity it inherits from; absent for none
 * @param is_abstract whether it has no objects of its own
 * Core Data: NSEntityDescription */
pinview_status pinview_model_builder_add_entity(
    pinview_model_builder *builder, pinview_string name, pinview_string parent, int32_t is_abstract,
    pinview_error **error);

/**
 * Adds an attribute to an entity that has been added.
 *
 * A composite attribute is added without its elements (PINVIEW_ATTRIBUTE_COMPOSITE). They are added
 * after it, with key paths as names: "location.latitude".
 *
 * Core Data: NSAttributeDescription
 */
pinview_status pinview_model_builder_add_attribute(
    pinview_model_builder *builder, pinview_string entity,
    const pinview_attribute_description *attribute, pinview_error **error);

/** Adds a relationship to an entity that has been added.
 * Core Data: NSRelationshipDescription */
pinview_status pinview_model_builder_add_relationship(
    pinview_model_builder *builder, pinview_string entity,
    const pinview_relationship_description *relationship, pinview_error **error);

/** Requires the values of one or more attributes together to be unique among the objects of an
 * entity.
 * @param attributes names of attributes
 * Core Data: NSEntityDescription.uniquenessConstraints */
pinview_status pinview_model_builder_add_uniqueness_constraint(
    pinview_model_builder *builder, pinview_string entity, const pinview_string *attributes,
    size_t count, pinview_error **error);

/** Adds an index over attributes in ascending order.
 * @param name the name of the index
 * @param attributes names of attributes
 * Core Data: NSFetchIndexDescription */
pinview_status pinview_model_builder_add_index(
    pinview_model_builder *builder, pinview_string entity, pinview_string name,
    const pinview_string *attributes, size_t count, pinview_error **error);

/** Names a set of entities, for stores that hold only those.
 * @param entities names of entities
 * Core Data: NSManagedObjectModel.setEntities(_:forConfigurationName:) */
pinview_status pinview_model_builder_add_configuration(
    pinview_model_builder *builder, pinview_string name, const pinview_string *entities,
    size_t count, pinview_error **error);

/** Builds the model. The builder remains usable and can be extended. PINVIEW_ERROR_BAD_MODEL
 * reports a mistake; the message names entity and property.
 * Core Data: NSManagedObjectModel */
pinview_status pinview_model_builder_build(
    pinview_model_builder *builder, pinview_model **out, pinview_error **error);

/**
 * Reads a model from JSON. PINVIEW_ERROR_BAD_MODEL reports a mistake and where it is. Unknown keys
 * are warnings; see pinview_model_warning, and PINVIEW_MODEL_STRICT.
 *
 *     {"entities": [
 *         {"name": "Person", "parent": "Being", "abstract": false,
 *          "attributes": [
 *              {"name": "age", "type": "integer64", "optional": true, "default": 0,
 *               "minimumValue": 0, "maximumValue": 150},
 *              {"name": "name", "type": "string", "minimumLength": 1, "maximumLength": 80,
 *               "regularExpression": "[A-Z].*"},
 *              {"name": "portrait", "type": "binaryData", "allowsExternalBinaryDataStorage": true},
 *              {"name": "mood", "type": "undefined", "transient": true},
 *              {"name": "location", "type": "composite",
 *               "elements": [{"name": "latitude", "type": "double"},
 *                            {"name": "longitude", "type": "double"}]}],
 *          "relationships": [
 *              {"name": "cars", "destination": "Car", "inverse": "owner", "toMany": true,
 *               "ordered": false, "deleteRule": "nullify", "optional": true,
 *               "minimumCount": 0, "maximumCount": 0}],
 *          "uniquenessConstraints": [["name", "age"]],
 *          "indexes": [{"name": "byAge", "elements": [{"property": "age", "ascending": false}]}]}],
 *      "configurations": {"People": ["Person"]},
 *      "versionIdentifiers": ["1.4"]}
 *
 * Only names, types and destinations are required. Types are integer16, integer32, integer64,
 * decimal, double, float, string, boolean, date, binaryData, uuid, uri, transformable, composite
 * and undefined. Delete rules are noAction, nullify, cascade and deny. In values, a decimal may
 * also be a text, a date is in seconds since 2001-01-01 00:00 UTC, a UUID has its 36 characters,
 * and data is in base64.
 *
 * A transformable attribute may have a "valueTransformerName". An element of an index may have an
 * "expression" instead of a property, and an index a "predicate" for the objects that it covers.
 * The store makes them as far as SQLite alone can evaluate them: comparisons of the entity's own
 * attributes with constants and nil, and sums, differences, products and quotients of attributes.
 * With any other predicate the index covers all objects, and with any other expression there is
 * none.
 */
pinview_status pinview_model_create_from_json(
    pinview_string json, pinview_model **out, pinview_error **error);

/** How a model is read. */
PINVIEW_ENUM_OF(uint32_t) {
    /** mistakes that shipped applications live with in models of Xcode's are errors, and so are
     * unknown keys of JSON; without it they are left out, and are warnings */
    PINVIEW_MODEL_STRICT = 1
};
typedef uint32_t pinview_model_flags; /**< PINVIEW_MODEL_... */

/**
 * Reads a model of any kind: Xcode's .xcdatamodel and .xcdatamodeld, compiled .mom and .momd, or a
 * JSON file. What is at the path decides, not its name.
 *
 * Such models may contain meaningless or contradictory declarations: an index on a to-many
 * relationship, an inverse that two relationships claim, a default of another type. Those are left
 * out, and reported by pinview_model_warning.
 *
 * @param path a file, or a folder that holds a model or versions of one
 * @param version the version of a .xcdatamodeld or .momd; absent for the current one
 * @param flags PINVIEW_MODEL_STRICT or 0
 * Errors: PINVIEW_ERROR_INVALID_ARGUMENT if there is no model at the path, or not that version;
 *     PINVIEW_ERROR_BAD_MODEL for a damaged model, or one that cannot be used: the message names
 *     entity and property
 * Core Data: NSManagedObjectModel(contentsOf:)
 */
pinview_status pinview_model_create_from_file(
    pinview_string path, pinview_string version, pinview_model_flags flags, pinview_model **out,
    pinview_error **error);

/** Reads a model from the bytes of a file: the "contents" of a .xcdatamodel, a .mom, or JSON. See
 * pinview_model_create_from_file.
 * @param data copied; not needed after the call */
pinview_status pinview_model_create_from_data(
    pinview_binary data, pinview_model_flags flags, pinview_model **out, pinview_error **error);

/**
 * Lists the versions in a folder .xcdatamodeld or .momd.
 *
 * @param buffer where the names are put
 * @param names room for the names, sorted, with numbers in them by their values ("Shop 2" before
 *     "Shop 10"); may be NULL if capacity is 0
 * @param capacity how many names there is room for
 * @param count how many versions there are, which may be more than there is room for
 * @param current the version that is read if none is named; absent if the folder does not say
 * Errors: PINVIEW_ERROR_INVALID_ARGUMENT if the path is not such a folder
 */
pinview_status pinview_model_versions(
    pinview_string path, pinview_buffer *buffer, pinview_string *names, size_t capacity,
    size_t *count, pinview_string *current, pinview_error **error);

/** Returns what was left out of a model when it was read: how many things, or one of them, a
 * sentence that names the property. */
uint64_t pinview_model_warning_count(const pinview_model *model);
pinview_status pinview_model_warning(
    const pinview_model *model, uint64_t index, pinview_string *out, pinview_error **error);

/** Reads the model that a store file was created with: Pinview's own, or the model cache in a store
 * of Core Data's, with the version hashes in its metadata.
 * Cost: opens the file and reads one row. */
pinview_status pinview_model_create_from_store(
    pinview_string path, pinview_model **out, pinview_error **error);

/**
 * Makes a model of a store's tables alone, for stores whose model is not known: the entities with
 * their hierarchy, an attribute for each column, and the relationships that columns and join tables
 * name. All names of properties are in lower case. A store opens read-only with such a model,
 * unless PINVIEW_STORE_OPTION_READ_ONLY is given as 0.
 *
 * Errors: PINVIEW_ERROR_STORE_OPEN for a file that is not a store.
 */
pinview_status pinview_model_create_from_tables(
    pinview_string path, pinview_model **out, pinview_error **error);

/** Returns 1 if two models have the same entities, judged by their version hashes: a store created
 * with one can be used with the other. */
int32_t pinview_model_is_equal(const pinview_model *left, const pinview_model *right);

/** Returns a number that all handles of one model, including its hooks, share, and that no other
 * model has had in this process. */
uint64_t pinview_model_identity(const pinview_model *model);

/** A hook of an object. */
typedef pinview_status (*pinview_object_callback)(pinview_object *object, void *userdata);

/** A hook that cannot fail. */
typedef void (*pinview_object_notice_callback)(pinview_object *object, void *userdata);

/** Checks one property: the value of an attribute, the ID of a to-one relationship's destination,
 * or the number of members of a to-many relationship. Key and value are borrowed for the call. */
typedef pinview_status (*pinview_property_check_callback)(
    pinview_object *object, pinview_string key, const pinview_value *value, void *userdata);

/**
 * The hooks of an entity. A hook that is NULL is inherited from the nearest ancestor that has one;
 * a hook that is set replaces the ancestor's, as an overriding method does.
 *
 * Hooks are the program's code at turning points in the life of an entity's objects: the methods of
 * NSManagedObject that a subclass overrides. They run synchronously on the context's queue, on the
 * thread of the call that triggers them. They may call any function, even one that triggers hooks
 * again, with these limits: within a save they cannot save, undo, redo, roll back or reset that
 * context, and the documentation of a hook may exclude more. Such calls return
 * PINVIEW_ERROR_INVALID_ARGUMENT. The object is borrowed for the call.
 *
 * A status other than PINVIEW_OK and PINVIEW_USE_DEFAULT, which both mean success, is returned
 * unchanged by the call that triggered the hook, with the error that the hook left: that of a call
 * that failed inside it, or one created with pinview_error_create.
 */
typedef struct pinview_entity_hooks {
    uint32_t struct_size;                        /**< sizeof(pinview_entity_hooks) */
    uint32_t reserved;                           /**< 0 */
    /** After the program inserted the object, with default values set. A failure undoes the
     * insertion. Not called in a parent for what a child saves, nor by undo and redo. */
    pinview_object_callback awake_from_insert;
    /** After a fault has been filled, before the access that fired it returns, and after a refresh
     * with merge_changes gave the object new values. Attributes it sets do not count as changed; it
     * cannot change relationships, insert, delete, refresh or save. After a refresh, transient
     * attributes and local changes are restored. A failure leaves the object a fault. */
    pinview_object_callback awake_from_fetch;
    /** Before the object is marked as deleted, with its relationships still in place. A failure
     * keeps the object. Not called for inaccessible faults, for deletions that are merged or
     * undone, nor in a parent for what a child deleted. */
    pinview_object_callback prepare_for_deletion;
    /** Before a save, for each inserted, updated and deleted object, and again for those that hooks
     * changed in the process. Its changes are saved. If 1000 rounds have not been enough, the save
     * fails (PINVIEW_ERROR_STORE_SAVE). */
    pinview_object_callback will_save;
    /** After the save has written the object, before the did-save notification. Its changes are for
     * the next save. */
    pinview_object_notice_callback did_save;
    /** Before the object's values are dropped because it becomes a fault; not when the object is
     * freed with its last reference or invalidated by a reset. Limits as for awake_from_fetch. */
    pinview_object_notice_callback will_turn_into_fault;
    /** After the object became a fault: reading a property would fire it again. Limits as for
     * awake_from_fetch. */
    pinview_object_notice_callback did_turn_into_fault;
    /**
     * In a save, after the rules of the model: for a new object (insert), a stored one with changes
     * (update), one about to be removed (delete). These hooks must not change anything. All
     * failures, including the model's, are reported in one error
     * (PINVIEW_ERROR_VALIDATION_MULTIPLE_ERRORS); PINVIEW_STOP ends the validation at once.
     * Inaccessible faults are not validated.
     */
    pinview_object_callback validate_for_insert;
    pinview_object_callback validate_for_update; /**< see validate_for_insert */
    pinview_object_callback validate_for_delete; /**< see validate_for_insert */
    /** Like validate_for_insert and validate_for_update, for single properties whose value
     * satisfies the model: all of a new object, the changed ones of a stored object. */
    pinview_property_check_callback validate_property;
    /** the properties that validate_property is called for; NULL for all */
    const pinview_string *checked_keys;
    size_t checked_key_count;
} pinview_entity_hooks;

/**
 * Sets the hooks of an entity, replacing the previous ones. Hooks belong to the model: every handle
 * of the same model has them. Once a coordinator has been created with the model they cannot be
 * replaced; NULL then switches them off: when the call returns, no hook set under this entity's
 * name is called any more, and one running on another thread has finished.
 *
 * @param hooks NULL for none
 * @param userdata passed to all of them; not taken over if hooks is NULL
 * @param free_userdata called when nothing can call the hooks any more
 * Errors: PINVIEW_ERROR_UNKNOWN_ENTITY; PINVIEW_ERROR_UNKNOWN_KEY for a checked key that is not a
 *     property; PINVIEW_ERROR_INVALID_ARGUMENT if a coordinator uses the model
 * Core Data: NSEntityDescription.managedObjectClassName
 */
pinview_status pinview_model_set_entity_hooks(
    pinview_model *model, pinview_string entity, const pinview_entity_hooks *hooks, void *userdata,
    pinview_free_callback free_userdata, pinview_error **error);

/**
 * Compares a model with an older version of it.
 *
 * @param confirmed_removals as for PINVIEW_STORE_OPTION_CONFIRMED_REMOVALS; absent for none
 * @param out a JSON object, valid as long as the model: "description", a text for people such as
 *     "Person: + nickname (string, optional); name renamed fullName"; "changes", an array of
 *     objects with "entity", "name" (or null), "kind" and "description"; "obstacles", an array of
 *     objects with "kind", "subject" and "description": what keeps a migration from being
 *     inferred, and what would settle it
 */
pinview_status pinview_model_difference(
    const pinview_model *model, const pinview_model *older, pinview_string confirmed_removals,
    pinview_string *out, pinview_error **error);

/**
 * Describes what adding a store with this model would do to it: a dry run, which leaves the store
 * unchanged.
 *
 * @param configuration as for pinview_coordinator_add_store
 * @param options as for pinview_coordinator_add_store; migrating need not be switched on
 * @param rehearse 1 to run the migration and roll it back, which finds what only the rows can tell
 *     (missing values, duplicates) and takes as long as the migration
 * @param out a JSON object, valid as long as the model: "description", "changes" (texts), "steps",
 *     an array of objects with "description", "statements" (SQL) and "rows" (how many are
 *     written), and "rows", "seconds" and "bytes" (estimates); absent if there is nothing to do
 * Errors: PINVIEW_ERROR_INFERRED_MAPPING, PINVIEW_ERROR_MIGRATION and
 *     PINVIEW_ERROR_MIGRATION_CONSTRAINT as the migration itself; PINVIEW_ERROR_STORE_OPEN if there
 *     is no such store
 */
pinview_status pinview_model_migration_plan(
    const pinview_model *model, pinview_string path, pinview_string configuration,
    const pinview_named_value *options, size_t option_count, int32_t rehearse, pinview_string *out,
    pinview_error **error);

/** Returns the checksum of a version of a model: 64 hexadecimal digits over the version hashes of
 * its entities, valid as long as the model.
 * Core Data: NSManagedObjectModel.versionChecksum */
pinview_string pinview_model_version_checksum(const pinview_model *model);

/** Returns the model as JSON, from which an equal model can be read. */
pinview_status pinview_model_json(
    const pinview_model *model, pinview_string *out, pinview_error **error);

/** Returns the entities of a model: how many, or one by its index, in the order of the entities'
 * numbers in a store.
 * Core Data: NSManagedObjectModel.entities */
uint64_t pinview_model_entity_count(const pinview_model *model);
pinview_status pinview_model_entity(
    const pinview_model *model, uint64_t index, pinview_entity **out, pinview_error **error);

/** Returns an entity by name, or PINVIEW_ERROR_UNKNOWN_ENTITY.
 * Core Data: NSManagedObjectModel.entitiesByName */
pinview_status pinview_model_entity_named(
    const pinview_model *model, pinview_string name, pinview_entity **out, pinview_error **error);

/** Returns the name of an entity. */
pinview_string pinview_entity_name(const pinview_entity *entity);

/** Returns the name of the entity that an entity inherits from; absent if there is none.
 * Core Data: NSEntityDescription.superentity */
pinview_string pinview_entity_parent_name(const pinview_entity *entity);

/** Returns 1 if an entity has no objects of its own. */
int32_t pinview_entity_is_abstract(const pinview_entity *entity);

/** Returns the properties of an entity, including inherited ones: how many, or one of them.
 * Core Data: NSPropertyDescription */
uint64_t pinview_entity_property_count(const pinview_entity *entity);
pinview_status pinview_entity_property(
    const pinview_entity *entity, uint64_t index, pinview_property *out, pinview_error **error);

/** Returns the index of a property, which calls for many values take instead of its name, or
 * PINVIEW_ERROR_UNKNOWN_KEY.
 * @param out -1 after a failure */
pinview_status pinview_entity_property_index(
    const pinview_entity *entity, pinview_string key, int32_t *out, pinview_error **error);

/** Returns the composite attributes of an entity, including inherited ones and those inside others:
 * how many, or one of them. Inherited ones come first, and each before those inside it.
 * Core Data: NSCompositeAttributeDescription */
uint64_t pinview_entity_composite_count(const pinview_entity *entity);
pinview_status pinview_entity_composite(
    const pinview_entity *entity, uint64_t index, pinview_composite *out, pinview_error **error);

/** @} */

/* ============================================================================================== */

/**
 * @defgroup pinview-coordinator Coordinator and stores
 *
 * A coordinator connects a model with stores and serves any number of contexts.
 * @{
 */

/* Store types (NSSQLiteStoreType, NSInMemoryStoreType). */
#define PINVIEW_STORE_TYPE_SQLITE "SQLite"
#define PINVIEW_STORE_TYPE_IN_MEMORY "InMemory"

/* Options of a store. */
/** Boolean: keep a persistent history. Default: 0. */
#define PINVIEW_STORE_OPTION_HISTORY_TRACKING "historyTracking"
/** Boolean: call pinview_coordinator_add_remote_change_observer's observers. Default: 0. */
#define PINVIEW_STORE_OPTION_REMOTE_CHANGES "remoteChanges"
/** Boolean. Default: 0. A read-only store that nobody can change (on read-only media, or in a
 * folder that cannot be written to and without a WAL-index) is opened as an immutable one. */
#define PINVIEW_STORE_OPTION_READ_ONLY "readOnly"
/** Boolean: the file does not change while it is open. The library then reads it and its journal by
 * itself: read-only, without locks, without a WAL-index, and without leaving files beside it. Each
 * commit that the journal still holds can be pinned; see pinview_store_journal_commits. If the file
 * is changed after all, reads fail with PINVIEW_ERROR_GENERATION_LOST. Default: 0. */
#define PINVIEW_STORE_OPTION_IMMUTABLE "immutable"
/** Boolean: the store, which is opened read-only or as an immutable one, may lack entities and
 * properties of the model. Such an entity has no objects, such a property is null or has no
 * members, in predicates and sort orders, too; see pinview_store_missing. A store that has
 * something in another form than the model, or values that the model does not know, is refused as
 * usual. Default: 0. */
#define PINVIEW_STORE_OPTION_ALLOW_MISSING "allowMissing"
/** Text: wal (the default), delete, truncate, persist, memory, or off. */
#define PINVIEW_STORE_OPTION_JOURNAL_MODE "journalMode"
/** Text: off, normal (the default), full, or extra. */
#define PINVIEW_STORE_OPTION_SYNCHRONOUS "synchronous"
/** Integer: pages that a connection keeps in memory, or KiB if negative. Default: -2000. */
#define PINVIEW_STORE_OPTION_CACHE_SIZE "cacheSize"
/** Number: seconds to wait for writers of other processes. Default: 5. */
#define PINVIEW_STORE_OPTION_BUSY_TIMEOUT "busyTimeout"
/** Boolean: migrate a store of another version of the model in place, in one transaction. Default:
 * 0; 1 in a container. A store that differs in indexes and uniqueness constraints alone gets those
 * in any case. Core Data: NSMigratePersistentStoresAutomaticallyOption */
#define PINVIEW_STORE_OPTION_MIGRATE "migrateStoreAutomatically"
/** Boolean: work out the migration from the two models. Default: 1. Core Data:
 * NSInferMappingModelAutomaticallyOption */
#define PINVIEW_STORE_OPTION_INFER_MAPPING "inferMappingModelAutomatically"
/** Text: what happens to rows with equal values when a migration adds a uniqueness constraint.
 * error (the default: the migration fails and names them), keepNewest or keepOldest (by primary
 * key; references to the others then lead to the one that is kept). */
#define PINVIEW_STORE_OPTION_CONSTRAINT_POLICY "constraintPolicy"
/** Text: entities and properties of the store's model that were removed and not renamed, although
 * something similar was added, such as "Person.name, Car". */
#define PINVIEW_STORE_OPTION_CONFIRMED_REMOVALS "confirmedRemovals"
/** Boolean: migrate a store back to a version of the model from which it was migrated before.
 * Default: 0, because what only the newer version has is lost. */
#define PINVIEW_STORE_OPTION_ALLOW_OLDER_MODEL "allowOlderModel"
/** Boolean: empty a store of another version of the model instead of migrating it, for development.
 * Default: 0. */
#define PINVIEW_STORE_OPTION_ERASE "eraseOnModelChange"
/** Text: the path of a .momd or .xcdatamodeld with the versions that a store of Core Data may have,
 * which is migrated from the one that it has. */
#define PINVIEW_STORE_OPTION_MODEL_VERSIONS "modelVersions"
/** Boolean: run triggers, views, generated columns and the like that the file's schema defines on
 * the store's tables, with whatever the file's author put there. Default: 0: such a file, which the
 * library never creates, is refused with PINVIEW_ERROR_STORE_OPEN, and none of them ever runs. */
#define PINVIEW_STORE_OPTION_TRUSTED_SCHEMA "trustedSchema"
/** Text: what to do when generations other than the newest make the journal too long. off; warn
 * (calls the journal callback and writes to the log); or detach (the default: copies these
 * generations aside, in the background and beside the store, so that they no longer hold the
 * journal). Stores of the process on the same file share the strongest policy and the smallest
 * budget. */
#define PINVIEW_STORE_OPTION_JOURNAL_BUDGET_POLICY "journalBudgetPolicy"
/** Integer: the budget in bytes. If this and the share are both set, the smaller one applies.
 * Default: 0: the share decides. */
#define PINVIEW_STORE_OPTION_JOURNAL_BUDGET_BYTES "journalBudgetBytes"
/** Number: the budget as a share of the store's size, at least 32 MiB. Default: 1.0. */
#define PINVIEW_STORE_OPTION_JOURNAL_BUDGET_SHARE "journalBudgetShare"
/** Number: seconds that a generation may hold the journal. Default: 0: unlimited. */
#define PINVIEW_STORE_OPTION_GENERATION_AGE_BUDGET "generationAgeBudget"

/** Creates a coordinator without stores.
 * Core Data: NSPersistentStoreCoordinator.init(managedObjectModel:) */
pinview_status pinview_coordinator_create(
    pinview_model *model, pinview_coordinator **out, pinview_error **error);

/** Returns 1 if two handles name the same coordinator. */
int32_t pinview_coordinator_is_equal(
    const pinview_coordinator *left, const pinview_coordinator *right);

/** Returns the model of a coordinator. */
pinview_status pinview_coordinator_model(
    pinview_coordinator *coordinator, pinview_model **out, pinview_error **error);

/** Names a coordinator, for logs and diagnostics; returns its name, absent if it has none.
 * @param name absent for none
 * Core Data: NSPersistentStoreCoordinator.name */
pinview_status pinview_coordinator_set_name(
    pinview_coordinator *coordinator, pinview_string name, pinview_error **error);
pinview_string pinview_coordinator_name(const pinview_coordinator *coordinator);

/**
 * Opens a store, creating its file if it does not exist, and adds it to the coordinator.
 *
 * @param type PINVIEW_STORE_TYPE_...
 * @param configuration the configuration of the model whose entities the store holds; absent for
 *     all
 * @param path the file; absent for a store in memory
 * @param options PINVIEW_STORE_OPTION_... with their values
 * @param out NULL if not needed
 * Errors: PINVIEW_ERROR_STORE_OPEN if the file cannot be opened or is not a database;
 *     PINVIEW_ERROR_INCOMPATIBLE_MODEL if it was written with another model and is not to be
 *     migrated; PINVIEW_ERROR_INFERRED_MAPPING, PINVIEW_ERROR_MIGRATION,
 *     PINVIEW_ERROR_MIGRATION_CONSTRAINT and PINVIEW_ERROR_MIGRATION_CANCELLED if it cannot be
 *     migrated: it is left as it was. The message names the file.
 * Cost: a few statements, some more for a new file.
 * Core Data: addPersistentStore(ofType:configurationName:at:options:)
 */
pinview_status pinview_coordinator_add_store(
    pinview_coordinator *coordinator, pinview_string type, pinview_string configuration,
    pinview_string path, const pinview_named_value *options, size_t option_count,
    pinview_store **out, pinview_error **error);

/**
 * Reports the progress of a migration, after each of its steps, on the thread that adds the store.
 * Any status but PINVIEW_OK cancels it: the call fails with that status, or after PINVIEW_STOP with
 * PINVIEW_ERROR_MIGRATION_CANCELLED, and the store is as it was before the stage.
 *
 * @param fraction from 0 to 1
 * @param step what was done last, for people; borrowed for the call
 */
typedef pinview_status (*pinview_migration_progress_callback)(
    double fraction, pinview_string step, void *userdata);

/**
 * The program's step in a stage of a migration, called inside the stage's transaction, on the
 * thread that adds the store: the tables are those of the new version, and required values and
 * uniqueness are checked afterwards. What it changes in the destination is saved when it returns;
 * if it saves itself, to use less memory, that is committed with the stage, or not at all. Any
 * status but PINVIEW_OK undoes the stage and is returned; for PINVIEW_STOP it is
 * PINVIEW_ERROR_MIGRATION_CANCELLED.
 *
 * @param source a context with the objects as they were before, by the names of the old version. It
 *     cannot be saved. Borrowed for the call, after which its objects are invalid
 * @param destination a context with the objects of the new version. Borrowed likewise
 * Core Data: NSCustomMigrationStage.didMigrateHandler
 */
typedef pinview_status (*pinview_migration_step_callback)(
    pinview_context *source, pinview_context *destination, void *userdata);

/** Gives the value of a property in a mapping.
 * @param source the old object, borrowed for the call
 * @param out the value, null at first. A text or bytes must live until the next call, or until the
 *     migration ends */
typedef pinview_status (*pinview_migration_value_callback)(
    pinview_object *source, pinview_value *out, void *userdata);

/** Says what an entity of the new version was in the old one, and where one of its properties gets
 * its values. What no mapping names is inferred.
 * Core Data: NSEntityMapping, NSPropertyMapping */
typedef struct pinview_migration_mapping {
    pinview_string source_entity;
    /** if the source's objects live on as another entity, each also makes an object of this one */
    pinview_string destination_entity;
    /** of the destination; absent to map the entities only */
    pinview_string property;
    /** in the predicate language, over the old object: "price * 100". The name of an old property
     * alone is a rename. Absent for a property that the function or the step of the stage sets */
    pinview_string expression;
    /** instead of an expression, an attribute's values; NULL for none */
    pinview_migration_value_callback function;
    void *userdata;
} pinview_migration_mapping;

/** The way from one version of a model to another, in one transaction.
 * Core Data: NSCustomMigrationStage */
typedef struct pinview_migration_stage {
    /** a version: one of its identifiers, or its checksum (pinview_model_version_checksum) */
    pinview_string source;
    pinview_string destination;
    /** as for PINVIEW_STORE_OPTION_CONFIRMED_REMOVALS */
    pinview_string confirmed_removals;
    const pinview_migration_mapping *mappings;
    size_t mapping_count;
    pinview_migration_step_callback step; /**< NULL for none */
    void *userdata;
} pinview_migration_stage;

/** Versions of a model and the stages between them. A store goes from the version that it has
 * through all later stages, and then to the coordinator's model; what has no stage is inferred.
 * Core Data: NSStagedMigrationManager */
typedef struct pinview_migration {
    uint32_t struct_size; /**< sizeof(pinview_migration) */
    uint32_t reserved;    /**< 0 */
    /** if there are stages, the oldest first. Also identify the version of a Core Data store */
    pinview_model *const *versions;
    size_t version_count;
    const pinview_migration_stage *stages;
    size_t stage_count;
    pinview_migration_progress_callback progress; /**< NULL if not needed */
    void *progress_userdata;
    size_t stage_size;   /**< sizeof(pinview_migration_stage), or 0 for 80 */
    size_t mapping_size; /**< sizeof(pinview_migration_mapping), or 0 for 80 */
} pinview_migration;

/**
 * Opens a store as pinview_coordinator_add_store does, and migrates it if it has another version of
 * the model. Nothing of the migration is used after the call.
 *
 * @param migration the program's part of the migration; may be all zero except struct_size
 * @param out NULL if not needed
 * Errors: as pinview_coordinator_add_store; PINVIEW_ERROR_MISSING_SOURCE_MODEL if the store's
 *     model is none of the versions; PINVIEW_ERROR_INVALID_ARGUMENT for a stage or a mapping that
 *     names what is not there; what a callback returns. The store is then as it was before the
 *     stage that failed
 * Core Data: NSPersistentStoreStagedMigrationManagerOptionKey
 */
pinview_status pinview_coordinator_add_migrated_store(
    pinview_coordinator *coordinator, pinview_string type, pinview_string configuration,
    pinview_string path, const pinview_named_value *options, size_t option_count,
    const pinview_migration *migration, pinview_store **out, pinview_error **error);

/**
 * In the step of a migration: what an old object has become.
 *
 * @param destination the step's context
 * @param source an object of the step's other context
 * @param entity an entity of which a mapping has made objects; absent for the entity as which the
 *     object lives on
 * @param out NULL if there is none
 * Errors: PINVIEW_ERROR_INVALID_ARGUMENT outside of a step
 * Core Data: NSMigrationManager.destinationInstances(forEntityMappingName:sourceInstances:)
 */
pinview_status pinview_migration_destination_object(
    pinview_context *destination, pinview_object *source, pinview_string entity,
    pinview_object **out, pinview_error **error);

/**
 * In the step of a migration: what a new object was.
 *
 * @param source the step's context of old objects
 * @param destination an object of the step's other context
 * @param out NULL if there was none
 * Errors: PINVIEW_ERROR_INVALID_ARGUMENT outside of a step
 * Core Data: NSMigrationManager.sourceInstances(forEntityMappingName:destinationInstances:)
 */
pinview_status pinview_migration_source_object(
    pinview_context *source, pinview_object *destination, pinview_object **out,
    pinview_error **error);

/**
 * Removes a store from the coordinator and closes it. Its objects in all contexts become invalid,
 * their changes are discarded, and it no longer holds any journal. Generations that cover the store
 * lose it. Called in the middle of a save to the store, by a merge policy or a callback that
 * supplies rows, it makes the save fail, of which nothing is written.
 *
 * Core Data: remove(_:)
 */
pinview_status pinview_coordinator_remove_store(
    pinview_coordinator *coordinator, pinview_store *store, pinview_error **error);

/**
 * Sets whether a coordinator blocks the writers of all processes while it takes a generation. Off
 * by default: the generations of several stores are taken one after the other. No save of this
 * coordinator falls in between, but a transaction of another program that spans two of the stores
 * may. If set, the coordinator first takes the write lock of every store it may write to, in the
 * order of their identifiers, then all generations, and then lets the writers continue.
 *
 * This guarantees that a generation contains all or nothing of a transaction that holds the write
 * locks of all its stores before it commits to the first of them, as saves of this library and
 * SQLite's transactions over attached databases do. A program that commits to one store and only
 * then begins to write to another can be caught in between. Stores that are read-only here or not
 * in WAL mode are not locked. A read that has to wait for a writer longer than the store's busy
 * timeout fails. With a single store the setting has no effect.
 *
 * Cost: none; from then on, a write lock per store and new generation.
 */
pinview_status pinview_coordinator_set_holds_writers_while_pinning(
    pinview_coordinator *coordinator, int32_t holds, pinview_error **error);

/** Returns 1 if a coordinator blocks the writers of all processes while it takes a generation. */
int32_t pinview_coordinator_holds_writers_while_pinning(const pinview_coordinator *coordinator);

/** Reports that a newer generation exists. */
typedef void (*pinview_generation_callback)(void *userdata);

/**
 * Adds an observer of commits to a coordinator's stores, no matter who makes them: this
 * coordinator, another one, another process, or the sqlite3 tool. Commits in quick succession are
 * reported together. Nothing runs while there are no observers. Stores in memory and stores that
 * are not in WAL mode report nothing. The observer stays until it is removed or the coordinator is
 * freed.
 *
 * @param callback called on a thread of the library, within about a millisecond of a commit. It may
 *     call any function but should return soon: all observers of the process share the thread
 * @param free_userdata called when the observer has been removed and its last call has ended
 */
pinview_status pinview_coordinator_add_generation_observer(
    pinview_coordinator *coordinator, pinview_generation_callback callback, void *userdata,
    pinview_free_callback free_userdata, pinview_observer **out, pinview_error **error);

/** Removes an observer, like pinview_observer_remove. When the call returns the callback no longer
 * runs, unless the callback itself made the call. Removing an observer again has no effect.
 * Threads: any thread that does not hold what a callback may be waiting for. */
pinview_status pinview_coordinator_remove_generation_observer(
    pinview_coordinator *coordinator, pinview_observer *observer, pinview_error **error);

/** Returns the stores of a coordinator: how many, or one, in the order in which they were added.
 * Core Data: persistentStores */
uint64_t pinview_coordinator_store_count(const pinview_coordinator *coordinator);
pinview_status pinview_coordinator_store(
    const pinview_coordinator *coordinator, uint64_t index, pinview_store **out,
    pinview_error **error);

/** Returns the object ID that a URI stands for, without checking whether the row exists.
 * @param uri as returned by pinview_object_id_uri
 * @param out NULL if the coordinator does not have the URI's store
 * Core Data: managedObjectID(forURIRepresentation:) */
pinview_status pinview_coordinator_object_id(
    pinview_coordinator *coordinator, pinview_string uri, pinview_object_id **out,
    pinview_error **error);

/** Returns 1 if two handles name the same store. */
int32_t pinview_store_is_equal(const pinview_store *left, const pinview_store *right);

/** Returns the UUID of a store, which is the host part of the URIs of its object IDs.
 * Core Data: NSPersistentStore.identifier */
pinview_string pinview_store_identifier(const pinview_store *store);

/** Returns the type of a store: PINVIEW_STORE_TYPE_....
 * Core Data: NSPersistentStore.type */
pinview_string pinview_store_type(const pinview_store *store);

/** Returns the path of a store's file as passed when it was added; absent for a store in memory.
 * Core Data: NSPersistentStore.url */
pinview_string pinview_store_path(const pinview_store *store);

/** Returns the configuration of a store; absent if it holds all entities.
 * Core Data: NSPersistentStore.configurationName */
pinview_string pinview_store_configuration(const pinview_store *store);

/** Returns the journal mode of a store, as SQLite calls it. */
pinview_string pinview_store_journal_mode(const pinview_store *store);

/** Returns 1 if a store was added as read-only. */
int32_t pinview_store_is_read_only(const pinview_store *store);

/**
 * Returns what a store lacks of the model: how many entities and properties, or one of them. They
 * are in the model's order, each property with the entity that declares it; the properties of a
 * missing entity are not listed. There are none unless the store was added with
 * PINVIEW_STORE_OPTION_ALLOW_MISSING.
 *
 * @param buffer the memory of the texts; see pinview_buffer_create
 * @param property absent if the whole entity is missing
 */
uint64_t pinview_store_missing_count(const pinview_store *store);
pinview_status pinview_store_missing(
    const pinview_store *store, uint64_t index, pinview_buffer *buffer, pinview_string *entity,
    pinview_string *property, pinview_error **error);

/**
 * Reports whether a store lacks an entity of the model, or a property of it: whether "no objects"
 * or "null" means that it has none, or that it could not have any.
 *
 * @param property absent to ask for the entity itself
 * @param out 1 if the store lacks it
 * Errors: PINVIEW_ERROR_UNKNOWN_ENTITY, PINVIEW_ERROR_UNKNOWN_KEY for what is not in the model,
 * either
 */
pinview_status pinview_store_lacks(
    const pinview_store *store, pinview_string entity, pinview_string property, int32_t *out,
    pinview_error **error);

/** Returns 1 if contexts can be pinned to a store: it is an SQLite file in WAL mode. */
int32_t pinview_store_supports_query_generations(const pinview_store *store);

/** Returns the size of a store's write-ahead journal in bytes; 0 if there is none. */
int64_t pinview_store_journal_size(const pinview_store *store);

/** Copies the journal into the store's file and empties it, as far as the pins of all processes
 * allow. The library does this by itself; programs do not need to.
 * @param emptied 1 if the journal is now empty, 0 if a pin or another process holds it */
pinview_status pinview_store_checkpoint(
    pinview_store *store, int32_t *emptied, pinview_error **error);

/** Returns 1 if a store was added as an immutable one: with PINVIEW_STORE_OPTION_IMMUTABLE, or
 * read-only in a folder that cannot be written to. */
int32_t pinview_store_is_immutable(const pinview_store *store);

/** A commit that the journal of an immutable store still holds, of whatever program. */
typedef struct pinview_journal_commit {
    uint64_t number;      /**< from 1, the oldest; 0 is the file without its journal */
    uint64_t frame_count; /**< the frames of the journal that the state needs */
    int64_t size;         /**< of the whole database in bytes */
    int32_t is_readable;  /**< 0 if a checkpoint has copied later pages over those of the state */
    int32_t reserved;
} pinview_journal_commit;

/** Returns the number of states that the journal of an immutable store still holds, the file
 * without its journal included; 0 for other stores. */
uint64_t pinview_store_journal_commit_count(const pinview_store *store);

/**
 * Returns states that the journal of an immutable store still holds, the oldest first.
 *
 * @param first the index of the first one
 * @param count how many to return
 * @param out an array of count elements
 * @param struct_size sizeof(pinview_journal_commit)
 * Cost: the first call reads the journal, and the pages of the file that are in it.
 */
pinview_status pinview_store_journal_commits(
    pinview_store *store, uint64_t first, size_t count, pinview_journal_commit *out,
    size_t struct_size, pinview_error **error);

/**
 * Returns the token of a state that the journal of an immutable store still holds. Contexts can be
 * pinned to it at any time, and it can be compared with other tokens. The coordinator's other
 * stores are covered at their newest generations, as long as those are alive.
 *
 * @param number as in pinview_journal_commit
 * Errors: PINVIEW_ERROR_INVALID_ARGUMENT for a number that is none of the commits;
 *     PINVIEW_ERROR_GENERATION_EXPIRED for a commit that cannot be read any more.
 */
pinview_status pinview_coordinator_journal_commit_token(
    pinview_coordinator *coordinator, pinview_store *store, uint64_t number, pinview_token **out,
    pinview_error **error);

/** Returns the metadata of a store as a binary property list, a dictionary: Core Data's entries and
 * those of the program.
 * @param buffer the memory of the result; see pinview_buffer_create
 * Core Data: metadata(for:) */
pinview_status pinview_store_metadata(
    pinview_store *store, pinview_buffer *buffer, pinview_binary *out, pinview_error **error);

/** Returns an entry of a store's metadata; PINVIEW_VALUE_NULL if there is none. Arrays and
 * dictionaries are returned as binary property lists.
 * @param key such as NSStoreModelVersionIdentifiers
 * @param buffer the memory of the result; see pinview_buffer_create */
pinview_status pinview_store_metadata_value(
    pinview_store *store, pinview_string key, pinview_buffer *buffer, pinview_value *out,
    pinview_error **error);

/**
 * Sets an entry of a store's metadata. All other entries stay as they are, also those of Core Data
 * that the library does not know.
 *
 * @param key one of the program's own: not NSStoreType, PinviewModel, nor one that begins with
 *     NSStoreModel, NSPersistence or _NS
 * @param value a Boolean, number, text, date or binary value; PINVIEW_VALUE_NULL removes the entry
 * Errors: PINVIEW_ERROR_INVALID_ARGUMENT for a key that cannot be set; PINVIEW_ERROR_STORE_SAVE for
 *     a read-only store.
 * Core Data: setMetadata(_:for:)
 */
pinview_status pinview_store_set_metadata_value(
    pinview_store *store, pinview_string key, const pinview_value *value, pinview_error **error);

/** Sets several entries of a store's metadata in one transaction; see
 * pinview_store_set_metadata_value.
 * @param entries a dictionary as a binary property list */
pinview_status pinview_store_set_metadata(
    pinview_store *store, pinview_binary entries, pinview_error **error);

/** Returns the metadata of a store file as a binary property list, without a model and without
 * changing the file or its folder.
 * @param buffer the memory of the result; see pinview_buffer_create
 * Core Data: metadataForPersistentStore(ofType:at:options:) */
pinview_status pinview_file_metadata(
    pinview_string path, pinview_buffer *buffer, pinview_binary *out, pinview_error **error);

/**
 * Looks into a store file without a model at hand, reading only; other programs may be writing
 * meanwhile, and the numbers are of one generation. The result is JSON text, an object with
 *
 * - "identifier" of the store, "versionIdentifiers" of its model;
 * - "metadata": all entries, as pinview_value_readable shows them;
 * - "entities": for each "name", "parent" (or null), "abstract", "count" of objects without those
 *   of sub-entities, and what it adds to its parent: "attributes" (each "name", "type", "optional")
 *   and "relationships" (each "name", "destination", "inverse", "toMany", "ordered", "deleteRule");
 * - "history": null, or "transactions" (their number), "first" and "last" (when they were).
 *
 * @param buffer the memory of the result; see pinview_buffer_create
 * Errors: PINVIEW_ERROR_STORE_OPEN for a file that is no store.
 */
pinview_status pinview_file_summary(
    pinview_string path, pinview_buffer *buffer, pinview_string *out, pinview_error **error);

/** Sets entries of the metadata of a store file that need not be open; see
 * pinview_store_set_metadata.
 * Core Data: setMetadata(_:forPersistentStoreOfType:at:options:) */
pinview_status pinview_file_set_metadata(
    pinview_string path, pinview_binary entries, pinview_error **error);

/**
 * Creates a container: a coordinator and a main-queue view context, without opening the store yet.
 *
 * @param name the name of the coordinator
 * @param path the SQLite file; absent for a store in memory
 * @param options as for pinview_coordinator_add_store
 * Core Data: NSPersistentContainer
 */
pinview_status pinview_container_create(
    pinview_string name, pinview_model *model, pinview_string path,
    const pinview_named_value *options, size_t option_count, pinview_container **out,
    pinview_error **error);

/** Opens the store. Does nothing if it is open. Fails as pinview_coordinator_add_store does.
 * Core Data: loadPersistentStores */
pinview_status pinview_container_load_stores(pinview_container *container, pinview_error **error);

/** Opens the store as pinview_container_load_stores does, with versions, stages and progress of its
 * migration. Nothing of the migration is used after the call.
 * Errors: as pinview_coordinator_add_migrated_store
 * Core Data: loadPersistentStores, with NSPersistentStoreStagedMigrationManagerOptionKey */
pinview_status pinview_container_load_migrated_stores(
    pinview_container *container, const pinview_migration *migration, pinview_error **error);

/** Returns the coordinator of a container.
 * Core Data: persistentStoreCoordinator */
pinview_status pinview_container_coordinator(
    pinview_container *container, pinview_coordinator **out, pinview_error **error);

/** Returns the main-queue context of a container.
 * Core Data: viewContext */
pinview_status pinview_container_view_context(
    pinview_container *container, pinview_context **out, pinview_error **error);

/** Creates a private-queue context on the container's coordinator.
 * Core Data: newBackgroundContext() */
pinview_status pinview_container_new_background_context(
    pinview_container *container, pinview_context **out, pinview_error **error);

/**
 * Runs a block later, on a thread of the library, with a new private-queue context that is released
 * afterwards.
 *
 * @param task its status is ignored
 * @param free_userdata called after the block has run
 * Core Data: performBackgroundTask(_:)
 */
pinview_status pinview_container_perform_background_task(
    pinview_container *container, pinview_block_callback task, void *userdata,
    pinview_free_callback free_userdata, pinview_error **error);

/** @} */

/* ============================================================================================== */

/**
 * @defgroup pinview-tokens Tokens
 *
 * A token names a generation of all stores of a coordinator. Tokens are immutable. A token does not
 * keep its generation alive: only contexts and differences do.
 *
 * Tokens travel: the bytes of a token (pinview_token_data) name the same generation in another
 * process that has the same stores open. A context there that is pinned to it holds the generation
 * itself, even after the first process has released it or has ended.
 * @{
 */

/** Returns the token that stands for whatever is newest at the next read. It equals only itself and
 * is never freed.
 * Core Data: NSQueryGenerationToken.current */
pinview_token *pinview_token_current(void);

/** Returns 1 if two tokens name the same generation; returns a hash, which is the same for equal
 * tokens. */
int32_t pinview_token_is_equal(const pinview_token *left, const pinview_token *right);
uint64_t pinview_token_hash(const pinview_token *token);

/** Returns 1 if a token is that of pinview_token_current. */
int32_t pinview_token_is_current(const pinview_token *token);

/** Returns a text for logs, which may change with every version. */
pinview_string pinview_token_description(const pinview_token *token);

/**
 * Returns the token as opaque bytes. Tokens of one generation are equivalent in all processes of
 * the machine, although their bytes may differ.
 *
 * While the generation is alive, this also publishes it: as long as this process holds it, other
 * processes that have the same stores open can pin contexts to it. This takes a file lock per
 * store, once. If the system refuses the lock, the token is expired for other processes.
 */
pinview_status pinview_token_data(
    const pinview_token *token, pinview_binary *out, pinview_error **error);

/** Returns the token that pinview_token_data wrote, or PINVIEW_ERROR_INVALID_ARGUMENT for truncated
 * or altered bytes. */
pinview_status pinview_token_create_from_data(
    pinview_binary data, pinview_token **out, pinview_error **error);

/** @} */

/* ============================================================================================== */

/**
 * @defgroup pinview-contexts Contexts
 *
 * A context fetches, registers, changes and saves objects. It is its own queue: a direct call on a
 * private-queue context is serialised with the context's blocks, and the blocks of a main-queue
 * context run when the main thread drains the main queue (see "Threads" at the top). When its last
 * handle is released a context ends: its pin is released, pending changes are discarded, and its
 * objects give PINVIEW_ERROR_CONTEXT_GONE.
 * @{
 */

/** The threads that may use a context (NSManagedObjectContextConcurrencyType). */
PINVIEW_ENUM_OF(int32_t) {
    PINVIEW_CONCURRENCY_CONFINEMENT = 0, /**< deprecated: for the thread that created it */
    PINVIEW_CONCURRENCY_PRIVATE_QUEUE = 1,
    PINVIEW_CONCURRENCY_MAIN_QUEUE = 2
};
typedef int32_t pinview_concurrency_type; /**< PINVIEW_CONCURRENCY_... */

/** What a save does about conflicts; see pinview_context_set_merge_policy. */
PINVIEW_ENUM_OF(int32_t) {
    /** the default: the save fails and lists the conflicts */
    PINVIEW_MERGE_POLICY_ERROR = 0,
    /** a property changed on both sides takes the store's value, one changed on one side takes that
     * side's */
    PINVIEW_MERGE_POLICY_BY_PROPERTY_STORE_TRUMP = 1,
    /** a property changed on both sides takes the object's value, one changed on one side takes
     * that side's */
    PINVIEW_MERGE_POLICY_BY_PROPERTY_OBJECT_TRUMP = 2,
    /** the object's whole state replaces the row in the store */
    PINVIEW_MERGE_POLICY_OVERWRITE = 3,
    /** the row in the store stays, and the object takes its values */
    PINVIEW_MERGE_POLICY_ROLLBACK = 4,
    /** a function of the program; see pinview_context_set_merge_callback */
    PINVIEW_MERGE_POLICY_CALLBACK = 5
};
typedef int32_t pinview_merge_policy; /**< PINVIEW_MERGE_... */

/** Options of a context that are on or off; see pinview_context_set_option. */
PINVIEW_ENUM_OF(int32_t) {
    PINVIEW_CONTEXT_RETAINS_REGISTERED_OBJECTS = 1,         /**< off by default */
    /** On by default: a fault whose row no longer exists counts as deleted when it is read, and its
     * values are null. If off, reading it gives PINVIEW_ERROR_REFERENTIAL_INTEGRITY. */
    PINVIEW_CONTEXT_SHOULD_DELETE_INACCESSIBLE_FAULTS = 2,
    PINVIEW_CONTEXT_PROPAGATES_DELETES_AT_END_OF_EVENT = 3, /**< on by default */
    PINVIEW_CONTEXT_AUTOMATICALLY_MERGES_CHANGES = 4        /**< off by default */
};
typedef int32_t pinview_context_option; /**< PINVIEW_CONTEXT_... */

/** Creates a context, unpinned. Set its coordinator or its parent before using it.
 * Core Data: NSManagedObjectContext.init(concurrencyType:) */
pinview_status pinview_context_create(
    pinview_concurrency_type concurrency_type, pinview_context **out, pinview_error **error);

/** Returns 1 if two handles name the same context; returns a hash, which is the same for such
 * handles, and 0 for an invalid one.
 * Threads: any thread. */
int32_t pinview_context_is_equal(const pinview_context *left, const pinview_context *right);
uint64_t pinview_context_hash(const pinview_context *context);

/**
 * Sets the coordinator of a context, once; returns it, for a child that of its root.
 *
 * @param coordinator NULL gives PINVIEW_ERROR_COORDINATOR_NIL if one is set
 * @param out NULL if there is none
 * Threads: any thread.
 * Core Data: persistentStoreCoordinator
 */
pinview_status pinview_context_set_coordinator(
    pinview_context *context, pinview_coordinator *coordinator, pinview_error **error);
pinview_status pinview_context_coordinator(
    pinview_context *context, pinview_coordinator **out, pinview_error **error);

/**
 * Makes a context a child of another, once, before it has objects; returns its parent.
 *
 * @param parent NULL gives PINVIEW_ERROR_COORDINATOR_NIL if one is set
 * @param out NULL for a root context
 * Threads: any thread.
 * Core Data: parent
 */
pinview_status pinview_context_set_parent(
    pinview_context *context, pinview_context *parent, pinview_error **error);
pinview_status pinview_context_parent(
    pinview_context *context, pinview_context **out, pinview_error **error);

/** Returns the concurrency type of a context: PINVIEW_CONCURRENCY_..., or -1 for an invalid handle.
 * Threads: any thread.
 * Core Data: concurrencyType */
int32_t pinview_context_concurrency_type(const pinview_context *context);

/** Names a context, for logs and history; returns its name, absent if it has none.
 * @param name absent for none
 * Threads: any thread.
 * Core Data: name */
pinview_status pinview_context_set_name(
    pinview_context *context, pinview_string name, pinview_error **error);
pinview_string pinview_context_name(const pinview_context *context);

/**
 * Sets, or returns, the author that the history records for the context's saves; absent if there is
 * none.
 *
 * @param author absent for none
 * Threads: any thread.
 * Core Data: transactionAuthor
 */
pinview_status pinview_context_set_transaction_author(
    pinview_context *context, pinview_string author, pinview_error **error);
pinview_string pinview_context_transaction_author(const pinview_context *context);

/**
 * Sets what a save does about conflicts: rows that others have changed or deleted, and rows that
 * would have the same values under a uniqueness constraint. PINVIEW_MERGE_POLICY_ERROR fails the
 * save and lists the conflicts (pinview_error_conflict, pinview_error_constraint_conflict). What
 * the others do with rows that were changed is documented with the constants. Under them, a new
 * object whose values violate a constraint becomes the row that already has them, and every
 * reference to the object then leads to that row:
 *
 * - BY_PROPERTY_OBJECT_TRUMP: values set on the object replace those of the row.
 * - BY_PROPERTY_STORE_TRUMP: the row keeps its values; values that are null there are taken from
 *   the object.
 * - OVERWRITE: all values of the object replace those of the row.
 * - ROLLBACK: the row stays as it is.
 *
 * An updated object that collides with another row is merged into that row under
 * BY_PROPERTY_OBJECT_TRUMP and OVERWRITE, and its own row is deleted; under BY_PROPERTY_STORE_TRUMP
 * the constrained properties keep the store's values, under ROLLBACK all properties do. If the
 * context already has an object for the row, that one stays, and the other one is gone as if it had
 * been deleted. Among several objects of the context, the one inserted or changed last counts as
 * the object, the others as the row. A new object that matches two rows under two constraints fails
 * the save under BY_PROPERTY_OBJECT_TRUMP and OVERWRITE.
 *
 * Threads: any thread.
 * Core Data: mergePolicy
 */
pinview_status pinview_context_set_merge_policy(
    pinview_context *context, pinview_merge_policy policy, pinview_error **error);

/** Returns the merge policy of a context: PINVIEW_MERGE_POLICY_..., or -1 for an invalid handle.
 * Threads: any thread.
 * Core Data: mergePolicy */
int32_t pinview_context_merge_policy(const pinview_context *context);

/**
 * A merge policy implemented by the program. It is called inside a save with all conflicts known so
 * far and resolves each with pinview_merge_set_value or pinview_merge_set_policy; a conflict it
 * leaves unresolved fails the save as under PINVIEW_MERGE_POLICY_ERROR.
 *
 * It is called once, and again only if uniqueness constraints are violated. Those conflicts come
 * after the others, have a constraint_number, and have as `theirs` the values of the object that
 * already holds the constrained values. If the callback sets different values for the constrained
 * properties, the objects stay apart; otherwise both become one row, and the values set are those
 * of that row. If what it resolves collides with another row, it is called for that as well. A
 * status other than PINVIEW_OK and PINVIEW_USE_DEFAULT fails the save, which returns it unchanged
 * and writes nothing.
 *
 * It runs on the thread of the save, inside the write transaction, so it must be quick: all other
 * writers of the stores wait for it. Calls on the context being saved, and on its objects, return
 * PINVIEW_ERROR_INVALID_ARGUMENT. A save of another context to the same stores fails, or, on
 * another thread, waits: the callback must not wait for such a thread.
 */
typedef pinview_status (*pinview_merge_callback)(pinview_merge *merge, void *userdata);

/** Sets a function of the program as the merge policy of a root context.
 * @param free_userdata called when another policy has been set or the context has ended
 * Threads: any thread.
 * Core Data: NSMergePolicy.resolve(optimisticLockingConflicts:) */
pinview_status pinview_context_set_merge_callback(
    pinview_context *context, pinview_merge_callback callback, void *userdata,
    pinview_free_callback free_userdata, pinview_error **error);

/** Returns the conflicts of a save as the error that the save would fail with: see
 * pinview_error_conflict_count, pinview_error_conflict and pinview_error_conflict_property.
 * Core Data: NSMergeConflict */
const pinview_error *pinview_merge_conflicts(const pinview_merge *merge);

/**
 * Resolves a conflict as one of the built-in policies does, replacing what was set for it before.
 *
 * @param index the conflict
 * @param policy any but PINVIEW_MERGE_POLICY_CALLBACK
 * Threads: inside the callback only, on its thread.
 * Core Data: NSMergePolicy
 */
pinview_status pinview_merge_set_policy(
    pinview_merge *merge, uint64_t index, pinview_merge_policy policy, pinview_error **error);

/**
 * Resolves a conflict by values: sets what is written for one property. Properties without such a
 * value keep what is in the store; if the row has been deleted it is written again, and they are as
 * in memory. An object that was to be deleted stays. A value that does not fit its property is
 * reported by the save.
 *
 * @param index the conflict
 * @param key an attribute or a to-one relationship
 * @param value for a relationship an object ID, an object of another context, or null
 * Threads: inside the callback only, on its thread.
 * Core Data: NSMergeConflict
 */
pinview_status pinview_merge_set_value(
    pinview_merge *merge, uint64_t index, pinview_string key, const pinview_value *value,
    pinview_error **error);

/**
 * Switches an option on or off; returns 1 if it is on, 0 if it is off, -1 for an invalid handle or
 * an unknown option.
 *
 * Errors: PINVIEW_ERROR_PINNED_AUTO_MERGE, since a context pinned to an old generation cannot merge
 *     automatically
 * Threads: any thread.
 */
pinview_status pinview_context_set_option(
    pinview_context *context, pinview_context_option option, int32_t is_on,
    pinview_error **error);
int32_t pinview_context_get_option(
    const pinview_context *context, pinview_context_option option);

/** Sets how old a cached row may be to fill a fault; returns it, -1 for an invalid handle.
 * @param seconds negative for any age (the default), 0 to never use cached rows
 * Threads: any thread.
 * Core Data: stalenessInterval */
pinview_status pinview_context_set_staleness_interval(
    pinview_context *context, double seconds, pinview_error **error);
double pinview_context_staleness_interval(const pinview_context *context);

/**
 * Sets how long a call of the context may read or write; returns it in seconds, 0 for no limit, -1
 * for an invalid handle.
 *
 * It applies to each save, each batch request, each firing of a fault and each fetch that has no
 * timeout of its own, from the moment at which the context begins with it. A call that takes longer
 * fails with PINVIEW_ERROR_TIMED_OUT: SQLite's statement, or the wait for another writer, ends
 * within milliseconds. A save that failed in this way has written nothing, and its changes stay
 * pending. A commit that has begun is finished.
 *
 * @param seconds 0 for no limit (the default)
 * Errors: PINVIEW_ERROR_INVALID_ARGUMENT for a negative number or NaN
 * Threads: any thread.
 */
pinview_status pinview_context_set_timeout(
    pinview_context *context, double seconds, pinview_error **error);
double pinview_context_timeout(const pinview_context *context);

/**
 * Pins a context to a generation, advances it, or unpins it. With pinview_token_current() the next
 * read takes the newest generation, and the context stays there. With the token of another context
 * it reads exactly that generation. With NULL it is unpinned. Registered objects are not refreshed,
 * and pending changes stay.
 *
 * The token may come from another process that turned it into data; this process then holds the
 * generation, too. If waiting for the context would never end, because the thread that uses it
 * waits for the calling thread, the context moves as soon as it is free instead.
 *
 * @param token NULL to unpin
 * Errors: PINVIEW_ERROR_NESTED_PIN for a child; PINVIEW_ERROR_FOREIGN_TOKEN for a token of another
 *     coordinator of this process, or of a store that the coordinator does not have;
 *     PINVIEW_ERROR_GENERATION_EXPIRED if no context of any process holds the generation, or the
 *     machine was restarted; PINVIEW_ERROR_STORE_OPERATION for a token that covers a removed store
 * Threads: any thread.
 * Generation: as described.
 * Core Data: setQueryGenerationFrom(_:)
 */
pinview_status pinview_context_set_query_generation(
    pinview_context *context, const pinview_token *token, pinview_error **error);

/**
 * Returns the generation that a context reads: the current token from the time it is pinned to that
 * until its first read; then the token of the actual generation. NULL does not mean unpinned: a
 * pinned context also has none between a save, a reset or a merge and its next read, which takes
 * the newest generation. pinview_context_query_generation_state tells the two apart. Always NULL
 * for a child.
 *
 * Threads: any thread.
 * Core Data: queryGenerationToken
 */
pinview_status pinview_context_query_generation(
    const pinview_context *context, pinview_token **out, pinview_error **error);

/** How a context reads; see pinview_context_query_generation_state. */
PINVIEW_ENUM_OF(int32_t) {
    PINVIEW_QUERY_GENERATION_UNPINNED = 0, /**< every fetch sees the newest transaction */
    /** The next read takes the newest generation: after pinning to pinview_token_current(), and
     * after each save, reset or merge of a pinned context. */
    PINVIEW_QUERY_GENERATION_PINNED_AT_NEXT_READ = 1,
    /** to the generation that pinview_context_query_generation returns */
    PINVIEW_QUERY_GENERATION_PINNED = 2
};
typedef int32_t pinview_query_generation_state; /**< PINVIEW_QUERY_... */

/** Returns whether a context is pinned and has taken its generation: PINVIEW_QUERY_GENERATION_...,
 * or -1 for an invalid handle. A child answers for the root of its chain, through which it reads.
 * Threads: any thread.
 * Generation: not a read. */
int32_t pinview_context_query_generation_state(const pinview_context *context);

/**
 * Returns 1 if anything has been committed, by anyone, since the generation that a context is
 * pinned to. 0 for a context that is not pinned or has not read yet: its next read sees the newest
 * state anyway. A child answers for the root of its chain.
 *
 * Threads: any thread.
 * Cost: no system call; nanoseconds.
 * Generation: the context stays where it is.
 */
int32_t pinview_context_has_newer_generation(const pinview_context *context);

/**
 * Waits for a generation newer than the context's own; for a context that is not pinned or has not
 * read yet, newer than at the time of the call. The calling thread sleeps; the context's queue
 * stays free for others. The context does not move: pin it to pinview_token_current() to see the
 * changes.
 *
 * @param timeout_seconds how long to wait; 0 only checks, a negative number waits without limit
 * @param out 1 if there is one, 0 if the time ran out
 * Errors: PINVIEW_ERROR_INVALID_ARGUMENT if the timeout is not a number;
 *     PINVIEW_ERROR_STORE_OPERATION if no store has generations
 * Threads: any thread.
 * Generation: the context stays where it is.
 */
pinview_status pinview_context_wait_for_newer_generation(
    const pinview_context *context, double timeout_seconds, int32_t *out, pinview_error **error);

/**
 * Runs a block later on the context's queue and returns at once. The block runs on a thread of the
 * library for a private queue, and when the main thread drains the main queue for a main queue. The
 * context lives until the block has run.
 *
 * @param block its status is ignored
 * @param free_userdata called after the block has run
 * Threads: any thread.
 * Core Data: perform(_:)
 */
pinview_status pinview_context_perform(
    pinview_context *context, pinview_block_callback block, void *userdata,
    pinview_free_callback free_userdata, pinview_error **error);

/**
 * Runs a block on the context's queue and returns when it has run. Nested calls run at once. Inside
 * the block, pinview_fetch_request_execute knows the context.
 *
 * @param block runs on the calling thread; for a main-queue context, on the main thread
 *
 * The call returns the status of the block if it is not PINVIEW_OK, with the error that the block
 * left as the thread's last one. After PINVIEW_ERROR_DEADLOCK (see "Threads" at the top) the block
 * has not run.
 *
 * Threads: any thread.
 * Core Data: performAndWait(_:)
 */
pinview_status pinview_context_perform_and_wait(
    pinview_context *context, pinview_block_callback block, void *userdata, pinview_error **error);

/** Runs every block that is waiting for the main thread, and ends the events of direct calls on
 * main-queue contexts.
 * @param count how many blocks ran; may be NULL
 * Threads: the main thread; PINVIEW_ERROR_WRONG_QUEUE on others. */
pinview_status pinview_main_queue_drain(uint64_t *count, pinview_error **error);

/** Returns a file descriptor that polls as readable while blocks wait for the main thread; -1 if
 * the system has none left. It belongs to the library: do not read from it or close it. */
int32_t pinview_main_queue_file_descriptor(void);

/** Makes direct calls on private-queue contexts an error (PINVIEW_ERROR_WRONG_QUEUE). Off by
 * default; also switched on by the launch argument -com.apple.CoreData.ConcurrencyDebug 1 and by
 * the environment variable PINVIEW_CONCURRENCY_DEBUG=1. */
void pinview_set_concurrency_debug(int32_t is_on);

/** Creates an object with a temporary ID and the default values of its entity.
 * @param entity the name of an entity that is not abstract
 * @param out NULL if not needed: the context keeps the object until it is saved
 * Core Data: NSEntityDescription.insertNewObject(forEntityName:into:) */
pinview_status pinview_context_insert_new_object(
    pinview_context *context, pinview_string entity, pinview_object **out, pinview_error **error);

/**
 * Creates many objects with values for their properties. They are objects like those of
 * pinview_context_insert_new_object: hooks run, and the next save validates and stores them. After
 * a failure, objects that were already created have been deleted again.
 *
 * @param entity the name of an entity that is not abstract
 * @param names attributes and to-one relationships, each at most once
 * @param name_count the number of names, and so of columns
 * @param columns for each name, row_count values; relationships take objects
 * @param row_count how many objects to create
 * @param out the objects in the order of the rows; may be NULL
 * Core Data: NSEntityDescription.insertNewObject(forEntityName:into:) and setValue(_:forKey:), for
 *     each
 */
pinview_status pinview_context_insert_objects(
    pinview_context *context, pinview_string entity, const pinview_string *names, size_t name_count,
    const pinview_value *const *columns, size_t row_count, pinview_result **out,
    pinview_error **error);

/** Flags of pinview_upsert. */
PINVIEW_ENUM_OF(uint32_t) {
    PINVIEW_UPSERT_LEAVES_EXISTING = 1 /**< insert or ignore: existing objects stay as they are */
};
typedef uint32_t pinview_upsert_flags; /**< PINVIEW_UPSERT_... */

/** Rows to upsert. Requires entity, constraint, names, and values or columns. */
typedef struct pinview_upsert {
    uint32_t struct_size;               /**< sizeof(pinview_upsert) */
    pinview_upsert_flags flags;
    pinview_string entity;
    /** the properties of one of the entity's uniqueness constraints, in any order */
    const pinview_string *constraint;
    size_t constraint_count;
    /** attributes and to-one relationships, including those of the constraint, each at most once */
    const pinview_string *names;
    size_t name_count;
    /** row by row, row_count * name_count of them; relationships take objects or IDs */
    const pinview_value *values;
    /** instead of values: for each name, the row_count values of its column; NULL for none */
    const pinview_value *const *columns;
    size_t row_count;
    /** the names that a new object gets, in addition to those of the constraint; NULL for all */
    const pinview_string *insert_names;
    size_t insert_name_count;
    const pinview_string *update_names; /**< the names that an existing object gets; NULL for all */
    size_t update_name_count;
} pinview_upsert;

/**
 * Inserts objects, or updates those that already have the same values under a uniqueness
 * constraint.
 *
 * This makes pending changes like any other change of objects; save them with pinview_context_save,
 * together with others. Hooks, inverses and undo work as for each object individually. Objects are
 * looked up among the context's pending changes first, then at the generation it reads. An object
 * that is found is refreshed with its changes merged; an object that is to be deleted does not
 * count. A row with null in the constraint always creates an object. Rows with the values of an
 * earlier row update its object. Conflicts with what other contexts insert or change in the
 * meantime are resolved in the save, by the context's merge policy. To write rows immediately,
 * bypassing the context, use pinview_context_batch_insert with a merge policy.
 *
 * @param out a result of PINVIEW_RESULT_OBJECTS, one object per row, in order; may be NULL.
 *     pinview_result_upsert_outcomes says what was done with each, pinview_result_row_counts with
 *     how many
 * Errors: PINVIEW_ERROR_INVALID_ARGUMENT for a constraint that the entity does not have or that the
 *     names do not cover; PINVIEW_ERROR_UNKNOWN_KEY; PINVIEW_ERROR_WRONG_TYPE; the errors of
 *     validation; PINVIEW_ERROR_CONSTRAINT_MERGE if a row would get the values of another object
 *     under a constraint other than the named one, or of an object of another entity. The message
 *     names the row. The undo manager, too, is as before.
 * Cost: one statement for up to 500 rows, or 100 if the constraint has several properties; as many
 *     again for each further constraint.
 * Generation: reads.
 */
pinview_status pinview_context_upsert(
    pinview_context *context, const pinview_upsert *request, pinview_result **out,
    pinview_error **error);

/** Reinserts an object that was removed from the context, for the next save. An object that is in
 * the context stays as it is.
 * Core Data: insert(_:) */
pinview_status pinview_context_insert(
    pinview_context *context, pinview_object *object, pinview_error **error);

/**
 * Marks one object, or many, for deletion at the next save. After a failure, the objects before the
 * faulty one are marked.
 *
 * Cost: one row for each object that is a fault.
 * Generation: reads if it does.
 * Core Data: delete(_:)
 */
pinview_status pinview_context_delete(
    pinview_context *context, pinview_object *object, pinview_error **error);
pinview_status pinview_context_delete_objects(
    pinview_context *context, pinview_object *const *objects, size_t count, pinview_error **error);

/** Sets the store in which a new object is to be saved, or returns PINVIEW_ERROR_WRONG_STORE if it
 * cannot be saved there.
 * Core Data: assign(_:to:) */
pinview_status pinview_context_assign(
    pinview_context *context, pinview_object *object, pinview_store *store, pinview_error **error);

/** Returns the registered object of an ID, without reading.
 * @param out NULL if there is none
 * Core Data: registeredObject(for:) */
pinview_status pinview_context_registered_object(
    pinview_context *context, const pinview_object_id *object_id, pinview_object **out,
    pinview_error **error);

/** Returns the object of an ID: the registered one, or a new fault. Neither reads nor checks
 * whether the row exists.
 * Core Data: object(with:) */
pinview_status pinview_context_object(
    pinview_context *context, const pinview_object_id *object_id, pinview_object **out,
    pinview_error **error);

/**
 * Returns the object of an ID with its values, or PINVIEW_ERROR_REFERENTIAL_INTEGRITY if there is
 * no row.
 *
 * Cost: one row, unless it is cached.
 * Generation: reads.
 * Core Data: existingObject(with:)
 */
pinview_status pinview_context_existing_object(
    pinview_context *context, const pinview_object_id *object_id, pinview_object **out,
    pinview_error **error);

/** Returns the objects of many IDs, in their order, each as pinview_context_object does. Reading
 * one that is a fault reads the rows of the others along with it, as for the objects of a fetch.
 * @param out an ID that is passed twice gives its object twice
 * Core Data: object(with:), for each */
pinview_status pinview_context_objects(
    pinview_context *context, const pinview_object_id *const *object_ids, size_t count,
    pinview_result **out, pinview_error **error);

/**
 * Returns the objects of many IDs with their values, in their order, each as
 * pinview_context_existing_object does. The values of those that were faults come from one state of
 * each store, even in a context that is not pinned. pinview_context_interrupt_fetch stops the
 * reading.
 *
 * @param out an ID that is passed twice gives its object twice
 * Errors: PINVIEW_ERROR_REFERENTIAL_INTEGRITY if an ID has no row;
 *     pinview_error_affected_object_ids says which. Faults before that ID may have received their
 *     values.
 * Cost: one statement per store and entity hierarchy, and per 1,000 objects, for what is not in
 *     memory.
 * Generation: reads.
 * Core Data: existingObject(with:), for each
 */
pinview_status pinview_context_existing_objects(
    pinview_context *context, const pinview_object_id *const *object_ids, size_t count,
    pinview_result **out, pinview_error **error);

/**
 * Returns attributes and to-one relationships of the object of an ID: what pinview_context_object
 * and pinview_object_values return, without a handle to the object. The fastest way to read an
 * object that the context knows. In a block of the context it takes neither the queue's lock nor a
 * reference. An object without a row has nulls, depending on
 * PINVIEW_CONTEXT_SHOULD_DELETE_INACCESSIBLE_FAULTS.
 *
 * @param indexes indexes of properties (pinview_entity_property_index)
 * @param buffer NULL if all values are numbers, Booleans, dates, UUIDs or null; others then give
 *     PINVIEW_ERROR_INVALID_ARGUMENT
 * @param out count values; unspecified after a failure
 * Cost: one row, unless it is cached.
 * Generation: reads.
 * Core Data: dictionaryWithValues(forKeys:) of object(with:)
 */
pinview_status pinview_context_values(
    pinview_context *context, const pinview_object_id *object_id, const int32_t *indexes,
    size_t count, pinview_buffer *buffer, pinview_value *out, pinview_error **error);

/** Returns objects of a context, in no particular order: those that are registered and alive,
 * including faults; those that are inserted and not saved yet; the stored ones that have unsaved
 * changes; those that the next save will delete.
 * Core Data: registeredObjects, insertedObjects, updatedObjects, deletedObjects */
pinview_status pinview_context_registered_objects(
    pinview_context *context, pinview_result **out, pinview_error **error);
pinview_status pinview_context_inserted_objects(
    pinview_context *context, pinview_result **out, pinview_error **error);
pinview_status pinview_context_updated_objects(
    pinview_context *context, pinview_result **out, pinview_error **error);
pinview_status pinview_context_deleted_objects(
    pinview_context *context, pinview_result **out, pinview_error **error);

/** Returns whether there is an unsaved insert, update or delete.
 * Core Data: hasChanges */
pinview_status pinview_context_has_changes(
    pinview_context *context, int32_t *out, pinview_error **error);

/**
 * Gives an object the values now available and keeps local changes (merge_changes), or drops its
 * values and changes and makes it a fault.
 *
 * Cost: with merge_changes, one row unless it is cached.
 * Generation: reads, with merge_changes.
 * Core Data: refresh(_:mergeChanges:)
 */
pinview_status pinview_context_refresh(
    pinview_context *context, pinview_object *object, int32_t merge_changes, pinview_error **error);

/** Makes unchanged objects faults, and refreshes those with pending changes, merging.
 * Generation: reads if there are pending changes.
 * Core Data: refreshAllObjects() */
pinview_status pinview_context_refresh_all_objects(pinview_context *context, pinview_error **error);

/** Gives new objects their permanent IDs before they are saved. Objects that have one are skipped.
 * Cost: one short write transaction per store.
 * Core Data: obtainPermanentIDs(for:) */
pinview_status pinview_context_obtain_permanent_ids(
    pinview_context *context, pinview_object *const *objects, size_t count, pinview_error **error);

/** Makes the next save check an object for conflicts even if it has no changes.
 * Core Data: detectConflicts(for:) */
pinview_status pinview_context_detect_conflicts(
    pinview_context *context, pinview_object *object, pinview_error **error);

/** Applies pending changes to the object graph and posts notifications; outside a block it ends the
 * event. May return the error of a deferred merge, once; see pinview_context_merge_changes.
 * Generation: reads if delete rules have to load objects.
 * Core Data: processPendingChanges() */
pinview_status pinview_context_process_pending_changes(
    pinview_context *context, pinview_error **error);

/**
 * Writes all pending changes one level up: to the stores, each in one transaction, or to the parent
 * context. Does nothing without changes.
 *
 * Errors: PINVIEW_ERROR_VALIDATION...; PINVIEW_ERROR_MERGE with the conflicts;
 *     PINVIEW_ERROR_STORE_SAVE; PINVIEW_ERROR_LOCKS_LOST; PINVIEW_ERROR_TIMED_OUT and
 *     PINVIEW_ERROR_CANCELLED; the error of a deferred merge, once (see
 *     pinview_context_merge_changes). After a failure nothing was written, and the pending changes
 *     remain.
 * Cost: one statement per row, one transaction per store.
 * Generation: advances, if there was something to save.
 * Core Data: save()
 */
pinview_status pinview_context_save(pinview_context *context, pinview_error **error);

/** Discards all pending changes, without reading.
 * Core Data: rollback() */
pinview_status pinview_context_rollback(pinview_context *context, pinview_error **error);

/** Forgets all objects; handles to them then give PINVIEW_ERROR_OBJECT_INVALIDATED.
 * Generation: advances.
 * Core Data: reset() */
pinview_status pinview_context_reset(pinview_context *context, pinview_error **error);

/** Undoes the latest group of changes, including those of the current event, or redoes the group
 * undone last; does nothing without one. PINVIEW_ERROR_INVALID_ARGUMENT if a group is open that
 * pinview_undo_manager_begin_grouping or pinview_context_begin_undo_grouping opened.
 * Core Data: undo(), redo() */
pinview_status pinview_context_undo(pinview_context *context, pinview_error **error);
pinview_status pinview_context_redo(pinview_context *context, pinview_error **error);

/** Gives a context a new undo manager, or none. A new context has one.
 * Core Data: undoManager */
pinview_status pinview_context_set_undo_enabled(
    pinview_context *context, int32_t is_enabled, pinview_error **error);

/** Clears the undo and redo stacks and releases the objects in them.
 * Core Data: UndoManager.removeAllActions() */
pinview_status pinview_context_remove_all_undo_actions(
    pinview_context *context, pinview_error **error);

/** Opens an undo group: what is recorded until it ends is undone in one step of its own. It stays
 * open across blocks, events, pinview_context_process_pending_changes and saves. Within another
 * group opened this way it becomes part of that one.
 * Core Data: UndoManager.beginUndoGrouping() */
pinview_status pinview_context_begin_undo_grouping(pinview_context *context, pinview_error **error);

/** Ends the group that the program opened last; does nothing without one. The event's own group
 * ends with the event.
 * Core Data: UndoManager.endUndoGrouping() */
pinview_status pinview_context_end_undo_grouping(pinview_context *context, pinview_error **error);

/** Limits how many groups can be undone.
 * @param levels 0, the default, for no limit
 * Core Data: UndoManager.levelsOfUndo */
pinview_status pinview_context_set_undo_levels(
    pinview_context *context, uint64_t levels, pinview_error **error);

/**
 * Takes the context's recursive lock, waiting while another thread has it. It only coordinates
 * programs that use it: it does not stop blocks from running and does not replace
 * pinview_context_perform.
 *
 * Threads: any thread.
 * Core Data: lock()
 */
PINVIEW_DEPRECATED("use pinview_context_perform")
pinview_status pinview_context_lock(pinview_context *context, pinview_error **error);

/** Releases one level of the lock. PINVIEW_ERROR_NOT_LOCKED if the calling thread does not hold it.
 * Threads: the thread that holds the lock.
 * Core Data: unlock() */
PINVIEW_DEPRECATED("use pinview_context_perform")
pinview_status pinview_context_unlock(pinview_context *context, pinview_error **error);

/** Takes the lock if that is possible without waiting.
 * @param out 1 if the calling thread now has the lock, 0 if another thread has it
 * Threads: any thread.
 * Core Data: tryLock() */
PINVIEW_DEPRECATED("use pinview_context_perform")
pinview_status pinview_context_try_lock(
    pinview_context *context, int32_t *out, pinview_error **error);

/**
 * Attaches data of the program to a context for the context's lifetime, replacing what was attached
 * before; returns it, or NULL.
 *
 * @param userdata NULL only removes what is attached
 * @param free_userdata called on the thread that replaces the data or ends the context
 * Threads: any thread.
 * Core Data: userInfo
 */
pinview_status pinview_context_set_userdata(
    pinview_context *context, void *userdata, pinview_free_callback free_userdata,
    pinview_error **error);
void *pinview_context_userdata(const pinview_context *context);

/** Returns a handle that does not keep the context alive.
 * Threads: any thread. */
pinview_status pinview_context_get_weak(
    pinview_context *context, pinview_weak_context **out, pinview_error **error);

/** Returns the context of a weak handle.
 * @param out NULL if the context no longer exists */
pinview_status pinview_weak_context_get(
    const pinview_weak_context *weak, pinview_context **out, pinview_error **error);

/** @} */

/* ============================================================================================== */

/**
 * @defgroup pinview-undo Undo managers
 *
 * An undo manager records what a context changes, so that it can be undone. Every context begins
 * with a manager of its own; a program may use it, replace it, or remove it. A manager serves one
 * context, on that context's queue, and does not keep it alive; it does keep the objects whose
 * changes it has recorded.
 * @{
 */

/** Creates a manager that does not serve a context yet.
 * Threads: any thread.
 * Core Data: UndoManager.init() */
pinview_status pinview_undo_manager_create(pinview_undo_manager **out, pinview_error **error);

/** Returns 1 if two handles name the same manager.
 * Threads: any thread. */
int32_t pinview_undo_manager_is_equal(
    const pinview_undo_manager *left, const pinview_undo_manager *right);

/** Returns the manager of a context.
 * @param out NULL if the context records nothing
 * Threads: any thread.
 * Core Data: undoManager */
pinview_status pinview_context_undo_manager(
    pinview_context *context, pinview_undo_manager **out, pinview_error **error);

/**
 * Replaces the manager of a context. What the old and the new manager had recorded is discarded; a
 * context that had the manager before has none afterwards.
 *
 * @param manager NULL to record nothing
 * Threads: any thread.
 * Core Data: undoManager
 */
pinview_status pinview_context_set_undo_manager(
    pinview_context *context, pinview_undo_manager *manager, pinview_error **error);

/**
 * Undoes the latest group of changes, including those of the current event, or redoes the group
 * undone last; does nothing without a group or a context. PINVIEW_ERROR_INVALID_ARGUMENT if a group
 * is open that pinview_undo_manager_begin_grouping or pinview_context_begin_undo_grouping opened.
 * After a failure, faults that fired stay fired.
 *
 * Cost: that of the faults it fires.
 * Generation: reads if it fires faults.
 * Core Data: UndoManager.undo(), redo()
 */
pinview_status pinview_undo_manager_undo(pinview_undo_manager *manager, pinview_error **error);
pinview_status pinview_undo_manager_redo(pinview_undo_manager *manager, pinview_error **error);

/** Returns 1 if there is a group to undo, or to redo.
 * Core Data: UndoManager.canUndo, canRedo */
int32_t pinview_undo_manager_can_undo(const pinview_undo_manager *manager);
int32_t pinview_undo_manager_can_redo(const pinview_undo_manager *manager);

/** Returns the name of the group that undo, or redo, would act on; empty if there is none.
 * Core Data: UndoManager.undoActionName, redoActionName */
pinview_string pinview_undo_manager_undo_action_name(const pinview_undo_manager *manager);
pinview_string pinview_undo_manager_redo_action_name(const pinview_undo_manager *manager);

/** Names the innermost open group that was opened explicitly or has changes; if there is none, the
 * latest group.
 * Core Data: UndoManager.setActionName(_:) */
pinview_status pinview_undo_manager_set_action_name(
    pinview_undo_manager *manager, pinview_string name, pinview_error **error);

/** Opens an undo group: what is recorded until it ends is undone in one step of its own. It stays
 * open across blocks, events, pinview_context_process_pending_changes and saves. Within another
 * group opened this way it becomes part of that one.
 * Core Data: UndoManager.beginUndoGrouping() */
pinview_status pinview_undo_manager_begin_grouping(
    pinview_undo_manager *manager, pinview_error **error);

/** Ends the group that the program opened last; does nothing without one. The event's own group
 * ends with the event.
 * Core Data: UndoManager.endUndoGrouping() */
pinview_status pinview_undo_manager_end_grouping(
    pinview_undo_manager *manager, pinview_error **error);

/** Returns the number of open groups.
 * Core Data: UndoManager.groupingLevel */
uint64_t pinview_undo_manager_grouping_level(const pinview_undo_manager *manager);

/** Limits how many groups can be undone, and discards older ones; returns the limit, 0 if there is
 * none.
 * @param levels 0, the default, for no limit
 * Core Data: UndoManager.levelsOfUndo */
pinview_status pinview_undo_manager_set_levels(
    pinview_undo_manager *manager, uint64_t levels, pinview_error **error);
uint64_t pinview_undo_manager_levels(const pinview_undo_manager *manager);

/** Stops or resumes recording. Calls nest: it takes as many with 1 as there were with 0 to record
 * again.
 * Core Data: UndoManager.disableUndoRegistration(), enableUndoRegistration() */
pinview_status pinview_undo_manager_set_registration_enabled(
    pinview_undo_manager *manager, int32_t is_enabled, pinview_error **error);

/** Returns 1 if the manager records changes.
 * Core Data: UndoManager.isUndoRegistrationEnabled */
int32_t pinview_undo_manager_is_registration_enabled(const pinview_undo_manager *manager);

/** Clears the undo and redo stacks and releases the objects in them.
 * Core Data: UndoManager.removeAllActions() */
pinview_status pinview_undo_manager_remove_all_actions(
    pinview_undo_manager *manager, pinview_error **error);

/** @} */

/* ============================================================================================== */

/**
 * @defgroup pinview-objects Objects
 *
 * A managed object is a record in one context. A handle is one strong reference. Two handles may
 * name one object; compare them with pinview_object_is_equal or pinview_object_identity. Reading a
 * property of a fault fires it: its row is loaded at the context's generation.
 * @{
 */

/** The state of an object, as flags; see pinview_object_state. */
PINVIEW_ENUM_OF(uint32_t) {
    PINVIEW_OBJECT_FAULT = 1,
    PINVIEW_OBJECT_INSERTED = 2,
    PINVIEW_OBJECT_UPDATED = 4,
    PINVIEW_OBJECT_DELETED = 8,
    PINVIEW_OBJECT_HAS_PERSISTENT_CHANGES = 16 /**< a save would write something for it */
};
typedef uint32_t pinview_object_states; /**< PINVIEW_OBJECT_... */

/** Returns 1 if two handles name the same object.
 * Threads: any thread. */
int32_t pinview_object_is_equal(const pinview_object *left, const pinview_object *right);

/** Returns a number that all handles of one object share and no other living object has.
 * Threads: any thread. */
uint64_t pinview_object_identity(const pinview_object *object);

/** Returns the ID of an object, which is temporary until its first save and then permanent. Works
 * even if the context has ended. Does not fire a fault.
 * Threads: any thread.
 * Core Data: objectID */
pinview_status pinview_object_get_id(
    const pinview_object *object, pinview_object_id **out, pinview_error **error);

/** Returns the entity of an object. Does not fire a fault.
 * Threads: any thread.
 * Core Data: entity */
pinview_status pinview_object_entity(
    const pinview_object *object, pinview_entity **out, pinview_error **error);

/** Returns the context of an object.
 * @param out NULL if the context no longer exists
 * Threads: any thread.
 * Core Data: managedObjectContext */
pinview_status pinview_object_context(
    const pinview_object *object, pinview_context **out, pinview_error **error);

/** Returns whether an object is a fault, inserted, updated or deleted. Does not fire a fault.
 * Threads: any thread.
 * Core Data: isFault, isInserted, isUpdated, isDeleted */
pinview_status pinview_object_state(
    const pinview_object *object, pinview_object_states *out, pinview_error **error);

/**
 * Returns the value of an attribute; for a to-one relationship, the ID of its destination or null.
 *
 * @param index the index of the property (pinview_entity_property_index)
 * Cost: one row if the object is a fault and the row is not cached.
 * Generation: reads.
 * Core Data: value(forKey:)
 */
pinview_status pinview_object_value(
    pinview_object *object, pinview_string key, pinview_value *out, pinview_error **error);
pinview_status pinview_object_value_at(
    pinview_object *object, int32_t index, pinview_value *out, pinview_error **error);

/**
 * Returns the values of several attributes and to-one relationships.
 *
 * @param indexes indexes of properties
 * @param out count values
 * Generation: reads.
 * Core Data: dictionaryWithValues(forKeys:)
 */
pinview_status pinview_object_values(
    pinview_object *object, const int32_t *indexes, size_t count, pinview_buffer *buffer,
    pinview_value *out, pinview_error **error);

/**
 * Returns what a property of an object holds, readable and as it is stored: for programs that
 * examine stores. A value that has been changed and not saved is returned as it would be stored.
 *
 * @param buffer the memory of the results; see pinview_buffer_create
 * @param raw what the column holds, whatever the property's type is: a date and a Boolean are
 *     numbers, a UUID is 16 bytes, a to-one relationship is a primary key. Data that the store
 *     keeps in a file of its own are the data. Null for a to-many relationship
 * @param readable the value as JSON text, see pinview_value_readable; objects are the URIs of their
 *     IDs
 * @param is_missing 1 if the store lacks the property; see pinview_store_missing
 * Errors: PINVIEW_ERROR_UNKNOWN_KEY; PINVIEW_ERROR_WRONG_TYPE for an unsaved value that the column
 *     could not hold
 * Generation: reads.
 */
pinview_status pinview_object_examine(
    pinview_object *object, pinview_string key, pinview_buffer *buffer, pinview_value *raw,
    pinview_string *readable, int32_t *is_missing, pinview_error **error);

/**
 * Returns a value as JSON text, for people to read: dates as ISO 8601 text in UTC; data that are a
 * property list or a keyed archive as what they contain, without making objects of the classes that
 * they name (an object of an unusual class is shown with its members and "$class"); other data as
 * {"$bytes": 3, "$base64": "AQID"}. Damaged and hostile data are other data.
 *
 * C has no value transformers: a pinview_value cannot hold a value of a type of the program's. A
 * transformable attribute is read and set as the bytes that are stored; what a program makes of
 * them, it makes after pinview_object_value and before pinview_object_set_value. The name of the
 * transformer is in pinview_model_json.
 *
 * @param buffer the memory of the text; see pinview_buffer_create
 */
pinview_status pinview_value_readable(
    const pinview_value *value, pinview_buffer *buffer, pinview_string *out, pinview_error **error);

/**
 * Like pinview_object_values, for many objects. They may be of different entities, as long as each
 * has the properties. Faults of one context get their values from one state of each store, even if
 * the context is not pinned.
 *
 * @param objects NULL elements give nulls
 * @param out count * index_count values: for each object, those of all properties. Not valid after
 *     a failure
 * Cost: none, unless faults have to be read; objects that were fetched together are read together.
 * Generation: reads.
 * Core Data: dictionaryWithValues(forKeys:)
 */
pinview_status pinview_objects_values(
    pinview_object *const *objects, size_t count, const int32_t *indexes, size_t index_count,
    pinview_buffer *buffer, pinview_value *out, pinview_error **error);

/**
 * Sets an attribute, or a to-one relationship to an object or null, together with its inverse.
 * Fires a fault first.
 *
 * @param index the index of the property (pinview_entity_property_index)
 * Errors: PINVIEW_ERROR_UNKNOWN_KEY, PINVIEW_ERROR_WRONG_TYPE, PINVIEW_ERROR_WRONG_CONTEXT,
 *     PINVIEW_ERROR_INVALID_ARGUMENT if objects are to be related of which one is deleted
 * Generation: reads.
 * Core Data: setValue(_:forKey:)
 */
pinview_status pinview_object_set_value(
    pinview_object *object, pinview_string key, const pinview_value *value, pinview_error **error);
pinview_status pinview_object_set_value_at(
    pinview_object *object, int32_t index, const pinview_value *value, pinview_error **error);

/**
 * Sets all elements of a composite attribute. Those that are not given get their defaults. Nothing
 * changes if the call fails. A single element is set by pinview_object_set_value, with a key path;
 * pinview_object_values reads all of them (pinview_composite has their indexes).
 *
 * @param key the composite attribute
 * @param elements values by the elements' names without that of the attribute: "latitude"; NULL
 *     sets all elements to null
 * Errors: PINVIEW_ERROR_UNKNOWN_KEY if there is no such attribute or element,
 *     PINVIEW_ERROR_WRONG_TYPE
 * Generation: reads.
 * Core Data: setValue(_:forKey:)
 */
pinview_status pinview_object_set_composite(
    pinview_object *object, pinview_string key, const pinview_named_value *elements, size_t count,
    pinview_error **error);

/**
 * Returns the destination of a to-one relationship, which may be a fault.
 *
 * @param index the index of the property (pinview_entity_property_index)
 * @param out NULL if there is none
 * Generation: reads.
 * Core Data: value(forKey:)
 */
pinview_status pinview_object_related_object(
    pinview_object *object, pinview_string key, pinview_object **out, pinview_error **error);
pinview_status pinview_object_related_object_at(
    pinview_object *object, int32_t index, pinview_object **out, pinview_error **error);

/**
 * Returns the destinations of a to-one relationship for many objects; they may be faults. Read them
 * with pinview_objects_values, and release them with pinview_objects_release.
 *
 * @param objects NULL elements have no destination
 * @param index the index of the property (pinview_entity_property_index)
 * @param out count objects, NULL for none; must not be the array `objects`. All NULL after a
 *     failure
 * Cost: none, unless faults have to be read; objects that were fetched together are read together.
 * Generation: reads.
 * Core Data: value(forKey:)
 */
pinview_status pinview_objects_related_object_at(
    pinview_object *const *objects, size_t count, int32_t index, pinview_object **out,
    pinview_error **error);

/** Returns the members of a to-many relationship, in order if it is ordered.
 * Cost: one statement at the first access.
 * Generation: reads.
 * Core Data: value(forKey:) */
pinview_status pinview_object_related_objects(
    pinview_object *object, pinview_string key, pinview_result **out, pinview_error **error);

/** Returns the number of members of a to-many relationship.
 * Generation: reads. */
pinview_status pinview_object_related_object_count(
    pinview_object *object, pinview_string key, uint64_t *out, pinview_error **error);

/** Returns whether an object is a member of a to-many relationship.
 * Generation: reads. */
pinview_status pinview_object_contains_related_object(
    pinview_object *object, pinview_string key, pinview_object *member, int32_t *out,
    pinview_error **error);

/** Adds a member to a to-many relationship and sets the inverse. Has no effect on a member.
 * Errors: PINVIEW_ERROR_INVALID_ARGUMENT if one of both objects is deleted
 * Generation: reads. */
pinview_status pinview_object_add_related_object(
    pinview_object *object, pinview_string key, pinview_object *member, pinview_error **error);

/**
 * Inserts a member into an ordered relationship, or moves it.
 *
 * @param index its new position
 * Errors: PINVIEW_ERROR_INVALID_ARGUMENT if one of both objects is deleted, or for an index beyond
 *     the end
 * Generation: reads.
 */
pinview_status pinview_object_insert_related_object(
    pinview_object *object, pinview_string key, pinview_object *member, uint64_t index,
    pinview_error **error);

/** Removes a member from a to-many relationship and clears the inverse. An object that is not a
 * member is ignored.
 * Generation: reads. */
pinview_status pinview_object_remove_related_object(
    pinview_object *object, pinview_string key, pinview_object *member, pinview_error **error);

/** Replaces all members of a to-many relationship, in this order if it is ordered.
 * Errors: PINVIEW_ERROR_INVALID_ARGUMENT if the object is deleted, or one of the members
 * Generation: reads.
 * Core Data: setValue(_:forKey:) */
pinview_status pinview_object_set_related_objects(
    pinview_object *object, pinview_string key, pinview_object *const *members, size_t count,
    pinview_error **error);

/** Returns whether a relationship is not loaded yet. Does not load it.
 * Core Data: hasFault(forRelationshipNamed:) */
pinview_status pinview_object_has_fault(
    pinview_object *object, pinview_string key, int32_t *out, pinview_error **error);

/**
 * Returns which properties have unsaved changes, including transient ones and relationships. Read
 * their values as usual.
 *
 * @param indexes room for the properties' indexes, which are ascending; may be NULL if capacity is
 *     0
 * @param capacity how many indexes there is room for
 * @param count how many properties have changed, which may be more than there is room for
 * Core Data: changedValues()
 */
pinview_status pinview_object_changed_properties(
    pinview_object *object, int32_t *indexes, size_t capacity, size_t *count,
    pinview_error **error);

/** Returns the value of an attribute as it was last read or saved.
 * Generation: reads.
 * Core Data: committedValues(forKeys:) */
pinview_status pinview_object_committed_value(
    pinview_object *object, pinview_string key, pinview_value *out, pinview_error **error);

/** Validates all properties of an object, and the object as a whole with its entity's hooks, as a
 * save would.
 * Generation: reads.
 * Core Data: validateForInsert() */
pinview_status pinview_object_validate(pinview_object *object, pinview_error **error);

/**
 * Validates that a save could delete an object: the delete rule deny, and the entity's
 * validate_for_delete.
 *
 * Errors: PINVIEW_ERROR_VALIDATION_RELATIONSHIP_DENIED_DELETE, or what the hook returns
 * Cost: a SELECT for each relationship with the rule deny that is not loaded.
 * Generation: reads.
 * Core Data: validateForDelete()
 */
pinview_status pinview_object_validate_for_delete(pinview_object *object, pinview_error **error);

/**
 * Attaches data of the program to an object, replacing what was attached before; returns it, valid
 * until other data is attached or the object is freed, or NULL. It survives refreshes and saves,
 * for as long as the object is registered in its context or referenced; it does not keep the object
 * alive.
 *
 * @param userdata NULL only removes what is attached
 * Threads: any thread; waits while another one uses the context.
 * Core Data: an instance variable of an NSManagedObject
 */
pinview_status pinview_object_set_userdata(
    pinview_object *object, void *userdata, pinview_free_callback free_userdata,
    pinview_error **error);
void *pinview_object_userdata(const pinview_object *object);

/** Returns a handle that does not keep the object alive.
 * Threads: any thread. */
pinview_status pinview_object_get_weak(
    pinview_object *object, pinview_weak_object **out, pinview_error **error);

/** Returns the object of a weak handle.
 * @param out NULL if the object no longer exists */
pinview_status pinview_weak_object_get(
    const pinview_weak_object *weak, pinview_object **out, pinview_error **error);

/** @} */

/* ============================================================================================== */

/**
 * @defgroup pinview-object-ids Object IDs
 *
 * The identity of a record, valid in every context and, once permanent, in every process.
 * Immutable.
 * @{
 */

/** Returns 1 if two handles name the same record, even across coordinators and instances of a
 * model; returns a hash, which is the same for equal IDs. */
int32_t pinview_object_id_is_equal(const pinview_object_id *left, const pinview_object_id *right);
uint64_t pinview_object_id_hash(const pinview_object_id *object_id);

/** Returns the ID as a URI; pinview_coordinator_object_id is the inverse.
 * Core Data: uriRepresentation() */
pinview_string pinview_object_id_uri(const pinview_object_id *object_id);

/** Returns 1 if the record has not been saved yet.
 * Core Data: isTemporaryID */
int32_t pinview_object_id_is_temporary(const pinview_object_id *object_id);

/** Returns the name of the entity.
 * Core Data: entity */
pinview_string pinview_object_id_entity_name(const pinview_object_id *object_id);

/** Returns the UUID of the store; absent for a temporary ID.
 * Core Data: persistentStore */
pinview_string pinview_object_id_store_identifier(const pinview_object_id *object_id);

/** @} */

/* ============================================================================================== */

/**
 * @defgroup pinview-fetching Fetching
 *
 * A request is a plain struct of the caller. A result holds objects, object IDs, rows of values, or
 * a count; it can be kept, and follows the context rule of its context.
 * @{
 */

/** What a request asks for, and what a result holds. */
PINVIEW_ENUM_OF(int32_t) {
    PINVIEW_RESULT_OBJECTS = 0,
    PINVIEW_RESULT_OBJECT_IDS = 1,
    PINVIEW_RESULT_DICTIONARIES = 2, /**< rows of named values */
    PINVIEW_RESULT_COUNT = 4,
    PINVIEW_RESULT_NONE = 5          /**< only that the request succeeded */
};
typedef int32_t pinview_result_type; /**< PINVIEW_RESULT_... */

/** Flags of a request. */
PINVIEW_ENUM_OF(uint32_t) {
    PINVIEW_FETCH_INCLUDES_SUBENTITIES = 1, /**< on by default */
    PINVIEW_FETCH_INCLUDES_PENDING_CHANGES = 2, /**< on by default */
    PINVIEW_FETCH_RETURNS_FAULTS = 4,       /**< on by default; the rows are cached either way */
    PINVIEW_FETCH_REFRESHES_OBJECTS = 8,    /**< shouldRefreshRefetchedObjects */
    PINVIEW_FETCH_OMITS_VALUES = 16,        /**< does not fetch rows; each object reads its own */
    PINVIEW_FETCH_RETURNS_DISTINCT = 32     /**< of dictionaries: equal rows are returned once */
};
typedef uint32_t pinview_fetch_flags; /**< PINVIEW_FETCH_... */

/** How a sort descriptor compares. All but the first are for texts. */
PINVIEW_ENUM_OF(int32_t) {
    PINVIEW_COMPARATOR_BINARY = 0,    /**< numbers and dates by value, texts by their UTF-8 bytes */
    PINVIEW_COMPARATOR_CASE_INSENSITIVE = 1, /**< Unicode case folding */
    PINVIEW_COMPARATOR_NUMERIC = 2,   /**< numbers in texts by value: file9 before file10 */
    PINVIEW_COMPARATOR_LOCALIZED = 3, /**< in the user's language: LC_ALL, LC_COLLATE, LANG */
    PINVIEW_COMPARATOR_LOCALIZED_CASE_INSENSITIVE = 4,
    /** also with numbers by value: for lists shown to people */
    PINVIEW_COMPARATOR_LOCALIZED_STANDARD = 5
};
typedef int32_t pinview_comparator; /**< PINVIEW_COMPARATOR_... */

/** One sort criterion (NSSortDescriptor). */
typedef struct pinview_sort_descriptor {
    pinview_string key_path; /**< an attribute, possibly across to-one relationships: owner.name */
    int32_t is_descending;
    pinview_comparator comparator;
} pinview_sort_descriptor;

/** A value to compute and its name: an attribute to update in a batch, or a value of each row of
 * dictionaries. */
typedef struct pinview_named_expression {
    pinview_string name;
    /** in the format language, such as "score + %d"; absent if expression is set */
    pinview_string format;
    const pinview_value *arguments;       /**< one for each %@, %K or number format */
    size_t argument_count;
    const pinview_expression *expression; /**< instead of format; NULL for none */
} pinview_named_expression;

/** A fetch request (NSFetchRequest). Initialise it with pinview_fetch_request_init, then set
 * fields. */
typedef struct pinview_fetch_request {
    uint32_t struct_size;               /**< sizeof(pinview_fetch_request) */
    pinview_fetch_flags flags;
    pinview_string entity;
    const pinview_predicate *predicate; /**< NULL for all */
    const pinview_sort_descriptor *sort_descriptors;
    size_t sort_descriptor_count;
    uint64_t limit;                     /**< 0 for no limit */
    uint64_t offset;
    /** if above 0, rows are loaded in pages of this size as elements are accessed; for columns, the
     * number of rows of a batch */
    uint64_t batch_size;
    /** PINVIEW_RESULT_OBJECTS, _OBJECT_IDS, _DICTIONARIES or _COUNT */
    pinview_result_type result_type;
    int32_t reserved;                   /**< 0 */
    pinview_store *const *stores;       /**< the stores to search; NULL for all */
    size_t store_count;
    /** Relationships to fetch along, as key paths such as cars or cars.maker, with one statement
     * each. To-many relationships are then loaded; destinations of to-one relationships get their
     * values. Not with a batch size. */
    const pinview_string *prefetched_key_paths;
    size_t prefetched_key_path_count;
    /** For dictionaries: the values of each row; by default all stored attributes. An element
     * without format and expression is a key path: an attribute or a to-one relationship, possibly
     * behind to-one relationships, or objectID. */
    const pinview_named_expression *properties;
    size_t property_count;
    /** For dictionaries: key paths or names of values; there is one row for each combination of
     * their values. Other values of the row must be aggregates of the group, such as count:(SELF).
     * Without properties, the rows hold the values grouped by. */
    const pinview_string *group_by;
    size_t group_by_count;
    /** For dictionaries: which groups to return, such as sum:(price) > 100; NULL for all. Names of
     * values take precedence over attributes of the same name; other key paths must be grouped
     * by. */
    const pinview_predicate *having;
    /** How long the stores may take; 0 for no limit. When the time is up SQLite's statement is
     * stopped, and the fetch fails with PINVIEW_ERROR_TIMED_OUT. For columns, the limit applies to
     * each batch. Later reads, such as pages and faults, have no limit. */
    double timeout_seconds;
    size_t sort_descriptor_size; /**< sizeof(pinview_sort_descriptor), or 0 for 24 */
    size_t property_size;        /**< sizeof(pinview_named_expression), or 0 for 56 */
} pinview_fetch_request;

/**
 * Initialises a request with the defaults: all objects of an entity.
 *
 * @param request the struct to fill
 * @param struct_size sizeof(pinview_fetch_request)
 * @param entity the name of the entity; must live as long as the request is used
 * Core Data: NSFetchRequest.init(entityName:)
 */
pinview_status pinview_fetch_request_init(
    pinview_fetch_request *request, size_t struct_size, pinview_string entity,
    pinview_error **error);

/**
 * Runs a request.
 *
 * The result comes from one state of each store, even if the context is not pinned and others
 * commit: the objects, their order, what is prefetched and, without PINVIEW_FETCH_RETURNS_FAULTS,
 * the values of the objects and of what is prefetched. Objects that have values keep them. Faults
 * are filled later, each by a read of its own; see pinview_result_load. With a batch size and
 * without PINVIEW_FETCH_RETURNS_FAULTS, each page is from one state, which in a context that is not
 * pinned may be newer than that of earlier pages. From a store without generations (in memory, or
 * not in WAL mode), what one statement reads is from one state: the objects and their values, but
 * not what is prefetched for them.
 *
 * Errors: PINVIEW_ERROR_UNKNOWN_ENTITY, PINVIEW_ERROR_UNKNOWN_KEY or PINVIEW_ERROR_BAD_PREDICATE if
 *     the request does not fit the model; PINVIEW_ERROR_TIMED_OUT; PINVIEW_ERROR_CANCELLED
 * Cost: one statement per store.
 * Generation: reads.
 * Core Data: fetch(_:), execute(_:)
 */
pinview_status pinview_context_fetch(
    pinview_context *context, const pinview_fetch_request *request, pinview_result **out,
    pinview_error **error);

/** Flags of pinview_context_fetch_asynchronously. */
PINVIEW_ENUM_OF(uint32_t) {
    /** counts the rows first, for progress; not for dictionaries */
    PINVIEW_ASYNCHRONOUS_FETCH_COUNTS_FIRST = 1
};
typedef uint32_t pinview_asynchronous_fetch_flags; /**< PINVIEW_ASYNCHRONOUS_... */

/** Reports the progress or the end of an asynchronous fetch. */
typedef void (*pinview_asynchronous_fetch_callback)(
    pinview_asynchronous_fetch *fetch, void *userdata);

/**
 * Starts a fetch and returns at once. The stores are read off the context's queue, at the
 * generation that the context has at the time of the call; the context serves other calls in the
 * meantime. Unsaved changes are applied as they are when the objects are created, on the context's
 * queue, at the end. A fetch of a child context runs on its queue. The context lives until the
 * fetch has ended.
 *
 * @param context a context with a queue
 * @param completion called once on the context's queue, as a block, however the fetch ended; may be
 *     NULL
 * @param progress called with the number of rows so far, occasionally on a thread of the library
 *     that holds nothing of the store, and at the end on the context's queue. The fetch does not
 *     end before a call has returned, so it must not wait for the end. May be NULL
 * @param free_userdata called after the last call
 * @param out releasing it does not end the fetch
 * Errors: PINVIEW_ERROR_CONFINEMENT_PERFORM for a confinement context; the errors of an invalid
 *     request
 * Cost: the statements of the fetch, on another thread.
 * Generation: takes the newest for a context that is to be pinned at its next read.
 * Core Data: execute(_:) of NSAsynchronousFetchRequest
 */
pinview_status pinview_context_fetch_asynchronously(
    pinview_context *context, const pinview_fetch_request *request,
    pinview_asynchronous_fetch_flags flags, pinview_asynchronous_fetch_callback completion,
    pinview_asynchronous_fetch_callback progress, void *userdata,
    pinview_free_callback free_userdata, pinview_asynchronous_fetch **out, pinview_error **error);

/** Cancels a fetch: SQLite's statement stops within microseconds, and the result is
 * PINVIEW_ERROR_CANCELLED. The connection it used remains available to others. Has no effect on a
 * fetch that has ended.
 * Core Data: NSPersistentStoreAsynchronousResult.cancel() */
pinview_status pinview_asynchronous_fetch_cancel(
    pinview_asynchronous_fetch *fetch, pinview_error **error);

/** Returns the progress of a fetch.
 * @param rows how many rows have been read; may be NULL
 * @param total how many there will be, -1 if not known; may be NULL
 * Core Data: NSPersistentStoreAsynchronousResult.progress */
pinview_status pinview_asynchronous_fetch_progress(
    const pinview_asynchronous_fetch *fetch, uint64_t *rows, int64_t *total, pinview_error **error);

/** Waits for the end of a fetch. Do not call it on the queue that has to complete the fetch.
 * @param timeout_seconds how long to wait; 0 only checks, a negative number waits without limit
 * @param out 1 if the fetch has ended, else 0
 * Errors: PINVIEW_ERROR_INVALID_ARGUMENT if the timeout is not a number */
pinview_status pinview_asynchronous_fetch_wait(
    const pinview_asynchronous_fetch *fetch, double timeout_seconds, int32_t *out,
    pinview_error **error);

/** Returns the result of a fetch that has ended.
 * Errors: the error that the fetch failed with, PINVIEW_ERROR_CANCELLED if it was cancelled;
 *     PINVIEW_ERROR_INVALID_ARGUMENT while it is running
 * Core Data: NSAsynchronousFetchResult.finalResult */
pinview_status pinview_asynchronous_fetch_result(
    const pinview_asynchronous_fetch *fetch, pinview_result **out, pinview_error **error);

/**
 * Stops the fetch that a context is running, from any other thread: SQLite's statement ends within
 * microseconds, and the fetch fails with PINVIEW_ERROR_CANCELLED. The context stays as it is.
 * Without a fetch it has no effect. Asynchronous fetches are stopped with
 * pinview_asynchronous_fetch_cancel.
 *
 * Threads: any thread.
 */
pinview_status pinview_context_interrupt_fetch(pinview_context *context, pinview_error **error);

/**
 * Stops what a context is doing, from any other thread: a fetch, as pinview_context_interrupt_fetch
 * does, the firing of a fault, a save before its commit, or a batch request. The call fails with
 * PINVIEW_ERROR_CANCELLED, and nothing is lost: a fault stays a fault, a stopped save has written
 * nothing, and its changes stay pending. Has no effect if the context is idle or has begun to
 * commit.
 *
 * Threads: any thread.
 */
pinview_status pinview_context_interrupt(pinview_context *context, pinview_error **error);

/** Returns whether to stop: any number but 0 stops the call. */
typedef int32_t (*pinview_interrupt_callback)(void *userdata);

/**
 * Sets a callback that is asked about 20 times a second while the calling thread fetches objects,
 * IDs, counts, dictionaries, or columns that it reads itself, while it fires faults, and while it
 * writes, or waits for another writer, for a save or a batch request. If the callback says so, the
 * call fails with PINVIEW_ERROR_CANCELLED. A cancelled save has written nothing, and its changes
 * stay pending; commits are never interrupted. This is for programs that can only notice on the
 * calling thread that they should stop, such as interpreters, which receive their signals there;
 * other threads call pinview_context_interrupt. It is not called in operations that take only
 * microseconds.
 *
 * The callback runs in the middle of SQLite's statement and cannot use the library: calls return
 * PINVIEW_ERROR_INVALID_ARGUMENT.
 *
 * @param callback replaces the calling thread's previous one; NULL for none
 * @param free_userdata called when another callback has replaced this one, or the thread has ended
 * Threads: any thread; applies to the calling one.
 */
pinview_status pinview_set_interrupt_callback(
    pinview_interrupt_callback callback, void *userdata, pinview_free_callback free_userdata,
    pinview_error **error);

/**
 * Returns how many objects a fetch would return.
 *
 * @param out PINVIEW_NOT_FOUND after a failure
 * Cost: one statement per store.
 * Generation: reads.
 * Core Data: count(for:)
 */
pinview_status pinview_context_count(
    pinview_context *context, const pinview_fetch_request *request, int64_t *out,
    pinview_error **error);

/** Runs a request in the context whose block the calling thread is in. Outside every block it
 * returns PINVIEW_ERROR_NO_CURRENT_CONTEXT.
 * Generation: reads.
 * Core Data: NSFetchRequest.execute() */
pinview_status pinview_fetch_request_execute(
    const pinview_fetch_request *request, pinview_result **out, pinview_error **error);

/**
 * Stores a request under a name, replacing what was there. Variables stay variables. Once a
 * coordinator has been created with the model, its templates can no longer be changed.
 *
 * Fetch request templates are requests that a model keeps by name, with variables such as $NAME in
 * their predicates. They are part of the model's JSON ("fetchRequests") but not of its version
 * hashes.
 *
 * @param request NULL removes the template. It must not name stores, which a model does not know
 * Errors: PINVIEW_ERROR_BAD_MODEL for an empty name or an entity that the model lacks;
 *     PINVIEW_ERROR_INVALID_ARGUMENT for stores, or if the model is in use
 * Core Data: setFetchRequestTemplate(_:forName:)
 */
pinview_status pinview_model_set_fetch_request_template(
    pinview_model *model, pinview_string name, const pinview_fetch_request *request,
    pinview_error **error);

/** Returns the number of templates of a model, or the name of one, in alphabetical order.
 * Core Data: fetchRequestTemplatesByName */
uint64_t pinview_model_fetch_request_template_count(const pinview_model *model);
pinview_status pinview_model_fetch_request_template_name(
    const pinview_model *model, uint64_t index, pinview_string *out, pinview_error **error);

/** Returns a template as it was set, with its variables.
 * @param out NULL if the model has no template of that name
 * Core Data: fetchRequestTemplate(forName:) */
pinview_status pinview_model_fetch_request_template(
    const pinview_model *model, pinview_string name, pinview_fetch_template **out,
    pinview_error **error);

/**
 * Returns a request made from a template by substituting its variables.
 *
 * @param variables values by name, without the $; names that the template does not use are ignored
 * Errors: PINVIEW_ERROR_UNKNOWN_KEY if there is no such template; PINVIEW_ERROR_BAD_PREDICATE for a
 *     variable without a value, which the message names
 * Core Data: fetchRequestFromTemplate(withName:substitutionVariables:)
 */
pinview_status pinview_model_fetch_request_from_template(
    const pinview_model *model, pinview_string name, const pinview_named_value *variables,
    size_t count, pinview_fetch_template **out, pinview_error **error);

/** Returns the request of a template, to be used as it is, or copied and changed. What it points to
 * belongs to the template and is valid until the template's last release. */
const pinview_fetch_request *pinview_fetch_template_request(
    const pinview_fetch_template *fetch_template);

/**
 * Adds a fetched property to an entity that has been added.
 *
 * Fetched properties are properties whose value is what a request finds for an object. They are
 * part of the model's JSON ("fetchedProperties" of an entity), but not of the store or the version
 * hashes. In the predicate, $FETCH_SOURCE is the object, from which key paths lead on
 * ($FETCH_SOURCE.name); $FETCHED_PROPERTY.name and $FETCHED_PROPERTY.userInfo.KEY refer to the
 * property.
 *
 * @param request a request for objects
 * Core Data: NSFetchedPropertyDescription
 */
pinview_status pinview_model_builder_add_fetched_property(
    pinview_model_builder *builder, pinview_string entity, pinview_string name,
    const pinview_fetch_request *request, pinview_error **error);

/**
 * Returns the fetched properties of an entity: how many, or one of them. Inherited ones are
 * included and come first. They do not count among its properties.
 *
 * @param name its name
 * @param destination the name of the entity that it fetches
 * Core Data: properties
 */
uint64_t pinview_entity_fetched_property_count(const pinview_entity *entity);
pinview_status pinview_entity_fetched_property(
    const pinview_entity *entity, uint64_t index, pinview_string *name, pinview_string *destination,
    pinview_error **error);

/**
 * Returns the objects that a fetched property finds, in the order of its request. They are fetched
 * at the first call, at the context's generation and with its unsaved changes, and kept until the
 * object is refreshed or turned into a fault. A fetched property cannot be set. Fires a fault.
 *
 * Cost: one statement per store at the first call, none later.
 * Generation: reads.
 * Core Data: value(forKey:)
 */
pinview_status pinview_object_fetched_objects(
    pinview_object *object, pinview_string key, pinview_result **out, pinview_error **error);

/** Returns what a result holds: PINVIEW_RESULT_..., or -1 for an invalid handle.
 * Threads: any thread. */
int32_t pinview_result_get_type(const pinview_result *result);

/**
 * Returns what happened to the rows of a batch insert or an upsert. Each row is counted once.
 *
 * @param result a result of pinview_context_batch_insert or pinview_context_upsert, of any type;
 *     others give PINVIEW_ERROR_WRONG_TYPE
 * @param inserted how many rows are new; may be NULL
 * @param updated how many rows changed an existing one; may be NULL
 * @param left how many rows left an existing one unchanged; may be NULL
 * Threads: any thread.
 */
pinview_status pinview_result_row_counts(
    const pinview_result *result, uint64_t *inserted, uint64_t *updated, uint64_t *left,
    pinview_error **error);

/** What an upsert did with a row. */
PINVIEW_ENUM_OF(int32_t) {
    PINVIEW_UPSERT_CREATED = 0,
    PINVIEW_UPSERT_UPDATED = 1,
    PINVIEW_UPSERT_UNCHANGED = 2 /**< the existing object had these values already */
};
typedef int32_t pinview_upsert_outcome; /**< PINVIEW_UPSERT_... */

/**
 * Returns what an upsert did with some of its rows.
 *
 * @param result a result of pinview_context_upsert; others give PINVIEW_ERROR_WRONG_TYPE
 * @param first the first row
 * @param count how many rows
 * @param out the outcome of each
 * Threads: any thread.
 */
pinview_status pinview_result_upsert_outcomes(
    const pinview_result *result, uint64_t first, size_t count, pinview_upsert_outcome *out,
    pinview_error **error);

/** Returns the number of elements of a result, or the count that it is.
 * Threads: any thread. */
uint64_t pinview_result_count(const pinview_result *result);

/** Returns one of the objects.
 * Cost: with a batch size, a statement per page. */
pinview_status pinview_result_object(
    pinview_result *result, uint64_t index, pinview_object **out, pinview_error **error);

/** Returns several of the objects.
 * @param first the index of the first one
 * @param out room for count handles */
pinview_status pinview_result_objects(
    pinview_result *result, uint64_t first, size_t count, pinview_object **out,
    pinview_error **error);

/**
 * Returns attributes and to-one relationships of several objects, row by row; for dictionaries, the
 * values of several rows. Objects that are faults get their values from one state of each store,
 * even if the context is not pinned; objects that have values keep them. For the same guarantee
 * over more objects than one call reads, call pinview_result_load first.
 *
 * @param first the index of the first object
 * @param indexes indexes of properties in the request's entity; for dictionaries, the numbers of
 *     columns
 * @param out room for count * index_count values
 * Cost: no call and no allocation per value.
 * Generation: reads.
 */
pinview_status pinview_result_values(
    pinview_result *result, uint64_t first, size_t count, const int32_t *indexes,
    size_t index_count, pinview_buffer *buffer, pinview_value *out, pinview_error **error);

/**
 * Loads the values of the faults among several objects of a result, all from one state of each
 * store, even if the context is not pinned: the newest at the time of the call. Objects that have
 * values keep them. Loaded objects can then be read in as many calls as is convenient. A fetch
 * without PINVIEW_FETCH_RETURNS_FAULTS has already loaded them, from the state in which it found
 * them. After a failure some of the faults may have their values.
 *
 * @param result a result of objects; others give PINVIEW_ERROR_WRONG_TYPE
 * @param first the index of the first object
 * Cost: none for objects whose rows are cached and current; else one statement per store and entity
 *     hierarchy, and per 1,000 objects.
 * Generation: reads.
 */
pinview_status pinview_result_load(
    pinview_result *result, uint64_t first, size_t count, pinview_error **error);

/** Returns the ID of one of the elements.
 * Threads: any thread. */
pinview_status pinview_result_object_id(
    pinview_result *result, uint64_t index, pinview_object_id **out, pinview_error **error);

/** Returns the IDs of several elements.
 * @param first the index of the first one
 * @param out room for count handles, each of which is released with pinview_object_id_release;
 *     there are none after a failure
 * Threads: any thread. */
pinview_status pinview_result_object_ids(
    pinview_result *result, uint64_t first, size_t count, pinview_object_id **out,
    pinview_error **error);

/** Returns the number of values in each row of dictionaries; 0 for other results.
 * Threads: any thread.
 * Core Data: propertiesToFetch */
uint64_t pinview_result_column_count(const pinview_result *result);

/** Returns the name of a value of each row of dictionaries; absent for other results and if there
 * is no such column.
 * Threads: any thread.
 * Core Data: NSExpressionDescription.name */
pinview_string pinview_result_column_name(const pinview_result *result, uint64_t column);

/**
 * Returns how the stores would run a request, without fetching. The result is of
 * PINVIEW_RESULT_DICTIONARIES with the columns store (its UUID), part and text. Each store has a
 * row of part "sql" with the statement; a row of part "value" for each of its parameters, in order,
 * as an SQL literal; and a row of part "plan" for each line of SQLite's query plan, indented below
 * the step it belongs to.
 *
 * Cost: one EXPLAIN QUERY PLAN per store.
 * Generation: reads.
 * Core Data: none; its -com.apple.CoreData.SQLDebug prints statements.
 */
pinview_status pinview_context_explain(
    pinview_context *context, const pinview_fetch_request *request, pinview_result **out,
    pinview_error **error);

/** @} */

/* ============================================================================================== */

/**
 * @defgroup pinview-predicates Predicates
 *
 * Conditions and values in Core Data's format language; docs/predicates.md has each construct with
 * an example. Values are written as %@, %K, %d, %f and so on, and passed separately: nothing in a
 * value can change the meaning. Predicates and expressions can also be built from parts. Both are
 * immutable: to copy one, retain it.
 * @{
 */

/** Parses a predicate. PINVIEW_ERROR_BAD_PREDICATE says where it is wrong and what was expected.
 * @param arguments one for each % in the format
 * Core Data: NSPredicate(format:argumentArray:) */
pinview_status pinview_predicate_create(
    pinview_string format, const pinview_value *arguments, size_t count, pinview_predicate **out,
    pinview_error **error);

/** Returns 1 if two predicates are equal. */
int32_t pinview_predicate_is_equal(const pinview_predicate *left, const pinview_predicate *right);

/** Returns the predicate with each $VARIABLE replaced by a value.
 * @param variables names, without the $, and values
 * Core Data: NSPredicate.withSubstitutionVariables(_:) */
pinview_status pinview_predicate_substitute(
    const pinview_predicate *predicate, const pinview_named_value *variables, size_t count,
    pinview_predicate **out, pinview_error **error);

/** Returns the predicate in the format language.
 * Core Data: predicateFormat */
pinview_string pinview_predicate_description(const pinview_predicate *predicate);

/** Operators of comparisons (NSComparisonPredicate.Operator). */
PINVIEW_ENUM_OF(int32_t) {
    PINVIEW_OPERATOR_LESS_THAN = 0,
    PINVIEW_OPERATOR_LESS_THAN_OR_EQUAL_TO = 1,
    PINVIEW_OPERATOR_GREATER_THAN = 2,
    PINVIEW_OPERATOR_GREATER_THAN_OR_EQUAL_TO = 3,
    PINVIEW_OPERATOR_EQUAL_TO = 4,
    PINVIEW_OPERATOR_NOT_EQUAL_TO = 5,
    PINVIEW_OPERATOR_MATCHES = 6,
    PINVIEW_OPERATOR_LIKE = 7,
    PINVIEW_OPERATOR_BEGINS_WITH = 8,
    PINVIEW_OPERATOR_ENDS_WITH = 9,
    PINVIEW_OPERATOR_IN = 10,
    PINVIEW_OPERATOR_CONTAINS = 99,
    PINVIEW_OPERATOR_BETWEEN = 100
};
typedef int32_t pinview_operator; /**< PINVIEW_OPERATOR_... */

/** How many of the values at the end of a to-many key path must match
 * (NSComparisonPredicate.Modifier). */
PINVIEW_ENUM_OF(int32_t) {
    PINVIEW_MODIFIER_DIRECT = 0, /**< the key path leads to one value */
    PINVIEW_MODIFIER_ALL = 1,
    PINVIEW_MODIFIER_ANY = 2,
    PINVIEW_MODIFIER_NONE = 3    /**< NONE of the format language */
};
typedef int32_t pinview_modifier; /**< PINVIEW_MODIFIER_... */

/** How texts are compared (NSComparisonPredicate.Options). */
PINVIEW_ENUM_OF(uint32_t) {
    PINVIEW_COMPARE_CASE_INSENSITIVE = 1,      /**< [c] */
    PINVIEW_COMPARE_DIACRITIC_INSENSITIVE = 2, /**< [d] */
    PINVIEW_COMPARE_NORMALIZED = 4,            /**< [n] */
    PINVIEW_COMPARE_LOCALIZED = 8              /**< [l] */
};
typedef uint32_t pinview_compare_options; /**< PINVIEW_COMPARE_... */

/** Kinds of compound predicates (NSCompoundPredicate.LogicalType). */
PINVIEW_ENUM_OF(int32_t) {
    PINVIEW_COMPOUND_NOT = 0,
    PINVIEW_COMPOUND_AND = 1,
    PINVIEW_COMPOUND_OR = 2
};
typedef int32_t pinview_compound_type; /**< PINVIEW_COMPOUND_... */

/**
 * Evaluates a predicate for an object's values in memory, including unsaved ones.
 *
 * Errors: PINVIEW_ERROR_UNKNOWN_KEY or PINVIEW_ERROR_BAD_PREDICATE if the predicate does not fit
 *     the object's entity
 * Threads: context rule.
 * Cost: a row for each fault on the way.
 * Generation: reads if a fault fires.
 * Core Data: NSPredicate.evaluate(with:)
 */
pinview_status pinview_predicate_evaluate(
    const pinview_predicate *predicate, pinview_object *object, int32_t *out,
    pinview_error **error);

/** Builds a comparison of two expressions, such as name BEGINSWITH[c] "da". Operands that cannot be
 * compared are reported when the predicate is used.
 * Core Data: NSComparisonPredicate.init(leftExpression:rightExpression:modifier:type:options:) */
pinview_status pinview_predicate_create_comparison(
    const pinview_expression *left, pinview_operator comparison, const pinview_expression *right,
    pinview_modifier modifier, pinview_compare_options options, pinview_predicate **out,
    pinview_error **error);

/** Combines predicates. AND of none is true, OR of none is false; NOT takes exactly one.
 * Errors: PINVIEW_ERROR_BAD_PREDICATE for parts nested deeper than 1000 levels
 * Core Data: NSCompoundPredicate.init(type:subpredicates:) */
pinview_status pinview_predicate_create_compound(
    pinview_compound_type type, const pinview_predicate *const *predicates, size_t count,
    pinview_predicate **out, pinview_error **error);

/** Returns the predicate that is always true, or always false.
 * Core Data: NSPredicate.init(value:) */
pinview_status pinview_predicate_create_constant(
    int32_t value, pinview_predicate **out, pinview_error **error);

/** Parses an expression, such as price * 2 or cars.@sum.price. PINVIEW_ERROR_BAD_PREDICATE says
 * where it is wrong and what was expected.
 * @param arguments one for each % in the format
 * Core Data: NSExpression.init(format:argumentArray:) */
pinview_status pinview_expression_create(
    pinview_string format, const pinview_value *arguments, size_t count, pinview_expression **out,
    pinview_error **error);

/** Builds an expression from a value. A list becomes an aggregate of its values.
 * Core Data: NSExpression.init(forConstantValue:), NSExpression.init(forAggregate:) */
pinview_status pinview_expression_create_constant(
    const pinview_value *value, pinview_expression **out, pinview_error **error);

/** Builds a key path such as owner.name or cars.@count.
 * @param key_path keys joined by dots; an empty text is SELF, the evaluated object
 * Core Data: NSExpression.init(forKeyPath:), NSExpression.expressionForEvaluatedObject() */
pinview_status pinview_expression_create_key_path(
    pinview_string key_path, pinview_expression **out, pinview_error **error);

/** Builds a variable, to be substituted, or that of a SUBQUERY.
 * @param name without the $
 * @param key_path what follows the variable of a SUBQUERY; absent for nothing
 * Core Data: NSExpression.init(forVariable:) */
pinview_status pinview_expression_create_variable(
    pinview_string name, pinview_string key_path, pinview_expression **out, pinview_error **error);

/** Builds a list of expressions, for IN, BETWEEN, and functions of lists.
 * Core Data: NSExpression.init(forAggregate:) */
pinview_status pinview_expression_create_aggregate(
    const pinview_expression *const *elements, size_t count, pinview_expression **out,
    pinview_error **error);

/** Builds a function call, such as "add:to:", "lowercase:" or "sum:".
 * @param name the selector, with or without the last colon
 * Errors: PINVIEW_ERROR_BAD_PREDICATE for an unknown name or a wrong number of arguments
 * Core Data: NSExpression.init(forFunction:arguments:) */
pinview_status pinview_expression_create_function(
    pinview_string name, const pinview_expression *const *arguments, size_t count,
    pinview_expression **out, pinview_error **error);

/**
 * Builds the set of members of a to-many key path that satisfy a predicate; the function "count:"
 * counts it.
 *
 * @param collection the key path
 * @param variable the name of the member in the predicate, without the $
 * Core Data: NSExpression.init(forSubquery:usingIteratorVariable:predicate:)
 */
pinview_status pinview_expression_create_subquery(
    const pinview_expression *collection, pinview_string variable,
    const pinview_predicate *predicate, pinview_expression **out, pinview_error **error);

/** Builds a choice between two values by a predicate (TERNARY).
 * Core Data: NSExpression.init(forConditional:trueExpression:falseExpression:) */
pinview_status pinview_expression_create_conditional(
    const pinview_predicate *predicate, const pinview_expression *then,
    const pinview_expression *otherwise, pinview_expression **out, pinview_error **error);

/** Builds a conversion of a value to another type (CAST).
 * @param type "NSNumber", "NSString" or "NSDate"
 * Core Data: none; CAST of the format language. */
pinview_status pinview_expression_create_cast(
    const pinview_expression *expression, pinview_string type, pinview_expression **out,
    pinview_error **error);

/**
 * Evaluates an expression for an object's values in memory, including unsaved ones.
 *
 * Errors: PINVIEW_ERROR_UNKNOWN_KEY or PINVIEW_ERROR_BAD_PREDICATE if the expression does not fit
 *     the object's entity
 * Threads: context rule.
 * Cost: a row for each fault on the way.
 * Generation: reads if a fault fires.
 * Core Data: NSExpression.expressionValue(with:context:)
 */
pinview_status pinview_expression_evaluate(
    const pinview_expression *expression, pinview_object *object, pinview_buffer *buffer,
    pinview_value *out, pinview_error **error);

/** Returns 1 if two expressions are equal. */
int32_t pinview_expression_is_equal(
    const pinview_expression *left, const pinview_expression *right);

/** Returns the expression in the format language.
 * Core Data: NSExpression.description */
pinview_string pinview_expression_description(const pinview_expression *expression);

/** @} */

/* ============================================================================================== */

/**
 * @defgroup pinview-columns Columns
 *
 * Values by column instead of objects, in the form in which data programs share memory: the Arrow C
 * data interface and the Arrow C stream interface
 * (https://arrow.apache.org/docs/format/CDataInterface.html), whose structs are defined here as the
 * specification asks. No Arrow library is needed. This is the fastest way to read and write large
 * amounts of data.
 *
 *     struct ArrowArrayStream stream;
 *     struct ArrowArray batch;
 *     pinview_fetch_request_init(&request, sizeof request, pinview_text("Flight"), &error);
 *     if (pinview_context_fetch_columns(context, &request, 0, &stream, &error) != PINVIEW_OK)
 *         return 1;
 *     while (stream.get_next(&stream, &batch) == 0 && batch.release != NULL) {
 *         ... batch.length rows; batch.children[0]->buffers[1] holds the first column ...
 *         batch.release(&batch);
 *     }
 *     stream.release(&stream);
 * @{
 */

#ifndef ARROW_C_DATA_INTERFACE
#define ARROW_C_DATA_INTERFACE

#define ARROW_FLAG_DICTIONARY_ORDERED 1
#define ARROW_FLAG_NULLABLE 2
#define ARROW_FLAG_MAP_KEYS_SORTED 4

struct ArrowSchema {
    /* Array type description */
    const char *format;
    const char *name;
    const char *metadata;
    int64_t flags;
    int64_t n_children;
    struct ArrowSchema **children;
    struct ArrowSchema *dictionary;

    /* Release callback */
    void (*release)(struct ArrowSchema *);
    /* Opaque producer-specific data */
    void *private_data;
};

struct ArrowArray {
    /* Array data description */
    int64_t length;
    int64_t null_count;
    int64_t offset;
    int64_t n_buffers;
    int64_t n_children;
    const void **buffers;
    struct ArrowArray **children;
    struct ArrowArray *dictionary;

    /* Release callback */
    void (*release)(struct ArrowArray *);
    /* Opaque producer-specific data */
    void *private_data;
};

#endif /* ARROW_C_DATA_INTERFACE */

#ifndef ARROW_C_STREAM_INTERFACE
#define ARROW_C_STREAM_INTERFACE

struct ArrowArrayStream {
    /* Callbacks providing stream functionality */
    int (*get_schema)(struct ArrowArrayStream *, struct ArrowSchema *out);
    int (*get_next)(struct ArrowArrayStream *, struct ArrowArray *out);
    const char *(*get_last_error)(struct ArrowArrayStream *);

    /* Release callback */
    void (*release)(struct ArrowArrayStream *);

    /* Opaque producer-specific data */
    void *private_data;
};

#endif /* ARROW_C_STREAM_INTERFACE */

/** Flags of pinview_context_fetch_columns. */
PINVIEW_ENUM_OF(uint32_t) {
    /** objects as the URIs of their IDs, not as primary keys */
    PINVIEW_FETCH_COLUMNS_OBJECT_URIS = 1
};
typedef uint32_t pinview_fetch_columns_flags; /**< PINVIEW_FETCH_COLUMNS_... */

/**
 * Starts a fetch that returns columns, batch by batch, in the layouts of Apache Arrow. No rows are
 * read yet.
 *
 * The request is that of a fetch of dictionaries: properties, with key paths across to-one
 * relationships and expressions; predicate, order, limit and offset; groups and distinct rows. Its
 * result type is ignored. The context's unsaved changes are not included. Several stores follow one
 * another; rows then cannot be sorted, grouped or distinct, and objects must be URIs.
 *
 * The stream reads the generation that the context has at the time of the call, and holds it until
 * the stream is released, wherever the context moves and even after the context has ended. Each
 * batch is an array of type struct with a child per column. It has batch_size rows (65,536 if that
 * is 0), fewer at the end and if a column reaches 64 MiB of text or bytes. Without an order, rows
 * come as the store has them. What is sorted, grouped, distinct or found through an index is read
 * with the first batch and kept in memory; everything else is read batch by batch. A fetch of all
 * rows of a table in batches of 16,384 or more is shared with a second thread from the second batch
 * on; the order is the same, and a batch has fewer rows where keys are missing. That thread holds
 * the generation until it has finished what it began to read.
 *
 *     integer 16, 32, 64     int16 "s", int32 "i", int64 "l"
 *     boolean                bool "b"
 *     float, double          float "f", double "g"
 *     date                   timestamp "tsu:UTC", rounded to microseconds (ties to even)
 *     string, URI            utf8 "u"
 *     decimal                utf8 "u": the number as text, or NaN; metadata pinview.type = decimal
 *     binary, transformable  binary "z"
 *     UUID                   fixed-size binary "w:16"; metadata ARROW:extension:name = arrow.uuid
 *     object, objectID       int64 "l", the primary key; metadata pinview.entity and pinview.store
 *                            with PINVIEW_FETCH_COLUMNS_OBJECT_URIS utf8 "u"
 *     computed values        numbers "g", counts and lengths "l", texts "u", dates "tsu:UTC"; min:
 *                            and max: as their argument; of decimals, and of whole numbers
 *                            combined with decimals, decimals
 *
 * All columns are nullable. Text in the store that is not valid UTF-8 is returned with U+FFFD in
 * its place. A relationship whose destination has no row is returned as its key nevertheless.
 *
 * Callbacks of the stream return 0 or an errno value, with a message from get_last_error: EINVAL
 * for a value that its column cannot hold (70000 in an integer 16), ECANCELED after
 * pinview_context_interrupt_fetch, EIO for everything else. A batch that failed can be requested
 * again. Batches and schemas are independent of stream and context. All of them may be used and
 * released on any thread; calls on one stream wait for each other. In a child of fork() a stream
 * returns errors, and releasing it only forgets it.
 *
 * @param out the stream to fill, whose release the caller calls once; out->release is NULL after a
 *     failure
 * Threads: context rule; the stream: any thread.
 * Cost: one statement per batch; the first one also determines the query plan of a request with a
 *     predicate.
 * Generation: reads; the stream holds the generation.
 */
pinview_status pinview_context_fetch_columns(
    pinview_context *context, const pinview_fetch_request *request,
    pinview_fetch_columns_flags flags, struct ArrowArrayStream *out, pinview_error **error);

/** @} */

/* ============================================================================================== */

/**
 * @defgroup pinview-batch Batch requests
 *
 * Requests that go straight to the stores, bypassing the objects of all contexts: no validation, no
 * hooks, no notifications. They take effect immediately and do not move pinned contexts. SQLite
 * stores only. Each store is written in one transaction, all or nothing.
 * @{
 */

/** A batch update (NSBatchUpdateRequest). Requires entity, and properties or expressions. */
typedef struct pinview_batch_update {
    uint32_t struct_size;                  /**< sizeof(pinview_batch_update) */
    pinview_result_type result_type;       /**< PINVIEW_RESULT_NONE, _OBJECT_IDS or _COUNT */
    pinview_string entity;
    const pinview_predicate *predicate;    /**< NULL for all */
    const pinview_named_value *properties; /**< names of stored attributes, and their new values */
    size_t property_count;
    int32_t excludes_subentities;
    int32_t reserved;                      /**< 0 */
    /** names of stored attributes, and how to compute them from the row's own values */
    const pinview_named_expression *expressions;
    size_t expression_count;
    pinview_store *const *stores;          /**< the stores to update; NULL for all */
    size_t store_count;
    size_t expression_size; /**< sizeof(pinview_named_expression), or 0 for 56 */
} pinview_batch_update;

/**
 * Sets attributes in all matching rows of SQLite stores, without loading objects. The rows'
 * versions increase.
 *
 * @param out NULL if not needed
 * Errors: PINVIEW_ERROR_UNKNOWN_KEY; PINVIEW_ERROR_WRONG_TYPE; PINVIEW_ERROR_BAD_PREDICATE for an
 *     expression; PINVIEW_ERROR_UNSUPPORTED_REQUEST for a store in memory
 * Cost: one statement and one transaction per store.
 * Core Data: execute(_:) of NSBatchUpdateRequest
 */
pinview_status pinview_context_batch_update(
    pinview_context *context, const pinview_batch_update *request, pinview_result **out,
    pinview_error **error);

/** Supplies the values of the next row of a batch insert, one per name. They are null when it is
 * called, and what it sets is borrowed until the next call. Setting *has_row to 0 ends the rows. A
 * status other than PINVIEW_OK undoes the whole insert and is what pinview_context_batch_insert
 * returns. It is called inside the write transaction: it must not save to the store. */
typedef pinview_status (*pinview_next_row_callback)(
    pinview_value *values, size_t count, int32_t *has_row, void *userdata);

/** A batch insert (NSBatchInsertRequest). Requires entity and columns_stream, or entity, names and
 * one of values, columns and next_row. */
typedef struct pinview_batch_insert {
    uint32_t struct_size;               /**< sizeof(pinview_batch_insert) */
    pinview_result_type result_type;    /**< PINVIEW_RESULT_NONE, _OBJECT_IDS or _COUNT */
    pinview_string entity;
    /** stored attributes and to-one relationships (object IDs); others get their defaults */
    const pinview_string *names;
    size_t name_count;
    const pinview_value *values;        /**< row by row, row_count * name_count of them */
    size_t row_count;
    pinview_next_row_callback next_row; /**< instead of values; NULL for none */
    void *userdata;                     /**< passed to next_row */
    /** instead of values: for each name, the row_count values of its column; NULL for none */
    const pinview_value *const *columns;
    /** the first of these that holds the entity gets the rows; NULL to choose among all */
    pinview_store *const *stores;
    size_t store_count;
    /** instead of names and values; NULL for none. See pinview_context_batch_insert */
    struct ArrowArrayStream *columns_stream;
    /** for rows whose unique values exist; not PINVIEW_MERGE_POLICY_CALLBACK. See
     * pinview_context_batch_insert */
    pinview_merge_policy merge_policy;
    int32_t reserved;                   /**< 0 */
} pinview_batch_insert;

/**
 * Inserts rows into the first SQLite store that holds the entity, without objects.
 *
 * With columns_stream, the rows are the batches of an Arrow C stream: structs whose children have
 * the names of stored attributes and to-one relationships. The call takes over the stream, reads it
 * to its end, and releases it in any case; columns_stream->release is NULL afterwards. Properties
 * without a column get their default values; a mandatory attribute must have a value in every row.
 * The stream's callbacks run inside the write transaction: they must not save to the store.
 * Accepted are:
 *
 *     numbers, booleans      of any width, including 128-bit decimals, if the attribute can hold
 *                            the value without loss
 *     date                   timestamps of any unit with a time zone; dates as midnight in UTC
 *     string, URI            utf8, large_utf8, utf8_view; decimals and UUIDs also as text
 *     binary, transformable  binary, large_binary, binary_view, fixed-size binary; UUIDs also as
 *                            16 bytes
 *     relationship           integers: primary keys of objects of that store; utf8: URIs of IDs
 *     anything               null, and dictionaries of the types above
 *
 * merge_policy says what happens to a row that has the values of a row in the store, or of an
 * earlier row of the batch, under a uniqueness constraint. It belongs to the request: the context's
 * policy is not used. Null values never collide.
 *
 *     ERROR                     the default: the request fails; the error names the row, the
 *                               constraint, its values and the object
 *     BY_PROPERTY_OBJECT_TRUMP  insert or update: the row in the store takes the given values,
 *                               including nulls
 *     OVERWRITE                 the row in the store takes all values, including the defaults and
 *                               nulls of properties that are not named
 *     BY_PROPERTY_STORE_TRUMP,
 *     ROLLBACK                  insert or ignore: the row in the store stays as it is
 *
 * A row that would change nothing is left alone: its version stays, and the history does not
 * mention it. A row that would update two different rows, under two constraints, or a row of an
 * entity that is neither the request's nor a sub-entity of it, fails the request.
 *
 * A result of PINVIEW_RESULT_OBJECT_IDS has, for each row in order, the ID of the object that it
 * became; one of PINVIEW_RESULT_COUNT is the number of rows inserted or updated.
 * pinview_result_row_counts tells them apart.
 *
 * @param out NULL if not needed
 * Errors: the status of the callback; PINVIEW_ERROR_UNKNOWN_KEY; PINVIEW_ERROR_WRONG_TYPE;
 *     PINVIEW_ERROR_UNSUPPORTED_REQUEST for a store in memory or, under a policy other than ERROR,
 *     a file without a unique index for a constraint; PINVIEW_ERROR_CONSTRAINT_MERGE for rows that
 *     collide. For a stream also PINVIEW_ERROR_VALIDATION_MISSING_MANDATORY_PROPERTY,
 *     PINVIEW_ERROR_INVALID_UTF8, and PINVIEW_ERROR_STOPPED if the stream itself reported an error;
 *     the messages name row and column. After a failure nothing was written.
 * Cost: one statement per row, one transaction.
 * Core Data: execute(_:) of NSBatchInsertRequest
 */
pinview_status pinview_context_batch_insert(
    pinview_context *context, const pinview_batch_insert *request, pinview_result **out,
    pinview_error **error);

/**
 * Deletes the rows that a fetch request finds in SQLite stores, and those of some object IDs,
 * without objects. Delete rules apply: cascade deletes more, nullify clears references, deny fails
 * the request.
 *
 * @param request which rows; NULL for none. Pending changes are not considered
 * @param object_ids further rows; those that do not exist are skipped
 * @param result_type PINVIEW_RESULT_NONE, _OBJECT_IDS or _COUNT: of the rows requested, without
 *     those that cascades deleted
 * @param out NULL if not needed
 * Errors: PINVIEW_ERROR_VALIDATION_RELATIONSHIP_DENIED_DELETE; PINVIEW_ERROR_UNSUPPORTED_REQUEST
 *     for a store in memory; PINVIEW_ERROR_INVALID_ARGUMENT for the ID of an unsaved object
 * Cost: some statements per row, one transaction per store.
 * Core Data: execute(_:) of NSBatchDeleteRequest
 */
pinview_status pinview_context_batch_delete(
    pinview_context *context, const pinview_fetch_request *request,
    const pinview_object_id *const *object_ids, size_t object_id_count,
    pinview_result_type result_type, pinview_result **out, pinview_error **error);

/** @} */

/* ============================================================================================== */

/**
 * @defgroup pinview-history History
 *
 * What every write transaction of a store did, recorded in the store, for programs that follow what
 * others write. Stores record it if they are added with PINVIEW_STORE_OPTION_HISTORY_TRACKING.
 * @{
 */

/** Flags of pinview_history_request. */
PINVIEW_ENUM_OF(uint32_t) {
    PINVIEW_HISTORY_BY_DATE = 1,          /**< uses date instead of token */
    PINVIEW_HISTORY_OMITS_CHANGES = 2,    /**< returns transactions without their changes */
    PINVIEW_HISTORY_PASSES_CONSUMERS = 4, /**< deletes also what consumers have not read yet */
    /** deletes nothing if consumers have not read all of it */
    PINVIEW_HISTORY_REFUSES_TO_PASS_CONSUMERS = 8,
    PINVIEW_HISTORY_BEFORE_DATE = 16      /**< uses before_date */
};
typedef uint32_t pinview_history_flags; /**< PINVIEW_HISTORY_... */

/** What happened to a row. */
PINVIEW_ENUM_OF(int32_t) {
    PINVIEW_HISTORY_INSERT = 0,
    PINVIEW_HISTORY_UPDATE = 1,
    PINVIEW_HISTORY_DELETE = 2
};
typedef int32_t pinview_history_change_type; /**< PINVIEW_HISTORY_... */

/** Which part of the history to read or delete (NSPersistentHistoryChangeRequest). */
typedef struct pinview_history_request {
    uint32_t struct_size; /**< sizeof(pinview_history_request) */
    pinview_history_flags flags;
    /** what comes after it (to delete: before it); NULL for all */
    const pinview_history_token *token;
    double date;          /**< with PINVIEW_HISTORY_BY_DATE: seconds since 2001-01-01 00:00 UTC */
    /** transactions of these authors only, the absent text for none; NULL for all */
    const pinview_string *authors;
    size_t author_count;
    const pinview_string *excluded_authors; /**< no transactions of these authors */
    size_t excluded_author_count;
    const pinview_string *entities; /**< changes of these entities only; NULL for all */
    size_t entity_count;
    const pinview_store *const *stores; /**< NULL for all of the coordinator */
    size_t store_count;
    /** to read: only what comes before its transaction, exclusively; NULL for no end */
    const pinview_history_token *before;
    /** to read, with PINVIEW_HISTORY_BEFORE_DATE and without before: only what comes before it */
    double before_date;
} pinview_history_request;

/** A transaction (NSPersistentHistoryTransaction). */
typedef struct pinview_history_transaction {
    int64_t number;         /**< increases with each transaction of the store */
    double date;            /**< seconds since 2001-01-01 00:00 UTC */
    uint64_t change_count;
    pinview_string store_identifier;
    pinview_string author;  /**< the transaction author of the saving context; absent for none */
    pinview_string context_name;
    pinview_string program;
    pinview_string process; /**< the program's name and the process ID */
} pinview_history_transaction;

/** A change (NSPersistentHistoryChange). */
typedef struct pinview_history_change {
    int64_t change_id;       /**< increases with each change of the store */
    pinview_history_change_type type;
    uint32_t property_count; /**< of an update: how many properties changed */
} pinview_history_change;

/** Returns 1 if two tokens mark the same position. */
int32_t pinview_history_token_is_equal(
    const pinview_history_token *left, const pinview_history_token *right);

/** Returns the token as bytes, which have the same meaning in every process, now and later. */
pinview_status pinview_history_token_data(
    const pinview_history_token *token, pinview_binary *out, pinview_error **error);

/** Returns the token that pinview_history_token_data wrote, or PINVIEW_ERROR_INVALID_ARGUMENT for
 * other bytes. */
pinview_status pinview_history_token_create_from_data(
    pinview_binary data, pinview_history_token **out, pinview_error **error);

/** Returns the current end of the history of a coordinator's stores.
 * Cost: one statement per store.
 * Core Data: currentPersistentHistoryToken(fromStores:) */
pinview_status pinview_coordinator_history_token(
    const pinview_coordinator *coordinator, pinview_history_token **out, pinview_error **error);

/**
 * Reads the history: transactions of all processes, in order. It reads the newest state and pins
 * nothing.
 *
 * Errors: PINVIEW_ERROR_UNSUPPORTED_REQUEST for a store that keeps no history;
 *     PINVIEW_ERROR_HISTORY_TOKEN_EXPIRED if part of what comes after the token was deleted
 * Cost: two statements per store, one per transaction.
 * Core Data: execute(_:) of NSPersistentHistoryChangeRequest
 */
pinview_status pinview_context_fetch_history(
    pinview_context *context, const pinview_history_request *request, pinview_history **out,
    pinview_error **error);

/**
 * Deletes the transactions before a token (but not its own) or a date. What a consumer has not read
 * yet stays, unless PINVIEW_HISTORY_PASSES_CONSUMERS is set. With
 * PINVIEW_HISTORY_REFUSES_TO_PASS_CONSUMERS it is an error instead (PINVIEW_ERROR_STORE_OPERATION)
 * that names the slowest consumer.
 *
 * @param request token or date, stores, flags
 * @param out how many transactions were deleted; NULL if not needed
 * Cost: some statements and a transaction per store.
 * Core Data: execute(_:) of NSPersistentHistoryChangeRequest
 */
pinview_status pinview_context_delete_history(
    pinview_context *context, const pinview_history_request *request, int64_t *out,
    pinview_error **error);

/** Returns the number of transactions of a history. */
uint64_t pinview_history_count(const pinview_history *history);

/** Returns a transaction of a history.
 * @param out zeroed after a failure */
pinview_status pinview_history_transaction_at(
    const pinview_history *history, uint64_t index, pinview_history_transaction *out,
    pinview_error **error);

/** Returns the position right after a transaction, in its store.
 * @param index of the transaction */
pinview_status pinview_history_token_after(
    const pinview_history *history, uint64_t index, pinview_history_token **out,
    pinview_error **error);

/**
 * Returns a change of a transaction, which is zeroed after a failure; the ID of the object that it
 * is about; or the name of a property that it changed, if it is an update.
 *
 * @param transaction index of the transaction
 * @param index of the change in the transaction
 * @param property below property_count of the change
 */
pinview_status pinview_history_change_at(
    const pinview_history *history, uint64_t transaction, uint64_t index,
    pinview_history_change *out, pinview_error **error);
pinview_status pinview_history_change_object_id(
    const pinview_history *history, uint64_t transaction, uint64_t index, pinview_object_id **out,
    pinview_error **error);
pinview_status pinview_history_change_property(
    const pinview_history *history, uint64_t transaction, uint64_t index, uint32_t property,
    pinview_string *out, pinview_error **error);

/**
 * Returns the value that a deleted object had if the model preserves it
 * (PINVIEW_PROPERTY_KEPT_IN_HISTORY), else null. PINVIEW_ERROR_UNKNOWN_KEY if the entity has no
 * such attribute.
 *
 * @param transaction index of the transaction
 * @param index of the change in the transaction
 * @param name the attribute
 * Core Data: tombstone
 */
pinview_status pinview_history_change_tombstone(
    const pinview_history *history, uint64_t transaction, uint64_t index, pinview_string name,
    pinview_buffer *buffer, pinview_value *out, pinview_error **error);

/**
 * Merges the changes of transactions into a context as a save of another context is merged: at once
 * or later, as pinview_context_merge_changes does. After a failure, what was merged before stays.
 *
 * @param first index of the first transaction
 * @param count how many transactions
 * Threads: any thread.
 * Cost: at most one statement per changed object.
 * Generation: advances.
 * Core Data: mergeChanges(fromRemoteContextSave:into:) with objectIDNotification()
 */
pinview_status pinview_context_merge_history(
    pinview_context *context, const pinview_history *history, uint64_t first, size_t count,
    pinview_error **error);

/**
 * Records how far a consumer has read, registering the name if it is new. It is stored in the
 * stores: other processes respect it when they delete history.
 *
 * @param name of the consumer
 * @param token how far it has read
 * Cost: one transaction per store.
 */
pinview_status pinview_coordinator_set_history_consumer(
    pinview_coordinator *coordinator, pinview_string name, const pinview_history_token *token,
    pinview_error **error);

/** Removes a consumer. An unknown name is not an error.
 * Cost: one transaction per store. */
pinview_status pinview_coordinator_remove_history_consumer(
    pinview_coordinator *coordinator, pinview_string name, pinview_error **error);

/** Returns how far a consumer has read.
 * @param out NULL if there is no consumer of that name
 * Cost: one statement per store. */
pinview_status pinview_coordinator_history_consumer(
    const pinview_coordinator *coordinator, pinview_string name, pinview_history_token **out,
    pinview_error **error);

/** Receives a consumer and how far it has read. Name and token are borrowed for the call. */
typedef void (*pinview_history_consumer_callback)(
    pinview_string name, const pinview_history_token *token, void *userdata);

/** Calls back for each consumer, in the order of their names, before it returns.
 * Cost: one statement per store. */
pinview_status pinview_coordinator_each_history_consumer(
    const pinview_coordinator *coordinator, pinview_history_consumer_callback callback,
    void *userdata, pinview_error **error);

/** A commit by someone else (NSPersistentStoreRemoteChangeNotification). Everything is borrowed for
 * the call. */
typedef struct pinview_remote_change {
    uint32_t struct_size; /**< set by the library */
    uint32_t reserved;
    pinview_string store_identifier;
    pinview_string store_path;
    /** the current end of the history; NULL for a store that keeps none */
    const pinview_history_token *history_token;
} pinview_remote_change;

/** Reports a commit by someone else. */
typedef void (*pinview_remote_change_callback)(const pinview_remote_change *change, void *userdata);

/**
 * Adds an observer of commits by others to stores that were added with
 * PINVIEW_STORE_OPTION_REMOTE_CHANGES: another coordinator of this process, or another process.
 * Commits of the coordinator's own contexts and batch requests are not reported. Commits in quick
 * succession are reported together, per store. A program that keeps no history, such as the sqlite3
 * tool, leaves the token unchanged. Nothing runs while there are no observers. Stores in memory and
 * stores that are not in WAL mode report nothing. The observer stays until pinview_observer_remove,
 * or until the coordinator is freed.
 *
 * @param callback called on a thread of the library, within about a millisecond of a commit. It may
 *     call any function but should return soon: all observers of the process share the thread
 * @param free_userdata called when the observer has been removed and its last call has ended
 * Cost: waits for a save to such a store that is under way; then one statement per callback.
 * Core Data: NSPersistentStoreRemoteChangeNotification,
 *     NSPersistentStoreRemoteChangeNotificationPostOptionKey
 */
pinview_status pinview_coordinator_add_remote_change_observer(
    pinview_coordinator *coordinator, pinview_remote_change_callback callback, void *userdata,
    pinview_free_callback free_userdata, pinview_observer **out, pinview_error **error);

/** What differs in one object between two generations. */
typedef struct pinview_difference_change {
    pinview_history_change_type type;
    uint32_t property_count;          /**< of an update: how many properties differ */
    const pinview_string *properties; /**< their names */
} pinview_difference_change;

/**
 * Compares two generations: the objects that only the new one has (inserted), that only the old one
 * has (deleted), and that both have with different values (updated), with the names of the
 * properties that differ. A view pinned to the old generation can advance to the new one and update
 * exactly what has changed.
 *
 * The comparison is by value: a property is named if reading it gives something else: an attribute
 * its value, a to-one relationship its destination, a to-many relationship its set of members, an
 * ordered one also their order. Both sides of a relationship are named. What was changed and
 * changed back is not included. With the tokens swapped, inserted and deleted are swapped. Stores
 * without generations, or covered by only one of the two, are left out.
 *
 * @param old_generation a token of this coordinator, or of another process, whose generation is
 *     alive
 * @param new_generation likewise; NULL or pinview_token_current() for the newest generation
 * @param entities only objects of these entities and their sub-entities; NULL for all
 * @param out the difference, which keeps both generations alive
 * Errors: PINVIEW_ERROR_FOREIGN_TOKEN for a token of another coordinator;
 *     PINVIEW_ERROR_GENERATION_EXPIRED; PINVIEW_ERROR_UNKNOWN_ENTITY
 * Cost: if the store's history has every transaction in between, the rows it names are read in both
 *     generations; else both generations of the store are read side by side, once. Memory only for
 *     what differs.
 * Generation: takes the newest for NULL or pinview_token_current(); no context moves.
 */
pinview_status pinview_coordinator_difference(
    const pinview_coordinator *coordinator, const pinview_token *old_generation,
    const pinview_token *new_generation, const pinview_string *entities, size_t entity_count,
    pinview_difference **out, pinview_error **error);

/** Returns the number of objects that differ. */
uint64_t pinview_difference_count(const pinview_difference *difference);

/**
 * Returns some of the changes, ordered by store as in the coordinator, then by entity and primary
 * key. Each object appears at most once.
 *
 * @param first index of the first change
 * @param changes room for count changes; NULL if not needed
 * @param struct_size sizeof(pinview_difference_change)
 * @param object_ids room for count IDs; NULL if not needed
 * Errors: PINVIEW_ERROR_INVALID_ARGUMENT if there are not that many changes; nothing has been
 *     written then, nor for an invalid handle. After any other failure all of object_ids is NULL.
 */
pinview_status pinview_difference_changes(
    const pinview_difference *difference, uint64_t first, size_t count,
    pinview_difference_change *changes, size_t struct_size, pinview_object_id **object_ids,
    pinview_error **error);

/** Returns the token of the old, or of the new, generation. Contexts can be pinned to it while the
 * difference lives. */
pinview_status pinview_difference_old_generation(
    const pinview_difference *difference, pinview_token **out, pinview_error **error);
pinview_status pinview_difference_new_generation(
    const pinview_difference *difference, pinview_token **out, pinview_error **error);

/** @} */

/* ============================================================================================== */

/**
 * @defgroup pinview-notifications Notifications
 *
 * What contexts announce. An observer is called on the context's queue, before the call that posts
 * the notification returns; what a main-queue context announces because of another thread (a
 * child's save, a merge) reaches its observers when the main thread drains the main queue. An
 * observer may use the notification and the context it names, and may merge into any context: a
 * merge never waits for a thread that waits for it. It must not wait in other ways, through
 * pinview_context_perform_and_wait or a direct call, for the queue of another context that may be
 * waiting for this one. Handles passed to it are borrowed for the call.
 * @{
 */

/* Names of notifications. */
#define PINVIEW_WILL_SAVE_NOTIFICATION "NSManagedObjectContextWillSaveNotification"
#define PINVIEW_DID_SAVE_NOTIFICATION "NSManagedObjectContextDidSaveNotification"
#define PINVIEW_OBJECTS_DID_CHANGE_NOTIFICATION "NSManagedObjectContextObjectsDidChangeNotification"

/* Keys of a notification. */
#define PINVIEW_INSERTED_OBJECTS_KEY "inserted"
#define PINVIEW_UPDATED_OBJECTS_KEY "updated"
#define PINVIEW_DELETED_OBJECTS_KEY "deleted"
#define PINVIEW_REFRESHED_OBJECTS_KEY "refreshed"
#define PINVIEW_INVALIDATED_OBJECTS_KEY "invalidated"
#define PINVIEW_INVALIDATED_ALL_OBJECTS_KEY "invalidatedAll" /**< object IDs */
/** See pinview_notification_token. */
#define PINVIEW_QUERY_GENERATION_KEY "NSManagedObjectContextQueryGenerationKey"

/** Receives a notification. */
typedef void (*pinview_notification_callback)(
    const pinview_notification *notification, void *userdata);

/**
 * Adds an observer, which stays until pinview_observer_remove.
 *
 * @param name which notifications; absent for all
 * @param context of which context; NULL for every context
 * @param free_userdata called when the observer has been removed and its last call has ended
 * Core Data: NotificationCenter.addObserver(forName:object:queue:using:)
 */
pinview_status pinview_observe(
    pinview_string name, pinview_context *context, pinview_notification_callback callback,
    void *userdata, pinview_free_callback free_userdata, pinview_observer **out,
    pinview_error **error);

/** Removes an observer. When the call returns the callback no longer runs; made from inside the
 * callback, that call is its last. Removing an observer again has no effect.
 * Core Data: NotificationCenter.removeObserver(_:) */
pinview_status pinview_observer_remove(pinview_observer *observer, pinview_error **error);

/** Returns the name of a notification. */
pinview_string pinview_notification_name(const pinview_notification *notification);

/** Returns the context that posts a notification.
 * Core Data: Notification.object */
pinview_status pinview_notification_context(
    const pinview_notification *notification, pinview_context **out, pinview_error **error);

/** Returns the objects under a key, or their IDs, for use on other threads and later.
 * @param key PINVIEW_..._OBJECTS_KEY
 * @param out NULL if the notification does not have the key */
pinview_status pinview_notification_objects(
    const pinview_notification *notification, pinview_string key, pinview_result **out,
    pinview_error **error);
pinview_status pinview_notification_object_ids(
    const pinview_notification *notification, pinview_string key, pinview_result **out,
    pinview_error **error);

/** Returns a generation that contains the save, for did-save of a context that was pinned. Other
 * contexts can be pinned to it during the call.
 * @param out NULL if the notification has none
 * Core Data: NSManagedObjectContextQueryGenerationKey */
pinview_status pinview_notification_token(
    const pinview_notification *notification, pinview_token **out, pinview_error **error);

/**
 * Merges the changes of another context's save. It may be called from any thread, including from a
 * did-save observer and in any pattern between contexts. When it returns the changes are merged,
 * except in two cases, in which they are merged later, on the context's queue, before any block
 * that is submitted from then on:
 *
 * - The context is busy, and the thread that uses it waits, directly or through others, for a
 *   context that the calling thread is using, as when two contexts merge each other's saves and
 *   save at the same time. Waiting would never end.
 * - The context is a main-queue context, and the calling thread is not the main thread: the main
 *   thread merges when it drains its queue, and calls the observers.
 *
 * The error of a deferred merge is returned by the context's next pinview_context_save or
 * pinview_context_process_pending_changes, once, before that call does anything.
 *
 * @param did_save a did-save notification
 * Threads: any thread.
 * Generation: advances.
 * Core Data: mergeChanges(fromContextDidSave:)
 */
pinview_status pinview_context_merge_changes(
    pinview_context *context, const pinview_notification *did_save, pinview_error **error);

/**
 * Merges changes known by their object IDs, such as those of another process, at once or later, as
 * pinview_context_merge_changes does.
 *
 * @param inserted IDs; may be NULL
 * @param updated IDs; may be NULL
 * @param deleted IDs; may be NULL
 * Threads: any thread.
 * Generation: advances.
 * Core Data: mergeChanges(fromRemoteContextSave:into:)
 */
pinview_status pinview_context_merge_object_ids(
    pinview_context *context, pinview_object_id *const *inserted, size_t inserted_count,
    pinview_object_id *const *updated, size_t updated_count, pinview_object_id *const *deleted,
    size_t deleted_count, pinview_error **error);

/**
 * Merges changes known by the URIs of their object IDs, as another process sends them. Objects of
 * stores that the context's coordinator does not have are skipped.
 *
 * @param inserted URIs; may be NULL
 * @param updated URIs; may be NULL
 * @param deleted URIs; may be NULL
 * Errors: PINVIEW_ERROR_INVALID_ARGUMENT for a text that is not the URI of a permanent ID;
 *     PINVIEW_ERROR_UNKNOWN_ENTITY
 * Threads: any thread.
 * Generation: advances.
 * Core Data: mergeChanges(fromRemoteContextSave:into:)
 */
pinview_status pinview_context_merge_uris(
    pinview_context *context, const pinview_string *inserted, size_t inserted_count,
    const pinview_string *updated, size_t updated_count, const pinview_string *deleted,
    size_t deleted_count, pinview_error **error);

/** @} */

/* ============================================================================================== */

/**
 * @defgroup pinview-results Results controllers
 *
 * A results controller keeps what a request finds in a context, in sections, and reports what
 * changes (NSFetchedResultsController). It follows the context's notifications: unsaved changes,
 * merges (including automatic ones), refreshes, rollbacks and resets, by evaluating changed objects
 * in memory; with a limit or an offset, without pending changes, and after a reset, it fetches
 * again. On a pinned context nothing moves until the context does: when it is pinned to another
 * generation, or has merged or saved, the controller reads what has changed in between, or fetches
 * again, refreshes the objects whose rows have changed, and reports exactly what is different. For
 * that reason, setting the generation of a context that has a controller is a read. As in Core
 * Data, an object is evaluated again when it changes itself, not when an object behind one of its
 * relationships does.
 *
 * A controller keeps its context and its objects alive.
 * @{
 */

/** What happened to an object or a section (NSFetchedResultsChangeType). */
PINVIEW_ENUM_OF(int32_t) {
    PINVIEW_RESULTS_CHANGE_INSERT = 1,
    PINVIEW_RESULTS_CHANGE_DELETE = 2,
    /** objects only: it has moved, and may have changed in other ways */
    PINVIEW_RESULTS_CHANGE_MOVE = 3,
    /** objects only: it has changed but keeps its place among the others */
    PINVIEW_RESULTS_CHANGE_UPDATE = 4
};
typedef int32_t pinview_results_change; /**< PINVIEW_RESULTS_CHANGE_... */

/** The position of an object (NSIndexPath). */
typedef struct pinview_index_path {
    uint64_t section;
    uint64_t item; /**< its index in the section */
} pinview_index_path;

/** A section (NSFetchedResultsSectionInfo). Its texts are valid until the same section is asked for
 * again. */
typedef struct pinview_results_section {
    uint32_t struct_size; /**< sizeof(pinview_results_section) */
    uint32_t reserved;    /**< 0 */
    /** the value of the section key path as a text; empty for null, and for the only section
     * without a key path */
    pinview_string name;
    /** the first letter of the name as a capital; absent for an empty name */
    pinview_string index_title;
    uint64_t count;       /**< how many objects it has */
} pinview_results_section;

/** The content is about to change, or has changed. */
typedef void (*pinview_results_callback)(pinview_results_controller *controller, void *userdata);

/** A section has changed: PINVIEW_RESULTS_CHANGE_INSERT or PINVIEW_RESULTS_CHANGE_DELETE. */
typedef void (*pinview_results_section_callback)(
    pinview_results_controller *controller, pinview_string name, uint64_t section,
    pinview_results_change change, void *userdata);

/** An object has changed. `from` is NULL for an inserted object, `to` for a deleted one. */
typedef void (*pinview_results_object_callback)(
    pinview_results_controller *controller, pinview_object *object, const pinview_index_path *from,
    const pinview_index_path *to, pinview_results_change change, void *userdata);

/** A change could not be followed because the store could not be read. The controller keeps its old
 * content and fetches everything again at the next change. */
typedef void (*pinview_results_error_callback)(
    pinview_results_controller *controller, const pinview_error *failure, void *userdata);

/**
 * The callbacks of a controller. Each may be NULL.
 *
 * They run on the context's queue, before the call that makes the change returns; what they receive
 * is borrowed for the call. Between will_change_content and did_change_content the changes are
 * reported in this order: deleted sections (descending), inserted sections (ascending), deleted
 * objects (descending), inserted objects (ascending), moved objects, updated objects. `from` is a
 * position before the change, as at will_change_content; `to` is a position after it.
 *
 * To follow a controller: remove all deleted and moved objects, last ones first; remove the deleted
 * sections, last ones first; insert the inserted sections in ascending order; insert the inserted
 * and moved objects in the order of their new positions. The objects of a deleted section are each
 * deleted or moved, those of an inserted section each inserted or moved.
 */
typedef struct pinview_results_callbacks {
    uint32_t struct_size;                         /**< sizeof(pinview_results_callbacks) */
    uint32_t reserved;                            /**< 0 */
    pinview_results_callback will_change_content; /**< the controller still has its old content */
    pinview_results_section_callback did_change_section;
    pinview_results_object_callback did_change_object;
    pinview_results_callback did_change_content;
    pinview_results_error_callback did_fail;
} pinview_results_callbacks;

/**
 * Creates a controller. It has no content before pinview_results_controller_perform_fetch. All
 * other functions that ask for its content return PINVIEW_ERROR_INVALID_ARGUMENT until then.
 *
 * @param request a request for objects with at least one sort descriptor. With a batch size, values
 *     are loaded only for objects that are used, unless there are sections
 * @param section_name_key_path an attribute, possibly behind to-one relationships, whose values are
 *     the names of sections; the request must sort by it first. Absent for a single section
 * Errors: PINVIEW_ERROR_INVALID_ARGUMENT for a request without an order, or for anything but
 *     objects
 * Threads: any thread.
 * Core Data: init(fetchRequest:managedObjectContext:sectionNameKeyPath:cacheName:). There is no
 *     cache: sections are computed from values that are loaded anyway
 */
pinview_status pinview_results_controller_create(
    pinview_context *context, const pinview_fetch_request *request,
    pinview_string section_name_key_path, pinview_results_controller **out, pinview_error **error);

/**
 * Fetches, and follows the context from then on. It may be called again, which calls no callbacks.
 *
 * Errors: the errors of pinview_context_fetch; PINVIEW_ERROR_INVALID_ARGUMENT if the order
 *     separates objects of one section
 * Cost: one statement per store; loads the values of all objects.
 * Generation: reads.
 * Core Data: performFetch()
 */
pinview_status pinview_results_controller_perform_fetch(
    pinview_results_controller *controller, pinview_error **error);

/**
 * Sets the callbacks, replacing the previous ones. NULL removes them: when the call returns none of
 * them runs any more, unless one of them made the call.
 *
 * @param callbacks NULL for none
 * @param free_userdata called when the callbacks have ended
 * Threads: any thread.
 * Core Data: delegate
 */
pinview_status pinview_results_controller_set_callbacks(
    pinview_results_controller *controller, const pinview_results_callbacks *callbacks,
    void *userdata, pinview_free_callback free_userdata, pinview_error **error);

/** Returns all objects in order, as they are now, or their number.
 * Core Data: fetchedObjects */
pinview_status pinview_results_controller_objects(
    pinview_results_controller *controller, pinview_result **out, pinview_error **error);
pinview_status pinview_results_controller_count(
    pinview_results_controller *controller, uint64_t *out, pinview_error **error);

/** Returns the number of sections (without a section key path 1, although that section may be
 * empty); the name of a section and how many objects it has; the objects of a section in order, as
 * they are now.
 * Core Data: sections */
pinview_status pinview_results_controller_section_count(
    pinview_results_controller *controller, uint64_t *out, pinview_error **error);
pinview_status pinview_results_controller_section(
    pinview_results_controller *controller, uint64_t index, pinview_results_section *out,
    pinview_error **error);
pinview_status pinview_results_controller_section_objects(
    pinview_results_controller *controller, uint64_t index, pinview_result **out,
    pinview_error **error);

/** Returns the first section with an index title.
 * @param title PINVIEW_ERROR_INVALID_ARGUMENT if no section has it
 * Core Data: section(forSectionIndexTitle:at:) */
pinview_status pinview_results_controller_section_for_index_title(
    pinview_results_controller *controller, pinview_string title, uint64_t *out,
    pinview_error **error);

/** Returns the object at a position.
 * Core Data: object(at:) */
pinview_status pinview_results_controller_object(
    pinview_results_controller *controller, uint64_t section, uint64_t item, pinview_object **out,
    pinview_error **error);

/** Returns the position of an object.
 * @param out both members are UINT64_MAX if the controller does not have the object, and after a
 *     failure
 * Core Data: indexPath(forObject:) */
pinview_status pinview_results_controller_index_path(
    pinview_results_controller *controller, pinview_object *object, pinview_index_path *out,
    pinview_error **error);

/** @} */

/* ============================================================================================== */

/**
 * @defgroup pinview-files Generations as files, and SQL
 *
 * A generation of a store can be written to a database file of its own, and read with SQL.
 * @{
 */

/** Flags of an export. */
PINVIEW_ENUM_OF(uint32_t) {
    /** replaces a file at the path, which must not be open anywhere */
    PINVIEW_EXPORT_REPLACE = 1
};
typedef uint32_t pinview_export_flags; /**< PINVIEW_EXPORT_... */

/**
 * Reports the progress of an export, about once per megabyte, on the thread that exports. Any
 * status but PINVIEW_OK cancels the export, which then fails with it; PINVIEW_STOP is a plain
 * request to stop.
 *
 * @param completed the number of bytes written so far
 * @param total the number of bytes that are written in all; an estimate at first
 */
typedef pinview_status (*pinview_export_callback)(
    uint64_t completed, uint64_t total, void *userdata);

/**
 * Writes one generation of a store to a database file of its own, while other threads and other
 * processes go on writing.
 *
 * The file has exactly the pages of the generation and needs no journal beside it. It can be opened
 * as a store, by any program that uses SQLite, and on another machine; it has the store's
 * identifier. It appears under its name only when it is complete and safely on the disk: others see
 * nothing (or the old file) or all of it, also after the process was killed. Where the file system
 * can, it shares the store's blocks instead of copying them. Values that Core Data keeps in files
 * outside the store are not part of it.
 *
 * @param token the generation, which must be alive: keep a context pinned to it. NULL or
 *     pinview_token_current() for the newest
 * @param store a store of the coordinator; NULL for its only one. Of a store without generations,
 *     as in memory, the newest state is written
 * @param path the new file, in an existing folder. It gets the permissions of the store's file
 * @param flags PINVIEW_EXPORT_REPLACE or 0
 * @param progress NULL if not needed
 * Errors: PINVIEW_ERROR_STORE_OPERATION if the file exists, if a journal of another database lies
 *     beside it, or if it cannot be written, as on a full disk; there is no new file then.
 *     PINVIEW_ERROR_FOREIGN_TOKEN, PINVIEW_ERROR_GENERATION_EXPIRED, PINVIEW_ERROR_GENERATION_LOST
 * Threads: any thread; no context waits.
 * Cost: reads and writes the store once. Its journal cannot be emptied meanwhile.
 * Generation: no context moves.
 */
pinview_status pinview_coordinator_export(
    const pinview_coordinator *coordinator, const pinview_token *token, const pinview_store *store,
    pinview_string path, pinview_export_flags flags, pinview_export_callback progress,
    void *userdata, pinview_error **error);

/**
 * Writes the newest state of any SQLite database to a file of its own, as
 * pinview_coordinator_export does. It needs no model. The database is opened for reading only,
 * whatever programs write to it; in another journal mode than WAL, they wait.
 *
 * @param source the database
 * Errors: PINVIEW_ERROR_STORE_OPEN if the database cannot be opened; else as for
 *     pinview_coordinator_export
 * Threads: any thread.
 */
pinview_status pinview_export_database(
    pinview_string source, pinview_string path, pinview_export_flags flags,
    pinview_export_callback progress, void *userdata, pinview_error **error);

/**
 * Prepares an SQL statement that reads a generation of a store's file. The tables are those of the
 * file (ZPERSON, Z_PK and so on); unsaved changes are not seen.
 *
 * It must be a single statement that reads: SELECT, VALUES, EXPLAIN, or a pragma that returns
 * information. A statement that would change anything, attach a file, or begin a transaction is
 * refused before it begins. The statement has a connection of its own: neither writers nor other
 * readers wait for it. The cursor holds the generation until it is released.
 *
 * @param token the generation, which must be alive; NULL or pinview_token_current() for the newest.
 *     Of a store without generations the newest state is read
 * @param store a store of the coordinator; NULL for its only one. Not one in memory
 * @param arguments values for the statement's parameters. One with a name, with or without its
 *     colon, is for the parameter of that name; one whose name is absent is for the next parameter.
 *     Dates are seconds since 2001, UUIDs their bytes, objects and object IDs primary keys, as they
 *     are in the store's columns. Lists are not possible
 * @param out the cursor, before the first row
 * Errors: PINVIEW_ERROR_SQLITE for a mistake in the statement, or one that does not only read, for
 *     which the SQLite code is SQLITE_AUTH (23); PINVIEW_ERROR_INVALID_ARGUMENT for a missing or an
 *     unknown argument; PINVIEW_ERROR_FOREIGN_TOKEN, PINVIEW_ERROR_GENERATION_EXPIRED,
 *     PINVIEW_ERROR_GENERATION_LOST
 * Threads: any thread; no context waits.
 * Generation: no context moves.
 */
pinview_status pinview_coordinator_query_sql(
    const pinview_coordinator *coordinator, const pinview_token *token, const pinview_store *store,
    pinview_string sql, const pinview_named_value *arguments, size_t argument_count,
    pinview_sql_cursor **out, pinview_error **error);

/**
 * Prepares an SQL statement at the generation of a context, like pinview_coordinator_query_sql. A
 * child context reads at the generation of its root.
 *
 * @param store as for pinview_coordinator_query_sql; NULL for the only one
 * Generation: a read. It fixes the generation of a context that is pinned to
 *     pinview_token_current() and has not read yet.
 */
pinview_status pinview_context_query_sql(
    pinview_context *context, const pinview_store *store, pinview_string sql,
    const pinview_named_value *arguments, size_t argument_count, pinview_sql_cursor **out,
    pinview_error **error);

/** Returns the number of columns of a cursor's rows. */
size_t pinview_sql_cursor_column_count(const pinview_sql_cursor *cursor);

/** Returns the name of a column, as the statement names it; absent if there is no such column. The
 * text is valid until the last release. */
pinview_string pinview_sql_cursor_column_name(const pinview_sql_cursor *cursor, size_t column);

/**
 * Reads the next rows. Memory is needed for these rows only, whatever the size of the result.
 *
 * @param row_limit how many rows at most; large rows come in smaller batches
 * @param values row by row, a value for each column: null, integer, double, string or binary, as
 *     SQLite stores them. Valid until the next read from the cursor
 * @param row_count how many rows were read; 0 after the last one
 * Errors: PINVIEW_ERROR_CANCELLED after pinview_sql_cursor_interrupt or the interrupt callback of
 *     the thread; PINVIEW_ERROR_GENERATION_LOST. The cursor has no more rows then
 * Threads: any thread, one at a time: the values belong to the one that read last.
 */
pinview_status pinview_sql_cursor_read(
    pinview_sql_cursor *cursor, size_t row_limit, const pinview_value **values, size_t *row_count,
    pinview_error **error);

/** Stops the read under way, within microseconds; it and all further ones fail with
 * PINVIEW_ERROR_CANCELLED.
 * Threads: any thread. */
pinview_status pinview_sql_cursor_interrupt(pinview_sql_cursor *cursor, pinview_error **error);

/** @} */

/* ============================================================================================== */

/**
 * @defgroup pinview-journal Journal reports
 *
 * What prevents a store's journal from being copied into its file: the generations of this process,
 * with the contexts pinned to them, and the read marks of other processes. A report is an immutable
 * snapshot. Making one locks nothing and changes nothing.
 * @{
 */

/** One store of a report. */
typedef struct pinview_journal_store {
    uint32_t struct_size;      /**< sizeof(pinview_journal_store) */
    /** 0 if the file was examined from outside: there are no generations and no counters then */
    int32_t is_open_here;
    pinview_string path;       /**< absolute */
    pinview_string text;       /**< the report as a table for people; its format is not stable */
    pinview_string sqlite_version; /**< of the SQLite of this process */
    /** whether that version has the WAL-reset bug of sqlite.org/wal.html, which the library
     * avoids */
    int32_t has_wal_reset_bug;
    uint32_t page_size;        /**< in bytes; a frame of the journal is 24 bytes longer */
    int64_t store_bytes;
    int64_t journal_bytes;     /**< the size of the journal file, which may have room left over */
    uint32_t frames;           /**< committed pages in the journal */
    uint32_t copied_frames;    /**< those that are in the store's file already */
    /** those that the next checkpoint can copy, given everyone's read marks */
    uint32_t reclaimable_frames;
    uint32_t read_marks;       /**< the read marks that anyone holds: 1 << number */
    uint64_t generation_count;
    /** contexts of the coordinator that pin the newest generation at their next read */
    uint64_t waiting_context_count;
    uint64_t process_count;
    /** Counters since this process opened the file, up to and including lost. This one: generations
     * taken */
    uint64_t pins;
    uint64_t shared_pins;      /**< generations requested that existed already */
    uint64_t adoptions;        /**< generations taken over through the token of another process */
    uint64_t advances;         /**< pinned contexts that moved to another generation */
    uint64_t reads;            /**< times that a generation was read */
    uint64_t reader_waits;     /**< reads that had to wait for a connection */
    uint64_t checkpoints;
    uint64_t busy_checkpoints; /**< checkpoints that someone prevented from completing */
    uint64_t detaches;         /**< generations copied aside */
    uint64_t lost;             /**< generations found lost */
    /* Not counters: what else is on the disk. */
    uint64_t copy_count;       /**< detached copies next to the store, of all processes */
    int64_t copy_bytes;        /**< the disk blocks of their files */
    int64_t history_bytes;     /**< estimated size of the store's history; -1 if not measured yet */
    /** what the journal, copies and history may use together; -1 without a budget */
    int64_t budget_bytes;
} pinview_journal_store;

/** A generation that is alive in this process. */
typedef struct pinview_journal_generation {
    uint32_t struct_size;    /**< sizeof(pinview_journal_generation) */
    int32_t is_newest;
    int32_t is_detached;     /**< copied aside: it no longer holds the journal */
    int32_t read_mark;       /**< the number of the read mark that it holds, 0 to 4; -1 for none */
    uint64_t ordinal;        /**< increases with each newer generation */
    double age;              /**< seconds since it was taken */
    uint32_t frame;          /**< the last frame that belongs to it */
    /** frames that cannot be copied into the store's file while it lives */
    uint32_t frames_held_back;
    int64_t bytes_held_back; /**< the same in bytes of the journal */
    uint64_t readers_open;   /**< connections that read it, busy or idle */
    /** contexts that are pinned to it; 0 if only a running read keeps it alive */
    uint64_t context_count;
} pinview_journal_generation;

/** A context of a report. */
typedef struct pinview_journal_context {
    uint32_t struct_size;              /**< sizeof(pinview_journal_context) */
    pinview_concurrency_type concurrency_type;
    pinview_string name;               /**< absent for none */
    pinview_string transaction_author; /**< absent for none */
    /** "private queue", "main thread", or "thread" and the kernel's number */
    pinview_string thread;
    int32_t is_pinned;                 /**< 0 if its next read pins */
    int32_t reserved;                  /**< 0 */
} pinview_journal_context;

/** A process that has the store's file open. */
typedef struct pinview_journal_process {
    uint32_t struct_size;   /**< sizeof(pinview_journal_process) */
    int32_t identifier;     /**< -1 for a process that is not visible from here */
    pinview_string command; /**< what it calls itself; absent if that is not visible */
    uint32_t read_marks;    /**< the read marks that it holds: 1 << number */
    int32_t is_this_process;
    int32_t is_writing;
    int32_t is_checkpointing;
} pinview_journal_process;

/** What a journal event reports. */
PINVIEW_ENUM_OF(int32_t) {
    /** the policy is to warn, or copies and history alone exceed the budget, as the reason says */
    PINVIEW_JOURNAL_BUDGET_EXCEEDED = 1,
    PINVIEW_JOURNAL_DETACHED = 2,        /**< the generations were copied aside */
    /** they could not be, or another program holds the journal as well; it will be tried again */
    PINVIEW_JOURNAL_DETACH_FAILED = 3
};
typedef int32_t pinview_journal_event_kind; /**< PINVIEW_JOURNAL_... */

/** A journal that generations other than the newest have made too long or held back for too long.
 * Texts are borrowed for the call. */
typedef struct pinview_journal_event {
    uint32_t struct_size;  /**< set by the library */
    pinview_journal_event_kind kind;
    pinview_string path;   /**< of the store's file, absolute */
    int64_t journal_bytes; /**< of the journal's frames when it was found too long */
    int64_t budget_bytes;
    int64_t copy_bytes;    /**< of the copy's files, or of all that exceed the budget; or 0 */
    uint64_t generations;  /**< how many held the journal, or were copied aside */
    /** why a copy failed, which programs hold the journal, what exceeds the budget; or absent */
    pinview_string reason;
} pinview_journal_event;

/** Called on a thread of the library, for one event at a time. The library's checkpoints wait for
 * it. */
typedef void (*pinview_journal_callback)(const pinview_journal_event *event, void *userdata);

/**
 * Sets the function that is called when generations other than the newest make the journal of a
 * store too long, or hold it back for too long (PINVIEW_STORE_OPTION_JOURNAL_BUDGET_POLICY and the
 * options next to it): after they were copied aside, after that failed, or, with the policy "warn",
 * to report it. Neither a warning nor a failure is repeated before the journal has doubled in size.
 *
 * @param callback NULL for none. When the call returns the previous one no longer runs, unless it
 *     made the call; one that is running on another thread has finished
 * @param free_userdata called when the callback was replaced or the coordinator is gone
 */
pinview_status pinview_coordinator_set_journal_callback(
    pinview_coordinator *coordinator, pinview_journal_callback callback, void *userdata,
    pinview_free_callback free_userdata, pinview_error **error);

/** Reports who holds the journals of a coordinator's stores.
 * @param out a report with an entry for each store in WAL mode, in order
 * Cost: some system calls per store. */
pinview_status pinview_coordinator_journal_report(
    pinview_coordinator *coordinator, pinview_journal_report **out, pinview_error **error);

/** Reports who holds the journals of a coordinator's stores, as a table for people whose format is
 * not stable.
 * @param out empty if no store is in WAL mode
 * Cost: some system calls per store. */
pinview_status pinview_coordinator_journal_report_text(
    pinview_coordinator *coordinator, pinview_buffer *buffer, pinview_string *out,
    pinview_error **error);

/**
 * Reports who holds the journal of any SQLite file in WAL mode, examined from outside: it is not
 * opened as a database, so that no pin of any process is disturbed.
 *
 * @param out a report with one entry
 * Errors: PINVIEW_ERROR_STORE_OPEN for a file that does not exist, cannot be read, or is not a
 *     database; PINVIEW_ERROR_STORE_OPERATION if it is not in WAL mode
 * Cost: some system calls. A journal that no process has open is read from beginning to end.
 */
pinview_status pinview_journal_report_create_for_file(
    pinview_string path, pinview_journal_report **out, pinview_error **error);

/** Returns the number of stores in a report. */
uint64_t pinview_journal_report_store_count(const pinview_journal_report *report);

/** Returns a store of a report. */
pinview_status pinview_journal_report_store(
    const pinview_journal_report *report, uint64_t index, pinview_journal_store *out,
    pinview_error **error);

/** Returns a generation of a store, the oldest first.
 * @param store_index the store */
pinview_status pinview_journal_report_generation(
    const pinview_journal_report *report, uint64_t store_index, uint64_t index,
    pinview_journal_generation *out, pinview_error **error);

/** Returns a context pinned to a generation, of any coordinator, or one that is waiting to pin.
 * @param store_index the store
 * @param generation_index the generation; generation_count of the store for contexts that pin at
 *     their next read */
pinview_status pinview_journal_report_context(
    const pinview_journal_report *report, uint64_t store_index, uint64_t generation_index,
    uint64_t index, pinview_journal_context *out, pinview_error **error);

/** Returns a process that has a store's file open, as far as the operating system shows.
 * @param store_index the store */
pinview_status pinview_journal_report_process(
    const pinview_journal_report *report, uint64_t store_index, uint64_t index,
    pinview_journal_process *out, pinview_error **error);

/** Returns the last frame that readers with a read mark may see; 0 if no reader holds the mark.
 * @param store_index the store
 * @param number 1 to 4; readers with number 0 take nothing from the journal */
uint32_t pinview_journal_report_read_mark_frame(
    const pinview_journal_report *report, uint64_t store_index, int32_t number);

/** @} */

/* ============================================================================================== */

/**
 * @defgroup pinview-log SQL log
 *
 * Every statement sent to SQLite, one line each, beginning with "CoreData: sql: ". Off by default;
 * switched on with the launch argument -com.apple.CoreData.SQLDebug 1, with the environment
 * variable PINVIEW_SQL_DEBUG=1, or with pinview_sql_log_set_enabled.
 *
 * A line ends in an SQL comment with the name of the store's file, the role of the connection
 * (writer; reader; probe: finds the newest state; anchor: holds the pins), and the state that it
 * reads (a generation, by its ordinal as in pinview_journal_generation; newest; transaction: its
 * own changes, not yet committed):
 *
 *     CoreData: sql: SELECT ... FROM ZPERSON -- people.sqlite, reader, generation 17
 *
 * Only the line of the journal mode is the same as Core Data's: CoreData: sql: pragma
 * journal_mode=wal. A checkpoint is written as the equivalent statement, with its outcome.
 * @{
 */

/** Receives a line, without its line end, on the thread that runs the statement and in the middle
 * of it. The callback cannot use the library: calls return PINVIEW_ERROR_INVALID_ARGUMENT, or have
 * no effect if they have no status; handles released in it are freed a little later. */
typedef void (*pinview_log_callback)(pinview_string line, void *userdata);

/** Switches the log on or off; returns 1 if it is on. */
void pinview_sql_log_set_enabled(int32_t is_on);
int32_t pinview_sql_log_is_enabled(void);

/** Sets who receives the lines.
 * @param callback NULL for standard error
 * @param free_userdata called when another callback has replaced this one */
pinview_status pinview_sql_log_set_callback(
    pinview_log_callback callback, void *userdata, pinview_free_callback free_userdata,
    pinview_error **error);

/** @} */

/* ============================================================================================== */

/**
 * @defgroup pinview-short Short programs
 *
 * Common sequences of calls in one, for programs written by hand. All of this is made of functions
 * above and can be mixed with them. A whole program:
 *
 *     #include <pinview.h>
 *     #include <stdio.h>
 *
 *     static const char model[] =
 *         "{\"entities\": [{\"name\": \"Person\", \"attributes\": ["
 *         "  {\"name\": \"name\", \"type\": \"string\"},"
 *         "  {\"name\": \"age\", \"type\": \"integer64\"}]}]}";
 *
 *     int main(void) {
 *         const pinview_value least = pinview_value_integer(18);
 *         pinview_context *context;
 *         pinview_result *people;
 *         pinview_object *person = NULL;
 *         uint64_t index = 0;
 *         PINVIEW_CHECK(pinview_open(model, "people.sqlite", NULL, 0, &context, NULL));
 *         PINVIEW_CHECK(pinview_insert(
 *             context, "Person",
 *             PINVIEW_NAMED_VALUES(
 *                 pinview_named("name", pinview_value_text("Ada")),
 *                 pinview_named("age", pinview_value_integer(36))),
 *             NULL, NULL));
 *         PINVIEW_CHECK(pinview_context_save(context, NULL));
 *         PINVIEW_CHECK(pinview_fetch(
 *             context, "Person", "age >= %d", &least, 1, "-age, name", &people, NULL));
 *         while (pinview_next(people, &index, &person, NULL))
 *             printf("%s\n", pinview_get_text(person, "name", "?", NULL));
 *         pinview_result_release(people);
 *         pinview_context_release(context);
 *         return 0;
 *     }
 *
 * Texts are C strings here, in UTF-8; NULL is the absent text. Functions that return a value and
 * take `pinview_error **error` can fail: they return what their documentation says, and *error is
 * the error, NULL after a success. The thread's last error (pinview_error_last) is set as by all
 * functions, so that NULL can be passed for `error` where PINVIEW_CHECK stands around the call.
 * @{
 */

/** Several values with names as two arguments, an array and its count, for pinview_insert and
 * pinview_set; C only. The array lives until the end of the block around it. */
#ifndef __cplusplus
#define PINVIEW_NAMED_VALUES(...) \
    (const pinview_named_value[]){__VA_ARGS__}, \
        sizeof((const pinview_named_value[]){__VA_ARGS__}) / sizeof(pinview_named_value)
#endif

/** Several values as two arguments, an array and its count, for pinview_fetch; C only. */
#ifndef __cplusplus
#define PINVIEW_VALUES(...) \
    (const pinview_value[]){__VA_ARGS__}, \
        sizeof((const pinview_value[]){__VA_ARGS__}) / sizeof(pinview_value)
#endif

/** What PINVIEW_CHECK does last. Define it before this file to do something else: goto failed. */
#ifndef PINVIEW_CHECK_LEAVES
#define PINVIEW_CHECK_LEAVES exit(EXIT_FAILURE)
#endif

#define PINVIEW_TEXT_OF_NUMBER(number) #number
#define PINVIEW_PLACE_OF(file, line) file ":" PINVIEW_TEXT_OF_NUMBER(line)

/** Makes a call that returns a status. If it fails, prints the place in the program and the error's
 * message to standard error, and ends the program with EXIT_FAILURE (see PINVIEW_CHECK_LEAVES). */
#define PINVIEW_CHECK(call) \
    do { \
        const pinview_status pinview_check_status = (call); \
        if (pinview_check_status != PINVIEW_OK) { \
            pinview_print_last_error(PINVIEW_PLACE_OF(__FILE__, __LINE__), pinview_check_status); \
            PINVIEW_CHECK_LEAVES; \
        } \
    } while (0)

/** Prints the description of the thread's last error to standard error, after a text and a colon.
 * If the last error has another status, prints the status.
 * @param where what stands before the error; NULL for nothing
 * @param status what the failed call returned */
void pinview_print_last_error(const char *where, pinview_status status);

/**
 * Opens a store: creates a model, a coordinator with the store, and a private-queue context.
 *
 * @param model_json as for pinview_model_create_from_json
 * @param path an SQLite file, created if it does not exist; NULL for a store in memory
 * @param options as for pinview_coordinator_add_store
 * @param out keeps the coordinator alive, and with it the store
 * Errors: those of pinview_model_create_from_json and pinview_coordinator_add_store
 * Cost: as pinview_coordinator_add_store.
 */
pinview_status pinview_open(
    const char *model_json, const char *path, const pinview_named_value *options,
    size_t option_count, pinview_context **out, pinview_error **error);

/** Creates another private-queue context on the coordinator of a context.
 * Threads: any thread. */
pinview_status pinview_open_another(
    pinview_context *context, pinview_context **out, pinview_error **error);

/**
 * Creates an object with values for some of its properties; see pinview_context_insert_objects.
 *
 * @param entity the name of an entity that is not abstract
 * @param values attributes and to-one relationships, each at most once; relationships take objects
 * @param out NULL if not needed: the context keeps the object until it is saved
 * Core Data: NSEntityDescription.insertNewObject(forEntityName:into:) and setValue(_:forKey:)
 */
pinview_status pinview_insert(
    pinview_context *context, const char *entity, const pinview_named_value *values, size_t count,
    pinview_object **out, pinview_error **error);

/** Sets several properties of an object, in this order; see pinview_object_set_value. After a
 * failure, those before the faulty one are set.
 * Generation: reads.
 * Core Data: setValuesForKeys(_:) */
pinview_status pinview_set(
    pinview_object *object, const pinview_named_value *values, size_t count, pinview_error **error);

/**
 * Fetches objects; see pinview_context_fetch.
 *
 * @param entity the name of the entity
 * @param format which objects, in the format language; NULL for all
 * @param arguments one for each % in the format
 * @param sort key paths separated by commas, those to sort by in descending order after a minus
 *     sign, such as "-age, name"; NULL for any order
 * Errors: those of pinview_predicate_create and pinview_context_fetch
 * Cost: one statement per store.
 * Generation: reads.
 * Core Data: fetch(_:)
 */
pinview_status pinview_fetch(
    pinview_context *context, const char *entity, const char *format,
    const pinview_value *arguments, size_t count, const char *sort, pinview_result **out,
    pinview_error **error);

/**
 * Fetches the first object that pinview_fetch would return.
 *
 * @param out NULL if there is none
 * Errors: those of pinview_fetch
 * Cost: one statement per store.
 * Generation: reads.
 */
pinview_status pinview_fetch_first(
    pinview_context *context, const char *entity, const char *format,
    const pinview_value *arguments, size_t count, const char *sort, pinview_object **out,
    pinview_error **error);

/**
 * Goes through the objects of a result. A loop that ends early releases the object it has.
 *
 * @param index where to go on, 0 to begin with; increased by 1
 * @param object the object of the previous call, which is released, or NULL; receives the next one,
 *     owned by the caller, or NULL at the end and after a failure
 * @return 1 if there is an object; 0 at the end and after a failure
 * Cost: with a batch size, a statement per page.
 */
int32_t pinview_next(
    pinview_result *result, uint64_t *index, pinview_object **object, pinview_error **error);

/**
 * Returns the value of an attribute: as a text, of a text or decimal attribute (borrowed as from
 * pinview_object_value; what follows a NUL byte in it is not seen); as an integer, of an integer or
 * Boolean one; as a double, of a floating-point, integer or date one; as 0 or 1, of a Boolean or
 * integer one.
 *
 * @param fallback returned if the value is null, and after a failure
 * Errors: those of pinview_object_value; PINVIEW_ERROR_WRONG_TYPE if it is of another type
 * Generation: reads.
 */
const char *pinview_get_text(
    pinview_object *object, const char *key, const char *fallback, pinview_error **error);
int64_t pinview_get_integer(
    pinview_object *object, const char *key, int64_t fallback, pinview_error **error);
double pinview_get_double(
    pinview_object *object, const char *key, double fallback, pinview_error **error);
int32_t pinview_get_boolean(
    pinview_object *object, const char *key, int32_t fallback, pinview_error **error);

/** @} */

#ifdef __cplusplus
}
#endif

#endif /* PINVIEW_H */
