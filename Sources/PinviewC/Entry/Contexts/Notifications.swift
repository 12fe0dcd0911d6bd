import CPinview
import Pinview

// The section "Notifications" of the header.

private func tell(_ callback: pinview_notification_callback, _ notification: PinviewNotification, _ userdata: Userdata) {
    guard let handle = try? Handles.make(notification) else { return }
    callingOut { callback(handle, userdata.pointer) }
    _ = HandleTable.release(handle, .notification)
}

private func notification(_ handle: OpaquePointer?) throws(PinviewError) -> PinviewNotification {
    try Handles.box(handle, .notification, NotificationBox.self).notification
}

private let objectKeys: [String: @Sendable (PinviewNotification) -> Set<ManagedObject>] = [
    PinviewNotification.insertedObjectsKey: { $0.insertedObjects }, PinviewNotification.updatedObjectsKey: { $0.updatedObjects },
    PinviewNotification.deletedObjectsKey: { $0.deletedObjects }, PinviewNotification.refreshedObjectsKey: { $0.refreshedObjects },
    PinviewNotification.invalidatedObjectsKey: { $0.invalidatedObjects },
]

private func unknownKey(_ key: String) -> PinviewError {
    PinviewError(.unknownKey, "Notifications have no key '\(key)'; expected one of PINVIEW_…_OBJECTS_KEY.")
}

@c @implementation
public func pinview_observe(
    _ name: pinview_string, _ context: OpaquePointer?, _ callback: pinview_notification_callback?,
    _ userdata: UnsafeMutableRawPointer?, _ free_userdata: pinview_free_callback?, _ out: UnsafeMutablePointer<OpaquePointer?>?,
    _ error: UnsafeMutablePointer<OpaquePointer?>?
) -> pinview_status {
    call(error) {
        let out = try requireHandle(out)
        let context = context == nil ? nil : try Handles.context(context)
        let name = try name.text("name").map { PinviewNotification.Name(rawValue: $0) }
        if let name, ![.willSave, .didSave, .objectsDidChange].contains(name) {
            throw PinviewError(.invalidArgument, "Unknown notification '\(name.rawValue)'; expected one of PINVIEW_…_NOTIFICATION.")
        }
        let callback = try requireArgument(callback, "callback")
        try ObserverBox.observe(out, userdata, free_userdata) { userdata in
            let observer = PinviewNotificationCenter.default.addObserver(forName: name, object: context) { tell(callback, $0, userdata) }
            return { PinviewNotificationCenter.default.removeObserver(observer) }
        }
    }
}

@c @implementation
public func pinview_observer_remove(_ observer: OpaquePointer?, _ error: UnsafeMutablePointer<OpaquePointer?>?) -> pinview_status {
    call(error) {
        try Handles.box(observer, .observer, ObserverBox.self).remove()
    }
}

@c @implementation
public func pinview_observer_retain(_ observer: OpaquePointer?) -> pinview_status { Handles.retain(observer, .observer) }

@c @implementation
public func pinview_observer_release(_ observer: OpaquePointer?) -> pinview_status { Handles.release(observer, .observer) }

@c @implementation
public func pinview_notification_retain(_ notification: OpaquePointer?) -> pinview_status { Handles.retain(notification, .notification) }

@c @implementation
public func pinview_notification_release(_ notification: OpaquePointer?) -> pinview_status { Handles.release(notification, .notification) }

@c @implementation
public func pinview_notification_name(_ notification: OpaquePointer?) -> pinview_string {
    Handles.boxOrNil(notification, .notification, NotificationBox.self)?.name.view ?? .absent
}

@c @implementation
public func pinview_notification_context(
    _ notification: OpaquePointer?, _ out: UnsafeMutablePointer<OpaquePointer?>?, _ error: UnsafeMutablePointer<OpaquePointer?>?
) -> pinview_status {
    call(error) {
        let out = try requireHandle(out)
        out.pointee = try Handles.make(try PinviewC.notification(notification).object)
    }
}

