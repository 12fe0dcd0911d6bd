/* Views: what has been read of a block. */

#include "accelerator.h"

PyTypeObject *view_type;

/* By place: no object is a fault. */
static PyObject *no_faults;

static int view_init(View *self, PyObject *arguments, PyObject *keywords) {
    PyObject *block;
    Clock *clock;
    static char *parameters[] = {"block", "clock", NULL};
    if (!PyArg_ParseTupleAndKeywords(arguments, keywords, "OO!", parameters, &block, clock_type, &clock)) {
        return -1;
    }
    if (block != Py_None && !PyObject_TypeCheck(block, places_type)) {
        PyErr_SetString(PyExc_TypeError, "a view needs a block");
        return -1;
    }
    if (self->clock != NULL) {
        PyErr_SetString(PyExc_TypeError, "a view is initialised once");
        return -1;
    }
    Py_INCREF(clock);
    self->clock = clock;
    if (block != Py_None) {
        Py_INCREF(block);
        self->block = (Places *)block;
        self->column_count = self->block->layout == NULL ? 0 : self->block->layout->count;
        self->columns = PyMem_Calloc((size_t)self->column_count + 1, sizeof *self->columns);
    }
    self->unknown = PySet_New(NULL);
    Py_INCREF(no_faults);
    self->faults = no_faults;
    self->fired = PyList_New(0);
    self->keys_of = PyDict_New();
    self->hierarchies = PyDict_New();
    if ((block != Py_None && self->columns == NULL) || !self->unknown || !self->fired || !self->keys_of || !self->hierarchies) {
        PyErr_NoMemory();
        return -1;
    }
    return 0;
}

static int view_traverse(View *self, visitproc visit, void *arg) {
    Py_VISIT(Py_TYPE((PyObject *)self));
    Py_VISIT(self->block);
    Py_VISIT(self->next);
    for (Py_ssize_t index = 0; index < self->column_count; index++) {
        Py_VISIT(self->columns[index]);
    }
    Py_VISIT(self->keys_of);
    return 0;
}

static int view_clear(View *self) {
    Py_CLEAR(self->next);
    for (Py_ssize_t index = 0; index < self->column_count; index++) {
        Py_CLEAR(self->columns[index]);
    }
    Py_CLEAR(self->keys_of);
    return 0;
}

static void view_dealloc(View *self) {
    PyTypeObject *type = Py_TYPE(self);
    PyObject_GC_UnTrack(self);
    if (self->weak_references != NULL) {
        PyObject_ClearWeakRefs((PyObject *)self);
    }
    end_number((AnyView *)self);
    view_clear(self);
    PyMem_Free(self->columns);
    Py_XDECREF(self->unknown);
    Py_XDECREF(self->faults);
    Py_XDECREF(self->fired);
    Py_XDECREF(self->hierarchies);
    Py_XDECREF(self->clock);
    Py_XDECREF(self->block);
    PyObject_GC_Del(self);
    Py_DECREF(type);
}

static Py_ssize_t column_index(View *self, PyObject *name) {
    return self->block == NULL ? -1 : index_of(self->block->layout, name);
}

static PyObject *view_column(View *self, PyObject *name) {
    Py_ssize_t index = column_index(self, name);
    PyObject *column = index < 0 || index >= self->column_count ? NULL : self->columns[index];
    if (column == NULL && !PyErr_Occurred()) {
        PyErr_SetObject(PyExc_KeyError, name);
    }
    Py_XINCREF(column);
    return column;
}

static int view_set_column(View *self, PyObject *name, PyObject *column) {
    Py_ssize_t index = column_index(self, name);
    if (index < 0 || index >= self->column_count || column == NULL) {
        if (!PyErr_Occurred()) {
            PyErr_SetObject(PyExc_KeyError, name);
        }
        return -1;
    }
    if (!is_of(column, values_type) && !PyList_CheckExact(column)) {
        PyErr_SetString(PyExc_TypeError, "a column must be a list or Values");
        return -1;
    }
    PyObject *former = self->columns[index];
    Py_INCREF(column);
    self->columns[index] = column;
    Py_XDECREF(former);
    return 0;
}

static int view_contains(View *self, PyObject *name) {
    Py_ssize_t index = column_index(self, name);
    if (index < 0) {
        return PyErr_Occurred() ? -1 : 0;
    }
    return index < self->column_count && self->columns[index] != NULL;
}

static PyObject *view_get(View *self, PyObject *name) {
    PyObject *column = view_column(self, name);
    if (column == NULL && PyErr_ExceptionMatches(PyExc_KeyError)) {
        PyErr_Clear();
        Py_RETURN_NONE;
    }
    return column;
}

bool is_fault(const View *view, int64_t place) {
    PyObject *faults = view->faults;
    return PyByteArray_Check(faults) && place < PyByteArray_Size(faults) && PyByteArray_AsString(faults)[place] != 0;
}

/* Notes that an object is read: if it is a fault, the library has to be told. */
int note_read(View *view, int64_t place) {
    if (!is_fault(view, place)) {
        return 0;
    }
    PyByteArray_AsString(view->faults)[place] = 0;
    if (PyList_Size(view->fired) == 0) {
        PyObject *reference = PyWeakref_NewRef((PyObject *)view, NULL);
        int failed = reference == NULL || PyList_Append(package.pending_fires, reference) < 0;
        Py_XDECREF(reference);
        if (failed) {
            return -1;
        }
    }
    PyObject *number = PyLong_FromLongLong(place);
    int failed = number == NULL || PyList_Append(view->fired, number) < 0;
    Py_XDECREF(number);
    return failed ? -1 : 0;
}

