/// Watches a file for commits by anyone. Ends with `end()`.
package final class CommitListener: @unchecked Sendable {  // guarded by the watcher's lock
    let file: CommitSource
    let body: @Sendable () -> Void
    /// The last commit that the listener has been told about.
    var mark: CommitMark
    var hasEnded = false

    init(file: CommitSource, body: @escaping @Sendable () -> Void) {
        self.file = file
        self.body = body
        mark = file.mark
    }

    /// Stops listening. When this returns, the body is no longer running and the watcher has
    /// released it, unless the body itself made the call.
    package func end() { CommitWatcher.shared.remove(self) }
}
