/* The cache of the objects that IDs stand for in a context, valid while nothing changes. Its entries
 * lie in the IDs, so that looking up an ID needs no table:
 *
 *       ObjectID                              Places              Object           ViewOfOne
 *      ┌──────────────┬───────┬──────┐       ┌───────────┐       ┌────────┐       ┌───────┐
 *      │ time │ place │ block │ view │──────►│ by place ─┼──────►│ number ┼──────►│       │
 *      └──────────────┴───────┴───┼──┘       └───────────┘       └────────┘       └───────┘
 *       an entry, valid while     │           weakly                                  ▲
 *       its time equals the       └ ─ ─ ─ ─ ─ referenced ─ ─ ─ prefetched ─ ─ ─ ─ ─ ─ ┘
 *       context's
 *
 * In a large context each step waits for memory. So the view, from which a program usually reads
 * next, is prefetched before the object is found.
 */

#include "accelerator.h"

#include <unistd.h>

/* For how many contexts an ID caches its object: those that used it last. */
#define MAX_CONTEXTS 4

typedef struct CacheEntry {
    uint64_t time_and_place; /* the place, which is never reused, in PLACE_BITS; 0: no entry */
    PyObject *block;         /* a weak reference, shared by all objects of the block */
    const void *view;        /* which may be gone: for prefetching only */
    struct CacheEntry *next; /* of another context */
} CacheEntry;

typedef struct {
    HandleOwner owner;
    CacheEntry entry;
    PyObject *hash;
} ObjectID;

typedef struct {
    HandleOwner owner;
    const uint64_t *count; /* NULL while the cache is empty */
    int64_t version;
    uint64_t time; /* of valid entries */
    PyObject *lookups;
} Context;

static PyTypeObject *object_id_type, *context_type;

/* How much of a view is prefetched: the states and cells of a row of some twenty properties. */
#define CACHE_LINE 64
#define VIEW_LINES 4

/* The class of the last ID, which is a class of IDs. */
static PyTypeObject *id_class;

static PyObject *look_up_name, *is_lazy, *is_loading;

/* When a cache was emptied last. No two caches have a time in common. */
static uint64_t last_time;

static bool is_object_id(PyObject *given) {
    PyTypeObject *kind = Py_TYPE(given);
    if (kind == id_class) {
        return true;
    }
    if (!PyType_IsSubtype(kind, object_id_type)) {
        return false;
    }
    PyTypeObject *former = id_class;
    Py_INCREF(kind);
    id_class = kind;
    Py_XDECREF(former);
    return true;
}

/* A borrowed reference; NULL without an exception if there is none. */
static Object *cached_object(const Context *self, const ObjectID *key) {
    if (self->count == NULL || __atomic_load_n(self->count, __ATOMIC_ACQUIRE) != (uint64_t)self->version) {
        return NULL;
    }
    const CacheEntry *entry = &key->entry;
    while (entry->time_and_place >> PLACE_BITS != self->time) {
        entry = entry->next;
        if (entry == NULL) {
            return NULL;
        }
    }
    for (size_t line = 0; line < VIEW_LINES; line++) {
        __builtin_prefetch((const char *)entry->view + line * CACHE_LINE);
    }
    PyObject *block = PyWeakref_GetObject(entry->block);
    return block == Py_None ? NULL : living_object((Places *)block, (uint32_t)(entry->time_and_place & PLACE_MASK));
}

static bool is_loaded(const Object *target) {
    const ViewOfOne *view = (const ViewOfOne *)view_of(target);
    return is_of(view, view_of_one_type) && is_valid(view->own);
}

/* Whether an entry has an object of another context than a block's. */
static bool is_of_other_context(const CacheEntry *entry, const Places *block) {
    PyObject *known = PyWeakref_GetObject(entry->block);
    return known != Py_None && ((const Places *)known)->changes != block->changes;
}

/* Keeps entries of other contexts than a block's, as far as the limit allows. */
static void trim(CacheEntry **entries, const Places *block) {
    int left = MAX_CONTEXTS - 1;
    while (*entries != NULL) {
        CacheEntry *each = *entries;
        if (left > 0 && is_of_other_context(each, block)) {
            left--;
            entries = &each->next;
        } else {
            *entries = each->next;
            Py_DECREF(each->block);
            PyMem_Free(each);
        }
    }
}

