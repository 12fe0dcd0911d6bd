import PinviewGenerations
import PinviewModel

/// The rows that the contexts of one coordinator have read or written, shared among them (DEC-22).
///
/// A row is kept as long as some context has its object registered (FLT-15). It carries the state it
/// was read at: contexts on a generation take only rows of that generation, unpinned ones only
/// rows that were the newest when they were read, and neither takes one older than the context's last
/// change of generation (FLT-16, RFR-19).
package final class RowCache: @unchecked Sendable {  // every stored property is guarded by `lock`
    private struct Entry {
        var row: RowSnapshot
        /// The rank of the generation it was read at; 0 in stores without generations.
        var ordinal: UInt64
        /// The coordinator's clock of generation changes when the read began.
        var stamp: UInt64
        /// Seconds of the monotonic clock, for the staleness interval.
        var time: Double
    }

    private struct Node {
        var registrations = 0
        /// The row as an unpinned context may use it.
        var newest: Entry?
        /// The row at older generations, newest first.
        var older: [Entry] = []
    }

    /// How many generations of one row are kept besides the newest: a bound, since a row can be
    /// read again at any time.
    private static let olderLimit = 4

    private let lock = Lock()
    private var nodes: [ObjectKey: Node] = [:]
    private var clock: UInt64 = 1

    package init() {}

    /// The clock of generation changes: rows stamped earlier than a context's last change are not for it.
    package var stamp: UInt64 { lock.withLock { clock } }

    /// Moves the clock on and gives its new value.
    package func advanceStamp() -> UInt64 {
        lock.withLock {
            clock += 1
            return clock
        }
    }

    /// Some context registered objects of these keys; each call is paired with one `unregister` per key.
    package func register(_ keys: [ObjectKey]) {
        lock.withLock {
            for key in keys { nodes[key, default: Node()].registrations += 1 }
        }
    }

    package func register(_ key: ObjectKey) {
        lock.withLock { nodes[key, default: Node()].registrations += 1 }
    }

    /// A context's object of this key is gone; the last one takes the row along.
    package func unregister(_ key: ObjectKey) {
        // The rows are let go after the lock: the last user of a block of rows frees it.
        let dropped: Node? = lock.withLock {
            guard var node = nodes[key] else { return nil }
            node.registrations -= 1
            if node.registrations > 0 {
                nodes[key] = node
                return nil
            }
            return nodes.removeValue(forKey: key)
        }
        withExtendedLifetime(dropped) {}
    }

    /// An object got its permanent key.
    package func rename(_ old: ObjectKey, to new: ObjectKey) {
        lock.withLock {
            if var node = nodes[old] {
                node.registrations -= 1
                nodes[old] = node.registrations > 0 ? node : nil
            }
            nodes[new, default: Node()].registrations += 1
        }
    }

    /// Keeps rows that were read or written, for those keys that some context has registered.
    ///
    /// - Parameters:
    ///   - ordinal: the rank of the generation they were read at; 0 in stores without generations.
    ///   - isNewest: whether that was the newest state, so that unpinned contexts may use them.
    ///   - stamp: the clock before the read began.
    ///   - time: seconds of the monotonic clock.
    package func store(_ rows: some Sequence<(ObjectKey, RowSnapshot)>, ordinal: UInt64, isNewest: Bool, stamp: UInt64, time: Double) {
        lock.withLock {
            for (key, row) in rows {
                guard var node = nodes[key] else { continue }
                let entry = Entry(row: row, ordinal: ordinal, stamp: stamp, time: time)
                // A row of a generation that is not the newest any more is still nearer to it than an older one.
                if node.newest.map({ isNewest && $0.ordinal == ordinal || $0.ordinal < ordinal }) ?? isNewest {
                    if let previous = node.newest, previous.ordinal < ordinal, previous.ordinal != 0 {
                        keepOlder(previous, in: &node)
                    }
                    node.newest = entry
                } else if node.newest?.ordinal != ordinal {
                    keepOlder(entry, in: &node)
                }
                nodes[key] = node
            }
        }
    }

    private func keepOlder(_ entry: Entry, in node: inout Node) {
        node.older.removeAll { $0.ordinal == entry.ordinal }
        let position = node.older.firstIndex { $0.ordinal < entry.ordinal } ?? node.older.endIndex
        node.older.insert(entry, at: position)
        if node.older.count > Self.olderLimit { node.older.removeLast() }
    }

    /// The row of a key at one generation, or nil where it has to be read.
    package func row(for key: ObjectKey, atOrdinal ordinal: UInt64) -> RowSnapshot? {
        lock.withLock {
            guard let node = nodes[key] else { return nil }
            if let newest = node.newest, newest.ordinal == ordinal { return newest.row }
            return node.older.first { $0.ordinal == ordinal }?.row
        }
    }

    /// The row of a key for a context that reads the newest state.
    ///
    /// - Parameters:
    ///   - stamp: rows read before it are passed over.
    ///   - earliestTime: rows read before it are stale (RFR-12); `-infinity` for no limit.
    package func newestRow(for key: ObjectKey, notBefore stamp: UInt64, earliestTime: Double) -> RowSnapshot? {
        lock.withLock {
            guard let entry = nodes[key]?.newest, entry.stamp >= stamp, entry.time >= earliestTime else { return nil }
            return entry.row
        }
    }

    /// When the row of a key at one generation was read, in seconds of the monotonic clock.
    package func readTime(for key: ObjectKey, atOrdinal ordinal: UInt64) -> Double? {
        lock.withLock {
            guard let node = nodes[key] else { return nil }
            if let newest = node.newest, newest.ordinal == ordinal { return newest.time }
            return node.older.first { $0.ordinal == ordinal }?.time
        }
    }

    /// Rows that were changed or deleted without their new values being at hand (BAT-09): contexts
    /// on the newest state read them again. Rows of pinned generations stay, they are still right.
    package func invalidate(_ keys: some Sequence<ObjectKey>) {
        lock.withLock {
            for key in keys { demoteNewest(key) }
        }
    }

    /// As `invalidate(_:)`, for all rows of a store or of some of its hierarchies.
    package func invalidateAll(storeNumber: Int32, rootEntity: Int32? = nil) {
        lock.withLock {
            for key in nodes.keys where key.storeNumber == storeNumber && (rootEntity == nil || key.rootEntity == rootEntity) {
                demoteNewest(key)
            }
        }
    }

    private func demoteNewest(_ key: ObjectKey) {
        guard var node = nodes[key], let newest = node.newest else { return }
        node.newest = nil
        if newest.ordinal != 0 { keepOlder(newest, in: &node) }
        nodes[key] = node
    }

    #if DEBUG
        /// What does not hold, for the tests. `keys` are those of objects that some context has registered.
        package func invariantViolations(requiring keys: [ObjectKey]) -> [String] {
            lock.withLock {
                var violations: [String] = []
                for key in keys where nodes[key] == nil { violations.append("the row cache has not registered \(key)") }
                for key in keys {
                    guard let node = nodes[key] else { continue }
                    if node.registrations <= 0 { violations.append("the row cache keeps \(key), which nobody has registered") }
                    if node.older.count > Self.olderLimit {
                        violations.append("the row cache keeps \(node.older.count) old rows of \(key)")
                    }
                    var ordinals = node.older.map(\.ordinal)
                    if let newest = node.newest, newest.ordinal != 0 { ordinals.insert(newest.ordinal, at: 0) }
                    if zip(ordinals, ordinals.dropFirst()).contains(where: { $0 <= $1 }) {
                        violations.append("the row cache has the generations of \(key) in the order \(ordinals)")
                    }
                    if let entry = ([node.newest].compactMap { $0 } + node.older).first(where: { $0.stamp > clock }) {
                        violations.append("the row cache has a row of \(key) stamped \(entry.stamp), after its clock \(clock)")
                    }
                }
                return violations
            }
        }
    #endif
}
