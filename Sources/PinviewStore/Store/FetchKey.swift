import PinviewModel

/// What a fetch asks of one store, to be compared with what another one asks: the statement and its
/// values.
package struct FetchKey: Hashable, Sendable {
    package let storeNumber: Int32
    private let shape: FetchShape?
    /// Of a statement whose shape is no usual one.
    private let text: String
    private let bindings: [StoredCell]

    /// Nobody asks twice with as many values.
    private static let bindingLimit = 256

    /// - Returns: nil for a question that is hardly asked again.
    fileprivate init?(_ fetch: StoreFetch, _ result: FetchSQL.Result, _ store: SQLStore) throws(PinviewError) {
        storeNumber = store.number
        var bindings: [StoredCell] = []
        shape = FetchShape(fetch, result, store, bindings: &bindings)
        if shape != nil {
            text = ""
        } else {
            let sql = try FetchSQL(fetch, store: store).select(result)
            text = sql.text
            bindings = sql.bindings
        }
        guard bindings.count <= Self.bindingLimit else { return nil }
        self.bindings = bindings
    }
}

extension SQLStore {
    /// The question for the keys of the matching rows, or for their number; nil for one that is
    /// hardly asked again.
    package func cacheKey(of fetch: StoreFetch, isCount: Bool = false) throws(PinviewError) -> FetchKey? {
        try FetchKey(fetch, isCount ? .count : .references, self)
    }
}