/* Makes room for an entry of a block's context in an ID, before entries of other contexts. 0, or -1
 * with an exception. */
static int make_room(CacheEntry *first, const Places *block) {
    if (first->time_and_place != 0 && is_of_other_context(first, block)) {
        CacheEntry *moved = PyMem_Malloc(sizeof *moved);
        if (moved == NULL) {
            PyErr_NoMemory();
            return -1;
        }
        *moved = *first;
        first->block = NULL;
        first->next = moved;
    }
    trim(&first->next, block);
    Py_CLEAR(first->block);
    return 0;
}

/* Has an ID stand for an object while the change counter has a value. 0, or -1 with an exception. */
static int keep(Context *self, ObjectID *key, Object *target, uint64_t changes) {
    AnyView *view = view_of(target);
    Places *block = view == NULL ? NULL : view->block;
    if (block == NULL || ((int64_t)changes != self->version && (!block->any_thread || package.checks_queues))) {
        return 0;
    }
    if ((int64_t)changes != self->version) {
        self->count = block->changes;
        self->version = (int64_t)changes;
        self->time = ++last_time;
    }
    CacheEntry *entry = &key->entry;
    PyObject *reference = PyWeakref_NewRef((PyObject *)block, NULL);
    if (reference == NULL || make_room(entry, block) < 0) {
        Py_XDECREF(reference);
        return -1;
    }
    entry->time_and_place = self->time << PLACE_BITS | target->place;
    entry->block = reference;
    entry->view = view;
    return 0;
}

/* 1 if the thread is in a callback, where more may be about to change than the change counter says;
 * -1 with an exception. */
static int is_in_callback(void) {
    if (PyDict_Size(package.callbacks) == 0) {
        return 0;
    }
    PyObject *thread = PyLong_FromUnsignedLong(PyThread_get_thread_ident());
    int is_nested = thread == NULL ? -1 : PyDict_Contains(package.callbacks, thread);
    Py_XDECREF(thread);
    return is_nested;
}

/* Does what `_look_up` of the package does, which is only called for what happens once. */
static PyObject *look_up(Context *self, PyObject *key, PyObject *loads) {
    PyObject *context = self->owner.handle, *id = is_object_id(key) ? ((ObjectID *)key)->owner.handle : NULL;
    PyObject *lookups = self->lookups;
    if (self->version == -1 || context == NULL || !PyLong_Check(context) || id == NULL || !PyLong_Check(id) || lookups == NULL ||
        !is_lookups(lookups)) {
        return PyObject_CallMethodObjArgs((PyObject *)self, look_up_name, key, loads, NULL);
    }
    Py_INCREF(lookups); /* another thread may close the context meanwhile */
    uint64_t changes = 0;
    PyObject *target = object_of_id(lookups, context, id, loads == is_loading, &changes);
    Py_DECREF(lookups);
    if (target == NULL || changes == 0 || !PyObject_TypeCheck(target, object_type)) {
        return target;
    }
    int is_nested = is_in_callback();
    if (is_nested < 0 || (is_nested == 0 && keep(self, (ObjectID *)key, (Object *)target, changes) < 0)) {
        Py_CLEAR(target);
    }
    return target;
}

/* The only argument of a method; NULL with an exception. */
static PyObject *given_id(const char *method, PyObject *const *arguments, Py_ssize_t count, PyObject *keywords) {
    Py_ssize_t named = keywords == NULL ? 0 : PyTuple_Size(keywords);
    if (count + named != 1) {
        PyErr_Format(PyExc_TypeError, "%s() takes 1 argument, an ObjectID, got %zd", method, count + named);
        return NULL;
    }
    if (named == 1 && PyUnicode_CompareWithASCIIString(PyTuple_GetItem(keywords, 0), "object_id") != 0) {
        PyErr_Format(PyExc_TypeError, "%s() got an unexpected keyword argument '%U'", method, PyTuple_GetItem(keywords, 0));
        return NULL;
    }
    return arguments[0];
}

