import PinviewGenerations
import PinviewModel

/// Derives a model from a store's tables, for stores whose model is not known.
///
///     Z_PRIMARYKEY                  entities, their numbers and parents
///     ZNAME VARCHAR                 an attribute: `name`, a string
///     ZOWNER + Z4_OWNER             a to-one relationship to entity 4, which has sub-entities
///     ZOWNER with an index          a to-one relationship, if there is an entity of that name
///     Z5WHEELS                      a to-many relationship of entity 5 without an inverse
///     Z_4TASK (Z_4NOTES, Z_11TASK)  a many-to-many relationship and its inverse
///
/// What the tables do not say: upper and lower case of names (all are in lower case), which
/// sub-entity has a column (the parent has them all), and which integers are keys of other rows
/// where no name says so (they stay numbers).
struct SchemaModel {
    /// Among the version identifiers of such a model, by which it is known again.
    static let identifier = "PinviewSchema"

    static func isMade(_ model: ManagedObjectModel) -> Bool { model.versionIdentifiers.contains(identifier) }

    private let contents: StoreContents
    /// Upper-case names of indexes.
    private let indexes: Set<String>
    private var entities: [Int32: EntityDescription] = [:]
    private var roots: [Int32: Int32] = [:]
    private var warnings: [String] = []

    static func model(_ contents: StoreContents, _ connection: Connection) throws -> ManagedObjectModel {
        let statement = try connection.statement("SELECT name FROM sqlite_master WHERE type = 'index'")
        defer { statement.reset() }
        var indexes: Set<String> = []
        while try statement.step() { indexes.insert(statement.string(0).uppercased()) }
        var made = SchemaModel(contents: contents, indexes: indexes)
        try made.findEntities()
        for number in made.entities.keys.sorted() where made.roots[number] == number { made.findProperties(ofRoot: number) }
        for table in contents.tables.joinTableNames { made.findJoin(table) }
        do throws(PinviewError) {
            return try ManagedObjectModel(
                ModelContents(
                    entities: made.entities.sorted { $0.key < $1.key }.map(\.value), versionIdentifiers: [identifier],
                    warnings: made.warnings),
                checking: .lenient)
        } catch {
            throw StoreContentsError(description: "no model can be derived from its tables: \(error.message)")
        }
    }

    private init(contents: StoreContents, indexes: Set<String>) {
        self.contents = contents
        self.indexes = indexes
    }

    // MARK: Entities

    private mutating func findEntities() throws {
        let own = contents.numbers.filter { $0.value > 0 && $0.value < StoreContents.firstOwnNumber }
        let names = Dictionary(own.map { ($0.value, $0.key) }, uniquingKeysWith: { min($0, $1) })
        for (name, number) in own.sorted(by: { $0.value < $1.value }) {
            guard names[number] == name else {
                throw StoreContentsError(
                    description: "it is damaged: its table Z_PRIMARYKEY gives the number \(number) to \(names[number] ?? "") and to \(name)"
                )
            }
            var root = number
            var steps = 0
            while let parent = names[root].flatMap({ contents.parents[$0] }), parent != 0 {
                steps += 1
                guard names[parent] != nil, steps <= own.count else {
                    throw StoreContentsError(
                        description:
                            "it is damaged: its table Z_PRIMARYKEY gives the entity \(name.quotedForPeople) parents that do not exist "
                            + "or form a circle")
                }
                root = parent
            }
            guard contents.tables["Z" + (names[root] ?? "").uppercased()] != nil else {
                warnings.append("The entity \(name) has no table.")
                continue
            }
            roots[number] = root
            entities[number] = EntityDescription(
                name: name, superentityName: contents.parents[name].flatMap { $0 == 0 ? nil : names[$0] })
        }
    }

    // MARK: Attributes and keys

    private mutating func findProperties(ofRoot number: Int32) {
        guard let name = entities[number]?.name, let table = contents.tables["Z" + name.uppercased()] else { return }
        let columns = table.columns.filter { $0.name.uppercased().hasPrefix("Z") }
        let names = Set(columns.map { $0.name.uppercased() })
        let destinations = Self.destinations(names)
        for column in columns {
            let upper = column.name.uppercased()
            if ["Z_PK", "Z_ENT", "Z_OPT"].contains(upper) || upper.hasPrefix("Z_FOK_") { continue }
            let (digits, rest) = Self.numbered(upper.dropFirst())
            if digits != nil, rest.hasPrefix("_"), names.contains("Z" + rest.dropFirst()) { continue }
            if let owner = digits, entities[owner] != nil, !rest.isEmpty {
                addRelationship(
                    RelationshipDescription(
                        name: rest.lowercased(), destinationEntityName: name, isToMany: true,
                        isOrdered: names.contains("Z_FOK_\(owner)\(rest)")),
                    to: owner)
                continue
            }
            let property = upper.dropFirst().lowercased()
            guard isFree(property, in: number) else {
                warnings.append("The column \(table.name).\(column.name) has a name that no property can have.")
                continue
            }
            if let destination = destinations[upper] ?? keyDestination(upper, column.type, table.name), let entity = entities[destination] {
                addRelationship(RelationshipDescription(name: property, destinationEntityName: entity.name), to: number)
            } else {
                entities[number]?.attributes.append(AttributeDescription(name: property, attributeType: Self.type(column.type)))
            }
        }
    }

