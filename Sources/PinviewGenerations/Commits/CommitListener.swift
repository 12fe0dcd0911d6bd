/// Watches a file for commits by anyone. Ends with `end()`.
package final class CommitListener: @unchecked Sendable {  // guarded by the watcher's lock
    let file: SharedFile
    let body: @Sendable () -> Void
    /// The last commit that the listener has been told about.
    var mark: CommitMark
    var hasEnded = false

    init(file: SharedFile, body: @escaping @Sendable () -> Void) {
        self.file = file
        self.body = body
        mark = file.commitMark
    }

    /// Stops listening. When this returns, the body is no longer running and the watcher has
    /// released it, unless the body itself made the call.
    package func end() { CommitWatcher.shared.remove(self) }
}

extension StoreFile {
    /// Calls a body after commits to the file, on a thread of the library: soon, and once for
    /// several commits in a row. Not called any more once the store is closed.
    ///
    /// - Returns: nil if the store has no generations.
    package func listen(_ body: @escaping @Sendable () -> Void) -> CommitListener? {
        guard isOpen, let shared else { return nil }
        let listener = CommitListener(file: shared, body: body)
        CommitWatcher.shared.add(listener)
        return listener
    }
}
