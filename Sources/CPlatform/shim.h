// What Swift cannot reach in the C library and the kernel: function-like macros, variadic
// functions, and atomic access to memory that other processes share. The Swift runtime's functions
// for references are declared here too.
#ifndef CPLATFORM_SHIM_H
#define CPLATFORM_SHIM_H

#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <malloc.h>
#include <poll.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/inotify.h>
#include <sys/ioctl.h>
#include <sys/statfs.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

// The Swift runtime's own functions for references (swift/Runtime/HeapObject.h), which are part of
// its stable ABI.

/// Retains an object unless its last reference has gone; its memory must still be there. NULL: it
/// has gone.
void *swift_tryRetain(void *object);
/// Keeps the memory of an object beyond its end.
void *swift_unownedRetain(void *object);
void swift_unownedRelease(void *object);
/// Retains an object so many times at once.
void *swift_retain_n(void *object, uint32_t count);
void swift_release_n(void *object, uint32_t count);

/// Whether the calling thread is the one that the process began with: its thread ID is the process
/// ID.
static inline int pinview_is_main_thread(void) {
    return syscall(SYS_gettid) == getpid();
}

/// The kernel's number of the calling thread.
static inline int32_t pinview_thread_number(void) {
    return (int32_t)syscall(SYS_gettid);
}

/// One word of memory that other processes write.
static inline uint32_t pinview_load32(const void *address) {
    return __atomic_load_n((const uint32_t *)address, __ATOMIC_RELAXED);
}

static inline uint64_t pinview_load64(const void *address) {
    return __atomic_load_n((const uint64_t *)address, __ATOMIC_RELAXED);
}

/// Puts `value` where 0 was; gives what stands there afterwards.
static inline uint64_t pinview_replace_zero64(void *address, uint64_t value) {
    uint64_t expected = 0;
    if (__atomic_compare_exchange_n((uint64_t *)address, &expected, value, 0, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST)) return value;
    return expected;
}

/// Copies memory that other processes write, a word of 64 bits at a time; `bytes` is a multiple
/// of 8.
static inline void pinview_copy_shared(void *target, const void *source, size_t bytes) {
    uint64_t *to = (uint64_t *)target;
    const uint64_t *from = (const uint64_t *)source;
    for (size_t i = 0; i < bytes / 8; i++) to[i] = __atomic_load_n(from + i, __ATOMIC_RELAXED);
}

/// Orders the loads before it before those after it.
static inline void pinview_read_barrier(void) {
    __atomic_thread_fence(__ATOMIC_ACQUIRE);
}

static inline void pinview_full_barrier(void) {
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
}

#ifndef F_OFD_SETLK
#define F_OFD_SETLK 37
#endif

/// Takes (`F_RDLCK`) or lets go (`F_UNLCK`) a lock of the open file description, without waiting.
/// 0, or an error number.
static inline int pinview_lock_description(int descriptor, short type, int64_t start, int64_t length) {
    struct flock lock = {0};
    lock.l_type = type;
    lock.l_whence = SEEK_SET;
    lock.l_start = start;
    lock.l_len = length;
    return fcntl(descriptor, F_OFD_SETLK, &lock) == 0 ? 0 : errno;
}

#ifndef F_OFD_GETLK
#define F_OFD_GETLK 36
#endif

/// Whether anybody but the open file description itself holds a lock on a byte: 1, 0, or -1 where
/// that cannot be told.
static inline int pinview_finds_lock(int descriptor, int64_t byte) {
    struct flock lock = {0};
    lock.l_type = F_WRLCK;
    lock.l_whence = SEEK_SET;
    lock.l_start = byte;
    lock.l_len = 1;
    if (fcntl(descriptor, F_OFD_GETLK, &lock) != 0) return -1;
    return lock.l_type != F_UNLCK;
}

/// The process that holds a POSIX lock on a byte: 0 for none, -1 for a lock of an open file
/// description, or where that cannot be told.
static inline int pinview_lock_holder(int descriptor, int64_t byte) {
    struct flock lock = {0};
    lock.l_type = F_WRLCK;
    lock.l_whence = SEEK_SET;
    lock.l_start = byte;
    lock.l_len = 1;
    if (fcntl(descriptor, F_OFD_GETLK, &lock) != 0) return -1;
    return lock.l_type == F_UNLCK ? 0 : lock.l_pid;
}

/// Makes a file share the blocks of another, where the file system can. 0, or an error number.
static inline int pinview_clone_file(int target, int source) {
    return ioctl(target, 0x40049409 /* FICLONE */, source) == 0 ? 0 : errno;
}

/// Copies a part of a file to the same place in another, in the kernel. How many bytes, or a
/// negative error number.
static inline int64_t pinview_copy_file_range(int source, int target, int64_t offset, size_t bytes) {
    int64_t from = offset, to = offset;
    long copied = syscall(SYS_copy_file_range, source, &from, target, &to, bytes, 0);
    return copied >= 0 ? copied : -errno;
}

/// Creates a file without a name in a folder; it is gone when nobody has it open. -1 where the file
/// system does not support that.
static inline int pinview_create_unnamed(const char *folder, unsigned mode) {
    return open(folder, 020000000 /* O_TMPFILE */ | O_DIRECTORY | O_RDWR | O_CLOEXEC, mode);
}

