import CPinview
import Pinview

// The section "Contexts" of the header: what is set for a context.

@c @implementation
public func pinview_context_set_name(
    _ context: OpaquePointer?, _ name: pinview_string, _ error: UnsafeMutablePointer<OpaquePointer?>?
) -> pinview_status {
    call(error) {
        try Handles.context(context).name = name.text("name")
    }
}

@c @implementation
public func pinview_context_name(_ context: OpaquePointer?) -> pinview_string { contextBox(context)?.nameView() ?? .absent }

@c @implementation
public func pinview_context_set_transaction_author(
    _ context: OpaquePointer?, _ author: pinview_string, _ error: UnsafeMutablePointer<OpaquePointer?>?
) -> pinview_status {
    call(error) {
        try Handles.context(context).transactionAuthor = author.text("author")
    }
}

@c @implementation
public func pinview_context_transaction_author(_ context: OpaquePointer?) -> pinview_string { contextBox(context)?.authorView() ?? .absent }

@c @implementation
public func pinview_context_set_merge_policy(
    _ context: OpaquePointer?, _ policy: Int32, _ error: UnsafeMutablePointer<OpaquePointer?>?
) -> pinview_status {
    call(error) {
        let context = try Handles.context(context)
        guard let policy = MergePolicy(rawValue: Int(policy)) else {
            throw PinviewError(.invalidArgument, "\(policy) is not a merge policy; expected one of PINVIEW_MERGE_POLICY_….")
        }
        context.mergePolicy = policy
    }
}

@c @implementation
public func pinview_context_merge_policy(_ context: OpaquePointer?) -> Int32 {
    contextBox(context).map { Int32($0.context.mergePolicy.rawValue) } ?? -1
}

@c @implementation
public func pinview_context_set_option(
    _ context: OpaquePointer?, _ option: Int32, _ is_on: Int32, _ error: UnsafeMutablePointer<OpaquePointer?>?
) -> pinview_status {
    call(error) {
        let context = try Handles.context(context)
        switch option {
        case PINVIEW_CONTEXT_RETAINS_REGISTERED_OBJECTS: context.retainsRegisteredObjects = is_on != 0
        case PINVIEW_CONTEXT_SHOULD_DELETE_INACCESSIBLE_FAULTS: context.shouldDeleteInaccessibleFaults = is_on != 0
        case PINVIEW_CONTEXT_PROPAGATES_DELETES_AT_END_OF_EVENT: context.propagatesDeletesAtEndOfEvent = is_on != 0
        case PINVIEW_CONTEXT_AUTOMATICALLY_MERGES_CHANGES: try context.setAutomaticallyMergesChangesFromParent(is_on != 0)
        default: throw PinviewError(.invalidArgument, "\(option) is not an option of a context; expected one of PINVIEW_CONTEXT_….")
        }
    }
}

@c @implementation
public func pinview_context_get_option(_ context: OpaquePointer?, _ option: Int32) -> Int32 {
    guard let context = contextBox(context)?.context else { return -1 }
    switch option {
    case PINVIEW_CONTEXT_RETAINS_REGISTERED_OBJECTS: return context.retainsRegisteredObjects ? 1 : 0
    case PINVIEW_CONTEXT_SHOULD_DELETE_INACCESSIBLE_FAULTS: return context.shouldDeleteInaccessibleFaults ? 1 : 0
    case PINVIEW_CONTEXT_PROPAGATES_DELETES_AT_END_OF_EVENT: return context.propagatesDeletesAtEndOfEvent ? 1 : 0
    case PINVIEW_CONTEXT_AUTOMATICALLY_MERGES_CHANGES: return context.automaticallyMergesChangesFromParent ? 1 : 0
    default: return -1
    }
}

@c @implementation
public func pinview_context_set_staleness_interval(
    _ context: OpaquePointer?, _ seconds: Double, _ error: UnsafeMutablePointer<OpaquePointer?>?
) -> pinview_status {
    call(error) {
        let context = try Handles.context(context)
        guard !seconds.isNaN else { throw PinviewError(.invalidArgument, "The staleness interval is not a number.") }
        context.stalenessInterval = seconds
    }
}

@c @implementation
public func pinview_context_staleness_interval(_ context: OpaquePointer?) -> Double { contextBox(context)?.context.stalenessInterval ?? -1 }

@c @implementation
public func pinview_context_set_timeout(
    _ context: OpaquePointer?, _ seconds: Double, _ error: UnsafeMutablePointer<OpaquePointer?>?
) -> pinview_status {
    call(error) { try Handles.context(context).setTimeout(seconds == 0 ? nil : seconds) }
}

@c @implementation
public func pinview_context_timeout(_ context: OpaquePointer?) -> Double { contextBox(context).map { $0.context.timeout ?? 0 } ?? -1 }
