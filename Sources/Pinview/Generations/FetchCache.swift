import PinviewGenerations
import PinviewModel
import PinviewStore

/// Results of fetches at one generation, by ``FetchKey``: the keys of the matching rows in order,
/// or their number.
///
/// A generation never changes, so the same fetch has the same result. The cache is deallocated with
/// the generation.
///
/// It has two halves. What is stored or used goes to the newer one. When that is full, it becomes the
/// older one, and the results that nobody has used since the last time are dropped with the former
/// older half. Finding the one that was used longest ago would take a look at all of them.
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

    private struct Half {
        private(set) var entries: [FetchKey: Contents] = [:]
        private(set) var byteCount = 0

        /// Whether another result of so many bytes would exceed half of the limits.
        func isFull(for more: Int) -> Bool {
            byteCount + more > FetchCache.byteLimit / 2 || entries.count >= FetchCache.entryLimit / 2
        }

        mutating func insert(_ contents: Contents, _ key: FetchKey) {
            byteCount += contents.byteCount - (entries.updateValue(contents, forKey: key)?.byteCount ?? 0)
        }

        mutating func remove(_ key: FetchKey) -> Contents? {
            let removed = entries.removeValue(forKey: key)
            byteCount -= removed?.byteCount ?? 0
            return removed
        }

        mutating func removeAll(storeNumber: Int32) {
            for key in entries.keys where key.storeNumber == storeNumber { _ = remove(key) }
        }
    }

    private let lock = Lock()
    private var newer = Half()
    private var older = Half()

    private func contents(for key: FetchKey) -> Contents? {
        let (found, dropped) = lock.withLock { () -> (Contents?, [Half]) in
            if let known = newer.entries[key] { return (known, []) }
            guard let known = older.remove(key) else { return (nil, []) }
            return (known, insert(known, key))
        }
        withExtendedLifetime(dropped) {}
        return found
    }

    /// - Returns: what is to be released without the lock held.
    private func insert(_ contents: Contents, _ key: FetchKey) -> [Half] {
        var dropped: [Half] = []
        if newer.isFull(for: contents.byteCount) {
            dropped.append(older)
            (older, newer) = (newer, Half())
        }
        newer.insert(contents, key)
        // A single result can take more than half of the bytes.
        if newer.byteCount + older.byteCount > Self.byteLimit {
            dropped.append(older)
            older = Half()
        }
        return dropped
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
        let dropped = lock.withLock { insert(contents, key) }
        withExtendedLifetime(dropped) {}
    }

    /// Removes the results of a store that leaves the coordinator.
    func removeAll(storeNumber: Int32) {
        lock.withLock {
            newer.removeAll(storeNumber: storeNumber)
            older.removeAll(storeNumber: storeNumber)
        }
    }
}
