import PinviewModel

extension MigrationPlanner {
    // MARK: New tables

    /// Rebuilds a table with the rows of its feeders.
    func rebuild(_ plan: TablePlan) throws {
        let name = plan.table.name
        let isTaken = isInFile(name)
        let working = isTaken ? temporaryName() : name
        var table = plan.table
        var carried: [String] = []
        if let first = plan.feeders.first, let old = layout.oldTable(first.oldRoot) {
            carried = carry(from: old, first.oldRoot, into: &table)
            noteColumns(of: old, first.oldRoot, plan, carried)
        }
        rebuilds.append(MigrationStep("create the table \(name)", [SchemaNames.creation(of: table, named: working)]))
        for feeder in plan.feeders {
            rebuilds.append(try insertion(plan, feeder, into: working, carrying: feeder.offset == 0 ? carried : []))
        }
        if isTaken {
            names.append(.rename("name the new table \(name)", table: working, to: name))
        }
    }

    /// The columns of an old table that no model knows are kept.
    private func carry(from old: String, _ root: Int, into table: inout EntityTable) -> [String] {
        let known = Set(oldColumns(ofRoot: root).keys.map { $0.uppercased() })
        let taken = Set(table.columns.map { $0.name.uppercased() })
        let unknown = (existing.columns(of: old) ?? []).filter {
            !known.contains($0.uppercased()) && !Self.ownColumns.contains($0.uppercased()) && !taken.contains($0.uppercased())
        }
        for column in unknown { table.columns.append(EntityTable.Column(name: column, type: "")) }
        return unknown
    }

    private func noteColumns(of old: String, _ root: Int, _ plan: TablePlan, _ carried: [String]) {
        var columns: [String: String] = [:]
        for name in carried + Self.ownColumns { columns[name.uppercased()] = name.uppercased() }
        for column in plan.columns {
            for position in plan.positions(ofOldRoot: root) {
                if case .column(let copy) = column.sources[position] { columns[copy.column.uppercased()] = column.name.uppercased() }
            }
        }
        rebuilt[old.uppercased()] = (plan.table.name, columns)
    }

    private func insertion(
        _ plan: TablePlan, _ feeder: MigrationLayout.Feeder, into target: String, carrying carried: [String]
    ) throws -> MigrationStep {
        let positions = plan.positions(ofOldRoot: feeder.oldRoot)
        guard let old = layout.oldTable(feeder.oldRoot), !positions.isEmpty else { return MigrationStep("move no rows", []) }
        var names = ["Z_PK", "Z_ENT", "Z_OPT"]
        let numbers = Dictionary(
            positions.map { (layout.oldNumber(plan.origins[$0].old), layout.newNumber(plan.origins[$0].new)) },
            uniquingKeysWith: { first, _ in first })
        var values = [feeder.offset == 0 ? "Z_PK" : "Z_PK + \(feeder.offset)", ColumnCopy.renumbered("Z_ENT", numbers), "Z_OPT"]
        for column in plan.columns {
            let expression = plan.expression(column, ofOldRoot: feeder.oldRoot, layout.oldNumber)
            guard expression != "NULL" else { continue }
            names.append(SQLIdentifier.quoted(column.name))
            values.append(expression)
        }
        names += carried.map(SQLIdentifier.quoted)
        values += carried.map(SQLIdentifier.quoted)
        let sql =
            "INSERT INTO \(SQLIdentifier.quoted(target)) (\(names.joined(separator: ", "))) SELECT \(values.joined(separator: ", ")) "
            + "FROM \(SQLIdentifier.quoted(old)) WHERE Z_ENT IN \(MigrationLayout.list(numbers.keys.sorted())) ORDER BY Z_PK"
        inlineFiles(plan, feeder.oldRoot, old)
        return MigrationStep("move the rows of \(old) to \(plan.table.name)", [sql], rows: try rows(old))
    }

    /// Values in files beside the store become part of their rows where the new model allows no
    /// such files.
    private func inlineFiles(_ plan: TablePlan, _ root: Int, _ old: String) {
        for column in plan.columns {
            for position in plan.positions(ofOldRoot: root) {
                guard case .column(let copy) = column.sources[position], copy.change == .removeInlineMarker else { continue }
                let step = MigrationStep(
                    "read the files of \(old).\(copy.column)", [], kind: .inlining(table: old, column: copy.column))
                if !pairSteps.contains(where: { $0.description == step.description }) { pairSteps.append(step) }
            }
        }
    }

