import FoundationEssentials

/// Default and limit values in JSON models, in the forms listed at
/// `ManagedObjectModel.init(json:)`.
enum ValueJSON {
    /// Reads a value for an attribute of the given type. Forms that are not special to the type are
    /// passed on to the model's own check, whose message says what the attribute takes.
    static func read(_ node: JSONNode, as type: AttributeType) throws(PinviewError) -> Value {
        switch (type, node.value) {
        case (.undefined, .object): return try readTagged(node)
        case (.undefined, _): throw node.mistake("must be an object such as {\"type\": \"string\", \"value\": \"a\"}")
        case (.decimal, .string(let text)):
            guard let number = DecimalNumber(text) else {
                throw node.mistake("is not a decimal number of at most 38 digits: \(text.quotedForPeople)")
            }
            return .decimal(number)
        case (.double, .string(let text)), (.float, .string(let text)):
            return .double(try specialNumber(text, node))
        case (.date, .integer(let seconds)): return .date(Date(timeIntervalSinceReferenceDate: Double(seconds)))
        case (.date, .number(let seconds)): return .date(Date(timeIntervalSinceReferenceDate: seconds))
        case (.date, .string(let text)):
            return .date(Date(timeIntervalSinceReferenceDate: try specialNumber(text, node)))
        case (.uuid, .string(let text)):
            guard let uuid = UUID(uuidString: text) else { throw node.mistake("is not a UUID: \(text.quotedForPeople)") }
            return .uuid(uuid)
        case (.binaryData, .string(let text)), (.transformable, .string(let text)):
            guard let bytes = Base64.decode(text) else { throw node.mistake("is not base64: \(text.quotedForPeople)") }
            return .binary(bytes)
        case (_, .null): return .null
        case (_, .boolean(let flag)): return .boolean(flag)
        case (_, .integer(let number)): return .integer(number)
        case (_, .number(let number)): return .double(number)
        case (_, .string(let text)): return .string(text)
        case (_, .array), (_, .object): throw node.mistake("must be a single value of type \(type.name)")
        }
    }

    static func write(_ value: Value, as type: AttributeType) -> JSONValue {
        if type == .undefined { return writeTagged(value) }
        return switch value {
        case .null, .objectID: .null
        case .boolean(let flag): .boolean(flag)
        case .integer(let number): .integer(number)
        case .double(let number): write(number)
        case .string(let text): .string(text)
        case .binary(let bytes): .string(Base64.encode(bytes))
        case .date(let date): write(date.timeIntervalSinceReferenceDate)
        case .uuid(let uuid): .string(uuid.uuidString)
        case .decimal(let number): .string(number.description)
        }
    }

    private static func write(_ number: Double) -> JSONValue {
        if number.isFinite { return .number(number) }
        return .string(number.isNaN ? "NaN" : (number < 0 ? "-Infinity" : "Infinity"))
    }

    private static func specialNumber(_ text: String, _ node: JSONNode) throws(PinviewError) -> Double {
        switch text {
        case "NaN": return .nan
        case "Infinity": return .infinity
        case "-Infinity": return -.infinity
        default: throw node.mistake("must be a number, \"NaN\", \"Infinity\" or \"-Infinity\", but is \(text.quotedForPeople)")
        }
    }

    private static func readTagged(_ node: JSONNode) throws(PinviewError) -> Value {
        let object = try node.object(keys: [ModelKeys.type, ModelKeys.value])
        let types = AttributeType.allCases.filter { $0 != .undefined && $0 != .composite }
        let type = try ModelReader.choice(object.required(ModelKeys.type), among: types, named: \.name)
        let value = try object.required(ModelKeys.value)
        let bare = Property(
            attribute: AttributeDescription(name: ModelKeys.value, attributeType: type), pattern: nil, index: 0,
            declaringEntityName: "", declaringEntityIndex: 0)
        let read = try read(value, as: type)
        do {
            return try bare.convert(read)
        } catch {
            throw value.mistake("must be \(bare.expectedTypeForPeople), but is the \(read.typeName) \(read)")
        }
    }

    private static func writeTagged(_ value: Value) -> JSONValue {
        let type: AttributeType? =
            switch value {
            case .null, .objectID: nil
            case .boolean: .boolean
            case .integer: .integer64
            case .double: .double
            case .string: .string
            case .binary: .binaryData
            case .date: .date
            case .uuid: .uuid
            case .decimal: .decimal
            }
        guard let type else { return .null }
        return .object([.init(ModelKeys.type, .string(type.name)), .init(ModelKeys.value, write(value, as: type))])
    }
}
