internal import CSQLite

/// A moment in the life of a file, to ask later whether anything has been committed since. Costs nothing to keep.
package struct CommitMark: Sendable {
    let header: WALHeader
}

extension WALIndex {
    /// Whether a transaction has been committed, by whomever, since a header was taken. Nanoseconds.
    ///
    /// A checkpoint that empties the journal changes the header, but not the counter of commits: that is no news.
    func hasCommits(since header: WALHeader) -> Bool {
        !isAt(header) && !(pinview_load32(memory + 8) == header.change && frameCount == 0)
    }
}

extension SharedFile {
    /// This moment.
    var commitMark: CommitMark { CommitMark(header: WALHeader(at: index.memory)) }

    func hasCommits(since mark: CommitMark) -> Bool { index.hasCommits(since: mark.header) }
}

extension Generation {
    /// Whether something has been committed to the file since the state was taken. Nanoseconds, no statement.
    package var hasNewer: Bool { file.epoch == ForkGuard.epoch && file.index.hasCommits(since: header) }

    package var commitMark: CommitMark { CommitMark(header: header) }

    /// How many transactions, of whatever process, have been committed to the file between an older state and this one; nil when
    /// that cannot be told, as after the journal's index was made anew.
    package func commits(since older: Generation) -> Int64? {
        guard file === older.file, header.change >= older.header.change else { return nil }
        return Int64(header.change - older.header.change)
    }
}

extension StoreFile {
    /// This moment; nil where there are no generations.
    package var commitMark: CommitMark? { isOpen ? shared?.commitMark : nil }

    /// Whether something has been committed since. Nanoseconds, no statement.
    package func hasCommits(since mark: CommitMark) -> Bool { isOpen && shared?.hasCommits(since: mark) ?? false }
}