/// Gives an unnamed file a name that nobody has. 0 or an error number.
static inline int pinview_name_file(int descriptor, const char *path) {
    char link[40];
    snprintf(link, sizeof link, "/proc/self/fd/%d", descriptor);
    return linkat(AT_FDCWD, link, AT_FDCWD, path, AT_SYMLINK_FOLLOW) == 0 ? 0 : errno;
}

/// Renames a file to a name that nobody has. 0 or an error number.
static inline int pinview_rename_new(const char *path, const char *name) {
    if (syscall(SYS_renameat2, AT_FDCWD, path, AT_FDCWD, name, 1 /* RENAME_NOREPLACE */) == 0) return 0;
    if (errno != EINVAL && errno != ENOSYS) return errno;
    if (link(path, name) != 0) return errno;
    return unlink(path) == 0 ? 0 : errno;
}

static inline int pinview_open_change_events(void) { return inotify_init1(IN_NONBLOCK | IN_CLOEXEC); }
static inline int pinview_open_wakeup(void) { return eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC); }

static inline int pinview_watch_changes(int events, const char *path) { return inotify_add_watch(events, path, IN_MODIFY); }

/// Reports that a file or a folder is moved or deleted; for a file, also that it loses a name.
static inline int pinview_watch_path(int events, const char *path, int is_folder) {
    const uint32_t moves = IN_MOVE_SELF | IN_DELETE_SELF | IN_DONT_FOLLOW;
    return inotify_add_watch(events, path, is_folder ? moves | IN_ONLYDIR : moves | IN_ATTRIB);
}

/// Whether files can only be renamed by this kernel, which is not so on file systems of a network or
/// of another program.
static inline int pinview_is_local(const char *path) {
    struct statfs status;
    if (statfs(path, &status) != 0) return 0;
    switch ((unsigned)status.f_type) {
    case EXT4_SUPER_MAGIC:  // also EXT2 and EXT3
    case XFS_SUPER_MAGIC:
    case BTRFS_SUPER_MAGIC:
    case TMPFS_MAGIC:
    case F2FS_SUPER_MAGIC:
    case OVERLAYFS_SUPER_MAGIC: return 1;
    default: return 0;
    }
}

/// Whether there is something to read; -1 if that cannot be told.
static inline int pinview_has_events(int events) {
    int size;
    return ioctl(events, FIONREAD, &size) == 0 ? size > 0 : -1;
}

/// Reads all events, unless the descriptor is no longer one of inotify: other code may have closed
/// it, and its number may be that of a file of the program. 0 if so.
static inline int pinview_drop_events(int events) {
    char link[40], name[40];
    snprintf(link, sizeof link, "/proc/self/fd/%d", events);
    const ssize_t length = readlink(link, name, sizeof name);
    if (length < 7 || memcmp(name + length - 7, "inotify", 7) != 0) return 0;
    _Alignas(struct inotify_event) char buffer[4096];
    while (read(events, buffer, sizeof buffer) > 0) {}
    return 1;
}

static inline void pinview_unwatch_changes(int events, int number) { (void)inotify_rm_watch(events, number); }

static inline void pinview_wake(int wakeup) {
    uint64_t one = 1;
    if (write(wakeup, &one, sizeof one) < 0) return;  // full: there is a wake-up already
}

/// Waits for changes or a wake-up; gives how many numbers of changed files were put into `numbers`,
/// -1 for forgotten ones.
static inline int pinview_wait_for_changes(int events, int wakeup, uint64_t nanoseconds, int *numbers, int capacity) {
    struct pollfd descriptors[2] = {{events, POLLIN, 0}, {wakeup, POLLIN, 0}};
    struct timespec timeout = {(time_t)(nanoseconds / 1000000000), (long)(nanoseconds % 1000000000)};
    // Descriptors below 0 are passed over.
    if (syscall(SYS_ppoll, descriptors, 2, &timeout, (void *)0, 0) <= 0) return 0;
    uint64_t wakeups;
    if (descriptors[1].revents & POLLIN && read(wakeup, &wakeups, sizeof wakeups) < 0) return 0;
    if (!(descriptors[0].revents & POLLIN)) return 0;
    _Alignas(struct inotify_event) char buffer[4096];
    ssize_t size = read(events, buffer, sizeof buffer);
    int count = 0;
    for (ssize_t at = 0; at + (ssize_t)sizeof(struct inotify_event) <= size && count < capacity;) {
        const struct inotify_event *event = (const struct inotify_event *)(buffer + at);
        numbers[count++] = event->wd;
        at += (ssize_t)sizeof(struct inotify_event) + event->len;
    }
    return count;
}

/// A well mixed hash of a primary key, for tables of one's own; here, because a function of another
/// Swift module would be called each time. Neighbours among the keys are neighbours in the table
/// too: eight keys in a row share one place times eight. So reading along a sequence of keys stays
/// in the cache, and keys that are multiples of something do not meet.
static inline uint64_t pinview_hash_key(int64_t key) {
    uint64_t group = (uint64_t)(key >> 3) * UINT64_C(0x9E3779B97F4A7C15);
    group ^= group >> 32;
    return group << 3 | ((uint64_t)key & 7);
}

/// A number that no other living thread has: where its control block is, from a register. Takes no
/// call, unlike pthread_self(), which need not return the same number.
static inline uintptr_t pinview_thread(void) { return (uintptr_t)__builtin_thread_pointer(); }

/// Begins to load a cache line that will be used soon. Any address will do; nothing is loaded for an
/// invalid one.
static inline void pinview_prefetch(const void *address) { __builtin_prefetch(address); }

#endif
