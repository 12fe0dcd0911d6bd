import PinviewModel
import PinviewPredicates
import PinviewStore

/// Where the values of a property come from in a migration: an expression of the predicate language
/// over the old object, or a function of the program.
public enum PropertyMapping: Sendable, ExpressibleByStringLiteral {
    /// `"name"`, `"price * 100"`, `"company.name"`. The name of an old property alone is a rename,
    /// which costs nothing.
    case expression(String)
    /// Called with each old object.
    case function(@Sendable (ManagedObject) throws -> Value)
    /// The step of the stage sets the property.
    case step

    /// An expression, written as a string.
    public init(stringLiteral text: String) { self = .expression(text) }
}

/// Says what an entity of the new version was in the old one, and where its properties come from
/// (`NSEntityMapping`). What it does not name is inferred.
public struct EntityMapping: Sendable {
    /// In the old version.
    public let sourceEntityName: String
    /// In the new version. If the source's objects live on as another entity, each of them, and of
    /// its sub-entities, also becomes an object of this one.
    public let destinationEntityName: String
    /// By the name of the new property.
    public let properties: [String: PropertyMapping]

    /// Maps an entity of the old version to one of the new version.
    public init(from source: String, to destination: String, properties: [String: PropertyMapping] = [:]) {
        sourceEntityName = source
        destinationEntityName = destination
        self.properties = properties
    }
}

/// The way from one version of a model to another, with what the program adds to what is inferred
/// (`NSCustomMigrationStage`). A stage is one transaction: it is done completely, or not at all.
public struct MigrationStage: Sendable {
    /// A version: one of its identifiers, or its `versionChecksum`.
    public let source: String
    /// The version at which the stage ends, named in the same way.
    public let destination: String
    /// What is said about entities; everything else is inferred.
    public let mappings: [EntityMapping]
    /// Entities (`Person`) and properties (`Person.name`) of the old version that are really gone.
    public let confirmedRemovals: Set<String>
    /// Called inside the stage's transaction, when the tables are those of the new version and
    /// before required values and uniqueness are checked.
    public let step: (@Sendable (MigrationManager) throws -> Void)?

    /// A stage between two versions.
    public init(
        from source: String, to destination: String, mappings: [EntityMapping] = [], confirmedRemovals: Set<String> = [],
        step: (@Sendable (MigrationManager) throws -> Void)? = nil
    ) {
        self.source = source
        self.destination = destination
        self.mappings = mappings
        self.confirmedRemovals = confirmedRemovals
        self.step = step
    }
}

/// The versions of a model, the oldest first, and the stages between them
/// (`NSStagedMigrationManager`).
///
/// ```swift
/// let migration = StagedMigration(versions: [first, second], stages: [
///     MigrationStage(from: "1", to: "2") { manager in
///         for old in try manager.sourceContext.fetch(FetchRequest("Person")) {
///             let name = try old.value(forKey: "name", as: String.self) ?? ""
///             try manager.destinationInstance(for: old)?.setValue(name.uppercased(), forKey: "title")
///         }
///     }
/// ])
/// try coordinator.addPersistentStore(type: .sqlite, at: path, migration: migration)
/// ```
///
/// A store goes from the version that it has through all later stages, and then to the
/// coordinator's model. What has no stage is inferred. Without stages, the versions only say what a
/// store of Core Data was made with, in any order.
public struct StagedMigration: Sendable {
    /// The versions, the oldest first.
    public let versions: [ManagedObjectModel]
    /// The stages between the versions.
    public let stages: [MigrationStage]

    /// The versions of a model, with the stages between them.
    public init(versions: [ManagedObjectModel], stages: [MigrationStage] = []) {
        self.versions = versions
        self.stages = stages
    }

    /// All versions of a model bundle, `.momd` or `.xcdatamodeld`, in the order of their names.
    ///
    /// - Throws: as `ManagedObjectModel.init(contentsOf:)`.
    public init(versionsOfModelAt path: String, stages: [MigrationStage] = []) throws(PinviewError) {
        self.init(versions: try ManagedObjectModel.allVersions(ofModelAt: path), stages: stages)
    }

    func resolved() throws(PinviewError) -> MigrationStages {
        var resolved: [MigrationStages.Stage] = []
        for stage in stages {
            let source = try index(of: stage.source), destination = try index(of: stage.destination)
            guard source < destination else {
                throw PinviewError(
                    .invalidArgument,
                    "The stage from \(stage.source.quotedForPeople) to \(stage.destination.quotedForPeople) goes back. List the versions in "
                        + "their order, the oldest first.")
            }
            guard !resolved.contains(where: { $0.source == source }) else {
                throw PinviewError(.invalidArgument, "Two stages begin at the version \(stage.source.quotedForPeople).")
            }
            let mapping = try ResolvedMapping(stage.mappings, from: versions[source], to: versions[destination])
            var way = MigrationStages.Stage(from: source, to: destination)
            way.hints = mapping.hints
            way.confirmedRemovals = stage.confirmedRemovals
            if stage.step != nil || !mapping.parts.isEmpty {
                way.step = { stores in
                    try MigrationManager(stores, source: stage.source, destination: stage.destination).run(mapping, stage.step)
                }
            }
            resolved.append(way)
        }
        return MigrationStages(versions: versions, stages: resolved)
    }

    private func index(of name: String) throws(PinviewError) -> Int {
        let found = versions.indices.filter { versions[$0].versionIdentifiers.contains(name) || versions[$0].versionChecksum == name }
        guard let index = found.first, found.count == 1 else {
            let known = versions.map { $0.versionIdentifiers.sorted().first ?? $0.versionChecksum }.joined(separator: ", ")
            throw PinviewError(
                .invalidArgument,
                found.isEmpty
                    ? "There is no version \(name.quotedForPeople) of the model among those given: \(known)."
                    : "Several of the versions given are \(name.quotedForPeople); name them by their checksums.")
        }
        return index
    }
}
