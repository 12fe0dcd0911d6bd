/* Looking up objects one at a time: one call returns the object's name together with its values. */

#include "accelerator.h"

#define ROOM_SIZE (1 << 16)
#define MAX_DROPPED 64
#define MAX_BLOCKS 16
#define MAX_FREE 8
#define MAX_VALUES 64

/* Looks up objects of a context, and keeps the blocks that receive them one at a time. */
typedef struct {
    PyObject_HEAD
    PyObject *held; /* a tuple of the blocks that have room for more objects */
} Lookups;

/* What one call needs. */
typedef struct {
    pinview_object_row row;
    uint64_t dropped[MAX_DROPPED];
    pinview_object_block *blocks[MAX_BLOCKS];
    PyObject *held;
    uint64_t room[ROOM_SIZE / sizeof(uint64_t)];
} Reader;

static PyTypeObject *lookups_type;

/* Readers that are not in use. Each call takes one out, so threads and callbacks never share one. */
static Reader *free_readers[MAX_FREE];
static int free_count;

static Reader *take_reader(void) {
    if (free_count > 0) {
        return free_readers[--free_count];
    }
    Reader *made = PyMem_Calloc(1, sizeof *made);
    if (made == NULL) {
        PyErr_NoMemory();
        return NULL;
    }
    made->row.struct_size = sizeof made->row;
    made->row.dropped = made->dropped;
    made->row.blocks = made->blocks;
    made->row.room = made->room;
    made->row.room_size = ROOM_SIZE;
    return made;
}

static void return_reader(Reader *reader) {
    Py_CLEAR(reader->held);
    if (free_count < MAX_FREE) {
        free_readers[free_count++] = reader;
    } else {
        PyMem_Free(reader);
    }
}

/* The block of a name, usually one that the reader holds. A borrowed reference; NULL without an
 * exception if there is none. */
static Places *block_of_name(Reader *reader, uint64_t name) {
    for (Py_ssize_t index = 0; index < (Py_ssize_t)reader->row.block_count; index++) {
        Places *block = (Places *)PyTuple_GetItem(reader->held, index);
        if (block->number == name >> PLACE_BITS) {
            return block;
        }
    }
    return block_of_number(name >> PLACE_BITS);
}

/* Has a call name objects in these blocks, and keeps them alive during the call. */
static int hold_blocks(Reader *reader, PyObject *held) {
    Py_ssize_t count = held == NULL || !PyTuple_Check(held) ? 0 : PyTuple_Size(held);
    if (count > MAX_BLOCKS) {
        PyErr_SetString(PyExc_ValueError, "too many blocks");
        return -1;
    }
    for (Py_ssize_t index = 0; index < count; index++) {
        PyObject *block = PyTuple_GetItem(held, index);
        if (!PyObject_TypeCheck(block, places_type)) {
            PyErr_SetString(PyExc_TypeError, "expected blocks");
            return -1;
        }
        reader->blocks[index] = ((Places *)block)->handle;
    }
    reader->row.block_count = (size_t)count;
    if (count > 0) {
        Py_INCREF(held);
        reader->held = held;
    }
    return 0;
}

/* Whether releasing an object concerns only the library. */
static bool is_simple(Places *block, uint32_t place) {
    if (block == NULL || (block->handles != NULL && PyDict_Size(block->handles) > 0)) {
        return false;
    }
    /* A column must not keep the destinations of an object alive that is gone. */
    View *view = block->is_loose || living_object(block, place) != NULL ? NULL : current_view(block);
    return view == NULL || PyDict_Size(view->keys_of) == 0;
}

/* Has a call release what Python has let go of. Objects that concern Python too are flushed. */
static int take_releases(Reader *reader) {
    reader->row.dropped_count = 0;
    Py_ssize_t count;
    while ((count = PyList_Size(package.pending_releases)) > 0) {
        uint64_t name = PyLong_AsUnsignedLongLong(PyList_GetItem(package.pending_releases, count - 1));
        if (!is_simple(block_of_name(reader, name), (uint32_t)(name & PLACE_MASK)) || reader->row.dropped_count == MAX_DROPPED) {
            return flush_pending();
        }
        if (PyList_SetSlice(package.pending_releases, count - 1, count, NULL) < 0) {
            return -1;
        }
        reader->dropped[reader->row.dropped_count++] = name;
    }
    return 0;
}

/* A view of one object with the values that a call has filled in; a new reference. */
static AnyView *view_of_row(Places *block, uint32_t place, const Reader *reader) {
    if (set_clock(block, reader->row.changes) < 0) {
        return NULL;
    }
    if (block->clock == never || reader->row.flags & PINVIEW_COLUMN_HAS_FAULTS || !block->any_thread || package.checks_queues) {
        return (AnyView *)view_of_one(block, place, NULL, 0);
    }
    ViewOfOne *view = view_of_one(block, place, reader->room, reader->row.text_size);
    if (view != NULL) {
        Py_INCREF(block->clock);
        Py_DECREF((PyObject *)view->own);
        view->own = block->clock;
    }
    return (AnyView *)view;
}

