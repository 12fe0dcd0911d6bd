/* Descriptors of properties. Values that have been read and are valid are returned here; everything
 * else is left to the package. */

#include "accelerator.h"

PyTypeObject *attribute_type;
static PyTypeObject *to_one_type;

static Py_ssize_t index_in_other(Attribute *self, Places *block) {
    Py_ssize_t index = index_of(block->layout, self->name);
    if (index >= 0) {
        PyObject *former = (PyObject *)self->layout;
        Py_INCREF(block->layout);
        self->layout = block->layout;
        self->index = index;
        Py_XDECREF(former);
    }
    return index;
}

/* The index of the property in the entity of a block, usually that of the last one; -1 if the entity
 * has no property of this name. */
static inline Py_ssize_t index_in(Attribute *self, Places *block) {
    return block->layout == self->layout ? self->index : index_in_other(self, block);
}

static PyObject *column_of(View *view, Py_ssize_t index) {
    return index >= 0 && index < view->column_count ? view->columns[index] : NULL;
}

static bool reaches(PyObject *column, int64_t place) {
    return place < (is_of(column, values_type) ? (int64_t)((Values *)column)->count : (int64_t)PyList_Size(column));
}

/* At the first access to an object, or when its view is not valid any more, usually one of many in
 * a row: gives the object the view to read from. NULL if there is none, or with an exception. */
static View *followed(Object *target, View *view, Py_ssize_t index) {
    View *next = view->next == NULL || !is_valid(view->next->clock) ? current_view(view->block) : view->next;
    if (next == NULL || next == view || !is_valid(next->clock)) {
        return NULL;
    }
    PyObject *column = column_of(next, index);
    if (column == NULL || !reaches(column, target->place) || PySet_Size(next->unknown) != 0) {
        return NULL;
    }
    if (next->cache_version != 0) {
        const uint64_t *count = view->block->cache_changes;
        if ((count == NULL ? 0 : __atomic_load_n(count, __ATOMIC_ACQUIRE)) != next->cache_version) {
            return NULL;
        }
    }
    Py_INCREF(next);
    if (note_read(next, target->place) < 0) {
        Py_DECREF(next);
        return NULL;
    }
    return put_view(target, (AnyView *)next) < 0 ? NULL : next;
}

static Object *object_of(PyObject *target) {
    if (!PyObject_TypeCheck(target, object_type) || view_of((Object *)target) == NULL) {
        PyErr_Format(PyExc_TypeError, "this is an attribute of objects of a context, not of %R", (PyObject *)Py_TYPE(target));
        return NULL;
    }
    return (Object *)target;
}

static Object *owner_of_other_class(Attribute *self, PyObject *owner) {
    PyTypeObject *kind = Py_TYPE(owner);
    Object *target = object_of(owner);
    if (target != NULL) {
        PyTypeObject *former = self->kind;
        Py_INCREF(kind);
        self->kind = kind;
        Py_XDECREF(former);
    }
    return target;
}

/* The owner of an attribute, which usually has the same class as the last one. */
static inline Object *owner_of(Attribute *self, PyObject *owner) {
    bool is_known = Py_TYPE(owner) == self->kind && view_of((Object *)owner) != NULL;
    return is_known ? (Object *)owner : owner_of_other_class(self, owner);
}

/* Reads a single object again, and returns its new view, a borrowed reference. NULL if that is left
 * to the package, or with an exception. */
static ViewOfOne *read_again(Object *target, Places *block) {
    if (!block->any_thread || package.checks_queues || block->pid != package.process) {
        return NULL;
    }
    AnyView *view = loose_view(block, target->place);
    return view == NULL || put_view(target, view) < 0 ? NULL : (ViewOfOne *)view;
}

/* The value of an attribute, read with at most one call. NULL if it is left to the package, or with
 * an exception. */
