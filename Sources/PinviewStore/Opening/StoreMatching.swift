import PinviewGenerations
import PinviewModel

/// What a store is opened as, and whether what is in the file fits that. Nothing here writes.
final class StoreMatching: Sendable {
    let location: SQLStore.Location
    let model: ManagedObjectModel
    let held: [Entity]
    let options: StoreOptions
    /// The part of the model that the store holds; nil for all of it.
    let configuration: String?

    /// - Returns: nil if the model does not have the configuration.
    init?(location: SQLStore.Location, model: ManagedObjectModel, configuration: String?, options: StoreOptions) {
        guard let held = model.entities(forConfiguration: configuration) else { return nil }
        self.location = location
        self.model = model
        self.held = held
        self.options = options
        self.configuration = configuration
    }

    /// The same store with another version of the model.
    func with(_ version: ManagedObjectModel) -> StoreMatching? {
        StoreMatching(location: location, model: version, configuration: configuration, options: options)
    }

    private var name: StoreName { StoreName(location) }

    var path: String? {
        if case .file(let path) = location { return path }
        return nil
    }

    /// Why the store must not be written to although that was asked for; nil if it may be.
    func needsReadOnly(_ contents: StoreContents) -> ReadOnlyNeeded? {
        guard !options.isReadOnly else { return nil }
        if !options.isWritingWanted, SchemaModel.isMade(model) {
            return ReadOnlyNeeded(
                reason: "its model was derived from its tables, which do not say everything; to write to it anyway, add it with the option "
                    + "\(StoreOptions.readOnly) = false")
        }
        if !contents.isOwn, !options.tracksHistory, contents.tables["ATRANSACTION"] != nil {
            return ReadOnlyNeeded(
                reason: "Core Data keeps a history in it, which would miss what is written now: add it with the option "
                    + StoreOptions.historyTracking)
        }
        return nil
    }

    /// Whether a store was made with another version of the model. Core Data's hashes tell it only
    /// if the model has them, too; otherwise the tables do.
    func differs(from contents: StoreContents, _ connection: Connection) throws -> Bool {
        let (differing, isProven) = try compareHashes(contents)
        if !differing.isEmpty || contents.isOwn || isProven { return !differing.isEmpty }
        do {
            _ = try schema(for: contents, connection)
            return false
        } catch let error as PinviewError where error.hasCode(.persistentStoreIncompatibleVersionHash) {
            return true
        }
    }

    /// Whether the hashes prove that a store was made with this version of the model.
    func isProven(by contents: StoreContents) throws -> Bool {
        let (differing, isProven) = try compareHashes(contents)
        return isProven && differing.isEmpty && !SchemaModel.isMade(model)
    }

    /// Checks that a store can be opened, after a migration if need be.
    func check(_ contents: StoreContents, _ connection: Connection) throws {
        if try canMigrate(contents, connection) { return }
        _ = try schema(for: contents, connection)
    }

    /// Whether opening a store begins with a migration: where it was asked for, and where only
    /// indexes and constraints differ.
    func canMigrate(_ contents: StoreContents, _ connection: Connection) throws -> Bool {
        // A store of Core Data's is left alone unless it is to be migrated.
        guard !options.isReadOnly, contents.isOwn || options.migrates, try differs(from: contents, connection) else { return false }
        if options.erasesOnModelChange, contents.isOwn { return true }
        if options.migrates, !options.allowsOlderModel, try SourceModel(matching: self, contents: contents).isNewer() {
            throw PinviewError(
                .persistentStoreIncompatibleVersionHash,
                "\(name) is newer than the model: it was migrated from this version of the model to a newer one. Open it with the newer model. If "
                    + "the model is the newer one and like an earlier version, give the versions of the model; if the store is to lose what only the "
                    + "newer model has, use the option \(StoreOptions.olderModelKey)."
            ).with(affectedStores: name.affected)
        }
        if options.migrates, options.infersMapping {
            return try contents.isOwn || SourceModel(matching: self, contents: contents).find(connection) != nil
        }
        guard let stored = try StoreContents.storedModel(contents.metadata) else { return false }
        let difference = ModelDifference(from: stored, to: model)
        return difference.hasIndexesOnly && difference.obstacles.isEmpty
    }

    /// The tables and columns of the model as a file has them, and what does not fit.
    struct MatchedNames {
        let names: SchemaNames
        fileprivate let mismatch: SchemaMismatch
    }

