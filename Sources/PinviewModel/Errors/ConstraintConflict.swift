/// Objects that would have the same values in a uniqueness constraint (`NSConstraintConflict`).
public struct ConstraintConflict: Hashable, Sendable {
    /// The entity that declares the constraint. The objects are of this entity or its sub-entities.
    public let entityName: String
    /// The properties of the constraint, in the model's order.
    public let constraint: [String]
    /// The values that the objects share, by property. A to-one relationship's value is an object
    /// ID.
    public let constraintValues: [String: Value]
    /// The object in the store that has these values; nil if all conflicting objects are in one
    /// save.
    public let databaseObjectID: ManagedObjectID?
    /// That object's values in the store.
    public let databaseSnapshot: [String: Value]?
    /// The context's objects that would take these values, in the order in which they were inserted
    /// or last changed. Empty for rows of a batch insert, which have no IDs.
    public let conflictingObjectIDs: [ManagedObjectID]
    /// The values to be saved for those objects, or for rows of a batch insert, in the same order.
    public let conflictingSnapshots: [[String: Value]]

    /// Creates a description of a conflict.
    public init(
        entityName: String, constraint: [String], constraintValues: [String: Value], databaseObjectID: ManagedObjectID?,
        databaseSnapshot: [String: Value]?, conflictingObjectIDs: [ManagedObjectID], conflictingSnapshots: [[String: Value]]
    ) {
        self.entityName = entityName
        self.constraint = constraint
        self.constraintValues = constraintValues
        self.databaseObjectID = databaseObjectID
        self.databaseSnapshot = databaseSnapshot
        self.conflictingObjectIDs = conflictingObjectIDs
        self.conflictingSnapshots = conflictingSnapshots
    }
}

extension ConstraintConflict: CustomStringConvertible {
    /// Which objects have which values in common, and where they are.
    public var description: String {
        let values = constraint.map { "\($0) \(Self.text(constraintValues[$0] ?? .null))" }.joined(separator: " and ")
        if conflictingObjectIDs.isEmpty {
            let other = databaseObjectID.map { "as \($0.uriRepresentation) in the store" } ?? "as another row of the batch"
            return "A row of the batch insert has the same \(values) \(other) (uniqueness constraint of \(entityName))"
        }
        let objects = conflictingObjectIDs.map(\.uriRepresentation).joined(separator: ", ")
        if let databaseObjectID {
            let isOne = conflictingObjectIDs.count == 1
            return
                "\(objects) of this context \(isOne ? "has" : "have") the same \(values) as \(databaseObjectID.uriRepresentation) in the store "
                + "(uniqueness constraint of \(entityName))"
        }
        return "\(objects) of this context have the same \(values) (uniqueness constraint of \(entityName))"
    }

    private static func text(_ value: Value) -> String {
        switch value {
        case .string(let text): text.quotedForPeople
        case .objectID(let objectID): objectID.uriRepresentation
        default: "\(value)"
        }
    }
}

extension PinviewError {
    /// The error of a save that would violate uniqueness constraints.
    ///
    /// - Parameters:
    ///   - conflicts: at least one.
    ///   - mergeConflicts: the other conflicts of the same save.
    package static func constraintConflict(_ conflicts: [ConstraintConflict], mergeConflicts: [MergeConflict] = []) -> PinviewError {
        guard let first = conflicts.first else {
            return PinviewError(.managedObjectConstraintMerge, "A uniqueness constraint is violated.")
        }
        let more = conflicts.count - 1
        var seen: Set<ManagedObjectID> = []
        let objects = (conflicts.flatMap(\.conflictingObjectIDs) + mergeConflicts.map(\.objectID)).filter { seen.insert($0).inserted }
        return PinviewError(
            .managedObjectConstraintMerge,
            "\(first)" + (more > 0 ? ", and there \(more == 1 ? "is 1 more such conflict" : "are \(more) more such conflicts")" : "")
                + ". Nothing was saved. Change one of the objects, or set a merge policy other than error."
        ).with(affectedObjectIDs: objects, conflicts: mergeConflicts, constraintConflicts: conflicts)
    }
}
