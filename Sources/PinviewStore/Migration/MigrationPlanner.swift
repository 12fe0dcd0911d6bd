import PinviewGenerations
import PinviewModel

/// Works out the steps of a migration. Only reads.
///
/// The order of the steps is what keeps every source intact until it has been read:
///
///     0  values      old values that cannot be of their new type are named
///     1  pairs       relationships whose storage changes are copied into temporary tables
///     2  rebuilds    tables that cannot be changed in place are rebuilt from the old ones
///     3  references  keys in tables that stay: what leads to rows that go becomes null
///     4  in place    columns renamed and added, rows deleted and renumbered
///     5  insertions  rows of other hierarchies move into tables that stay
///     6  swaps       old tables go, rebuilt ones take their names
///     7  fills       the pairs are written to where they belong now
///     8  checks      rows that do not fit the new model are named
///     9  indexes     are made, and with them uniqueness is checked
///    10  records     history, Z_PRIMARYKEY, Z_METADATA
///
/// A step of the program runs after the records, when the store can be opened with the new model;
/// the checks and unique indexes come after it.
final class MigrationPlanner {
    let layout: MigrationLayout
    let columns: MigrationColumns
    let connection: Connection
    let existing: ExistingTables
    let indexes: [ExistingIndex]
    let constrained: Set<String>

    var pairSteps: [MigrationStep] = []
    var rebuilds: [MigrationStep] = []
    var fixes: [MigrationStep] = []
    var inPlace: [MigrationStep] = []
    var insertions: [MigrationStep] = []
    var drops: [MigrationStep] = []
    var names: [MigrationStep] = []
    /// Keys that come from pairs, which are forgotten after the checks.
    var pairFills: [MigrationStep] = []
    var fills: [MigrationStep] = []
    /// Checks of the pairs, which are forgotten soon after.
    var pairChecks: [MigrationStep] = []
    var checks: [MigrationStep] = []
    /// Checks of old values, which come first.
    var valueChecks: [MigrationStep] = []

    /// New tables that are old ones changed in place, by the index of the new root: the index of
    /// the old one.
    var bases: [Int: Int] = [:]
    /// New names of renamed columns and tables by their old ones, by old table, in upper case.
    var renames: [String: [String: String]] = [:]
    /// Upper-case names of old tables that stay as they are, but for what is done in place.
    var keptTables: Set<String> = []
    /// The tables that are rebuilt from an old one, by its name in upper case: what became of its
    /// columns, in upper case.
    var rebuilt: [String: (table: String, columns: [String: String])] = [:]
    private var counts: [String: Int64] = [:]
    private var temporaryNames = 0

    init(layout: MigrationLayout, connection: Connection, contents: StoreContents) throws {
        self.layout = layout
        columns = MigrationColumns(layout: layout)
        self.connection = connection
        existing = contents.tables
        indexes = try SchemaObjects(connection).indexes
        constrained = try ExistingIndex.tablesWithConstraints(connection)
    }

    /// - Parameter hasProgram: whether the program has a step, which may give values to what is
    ///   checked afterwards.
    func steps(hasProgram: Bool) throws -> [MigrationStep] {
        let tables = try layout.new.tables.map { try TablePlan($0, layout: layout, columns: columns) }
        chooseBases(tables)
        for table in tables {
            if let base = bases[table.table.rootIndex] { try change(table, base) } else { try rebuild(table) }
        }
        try planRelationships()
        dropOldTables()
        try planChecks(tables)
        planValueChecks(tables)
        let (dropped, ownIndexes) = planIndexes()
        let made = ownIndexes + planIndexesOfOthers()
        let records = [
            MigrationStep("bring the history up to date", [], kind: .history),
            MigrationStep("record the new model in the store", [], kind: .bookkeeping),
        ]
        let tablesDone = valueChecks + pairSteps + rebuilds + dropped + fixes + inPlace + insertions + drops + names + pairFills
        guard hasProgram else { return tablesDone + pairChecks + checks + fills + made + records }
        return tablesDone + pairChecks + fills + made.filter { !$0.isUnique } + records
            + [MigrationStep("run the program's step", [], kind: .program)] + checks + made.filter(\.isUnique)
    }

    // MARK: What the plan asks the store

    func rows(_ table: String) throws -> Int64 {
        if let known = counts[table] { return known }
        let text = try connection.value("SELECT count(*) FROM \(SQLIdentifier.quoted(table))") ?? "0"
        let count = Int64(text) ?? 0
        counts[table] = count
        return count
    }

    func isInFile(_ table: String) -> Bool { existing.columns(of: table) != nil }

    func temporaryName() -> String {
        temporaryNames += 1
        return "Z_PINVIEW_MIGRATED_\(temporaryNames)"
    }

    // MARK: Tables

    private func chooseBases(_ tables: [TablePlan]) {
        var taken: Set<Int> = []
        for table in tables {
            guard let first = table.feeders.first, !taken.contains(first.oldRoot) else { continue }
            taken.insert(first.oldRoot)
            bases[table.table.rootIndex] = first.oldRoot
        }
        // A table that gives rows to another one while it changes in place would be read too late,
        // so the other one is rebuilt.
        let assumed = Set(bases.values)
        for table in tables {
            guard let base = bases[table.table.rootIndex] else { continue }
            let others = table.feeders.dropFirst()
            let canInsert = others.allSatisfy { feeder in
                !assumed.contains(feeder.oldRoot) && !table.needsOtherTable(feeder.oldRoot)
            }
            if !canInsert || !canChangeInPlace(table, base) { bases[table.table.rootIndex] = nil }
        }
    }

