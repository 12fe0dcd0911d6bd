import PinviewModel

extension MigrationPlanner {
    func planRelationships() throws {
        var handled: Set<Property> = []
        for entity in layout.new.model.entities where layout.new.numbers.has(entityIndex: entity.index) {
            for property in entity.relationships
            where property.declaringEntityIndex == entity.index && !property.isTransient && !handled.contains(property) {
                let inverse = layout.newInverse(of: property)
                handled.insert(property)
                if let inverse { handled.insert(inverse) }
                try plan(property, inverse)
            }
        }
        for table in oldJoinTables where !keptTables.contains(table.uppercased()) {
            drops.append(MigrationStep("drop the table \(table)", ["DROP TABLE \(SQLIdentifier.quoted(table))"]))
        }
    }

    private var oldJoinTables: [String] {
        var tables: Set<String> = []
        for storage in layout.old.storages.joined() { if case .join(let side) = storage { tables.insert(side.table) } }
        return tables.sorted()
    }

    /// A relationship with its inverse, which share one set of pairs.
    private func plan(_ property: Property, _ inverse: Property?) throws {
        let other = inverse === property ? nil : inverse
        if case .join(let side) = layout.new.storage(of: property) { return try planJoin(property, side, other) }
        let hasOrigins = !layout.origins(of: property).isEmpty || !(other.map { layout.origins(of: $0).isEmpty } ?? true)
        guard hasOrigins else { return }
        var pairs: String?
        for (side, opposite) in [(property, other), (other, property)] {
            guard let side else { continue }
            switch layout.new.storage(of: side) {
            case .toOne(let key, let entityColumn) where !columns.isLocal(side):
                pairs = try pairs ?? makePairs(property, other)
                if let pairs { try writeKeys(side, isFirst: side === property, key, entityColumn, opposite, from: pairs) }
            case .toMany(let foreignKey) where !foreignKey.hasInverse && columns.localOwner(of: side) == nil:
                pairs = try pairs ?? makePairs(property, other)
                if let pairs { try writeOwners(side, foreignKey, from: pairs) }
            case .toMany(let foreignKey):
                if let order = foreignKey.order, columns.needsNumbering(side) { try number(foreignKey, order) }
            default: break
            }
        }
        if let pairs { fills.append(MigrationStep("discard the copied pairs", ["DROP TABLE temp.\(pairs)"])) }
    }

    // MARK: Pairs

    /// Copies the pairs of a relationship, from its old sides, with the keys and positions that
    /// they get.
    private func makePairs(_ property: Property, _ inverse: Property?) throws -> String {
        let origins = layout.origins(of: property)
        var sources: [String] = []
        var rows: Int64 = 0
        func add(_ origin: Property, _ side: Property, isFirst: Bool) throws {
            guard let source = try extraction(origin, as: side, isFirst: isFirst) else { return }
            sources.append(source.sql)
            rows += source.rows
        }
        for origin in origins { try add(origin, property, isFirst: true) }
        for origin in inverse.map({ layout.origins(of: $0) }) ?? [] {
            // The same pairs as seen from the other side.
            if origins.contains(where: { layout.oldInverse(of: $0) === origin }) { continue }
            if let inverse { try add(origin, inverse, isFirst: false) }
        }
        let name = "pinview_pairs_\(pairSteps.count + 1)"
        let all = sources.isEmpty ? "SELECT 0 AS o, 0 AS m, 0 AS oo, 0 AS mo WHERE 0" : sources.joined(separator: " UNION ALL ")
        let first = property.isOrdered && property.isToMany ? Self.position(of: "m", by: "oo", within: "o") : "NULL"
        let second = inverse.map { $0.isOrdered && $0.isToMany } ?? false ? Self.position(of: "o", by: "mo", within: "m") : "NULL"
        pairSteps.append(
            MigrationStep(
                "copy the pairs of \(property.qualifiedName)",
                [
                    "CREATE TEMP TABLE \(name) AS SELECT o, m, \(first) AS oo, \(second) AS mo FROM "
                        + "(SELECT o, m, max(oo) AS oo, max(mo) AS mo FROM (\(all)) GROUP BY o, m)",
                    "CREATE INDEX temp.\(name)_o ON \(name) (o)", "CREATE INDEX temp.\(name)_m ON \(name) (m)",
                ], rows: rows))
        return name
    }

