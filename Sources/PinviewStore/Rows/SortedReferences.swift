import PinviewGenerations
import PinviewModel
import PinviewPredicates

/// References to some rows of a fetch, in order, with what they are sorted by.
package struct SortedReferences {
    package let references: [Reference]
    private let block: RowBlock
    private let descriptors: [ResolvedSortDescriptor]

    /// - Parameter block: its first columns are a reference, which the columns of the descriptors follow.
    init(_ block: RowBlock, _ family: EntityFamily, _ descriptors: [ResolvedSortDescriptor]) throws(StoreDamage) {
        var references: [Reference] = []
        references.reserveCapacity(Int(block.rowCount))
        for row in 0..<Int(block.rowCount) { references.append(try family.reference(block, row: row)) }
        (self.references, self.block, self.descriptors) = (references, block, descriptors)
    }

    /// A row's sort key for one of the descriptors.
    package func key(_ row: Int, _ place: Int) -> Value {
        let descriptor = descriptors[place]
        return descriptor.key(of: block.value(row: row, column: 2 + place, of: descriptor.property, externalData: nil))
    }
}
