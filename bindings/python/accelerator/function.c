/* Functions of the library that take two handles and perhaps a flag, and return a status. Pending
 * releases make no difference to them. */

#include "accelerator.h"

#define HANDLES 2

typedef struct {
    PyObject_HEAD
    void *address;
    PyObject *name;
    bool has_flag; /* an int32_t after the handles */
} Function;

static PyTypeObject *function_type;

static PyObject *function_new(PyTypeObject *type, PyObject *arguments, PyObject *keywords) {
    PyObject *name;
    unsigned long long address;
    int has_flag;
    static char *parameters[] = {"name", "address", "has_flag", NULL};
    if (!PyArg_ParseTupleAndKeywords(arguments, keywords, "UKp", parameters, &name, &address, &has_flag)) {
        return NULL;
    }
    if (address == 0) {
        PyErr_Format(PyExc_ValueError, "%U has no address", name);
        return NULL;
    }
    Function *made = (Function *)PyType_GenericNew(type, NULL, NULL);
    if (made != NULL) {
        made->address = (void *)(uintptr_t)address;
        Py_INCREF(name);
        made->name = name;
        made->has_flag = has_flag != 0;
    }
    return (PyObject *)made;
}

static void function_dealloc(Function *self) {
    PyTypeObject *type = Py_TYPE(self);
    Py_XDECREF(self->name);
    PyObject_Free(self);
    Py_DECREF(type);
}

/* Calls the function. */
static PyObject *function_call(Function *self, PyObject *arguments, PyObject *keywords) {
    Py_ssize_t count = PyTuple_Size(arguments);
    if (count != HANDLES + self->has_flag || (keywords != NULL && PyDict_Size(keywords) > 0)) {
        PyErr_Format(PyExc_TypeError, "%U takes two handles%s", self->name, self->has_flag ? " and a flag" : "");
        return NULL;
    }
    void *given[HANDLES] = {NULL};
    for (Py_ssize_t index = 0; index < HANDLES; index++) {
        PyObject *argument = PyTuple_GetItem(arguments, index);
        if (argument != Py_None && (given[index] = PyLong_AsVoidPtr(argument)) == NULL && PyErr_Occurred()) {
            return NULL;
        }
    }
    int flag = self->has_flag ? PyObject_IsTrue(PyTuple_GetItem(arguments, HANDLES)) : 0;
    if (flag < 0 || flush_fires() < 0) {
        return NULL;
    }
    pinview_error *error = NULL;
    pinview_status status;
    Py_BEGIN_ALLOW_THREADS
    if (self->has_flag) {
        status = ((pinview_status(*)(void *, void *, int32_t, pinview_error **))self->address)(given[0], given[1], flag, &error);
    } else {
        status = ((pinview_status(*)(void *, void *, pinview_error **))self->address)(given[0], given[1], &error);
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
    {Py_tp_doc, "A function of the library that takes two handles and perhaps a flag, and returns a status."},
    {0, NULL},
};

static PyType_Spec specification = {"pinview._accelerator.Function", sizeof(Function), 0, Py_TPFLAGS_DEFAULT, slots};

int add_function(PyObject *module) {
    function_type = add_type(module, &specification);
    return function_type == NULL ? -1 : 0;
}
