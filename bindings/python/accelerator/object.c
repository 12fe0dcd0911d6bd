/* Objects of contexts: each has a view and a place. */

#include "accelerator.h"

PyTypeObject *object_type;

/* Has the garbage collector visit an object that can be part of a cycle, and the view through which
 * the cycle leads on to the block. */
void track(PyObject *target) {
    if (!PyObject_GC_IsTracked(target)) {
        PyObject_GC_Track(target);
    }
    if (PyObject_TypeCheck(target, object_type)) {
        AnyView *view = view_of((Object *)target);
        if (view != NULL && is_of(view, view_of_one_type) && !PyObject_GC_IsTracked((PyObject *)view)) {
            PyObject_GC_Track((PyObject *)view);
        }
    }
}

int queue_release(uint64_t name) {
    PyObject *number = PyLong_FromUnsignedLongLong(name);
    int status = number == NULL ? -1 : PyList_Append(package.pending_releases, number);
    Py_XDECREF(number);
    return status;
}

static int object_traverse(Object *self, visitproc visit, void *arg) {
    Py_VISIT(Py_TYPE((PyObject *)self));
    Py_VISIT(view_of(self));
    return 0;
}

static int object_clear(Object *self) {
    (void)self; /* every cycle contains a column, which is cleared; the object keeps its view */
    return 0;
}

static void object_dealloc(Object *self) {
    PyTypeObject *type = Py_TYPE(self);
    PyObject_GC_UnTrack(self);
    AnyView *view = view_of(self);
    if (view != NULL && view->block != NULL) {
        leave_place(view->block, self);
        if (queue_release(view->block->number << PLACE_BITS | (uint64_t)self->place) < 0) {
            PyErr_WriteUnraisable(NULL); /* without memory the object is released together with its block */
        }
    }
    if (self->weak_references != NULL) {
        PyObject_ClearWeakRefs((PyObject *)self);
    }
    self->view_number = 0;
    Py_XDECREF(view);
    PyObject_GC_Del(self);
    Py_DECREF(type);
}

static PyObject *object_view(Object *self, void *unused) {
    (void)unused;
    PyObject *view = (PyObject *)view_of(self);
    if (view == NULL) {
        PyErr_SetString(PyExc_AttributeError, "_view");
    }
    Py_XINCREF(view);
    return view;
}

static int object_set_view(Object *self, PyObject *view, void *unused) {
    (void)unused;
    if (view == NULL || !is_view(view)) {
        PyErr_SetString(PyExc_TypeError, "expected a view");
        return -1;
    }
    AnyView *former = view_of(self);
    if (former == NULL || (((AnyView *)view)->block != former->block && view != package.closed)) {
        PyErr_SetString(PyExc_TypeError, "an object cannot change its block");
        return -1;
    }
    Py_INCREF(view);
    return put_view(self, (AnyView *)view);
}

/* Attributes that the class does not have are left to the package. */
static PyObject *object_attribute(PyObject *self, PyObject *name) {
    PyObject *value = PyObject_GenericGetAttr(self, name);
    if (value == NULL && PyErr_ExceptionMatches(PyExc_AttributeError)) {
        PyErr_Clear();
        value = PyObject_CallFunctionObjArgs(package.get_attribute, self, name, NULL);
    }
    return value;
}

static int object_set_attribute(PyObject *self, PyObject *name, PyObject *value) {
    if (value == NULL) {
        return PyObject_GenericSetAttr(self, name, value);
    }
    PyObject *property = PyObject_GetAttr((PyObject *)Py_TYPE(self), name);
    if (property != NULL && PyObject_TypeCheck(property, attribute_type)) {
        int status = set_attribute((Attribute *)property, (Object *)self, value);
        Py_DECREF(property);
        return status;
    }
    Py_XDECREF(property);
    PyErr_Clear();
    PyObject *none = PyObject_CallFunctionObjArgs(package.set_attribute, self, name, value, NULL);
    Py_XDECREF(none);
    return none == NULL ? -1 : 0;
}

static PyObject *object_values(Object *self, PyObject *const *names, Py_ssize_t count) {
    PyObject *values = view_of(self) == NULL ? NULL : values_of(self, names, count);
    if (values != NULL || PyErr_Occurred()) {
        return values;
    }
    PyObject *given = PyTuple_New(count);
    for (Py_ssize_t place = 0; given != NULL && place < count; place++) {
        Py_INCREF(names[place]);
        PyTuple_SetItem(given, place, names[place]);
    }
    values = given == NULL ? NULL : PyObject_CallFunctionObjArgs(package.read_values, self, given, NULL);
    Py_XDECREF(given);
    return values;
}

static PyMethodDef methods[] = {
    {"values", (PyCFunction)(void (*)(void))object_values, METH_FASTCALL,
     "values($self, *names)\n--\n\n"
     "The values of several properties. To-one relationships are returned as IDs."},
    {NULL, NULL, 0, NULL},
};

