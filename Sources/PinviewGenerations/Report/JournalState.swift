import Glibc

/// A read mark of the WAL-index: one of five numbers that limit what readers see, each with a lock.
public struct JournalReadMark: Sendable, Hashable {
    /// 0 to 4. Readers of mark 0 take nothing from the journal.
    public let number: Int
    /// The last frame that its readers may see; 0 for mark 0.
    public let frame: UInt32
}

/// A process that has a store's file open.
public struct JournalProcess: Sendable {
    /// The process ID; nil for a process that is not visible, as in another container.
    public let identifier: Int32?
    /// The process's name; nil if it is not visible.
    public let command: String?
    /// The read marks that the process holds.
    public let readMarks: [JournalReadMark]
    /// Whether the process holds the lock for writing.
    public let isWriting: Bool
    /// Whether the process holds the lock for checkpoints.
    public let isCheckpointing: Bool
    /// Whether this is the calling process.
    public let isThisProcess: Bool
    /// Whether the process uses this library rather than SQLite alone.
    package let usesLibrary: Bool
}

/// The state of a journal at about one moment, and who holds it.
package struct JournalState: Sendable {
    /// A live generation of this process.
    package struct Generation: Sendable {
        package let ordinal: UInt64
        /// Seconds since it was taken.
        package let age: Double
        /// The last frame of its state.
        package let frame: UInt32
        package let isNewest: Bool
        package let isDetached: Bool
        /// The read mark that it holds; nil when it holds none that is known.
        package let readMark: Int?
        /// The number of frames that cannot be copied into the main file as long as it lives.
        package let framesHeldBack: UInt32
        /// The number of reader connections that show it, busy or idle.
        package let readersOpen: Int
    }

    package let path: String
    package let storeBytes: Int64
    package let journalBytes: Int64
    package let pageSize: Int
    /// The number of committed frames in the journal.
    package let frames: UInt32
    /// The number of these frames that have been copied into the main file.
    package let copiedFrames: UInt32
    /// The number of further frames that a checkpoint could copy now.
    package let reclaimableFrames: UInt32
    /// The read marks that anyone holds.
    package let heldMarks: [JournalReadMark]
    package let generations: [Generation]
    package let processes: [JournalProcess]
    package let counts: JournalCounts
    /// The space on disk that pins and history of all processes take besides the journal.
    package let costs: PinCosts
    /// The limit for all of it in bytes, as agreed by the open stores; nil without a budget.
    package let budgetBytes: Int64?
    /// Whether another copy of SQLite in this process has the file open.
    package let hasSecondSQLite: Bool
    /// Identifies the file while this process has it open, for comparison with that of a
    /// generation.
    package let file: ObjectIdentifier?

    /// The size of a frame, a page with its header, in bytes.
    package var frameBytes: Int64 { Int64(Journal.frameSize(pageSize: pageSize)) }
}

/// The contents of the WAL-index.
struct JournalIndex {
    let header: WALHeader
    let copiedFrames: UInt32
    let marks: [UInt32]

    /// How many frames will have been copied after a checkpoint, given the marks that readers hold.
    func checkpointLimit(_ held: [JournalReadMark]) -> UInt32 {
        // Read mark 0 prevents any copying, because its readers take every page from the main file.
        if held.contains(where: { $0.number == 0 }) { return copiedFrames }
        return max(held.map { min($0.frame, header.frame) }.min() ?? header.frame, copiedFrames)
    }
}

/// Who has the file open and which read marks they hold, according to the locks.
struct JournalHolders {
    let marks: [JournalReadMark]
    let processes: [JournalProcess]
    /// The page size in the main file; nil for a new database whose pages are all in the journal.
    let pageSize: Int?
    /// Whether anyone has the WAL-index open; otherwise its contents are meaningless.
    let isIndexInUse: Bool

