import PinviewModel
import Synchronization

/// The settings of a context: what the program says about how the context works.
///
/// What it guarantees:
///
/// - Any thread may read and set them at any time (CON-09). Each is read and set whole.
/// - A value that is replaced is released outside the lock, since it may be the program's and use
///   the context as it goes.
/// - `recorder` is the undo manager that records changes: that of the settings, unless another one
///   stands in for it. It is found without taking the lock while nothing has been set.
///
/// The lock is a leaf: nothing else is locked or called while it is held. The recorder belongs to
/// the thread that owns the context's queue.
@dynamicMemberLookup
final class ContextSettings: @unchecked Sendable {
    struct Values {
        var name: String?
        var mergePolicy = MergePolicy.error
        var transactionAuthor: String?
        var retainsRegisteredObjects = false
        var shouldDeleteInaccessibleFaults = true
        var propagatesDeletesAtEndOfEvent = true
        var undoManager: UndoManager? = UndoManager()
        var userInfo: [String: Any] = [:]
        var attachment: AnyObject?
        #if !PINVIEW_C_LIBRARY
            /// The first failure of a typed property since the last save.
            var propertyFailure: PinviewError?
        #endif
    }

    private let lock = BriefLock()
    /// Guarded by the lock.
    @exclusivity(unchecked) private var values = Values()
    /// Whether ``AutomaticMergers`` has the context. Guarded by the lock.
    @exclusivity(unchecked) private(set) var isAutomaticMerger = false
    private let atomicMergesAutomatically = Atomic<Bool>(false)
    private let atomicStalenessInterval = AtomicDouble(-1)
    /// Negative for none.
    private let atomicTimeout = AtomicDouble(-1)
    /// Advanced with each setting, so that each change of a property need not take the lock to find
    /// the undo manager.
    private let changeCount = Atomic<UInt64>(1)

    // Guarded by the queue.
    /// The undo manager that records, and the value of `changeCount` for which it holds.
    @exclusivity(unchecked) private var knownRecorder: (change: UInt64, manager: UndoManager?) = (0, nil)
    /// Records in place of the context's undo manager; see `withRecorder`.
    @exclusivity(unchecked) private var otherRecorder: UndoManager?

    subscript<T>(dynamicMember path: KeyPath<Values, T>) -> T { lock.withLock { values[keyPath: path] } }

    func set<T>(_ path: WritableKeyPath<Values, T>, _ value: T) {
        let old = lock.withLock { () -> T in
            let old = values[keyPath: path]
            values[keyPath: path] = value
            changeCount.add(1, ordering: .releasing)
            return old
        }
        withExtendedLifetime(old) {}
    }

    /// Whether the context merges the saves of others by itself. Each of them asks.
    var mergesAutomatically: Bool {
        get { atomicMergesAutomatically.load(ordering: .acquiring) }
        set { atomicMergesAutomatically.store(newValue, ordering: .releasing) }
    }

    /// How old, in seconds, a cached row may be to fill a fault. Negative: any age. 0: the cache is
    /// never used.
    var stalenessInterval: Double {
        get { atomicStalenessInterval.value }
        set { atomicStalenessInterval.value = newValue }
    }

    /// The longest that a call may read or write, in seconds; nil for no limit.
    var timeout: Double? {
        get {
            let seconds = atomicTimeout.value
            return seconds < 0 ? nil : seconds
        }
        set { atomicTimeout.value = newValue ?? -1 }
    }

    /// Notes that the context merges automatically from now on.
    /// - Returns: whether it has never done so before.
    func becomeAutomaticMerger() -> Bool {
        lock.withLock {
            defer { isAutomaticMerger = true }
            return !isAutomaticMerger
        }
    }

    /// Takes what belongs to the program when the context ends.
    /// - Returns: the values, for the caller to release.
    func takeProgramValues() -> ([String: Any], AnyObject?, MergePolicy) {
        lock.withLock {
            defer { (values.userInfo, values.attachment, values.mergePolicy) = ([:], nil, .error) }
            return (values.userInfo, values.attachment, values.mergePolicy)
        }
    }

    // MARK: The recorder

    /// Runs a body with the undo manager that records changes, if there is one. On the queue.
    @inline(__always)
    func record(_ body: (UndoManager) -> Void) {
        let change = changeCount.load(ordering: .acquiring)
        if change != knownRecorder.change { findRecorder(change) }
        // The settings keep it alive, so no reference is counted.
        knownRecorder.manager.map { Unmanaged.passUnretained($0) }?._withUnsafeGuaranteedRef(body)
    }

    @inline(never)
    private func findRecorder(_ change: UInt64) { knownRecorder = (change, otherRecorder ?? self.undoManager) }

    /// Lets another manager record the changes that `body` makes. On the queue.
    func withRecorder<E: Error>(_ manager: UndoManager, _ body: () throws(E) -> Void) throws(E) {
        let before = otherRecorder
        otherRecorder = manager
        forgetRecorder()
        defer {
            otherRecorder = before
            forgetRecorder()
        }
        try body()
    }

    func forgetRecorder() { knownRecorder = (0, nil) }

    #if DEBUG
        /// Violations of what the settings guarantee; empty if all is well. On the queue.
        var invariantViolations: [String] {
            var violations: [String] = []
            if otherRecorder != nil { violations.append("An undo manager still records in place of the context's") }
            let isRight = lock.withLock {
                knownRecorder.change != changeCount.load(ordering: .acquiring) || knownRecorder.manager === values.undoManager
            }
            if otherRecorder == nil, !isRight { violations.append("Changes are recorded in an undo manager that is not the context's") }
            if mergesAutomatically, !lock.withLock({ isAutomaticMerger }) {
                violations.append("The context merges automatically, but nobody tells it of saves")
            }
            return violations
        }
    #endif
}

/// A number that any thread may read and set.
private struct AtomicDouble: ~Copyable {
    private let bits: Atomic<UInt64>

    init(_ value: Double) { bits = Atomic(value.bitPattern) }

    var value: Double {
        get { Double(bitPattern: bits.load(ordering: .acquiring)) }
        nonmutating set { bits.store(newValue.bitPattern, ordering: .releasing) }
    }
}