    private func canChangeInPlace(_ table: TablePlan, _ base: Int) -> Bool {
        guard let name = layout.oldTable(base), !constrained.contains(name.uppercased()),
            let copies = table.columnsInPlace(base)
        else { return false }
        let known = Set(oldColumns(ofRoot: base).keys.map { $0.uppercased() })
        guard known == Set(copies.values.map { $0.uppercased() }) else { return false }
        // A column that the model does not know keeps its name.
        let unknown = (existing.columns(of: name) ?? []).map { $0.uppercased() }
            .filter { !known.contains($0) && !Self.ownColumns.contains($0) }
        return !table.table.columns.contains { unknown.contains($0.name.uppercased()) }
    }

    static let ownColumns: Set<String> = ["Z_PK", "Z_ENT", "Z_OPT"]

    /// The columns that the old model has in a hierarchy's table, with the entities whose rows use
    /// them.
    func oldColumns(ofRoot root: Int) -> [String: Set<Int>] {
        let old = layout.old
        guard let table = layout.oldTable(root) else { return [:] }
        var columns: [String: Set<Int>] = [:]
        for entity in old.model.entities where old.numbers.has(entityIndex: entity.index) {
            for property in entity.properties where property.declaringEntityIndex == entity.index {
                switch old.storage(of: property) {
                case .attribute(let column) where entity.rootIndex == root: columns[column, default: []].formUnion(entity.familyIndexes)
                case .toOne(let key, let entityColumn) where entity.rootIndex == root:
                    columns[key, default: []].formUnion(entity.familyIndexes)
                    if let entityColumn { columns[entityColumn, default: []].formUnion(entity.familyIndexes) }
                case .toMany(let foreignKey) where foreignKey.table == table:
                    let members = old.model.entities[property.destinationIndex].familyIndexes
                    columns[foreignKey.key, default: []].formUnion(members)
                    if let order = foreignKey.order { columns[order, default: []].formUnion(members) }
                default: break
                }
            }
        }
        return columns
    }

    private func dropOldTables() {
        let based = Set(bases.values)
        for table in layout.old.tables where !based.contains(table.rootIndex) {
            drops.append(MigrationStep("drop the table \(table.name)", ["DROP TABLE \(SQLIdentifier.quoted(table.name))"]))
        }
    }
}

/// A new entity table with the sources of all its columns.
struct TablePlan {
    struct Column {
        let name: String
        let type: String
        let role: ColumnRole
        /// One for each of the table's `origins`.
        let sources: [ColumnSource]
    }

    let table: EntityTable
    let feeders: [MigrationLayout.Feeder]
    /// The old entities whose rows come into the table, with what they become.
    let origins: [(old: Entity, new: Entity)]
    let columns: [Column]

    init(_ table: EntityTable, layout: MigrationLayout, columns: MigrationColumns) throws {
        self.table = table
        let feeders = layout.feeders[table.rootIndex] ?? []
        self.feeders = feeders
        let origins = feeders.flatMap { layout.survivors(ofOldRoot: $0.oldRoot, inNewRoot: table.rootIndex) }
        self.origins = origins
        let roles = columns.roles(ofNewRoot: table.rootIndex)
        self.columns = try table.columns.compactMap { column in
            guard let role = roles[column.name] else { return nil }
            return Column(
                name: column.name, type: column.type, role: role,
                sources: try origins.map { try columns.source(role, from: $0.old, to: $0.new) })
        }
    }

    /// The positions of the origins that come from one old hierarchy.
    func positions(ofOldRoot root: Int) -> [Int] { origins.indices.filter { origins[$0].old.rootIndex == root } }

    func needsOtherTable(_ root: Int) -> Bool {
        columns.contains { column in
            positions(ofOldRoot: root).contains { position in
                if case .column(let copy) = column.sources[position] { copy.needsOtherTable } else { false }
            }
        }
    }

    /// The old columns that can go on as new ones: old names by new ones; nil if one of them
    /// cannot.
    func columnsInPlace(_ root: Int) -> [String: String]? {
        var used: [String: String] = [:]
        for column in columns {
            var found: ColumnCopy?
            for position in positions(ofOldRoot: root) {
                guard case .column(var copy) = column.sources[position] else { continue }
                guard copy.canStay else { return nil }
                copy.fallback = .null
                guard found == nil || found == copy else { return nil }
                found = copy
            }
            guard let found else { continue }
            used[column.name] = found.column
        }
        return Set(used.values).count == used.count ? used : nil
    }

    /// The expression of a column over an old table.
    func expression(_ column: Column, ofOldRoot root: Int, _ number: (Entity) -> Int32) -> String {
        var groups: [(text: String, numbers: [Int32])] = []
        for position in positions(ofOldRoot: root) {
            let text = column.sources[position].expression
            if let index = groups.firstIndex(where: { $0.text == text }) {
                groups[index].numbers.append(number(origins[position].old))
            } else {
                groups.append((text, [number(origins[position].old)]))
            }
        }
        if groups.count <= 1 { return groups.first?.text ?? "NULL" }
        let cases = groups.filter { $0.text != "NULL" }.map { "WHEN Z_ENT IN \(MigrationLayout.list($0.numbers)) THEN \($0.text) " }
        return "CASE \(cases.joined())END"
    }
}
