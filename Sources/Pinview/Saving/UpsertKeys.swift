import PinviewModel

/// The values of a constraint's properties, in their order. Most constraints have one property,
/// whose value needs no array.
enum UpsertKey: Hashable {
    case one(Value)
    case several([Value])

    init(
        _ constraint: EntityConstraint, _ value: (Property) throws(PinviewError) -> Value
    ) throws(PinviewError) {
        if constraint.properties.count == 1 {
            self = .one(try value(constraint.properties[0]))
            return
        }
        var values: [Value] = []
        values.reserveCapacity(constraint.properties.count)
        for property in constraint.properties { values.append(try value(property)) }
        self = .several(values)
    }

    /// The value of the constraint's first property.
    var first: Value? {
        switch self {
        case .one(let value): value
        case .several(let values): values.first
        }
    }

    var values: [Value] {
        switch self {
        case .one(let value): [value]
        case .several(let values): values
        }
    }

    /// Whether a value is null. The constraint does not apply to such an object.
    var hasNull: Bool {
        switch self {
        case .one(let value): value == .null
        case .several(let values): values.contains(.null)
        }
    }
}

/// The distinct keys of a constraint, numbered from 0 in the order in which they came. What is known
/// of them is kept by number, so that the key of a row is hashed once.
struct UpsertKeys {
    private(set) var list: [UpsertKey] = []
    private var numbers: [UpsertKey: Int] = [:]

    init(capacity: Int) {
        list.reserveCapacity(capacity)
        numbers.reserveCapacity(capacity)
    }

    /// The number of a key; nil if there is none.
    func number(of key: UpsertKey) -> Int? { numbers[key] }

    /// Adds a key, if there is none like it.
    /// - Returns: its number.
    mutating func add(_ key: UpsertKey) -> Int {
        let next = list.count
        // Enters the number and reads it with one look-up.
        func entered(_ number: inout Int) -> Int { number }
        let number = entered(&numbers[key, default: next])
        if number == next { list.append(key) }
        return number
    }
}