    // MARK: Tables that stay

    /// Changes an old table into a new one.
    func change(_ plan: TablePlan, _ root: Int) throws {
        guard let old = layout.oldTable(root), let copies = plan.columnsInPlace(root) else { return }
        keptTables.insert(old.uppercased())
        try fixReferences(plan, root, old, copies)
        renameColumns(plan, old, copies)
        try fillColumns(plan, root, old, copies)
        try renumberRows(plan, root, old)
        for feeder in plan.feeders.dropFirst() { insertions.append(try insertion(plan, feeder, into: old, carrying: [])) }
        guard old != plan.table.name else { return }
        renames[old.uppercased(), default: [:]][old.uppercased()] = plan.table.name.uppercased()
        let isTaken = isInFile(plan.table.name)
        let working = isTaken ? temporaryName() : plan.table.name
        drops.insert(.rename("rename the table \(old)", table: old, to: working), at: 0)
        if isTaken { names.append(.rename("name the table \(plan.table.name)", table: working, to: plan.table.name)) }
    }

    /// Keys, while the tables that they lead to are still the old ones. `Z_ENT` beside a key comes
    /// first: it needs the key as it was.
    private func fixReferences(_ plan: TablePlan, _ root: Int, _ old: String, _ copies: [String: String]) throws {
        let table = SQLIdentifier.quoted(old)
        var entityStatements: [String] = []
        var keyStatements: [String] = []
        for column in plan.columns where copies[column.name] != nil {
            guard
                let copy = plan.positions(ofOldRoot: root).lazy.compactMap({ position -> ColumnCopy? in
                    if case .column(let copy) = column.sources[position] { copy } else { nil }
                }).first
            else { continue }
            let name = SQLIdentifier.quoted(copy.column)
            switch copy.change {
            case .entity(let numbers, let key, let lost):
                if let lost {
                    entityStatements.append("UPDATE \(table) SET \(name) = NULL WHERE \(lost.condition(SQLIdentifier.quoted(key)))")
                }
                let changed = numbers.filter { $0.key != $0.value }.keys.sorted()
                if !changed.isEmpty {
                    entityStatements.append(
                        "UPDATE \(table) SET \(name) = \(ColumnCopy.renumbered(name, numbers)) WHERE \(name) IN \(MigrationLayout.list(changed))"
                    )
                }
            case .key(let offset, let lost):
                if let lost { keyStatements.append("UPDATE \(table) SET \(name) = NULL WHERE \(lost.condition(name))") }
                if offset != 0 { keyStatements.append("UPDATE \(table) SET \(name) = \(name) + \(offset) WHERE \(name) IS NOT NULL") }
            default: break
            }
        }
        let statements = entityStatements + keyStatements
        guard !statements.isEmpty else { return }
        fixes.append(MigrationStep("correct references in \(old)", statements, rows: try rows(old)))
    }

    private func renameColumns(_ plan: TablePlan, _ old: String, _ copies: [String: String]) {
        let table = SQLIdentifier.quoted(old)
        let moved = plan.columns.compactMap { column -> (from: String, to: String)? in
            guard let from = copies[column.name], from != column.name else { return nil }
            return (from, column.name)
        }
        var late: [(from: String, to: String)] = []
        for (from, to) in moved {
            renames[old.uppercased(), default: [:]][from.uppercased()] = to.uppercased()
            var from = from
            // Another column may still have the name.
            if moved.contains(where: { $0.from.uppercased() == to.uppercased() && $0.from != from }) {
                let working = temporaryName()
                inPlace.append(rename(from, to: working, in: table))
                from = working
                late.append((from, to))
            } else {
                inPlace.append(rename(from, to: to, in: table))
            }
        }
        for (from, to) in late { inPlace.append(rename(from, to: to, in: table)) }
    }

    private func rename(_ column: String, to name: String, in table: String) -> MigrationStep {
        MigrationStep(
            "rename the column \(column) to \(name)",
            ["ALTER TABLE \(table) RENAME COLUMN \(SQLIdentifier.quoted(column)) TO \(SQLIdentifier.quoted(name))"])
    }

