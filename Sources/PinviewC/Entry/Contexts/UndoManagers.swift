import CPinview
import Pinview

// The section "Undo managers" of the header.

private func undoManagerBox(_ manager: OpaquePointer?) -> UndoManagerBox? {
    Handles.boxOrNil(manager, .undoManager, UndoManagerBox.self)
}

@c @implementation
public func pinview_undo_manager_create(
    _ out: UnsafeMutablePointer<OpaquePointer?>?, _ error: UnsafeMutablePointer<OpaquePointer?>?
) -> pinview_status {
    call(error) {
        let out = try requireHandle(out)
        out.pointee = try Handles.make(UndoManager())
    }
}

@c @implementation
public func pinview_undo_manager_retain(_ manager: OpaquePointer?) -> pinview_status {
    Handles.retain(manager, .undoManager)
}

@c @implementation
public func pinview_undo_manager_release(_ manager: OpaquePointer?) -> pinview_status {
    Handles.release(manager, .undoManager)
}

@c @implementation
public func pinview_undo_manager_is_equal(_ left: OpaquePointer?, _ right: OpaquePointer?) -> Int32 {
    Handles.isEqual(left, right, .undoManager, UndoManagerBox.self) { $0.manager === $1.manager }
}

@c @implementation
public func pinview_context_undo_manager(
    _ context: OpaquePointer?, _ out: UnsafeMutablePointer<OpaquePointer?>?, _ error: UnsafeMutablePointer<OpaquePointer?>?
) -> pinview_status {
    call(error) {
        let out = try requireHandle(out)
        if let manager = try Handles.context(context).undoManager { out.pointee = try Handles.make(manager) }
    }
}

@c @implementation
public func pinview_context_set_undo_manager(
    _ context: OpaquePointer?, _ manager: OpaquePointer?, _ error: UnsafeMutablePointer<OpaquePointer?>?
) -> pinview_status {
    call(error) {
        let context = try Handles.context(context)
        context.undoManager = manager == nil ? nil : try Handles.undoManager(manager)
    }
}

@c @implementation
public func pinview_undo_manager_undo(
    _ manager: OpaquePointer?, _ error: UnsafeMutablePointer<OpaquePointer?>?
) -> pinview_status {
    call(error) { try Handles.undoManager(manager).undo() }
}

@c @implementation
public func pinview_undo_manager_redo(
    _ manager: OpaquePointer?, _ error: UnsafeMutablePointer<OpaquePointer?>?
) -> pinview_status {
    call(error) { try Handles.undoManager(manager).redo() }
}

@c @implementation
public func pinview_undo_manager_can_undo(_ manager: OpaquePointer?) -> Int32 {
    undoManagerBox(manager)?.manager.canUndo == true ? 1 : 0
}

@c @implementation
public func pinview_undo_manager_can_redo(_ manager: OpaquePointer?) -> Int32 {
    undoManagerBox(manager)?.manager.canRedo == true ? 1 : 0
}

@c @implementation
public func pinview_undo_manager_undo_action_name(_ manager: OpaquePointer?) -> pinview_string {
    undoManagerBox(manager)?.undoNameView() ?? .absent
}

@c @implementation
public func pinview_undo_manager_redo_action_name(_ manager: OpaquePointer?) -> pinview_string {
    undoManagerBox(manager)?.redoNameView() ?? .absent
}

@c @implementation
public func pinview_undo_manager_set_action_name(
    _ manager: OpaquePointer?, _ name: pinview_string, _ error: UnsafeMutablePointer<OpaquePointer?>?
) -> pinview_status {
    call(error) {
        let manager = try Handles.undoManager(manager)
        manager.setActionName(try name.required("name"))
    }
}

@c @implementation
public func pinview_undo_manager_begin_grouping(
    _ manager: OpaquePointer?, _ error: UnsafeMutablePointer<OpaquePointer?>?
) -> pinview_status {
    call(error) { try Handles.undoManager(manager).beginUndoGrouping() }
}

@c @implementation
public func pinview_undo_manager_end_grouping(
    _ manager: OpaquePointer?, _ error: UnsafeMutablePointer<OpaquePointer?>?
) -> pinview_status {
    call(error) { try Handles.undoManager(manager).endUndoGrouping() }
}

@c @implementation
public func pinview_undo_manager_grouping_level(_ manager: OpaquePointer?) -> UInt64 {
    UInt64(undoManagerBox(manager)?.manager.groupingLevel ?? 0)
}

@c @implementation
public func pinview_undo_manager_set_levels(
    _ manager: OpaquePointer?, _ levels: UInt64, _ error: UnsafeMutablePointer<OpaquePointer?>?
) -> pinview_status {
    call(error) { try Handles.undoManager(manager).levelsOfUndo = Int(clamping: levels) }
}

@c @implementation
public func pinview_undo_manager_levels(_ manager: OpaquePointer?) -> UInt64 {
    UInt64(undoManagerBox(manager)?.manager.levelsOfUndo ?? 0)
}

@c @implementation
public func pinview_undo_manager_set_registration_enabled(
    _ manager: OpaquePointer?, _ is_enabled: Int32, _ error: UnsafeMutablePointer<OpaquePointer?>?
) -> pinview_status {
    call(error) {
        let manager = try Handles.undoManager(manager)
        if is_enabled == 0 { manager.disableUndoRegistration() } else { manager.enableUndoRegistration() }
    }
}

@c @implementation
public func pinview_undo_manager_is_registration_enabled(_ manager: OpaquePointer?) -> Int32 {
    undoManagerBox(manager)?.manager.isUndoRegistrationEnabled == true ? 1 : 0
}

@c @implementation
public func pinview_undo_manager_remove_all_actions(
    _ manager: OpaquePointer?, _ error: UnsafeMutablePointer<OpaquePointer?>?
) -> pinview_status {
    call(error) { try Handles.undoManager(manager).removeAllActions() }
}
