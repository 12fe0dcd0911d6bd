import PinviewModel
import PinviewStore

/// The type of a persistent store (`NSSQLiteStoreType`, `NSInMemoryStoreType`).
public enum StoreType: String, Hashable, Sendable, CaseIterable {
    /// An SQLite file, in WAL mode unless an option says otherwise.
    case sqlite = "SQLite"
    /// In memory, as long as it is on its coordinator. Has no generations.
    case inMemory = "InMemory"
}

/// A store of a coordinator (`NSPersistentStore`). All members may be used on any thread.
public final class PersistentStore: Hashable, Sendable, CustomStringConvertible {
    let store: any IncrementalStore

    init(store: any IncrementalStore) {
        self.store = store
    }

    /// The store's UUID, which is the host part of the URIs of its object IDs. Kept in the file.
    public var identifier: String { store.identifier }
    /// The type of the store.
    public var type: StoreType { store.isInMemory ? .inMemory : .sqlite }
    /// The path of the file as it was given; nil for an in-memory store.
    public var path: String? { store.path }
    /// The model configuration whose entities the store holds; nil for all entities.
    public var configurationName: String? { store.configurationName }
    /// Whether the store cannot be written, by option or because of the file's permissions.
    public var isReadOnly: Bool { store.isReadOnly }
    /// What the model asks for and the store lacks, in the model's order: entities, and properties
    /// with the entity that declares them. Empty unless the store was added with the option
    /// `allowMissing`. Such an entity has no objects, such a property is null or has no members.
    public var missing: [MissingElement] { store.missingElements }

    /// Whether the store lacks an entity of the model.
    ///
    /// - Throws: `unknownEntity` for an entity that is not in the model either.
    public func lacks(entityNamed name: String) throws(PinviewError) -> Bool {
        store.lacks(try store.model.requireEntity(named: name))
    }

    /// Whether the store lacks a property of an entity of the model.
    ///
    /// - Throws: `unknownEntity`, `unknownKey` for what is not in the model either.
    public func lacks(propertyNamed key: String, ofEntityNamed name: String) throws(PinviewError) -> Bool {
        let entity = try store.model.requireEntity(named: name)
        guard let property = entity.property(named: key) else { throw .unknownKey(key, of: entity) }
        return store.lacks(property, of: entity)
    }

    /// Whether contexts can be pinned to the store, which requires an SQLite file in WAL mode.
    public var supportsQueryGenerations: Bool { store.supportsGenerations }
    /// SQLite's name of the journal mode: `wal`, `delete`, `memory`…
    public var journalMode: String { store.journalMode }
    /// The size of the write-ahead journal in bytes; 0 if there is none.
    public var journalSize: Int64 { store.journalSize }

    /// Checkpoints: copies the journal into the store's file and empties it, as far as the pins of
    /// all processes allow.
    ///
    /// Never necessary: the library checkpoints by itself after commits and when pins end.
    /// - Returns: whether the journal is empty now; false if a pin or another process holds it
    ///   back.
    @discardableResult
    public func checkpoint() throws(PinviewError) -> Bool { try store.checkpoint(truncate: true) }

    public static func == (left: PersistentStore, right: PersistentStore) -> Bool { left === right }
    public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
    public var description: String { "<PersistentStore \(type.rawValue) \(path ?? "in memory")>" }
}
