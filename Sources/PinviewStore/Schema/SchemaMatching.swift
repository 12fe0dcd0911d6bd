import PinviewModel

/// The tables of a file with their columns.
struct ExistingTables {
    struct Column {
        let name: String
        /// As it is declared; empty where it is not.
        let type: String
        fileprivate let foldedName: String
    }

    struct Table {
        let name: String
        fileprivate(set) var columns: [Column] = []

        func column(named name: String) -> Column? {
            let name = ExistingTables.folded(name)
            return columns.first { $0.foldedName == name }
        }
    }

    private var tables: [String: Table] = [:]

    /// Adds a table. SQLite's names are the same in upper and lower case (of ASCII).
    mutating func add(_ name: String, columns: [(name: String, type: String)]) {
        var table = Table(name: name)
        table.columns = columns.map { Column(name: $0.name, type: $0.type, foldedName: Self.folded($0.name)) }
        tables[Self.folded(name)] = table
    }

    var isEmpty: Bool { tables.isEmpty }

    subscript(table: String) -> Table? { tables[Self.folded(table)] }

    func columns(of table: String) -> [String]? { self[table]?.columns.map(\.name) }

    /// The column of that name as the file spells it.
    func column(_ name: String, of table: String) -> String? { self[table]?.column(named: name)?.name }

    /// The tables named `Z_` and a number, as those of many-to-many relationships are, by name.
    var joinTableNames: [String] {
        tables.values.map(\.name).filter { name in
            name.hasPrefix("Z_") && name.utf8.dropFirst(2).first.map { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) } ?? false
        }.sorted()
    }

    /// All tables, by name.
    var all: [Table] { tables.values.sorted { $0.name < $1.name } }

    /// What two names have in common that are one for SQLite.
    static func folded(_ name: String) -> String {
        let isFolded = name.utf8.withContiguousStorageIfAvailable { bytes in bytes.allSatisfy { $0 < 0x80 && !isLowercase($0) } }
        if isFolded == true { return name }
        // A character for each byte: Swift would take two spellings of an accented letter for one,
        // SQLite does not.
        var folded = ""
        for byte in name.utf8 { folded.unicodeScalars.append(Unicode.Scalar(isLowercase(byte) ? byte - 32 : byte)) }
        return folded
    }

    private static func isLowercase(_ byte: UInt8) -> Bool { byte >= UInt8(ascii: "a") && byte <= UInt8(ascii: "z") }
}

/// The differences between a file and a model, in words for people.
struct SchemaMismatch {
    /// Columns and join tables that the model needs.
    var missing: [String] = []
    /// What belongs to something that exists: the table of an entity, the column with the order of
    /// members or with a destination's entity.
    var incomplete: [String] = []
    /// Tables and columns that the model knows nothing of. Empty ones are leftovers, as migrations
    /// leave them; with values in them they are a property that the model lacks.
    var unknown: [(table: String, column: String?)] = []
    /// What is there, but means something else.
    var different: [String] = []
    /// What is ambiguous, even if other evidence shows that the model is the store's.
    var ambiguous: [String] = []
}