    /// By key column: the entity that the column beside it names.
    private static func destinations(_ names: Set<String>) -> [String: Int32] {
        var result: [String: Int32] = [:]
        for name in names {
            let (number, rest) = numbered(name.dropFirst())
            if let number, rest.hasPrefix("_") { result["Z" + rest.dropFirst()] = number }
        }
        return result
    }

    /// The entity that a key without a second column leads to, if its name says so. Every key has
    /// an index.
    private func keyDestination(_ column: String, _ type: String, _ table: String) -> Int32? {
        guard type.uppercased() == "INTEGER", indexes.contains("\(table.uppercased())_\(column)_INDEX") else { return nil }
        let name = column.dropFirst()
        return entities.first { $0.value.name.uppercased() == name && !hasSubentities($0.key) }?.key
    }

    private func hasSubentities(_ number: Int32) -> Bool { contents.parents.values.contains(number) }

    private static func type(_ declared: String) -> AttributeType {
        switch DeclaredType(declared) {
        case .integer: .integer64
        case .real: .double
        case .decimal: .decimal
        case .date: .date
        case .text: .string
        case .blob, .other: .binaryData
        }
    }

    // MARK: Many-to-many

    private mutating func findJoin(_ table: String) {
        let columns = (contents.tables.columns(of: table) ?? []).map { $0.uppercased() }
        let keys = columns.filter { !$0.hasPrefix("Z_FOK_") }
        let (owner, name) = Self.numbered(table.uppercased().dropFirst(2))
        guard let owner, let source = entities[owner], !name.isEmpty, keys.count == 2,
            let member = keys.first(where: { Self.isNamed($0, name) })
        else { return warnings.append("The name and columns of the table \(table) do not say which relationship it belongs to.") }
        let other = keys[0] == member ? keys[1] : keys[0]
        let destination = Self.numbered(member.dropFirst(2)).number
        guard let destination, let target = entities[destination] else {
            return warnings.append("The table \(table) leads to an entity that the store does not have.")
        }
        func isOrdered(_ column: String) -> Bool { columns.contains(JoinSide.orderColumn(ofMember: column)) }
        if other == "REFLEXIVE" || Self.isNamed(other, name) && destination == owner {
            return addRelationship(
                RelationshipDescription(
                    name: name.lowercased(), destinationEntityName: target.name, inverseRelationshipName: name.lowercased(), isToMany: true,
                    isOrdered: isOrdered(member)), to: owner)
        }
        let (back, inverse) = Self.numbered(other.dropFirst(2))
        guard back == owner, other.hasPrefix("Z_"), !inverse.isEmpty, isFree(name.lowercased(), in: owner),
            isFree(inverse.lowercased(), in: destination)
        else { return warnings.append("The table \(table) has a column \(other), which does not lead back.") }
        addRelationship(
            RelationshipDescription(
                name: name.lowercased(), destinationEntityName: target.name, inverseRelationshipName: inverse.lowercased(), isToMany: true,
                isOrdered: isOrdered(member)), to: owner)
        addRelationship(
            RelationshipDescription(
                name: inverse.lowercased(), destinationEntityName: source.name, inverseRelationshipName: name.lowercased(), isToMany: true,
                isOrdered: isOrdered(other)), to: destination)
    }

    /// Whether a column is `Z_<number><name>`, perhaps with digits behind it.
    private static func isNamed(_ column: String, _ name: Substring) -> Bool {
        let (number, rest) = numbered(column.dropFirst(2))
        return column.hasPrefix("Z_") && number != nil && rest.hasPrefix(name) && rest.dropFirst(name.count).allSatisfy(\.isNumber)
    }

    // MARK: Names

    /// A number, and what follows it.
    private static func numbered(_ text: Substring) -> (number: Int32?, rest: Substring) {
        let digits = text.prefix { ("0"..."9").contains($0) }
        return (Int32(digits), text.dropFirst(digits.count))
    }

    private static let reserved: Set<String> = ["self", "objectid", "entity", "managedobjectcontext"]

    private func isFree(_ name: String, in number: Int32) -> Bool {
        guard !Self.reserved.contains(name), !name.isEmpty, let entity = entities[number] else { return false }
        guard name.unicodeScalars.allSatisfy({ $0.properties.isAlphabetic || $0.properties.numericType == .decimal || $0 == "_" }),
            name.first.map({ !$0.isNumber }) ?? false
        else { return false }
        return !entity.attributes.contains { $0.name == name } && !entity.relationships.contains { $0.name == name }
    }

    private mutating func addRelationship(_ relationship: RelationshipDescription, to number: Int32) {
        guard isFree(relationship.name, in: number) else {
            return warnings.append(
                "\(entities[number]?.name ?? "").\(relationship.name) stands for a column and a relationship, or cannot be a name.")
        }
        entities[number]?.relationships.append(relationship)
    }
}
