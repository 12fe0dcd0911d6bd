import FoundationEssentials
import PinviewTyped

// The parts of Foundation's predicates that are values.

extension PredicateExpressions.Variable: ValueTranslatable {
    func value(_ translation: PredicateTranslation) throws(PinviewError) -> PinviewExpression { try translation.value(of: key) }
}

extension PredicateExpressions.NilLiteral: ValueTranslatable {
    func value(_ translation: PredicateTranslation) throws(PinviewError) -> PinviewExpression { .constant(.null) }
}

extension PredicateExpressions.Value: ValueTranslatable {
    func value(_ translation: PredicateTranslation) throws(PinviewError) -> PinviewExpression { try constant(value) }
}

private protocol OptionalValue {
    var wrappedValue: Any? { get }
}

extension Optional: OptionalValue {
    fileprivate var wrappedValue: Any? { self }
}

/// A value that the program gave, as it stands in a predicate.
func constant(_ value: Any) throws(PinviewError) -> PinviewExpression {
    if let optional = value as? any OptionalValue {
        guard let wrapped = optional.wrappedValue else { return .constant(.null) }
        return try constant(wrapped)
    }
    switch value {
    case let value as any AttributeValue: return .constant(value.pinviewValue)
    case let number as any BinaryInteger:
        guard let number = Int64(exactly: number) else { throw PredicateTranslation.unsupported("the number \(number), beyond 64 bits") }
        return .constant(.integer(number))
    case let character as Character: return .constant(.string(String(character)))
    case let object as any TypedObject: return .constant(.objectID(object.objectID))
    case let objectID as ManagedObjectID: return .constant(.objectID(objectID))
    case let elements as any Collection:
        var expressions: [PinviewExpression] = []
        for element in elements { expressions.append(try constant(element)) }
        return .aggregate(expressions)
    default: throw PredicateTranslation.unsupported("a value of type \(type(of: value))")
    }
}

extension PredicateExpressions.KeyPath: ValueTranslatable {
    func value(_ translation: PredicateTranslation) throws(PinviewError) -> PinviewExpression {
        let type = Root.Output.self
        if let type = type as? any PredicateObject.Type {
            if keyPath == objectIDKeyPath(of: type) { return try translation.value(root) }
            guard let name = type.name(of: keyPath) else {
                throw PredicateTranslation.unsupported("a property of type \(Output.self) that \(type).keyPaths does not list")
            }
            return name == "self" ? try translation.value(root) : try translation.value(root).appending(name)
        }
        if let type = type as? any CountedMembers.Type, type.isCount(keyPath) {
            return try type.count(of: translation.value(root))
        }
        if let type = type as? any (AttributeValue & RawRepresentable).Type, isRawValue(keyPath, of: type) {
            return try translation.value(root)
        }
        if isURI { return try translation.value(root) }
        // Key paths of computed properties do not know their names.
        throw PredicateTranslation.unsupported("a property of \(type) of type \(Output.self)")
    }

    /// Whether this is the URI of an object, which is compared as the object.
    var isURI: Bool { keyPath == \ManagedObjectID.uriRepresentation }
}

private func objectIDKeyPath<T: PredicateObject>(of type: T.Type) -> AnyKeyPath { \T.objectID }

/// The key path of a type's own `rawValue` is another one than that of the protocol; so its values
/// tell.
private func isRawValue<T: AttributeValue & RawRepresentable>(_ keyPath: AnyKeyPath, of type: T.Type) -> Bool {
    guard let keyPath = keyPath as? KeyPath<T, T.RawValue>, let cases = (type as? any CaseIterable.Type)?.values as? [T] else {
        return false
    }
    return cases.allSatisfy { areEqual($0[keyPath: keyPath], $0.rawValue) }
}

private func areEqual(_ left: Any, _ right: Any) -> Bool {
    func isLeft<E: Equatable>(_ right: E) -> Bool { left as? E == right }
    return (right as? any Equatable).map { isLeft($0) } ?? false
}

extension CaseIterable {
    fileprivate static var values: [Any] { Array(allCases) }
}

