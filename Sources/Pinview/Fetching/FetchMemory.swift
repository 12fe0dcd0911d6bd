import PinviewGenerations
import PinviewModel
import PinviewStore

/// What fetches at one generation have found: the keys of the rows in order, and counts, by what was asked.
///
/// A generation never changes, so the same question has the same answer. It goes with the generation; the keys of long ago go
/// sooner when there are many.
final class FetchMemory: @unchecked Sendable {  // every stored property is guarded by `lock`
    /// At most that many bytes of keys are kept, and that many answers.
    private static let byteLimit = 8 << 20, answerLimit = 256

    private enum Answer {
        case keys(KeyList)
        case count(Int)

        var byteCount: Int {
            if case .keys(let keys) = self { return keys.byteCount }
            return 0
        }
    }

    private struct Entry {
        var answer: Answer
        var lastUse: UInt64
    }

    private let lock = Lock()
    private var entries: [FetchQuestion: Entry] = [:]
    private var uses: UInt64 = 0
    private var byteCount = 0

    private func answer(_ question: FetchQuestion) -> Answer? {
        lock.withLock {
            guard let index = entries.index(forKey: question) else { return nil }
            uses += 1
            entries.values[index].lastUse = uses
            return entries.values[index].answer
        }
    }

    func keys(_ question: FetchQuestion) -> KeyList? {
        if case .keys(let keys)? = answer(question) { return keys }
        return nil
    }

    func count(_ question: FetchQuestion) -> Int? {
        if case .count(let count)? = answer(question) { return count }
        return nil
    }

    func remember(_ keys: KeyList, for question: FetchQuestion) { remember(.keys(keys), question) }
    func remember(_ count: Int, for question: FetchQuestion) { remember(.count(count), question) }

    private func remember(_ answer: Answer, _ question: FetchQuestion) {
        guard answer.byteCount <= Self.byteLimit else { return }
        let dropped = lock.withLock { () -> [Entry] in
            var dropped: [Entry] = []
            uses += 1
            if let old = entries.updateValue(Entry(answer: answer, lastUse: uses), forKey: question) {
                byteCount -= old.answer.byteCount
                dropped.append(old)
            }
            byteCount += answer.byteCount
            while byteCount > Self.byteLimit || entries.count > Self.answerLimit,
                let oldest = entries.min(by: { $0.value.lastUse < $1.value.lastUse })
            {
                byteCount -= oldest.value.answer.byteCount
                entries[oldest.key] = nil
                dropped.append(oldest.value)
            }
            return dropped
        }
        withExtendedLifetime(dropped) {}
    }

    /// Forgets what a store answered that leaves the coordinator.
    func forget(storeNumber: Int32) {
        lock.withLock {
            for (question, entry) in entries where question.storeNumber == storeNumber {
                byteCount -= entry.answer.byteCount
                entries[question] = nil
            }
        }
    }
}

/// Many primary keys in little memory: runs of neighbours, else four or eight bytes a key.
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