static PyObject *context_object(PyObject *self, PyObject *const *arguments, Py_ssize_t count, PyObject *keywords) {
    PyObject *key = count == 1 && keywords == NULL ? arguments[0] : given_id("object", arguments, count, keywords);
    if (key == NULL) {
        return NULL;
    }
    PyObject *target = is_object_id(key) ? (PyObject *)cached_object((Context *)self, (ObjectID *)key) : NULL;
    if (target == NULL) {
        return look_up((Context *)self, key, is_lazy);
    }
    Py_INCREF(target);
    return target;
}

static PyObject *context_existing_object(PyObject *self, PyObject *const *arguments, Py_ssize_t count, PyObject *keywords) {
    PyObject *key = count == 1 && keywords == NULL ? arguments[0] : given_id("existing_object", arguments, count, keywords);
    if (key == NULL) {
        return NULL;
    }
    PyObject *target = is_object_id(key) ? (PyObject *)cached_object((Context *)self, (ObjectID *)key) : NULL;
    if (target == NULL || !is_loaded((Object *)target)) {
        return look_up((Context *)self, key, is_loading);
    }
    Py_INCREF(target);
    return target;
}

static PyObject *forget_lookups(Context *self, PyObject *unused) {
    (void)unused;
    self->count = NULL;
    self->version = -1;
    self->time = ++last_time;
    Py_RETURN_NONE;
}

static PyObject *cache_object(PyObject *context, PyObject *const *arguments, Py_ssize_t given) {
    if (!takes("_cache_object", arguments, given, 3, object_id_type, object_type)) {
        return NULL;
    }
    uint64_t changes = PyLong_AsUnsignedLongLong(arguments[2]);
    if (changes == UINT64_MAX && PyErr_Occurred()) {
        return NULL;
    }
    if (keep((Context *)context, (ObjectID *)arguments[0], (Object *)arguments[1], changes) < 0) {
        return NULL;
    }
    Py_RETURN_NONE;
}

static PyObject *context_new(PyTypeObject *type, PyObject *arguments, PyObject *keywords) {
    (void)arguments, (void)keywords;
    Context *made = (Context *)PyType_GenericNew(type, NULL, NULL);
    if (made != NULL) {
        made->version = -1;
        made->time = ++last_time;
    }
    return (PyObject *)made;
}

static void forget_entries(ObjectID *self) {
    for (CacheEntry *each = self->entry.next; each != NULL;) {
        CacheEntry *next = each->next;
        Py_DECREF(each->block);
        PyMem_Free(each);
        each = next;
    }
    Py_XDECREF(self->entry.block);
    self->entry = (CacheEntry){0};
}

static PyObject *forget_objects(ObjectID *self, PyObject *unused) {
    (void)unused;
    forget_entries(self);
    Py_RETURN_NONE;
}

/* Releases the handle, as Managed.__del__ does, which would take longer than all the rest of an ID. */
static void object_id_finalize(ObjectID *self) {
    PyObject *handle = self->owner.handle, *kind, *error, *trace;
    if (handle == NULL || handle == Py_None || self->owner.process == NULL) {
        return;
    }
    PyErr_Fetch(&kind, &error, &trace);
    Py_INCREF(Py_None);
    self->owner.handle = Py_None;
    if (PyLong_AsLong(self->owner.process) == (long)getpid()) {
        package.object_id_release((pinview_object_id *)PyLong_AsVoidPtr(handle));
    }
    Py_DECREF(handle);
    PyErr_Clear();
    PyErr_Restore(kind, error, trace);
}

static void object_id_dealloc(ObjectID *self) {
    forget_entries(self);
    Py_XDECREF(self->hash);
    free_handle_owner(&self->owner);
}

/* A method with a keyword. */
#define FAST_WITH_KEYWORDS(function) ((PyCFunction)(void (*)(void))(function)), METH_FASTCALL | METH_KEYWORDS

/* ContextBase itself takes no part in garbage collection, but the class of contexts does. */
static int context_traverse(Context *self, visitproc visit, void *arg) {
    Py_VISIT(Py_TYPE((PyObject *)self));
    Py_VISIT(self->lookups);
    return 0;
}

static int context_clear(Context *self) {
    Py_CLEAR(self->lookups);
    return 0;
}

static void context_dealloc(Context *self) {
    Py_XDECREF(self->lookups);
    free_handle_owner(&self->owner);
}

