/* What has to be said to the library before a call, and what comes of one; and what is wrong with arguments. */

#include "accelerator.h"

static int call_and_forget(PyObject *function) {
    PyObject *none = PyObject_CallFunctionObjArgs(function, NULL);
    Py_XDECREF(none);
    return none == NULL ? -1 : 0;
}

int settle_debts(void) {
    return PyList_Size(package.gone) > 0 || PyList_Size(package.shown) > 0 ? call_and_forget(package.settle) : 0;
}

int settle_shown_faults(void) {
    return PyList_Size(package.shown) > 0 ? call_and_forget(package.settle_shown) : 0;
}

int check_call(pinview_status status, pinview_error *error) {
    if (status == PINVIEW_OK && PyDict_Size(package.pending) == 0) {
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
    PyErr_Format(PyExc_TypeError, "%s() does not take %R there.", function, argument);
    return false;
}

bool takes(const char *function, PyObject *const *arguments, Py_ssize_t count, Py_ssize_t wanted, PyTypeObject *first, PyTypeObject *second) {
    if (count != wanted) {
        PyErr_Format(PyExc_TypeError, "%s() takes %zd arguments, not %zd.", function, wanted, count);
        return false;
    }
    return is_given(function, arguments[0], first) && is_given(function, arguments[1], second);
}
