import PinviewModel

extension AttributeType {
    /// The SQL type of the column for attributes of this type. Affinities follow from these names:
    /// FLOAT is REAL, DECIMAL and TIMESTAMP are NUMERIC.
    var columnType: String {
        switch self {
        case .integer16, .integer32, .integer64, .boolean: "INTEGER"
        case .decimal: "DECIMAL"
        case .double, .float: "FLOAT"
        case .date: "TIMESTAMP"
        case .string, .uri: "VARCHAR"
        case .binaryData, .transformable, .uuid, .undefined, .composite: "BLOB"
        }
    }
}
