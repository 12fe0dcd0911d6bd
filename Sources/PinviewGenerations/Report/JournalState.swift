import Glibc

/// One of the read marks of the WAL-index: five numbers behind which SQLite's readers stand, and a lock on each.
public struct JournalReadMark: Sendable, Hashable {
    /// 0 to 4. Readers of number 0 take nothing from the journal.
    public let number: Int
    /// The last frame that its readers may see; 0 for number 0.
    public let frame: UInt32
}

/// A process that has a store's file open.
public struct JournalProcess: Sendable {
    /// nil: some process that cannot be seen from here, as in another container.
    public let identifier: Int32?
    /// What it calls itself; nil when that cannot be seen.
    public let command: String?
    /// The read marks that it holds.
    public let readMarks: [JournalReadMark]
    public let isWriting: Bool
    public let isCheckpointing: Bool
    public let isThisProcess: Bool
    /// Whether it has the file open with this library, and not with SQLite alone.
    package let usesLibrary: Bool
}

/// What a journal looked like at about one moment: who holds what.
package struct JournalState: Sendable {
    /// A generation that lives in this process.
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
        /// Frames that cannot be copied into the file as long as it lives.
        package let framesHeldBack: UInt32
        /// Readers that show it, at work or idle.
        package let readersOpen: Int
    }

    package let path: String
    package let storeBytes: Int64
    package let journalBytes: Int64
    package let pageSize: Int
    /// Committed frames of the journal.
    package let frames: UInt32
    /// Those of them that are in the file already.
    package let copiedFrames: UInt32
    /// Those that a checkpoint could copy into the file now.
    package let reclaimableFrames: UInt32
    /// The read marks that somebody holds.
    package let heldMarks: [JournalReadMark]
    package let generations: [Generation]
    package let processes: [JournalProcess]
    package let counts: JournalCounts
    /// Whether another copy of SQLite in this process has the file open.
    package let hasSecondSQLite: Bool
    /// The file as long as this process has it open, to compare with that of a generation.
    package let file: ObjectIdentifier?

    /// A frame of the journal: a page and its header.
    package var frameBytes: Int64 { Int64(Journal.frameSize(pageSize: pageSize)) }
}

/// What the WAL-index says, and who holds its locks.
struct JournalIndex {
    let header: WALHeader
    let copiedFrames: UInt32
    let marks: [UInt32]

    /// How many frames a checkpoint could have copied when it is done, beside readers of these marks.
    func checkpointLimit(_ held: [JournalReadMark]) -> UInt32 {
        // Read mark 0 allows no copying at all, for its readers take every page from the file.
        if held.contains(where: { $0.number == 0 }) { return copiedFrames }
        return max(held.map { min($0.frame, header.frame) }.min() ?? header.frame, copiedFrames)
    }
}

/// Who has the file open and which read marks they hold, by the locks that there are.
struct JournalHolders {
    let marks: [JournalReadMark]
    let processes: [JournalProcess]
    /// The file's own; a journal that has just begun has none yet.
    let pageSize: Int?
    /// Whether anybody has the WAL-index open: else its content means nothing.
    let isIndexInUse: Bool

    /// The locks of the WAL-index: writing, checkpoints, recovery, then the read marks.
    private static func byte(_ mark: Int) -> Int64 { LockBytes.firstReadMark + Int64(mark) }
    private static let writeByte: Int64 = 120, checkpointByte: Int64 = 121

    /// - Parameters:
    ///   - main: a descriptor of the store's file.
    ///   - index: one of the WAL-index.
    ///   - frames: of the read marks.
    ///   - own: the marks that this process is known to hold.
    init(main: Int32, index: Int32?, frames: [UInt32], own: Set<Int> = []) {
        pageSize = DatabaseHeader(descriptor: main)?.pageSize
        var mainLocks, indexLocks: FileLocks?
        // What nobody who can be seen holds is held by somebody who cannot; or was taken while the list was read.
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

extension SlotPins {
    /// Who holds the read marks, in this process and in others.
    func holders(frames: [UInt32]) -> JournalHolders {
        JournalHolders(main: mainDescriptor ?? -1, index: indexDescriptor, frames: frames, own: heldSlots)
    }
}

extension Generation {
    /// Whether a state of a journal is that of the generation's file.
    package func isOf(_ state: JournalState) -> Bool { state.file == ObjectIdentifier(file) }
}
