/// The position of an object in a results controller: its section, and its index in the section.
public struct PinviewIndexPath: Hashable, Comparable, Sendable, CustomStringConvertible {
    /// The index of the section.
    public var section: Int
    /// The index of the object in its section.
    public var item: Int

    /// Makes an index path of an index in a section.
    public init(item: Int, section: Int) {
        self.section = section
        self.item = item
    }

    public static func < (left: PinviewIndexPath, right: PinviewIndexPath) -> Bool {
        left.section == right.section ? left.item < right.item : left.section < right.section
    }

    public var description: String { "[\(section), \(item)]" }
}
