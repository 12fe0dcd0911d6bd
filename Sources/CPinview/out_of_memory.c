// What the Swift runtime does when the system gives no memory: it stops the process, without a
// word. The library is linked with `--wrap=swift_slowAlloc`, so that its copy of the runtime comes
// here instead.
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

// The alignment up to which the runtime uses malloc, as a mask; the mask for memory of unknown
// alignment, and what is enough for it.
static const size_t plain_mask = 7, any_mask = ~(size_t)0, any_alignment = 16;

static void say_and_abort(size_t size) {
    char message[96];
    const int length = snprintf(message, sizeof message, "pinview: out of memory: failed to allocate %zu bytes\n", size);
    if (length > 0 && write(STDERR_FILENO, message, (size_t)length) < 0) abort();
    abort();
}

// Does as the runtime's own, which takes memory of unknown alignment from posix_memalign. All of it
// is freed by `free`.
void *__wrap_swift_slowAlloc(size_t size, size_t mask) {
    void *memory = NULL;
    if (mask <= plain_mask) {
        memory = malloc(size);
    } else {
        const size_t alignment = mask == any_mask ? any_alignment : mask + 1;
        if (posix_memalign(&memory, alignment, size) != 0) memory = NULL;
    }
    if (!memory && size > 0) say_and_abort(size);
    return memory;
}