/* The object that a call has named; a new reference. */
static Object *named_object(Places *block, uint64_t name, const Reader *reader) {
    uint32_t place = (uint32_t)(name & PLACE_MASK);
    Object *target = living_object(block, place);
    if (target == NULL) {
        AnyView *view = view_of_row(block, place, reader);
        target = view == NULL ? NULL : new_object(block, view, place);
        Py_XDECREF((PyObject *)view);
        return target;
    }
    Py_INCREF(target);
    ViewOfOne *former = (ViewOfOne *)view_of(target);
    AnyView *view = NULL;
    bool is_stale = is_of(former, view_of_one_type) && !is_valid(former->own);
    if (queue_release(name) < 0 || (is_stale && (view = view_of_row(block, place, reader)) == NULL)) {
        Py_DECREF(target);
        return NULL;
    }
    if (view != NULL && put_view(target, view) < 0) {
        Py_CLEAR(target);
    }
    return target;
}

enum look_up { OF_CONTEXT, OF_RESULT, OF_RELATIONSHIP };

static pinview_status call_look_up(enum look_up kind, uint64_t first, uint64_t second, uint64_t third, Reader *reader, pinview_error **error) {
    if (kind == OF_CONTEXT) {
        return package.object_row((pinview_context *)(uintptr_t)first, (const pinview_object_id *)(uintptr_t)second, (int32_t)third,
                                  &reader->row, error);
    }
    if (kind == OF_RESULT) {
        return package.result_row((pinview_result *)(uintptr_t)first, second, &reader->row, error);
    }
    return package.related_row((pinview_object_block *)(uintptr_t)first, (int32_t)second, (uint32_t)third, &reader->row, error);
}

/* The object that a call has filled in, a new reference. Clears `is_named` if it has to be looked
 * up again. */
static PyObject *taken_object(Lookups *self, Reader *reader, bool *is_named) {
    uint64_t name = reader->row.name;
    if (name == 0) {
        Py_RETURN_NONE;
    }
    Places *block;
    if (reader->row.block != NULL) {
        block = (Places *)PyObject_CallMethod((PyObject *)self, "_open", "KK", (unsigned long long)(uintptr_t)reader->row.block,
                                              (unsigned long long)(uintptr_t)&reader->row.info);
    } else {
        block = block_of_name(reader, name);
        Py_XINCREF((PyObject *)block);
    }
    if (block != NULL) {
        PyObject *target = (PyObject *)named_object(block, name, reader);
        Py_DECREF(block);
        return target;
    }
    if (PyErr_Occurred()) {
        return NULL;
    }
    /* It was named before, in another block. None while another thread makes or releases that
     * block. */
    PyObject *target = PyObject_CallMethod((PyObject *)self, "_named", "K", (unsigned long long)name);
    *is_named = target != Py_None;
    return target;
}

/* The object that a function of the library names, or None, and the change counter for which that
 * is valid; 0 for never. */
static PyObject *found(Lookups *self, enum look_up kind, uint64_t first, uint64_t second, uint64_t third, uint64_t *changes) {
    for (;;) {
        Reader *reader = flush_fires() < 0 ? NULL : take_reader();
        if (reader == NULL) {
            return NULL;
        }
        PyObject *target = NULL;
        bool is_named = true;
        if (hold_blocks(reader, self->held) == 0 && take_releases(reader) == 0) {
            pinview_error *error = NULL;
            pinview_status status;
            Py_BEGIN_ALLOW_THREADS
            status = call_look_up(kind, first, second, third, reader, &error);
            Py_END_ALLOW_THREADS
            *changes = reader->row.changes;
            target = check_call(status, error) < 0 ? NULL : taken_object(self, reader, &is_named);
        }
        return_reader(reader);
        if (is_named) {
            return target;
        }
        Py_DECREF(target);
    }
}

/* What an insertion sets: as many values as the call takes at once. */
typedef struct {
    int32_t indexes[MAX_VALUES];
    pinview_value cells[MAX_VALUES];
    size_t count;
} Filling;

/* Encodes the values whose names have a place in the entity. Returns a dictionary of the others, or
 * None: a new reference, NULL with an exception. */
