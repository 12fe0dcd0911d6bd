internal import CPlatform
internal import CSQLite
import Glibc

/// What a file of `pinview-frozen` shows to SQLite: a WAL-index of its own, whose header is that of
/// a pinned generation.
///
/// - The first region begins with private memory. It holds the pinned header, **no backfilled
///   frames** (a checkpoint may have skipped an earlier version of a page because a later one
///   exists, so an old reader takes from the journal what it finds there), one read mark, and a
///   copy of the beginning of the live page table. The rest of the table, where it can be mapped,
///   and the other regions are the live ones: their entries for frames up to the pinned one never
///   change while the pin holds.
/// - For a pin of read mark 0 the header says **no frames**: everything had been copied into the
///   file when the state was pinned, nothing more can be copied while the mark is held, but a
///   writer may restart the journal over the old frames.
/// - From the second generation on, the header says **no frames** as well, as long as the journal
///   is short: then `JournalPages` finds the pages in the journal, and SQLite need not be told of
///   each commit.
/// - Locks are taken in this memory only, writing is refused, and a file without a target cannot be
///   read at all.
///
/// The way of a read of page n:
///
///     SQLite: page n in its WAL-index?          xShmMap: private header and table, live regions
///        │
///        ├─ in frame f ─► xRead, journal ──► readPage ──┬─ n in `journalPages` ─► that later frame
///        │                                              └─ otherwise ───────────► frame f
///        │
///        └─ no ────────► xRead, main file ─► readMain ──┬─ n in `journalPages` ─► that frame
///                                                       ├─ n in `interiorPages` ───► the page kept there
///                                                       └─ otherwise ───────────► the main file
///
/// Frames are read with their headers: where the journal was cut off and has grown again, the page
/// number is 0.
struct FrozenState {
    let index: UnsafeMutableRawPointer
    /// Replaces the live regions if the file is one of a detached copy, which has no shared memory.
    /// Retained.
    var regions: Unmanaged<IndexRegions>?
    var isTargeted = false
    /// Whether the page table behind the first page of memory is the live one.
    private var isTableMapped = false
    /// The read marks that SQLite believes to hold; not 0 while a transaction is open.
    var heldLocks: Int32 = 0
    /// Makes SQLite see a change whenever the target changes, whatever the headers contain.
    var serial: UInt32 = 0
    /// How often the main file and the journal have been read.
    var mainReads: UInt = 0, journalReads: UInt = 0
    /// Pages of the main file that stay valid when another generation is shown.
    private var interiorPages = InteriorPages()
    /// The frames of the journal that SQLite does not know of.
    private var journalPages = JournalPages()
    private var pageSize = 0
    /// The real file of the journal, while it is open.
    var journal: UnsafeMutablePointer<sqlite3_file>?
    /// Memory for a frame of the journal.
    private var frame: UnsafeMutableRawPointer?
    private var frameCapacity = 0

    /// Bytes at the beginning of the first region that are always private.
    private static let privateSize = Int(sysconf(Int32(_SC_PAGESIZE)))

    /// Nil if there is no memory.
    init?() {
        let flags = MAP_PRIVATE | MAP_ANONYMOUS
        guard let memory = mmap(nil, WALIndex.regionSize, PROT_READ | PROT_WRITE, flags, -1, 0), memory != MAP_FAILED else { return nil }
        index = memory
    }

    /// Maps the live page table in place of a copy, which would have to be made for each generation
    /// that is shown.
    ///
    /// - Parameter descriptor: the live WAL-index. If it cannot be mapped, copies are used.
    mutating func mapTable(_ descriptor: Int32) {
        let size = Self.privateSize
        guard size >= WALIndex.tableOffset, size < WALIndex.regionSize else { return }
        isTableMapped =
            mmap(index + size, WALIndex.regionSize - size, PROT_READ, MAP_SHARED | MAP_FIXED, descriptor, off_t(size)) != MAP_FAILED
    }

