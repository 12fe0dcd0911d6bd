import PinviewGenerations
import PinviewModel

/// Indexes are no part of the version hash: a store gets those of the model when it is opened.
extension StoreMatching {
    /// Whether a store of Pinview's has other indexes than the model, and the names in it, if they
    /// were needed to tell. Stores of Core Data keep their indexes.
    func compareIndexes(_ contents: StoreContents) throws -> (differ: Bool, matched: MatchedNames?) {
        guard contents.isOwn, declaresIndexes || contents.indexes.keys.contains(where: { $0.hasPrefix("Z_") }),
            try compareHashes(contents).differing.isEmpty
        else { return (false, nil) }
        let matched = try matchedNames(contents), definitions = definitions(matched.names)
        if !definitions.allSatisfy({ contents.has($0) }) { return (true, matched) }
        let wanted = Set(definitions.map { $0.name.uppercased() })
        // Only those of entities: others may belong to anybody.
        let others = Set(contents.indexes.keys.filter { $0.hasPrefix("Z_") && !wanted.contains($0) })
        guard !others.isEmpty, let stored = try StoreContents.storedModel(contents.metadata) else { return (false, matched) }
        let known = Set(self.definitions(of: stored, contents).map { $0.name.uppercased() })
        return (!known.isDisjoint(with: others), matched)
    }

    private var declaresIndexes: Bool { model.entities.contains { !$0.indexes.isEmpty || !$0.uniquenessConstraints.isEmpty } }

    func numbers(of model: ManagedObjectModel, _ contents: StoreContents) -> EntityNumbers {
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
        let definitions = try definitions(matchedNames(contents).names)
        let wanted = Set(definitions.map { $0.name.uppercased() })
        let stored = try StoreContents.storedModel(contents.metadata).map { self.definitions(of: $0, contents) } ?? []
        let outdated = stored.filter { !wanted.contains($0.name.uppercased()) } + definitions.filter { !contents.has($0) }
        for definition in outdated where contents.indexes[definition.name.uppercased()] != nil {
            try connection.execute("DROP INDEX \(SQLIdentifier.quoted(definition.name))")
        }
        for definition in definitions where !contents.has(definition) { try connection.execute(definition.sql) }
        try StoreContents.write(
            model: model, held: held, replacing: try StoreContents.storedModel(contents.metadata), of: contents, isInMemory: path == nil,
            to: connection)
    }
}

extension StoreContents {
    /// Whether the file has an index as it should be. Unique ones are compared by their names,
    /// which say everything.
    fileprivate func has(_ definition: IndexDefinition) -> Bool {
        guard let sql = indexes[definition.name.uppercased()] else { return false }
        if definition.constraint != nil || sql == definition.sql { return true }
        return ExistingIndex.meaning(of: sql) == ExistingIndex.meaning(of: definition.sql)
    }
}

extension StoreMatching {
    /// What is active in the tables and not made by Pinview, which makes indexes of expressions for
    /// the model or for the store's own: those consist of columns and operators.
    func othersObject(
        _ names: SchemaNames, _ contents: StoreContents, ignoringTriggers: Bool = false
    ) throws -> ActiveSchemaObject? {
        let objects = contents.active.filter { $0.concerns(names) && !($0.kind == .trigger && ignoringTriggers) }
        guard objects.contains(where: { $0.kind == .index }) else { return objects.first }
        var own = names.indexDefinitions()
        if let stored = try StoreContents.storedModel(contents.metadata) ?? StoreContents.migratedModel(contents.metadata) {
            own += definitions(of: stored, contents)
        }
        let meanings = Set(own.map { ExistingIndex.meaning(of: $0.sql) })
        return objects.first { object in
            guard object.kind == .index, let sql = contents.indexes[object.name.uppercased()] else { return true }
            return !meanings.contains(ExistingIndex.meaning(of: sql))
        }
    }
}
