import CPinview
import Pinview

// Predicates and expressions built from parts: part of the section "Predicates" of the header.

private let operators: [(number: Int32, operator: PredicateOperator)] = [
    (PINVIEW_OPERATOR_LESS_THAN, .lessThan), (PINVIEW_OPERATOR_LESS_THAN_OR_EQUAL_TO, .lessThanOrEqualTo),
    (PINVIEW_OPERATOR_GREATER_THAN, .greaterThan), (PINVIEW_OPERATOR_GREATER_THAN_OR_EQUAL_TO, .greaterThanOrEqualTo),
    (PINVIEW_OPERATOR_EQUAL_TO, .equalTo), (PINVIEW_OPERATOR_NOT_EQUAL_TO, .notEqualTo), (PINVIEW_OPERATOR_MATCHES, .matches),
    (PINVIEW_OPERATOR_LIKE, .like), (PINVIEW_OPERATOR_BEGINS_WITH, .beginsWith), (PINVIEW_OPERATOR_ENDS_WITH, .endsWith),
    (PINVIEW_OPERATOR_IN, .in), (PINVIEW_OPERATOR_CONTAINS, .contains), (PINVIEW_OPERATOR_BETWEEN, .between),
]

private let modifiers: [PredicateModifier] = [.direct, .all, .any, .none]

private func expressions(
    _ handles: UnsafePointer<OpaquePointer?>?, _ count: Int, _ parameter: String
) throws(PinviewError) -> [PinviewExpression] {
    var expressions: [PinviewExpression] = []
    for handle in try elements(handles, count, parameter) { expressions.append(try Handles.expression(handle)) }
    return expressions
}

/// The arguments of a format string.
func predicateArguments(
    _ values: UnsafePointer<pinview_value>?, _ count: Int, _ parameter: String
) throws(PinviewError) -> [any PredicateArgument] {
    var arguments: [any PredicateArgument] = []
    for value in try elements(values, count, parameter) { arguments.append(try value.expression(parameter)) }
    return arguments
}

// MARK: Predicates

@c @implementation
public func pinview_predicate_evaluate(
    _ predicate: OpaquePointer?, _ object: OpaquePointer?, _ out: UnsafeMutablePointer<Int32>?,
    _ error: UnsafeMutablePointer<OpaquePointer?>?
) -> pinview_status {
    call(error) {
        let out = try require(out, "out")
        out.pointee = 0
        out.pointee = try Handles.predicate(predicate).evaluate(with: try Handles.object(object)) ? 1 : 0
    }
}

@c @implementation
public func pinview_predicate_create_comparison(
    _ left: OpaquePointer?, _ comparison: Int32, _ right: OpaquePointer?, _ modifier: Int32, _ options: UInt32,
    _ out: UnsafeMutablePointer<OpaquePointer?>?, _ error: UnsafeMutablePointer<OpaquePointer?>?
) -> pinview_status {
    call(error) {
        let out = try requireHandle(out)
        let left = try Handles.expression(left), right = try Handles.expression(right)
        guard let known = operators.first(where: { $0.number == comparison }) else {
            throw PinviewError(.invalidArgument, "\(comparison) is not a comparison operator; expected one of PINVIEW_OPERATOR_….")
        }
        try checkFlags(
            options, "options",
            known: PINVIEW_COMPARE_CASE_INSENSITIVE | PINVIEW_COMPARE_DIACRITIC_INSENSITIVE | PINVIEW_COMPARE_NORMALIZED
                | PINVIEW_COMPARE_LOCALIZED, "PINVIEW_COMPARE_")
        guard modifiers.indices.contains(Int(modifier)) else {
            throw PinviewError(
                .invalidArgument, "\(modifier) is not a modifier; expected one of PINVIEW_MODIFIER_…."
            )
        }
        out.pointee = try Handles.make(
            PinviewPredicate.comparison(
                ComparisonPredicate(
                    left, known.operator, right, modifier: modifiers[Int(modifier)], options: PredicateOptions(rawValue: Int(options)))))
    }
}

