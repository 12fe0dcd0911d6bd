import PinviewGenerations
import PinviewModel
import PinviewPredicates

/// A column of a column fetch.
package struct ColumnField: Sendable {
    /// What the values mean beyond their type.
    package enum Meaning: Hashable, Sendable {
        case value
        /// Decimal numbers as text, or "NaN".
        case decimal
        /// Primary keys of an entity's objects.
        case keys(entityName: String)
        /// URIs of object IDs, as text.
        case uris
    }

    package let name: String
    package let type: ColumnLayout
    package let meaning: Meaning
}

/// What to read from one store as columns of values.
package struct ColumnFetch: Sendable {
    var dictionaries: DictionaryFetch
    package let fields: [ColumnField]
    /// The maximum number of rows of a batch.
    package var batchSize: Int

    /// - Parameter givesURIs: whether objects are returned as URIs instead of keys.
    package init(_ dictionaries: DictionaryFetch, batchSize: Int, givesURIs: Bool) {
        self.dictionaries = dictionaries
        self.dictionaries.references = givesURIs ? .keysAndEntities : .keys
        self.batchSize = batchSize
        let entity = dictionaries.fetch.entity
        fields = dictionaries.columns.map { column in
            if case .object(let path) = column.expression {
                let destination = path.last?.destination ?? entity
                return ColumnField(
                    name: column.name, type: givesURIs ? .text : .int64,
                    meaning: givesURIs ? .uris : .keys(entityName: destination.name))
            }
            let type = Self.type(of: column.expression)
            return ColumnField(name: column.name, type: type, meaning: Self.isDecimal(column.expression) ? .decimal : .value)
        }
    }

    package var fetch: StoreFetch {
        get { dictionaries.fetch }
        set { dictionaries.fetch = newValue }
    }

    /// Whether rows of several stores cannot simply follow one another.
    package var isOrderedOrGrouped: Bool { !dictionaries.order.isEmpty || isOverGroups }
    package var isOverGroups: Bool {
        !dictionaries.groupBy.isEmpty || dictionaries.isDistinct || dictionaries.columns.contains { $0.expression.isOverGroup }
    }

    private static func isDecimal(_ expression: ResolvedExpression) -> Bool {
        expression.mayBeDecimal
    }

    /// Computed numbers are doubles, except decimals and counts; minimum and maximum have the type
    /// of their argument.
    private static func type(of expression: ResolvedExpression) -> ColumnLayout {
        switch expression {
        case _ where isDecimal(expression): .text
        case .attribute(_, let property): type(of: property.attributeType)
        case .constant(.integer), .toManyCount, .group(.count, _), .collection(.count, _, _, _), .function(.length, _, _): .int64
        case .constant(.boolean): .boolean
        case .group(.minimum, let inner?), .group(.maximum, let inner?): type(of: inner)
        case .collection(.minimum, _, let property, _), .collection(.maximum, _, let property, _): type(of: property.attributeType)
        case .outer(_, let inner): type(of: inner)
        default:
            switch expression.category {
            case .number: .double
            case .text, nil: .text
            case .date: .timestamp
            case .binary: .binary
            case .uuid: .uuid
            case .object: .int64
            }
        }
    }

    private static func type(of type: AttributeType) -> ColumnLayout {
        switch type {
        case .integer16: .int16
        case .integer32: .int32
        case .integer64: .int64
        case .boolean: .boolean
        case .float: .float
        case .double: .double
        case .date: .timestamp
        case .string, .uri, .decimal, .undefined, .composite: .text
        case .binaryData, .transformable: .binary
        case .uuid: .uuid
        }
    }
}

/// The statement of a column fetch, and what to take from its rows.
struct ColumnSQL {
    let sql: DictionarySQL
    let plans: [ColumnPlan]
    /// Damage found while reading, reported once the rows have been read.
    let damage: NotedDamage

    init(_ fetch: ColumnFetch, page: DictionaryFetch.Page? = nil, store: SQLStore) throws(PinviewError) {
        var dictionaries = fetch.dictionaries
        dictionaries.page = page
        sql = try DictionarySQL(dictionaries, store: store)
        let damage = NotedDamage()
        self.damage = damage
        plans = zip(fetch.fields, sql.columns).map { field, column in
            ColumnPlan(
                type: field.type, source: column.index, convert: Self.conversion(field, column.kind, store, damage))
        }
    }

    private static func conversion(
        _ field: ColumnField, _ kind: DictionarySQL.Kind, _ store: SQLStore, _ damage: NotedDamage
    ) -> (@Sendable (ColumnCell) -> [UInt8]?)? {
        switch (kind, field.meaning) {
        case (.object(let fallback), .uris):
            let prefixes = store.schema.model.entities.map { entity in
                // The URI without the number at its end.
                let key = ObjectKey(storeNumber: store.number, rootEntity: Int32(entity.rootIndex), primaryKey: 0)
                let objectID = ManagedObjectID(entity: entity, key: key, storeIdentifier: store.identifier)
                return Array(objectID.uriRepresentation.utf8.dropLast())
            }
            guard let family = store.schema.entity(at: fallback)?.layout.family else { return { _ in nil } }
            return { cell in
                do throws(StoreDamage) {
                    let reference = try family.reference((cell.type, cell.int64), (cell.next.type, cell.next.int64))
                    return prefixes[Int(reference.entityIndex)] + String(reference.primaryKey).utf8
                } catch {
                    damage.note(error)
                    return nil
                }
            }
        case (.attribute, .decimal), (.computed, .decimal):
            return { cell in
                switch cell.type {
                case .blob: Array(cell.withBytes { DecimalKey.number($0) ?? .notANumber }.description.utf8)
                case .integer: Array(String(cell.int64).utf8)
                case .real: Array(DecimalNumber(cell.double).description.utf8)
                default: Array(cell.withBytes { DecimalNumber(String(decoding: $0, as: UTF8.self)) ?? .notANumber }.description.utf8)
                }
            }
        case (_, _) where field.type == .uuid:
            return { cell in cell.withBytes { RowBlock.uuidBytes($0) } }
        default: return nil
        }
    }
}

/// The first damage that a read has found, if it cannot be thrown at once.
final class NotedDamage: @unchecked Sendable {  // guarded by `lock`
    private let lock = Lock()
    private var first: StoreDamage?

    func note(_ damage: StoreDamage) { lock.withLock { if first == nil { first = damage } } }

    func throwIfNoted() throws(StoreDamage) {
        if let damage = lock.withLock({ first }) { throw damage }
    }
}
