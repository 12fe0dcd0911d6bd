internal import CPlatform
internal import CSQLite
import Glibc
import Synchronization

/// Copies parts of files in chunks.
enum FileCopy {
    /// The number of bytes copied between two checks whether the copy is still wanted.
    private static let chunk = 1 << 20

    #if DEBUG
        /// Microseconds to pause before each chunk, so that a test can act in the middle of a copy.
        /// Initially the value of the environment variable `PINVIEW_COPY_PAUSE`.
        static let pause = Atomic<UInt32>(getenv("PINVIEW_COPY_PAUSE").flatMap { UInt32(String(cString: $0)) } ?? 0)
        /// Whether a copy is pausing.
        static let isResting = Atomic<Bool>(false)

        /// Pauses; ends early when the pause is set to 0.
        private static func rest() {
            let length = pause.load(ordering: .relaxed)
            guard length > 0 else { return }
            let end = MonotonicTime.now.after(Double(length) / 1e6)
            isResting.store(true, ordering: .relaxed)
            while pause.load(ordering: .relaxed) > 0, MonotonicTime.now < end { usleep(min(length, 1_000)) }
            isResting.store(false, ordering: .relaxed)
        }
    #endif

    /// Makes a file share all blocks of another.
    ///
    /// - Returns: false if the file system does not support it.
    static func clone(_ source: Int32, to target: Int32) -> Bool {
        #if DEBUG
            guard pause.load(ordering: .relaxed) == 0 else { return false }
        #endif
        return pinview_clone_file(target, source) == 0
    }

    /// Copies bytes to the same offset in another file.
    ///
    /// - Parameter isWanted: called between the chunks.
    /// - Returns: false if the copy is no longer wanted.
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
                // Not supported between these file systems, or not at all.
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
        let result = bytes.withUnsafeBytes { bytes in
            Result { () throws(SQLiteError) in try write(bytes, at: offset, to: target, path) }
        }
        try result.get()
    }

    static func write(_ bytes: UnsafeRawBufferPointer, at offset: Int64, to target: Int32, _ path: String) throws(SQLiteError) {
        var done = 0
        while done < bytes.count {
            let written = pwrite(target, bytes.baseAddress?.advanced(by: done), bytes.count - done, off_t(offset) + done)
            if written < 0, errno == EINTR { continue }
            guard written > 0 else { throw failure(written < 0 ? errno : EIO, path) }
            done += written
        }
    }

    /// Fails early if the disk has too little space, rather than filling it first.
    static func requireSpace(_ bytes: Int64, for target: Int32, _ path: String) throws(SQLiteError) {
        var status = statvfs()
        guard fstatvfs(target, &status) == 0, status.f_frsize > 0 else { return }
        let free = UInt64(status.f_bavail) * UInt64(status.f_frsize)
        guard UInt64(bytes) <= free else {
            throw failure(ENOSPC, path, "a copy needs \(bytes) bytes, but only \(free) are free on the disk")
        }
    }

    static func failure(_ code: Int32, _ path: String, _ text: String? = nil) -> SQLiteError {
        let isFull = [ENOSPC, EDQUOT, EFBIG].contains(code)
        return SQLiteError(
            kind: isFull ? .full : .sqlite, extendedCode: isFull ? SQLITE_FULL : SQLITE_IOERR,
            message: text ?? String(cString: strerror(code)), path: path)
    }

    /// All bytes of a file; nil if it cannot be read.
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
