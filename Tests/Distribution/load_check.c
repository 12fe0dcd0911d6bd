/* Loads the library named by the first argument and reports whether loading it changed how the
 * process handles signals. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

static void read_handlers(struct sigaction *actions) {
    for (int number = 1; number < NSIG; number++) {
        memset(&actions[number], 0, sizeof actions[number]);
        sigaction(number, NULL, &actions[number]);
    }
}

int main(int argc, char **argv) {
    static struct sigaction before[NSIG], after[NSIG];
    stack_t stack_before, stack_after;
    int changed = 0;
    if (argc != 2) return 2;
    read_handlers(before);
    sigaltstack(NULL, &stack_before);
    void *library = dlopen(argv[1], RTLD_NOW | RTLD_LOCAL);
    if (library == NULL) {
        fprintf(stderr, "%s\n", dlerror());
        return 2;
    }
    uint32_t (*version)(void) = NULL;
    *(void **)&version = dlsym(library, "pinview_version_number");
    if (version == NULL || version() == 0) return 2;
    read_handlers(after);
    sigaltstack(NULL, &stack_after);
    for (int number = 1; number < NSIG; number++) {
        if (before[number].sa_handler != after[number].sa_handler) {
            printf("handler of signal %d changed\n", number);
            changed = 1;
        }
    }
    if (stack_before.ss_flags != stack_after.ss_flags || stack_before.ss_sp != stack_after.ss_sp) {
        printf("signal stack changed\n");
        changed = 1;
    }
    if (dlclose(library) != 0) return 2;
    return changed;
}