static inline PyObject *value_at_hand(Object *target, const Layout *layout, Py_ssize_t index, PyObject *name) {
    AnyView *any = view_of(target);
    if (index < 0) {
        return NULL;
    }
    if (is_of(any, view_of_one_type)) {
        ViewOfOne *view = (ViewOfOne *)any;
        if (!is_valid(view->own)) {
            view = read_again(target, any->block);
            if (view == NULL || !is_valid(view->own)) {
                return NULL;
            }
        }
        /* Decoding a date can run Python code, during which another thread can replace the view. */
        Py_INCREF(view);
        PyObject *value = value_in_row(view, layout, index, name);
        Py_DECREF(view);
        return value;
    }
    View *view = is_valid(any->clock) ? (View *)any : followed(target, (View *)any, index);
    PyObject *column = view == NULL ? NULL : column_of(view, index);
    return column != NULL && reaches(column, target->place) ? value_at(column, target->place) : NULL;
}

/* Looks for the value of a property of a layout. NULL if it is left to the package, or with an
 * exception. */
typedef PyObject *(*at_hand_function)(Object *target, const Layout *layout, Py_ssize_t index, PyObject *name);

/* The value of a property: from `at_hand`, or else from the package. For the class, what stands for
 * the property there, by default the descriptor. */
static inline PyObject *property_get(Attribute *self, PyObject *owner, at_hand_function at_hand) {
    if (owner == NULL || owner == Py_None) {
        PyObject *shown = self->on_class == NULL ? (PyObject *)self : self->on_class;
        Py_INCREF(shown);
        return shown;
    }
    Object *target = owner_of(self, owner);
    if (target == NULL) {
        return NULL;
    }
    Places *block = view_of(target)->block;
    PyObject *value = NULL;
    if (block != NULL) {
        Py_ssize_t index = index_in(self, block);
        value = at_hand(target, self->layout, index, self->name);
    }
    return value != NULL || PyErr_Occurred() ? value : PyObject_GetItem(owner, self->name);
}

/* The value of an attribute while the context keeps changing, so that the columns of the block are
 * not valid: read with its object's row. NULL if it is left to the package, or with an exception. */
static PyObject *value_read_alone(Object *target, Py_ssize_t index, PyObject *name) {
    Places *block = view_of(target)->block;
    char kind = index < 0 ? KIND_OTHER : block->layout->kinds[index];
    if (kind == KIND_OTHER || kind == KIND_RELATIONSHIP || block->is_loose || !block->any_thread || package.checks_queues ||
        block->pid != package.process || block->current == NULL || block->current == Py_None) {
        return NULL;
    }
    View *current = current_view(block);
    if ((current != NULL && is_valid(current->clock)) || !takes_single_miss(block)) {
        return NULL;
    }
    PyObject *view = (PyObject *)loose_view(block, target->place);
    PyObject *value = view == NULL ? NULL : value_in_row((ViewOfOne *)view, block->layout, index, name);
    Py_XDECREF(view);
    return value;
}

static PyObject *value_with_a_call(Object *target, const Layout *layout, Py_ssize_t index, PyObject *name) {
    PyObject *value = value_at_hand(target, layout, index, name);
    return value != NULL || PyErr_Occurred() ? value : value_read_alone(target, index, name);
}

static PyObject *attribute_get(Attribute *self, PyObject *owner, PyObject *kind) {
    (void)kind;
    return property_get(self, owner, value_with_a_call);
}

static bool is_open(PyObject *target) {
    return !PyObject_TypeCheck(target, object_type) || (PyObject *)view_of((Object *)target) != package.closed;
}

/* The destination that the relationship of another object with the same key had. A borrowed
 * reference; NULL without an exception if there is none. */
