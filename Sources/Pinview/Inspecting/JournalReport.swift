import PinviewGenerations
import PinviewModel
import PinviewStore

/// Who holds back the journal of a store: what the journal contains, the generations that keep it
/// from being copied into the store's file, the contexts pinned to them, and the other processes
/// that hold read marks.
///
/// The parts are read at about the same moment, without a statement or a lock on the file, and
/// without changing anything.
public struct JournalReport: Sendable, CustomStringConvertible {
    /// A read mark of the journal's index.
    public typealias ReadMark = JournalReadMark
    /// A process that has the journal's index open.
    public typealias Process = JournalProcess
    /// Counts of what happened to the file in this process.
    public typealias Counters = JournalCounts

    /// A living generation of this process.
    public struct Generation: Sendable {
        /// Increases with each newer generation of the file in this process.
        public let ordinal: UInt64
        /// Seconds since the generation was taken.
        public let age: Double
        /// The last frame of the journal that belongs to the generation.
        public let frame: UInt32
        /// Whether the generation is the newest state of the store.
        public let isNewest: Bool
        /// Whether the generation has been detached, so that it does not hold back the journal.
        public let isDetached: Bool
        /// The number of the read mark that the generation holds; nil if none.
        public let readMark: Int?
        /// Frames that cannot be copied into the store's file while the generation lives.
        public let framesHeldBack: UInt32
        /// Those frames as bytes of the journal.
        public let bytesHeldBack: Int64
        /// Readers (connections) that show the generation, busy or idle.
        public let readersOpen: Int
        /// The contexts of all coordinators that are pinned to the generation. Empty if only a
        /// running read keeps it.
        public let contexts: [Context]
    }

    /// A context of this process.
    public struct Context: Sendable {
        /// The context's name.
        public let name: String?
        /// The context's transaction author.
        public let transactionAuthor: String?
        /// The context's concurrency type.
        public let concurrencyType: ManagedObjectContextConcurrencyType
        /// Where the context's work runs: `private queue`, `main thread`, or the owning thread.
        public let thread: String
        /// Whether the context has its generation already; otherwise its next read takes the
        /// newest.
        public let isPinned: Bool
    }

    /// The file's absolute path.
    public let path: String
    /// The size of the store's file in bytes, without the journal.
    public let storeBytes: Int64
    /// The size of the journal file, which may include room left over from earlier.
    public let journalBytes: Int64
    /// Bytes allocated to the files of detached generations, of all processes.
    public let copyBytes: Int64
    /// The number of detached copies.
    public let copyCount: Int
    /// About how many bytes of the store are history; nil if not measured, as for a file that this
    /// process has not opened.
    public let historyBytes: Int64?
    /// What journal, detached copies and history may take up together; nil without a budget.
    public let budgetBytes: Int64?
    /// The size of a page in bytes.
    public let pageSize: Int
    /// Committed pages in the journal.
    public let frames: UInt32
    /// Those that have been copied into the store's file.
    public let copiedFrames: UInt32
    /// Those that the next checkpoint can copy, given everybody's read marks.
    public let reclaimableFrames: UInt32
    /// The read marks in use. As long as there is one other than number 0, the journal's space is
    /// not reused.
    public let readMarks: [ReadMark]
    /// Oldest first. Empty for a file that this process has not opened: generations are known only
    /// to their own process.
    public let generations: [Generation]
    /// Contexts of the store's coordinator that will pin the newest generation at their next read
    /// and hold nothing yet.
    public let waitingContexts: [Context]
    /// Processes that have the journal's index open, as far as the operating system tells.
    public let processes: [Process]
    /// Counts since this process opened the file; all zero if it has not.
    public let counters: Counters
    /// Whether this process has the file open as a store.
    public let isOpenHere: Bool
    /// The version of the SQLite that this process uses.
    public let sqliteVersion: String
    /// Whether the process's SQLite has the WAL-reset bug (sqlite.org/wal.html). This library's
    /// checkpoints avoid it.
    public let hasWALResetBug: Bool
    let hasSecondSQLite: Bool

    /// Reports on any SQLite file in WAL mode from outside: the file is not opened as a database,
    /// locked, changed or checkpointed.
    ///
    /// - Throws: 134080 for a file that is missing, unreadable or not a database; 134070 if it is
    ///   not in WAL mode.
    public init(ofFileAt path: String) throws(PinviewError) {
        try ContextState.checkProcess()
        self.init(try SQLStore.journalState(ofFileAt: path), coordinator: nil)
    }

    init(_ state: JournalState, coordinator: PersistentStoreCoordinator?) {
        path = state.path
        storeBytes = state.storeBytes
        journalBytes = state.journalBytes
        copyBytes = state.costs.copyBytes
        copyCount = state.costs.copies
        historyBytes = state.costs.historyBytes
        budgetBytes = state.budgetBytes == .max ? nil : state.budgetBytes
        pageSize = state.pageSize
        frames = state.frames
        copiedFrames = state.copiedFrames
        reclaimableFrames = state.reclaimableFrames
        readMarks = state.heldMarks
        processes = state.processes
        counters = state.counts
        isOpenHere = state.file != nil
        hasSecondSQLite = state.hasSecondSQLite
        sqliteVersion = SQLiteLibrary.version
        hasWALResetBug = SQLiteLibrary.hasWALResetBug
        var contexts: [UInt64: [Context]] = [:]
        for context in CoordinatorList.shared.rootContexts {
            guard case .pinned(let set) = context.pin.target, let ordinal = set.ordinal(in: state) else { continue }
            contexts[ordinal, default: []].append(Context(context, isPinned: true))
        }
        generations = state.generations.map { Generation($0, frameBytes: state.frameBytes, contexts: contexts[$0.ordinal] ?? []) }
        waitingContexts = (coordinator?.rootContexts ?? []).compactMap {
            $0.pin.state == .pinnedAtNextRead ? Context($0, isPinned: false) : nil
        }
    }
}

extension JournalReport.Generation {
    fileprivate init(_ state: JournalState.Generation, frameBytes: Int64, contexts: [JournalReport.Context]) {
        self.init(
            ordinal: state.ordinal, age: state.age, frame: state.frame, isNewest: state.isNewest, isDetached: state.isDetached,
            readMark: state.readMark, framesHeldBack: state.framesHeldBack, bytesHeldBack: Int64(state.framesHeldBack) * frameBytes,
            readersOpen: state.readersOpen, contexts: contexts)
    }
}

extension JournalReport.Context {
    fileprivate init(_ state: ContextState, isPinned: Bool) {
        let thread =
            switch state.concurrencyType {
            case .mainQueue: "main thread"
            case .privateQueue: "private queue"
            case .confinement: "thread \(state.ownerThreadNumber)"
            }
        self.init(
            name: state.settings.name, transactionAuthor: state.settings.transactionAuthor, concurrencyType: state.concurrencyType,
            thread: thread, isPinned: isPinned)
    }
}

extension PersistentStoreCoordinator {
    /// Reports on the journals of the coordinator's stores: one report for each store that has
    /// generations, in order.
    ///
    /// Costs a few system calls per store and no statement. For people, and for programs that
    /// monitor themselves.
    public func journalReport() -> [JournalReport] {
        persistentStores.compactMap { $0.store.journalState.map { JournalReport($0, coordinator: self) } }
    }
}
