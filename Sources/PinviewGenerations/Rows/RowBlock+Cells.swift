extension RowBlock {
    /// Copies a column of integers, one for each of some rows. Other values are converted by
    /// ``int64(row:column:)``.
    package func copyIntegers(column: Int, rows: Range<Int>, into integers: UnsafeMutablePointer<Int64>) {
        for row in rows {
            let cell = cell(row, column)
            (integers + (row - rows.lowerBound)).initialize(to: cell.type == .integer ? cell.bits : int64(cell))
        }
    }
}

/// Properties of whole columns, answered from their descriptions in a few nanoseconds for 256 rows.
extension RowBlock {
    /// The integer that some rows of a column hold; nil if they differ, or a row does not hold one.
    package func onlyInteger(column: Int, rows: Range<Int>) -> Int64? {
        if let description = columnDescription(column) {
            return description.kind == .integer && description.width == 0 ? description.base : nil
        }
        let first = cell(rows.lowerBound, column)
        guard first.type == .integer else { return nil }
        for row in rows.dropFirst() {
            let cell = cell(row, column)
            guard cell.type == .integer, cell.bits == first.bits else { return nil }
        }
        return first.bits
    }

    /// Whether some rows of a column hold only integers within bounds. May be false although each
    /// row's value is.
    package func hasIntegers(column: Int, from lowest: Int64, through highest: Int64, orNull: Bool, rows: Range<Int>) -> Bool {
        if let description = columnDescription(column) {
            switch description.kind {
            case .null: return orNull
            case .integer: break
            default: return false
            }
            guard orNull || !description.hasNulls, description.base >= lowest else { return false }
            guard description.width < 8 else { return false }
            let (greatest, overflows) = description.base.addingReportingOverflow((1 << (Int64(description.width) * 8)) - 1)
            return !overflows && greatest <= highest
        }
        for row in rows {
            let cell = cell(row, column)
            if cell.type == .null, orNull { continue }
            guard cell.type == .integer, cell.bits >= lowest, cell.bits <= highest else { return false }
        }
        return true
    }
}
