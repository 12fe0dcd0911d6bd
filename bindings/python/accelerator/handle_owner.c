/* The base class of everything that owns a handle of the library. */

#include "accelerator.h"

PyTypeObject *handle_owner_type;

void free_handle_owner(HandleOwner *self) {
    PyTypeObject *type = Py_TYPE((PyObject *)self);
    if (self->weak_references != NULL) {
        PyObject_ClearWeakRefs((PyObject *)self);
    }
    Py_XDECREF(self->handle);
    Py_XDECREF(self->process);
    /* Classes that inherit from this one can have the garbage collector visit their objects. */
    ((freefunc)PyType_GetSlot(type, Py_tp_free))(self);
    Py_DECREF(type);
}

/* Owners that take over the references of an array of handles, as a list. */
static PyObject *owned_objects(PyObject *module, PyObject *arguments) {
    (void)module;
    PyTypeObject *type;
    unsigned long long address;
    Py_ssize_t count;
    PyObject *process;
    if (!PyArg_ParseTuple(arguments, "O!KnO!", &PyType_Type, &type, &address, &count, &PyLong_Type, &process)) {
        return NULL;
    }
    if (!PyType_IsSubtype(type, handle_owner_type)) {
        PyErr_SetString(PyExc_TypeError, "expected a class of owners of handles");
        return NULL;
    }
    void *const *handles = (void *const *)(uintptr_t)address;
    newfunc make = (newfunc)PyType_GetSlot(type, Py_tp_new);
    PyObject *nothing = PyTuple_New(0), *owners = nothing == NULL ? NULL : PyList_New(0);
    for (Py_ssize_t index = 0; owners != NULL && index < count; index++) {
        PyObject *handle = PyLong_FromVoidPtr(handles[index]), *made = handle == NULL ? NULL : make(type, nothing, NULL);
        if (made == NULL) {
            Py_XDECREF(handle);
            Py_CLEAR(owners);
            break;
        }
        HandleOwner *owner = (HandleOwner *)made;
        Py_INCREF(process);
        owner->handle = handle;
        owner->process = process;
        if (PyList_Append(owners, made) < 0) {
            Py_CLEAR(owners);
        }
        Py_DECREF(made);
    }
    Py_XDECREF(nothing);
    return owners;
}

static PyMethodDef functions[] = {
    {"owned_objects", owned_objects, METH_VARARGS, "Owners of handles: their class, the address of the handles, how many, the process."},
    {NULL, NULL, 0, NULL},
};

static PyMemberDef members[] = {
    {"_handle", T_OBJECT_EX, offsetof(HandleOwner, handle), 0, NULL},
    {"_pid", T_OBJECT_EX, offsetof(HandleOwner, process), 0, NULL},
    {"__weaklistoffset__", T_PYSSIZET, offsetof(HandleOwner, weak_references), READONLY, NULL},
    {NULL, 0, 0, 0, NULL},
};

static PyType_Slot slots[] = {
    {Py_tp_new, PyType_GenericNew},
    {Py_tp_dealloc, free_handle_owner},
    {Py_tp_members, members},
    {Py_tp_doc, "A handle, and the process that it belongs to."},
    {0, NULL},
};

static PyType_Spec specification = {"pinview._accelerator.HandleOwner", sizeof(HandleOwner), 0, Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE, slots};

int add_handle_owner(PyObject *module) {
    handle_owner_type = add_type(module, &specification);
    return handle_owner_type == NULL ? -1 : PyModule_AddFunctions(module, functions);
}
