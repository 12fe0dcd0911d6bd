import PinviewGenerations

/// The generations of one coordinator that live, and which of them is the newest.
final class GenerationTable: @unchecked Sendable {  // guarded by `lock`
    private let lock = Lock()
    /// By serial number. A set takes itself out when it goes.
    private var sets: [UInt64: Unmanaged<GenerationSet>] = [:]
    /// The set that was taken last, as long as it lives.
    private var newestSet: Unmanaged<GenerationSet>?
    private var newestSerial: UInt64 = 0
    private var newestIdentities: [(store: Int32, identity: GenerationIdentity)] = []
    private var lastSerial: UInt64 = 0
    private var _holdsWriters = false

    /// Whether a generation is taken while no process can write.
    var holdsWriters: Bool {
        get { lock.withLock { _holdsWriters } }
        set {
            lock.withLock {
                // What was taken without does not keep the promise.
                if newValue, !_holdsWriters {
                    newestSet = nil
                    newestSerial = 0
                    newestIdentities = []
                }
                _holdsWriters = newValue
            }
        }
    }

    /// The set that was taken last, if it lives.
    var newest: GenerationSet? { lock.withLock { newestSet?.retainedIfAlive() } }
    var all: [GenerationSet] { lock.withLock { sets.values.compactMap { $0.retainedIfAlive() } } }

    /// The set of a serial number, else one that names the same.
    func set(serial: UInt64?, named parts: [QueryGenerationToken.Part]) -> GenerationSet? {
        if let serial, let set = lock.withLock({ sets[serial]?.retainedIfAlive() }) { return set }
        return all.first { $0.isNamed(by: parts) }
    }

    /// Makes a set of the newest generations, unless there is one already.
    func addNewest(
        _ members: [GenerationSet.Member], liveStores: [Int32], isNewest: (GenerationSet) -> Bool
    ) -> GenerationSet {
        lock.lock()
        // Another thread may have made the set meanwhile, and the same state may have had one that is gone.
        let isSameState =
            !members.isEmpty && newestIdentities.elementsEqual(members) { $0.store == $1.store && $0.identity == $1.generation.identity }
        let known = isSameState ? newestSet?.retainedIfAlive() : nil
        if let known, isNewest(known) {
            lock.unlock()
            return known
        }
        if !isSameState || newestSerial == 0 {
            lastSerial += 1
            newestSerial = lastSerial
            newestIdentities = members.map { ($0.store, $0.generation.identity) }
        }
        let set = add(newestSerial, members, liveStores)
        newestSet = .passUnretained(set)
        lock.unlock()
        // Its last reference must not go with the lock held.
        withExtendedLifetime(known) {}
        return set
    }

    /// Makes a set of generations that another process held first.
    func addAdopted(_ members: [GenerationSet.Member], liveStores: [Int32]) -> GenerationSet {
        lock.withLock {
            lastSerial += 1
            return add(lastSerial, members, liveStores)
        }
    }

    /// With the lock.
    private func add(_ serial: UInt64, _ members: [GenerationSet.Member], _ liveStores: [Int32]) -> GenerationSet {
        let set = GenerationSet(serial: serial, table: self, members: members, liveStores: liveStores)
        sets[serial] = .passUnretained(set)
        return set
    }

    /// A set goes. Another one may have its serial number by now.
    func forget(_ set: GenerationSet) {
        let pointer = Unmanaged.passUnretained(set).toOpaque()
        lock.withLock {
            if sets[set.serial]?.toOpaque() == pointer { sets[set.serial] = nil }
            if newestSet?.toOpaque() == pointer { newestSet = nil }
        }
    }
}
