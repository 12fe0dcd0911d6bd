// The 8-bit library of PCRE2 for Swift: its functions keep their suffix (`pcre2_compile_8`).
#ifndef CPCRE2_SHIM_H
#define CPCRE2_SHIM_H

#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>

/// Puts `value` into a slot that several threads use, and gives what the slot held before.
static inline void *pinview_exchange_pointer(void **slot, void *value) {
    return __atomic_exchange_n(slot, value, __ATOMIC_ACQ_REL);
}

#endif