static PyMemberDef context_members[] = {
    {"_lookups", T_OBJECT, offsetof(Context, lookups), 0, "Looks up single objects; None until the first one."},
    {"_lookup_version", T_LONGLONG, offsetof(Context, version), READONLY, "The value of the change counter for which the cache is valid; -1 for none."},
    {NULL, 0, 0, 0, NULL},
};

/* The methods for programs come first, LOOK_UPS of them. */
#define LOOK_UPS 2

static PyMethodDef context_methods[] = {
    {"object", FAST_WITH_KEYWORDS(context_object),
     "object($self, object_id)\n--\n\n"
     "The object of an ID: the registered one, or a new fault. Does not check whether the row\nexists."},
    {"existing_object", FAST_WITH_KEYWORDS(context_existing_object),
     "existing_object($self, object_id)\n--\n\n"
     "The object of an ID with its values loaded; raises ObjectNotFoundError if there is no\nsuch row."},
    {"_cache_object", FAST(cache_object), "Caches the object that was found for an ID: ID, object, value of the change counter."},
    {"_forget_lookups", (PyCFunction)forget_lookups, METH_NOARGS, "Empties the cache."},
    {NULL, NULL, 0, NULL},
};

static PyType_Slot context_slots[] = {
    {Py_tp_new, context_new},
    {Py_tp_traverse, context_traverse},
    {Py_tp_clear, context_clear},
    {Py_tp_dealloc, context_dealloc},
    {Py_tp_members, context_members},
    {Py_tp_methods, context_methods},
    {Py_tp_doc, "Looks up objects by their IDs."},
    {0, NULL},
};

static PyType_Spec context_specification = {
    "pinview._accelerator.ContextBase", sizeof(Context), 0, Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE, context_slots};

/* The interpreter calls a method without a check of its owner only if the method is of the owner's
 * very class; it pays that with every call of an inherited one. */
static PyObject *own_look_ups(PyObject *module, PyObject *kind) {
    (void)module;
    if (!PyType_Check(kind) || !PyType_IsSubtype((PyTypeObject *)kind, context_type)) {
        PyErr_SetString(PyExc_TypeError, "expected a class of contexts");
        return NULL;
    }
    for (int index = 0; index < LOOK_UPS; index++) {
        PyObject *method = PyDescr_NewMethod((PyTypeObject *)kind, &context_methods[index]);
        int failed = method == NULL || PyObject_SetAttrString(kind, context_methods[index].ml_name, method) < 0;
        Py_XDECREF(method);
        if (failed) {
            return NULL;
        }
    }
    Py_RETURN_NONE;
}

static PyMethodDef functions[] = {
    {"own_look_ups", own_look_ups, METH_O, "Gives a class the look-ups of ContextBase as methods of its own."},
    {NULL, NULL, 0, NULL},
};

static PyMemberDef object_id_members[] = {
    {"_hash", T_OBJECT_EX, offsetof(ObjectID, hash), 0, NULL},
    {NULL, 0, 0, 0, NULL},
};

static PyMethodDef object_id_methods[] = {
    {"_forget_objects", (PyCFunction)forget_objects, METH_NOARGS, "Forgets the objects that the ID stands for."},
    {NULL, NULL, 0, NULL},
};

static PyType_Slot object_id_slots[] = {
    {Py_tp_new, PyType_GenericNew},
    {Py_tp_finalize, object_id_finalize},
    {Py_tp_dealloc, object_id_dealloc},
    {Py_tp_members, object_id_members},
    {Py_tp_methods, object_id_methods},
    {Py_tp_doc, "An ID, with the objects that it stands for."},
    {0, NULL},
};

static PyType_Spec object_id_specification = {
    "pinview._accelerator.ObjectIDBase", sizeof(ObjectID), 0, Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE, object_id_slots};

int add_lookup_cache(PyObject *module) {
    look_up_name = PyUnicode_InternFromString("_look_up");
    is_lazy = PyLong_FromLong(0);
    is_loading = PyLong_FromLong(1);
    if (look_up_name == NULL || is_lazy == NULL || is_loading == NULL) {
        return -1;
    }
    context_type = add_subtype(module, &context_specification, handle_owner_type);
    object_id_type = context_type == NULL ? NULL : add_subtype(module, &object_id_specification, handle_owner_type);
    return object_id_type == NULL ? -1 : PyModule_AddFunctions(module, functions);
}