    static func position(of member: String, by order: String, within owner: String) -> String {
        "\(RelationshipOrder.first) + \(RelationshipOrder.step) * "
            + "(row_number() OVER (PARTITION BY \(owner) ORDER BY \(order) IS NULL, \(order), \(member)) - 1)"
    }

    /// The pairs of an old relationship as columns `o`, `m`, `oo` (the member's position) and `mo`
    /// (the owner's, of the inverse).
    ///
    /// - Parameter isFirst: whether owners are `o`; otherwise the sides change places.
    private func extraction(_ origin: Property, as property: Property, isFirst: Bool) throws -> (sql: String, rows: Int64)? {
        let source = layout.mapping.source, target = layout.mapping.destination
        let declaring = source.entities[origin.declaringEntityIndex], destination = source.entities[origin.destinationIndex]
        let newOwner = target.entities[property.declaringEntityIndex], newMember = target.entities[property.destinationIndex]
        guard let ownerTable = layout.oldTable(declaring.rootIndex), let memberTable = layout.oldTable(destination.rootIndex) else {
            return nil
        }
        let owners = declaring.familyIndexes.map { source.entities[$0] }.filter { entity in
            guard let successor = layout.mapping.successor(of: entity), successor.isKind(ofIndex: newOwner.index) else { return false }
            return layout.mapping.origin(of: property, in: successor) === origin
        }.map(layout.oldNumber)
        let members = destination.familyIndexes.map { source.entities[$0] }.filter {
            layout.mapping.successor(of: $0)?.isKind(ofIndex: newMember.index) ?? false
        }.map(layout.oldNumber)
        func key(_ alias: String, _ offset: Int64) -> String { offset == 0 ? "\(alias).Z_PK" : "\(alias).Z_PK + \(offset)" }
        let owner = key("a", layout.offset(fromOldRoot: declaring.rootIndex, toNewRoot: newOwner.rootIndex))
        let member = key("b", layout.offset(fromOldRoot: destination.rootIndex, toNewRoot: newMember.rootIndex))
        let a = "\(SQLIdentifier.quoted(ownerTable)) AS a", b = "\(SQLIdentifier.quoted(memberTable)) AS b"
        var memberPosition = "NULL", ownerPosition = "NULL"
        let inverse = layout.oldInverse(of: origin)
        let tables: String
        let rows: Int64
        switch layout.old.storage(of: origin) {
        case .toOne(let column, _):
            if let inverse, case .toMany(let foreignKey) = layout.old.storage(of: inverse), let order = foreignKey.order {
                ownerPosition = "a.\(SQLIdentifier.quoted(order))"
            }
            tables = "\(a) JOIN \(b) ON b.Z_PK = a.\(SQLIdentifier.quoted(column))"
            rows = try self.rows(ownerTable)
        case .toMany(let foreignKey):
            if let order = foreignKey.order { memberPosition = "b.\(SQLIdentifier.quoted(order))" }
            tables = "\(b) JOIN \(a) ON a.Z_PK = b.\(SQLIdentifier.quoted(foreignKey.key))"
            rows = try self.rows(memberTable)
        case .join(let side):
            if let order = side.order { memberPosition = "j.\(SQLIdentifier.quoted(order))" }
            if let inverse, inverse !== origin, case .join(let back) = layout.old.storage(of: inverse), let order = back.order {
                ownerPosition = "j.\(SQLIdentifier.quoted(order))"
            }
            tables =
                "\(SQLIdentifier.quoted(side.table)) AS j JOIN \(a) ON a.Z_PK = j.\(SQLIdentifier.quoted(side.owner)) "
                + "JOIN \(b) ON b.Z_PK = j.\(SQLIdentifier.quoted(side.member))"
            rows = try self.rows(side.table)
        case .attribute, .none: return nil
        }
        let values =
            isFirst
            ? "\(owner) AS o, \(member) AS m, \(memberPosition) AS oo, \(ownerPosition) AS mo"
            : "\(member) AS o, \(owner) AS m, \(ownerPosition) AS oo, \(memberPosition) AS mo"
        return (
            "SELECT \(values) FROM \(tables) WHERE a.Z_ENT IN \(MigrationLayout.list(owners)) AND b.Z_ENT IN \(MigrationLayout.list(members))",
            rows
        )
    }

