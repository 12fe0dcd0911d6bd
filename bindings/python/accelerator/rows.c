/* The rows of a batch of columns as tuples. */

#include "accelerator.h"

/* How many short strings a column caches, so that equal strings of different rows are made once. A
 * power of two. */
#define MAX_TEXTS 4096

/* How many numbers, a power of two. A column whose numbers rarely recur stops caching them. */
#define NUMBERS 1024
#define TRIALS 2048

typedef struct {
    uint64_t first, last; /* together they hold every byte; they may overlap */
    Py_ssize_t size;
    PyObject *text;
} Text;

typedef struct {
    uint64_t bits;
    PyObject *number;
} Number;

typedef struct {
    char format;
    const uint8_t *validity; /* a bit for each row; NULL: no value is None */
    const void *values;
    const char *bytes;
    Text *texts;     /* the cache, for columns of strings */
    Number *numbers; /* the cache, for columns of numbers; NULL once it does not pay */
    uint32_t looked_up, found;
} RowColumn;

typedef struct {
    PyObject_HEAD
    PyObject *owner; /* keeps the memory alive */
    int64_t next, count;
    Py_ssize_t column_count;
    size_t text_count;
    RowColumn *columns;
} BatchRows;

static PyTypeObject *rows_type;

static uint64_t word_at(const char *bytes) {
    uint64_t word;
    memcpy(&word, bytes, sizeof word);
    return word;
}

static uint64_t half_at(const char *bytes) {
    uint32_t half;
    memcpy(&half, bytes, sizeof half);
    return half;
}

/* The bytes of a string of one to eight bytes, each at least once. A memcpy() of a few bytes, whose
 * number the compiler does not know, would cost more than everything else here. */
static uint64_t word_of(const char *bytes, Py_ssize_t size) {
    if (size >= 4) {
        return half_at(bytes) | half_at(bytes + size - 4) << 32;
    }
    return (uint64_t)(uint8_t)bytes[0] | (uint64_t)(uint8_t)bytes[size / 2] << 8 | (uint64_t)(uint8_t)bytes[size - 1] << 16;
}

static PyObject *made_text(const char *bytes, Py_ssize_t size, Text *texts, size_t count) {
    if (size <= 0 || size > 16) {
        return PyUnicode_DecodeUTF8(bytes, size, "strict");
    }
    uint64_t first = size > 8 ? word_at(bytes) : word_of(bytes, size), last = size > 8 ? word_at(bytes + size - 8) : 0;
    uint64_t mixed = (first ^ last * UINT64_C(0xFF51AFD7ED558CCD) ^ (uint64_t)size) * UINT64_C(0x9E3779B97F4A7C15);
    Text *known = &texts[(mixed >> 40) & (count - 1)];
    if (known->text == NULL || known->size != size || known->first != first || known->last != last) {
        PyObject *text = PyUnicode_DecodeUTF8(bytes, size, "strict"), *former = known->text;
        if (text == NULL) {
            return NULL;
        }
        *known = (Text){.first = first, .last = last, .size = size, .text = text};
        Py_XDECREF(former);
    }
    Py_INCREF(known->text);
    return known->text;
}

static void forget_numbers(RowColumn *column) {
    for (size_t place = 0; column->numbers != NULL && place < NUMBERS; place++) {
        Py_XDECREF(column->numbers[place].number);
    }
    PyMem_Free(column->numbers);
    column->numbers = NULL;
}

/* Where a number is cached, or is to be. */
static Number *place_of_number(RowColumn *column, uint64_t bits) {
    if (++column->looked_up == TRIALS && column->found < TRIALS / 4) {
        forget_numbers(column);
        return NULL;
    }
    Number *known = &column->numbers[(bits * UINT64_C(0x9E3779B97F4A7C15)) >> 54];
    column->found += known->number != NULL && known->bits == bits;
    return known;
}

/* The number of some bits: the cached one, or a new one, which is cached from now on. */
static PyObject *made_number(RowColumn *column, uint64_t bits, bool is_real) {
    Number *known = column->numbers == NULL ? NULL : place_of_number(column, bits);
    if (known != NULL && known->number != NULL && known->bits == bits) {
        Py_INCREF(known->number);
        return known->number;
    }
    double real;
    memcpy(&real, &bits, sizeof real);
    PyObject *made = is_real ? PyFloat_FromDouble(real) : PyLong_FromLongLong((int64_t)bits);
    if (known != NULL && made != NULL) {
        PyObject *former = known->number;
        *known = (Number){.bits = bits, .number = made};
        Py_INCREF(made);
        Py_XDECREF(former);
    }
    return made;
}

static PyObject *made_integer(RowColumn *column, int64_t value) {
    /* Python has the small ones at hand. */
    return value >= -5 && value <= 256 ? PyLong_FromLongLong(value) : made_number(column, (uint64_t)value, false);
}

static PyObject *made_real(RowColumn *column, double value) {
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    /* A NaN must not be the same object as another one. */
    return value != value ? PyFloat_FromDouble(value) : made_number(column, bits, true);
}

