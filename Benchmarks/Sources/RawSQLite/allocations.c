// Counts the calls that ask for memory. A program's own malloc takes the place of the C library's for every library in its process, and
// hands on to it by the names that glibc keeps for that. Each thread counts for itself, so that counting costs next to nothing.
#include "raw_sqlite.h"

#include <stddef.h>

extern void *__libc_malloc(size_t size);
extern void *__libc_calloc(size_t count, size_t size);
extern void *__libc_realloc(void *memory, size_t size);

static _Thread_local int64_t allocations;

void *malloc(size_t size) {
    allocations++;
    return __libc_malloc(size);
}

void *calloc(size_t count, size_t size) {
    allocations++;
    return __libc_calloc(count, size);
}

void *realloc(void *memory, size_t size) {
    allocations++;
    return __libc_realloc(memory, size);
}

int64_t raw_allocations(void) { return allocations; }