    /// Writes the keys of a to-one relationship.
    private func writeKeys(
        _ side: Property, isFirst: Bool, _ key: String, _ entityColumn: String?, _ opposite: Property?, from pairs: String
    ) throws {
        let target = layout.mapping.destination
        guard let table = layout.newTable(target.entities[side.declaringEntityIndex].rootIndex) else { return }
        let (own, other) = isFirst ? ("o", "m") : ("m", "o")
        let name = SQLIdentifier.quoted(table)
        pairChecks.append(
            MigrationStep(
                "check that \(side.qualifiedName) leads to one object",
                [
                    "SELECT \(own) AS Z_PK, (SELECT Z_ENT FROM \(name) WHERE Z_PK = \(own)) FROM temp.\(pairs) GROUP BY \(own) "
                        + "HAVING count(*) > 1 LIMIT \(MigrationViolation.limit)"
                ], kind: .check(.severalDestinations(property: side.qualifiedName))))
        func found(_ value: String) -> String { "(SELECT \(value) FROM temp.\(pairs) WHERE \(own) = \(name).Z_PK LIMIT 1)" }
        var assignments = ["\(SQLIdentifier.quoted(key)) = \(found(other))"]
        if let entityColumn, let destination = layout.newTable(target.entities[side.destinationIndex].rootIndex) {
            assignments.append(
                "\(SQLIdentifier.quoted(entityColumn)) = (SELECT d.Z_ENT FROM temp.\(pairs) JOIN \(SQLIdentifier.quoted(destination)) AS d "
                    + "ON d.Z_PK = \(other) WHERE \(own) = \(name).Z_PK LIMIT 1)")
        }
        if let opposite, case .toMany(let foreignKey) = layout.new.storage(of: opposite), let order = foreignKey.order {
            assignments.append("\(SQLIdentifier.quoted(order)) = \(found(isFirst ? "mo" : "oo"))")
        }
        pairFills.append(
            MigrationStep(
                "write \(side.qualifiedName)",
                ["UPDATE \(name) SET \(assignments.joined(separator: ", ")) WHERE Z_PK IN (SELECT \(own) FROM temp.\(pairs))"],
                rows: try rows(ofOldFamily: side)))
    }

    /// Writes the owners of a to-many relationship without an inverse to its members.
    private func writeOwners(_ side: Property, _ foreignKey: ForeignKey, from pairs: String) throws {
        let name = SQLIdentifier.quoted(foreignKey.table)
        pairChecks.append(
            MigrationStep(
                "check that members of \(side.qualifiedName) have one owner",
                [
                    "SELECT m AS Z_PK, (SELECT Z_ENT FROM \(name) WHERE Z_PK = m) FROM temp.\(pairs) GROUP BY m HAVING count(*) > 1 "
                        + "LIMIT \(MigrationViolation.limit)"
                ], kind: .check(.severalDestinations(property: "the owner of \(side.qualifiedName)"))))
        func found(_ value: String) -> String { "(SELECT \(value) FROM temp.\(pairs) WHERE m = \(name).Z_PK LIMIT 1)" }
        var assignments = ["\(SQLIdentifier.quoted(foreignKey.key)) = \(found("o"))"]
        if let order = foreignKey.order { assignments.append("\(SQLIdentifier.quoted(order)) = \(found("oo"))") }
        pairFills.append(
            MigrationStep(
                "write \(side.qualifiedName)",
                ["UPDATE \(name) SET \(assignments.joined(separator: ", ")) WHERE Z_PK IN (SELECT m FROM temp.\(pairs))"],
                rows: try rows(ofOldFamily: side)))
    }

