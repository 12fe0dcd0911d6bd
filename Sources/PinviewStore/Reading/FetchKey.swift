import PinviewModel

/// The cache key of a fetch in one store: the statement and its values.
package struct FetchKey: Hashable, Sendable {
    package let storeNumber: Int32
    private let shape: FetchShape?
    /// The last one is the text of a statement without a common shape.
    private let bindings: [StoredCell]

    /// Fetches with more values are unlikely to be repeated.
    private static let bindingLimit = 256

    /// - Returns: nil for a fetch that is unlikely to be repeated.
    fileprivate init?(_ fetch: StoreFetch, _ result: FetchSQL.Result, _ store: SQLStore) throws(PinviewError) {
        storeNumber = store.number
        var bindings: [StoredCell] = []
        shape = FetchShape(fetch, result, store, bindings: &bindings)
        if shape == nil {
            let sql = try FetchSQL(fetch, store: store).select(result)
            bindings = sql.bindings + [.text(sql.text)]
        }
        guard bindings.count <= Self.bindingLimit else { return nil }
        self.bindings = bindings
    }
}

extension SQLStore {
    /// The cache key for the keys of the matching rows, or for their number; nil for a fetch that
    /// is unlikely to be repeated.
    package func cacheKey(of fetch: StoreFetch, isCount: Bool = false) throws(PinviewError) -> FetchKey? {
        try FetchKey(fetch, isCount ? .count : .references, self)
    }
}
