import CPinview
import Pinview

// The section "Migrations" of the header.

@c @implementation
public func pinview_model_difference(
    _ model: OpaquePointer?, _ older: OpaquePointer?, _ confirmed_removals: pinview_string,
    _ out: UnsafeMutablePointer<pinview_string>?, _ error: UnsafeMutablePointer<OpaquePointer?>?
) -> pinview_status {
    call(error) {
        let out = try require(out, "out")
        out.pointee = .absent
        let box = try Handles.box(model, .model, ModelBox.self)
        let names = try confirmed_removals.text("confirmed_removals") ?? ""
        let difference = ModelDifference(
            from: try Handles.model(older), to: box.model,
            confirmedRemovals: Set(names.split { $0 == "," || $0 == " " }.map(String.init)))
        out.pointee = box.keep(difference.jsonRepresentation())
    }
}

@c @implementation
public func pinview_model_migration_plan(
    _ model: OpaquePointer?, _ path: pinview_string, _ configuration: pinview_string,
    _ options: UnsafePointer<pinview_named_value>?, _ option_count: Int, _ rehearse: Int32,
    _ out: UnsafeMutablePointer<pinview_string>?, _ error: UnsafeMutablePointer<OpaquePointer?>?
) -> pinview_status {
    call(error) {
        let out = try require(out, "out")
        let box = try Handles.box(model, .model, ModelBox.self)
        let path = try path.required("path"), configuration = try configuration.text("configuration")
        let options = try namedValues(options, option_count, "options")
        out.pointee = .absent
        let plan = try PersistentStoreCoordinator.migrationPlan(
            forStoreAt: path, to: box.model, configuration: configuration, options: options, rehearsing: rehearse != 0)
        if let plan { out.pointee = box.keep(plan.jsonRepresentation()) }
    }
}
