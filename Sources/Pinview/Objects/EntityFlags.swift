/// Some entities of a model, by index.
struct EntityFlags {
    private var indexes = PropertySet()

    var isEmpty: Bool { indexes.isEmpty }
    func contains(_ index: Int) -> Bool { indexes.contains(index) }
    mutating func insert(_ index: Int) { indexes.set(index, true) }
}
