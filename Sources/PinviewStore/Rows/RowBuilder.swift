import PinviewGenerations
import PinviewModel

/// Makes rows in memory, as a read would return them once they have been written.
///
/// For each row, call `beginRow`, then one `append` for each stored attribute and to-one
/// relationship, in the entity's order.
package struct RowBuilder {
    private let layout: RowLayout
    private let rows: RowCollector
    private let entityNumber: Int64

    /// - Parameter entity: the entity of the rows themselves.
    package init(entity: Entity, model: ManagedObjectModel, reservingRows: Int) {
        layout = RowLayout(entity: entity, model: model)
        rows = RowCollector(columnCount: layout.columnCount, reservingRows: reservingRows, context: layout)
        entityNumber = Int64(layout.numbers.number(ofEntityIndex: entity.index))
    }

    package mutating func beginRow(primaryKey: Int64, version: Int64) {
        rows.append(primaryKey)
        rows.append(entityNumber)
        rows.append(version)
    }

    /// Appends the value of an attribute.
    /// - Throws: `wrongType` for a value that the store could not hold without loss.
    package mutating func append(_ value: Value, of property: Property) throws(PinviewError) {
        switch try StoredCell(value, for: property) {
        case .null: rows.appendNull()
        case .integer(let integer): rows.append(integer)
        case .real(let real): rows.append(real)
        case .text(let text): rows.append(text: text)
        case .blob(let bytes): rows.append(blob: bytes)
        }
    }

    /// Appends the destination of a to-one relationship.
    package mutating func append(reference: Reference?, of property: Property) {
        let hasEntityColumn = layout.location(of: property).entityColumn >= 0
        guard let reference else {
            rows.appendNull()
            if hasEntityColumn { rows.appendNull() }
            return
        }
        rows.append(reference.primaryKey)
        if hasEntityColumn { rows.append(Int64(layout.numbers.number(ofEntityIndex: Int(reference.entityIndex)))) }
    }

    /// Returns all completed rows.
    package func finish() -> FetchedRows { FetchedRows(rows: rows.finish()) }
}
