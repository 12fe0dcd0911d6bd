// The arguments of the program, in which the library looks for Core Data's launch arguments. The
// Swift runtime searches for them when it is loaded, which every program would wait for; the library
// is linked with `--wrap=_swift_stdlib_getUnsafeArgvArgc` and without that search, so that its copy of
// the runtime comes here when somebody asks.
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

// All that a file has, ended by a zero that is not counted; NULL if it cannot be read.
static char *read_whole(const char *path, size_t *size) {
    const int file = open(path, O_RDONLY | O_CLOEXEC);
    if (file < 0) return NULL;
    size_t capacity = 4096;
    char *text = NULL;
    *size = 0;
    for (;;) {
        char *const larger = realloc(text, capacity);
        if (larger == NULL) break;
        text = larger;
        const ssize_t count = read(file, text + *size, capacity - *size - 1);
        if (count < 0) break;
        *size += (size_t)count;
        if (count == 0) {
            text[*size] = 0;
            close(file);
            return text;
        }
        if (*size + 1 == capacity) capacity *= 2;
    }
    free(text);
    close(file);
    return NULL;
}

// Returns the arguments, ended by NULL, in memory that is never freed. Without /proc the list is empty.
char **__wrap__swift_stdlib_getUnsafeArgvArgc(int *count) {
    static char *none[] = {NULL};
    size_t size = 0;
    char *const text = read_whole("/proc/self/cmdline", &size);
    *count = 0;
    if (text == NULL) return none;
    size_t arguments = 0;
    for (size_t place = 0; place < size; place++) arguments += text[place] == 0;
    char **const list = calloc(arguments + 1, sizeof *list);
    if (list == NULL) {
        free(text);
        return none;
    }
    char *next = text;
    for (size_t argument = 0; argument < arguments; argument++, next += strlen(next) + 1) list[argument] = next;
    *count = (int)arguments;
    return list;
}
