/* Models as Core Data compiles them, and stores as it writes them, made without the library. */
#ifndef PINVIEW_TESTS_CORE_DATA_H
#define PINVIEW_TESTS_CORE_DATA_H

#include "support.h"

/* An attribute, or a relationship if it has a destination. All are optional. */
typedef struct {
    const char *name;
    int type;           /* of an attribute: Core Data's number */
    const char *former; /* the renaming identifier, or NULL */
    const char *destination, *inverse;
    int is_to_many;
} compiled_property;

typedef struct {
    const char *name;
    uint8_t mark; /* the version hash is 32 such bytes */
    compiled_property properties[6];
} compiled_entity;

typedef struct {
    const char *name, *identifier;
    compiled_entity entities[4];
} compiled_model;

/* Makes a .momd with these versions in the folder of the test. The last one is the current one. */
void write_bundle(const char *folder, const compiled_model *versions, size_t count);

/* Makes a store of the model, without its tables: the statements make those. With a model cache, or
 * an empty one. */
void write_core_data_store(const char *path, const compiled_model *model, int has_cache, const char *statements);

#endif
