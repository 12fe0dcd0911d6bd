import PinviewGenerations
import PinviewModel
import PinviewStore

/// The keys of the objects of one fetch or one relationship, which are loaded together. Keeps none
/// of the objects alive.
final class FaultBatch {
    private enum Keys {
        case list(KeyList)
        /// The keys of a block's rows, which are copied once one of them is searched for.
        case block(RowBlock)
    }

    /// The store and hierarchy of the keys.
    private let owner: ObjectKey
    private var keys: Keys
    let count: Int
    /// The position after the keys loaded last, where reading usually continues.
    var position = 0

    /// - Parameter objects: at least one. Objects of another store or hierarchy than the first are
    ///   left out.
    convenience init(_ objects: [ManagedObject]) {
        let owner = objects[0].key
        self.init(
            KeyList(
                ContiguousArray(
                    objects.lazy.map(\.key).filter { $0.storeNumber == owner.storeNumber && $0.rootEntity == owner.rootEntity }
                        .map(\.primaryKey))), of: owner)
    }

    /// - Parameter key: of the same store and hierarchy.
    init(_ list: KeyList, of key: ObjectKey) {
        owner = key
        keys = .list(list)
        count = list.count
    }

    /// The siblings in a block of rows.
    init(_ block: RowBlock, of key: ObjectKey, row: Int) {
        owner = key
        keys = .block(block)
        count = Int(block.rowCount)
        position = row
    }

    private func isOf(_ key: ObjectKey) -> Bool { key.storeNumber == owner.storeNumber && key.rootEntity == owner.rootEntity }

    private func primaryKey(_ index: Int) -> Int64 {
        switch keys {
        case .list(let list): list[index]
        case .block(let block): block.primaryKey(row: Int32(truncatingIfNeeded: index))
        }
    }

    private var list: KeyList {
        switch keys {
        case .list(let list): return list
        case .block(let block):
            let list = KeyList(
                ContiguousArray(unsafeUninitializedCapacity: count) { keys, initialized in
                    if let keys = keys.baseAddress { block.copyPrimaryKeys(into: keys) }
                    initialized = count
                })
            keys = .list(list)
            return list
        }
    }

    func key(_ index: Int) -> ObjectKey {
        ObjectKey(storeNumber: owner.storeNumber, rootEntity: owner.rootEntity, primaryKey: primaryKey(index))
    }

    /// The position of a key that follows another one shortly after `position`; nil if it does not.
    func index(of key: ObjectKey, after former: Int64) -> Int? {
        guard isOf(key) else { return nil }
        let end = min(position + Self.shortly, count)
        guard position < end, let index = list.index(of: key.primaryKey, in: position..<end), index > 0 else { return nil }
        return primaryKey(index - 1) == former ? index : nil
    }

    private static let shortly = 1024

    /// The position of a key, searched from `position` on.
    func index(of key: ObjectKey) -> Int? {
        guard isOf(key) else { return nil }
        if position < count, primaryKey(position) == key.primaryKey { return position }
        return list.index(of: key.primaryKey, in: position..<count) ?? list.index(of: key.primaryKey, in: 0..<position)
    }
}
