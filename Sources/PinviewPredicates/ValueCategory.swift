import PinviewModel

/// What can be compared with what. The raw value names it in error messages.
enum ValueCategory: String {
    case number = "a number"
    case text = "a text"
    case date = "a date"
    case binary = "binary data"
    case uuid = "a UUID"
    case object = "an object"

    /// Whether one value of it can come before another one.
    var isOrdered: Bool {
        switch self {
        case .number, .text, .date: true
        case .binary, .uuid, .object: false
        }
    }
}

extension Value {
    /// nil for null, which can be compared with everything.
    var category: ValueCategory? {
        switch self {
        case .null: nil
        case .boolean, .integer, .double, .decimal: .number
        case .string: .text
        case .date: .date
        case .binary: .binary
        case .uuid: .uuid
        case .objectID: .object
        }
    }

    /// Null for a NaN, which no column can hold.
    var withoutNaN: Value {
        switch self {
        case .double(let value): value.isNaN ? .null : self
        case .date(let value): value.timeIntervalSinceReferenceDate.isNaN ? .null : self
        default: self
        }
    }
}

extension AttributeType {
    /// nil for the undefined type, which transient attributes alone can have.
    var category: ValueCategory? {
        switch self {
        case .integer16, .integer32, .integer64, .decimal, .double, .float, .boolean: .number
        case .string, .uri: .text
        case .date: .date
        case .binaryData, .transformable: .binary
        case .uuid: .uuid
        case .undefined: nil
        }
    }
}

extension ResolvedExpression {
    /// nil for nil. Lists have one for each element.
    var category: ValueCategory? {
        switch self {
        case .constant(let value): value.category
        case .list: nil
        case .attribute(_, let property): property.attributeType.category
        case .object: .object
        case .toManyCount: .number
        }
    }

    var isConstant: Bool {
        if case .constant = self { return true }
        return false
    }

    /// Whether it leads over a to-many relationship to any number of values.
    var isCollection: Bool {
        switch self {
        case .attribute(let path, _), .object(let path): path.contains(where: \.property.isToMany)
        case .constant, .list, .toManyCount: false
        }
    }
}
