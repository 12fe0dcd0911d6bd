/* Loads the library named by the first argument and calls it once. */
#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>

int main(int argc, char **argv) {
    uint32_t (*version)(void) = NULL;
    void *library = argc == 2 ? dlopen(argv[1], RTLD_NOW | RTLD_LOCAL) : NULL;
    if (library == NULL) {
        fprintf(stderr, "%s\n", dlerror());
        return 2;
    }
    *(void **)&version = dlsym(library, "pinview_version_number");
    return version == NULL || version() == 0;
}
