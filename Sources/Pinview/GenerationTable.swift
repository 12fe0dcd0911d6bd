import PinviewGenerations

/// The generations of one coordinator that live, and which of them is the newest.
final class GenerationTable: @unchecked Sendable {  // guarded by `lock`
    private struct WeakGenerationSet { weak var set: GenerationSet? }

    private let lock = Lock()
    private var sets: [UInt64: WeakGenerationSet] = [:]
    private var newestSerial: UInt64 = 0
    private var newestIdentities: [Int32: GenerationIdentity] = [:]
    private var lastSerial: UInt64 = 0
    private var _holdsWriters = false

    /// Whether a generation is taken while no process can write.
    var holdsWriters: Bool {
        get { lock.withLock { _holdsWriters } }
        set {
            lock.withLock {
                // What was taken without does not keep the promise.
                if newValue, !_holdsWriters {
                    newestSerial = 0
                    newestIdentities = [:]
                }
                _holdsWriters = newValue
            }
        }
    }

    /// The set that was taken last, if it lives.
    var newest: GenerationSet? { lock.withLock { sets[newestSerial]?.set } }
    var all: [GenerationSet] { lock.withLock { sets.values.compactMap(\.set) } }

    /// The set of a serial number, else one that names the same.
    func set(serial: UInt64?, named parts: [QueryGenerationToken.Part]) -> GenerationSet? {
        if let serial, let set = lock.withLock({ sets[serial]?.set }) { return set }
        return all.first { $0.isNamed(by: parts) }
    }

    /// Makes a set of the newest generations, unless there is one already.
    func addNewest(_ generations: [Int32: Generation], liveStores: Set<Int32>, isNewest: (GenerationSet) -> Bool) -> GenerationSet {
        let identities = generations.mapValues(\.identity)
        return lock.withLock {
            // Another thread may have made the set meanwhile, and the same state may have had one that is gone.
            let isSameState = identities == newestIdentities && !identities.isEmpty
            if isSameState, let set = sets[newestSerial]?.set, isNewest(set) { return set }
            if !isSameState || newestSerial == 0 {
                lastSerial += 1
                newestSerial = lastSerial
                newestIdentities = identities
            }
            return add(newestSerial, generations, liveStores)
        }
    }

    /// Makes a set of generations that another process held first.
    func addAdopted(_ generations: [Int32: Generation], liveStores: Set<Int32>) -> GenerationSet {
        lock.withLock {
            lastSerial += 1
            return add(lastSerial, generations, liveStores)
        }
    }

    /// With the lock.
    private func add(_ serial: UInt64, _ generations: [Int32: Generation], _ liveStores: Set<Int32>) -> GenerationSet {
        sets = sets.filter { $0.value.set != nil }
        let set = GenerationSet(serial: serial, generations: generations, liveStores: liveStores)
        sets[serial] = WeakGenerationSet(set: set)
        return set
    }
}
