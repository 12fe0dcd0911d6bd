import PinviewGenerations
import PinviewModel
import PinviewStore

/// The keys of the objects of one fetch or one relationship, which are loaded together. Keeps none
/// of the objects alive.
final class FaultBatch {
    /// The store and hierarchy of the keys.
    private let owner: ObjectKey
    private let primaryKeys: KeyList
    /// The position after the keys loaded last, where reading usually continues.
    var position = 0

    /// - Parameter objects: at least one. Objects of another store or hierarchy than the first are
    ///   left out.
    init(_ objects: [ManagedObject]) {
        let owner = objects[0].key
        self.owner = owner
        primaryKeys = KeyList(
            ContiguousArray(
                objects.lazy.map(\.key).filter { $0.storeNumber == owner.storeNumber && $0.rootEntity == owner.rootEntity }
                    .map(\.primaryKey)))
    }

    /// The siblings in a block of rows.
    init(_ block: RowBlock, of key: ObjectKey) {
        owner = key
        primaryKeys = KeyList(ContiguousArray((0..<block.rowCount).map { block.primaryKey(row: $0) }))
    }

    var count: Int { primaryKeys.count }

    func key(_ index: Int) -> ObjectKey {
        ObjectKey(storeNumber: owner.storeNumber, rootEntity: owner.rootEntity, primaryKey: primaryKeys[index])
    }

    /// The position of a key, searched from `position` on.
    func index(of key: ObjectKey) -> Int? {
        guard key.storeNumber == owner.storeNumber, key.rootEntity == owner.rootEntity else { return nil }
        return primaryKeys[position...].firstIndex(of: key.primaryKey) ?? primaryKeys[..<position].firstIndex(of: key.primaryKey)
    }
}
