import PinviewGenerations
import PinviewModel

/// Indexes are no part of the version hash: a store gets those of the model when it is opened.
extension StoreMatching {
    /// Whether a store of Pinview's has other indexes than the model. Stores of Core Data keep
    /// theirs.
    func hasOtherIndexes(_ contents: StoreContents) throws -> Bool {
        guard contents.isOwn, try compareHashes(contents).differing.isEmpty else { return false }
        let wanted = Set(try definitions(names(contents)).map { $0.name.uppercased() })
        if !wanted.isSubset(of: contents.indexes) { return true }
        // Only those of entities: others may belong to anybody.
        let others = contents.indexes.subtracting(wanted).filter { $0.hasPrefix("Z_") }
        guard !others.isEmpty, let stored = try StoreContents.storedModel(contents.metadata) else { return false }
        return !Set(definitions(of: stored, contents).map { $0.name.uppercased() }).isDisjoint(with: others)
    }

    /// The tables and columns as they are in the file.
    private func names(_ contents: StoreContents) throws -> SchemaNames {
        var names = SchemaNames(model: model, numbers: numbers(of: model, contents))
        if names.hasNumberedNames, let stored = try StoreContents.storedModel(contents.metadata) {
            names = SchemaNames(model: model, numbers: names.numbers, order: StoreContents.declaredOrder(of: stored))
        }
        _ = names.match(contents.tables)
        return names
    }

    private func numbers(of model: ManagedObjectModel, _ contents: StoreContents) -> EntityNumbers {
        let roots = Set(held.map(\.rootName))
        return EntityNumbers(numbers: model.entities.map { roots.contains($0.rootName) ? contents.number(of: $0) : 0 })
    }

    private func definitions(of stored: ManagedObjectModel, _ contents: StoreContents) -> [IndexDefinition] {
        definitions(SchemaNames(model: stored, numbers: numbers(of: stored, contents), order: StoreContents.declaredOrder(of: stored)))
    }

    /// Those that models declare. The others belong to tables and keys, whose names may differ in
    /// the file.
    private func definitions(_ names: SchemaNames) -> [IndexDefinition] {
        let tables = Set(names.tables.map(\.name))
        return names.indexDefinitions().filter { $0.name.hasPrefix("Z_") && tables.contains($0.table) }
    }

    func updateIndexes(_ connection: Connection, _ contents: StoreContents) throws {
        let definitions = try definitions(names(contents))
        let wanted = Set(definitions.map { $0.name.uppercased() })
        if let stored = try StoreContents.storedModel(contents.metadata) {
            for definition in self.definitions(of: stored, contents)
            where !wanted.contains(definition.name.uppercased()) && contents.indexes.contains(definition.name.uppercased()) {
                try connection.execute("DROP INDEX \(SQLIdentifier.quoted(definition.name))")
            }
        }
        for definition in definitions where !contents.indexes.contains(definition.name.uppercased()) {
            try connection.execute(definition.sql)
        }
        try StoreContents.write(
            model: model, held: held, replacing: try StoreContents.storedModel(contents.metadata), of: contents, isInMemory: path == nil,
            to: connection)
    }
}
