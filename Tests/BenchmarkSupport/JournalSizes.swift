/// How large a store's journal, and all of its files, get while another connection commits.
public struct JournalSizes {
    public private(set) var journal: Int64 = 0
    public private(set) var files: Int64 = 0

    /// Commits as often as the parameter `commits` says, and looks after every hundredth commit
    /// what is there.
    public init(_ cell: Cell, store: String, commit: (Int64) throws -> Void) throws {
        for number in 1...Int64(try cell.parameter("commits")) {
            try commit(number)
            guard number % 100 == 0 else { continue }
            journal = max(journal, fileSize(store + "-wal"))
            files = max(files, try folderSize(cell.folder))
        }
    }
}
