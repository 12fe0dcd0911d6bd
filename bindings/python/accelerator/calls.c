/* Calls of the library: what has to be done before and after them, and checks of arguments. */

#include "accelerator.h"

static int call_and_forget(PyObject *function) {
    PyObject *none = PyObject_CallFunctionObjArgs(function, NULL);
    Py_XDECREF(none);
    return none == NULL ? -1 : 0;
}

int flush_pending(void) {
    return PyList_Size(package.pending_releases) > 0 || PyList_Size(package.pending_fires) > 0 ? call_and_forget(package.flush) : 0;
}

/* The elements of a list as places: memory to be freed; NULL with an exception. */
static uint32_t *places_of(PyObject *list, Py_ssize_t count) {
    uint32_t *places = PyMem_Malloc((size_t)count * sizeof *places + 1);
    if (places == NULL) {
        PyErr_NoMemory();
        return NULL;
    }
    for (Py_ssize_t index = 0; index < count; index++) {
        places[index] = (uint32_t)PyLong_AsUnsignedLong(PyList_GetItem(list, index));
    }
    if (PyErr_Occurred()) {
        PyMem_Free(places);
        return NULL;
    }
    return places;
}

/* Tells the library which faults of a view were read. If another thread is using that context, they
 * stay pending. */
static int fire(View *view, PyObject *reference) {
    PyObject *fired = view->fired, *none = PyList_New(0);
    Py_ssize_t count = PyList_Size(fired);
    uint32_t *places = none == NULL ? NULL : places_of(fired, count);
    if (places == NULL) {
        Py_XDECREF(none);
        return -1;
    }
    view->fired = none;
    Places *block = view->block;
    Py_INCREF(block);
    int32_t is_done;
    Py_BEGIN_ALLOW_THREADS
    is_done = package.fire(block->handle, places, (size_t)count);
    Py_END_ALLOW_THREADS
    Py_DECREF(block);
    PyMem_Free(places);
    int status = 0;
    if (!is_done) {
        Py_ssize_t end = PyList_Size(view->fired);
        status = PyList_SetSlice(view->fired, end, end, fired) < 0 ? -1 : PyList_Append(package.pending_fires, reference);
    }
    Py_DECREF(fired);
    return status;
}

int flush_fires(void) {
    for (Py_ssize_t left = PyList_Size(package.pending_fires); left > 0 && PyList_Size(package.pending_fires) > 0; left--) {
        PyObject *reference = PyList_GetItem(package.pending_fires, 0);
        Py_INCREF(reference);
        PyObject *view = PyList_SetSlice(package.pending_fires, 0, 1, NULL) < 0 ? NULL : PyWeakref_GetObject(reference);
        int status = view == NULL ? -1 : 0;
        if (view != NULL && is_of(view, view_type)) {
            Py_INCREF(view);
            status = fire((View *)view, reference);
            Py_DECREF(view);
        }
        Py_DECREF(reference);
        if (status < 0) {
            return -1;
        }
    }
    return 0;
}

static PyObject *flush_fires_of_all(PyObject *module, PyObject *none) {
    (void)module;
    (void)none;
    if (flush_fires() < 0) {
        return NULL;
    }
    Py_RETURN_NONE;
}

static PyMethodDef functions[] = {
    {"flush_fires", flush_fires_of_all, METH_NOARGS, "Tells the library which faults were read."},
    {NULL, NULL, 0, NULL},
};

int add_calls(PyObject *module) {
    return PyModule_AddFunctions(module, functions);
}

int check_call(pinview_status status, pinview_error *error) {
    if (status == PINVIEW_OK && PyDict_Size(package.pending_exceptions) == 0) {
        return 0;
    }
    PyObject *none = PyObject_CallFunction(package.failed, "iK", (int)status, (unsigned long long)(uintptr_t)error);
    Py_XDECREF(none);
    return none == NULL ? -1 : 0;
}

static bool is_given(const char *function, PyObject *argument, PyTypeObject *type) {
    if (type == NULL || PyObject_TypeCheck(argument, type)) {
        return true;
    }
    PyErr_Format(PyExc_TypeError, "%s() does not accept %R here", function, argument);
    return false;
}

bool takes(const char *function, PyObject *const *arguments, Py_ssize_t count, Py_ssize_t wanted, PyTypeObject *first, PyTypeObject *second) {
    if (count != wanted) {
        PyErr_Format(PyExc_TypeError, "%s() takes %zd arguments, got %zd", function, wanted, count);
        return false;
    }
    return is_given(function, arguments[0], first) && is_given(function, arguments[1], second);
}
