/* A library for LD_PRELOAD that makes one system call fail: the n-th of its kind that concerns the
 * folder under test, once or from then on. It stands between the program and libc, so it reaches
 * SQLite's calls as well as the library's own.
 *
 * FAULTS_FOLDER calls count that name a path with this text in it, or a descriptor that was opened
 * by one FAULTS_KIND which calls: open access stat fstat read write sync truncate map lock getlock
 * copy unlink rename thread, and
 *                 allocate: memory that SQLite asks for
 * FAULTS_NUMBER   the number of the call that fails, from 1; 0: none
 * FAULTS_ERROR    the error number, or "short": half of the bytes are read or written
 * FAULTS_LASTING  set: all later calls of the kind fail as well, until faults_end()
 *
 * The program finds faults_count, faults_fired and faults_end as weak symbols. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { DESCRIPTORS = 1 << 16 };

static const char *const kinds[] = {"open", "access", "stat",    "fstat", "read",   "write",  "sync",   "truncate",
                                    "map",  "lock",   "getlock", "copy",  "unlink", "rename", "thread", "allocate"};
enum kind { OPEN, ACCESS, STAT, FSTAT, READ, WRITE, SYNC, TRUNCATE, MAP, LOCK, GETLOCK, COPY, UNLINK, RENAME, THREAD, ALLOCATE, KINDS };

static atomic_long counts[KINDS];
static atomic_int fired, ended;
static _Atomic char watched[DESCRIPTORS];

static struct {
    const char *folder;
    int kind;
    long number;
    int error, is_short, is_lasting;
} plan;

/* SQLite's code: its allocations are recognised by the caller's address. */
static struct {
    uintptr_t first, last;
} sqlite;

static int find_sqlite(struct dl_phdr_info *info, size_t size, void *unused) {
    (void)size, (void)unused;
    if (!info->dlpi_name || !strstr(info->dlpi_name, "libsqlite3")) return 0;
    for (int number = 0; number < info->dlpi_phnum; number++) {
        const ElfW(Phdr) *part = &info->dlpi_phdr[number];
        if (part->p_type != PT_LOAD || !(part->p_flags & PF_X)) continue;
        sqlite.first = info->dlpi_addr + part->p_vaddr;
        sqlite.last = sqlite.first + part->p_memsz;
    }
    return 1;
}

__attribute__((constructor)) static void read_plan(void) {
    dl_iterate_phdr(find_sqlite, NULL);
    const char *kind = getenv("FAULTS_KIND"), *number = getenv("FAULTS_NUMBER"), *error = getenv("FAULTS_ERROR");
    plan.folder = getenv("FAULTS_FOLDER");
    plan.kind = -1;
    for (int index = 0; kind && index < KINDS; index++)
        if (strcmp(kind, kinds[index]) == 0) plan.kind = index;
    plan.number = number ? atol(number) : 0;
    plan.is_short = error && strcmp(error, "short") == 0;
    plan.error = error ? atoi(error) : EIO;
    plan.is_lasting = getenv("FAULTS_LASTING") != NULL;
}

long faults_count(const char *kind) {
    for (int index = 0; index < KINDS; index++)
        if (strcmp(kind, kinds[index]) == 0) return atomic_load(&counts[index]);
    return -1;
}

int faults_fired(void) { return atomic_load(&fired); }

/* From now on everything succeeds. */
void faults_end(void) { atomic_store(&ended, 1); }

static int names_folder(const char *path) { return plan.folder && path && strstr(path, plan.folder) != NULL; }
static int is_watched(int descriptor) { return descriptor >= 0 && descriptor < DESCRIPTORS && atomic_load(&watched[descriptor]); }

/* Counts a call. Whether it is to fail: errno has the error then, unless it is to be short. */
static int fails(enum kind kind) {
    const long number = atomic_fetch_add(&counts[kind], 1) + 1;
    if ((int)kind != plan.kind || plan.number == 0 || atomic_load(&ended)) return 0;
    if (plan.is_lasting ? number < plan.number : number != plan.number) return 0;
    atomic_store(&fired, 1);
    errno = plan.error;
    return 1;
}

