// How long it takes until a library can be used: a peer of pinview-benchmarks, started as
//     load cell load-library PEER FOLDER NAME=NUMBER…
// The peer raw loads libsqlite3, the others the library that PINVIEW_LIBRARY names. Linked with neither.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

static int64_t now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (int64_t)time.tv_sec * 1000000000 + time.tv_nsec;
}

static void fail(const char *message) {
    fprintf(stderr, "load: %s\n", message);
    exit(EXIT_FAILURE);
}

int main(int count, char **arguments) {
    if (count < 5) fail("usage: load cell load-library PEER FOLDER NAME=NUMBER…");
    const int is_raw = strcmp(arguments[3], "raw") == 0;
    const char *const path = is_raw ? "libsqlite3.so.0" : getenv("PINVIEW_LIBRARY");
    if (path == NULL) fail("PINVIEW_LIBRARY names no library");
    int64_t start = now();
    void *const library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    const int64_t loaded = now() - start;
    if (library == NULL) fail(dlerror());
    int (*version)(void);
    start = now();
    *(void **)&version = dlsym(library, is_raw ? "sqlite3_libversion_number" : "pinview_version_number");
    if (version == NULL || version() == 0) fail("the library has no version");
    const int64_t called = now() - start;
    Dl_info info;
    char file[PATH_MAX];
    struct stat status;
    if (dladdr(*(void **)&version, &info) == 0 || realpath(info.dli_fname, file) == NULL || stat(file, &status) != 0) fail("no file");
    printf("measure load %lld\nmeasure call %lld\nmeasure size %lld\n", (long long)loaded, (long long)called, (long long)status.st_size);
    return EXIT_SUCCESS;
}
