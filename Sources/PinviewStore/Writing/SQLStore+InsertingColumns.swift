import FoundationEssentials
import PinviewGenerations
import PinviewModel

/// Batch inserts of rows that come in columns.
extension SQLStore {
    /// How many rows are processed at a time.
    private static let rowsAtATime = 4096

    /// Inserts the rows of all blocks, in one transaction.
    ///
    /// - Throws: the error of the source, with nothing inserted; `unknownKey` for a column that is
    ///   not a stored property, `validationMissingMandatoryProperty` for a mandatory attribute
    ///   without a value, `wrongType` and `invalidUTF8` for values that do not fit.
    package func batchInsert(
        _ entity: Entity, _ source: any InsertedColumns, policy: InsertConflictPolicy = .fail, returningReferences: Bool,
        origin: HistoryOrigin = HistoryOrigin()
    ) throws(PinviewError) -> BatchOutcome {
        guard !entity.isAbstract else {
            throw PinviewError(.invalidArgument, "\(entity.name) is abstract, so its rows cannot be inserted. Use a sub-entity.")
        }
        let entitySchema = try schema.entity(entity)
        let columns = try insertedColumns(of: source, entity, entitySchema)
        let save = try beginSave(origin: origin)
        var outcome = BatchOutcome()
        // Nobody else can use keys before this transaction ends, so they are counted at its end.
        let last = try save.lastPrimaryKey(entity: entity)
        let conflicts = try InsertConflicts.make(policy, entity, save, firstKey: last &+ 1, returningReferences: returningReferences)
        conflicts?.useClause(source.columnNames)
        let suffix = conflicts?.statementSuffix ?? ""
        let named = Dictionary(columns.map { ($0.property.index, $0) }, uniquingKeysWith: { first, _ in first })
        while let count = try source.nextBlock() {
            guard count >= 0, !last.addingReportingOverflow(Int64(outcome.count) + Int64(count)).overflow else {
                throw PrimaryKeys.exhausted(entity, last, self)
            }
            let first = last + Int64(outcome.count) + 1
            func value(_ key: Int64, _ property: Property) throws(PinviewError) -> Value {
                guard let column = named[property.index] else { return .null }
                guard let position = column.index else { return property.defaultValue }
                let cell = try source.cell(position, Int(key - first))
                guard property.isRelationship else { return try cell.value(for: property) }
                return try reference(cell, property).map { .objectID(objectID($0)) } ?? .null
            }
            for start in stride(from: 0, to: count, by: Self.rowsAtATime) {
                let rows = start..<min(start + Self.rowsAtATime, count)
                try save.write { connection in
                    func insert(_ rows: Range<Int>, by statement: Statement) throws {
                        var index: Int32 = 1
                        for row in rows {
                            try statement.bind(index, first + Int64(row))
                            try statement.bind(index + 1, Int64(entitySchema.number))
                            try statement.bind(index + 2, 1 as Int64)
                            index += 3
                            for column in columns { try bind(source, row, column, outcome.count + row, to: statement, &index) }
                        }
                        guard let conflicts else { return try statement.runAgain() }
                        do throws(SQLiteError) { try statement.runAgain() } catch { throw try conflicts.failure(error, value) }
                        try conflicts.noteRows(first + Int64(rows.lowerBound)..<first + Int64(rows.upperBound), value)
                    }
                    let atOnce = entitySchema.insertedRowsAtOnce
                    var next = rows.lowerBound
                    if rows.count >= atOnce * 8 {
                        let statement = try connection.statement(entitySchema.insertSeveralSQL + suffix)
                        // Resetting drops references to the texts of the block.
                        defer { statement.reset() }
                        while next + atOnce <= rows.upperBound {
                            try insert(next..<next + atOnce, by: statement)
                            next += atOnce
                        }
                    }
                    let statement = try connection.statement(entitySchema.insertSQL + suffix)
                    defer { statement.reset() }
                    for row in next..<rows.upperBound { try insert(row..<row + 1, by: statement) }
                }
                guard conflicts == nil else { continue }
                let keys = first + Int64(rows.lowerBound)..<first + Int64(rows.upperBound)
                if let history = save.history { for key in keys { history.inserted(entity, key) } }
                if returningReferences {
                    outcome.references += keys.map { Reference(entityIndex: Int32(entity.index), primaryKey: $0) }
                }
            }
            outcome.count += count
        }
        try save.finishInserting(&outcome, entity, after: last, conflicts)
        _ = try save.commit()
        return outcome
    }

