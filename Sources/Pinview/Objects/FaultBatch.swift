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
        let count = Int(block.rowCount)
        primaryKeys = KeyList(
            ContiguousArray(unsafeUninitializedCapacity: count) { keys, initialized in
                if let keys = keys.baseAddress { block.copyPrimaryKeys(into: keys) }
                initialized = count
            })
    }

    var count: Int { primaryKeys.count }

    func key(_ index: Int) -> ObjectKey {
        ObjectKey(storeNumber: owner.storeNumber, rootEntity: owner.rootEntity, primaryKey: primaryKeys[index])
    }

    /// The position of a key that follows another one shortly after `position`; nil if it does not.
    func index(of key: ObjectKey, after former: Int64) -> Int? {
        guard key.storeNumber == owner.storeNumber, key.rootEntity == owner.rootEntity else { return nil }
        let end = min(position + Self.shortly, count)
        guard position < end, let index = primaryKeys[position..<end].firstIndex(of: key.primaryKey), index > 0 else { return nil }
        return primaryKeys[index - 1] == former ? index : nil
    }

    private static let shortly = 1024

    /// The position of a key, searched from `position` on.
    func index(of key: ObjectKey) -> Int? {
        guard key.storeNumber == owner.storeNumber, key.rootEntity == owner.rootEntity else { return nil }
        return primaryKeys[position...].firstIndex(of: key.primaryKey) ?? primaryKeys[..<position].firstIndex(of: key.primaryKey)
    }
}
