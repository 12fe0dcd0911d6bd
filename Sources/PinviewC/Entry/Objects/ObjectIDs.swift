import CPinview
import Pinview

// The section "Object IDs" of the header.

private func objectID(_ handle: OpaquePointer?) -> ManagedObjectID? {
    Handles.boxOrNil(handle, .objectID, ManagedObjectID.self)
}

/// A text of an ID, made on first use and kept with the handle.
private func text(_ handle: OpaquePointer?, _ number: Int, _ make: (ManagedObjectID) -> String?) -> pinview_string {
    guard !ForkedProcess.isCurrent, let borrowed = HandleTable.Borrowed(handle, .objectID) else { return .absent }
    defer { borrowed.end() }
    return borrowed.withTexts { texts in
        if let known = texts.text(of: number) { return known }
        guard let text = make(borrowed.thing(ManagedObjectID.self).takeUnretainedValue()) else { return .absent }
        return texts.keep(text, of: number)
    }
}

@c @implementation
public func pinview_object_id_retain(_ object_id: OpaquePointer?) -> pinview_status { Handles.retain(object_id, .objectID) }

@c @implementation
public func pinview_object_id_release(_ object_id: OpaquePointer?) -> pinview_status { Handles.release(object_id, .objectID) }

@c @implementation
public func pinview_object_id_is_equal(_ left: OpaquePointer?, _ right: OpaquePointer?) -> Int32 {
    Handles.isEqual(left, right, .objectID, ManagedObjectID.self) { $0 == $1 }
}

@c @implementation
public func pinview_object_id_hash(_ object_id: OpaquePointer?) -> UInt64 {
    objectID(object_id).map { UInt64(bitPattern: Int64($0.hashValue)) } ?? 0
}

@c @implementation
public func pinview_object_id_uri(_ object_id: OpaquePointer?) -> pinview_string {
    text(object_id, 0) { $0.uriRepresentation }
}

@c @implementation
public func pinview_object_id_entity_name(_ object_id: OpaquePointer?) -> pinview_string {
    text(object_id, 1) { $0.entity.name }
}

@c @implementation
public func pinview_object_id_store_identifier(_ object_id: OpaquePointer?) -> pinview_string {
    text(object_id, 2) { $0.storeIdentifier }
}

@c @implementation
public func pinview_object_id_is_temporary(_ object_id: OpaquePointer?) -> Int32 { objectID(object_id)?.isTemporaryID == true ? 1 : 0 }