@c @implementation
public func pinview_predicate_create_compound(
    _ type: Int32, _ predicates: UnsafePointer<OpaquePointer?>?, _ count: Int, _ out: UnsafeMutablePointer<OpaquePointer?>?,
    _ error: UnsafeMutablePointer<OpaquePointer?>?
) -> pinview_status {
    call(error) {
        let out = try requireHandle(out)
        var parts: [PinviewPredicate] = []
        for handle in try elements(predicates, count, "predicates") { parts.append(try Handles.predicate(handle)) }
        switch type {
        case PINVIEW_COMPOUND_AND: out.pointee = try Handles.make(PinviewPredicate.and(parts))
        case PINVIEW_COMPOUND_OR: out.pointee = try Handles.make(PinviewPredicate.or(parts))
        case PINVIEW_COMPOUND_NOT:
            guard parts.count == 1 else { throw PinviewError(.invalidArgument, "NOT takes one predicate, not \(parts.count).") }
            out.pointee = try Handles.make(PinviewPredicate.not(parts[0]))
        default: throw PinviewError(.invalidArgument, "\(type) is not a type of compound predicate; expected one of PINVIEW_COMPOUND_….")
        }
    }
}

@c @implementation
public func pinview_predicate_create_constant(
    _ value: Int32, _ out: UnsafeMutablePointer<OpaquePointer?>?, _ error: UnsafeMutablePointer<OpaquePointer?>?
) -> pinview_status {
    call(error) { try requireHandle(out).pointee = try Handles.make(PinviewPredicate.constant(value != 0)) }
}

// MARK: Expressions

@c @implementation
public func pinview_expression_create(
    _ format: pinview_string, _ arguments: UnsafePointer<pinview_value>?, _ count: Int, _ out: UnsafeMutablePointer<OpaquePointer?>?,
    _ error: UnsafeMutablePointer<OpaquePointer?>?
) -> pinview_status {
    call(error) {
        let out = try requireHandle(out)
        let format = try format.required("format")
        out.pointee = try Handles.make(
            try PinviewExpression(format: format, arguments: try predicateArguments(arguments, count, "arguments")))
    }
}

@c @implementation
public func pinview_expression_create_constant(
    _ value: UnsafePointer<pinview_value>?, _ out: UnsafeMutablePointer<OpaquePointer?>?, _ error: UnsafeMutablePointer<OpaquePointer?>?
) -> pinview_status {
    call(error) {
        let out = try requireHandle(out)
        guard let value else {
            throw PinviewError(.invalidArgument, "'value' is NULL; pass a value of the type PINVIEW_VALUE_NULL for nil.")
        }
        out.pointee = try Handles.make(try value.pointee.expression("value"))
    }
}

@c @implementation
public func pinview_expression_create_key_path(
    _ key_path: pinview_string, _ out: UnsafeMutablePointer<OpaquePointer?>?, _ error: UnsafeMutablePointer<OpaquePointer?>?
) -> pinview_status {
    call(error) {
        let out = try requireHandle(out)
        let path = try key_path.required("key_path")
        out.pointee = try Handles.make(path.isEmpty ? PinviewExpression.evaluatedObject : PinviewExpression(forKeyPath: path))
    }
}

@c @implementation
public func pinview_expression_create_variable(
    _ name: pinview_string, _ key_path: pinview_string, _ out: UnsafeMutablePointer<OpaquePointer?>?,
    _ error: UnsafeMutablePointer<OpaquePointer?>?
) -> pinview_status {
    call(error) {
        let out = try requireHandle(out)
        let name = try name.required("name")
        out.pointee = try Handles.make(PinviewExpression(forVariable: name, keyPath: try key_path.text("key_path") ?? ""))
    }
}

@c @implementation
public func pinview_expression_create_aggregate(
    _ elements: UnsafePointer<OpaquePointer?>?, _ count: Int, _ out: UnsafeMutablePointer<OpaquePointer?>?,
    _ error: UnsafeMutablePointer<OpaquePointer?>?
) -> pinview_status {
    call(error) {
        let out = try requireHandle(out)
        out.pointee = try Handles.make(PinviewExpression.aggregate(try expressions(elements, count, "elements")))
    }
}

