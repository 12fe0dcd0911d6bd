#include <malloc.h>

#include "raw_sqlite.h"

int64_t raw_heap_bytes(void) {
    const struct mallinfo2 heap = mallinfo2();
    return (int64_t)(heap.uordblks + heap.hblkhd);
}
