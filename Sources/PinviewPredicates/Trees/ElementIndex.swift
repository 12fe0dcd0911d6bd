/// The member of an ordered to-many relationship through which a key path continues: `cars[0]`,
/// `cars[FIRST]`, `cars[LAST]`.
package enum ElementIndex: Hashable, Sendable {
    case index(Int64)
    case first
    case last

    init?(key: String) {
        guard key.hasPrefix("["), key.hasSuffix("]") else { return nil }
        switch key {
        case "[FIRST]": self = .first
        case "[LAST]": self = .last
        default:
            guard let index = Int64(key.dropFirst().dropLast()), index >= 0 else { return nil }
            self = .index(index)
        }
    }
}
