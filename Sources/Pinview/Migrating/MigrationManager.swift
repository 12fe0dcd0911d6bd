import PinviewGenerations
import PinviewModel
import PinviewPredicates
import PinviewStore

/// The store within a stage of its migration, for the step of the program (`NSMigrationManager`):
/// as it was, and as it is becoming.
///
/// The step changes objects of `destinationContext`; they are saved when it returns. It may save
/// itself, to use less memory: what it saves belongs to the stage's transaction and is committed
/// with it, or not at all. Both contexts end with the step, and their objects become invalid.
public final class MigrationManager: @unchecked Sendable {  // `made` is guarded by `lock`
    /// The old version of the model.
    public let sourceModel: ManagedObjectModel
    /// The new version of the model.
    public let destinationModel: ManagedObjectModel
    /// The objects as they were before the stage, by the names of the old version. It cannot be
    /// saved.
    public let sourceContext: ManagedObjectContext
    /// The objects as the stage has made them so far.
    public let destinationContext: ManagedObjectContext

    private let stores: MigratingStores
    private let coordinators: [PersistentStoreCoordinator]
    private let names: String
    private let lock = ThreadLock()
    /// By entity of the new version: the objects that mappings have made, by URI of the old one.
    private var made: [String: [String: ManagedObjectID]] = [:]

    init(_ stores: MigratingStores, source: String, destination: String) throws(PinviewError) {
        self.stores = stores
        names = "from \(source.quotedForPeople) to \(destination.quotedForPeople)"
        sourceModel = stores.sourceModel
        destinationModel = stores.destinationModel
        let old = PersistentStoreCoordinator(managedObjectModel: stores.sourceModel)
        let new = PersistentStoreCoordinator(managedObjectModel: stores.destinationModel)
        coordinators = [old, new]
        try old.add(stores.source)
        try new.add(stores.destination)
        sourceContext = ManagedObjectContext(concurrencyType: .privateQueue)
        sourceContext.state.adopt(coordinator: old)
        destinationContext = ManagedObjectContext(concurrencyType: .privateQueue)
        destinationContext.state.adopt(coordinator: new)
    }

    // MARK: Objects

    /// The object of the new version that an object of the old one has become, in
    /// `destinationContext`.
    ///
    /// - Parameter entityName: an entity of which a mapping has made objects; nil for the entity
    ///   that the object itself becomes.
    /// - Returns: nil if there is none.
    /// - Throws: `invalidArgument` for an object that is not of `sourceContext`.
    public func destinationInstance(for source: ManagedObject, entityName: String? = nil) throws(PinviewError) -> ManagedObject? {
        try check(source, sourceContext, "sourceContext")
        if let entityName {
            let uri = source.objectID.uriRepresentation
            if let id = lock.withLock({ made[entityName]?[uri] }) { return try destinationContext.object(with: id) }
        }
        guard let (entity, key) = stores.destination(ofKey: source.objectID.key.primaryKey, entity: source.entity),
            entityName.map({ entity.isKind(ofEntityNamed: $0) }) ?? true
        else { return nil }
        return try object(entity, key, stores.destination, destinationContext)
    }

    /// The object of the old version that an object of the new one was, in `sourceContext`.
    ///
    /// - Returns: nil for a new one.
    /// - Throws: `invalidArgument` for an object that is not of `destinationContext`.
    public func sourceInstance(for destination: ManagedObject) throws(PinviewError) -> ManagedObject? {
        try check(destination, destinationContext, "destinationContext")
        let id = destination.objectID
        guard !id.isTemporaryID, let (entity, key) = stores.source(ofKey: id.key.primaryKey, entity: destination.entity) else { return nil }
        return try object(entity, key, stores.source, sourceContext)
    }

    private func check(_ object: ManagedObject, _ context: ManagedObjectContext, _ name: String) throws(PinviewError) {
        guard object.managedObjectContext === context else {
            throw PinviewError(.invalidArgument, "The object \(object.objectID.uriRepresentation) is not an object of \(name).")
        }
    }

