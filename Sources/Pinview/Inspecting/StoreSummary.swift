import FoundationEssentials
import PinviewModel
import PinviewStore

/// What is in a store, for programs that look into stores they do not know: see
/// ``PersistentStoreCoordinator/summary(ofStoreAt:)``.
public struct StoreSummary: Sendable {
    /// The history that a store keeps.
    public struct History: Hashable, Sendable {
        /// The number of transactions.
        public let transactionCount: Int
        /// When the first one was; nil without any.
        public let first: Date?
        /// When the last one was.
        public let last: Date?
    }

    /// The identifier of the store.
    public let identifier: String
    /// The entries of Core Data and of the program. `NSPersistenceFrameworkVersion` and
    /// `NSStoreModelVersionIdentifiers` are among them.
    public let metadata: [String: PropertyListValue]
    /// The model that the store tells: entities with attributes and relationships, version hashes.
    public let model: ManagedObjectModel
    /// The number of objects of each entity, without those of its sub-entities.
    public let counts: [String: Int]
    /// Nil if the store keeps no history.
    public let history: History?
}

extension PersistentStoreCoordinator {
    /// Looks into a store without a model at hand, reading only: its entities, their attributes and
    /// relationships and numbers of objects, its metadata, versions and history. Other programs may
    /// be writing meanwhile; the numbers are of one generation.
    ///
    /// - Throws: 134080 for a file that is no store.
    public static func summary(ofStoreAt path: String) throws(PinviewError) -> StoreSummary {
        let model = try managedObjectModel(ofStoreAt: path)
        let coordinator = PersistentStoreCoordinator(managedObjectModel: model)
        let store = try coordinator.addPersistentStore(type: .sqlite, at: path, options: [StoreOptions.readOnly: true])
        let context = ManagedObjectContext(concurrencyType: .confinement)
        try context.setPersistentStoreCoordinator(coordinator)
        try context.setQueryGeneration(from: .current)
        var counts: [String: Int] = [:]
        for entity in model.entities {
            var request = FetchRequest(entityName: entity.name)
            request.includesSubentities = false
            counts[entity.name] = try context.count(for: request)
        }
        let summary = StoreSummary(
            identifier: store.identifier, metadata: try store.metadata(), model: model, counts: counts,
            history: try StoreSummary.History(context))
        try coordinator.remove(store)
        return summary
    }
}

extension StoreSummary.History {
    fileprivate init?(_ context: ManagedObjectContext) throws(PinviewError) {
        let tables = try context.query("SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = 'ATRANSACTION'")
        guard try tables.next() != nil else { return nil }
        let found = try context.query("SELECT count(*), min(ZTIMESTAMP), max(ZTIMESTAMP) FROM ATRANSACTION").next() ?? []
        guard found.count == 3, case .integer(let count) = found[0] else { return nil }
        self.init(transactionCount: Int(count), first: Self.date(found[1]), last: Self.date(found[2]))
    }

    private static func date(_ seconds: Value) -> Date? {
        switch seconds {
        case .double(let number): Date(timeIntervalSinceReferenceDate: number)
        case .integer(let number): Date(timeIntervalSinceReferenceDate: Double(number))
        default: nil
        }
    }
}

// MARK: For bindings

extension StoreSummary {
    /// Everything as JSON; the header describes it (`pinview_file_summary`).
    package var json: JSONValue {
        var entries = metadata
        entries[MetadataKey.model] = nil  // The model, once more.
        let moments = history.map { history in
            JSONValue.object([
                .init("transactions", .integer(Int64(history.transactionCount))),
                .init("first", history.first.map { Value.date($0).readable } ?? .null),
                .init("last", history.last.map { Value.date($0).readable } ?? .null),
            ])
        }
        return .object([
            .init("identifier", .string(identifier)),
            .init("versionIdentifiers", .array(model.versionIdentifiers.map { .string($0) })),
            .init("metadata", Value.binary(PropertyListValue.dictionary(entries).binaryPropertyList()).readable),
            .init("entities", .array(model.entities.map(json(of:)))), .init("history", moments ?? .null),
        ])
    }

    private func json(of entity: Entity) -> JSONValue {
        let own = entity.properties.filter { $0.declaringEntityName == entity.name && !$0.isTransient }
        return .object([
            .init("name", .string(entity.name)), .init("parent", entity.superentityName.map { .string($0) } ?? .null),
            .init("abstract", .boolean(entity.isAbstract)), .init("count", .integer(Int64(counts[entity.name] ?? 0))),
            .init(
                "attributes",
                .array(
                    own.filter(\.isAttribute).map {
                        .object([
                            .init("name", .string($0.name)), .init("type", .string($0.attributeType.name)),
                            .init("optional", .boolean($0.isOptional)),
                        ])
                    })),
            .init(
                "relationships",
                .array(
                    own.filter(\.isRelationship).map {
                        .object([
                            .init("name", .string($0.name)), .init("destination", .string($0.destinationEntityName)),
                            .init("inverse", $0.inverseName.map { .string($0) } ?? .null), .init("toMany", .boolean($0.isToMany)),
                            .init("ordered", .boolean($0.isOrdered)), .init("deleteRule", .string($0.deleteRule.name)),
                        ])
                    })),
        ])
    }
}