/// What has members that can be counted in a predicate.
protocol CountedMembers {
    static func isCount(_ keyPath: AnyKeyPath) -> Bool
    static func isEmptiness(_ keyPath: AnyKeyPath) -> Bool
}

extension CountedMembers {
    static func count(of members: PinviewExpression) throws(PinviewError) -> PinviewExpression {
        if case .subquery = members.kind { return .function(.count, [members]) }
        return try members.appending("@count")
    }
}

extension Related: CountedMembers {
    static func isCount(_ keyPath: AnyKeyPath) -> Bool { keyPath == \Related<Element>.count }
    static func isEmptiness(_ keyPath: AnyKeyPath) -> Bool { keyPath == \Related<Element>.isEmpty }
}

extension OrderedRelated: CountedMembers {
    static func isCount(_ keyPath: AnyKeyPath) -> Bool { keyPath == \OrderedRelated<Element>.count }
    static func isEmptiness(_ keyPath: AnyKeyPath) -> Bool { keyPath == \OrderedRelated<Element>.isEmpty }
}

/// What `filter` gives.
extension Array: CountedMembers {
    static func isCount(_ keyPath: AnyKeyPath) -> Bool { keyPath == \[Element].count }
    static func isEmptiness(_ keyPath: AnyKeyPath) -> Bool { keyPath == \[Element].isEmpty }
}

extension PredicateExpressions.ForcedUnwrap: ValueTranslatable {
    func value(_ translation: PredicateTranslation) throws(PinviewError) -> PinviewExpression { try translation.value(inner) }
}

extension PredicateExpressions.OptionalFlatMap: ValueTranslatable {
    func value(_ translation: PredicateTranslation) throws(PinviewError) -> PinviewExpression {
        try translation.binding(variable.key, to: translation.value(wrapped)).value(transform)
    }
}

extension PredicateExpressions.NilCoalesce: ValueTranslatable {
    func value(_ translation: PredicateTranslation) throws(PinviewError) -> PinviewExpression {
        let first = try translation.value(lhs)
        return .conditional(.isNil(first), then: try translation.value(rhs), otherwise: first)
    }
}

extension PredicateExpressions.Conditional: ValueTranslatable {
    func value(_ translation: PredicateTranslation) throws(PinviewError) -> PinviewExpression {
        .conditional(
            try translation.predicate(test), then: try translation.value(trueBranch), otherwise: try translation.value(falseBranch))
    }
}

extension PredicateExpressions.Arithmetic: ValueTranslatable {
    func value(_ translation: PredicateTranslation) throws(PinviewError) -> PinviewExpression {
        let function: ExpressionFunction =
            switch op {
            case .add: .add
            case .subtract: .subtract
            case .multiply: .multiply
            @unknown default: throw PredicateTranslation.unsupported("the operator \(op)")
            }
        return try translation.function(function, lhs, rhs)
    }
}

extension PredicateExpressions.UnaryMinus: ValueTranslatable {
    func value(_ translation: PredicateTranslation) throws(PinviewError) -> PinviewExpression {
        .function(.negate, [try translation.value(wrapped)])
    }
}

extension PredicateExpressions.FloatDivision: ValueTranslatable {
    func value(_ translation: PredicateTranslation) throws(PinviewError) -> PinviewExpression {
        try translation.function(.divide, lhs, rhs)
    }
}

extension PredicateExpressions.IntDivision: ValueTranslatable {
    func value(_ translation: PredicateTranslation) throws(PinviewError) -> PinviewExpression {
        try translation.function(.divide, lhs, rhs)
    }
}

extension PredicateExpressions.IntRemainder: ValueTranslatable {
    func value(_ translation: PredicateTranslation) throws(PinviewError) -> PinviewExpression {
        try translation.function(.modulus, lhs, rhs)
    }
}

extension PredicateExpressions.Filter: ValueTranslatable {
    func value(_ translation: PredicateTranslation) throws(PinviewError) -> PinviewExpression {
        guard LHS.Output.self is any RelatedObjects.Type else { throw PredicateTranslation.unsupported("filter() of a list of values") }
        let (name, inner) = translation.binding(memberOf: variable.key)
        return .subquery(try translation.value(sequence), variable: name, predicate: try inner.predicate(filter))
    }
}