extension SchemaNames {
    /// Takes the names that a file really has: files made by Core Data can differ in the numbers
    /// inside names, and a join table is named after either end of its relationship. All SQL is
    /// made of what is decided here.
    ///
    /// - Parameters:
    ///   - allowsGaps: whether the file may lack properties, which then have no place.
    ///   - findsUnknown: whether to look for what the model knows nothing of.
    /// - Returns: what does not fit.
    mutating func match(_ existing: ExistingTables, allowsGaps: Bool = false, findsUnknown: Bool = true) -> SchemaMismatch {
        self.allowsGaps = allowsGaps
        var mismatch = SchemaMismatch()
        for table in tables where existing[table.name] == nil {
            mismatch.incomplete.append("the table \(table.name)")
        }
        guard mismatch.incomplete.isEmpty else { return mismatch }
        var sharing = SharedColumnNames()
        var claims = JoinTableClaims()
        for entity in model.entities where numbers.has(entityIndex: entity.index) {
            guard let table = tableName(of: entity), let found = existing[table] else { continue }
            for property in entity.properties.dropFirst(Self.inheritedCount(entity, model)) {
                let named = storage(of: property)
                let storage = matched(named, of: property, table: table, found, existing, &mismatch)
                if allowsGaps { sharing.add(property, table, isFound: storage != .none, isNamed: named != .none) }
                if case .join(let side) = storage { claims.add(side.table, property, inverse(of: property)) }
                setStorage(storage, of: property)
            }
        }
        for (table, names) in claims.conflicts {
            mismatch.ambiguous.append("the table \(table) could be that of \(names.joined(separator: " and of "))")
        }
        for names in sharing.conflicts {
            mismatch.ambiguous.append("one column could be that of \(names.joined(separator: " or of "))")
        }
        if findsUnknown { findUnknownNames(existing, &mismatch) }
        return mismatch
    }

    private func matched(
        _ storage: PropertyStorage, of property: Property, table: String, _ columns: ExistingTables.Table, _ existing: ExistingTables,
        _ mismatch: inout SchemaMismatch
    ) -> PropertyStorage {
        func found(_ name: String, of table: String) -> String? {
            if let name = existing.column(name, of: table) { return name }
            mismatch.missing.append("the column \(table).\(name)")
            return nil
        }
        switch storage {
        case .none:
            return .none
        case .attribute(let column):
            guard let found = columns.column(named: column) else {
                mismatch.missing.append("the column \(table).\(column)")
                return .none
            }
            check(found, of: table, holds: property, needs: property.attributeType.columnType, &mismatch)
            return .attribute(column: found.name)
        case .toOne(let key, let entity):
            guard let foundKey = columns.column(named: key) else {
                if numbers.has(entityIndex: property.destinationIndex) { mismatch.missing.append("the column \(table).\(key)") }
                return .none
            }
            check(foundKey, of: table, holds: property, needs: "INTEGER", &mismatch)
            guard let entity else { return .toOne(key: foundKey.name, entity: nil) }
            guard let foundEntity = columns.column(named: entity)?.name ?? numberedColumn(endingIn: "_\(key.dropFirst())", columns) else {
                // Where the file has only one of the entities, there is no need to tell them apart.
                let family = model.entities[property.destinationIndex].familyIndexes.filter { numbers.has(entityIndex: $0) }
                if family.count < 2, allowsGaps { return .toOne(key: foundKey.name, entity: nil) }
                mismatch.incomplete.append("the column \(table).\(entity)")
                return .none
            }
            return .toOne(key: foundKey.name, entity: foundEntity)
        case .toMany(var foreignKey):
            guard let key = found(foreignKey.key, of: foreignKey.table) else { return .none }
            foreignKey.key = key
            if let order = foreignKey.order {
                guard let found = existing.column(order, of: foreignKey.table) else {
                    mismatch.incomplete.append("the column \(foreignKey.table).\(order)")
                    return .none
                }
                foreignKey.order = found
            }
            return .toMany(foreignKey)
        case .join(let side):
            return matchedJoin(side, of: property, existing, &mismatch)
        }
    }

    /// Declared types tell a text from a date, and one number from another; a column without a type
    /// could be anything.
    private func check(
        _ column: ExistingTables.Column, of table: String, holds property: Property, needs type: String, _ mismatch: inout SchemaMismatch
    ) {
        guard property.isRelationship || property.attributeType != .undefined else { return }
        guard !column.type.isEmpty, column.type != type, DeclaredType(column.type) != DeclaredType(type) else { return }
        mismatch.different.append(
            "the column \(table).\(column.name) is declared \(column.type.quotedForPeople), not \(type) as \(property.qualifiedName) needs it"
        )
    }

    /// `Z22_OWNER` for `_OWNER`.
    private func numberedColumn(endingIn suffix: String, _ table: ExistingTables.Table) -> String? {
        table.columns.lazy.map(\.name).first { column in
            guard column.first == "Z", column.hasSuffix(suffix) else { return false }
            let digits = column.dropFirst().dropLast(suffix.count)
            return !digits.isEmpty && digits.allSatisfy { $0 >= "0" && $0 <= "9" }
        }
    }

