import PinviewGenerations

/// What a managed object has in memory: a pointer, which kind of contents it leads to, the number
/// of the object's row, and what is known about the object.
///
///      0 ┌──────────────────────────────┐     ┌ nothing
///        │ pointer ─────────────────────┼─────┤ RowBlock: the row alone
///      8 ├─────────┬─────┬──────────────┘     │ DestinationLink: block and a destination
///        │ marks   │ row │                    │ ObjectExtras: block, slots and changes
///     11 └─────────┴─────┘                    │ RowBlock: a row of NewRows
///                                             └ FaultBatch: a fault without a row
///
///     marks   12      11              4 3      2        1          0
///             ┌────────┬────────────────┬──────┬────────┬──────────┬───────┐
///             │ newRow │ see ``Marks``  │ link │ extras │ siblings │ block │   at most one kind
///             └────────┴────────────────┴──────┴────────┴──────────┴───────┘
///
/// The storage owns what it points to, so reading a value counts no references. A plain value:
/// whoever replaces the contents releases the old ones.
struct ObjectStorage {
    /// The kind of the contents, and what is known about the object.
    struct Marks: OptionSet {
        let rawValue: UInt16
        fileprivate static let block = Marks(rawValue: 1 << 0)
        fileprivate static let siblings = Marks(rawValue: 1 << 1)
        fileprivate static let extras = Marks(rawValue: 1 << 2)
        fileprivate static let link = Marks(rawValue: 1 << 3)
        fileprivate static let newRow = Marks(rawValue: 1 << 11)
        fileprivate static let kinds: Marks = [.block, .siblings, .extras, .link, .newRow]
        /// The block, including that of extras or a link, has the object's row: the committed one
        /// or, for a fault, a prefetched one.
        static let row = Marks(rawValue: 1 << 4)
        /// The row cache counts the object.
        static let isCounted = Marks(rawValue: 1 << 5)
        /// The object is in its context's event as updated.
        static let isNotedAsUpdated = Marks(rawValue: 1 << 6)
        /// The object is in its context's event as inserted.
        static let isNotedAsInserted = Marks(rawValue: 1 << 7)
        /// Without extras only: the object's to-many relationships are loaded and have no members,
        /// as after saving a new object.
        static let hasNoMembers = Marks(rawValue: 1 << 8)
        /// Shown as a member of a relationship while it was a fault. Its values may lead elsewhere.
        static let isShownAsMember = Marks(rawValue: 1 << 9)
        /// Is, or was, a member of a relationship without an inverse.
        static let isMemberWithoutInverse = Marks(rawValue: 1 << 10)
    }

    /// A view of the pointer and its kind.
    enum Contents {
        case nothing
        case block(Unmanaged<RowBlock>)
        case siblings(Unmanaged<FaultBatch>)
        case extras(Unmanaged<ObjectExtras>)
        case link(LinkPool.Link)
        /// The values of a new object, as it was inserted.
        case newRow(Unmanaged<RowBlock>)
    }

    private var pointer: UnsafeMutableRawPointer?
    private(set) var marks: Marks
    /// The row's number in its block, which has at most 256 rows.
    private var rowByte: UInt8

    /// - Parameter contents: references that the storage takes over.
    @inline(__always)
    init(_ contents: Contents = .nothing, row: Int = 0, _ marks: Marks = []) {
        (pointer, self.marks) = (nil, marks)
        rowByte = UInt8(truncatingIfNeeded: row)
        put(contents)
    }

    @inline(__always)
    var row: Int {
        get { Int(rowByte) }
        set { rowByte = UInt8(truncatingIfNeeded: newValue) }
    }

    // MARK: Contents

    var contents: Contents {
        guard let pointer else { return .nothing }
        if marks.contains(.block) { return .block(.fromOpaque(pointer)) }
        if marks.contains(.extras) { return .extras(.fromOpaque(pointer)) }
        if let link { return .link(link) }
        if let newRow { return .newRow(newRow) }
        return marks.contains(.siblings) ? .siblings(.fromOpaque(pointer)) : .nothing
    }

