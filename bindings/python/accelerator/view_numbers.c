/* Views by number. An object keeps the number of its view and its place in eight bytes. With a
 * pointer and a word it would need three more words, because the allocator rounds up. */

#include "accelerator.h"

AnyView **views;

static uint32_t capacity, used = 1; /* 0 means no view */
/* Numbers that can be reused. */
static uint32_t *free_numbers, free_count;

static bool grow(void) {
    uint32_t wanted = capacity == 0 ? 64 : capacity * 2;
    AnyView **larger = PyMem_Realloc(views, wanted * sizeof *views);
    views = larger == NULL ? views : larger;
    uint32_t *numbers = larger == NULL ? NULL : PyMem_Realloc(free_numbers, wanted * sizeof *free_numbers);
    free_numbers = numbers == NULL ? free_numbers : numbers;
    if (numbers == NULL) {
        return false;
    }
    views[0] = NULL;
    capacity = wanted;
    return true;
}

/* Gives an object a view, and takes over the reference. 0, or -1 with an exception and the
 * reference released. */
int put_view(Object *target, AnyView *view) {
    if (view->number == 0) {
        if (free_count == 0 && used >= capacity && !grow()) {
            Py_DECREF(view);
            PyErr_NoMemory();
            return -1;
        }
        view->number = free_count > 0 ? free_numbers[--free_count] : used++;
        views[view->number] = view;
    }
    AnyView *former = view_of(target);
    target->view_number = view->number;
    if (PyObject_GC_IsTracked((PyObject *)target)) {
        track((PyObject *)target); /* it may be part of a cycle, and so may its new view */
    }
    Py_XDECREF((PyObject *)former);
    return 0;
}

/* Frees the number of a view that is being freed. No object refers to it any more. */
void end_number(AnyView *view) {
    if (view->number != 0) {
        views[view->number] = NULL;
        free_numbers[free_count++] = view->number;
        view->number = 0;
    }
}
