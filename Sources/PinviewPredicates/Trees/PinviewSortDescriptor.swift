/// A criterion for sorting (`NSSortDescriptor`). In ascending order, nil comes first.
public struct PinviewSortDescriptor: Hashable, Sendable {
    /// How values are compared.
    public enum Comparator: Int, Hashable, Sendable {
        /// Numbers and dates by value, strings by their UTF-8 bytes, UUIDs and binary data by their
        /// bytes.
        case binary = 0
        /// Strings ignoring case: by their UTF-8 bytes after Unicode's case folding.
        case caseInsensitive = 1
        /// Strings by their UTF-8 bytes, but numbers in them by value: `file9` before `file10`.
        case numeric = 2
        /// Strings in the order of the user's language, which the environment selects (`LC_ALL`,
        /// `LC_COLLATE`, `LANG`).
        case localized = 3
        /// Like `localized`, ignoring case.
        case localizedCaseInsensitive = 4
        /// Like `localizedCaseInsensitive`, with numbers by value: the order for lists shown to
        /// people (`localizedStandardCompare:`).
        case localizedStandard = 5
    }

    /// An attribute, possibly through to-one relationships: `owner.name`.
    public var keyPath: String
    /// Whether smaller values come first.
    public var ascending: Bool
    /// How values are compared; all but `binary` are for strings.
    public var comparator: Comparator

    /// Creates a criterion. The key path is checked when it is used with an entity.
    public init(keyPath: String, ascending: Bool = true, comparator: Comparator = .binary) {
        self.keyPath = keyPath
        self.ascending = ascending
        self.comparator = comparator
    }
}
