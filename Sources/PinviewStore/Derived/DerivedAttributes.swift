import PinviewGenerations
import PinviewModel
import PinviewPredicates

/// Keeps the derived attributes of a store current.
///
/// While a transaction writes, temporary triggers of the writer's connection, which are not part of
/// the file, note whose values may be outdated, whoever writes: saves, batch requests, upserts.
/// Before the commit, those values are computed anew, with the same SQL as in predicates:
///
///     UPDATE ZITEM SET ZPRICE = 5    trigger: notes (source 3, the item's key)
///     before COMMIT                  source 3: SELECT ZORDER FROM ZITEM WHERE Z_PK IN (noted keys)
///                                    UPDATE ZORDER SET ZTOTAL = (SELECT …) WHERE Z_PK IN (…)
///
/// Those updates are noted in turn, for attributes that are derived from derived ones.
final class DerivedAttributes: Sendable {
    private struct Attribute {
        let property: Property
        let schema: EntitySchema
        let column: String
        let expression: PinviewExpression
        /// Whether it is the time of the last change.
        let isTimed: Bool
        /// The source of notes of the attribute's own column, which a save of another state can
        /// write.
        var own: Int64 = 0
        /// The outdated rows, by the source of notes: a SELECT of their keys.
        var owners: [(source: Int64, select: String)] = []
    }

    private let schema: StoreSchema
    private let storeNumber: Int32
    private var attributes: [Attribute] { storage.attributes }
    private let storage: Storage
    private static let notes = "pinview_changes", outdated = "pinview_outdated"
    /// Attributes that are derived from each other in a longer chain are taken for a circle.
    private static let longestChain = 50

    /// - Returns: nil for a model without derived attributes.
    /// - Throws: `badModel` for an expression that cannot be kept current.
    init?(_ schema: StoreSchema, storeNumber: Int32) throws(PinviewError) {
        self.schema = schema
        self.storeNumber = storeNumber
        var storage = Storage()
        for entity in schema.model.entities {
            for property in entity.attributes where property.isDerived && property.declaringEntityIndex == entity.index {
                guard let table = schema.entity(at: entity.index), case .attribute(let column) = schema.storage(of: property) else {
                    continue
                }
                try storage.add(property, table, SQLIdentifier.quoted(column), schema, storeNumber)
            }
        }
        guard !storage.attributes.isEmpty else { return nil }
        self.storage = storage
    }

    // MARK: Transactions

    /// Makes a connection note what its transaction changes. The notes are rows, so a statement
    /// that fails rolls its notes back.
    func begin(_ connection: Connection) throws(SQLiteError) {
        for name in [Self.notes, Self.outdated] {
            try connection.execute("CREATE TEMP TABLE IF NOT EXISTS \(name) (source INTEGER, key INTEGER)")
            try connection.execute("DELETE FROM temp.\(name)")
        }
        for (number, trigger) in storage.triggers.enumerated() {
            try connection.execute("CREATE TEMP TRIGGER IF NOT EXISTS pinview_derived_\(number) \(trigger)")
        }
    }

    /// Computes what the transaction has made outdated.
    /// - Returns: the attributes that changed, by row.
    func update(_ connection: Connection) throws -> [Reference: [Property]] {
        var changed: [Reference: [Property]] = [:]
        for _ in 0..<Self.longestChain {
            try connection.execute("INSERT INTO temp.\(Self.outdated) SELECT DISTINCT source, key FROM temp.\(Self.notes)")
            guard connection.changes > 0 else { return changed }
            try connection.execute("DELETE FROM temp.\(Self.notes)")
            let sources = try sources(connection)
            for attribute in attributes {
                let owners = attribute.owners.filter { sources.contains($0.source) }.map(\.select)
                guard !owners.isEmpty else { continue }
                try update(attribute, where: "t0.Z_PK IN (\(owners.joined(separator: " UNION ")))", connection, &changed)
                try connection.execute("DELETE FROM temp.\(Self.notes) WHERE source = \(attribute.own)")
            }
            try connection.execute("DELETE FROM temp.\(Self.outdated)")
        }
        throw circle()
    }

    /// Computes all values of a store that has been migrated. Rows that have a time keep it.
    func fill(_ connection: Connection) throws {
        for _ in 0..<Self.longestChain {
            var changed: [Reference: [Property]] = [:]
            for attribute in attributes {
                try update(attribute, where: attribute.isTimed ? "t0.\(attribute.column) IS NULL" : "1", connection, &changed)
            }
            if changed.isEmpty { return }
        }
        throw circle()
    }

