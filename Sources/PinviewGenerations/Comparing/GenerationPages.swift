internal import CPlatform
import Glibc

/// Reads pages of a pinned generation straight from the store's files, where asking SQLite for rows
/// would take longer. What was read counts only once the pin has been proved afterwards.
struct GenerationPages {
    let header: WALHeader
    let pageSize: Int, pageCount: UInt32
    /// Whether the generation takes pages from the journal; see `ReadPin.slot`.
    private let readsJournal: Bool
    private let main: Int32, journal: Int32
    private let region: (Int) -> UnsafeRawPointer?

    /// - Parameters:
    ///   - main: a descriptor of the main file.
    ///   - journal: a descriptor of the journal.
    ///   - pageSize: of the store.
    ///   - region: returns the live region of the WAL-index with a number.
    init(_ pin: ReadPin, main: Int32, journal: Int32, pageSize: Int, region: @escaping (Int) -> UnsafeRawPointer?) {
        header = pin.header
        self.pageSize = pageSize
        var status = stat()
        // Before the first commit to a new journal, the size of the file counts.
        pageCount =
            header.pageCount > 0 || fstat(main, &status) != 0
            ? header.pageCount : UInt32(clamping: Int(status.st_size) / max(pageSize, 1))
        readsJournal = pin.slot > 0
        self.main = main
        self.journal = journal
        self.region = region
    }

    /// The content of a page; nil if it cannot be read.
    func page(_ number: UInt32) -> [UInt8]? {
        guard number > 0, number <= pageCount else { return nil }
        guard let frame = readsJournal && header.frame > 0 ? frame(of: number) : 0 else { return nil }
        guard frame > 0 else {
            let bytes = Bytes.read(pageSize, at: Int64(number - 1) * Int64(pageSize), from: main)
            return bytes.count == pageSize ? bytes : nil
        }
        let size = Journal.frameSize(pageSize: pageSize), start = Journal.size(frames: frame - 1, pageSize: pageSize)
        let bytes = Bytes.read(size, at: Int64(start), from: journal)
        // The frame's header names the page, except where the journal has been cut off.
        guard bytes.count == size, bytes.withUnsafeBytes({ UInt32(bigEndian: $0.load(as: UInt32.self)) }) == number else { return nil }
        return Array(bytes[Journal.frameHeaderSize...])
    }

    /// The last frame of a page, by the hash tables of the WAL-index (SQLite, WAL-mode file format,
    /// section 2.2.3); 0 if the page is not in the journal, nil if the index cannot be read.
    private func frame(of page: UInt32) -> UInt32? {
        let slots = 8192
        for number in stride(from: IndexRegions.location(ofFrame: header.frame).region, through: 0, by: -1) {
            guard let region = region(number) else { return nil }
            let first = IndexRegions.firstFrame(ofRegion: number)
            var slot = Int(truncatingIfNeeded: page &* 383) & (slots - 1), found: UInt32 = 0
            for _ in 0..<slots {
                let entry = pinview_load32(region + WALIndex.hashOffset + (slot & ~1) * 2) >> (slot & 1 == 0 ? 0 : 16) & 0xffff
                guard entry > 0 else { break }
                let frame = first + entry - 1, location = IndexRegions.location(ofFrame: frame)
                if frame <= header.frame, location.region == number, pinview_load32(region + location.offset) == page { found = frame }
                slot = (slot + 1) & (slots - 1)
            }
            if found > 0 { return found }
        }
        return 0
    }

    /// The pages of frames of the journal, the first one excluded; nil if the index does not list
    /// them.
    func pages(ofFramesAfter first: UInt32) -> [UInt32]? {
        var pages: [UInt32] = []
        pages.reserveCapacity(Int(header.frame - first))
        for frame in stride(from: first + 1, through: header.frame, by: 1) {
            let location = IndexRegions.location(ofFrame: frame)
            guard let region = region(location.region) else { return nil }
            let page = pinview_load32(region + location.offset)
            guard page > 0 else { return nil }
            pages.append(page)
        }
        return pages
    }
}
