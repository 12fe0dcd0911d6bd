// Flights by hand: what Workloads.md asks for, in the plain way of sqlite3.h.
#ifndef RAW_FLIGHTS_H
#define RAW_FLIGHTS_H

#include "raw_sqlite.h"

// A connection with its statements, and all flights that were read through it and are kept.
typedef struct raw_flights raw_flights;
raw_flights *raw_flights_open(const char *path);
void raw_flights_close(raw_flights *flights);

// Reads flights with all columns and keeps them; `tail` follows the FROM clause and may be empty. Gives their number.
int64_t raw_flights_fetch(raw_flights *flights, const char *tail);
// The six attributes of all flights kept, of those from `first` on.
int64_t raw_flights_six(const raw_flights *flights, int64_t first);
// All 19 attributes of all flights kept; and i · number.
int64_t raw_flights_all(const raw_flights *flights);
int64_t raw_flights_order(const raw_flights *flights);
// Reads the six columns only, into columns that are kept.
int64_t raw_flights_six_columns(raw_flights *flights, const char *tail);

// Makes room in the identity map.
void raw_flights_expect(raw_flights *flights, int64_t count);
// From the identity map, or else from the table; the six, and the distance.
int64_t raw_flights_by_keys(raw_flights *flights, int64_t lookups, int64_t rows);
int64_t raw_flights_distances(raw_flights *flights, int64_t lookups, int64_t rows);
// The six of flights that are read with lists of their sorted keys.
int64_t raw_flights_batch(raw_flights *flights, int64_t lookups, int64_t rows);

// The seats of each kept flight's plane. Planes are read one by one when they are first met, and kept in an identity map.
int64_t raw_flights_seats(raw_flights *flights);

int64_t raw_flights_count(raw_flights *flights, int by_index);
// The bulk update of w9.
void raw_flights_more_air_time(raw_flights *flights);

// A snapshot of the newest state, in which the minute of a flight is read.
int64_t raw_flights_snapshot(raw_flights *flights, int64_t key);
// The six attributes of a flight, in a transaction of its own.
int64_t raw_flights_once(raw_flights *flights, int64_t key);
// Commits another minute of a flight.
void raw_flights_set_minute(raw_flights *flights, int64_t key, int64_t minute);

// The i-th random key of a table with so many rows.
static inline int64_t raw_random_key(int64_t i, int64_t rows) { return 1 + (int64_t)((uint64_t)i * 2654435761u % (uint64_t)rows); }

#endif
