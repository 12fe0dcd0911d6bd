import PinviewGenerations
import PinviewModel

/// The versions of a model that a program knows, and what it does between them.
package final class MigrationStages: Sendable {
    /// The way from one version to another: what the program adds to what is inferred.
    package struct Stage: Sendable {
        /// Indexes of versions.
        package let source: Int
        package let destination: Int
        package var hints = MappingHints()
        package var confirmedRemovals: Set<String> = []
        /// The program's part, within the stage's transaction.
        package var step: (@Sendable (MigratingStores) throws -> Void)?

        package init(from source: Int, to destination: Int) {
            self.source = source
            self.destination = destination
        }
    }

    /// If there are stages, the oldest first.
    package let versions: [ManagedObjectModel]
    package let stages: [Stage]
    /// Reads further versions, when they are needed.
    package let loadMore: (@Sendable () throws -> [ManagedObjectModel])?

    package init(
        versions: [ManagedObjectModel] = [], stages: [Stage] = [], loadMore: (@Sendable () throws -> [ManagedObjectModel])? = nil
    ) {
        self.versions = versions
        self.stages = stages
        self.loadMore = loadMore
    }

    /// Where a store of a version goes next on its way to the coordinator's model.
    ///
    /// - Returns: a version, with its stage; without one, what is in between is inferred. nil to go
    ///   to the model itself.
    func next(after version: Int) -> (version: Int, stage: Stage?)? {
        guard let stage = stages.filter({ $0.source >= version }).min(by: { $0.source < $1.source }) else { return nil }
        return stage.source == version ? (stage.destination, stage) : (stage.source, nil)
    }
}

/// A store in the middle of a stage: as it was before, and as it is becoming.
package struct MigratingStores {
    /// The state before the stage, with the old model. Read-only.
    package let source: SQLStore
    /// The new state, inside the transaction: what is saved here is committed with the stage, or
    /// not at all.
    package let destination: SQLStore
    package let sourceModel: ManagedObjectModel
    package let destinationModel: ManagedObjectModel
    let layout: MigrationLayout

    /// The entity and key that a row of the old state has in the new one; nil if it is gone.
    package func destination(ofKey key: Int64, entity: Entity) -> (entity: Entity, key: Int64)? {
        guard let successor = layout.mapping.successor(of: entity), layout.new.numbers.has(entityIndex: successor.index) else { return nil }
        return (successor, key + layout.offset(fromOldRoot: entity.rootIndex, toNewRoot: successor.rootIndex))
    }

    /// The entity and key that a row of the new state had in the old one. A row that is new has
    /// none there, which reading it shows.
    package func source(ofKey key: Int64, entity: Entity) -> (entity: Entity, key: Int64)? {
        guard let origin = layout.mapping.origin(of: entity), layout.old.numbers.has(entityIndex: origin.index) else { return nil }
        let old = key - layout.offset(fromOldRoot: origin.rootIndex, toNewRoot: entity.rootIndex)
        return old > 0 ? (origin, old) : nil
    }
}
