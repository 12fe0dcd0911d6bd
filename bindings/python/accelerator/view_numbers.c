/* Views by number. An object has the number of its view and its own place in eight bytes, so that it takes three words of memory less
 * than a pointer and a word would make of it once the allocator has rounded up. */

#include "accelerator.h"

AnyView **views;

static uint32_t capacity, used = 1; /* 0 is no view */
/* Numbers that are free again. */
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

/* Takes over a reference; 0, or -1 with an exception and the reference given back. */
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
    Py_XDECREF((PyObject *)former);
    return 0;
}

/* The number of a view that goes: no object has it any more. */
void end_number(AnyView *view) {
    if (view->number != 0) {
        views[view->number] = NULL;
        free_numbers[free_count++] = view->number;
        view->number = 0;
    }
}
