/* Clocks, which tell whether what has been read is still valid. */

#include "accelerator.h"

PyTypeObject *clock_type;
Clock *never;

/* By the address of the change counter. */
static PyObject *clocks;

static Clock *new_clock(const uint64_t *count, int64_t version) {
    Clock *made = PyObject_New(Clock, clock_type);
    if (made != NULL) {
        made->count = count;
        made->version = version;
        made->is_current = false;
        made->destinations = NULL;
    }
    return made;
}

static void clock_dealloc(Clock *self) {
    PyTypeObject *type = Py_TYPE(self);
    Py_XDECREF(self->destinations);
    PyObject_Free(self);
    Py_DECREF(type);
}

static PyObject *clock_value(Clock *self, void *unused) {
    (void)unused;
    return PyLong_FromUnsignedLongLong(self->count == NULL ? 0 : __atomic_load_n(self->count, __ATOMIC_ACQUIRE));
}

/* A new reference. */
Clock *clock_of(const uint64_t *address, uint64_t version) {
    if (version == 0) {
        Py_INCREF(never);
        return never;
    }
    PyObject *key = PyLong_FromVoidPtr((void *)address);
    if (key == NULL) {
        return NULL;
    }
    Clock *known = (Clock *)PyDict_GetItemWithError(clocks, key);
    if (known != NULL && known->version == (int64_t)version) {
        Py_INCREF(known);
    } else if (PyErr_Occurred()) {
        known = NULL;
    } else {
        Clock *former = known;
        known = new_clock(address, (int64_t)version);
        if (former != NULL) {
            former->is_current = false;
        }
        if (known != NULL && ((known->destinations = PyDict_New()) == NULL || PyDict_SetItem(clocks, key, (PyObject *)known) < 0)) {
            Py_DECREF(known);
            known = NULL;
        }
        if (known != NULL) {
            known->is_current = true;
        }
    }
    Py_DECREF(key);
    return known;
}

/* References to a clock that only the table and one block have. */
#define IDLE_REFERENCES 2

int set_clock(Places *block, uint64_t version) {
    Clock *former = block->clock;
    if (former != NULL && former->version == (int64_t)version) {
        return 0;
    }
    /* A program that reads one object and moves on would otherwise make and free a clock each time. */
    if (former != NULL && former->is_current && version != 0 && Py_REFCNT((PyObject *)former) == IDLE_REFERENCES &&
        PyDict_Size(former->destinations) == 0) {
        former->version = (int64_t)version;
        return 0;
    }
    Clock *clock = clock_of(block->changes, version);
    if (clock == NULL) {
        return -1;
    }
    block->clock = clock;
    Py_XDECREF((PyObject *)former);
    return 0;
}

static PyObject *python_clock_of(PyObject *module, PyObject *arguments) {
    (void)module;
    unsigned long long address, version;
    if (!PyArg_ParseTuple(arguments, "KK", &address, &version)) {
        return NULL;
    }
    return (PyObject *)clock_of((const uint64_t *)(uintptr_t)address, version);
}

static PyObject *retire_clocks(PyObject *module, PyObject *unused) {
    (void)module, (void)unused;
    PyObject *key, *clock;
    Py_ssize_t position = 0;
    while (PyDict_Next(clocks, &position, &key, &clock)) {
        ((Clock *)clock)->version = -1;
        ((Clock *)clock)->is_current = false;
    }
    PyDict_Clear(clocks);
    Py_RETURN_NONE;
}

static PyMemberDef members[] = {
    {"version", T_LONGLONG, offsetof(Clock, version), 0, "The value of the change counter for which what was read is valid."},
    {"destinations", T_OBJECT, offsetof(Clock, destinations), 0, "Destinations of relationships, by hierarchy and key."},
    {NULL, 0, 0, 0, NULL},
};

static PyGetSetDef computed[] = {
    {"value", (getter)clock_value, NULL, "The present value of the change counter.", NULL},
    {NULL, NULL, NULL, NULL, NULL},
};

static PyType_Slot slots[] = {
    {Py_tp_dealloc, clock_dealloc},
    {Py_tp_members, members},
    {Py_tp_getset, computed},
    {Py_tp_doc, "A context's change counter, and its value when something was read."},
    {0, NULL},
};

static PyType_Spec specification = {"pinview._accelerator.Clock", sizeof(Clock), 0, Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION, slots};

static PyMethodDef functions[] = {
    {"clock_of", python_clock_of, METH_VARARGS, "The clock for what was read when the change counter at an address had a value: address, value."},
    {"retire_clocks", retire_clocks, METH_NOARGS, "Invalidates everything that has been read so far."},
    {NULL, NULL, 0, NULL},
};

int add_clock(PyObject *module) {
    clock_type = add_type(module, &specification);
    clocks = PyDict_New();
    if (clock_type == NULL || clocks == NULL || PyModule_AddFunctions(module, functions) < 0) {
        return -1;
    }
    never = new_clock(NULL, -1);
    return never == NULL ? -1 : PyModule_AddObjectRef(module, "NEVER", (PyObject *)never);
}
