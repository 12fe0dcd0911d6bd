internal import CPlatform
import Glibc

/// How far an export is, in bytes.
package struct ExportProgress: Sendable {
    package let completed: Int64, total: Int64
}

/// Is told of an export's progress; false ends it.
package typealias ExportMonitor = (ExportProgress) throws -> Bool

/// Puts the pages of a pinned generation into one file, while writers go on:
///
///     store    ┌ main file ────────┐   ┌ journal: frames 1…M ┐
///              └─────────┬─────────┘   └──────────┬──────────┘
///                        │ 1. shared, or copied   │ 2. of each page the last frame
///                        ▼                        ▼
///     target   ┌ main file with the pages of the generation ┐   3. the pin is verified
///              └────────────────────────────────────────────┘
///
/// Why that is the generation, although the main file changes meanwhile, is explained in
/// `Detaching`: a page that a checkpoint writes has a frame up to M in the journal, which replaces
/// it here.
struct GenerationImage {
    let pin: ReadPin
    /// The store's main file, or that of the copy that contains the generation.
    let main: Int32
    /// The store's path, or the copy's.
    let path: String
    /// Locate the pages of the journal's frames. Nil if the generation takes none from there.
    let regions: IndexRegions?

    /// The number of bytes between two reports of progress.
    private static let step: Int64 = 1 << 20

    /// The size of the database in that state.
    private let fileSize: Int64
    private let mainSize: Int64
    private var frameCount: UInt32 { regions == nil ? 0 : pin.header.frame }
    private var total: Int64 { fileSize + Int64(frameCount) * Int64(pin.header.pageSize) }

    init(pin: ReadPin, main: Int32, path: String, regions: IndexRegions?) throws(SQLiteError) {
        self.pin = pin
        self.main = main
        self.path = path
        self.regions = regions
        var status = stat()
        guard fstat(main, &status) == 0 else { throw FileCopy.failure(errno, path) }
        mainSize = Int64(status.st_size)
        // Before the first commit to a new journal, SQLite goes by the size of the file, too.
        fileSize = pin.header.pageCount > 0 ? Int64(pin.header.fileSize) : mainSize
    }

    /// - Returns: false if the monitor ended it.
    func write(to target: ExportTarget, _ monitor: ExportMonitor) throws -> Bool {
        guard try monitor(ExportProgress(completed: 0, total: total)), try writeMain(to: target, monitor),
            try writeFrames(to: target, monitor)
        else { return false }
        // A main file that has been shared whole may be longer.
        guard ftruncate(target.descriptor, off_t(fileSize)) == 0 else { throw FileCopy.failure(errno, target.path) }
        return try monitor(ExportProgress(completed: total, total: total))
    }

    private func writeMain(to target: ExportTarget, _ monitor: ExportMonitor) throws -> Bool {
        if FileCopy.clone(main, to: target.descriptor) { return true }
        try FileCopy.requireSpace(fileSize, for: target.descriptor, target.path)
        // Pages beyond the end are in the journal.
        let end = min(mainSize, fileSize)
        var offset: Int64 = 0
        while offset < end {
            let next = min(offset + Self.step, end)
            _ = try FileCopy.copy(offset..<next, from: main, to: target.descriptor, path: target.path) { true }
            offset = next
            guard try monitor(ExportProgress(completed: offset, total: total)) else { return false }
        }
        return true
    }

    /// Writes the frames, the last one first: each page that has been written already is passed
    /// over.
    private func writeFrames(to target: ExportTarget, _ monitor: ExportMonitor) throws -> Bool {
        guard let regions, frameCount > 0 else { return true }
        // SQLite holds no lock on the journal, so closing a descriptor of it is harmless.
        let journal = open(path + "-wal", O_RDONLY | O_CLOEXEC)
        guard journal >= 0 else { throw FileCopy.failure(errno, path + "-wal") }
        defer { close(journal) }
        let pageSize = pin.header.pageSize, pageCount = pin.header.pageCount
        let stepFrames = max(UInt32(Self.step / Int64(pageSize)), 1)
        var isWritten = [UInt64](repeating: 0, count: Int(pageCount) / 64 + 1)
        let memory = UnsafeMutableRawPointer.allocate(byteCount: pageSize, alignment: 16)
        defer { memory.deallocate() }
        for frame in stride(from: frameCount, through: 1, by: -1) {
            let (number, offset) = IndexRegions.location(ofFrame: frame)
            guard let region = regions.region(number) else { throw damaged }
            let page = region.load(fromByteOffset: offset, as: UInt32.self)
            guard page > 0 else { throw damaged }
            // Pages that the database no longer had in that state.
            if page <= pageCount {
                let word = Int(page / 64), bit = UInt64(1) << UInt64(page % 64)
                if isWritten[word] & bit == 0 {
                    isWritten[word] |= bit
                    let start = Journal.size(frames: frame, pageSize: pageSize) - pageSize
                    guard pread(journal, memory, pageSize, off_t(start)) == pageSize else {
                        throw FileCopy.failure(EIO, path + "-wal", "the journal ended early")
                    }
                    try FileCopy.write(
                        UnsafeRawBufferPointer(start: memory, count: pageSize), at: Int64(page - 1) * Int64(pageSize),
                        to: target.descriptor, target.path)
                }
            }
            if (frame - 1) % stepFrames == 0 {
                let left = Int64(frame - 1) * Int64(pageSize)
                guard try monitor(ExportProgress(completed: total - left, total: total)) else { return false }
            }
        }
        return true
    }

    private var damaged: SQLiteError { FileCopy.failure(EIO, path, "the WAL-index does not list all pages of the journal") }
}
