import CPinview
import Pinview

// The section "Batch updates" of the header.

@c @implementation
public func pinview_context_batch_update(
    _ context: OpaquePointer?, _ request: UnsafePointer<pinview_batch_update>?, _ out: UnsafeMutablePointer<OpaquePointer?>?,
    _ error: UnsafeMutablePointer<OpaquePointer?>?
) -> pinview_status {
    call(error) {
        out?.pointee = nil
        let context = try Handles.context(context)
        let source = try read(request, "request", pinview_batch_update(), minimumSize: 48)
        var update = BatchUpdateRequest(entityName: try source.entity.required("request.entity"))
        if let predicate = source.predicate { update.predicate = try Handles.predicate(predicate) }
        update.propertiesToUpdate = try namedValues(source.properties, source.property_count, "request.properties")
        update.includesSubentities = source.excludes_subentities == 0
        switch source.result_type {
        case PINVIEW_RESULT_NONE: update.resultType = .statusOnly
        case PINVIEW_RESULT_OBJECT_IDS: update.resultType = .updatedObjectIDs
        case PINVIEW_RESULT_COUNT: update.resultType = .updatedObjectsCount
        default:
            throw PinviewError(
                .invalidArgument, "\(source.result_type) is no result type of a batch update; NONE, OBJECT_IDS and COUNT are.")
        }
        let result = try context.execute(update)
        guard let out else { return }
        switch result {
        case .objectIDs(let objectIDs): out.pointee = try Handles.make(.objectIDs(objectIDs))
        case .count(let count): out.pointee = try Handles.make(.count(count))
        case .objects, .success, .dictionaries, .transactions, .changes: out.pointee = try Handles.make(.nothing)
        }
    }
}
