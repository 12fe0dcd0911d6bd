import CPinview
import Pinview

// Observers of generations and of remote changes, and waiting for newer generations: parts of the
// sections "Coordinator and stores" and "Contexts" of the header.

@c @implementation
public func pinview_coordinator_set_holds_writers_while_pinning(
    _ coordinator: OpaquePointer?, _ holds: Int32, _ error: UnsafeMutablePointer<OpaquePointer?>?
) -> pinview_status {
    call(error) {
        try Handles.coordinator(coordinator).holdsWritersWhilePinning = holds != 0
    }
}

@c @implementation
public func pinview_coordinator_holds_writers_while_pinning(_ coordinator: OpaquePointer?) -> Int32 {
    Handles.boxOrNil(coordinator, .coordinator, PersistentStoreCoordinator.self)?.holdsWritersWhilePinning == true ? 1 : 0
}

@c @implementation
public func pinview_coordinator_add_generation_observer(
    _ coordinator: OpaquePointer?, _ callback: pinview_generation_callback?, _ userdata: UnsafeMutableRawPointer?,
    _ free_userdata: pinview_free_callback?, _ out: UnsafeMutablePointer<OpaquePointer?>?,
    _ error: UnsafeMutablePointer<OpaquePointer?>?
) -> pinview_status {
    call(error) {
        let out = try requireHandle(out)
        let coordinator = try Handles.coordinator(coordinator)
        let callback = try requireArgument(callback, "callback")
        try ObserverBox.observe(out, userdata, free_userdata) { userdata in
            let observer = coordinator.addGenerationObserver { callingOut { callback(userdata.pointer) } }
            // The observer does not keep its coordinator alive.
            return { [weak coordinator] in coordinator?.removeGenerationObserver(observer) }
        }
    }
}

@c @implementation
public func pinview_coordinator_remove_generation_observer(
    _ coordinator: OpaquePointer?, _ observer: OpaquePointer?, _ error: UnsafeMutablePointer<OpaquePointer?>?
) -> pinview_status {
    call(error) {
        _ = try Handles.coordinator(coordinator)
        try Handles.box(observer, .observer, ObserverBox.self).remove()
    }
}

@c @implementation
public func pinview_context_query_generation_state(_ context: OpaquePointer?) -> Int32 {
    contextBox(context).map { Int32($0.context.queryGenerationState.rawValue) } ?? -1
}

@c @implementation
public func pinview_context_has_newer_generation(_ context: OpaquePointer?) -> Int32 {
    contextBox(context)?.context.hasNewerGeneration == true ? 1 : 0
}

@c @implementation
public func pinview_context_wait_for_newer_generation(
    _ context: OpaquePointer?, _ timeout_seconds: Double, _ out: UnsafeMutablePointer<Int32>?,
    _ error: UnsafeMutablePointer<OpaquePointer?>?
) -> pinview_status {
    call(error) {
        let out = try require(out, "out")
        out.pointee = 0
        let timeout: Double? = timeout_seconds < 0 ? nil : timeout_seconds
        out.pointee = try Handles.context(context).waitForNewerGeneration(timeout: timeout) ? 1 : 0
    }
}

private func tell(_ callback: pinview_remote_change_callback, _ change: PersistentStoreRemoteChange, _ userdata: Userdata) {
    let identifier = TextStorage(change.store.identifier), path = TextStorage(change.store.path)
    // If no handle can be made, the callback is told without a token.
    let token = change.historyToken.flatMap { try? HandleTable.make(.historyToken, HistoryTokenBox($0)) }
    var told = pinview_remote_change(
        struct_size: UInt32(MemoryLayout<pinview_remote_change>.size), reserved: 0, store_identifier: identifier.view,
        store_path: path.view, history_token: token)
    callingOut { callback(&told, userdata.pointer) }
    _ = HandleTable.release(token, .historyToken)
    withExtendedLifetime((identifier, path)) {}
}

@c @implementation
public func pinview_coordinator_add_remote_change_observer(
    _ coordinator: OpaquePointer?, _ callback: pinview_remote_change_callback?, _ userdata: UnsafeMutableRawPointer?,
    _ free_userdata: pinview_free_callback?, _ out: UnsafeMutablePointer<OpaquePointer?>?,
    _ error: UnsafeMutablePointer<OpaquePointer?>?
) -> pinview_status {
    call(error) {
        let out = try requireHandle(out)
        let coordinator = try Handles.coordinator(coordinator)
        let callback = try requireArgument(callback, "callback")
        try ObserverBox.observe(out, userdata, free_userdata) { userdata in
            let observer = coordinator.addRemoteChangeObserver { tell(callback, $0, userdata) }
            return { [weak coordinator] in coordinator?.removeRemoteChangeObserver(observer) }
        }
    }
}
