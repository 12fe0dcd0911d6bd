import PinviewGenerations

/// The living generation sets of a coordinator, and the newest of them.
final class GenerationTable: @unchecked Sendable {  // guarded by `lock`
    private let lock = Lock()
    /// In no particular order. A set knows its index and removes itself when it is deallocated.
    @exclusivity(unchecked) private var sets: [(serial: UInt64, set: Unmanaged<GenerationSet>)] = []
    /// The set taken last, while it lives.
    @exclusivity(unchecked) private var newestSet: Unmanaged<GenerationSet>?
    @exclusivity(unchecked) private var newestSerial: UInt64 = 0
    @exclusivity(unchecked) private var newestState = State()
    @exclusivity(unchecked) private var lastSerial: UInt64 = 0
    @exclusivity(unchecked) private var _holdsWriters = false

    /// The state of all stores at one moment.
    private struct State {
        typealias Part = (store: Int32, identity: GenerationIdentity)
        private var first: Part?
        private var others: [Part] = []

        init() {}

        init(_ members: some Collection<GenerationSet.Member>) {
            first = members.first.map(Self.part)
            if members.count > 1 { others = members.dropFirst().map(Self.part) }
        }

        private static func part(_ member: GenerationSet.Member) -> Part { (member.store, member.generation.identity) }

        func isThat(of members: some Collection<GenerationSet.Member>) -> Bool {
            guard let first, let member = members.first, first == Self.part(member), others.count == members.count - 1 else { return false }
            return others.isEmpty || others.elementsEqual(members.dropFirst().map(Self.part)) { $0 == $1 }
        }
    }

    /// Whether generations are taken while no process can write.
    var holdsWriters: Bool {
        get { lock.withLock { _holdsWriters } }
        set {
            lock.withLock {
                // A set taken without holding the writers does not keep the promise.
                if newValue, !_holdsWriters {
                    newestSet = nil
                    newestSerial = 0
                    newestState = State()
                }
                _holdsWriters = newValue
            }
        }
    }

    /// The set taken last, if it is alive.
    var newest: GenerationSet? { lock.withLock { newestSet?.retainedIfAlive() } }
    var all: [GenerationSet] { lock.withLock { sets.compactMap { $0.set.retainedIfAlive() } } }

    /// The set with a serial number, or else one with the same parts.
    func set(serial: UInt64?, named parts: [QueryGenerationToken.Part]) -> GenerationSet? {
        if let serial, let set = lock.withLock({ livingSet(serial) }) { return set }
        return all.first { $0.isNamed(by: parts) }
    }

    /// Requires the lock. A state that is taken again gets the serial number of its earlier set,
    /// which may be deallocating.
    private func livingSet(_ serial: UInt64) -> GenerationSet? {
        for entry in sets where entry.serial == serial {
            if let set = entry.set.retainedIfAlive() { return set }
        }
        return nil
    }

    /// Makes a set of the newest generations, unless there is one.
    func addNewest(
        _ members: some Collection<GenerationSet.Member>, liveStores: [Int32], isNewest: (GenerationSet) -> Bool
    ) -> GenerationSet {
        lock.lock()
        // Another thread may have made the set meanwhile, or the same state may have had a set that
        // is gone.
        let isSameState = newestState.isThat(of: members)
        let known = isSameState ? newestSet?.retainedIfAlive() : nil
        if let known, isNewest(known) {
            lock.unlock()
            return known
        }
        if !isSameState || newestSerial == 0 {
            lastSerial += 1
            newestSerial = lastSerial
            newestState = State(members)
        }
        let set = add(newestSerial, members, liveStores)
        newestSet = .passUnretained(set)
        lock.unlock()
        // Its last reference must not be released while the lock is held.
        withExtendedLifetime(known) {}
        return set
    }

    /// Makes a set of generations adopted from another process.
    func addAdopted(_ members: [GenerationSet.Member], liveStores: [Int32]) -> GenerationSet {
        lock.withLock {
            lastSerial += 1
            return add(lastSerial, members, liveStores)
        }
    }

    /// Requires the lock.
    private func add(_ serial: UInt64, _ members: some Collection<GenerationSet.Member>, _ liveStores: [Int32]) -> GenerationSet {
        let set = GenerationSet(serial: serial, table: self, members: members, liveStores: liveStores)
        set.place = sets.count
        sets.append((serial, .passUnretained(set)))
        return set
    }

    /// Removes a set that is deallocating.
    func forget(_ set: GenerationSet) {
        let reference = Unmanaged.passUnretained(set)
        lock.lock()
        let last = sets.removeLast()
        if last.set.toOpaque() != reference.toOpaque() {
            sets[set.place] = last
            last.set._withUnsafeGuaranteedRef { $0.place = set.place }
        }
        if newestSet?.toOpaque() == reference.toOpaque() { newestSet = nil }
        lock.unlock()
    }
}
