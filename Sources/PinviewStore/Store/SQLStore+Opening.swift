import CSQLite
import FoundationEssentials
import Glibc
import PinviewGenerations
import PinviewModel

extension SQLStore {
    /// Opens a store; a file that does not exist or is empty gets the model's tables.
    ///
    /// - Parameter configuration: the part of the model that the store holds; nil for all of it.
    /// - Throws: 134080 if it cannot be opened as a store, 134100 if it was made with another model, `invalidArgument` for a
    ///   configuration that the model does not have.
    package static func open(
        _ location: Location, model: ManagedObjectModel, configuration: String? = nil, options: StoreOptions = StoreOptions()
    ) throws(PinviewError) -> SQLStore {
        guard let held = model.entities(forConfiguration: configuration) else {
            throw PinviewError(
                .invalidArgument,
                "The model has no configuration \((configuration ?? "").quotedForPeople). It has: "
                    + model.configurations.keys.sorted().joined(separator: ", ") + ".")
        }
        var waited = 0.0
        while true {
            do throws(PinviewError) {
                return try openOnce(location, model: model, held: held, configuration: configuration, options: options)
            } catch {
                // Turning to WAL mode takes the file alone, and SQLite does not wait for that: others that open it just now get in the way.
                guard Self.isBusy(error), waited < options.busyTimeout else { throw error }
                usleep(20_000)
                waited += 0.02
            }
        }
    }

    private static func isBusy(_ error: PinviewError) -> Bool {
        let code = (error.sqliteCode ?? 0) & 0xFF
        return code == SQLITE_BUSY || code == SQLITE_LOCKED || code == SQLITE_PROTOCOL
    }

    private static func openOnce(
        _ location: Location, model: ManagedObjectModel, held: [Entity], configuration: String?, options: StoreOptions
    ) throws(PinviewError) -> SQLStore {
        let file = try openFile(location, options: options)
        do {
            let opening = StoreOpening(file: file, location: location, model: model, held: held, options: options)
            let (contents, schema) = try opening.run()
            return SQLStore(
                file: file, schema: schema, location: location, identifier: contents.identifier, configuration: configuration,
                isReadOnly: options.isReadOnly, tracksHistory: options.tracksHistory, postsRemoteChanges: options.postsRemoteChanges)
        } catch {
            file.close()
            throw StoreOpening.error(error, location)
        }
    }

    private static func openFile(_ location: Location, options: StoreOptions) throws(PinviewError) -> StoreFile {
        var fileOptions = StoreFileOptions()
        fileOptions.isReadOnly = options.isReadOnly
        fileOptions.journalMode = options.journalMode
        fileOptions.synchronous = StoreFileOptions.Synchronous(rawValue: options.synchronous) ?? .normal
        fileOptions.busyTimeout = options.busyTimeout
        fileOptions.journalBudget = options.journalBudget
        fileOptions.journalObserver = options.journalObserver
        fileOptions.initialPragmas = ["PRAGMA page_size=4096", "PRAGMA auto_vacuum=2"]
        // A database of another program is refused, and stays as it was.
        fileOptions.mayChange = { connection throws(SQLiteError) in
            let tables = try connection.value("SELECT count(*) || ' ' || total(name = 'Z_METADATA') FROM sqlite_master")
            return tables?.hasPrefix("0 ") ?? true || tables?.hasSuffix(" 0.0") == false
        }
        fileOptions.configure = { [cacheSize = options.cacheSize] connection throws(SQLiteError) in
            if let cacheSize { try connection.execute("PRAGMA cache_size=\(cacheSize)") }
            try SQLFunctions.register(on: connection)
        }
        do {
            switch location {
            case .file(let path):
                guard !path.utf8.contains(0), !path.isEmpty else {
                    throw PinviewError(.persistentStoreOpen, "A store cannot be opened at the path \(path.quotedForPeople).")
                        .with(affectedStores: [path])
                }
                return try StoreFile.open(path: path, options: fileOptions)
            case .inMemory: return try StoreFile.openInMemory(options: fileOptions)
            }
        } catch {
            throw StoreOpening.error(error, location)
        }
    }

