/* The living objects of a block. */

#include "accelerator.h"

PyTypeObject *places_type;

/* The addresses of all blocks, by number. */
static PyObject *by_number;

/* 0, or -1 with an exception. */
static int note(Places *self, bool is_there) {
    PyObject *number = PyLong_FromUnsignedLongLong(self->number), *address = PyLong_FromVoidPtr(self);
    int status = -1;
    if (number != NULL && address != NULL) {
        PyObject *known = PyDict_GetItemWithError(by_number, number);
        bool is_self = known != NULL && PyLong_AsVoidPtr(known) == self;
        status = is_there ? PyDict_SetItem(by_number, number, address) : is_self ? PyDict_DelItem(by_number, number) : 0;
    }
    Py_XDECREF(number);
    Py_XDECREF(address);
    return status;
}

Places *block_of_number(uint64_t number) {
    PyObject *key = PyLong_FromUnsignedLongLong(number);
    PyObject *address = key == NULL ? NULL : PyDict_GetItemWithError(by_number, key);
    Py_XDECREF(key);
    Places *block = address == NULL ? NULL : PyLong_AsVoidPtr(address);
    return block != NULL && Py_REFCNT((PyObject *)block) > 0 ? block : NULL;
}

static int places_traverse(Places *self, visitproc visit, void *arg) {
    Py_VISIT(Py_TYPE((PyObject *)self));
    Py_VISIT(self->entity);
    Py_VISIT(self->kind);
    Py_VISIT(self->current);
    return 0;
}

static int places_clear(Places *self) {
    Py_CLEAR(self->entity);
    Py_CLEAR(self->kind);
    Py_CLEAR(self->current);
    return 0;
}

static void places_dealloc(Places *self) {
    PyTypeObject *type = Py_TYPE(self);
    PyObject_GC_UnTrack(self);
    PyObject *type_of_error, *error, *traceback;
    PyErr_Fetch(&type_of_error, &error, &traceback);
    if (note(self, false) < 0) {
        PyErr_WriteUnraisable(NULL);
    }
    PyErr_Restore(type_of_error, error, traceback);
    places_clear(self);
    Py_XDECREF(self->handles);
    Py_XDECREF((PyObject *)self->layout);
    Py_XDECREF((PyObject *)self->clock);
    PyMem_Free(self->objects);
    PyObject_GC_Del(self);
    Py_DECREF(type);
}

void leave_place(Places *block, Object *target) {
    if (block->objects != NULL && (uint64_t)target->place < block->count && block->objects[target->place] == target) {
        block->objects[target->place] = NULL;
    }
}

/* Reading whole columns again is not worth it while the context keeps changing. They are read again
 * at every fourth miss of one state, in between single objects. */
#define REREAD_INTERVAL 4

bool takes_single_miss(Places *block) {
    uint64_t version = __atomic_load_n(block->changes, __ATOMIC_ACQUIRE);
    if (version != block->missed_version) {
        block->missed_version = version;
        block->misses = 0;
    }
    if (block->misses + 1 == REREAD_INTERVAL) {
        return false;
    }
    block->misses++;
    return true;
}

static PyObject *should_reread(Places *self, PyObject *unused) {
    (void)unused;
    if (takes_single_miss(self)) {
        Py_RETURN_FALSE;
    }
    self->misses = 0;
    Py_RETURN_TRUE;
}

static int reserve(Places *block, uint32_t count) {
    if (count > block->capacity) {
        uint32_t capacity = count <= 4 ? count : count * 2;
        Object **objects = PyMem_Realloc(block->objects, capacity * sizeof *objects);
        if (objects == NULL) {
            PyErr_NoMemory();
            return -1;
        }
        block->objects = objects;
        block->capacity = capacity;
    }
    while (block->count < count) {
        block->objects[block->count++] = NULL;
    }
    return 0;
}

static Object *allocated(PyTypeObject *kind, allocfunc allocate, bool is_plain, AnyView *view, uint32_t place) {
    Object *made = (Object *)allocate(kind, 0);
    if (made != NULL) {
        /* A new object is not part of a cycle. Whatever refers back to it calls track() first, so
         * collections need not visit all objects. */
        if (is_plain) {
            PyObject_GC_UnTrack(made);
        }
        Py_INCREF(view);
        made->place = place;
        if (put_view(made, view) < 0) {
            Py_CLEAR(made);
        }
    }
    return made;
}

