import Glibc
import PinviewModel

/// A hash table of the elements of a long IN list. It is built at the first look-up, because most
/// lists are only ever evaluated by a store.
final class ElementTable: @unchecked Sendable {
    private let values: [Value]
    private let options: PredicateOptions
    // Guards `keys`. Allocated, because a mutex must not move.
    private let mutex: UnsafeMutablePointer<pthread_mutex_t>
    private var keys: Set<Value>?
    private let holdsDecimals: Bool

    private static let minimumCount = 16

    /// - Returns: nil if the list is short, or mixes decimals with other numbers, whose equality a
    ///   single key cannot express.
    init?(_ values: [Value], _ options: PredicateOptions) {
        guard values.count >= Self.minimumCount else { return nil }
        let decimals = values.lazy.filter { if case .decimal = $0 { true } else { false } }.count
        let nulls = values.lazy.filter(\.isNull).count
        guard decimals == 0 || decimals + nulls == values.count else { return nil }
        holdsDecimals = decimals > 0
        self.values = values
        self.options = options
        // Last, because an object whose initializer has returned nil is not deinitialized.
        mutex = .allocate(capacity: 1)
        mutex.initialize(to: pthread_mutex_t())
        pthread_mutex_init(mutex, nil)
    }

    deinit {
        pthread_mutex_destroy(mutex)
        mutex.deallocate()
    }

    /// - Returns: nil if the value has to be compared with each element.
    func contains(_ value: Value) -> Bool? {
        if case .decimal = value, !holdsDecimals { return nil }
        if holdsDecimals, value.category == .number {
            guard case .decimal = value else { return nil }
        }
        pthread_mutex_lock(mutex)
        defer { pthread_mutex_unlock(mutex) }
        let known = keys ?? Set(values.lazy.map(key))
        keys = known
        return known.contains(key(value))
    }

    /// The same key for all values that compare equal.
    private func key(_ value: Value) -> Value {
        switch value {
        case .boolean(let flag): .integer(flag ? 1 : 0)
        case .double(let number): Int64(exactly: number).map { .integer($0) } ?? value
        case .string(let text): options.isEmpty ? value : .string(StringMatching.folded(text, options))
        default: value
        }
    }
}
