import CSQLite
import FoundationEssentials
import PinviewGenerations
import PinviewModel

/// The values and the version of one record as last read, or as they will be once written.
///
/// A place in a block of packed rows: copying it copies no values, and keeping it keeps the block. Values are made when asked for.
package struct RowSnapshot: Sendable {
    let rows: PackedRows
    let layout: RowLayout
    let row: Int

    init(rows: PackedRows, layout: RowLayout, row: Int) {
        self.rows = rows
        self.layout = layout
        self.row = row
    }

    package var primaryKey: Int64 { rows.int64(row: row, column: RowLayout.primaryKeyColumn) }

    /// `Entity.index` of the record's own entity, which may be a sub-entity of the one that was asked for.
    package var entityIndex: Int {
        layout.numbers.entityIndex(ofNumber: rows.int64(row: row, column: RowLayout.entityColumn)) ?? layout.entity.index
    }

    /// `Z_OPT`: 1 after the insert, one more with each saved update.
    package var version: Int64 { rows.int64(row: row, column: RowLayout.versionColumn) }

    /// The value of an attribute; null for a transient one and for one of another hierarchy.
    package func value(of property: Property) -> Value {
        let column = Int(layout.place(of: property).column)
        guard column >= 0, property.isAttribute else { return .null }
        let type = rows.type(row: row, column: column)
        if type == SQLITE_NULL { return .null }
        switch property.attributeType {
        case .string, .uri:
            return .string(rows.string(row: row, column: column))
        case .integer16, .integer32, .integer64:
            return .integer(rows.int64(row: row, column: column))
        case .double, .float:
            return .double(rows.double(row: row, column: column))
        case .boolean:
            return .boolean(rows.int64(row: row, column: column) != 0)
        case .date:
            return .date(Date(timeIntervalSinceReferenceDate: rows.double(row: row, column: column)))
        case .decimal:
            return .decimal(decimal(column, type: type))
        case .uuid:
            return uuid(column)
        case .binaryData:
            return property.allowsExternalBinaryDataStorage ? externalBinary(column) : .binary(bytes(column))
        case .transformable:
            return .binary(bytes(column))
        case .undefined:
            return .null
        }
    }

    /// The destination of a to-one relationship.
    package func reference(of property: Property) -> Reference? {
        let place = layout.place(of: property)
        let column = Int(place.column)
        guard column >= 0, property.isRelationship, rows.type(row: row, column: column) != SQLITE_NULL else { return nil }
        var entityIndex = property.destinationIndex
        if place.entityColumn >= 0 {
            let number = rows.int64(row: row, column: Int(place.entityColumn))
            entityIndex = layout.numbers.entityIndex(ofNumber: number) ?? entityIndex
        }
        return Reference(entityIndex: Int32(entityIndex), primaryKey: rows.int64(row: row, column: column))
    }

    /// Whether both rows hold the same value, without making it.
    package func hasSameValue(_ property: Property, as other: RowSnapshot) -> Bool {
        if property.isRelationship { return reference(of: property) == other.reference(of: property) }
        let column = Int(layout.place(of: property).column)
        let otherColumn = Int(other.layout.place(of: property).column)
        let type = rows.type(row: row, column: column)
        guard type == other.rows.type(row: other.row, column: otherColumn) else { return value(of: property) == other.value(of: property) }
        switch type {
        case SQLITE_NULL: return true
        case SQLITE_INTEGER:
            if rows.int64(row: row, column: column) == other.rows.int64(row: other.row, column: otherColumn) { return true }
        case SQLITE_FLOAT:
            if rows.double(row: row, column: column) == other.rows.double(row: other.row, column: otherColumn) { return true }
        default:
            let isSame = rows.withBytes(row: row, column: column) { mine in
                other.rows.withBytes(row: other.row, column: otherColumn) { theirs in mine.elementsEqual(theirs) }
            }
            if isSame { return true }
        }
        // Other cells can still be one value: 2 for true, data inline and in a file.
        return value(of: property) == other.value(of: property)
    }

    // MARK: Conversions

    private func bytes(_ column: Int) -> [UInt8] {
        rows.withBytes(row: row, column: column) { Array($0) }
    }

    private func decimal(_ column: Int, type: Int32) -> DecimalNumber {
        switch type {
        case SQLITE_INTEGER: DecimalNumber(rows.int64(row: row, column: column))
        case SQLITE_FLOAT: DecimalNumber(rows.double(row: row, column: column))
        default: DecimalNumber(rows.string(row: row, column: column)) ?? .notANumber
        }
    }

    private func uuid(_ column: Int) -> Value {
        let uuid = rows.withBytes(row: row, column: column) { bytes -> UUID? in
            bytes.count == 16 ? UUID(uuid: bytes.loadUnaligned(as: uuid_t.self)) : nil
        }
        if let uuid { return .uuid(uuid) }
        return UUID(uuidString: rows.string(row: row, column: column)).map { .uuid($0) } ?? .null
    }

    /// Data with a marker in front: inline, or in a file of its own.
    private func externalBinary(_ column: Int) -> Value {
        let bytes = bytes(column)
        switch bytes.first {
        case ExternalDataDirectory.inlineMarker:
            return .binary(Array(bytes.dropFirst()))
        case ExternalDataDirectory.fileMarker:
            return layout.externalData?.contents(named: bytes.dropFirst()).map { .binary($0) } ?? .null
        default:
            return .binary(bytes)
        }
    }
}

/// The rows of one fetch, in order.
package struct FetchedRows: Sendable {
    let rows: PackedRows
    let layout: RowLayout

    package var count: Int { rows.rowCount }

    package func snapshot(_ row: Int) -> RowSnapshot { RowSnapshot(rows: rows, layout: layout, row: row) }

    package func primaryKey(_ row: Int) -> Int64 { rows.int64(row: row, column: RowLayout.primaryKeyColumn) }

    package func entityIndex(_ row: Int) -> Int { snapshot(row).entityIndex }
}
