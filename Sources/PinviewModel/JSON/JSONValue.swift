/// A JSON document. Objects keep the order of their members.
public indirect enum JSONValue: Hashable, Sendable {
    case null
    case boolean(Bool)
    case integer(Int64)
    case number(Double)
    case string(String)
    case array([JSONValue])
    case object([Member])

    /// A member of an object.
    public struct Member: Hashable, Sendable {
        /// The key; unique within an object of a valid document.
        public let name: String
        /// The value under the key.
        public let value: JSONValue

        /// Creates a member of an object.
        public init(_ name: String, _ value: JSONValue) {
            self.name = name
            self.value = value
        }
    }

    // Not derived: a derived function is inlined into itself several times, in all its variants.

    /// Whether two documents have the same values; members in another order make another document.
    @inline(never)
    public static func == (left: JSONValue, right: JSONValue) -> Bool {
        switch (left, right) {
        case (.null, .null): true
        case (.boolean(let left), .boolean(let right)): left == right
        case (.integer(let left), .integer(let right)): left == right
        case (.number(let left), .number(let right)): left == right
        case (.string(let left), .string(let right)): left == right
        case (.array(let left), .array(let right)): left == right
        case (.object(let left), .object(let right)): left == right
        default: false
        }
    }

    /// Adds what `==` compares to a hash.
    @inline(never)
    public func hash(into hasher: inout Hasher) {
        switch self {
        case .null: hasher.combine(0)
        case .boolean(let value): hasher.combine(value)
        case .integer(let value): hasher.combine(value)
        case .number(let value): hasher.combine(value)
        case .string(let value): hasher.combine(value)
        case .array(let values): hasher.combine(values)
        case .object(let members): hasher.combine(members)
        }
    }
}