@c @implementation
public func pinview_notification_objects(
    _ notification: OpaquePointer?, _ key: pinview_string, _ out: UnsafeMutablePointer<OpaquePointer?>?,
    _ error: UnsafeMutablePointer<OpaquePointer?>?
) -> pinview_status {
    call(error) {
        let out = try requireHandle(out)
        let notification = try PinviewC.notification(notification)
        let key = try key.required("key")
        guard let objects = objectKeys[key]?(notification) else { throw unknownKey(key) }
        if !objects.isEmpty { out.pointee = try Handles.make(.objectArray(Array(objects))) }
    }
}

@c @implementation
public func pinview_notification_object_ids(
    _ notification: OpaquePointer?, _ key: pinview_string, _ out: UnsafeMutablePointer<OpaquePointer?>?,
    _ error: UnsafeMutablePointer<OpaquePointer?>?
) -> pinview_status {
    call(error) {
        let out = try requireHandle(out)
        let notification = try PinviewC.notification(notification)
        let key = try key.required("key")
        if key == PinviewNotification.invalidatedAllObjectsKey {
            if let objectIDs = notification.invalidatedAllObjectIDs { out.pointee = try Handles.make(.objectIDs(objectIDs)) }
            return
        }
        guard let objects = objectKeys[key]?(notification) else { throw unknownKey(key) }
        if !objects.isEmpty { out.pointee = try Handles.make(.objectIDs(objects.map(\.objectID))) }
    }
}

@c @implementation
public func pinview_notification_token(
    _ notification: OpaquePointer?, _ out: UnsafeMutablePointer<OpaquePointer?>?, _ error: UnsafeMutablePointer<OpaquePointer?>?
) -> pinview_status {
    call(error) {
        let out = try requireHandle(out)
        if let token = try PinviewC.notification(notification).queryGenerationToken { out.pointee = try Handles.make(token) }
    }
}

@c @implementation
public func pinview_context_merge_changes(
    _ context: OpaquePointer?, _ did_save: OpaquePointer?, _ error: UnsafeMutablePointer<OpaquePointer?>?
) -> pinview_status {
    call(error) {
        try Handles.context(context).mergeChanges(fromContextDidSave: try notification(did_save))
    }
}

private func uris(_ items: UnsafePointer<pinview_string>?, _ count: Int, _ parameter: String) throws(PinviewError) -> [String] {
    var uris: [String] = []
    for item in try elements(items, count, parameter) { uris.append(try item.required(parameter)) }
    return uris
}

@c @implementation
public func pinview_context_merge_uris(
    _ context: OpaquePointer?, _ inserted: UnsafePointer<pinview_string>?, _ inserted_count: Int,
    _ updated: UnsafePointer<pinview_string>?, _ updated_count: Int, _ deleted: UnsafePointer<pinview_string>?, _ deleted_count: Int,
    _ error: UnsafeMutablePointer<OpaquePointer?>?
) -> pinview_status {
    call(error) {
        let context = try Handles.context(context)
        let changes = [
            PinviewNotification.insertedObjectsKey: try uris(inserted, inserted_count, "inserted"),
            PinviewNotification.updatedObjectsKey: try uris(updated, updated_count, "updated"),
            PinviewNotification.deletedObjectsKey: try uris(deleted, deleted_count, "deleted"),
        ]
        try ManagedObjectContext.mergeChanges(fromRemoteContextSaveURIs: changes, into: [context])
    }
}

@c @implementation
public func pinview_context_merge_object_ids(
    _ context: OpaquePointer?, _ inserted: UnsafePointer<OpaquePointer?>?, _ inserted_count: Int,
    _ updated: UnsafePointer<OpaquePointer?>?, _ updated_count: Int, _ deleted: UnsafePointer<OpaquePointer?>?, _ deleted_count: Int,
    _ error: UnsafeMutablePointer<OpaquePointer?>?
) -> pinview_status {
    call(error) {
        let context = try Handles.context(context)
        let changes = [
            PinviewNotification.insertedObjectsKey: try Handles.objectIDs(inserted, inserted_count, "inserted"),
            PinviewNotification.updatedObjectsKey: try Handles.objectIDs(updated, updated_count, "updated"),
            PinviewNotification.deletedObjectsKey: try Handles.objectIDs(deleted, deleted_count, "deleted"),
        ]
        try ManagedObjectContext.mergeChanges(fromRemoteContextSave: changes, into: [context])
    }
}
