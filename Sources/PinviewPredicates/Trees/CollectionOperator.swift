/// What can follow a to-many key path behind an `@`.
enum CollectionOperator: String, CaseIterable {
    case count, sum, min, max, avg
    case distinctUnionOfObjects, unionOfObjects

    static let names = allCases.map { "@\($0.rawValue)" }.joined(separator: ", ")

    /// In a key path, with its mark.
    init?(key: String) {
        guard key.hasPrefix("@") else { return nil }
        self.init(rawValue: String(key.dropFirst()))
    }

    /// The function that gives its value; nil for those that give values for others to judge.
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
