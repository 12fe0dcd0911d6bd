/// The first hundred bytes of an SQLite file (sqlite.org/fileformat2.html, section 1.3).
struct DatabaseHeader {
    let pageSize: Int
    let isInWALMode: Bool

    private static let magic = Array("SQLite format 3\0".utf8)

    /// - Returns: nil if the file does not begin like a database.
    init?(descriptor: Int32) {
        let bytes = Bytes.read(100, at: 0, from: descriptor)
        guard bytes.count == 100, Array(bytes.prefix(16)) == Self.magic else { return nil }
        let size = Int(bytes[16]) << 8 | Int(bytes[17])
        pageSize = size == 1 ? 65536 : size
        isInWALMode = bytes[18] == 2 && bytes[19] == 2
    }
}
