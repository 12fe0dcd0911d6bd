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
