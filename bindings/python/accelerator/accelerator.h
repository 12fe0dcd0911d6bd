/* The types that the hot paths of the Python package share: blocks, what has been read of them, and
 * objects.
 *
 *       Object                        View                        Clock
 *      ┌─────────────┬───────┐       ┌─────────────────────┐     ┌────────────────┐
 *      │ view_number │ place │──────►│ columns, by index   │────►│ count, version │
 *      └─────────────┴───────┘       │ of the property     │     └────────────────┘
 *       8 bytes and the header       │ ┌───┬───┬───┬───┐   │      valid while the context's
 *                                    │ │   │   │ ▲ │   │   │      change counter, *count,
 *                                    │ └───┴───┴─│─┴───┘   │      equals version
 *                                    └───────── place ─────┘
 *
 * Each type and function that the package uses also exists in Python, with the same names and the
 * same behaviour, for interpreters that cannot use this module; see pinview/_objects/hot_paths.py.
 * The library itself is loaded by ctypes, and its functions are passed here as addresses. All code
 * runs with the interpreter's lock held, except for calls of the library.
 */

#ifndef PINVIEW_ACCELERATOR_H
#define PINVIEW_ACCELERATOR_H

/* One build serves every version of CPython from 3.10 on. */
#define Py_LIMITED_API 0x030A0000
#define PY_SSIZE_T_CLEAN
#include <Python.h>
#include <structmember.h>

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include <pinview_binding.h>

/* The library's name of an object consists of the number of a block and a place in it. */
#define PLACE_BITS 12
#define PLACE_MASK ((UINT64_C(1) << PLACE_BITS) - 1)

/* How the values of a property are represented in cells. */
enum kind {
    KIND_INTEGER = 'q',
    KIND_DOUBLE = 'r',
    KIND_FLOAT = 'f', /* a double here, which stores may round */
    KIND_BOOLEAN = '?',
    KIND_TEXT = 't',
    KIND_URI = 'u', /* a string here */
    KIND_DATE = 'd',
    KIND_OTHER = 'x', /* not in cells */
    KIND_RELATIONSHIP = 'o',
};

/* A context's change counter, in the library's memory, and its value when something was read. */
typedef struct {
    PyObject_HEAD
    const uint64_t *count; /* NULL: never valid */
    int64_t version;
    bool is_current; /* it is the one of its counter that clock_of() knows */
    PyObject *destinations;
} Clock;

/* The properties of an entity: their names, and the representations of their values. */
typedef struct {
    PyObject_HEAD
    PyObject *indexes; /* by name */
    struct place_of_name *places; /* a table of the names by their addresses, `mask` + 1 of them */
    size_t mask;
    char *kinds;
    Py_ssize_t count;
} Layout;

typedef struct Object Object;

/* The living objects of a block by place, and what is needed to read and write them. */
typedef struct {
    PyObject_HEAD
    uint64_t number;
    pinview_object_block *handle;
    long pid;
    const uint64_t *changes;
    const uint64_t *cache_changes; /* NULL if nothing changes it */
    char any_thread, is_loose;
    Layout *layout;
    PyObject *entity, *kind;
    PyObject *plain_kind; /* borrowed: the kind, if its objects have no other members than Object */
    PyObject *current;    /* a weak reference to the view to read from, or None */
    PyObject *handles;
    Clock *clock;
    Object **objects; /* borrowed: an object removes itself when it is freed */
    uint32_t count, capacity;
    uint64_t missed_version; /* the change counter at the last misses, and how many there were */
    uint32_t misses;
} Places;

/* The common start of View and ViewOfOne. */
typedef struct {
    PyObject_VAR_HEAD
    Places *block; /* NULL in the view of objects that have been closed */
    Clock *clock;
    uint32_t number; /* by which objects refer to it; 0 while none does */
} AnyView;

/* Columns of a block. */
typedef struct View {
    PyObject_VAR_HEAD
    Places *block;
    Clock *clock;
    uint32_t number;
    struct View *next;
    PyObject **columns; /* by the index of the property; NULL: not read */
    Py_ssize_t column_count;
    PyObject *unknown, *faults, *fired, *keys_of, *hierarchies;
    uint64_t cache_version;
    PyObject *weak_references;
} View;

/* What has been read of a single object: its row, and values set since. */
typedef struct {
    PyObject_VAR_HEAD
    Places *block;
    Clock *clock; /* NEVER, since there are no columns */
    uint32_t number;
    uint16_t at;
    bool has_row;
    Clock *own;
    PyObject *known; /* values by name; NULL if there are none */
    PyObject *keys_of;
    uint64_t row[]; /* states, which fill whole words and are near what is read with them; cells; texts */
} ViewOfOne;

/* An object of a context. */
struct Object {
    PyObject_HEAD
    uint32_t view_number; /* of a View or ViewOfOne, which this owns; see view_of() */
    uint32_t place;
    PyObject *weak_references;
};

