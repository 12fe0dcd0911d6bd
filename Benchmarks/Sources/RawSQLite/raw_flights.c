#include "raw_flights.h"

#include <stdio.h>
#include <string.h>

#include "row_map.h"

enum { KEYS = 6, INTEGERS = 15, TEXTS = 4, COLUMNS = KEYS + INTEGERS + TEXTS };

// The key, the version and the four foreign keys; the integers and the date; the texts.
#define FLIGHT_COLUMNS                                                                                                          \
    "Z_PK, Z_OPT, ZAIRLINE, ZPLANE, ZORIGINAIRPORT, ZDESTINATIONAIRPORT, "                                                      \
    "ZYEAR, ZMONTH, ZDAY, ZDEPARTURETIME, ZSCHEDULEDDEPARTURETIME, ZDEPARTUREDELAY, ZARRIVALTIME, ZSCHEDULEDARRIVALTIME, "      \
    "ZARRIVALDELAY, ZNUMBER, ZAIRTIME, ZDISTANCE, ZHOUR, ZMINUTE, ZSCHEDULEDHOUR, "                                             \
    "ZCARRIER, ZTAILNUMBER, ZORIGIN, ZDESTINATION"
enum { PLANE = 3, MONTH = 1, DEPARTURE_DELAY = 5, ARRIVAL_DELAY = 8, NUMBER = 9, DISTANCE = 11, CARRIER = 0, TAIL_NUMBER = 1 };

typedef struct {
    int64_t keys[KEYS];
    uint32_t nulls;  // a bit for each column
    int32_t integers[INTEGERS];
    uint32_t lengths[TEXTS];
    const char *texts[TEXTS];
} flight;

typedef struct {
    int64_t seats;
    char *texts[5];
    int64_t integers[6];
} plane;

// Memory that is kept until the end, taken in blocks.
typedef struct block {
    struct block *next;
    size_t used, size;
    char bytes[];
} block;

struct raw_flights {
    sqlite3 *database;
    sqlite3_stmt *by_key, *plane, *begin, *end, *minute, *six, *set_minute;
    block *rows, *texts;
    flight **list;
    int64_t count, capacity;
    row_map map, planes;
    int32_t *columns[6];
};

static void *take(block **blocks, size_t size) {
    enum { BLOCK = 1 << 18 };
    if (*blocks == NULL || (*blocks)->used + size > (*blocks)->size) {
        const size_t room = size > BLOCK ? size : BLOCK;
        block *const fresh = malloc(sizeof *fresh + room);
        *fresh = (block){*blocks, 0, room};
        *blocks = fresh;
    }
    void *const place = (*blocks)->bytes + (*blocks)->used;
    (*blocks)->used += size;
    return place;
}

static void drop(block *blocks) {
    while (blocks != NULL) {
        block *const next = blocks->next;
        free(blocks);
        blocks = next;
    }
}

raw_flights *raw_flights_open(const char *path) {
    raw_flights *flights = calloc(1, sizeof *flights);
    flights->database = raw_open_cached(path);
    flights->by_key = raw_prepare(flights->database, "SELECT " FLIGHT_COLUMNS " FROM ZFLIGHT WHERE Z_PK = ?1");
    flights->plane = raw_prepare(
        flights->database,
        "SELECT Z_PK, Z_OPT, ZYEAR, ZENGINES, ZSEATS, ZSPEED, ZTAILNUMBER, ZTYPE, ZMANUFACTURER, ZMODEL, ZENGINE FROM ZPLANE WHERE Z_PK = ?1");
    flights->begin = raw_prepare(flights->database, "BEGIN");
    flights->end = raw_prepare(flights->database, "COMMIT");
    flights->minute = raw_prepare(flights->database, "SELECT ZMINUTE FROM ZFLIGHT WHERE Z_PK = ?1");
    flights->six = raw_prepare(
        flights->database, "SELECT ZMONTH, ZDEPARTUREDELAY, ZARRIVALDELAY, ZDISTANCE, ZCARRIER, ZTAILNUMBER FROM ZFLIGHT WHERE Z_PK = ?1");
    flights->set_minute = raw_prepare(flights->database, "UPDATE ZFLIGHT SET ZMINUTE = ?2, Z_OPT = Z_OPT + 1 WHERE Z_PK = ?1");
    row_map_reserve(&flights->planes, 0);
    return flights;
}

