import PinviewGenerations
import PinviewModel

/// Objects of one entity and context that a language binding refers to by 64-bit names, each of
/// which consists of the block's number and a place in it.
///
/// An object is in at most one block, so its name is its identity. A block keeps each object alive
/// until the binding has dropped it as often as it was named.
package final class ObjectBlock: @unchecked Sendable {  // see `BlockTable` for what is shared
    package static let limit = 1024

    package let number: UInt64
    package let entity: Entity
    private let members: BlockTable.Members
    private let state: ContextState
    private let cacheCount: ChangeCount?
    /// Guarded by the context's queue.
    private let rows = ShownRows()
    /// The members that were returned last, with the place of their first owner and where the
    /// members of each owner end. Guarded by the context's queue.
    @exclusivity(unchecked) private var shownMembers: [(property: Int, place: Int, ends: [Int], members: [ManagedObject])] = []

    fileprivate init(number: UInt64, members: BlockTable.Members, first: ManagedObject) {
        self.number = number
        self.members = members
        entity = first.entity
        state = first.state
        cacheCount = first.state.coordinator?.rowCache.newestChanges
    }

    deinit { BlockTable.shared.remove(number) }

    /// The context's count of changes.
    package var changes: UnsafePointer<UInt64> { state.queue.changes.address }
    /// The count of changes that may have replaced the rows shown for faults.
    package var cacheChanges: UnsafePointer<UInt64>? { cacheCount?.address }

    /// The count of changes, constant until the next change; nil while a change is under way.
    package var stableChangeCount: UInt64? { state.queue.stableChangeCount }

    /// Whether any thread may read without a check what is known already.
    package var isForAnyThread: Bool { state.concurrencyType == .privateQueue && !ConcurrencyDebug.isEnabled }

    /// Names objects: those named already keep their names, and of the others those of the first
    /// one's entity are named in a new block.
    ///
    /// - Parameter names: receives the name of each object, 0 for those still to be named.
    package static func name(_ objects: [ManagedObject], _ names: UnsafeMutablePointer<UInt64>) -> ObjectBlock? {
        BlockTable.shared.name(objects, names)
    }

    /// Names one object. If it has no name, it gets one in the first block that can take it, or
    /// else in a new block.
    package static func name(_ object: ManagedObject, in blocks: [ObjectBlock]) -> (name: UInt64, new: ObjectBlock?) {
        BlockTable.shared.name(object, in: blocks)
    }

    /// The object at a place; nil if it was dropped or the place is unused.
    package func object(at place: Int) -> ManagedObject? { BlockTable.shared.object(members, place) }

    /// The object at a place.
    ///
    /// - Throws: `invalidArgument` if there is none.
    package func requiredObject(at place: Int) throws(PinviewError) -> ManagedObject {
        guard let object = object(at: place) else { throw noObject(at: place) }
        return object
    }

    private func noObject(at place: Int) -> PinviewError {
        PinviewError(.invalidArgument, "The block has no object at the place \(place).")
    }

    /// The objects of names; nil for a name without an object.
    package static func objects(_ names: UnsafeBufferPointer<UInt64>) -> [ManagedObject?] { BlockTable.shared.objects(names) }

    /// Drops objects by their names.
    package static func drop(_ names: UnsafeBufferPointer<UInt64>) { BlockTable.shared.drop(names) }

    /// Drops objects by their places.
    package func drop(_ places: UnsafeBufferPointer<UInt32>) { BlockTable.shared.drop(members, places) }

    /// Reads one property; see `ContextState.read`.
    package func read(_ property: Property, at place: Int, alone: Bool, into column: ObjectColumn) throws(PinviewError) {
        let objects = BlockTable.shared.objects(members)
        guard objects.indices.contains(place), let first = objects[place] else { throw noObject(at: place) }
        try first.read { (state) throws(PinviewError) in
            try state.read(property, of: objects, at: place, alone: alone, rows: rows, into: column)
        }
    }

    /// The members of the object at a place, followed by those of the following ones as far as they
    /// are at hand; see `ContextState.membersToShow`.
    package func relatedObjects(
        _ property: Property, at place: Int, mostOwners: Int, ends: inout [Int]
    ) throws(PinviewError) -> [ManagedObject] {
        let objects = BlockTable.shared.objects(members)
        guard objects.indices.contains(place), let first = objects[place] else { throw noObject(at: place) }
        var found: [Int] = []
        let related = try first.read { (state) throws(PinviewError) -> [ManagedObject] in
            let related = try state.membersToShow(property, of: objects, from: place, mostOwners: mostOwners, ends: &found)
            shownMembers.removeAll { $0.property == property.index }
            if found.count > 1 { shownMembers.append((property.index, place, found, related)) }
            return related
        }
        ends = found
        return related
    }

    /// Reads a to-many relationship whose members `relatedObjects` has returned for an earlier
    /// place.
    /// - Returns: whether they are the same.
    package func confirm(_ property: Property, at place: Int) throws(PinviewError) -> Bool {
        try requiredObject(at: place).read { (state) throws(PinviewError) -> Bool in
            let members = try state.toMany(try requiredObject(at: place), property).members
            guard let shown = shownMembers.first(where: { $0.property == property.index }), place > shown.place,
                place - shown.place < shown.ends.count
            else { return false }
            let first = shown.ends[place - shown.place - 1], end = shown.ends[place - shown.place]
            let isSame = members.elementsEqual(shown.members[first..<end], by: ===)
            // Of the last owner, not with the last member: owners without members follow.
            if place - shown.place == shown.ends.count - 1 { shownMembers.removeAll { $0.property == property.index } }
            return isSame
        }
    }

    /// Fires faults whose values the binding has shown while it read others.
    /// - Returns: false, having done nothing, if another thread is in the context. Waiting here
    ///   could deadlock.
    package func fire(_ places: UnsafeBufferPointer<UInt32>) -> Bool {
        let objects = BlockTable.shared.objects(members)
        guard state.queue.enterReadingIfFree() else { return false }
        defer { state.queue.leaveReading() }
        if !state.hasEnded { state.fire(places, of: objects, rows: rows) }
        return true
    }
}

