import PinviewGenerations
import PinviewModel
import PinviewStore

/// Who holds the journal of a store, at about one moment: what is in the journal, the generations
/// that keep it from being copied into the store's file, the contexts on them, and the other
/// processes that hold read marks.
///
/// Made without a statement and without a lock on the file; nothing is changed by looking.
public struct JournalReport: Sendable, CustomStringConvertible {
    public typealias ReadMark = JournalReadMark
    public typealias Process = JournalProcess
    public typealias Counters = JournalCounts

    /// A generation that lives in this process.
    public struct Generation: Sendable {
        /// Rises with each newer generation of the file in this process.
        public let ordinal: UInt64
        /// Seconds since it was taken.
        public let age: Double
        /// The last frame of the journal that belongs to it.
        public let frame: UInt32
        public let isNewest: Bool
        /// Whether it was copied aside, so that it does not hold the journal any more.
        public let isDetached: Bool
        /// The number of the read mark that it holds; nil when it holds none.
        public let readMark: Int?
        /// Frames that cannot be copied into the store's file as long as it lives.
        public let framesHeldBack: UInt32
        /// The same in bytes of the journal.
        public let bytesHeldBack: Int64
        /// Readers (connections) that show it, at work or idle.
        public let readersOpen: Int
        /// The contexts that are pinned to it, of all coordinators. Empty while only a running read
        /// keeps it.
        public let contexts: [Context]
    }

    /// A context of this process.
    public struct Context: Sendable {
        public let name: String?
        public let transactionAuthor: String?
        public let concurrencyType: ManagedObjectContextConcurrencyType
        /// Where its work is done: `private queue`, `main thread`, or the thread that owns it.
        public let thread: String
        /// Whether it is on a generation; if not, its next read pins the newest one.
        public let isPinned: Bool
    }

    /// The file's absolute path.
    public let path: String
    public let storeBytes: Int64
    /// The size of the journal file, which may have room left over from before.
    public let journalBytes: Int64
    /// The blocks of the files of detached copies, of all processes.
    public let copyBytes: Int64
    /// How many detached copies there are.
    public let copyCount: Int
    /// About how many bytes of the store are history; nil when that has not been measured, as for a
    /// file that this process does not have open.
    public let historyBytes: Int64?
    /// What the journal, copies and history may take together; nil without a budget.
    public let budgetBytes: Int64?
    public let pageSize: Int
    /// Committed pages that are in the journal.
    public let frames: UInt32
    /// Those of them that are in the store's file already.
    public let copiedFrames: UInt32
    /// Those that the next checkpoint can copy, given everybody's read marks.
    public let reclaimableFrames: UInt32
    /// The read marks that somebody holds. As long as there is one, the space of the journal is not
    /// used anew, except behind number 0.
    public let readMarks: [ReadMark]
    /// Oldest first. Empty for a file that this process does not have open: only the process itself
    /// knows its generations.
    public let generations: [Generation]
    /// Contexts of the store's coordinator that will pin the newest generation at their next read,
    /// and hold nothing yet.
    public let waitingContexts: [Context]
    /// As far as the operating system tells.
    public let processes: [Process]
    /// Since this process opened the file; zero for a file that it does not have open.
    public let counters: Counters
    /// Whether this process has the file open as a store.
    public let isOpenHere: Bool
    public let sqliteVersion: String
    /// Whether that SQLite has the WAL-reset bug (sqlite.org/wal.html). Checkpoints of this library
    /// keep clear of it.
    public let hasWALResetBug: Bool
    let hasSecondSQLite: Bool

    /// Looks at any SQLite file in WAL mode, as from outside: it is not opened as a database,
    /// locked, changed or checkpointed.
    ///
    /// - Throws: 134080 for a file that is missing, cannot be read or is no database, 134070 when
    ///   it is not in WAL mode.
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
            guard case .pinned(let set) = context.pin, let ordinal = set.ordinal(in: state) else { continue }
            contexts[ordinal, default: []].append(Context(context, isPinned: true))
        }
        generations = state.generations.map { Generation($0, frameBytes: state.frameBytes, contexts: contexts[$0.ordinal] ?? []) }
        waitingContexts = (coordinator?.rootContexts ?? []).compactMap {
            guard case .onRead = $0.pin else { return nil }
            return Context($0, isPinned: false)
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
            name: state.setting(\.name), transactionAuthor: state.setting(\.transactionAuthor), concurrencyType: state.concurrencyType,
            thread: thread, isPinned: isPinned)
    }
}

extension PersistentStoreCoordinator {
    /// Who holds the journals of the coordinator's stores: a report for each store that has
    /// generations, in order.
    ///
    /// Costs some system calls for each store, no statement; for people and for programs that watch
    /// themselves.
    public func journalReport() -> [JournalReport] {
        persistentStores.compactMap { $0.store.journalState.map { JournalReport($0, coordinator: self) } }
    }
}

/// The coordinators that there are, for reports about files that several of them may have open.
final class CoordinatorList: @unchecked Sendable {  // guarded by `lock`
    static let shared = CoordinatorList()

    private let lock = ThreadLock()
    private var members = LightReferences<PersistentStoreCoordinator>()

    func add(_ coordinator: PersistentStoreCoordinator) {
        let living = lock.withLock { members.add(coordinator) }
        withExtendedLifetime(living) {}
    }

    var rootContexts: [ContextState] {
        // A coordinator may end with this reference, which takes locks: not under ours.
        lock.withLock { members.objects }.flatMap(\.rootContexts)
    }
}
