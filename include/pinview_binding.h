/*
 * pinview_binding.h - functions for language bindings. THERE IS NO PROMISE OF STABILITY: everything
 * in this file may change or disappear in any version, without notice. C programs do not need it;
 * pinview.h does not include it. A binding that uses it must be built and shipped together with the
 * library it was built against.
 *
 * In some languages a call costs more than what it does. A block names many objects of one entity
 * at once, and reads a property of all of them in one call; the binding then answers from memory
 * as long as nothing has changed, which it can tell without a call. docs/bindings.md describes the
 * protocol: what a binding may cache, what makes it invalid, who owns what, and in which order
 * things are released.
 *
 * The defaults at the top of pinview.h hold here, too. Functions that take a block follow the
 * context rule.
 */
#ifndef PINVIEW_BINDING_H
#define PINVIEW_BINDING_H

#include "pinview.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ============================================================================================== */

/**
 * @defgroup pinview-blocks Blocks of objects
 *
 * A block holds objects of one entity and one context. Each has a name: the number of the block
 * times 4096 plus its place in the block. No two names stand for the same object. What was read is
 * valid as long as the context's count of changes stays the same, which is read from memory. A
 * block does not keep its context alive.
 * @{
 */

/** Objects of one entity that are read together. */
typedef struct pinview_object_block pinview_object_block;

/** A flag of pinview_context_fetch_columns: only if objects of the context would have the values
 * that are stored. Otherwise out->release is NULL, and there is no error: the context has a parent,
 * or an object of the entity's hierarchy, or an entity of the model has hooks. */
#define PINVIEW_FETCH_COLUMNS_IF_SHOWN UINT32_C(2147483648)

/** The largest number of objects in a block. */
#define PINVIEW_OBJECT_BLOCK_LIMIT ((int32_t)1024)

/** What is known of an object in a column. PINVIEW_COLUMN_FAULT is a bit that may be added. */
PINVIEW_ENUM_OF(uint8_t) {
    PINVIEW_COLUMN_UNKNOWN = 0, /**< nothing: read the object by itself */
    PINVIEW_COLUMN_NULL = 1,    /**< it has no value, or no destination */
    PINVIEW_COLUMN_VALUE = 2,
    PINVIEW_COLUMN_FAULT = 4    /**< the object is still a fault; see pinview_object_block_fire */
};
typedef uint8_t pinview_column_state; /**< PINVIEW_COLUMN_... */

/** What a column contains. */
PINVIEW_ENUM_OF(uint32_t) {
    PINVIEW_COLUMN_HAS_NULLS = 1,
    PINVIEW_COLUMN_HAS_FAULTS = 2,
    PINVIEW_COLUMN_HAS_UNKNOWN = 4,
    PINVIEW_COLUMN_HAS_NUL = 8,   /**< a text contains a NUL byte: find texts by their offsets */
    PINVIEW_COLUMN_IS_ASCII = 16, /**< no text has a byte above 127 */
    /** the destinations are of several hierarchies or stores: their keys do not tell them apart */
    PINVIEW_COLUMN_IS_MIXED = 32
};
typedef uint32_t pinview_column_flags; /**< PINVIEW_COLUMN_HAS_..., PINVIEW_COLUMN_IS_... */

/** What belongs to a block. The pointers are valid as long as the block is. */
typedef struct pinview_object_block_info {
    uint32_t struct_size; /**< sizeof(pinview_object_block_info) */
    int32_t entity;       /**< [out] the index of the entity in the model */
    uint64_t number;      /**< [out] the number of the block, which is part of its objects' names */
    /** [out] the context's count of changes; it increases before anything that objects show may
     * change */
    const uint64_t *changes;
    /** [out] increases when faults that are shown along with other objects might now be filled with
     * other rows, because of what other contexts did; NULL if that cannot happen */
    const uint64_t *cache_changes;
    /** [out] 0 if a program that shows what was read earlier must check that it is on the right
     * thread */
    int32_t is_for_any_thread;
    int32_t reserved;     /**< [out] 0 */
} pinview_object_block_info;