static Py_ssize_t number_of(PyObject *kind, const char *name) {
    PyObject *number = PyObject_GetAttrString(kind, name);
    Py_ssize_t value = number == NULL ? -1 : PyLong_AsSsize_t(number);
    Py_XDECREF(number);
    return value;
}

/* Whether objects of the block have no other members than Object; -1 with an exception. */
static int is_plain(Places *block) {
    if (block->kind == NULL || !PyType_Check(block->kind) || !PyType_IsSubtype((PyTypeObject *)block->kind, object_type)) {
        PyErr_SetString(PyExc_TypeError, "a block needs a class of objects");
        return -1;
    }
    if (block->plain_kind == block->kind) {
        return 1;
    }
    Py_ssize_t size = number_of(block->kind, "__basicsize__"), dictionary = number_of(block->kind, "__dictoffset__");
    if (PyErr_Occurred()) {
        return -1;
    }
    if (size != sizeof(Object) || dictionary != 0) {
        return 0;
    }
    block->plain_kind = block->kind;
    return 1;
}

/* A new reference. */
Object *new_object(Places *block, AnyView *view, uint32_t place) {
    int plain = is_plain(block);
    if (plain < 0 || reserve(block, place + 1) < 0) {
        return NULL;
    }
    PyTypeObject *kind = (PyTypeObject *)block->kind;
    Object *made = allocated(kind, (allocfunc)PyType_GetSlot(kind, Py_tp_alloc), plain, view, place);
    /* The allocation can start a garbage collection, in which a __del__ can ask for the same
     * object. */
    Object *other = made == NULL ? NULL : living_object(block, place);
    if (other != NULL) {
        Py_INCREF(other);
        Py_DECREF(made);
        return other;
    }
    if (made != NULL) {
        block->objects[place] = made;
    }
    return made;
}

/* Makes all objects of a new block; a list. */
static PyObject *add_objects(Places *self, PyObject *arguments) {
    AnyView *view;
    unsigned int count;
    if (!PyArg_ParseTuple(arguments, "O!I", view_type, &view, &count)) {
        return NULL;
    }
    int plain = is_plain(self);
    if (plain < 0 || reserve(self, count) < 0) {
        return NULL;
    }
    PyTypeObject *kind = (PyTypeObject *)self->kind;
    allocfunc allocate = (allocfunc)PyType_GetSlot(kind, Py_tp_alloc);
    PyObject *made = PyList_New(count);
    for (uint32_t place = 0; made != NULL && place < count; place++) {
        Object *target = allocated(kind, allocate, plain, view, place);
        if (target == NULL) {
            Py_CLEAR(made);
        } else {
            self->objects[place] = target;
            PyList_SetItem(made, place, (PyObject *)target);
        }
    }
    return made;
}

static PyObject *known_object(Places *self, PyObject *place) {
    unsigned long number = PyLong_AsUnsignedLong(place);
    if (PyErr_Occurred()) {
        return NULL;
    }
    PyObject *known = (PyObject *)living_object(self, (uint32_t)number);
    known = known == NULL ? Py_None : known;
    Py_INCREF(known);
    return known;
}

static PyObject *make_object(Places *self, PyObject *arguments) {
    PyObject *view;
    unsigned int place;
    if (!PyArg_ParseTuple(arguments, "OI", &view, &place)) {
        return NULL;
    }
    if (!is_view(view)) {
        PyErr_SetString(PyExc_TypeError, "expected a view");
        return NULL;
    }
    return (PyObject *)new_object(self, (AnyView *)view, place);
}

static PyObject *forget_object(Places *self, PyObject *place) {
    unsigned long number = PyLong_AsUnsignedLong(place);
    if (PyErr_Occurred()) {
        return NULL;
    }
    if (number < self->count && self->objects[number] != NULL) {
        self->objects[number] = NULL;
        if (queue_release(self->number << PLACE_BITS | number) < 0) {
            return NULL;
        }
    }
    Py_RETURN_NONE;
}