    private func circle() -> PinviewError {
        PinviewError(
            .badModel,
            "Derived attributes depend on each other in a circle: \(attributes.map(\.property.qualifiedName).joined(separator: ", ")). Nothing was written."
        )
    }

    private func sources(_ connection: Connection) throws -> Set<Int64> {
        let statement = try connection.statement("SELECT DISTINCT source FROM temp.\(Self.outdated)")
        defer { statement.reset() }
        var sources: Set<Int64> = []
        while try statement.step() { sources.insert(statement.int64(0)) }
        return sources
    }

    private func update(
        _ attribute: Attribute, where condition: String, _ connection: Connection, _ changed: inout [Reference: [Property]]
    ) throws {
        let value = try Self.value(attribute.property, attribute.expression, attribute.schema, schema, storeNumber)
        var sql = "UPDATE \(attribute.schema.table) AS t0 SET \(attribute.column) = " + value
        sql.append(" WHERE \(condition)")
        if let rows = attribute.schema.entityCondition(includingSubentities: true) { sql.append(" AND \(rows)") }
        sql.append(" AND t0.\(attribute.column) IS NOT ")
        sql.append(value)
        sql.append(" RETURNING Z_PK, Z_ENT")
        let statement = try connection.statement(sql.text)
        defer { statement.reset() }
        try statement.bind(sql.bindings)
        let rows = RowCollector(columnCount: 2, reservingRows: 64)
        _ = try statement.fetch(into: rows)
        let family = attribute.schema.layout.family
        for block in rows.finish().blocks {
            for row in 0..<Int(block.rowCount) {
                changed[try family.reference(block, row: row), default: []].append(attribute.property)
            }
        }
    }

    /// The value for the row `t0`, as SQL.
    private static func value(
        _ property: Property, _ expression: PinviewExpression, _ entity: EntitySchema, _ schema: StoreSchema, _ storeNumber: Int32
    ) throws(PinviewError) -> SQLText {
        let root = entity.entity.rootIndex
        let resolved = try expression.resolved(for: entity.entity, in: schema.model)
        let scope = SQLScope(schema: schema, alias: "s0", rootIndex: root, aliases: AliasCounter())
        var value: SQLText
        if case .attribute(let path, let source) = resolved, source.attributeType == property.attributeType {
            value = SQLText(text: scope.column(of: source, path: path))
        } else {
            let generator = try PredicateSQL(
                schema: schema, storeNumber: storeNumber, predicate: nil, table: entity.table, rootIndex: root)
            let sql = ExpressionSQL(generator: generator)
            if resolved.category == .date, [.double, .float].contains(property.attributeType) {
                // A number that is derived from a time has the seconds that a column of dates has.
                value = "CAST(" + (try sql.sql(resolved, scope)) + " AS REAL)"
            } else {
                value = try sql.assigned(resolved, to: property, scope)
            }
        }
        value = "(SELECT " + value
        value.append(" FROM \(entity.table) AS s0\(scope.joins) WHERE s0.Z_PK = t0.Z_PK)")
        return value
    }

    // MARK: Sources

    /// What is derived, and from what.
    private struct Storage {
        var attributes: [Attribute] = []
        /// What follows the names of the triggers.
        var triggers: [String] = []
        private var sourceCount: Int64 = 0

        mutating func add(
            _ property: Property, _ entity: EntitySchema, _ column: String, _ schema: StoreSchema, _ storeNumber: Int32
        ) throws(PinviewError) {
            let text = property.derivationExpression ?? ""
            do throws(PinviewError) {
                guard !property.allowsExternalBinaryDataStorage else { throw PinviewError(.badModel, "large data cannot be derived") }
                let expression = try PinviewExpression(format: text)
                var dependencies = Dependencies()
                try dependencies.collect(try expression.resolved(for: entity.entity, in: schema.model), schema.model)
                _ = try DerivedAttributes.value(property, expression, entity, schema, storeNumber)
                attributes.append(
                    Attribute(
                        property: property, schema: entity, column: column, expression: expression,
                        isTimed: dependencies.paths.isEmpty && expression.usesTime))
                let own = source([])
                attributes[attributes.count - 1].own = own
                watch("UPDATE OF \(column)", entity.table, ["NEW.Z_PK"], own)
                let rows = source([])
                watch("INSERT", entity.table, ["NEW.Z_PK"], rows)
                if expression.usesTime {
                    let columns = entity.layout.properties.filter { !$0.isDerived }.flatMap { schema.columns(of: $0) }
                    if !columns.isEmpty { watch("UPDATE OF \(Self.list(columns))", entity.table, ["NEW.Z_PK"], rows) }
                }
                for (path, attribute) in dependencies.paths { watch(path, attribute, entity, schema, rows) }
            } catch {
                throw PinviewError(
                    .badModel,
                    "\(property.qualifiedName) is derived by \(text.quotedForPeople), which cannot be kept current: \(error.message) "
                        + "Change the expression, or open the store read-only."
                ).with(underlyingError: error)
            }
        }

