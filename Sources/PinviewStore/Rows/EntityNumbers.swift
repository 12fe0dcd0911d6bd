import PinviewModel

/// Maps the model's entities to a store's entity numbers (`Z_ENT`).
///
/// The number is the entity's index plus one if the store holds the whole model. A store of one
/// configuration numbers its own entities only.
struct EntityNumbers: Sendable {
    /// By entity index; 0 for entities that the store does not hold.
    private let numbers: [Int32]
    /// By `Z_ENT`; −1 for numbers without an entity.
    private let indexes: [Int32]

    /// The numbers of a store that holds the whole model.
    init(entityCount: Int) {
        self.init(numbers: (0..<entityCount).map { Int32($0 + 1) })
    }

    /// - Parameter numbers: by entity index; 0 for none. Numbers above `limit` count as none.
    init(numbers: [Int32]) {
        self.numbers = numbers.map { (1...Self.limit).contains($0) ? $0 : 0 }
        var indexes = [Int32](repeating: -1, count: Int(self.numbers.max() ?? 0) + 1)
        for (index, number) in self.numbers.enumerated() where number > 0 { indexes[Int(number)] = Int32(index) }
        self.indexes = indexes
    }

    /// Core Data's own entities start at 16001, far above any model's.
    static let limit: Int32 = 65535

    /// The `Z_ENT` of an entity; 0 if the store does not hold it.
    func number(ofEntityIndex index: Int) -> Int32 {
        numbers.indices.contains(index) ? numbers[index] : 0
    }

    /// The index of the entity with a `Z_ENT`; nil if there is none.
    func entityIndex(ofNumber number: Int64) -> Int? {
        guard number > 0, number < indexes.count, indexes[Int(number)] >= 0 else { return nil }
        return Int(indexes[Int(number)])
    }

    func has(entityIndex: Int) -> Bool { number(ofEntityIndex: entityIndex) > 0 }
}
