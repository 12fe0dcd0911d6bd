import PinviewModel

/// The tables of a file with their columns.
struct ExistingTables {
    private var columnsByTable: [[UInt8]: [String]] = [:]

    /// Adds a column. SQLite's names are the same in upper and lower case (of ASCII).
    mutating func add(column: String, of table: String) {
        columnsByTable[Self.folded(table), default: []].append(column)
    }

    func columns(of table: String) -> [String]? { columnsByTable[Self.folded(table)] }

    /// The column of that name as the file spells it.
    func column(_ name: String, of table: String) -> String? {
        columns(of: table)?.first { Self.folded($0) == Self.folded(name) }
    }

    /// A column of that name but for digits at its end.
    func column(like name: String, of table: String, besides other: String? = nil) -> String? {
        let stem = Self.withoutDigits(name)
        return columns(of: table)?.first { Self.withoutDigits($0) == stem && $0 != other }
    }

    private static func folded(_ name: String) -> [UInt8] {
        name.utf8.map { $0 >= UInt8(ascii: "a") && $0 <= UInt8(ascii: "z") ? $0 - 32 : $0 }
    }

    private static func withoutDigits(_ name: String) -> [UInt8] {
        var bytes = folded(name)
        while let last = bytes.last, last >= UInt8(ascii: "0"), last <= UInt8(ascii: "9") { bytes.removeLast() }
        return bytes
    }
}

extension SchemaNames {
    /// The same schema with the names that a file really has: files made by Core Data can differ in the numbers inside names.
    /// - Returns: what the file lacks, for people.
    mutating func match(_ existing: ExistingTables) -> [String] {
        var missing: [String] = []
        for table in tables where existing.columns(of: table.name) == nil {
            missing.append("table \(table.name)")
        }
        guard missing.isEmpty else { return missing }
        for entity in model.entities where numbers.has(entityIndex: entity.index) {
            guard let table = tables.first(where: { $0.rootIndex == entity.rootIndex })?.name else { continue }
            for property in entity.properties.dropFirst(Self.inheritedCount(entity, model)) {
                let (storage, lacks) = matched(storage(of: property), of: property, table: table, existing)
                missing += lacks
                setStorage(storage, of: property)
            }
        }
        return missing
    }

    private func matched(
        _ storage: PropertyStorage, of property: Property, table: String, _ existing: ExistingTables
    ) -> (PropertyStorage, [String]) {
        switch storage {
        case .none:
            return (.none, [])
        case .attribute(let column):
            guard let found = existing.column(column, of: table) else { return (.none, ["column \(table).\(column)"]) }
            return (.attribute(column: found), [])
        case .toOne(let key, let entity):
            guard let foundKey = existing.column(key, of: table) else {
                return (.none, numbers.has(entityIndex: property.destinationIndex) ? ["column \(table).\(key)"] : [])
            }
            guard let entity else { return (.toOne(key: foundKey, entity: nil), []) }
            guard let foundEntity = existing.column(entity, of: table) ?? numberedColumn(endingIn: "_\(key.dropFirst())", table, existing)
            else {
                return (.none, ["column \(table).\(entity)"])
            }
            return (.toOne(key: foundKey, entity: foundEntity), [])
        case .toMany(var foreignKey):
            guard let key = existing.column(foreignKey.key, of: foreignKey.table) else {
                return (.none, ["column \(foreignKey.table).\(foreignKey.key)"])
            }
            foreignKey.key = key
            if let order = foreignKey.order {
                guard let found = existing.column(order, of: foreignKey.table) else {
                    return (.none, ["column \(foreignKey.table).\(order)"])
                }
                foreignKey.order = found
            }
            return (.toMany(foreignKey), [])
        case .join(let side):
            return matchedJoin(side, existing)
        }
    }

    /// `Z22_OWNER` for `_OWNER`.
    private func numberedColumn(endingIn suffix: String, _ table: String, _ existing: ExistingTables) -> String? {
        existing.columns(of: table)?.first { column in
            guard column.first == "Z", column.hasSuffix(suffix) else { return false }
            let digits = column.dropFirst().dropLast(suffix.count)
            return !digits.isEmpty && digits.allSatisfy { $0 >= "0" && $0 <= "9" }
        }
    }

    private func matchedJoin(_ side: JoinSide, _ existing: ExistingTables) -> (PropertyStorage, [String]) {
        guard existing.columns(of: side.table) != nil else { return (.none, ["table \(side.table)"]) }
        var side = side
        let owner = existing.column(side.owner, of: side.table)
        let member = existing.column(side.member, of: side.table)
        guard let foundOwner = owner ?? existing.column(like: side.owner, of: side.table, besides: member) else {
            return (.none, ["column \(side.table).\(side.owner)"])
        }
        guard let foundMember = member ?? existing.column(like: side.member, of: side.table, besides: foundOwner) else {
            return (.none, ["column \(side.table).\(side.member)"])
        }
        side.owner = foundOwner
        side.member = foundMember
        if let order = side.order {
            let actual = JoinSide.orderColumn(ofMember: foundMember)
            guard let found = existing.column(actual, of: side.table) ?? existing.column(like: order, of: side.table) else {
                return (.none, ["column \(side.table).\(order)"])
            }
            side.order = found
        }
        return (.join(side), [])
    }
}
