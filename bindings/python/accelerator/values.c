/* The values of one property, decoded when they are asked for. */

#include "accelerator.h"

PyTypeObject *values_type;

PyObject *value_of_cell(char kind, uint64_t cell, const char *texts) {
    switch (kind) {
    case KIND_INTEGER: return PyLong_FromLongLong((int64_t)cell);
    case KIND_DOUBLE:
    case KIND_FLOAT: {
        double real;
        memcpy(&real, &cell, sizeof real);
        return PyFloat_FromDouble(real);
    }
    case KIND_DATE: {
        double seconds;
        memcpy(&seconds, &cell, sizeof seconds);
        return moment_of_seconds(seconds);
    }
    case KIND_BOOLEAN: return PyBool_FromLong((cell & UINT32_MAX) != 0);
    case KIND_TEXT:
    case KIND_URI: return PyUnicode_DecodeUTF8(texts + (cell >> 32), (Py_ssize_t)(cell & UINT32_MAX), "strict");
    default: PyErr_Format(PyExc_SystemError, "unknown kind of cell %c", kind); return NULL;
    }
}

/* The integer in a cell. */
static int64_t integer_at(const Values *self, Py_ssize_t place) {
    switch (self->width) {
    case 1: return ((const int8_t *)self->cells)[place];
    case 2: return ((const int16_t *)self->cells)[place];
    case 4: return ((const int32_t *)self->cells)[place];
    default: return ((const int64_t *)self->cells)[place];
    }
}

static bool fits(int64_t number, uint8_t width) {
    return width == 8 || (number >= -(INT64_C(1) << (8 * width - 1)) && number < INT64_C(1) << (8 * width - 1));
}

static void put_integer(Values *self, Py_ssize_t place, int64_t number) {
    switch (self->width) {
    case 1: ((int8_t *)self->cells)[place] = (int8_t)number; break;
    case 2: ((int16_t *)self->cells)[place] = (int16_t)number; break;
    case 4: ((int32_t *)self->cells)[place] = (int32_t)number; break;
    default: ((int64_t *)self->cells)[place] = number; break;
    }
}

static PyObject *values_item(Values *self, Py_ssize_t place) {
    if (place < 0 || place >= (Py_ssize_t)self->count) {
        PyErr_SetString(PyExc_IndexError, "place out of range");
        return NULL;
    }
    if (self->list != NULL) {
        PyObject *value = PyList_GetItem(self->list, place);
        Py_XINCREF(value);
        return value;
    }
    if (self->states != NULL && self->states[place] & PINVIEW_COLUMN_NULL) {
        Py_RETURN_NONE;
    }
    if (self->kind == KIND_INTEGER) {
        return PyLong_FromLongLong(integer_at(self, place));
    }
    if (self->kind == KIND_TEXT) {
        /* Each string ends with a NUL, after which the next begins. */
        const uint32_t *begins = self->cells;
        return PyUnicode_DecodeUTF8(self->texts + begins[place], (Py_ssize_t)(begins[place + 1] - begins[place] - 1), "strict");
    }
    return value_of_cell(self->kind, ((const uint64_t *)self->cells)[place], self->texts);
}

static int make_list(Values *self) {
    PyObject *list = PyList_New(self->count);
    for (Py_ssize_t place = 0; list != NULL && place < (Py_ssize_t)self->count; place++) {
        PyObject *value = values_item(self, place);
        if (value == NULL) {
            Py_CLEAR(list);
        } else {
            PyList_SetItem(list, place, value);
        }
    }
    self->list = list;
    return list == NULL ? -1 : 0;
}

static int values_set_item(Values *self, Py_ssize_t place, PyObject *value) {
    if (value == NULL || place < 0 || place >= (Py_ssize_t)self->count) {
        PyErr_SetString(PyExc_IndexError, "place out of range");
        return -1;
    }
    if (self->list == NULL) {
        bool is_null = self->states != NULL && self->states[place] & PINVIEW_COLUMN_NULL;
        if (!is_null && self->kind == KIND_INTEGER && PyLong_CheckExact(value)) {
            int64_t number = PyLong_AsLongLong(value);
            if (number == -1 && PyErr_Occurred()) {
                return -1;
            }
            if (fits(number, self->width)) {
                put_integer(self, place, number);
                return 0;
            }
        }
        if (!is_null && self->kind == KIND_DOUBLE && PyFloat_CheckExact(value)) {
            double real = PyFloat_AsDouble(value);
            memcpy((double *)self->cells + place, &real, sizeof real);
            return 0;
        }
        if (make_list(self) < 0) {
            return -1;
        }
    }
    Py_INCREF(value);
    return PyList_SetItem(self->list, place, value);
}

static Py_ssize_t values_length(Values *self) {
    return self->count;
}

static void values_dealloc(Values *self) {
    PyTypeObject *type = Py_TYPE(self);
    Py_XDECREF(self->list);
    PyMem_Free(self->cells);
    PyObject_Free(self);
    Py_DECREF(type);
}

PyObject *value_at(PyObject *column, Py_ssize_t place) {
    if (is_of(column, values_type)) {
        return values_item((Values *)column, place);
    }
    PyObject *value = PyList_GetItem(column, place);
    Py_XINCREF(value);
    return value;
}

int set_value_at(PyObject *column, Py_ssize_t place, PyObject *value) {
    if (is_of(column, values_type)) {
        return values_set_item((Values *)column, place, value);
    }
    Py_INCREF(value);
    return PyList_SetItem(column, place, value);
}