static PyObject *known_destination(View *view, PyObject *name, int64_t place) {
    PyObject *hierarchy = PyDict_GetItemWithError(view->hierarchies, name);
    PyObject *keys = hierarchy == NULL ? NULL : PyDict_GetItemWithError(view->keys_of, name);
    PyObject *by_key = keys == NULL || view->clock->destinations == NULL ? NULL : PyDict_GetItemWithError(view->clock->destinations, hierarchy);
    if (by_key == NULL || !reaches(keys, place)) {
        return NULL;
    }
    PyObject *key = value_at(keys, place);
    PyObject *reference = key == NULL ? NULL : PyDict_GetItemWithError(by_key, key);
    Py_XDECREF(key);
    PyObject *target = reference == NULL ? NULL : PyWeakref_GetObject(reference);
    return target == NULL || target == Py_None || !is_open(target) ? NULL : target;
}

/* The destination of a to-one relationship, without a call. NULL if it is unknown, or with an
 * exception. */
static PyObject *destination_at_hand(Object *target, const Layout *layout, Py_ssize_t index, PyObject *name) {
    (void)layout;
    AnyView *any = view_of(target);
    if (index < 0) {
        return NULL;
    }
    if (is_of(any, view_of_one_type)) {
        ViewOfOne *view = (ViewOfOne *)any;
        PyObject *known = is_valid(view->own) && view->known != NULL ? PyDict_GetItemWithError(view->known, name) : NULL;
        known = known != NULL && is_open(known) ? known : NULL;
        Py_XINCREF(known);
        return known;
    }
    View *view = is_valid(any->clock) ? (View *)any : followed(target, (View *)any, index);
    PyObject *column = view == NULL ? NULL : column_of(view, index);
    if (column == NULL || !PyList_CheckExact(column) || !reaches(column, target->place)) {
        return NULL;
    }
    PyObject *known = PyList_GetItem(column, target->place);
    if (known != package.unresolved && is_open(known)) {
        Py_INCREF(known);
        return known;
    }
    known = known_destination(view, name, target->place);
    if (known != NULL) {
        track(known);
        Py_INCREF(known);
        Py_INCREF(known);
        PyList_SetItem(column, target->place, known); /* freeing the former item can run Python code */
    }
    return known;
}

static PyObject *to_one_get(Attribute *self, PyObject *owner, PyObject *kind) {
    (void)kind;
    return property_get(self, owner, destination_at_hand);
}

bool fill_cell(pinview_value *cell, PyObject *value) {
    memset(cell, 0, sizeof *cell);
    if (value == Py_None) {
        cell->type = PINVIEW_VALUE_NULL;
    } else if (PyUnicode_CheckExact(value)) {
        Py_ssize_t size;
        cell->type = PINVIEW_VALUE_STRING;
        cell->as.string.data = PyUnicode_AsUTF8AndSize(value, &size);
        cell->as.string.size = (size_t)size;
        if (cell->as.string.data == NULL) {
            PyErr_Clear();
            return false;
        }
    } else if (PyLong_CheckExact(value)) {
        int overflows;
        cell->type = PINVIEW_VALUE_INTEGER;
        cell->as.integer = PyLong_AsLongLongAndOverflow(value, &overflows);
        return !overflows;
    } else if (PyFloat_CheckExact(value)) {
        cell->type = PINVIEW_VALUE_DOUBLE;
        cell->as.real = PyFloat_AsDouble(value);
    } else if (PyBool_Check(value)) {
        cell->type = PINVIEW_VALUE_BOOLEAN;
        cell->as.boolean = value == Py_True;
    } else {
        return false;
    }
    return true;
}

/* Whether a value that is set reads as the same value. */
static bool stays(char kind, int32_t type) {
    switch (kind) {
    case KIND_INTEGER: return type == PINVIEW_VALUE_INTEGER || type == PINVIEW_VALUE_NULL;
    case KIND_DOUBLE: return type == PINVIEW_VALUE_DOUBLE || type == PINVIEW_VALUE_NULL;
    case KIND_BOOLEAN: return type == PINVIEW_VALUE_BOOLEAN || type == PINVIEW_VALUE_NULL;
    case KIND_TEXT: return type == PINVIEW_VALUE_STRING || type == PINVIEW_VALUE_NULL;
    default: return false;
    }
}