        private static func list(_ columns: [String]) -> String { columns.map(SQLIdentifier.quoted).joined(separator: ", ") }

        /// Notes all changes of what a key path of the last attribute leads over.
        private mutating func watch(
            _ path: [ResolvedStep], _ attribute: Property?, _ entity: EntitySchema, _ schema: StoreSchema, _ rows: Int64
        ) {
            var table = entity.table
            // The rows at this point of the path, and how the attribute's rows are found from them.
            var here = rows
            var back: [(String) -> String] = []
            for step in path {
                guard let destination = schema.destination(of: step.property) else { return }
                let from = table
                table = destination.table
                switch schema.storage(of: step.property) {
                case .toOne(let key, _):
                    let key = SQLIdentifier.quoted(key)
                    watch("UPDATE OF \(key)", from, ["NEW.Z_PK"], here)
                    back.append { "SELECT Z_PK FROM \(from) WHERE \(key) IN (\($0))" }
                case .toMany(let foreignKey):
                    let key = SQLIdentifier.quoted(foreignKey.key), members = table
                    watch("INSERT", members, ["NEW.\(key)"], here)
                    watch("DELETE", members, ["OLD.\(key)"], here)
                    watch("UPDATE OF \(key)", members, ["OLD.\(key)", "NEW.\(key)"], here)
                    back.append { "SELECT \(key) FROM \(members) WHERE Z_PK IN (\($0))" }
                case .join(let side):
                    let names = JoinNames(side)
                    watch("INSERT", names.table, ["NEW.\(names.owner)"], here)
                    watch("DELETE", names.table, ["OLD.\(names.owner)"], here)
                    watch("UPDATE", names.table, ["OLD.\(names.owner)", "NEW.\(names.owner)"], here)
                    back.append { "SELECT \(names.owner) FROM \(names.table) WHERE \(names.member) IN (\($0))" }
                case .attribute, .none: return
                }
                here = source(back)
                // References to a row that is gone may stay.
                watch("DELETE", table, ["OLD.Z_PK"], here)
            }
            let columns = attribute.map { schema.columns(of: $0) } ?? []
            if !columns.isEmpty { watch("UPDATE OF \(Self.list(columns))", table, ["NEW.Z_PK"], here) }
        }

        /// A number for notes of rows from which those of the last attribute are found.
        private mutating func source(_ back: [(String) -> String]) -> Int64 {
            sourceCount += 1
            var select = "SELECT key FROM temp.\(DerivedAttributes.outdated) WHERE source = \(sourceCount)"
            for step in back.reversed() { select = step(select) }
            attributes[attributes.count - 1].owners.append((sourceCount, select))
            return sourceCount
        }

        private mutating func watch(_ event: String, _ table: String, _ keys: [String], _ source: Int64) {
            var body = ""
            for key in keys { body += "INSERT INTO \(DerivedAttributes.notes) SELECT \(source), \(key) WHERE \(key) IS NOT NULL; " }
            triggers.append("AFTER \(event) ON main.\(table) BEGIN \(body)END")
        }
    }

    /// The key paths of an expression.
    private struct Dependencies {
        var paths: [(path: [ResolvedStep], attribute: Property?)] = []

        mutating func collect(_ expression: ResolvedExpression, _ model: ManagedObjectModel) throws(PinviewError) {
            switch expression {
            case .constant, .list: break
            case .attribute(let path, let property): try add(path, property)
            case .collection(_, let path, let property, _): try add(path, property)
            case .toManyCount(let path, let property, 0, nil):
                try add(path + [ResolvedStep(property: property, destination: model.entities[property.destinationIndex])], nil)
            case .function(_, let operands, _): for operand in operands { try collect(operand, model) }
            case .cast(let inner, _): try collect(inner, model)
            case .object, .toManyCount, .entityName, .conditional, .group, .outer:
                throw PinviewError(
                    .badModel,
                    "only key paths to attributes, functions of them, and @count, @sum, @min, @max and @avg over a relationship are possible."
                )
            }
        }

        private mutating func add(_ path: [ResolvedStep], _ property: Property?) throws(PinviewError) {
            guard !path.contains(where: { $0.element != nil }), property?.allowsExternalBinaryDataStorage != true else {
                throw PinviewError(.badModel, "members at a position, and large data, cannot be followed.")
            }
            paths.append((path, property))
        }
    }
}