    // MARK: Metadata

    /// The metadata of a store file, without a model.
    package static func metadata(ofStoreAt path: String) throws(PinviewError) -> [String: PropertyListValue] {
        var options = StoreOptions()
        options.isReadOnly = true
        let location = Location.file(path: path)
        let file = try openFile(location, options: options)
        defer { file.close() }
        do {
            return try file.readNewest { connection in
                guard case .store(let contents) = try StoreContents.state(connection) else {
                    throw StoreContentsError(description: "it has no table Z_METADATA")
                }
                return contents.metadata
            }
        } catch {
            throw StoreOpening.error(error, location)
        }
    }

    /// The model with which a store file was made, as it stands in the file.
    package static func model(ofStoreAt path: String) throws(PinviewError) -> ManagedObjectModel {
        guard let text = try metadata(ofStoreAt: path)[MetadataKey.model]?.stringValue else {
            throw PinviewError(
                .persistentStoreOpen, "\(StoreName(.file(path: path))) holds no model that Pinview can read. Open it with its model."
            ).with(affectedStores: [path])
        }
        return try ManagedObjectModel(json: parseJSON(text))
    }

    /// The metadata as they are in the store now: the library's own entries and the application's.
    package func metadata() throws(PinviewError) -> [String: PropertyListValue] {
        try read(at: nil) { try StoreContents.readMetadata($0).metadata }
    }

    /// Writes entries of the application. Entries that are not given stay, and so do the library's own.
    package func setMetadata(_ metadata: [String: PropertyListValue]) throws(PinviewError) {
        _ = try write { connection in
            var merged = try StoreContents.readMetadata(connection).metadata
            for (key, value) in metadata where !MetadataKey.reserved.contains(key) { merged[key] = value }
            let statement = try connection.statement("UPDATE Z_METADATA SET Z_PLIST = ?")
            let bytes = PropertyListValue.dictionary(merged).binaryPropertyList()
            try bytes.withUnsafeBytes { try statement.bind(1, blob: $0) }
            try statement.run()
        }
    }
}

/// The steps of opening a store.
struct StoreOpening {
    let file: StoreFile
    let location: SQLStore.Location
    let model: ManagedObjectModel
    let held: [Entity]
    let options: StoreOptions

    private var name: StoreName { StoreName(location) }

    private var path: String? {
        if case .file(let path) = location { return path }
        return nil
    }

    func run() throws -> (StoreContents, StoreSchema) {
        var state = try file.readNewest { try StoreContents.state($0) }
        if case .empty = state {
            guard !options.isReadOnly else { throw StoreContentsError(description: "it is empty, and read-only it cannot be given tables") }
            try createUnlessDone()
            state = try file.readNewest { try StoreContents.state($0) }
        }
        guard case .store(let contents) = state else {
            throw StoreContentsError(description: "it is an SQLite database of another kind: it has no tables Z_METADATA and Z_PRIMARYKEY")
        }
        let schema = try schema(for: contents)
        if options.tracksHistory { try prepareHistory() }
        return (contents, schema)
    }

    private func prepareHistory() throws {
        if try file.readNewest({ try HistorySchema.exists($0) && (options.isReadOnly || HistorySchema.hasOwnTables($0)) }) { return }
        guard !options.isReadOnly else {
            throw StoreContentsError(description: "it keeps no history, and read-only it cannot begin to")
        }
        let transaction = try file.beginWrite()
        try HistorySchema.create(transaction.connection)
        _ = try transaction.commit()
    }

    // MARK: Creating

