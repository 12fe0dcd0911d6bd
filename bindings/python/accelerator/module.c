/* The module, and what the package passes to it. */

#include "accelerator.h"

struct connection package;

/* The ID of the interpreter that imported the module first. */
static int64_t home = -1;

PyTypeObject *add_subtype(PyObject *module, PyType_Spec *spec, PyTypeObject *base) {
    PyTypeObject *type = (PyTypeObject *)PyType_FromSpecWithBases(spec, (PyObject *)base);
    if (type != NULL && PyModule_AddType(module, type) < 0) {
        Py_CLEAR(type);
    }
    return type;
}

PyTypeObject *add_type(PyObject *module, PyType_Spec *spec) {
    return add_subtype(module, spec, NULL);
}

static int take_object(PyObject *given, const char *name, PyObject **place) {
    PyObject *object = PyDict_GetItemString(given, name);
    if (object == NULL) {
        return 0;
    }
    PyObject *former = *place;
    Py_INCREF(object);
    *place = object;
    Py_XDECREF(former);
    return 0;
}

static int take_address(PyObject *given, const char *name, void *place) {
    PyObject *number = PyDict_GetItemString(given, name);
    if (number == NULL) {
        return 0;
    }
    void *address = PyLong_AsVoidPtr(number);
    if (address == NULL) {
        if (!PyErr_Occurred()) {
            PyErr_Format(PyExc_ValueError, "%s has no address", name);
        }
        return -1;
    }
    memcpy(place, &address, sizeof address);
    return 0;
}

static PyObject *connect(PyObject *module, PyObject *given) {
    (void)module;
    if (!PyDict_Check(given)) {
        PyErr_SetString(PyExc_TypeError, "connect() expects a dictionary");
        return NULL;
    }
    if (PyInterpreterState_GetID(PyInterpreterState_Get()) != home) {
        PyErr_SetString(PyExc_ImportError, "it can only be used by the first interpreter of the process that imports it");
        return NULL;
    }
    struct {
        const char *name;
        PyObject **place;
    } objects[] = {
        {"pending_releases", &package.pending_releases},
        {"pending_fires", &package.pending_fires},
        {"pending_exceptions", &package.pending_exceptions},
        {"unresolved", &package.unresolved},
        {"closed", &package.closed},
        {"callbacks", &package.callbacks},
        {"flush", &package.flush},
        {"failed", &package.failed},
        {"datetime", &package.datetime},
        {"utc", &package.utc},
        {"date_of_seconds", &package.date_of_seconds},
        {"uuid_of_bytes", &package.uuid_of_bytes},
        {"get_attribute", &package.get_attribute},
        {"set_attribute", &package.set_attribute},
        {"read_values", &package.read_values},
        {"write", &package.write},
    };
    for (size_t index = 0; index < sizeof objects / sizeof *objects; index++) {
        take_object(given, objects[index].name, objects[index].place);
    }
    if (take_address(given, "pinview_object_block_set_value", &package.set_value) < 0 ||
        take_address(given, "pinview_context_object_row", &package.object_row) < 0 ||
        take_address(given, "pinview_result_object_row", &package.result_row) < 0 ||
        take_address(given, "pinview_object_block_related_row", &package.related_row) < 0 ||
        take_address(given, "pinview_object_block_row", &package.block_row) < 0 ||
        take_address(given, "pinview_object_block_fire", &package.fire) < 0 ||
        take_address(given, "pinview_object_id_release", &package.object_id_release) < 0 ||
        take_address(given, "pinview_context_insert_row", &package.insert_row) < 0) {
        return NULL;
    }
    Py_RETURN_NONE;
}

static PyObject *set_process(PyObject *module, PyObject *number) {
    (void)module;
    long process = PyLong_AsLong(number);
    if (process == -1 && PyErr_Occurred()) {
        return NULL;
    }
    package.process = process;
    Py_RETURN_NONE;
}

static PyObject *set_checks_queues(PyObject *module, PyObject *enabled) {
    (void)module;
    int checks = PyObject_IsTrue(enabled);
    if (checks < 0) {
        return NULL;
    }
    package.checks_queues = checks != 0;
    Py_RETURN_NONE;
}

static PyMethodDef functions[] = {
    {"connect", connect, METH_O, "Takes objects of the package and addresses of functions of the library, by name. Can be called several times."},
    {"set_process", set_process, METH_O, "Sets the ID of this process, so that objects of a parent process are not written to."},
    {"set_checks_queues", set_checks_queues, METH_O, "Sets whether the library checks which thread a call comes from."},
    {NULL, NULL, 0, NULL},
};

static struct PyModuleDef definition = {
    PyModuleDef_HEAD_INIT,
    "pinview._accelerator",
    "The hot paths of reading and writing objects; see pinview._objects.hot_paths.",
    -1,
    functions,
    NULL,
    NULL,
    NULL,
    NULL,
};

PyMODINIT_FUNC PyInit__accelerator(void) {
    PyObject *module = PyModule_Create(&definition);
    if (module == NULL) {
        return NULL;
    }
    home = PyInterpreterState_GetID(PyInterpreterState_Get());
    int (*const add[])(PyObject *) = {add_calls,  add_clock,  add_layout,     add_values,  add_view,         add_view_of_one,  add_places,
                                      add_object, add_properties, add_lookups, add_handle_owner, add_lookup_cache, add_function, add_rows};
    for (size_t index = 0; index < sizeof add / sizeof *add; index++) {
        if (add[index](module) < 0) {
            Py_DECREF(module);
            return NULL;
        }
    }
    return module;
}
