/// For each store, the state of it that a context has read last. A context reads few stores, and
/// asks with each save.
struct KnownRanks {
    struct Known {
        fileprivate let store: Int32
        /// The rank of the state.
        fileprivate(set) var rank: UInt64
        /// The rank since which nobody but the context has committed, as far as it knows: a row of
        /// the cache that was read since then is the one of that state, too, since the context's own
        /// saves keep the cache up to date.
        let sinceOthers: UInt64
    }

    private var known: [Known] = []

    var isEmpty: Bool { known.isEmpty }

    subscript(store: Int32) -> Known? { known.first { $0.store == store } }

    /// Notes a state that the context has read, or made by a save.
    mutating func note(_ rank: UInt64, ofStore store: Int32) {
        guard let place = known.firstIndex(where: { $0.store == store }) else {
            return known.append(Known(store: store, rank: rank, sinceOthers: rank))
        }
        known[place].rank = rank
    }
}
