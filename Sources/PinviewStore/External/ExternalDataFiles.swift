import FoundationEssentials
import Glibc
import PinviewGenerations
import PinviewModel

/// A column whose data may be in files.
struct ExternalColumn: Hashable, Sendable {
    /// `pinview_external(cell)`: the cell to store, with large data moved to a new file.
    static let storeFunction = "pinview_external"
    /// `pinview_external_data(cell, attribute, key)`: the data without a marker, read from its file
    /// if need be. Attribute and key are for the error if that is impossible.
    static let dataFunction = "pinview_external_data"

    let tableName: String
    /// The names, quoted where SQL needs it.
    let table: String, name: String

    /// Selects the cells that refer to files.
    var cellsText: String { "SELECT \(name) FROM \(table) WHERE substr(\(name), 1, 1) = X'02'" }
}

/// The files with large data of a store, while it is open.
///
/// A file is written before the row that refers to it is committed, and never changes. It is
/// deleted when no row refers to it and nobody, in any process, reads a generation in which one
/// did:
///
///     UPDATE … SET ZPORTRAIT = pinview_external(?)   writes a file, notes it as pending
///     trigger on the column                          notes the old file as dropped, the new as used
///     before COMMIT                                  files are synchronized; dropped ones are noted
///                                                    as pending
///     after COMMIT or ROLLBACK                       unused new files are deleted
///     when no older generation is read any more      dropped files are deleted
///
/// What is pending is also in a list beside the files (`PendingNames`): after a kill, the next
/// process to open the store finishes the work.
final class ExternalDataFiles: @unchecked Sendable {
    // guarded by `lock`, except `columns`, which is set when the store is opened

    let directory: ExternalDataDirectory
    private let isSynchronous: Bool
    private var columns: [ExternalColumn] = []
    private let lock = Lock()
    /// Held while files are deleted. Taken before `lock`.
    private let removalLock = Lock()
    /// The files made in the current transaction.
    private var created: Set<String> = []
    /// The number of transactions that are being committed.
    private var committing = 0
    private var list: PendingNames?
    /// Whether a commit failed, so that the next process to open the store finds out what is used.
    private var isInDoubt = false
    /// Files that no row refers to since a commit.
    private var dropped: [(names: Set<String>, point: CommitPoint)] = []

    /// What a transaction is about to do to files.
    struct Change {
        var unused: Set<String> = []
        var dropped: Set<String> = []
    }

    init(storePath: String, isSynchronous: Bool) {
        directory = ExternalDataDirectory(storePath: storePath)
        self.isSynchronous = isSynchronous
    }

    // MARK: Transactions

    private static let table = "pinview_external_files"

    /// Makes a connection note what its transaction does to cells that refer to files. The notes
    /// are rows, so a statement that fails rolls its notes back.
    func begin(_ connection: Connection) throws(SQLiteError) {
        guard !columns.isEmpty else { return }
        try connection.execute("CREATE TEMP TABLE IF NOT EXISTS \(Self.table) (cell BLOB, isUsed INTEGER)")
        for (number, column) in columns.enumerated() {
            let name = column.name, table = "main." + column.table
            func note(_ row: String, _ isUsed: Int) -> String {
                "INSERT INTO \(Self.table) SELECT \(row).\(name), \(isUsed) WHERE substr(\(row).\(name), 1, 1) = X'02';"
            }
            let kinds = [
                ("INSERT", "", note("NEW", 1)), ("DELETE", "", note("OLD", 0)),
                ("UPDATE OF \(name)", "WHEN OLD.\(name) IS NOT NEW.\(name)", note("OLD", 0) + note("NEW", 1)),
            ]
            for (event, condition, action) in kinds {
                try connection.execute(
                    "CREATE TEMP TRIGGER IF NOT EXISTS \(Self.table)_\(event.prefix(6))_\(number) AFTER \(event) ON \(table) \(condition) "
                        + "BEGIN \(action) END")
            }
        }
    }

