import PinviewGenerations
import PinviewModel

/// Finds the model that a store was made with.
struct SourceModel {
    let matching: StoreMatching
    let contents: StoreContents

    private let versions: [ManagedObjectModel]
    private let stages: MigrationStages

    init(matching: StoreMatching, contents: StoreContents) {
        self.matching = matching
        self.contents = contents
        stages = matching.options.stages
        versions = stages.versions
    }

    /// The store's own model. For a store of Core Data's: the program's version that has its
    /// hashes, the model that an earlier migration has left, Core Data's model cache, or the last
    /// version whose tables it has.
    ///
    /// - Returns: nil if it is unknown.
    func find(_ connection: Connection) throws -> ManagedObjectModel? {
        if contents.isOwn { return try StoreContents.storedModel(contents.metadata) }
        let versions = try versions + (stages.loadMore?() ?? [])
        if let index = try provenVersion(versions) { return versions[index] }
        if let model = try StoreContents.migratedModel(contents.metadata) { return model }
        if let cache = try ModelCache.read(connection, contents) { return try ModelCache.model(cache, metadata: contents.metadata) }
        return try fittingVersion(versions, connection).map { versions[$0] }
    }

    /// The index of the program's version that the store has; nil if it has none of them.
    func version(_ connection: Connection) throws -> Int? {
        if contents.isOwn { return try ownVersion(versions) }
        return try provenVersion(versions) ?? fittingVersion(versions, connection)
    }

    /// Whether the store was migrated from the program's version of the model to a later one.
    ///
    /// A version can be equal to an earlier one, for example when it reverts a change. Then the
    /// numbers of the versions or the versions that the program gives tell which of the two the
    /// program has.
    func isNewer() throws -> Bool {
        guard StoreContents.wasMigrated(from: matching.held, contents.metadata) else { return false }
        let identifiers = contents.metadata[MetadataKey.versionIdentifiers]?.arrayValue?.compactMap(\.stringValue) ?? []
        if let own = VersionNumber.highest(of: matching.model.versionIdentifiers), let stored = VersionNumber.highest(of: identifiers),
            own != stored
        {
            return own < stored
        }
        let all = try versions + (stages.loadMore?() ?? [])
        guard let index = try contents.isOwn ? ownVersion(all) : provenVersion(all) else { return true }
        // An older program does not know the version that the store has. Only with stages are
        // versions in their order.
        return !stages.stages.isEmpty && index > all.lastIndex(where: isProgramsModel) ?? -1
    }

    private func isProgramsModel(_ version: ManagedObjectModel) -> Bool {
        guard let version = matching.with(version) else { return false }
        return ManagedObjectModel.versionDigest(of: version.held) == ManagedObjectModel.versionDigest(of: matching.held)
    }

    /// In a store of Pinview's.
    private func ownVersion(_ versions: [ManagedObjectModel]) throws -> Int? {
        try versions.lastIndex { try matching.with($0)?.compareHashes(contents).differing.isEmpty ?? false }
    }

    private func provenVersion(_ versions: [ManagedObjectModel]) throws -> Int? {
        try versions.lastIndex { try matching.with($0)?.isProven(by: contents) ?? false }
    }

    private func fittingVersion(_ versions: [ManagedObjectModel], _ connection: Connection) throws -> Int? {
        try versions.lastIndex { version in
            guard let version = matching.with(version) else { return false }
            return try !version.differs(from: contents, connection)
        }
    }
}
