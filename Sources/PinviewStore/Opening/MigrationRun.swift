import PinviewGenerations
import PinviewModel

/// The steps of one migration while they run.
final class MigrationRun {
    let plan: MigrationPlan
    let connection: Connection
    let contents: StoreContents
    let migration: StoreMigration
    /// Around the connection.
    let transaction: WriteTransaction
    private var report: MigrationReport
    private var violations: [MigrationViolation] = []
    private var doneRows: Int64 = 0

    init(plan: MigrationPlan, transaction: WriteTransaction, contents: StoreContents, migration: StoreMigration) {
        self.plan = plan
        self.transaction = transaction
        connection = transaction.connection
        self.contents = contents
        self.migration = migration
        report = MigrationReport(difference: plan.difference.description)
    }

    func run() throws -> MigrationReport {
        for (position, step) in plan.steps.enumerated() {
            if !isCheck(step), !violations.isEmpty { throw migration.violated(violations) }
            try run(step)
            doneRows += step.rows
            guard let progress = migration.options.migrationProgress else { continue }
            let steps = Double(position + 1) / Double(plan.steps.count)
            let share = plan.rows == 0 ? steps : 0.9 * Double(doneRows) / Double(plan.rows) + 0.1 * steps
            guard progress(min(share, 1), step.description) else { throw migration.cancelled() }
        }
        if !violations.isEmpty { throw migration.violated(violations) }
        try fillDerivedAttributes()
        return report
    }

    private func fillDerivedAttributes() throws {
        guard migration.matching.hasDerivedAttributes, case .store(let contents) = try StoreContents.state(connection) else { return }
        try DerivedAttributes(try migration.matching.schema(for: contents, connection), storeNumber: 0)?.fill(connection)
    }

    private func isCheck(_ step: MigrationStep) -> Bool {
        if case .check = step.kind { true } else { false }
    }

    private func run(_ step: MigrationStep) throws {
        switch step.kind {
        case .statements: for sql in step.statements { try connection.execute(sql) }
        case .tableRename:
            // Views and triggers that others have in the file keep their texts, also if what they
            // name is not there (SQLite, "PRAGMA legacy_alter_table").
            try connection.execute("PRAGMA legacy_alter_table = ON")
            defer { try? connection.execute("PRAGMA legacy_alter_table = OFF") }
            for sql in step.statements { try connection.execute(sql) }
        case .check(let kind):
            for sql in step.statements {
                let objects = try objects(sql)
                if !objects.isEmpty { violations.append(MigrationViolation(kind: kind, objects: objects)) }
            }
        case .uniqueIndex(let constraint): for sql in step.statements { try makeUnique(constraint, sql) }
        case .inlining(let table, let column): try inline(table, column)
        case .history:
            guard try HistorySchema.exists(connection), let form = try HistoryForm(contents.tables, isOwn: contents.isOwn) else { return }
            report.purgedHistory = try HistoryMigration(plan: plan, connection: connection, isOwn: contents.isOwn, form: form).run()
        case .bookkeeping: try keepBooks()
        case .program: try runProgram()
        }
    }

    /// The URIs of the rows that a statement selects: `Z_PK` and `Z_ENT`.
    private func objects(_ sql: String) throws -> [String] {
        let statement = try connection.statement(sql)
        defer { statement.reset() }
        var objects: [String] = []
        while try statement.step() { objects.append(uri(statement.int64(0), statement.int64(1))) }
        return objects
    }

    private func uri(_ key: Int64, _ number: Int64) -> String {
        let name = plan.new.numbers.entityIndex(ofNumber: number).map { plan.new.model.entities[$0].name } ?? "?"
        return "x-coredata://\(contents.identifier)/\(name)/p\(key)"
    }

    // MARK: The program's step

    private func runProgram() throws {
        guard let step = migration.stage?.step, let path = migration.matching.path else { return }
        let source = try SQLStore.open(
            .file(path: path), model: plan.layout.mapping.source, configuration: migration.matching.configuration,
            options: migration.options.forReadingSource)
        defer { source.close() }
        let destination = try migration.matching.store(inside: transaction)
        defer { destination.close() }
        try step(
            MigratingStores(
                source: source, destination: destination, sourceModel: plan.layout.mapping.source,
                destinationModel: plan.layout.mapping.destination, layout: plan.layout))
    }

    // MARK: Uniqueness

    private func makeUnique(_ constraint: MigratedConstraint, _ sql: String) throws {
        do throws(SQLiteError) {
            try connection.execute(sql)
        } catch {
            guard error.kind == .constraint else { throw error }
            guard migration.options.constraintPolicy != .error else { throw migration.duplicates(constraint, try duplicates(constraint)) }
            let name = "\(constraint.entityName) (\(constraint.properties.joined(separator: ", ")))"
            report.mergedRows[name] = try merge(constraint)
            try connection.execute(sql)
        }
    }

    private func condition(_ constraint: MigratedConstraint) -> String {
        (constraint.columns.map { "\($0) IS NOT NULL" } + (constraint.condition.map { [$0] } ?? [])).joined(separator: " AND ")
    }

