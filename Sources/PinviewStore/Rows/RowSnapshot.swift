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
        return rows.value(row: row, column: column, of: property, externalData: layout.externalData)
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
