import Glibc

/// The modification time and size of a file, which show whether someone has written to it.
struct FileStamp: Hashable {
    let seconds: Int, nanoseconds: Int, size: Int

    init(seconds: Int, nanoseconds: Int, size: Int) {
        self.seconds = seconds
        self.nanoseconds = nanoseconds
        self.size = size
    }

    /// - Parameter isNamed: whether a deleted file has no stamp.
    /// - Throws: if the system cannot provide the data, which says nothing about the file.
    init?(_ descriptor: Int32, isNamed: Bool = false) throws(SystemError) {
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { throw SystemError(call: .status, number: errno) }
        guard !isNamed || status.st_nlink > 0 else { return nil }
        self.init(seconds: status.st_mtim.tv_sec, nanoseconds: status.st_mtim.tv_nsec, size: Int(status.st_size))
    }
}
