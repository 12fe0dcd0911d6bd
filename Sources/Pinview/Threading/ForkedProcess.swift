import Glibc

/// Knows whether this process is a fork of one that has used the library.
///
/// A child has the memory of its parent, but none of its threads and, for SQLite, none of its
/// locks: a mutex that another thread held stays locked for ever, and the files look unlocked. So a
/// child gets an error before it touches either.
package enum ForkedProcess {
    // Written only by the child, in the handler, while it has one thread.
    nonisolated(unsafe) private static var isChild = false

    private static let registration: Int32 = pthread_atfork(nil, nil, { ForkedProcess.isChild = true })

    /// Call before the first lock or file is made.
    package static func arm() { _ = registration }

    /// Whether this process was forked after ``arm()``. One load.
    package static var isCurrent: Bool { isChild }
}
