internal import CPlatform

/// Finds the pages of a journal for a reader that moves from state to state without SQLite
/// noticing, so that its page cache and its open transaction stay.
///
/// SQLite believes that the journal is as it was at `base`: empty, as long as the journal is short,
/// so that it looks for nothing there. The pages in its cache are valid for a later state too, as
/// long as none of the frames in between is one of them; otherwise SQLite must be shown a change,
/// and forgets all pages. Pages that it reads from the files are looked up here first, as the
/// newest frame of the page up to the state shown.
struct JournalPages {
    /// The maximum number of frames listed.
    private static let limit = 4096
    /// The number of lists of frames: pages whose numbers differ by a multiple of it share one.
    private static let listCount = 8192
    /// Pages in the cache whose numbers differ by a multiple of this share a bit. That costs time,
    /// but never gives a wrong page.
    private static let filterSize = 1 << 16

    /// The state that is shown; nil if SQLite has to be shown each one.
    private var shown: WALHeader?
    /// The last frame that SQLite knows of.
    private(set) var base: UInt32 = 0
    /// The number of frames listed after `base`, and how many of them belong to the state that is
    /// shown.
    private var listed = 0, count = 0
    /// The state of the journal whose frames are listed, as of the last move.
    private var journal: WALHeader?
    /// The page of each listed frame.
    private var pages: UnsafeMutablePointer<UInt32>?
    /// The previous frame in each frame's list, and the last frame of each list, counted from 1; 0
    /// if none.
    private var previous: UnsafeMutablePointer<UInt16>?, last: UnsafeMutablePointer<UInt16>?
    /// One bit for each page that SQLite may have cached.
    private var cached: UnsafeMutablePointer<UInt64>?
    private var cachedWords = 0
    /// Whether SQLite can reach pages without asking here.
    private var isBypassed = false

    /// Called by the owner, which lies in memory of SQLite's where nothing is deinitialized.
    mutating func deallocate() {
        forget()
        pages?.deallocate()
        previous?.deallocate()
        last?.deallocate()
        cached?.deallocate()
        (pages, previous, last, cached, cachedWords) = (nil, nil, nil, nil, 0)
    }

    /// Whether SQLite knows of all frames of the state that is shown.
    var isEmpty: Bool { count == 0 }

    /// After a read that could not be proved, or when SQLite is shown all frames.
    mutating func forget() {
        (shown, journal) = (nil, nil)
        (listed, count) = (0, 0)
    }

    /// From now on SQLite is shown each state.
    mutating func bypass() {
        isBypassed = true
        shown = nil
    }

    /// Called when SQLite is about to be shown a change, and to forget its pages.
    ///
    /// - Parameters:
    ///   - header: of a state whose frames are held.
    ///   - region: returns the live region of the WAL-index with a number.
    /// - Returns: the last frame that SQLite is to know of.
    mutating func begin(at header: WALHeader, region: (Int) -> UnsafeRawPointer?) -> UInt32 {
        guard !isBypassed, list(header, region) || relist(header, region) else {
            forget()
            return header.frame
        }
        shown = header
        count = Int(header.frame - base)
        let words = (min(Int(header.pageCount) + 1, Self.filterSize) + 63) / 64
        if words > cachedWords {
            cached?.deallocate()
            cached = .allocate(capacity: words)
            cachedWords = words
        }
        cached?.initialize(repeating: 0, count: cachedWords)
        return base
    }

    /// Shows a later state, if SQLite need not know of it.
    ///
    /// - Parameters:
    ///   - region: as for `begin`.
    ///   - empty: makes SQLite forget all pages that it does not use, which is less than a change
    ///     makes it do.
    mutating func advance(to header: WALHeader, region: (Int) -> UnsafeRawPointer?, empty: () -> Bool) -> Bool {
        guard let shown, shown.salts == header.salts, shown.change < header.change, shown.frame < header.frame,
            shown.pageCount == header.pageCount, shown.format == header.format
        else { return false }
        #if DEBUG
            if InjectedFault.current == .unseenFrames {
                self.shown = header
                return true
            }
        #endif
        guard list(header, region), let pages else { return false }
        let new = Int(header.frame - base)
        var isOutdated = false
        for frame in count..<new {
            // SQLite uses page 1 throughout a transaction.
            guard pages[frame] != 1 else { return false }
            if mayHave(pages[frame]) { isOutdated = true }
        }
        if isOutdated {
            guard empty() else { return false }
            cached?.initialize(repeating: 0, count: cachedWords)
            note(1)
        }
        count = new
        self.shown = header
        return true
    }

    /// Lists the frames of a state that are not listed yet.
    ///
    /// - Returns: false if the listed frames are of another journal, or there is no room.
    private mutating func list(_ header: WALHeader, _ region: (Int) -> UnsafeRawPointer?) -> Bool {
        guard let journal, header.continues(journal), header.frame >= base + UInt32(listed),
            Int(header.frame - base) <= Self.limit, let pages, let previous, let last
        else { return false }
        // The entries are as old as the header, which has been read before.
        pinview_read_barrier()
        while base + UInt32(listed) < header.frame {
            let location = IndexRegions.location(ofFrame: base + UInt32(listed) + 1)
            guard let region = region(location.region) else { return false }
            let page = pinview_load32(region + location.offset)
            guard page != 0 else { return false }
            let list = Int(page) & (Self.listCount - 1)
            pages[listed] = page
            previous[listed] = last[list]
            listed += 1
            last[list] = UInt16(listed)
        }
        self.journal = header
        return true
    }

    /// Lists all frames of a state anew; if there are too many, only later ones will be listed.
    private mutating func relist(_ header: WALHeader, _ region: (Int) -> UnsafeRawPointer?) -> Bool {
        if pages == nil {
            pages = .allocate(capacity: Self.limit)
            previous = .allocate(capacity: Self.limit)
            last = .allocate(capacity: Self.listCount)
        }
        last?.initialize(repeating: 0, count: Self.listCount)
        journal = header
        base = header.frame <= Self.limit ? 0 : header.frame
        listed = 0
        return list(header, region)
    }

    private static func bitLocation(of page: UInt32) -> (word: Int, bit: UInt64) {
        let bit = Int(page) & (filterSize - 1)
        return (bit / 64, 1 << UInt64(bit % 64))
    }

    private mutating func note(_ page: UInt32) {
        let (word, bit) = Self.bitLocation(of: page)
        if let cached, word < cachedWords { cached[word] |= bit } else { shown = nil }
    }

    private func mayHave(_ page: UInt32) -> Bool {
        let (word, bit) = Self.bitLocation(of: page)
        guard let cached, word < cachedWords else { return true }
        return cached[word] & bit != 0
    }

    /// Called when SQLite reads a page of the state that is shown.
    ///
    /// - Returns: the frame to read it from; nil if SQLite knows where it is.
    mutating func read(_ page: UInt32) -> UInt32? {
        if shown != nil { note(page) }
        guard count > 0, let pages, let previous, let last else { return nil }
        var frame = Int(last[Int(page) & (Self.listCount - 1)])
        while frame > 0, frame > count || pages[frame - 1] != page { frame = Int(previous[frame - 1]) }
        return frame == 0 ? nil : base + UInt32(frame)
    }
}
