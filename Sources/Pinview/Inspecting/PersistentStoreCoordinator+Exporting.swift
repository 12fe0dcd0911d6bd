import PinviewGenerations
import PinviewModel
import PinviewStore

/// How far an export is.
public struct ExportProgress: Hashable, Sendable {
    /// The number of bytes written so far.
    public let completedByteCount: Int64
    /// The number of bytes that are written in all; an estimate at first.
    public let totalByteCount: Int64

    fileprivate init(_ progress: PinviewGenerations.ExportProgress) {
        completedByteCount = progress.completed
        totalByteCount = progress.total
    }
}

extension PersistentStoreCoordinator {
    /// Writes one generation of a store to a database file of its own, while other threads and
    /// other processes go on writing.
    ///
    /// The file has exactly the pages of the generation, and needs no journal beside it. It can be
    /// opened as a store, by any program that uses SQLite, and on another machine; it has the same
    /// identifier as the store. It appears under its name only when it is complete and safely on
    /// the disk: until then, others find nothing or the old file, even if the process is killed.
    /// Where the file system can, it shares the store's blocks instead of copying them.
    ///
    /// The store's journal cannot be emptied while the export runs, as with any pinned context.
    /// Values that Core Data keeps in files outside the store are not part of it.
    ///
    /// - Parameters:
    ///   - token: the generation; `.current` for the newest. It must be alive: keep a context
    ///     pinned to it.
    ///   - path: the new file. The folder must exist.
    ///   - store: the store; nil for the only one of the coordinator. Without generations, as in
    ///     memory, its newest state is exported.
    ///   - replacing: whether a file at the path is replaced. It must not be open anywhere.
    ///   - progress: called on this thread about once per megabyte; false cancels the export.
    /// - Throws: `userCancelled`; 134070 if the file exists, the disk is full or the file cannot be
    ///   written: there is no new file then.
    public func export(
        _ token: QueryGenerationToken = .current, to path: String, of store: PersistentStore? = nil, replacing: Bool = false,
        progress: ((ExportProgress) -> Bool)? = nil
    ) throws(PinviewError) {
        let (store, generation) = try generation(of: store, at: token, orAt: nil)
        try store.export(generation, to: path, replacing: replacing) { progress?(ExportProgress($0)) ?? true }
    }

    /// Writes the newest state of any SQLite database to a file of its own, as
    /// ``export(_:to:of:replacing:progress:)`` does. It needs no model; the database is opened for
    /// reading only, while other programs may write to it.
    public static func exportDatabase(
        at source: String, to path: String, replacing: Bool = false, progress: ((ExportProgress) -> Bool)? = nil
    ) throws(PinviewError) {
        try SQLStore.exportDatabase(at: source, to: path, replacing: replacing) { progress?(ExportProgress($0)) ?? true }
    }

    /// A store of the coordinator, and its generation in a token; nil for its newest state.
    ///
    /// - Parameters:
    ///   - store: nil for the only one.
    ///   - set: is used instead of the token.
    func generation(
        of store: PersistentStore?, at token: QueryGenerationToken, orAt set: GenerationSet?
    ) throws(PinviewError) -> (any IncrementalStore, Generation?) {
        let stores = persistentStores
        guard let chosen = store ?? (stores.count == 1 ? stores.first : nil) else {
            throw PinviewError(
                .invalidArgument,
                stores.isEmpty
                    ? "The coordinator has no store. Add one first." : "The coordinator has \(stores.count) stores; name one of them."
            )
        }
        guard stores.contains(chosen) else {
            throw PinviewError(.persistentStoreOperation, "\(chosen) is not a store of this coordinator.")
                .with(affectedStores: [chosen.identifier])
        }
        let generations: GenerationSet
        if let set { generations = set } else { generations = token.isCurrent ? try currentGenerationSet() : try generationSet(for: token) }
        switch generations.reading(ofStore: chosen.store.number) {
        case .generation(let generation): return (chosen.store, generation)
        case .live: return (chosen.store, nil)
        case .notCovered:
            throw PinviewError(
                .persistentStoreOperation,
                "The generation is older than the store \(chosen.path ?? chosen.identifier) on the coordinator. "
                    + "Take a token from a context that has been pinned since."
            )
            .with(affectedStores: [chosen.identifier])
        }
    }
}