/** One property of the objects of a block. The memory belongs to the buffer. */
typedef struct pinview_column {
    uint32_t struct_size;       /**< sizeof(pinview_column) */
    pinview_column_flags flags; /**< [out] PINVIEW_COLUMN_HAS_... */
    /** [out] PINVIEW_VALUE_BOOLEAN, _INTEGER, _DOUBLE, _STRING, _DATE or _OBJECT_ID (keys of
     * destinations): see `cells`; PINVIEW_VALUE_LIST: see `values` */
    pinview_value_type type;
    /** [out] the number of places in the block; places that were given back are unknown */
    int32_t count;
    /** [out] the count of changes that the column belongs to; 0 if it is valid for this moment
     * only */
    uint64_t changes;
    /** [out] the value of *cache_changes (pinview_object_block_info) that the faults in the column
     * belong to; 0 if they depend on none */
    uint64_t cache_changes;
    int64_t hierarchy;          /**< [out] for keys: what they are unique in */
    const uint8_t *states;      /**< [out] for each place, PINVIEW_COLUMN_... */
    /** [out] for each place 8 bytes: an int64_t, a double, or a key; for texts, the offset in
     * `texts` times 2^32 plus the size */
    const void *cells;
    /** [out] a text for each place, each followed by a NUL; empty for places without one */
    const char *texts;
    size_t text_size;           /**< [out] of all texts with their NULs */
    /** [out] for each place; NULL unless the type is PINVIEW_VALUE_LIST */
    const pinview_value *values;
} pinview_column;

/** An object and those of its values that are available without a read. After a failure, what the
 * call fills is 0. */
typedef struct pinview_object_row {
    uint32_t struct_size;           /**< sizeof(pinview_object_row) */
    /** [out] PINVIEW_COLUMN_HAS_NULLS, _HAS_UNKNOWN, _HAS_NUL; _HAS_FAULTS: there are no values, as
     * the object is a fault */
    pinview_column_flags flags;
    /** names to give back first, as pinview_object_block_drop does; NULL for none */
    const uint64_t *dropped;
    size_t dropped_count;
    /** the object is named in the first of these that has room for it; NULL for none */
    pinview_object_block *const *blocks;
    size_t block_count;
    /** where the values go: for each property of the entity 8 bytes, as in the cells of a
     * pinview_column; then for each a byte, PINVIEW_COLUMN_UNKNOWN, _NULL or _VALUE; then for each
     * text attribute, in order, the text and a NUL, empty for one without a value. Relationships,
     * and attributes that no cell can hold, are unknown */
    void *room;
    /** texts that do not fit into the room are unknown; if it is too small for anything, nothing is
     * filled in */
    size_t room_size;
    size_t text_size;               /**< [out] of all texts with their NULs */
    uint64_t name;                  /**< [out] the name of the object */
    /** [out] the count of changes that all of this belongs to; 0 if it is valid for this moment
     * only */
    uint64_t changes;
    /** [out] the block that was created for it, owned by the caller; NULL if none was needed */
    pinview_object_block *block;
    pinview_object_block_info info; /**< [out] filled if a block was created */
} pinview_object_row;

/**
 * @name Retain and release
 *
 * As for all handles; see "Retain and release" in pinview.h.
 * @{
 */

/** Adds a reference, or drops one. */
pinview_status pinview_object_block_retain(pinview_object_block *block);
pinview_status pinview_object_block_release(pinview_object_block *block);
/** @} */

/**
 * Names objects of a result. Objects in a block already keep their names, and count once more
 * there. Of the others, those of the same entity as the first one go into a new block; call again
 * until no name is 0.
 *
 * @param first the index of the first object
 * @param names the name of each object; 0 on input for those to be named, others are skipped
 * @param out the new block; NULL if none was needed
 * @param info filled if a block was created
 */
pinview_status pinview_result_object_block(
    pinview_result *result, uint64_t first, size_t count, uint64_t *names,
    pinview_object_block **out, pinview_object_block_info *info, pinview_error **error);

/**
 * Like pinview_result_object_block, for objects that there are handles of. The handles remain the
 * caller's.
 *
 * @param names the name of each object; 0 on input for those to be named, others are skipped
 * @param out the new block; NULL if none was needed
 * @param info filled if a block was created
 * Threads: any thread.
 */
pinview_status pinview_objects_object_block(
    pinview_object *const *objects, size_t count, uint64_t *names, pinview_object_block **out,
    pinview_object_block_info *info, pinview_error **error);

/** Returns a handle of an object.
 * @param place its place in the block
 * Threads: any thread. */
pinview_status pinview_object_block_object(
    pinview_object_block *block, uint32_t place, pinview_object **out, pinview_error **error);

/** Gives objects back, as often as their places are listed. An object that was given back as often
 * as it was named loses its name and the block's reference to it. Places without an object are
 * skipped.
 * Threads: any thread. */
void pinview_object_block_drop(pinview_object_block *block, const uint32_t *places, size_t count);

