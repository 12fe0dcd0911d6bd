/* The layout of an entity: its properties and the representations of their values. */

#include "accelerator.h"

PyTypeObject *layout_type;

/* A name that the program writes is usually the very string that the layout has, since both are
 * interned. So it is looked up by its address first. */
struct place_of_name {
    PyObject *name; /* borrowed from `indexes`; NULL: free */
    Py_ssize_t index;
};

static size_t first_place(const Layout *layout, PyObject *name) {
    return ((uintptr_t)name >> 4) & layout->mask;
}

Py_ssize_t index_of(Layout *layout, PyObject *name) {
    if (layout == NULL) {
        return -1;
    }
    for (size_t place = first_place(layout, name); layout->places[place].name != NULL; place = (place + 1) & layout->mask) {
        if (layout->places[place].name == name) {
            return layout->places[place].index;
        }
    }
    PyObject *index = PyDict_GetItemWithError(layout->indexes, name);
    return index == NULL ? -1 : PyLong_AsSsize_t(index);
}

static int add_name(Layout *self, PyObject *name, Py_ssize_t index) {
    Py_INCREF(name);
    PyUnicode_InternInPlace(&name);
    PyObject *number = PyLong_FromSsize_t(index);
    int failed = number == NULL || PyDict_SetItem(self->indexes, name, number) < 0;
    Py_XDECREF(number);
    Py_DECREF(name);
    if (failed) {
        return -1;
    }
    size_t place = first_place(self, name);
    while (self->places[place].name != NULL) {
        place = (place + 1) & self->mask;
    }
    self->places[place] = (struct place_of_name){name, index};
    return 0;
}

static int layout_init(Layout *self, PyObject *arguments, PyObject *keywords) {
    PyObject *names;
    const char *kinds;
    Py_ssize_t count;
    static char *parameters[] = {"names", "kinds", NULL};
    if (!PyArg_ParseTupleAndKeywords(arguments, keywords, "O!s#", parameters, &PyTuple_Type, &names, &kinds, &count)) {
        return -1;
    }
    if (self->kinds != NULL || PyTuple_Size(names) != count) {
        PyErr_SetString(PyExc_ValueError, "a layout needs a kind for each name, and is initialised once");
        return -1;
    }
    for (self->mask = 1; self->mask < 2 * (size_t)count; self->mask = 2 * self->mask + 1) {
    }
    self->indexes = PyDict_New();
    self->places = PyMem_Calloc(self->mask + 1, sizeof *self->places);
    self->kinds = PyMem_Malloc((size_t)count + 1);
    if (self->indexes == NULL || self->places == NULL || self->kinds == NULL) {
        PyErr_NoMemory();
        return -1;
    }
    memcpy(self->kinds, kinds, (size_t)count);
    self->count = count;
    for (Py_ssize_t index = 0; index < count; index++) {
        if (add_name(self, PyTuple_GetItem(names, index), index) < 0) {
            return -1;
        }
    }
    return 0;
}

static void layout_dealloc(Layout *self) {
    PyTypeObject *type = Py_TYPE(self);
    Py_XDECREF(self->indexes);
    PyMem_Free(self->places);
    PyMem_Free(self->kinds);
    PyObject_Free(self);
    Py_DECREF(type);
}

static PyType_Slot slots[] = {
    {Py_tp_init, layout_init},
    {Py_tp_new, PyType_GenericNew},
    {Py_tp_dealloc, layout_dealloc},
    {Py_tp_doc, "The properties of an entity: their names, and a character for the representation of each."},
    {0, NULL},
};

static PyType_Spec specification = {"pinview._accelerator.Layout", sizeof(Layout), 0, Py_TPFLAGS_DEFAULT, slots};

int add_layout(PyObject *module) {
    layout_type = add_type(module, &specification);
    return layout_type == NULL ? -1 : 0;
}
