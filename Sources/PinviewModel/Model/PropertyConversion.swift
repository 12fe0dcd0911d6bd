extension Property {
    /// Converts a value to the type of this property without loss.
    ///
    /// Null is always accepted (validation decides whether it may be saved). Numbers are accepted
    /// if they have the same value in the other type: 3.0 as an integer, 1 as a boolean, 0.5 as a
    /// decimal; a `float` attribute rounds to `Float`. A to-one relationship takes the ID of an
    /// object of its destination entity.
    /// - Throws: `wrongType`, naming the entity, property, expected type and value.
    package func convert(_ value: Value) throws(PinviewError) -> Value {
        if let converted = converted(value) { return converted }
        throw wrongType(value)
    }

    private func converted(_ value: Value) -> Value? {
        if case .null = value {
            // No conditional expressions here: in `c ? nil : value`, nil would be the literal for
            // `.null`.
            if isToMany { return nil }
            return value
        }
        if isRelationship { return convertedToRelationship(value) }
        switch attributeType {
        case .undefined: return value
        case .composite: return nil
        case .integer16: return convertedToInteger(value, in: Int64(Int16.min)...Int64(Int16.max))
        case .integer32: return convertedToInteger(value, in: Int64(Int32.min)...Int64(Int32.max))
        case .integer64: return convertedToInteger(value, in: Int64.min...Int64.max)
        case .decimal: return convertedToDecimal(value)
        case .double: return convertedToDouble(value)
        case .float: return convertedToFloat(value)
        case .boolean: return convertedToBoolean(value)
        case .string, .uri:
            if case .string = value { return value }
        case .date:
            if case .date = value { return value }
        case .binaryData, .transformable:
            if case .binary = value { return value }
        case .uuid:
            if case .uuid = value { return value }
        }
        return nil
    }

    private func convertedToInteger(_ value: Value, in range: ClosedRange<Int64>) -> Value? {
        let integer: Int64
        switch value {
        case .integer(let given): integer = given
        case .boolean(let given): integer = given ? 1 : 0
        case .double(let given):
            guard let exact = Int64(exactly: given) else { return nil }
            integer = exact
        case .decimal(let given):
            guard let exact = given.int64Value else { return nil }
            integer = exact
        default: return nil
        }
        guard range.contains(integer) else { return nil }
        return .integer(integer)
    }

    private func convertedToDecimal(_ value: Value) -> Value? {
        switch value {
        case .decimal: return value
        case .integer(let given): return .decimal(DecimalNumber(given))
        case .double(let given):
            guard !given.isInfinite else { return nil }
            return .decimal(DecimalNumber(given))
        default: return nil
        }
    }

    private func convertedToDouble(_ value: Value) -> Value? {
        switch value {
        case .double: return value
        case .integer(let given): return Double(exactly: given).map { .double($0) }
        case .decimal(let given):
            let double = given.doubleValue
            guard DecimalNumber(double) == given else { return nil }
            return .double(double)
        default: return nil
        }
    }

    private func convertedToFloat(_ value: Value) -> Value? {
        switch value {
        case .double(let given):
            let rounded = Float(given)
            // A finite number beyond the range of Float must not become an infinity.
            guard rounded.isFinite || !given.isFinite else { return nil }
            return .double(Double(rounded))
        case .integer(let given): return Float(exactly: given).map { .double(Double($0)) }
        case .decimal(let given):
            let rounded = Float(given.doubleValue)
            guard !rounded.isInfinite else { return nil }
            return .double(Double(rounded))
        default: return nil
        }
    }

    private func convertedToBoolean(_ value: Value) -> Value? {
        switch value {
        case .boolean: return value
        case .integer(0): return .boolean(false)
        case .integer(1): return .boolean(true)
        default: return nil
        }
    }

    private func convertedToRelationship(_ value: Value) -> Value? {
        guard !isToMany, case .objectID(let objectID) = value, objectID.entity.isKind(ofEntityNamed: destinationEntityName) else {
            return nil
        }
        return value
    }

    /// The values that this property takes, for error messages.
    package var expectedTypeForPeople: String {
        if isRelationship {
            return isToMany ? "a collection of objects of entity \(destinationEntityName)" : "an object of entity \(destinationEntityName)"
        }
        switch attributeType {
        case .undefined: return "any value"
        case .composite: return "composite (a value for each element)"
        case .integer16: return "integer16 (a whole number from -32768 to 32767)"
        case .integer32: return "integer32 (a whole number from -2147483648 to 2147483647)"
        case .integer64: return "integer64 (a whole number of 64 bits)"
        case .decimal: return "decimal (a number of up to 38 digits)"
        case .double: return "double (a number)"
        case .float: return "float (a number within the range of 32-bit floats)"
        case .string: return "string"
        case .boolean: return "boolean (true or false, 1 or 0)"
        case .date: return "date"
        case .binaryData: return "binaryData"
        case .uuid: return "uuid"
        case .uri: return "uri (as a string)"
        case .transformable: return "transformable (the bytes made by its transformer)"
        }
    }

    /// The error for a value of the wrong type.
    package func wrongType(_ value: Value) -> PinviewError {
        let given =
            if case .objectID(let objectID) = value {
                "the object ID \(objectID.uriRepresentation) of entity \(objectID.entity.name)"
            } else if case .null = value {
                "null"
            } else {
                "the \(value.typeName) \(value)"
            }
        return PinviewError(.wrongType, "\(qualifiedName) is of type \(expectedTypeForPeople); it cannot take \(given).")
            .with(validationKey: name, validationValue: value)
    }
}
