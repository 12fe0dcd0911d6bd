import BenchmarkRunner
import BenchmarkSupport
import Pinview

/// Models of 10 to 1,000 entities.
let someModels = [
    modelSome("scale-models-1", tiny: 2, quick: 10, full: 10),
    modelSome("scale-models-2", tiny: 4, quick: 100, full: 100),
    modelSome("scale-models-3", tiny: 8, quick: 300, full: 1_000),
]

private func modelSome(_ name: String, tiny: Int, quick: Int, full: Int) -> Workload {
    Workload(
        name, parameters: [Parameter("entities", tiny: tiny, quick: quick, full: full)],
        measures: [
            Measure("create", "create a store for a model of {entities} entities; per entity", .nanoseconds),
            Measure("open", "open a store of {entities} entities with the model it contains, and count; per entity", .nanoseconds),
            Measure("again", "the same when the process already has one open; per entity", .nanoseconds),
        ],
        peers: [Peer("swift", swiftModelSome)], mostRounds: 3)
}

/// Entities with four attributes each, each related to the one before.
private func description(_ number: Int, of count: Int) -> EntityDescription {
    var relationships: [RelationshipDescription] = []
    if number > 0 {
        relationships.append(
            RelationshipDescription(name: "before", destinationEntityName: "Entity\(number - 1)", inverseRelationshipName: "after"))
    }
    if number + 1 < count {
        relationships.append(
            RelationshipDescription(
                name: "after", destinationEntityName: "Entity\(number + 1)", inverseRelationshipName: "before", isToMany: true))
    }
    return EntityDescription(
        name: "Entity\(number)",
        attributes: [
            AttributeDescription(name: "name", attributeType: .string), AttributeDescription(name: "count", attributeType: .integer32),
            AttributeDescription(name: "size", attributeType: .double), AttributeDescription(name: "day", attributeType: .date),
        ], relationships: relationships)
}

private func swiftModelSome(_ cell: Cell) throws {
    let count = try cell.parameter("entities"), path = cell.path("models.sqlite")
    let create = try nanoseconds {
        let model = try ManagedObjectModel(entities: (0..<count).map { description($0, of: count) })
        try Stores.open(path, model)
    }
    cell.measure("create", create / Double(count))
    var opened: [PersistentStoreCoordinator] = []
    for name in ["open", "again"] {
        let time = try nanoseconds {
            let coordinator = try Stores.open(path, try PersistentStoreCoordinator.managedObjectModel(ofStoreAt: path))
            guard try Stores.context(coordinator).count(for: FetchRequest(entityName: "Entity\(count - 1)")) == 0 else {
                throw BenchmarkError("a new store has objects")
            }
            opened.append(coordinator)
        }
        cell.measure(name, time / Double(count))
    }
    withExtendedLifetime(opened) {}
}
