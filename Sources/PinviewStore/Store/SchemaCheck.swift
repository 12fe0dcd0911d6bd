import PinviewGenerations
import PinviewModel
import Synchronization

/// Notices that somebody else has migrated the store to another model, before anything is read with
/// the tables of this one (MIG-05).
///
/// SQLite counts the changes of a schema, in page 1. That number is read once for each generation, unless
/// the connection has read it in another one with the same page 1; if it is unknown, the store's metadata
/// say whether the model is still the same, since a new index changes the number too.
final class SchemaCheck: Sendable {
    private static let versionText = StatementText("PRAGMA schema_version")
    /// More generations than a program reads in turn.
    private static let rankLimit = 1024

    private struct Known {
        // Bit patterns: the standard library brings sets of `Int` along, and making the type of
        // another set looks through the conformances of all libraries that are loaded.
        var ranks: Set<Int> = []
        /// Hardly ever more than one.
        var versions: [UInt32]
    }

    /// What connections know it by: a serial number that no other check of this process has had.
    private let serial = SchemaCheck.serials.add(1, ordering: .relaxed).newValue
    private static let serials = Atomic<UInt64>(0)
    private let hashes: PropertyListValue?
    private let numbers: [String: Int32]
    private let name: StoreName
    /// The generation that was checked last.
    private let lastRank = Atomic<UInt64>(0)
    private let lock = Lock()
    @exclusivity(unchecked) private nonisolated(unsafe) var known: Known  // guarded by `lock`

    init(contents: StoreContents, name: StoreName) {
        hashes = contents.metadata[MetadataKey.versionHashes]
        numbers = contents.numbers
        self.name = name
        known = Known(versions: [contents.schemaVersion])
    }

    /// Whether a generation is known to have the tables of the model.
    @inline(__always)
    func knows(_ generation: Generation) -> Bool { knows(rank: generation.rank) }

    @inline(__always)
    func knows(rank: UInt64) -> Bool { lastRank.load(ordering: .relaxed) == rank || findRank(rank) }

    private func findRank(_ rank: UInt64) -> Bool {
        guard lock.withLock({ known.ranks.contains(Int(truncatingIfNeeded: rank)) }) else { return false }
        lastRank.store(rank, ordering: .relaxed)
        return true
    }

    /// Checks a generation that a connection reads.
    ///
    /// - Throws: as ``check(_:)`` does.
    func check(_ generation: Generation, _ connection: Connection) throws {
        let rank = generation.rank
        if connection.headerCheck != serial {
            try check(connection)
            connection.noteHeaderCheck(serial)
            lock.withLock {
                if known.ranks.count >= Self.rankLimit { known.ranks = [] }
                known.ranks.insert(Int(truncatingIfNeeded: rank))
            }
        }
        lastRank.store(rank, ordering: .relaxed)
    }

    /// Remembers what this store has written, which has the tables of the model. Only the last such
    /// state is remembered.
    func acceptOwn(rank: UInt64) { if rank != 0 { lastRank.store(rank, ordering: .relaxed) } }

    /// Checks what a connection reads.
    ///
    /// - Throws: `storeMigrated` if the store has another model there.
    func check(_ connection: Connection) throws {
        let version = try Self.version(connection)
        if lock.withLock({ known.versions.contains(version) }) { return }
        guard case .store(let contents) = try StoreContents.state(connection), contents.metadata[MetadataKey.versionHashes] == hashes,
            contents.numbers.filter({ $0.value < StoreContents.firstOwnNumber })
                == numbers.filter({ $0.value < StoreContents.firstOwnNumber })
        else {
            throw PinviewError(
                .storeMigrated,
                "\(name) has another model in this state: it was migrated by another program or coordinator. Generations that were pinned with "
                    + "this model can still be read; for all others, remove the store and add it to a coordinator with the model that the store has now."
            ).with(affectedStores: name.affected)
        }
        lock.withLock { if !known.versions.contains(version) { known.versions.append(version) } }
    }

    private static func version(_ connection: Connection) throws -> UInt32 {
        let statement = try connection.statement(versionText)
        defer { statement.reset() }
        return try statement.step() ? UInt32(truncatingIfNeeded: statement.int64(0)) : 0
    }
}