/* A handle of the library, and the process that it belongs to. */
typedef struct {
    PyObject_HEAD
    PyObject *weak_references;
    PyObject *handle, *process;
} HandleOwner;

/* The descriptor of a property. It caches the last entity and class. */
typedef struct {
    PyObject_HEAD
    PyObject *name;
    Layout *layout; /* of the last entity, and the index of the property in it */
    Py_ssize_t index;
    PyTypeObject *kind; /* the class of the last object, which is a class of objects */
    PyObject *on_class; /* what the class shows instead of the descriptor, or NULL */
} Attribute;

/* The values of one property by place, decoded when they are asked for. */
typedef struct {
    PyObject_HEAD
    PyObject *list;  /* replaces the cells when a value that is set does not fit into them */
    void *cells;     /* for strings their offsets, otherwise the values, of `width` bytes each */
    uint8_t *states; /* NULL: no value is NULL */
    char *texts;
    uint32_t count;
    char kind;
    uint8_t width;
} Values;

extern PyTypeObject *clock_type, *layout_type, *places_type, *view_type, *view_of_one_type, *object_type, *values_type, *attribute_type,
    *handle_owner_type;

/* The clock that is never valid. */
extern Clock *never;

/* What the package has passed to this module; see connect() in module.c. */
extern struct connection {
    PyObject *pending_releases;       /* names of objects to release */
    PyObject *pending_fires;      /* weak references to views with faults that were read */
    PyObject *pending_exceptions;    /* by thread: exceptions of callbacks */
    PyObject *unresolved; /* stands for a destination that has not been asked for */
    PyObject *closed;     /* the view of objects that have been closed */
    PyObject *callbacks;  /* by thread: how many callbacks it is in */
    PyObject *flush, *failed, *get_attribute, *set_attribute, *read_values, *write;
    PyObject *datetime, *utc, *date_of_seconds, *uuid_of_bytes;
    long process;
    bool checks_queues;
    pinview_status (*set_value)(pinview_object_block *, int32_t, uint32_t, const pinview_value *, pinview_error **);
    pinview_status (*object_row)(pinview_context *, const pinview_object_id *, int32_t, pinview_object_row *, pinview_error **);
    pinview_status (*result_row)(pinview_result *, uint64_t, pinview_object_row *, pinview_error **);
    pinview_status (*related_row)(pinview_object_block *, int32_t, uint32_t, pinview_object_row *, pinview_error **);
    pinview_status (*block_row)(pinview_object_block *, uint32_t, pinview_object_row *, pinview_error **);
    pinview_status (*object_id_release)(pinview_object_id *);
    int32_t (*fire)(pinview_object_block *, const uint32_t *, size_t);
    pinview_status (*insert_row)(pinview_context *, pinview_string, const int32_t *, const pinview_value *, size_t, pinview_object_row *,
                                 pinview_error **);
} package;

static inline bool is_valid(const Clock *clock) {
    return clock->count != NULL && __atomic_load_n(clock->count, __ATOMIC_ACQUIRE) == (uint64_t)clock->version;
}

static inline bool is_of(const void *object, PyTypeObject *type) {
    return Py_TYPE((PyObject *)object) == type;
}

/* view_numbers.c */
extern AnyView **views;
int put_view(Object *target, AnyView *view);
void end_number(AnyView *view);

/* A borrowed reference; NULL for an object that no context has made. */
static inline AnyView *view_of(const Object *target) {
    return target->view_number == 0 ? NULL : views[target->view_number];
}

/* clock.c: clock_of() returns a new reference; set_clock() gives a block the clock for a value of its
 * change counter, and returns 0, or -1 with an exception */
Clock *clock_of(const uint64_t *address, uint64_t version);
int set_clock(Places *block, uint64_t version);

/* dates.c: datetimes in UTC, from the time since 1970, and since the library's reference date, the
 * beginning of 2001. NULL with an exception. */
#define REFERENCE_MICROSECONDS (INT64_C(978307200) * 1000000)
PyObject *moment_of_microseconds(int64_t microseconds);
PyObject *moment_of_seconds(double seconds);

/* layout.c: the index of a property; -1 without an exception if there is none of that name */
Py_ssize_t index_of(Layout *layout, PyObject *name);

/* values.c: decodes cells; `texts` is the memory of strings. NULL with an exception. */
PyObject *value_of_cell(char kind, uint64_t cell, const char *texts);
PyObject *value_at(PyObject *column, Py_ssize_t place);
int set_value_at(PyObject *column, Py_ssize_t place, PyObject *value);

/* view.c: what both kinds of views have in common. current_view() is the view to read from, a
 * borrowed reference or NULL. */
