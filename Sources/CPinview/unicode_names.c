// The names of Unicode's characters, half a megabyte that nothing in the library asks for:
// `Unicode.Scalar.Properties.name` is part of the standard library, and that refers to them. The
// library is linked with `--wrap=_swift_stdlib_getScalarName`, so that its copy of the standard
// library comes here instead, and finds no names.
#include <stddef.h>
#include <stdint.h>

intptr_t __wrap__swift_stdlib_getScalarName(uint32_t scalar, uint8_t *name, intptr_t capacity);

intptr_t __wrap__swift_stdlib_getScalarName(uint32_t scalar, uint8_t *name, intptr_t capacity) {
    (void)scalar, (void)name, (void)capacity;
    return 0;
}
