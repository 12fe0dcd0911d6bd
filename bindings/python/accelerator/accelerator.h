/* What the hot paths of the Python package share: the types that stand for blocks, what was read of them, and objects.
 *
 * Each type here has a twin in Python, with the same names and the same behaviour, which is used where this module cannot be: see
 * pinview/_implementation.py. The library itself is loaded by ctypes; its functions come here as addresses. Everything runs under the
 * interpreter's lock, but for the calls of the library.
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

/* A name of the library is the number of a block and a place in it. */
#define PLACE_BITS 12
#define PLACE_MASK ((UINT64_C(1) << PLACE_BITS) - 1)

/* How the values of a property lie in cells. */
enum kind {
    KIND_INTEGER = 'q',
    KIND_DOUBLE = 'r',
    KIND_FLOAT = 'f', /* a double here, which a store may round */
    KIND_BOOLEAN = '?',
    KIND_TEXT = 't',
    KIND_URI = 'u', /* a text here */
    KIND_DATE = 'd',
    KIND_OTHER = 'x', /* in no cell */
    KIND_RELATIONSHIP = 'o',
};

/* A context's count of changes, in the library's memory, and the count up to which what was read holds. */
typedef struct {
    PyObject_HEAD
    const uint64_t *count; /* NULL: it never holds */
    int64_t version;
    PyObject *destinations;
} Clock;

/* The properties of an entity: their names, and the kinds of their values. */
typedef struct {
    PyObject_HEAD
    PyObject *indexes; /* by name */
    char *kinds;
    Py_ssize_t count;
} Layout;

typedef struct Object Object;

/* The living objects of a block by place, and what reading and writing them needs. */
typedef struct {
    PyObject_HEAD
    uint64_t number;
    pinview_object_block *handle;
    long pid;
    const uint64_t *changes;
    const uint64_t *cache_changes; /* NULL where nothing moves it */
    char any_thread, is_loose;
    Layout *layout;
    PyObject *entity, *kind;
    PyObject *plain_kind; /* the kind, when its objects have nothing but what they need themselves; not counted */
    PyObject *current; /* a weak reference to the view that is read from, or None */
    PyObject *handles;
    Clock *clock;
    Object **objects; /* not counted: an object that goes leaves its place */
    uint32_t count, capacity;
} Places;

/* What a View and a ViewOfOne begin with. */
typedef struct {
    PyObject_VAR_HEAD
    Places *block; /* NULL in the view of objects that were closed */
    Clock *clock;
    uint32_t number; /* by which objects have it; 0 as long as none has */
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
    PyObject *unknown, *faults, *shown, *keys_of, *hierarchies;
    uint64_t cache_version;
    PyObject *weak_references;
} View;

/* What is known of one object that was read by itself: its row as the library gave it, and what was set or made of it since. */
typedef struct {
    PyObject_VAR_HEAD
    Places *block;
    Clock *clock; /* NEVER: columns of it there are none */
    uint32_t number;
    int32_t at;
    Clock *own;
    PyObject *known; /* by name; NULL for nothing */
    PyObject *keys_of;
    bool has_row;
    uint64_t row[];
} ViewOfOne;

/* What an object of a context is in memory. */
struct Object {
    PyObject_HEAD
    uint32_t view_number; /* of a View or a ViewOfOne, which is counted; see view_of() */
    uint32_t place;
    PyObject *weak_references;
};

/* A property of an entity as an attribute of its objects. */
typedef struct {
    PyObject_HEAD
    PyObject *name;
    Layout *layout; /* of the entity that was asked about last, and the index there */
    Py_ssize_t index;
    PyTypeObject *kind; /* the class of the object that was asked about last: a class of objects */
} Attribute;

/* The values of one property by place, decoded when they are asked for. */
typedef struct {
    PyObject_HEAD
    PyObject *list; /* when they could not stay as they came */
    void *cells;    /* of texts where they begin, of all others the values, each of `width` bytes */
    uint8_t *states; /* NULL: none is nothing */
    char *texts;
    uint32_t count;
    char kind;
    uint8_t width;
} Values;

extern PyTypeObject *clock_type, *layout_type, *places_type, *view_type, *view_of_one_type, *object_type, *values_type, *attribute_type;

/* The one that never holds. */
extern Clock *never;

