/// One criterion of an order (`NSSortDescriptor`). Nil comes before every value, when ascending.
public struct SortDescriptor: Hashable, Sendable {
    public enum Comparator: Int, Hashable, Sendable {
        /// Numbers and dates by value, texts by their UTF-8 bytes, UUIDs and data by their bytes.
        case binary = 0
        /// Texts without regard to case: by the UTF-8 bytes that they have after Unicode's case folding.
        case caseInsensitive = 1
    }

    /// An attribute, maybe behind to-one relationships: `owner.name`.
    public var keyPath: String
    public var ascending: Bool
    public var comparator: Comparator

    public init(keyPath: String, ascending: Bool = true, comparator: Comparator = .binary) {
        self.keyPath = keyPath
        self.ascending = ascending
        self.comparator = comparator
    }
}
