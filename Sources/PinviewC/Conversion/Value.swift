import CPinview
import FoundationEssentials
import Pinview

extension pinview_value {
    /// The value passed by a C caller. Objects represent their IDs.
    ///
    /// - Throws: `invalidArgument` for an unknown type, `wrongType` for a list that is not allowed,
    ///   and errors of texts and handles.
    func value(_ parameter: String) throws(PinviewError) -> Value {
        switch type {
        case PINVIEW_VALUE_NULL: return .null
        case PINVIEW_VALUE_BOOLEAN: return .boolean(`as`.boolean != 0)
        case PINVIEW_VALUE_INTEGER: return .integer(`as`.integer)
        case PINVIEW_VALUE_DOUBLE: return .double(`as`.real)
        case PINVIEW_VALUE_STRING:
            guard let text = try `as`.string.text(parameter) else { return .null }
            return .string(text)
        case PINVIEW_VALUE_BINARY:
            let bytes = try elements(`as`.binary.data, `as`.binary.size, parameter)
            return `as`.binary.data == nil ? .null : .binary(Array(bytes))
        case PINVIEW_VALUE_DATE: return .date(Date(timeIntervalSinceReferenceDate: `as`.real))
        case PINVIEW_VALUE_UUID: return .uuid(UUID(uuid: `as`.uuid))
        case PINVIEW_VALUE_DECIMAL:
            let text = try `as`.string.required(parameter)
            guard let number = DecimalNumber(text) else {
                throw PinviewError(.wrongType, "'\(parameter)': '\(text.prefix(60))' is not a decimal number of up to 38 digits.")
            }
            return .decimal(number)
        case PINVIEW_VALUE_OBJECT: return .objectID(try Handles.object(`as`.object).objectID)
        case PINVIEW_VALUE_OBJECT_ID: return .objectID(try Handles.objectID(`as`.object_id))
        case PINVIEW_VALUE_LIST:
            throw PinviewError(.wrongType, "'\(parameter)' is a list, which can only be an argument of a predicate.")
        default:
            throw PinviewError(.invalidArgument, "'\(parameter)' has the unknown type \(type); expected one of PINVIEW_VALUE_….")
        }
    }

    /// A value of a common type; nil for others, and for anything invalid.
    @inline(__always)
    var usualValue: Value? {
        switch type {
        case PINVIEW_VALUE_INTEGER: return .integer(`as`.integer)
        case PINVIEW_VALUE_DOUBLE: return .double(`as`.real)
        case PINVIEW_VALUE_STRING:
            guard let data = `as`.string.data, isSmall(`as`.string.size) else { return nil }
            return String(validUTF8: UnsafeRawBufferPointer(start: data, count: `as`.string.size)).map { .string($0) }
        default: return nil
        }
    }

    /// Puts a value of a common type into a row. Returns false for others, and for anything invalid.
    @inline(__always)
    func put(into rows: NewRows, _ place: Int, _ row: Int) -> Bool {
        switch type {
        case PINVIEW_VALUE_INTEGER: return rows.put(`as`.integer, place, row)
        case PINVIEW_VALUE_DOUBLE: return rows.put(`as`.real, place, row)
        case PINVIEW_VALUE_STRING:
            guard let data = `as`.string.data, isSmall(`as`.string.size) else { return false }
            return rows.put(UnsafeRawBufferPointer(start: data, count: `as`.string.size), place, row)
        case PINVIEW_VALUE_NULL: return rows.put(.null, place, row)
        case PINVIEW_VALUE_BOOLEAN: return rows.put(.boolean(`as`.boolean != 0), place, row)
        case PINVIEW_VALUE_DATE: return rows.put(.date(Date(timeIntervalSinceReferenceDate: `as`.real)), place, row)
        default: return false
        }
    }

    /// The argument of a predicate, which may be a list. Lists are not nested: no operator takes a
    /// list of lists, and a list that contains itself would be infinite.
    func expression(_ parameter: String) throws(PinviewError) -> PinviewExpression {
        guard type == PINVIEW_VALUE_LIST else { return .constant(try value(parameter)) }
        var expressions: [PinviewExpression] = []
        for item in try elements(`as`.list.items, `as`.list.count, parameter) {
            guard item.type != PINVIEW_VALUE_LIST else {
                throw PinviewError(.invalidArgument, "The list '\(parameter)' contains a list, but lists cannot be nested.")
            }
            expressions.append(.constant(try item.value(parameter)))
        }
        return .aggregate(expressions)
    }

    /// A value that needs no memory of its own; nil for others.
    init?(plain value: Value) {
        self.init()
        switch value {
        case .null: type = PINVIEW_VALUE_NULL
        case .boolean(let flag):
            type = PINVIEW_VALUE_BOOLEAN
            `as`.boolean = flag ? 1 : 0
        case .integer(let number):
            type = PINVIEW_VALUE_INTEGER
            `as`.integer = number
        case .double(let number):
            type = PINVIEW_VALUE_DOUBLE
            `as`.real = number
        case .date(let date):
            type = PINVIEW_VALUE_DATE
            `as`.real = date.timeIntervalSinceReferenceDate
        case .uuid(let uuid):
            type = PINVIEW_VALUE_UUID
            `as`.uuid = uuid.uuid
        case .string, .binary, .decimal, .objectID: return nil
        }
    }

    init(_ value: Value, _ arena: Arena) throws(PinviewError) {
        var arena = arena
        try self.init(value, &arena)
    }

    /// A value for a C caller. Texts, data and IDs are stored in the memory.
    init<Memory: ValueMemory>(_ value: Value, _ memory: inout Memory) throws(PinviewError) {
        if let plain = Self(plain: value) {
            self = plain
            return
        }
        self.init()
        switch value {
        case .string(var text):
            type = PINVIEW_VALUE_STRING
            `as`.string = text.withUTF8 { Self.store($0, &memory) }
        case .binary(let bytes):
            type = PINVIEW_VALUE_BINARY
            let copy = bytes.withUnsafeBytes { memory.store($0) }
            `as`.binary = pinview_binary(data: copy.map { UnsafePointer($0.assumingMemoryBound(to: UInt8.self)) }, size: bytes.count)
        case .decimal(let number):
            type = PINVIEW_VALUE_DECIMAL
            var text = number.description
            `as`.string = text.withUTF8 { Self.store($0, &memory) }
        case .objectID(let objectID):
            type = PINVIEW_VALUE_OBJECT_ID
            let handle = try Handles.make(objectID)
            memory.own(handle)
            `as`.object_id = handle
        default: break  // They are plain.
        }
    }

    private static func store<Memory: ValueMemory>(_ text: UnsafeBufferPointer<UInt8>, _ memory: inout Memory) -> pinview_string {
        let copy = memory.store(UnsafeRawBufferPointer(text))
        return pinview_string(data: copy.map { UnsafePointer($0.assumingMemoryBound(to: CChar.self)) }, size: text.count)
    }
}

/// Named values as a dictionary.
///
/// - Throws: `invalidArgument` for a missing array, a missing name or a duplicate name.
func namedValues(_ items: UnsafePointer<pinview_named_value>?, _ count: Int, _ parameter: String) throws(PinviewError) -> [String: Value] {
    var values: [String: Value] = [:]
    for item in try elements(items, count, parameter) {
        let name = try item.name.required("\(parameter).name")
        guard values.updateValue(try item.value.value(name), forKey: name) == nil else {
            throw PinviewError(.invalidArgument, "'\(name)' is given twice in '\(parameter)'.")
        }
    }
    return values
}
