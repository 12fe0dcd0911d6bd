/* The layout of an entity: its properties and the representations of their values. */

#include "accelerator.h"

PyTypeObject *layout_type;

Py_ssize_t index_of(Layout *layout, PyObject *name) {
    PyObject *index = layout == NULL ? NULL : PyDict_GetItemWithError(layout->indexes, name);
    return index == NULL ? -1 : PyLong_AsSsize_t(index);
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
    self->indexes = PyDict_New();
    self->kinds = PyMem_Malloc((size_t)count + 1);
    if (self->indexes == NULL || self->kinds == NULL) {
        PyErr_NoMemory();
        return -1;
    }
    memcpy(self->kinds, kinds, (size_t)count);
    self->count = count;
    for (Py_ssize_t index = 0; index < count; index++) {
        PyObject *number = PyLong_FromSsize_t(index);
        int failed = number == NULL || PyDict_SetItem(self->indexes, PyTuple_GetItem(names, index), number) < 0;
        Py_XDECREF(number);
        if (failed) {
            return -1;
        }
    }
    return 0;
}

static void layout_dealloc(Layout *self) {
    PyTypeObject *type = Py_TYPE(self);
    Py_XDECREF(self->indexes);
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
