import PinviewModel

/// Values of the same category can be compared. The raw value is the category's name in error
/// messages.
package enum ValueCategory: String, Sendable {
    case number = "a number"
    case text = "a string"
    case date = "a date"
    case binary = "binary data"
    case uuid = "a UUID"
    case object = "an object"

    /// Whether the values have an order.
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

    /// Null for NaN, which no column can hold.
    var withoutNaN: Value {
        switch self {
        case .double(let value): value.isNaN ? .null : self
        case .date(let value): value.timeIntervalSinceReferenceDate.isNaN ? .null : self
        default: self
        }
    }
}

extension AttributeType {
    /// nil for the undefined type, which only transient attributes have.
    var category: ValueCategory? {
        switch self {
        case .integer16, .integer32, .integer64, .decimal, .double, .float, .boolean: .number
        case .string, .uri: .text
        case .date: .date
        case .binaryData, .transformable: .binary
        case .uuid: .uuid
        case .undefined, .composite: nil
        }
    }
}

extension ResolvedExpression {
    /// nil for null and for lists, whose elements have categories of their own.
    package var category: ValueCategory? {
        switch self {
        case .constant(let value): value.category
        case .list: nil
        case .attribute(_, let property): property.attributeType.category
        case .object: .object
        case .toManyCount: .number
        case .entityName: .text
        case .function(_, _, let category): category
        case .collection(let function, _, let property, _):
            function == .minimum || function == .maximum ? property.attributeType.category : .number
        case .group(let function, let inner): function == .minimum || function == .maximum ? inner?.category : .number
        case .conditional(_, _, _, let category): category
        case .cast(_, let type): type == .string ? .text : type == .date ? .date : .number
        case .outer(_, let inner): inner.category
        }
    }

    var isConstant: Bool {
        if case .constant = self { return true }
        return false
    }

    /// Whether the expression goes over a to-many relationship and has any number of values.
    package var isCollection: Bool {
        switch self {
        case .attribute(let path, _), .object(let path), .entityName(let path): path.contains(where: \.isToMany)
        case .outer(_, let inner): inner.isCollection
        default: false
        }
    }

    /// Whether the expression aggregates the rows of a group.
    package var isOverGroup: Bool {
        switch self {
        case .group: true
        case .function(_, let operands, _): operands.contains(where: \.isOverGroup)
        case .conditional(_, let then, let otherwise, _): then.isOverGroup || otherwise.isOverGroup
        case .cast(let inner, _), .outer(_, let inner): inner.isOverGroup
        default: false
        }
    }

    /// Whether the value is computed, so that it does not have an attribute's type.
    package var isComputed: Bool {
        switch self {
        case .function, .collection, .conditional, .cast, .entityName, .group: true
        case .outer(_, let inner): inner.isComputed
        case .constant, .list, .attribute, .object, .toManyCount: false
        }
    }
}
