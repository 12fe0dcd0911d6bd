// Functions that only newer versions of glibc have, which the Swift runtime and expat call where
// they were built. The library is linked with `--wrap` for each, so that it loads with glibc 2.34
// as well.
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <sys/random.h>

// The version of 2.35; older ones differ in the last bit.
float __wrap_hypotf(float x, float y) {
    if (isinf(x) || isinf(y)) return INFINITY;
    return (float)sqrt((double)x * x + (double)y * y);
}

// Since 2.36.
void __wrap_arc4random_buf(void *buffer, size_t size) {
    unsigned char *rest = buffer;
    while (size > 0) {
        const ssize_t count = getrandom(rest, size, 0);
        if (count < 0 && errno != EINTR) abort();
        if (count > 0) {
            rest += count;
            size -= (size_t)count;
        }
    }
}
