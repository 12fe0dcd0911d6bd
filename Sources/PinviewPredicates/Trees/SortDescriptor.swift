/// One criterion of an order (`NSSortDescriptor`). Nil comes before every value, when ascending.
public struct SortDescriptor: Hashable, Sendable {
    public enum Comparator: Int, Hashable, Sendable {
        /// Numbers and dates by value, texts by their UTF-8 bytes, UUIDs and data by their bytes.
        case binary = 0
        /// Texts without regard to case: by the UTF-8 bytes that they have after Unicode's case folding.
        case caseInsensitive = 1
        /// Texts by their UTF-8 bytes, but numbers in them by value: `file9` before `file10`.
        case numeric = 2
        /// Texts in the order of the user's language, which the environment names (`LC_ALL`, `LC_COLLATE`, `LANG`).
        case localized = 3
        /// The same without regard to case.
        case localizedCaseInsensitive = 4
        /// The same, and numbers by value: the order in which people are shown lists (`localizedStandardCompare:`).
        case localizedStandard = 5
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
