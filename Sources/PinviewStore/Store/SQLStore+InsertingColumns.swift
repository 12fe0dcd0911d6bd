import FoundationEssentials
import PinviewGenerations
import PinviewModel

/// Batch inserts of rows that come in columns.
extension SQLStore {
    /// How many rows are on their way at a time.
    private static let rowsAtATime = 4096

    /// Inserts the rows of all blocks, in one transaction.
    ///
    /// - Throws: what the source throws, after which nothing stays; `unknownKey` for a column that is no stored property,
    ///   `validationMissingMandatoryProperty` for a mandatory attribute without a value, `wrongType` and `invalidUTF8` for values that
    ///   do not fit.
    package func batchInsert(
        _ entity: Entity, _ source: any InsertedColumns, returningReferences: Bool, origin: HistoryOrigin = HistoryOrigin()
    ) throws(PinviewError) -> BatchOutcome {
        guard !entity.isAbstract else {
            throw PinviewError(.invalidArgument, "\(entity.name) is abstract, so no rows of it can be inserted; name a sub-entity.")
        }
        _ = try schema.entity(entity)
        let columns = try insertedColumns(of: source, entity)
        let save = try beginSave(origin: origin)
        var outcome = BatchOutcome()
        while let count = try source.nextBlock() {
            for start in stride(from: 0, to: count, by: Self.rowsAtATime) {
                let rows = start..<min(start + Self.rowsAtATime, count)
                let first = try save.allocatePrimaryKeys(entity: entity, count: rows.count)
                var builder = RowBuilder(entity: entity, model: schema.model, reservingRows: rows.count)
                for row in rows {
                    builder.beginRow(primaryKey: first + Int64(row - start), version: 1)
                    for column in columns { try append(source, row, column, outcome.count + row, to: &builder) }
                }
                let built = builder.finish()
                for row in 0..<built.count {
                    try save.insert(built.snapshot(row), entity: entity)
                    if returningReferences {
                        outcome.references.append(Reference(entityIndex: Int32(entity.index), primaryKey: first + Int64(row)))
                    }
                }
            }
            outcome.count += count
        }
        _ = try save.commit()
        return outcome
    }

    /// A property of each row, and where its values come from.
    private struct InsertedColumn {
        let property: Property
        /// Nil where the default value is taken.
        let index: Int?
    }

    /// One for each property that has a column in the store, in the entity's order.
    private func insertedColumns(of source: any InsertedColumns, _ entity: Entity) throws(PinviewError) -> [InsertedColumn] {
        var places: [String: Int] = [:]
        for (index, name) in source.columnNames.enumerated() {
            guard let property = entity.property(named: name) else { throw PinviewError.unknownKey(name, of: entity) }
            guard !property.isTransient, !property.isToMany else {
                throw PinviewError(
                    .unknownKey, "A batch insert sets stored attributes and to-one relationships; \(property.qualifiedName) is neither.")
            }
            guard places.updateValue(index, forKey: name) == nil else {
                throw PinviewError(.invalidArgument, "The columns of a batch insert have the name '\(name)' twice.")
            }
            try source.check(index, for: property)
        }
        var columns: [InsertedColumn] = []
        for property in entity.properties where !property.isTransient && !property.isToMany {
            let index = places[property.name]
            if index == nil, property.isAttribute, !property.isOptional, property.defaultValue.isNull {
                throw PinviewError(
                    .validationMissingMandatoryProperty,
                    "\(property.qualifiedName) is mandatory and has no default value, but there is no column '\(property.name)'. "
                        + "Nothing was inserted."
                ).with(validationKey: property.name)
            }
            columns.append(InsertedColumn(property: property, index: index))
        }
        return columns
    }

    private func append(
        _ source: any InsertedColumns, _ row: Int, _ column: InsertedColumn, _ number: Int, to builder: inout RowBuilder
    ) throws(PinviewError) {
        let property = column.property
        guard let index = column.index else {
            if property.isAttribute { return try builder.append(property.defaultValue, of: property) }
            return builder.append(reference: nil, of: property)
        }
        do throws(PinviewError) {
            let cell = try source.cell(index, row)
            if property.isRelationship { return builder.append(reference: try reference(cell, property), of: property) }
            if case .null = cell, !property.isOptional {
                throw PinviewError(.validationMissingMandatoryProperty, "\(property.qualifiedName) is mandatory, but the value is null.")
                    .with(validationKey: property.name)
            }
            try builder.append(cell, of: property)
        } catch {
            throw error.with(message: "Row \(number + 1), column '\(property.name)': \(error.message) Nothing was inserted.")
        }
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
                    "\(property.qualifiedName) can lead to objects of several entities, between which the key \(key) does not tell; "
                        + "give URIs of object IDs.")
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
                    .invalidArgument, "\(property.qualifiedName) of a batch insert leads to \(text.prefix(200)), which is not in \(name).")
            }
            return Reference(entityIndex: Int32(entity.index), primaryKey: key)
        default:
            throw PinviewError(.wrongType, "\(property.qualifiedName) takes primary keys, or URIs of object IDs.")
        }
    }
}

extension RowBuilder {
    /// Appends a value of an attribute as a program has it.
    fileprivate mutating func append(_ cell: InsertedCell, of property: Property) throws(PinviewError) {
        switch (property.attributeType, cell) {
        case (_, .null): appendNull()
        case (.integer64, .integer(let integer)): append(integer: integer)
        case (.integer32, .integer(let integer)) where Int32(exactly: integer) != nil: append(integer: integer)
        case (.integer16, .integer(let integer)) where Int16(exactly: integer) != nil: append(integer: integer)
        case (.boolean, .boolean(let flag)): append(integer: flag ? 1 : 0)
        case (.double, .double(let double)) where !double.isNaN: append(real: double + 0.0)  // SQLite keeps no negative zero
        case (.string, .text(let bytes)), (.uri, .text(let bytes)):
            guard UTF8Check.isValid(bytes) else {
                throw PinviewError(.invalidUTF8, "\(property.qualifiedName) takes UTF-8, which the \(bytes.count) bytes given are not.")
            }
            append(text: bytes)
        case (.binaryData, .bytes(let bytes)) where !property.allowsExternalBinaryDataStorage: append(blob: bytes)
        case (.transformable, .bytes(let bytes)): append(blob: bytes)
        default: try append(try property.convert(try cell.value(for: property)), of: property)
        }
    }
}

extension InsertedCell {
    /// As a value of its own.
    fileprivate func value(for property: Property) throws(PinviewError) -> Value {
        switch self {
        case .null: return .null
        case .integer(let integer): return .integer(integer)
        case .double(let double): return .double(double)
        case .boolean(let flag): return .boolean(flag)
        case .date(let seconds): return .date(Date(timeIntervalSinceReferenceDate: seconds))
        case .text(let bytes):
            guard let text = String(validating: bytes, as: UTF8.self) else {
                throw PinviewError(.invalidUTF8, "\(property.qualifiedName) takes UTF-8, which the \(bytes.count) bytes given are not.")
            }
            switch property.attributeType {
            case .decimal: return DecimalNumber(text).map { .decimal($0) } ?? .string(text)
            case .uuid: return UUID(uuidString: text).map { .uuid($0) } ?? .string(text)
            default: return .string(text)
            }
        case .bytes(let bytes):
            if property.attributeType == .uuid, bytes.count == 16 { return .uuid(UUID(uuid: bytes.loadUnaligned(as: uuid_t.self))) }
            return .binary(Array(bytes))
        case .value(let value): return value
        }
    }
}
