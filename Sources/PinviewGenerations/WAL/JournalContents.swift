import Glibc

/// The journal file (sqlite.org/walformat.html, section 1), as a recovery would read it.
struct JournalContents {
    private(set) var frames: UInt32 = 0
    private(set) var pageSize = 0

    /// Reads the whole journal, ignoring frames after the last commit and those of former journals.
    init(path: String) {
        let descriptor = RegularFile.open(path)
        guard descriptor >= 0 else { return }
        defer { close(descriptor) }
        let header = Bytes.read(Journal.headerSize, at: 0, from: descriptor)
        guard header.count == Journal.headerSize, JournalSums.word(header, 0) & ~1 == 0x377f_0682,
            JournalSums.word(header, 4) == WALHeader.knownVersion
        else { return }
        let isBigEndian = header[3] & 1 == 1
        var sum = JournalSums.checksum(header[0..<24], (0, 0), isBigEndian)
        guard sum == (JournalSums.word(header, 24), JournalSums.word(header, 28)) else { return }
        pageSize = Int(JournalSums.word(header, 8))
        guard pageSize >= 512, pageSize <= 65536, pageSize & (pageSize - 1) == 0 else { return }
        var offset = Int64(Journal.headerSize), count: UInt32 = 0
        while true {
            let size = Journal.frameSize(pageSize: pageSize)
            let frame = Bytes.read(size, at: offset, from: descriptor)
            guard frame.count == size, frame[8..<16] == header[16..<24] else { return }
            sum = JournalSums.checksum(frame[0..<8], sum, isBigEndian)
            sum = JournalSums.checksum(frame[Journal.frameHeaderSize...], sum, isBigEndian)
            guard sum == (JournalSums.word(frame, 16), JournalSums.word(frame, 20)) else { return }
            count += 1
            offset += Int64(frame.count)
            // The last frame of a transaction contains the size of the database file.
            if JournalSums.word(frame, 4) != 0 { frames = count }
        }
    }
}

/// Numbers and checksums of the journal file.
enum JournalSums {
    static func word(_ bytes: [UInt8], _ at: Int) -> UInt32 {
        UInt32(bytes[at]) << 24 | UInt32(bytes[at + 1]) << 16 | UInt32(bytes[at + 2]) << 8 | UInt32(bytes[at + 3])
    }

    static func checksum(_ bytes: ArraySlice<UInt8>, _ start: (UInt32, UInt32), _ isBigEndian: Bool) -> (UInt32, UInt32) {
        bytes.withUnsafeBytes { bytes in
            var (first, second) = start
            for offset in stride(from: 0, to: bytes.count, by: 8) {
                let left = bytes.loadUnaligned(fromByteOffset: offset, as: UInt32.self)
                let right = bytes.loadUnaligned(fromByteOffset: offset + 4, as: UInt32.self)
                first = first &+ (isBigEndian ? left.bigEndian : left.littleEndian) &+ second
                second = second &+ (isBigEndian ? right.bigEndian : right.littleEndian) &+ first
            }
            return (first, second)
        }
    }
}