    // MARK: Join tables

    private func matchedJoin(
        _ side: JoinSide, of property: Property, _ existing: ExistingTables, _ mismatch: inout SchemaMismatch
    ) -> PropertyStorage {
        guard let inverse = inverse(of: property) else { return .none }
        let matches = JoinTableMatching(
            existing: existing, relationship: end(property, inverse: inverse), inverse: end(inverse, inverse: property)
        ).matches()
        guard let match = matches.first else {
            mismatch.missing.append("the table \(side.table) of \(property.qualifiedName)")
            return .none
        }
        guard matches.count == 1 else {
            mismatch.ambiguous.append(
                "the tables \(matches.map(\.table).joined(separator: " and ")) could both be that of \(property.qualifiedName)")
            return .none
        }
        var side = JoinSide(table: match.table, owner: match.owner, member: match.member, order: nil)
        if property.isOrdered {
            let name = JoinSide.orderColumn(ofMember: match.member)
            guard let order = existing.column(name, of: match.table) ?? onlyOrderColumn(of: match.table, existing) else {
                mismatch.incomplete.append("the column \(match.table).\(name)")
                return .none
            }
            side.order = order
        }
        return .join(side)
    }

    private func end(_ property: Property, inverse: Property) -> JoinTableMatching.End {
        JoinTableMatching.End(
            name: property.name.uppercased(),
            numbers: [
                numbers.number(ofEntityIndex: property.declaringEntityIndex), numbers.number(ofEntityIndex: inverse.destinationIndex),
            ])
    }

    private func onlyOrderColumn(of table: String, _ existing: ExistingTables) -> String? {
        let columns = (existing.columns(of: table) ?? []).filter { $0.uppercased().hasPrefix("Z_FOK_") }
        return columns.count == 1 ? columns[0] : nil
    }

    /// The tables of many-to-many relationships, as the properties have them.
    var usedJoinTables: Set<String> {
        Set(
            declarations.compactMap { _, property in
                if case .join(let side) = storage(of: property) { return side.table }
                return nil
            })
    }

    /// Elements of composite attributes whose columns would have one name without a digit, for
    /// people. Which of them has which digit only the maker of a file knows.
    var elementsInDoubt: [String] {
        let stored = declarations.filter { $0.property.isStored && $0.property.isAttribute }
        let groups = Dictionary(grouping: stored) { "\($0.entity.rootIndex) \($0.property.lastKey.uppercased())" }
        return groups.values.filter { $0.count > 1 && $0.contains(where: \.property.isElement) }.map { group in
            "the column Z\(group[0].property.lastKey.uppercased()) and those with a digit after it could be those of "
                + group.map(\.property.qualifiedName).sorted().joined(separator: " and of ")
        }.sorted()
    }

    // MARK: What the model does not know

    /// Collects the columns of the model's tables, and the tables of relationships, that no
    /// property has.
    private func findUnknownNames(_ existing: ExistingTables, _ mismatch: inout SchemaMismatch) {
        var used: [String: Set<String>] = [:]
        for table in tables { used[table.name] = ["Z_PK", "Z_ENT", "Z_OPT"] }
        for (entity, property) in declarations {
            guard let table = tableName(of: entity) else { continue }
            switch storage(of: property) {
            case .none, .join: break
            case .attribute(let column): used[table]?.insert(column)
            case .toOne(let key, let entity): used[table]?.formUnion([key] + (entity.map { [$0] } ?? []))
            case .toMany(let foreignKey): used[foreignKey.table]?.formUnion([foreignKey.key] + (foreignKey.order.map { [$0] } ?? []))
            }
        }
        for table in tables {
            let known = used[table.name, default: []]
            let unknown = (existing.columns(of: table.name) ?? []).filter { $0.hasPrefix("Z") && !known.contains($0) }
            if unknown.isEmpty { continue }
            let stems = Set(known.map(Self.withoutDigits))
            for column in unknown {
                // Of two properties of one name, the model may have the other one.
                if stems.contains(Self.withoutDigits(column)) || isAuxiliary(column, of: known) {
                    mismatch.different.append(
                        "the column \(table.name).\(column) belongs to a property that the model lacks or has in another form")
                } else {
                    mismatch.unknown.append((table.name, column))
                }
            }
        }
        let joinTables = usedJoinTables
        // A store of several configurations has tables for entities that are not opened.
        let opened = Set(model.entities.map { numbers.number(ofEntityIndex: $0.index) })
        for table in existing.joinTableNames where !joinTables.contains(table) {
            let number = Int32(String(table.dropFirst(2).prefix { $0 >= "0" && $0 <= "9" })) ?? 0
            if opened.contains(number), number > 0 { mismatch.unknown.append((table, nil)) }
        }
    }

