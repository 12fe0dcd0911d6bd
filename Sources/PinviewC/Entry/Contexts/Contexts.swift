import CPinview
import Pinview

// The section "Contexts" of the header.

private func objects(_ handles: UnsafePointer<OpaquePointer?>?, _ count: Int, _ parameter: String) throws(PinviewError) -> [ManagedObject] {
    var objects: [ManagedObject] = []
    for handle in try elements(handles, count, parameter) { objects.append(try Handles.object(handle)) }
    return objects
}

@c @implementation
public func pinview_context_create(
    _ concurrency_type: Int32, _ out: UnsafeMutablePointer<OpaquePointer?>?, _ error: UnsafeMutablePointer<OpaquePointer?>?
) -> pinview_status {
    call(error) {
        let out = try requireHandle(out)
        guard let type = ManagedObjectContextConcurrencyType(rawValue: Int(concurrency_type)) else {
            throw PinviewError(.invalidArgument, "\(concurrency_type) is not a concurrency type; expected one of PINVIEW_CONCURRENCY_….")
        }
        out.pointee = try Handles.make(ManagedObjectContext(concurrencyType: type))
    }
}

@c @implementation
public func pinview_context_retain(_ context: OpaquePointer?) -> pinview_status { Handles.retain(context, .context) }

@c @implementation
public func pinview_context_release(_ context: OpaquePointer?) -> pinview_status { Handles.release(context, .context) }

@c @implementation
public func pinview_context_is_equal(_ left: OpaquePointer?, _ right: OpaquePointer?) -> Int32 {
    Handles.isEqual(left, right, .context, ContextBox.self) { $0.context === $1.context }
}

@c @implementation
public func pinview_context_hash(_ context: OpaquePointer?) -> UInt64 {
    guard let box = HandleTable.object(context, .context) as? ContextBox else { return 0 }
    return UInt64(UInt(bitPattern: ObjectIdentifier(box.context)))
}

@c @implementation
public func pinview_context_set_coordinator(
    _ context: OpaquePointer?, _ coordinator: OpaquePointer?, _ error: UnsafeMutablePointer<OpaquePointer?>?
) -> pinview_status {
    call(error) {
        let context = try Handles.context(context)
        try context.setPersistentStoreCoordinator(coordinator == nil ? nil : try Handles.coordinator(coordinator))
    }
}

@c @implementation
public func pinview_context_coordinator(
    _ context: OpaquePointer?, _ out: UnsafeMutablePointer<OpaquePointer?>?, _ error: UnsafeMutablePointer<OpaquePointer?>?
) -> pinview_status {
    call(error) {
        let out = try requireHandle(out)
        if let coordinator = try Handles.context(context).persistentStoreCoordinator { out.pointee = try Handles.make(coordinator) }
    }
}

@c @implementation
public func pinview_context_set_parent(
    _ context: OpaquePointer?, _ parent: OpaquePointer?, _ error: UnsafeMutablePointer<OpaquePointer?>?
) -> pinview_status {
    call(error) {
        let context = try Handles.context(context)
        try context.setParent(parent == nil ? nil : try Handles.context(parent))
    }
}

@c @implementation
public func pinview_context_parent(
    _ context: OpaquePointer?, _ out: UnsafeMutablePointer<OpaquePointer?>?, _ error: UnsafeMutablePointer<OpaquePointer?>?
) -> pinview_status {
    call(error) {
        let out = try requireHandle(out)
        if let parent = try Handles.context(context).parent { out.pointee = try Handles.make(parent) }
    }
}

@c @implementation
public func pinview_context_concurrency_type(_ context: OpaquePointer?) -> Int32 {
    contextBox(context).map { Int32($0.context.concurrencyType.rawValue) } ?? -1
}

@c @implementation
public func pinview_context_set_query_generation(
    _ context: OpaquePointer?, _ token: OpaquePointer?, _ error: UnsafeMutablePointer<OpaquePointer?>?
) -> pinview_status {
    call(error) {
        let context = try Handles.context(context)
        try context.setQueryGeneration(from: token == nil ? nil : try Handles.token(token))
    }
}

@c @implementation
public func pinview_context_query_generation(
    _ context: OpaquePointer?, _ out: UnsafeMutablePointer<OpaquePointer?>?, _ error: UnsafeMutablePointer<OpaquePointer?>?
) -> pinview_status {
    call(error) {
        let out = try requireHandle(out)
        guard let token = try Handles.context(context).queryGenerationToken else { return }
        out.pointee = token.isCurrent ? pinview_token_current() : try Handles.make(token)
    }
}

@c @implementation
public func pinview_context_has_changes(
    _ context: OpaquePointer?, _ out: UnsafeMutablePointer<Int32>?, _ error: UnsafeMutablePointer<OpaquePointer?>?
) -> pinview_status {
    call(error) {
        let out = try require(out, "out")
        out.pointee = 0
        out.pointee = try Handles.context(context).hasChanges ? 1 : 0
    }
}

@c @implementation
public func pinview_context_refresh(
    _ context: OpaquePointer?, _ object: OpaquePointer?, _ merge_changes: Int32, _ error: UnsafeMutablePointer<OpaquePointer?>?
) -> pinview_status {
    call(error) {
        try Handles.context(context).refresh(try Handles.object(object), mergeChanges: merge_changes != 0)
    }
}

