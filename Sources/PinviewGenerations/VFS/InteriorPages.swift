/// The interior pages of a store's B-trees, on the path to every row, kept for a reader that moves
/// from generation to generation.
///
/// SQLite forgets all pages when another header is shown. Those of the main file nevertheless stay
/// valid until the journal is restarted: a page is read from the file only if no frame up to the
/// pinned one has it, so it is as it was when the journal was started, for each reader of the
/// journal that holds its read mark. Readers of read mark 0 read from the file what has been copied
/// into it: for them nothing is kept.
struct InteriorPages {
    private static let count = 64  // a power of two

    /// The number of the page in each slot, from 1; 0 if the slot is empty.
    private var numbers: [Int64] = []
    private var memory: [UnsafeMutableRawPointer?] = []
    private var pageSize: Int32 = 0
    /// The state of the journal that they belong to, as of the last move; nil if nothing is kept.
    private var journal: WALHeader?

    /// Called by the owner, which lies in memory of SQLite's where nothing is deinitialized.
    mutating func deallocate() {
        for page in memory { page?.deallocate() }
        (numbers, memory) = ([], [])
    }

    /// - Parameter header: of the generation that is read from now on; nil if its pages are not to
    ///   be kept.
    mutating func move(to header: WALHeader?) {
        let isContinued = if let journal, let header { header.continues(journal) } else { false }
        if !isContinued { forget() }
        journal = header
    }

    mutating func forget() { for slot in numbers.indices { numbers[slot] = 0 } }

    /// - Returns: whether the read was answered.
    func copy(_ count: Int32, _ offset: Int64, to buffer: UnsafeMutableRawPointer) -> Bool {
        guard journal != nil, count == pageSize, count > 0, offset % Int64(count) == 0 else { return false }
        let number = offset / Int64(count) + 1, slot = Self.slot(of: number)
        guard numbers[slot] == number, let page = memory[slot] else { return false }
        buffer.copyMemory(from: page, byteCount: Int(count))
        return true
    }

    /// Keeps a page that has been read, if it is an interior one.
    mutating func keep(_ count: Int32, _ offset: Int64, _ page: UnsafeRawPointer) {
        guard journal != nil, count >= 512, offset % Int64(count) == 0 else { return }
        let number = offset / Int64(count) + 1
        // The first page has the file's header and the schema, which is read each time. On the
        // others, the first byte is the page type.
        guard number == 1 || [2, 5].contains(page.load(as: UInt8.self)) else { return }
        if pageSize != count {
            deallocate()
            pageSize = count
            numbers = Array(repeating: 0, count: Self.count)
            memory = Array(repeating: nil, count: Self.count)
        }
        let slot = Self.slot(of: number)
        let kept = memory[slot] ?? .allocate(byteCount: Int(count), alignment: 8)
        memory[slot] = kept
        kept.copyMemory(from: page, byteCount: Int(count))
        numbers[slot] = number
    }

    private static func slot(of number: Int64) -> Int { Int(truncatingIfNeeded: number) & (count - 1) }
}
