/* The objects that IDs stand for, for as long as nothing changes. */

#include "accelerator.h"

/* So many IDs at the most are kept with their objects. */
#define FOUND_LIMIT (1 << 18)

/* An ID by its handle, 0 where nothing is, and the place of its object. A place never gets another object. */
typedef struct {
    uint64_t identity;
    PyObject *block; /* a weak reference, the same for all objects of the block */
    uint32_t place;
} Entry;

/* Open addressing: a power of two entries, four fifths of them in use at the most: the fewer there are, the more of them a cache holds. */
typedef struct {
    PyObject_HEAD
    const uint64_t *count;
    int64_t version;
    Entry *entries;
    size_t capacity, used;
} Found;

static PyTypeObject *found_type;

static Entry *entry_of(Entry *entries, size_t capacity, uint64_t identity) {
    size_t place = (size_t)(identity * UINT64_C(0x9E3779B97F4A7C15) >> 20) & (capacity - 1);
    while (entries[place].identity != 0 && entries[place].identity != identity) {
        place = (place + 1) & (capacity - 1);
    }
    return &entries[place];
}

static void forget_all(Found *self) {
    Entry *entries = self->entries;
    size_t capacity = self->capacity;
    self->entries = NULL;
    self->capacity = self->used = 0;
    for (size_t place = 0; place < capacity; place++) {
        Py_XDECREF(entries[place].block);
    }
    PyMem_Free(entries);
}

static int grow(Found *self) {
    size_t capacity = self->capacity == 0 ? 64 : self->capacity * 2;
    Entry *entries = PyMem_Calloc(capacity, sizeof *entries);
    if (entries == NULL) {
        PyErr_NoMemory();
        return -1;
    }
    for (size_t place = 0; place < self->capacity; place++) {
        if (self->entries[place].identity != 0) {
            *entry_of(entries, capacity, self->entries[place].identity) = self->entries[place];
        }
    }
    PyMem_Free(self->entries);
    self->entries = entries;
    self->capacity = capacity;
    return 0;
}

/* Not counted; NULL without an error for none. */
static PyObject *found_target(Found *self, PyObject *handle) {
    if (self->count == NULL || self->used == 0 || __atomic_load_n(self->count, __ATOMIC_ACQUIRE) != (uint64_t)self->version ||
        !PyLong_CheckExact(handle)) {
        return NULL;
    }
    uint64_t identity = PyLong_AsUnsignedLongLong(handle);
    if (identity == UINT64_MAX && PyErr_Occurred()) {
        return NULL;
    }
    Entry *entry = entry_of(self->entries, self->capacity, identity);
    PyObject *block = entry->identity == 0 || entry->block == NULL ? NULL : PyWeakref_GetObject(entry->block);
    return block == NULL || block == Py_None ? NULL : (PyObject *)living_object((Places *)block, entry->place);
}

static PyObject *counted(PyObject *target) {
    if (target == NULL) {
        if (PyErr_Occurred()) {
            return NULL;
        }
        target = Py_None;
    }
    Py_INCREF(target);
    return target;
}

static PyObject *found_get(Found *self, PyObject *identity) {
    return counted(found_target(self, identity));
}

static PyObject *found_loaded(Found *self, PyObject *identity) {
    PyObject *target = found_target(self, identity);
    if (target != NULL && PyObject_TypeCheck(target, object_type)) {
        ViewOfOne *view = (ViewOfOne *)view_of((Object *)target);
        if (!is_of(view, view_of_one_type) || !clock_holds(view->own)) {
            target = NULL;
        }
    }
    return counted(target);
}

static PyObject *found_forget(Found *self, PyObject *unused) {
    (void)unused;
    self->count = NULL;
    self->version = -1;
    forget_all(self);
    Py_RETURN_NONE;
}

static PyObject *found_note(Found *self, PyObject *arguments) {
    unsigned long long identity, changes;
    Object *target;
    if (!PyArg_ParseTuple(arguments, "KO!K", &identity, object_type, &target, &changes)) {
        return NULL;
    }
    AnyView *view = view_of(target);
    if (identity == 0 || view == NULL || view->block == NULL) {
        Py_RETURN_NONE;
    }
    Places *block = view->block;
    if ((int64_t)changes != self->version || self->used >= FOUND_LIMIT) {
        if (!block->any_thread || package.checks_queues) {
            Py_RETURN_NONE;
        }
        forget_all(self);
        self->count = block->changes;
        self->version = (int64_t)changes;
    }
    PyObject *reference = PyWeakref_NewRef((PyObject *)block, NULL);
    if (reference == NULL || (5 * self->used >= 4 * self->capacity && grow(self) < 0)) {
        Py_XDECREF(reference);
        return NULL;
    }
    Entry *entry = entry_of(self->entries, self->capacity, identity);
    PyObject *former = entry->block;
    self->used += entry->identity == 0;
    *entry = (Entry){.identity = identity, .block = reference, .place = target->place};
    Py_XDECREF(former);
    Py_RETURN_NONE;
}

static PyObject *found_new(PyTypeObject *type, PyObject *arguments, PyObject *keywords) {
    (void)arguments, (void)keywords;
    Found *made = (Found *)PyType_GenericNew(type, NULL, NULL);
    if (made != NULL) {
        made->version = -1;
    }
    return (PyObject *)made;
}

static void found_dealloc(Found *self) {
    PyTypeObject *type = Py_TYPE(self);
    forget_all(self);
    PyObject_Free(self);
    Py_DECREF(type);
}

static PyMemberDef members[] = {
    {"version", T_LONGLONG, offsetof(Found, version), READONLY, "The count of changes up to which all of it holds; -1 for none."},
    {NULL, 0, 0, 0, NULL},
};

static PyMethodDef methods[] = {
    {"get", (PyCFunction)found_get, METH_O, "The object of an ID, if that still holds; else None."},
    {"loaded", (PyCFunction)found_loaded, METH_O, "The same, if its values hold as well."},
    {"note", (PyCFunction)found_note, METH_VARARGS, "Takes in an object: the handle of its ID, the object, the count of changes that it was found at."},
    {"forget", (PyCFunction)found_forget, METH_NOARGS, "Forgets all."},
    {NULL, NULL, 0, NULL},
};

static PyType_Slot slots[] = {
    {Py_tp_new, found_new},
    {Py_tp_dealloc, found_dealloc},
    {Py_tp_members, members},
    {Py_tp_methods, methods},
    {Py_tp_doc, "The objects that IDs stand for, for as long as nothing changes."},
    {0, NULL},
};

static PyType_Spec specification = {"pinview._accelerator.Found", sizeof(Found), 0, Py_TPFLAGS_DEFAULT, slots};

int add_found(PyObject *module) {
    found_type = add_type(module, &specification);
    return found_type == NULL ? -1 : 0;
}