    /// The bytes that SQLite locks in the WAL-index.
    private static func byte(_ mark: Int) -> Int64 { LockBytes.firstReadMark + Int64(mark) }
    private static let writeByte: Int64 = 120, checkpointByte: Int64 = 121

    /// - Parameters:
    ///   - main: a descriptor of the store's file.
    ///   - index: a descriptor of the WAL-index.
    ///   - frames: the last frames of the read marks.
    ///   - own: the marks that this process is known to hold.
    init(main: Int32, index: Int32?, frames: [UInt32], own: Set<Int> = []) {
        pageSize = DatabaseHeader(descriptor: main)?.pageSize
        var mainLocks, indexLocks: FileLocks?
        // Marks held by no visible process: held by an invisible one, or taken while the list was
        // being read.
        var unknown: [Int] = []
        for _ in 0..<3 {
            let table = LockTable()
            mainLocks = FileLocks(descriptor: main, table: table)
            indexLocks = index.map { FileLocks(descriptor: $0, table: table) }
            unknown = (0..<WALIndex.slotCount).filter { number in
                guard let indexLocks, !own.contains(number), indexLocks.holders(of: Self.byte(number)).isEmpty else { return false }
                return indexLocks.isHeld(Self.byte(number))
            }
            if unknown.isEmpty { break }
        }
        func mark(_ number: Int) -> JournalReadMark {
            JournalReadMark(number: number, frame: number == 0 || !frames.indices.contains(number) ? 0 : frames[number])
        }

        var identifiers = Set(((mainLocks?.locks ?? []) + (indexLocks?.locks ?? [])).compactMap(\.process))
        if !own.isEmpty { identifiers.insert(getpid()) }
        var found: [JournalProcess] = []
        var held = own.union(unknown)
        var isWriting = false, isCheckpointing = false
        for identifier in identifiers.sorted() {
            let isThis = identifier == getpid()
            let locks = indexLocks?.locks.filter { $0.process == identifier } ?? []
            var numbers = isThis ? own : []
            for number in 0..<WALIndex.slotCount where locks.contains(where: { $0.bytes.contains(Self.byte(number)) }) {
                numbers.insert(number)
            }
            held.formUnion(numbers)
            let writes = locks.contains { $0.isExclusive && $0.bytes.contains(Self.writeByte) }
            let checkpoints = locks.contains { $0.isExclusive && $0.bytes.contains(Self.checkpointByte) }
            isWriting = isWriting || writes
            isCheckpointing = isCheckpointing || checkpoints
            found.append(
                JournalProcess(
                    identifier: identifier, command: LockTable.command(of: identifier), readMarks: numbers.sorted().map(mark),
                    isWriting: writes, isCheckpointing: checkpoints, isThisProcess: isThis,
                    usesLibrary: isThis || locks.contains(where: \.isOfDescription)))
        }
        let isIndexInUse = !own.isEmpty || indexLocks?.isHeld(LockBytes.deadManSwitch) ?? false
        if !unknown.isEmpty || found.isEmpty && isIndexInUse {
            found.append(
                JournalProcess(
                    identifier: nil, command: nil, readMarks: unknown.map(mark),
                    isWriting: !isWriting && indexLocks?.isHeld(Self.writeByte) ?? false,
                    isCheckpointing: !isCheckpointing && indexLocks?.isHeld(Self.checkpointByte) ?? false, isThisProcess: false,
                    usesLibrary: false))
        }
        marks = held.sorted().map(mark)
        processes = found
        self.isIndexInUse = isIndexInUse
    }
}

extension ReadMarkPins {
    /// Who holds the read marks, in this process and in others.
    func holders(frames: [UInt32]) -> JournalHolders {
        JournalHolders(main: mainDescriptor ?? -1, index: indexDescriptor, frames: frames, own: heldSlots)
    }
}

extension Generation {
    /// Whether a state of a journal is that of the generation's file.
    package func isOf(_ state: JournalState) -> Bool { state.file == ObjectIdentifier(file) }
}