/// All blocks of the process, and the names of their objects.
private final class BlockTable: @unchecked Sendable {  // everything is guarded by `lock`
    static let shared = BlockTable()

    final class Members {
        var objects: [ManagedObject?] = []
        /// How often each object has been named.
        var counts: [UInt32] = []
    }

    static let placeBits: UInt64 = 12

    private let lock = Lock()
    private var blocks: [UInt64: Members] = [:]
    private var lastNumber: UInt64 = 0
    private var names = NameTable()

    func name(_ objects: [ManagedObject], _ given: UnsafeMutablePointer<UInt64>) -> ObjectBlock? {
        lock.lock()
        var made: ObjectBlock?
        var members = Members()
        var last: (number: UInt64, members: Members)?
        for (index, object) in objects.enumerated() where given[index] == 0 {
            let known = names[object]
            if known != 0 {
                let number = known >> Self.placeBits
                if last?.number != number { last = blocks[number].map { (number, $0) } }
                last?.members.counts[Int(known & (1 << Self.placeBits - 1))] += 1
                given[index] = known
                continue
            }
            if made == nil {
                made = makeBlock(object, &members)
                members.objects.reserveCapacity(objects.count)
                members.counts.reserveCapacity(objects.count)
            }
            guard let made, let name = enter(object, made, members) else { continue }
            given[index] = name
        }
        lock.unlock()
        return made
    }

    func name(_ object: ManagedObject, in given: [ObjectBlock]) -> (name: UInt64, new: ObjectBlock?) {
        lock.lock()
        defer { lock.unlock() }
        let known = names[object]
        if known != 0 {
            blocks[known >> Self.placeBits]?.counts[Int(known & (1 << Self.placeBits - 1))] += 1
            return (known, nil)
        }
        for block in given {
            if let name = enter(object, block, block.membersOfAll) { return (name, nil) }
        }
        var members = Members()
        let made = makeBlock(object, &members)
        return (enter(object, made, members) ?? 0, made)
    }

    /// Makes a block. Requires the lock.
    private func makeBlock(_ first: ManagedObject, _ members: inout Members) -> ObjectBlock {
        lastNumber += 1
        members = Members()
        blocks[lastNumber] = members
        return ObjectBlock(number: lastNumber, members: members, first: first)
    }

    /// Names an object in a block; nil if the block cannot take it. Requires the lock.
    private func enter(_ object: ManagedObject, _ block: ObjectBlock, _ members: Members) -> UInt64? {
        guard members.objects.count < ObjectBlock.limit, object.state === block.stateOfAll, object.entity.index == block.entity.index
        else { return nil }
        let name = block.number << Self.placeBits | UInt64(members.objects.count)
        members.objects.append(object)
        members.counts.append(1)
        names[object] = name
        return name
    }

    func object(_ members: Members, _ place: Int) -> ManagedObject? {
        lock.lock()
        defer { lock.unlock() }
        return members.objects.indices.contains(place) ? members.objects[place] : nil
    }