void raw_flights_close(raw_flights *flights) {
    sqlite3_stmt *const statements[] = {flights->by_key, flights->plane, flights->begin, flights->end,
                                        flights->minute, flights->six,   flights->set_minute};
    for (size_t index = 0; index < sizeof statements / sizeof *statements; index++) sqlite3_finalize(statements[index]);
    raw_close(flights->database);
    drop(flights->rows);
    drop(flights->texts);
    free(flights->list);
    free(flights->map.slots);
    for (uint64_t index = 0; index <= flights->planes.mask; index++) free(flights->planes.slots[index].row);
    free(flights->planes.slots);
    for (int column = 0; column < 6; column++) free(flights->columns[column]);
    free(flights);
}

static flight *read_row(raw_flights *flights, sqlite3_stmt *statement) {
    flight *const row = take(&flights->rows, sizeof *row);
    row->nulls = 0;
    for (int column = 0; column < KEYS; column++) row->keys[column] = sqlite3_column_int64(statement, column);
    for (int index = 0; index < INTEGERS; index++) {
        const int column = KEYS + index;
        if (sqlite3_column_type(statement, column) == SQLITE_NULL) row->nulls |= 1u << column;
        row->integers[index] = sqlite3_column_int(statement, column);
    }
    for (int index = 0; index < TEXTS; index++) {
        const int column = KEYS + INTEGERS + index;
        const unsigned char *const text = sqlite3_column_text(statement, column);
        const uint32_t length = (uint32_t)sqlite3_column_bytes(statement, column);
        row->lengths[index] = length;
        if (text == NULL) {
            row->nulls |= 1u << column;
            row->texts[index] = NULL;
            continue;
        }
        row->texts[index] = memcpy(take(&flights->texts, length + 1), text, length + 1);
    }
    return row;
}

static void keep(raw_flights *flights, flight *row) {
    if (flights->count == flights->capacity) {
        flights->capacity = flights->capacity == 0 ? 1024 : 2 * flights->capacity;
        flights->list = realloc(flights->list, (size_t)flights->capacity * sizeof *flights->list);
    }
    flights->list[flights->count++] = row;
}

static sqlite3_stmt *select_from(raw_flights *flights, const char *columns, const char *tail) {
    char sql[4096];
    snprintf(sql, sizeof sql, "SELECT %s FROM ZFLIGHT %s", columns, tail);
    return raw_prepare(flights->database, sql);
}

int64_t raw_flights_fetch(raw_flights *flights, const char *tail) {
    sqlite3_stmt *const statement = select_from(flights, FLIGHT_COLUMNS, tail);
    const int64_t before = flights->count;
    int code;
    while ((code = sqlite3_step(statement)) == SQLITE_ROW) keep(flights, read_row(flights, statement));
    raw_check(flights->database, code, SQLITE_DONE, "fetch");
    sqlite3_finalize(statement);
    return flights->count - before;
}

static int64_t six(const flight *row) {
    return (int64_t)row->integers[MONTH] + row->integers[DEPARTURE_DELAY] + row->integers[ARRIVAL_DELAY] + row->integers[DISTANCE] +
           row->lengths[CARRIER] + row->lengths[TAIL_NUMBER];
}

int64_t raw_flights_six(const raw_flights *flights, int64_t first) {
    int64_t sum = 0;
    for (int64_t index = first; index < flights->count; index++) sum += six(flights->list[index]);
    return sum;
}

int64_t raw_flights_all(const raw_flights *flights) {
    int64_t sum = 0;
    for (int64_t index = 0; index < flights->count; index++) {
        const flight *const row = flights->list[index];
        for (int column = 0; column < INTEGERS; column++) sum += row->integers[column];
        for (int column = 0; column < TEXTS; column++) sum += row->lengths[column];
    }
    return sum;
}

int64_t raw_flights_order(const raw_flights *flights) {
    int64_t sum = 0;
    for (int64_t index = 0; index < flights->count; index++) sum += (index + 1) * flights->list[index]->integers[NUMBER];
    return sum;
}

