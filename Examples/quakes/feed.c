#include "feed.h"

#include <errno.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* GeoJSON gives milliseconds since 1970. The region is a separate property, or the text after the
   last comma of the place ("10 km W of Ferndale, California"), or the whole place. */
static const char *const query =
    "WITH feature AS ("
    " SELECT json_extract(value, '$.id') AS code, json_extract(value, '$.properties.place') AS place,"
    "  json_extract(value, '$.properties.region') AS region, json_extract(value, '$.properties.mag') AS magnitude,"
    "  json_extract(value, '$.properties.time') / 1000.0 - 978307200.0 AS time,"
    "  json_extract(value, '$.geometry.coordinates[1]') AS latitude,"
    "  json_extract(value, '$.geometry.coordinates[0]') AS longitude,"
    "  json_extract(value, '$.geometry.coordinates[2]') AS depth"
    " FROM json_each(?1, '$.features'))"
    "SELECT code, coalesce(place, 'unnamed place'),"
    " coalesce(region, trim(replace(place, rtrim(place, replace(place, ',', '')), '')), 'unnamed region'),"
    " magnitude, time, latitude, longitude, coalesce(depth, 0)"
    " FROM feature WHERE code IS NOT NULL AND magnitude IS NOT NULL AND time IS NOT NULL AND latitude IS NOT NULL"
    " AND longitude IS NOT NULL GROUP BY code ORDER BY time, code";

static char *read_file(const char *path, size_t *size) {
    FILE *file = fopen(path, "rb");
    if (file == NULL) {
        fprintf(stderr, "quakes: cannot open %s: %s\n", path, strerror(errno));
        return NULL;
    }
    size_t capacity = 1 << 16, used = 0, got;
    char *text = malloc(capacity);
    while (text != NULL && (got = fread(text + used, 1, capacity - used, file)) > 0) {
        used += got;
        if (used == capacity) {
            char *larger = realloc(text, capacity *= 2);
            if (larger == NULL) free(text);
            text = larger;
        }
    }
    if (text == NULL) {
        fprintf(stderr, "quakes: not enough memory for %s\n", path);
    } else if (ferror(file)) {
        fprintf(stderr, "quakes: cannot read %s: %s\n", path, strerror(errno));
        free(text);
        text = NULL;
    }
    fclose(file);
    *size = used;
    return text;
}

static const char *text_of(sqlite3_stmt *statement, int column) {
    const unsigned char *text = sqlite3_column_text(statement, column);
    return text == NULL ? "" : (const char *)text;
}

/* Steps through the features; returns what feed_read returns. */
static long visit_all(sqlite3 *database, const char *path, const char *text, size_t size, feed_visitor visit, void *userdata) {
    sqlite3_stmt *statement = NULL;
    long count = 0;
    int code = sqlite3_prepare_v2(database, query, -1, &statement, NULL);
    if (code == SQLITE_OK) code = sqlite3_bind_text64(statement, 1, text, size, SQLITE_STATIC, SQLITE_UTF8);
    while (code == SQLITE_OK && (code = sqlite3_step(statement)) == SQLITE_ROW) {
        feed_quake quake = {
            .code = text_of(statement, 0),
            .place = text_of(statement, 1),
            .region = text_of(statement, 2),
            .magnitude = sqlite3_column_double(statement, 3),
            .time = sqlite3_column_double(statement, 4),
            .latitude = sqlite3_column_double(statement, 5),
            .longitude = sqlite3_column_double(statement, 6),
            .depth = sqlite3_column_double(statement, 7),
        };
        if (visit(&quake, userdata) != 0) {
            sqlite3_finalize(statement);
            return -1;
        }
        count++;
        code = SQLITE_OK;
    }
    if (code != SQLITE_DONE) {
        fprintf(stderr, "quakes: %s is not a GeoJSON feed: %s\n", path, sqlite3_errmsg(database));
        count = -1;
    } else if (count == 0) {
        fprintf(stderr, "quakes: %s has no earthquakes with code, magnitude, time and coordinates\n", path);
        count = -1;
    }
    sqlite3_finalize(statement);
    return count;
}

long feed_read(const char *path, feed_visitor visit, void *userdata) {
    size_t size = 0;
    char *text = read_file(path, &size);
    if (text == NULL) return -1;
    sqlite3 *database = NULL;
    long count = -1;
    if (sqlite3_open(":memory:", &database) == SQLITE_OK) {
        count = visit_all(database, path, text, size, visit, userdata);
    } else {
        fprintf(stderr, "quakes: SQLite: %s\n", sqlite3_errmsg(database));
    }
    sqlite3_close(database);
    free(text);
    return count;
}
