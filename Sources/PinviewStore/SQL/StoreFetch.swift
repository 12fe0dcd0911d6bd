import PinviewModel
import PinviewPredicates

/// What to read from one store.
package struct StoreFetch: Sendable {
    package var entity: Entity
    package var includesSubentities = true
    package var predicate: ResolvedPredicate?
    package var sortDescriptors: [ResolvedSortDescriptor] = []
    /// The maximum number of rows; 0 for no limit.
    package var limit = 0
    /// How many rows to skip first.
    package var offset = 0

    package init(
        entity: Entity, includesSubentities: Bool = true, predicate: ResolvedPredicate? = nil,
        sortDescriptors: [ResolvedSortDescriptor] = [], limit: Int = 0, offset: Int = 0
    ) {
        self.entity = entity
        self.includesSubentities = includesSubentities
        self.predicate = predicate
        self.sortDescriptors = sortDescriptors
        self.limit = limit
        self.offset = offset
    }
}