#define REAL(name) \
    static __typeof__(&name) real; \
    if (!real) *(void **)&real = dlsym(RTLD_NEXT, #name)

static int note_opened(int descriptor, int is_ours) {
    if (descriptor >= 0 && descriptor < DESCRIPTORS) atomic_store(&watched[descriptor], (char)is_ours);
    return descriptor;
}

#define OPENS(name)                                                                                        \
    int name(const char *path, int flags, ...) {                                                           \
        REAL(name);                                                                                        \
        va_list arguments;                                                                                 \
        va_start(arguments, flags);                                                                        \
        const mode_t mode = flags & O_CREAT ? va_arg(arguments, mode_t) : 0;                               \
        va_end(arguments);                                                                                 \
        const int is_ours = names_folder(path);                                                            \
        return is_ours && fails(OPEN) ? -1 : note_opened(real(path, flags, mode), is_ours);                \
    }
OPENS(open)
OPENS(open64)

int openat(int folder, const char *path, int flags, ...) {
    REAL(openat);
    va_list arguments;
    va_start(arguments, flags);
    const mode_t mode = flags & O_CREAT ? va_arg(arguments, mode_t) : 0;
    va_end(arguments);
    const int is_ours = names_folder(path) || is_watched(folder);
    return is_ours && fails(OPEN) ? -1 : note_opened(real(folder, path, flags, mode), is_ours);
}

int close(int descriptor) {
    REAL(close);
    note_opened(descriptor, 0);
    return real(descriptor);
}

int access(const char *path, int mode) {
    REAL(access);
    return names_folder(path) && fails(ACCESS) ? -1 : real(path, mode);
}

#define STATS_PATH(name, type)                                                                             \
    int name(const char *path, struct type *status) {                                                      \
        REAL(name);                                                                                        \
        return names_folder(path) && fails(STAT) ? -1 : real(path, status);                                \
    }
STATS_PATH(stat, stat)
STATS_PATH(stat64, stat64)
STATS_PATH(lstat64, stat64)

#define STATS_DESCRIPTOR(name, type)                                                                       \
    int name(int descriptor, struct type *status) {                                                        \
        REAL(name);                                                                                        \
        return is_watched(descriptor) && fails(FSTAT) ? -1 : real(descriptor, status);                     \
    }
STATS_DESCRIPTOR(fstat, stat)
STATS_DESCRIPTOR(fstat64, stat64)

/* How many bytes of so many are read or written where a call is short; -1 where it fails. */
static ssize_t less(size_t count) { return plan.is_short ? (ssize_t)(count > 1 ? count / 2 : count) : -1; }

#define READS(name, offset_type)                                                                           \
    ssize_t name(int descriptor, void *buffer, size_t count, offset_type offset) {                         \
        REAL(name);                                                                                        \
        if (!is_watched(descriptor) || !fails(READ)) return real(descriptor, buffer, count, offset);       \
        const ssize_t part = less(count);                                                                  \
        return part <= 0 ? part : real(descriptor, buffer, (size_t)part, offset);                          \
    }
READS(pread, off_t)
READS(pread64, off64_t)

ssize_t read(int descriptor, void *buffer, size_t count) {
    REAL(read);
    if (!is_watched(descriptor) || !fails(READ)) return real(descriptor, buffer, count);
    const ssize_t part = less(count);
    return part <= 0 ? part : real(descriptor, buffer, (size_t)part);
}

#define WRITES(name, offset_type)                                                                          \
    ssize_t name(int descriptor, const void *buffer, size_t count, offset_type offset) {                   \
        REAL(name);                                                                                        \
        if (!is_watched(descriptor) || !fails(WRITE)) return real(descriptor, buffer, count, offset);      \
        const ssize_t part = less(count);                                                                  \
        return part <= 0 ? part : real(descriptor, buffer, (size_t)part, offset);                          \
    }
WRITES(pwrite, off_t)
WRITES(pwrite64, off64_t)

ssize_t write(int descriptor, const void *buffer, size_t count) {
    REAL(write);
    if (!is_watched(descriptor) || !fails(WRITE)) return real(descriptor, buffer, count);
    const ssize_t part = less(count);
    return part <= 0 ? part : real(descriptor, buffer, (size_t)part);
}

#define ON_DESCRIPTOR(name, kind, parameters, arguments)                                                   \
    int name parameters {                                                                                  \
        REAL(name);                                                                                        \
        return is_watched(descriptor) && fails(kind) ? -1 : real arguments;                                \
    }
ON_DESCRIPTOR(fsync, SYNC, (int descriptor), (descriptor))
ON_DESCRIPTOR(fdatasync, SYNC, (int descriptor), (descriptor))
ON_DESCRIPTOR(ftruncate, TRUNCATE, (int descriptor, off_t size), (descriptor, size))
ON_DESCRIPTOR(ftruncate64, TRUNCATE, (int descriptor, off64_t size), (descriptor, size))

#define MAPS(name, offset_type)                                                                            \
    void *name(void *address, size_t size, int protection, int flags, int descriptor, offset_type offset) { \
        REAL(name);                                                                                        \
        return is_watched(descriptor) && fails(MAP) ? MAP_FAILED : real(address, size, protection, flags, descriptor, offset); \
    }
MAPS(mmap, off_t)
MAPS(mmap64, off64_t)

static int asks_for_lock(int command) { return command == F_GETLK || command == F_OFD_GETLK; }

static int takes_lock(int command, void *argument) {
    if (command != F_SETLK && command != F_SETLKW && command != F_OFD_SETLK && command != F_OFD_SETLKW) return 0;
    return ((struct flock *)argument)->l_type != F_UNLCK;
}

#define CONTROLS(name)                                                                                     \
    int name(int descriptor, int command, ...) {                                                           \
        REAL(name);                                                                                        \
        va_list arguments;                                                                                 \
        va_start(arguments, command);                                                                      \
        void *argument = va_arg(arguments, void *);                                                        \
        va_end(arguments);                                                                                 \
        if (is_watched(descriptor) && takes_lock(command, argument) && fails(LOCK)) return -1;             \
        if (is_watched(descriptor) && asks_for_lock(command) && fails(GETLOCK)) return -1;                 \
        const int result = real(descriptor, command, argument);                                            \
        if (command == F_DUPFD || command == F_DUPFD_CLOEXEC) note_opened(result, is_watched(descriptor)); \
        return result;                                                                                     \
    }
CONTROLS(fcntl)
CONTROLS(fcntl64)

int ioctl(int descriptor, unsigned long request, ...) {
    REAL(ioctl);
    va_list arguments;
    va_start(arguments, request);
    void *argument = va_arg(arguments, void *);
    va_end(arguments);
    return is_watched(descriptor) && fails(COPY) ? -1 : real(descriptor, request, argument);
}

long syscall(long number, ...) {
    REAL(syscall);
    va_list arguments;
    va_start(arguments, number);
    long values[6];
    for (int index = 0; index < 6; index++) values[index] = va_arg(arguments, long);
    va_end(arguments);
    if (number == SYS_copy_file_range && is_watched((int)values[0]) && fails(COPY)) return -1;
    return real(number, values[0], values[1], values[2], values[3], values[4], values[5]);
}

int unlink(const char *path) {
    REAL(unlink);
    return names_folder(path) && fails(UNLINK) ? -1 : real(path);
}

int rename(const char *from, const char *to) {
    REAL(rename);
    return (names_folder(from) || names_folder(to)) && fails(RENAME) ? -1 : real(from, to);
}

/* glibc's own, which need no look-up: that would allocate. */
extern void *__libc_malloc(size_t size);
extern void *__libc_realloc(void *memory, size_t size);

static int fails_for(void *caller) {
    const uintptr_t address = (uintptr_t)caller;
    return address >= sqlite.first && address < sqlite.last && fails(ALLOCATE);
}

void *malloc(size_t size) { return fails_for(__builtin_return_address(0)) ? NULL : __libc_malloc(size); }

void *realloc(void *memory, size_t size) { return fails_for(__builtin_return_address(0)) ? NULL : __libc_realloc(memory, size); }

int pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*body)(void *), void *argument) {
    REAL(pthread_create);
    return fails(THREAD) ? plan.error : real(thread, attributes, body, argument);
}