    /// A property of each row, with the source of its values.
    private final class InsertedColumn {
        let property: Property
        let hasEntityColumn: Bool
        /// Nil for the default value.
        let index: Int?
        let defaultCell: StoredCell

        init(_ written: WrittenProperty, index: Int?) throws(PinviewError) {
            property = written.property
            hasEntityColumn = written.hasEntityColumn
            self.index = index
            defaultCell = property.isAttribute ? try StoredCell(property.defaultValue, for: property) : .null
        }
    }

    /// One for each property with a column in the store, in the order of the statement.
    private func insertedColumns(
        of source: any InsertedColumns, _ entity: Entity, _ entitySchema: EntitySchema
    ) throws(PinviewError) -> [InsertedColumn] {
        var positions: [String: Int] = [:]
        for (index, name) in source.columnNames.enumerated() {
            guard let property = entity.property(named: name) else { throw PinviewError.unknownKey(name, of: entity) }
            guard !property.isTransient, !property.isToMany else {
                throw PinviewError(
                    .unknownKey, "A batch insert sets stored attributes and to-one relationships; \(property.qualifiedName) is neither.")
            }
            try property.requireSettable()
            guard positions.updateValue(index, forKey: name) == nil else {
                throw PinviewError(.invalidArgument, "The columns of a batch insert have the duplicate name '\(name)'.")
            }
            try source.check(index, for: property)
        }
        var columns: [InsertedColumn] = []
        for written in entitySchema.writtenProperties {
            let property = written.property
            let index = positions[property.name]
            if index == nil, property.isAttribute, property.isRequired, property.defaultValue.isNull {
                throw PinviewError(
                    .validationMissingMandatoryProperty,
                    "\(property.qualifiedName) is mandatory and has no default value, but there is no column '\(property.name)'. "
                        + "Nothing was inserted."
                ).with(validationKey: property.name)
            }
            columns.append(try InsertedColumn(written, index: index))
        }
        return columns
    }

    private func bind(
        _ source: any InsertedColumns, _ row: Int, _ column: InsertedColumn, _ number: Int, to statement: Statement, _ index: inout Int32
    ) throws {
        defer { index += column.hasEntityColumn ? 2 : 1 }
        guard let position = column.index else {
            try statement.bind(index, column.defaultCell)
            if column.hasEntityColumn { try statement.bindNull(index + 1) }
            return
        }
        do {
            let cell = try source.cell(position, row)
            if column.property.isRelationship {
                try bind(try reference(cell, column.property), column, to: statement, index)
            } else {
                try statement.bind(index, cell, for: column.property)
            }
        } catch let error as PinviewError {
            throw error.with(message: "Row \(number + 1), column '\(column.property.name)': \(error.message) Nothing was inserted.")
        }
    }

    private func bind(_ reference: Reference?, _ column: InsertedColumn, to statement: Statement, _ index: Int32) throws(SQLiteError) {
        guard let reference else {
            try statement.bindNull(index)
            if column.hasEntityColumn { try statement.bindNull(index + 1) }
            return
        }
        try statement.bind(index, reference.primaryKey)
        guard column.hasEntityColumn else { return }
        try statement.bind(index + 1, Int64(schema.numbers.number(ofEntityIndex: Int(reference.entityIndex))))
    }

