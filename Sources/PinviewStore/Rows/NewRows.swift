import FoundationEssentials
import PinviewGenerations
import PinviewModel

/// Rows in memory with the values of new objects, filled column by column.
///
/// Many objects that are inserted together keep their values in such rows until the save, unless
/// something else happens to them: that takes a fraction of the memory of a slot for each value.
/// The columns before the values, which only a save can know, hold something else meanwhile:
///
///     Z_PK    the object's place in the order of changes
///     Z_ENT   the properties that were given, by index, a bit each
///     Z_OPT   0
package final class NewRows {
    private let layout: RowLayout
    private let stage: ColumnStage
    private let given: [Column]
    private let others: [(column: Column, value: Value)]
    private let givenBits: Int64

    /// A column, and the values that it takes.
    private struct Column {
        let index: Int
        let kind: CellKind
        /// An integer fits if it fits 64 − `unusedBits` bits.
        let unusedBits: Int64

        /// Nil for a property that takes more than a look to convert its values or to read them.
        init?(_ property: Property, _ layout: RowLayout) {
            guard property.isAttribute, !property.isDerived else { return nil }
            switch property.attributeType {
            case .integer16: unusedBits = 48
            case .integer32: unusedBits = 32
            case .integer64, .boolean, .double, .date, .string: unusedBits = 0
            default: return nil
            }
            index = Int(layout.location(of: property).column)
            kind = property.cellKind
            if index < 0 { return nil }
        }

        @inline(__always)
        func fits(_ integer: Int64) -> Bool { (integer << unusedBits) >> unusedBits == integer }
    }

    private static let bitCount = 63

    /// - Parameter properties: those that values are given for. All others get their defaults.
    /// - Returns: nil if an object of the layout's entity begins with anything else than values
    ///   that a row can hold as they are.
    package init?(_ layout: RowLayout, properties: [Property], rowCapacity: Int) {
        let entity = layout.entity
        guard entity.properties.count <= Self.bitCount else { return nil }
        var given: [Column] = [], others: [(Column, Value)] = []
        var bits: Int64 = 0
        for property in properties {
            guard let column = Column(property, layout), bits & 1 << Int64(property.index) == 0 else { return nil }
            given.append(column)
            bits |= 1 << Int64(property.index)
        }
        for property in entity.propertiesOfNewObjects where property.isAttribute && bits & 1 << Int64(property.index) == 0 {
            guard let column = Column(property, layout) else { return nil }
            others.append((column, property.defaultValue))
        }
        self.layout = layout
        self.given = given
        self.others = others
        givenBits = bits
        stage = ColumnStage(columnCount: layout.columnCount, rowCapacity: rowCapacity)
        for (column, value) in others where !putOther(value, column, 0) { return nil }
        stage.discard()
    }

    // MARK: Filling

    // Each returns false for a value that the property does not take as it is.

    /// - Parameter place: the position of the property.
    package func put(_ integer: Int64, _ place: Int, _ row: Int) -> Bool {
        let column = given[place]
        guard column.kind == .integer, column.fits(integer) else { return false }
        stage.put(integer, column.index, row)
        return true
    }

    package func put(_ double: Double, _ place: Int, _ row: Int) -> Bool {
        let column = given[place]
        return column.kind == .real && put(double, column, row)
    }

    /// - Parameter text: UTF-8, unless something else is passed by mistake.
    package func put(_ text: UnsafeRawBufferPointer, _ place: Int, _ row: Int) -> Bool {
        let column = given[place]
        guard column.kind == .text, UTF8Check.isValid(text) else { return false }
        stage.put(text, column.index, row)
        return true
    }

    package func put(_ value: Value, _ place: Int, _ row: Int) -> Bool { putOther(value, given[place], row) }

    /// Puts values into the first rows, until one is not taken as it is.
    ///
    /// - Returns: the number of rows.
    package func put(_ values: ArraySlice<Value>, _ place: Int) -> Int {
        let column = given[place]
        return values.withUnsafeBufferPointer { values in
            var row = 0
            while row < values.count, put(values[row], column, row) { row += 1 }
            return row
        }
    }

    @inline(__always)
    private func put(_ value: Value, _ column: Column, _ row: Int) -> Bool {
        switch (column.kind, value) {
        case (_, .null): stage.putNull(column.index, row)
        case (.text, .string(let text)):
            let bytes: Void? = text.utf8.withContiguousStorageIfAvailable { stage.put(UnsafeRawBufferPointer($0), column.index, row) }
            return bytes != nil
        case (.integer, .integer(let integer)):
            guard column.fits(integer) else { return false }
            stage.put(integer, column.index, row)
        case (.real, .double(let double)): return put(double, column, row)
        case (.boolean, .boolean(let flag)): stage.put(flag ? 1 : 0 as Int64, column.index, row)
        case (.date, .date(let date)):
            let seconds = date.timeIntervalSinceReferenceDate
            // A column of numeric affinity holds whole reals as integers, and none of them is a
            // negative zero.
            guard let integer = Int64(exactly: seconds), integer != 0, integer > .min else { return put(seconds, column, row) }
            stage.put(integer, column.index, row)
        default: return false
        }
        return true
    }

    @inline(never)
    private func putOther(_ value: Value, _ column: Column, _ row: Int) -> Bool { put(value, column, row) }

    private func put(_ real: Double, _ column: Column, _ row: Int) -> Bool {
        // SQLite has neither NaN nor a negative zero.
        guard !real.isNaN, real != 0 || real.sign == .plus else { return false }
        stage.put(real, column.index, row)
        return true
    }

    /// Returns the first rows, all of whose given values have been put, and begins anew.
    ///
    /// - Parameter firstSequence: the place of the first row's object in the order of changes.
    package func seal(_ rowCount: Int, firstSequence: UInt64) -> RowBlock {
        let first = Int64(bitPattern: firstSequence)
        var isFilled = [Bool](repeating: false, count: layout.columnCount)
        for column in given { isFilled[column.index] = true }
        for (column, value) in others {
            isFilled[column.index] = true
            for row in 0..<rowCount { _ = putOther(value, column, row) }
        }
        for column in RowLayout.firstPropertyColumn..<layout.columnCount where !isFilled[column] {
            for row in 0..<rowCount { stage.putNull(column, row) }
        }
        for row in 0..<rowCount {
            stage.put(first &+ Int64(row), RowLayout.primaryKeyColumn, row)
            stage.put(givenBits, RowLayout.entityColumn, row)
            stage.put(0 as Int64, RowLayout.versionColumn, row)
        }
        return stage.seal(rowCount, context: layout)
    }
}

/// Rows of new objects.
extension RowBlock {
    /// The object's place in the order of changes.
    package func newObjectSequence(row: Int) -> UInt64 { UInt64(bitPattern: int64(row: row, column: RowLayout.primaryKeyColumn)) }

    /// Calls a body with each attribute that has a column, whether it was given, and its value.
    package func eachValueOfNewObject(row: Int, _ body: (Property, _ isGiven: Bool, Value) -> Void) {
        let given = int64(row: row, column: RowLayout.entityColumn)
        for property in layout.properties where property.isAttribute {
            body(property, given & 1 << Int64(property.index) != 0, value(row: Int32(row), of: property))
        }
    }

    /// The properties that were given a value other than null, by index, a bit each.
    package func changesOfNewObject(row: Int) -> UInt64 {
        var changes = UInt64(bitPattern: int64(row: row, column: RowLayout.entityColumn))
        for property in layout.properties where type(row: row, column: Int(location(of: property).column)) == .null {
            changes &= ~(1 << UInt64(property.index))
        }
        return changes
    }
}
