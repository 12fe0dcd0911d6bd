/* Functions of the library that take handles and return a status. */

#include "accelerator.h"

#define MOST_ARGUMENTS 3

typedef struct {
    PyObject_HEAD
    void *address;
    PyObject *name;
} Function;

static PyTypeObject *function_type;

static PyObject *function_new(PyTypeObject *type, PyObject *arguments, PyObject *keywords) {
    PyObject *name;
    unsigned long long address;
    static char *parameters[] = {"name", "address", NULL};
    if (!PyArg_ParseTupleAndKeywords(arguments, keywords, "UK", parameters, &name, &address)) {
        return NULL;
    }
    if (address == 0) {
        PyErr_Format(PyExc_ValueError, "%U has no address.", name);
        return NULL;
    }
    Function *made = (Function *)PyType_GenericNew(type, NULL, NULL);
    if (made != NULL) {
        made->address = (void *)(uintptr_t)address;
        Py_INCREF(name);
        made->name = name;
    }
    return (PyObject *)made;
}

static void function_dealloc(Function *self) {
    PyTypeObject *type = Py_TYPE(self);
    Py_XDECREF(self->name);
    PyObject_Free(self);
    Py_DECREF(type);
}

/* Calls it with handles, and with where the error goes behind them; that objects are not used any more makes no difference to it. */
static PyObject *function_call(Function *self, PyObject *arguments, PyObject *keywords) {
    Py_ssize_t count = PyTuple_Size(arguments);
    if (count < 1 || count > MOST_ARGUMENTS || (keywords != NULL && PyDict_Size(keywords) > 0)) {
        PyErr_Format(PyExc_TypeError, "%U takes handles, one to %d of them.", self->name, MOST_ARGUMENTS);
        return NULL;
    }
    void *given[MOST_ARGUMENTS] = {NULL};
    for (Py_ssize_t index = 0; index < count; index++) {
        PyObject *argument = PyTuple_GetItem(arguments, index);
        if (argument != Py_None && (given[index] = PyLong_AsVoidPtr(argument)) == NULL && PyErr_Occurred()) {
            return NULL;
        }
    }
    if (settle_shown_faults() < 0) {
        return NULL;
    }
    pinview_error *error = NULL;
    pinview_status status;
    Py_BEGIN_ALLOW_THREADS
    switch (count) {
    case 1: status = ((pinview_status(*)(void *, pinview_error **))self->address)(given[0], &error); break;
    case 2: status = ((pinview_status(*)(void *, void *, pinview_error **))self->address)(given[0], given[1], &error); break;
    default: status = ((pinview_status(*)(void *, void *, void *, pinview_error **))self->address)(given[0], given[1], given[2], &error); break;
    }
    Py_END_ALLOW_THREADS
    if (check_call(status, error) < 0) {
        return NULL;
    }
    Py_RETURN_NONE;
}

static PyMemberDef members[] = {
    {"__name__", T_OBJECT_EX, offsetof(Function, name), READONLY, NULL},
    {NULL, 0, 0, 0, NULL},
};

static PyType_Slot slots[] = {
    {Py_tp_new, function_new},
    {Py_tp_dealloc, function_dealloc},
    {Py_tp_call, function_call},
    {Py_tp_members, members},
    {Py_tp_doc, "A function of the library that takes handles and where the error goes, and returns a status."},
    {0, NULL},
};

static PyType_Spec specification = {"pinview._accelerator.Function", sizeof(Function), 0, Py_TPFLAGS_DEFAULT, slots};

int add_function(PyObject *module) {
    function_type = add_type(module, &specification);
    return function_type == NULL ? -1 : 0;
}
