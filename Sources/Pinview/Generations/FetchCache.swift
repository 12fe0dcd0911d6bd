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