static PyObject *prepare(Places *self, PyObject *arguments) {
    unsigned long long handle, changes, cache_changes;
    Layout *layout;
    if (!PyArg_ParseTuple(arguments, "KKKO!", &handle, &changes, &cache_changes, layout_type, &layout)) {
        return NULL;
    }
    self->handle = (pinview_object_block *)(uintptr_t)handle;
    self->changes = (const uint64_t *)(uintptr_t)changes;
    self->cache_changes = (const uint64_t *)(uintptr_t)cache_changes;
    PyObject *former = (PyObject *)self->layout;
    Py_INCREF(layout);
    self->layout = layout;
    Py_XDECREF(former);
    Py_INCREF(never);
    PyObject *clock = (PyObject *)self->clock;
    self->clock = never;
    Py_XDECREF(clock);
    if (note(self, true) < 0) {
        return NULL;
    }
    Py_RETURN_NONE;
}

static PyObject *object_count(Places *self, void *unused) {
    (void)unused;
    return PyLong_FromUnsignedLong(self->count);
}

static PyMemberDef members[] = {
    {"number", T_ULONGLONG, offsetof(Places, number), 0, "The number of the block."},
    {"pid", T_LONG, offsetof(Places, pid), 0, "The process that made it."},
    {"any_thread", T_BOOL, offsetof(Places, any_thread), 0, "Whether a thread may use what another thread has read."},
    {"is_loose", T_BOOL, offsetof(Places, is_loose), 0, "Whether its objects were looked up one at a time. Each has a ViewOfOne then."},
    {"entity", T_OBJECT, offsetof(Places, entity), 0, "The entity of its objects."},
    {"kind", T_OBJECT, offsetof(Places, kind), 0, "Their class."},
    {"_current", T_OBJECT, offsetof(Places, current), 0, NULL},
    {"_handles", T_OBJECT, offsetof(Places, handles), 0, NULL},
    {NULL, 0, 0, 0, NULL},
};

static PyGetSetDef computed[] = {
    {"object_count", (getter)object_count, NULL, "The number of places in use.", NULL},
    {NULL, NULL, NULL, NULL, NULL},
};

static PyMethodDef methods[] = {
    {"_prepare", (PyCFunction)prepare, METH_VARARGS, "Takes the handle, the addresses of both change counters, and the layout of the entity."},
    {"add_objects", (PyCFunction)add_objects, METH_VARARGS, "Makes all objects of a new block: the view of unread objects, the number."},
    {"known_object", (PyCFunction)known_object, METH_O, "The object at a place, or None."},
    {"make_object", (PyCFunction)make_object, METH_VARARGS, "Makes the object at a place: view, place."},
    {"_should_reread", (PyCFunction)should_reread, METH_NOARGS, "Counts a miss. Whether to read whole columns again."},
    {"forget_object", (PyCFunction)forget_object, METH_O, "Releases an object that was closed: place."},
    {NULL, NULL, 0, NULL},
};

static PyType_Slot slots[] = {
    {Py_tp_new, PyType_GenericNew},
    {Py_tp_traverse, places_traverse},
    {Py_tp_clear, places_clear},
    {Py_tp_dealloc, places_dealloc},
    {Py_tp_members, members},
    {Py_tp_getset, computed},
    {Py_tp_methods, methods},
    {Py_tp_doc, "The living objects of a block, by place."},
    {0, NULL},
};

static PyType_Spec specification = {
    "pinview._accelerator.Places", sizeof(Places), 0, Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE | Py_TPFLAGS_HAVE_GC, slots};

/* For a child made by fork(), which cannot use the blocks of its parent. */
static PyObject *forget_blocks(PyObject *module, PyObject *unused) {
    (void)module, (void)unused;
    PyDict_Clear(by_number);
    Py_RETURN_NONE;
}

static PyMethodDef functions[] = {
    {"forget_blocks", forget_blocks, METH_NOARGS, "Forgets all blocks, in a child made by fork()."},
    {NULL, NULL, 0, NULL},
};

int add_places(PyObject *module) {
    places_type = add_type(module, &specification);
    by_number = PyDict_New();
    return places_type == NULL || by_number == NULL ? -1 : PyModule_AddFunctions(module, functions);
}
