import PinviewModel
import PinviewStore

/// The stage of an object's life, and what its values represent.
struct ObjectFlags: OptionSet {
    let rawValue: UInt8
    /// The committed values are not loaded.
    static let fault = ObjectFlags(rawValue: 1)
    static let inserted = ObjectFlags(rawValue: 2)
    /// In `updatedObjects`.
    static let updated = ObjectFlags(rawValue: 4)
    static let deleted = ObjectFlags(rawValue: 8)
    /// The context was reset, or the object's store was removed.
    static let invalidated = ObjectFlags(rawValue: 16)
    /// The row was gone when the fault fired (FLT-08). All values read as null.
    static let inaccessible = ObjectFlags(rawValue: 32)
    /// The object's delete rules have been applied.
    static let deletePropagated = ObjectFlags(rawValue: 64)
    /// Marked by `detectConflicts(for:)`.
    static let detectsConflicts = ObjectFlags(rawValue: 128)
}

/// What an object has in memory for a property besides its committed value.
enum PropertySlot {
    /// Nothing: the committed row applies.
    case unloaded
    case value(Value)
    case toOne(ManagedObject?)
    case toMany(ToManyContents)
    /// A loaded to-many relationship without members, as new objects usually have.
    case noMembers
}

/// A set of property indexes, one bit each.
struct PropertySet: Equatable {
    private var low: UInt64 = 0
    /// Nil unless an index above 63 has been a member.
    private var high: [UInt64]?

    init() {}

    /// - Parameter bits: a bit for each index up to 63.
    init(firstIndexes bits: UInt64) { low = bits }

    var isEmpty: Bool { low == 0 && (high == nil || high?.allSatisfy { $0 == 0 } == true) }

    @inline(__always)
    func contains(_ index: Int) -> Bool { index < 64 ? low & (1 << UInt64(index)) != 0 : highContains(index) }

    @inline(never)
    private func highContains(_ index: Int) -> Bool {
        guard let high else { return false }
        let word = index / 64 - 1
        return word < high.count && high[word] & (1 << UInt64(index % 64)) != 0
    }

    @inline(__always)
    mutating func set(_ index: Int, _ isMember: Bool) {
        guard index < 64 else { return setHigh(index, isMember) }
        let bit: UInt64 = 1 << UInt64(index)
        low = isMember ? low | bit : low & ~bit
    }

    @inline(never)
    private mutating func setHigh(_ index: Int, _ isMember: Bool) {
        let bit: UInt64 = 1 << UInt64(index % 64), word = index / 64 - 1
        var high = high ?? []
        while high.count <= word { high.append(0) }
        high[word] = isMember ? high[word] | bit : high[word] & ~bit
        self.high = high
    }

    mutating func removeAll() { self = PropertySet() }
}

/// The committed values of an object, one store up: in the persistent store or in the parent
/// context.
enum CommittedRow {
    /// Not loaded, or the object is new.
    case none
    case stored(RowSnapshot)
    case provided(ProvidedRow)

    /// The row version that optimistic locking compares (DEC-43).
    var version: Int64? {
        if case .stored(let row) = self { return row.version }
        return nil
    }
}

/// A destination as named in a row.
struct ObjectReference: Hashable {
    let key: ObjectKey
    let entityIndex: Int
}

/// The state of an object in a parent context when a child asked for it.
final class ProvidedRow: Sendable {
    /// By property index. Relationships are null.
    let values: [Value]
    /// By property index, to-one relationships only.
    let references: [Int: ObjectReference]

    init(values: [Value], references: [Int: ObjectReference]) {
        self.values = values
        self.references = references
    }
}
