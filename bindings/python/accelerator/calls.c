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

int flush_fires(void) {
    return PyList_Size(package.pending_fires) > 0 ? call_and_forget(package.flush_fires) : 0;
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
