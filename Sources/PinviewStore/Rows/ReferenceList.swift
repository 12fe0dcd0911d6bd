/// References to the rows that a fetch has found, in order. A fetch of a million rows must not need
/// many bytes for each before the first page is read, so they are kept in as few as possible:
///
///     keys        1 2 3 4 …  nothing but the first      5 2 9 …  four bytes each; eight if necessary
///     entities    all the same: one number              several: four bytes each
package struct ReferenceList: RandomAccessCollection, Sendable {
    package private(set) var count = 0
    private var isRun = true
    private var first: Int64 = 0
    private var narrow: ContiguousArray<Int32> = []
    private var wide: ContiguousArray<Int64> = []
    private var entityIndex: Int32 = 0
    /// Empty while all rows have the same entity.
    private var entityIndexes: ContiguousArray<Int32> = []
    package private(set) var highestEntityIndex: Int32 = 0

    package init() {}

    /// References to the rows of one entity whose keys follow each other.
    init(run first: Int64, count: Int, entityIndex: Int32) {
        (self.first, self.count, self.entityIndex, highestEntityIndex) = (first, count, entityIndex, entityIndex)
    }

    package var startIndex: Int { 0 }
    package var endIndex: Int { count }

    package subscript(index: Int) -> Reference {
        precondition(index >= 0 && index < count)
        let key = isRun ? first &+ Int64(index) : wide.isEmpty ? Int64(narrow[index]) : wide[index]
        return Reference(entityIndex: entityIndexes.isEmpty ? entityIndex : entityIndexes[index], primaryKey: key)
    }

    package mutating func append(_ reference: Reference) {
        appendKey(reference.primaryKey)
        append(entityIndex: reference.entityIndex)
        count += 1
    }

    private mutating func appendKey(_ key: Int64) {
        if isRun {
            if count == 0 { first = key }
            if key == first &+ Int64(count) { return }
            isRun = false
            if Int32(exactly: first) != nil, Int32(exactly: first &+ Int64(count)) != nil {
                for offset in 0..<count { narrow.append(Int32(truncatingIfNeeded: first) + Int32(truncatingIfNeeded: offset)) }
            } else {
                for offset in 0..<count { wide.append(first &+ Int64(offset)) }
            }
        }
        if wide.isEmpty {
            if let key = Int32(exactly: key) { return narrow.append(key) }
            for key in narrow { wide.append(Int64(key)) }
            narrow = []
        }
        wide.append(key)
    }

    private mutating func append(entityIndex index: Int32) {
        if count == 0 { entityIndex = index }
        highestEntityIndex = Swift.max(highestEntityIndex, index)
        if index != entityIndex, entityIndexes.isEmpty { entityIndexes = ContiguousArray(repeating: entityIndex, count: count) }
        if !entityIndexes.isEmpty { entityIndexes.append(index) }
    }
}