int64_t raw_flights_six_columns(raw_flights *flights, const char *tail) {
    sqlite3_stmt *const statement =
        select_from(flights, "ZMONTH, ZDEPARTUREDELAY, ZARRIVALDELAY, ZDISTANCE, ZCARRIER, ZTAILNUMBER", tail);
    int64_t count = 0, capacity = 0, sum = 0;
    int code;
    while ((code = sqlite3_step(statement)) == SQLITE_ROW) {
        if (count == capacity) {
            capacity = capacity == 0 ? 1024 : 2 * capacity;
            for (int column = 0; column < 6; column++) {
                flights->columns[column] = realloc(flights->columns[column], (size_t)capacity * sizeof *flights->columns[column]);
            }
        }
        for (int column = 0; column < 4; column++) {
            const int is_null = sqlite3_column_type(statement, column) == SQLITE_NULL;
            flights->columns[column][count] = is_null ? INT32_MIN : sqlite3_column_int(statement, column);
        }
        for (int column = 4; column < 6; column++) {
            // A text is kept as its length, and its bytes in the blocks.
            const unsigned char *const text = sqlite3_column_text(statement, column);
            const int32_t length = flights->columns[column][count] = text ? sqlite3_column_bytes(statement, column) : 0;
            if (text) memcpy(take(&flights->texts, (size_t)length), text, (size_t)length);
        }
        count++;
    }
    raw_check(flights->database, code, SQLITE_DONE, "fetch");
    sqlite3_finalize(statement);
    for (int column = 0; column < 6; column++) {
        for (int64_t row = 0; row < count; row++) {
            const int32_t value = flights->columns[column][row];
            sum += value == INT32_MIN ? 0 : value;
        }
    }
    return sum;
}

void raw_flights_expect(raw_flights *flights, int64_t count) { row_map_reserve(&flights->map, (uint64_t)count); }

static flight *by_key(raw_flights *flights, int64_t key) {
    row_map_slot *const slot = row_map_find(&flights->map, key);
    if (slot->key == key) return slot->row;
    sqlite3_bind_int64(flights->by_key, 1, key);
    raw_check(flights->database, sqlite3_step(flights->by_key), SQLITE_ROW, "by key");
    flight *const row = read_row(flights, flights->by_key);
    sqlite3_reset(flights->by_key);
    row_map_put(&flights->map, slot, key, row);
    return row;
}

int64_t raw_flights_by_keys(raw_flights *flights, int64_t lookups, int64_t rows) {
    int64_t sum = 0;
    for (int64_t index = 0; index < lookups; index++) sum += six(by_key(flights, raw_random_key(index, rows)));
    return sum;
}

static int compare_keys(const void *left, const void *right) {
    const int64_t one = *(const int64_t *)left, other = *(const int64_t *)right;
    return (one > other) - (one < other);
}

int64_t raw_flights_batch(raw_flights *flights, int64_t lookups, int64_t rows) {
    enum { BATCH = 1000 };
    char tail[64 + 2 * BATCH] = "WHERE Z_PK IN (?";
    for (int index = 1; index < BATCH; index++) strcat(tail, ",?");
    sqlite3_stmt *const statement = select_from(flights, FLIGHT_COLUMNS, strcat(tail, ")"));
    int64_t *const keys = malloc((size_t)lookups * sizeof *keys);
    for (int64_t index = 0; index < lookups; index++) keys[index] = raw_random_key(index, rows);
    qsort(keys, (size_t)lookups, sizeof *keys, compare_keys);
    for (int64_t first = 0; first < lookups; first += BATCH) {
        for (int64_t index = 0; index < BATCH; index++) {
            // Places that are left over find nothing.
            sqlite3_bind_int64(statement, (int)index + 1, first + index < lookups ? keys[first + index] : 0);
        }
        int code;
        while ((code = sqlite3_step(statement)) == SQLITE_ROW) {
            const int64_t key = sqlite3_column_int64(statement, 0);
            row_map_slot *const slot = row_map_find(&flights->map, key);
            if (slot->key != key) row_map_put(&flights->map, slot, key, read_row(flights, statement));
        }
        raw_check(flights->database, code, SQLITE_DONE, "batch");
        sqlite3_reset(statement);
    }
    sqlite3_finalize(statement);
    free(keys);
    int64_t sum = 0;
    for (int64_t index = 0; index < lookups; index++) sum += six(row_map_find(&flights->map, raw_random_key(index, rows))->row);
    return sum;
}

