import PinviewGenerations
import PinviewModel
import Synchronization

/// When and at which state rows were read.
package struct RowOrigin: Sendable {
    /// The rank of the generation; 0 in stores without generations.
    package var rank: UInt64
    /// The clock of generation changes, read before the rows.
    package var stamp: UInt64
    /// Seconds of the monotonic clock.
    package var time: Double

    package init(rank: UInt64 = 0, stamp: UInt64 = 0, time: Double = 0) {
        self.rank = rank
        self.stamp = stamp
        self.time = time
    }
}

/// The rows that a coordinator's contexts have read or written, shared among them (DEC-22).
///
/// A row is kept as long as a context has its object registered (FLT-15). It is tagged with the
/// state it was read at: contexts on a generation only use rows of that generation, unpinned ones
/// only rows that were the newest when they were read, and neither uses rows older than the
/// context's last change of generation (FLT-16, RFR-19).
package final class RowCache: @unchecked Sendable {  // guarded by `lock`, but for what is atomic
    /// Rows of one block that were stored together.
    private struct Batch {
        var block: RowBlock?
        var origin: RowOrigin
        /// How many locations refer to the batch.
        var users = 0

        func isOf(_ other: RowBlock, _ read: RowOrigin) -> Bool {
            block === other && origin.rank == read.rank && origin.stamp == read.stamp && origin.time == read.time
        }
    }

    private typealias Location = RowTable.Location

    /// How many generations of a row are kept besides the newest. A limit is fine, since rows can
    /// be read again at any time.
    private static let olderLimit = 4
    /// How many batches' memory is kept, for programs that repeatedly read and release a row.
    private static let keptBatches = 64

    // Threads that release many objects at the same time take the lock for each of them.
    private let lock = Lock(spins: true)
    @exclusivity(unchecked) private var tables: [(storeNumber: Int32, rootEntity: Int32, table: RowTable)] = []
    /// By number. The first is unused.
    @exclusivity(unchecked) private var batches = [Batch(block: nil, origin: RowOrigin())]
    @exclusivity(unchecked) private var freeBatches: [Int] = []
    /// The number of the batch added last.
    @exclusivity(unchecked) private var latestBatch = 0
    /// Rows of older generations, newest first.
    @exclusivity(unchecked) private var older: [ObjectKey: [Location]] = [:]
    private let clock = Atomic<UInt64>(1)

    /// Advanced when rows used by unpinned contexts may have been replaced: after saves, and when a
    /// newer state of a store has been read. Under `lock`.
    package let newestChanges = ChangeCount()
    /// How many contexts read at a generation of their own. Only for them, rows are kept that are
    /// no longer the newest.
    package let pinnedReaders = Atomic<Int>(0)
    @exclusivity(unchecked) private var newestRanks: [(storeNumber: Int32, rank: UInt64)] = []

    /// Blocks that are no longer used, to be released after the lock.
    private struct DroppedBlocks {
        private var first: RowBlock?
        private var others: [RowBlock] = []

        mutating func append(_ block: RowBlock?) {
            guard let block else { return }
            if first == nil { first = block } else { others.append(block) }
        }
    }

    package init() {}

    deinit { for entry in tables { entry.table.deallocate() } }

    private func noteNewest(_ storeNumber: Int32, _ rank: UInt64) {
        if let known = newestRanks.firstIndex(where: { $0.storeNumber == storeNumber }) {
            guard rank == 0 || newestRanks[known].rank < rank else { return }
            newestRanks[known].rank = rank
        } else {
            newestRanks.append((storeNumber, rank))
        }
        newestChanges.advance()
    }

    /// The clock of generation changes. A context must not use rows stamped before its last change
    /// of generation.
    package var stamp: UInt64 { clock.load(ordering: .acquiring) }

    /// Advances the clock, and returns its new value.
    package func advanceStamp() -> UInt64 { clock.add(1, ordering: .acquiringAndReleasing).newValue }

    // MARK: Tables and batches

    private func knownTable(_ storeNumber: Int32, _ rootEntity: Int32) -> Int? {
        for index in tables.indices where tables[index].rootEntity == rootEntity && tables[index].storeNumber == storeNumber {
            return index
        }
        return nil
    }

    private func table(_ storeNumber: Int32, _ rootEntity: Int32) -> Int {
        if let known = knownTable(storeNumber, rootEntity) { return known }
        tables.append((storeNumber, rootEntity, RowTable()))
        return tables.count - 1
    }

    /// The table and the entry of a key.
    private func find(_ key: ObjectKey) -> (table: Int, index: Int)? {
        guard let table = knownTable(key.storeNumber, key.rootEntity), let index = tables[table].table.index(of: key.primaryKey) else {
            return nil
        }
        return (table, index)
    }

    /// The number of the batch of a block, which has one user more until `endBatch`; nil if there are
    /// too many.
    private func addBatch(_ block: RowBlock, _ origin: RowOrigin) -> Int? {
        if block.rank == 0 { block.rank = origin.rank }
        // The rows of a block that are stored a few at a time share a batch.
        if batches[latestBatch].isOf(block, origin) {
            batches[latestBatch].users += 1
            return latestBatch
        }
        let batch = Batch(block: block, origin: origin, users: 1)
        if let number = freeBatches.popLast() {
            batches[number] = batch
            latestBatch = number
        } else {
            guard batches.count < Location.blockLimit else { return nil }
            batches.append(batch)
            latestBatch = batches.count - 1
        }
        return latestBatch
    }

    /// Removes one location from the users of its batch.
    /// - Returns: the batch's block if that was the last user, to be released after the lock.
    private func dropUser(_ location: Location) -> RowBlock? {
        location == .none ? nil : dropUser(ofBatch: location.block)
    }

    private func dropUser(ofBatch number: Int) -> RowBlock? {
        batches[number].users -= 1
        guard batches[number].users == 0 else { return nil }
        let block = batches[number].block
        batches[number].block = nil
        freeBatches.append(number)
        if freeBatches.count == batches.count - 1, batches.count > Self.keptBatches {
            // Return memory once nothing is cached.
            batches.removeSubrange(1...)
            batches.reserveCapacity(1)
            freeBatches = []
            latestBatch = 0
        }
        return block
    }

    private func snapshot(_ location: Location) -> RowSnapshot? {
        batches[location.block].block.map { RowSnapshot(block: $0, row: Int32(location.row)) }
    }

    private func rank(_ location: Location) -> UInt64 { batches[location.block].origin.rank }

    // MARK: Registering

    /// Counts a context that registers objects with these keys. Each call is paired with one
    /// `unregister` per key.
    package func register(_ keys: [ObjectKey]) { for key in keys { register(key) } }

    package func register(_ key: ObjectKey) {
        lock.lock()
        tables[table(key.storeNumber, key.rootEntity)].table.register(key.primaryKey)
        lock.unlock()
    }

    /// Counts a context whose object with this key is gone. The last one takes the row along.
    package func unregister(_ key: ObjectKey) {
        lock.lock()
        // Rows are released after the lock, since the last user of a block frees it.
        let dropped = removeRegistration(key)
        lock.unlock()
        withExtendedLifetime(dropped) {}
    }

    private func removeRegistration(_ key: ObjectKey) -> (RowBlock?, [RowBlock?]) {
        guard let (table, index) = find(key) else { return (nil, []) }
        var entry = tables[table].table[index]
        if entry.count > 1 {
            entry.addToCount(-1)
            tables[table].table[index] = entry
            return (nil, [])
        }
        let dropped = dropUser(entry.location)
        tables[table].table.remove(at: index)
        return (dropped, older.isEmpty ? [] : older.removeValue(forKey: key)?.map(dropUser) ?? [])
    }

    // MARK: Storing

    /// Keeps rows that were read or written, if some context has registered their keys.
    ///
    /// - Parameters:
    ///   - rank: the rank of the generation at which they were read; 0 in stores without
    ///     generations.
    ///   - isNewest: whether that was the newest state, so that unpinned contexts may use the rows.
    ///   - stamp: the clock before the read began.
    ///   - time: seconds of the monotonic clock.
    ///   - keepsOlder: whether a context may need the rows that these replace.
    package func store(
        _ rows: some Sequence<(ObjectKey, RowSnapshot)>, rank: UInt64, isNewest: Bool, stamp: UInt64, time: Double,
        keepsOlder: Bool = true
    ) {
        let origin = RowOrigin(rank: rank, stamp: stamp, time: time)
        var dropped = DroppedBlocks()
        lock.withLock {
            var batch: (block: RowBlock, number: Int)?
            var isNoted = !isNewest
            for (key, row) in rows {
                if !isNoted { noteNewest(key.storeNumber, rank) }
                isNoted = true
                guard let (table, index) = find(key) else { continue }
                if batch?.block !== row.block {
                    if let batch { endBatch(batch.number, &dropped) }
                    batch = addBatch(row.block, origin).map { (row.block, $0) }
                }
                guard let batch else { continue }
                let location = Location(block: batch.number, row: Int(row.row))
                tables[table].table[index] = keep(location, isNewest, tables[table].table[index], key, keepsOlder, &dropped)
            }
            if let batch { endBatch(batch.number, &dropped) }
        }
        withExtendedLifetime(dropped) {}
    }

    /// Keeps a single row.
    package func store(
        _ row: RowSnapshot, for key: ObjectKey, rank: UInt64, isNewest: Bool, stamp: UInt64, time: Double, keepsOlder: Bool
    ) {
        var dropped = DroppedBlocks()
        lock.lock()
        if isNewest { noteNewest(key.storeNumber, rank) }
        if let (table, index) = find(key), let batch = addBatch(row.block, RowOrigin(rank: rank, stamp: stamp, time: time)) {
            let location = Location(block: batch, row: Int(row.row))
            tables[table].table[index] = keep(location, isNewest, tables[table].table[index], key, keepsOlder, &dropped)
            endBatch(batch, &dropped)
        }
        lock.unlock()
        withExtendedLifetime(dropped) {}
    }

    /// Reserves room for new rows.
    package func makeRoom(forNew count: Int, storeNumber: Int32, rootEntity: Int32) {
        lock.withLock { tables[table(storeNumber, rootEntity)].table.reserve(count) }
    }

    /// The same, and begins to load their slots into the processor's cache.
    package func makeRoom(forNew keys: UnsafeBufferPointer<Int64>, storeNumber: Int32, rootEntity: Int32) {
        lock.lock()
        let number = table(storeNumber, rootEntity)
        tables[number].table.reserve(keys.count)
        let table = tables[number].table
        for key in keys { table.prefetch(key) }
        lock.unlock()
    }

    /// Reserves room for rows, as many of them as may be new.
    package func makeRoom(for count: Int, storeNumber: Int32, rootEntity: Int32) {
        lock.withLock {
            let number = table(storeNumber, rootEntity)
            tables[number].table.reserve(max(0, count - tables[number].table.count))
        }
    }

    /// Registers and keeps rows of a block at once.
    ///
    /// - Parameters:
    ///   - rows: the numbers of the rows in the block; nil for all of them.
    ///   - keys: the keys of the rows.
    ///   - isCounted: for each row, whether the context's object has been registered before.
    package func store(
        _ block: RowBlock, rows: Range<Int>? = nil, _ keys: UnsafePointer<Int64>, storeNumber: Int32, rootEntity: Int32,
        isCounted: UnsafePointer<Bool>, origin: RowOrigin, isNewest: Bool, keepsOlder: Bool = true
    ) {
        var dropped = DroppedBlocks()
        lock.lock()
        if isNewest { noteNewest(storeNumber, origin.rank) }
        let firstRow = rows?.lowerBound ?? 0, count = rows?.count ?? Int(block.rowCount)
        let batch = addBatch(block, origin)
        let tableNumber = table(storeNumber, rootEntity)
        // From here on, its memory stays in place: the loop bypasses the list of tables.
        tables[tableNumber].table.reserve(count)
        var table = tables[tableNumber].table
        var users = 0
        for row in 0..<count {
            let key = keys[row]
            guard let index = isCounted[row] ? table.index(of: key) : table.register(key), let batch else { continue }
            let entry = table[index]
            let location = Location(block: batch, row: firstRow + row)
            let previous = entry.location
            if isNewest, older.isEmpty, previous == .none || !keepsOlder && rank(previous) <= origin.rank {
                // The usual case.
                var entry = entry
                entry.location = location
                table[index] = entry
                if previous == .none {
                    users += 1
                } else {
                    batches[batch].users += 1
                    if let block = dropUser(previous) { dropped.append(block) }
                }
            } else {
                let key = ObjectKey(storeNumber: storeNumber, rootEntity: rootEntity, primaryKey: key)
                table[index] = keep(location, isNewest, entry, key, keepsOlder, &dropped)
            }
        }
        tables[tableNumber].table = table
        if let batch {
            batches[batch].users += users
            endBatch(batch, &dropped)
        }
        lock.unlock()
        withExtendedLifetime(dropped) {}
    }

    /// The rows of keys at one generation, in the same order, if all of them are cached.
    ///
    /// - Parameter isCounted: for each key, whether the context's object has been registered
    ///   before; the others are registered now.
    package func takeRows(
        _ keys: [Int64], storeNumber: Int32, rootEntity: Int32, atRank rank: UInt64, isCounted: [Bool]
    ) -> [RowSnapshot]? {
        lock.lock()
        defer { lock.unlock() }
        guard let table = knownTable(storeNumber, rootEntity) else { return nil }
        var rows: [RowSnapshot] = []
        rows.reserveCapacity(keys.count)
        for key in keys {
            guard let index = tables[table].table.index(of: key) else { return nil }
            let newest = tables[table].table[index].location
            if newest != .none, self.rank(newest) == rank, let row = snapshot(newest) {
                rows.append(row)
            } else {
                let key = ObjectKey(storeNumber: storeNumber, rootEntity: rootEntity, primaryKey: key)
                guard let row = location(of: key, atRank: rank).flatMap(snapshot) else { return nil }
                rows.append(row)
            }
        }
        for (position, key) in keys.enumerated() where !isCounted[position] { tables[table].table.register(key) }
        return rows
    }

    private func endBatch(_ number: Int, _ dropped: inout DroppedBlocks) {
        if let block = dropUser(ofBatch: number) { dropped.append(block) }
    }

    /// The entry of a key after a row of it was read.
    private func keep(
        _ location: Location, _ isNewest: Bool, _ entry: RowTable.Entry, _ key: ObjectKey, _ keepsOlder: Bool,
        _ dropped: inout DroppedBlocks
    ) -> RowTable.Entry {
        var entry = entry
        let rank = rank(location), previous = entry.location
        // A row of a generation that is not the newest any more is still closer to it than an older
        // one.
        let replacesNewest =
            previous == .none ? isNewest : isNewest && self.rank(previous) == rank || self.rank(previous) < rank
        if replacesNewest {
            batches[location.block].users += 1
            entry.location = location
            // An invalidated row may have been read again because it was still the newest.
            if previous == .none, !older.isEmpty, let same = older[key]?.firstIndex(where: { self.rank($0) == rank }),
                let old = older[key]?.remove(at: same)
            {
                dropped.append(dropUser(old))
            }
            if previous != .none, keepsOlder, self.rank(previous) < rank, self.rank(previous) != 0 {
                keepOlder(previous, key, &dropped)
            } else if let block = dropUser(previous) {
                dropped.append(block)
            }
        } else if previous == .none || self.rank(previous) != rank {
            batches[location.block].users += 1
            keepOlder(location, key, &dropped)
        }
        return entry
    }

    /// Keeps an older row. Takes over the location's share in its batch.
    private func keepOlder(_ location: Location, _ key: ObjectKey, _ dropped: inout DroppedBlocks) {
        let (same, oldest) = add(location, to: &older[key, default: []])
        if let same { dropped.append(dropUser(same)) }
        if let oldest { dropped.append(dropUser(oldest)) }
    }

    /// Adds a location to those of a row, the newest first.
    ///
    /// - Returns: the one of the same rank that it replaces, and the oldest if there are too many
    ///   now.
    private func add(_ location: Location, to locations: inout [Location]) -> (same: Location?, oldest: Location?) {
        let rank = rank(location)
        let same = locations.firstIndex { self.rank($0) == rank }.map { locations.remove(at: $0) }
        locations.insert(location, at: locations.firstIndex { self.rank($0) < rank } ?? locations.endIndex)
        return (same, locations.count > Self.olderLimit ? locations.removeLast() : nil)
    }

    // MARK: Looking up

    private func location(of key: ObjectKey, atRank rank: UInt64) -> Location? {
        guard let (table, index) = find(key) else { return nil }
        let newest = tables[table].table[index].location
        if newest != .none, self.rank(newest) == rank { return newest }
        return older.isEmpty ? nil : older[key]?.first { self.rank($0) == rank }
    }

    /// The row of a key at one generation; nil if it must be read.
    package func row(for key: ObjectKey, atRank rank: UInt64) -> RowSnapshot? {
        lock.lock()
        defer { lock.unlock() }
        return location(of: key, atRank: rank).flatMap(snapshot)
    }

    /// The row of a key for a context that reads the newest state.
    ///
    /// - Parameters:
    ///   - stamp: rows stamped earlier are ignored.
    ///   - earliestTime: rows read earlier are stale (RFR-12); `-infinity` for no limit.
    package func newestRow(for key: ObjectKey, notBefore stamp: UInt64, earliestTime: Double) -> RowSnapshot? {
        lock.lock()
        defer { lock.unlock() }
        guard let (table, index) = find(key) else { return nil }
        let location = tables[table].table[index].location
        guard location != .none else { return nil }
        let origin = batches[location.block].origin
        return origin.stamp >= stamp && origin.time >= earliestTime ? snapshot(location) : nil
    }

    /// When the row of a key at one generation was read, in seconds of the monotonic clock.
    package func readTime(for key: ObjectKey, atRank rank: UInt64) -> Double? {
        lock.withLock { location(of: key, atRank: rank).map { batches[$0.block].origin.time } }
    }

    // MARK: Invalidating

    /// Invalidates rows that were changed or deleted without their new values being known (BAT-09):
    /// contexts on the newest state read them again. Rows of pinned generations stay valid.
    /// - Parameter keepsOlder: whether there may be such contexts.
    package func invalidate(_ keys: [ObjectKey], keepsOlder: Bool = true) {
        var dropped = DroppedBlocks()
        lock.withLock {
            newestChanges.advance()
            for key in keys {
                if let (table, index) = find(key) { demoteNewest(table, index, keepsOlder, &dropped) }
            }
        }
        withExtendedLifetime(dropped) {}
    }

    /// Like `invalidate(_:)`, for all rows of a store or of some of its hierarchies.
    package func invalidateAll(storeNumber: Int32, rootEntity: Int32? = nil) {
        var dropped = DroppedBlocks()
        lock.withLock {
            newestChanges.advance()
            for table in tables.indices
            where tables[table].storeNumber == storeNumber && (rootEntity == nil || tables[table].rootEntity == rootEntity) {
                for index in tables[table].table.indices { demoteNewest(table, index, true, &dropped) }
            }
        }
        withExtendedLifetime(dropped) {}
    }

    private func demoteNewest(_ table: Int, _ index: Int, _ keepsOlder: Bool, _ dropped: inout DroppedBlocks) {
        var entry = tables[table].table[index]
        let newest = entry.location
        guard newest != .none else { return }
        entry.location = .none
        tables[table].table[index] = entry
        if keepsOlder, rank(newest) != 0 {
            let (storeNumber, rootEntity, _) = tables[table]
            keepOlder(newest, ObjectKey(storeNumber: storeNumber, rootEntity: rootEntity, primaryKey: entry.key), &dropped)
        } else if let block = dropUser(newest) {
            dropped.append(block)
        }
    }

    #if DEBUG
        /// Violated invariants, for the tests. `keys` are those of registered objects.
        package func invariantViolations(requiring keys: [ObjectKey]) -> [String] {
            lock.withLock {
                var violations: [String] = []
                for key in keys {
                    guard let (table, index) = find(key) else {
                        violations.append("the row cache has not registered \(key)")
                        continue
                    }
                    let locations = older[key] ?? []
                    if locations.count > Self.olderLimit { violations.append("the row cache keeps \(locations.count) old rows of \(key)") }
                    let newest = tables[table].table[index].location
                    let ranks = (newest == .none || rank(newest) == 0 ? [] : [rank(newest)]) + locations.map(rank)
                    if zip(ranks, ranks.dropFirst()).contains(where: { $0 <= $1 }) {
                        violations.append("the row cache has the generations of \(key) in the order \(ranks)")
                    }
                }
                return violations + batchViolations
            }
        }

        /// Checks the counts of batches, and that their rows have the right keys.
        private var batchViolations: [String] {
            // This check examines everything.
            if tables.reduce(0, { $0 + $1.table.count }) > 2000 { return [] }
            var violations: [String] = []
            var users: [Int: Int] = [:]
            func check(_ location: Location, _ key: Int64) {
                guard location != .none else { return }
                users[location.block, default: 0] += 1
                guard let block = batches[location.block].block else {
                    violations.append("the row cache has a row of \(key) in a block that is gone")
                    return
                }
                if block.primaryKey(row: Int32(location.row)) != key {
                    violations.append("the row cache has another row for the key \(key)")
                }
            }
            for (_, _, table) in tables {
                var count = 0
                for index in table.indices {
                    count += 1
                    check(table[index].location, table[index].key)
                    if table.index(of: table[index].key) != index { violations.append("the row cache does not find \(table[index].key)") }
                    if table[index].count == 0 { violations.append("the row cache keeps \(table[index].key), which nobody has registered") }
                }
                if count != table.count { violations.append("the row cache counts \(table.count) keys, but has \(count)") }
            }
            for (key, locations) in older {
                for location in locations { check(location, key.primaryKey) }
                if find(key) == nil { violations.append("the row cache keeps old rows of \(key), which nobody has registered") }
            }
            for (number, batch) in batches.enumerated().dropFirst() {
                if batch.users != users[number] ?? 0 {
                    violations.append("the row cache counts \(batch.users) rows in a block, but has \(users[number] ?? 0)")
                }
                if batch.block != nil, batch.origin.stamp > stamp {
                    violations.append("the row cache has rows stamped \(batch.origin.stamp), after its clock \(stamp)")
                }
                if (batch.block == nil) != (batch.users == 0) {
                    violations.append("the row cache keeps a block without rows, or rows without")
                }
            }
            return violations
        }
    #endif
}
