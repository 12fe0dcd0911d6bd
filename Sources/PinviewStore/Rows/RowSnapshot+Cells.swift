import PinviewGenerations
import PinviewModel

/// Access to cells without making values of them, for reading in bulk.
extension RowSnapshot {
    /// The column of a property in the rows of the same block; negative if it has none.
    package func column(of property: Property) -> Int { Int(block.location(of: property).column) }

    package func isNull(column: Int) -> Bool { block.type(row: Int(row), column: column) == .null }

    /// What the cell of a property holds, whatever the property's type is.
    package func cellValue(of property: Property) -> Value {
        let column = column(of: property)
        return column < 0 ? .null : block.computedValue(row: Int(row), column: column)
    }
}
