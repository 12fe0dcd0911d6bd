/// Sizes in the journal file (sqlite.org/walformat.html, section 1).
enum Journal {
    static let headerSize = 32
    static let frameHeaderSize = 24

    /// Bytes of a frame: its header and a page.
    static func frameSize(pageSize: Int) -> Int { frameHeaderSize + pageSize }

    /// The offset at which that many frames end.
    static func size(frames: UInt32, pageSize: Int) -> Int { headerSize + Int(frames) * frameSize(pageSize: pageSize) }

    /// Whether a read at an offset is that of a page: SQLite reads nothing else there but headers,
    /// which are shorter.
    static func isPage(count: Int, offset: Int) -> Bool {
        count >= 512 && offset >= headerSize && (offset - headerSize - frameHeaderSize) % frameSize(pageSize: count) == 0
    }
}
