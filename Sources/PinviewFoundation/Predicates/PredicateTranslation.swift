import FoundationEssentials
import PinviewTyped

// From Foundation's predicates to those of a store. An expression of Foundation's is a tree of
// generic structures without a common way to go through it, so each structure that has a
// counterpart conforms to a protocol here (PredicateExpressions+Translation.swift), as Foundation
// itself does for `NSPredicate` on Apple's systems.

/// An expression of Foundation's that a value of the predicate language can stand for.
protocol ValueTranslatable {
    func value(_ translation: PredicateTranslation) throws(PinviewError) -> PinviewExpression
}

/// An expression of Foundation's that is a condition by nature, and no stored boolean.
protocol ConditionTranslatable {
    func condition(_ translation: PredicateTranslation) throws(PinviewError) -> PinviewPredicate
    /// Where the condition has no truth value, because something that it is about is nil; nil if it
    /// always has one.
    func absence(_ translation: PredicateTranslation) throws(PinviewError) -> PinviewPredicate?
}

extension ConditionTranslatable {
    func absence(_ translation: PredicateTranslation) -> PinviewPredicate? { nil }
}

/// What the variables of a predicate stand for while it is translated.
struct PredicateTranslation {
    private let variables: [PredicateExpressions.VariableID: PinviewExpression]
    /// How many conditions on members are around.
    private let depth: Int

    init(_ variables: [PredicateExpressions.VariableID: PinviewExpression], depth: Int = 0) {
        self.variables = variables
        self.depth = depth
    }

    func binding(_ variable: PredicateExpressions.VariableID, to value: PinviewExpression) -> PredicateTranslation {
        PredicateTranslation(variables.merging([variable: value]) { $1 }, depth: depth)
    }

    /// The name of a variable for the members of a collection, and the translation of a condition
    /// on them.
    func binding(memberOf variable: PredicateExpressions.VariableID) -> (name: String, translation: PredicateTranslation) {
        let name = "member\(depth + 1)"
        return (name, PredicateTranslation(variables.merging([variable: .variable(name)]) { $1 }, depth: depth + 1))
    }

    func value(of variable: PredicateExpressions.VariableID) throws(PinviewError) -> PinviewExpression {
        guard let value = variables[variable] else { throw Self.unsupported("a variable of another predicate") }
        return value
    }

    func value(_ expression: some PredicateExpression) throws(PinviewError) -> PinviewExpression {
        guard let translatable = expression as? any ValueTranslatable else { throw Self.unsupported(expression) }
        return try translatable.value(self)
    }

    func function(
        _ function: ExpressionFunction, _ left: some PredicateExpression, _ right: some PredicateExpression
    ) throws(PinviewError) -> PinviewExpression {
        .function(function, [try value(left), try value(right)])
    }

    func predicate(_ expression: some PredicateExpression) throws(PinviewError) -> PinviewPredicate {
        if let condition = expression as? any ConditionTranslatable { return try condition.condition(self) }
        return .comparison(ComparisonPredicate(try value(expression), .equalTo, .constant(.boolean(true))))
    }

    /// Where an expression is nil; nil if it never is.
    func absence(_ expression: some PredicateExpression) throws(PinviewError) -> PinviewPredicate? {
        if let condition = expression as? any ConditionTranslatable { return try condition.absence(self) }
        return .isNil(try value(expression))
    }

    /// The texts of URIs in a comparison with an object are the objects.
    func objects(_ value: PinviewExpression) -> PinviewExpression {
        switch value.kind {
        case .constant(.string(let uri)): .objectURI(uri)
        case .aggregate(let elements): .aggregate(elements.map(objects))
        default: value
        }
    }

    static func unsupported(_ expression: some PredicateExpression) -> PinviewError {
        let name = String(describing: type(of: expression)).prefix { $0 != "<" }
        return unsupported("PredicateExpressions.\(name)")
    }

    static func unsupported(_ part: String) -> PinviewError {
        PinviewError(
            .badPredicate,
            "Foundation's predicate has a part that the predicates of a store cannot express: \(part). Write it as a Condition, or filter "
                + "the objects that were fetched.")
    }
}

extension PinviewPredicate {
    static func isNil(_ value: PinviewExpression) -> PinviewPredicate {
        .comparison(ComparisonPredicate(value, .equalTo, .constant(.null)))
    }
}

extension PinviewExpression {
    /// The value behind a property of what this leads to.
    func appending(_ key: String) throws(PinviewError) -> PinviewExpression {
        switch kind {
        case .evaluatedObject: return .keyPath([key])
        case .keyPath(let keys): return .keyPath(keys + [key])
        case .variable(let name, let keys): return .variable(name, keys: keys + [key])
        default: throw PredicateTranslation.unsupported("the property \(key) of a computed value")
        }
    }
}
