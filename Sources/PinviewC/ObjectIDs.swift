import CPinview
import Pinview

// The section "Object IDs" of the header.

private func box(_ objectID: OpaquePointer?) -> ObjectIDBox? {
    if ForkedProcess.isCurrent { return nil }
    return HandleTable.object(objectID, .objectID) as? ObjectIDBox
}

@c @implementation
public func pinview_object_id_retain(_ object_id: OpaquePointer?) -> pinview_status { Handles.retain(object_id, .objectID) }

@c @implementation
public func pinview_object_id_release(_ object_id: OpaquePointer?) -> pinview_status { Handles.release(object_id, .objectID) }

@c @implementation
public func pinview_object_id_is_equal(_ left: OpaquePointer?, _ right: OpaquePointer?) -> Int32 {
    Handles.isEqual(left, right, .objectID, ObjectIDBox.self) { $0.objectID == $1.objectID }
}

@c @implementation
public func pinview_object_id_hash(_ object_id: OpaquePointer?) -> UInt64 {
    box(object_id).map { UInt64(bitPattern: Int64($0.objectID.hashValue)) } ?? 0
}

@c @implementation
public func pinview_object_id_uri(_ object_id: OpaquePointer?) -> pinview_string { box(object_id)?.uri.view ?? .absent }

@c @implementation
public func pinview_object_id_entity_name(_ object_id: OpaquePointer?) -> pinview_string { box(object_id)?.entityName.view ?? .absent }

@c @implementation
public func pinview_object_id_store_identifier(_ object_id: OpaquePointer?) -> pinview_string {
    box(object_id)?.storeIdentifier.view ?? .absent
}

@c @implementation
public func pinview_object_id_is_temporary(_ object_id: OpaquePointer?) -> Int32 { box(object_id)?.objectID.isTemporaryID == true ? 1 : 0 }