    mutating func deallocate() {
        munmap(index, WALIndex.regionSize)
        interiorPages.deallocate()
        journalPages.deallocate()
        frame?.deallocate()
        regions?.release()
    }

    /// Reads a page that SQLite has found in the journal, or a later version of it.
    ///
    /// - Parameter offset: of the page in the journal.
    mutating func readPage(_ page: UnsafeMutableRawPointer, _ count: Int32, _ offset: Int64) -> Int32 {
        let (code, number) = readFrame(Int(count), offset)
        guard code == SQLITE_OK, let frame else { return code }
        if let later = journalPages.read(number) { return readPage(number, of: later, page, Int(count), at: 0) }
        page.copyMemory(from: frame + Journal.frameHeaderSize, byteCount: Int(count))
        return SQLITE_OK
    }

    /// Reads a page, or a part of it, from a frame other than where SQLite looks for it.
    private mutating func readPage(
        _ number: UInt32, of later: UInt32, _ page: UnsafeMutableRawPointer, _ count: Int, at start: Int
    ) -> Int32 {
        let offset = Journal.size(frames: later - 1, pageSize: pageSize) + Journal.frameHeaderSize
        let (code, found) = readFrame(pageSize, Int64(offset))
        guard code == SQLITE_OK, let frame else { return code }
        guard found == number, start + count <= pageSize else { return shortRead }
        page.copyMemory(from: frame + Journal.frameHeaderSize + start, byteCount: count)
        return SQLITE_OK
    }

    /// Reads a page of the journal together with the header of its frame, which has been there as
    /// long as the page. Where the journal has been cut off there is nothing, or a hole of zeros if
    /// it has grown again.
    ///
    /// - Parameter offset: of the page in the journal.
    /// - Returns: also the number of the page.
    private mutating func readFrame(_ count: Int, _ offset: Int64) -> (code: Int32, page: UInt32) {
        let header = Journal.frameHeaderSize
        if frameCapacity < count + header {
            frame?.deallocate()
            frameCapacity = count + header
            frame = .allocate(byteCount: frameCapacity, alignment: 8)
        }
        guard let frame, let journal, let read = journal.pointee.pMethods?.pointee.xRead else { return (SQLITE_IOERR, 0) }
        journalReads &+= 1
        let code = read(journal, frame, Int32(count + header), offset - Int64(header))
        guard code == SQLITE_OK else { return (code, 0) }
        // SQLite up to 3.40.1 sometimes omits a frame's salts and checksum, but never its page
        // number.
        let page = UInt32(bigEndian: frame.load(as: UInt32.self))
        return page == 0 ? (shortRead, 0) : (SQLITE_OK, page)
    }

    /// Reads from the main file, or from the pages known to replace it.
    mutating func readMain(_ main: UnsafeMutablePointer<sqlite3_file>, _ buffer: UnsafeMutableRawPointer?, _ count: Int32, _ offset: Int64)
        -> Int32
    {
        guard let buffer, let read = main.pointee.pMethods.pointee.xRead else { return SQLITE_IOERR }
        if pageSize > 0 {
            let (pageIndex, start) = Int(offset).quotientAndRemainder(dividingBy: pageSize)
            let number = UInt32(truncatingIfNeeded: pageIndex + 1)
            if let later = journalPages.read(number) { return readPage(number, of: later, buffer, Int(count), at: start) }
        }
        if interiorPages.copy(count, offset, to: buffer) { return SQLITE_OK }
        mainReads &+= 1
        let code = read(main, buffer, count, offset)
        if code == SQLITE_OK { interiorPages.keep(count, offset, buffer) }
        return code
    }

    /// Called when SQLite is about to map pages of the main file instead of reading them.
    ///
    /// - Returns: whether it may. A page that is in a later frame would go unnoticed.
    mutating func permitMapping() -> Bool {
        journalPages.bypass()
        return journalPages.isEmpty
    }