static PyObject *fill_values(Filling *filling, PyObject *places, PyObject *values) {
    PyObject *name, *value, *rest = NULL;
    Py_ssize_t next = 0;
    filling->count = 0;
    while (PyDict_Next(values, &next, &name, &value)) {
        PyObject *place = PyDict_GetItemWithError(places, name);
        if (place == NULL && PyErr_Occurred()) {
            Py_XDECREF(rest);
            return NULL;
        }
        if (place != NULL && filling->count < MAX_VALUES && fill_cell(&filling->cells[filling->count], value)) {
            filling->indexes[filling->count++] = (int32_t)PyLong_AsLong(place);
            continue;
        }
        if ((rest == NULL && (rest = PyDict_New()) == NULL) || PyDict_SetItem(rest, name, value) < 0) {
            Py_XDECREF(rest);
            return NULL;
        }
    }
    if (rest == NULL) {
        Py_INCREF(Py_None);
        rest = Py_None;
    }
    return rest;
}

/* The new object, a new reference. */
static PyObject *inserted(Lookups *self, pinview_context *context, const pinview_string *entity, const Filling *filling) {
    Reader *reader = flush_fires() < 0 ? NULL : take_reader();
    if (reader == NULL) {
        return NULL;
    }
    PyObject *target = NULL;
    if (hold_blocks(reader, self->held) == 0 && take_releases(reader) == 0) {
        pinview_error *error = NULL;
        pinview_status status;
        bool is_named = true;
        Py_BEGIN_ALLOW_THREADS
        status = package.insert_row(context, *entity, filling->indexes, filling->cells, filling->count, &reader->row, &error);
        Py_END_ALLOW_THREADS
        target = check_call(status, error) < 0 ? NULL : taken_object(self, reader, &is_named);
        if (!is_named) {
            Py_CLEAR(target);
            PyErr_SetString(PyExc_SystemError, "a new object has a name already");
        }
    }
    return_reader(reader);
    return target;
}

static PyObject *insert_object(PyObject *self, PyObject *const *arguments, Py_ssize_t given) {
    if (!takes("insert", arguments, given, 4, NULL, NULL)) {
        return NULL;
    }
    void *context = PyLong_AsVoidPtr(arguments[0]), *entity = context == NULL ? NULL : PyLong_AsVoidPtr(arguments[1]);
    if (entity == NULL || !PyDict_Check(arguments[2]) || !PyDict_Check(arguments[3])) {
        if (!PyErr_Occurred()) {
            PyErr_SetString(PyExc_TypeError, "insert() expects a context, the name of an entity, places and values");
        }
        return NULL;
    }
    Filling filling;
    PyObject *rest = fill_values(&filling, arguments[2], arguments[3]);
    PyObject *target = rest == NULL ? NULL : inserted((Lookups *)self, context, entity, &filling);
    PyObject *pair = target == NULL ? NULL : PyTuple_Pack(2, target, rest);
    Py_XDECREF(rest);
    Py_XDECREF(target);
    return pair;
}

bool is_lookups(PyObject *object) {
    return PyObject_TypeCheck(object, lookups_type);
}

PyObject *object_of_id(PyObject *lookups, PyObject *context, PyObject *id, bool loads, uint64_t *changes) {
    void *first = PyLong_AsVoidPtr(context), *second = first == NULL ? NULL : PyLong_AsVoidPtr(id);
    if (second == NULL && PyErr_Occurred()) {
        return NULL;
    }
    return found((Lookups *)lookups, OF_CONTEXT, (uint64_t)(uintptr_t)first, (uint64_t)(uintptr_t)second, loads, changes);
}

static PyObject *look_up_object(PyObject *self, PyObject *const *arguments, Py_ssize_t given) {
    uint64_t numbers[3], changes = 0;
    if (!takes("object", arguments, given, 3, NULL, NULL)) {
        return NULL;
    }
    for (int index = 0; index < 3; index++) {
        numbers[index] = PyLong_AsUnsignedLongLong(arguments[index]);
        if (numbers[index] == UINT64_MAX && PyErr_Occurred()) {
            return NULL;
        }
    }
    PyObject *target = found((Lookups *)self, OF_CONTEXT, numbers[0], numbers[1], numbers[2], &changes);
    PyObject *until = target == NULL ? NULL : PyLong_FromUnsignedLongLong(changes);
    PyObject *pair = until == NULL ? NULL : PyTuple_Pack(2, target, until);
    Py_XDECREF(until);
    Py_XDECREF(target);
    return pair;
}

