/// What the cells of a property hold. It is decided once, when the model is resolved.
@usableFromInline
package enum CellKind: UInt8, Sendable {
    case integer, boolean, real, date, decimal, uuid, text, binary
    /// Data that may be in a file of its own; the first byte tells.
    case externalBinary
    /// The primary key of the destination of a to-one relationship.
    case reference
    /// To-many relationships and attributes without a type have no cells. Composite attributes have
    /// none of their own.
    case none

    init(_ attribute: AttributeDescription) {
        self =
            switch attribute.attributeType {
            case .integer16, .integer32, .integer64: .integer
            case .boolean: .boolean
            case .double, .float: .real
            case .date: .date
            case .decimal: .decimal
            case .uuid: .uuid
            case .string, .uri: .text
            case .binaryData, .transformable: attribute.allowsExternalBinaryDataStorage ? .externalBinary : .binary
            case .undefined, .composite: .none
            }
    }
}