    func objects(_ names: UnsafeBufferPointer<UInt64>) -> [ManagedObject?] {
        lock.lock()
        defer { lock.unlock() }
        var last: (number: UInt64, members: Members?) = (0, nil)
        return names.map { name in
            let number = name >> Self.placeBits, place = Int(name & (1 << Self.placeBits - 1))
            if last.number != number { last = (number, blocks[number]) }
            guard let members = last.members, place < members.objects.count else { return nil }
            return members.objects[place]
        }
    }

    func objects(_ members: Members) -> [ManagedObject?] {
        lock.lock()
        defer { lock.unlock() }
        return members.objects
    }

    func drop(_ members: Members, _ places: UnsafeBufferPointer<UInt32>) {
        var dropped: [ManagedObject?] = []
        lock.lock()
        for place in places { drop(Int(place), members, &dropped) }
        lock.unlock()
        // Deallocating them may call back here.
        withExtendedLifetime(dropped) {}
    }

    func drop(_ names: UnsafeBufferPointer<UInt64>) {
        var dropped: [ManagedObject?] = []
        lock.lock()
        for name in names {
            if let members = blocks[name >> Self.placeBits] { drop(Int(name & (1 << Self.placeBits - 1)), members, &dropped) }
        }
        lock.unlock()
        withExtendedLifetime(dropped) {}
    }

    /// Drops one object. Requires the lock.
    private func drop(_ place: Int, _ members: Members, _ dropped: inout [ManagedObject?]) {
        guard members.counts.indices.contains(place), members.counts[place] > 0 else { return }
        members.counts[place] -= 1
        guard members.counts[place] == 0, let object = members.objects[place] else { return }
        names[object] = 0
        members.objects[place] = nil
        dropped.append(object)
    }

    func remove(_ number: UInt64) {
        lock.lock()
        let members = blocks.removeValue(forKey: number)
        for object in members?.objects ?? [] { if let object { names[object] = 0 } }
        lock.unlock()
        withExtendedLifetime(members) {}
    }
}

extension ObjectBlock {
    fileprivate var stateOfAll: ContextState { state }
    fileprivate var membersOfAll: BlockTable.Members { members }
}

/// Names by object: open addressing, 16 bytes an entry. A table of its own, since it maps addresses
/// to numbers and its entries move up on removal.
private struct NameTable {
    private var entries: UnsafeMutablePointer<(key: UInt, name: UInt64)>?
    private var mask = -1
    private var count = 0

    private static func bits(_ object: ManagedObject) -> UInt { UInt(bitPattern: Unmanaged.passUnretained(object).toOpaque()) }

    private func start(_ key: UInt) -> Int { Int(truncatingIfNeeded: (key >> 4) &* 0x9e37_79b9_7f4a_7c15 >> 20) & mask }

    /// 0 means no name.
    subscript(object: ManagedObject) -> UInt64 {
        get {
            guard let entries else { return 0 }
            let key = Self.bits(object)
            var index = start(key)
            while entries[index].key != 0 {
                if entries[index].key == key { return entries[index].name }
                index = (index + 1) & mask
            }
            return 0
        }
        set { newValue == 0 ? remove(Self.bits(object)) : insert(Self.bits(object), newValue) }
    }

    private mutating func insert(_ key: UInt, _ name: UInt64) {
        if (count + 1) * 3 > (mask + 1) * 2 { resize((mask + 1) * 2) }
        guard let entries else { return }
        var index = start(key)
        while entries[index].key != 0, entries[index].key != key { index = (index + 1) & mask }
        if entries[index].key == 0 { count += 1 }
        entries[index] = (key, name)
    }

    private mutating func remove(_ key: UInt) {
        guard let entries else { return }
        var index = start(key)
        while entries[index].key != key {
            if entries[index].key == 0 { return }
            index = (index + 1) & mask
        }
        // Move the following entries up, so that none is cut off from where it is looked for.
        var hole = index
        while true {
            index = (index + 1) & mask
            guard entries[index].key != 0 else { break }
            if (index - start(entries[index].key)) & mask >= (index - hole) & mask {
                entries[hole] = entries[index]
                hole = index
            }
        }
        entries[hole] = (0, 0)
        count -= 1
        if count * 8 < mask + 1, mask > 1023 { resize((mask + 1) / 2) }
    }

    private mutating func resize(_ wanted: Int) {
        let old = entries, oldCount = mask + 1
        let capacity = max(1024, wanted)
        let new = UnsafeMutablePointer<(key: UInt, name: UInt64)>.allocate(capacity: capacity)
        new.initialize(repeating: (0, 0), count: capacity)
        entries = new
        mask = capacity - 1
        for index in 0..<oldCount {
            guard let entry = old?[index], entry.key != 0 else { continue }
            var slot = start(entry.key)
            while new[slot].key != 0 { slot = (slot + 1) & mask }
            new[slot] = entry
        }
        old?.deallocate()
    }
}