    /// Replaces the contents, without releasing the old ones.
    ///
    /// - Parameter new: references that the storage takes over.
    @inline(__always)
    mutating func put(_ new: Contents) {
        marks.subtract(.kinds)
        switch new {
        case .nothing: pointer = nil
        case .block(let block): (pointer, marks) = (block.toOpaque(), marks.union(.block))
        case .siblings(let siblings): (pointer, marks) = (siblings.toOpaque(), marks.union(.siblings))
        case .extras(let extras): (pointer, marks) = (extras.toOpaque(), marks.union(.extras))
        case .link(let link): (pointer, marks) = (UnsafeMutableRawPointer(link), marks.union(.link))
        case .newRow(let block): (pointer, marks) = (block.toOpaque(), marks.union(.newRow))
        }
    }

    @inline(__always)
    private func pointer<T: AnyObject>(_ kind: Marks, as type: T.Type) -> Unmanaged<T>? {
        guard marks.contains(kind), let pointer else { return nil }
        return Unmanaged<T>.fromOpaque(pointer)
    }

    @inline(__always)
    var siblings: Unmanaged<FaultBatch>? { pointer(.siblings, as: FaultBatch.self) }

    @inline(__always)
    var extras: Unmanaged<ObjectExtras>? { pointer(.extras, as: ObjectExtras.self) }

    @inline(__always)
    var link: LinkPool.Link? { marks.contains(.link) ? pointer?.assumingMemoryBound(to: DestinationLink.self) : nil }

    /// The block of a row alone.
    @inline(__always)
    var block: Unmanaged<RowBlock>? { pointer(.block, as: RowBlock.self) }

    /// The block of a row alone that is the object's.
    @inline(__always)
    var blockOfRow: Unmanaged<RowBlock>? {
        guard marks.intersection(Self.kindsAndRow) == Self.blockAndRow, let pointer else { return nil }
        return .fromOpaque(pointer)
    }

    private static let kindsAndRow: Marks = Marks.kinds.union(.row), blockAndRow: Marks = [.block, .row]

    /// The block of a row of ``NewRows``.
    @inline(__always)
    var newRow: Unmanaged<RowBlock>? { pointer(.newRow, as: RowBlock.self) }

    /// The block of a row alone, or of a link.
    @inline(__always)
    var blockWithoutExtras: Unmanaged<RowBlock>? {
        if let link { return link.pointee.block }
        return block
    }

    @inline(__always)
    var isEmpty: Bool { marks.isDisjoint(with: .kinds) }

    @inline(__always)
    var hasExtras: Bool { marks.contains(.extras) }

    /// Whether there is a row alone, whose relationships nobody has read.
    @inline(__always)
    var isRowAlone: Bool { marks.contains([.row, .block]) && !marks.contains(.hasNoMembers) }

    /// Whether there are neither extras nor a link nor relationships without members, and the
    /// object is not a new one.
    @inline(__always)
    var hasNoSlots: Bool { marks.isDisjoint(with: [.extras, .link, .hasNoMembers, .newRow]) }

    /// Whether the contents are those of a fault that has had no row: siblings or nothing.
    @inline(__always)
    var canHoldSiblings: Bool { marks.isDisjoint(with: [.block, .extras, .link, .newRow]) }

    /// Whether there are slots that can be changed, or that extras would have.
    @inline(__always)
    var hasExtrasOrNewRow: Bool { !marks.isDisjoint(with: [.extras, .newRow]) }

    // MARK: References

    /// What the contents own.
    struct References {
        fileprivate let object: UnsafeMutableRawPointer?
        fileprivate let destination: Unmanaged<ManagedObject>?

        func release() {
            if let object { Unmanaged<AnyObject>.fromOpaque(object).release() }
            destination?.release()
        }
    }

    /// The references that are to be released with the contents. They stay valid when a link's
    /// memory is freed.
    @inline(__always)
    var references: References {
        guard let link else { return References(object: pointer, destination: nil) }
        return References(object: link.pointee.block.toOpaque(), destination: link.pointee.destination)
    }

    // MARK: Marks

    @inline(__always)
    func has(_ mark: Marks) -> Bool { marks.contains(mark) }

    @inline(__always)
    mutating func set(_ mark: Marks, _ isSet: Bool = true) {
        if isSet { marks.formUnion(mark) } else { marks.subtract(mark) }
    }
}
