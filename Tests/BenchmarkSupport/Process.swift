import Glibc

/// Nanoseconds of the clock that is never set back; the same in all processes.
public func now() -> Int64 {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
}

/// Nanoseconds that something takes.
@inlinable
public func nanoseconds(_ body: () throws -> Void) rethrows -> Double {
    let start = now()
    try body()
    return Double(now() - start)
}

/// Open file descriptors of the process.
public func descriptorCount() throws(BenchmarkError) -> Int {
    guard let folder = opendir("/proc/self/fd") else { throw BenchmarkError("the file descriptors cannot be counted") }
    defer { closedir(folder) }
    var count = 0
    while readdir(folder) != nil { count += 1 }
    return count
}

/// Lowers the limit of file descriptors of the process, if it is higher.
public func limitDescriptors(to count: Int) throws(BenchmarkError) {
    let resource = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
    var limit = rlimit()
    guard getrlimit(resource, &limit) == 0 else { throw BenchmarkError("the limit of file descriptors cannot be read") }
    limit.rlim_cur = min(limit.rlim_cur, rlim_t(count))
    guard setrlimit(resource, &limit) == 0 else { throw BenchmarkError("the limit of file descriptors cannot be set") }
}

/// The size of a file; 0 without one.
public func fileSize(_ path: String) -> Int64 {
    var status = stat()
    return stat(path, &status) == 0 ? Int64(status.st_size) : 0
}

/// The size of all files in a folder.
public func folderSize(_ path: String) throws(BenchmarkError) -> Int64 {
    guard let folder = opendir(path) else { throw BenchmarkError("\(path) cannot be read") }
    defer { closedir(folder) }
    var size: Int64 = 0
    while let entry = readdir(folder) {
        let name = withUnsafeBytes(of: &entry.pointee.d_name) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
        if name != ".", name != ".." { size += fileSize(path + "/" + name) }
    }
    return size
}

/// Nanoseconds of the processor that all threads of the process take while something is done. What
/// else the machine does doesn't count.
@inlinable
public func processorNanoseconds(_ body: () throws -> Void) rethrows -> Double {
    let start = processorTime()
    try body()
    return Double(processorTime() - start)
}

/// Nanoseconds of the processor that the process has used.
public func processorTime() -> Int64 {
    var time = timespec()
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
    return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
}
