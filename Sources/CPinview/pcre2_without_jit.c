// PCRE2's compiler to machine code, a quarter of a megabyte that nothing in the library calls: it
// is linked because matching and freeing a pattern ask whether the pattern was compiled that far.
// No pattern is, so the library, linked with `--wrap`, answers here.
#include <stddef.h>
#include <stdint.h>

// PCRE2_ERROR_JIT_BADOPTION: what pcre2_jit_match() returns for a pattern without machine code
// (pcre2.h).
enum { NOT_COMPILED = -45 };

int __wrap_pcre2_jit_match_8(const void *code, const uint8_t *subject, size_t length, size_t start, uint32_t options, void *match, void *context);
int __wrap__pcre2_jit_check_exec_8(const void *executable, uint32_t options);
void __wrap__pcre2_jit_free_8(void *executable, void *memory);

int __wrap_pcre2_jit_match_8(const void *code, const uint8_t *subject, size_t length, size_t start, uint32_t options, void *match, void *context) {
    (void)code, (void)subject, (void)length, (void)start, (void)options, (void)match, (void)context;
    return NOT_COMPILED;
}

int __wrap__pcre2_jit_check_exec_8(const void *executable, uint32_t options) {
    (void)executable, (void)options;
    return 0;
}

void __wrap__pcre2_jit_free_8(void *executable, void *memory) { (void)executable, (void)memory; }
