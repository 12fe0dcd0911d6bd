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
}
