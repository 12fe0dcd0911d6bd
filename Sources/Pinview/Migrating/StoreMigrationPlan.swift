import PinviewModel
import PinviewStore

/// What opening a store with another version of its model would do: a dry run.
///
/// ```swift
/// if let plan = try PersistentStoreCoordinator.migrationPlan(forStoreAt: "people.sqlite", to: model) { print(plan) }
/// ```
public struct StoreMigrationPlan: Sendable, CustomStringConvertible {
    /// One step.
    public struct Step: Hashable, Sendable {
        /// In words: `add the column ZNICKNAME to ZPERSON`.
        public let description: String
        /// The SQL, in order.
        public let statements: [String]
        /// How many rows it writes, as far as can be told beforehand; 0 for a step whose cost does
        /// not depend on their number.
        public let rows: Int64
    }

    /// What changes in the model.
    public let difference: ModelDifference
    /// All steps, which run in one transaction.
    public let steps: [Step]
    /// How many rows are written; indexes are not counted.
    public let rows: Int64
    /// A rough estimate of the time in seconds.
    public let estimatedSeconds: Double
    /// A rough estimate of the bytes that are needed beside the store while it is migrated.
    public let estimatedSpace: Int64
    /// The difference, then each step with its statements.
    public let description: String
    private let json: String

    init(_ plan: MigrationPlan) {
        difference = plan.difference
        steps = plan.steps.map { Step(description: $0.description, statements: $0.statements, rows: $0.rows) }
        rows = plan.rows
        estimatedSeconds = plan.estimatedSeconds
        estimatedSpace = plan.estimatedSpace
        description = plan.description
        json = plan.jsonRepresentation()
    }

    /// The plan as a JSON object with the members `changes`, `steps`, `rows`, `seconds`, `bytes`
    /// and `description`.
    public func jsonRepresentation() -> String { json }
}

extension PersistentStoreCoordinator {
    /// What adding a store with a model would do to it. The store stays as it is.
    ///
    /// - Parameters:
    ///   - options: as for `addPersistentStore`; migrating need not be switched on.
    ///   - migration: as for `addPersistentStore`. The plan is that of the next stage.
    ///   - rehearsing: whether the migration is run and rolled back, which finds what only the data
    ///     can tell: missing values, duplicates. Needs as much time and space as the migration.
    /// - Returns: nil if the store already has this version of the model.
    /// - Throws: 134190 for changes that need a decision of the program, 134110 and 134111 for rows
    ///   that do not fit, 134080 if the store cannot be opened.
    public static func migrationPlan(
        forStoreAt path: String, to model: ManagedObjectModel, configuration: String? = nil, options: [String: Value] = [:],
        migration: StagedMigration? = nil, rehearsing: Bool = false
    ) throws(PinviewError) -> StoreMigrationPlan? {
        var options = try StoreOptions(parsing: options)
        try options.set(migration, nil)
        options.findVersions()
        let plan = try SQLStore.migrationPlan(
            ofStoreAt: path, to: model, configuration: configuration, options: options, rehearses: rehearsing)
        return plan.map { StoreMigrationPlan($0) }
    }
}

extension ManagedObjectModel {
    /// Checks that the model opens stores of other versions, for a program's tests:
    ///
    /// ```swift
    /// try model.rehearseMigration(ofStoresAt: ["fixtures/v1.sqlite", "fixtures/v2.sqlite"])
    /// ```
    ///
    /// Each store is migrated and then rolled back, so that it stays as it is.
    ///
    /// - Throws: as `PersistentStoreCoordinator.migrationPlan`, for the first store that does not
    ///   migrate.
    public func rehearseMigration(ofStoresAt paths: [String], options: [String: Value] = [:]) throws(PinviewError) {
        for path in paths {
            _ = try PersistentStoreCoordinator.migrationPlan(forStoreAt: path, to: self, options: options, rehearsing: true)
        }
    }
}

extension PersistentStoreCoordinator {
    /// Opens a store as `addPersistentStore(type:configuration:at:options:)` does, and migrates it
    /// if it has another version of the model.
    ///
    /// - Parameters:
    ///   - migration: versions of the model and stages between them; nil if everything can be
    ///     inferred and `options` switches migrating on.
    ///   - progress: called during a migration, on this thread, after each of its steps; false
    ///     cancels it, which leaves the store as it was before the stage.
    @discardableResult
    public func addPersistentStore(
        type: StoreType, configuration: String? = nil, at path: String? = nil, options: [String: Value] = [:],
        migration: StagedMigration?, progress: (@Sendable (MigrationProgress) -> Bool)? = nil
    ) throws(PinviewError) -> PersistentStore {
        var options = try StoreOptions(parsing: options)
        try options.set(migration, progress)
        return try addPersistentStore(type: type, configuration: configuration, at: path, options)
    }
}

extension PersistentContainer {
    /// Opens the store as `loadPersistentStores()` does, with versions, stages and progress of its
    /// migration.
    ///
    /// - Parameters: as for `PersistentStoreCoordinator.addPersistentStore`.
    public func loadPersistentStores(
        migration: StagedMigration?, progress: (@Sendable (MigrationProgress) -> Bool)? = nil
    ) throws(PinviewError) {
        guard persistentStoreCoordinator.persistentStores.isEmpty else { return }
        try persistentStoreCoordinator.addPersistentStore(
            type: storeType, at: storePath, options: options, migration: migration, progress: progress)
    }
}

extension StoreOptions {
    /// Takes over what a program says of migrations besides options.
    mutating func set(
        _ migration: StagedMigration?, _ progress: (@Sendable (MigrationProgress) -> Bool)?
    ) throws(PinviewError) {
        if let migration {
            stages = try migration.resolved()
            migrates = true
        }
        if let progress { migrationProgress = { progress(MigrationProgress(fractionCompleted: $0, step: $1)) } }
    }
}
