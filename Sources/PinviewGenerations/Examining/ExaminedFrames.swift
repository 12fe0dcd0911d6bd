/// The valid frames of a journal (sqlite.org/walformat.html), up to the last that ends a
/// transaction.
struct ExaminedFrames {
    let pageSize: Int
    let salts: (UInt32, UInt32)
    /// The page of each frame.
    private(set) var pages: [UInt32] = []
    private(set) var commits: [ExaminedCommit] = []

    /// - Returns: nil if the file does not begin like a journal.
    init?(_ descriptor: Int32) {
        let header = Bytes.read(Journal.headerSize, at: 0, from: descriptor)
        guard header.count == Journal.headerSize, JournalSums.word(header, 0) & ~1 == 0x377f_0682,
            JournalSums.word(header, 4) == WALHeader.knownVersion
        else { return nil }
        let isBigEndian = header[3] & 1 == 1
        var sum = JournalSums.checksum(header[0..<24], (0, 0), isBigEndian)
        guard sum == (JournalSums.word(header, 24), JournalSums.word(header, 28)) else { return nil }
        let size = Int(JournalSums.word(header, 8))
        guard size >= 512, size <= 65536, size & (size - 1) == 0 else { return nil }
        pageSize = size
        salts = (JournalSums.word(header, 16), JournalSums.word(header, 20))
        var offset = Int64(Journal.headerSize)
        var all: [UInt32] = []
        while true {
            let frame = Bytes.read(Journal.frameSize(pageSize: size), at: offset, from: descriptor)
            // The first frame of a former journal, or one that was not written to its end.
            guard frame.count == Journal.frameSize(pageSize: size), frame[8..<16] == header[16..<24] else { break }
            sum = JournalSums.checksum(frame[0..<8], sum, isBigEndian)
            sum = JournalSums.checksum(frame[Journal.frameHeaderSize...], sum, isBigEndian)
            let page = JournalSums.word(frame, 0)
            guard sum == (JournalSums.word(frame, 16), JournalSums.word(frame, 20)), page > 0 else { break }
            offset += Int64(frame.count)
            all.append(page)
            let pageCount = JournalSums.word(frame, 4)
            guard pageCount != 0 else { continue }
            pages = all
            commits.append(
                ExaminedCommit(
                    number: UInt32(commits.count + 1), frame: UInt32(all.count), pageCount: pageCount, checksum: sum, salts: salts))
        }
    }
}