    /// The rows in which a relationship is going to be written, about.
    private func rows(ofOldFamily side: Property) throws -> Int64 {
        let origin = layout.mapping.origin(of: layout.mapping.destination.entities[side.declaringEntityIndex])
        guard let origin, let table = layout.oldTable(origin.rootIndex) else { return 0 }
        return try rows(table)
    }

    /// Orders members that had no order by their keys.
    private func number(_ foreignKey: ForeignKey, _ order: String) throws {
        let name = SQLIdentifier.quoted(foreignKey.table), key = SQLIdentifier.quoted(foreignKey.key), column = SQLIdentifier.quoted(order)
        let working = "pinview_order_\(fills.count + 1)"
        fills.append(
            MigrationStep(
                "number the members by \(foreignKey.table).\(order)",
                [
                    "CREATE TEMP TABLE \(working) (k INTEGER PRIMARY KEY, r INTEGER)",
                    "INSERT INTO temp.\(working) SELECT Z_PK, \(Self.position(of: "Z_PK", by: column, within: key)) FROM \(name) "
                        + "WHERE \(key) IS NOT NULL",
                    "UPDATE \(name) SET \(column) = (SELECT r FROM temp.\(working) WHERE k = \(name).Z_PK) WHERE \(key) IS NOT NULL",
                    "DROP TABLE temp.\(working)",
                ], rows: isInFile(foreignKey.table) ? try rows(foreignKey.table) : 0))
    }

    // MARK: Join tables

    private func planJoin(_ property: Property, _ side: JoinSide, _ inverse: Property?) throws {
        guard let table = layout.new.joinTables.first(where: { $0.name == side.table }) else { return }
        if let old = oldJoin(property, inverse) { return try carry(old, to: property, side, table) }
        if let inverse, case .join(let back) = layout.new.storage(of: inverse), let old = oldJoin(inverse, property) {
            return try carry(old, to: inverse, back, table)
        }
        let working = make(table)
        let hasOrigins = !layout.origins(of: property).isEmpty || !(inverse.map { layout.origins(of: $0).isEmpty } ?? true)
        guard hasOrigins else { return }
        let pairs = try makePairs(property, inverse)
        var names = [side.owner, side.member], values = ["o", "m"]
        if let order = side.order {
            names.append(order)
            values.append("oo")
        }
        if let inverse, case .join(let back) = layout.new.storage(of: inverse), let order = back.order {
            names.append(order)
            values.append("mo")
        }
        rebuilds.append(
            MigrationStep(
                "write \(property.qualifiedName)",
                [
                    "INSERT INTO \(SQLIdentifier.quoted(working)) (\(names.map(SQLIdentifier.quoted).joined(separator: ", "))) "
                        + "SELECT \(values.joined(separator: ", ")) FROM temp.\(pairs) ORDER BY \(table.first == side.owner ? "o, m" : "m, o")",
                    "DROP TABLE temp.\(pairs)",
                ], rows: pairSteps.last?.rows ?? 0))
    }

    /// The old relationship whose join table has all pairs of a new one; nil if there is none.
    private func oldJoin(_ property: Property, _ inverse: Property?) -> (Property, JoinSide)? {
        let origins = layout.origins(of: property)
        guard origins.count == 1, case .join(let side) = layout.old.storage(of: origins[0]) else { return nil }
        let others = inverse.map { layout.origins(of: $0) } ?? []
        guard others.allSatisfy({ $0 === layout.oldInverse(of: origins[0]) }) else { return nil }
        return (origins[0], side)
    }

