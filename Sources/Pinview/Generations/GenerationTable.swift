import PinviewGenerations

/// The generations of one coordinator that live, and which of them is the newest.
final class GenerationTable: @unchecked Sendable {  // guarded by `lock`
    private let lock = Lock()
    /// In no order, each with its serial number. A set knows its place, and takes itself out when
    /// it goes.
    private var sets: [(serial: UInt64, set: Unmanaged<GenerationSet>)] = []
    /// The set that was taken last, as long as it lives.
    private var newestSet: Unmanaged<GenerationSet>?
    private var newestSerial: UInt64 = 0
    private var newestState = State()
    private var lastSerial: UInt64 = 0
    private var _holdsWriters = false

    /// The states of all stores at one moment.
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

    /// Whether a generation is taken while no process can write.
    var holdsWriters: Bool {
        get { lock.withLock { _holdsWriters } }
        set {
            lock.withLock {
                // What was taken without does not keep the promise.
                if newValue, !_holdsWriters {
                    newestSet = nil
                    newestSerial = 0
                    newestState = State()
                }
                _holdsWriters = newValue
            }
        }
    }

    /// The set that was taken last, if it lives.
    var newest: GenerationSet? { lock.withLock { newestSet?.retainedIfAlive() } }
    var all: [GenerationSet] { lock.withLock { sets.compactMap { $0.set.retainedIfAlive() } } }

    /// The set of a serial number, else one that names the same.
    func set(serial: UInt64?, named parts: [QueryGenerationToken.Part]) -> GenerationSet? {
        if let serial, let set = lock.withLock({ livingSet(serial) }) { return set }
        return all.first { $0.isNamed(by: parts) }
    }

    /// With the lock. A state that has been taken again has the serial number of the set that was
    /// there before, which may be going.
    private func livingSet(_ serial: UInt64) -> GenerationSet? {
        for entry in sets where entry.serial == serial {
            if let set = entry.set.retainedIfAlive() { return set }
        }
        return nil
    }

    /// Makes a set of the newest generations, unless there is one already.
    func addNewest(
        _ members: some Collection<GenerationSet.Member>, liveStores: [Int32], isNewest: (GenerationSet) -> Bool
    ) -> GenerationSet {
        lock.lock()
        // Another thread may have made the set meanwhile, and the same state may have had one that
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
    private func add(_ serial: UInt64, _ members: some Collection<GenerationSet.Member>, _ liveStores: [Int32]) -> GenerationSet {
        let set = GenerationSet(serial: serial, table: self, members: members, liveStores: liveStores)
        set.place = sets.count
        sets.append((serial, .passUnretained(set)))
        return set
    }

    /// A set goes.
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