@c @implementation
public func pinview_context_refresh_all_objects(
    _ context: OpaquePointer?, _ error: UnsafeMutablePointer<OpaquePointer?>?
) -> pinview_status {
    call(error) {
        try Handles.context(context).refreshAllObjects()
    }
}

@c @implementation
public func pinview_context_obtain_permanent_ids(
    _ context: OpaquePointer?, _ objects: UnsafePointer<OpaquePointer?>?, _ count: Int, _ error: UnsafeMutablePointer<OpaquePointer?>?
) -> pinview_status {
    call(error) {
        try Handles.context(context).obtainPermanentIDs(for: try PinviewC.objects(objects, count, "objects"))
    }
}

@c @implementation
public func pinview_context_detect_conflicts(
    _ context: OpaquePointer?, _ object: OpaquePointer?, _ error: UnsafeMutablePointer<OpaquePointer?>?
) -> pinview_status {
    call(error) {
        try Handles.context(context).detectConflicts(for: try Handles.object(object))
    }
}

@c @implementation
public func pinview_context_process_pending_changes(
    _ context: OpaquePointer?, _ error: UnsafeMutablePointer<OpaquePointer?>?
) -> pinview_status {
    call(error) {
        try Handles.context(context).processPendingChanges()
    }
}

@c @implementation
public func pinview_context_save(_ context: OpaquePointer?, _ error: UnsafeMutablePointer<OpaquePointer?>?) -> pinview_status {
    call(error) {
        try Handles.context(context).save()
    }
}

@c @implementation
public func pinview_context_rollback(_ context: OpaquePointer?, _ error: UnsafeMutablePointer<OpaquePointer?>?) -> pinview_status {
    call(error) {
        try Handles.context(context).rollback()
    }
}

@c @implementation
public func pinview_context_reset(_ context: OpaquePointer?, _ error: UnsafeMutablePointer<OpaquePointer?>?) -> pinview_status {
    call(error) {
        try Handles.context(context).reset()
    }
}

@c @implementation
public func pinview_context_undo(_ context: OpaquePointer?, _ error: UnsafeMutablePointer<OpaquePointer?>?) -> pinview_status {
    call(error) {
        try Handles.context(context).undo()
    }
}

@c @implementation
public func pinview_context_redo(_ context: OpaquePointer?, _ error: UnsafeMutablePointer<OpaquePointer?>?) -> pinview_status {
    call(error) {
        try Handles.context(context).redo()
    }
}

@c @implementation
public func pinview_context_set_undo_enabled(
    _ context: OpaquePointer?, _ is_enabled: Int32, _ error: UnsafeMutablePointer<OpaquePointer?>?
) -> pinview_status {
    call(error) {
        let context = try Handles.context(context)
        if (context.undoManager != nil) != (is_enabled != 0) { context.undoManager = is_enabled != 0 ? UndoManager() : nil }
    }
}

@c @implementation
public func pinview_context_remove_all_undo_actions(
    _ context: OpaquePointer?, _ error: UnsafeMutablePointer<OpaquePointer?>?
) -> pinview_status {
    call(error) {
        try Handles.context(context).undoManager?.removeAllActions()
    }
}

@c @implementation
public func pinview_context_begin_undo_grouping(
    _ context: OpaquePointer?, _ error: UnsafeMutablePointer<OpaquePointer?>?
) -> pinview_status {
    call(error) {
        try Handles.context(context).undoManager?.beginUndoGrouping()
    }
}

@c @implementation
public func pinview_context_end_undo_grouping(
    _ context: OpaquePointer?, _ error: UnsafeMutablePointer<OpaquePointer?>?
) -> pinview_status {
    call(error) {
        try Handles.context(context).undoManager?.endUndoGrouping()
    }
}

@c @implementation
public func pinview_context_set_undo_levels(
    _ context: OpaquePointer?, _ levels: UInt64, _ error: UnsafeMutablePointer<OpaquePointer?>?
) -> pinview_status {
    call(error) {
        try Handles.context(context).undoManager?.levelsOfUndo = Int(clamping: levels)
    }
}

@c @implementation
public func pinview_context_get_weak(
    _ context: OpaquePointer?, _ out: UnsafeMutablePointer<OpaquePointer?>?, _ error: UnsafeMutablePointer<OpaquePointer?>?
) -> pinview_status {
    call(error) {
        let out = try requireHandle(out)
        out.pointee = try HandleTable.make(.weakContext, WeakContextBox(try Handles.context(context)))
    }
}

@c @implementation
public func pinview_weak_context_retain(_ weak: OpaquePointer?) -> pinview_status { Handles.retain(weak, .weakContext) }

@c @implementation
public func pinview_weak_context_release(_ weak: OpaquePointer?) -> pinview_status { Handles.release(weak, .weakContext) }

@c @implementation
public func pinview_weak_context_get(
    _ weak: OpaquePointer?, _ out: UnsafeMutablePointer<OpaquePointer?>?, _ error: UnsafeMutablePointer<OpaquePointer?>?
) -> pinview_status {
    call(error) {
        let out = try requireHandle(out)
        if let context = try Handles.box(weak, .weakContext, WeakContextBox.self).context { out.pointee = try Handles.make(context) }
    }
}
