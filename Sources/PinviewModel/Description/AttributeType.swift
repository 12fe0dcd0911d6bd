/// The type of an attribute; the numbers are Core Data's.
public enum AttributeType: Int, Sendable, CaseIterable {
    /// Any value; for transient attributes only.
    case undefined = 0
    case integer16 = 100
    case integer32 = 200
    case integer64 = 300
    case decimal = 400
    case double = 500
    case float = 600
    case string = 700
    case boolean = 800
    case date = 900
    case binaryData = 1000
    case uuid = 1100
    case uri = 1200
    /// Bytes made by one of the application's transformers.
    case transformable = 1800
    /// A group of attributes, the ``AttributeDescription/elements``.
    case composite = 2100

    /// The name in JSON models and error messages.
    package var name: String {
        switch self {
        case .undefined: "undefined"
        case .integer16: "integer16"
        case .integer32: "integer32"
        case .integer64: "integer64"
        case .decimal: "decimal"
        case .double: "double"
        case .float: "float"
        case .string: "string"
        case .boolean: "boolean"
        case .date: "date"
        case .binaryData: "binaryData"
        case .uuid: "uuid"
        case .uri: "uri"
        case .transformable: "transformable"
        case .composite: "composite"
        }
    }

    package var isInteger: Bool { self == .integer16 || self == .integer32 || self == .integer64 }
    /// Whether minimum and maximum values make sense.
    package var isOrdered: Bool { isInteger || self == .decimal || self == .double || self == .float || self == .date }
    package var isText: Bool { self == .string || self == .uri }
}

/// What happens to the objects at the other end of a relationship when an object is deleted.
/// The raw values are Core Data's.
public enum DeleteRule: Int, Sendable, CaseIterable {
    /// They are left unchanged.
    case noAction = 0
    /// The object is removed from their inverse relationship.
    case nullify = 1
    /// They are deleted too.
    case cascade = 2
    /// The object cannot be deleted while there are any.
    case deny = 3

    /// Whether a deletion changes what the relationship leads to; the other rules leave that
    /// related to the deleted object.
    package var changesDestinations: Bool { self == .nullify || self == .cascade }

    /// The name in JSON models and error messages.
    package var name: String {
        switch self {
        case .noAction: "noAction"
        case .nullify: "nullify"
        case .cascade: "cascade"
        case .deny: "deny"
        }
    }
}