    /// Whether the column is the order or the destination's entity of a key that the model has.
    private func isAuxiliary(_ column: String, of known: Set<String>) -> Bool {
        if column.hasPrefix("Z_FOK_") { return known.contains("Z" + column.dropFirst(6)) }
        let rest = column.dropFirst().drop { $0 >= "0" && $0 <= "9" }
        return rest.first == "_" && rest.count < column.count - 1 && known.contains("Z" + rest.dropFirst())
    }

    private static func withoutDigits(_ name: String) -> Substring {
        var end = name.endIndex
        while end > name.startIndex, ("0"..."9").contains(name[name.index(before: end)]) { end = name.index(before: end) }
        return name[..<end]
    }
}

/// Properties of sub-entities that share a name, so that all but one have a digit behind that of
/// their column. Where some of the columns may be missing, nothing tells whose the others are.
private struct SharedColumnNames {
    private struct Column: Hashable {
        let table: String
        let name: String
    }

    private var properties: [Column: [(property: Property, isFound: Bool)]] = [:]

    mutating func add(_ property: Property, _ table: String, isFound: Bool, isNamed: Bool) {
        guard isNamed, property.isStored else { return }
        properties[Column(table: table, name: property.lastKey.uppercased()), default: []].append((property, isFound))
    }

    var conflicts: [[String]] {
        properties.values.filter { sharing in sharing.contains { $0.isFound } && sharing.contains { !$0.isFound } }
            .map { $0.map(\.property.qualifiedName).sorted() }.sorted { $0[0] < $1[0] }
    }
}

/// Which relationships have taken which join table.
private struct JoinTableClaims {
    private var names: [String: [String]] = [:]
    private var order: [String] = []

    mutating func add(_ table: String, _ relationship: Property, _ inverse: Property?) {
        // Both ends take the same table.
        let ends = [relationship.qualifiedName, inverse?.qualifiedName ?? ""].sorted()
        let name = ends.filter { !$0.isEmpty }.joined(separator: "/")
        if names[table] == nil { order.append(table) }
        if !(names[table] ?? []).contains(name) { names[table, default: []].append(name) }
    }

    var conflicts: [(table: String, names: [String])] {
        order.compactMap { table in
            guard let names = names[table], names.count > 1 else { return nil }
            return (table, names)
        }
    }
}

/// What the declared type of a column says about its values. Other tools spell the types in other
/// ways.
enum DeclaredType: Hashable {
    case integer, real, decimal, date, text, blob
    case other(String)

    init(_ text: String) {
        let name = String(text.uppercased().prefix { $0 != "(" && $0 != " " })
        self =
            switch name {
            case "INTEGER", "INT", "BIGINT", "SMALLINT", "BOOLEAN": .integer
            case "FLOAT", "REAL", "DOUBLE": .real
            case "DECIMAL", "NUMERIC": .decimal
            case "TIMESTAMP", "DATE", "DATETIME": .date
            case "VARCHAR", "TEXT", "CHAR": .text
            case "BLOB": .blob
            default: .other(name)
            }
    }
}
