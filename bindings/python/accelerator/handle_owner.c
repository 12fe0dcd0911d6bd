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
    return handle_owner_type == NULL ? -1 : 0;
}
