import PinviewModel

extension MigrationPlanner {
    /// Looks for rows that the new model does not allow, wherever the change of the model can have
    /// caused that.
    func planChecks(_ plans: [TablePlan]) throws {
        for plan in plans {
            let table = SQLIdentifier.quoted(plan.table.name)
            for column in plan.columns {
                guard let property = Self.requiredProperty(column.role) else { continue }
                let numbers = plan.origins.indices.filter { position in
                    columns.has(column.role, plan.origins[position].new)
                        && canBeMissing(property, column.sources[position], plan.origins[position].new)
                }.map { layout.newNumber(plan.origins[$0].new) }
                guard !numbers.isEmpty else { continue }
                checks.append(
                    MigrationStep(
                        "check that \(property.qualifiedName) has a value",
                        [
                            "SELECT Z_PK, Z_ENT FROM \(table) WHERE \(SQLIdentifier.quoted(column.name)) IS NULL AND Z_ENT IN "
                                + "\(MigrationLayout.list(numbers)) LIMIT \(MigrationViolation.limit)"
                        ], kind: .check(.missingValue(property: property.qualifiedName))))
            }
            for (old, new) in plan.origins where new.isAbstract && !old.isAbstract {
                checks.append(
                    MigrationStep(
                        "check that there are no objects of \(new.name) itself",
                        ["SELECT Z_PK, Z_ENT FROM \(table) WHERE Z_ENT = \(layout.newNumber(new)) LIMIT \(MigrationViolation.limit)"],
                        kind: .check(.abstractEntity(new.name))))
            }
        }
    }

    /// Looks for old values that are not of the new type, before anything is changed.
    func planValueChecks(_ plans: [TablePlan]) {
        for plan in plans {
            for column in plan.columns {
                guard case .attribute(let property) = column.role else { continue }
                for (position, (old, new)) in plan.origins.enumerated() {
                    guard case .column(let copy) = column.sources[position], columns.has(column.role, new),
                        let origin = layout.mapping.origin(of: property, in: new),
                        origin.attributeType.widensIfExact(to: property.attributeType), let table = layout.oldTable(old.rootIndex)
                    else { continue }
                    let value = SQLIdentifier.quoted(copy.column)
                    // SQLite converts doubles beyond the largest integer to that integer.
                    let isInexact =
                        "\(value) NOT BETWEEN -9007199254740992 AND 9007199254740992 "
                        + "AND (CAST(CAST(\(value) AS REAL) AS INTEGER) <> \(value) OR \(value) > 9223372036854774784)"
                    let offset = layout.offset(fromOldRoot: old.rootIndex, toNewRoot: new.rootIndex)
                    valueChecks.append(
                        MigrationStep(
                            "check that \(property.qualifiedName) can be of type \(property.attributeType.name)",
                            [
                                "SELECT Z_PK + \(offset), \(layout.newNumber(new)) FROM \(SQLIdentifier.quoted(table)) "
                                    + "WHERE Z_ENT = \(layout.oldNumber(old)) AND \(isInexact) LIMIT \(MigrationViolation.limit)"
                            ], kind: .check(.inexactValue(property: property.qualifiedName, type: property.attributeType.name))))
                }
            }
        }
    }

    private static func requiredProperty(_ role: ColumnRole) -> Property? {
        switch role {
        case .attribute(let property), .key(let property): property.isRequired ? property : nil
        default: nil
        }
    }

    private func canBeMissing(_ property: Property, _ source: ColumnSource, _ entity: Entity) -> Bool {
        switch source {
        case .null: true
        case .constant: false
        case .column(let copy):
            copy.needsOtherTable
                || copy.fallback == .null && (layout.mapping.origin(of: property, in: entity)?.isOptional ?? true)
        }
    }

    // MARK: Indexes

