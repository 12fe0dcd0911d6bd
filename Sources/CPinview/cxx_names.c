// The names of C++ functions for people, which libstdc++ prints when a C++ exception ends a program.
// The shared library has libstdc++ linked in and is linked with `--wrap=__cxa_demangle`, so that the
// function that decodes them stays out: the runtime of Swift throws no exceptions.
#include <stddef.h>

char *__wrap___cxa_demangle(const char *mangled, char *buffer, size_t *length, int *status);

char *__wrap___cxa_demangle(const char *mangled, char *buffer, size_t *length, int *status) {
    (void)mangled, (void)buffer, (void)length;
    // "Not a valid name": whoever asks prints the name as it is.
    if (status != NULL) *status = -2;
    return NULL;
}
