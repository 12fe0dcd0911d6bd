import PinviewModel

/// Which `Z_ENT` a store gives to which entity of the model.
///
/// They are the entity's index plus one where the store holds the whole model; a store of one
/// configuration counts its own entities only.
struct EntityNumbers: Sendable {
    /// By entity index; 0 for entities that the store does not have.
    private let numbers: [Int32]
    /// By `Z_ENT`; −1 for numbers that no entity has.
    private let indexes: [Int32]

    /// Numbers as a store of the whole model has them.
    init(entityCount: Int) {
        self.init(numbers: (0..<entityCount).map { Int32($0 + 1) })
    }

    /// - Parameter numbers: by entity index; 0 for none. Numbers beyond `limit` count as none.
    init(numbers: [Int32]) {
        self.numbers = numbers.map { (1...Self.limit).contains($0) ? $0 : 0 }
        var indexes = [Int32](repeating: -1, count: Int(self.numbers.max() ?? 0) + 1)
        for (index, number) in self.numbers.enumerated() where number > 0 { indexes[Int(number)] = Int32(index) }
        self.indexes = indexes
    }

    /// Core Data's own entities begin at 16001; no model comes near.
    static let limit: Int32 = 65535

    /// `Z_ENT` of an entity; 0 if the store does not have it.
    func number(ofEntityIndex index: Int) -> Int32 {
        numbers.indices.contains(index) ? numbers[index] : 0
    }

    /// The index of the entity with that `Z_ENT`, nil if there is none.
    func entityIndex(ofNumber number: Int64) -> Int? {
        guard number > 0, number < indexes.count, indexes[Int(number)] >= 0 else { return nil }
        return Int(indexes[Int(number)])
    }

    func has(entityIndex: Int) -> Bool { number(ofEntityIndex: entityIndex) > 0 }
}
