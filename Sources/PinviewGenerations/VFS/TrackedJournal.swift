internal import CSQLite

/// The journal of a connection on `pinview-track`.
///
/// SQLite writes each frame with two calls to the system, its header and its page. Here, the header
/// waits for the page, and one call writes both, in two thirds of the time.
///
/// A frame counts only as a whole, so nothing is lost if the process ends in between. Only a header
/// that its page follows may wait. SQLite also writes headers of frames that are in the journal
/// already, each after it has read the frame (`walRewriteChecksums`); these are written at once. If
/// SQLite does anything but write the page, the header is written first, and at the latest before a
/// commit is published.
struct TrackedJournal {
    /// Room for a frame. Its header waits if `waitingOffset` is not negative.
    private var frame: UnsafeMutableRawPointer?
    private var pageSize = 0
    private var waitingOffset: Int64 = -1
    private var lastReadOffset: Int64 = -1

    mutating func deallocate() {
        frame?.deallocate()
        frame = nil
    }

    /// Writes the header that waits.
    ///
    /// - Returns: a result code of SQLite. After an error the header still waits.
    mutating func writeWaitingHeader(_ file: UnsafeMutablePointer<sqlite3_file>) -> Int32 {
        guard waitingOffset >= 0, let frame else { return SQLITE_OK }
        let code = Self.write(file, frame, Journal.frameHeaderSize, waitingOffset)
        if code == SQLITE_OK { waitingOffset = -1 }
        return code
    }

    mutating func noteRead(_ offset: Int64) { lastReadOffset = offset }

    /// - Parameter file: the real one.
    mutating func write(_ file: UnsafeMutablePointer<sqlite3_file>, _ bytes: UnsafeRawPointer, _ count: Int, _ offset: Int64) -> Int32 {
        if waitingOffset >= 0, let frame {
            let start = waitingOffset
            if count == pageSize, offset == start + Int64(Journal.frameHeaderSize) {
                waitingOffset = -1
                (frame + Journal.frameHeaderSize).copyMemory(from: bytes, byteCount: count)
                return Self.write(file, frame, Journal.frameSize(pageSize: count), start)
            }
            let code = writeWaitingHeader(file)
            guard code == SQLITE_OK else { return code }
        }
        let isRewritten = offset == lastReadOffset
        lastReadOffset = -1
        if let frame, count == Journal.frameHeaderSize, !isRewritten, isFrame(at: offset) {
            frame.copyMemory(from: bytes, byteCount: count)
            waitingOffset = offset
            return SQLITE_OK
        }
        if count != pageSize, Journal.isPage(count: count, offset: Int(offset)) { makeRoom(forPagesOf: count) }
        return Self.write(file, bytes, count, offset)
    }

    private func isFrame(at offset: Int64) -> Bool {
        offset >= Int64(Journal.headerSize) && (Int(offset) - Journal.headerSize) % Journal.frameSize(pageSize: pageSize) == 0
    }

    private mutating func makeRoom(forPagesOf size: Int) {
        frame?.deallocate()
        frame = .allocate(byteCount: Journal.frameSize(pageSize: size), alignment: 8)
        pageSize = size
    }

    private static func write(_ file: UnsafeMutablePointer<sqlite3_file>, _ bytes: UnsafeRawPointer, _ count: Int, _ offset: Int64) -> Int32
    {
        file.pointee.pMethods.pointee.xWrite?(file, bytes, Int32(truncatingIfNeeded: count), offset) ?? SQLITE_IOERR
    }
}

/// Opens the journal of a main file on `pinview-track`.
func openTrackedJournal(
    _ name: UnsafePointer<CChar>?, _ file: UnsafeMutablePointer<sqlite3_file>, _ flags: Int32, _ outFlags: UnsafeMutablePointer<Int32>?
) -> Int32 {
    guard let main = sqlite3_database_file_object(name), ShimFile.isTracked(main), let state = ShimFile.state(main, as: TrackedState.self)
    else { return openReal(name, file, flags, outFlags) }
    file.pointee.pMethods = nil
    let real = ShimFile.real(file)
    let code = openReal(name, real, flags, outFlags)
    guard real.pointee.pMethods != nil else { return code }
    // The state belongs to the main file, which is closed after its journal.
    ShimFile.fill(file, methods: trackedJournalMethods, state: UnsafeMutableRawPointer(state))
    state.pointee.journalFile = real
    return code
}

extension TrackedState {
    /// Writes what waits to be written to the journal.
    mutating func writeWaitingHeader() -> Int32 {
        guard let journalFile else { return SQLITE_OK }
        return journal.writeWaitingHeader(journalFile)
    }
}

nonisolated(unsafe) private let trackedJournalMethods: UnsafePointer<sqlite3_io_methods> = permanentMethods { methods in
    methods.iVersion = 1
    methods.xClose = { file in
        guard let file else { return SQLITE_OK }
        if let state = ShimFile.state(file, as: TrackedState.self) {
            // Without its page, a header that waits counts for nothing.
            state.pointee.journal.deallocate()
            (state.pointee.journal, state.pointee.journalFile) = (TrackedJournal(), nil)
        }
        let real = ShimFile.real(file)
        return real.pointee.pMethods?.pointee.xClose?(real) ?? SQLITE_OK
    }
    methods.xRead = { file, buffer, count, offset in
        afterWaitingHeader(of: file) { real, state in
            state.pointee.journal.noteRead(offset)
            return real.pointee.pMethods.pointee.xRead?(real, buffer, count, offset)
        }
    }
    methods.xWrite = { file, bytes, count, offset in
        guard let file, let bytes, let state = ShimFile.state(file, as: TrackedState.self) else { return SQLITE_IOERR }
        return state.pointee.journal.write(ShimFile.real(file), bytes, Int(count), offset)
    }
    methods.xTruncate = { file, size in
        afterWaitingHeader(of: file) { real, _ in real.pointee.pMethods.pointee.xTruncate?(real, size) }
    }
    methods.xSync = { file, flags in
        afterWaitingHeader(of: file) { real, _ in real.pointee.pMethods.pointee.xSync?(real, flags) }
    }
    methods.xFileSize = { file, size in
        afterWaitingHeader(of: file) { real, _ in real.pointee.pMethods.pointee.xFileSize?(real, size) }
    }
}

/// Runs something else than a write with the real file of a journal.
private func afterWaitingHeader(
    of file: UnsafeMutablePointer<sqlite3_file>?,
    _ body: (UnsafeMutablePointer<sqlite3_file>, UnsafeMutablePointer<TrackedState>) -> Int32?
) -> Int32 {
    guard let file, let state = ShimFile.state(file, as: TrackedState.self) else { return SQLITE_IOERR }
    let code = state.pointee.writeWaitingHeader()
    return code == SQLITE_OK ? body(ShimFile.real(file), state) ?? SQLITE_IOERR : code
}
