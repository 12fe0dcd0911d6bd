import PinviewModel
import PinviewStore

/// The kind of a persistent store (`NSSQLiteStoreType`, `NSInMemoryStoreType`).
public enum StoreType: String, Hashable, Sendable, CaseIterable {
    /// An SQLite file, in WAL mode unless an option says otherwise.
    case sqlite = "SQLite"
    /// Lives in memory, as long as it is on its coordinator. Has no generations.
    case inMemory = "InMemory"
}

/// One store of a coordinator (`NSPersistentStore`). All members may be used from any thread.
public final class PersistentStore: Hashable, Sendable, CustomStringConvertible {
    let store: SQLStore

    init(store: SQLStore) {
        self.store = store
    }

    /// The UUID that is the host part of the URIs of the store's object IDs; kept in the file.
    public var identifier: String { store.identifier }
    public var type: StoreType { store.isInMemory ? .inMemory : .sqlite }
    /// The path of the file as it was given; nil in memory.
    public var path: String? { store.path }
    /// The configuration of the model whose entities the store holds; nil for all of them.
    public var configurationName: String? { store.configurationName }
    public var isReadOnly: Bool { store.isReadOnly }
    /// Whether contexts can be pinned to the store: it is an SQLite file in WAL mode.
    public var supportsQueryGenerations: Bool { store.supportsGenerations }
    /// The journal mode as SQLite names it: `wal`, `delete`, `memory`…
    public var journalMode: String { store.journalMode }
    /// The size of the write-ahead journal file in bytes; 0 where there is none.
    public var journalSize: Int64 { store.journalSize }

    /// Copies the journal into the store's file and empties it, as far as the pins of all processes
    /// allow.
    ///
    /// Nobody needs to call this: the library checkpoints by itself after commits and when pins
    /// end.
    /// - Returns: whether the journal is empty now; false where a pin or another process holds it.
    @discardableResult
    public func checkpoint() throws(PinviewError) -> Bool { try store.checkpoint(truncate: true) }

    public static func == (left: PersistentStore, right: PersistentStore) -> Bool { left === right }
    public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
    public var description: String { "<PersistentStore \(type.rawValue) \(path ?? "in memory")>" }
}