    /// - Parameter own: the model that the store was made with, if the store may lack something.
    func matchedNames(_ contents: StoreContents, _ own: StoreOwnModel? = nil) throws -> MatchedNames {
        let numbers = numbers(of: model, contents), additions = columnless(own?.additions(in: held) ?? [])
        var names = SchemaNames(model: model, numbers: numbers, additions: additions)
        if names.hasNumberedNames, let stored = try own?.model ?? StoreContents.storedModel(contents.metadata) {
            names = SchemaNames(model: model, numbers: numbers, order: StoreContents.declaredOrder(of: stored), additions: additions)
        }
        let (differing, isSame) = try compareHashes(contents)
        let mismatch = names.match(
            contents.tables, allowsGaps: options.allowsMissing, findsUnknown: !(isSame && differing.isEmpty))
        return MatchedNames(names: names, mismatch: mismatch)
    }

    /// How the store keeps the model.
    ///
    /// - Parameter matched: the result of ``matchedNames(_:_:)`` for the contents, if it is there
    ///   already.
    /// - Throws: 134100 for a store of another model, what is wrong with a damaged one.
    func schema(for contents: StoreContents, _ connection: Connection, _ matched: MatchedNames? = nil) throws -> StoreSchema {
        let (differing, isSame) = try compareHashes(contents)
        guard differing.isEmpty || options.allowsMissing else {
            throw incompatible("These entities differ: \(differing.joined(separator: ", ")).")
        }
        let isProven = isSame && differing.isEmpty
        let numbers = numbers(of: model, contents)
        if let number = numberGivenTwice(contents) {
            let names = model.entities.filter { contents.number(of: $0) == number }.map(\.name)
            throw StoreContentsError(
                description: "it is damaged: its table Z_PRIMARYKEY gives the number \(number) to "
                    + names.sorted().joined(separator: " and to "))
        }
        let absent = held.filter { !numbers.has(entityIndex: $0.index) }
        guard absent.isEmpty || options.allowsMissing else {
            throw incompatible("It does not have these entities: \(absent.map(\.name).joined(separator: ", ")).")
        }
        let own = options.allowsMissing && !isProven ? try ownModel(contents, connection) : nil
        let matched = try own == nil ? matched ?? matchedNames(contents) : matchedNames(contents, own)
        let names = matched.names, mismatch = matched.mismatch
        var complaints: [String] = []
        let lacking = (options.allowsMissing ? [] : mismatch.missing) + mismatch.incomplete
        if !lacking.isEmpty { complaints.append("It lacks: \(Self.list(lacking)).") }
        let ambiguous = mismatch.ambiguous + (contents.isOwn ? [] : names.elementsInDoubt)
        if !ambiguous.isEmpty { complaints.append("Its tables are ambiguous: \(Self.list(ambiguous)).") }
        if !isProven {
            // A mismatch could hide a mistake: a column taken for that of another property.
            let unknown =
                try unknownEntities(contents, differing)
                + mismatch.unknown.filter { try hasValues($0, connection) }.map { name in
                    name.column.map { "the column \(name.table).\($0)" } ?? "the table \(name.table)"
                }
            let different =
                differences(contents, numbers) + (own?.differences(in: held) ?? []) + misplaced(absent, names) + mismatch.different
            if !unknown.isEmpty { complaints.append("These are not in the model: \(Self.list(unknown)).") }
            if !different.isEmpty { complaints.append("These differ: \(Self.list(different)).") }
        }
        guard complaints.isEmpty else { throw incompatible(complaints.joined(separator: " ")) }
        // Triggers never run in a store that is only read.
        if !options.trustsSchema, let object = try othersObject(names, contents, ignoringTriggers: options.isReadOnly) {
            throw untrusted(object)
        }
        let gaps = options.allowsMissing ? StoreGaps(absent: absent, held: held, names: names) : StoreGaps()
        // Without the store's own model nobody knows which bit of a mask is whose.
        let isHistoryKnown = isProven || own != nil || gaps.isEmpty
        return StoreSchema(
            names: names, heldEntities: held, externalData: path.map(ExternalDataDirectory.init), mayHoldStrays: !contents.isOwn,
            gaps: gaps, historyAdditions: isHistoryKnown ? own?.additions(in: held) ?? [] : nil)
    }

    private func numberGivenTwice(_ contents: StoreContents) -> Int32? {
        let given = model.entities.map(contents.number(of:)).filter { $0 != 0 }.sorted()
        return zip(given, given.dropFirst()).first { $0 == $1 }?.0
    }

    private func untrusted(_ object: ActiveSchemaObject) -> PinviewError {
        let place = object.kind == .view || object.kind == .virtualTable ? "" : " on the table \(object.table)"
        return PinviewError(
            .persistentStoreOpen,
            "\(name) cannot be opened as a store: its file has the \(object.kind.rawValue) \(object.name.quotedForPeople)\(place), which Pinview did "
                + "not make and which would run in this program. If you trust whoever made the file, open it with the option "
                + "\(StoreOptions.trustedSchemaKey)" + (object.kind == .trigger ? ", or read-only." : ".")
        ).with(affectedStores: name.affected)
    }