    /// Which indexes are dropped before tables change, and which are made afterwards.
    func planIndexes() -> (dropped: [MigrationStep], made: [MigrationStep]) {
        let targets = layout.new.indexDefinitions()
        let known = Set(layout.old.indexDefinitions().map { $0.name.uppercased() })
        let updated = Set(
            (fixes + inPlace + pairFills + fills).flatMap(\.statements).filter { $0.hasPrefix("UPDATE ") }.compactMap(Self.updatedTable))
        let wanted = Dictionary(targets.map { ($0.name.uppercased(), $0) }, uniquingKeysWith: { first, _ in first })
        var kept: Set<String> = []
        var dropped: [MigrationStep] = []
        for index in indexes where keptTables.contains(index.table.uppercased()) {
            let name = index.name.uppercased()
            let target = wanted[name]
            if let target,
                ExistingIndex.meaning(of: index.sql, renames: renames[index.table.uppercased()] ?? [:])
                    == ExistingIndex.meaning(of: target.sql), target.constraint == nil || !updated.contains(index.table.uppercased())
            {
                kept.insert(name)
            } else if target != nil || known.contains(name) {
                dropped.append(MigrationStep("drop the index \(index.name)", ["DROP INDEX \(SQLIdentifier.quoted(index.name))"]))
            }
        }
        let made = targets.filter { !kept.contains($0.name.uppercased()) }.map { target in
            let constraint = target.constraint.map { constraint in
                MigratedConstraint(
                    entityName: constraint.entity.name, properties: constraint.properties, table: SQLIdentifier.quoted(target.table),
                    columns: constraint.columns, condition: target.condition,
                    family: layout.new.numbers.condition(forFamilyOf: constraint.entity), references: references(to: constraint.entity))
            }
            return MigrationStep("create the index \(target.name)", [target.sql], kind: constraint.map { .uniqueIndex($0) } ?? .statements)
        }
        return (dropped, made)
    }

    /// Indexes of rebuilt tables that neither model has. They are recreated where table and columns
    /// keep their names; otherwise the plan names them.
    func planIndexesOfOthers() -> [MigrationStep] {
        let known = Set((layout.old.indexDefinitions() + layout.new.indexDefinitions()).map { $0.name.uppercased() })
        var steps: [MigrationStep] = []
        for index in indexes where !known.contains(index.name.uppercased()) {
            let table = index.table.uppercased()
            guard !keptTables.contains(table), layout.old.tables.contains(where: { $0.name.uppercased() == table }) else { continue }
            let words = Set(ExistingIndex.meaning(of: index.sql))
            let used = (existing.columns(of: index.table) ?? []).map { $0.uppercased() }.filter(words.contains)
            if let new = rebuilt[table], new.table.uppercased() == table, used.allSatisfy({ new.columns[$0] == $0 }) {
                steps.append(MigrationStep("recreate the index \(index.name), which Pinview did not make", [index.sql]))
            } else {
                steps.append(
                    MigrationStep(
                        "drop the index \(index.name), which Pinview did not make: its table or a column was renamed or is gone", []))
            }
        }
        return steps
    }

    /// The table of an `UPDATE` of ours.
    private static func updatedTable(_ sql: String) -> String? {
        sql.dropFirst("UPDATE ".count).split(separator: " ").first.map { $0.filter { $0 != "\"" }.uppercased() }
    }

    /// Everything in the new tables that can refer to rows of an entity's hierarchy.
    private func references(to entity: Entity) -> [RowReferences] {
        let model = layout.new.model
        var references: [RowReferences] = []
        for declaring in model.entities where layout.new.numbers.has(entityIndex: declaring.index) {
            for property in declaring.relationships where property.declaringEntityIndex == declaring.index {
                switch layout.new.storage(of: property) {
                case .toOne(let key, _) where model.entities[property.destinationIndex].rootIndex == entity.rootIndex:
                    guard let table = layout.newTable(declaring.rootIndex) else { continue }
                    references.append(RowReferences(table: SQLIdentifier.quoted(table), column: SQLIdentifier.quoted(key), isJoin: false))
                case .join(let side) where declaring.rootIndex == entity.rootIndex:
                    references.append(
                        RowReferences(table: SQLIdentifier.quoted(side.table), column: SQLIdentifier.quoted(side.owner), isJoin: true))
                case .toMany(let foreignKey) where !foreignKey.hasInverse && declaring.rootIndex == entity.rootIndex:
                    references.append(
                        RowReferences(
                            table: SQLIdentifier.quoted(foreignKey.table), column: SQLIdentifier.quoted(foreignKey.key), isJoin: false))
                default: break
                }
            }
        }
        return references
    }
}
