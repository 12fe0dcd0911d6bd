/// A readable state, and what keeps it readable.
class ReadPin: @unchecked Sendable {  // immutable, and so are its subclasses
    /// The read mark. Readers of mark 0 take nothing from the journal.
    let slot: Int
    let header: WALHeader
    /// Unique among the pins of a file; tells whether a reader shows this one.
    let serial: UInt64

    init(slot: Int, header: WALHeader, serial: UInt64) {
        self.slot = slot
        self.header = header
        self.serial = serial
    }

    /// The copy that contains the state; nil if the store itself does.
    var copy: DetachedCopy? { nil }

    /// Whether the pages read under the pin belong to its state: whether the hold on the state is
    /// intact, and whether no program has changed the files without SQLite. The latter takes system
    /// calls, so it is only checked for pages that were read from the files rather than taken from
    /// the reader's cache.
    func verdict(provedBy index: WALIndex, after reads: PageReads) -> PinVerdict { .lost(.locks) }

    /// Whether the path of the store's journal still refers to the journal that the pin needs.
    func namesJournal(_ path: String) -> Bool { true }
}

/// The files that a read has taken pages from.
struct PageReads {
    let fromMain: Bool, fromJournal: Bool
    /// Whether each page of the journal was verified when it was read.
    var isProved = true

    static let none = PageReads(fromMain: false, fromJournal: false)
    /// Any read.
    static let any = PageReads(fromMain: true, fromJournal: true, isProved: false)
}
