// Persons that are read: kept with all columns, or one after another.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "raw_people.h"

enum { BLOCK = 4096 };

// Persons in blocks, so that none of them moves.
typedef struct person_block {
    struct person_block *next;
    int64_t count;
    struct {
        int64_t key, version, age;
        double height;
        char *texts;  // first name, last name, e-mail, each with a NUL
    } persons[BLOCK];
} person_block;

struct raw_persons {
    person_block *blocks;
};

raw_persons *raw_persons_fetch(sqlite3 *database, const char *tail) {
    raw_persons *const persons = calloc(1, sizeof *persons);
    char sql[160];
    snprintf(sql, sizeof sql, "SELECT Z_PK, Z_OPT, ZAGE, ZHEIGHT, ZFIRSTNAME, ZLASTNAME, ZEMAIL FROM ZPERSON %s", tail);
    sqlite3_stmt *const statement = raw_prepare(database, sql);
    int code;
    while ((code = sqlite3_step(statement)) == SQLITE_ROW) {
        if (persons->blocks == NULL || persons->blocks->count == BLOCK) {
            person_block *const fresh = malloc(sizeof *fresh);
            fresh->next = persons->blocks;
            fresh->count = 0;
            persons->blocks = fresh;
        }
        person_block *const block = persons->blocks;
        const int64_t place = block->count++;
        block->persons[place].key = sqlite3_column_int64(statement, 0);
        block->persons[place].version = sqlite3_column_int64(statement, 1);
        block->persons[place].age = sqlite3_column_int64(statement, 2);
        block->persons[place].height = sqlite3_column_double(statement, 3);
        const char *texts[3];
        size_t lengths[3], all = 0;
        for (int index = 0; index < 3; index++) {
            texts[index] = (const char *)sqlite3_column_text(statement, 4 + index);
            lengths[index] = (size_t)sqlite3_column_bytes(statement, 4 + index) + 1;
            all += lengths[index];
        }
        char *copy = block->persons[place].texts = malloc(all);
        for (int index = 0; index < 3; index++) {
            if (texts[index] != NULL) memcpy(copy, texts[index], lengths[index]);
            copy += lengths[index];
        }
    }
    raw_check(database, code, SQLITE_DONE, "persons");
    sqlite3_finalize(statement);
    return persons;
}

int64_t raw_persons_ages(const raw_persons *persons) {
    int64_t sum = 0;
    for (const person_block *block = persons->blocks; block != NULL; block = block->next) {
        for (int64_t index = 0; index < block->count; index++) sum += block->persons[index].age;
    }
    return sum;
}

int64_t raw_persons_positions(const raw_persons *persons, int64_t last) {
    int64_t sum = 0, later = 0;
    for (const person_block *block = persons->blocks; block != NULL; block = block->next) later += block->count;
    // The newest block comes first.
    for (const person_block *block = persons->blocks; block != NULL; block = block->next) {
        later -= block->count;
        for (int64_t index = 0; index < block->count; index++) {
            if (block->persons[index].key <= last) sum += later + index;
        }
    }
    return sum;
}

void raw_persons_free(raw_persons *persons) {
    for (person_block *block = persons->blocks, *next; block != NULL; block = next) {
        next = block->next;
        for (int64_t index = 0; index < block->count; index++) free(block->persons[index].texts);
        free(block);
    }
    free(persons);
}

static int64_t read_number_or_text(sqlite3_stmt *statement, int column) {
    return sqlite3_column_type(statement, column) == SQLITE_TEXT ? sqlite3_column_text(statement, column)[0]
                                                                  : (int64_t)sqlite3_column_double(statement, column);
}

int64_t raw_people_stream(sqlite3 *database, const char *sql, int64_t *most_memory) {
    sqlite3_stmt *const statement = raw_prepare(database, sql);
    const int columns = sqlite3_column_count(statement);
    int64_t sum = 0, row = 0;
    volatile int64_t others = 0;  // read, as by a program that uses them
    int code;
    while ((code = sqlite3_step(statement)) == SQLITE_ROW) {
        sum += sqlite3_column_int64(statement, 0);
        for (int column = 1; column < columns; column++) others += read_number_or_text(statement, column);
        if (most_memory == NULL || row++ % 1000 != 0) continue;
        const int64_t memory = raw_heap_bytes();
        if (memory > *most_memory) *most_memory = memory;
    }
    raw_check(database, code, SQLITE_DONE, sql);
    sqlite3_finalize(statement);
    return sum;
}
