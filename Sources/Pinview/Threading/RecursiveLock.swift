import PinviewGenerations

/// A lock that its owner may take again.
final class RecursiveLock: @unchecked Sendable {  // guarded by `guardLock`
    private let guardLock = Lock()
    private let wasFreed = ConditionVariable()
    private var owner: UInt = 0
    private var depth = 0

    func lock() {
        let thread = CurrentThread.identifier
        guardLock.lock()
        while depth > 0, owner != thread { guardLock.wait(on: wasFreed.pointer) }
        owner = thread
        depth += 1
        guardLock.unlock()
    }

    /// Returns false at once if another thread holds it.
    func tryLock() -> Bool {
        let thread = CurrentThread.identifier
        return guardLock.withLock {
            guard depth == 0 || owner == thread else { return false }
            owner = thread
            depth += 1
            return true
        }
    }

    /// Returns false if the calling thread does not hold it.
    func unlock() -> Bool {
        let thread = CurrentThread.identifier
        return guardLock.withLock {
            guard depth > 0, owner == thread else { return false }
            depth -= 1
            if depth == 0 { wasFreed.broadcast() }
            return true
        }
    }
}
