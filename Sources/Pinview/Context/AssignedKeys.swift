import PinviewGenerations
import PinviewModel
import PinviewStore

/// A run of consecutive temporary keys that received consecutive permanent keys.
struct KeyRun {
    let temporary: Int64
    let permanent: Int64
    var count: UInt64 = 1
    /// The store of the permanent keys, for callers that keep runs of several stores.
    var storeNumber: Int32 = 0

    @inline(__always)
    func key(for key: Int64) -> Int64? {
        let offset = UInt64(bitPattern: key &- temporary)
        return offset < count ? permanent &+ Int64(bitPattern: offset) : nil
    }
}

/// Runs sorted by their temporary keys.
extension [KeyRun] {
    /// The index of the first run that begins after a temporary key.
    func firstIndex(after temporary: Int64) -> Int { partitionPoint(count) { self[$0].temporary <= temporary } }

    /// The permanent key of a temporary one, with the run that contains it.
    func key(for temporary: Int64) -> (run: KeyRun, permanent: Int64)? {
        let place = firstIndex(after: temporary)
        guard place > 0, let permanent = self[place - 1].key(for: temporary) else { return nil }
        return (self[place - 1], permanent)
    }
}

/// The permanent primary keys that a save assigns to new objects, by their temporary keys.
///
/// Both kinds of keys are handed out in ascending order, so a few runs cover them all.
struct AssignedKeys {
    private(set) var runs: [KeyRun] = []

    mutating func append(_ permanent: Int64, for temporary: Int64) {
        if let last = runs.last, last.key(for: temporary &- 1) == permanent &- 1 {
            runs[runs.count - 1].count += 1
        } else {
            runs.append(KeyRun(temporary: temporary, permanent: permanent))
        }
    }

    /// Sorts the runs. Call it after the last key has been added and before the first look-up.
    mutating func sort() { runs.sort { $0.temporary < $1.temporary } }

    var isEmpty: Bool { runs.isEmpty }

    func key(for temporary: Int64) -> Int64? { runs.key(for: temporary)?.permanent }
}

/// A temporary key and the permanent key that replaced it.
struct AssignedKey {
    let temporary: ObjectKey
    let permanent: ObjectKey
}

/// The permanent keys that replaced temporary ones, for those that still use a temporary key: child
/// contexts (NST-12) and programs that hold an object's former ID.
///
/// Saves assign keys in runs of a few words each. The runs of the oldest saves are eventually
/// dropped.
final class PermanentKeys: @unchecked Sendable {  // guarded by `lock`
    static let shared = PermanentKeys()

    private static let runLimit = 1 << 16
    private let lock = Lock()
    /// Sorted by temporary key.
    private var runs: [KeyRun] = []
    /// Keys that a merge policy mapped to another row. They take precedence over `runs`.
    private var others: [ObjectKey: ObjectKey] = [:]

    func add(_ keys: [AssignedKey]) {
        lock.withLock { for key in keys { others[key.temporary] = key.permanent } }
    }

    /// Adds the keys that a save assigned to new objects.
    func add(_ keys: AssignedKeys, storeNumber: Int32) {
        lock.withLock {
            for var run in keys.runs {
                run.storeNumber = storeNumber
                runs.insert(run, at: runs.firstIndex(after: run.temporary))
            }
            if runs.count > Self.runLimit { runs.removeFirst(runs.count / 2) }
        }
    }

    func permanentKey(for key: ObjectKey) -> ObjectKey {
        guard key.isTemporary else { return key }
        return lock.withLock {
            if let other = others[key] { return other }
            guard let (run, permanent) = runs.key(for: key.primaryKey) else { return key }
            return ObjectKey(storeNumber: run.storeNumber, rootEntity: key.rootEntity, primaryKey: permanent)
        }
    }
}
