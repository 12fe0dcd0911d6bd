/// Objects that would have the same values in a uniqueness constraint (`NSConstraintConflict`).
public struct ConstraintConflict: Hashable, Sendable {
    /// The entity that declares the constraint; the objects are of this entity or of subentities.
    public let entityName: String
    /// The properties of the constraint, in the model's order.
    public let constraint: [String]
    /// The values that the objects share, by property; a to-one relationship's is the destination's ID.
    public let constraintValues: [String: Value]
    /// The object that has these values in the store; nil where all objects in conflict are part of the same save.
    public let databaseObjectID: ManagedObjectID?
    /// That object's values in the store.
    public let databaseSnapshot: [String: Value]?
    /// The objects of the context that want these values, in the order in which they were inserted or last changed.
    /// Empty for rows of a batch insert, which have no IDs.
    public let conflictingObjectIDs: [ManagedObjectID]
    /// The values that those objects, or the rows of a batch insert, were to be saved with, in the same order.
    public let conflictingSnapshots: [[String: Value]]

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
            let other = databaseObjectID.map { "that \($0.uriRepresentation) has in the store" } ?? "of another row of the batch"
            return "A row of the batch insert has the \(values) \(other) (uniqueness constraint of \(entityName))"
        }
        let objects = conflictingObjectIDs.map(\.uriRepresentation).joined(separator: ", ")
        if let databaseObjectID {
            let isOne = conflictingObjectIDs.count == 1
            return
                "\(objects) of this context \(isOne ? "has" : "have") the \(values) that \(databaseObjectID.uriRepresentation) has in the store "
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
    /// The error of a save that would violate uniqueness constraints; there is at least one conflict.
    ///
    /// - Parameter mergeConflicts: the other conflicts of the same save.
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
