/* Datetimes in UTC. They are made in the way that pickle makes them, from the bytes of their
 * fields, which is the fastest way that works in all versions of Python. */

#include "accelerator.h"

#include <math.h>

#define MICROSECONDS INT64_C(1000000)
#define SECONDS_OF_DAY 86400
#define PARTS_SIZE 10

/* The fields as in datetime.__reduce__: year, month, day, hour, minute, second, microsecond,
 * highest byte first. False if the year is out of range. */
static bool take_apart(int64_t microseconds, uint8_t parts[PARTS_SIZE]) {
    int64_t seconds = microseconds / MICROSECONDS - (microseconds % MICROSECONDS < 0);
    int64_t fraction = microseconds - seconds * MICROSECONDS;
    int64_t days = seconds / SECONDS_OF_DAY - (seconds % SECONDS_OF_DAY < 0);
    int64_t time = seconds - days * SECONDS_OF_DAY;
    /* Years start in March here, so that a leap day is the last day of 4, 100 or 400 years. */
    days += 719468; /* from 0000-03-01 to 1970-01-01 */
    int64_t era = days / 146097 - (days % 146097 < 0), day = days - era * 146097;
    int64_t year = (day - day / 1460 + day / 36524 - day / 146096) / 365;
    day -= 365 * year + year / 4 - year / 100;
    int64_t month = (5 * day + 2) / 153; /* five months from March, or from August, have 153 days */
    day -= (153 * month + 2) / 5;
    month += month < 10 ? 3 : -9;
    year += era * 400 + (month <= 2);
    if (year < 1 || year > 9999) {
        return false;
    }
    const int64_t found[PARTS_SIZE] = {year >> 8, year,      month,          day + 1,       time / 3600, time / 60 % 60,
                                       time % 60, fraction >> 16, fraction >> 8, fraction};
    for (size_t index = 0; index < PARTS_SIZE; index++) {
        parts[index] = (uint8_t)found[index];
    }
    return true;
}

PyObject *moment_of_microseconds(int64_t microseconds) {
    uint8_t parts[PARTS_SIZE];
    if (!take_apart(microseconds, parts)) {
        return PyObject_CallFunction(package.date_of_seconds, "d", ((double)microseconds - (double)REFERENCE_MICROSECONDS) / (double)MICROSECONDS);
    }
    PyObject *bytes = PyBytes_FromStringAndSize((const char *)parts, PARTS_SIZE);
    PyObject *moment = bytes == NULL ? NULL : PyObject_CallFunctionObjArgs(package.datetime, bytes, package.utc, NULL);
    Py_XDECREF(bytes);
    return moment;
}

PyObject *moment_of_seconds(double seconds) {
    if (!(fabs(seconds) < 1e12)) { /* out of range, or NaN */
        return PyObject_CallFunction(package.date_of_seconds, "d", seconds);
    }
    /* Rounds half to even, with the same steps as timedelta. */
    double whole, rest, nearest;
    rest = modf(seconds, &whole);
    int64_t microseconds = (int64_t)whole * MICROSECONDS;
    rest = modf(rest * (double)MICROSECONDS, &whole);
    microseconds += (int64_t)whole;
    nearest = round(rest);
    if (fabs(nearest - rest) == 0.5) {
        double is_odd = (double)(microseconds & 1);
        nearest = 2 * round((rest + is_odd) * 0.5) - is_odd;
    }
    return moment_of_microseconds(microseconds + (int64_t)nearest + REFERENCE_MICROSECONDS);
}