    /// The cell to store in place of another; nil to store it as it is.
    func store(_ cell: UnsafeRawBufferPointer) throws(SystemFailure) -> [UInt8]? {
        let copied = ExternalDataDirectory.name(in: cell)
        guard copied != nil || cell.first == ExternalDataDirectory.inlineMarker && cell.count > ExternalDataDirectory.longestInline else {
            return nil
        }
        let name = UUID().uuidString
        try directory.create()
        try note([name], creates: true)
        if let copied {
            // Each row has a file of its own.
            try directory.link(copied, as: name)
        } else {
            try directory.write(UnsafeRawBufferPointer(rebasing: cell.dropFirst()), named: name)
        }
        return ExternalDataDirectory.cell(referringTo: name)
    }

    private func note(_ names: [String], creates: Bool = false) throws(SystemFailure) {
        let result = lock.withLock {
            Result { () throws(SQLiteError) in
                if list == nil { list = try PendingNames(for: directory.pendingPath, mode: directory.fileMode) }
                try list?.append(names)
                if creates { created.formUnion(names) }
            }
        }
        if case .failure(let error) = result {
            throw SystemFailure(number: error.kind == .full ? ENOSPC : EIO, path: directory.pendingPath)
        }
    }

    /// Prepares the commit of a transaction.
    func prepareCommit(_ connection: Connection) throws -> Change {
        var change = Change()
        guard !columns.isEmpty else { return change }
        var used: [String: Bool] = [:]
        do {
            let statement = try connection.statement("SELECT cell, isUsed FROM \(Self.table) ORDER BY rowid")
            defer { statement.reset() }
            while try statement.step() {
                guard let name = statement.withBytes(0, { ExternalDataDirectory.name(in: $0) }) else { continue }
                used[name] = statement.int64(1) != 0
            }
        }
        let created = lock.withLock { self.created }
        change.unused = created.filter { used[$0] != true }
        change.dropped = Set(used.keys.filter { used[$0] == false && !created.contains($0) })
        do throws(SystemFailure) {
            let new = created.subtracting(change.unused)
            if isSynchronous, !new.isEmpty { try directory.synchronize(new) }
        } catch {
            throw error.sqliteError
        }
        try noteDropped(change.dropped)
        if !used.isEmpty { try connection.execute("DELETE FROM \(Self.table)") }
        // The next writer may begin before the commit returns.
        lock.withLock {
            self.created = []
            committing += 1
        }
        return change
    }

    /// Finishes a transaction that has been committed.
    func didCommit(_ change: Change, _ file: StoreFile) {
        guard !columns.isEmpty else { return }
        directory.remove(change.unused)
        drop(change.dropped, file)
        lock.withLock { committing -= 1 }
        removeDropped(file)
    }

    /// Prepares the commit of a migration. It has no notes of what it did to each cell; instead,
    /// the files that rows refer to now are compared with those from before.
    ///
    /// - Returns: the files to drop after the commit.
    func prepareMigration(before: Set<String>, now: Set<String>) throws(SQLiteError) -> Set<String> {
        let created = lock.withLock { self.created }
        let new = created.intersection(now), unused = before.union(created).subtracting(now)
        do throws(SystemFailure) {
            if isSynchronous, !new.isEmpty { try directory.synchronize(new) }
        } catch {
            throw error.sqliteError
        }
        try noteDropped(unused)
        lock.withLock {
            self.created = []
            committing += 1
        }
        return unused
    }

    /// Finishes a migration that was prepared.
    ///
    /// - Parameter isCommitted: false if the commit failed in a way that leaves its outcome
    ///   unknown.
    func didMigrate(dropping unused: Set<String>, isCommitted: Bool, _ file: StoreFile) {
        if isCommitted { drop(unused, file) }
        lock.withLock {
            if !isCommitted { isInDoubt = true }
            committing -= 1
        }
    }

    /// A transaction is about to be rolled back.
    func willRollBack() {
        let created = lock.withLock {
            defer { self.created = [] }
            // In a forked child, they are the parent's.
            return list?.isOwn == true ? self.created : []
        }
        guard !created.isEmpty else { return }
        directory.remove(created)
        lock.withLock { clearListIfDone() }
    }

