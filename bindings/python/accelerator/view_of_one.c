/* Views of single objects. */

#include "accelerator.h"

PyTypeObject *view_of_one_type;

/* A view of an object with a copy of its row, cells, states and texts; NULL for none. */
ViewOfOne *view_of_one(Places *block, uint32_t place, const uint64_t *room, size_t text_size) {
    size_t count = room == NULL ? 0 : (size_t)block->layout->count, words = room == NULL ? 0 : words_of_states(block->layout);
    ViewOfOne *made = PyObject_GC_NewVar(ViewOfOne, view_of_one_type, (Py_ssize_t)(8 * (words + count) + text_size));
    if (made == NULL) {
        return NULL;
    }
    Py_INCREF(block);
    made->block = block;
    Py_INCREF(never);
    made->clock = never;
    Py_INCREF(never);
    made->own = never;
    made->number = 0;
    made->known = NULL;
    made->keys_of = NULL;
    made->at = (uint16_t)place;
    made->has_row = room != NULL;
    if (room != NULL) {
        const char *states = (const char *)(room + count);
        memcpy(made->row, states, count);
        memcpy(made->row + words, room, 8 * count);
        memcpy(made->row + words + count, states + count, text_size);
    }
    /* It is not tracked: it is part of a cycle only when it refers to an object, see know(), or
     * when its own object is referred to, see track(). */
    return made;
}

static PyObject *view_of_one_new(PyTypeObject *type, PyObject *arguments, PyObject *keywords) {
    (void)type;
    PyObject *block;
    unsigned short place;
    static char *parameters[] = {"block", "place", NULL};
    if (!PyArg_ParseTupleAndKeywords(arguments, keywords, "O!H", parameters, places_type, &block, &place)) {
        return NULL;
    }
    return (PyObject *)view_of_one((Places *)block, place, NULL, 0);
}

static int view_of_one_traverse(ViewOfOne *self, visitproc visit, void *arg) {
    Py_VISIT(Py_TYPE((PyObject *)self));
    Py_VISIT(self->block);
    Py_VISIT(self->known);
    Py_VISIT(self->keys_of);
    return 0;
}

static int view_of_one_clear(ViewOfOne *self) {
    Py_CLEAR(self->known);
    Py_CLEAR(self->keys_of);
    return 0;
}

static void view_of_one_dealloc(ViewOfOne *self) {
    PyTypeObject *type = Py_TYPE(self);
    PyObject_GC_UnTrack(self);
    end_number((AnyView *)self);
    view_of_one_clear(self);
    Py_DECREF(self->clock);
    Py_DECREF(self->own);
    Py_DECREF(self->block);
    PyObject_GC_Del(self);
    Py_DECREF(type);
}

int know(ViewOfOne *self, PyObject *name, PyObject *value) {
    if (self->known == NULL && (self->known = PyDict_New()) == NULL) {
        return -1;
    }
    if (PyObject_TypeCheck(value, object_type)) {
        track(value);
        track((PyObject *)self);
    }
    return PyDict_SetItem(self->known, name, value);
}

static PyObject *view_of_one_value(ViewOfOne *self, PyObject *name) {
    PyObject *value = value_in_row(self, self->block->layout, index_of(self->block->layout, name), name);
    if (value == NULL && !PyErr_Occurred()) {
        PyErr_SetObject(PyExc_KeyError, name);
    }
    return value;
}

static int view_of_one_set(ViewOfOne *self, PyObject *name, PyObject *value) {
    if (value == NULL) {
        PyErr_SetString(PyExc_TypeError, "values of a view cannot be deleted");
        return -1;
    }
    return know(self, name, value);
}

static int view_of_one_contains(ViewOfOne *self, PyObject *name) {
    PyObject *value = value_in_row(self, self->block->layout, index_of(self->block->layout, name), name);
    if (value == NULL) {
        return PyErr_Occurred() ? -1 : 0;
    }
    Py_DECREF(value);
    return 1;
}

static PyObject *none(PyObject *self, void *unused) {
    (void)self, (void)unused;
    Py_RETURN_NONE;
}

static PyObject *view_of_one_own(ViewOfOne *self, void *unused) {
    (void)unused;
    Py_INCREF(self->own);
    return (PyObject *)self->own;
}

static PyObject *view_of_one_keys(ViewOfOne *self, void *unused) {
    (void)unused;
    if (self->keys_of == NULL) {
        return PyDict_New();
    }
    Py_INCREF(self->keys_of);
    return self->keys_of;
}

static int view_of_one_set_keys(ViewOfOne *self, PyObject *keys, void *unused) {
    (void)unused;
    PyObject *former = self->keys_of;
    Py_XINCREF(keys);
    self->keys_of = keys;
    Py_XDECREF(former);
    return 0;
}

static PyMemberDef members[] = {
    {"at", T_USHORT, offsetof(ViewOfOne, at), READONLY, "The place of the object in its block."},
    {NULL, 0, 0, 0, NULL},
};

static PyGetSetDef computed[] = {
    {"block", (getter)any_block, NULL, "The block.", NULL},
    {"clock", (getter)any_clock, NULL, "Never valid, since there are no columns.", NULL},
    {"own", (getter)view_of_one_own, NULL, "Tells how long the view is valid.", NULL},
    {"next", none, NULL, "None.", NULL},
    {"seconds", none, NULL, "None: dates are decoded from the row.", NULL},
    {"keys_of", (getter)view_of_one_keys, (setter)view_of_one_set_keys, "The relationships whose destinations are known.", NULL},
    {NULL, NULL, NULL, NULL, NULL},
};

static PyType_Slot slots[] = {
    {Py_tp_new, view_of_one_new},
    {Py_tp_traverse, view_of_one_traverse},
    {Py_tp_clear, view_of_one_clear},
    {Py_tp_dealloc, view_of_one_dealloc},
    {Py_mp_subscript, view_of_one_value},
    {Py_mp_ass_subscript, view_of_one_set},
    {Py_sq_contains, view_of_one_contains},
    {Py_tp_members, members},
    {Py_tp_getset, computed},
    {Py_tp_doc, "What has been read of a single object, by property name."},
    {0, NULL},
};

static PyType_Spec specification = {
    "pinview._accelerator.ViewOfOne", offsetof(ViewOfOne, row), 1, Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC, slots};

int add_view_of_one(PyObject *module) {
    view_of_one_type = add_type(module, &specification);
    return view_of_one_type == NULL ? -1 : 0;
}