int64_t raw_flights_distances(raw_flights *flights, int64_t lookups, int64_t rows) {
    int64_t sum = 0;
    for (int64_t index = 0; index < lookups; index++) sum += by_key(flights, raw_random_key(index, rows))->integers[DISTANCE];
    return sum;
}

static plane *plane_of(raw_flights *flights, int64_t key) {
    row_map_slot *const slot = row_map_find(&flights->planes, key);
    if (slot->key == key) return slot->row;
    sqlite3_stmt *const statement = flights->plane;
    sqlite3_bind_int64(statement, 1, key);
    raw_check(flights->database, sqlite3_step(statement), SQLITE_ROW, "plane");
    plane *const row = calloc(1, sizeof *row);
    for (int column = 0; column < 6; column++) row->integers[column] = sqlite3_column_int64(statement, column);
    row->seats = row->integers[4];
    for (int index = 0; index < 5; index++) {
        const unsigned char *const text = sqlite3_column_text(statement, 6 + index);
        const size_t length = (size_t)sqlite3_column_bytes(statement, 6 + index);
        if (text) row->texts[index] = memcpy(take(&flights->texts, length + 1), text, length + 1);
    }
    sqlite3_reset(statement);
    row_map_put(&flights->planes, slot, key, row);
    return row;
}

int64_t raw_flights_seats(raw_flights *flights) {
    int64_t sum = 0;
    for (int64_t index = 0; index < flights->count; index++) {
        const int64_t key = flights->list[index]->keys[PLANE];
        if (key != 0) sum += plane_of(flights, key)->seats;
    }
    return sum;
}

int64_t raw_flights_count(raw_flights *flights, int by_index) {
    return raw_value(
        flights->database, by_index ? "SELECT count(*) FROM ZFLIGHT WHERE ZDESTINATION = 'DCA'"
                                    : "SELECT count(*) FROM ZFLIGHT WHERE ZARRIVALDELAY > 60");
}

void raw_flights_more_air_time(raw_flights *flights) {
    raw_execute(flights->database, "UPDATE ZFLIGHT SET ZAIRTIME = ZAIRTIME + 1, Z_OPT = Z_OPT + 1 WHERE ZDISTANCE > 500");
}

static void run(raw_flights *flights, sqlite3_stmt *statement) {
    raw_check(flights->database, sqlite3_step(statement), SQLITE_DONE, sqlite3_sql(statement));
    raw_check(flights->database, sqlite3_reset(statement), SQLITE_OK, sqlite3_sql(statement));
}

int64_t raw_flights_snapshot(raw_flights *flights, int64_t key) {
    run(flights, flights->begin);
    sqlite3_bind_int64(flights->minute, 1, key);
    raw_check(flights->database, sqlite3_step(flights->minute), SQLITE_ROW, "minute");
    const int64_t minute = sqlite3_column_int64(flights->minute, 0);
    sqlite3_reset(flights->minute);
    run(flights, flights->end);
    return minute;
}

int64_t raw_flights_once(raw_flights *flights, int64_t key) {
    sqlite3_bind_int64(flights->six, 1, key);
    raw_check(flights->database, sqlite3_step(flights->six), SQLITE_ROW, "six columns");
    int64_t sum = 0;
    for (int column = 0; column < 4; column++) sum += sqlite3_column_int64(flights->six, column);
    for (int column = 4; column < 6; column++) {
        char text[16];
        const int length = sqlite3_column_bytes(flights->six, column);
        const unsigned char *const bytes = sqlite3_column_text(flights->six, column);
        if (bytes != NULL && length < (int)sizeof text) memcpy(text, bytes, (size_t)length + 1);
        sum += length;
    }
    sqlite3_reset(flights->six);
    return sum;
}

void raw_flights_set_minute(raw_flights *flights, int64_t key, int64_t minute) {
    sqlite3_bind_int64(flights->set_minute, 1, key);
    sqlite3_bind_int64(flights->set_minute, 2, minute);
    run(flights, flights->set_minute);
}
