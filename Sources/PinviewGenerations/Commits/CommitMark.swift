internal import CPlatform

/// A point in a file's history, to ask later whether there have been commits since.
package struct CommitMark: Sendable {
    let header: WALHeader
}

extension WALIndex {
    /// Whether anyone has committed a transaction since a header was read. Takes nanoseconds.
    ///
    /// A checkpoint that empties the journal changes the header, but not the commit counter; it
    /// does not count as a commit.
    func hasCommits(since header: WALHeader) -> Bool {
        !isAt(header) && !(pinview_load32(memory + 8) == header.change && frameCount == 0)
    }
}

extension SharedFile {
    /// The file's history up to now.
    var commitMark: CommitMark { CommitMark(header: WALHeader(at: index.memory)) }

    func hasCommits(since mark: CommitMark) -> Bool { index.hasCommits(since: mark.header) }
}

extension Generation {
    /// Whether there have been commits since the generation was taken. Takes nanoseconds, no
    /// statement.
    package var hasNewer: Bool { file.epoch == ForkGuard.epoch && file.index.hasCommits(since: header) }

    package var commitMark: CommitMark { CommitMark(header: header) }

    /// How many transactions of any process lie between an older generation and this one; nil if
    /// that is unknown, as after a recovery of the WAL-index.
    package func commits(since older: Generation) -> Int64? {
        guard file === older.file, header.change >= older.header.change else { return nil }
        return Int64(header.change - older.header.change)
    }
}

extension StoreFile {
    /// The file's history up to now; nil if the store has no generations.
    package var commitMark: CommitMark? { isOpen ? shared?.commitMark : nil }

    /// Whether there have been commits since the mark. Takes nanoseconds, no statement.
    package func hasCommits(since mark: CommitMark) -> Bool { isOpen && shared?.hasCommits(since: mark) ?? false }
}