static PyObject *value_of_row(RowColumn *column, int64_t row, size_t text_count) {
    if (column->validity != NULL && !(column->validity[row >> 3] >> (row & 7) & 1)) {
        Py_RETURN_NONE;
    }
    const int32_t *offsets = column->values;
    switch (column->format) {
    case 's': return made_integer(column, ((const int16_t *)column->values)[row]);
    case 'i': return made_integer(column, ((const int32_t *)column->values)[row]);
    case 'l': return made_integer(column, ((const int64_t *)column->values)[row]);
    case 'f': return made_real(column, (double)((const float *)column->values)[row]);
    case 'g': return made_real(column, ((const double *)column->values)[row]);
    case 'b': return PyBool_FromLong(((const uint8_t *)column->values)[row >> 3] >> (row & 7) & 1);
    case 't': return moment_of_microseconds(((const int64_t *)column->values)[row]);
    case 'u': return made_text(column->bytes + offsets[row], offsets[row + 1] - offsets[row], column->texts, text_count);
    case 'z': return PyBytes_FromStringAndSize(column->bytes + offsets[row], offsets[row + 1] - offsets[row]);
    case 'w': return PyObject_CallFunction(package.uuid_of_bytes, "y#", (const char *)column->values + 16 * row, (Py_ssize_t)16);
    default: PyErr_Format(PyExc_SystemError, "unknown column format %c", column->format); return NULL;
    }
}

static PyObject *rows_next(BatchRows *self) {
    if (self->next >= self->count) {
        Py_CLEAR(self->owner);
        return NULL;
    }
    int64_t row = self->next++;
    PyObject *made = PyTuple_New(self->column_count);
    if (made == NULL) {
        return NULL;
    }
    /* It is not part of a cycle, and invisible to others until it is complete. */
    PyObject_GC_UnTrack(made);
    /* Some values are made by Python code, during which another thread can reach the end of the
     * rows. */
    PyObject *owner = self->owner;
    Py_XINCREF(owner);
    for (Py_ssize_t index = 0; index < self->column_count; index++) {
        PyObject *value = value_of_row(&self->columns[index], row, self->text_count);
        if (value == NULL) {
            Py_CLEAR(made);
            break;
        }
        PyTuple_SetItem(made, index, value);
    }
    Py_XDECREF(owner);
    return made;
}

static void rows_dealloc(BatchRows *self) {
    PyTypeObject *type = Py_TYPE(self);
    for (Py_ssize_t index = 0; index < self->column_count; index++) {
        Text *texts = self->columns[index].texts;
        for (size_t place = 0; texts != NULL && place < self->text_count; place++) {
            Py_XDECREF(texts[place].text);
        }
        PyMem_Free(texts);
        forget_numbers(&self->columns[index]);
    }
    PyMem_Free(self->columns);
    Py_XDECREF(self->owner);
    PyObject_Free(self);
    Py_DECREF(type);
}

/* 0, or -1 with an exception. */
static int take_columns(BatchRows *self, const struct ArrowArray *array, const char *formats) {
    self->columns = PyMem_Calloc((size_t)array->n_children + 1, sizeof *self->columns);
    if (self->columns == NULL) {
        PyErr_NoMemory();
        return -1;
    }
    for (self->text_count = 1; self->text_count < MAX_TEXTS && (int64_t)self->text_count < array->length;) {
        self->text_count *= 2;
    }
    self->column_count = (Py_ssize_t)array->n_children;
    for (Py_ssize_t index = 0; index < self->column_count; index++) {
        const struct ArrowArray *given = array->children[index];
        RowColumn *column = &self->columns[index];
        column->format = formats[index];
        column->validity = given->null_count == 0 ? NULL : given->buffers[0];
        column->values = given->buffers[1];
        column->bytes = given->n_buffers > 2 ? given->buffers[2] : NULL;
        if (column->format == 'u' && (column->texts = PyMem_Calloc(self->text_count, sizeof *column->texts)) == NULL) {
            PyErr_NoMemory();
            return -1;
        }
        if (strchr("silfg", column->format) != NULL && array->length >= NUMBERS / 4 &&
            (column->numbers = PyMem_Calloc(NUMBERS, sizeof *column->numbers)) == NULL) {
            PyErr_NoMemory();
            return -1;
        }
    }
    self->count = array->length;
    return 0;
}

static PyObject *rows_new(PyTypeObject *type, PyObject *arguments, PyObject *keywords) {
    PyObject *owner;
    unsigned long long address;
    const char *formats;
    Py_ssize_t count;
    static char *parameters[] = {"owner", "address", "formats", NULL};
    if (!PyArg_ParseTupleAndKeywords(arguments, keywords, "OKs#", parameters, &owner, &address, &formats, &count)) {
        return NULL;
    }
    const struct ArrowArray *array = (const struct ArrowArray *)(uintptr_t)address;
    if (array == NULL || array->n_children != count) {
        PyErr_SetString(PyExc_ValueError, "an array needs a format for each of its columns");
        return NULL;
    }
    BatchRows *made = (BatchRows *)PyType_GenericNew(type, NULL, NULL);
    if (made == NULL) {
        return NULL;
    }
    Py_INCREF(owner);
    made->owner = owner;
    if (take_columns(made, array, formats) < 0) {
        Py_CLEAR(made);
    }
    return (PyObject *)made;
}

static PyType_Slot slots[] = {
    {Py_tp_new, rows_new},
    {Py_tp_dealloc, rows_dealloc},
    {Py_tp_iter, PyObject_SelfIter},
    {Py_tp_iternext, rows_next},
    {Py_tp_doc, "The rows of an ArrowArray as tuples: the owner of its memory, its address, the first letters of the formats."},
    {0, NULL},
};

static PyType_Spec specification = {"pinview._accelerator.BatchRows", sizeof(BatchRows), 0, Py_TPFLAGS_DEFAULT, slots};

int add_rows(PyObject *module) {
    rows_type = add_type(module, &specification);
    return rows_type == NULL ? -1 : 0;
}