/* What the package has given this module; see connect() in module.c. */
extern struct connection {
    PyObject *gone;       /* names that are owed to the library */
    PyObject *shown;      /* weak references to views with faults that were shown */
    PyObject *pending;    /* by thread what callbacks have raised */
    PyObject *unresolved; /* stands for a destination that nobody has asked for */
    PyObject *closed;     /* the view of objects that were closed */
    PyObject *settle, *settle_shown, *failed, *missing, *set, *write;
    PyObject *datetime, *utc, *date_of_seconds, *uuid_of_bytes;
    long process;
    bool checks_queues;
    pinview_status (*set_value)(pinview_object_block *, int32_t, uint32_t, const pinview_value *, pinview_error **);
    pinview_status (*object_row)(pinview_context *, const pinview_object_id *, int32_t, pinview_object_row *, pinview_error **);
    pinview_status (*related_row)(pinview_object_block *, int32_t, uint32_t, pinview_object_row *, pinview_error **);
    pinview_status (*block_row)(pinview_object_block *, uint32_t, pinview_object_row *, pinview_error **);
} package;

static inline bool clock_holds(const Clock *clock) {
    return clock->count != NULL && __atomic_load_n(clock->count, __ATOMIC_ACQUIRE) == (uint64_t)clock->version;
}

static inline bool is_of(const void *object, PyTypeObject *type) {
    return Py_TYPE((PyObject *)object) == type;
}

/* view_numbers.c */
extern AnyView **views;
int put_view(Object *target, AnyView *view);
void end_number(AnyView *view);

/* Not counted; NULL for an object that no context has made. */
static inline AnyView *view_of(const Object *target) {
    return target->view_number == 0 ? NULL : views[target->view_number];
}

/* clock.c */
Clock *clock_of(const uint64_t *address, uint64_t version);

/* dates.c: moments in UTC, since 1970, and since the beginning of 2001, which is the library's reference date; NULL with an exception */
#define REFERENCE_MICROSECONDS (INT64_C(978307200) * 1000000)
PyObject *moment_of_microseconds(int64_t microseconds);
PyObject *moment_of_seconds(double seconds);

/* layout.c: the index of a property, or -1 without an error when there is none of that name */
Py_ssize_t index_of(Layout *layout, PyObject *name);

/* values.c: a value of a cell; texts are where `texts` says. NULL with an error */
PyObject *value_of_cell(char kind, uint64_t cell, const char *texts);
PyObject *value_at(PyObject *column, Py_ssize_t place);
int set_value_at(PyObject *column, Py_ssize_t place, PyObject *value);

/* view.c: what views of both kinds have in common, and the view in which others of a block are read: not counted, NULL for none */
bool is_view(PyObject *object);
PyObject *any_block(AnyView *self, void *unused);
PyObject *any_clock(AnyView *self, void *unused);
View *current_view(Places *block);
int show_fault(View *view, int64_t place);
bool is_fault(const View *view, int64_t place);
ViewOfOne *view_of_one(Places *block, int32_t place, const void *room, size_t size);
PyObject *value_in_row(ViewOfOne *view, Py_ssize_t index, PyObject *name);
int know(ViewOfOne *view, PyObject *name, PyObject *value);

/* object.c */
void track(PyObject *target);
int give_back(uint64_t name);

/* properties.c */
int set_attribute(Attribute *self, Object *target, PyObject *value);

/* places.c: the block of a number, not counted, NULL without an error when there is none; and objects, as new references */
Places *block_of_number(uint64_t number);
Object *new_object(Places *block, AnyView *view, uint32_t place);
Object *living_object(Places *block, uint32_t place);
void leave_place(Places *block, Object *target);

/* look_ups.c: reads one object by itself, and gives its view as a new reference */
AnyView *loose_view(Places *block, uint32_t place);

/* failure.c: what has to be said before a call, and what comes of one; 0, or -1 with an exception */
int settle_debts(void);
int settle_shown_faults(void);
int check_call(pinview_status status, pinview_error *error);

/* Functions on hot paths take their arguments as an array, without a tuple and without a format. */
typedef PyObject *(*fast_function)(PyObject *self, PyObject *const *arguments, Py_ssize_t count);
#define FAST(function) ((PyCFunction)(void (*)(void))(fast_function)(function)), METH_FASTCALL

/* Whether a function was given as many as it takes, the first ones of these types, with an exception if not; NULL for any type. */
bool takes(const char *function, PyObject *const *arguments, Py_ssize_t count, Py_ssize_t wanted, PyTypeObject *first, PyTypeObject *second);

/* Each adds its types to the module. */
int add_clock(PyObject *module);
int add_layout(PyObject *module);
int add_values(PyObject *module);
int add_view(PyObject *module);
int add_view_of_one(PyObject *module);
int add_places(PyObject *module);
int add_object(PyObject *module);
int add_properties(PyObject *module);
int add_look_ups(PyObject *module);
int add_found(PyObject *module);
int add_function(PyObject *module);
int add_rows(PyObject *module);

/* Makes a type from its description and adds it to the module; NULL with an exception. */
PyTypeObject *add_type(PyObject *module, PyType_Spec *spec);

#endif
