/* What has to be said to the library before a call, and what comes of one. */

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