    private func object(
        _ entity: Entity, _ key: Int64, _ store: any IncrementalStore, _ context: ManagedObjectContext
    ) throws(PinviewError) -> ManagedObject? {
        let key = ObjectKey(storeNumber: store.number, rootEntity: Int32(entity.rootIndex), primaryKey: key)
        let id = ManagedObjectID(entity: entity, key: key, storeIdentifier: store.identifier)
        do throws(PinviewError) {
            return try context.existingObject(with: id)
        } catch {
            if error.hasCode(.managedObjectReferentialIntegrity) { return nil }
            throw error
        }
    }

    // MARK: Running

    func run(_ mapping: ResolvedMapping, _ step: ((MigrationManager) throws -> Void)?) throws(PinviewError) {
        defer { end() }
        MigrationManagers.shared.add(self)
        do {
            for part in mapping.parts { try apply(part) }
            try step?(self)
            if destinationContext.hasChanges { try destinationContext.save() }
        } catch let error as PinviewError {
            throw error
        } catch {
            throw PinviewError(.migration, "The step of the migration \(names) failed: \(error). The store was not changed.")
        }
    }

    private func end() {
        MigrationManagers.shared.remove(self)
        for coordinator in coordinators {
            for store in coordinator.persistentStores { try? coordinator.remove(store) }
        }
    }

    private static let chunk = 2000

    private func apply(_ part: ResolvedMapping.Part) throws {
        var request = FetchRequest(entityName: part.source)
        request.fetchLimit = Self.chunk
        while true {
            let objects = Array(try sourceContext.fetch(request))
            for object in objects { try apply(part, to: object) }
            try destinationContext.save()
            try keepIDs()
            // Neither context keeps what has been done.
            try destinationContext.reset()
            try sourceContext.reset()
            guard objects.count == Self.chunk else { return }
            request.fetchOffset += Self.chunk
        }
    }

    private var pending: [(entity: String, uri: String, object: ManagedObject)] = []

    private func keepIDs() throws {
        for (entity, uri, object) in pending { lock.withLock { made[entity, default: [:]][uri] = object.objectID } }
        pending = []
    }

    private func apply(_ part: ResolvedMapping.Part, to object: ManagedObject) throws {
        let target: ManagedObject
        if part.makesObjects {
            target = try destinationContext.insertNewObject(forEntityName: part.destination)
            pending.append((part.destination, object.objectID.uriRepresentation, target))
        } else {
            guard let successor = try destinationInstance(for: object) else { return }
            target = successor
        }
        for (property, mapping, expression) in part.values {
            do {
                let value: Value
                if let expression {
                    value = try expression.value(with: object)
                } else if case .function(let function) = mapping {
                    value = try function(object)
                } else {
                    continue
                }
                try target.setAttributeValue(value, forKey: property)
            } catch {
                let text = (error as? PinviewError)?.message ?? "\(error)"
                throw PinviewError(
                    .migration,
                    "The mapping of \(part.destination).\(property) failed for \(object.objectID.uriRepresentation): \(text) "
                        + "The store was not changed."
                ).with(underlyingError: error as? PinviewError)
            }
        }
    }
}

/// The managers whose steps are running, by their contexts. For the C interface.
package final class MigrationManagers: @unchecked Sendable {  // guarded by `lock`
    package static let shared = MigrationManagers()
    private let lock = ThreadLock()
    private var running: [MigrationManager] = []

    func add(_ manager: MigrationManager) { lock.withLock { running.append(manager) } }
    func remove(_ manager: MigrationManager) { lock.withLock { running.removeAll { $0 === manager } } }

    /// The manager of one of its contexts.
    package func manager(of context: ManagedObjectContext?) -> MigrationManager? {
        guard let context else { return nil }
        return lock.withLock { running.first { $0.sourceContext === context || $0.destinationContext === context } }
    }
}

/// How far a migration is.
public struct MigrationProgress: Hashable, Sendable {
    /// From 0 to 1.
    public let fractionCompleted: Double
    /// What was done last, such as `add the column ZNICKNAME to ZPERSON`.
    public let step: String
}
