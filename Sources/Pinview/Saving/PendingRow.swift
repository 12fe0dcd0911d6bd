import PinviewModel
import PinviewStore

/// A row as a save is going to write it, while uniqueness conflicts are being resolved.
final class PendingRow {
    enum Cell {
        case value(Value)
        case reference(Reference?)

        var isNull: Bool {
            switch self {
            case .value(let value): value.isNull
            case .reference(let reference): reference == nil
            }
        }
    }

    /// Nil for a row of the store that the context has not changed.
    let object: ManagedObject?
    let shape: RowShape
    let reference: Reference
    /// The row in the store; nil for a row to be inserted.
    let current: RowSnapshot?
    /// When the object joined the pending changes; 0 for a row of the store.
    let sequence: UInt64
    /// When the object was changed last; 0 for a row of the store.
    let lastSequence: UInt64
    /// By position in the properties of the shape.
    var cells: [Cell]
    /// The properties that the context has set. Only these take precedence over another row's
    /// values, property by property.
    var isSet: [Bool]
    /// The columns to write; unused for a row to be inserted.
    var isWritten: [Bool]
    /// Whether the object must take values other than its own.
    var differsFromMemory = false
    /// The row that this one has been merged into, in which case it is not written.
    private(set) var target: PendingRow?
    /// The objects of rows that have been merged into this one.
    private(set) var absorbedObjects: [ManagedObject] = []

    init(
        object: ManagedObject?, shape: RowShape, reference: Reference, current: RowSnapshot?, cells: [Cell], isSet: [Bool],
        isWritten: [Bool]
    ) {
        self.object = object
        self.shape = shape
        self.reference = reference
        self.current = current
        self.cells = cells
        self.isSet = isSet
        self.isWritten = isWritten
        sequence = object?.changeSequence ?? 0
        lastSequence = object.map { $0.state.lastSequence(of: $0) } ?? 0
    }

    var isNew: Bool { current == nil }
    /// Whether the row has not been merged into another.
    var isLive: Bool { target == nil }
    /// The row that finally represents this one.
    var final: PendingRow {
        var row = self
        while let target = row.target { row = target }
        return row
    }
    /// The context's objects with this row.
    var objects: [ManagedObject] { (object.map { [$0] } ?? []) + absorbedObjects }

    /// Merges this row into another one.
    func join(_ other: PendingRow) {
        target = other
        other.absorbedObjects += objects
        absorbedObjects = []
    }

    /// Takes the value of another row for a property; the other row's entity may lack it.
    func take(_ position: Int, from other: PendingRow, at otherPosition: Int) {
        let cell = other.cells[otherPosition]
        if other.isSet[otherPosition] { isSet[position] = true }
        guard !Self.isSame(cells[position], cell) else { return }
        cells[position] = cell
        isWritten[position] = true
        differsFromMemory = true
    }

    /// Restores the store's values of some properties.
    ///
    /// - Returns: false if none of them was to be written.
    func revert(_ positions: some Sequence<Int>) -> Bool {
        guard let current else { return false }
        var isChanged = false
        for position in positions where isWritten[position] {
            cells[position] = shape.cell(position, of: current)
            isWritten[position] = false
            isSet[position] = false
            isChanged = true
        }
        if isChanged { differsFromMemory = true }
        return isChanged
    }

    /// Text is the same if its bytes are.
    static func isSame(_ left: Cell, _ right: Cell) -> Bool {
        switch (left, right) {
        case (.value(.string(let left)), .value(.string(let right))): left.utf8.elementsEqual(right.utf8)
        case (.value(let left), .value(let right)): left == right
        case (.reference(let left), .reference(let right)): left == right
        default: false
        }
    }
}

/// What all pending rows of an entity have in common.
final class RowShape {
    let entity: Entity
    /// The stored attributes and to-one relationships.
    let properties: [Property]
    /// The constraints that apply, by their number in the save, with the positions of their
    /// properties.
    let constraints: [(number: Int, positions: [Int])]

    init(entity: Entity, properties: [Property], constraints: [(number: Int, positions: [Int])]) {
        self.entity = entity
        self.properties = properties
        self.constraints = constraints
    }

    func position(of property: Property) -> Int? {
        properties.firstIndex { $0 === property } ?? properties.firstIndex { $0.name == property.name }
    }

    func cell(_ position: Int, of row: RowSnapshot) -> PendingRow.Cell {
        let property = properties[position]
        return property.isAttribute ? .value(row.value(of: property)) : .reference(row.reference(of: property))
    }
}
