/// An operator that can follow a to-many key path after an `@`.
enum CollectionOperator: String, CaseIterable {
    case count, sum, min, max, avg
    case distinctUnionOfObjects, unionOfObjects

    static let names = allCases.map { "@\($0.rawValue)" }.joined(separator: ", ")

    /// - Parameter key: a key of a key path, with its `@`.
    init?(key: String) {
        guard key.hasPrefix("@") else { return nil }
        self.init(rawValue: String(key.dropFirst()))
    }

    /// The function that computes its value; nil for operators that only select values.
    var function: ExpressionFunction? {
        switch self {
        case .count: .count
        case .sum: .sum
        case .min: .minimum
        case .max: .maximum
        case .avg: .average
        case .distinctUnionOfObjects, .unionOfObjects: nil
        }
    }
}
