/* The cache of the objects that IDs stand for, valid while nothing changes. */

#include "accelerator.h"

/* For how many contexts an ID caches its object: those that used it last. */
#define MAX_CONTEXTS 4

/* An entry of the cache. Entries lie in the IDs themselves, so that looking up an ID needs no
 * table. */
typedef struct CacheEntry {
    PyObject_HEAD
    struct CacheEntry *next; /* of another context */
    uint64_t context, time;
    PyObject *block; /* a weak reference, shared by all objects of the block */
    uint32_t place;  /* which is never reused for another object */
} CacheEntry;

/* The cache of a context. */
typedef struct {
    PyObject_HEAD
    const uint64_t *count;
    int64_t version;
    uint64_t context, time; /* of valid entries */
} LookupCache;

static PyTypeObject *cache_type, *entry_type;

/* Numbers for contexts and for the times at which their caches were emptied; each is used once. */
static uint64_t last_number;

/* A borrowed reference; NULL without an exception if there is none. */
static Object *cache_target(const LookupCache *self, PyObject *entries) {
    if (!is_of(entries, entry_type) || self->count == NULL || __atomic_load_n(self->count, __ATOMIC_ACQUIRE) != (uint64_t)self->version) {
        return NULL;
    }
    for (const CacheEntry *each = (CacheEntry *)entries; each != NULL; each = each->next) {
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

static PyObject *cache_get(LookupCache *self, PyObject *entries) {
    return counted(cache_target(self, entries));
}

static PyObject *cache_get_loaded(LookupCache *self, PyObject *entries) {
    Object *target = cache_target(self, entries);
    if (target != NULL) {
        ViewOfOne *view = (ViewOfOne *)view_of(target);
        if (!is_of(view, view_of_one_type) || !is_valid(view->own)) {
            target = NULL;
        }
    }
    return counted(target);
}

static PyObject *cache_forget(LookupCache *self, PyObject *unused) {
    (void)unused;
    self->count = NULL;
    self->version = -1;
    self->time = ++last_number;
    Py_RETURN_NONE;
}

/* Removes the entry of a context, and those that exceed the limit. */
static void trim(CacheEntry **entries, uint64_t context) {
    int left = MAX_CONTEXTS - 1;
    while (*entries != NULL && left > 0) {
        CacheEntry *each = *entries;
        if (each->context != context) {
            left--;
            entries = &each->next;
        } else {
            *entries = each->next;
            each->next = NULL;
            Py_DECREF((PyObject *)each);
        }
    }
    CacheEntry *rest = *entries;
    *entries = NULL;
    Py_XDECREF((PyObject *)rest);
}

static PyObject *cache_add(PyObject *finder, PyObject *const *arguments, Py_ssize_t given) {
    if (!takes("add", arguments, given, 3, NULL, object_type)) {
        return NULL;
    }
    LookupCache *self = (LookupCache *)finder;
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
    CacheEntry *made = (CacheEntry *)PyType_GenericAlloc(entry_type, 0);
    if (made == NULL || (made->block = PyWeakref_NewRef((PyObject *)block, NULL)) == NULL) {
        Py_XDECREF((PyObject *)made);
        return NULL;
    }
    made->context = self->context;
    made->time = self->time;
    made->place = target->place;
    if (is_of(former, entry_type)) {
        Py_INCREF(former);
        made->next = (CacheEntry *)former;
        trim(&made->next, self->context);
    }
    return (PyObject *)made;
}

static PyObject *cache_new(PyTypeObject *type, PyObject *arguments, PyObject *keywords) {
    (void)arguments, (void)keywords;
    LookupCache *made = (LookupCache *)PyType_GenericNew(type, NULL, NULL);
    if (made != NULL) {
        made->version = -1;
        made->context = ++last_number;
    }
    return (PyObject *)made;
}

static void cache_dealloc(PyObject *self) {
    PyTypeObject *type = Py_TYPE(self);
    PyObject_Free(self);
    Py_DECREF(type);
}

static void entry_dealloc(CacheEntry *self) {
    Py_XDECREF((PyObject *)self->next);
    Py_XDECREF(self->block);
    cache_dealloc((PyObject *)self);
}

static PyMemberDef members[] = {
    {"version", T_LONGLONG, offsetof(LookupCache, version), READONLY, "The value of the change counter for which the cache is valid; -1 for none."},
    {NULL, 0, 0, 0, NULL},
};

static PyMethodDef methods[] = {
    {"get", (PyCFunction)cache_get, METH_O, "The object among the entries of an ID, if it is still valid; else None."},
    {"get_loaded", (PyCFunction)cache_get_loaded, METH_O, "Like get(), if the object's values are valid as well."},
    {"add", FAST(cache_add), "The entries of an ID with an object added: former entries, object, value of the change counter."},
    {"forget", (PyCFunction)cache_forget, METH_NOARGS, "Empties the cache."},
    {NULL, NULL, 0, NULL},
};

static PyType_Slot slots[] = {
    {Py_tp_new, cache_new},
    {Py_tp_dealloc, cache_dealloc},
    {Py_tp_members, members},
    {Py_tp_methods, methods},
    {Py_tp_doc, "A context's cache of the objects that IDs stand for, valid while nothing changes."},
    {0, NULL},
};

static PyType_Spec specification = {"pinview._accelerator.LookupCache", sizeof(LookupCache), 0, Py_TPFLAGS_DEFAULT, slots};

static PyType_Slot entry_slots[] = {
    {Py_tp_dealloc, entry_dealloc},
    {Py_tp_doc, "An entry of a LookupCache."},
    {0, NULL},
};

static PyType_Spec entry_specification = {"pinview._accelerator.CacheEntry", sizeof(CacheEntry), 0, Py_TPFLAGS_DEFAULT, entry_slots};

int add_lookup_cache(PyObject *module) {
    cache_type = add_type(module, &specification);
    entry_type = cache_type == NULL ? NULL : add_type(module, &entry_specification);
    return entry_type == NULL ? -1 : 0;
}
