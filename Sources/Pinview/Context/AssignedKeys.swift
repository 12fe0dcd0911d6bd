import PinviewGenerations
import PinviewModel
import PinviewStore

/// Neighbouring temporary keys that got neighbouring permanent ones.
struct KeyRun {
    let temporary: Int64
    let permanent: Int64
    var count: UInt64 = 1
    /// The store that the permanent ones are of, for who has runs of several.
    var storeNumber: Int32 = 0

    @inline(__always)
    func key(for key: Int64) -> Int64? {
        let offset = UInt64(bitPattern: key &- temporary)
        return offset < count ? permanent &+ Int64(bitPattern: offset) : nil
    }
}

/// Runs in the order of their temporary keys.
extension [KeyRun] {
    /// The place of the first run that begins behind a key.
    func firstIndex(after temporary: Int64) -> Int {
        var low = 0, high = count
        while low < high {
            let middle = (low + high) / 2
            if self[middle].temporary <= temporary { low = middle + 1 } else { high = middle }
        }
        return low
    }

    /// The permanent key of a temporary one, and the run that has it.
    func key(for temporary: Int64) -> (run: KeyRun, permanent: Int64)? {
        let place = firstIndex(after: temporary)
        guard place > 0, let permanent = self[place - 1].key(for: temporary) else { return nil }
        return (self[place - 1], permanent)
    }
}

/// The primary keys that a save gives to new objects, by their temporary ones.
///
/// Both are handed out in ascending order, so that a few runs of neighbours have them all.
struct AssignedKeys {
    private(set) var runs: [KeyRun] = []

    mutating func append(_ permanent: Int64, for temporary: Int64) {
        if let last = runs.last, last.key(for: temporary &- 1) == permanent &- 1 {
            runs[runs.count - 1].count += 1
        } else {
            runs.append(KeyRun(temporary: temporary, permanent: permanent))
        }
    }

    /// To be called when all are there, before the first look-up.
    mutating func sort() { runs.sort { $0.temporary < $1.temporary } }

    var isEmpty: Bool { runs.isEmpty }

    func key(for temporary: Int64) -> Int64? { runs.key(for: temporary)?.permanent }
}

/// A temporary key, and the permanent one that its object got.
struct AssignedKey {
    let temporary: ObjectKey
    let permanent: ObjectKey
}

/// Which permanent key an object with a temporary one got, for whoever knows it by the temporary
/// one: child contexts (NST-12), and programs that have its former ID.
///
/// Saves hand out keys in runs, of which a few words are kept each; those of the oldest saves are
/// forgotten in the end.
final class PermanentKeys: @unchecked Sendable {  // guarded by `lock`
    static let shared = PermanentKeys()

    private static let runLimit = 1 << 16
    private let lock = Lock()
    /// In the order of their temporary keys.
    private var runs: [KeyRun] = []
    /// Those that a merge policy led to another row, which count first.
    private var others: [ObjectKey: ObjectKey] = [:]

    func add(_ keys: [AssignedKey]) {
        lock.withLock { for key in keys { others[key.temporary] = key.permanent } }
    }

    /// What a save gave to new objects.
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