    /// Makes a join table.
    /// - Returns: the name that it has until old tables are gone.
    private func make(_ table: JoinTable) -> String {
        let isTaken = isInFile(table.name)
        let working = isTaken ? temporaryName() : table.name
        rebuilds.append(MigrationStep("create the table \(table.name)", [SchemaNames.creation(of: table, named: working)]))
        if isTaken {
            names.append(.rename("name the new table \(table.name)", table: working, to: table.name))
        }
        return working
    }

    /// Keeps a join table, or copies it to one with other names.
    private func carry(_ old: (property: Property, side: JoinSide), to property: Property, _ side: JoinSide, _ table: JoinTable) throws {
        let (lostOwners, ownerOffset) = columns.owners(of: old.property, as: property)
        let source = layout.mapping.source.entities[old.property.destinationIndex]
        let target = layout.mapping.destination.entities[property.destinationIndex]
        let lostMembers = columns.lostRows(source, asKindOf: target)
        let memberOffset = layout.offset(fromOldRoot: source.rootIndex, toNewRoot: target.rootIndex)
        let owner = SQLIdentifier.quoted(old.side.owner), member = SQLIdentifier.quoted(old.side.member)
        let from = SQLIdentifier.quoted(old.side.table)
        let lost = [lostOwners?.condition(owner), lostMembers?.condition(member)].compactMap { $0 }
        // The other side's positions.
        var oldBack: String?, newBack: String?
        if let inverse = layout.oldInverse(of: old.property), inverse !== old.property,
            case .join(let back) = layout.old.storage(of: inverse)
        {
            oldBack = back.order
        }
        if let inverse = layout.newInverse(of: property), inverse !== property, case .join(let back) = layout.new.storage(of: inverse) {
            newBack = back.order
        }
        func isSame(_ left: String?, _ right: String?) -> Bool { left?.uppercased() == right?.uppercased() }
        if isSame(old.side.table, side.table), isSame(old.side.owner, side.owner), isSame(old.side.member, side.member),
            isSame(old.side.order, side.order), isSame(oldBack, newBack), ownerOffset == 0, memberOffset == 0
        {
            keptTables.insert(side.table.uppercased())
            guard !lost.isEmpty else { return }
            fixes.append(
                MigrationStep(
                    "delete pairs of deleted objects", ["DELETE FROM \(from) WHERE \(lost.joined(separator: " OR "))"],
                    rows: try rows(old.side.table)))
            return
        }
        let working = make(table)
        var names = [side.owner, side.member]
        var values = [ownerOffset == 0 ? owner : "\(owner) + \(ownerOffset)", memberOffset == 0 ? member : "\(member) + \(memberOffset)"]
        func addOrder(_ new: String?, _ old: String?, _ own: String, _ other: String) {
            guard let new else { return }
            names.append(new)
            values.append(old.map(SQLIdentifier.quoted) ?? Self.position(of: other, by: other, within: own))
        }
        addOrder(side.order, old.side.order, owner, member)
        addOrder(newBack, oldBack, member, owner)
        let condition = lost.isEmpty ? "" : " WHERE NOT (\(lost.map { "(\($0))" }.joined(separator: " OR ")))"
        rebuilds.append(
            MigrationStep(
                "move the pairs of \(old.side.table) to \(table.name)",
                [
                    "INSERT INTO \(SQLIdentifier.quoted(working)) (\(names.map(SQLIdentifier.quoted).joined(separator: ", "))) "
                        + "SELECT \(values.joined(separator: ", ")) FROM \(from)\(condition) ORDER BY \(table.first == side.owner ? "1, 2" : "2, 1")"
                ], rows: try rows(old.side.table)))
    }
}