    private func duplicates(_ constraint: MigratedConstraint) throws -> [String] {
        let columns = constraint.columns.joined(separator: ", ")
        let statement = try connection.statement(
            "SELECT min(Z_PK), min(Z_ENT), max(Z_PK), max(Z_ENT), count(*) FROM \(constraint.table) WHERE \(condition(constraint)) "
                + "GROUP BY \(columns) HAVING count(*) > 1 LIMIT \(MigrationViolation.limit)")
        defer { statement.reset() }
        var found: [String] = []
        while try statement.step() {
            let more = statement.int64(4) > 2 ? " and \(statement.int64(4) - 2) more" : ""
            found.append("\(uri(statement.int64(0), statement.int64(1))) and \(uri(statement.int64(2), statement.int64(3)))\(more)")
        }
        return found
    }

    /// Leaves one row of each group, which takes over what referred to the others.
    /// - Returns: how many rows went.
    private func merge(_ constraint: MigratedConstraint) throws -> Int64 {
        let keeps = migration.options.constraintPolicy == .keepNewest ? "max" : "min"
        let columns = constraint.columns.joined(separator: ", ")
        try connection.execute("CREATE TEMP TABLE pinview_merged (lost INTEGER PRIMARY KEY, kept INTEGER)")
        try connection.execute(
            "INSERT INTO temp.pinview_merged SELECT Z_PK, kept FROM (SELECT Z_PK, \(keeps)(Z_PK) OVER (PARTITION BY \(columns)) AS kept "
                + "FROM \(constraint.table) WHERE \(condition(constraint))) WHERE Z_PK <> kept")
        for reference in constraint.references {
            let change =
                "UPDATE \(reference.isJoin ? "OR IGNORE " : "")\(reference.table) SET \(reference.column) = "
                + "(SELECT kept FROM temp.pinview_merged WHERE lost = \(reference.column)) "
                + "WHERE \(reference.column) IN (SELECT lost FROM temp.pinview_merged)"
            try connection.execute(change)
            if reference.isJoin {
                try connection.execute("DELETE FROM \(reference.table) WHERE \(reference.column) IN (SELECT lost FROM temp.pinview_merged)")
            }
        }
        let before = connection.totalChanges
        try connection.execute("DELETE FROM \(constraint.table) WHERE Z_PK IN (SELECT lost FROM temp.pinview_merged)")
        let count = connection.totalChanges - before
        try connection.execute("DROP TABLE temp.pinview_merged")
        return count
    }

    // MARK: Values in files

    private func inline(_ table: String, _ column: String) throws {
        guard let path = migration.matching.path else { return }
        let directory = ExternalDataDirectory(storePath: path)
        let table = SQLIdentifier.quoted(table), column = SQLIdentifier.quoted(column)
        let statement = try connection.statement("SELECT Z_PK, \(column) FROM \(table) WHERE substr(\(column), 1, 1) = X'02'")
        var cells: [(key: Int64, cell: [UInt8])] = []
        do {
            defer { statement.reset() }
            while try statement.step() { cells.append((statement.int64(0), statement.withBytes(1) { Array($0) })) }
        }
        let update = try connection.statement("UPDATE \(table) SET \(column) = ? WHERE Z_PK = ?")
        for (key, cell) in cells {
            let data: [UInt8]
            do throws(UnreadableData) { data = try ExternalDataDirectory.data(in: cell, directory) } catch {
                throw migration.unreadable("\(column) in row \(key) of \(table) \(error.reason)")
            }
            try ([ExternalDataDirectory.inlineMarker] + data).withUnsafeBytes { try update.bind(1, blob: $0) }
            try update.bind(2, key)
            try update.run()
        }
    }

    // MARK: The store's own records

    private func keepBooks() throws {
        let old = plan.layout.old
        let deletion = try connection.statement("DELETE FROM Z_PRIMARYKEY WHERE Z_NAME = ?")
        for entity in old.model.entities where old.numbers.has(entityIndex: entity.index) {
            try deletion.bind(1, contents.recordedName(of: entity))
            try deletion.run()
        }
        let insertion = try connection.statement("INSERT INTO Z_PRIMARYKEY (Z_ENT, Z_NAME, Z_SUPER, Z_MAX) VALUES (?, ?, ?, ?)")
        for row in plan.new.primaryKeyRows() {
            let root = plan.new.model.entity(named: row.name)?.index ?? -1
            try insertion.bind(1, Int64(row.number))
            try insertion.bind(2, row.name)
            try insertion.bind(3, Int64(row.parent))
            try insertion.bind(4, row.parent == 0 ? plan.highestKeys[root] ?? 0 : 0)
            try insertion.run()
        }
        // Core Data's copy of the old model would contradict the tables.
        if contents.tables.columns(of: "Z_MODELCACHE") != nil { try connection.execute("DELETE FROM Z_MODELCACHE") }
        try StoreContents.write(
            model: migration.matching.model, held: migration.matching.held, replacing: old.model, of: contents,
            isInMemory: migration.matching.path == nil, to: connection)
        if !report.purgedHistory, try HistorySchema.exists(connection), try HistorySchema.hasOwnTables(connection) {
            try HistorySchema.countQuietCommit(connection)
        }
    }
}
