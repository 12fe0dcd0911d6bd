import PinviewGenerations
import PinviewModel

/// What a store file says about itself: identifier, metadata, entity numbers, tables.
struct StoreContents {
    /// `Z_UUID`.
    let identifier: String
    /// `Z_PLIST`.
    let metadata: [String: PropertyListValue]
    /// `Z_ENT` by entity name.
    let numbers: [String: Int32]
    /// `Z_SUPER` by entity name; 0 for none.
    let parents: [String: Int32]
    let tables: ExistingTables
    /// What in the schema would run when its table is used.
    let active: [ActiveSchemaObject]
    /// The statements that made the indexes, by their names in upper case.
    let indexes: [String: String]
    /// SQLite's number of the schema's version: it changes with each change of tables and indexes.
    let schemaVersion: UInt32

    enum State {
        case empty
        /// An SQLite database, but no store.
        case foreign
        case store(StoreContents)
    }

    static func state(_ connection: Connection) throws -> State {
        let objects = try SchemaObjects(connection)
        let tables = objects.tables
        guard !tables.isEmpty else { return .empty }
        guard tables.columns(of: "Z_METADATA") != nil, tables.columns(of: "Z_PRIMARYKEY") != nil else { return .foreign }
        let (identifier, metadata) = try readMetadata(connection)
        let (numbers, parents) = try readNumbers(connection)
        return .store(
            StoreContents(
                identifier: identifier, metadata: metadata, numbers: numbers, parents: parents, tables: tables, active: objects.active,
                indexes: Dictionary(
                    objects.indexes.map { ($0.name.uppercased(), $0.sql) }, uniquingKeysWith: { first, _ in first }),
                schemaVersion: try schemaVersion(connection)))
    }

    static func schemaVersion(_ connection: Connection) throws -> UInt32 {
        UInt32(truncatingIfNeeded: Int(try connection.value("PRAGMA schema_version") ?? "") ?? 0)
    }

    static func readMetadata(_ connection: Connection) throws -> (identifier: String, metadata: [String: PropertyListValue]) {
        let statement = try connection.statement("SELECT Z_UUID, Z_PLIST FROM Z_METADATA ORDER BY Z_VERSION LIMIT 1")
        defer { statement.reset() }
        guard try statement.step() else { throw StoreContentsError(description: "its table Z_METADATA is empty") }
        let identifier = statement.string(0)
        guard identifier.utf8.count == 36 else {
            throw StoreContentsError(description: "its identifier is \(identifier.quotedForPeople), which is not a UUID")
        }
        guard !statement.isNull(1) else { return (identifier, [:]) }
        let bytes = statement.withBytes(1) { Array($0) }
        do {
            guard case .dictionary(let metadata) = try PropertyListValue(binary: bytes) else {
                throw PropertyListError(description: "it is not a dictionary")
            }
            return (identifier, metadata)
        } catch let error as PropertyListError {
            throw StoreContentsError(description: "its metadata are not a property list: \(error.description)")
        }
    }

    /// Changes entries of the application; nil removes one.
    static func change(_ changes: [String: PropertyListValue?], _ connection: Connection) throws {
        if let key = changes.keys.sorted().first(where: { MetadataKey.isReserved($0) }) {
            throw PinviewError(
                .invalidArgument,
                "The metadata key \(key.quotedForPeople) is Core Data's or Pinview's own and cannot be set. Use a key of your own.")
        }
        var merged = try readMetadata(connection).metadata
        for (key, value) in changes { merged[key] = value }
        let statement = try connection.statement(
            "UPDATE Z_METADATA SET Z_PLIST = ? WHERE Z_VERSION = (SELECT min(Z_VERSION) FROM Z_METADATA)")
        let bytes = PropertyListValue.dictionary(merged).binaryPropertyList()
        try bytes.withUnsafeBytes { try statement.bind(1, blob: $0) }
        try statement.run()
    }

    /// The model that the store was made with; nil for a store of Core Data.
    static func storedModel(_ metadata: [String: PropertyListValue]) throws(PinviewError) -> ManagedObjectModel? {
        guard let text = metadata[MetadataKey.model]?.stringValue else { return nil }
        return try StoredModels.model(json: text)
    }