    static func list(_ items: [String]) -> String {
        items.prefix(10).joined(separator: ", ") + (items.count > 10 ? " and \(items.count - 10) more" : "")
    }

    /// Compares the version hashes of model and store where both have them.
    ///
    /// - Returns: the entities that differ; and whether the hashes prove that the store was made
    ///   with this model.
    func compareHashes(_ contents: StoreContents) throws -> (differing: [String], isProven: Bool) {
        let hashes = contents.metadata[MetadataKey.versionHashes]?.dictionaryValue ?? [:]
        // A model that was made of the tables has what can be told from them.
        if SchemaModel.isMade(model) { return ([], true) }
        guard contents.isOwn || !hashes.isEmpty && held.contains(where: { $0.givenVersionHash != nil }) else { return ([], false) }
        let heldNames = Set(held.map(\.name))
        var stored: ManagedObjectModel?
        var isProven = true
        var differing: [String] = []
        for entity in held {
            let hash = hashes[entity.name]?.dataValue
            if contents.isOwn {
                if hash == entity.versionHash { continue }
                if stored == nil { stored = try StoreContents.storedModel(contents.metadata) }
                if let known = stored?.entity(named: entity.name), isSame(entity, known) { continue }
                differing.append(entity.name)
            } else if let given = entity.givenVersionHash, let hash {
                if hash != given { differing.append(entity.name) }
            } else {
                isProven = false
            }
        }
        differing += hashes.keys.filter { !heldNames.contains($0) }.sorted()
        return (differing, isProven)
    }

    /// One of them has a hash of Core Data's, which the library cannot compute.
    private func isSame(_ entity: Entity, _ stored: Entity) -> Bool {
        (entity.givenVersionHash == nil || stored.givenVersionHash == nil) && entity.ownVersionHash == stored.ownVersionHash
    }

    private func hasValues(_ name: (table: String, column: String?), _ connection: Connection) throws -> Bool {
        let condition = name.column.map { " WHERE \(SQLIdentifier.quoted($0)) IS NOT NULL" } ?? ""
        let statement = try connection.statement("SELECT EXISTS (SELECT 1 FROM \(SQLIdentifier.quoted(name.table))\(condition))")
        defer { statement.reset() }
        return try statement.step() && statement.int64(0) != 0
    }

    /// - Parameter differing: the entities whose hashes differ, or are in one of both only.
    private func unknownEntities(_ contents: StoreContents, _ differing: [String]) -> [String] {
        let known = Set(model.entities.map(contents.recordedName(of:)))
        let heldNames = Set(held.map(\.name))
        let recorded = contents.numbers.filter { $0.value < StoreContents.firstOwnNumber && !known.contains($0.key) }.keys
        return Set(recorded).union(contents.isOwn ? differing.filter { !heldNames.contains($0) } : []).sorted().map { "the entity \($0)" }
    }

    private func differences(_ contents: StoreContents, _ numbers: EntityNumbers) -> [String] {
        model.entities.filter { numbers.has(entityIndex: $0.index) }.compactMap { entity in
            var parent = entity.superentityIndex.map { model.entities[$0] }
            // An entity that the store lacks may stand between the two.
            while options.allowsMissing, let absent = parent, !numbers.has(entityIndex: absent.index) {
                guard absent.superentityIndex != nil else { break }
                parent = absent.superentityIndex.map { model.entities[$0] }
            }
            let actual = contents.parents[contents.recordedName(of: entity)] ?? 0
            guard actual != parent.map({ numbers.number(ofEntityIndex: $0.index) }) ?? 0 else { return nil }
            let actualName = contents.numbers.first { $0.value == actual }?.key
            return "the entity \(entity.name) \(actualName.map { "is a sub-entity of \($0)" } ?? "has no parent"), in the model "
                + (parent.map { "one of \($0.name)" } ?? "it has no parent")
        }
    }

    private var advice: String {
        if options.migrates, !options.isReadOnly {
            return
                "It does not contain that model, so it cannot be migrated as it is: give the versions of the model, or open it with the "
                + "model it was made with."
        }
        return
            "Open it \(options.isReadOnly ? "for writing " : "")with the option \(StoreOptions.migrateAutomatically) to migrate it, or with "
            + "the model it was made with."
    }

    private func incompatible(_ what: String) -> PinviewError {
        PinviewError(
            .persistentStoreIncompatibleVersionHash,
            "\(name) was made with another model. \(what) \(advice)"
        ).with(affectedStores: name.affected)
    }
}
