import Glibc

/// The root page of a table, which stays the same as long as the schema does.
package struct TableRoot: Sendable {
    let page: UInt32
    /// The schema cookie of the states for which it is known.
    let schema: UInt32
}

/// Comparing two generations by what has been written in between.
extension StoreFile {
    private static let rootStatement = "SELECT rootpage FROM sqlite_master WHERE type = 'table' AND name = ?1"

    /// The keys of the rows of a table that may differ between a generation and a later one, which
    /// include those that do. A row counts as different if SQLite has stored it anew with other
    /// content.
    ///
    /// The cost depends on what has been written in between, and on the number of interior pages of
    /// the table, of which there is one for some hundred leaves.
    ///
    /// - Parameters:
    ///   - limit: the most keys that are wanted.
    ///   - root: what an earlier call has found out about the table; nil at first.
    /// - Returns: nil if the keys cannot be told in this way: if the generations are not of one
    ///   journal or are in detached copies, the schema has changed, there are more keys than
    ///   wanted, or the files cannot be read.
    package func changedKeys(
        ofTable table: String, from old: Generation, to new: Generation, limit: Int, root: inout TableRoot?
    ) -> [Int64]? {
        guard (try? requireOpen()) != nil, let shared, case .mark(let oldPin)? = try? pin(of: old, shared),
            case .mark(let newPin)? = try? pin(of: new, shared), let main = shared.slots?.mainDescriptor,
            let first = Self.lastCommonFrame(oldPin, newPin)
        else { return nil }
        // SQLite holds no lock on the journal, so closing a descriptor of it is harmless.
        let journal = Glibc.open(shared.path + "-wal", O_RDONLY | O_CLOEXEC)
        guard journal >= 0 else { return nil }
        defer { Glibc.close(journal) }
        func pages(_ pin: ReadMarkPin) -> GenerationPages {
            GenerationPages(pin, main: main, journal: journal, pageSize: newPin.header.pageSize) {
                $0 == 0 ? shared.index.memory : shared.indexRegion($0)
            }
        }
        let before = pages(oldPin), after = pages(newPin)
        guard let written = after.pages(ofFramesAfter: first), let here = after.page(1), let schema = Self.schemaCookie(here),
            written.contains(1) ? before.page(1).flatMap(Self.schemaCookie) == schema : true
        else { return nil }
        if root?.schema != schema {
            guard let page = try? rootPage(of: table, at: new) else { return nil }
            root = TableRoot(page: page, schema: schema)
        }
        guard let page = root?.page else { return nil }
        // Byte 20 of the file is the number of bytes at the end of each page that SQLite leaves
        // alone.
        var comparison = TableComparison(
            old: before, new: after, written: written, usableSize: newPin.header.pageSize - Int(here[20]), limit: limit)
        guard let keys = comparison.changedKeys(root: page), (try? prove(old, oldPin, shared, after: .any)) != nil,
            (try? prove(new, newPin, shared, after: .any)) != nil
        else { return nil }
        return keys
    }

    /// The last frame of the newer generation's journal that belongs to the older one, too; nil if
    /// the two cannot be compared.
    private static func lastCommonFrame(_ old: ReadMarkPin, _ new: ReadMarkPin) -> UInt32? {
        let before = old.header, after = new.header
        // A journal that has had no commit yet does not know the size of the pages.
        let isNew = old.slot == 0 && before.frame == 0 && before.pageSize == 0
        guard before.change < after.change, isNew || before.pageSize == after.pageSize, new.slot > 0 else { return nil }
        if before.hasSalts(of: after) { return before.frame <= after.frame ? before.frame : nil }
        // Under read mark 0 the older state is the main file, which nobody can copy frames into. So
        // the journal has been restarted once at most, right at that state.
        return old.slot == 0 ? 0 : nil
    }

    private static func schemaCookie(_ page: [UInt8]) -> UInt32? {
        guard page.count >= 100 else { return nil }
        return page[40..<44].reduce(0) { $0 << 8 | UInt32($1) }
    }

    private func rootPage(of table: String, at generation: Generation) throws -> UInt32? {
        try read(at: generation) { connection in
            let statement = try connection.statement(Self.rootStatement)
            defer { statement.reset() }
            try statement.bind(1, table)
            return try statement.step() ? UInt32(exactly: statement.int64(0)) : nil
        }
    }
}
