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

    /// The plan as a JSON object with the members `changes`, `steps`, `rows`, `seconds`, `bytes` and
    /// `description`.
    public func jsonRepresentation() -> String { json }
}

extension PersistentStoreCoordinator {
    /// What adding a store with a model would do to it. The store stays as it is.
    ///
    /// - Parameters:
    ///   - options: as for `addPersistentStore`; migrating need not be switched on.
    ///   - rehearsing: whether the migration is run and rolled back, which finds what only the data
    ///     can tell: missing values, duplicates. Needs as much time and space as the migration.
    /// - Returns: nil if the store has this version of the model already.
    /// - Throws: 134190 for changes that need a word from the program, 134110 and 134111 for rows
    ///   that do not fit, 134080 if the store cannot be opened.
    public static func migrationPlan(
        forStoreAt path: String, to model: ManagedObjectModel, configuration: String? = nil, options: [String: Value] = [:],
        rehearsing: Bool = false
    ) throws(PinviewError) -> StoreMigrationPlan? {
        let plan = try SQLStore.migrationPlan(
            ofStoreAt: path, to: model, configuration: configuration, options: try StoreOptions(parsing: options), rehearses: rehearsing)
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
