// The system's libsqlite3 for Swift, with what Swift cannot import: function-like macros, variadic functions,
// and volatile or atomic access to memory shared with other processes.
#ifndef CSQLITE_SHIM_H
#define CSQLITE_SHIM_H

#include <sqlite3.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <unistd.h>

/// Whether the calling thread is the one that the process began with: its thread ID is the process ID.
static inline int pinview_is_main_thread(void) {
    return syscall(SYS_gettid) == getpid();
}

/// One word of memory that other processes write.
static inline uint32_t pinview_load32(const void *address) {
    return __atomic_load_n((const uint32_t *)address, __ATOMIC_RELAXED);
}

/// Orders the loads before it before those after it.
static inline void pinview_read_barrier(void) {
    __atomic_thread_fence(__ATOMIC_ACQUIRE);
}

#endif
