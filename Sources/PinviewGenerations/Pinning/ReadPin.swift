/// A state that can be read, and what keeps it readable.
class ReadPin: @unchecked Sendable {  // immutable, and so are its subclasses
    /// The read mark; at 0 nothing is taken from the journal.
    let slot: Int
    let header: WALHeader
    /// Never the same for two pins of a file: tells a reader whether it is on this one.
    let serial: UInt64

    init(slot: Int, header: WALHeader, serial: UInt64) {
        self.slot = slot
        self.header = header
        self.serial = serial
    }

    /// The copy in which the state is; nil: in the store itself.
    var copy: DetachedCopy? { nil }

    /// Whether what has been read under the pin belongs to its state: whether the hold on the state still stands, and whether no program
    /// has changed the files without SQLite. The latter takes system calls, so it is looked at only for pages that have been read from the
    /// files, which are none when all were in the reader's cache.
    func verdict(provedBy index: WALIndex, after reads: PageReads) -> PinVerdict { .lost(.locks) }

    /// Whether the path of the store's journal still names the one that the pin needs.
    func namesJournal(_ path: String) -> Bool { true }
}

/// Which files a read has taken pages from.
struct PageReads {
    let fromMain: Bool, fromJournal: Bool
    /// Whether each page of the journal was looked at when it was read.
    var isProved = true

    static let none = PageReads(fromMain: false, fromJournal: false)
    /// Whatever has been read.
    static let any = PageReads(fromMain: true, fromJournal: true, isProved: false)
}
