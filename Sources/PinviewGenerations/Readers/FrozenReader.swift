internal import CSQLite
import Glibc
import Synchronization

/// A connection that reads any generation of its file, through the frozen VFS, which shows it the
/// pinned header.
final class FrozenReader {
    let connection: Connection
    private let state: UnsafeMutablePointer<FrozenState>
    /// The serial number of the pin that it shows; 0 if none.
    private(set) var target: UInt64 = 0
    private var shownPin: LightReference<ReadPin>?
    /// The descriptor of the live WAL-index, whose page table replaces a copy when the reader is
    /// first moved to another generation. Many readers never are, and mapping takes longer than one
    /// copy. Nil once it is mapped, or if there is none.
    private var liveTable: Int32?
    /// Whether the state that it shows has been read.
    private var hasRead = false
    /// The state that it shows and whose pages it may have cached; nil if its cached pages are not
    /// to be trusted.
    private var shownState: (header: WALHeader, isSlotZero: Bool)?
    private var knownMainReads: UInt = 0, knownJournalReads: UInt = 0
    /// The serial number of the copy whose files it has open; 0 for the store's own files.
    let copySerial: UInt64
    /// Whether that copy has ended, so that the reader must be closed to free the space.
    let isLeftOver = Atomic<Bool>(false)
    /// The thread that uses it, as a number; 0 if none.
    let user = Atomic<UInt>(0)
    /// The serial number of the pin that it was taken for. Unlike `target`, it can be read on all
    /// threads.
    let takenFor = Atomic<UInt64>(0)
    var idleSince = MonotonicTime(nanoseconds: 0)

    /// Opens a reader of a generation, which can show all others in the same files.
    init(path: String, vfs: ShimVFS, pin: ReadPin, index: WALIndex, indexDescriptor: Int32?, options: StoreFileOptions) throws(SQLiteError)
    {
        let copy = pin.copy
        copySerial = copy?.serial ?? 0
        connection = try Connection(
            path: copy?.path ?? path, flags: SQLITE_OPEN_READONLY, vfs: vfs.frozenName, trustsSchema: options.trustsSchema)
        guard let file = connection.mainFile, let state = ShimFile.state(file, as: FrozenState.self) else {
            throw SQLiteError(
                kind: .cannotOpen, extendedCode: SQLITE_CANTOPEN, message: "the file is not one of the frozen VFS", path: path)
        }
        self.state = state
        if let copy {
            state.pointee.regions = .passRetained(copy.regions)
        } else {
            guard Self.mapsIndex(file, index), pin.namesJournal(path + "-wal") else {
                connection.close()
                throw SQLiteError(
                    kind: .cannotOpen, extendedCode: SQLITE_CANTOPEN,
                    message: "the file or its journal has been moved, deleted or replaced while it was open", path: path)
            }
            liveTable = indexDescriptor
        }
        _ = pinview_set_no_checkpoint_on_close(connection.handle, 1)
        connection.keepsHeaderCheck = true
        // Once and for all, since setting it for each read would cost more than many reads.
        connection.watchForCallingThreads()
        sqlite3_limit(connection.handle, SQLITE_LIMIT_ATTACHED, 0)
        try show(pin, index)
        try options.prepareReader(connection)
        // The journal is opened by the first read. Without it this reader cannot be used, and
        // another one must do.
        _ = try connection.value("PRAGMA schema_version")
    }

    deinit { shownPin?.release() }

    /// The reader's own reference to the WAL-index keeps it mapped. It is the live one only if the
    /// path still names the same file.
    private static func mapsIndex(_ file: UnsafeMutablePointer<sqlite3_file>, _ index: WALIndex) -> Bool {
        var region: UnsafeMutableRawPointer?
        let real = ShimFile.real(file)
        guard let map = real.pointee.pMethods.pointee.xShmMap else { return false }
        return map(real, 0, Int32(WALIndex.regionSize), 0, &region) == SQLITE_OK && region.map { UnsafeRawPointer($0) } == index.memory
    }

    /// Shows a generation.
    func show(_ pin: ReadPin, _ index: WALIndex) throws(SQLiteError) {
        guard target != pin.serial else { return }
        // Often nobody has committed since another pin of the same state: then the pages are the
        // same, too.
        if let shownState, shownState.header == pin.header, shownState.isSlotZero == (pin.slot == 0) { return note(pin) }
        if shownState?.isSlotZero == false, pin.slot != 0,
            state.pointee.advance(
                to: pin.header, region: { region($0, index) }, empty: { connection.emptyPageCache(pageSize: pin.header.pageSize) })
        {
            shownState = (pin.header, false)
            return note(pin)
        }
        shownState = nil
        // The ways above leave page 1 as it was.
        connection.forgetHeaderCheck()
        try connection.endReading()
        if target != 0, let descriptor = liveTable {
            state.pointee.mapTable(descriptor)
            liveTable = nil
        }
        let memory = pin.copy.map { UnsafeRawPointer($0.regions.memory) } ?? index.memory
        guard state.pointee.target(pin.header, slot: pin.slot, live: memory, region: { region($0, index) }) else {
            throw SQLiteError(kind: .busy, extendedCode: SQLITE_BUSY, message: "a reader has a transaction open", path: connection.path)
        }
        shownState = (pin.header, pin.slot == 0)
        hasRead = false
        note(pin)
    }

    /// The live region of the WAL-index with a number.
    private func region(_ number: Int, _ index: WALIndex) -> UnsafeRawPointer? {
        guard number > 0 else { return index.memory }
        // The real file's own reference keeps it mapped.
        guard let file = connection.mainFile.map(ShimFile.real), let map = file.pointee.pMethods?.pointee.xShmMap else { return nil }
        var region: UnsafeMutableRawPointer?
        guard map(file, Int32(number), Int32(WALIndex.regionSize), 0, &region) == SQLITE_OK else { return nil }
        return region.map { UnsafeRawPointer($0) }
    }

    private func note(_ pin: ReadPin) {
        target = pin.serial
        shownPin?.release()
        shownPin = LightReference(pin)
    }

    /// What was read could not be proved: the next pin is shown again, even if it is of the same
    /// state.
    func distrustPages() {
        // SQLite may not know of the journal's frames that are forgotten here, so that even the
        // same pin must be shown again.
        target = 0
        shownState = nil
        connection.forgetHeaderCheck()
        state.pointee.forgetPages()
    }

    /// Begins a read. From the second read of a generation, the reader keeps a transaction open
    /// until another generation is shown: it locks nothing, and ending and starting it again would
    /// cost as much as finding a row by its key. Often there is no second read, and without a
    /// transaction each statement sees the same state as well.
    func beginReading() throws(SQLiteError) {
        guard hasRead else { return hasRead = true }
        if !connection.isInTransaction { try connection.beginReading() }
    }

    /// What has been read from the files since the last call.
    func takePageReads() -> PageReads {
        let main = state.pointee.mainReads, journal = state.pointee.journalReads
        defer { (knownMainReads, knownJournalReads) = (main, journal) }
        return PageReads(fromMain: main != knownMainReads, fromJournal: journal != knownJournalReads)
    }

    /// Whether the pin that it shows has ended, so that its page cache is of no use.
    ///
    /// Requires the pool's lock. The pin of a copy must not end under that lock, because its copy
    /// closes readers; even checking whether it still lives could end it.
    var isStale: Bool { copySerial == 0 && shownPin?.object == nil }

    /// After a read: ends statements that the body left running.
    func finishReading() { if connection.hasRunningStatements { connection.resetStatements() } }
}
