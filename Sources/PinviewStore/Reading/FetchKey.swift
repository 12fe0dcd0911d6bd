import PinviewModel

/// The cache key of a fetch in one store: the statement and its values.
package struct FetchKey: Hashable, Sendable {
    package let storeNumber: Int32
    let shape: FetchShape?
    /// The last one is the text of a statement without a common shape.
    let bindings: [StoredCell]
    /// The hash of the bindings, which are looked up again and again.
    private let fingerprint: Int

    /// Whether it says all about the fetch: fetches of the same key find the same objects in memory,
    /// too. A statement can leave out unsaved objects that the predicate mentions.
    package var hasShape: Bool { shape != nil }

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
        var hasher = Hasher()
        hasher.combine(bindings)
        fingerprint = hasher.finalize()
    }

    package static func == (left: FetchKey, right: FetchKey) -> Bool {
        left.fingerprint == right.fingerprint && left.storeNumber == right.storeNumber && left.shape == right.shape
            && left.bindings == right.bindings
    }

    package func hash(into hasher: inout Hasher) {
        hasher.combine(shape)
        hasher.combine(fingerprint)
    }
}

extension SQLStore {
    /// The cache key for the keys of the matching rows, or for their number; nil for a fetch that
    /// is unlikely to be repeated.
    package func cacheKey(of fetch: StoreFetch, isCount: Bool = false) throws(PinviewError) -> FetchKey? {
        try FetchKey(fetch, isCount ? .count : .references, self)
    }
}