bool is_view(PyObject *object);
PyObject *any_block(AnyView *self, void *unused);
PyObject *any_clock(AnyView *self, void *unused);
View *current_view(Places *block);
int note_read(View *view, int64_t place);
bool is_fault(const View *view, int64_t place);
ViewOfOne *view_of_one(Places *block, uint32_t place, const uint64_t *room, size_t text_size);
int know(ViewOfOne *view, PyObject *name, PyObject *value);

/* How many words the states of a row take. */
static inline size_t words_of_states(const Layout *layout) {
    return ((size_t)layout->count + 7) / 8;
}

/* A new reference; NULL without an exception if the value is not known. The layout is that of the
 * view's block. */
static inline PyObject *value_in_row(const ViewOfOne *view, const Layout *layout, Py_ssize_t index, PyObject *name) {
    if (view->known != NULL) {
        PyObject *value = PyDict_GetItemWithError(view->known, name);
        if (value != NULL || PyErr_Occurred()) {
            Py_XINCREF(value);
            return value;
        }
    }
    if (!view->has_row || index < 0 || index >= layout->count || layout->kinds[index] == KIND_OTHER ||
        layout->kinds[index] == KIND_RELATIONSHIP) {
        return NULL;
    }
    uint8_t state = ((const uint8_t *)view->row)[index];
    if (state == PINVIEW_COLUMN_NULL) {
        Py_RETURN_NONE;
    }
    if (state == PINVIEW_COLUMN_UNKNOWN) {
        return NULL;
    }
    const uint64_t *cells = view->row + words_of_states(layout);
    return value_of_cell(layout->kinds[index], cells[index], (const char *)(cells + layout->count));
}

/* object.c */
void track(PyObject *target);
int queue_release(uint64_t name);

/* properties.c: fill_cell() encodes a value for the library, and is false without an exception if
 * that is left to the package. values_of() returns several attributes as a tuple, or NULL. */
bool fill_cell(pinview_value *cell, PyObject *value);
PyObject *values_of(Object *target, PyObject *const *names, Py_ssize_t count);
int set_attribute(Attribute *self, Object *target, PyObject *value);

/* The object at a place, a borrowed reference; NULL if there is none, or if it is being freed. */
static inline Object *living_object(const Places *block, uint32_t place) {
    Object *known = place < block->count ? block->objects[place] : NULL;
    return known != NULL && Py_REFCNT((PyObject *)known) > 0 ? known : NULL;
}

/* places.c: block_of_number() returns a borrowed reference, or NULL without an exception;
 * new_object() returns a new reference. takes_single_miss() counts a miss after which a
 * single object is read; false, and not counted, when the package is to read whole columns again. */
Places *block_of_number(uint64_t number);
Object *new_object(Places *block, AnyView *view, uint32_t place);
void leave_place(Places *block, Object *target);
bool takes_single_miss(Places *block);

/* lookups.c: loose_view() reads a single object, and returns its view as a new reference.
 * object_of_id() returns the object of an ID, a new reference, and the change counter for which that
 * is valid, or 0. It takes handles as the package has them. */
AnyView *loose_view(Places *block, uint32_t place);
bool is_lookups(PyObject *object);
PyObject *object_of_id(PyObject *lookups, PyObject *context, PyObject *id, bool loads, uint64_t *changes);

/* handle_owner.c: what frees a HandleOwner */
void free_handle_owner(HandleOwner *self);

/* calls.c: what has to be done before a call, and checking its outcome; 0, or -1 with an exception */
int flush_pending(void);
int flush_fires(void);
int check_call(pinview_status status, pinview_error *error);

/* Functions on hot paths take their arguments as an array, which needs no tuple and no format. */
typedef PyObject *(*fast_function)(PyObject *self, PyObject *const *arguments, Py_ssize_t count);
#define FAST(function) ((PyCFunction)(void (*)(void))(fast_function)(function)), METH_FASTCALL

/* Checks the number of arguments and the types of the first two; NULL allows any type. False with
 * an exception. */
bool takes(const char *function, PyObject *const *arguments, Py_ssize_t count, Py_ssize_t wanted, PyTypeObject *first, PyTypeObject *second);

/* Add types and functions to the module; 0, or -1 with an exception. */
int add_calls(PyObject *module);
int add_clock(PyObject *module);
int add_layout(PyObject *module);
int add_values(PyObject *module);
int add_view(PyObject *module);
int add_view_of_one(PyObject *module);
int add_places(PyObject *module);
int add_object(PyObject *module);
int add_properties(PyObject *module);
int add_lookups(PyObject *module);
int add_handle_owner(PyObject *module);
int add_lookup_cache(PyObject *module);
int add_function(PyObject *module);
int add_rows(PyObject *module);

/* Make a type from its specification and add it to the module; NULL with an exception. */
PyTypeObject *add_type(PyObject *module, PyType_Spec *spec);
PyTypeObject *add_subtype(PyObject *module, PyType_Spec *spec, PyTypeObject *base);

#endif