    /// The model that the library has left in a store of Core Data's, if Core Data has not migrated
    /// the store since.
    static func migratedModel(_ metadata: [String: PropertyListValue]) throws -> ManagedObjectModel? {
        guard let text = metadata[MetadataKey.migratedModel]?.stringValue else { return nil }
        let model = try StoredModels.model(json: text)
        let hashes = metadata[MetadataKey.versionHashes]?.dictionaryValue ?? [:]
        let isCurrent = hashes.allSatisfy { name, hash in model.entity(named: name).map { .data($0.versionHash) == hash } ?? false }
        return isCurrent ? model : nil
    }

    /// Notes in a store with which model it is used from now on. Everything else in the metadata
    /// stays.
    ///
    /// A store of Core Data's stays one: only Core Data's own entries change, and the model goes
    /// under a key that does not claim the store.
    static func write(
        model: ManagedObjectModel, held: [Entity], replacing old: ManagedObjectModel?, of contents: StoreContents, isInMemory: Bool,
        to connection: Connection
    ) throws {
        var metadata = try readMetadata(connection).metadata
        var versions = metadata[MetadataKey.formerVersions]?.arrayValue ?? []
        if let old {
            // Of the entities that the store holds: it may hold only a part of its model.
            let names = Set((metadata[MetadataKey.versionHashes]?.dictionaryValue ?? [:]).keys)
            let digest = PropertyListValue.data(ManagedObjectModel.versionDigest(of: old.entities.filter { names.contains($0.name) }))
            if !versions.contains(digest) { versions.append(digest) }
        }
        let current = PropertyListValue.data(ManagedObjectModel.versionDigest(of: held))
        versions.removeAll { $0 == current }
        var entries = MetadataKey.initial(model: model, held: held, isInMemory: isInMemory)
        if !contents.isOwn {
            entries[MetadataKey.migratedModel] = entries.removeValue(forKey: MetadataKey.model)
            for key in [MetadataKey.storeType, MetadataKey.frameworkVersion, MetadataKey.autoVacuumLevel] where metadata[key] != nil {
                entries[key] = nil
            }
        }
        metadata.merge(entries) { _, new in new }
        metadata[MetadataKey.formerVersions] = .array(versions)
        // They belong to the hashes of another model.
        for key in ["NSStoreModelVersionHashesDigest", "NSStoreModelVersionChecksumKey"] { metadata[key] = nil }
        let statement = try connection.statement("UPDATE Z_METADATA SET Z_PLIST = ?")
        try PropertyListValue.dictionary(metadata).binaryPropertyList().withUnsafeBytes { try statement.bind(1, blob: $0) }
        try statement.run()
    }

    /// Whether a store was migrated from such a version of its model to a newer one.
    static func wasMigrated(from held: [Entity], _ metadata: [String: PropertyListValue]) -> Bool {
        let digest = PropertyListValue.data(ManagedObjectModel.versionDigest(of: held))
        return metadata[MetadataKey.formerVersions]?.arrayValue?.contains(digest) ?? false
    }

    /// The names of each entity's properties as a model declares them, inherited ones first.
    static func declaredOrder(of model: ManagedObjectModel) -> [String: [String]] {
        Dictionary(model.entities.map { ($0.name, $0.properties.map(\.name)) }, uniquingKeysWith: { first, _ in first })
    }

    /// The same for the model that a store was created with; nil for a store of Core Data.
    static func recordedOrder(_ connection: Connection) throws -> [String: [String]]? {
        try storedModel(readMetadata(connection).metadata).map(declaredOrder(of:))
    }