    /// After a read that could not be proved.
    mutating func forgetPages() {
        interiorPages.forget()
        journalPages.forget()
    }

    /// Shows another generation. Works only while no transaction is open: SQLite would mix two
    /// states.
    ///
    /// - Parameters:
    ///   - live: the first region of the WAL-index.
    ///   - region: returns the live region with a number.
    /// - Returns: whether it was possible.
    mutating func target(_ pinned: WALHeader, slot: Int, live: UnsafeRawPointer, region: (Int) -> UnsafeRawPointer?) -> Bool {
        guard heldLocks == 0 else { return false }
        var header = pinned
        // The reader of the first generation may also be the reader of the last one.
        let keepsPages = slot != 0 && isTargeted
        interiorPages.move(to: keepsPages ? pinned : nil)
        // A copy has no live WAL-index.
        if keepsPages, regions == nil, mayFollow {
            header.frame = journalPages.begin(at: pinned, region: region)
        } else {
            journalPages.forget()
        }
        #if DEBUG
            let keepsFrames = InjectedFault.current == .slotZeroWithFrames
            let backfilled =
                InjectedFault.current == .liveBackfillMark ? min(WALIndex(memory: live).backfilledFrames, header.frame) : 0
        #else
            let keepsFrames = false, backfilled: UInt32 = 0
        #endif
        if slot == 0, !keepsFrames { header.frame = 0 }
        serial &+= 1
        header.serial = serial
        header.updateChecksum()
        header.write(to: index)
        header.write(to: index + 48)
        func store(_ value: UInt32, at offset: Int) { index.storeBytes(of: value, toByteOffset: offset, as: UInt32.self) }
        store(backfilled, at: WALIndex.backfillOffset)
        store(backfilled, at: WALIndex.attemptedBackfillOffset)
        store(0, at: WALIndex.marksOffset)
        store(header.frame, at: WALIndex.marksOffset + 4)
        for mark in 2..<WALIndex.slotCount { store(WALIndex.unusedMark, at: WALIndex.marksOffset + 4 * mark) }
        if header.frame > 0 { copyTable(header, live) }
        pageSize = pinned.pageSize
        isTargeted = true
        return true
    }

    /// Shows a later generation of the same journal without SQLite noticing, whether in a
    /// transaction or not.
    ///
    /// - Parameters:
    ///   - region: returns the live region of the WAL-index with a number.
    ///   - empty: makes SQLite forget its pages; returns whether it did.
    /// - Returns: whether it was possible.
    mutating func advance(to pinned: WALHeader, region: (Int) -> UnsafeRawPointer?, empty: () -> Bool) -> Bool {
        guard journalPages.advance(to: pinned, region: region, empty: empty) else { return false }
        interiorPages.move(to: pinned)
        return true
    }

    /// Whether frames may be kept from SQLite. Not with faults that have to be met as often as
    /// possible.
    private var mayFollow: Bool {
        #if DEBUG
            return [nil, .lostLocks, .unseenFrames].contains(InjectedFault.current)
        #else
            return true
        #endif
    }

    /// Entries of frames up to the pinned one stay in place; entries that a writer adds or removes
    /// meanwhile lie behind them.
    private func copyTable(_ header: WALHeader, _ live: UnsafeRawPointer) {
        let target = index + WALIndex.tableOffset, source = live + WALIndex.tableOffset
        guard isTableMapped else { return pinview_copy_shared(target, source, WALIndex.regionSize - WALIndex.tableOffset) }
        target.copyMemory(from: source, byteCount: min(4 * Int(header.frame), Self.privateSize - WALIndex.tableOffset))
    }
}

/// SQLITE_IOERR_SHORT_READ, a macro that Swift does not import.
private let shortRead = SQLITE_IOERR | (2 << 8)

