extension Property {
    /// Checks a value of this property's type against the model's rules.
    /// - Returns: an error for the first rule that is violated, naming object, property and value.
    package func validate(_ value: Value, objectID: @autoclosure () -> ManagedObjectID) -> PinviewError? {
        if isDerived { return nil }
        if case .null = value {
            guard !isOptional, !isToMany else { return nil }
            return failure(.validationMissingMandatoryProperty, "is required, but has no value", value, objectID)
        }
        guard isAttribute else { return nil }
        return switch value {
        case .string(let text): validate(text: text, value, objectID)
        case .date(let date) where !date.timeIntervalSinceReferenceDate.isFinite:
            failure(.invalidDate, "is not a date: its time is not a finite number", value, objectID)
        default: validateRange(value, objectID)
        }
    }

    /// Checks the number of objects of a to-many relationship. An optional one may always be empty.
    package func validate(count: Int, objectID: @autoclosure () -> ManagedObjectID) -> PinviewError? {
        if count == 0 && isOptional { return nil }
        let least = isOptional ? minimumCount : max(minimumCount, 1)
        if count < least {
            return failure(
                .relationshipLacksMinimumCount, "has \(count) objects, but needs at least \(least)", .integer(Int64(count)), objectID)
        }
        if maximumCount > 0 && count > maximumCount {
            return failure(
                .relationshipExceedsMaximumCount, "has \(count) objects, but may have at most \(maximumCount)",
                .integer(Int64(count)), objectID)
        }
        return nil
    }

    private func validateRange(_ value: Value, _ objectID: () -> ManagedObjectID) -> PinviewError? {
        let isDate = attributeType == .date
        if let minimumValue, isBelow(value, minimumValue) {
            return failure(isDate ? .dateTooSoon : .numberTooSmall, "is \(value), below its minimum \(minimumValue)", value, objectID)
        }
        if let maximumValue, isBelow(maximumValue, value) {
            return failure(isDate ? .dateTooLate : .numberTooLarge, "is \(value), above its maximum \(maximumValue)", value, objectID)
        }
        return nil
    }

    private func validate(text: String, _ value: Value, _ objectID: () -> ManagedObjectID) -> PinviewError? {
        if minimumLength != nil || maximumLength != nil {
            let length = text.unicodeScalars.count
            if let minimumLength, length < minimumLength {
                return failure(
                    .stringTooShort, "is \(value), \(length) characters, but needs at least \(minimumLength)", value, objectID)
            }
            if let maximumLength, length > maximumLength {
                return failure(.stringTooLong, "is \(value), \(length) characters, but may have at most \(maximumLength)", value, objectID)
            }
        }
        if let pattern {
            do throws(PinviewError) {
                if try !pattern.matches(text) {
                    return failure(
                        .stringPatternMatching, "is \(value), which does not match the pattern \(pattern.text.quotedForPeople)", value,
                        objectID)
                }
            } catch {
                return failure(
                    .stringPatternMatching, "is \(value), which cannot be validated: \(error.message.dropLast())", value, objectID)
            }
        }
        if attributeType == .uri, text.utf8.contains(where: { $0 <= 0x20 || $0 == 0x7F }) {
            return failure(.invalidURI, "is \(value), which is not a URI: it has a space or a control character", value, objectID)
        }
        return nil
    }

    private func failure(_ code: PinviewError.Code, _ what: String, _ value: Value, _ objectID: () -> ManagedObjectID) -> PinviewError {
        let objectID = objectID()
        return .validation(
            code, "\(objectID.entity.name).\(name) of \(objectID.uriRepresentation) \(what).", objectID: objectID, key: name, value: value)
    }
}
