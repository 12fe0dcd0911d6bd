#define _GNU_SOURCE
#include <dirent.h>
#include <malloc.h>
#include <stdlib.h>
#include <sys/resource.h>

#include "raw_sqlite.h"

int64_t raw_heap_bytes(void) {
    const struct mallinfo2 heap = mallinfo2();
    return (int64_t)(heap.uordblks + heap.hblkhd);
}

int32_t raw_descriptors(void) {
    int32_t count = 0;
    DIR *folder = opendir("/proc/self/fd");
    if (!folder) exit(EXIT_FAILURE);
    for (const struct dirent *entry; (entry = readdir(folder));) count += entry->d_name[0] != '.';
    closedir(folder);
    return count - 1;  // the folder's own
}

void raw_limit_descriptors(int32_t limit) {
    struct rlimit current;
    if (getrlimit(RLIMIT_NOFILE, &current) != 0) exit(EXIT_FAILURE);
    if (current.rlim_cur > (rlim_t)limit) current.rlim_cur = (rlim_t)limit;
    if (setrlimit(RLIMIT_NOFILE, &current) != 0) exit(EXIT_FAILURE);
}