@c @implementation
public func pinview_expression_create_function(
    _ name: pinview_string, _ arguments: UnsafePointer<OpaquePointer?>?, _ count: Int, _ out: UnsafeMutablePointer<OpaquePointer?>?,
    _ error: UnsafeMutablePointer<OpaquePointer?>?
) -> pinview_status {
    call(error) {
        let out = try requireHandle(out)
        let name = try name.required("name")
        out.pointee = try Handles.make(try PinviewExpression(forFunction: name, arguments: try expressions(arguments, count, "arguments")))
    }
}

@c @implementation
public func pinview_expression_create_subquery(
    _ collection: OpaquePointer?, _ variable: pinview_string, _ predicate: OpaquePointer?, _ out: UnsafeMutablePointer<OpaquePointer?>?,
    _ error: UnsafeMutablePointer<OpaquePointer?>?
) -> pinview_status {
    call(error) {
        let out = try requireHandle(out)
        let collection = try Handles.expression(collection), predicate = try Handles.predicate(predicate)
        out.pointee = try Handles.make(
            PinviewExpression.subquery(collection, variable: try variable.required("variable"), predicate: predicate))
    }
}

@c @implementation
public func pinview_expression_create_conditional(
    _ predicate: OpaquePointer?, _ then: OpaquePointer?, _ otherwise: OpaquePointer?, _ out: UnsafeMutablePointer<OpaquePointer?>?,
    _ error: UnsafeMutablePointer<OpaquePointer?>?
) -> pinview_status {
    call(error) {
        let out = try requireHandle(out)
        let then = try Handles.expression(then), otherwise = try Handles.expression(otherwise)
        out.pointee = try Handles.make(PinviewExpression.conditional(try Handles.predicate(predicate), then: then, otherwise: otherwise))
    }
}

@c @implementation
public func pinview_expression_create_cast(
    _ expression: OpaquePointer?, _ type: pinview_string, _ out: UnsafeMutablePointer<OpaquePointer?>?,
    _ error: UnsafeMutablePointer<OpaquePointer?>?
) -> pinview_status {
    call(error) {
        let out = try requireHandle(out)
        let expression = try Handles.expression(expression)
        let name = try type.required("type")
        guard let type = ExpressionType(rawValue: name) else {
            throw PinviewError(.badPredicate, "Cannot CAST to '\(name.prefix(60))'; expected NSNumber, NSString or NSDate.")
        }
        out.pointee = try Handles.make(PinviewExpression.cast(expression, type))
    }
}

@c @implementation
public func pinview_expression_evaluate(
    _ expression: OpaquePointer?, _ object: OpaquePointer?, _ buffer: OpaquePointer?, _ out: UnsafeMutablePointer<pinview_value>?,
    _ error: UnsafeMutablePointer<OpaquePointer?>?
) -> pinview_status {
    call(error) {
        let out = try require(out, "out")
        out.pointee = pinview_value()
        let expression = try Handles.expression(expression), object = try Handles.object(object)
        let arena = try Handles.box(buffer, .buffer, BufferBox.self).arena
        let value = try expression.value(with: object)
        arena.reset()
        out.pointee = try pinview_value(value, arena)
    }
}

@c @implementation
public func pinview_expression_retain(_ expression: OpaquePointer?) -> pinview_status { Handles.retain(expression, .expression) }

@c @implementation
public func pinview_expression_release(_ expression: OpaquePointer?) -> pinview_status { Handles.release(expression, .expression) }

@c @implementation
public func pinview_expression_is_equal(_ left: OpaquePointer?, _ right: OpaquePointer?) -> Int32 {
    Handles.isEqual(left, right, .expression, ExpressionBox.self) { $0.expression == $1.expression }
}

@c @implementation
public func pinview_expression_description(_ expression: OpaquePointer?) -> pinview_string {
    Handles.boxOrNil(expression, .expression, ExpressionBox.self)?.description.view ?? .absent
}
