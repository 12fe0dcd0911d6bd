import Glibc
import Synchronization

/// A state of a file that somebody remembers, to ask later who still reads older ones.
package struct CommitPoint: Sendable {
    let header: CompactWALHeader
}

/// Work on a file that waits until nobody reads an old generation any more, such as deleting what
/// only old generations need.
final class Cleanups: Sendable {
    /// - Parameter findOlderReaders: looks whether anyone may read a state before a point.
    /// - Returns: whether the work is done.
    typealias Body = @Sendable (_ findOlderReaders: (CommitPoint) -> Bool) -> Bool

    private final class State: @unchecked Sendable {  // guarded by `lock`
        var bodies: [ObjectIdentifier: Body] = [:]
    }

    private let lock = Lock()
    private let state = State()
    private let isWaiting = Atomic<Bool>(false)

    /// Seconds between two attempts: other processes do not tell when their pins end.
    static let interval = 0.5
    /// Seconds from the end of a generation of this process to the next attempt.
    static let delay = 0.01

    var isEmpty: Bool { !isWaiting.load(ordering: .relaxed) }

    func add(_ owner: AnyObject, _ body: @escaping Body) {
        lock.withLock { state.bodies[ObjectIdentifier(owner)] = body }
        isWaiting.store(true, ordering: .relaxed)
    }

    func remove(_ owner: AnyObject) {
        lock.withLock {
            state.bodies[ObjectIdentifier(owner)] = nil
            if state.bodies.isEmpty { isWaiting.store(false, ordering: .relaxed) }
        }
    }

    /// - Returns: whether all of it is done.
    func run(_ findOlderReaders: (CommitPoint) -> Bool) -> Bool {
        let bodies = lock.withLock { state.bodies }
        for (owner, body) in bodies where body(findOlderReaders) {
            lock.withLock { state.bodies[owner] = nil }
        }
        return lock.withLock {
            isWaiting.store(!state.bodies.isEmpty, ordering: .relaxed)
            return state.bodies.isEmpty
        }
    }
}
