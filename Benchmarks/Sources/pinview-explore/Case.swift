import Pinview
import RawSQLite

/// A store, and random choices for one kind of work.
final class Case {
    let schema: ExploredSchema
    let coordinator: PersistentStoreCoordinator
    let sql: Connection
    let rows: Int
    var chance: SeededGenerator
    let entity: ExploredSchema.Entity
    /// Attributes of types that both sides sum in the same way.
    let attributes: [ExploredSchema.Attribute]

    init(schema: ExploredSchema, coordinator: PersistentStoreCoordinator, sql: Connection, rows: Int, chance: SeededGenerator) throws {
        self.schema = schema
        self.coordinator = coordinator
        self.sql = sql
        self.rows = rows
        var chance = chance
        guard let entity = schema.entities.randomElement(using: &chance) else { throw ExploreError("the schema has no entity") }
        let plain = entity.attributes.filter { $0.type.hasPrefix("integer") || $0.type == "string" || $0.type == "double" }
        self.entity = entity
        attributes = Array(plain.shuffled(using: &chance).prefix(Int.random(in: 1...3, using: &chance)))
        self.chance = chance
    }

    /// The columns of the attributes, for SELECT.
    var columns: String { attributes.map(\.column).joined(separator: ", ") }
    var columnPlaces: [Int] { Array(attributes.indices) }

    /// A new context, pinned if it is only read.
    func context(isPinned: Bool = true) throws -> ManagedObjectContext {
        let context = ManagedObjectContext(concurrencyType: .privateQueue)
        try context.setPersistentStoreCoordinator(coordinator)
        try context.setQueryGeneration(from: isPinned ? .current : nil)
        return context
    }

    func relation(_ kind: String) throws -> ExploredSchema.Relation {
        guard let relation = schema.relations.filter({ $0.kind == kind }).randomElement(using: &chance) else {
            throw ExploreError("the schema has no relationship of the kind \(kind)")
        }
        return relation
    }

    func randomKeys(_ count: Int) -> [Int64] { Array((1...Int64(rows)).shuffled(using: &chance).prefix(count)) }

    func objectIDs(_ keys: [Int64]) throws -> [ManagedObjectID] {
        let store = coordinator.persistentStores.first?.identifier ?? ""
        return try keys.compactMap {
            try coordinator.managedObjectID(forURIRepresentation: "x-coredata://\(store)/\(entity.name)/p\($0)")
        }
    }

    func key(_ object: ManagedObject) -> Int64 { Int64(object.objectID.uriRepresentation.split(separator: "/p").last ?? "") ?? 0 }

    /// The sum of the attributes of objects, as ``KeptRows/checksum(_:)`` has it.
    func checksum(_ objects: some Sequence<ManagedObject>) throws -> Int64 {
        var sum: Int64 = 0
        for object in objects {
            for attribute in attributes { sum += try object.attributeValue(forKey: attribute.name).summand }
        }
        return sum
    }
}

extension Value {
    /// What it adds to a checksum.
    var summand: Int64 {
        switch self {
        case .integer(let number): number
        case .double(let number): Int64(number)
        case .string(let text): Int64(text.utf8.count)
        default: 0
        }
    }
}

struct ExploreError: Error, CustomStringConvertible {
    let description: String
    init(_ description: String) { self.description = description }
}

/// A kind of work: what is done by hand and through Pinview, which must find the same.
struct Kind {
    let name: String
    /// Done once, on a store that it changes.
    var writes = false
    /// By hand, rows get other versions than the objects know: Pinview does its part first.
    var pinviewFirst = false
    let prepare: (Case) throws -> (byHand: () throws -> Int64, pinview: () throws -> Int64)

    static var all: [Kind] { reading + relationships + writing + changing }
}
