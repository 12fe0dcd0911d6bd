import FoundationEssentials
import PinviewModel

/// The preserved values of a deleted row, as a property list.
extension PropertyListValue {
    package init(_ value: Value) {
        switch value {
        case .null: self = .null
        case .boolean(let flag): self = .boolean(flag)
        case .integer(let integer): self = .integer(integer)
        case .double(let double): self = .real(double)
        case .string(let text): self = .string(text)
        case .date(let date): self = .date(date.timeIntervalSinceReferenceDate)
        case .binary(let bytes): self = .data(bytes)
        case .uuid(let uuid): self = .string(uuid.uuidString)
        case .decimal(let decimal): self = .string(decimal.description)
        case .objectID(let objectID): self = .string(objectID.uriRepresentation)
        }
    }

    /// - Returns: null if the entry is not a value of the attribute's type.
    package func value(of attribute: Property) -> Value {
        let plain: Value =
            switch self {
            case .boolean(let flag): .boolean(flag)
            case .integer(let integer): .integer(integer)
            case .real(let double): .double(double)
            case .string(let text): Self.value(text, attribute.attributeType)
            case .date(let seconds): .date(Date(timeIntervalSinceReferenceDate: seconds))
            case .data(let bytes): .binary(bytes)
            default: .null
            }
        do throws(PinviewError) {
            return try attribute.convert(plain)
        } catch {
            return .null
        }
    }

    private static func value(_ text: String, _ type: AttributeType) -> Value {
        switch type {
        case .uuid: UUID(uuidString: text).map { .uuid($0) } ?? Value.null
        case .decimal: DecimalNumber(text).map { .decimal($0) } ?? Value.null
        default: .string(text)
        }
    }
}
