/*
 * pinview.h - the C interface of Pinview, and its manual.
 *
 * Pinview keeps a graph of managed objects over an ordinary SQLite file and lets a program pin its view to a query
 * generation: a state of the store that does not move until the program says so, whatever other threads and other
 * processes commit meanwhile. The words are Core Data's: a model describes entities; a coordinator joins a model with
 * stores; a context fetches, changes and saves managed objects; a token names a generation.
 *
 * This file is the specification: what is not written here does not exist. A program in a nutshell:
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
 *         pinview_coordinator_add_store(coordinator, pinview_text(PINVIEW_STORE_TYPE_SQLITE), pinview_absent(),
 *                                       pinview_text("people.sqlite"), NULL, 0, NULL, &error) != PINVIEW_OK ||
 *         pinview_context_create(PINVIEW_CONCURRENCY_PRIVATE_QUEUE, &context, &error) != PINVIEW_OK ||
 *         pinview_context_set_coordinator(context, coordinator, &error) != PINVIEW_OK ||
 *         pinview_context_set_query_generation(context, pinview_token_current(), &error) != PINVIEW_OK ||
 *         pinview_fetch_request_init(&request, sizeof request, pinview_text("Person"), &error) != PINVIEW_OK ||
 *         pinview_context_fetch(context, &request, &people, &error) != PINVIEW_OK)
 *         fprintf(stderr, "%s\n", pinview_error_message(error).data);
 *
 * RULES THAT HOLD EVERYWHERE (the doc blocks name only exceptions)
 *
 * Ownership. What comes through a parameter `T **out` is owned by the caller, who releases it once. Everything else is
 * borrowed: arguments for the call, results as their doc says. Handles keep what they need alive (an object's values,
 * a context's coordinator), so the order of releases never matters. An object does not keep its context alive.
 *
 * Handles are checked names, not addresses: slot and serial number in a table. Each call looks them up first. NULL, a
 * released handle, a handle of another kind, and random bits give PINVIEW_ERROR_INVALID_HANDLE, never a crash. Two
 * handles may name one thing: compare with the _is_equal functions. A handle made before fork() gives
 * PINVIEW_ERROR_FORKED in the child; releasing it there only forgets it.
 *
 * Errors. Every function that can fail returns a status, 0 or a stable negative number, and takes `pinview_error **error`
 * last, which may be NULL. On failure it receives an owned, immutable error; on success it receives NULL. The status is
 * the error's code with a minus sign where the domain is PINVIEW_ERROR_DOMAIN or PINVIEW_COCOA_ERROR_DOMAIN. Retain and release
 * take no error, so that they fit into clean-up code. NULL for a parameter that is no handle and not said to allow it is
 * PINVIEW_ERROR_INVALID_ARGUMENT; so are an index out of range, a number that is no constant of its kind, and a flag that has no
 * constant. A struct that begins with struct_size may be larger than this library's: what is beyond has to be 0 going in, or the call
 * is refused with PINVIEW_ERROR_INVALID_ARGUMENT, and is set to 0 coming out. Every function
 * may also give PINVIEW_ERROR_INVALID_HANDLE and PINVIEW_ERROR_FORKED, every one that takes texts PINVIEW_ERROR_INVALID_UTF8.
 * Out-parameters are NULL, 0 or the absent text after a failure unless a doc says otherwise. Where a store stayed locked for longer than
 * its busyTimeout, the status is that of what was tried (PINVIEW_ERROR_STORE_SAVE, PINVIEW_ERROR_STORE_OPEN, PINVIEW_ERROR_SQLITE), and
 * pinview_error_sqlite_code is SQLITE_BUSY (5) in its low byte. "Ledger" and codes such as QG-05 name the project's own tests.
 *
 * Counts and sizes. A count of elements or a size in bytes that a caller gives is at most 2,147,483,647 (INT32_MAX), in a parameter, a
 * struct, a text, data or a value. A larger one is PINVIEW_ERROR_INVALID_ARGUMENT before the array, the text or the place for results is
 * looked at; functions without a status do nothing then. Up to there a count is believed: only the caller knows how much memory is there.
 * NULL for an array of no elements is legal.
 *
 * Texts are UTF-8 views with a length: see pinview_string. A text or data that the library hands out belongs to the handle it
 * was asked from: it is valid until the same thing is asked from the same handle again, or until that handle's last release.
 * Texts of immutable things (errors, models, entities, object IDs, tokens, stores) stay until the last release.
 *
 * Threads. "any thread": at any time, also at once with everything else. "context rule": a private-queue context and its objects
 * may be used from any thread; a direct call waits for the context's queue and is taken as a block of its own. A
 * main-queue context and its objects are for the main thread, a confinement context for the thread that made it; other threads
 * get PINVIEW_ERROR_WRONG_QUEUE. With the concurrency check (pinview_set_concurrency_debug) a private-queue context can only be used
 * inside its blocks. A call that would wait for ever, because the thread that uses the context waits, maybe through others, for a context
 * that the calling thread is using, gives PINVIEW_ERROR_DEADLOCK and does nothing. "the main thread": the thread that the process
 * began with; others get PINVIEW_ERROR_WRONG_QUEUE.
 *
 * Callbacks take `void *userdata` and, where it outlives the call, a function that frees it, which may be NULL. The library owns
 * userdata only after the call succeeded. A callback's status: PINVIEW_OK; PINVIEW_STOP and PINVIEW_USE_DEFAULT, whose meaning stands
 * with each callback; from 100 on the program's own, which come back unchanged; or the status of a call that failed inside. The library
 * holds no lock of its own while it calls a callback or frees userdata: both may call everything that their doc does not exclude.
 *
 * Generation effects. Each doc says whether a call pins (fixes the generation of a context that is pinned and has not read yet),
 * advances (lets the context move to the newest generation), or neither.
 *
 * Costs are counted in SQL statements and rows. No function allocates with the program's malloc or frees its memory.
 */
#ifndef PINVIEW_H
#define PINVIEW_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ================================================================================================================
 * Version and features
 *
 * What was compiled against, what is loaded, and what it can do.
 * ================================================================================================================ */

#define PINVIEW_VERSION_MAJOR 0
#define PINVIEW_VERSION_MINOR 1
#define PINVIEW_VERSION_PATCH 0
#define PINVIEW_VERSION_STRING "0.1.0"
/* 1,000,000 * major + 1,000 * minor + patch */
#define PINVIEW_VERSION_NUMBER 1000

/* Marks what exists for ported programs only. Define PINVIEW_ALLOW_DEPRECATED to use it without a warning. */
#if defined(PINVIEW_ALLOW_DEPRECATED) || defined(__swift__) || !defined(__GNUC__)
#define PINVIEW_DEPRECATED(advice)
#else
#define PINVIEW_DEPRECATED(advice) __attribute__((deprecated(advice)))
#endif

/* NSCoreDataVersionNumber: the level that this library stands for, above every published number (API-V01; DEC-40). */
#define PINVIEW_CORE_DATA_VERSION_NUMBER 700.0
/* NSCoreDataVersionNumber…: the published numbers, for version checks in ported code (API-V02 to API-V40). */
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

/* NSNotFound: the largest 64-bit signed integer. What a count is after it failed (DEC-59). */
#define PINVIEW_NOT_FOUND INT64_MAX

/* The kinds of handles. Each is a type of its own and never complete. */
typedef struct pinview_error pinview_error;                         /* what went wrong; immutable */
typedef struct pinview_buffer pinview_buffer;                       /* where bulk calls put texts and data */
typedef struct pinview_model_builder pinview_model_builder;         /* a model in the making */
typedef struct pinview_model pinview_model;                         /* NSManagedObjectModel; immutable */
typedef struct pinview_entity pinview_entity;                       /* NSEntityDescription; immutable */
typedef struct pinview_coordinator pinview_coordinator;             /* NSPersistentStoreCoordinator */
typedef struct pinview_store pinview_store;                         /* NSPersistentStore */
typedef struct pinview_container pinview_container;                 /* NSPersistentContainer */
typedef struct pinview_token pinview_token;                         /* NSQueryGenerationToken; immutable */
typedef struct pinview_context pinview_context;                     /* NSManagedObjectContext */
typedef struct pinview_undo_manager pinview_undo_manager;           /* UndoManager */
typedef struct pinview_weak_context pinview_weak_context;           /* a context that is not kept alive */
typedef struct pinview_object pinview_object;                       /* NSManagedObject */
typedef struct pinview_object_block pinview_object_block;           /* objects of one entity that are read together */
typedef struct pinview_weak_object pinview_weak_object;             /* an object that is not kept alive */
typedef struct pinview_object_id pinview_object_id;                 /* NSManagedObjectID; immutable */
typedef struct pinview_fetch_template pinview_fetch_template;       /* a request that a model keeps, or one made from it; immutable */
typedef struct pinview_results_controller pinview_results_controller; /* NSFetchedResultsController */
typedef struct pinview_result pinview_result;                       /* objects, object IDs, rows of values, or a count */
typedef struct pinview_predicate pinview_predicate;                 /* NSPredicate; immutable */
typedef struct pinview_expression pinview_expression;               /* NSExpression; immutable */
typedef struct pinview_observer pinview_observer;                   /* a registration for notifications */
typedef struct pinview_notification pinview_notification;           /* NSNotification; immutable */
typedef struct pinview_merge pinview_merge;                         /* the conflicts of a save, for its policy to settle */
typedef struct pinview_history_token pinview_history_token;         /* NSPersistentHistoryToken; immutable */
typedef struct pinview_history pinview_history;                     /* NSPersistentHistoryTransactions; immutable */
typedef struct pinview_asynchronous_fetch pinview_asynchronous_fetch; /* NSAsynchronousFetchResult */
typedef struct pinview_difference pinview_difference;               /* what differs between two generations; immutable */
typedef struct pinview_journal_report pinview_journal_report;       /* who holds the journals of stores; immutable */

/* 0 for success, a negative number for an error of the library, from 100 on a program's own (from callbacks). */
typedef int32_t pinview_status;

/* Frees userdata. Runs on the thread that drops the last use of it and may call everything. For what goes on in the background
 * that is a thread of the library, a moment after the end that can be waited for: until this call the userdata has to be there. */
typedef void (*pinview_free_callback)(void *userdata);

/* A block of a context. Its status comes back from pinview_context_perform_and_wait; pinview_context_perform has no use for it. */
typedef pinview_status (*pinview_block_callback)(pinview_context *context, void *userdata);

/* ================================================================================================================
 * Values and strings
 *
 * A property value, a text, and data, as they cross the border. Layouts never change.
 * ================================================================================================================ */

/*
 * A text in UTF-8 with its size in bytes. Three states: absent (data is NULL and size 0), empty (data is not NULL, size is 0),
 * and a text. Going in it is a view that is read during the call; NUL bytes inside are legal, invalid UTF-8 is
 * PINVIEW_ERROR_INVALID_UTF8. Coming out it is a borrowed view, followed by a NUL byte for convenience.
 */
typedef struct pinview_string {
    const char *data;
    size_t size;
} pinview_string;

/* Bytes; absent, empty or some, as for texts. */
typedef struct pinview_binary {
    const uint8_t *data;
    size_t size;
} pinview_binary;

/* A view of a C string; absent for NULL. Costs a strlen. */
static inline pinview_string pinview_text(const char *text) {
    pinview_string result;
    result.data = text;
    result.size = text == NULL ? 0 : strlen(text);
    return result;
}

/* The absent text. */
static inline pinview_string pinview_absent(void) {
    pinview_string result;
    result.data = NULL;
    result.size = 0;
    return result;
}

/* What a value is. */
#define PINVIEW_VALUE_NULL ((int32_t)0)
#define PINVIEW_VALUE_BOOLEAN ((int32_t)1)   /* as.boolean: 0 or 1; any other number going in counts as 1 */
#define PINVIEW_VALUE_INTEGER ((int32_t)2)   /* as.integer */
#define PINVIEW_VALUE_DOUBLE ((int32_t)3)    /* as.real */
#define PINVIEW_VALUE_STRING ((int32_t)4)    /* as.string */
#define PINVIEW_VALUE_BINARY ((int32_t)5)    /* as.binary */
#define PINVIEW_VALUE_DATE ((int32_t)6)      /* as.real: seconds since 2001-01-01 00:00 UTC */
#define PINVIEW_VALUE_UUID ((int32_t)7)      /* as.uuid */
/* In as.string: up to 38 significant digits, such as -12.50 or 1e6, or NaN; stores hold whole numbers of 64 bits, and others of up to
 * 15 digits. */
#define PINVIEW_VALUE_DECIMAL ((int32_t)8)
#define PINVIEW_VALUE_OBJECT ((int32_t)9)    /* as.object; going in only */
#define PINVIEW_VALUE_OBJECT_ID ((int32_t)10) /* as.object_id */
#define PINVIEW_VALUE_LIST ((int32_t)11)     /* as.list; going in only, as the argument of a predicate */

typedef struct pinview_value pinview_value;

/* Several values, for IN and BETWEEN. */
typedef struct pinview_value_list {
    const pinview_value *items;
    size_t count;
} pinview_value_list;

/* What is in a value; which member counts is told by its type. */
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

/* One value. Handles in it are borrowed: from the caller going in, from the place where texts live coming out. */
struct pinview_value {
    int32_t type;     /* PINVIEW_VALUE_... */
    int32_t reserved; /* 0 */
    pinview_value_contents as;
};

/* The value that is nothing. */
static inline pinview_value pinview_value_null(void) {
    pinview_value result;
    memset(&result, 0, sizeof result);
    return result;
}

static inline pinview_value pinview_value_boolean(int32_t boolean) {
    pinview_value result = pinview_value_null();
    result.type = PINVIEW_VALUE_BOOLEAN;
    result.as.boolean = boolean;
    return result;
}

static inline pinview_value pinview_value_integer(int64_t integer) {
    pinview_value result = pinview_value_null();
    result.type = PINVIEW_VALUE_INTEGER;
    result.as.integer = integer;
    return result;
}

static inline pinview_value pinview_value_double(double real) {
    pinview_value result = pinview_value_null();
    result.type = PINVIEW_VALUE_DOUBLE;
    result.as.real = real;
    return result;
}

/* The text is not copied: it has to live as long as the value. */
static inline pinview_value pinview_value_text(const char *text) {
    pinview_value result = pinview_value_null();
    result.type = text == NULL ? PINVIEW_VALUE_NULL : PINVIEW_VALUE_STRING;
    result.as.string = pinview_text(text);
    return result;
}

/* Seconds since 2001-01-01 00:00 UTC. */
static inline pinview_value pinview_value_date(double seconds) {
    pinview_value result = pinview_value_null();
    result.type = PINVIEW_VALUE_DATE;
    result.as.real = seconds;
    return result;
}

/* Null for NULL. The value borrows the handle. */
static inline pinview_value pinview_value_object(pinview_object *object) {
    pinview_value result = pinview_value_null();
    result.type = object == NULL ? PINVIEW_VALUE_NULL : PINVIEW_VALUE_OBJECT;
    result.as.object = object;
    return result;
}

/* A named value: an option, a variable of a predicate, a property to update. */
typedef struct pinview_named_value {
    pinview_string name;
    pinview_value value;
} pinview_named_value;

/* ================================================================================================================
 * Errors
 *
 * The status of a call, and the error object that says more. Errors are immutable; any thread may use them.
 * ================================================================================================================ */

#define PINVIEW_OK ((int32_t)0)

/* Reserved for callbacks: end this, and do as if there were no callback. The library returns neither. */
#define PINVIEW_STOP ((int32_t)1)
#define PINVIEW_USE_DEFAULT ((int32_t)2)

/* Programmer errors (PINVIEW_ERROR_DOMAIN; ERR-06). */
#define PINVIEW_ERROR_NESTED_PIN ((int32_t)-1) /* a child context cannot be pinned; pin its root */
#define PINVIEW_ERROR_FOREIGN_TOKEN ((int32_t)-2) /* the token comes from another coordinator */
#define PINVIEW_ERROR_GENERATION_EXPIRED ((int32_t)-3) /* no context is on the token's generation any more */
#define PINVIEW_ERROR_WRONG_QUEUE ((int32_t)-4) /* the wrong thread for this context */
#define PINVIEW_ERROR_WRONG_CONTEXT ((int32_t)-5) /* the object belongs to another context */
#define PINVIEW_ERROR_WRONG_STORE ((int32_t)-6) /* the store lacks the entity, or the object is in another store */
#define PINVIEW_ERROR_NO_COORDINATOR ((int32_t)-7) /* the context has neither coordinator nor parent */
#define PINVIEW_ERROR_COORDINATOR_NIL ((int32_t)-8) /* coordinator or parent cannot be taken away or changed */
#define PINVIEW_ERROR_CONFINEMENT_PARENT ((int32_t)-9) /* a confinement context cannot be, or have, a parent */
#define PINVIEW_ERROR_CONFINEMENT_PERFORM ((int32_t)-10) /* a confinement context has no queue */
#define PINVIEW_ERROR_PARENT_CYCLE ((int32_t)-11) /* a context cannot be its own ancestor */
#define PINVIEW_ERROR_CONTEXT_GONE ((int32_t)-12) /* the object's context has ended */
#define PINVIEW_ERROR_OBJECT_INVALIDATED ((int32_t)-13) /* the object was forgotten by a reset or by the removal of its store */
#define PINVIEW_ERROR_NO_CURRENT_CONTEXT ((int32_t)-14) /* the calling thread is in no block */
#define PINVIEW_ERROR_PINNED_AUTO_MERGE ((int32_t)-15) /* automatic merging and this pin exclude each other */
#define PINVIEW_ERROR_UNKNOWN_ENTITY ((int32_t)-16) /* the model has no such entity */
#define PINVIEW_ERROR_UNKNOWN_KEY ((int32_t)-17) /* the entity has no such property */
#define PINVIEW_ERROR_WRONG_TYPE ((int32_t)-18) /* the value does not fit the property */
#define PINVIEW_ERROR_BAD_PREDICATE ((int32_t)-19) /* the predicate is malformed */
#define PINVIEW_ERROR_BAD_MODEL ((int32_t)-20) /* the model contradicts itself */
#define PINVIEW_ERROR_NOT_LOCKED ((int32_t)-21) /* unlock without lock */
#define PINVIEW_ERROR_INVALID_HANDLE ((int32_t)-101) /* NULL, released, of another kind, or no handle at all */
#define PINVIEW_ERROR_INVALID_ARGUMENT ((int32_t)-102) /* an argument that no caller may give */
#define PINVIEW_ERROR_INVALID_UTF8 ((int32_t)-103) /* a text that is not UTF-8 */
#define PINVIEW_ERROR_GENERATION_LOST ((int32_t)-104) /* the pinned generation cannot be read any more; nothing wrong was shown */
#define PINVIEW_ERROR_FORKED ((int32_t)-105) /* made before fork(), used in the child */
#define PINVIEW_ERROR_OUT_OF_MEMORY ((int32_t)-106) /* no memory, or no handle left */
#define PINVIEW_ERROR_UNKNOWN_STORE ((int32_t)-107) /* the store is not on this coordinator */
#define PINVIEW_ERROR_STOPPED ((int32_t)-108) /* a callback returned PINVIEW_STOP */
#define PINVIEW_ERROR_TIMED_OUT ((int32_t)-109) /* a fetch took longer than its timeout */
#define PINVIEW_ERROR_DEADLOCK ((int32_t)-110) /* the thread would have waited for a context whose thread waits for it */

/* What can go wrong with data and stores, with Core Data's numbers (PINVIEW_COCOA_ERROR_DOMAIN; DEC-34). */
#define PINVIEW_ERROR_VALIDATION ((int32_t)-1550) /* a validation failed */
#define PINVIEW_ERROR_VALIDATION_MULTIPLE_ERRORS ((int32_t)-1560) /* several failures, listed under the error */
#define PINVIEW_ERROR_VALIDATION_MISSING_MANDATORY_PROPERTY ((int32_t)-1570) /* a property that is not optional has no value */
#define PINVIEW_ERROR_VALIDATION_RELATIONSHIP_LACKS_MINIMUM_COUNT ((int32_t)-1580) /* too few related objects */
#define PINVIEW_ERROR_VALIDATION_RELATIONSHIP_EXCEEDS_MAXIMUM_COUNT ((int32_t)-1590) /* too many related objects */
#define PINVIEW_ERROR_VALIDATION_RELATIONSHIP_DENIED_DELETE ((int32_t)-1600) /* the delete rule deny */
#define PINVIEW_ERROR_VALIDATION_NUMBER_TOO_LARGE ((int32_t)-1610)
#define PINVIEW_ERROR_VALIDATION_NUMBER_TOO_SMALL ((int32_t)-1620)
#define PINVIEW_ERROR_VALIDATION_DATE_TOO_LATE ((int32_t)-1630)
#define PINVIEW_ERROR_VALIDATION_DATE_TOO_SOON ((int32_t)-1640)
#define PINVIEW_ERROR_VALIDATION_INVALID_DATE ((int32_t)-1650)
#define PINVIEW_ERROR_VALIDATION_STRING_TOO_LONG ((int32_t)-1660)
#define PINVIEW_ERROR_VALIDATION_STRING_TOO_SHORT ((int32_t)-1670)
#define PINVIEW_ERROR_VALIDATION_STRING_PATTERN_MATCHING ((int32_t)-1680)
#define PINVIEW_ERROR_VALIDATION_INVALID_URI ((int32_t)-1690)
#define PINVIEW_ERROR_CANCELLED ((int32_t)-3072) /* a fetch was cancelled or interrupted */
#define PINVIEW_ERROR_REFERENTIAL_INTEGRITY ((int32_t)-133000) /* there is no such row */
#define PINVIEW_ERROR_EXTERNAL_RELATIONSHIP ((int32_t)-133010) /* a relationship between objects of different stores */
#define PINVIEW_ERROR_MERGE ((int32_t)-133020) /* somebody else changed the row since; the conflicts are listed */
#define PINVIEW_ERROR_CONSTRAINT_MERGE ((int32_t)-133021) /* a uniqueness constraint */
#define PINVIEW_ERROR_STORE_SAVE ((int32_t)-134030) /* the store could not be written */
#define PINVIEW_ERROR_STORE_OPERATION ((int32_t)-134070) /* the store could not do it, for example because it was removed */
#define PINVIEW_ERROR_STORE_OPEN ((int32_t)-134080) /* the store could not be opened */
#define PINVIEW_ERROR_UNSUPPORTED_REQUEST ((int32_t)-134091) /* the store does not know this request */
#define PINVIEW_ERROR_INCOMPATIBLE_MODEL ((int32_t)-134100) /* the store was written with another model */
#define PINVIEW_ERROR_SQLITE ((int32_t)-134180) /* SQLite reported damage or failed */
#define PINVIEW_ERROR_HISTORY_TOKEN_EXPIRED ((int32_t)-134301) /* that part of the history was deleted */

/* Domains (ERR-08). Errors of a callback that gave none have PINVIEW_CALLBACK_ERROR_DOMAIN. */
#define PINVIEW_COCOA_ERROR_DOMAIN "NSCocoaErrorDomain"
#define PINVIEW_ERROR_DOMAIN "PinviewErrorDomain"
#define PINVIEW_SQLITE_ERROR_DOMAIN "NSSQLiteErrorDomain"
#define PINVIEW_CALLBACK_ERROR_DOMAIN "PinviewCallbackErrorDomain"

/* Keys of an error's userInfo (API-58 to API-61). What Core Data has under them is reached with the functions below. */
#define PINVIEW_AFFECTED_OBJECTS_ERROR_KEY "NSAffectedObjectsErrorKey"       /* pinview_error_affected_object_ids */
#define PINVIEW_AFFECTED_STORES_ERROR_KEY "NSAffectedStoresErrorKey"         /* pinview_error_affected_store */
#define PINVIEW_DETAILED_ERRORS_KEY "NSDetailedErrorsKey"                    /* pinview_error_detailed_error */
#define PINVIEW_VALIDATION_OBJECT_ERROR_KEY "NSValidationObjectErrorKey"     /* pinview_error_affected_object_ids */
#define PINVIEW_VALIDATION_KEY_ERROR_KEY "NSValidationKeyErrorKey"           /* pinview_error_validation_key */
#define PINVIEW_VALIDATION_VALUE_ERROR_KEY "NSValidationValueErrorKey"       /* pinview_error_validation_value */
#define PINVIEW_UNDERLYING_ERROR_KEY "NSUnderlyingError"                     /* pinview_error_underlying_error */
#define PINVIEW_CONFLICTS_ERROR_KEY "conflictList" /* pinview_error_conflict, pinview_error_constraint_conflict */

/* One row that a save found changed since its context last saw it. */
typedef struct pinview_conflict {
    uint32_t struct_size;         /* set by the caller: sizeof(pinview_conflict) */
    int32_t row_exists;           /* 0 when the row has been deleted: new_version is 0 and all values of theirs are null */
    pinview_object_id *object_id; /* borrowed from the error */
    int64_t old_version;          /* the row version that the context's changes are based on */
    int64_t new_version;          /* the one in the store */
    uint64_t property_count;      /* for pinview_error_conflict_property */
    int32_t is_deletion;          /* 1 when the context wants to delete the object: mine is as base then */
    int32_t constraint_number;    /* 0; for a conflict of uniqueness 1 + the index of the constraint conflict that it is part of */
} pinview_conflict;

/* One property of a conflict. Texts and handles are borrowed from the error. */
typedef struct pinview_conflict_property {
    uint32_t struct_size; /* set by the caller: sizeof(pinview_conflict_property) */
    uint32_t reserved;    /* 0 */
    pinview_string name;
    pinview_value base;   /* what the context last saw */
    pinview_value mine;   /* what the context wants to save */
    pinview_value theirs; /* what is in the store */
} pinview_conflict_property;

/* Objects that would have the same values in a uniqueness constraint. Texts and handles are borrowed from the error. */
typedef struct pinview_constraint_conflict {
    uint32_t struct_size;                  /* set by the caller: sizeof(pinview_constraint_conflict) */
    uint32_t constraint_property_count;    /* for pinview_error_constraint_conflict_property */
    pinview_string entity_name;            /* the entity that declares the constraint */
    pinview_object_id *database_object_id; /* what has the values in the store; NULL where all objects are part of the same save */
    uint64_t object_count;                 /* the context's objects, for pinview_error_constraint_conflict_object */
    uint64_t snapshot_property_count;      /* for pinview_error_constraint_conflict_value */
} pinview_constraint_conflict;

/* One property of a constraint conflict, and its value. Texts and handles are borrowed from the error. */
typedef struct pinview_constraint_property {
    uint32_t struct_size; /* set by the caller: sizeof(pinview_constraint_property) */
    uint32_t reserved;    /* 0 */
    pinview_string name;
    pinview_value value;
} pinview_constraint_property;

/**
 * The version of the library that is loaded: 1,000,000 * major + 1,000 * minor + patch. Cannot fail.
 *
 * Returns: the number.
 * After failure: it cannot fail.
 * Threads: any thread.
 * Cost: no statement.
 * Generation: neither.
 * Since: 0.1
 * Core Data: none.
 */
uint32_t pinview_version_number(void);

/**
 * The version of the library that is loaded, such as "0.1.0". Cannot fail.
 *
 * Returns: the text; valid for ever.
 * After failure: it cannot fail.
 * Threads: any thread.
 * Cost: no statement.
 * Generation: neither.
 * Since: 0.1
 * Core Data: none.
 */
pinview_string pinview_version_string(void);

/**
 * The version of the SQLite library in use, such as "3.40.1". Cannot fail.
 *
 * Returns: the text; valid for ever.
 * After failure: it cannot fail.
 * Threads: any thread.
 * Cost: no statement.
 * Generation: neither.
 * Since: 0.1
 * Core Data: none.
 */
pinview_string pinview_sqlite_version(void);

/**
 * Whether the loaded library has a feature: "query-generations", "undo", "nested-contexts", "merge-policies", "batch-update",
 * "sql-log", "journal-report", "journal-budget", "batch-insert", "batch-delete", "history", "asynchronous-fetch",
 * "columns", "dictionary-results", "explain", "expressions", "fetch-request-templates", "fetched-properties", "generation-difference",
 * "remote-changes", "results-controller", "upsert" (and merge policies of batch inserts). Cannot fail.
 *
 * @param name the feature
 *
 * Returns: 1, or 0 for a feature it does not know.
 * After failure: it cannot fail.
 * Threads: any thread.
 * Cost: no statement.
 * Generation: neither.
 * Since: 0.1
 * Core Data: none.
 */
int32_t pinview_has_feature(pinview_string name);

/**
 * How many handles of the process are alive: a program that has released everything sees the number from before it
 * began. Cannot fail.
 *
 * Returns: the number.
 * After failure: it cannot fail.
 * Threads: any thread.
 * Cost: no statement.
 * Generation: neither.
 * Since: 0.1
 * Core Data: none.
 */
int64_t pinview_handle_count(void);

/**
 * Makes an error of the program's own, to be returned from a callback. Made inside a block of
 * pinview_context_perform_and_wait it becomes the thread's last error; when the block returns its status
 * (pinview_error_status), the call gives this error, userdata included.
 *
 * @param domain a name for the program's errors
 * @param code any number
 * @param message one line: what was wrong with which value, what to do
 * @param userdata kept with the error, for example an exception object; may be NULL
 * @param free_userdata called when the error goes; may be NULL
 * @param out the error, owned by the caller
 *
 * Returns: PINVIEW_OK, or the status of the error.
 * After failure: nothing has changed.
 * Threads: any thread.
 * Cost: no statement.
 * Generation: neither.
 * Since: 0.1
 * Core Data: -[NSError initWithDomain:code:userInfo:]
 * Ledger: ERR-01
 */
pinview_status pinview_error_create(
    pinview_string domain, int64_t code, pinview_string message, void *userdata, pinview_free_callback
    free_userdata, pinview_error **out, pinview_error **error);

/**
 * Adds a reference to an error. Each reference is released once.
 *
 * @param error the handle; it stays the same
 *
 * Returns: PINVIEW_OK; PINVIEW_ERROR_INVALID_HANDLE, also when a handle has 16,777,215 references already.
 * After failure: nothing has changed.
 * Threads: any thread.
 * Cost: no statement.
 * Generation: neither.
 * Since: 0.1
 * Core Data: none.
 */
pinview_status pinview_error_retain(pinview_error *error);

/**
 * Gives back one reference to an error. The last one makes the handle invalid.
 *
 * @param error the handle; NULL does nothing
 *
 * Returns: PINVIEW_OK; PINVIEW_ERROR_INVALID_HANDLE for a handle that was released already.
 * After failure: nothing has changed.
 * Threads: any thread.
 * Cost: no statement.
 * Generation: neither.
 * Since: 0.1
 * Core Data: none.
 */
pinview_status pinview_error_release(pinview_error *error);

/**
 * The last error that a call of this thread gave, whether or not it took the error. Success does not clear it. For
 * small programs. Cannot fail.
 *
 * Returns: the error, borrowed until the next failing call of this thread; NULL if there was none.
 * After failure: it cannot fail.
 * Threads: any thread.
 * Cost: no statement.
 * Generation: neither.
 * Since: 0.1
 * Core Data: none.
 */
pinview_error *pinview_error_last(void);

/**
 * The status that goes with an error: its code with a minus sign; PINVIEW_ERROR_SQLITE for the SQLite domain; the
 * code itself for a program's own errors where it is from 100 to INT32_MAX, else 100. Cannot fail.
 *
 * @param self the error; NULL and released handles give the value for "none"
 *
 * Returns: the status; PINVIEW_OK for none.
 * After failure: it cannot fail.
 * Threads: any thread.
 * Cost: no statement.
 * Generation: neither.
 * Since: 0.1
 * Core Data: none.
 */
pinview_status pinview_error_status(const pinview_error *self);

/**
 * The code of an error: positive, in its domain. Cannot fail.
 *
 * @param self the error; NULL and released handles give the value for "none"
 *
 * Returns: the code; 0 for none.
 * After failure: it cannot fail.
 * Threads: any thread.
 * Cost: no statement.
 * Generation: neither.
 * Since: 0.1
 * Core Data: NSError.code
 * Ledger: ERR-01
 */
int64_t pinview_error_code(const pinview_error *self);

/**
 * The domain of an error. Cannot fail.
 *
 * @param self the error; NULL and released handles give the value for "none"
 *
 * Returns: the text; absent for none.
 * After failure: it cannot fail.
 * Threads: any thread.
 * Cost: no statement.
 * Generation: neither.
 * Since: 0.1
 * Core Data: NSError.domain
 * Ledger: ERR-01
 */
pinview_string pinview_error_domain(const pinview_error *self);

/**
 * What was wrong with which value, and what to do, in one line. Cannot fail.
 *
 * @param self the error; NULL and released handles give the value for "none"
 *
 * Returns: the text; absent for none.
 * After failure: it cannot fail.
 * Threads: any thread.
 * Cost: no statement.
 * Generation: neither.
 * Since: 0.1
 * Core Data: NSError.localizedDescription
 * Ledger: ERR-01
 */
pinview_string pinview_error_message(const pinview_error *self);

/**
 * Domain, code, message, and the errors below, one a line. Cannot fail.
 *
 * @param self the error; NULL and released handles give the value for "none"
 *
 * Returns: the text; absent for none.
 * After failure: it cannot fail.
 * Threads: any thread.
 * Cost: no statement.
 * Generation: neither.
 * Since: 0.1
 * Core Data: NSError.description
 */
pinview_string pinview_error_description(const pinview_error *self);

/**
 * SQLite's extended result code, where the error comes from SQLite. Cannot fail.
 *
 * @param self the error; NULL and released handles give the value for "none"
 *
 * Returns: the code; 0 for none.
 * After failure: it cannot fail.
 * Threads: any thread.
 * Cost: no statement.
 * Generation: neither.
 * Since: 0.1
 * Core Data: userInfo[NSSQLiteErrorDomain]
 * Ledger: ERR-03, API-61
 */
int32_t pinview_error_sqlite_code(const pinview_error *self);

/**
 * What the program gave to pinview_error_create. Cannot fail.
 *
 * @param self the error; NULL and released handles give the value for "none"
 *
 * Returns: the pointer, valid as long as the error; NULL for none.
 * After failure: it cannot fail.
 * Threads: any thread.
 * Cost: no statement.
 * Generation: neither.
 * Since: 0.1
 * Core Data: none.
 */
void *pinview_error_userdata(const pinview_error *self);

/**
 * The property that failed validation. Cannot fail.
 *
 * @param self the error; NULL and released handles give the value for "none"
 *
 * Returns: the text; absent for none.
 * After failure: it cannot fail.
 * Threads: any thread.
 * Cost: no statement.
 * Generation: neither.
 * Since: 0.1
 * Core Data: NSValidationKeyErrorKey
 * Ledger: ERR-07
 */
pinview_string pinview_error_validation_key(const pinview_error *self);

/**
 * The value that failed validation.
 *
 * @param self the error
 * @param out the value, borrowed from the error; null where there is none
 *
 * Returns: PINVIEW_OK, or the status of the error.
 * After failure: nothing has changed.
 * Threads: any thread.
 * Cost: no statement.
 * Generation: neither.
 * Since: 0.1
 * Core Data: NSValidationValueErrorKey
 * Ledger: ERR-07
 */
pinview_status pinview_error_validation_value(const pinview_error *self, pinview_value *out, pinview_error **error);

/**
 * How many single errors an error lists (code 1560). Cannot fail.
 *
 * @param self the error; NULL and released handles give the value for "none"
 *
 * Returns: the number; 0 for none.
 * After failure: it cannot fail.
 * Threads: any thread.
 * Cost: no statement.
 * Generation: neither.
 * Since: 0.1
 * Core Data: NSDetailedErrorsKey
 * Ledger: ERR-02, SAV-08, API-60
 */
uint64_t pinview_error_detailed_error_count(const pinview_error *self);

/**
 * One of the single errors.
 *
 * @param self the error
 * @param index from 0
 * @param out the error, owned by the caller
 *
 * Returns: PINVIEW_OK, or the status of the error.
 * After failure: nothing has changed.
 * Threads: any thread.
 * Cost: no statement.
 * Generation: neither.
 * Since: 0.1
 * Core Data: NSDetailedErrorsKey
 * Ledger: ERR-02, API-60
 */
pinview_status pinview_error_detailed_error(
    const pinview_error *self, uint64_t index, pinview_error **out, pinview_error **error);

/**
 * The error of a layer below that caused this one; of SQLite: its domain and code.
 *
 * @param self the error
 * @param out the error, owned by the caller; NULL where there is none
 *
 * Returns: PINVIEW_OK, or the status of the error.
 * After failure: nothing has changed.
 * Threads: any thread.
 * Cost: no statement.
 * Generation: neither.
 * Since: 0.1
 * Core Data: NSUnderlyingErrorKey
 * Ledger: ERR-03
 */
pinview_status pinview_error_underlying_error(const pinview_error *self, pinview_error **out, pinview_error **error);

/**
 * The IDs of the objects that caused an error.
 *
 * @param self the error
 * @param out a result of object IDs, maybe empty, owned by the caller
 *
 * Returns: PINVIEW_OK, or the status of the error.
 * After failure: nothing has changed.
 * Threads: any thread.
 * Cost: no statement.
 * Generation: neither.
 * Since: 0.1
 * Core Data: NSAffectedObjectsErrorKey
 * Ledger: ERR-02, API-58
 */
pinview_status pinview_error_affected_object_ids(const pinview_error *self, pinview_result **out, pinview_error **error);

/**
 * How many stores an error names. Cannot fail.
 *
 * @param self the error; NULL and released handles give the value for "none"
 *
 * Returns: the number; 0 for none.
 * After failure: it cannot fail.
 * Threads: any thread.
 * Cost: no statement.
 * Generation: neither.
 * Since: 0.1
 * Core Data: NSAffectedStoresErrorKey
 * Ledger: ERR-02, API-59
 */
uint64_t pinview_error_affected_store_count(const pinview_error *self);

/**
 * Identifier or path of one of the stores that caused an error.
 *
 * @param self the error
 * @param index from 0
 * @param out the text, borrowed from the error
 *
 * Returns: PINVIEW_OK, or the status of the error.
 * After failure: nothing has changed.
 * Threads: any thread.
 * Cost: no statement.
 * Generation: neither.
 * Since: 0.1
 * Core Data: NSAffectedStoresErrorKey
 * Ledger: ERR-02, API-59
 */
pinview_status pinview_error_affected_store(
    const pinview_error *self, uint64_t index, pinview_string *out, pinview_error **error);

/**
 * How many rows are in dispute (code 133020). Cannot fail.
 *
 * @param self the error; NULL and released handles give the value for "none"
 *
 * Returns: the number; 0 for none.
 * After failure: it cannot fail.
 * Threads: any thread.
 * Cost: no statement.
 * Generation: neither.
 * Since: 0.1
 * Core Data: NSPersistentStoreSaveConflictsErrorKey
 * Ledger: SAV-10
 */
uint64_t pinview_error_conflict_count(const pinview_error *self);

/**
 * One row in dispute.
 *
 * @param self the error
 * @param index from 0
 * @param out a struct whose struct_size is set; the rest is filled, handles borrowed from the error
 *
 * Returns: PINVIEW_OK, or the status of the error.
 * After failure: nothing has changed.
 * Threads: any thread.
 * Cost: no statement.
 * Generation: neither.
 * Since: 0.1
 * Core Data: NSMergeConflict
 * Ledger: SAV-10
 */
pinview_status pinview_error_conflict(
    const pinview_error *self, uint64_t index, pinview_conflict *out, pinview_error **error);

/**
 * One property of a row in dispute; properties come in the order of their names.
 *
 * @param self the error
 * @param conflict_index from 0
 * @param property_index from 0, below property_count of the conflict
 * @param out a struct whose struct_size is set; the rest is filled, texts borrowed from the error
 *
 * Returns: PINVIEW_OK, or the status of the error.
 * After failure: nothing has changed.
 * Threads: any thread.
 * Cost: no statement.
 * Generation: neither.
 * Since: 0.1
 * Core Data: NSMergeConflict
 * Ledger: SAV-10
 */
pinview_status pinview_error_conflict_property(
    const pinview_error *self, uint64_t conflict_index, uint64_t property_index, pinview_conflict_property *out,
    pinview_error **error);

/**
 * How many uniqueness constraints the save would violate (code 133021): all conflicts of the save. Of a batch insert they are those of
 * the rows that were looked at together when the first was found. Cannot fail.
 *
 * @param self the error; NULL and released handles give the value for "none"
 *
 * Returns: the number; 0 for none.
 * After failure: it cannot fail.
 * Threads: any thread.
 * Cost: no statement.
 * Generation: neither.
 * Since: 0.1
 * Core Data: NSPersistentStoreSaveConflictsErrorKey
 * Ledger: UNQ-01
 */
uint64_t pinview_error_constraint_conflict_count(const pinview_error *self);

/**
 * One set of objects that would have the same values in a uniqueness constraint.
 *
 * @param self the error
 * @param index from 0
 * @param out a struct whose struct_size is set; the rest is filled, handles borrowed from the error
 *
 * Returns: PINVIEW_OK, or the status of the error.
 * After failure: nothing has changed.
 * Threads: any thread.
 * Cost: no statement.
 * Generation: neither.
 * Since: 0.1
 * Core Data: NSConstraintConflict
 * Ledger: UNQ-01
 */
pinview_status pinview_error_constraint_conflict(
    const pinview_error *self, uint64_t index, pinview_constraint_conflict *out, pinview_error **error);

/**
 * One property of the constraint, with the value that the objects share; properties come in the model's order.
 *
 * @param self the error
 * @param conflict_index from 0
 * @param property_index from 0, below constraint_property_count of the conflict
 * @param out a struct whose struct_size is set; the rest is filled, texts borrowed from the error
 *
 * Returns: PINVIEW_OK, or the status of the error.
 * After failure: nothing has changed.
 * Threads: any thread.
 * Cost: no statement.
 * Generation: neither.
 * Since: 0.1
 * Core Data: NSConstraintConflict
 * Ledger: UNQ-01
 */
pinview_status pinview_error_constraint_conflict_property(
    const pinview_error *self, uint64_t conflict_index, uint64_t property_index, pinview_constraint_property *out,
    pinview_error **error);

/**
 * One object of the context that is in conflict. They come in the order in which they were inserted or last changed.
 *
 * @param self the error
 * @param conflict_index from 0
 * @param object_index from 0, below object_count of the conflict
 * @param out receives the object's ID, borrowed from the error; NULL for a row of a batch insert, which has none
 *
 * Returns: PINVIEW_OK, or the status of the error.
 * After failure: nothing has changed.
 * Threads: any thread.
 * Cost: no statement.
 * Generation: neither.
 * Since: 0.1
 * Core Data: NSConstraintConflict
 * Ledger: UNQ-01
 */
pinview_status pinview_error_constraint_conflict_object(
    const pinview_error *self, uint64_t conflict_index, uint64_t object_index, pinview_object_id **out, pinview_error **error);

/**
 * One value that an object in conflict was to be saved with, or that the object of the store has there; properties come in the order of
 * their names.
 *
 * @param self the error
 * @param conflict_index from 0
 * @param object_index from 0, below object_count of the conflict; object_count itself stands for the object of the store
 * @param property_index from 0, below snapshot_property_count of the conflict
 * @param out a struct whose struct_size is set; the rest is filled, texts borrowed from the error
 *
 * Returns: PINVIEW_OK, or the status of the error.
 * After failure: nothing has changed.
 * Threads: any thread.
 * Cost: no statement.
 * Generation: neither.
 * Since: 0.1
 * Core Data: NSConstraintConflict
 * Ledger: UNQ-01
 */
pinview_status pinview_error_constraint_conflict_value(
    const pinview_error *self, uint64_t conflict_index, uint64_t object_index, uint64_t property_index,
    pinview_constraint_property *out, pinview_error **error);

/**
 * Makes a buffer: memory for the texts, data and IDs that a bulk call hands out. Each bulk call that gets it
 * overwrites what was there; it grows and never shrinks. Give each thread its own.
 *
 * @param out the buffer, owned by the caller
 *
 * Returns: PINVIEW_OK, or the status of the error.
 * After failure: nothing has changed.
 * Threads: any thread.
 * Cost: no statement.
 * Generation: neither.
 * Since: 0.1
 * Core Data: none.
 */
pinview_status pinview_buffer_create(pinview_buffer **out, pinview_error **error);

/**
 * Adds a reference to a buffer. Each reference is released once.
 *
 * @param buffer the handle; it stays the same
 *
 * Returns: PINVIEW_OK; PINVIEW_ERROR_INVALID_HANDLE, also when a handle has 16,777,215 references already.
 * After failure: nothing has changed.
 * Threads: any thread.
 * Cost: no statement.
 * Generation: neither.
 * Since: 0.1
 * Core Data: none.
 */
pinview_status pinview_buffer_retain(pinview_buffer *buffer);

/**
 * Gives back one reference to a buffer. The last one makes the handle invalid. Views into it end.
 *
 * @param buffer the handle; NULL does nothing
 *
 * Returns: PINVIEW_OK; PINVIEW_ERROR_INVALID_HANDLE for a handle that was released already.
 * After failure: nothing has changed.
 * Threads: any thread.
 * Cost: no statement.
 * Generation: neither.
 * Since: 0.1
 * Core Data: none.
 */
pinview_status pinview_buffer_release(pinview_buffer *buffer);

/* ================================================================================================================
 * Model
 *
 * Entities with attributes and relationships. A model is immutable and may be used by any thread. It is built step
 * by step, read from JSON, or taken from a store file, which keeps the model it was made with.
 * ================================================================================================================ */

/* Types of attributes, with Core Data's numbers. */
#define PINVIEW_ATTRIBUTE_UNDEFINED ((int32_t)0) /* transient attributes only */
#define PINVIEW_ATTRIBUTE_INTEGER_16 ((int32_t)100)
#define PINVIEW_ATTRIBUTE_INTEGER_32 ((int32_t)200)
#define PINVIEW_ATTRIBUTE_INTEGER_64 ((int32_t)300)
#define PINVIEW_ATTRIBUTE_DECIMAL ((int32_t)400)
#define PINVIEW_ATTRIBUTE_DOUBLE ((int32_t)500)
#define PINVIEW_ATTRIBUTE_FLOAT ((int32_t)600)
#define PINVIEW_ATTRIBUTE_STRING ((int32_t)700)
#define PINVIEW_ATTRIBUTE_BOOLEAN ((int32_t)800)
#define PINVIEW_ATTRIBUTE_DATE ((int32_t)900)
#define PINVIEW_ATTRIBUTE_BINARY ((int32_t)1000)
#define PINVIEW_ATTRIBUTE_UUID ((int32_t)1100)
#define PINVIEW_ATTRIBUTE_URI ((int32_t)1200) /* a text */
#define PINVIEW_ATTRIBUTE_TRANSFORMABLE ((int32_t)1800) /* data */

/* What happens to related objects when an object is deleted. */
#define PINVIEW_DELETE_NO_ACTION ((int32_t)0)
#define PINVIEW_DELETE_NULLIFY ((int32_t)1)
#define PINVIEW_DELETE_CASCADE ((int32_t)2)
#define PINVIEW_DELETE_DENY ((int32_t)3)

/* Marks of a property in pinview_property.flags and in the descriptions below. */
#define PINVIEW_PROPERTY_OPTIONAL ((uint32_t)1)
#define PINVIEW_PROPERTY_TRANSIENT ((uint32_t)2)
#define PINVIEW_PROPERTY_RELATIONSHIP ((uint32_t)4) /* out only */
#define PINVIEW_PROPERTY_TO_MANY ((uint32_t)8)
#define PINVIEW_PROPERTY_ORDERED ((uint32_t)16)
#define PINVIEW_PROPERTY_EXTERNAL_STORAGE ((uint32_t)32) /* binary attributes */
#define PINVIEW_PROPERTY_KEPT_IN_HISTORY ((uint32_t)64) /* attributes: the history keeps the value of a deleted object */

/* NSAttributeDescription. Zero the struct, set struct_size, name and type; all else may stay 0. */
typedef struct pinview_attribute_description {
    uint32_t struct_size;    /* sizeof(pinview_attribute_description) */
    uint32_t flags;          /* PINVIEW_PROPERTY_OPTIONAL, _TRANSIENT, _EXTERNAL_STORAGE, _KEPT_IN_HISTORY */
    pinview_string name;
    int32_t type;            /* PINVIEW_ATTRIBUTE_... */
    int32_t limits;          /* bit 0: minimum counts, bit 1: maximum, bit 2: minimum_length, bit 3: maximum_length */
    pinview_value default_value;
    pinview_value minimum;
    pinview_value maximum;
    int64_t minimum_length;  /* in Unicode code points */
    int64_t maximum_length;
    pinview_string pattern;  /* regular expression in ICU's syntax for the whole text; absent for none */
} pinview_attribute_description;

/* NSRelationshipDescription. Zero the struct, set struct_size, name and destination; all else may stay 0. */
typedef struct pinview_relationship_description {
    uint32_t struct_size;    /* sizeof(pinview_relationship_description) */
    uint32_t flags;          /* PINVIEW_PROPERTY_OPTIONAL, _TRANSIENT, _TO_MANY, _ORDERED */
    pinview_string name;
    pinview_string destination; /* the name of an entity */
    pinview_string inverse;  /* the relationship there that leads back; absent for none */
    int32_t delete_rule;     /* PINVIEW_DELETE_... */
    int32_t reserved;        /* 0 */
    int64_t minimum_count;
    int64_t maximum_count;   /* 0: no limit */
} pinview_relationship_description;

/* A property of an entity. Texts are borrowed from the entity. */
typedef struct pinview_property {
    uint32_t struct_size;    /* set by the caller: sizeof(pinview_property) */
    uint32_t flags;          /* PINVIEW_PROPERTY_... */
    pinview_string name;
    int32_t index;           /* its place in the entity; the same in sub-entities */
    int32_t type;            /* of an attribute: PINVIEW_ATTRIBUTE_... */
    pinview_string destination; /* of a relationship; else absent */
    pinview_string inverse;
    int32_t delete_rule;
    int32_t reserved;
    int64_t minimum_count;
    int64_t maximum_count;
} pinview_property;

/**
 * Begins a model. A builder is used by one thread at a time.
 *
 * @param out the builder, owned by the caller
 *
 * Returns: PINVIEW_OK, or the status of the error.
 * After failure: nothing has changed.
 * Threads: any thread; one at a time for one handle.
 * Cost: no statement.
 * Generation: neither.
 * Since: 0.1
 * Core Data: none.
 * Ledger: STO-18
 */
pinview_status pinview_model_builder_create(pinview_model_builder **out, pinview_error **error);

/**
 * Adds a reference to a builder. Each reference is released once.
 *
 * @param model_builder the handle; it stays the same
 *
 * Returns: PINVIEW_OK; PINVIEW_ERROR_INVALID_HANDLE, also when a handle has 16,777,215 references already.
 * After failure: nothing has changed.
 * Threads: any thread.
 * Cost: no statement.
 * Generation: neither.
 * Since: 0.1
 * Core Data: none.
 */
pinview_status pinview_model_builder_retain(pinview_model_builder *model_builder);

/**
 * Gives back one reference to a builder. The last one makes the handle invalid.
 *
 * @param model_builder the handle; NULL does nothing
 *
 * Returns: PINVIEW_OK; PINVIEW_ERROR_INVALID_HANDLE for a handle that was released already.
 * After failure: nothing has changed.
 * Threads: any thread.
 * Cost: no statement.
 * Generation: neither.
 * Since: 0.1
 * Core Data: none.
 */
pinview_status pinview_model_builder_release(pinview_model_builder *model_builder);

/**
 * Adds an entity. Mistakes are reported when the model is made.
 *
 * @param builder the builder
 * @param name its name
 * @param parent the name of the entity it inherits from; absent for none
 * @param is_abstract whether it has no objects of its own
 *
 * Returns: PINVIEW_OK, or the status of the error.
 * After failure: nothing has changed.
 * Threads: any thread; one at a time for one handle.
 * Cost: no statement.
 * Generation: neither.
 * Since: 0.1
 * Core Data: NSEntityDescription
 * Ledger: STO-18
 */
pinview_status pinview_model_builder_add_entity(
    pinview_model_builder *builder, pinview_string name, pinview_string parent, int32_t is_abstract, pinview_error
    **error);

/**
 * Adds an attribute to an entity that was added before.
 *
 * @param builder the builder
 * @param entity the name of the entity
 * @param attribute the description; copied
 *
 * Returns: PINVIEW_OK, or the status of the error.
 * After failure: nothing has changed.
 * Threads: any thread; one at a time for one handle.
 * Cost: no statement.
 * Generation: neither.
 * Since: 0.1
 * Core Data: NSAttributeDescription
 * Ledger: STO-18
 */
pinview_status pinview_model_builder_add_attribute(
    pinview_model_builder *builder, pinview_string entity, const pinview_attribute_description *attribute,
    pinview_error **error);

/**
 * Adds a relationship to an entity that was added before.
 *
 * @param builder the builder
 * @param entity the name of the entity
 * @param relationship the description; copied
 *
 * Returns: PINVIEW_OK, or the status of the error.
 * After failure: nothing has changed.
 * Threads: any thread; one at a time for one handle.
 * Cost: no statement.
 * Generation: neither.
 * Since: 0.1
 * Core Data: NSRelationshipDescription
 * Ledger: STO-18
 */
pinview_status pinview_model_builder_add_relationship(
    pinview_model_builder *builder, pinview_string entity, const pinview_relationship_description *relationship,
    pinview_error **error);

/**
 * Makes the values of some attributes together unique among the objects of an entity.
 *
 * @param builder the builder
 * @param entity the name of the entity
 * @param attributes names of attributes
 * @param count how many
 *
 * Returns: PINVIEW_OK, or the status of the error.
 * After failure: nothing has changed.
 * Threads: any thread; one at a time for one handle.
 * Cost: no statement.
 * Generation: neither.
 * Since: 0.1
 * Core Data: NSEntityDescription.uniquenessConstraints
 */
pinview_status pinview_model_builder_add_uniqueness_constraint(
    pinview_model_builder *builder, pinview_string entity, const pinview_string *attributes, size_t count,
    pinview_error **error);

/**
 * Adds an index over attributes in ascending order.
 *
 * @param builder the builder
 * @param entity the name of the entity
 * @param name the name of the index
 * @param attributes names of attributes
 * @param count how many
 *
 * Returns: PINVIEW_OK, or the status of the error.
 * After failure: nothing has changed.
 * Threads: any thread; one at a time for one handle.
 * Cost: no statement.
 * Generation: neither.
 * Since: 0.1
 * Core Data: NSFetchIndexDescription
 */
pinview_status pinview_model_builder_add_index(
    pinview_model_builder *builder, pinview_string entity, pinview_string name, const pinview_string *attributes,
    size_t count, pinview_error **error);

/**
 * Names a set of entities, for stores that hold only those.
 *
 * @param builder the builder
 * @param name the name of the configuration
 * @param entities names of entities
 * @param count how many
 *
 * Returns: PINVIEW_OK, or the status of the error.
 * After failure: nothing has changed.
 * Threads: any thread; one at a time for one handle.
 * Cost: no statement.
 * Generation: neither.
 * Since: 0.1
 * Core Data: NSManagedObjectModel.setEntities(_:forConfigurationName:)
 * Ledger: STO-08
 */
pinview_status pinview_model_builder_add_configuration(
    pinview_model_builder *builder, pinview_string name, const pinview_string *entities, size_t count, pinview_error
    **error);

/**
 * Makes the model. The builder stays as it is and can be built on. Any mistake is PINVIEW_ERROR_BAD_MODEL, with
 * entity and property in the message.
 *
 * @param builder the builder
 * @param out the model, owned by the caller
 *
 * Returns: PINVIEW_OK, or the status of the error.
 * After failure: nothing has changed.
 * Threads: any thread; one at a time for one handle.
 * Cost: no statement.
 * Generation: neither.
 * Since: 0.1
 * Core Data: NSManagedObjectModel
 * Ledger: STO-18
 */
pinview_status pinview_model_builder_build(pinview_model_builder *builder, pinview_model **out, pinview_error **error);

/**
 * Reads a model from JSON. What is wrong is PINVIEW_ERROR_BAD_MODEL with the place; an unknown key is wrong, too.
 *
 *     {"entities": [
 *         {"name": "Person", "parent": "Being", "abstract": false,
 *          "attributes": [
 *              {"name": "age", "type": "integer64", "optional": true, "default": 0, "minimumValue": 0, "maximumValue": 150},
 *              {"name": "name", "type": "string", "minimumLength": 1, "maximumLength": 80, "regularExpression": "[A-Z].*"},
 *              {"name": "portrait", "type": "binaryData", "allowsExternalBinaryDataStorage": true},
 *              {"name": "mood", "type": "undefined", "transient": true}],
 *          "relationships": [
 *              {"name": "cars", "destination": "Car", "inverse": "owner", "toMany": true, "ordered": false,
 *               "deleteRule": "nullify", "optional": true, "minimumCount": 0, "maximumCount": 0}],
 *          "uniquenessConstraints": [["name", "age"]],
 *          "indexes": [{"name": "byAge", "elements": [{"property": "age", "ascending": false}]}]}],
 *      "configurations": {"People": ["Person"]},
 *      "versionIdentifiers": ["1.4"]}
 *
 * Only names, types and destinations are required. Types: integer16, integer32, integer64, decimal, double, float, string,
 * boolean, date, binaryData, uuid, uri, transformable, undefined. Delete rules: noAction, nullify, cascade, deny. In values a
 * decimal may also be a text, a date is in seconds since 2001-01-01 00:00 UTC, a UUID has its 36 characters, data are in base64.
 *
 * @param json the text
 * @param out the model, owned by the caller
 *
 * Returns: PINVIEW_OK, or the status of the error.
 * After failure: nothing has changed.
 * Threads: any thread.
 * Cost: no store is touched.
 * Generation: neither.
 * Since: 0.1
 * Core Data: none.
 * Ledger: STO-18
 */
pinview_status pinview_model_create_from_json(pinview_string json, pinview_model **out, pinview_error **error);

/**
 * Reads a model from a JSON file.
 *
 * @param path the file
 * @param out the model, owned by the caller
 *
 * Returns: PINVIEW_OK, or the status of the error.
 * After failure: nothing has changed.
 * Threads: any thread.
 * Cost: no statement.
 * Generation: neither.
 * Since: 0.1
 * Core Data: none.
 * Ledger: STO-18
 */
pinview_status pinview_model_create_from_json_file(pinview_string path, pinview_model **out, pinview_error **error);

/**
 * Reads the model that a store file was made with.
 *
 * @param path the store file
 * @param out the model, owned by the caller
 *
 * Returns: PINVIEW_OK, or the status of the error.
 * After failure: nothing has changed.
 * Threads: any thread.
 * Cost: opens the file and reads one row.
 * Generation: neither.
 * Since: 0.1
 * Core Data: none.
 * Ledger: STO-18
 */
pinview_status pinview_model_create_from_store(pinview_string path, pinview_model **out, pinview_error **error);

/**
 * Adds a reference to a model. Each reference is released once.
 *
 * @param model the handle; it stays the same
 *
 * Returns: PINVIEW_OK; PINVIEW_ERROR_INVALID_HANDLE, also when a handle has 16,777,215 references already.
 * After failure: nothing has changed.
 * Threads: any thread.
 * Cost: no statement.
 * Generation: neither.
 * Since: 0.1
 * Core Data: none.
 */
pinview_status pinview_model_retain(pinview_model *model);

/**
 * Gives back one reference to a model. The last one makes the handle invalid.
 *
 * @param model the handle; NULL does nothing
 *
 * Returns: PINVIEW_OK; PINVIEW_ERROR_INVALID_HANDLE for a handle that was released already.
 * After failure: nothing has changed.
 * Threads: any thread.
 * Cost: no statement.
 * Generation: neither.
 * Since: 0.1
 * Core Data: none.
 */
pinview_status pinview_model_release(pinview_model *model);

/**
 * Whether two handles name models with the same entities, by their version hashes: a store of the one can be used
 * with the other. Cannot fail.
 *
 * @param left a handle
 * @param right another
 *
 * Returns: 1 or 0; 0 when either is no valid handle.
 * After failure: it cannot fail.
 * Threads: any thread.
 * Cost: no statement.
 * Generation: neither.
 * Since: 0.1
 * Core Data: none.
 */
int32_t pinview_model_is_equal(const pinview_model *left, const pinview_model *right);

/**
 * A number that all handles of one model, with its hooks, share, and that no other model of the process has or had. Cannot fail.
 *
 * @param model the model
 *
 * Returns: the number; 0 for no valid handle.
 * After failure: it cannot fail.
 * Threads: any thread.
 * Cost: no statement.
 * Generation: neither.
 * Since: 0.1
 * Core Data: none; its identity is that of the object
 */
uint64_t pinview_model_identity(const pinview_model *model);

/*
 * Hooks: what the program wants to do at turning points in the life of an entity's objects (the methods of
 * NSManagedObject that a subclass overrides; DEC-55). They run synchronously on the context's queue, on the thread of the call
 * that brings them about, and may call everything, also calls that run hooks again, with these limits: inside a save they cannot save,
 * undo, redo, roll back or reset that context, and each hook's line below may name more; such calls give
 * PINVIEW_ERROR_INVALID_ARGUMENT. The object is borrowed for the call.
 *
 * A status other than PINVIEW_OK and PINVIEW_USE_DEFAULT, which count as success, comes back unchanged from the call that brought
 * the hook about, with the error that the hook left: the one of a call that failed inside it, or one made by pinview_error_create.
 */
typedef pinview_status (*pinview_object_callback)(pinview_object *object, void *userdata);
/* A hook that cannot fail. */
typedef void (*pinview_object_notice_callback)(pinview_object *object, void *userdata);
/* Checks one property: an attribute's value, the ID of a to-one relationship's destination, or the number of members of a to-many
 * relationship. Key and value are borrowed for the call. */
typedef pinview_status (*pinview_property_check_callback)(
    pinview_object *object, pinview_string key, const pinview_value *value, void *userdata);

/* The hooks of one entity. A hook that is NULL is that of the nearest ancestor that has one; one that is set takes the place of the
 * ancestor's, as an overriding method does. */
typedef struct pinview_entity_hooks {
    uint32_t struct_size; /* set by the caller: sizeof(pinview_entity_hooks) */
    uint32_t reserved;    /* 0 */
    /* After the program inserted the object, its default values set. A failure takes the insertion back. Not called in a parent for what a
     * child saves, nor by undo and redo. */
    pinview_object_callback awake_from_insert;
    /* After a fault was filled, before the access that fired it returns, and after a refresh with merge_changes gave the object new values
     * (FLT-17, RFR-21). Attributes that it sets do not count as changed; it cannot change relationships, insert, delete, refresh or save.
     * After a refresh, transient attributes and local changes are put back to what they were before. A failure leaves a fault. */
    pinview_object_callback awake_from_fetch;
    /* Before the object is marked as deleted, its relationships still in place. A failure keeps the object. Not called for inaccessible
     * faults, for deletions that are merged or undone, nor in a parent for what a child deleted. */
    pinview_object_callback prepare_for_deletion;
    /* Before a save, for each inserted, updated and deleted object, and again for those that hooks have changed since. What it changes is
     * saved. After 1000 rounds that still change something the save fails (PINVIEW_ERROR_STORE_SAVE). */
    pinview_object_callback will_save;
    /* After the save has written the object, before the did-save notification. What it changes is for the next save. */
    pinview_object_notice_callback did_save;
    /* Before the object's values are dropped because it becomes a fault; not when the object goes with its last reference or with a
     * reset. Limits as awake_from_fetch. */
    pinview_object_notice_callback will_turn_into_fault;
    /* After it became a fault: reading a property would fire it again. Limits as awake_from_fetch. */
    pinview_object_notice_callback did_turn_into_fault;
    /* In a save, after the rules of the model: for a new object, a stored one with changes, one that would be removed. They must not change
     * anything. All failures, those of the model too, come in one error (PINVIEW_ERROR_VALIDATION_MULTIPLE_ERRORS; SAV-08); PINVIEW_STOP
     * ends the validation at once. Objects whose row was gone (FLT-08) are not validated. */
    pinview_object_callback validate_for_insert;
    pinview_object_callback validate_for_update;
    pinview_object_callback validate_for_delete;
    /* As validate_for_insert and validate_for_update, for single properties whose value satisfies the model: all of a new object, the
     * changed ones of a stored one. */
    pinview_property_check_callback validate_property;
    const pinview_string *checked_keys; /* the properties that validate_property is called for; NULL for all */
    size_t checked_key_count;
} pinview_entity_hooks;

/**
 * Sets the hooks of an entity, in the place of those it had. Once a coordinator has been made with the model its hooks stay; NULL
 * then only switches them off: no hook set with this entity's name is called any more when the call returns, and one that is running on
 * another thread has been waited for.
 *
 * @param model the model, to which the hooks belong: every handle of the same model has them
 * @param entity the name of the entity
 * @param hooks the hooks, copied; NULL for none
 * @param userdata for all of them, owned by the library on success when hooks is not NULL
 * @param free_userdata frees it when nothing can call the hooks any more, or NULL
 *
 * Returns: PINVIEW_OK; PINVIEW_ERROR_UNKNOWN_ENTITY, PINVIEW_ERROR_UNKNOWN_KEY for a checked key that is no property,
 *          PINVIEW_ERROR_INVALID_ARGUMENT when a coordinator uses the model already.
 * After failure: the hooks are as before.
 * Threads: any thread.
 * Cost: no statement.
 * Generation: neither.
 * Since: 0.1
 * Core Data: NSEntityDescription.managedObjectClassName
 * Ledger: DEC-55, FLT-17
 */
pinview_status pinview_model_set_entity_hooks(
    pinview_model *model, pinview_string entity, const pinview_entity_hooks *hooks, void *userdata,
    pinview_free_callback free_userdata, pinview_error **error);

/**
 * The model as JSON, which gives an equal model again.
 *
 * @param model the model
 * @param out the text, borrowed from the model
 *
 * Returns: PINVIEW_OK, or the status of the error.
 * After failure: nothing has changed.
 * Threads: any thread.
 * Cost: no statement.
 * Generation: neither.
 * Since: 0.1
 * Core Data: none.
 */
pinview_status pinview_model_json(const pinview_model *model, pinview_string *out, pinview_error **error);

/**
 * How many entities a model has. Cannot fail.
 *
 * @param model the model
 *
 * Returns: the number; 0 for no valid handle.
 * After failure: it cannot fail.
 * Threads: any thread.
 * Cost: no statement.
 * Generation: neither.
 * Since: 0.1
 * Core Data: NSManagedObjectModel.entities
 */
uint64_t pinview_model_entity_count(const pinview_model *model);

/**
 * One of the entities, in the order of their numbers in a store.
 *
 * @param model the model
 * @param index from 0
 * @param out the entity, owned by the caller
 *
 * Returns: PINVIEW_OK, or the status of the error.
 * After failure: nothing has changed.
 * Threads: any thread.
 * Cost: no statement.
 * Generation: neither.
 * Since: 0.1
 * Core Data: none.
 */
pinview_status pinview_model_entity(
    const pinview_model *model, uint64_t index, pinview_entity **out, pinview_error **error);

/**
 * The entity of a name; PINVIEW_ERROR_UNKNOWN_ENTITY without one.
 *
 * @param model the model
 * @param name the name
 * @param out the entity, owned by the caller
 *
 * Returns: PINVIEW_OK, or the status of the error.
 * After failure: nothing has changed.
 * Threads: any thread.
 * Cost: no statement.
 * Generation: neither.
 * Since: 0.1
 * Core Data: NSManagedObjectModel.entitiesByName
 */
pinview_status pinview_model_entity_named(
    const pinview_model *model, pinview_string name, pinview_entity **out, pinview_error **error);

/**
 * Adds a reference to an entity. Each reference is released once.
 *
 * @param entity the handle; it stays the same
 *
 * Returns: PINVIEW_OK; PINVIEW_ERROR_INVALID_HANDLE, also when a handle has 16,777,215 references already.
 * After failure: nothing has changed.
 * Threads: any thread.
 * Cost: no statement.
 * Generation: neither.
 * Since: 0.1
 * Core Data: none.
 */
pinview_status pinview_entity_retain(pinview_entity *entity);

/**
 * Gives back one reference to an entity. The last one makes the handle invalid.
 *
 * @param entity the handle; NULL does nothing
 *
 * Returns: PINVIEW_OK; PINVIEW_ERROR_INVALID_HANDLE for a handle that was released already.
 * After failure: nothing has changed.
 * Threads: any thread.
 * Cost: no statement.
 * Generation: neither.
 * Since: 0.1
 * Core Data: none.
 */
pinview_status pinview_entity_release(pinview_entity *entity);

/**
 * The name of an entity. Cannot fail.
 *
 * @param entity the entity
 *
 * Returns: the text, borrowed from the entity; absent for no valid handle.
 * After failure: it cannot fail.
 * Threads: any thread.
 * Cost: no statement.
 * Generation: neither.
 * Since: 0.1
 * Core Data: none.
 */
pinview_string pinview_entity_name(const pinview_entity *entity);

/**
 * The name of the entity it inherits from. Cannot fail.
 *
 * @param entity the entity
 *
 * Returns: the text, borrowed from the entity; absent for none.
 * After failure: it cannot fail.
 * Threads: any thread.
 * Cost: no statement.
 * Generation: neither.
 * Since: 0.1
 * Core Data: NSEntityDescription.superentity
 */
pinview_string pinview_entity_parent_name(const pinview_entity *entity);

/**
 * Whether an entity has no objects of its own. Cannot fail.
 *
 * @param entity the entity
 *
 * Returns: 1 or 0.
 * After failure: it cannot fail.
 * Threads: any thread.
 * Cost: no statement.
 * Generation: neither.
 * Since: 0.1
 * Core Data: none.
 */
int32_t pinview_entity_is_abstract(const pinview_entity *entity);

/**
 * How many properties an entity has, inherited ones included. Cannot fail.
 *
 * @param entity the entity
 *
 * Returns: the number.
 * After failure: it cannot fail.
 * Threads: any thread.
 * Cost: no statement.
 * Generation: neither.
 * Since: 0.1
 * Core Data: none.
 */
uint64_t pinview_entity_property_count(const pinview_entity *entity);

/**
 * One property of an entity.
 *
 * @param entity the entity
 * @param index from 0
 * @param out a struct whose struct_size is set; unchanged on failure
 *
 * Returns: PINVIEW_OK, or the status of the error.
 * After failure: nothing has changed.
 * Threads: any thread.
 * Cost: no statement.
 * Generation: neither.
 * Since: 0.1
 * Core Data: NSPropertyDescription
 */
pinview_status pinview_entity_property(
    const pinview_entity *entity, uint64_t index, pinview_property *out, pinview_error **error);

/**
 * The index of a property, to be used instead of its name in bulk calls; PINVIEW_ERROR_UNKNOWN_KEY without one.
 *
 * @param entity the entity
 * @param key the name
 * @param out the index; -1 on failure
 *
 * Returns: PINVIEW_OK, or the status of the error.
 * After failure: nothing has changed.
 * Threads: any thread.
 * Cost: no statement.
 * Generation: neither.
 * Since: 0.1
 * Core Data: none.
 */
pinview_status pinview_entity_property_index(
    const pinview_entity *entity, pinview_string key, int32_t *out, pinview_error **error);

/* ================================================================================================================
 * Coordinator and stores
 *
 * A coordinator joins a model with stores and serves any number of contexts. All functions here may be called from
 * any thread.
 * ================================================================================================================ */

/* Store types (NSSQLiteStoreType, NSInMemoryStoreType). */
#define PINVIEW_STORE_TYPE_SQLITE "SQLite"
#define PINVIEW_STORE_TYPE_IN_MEMORY "InMemory"

/* Options of a store. */
#define PINVIEW_STORE_OPTION_HISTORY_TRACKING "historyTracking" /* boolean: keep a persistent history */
#define PINVIEW_STORE_OPTION_REMOTE_CHANGES "remoteChanges" /* boolean: tell pinview_coordinator_add_remote_change_observer's observers */
#define PINVIEW_STORE_OPTION_READ_ONLY "readOnly"         /* boolean; 0 by default */
#define PINVIEW_STORE_OPTION_JOURNAL_MODE "journalMode"   /* text: wal (the default), delete, truncate, persist, memory, off */
#define PINVIEW_STORE_OPTION_SYNCHRONOUS "synchronous"    /* text: off, normal (the default), full, extra */
#define PINVIEW_STORE_OPTION_CACHE_SIZE "cacheSize"       /* pages that a connection keeps in memory, KiB if negative; -2000 by default */
#define PINVIEW_STORE_OPTION_BUSY_TIMEOUT "busyTimeout"   /* seconds to wait for writers of other processes; 5 by default */
/* boolean; 0 by default: a file whose schema has triggers, views, generated columns or the like on the store's tables, none of which the
 * library makes, is refused with PINVIEW_ERROR_STORE_OPEN, and none of them ever runs. 1: they run, with all that whoever made the file
 * wrote there. */
#define PINVIEW_STORE_OPTION_TRUSTED_SCHEMA "trustedSchema"

/* What happens when generations that are not the newest make the journal too long: text; off, warn (the callback and the log are
 * told), detach (the default: they are copied aside in the background, beside the store, and hold the journal no more). Stores of
 * the process on the same file agree on the strongest policy and the smallest budget. */
#define PINVIEW_STORE_OPTION_JOURNAL_BUDGET_POLICY "journalBudgetPolicy"
#define PINVIEW_STORE_OPTION_JOURNAL_BUDGET_BYTES "journalBudgetBytes" /* integer; 0 (the default): the share decides; else the smaller one */
#define PINVIEW_STORE_OPTION_JOURNAL_BUDGET_SHARE "journalBudgetShare" /* of the store's size, at least 32 MiB; 1.0 by default */
#define PINVIEW_STORE_OPTION_GENERATION_AGE_BUDGET "generationAgeBudget" /* seconds; 0 by default: without a limit */

/**
 * Makes a coordinator without stores.
 *
 * @param model the model
 * @param out the coordinator, owned by the caller
 *
 * Returns: PINVIEW_OK, or the status of the error.
 * After failure: nothing has changed.
 * Threads: any thread.
 * Cost: no statement.
 * Generation: neither.
 * Since: 0.1
 * Core Data: NSPersistentStoreCoordinator.init(managedObjectModel:)
 * Ledger: API-66
 */
pinview_status pinview_coordinator_create(pinview_model *model, pinview_coordinator **out, pinview_error **error);

/**
 * Adds a reference to a coordinator. Each reference is released once.
 *
 * @param coordinator the handle; it stays the same
 *
 * Returns: PINVIEW_OK; PINVIEW_ERROR_INVALID_HANDLE, also when a handle has 16,777,215 references already.
 * After failure: nothing has changed.
 * Threads: any thread.
 * Cost: no statement.
 * Generation: neither.
 * Since: 0.1
 * Core Data: none.
 */
pinview_status pinview_coordinator_retain(pinview_coordinator *coordinator);

/**
 * Gives back one reference to a coordinator. The last one makes the handle invalid. Its contexts keep it alive.
 *
 * @param coordinator the handle; NULL does nothing
 *
 * Returns: PINVIEW_OK; PINVIEW_ERROR_INVALID_HANDLE for a handle that was released already.
 * After failure: nothing has changed.
 * Threads: any thread.
 * Cost: no statement.
 * Generation: neither.
 * Since: 0.1
 * Core Data: none.
 */
pinview_status pinview_coordinator_release(pinview_coordinator *coordinator);

/**
 * Whether two handles name the same coordinator. Cannot fail.
 *
 * @param left a handle
 * @param right another
 *
 * Returns: 1 or 0; 0 when either is no valid handle.
 * After failure: it cannot fail.
 * Threads: any thread.
 * Cost: no statement.
 * Generation: neither.
 * Since: 0.1
 * Core Data: none.
 */
int32_t pinview_coordinator_is_equal(const pinview_coordinator *left, const pinview_coordinator *right);

/**
 * The model of a coordinator.
 *
 * @param coordinator the coordinator
 * @param out the model, owned by the caller
 *
 * Returns: PINVIEW_OK, or the status of the error.
 * After failure: nothing has changed.
 * Threads: any thread.
 * Cost: no statement.
 * Generation: neither.
 * Since: 0.1
 * Core Data: none.
 * Ledger: STO-11
 */
pinview_status pinview_coordinator_model(pinview_coordinator *coordinator, pinview_model **out, pinview_error **error);

/**
 * Names a coordinator, for logs and diagnostics.
 *
 * @param coordinator the coordinator
 * @param name the name; absent for none
 *
 * Returns: PINVIEW_OK, or the status of the error.
 * After failure: nothing has changed.
 * Threads: any thread.
 * Cost: no statement.
 * Generation: neither.
 * Since: 0.1
 * Core Data: NSPersistentStoreCoordinator.name
 */
pinview_status pinview_coordinator_set_name(pinview_coordinator *coordinator, pinview_string name, pinview_error **error);

/**
 * The name of a coordinator. Cannot fail.
 *
 * @param coordinator the coordinator
 *
 * Returns: the name, absent without one.
 * After failure: it cannot fail.
 * Threads: any thread.
 * Cost: no statement.
 * Generation: neither.
 * Since: 0.1
 * Core Data: NSPersistentStoreCoordinator.name
 */
pinview_string pinview_coordinator_name(const pinview_coordinator *coordinator);

/**
 * Opens a store, making its file where there is none, and adds it. PINVIEW_ERROR_STORE_OPEN when the file cannot be
 * opened or is no database, PINVIEW_ERROR_INCOMPATIBLE_MODEL when it was written with another model; the message
 * names the file.
 *
 * @param coordinator the coordinator
 * @param type PINVIEW_STORE_TYPE_...
 * @param configuration the configuration of the model whose entities the store holds; absent for all
 * @param path the file; absent for a store in memory
 * @param options PINVIEW_STORE_OPTION_... with their values; NULL for none
 * @param option_count how many
 * @param out the store, owned by the caller; NULL when it is not wanted
 *
 * Returns: PINVIEW_OK, or the status of the error.
 * After failure: nothing was added.
 * Threads: any thread.
 * Cost: a few statements; some more for a new file.
 * Generation: neither.
 * Since: 0.1
 * Core Data: addPersistentStore(ofType:configurationName:at:options:)
 * Ledger: STO-01, STO-04 to STO-08, STO-14
 */
pinview_status pinview_coordinator_add_store(
    pinview_coordinator *coordinator, pinview_string type, pinview_string configuration, pinview_string path, const
    pinview_named_value *options, size_t option_count, pinview_store **out, pinview_error **error);

/**
 * Takes a store off the coordinator and closes it. The objects of it that contexts have become invalid, their changes
 * are dropped, and every hold on its journal ends.
 *
 * @param coordinator the coordinator
 * @param store the store
 *
 * Returns: PINVIEW_OK, or the status of the error.
 * After failure: nothing has changed.
 * Threads: any thread.
 * Cost: no statement.
 * Generation: generations that cover the store lose it.
 * Since: 0.1
 * Core Data: remove(_:)
 * Ledger: STO-13, QG-35
 */
pinview_status pinview_coordinator_remove_store(
    pinview_coordinator *coordinator, pinview_store *store, pinview_error **error);

/**
 * Whether a coordinator holds the writers of all processes while it takes a generation: no, unless set. The generations
 * of several stores are taken one after the other. No save of the coordinator itself falls between them, but a
 * transaction of another program over two of the stores may. When set, the coordinator first takes the write lock of
 * every store that it may write to, in the order of their identifiers, then all generations, and lets the writers go on.
 *
 * What that promises: of a transaction that has the write locks of all its stores before it commits to the first of them
 * (saves of this library, and SQLite's transactions over attached databases, are like that), a generation has all or
 * nothing. A program that commits to one store and only then begins to write to another can be met in between. Stores
 * that are read-only here or not in WAL mode are not held. A read that has to wait for a writer longer than the store's
 * busy time-out fails. With one store it changes nothing.
 *
 * @param coordinator the coordinator
 * @param holds whether it does
 *
 * Returns: PINVIEW_OK, or the status of the error.
 * After failure: nothing has changed.
 * Threads: any thread.
 * Cost: no statement; then a write lock for each store and each new generation.
 * Generation: neither.
 * Since: 0.1
 * Core Data: none.
 * Ledger: QG-34, DEC-06, DEC-66
 */
pinview_status pinview_coordinator_set_holds_writers_while_pinning(
    pinview_coordinator *coordinator, int32_t holds, pinview_error **error);

/**
 * Whether a coordinator holds the writers of all processes while it takes a generation. Cannot fail.
 *
 * @param coordinator the coordinator
 *
 * Returns: 1 or 0; 0 for no valid handle.
 * After failure: it cannot fail.
 * Threads: any thread.
 * Cost: no statement.
 * Generation: neither.
 * Since: 0.1
 * Core Data: none.
 */
int32_t pinview_coordinator_holds_writers_while_pinning(const pinview_coordinator *coordinator);

/* Tells that a newer generation exists. */
typedef void (*pinview_generation_callback)(void *userdata);

/**
 * Calls back after commits to a coordinator's stores, whoever makes them: this coordinator, another one, another process,
 * the sqlite3 tool. Commits in a quick row are told of as one. Nothing runs while nobody observes. Stores in memory and
 * those that are not in WAL mode give no news. The observer stays until it is removed or the coordinator ends.
 *
 * @param coordinator the coordinator
 * @param callback called on a thread of the library, within about a millisecond of a commit. It may call everything, but
 *     should not take long: all observers of the process share the thread
 * @param userdata given to it
 * @param free_userdata called when the observer has been removed and its last call has ended; may be NULL
 * @param out the observer, owned by the caller
 *
 * Returns: PINVIEW_OK, or the status of the error.
 * After failure: userdata stays the caller's.
 * Threads: any thread.
 * Cost: no statement.
 * Generation: neither.
 * Since: 0.1
 * Core Data: none.
 */
pinview_status pinview_coordinator_add_generation_observer(
    pinview_coordinator *coordinator, pinview_generation_callback callback, void *userdata,
    pinview_free_callback free_userdata, pinview_observer **out, pinview_error **error);

/**
 * Ends a registration: the callback does not run any more when this returns, except when the callback itself called
 * this. Removing an observer again does nothing. pinview_observer_remove does the same.
 *
 * @param coordinator the coordinator
 * @param observer the observer
 *
 * Returns: PINVIEW_OK, or the status of the error.
 * After failure: nothing has changed.
 * Threads: any thread; not while holding what a callback may wait for.
 * Cost: no statement.
 * Generation: neither.
 * Since: 0.1
 * Core Data: none.
 */
pinview_status pinview_coordinator_remove_generation_observer(
    pinview_coordinator *coordinator, pinview_observer *observer, pinview_error **error);

/**
 * How many stores a coordinator has. Cannot fail.
 *
 * @param coordinator the coordinator
 *
 * Returns: the number.
 * After failure: it cannot fail.
 * Threads: any thread.
 * Cost: no statement.
 * Generation: neither.
 * Since: 0.1
 * Core Data: persistentStores
 */
uint64_t pinview_coordinator_store_count(const pinview_coordinator *coordinator);

/**
 * One of the stores, in the order in which they were added.
 *
 * @param coordinator the coordinator
 * @param index from 0
 * @param out the store, owned by the caller
 *
 * Returns: PINVIEW_OK, or the status of the error.
 * After failure: nothing has changed.
 * Threads: any thread.
 * Cost: no statement.
 * Generation: neither.
 * Since: 0.1
 * Core Data: none.
 */
pinview_status pinview_coordinator_store(
    const pinview_coordinator *coordinator, uint64_t index, pinview_store **out, pinview_error **error);

/**
 * The object ID that a URI names. It says nothing about whether the row exists.
 *
 * @param coordinator the coordinator
 * @param uri as pinview_object_id_uri gives it
 * @param out the ID, owned by the caller; NULL when the URI is of a store that the coordinator lacks
 *
 * Returns: PINVIEW_OK, or the status of the error.
 * After failure: nothing has changed.
 * Threads: any thread.
 * Cost: no statement.
 * Generation: neither.
 * Since: 0.1
 * Core Data: managedObjectID(forURIRepresentation:)
 * Ledger: CTX-06
 */
pinview_status pinview_coordinator_object_id(
    pinview_coordinator *coordinator, pinview_string uri, pinview_object_id **out, pinview_error **error);

/**
 * Adds a reference to a store. Each reference is released once.
 *
 * @param store the handle; it stays the same
 *
 * Returns: PINVIEW_OK; PINVIEW_ERROR_INVALID_HANDLE, also when a handle has 16,777,215 references already.
 * After failure: nothing has changed.
 * Threads: any thread.
 * Cost: no statement.
 * Generation: neither.
 * Since: 0.1
 * Core Data: none.
 */
pinview_status pinview_store_retain(pinview_store *store);

/**
 * Gives back one reference to a store. The last one makes the handle invalid.
 *
 * @param store the handle; NULL does nothing
 *
 * Returns: PINVIEW_OK; PINVIEW_ERROR_INVALID_HANDLE for a handle that was released already.
 * After failure: nothing has changed.
 * Threads: any thread.
 * Cost: no statement.
 * Generation: neither.
 * Since: 0.1
 * Core Data: none.
 */
pinview_status pinview_store_release(pinview_store *store);

/**
 * Whether two handles name the same store. Cannot fail.
 *
 * @param left a handle
 * @param right another
 *
 * Returns: 1 or 0; 0 when either is no valid handle.
 * After failure: it cannot fail.
 * Threads: any thread.
 * Cost: no statement.
 * Generation: neither.
 * Since: 0.1
 * Core Data: none.
 */
int32_t pinview_store_is_equal(const pinview_store *left, const pinview_store *right);

/**
 * The UUID of a store, which is the host part of the URIs of its object IDs. Cannot fail.
 *
 * @param store the store
 *
 * Returns: the text, borrowed from the store; absent for no valid handle.
 * After failure: it cannot fail.
 * Threads: any thread.
 * Cost: no statement.
 * Generation: neither.
 * Since: 0.1
 * Core Data: NSPersistentStore.identifier
 */
pinview_string pinview_store_identifier(const pinview_store *store);

/**
 * The type of a store: PINVIEW_STORE_TYPE_.... Cannot fail.
 *
 * @param store the store
 *
 * Returns: the text, borrowed from the store; absent for no valid handle.
 * After failure: it cannot fail.
 * Threads: any thread.
 * Cost: no statement.
 * Generation: neither.
 * Since: 0.1
 * Core Data: NSPersistentStore.type
 */
pinview_string pinview_store_type(const pinview_store *store);

/**
 * The path of a store's file as it was given; absent in memory. Cannot fail.
 *
 * @param store the store
 *
 * Returns: the text, borrowed from the store; absent for no valid handle.
 * After failure: it cannot fail.
 * Threads: any thread.
 * Cost: no statement.
 * Generation: neither.
 * Since: 0.1
 * Core Data: NSPersistentStore.url
 */
pinview_string pinview_store_path(const pinview_store *store);

/**
 * The configuration of a store; absent for all entities. Cannot fail.
 *
 * @param store the store
 *
 * Returns: the text, borrowed from the store; absent for no valid handle.
 * After failure: it cannot fail.
 * Threads: any thread.
 * Cost: no statement.
 * Generation: neither.
 * Since: 0.1
 * Core Data: NSPersistentStore.configurationName
 */
pinview_string pinview_store_configuration(const pinview_store *store);

/**
 * The journal mode of a store as SQLite names it. Cannot fail.
 *
 * @param store the store
 *
 * Returns: the text, borrowed from the store; absent for no valid handle.
 * After failure: it cannot fail.
 * Threads: any thread.
 * Cost: no statement.
 * Generation: neither.
 * Since: 0.1
 * Core Data: none.
 */
pinview_string pinview_store_journal_mode(const pinview_store *store);

/**
 * Whether a store was added read-only. Cannot fail.
 *
 * @param store the store
 *
 * Returns: 1 or 0.
 * After failure: it cannot fail.
 * Threads: any thread.
 * Cost: no statement.
 * Generation: neither.
 * Since: 0.1
 * Core Data: none.
 */
int32_t pinview_store_is_read_only(const pinview_store *store);

/**
 * Whether contexts can be pinned to a store: it is an SQLite file in WAL mode. Cannot fail.
 *
 * @param store the store
 *
 * Returns: 1 or 0.
 * After failure: it cannot fail.
 * Threads: any thread.
 * Cost: no statement.
 * Generation: neither.
 * Since: 0.1
 * Core Data: none.
 * Ledger: QG-44
 */
int32_t pinview_store_supports_query_generations(const pinview_store *store);

/**
 * The size of the write-ahead journal in bytes. Cannot fail.
 *
 * @param store the store
 *
 * Returns: the size; 0 where there is no journal.
 * After failure: it cannot fail.
 * Threads: any thread.
 * Cost: no statement.
 * Generation: neither.
 * Since: 0.1
 * Core Data: none.
 * Ledger: QG-38, QG-39
 */
int64_t pinview_store_journal_size(const pinview_store *store);

/**
 * Copies the journal into the file and empties it, as far as the pins of all processes allow. The library does so by
 * itself; nobody needs to.
 *
 * @param store the store
 * @param emptied 1 when the journal is empty now; 0 when a pin or another process holds it, and on failure
 *
 * Returns: PINVIEW_OK, or the status of the error.
 * After failure: nothing has changed.
 * Threads: any thread.
 * Cost: no statement.
 * Generation: neither.
 * Since: 0.1
 * Core Data: none.
 * Ledger: QG-38, QG-39
 */
pinview_status pinview_store_checkpoint(pinview_store *store, int32_t *emptied, pinview_error **error);

/**
 * Makes a coordinator, a main-queue view context and what is needed for more, without opening the store.
 *
 * @param name names the coordinator
 * @param model the model
 * @param path the SQLite file; absent for a store in memory
 * @param options as for pinview_coordinator_add_store
 * @param option_count how many
 * @param out the container, owned by the caller
 *
 * Returns: PINVIEW_OK, or the status of the error.
 * After failure: nothing has changed.
 * Threads: any thread.
 * Cost: no statement.
 * Generation: neither.
 * Since: 0.1
 * Core Data: NSPersistentContainer
 * Ledger: STO-15, API-65
 */
pinview_status pinview_container_create(
    pinview_string name, pinview_model *model, pinview_string path, const pinview_named_value *options, size_t
    option_count, pinview_container **out, pinview_error **error);

/**
 * Adds a reference to a container. Each reference is released once.
 *
 * @param container the handle; it stays the same
 *
 * Returns: PINVIEW_OK; PINVIEW_ERROR_INVALID_HANDLE, also when a handle has 16,777,215 references already.
 * After failure: nothing has changed.
 * Threads: any thread.
 * Cost: no statement.
 * Generation: neither.
 * Since: 0.1
 * Core Data: none.
 */
pinview_status pinview_container_retain(pinview_container *container);

/**
 * Gives back one reference to a container. The last one makes the handle invalid.
 *
 * @param container the handle; NULL does nothing
 *
 * Returns: PINVIEW_OK; PINVIEW_ERROR_INVALID_HANDLE for a handle that was released already.
 * After failure: nothing has changed.
 * Threads: any thread.
 * Cost: no statement.
 * Generation: neither.
 * Since: 0.1
 * Core Data: none.
 */
pinview_status pinview_container_release(pinview_container *container);

/**
 * Opens the store; loading again does nothing. Fails as pinview_coordinator_add_store does.
 *
 * @param container the container
 *
 * Returns: PINVIEW_OK, or the status of the error.
 * After failure: nothing has changed.
 * Threads: any thread.
 * Cost: no statement.
 * Generation: neither.
 * Since: 0.1
 * Core Data: loadPersistentStores
 */
pinview_status pinview_container_load_stores(pinview_container *container, pinview_error **error);

/**
 * The coordinator.
 *
 * @param container the container
 * @param out the coordinator, owned by the caller
 *
 * Returns: PINVIEW_OK, or the status of the error.
 * After failure: nothing has changed.
 * Threads: any thread.
 * Cost: no statement.
 * Generation: neither.
 * Since: 0.1
 * Core Data: persistentStoreCoordinator
 */
pinview_status pinview_container_coordinator(
    pinview_container *container, pinview_coordinator **out, pinview_error **error);

/**
 * The context of the main queue.
 *
 * @param container the container
 * @param out the context, owned by the caller
 *
 * Returns: PINVIEW_OK, or the status of the error.
 * After failure: nothing has changed.
 * Threads: any thread.
 * Cost: no statement.
 * Generation: neither.
 * Since: 0.1
 * Core Data: viewContext
 * Ledger: EX-24
 */
pinview_status pinview_container_view_context(
    pinview_container *container, pinview_context **out, pinview_error **error);

/**
 * A new private-queue context on the coordinator.
 *
 * @param container the container
 * @param out the context, owned by the caller
 *
 * Returns: PINVIEW_OK, or the status of the error.
 * After failure: nothing has changed.
 * Threads: any thread.
 * Cost: no statement.
 * Generation: neither.
 * Since: 0.1
 * Core Data: newBackgroundContext()
 * Ledger: EX-25
 */
pinview_status pinview_container_new_background_context(
    pinview_container *container, pinview_context **out, pinview_error **error);

/**
 * Runs a block later, on a thread of the library, with a new private-queue context that ends with it.
 *
 * @param container the container
 * @param task the block; its status is ignored
 * @param userdata given to the block
 * @param free_userdata called after the block has run; may be NULL
 *
 * Returns: PINVIEW_OK, or the status of the error.
 * After failure: userdata stays the caller's.
 * Threads: any thread.
 * Cost: no statement.
 * Generation: neither.
 * Since: 0.1
 * Core Data: performBackgroundTask(_:)
 * Ledger: STO-15, API-65
 */
pinview_status pinview_container_perform_background_task(
    pinview_container *container, pinview_block_callback task, void *userdata, pinview_free_callback free_userdata,
    pinview_error **error);

/* ================================================================================================================
 * Tokens
 *
 * A token names a generation of all stores of a coordinator. Tokens are immutable and may be used from any thread. A
 * token does not keep its generation alive: only contexts do.
 *
 * Tokens travel: its bytes (pinview_token_data) name the same generation in another process that has the same stores
 * open. A context there that is pinned to it holds the generation by itself, also when the first process lets go or ends.
 * ================================================================================================================ */

/**
 * The token that stands for whatever is newest at the next read. It equals only itself. Cannot fail.
 *
 * Returns: the token, borrowed for ever; retaining and releasing it changes nothing.
 * After failure: it cannot fail.
 * Threads: any thread.
 * Cost: no statement.
 * Generation: neither.
 * Since: 0.1
 * Core Data: NSQueryGenerationToken.current
 * Ledger: QG-56
 */
pinview_token *pinview_token_current(void);

/**
 * Adds a reference to a token. Each reference is released once.
 *
 * @param token the handle; it stays the same
 *
 * Returns: PINVIEW_OK; PINVIEW_ERROR_INVALID_HANDLE, also when a handle has 16,777,215 references already.
 * After failure: nothing has changed.
 * Threads: any thread.
 * Cost: no statement.
 * Generation: neither.
 * Since: 0.1
 * Core Data: none.
 */
pinview_status pinview_token_retain(pinview_token *token);

/**
 * Gives back one reference to a token. The last one makes the handle invalid.
 *
 * @param token the handle; NULL does nothing
 *
 * Returns: PINVIEW_OK; PINVIEW_ERROR_INVALID_HANDLE for a handle that was released already.
 * After failure: nothing has changed.
 * Threads: any thread.
 * Cost: no statement.
 * Generation: neither.
 * Since: 0.1
 * Core Data: none.
 */
pinview_status pinview_token_release(pinview_token *token);

/**
 * Whether two handles name the same generation. Cannot fail.
 *
 * @param left a handle
 * @param right another
 *
 * Returns: 1 or 0; 0 when either is no valid handle.
 * After failure: it cannot fail.
 * Threads: any thread.
 * Cost: no statement.
 * Generation: neither.
 * Since: 0.1
 * Core Data: none.
 * Ledger: QG-10, QG-56
 */
int32_t pinview_token_is_equal(const pinview_token *left, const pinview_token *right);

/**
 * A hash; equal for equal tokens. Cannot fail.
 *
 * @param token the token
 *
 * Returns: the hash; 0 for no valid handle.
 * After failure: it cannot fail.
 * Threads: any thread.
 * Cost: no statement.
 * Generation: neither.
 * Since: 0.1
 * Core Data: none.
 * Ledger: QG-11
 */
uint64_t pinview_token_hash(const pinview_token *token);

/**
 * Whether a token is the one of pinview_token_current. Cannot fail.
 *
 * @param token the token
 *
 * Returns: 1 or 0.
 * After failure: it cannot fail.
 * Threads: any thread.
 * Cost: no statement.
 * Generation: neither.
 * Since: 0.1
 * Core Data: none.
 * Ledger: QG-12
 */
int32_t pinview_token_is_current(const pinview_token *token);

/**
 * A text for logs, which may change with every version. Cannot fail.
 *
 * @param token the token
 *
 * Returns: the text, borrowed from the token; absent for no valid handle.
 * After failure: it cannot fail.
 * Threads: any thread.
 * Cost: no statement.
 * Generation: neither.
 * Since: 0.1
 * Core Data: none.
 * Ledger: QG-11
 */
pinview_string pinview_token_description(const pinview_token *token);

/**
 * The token as opaque bytes. Tokens of one generation have equal meaning in all processes of the machine, though not
 * always equal bytes.
 *
 * While the generation lives, this also publishes it: for as long as this process holds it, other processes that have
 * the same stores open can pin contexts to it. That costs a file lock for each store, once. Where the system refuses the
 * lock, the token is expired for other processes.
 *
 * @param token the token
 * @param out the bytes, borrowed from the token
 *
 * Returns: PINVIEW_OK, or the status of the error.
 * After failure: nothing has changed.
 * Threads: any thread.
 * Cost: no statement.
 * Generation: neither.
 * Since: 0.1
 * Core Data: none.
 * Ledger: QG-11
 */
pinview_status pinview_token_data(const pinview_token *token, pinview_binary *out, pinview_error **error);

/**
 * The token that pinview_token_data wrote. Truncated or altered bytes are PINVIEW_ERROR_INVALID_ARGUMENT.
 *
 * @param data the bytes
 * @param out the token, owned by the caller
 *
 * Returns: PINVIEW_OK, or the status of the error.
 * After failure: nothing has changed.
 * Threads: any thread.
 * Cost: no statement.
 * Generation: neither.
 * Since: 0.1
 * Core Data: none.
 * Ledger: QG-11
 */
pinview_status pinview_token_create_from_data(pinview_binary data, pinview_token **out, pinview_error **error);

/* ================================================================================================================
 * Contexts
 *
 * A context fetches, registers, changes and saves objects. It is its own queue: a direct call on a private-queue
 * context from any thread is serialised with its blocks; a main-queue context may be called directly on the main
 * thread only (PINVIEW_ERROR_WRONG_QUEUE elsewhere), and its blocks run when the main thread drains the main queue.
 * This is the "context rule" of the docs below. The setters of settings and pinview_context_set_query_generation may
 * be called from any thread. When the last handle goes, the context ends: its pin is let go, pending changes are
 * dropped, its objects give PINVIEW_ERROR_CONTEXT_GONE.
 * ================================================================================================================ */

/* NSManagedObjectContextConcurrencyType (API-36). */
#define PINVIEW_CONCURRENCY_CONFINEMENT ((int32_t)0) /* deprecated: for the thread that made it */
#define PINVIEW_CONCURRENCY_PRIVATE_QUEUE ((int32_t)1)
#define PINVIEW_CONCURRENCY_MAIN_QUEUE ((int32_t)2)

/* What a save does about rows that others changed since (API-32; SAV-10 to SAV-14). */
#define PINVIEW_MERGE_POLICY_ERROR ((int32_t)0) /* the default: the save fails */
#define PINVIEW_MERGE_POLICY_BY_PROPERTY_STORE_TRUMP ((int32_t)1)
#define PINVIEW_MERGE_POLICY_BY_PROPERTY_OBJECT_TRUMP ((int32_t)2)
#define PINVIEW_MERGE_POLICY_OVERWRITE ((int32_t)3)
#define PINVIEW_MERGE_POLICY_ROLLBACK ((int32_t)4)
#define PINVIEW_MERGE_POLICY_CALLBACK ((int32_t)5) /* a function of the program: pinview_context_set_merge_callback */

/* Settings of a context that are switches; see pinview_context_set_flag. */
#define PINVIEW_CONTEXT_RETAINS_REGISTERED_OBJECTS ((int32_t)1)        /* off by default (API-17) */
/* A fault that has no row any more counts as deleted when it is read, and its values are null; without the switch reading it gives
 * PINVIEW_ERROR_REFERENTIAL_INTEGRITY. On by default (API-18; FLT-08, FLT-10). */
#define PINVIEW_CONTEXT_SHOULD_DELETE_INACCESSIBLE_FAULTS ((int32_t)2)
#define PINVIEW_CONTEXT_PROPAGATES_DELETES_AT_END_OF_EVENT ((int32_t)3) /* on by default (API-54) */
#define PINVIEW_CONTEXT_AUTOMATICALLY_MERGES_CHANGES ((int32_t)4)      /* off by default (API-30) */

/**
 * Makes a context, unpinned. Set its coordinator or its parent before its first use.
 *
 * @param concurrency_type PINVIEW_CONCURRENCY_...
 * @param out the context, owned by the caller
 *
 * Returns: PINVIEW_OK, or the status of the error.
 * After failure: nothing has changed.
 * Threads: any thread.
 * Cost: no statement.
 * Generation: neither.
 * Since: 0.1
 * Core Data: NSManagedObjectContext.init(concurrencyType:)
 * Ledger: CTX-01, QG-03, API-01
 */
pinview_status pinview_context_create(int32_t concurrency_type, pinview_context **out, pinview_error **error);

/**
 * Adds a reference to a context. Each reference is released once.
 *
 * @param context the handle; it stays the same
 *
 * Returns: PINVIEW_OK; PINVIEW_ERROR_INVALID_HANDLE, also when a handle has 16,777,215 references already.
 * After failure: nothing has changed.
 * Threads: any thread.
 * Cost: no statement.
 * Generation: neither.
 * Since: 0.1
 * Core Data: none.
 * Ledger: CTX-18
 */
pinview_status pinview_context_retain(pinview_context *context);

/**
 * Gives back one reference to a context. The last one makes the handle invalid. The last one ends the context, after
 * the blocks that wait have run.
 *
 * @param context the handle; NULL does nothing
 *
 * Returns: PINVIEW_OK; PINVIEW_ERROR_INVALID_HANDLE for a handle that was released already.
 * After failure: nothing has changed.
 * Threads: any thread.
 * Cost: no statement.
 * Generation: neither.
 * Since: 0.1
 * Core Data: none.
 * Ledger: CTX-18
 */
pinview_status pinview_context_release(pinview_context *context);

/**
 * Whether two handles name the same context. Cannot fail.
 *
 * @param left a handle
 * @param right another
 *
 * Returns: 1 or 0; 0 when either is no valid handle.
 * After failure: it cannot fail.
 * Threads: any thread.
 * Cost: no statement.
 * Generation: neither.
 * Since: 0.1
 * Core Data: none.
 */
int32_t pinview_context_is_equal(const pinview_context *left, const pinview_context *right);

/**
 * Sets the coordinator, once.
 *
 * @param context the context
 * @param coordinator the coordinator; NULL is PINVIEW_ERROR_COORDINATOR_NIL once one is set
 *
 * Returns: PINVIEW_OK, or the status of the error.
 * After failure: nothing has changed.
 * Threads: any thread.
 * Cost: no statement.
 * Generation: neither.
 * Since: 0.1
 * Core Data: persistentStoreCoordinator
 * Ledger: CTX-17, CTX-19, API-02
 */
pinview_status pinview_context_set_coordinator(
    pinview_context *context, pinview_coordinator *coordinator, pinview_error **error);

/**
 * The coordinator; of a child, that of its root.
 *
 * @param context the context
 * @param out the coordinator, owned by the caller; NULL for none
 *
 * Returns: PINVIEW_OK, or the status of the error.
 * After failure: nothing has changed.
 * Threads: any thread.
 * Cost: no statement.
 * Generation: neither.
 * Since: 0.1
 * Core Data: persistentStoreCoordinator
 */
pinview_status pinview_context_coordinator(pinview_context *context, pinview_coordinator **out, pinview_error **error);

/**
 * Makes a context a child, once, before it has objects.
 *
 * @param context the context
 * @param parent the parent; NULL is PINVIEW_ERROR_COORDINATOR_NIL once one is set
 *
 * Returns: PINVIEW_OK, or the status of the error.
 * After failure: nothing has changed.
 * Threads: any thread.
 * Cost: no statement.
 * Generation: neither.
 * Since: 0.1
 * Core Data: parent
 * Ledger: NST-01, NST-08, NST-16, API-03
 */
pinview_status pinview_context_set_parent(pinview_context *context, pinview_context *parent, pinview_error **error);

/**
 * The parent.
 *
 * @param context the context
 * @param out the parent, owned by the caller; NULL for a root context
 *
 * Returns: PINVIEW_OK, or the status of the error.
 * After failure: nothing has changed.
 * Threads: any thread.
 * Cost: no statement.
 * Generation: neither.
 * Since: 0.1
 * Core Data: parent
 */
pinview_status pinview_context_parent(pinview_context *context, pinview_context **out, pinview_error **error);

/**
 * The type given at creation. Cannot fail.
 *
 * @param context the context
 *
 * Returns: PINVIEW_CONCURRENCY_...; -1 for no valid handle.
 * After failure: it cannot fail.
 * Threads: any thread.
 * Cost: no statement.
 * Generation: neither.
 * Since: 0.1
 * Core Data: concurrencyType
 * Ledger: API-36
 */
int32_t pinview_context_concurrency_type(const pinview_context *context);

/**
 * Names a context, for logs and history.
 *
 * @param context the context
 * @param name the name; absent for none
 *
 * Returns: PINVIEW_OK, or the status of the error.
 * After failure: nothing has changed.
 * Threads: any thread.
 * Cost: no statement.
 * Generation: neither.
 * Since: 0.1
 * Core Data: name
 * Ledger: API-04
 */
pinview_status pinview_context_set_name(pinview_context *context, pinview_string name, pinview_error **error);

/**
 * The name. Cannot fail.
 *
 * @param context the context
 *
 * Returns: the text, borrowed from the context; absent for none.
 * After failure: it cannot fail.
 * Threads: any thread.
 * Cost: no statement.
 * Generation: neither.
 * Since: 0.1
 * Core Data: name
 */
pinview_string pinview_context_name(const pinview_context *context);

/**
 * Says who writes.
 *
 * @param context the context
 * @param author the author; absent for none
 *
 * Returns: PINVIEW_OK, or the status of the error.
 * After failure: nothing has changed.
 * Threads: any thread.
 * Cost: no statement.
 * Generation: neither.
 * Since: 0.1
 * Core Data: transactionAuthor
 * Ledger: API-33
 */
pinview_status pinview_context_set_transaction_author(
    pinview_context *context, pinview_string author, pinview_error **error);

/**
 * Who writes. Cannot fail.
 *
 * @param context the context
 *
 * Returns: the text, borrowed from the context; absent for none.
 * After failure: it cannot fail.
 * Threads: any thread.
 * Cost: no statement.
 * Generation: neither.
 * Since: 0.1
 * Core Data: transactionAuthor
 */
pinview_string pinview_context_transaction_author(const pinview_context *context);

/**
 * Says what a save does about conflicts: rows that others changed or deleted, and rows that would have the same values in a uniqueness
 * constraint. Of those, PINVIEW_MERGE_POLICY_ERROR fails the save and lists them (pinview_error_constraint_conflict). Under the others a new
 * object becomes the row that has its values already, and every reference to it leads to that row:
 *
 * - BY_PROPERTY_OBJECT_TRUMP: the values that were set on the object replace the row's,
 * - BY_PROPERTY_STORE_TRUMP: the row keeps its values, and takes those that are null there,
 * - OVERWRITE: all values of the object replace the row's,
 * - ROLLBACK: the row stays as it is.
 *
 * An updated object that runs into another row becomes part of that row under BY_PROPERTY_OBJECT_TRUMP and OVERWRITE, its own row being deleted; under
 * BY_PROPERTY_STORE_TRUMP the properties of the constraint keep the store's values, under ROLLBACK all of them do. Where the context has an object for the row
 * already, that one stays, and the other one is gone as if it had been deleted. Of several objects of the context the one that was inserted or
 * changed last counts as the object, the others as the row. A new object that names two rows by two constraints fails the save under
 * BY_PROPERTY_OBJECT_TRUMP and OVERWRITE.
 *
 * @param context the context
 * @param policy PINVIEW_MERGE_POLICY_...
 *
 * Returns: PINVIEW_OK, or the status of the error.
 * After failure: nothing has changed.
 * Threads: any thread.
 * Cost: no statement.
 * Generation: neither.
 * Since: 0.1
 * Core Data: mergePolicy
 * Ledger: API-32
 */
pinview_status pinview_context_set_merge_policy(pinview_context *context, int32_t policy, pinview_error **error);

/**
 * What a save does about conflicts. Cannot fail.
 *
 * @param context the context
 *
 * Returns: PINVIEW_MERGE_POLICY_...; -1 for no valid handle.
 * After failure: it cannot fail.
 * Threads: any thread.
 * Cost: no statement.
 * Generation: neither.
 * Since: 0.1
 * Core Data: mergePolicy
 */
int32_t pinview_context_merge_policy(const pinview_context *context);

/*
 * A merge policy of the program's own. It is called inside a save, with all conflicts that are known, and settles each by
 * pinview_merge_set_value or pinview_merge_set_policy; one that it does not settle fails the save as PINVIEW_MERGE_POLICY_ERROR does. It is called
 * once, and again only where uniqueness constraints are violated: those conflicts come after the others, have a constraint_number, and have
 * as theirs the values of the object that has the constraint's values already; values that differ in the constraint keep the object apart, others
 * are those of the one row that both become. What it resolves may run into another row: then it is called for that. A
 * status other than PINVIEW_OK and PINVIEW_USE_DEFAULT fails the save and comes back from it unchanged; nothing is written then.
 *
 * It runs on the thread of the save, inside the write transaction: it must be quick, as all other writers of the stores wait for it. Calls
 * of the context that is being saved, and of its objects, give PINVIEW_ERROR_INVALID_ARGUMENT; a save of another context to the same stores
 * fails, or, on another thread, waits: the callback must not wait for such a thread.
 */
typedef pinview_status (*pinview_merge_callback)(pinview_merge *merge, void *userdata);

/**
 * Chooses what a save of a root context does about rows that others changed or deleted: what a function of the program says.
 *
 * @param context the context
 * @param callback the policy
 * @param userdata for the callback, owned by the library on success
 * @param free_userdata frees it when another policy has been set or the context goes, or NULL
 *
 * Returns: PINVIEW_OK, or the status of the error.
 * After failure: the policy is as before.
 * Threads: any thread.
 * Cost: no statement.
 * Generation: neither.
 * Since: 0.1
 * Core Data: NSMergePolicy.resolve(optimisticLockingConflicts:)
 * Ledger: SAV-10 to SAV-18
 */
pinview_status pinview_context_set_merge_callback(
    pinview_context *context, pinview_merge_callback callback, void *userdata, pinview_free_callback free_userdata,
    pinview_error **error);

/**
 * Takes one more reference to the conflicts of a save. After the callback they can still be read, but not settled.
 *
 * @param merge the handle
 *
 * Returns: PINVIEW_OK, or PINVIEW_ERROR_INVALID_HANDLE.
 * After failure: nothing has changed.
 * Threads: any thread.
 * Cost: no statement.
 * Generation: neither.
 * Since: 0.1
 * Core Data: none.
 */
pinview_status pinview_merge_retain(pinview_merge *merge);

/**
 * Gives back one reference to the conflicts of a save. The last one makes the handle invalid.
 *
 * @param merge the handle; NULL does nothing
 *
 * Returns: PINVIEW_OK; PINVIEW_ERROR_INVALID_HANDLE for a handle that was released already.
 * After failure: nothing has changed.
 * Threads: any thread.
 * Cost: no statement.
 * Generation: neither.
 * Since: 0.1
 * Core Data: none.
 */
pinview_status pinview_merge_release(pinview_merge *merge);

/**
 * The conflicts, as the error that the save would fail with: pinview_error_conflict_count, pinview_error_conflict and
 * pinview_error_conflict_property tell base, mine and theirs. Cannot fail.
 *
 * @param merge the conflicts of the save
 *
 * Returns: the error, borrowed; NULL for no valid handle.
 * After failure: it cannot fail.
 * Threads: any thread.
 * Cost: no statement.
 * Generation: neither.
 * Since: 0.1
 * Core Data: NSMergeConflict
 * Ledger: SAV-10
 */
const pinview_error *pinview_merge_conflicts(const pinview_merge *merge);

/**
 * Settles one conflict as one of the constants does; takes back what was set for it before.
 *
 * @param merge the conflicts of the save
 * @param index the conflict, from 0
 * @param policy PINVIEW_MERGE_POLICY_..., not the callback
 *
 * Returns: PINVIEW_OK, or the status of the error.
 * After failure: nothing has changed.
 * Threads: the thread of the callback, inside it.
 * Cost: no statement.
 * Generation: neither.
 * Since: 0.1
 * Core Data: NSMergePolicy
 * Ledger: SAV-11 to SAV-18
 */
pinview_status pinview_merge_set_policy(pinview_merge *merge, uint64_t index, int32_t policy, pinview_error **error);

/**
 * Settles one conflict by values: sets what is written for one property. Properties without a value keep what the store has; where the
 * row has been deleted, it is written anew, and they are as in memory. An object that was to be deleted stays.
 *
 * @param merge the conflicts of the save
 * @param index the conflict, from 0
 * @param key the name of an attribute, or of a to-one relationship
 * @param value copied; an object ID, an object of another context or null for a relationship
 *
 * Returns: PINVIEW_OK, or the status of the error. That a value does not fit its property is an error of the save.
 * After failure: nothing has changed.
 * Threads: the thread of the callback, inside it.
 * Cost: no statement.
 * Generation: neither.
 * Since: 0.1
 * Core Data: NSMergeConflict
 * Ledger: SAV-15
 */
pinview_status pinview_merge_set_value(
    pinview_merge *merge, uint64_t index, pinview_string key, const pinview_value *value, pinview_error **error);

/**
 * Switches a setting. Automatic merging on a context that is pinned to an old generation is
 * PINVIEW_ERROR_PINNED_AUTO_MERGE.
 *
 * @param context the context
 * @param flag PINVIEW_CONTEXT_...
 * @param is_on 0 or 1
 *
 * Returns: PINVIEW_OK, or the status of the error.
 * After failure: nothing has changed.
 * Threads: any thread.
 * Cost: no statement.
 * Generation: neither.
 * Since: 0.1
 * Core Data: none.
 * Ledger: API-17, API-18, API-30, API-54
 */
pinview_status pinview_context_set_flag(pinview_context *context, int32_t flag, int32_t is_on, pinview_error **error);

/**
 * Whether a setting is on. Cannot fail.
 *
 * @param context the context
 * @param flag PINVIEW_CONTEXT_...
 *
 * Returns: 1 or 0; -1 for no valid handle or no such setting.
 * After failure: it cannot fail.
 * Threads: any thread.
 * Cost: no statement.
 * Generation: neither.
 * Since: 0.1
 * Core Data: none.
 */
int32_t pinview_context_flag(const pinview_context *context, int32_t flag);

/**
 * How old a cached row may be that fills a fault: negative for any age (the default), 0 for never from the cache.
 *
 * @param context the context
 * @param seconds the interval
 *
 * Returns: PINVIEW_OK, or the status of the error.
 * After failure: nothing has changed.
 * Threads: any thread.
 * Cost: no statement.
 * Generation: neither.
 * Since: 0.1
 * Core Data: stalenessInterval
 * Ledger: API-55
 */
pinview_status pinview_context_set_staleness_interval(pinview_context *context, double seconds, pinview_error **error);

/**
 * The staleness interval in seconds. Cannot fail.
 *
 * @param context the context
 *
 * Returns: the interval; -1 for no valid handle.
 * After failure: it cannot fail.
 * Threads: any thread.
 * Cost: no statement.
 * Generation: neither.
 * Since: 0.1
 * Core Data: stalenessInterval
 */
double pinview_context_staleness_interval(const pinview_context *context);

/**
 * Pins a context to a generation, advances it, or unpins it. With pinview_token_current() the next read takes the
 * newest generation and the context stays there; with another context's token it reads exactly that one; with NULL it
 * is unpinned. Registered objects are not refreshed; pending changes stay.
 *
 * The token may come from another process that has turned it into data; this process then holds the generation, too.
 * Where waiting for the context would never end, because the thread that uses it waits for the calling thread, the
 * context moves as soon as it is free instead.
 *
 * Errors: PINVIEW_ERROR_NESTED_PIN on a child; PINVIEW_ERROR_NO_COORDINATOR; PINVIEW_ERROR_FOREIGN_TOKEN for a token of
 * another coordinator of this process, or of a store that the coordinator does not have; PINVIEW_ERROR_GENERATION_EXPIRED
 * when no context of any process holds it, or the machine was restarted since; PINVIEW_ERROR_STORE_OPERATION for a token
 * that covers a removed store.
 *
 * @param context the context
 * @param token the token, or NULL
 *
 * Returns: PINVIEW_OK, or the status of the error.
 * After failure: generation, token and objects are as before.
 * Threads: any thread.
 * Cost: no statement.
 * Generation: as described.
 * Since: 0.1
 * Core Data: setQueryGenerationFrom(_:)
 * Ledger: QG-05 to QG-15, QG-30, QG-41, QG-43, QG-57, API-35
 */
pinview_status pinview_context_set_query_generation(
    pinview_context *context, const pinview_token *token, pinview_error **error);

/**
 * The generation that a context reads: the current token from pinning to it until the first read; then the token of
 * the real generation. NULL does not mean unpinned: it is also what a pinned context has between a save, a reset or a
 * merge and its next read, which takes the newest generation. pinview_context_query_generation_state() tells the two
 * apart. Always NULL for a child.
 *
 * @param context the context
 * @param out the token, owned by the caller, or NULL
 *
 * Returns: PINVIEW_OK, or the status of the error.
 * After failure: nothing has changed.
 * Threads: any thread.
 * Cost: no statement.
 * Generation: neither.
 * Since: 0.1
 * Core Data: queryGenerationToken
 * Ledger: QG-03, QG-05, QG-12, QG-21, QG-27, API-31
 */
pinview_status pinview_context_query_generation(
    const pinview_context *context, pinview_token **out, pinview_error **error);

/* How a context reads; see pinview_context_query_generation_state (ONE-09). */
#define PINVIEW_QUERY_GENERATION_UNPINNED ((int32_t)0) /* every fetch sees the newest transaction */
/* Pinned, and the next read takes the newest generation: after pinning to pinview_token_current(), and after each save,
 * reset or merge of a pinned context. */
#define PINVIEW_QUERY_GENERATION_PINNED_AT_NEXT_READ ((int32_t)1)
#define PINVIEW_QUERY_GENERATION_PINNED ((int32_t)2) /* to the generation that pinview_context_query_generation names */

/**
 * Whether a context is pinned, and whether it has taken its generation yet. A child answers for the root of its chain,
 * through which it reads. Cannot fail.
 *
 * @param context the context
 *
 * Returns: PINVIEW_QUERY_GENERATION_...; -1 for no valid handle.
 * After failure: it cannot fail.
 * Threads: any thread.
 * Cost: no statement.
 * Generation: neither; it is no read.
 * Since: 0.1
 * Core Data: none.
 * Ledger: ONE-09
 */
int32_t pinview_context_query_generation_state(const pinview_context *context);

/**
 * Whether something has been committed, by whomever, since the generation that a context is pinned to. No for a context
 * that is not pinned or has not read yet: its next read sees the newest state anyway. A child answers for the root of
 * its chain. Cannot fail.
 *
 * @param context the context
 *
 * Returns: 1 or 0; 0 for no valid handle.
 * After failure: it cannot fail.
 * Threads: any thread.
 * Cost: no statement and no system call: nanoseconds.
 * Generation: neither; it stays pinned where it is.
 * Since: 0.1
 * Core Data: none.
 */
int32_t pinview_context_has_newer_generation(const pinview_context *context);

/**
 * Waits until there is a generation newer than a context's own; for a context that is not pinned, or has not read yet,
 * newer than at the call. The calling thread sleeps, and the context's queue stays free for others. The context is not
 * moved: pin it to pinview_token_current() to read the news. Errors: PINVIEW_ERROR_NO_COORDINATOR,
 * PINVIEW_ERROR_INVALID_ARGUMENT when the time is not a number, PINVIEW_ERROR_STORE_OPERATION when no store has
 * generations.
 *
 * @param context the context
 * @param timeout_seconds for how long to wait; 0 only looks, less than 0 waits without end
 * @param out 1 when there is one, 0 when the time was over
 *
 * Returns: PINVIEW_OK, or the status of the error.
 * After failure: nothing has changed.
 * Threads: any thread.
 * Cost: no statement.
 * Generation: neither; it stays pinned where it is.
 * Since: 0.1
 * Core Data: none.
 */
pinview_status pinview_context_wait_for_newer_generation(
    const pinview_context *context, double timeout_seconds, int32_t *out, pinview_error **error);

/**
 * Runs a block later on the context's queue and returns at once: on a thread of the library for a private queue, on
 * the main thread when it drains the main queue for a main queue. The context lives until the block has run.
 *
 * @param context the context
 * @param block the block; its status is ignored
 * @param userdata given to the block
 * @param free_userdata called after the block has run; may be NULL
 *
 * Returns: PINVIEW_OK, or the status of the error.
 * After failure: userdata stays the caller's.
 * Threads: any thread.
 * Cost: no statement.
 * Generation: neither.
 * Since: 0.1
 * Core Data: perform(_:)
 * Ledger: CON-01 to CON-03, CON-16, API-56
 */
pinview_status pinview_context_perform(
    pinview_context *context, pinview_block_callback block, void *userdata, pinview_free_callback free_userdata,
    pinview_error **error);

/**
 * Runs a block on the context's queue and returns when it has run. Nested calls run at once. Inside the block
 * pinview_fetch_request_execute knows the context.
 *
 * @param context the context
 * @param block runs on the calling thread; for a main-queue context on the main thread
 * @param userdata given to the block
 *
 * Returns: the status of the block where it is not PINVIEW_OK, with the error that it left as the thread's last one;
 *     else PINVIEW_OK.
 * After failure: nothing has changed. PINVIEW_ERROR_DEADLOCK where the call would wait for ever, because the thread that uses the context
 *     waits, maybe through others, for a context that the calling thread is using; the block has not run then.
 * Threads: any thread.
 * Cost: no statement.
 * Generation: neither.
 * Since: 0.1
 * Core Data: performAndWait(_:)
 * Ledger: CON-04 to CON-07, ONE-08, API-57
 */
pinview_status pinview_context_perform_and_wait(
    pinview_context *context, pinview_block_callback block, void *userdata, pinview_error **error);

/**
 * Runs every block that waits for the main thread, and ends the events of direct calls on main-queue contexts.
 *
 * @param count how many ran; may be NULL
 *
 * Returns: PINVIEW_OK, or the status of the error.
 * After failure: nothing has changed.
 * Threads: the main thread.
 * Cost: no statement.
 * Generation: neither.
 * Since: 0.1
 * Core Data: none.
 * Ledger: CON-17
 */
pinview_status pinview_main_queue_drain(uint64_t *count, pinview_error **error);

/**
 * A descriptor that polls as readable while blocks wait for the main thread. It belongs to the library: do not read
 * from it or close it. Cannot fail.
 *
 * Returns: the descriptor; -1 where the system has none left.
 * After failure: it cannot fail.
 * Threads: any thread.
 * Cost: no statement.
 * Generation: neither.
 * Since: 0.1
 * Core Data: none.
 * Ledger: CON-17
 */
int32_t pinview_main_queue_file_descriptor(void);

/**
 * Makes direct calls on private-queue contexts an error (PINVIEW_ERROR_WRONG_QUEUE). Off by default; on with the
 * launch argument -com.apple.CoreData.ConcurrencyDebug 1 or PINVIEW_CONCURRENCY_DEBUG=1. Cannot fail.
 *
 * @param is_on 0 or 1
 *
 * Returns: nothing.
 * After failure: it cannot fail.
 * Threads: any thread.
 * Cost: no statement.
 * Generation: neither.
 * Since: 0.1
 * Core Data: none.
 * Ledger: CON-11
 */
void pinview_set_concurrency_debug(int32_t is_on);

/**
 * Makes a new object with a temporary ID and the default values of its entity.
 *
 * @param context the context
 * @param entity the name of an entity that is not abstract
 * @param out the object, owned by the caller; NULL when it is not wanted: the context keeps it until it is saved
 *
 * Returns: PINVIEW_OK, or the status of the error.
 * After failure: nothing has changed.
 * Threads: context rule.
 * Cost: no statement.
 * Generation: neither.
 * Since: 0.1
 * Core Data: NSEntityDescription.insertNewObject(forEntityName:into:)
 * Ledger: CTX-07, STO-11
 */
pinview_status pinview_context_insert_new_object(
    pinview_context *context, pinview_string entity, pinview_object **out, pinview_error **error);

/**
 * Makes many new objects with values for their properties in one call. They are objects like those of
 * pinview_context_insert_new_object: hooks run, and the next save validates and stores them.
 *
 * @param context the context
 * @param entity the name of an entity that is not abstract
 * @param names the names of attributes and to-one relationships, none of them twice; borrowed
 * @param name_count how many names, and so columns, there are
 * @param columns for each name row_count values; borrowed. Relationships take objects
 * @param row_count how many objects to make, at most INT32_MAX
 * @param out the objects in the order of the rows, owned by the caller; may be NULL
 *
 * Returns: PINVIEW_OK, or the status of the error.
 * After failure: nothing has changed; objects that were made already are deleted again.
 * Threads: context rule.
 * Cost: no statement.
 * Generation: neither.
 * Since: 0.1
 * Core Data: NSEntityDescription.insertNewObject(forEntityName:into:) and setValue(_:forKey:), for each.
 * Ledger: CTX-07, STO-11
 */
pinview_status pinview_context_insert_objects(
    pinview_context *context, pinview_string entity, const pinview_string *names, size_t name_count, const pinview_value *const *columns,
    size_t row_count, pinview_result **out, pinview_error **error);

/* Flags of pinview_upsert. */
#define PINVIEW_UPSERT_LEAVES_EXISTING ((uint32_t)1) /* insert or ignore: objects that are there stay as they are */

/* Rows to upsert. Zero the struct, set struct_size, entity, constraint, names, and values or columns. All is borrowed. */
typedef struct pinview_upsert {
    uint32_t struct_size; /* sizeof(pinview_upsert) */
    uint32_t flags;       /* PINVIEW_UPSERT_LEAVES_EXISTING, or 0 */
    pinview_string entity;
    const pinview_string *constraint; /* the properties of one of the entity's uniqueness constraints, in any order */
    size_t constraint_count;
    const pinview_string *names; /* attributes and to-one relationships, those of the constraint among them; none twice */
    size_t name_count;
    const pinview_value *values; /* row after row, row_count * name_count of them; relationships take objects or IDs */
    const pinview_value *const *columns; /* instead of values: for each name the row_count values of its column; NULL for none */
    size_t row_count;
    const pinview_string *insert_names; /* which of the names a new object gets, the constraint's besides; NULL for all */
    size_t insert_name_count;
    const pinview_string *update_names; /* which of the names an object gets that is there; NULL for all */
    size_t update_name_count;
} pinview_upsert;

/**
 * Inserts objects, or updates those that have the same values of a uniqueness constraint already.
 *
 * It makes pending changes like any other change of objects: save them with pinview_context_save, together with others. Hooks,
 * inverses and undo work as for each object by itself. Objects are looked for among the context's pending changes first, then at
 * the generation that it reads; one that is found is refreshed, its changes merged, and one that is to be deleted does not count. A row with
 * a null in the constraint always gives a new object. Rows with the values of an earlier one update its object. What another
 * context has inserted or changed meanwhile is for the context's merge policy to settle, in the save. To write rows at once, past
 * the context, use pinview_context_batch_insert with a merge policy.
 *
 * @param context the context
 * @param request the rows
 * @param out the objects, one for each row in order, a result of PINVIEW_RESULT_OBJECTS owned by the caller; may be NULL.
 *     pinview_result_upsert_outcomes tells what was done with each, pinview_result_row_counts with how many
 *
 * Returns: PINVIEW_OK, or the status of the error.
 * After failure: nothing has changed, the undo manager included; the message names the row. PINVIEW_ERROR_INVALID_ARGUMENT for a
 *     constraint that the entity does not have or that the names lack, PINVIEW_ERROR_UNKNOWN_KEY, PINVIEW_ERROR_WRONG_TYPE, the errors of
 *     validation, and PINVIEW_ERROR_CONSTRAINT_MERGE where a row would get the values of another object under a constraint
 *     that is not the one named, or of an object of another entity.
 * Threads: context rule.
 * Cost: one statement for up to 500 rows, or 100 where the constraint has several properties; as many for each further constraint.
 * Generation: a read.
 * Since: 0.1
 * Core Data: none.
 * Ledger: UNQ-11
 */
pinview_status pinview_context_upsert(
    pinview_context *context, const pinview_upsert *request, pinview_result **out, pinview_error **error);

/**
 * Puts an object that was taken out of the context back in, for the next save; one that is in it stays as it is.
 *
 * @param context the context
 * @param object the object
 *
 * Returns: PINVIEW_OK, or the status of the error.
 * After failure: nothing has changed.
 * Threads: context rule.
 * Cost: no statement.
 * Generation: neither.
 * Since: 0.1
 * Core Data: insert(_:)
 * Ledger: API-22
 */
pinview_status pinview_context_insert(pinview_context *context, pinview_object *object, pinview_error **error);

/**
 * Marks an object for removal at the next save.
 *
 * @param context the context
 * @param object the object
 *
 * Returns: PINVIEW_OK, or the status of the error.
 * After failure: nothing has changed.
 * Threads: context rule.
 * Cost: one row when the object is a fault.
 * Generation: may be a read: fixes a pin that has not been used yet.
 * Since: 0.1
 * Core Data: delete(_:)
 * Ledger: CTX-13, REL-06 to REL-10, API-23
 */
pinview_status pinview_context_delete(pinview_context *context, pinview_object *object, pinview_error **error);

/**
 * Marks many objects for removal at the next save, in one call.
 *
 * @param context the context
 * @param objects the objects; borrowed
 * @param count how many there are
 *
 * Returns: PINVIEW_OK, or the status of the error.
 * After failure: the objects before the one at fault are marked.
 * Threads: context rule.
 * Cost: one row for each object that is a fault.
 * Generation: may be a read: fixes a pin that has not been used yet.
 * Since: 0.1
 * Core Data: delete(_:), for each.
 * Ledger: CTX-13, REL-06 to REL-10, API-23
 */
pinview_status pinview_context_delete_objects(
    pinview_context *context, pinview_object *const *objects, size_t count, pinview_error **error);

/**
 * Says in which store a new object is to be saved; PINVIEW_ERROR_WRONG_STORE when it cannot be.
 *
 * @param context the context
 * @param object the object
 * @param store the store
 *
 * Returns: PINVIEW_OK, or the status of the error.
 * After failure: nothing has changed.
 * Threads: context rule.
 * Cost: no statement.
 * Generation: neither.
 * Since: 0.1
 * Core Data: assign(_:to:)
 * Ledger: STO-09, STO-10, API-24
 */
pinview_status pinview_context_assign(
    pinview_context *context, pinview_object *object, pinview_store *store, pinview_error **error);

/**
 * The registered object of an ID. Never reads.
 *
 * @param context the context
 * @param object_id the ID
 * @param out the object, owned by the caller; NULL when there is none
 *
 * Returns: PINVIEW_OK, or the status of the error.
 * After failure: nothing has changed.
 * Threads: context rule.
 * Cost: no statement.
 * Generation: neither.
 * Since: 0.1
 * Core Data: registeredObject(for:)
 * Ledger: FET-07, API-09
 */
pinview_status pinview_context_registered_object(
    pinview_context *context, const pinview_object_id *object_id, pinview_object **out, pinview_error **error);

/**
 * The object of an ID: the registered one, or a new fault. Never reads and never asks whether the row exists.
 *
 * @param context the context
 * @param object_id the ID
 * @param out the object, owned by the caller
 *
 * Returns: PINVIEW_OK, or the status of the error.
 * After failure: nothing has changed.
 * Threads: context rule.
 * Cost: no statement.
 * Generation: neither.
 * Since: 0.1
 * Core Data: object(with:)
 * Ledger: FET-08, FLT-02, API-10
 */
pinview_status pinview_context_object(
    pinview_context *context, const pinview_object_id *object_id, pinview_object **out, pinview_error **error);

/**
 * The object of an ID with its values; PINVIEW_ERROR_REFERENTIAL_INTEGRITY when there is no row.
 *
 * @param context the context
 * @param object_id the ID
 * @param out the object, owned by the caller
 *
 * Returns: PINVIEW_OK, or the status of the error.
 * After failure: nothing has changed.
 * Threads: context rule.
 * Cost: one row, unless it is at hand.
 * Generation: a read (QG-08): fixes the generation of a context that is pinned and has not read yet; else neither.
 * Since: 0.1
 * Core Data: existingObject(with:)
 * Ledger: FET-09, FET-10, API-11
 */
pinview_status pinview_context_existing_object(
    pinview_context *context, const pinview_object_id *object_id, pinview_object **out, pinview_error **error);

/**
 * The objects of many IDs, in their order: for each what pinview_context_object gives.
 *
 * Reading one of those that are faults reads the rows of the others along with it, as with the objects of one fetch.
 *
 * @param context the context
 * @param object_ids the IDs; NULL only where count is 0
 * @param count how many
 * @param out the objects, owned by the caller; an ID that is given twice gives its object twice
 *
 * Returns: PINVIEW_OK, or the status of the error.
 * After failure: nothing has changed.
 * Threads: context rule.
 * Cost: no statement.
 * Generation: neither.
 * Since: 0.1
 * Core Data: object(with:), for many objects
 * Ledger: FET-08
 */
pinview_status pinview_context_objects(
    pinview_context *context, const pinview_object_id *const *object_ids, size_t count, pinview_result **out, pinview_error **error);

/**
 * The objects of many IDs with their values, in their order: for each what pinview_context_existing_object gives. The values of those that
 * were faults are of one state of each store, also in a context that is not pinned.
 *
 * @param context the context
 * @param object_ids the IDs; NULL only where count is 0
 * @param count how many
 * @param out the objects, owned by the caller; an ID that is given twice gives its object twice
 *
 * Returns: PINVIEW_OK, or the status of the error: PINVIEW_ERROR_REFERENTIAL_INTEGRITY when one of the IDs has no row, which
 *   pinview_error_affected_object_ids tells.
 * After failure: nothing has changed, but for faults before that ID, which may have got their values.
 * Threads: context rule. pinview_context_interrupt_fetch stops the reading.
 * Cost: what is not in memory is read by one statement for each store and hierarchy of entities, and for every 1,000 objects.
 * Generation: a read (QG-08): fixes the generation of a context that is pinned and has not read yet; else neither.
 * Since: 0.1
 * Core Data: existingObject(with:), for many objects
 * Ledger: FET-09, FET-10
 */
pinview_status pinview_context_existing_objects(
    pinview_context *context, const pinview_object_id *const *object_ids, size_t count, pinview_result **out, pinview_error **error);

/**
 * Attributes and to-one relationships of the object of an ID: what pinview_context_object and pinview_object_values give, without a handle
 * of the object. The quickest way to read an object that the context knows. One without a row has nulls, as
 * PINVIEW_CONTEXT_SHOULD_DELETE_INACCESSIBLE_FAULTS says.
 *
 * @param context the context
 * @param object_id the ID
 * @param indexes indexes of properties (pinview_entity_property_index)
 * @param count how many
 * @param buffer where texts, data and IDs go; they are valid until its next use. NULL for values that are numbers, Booleans, dates, UUIDs
 *   or null: another one is PINVIEW_ERROR_INVALID_ARGUMENT then
 * @param out count values; unspecified after a failure
 *
 * Returns: PINVIEW_OK, or the status of the error.
 * After failure: nothing has changed.
 * Threads: context rule. In a block of the context it takes neither a lock of the queue nor a reference.
 * Cost: one row, unless it is at hand.
 * Generation: a read (QG-08): fixes the generation of a context that is pinned and has not read yet; else neither.
 * Since: 0.1
 * Core Data: dictionaryWithValues(forKeys:) of object(with:)
 * Ledger: FET-08, FLT-02
 */
pinview_status pinview_context_values(
    pinview_context *context, const pinview_object_id *object_id, const int32_t *indexes, size_t count, pinview_buffer *buffer,
    pinview_value *out, pinview_error **error);

/**
 * The objects that are registered and alive, faults too. No order.
 *
 * @param context the context
 * @param out the objects, owned by the caller
 *
 * Returns: PINVIEW_OK, or the status of the error.
 * After failure: nothing has changed.
 * Threads: context rule.
 * Cost: no statement.
 * Generation: neither.
 * Since: 0.1
 * Core Data: registeredObjects
 * Ledger: CTX-08, API-12
 */
pinview_status pinview_context_registered_objects(pinview_context *context, pinview_result **out, pinview_error **error);

/**
 * The objects inserted and not saved yet. No order.
 *
 * @param context the context
 * @param out the objects, owned by the caller
 *
 * Returns: PINVIEW_OK, or the status of the error.
 * After failure: nothing has changed.
 * Threads: context rule.
 * Cost: no statement.
 * Generation: neither.
 * Since: 0.1
 * Core Data: insertedObjects
 * Ledger: CTX-11, API-19
 */
pinview_status pinview_context_inserted_objects(pinview_context *context, pinview_result **out, pinview_error **error);

/**
 * The stored objects with uncommitted changes. No order.
 *
 * @param context the context
 * @param out the objects, owned by the caller
 *
 * Returns: PINVIEW_OK, or the status of the error.
 * After failure: nothing has changed.
 * Threads: context rule.
 * Cost: no statement.
 * Generation: neither.
 * Since: 0.1
 * Core Data: updatedObjects
 * Ledger: CTX-12, API-20
 */
pinview_status pinview_context_updated_objects(pinview_context *context, pinview_result **out, pinview_error **error);

/**
 * The objects that the next save will remove. No order.
 *
 * @param context the context
 * @param out the objects, owned by the caller
 *
 * Returns: PINVIEW_OK, or the status of the error.
 * After failure: nothing has changed.
 * Threads: context rule.
 * Cost: no statement.
 * Generation: neither.
 * Since: 0.1
 * Core Data: deletedObjects
 * Ledger: CTX-13, API-21
 */
pinview_status pinview_context_deleted_objects(pinview_context *context, pinview_result **out, pinview_error **error);

/**
 * Whether there is an uncommitted insert, update or delete.
 *
 * @param context the context
 * @param out 1 or 0
 *
 * Returns: PINVIEW_OK, or the status of the error.
 * After failure: nothing has changed.
 * Threads: context rule.
 * Cost: no statement.
 * Generation: neither.
 * Since: 0.1
 * Core Data: hasChanges
 * Ledger: CTX-10, API-48
 */
pinview_status pinview_context_has_changes(pinview_context *context, int32_t *out, pinview_error **error);

/**
 * With merge_changes gives an object the values now available, keeping local changes; without, drops its values and
 * changes and makes it a fault.
 *
 * @param context the context
 * @param object the object
 * @param merge_changes 0 or 1
 *
 * Returns: PINVIEW_OK, or the status of the error.
 * After failure: nothing has changed.
 * Threads: context rule.
 * Cost: with merge_changes one row, unless it is at hand; else no statement.
 * Generation: with merge_changes a read (QG-08): fixes the generation of a context that is pinned and has not read
 *     yet; else neither.
 * Since: 0.1
 * Core Data: refresh(_:mergeChanges:)
 * Ledger: RFR-03 to RFR-10, API-27
 */
pinview_status pinview_context_refresh(
    pinview_context *context, pinview_object *object, int32_t merge_changes, pinview_error **error);

/**
 * Makes clean objects faults and merges those with pending changes.
 *
 * @param context the context
 *
 * Returns: PINVIEW_OK, or the status of the error.
 * After failure: nothing has changed.
 * Threads: context rule.
 * Cost: no statement.
 * Generation: a read when there are pending changes.
 * Since: 0.1
 * Core Data: refreshAllObjects()
 * Ledger: QG-17, RFR-08, API-16
 */
pinview_status pinview_context_refresh_all_objects(pinview_context *context, pinview_error **error);

/**
 * Gives new objects their permanent IDs before they are saved; those that have one are passed over.
 *
 * @param context the context
 * @param objects the objects
 * @param count how many
 *
 * Returns: PINVIEW_OK, or the status of the error.
 * After failure: nothing has changed.
 * Threads: context rule.
 * Cost: one short write transaction per store.
 * Generation: neither.
 * Since: 0.1
 * Core Data: obtainPermanentIDs(for:)
 * Ledger: SAV-24, API-25
 */
pinview_status pinview_context_obtain_permanent_ids(
    pinview_context *context, pinview_object *const *objects, size_t count, pinview_error **error);

/**
 * Lets the next save check an object that has not changed.
 *
 * @param context the context
 * @param object the object
 *
 * Returns: PINVIEW_OK, or the status of the error.
 * After failure: nothing has changed.
 * Threads: context rule.
 * Cost: no statement.
 * Generation: neither.
 * Since: 0.1
 * Core Data: detectConflicts(for:)
 * Ledger: SAV-19, API-26
 */
pinview_status pinview_context_detect_conflicts(pinview_context *context, pinview_object *object, pinview_error **error);

/**
 * Works the changes so far into the graph and announces them; outside a block it ends the event.
 *
 * @param context the context
 *
 * Returns: PINVIEW_OK, or the status of the error. That may be the error of a merge that was put off
 *     (pinview_context_merge_changes), once.
 * After failure: nothing has changed.
 * Threads: context rule.
 * Cost: no statement.
 * Generation: a read when delete rules have to load something.
 * Since: 0.1
 * Core Data: processPendingChanges()
 * Ledger: API-28
 */
pinview_status pinview_context_process_pending_changes(pinview_context *context, pinview_error **error);

/**
 * Writes all pending changes one store up, each store in one transaction. Without changes it does nothing.
 *
 * @param context the context
 *
 * Returns: PINVIEW_OK, or the status of the error.
 * After failure: nothing was written, the pending changes stay. PINVIEW_ERROR_VALIDATION..., PINVIEW_ERROR_MERGE with
 *     the conflicts, PINVIEW_ERROR_STORE_SAVE; once, the error of a merge that was put off
 *     (pinview_context_merge_changes).
 * Threads: context rule.
 * Cost: one statement per row, one transaction per store.
 * Generation: advances a pinned context, when there was something to save.
 * Since: 0.1
 * Core Data: save()
 * Ledger: SAV-01 to SAV-25, QG-20 to QG-26, API-47
 */
pinview_status pinview_context_save(pinview_context *context, pinview_error **error);

/**
 * Discards all pending changes, without a read.
 *
 * @param context the context
 *
 * Returns: PINVIEW_OK, or the status of the error.
 * After failure: nothing has changed.
 * Threads: context rule.
 * Cost: no statement.
 * Generation: neither.
 * Since: 0.1
 * Core Data: rollback()
 * Ledger: UND-12 to UND-14, API-53
 */
pinview_status pinview_context_rollback(pinview_context *context, pinview_error **error);

/**
 * Forgets all objects; handles to them give PINVIEW_ERROR_OBJECT_INVALIDATED.
 *
 * @param context the context
 *
 * Returns: PINVIEW_OK, or the status of the error.
 * After failure: nothing has changed.
 * Threads: context rule.
 * Cost: no statement.
 * Generation: advances a pinned context.
 * Since: 0.1
 * Core Data: reset()
 * Ledger: CTX-14, CTX-15, QG-23, API-52
 */
pinview_status pinview_context_reset(pinview_context *context, pinview_error **error);

/**
 * Takes the latest group of changes back, that of the event that is going on included; does nothing without one.
 * PINVIEW_ERROR_INVALID_ARGUMENT while a group is open that
 * pinview_undo_manager_begin_grouping or pinview_context_begin_undo_grouping opened.
 *
 * @param context the context
 *
 * Returns: PINVIEW_OK, or the status of the error.
 * After failure: nothing has changed.
 * Threads: context rule.
 * Cost: no statement.
 * Generation: neither.
 * Since: 0.1
 * Core Data: undo()
 * Ledger: UND-02 to UND-08, API-50
 */
pinview_status pinview_context_undo(pinview_context *context, pinview_error **error);

/**
 * Applies the latest undone group again; does nothing without one. PINVIEW_ERROR_INVALID_ARGUMENT while a group is open
 * that pinview_undo_manager_begin_grouping or pinview_context_begin_undo_grouping opened.
 *
 * @param context the context
 *
 * Returns: PINVIEW_OK, or the status of the error.
 * After failure: nothing has changed.
 * Threads: context rule.
 * Cost: no statement.
 * Generation: neither.
 * Since: 0.1
 * Core Data: redo()
 * Ledger: UND-05, API-51
 */
pinview_status pinview_context_redo(pinview_context *context, pinview_error **error);

/**
 * Gives a context a new undo manager, or none. A new context has one.
 *
 * @param context the context
 * @param is_enabled 0 or 1
 *
 * Returns: PINVIEW_OK, or the status of the error.
 * After failure: nothing has changed.
 * Threads: context rule.
 * Cost: no statement.
 * Generation: neither.
 * Since: 0.1
 * Core Data: undoManager
 * Ledger: UND-01, UND-09, API-49
 */
pinview_status pinview_context_set_undo_enabled(pinview_context *context, int32_t is_enabled, pinview_error **error);

/**
 * Empties the undo and redo stacks and lets go of the objects in them.
 *
 * @param context the context
 *
 * Returns: PINVIEW_OK, or the status of the error.
 * After failure: nothing has changed.
 * Threads: context rule.
 * Cost: no statement.
 * Generation: neither.
 * Since: 0.1
 * Core Data: UndoManager.removeAllActions()
 * Ledger: UND-08, REF-14
 */
pinview_status pinview_context_remove_all_undo_actions(pinview_context *context, pinview_error **error);

/**
 * Opens a group; what is recorded until it is ended is undone in one step of its own. It stays open until then, across
 * blocks, events, pinview_context_process_pending_changes and saves. Inside another group that was opened in this way it
 * becomes part of that one.
 *
 * @param context the context
 *
 * Returns: PINVIEW_OK, or the status of the error.
 * After failure: nothing has changed.
 * Threads: context rule.
 * Cost: no statement.
 * Generation: neither.
 * Since: 0.1
 * Core Data: UndoManager.beginUndoGrouping()
 * Ledger: UND-10, ONE-06
 */
pinview_status pinview_context_begin_undo_grouping(pinview_context *context, pinview_error **error);

/**
 * Ends the group that the program opened last; does nothing without one: the event's own group ends with the event.
 *
 * @param context the context
 *
 * Returns: PINVIEW_OK, or the status of the error.
 * After failure: nothing has changed.
 * Threads: context rule.
 * Cost: no statement.
 * Generation: neither.
 * Since: 0.1
 * Core Data: UndoManager.endUndoGrouping()
 * Ledger: UND-10, ONE-06
 */
pinview_status pinview_context_end_undo_grouping(pinview_context *context, pinview_error **error);

/**
 * How many groups can be undone; 0, the default, is no limit.
 *
 * @param context the context
 * @param levels the limit
 *
 * Returns: PINVIEW_OK, or the status of the error.
 * After failure: nothing has changed.
 * Threads: context rule.
 * Cost: no statement.
 * Generation: neither.
 * Since: 0.1
 * Core Data: UndoManager.levelsOfUndo
 * Ledger: UND-06
 */
pinview_status pinview_context_set_undo_levels(pinview_context *context, uint64_t levels, pinview_error **error);

/**
 * Takes the context's own recursive lock, waiting while another thread has it. It serves programs that use it
 * among themselves: it does not stop blocks from running and is no substitute for pinview_context_perform.
 *
 * @param context the context
 *
 * Returns: PINVIEW_OK, or the status of the error.
 * After failure: nothing has changed.
 * Threads: any thread.
 * Cost: no statement.
 * Generation: neither.
 * Since: 0.1
 * Core Data: lock() (deprecated)
 * Ledger: API-62, DEC-37
 */
PINVIEW_DEPRECATED("use pinview_context_perform")
pinview_status pinview_context_lock(pinview_context *context, pinview_error **error);

/**
 * Gives back one level of the lock. PINVIEW_ERROR_NOT_LOCKED when the calling thread does not hold it.
 *
 * @param context the context
 *
 * Returns: PINVIEW_OK, or the status of the error.
 * After failure: nothing has changed.
 * Threads: the thread that holds the lock.
 * Cost: no statement.
 * Generation: neither.
 * Since: 0.1
 * Core Data: unlock() (deprecated)
 * Ledger: API-63, DEC-37
 */
PINVIEW_DEPRECATED("use pinview_context_perform")
pinview_status pinview_context_unlock(pinview_context *context, pinview_error **error);

/**
 * Takes the lock where that needs no waiting.
 *
 * @param context the context
 * @param out 1 when the calling thread has the lock now, 0 when another thread has it
 *
 * Returns: PINVIEW_OK, or the status of the error.
 * After failure: nothing has changed.
 * Threads: any thread.
 * Cost: no statement.
 * Generation: neither.
 * Since: 0.1
 * Core Data: tryLock() (deprecated)
 * Ledger: API-64, DEC-37
 */
PINVIEW_DEPRECATED("use pinview_context_perform")
pinview_status pinview_context_try_lock(pinview_context *context, int32_t *out, pinview_error **error);

/**
 * Puts data of the program's own with a context, in the place of what was there. It lives as long as the context.
 *
 * @param context the context
 * @param userdata the data, owned by the library on success; NULL takes away what is there
 * @param free_userdata frees it, on the thread that replaces it or ends the context; or NULL
 *
 * Returns: PINVIEW_OK, or the status of the error.
 * After failure: nothing has changed.
 * Threads: any thread.
 * Cost: no statement.
 * Generation: neither.
 * Since: 0.1
 * Core Data: userInfo
 * Ledger: API-05, CTX-21
 */
pinview_status pinview_context_set_userdata(
    pinview_context *context, void *userdata, pinview_free_callback free_userdata, pinview_error **error);

/**
 * The data that pinview_context_set_userdata put there. Cannot fail.
 *
 * @param context the context
 *
 * Returns: the data; NULL without any, and for a handle that is not valid.
 * After failure: it cannot fail.
 * Threads: any thread.
 * Cost: no statement.
 * Generation: neither.
 * Since: 0.1
 * Core Data: userInfo
 * Ledger: API-05, CTX-21
 */
void *pinview_context_userdata(const pinview_context *context);

/**
 * A handle that does not keep the context alive.
 *
 * @param context the context
 * @param out the weak handle, owned by the caller
 *
 * Returns: PINVIEW_OK, or the status of the error.
 * After failure: nothing has changed.
 * Threads: any thread.
 * Cost: no statement.
 * Generation: neither.
 * Since: 0.1
 * Core Data: none.
 * Ledger: REF-18
 */
pinview_status pinview_context_get_weak(pinview_context *context, pinview_weak_context **out, pinview_error **error);

/**
 * Adds a reference to a weak handle. Each reference is released once.
 *
 * @param weak_context the handle; it stays the same
 *
 * Returns: PINVIEW_OK; PINVIEW_ERROR_INVALID_HANDLE, also when a handle has 16,777,215 references already.
 * After failure: nothing has changed.
 * Threads: any thread.
 * Cost: no statement.
 * Generation: neither.
 * Since: 0.1
 * Core Data: none.
 */
pinview_status pinview_weak_context_retain(pinview_weak_context *weak_context);

/**
 * Gives back one reference to a weak handle. The last one makes the handle invalid.
 *
 * @param weak_context the handle; NULL does nothing
 *
 * Returns: PINVIEW_OK; PINVIEW_ERROR_INVALID_HANDLE for a handle that was released already.
 * After failure: nothing has changed.
 * Threads: any thread.
 * Cost: no statement.
 * Generation: neither.
 * Since: 0.1
 * Core Data: none.
 */
pinview_status pinview_weak_context_release(pinview_weak_context *weak_context);

/**
 * The context of a weak handle, if it still exists.
 *
 * @param weak the weak handle
 * @param out the context, owned by the caller; NULL when it has ended
 *
 * Returns: PINVIEW_OK, or the status of the error.
 * After failure: nothing has changed.
 * Threads: any thread.
 * Cost: no statement.
 * Generation: neither.
 * Since: 0.1
 * Core Data: none.
 * Ledger: REF-18
 */
pinview_status pinview_weak_context_get(const pinview_weak_context *weak, pinview_context **out, pinview_error **error);

/* ================================================================================================================
 * Undo managers
 *
 * What a context records, so that it can be taken back. Every context has a manager of its own from the beginning; a
 * program may take it, put another in its place, or none. A manager serves one context, on that context's queue, and does
 * not keep it; it keeps the objects whose changes it has recorded.
 * ================================================================================================================ */

/**
 * A manager that serves no context yet.
 *
 * @param out the manager, owned by the caller
 *
 * Returns: PINVIEW_OK, or the status of the error.
 * After failure: nothing has changed.
 * Threads: any thread.
 * Cost: no statement.
 * Generation: neither.
 * Since: 0.1
 * Core Data: UndoManager.init()
 * Ledger: UND-01
 */
pinview_status pinview_undo_manager_create(pinview_undo_manager **out, pinview_error **error);

/**
 * One reference more.
 *
 * @param manager the undo manager
 *
 * Returns: PINVIEW_OK, or PINVIEW_ERROR_INVALID_HANDLE.
 * After failure: nothing has changed.
 * Threads: any thread.
 * Cost: no statement.
 * Generation: neither.
 * Since: 0.1
 * Core Data: none.
 */
pinview_status pinview_undo_manager_retain(pinview_undo_manager *manager);

/**
 * One reference less. Takes NULL.
 *
 * @param manager the undo manager
 *
 * Returns: PINVIEW_OK, or PINVIEW_ERROR_INVALID_HANDLE.
 * After failure: nothing has changed.
 * Threads: any thread.
 * Cost: no statement.
 * Generation: neither.
 * Since: 0.1
 * Core Data: none.
 */
pinview_status pinview_undo_manager_release(pinview_undo_manager *manager);

/**
 * Whether two handles stand for the same manager. Cannot fail.
 *
 * @param left a manager
 * @param right another
 *
 * Returns: 1 or 0; 0 for a handle that is not valid.
 * After failure: it cannot fail.
 * Threads: any thread.
 * Cost: no statement.
 * Generation: neither.
 * Since: 0.1
 * Core Data: none.
 */
int32_t pinview_undo_manager_is_equal(const pinview_undo_manager *left, const pinview_undo_manager *right);

/**
 * The manager of a context.
 *
 * @param context the context
 * @param out the manager, owned by the caller; NULL when the context records nothing
 *
 * Returns: PINVIEW_OK, or the status of the error.
 * After failure: nothing has changed.
 * Threads: any thread.
 * Cost: no statement.
 * Generation: neither.
 * Since: 0.1
 * Core Data: undoManager
 * Ledger: UND-01, API-49
 */
pinview_status pinview_context_undo_manager(pinview_context *context, pinview_undo_manager **out, pinview_error **error);

/**
 * Puts a manager in the place of the context's own. What the old and the new one had recorded is forgotten; a
 * context that had the manager before has none then.
 *
 * @param context the context
 * @param manager the manager; NULL: nothing is recorded
 *
 * Returns: PINVIEW_OK, or the status of the error.
 * After failure: nothing has changed.
 * Threads: any thread.
 * Cost: no statement.
 * Generation: neither.
 * Since: 0.1
 * Core Data: undoManager
 * Ledger: UND-09, API-49
 */
pinview_status pinview_context_set_undo_manager(
    pinview_context *context, pinview_undo_manager *manager, pinview_error **error);

/**
 * Takes the latest group of changes back, that of the event that is going on included; does nothing without one, or
 * without a context. PINVIEW_ERROR_INVALID_ARGUMENT while a group is open that
 * pinview_undo_manager_begin_grouping or pinview_context_begin_undo_grouping opened.
 *
 * @param manager the undo manager
 *
 * Returns: PINVIEW_OK, or the status of the error.
 * After failure: as it was before, but for faults that fired.
 * Threads: context rule.
 * Cost: those of the faults that it fires.
 * Generation: a read where faults fire: fixes a pin that has not been used yet.
 * Since: 0.1
 * Core Data: UndoManager.undo()
 * Ledger: UND-02 to UND-04, UND-07
 */
pinview_status pinview_undo_manager_undo(pinview_undo_manager *manager, pinview_error **error);

/**
 * Applies the latest undone group again; does nothing without one, or without a context.
 * PINVIEW_ERROR_INVALID_ARGUMENT while a group is open that pinview_undo_manager_begin_grouping or
 * pinview_context_begin_undo_grouping opened.
 *
 * @param manager the undo manager
 *
 * Returns: PINVIEW_OK, or the status of the error.
 * After failure: as it was before, but for faults that fired.
 * Threads: context rule.
 * Cost: those of the faults that it fires.
 * Generation: a read where faults fire: fixes a pin that has not been used yet.
 * Since: 0.1
 * Core Data: UndoManager.redo()
 * Ledger: UND-05, UND-07
 */
pinview_status pinview_undo_manager_redo(pinview_undo_manager *manager, pinview_error **error);

/**
 * Whether there is a group to undo. Cannot fail.
 *
 * @param manager the undo manager
 *
 * Returns: 1 or 0; 0 for a handle that is not valid.
 * After failure: it cannot fail.
 * Threads: context rule.
 * Cost: no statement.
 * Generation: neither.
 * Since: 0.1
 * Core Data: UndoManager.canUndo
 * Ledger: UND-07
 */
int32_t pinview_undo_manager_can_undo(const pinview_undo_manager *manager);

/**
 * Whether there is a group to redo. Cannot fail.
 *
 * @param manager the undo manager
 *
 * Returns: 1 or 0; 0 for a handle that is not valid.
 * After failure: it cannot fail.
 * Threads: context rule.
 * Cost: no statement.
 * Generation: neither.
 * Since: 0.1
 * Core Data: UndoManager.canRedo
 * Ledger: UND-07
 */
int32_t pinview_undo_manager_can_redo(const pinview_undo_manager *manager);

/**
 * The name of the group that undo would act on. Cannot fail.
 *
 * @param manager the undo manager
 *
 * Returns: the name, empty without one; borrowed, valid until it is asked for again or the manager is released.
 * After failure: it cannot fail.
 * Threads: context rule.
 * Cost: no statement.
 * Generation: neither.
 * Since: 0.1
 * Core Data: UndoManager.undoActionName
 * Ledger: UND-10
 */
pinview_string pinview_undo_manager_undo_action_name(const pinview_undo_manager *manager);

/**
 * The name of the group that redo would act on. Cannot fail.
 *
 * @param manager the undo manager
 *
 * Returns: the name, empty without one; borrowed, valid until it is asked for again or the manager is released.
 * After failure: it cannot fail.
 * Threads: context rule.
 * Cost: no statement.
 * Generation: neither.
 * Since: 0.1
 * Core Data: UndoManager.redoActionName
 * Ledger: UND-10
 */
pinview_string pinview_undo_manager_redo_action_name(const pinview_undo_manager *manager);

/**
 * Names the innermost open group that was opened explicitly or has changes, or else the latest one.
 *
 * @param manager the undo manager
 * @param name the name
 *
 * Returns: PINVIEW_OK, or the status of the error.
 * After failure: nothing has changed.
 * Threads: context rule.
 * Cost: no statement.
 * Generation: neither.
 * Since: 0.1
 * Core Data: UndoManager.setActionName(_:)
 * Ledger: UND-10
 */
pinview_status pinview_undo_manager_set_action_name(
    pinview_undo_manager *manager, pinview_string name, pinview_error **error);

/**
 * Opens a group; what is recorded until it is ended is undone in one step of its own. It stays open until then, across
 * blocks, events, pinview_context_process_pending_changes and saves. Inside another group that was opened in this way it
 * becomes part of that one.
 *
 * @param manager the undo manager
 *
 * Returns: PINVIEW_OK, or the status of the error.
 * After failure: nothing has changed.
 * Threads: context rule.
 * Cost: no statement.
 * Generation: neither.
 * Since: 0.1
 * Core Data: UndoManager.beginUndoGrouping()
 * Ledger: UND-10, ONE-06
 */
pinview_status pinview_undo_manager_begin_grouping(pinview_undo_manager *manager, pinview_error **error);

/**
 * Ends the group that the program opened last; does nothing without one: the event's own group ends with the event.
 *
 * @param manager the undo manager
 *
 * Returns: PINVIEW_OK, or the status of the error.
 * After failure: nothing has changed.
 * Threads: context rule.
 * Cost: no statement.
 * Generation: neither.
 * Since: 0.1
 * Core Data: UndoManager.endUndoGrouping()
 * Ledger: UND-10, ONE-06
 */
pinview_status pinview_undo_manager_end_grouping(pinview_undo_manager *manager, pinview_error **error);

/**
 * How many groups are open. Cannot fail.
 *
 * @param manager the undo manager
 *
 * Returns: the number; 0 for a handle that is not valid.
 * After failure: it cannot fail.
 * Threads: context rule.
 * Cost: no statement.
 * Generation: neither.
 * Since: 0.1
 * Core Data: UndoManager.groupingLevel
 * Ledger: UND-10
 */
uint64_t pinview_undo_manager_grouping_level(const pinview_undo_manager *manager);

/**
 * How many groups can be undone; older ones are dropped.
 *
 * @param manager the undo manager
 * @param levels the limit; 0, the default, is none
 *
 * Returns: PINVIEW_OK, or the status of the error.
 * After failure: nothing has changed.
 * Threads: context rule.
 * Cost: no statement.
 * Generation: neither.
 * Since: 0.1
 * Core Data: UndoManager.levelsOfUndo
 * Ledger: UND-06
 */
pinview_status pinview_undo_manager_set_levels(
    pinview_undo_manager *manager, uint64_t levels, pinview_error **error);

/**
 * The limit set before. Cannot fail.
 *
 * @param manager the undo manager
 *
 * Returns: the limit; 0 without one, and for a handle that is not valid.
 * After failure: it cannot fail.
 * Threads: context rule.
 * Cost: no statement.
 * Generation: neither.
 * Since: 0.1
 * Core Data: UndoManager.levelsOfUndo
 * Ledger: UND-06
 */
uint64_t pinview_undo_manager_levels(const pinview_undo_manager *manager);

/**
 * Stops recording, or goes on with it. Calls nest: as many with 1 as there were with 0 make it record again.
 *
 * @param manager the undo manager
 * @param is_enabled 0 or 1
 *
 * Returns: PINVIEW_OK, or the status of the error.
 * After failure: nothing has changed.
 * Threads: context rule.
 * Cost: no statement.
 * Generation: neither.
 * Since: 0.1
 * Core Data: UndoManager.disableUndoRegistration(), enableUndoRegistration()
 * Ledger: UND-09
 */
pinview_status pinview_undo_manager_set_registration_enabled(
    pinview_undo_manager *manager, int32_t is_enabled, pinview_error **error);

/**
 * Whether the manager records. Cannot fail.
 *
 * @param manager the undo manager
 *
 * Returns: 1 or 0; 0 for a handle that is not valid.
 * After failure: it cannot fail.
 * Threads: context rule.
 * Cost: no statement.
 * Generation: neither.
 * Since: 0.1
 * Core Data: UndoManager.isUndoRegistrationEnabled
 * Ledger: UND-09
 */
int32_t pinview_undo_manager_is_registration_enabled(const pinview_undo_manager *manager);

/**
 * Forgets all that can be undone and redone, and lets go of the objects in it.
 *
 * @param manager the undo manager
 *
 * Returns: PINVIEW_OK, or the status of the error.
 * After failure: nothing has changed.
 * Threads: context rule.
 * Cost: no statement.
 * Generation: neither.
 * Since: 0.1
 * Core Data: UndoManager.removeAllActions()
 * Ledger: UND-08, REF-14
 */
pinview_status pinview_undo_manager_remove_all_actions(pinview_undo_manager *manager, pinview_error **error);

/* ================================================================================================================
 * Objects
 *
 * One record's object in one context. A handle is one strong reference. Two handles may name one object;
 * pinview_object_identity tells. Reading a property of a fault fires it: the row is loaded at the context's
 * generation. Texts, data and handles in values belong to the object's handle: they are valid until the same
 * property is asked from the same handle again, or until its last release.
 * ================================================================================================================ */

/* What an object is; see pinview_object_state. */
#define PINVIEW_OBJECT_FAULT ((uint32_t)1)
#define PINVIEW_OBJECT_INSERTED ((uint32_t)2)
#define PINVIEW_OBJECT_UPDATED ((uint32_t)4)
#define PINVIEW_OBJECT_DELETED ((uint32_t)8)
#define PINVIEW_OBJECT_HAS_PERSISTENT_CHANGES ((uint32_t)16) /* a save would write something for it */

/**
 * Adds a reference to an object. Each reference is released once.
 *
 * @param object the handle; it stays the same
 *
 * Returns: PINVIEW_OK; PINVIEW_ERROR_INVALID_HANDLE, also when a handle has 16,777,215 references already.
 * After failure: nothing has changed.
 * Threads: any thread.
 * Cost: no statement.
 * Generation: neither.
 * Since: 0.1
 * Core Data: none.
 * Ledger: REF-18
 */
pinview_status pinview_object_retain(pinview_object *object);

/**
 * Gives back one reference to an object. The last one makes the handle invalid.
 *
 * @param object the handle; NULL does nothing
 *
 * Returns: PINVIEW_OK; PINVIEW_ERROR_INVALID_HANDLE for a handle that was released already.
 * After failure: nothing has changed.
 * Threads: any thread.
 * Cost: no statement.
 * Generation: neither.
 * Since: 0.1
 * Core Data: none.
 * Ledger: REF-18
 */
pinview_status pinview_object_release(pinview_object *object);

/**
 * Gives back one reference to each of several objects. NULL and released handles among them are passed over. Cannot
 * fail.
 *
 * @param objects the handles
 * @param count how many
 *
 * Returns: nothing.
 * After failure: it cannot fail.
 * Threads: any thread.
 * Cost: no statement.
 * Generation: neither.
 * Since: 0.1
 * Core Data: none.
 */
void pinview_objects_release(pinview_object *const *objects, size_t count);

/**
 * Whether two handles name the same object. Cannot fail.
 *
 * @param left a handle
 * @param right another
 *
 * Returns: 1 or 0; 0 when either is no valid handle.
 * After failure: it cannot fail.
 * Threads: any thread.
 * Cost: no statement.
 * Generation: neither.
 * Since: 0.1
 * Core Data: none.
 */
int32_t pinview_object_is_equal(const pinview_object *left, const pinview_object *right);

/**
 * A number that all handles to one object share, and no other living object has. Cannot fail.
 *
 * @param object the object
 *
 * Returns: the number; 0 for no valid handle.
 * After failure: it cannot fail.
 * Threads: any thread.
 * Cost: no statement.
 * Generation: neither.
 * Since: 0.1
 * Core Data: none.
 * Ledger: CTX-02
 */
uint64_t pinview_object_identity(const pinview_object *object);

/**
 * The identity of an object: temporary until its first save, then permanent. Also when the context has ended. Does
 * not fire a fault.
 *
 * @param object the object
 * @param out the ID, owned by the caller
 *
 * Returns: PINVIEW_OK, or the status of the error.
 * After failure: nothing has changed.
 * Threads: any thread.
 * Cost: no statement.
 * Generation: neither.
 * Since: 0.1
 * Core Data: objectID
 * Ledger: CTX-07, FLT-04, REF-03
 */
pinview_status pinview_object_object_id(const pinview_object *object, pinview_object_id **out, pinview_error **error);

/**
 * The entity of an object. Does not fire a fault.
 *
 * @param object the object
 * @param out the entity, owned by the caller
 *
 * Returns: PINVIEW_OK, or the status of the error.
 * After failure: nothing has changed.
 * Threads: any thread.
 * Cost: no statement.
 * Generation: neither.
 * Since: 0.1
 * Core Data: entity
 */
pinview_status pinview_object_entity(const pinview_object *object, pinview_entity **out, pinview_error **error);

/**
 * The context of an object.
 *
 * @param object the object
 * @param out the context, owned by the caller; NULL when it has ended
 *
 * Returns: PINVIEW_OK, or the status of the error.
 * After failure: nothing has changed.
 * Threads: any thread.
 * Cost: no statement.
 * Generation: neither.
 * Since: 0.1
 * Core Data: managedObjectContext
 * Ledger: CTX-08, REF-03
 */
pinview_status pinview_object_context(const pinview_object *object, pinview_context **out, pinview_error **error);

/**
 * Whether an object is a fault, inserted, updated, deleted. Does not fire a fault.
 *
 * @param object the object
 * @param out PINVIEW_OBJECT_... added up
 *
 * Returns: PINVIEW_OK, or the status of the error.
 * After failure: nothing has changed.
 * Threads: any thread.
 * Cost: no statement.
 * Generation: neither.
 * Since: 0.1
 * Core Data: isFault, isInserted, isUpdated, isDeleted
 * Ledger: FLT-04
 */
pinview_status pinview_object_state(const pinview_object *object, uint32_t *out, pinview_error **error);

/**
 * The value of an attribute; of a to-one relationship the ID of its destination, or null.
 *
 * @param object the object
 * @param key the name of the property
 * @param out the value, borrowed as said above
 *
 * Returns: PINVIEW_OK, or the status of the error.
 * After failure: nothing has changed.
 * Threads: context rule.
 * Cost: one row when the object is a fault and the row is not at hand.
 * Generation: a read (QG-08): fixes the generation of a context that is pinned and has not read yet; else neither.
 * Since: 0.1
 * Core Data: value(forKey:)
 * Ledger: FLT-03, STO-19
 */
pinview_status pinview_object_value(
    pinview_object *object, pinview_string key, pinview_value *out, pinview_error **error);

/**
 * As pinview_object_value, by index.
 *
 * @param object the object
 * @param index the index of the property (pinview_entity_property_index)
 * @param out the value, borrowed as said above
 *
 * Returns: PINVIEW_OK, or the status of the error.
 * After failure: nothing has changed.
 * Threads: context rule.
 * Cost: no statement.
 * Generation: a read (QG-08): fixes the generation of a context that is pinned and has not read yet; else neither.
 * Since: 0.1
 * Core Data: value(forKey:)
 */
pinview_status pinview_object_value_at(pinview_object *object, int32_t index, pinview_value *out, pinview_error **error);

/**
 * Many attributes and to-one relationships in one call.
 *
 * @param object the object
 * @param indexes indexes of properties
 * @param count how many
 * @param buffer where texts, data and IDs go; they are valid until its next use
 * @param out count values
 *
 * Returns: PINVIEW_OK, or the status of the error.
 * After failure: nothing has changed.
 * Threads: context rule.
 * Cost: no statement.
 * Generation: a read (QG-08): fixes the generation of a context that is pinned and has not read yet; else neither.
 * Since: 0.1
 * Core Data: dictionaryWithValues(forKeys:)
 */
pinview_status pinview_object_values(
    pinview_object *object, const int32_t *indexes, size_t count, pinview_buffer *buffer, pinview_value *out,
    pinview_error **error);

/**
 * As pinview_object_values, of many objects in one call. They need not be of one entity, as long as each has the properties. Those of one
 * context that are faults get their values from one state of each store, also in a context that is not pinned.
 *
 * @param objects the objects; borrowed. NULL among them gives nulls
 * @param count how many
 * @param indexes indexes of properties
 * @param index_count how many
 * @param buffer where texts, data and IDs go; they are valid until its next use
 * @param out count * index_count values: for each object those of all properties
 *
 * Returns: PINVIEW_OK, or the status of the error.
 * After failure: nothing has changed, but out may have some of the values, which are not valid.
 * Threads: context rule.
 * Cost: no statement, unless objects are faults that have to be read; what was fetched together is read together.
 * Generation: a read (QG-08): fixes the generation of a context that is pinned and has not read yet; else neither.
 * Since: 0.1
 * Core Data: dictionaryWithValues(forKeys:)
 */
pinview_status pinview_objects_values(
    pinview_object *const *objects, size_t count, const int32_t *indexes, size_t index_count, pinview_buffer *buffer,
    pinview_value *out, pinview_error **error);

/**
 * Sets an attribute, or a to-one relationship to an object or null, with its inverse. Fires a fault first.
 *
 * @param object the object
 * @param key the name of the property
 * @param value the value; copied
 *
 * Returns: PINVIEW_OK, or the status of the error.
 * After failure: nothing has changed. PINVIEW_ERROR_UNKNOWN_KEY, PINVIEW_ERROR_WRONG_TYPE,
 *     PINVIEW_ERROR_WRONG_CONTEXT.
 * Threads: context rule.
 * Cost: no statement.
 * Generation: a read (QG-08): fixes the generation of a context that is pinned and has not read yet; else neither.
 * Since: 0.1
 * Core Data: setValue(_:forKey:)
 * Ledger: FLT-06, REL-01, STO-19
 */
pinview_status pinview_object_set_value(
    pinview_object *object, pinview_string key, const pinview_value *value, pinview_error **error);

/**
 * As pinview_object_set_value, by index.
 *
 * @param object the object
 * @param index the index of the property (pinview_entity_property_index)
 * @param value the value; copied
 *
 * Returns: PINVIEW_OK, or the status of the error.
 * After failure: nothing has changed.
 * Threads: context rule.
 * Cost: no statement.
 * Generation: a read (QG-08): fixes the generation of a context that is pinned and has not read yet; else neither.
 * Since: 0.1
 * Core Data: setValue(_:forKey:)
 */
pinview_status pinview_object_set_value_at(
    pinview_object *object, int32_t index, const pinview_value *value, pinview_error **error);

/**
 * The destination of a to-one relationship, maybe a fault.
 *
 * @param object the object
 * @param key the name of the property
 * @param out the object, owned by the caller; NULL for none
 *
 * Returns: PINVIEW_OK, or the status of the error.
 * After failure: nothing has changed.
 * Threads: context rule.
 * Cost: no statement.
 * Generation: a read (QG-08): fixes the generation of a context that is pinned and has not read yet; else neither.
 * Since: 0.1
 * Core Data: value(forKey:)
 * Ledger: FLT-05
 */
pinview_status pinview_object_related_object(
    pinview_object *object, pinview_string key, pinview_object **out, pinview_error **error);

/**
 * As pinview_object_related_object, by index.
 *
 * @param object the object
 * @param index the index of the property (pinview_entity_property_index)
 * @param out the object, owned by the caller; NULL for none
 *
 * Returns: PINVIEW_OK, or the status of the error.
 * After failure: nothing has changed.
 * Threads: context rule.
 * Cost: no statement.
 * Generation: a read (QG-08): fixes the generation of a context that is pinned and has not read yet; else neither.
 * Since: 0.1
 * Core Data: value(forKey:)
 * Ledger: FLT-05
 */
pinview_status pinview_object_related_object_at(
    pinview_object *object, int32_t index, pinview_object **out, pinview_error **error);

/**
 * The destinations of a to-one relationship of many objects, each maybe a fault. Give them to pinview_objects_values to read
 * them, and to pinview_objects_release.
 *
 * @param objects the objects; borrowed. NULL among them has no destination
 * @param count how many
 * @param index the index of the property (pinview_entity_property_index)
 * @param out count objects, owned by the caller; NULL for none. Another array than objects
 *
 * Returns: PINVIEW_OK, or the status of the error.
 * After failure: nothing has changed, and out has nothing but NULL.
 * Threads: context rule.
 * Cost: no statement, unless objects are faults that have to be read; what was fetched together is read together.
 * Generation: a read (QG-08): fixes the generation of a context that is pinned and has not read yet; else neither.
 * Since: 0.1
 * Core Data: value(forKey:)
 * Ledger: FLT-05
 */
pinview_status pinview_objects_related_object_at(
    pinview_object *const *objects, size_t count, int32_t index, pinview_object **out, pinview_error **error);

/**
 * The members of a to-many relationship, in order where it is ordered.
 *
 * @param object the object
 * @param key the name of the property
 * @param out the objects, owned by the caller
 *
 * Returns: PINVIEW_OK, or the status of the error.
 * After failure: nothing has changed.
 * Threads: context rule.
 * Cost: one statement at the first access.
 * Generation: a read (QG-08): fixes the generation of a context that is pinned and has not read yet; else neither.
 * Since: 0.1
 * Core Data: value(forKey:)
 * Ledger: FLT-05, REL-04
 */
pinview_status pinview_object_related_objects(
    pinview_object *object, pinview_string key, pinview_result **out, pinview_error **error);

/**
 * How many members a to-many relationship has.
 *
 * @param object the object
 * @param key the name of the property
 * @param out the number
 *
 * Returns: PINVIEW_OK, or the status of the error.
 * After failure: nothing has changed.
 * Threads: context rule.
 * Cost: no statement.
 * Generation: a read (QG-08): fixes the generation of a context that is pinned and has not read yet; else neither.
 * Since: 0.1
 * Core Data: none.
 * Ledger: REL-04
 */
pinview_status pinview_object_related_object_count(
    pinview_object *object, pinview_string key, uint64_t *out, pinview_error **error);

/**
 * Whether an object is a member of a to-many relationship.
 *
 * @param object the object
 * @param key the name of the property
 * @param member the object
 * @param out 1 or 0
 *
 * Returns: PINVIEW_OK, or the status of the error.
 * After failure: nothing has changed.
 * Threads: context rule.
 * Cost: no statement.
 * Generation: a read (QG-08): fixes the generation of a context that is pinned and has not read yet; else neither.
 * Since: 0.1
 * Core Data: none.
 * Ledger: REL-04
 */
pinview_status pinview_object_contains_related_object(
    pinview_object *object, pinview_string key, pinview_object *member, int32_t *out, pinview_error **error);

/**
 * Adds a member to a to-many relationship, and sets the inverse. One that is a member stays.
 *
 * @param object the object
 * @param key the name of the property
 * @param member the object
 *
 * Returns: PINVIEW_OK, or the status of the error.
 * After failure: nothing has changed.
 * Threads: context rule.
 * Cost: no statement.
 * Generation: a read (QG-08): fixes the generation of a context that is pinned and has not read yet; else neither.
 * Since: 0.1
 * Core Data: none.
 * Ledger: REL-02
 */
pinview_status pinview_object_add_related_object(
    pinview_object *object, pinview_string key, pinview_object *member, pinview_error **error);

/**
 * Adds a member at a place of an ordered relationship, or moves it there.
 *
 * @param object the object
 * @param key the name of the property
 * @param member the object
 * @param index the place, from 0
 *
 * Returns: PINVIEW_OK, or the status of the error.
 * After failure: nothing has changed.
 * Threads: context rule.
 * Cost: no statement.
 * Generation: a read (QG-08): fixes the generation of a context that is pinned and has not read yet; else neither.
 * Since: 0.1
 * Core Data: none.
 */
pinview_status pinview_object_insert_related_object(
    pinview_object *object, pinview_string key, pinview_object *member, uint64_t index, pinview_error **error);

/**
 * Takes a member out of a to-many relationship, and clears the inverse. One that is no member is passed over.
 *
 * @param object the object
 * @param key the name of the property
 * @param member the object
 *
 * Returns: PINVIEW_OK, or the status of the error.
 * After failure: nothing has changed.
 * Threads: context rule.
 * Cost: no statement.
 * Generation: a read (QG-08): fixes the generation of a context that is pinned and has not read yet; else neither.
 * Since: 0.1
 * Core Data: none.
 * Ledger: REL-02
 */
pinview_status pinview_object_remove_related_object(
    pinview_object *object, pinview_string key, pinview_object *member, pinview_error **error);

/**
 * Makes the members of a to-many relationship exactly these; in this order where it is ordered.
 *
 * @param object the object
 * @param key the name of the property
 * @param members the objects
 * @param count how many
 *
 * Returns: PINVIEW_OK, or the status of the error.
 * After failure: nothing has changed.
 * Threads: context rule.
 * Cost: no statement.
 * Generation: a read (QG-08): fixes the generation of a context that is pinned and has not read yet; else neither.
 * Since: 0.1
 * Core Data: setValue(_:forKey:)
 */
pinview_status pinview_object_set_related_objects(
    pinview_object *object, pinview_string key, pinview_object *const *members, size_t count, pinview_error **error);

/**
 * Whether a relationship is not loaded. Does not load it.
 *
 * @param object the object
 * @param key the name of the property
 * @param out 1 or 0
 *
 * Returns: PINVIEW_OK, or the status of the error.
 * After failure: nothing has changed.
 * Threads: context rule.
 * Cost: no statement.
 * Generation: neither.
 * Since: 0.1
 * Core Data: hasFault(forRelationshipNamed:)
 */
pinview_status pinview_object_has_fault(pinview_object *object, pinview_string key, int32_t *out, pinview_error **error);

/**
 * Which properties have uncommitted changes, transient ones and relationships included. Their values are read as ever.
 *
 * @param object the object
 * @param indexes room for the indexes of the properties in the entity, ascending; NULL where capacity is 0
 * @param capacity for how many indexes there is room
 * @param count how many properties have changed, which may be more than there is room for
 *
 * Returns: PINVIEW_OK, or the status of the error.
 * After failure: *count is 0.
 * Threads: context rule.
 * Cost: no statement.
 * Generation: neither.
 * Since: 0.1
 * Core Data: changedValues()
 */
pinview_status pinview_object_changed_properties(
    pinview_object *object, int32_t *indexes, size_t capacity, size_t *count, pinview_error **error);

/**
 * The value of an attribute as it was last read or saved.
 *
 * @param object the object
 * @param key the name of the property
 * @param out the value, borrowed as said above
 *
 * Returns: PINVIEW_OK, or the status of the error.
 * After failure: nothing has changed.
 * Threads: context rule.
 * Cost: no statement.
 * Generation: a read (QG-08): fixes the generation of a context that is pinned and has not read yet; else neither.
 * Since: 0.1
 * Core Data: committedValues(forKeys:)
 */
pinview_status pinview_object_committed_value(
    pinview_object *object, pinview_string key, pinview_value *out, pinview_error **error);

/**
 * Checks all properties of an object, and the object as a whole by its entity's hooks, as a save would.
 *
 * @param object the object
 *
 * Returns: PINVIEW_OK, or the status of the error.
 * After failure: nothing has changed.
 * Threads: context rule.
 * Cost: no statement.
 * Generation: a read (QG-08): fixes the generation of a context that is pinned and has not read yet; else neither.
 * Since: 0.1
 * Core Data: validateForInsert()
 * Ledger: SAV-07
 */
pinview_status pinview_object_validate(pinview_object *object, pinview_error **error);

/**
 * Checks whether a save could remove an object: the delete rule deny, and the entity's validate_for_delete.
 *
 * @param object the object
 *
 * Returns: PINVIEW_OK; PINVIEW_ERROR_VALIDATION_RELATIONSHIP_DENIED_DELETE, or what the hook gives.
 * After failure: nothing has changed.
 * Threads: context rule.
 * Cost: a SELECT for each relationship with the rule deny that is not loaded.
 * Generation: a read (QG-08): fixes the generation of a context that is pinned and has not read yet; else neither.
 * Since: 0.1
 * Core Data: validateForDelete()
 * Ledger: REL-07
 */
pinview_status pinview_object_validate_for_delete(pinview_object *object, pinview_error **error);

/**
 * Puts data of the program's own with an object, in the place of what was there. It stays, whatever is refreshed or saved, as long as the
 * object is registered in its context or anything refers to it; it does not keep the object.
 *
 * @param object the object
 * @param userdata the data, owned by the library on success; NULL takes away what is there
 * @param free_userdata frees it, or NULL
 *
 * Returns: PINVIEW_OK, or the status of the error.
 * After failure: nothing has changed.
 * Threads: any thread; waits for whoever is in the context.
 * Cost: no statement.
 * Generation: neither.
 * Since: 0.1
 * Core Data: an instance variable of an NSManagedObject
 * Ledger: RFR-23, DEC-55
 */
pinview_status pinview_object_set_userdata(
    pinview_object *object, void *userdata, pinview_free_callback free_userdata, pinview_error **error);

/**
 * The data that the program put with an object. Cannot fail.
 *
 * @param object the object
 *
 * Returns: the data, valid until other data is set or the object goes; NULL without any, or for no valid handle.
 * After failure: it cannot fail.
 * Threads: any thread; waits for whoever is in the context.
 * Cost: no statement.
 * Generation: neither.
 * Since: 0.1
 * Core Data: an instance variable of an NSManagedObject
 * Ledger: RFR-23
 */
void *pinview_object_userdata(const pinview_object *object);

/**
 * A handle that does not keep the object alive.
 *
 * @param object the object
 * @param out the weak handle, owned by the caller
 *
 * Returns: PINVIEW_OK, or the status of the error.
 * After failure: nothing has changed.
 * Threads: any thread.
 * Cost: no statement.
 * Generation: neither.
 * Since: 0.1
 * Core Data: none.
 * Ledger: REF-18
 */
pinview_status pinview_object_get_weak(pinview_object *object, pinview_weak_object **out, pinview_error **error);

/**
 * Adds a reference to a weak handle. Each reference is released once.
 *
 * @param weak_object the handle; it stays the same
 *
 * Returns: PINVIEW_OK; PINVIEW_ERROR_INVALID_HANDLE, also when a handle has 16,777,215 references already.
 * After failure: nothing has changed.
 * Threads: any thread.
 * Cost: no statement.
 * Generation: neither.
 * Since: 0.1
 * Core Data: none.
 */
pinview_status pinview_weak_object_retain(pinview_weak_object *weak_object);

/**
 * Gives back one reference to a weak handle. The last one makes the handle invalid.
 *
 * @param weak_object the handle; NULL does nothing
 *
 * Returns: PINVIEW_OK; PINVIEW_ERROR_INVALID_HANDLE for a handle that was released already.
 * After failure: nothing has changed.
 * Threads: any thread.
 * Cost: no statement.
 * Generation: neither.
 * Since: 0.1
 * Core Data: none.
 */
pinview_status pinview_weak_object_release(pinview_weak_object *weak_object);

/**
 * The object of a weak handle, if it still exists.
 *
 * @param weak the weak handle
 * @param out the object, owned by the caller; NULL when it is gone
 *
 * Returns: PINVIEW_OK, or the status of the error.
 * After failure: nothing has changed.
 * Threads: any thread.
 * Cost: no statement.
 * Generation: neither.
 * Since: 0.1
 * Core Data: none.
 * Ledger: REF-18
 */
pinview_status pinview_weak_object_get(const pinview_weak_object *weak, pinview_object **out, pinview_error **error);

/* ================================================================================================================
 * Object IDs
 *
 * The identity of a record, valid in every context and, once permanent, in every process. Immutable; any thread may
 * use it.
 * ================================================================================================================ */

/**
 * Adds a reference to an object ID. Each reference is released once.
 *
 * @param object_id the handle; it stays the same
 *
 * Returns: PINVIEW_OK; PINVIEW_ERROR_INVALID_HANDLE, also when a handle has 16,777,215 references already.
 * After failure: nothing has changed.
 * Threads: any thread.
 * Cost: no statement.
 * Generation: neither.
 * Since: 0.1
 * Core Data: none.
 */
pinview_status pinview_object_id_retain(pinview_object_id *object_id);

/**
 * Gives back one reference to an object ID. The last one makes the handle invalid.
 *
 * @param object_id the handle; NULL does nothing
 *
 * Returns: PINVIEW_OK; PINVIEW_ERROR_INVALID_HANDLE for a handle that was released already.
 * After failure: nothing has changed.
 * Threads: any thread.
 * Cost: no statement.
 * Generation: neither.
 * Since: 0.1
 * Core Data: none.
 */
pinview_status pinview_object_id_release(pinview_object_id *object_id);

/**
 * Whether two handles name the same record, also across coordinators and model instances. Cannot fail.
 *
 * @param left a handle
 * @param right another
 *
 * Returns: 1 or 0; 0 when either is no valid handle.
 * After failure: it cannot fail.
 * Threads: any thread.
 * Cost: no statement.
 * Generation: neither.
 * Since: 0.1
 * Core Data: none.
 */
int32_t pinview_object_id_is_equal(const pinview_object_id *left, const pinview_object_id *right);

/**
 * A hash; equal for equal IDs. Cannot fail.
 *
 * @param object_id the ID
 *
 * Returns: the hash; 0 for no valid handle.
 * After failure: it cannot fail.
 * Threads: any thread.
 * Cost: no statement.
 * Generation: neither.
 * Since: 0.1
 * Core Data: none.
 */
uint64_t pinview_object_id_hash(const pinview_object_id *object_id);

/**
 * The ID as a URI; see pinview_coordinator_object_id for the way back. Cannot fail.
 *
 * @param object_id the ID
 *
 * Returns: the text, borrowed from the ID; absent for no valid handle.
 * After failure: it cannot fail.
 * Threads: any thread.
 * Cost: no statement.
 * Generation: neither.
 * Since: 0.1
 * Core Data: uriRepresentation()
 * Ledger: CTX-06, STO-16
 */
pinview_string pinview_object_id_uri(const pinview_object_id *object_id);

/**
 * Whether the record has not been saved yet. Cannot fail.
 *
 * @param object_id the ID
 *
 * Returns: 1 or 0.
 * After failure: it cannot fail.
 * Threads: any thread.
 * Cost: no statement.
 * Generation: neither.
 * Since: 0.1
 * Core Data: isTemporaryID
 * Ledger: CTX-07
 */
int32_t pinview_object_id_is_temporary(const pinview_object_id *object_id);

/**
 * The name of the entity. Cannot fail.
 *
 * @param object_id the ID
 *
 * Returns: the text, borrowed from the ID; absent for no valid handle.
 * After failure: it cannot fail.
 * Threads: any thread.
 * Cost: no statement.
 * Generation: neither.
 * Since: 0.1
 * Core Data: entity
 */
pinview_string pinview_object_id_entity_name(const pinview_object_id *object_id);

/**
 * The UUID of the store. Cannot fail.
 *
 * @param object_id the ID
 *
 * Returns: the text, borrowed from the ID; absent for a temporary ID.
 * After failure: it cannot fail.
 * Threads: any thread.
 * Cost: no statement.
 * Generation: neither.
 * Since: 0.1
 * Core Data: persistentStore
 */
pinview_string pinview_object_id_store_identifier(const pinview_object_id *object_id);

/* ================================================================================================================
 * Blocks of objects
 *
 * For language bindings, in which a call costs more than what it does. A block keeps objects of one entity and one context; each has
 * a name, the block's number times 4096 plus its place in the block, and no two names stand for one object. Names take the place of
 * handles: a fetch's objects are named in one call, and a property of all of them is read in one call. What was read holds as long as
 * the context's count of changes stays the same, which is read from memory, without a call. A block does not keep its context alive.
 * ================================================================================================================ */

/* At the most that many objects are in a block. */
#define PINVIEW_OBJECT_BLOCK_LIMIT ((int32_t)1024)

/* What is known of an object in a column; a bit of PINVIEW_COLUMN_FAULT may be added. */
#define PINVIEW_COLUMN_UNKNOWN ((uint8_t)0) /* nothing: read the object by itself */
#define PINVIEW_COLUMN_NULL ((uint8_t)1)    /* it has no value, or no destination */
#define PINVIEW_COLUMN_VALUE ((uint8_t)2)
#define PINVIEW_COLUMN_FAULT ((uint8_t)4)   /* the object is a fault still: see pinview_object_block_fire */

/* What a column has in it. */
#define PINVIEW_COLUMN_HAS_NULLS ((uint32_t)1)
#define PINVIEW_COLUMN_HAS_FAULTS ((uint32_t)2)
#define PINVIEW_COLUMN_HAS_UNKNOWN ((uint32_t)4)
#define PINVIEW_COLUMN_HAS_NUL ((uint32_t)8)    /* a text has a NUL byte in it: take the texts by their places */
#define PINVIEW_COLUMN_IS_ASCII ((uint32_t)16)  /* no text has a byte above 127 */
#define PINVIEW_COLUMN_IS_MIXED ((uint32_t)32)  /* the destinations are not all of one hierarchy and store: their keys do not tell them apart */

/* What belongs to a block. Set struct_size; all else is filled. The addresses are good as long as the block is. */
typedef struct pinview_object_block_info {
    uint32_t struct_size;          /* sizeof(pinview_object_block_info) */
    int32_t entity;                /* the index of the entity in the model */
    uint64_t number;               /* of the block, by which names tell it */
    const uint64_t *changes;       /* the context's count of changes: moves before anything that objects show may change */
    const uint64_t *cache_changes; /* moves when faults that are shown along with other objects might be filled with other rows by now, by
                                      what other contexts did; NULL where nothing can */
    int32_t is_for_any_thread;     /* 0: who shows what was read earlier has to look after the thread (CON-11, CON-12) */
    int32_t reserved;
} pinview_object_block_info;

/* One property of the objects of a block. Set struct_size; all else is filled. The memory is the buffer's. */
typedef struct pinview_column {
    uint32_t struct_size; /* sizeof(pinview_column) */
    uint32_t flags;       /* PINVIEW_COLUMN_HAS_… */
    int32_t type;         /* PINVIEW_VALUE_BOOLEAN, _INTEGER, _DOUBLE, _STRING, _DATE or _OBJECT_ID (keys of destinations): as in `cells`;
                             PINVIEW_VALUE_LIST: as in `values` */
    int32_t count;        /* of places in the block; those given back are unknown */
    uint64_t changes;     /* the count of changes to which the column belongs; 0 when it holds for this moment only */
    uint64_t cache_changes; /* the count of pinview_object_block_cache_changes to which the faults in it belong; 0 when they depend on none */
    int64_t hierarchy;     /* of keys: what they are unique in */
    const uint8_t *states; /* for each place PINVIEW_COLUMN_… */
    const void *cells;     /* for each place 8 bytes: an int64_t, a double, a key; of texts the offset in `texts` times 2^32 plus the size */
    const char *texts;     /* a text for each place, each with a NUL behind it; empty for those without one */
    size_t text_size;      /* of all of them with their NULs */
    const pinview_value *values; /* for each place; NULL unless the type is PINVIEW_VALUE_LIST */
} pinview_column;

/* One object and what is at hand of its values. What a call fills is 0 when it fails. */
typedef struct pinview_object_row {
    uint32_t struct_size; /* sizeof(pinview_object_row) */
    uint32_t flags;       /* filled: PINVIEW_COLUMN_HAS_NULLS, _HAS_UNKNOWN, _HAS_NUL; _HAS_FAULTS: there are no values, as of a fault */
    const uint64_t *dropped; /* names to give back first, as pinview_object_block_drop does; NULL for none */
    size_t dropped_count;
    pinview_object_block *const *blocks; /* the object is named in the first of them that has room for it; NULL for none */
    size_t block_count;
    void *room;        /* where the values go: for each property of the entity 8 bytes as in the cells of a pinview_column; then for each a
                          byte, PINVIEW_COLUMN_UNKNOWN, _NULL or _VALUE; then for each attribute that is a text, in their order, the text and
                          a NUL, empty for one without. Relationships, and attributes that no cell can hold, are unknown */
    size_t room_size;  /* texts that are too long for the room are unknown; if it is too small for anything, nothing is filled in */
    size_t text_size;  /* filled: of all texts with their NULs */
    uint64_t name;     /* filled: the name of the object */
    uint64_t changes;  /* filled: the count of changes to which all of this belongs; 0 when it holds for this moment only */
    pinview_object_block *block;    /* filled: the block that was made for it, owned by the caller; NULL when none was needed */
    pinview_object_block_info info; /* filled with the block */
} pinview_object_row;

/**
 * Names objects of a result. Those in a block already have its names, and count once more there. Those of the others that are of the
 * entity of the first of them come into a new block; call again until no name is 0.
 *
 * @param result the result
 * @param first the index of the first object
 * @param count how many objects
 * @param names for each object its name; 0 going in for those that are to be named, others are passed over
 * @param out the block that was made, owned by the caller; NULL when none was needed
 * @param info a struct whose struct_size is set; filled when a block was made
 *
 * Returns: PINVIEW_OK, or the status of the error.
 * After failure: nothing has changed.
 * Threads: context rule.
 * Cost: no statement.
 * Generation: neither.
 * Since: 0.1
 * Core Data: none.
 * Ledger: CTX-02
 */
pinview_status pinview_result_object_block(
    pinview_result *result, uint64_t first, size_t count, uint64_t *names, pinview_object_block **out,
    pinview_object_block_info *info, pinview_error **error);

/**
 * The same for objects that there are handles of. The handles stay the caller's.
 *
 * @param objects the objects
 * @param count how many
 * @param names for each object its name; 0 going in for those that are to be named, others are passed over
 * @param out the block that was made, owned by the caller; NULL when none was needed
 * @param info a struct whose struct_size is set; filled when a block was made
 *
 * Returns: PINVIEW_OK, or the status of the error.
 * After failure: nothing has changed.
 * Threads: any thread.
 * Cost: no statement.
 * Generation: neither.
 * Since: 0.1
 * Core Data: none.
 * Ledger: CTX-02
 */
pinview_status pinview_objects_object_block(
    pinview_object *const *objects, size_t count, uint64_t *names, pinview_object_block **out, pinview_object_block_info *info,
    pinview_error **error);

/**
 * Adds a reference to a block. Each reference is released once.
 *
 * @param block the handle; it stays the same
 *
 * Returns: PINVIEW_OK; PINVIEW_ERROR_INVALID_HANDLE, also when a handle has 16,777,215 references already.
 * After failure: nothing has changed.
 * Threads: any thread.
 * Cost: no statement.
 * Generation: neither.
 * Since: 0.1
 * Core Data: none.
 */
pinview_status pinview_object_block_retain(pinview_object_block *block);

/**
 * Gives back one reference; the last one gives the objects back, and ends their names. NULL does nothing.
 *
 * @param block the handle
 *
 * Returns: PINVIEW_OK, or PINVIEW_ERROR_INVALID_HANDLE.
 * After failure: nothing has changed.
 * Threads: any thread.
 * Cost: no statement.
 * Generation: neither.
 * Since: 0.1
 * Core Data: none.
 * Ledger: REF-18
 */
pinview_status pinview_object_block_release(pinview_object_block *block);

/**
 * A handle of an object.
 *
 * @param block the block
 * @param place its place
 * @param out the object, owned by the caller
 *
 * Returns: PINVIEW_OK, or the status of the error.
 * After failure: *out is NULL.
 * Threads: any thread.
 * Cost: no statement.
 * Generation: neither.
 * Since: 0.1
 * Core Data: none.
 */
pinview_status pinview_object_block_object(
    pinview_object_block *block, uint32_t place, pinview_object **out, pinview_error **error);

/**
 * Gives objects back, as often as their places are given. One that was given back as often as it was named loses its name, and the
 * block's reference to it. Cannot fail: places without an object are passed over.
 *
 * @param block the block
 * @param places the places
 * @param count how many
 *
 * Returns: nothing.
 * After failure: it cannot fail.
 * Threads: any thread.
 * Cost: no statement.
 * Generation: neither.
 * Since: 0.1
 * Core Data: none.
 * Ledger: REF-18
 */
void pinview_object_block_drop(pinview_object_block *block, const uint32_t *places, size_t count);

/**
 * Reads a property of one object, as pinview_object_value_at does, and of the others in the block what is at hand: the values of objects that
 * are no faults, and for faults the rows that they would be filled with, where that is all that firing them means. Such faults are
 * not fired: who shows one of them calls pinview_object_block_fire before anything else is done with the context. In a context that is
 * not pinned each fault is a read of its own, of the newest row that is known, as if it had been fired; pinview_result_load gives all
 * objects values from one state first.
 *
 * @param block the block
 * @param index the index of an attribute or a to-one relationship in the entity's properties
 * @param place the place of the object
 * @param alone 1 to read the one object only
 * @param buffer where the column goes; it is valid until the buffer's next use
 * @param out a struct whose struct_size is set; the rest is filled
 *
 * Returns: PINVIEW_OK, or the status of the error.
 * After failure: *out is unchanged.
 * Threads: context rule.
 * Cost: no statement, unless a fault has to be read.
 * Generation: a read (QG-08): fixes the generation of a context that is pinned and has not read yet; else neither.
 * Since: 0.1
 * Core Data: none.
 * Ledger: FLT-01, FLT-03
 */
pinview_status pinview_object_block_column(
    pinview_object_block *block, int32_t index, uint32_t place, int32_t alone, pinview_buffer *buffer, pinview_column *out,
    pinview_error **error);

/**
 * Fires the faults of objects whose values were shown from a column, with the rows that were shown. Cannot fail: one that cannot be fired
 * stays a fault, and tells why when it is used.
 *
 * @param block the block
 * @param places the places
 * @param count how many
 *
 * Returns: 1; 0 when another thread is in the context, and nothing was done: waiting for it could be for ever.
 * After failure: it cannot fail.
 * Threads: any thread.
 * Cost: no statement.
 * Generation: neither.
 * Since: 0.1
 * Core Data: none.
 * Ledger: FLT-03
 */
int32_t pinview_object_block_fire(pinview_object_block *block, const uint32_t *places, size_t count);

/**
 * The destination of a to-one relationship of one object, named.
 *
 * @param block the block
 * @param index the index of the relationship in the entity's properties
 * @param place the place of the object
 * @param name the name of the destination; 0 for none
 * @param out a new block with the destination, owned by the caller; NULL when it had a name
 * @param info a struct whose struct_size is set; filled when a block was made
 *
 * Returns: PINVIEW_OK, or the status of the error.
 * After failure: *name is 0.
 * Threads: context rule.
 * Cost: no statement, unless the object is a fault that has to be read.
 * Generation: a read (QG-08): fixes the generation of a context that is pinned and has not read yet; else neither.
 * Since: 0.1
 * Core Data: none.
 * Ledger: FLT-05
 */
pinview_status pinview_object_block_related_object(
    pinview_object_block *block, int32_t index, uint32_t place, uint64_t *name, pinview_object_block **out,
    pinview_object_block_info *info, pinview_error **error);

/**
 * Sets a property of one object; see pinview_object_set_value_at.
 *
 * @param block the block
 * @param index the index of the property in the entity's properties
 * @param place the place of the object
 * @param value the new value
 *
 * Returns: PINVIEW_OK, or the status of the error.
 * After failure: nothing has changed.
 * Threads: context rule.
 * Cost: no statement, unless the object is a fault that has to be read.
 * Generation: a read (QG-08): fixes the generation of a context that is pinned and has not read yet; else neither.
 * Since: 0.1
 * Core Data: setValue(_:forKey:)
 * Ledger: FLT-06
 */
pinview_status pinview_object_block_set_value(
    pinview_object_block *block, int32_t index, uint32_t place, const pinview_value *value, pinview_error **error);

/**
 * Attributes and IDs of to-one destinations of one object; see pinview_object_values.
 *
 * @param block the block
 * @param place the place of the object
 * @param indexes indexes of properties in the entity's properties
 * @param count how many
 * @param buffer where texts, data and IDs go; they are valid until its next use
 * @param out room for count values
 * @param changes the count of changes to which the values belong, 0 when they hold for this moment only; may be NULL
 *
 * Returns: PINVIEW_OK, or the status of the error.
 * After failure: nothing has changed.
 * Threads: context rule.
 * Cost: no statement, unless the object is a fault that has to be read.
 * Generation: a read (QG-08): fixes the generation of a context that is pinned and has not read yet; else neither.
 * Since: 0.1
 * Core Data: none.
 * Ledger: FLT-03
 */
pinview_status pinview_object_block_values(
    pinview_object_block *block, uint32_t place, const int32_t *indexes, size_t count, pinview_buffer *buffer, pinview_value *out,
    uint64_t *changes, pinview_error **error);

/**
 * The object of an ID, its name, and what is at hand of its values: a look-up in one call. `dropped` is given back whatever happens.
 *
 * @param context the context
 * @param object_id the ID
 * @param loads 1 to load its values, as pinview_context_existing_object does; 0 for pinview_context_object
 * @param row a struct whose struct_size is set, with what is to be dropped, the blocks and the room; the rest is filled
 *
 * Returns: PINVIEW_OK, or the status of the error.
 * After failure: what was to be dropped is dropped; all else is unchanged.
 * Threads: context rule.
 * Cost: no statement with loads 0, or when the values are in memory; else 1.
 * Generation: with loads 1 a read (QG-08): fixes the generation of a context that is pinned and has not read yet; else neither.
 * Since: 0.1
 * Core Data: existingObject(with:), object(with:)
 * Ledger: CTX-02, FET-09, FET-10
 */
pinview_status pinview_context_object_row(
    pinview_context *context, const pinview_object_id *object_id, int32_t loads, pinview_object_row *row, pinview_error **error);

/**
 * What is at hand of the values of one object, which is no fault afterwards.
 *
 * @param block the block
 * @param place the place of the object
 * @param row a struct whose struct_size is set, with the room; flags, text_size and changes are filled, the rest is not used
 *
 * Returns: PINVIEW_OK, or the status of the error.
 * After failure: nothing has changed.
 * Threads: context rule.
 * Cost: no statement, unless the object is a fault that has to be read.
 * Generation: a read (QG-08): fixes the generation of a context that is pinned and has not read yet; else neither.
 * Since: 0.1
 * Core Data: none.
 * Ledger: FLT-03
 */
pinview_status pinview_object_block_row(pinview_object_block *block, uint32_t place, pinview_object_row *row, pinview_error **error);

/**
 * The destination of a to-one relationship of one object, its name, and what is at hand of its values. `dropped` is given back whatever
 * happens.
 *
 * @param block the block
 * @param index the index of the relationship in the entity's properties
 * @param place the place of the object
 * @param row as for pinview_context_object_row; name is 0 when there is no destination
 *
 * Returns: PINVIEW_OK, or the status of the error.
 * After failure: what was to be dropped is dropped; all else is unchanged.
 * Threads: context rule.
 * Cost: no statement, unless the object is a fault that has to be read.
 * Generation: a read (QG-08): fixes the generation of a context that is pinned and has not read yet; else neither.
 * Since: 0.1
 * Core Data: none.
 * Ledger: FLT-05
 */
pinview_status pinview_object_block_related_row(
    pinview_object_block *block, int32_t index, uint32_t place, pinview_object_row *row, pinview_error **error);

/**
 * Marks many objects for removal at the next save, in one call; see pinview_context_delete_objects.
 *
 * @param context the context
 * @param names the names of the objects
 * @param count how many there are
 *
 * Returns: PINVIEW_OK, or the status of the error.
 * After failure: the objects before the one at fault are marked.
 * Threads: context rule.
 * Cost: one row for each object that is a fault.
 * Generation: may be a read: fixes a pin that has not been used yet.
 * Since: 0.1
 * Core Data: delete(_:), for each.
 * Ledger: CTX-13
 */
pinview_status pinview_context_delete_named(pinview_context *context, const uint64_t *names, size_t count, pinview_error **error);

/**
 * Deletes one object at the next save; see pinview_context_delete.
 *
 * @param block the block
 * @param place the place of the object
 * @param context the context of the object
 *
 * Returns: PINVIEW_OK, or the status of the error.
 * After failure: nothing has changed.
 * Threads: context rule.
 * Cost: no statement, unless the object is a fault that has to be read.
 * Generation: neither.
 * Since: 0.1
 * Core Data: delete(_:)
 * Ledger: CTX-13
 */
pinview_status pinview_object_block_delete(
    pinview_object_block *block, uint32_t place, pinview_context *context, pinview_error **error);

/* ================================================================================================================
 * Fetching
 *
 * A request is a plain struct of the caller. A result holds objects, object IDs, rows of values, or a count; it may be
 * kept, and follows the thread rule of its context.
 * ================================================================================================================ */

/* What pinview_context_fetch gives. */
#define PINVIEW_RESULT_OBJECTS ((int32_t)0)
#define PINVIEW_RESULT_OBJECT_IDS ((int32_t)1)
#define PINVIEW_RESULT_DICTIONARIES ((int32_t)2) /* rows of named values */
#define PINVIEW_RESULT_COUNT ((int32_t)4)
#define PINVIEW_RESULT_NONE ((int32_t)5) /* only that it succeeded */

/* Switches of a request. */
#define PINVIEW_FETCH_INCLUDES_SUBENTITIES ((uint32_t)1)     /* on by default */
#define PINVIEW_FETCH_INCLUDES_PENDING_CHANGES ((uint32_t)2) /* on by default (FET-03, FET-04) */
#define PINVIEW_FETCH_RETURNS_FAULTS ((uint32_t)4)           /* on by default; the rows are at hand either way */
#define PINVIEW_FETCH_REFRESHES_OBJECTS ((uint32_t)8)        /* shouldRefreshRefetchedObjects (FET-16) */
#define PINVIEW_FETCH_OMITS_VALUES ((uint32_t)16)            /* no rows come along; each object reads its own */
#define PINVIEW_FETCH_RETURNS_DISTINCT ((uint32_t)32)        /* of dictionaries: equal rows are given once */

/* By what a sort descriptor orders. All but the first are for texts. */
#define PINVIEW_COMPARATOR_BINARY ((int32_t)0)                     /* numbers and dates by value, texts by their UTF-8 bytes */
#define PINVIEW_COMPARATOR_CASE_INSENSITIVE ((int32_t)1)           /* by Unicode's case folding */
#define PINVIEW_COMPARATOR_NUMERIC ((int32_t)2)                    /* numbers in texts by value: file9 before file10 */
#define PINVIEW_COMPARATOR_LOCALIZED ((int32_t)3)                  /* the user's language: LC_ALL, LC_COLLATE, LANG */
#define PINVIEW_COMPARATOR_LOCALIZED_CASE_INSENSITIVE ((int32_t)4)
#define PINVIEW_COMPARATOR_LOCALIZED_STANDARD ((int32_t)5)         /* the same, and numbers by value: as lists are shown to people */

/* One criterion of the order (NSSortDescriptor). */
typedef struct pinview_sort_descriptor {
    pinview_string key_path;  /* an attribute, maybe over to-one relationships: owner.name */
    int32_t is_descending;
    int32_t comparator;       /* PINVIEW_COMPARATOR_... */
} pinview_sort_descriptor;

/* A value to compute, and its name: the attribute that a batch update sets, or a value of each row of dictionaries. */
typedef struct pinview_named_expression {
    pinview_string name;
    pinview_string format;          /* in the format language, such as "score + %d"; absent where expression is given */
    const pinview_value *arguments; /* one for each %@, %K or number format */
    size_t argument_count;
    const pinview_expression *expression; /* instead of format; NULL for none */
} pinview_named_expression;

/* NSFetchRequest. Fill it with pinview_fetch_request_init, then set what is wanted. All is borrowed. */
typedef struct pinview_fetch_request {
    uint32_t struct_size; /* sizeof(pinview_fetch_request) */
    uint32_t flags;       /* PINVIEW_FETCH_... */
    pinview_string entity;
    const pinview_predicate *predicate; /* NULL for all */
    const pinview_sort_descriptor *sort_descriptors;
    size_t sort_descriptor_count;
    uint64_t limit;       /* 0: no limit */
    uint64_t offset;
    uint64_t batch_size;  /* above 0 rows are loaded in pages of this size as elements are accessed (FET-13); rows of a batch of columns */
    int32_t result_type;  /* PINVIEW_RESULT_OBJECTS, _OBJECT_IDS, _DICTIONARIES or _COUNT */
    int32_t reserved;     /* 0 */
    pinview_store *const *stores; /* which stores to ask; NULL for all */
    size_t store_count;
    /* Relationships whose destinations come along, as key paths such as cars or cars.maker: one statement for each. To-many
     * relationships are loaded then, objects whose to-one relationships come along get their values. Not with a batch size. */
    const pinview_string *prefetched_key_paths;
    size_t prefetched_key_path_count;
    /* Of dictionaries: the values of each row; without any all stored attributes. One without format and expression is a key path:
     * an attribute or a to-one relationship, maybe behind to-one ones, or objectID. */
    const pinview_named_expression *properties;
    size_t property_count;
    /* Of dictionaries: key paths, or names of values; there is one row for each combination of their values. Other values of
     * the row have to be computed of the group, such as count:(SELF). Without properties the rows hold the values grouped by. */
    const pinview_string *group_by;
    size_t group_by_count;
    /* Of dictionaries: which groups are given, such as sum:(price) > 100; NULL for all. Names of values stand for these, also where an
     * attribute has the same name; other key paths have to be grouped by. */
    const pinview_predicate *having;
    /* How many seconds the stores may take; 0: as many as they need. Then SQLite's statement is stopped, and the fetch fails with
     * PINVIEW_ERROR_TIMED_OUT. Of columns each batch has that time. What is read later, as pages and faults, has no limit. */
    double timeout_seconds;
} pinview_fetch_request;

/**
 * Fills a request with the defaults: all objects of an entity.
 *
 * @param request the struct to fill
 * @param struct_size sizeof(pinview_fetch_request)
 * @param entity the name of the entity; borrowed
 *
 * Returns: PINVIEW_OK, or the status of the error.
 * After failure: nothing has changed.
 * Threads: any thread.
 * Cost: no statement.
 * Generation: neither.
 * Since: 0.1
 * Core Data: NSFetchRequest.init(entityName:)
 */
pinview_status pinview_fetch_request_init(
    pinview_fetch_request *request, size_t struct_size, pinview_string entity, pinview_error **error);

/**
 * Runs a request. PINVIEW_ERROR_UNKNOWN_ENTITY, PINVIEW_ERROR_UNKNOWN_KEY, PINVIEW_ERROR_BAD_PREDICATE for what the
 * model lacks.
 *
 * What it answers is of one state of each store, also in a context that is not pinned while others commit: the objects, their order, what
 * is prefetched, and without PINVIEW_FETCH_RETURNS_FAULTS the values of the objects and of what is prefetched. Objects that had values keep
 * them. Faults are filled later, each by a read of its own; see pinview_result_load. With a batch size and without
 * PINVIEW_FETCH_RETURNS_FAULTS each page is of one state, which in a context that is not pinned may be newer than that of earlier pages.
 * From a store without generations (in memory, or not in WAL mode) what one statement reads is of one state: the objects and their values,
 * but not what is prefetched for them.
 *
 * @param context the context
 * @param request the request
 * @param out the result, owned by the caller
 *
 * Returns: PINVIEW_OK, or the status of the error.
 * After failure: nothing has changed.
 * Threads: context rule.
 * Cost: one statement per store.
 * Generation: a read: fixes a pin that has not been used yet.
 * Since: 0.1
 * Core Data: fetch(_:), execute(_:)
 * Ledger: FET-01 to FET-22, API-07, API-15
 */
pinview_status pinview_context_fetch(
    pinview_context *context, const pinview_fetch_request *request, pinview_result **out, pinview_error **error);

/* Flags of pinview_context_fetch_asynchronously. */
#define PINVIEW_ASYNCHRONOUS_FETCH_COUNTS_FIRST ((uint32_t)1) /* counts the rows first, for the progress; not for dictionaries */

typedef void (*pinview_asynchronous_fetch_callback)(pinview_asynchronous_fetch *fetch, void *userdata);

/**
 * Begins a fetch and returns at once. The stores are read off the context's queue, at the generation that the context has at
 * this moment; the context answers other calls meanwhile. Unsaved changes count as they are when the objects are made, on the
 * context's queue, at the end. The fetch of a child context is carried out on its queue. The context lives until the end.
 *
 * @param context a context with a queue
 * @param request what to fetch; its result type says what the result is
 * @param flags PINVIEW_ASYNCHRONOUS_FETCH_..., or 0
 * @param completion called once on the context's queue, as a block, however it ended; may be NULL
 * @param progress called with the number of rows so far, now and then, on a thread of the library that holds nothing of the
 *     store, and at the end on the context's queue; the fetch does not end before a call has returned, so it must not wait for
 *     that end; may be NULL
 * @param userdata given to both
 * @param free_userdata called after the last call; may be NULL
 * @param out the fetch, owned by the caller; releasing it does not end the fetch
 *
 * Returns: PINVIEW_OK, or the status of the error.
 * After failure: *out is NULL, and userdata stays the caller's. PINVIEW_ERROR_CONFINEMENT_PERFORM for a confinement context; what
 *     makes the request itself wrong.
 * Threads: context rule.
 * Cost: the statements of the fetch, by another thread.
 * Generation: takes the newest one for a context that is to be pinned at its next read.
 * Since: 0.1
 * Core Data: execute(_:) of NSAsynchronousFetchRequest
 */
pinview_status pinview_context_fetch_asynchronously(
    pinview_context *context, const pinview_fetch_request *request, uint32_t flags, pinview_asynchronous_fetch_callback completion,
    pinview_asynchronous_fetch_callback progress, void *userdata, pinview_free_callback free_userdata,
    pinview_asynchronous_fetch **out, pinview_error **error);

/**
 * Adds a reference to an asynchronous fetch. Each reference is released once.
 *
 * @param fetch the handle; it stays the same
 *
 * Returns: PINVIEW_OK, or the status of the error.
 * After failure: nothing has changed.
 * Threads: any thread.
 * Cost: no statement.
 * Generation: neither.
 * Since: 0.1
 * Core Data: none.
 */
pinview_status pinview_asynchronous_fetch_retain(pinview_asynchronous_fetch *fetch);

/**
 * Gives back one reference to an asynchronous fetch. The last one makes the handle invalid; the fetch goes on.
 *
 * @param fetch the handle; NULL does nothing
 *
 * Returns: PINVIEW_OK, or the status of the error.
 * After failure: nothing has changed.
 * Threads: any thread.
 * Cost: no statement.
 * Generation: neither.
 * Since: 0.1
 * Core Data: none.
 */
pinview_status pinview_asynchronous_fetch_release(pinview_asynchronous_fetch *fetch);

/**
 * Ends a fetch: SQLite's statement stops within microseconds, and the result is PINVIEW_ERROR_CANCELLED. The reader that was
 * used goes on serving others. After the end of the fetch it does nothing.
 *
 * @param fetch the fetch
 *
 * Returns: PINVIEW_OK, or the status of the error.
 * After failure: nothing has changed.
 * Threads: any thread.
 * Cost: no statement.
 * Generation: neither.
 * Since: 0.1
 * Core Data: NSPersistentStoreAsynchronousResult.cancel()
 */
pinview_status pinview_asynchronous_fetch_cancel(pinview_asynchronous_fetch *fetch, pinview_error **error);

/**
 * How far a fetch is.
 *
 * @param fetch the fetch
 * @param rows how many rows have been read; NULL when it is not wanted
 * @param total how many there will be, -1 while that is not known; NULL when it is not wanted
 *
 * Returns: PINVIEW_OK, or the status of the error.
 * After failure: nothing was written.
 * Threads: any thread.
 * Cost: no statement.
 * Generation: neither.
 * Since: 0.1
 * Core Data: NSPersistentStoreAsynchronousResult.progress
 */
pinview_status pinview_asynchronous_fetch_progress(
    const pinview_asynchronous_fetch *fetch, uint64_t *rows, int64_t *total, pinview_error **error);

/**
 * Waits for the end of a fetch; not on the queue that has to bring it about.
 *
 * @param fetch the fetch
 * @param timeout_seconds for how long; 0 only looks, below 0 there is no limit
 * @param out 1 when it has ended, else 0
 *
 * Returns: PINVIEW_OK, or the status of the error.
 * After failure: *out is 0. PINVIEW_ERROR_INVALID_ARGUMENT for a time that is no number.
 * Threads: any thread.
 * Cost: no statement.
 * Generation: neither.
 * Since: 0.1
 * Core Data: none.
 */
pinview_status pinview_asynchronous_fetch_wait(
    const pinview_asynchronous_fetch *fetch, double timeout_seconds, int32_t *out, pinview_error **error);

/**
 * What a fetch has given.
 *
 * @param fetch a fetch that has ended
 * @param out the result, owned by the caller, as that of pinview_context_fetch
 *
 * Returns: PINVIEW_OK, or the status of the error.
 * After failure: *out is NULL. What the fetch failed with: PINVIEW_ERROR_CANCELLED when it was cancelled;
 *     PINVIEW_ERROR_INVALID_ARGUMENT while it is under way.
 * Threads: any thread.
 * Cost: no statement.
 * Generation: neither.
 * Since: 0.1
 * Core Data: NSAsynchronousFetchResult.finalResult
 */
pinview_status pinview_asynchronous_fetch_result(
    const pinview_asynchronous_fetch *fetch, pinview_result **out, pinview_error **error);

/**
 * Stops the fetch that a context is carrying out, from any other thread: SQLite's statement ends within microseconds, and the
 * fetch fails with PINVIEW_ERROR_CANCELLED. The context stays as it is. Without a fetch it does nothing; asynchronous fetches
 * have pinview_asynchronous_fetch_cancel.
 *
 * @param context the context
 *
 * Returns: PINVIEW_OK, or the status of the error.
 * After failure: nothing has changed.
 * Threads: any thread.
 * Cost: no statement.
 * Generation: neither.
 * Since: 0.1
 * Core Data: none.
 */
pinview_status pinview_context_interrupt_fetch(pinview_context *context, pinview_error **error);

/* Says whether to stop: any number but 0 does. */
typedef int32_t (*pinview_interrupt_callback)(void *userdata);

/**
 * Has a callback asked about 20 times a second while the calling thread fetches objects, IDs, counts, dictionaries, or columns that it reads
 * itself. If it says so, the fetch fails with PINVIEW_ERROR_CANCELLED. For programs that learn on the fetching thread only that it should
 * stop, such as interpreters, which see their signals there; another thread calls pinview_context_interrupt_fetch. A fetch that is over
 * within microseconds is not asked about.
 *
 * The callback runs in the middle of SQLite's statement and cannot use the library: a call in it is PINVIEW_ERROR_INVALID_ARGUMENT.
 *
 * @param callback in place of the one that the thread had; NULL for none
 * @param userdata given to it
 * @param free_userdata called when another callback has replaced this one, or the thread has ended; may be NULL
 *
 * Returns: PINVIEW_OK, or the status of the error.
 * After failure: userdata stays the caller's.
 * Threads: any thread; it is for the calling one.
 * Cost: no statement.
 * Generation: neither.
 * Since: 0.1
 * Core Data: none.
 */
pinview_status pinview_set_interrupt_callback(
    pinview_interrupt_callback callback, void *userdata, pinview_free_callback free_userdata, pinview_error **error);

/**
 * How many objects a fetch would give.
 *
 * @param context the context
 * @param request the request
 * @param out the number; PINVIEW_NOT_FOUND on failure
 *
 * Returns: PINVIEW_OK, or the status of the error.
 * After failure: nothing has changed.
 * Threads: context rule.
 * Cost: one statement per store.
 * Generation: a read: fixes a pin that has not been used yet.
 * Since: 0.1
 * Core Data: count(for:)
 * Ledger: FET-05, FET-06, API-08
 */
pinview_status pinview_context_count(
    pinview_context *context, const pinview_fetch_request *request, int64_t *out, pinview_error **error);

/**
 * Runs a request in the context whose block the calling thread is in; PINVIEW_ERROR_NO_CURRENT_CONTEXT outside every
 * block.
 *
 * @param request the request
 * @param out the result, owned by the caller
 *
 * Returns: PINVIEW_OK, or the status of the error.
 * After failure: nothing has changed.
 * Threads: any thread.
 * Cost: no statement.
 * Generation: a read: fixes a pin that has not been used yet.
 * Since: 0.1
 * Core Data: NSFetchRequest.execute()
 * Ledger: FET-15, EX-04
 */
pinview_status pinview_fetch_request_execute(
    const pinview_fetch_request *request, pinview_result **out, pinview_error **error);

/*
 * Fetch request templates: requests that a model keeps by name, with variables such as $NAME in their predicates. They are part of the
 * model's JSON ("fetchRequests") and not of its version hashes.
 */

/**
 * Keeps a request under a name, in the place of what was there. Variables stay variables. Once a coordinator has been made with
 * the model its templates stay.
 *
 * @param model the model
 * @param name the name of the template
 * @param request copied; NULL takes the template away. It names no stores, which a model does not know
 *
 * Returns: PINVIEW_OK, or the status of the error: PINVIEW_ERROR_BAD_MODEL for an empty name or an entity that the model lacks,
 *   PINVIEW_ERROR_INVALID_ARGUMENT for stores, or when the model is in use.
 * After failure: nothing has changed.
 * Threads: any thread.
 * Cost: no statement.
 * Generation: neither.
 * Since: 0.1
 * Core Data: setFetchRequestTemplate(_:forName:)
 */
pinview_status pinview_model_set_fetch_request_template(
    pinview_model *model, pinview_string name, const pinview_fetch_request *request, pinview_error **error);

/**
 * How many templates a model has. Cannot fail.
 *
 * @param model the model
 *
 * Returns: the number; 0 for no valid handle.
 * After failure: it cannot fail.
 * Threads: any thread.
 * Cost: no statement.
 * Generation: neither.
 * Since: 0.1
 * Core Data: fetchRequestTemplatesByName
 */
uint64_t pinview_model_fetch_request_template_count(const pinview_model *model);

/**
 * The name of a template; they are in alphabetical order.
 *
 * @param model the model
 * @param index from 0
 * @param out the name, borrowed from the model
 *
 * Returns: PINVIEW_OK, or the status of the error.
 * After failure: nothing has changed.
 * Threads: any thread.
 * Cost: no statement.
 * Generation: neither.
 * Since: 0.1
 * Core Data: fetchRequestTemplatesByName
 */
pinview_status pinview_model_fetch_request_template_name(
    const pinview_model *model, uint64_t index, pinview_string *out, pinview_error **error);

/**
 * A template as it was set, with its variables.
 *
 * @param model the model
 * @param name the name of the template
 * @param out the template, owned by the caller; NULL when the model has none of the name
 *
 * Returns: PINVIEW_OK, or the status of the error.
 * After failure: nothing has changed.
 * Threads: any thread.
 * Cost: no statement.
 * Generation: neither.
 * Since: 0.1
 * Core Data: fetchRequestTemplate(forName:)
 */
pinview_status pinview_model_fetch_request_template(
    const pinview_model *model, pinview_string name, pinview_fetch_template **out, pinview_error **error);

/**
 * A request made from a template, with values for its variables.
 *
 * @param model the model
 * @param name the name of the template
 * @param variables values by names without the $; those that the template does not use are ignored
 * @param count how many
 * @param out the request, owned by the caller
 *
 * Returns: PINVIEW_OK, or the status of the error: PINVIEW_ERROR_UNKNOWN_KEY for a name that no template has,
 *   PINVIEW_ERROR_BAD_PREDICATE for a variable without a value, which the message names.
 * After failure: nothing has changed.
 * Threads: any thread.
 * Cost: no statement.
 * Generation: neither.
 * Since: 0.1
 * Core Data: fetchRequestFromTemplate(withName:substitutionVariables:)
 */
pinview_status pinview_model_fetch_request_from_template(
    const pinview_model *model, pinview_string name, const pinview_named_value *variables, size_t count,
    pinview_fetch_template **out, pinview_error **error);

/**
 * The request of a template, to be used as it is, or copied and changed. What it points to belongs to the template. Cannot
 * fail.
 *
 * @param fetch_template the template
 *
 * Returns: the request, borrowed from the template until its last release; NULL for no valid handle.
 * After failure: it cannot fail.
 * Threads: any thread.
 * Cost: no statement.
 * Generation: neither.
 * Since: 0.1
 * Core Data: none.
 */
const pinview_fetch_request *pinview_fetch_template_request(const pinview_fetch_template *fetch_template);

/**
 * Adds a reference to a template. Each reference is released once.
 *
 * @param fetch_template the handle; it stays the same
 *
 * Returns: PINVIEW_OK; PINVIEW_ERROR_INVALID_HANDLE, also when a handle has 16,777,215 references already.
 * After failure: nothing has changed.
 * Threads: any thread.
 * Cost: no statement.
 * Generation: neither.
 * Since: 0.1
 * Core Data: none.
 */
pinview_status pinview_fetch_template_retain(pinview_fetch_template *fetch_template);

/**
 * Gives back one reference to a template. The last one makes the handle invalid.
 *
 * @param fetch_template the handle; NULL does nothing
 *
 * Returns: PINVIEW_OK; PINVIEW_ERROR_INVALID_HANDLE for a handle that was released already.
 * After failure: nothing has changed.
 * Threads: any thread.
 * Cost: no statement.
 * Generation: neither.
 * Since: 0.1
 * Core Data: none.
 */
pinview_status pinview_fetch_template_release(pinview_fetch_template *fetch_template);

/*
 * Fetched properties: properties whose value is what a request finds for an object. They are part of the model's JSON ("fetchedProperties"
 * of an entity), not of the store and the version hashes. In the predicate $FETCH_SOURCE is the object, from which key paths lead
 * on ($FETCH_SOURCE.name); $FETCHED_PROPERTY.name and $FETCHED_PROPERTY.userInfo.KEY are of the property.
 */

/**
 * Adds a fetched property to an entity that was added before.
 *
 * @param builder the builder
 * @param entity the name of the entity
 * @param name the name of the property
 * @param request for objects; copied
 *
 * Returns: PINVIEW_OK, or the status of the error.
 * After failure: nothing has changed.
 * Threads: any thread; one at a time for one handle.
 * Cost: no statement.
 * Generation: neither.
 * Since: 0.1
 * Core Data: NSFetchedPropertyDescription
 */
pinview_status pinview_model_builder_add_fetched_property(
    pinview_model_builder *builder, pinview_string entity, pinview_string name, const pinview_fetch_request *request,
    pinview_error **error);

/**
 * How many fetched properties an entity has, inherited ones included. They are not counted among its properties. Cannot fail.
 *
 * @param entity the entity
 *
 * Returns: the number; 0 for no valid handle.
 * After failure: it cannot fail.
 * Threads: any thread.
 * Cost: no statement.
 * Generation: neither.
 * Since: 0.1
 * Core Data: properties
 */
uint64_t pinview_entity_fetched_property_count(const pinview_entity *entity);

/**
 * A fetched property of an entity; inherited ones come first.
 *
 * @param entity the entity
 * @param index from 0
 * @param name its name, borrowed from the entity
 * @param destination the name of the entity that it fetches, borrowed from the entity
 *
 * Returns: PINVIEW_OK, or the status of the error.
 * After failure: nothing has changed.
 * Threads: any thread.
 * Cost: no statement.
 * Generation: neither.
 * Since: 0.1
 * Core Data: properties
 */
pinview_status pinview_entity_fetched_property(
    const pinview_entity *entity, uint64_t index, pinview_string *name, pinview_string *destination, pinview_error **error);

/**
 * The objects that a fetched property finds, in the order of its request. They are fetched at the first call, at the context's
 * generation and with its unsaved changes, and kept until the object is refreshed or turned into a fault. A fetched property
 * cannot be set.
 *
 * @param object the object; a fault is fired
 * @param key the name of the property
 * @param out the objects, owned by the caller
 *
 * Returns: PINVIEW_OK, or the status of the error.
 * After failure: nothing has changed.
 * Threads: context rule.
 * Cost: one statement per store at the first call, none later.
 * Generation: a read: fixes a pin that has not been used yet.
 * Since: 0.1
 * Core Data: value(forKey:)
 */
pinview_status pinview_object_fetched_objects(
    pinview_object *object, pinview_string key, pinview_result **out, pinview_error **error);

/**
 * Adds a reference to a result. Each reference is released once.
 *
 * @param result the handle; it stays the same
 *
 * Returns: PINVIEW_OK; PINVIEW_ERROR_INVALID_HANDLE, also when a handle has 16,777,215 references already.
 * After failure: nothing has changed.
 * Threads: any thread.
 * Cost: no statement.
 * Generation: neither.
 * Since: 0.1
 * Core Data: none.
 */
pinview_status pinview_result_retain(pinview_result *result);

/**
 * Gives back one reference to a result. The last one makes the handle invalid.
 *
 * @param result the handle; NULL does nothing
 *
 * Returns: PINVIEW_OK; PINVIEW_ERROR_INVALID_HANDLE for a handle that was released already.
 * After failure: nothing has changed.
 * Threads: any thread.
 * Cost: no statement.
 * Generation: neither.
 * Since: 0.1
 * Core Data: none.
 */
pinview_status pinview_result_release(pinview_result *result);

/**
 * What a result holds. Cannot fail.
 *
 * @param result the result
 *
 * Returns: PINVIEW_RESULT_...; -1 for no valid handle.
 * After failure: it cannot fail.
 * Threads: any thread.
 * Cost: no statement.
 * Generation: neither.
 * Since: 0.1
 * Core Data: none.
 */
int32_t pinview_result_type(const pinview_result *result);

/**
 * What became of the rows of a batch insert or an upsert: each is counted once.
 *
 * @param result what pinview_context_batch_insert or pinview_context_upsert gave, of any type
 * @param inserted how many rows are new; may be NULL
 * @param updated how many rows changed one that was there; may be NULL
 * @param left how many rows left one that was there as it was; may be NULL
 *
 * Returns: PINVIEW_OK, or the status of the error.
 * After failure: nothing was given. PINVIEW_ERROR_WRONG_TYPE for the result of anything else.
 * Threads: any thread.
 * Cost: no statement.
 * Generation: neither.
 * Since: 0.1
 * Core Data: none.
 * Ledger: UNQ-09, UNQ-11
 */
pinview_status pinview_result_row_counts(
    const pinview_result *result, uint64_t *inserted, uint64_t *updated, uint64_t *left, pinview_error **error);

/* What an upsert did with a row. */
#define PINVIEW_UPSERT_CREATED ((int32_t)0)
#define PINVIEW_UPSERT_UPDATED ((int32_t)1)
#define PINVIEW_UPSERT_UNCHANGED ((int32_t)2) /* an object that was there has the values already */

/**
 * What an upsert did with some of its rows.
 *
 * @param result what pinview_context_upsert gave
 * @param first the first row, from 0
 * @param count how many rows
 * @param out PINVIEW_UPSERT_... for each of them
 *
 * Returns: PINVIEW_OK, or the status of the error.
 * After failure: nothing was given. PINVIEW_ERROR_WRONG_TYPE for the result of anything else, PINVIEW_ERROR_INVALID_ARGUMENT for rows that
 *     it does not have.
 * Threads: any thread.
 * Cost: no statement.
 * Generation: neither.
 * Since: 0.1
 * Core Data: none.
 * Ledger: UNQ-11
 */
pinview_status pinview_result_upsert_outcomes(
    const pinview_result *result, uint64_t first, size_t count, int32_t *out, pinview_error **error);

/**
 * How many elements a result has, or the count that it is. Cannot fail.
 *
 * @param result the result
 *
 * Returns: the number; 0 for no valid handle.
 * After failure: it cannot fail.
 * Threads: any thread.
 * Cost: no statement.
 * Generation: neither.
 * Since: 0.1
 * Core Data: none.
 */
uint64_t pinview_result_count(const pinview_result *result);

/**
 * One of the objects.
 *
 * @param result the result
 * @param index from 0
 * @param out the object, owned by the caller
 *
 * Returns: PINVIEW_OK, or the status of the error.
 * After failure: nothing has changed.
 * Threads: context rule.
 * Cost: with a batch size a statement for each page.
 * Generation: neither.
 * Since: 0.1
 * Core Data: none.
 * Ledger: FET-13
 */
pinview_status pinview_result_object(
    pinview_result *result, uint64_t index, pinview_object **out, pinview_error **error);

/**
 * Several of the objects in one call.
 *
 * @param result the result
 * @param first the index of the first
 * @param count how many
 * @param out room for count handles, each owned by the caller
 *
 * Returns: PINVIEW_OK, or the status of the error.
 * After failure: nothing has changed.
 * Threads: context rule.
 * Cost: no statement.
 * Generation: neither.
 * Since: 0.1
 * Core Data: none.
 */
pinview_status pinview_result_objects(
    pinview_result *result, uint64_t first, size_t count, pinview_object **out, pinview_error **error);

/**
 * Attributes and to-one relationships of several objects in one call, row by row: for bindings and loops. Of dictionaries the
 * values of several rows. Objects that are faults get their values from one state of each store, also in a context that is not pinned; those
 * that had values keep them. To have that for more objects than one call takes, call pinview_result_load first.
 *
 * @param result the result
 * @param first the index of the first object
 * @param count how many objects
 * @param indexes indexes of properties in the entity of the request; of dictionaries the numbers of columns, from 0
 * @param index_count how many
 * @param buffer where texts, data and IDs go; they are valid until its next use
 * @param out room for count * index_count values
 *
 * Returns: PINVIEW_OK, or the status of the error.
 * After failure: nothing has changed.
 * Threads: context rule.
 * Cost: no call and no allocation per value.
 * Generation: a read (QG-08): fixes the generation of a context that is pinned and has not read yet; else neither.
 * Since: 0.1
 * Core Data: none.
 */
pinview_status pinview_result_values(
    pinview_result *result, uint64_t first, size_t count, const int32_t *indexes, size_t index_count, pinview_buffer
    *buffer, pinview_value *out, pinview_error **error);

/**
 * Gives values to the faults among several objects of a result, all from one state of each store, also in a context that is not pinned:
 * its newest one at this moment. Objects that had values keep them. Objects that were loaded may be read in as many calls as is
 * convenient. A fetch without PINVIEW_FETCH_RETURNS_FAULTS has loaded them already, from the state in which it found them.
 *
 * @param result a result of objects
 * @param first the index of the first object
 * @param count how many objects
 *
 * Returns: PINVIEW_OK, or the status of the error; PINVIEW_ERROR_WRONG_TYPE for a result that holds no objects.
 * After failure: some of the faults may have got their values.
 * Threads: context rule.
 * Cost: no statement for objects whose rows are at hand and the newest; else one for each store and hierarchy of entities, and for every
 *   1,000 objects.
 * Generation: a read (QG-08): fixes the generation of a context that is pinned and has not read yet; else neither.
 * Since: 0.1
 * Core Data: none.
 * Ledger: ONE-05
 */
pinview_status pinview_result_load(pinview_result *result, uint64_t first, size_t count, pinview_error **error);

/**
 * The ID of one of the elements.
 *
 * @param result the result
 * @param index from 0
 * @param out the ID, owned by the caller
 *
 * Returns: PINVIEW_OK, or the status of the error.
 * After failure: nothing has changed.
 * Threads: any thread.
 * Cost: no statement.
 * Generation: neither.
 * Since: 0.1
 * Core Data: none.
 */
pinview_status pinview_result_object_id(
    pinview_result *result, uint64_t index, pinview_object_id **out, pinview_error **error);

/**
 * How many values each row of dictionaries has. Cannot fail.
 *
 * @param result the result
 *
 * Returns: the number; 0 for other results and for no valid handle.
 * After failure: it cannot fail.
 * Threads: any thread.
 * Cost: no statement.
 * Generation: neither.
 * Since: 0.1
 * Core Data: propertiesToFetch
 */
uint64_t pinview_result_column_count(const pinview_result *result);

/**
 * The name of one of the values of each row of dictionaries. Cannot fail.
 *
 * @param result the result
 * @param column from 0
 *
 * Returns: the text, borrowed from the result; absent for other results, for no valid handle, and where there is no such column.
 * After failure: it cannot fail.
 * Threads: any thread.
 * Cost: no statement.
 * Generation: neither.
 * Since: 0.1
 * Core Data: NSExpressionDescription.name
 */
pinview_string pinview_result_column_name(const pinview_result *result, uint64_t column);

/**
 * How the stores would carry out a request; nothing is fetched. The result is of PINVIEW_RESULT_DICTIONARIES with the columns
 * store (its UUID), part and text. For each store there is a row of the part "sql", the statement; a row of the part "value" for each
 * of its question marks, in order, written as an SQL literal; and a row of the part "plan" for each line of SQLite's query plan,
 * indented below the step that it belongs to.
 *
 * @param context the context
 * @param request the request
 * @param out the result, owned by the caller
 *
 * Returns: PINVIEW_OK, or the status of the error.
 * After failure: *out is NULL.
 * Threads: context rule.
 * Cost: one EXPLAIN QUERY PLAN per store.
 * Generation: a read (QG-08): fixes the generation of a context that is pinned and has not read yet; else neither.
 * Since: 0.1
 * Core Data: none; its -com.apple.CoreData.SQLDebug prints statements.
 */
pinview_status pinview_context_explain(
    pinview_context *context, const pinview_fetch_request *request, pinview_result **out, pinview_error **error);

/* ================================================================================================================
 * Predicates
 *
 * Conditions and values in Core Data's format language; docs/predicates.md has each construct with an example. Values stand in the
 * text as %@, %K, %d, %f … and are given apart from it: nothing that a value contains can change the meaning. Predicates and
 * expressions are also built part by part. Immutable: to copy one is to retain it. Any thread may use them.
 * ================================================================================================================ */

/**
 * Reads a predicate. PINVIEW_ERROR_BAD_PREDICATE tells the place and what was expected.
 *
 * @param format the text
 * @param arguments one for each % in it
 * @param count how many
 * @param out the predicate, owned by the caller
 *
 * Returns: PINVIEW_OK, or the status of the error.
 * After failure: nothing has changed.
 * Threads: any thread.
 * Cost: none; no store is touched.
 * Generation: neither.
 * Since: 0.1
 * Core Data: NSPredicate(format:argumentArray:)
 * Ledger: FET-17 to FET-19
 */
pinview_status pinview_predicate_create(
    pinview_string format, const pinview_value *arguments, size_t count, pinview_predicate **out, pinview_error
    **error);

/**
 * Adds a reference to a predicate. Each reference is released once.
 *
 * @param predicate the handle; it stays the same
 *
 * Returns: PINVIEW_OK; PINVIEW_ERROR_INVALID_HANDLE, also when a handle has 16,777,215 references already.
 * After failure: nothing has changed.
 * Threads: any thread.
 * Cost: no statement.
 * Generation: neither.
 * Since: 0.1
 * Core Data: none.
 */
pinview_status pinview_predicate_retain(pinview_predicate *predicate);

/**
 * Gives back one reference to a predicate. The last one makes the handle invalid.
 *
 * @param predicate the handle; NULL does nothing
 *
 * Returns: PINVIEW_OK; PINVIEW_ERROR_INVALID_HANDLE for a handle that was released already.
 * After failure: nothing has changed.
 * Threads: any thread.
 * Cost: no statement.
 * Generation: neither.
 * Since: 0.1
 * Core Data: none.
 */
pinview_status pinview_predicate_release(pinview_predicate *predicate);

/**
 * Whether two handles name equal predicates. Cannot fail.
 *
 * @param left a handle
 * @param right another
 *
 * Returns: 1 or 0; 0 when either is no valid handle.
 * After failure: it cannot fail.
 * Threads: any thread.
 * Cost: no statement.
 * Generation: neither.
 * Since: 0.1
 * Core Data: none.
 */
int32_t pinview_predicate_is_equal(const pinview_predicate *left, const pinview_predicate *right);

/**
 * The predicate with $VARIABLE replaced by values.
 *
 * @param predicate the predicate
 * @param variables names without the $, and values
 * @param count how many
 * @param out the predicate, owned by the caller
 *
 * Returns: PINVIEW_OK, or the status of the error.
 * After failure: nothing has changed.
 * Threads: any thread.
 * Cost: no statement.
 * Generation: neither.
 * Since: 0.1
 * Core Data: NSPredicate.withSubstitutionVariables(_:)
 */
pinview_status pinview_predicate_substitute(
    const pinview_predicate *predicate, const pinview_named_value *variables, size_t count, pinview_predicate **out,
    pinview_error **error);

/**
 * The predicate in the format language. Cannot fail.
 *
 * @param predicate the predicate
 *
 * Returns: the text, borrowed from the predicate; absent for no valid handle.
 * After failure: it cannot fail.
 * Threads: any thread.
 * Cost: no statement.
 * Generation: neither.
 * Since: 0.1
 * Core Data: predicateFormat
 */
pinview_string pinview_predicate_description(const pinview_predicate *predicate);

/* Operators of comparisons (NSComparisonPredicate.Operator). */
#define PINVIEW_OPERATOR_LESS_THAN ((int32_t)0)
#define PINVIEW_OPERATOR_LESS_THAN_OR_EQUAL_TO ((int32_t)1)
#define PINVIEW_OPERATOR_GREATER_THAN ((int32_t)2)
#define PINVIEW_OPERATOR_GREATER_THAN_OR_EQUAL_TO ((int32_t)3)
#define PINVIEW_OPERATOR_EQUAL_TO ((int32_t)4)
#define PINVIEW_OPERATOR_NOT_EQUAL_TO ((int32_t)5)
#define PINVIEW_OPERATOR_MATCHES ((int32_t)6)
#define PINVIEW_OPERATOR_LIKE ((int32_t)7)
#define PINVIEW_OPERATOR_BEGINS_WITH ((int32_t)8)
#define PINVIEW_OPERATOR_ENDS_WITH ((int32_t)9)
#define PINVIEW_OPERATOR_IN ((int32_t)10)
#define PINVIEW_OPERATOR_CONTAINS ((int32_t)99)
#define PINVIEW_OPERATOR_BETWEEN ((int32_t)100)

/* How many of the values on a to-many key path have to fit (NSComparisonPredicate.Modifier). */
#define PINVIEW_MODIFIER_DIRECT ((int32_t)0) /* the key path leads to one value */
#define PINVIEW_MODIFIER_ALL ((int32_t)1)
#define PINVIEW_MODIFIER_ANY ((int32_t)2)
#define PINVIEW_MODIFIER_NONE ((int32_t)3)   /* NONE of the format language */

/* How texts are compared (NSComparisonPredicate.Options). */
#define PINVIEW_COMPARE_CASE_INSENSITIVE ((uint32_t)1)      /* [c] */
#define PINVIEW_COMPARE_DIACRITIC_INSENSITIVE ((uint32_t)2) /* [d] */
#define PINVIEW_COMPARE_NORMALIZED ((uint32_t)4)            /* [n] */
#define PINVIEW_COMPARE_LOCALIZED ((uint32_t)8)             /* [l] */

/* Kinds of compound predicates (NSCompoundPredicate.LogicalType). */
#define PINVIEW_COMPOUND_NOT ((int32_t)0)
#define PINVIEW_COMPOUND_AND ((int32_t)1)
#define PINVIEW_COMPOUND_OR ((int32_t)2)

/**
 * Judges an object by its values in memory, unsaved ones included.
 *
 * @param predicate the predicate
 * @param object the object
 * @param out 1 or 0
 *
 * Returns: PINVIEW_OK, or the status of the error.
 * After failure: *out is 0. PINVIEW_ERROR_UNKNOWN_KEY and PINVIEW_ERROR_BAD_PREDICATE for what the object's entity lacks.
 * Threads: context rule.
 * Cost: a row for each fault on the way.
 * Generation: a read (QG-08) where a fault is fired; else neither.
 * Since: 0.1
 * Core Data: NSPredicate.evaluate(with:)
 */
pinview_status pinview_predicate_evaluate(
    const pinview_predicate *predicate, pinview_object *object, int32_t *out, pinview_error **error);

/**
 * Builds a comparison of two expressions, such as name BEGINSWITH[c] "da". What cannot be compared is told when it is put to use.
 *
 * @param left the left side
 * @param comparison PINVIEW_OPERATOR_...
 * @param right the right side
 * @param modifier PINVIEW_MODIFIER_...
 * @param options PINVIEW_COMPARE_..., added up
 * @param out the predicate, owned by the caller
 *
 * Returns: PINVIEW_OK, or the status of the error.
 * After failure: *out is NULL.
 * Threads: any thread.
 * Cost: no statement.
 * Generation: neither.
 * Since: 0.1
 * Core Data: NSComparisonPredicate.init(leftExpression:rightExpression:modifier:type:options:)
 */
pinview_status pinview_predicate_create_comparison(
    const pinview_expression *left, int32_t comparison, const pinview_expression *right, int32_t modifier, uint32_t options,
    pinview_predicate **out, pinview_error **error);

/**
 * Joins predicates. Of none AND is true, OR is false; NOT takes one.
 *
 * @param type PINVIEW_COMPOUND_...
 * @param predicates the parts; borrowed
 * @param count how many
 * @param out the predicate, owned by the caller
 *
 * Returns: PINVIEW_OK, or the status of the error.
 * After failure: *out is NULL. PINVIEW_ERROR_BAD_PREDICATE for parts that nest deeper than 1000 levels.
 * Threads: any thread.
 * Cost: no statement.
 * Generation: neither.
 * Since: 0.1
 * Core Data: NSCompoundPredicate.init(type:subpredicates:)
 */
pinview_status pinview_predicate_create_compound(
    int32_t type, const pinview_predicate *const *predicates, size_t count, pinview_predicate **out, pinview_error **error);

/**
 * The predicate that is always true, or always false.
 *
 * @param value 0 for false
 * @param out the predicate, owned by the caller
 *
 * Returns: PINVIEW_OK, or the status of the error.
 * After failure: *out is NULL.
 * Threads: any thread.
 * Cost: no statement.
 * Generation: neither.
 * Since: 0.1
 * Core Data: NSPredicate.init(value:)
 */
pinview_status pinview_predicate_create_constant(int32_t value, pinview_predicate **out, pinview_error **error);

/**
 * Reads an expression, such as price * 2 or cars.@sum.price. PINVIEW_ERROR_BAD_PREDICATE tells the place and what was expected.
 *
 * @param format the text
 * @param arguments one for each % in it
 * @param count how many
 * @param out the expression, owned by the caller
 *
 * Returns: PINVIEW_OK, or the status of the error.
 * After failure: *out is NULL.
 * Threads: any thread.
 * Cost: no statement.
 * Generation: neither.
 * Since: 0.1
 * Core Data: NSExpression.init(format:argumentArray:)
 */
pinview_status pinview_expression_create(
    pinview_string format, const pinview_value *arguments, size_t count, pinview_expression **out, pinview_error **error);

/**
 * A value as an expression; a list becomes an aggregate of its values.
 *
 * @param value the value
 * @param out the expression, owned by the caller
 *
 * Returns: PINVIEW_OK, or the status of the error.
 * After failure: *out is NULL.
 * Threads: any thread.
 * Cost: no statement.
 * Generation: neither.
 * Since: 0.1
 * Core Data: NSExpression.init(forConstantValue:), NSExpression.init(forAggregate:)
 */
pinview_status pinview_expression_create_constant(const pinview_value *value, pinview_expression **out, pinview_error **error);

/**
 * A key path such as owner.name or cars.@count.
 *
 * @param key_path the keys, joined by dots; an empty text is SELF, the object that is judged
 * @param out the expression, owned by the caller
 *
 * Returns: PINVIEW_OK, or the status of the error.
 * After failure: *out is NULL.
 * Threads: any thread.
 * Cost: no statement.
 * Generation: neither.
 * Since: 0.1
 * Core Data: NSExpression.init(forKeyPath:), NSExpression.expressionForEvaluatedObject()
 */
pinview_status pinview_expression_create_key_path(pinview_string key_path, pinview_expression **out, pinview_error **error);

/**
 * A variable, to be substituted, or that of a SUBQUERY.
 *
 * @param name without the $
 * @param key_path what leads on from the variable of a SUBQUERY; absent for nothing
 * @param out the expression, owned by the caller
 *
 * Returns: PINVIEW_OK, or the status of the error.
 * After failure: *out is NULL.
 * Threads: any thread.
 * Cost: no statement.
 * Generation: neither.
 * Since: 0.1
 * Core Data: NSExpression.init(forVariable:)
 */
pinview_status pinview_expression_create_variable(
    pinview_string name, pinview_string key_path, pinview_expression **out, pinview_error **error);

/**
 * A list of expressions, for IN, for BETWEEN, and for functions over lists.
 *
 * @param elements the elements; borrowed
 * @param count how many
 * @param out the expression, owned by the caller
 *
 * Returns: PINVIEW_OK, or the status of the error.
 * After failure: *out is NULL.
 * Threads: any thread.
 * Cost: no statement.
 * Generation: neither.
 * Since: 0.1
 * Core Data: NSExpression.init(forAggregate:)
 */
pinview_status pinview_expression_create_aggregate(
    const pinview_expression *const *elements, size_t count, pinview_expression **out, pinview_error **error);

/**
 * A function of other expressions, such as "add:to:", "lowercase:" or "sum:".
 *
 * @param name its selector, with or without the last colon
 * @param arguments the arguments; borrowed
 * @param count how many
 * @param out the expression, owned by the caller
 *
 * Returns: PINVIEW_OK, or the status of the error.
 * After failure: *out is NULL. PINVIEW_ERROR_BAD_PREDICATE for a name that no function has, and for a wrong number of arguments.
 * Threads: any thread.
 * Cost: no statement.
 * Generation: neither.
 * Since: 0.1
 * Core Data: NSExpression.init(forFunction:arguments:)
 */
pinview_status pinview_expression_create_function(
    pinview_string name, const pinview_expression *const *arguments, size_t count, pinview_expression **out, pinview_error **error);

/**
 * The members of a to-many key path for which a predicate holds; it is counted by the function "count:".
 *
 * @param collection the key path
 * @param variable without the $: what the predicate calls the member
 * @param predicate what members must satisfy
 * @param out the expression, owned by the caller
 *
 * Returns: PINVIEW_OK, or the status of the error.
 * After failure: *out is NULL.
 * Threads: any thread.
 * Cost: no statement.
 * Generation: neither.
 * Since: 0.1
 * Core Data: NSExpression.init(forSubquery:usingIteratorVariable:predicate:)
 */
pinview_status pinview_expression_create_subquery(
    const pinview_expression *collection, pinview_string variable, const pinview_predicate *predicate, pinview_expression **out,
    pinview_error **error);

/**
 * One value where a predicate holds, another one where it does not (TERNARY).
 *
 * @param predicate the condition
 * @param then the value where it holds
 * @param otherwise the other one
 * @param out the expression, owned by the caller
 *
 * Returns: PINVIEW_OK, or the status of the error.
 * After failure: *out is NULL.
 * Threads: any thread.
 * Cost: no statement.
 * Generation: neither.
 * Since: 0.1
 * Core Data: NSExpression.init(forConditional:trueExpression:falseExpression:)
 */
pinview_status pinview_expression_create_conditional(
    const pinview_predicate *predicate, const pinview_expression *then, const pinview_expression *otherwise, pinview_expression **out,
    pinview_error **error);

/**
 * A value turned into one of another type (CAST).
 *
 * @param expression the value
 * @param type "NSNumber", "NSString" or "NSDate"
 * @param out the expression, owned by the caller
 *
 * Returns: PINVIEW_OK, or the status of the error.
 * After failure: *out is NULL.
 * Threads: any thread.
 * Cost: no statement.
 * Generation: neither.
 * Since: 0.1
 * Core Data: none; CAST of the format language.
 */
pinview_status pinview_expression_create_cast(
    const pinview_expression *expression, pinview_string type, pinview_expression **out, pinview_error **error);

/**
 * Computes an expression from an object's values in memory, unsaved ones included.
 *
 * @param expression the expression
 * @param object the object
 * @param buffer where a text goes; it is valid until its next use
 * @param out the value
 *
 * Returns: PINVIEW_OK, or the status of the error.
 * After failure: *out is null. PINVIEW_ERROR_UNKNOWN_KEY and PINVIEW_ERROR_BAD_PREDICATE for what the object's entity lacks.
 * Threads: context rule.
 * Cost: a row for each fault on the way.
 * Generation: a read (QG-08) where a fault is fired; else neither.
 * Since: 0.1
 * Core Data: NSExpression.expressionValue(with:context:)
 */
pinview_status pinview_expression_evaluate(
    const pinview_expression *expression, pinview_object *object, pinview_buffer *buffer, pinview_value *out, pinview_error **error);

/**
 * Adds a reference to an expression. Each reference is released once.
 *
 * @param expression the handle; it stays the same
 *
 * Returns: PINVIEW_OK; PINVIEW_ERROR_INVALID_HANDLE, also when a handle has 16,777,215 references already.
 * After failure: nothing has changed.
 * Threads: any thread.
 * Cost: no statement.
 * Generation: neither.
 * Since: 0.1
 * Core Data: none.
 */
pinview_status pinview_expression_retain(pinview_expression *expression);

/**
 * Gives back one reference to an expression. The last one makes the handle invalid.
 *
 * @param expression the handle; NULL does nothing
 *
 * Returns: PINVIEW_OK; PINVIEW_ERROR_INVALID_HANDLE for a handle that was released already.
 * After failure: nothing has changed.
 * Threads: any thread.
 * Cost: no statement.
 * Generation: neither.
 * Since: 0.1
 * Core Data: none.
 */
pinview_status pinview_expression_release(pinview_expression *expression);

/**
 * Whether two handles name equal expressions. Cannot fail.
 *
 * @param left a handle
 * @param right another
 *
 * Returns: 1 or 0; 0 when either is no valid handle.
 * After failure: it cannot fail.
 * Threads: any thread.
 * Cost: no statement.
 * Generation: neither.
 * Since: 0.1
 * Core Data: none.
 */
int32_t pinview_expression_is_equal(const pinview_expression *left, const pinview_expression *right);

/**
 * The expression in the format language. Cannot fail.
 *
 * @param expression the expression
 *
 * Returns: the text, borrowed from the expression; absent for no valid handle.
 * After failure: it cannot fail.
 * Threads: any thread.
 * Cost: no statement.
 * Generation: neither.
 * Since: 0.1
 * Core Data: NSExpression.description
 */
pinview_string pinview_expression_description(const pinview_expression *expression);

/* ================================================================================================================
 * Columns
 *
 * Values by column instead of objects, in the form that programs for data share memory in: the Arrow C data interface and
 * the Arrow C stream interface (https://arrow.apache.org/docs/format/CDataInterface.html), whose structs stand here as they
 * ask for. The library needs no Arrow library. Much is read and written most quickly this way.
 *
 *     struct ArrowArrayStream stream;
 *     struct ArrowArray batch;
 *     pinview_fetch_request_init(&request, sizeof request, pinview_text("Flight"), &error);
 *     if (pinview_context_fetch_columns(context, &request, 0, &stream, &error) != PINVIEW_OK) return 1;
 *     while (stream.get_next(&stream, &batch) == 0 && batch.release != NULL) {
 *         ... batch.length rows; batch.children[0]->buffers[1] are the values of the first column ...
 *         batch.release(&batch);
 *     }
 *     stream.release(&stream);
 * ================================================================================================================ */

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

/* Flags of pinview_context_fetch_columns. */
#define PINVIEW_COLUMNS_OBJECT_URIS ((uint32_t)1) /* objects as the URIs of their IDs; else as primary keys */

/**
 * Begins a fetch that gives columns, batch by batch, in the layouts of Apache Arrow. No rows are read yet.
 *
 * What is fetched is said as for dictionaries: properties of the request, with key paths over to-one relationships and with
 * expressions, predicate, order, limit and offset, groups and distinct rows. The context's unsaved changes do not count. Several
 * stores come one after the other; then rows cannot be sorted, grouped or distinct, and objects have to be URIs.
 *
 * The stream reads the generation that the context has now, and holds it until the stream is released, wherever the context moves
 * and even after its end. Each batch is an array of the type struct with a child for each column, of batch_size rows (65,536 where
 * that is 0), fewer at the end and where a column has 64 MiB of text or bytes. Without an order the rows come as the store has them. What
 * is sorted, grouped, distinct or found by an index is read with the first batch and waits in memory; all else is read batch by batch.
 * All rows of a table, in batches of 16,384 or more, are read by a second thread as well, from the second batch on; the order stays, and a
 * batch has fewer rows where keys are missing. It holds the generation until it has read what it has begun.
 *
 *     integer 16, 32, 64     int16 "s", int32 "i", int64 "l"
 *     boolean                bool "b"
 *     float, double          float "f", double "g"
 *     date                   timestamp "tsu:UTC", the nearest microsecond (of two the even one)
 *     string, URI            utf8 "u"
 *     decimal                utf8 "u": the number written out, or NaN; metadata pinview.type = decimal
 *     binary, transformable  binary "z"
 *     UUID                   fixed-size binary "w:16"; metadata ARROW:extension:name = arrow.uuid
 *     object, objectID       int64 "l", the primary key; metadata pinview.entity and pinview.store
 *                            with PINVIEW_COLUMNS_OBJECT_URIS utf8 "u"
 *     computed values        numbers "g", counts and lengths "l", texts "u", dates "tsu:UTC"; min: and max: as what they are taken from;
 *                            of decimals, and whole numbers beside them, decimals
 *
 * All columns are nullable. Text of the store that is not UTF-8 has U+FFFD in its place. A relationship whose destination has no
 * row is its key all the same.
 *
 * Callbacks of the stream return 0 or an errno value, with a message from get_last_error: EINVAL for a value that its column cannot
 * hold (70000 in an integer 16), ECANCELED after pinview_context_interrupt_fetch, EIO for all else. A batch that failed can be asked for
 * again. Batches and schemas need neither stream nor context any more. Everything may be used and released on any thread; calls on one
 * stream wait for each other. In a child made by fork() a stream gives errors, and releasing it only forgets it.
 *
 * @param context the context
 * @param request what to fetch; its result type is passed over
 * @param flags PINVIEW_COLUMNS_..., or 0
 * @param out the stream, to be filled; the caller calls its release once
 *
 * Returns: PINVIEW_OK, or the status of the error.
 * After failure: out->release is NULL.
 * Threads: context rule; the stream: any thread.
 * Cost: no statement; each batch one statement, the first one also the query plan of a request with a condition.
 * Generation: a read: fixes a pin that has not been used yet; the stream holds the generation.
 * Since: 0.1
 * Core Data: none.
 */
pinview_status pinview_context_fetch_columns(
    pinview_context *context, const pinview_fetch_request *request, uint32_t flags, struct ArrowArrayStream *out,
    pinview_error **error);

/* ================================================================================================================
 * Batch requests
 *
 * Straight to the stores, past the objects of all contexts: no validation, no hooks, no notification. They take effect
 * at once and move no pinned context. SQLite stores only. One transaction per store, all or nothing.
 * ================================================================================================================ */

/* NSBatchUpdateRequest. Zero the struct, set struct_size, result_type, entity and the properties. All is borrowed. */
typedef struct pinview_batch_update {
    uint32_t struct_size; /* sizeof(pinview_batch_update) */
    int32_t result_type;  /* PINVIEW_RESULT_NONE, _OBJECT_IDS or _COUNT */
    pinview_string entity;
    const pinview_predicate *predicate;    /* NULL for all */
    const pinview_named_value *properties; /* names of stored attributes, and their new values */
    size_t property_count;
    int32_t excludes_subentities;
    int32_t reserved;     /* 0 */
    const pinview_named_expression *expressions; /* names of stored attributes, and how to compute them from the row's own values */
    size_t expression_count;
    pinview_store *const *stores; /* which stores to update; NULL for all */
    size_t store_count;
} pinview_batch_update;

/**
 * Sets attributes in all matching rows of SQLite stores, without loading objects. No validation, no notification; row
 * versions rise.
 *
 * @param context the context
 * @param request what to set where
 * @param out the result, owned by the caller; NULL when it is not wanted
 *
 * Returns: PINVIEW_OK, or the status of the error.
 * After failure: nothing was written. PINVIEW_ERROR_UNKNOWN_KEY, PINVIEW_ERROR_WRONG_TYPE, PINVIEW_ERROR_BAD_PREDICATE for
 *     an expression, PINVIEW_ERROR_UNSUPPORTED_REQUEST for a store in memory.
 * Threads: context rule.
 * Cost: one statement and one transaction per store.
 * Generation: neither.
 * Since: 0.1
 * Core Data: execute(_:) of NSBatchUpdateRequest
 * Ledger: BAT-01 to BAT-11, QG-47
 */
pinview_status pinview_context_batch_update(
    pinview_context *context, const pinview_batch_update *request, pinview_result **out, pinview_error **error);

/*
 * Fills in the values of the next row of a batch insert, one for each name; they come as nulls and are borrowed until the
 * next call. With *has_row set to 0 there is no further row. Any other status than PINVIEW_OK takes the whole insert back
 * and is what pinview_context_batch_insert returns. Called inside the write transaction: it must not save to the store.
 */
typedef pinview_status (*pinview_next_row_callback)(pinview_value *values, size_t count, int32_t *has_row, void *userdata);

/* NSBatchInsertRequest. Zero the struct, set struct_size, result_type, entity, names and one of values, columns and next_row. All is
 * borrowed. */
typedef struct pinview_batch_insert {
    uint32_t struct_size; /* sizeof(pinview_batch_insert) */
    int32_t result_type;  /* PINVIEW_RESULT_NONE, _OBJECT_IDS or _COUNT */
    pinview_string entity;
    const pinview_string *names; /* stored attributes and to-one relationships (object IDs); others get their defaults */
    size_t name_count;
    const pinview_value *values; /* row after row, row_count * name_count of them */
    size_t row_count;
    pinview_next_row_callback next_row; /* instead of values; NULL for none */
    void *userdata;
    const pinview_value *const *columns; /* instead of values: for each name the row_count values of its column; NULL for none */
    pinview_store *const *stores; /* the first of these that holds the entity is inserted into; NULL: of all */
    size_t store_count;
    struct ArrowArrayStream *columns_stream; /* instead of names and values: see below; NULL for none */
    int32_t merge_policy; /* PINVIEW_MERGE_POLICY_..., not the callback: rows whose unique values are there already; see below */
    int32_t reserved;     /* 0 */
} pinview_batch_insert;

/**
 * Inserts rows into the first SQLite store that holds the entity, without objects.
 *
 * With columns_stream, a stream of the Arrow C stream interface, its batches are the rows: structs whose children have the names of
 * stored attributes and to-one relationships. The call takes the stream over, reads it to its end, and releases it however it
 * ends; columns_stream->release is NULL afterwards. Properties without a column get their default values; a mandatory attribute must have a
 * value in every row. The stream's callbacks run inside the write transaction: they must not save to the store. What is taken:
 *
 *     numbers, booleans      of any width, also decimals of 128 bits, where the attribute can hold the value without loss
 *     date                   timestamps of any unit that have a time zone; dates as their midnight in UTC
 *     string, URI            utf8, large_utf8, utf8_view; decimals and UUIDs also written out
 *     binary, transformable  binary, large_binary, binary_view, fixed-size binary; UUIDs also as 16 bytes
 *     relationship           integers: primary keys of objects of that store; utf8: URIs of their IDs
 *     anything               null, and dictionaries of the types above
 *
 * merge_policy says what becomes of a row that has the values of a row of the store, or of an earlier row of the batch, under a
 * uniqueness constraint. It is the request's own: the context's policy does not count. Null values never meet.
 *
 *     ERROR                     the default: the request fails; the error names the row, the constraint, its values and the object
 *     BY_PROPERTY_OBJECT_TRUMP  insert or update: the row of the store takes the values that are given, nulls included
 *     OVERWRITE                 the row of the store takes all values, defaults and nulls of properties that are not named included
 *     BY_PROPERTY_STORE_TRUMP,
 *     ROLLBACK                  insert or ignore: the row of the store stays as it is
 *
 * A row that would change nothing is left: its version stays, and the history does not mention it. A row that would update two
 * different rows, under two constraints, or one of an entity that is not the request's or a sub-entity of it, fails the request.
 *
 * A result of PINVIEW_RESULT_OBJECT_IDS has for each row, in order, the ID of the object that stands for it; one of
 * PINVIEW_RESULT_COUNT is how many were inserted or updated. pinview_result_row_counts tells them apart.
 *
 * @param context the context
 * @param request the rows
 * @param out the result, owned by the caller; NULL when it is not wanted
 *
 * Returns: PINVIEW_OK, or the status of the error, or of the callback.
 * After failure: nothing was written. PINVIEW_ERROR_UNKNOWN_KEY, PINVIEW_ERROR_WRONG_TYPE, PINVIEW_ERROR_UNSUPPORTED_REQUEST
 *     for a store in memory, or a file without a unique index for a constraint under a policy other than ERROR;
 *     PINVIEW_ERROR_CONSTRAINT_MERGE for rows that meet others. Of a stream also PINVIEW_ERROR_VALIDATION_MISSING_MANDATORY_PROPERTY,
 *     PINVIEW_ERROR_INVALID_UTF8, and PINVIEW_ERROR_STOPPED when it gave an error itself; the messages name row and column.
 * Threads: context rule.
 * Cost: one statement per row, one transaction.
 * Generation: neither.
 * Since: 0.1
 * Core Data: execute(_:) of NSBatchInsertRequest
 * Ledger: BAT-13, QG-47, UNQ-09
 */
pinview_status pinview_context_batch_insert(
    pinview_context *context, const pinview_batch_insert *request, pinview_result **out, pinview_error **error);

/**
 * Deletes the rows that a fetch request finds in SQLite stores, and those of some object IDs, without objects. The delete
 * rules are followed: cascades delete more, nullify clears references, deny stops it all.
 *
 * @param context the context
 * @param request which rows; NULL for none. Pending changes do not count.
 * @param object_ids further rows; those that do not exist are passed over
 * @param object_id_count how many
 * @param result_type PINVIEW_RESULT_NONE, _OBJECT_IDS or _COUNT; of the rows named, without those that cascades took
 * @param out the result, owned by the caller; NULL when it is not wanted
 *
 * Returns: PINVIEW_OK, or the status of the error.
 * After failure: nothing was deleted. PINVIEW_ERROR_VALIDATION_RELATIONSHIP_DENIED_DELETE,
 *     PINVIEW_ERROR_UNSUPPORTED_REQUEST for a store in memory, PINVIEW_ERROR_INVALID_ARGUMENT for the ID of an unsaved object.
 * Threads: context rule.
 * Cost: some statements per row, one transaction per store.
 * Generation: neither.
 * Since: 0.1
 * Core Data: execute(_:) of NSBatchDeleteRequest
 * Ledger: BAT-12, QG-47
 */
pinview_status pinview_context_batch_delete(
    pinview_context *context, const pinview_fetch_request *request, const pinview_object_id *const *object_ids,
    size_t object_id_count, int32_t result_type, pinview_result **out, pinview_error **error);

/* ================================================================================================================
 * History
 *
 * What every write transaction of a store did, kept in the store: for programs that follow what others write. Stores
 * keep it when they are added with the option PINVIEW_STORE_OPTION_HISTORY_TRACKING.
 * ================================================================================================================ */

/* Flags of pinview_history_request. */
#define PINVIEW_HISTORY_BY_DATE ((uint32_t)1)          /* date counts, not token */
#define PINVIEW_HISTORY_OMITS_CHANGES ((uint32_t)2)    /* transactions only */
#define PINVIEW_HISTORY_PASSES_CONSUMERS ((uint32_t)4) /* deletes also what consumers have still to read */
#define PINVIEW_HISTORY_REFUSES_TO_PASS_CONSUMERS ((uint32_t)8) /* deletes nothing where consumers have still to read some of it */
#define PINVIEW_HISTORY_BEFORE_DATE ((uint32_t)16)     /* before_date counts */

/* What happened to a row. */
#define PINVIEW_HISTORY_INSERT ((int32_t)0)
#define PINVIEW_HISTORY_UPDATE ((int32_t)1)
#define PINVIEW_HISTORY_DELETE ((int32_t)2)

/* NSPersistentHistoryChangeRequest. Zero the struct and set struct_size; all else may stay 0. All is borrowed. */
typedef struct pinview_history_request {
    uint32_t struct_size;                  /* sizeof(pinview_history_request) */
    uint32_t flags;                        /* PINVIEW_HISTORY_... */
    const pinview_history_token *token;    /* what comes after it (before it, to delete); NULL for all */
    double date;                           /* with BY_DATE: seconds since 2001-01-01 00:00 UTC */
    const pinview_string *authors;         /* of these only, an absent text for none; NULL for all */
    size_t author_count;
    const pinview_string *excluded_authors; /* none of these */
    size_t excluded_author_count;
    const pinview_string *entities;        /* changes of these only; NULL for all */
    size_t entity_count;
    const pinview_store *const *stores;    /* of these only; NULL for all of the coordinator */
    size_t store_count;
    const pinview_history_token *before;   /* to read: what comes before its transaction, which is left out; NULL for no end */
    double before_date;                    /* with BEFORE_DATE and without before, to read: what comes before it */
} pinview_history_request;

/* NSPersistentHistoryTransaction. The texts are borrowed from the history. */
typedef struct pinview_history_transaction {
    int64_t number;                 /* rises with each transaction of the store */
    double date;                    /* seconds since 2001-01-01 00:00 UTC */
    uint64_t change_count;
    pinview_string store_identifier;
    pinview_string author;          /* the context's transaction author when it saved; absent for none */
    pinview_string context_name;
    pinview_string program;
    pinview_string process;         /* the program's name and the process ID */
} pinview_history_transaction;

/* NSPersistentHistoryChange. */
typedef struct pinview_history_change {
    int64_t change_id;       /* rises with each change of the store */
    int32_t type;            /* PINVIEW_HISTORY_INSERT, _UPDATE or _DELETE */
    uint32_t property_count; /* of updates: how many properties changed */
} pinview_history_change;

/**
 * Adds a reference to a history token. Each reference is released once.
 *
 * @param token the handle; it stays the same
 *
 * Returns: PINVIEW_OK, or the status of the error.
 * After failure: nothing has changed.
 * Threads: any thread.
 * Cost: no statement.
 * Generation: neither.
 * Since: 0.1
 */
pinview_status pinview_history_token_retain(pinview_history_token *token);

/**
 * Gives back one reference to a history token. The last one makes the handle invalid.
 *
 * @param token the handle; NULL does nothing
 *
 * Returns: PINVIEW_OK, or the status of the error.
 * After failure: nothing has changed.
 * Threads: any thread.
 * Cost: no statement.
 * Generation: neither.
 * Since: 0.1
 */
pinview_status pinview_history_token_release(pinview_history_token *token);

/**
 * Whether two history tokens stand for the same place. Cannot fail.
 *
 * @param left one token
 * @param right another one
 *
 * Returns: 1 or 0; 0 for no valid handle.
 * After failure: it cannot fail.
 * Threads: any thread.
 * Cost: no statement.
 * Generation: neither.
 * Since: 0.1
 */
int32_t pinview_history_token_is_equal(const pinview_history_token *left, const pinview_history_token *right);

/**
 * The token as bytes, which mean the same in every process, today and tomorrow.
 *
 * @param token the token
 * @param out the bytes, borrowed from the token
 *
 * Returns: PINVIEW_OK, or the status of the error.
 * After failure: *out is empty.
 * Threads: any thread.
 * Cost: no statement.
 * Generation: neither.
 * Since: 0.1
 * Ledger: HIS-04
 */
pinview_status pinview_history_token_data(const pinview_history_token *token, pinview_binary *out, pinview_error **error);

/**
 * The token that pinview_history_token_data wrote. Other bytes are PINVIEW_ERROR_INVALID_ARGUMENT.
 *
 * @param data the bytes
 * @param out the token, owned by the caller
 *
 * Returns: PINVIEW_OK, or the status of the error.
 * After failure: *out is NULL.
 * Threads: any thread.
 * Cost: no statement.
 * Generation: neither.
 * Since: 0.1
 * Ledger: HIS-04
 */
pinview_status pinview_history_token_create_from_data(pinview_binary data, pinview_history_token **out, pinview_error **error);

/**
 * The end of the history of a coordinator's stores, as it is now.
 *
 * @param coordinator the coordinator
 * @param out the token, owned by the caller
 *
 * Returns: PINVIEW_OK, or the status of the error.
 * After failure: *out is NULL.
 * Threads: any thread.
 * Cost: one statement per store.
 * Generation: neither.
 * Since: 0.1
 * Core Data: currentPersistentHistoryToken(fromStores:)
 * Ledger: HIS-04
 */
pinview_status pinview_coordinator_history_token(
    const pinview_coordinator *coordinator, pinview_history_token **out, pinview_error **error);

/**
 * Reads the history: transactions of all processes, in order. It sees the newest state and pins nothing.
 *
 * @param context the context
 * @param request which part
 * @param out the history, owned by the caller
 *
 * Returns: PINVIEW_OK, or the status of the error.
 * After failure: *out is NULL. PINVIEW_ERROR_UNSUPPORTED_REQUEST for a store that keeps none,
 *     PINVIEW_ERROR_HISTORY_TOKEN_EXPIRED when what comes after the token was deleted in part.
 * Threads: context rule.
 * Cost: two statements per store, one per transaction.
 * Generation: neither.
 * Since: 0.1
 * Core Data: execute(_:) of NSPersistentHistoryChangeRequest
 * Ledger: HIS-03 to HIS-08
 */
pinview_status pinview_context_fetch_history(
    pinview_context *context, const pinview_history_request *request, pinview_history **out, pinview_error **error);

/**
 * Deletes the transactions before a token (its own one stays) or a date. What a consumer has still to read stays, unless
 * the flag PINVIEW_HISTORY_PASSES_CONSUMERS is set. With the flag PINVIEW_HISTORY_REFUSES_TO_PASS_CONSUMERS that is an error
 * instead, which names the slowest consumer: PINVIEW_ERROR_STORE_OPERATION.
 *
 * @param context the context
 * @param request token or date, stores, flags
 * @param out how many transactions; NULL when it is not wanted
 *
 * Returns: PINVIEW_OK, or the status of the error.
 * After failure: nothing was deleted.
 * Threads: context rule.
 * Cost: some statements and a transaction per store.
 * Generation: neither.
 * Since: 0.1
 * Core Data: execute(_:) of NSPersistentHistoryChangeRequest
 * Ledger: HIS-07
 */
pinview_status pinview_context_delete_history(
    pinview_context *context, const pinview_history_request *request, int64_t *out, pinview_error **error);

/**
 * Adds a reference to a history. Each reference is released once.
 *
 * @param history the handle; it stays the same
 *
 * Returns: PINVIEW_OK, or the status of the error.
 * After failure: nothing has changed.
 * Threads: any thread.
 * Cost: no statement.
 * Generation: neither.
 * Since: 0.1
 */
pinview_status pinview_history_retain(pinview_history *history);

/**
 * Gives back one reference to a history. The last one makes the handle invalid.
 *
 * @param history the handle; NULL does nothing
 *
 * Returns: PINVIEW_OK, or the status of the error.
 * After failure: nothing has changed.
 * Threads: any thread.
 * Cost: no statement.
 * Generation: neither.
 * Since: 0.1
 */
pinview_status pinview_history_release(pinview_history *history);

/**
 * How many transactions a history has. Cannot fail.
 *
 * @param history the history
 *
 * Returns: the number; 0 for no valid handle.
 * After failure: it cannot fail.
 * Threads: any thread.
 * Cost: no statement.
 * Generation: neither.
 * Since: 0.1
 */
uint64_t pinview_history_count(const pinview_history *history);

/**
 * One transaction of a history.
 *
 * @param history the history
 * @param index of the transaction, from 0 on
 * @param out the transaction; its texts are borrowed from the history
 *
 * Returns: PINVIEW_OK, or the status of the error.
 * After failure: *out is zeroed.
 * Threads: any thread.
 * Cost: no statement.
 * Generation: neither.
 * Since: 0.1
 * Ledger: HIS-03
 */
pinview_status pinview_history_transaction_at(
    const pinview_history *history, uint64_t index, pinview_history_transaction *out, pinview_error **error);

/**
 * The place right after a transaction, in its store.
 *
 * @param history the history
 * @param index of the transaction, from 0 on
 * @param out the token, owned by the caller
 *
 * Returns: PINVIEW_OK, or the status of the error.
 * After failure: *out is NULL.
 * Threads: any thread.
 * Cost: no statement.
 * Generation: neither.
 * Since: 0.1
 * Ledger: HIS-04
 */
pinview_status pinview_history_token_after(
    const pinview_history *history, uint64_t index, pinview_history_token **out, pinview_error **error);

/**
 * One change of a transaction.
 *
 * @param history the history
 * @param transaction index of the transaction, from 0 on
 * @param index of the change in it, from 0 on
 * @param out the change
 *
 * Returns: PINVIEW_OK, or the status of the error.
 * After failure: *out is zeroed.
 * Threads: any thread.
 * Cost: no statement.
 * Generation: neither.
 * Since: 0.1
 * Ledger: HIS-03
 */
pinview_status pinview_history_change_at(
    const pinview_history *history, uint64_t transaction, uint64_t index, pinview_history_change *out, pinview_error **error);

/**
 * The object that a change is about.
 *
 * @param history the history
 * @param transaction index of the transaction, from 0 on
 * @param index of the change in it, from 0 on
 * @param out the object ID, owned by the caller
 *
 * Returns: PINVIEW_OK, or the status of the error.
 * After failure: *out is NULL.
 * Threads: any thread.
 * Cost: no statement.
 * Generation: neither.
 * Since: 0.1
 * Ledger: HIS-03
 */
pinview_status pinview_history_change_object_id(
    const pinview_history *history, uint64_t transaction, uint64_t index, pinview_object_id **out, pinview_error **error);

/**
 * The name of a property that an update changed.
 *
 * @param history the history
 * @param transaction index of the transaction, from 0 on
 * @param index of the change in it, from 0 on
 * @param property from 0 on, below property_count
 * @param out the name, borrowed from the history
 *
 * Returns: PINVIEW_OK, or the status of the error.
 * After failure: *out is absent.
 * Threads: any thread.
 * Cost: no statement.
 * Generation: neither.
 * Since: 0.1
 * Ledger: HIS-03
 */
pinview_status pinview_history_change_property(
    const pinview_history *history, uint64_t transaction, uint64_t index, uint32_t property, pinview_string *out,
    pinview_error **error);

/**
 * The value that a deleted object had, if the model keeps it (PINVIEW_PROPERTY_KEPT_IN_HISTORY); else null.
 *
 * @param history the history
 * @param transaction index of the transaction, from 0 on
 * @param index of the change in it, from 0 on
 * @param name of the attribute
 * @param buffer where texts and data go
 * @param out the value, borrowed from the buffer until its next use
 *
 * Returns: PINVIEW_OK, or the status of the error.
 * After failure: *out is null. PINVIEW_ERROR_UNKNOWN_KEY.
 * Threads: one thread at a time for a buffer.
 * Cost: no statement.
 * Generation: neither.
 * Since: 0.1
 * Core Data: tombstone
 * Ledger: HIS-03
 */
pinview_status pinview_history_change_tombstone(
    const pinview_history *history, uint64_t transaction, uint64_t index, pinview_string name, pinview_buffer *buffer,
    pinview_value *out, pinview_error **error);

/**
 * Merges the changes of transactions into a context, as a save of another context is merged: at once or later, as
 * pinview_context_merge_changes.
 *
 * @param context the context
 * @param history the history
 * @param first index of the first transaction
 * @param count how many
 *
 * Returns: PINVIEW_OK, or the status of the error.
 * After failure: what was merged before stays.
 * Threads: any thread.
 * Cost: at most one statement per changed object.
 * Generation: a pinned context moves to the newest one at its next read.
 * Since: 0.1
 * Core Data: mergeChanges(fromRemoteContextSave:into:) with objectIDNotification()
 * Ledger: HIS-06
 */
pinview_status pinview_context_merge_history(
    pinview_context *context, const pinview_history *history, uint64_t first, size_t count, pinview_error **error);

/**
 * Notes up to where a reader known by name has read; a new name is registered. Kept in the stores: other processes respect
 * it when they delete history.
 *
 * @param coordinator the coordinator
 * @param name of the reader
 * @param token up to where
 *
 * Returns: PINVIEW_OK, or the status of the error.
 * After failure: nothing has changed.
 * Threads: any thread.
 * Cost: one transaction per store.
 * Generation: neither.
 * Since: 0.1
 * Ledger: HIS-07
 */
pinview_status pinview_coordinator_set_history_consumer(
    pinview_coordinator *coordinator, pinview_string name, const pinview_history_token *token, pinview_error **error);

/**
 * Forgets a reader known by name. One that is not there is no error.
 *
 * @param coordinator the coordinator
 * @param name of the reader
 *
 * Returns: PINVIEW_OK, or the status of the error.
 * After failure: nothing has changed.
 * Threads: any thread.
 * Cost: one transaction per store.
 * Generation: neither.
 * Since: 0.1
 * Ledger: HIS-07
 */
pinview_status pinview_coordinator_remove_history_consumer(
    pinview_coordinator *coordinator, pinview_string name, pinview_error **error);

/**
 * Up to where a reader known by name has read.
 *
 * @param coordinator the coordinator
 * @param name of the reader
 * @param out the token, owned by the caller; NULL when there is none of that name
 *
 * Returns: PINVIEW_OK, or the status of the error.
 * After failure: *out is NULL.
 * Threads: any thread.
 * Cost: one statement per store.
 * Generation: neither.
 * Since: 0.1
 * Ledger: HIS-07
 */
pinview_status pinview_coordinator_history_consumer(
    const pinview_coordinator *coordinator, pinview_string name, pinview_history_token **out, pinview_error **error);

/* For each reader known by name; name and token are borrowed for the call. */
typedef void (*pinview_history_consumer_callback)(pinview_string name, const pinview_history_token *token, void *userdata);

/**
 * Calls back for each reader known by name, in the order of the names, before it returns.
 *
 * @param coordinator the coordinator
 * @param callback called for each with the place up to which it has read
 * @param userdata given to it
 *
 * Returns: PINVIEW_OK, or the status of the error.
 * After failure: the callback was not called for all of them.
 * Threads: any thread.
 * Cost: one statement per store.
 * Generation: neither.
 * Since: 0.1
 * Core Data: none.
 */
pinview_status pinview_coordinator_each_history_consumer(
    const pinview_coordinator *coordinator, pinview_history_consumer_callback callback, void *userdata, pinview_error **error);

/* NSPersistentStoreRemoteChangeNotification. Everything is borrowed for the call. */
typedef struct pinview_remote_change {
    uint32_t struct_size;
    uint32_t reserved;
    pinview_string store_identifier;
    pinview_string store_path;
    const pinview_history_token *history_token; /* the end of the history now; NULL for a store that keeps none */
} pinview_remote_change;

typedef void (*pinview_remote_change_callback)(const pinview_remote_change *change, void *userdata);

/**
 * Calls back when somebody else has committed to a store that was added with the option
 * PINVIEW_STORE_OPTION_REMOTE_CHANGES: another coordinator of this process, or another process. What the coordinator's own
 * contexts and batch requests commit is not told. Commits in a quick row are told of as one, for each store. A program that
 * keeps no history, such as the sqlite3 tool, leaves the token as it was. Nothing runs while nobody observes. Stores in memory
 * and those that are not in WAL mode give no news. The observer stays until pinview_observer_remove or the coordinator's end.
 *
 * @param coordinator the coordinator
 * @param callback called on a thread of the library, within about a millisecond of a commit. It may call everything, but
 *     should not take long: all observers of the process share the thread
 * @param userdata given to it
 * @param free_userdata called when the observer has been removed and its last call has ended; may be NULL
 * @param out the observer, owned by the caller
 *
 * Returns: PINVIEW_OK, or the status of the error.
 * After failure: userdata stays the caller's.
 * Threads: any thread.
 * Cost: no statement; waits for a save to such a store that is under way. One statement per call of callback.
 * Generation: neither.
 * Since: 0.1
 * Core Data: NSPersistentStoreRemoteChangeNotification, NSPersistentStoreRemoteChangeNotificationPostOptionKey
 */
pinview_status pinview_coordinator_add_remote_change_observer(
    pinview_coordinator *coordinator, pinview_remote_change_callback callback, void *userdata,
    pinview_free_callback free_userdata, pinview_observer **out, pinview_error **error);

/* What differs in one object between two generations. The names are borrowed from the difference. */
typedef struct pinview_difference_change {
    int32_t type;                     /* PINVIEW_HISTORY_INSERT, _UPDATE or _DELETE */
    uint32_t property_count;          /* of updates: how many properties have another value */
    const pinview_string *properties; /* their names */
} pinview_difference_change;

/**
 * What differs between two generations: the objects that only the new one has (inserted), that only the old one has
 * (deleted), and that both have with other values (updated), with the names of the properties that differ. A view that is
 * pinned to the old generation can advance to the new one and touch exactly what has changed.
 *
 * By value: a property is named when reading it gives something else: an attribute its value, a to-one relationship its
 * destination, a to-many relationship its set of members, an ordered one their order too. Both sides of a relationship are
 * named. What was changed and changed back is not there. With the tokens the other way round, inserted and deleted change
 * places. Stores without generations, or that only one of the two covers, are left out.
 *
 * @param coordinator the coordinator
 * @param old_generation a token of this coordinator, or of another process, whose generation is alive
 * @param new_generation the same; NULL or the token current for the newest generation
 * @param entities objects of these and their sub-entities only; NULL for all
 * @param entity_count how many names
 * @param out the difference, owned by the caller; it keeps both generations alive
 *
 * Returns: PINVIEW_OK, or the status of the error.
 * After failure: *out is NULL. PINVIEW_ERROR_FOREIGN_TOKEN for a token of another coordinator,
 *     PINVIEW_ERROR_GENERATION_EXPIRED, PINVIEW_ERROR_UNKNOWN_ENTITY.
 * Threads: any thread.
 * Cost: where the store's history has every transaction between the two, reading the rows that it names, in both; else
 *     reading both generations of the store side by side, once. Memory for what differs only.
 * Generation: takes the newest one, for NULL or current; no context is moved.
 * Since: 0.1
 * Core Data: none.
 */
pinview_status pinview_coordinator_difference(
    const pinview_coordinator *coordinator, const pinview_token *old_generation, const pinview_token *new_generation,
    const pinview_string *entities, size_t entity_count, pinview_difference **out, pinview_error **error);

/**
 * Adds a reference to a difference. Each reference is released once.
 *
 * @param difference the handle; it stays the same
 *
 * Returns: PINVIEW_OK, or the status of the error.
 * After failure: nothing has changed.
 * Threads: any thread.
 * Cost: no statement.
 * Generation: neither.
 * Since: 0.1
 * Core Data: none.
 */
pinview_status pinview_difference_retain(pinview_difference *difference);

/**
 * Gives back one reference to a difference. The last one makes the handle invalid and lets both generations go.
 *
 * @param difference the handle; NULL does nothing
 *
 * Returns: PINVIEW_OK, or the status of the error.
 * After failure: nothing has changed.
 * Threads: any thread.
 * Cost: no statement.
 * Generation: neither.
 * Since: 0.1
 * Core Data: none.
 */
pinview_status pinview_difference_release(pinview_difference *difference);

/**
 * In how many objects the generations differ. Cannot fail.
 *
 * @param difference the difference
 *
 * Returns: the number; 0 for what is no difference.
 * After failure: it cannot fail.
 * Threads: any thread.
 * Cost: no statement.
 * Generation: neither.
 * Since: 0.1
 * Core Data: none.
 */
uint64_t pinview_difference_count(const pinview_difference *difference);

/**
 * Some of the changes at once: by store in the order of the coordinator, within it by entity and primary key; each object at
 * most once.
 *
 * @param difference the difference
 * @param first index of the first change, from 0
 * @param count how many
 * @param changes room for that many; NULL when they are not wanted
 * @param object_ids room for that many IDs, each owned by the caller; NULL when they are not wanted
 *
 * Returns: PINVIEW_OK, or the status of the error.
 * After failure: PINVIEW_ERROR_INVALID_ARGUMENT for changes that are not there; then, and for a handle that is not good, nothing has been
 *     written. After any other failure all of object_ids is NULL.
 * Threads: any thread.
 * Cost: no statement.
 * Generation: neither.
 * Since: 0.1
 * Core Data: none.
 */
pinview_status pinview_difference_changes(
    const pinview_difference *difference, uint64_t first, size_t count, pinview_difference_change *changes,
    pinview_object_id **object_ids, pinview_error **error);

/**
 * The token of the old generation, to which a context can be pinned as long as the difference lives.
 *
 * @param difference the difference
 * @param out the token, owned by the caller
 *
 * Returns: PINVIEW_OK, or the status of the error.
 * After failure: *out is NULL.
 * Threads: any thread.
 * Cost: no statement.
 * Generation: neither.
 * Since: 0.1
 * Core Data: none.
 */
pinview_status pinview_difference_old_generation(
    const pinview_difference *difference, pinview_token **out, pinview_error **error);

/**
 * The token of the new generation, to which a context can be pinned as long as the difference lives.
 *
 * @param difference the difference
 * @param out the token, owned by the caller
 *
 * Returns: PINVIEW_OK, or the status of the error.
 * After failure: *out is NULL.
 * Threads: any thread.
 * Cost: no statement.
 * Generation: neither.
 * Since: 0.1
 * Core Data: none.
 */
pinview_status pinview_difference_new_generation(
    const pinview_difference *difference, pinview_token **out, pinview_error **error);

/* ================================================================================================================
 * Notifications
 *
 * What contexts tell. An observer is called on the context's queue, before the call that posts returns; what a
 * main-queue context tells because of another thread (a child's save, a merge) reaches its observers when the main
 * thread drains the main queue. An observer may use the notification and the context it names, and may merge into any
 * context: a merge never waits for who waits for it. It must not wait in other ways, by pinview_context_perform_and_wait
 * or a direct call, for another context's queue that may wait for this one. Handles given to it are borrowed for the
 * call.
 * ================================================================================================================ */

/* Names (API-38 to API-40). */
#define PINVIEW_WILL_SAVE_NOTIFICATION "NSManagedObjectContextWillSaveNotification"
#define PINVIEW_DID_SAVE_NOTIFICATION "NSManagedObjectContextDidSaveNotification"
#define PINVIEW_OBJECTS_DID_CHANGE_NOTIFICATION "NSManagedObjectContextObjectsDidChangeNotification"

/* Keys of what a notification tells (API-37, API-41 to API-46). */
#define PINVIEW_INSERTED_OBJECTS_KEY "inserted"
#define PINVIEW_UPDATED_OBJECTS_KEY "updated"
#define PINVIEW_DELETED_OBJECTS_KEY "deleted"
#define PINVIEW_REFRESHED_OBJECTS_KEY "refreshed"
#define PINVIEW_INVALIDATED_OBJECTS_KEY "invalidated"
#define PINVIEW_INVALIDATED_ALL_OBJECTS_KEY "invalidatedAll" /* object IDs */
#define PINVIEW_QUERY_GENERATION_KEY "NSManagedObjectContextQueryGenerationKey" /* pinview_notification_token */

typedef void (*pinview_notification_callback)(const pinview_notification *notification, void *userdata);

/**
 * Registers an observer. It stays registered until pinview_observer_remove.
 *
 * @param name which notifications; absent for all
 * @param context whose; NULL for every context
 * @param callback called for each
 * @param userdata given to it
 * @param free_userdata called when the observer has been removed and its last call has ended; may be NULL
 * @param out the observer, owned by the caller
 *
 * Returns: PINVIEW_OK, or the status of the error.
 * After failure: userdata stays the caller's.
 * Threads: any thread.
 * Cost: no statement.
 * Generation: neither.
 * Since: 0.1
 * Core Data: NotificationCenter.addObserver(forName:object:queue:using:)
 * Ledger: NOT-11 to NOT-15, EX-42
 */
pinview_status pinview_observe(
    pinview_string name, pinview_context *context, pinview_notification_callback callback, void *userdata,
    pinview_free_callback free_userdata, pinview_observer **out, pinview_error **error);

/**
 * Removes an observer. When this returns it is not called any more; from inside its own call it is the last one.
 * Removing twice does nothing.
 *
 * @param observer the observer
 *
 * Returns: PINVIEW_OK, or the status of the error.
 * After failure: nothing has changed.
 * Threads: any thread.
 * Cost: no statement.
 * Generation: neither.
 * Since: 0.1
 * Core Data: NotificationCenter.removeObserver(_:)
 * Ledger: NOT-13
 */
pinview_status pinview_observer_remove(pinview_observer *observer, pinview_error **error);

/**
 * Adds a reference to an observer. Each reference is released once.
 *
 * @param observer the handle; it stays the same
 *
 * Returns: PINVIEW_OK; PINVIEW_ERROR_INVALID_HANDLE, also when a handle has 16,777,215 references already.
 * After failure: nothing has changed.
 * Threads: any thread.
 * Cost: no statement.
 * Generation: neither.
 * Since: 0.1
 * Core Data: none.
 */
pinview_status pinview_observer_retain(pinview_observer *observer);

/**
 * Gives back one reference to an observer. The last one makes the handle invalid. Releasing does not remove it.
 *
 * @param observer the handle; NULL does nothing
 *
 * Returns: PINVIEW_OK; PINVIEW_ERROR_INVALID_HANDLE for a handle that was released already.
 * After failure: nothing has changed.
 * Threads: any thread.
 * Cost: no statement.
 * Generation: neither.
 * Since: 0.1
 * Core Data: none.
 */
pinview_status pinview_observer_release(pinview_observer *observer);

/**
 * Adds a reference to a notification. Each reference is released once.
 *
 * @param notification the handle; it stays the same
 *
 * Returns: PINVIEW_OK; PINVIEW_ERROR_INVALID_HANDLE, also when a handle has 16,777,215 references already.
 * After failure: nothing has changed.
 * Threads: any thread.
 * Cost: no statement.
 * Generation: neither.
 * Since: 0.1
 * Core Data: none.
 */
pinview_status pinview_notification_retain(pinview_notification *notification);

/**
 * Gives back one reference to a notification. The last one makes the handle invalid.
 *
 * @param notification the handle; NULL does nothing
 *
 * Returns: PINVIEW_OK; PINVIEW_ERROR_INVALID_HANDLE for a handle that was released already.
 * After failure: nothing has changed.
 * Threads: any thread.
 * Cost: no statement.
 * Generation: neither.
 * Since: 0.1
 * Core Data: none.
 */
pinview_status pinview_notification_release(pinview_notification *notification);

/**
 * The name. Cannot fail.
 *
 * @param notification the notification
 *
 * Returns: the text, borrowed from the notification; absent for no valid handle.
 * After failure: it cannot fail.
 * Threads: any thread.
 * Cost: no statement.
 * Generation: neither.
 * Since: 0.1
 * Core Data: none.
 */
pinview_string pinview_notification_name(const pinview_notification *notification);

/**
 * The context that posts.
 *
 * @param notification the notification
 * @param out the context, owned by the caller
 *
 * Returns: PINVIEW_OK, or the status of the error.
 * After failure: nothing has changed.
 * Threads: any thread.
 * Cost: no statement.
 * Generation: neither.
 * Since: 0.1
 * Core Data: Notification.object
 * Ledger: NOT-01
 */
pinview_status pinview_notification_context(
    const pinview_notification *notification, pinview_context **out, pinview_error **error);

/**
 * The objects under a key.
 *
 * @param notification the notification
 * @param key PINVIEW_..._OBJECTS_KEY
 * @param out the objects, owned by the caller; NULL when the key is absent
 *
 * Returns: PINVIEW_OK, or the status of the error.
 * After failure: nothing has changed.
 * Threads: any thread.
 * Cost: no statement.
 * Generation: neither.
 * Since: 0.1
 * Core Data: none.
 * Ledger: NOT-18
 */
pinview_status pinview_notification_objects(
    const pinview_notification *notification, pinview_string key, pinview_result **out, pinview_error **error);

/**
 * The IDs of the objects under a key; for any thread and later.
 *
 * @param notification the notification
 * @param key PINVIEW_..._OBJECTS_KEY
 * @param out the IDs, owned by the caller; NULL when the key is absent
 *
 * Returns: PINVIEW_OK, or the status of the error.
 * After failure: nothing has changed.
 * Threads: any thread.
 * Cost: no statement.
 * Generation: neither.
 * Since: 0.1
 * Core Data: none.
 * Ledger: NOT-10, NOT-15
 */
pinview_status pinview_notification_object_ids(
    const pinview_notification *notification, pinview_string key, pinview_result **out, pinview_error **error);

/**
 * In did-save of a context that was pinned: a generation that holds the save. It can be set on other contexts during
 * the call.
 *
 * @param notification the notification
 * @param out the token, owned by the caller; NULL when the key is absent
 *
 * Returns: PINVIEW_OK, or the status of the error.
 * After failure: nothing has changed.
 * Threads: any thread.
 * Cost: no statement.
 * Generation: neither.
 * Since: 0.1
 * Core Data: NSManagedObjectContextQueryGenerationKey
 * Ledger: NOT-16
 */
pinview_status pinview_notification_token(
    const pinview_notification *notification, pinview_token **out, pinview_error **error);

/**
 * Merges the changes of another context's save. May be called from any thread, also from a did-save observer and in any
 * pattern between contexts. When it returns the changes are merged, except in two cases, in which they are merged later,
 * on the context's queue, before any block that is put in from then on:
 * - The context is busy, and the thread that uses it waits, maybe through others, for a context that the calling thread
 *   is using, as when two contexts merge each other's saves and save at the same time. Waiting would never end.
 * - The context is a main-queue context, and the calling thread is not the main thread: the main thread merges when it
 *   drains its queue, and calls the observers.
 * The error of a merge that was put off comes out of the context's next pinview_context_save or
 * pinview_context_process_pending_changes, once, before that does anything.
 *
 * @param context the context
 * @param did_save a did-save notification
 *
 * Returns: PINVIEW_OK, or the status of the error.
 * After failure: nothing has changed.
 * Threads: any thread.
 * Cost: no statement.
 * Generation: advances a pinned context.
 * Since: 0.1
 * Core Data: mergeChanges(fromContextDidSave:)
 * Ledger: MRG-01 to MRG-06, QG-22, API-34, ONE-07, ONE-08
 */
pinview_status pinview_context_merge_changes(
    pinview_context *context, const pinview_notification *did_save, pinview_error **error);

/**
 * Merges changes that are known by their IDs, such as those of another process. At once or later, as
 * pinview_context_merge_changes.
 *
 * @param context the context
 * @param inserted IDs, or NULL
 * @param inserted_count how many
 * @param updated IDs, or NULL
 * @param updated_count how many
 * @param deleted IDs, or NULL
 * @param deleted_count how many
 *
 * Returns: PINVIEW_OK, or the status of the error.
 * After failure: nothing has changed.
 * Threads: any thread.
 * Cost: no statement.
 * Generation: advances a pinned context.
 * Since: 0.1
 * Core Data: mergeChanges(fromRemoteContextSave:into:)
 * Ledger: MRG-14
 */
pinview_status pinview_context_merge_object_ids(
    pinview_context *context, pinview_object_id *const *inserted, size_t inserted_count, pinview_object_id *const
    *updated, size_t updated_count, pinview_object_id *const *deleted, size_t deleted_count, pinview_error **error);

/**
 * Merges changes that are known by the URIs of their IDs, as another process sends them. Objects of stores that the context's
 * coordinator does not have are passed over.
 *
 * @param context the context
 * @param inserted URIs, or NULL
 * @param inserted_count how many
 * @param updated URIs, or NULL
 * @param updated_count how many
 * @param deleted URIs, or NULL
 * @param deleted_count how many
 *
 * Returns: PINVIEW_OK; PINVIEW_ERROR_INVALID_ARGUMENT for a text that is not a URI of a permanent ID, PINVIEW_ERROR_UNKNOWN_ENTITY.
 * After failure: nothing has changed.
 * Threads: any thread.
 * Cost: no statement.
 * Generation: advances a pinned context.
 * Since: 0.1
 * Core Data: mergeChanges(fromRemoteContextSave:into:)
 * Ledger: MRG-14
 */
pinview_status pinview_context_merge_uris(
    pinview_context *context, const pinview_string *inserted, size_t inserted_count, const pinview_string *updated,
    size_t updated_count, const pinview_string *deleted, size_t deleted_count, pinview_error **error);

/* ================================================================================================================
 * Results controllers
 *
 * A results controller keeps what a request finds in a context, in sections, and tells what changes (NSFetchedResultsController). It
 * follows the context's notifications: unsaved changes, merges (automatic ones, too), refreshes, rollbacks and resets, by judging changed
 * objects in memory; with a limit or an offset, without pending changes and after a reset it fetches anew. On a pinned context nothing
 * moves until the context does: when it is pinned to another generation, or has merged or saved, the controller fetches at the new
 * generation, refreshes the objects whose rows have changed, and tells exactly what is different. Setting the generation of a
 * context that has a controller is a read, for that reason. As in Core Data an object is judged again when it changes itself, not
 * when an object behind one of its relationships does.
 *
 * It keeps its context alive, and the objects that it holds.
 * ================================================================================================================ */

/* What happened to an object or a section (NSFetchedResultsChangeType). */
#define PINVIEW_RESULTS_INSERT ((int32_t)1)
#define PINVIEW_RESULTS_DELETE ((int32_t)2)
#define PINVIEW_RESULTS_MOVE ((int32_t)3)   /* of objects only: it stands elsewhere now, and may have changed in other ways, too */
#define PINVIEW_RESULTS_UPDATE ((int32_t)4) /* of objects only: it has changed, and stands where it stood among the others */

/* Where an object stands (NSIndexPath); both from 0. */
typedef struct pinview_index_path {
    uint64_t section;
    uint64_t item; /* its place in the section */
} pinview_index_path;

/* A section (NSFetchedResultsSectionInfo). Texts are borrowed from the controller until the same section is asked for again. */
typedef struct pinview_results_section {
    uint32_t struct_size; /* set by the caller: sizeof(pinview_results_section) */
    uint32_t reserved;    /* 0 */
    pinview_string name;        /* the value of the section key path as a text; empty for null, and for the only section without a key path */
    pinview_string index_title; /* the first letter of the name as a capital; absent for an empty name */
    uint64_t count;             /* how many objects it has */
} pinview_results_section;

/*
 * The callbacks of a controller. They run on the context's queue, before the call that brings the change about returns; what they are
 * given is borrowed for the call. Between will_change_content and did_change_content the single changes come in this order: deleted
 * sections (the last first), inserted sections (the first first), deleted objects (the last first), inserted objects (the first first),
 * moved objects, updated objects. `from` is a place before the change, as it was at will_change_content, `to` a place after it. So to
 * follow the controller: take out all deleted and moved objects, the last first; take out the deleted sections, the last first; put in
 * the inserted sections, the first first; put in the inserted and moved objects in the order of their new places. The objects of a
 * deleted section are deleted or moved each by itself, those of an inserted one inserted or moved.
 */
typedef void (*pinview_results_callback)(pinview_results_controller *controller, void *userdata);
/* `change`: PINVIEW_RESULTS_INSERT or PINVIEW_RESULTS_DELETE. */
typedef void (*pinview_results_section_callback)(
    pinview_results_controller *controller, pinview_string name, uint64_t section, int32_t change, void *userdata);
/* `from` is NULL for an inserted object, `to` for a deleted one. `change`: PINVIEW_RESULTS_... */
typedef void (*pinview_results_object_callback)(
    pinview_results_controller *controller, pinview_object *object, const pinview_index_path *from, const pinview_index_path *to,
    int32_t change, void *userdata);
/* A change could not be followed, since the store could not be read. The controller keeps its old content, and fetches everything anew at
 * the next change. */
typedef void (*pinview_results_error_callback)(
    pinview_results_controller *controller, const pinview_error *failure, void *userdata);

/* Each may be NULL. */
typedef struct pinview_results_callbacks {
    uint32_t struct_size; /* set by the caller: sizeof(pinview_results_callbacks) */
    uint32_t reserved;    /* 0 */
    pinview_results_callback will_change_content; /* the controller has its old content still */
    pinview_results_section_callback did_change_section;
    pinview_results_object_callback did_change_object;
    pinview_results_callback did_change_content;
    pinview_results_error_callback did_fail;
} pinview_results_callbacks;

/**
 * Makes a controller. It has no content before pinview_results_controller_perform_fetch.
 *
 * @param context the context; kept alive
 * @param request for objects, with one sort descriptor at least; copied. With a batch size values are loaded only for the
 *   objects that are used, unless there are sections
 * @param section_name_key_path an attribute, maybe behind to-one relationships, whose values are the names of sections; the
 *   request is sorted by it first. Absent for a single section
 * @param out the controller, owned by the caller
 *
 * Returns: PINVIEW_OK, or the status of the error: PINVIEW_ERROR_INVALID_ARGUMENT for a request without an order or for
 *   something else than objects.
 * After failure: nothing has changed.
 * Threads: any thread.
 * Cost: no statement.
 * Generation: neither.
 * Since: 0.1
 * Core Data: init(fetchRequest:managedObjectContext:sectionNameKeyPath:cacheName:). There is no cache: the sections are made of
 *   values that are loaded anyway
 */
pinview_status pinview_results_controller_create(
    pinview_context *context, const pinview_fetch_request *request, pinview_string section_name_key_path,
    pinview_results_controller **out, pinview_error **error);

/**
 * Adds a reference to a results controller. Each reference is released once.
 *
 * @param controller the handle; it stays the same
 *
 * Returns: PINVIEW_OK; PINVIEW_ERROR_INVALID_HANDLE, also when a handle has 16,777,215 references already.
 * After failure: nothing has changed.
 * Threads: any thread.
 * Cost: no statement.
 * Generation: neither.
 * Since: 0.1
 * Core Data: none.
 */
pinview_status pinview_results_controller_retain(pinview_results_controller *controller);

/**
 * Gives back one reference to a results controller. The last one makes the handle invalid. Then its callbacks have ended.
 *
 * @param controller the handle; NULL does nothing
 *
 * Returns: PINVIEW_OK; PINVIEW_ERROR_INVALID_HANDLE for a handle that was released already.
 * After failure: nothing has changed.
 * Threads: any thread.
 * Cost: no statement.
 * Generation: neither.
 * Since: 0.1
 * Core Data: none.
 */
pinview_status pinview_results_controller_release(pinview_results_controller *controller);

/**
 * Fetches, and follows the context from now on. It may be called again; the callbacks are not.
 *
 * @param controller the controller
 *
 * Returns: PINVIEW_OK, or the status of the error: as pinview_context_fetch; PINVIEW_ERROR_INVALID_ARGUMENT when the objects of
 *   a section do not stand together.
 * After failure: nothing has changed.
 * Threads: context rule.
 * Cost: one statement per store; loads the values of all objects.
 * Generation: a read: fixes a pin that has not been used yet.
 * Since: 0.1
 * Core Data: performFetch()
 */
pinview_status pinview_results_controller_perform_fetch(pinview_results_controller *controller, pinview_error **error);

/**
 * Sets the callbacks, in the place of those from before. NULL ends them: none runs any more when the call returns, unless it is
 * made by that very one.
 *
 * @param controller the controller
 * @param callbacks copied; NULL for none
 * @param userdata given to them
 * @param free_userdata called when the callbacks have ended; may be NULL
 *
 * Returns: PINVIEW_OK, or the status of the error.
 * After failure: userdata stays the caller's.
 * Threads: any thread.
 * Cost: no statement.
 * Generation: neither.
 * Since: 0.1
 * Core Data: delegate
 */
pinview_status pinview_results_controller_set_callbacks(
    pinview_results_controller *controller, const pinview_results_callbacks *callbacks, void *userdata,
    pinview_free_callback free_userdata, pinview_error **error);

/**
 * All objects in order, as they are now. PINVIEW_ERROR_INVALID_ARGUMENT before the first fetch.
 *
 * @param controller the controller
 * @param out the objects, owned by the caller
 *
 * Returns: PINVIEW_OK, or the status of the error.
 * After failure: nothing has changed.
 * Threads: context rule.
 * Cost: no statement.
 * Generation: neither.
 * Since: 0.1
 * Core Data: fetchedObjects
 */
pinview_status pinview_results_controller_objects(
    pinview_results_controller *controller, pinview_result **out, pinview_error **error);

/**
 * How many objects there are. PINVIEW_ERROR_INVALID_ARGUMENT before the first fetch.
 *
 * @param controller the controller
 * @param out the number
 *
 * Returns: PINVIEW_OK, or the status of the error.
 * After failure: nothing has changed.
 * Threads: context rule.
 * Cost: no statement.
 * Generation: neither.
 * Since: 0.1
 * Core Data: fetchedObjects
 */
pinview_status pinview_results_controller_count(pinview_results_controller *controller, uint64_t *out, pinview_error **error);

/**
 * How many sections there are; without a section key path one, which may be empty. PINVIEW_ERROR_INVALID_ARGUMENT before the
 * first fetch.
 *
 * @param controller the controller
 * @param out the number
 *
 * Returns: PINVIEW_OK, or the status of the error.
 * After failure: nothing has changed.
 * Threads: context rule.
 * Cost: no statement.
 * Generation: neither.
 * Since: 0.1
 * Core Data: sections
 */
pinview_status pinview_results_controller_section_count(
    pinview_results_controller *controller, uint64_t *out, pinview_error **error);

/**
 * What a section is called, and how many objects it has. PINVIEW_ERROR_INVALID_ARGUMENT before the first fetch.
 *
 * @param controller the controller
 * @param index from 0
 * @param out filled up to its struct_size
 *
 * Returns: PINVIEW_OK, or the status of the error.
 * After failure: nothing has changed.
 * Threads: context rule.
 * Cost: no statement.
 * Generation: neither.
 * Since: 0.1
 * Core Data: sections
 */
pinview_status pinview_results_controller_section(
    pinview_results_controller *controller, uint64_t index, pinview_results_section *out, pinview_error **error);

/**
 * The objects of a section in order, as they are now. PINVIEW_ERROR_INVALID_ARGUMENT before the first fetch.
 *
 * @param controller the controller
 * @param index from 0
 * @param out the objects, owned by the caller
 *
 * Returns: PINVIEW_OK, or the status of the error.
 * After failure: nothing has changed.
 * Threads: context rule.
 * Cost: no statement.
 * Generation: neither.
 * Since: 0.1
 * Core Data: sections
 */
pinview_status pinview_results_controller_section_objects(
    pinview_results_controller *controller, uint64_t index, pinview_result **out, pinview_error **error);

/**
 * The section that an entry of an index of the sections leads to: the first one with that index_title.
 * PINVIEW_ERROR_INVALID_ARGUMENT before the first fetch.
 *
 * @param controller the controller
 * @param title the title; PINVIEW_ERROR_INVALID_ARGUMENT when no section has it
 * @param out the index of the section
 *
 * Returns: PINVIEW_OK, or the status of the error.
 * After failure: nothing has changed.
 * Threads: context rule.
 * Cost: no statement.
 * Generation: neither.
 * Since: 0.1
 * Core Data: section(forSectionIndexTitle:at:)
 */
pinview_status pinview_results_controller_section_for_index_title(
    pinview_results_controller *controller, pinview_string title, uint64_t *out, pinview_error **error);

/**
 * The object at a place. PINVIEW_ERROR_INVALID_ARGUMENT before the first fetch.
 *
 * @param controller the controller
 * @param section from 0; PINVIEW_ERROR_INVALID_ARGUMENT for a place that does not exist
 * @param item its place in the section, from 0
 * @param out the object, owned by the caller
 *
 * Returns: PINVIEW_OK, or the status of the error.
 * After failure: nothing has changed.
 * Threads: context rule.
 * Cost: no statement.
 * Generation: neither.
 * Since: 0.1
 * Core Data: object(at:)
 */
pinview_status pinview_results_controller_object(
    pinview_results_controller *controller, uint64_t section, uint64_t item, pinview_object **out, pinview_error **error);

/**
 * Where an object stands. PINVIEW_ERROR_INVALID_ARGUMENT before the first fetch.
 *
 * @param controller the controller
 * @param object the object
 * @param out the place; both members are UINT64_MAX when it is not among the objects, and after a failure
 *
 * Returns: PINVIEW_OK, or the status of the error.
 * After failure: nothing has changed.
 * Threads: context rule.
 * Cost: no statement.
 * Generation: neither.
 * Since: 0.1
 * Core Data: indexPath(forObject:)
 */
pinview_status pinview_results_controller_index_path(
    pinview_results_controller *controller, pinview_object *object, pinview_index_path *out, pinview_error **error);

/* ================================================================================================================
 * Who holds the journal
 *
 * What keeps a store's journal from being copied into its file: the generations of this process with the contexts on
 * them, and the read marks of other processes. A report is a snapshot and immutable; making one runs no statement, locks
 * nothing and changes nothing.
 * ================================================================================================================ */

/* One store of a report. Texts are borrowed from the report. */
typedef struct pinview_journal_store {
    uint32_t struct_size;           /* set by the caller: sizeof(pinview_journal_store) */
    int32_t is_open_here;           /* 0 when the file was looked at from outside: no generations and no counts then */
    pinview_string path;            /* absolute */
    pinview_string text;            /* the report as a table for people; not stable */
    pinview_string sqlite_version;  /* of the SQLite of this process */
    int32_t has_wal_reset_bug;      /* whether that has the WAL-reset bug of sqlite.org/wal.html, which the library keeps clear of */
    uint32_t page_size;             /* bytes; a frame of the journal is 24 bytes longer */
    int64_t store_bytes;
    int64_t journal_bytes;          /* of the journal file, which may have room left over from before */
    uint32_t frames;                /* committed pages in the journal */
    uint32_t copied_frames;         /* those of them that are in the store's file already */
    uint32_t reclaimable_frames;    /* those that the next checkpoint can copy, given everybody's read marks */
    uint32_t read_marks;            /* which read marks somebody holds: 1 << number */
    uint64_t generation_count;
    uint64_t waiting_context_count; /* contexts of the coordinator that pin the newest generation at their next read */
    uint64_t process_count;
    uint64_t pins;                  /* from here on counts since this process opened the file; this: generations taken */
    uint64_t shared_pins;           /* generations asked for that were there already */
    uint64_t adoptions;             /* generations taken over by the token of another process */
    uint64_t advances;              /* contexts that were pinned and moved to another generation */
    uint64_t reads;                 /* times that a generation was read */
    uint64_t reader_waits;          /* reads that had to wait for a reader */
    uint64_t checkpoints;
    uint64_t busy_checkpoints;      /* those of them that somebody was in the way of */
    uint64_t detaches;              /* generations copied aside */
    uint64_t lost;                  /* generations found lost */
} pinview_journal_store;

/* A generation that lives in this process. */
typedef struct pinview_journal_generation {
    uint32_t struct_size;      /* set by the caller: sizeof(pinview_journal_generation) */
    int32_t is_newest;
    int32_t is_detached;       /* copied aside: it holds the journal no more */
    int32_t read_mark;         /* the number of the one that it holds, 0 to 4; -1 for none */
    uint64_t ordinal;          /* rises with each newer generation */
    double age;                /* seconds since it was taken */
    uint32_t frame;            /* the last frame that belongs to it */
    uint32_t frames_held_back; /* frames that cannot be copied into the store's file as long as it lives */
    int64_t bytes_held_back;   /* the same in bytes of the journal */
    uint64_t readers_open;     /* connections that show it, at work or idle */
    uint64_t context_count;    /* contexts that are pinned to it; 0 while only a running read keeps it */
} pinview_journal_generation;

/* A context of a report. Texts are borrowed from the report. */
typedef struct pinview_journal_context {
    uint32_t struct_size;              /* set by the caller: sizeof(pinview_journal_context) */
    int32_t concurrency_type;          /* PINVIEW_CONCURRENCY_… */
    pinview_string name;               /* absent for none */
    pinview_string transaction_author; /* absent for none */
    pinview_string thread;             /* "private queue", "main thread", or "thread" and the kernel's number */
    int32_t is_pinned;                 /* 0: its next read pins */
    int32_t reserved;                  /* 0 */
} pinview_journal_context;

/* A process that has the store's file open. The text is borrowed from the report. */
typedef struct pinview_journal_process {
    uint32_t struct_size;   /* set by the caller: sizeof(pinview_journal_process) */
    int32_t identifier;     /* -1 for a process that cannot be seen from here */
    pinview_string command; /* what it calls itself; absent when that cannot be seen */
    uint32_t read_marks;    /* which read marks it holds: 1 << number */
    int32_t is_this_process;
    int32_t is_writing;
    int32_t is_checkpointing;
} pinview_journal_process;

/* What a journal event tells. */
#define PINVIEW_JOURNAL_BUDGET_EXCEEDED ((int32_t)1) /* the policy is to warn */
#define PINVIEW_JOURNAL_DETACHED ((int32_t)2)        /* the generations were copied aside */
#define PINVIEW_JOURNAL_DETACH_FAILED ((int32_t)3)   /* they could not be, or another program holds the journal as well; it will be tried again */

/* News of a journal that generations other than the newest have made too long, or have held back for too long. Texts are
 * borrowed for the time of the call. */
typedef struct pinview_journal_event {
    uint32_t struct_size;  /* set by the library */
    int32_t kind;          /* PINVIEW_JOURNAL_... */
    pinview_string path;   /* of the store's file, absolute */
    int64_t journal_bytes; /* of the journal's frames when it was found too long */
    int64_t budget_bytes;
    int64_t copy_bytes;    /* of the copy's files; 0 without one */
    uint64_t generations;  /* how many held the journal, or were copied aside */
    pinview_string reason; /* why a copy failed, or which programs hold the journal; else absent */
} pinview_journal_event;

/* Called on a thread of the library, for one event at a time; the library's checkpoints wait for it. */
typedef void (*pinview_journal_callback)(const pinview_journal_event *event, void *userdata);

/**
 * Sets the function that is told when generations other than the newest make the journal of a store too long, or hold it back
 * for too long (PINVIEW_STORE_OPTION_JOURNAL_BUDGET_POLICY and the options next to it): when they were copied aside, when that
 * failed, or, with the policy "warn", that it is so. Neither a warning nor a failure is told again before the journal has doubled.
 *
 * @param coordinator the coordinator
 * @param callback NULL for none. The one before is not called any more when this returns, unless this is called by it
 * @param userdata passed to the callback
 * @param free_userdata called when nobody can call the callback any more: it was replaced, or the coordinator is gone; may be NULL
 *
 * Returns: PINVIEW_OK, or the status of the error.
 * After failure: nothing has changed.
 * Threads: any thread.
 * Cost: no statement; a callback that is running on another thread is waited for.
 * Generation: neither.
 * Since: 0.1
 * Core Data: none.
 */
pinview_status pinview_coordinator_set_journal_callback(
    pinview_coordinator *coordinator, pinview_journal_callback callback, void *userdata, pinview_free_callback free_userdata,
    pinview_error **error);

/**
 * Who holds the journals of a coordinator's stores.
 *
 * @param coordinator the coordinator
 * @param out the report, owned by the caller: an entry for each store in WAL mode, in order
 *
 * Returns: PINVIEW_OK, or the status of the error.
 * After failure: nothing has changed.
 * Threads: any thread.
 * Cost: no statement; some system calls for each store.
 * Generation: neither.
 * Since: 0.1
 * Core Data: none.
 */
pinview_status pinview_coordinator_journal_report(
    pinview_coordinator *coordinator, pinview_journal_report **out, pinview_error **error);

/**
 * Who holds the journals of a coordinator's stores, as a table for people. The text is not stable.
 *
 * @param coordinator the coordinator
 * @param buffer where the text goes; it is valid until its next use
 * @param out the text; empty when no store is in WAL mode
 *
 * Returns: PINVIEW_OK, or the status of the error.
 * After failure: nothing has changed.
 * Threads: any thread.
 * Cost: no statement; some system calls for each store.
 * Generation: neither.
 * Since: 0.1
 * Core Data: none.
 */
pinview_status pinview_coordinator_journal_report_text(
    pinview_coordinator *coordinator, pinview_buffer *buffer, pinview_string *out, pinview_error **error);

/**
 * Who holds the journal of any SQLite file in WAL mode, seen from outside: it is not opened as a database, so no pin of any
 * process is disturbed. PINVIEW_ERROR_STORE_OPEN for a file that is missing, cannot be read or is no database,
 * PINVIEW_ERROR_STORE_OPERATION when it is not in WAL mode.
 *
 * @param path the file
 * @param out the report, owned by the caller: one entry
 *
 * Returns: PINVIEW_OK, or the status of the error.
 * After failure: nothing has changed.
 * Threads: any thread.
 * Cost: no statement; some system calls. A journal that no process has open is read from end to end.
 * Generation: neither.
 * Since: 0.1
 * Core Data: none.
 */
pinview_status pinview_journal_report_create_for_file(
    pinview_string path, pinview_journal_report **out, pinview_error **error);

/**
 * Adds a reference to a report. Each reference is released once.
 *
 * @param report the handle; it stays the same
 *
 * Returns: PINVIEW_OK; PINVIEW_ERROR_INVALID_HANDLE, also when a handle has 16,777,215 references already.
 * After failure: nothing has changed.
 * Threads: any thread.
 * Cost: no statement.
 * Generation: neither.
 * Since: 0.1
 * Core Data: none.
 */
pinview_status pinview_journal_report_retain(pinview_journal_report *report);

/**
 * Gives back one reference to a report. The last one makes the handle invalid.
 *
 * @param report the handle; NULL does nothing
 *
 * Returns: PINVIEW_OK; PINVIEW_ERROR_INVALID_HANDLE for a handle that was released already.
 * After failure: nothing has changed.
 * Threads: any thread.
 * Cost: no statement.
 * Generation: neither.
 * Since: 0.1
 * Core Data: none.
 */
pinview_status pinview_journal_report_release(pinview_journal_report *report);

/**
 * How many stores a report is about. Cannot fail.
 *
 * @param report the report
 *
 * Returns: the number; 0 for a handle that is not good.
 * After failure: it cannot fail.
 * Threads: any thread.
 * Cost: no statement.
 * Generation: neither.
 * Since: 0.1
 * Core Data: none.
 */
uint64_t pinview_journal_report_store_count(const pinview_journal_report *report);

/**
 * One store of a report.
 *
 * @param report the report
 * @param index from 0
 * @param out a struct whose struct_size is set; unchanged on failure
 *
 * Returns: PINVIEW_OK, or the status of the error.
 * After failure: nothing has changed.
 * Threads: any thread.
 * Cost: no statement.
 * Generation: neither.
 * Since: 0.1
 * Core Data: none.
 */
pinview_status pinview_journal_report_store(
    const pinview_journal_report *report, uint64_t index, pinview_journal_store *out, pinview_error **error);

/**
 * One generation of a store, the oldest first.
 *
 * @param report the report
 * @param store_index of the store
 * @param index from 0
 * @param out a struct whose struct_size is set; unchanged on failure
 *
 * Returns: PINVIEW_OK, or the status of the error.
 * After failure: nothing has changed.
 * Threads: any thread.
 * Cost: no statement.
 * Generation: neither.
 * Since: 0.1
 * Core Data: none.
 */
pinview_status pinview_journal_report_generation(
    const pinview_journal_report *report, uint64_t store_index, uint64_t index, pinview_journal_generation *out, pinview_error
    **error);

/**
 * One context of a generation, of whatever coordinator, or one that waits to pin.
 *
 * @param report the report
 * @param store_index of the store
 * @param generation_index of the generation; generation_count of the store for the contexts that pin at their next read
 * @param index from 0
 * @param out a struct whose struct_size is set; unchanged on failure
 *
 * Returns: PINVIEW_OK, or the status of the error.
 * After failure: nothing has changed.
 * Threads: any thread.
 * Cost: no statement.
 * Generation: neither.
 * Since: 0.1
 * Core Data: none.
 */
pinview_status pinview_journal_report_context(
    const pinview_journal_report *report, uint64_t store_index, uint64_t generation_index, uint64_t index, pinview_journal_context
    *out, pinview_error **error);

/**
 * One process that has a store's file open, as far as the operating system tells.
 *
 * @param report the report
 * @param store_index of the store
 * @param index from 0
 * @param out a struct whose struct_size is set; unchanged on failure
 *
 * Returns: PINVIEW_OK, or the status of the error.
 * After failure: nothing has changed.
 * Threads: any thread.
 * Cost: no statement.
 * Generation: neither.
 * Since: 0.1
 * Core Data: none.
 */
pinview_status pinview_journal_report_process(
    const pinview_journal_report *report, uint64_t store_index, uint64_t index, pinview_journal_process *out, pinview_error **error);

/**
 * The last frame that readers of a read mark may see. Cannot fail.
 *
 * @param report the report
 * @param store_index of the store
 * @param number 1 to 4; readers of number 0 take nothing from the journal
 *
 * Returns: the frame; 0 when nobody holds the mark.
 * After failure: it cannot fail.
 * Threads: any thread.
 * Cost: no statement.
 * Generation: neither.
 * Since: 0.1
 * Core Data: none.
 */
uint32_t pinview_journal_report_read_mark_frame(const pinview_journal_report *report, uint64_t store_index, int32_t number);

/* ================================================================================================================
 * SQL log
 *
 * Every statement that goes to SQLite, one line each, beginning with "CoreData: sql: ". Off by default; on with the
 * launch argument -com.apple.CoreData.SQLDebug 1, with PINVIEW_SQL_DEBUG=1, or by call.
 *
 * A line ends, as a comment of SQL, with the name of the store's file, what the connection is for (writer, reader; probe: finds
 * the newest state; anchor: holds the pins) and the state that it reads (a generation, by its ordinal as in
 * pinview_journal_generation; newest; transaction: what it has changed itself and not committed):
 *
 *     CoreData: sql: SELECT ... FROM ZPERSON -- people.sqlite, reader, generation 17
 *
 * Only the line of the journal mode reads as Core Data's: CoreData: sql: pragma journal_mode=wal. A checkpoint is written as
 * the statement that would do the same, with what came of it.
 * ================================================================================================================ */

/* Gets a line, without its end, on the thread that runs the statement, in the middle of it: the callback cannot use the library. A call
 * in it is PINVIEW_ERROR_INVALID_ARGUMENT, or does nothing where it has no status; what is released in it ends a little later. */
typedef void (*pinview_log_callback)(pinview_string line, void *userdata);

/**
 * Switches the log. Cannot fail.
 *
 * @param is_on 0 or 1
 *
 * Returns: nothing.
 * After failure: it cannot fail.
 * Threads: any thread.
 * Cost: no statement.
 * Generation: neither.
 * Since: 0.1
 * Core Data: none.
 * Ledger: STO-03, EX-28
 */
void pinview_sql_log_set_enabled(int32_t is_on);

/**
 * Whether the log is on. Cannot fail.
 *
 * Returns: 1 or 0.
 * After failure: it cannot fail.
 * Threads: any thread.
 * Cost: no statement.
 * Generation: neither.
 * Since: 0.1
 * Core Data: none.
 */
int32_t pinview_sql_log_is_enabled(void);

/**
 * Says who gets the lines instead of standard error.
 *
 * @param callback NULL for standard error
 * @param userdata given to it
 * @param free_userdata called when another callback has replaced this one; may be NULL
 *
 * Returns: PINVIEW_OK, or the status of the error.
 * After failure: userdata stays the caller's.
 * Threads: any thread.
 * Cost: no statement.
 * Generation: neither.
 * Since: 0.1
 * Core Data: none.
 * Ledger: STO-03
 */
pinview_status pinview_sql_log_set_callback(
    pinview_log_callback callback, void *userdata, pinview_free_callback free_userdata, pinview_error **error);

#ifdef __cplusplus
}
#endif

#endif /* PINVIEW_H */