static PyMemberDef members[] = {
    {"_place", T_UINT, offsetof(Object, place), READONLY, NULL},
    {"__weaklistoffset__", T_PYSSIZET, offsetof(Object, weak_references), READONLY, NULL},
    {NULL, 0, 0, 0, NULL},
};

static PyGetSetDef computed[] = {
    {"_view", (getter)object_view, (setter)object_set_view, NULL, NULL},
    {NULL, NULL, NULL, NULL, NULL},
};

static PyType_Slot slots[] = {
    {Py_tp_traverse, object_traverse},
    {Py_tp_clear, object_clear},
    {Py_tp_dealloc, object_dealloc},
    {Py_tp_getattro, object_attribute},
    {Py_tp_setattro, object_set_attribute},
    {Py_tp_methods, methods},
    {Py_tp_members, members},
    {Py_tp_getset, computed},
    {Py_tp_doc, "The view from which an object is read, and its place there."},
    {0, NULL},
};

static PyType_Spec specification = {
    "pinview._accelerator.ObjectBase", sizeof(Object), 0, Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE | Py_TPFLAGS_HAVE_GC, slots};

static PyObject *python_track(PyObject *module, PyObject *target) {
    (void)module;
    if (PyObject_TypeCheck(target, object_type)) {
        track(target);
    }
    Py_RETURN_NONE;
}

static PyObject *set_plainly(PyObject *module, PyObject *arguments) {
    (void)module;
    PyObject *target, *name, *value;
    if (!PyArg_ParseTuple(arguments, "O!UO", object_type, &target, &name, &value) || PyObject_GenericSetAttr(target, name, value) < 0) {
        return NULL;
    }
    Py_RETURN_NONE;
}

/* Takes pending releases: for each run of names of the same block its number, and the places as
 * bytes of uint32_t. */
static PyObject *take_releases(PyObject *module, PyObject *most) {
    (void)module;
    Py_ssize_t limit = PyLong_AsSsize_t(most);
    PyObject *runs = limit < 0 ? NULL : PyList_New(0);
    if (runs == NULL) {
        return NULL;
    }
    Py_ssize_t count = PyList_Size(package.pending_releases);
    count = count > limit ? limit : count;
    PyObject *taken = PyList_GetSlice(package.pending_releases, 0, count);
    if (taken == NULL || PyList_SetSlice(package.pending_releases, 0, count, NULL) < 0) {
        Py_XDECREF(taken);
        Py_DECREF(runs);
        return NULL;
    }
    uint32_t places[512];
    for (Py_ssize_t index = 0; index < count;) {
        uint64_t number = PyLong_AsUnsignedLongLong(PyList_GetItem(taken, index)) >> PLACE_BITS;
        Py_ssize_t length = 0;
        while (index < count && length < (Py_ssize_t)(sizeof places / sizeof *places)) {
            uint64_t name = PyLong_AsUnsignedLongLong(PyList_GetItem(taken, index));
            if (name >> PLACE_BITS != number) {
                break;
            }
            places[length++] = (uint32_t)(name & PLACE_MASK);
            index++;
        }
        PyObject *run = Py_BuildValue("Ky#", (unsigned long long)number, (const char *)places, (Py_ssize_t)(length * (Py_ssize_t)sizeof *places));
        int failed = run == NULL || PyList_Append(runs, run) < 0;
        Py_XDECREF(run);
        if (failed) {
            Py_CLEAR(runs);
            break;
        }
    }
    Py_DECREF(taken);
    return runs;
}

/* The first of an array of names, if they are those of a whole new block in order; else None. */
static PyObject *first_of_block(PyObject *module, PyObject *arguments) {
    (void)module;
    unsigned long long address;
    Py_ssize_t count;
    if (!PyArg_ParseTuple(arguments, "Kn", &address, &count)) {
        return NULL;
    }
    const uint64_t *names = (const uint64_t *)(uintptr_t)address;
    for (Py_ssize_t place = 0; place < count; place++) {
        if (names[place] != names[0] + (uint64_t)place) {
            Py_RETURN_NONE;
        }
    }
    if (count == 0 || names[0] & PLACE_MASK) {
        Py_RETURN_NONE;
    }
    return PyLong_FromUnsignedLongLong(names[0]);
}

static PyMethodDef functions[] = {
    {"take_releases", take_releases, METH_O, "Takes pending releases off the list: numbers of blocks, each with places as bytes of uint32."},
    {"first_of_block", first_of_block, METH_VARARGS, "The first of an array of names, if they are those of a whole new block in order: address, count."},
    {"set_plainly", set_plainly, METH_VARARGS, "What object.__setattr__ does: object, name, value."},
    {"track", python_track, METH_O, "Has the garbage collector visit an object that a column refers to."},
    {NULL, NULL, 0, NULL},
};

int add_object(PyObject *module) {
    object_type = add_type(module, &specification);
    return object_type == NULL ? -1 : PyModule_AddFunctions(module, functions);
}
