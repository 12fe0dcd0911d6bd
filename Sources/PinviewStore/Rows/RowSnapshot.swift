import FoundationEssentials
import PinviewGenerations
import PinviewModel

/// The values and the version of one record, as last read or as they are about to be written.
///
/// A position in a block of rows: copying a snapshot copies no values, and keeping it keeps the
/// block. Values are made on demand.
package struct RowSnapshot: Sendable {
    /// Its context is the layout of its rows.
    package let block: RowBlock
    package let row: Int32

    /// - Parameter block: a block made with a layout.
    package init(block: RowBlock, row: Int32) {
        self.block = block
        self.row = row
    }

    var layout: RowLayout { block.layout }

    package var primaryKey: Int64 { block.primaryKey(row: row) }

    /// The `Entity.index` of the record's own entity, which may be a sub-entity of the one fetched.
    package var entityIndex: Int { block.entityIndex(row: row) }

    /// `Z_OPT`: 1 after the insertion, plus 1 for each saved update.
    package var version: Int64 { block.int64(row: Int(row), column: RowLayout.versionColumn) }

    /// The value of an attribute; null for a transient attribute and for one of another hierarchy.
    package func value(of property: Property) -> Value { block.value(row: row, of: property) }

    /// Whether the value of an attribute is null although its cell is not: the data cannot be read.
    package func lacksData(of property: Property) -> Bool {
        property.cellKind == .externalBinary && property.isStored && !isNull(column: column(of: property)) && value(of: property).isNull
    }

    /// The value of an attribute with external storage.
    /// - Throws: `sqlite` if the data cannot be read, for example because their file is gone.
    package func data(of property: Property, objectID: ManagedObjectID) throws(PinviewError) -> Value {
        let column = column(of: property)
        guard column >= 0, !isNull(column: column) else { return .null }
        do throws(UnreadableData) {
            let cell = block.cell(row: Int(row), column: column)
            return .binary(try ExternalDataDirectory.data(in: block.bytes(cell), layout.externalData))
        } catch {
            throw .unreadableData(error.message(property.qualifiedName, of: objectID.uriRepresentation), objectID.storeIdentifier)
                .with(affectedObjectIDs: [objectID])
        }
    }

    /// The destination of a to-one relationship.
    package func reference(of property: Property) -> Reference? {
        let location = block.location(of: property)
        let column = Int(location.column)
        guard column >= 0, property.isRelationship, block.type(row: Int(row), column: column) != .null else { return nil }
        var entityIndex = property.destinationIndex
        if location.entityColumn >= 0 {
            let number = block.int64(row: Int(row), column: Int(location.entityColumn))
            entityIndex = layout.numbers.entityIndex(ofNumber: number) ?? entityIndex
        }
        return Reference(entityIndex: Int32(entityIndex), primaryKey: block.int64(row: Int(row), column: column))
    }

    /// Whether both rows have the same value. Compares without making values.
    package func hasSameValue(_ property: Property, as other: RowSnapshot) -> Bool {
        if property.isRelationship { return reference(of: property) == other.reference(of: property) }
        let column = Int(block.location(of: property).column)
        let otherColumn = Int(other.block.location(of: property).column)
        let type = block.type(row: Int(row), column: column)
        guard type == other.block.type(row: Int(other.row), column: otherColumn) else {
            return value(of: property) == other.value(of: property)
        }
        switch type {
        case .null: return true
        case .integer:
            if block.int64(row: Int(row), column: column) == other.block.int64(row: Int(other.row), column: otherColumn) { return true }
        case .real:
            if block.double(row: Int(row), column: column) == other.block.double(row: Int(other.row), column: otherColumn) { return true }
        default:
            let isSame = block.withBytes(row: Int(row), column: column) { mine in
                other.block.withBytes(row: Int(other.row), column: otherColumn) { theirs in mine.elementsEqual(theirs) }
            }
            if isSame { return true }
        }
        // Different cells can have the same value: 2 means true, and data may be inline or in a
        // file.
        return value(of: property) == other.value(of: property)
    }
}

extension RowBlock {
    /// Every block of records is made with its layout; rows of other reads never become snapshots.
    var layout: RowLayout { unsafeDowncast(context.unsafelyUnwrapped, to: RowLayout.self) }

    func location(of property: Property) -> RowLayout.ColumnLocation { withLayout { $0.location(of: property) } }

    /// Runs a body with the layout, without counting a reference.
    private func withLayout<R>(_ body: (RowLayout) -> R) -> R {
        unmanagedContext.unsafelyUnwrapped._withUnsafeGuaranteedRef { body(unsafeDowncast($0, to: RowLayout.self)) }
    }

    /// The value of an attribute; null for a transient attribute and for one of another hierarchy.
    package func value(row: Int32, of property: Property) -> Value {
        let column = Int(location(of: property).column)
        guard column >= 0, property.isAttribute else { return .null }
        return value(row: Int(row), column: column, of: property, externalData: layout.externalData)
    }

    package func version(row: Int) -> Int64 { int64(row: row, column: RowLayout.versionColumn) }

    /// The primary keys of some rows; nil for all of them.
    package func copyPrimaryKeys(of rows: Range<Int>? = nil, into keys: UnsafeMutablePointer<Int64>) {
        copyIntegers(column: RowLayout.primaryKeyColumn, rows: rows ?? 0..<Int(rowCount), into: keys)
    }

    package func primaryKey(row: Int32) -> Int64 { int64(row: Int(row), column: RowLayout.primaryKeyColumn) }

    /// The `Entity.index` of a record's own entity.
    package func entityIndex(row: Int32) -> Int {
        let number = int64(row: Int(row), column: RowLayout.entityColumn)
        return withLayout { $0.numbers.entityIndex(ofNumber: number) ?? $0.entity.index }
    }
}

/// The rows of one fetch, in order.
package struct FetchedRows: Sendable {
    let rows: PackedRows

    package var count: Int { rows.rowCount }
    package var blocks: [RowBlock] { rows.blocks }

    package func snapshot(_ row: Int) -> RowSnapshot {
        let location = rows.location(ofRow: row)
        return RowSnapshot(block: location.block, row: Int32(truncatingIfNeeded: location.row))
    }

    /// The block that contains a row, and the row's number in it. The row must exist.
    package func location(ofRow row: Int) -> (block: RowBlock, row: Int) { rows.location(ofRow: row) }

    package func primaryKey(_ row: Int) -> Int64 { snapshot(row).primaryKey }

    package func entityIndex(_ row: Int) -> Int { snapshot(row).entityIndex }
}
