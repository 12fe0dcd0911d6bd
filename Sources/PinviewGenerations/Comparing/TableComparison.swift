/// Finds the rows of a table that may differ between two generations, by the pages written in
/// between. Both trees are walked side by side; a subtree whose pages have not been written is the
/// same in both:
///
///     old     root               new     root            An interior page that has not been written
///            ╱    ╲                     ╱    ╲           has the same children, of which only those
///         [5]      [9]               [5]      [9]        that were written differ. One that has been
///        ╱ │ ╲    ╱ │ ╲             ╱ │ ╲    ╱ │ ╲       written may have lost and gained children,
///       6  7  8  10 11 12          6  7* 8  10 11 12     all of whose rows may differ.
///
/// Only interior pages and written leaves are read. The format is described in SQLite's "Database
/// File Format", section 1.6. Whatever does not fit it is not judged here: the result is then nil.
struct TableComparison {
    let old: GenerationPages, new: GenerationPages
    /// Bytes of a page that SQLite uses.
    let usableSize: Int
    /// The most keys that are wanted.
    let limit: Int
    /// One bit for each page that was written in between.
    private var written: [UInt64]
    /// How many pages may still be read: a tree has each page once, but one that was made to do harm
    /// can lead to the same pages again and again.
    private var pagesLeft: Int
    private var keys: [Int64] = []

    /// - Parameter written: the pages that were written in between.
    init(old: GenerationPages, new: GenerationPages, written pages: [UInt32], usableSize: Int, limit: Int) {
        self.old = old
        self.new = new
        self.usableSize = usableSize
        self.limit = limit
        pagesLeft = Int(old.pageCount) + Int(new.pageCount)
        written = [UInt64](repeating: 0, count: Int(max(old.pageCount, new.pageCount)) / 64 + 1)
        for page in pages where Int(page / 64) < written.count { written[Int(page / 64)] |= 1 << UInt64(page % 64) }
    }

    private func isWritten(_ page: UInt32) -> Bool {
        Int(page / 64) < written.count && written[Int(page / 64)] & (1 << UInt64(page % 64)) != 0
    }

    /// The keys of all rows that may differ, which include those that do; nil if there are too
    /// many, or the pages cannot be understood.
    mutating func changedKeys(root: UInt32) -> [Int64]? {
        // All leaves of a tree are at the same level. If they are at another one in the older tree,
        // a page of it is not what is expected there.
        guard let level = level(of: root, new), compare(root, level) else { return nil }
        return Array(Set(keys)).sorted()
    }

    private func level(of root: UInt32, _ pages: GenerationPages) -> Int? {
        var page = root
        // SQLite's own limit of a cursor's depth is 20.
        for level in 1...20 {
            guard let bytes = pages.page(page), let tree = TreePage(bytes, usableSize) else { return nil }
            if tree.isLeaf { return level }
            guard let child = tree.children?.first else { return nil }
            page = child
        }
        return nil
    }

    /// Compares a page that both trees have at a level; 1 is that of the leaves.
    private mutating func compare(_ page: UInt32, _ level: Int) -> Bool {
        if level == 1 {
            guard isWritten(page) else { return true }
            guard let before = leaf(page, old), let after = leaf(page, new) else { return false }
            return note(before, after)
        }
        guard let after = children(page, new) else { return false }
        guard isWritten(page) else {
            for child in after where level > 2 || isWritten(child) { guard compare(child, level - 1) else { return false } }
            return true
        }
        guard let before = children(page, old) else { return false }
        let wasChild = Set(before), isChild = Set(after)
        for child in before where !isChild.contains(child) { guard collect(child, level - 1, old) else { return false } }
        for child in after {
            guard wasChild.contains(child) ? compare(child, level - 1) : collect(child, level - 1, new) else { return false }
        }
        return true
    }

    /// Notes all rows of a page that only one of the trees has there.
    private mutating func collect(_ page: UInt32, _ level: Int, _ pages: GenerationPages) -> Bool {
        if level == 1 {
            guard let cells = leaf(page, pages) else { return false }
            return cells.allSatisfy { note($0.key) }
        }
        guard let children = children(page, pages) else { return false }
        for child in children { guard collect(child, level - 1, pages) else { return false } }
        return true
    }

    private mutating func read(_ page: UInt32, _ pages: GenerationPages) -> TreePage? {
        pagesLeft -= 1
        return pagesLeft < 0 ? nil : pages.page(page).flatMap { TreePage($0, usableSize) }
    }