    private static func readNumbers(_ connection: Connection) throws -> (numbers: [String: Int32], parents: [String: Int32]) {
        let statement = try connection.statement("SELECT Z_NAME, Z_ENT, Z_SUPER FROM Z_PRIMARYKEY ORDER BY Z_ENT DESC")
        defer { statement.reset() }
        var numbers: [String: Int32] = [:], parents: [String: Int32] = [:]
        while try statement.step() {
            let name = statement.string(0)
            numbers[name] = Int32(clamping: statement.int64(1))
            guard statement.type(2) == .integer || statement.type(2) == .null else {
                throw StoreContentsError(
                    description:
                        "its table Z_PRIMARYKEY has \(statement.string(2).quotedForPeople) in Z_SUPER of the row \(statement.int64(1)), "
                        + "which is no number")
            }
            parents[name] = Int32(clamping: statement.int64(2))
        }
        return (numbers, parents)
    }

    /// The name under which Z_PRIMARYKEY has an entity. Core Data leaves the old name there when it
    /// migrates a store to a model that renames the entity; the version hashes then have the new
    /// one.
    func recordedName(of entity: Entity) -> String {
        guard !isOwn, numbers[entity.name] == nil, let hashes = metadata[MetadataKey.versionHashes]?.dictionaryValue,
            hashes[entity.name] != nil
        else { return entity.name }
        let former = numbers.filter { hashes[$0.key] == nil && $0.value < Self.firstOwnNumber }.keys
        if let name = entity.renamingIdentifier, former.contains(name) { return name }
        // After several renamings the identifier is no longer the name that was recorded first.
        let renamed = hashes.keys.filter { numbers[$0] == nil }
        return former.count == 1 && renamed.count == 1 ? former.first ?? entity.name : entity.name
    }

    /// `Z_ENT` of an entity; 0 if the store does not have it.
    func number(of entity: Entity) -> Int32 { numbers[recordedName(of: entity)] ?? 0 }

    /// The number of the first entity of Core Data's own, such as those of the history.
    static let firstOwnNumber: Int32 = 16000

    /// Whether Pinview made the store.
    var isOwn: Bool { metadata[MetadataKey.model] != nil }
}

/// What is wrong with a store's own tables.
struct StoreContentsError: Error, CustomStringConvertible {
    let description: String
}

/// The keys of a store's metadata that are the library's own; an application cannot change them.
package enum MetadataKey {
    static let storeType = "NSStoreType"
    static let frameworkVersion = "NSPersistenceFrameworkVersion"
    static let versionHashes = "NSStoreModelVersionHashes"
    static let versionHashesVersion = "NSStoreModelVersionHashesVersion"
    static let versionIdentifiers = "NSStoreModelVersionIdentifiers"
    static let autoVacuumLevel = "_NSAutoVacuumLevel"
    /// The model as JSON text: so that a store opens without a model file, and is known to be one
    /// of ours.
    package static let model = "PinviewModel"

    /// The model as JSON text in a store of Core Data's that the library has migrated.
    static let migratedModel = "PinviewMigratedModel"

    /// The digests of the models from which the store was migrated.
    static let formerVersions = "PinviewFormerModelVersions"

    /// Whether a key is not the application's to set.
    static func isReserved(_ key: String) -> Bool {
        reserved.contains(key) || key.hasPrefix("NSStoreModel") || key.hasPrefix("NSPersistence") || key.hasPrefix("_NS")
    }

    private static let reserved: Set<String> = [
        storeType, frameworkVersion, versionHashes, versionHashesVersion, versionIdentifiers, autoVacuumLevel, model, formerVersions,
        migratedModel,
    ]

    /// The metadata of a new store.
    static func initial(model: ManagedObjectModel, held: [Entity], isInMemory: Bool) -> [String: PropertyListValue] {
        let hashes = Dictionary(held.map { ($0.name, PropertyListValue.data($0.versionHash)) }, uniquingKeysWith: { first, _ in first })
        return [
            storeType: .string(isInMemory ? "InMemory" : "SQLite"),
            frameworkVersion: .integer(1340),  // the version of Core Data whose layout this is
            versionHashes: .dictionary(hashes),
            versionHashesVersion: .integer(3),
            versionIdentifiers: .array(model.versionIdentifiers.map { .string($0) }),
            autoVacuumLevel: .string("2"),
            Self.model: .string(model.jsonRepresentation()),
        ]
    }
}
