/// Somebody who wants to know of each commit to a file, whoever makes it. Ends with `end()`.
package final class CommitListener: @unchecked Sendable {  // guarded by the watcher's lock
    let file: SharedFile
    let body: @Sendable () -> Void
    /// What it knows of.
    var mark: CommitMark
    var hasEnded = false

    init(file: SharedFile, body: @escaping @Sendable () -> Void) {
        self.file = file
        self.body = body
        mark = file.commitMark
    }

    /// Ends the listening. When this returns the body does not run any more, and the watcher does not hold it, unless it is the body
    /// that called this.
    package func end() { CommitWatcher.shared.remove(self) }
}

extension StoreFile {
    /// Calls back after commits to the file: on a thread of the library, soon, and once for several of them.
    ///
    /// A listener hears nothing more once the store is closed.
    /// - Returns: nil where there are no generations.
    package func listen(_ body: @escaping @Sendable () -> Void) -> CommitListener? {
        guard isOpen, let shared else { return nil }
        let listener = CommitListener(file: shared, body: body)
        CommitWatcher.shared.add(listener)
        return listener
    }
}
