internal import CSQLite
import Glibc
import Synchronization

/// Copies parts of files piece by piece.
enum FileCopy {
    /// Bytes between two looks whether the copy is still wanted.
    private static let chunk = 1 << 20

    #if DEBUG
        /// Microseconds to rest before each piece, so that a test can do something in the middle of a copy; at first what
        /// the environment variable `PINVIEW_COPY_PAUSE` says.
        static let pause = Atomic<UInt32>(getenv("PINVIEW_COPY_PAUSE").flatMap { UInt32(String(cString: $0)) } ?? 0)
        /// Whether a copy rests at this moment.
        static let isResting = Atomic<Bool>(false)

        /// Setting the pause to 0 ends it.
        private static func rest() {
            let length = pause.load(ordering: .relaxed)
            guard length > 0 else { return }
            let end = MonotonicTime.now.after(Double(length) / 1e6)
            isResting.store(true, ordering: .relaxed)
            while pause.load(ordering: .relaxed) > 0, MonotonicTime.now < end { usleep(min(length, 1_000)) }
            isResting.store(false, ordering: .relaxed)
        }
    #endif

    /// Makes the whole of a file share the blocks of another.
    ///
    /// - Returns: false where the file system cannot.
    static func clone(_ source: Int32, to target: Int32) -> Bool {
        #if DEBUG
            guard pause.load(ordering: .relaxed) == 0 else { return false }
        #endif
        return pinview_clone_file(target, source) == 0
    }

    /// Copies bytes to the same place in another file.
    ///
    /// - Parameter isWanted: asked between the pieces.
    /// - Returns: whether all was copied; false when it is not wanted any more.
    static func copy(
        _ range: Range<Int64>, from source: Int32, to target: Int32, path: String, isWanted: () -> Bool
    ) throws(SQLiteError) -> Bool {
        var offset = range.lowerBound
        var usesKernel = true
        while offset < range.upperBound {
            #if DEBUG
                rest()
            #endif
            guard isWanted() else { return false }
            let count = Int(min(Int64(chunk), range.upperBound - offset))
            var copied = usesKernel ? pinview_copy_file_range(source, target, offset, count) : 0
            if copied <= 0 {
                // Not between these file systems, or not at all: by hand.
                guard copied != Int64(-EINTR) else { continue }
                guard ![-ENOSPC, -EDQUOT, -EFBIG].contains(Int32(copied)) else { throw failure(-Int32(copied), path) }
                usesKernel = false
                copied = try copyByHand(count, at: offset, from: source, to: target, path)
            }
            offset += copied
        }
        return true
    }

    private static func copyByHand(
        _ count: Int, at offset: Int64, from source: Int32, to target: Int32, _ path: String
    ) throws(SQLiteError) -> Int64 {
        let bytes = Bytes.read(count, at: offset, from: source)
        guard !bytes.isEmpty else { throw failure(EIO, path, "a file that was to be copied ended early") }
        try write(bytes, at: offset, to: target, path)
        return Int64(bytes.count)
    }

    static func write(_ bytes: [UInt8], at offset: Int64, to target: Int32, _ path: String) throws(SQLiteError) {
        var done = 0
        while done < bytes.count {
            let written = bytes.withUnsafeBytes {
                pwrite(target, $0.baseAddress?.advanced(by: done), bytes.count - done, off_t(offset) + done)
            }
            if written < 0, errno == EINTR { continue }
            guard written > 0 else { throw failure(written < 0 ? errno : EIO, path) }
            done += written
        }
    }

    /// Fails early where there is no room for so many bytes, rather than to fill the disk first.
    static func requireSpace(_ bytes: Int64, for target: Int32, _ path: String) throws(SQLiteError) {
        var status = statvfs()
        guard fstatvfs(target, &status) == 0, status.f_frsize > 0 else { return }
        let free = UInt64(status.f_bavail) * UInt64(status.f_frsize)
        guard UInt64(bytes) <= free else {
            throw failure(ENOSPC, path, "a copy needs \(bytes) bytes, and the disk has \(free) left")
        }
    }

    static func failure(_ code: Int32, _ path: String, _ text: String? = nil) -> SQLiteError {
        let isFull = [ENOSPC, EDQUOT, EFBIG].contains(code)
        return SQLiteError(
            kind: isFull ? .full : .sqlite, extendedCode: isFull ? SQLITE_FULL : SQLITE_IOERR,
            message: text ?? String(cString: strerror(code)), path: path)
    }

    /// All of a file; nil where it cannot be read.
    static func contents(of path: String) -> [UInt8]? {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { return nil }
        let size = Int(status.st_size)
        var isWhole = false
        let bytes = [UInt8](unsafeUninitializedCapacity: size) { buffer, count in
            while count < size {
                let read = pread(descriptor, buffer.baseAddress.map { $0 + count }, size - count, off_t(count))
                guard read > 0 else { return }
                count += read
            }
            isWhole = true
        }
        return isWhole ? bytes : nil
    }
}
