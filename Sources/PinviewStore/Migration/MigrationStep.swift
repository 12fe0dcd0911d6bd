/// One step of a migration: SQL of one purpose.
package struct MigrationStep: Sendable {
    /// What a step does besides running its statements.
    enum Kind: Sendable {
        case statements
        /// A table gets another name.
        case tableRename
        /// Its one statement selects the offenders: `Z_PK` and `Z_ENT`.
        case check(ViolationKind)
        /// Its one statement makes a unique index, which fails where values are not unique.
        case uniqueIndex(MigratedConstraint)
        /// Values in files of their own become part of their rows.
        case inlining(table: String, column: String)
        /// Numbers and masks of the persistent history.
        case history
        /// `Z_PRIMARYKEY` and `Z_METADATA`.
        case bookkeeping
        /// What the program does in a stage.
        case program
    }

    let kind: Kind
    /// In words, such as "add the column ZNICKNAME to ZPERSON".
    package let description: String
    package let statements: [String]
    /// How many rows it writes, as far as the plan can tell; 0 for a step whose cost does not
    /// depend on their number.
    package let rows: Int64

    init(_ description: String, _ statements: [String], rows: Int64 = 0, kind: Kind = .statements) {
        self.kind = kind
        self.description = description
        self.statements = statements
        self.rows = rows
    }

    static func rename(_ description: String, table: String, to name: String) -> MigrationStep {
        let statement = "ALTER TABLE \(SQLIdentifier.quoted(table)) RENAME TO \(SQLIdentifier.quoted(name))"
        return MigrationStep(description, [statement], kind: .tableRename)
    }

    var isUnique: Bool {
        if case .uniqueIndex = kind { true } else { false }
    }
}

/// Why rows do not fit the new model.
enum ViolationKind: Sendable {
    case missingValue(property: String)
    case abstractEntity(String)
    case severalDestinations(property: String)
    case inexactValue(property: String, type: String)
}

/// A uniqueness constraint whose index is made by a migration.
struct MigratedConstraint: Sendable {
    let entityName: String
    let properties: [String]
    let table: String
    /// Quoted.
    let columns: [String]
    /// Limits the index to some rows; nil for all.
    let condition: String?
    /// `Z_ENT` of the entity and its sub-entities.
    let family: String
    /// Quoted names of every column that refers to a row of the table, for merging rows: to-one
    /// keys first.
    let references: [RowReferences]
}

/// Columns through which rows are referred to.
struct RowReferences: Sendable {
    /// Quoted.
    let table: String
    let column: String
    /// Whether a row that would exist twice after a change is deleted, as in join tables.
    let isJoin: Bool
}