    /// A commit failed in a way that leaves its outcome unknown.
    func didFail() {
        guard !columns.isEmpty else { return }
        lock.withLock {
            isInDoubt = true
            committing -= 1
        }
    }

    // MARK: Deleting files

    /// Deletes files after a commit that left them without rows, once nobody reads an older
    /// generation.
    func drop(_ names: Set<String>, _ file: StoreFile) {
        guard !names.isEmpty else { return }
        guard let point = file.newestPoint else { return directory.remove(names) }
        lock.withLock { dropped.append((names, point)) }
    }

    /// Notes, before a commit, files that no row will refer to.
    func noteDropped(_ names: Set<String>) throws(SQLiteError) {
        // A store may have been copied without its files.
        let names = names.filter(directory.has)
        guard !names.isEmpty else { return }
        do throws(SystemFailure) { try note(Array(names)) } catch { throw error.sqliteError }
    }

    private func removeDropped(_ file: StoreFile) {
        if !removeDropped({ file.findOlderReaders(than: $0) }) {
            file.whenReadersEnd(self) { [weak self] findOlderReaders in self?.removeDropped(findOlderReaders) ?? true }
        }
    }

    /// Deletes the files that nobody reads any more.
    /// - Returns: whether none is left.
    private func removeDropped(_ findOlderReaders: (CommitPoint) -> Bool) -> Bool {
        removalLock.withLock {
            var count = 0
            // A generation from before one commit is also from before all later ones.
            for entry in lock.withLock({ dropped }) {
                if findOlderReaders(entry.point) { break }
                directory.remove(entry.names)
                count += 1
            }
            return lock.withLock {
                dropped.removeFirst(count)
                clearListIfDone()
                return dropped.isEmpty
            }
        }
    }

    /// Requires `lock`.
    private func clearListIfDone() {
        if dropped.isEmpty, created.isEmpty, committing == 0, !isInDoubt { list?.clear() }
    }

    // MARK: Opening and closing

    /// Starts to manage the files of a store, and finishes what killed processes have left.
    func open(_ columns: [ExternalColumn], _ file: StoreFile) {
        self.columns = columns
        // What a migration has left.
        if lock.withLock({ !dropped.isEmpty }) { removeDropped(file) }
        guard !columns.isEmpty else { return }
        PendingNames.takeLeftovers(for: directory.pendingPath) { names in
            let left = Set(names.filter(directory.has))
            guard !left.isEmpty else { return true }
            // The process that noted them is gone, so no row can begin to refer to them.
            guard let used = try? file.readNewest({ try Self.names(columns, $0) }) else { return false }
            let unused = left.subtracting(used)
            if !unused.isEmpty, let point = file.newestPoint, file.findOlderReaders(than: point) {
                guard (try? note(Array(unused))) != nil else { return false }
                drop(unused, file)
                removeDropped(file)
            } else {
                directory.remove(unused)
            }
            return true
        }
    }

    /// Deletes what can be deleted. What cannot, because somebody still reads it, is left to the
    /// next process that opens the store.
    func close(_ file: StoreFile) {
        guard lock.withLock({ list != nil || !dropped.isEmpty }) else { return }
        file.endWaiting(self)
        let isDone = removeDropped { file.findOlderReaders(than: $0) }
        lock.withLock {
            if isDone, !isInDoubt { list?.remove() }
            list = nil
            dropped = []
        }
    }

    /// The names of the files that rows refer to.
    static func names(_ columns: [ExternalColumn], _ connection: Connection) throws -> Set<String> {
        var names: Set<String> = []
        for column in columns {
            let statement = try connection.statement(column.cellsText)
            defer { statement.reset() }
            while try statement.step() {
                if let name = statement.withBytes(0, { ExternalDataDirectory.name(in: $0) }) { names.insert(name) }
            }
        }
        return names
    }
}
