/// What one process tells another one so that it can hold the same state of a WAL-mode file; within
/// one connection SQLite has `sqlite3_snapshot` for this. The header of the WAL-index tells which
/// read marks fit. A `GenerationIdentity` is the part of it that is the same for equal states, and
/// a `GenerationRecord` is what keeps the state readable in this process.
package struct GenerationName: Hashable, Sendable {
    let device: UInt64, inode: UInt64
    let header: WALHeader
    /// The main file's stamp, if read mark 0 held the state.
    let stamp: FileStamp?

    init(file: LockDescriptors.FileKey, header: WALHeader, stamp: FileStamp?) {
        device = file.device
        inode = file.inode
        self.header = header
        self.stamp = stamp
    }

    var identity: GenerationIdentity {
        GenerationIdentity(
            device: device, inode: inode, salt1: header.salt1, salt2: header.salt2, frame: header.frame,
            checksum1: header.frameChecksum1, checksum2: header.frameChecksum2)
    }

    /// With an empty journal, the header says nothing about the content: the salts may be the same
    /// each time the first process opens the store. The file's own time and size then distinguish
    /// two states.
    private var distinguishingStamp: FileStamp? { header.frame == 0 ? stamp : nil }

    package static func == (left: Self, right: Self) -> Bool {
        left.identity == right.identity && left.distinguishingStamp == right.distinguishingStamp
    }

    package func hash(into hasher: inout Hasher) { hasher.combine(identity) }

    /// A number of 56 bits, the same in every process and practically never the same for two
    /// states.
    var number: Int64 {
        var words: [UInt64] = [
            UInt64(header.salt1) << 32 | UInt64(header.salt2), UInt64(header.frame),
            header.frame == 0 ? 0 : UInt64(header.frameChecksum1) << 32 | UInt64(header.frameChecksum2),
        ]
        if let stamp = distinguishingStamp { words += stamp.words }
        return Int64(Self.hash(words) >> 8)
    }

    /// FNV-1a over the bytes of the words.
    package static func hash(_ words: some Sequence<UInt64>) -> UInt64 {
        words.reduce(14_695_981_039_346_656_037) { hash, word in
            (0..<8).reduce(hash) { ($0 ^ (word >> (8 * UInt64($1)) & 0xff)) &* 1_099_511_628_211 }
        }
    }

    // MARK: Serialization

    package static let wordCount = 12

    package var words: [UInt64] {
        [device, inode, UInt64(stamp == nil ? 0 : 1)] + (stamp?.words ?? [0, 0, 0]) + header.words
    }

    /// - Returns: nil if the words do not encode a state.
    package init?(words: some Collection<UInt64>) {
        let words = Array(words)
        guard words.count == Self.wordCount, words[2] <= 1 else { return nil }
        device = words[0]
        inode = words[1]
        stamp = words[2] == 0 ? nil : FileStamp(words: words[3..<6])
        header = WALHeader(words: words[6...])
        guard header.isValid else { return nil }
    }
}

extension FileStamp {
    fileprivate var words: [UInt64] { [seconds, nanoseconds, size].map { UInt64(bitPattern: Int64($0)) } }

    fileprivate init(words: ArraySlice<UInt64>) {
        let numbers = words.map { Int(truncatingIfNeeded: $0) }
        self.init(seconds: numbers[0], nanoseconds: numbers[1], size: numbers[2])
    }
}

extension WALHeader {
    fileprivate var words: [UInt64] {
        withUnsafeBytes(of: self) { bytes in (0..<6).map { bytes.loadUnaligned(fromByteOffset: 8 * $0, as: UInt64.self) } }
    }

    fileprivate init(words: ArraySlice<UInt64>) {
        self = Array(words).withUnsafeBytes { $0.loadUnaligned(as: WALHeader.self) }
    }
}