nonisolated(unsafe) private let frozenMainMethods: UnsafePointer<sqlite3_io_methods> = permanentMethods { methods in
    methods.xClose = { file in
        guard let file else { return SQLITE_OK }
        let real = ShimFile.real(file)
        let code = real.pointee.pMethods?.pointee.xClose?(real) ?? SQLITE_OK
        if let state = ShimFile.state(file, as: FrozenState.self) {
            state.pointee.deallocate()
            state.deallocate()
        }
        return code
    }
    methods.xRead = { file, buffer, count, offset in
        guard let file, let state = ShimFile.state(file, as: FrozenState.self) else { return SQLITE_IOERR }
        return state.pointee.readMain(ShimFile.real(file), buffer, count, offset)
    }
    methods.xWrite = { _, _, _, _ in SQLITE_READONLY }
    methods.xTruncate = { _, _ in SQLITE_READONLY }
    methods.xSync = { _, _ in SQLITE_OK }
    methods.xLock = { file, level in
        guard let file else { return SQLITE_IOERR }
        // Success without a lock would make the last close checkpoint and delete the journal.
        guard level <= SQLITE_LOCK_SHARED else { return SQLITE_BUSY }
        let real = ShimFile.real(file)
        return real.pointee.pMethods.pointee.xLock?(real, level) ?? SQLITE_IOERR
    }
    methods.xCheckReservedLock = { _, isReserved in
        isReserved?.pointee = 0
        return SQLITE_OK
    }
    methods.xShmMap = { file, region, size, _, memory in
        guard let file, let memory, let state = ShimFile.state(file, as: FrozenState.self), state.pointee.isTargeted else {
            return SQLITE_CANTOPEN
        }
        if region == 0 {
            guard size == Int32(WALIndex.regionSize) else { return SQLITE_CANTOPEN }
            memory.pointee = state.pointee.index
            return SQLITE_OK
        }
        if let regions = state.pointee.regions {
            memory.pointee = regions._withUnsafeGuaranteedRef { $0.region(Int(region)) }
            return memory.pointee == nil ? SQLITE_IOERR : SQLITE_OK
        }
        // The real file's own reference keeps the live region mapped as long as the reader is open.
        let real = ShimFile.real(file)
        return real.pointee.pMethods.pointee.xShmMap?(real, region, size, 0, memory) ?? SQLITE_IOERR
    }
    methods.xShmLock = { file, first, count, mode in
        guard let file, let state = ShimFile.state(file, as: FrozenState.self) else { return SQLITE_IOERR }
        guard mode & SQLITE_SHM_SHARED != 0, first >= firstReadLock, count == 1 else {
            return mode & SQLITE_SHM_UNLOCK != 0 ? SQLITE_OK : SQLITE_BUSY
        }
        state.pointee.heldLocks += mode & SQLITE_SHM_LOCK != 0 ? 1 : -1
        return SQLITE_OK
    }
    methods.xShmBarrier = { _ in pinview_full_barrier() }
    methods.xFetch = { file, offset, count, page in
        guard let file, let page, let state = ShimFile.state(file, as: FrozenState.self) else { return SQLITE_IOERR }
        guard state.pointee.permitMapping() else {
            page.pointee = nil
            return SQLITE_OK
        }
        let real = ShimFile.real(file)
        return real.pointee.pMethods.pointee.xFetch?(real, offset, count, page) ?? SQLITE_IOERR
    }
    methods.xShmUnmap = { file, _ in
        guard let file, ShimFile.state(file, as: FrozenState.self)?.pointee.regions == nil else { return SQLITE_OK }
        let real = ShimFile.real(file)
        return real.pointee.pMethods.pointee.xShmUnmap?(real, 0) ?? SQLITE_OK
    }
}