    /// Adds new columns, and gives rows that get a property the value of a new object.
    private func fillColumns(_ plan: TablePlan, _ root: Int, _ old: String, _ copies: [String: String]) throws {
        let table = SQLIdentifier.quoted(old)
        let before = oldColumns(ofRoot: root)
        let positions = plan.positions(ofOldRoot: root)
        for column in plan.columns {
            let name = SQLIdentifier.quoted(column.name)
            var constants: [StoredCell: [Int32]] = [:]
            var nulls: [Int32] = []
            var fallbacks: [StoredCell: [Int32]] = [:]
            for position in positions {
                let entity = plan.origins[position].old
                switch column.sources[position] {
                case .constant(let cell): constants[cell, default: []].append(layout.oldNumber(entity))
                case .null:
                    if let copy = copies[column.name], before[copy]?.contains(entity.index) == true {
                        nulls.append(layout.oldNumber(entity))
                    }
                case .column(let copy):
                    if copy.fallback != .null { fallbacks[copy.fallback, default: []].append(layout.oldNumber(entity)) }
                }
            }
            if copies[column.name] == nil {
                var definition = "\(name) \(column.type)"
                // All rows of the table have the value without being written.
                if let only = constants.first, constants.count == 1, only.value.count == positions.count, SQLLiteral.canBeDefault(only.key)
                {
                    definition += " DEFAULT \(SQLLiteral.text(only.key))"
                    constants = [:]
                }
                inPlace.append(MigrationStep("add the column \(column.name) to \(old)", ["ALTER TABLE \(table) ADD COLUMN \(definition)"]))
            }
            for (cell, numbers) in constants {
                inPlace.append(
                    MigrationStep(
                        "set \(column.name) to its default",
                        [
                            "UPDATE \(table) SET \(name) = \(SQLLiteral.text(cell)) WHERE Z_ENT IN \(MigrationLayout.list(numbers.sorted()))"
                        ], rows: try rows(old)))
            }
            for (cell, numbers) in fallbacks {
                inPlace.append(
                    MigrationStep(
                        "set \(column.name) to its default where it is empty",
                        [
                            "UPDATE \(table) SET \(name) = \(SQLLiteral.text(cell)) WHERE \(name) IS NULL AND Z_ENT IN "
                                + MigrationLayout.list(numbers.sorted())
                        ], rows: try rows(old)))
            }
            if !nulls.isEmpty {
                inPlace.append(
                    MigrationStep(
                        "clear \(column.name) where it is no longer used",
                        ["UPDATE \(table) SET \(name) = NULL WHERE Z_ENT IN \(MigrationLayout.list(nulls.sorted()))"], rows: try rows(old)))
            }
        }
    }

    private func renumberRows(_ plan: TablePlan, _ root: Int, _ old: String) throws {
        let table = SQLIdentifier.quoted(old)
        let kept = plan.positions(ofOldRoot: root).map { plan.origins[$0] }
        let keptIndexes = Set(kept.map(\.old.index))
        let gone = layout.mapping.source.entities.filter {
            $0.rootIndex == root && layout.old.numbers.has(entityIndex: $0.index) && !keptIndexes.contains($0.index)
        }.map(layout.oldNumber)
        if !gone.isEmpty {
            inPlace.append(
                MigrationStep(
                    "delete the rows of entities that are gone from \(old)",
                    ["DELETE FROM \(table) WHERE Z_ENT IN \(MigrationLayout.list(gone))"], rows: try rows(old)))
        }
        let oldNumbers = Set(kept.map { layout.oldNumber($0.old) })
        let unused = layout.new.model.entities.filter { $0.rootIndex == plan.table.rootIndex }.map(layout.newNumber)
            .filter { !oldNumbers.contains($0) && !gone.contains($0) }
        if !unused.isEmpty {
            inPlace.append(
                MigrationStep(
                    "keep rows that belong to no entity from becoming objects of \(old)",
                    ["UPDATE \(table) SET Z_ENT = 0 WHERE Z_ENT IN \(MigrationLayout.list(unused))"]))
        }
        let numbers = Dictionary(kept.map { (layout.oldNumber($0.old), layout.newNumber($0.new)) }, uniquingKeysWith: { first, _ in first })
        let changed = numbers.filter { $0.key != $0.value }.keys.sorted()
        guard !changed.isEmpty else { return }
        inPlace.append(
            MigrationStep(
                "renumber the entities in \(old)",
                [
                    "UPDATE \(table) SET Z_ENT = \(ColumnCopy.renumbered("Z_ENT", numbers)) WHERE Z_ENT IN \(MigrationLayout.list(changed))"
                ], rows: try rows(old)))
    }
}