    private mutating func children(_ page: UInt32, _ pages: GenerationPages) -> [UInt32]? { read(page, pages)?.children }

    private mutating func leaf(_ page: UInt32, _ pages: GenerationPages) -> [TreePage.Cell]? { read(page, pages)?.cells }

    private mutating func note(_ key: Int64) -> Bool {
        keys.append(key)
        return keys.count <= limit
    }

    /// Both lists are in the order of their keys.
    private mutating func note(_ before: [TreePage.Cell], _ after: [TreePage.Cell]) -> Bool {
        var here = 0, there = 0
        while here < before.count || there < after.count {
            let isHere = here < before.count && (there == after.count || before[here].key <= after[there].key)
            let isThere = there < after.count && (here == before.count || after[there].key <= before[here].key)
            let isSame = isHere && isThere && before[here].isWhole && before[here].content == after[there].content
            if !isSame { guard note(isHere ? before[here].key : after[there].key) else { return false } }
            if isHere { here += 1 }
            if isThere { there += 1 }
        }
        return true
    }
}

/// A page of a table's tree.
struct TreePage {
    struct Cell {
        let key: Int64
        /// The row as far as it is on the page.
        let content: ArraySlice<UInt8>
        /// Whether all of it is.
        let isWhole: Bool
    }

    private let bytes: [UInt8]
    private let usableSize: Int
    let isLeaf: Bool
    private let count: Int

    /// Nil if it is not a page of a table's tree.
    init?(_ bytes: [UInt8], _ usableSize: Int) {
        guard usableSize >= 480, usableSize <= bytes.count else { return nil }
        switch bytes[0] {
        case 13: isLeaf = true
        case 5: isLeaf = false
        default: return nil
        }
        self.bytes = bytes
        self.usableSize = usableSize
        count = Int(bytes[3]) << 8 | Int(bytes[4])
        guard (isLeaf ? 8 : 12) + 2 * count <= usableSize else { return nil }
    }

    private func number(at offset: Int) -> UInt32 {
        UInt32(bytes[offset]) << 24 | UInt32(bytes[offset + 1]) << 16 | UInt32(bytes[offset + 2]) << 8 | UInt32(bytes[offset + 3])
    }

    /// Where a cell begins; nil if that is not on the page.
    private func start(ofCell cell: Int) -> Int? {
        let pointer = (isLeaf ? 8 : 12) + 2 * cell
        let start = Int(bytes[pointer]) << 8 | Int(bytes[pointer + 1])
        return start >= 8 && start + 4 <= usableSize ? start : nil
    }

    /// The pages below an interior page, in order.
    var children: [UInt32]? {
        guard !isLeaf else { return nil }
        var children: [UInt32] = []
        children.reserveCapacity(count + 1)
        for cell in 0..<count {
            guard let start = start(ofCell: cell) else { return nil }
            children.append(number(at: start))
        }
        children.append(number(at: 8))
        return children
    }

    /// The rows of a leaf, in order.
    var cells: [Cell]? {
        guard isLeaf else { return nil }
        var cells: [Cell] = []
        cells.reserveCapacity(count)
        for cell in 0..<count {
            guard var offset = start(ofCell: cell), let size = varint(&offset), let key = varint(&offset), size <= UInt64(Int32.max)
            else { return nil }
            let onPage = local(Int(size)), isWhole = onPage == Int(size)
            guard offset + onPage + (isWhole ? 0 : 4) <= usableSize else { return nil }
            cells.append(Cell(key: Int64(bitPattern: key), content: bytes[offset..<offset + onPage], isWhole: isWhole))
        }
        for (left, right) in zip(cells, cells.dropFirst()) { guard left.key < right.key else { return nil } }
        return cells
    }

    /// How many bytes of a row of a size are on the page.
    private func local(_ size: Int) -> Int {
        let most = usableSize - 35
        guard size > most else { return size }
        let least = (usableSize - 12) * 32 / 255 - 23, some = least + (size - least) % (usableSize - 4)
        return some <= most ? some : least
    }

    private func varint(_ offset: inout Int) -> UInt64? {
        var value: UInt64 = 0
        for byte in 0..<9 {
            guard offset < usableSize else { return nil }
            let next = bytes[offset]
            offset += 1
            if byte == 8 { return value << 8 | UInt64(next) }
            value = value << 7 | UInt64(next & 0x7f)
            if next & 0x80 == 0 { return value }
        }
        return nil
    }
}
