import BenchmarkSupport
import Pinview
import RawSQLite

extension Cell {
    /// The store that ``ItemStore/prepare(_:)`` made.
    var store: String { path(ItemStore.file) }
}

/// Items with a number and a text, in a store in Core Data's layout that all peers read: the table ZITEM.
enum ItemStore {
    static let file = "items.sqlite"

    static func model() throws -> ManagedObjectModel {
        try ManagedObjectModel(entities: [
            EntityDescription(
                name: "Item",
                attributes: [
                    AttributeDescription(name: "value", attributeType: .integer64, defaultValue: 0),
                    AttributeDescription(name: "text", attributeType: .string),
                ])
        ])
    }

    static func open(_ path: String, options: [String: Value] = [:]) throws -> PersistentStoreCoordinator {
        let coordinator = PersistentStoreCoordinator(managedObjectModel: try model())
        try coordinator.addPersistentStore(type: .sqlite, at: path, options: options)
        return coordinator
    }

    /// Makes the store with as many items as the parameters `rows` and `characters` say.
    static func prepare(_ cell: Cell) throws {
        do {
            let context = try context(try open(cell.store))
            try context.insertNewObject(forEntityName: "Item").setAttributeValue(.string("first"), forKey: "text")
            try context.save()
        }
        raw_fill(cell.store, Int64(try cell.parameter("rows")), Int64(try cell.parameter("characters")))
    }

    static func context(_ coordinator: PersistentStoreCoordinator) throws -> ManagedObjectContext {
        let context = ManagedObjectContext(concurrencyType: .privateQueue)
        try context.setPersistentStoreCoordinator(coordinator)
        return context
    }

    /// The item with key 1.
    static func firstItem(_ context: ManagedObjectContext) throws -> ManagedObject {
        guard let store = context.persistentStoreCoordinator?.persistentStores.first,
            let id = try context.persistentStoreCoordinator?.managedObjectID(
                forURIRepresentation: "x-coredata://\(store.identifier)/Item/p1")
        else { throw BenchmarkError("the store has no first item") }
        return try context.existingObject(with: id)
    }

    /// Reads an item's value anew, at the generation that its context is on now.
    static func freshValue(_ item: ManagedObject, _ context: ManagedObjectContext) throws -> Int64 {
        try context.refresh(item, mergeChanges: false)
        guard case .integer(let value) = try item.attributeValue(forKey: "value") else { throw BenchmarkError("the item has no value") }
        return value
    }
}