    /// The object of a key or of a URI.
    private func reference(_ cell: InsertedCell, _ property: Property) throws(PinviewError) -> Reference? {
        switch cell {
        case .null: return nil
        case .integer(let key):
            let destination = schema.model.entities[property.destinationIndex]
            let family = destination.familyIndexes.filter { !schema.model.entities[$0].isAbstract }
            guard family.count == 1, let entityIndex = family.first else {
                throw PinviewError(
                    .wrongType,
                    "\(property.qualifiedName) can refer to objects of several entities, which the key \(key) does not distinguish; "
                        + "pass URIs of object IDs.")
            }
            return Reference(entityIndex: Int32(entityIndex), primaryKey: key)
        case .text(let bytes):
            let text = String(decoding: bytes, as: UTF8.self)
            guard let uri = ObjectURI(text), let key = uri.primaryKey, let entity = schema.model.entity(named: uri.entityName),
                entity.isKind(ofEntityNamed: property.destinationEntityName)
            else {
                throw PinviewError(
                    .wrongType,
                    "\(property.qualifiedName) takes the URI of a saved object of \(property.destinationEntityName), not '\(text.prefix(200))'."
                )
            }
            guard uri.storeIdentifier == identifier else {
                throw PinviewError(
                    .invalidArgument,
                    "\(property.qualifiedName) of a batch insert refers to \(text.prefix(200)), which is not in \(name.within).")
            }
            return Reference(entityIndex: Int32(entity.index), primaryKey: key)
        default:
            throw PinviewError(.wrongType, "\(property.qualifiedName) takes primary keys, or URIs of object IDs.")
        }
    }
}

extension Statement {
    /// Binds an attribute's value in a program's format. Texts and data are not copied, so they
    /// must live until the statement is reset.
    fileprivate func bind(_ index: Int32, _ cell: InsertedCell, for property: Property) throws {
        switch (property.attributeType, cell) {
        case (_, .null):
            guard !property.isRequired else {
                throw PinviewError(.validationMissingMandatoryProperty, "\(property.qualifiedName) is mandatory, but the value is null.")
                    .with(validationKey: property.name)
            }
            try bindNull(index)
        case (.integer64, .integer(let integer)): try bind(index, integer)
        case (.integer32, .integer(let integer)) where Int32(exactly: integer) != nil: try bind(index, integer)
        case (.integer16, .integer(let integer)) where Int16(exactly: integer) != nil: try bind(index, integer)
        case (.boolean, .boolean(let flag)): try bind(index, flag ? 1 : 0 as Int64)
        case (.double, .double(let double)) where !double.isNaN: try bind(index, double + 0.0)  // SQLite keeps no negative zero
        case (.date, .date(let seconds)): try bind(index, seconds)
        case (.string, .text(let bytes)), (.uri, .text(let bytes)):
            guard UTF8Check.isValid(bytes) else { throw InsertedCell.notUTF8(bytes, property) }
            try bind(index, text: bytes, isStatic: bytes.count > 0)
        case (_, .bytes(let bytes)) where property.cellKind == .binary: try bind(index, blob: bytes, isStatic: true)
        default: try bind(index, try StoredCell(try property.convert(try cell.importedValue(for: property)), for: property))
        }
    }
}

extension InsertedCell {
    static func notUTF8(_ bytes: UnsafeRawBufferPointer, _ property: Property) -> PinviewError {
        PinviewError(.invalidUTF8, "\(property.qualifiedName) takes UTF-8, but the \(bytes.count) bytes are not valid UTF-8.")
    }

    /// The value in its own type.
    func value(for property: Property) throws(PinviewError) -> Value {
        switch self {
        case .null: return .null
        case .integer(let integer): return .integer(integer)
        case .double(let double): return .double(double)
        case .boolean(let flag): return .boolean(flag)
        case .date(let seconds): return .date(Date(timeIntervalSinceReferenceDate: seconds))
        case .text(let bytes):
            guard let text = String(validating: bytes, as: UTF8.self) else { throw Self.notUTF8(bytes, property) }
            return .string(text)
        case .bytes(let bytes): return .binary(Array(bytes))
        case .value(let value): return value
        }
    }

    /// The value in the property's type, if columns have no such type: decimal numbers and UUIDs
    /// may be given as text or bytes.
    fileprivate func importedValue(for property: Property) throws(PinviewError) -> Value {
        let value = try value(for: property)
        switch (property.attributeType, value) {
        case (.decimal, .string(let text)): return DecimalNumber(text).map { .decimal($0) } ?? value
        case (.uuid, .string(let text)): return UUID(uuidString: text).map { .uuid($0) } ?? value
        case (.uuid, .binary(let bytes)) where bytes.count == 16:
            return .uuid(UUID(uuid: bytes.withUnsafeBytes { $0.loadUnaligned(as: uuid_t.self) }))
        default: return value
        }
    }
}
