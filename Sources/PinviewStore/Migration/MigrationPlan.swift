import PinviewModel

/// What a migration is going to do to a store.
package struct MigrationPlan: Sendable, CustomStringConvertible {
    package let difference: ModelDifference
    package let steps: [MigrationStep]
    /// The bytes of the file now.
    package let fileSize: Int64
    let new: SchemaNames
    let layout: MigrationLayout
    /// By index of a new root: the highest key that was given out in its hierarchy.
    let highestKeys: [Int: Int64]

    /// How many rows are written, indexes not counted.
    package var rows: Int64 { steps.reduce(0) { $0 + $1.rows } }
    /// All statements in their order.
    package var statements: [String] { steps.flatMap(\.statements) }

    /// Rows that a current machine writes in a second, as measured by the library's own benchmarks.
    private static let rowsPerSecond = 700_000.0

    /// Roughly; a migration that rewrites no rows takes milliseconds.
    package var estimatedSeconds: Double { 0.005 + Double(rows) / Self.rowsPerSecond }
    /// Roughly how many bytes are needed beside the file while it runs.
    package var estimatedSpace: Int64 { rows == 0 ? 65536 : fileSize + 65536 }

    package var description: String {
        var lines: [String] = []
        let changes = difference.description
        if !changes.isEmpty { lines.append(changes) }
        for step in steps {
            lines.append("\(step.description)\(step.rows > 0 ? " (\(step.rows) rows)" : "")")
            lines += step.statements.map { "    \($0)" }
        }
        return lines.joined(separator: "\n")
    }

    package func jsonRepresentation() -> String {
        let steps = steps.map { step in
            JSONValue.object([
                .init("description", .string(step.description)), .init("statements", .array(step.statements.map { .string($0) })),
                .init("rows", .integer(step.rows)),
            ])
        }
        return JSONValue.object([
            .init("changes", .string(difference.description)), .init("steps", .array(steps)), .init("rows", .integer(rows)),
            .init("seconds", .number(estimatedSeconds)), .init("bytes", .integer(estimatedSpace)),
            .init("description", .string(description)),
        ]).description
    }
}