/**
 * Reads a property of one object, as pinview_object_value_at does, and of the others in the block
 * what is available without a read: the values of objects that are not faults and, for faults, the
 * rows they would be filled with, if firing them means no more than that. Such faults are not
 * fired: a binding that shows one of them calls pinview_object_block_fire before anything else is
 * done with the context. In a context that is not pinned each fault is a read of its own, of the
 * newest known row, as if it had been fired; pinview_result_load gives all objects values from one
 * state first.
 *
 * @param index the index of an attribute or a to-one relationship in the entity's properties
 * @param place the place of the object
 * @param alone 1 to read this object only
 * Cost: none, unless a fault has to be read.
 * Generation: reads.
 */
pinview_status pinview_object_block_column(
    pinview_object_block *block, int32_t index, uint32_t place, int32_t alone,
    pinview_buffer *buffer, pinview_column *out, pinview_error **error);

/**
 * Fires the faults of objects whose values were shown from a column, with the rows that were shown.
 * A fault that cannot be fired stays one, and reports why when it is used.
 *
 * @return 1; 0 if another thread is using the context and nothing was done, since waiting for it
 *     might never end
 * Threads: any thread.
 */
int32_t pinview_object_block_fire(
    pinview_object_block *block, const uint32_t *places, size_t count);

/**
 * Names the destination of a to-one relationship of one object.
 *
 * @param index the index of the relationship in the entity's properties
 * @param place the place of the object
 * @param name the name of the destination; 0 for none
 * @param out a new block with the destination; NULL if it had a name
 * @param info filled if a block was created
 * Cost: none, unless the object is a fault that has to be read.
 * Generation: reads.
 */
pinview_status pinview_object_block_related_object(
    pinview_object_block *block, int32_t index, uint32_t place, uint64_t *name,
    pinview_object_block **out, pinview_object_block_info *info, pinview_error **error);

/**
 * Returns the members of a to-many relationship of one object, in order if it is ordered, followed
 * by those of the objects at the following places as far as that takes no statement. Before a
 * binding shows the members of one of these, it calls pinview_object_block_confirm_related_objects.
 *
 * @param index the index of the relationship in the entity's properties
 * @param place the place of the object
 * @param counts the number of members of each object, beginning with that at `place`
 * @param owner_count on input the room in counts, at least 1; on output how many of them are filled
 * @param out the members of all of them, owned by the caller
 * Cost: one statement at the first access, for several objects of the block if they are read in
 *     order.
 * Generation: reads.
 * Core Data: value(forKey:)
 */
pinview_status pinview_object_block_related_objects(
    pinview_object_block *block, int32_t index, uint32_t place, int32_t *counts,
    size_t *owner_count, pinview_result **out, pinview_error **error);

/**
 * Reads a to-many relationship of one object whose members the last call of
 * pinview_object_block_related_objects has returned along with those of an earlier object.
 *
 * @param index the index of the relationship in the entity's properties
 * @param place the place of the object
 * @param out 1 if its members are those; 0 if they are others by now
 * Cost: none, unless something has changed.
 * Generation: reads.
 * Core Data: value(forKey:)
 */
pinview_status pinview_object_block_confirm_related_objects(
    pinview_object_block *block, int32_t index, uint32_t place, int32_t *out,
    pinview_error **error);

/**
 * Returns whether an object is a member of a to-many relationship of one object; see
 * pinview_object_contains_related_object.
 *
 * @param index the index of the relationship in the entity's properties
 * @param place the place of the owner
 * @param member the name of the object
 * Generation: reads.
 */
pinview_status pinview_object_block_contains_related_object(
    pinview_object_block *block, int32_t index, uint32_t place, uint64_t member, int32_t *out,
    pinview_error **error);

/**
 * Adds members to a to-many relationship of one object, or removes them; see
 * pinview_object_add_related_object and pinview_object_remove_related_object. After a failure, the
 * members before the faulty one have been added or removed.
 *
 * @param index the index of the relationship in the entity's properties
 * @param place the place of the owner
 * @param members the names of the members
 * Generation: reads.
 */
pinview_status pinview_object_block_add_related_objects(
    pinview_object_block *block, int32_t index, uint32_t place, const uint64_t *members,
    size_t count, pinview_error **error);
pinview_status pinview_object_block_remove_related_objects(
    pinview_object_block *block, int32_t index, uint32_t place, const uint64_t *members,
    size_t count, pinview_error **error);

