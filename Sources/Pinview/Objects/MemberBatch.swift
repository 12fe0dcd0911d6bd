import PinviewGenerations
import PinviewModel
import PinviewStore

/// The members of one to-many relationship, with their rows, of several owners that were read with
/// one statement.
///
///     owners    3   4   7       9         ascending
///     starts    0   2   2       5   6     the first of each owner's members
///     rows      ░░  .   ▒▒▒     ▓
///
/// Members of a join table may share rows: `sharedRows` then has the number of each member's row.
///
/// Owners that nobody has asked for yet keep their relationships unloaded, and need not even be
/// registered. A batch is used only by reads at the generation that it was read at, or as long as that
/// is the newest, and keeps neither objects nor the generation alive.
final class MemberBatch {
    let property: Property
    let storeNumber: Int32
    let origin: RowOrigin
    /// How many owners it was meant to have.
    let wantedOwners: Int
    private let owners: ContiguousArray<Int64>
    private let starts: ContiguousArray<Int32>
    /// The row of each member; nil if each has its own, in the same order.
    let sharedRows: [DestinationRows.SharedRow]?
    /// Whether an object has been made of each row, if members share rows.
    @exclusivity(unchecked) private var areMade: ContiguousArray<Bool> = []
    /// The state that was read, for a context that reads the newest one; nil if that is not known.
    @exclusivity(unchecked) var mark: CommitMark?
    /// Nil once all owners have been asked for.
    @exclusivity(unchecked) private(set) var rows: FetchedRows?
    /// The position after the owner asked for last, where reading usually continues.
    @exclusivity(unchecked) private var next = 0
    @exclusivity(unchecked) private var usedOwners = 0
    @exclusivity(unchecked) private(set) var lastOwner: Int64 = 0
    /// The list in which the owners follow each other. In a tree, an owner may have come as a
    /// member with another list by the time it is asked.
    @exclusivity(unchecked) var siblings: FaultBatch?
    /// Members that have been shown to a binding before their owner was asked for them, by the
    /// owner's position.
    @exclusivity(unchecked) private var shown: [Int: [ManagedObject]] = [:]

    /// - Parameter owners: in ascending order.
    init(
        _ property: Property, storeNumber: Int32, owners: [Int64], wantedOwners: Int, _ found: DestinationRows?, _ origin: RowOrigin
    ) {
        self.property = property
        self.storeNumber = storeNumber
        self.origin = origin
        self.wantedOwners = wantedOwners
        self.owners = ContiguousArray(owners)
        rows = found?.rows
        sharedRows = found?.shared
        if sharedRows != nil { areMade = ContiguousArray(repeating: false, count: found?.rows.count ?? 0) }
        for block in found?.rows.blocks ?? [] { block.rank = origin.rank }
        var starts = ContiguousArray<Int32>()
        starts.reserveCapacity(owners.count + 1)
        var member: Int32 = 0
        for owner in found?.owners ?? [] {
            while starts.count < owners.count, owners[starts.count] <= owner { starts.append(member) }
            member += 1
        }
        while starts.count <= owners.count { starts.append(member) }
        self.starts = starts
    }

    func isOf(_ property: Property, _ storeNumber: Int32, _ rank: UInt64) -> Bool {
        self.property === property && self.storeNumber == storeNumber && origin.rank == rank
    }

    var rowCount: Int { Int(starts[owners.count]) }
    var ownerCount: Int { owners.count }
    /// Whether most of the members read have been of use.
    var wasWorthwhile: Bool { usedOwners * 2 >= owners.count }

    /// An owner's members: their places, or the objects if they have been shown already. Nil if the
    /// owner is not in the batch.
    func take(_ owner: Int64) -> (members: Range<Int>, shown: [ManagedObject]?)? {
        guard rows != nil, let position = position(of: owner) else { return nil }
        next = position + 1
        usedOwners += 1
        lastOwner = owner
        return (members(at: position), shown.isEmpty ? nil : shown.removeValue(forKey: position))
    }

    private func members(at position: Int) -> Range<Int> { Int(starts[position])..<Int(starts[position + 1]) }

    /// An owner's members for a binding that shows them before their owner is asked for them. Nil
    /// if the owner is not in the batch.
    func show(
        _ owner: Int64, _ make: (Range<Int>) throws(PinviewError) -> [ManagedObject]
    ) throws(PinviewError) -> [ManagedObject]? {
        guard rows != nil, let position = position(of: owner) else { return nil }
        if let known = shown[position] { return known }
        let members = try make(members(at: position))
        shown[position] = members
        return members
    }

    /// Notes that an object is made of a row that members share.
    ///
    /// - Returns: whether one has been made before, or the context had the row already.
    func noteMade(_ row: DestinationRows.SharedRow) -> Bool {
        guard row.number >= 0 else { return true }
        defer { areMade[Int(row.number)] = true }
        return areMade[Int(row.number)]
    }

    /// Releases the rows if nobody is likely to ask for them.
    func releaseRowsIfUsed() { if usedOwners >= owners.count { rows = nil } }

    private func position(of owner: Int64) -> Int? {
        if next < owners.count, owners[next] == owner { return next }
        let place = partitionPoint(owners.count) { owners[$0] < owner }
        return place < owners.count && owners[place] == owner ? place : nil
    }
}
