import PinviewGenerations
import PinviewModel
import PinviewStore

/// Results of fetches at one generation, by ``FetchKey``: the keys of the matching rows in order,
/// or their number.
///
/// A generation never changes, so the same fetch has the same result. The cache is deallocated with
/// the generation. When it grows too large, the results used longest ago are dropped.
final class FetchCache: @unchecked Sendable {  // every stored property is guarded by `lock`
    /// Limits for the bytes of keys and for the number of entries.
    private static let byteLimit = 8 << 20, entryLimit = 256

    private enum Contents {
        case keys(KeyList)
        case count(Int)

        var byteCount: Int {
            if case .keys(let keys) = self { return keys.byteCount }
            return 0
        }
    }

    private struct Entry {
        var contents: Contents
        var lastUse: UInt64
    }

    private let lock = Lock()
    private var entries: [FetchKey: Entry] = [:]
    private var uses: UInt64 = 0
    private var byteCount = 0

    private func contents(for key: FetchKey) -> Contents? {
        lock.withLock {
            guard let index = entries.index(forKey: key) else { return nil }
            uses += 1
            entries.values[index].lastUse = uses
            return entries.values[index].contents
        }
    }

    func keys(_ key: FetchKey) -> KeyList? {
        if case .keys(let keys)? = contents(for: key) { return keys }
        return nil
    }

    func count(_ key: FetchKey) -> Int? {
        if case .count(let count)? = contents(for: key) { return count }
        return nil
    }

    func store(_ keys: KeyList, for key: FetchKey) { store(.keys(keys), key) }
    func store(_ count: Int, for key: FetchKey) { store(.count(count), key) }

    private func store(_ contents: Contents, _ key: FetchKey) {
        guard contents.byteCount <= Self.byteLimit else { return }
        let dropped = lock.withLock { () -> [Entry] in
            var dropped: [Entry] = []
            uses += 1
            if let old = entries.updateValue(Entry(contents: contents, lastUse: uses), forKey: key) {
                byteCount -= old.contents.byteCount
                dropped.append(old)
            }
            byteCount += contents.byteCount
            while byteCount > Self.byteLimit || entries.count > Self.entryLimit,
                let oldest = entries.min(by: { $0.value.lastUse < $1.value.lastUse })
            {
                byteCount -= oldest.value.contents.byteCount
                entries[oldest.key] = nil
                dropped.append(oldest.value)
            }
            return dropped
        }
        withExtendedLifetime(dropped) {}
    }

    /// Removes the results of a store that leaves the coordinator.
    func removeAll(storeNumber: Int32) {
        lock.withLock {
            for (key, entry) in entries where key.storeNumber == storeNumber {
                byteCount -= entry.contents.byteCount
                entries[key] = nil
            }
        }
    }
}

/// A compact list of primary keys: a run of consecutive keys, or four or eight bytes per key.
struct KeyList: Sendable, RandomAccessCollection {
    private enum Storage {
        case run(Int64)
        case narrow(ContiguousArray<Int32>)
        case wide(ContiguousArray<Int64>)
    }

    private let storage: Storage
    let count: Int

    init(_ keys: ContiguousArray<Int64>) {
        count = keys.count
        if let first = keys.first, zip(keys, keys.dropFirst()).allSatisfy({ $1 &- $0 == 1 }) {
            storage = .run(first)
        } else if keys.allSatisfy({ Int64(Int32(truncatingIfNeeded: $0)) == $0 }) {
            storage = .narrow(ContiguousArray(keys.lazy.map { Int32(truncatingIfNeeded: $0) }))
        } else {
            storage = .wide(keys)
        }
    }

    init(of objects: [ManagedObject]) {
        var keys: ContiguousArray<Int64> = []
        keys.reserveCapacity(objects.count)
        objects.forEachUncounted { keys.append($0.primaryKey) }
        self.init(keys)
    }

    var startIndex: Int { 0 }
    var endIndex: Int { count }

    subscript(index: Int) -> Int64 {
        switch storage {
        case .run(let first): first &+ Int64(index)
        case .narrow(let keys): Int64(keys[index])
        case .wide(let keys): keys[index]
        }
    }

    @inline(__always)
    func forEach(_ body: (Int64) -> Void) {
        switch storage {
        case .run(let first): for index in 0..<count { body(first &+ Int64(index)) }
        case .narrow(let keys): for key in keys { body(Int64(key)) }
        case .wide(let keys): for key in keys { body(key) }
        }
    }

    var byteCount: Int {
        switch storage {
        case .run: 0
        case .narrow: count * 4
        case .wide: count * 8
        }
    }
}