/**
 * Sets a property of one object; see pinview_object_set_value_at.
 *
 * @param index the index of the property in the entity's properties
 * @param place the place of the object
 * Cost: none, unless the object is a fault that has to be read.
 * Generation: reads.
 * Core Data: setValue(_:forKey:)
 */
pinview_status pinview_object_block_set_value(
    pinview_object_block *block, int32_t index, uint32_t place, const pinview_value *value,
    pinview_error **error);

/**
 * Returns attributes and the IDs of to-one destinations of one object; see pinview_object_values.
 *
 * @param place the place of the object
 * @param indexes indexes of properties in the entity's properties
 * @param out room for count values
 * @param changes the count of changes that the values belong to, 0 if they are valid for this
 *     moment only; may be NULL
 * Cost: none, unless the object is a fault that has to be read.
 * Generation: reads.
 */
pinview_status pinview_object_block_values(
    pinview_object_block *block, uint32_t place, const int32_t *indexes, size_t count,
    pinview_buffer *buffer, pinview_value *out, uint64_t *changes, pinview_error **error);

/**
 * Returns the object of an ID: its name, and its values that are available. `dropped` is given back
 * even if the call fails.
 *
 * @param loads 1 to load its values, as pinview_context_existing_object does; 0 for
 *     pinview_context_object
 * Cost: none if loads is 0 or the values are in memory, else one statement.
 * Generation: reads, if loads is 1.
 * Core Data: existingObject(with:), object(with:)
 */
pinview_status pinview_context_object_row(
    pinview_context *context, const pinview_object_id *object_id, int32_t loads,
    pinview_object_row *row, pinview_error **error);

/**
 * Returns an object of a result: its name, and its values that are available. `dropped` is given
 * back even if the call fails.
 *
 * @param index the index of the object
 * @param row as for pinview_context_object_row
 * Cost: none; with a batch size, a statement per page.
 * Generation: reads, if there is a batch size.
 */
pinview_status pinview_result_object_row(
    pinview_result *result, uint64_t index, pinview_object_row *row, pinview_error **error);

/**
 * Returns the values of one object, which is not a fault afterwards.
 *
 * @param place the place of the object
 * @param row room is used; flags, text_size and changes are filled
 * Cost: none, unless the object is a fault that has to be read.
 * Generation: reads.
 */
pinview_status pinview_object_block_row(
    pinview_object_block *block, uint32_t place, pinview_object_row *row, pinview_error **error);

/**
 * Returns the destination of a to-one relationship of one object: its name, and its values that are
 * available. `dropped` is given back even if the call fails.
 *
 * @param index the index of the relationship in the entity's properties
 * @param place the place of the object
 * @param row as for pinview_context_object_row; its name is 0 if there is no destination
 * Cost: none, unless the object is a fault that has to be read.
 * Generation: reads.
 */
pinview_status pinview_object_block_related_row(
    pinview_object_block *block, int32_t index, uint32_t place, pinview_object_row *row,
    pinview_error **error);

/**
 * Inserts a new object with values for some of its properties; see
 * pinview_context_insert_new_object and pinview_object_set_value_at. Returns its name and its
 * values. `dropped` is given back even if the call fails. If a value is refused, nothing is
 * inserted.
 *
 * @param entity the name of the entity
 * @param indexes indexes of properties in the entity's properties
 * @param values a value for each of them
 * @param row as for pinview_context_object_row
 * Cost: none.
 * Core Data: NSEntityDescription.insertNewObject(forEntityName:into:)
 */
pinview_status pinview_context_insert_row(
    pinview_context *context, pinview_string entity, const int32_t *indexes,
    const pinview_value *values, size_t count, pinview_object_row *row, pinview_error **error);

/**
 * Marks many objects for deletion at the next save; see pinview_context_delete_objects. After a
 * failure, the objects before the faulty one are marked.
 *
 * Cost: one row for each object that is a fault.
 * Generation: reads if it does.
 * Core Data: delete(_:), for each
 */
pinview_status pinview_context_delete_named(
    pinview_context *context, const uint64_t *names, size_t count, pinview_error **error);

/**
 * Marks one object for deletion at the next save; see pinview_context_delete.
 *
 * @param place the place of the object
 * @param context the context of the object
 * Cost: none, unless the object is a fault that has to be read.
 * Core Data: delete(_:)
 */
pinview_status pinview_object_block_delete(
    pinview_object_block *block, uint32_t place, pinview_context *context, pinview_error **error);

/** @} */

#ifdef __cplusplus
}
#endif

#endif /* PINVIEW_BINDING_H */