    /// Another process may be creating the same store: the transaction decides who comes first.
    private func createUnlessDone() throws {
        let transaction = try file.beginWrite()
        let connection = transaction.connection
        guard case .empty = try StoreContents.state(connection) else { return transaction.rollback() }
        let names = SchemaNames(model: model, numbers: newNumbers)
        for statement in names.creationStatements() { try connection.execute(statement) }
        let insertion = try connection.statement("INSERT INTO Z_PRIMARYKEY (Z_ENT, Z_NAME, Z_SUPER, Z_MAX) VALUES (?, ?, ?, 0)")
        for row in names.primaryKeyRows() {
            try insertion.bind(1, Int64(row.number))
            try insertion.bind(2, row.name)
            try insertion.bind(3, Int64(row.parent))
            try insertion.run()
        }
        try insertMetadata(connection)
        _ = try transaction.commit()
    }

    private func insertMetadata(_ connection: Connection) throws {
        var metadata = options.metadata
        metadata.merge(MetadataKey.initial(model: model, held: held, isInMemory: path == nil)) { _, own in own }
        let statement = try connection.statement("INSERT INTO Z_METADATA (Z_VERSION, Z_UUID, Z_PLIST) VALUES (1, ?, ?)")
        try statement.bind(1, UUID().uuidString)
        try PropertyListValue.dictionary(metadata).binaryPropertyList().withUnsafeBytes { try statement.bind(2, blob: $0) }
        try statement.run()
    }

    /// The hierarchies of the configuration's entities, whole: they share tables.
    private var newNumbers: EntityNumbers {
        let roots = Set(held.map(\.rootIndex))
        var numbers: [Int32] = []
        var last: Int32 = 0
        for entity in model.entities {
            if roots.contains(entity.rootIndex) { last += 1 }
            numbers.append(roots.contains(entity.rootIndex) ? last : 0)
        }
        return EntityNumbers(numbers: numbers)
    }

    // MARK: Matching the model

    private func schema(for contents: StoreContents) throws -> StoreSchema {
        if contents.metadata[MetadataKey.model] != nil {
            let differing = differingEntities(contents.metadata[MetadataKey.versionHashes]?.dictionaryValue ?? [:])
            guard differing.isEmpty else {
                throw incompatible("These entities differ: \(differing.joined(separator: ", ")).")
            }
        }
        let roots = Set(held.map(\.rootIndex))
        let numbers = EntityNumbers(
            numbers: model.entities.map { roots.contains($0.rootIndex) ? contents.numbers[$0.name] ?? 0 : 0 })
        let absent = held.filter { !numbers.has(entityIndex: $0.index) }
        guard absent.isEmpty else {
            throw incompatible("It does not have these entities: \(absent.map(\.name).joined(separator: ", ")).")
        }
        var names = SchemaNames(model: model, numbers: numbers)
        if names.hasNumberedNames, let stored = try StoreContents.storedModel(contents.metadata) {
            names = SchemaNames(model: model, numbers: numbers, order: StoreContents.declaredOrder(of: stored))
        }
        let missing = names.match(contents.tables)
        guard missing.isEmpty else {
            throw incompatible("It lacks: \(missing.prefix(10).joined(separator: ", "))\(missing.count > 10 ? " and more" : "").")
        }
        return StoreSchema(names: names, heldEntities: held, externalData: path.map(ExternalDataDirectory.init))
    }

    /// The names of entities that the model and the store do not have in the same form.
    private func differingEntities(_ hashes: [String: PropertyListValue]) -> [String] {
        let heldNames = Set(held.map(\.name))
        let changed = held.filter { hashes[$0.name]?.dataValue != $0.versionHash }.map(\.name)
        return changed + hashes.keys.filter { !heldNames.contains($0) }.sorted()
    }

    private func incompatible(_ what: String) -> PinviewError {
        PinviewError(
            .persistentStoreIncompatibleVersionHash,
            "\(name) was made with another model. \(what) Open it with the model it was made with."
        ).with(affectedStores: name.affected)
    }

    static func error(_ error: any Error, _ location: SQLStore.Location) -> PinviewError {
        let name = StoreName(location)
        guard let error = error as? StoreContentsError else { return PinviewError(any: error, while: .opening, store: name) }
        return PinviewError(.persistentStoreOpen, "\(name) cannot be opened as a store: \(error.description).")
            .with(affectedStores: name.affected)
    }
}
