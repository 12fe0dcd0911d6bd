import CSQLite
import FoundationEssentials
import Glibc
import PinviewGenerations
import PinviewModel

extension SQLStore {
    /// Opens a store; a file that does not exist or is empty gets the model's tables.
    ///
    /// - Parameter configuration: the part of the model that the store holds; nil for all of it.
    /// - Throws: 134080 if it cannot be opened as a store, 134100 if it was made with another
    ///   model, `invalidArgument` for a configuration that the model does not have.
    package static func open(
        _ location: Location, model: ManagedObjectModel, configuration: String? = nil, options: StoreOptions = StoreOptions()
    ) throws(PinviewError) -> SQLStore {
        let matching = try matching(location, model, configuration, options)
        var waited = 0.0
        while true {
            do throws(PinviewError) {
                return try openReadOnlyIfNeeded(matching)
            } catch {
                // Switching to WAL mode needs exclusive access, for which SQLite does not wait:
                // others that are opening the file get in the way.
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

    private static func matching(
        _ location: Location, _ model: ManagedObjectModel, _ configuration: String?, _ options: StoreOptions
    ) throws(PinviewError) -> StoreMatching {
        guard let matching = StoreMatching(location: location, model: model, configuration: configuration, options: options) else {
            throw PinviewError(
                .invalidArgument,
                "The model has no configuration \((configuration ?? "").quotedForPeople). It has: "
                    + model.configurations.keys.sorted().joined(separator: ", ") + ".")
        }
        return matching
    }

    private static func openReadOnlyIfNeeded(_ matching: StoreMatching) throws(PinviewError) -> SQLStore {
        do {
            do {
                return try openOnce(matching)
            } catch let needed as ReadOnlyNeeded {
                var options = matching.options
                options.isReadOnly = true
                return try openOnce(
                    try self.matching(matching.location, matching.model, matching.configuration, options), readOnlyReason: needed.reason)
            }
        } catch {
            throw StoreOpening.error(error, matching.location)
        }
    }

    private static func openOnce(_ matching: StoreMatching, readOnlyReason: String? = nil) throws -> SQLStore {
        let options = matching.options
        // What cannot be kept current is refused before there is a file.
        try matching.checkDerivedAttributes()
        let externalFiles = matching.path.map { ExternalDataFiles(storePath: $0, isSynchronous: options.synchronous != "off") }
        let file = try openFile(matching.location, options: options, externalFiles) { contents, connection in
            if let needed = matching.needsReadOnly(contents) { throw needed }
            try matching.check(contents, connection)
        }
        do {
            let opening = try StoreOpening(file: file, matching: matching, externalFiles: externalFiles).run()
            if !file.isReadOnly { externalFiles?.open(opening.schema.externalColumns, file) }
            let derived =
                options.isReadOnly
                ? nil
                : try DerivedAttributes(
                    opening.schema, storeNumber: StoreNumbers.number(forIdentifier: opening.contents.identifier))
            return SQLStore(
                file: file, externalFiles: externalFiles, derived: derived, schema: opening.schema,
                schemaCheck: SchemaCheck(contents: opening.contents, name: StoreName(matching.location)), location: matching.location,
                identifier: opening.contents.identifier,
                configuration: matching.configuration, isReadOnly: options.isReadOnly, readOnlyReason: readOnlyReason,
                historyForm: opening.historyForm, tracksHistory: options.tracksHistory, postsRemoteChanges: options.postsRemoteChanges)
        } catch {
            file.refuse()
            throw error
        }
    }

    /// - Parameter fits: whether a store can be opened as it was asked for. One that cannot is left
    ///   as it is.
    private static func openFile(
        _ location: Location, options: StoreOptions, _ externalFiles: ExternalDataFiles? = nil,
        fits: (@Sendable (StoreContents, Connection) throws -> Void)? = nil
    ) throws(PinviewError) -> StoreFile {
        var fileOptions = StoreFileOptions()
        fileOptions.isReadOnly = options.isReadOnly
        fileOptions.isImmutable = options.isImmutable
        fileOptions.journalMode = options.journalMode
        fileOptions.synchronous = StoreFileOptions.Synchronous(rawValue: options.synchronous) ?? .normal
        fileOptions.busyTimeout = options.busyTimeout
        fileOptions.journalBudget = options.journalBudget
        fileOptions.journalObserver = options.journalObserver
        fileOptions.initialPragmas = ["PRAGMA page_size=4096", "PRAGMA auto_vacuum=2"]
        fileOptions.trustsSchema = options.trustsSchema
        // A history that nobody continues does not grow.
        if options.tracksHistory { fileOptions.historySizeSQL = HistorySchema.sizeSQL }
        // What is refused stays as it was: a database of another program, a store of another model.
        // Why it is refused is said later.
        fileOptions.mayChange = { connection throws(SQLiteError) in
            do {
                switch try StoreContents.state(connection) {
                case .empty: return true
                case .foreign: return false
                case .store(let contents):
                    try fits?(contents, connection)
                    return true
                }
            } catch let error as SQLiteError {
                throw error
            } catch {
                return false
            }
        }
        fileOptions.cacheSize = options.cacheSize
        fileOptions.configure = { connection throws(SQLiteError) in
            try SQLFunctions.register(on: connection)
            try ExternalDataFunctions.register(externalFiles, on: connection)
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

    // MARK: Plans

    /// What opening a store with a model would do to it; nil if nothing needs to be done. The store
    /// stays as it is.
    ///
    /// - Parameter rehearses: whether the migration is run and rolled back, which finds problems
    ///   that only the data shows.
    package static func migrationPlan(
        ofStoreAt path: String, to model: ManagedObjectModel, configuration: String? = nil, options: StoreOptions, rehearses: Bool
    ) throws(PinviewError) -> MigrationPlan? {
        let location = Location.file(path: path)
        guard access(path, F_OK) == 0 else {
            throw PinviewError(.persistentStoreOpen, "There is no store at \(path.quotedForPeople).").with(affectedStores: [path])
        }
        var options = options
        options.migrates = true
        let matching = try matching(location, model, configuration, options)
        let file = try openFile(location, options: options) { _, _ in
            throw StoreContentsError(description: "a plan never changes the store")
        }
        defer { file.close() }
        do {
            return try StoreOpening(file: file, matching: matching).plan(rehearsing: rehearses)
        } catch {
            throw StoreOpening.error(error, location)
        }
    }

    // MARK: Metadata

    /// The metadata of a store file, without a model.
    package static func metadata(ofStoreAt path: String) throws(PinviewError) -> [String: PropertyListValue] {
        try withContents(ofStoreAt: path) { contents, _ in contents.metadata }
    }

    /// Changes the metadata of a store file without opening it as a store.
    package static func setMetadata(_ changes: [String: PropertyListValue?], ofStoreAt path: String) throws(PinviewError) {
        let location = Location.file(path: path)
        guard RegularFile.exists(at: path) else {
            throw PinviewError(.persistentStoreOpen, "\(StoreName(location)) does not exist.").with(affectedStores: [path])
        }
        // The journal mode stays as it is.
        let file = try openFile(location, options: StoreOptions()) { _, _ in throw ReadOnlyNeeded(reason: "") }
        defer { file.close() }
        do {
            let transaction = try file.beginWrite()
            do {
                guard case .store = try StoreContents.state(transaction.connection) else {
                    throw StoreContentsError(description: "it has no tables Z_METADATA and Z_PRIMARYKEY")
                }
                try StoreContents.change(changes, transaction.connection)
            } catch {
                transaction.rollback()
                throw error
            }
            _ = try transaction.commitUnpinned()
        } catch {
            throw StoreOpening.error(error, location)
        }
    }

    /// The model with which a store file was made: the library's own, what it left in a store of
    /// Core Data's when it migrated it, Core Data's model cache, or one that is made of the tables.
    package static func model(ofStoreAt path: String) throws(PinviewError) -> ManagedObjectModel {
        let found = try withContents(ofStoreAt: path) { contents, connection in
            (metadata: contents.metadata, cache: try ModelCache.read(connection, contents))
        }
        if let model = try StoreContents.storedModel(found.metadata) { return model }
        // A damaged one does not hide what else the file says.
        if let model = try? StoreContents.migratedModel(found.metadata) { return model }
        guard let cache = found.cache else { return try schemaModel(ofStoreAt: path) }
        do throws(PinviewError) {
            return try ModelCache.model(cache, metadata: found.metadata)
        } catch {
            throw error.with(message: "\(StoreName(.file(path: path))): \(error.message)").with(affectedStores: [path])
        }
    }

    /// A model made of a store's tables alone.
    package static func schemaModel(ofStoreAt path: String) throws(PinviewError) -> ManagedObjectModel {
        try withContents(ofStoreAt: path) { try SchemaModel.model($0, $1) }
    }

    /// Reads a store file without a model, and leaves it and its folder as they were.
    private static func withContents<R>(
        ofStoreAt path: String, _ body: (StoreContents, Connection) throws -> R
    ) throws(PinviewError) -> R {
        var options = StoreOptions()
        options.isReadOnly = true
        let location = Location.file(path: path)
        let file = try openFile(location, options: options)
        defer { file.close() }
        do {
            return try file.readNewest { connection in
                guard case .store(let contents) = try StoreContents.state(connection) else {
                    throw StoreContentsError(description: "it has no tables Z_METADATA and Z_PRIMARYKEY")
                }
                return try body(contents, connection)
            }
        } catch {
            throw StoreOpening.error(error, location)
        }
    }

    /// The metadata as they are in the store now: the library's own entries and the application's.
    package func metadata() throws(PinviewError) -> [String: PropertyListValue] {
        try read(at: nil) { try StoreContents.readMetadata($0).metadata }
    }

    /// Writes entries of the application. Entries that are not given stay, and so do the library's
    /// own.
    package func setMetadata(_ metadata: [String: PropertyListValue]) throws(PinviewError) {
        try changeMetadata(metadata.filter { !MetadataKey.isReserved($0.key) }.mapValues { $0 })
    }

    /// Writes entries of the application; nil removes one. What is not named stays.
    ///
    /// - Throws: `invalidArgument` for a key that is Core Data's or the library's own.
    package func changeMetadata(_ changes: [String: PropertyListValue?]) throws(PinviewError) {
        try write { try StoreContents.change(changes, $0) }
    }

    // MARK: The journal's commits

    /// The states that the journal of an immutable store still holds, the oldest first; none for
    /// other stores.
    package var journalCommits: [StoreFile.JournalCommit] { file.journalCommits }
    package var isImmutable: Bool { file.isImmutable }
}

/// Thrown where a store can be opened, but not for writing.
struct ReadOnlyNeeded: Error {
    /// Continues "it is read-only, because".
    let reason: String
}

/// The steps of opening a store.
struct StoreOpening {
    let file: StoreFile
    let matching: StoreMatching
    var externalFiles: ExternalDataFiles?

    private var options: StoreOptions { matching.options }
    private var model: ManagedObjectModel { matching.model }
    private var held: [Entity] { matching.held }

    func run() throws -> (contents: StoreContents, schema: StoreSchema, historyForm: HistoryForm) {
        var state = try file.readNewest { try StoreContents.state($0) }
        if case .empty = state {
            guard !options.isReadOnly else { throw StoreContentsError(description: "it is empty, and a read-only store cannot get tables") }
            try createUnlessDone()
            state = try file.readNewest { try StoreContents.state($0) }
        }
        guard case .store(let found) = state else {
            throw StoreContentsError(description: "it is an SQLite database of another kind: it has no tables Z_METADATA and Z_PRIMARYKEY")
        }
        if let needed = matching.needsReadOnly(found) { throw needed }
        let (contents, matched) = try migrated(found)
        let schema = try file.readNewest { try matching.schemaOrAdvice(for: contents, $0, matched) }
        return (contents, schema, try historyForm(contents))
    }

    // MARK: Migrating

    /// What opening the store would do to it; nil if nothing but opening it.
    ///
    /// - Parameter rehearses: whether it is done and rolled back, which finds problems that only
    ///   the data shows.
    func plan(rehearsing rehearses: Bool) throws -> MigrationPlan? {
        let transaction = try file.beginWrite()
        defer { transaction.rollback() }
        guard case .store(let contents) = try StoreContents.state(transaction.connection) else {
            throw StoreContentsError(description: "it is not a store")
        }
        guard try matching.differs(from: contents, transaction.connection) else { return nil }
        _ = try matching.canMigrate(contents, transaction.connection)
        let migration = try nextMigration(contents, transaction.connection)
        let plan = try migration.plan(transaction.connection, contents)
        if rehearses { _ = try migration.run(transaction, contents) }
        return plan
    }

    /// Brings a store of another version of the model to this one, if that is wanted.
    ///
    /// - Returns: what the store contains then, and the names in it, if they were needed to tell that
    ///   nothing is to be done.
    private func migrated(_ found: StoreContents) throws -> (StoreContents, StoreMatching.MatchedNames?) {
        if try file.readNewest({ try matching.canMigrate(found, $0) }) {
            // From version to version, each in a transaction of its own.
            for _ in 0...options.stages.versions.count where try !migrate() { break }
        } else {
            if options.isReadOnly { return (found, nil) }
            let (differ, matched) = try matching.compareIndexes(found)
            guard differ else { return (found, matched) }
            try updateIndexes()
        }
        guard case .store(let contents) = try file.readNewest({ try StoreContents.state($0) }) else {
            throw StoreContentsError(description: "another program has emptied it")
        }
        return (contents, nil)
    }

    /// Another process may be migrating the same store: the transaction decides who comes first,
    /// and the other one finds nothing to do.
    ///
    /// - Returns: whether there may be more to do.
    private func migrate() throws -> Bool {
        let transaction = try file.beginWrite()
        let monitor = InterruptCheck.isSet ? ReadMonitor() : nil
        if let monitor { transaction.connection.watch(with: monitor) }
        defer { if monitor != nil { transaction.connection.endWatching() } }
        do {
            guard case .store(let contents) = try StoreContents.state(transaction.connection),
                try matching.canMigrate(contents, transaction.connection)
            else {
                transaction.rollback()
                return false
            }
            let before = try externalNames(transaction.connection, try StoreContents.storedModel(contents.metadata), contents)
            var target = model
            if options.erasesOnModelChange {
                try erase(transaction.connection)
            } else {
                let migration = try nextMigration(contents, transaction.connection)
                _ = try migration.run(transaction, contents)
                target = migration.matching.model
            }
            guard let externalFiles else {
                _ = try transaction.commitUnpinned()
                return target !== model
            }
            let unused = try externalFiles.prepareMigration(before: before, now: try externalNamesNow(transaction.connection, target))
            var isCommitted = false
            defer { externalFiles.didMigrate(dropping: unused, isCommitted: isCommitted, file) }
            _ = try transaction.commitUnpinned()
            isCommitted = true
            return target !== model
        } catch {
            externalFiles?.willRollBack()
            transaction.rollback()
            throw error
        }
    }

    /// The names of the files that rows refer to, by the model that the tables were made for.
    private func externalNames(_ connection: Connection, _ model: ManagedObjectModel?, _ contents: StoreContents) throws -> Set<String> {
        guard let model, Self.hasExternalData(model) else { return [] }
        let numbers = EntityNumbers(numbers: model.entities.map(contents.number(of:)))
        var names = SchemaNames(model: model, numbers: numbers, order: StoreContents.declaredOrder(of: model))
        _ = names.match(contents.tables)
        let schema = StoreSchema(
            names: names, heldEntities: model.entities, externalData: externalFiles?.directory, mayHoldStrays: false)
        return try ExternalDataFiles.names(schema.externalColumns.filter { contents.tables.columns(of: $0.tableName) != nil }, connection)
    }

    private func externalNamesNow(_ connection: Connection, _ model: ManagedObjectModel) throws -> Set<String> {
        guard Self.hasExternalData(model), case .store(let contents) = try StoreContents.state(connection) else { return [] }
        return try externalNames(connection, model, contents)
    }

    private static func hasExternalData(_ model: ManagedObjectModel) -> Bool {
        model.entities.contains { $0.attributes.contains { $0.cellKind == .externalBinary } }
    }

    /// To the next version on the store's way to the model.
    private func nextMigration(_ contents: StoreContents, _ connection: Connection) throws -> StoreMigration {
        let stages = options.stages
        var migration = StoreMigration(matching: matching, fileSize: fileSize)
        guard !stages.stages.isEmpty else { return migration }
        guard let version = try SourceModel(matching: matching, contents: contents).version(connection) else {
            throw migration.unknownVersion()
        }
        guard let (next, stage) = stages.next(after: version), let target = matching.with(stages.versions[next]) else { return migration }
        migration = StoreMigration(matching: target, fileSize: fileSize)
        migration.stage = stage
        return migration
    }

    private var fileSize: Int64 {
        var status = stat()
        guard let path = matching.path, stat(path, &status) == 0 else { return 0 }
        return Int64(status.st_size)
    }

    private func erase(_ connection: Connection) throws {
        let statement = try connection.statement(
            "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite!_%' ESCAPE '!'")
        var tables: [String] = []
        do {
            defer { statement.reset() }
            while try statement.step() { tables.append(statement.string(0)) }
        }
        for table in tables { try connection.execute("DROP TABLE \(SQLIdentifier.quoted(table))") }
        try create(connection)
    }

    /// Makes the indexes that the model has and the store lacks, and drops those that only the
    /// store's own model has.
    private func updateIndexes() throws {
        let transaction = try file.beginWrite()
        do {
            let connection = transaction.connection
            guard case .store(let contents) = try StoreContents.state(connection), try matching.compareIndexes(contents).differ else {
                return transaction.rollback()
            }
            try matching.updateIndexes(connection, contents)
            _ = try transaction.commitUnpinned()
        } catch {
            transaction.rollback()
            throw error
        }
    }

    /// How the store keeps its history, which is begun where it is asked for.
    private func historyForm(_ contents: StoreContents) throws -> HistoryForm {
        let existing = try HistoryForm(contents.tables, isOwn: contents.isOwn)
        let form = existing ?? (contents.isOwn ? .own : .foreign(tombstoneCount: HistoryForm.tombstoneCount(of: model)))
        guard options.tracksHistory else { return form }
        if existing != nil, try options.isReadOnly || !form.isOwn || file.readNewest({ try HistorySchema.hasOwnTables($0) }) { return form }
        guard !options.isReadOnly else {
            throw StoreContentsError(description: "it keeps no history, and a read-only store cannot start one")
        }
        let transaction = try file.beginWrite()
        do {
            try HistorySchema.create(form, transaction.connection)
        } catch {
            transaction.rollback()
            throw error
        }
        _ = try transaction.commitUnpinned()
        return form
    }

    // MARK: Creating

    /// Another process may be creating the same store: the transaction decides who comes first.
    private func createUnlessDone() throws {
        let transaction = try file.beginWrite()
        let connection = transaction.connection
        guard case .empty = try StoreContents.state(connection) else { return transaction.rollback() }
        try create(connection)
        _ = try transaction.commitUnpinned()
    }

    private func create(_ connection: Connection) throws {
        let names = SchemaNames(model: model, numbers: Self.newNumbers(of: model, holding: held))
        for statement in names.creationStatements() { try connection.execute(statement) }
        let insertion = try connection.statement("INSERT INTO Z_PRIMARYKEY (Z_ENT, Z_NAME, Z_SUPER, Z_MAX) VALUES (?, ?, ?, 0)")
        for row in names.primaryKeyRows() {
            try insertion.bind(1, Int64(row.number))
            try insertion.bind(2, row.name)
            try insertion.bind(3, Int64(row.parent))
            try insertion.run()
        }
        try insertMetadata(connection)
    }

    private func insertMetadata(_ connection: Connection) throws {
        var metadata = options.metadata
        metadata.merge(MetadataKey.initial(model: model, held: held, isInMemory: matching.path == nil)) { _, own in own }
        let statement = try connection.statement("INSERT INTO Z_METADATA (Z_VERSION, Z_UUID, Z_PLIST) VALUES (1, ?, ?)")
        try statement.bind(1, UUID().uuidString)
        try PropertyListValue.dictionary(metadata).binaryPropertyList().withUnsafeBytes { try statement.bind(2, blob: $0) }
        try statement.run()
    }

    /// The hierarchies of the configuration's entities, whole: they share tables.
    static func newNumbers(of model: ManagedObjectModel, holding held: [Entity]) -> EntityNumbers {
        let roots = Set(held.map(\.rootIndex))
        var numbers: [Int32] = []
        var last: Int32 = 0
        for entity in model.entities {
            if roots.contains(entity.rootIndex) { last += 1 }
            numbers.append(roots.contains(entity.rootIndex) ? last : 0)
        }
        return EntityNumbers(numbers: numbers)
    }

    static func error(_ error: any Error, _ location: SQLStore.Location) -> PinviewError {
        let name = StoreName(location)
        guard let error = error as? StoreContentsError else { return PinviewError(any: error, while: .opening, store: name) }
        return PinviewError(.persistentStoreOpen, "\(name) cannot be opened as a store: \(error.description).")
            .with(affectedStores: name.affected)
    }
}