/* Keeps a view valid that was valid before a change, if that is the only change since. */
static int follow_change(AnyView *view, Clock *clock, uint64_t before, Attribute *self, int64_t place, PyObject *value) {
    if (clock->version != (int64_t)before || __atomic_load_n(clock->count, __ATOMIC_ACQUIRE) != before + 1) {
        return 0;
    }
    if (is_of(view, view_of_one_type)) {
        if (know((ViewOfOne *)view, self->name, value) < 0) {
            return -1;
        }
    } else {
        PyObject *column = column_of((View *)view, self->index);
        if (column != NULL && (!reaches(column, place) || set_value_at(column, place, value) < 0)) {
            return PyErr_Occurred() ? -1 : 0;
        }
        if (is_fault((View *)view, place)) {
            PyByteArray_AsString(((View *)view)->faults)[place] = 0;
        }
    }
    clock->version = (int64_t)before + 1;
    return 0;
}

int set_attribute(Attribute *self, Object *target, PyObject *value) {
    AnyView *any = view_of(target);
    Places *block = any == NULL ? NULL : any->block;
    Py_ssize_t index = block == NULL || block->pid != package.process ? -1 : index_in(self, block);
    pinview_value cell;
    /* A text for an attribute of another kind, such as a UUID, is converted by the package. */
    if (index < 0 || !fill_cell(&cell, value) || (cell.type == PINVIEW_VALUE_STRING && block->layout->kinds[index] == KIND_OTHER)) {
        if (PyErr_Occurred()) {
            return -1;
        }
        PyObject *none = PyObject_CallFunctionObjArgs(package.write, (PyObject *)target, self->name, value, NULL);
        Py_XDECREF(none);
        return none == NULL ? -1 : 0;
    }
    bool is_alone = is_of(any, view_of_one_type);
    AnyView *view = any;
    if (is_alone) {
        Py_INCREF(view);
    } else {
        view = (AnyView *)current_view(block);
        Py_XINCREF((PyObject *)view);
    }
    Clock *clock = is_alone ? ((ViewOfOne *)view)->own : view == NULL ? never : view->clock;
    Py_INCREF(clock);
    uint64_t before = clock->count == NULL ? 0 : __atomic_load_n(clock->count, __ATOMIC_ACQUIRE);
    bool held = view != NULL && clock->count != NULL && clock->version == (int64_t)before;
    Py_INCREF(block);
    int status = flush_pending();
    if (status == 0) {
        pinview_error *error = NULL;
        pinview_status result;
        Py_BEGIN_ALLOW_THREADS
        result = package.set_value(block->handle, (int32_t)index, (uint32_t)target->place, &cell, &error);
        Py_END_ALLOW_THREADS
        status = check_call(result, error);
    }
    if (status == 0 && held && self->layout == block->layout && stays(block->layout->kinds[index], cell.type)) {
        status = follow_change(view, clock, before, self, target->place, value);
    }
    Py_DECREF(block);
    Py_DECREF(clock);
    Py_XDECREF(view);
    return status;
}

static int attribute_set(Attribute *self, PyObject *owner, PyObject *value) {
    Object *target = owner_of(self, owner);
    if (target == NULL) {
        return -1;
    }
    if (value == NULL) {
        PyErr_Format(PyExc_AttributeError, "the property %U cannot be deleted", self->name);
        return -1;
    }
    return set_attribute(self, target, value);
}

static int to_one_set(Attribute *self, PyObject *owner, PyObject *value) {
    if (value == NULL) {
        PyErr_Format(PyExc_AttributeError, "the property %U cannot be deleted", self->name);
        return -1;
    }
    return PyObject_SetItem(owner, self->name, value);
}