/* Objects of a result, from one on, as a list. */
static PyObject *look_up_results(PyObject *self, PyObject *const *arguments, Py_ssize_t given) {
    uint64_t changes = 0;
    if (!takes("of_result", arguments, given, 3, NULL, NULL)) {
        return NULL;
    }
    unsigned long long result = PyLong_AsUnsignedLongLong(arguments[0]);
    Py_ssize_t first = PyErr_Occurred() ? -1 : PyLong_AsSsize_t(arguments[1]), count = PyErr_Occurred() ? -1 : PyLong_AsSsize_t(arguments[2]);
    PyObject *objects = PyErr_Occurred() ? NULL : PyList_New(0);
    for (Py_ssize_t index = first; objects != NULL && index < first + count; index++) {
        PyObject *target = found((Lookups *)self, OF_RESULT, result, (uint64_t)index, 0, &changes);
        if (target == NULL || PyList_Append(objects, target) < 0) {
            Py_CLEAR(objects);
        }
        Py_XDECREF(target);
    }
    return objects;
}

static PyObject *look_up_related(PyObject *self, PyObject *const *arguments, Py_ssize_t given) {
    uint64_t changes = 0;
    if (!takes("related", arguments, given, 3, places_type, NULL)) {
        return NULL;
    }
    long index = PyLong_AsLong(arguments[1]);
    unsigned long place = index == -1 && PyErr_Occurred() ? 0 : PyLong_AsUnsignedLong(arguments[2]);
    if (PyErr_Occurred()) {
        return NULL;
    }
    Places *block = (Places *)arguments[0];
    Py_INCREF(block);
    PyObject *target = found((Lookups *)self, OF_RELATIONSHIP, (uint64_t)(uintptr_t)block->handle, (uint64_t)index, place, &changes);
    Py_DECREF(block);
    return target;
}

/* Reads a single object, and returns its view as a new reference. */
AnyView *loose_view(Places *block, uint32_t place) {
    /* Flushing can run Python code that frees the object and with it the block. */
    Py_INCREF(block);
    Reader *reader = flush_pending() < 0 ? NULL : take_reader();
    if (reader == NULL) {
        Py_DECREF(block);
        return NULL;
    }
    reader->row.dropped_count = reader->row.block_count = 0;
    pinview_error *error = NULL;
    pinview_status status;
    Py_BEGIN_ALLOW_THREADS
    status = package.block_row(block->handle, place, &reader->row, &error);
    Py_END_ALLOW_THREADS
    AnyView *view = check_call(status, error) < 0 ? NULL : view_of_row(block, place, reader);
    Py_DECREF(block);
    return_reader(reader);
    return view;
}

static PyObject *read_loose(PyObject *module, PyObject *arguments) {
    (void)module;
    Places *block;
    unsigned int place;
    if (!PyArg_ParseTuple(arguments, "O!I", places_type, &block, &place)) {
        return NULL;
    }
    return (PyObject *)loose_view(block, place);
}

static int lookups_traverse(Lookups *self, visitproc visit, void *arg) {
    Py_VISIT(Py_TYPE((PyObject *)self));
    Py_VISIT(self->held);
    return 0;
}

static int lookups_clear(Lookups *self) {
    Py_CLEAR(self->held);
    return 0;
}

static void lookups_dealloc(Lookups *self) {
    PyTypeObject *type = Py_TYPE(self);
    PyObject_GC_UnTrack(self);
    lookups_clear(self);
    PyObject_GC_Del(self);
    Py_DECREF(type);
}

static PyMemberDef members[] = {
    {"_held", T_OBJECT, offsetof(Lookups, held), 0, NULL},
    {NULL, 0, 0, 0, NULL},
};

static PyMethodDef methods[] = {
    {"object", FAST(look_up_object), "The object of an ID, and the change counter for which that is valid: context, ID, loads."},
    {"of_result", FAST(look_up_results), "Objects of a result: the result, the index of the first one, how many."},
    {"related", FAST(look_up_related), "The destination of a to-one relationship: block, index, place."},
    {"insert", FAST(insert_object), "A new object, and the values still to be set: context, name of the entity, places by name, values."},
    {NULL, NULL, 0, NULL},
};

static PyType_Slot slots[] = {
    {Py_tp_new, PyType_GenericNew},
    {Py_tp_traverse, lookups_traverse},
    {Py_tp_clear, lookups_clear},
    {Py_tp_dealloc, lookups_dealloc},
    {Py_tp_members, members},
    {Py_tp_methods, methods},
    {Py_tp_doc, "Looks up objects of a context, and keeps the blocks that receive them one at a time."},
    {0, NULL},
};

static PyType_Spec specification = {
    "pinview._accelerator.LookupsBase", sizeof(Lookups), 0, Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE | Py_TPFLAGS_HAVE_GC, slots};

static PyMethodDef functions[] = {
    {"read_loose", read_loose, METH_VARARGS, "Reads a single object, and returns its view: block, place."},
    {NULL, NULL, 0, NULL},
};

int add_lookups(PyObject *module) {
    lookups_type = add_type(module, &specification);
    return lookups_type == NULL ? -1 : PyModule_AddFunctions(module, functions);
}
