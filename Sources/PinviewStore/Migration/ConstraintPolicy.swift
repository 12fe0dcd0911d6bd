/// What happens to rows with equal values under a new uniqueness constraint.
package enum ConstraintPolicy: String, Sendable, CaseIterable {
    /// The migration fails and names them.
    case error
    /// The row that was inserted last stays, and what referred to the others refers to it.
    case keepNewest
    /// The row that was inserted first stays, and what referred to the others refers to it.
    case keepOldest
}

/// What a migration did to a store.
package struct MigrationReport: Sendable {
    /// A line for each change of the model.
    package let difference: String
    /// How many rows were deleted because a uniqueness constraint allows only one like them: by
    /// entity and properties, such as `Person (email)`.
    package var mergedRows: [String: Int64] = [:]
    /// Whether the persistent history had to be deleted, because it mentions what the new model
    /// does not have.
    package var purgedHistory = false
}

/// Rows that the new model does not allow.
struct MigrationViolation {
    /// How many of them an error names.
    static let limit = 20

    let kind: ViolationKind
    /// By URI.
    let objects: [String]

    var description: String {
        let names = objects.prefix(Self.limit).joined(separator: ", ") + (objects.count >= Self.limit ? " and perhaps more" : "")
        switch kind {
        case .missingValue(let property):
            return "\(property) is required, but these objects have no value: \(names). Give the property a default, or make it optional"
        case .abstractEntity(let entity):
            return
                "\(entity) becomes abstract, but there are objects of it: \(names). Delete them, or make them objects of a sub-entity first"
        case .severalDestinations(let property):
            return
                "\(property) leads to one object, but for these there are several: \(names). Choose one of them in a step of the migration"
        case .inexactValue(let property, let type):
            return
                "\(property) becomes \(type), which cannot hold the values of these objects exactly: \(names). Change them first, or map the "
                + "attribute in a stage"
        }
    }
}
