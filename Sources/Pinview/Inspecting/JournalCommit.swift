import PinviewGenerations
import PinviewModel
import PinviewStore

/// A commit, by any program, that the journal of an immutable store still holds: a state of the
/// store that can be pinned, read, and compared with any other.
public struct JournalCommit: Hashable, Sendable {
    /// Counted from 1, the oldest. 0 is the file as it is without its journal.
    public let number: Int
    /// How many frames of the journal the state needs.
    public let frameCount: Int
    /// The size of the whole database in bytes.
    public let size: Int64
    /// Whether it can be read: false if a checkpoint has copied later pages over those of the
    /// state.
    public let isReadable: Bool
    let name: GenerationName

    init(_ commit: StoreFile.JournalCommit) {
        number = commit.number
        frameCount = commit.frames
        size = commit.size
        isReadable = commit.isReadable
        name = commit.name
    }
}

extension PersistentStore {
    /// The states that the journal of a store with the option `immutable` still holds, the oldest
    /// first, with the file alone before them. Empty for other stores, whose commits come and go.
    ///
    /// Cost: the first call reads the journal, and the pages of the file that are in it.
    public var journalCommits: [JournalCommit] { store.journalCommits.map(JournalCommit.init) }

    /// Whether the store was added as an immutable one: with the option `immutable`, or
    /// read-only in a folder that cannot be written to.
    public var isImmutable: Bool { store.isImmutable }
}

extension PersistentStoreCoordinator {
    /// The token of a state that the journal of an immutable store still holds. Contexts can be
    /// pinned to it at any time, and it can be compared with other tokens. It covers the
    /// coordinator's other stores at their newest generations, as long as those live.
    ///
    /// - Throws: `unknownStore` for a store that is not on this coordinator, `invalidArgument` for
    ///   a number that is not one of its commits, `generationExpired` for one that cannot be read
    ///   any more.
    public func queryGenerationToken(forJournalCommit number: Int, of store: PersistentStore) throws(PinviewError) -> QueryGenerationToken {
        guard persistentStores.contains(store) else {
            throw PinviewError(.unknownStore, "The store \(store.identifier) is not on this coordinator.").with(affectedStores: [
                store.identifier
            ])
        }
        let commits = store.journalCommits
        guard let commit = commits.first(where: { $0.number == number }) else {
            throw PinviewError(
                .invalidArgument,
                commits.isEmpty
                    ? "The journal of \(store.path ?? "a store in memory") can change: add the store with the option \(StoreOptions.immutableKey) to read its commits."
                    : "There is no commit \(number) in the journal of \(store.path ?? ""); it has 0 to \(commits.count - 1).")
        }
        guard commit.isReadable else {
            throw PinviewError(
                .generationExpired,
                "Commit \(number) in the journal of \(store.path ?? "") cannot be read any more: a checkpoint has copied later pages into the file."
            )
        }
        let part = QueryGenerationToken.Part(storeIdentifier: store.identifier, generation: commit.name)
        let others = stores.count > 1 ? try currentGenerationSet().parts.filter { $0.storeIdentifier != store.identifier } : []
        return QueryGenerationToken(
            parts: (others + [part]).sorted { $0.storeIdentifier < $1.storeIdentifier }, coordinator: serial)
    }
}
