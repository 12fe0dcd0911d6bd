import PinviewGenerations
import PinviewModel

/// Brings a store to another version of its model, in one transaction.
struct StoreMigration {
    let matching: StoreMatching
    /// Bytes of the file, for the plan.
    let fileSize: Int64
    /// What the program adds to what is inferred.
    var stage: MigrationStages.Stage?

    private var name: StoreName { StoreName(matching.location) }
    var options: StoreOptions { matching.options }

    /// The model that a store contains.
    ///
    /// - Throws: `migrationMissingSourceModel` if it contains none that can be read.
    private func sourceModel(_ contents: StoreContents, _ connection: Connection) throws -> ManagedObjectModel {
        if let model = try SourceModel(matching: matching, contents: contents).find(connection) { return model }
        throw PinviewError(
            .migrationMissingSourceModel,
            "\(name) cannot be migrated: it does not hold the model that it was made with, and none of the versions given is that model. Give "
                + "it among the versions."
        ).with(affectedStores: name.affected)
    }

    func unknownVersion() -> PinviewError {
        PinviewError(
            .migrationMissingSourceModel,
            "\(name) cannot be migrated in stages: its model is none of the \(options.stages.versions.count) versions of the model that were "
                + "given. Give all versions whose stores are still in use; the store was not changed."
        ).with(affectedStores: name.affected)
    }

    private func difference(_ contents: StoreContents, _ connection: Connection) throws -> ModelDifference {
        ModelDifference(
            from: try sourceModel(contents, connection), to: matching.model, hints: stage?.hints ?? MappingHints(),
            confirmedRemovals: options.confirmedRemovals.union(stage?.confirmedRemovals ?? []))
    }

    /// What would be done to a store.
    ///
    /// - Throws: 134190 for differences that cannot be settled without help.
    func plan(_ connection: Connection, _ contents: StoreContents) throws -> MigrationPlan {
        let difference = try difference(contents, connection)
        guard difference.obstacles.isEmpty else { throw obstacles(difference) }
        let mapping = difference.mapping
        let numbers = EntityNumbers(numbers: mapping.source.entities.map(contents.number(of:)))
        var old = SchemaNames(
            model: mapping.source, numbers: numbers, order: StoreContents.declaredOrder(of: mapping.source))
        let mismatch = old.match(contents.tables)
        let missing = mismatch.missing + mismatch.ambiguous
        guard missing.isEmpty else {
            throw StoreContentsError(
                description: "it does not have what its own model asks for: \(missing.prefix(10).joined(separator: ", "))")
        }
        if let object = try matching.othersObject(old, contents) {
            throw PinviewError(
                .migration,
                "\(name) cannot be migrated: its file has the \(object.kind.rawValue) \(object.name.quotedForPeople), which Pinview did not make and "
                    + "which the change of tables could break. Drop it, and create it again afterwards."
            ).with(affectedStores: name.affected)
        }
        let matched = old
        let new = SchemaNames(model: matching.model, numbers: StoreOpening.newNumbers(of: matching.model, holding: matching.held))
        var highestOld: [Int: Int64] = [:]
        for table in matched.tables { highestOld[table.rootIndex] = try Self.highestKey(connection, matched, table.rootIndex) }
        let layout = MigrationLayout(old: matched, new: new, mapping: mapping, highestKeys: highestOld)
        var highest: [Int: Int64] = [:]
        for table in new.tables {
            for feeder in layout.feeders[table.rootIndex] ?? [] {
                highest[table.rootIndex] = max(highest[table.rootIndex] ?? 0, (highestOld[feeder.oldRoot] ?? 0) + feeder.offset)
            }
        }
        let steps = try MigrationPlanner(layout: layout, connection: connection, contents: contents).steps(hasProgram: stage?.step != nil)
        return MigrationPlan(
            difference: difference, steps: steps, fileSize: fileSize, new: new, layout: layout, highestKeys: highest)
    }

    private static func highestKey(_ connection: Connection, _ names: SchemaNames, _ root: Int) throws -> Int64 {
        guard let table = names.tables.first(where: { $0.rootIndex == root }) else { return 0 }
        let statement = try connection.statement(
            "SELECT max(ifnull((SELECT max(Z_PK) FROM \(SQLIdentifier.quoted(table.name))), 0), "
                + "ifnull((SELECT max(Z_MAX) FROM Z_PRIMARYKEY WHERE Z_ENT = ?), 0))")
        defer { statement.reset() }
        try statement.bind(1, Int64(names.numbers.number(ofEntityIndex: root)))
        guard try statement.step() else { return 0 }
        return try StoredNumber.counter(statement, 0, table: "Z_PRIMARYKEY", key: 0, name: "Z_MAX")
    }

    private func obstacles(_ difference: ModelDifference) -> PinviewError {
        let texts = difference.obstacles.map(\.description)
        return PinviewError(
            .inferredMappingModel,
            "\(name) cannot be migrated to the model without help; it was not changed. \(texts.joined(separator: " "))"
        ).with(affectedStores: name.affected)
    }

    // MARK: Running

    /// Migrates within a write transaction, which is to be rolled back after an error.
    func run(_ transaction: WriteTransaction, _ contents: StoreContents) throws -> MigrationReport {
        let plan = try plan(transaction.connection, contents)
        let run = MigrationRun(plan: plan, transaction: transaction, contents: contents, migration: self)
        return try run.run()
    }

    func cancelled() -> PinviewError {
        PinviewError(.migrationCancelled, "The migration of \(name.within) was cancelled; the store was not changed.")
            .with(affectedStores: name.affected)
    }

    /// - Parameter value: which one, and why it cannot be read.
    func unreadable(_ value: String) -> PinviewError {
        PinviewError(
            .migration,
            "\(name) was not changed: the value of \(value), so it cannot become part of the row. "
                + "Restore the file, or set another value."
        ).with(affectedStores: name.affected)
    }

    func violated(_ violations: [MigrationViolation]) -> PinviewError {
        PinviewError(
            .migration,
            "\(name) does not fit the model; it was not changed. \(violations.map(\.description).joined(separator: ". "))."
        ).with(affectedStores: name.affected)
    }

    func duplicates(_ constraint: MigratedConstraint, _ objects: [String]) -> PinviewError {
        PinviewError(
            .migrationConstraintViolation,
            "\(name) was not changed: \(constraint.entityName) must be unique by \(constraint.properties.joined(separator: ", ")), but these "
                + "objects have the same values: \(objects.joined(separator: "; ")). Change or delete them, or choose the option "
                + "\(StoreOptions.constraintPolicyKey) keepNewest or keepOldest."
        ).with(affectedStores: name.affected)
    }
}