static PyObject *attribute_new(PyTypeObject *type, PyObject *arguments, PyObject *keywords) {
    PyObject *name, *on_class = NULL;
    static char *parameters[] = {"name", "on_class", NULL};
    if (!PyArg_ParseTupleAndKeywords(arguments, keywords, "U|O", parameters, &name, &on_class)) {
        return NULL;
    }
    Attribute *made = (Attribute *)PyType_GenericNew(type, NULL, NULL);
    if (made != NULL) {
        Py_INCREF(name);
        PyUnicode_InternInPlace(&name);
        made->name = name;
        made->on_class = on_class == Py_None ? NULL : on_class;
        Py_XINCREF(made->on_class);
    }
    return (PyObject *)made;
}

static int attribute_traverse(Attribute *self, visitproc visit, void *arg) {
    Py_VISIT(Py_TYPE((PyObject *)self));
    Py_VISIT(self->kind);
    Py_VISIT(self->on_class);
    return 0;
}

static int attribute_clear(Attribute *self) {
    Py_CLEAR(self->kind);
    Py_CLEAR(self->on_class);
    return 0;
}

static void attribute_dealloc(Attribute *self) {
    PyTypeObject *type = Py_TYPE(self);
    PyObject_GC_UnTrack(self);
    attribute_clear(self);
    Py_XDECREF(self->name);
    Py_XDECREF((PyObject *)self->layout);
    PyObject_GC_Del(self);
    Py_DECREF(type);
}

static PyObject *attribute_doc(Attribute *self, void *unused) {
    (void)unused;
    return PyUnicode_FromFormat("The property %U.", self->name);
}

static PyMemberDef members[] = {
    {"name", T_OBJECT_EX, offsetof(Attribute, name), READONLY, "The name of the property."},
    {NULL, 0, 0, 0, NULL},
};

static PyGetSetDef computed[] = {
    {"__doc__", (getter)attribute_doc, NULL, NULL, NULL},
    {NULL, NULL, NULL, NULL, NULL},
};

static PyType_Slot attribute_slots[] = {
    {Py_tp_new, attribute_new},
    {Py_tp_traverse, attribute_traverse},
    {Py_tp_clear, attribute_clear},
    {Py_tp_dealloc, attribute_dealloc},
    {Py_tp_descr_get, attribute_get},
    {Py_tp_descr_set, attribute_set},
    {Py_tp_members, members},
    {Py_tp_getset, computed},
    {0, NULL},
};

static PyType_Slot to_one_slots[] = {
    {Py_tp_new, attribute_new},
    {Py_tp_traverse, attribute_traverse},
    {Py_tp_clear, attribute_clear},
    {Py_tp_dealloc, attribute_dealloc},
    {Py_tp_descr_get, to_one_get},
    {Py_tp_descr_set, to_one_set},
    {Py_tp_members, members},
    {Py_tp_getset, computed},
    {0, NULL},
};

static PyType_Spec attribute_specification = {
    "pinview._accelerator.Attribute", sizeof(Attribute), 0, Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE | Py_TPFLAGS_HAVE_GC, attribute_slots};
static PyType_Spec to_one_specification = {
    "pinview._accelerator.ToOne", sizeof(Attribute), 0, Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC, to_one_slots};

/* NULL with an exception, or if not all of them have been read. */
PyObject *values_of(Object *target, PyObject *const *names, Py_ssize_t count) {
    Places *block = view_of(target)->block;
    Layout *layout = block == NULL ? NULL : block->layout;
    PyObject *values = PyTuple_New(count);
    for (Py_ssize_t place = 0; values != NULL && place < count; place++) {
        Py_ssize_t index = index_of(layout, names[place]);
        PyObject *value = index < 0 || layout->kinds[index] == KIND_RELATIONSHIP ? NULL : value_at_hand(target, layout, index, names[place]);
        if (value == NULL) {
            Py_CLEAR(values);
        } else {
            PyTuple_SetItem(values, place, value);
        }
    }
    return values;
}

int add_properties(PyObject *module) {
    attribute_type = add_type(module, &attribute_specification);
    to_one_type = add_type(module, &to_one_specification);
    return attribute_type == NULL || to_one_type == NULL ? -1 : 0;
}
