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

    var startIndex: Int { 0 }
    var endIndex: Int { count }

    subscript(index: Int) -> Int64 {
        switch storage {
        case .run(let first): first &+ Int64(index)
        case .narrow(let keys): Int64(keys[index])
        case .wide(let keys): keys[index]
        }
    }

    /// The first position of a key within a range of positions.
    func index(of key: Int64, in range: Range<Int>) -> Int? {
        switch storage {
        case .run(let first):
            let distance = key.subtractingReportingOverflow(first)
            return distance.overflow ? nil : Int(exactly: distance.partialValue).flatMap { range.contains($0) ? $0 : nil }
        case .narrow(let keys): return Int32(exactly: key).flatMap { keys[range].firstIndex(of: $0) }
        case .wide(let keys): return keys[range].firstIndex(of: key)
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
