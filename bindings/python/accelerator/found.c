/* The objects that IDs stand for, for as long as nothing changes. */

#include "accelerator.h"

/* So many contexts at the most are known to an ID: those that used it last. */
#define MOST_CONTEXTS 4

/* Where an ID was found in a context. The ID has it, so that who has the ID needs to look nowhere else. */
typedef struct Finding {
    PyObject_HEAD
    struct Finding *next; /* in other contexts */
    uint64_t context, time;
    PyObject *block; /* a weak reference, the same for all objects of the block */
    uint32_t place;  /* a place never gets another object */
} Finding;

/* A context as IDs know it. */
typedef struct {
    PyObject_HEAD
    const uint64_t *count;
    int64_t version;
    uint64_t context, time; /* of findings that hold as long as the count stands */
} Found;

static PyTypeObject *found_type, *finding_type;

/* Numbers of contexts, and of times at which one began anew; none is given twice. */
static uint64_t last_number;

/* Not counted; NULL without an error for none. */
static Object *found_target(const Found *self, PyObject *findings) {
    if (!is_of(findings, finding_type) || self->count == NULL || __atomic_load_n(self->count, __ATOMIC_ACQUIRE) != (uint64_t)self->version) {
        return NULL;
    }
    for (const Finding *each = (Finding *)findings; each != NULL; each = each->next) {
        if (each->context == self->context) {
            PyObject *block = each->time == self->time ? PyWeakref_GetObject(each->block) : NULL;
            return block == NULL || block == Py_None ? NULL : living_object((Places *)block, each->place);
        }
    }
    return NULL;
}

static PyObject *counted(Object *target) {
    PyObject *given = target == NULL ? Py_None : (PyObject *)target;
    Py_INCREF(given);
    return given;
}

static PyObject *found_get(Found *self, PyObject *findings) {
    return counted(found_target(self, findings));
}

static PyObject *found_loaded(Found *self, PyObject *findings) {
    Object *target = found_target(self, findings);
    if (target != NULL) {
        ViewOfOne *view = (ViewOfOne *)view_of(target);
        if (!is_of(view, view_of_one_type) || !clock_holds(view->own)) {
            target = NULL;
        }
    }
    return counted(target);
}

static PyObject *found_forget(Found *self, PyObject *unused) {
    (void)unused;
    self->count = NULL;
    self->version = -1;
    self->time = ++last_number;
    Py_RETURN_NONE;
}

/* Leaves of findings those in other contexts, and not too many. */
static void trim(Finding **findings, uint64_t context) {
    int left = MOST_CONTEXTS - 1;
    while (*findings != NULL && left > 0) {
        Finding *each = *findings;
        if (each->context != context) {
            left--;
            findings = &each->next;
        } else {
            *findings = each->next;
            each->next = NULL;
            Py_DECREF((PyObject *)each);
        }
    }
    Finding *rest = *findings;
    *findings = NULL;
    Py_XDECREF((PyObject *)rest);
}

static PyObject *found_note(PyObject *finder, PyObject *const *arguments, Py_ssize_t given) {
    if (!takes("note", arguments, given, 3, NULL, object_type)) {
        return NULL;
    }
    Found *self = (Found *)finder;
    PyObject *former = arguments[0];
    Object *target = (Object *)arguments[1];
    uint64_t changes = PyLong_AsUnsignedLongLong(arguments[2]);
    if (changes == UINT64_MAX && PyErr_Occurred()) {
        return NULL;
    }
    AnyView *view = view_of(target);
    Places *block = view == NULL ? NULL : view->block;
    if (block == NULL || ((int64_t)changes != self->version && (!block->any_thread || package.checks_queues))) {
        Py_INCREF(former);
        return former;
    }
    if ((int64_t)changes != self->version) {
        self->count = block->changes;
        self->version = (int64_t)changes;
        self->time = ++last_number;
    }
    Finding *made = (Finding *)PyType_GenericAlloc(finding_type, 0);
    if (made == NULL || (made->block = PyWeakref_NewRef((PyObject *)block, NULL)) == NULL) {
        Py_XDECREF((PyObject *)made);
        return NULL;
    }
    made->context = self->context;
    made->time = self->time;
    made->place = target->place;
    if (is_of(former, finding_type)) {
        Py_INCREF(former);
        made->next = (Finding *)former;
        trim(&made->next, self->context);
    }
    return (PyObject *)made;
}

static PyObject *found_new(PyTypeObject *type, PyObject *arguments, PyObject *keywords) {
    (void)arguments, (void)keywords;
    Found *made = (Found *)PyType_GenericNew(type, NULL, NULL);
    if (made != NULL) {
        made->version = -1;
        made->context = ++last_number;
    }
    return (PyObject *)made;
}

static void found_dealloc(PyObject *self) {
    PyTypeObject *type = Py_TYPE(self);
    PyObject_Free(self);
    Py_DECREF(type);
}

static void finding_dealloc(Finding *self) {
    Py_XDECREF((PyObject *)self->next);
    Py_XDECREF(self->block);
    found_dealloc((PyObject *)self);
}

static PyMemberDef members[] = {
    {"version", T_LONGLONG, offsetof(Found, version), READONLY, "The count of changes up to which all of it holds; -1 for none."},
    {NULL, 0, 0, 0, NULL},
};

static PyMethodDef methods[] = {
    {"get", (PyCFunction)found_get, METH_O, "The object of an ID by its findings, if that still holds; else None."},
    {"loaded", (PyCFunction)found_loaded, METH_O, "The same, if its values hold as well."},
    {"note", FAST(found_note), "The findings of an ID with an object: what they were, the object, the count of changes that it was found at."},
    {"forget", (PyCFunction)found_forget, METH_NOARGS, "Forgets all."},
    {NULL, NULL, 0, NULL},
};

static PyType_Slot slots[] = {
    {Py_tp_new, found_new},
    {Py_tp_dealloc, found_dealloc},
    {Py_tp_members, members},
    {Py_tp_methods, methods},
    {Py_tp_doc, "The objects that IDs stand for in a context, for as long as nothing changes."},
    {0, NULL},
};

static PyType_Spec specification = {"pinview._accelerator.Found", sizeof(Found), 0, Py_TPFLAGS_DEFAULT, slots};

static PyType_Slot finding_slots[] = {
    {Py_tp_dealloc, finding_dealloc},
    {Py_tp_doc, "Where an ID was found in a context."},
    {0, NULL},
};

static PyType_Spec finding_specification = {"pinview._accelerator.Finding", sizeof(Finding), 0, Py_TPFLAGS_DEFAULT, finding_slots};

int add_found(PyObject *module) {
    found_type = add_type(module, &specification);
    finding_type = found_type == NULL ? NULL : add_type(module, &finding_specification);
    return finding_type == NULL ? -1 : 0;
}
