import CPinview
import Pinview

// The section "Predicates" of the header.

@c @implementation
public func pinview_predicate_create(
    _ format: pinview_string, _ arguments: UnsafePointer<pinview_value>?, _ count: Int, _ out: UnsafeMutablePointer<OpaquePointer?>?,
    _ error: UnsafeMutablePointer<OpaquePointer?>?
) -> pinview_status {
    call(error) {
        let out = try requireHandle(out)
        let format = try format.required("format")
        out.pointee = try Handles.make(
            try PinviewPredicate(format: format, arguments: try predicateArguments(arguments, count, "arguments")))
    }
}

@c @implementation
public func pinview_predicate_retain(_ predicate: OpaquePointer?) -> pinview_status { Handles.retain(predicate, .predicate) }

@c @implementation
public func pinview_predicate_release(_ predicate: OpaquePointer?) -> pinview_status { Handles.release(predicate, .predicate) }

@c @implementation
public func pinview_predicate_is_equal(_ left: OpaquePointer?, _ right: OpaquePointer?) -> Int32 {
    Handles.isEqual(left, right, .predicate, PredicateBox.self) { $0.predicate == $1.predicate }
}

/// The values of a predicate's variables.
func substitutionVariables(_ variables: UnsafePointer<pinview_named_value>?, _ count: Int) throws(PinviewError) -> [String:
    PinviewExpression]
{
    var values: [String: PinviewExpression] = [:]
    for variable in try elements(variables, count, "variables") {
        values[try variable.name.required("variables.name")] = try variable.value.expression("variables")
    }
    return values
}

@c @implementation
public func pinview_predicate_substitute(
    _ predicate: OpaquePointer?, _ variables: UnsafePointer<pinview_named_value>?, _ count: Int,
    _ out: UnsafeMutablePointer<OpaquePointer?>?, _ error: UnsafeMutablePointer<OpaquePointer?>?
) -> pinview_status {
    call(error) {
        let out = try requireHandle(out)
        let predicate = try Handles.predicate(predicate)
        out.pointee = try Handles.make(try predicate.withSubstitutionVariables(try substitutionVariables(variables, count)))
    }
}

@c @implementation
public func pinview_predicate_description(_ predicate: OpaquePointer?) -> pinview_string {
    Handles.boxOrNil(predicate, .predicate, PredicateBox.self)?.description.view ?? .absent
}