static PyObject *view_note_read(View *self, PyObject *place) {
    int64_t number = PyLong_AsLongLong(place);
    if ((number < 0 && PyErr_Occurred()) || note_read(self, number) < 0) {
        return NULL;
    }
    Py_RETURN_NONE;
}

bool is_view(PyObject *object) {
    return is_of(object, view_type) || is_of(object, view_of_one_type);
}

View *current_view(Places *block) {
    PyObject *view = block->current == NULL || block->current == Py_None ? NULL : PyWeakref_GetObject(block->current);
    return view != NULL && is_of(view, view_type) ? (View *)view : NULL;
}

PyObject *any_block(AnyView *self, void *unused) {
    (void)unused;
    PyObject *block = self->block == NULL ? Py_None : (PyObject *)self->block;
    Py_INCREF(block);
    return block;
}

PyObject *any_clock(AnyView *self, void *unused) {
    (void)unused;
    Py_INCREF(self->clock);
    return (PyObject *)self->clock;
}

static int view_set_clock(View *self, PyObject *clock, void *unused) {
    (void)unused;
    if (clock == NULL || !is_of(clock, clock_type)) {
        PyErr_SetString(PyExc_TypeError, "expected a clock");
        return -1;
    }
    Clock *former = self->clock;
    Py_INCREF(clock);
    self->clock = (Clock *)clock;
    Py_DECREF(former);
    return 0;
}

static PyObject *view_next(View *self, void *unused) {
    (void)unused;
    PyObject *next = self->next == NULL ? Py_None : (PyObject *)self->next;
    Py_INCREF(next);
    return next;
}

static int view_set_next(View *self, PyObject *next, void *unused) {
    (void)unused;
    if (next == NULL || (next != Py_None && !is_of(next, view_type))) {
        PyErr_SetString(PyExc_TypeError, "expected a view or None");
        return -1;
    }
    View *former = self->next;
    if (next == Py_None) {
        self->next = NULL;
    } else {
        Py_INCREF(next);
        self->next = (View *)next;
    }
    Py_XDECREF(former);
    return 0;
}

static PyObject *minus_one(PyObject *self, void *unused) {
    (void)self, (void)unused;
    return PyLong_FromLong(-1);
}

static PyMemberDef view_members[] = {
    {"unknown", T_OBJECT, offsetof(View, unknown), 0, "Places that cannot be read from here."},
    {"faults", T_OBJECT, offsetof(View, faults), 0, "By place: whether the object is a fault that nobody has read."},
    {"fired", T_OBJECT, offsetof(View, fired), 0, "Places of faults that were read, until the library has been told."},
    {"keys_of", T_OBJECT, offsetof(View, keys_of), 0, "For to-one relationships: the keys of the destinations."},
    {"hierarchies", T_OBJECT, offsetof(View, hierarchies), 0, "For to-one relationships: the hierarchy in which the keys are unique."},
    {"cache_version", T_ULONGLONG, offsetof(View, cache_version), 0, "The value of the row cache's change counter to which the faults belong; 0 for none."},
    {"__weaklistoffset__", T_PYSSIZET, offsetof(View, weak_references), READONLY, NULL},
    {NULL, 0, 0, 0, NULL},
};

static PyGetSetDef view_computed[] = {
    {"block", (getter)any_block, NULL, "The block.", NULL},
    {"clock", (getter)any_clock, (setter)view_set_clock, "Tells how long the view is valid.", NULL},
    {"next", (getter)view_next, (setter)view_set_next, "In the view of unread objects: the view to read them from.", NULL},
    {"at", minus_one, NULL, "-1; in a ViewOfOne the place of its object.", NULL},
    {NULL, NULL, NULL, NULL, NULL},
};

static PyMethodDef view_methods[] = {
    {"get", (PyCFunction)view_get, METH_O, "A column, or None."},
    {"note_read", (PyCFunction)view_note_read, METH_O, "Notes that an object is read: place."},
    {NULL, NULL, 0, NULL},
};

static PyType_Slot view_slots[] = {
    {Py_tp_init, view_init},
    {Py_tp_new, PyType_GenericNew},
    {Py_tp_traverse, view_traverse},
    {Py_tp_clear, view_clear},
    {Py_tp_dealloc, view_dealloc},
    {Py_mp_subscript, view_column},
    {Py_mp_ass_subscript, view_set_column},
    {Py_sq_contains, view_contains},
    {Py_tp_members, view_members},
    {Py_tp_getset, view_computed},
    {Py_tp_methods, view_methods},
    {Py_tp_doc, "Columns of a block, by property name."},
    {0, NULL},
};

static PyType_Spec view_specification = {"pinview._accelerator.View", sizeof(View), 0, Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC, view_slots};

int add_view(PyObject *module) {
    static const char zeros[PINVIEW_OBJECT_BLOCK_LIMIT];
    no_faults = PyBytes_FromStringAndSize(zeros, sizeof zeros);
    view_type = add_type(module, &view_specification);
    return view_type == NULL || no_faults == NULL ? -1 : 0;
}
