import PinviewModel

/// What a store is opened as, and whether what is in the file fits that. Nothing here writes.
struct StoreMatching: Sendable {
    let location: SQLStore.Location
    let model: ManagedObjectModel
    let held: [Entity]
    let options: StoreOptions

    private var name: StoreName { StoreName(location) }

    var path: String? {
        if case .file(let path) = location { return path }
        return nil
    }

    /// How the store keeps the model.
    ///
    /// - Throws: 134100 for a store of another model, what is wrong with a damaged one.
    func schema(for contents: StoreContents) throws -> StoreSchema {
        if contents.metadata[MetadataKey.model] != nil {
            let differing = differingEntities(contents.metadata[MetadataKey.versionHashes]?.dictionaryValue ?? [:])
            guard differing.isEmpty else {
                throw incompatible("These entities differ: \(differing.joined(separator: ", ")).")
            }
        }
        let roots = Set(held.map(\.rootIndex))
        let numbers = EntityNumbers(
            numbers: model.entities.map { roots.contains($0.rootIndex) ? contents.numbers[$0.name] ?? 0 : 0 })
        let given = contents.numbers.filter { model.entity(named: $0.key) != nil }
        if let twice = Dictionary(grouping: given, by: \.value).first(where: { $0.value.count > 1 }) {
            throw StoreContentsError(
                description: "it is damaged: its table Z_PRIMARYKEY gives the number \(twice.key) to "
                    + twice.value.map(\.key).sorted().joined(separator: " and to "))
        }
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
        if !options.trustsSchema, let object = contents.active.first(where: { $0.concerns(names) && !isHarmless($0) }) {
            throw untrusted(object)
        }
        return StoreSchema(names: names, heldEntities: held, externalData: path.map(ExternalDataDirectory.init))
    }

    /// Triggers never run in a store that is only read.
    private func isHarmless(_ object: ActiveSchemaObject) -> Bool { object.kind == .trigger && options.isReadOnly }

    private func untrusted(_ object: ActiveSchemaObject) -> PinviewError {
        let place = object.kind == .view || object.kind == .virtualTable ? "" : " on the table \(object.table)"
        return PinviewError(
            .persistentStoreOpen,
            "\(name) cannot be opened as a store: its file has the \(object.kind.rawValue) \(object.name.quotedForPeople)\(place), which Pinview did "
                + "not make and which would run in this program. If you trust whoever made the file, open it with the option "
                + "\(StoreOptions.trustedSchemaKey)" + (object.kind == .trigger ? ", or read-only." : ".")
        ).with(affectedStores: name.affected)
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
}