/// The journal: read, never written or shortened.
nonisolated(unsafe) private let frozenJournalMethods: UnsafePointer<sqlite3_io_methods> = permanentMethods { methods in
    methods.iVersion = 1
    methods.xClose = { file in
        guard let file else { return SQLITE_OK }
        ShimFile.state(file, as: FrozenState.self)?.pointee.journal = nil
        let real = ShimFile.real(file)
        return real.pointee.pMethods?.pointee.xClose?(real) ?? SQLITE_OK
    }
    methods.xRead = { file, buffer, count, offset in
        guard let file, let buffer else { return SQLITE_IOERR }
        let real = ShimFile.real(file)
        guard let state = ShimFile.state(file, as: FrozenState.self) else { return SQLITE_IOERR }
        guard Journal.isPage(count: Int(count), offset: Int(offset)) else {
            state.pointee.journalReads &+= 1
            return real.pointee.pMethods.pointee.xRead?(real, buffer, count, offset) ?? SQLITE_IOERR
        }
        return state.pointee.readPage(buffer, count, offset)
    }
    methods.xWrite = { _, _, _, _ in SQLITE_READONLY }
    methods.xTruncate = { _, _ in SQLITE_READONLY }
    methods.xSync = { _, _ in SQLITE_OK }
}

func openFrozen(
    _: UnsafeMutablePointer<sqlite3_vfs>?, _ name: UnsafePointer<CChar>?, _ file: UnsafeMutablePointer<sqlite3_file>?, _ flags: Int32,
    _ outFlags: UnsafeMutablePointer<Int32>?
) -> Int32 {
    guard let file else { return SQLITE_CANTOPEN }
    file.pointee.pMethods = nil
    let isMain = flags & SQLITE_OPEN_MAIN_DB != 0
    guard isMain || flags & SQLITE_OPEN_WAL != 0 else {
        // Temporary files belong to the connection alone; rollback journals would change the store.
        if flags & (SQLITE_OPEN_MAIN_JOURNAL | SQLITE_OPEN_SUPER_JOURNAL) != 0 { return SQLITE_READONLY }
        return openReal(name, file, flags, outFlags)
    }
    let real = ShimFile.real(file)
    var realFlags: Int32 = 0
    let code = openReal(name, real, flags & ~(SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE) | SQLITE_OPEN_READONLY, &realFlags)
    guard code == SQLITE_OK, real.pointee.pMethods != nil else {
        if let close = real.pointee.pMethods?.pointee.xClose { _ = close(real) }
        return code == SQLITE_OK ? SQLITE_CANTOPEN : code
    }
    outFlags?.pointee = realFlags
    guard isMain else {
        // The state belongs to the main file, which is closed after its journal.
        let state = sqlite3_database_file_object(name).flatMap { ShimFile.state($0, as: FrozenState.self) }
        ShimFile.fill(file, methods: frozenJournalMethods, state: state.map { UnsafeMutableRawPointer($0) })
        state?.pointee.journal = real
        return SQLITE_OK
    }
    guard let frozen = FrozenState() else {
        if let close = real.pointee.pMethods?.pointee.xClose { _ = close(real) }
        return SQLITE_NOMEM
    }
    let state = UnsafeMutablePointer<FrozenState>.allocate(capacity: 1)
    state.initialize(to: frozen)
    ShimFile.fill(file, methods: frozenMainMethods, state: UnsafeMutableRawPointer(state))
    return SQLITE_OK
}

/// Reports that the journal exists and that a rollback journal does not.
func accessFrozen(
    _: UnsafeMutablePointer<sqlite3_vfs>?, _ name: UnsafePointer<CChar>?, _ flags: Int32, _ result: UnsafeMutablePointer<Int32>?
) -> Int32 {
    guard let name, let unix = unixVFS, let access = unix.pointee.xAccess else { return SQLITE_IOERR }
    let text = String(cString: name)
    if text.hasSuffix("-wal") {
        result?.pointee = 1
        return SQLITE_OK
    }
    if text.hasSuffix("-journal") {
        result?.pointee = 0
        return SQLITE_OK
    }
    return access(unix, name, flags, result)
}
