import Synchronization

/// A file whose commits can be watched, while its WAL-index is mapped.
final class CommitSource: @unchecked Sendable {  // the index is shared memory, read atomically
    /// The path of the store; its journal is at the same path with `-wal`.
    let path: String
    let index: WALIndex
    /// Whether somebody listens to commits. Set by the watcher.
    let hasListeners = Atomic<Bool>(false)

    init(path: String, index: WALIndex) {
        self.path = path
        self.index = index
    }

    /// The file's history up to now.
    var mark: CommitMark { CommitMark(header: WALHeader(at: index.memory)) }

    func hasCommits(since mark: CommitMark) -> Bool { index.hasCommits(since: mark.header) }
}