/* The offsets of consecutive strings: one for each place, empty if there is no value. */
static void take_places(uint32_t *begins, const int64_t *cells, const uint8_t *states, uint32_t count, size_t size) {
    uint32_t next = 0;
    for (uint32_t place = 0; place < count; place++) {
        bool has_text = (states[place] & PINVIEW_COLUMN_VALUE) != 0;
        begins[place] = has_text ? (uint32_t)((uint64_t)cells[place] >> 32) : next;
        next = begins[place] + (has_text ? (uint32_t)cells[place] : 0) + 1;
    }
    begins[count] = next <= size ? next : (uint32_t)size;
}

/* Copies the values of a pinview_column. Integers are stored with the smallest width that fits all. */
static PyObject *column_values(PyObject *module, PyObject *arguments) {
    (void)module;
    int kind;
    unsigned int flags, count;
    unsigned long long states, cells, texts, text_size;
    if (!PyArg_ParseTuple(arguments, "CIIKKKK", &kind, &flags, &count, &states, &cells, &texts, &text_size)) {
        return NULL;
    }
    const int64_t *given = (const int64_t *)(uintptr_t)cells;
    uint8_t width = kind == KIND_INTEGER ? 1 : kind == KIND_TEXT ? 4 : 8;
    for (uint32_t place = 0; kind == KIND_INTEGER && place < count; place++) {
        while (!fits(given[place], width)) {
            width *= 2;
        }
    }
    size_t cells_size = ((size_t)count + (kind == KIND_TEXT)) * width, states_size = flags & PINVIEW_COLUMN_HAS_NULLS ? count : 0;
    if (kind != KIND_TEXT) {
        text_size = 0;
    }
    Values *made = PyObject_New(Values, values_type);
    if (made == NULL) {
        return NULL;
    }
    made->list = NULL;
    made->count = count;
    made->kind = (char)kind;
    made->width = width;
    made->cells = PyMem_Malloc(cells_size + states_size + text_size + 1);
    if (made->cells == NULL) {
        Py_DECREF(made);
        return PyErr_NoMemory();
    }
    if (kind == KIND_TEXT) {
        take_places(made->cells, given, (const uint8_t *)(uintptr_t)states, count, text_size);
    } else if (kind == KIND_INTEGER) {
        for (uint32_t place = 0; place < count; place++) {
            put_integer(made, place, given[place]);
        }
    } else {
        memcpy(made->cells, given, cells_size);
    }
    char *rest = (char *)made->cells + cells_size;
    made->states = states_size > 0 ? memcpy(rest, (const void *)(uintptr_t)states, states_size) : NULL;
    made->texts = text_size > 0 ? memcpy(rest + states_size, (const void *)(uintptr_t)texts, text_size) : rest + states_size;
    return (PyObject *)made;
}

/* The Python value of a pinview_value. Types that are not frequent are left to the package. */
static PyObject *value_of(const pinview_value *value, PyObject *decode) {
    switch (value->type) {
    case PINVIEW_VALUE_NULL: Py_RETURN_NONE;
    case PINVIEW_VALUE_INTEGER: return PyLong_FromLongLong(value->as.integer);
    case PINVIEW_VALUE_DOUBLE: return PyFloat_FromDouble(value->as.real);
    case PINVIEW_VALUE_BOOLEAN: return PyBool_FromLong(value->as.boolean != 0);
    case PINVIEW_VALUE_STRING: return PyUnicode_DecodeUTF8(value->as.string.data, (Py_ssize_t)value->as.string.size, "strict");
    default: {
        long long parts[2];
        memcpy(parts, &value->as, sizeof parts);
        return PyObject_CallFunction(decode, "iLL", (int)value->type, parts[0], parts[1]);
    }
    }
}

/* The rows of a matrix of pinview_value as tuples. */
static PyObject *rows_of_values(PyObject *module, PyObject *arguments) {
    (void)module;
    unsigned long long address;
    Py_ssize_t rows, columns;
    PyObject *decode;
    if (!PyArg_ParseTuple(arguments, "KnnO", &address, &rows, &columns, &decode)) {
        return NULL;
    }
    const pinview_value *values = (const pinview_value *)(uintptr_t)address;
    PyObject *made = PyList_New(rows);
    for (Py_ssize_t place = 0; made != NULL && place < rows; place++) {
        PyObject *row = PyTuple_New(columns);
        for (Py_ssize_t column = 0; row != NULL && column < columns; column++) {
            PyObject *value = value_of(values + place * columns + column, decode);
            if (value == NULL) {
                Py_CLEAR(row);
            } else {
                PyTuple_SetItem(row, column, value);
            }
        }
        if (row == NULL) {
            Py_CLEAR(made);
        } else {
            PyList_SetItem(made, place, row);
        }
    }
    return made;
}

static PyType_Slot slots[] = {
    {Py_tp_dealloc, values_dealloc},
    {Py_sq_item, values_item},
    {Py_sq_ass_item, values_set_item},
    {Py_sq_length, values_length},
    {Py_tp_doc, "The values of one property by place, decoded when they are asked for."},
    {0, NULL},
};

static PyType_Spec specification = {"pinview._accelerator.Values", sizeof(Values), 0, Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION, slots};

static PyMethodDef functions[] = {
    {"column_values", column_values, METH_VARARGS, "The values of a pinview_column, copied: kind, flags, count, states, cells, texts, text_size."},
    {"rows_of_values", rows_of_values, METH_VARARGS, "Rows of pinview_value as tuples: address, rows, columns, decoder of types that are not frequent."},
    {NULL, NULL, 0, NULL},
};

int add_values(PyObject *module) {
    values_type = add_type(module, &specification);
    return values_type == NULL ? -1 : PyModule_AddFunctions(module, functions);
}
