import Glibc

/// Detects that this process was forked from one that has used the library.
///
/// A child has its parent's memory, but not its threads, nor SQLite's locks: a mutex that another
/// thread held stays locked for ever, and files appear unlocked. So a child gets an error before it
/// touches either.
package enum ForkedProcess {
    // Only written by the child in its fork handler, while it has one thread.
    nonisolated(unsafe) private static var isChild = false

    private static let registration: Int32 = pthread_atfork(nil, nil, { ForkedProcess.isChild = true })

    /// Must be called before the first lock or file is made.
    package static func arm() { _ = registration }

    /// Whether this process was forked after ``arm()``. Costs one load.
    package static var isCurrent: Bool { isChild }
}
