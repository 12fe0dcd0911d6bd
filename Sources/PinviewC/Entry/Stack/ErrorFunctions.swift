import CPinview
import Pinview

// The section "Errors" of the header.

/// Works in a forked child too, which learns what is wrong from it: a look-up takes no lock.
private func box(_ handle: OpaquePointer?) -> ErrorBox? { HandleTable.object(handle, .error) as? ErrorBox }

@c @implementation
public func pinview_error_create(
    _ domain: pinview_string, _ code: Int64, _ message: pinview_string, _ userdata: UnsafeMutableRawPointer?,
    _ free_userdata: pinview_free_callback?, _ out: UnsafeMutablePointer<OpaquePointer?>?, _ error: UnsafeMutablePointer<OpaquePointer?>?
) -> pinview_status {
    call(error, insideStatements: true) {
        let out = try requireHandle(out)
        let made = PinviewError(
            domain: try domain.required("domain"), code: Int(code), message: try message.text("message") ?? "")
        let handle = try HandleTable.make(.error, ErrorBox(made, userdata: userdata, freeUserdata: free_userdata))
        // In a callback, this is the error that the callback reports by returning its status.
        if CallbackDepth.isInside, HandleTable.retain(handle, .error) { LastError.set(handle) }
        out.pointee = handle
    }
}

@c @implementation
public func pinview_error_retain(_ error: OpaquePointer?) -> pinview_status { Handles.retain(error, .error) }

@c @implementation
public func pinview_error_release(_ error: OpaquePointer?) -> pinview_status { Handles.release(error, .error) }

@c @implementation
public func pinview_error_last() -> OpaquePointer? { LastError.handle }

@c @implementation
public func pinview_error_status(_ self: OpaquePointer?) -> pinview_status { box(self)?.status ?? PINVIEW_OK }

@c @implementation
public func pinview_error_code(_ self: OpaquePointer?) -> Int64 { Int64(box(self)?.error.code ?? 0) }

@c @implementation
public func pinview_error_domain(_ self: OpaquePointer?) -> pinview_string { box(self)?.domain.view ?? .absent }

@c @implementation
public func pinview_error_message(_ self: OpaquePointer?) -> pinview_string { box(self)?.message.view ?? .absent }

@c @implementation
public func pinview_error_description(_ self: OpaquePointer?) -> pinview_string { box(self)?.description.view ?? .absent }

@c @implementation
public func pinview_error_sqlite_code(_ self: OpaquePointer?) -> Int32 { box(self)?.error.sqliteCode ?? 0 }

@c @implementation
public func pinview_error_userdata(_ self: OpaquePointer?) -> UnsafeMutableRawPointer? { box(self)?.userdata }

@c @implementation
public func pinview_error_validation_key(_ self: OpaquePointer?) -> pinview_string { box(self)?.validationKey.view ?? .absent }

@c @implementation
public func pinview_error_validation_value(
    _ self: OpaquePointer?, _ out: UnsafeMutablePointer<pinview_value>?, _ error: UnsafeMutablePointer<OpaquePointer?>?
) -> pinview_status {
    call(error, insideStatements: true) {
        let out = try require(out, "out")
        out.pointee = pinview_value()
        let box = try Handles.box(self, .error, ErrorBox.self)
        out.pointee = try box.value(box.error.validationValue ?? Value.null)
    }
}

@c @implementation
public func pinview_error_detailed_error_count(_ self: OpaquePointer?) -> UInt64 { UInt64(box(self)?.error.detailedErrors.count ?? 0) }

@c @implementation
public func pinview_error_detailed_error(
    _ self: OpaquePointer?, _ index: UInt64, _ out: UnsafeMutablePointer<OpaquePointer?>?, _ error: UnsafeMutablePointer<OpaquePointer?>?
) -> pinview_status {
    call(error, insideStatements: true) {
        let out = try requireHandle(out)
        let errors = try Handles.box(self, .error, ErrorBox.self).error.detailedErrors
        out.pointee = try Handles.make(try element(errors, index, "detailed errors"))
    }
}

@c @implementation
public func pinview_error_underlying_error(
    _ self: OpaquePointer?, _ out: UnsafeMutablePointer<OpaquePointer?>?, _ error: UnsafeMutablePointer<OpaquePointer?>?
) -> pinview_status {
    call(error, insideStatements: true) {
        let out = try requireHandle(out)
        if let underlying = try Handles.box(self, .error, ErrorBox.self).error.underlyingError {
            out.pointee = try Handles.make(underlying)
        }
    }
}

@c @implementation
public func pinview_error_affected_object_ids(
    _ self: OpaquePointer?, _ out: UnsafeMutablePointer<OpaquePointer?>?, _ error: UnsafeMutablePointer<OpaquePointer?>?
) -> pinview_status {
    call(error, insideStatements: true) {
        let out = try requireHandle(out)
        out.pointee = try Handles.make(.objectIDs(try Handles.box(self, .error, ErrorBox.self).error.affectedObjectIDs))
    }
}

@c @implementation
public func pinview_error_affected_store_count(_ self: OpaquePointer?) -> UInt64 { UInt64(box(self)?.stores.count ?? 0) }

@c @implementation
public func pinview_error_affected_store(
    _ self: OpaquePointer?, _ index: UInt64, _ out: UnsafeMutablePointer<pinview_string>?, _ error: UnsafeMutablePointer<OpaquePointer?>?
) -> pinview_status {
    call(error, insideStatements: true) {
        let out = try require(out, "out")
        out.pointee = .absent
        out.pointee = try element(try Handles.box(self, .error, ErrorBox.self).stores, index, "stores").view
    }
}

@c @implementation
public func pinview_error_conflict_count(_ self: OpaquePointer?) -> UInt64 { UInt64(box(self)?.error.conflicts.count ?? 0) }

@c @implementation
public func pinview_error_conflict(
    _ self: OpaquePointer?, _ index: UInt64, _ out: UnsafeMutablePointer<pinview_conflict>?, _ error: UnsafeMutablePointer<OpaquePointer?>?
) -> pinview_status {
    call(error, insideStatements: true) {
        let box = try Handles.box(self, .error, ErrorBox.self)
        let conflict = try element(box.error.conflicts, index, "conflicts")
        let texts = try element(box.conflicts, index, "conflicts")
        var result = pinview_conflict()
        result.row_exists = conflict.theirs == nil ? 0 : 1
        result.object_id = try box.objectID(conflict.objectID)
        result.old_version = conflict.oldVersion
        result.new_version = conflict.newVersion
        result.property_count = UInt64(texts.names.count)
        result.is_deletion = conflict.isDeletion ? 1 : 0
        result.constraint_number = texts.constraintNumber
        try fill(out, result, \.struct_size, minimumSize: 40)
    }
}

@c @implementation
public func pinview_error_conflict_property(
    _ self: OpaquePointer?, _ conflict_index: UInt64, _ property_index: UInt64, _ out: UnsafeMutablePointer<pinview_conflict_property>?,
    _ error: UnsafeMutablePointer<OpaquePointer?>?
) -> pinview_status {
    call(error, insideStatements: true) {
        let box = try Handles.box(self, .error, ErrorBox.self)
        let conflict = try element(box.error.conflicts, conflict_index, "conflicts")
        let texts = try element(box.conflicts, conflict_index, "conflicts")
        let name = try element(texts.names, property_index, "properties")
        var result = pinview_conflict_property()
        result.name = try element(texts.texts, property_index, "properties").view
        result.base = try box.value(conflict.base[name] ?? Value.null)
        result.mine = try box.value(conflict.mine[name] ?? Value.null)
        result.theirs = try box.value(conflict.theirs?[name] ?? Value.null)
        try fill(out, result, \.struct_size, minimumSize: 96)
    }
}

@c @implementation
public func pinview_buffer_create(
    _ out: UnsafeMutablePointer<OpaquePointer?>?, _ error: UnsafeMutablePointer<OpaquePointer?>?
) -> pinview_status {
    call(error, insideStatements: true) { try requireHandle(out).pointee = HandleTable.make(.buffer, BufferBox()) }
}

@c @implementation
public func pinview_buffer_retain(_ buffer: OpaquePointer?) -> pinview_status { Handles.retain(buffer, .buffer) }

@c @implementation
public func pinview_buffer_release(_ buffer: OpaquePointer?) -> pinview_status { Handles.release(buffer, .buffer) }

// MARK: Uniqueness

/// A constraint conflict with its texts.
private func constraintConflict(_ box: ErrorBox, _ index: UInt64) throws(PinviewError) -> (ConstraintConflict, ConstraintTexts) {
    (try element(box.error.constraintConflicts, index, "constraint conflicts"), try element(box.constraints, index, "constraint conflicts"))
}

@c @implementation
public func pinview_error_constraint_conflict_count(_ self: OpaquePointer?) -> UInt64 {
    UInt64(box(self)?.error.constraintConflicts.count ?? 0)
}

@c @implementation
public func pinview_error_constraint_conflict(
    _ self: OpaquePointer?, _ index: UInt64, _ out: UnsafeMutablePointer<pinview_constraint_conflict>?,
    _ error: UnsafeMutablePointer<OpaquePointer?>?
) -> pinview_status {
    call(error, insideStatements: true) {
        let box = try Handles.box(self, .error, ErrorBox.self)
        let (conflict, texts) = try constraintConflict(box, index)
        var result = pinview_constraint_conflict()
        result.constraint_property_count = UInt32(conflict.constraint.count)
        result.entity_name = texts.entityName.view
        result.database_object_id = try conflict.databaseObjectID.map { (identifier) throws(PinviewError) in try box.objectID(identifier) }
        result.object_count = UInt64(conflict.conflictingSnapshots.count)
        result.snapshot_property_count = UInt64(texts.names.count)
        try fill(out, result, \.struct_size, minimumSize: 48)
    }
}

@c @implementation
public func pinview_error_constraint_conflict_property(
    _ self: OpaquePointer?, _ conflict_index: UInt64, _ property_index: UInt64,
    _ out: UnsafeMutablePointer<pinview_constraint_property>?, _ error: UnsafeMutablePointer<OpaquePointer?>?
) -> pinview_status {
    call(error, insideStatements: true) {
        let box = try Handles.box(self, .error, ErrorBox.self)
        let (conflict, texts) = try constraintConflict(box, conflict_index)
        let name = try element(conflict.constraint, property_index, "properties")
        var result = pinview_constraint_property()
        result.name = try element(texts.constraint, property_index, "properties").view
        result.value = try box.value(conflict.constraintValues[name] ?? Value.null)
        try fill(out, result, \.struct_size, minimumSize: 48)
    }
}

@c @implementation
public func pinview_error_constraint_conflict_object(
    _ self: OpaquePointer?, _ conflict_index: UInt64, _ object_index: UInt64, _ out: UnsafeMutablePointer<OpaquePointer?>?,
    _ error: UnsafeMutablePointer<OpaquePointer?>?
) -> pinview_status {
    call(error, insideStatements: true) {
        let out = try requireHandle(out)
        let box = try Handles.box(self, .error, ErrorBox.self)
        let (conflict, _) = try constraintConflict(box, conflict_index)
        _ = try element(conflict.conflictingSnapshots, object_index, "objects")
        // Rows of a batch insert have no IDs.
        out.pointee =
            conflict.conflictingObjectIDs.isEmpty
            ? nil : try box.objectID(try element(conflict.conflictingObjectIDs, object_index, "objects"))
    }
}

@c @implementation
public func pinview_error_constraint_conflict_value(
    _ self: OpaquePointer?, _ conflict_index: UInt64, _ object_index: UInt64, _ property_index: UInt64,
    _ out: UnsafeMutablePointer<pinview_constraint_property>?, _ error: UnsafeMutablePointer<OpaquePointer?>?
) -> pinview_status {
    call(error, insideStatements: true) {
        let box = try Handles.box(self, .error, ErrorBox.self)
        let (conflict, texts) = try constraintConflict(box, conflict_index)
        let snapshot =
            object_index == UInt64(conflict.conflictingSnapshots.count) && conflict.databaseSnapshot != nil
            ? conflict.databaseSnapshot ?? [:] : try element(conflict.conflictingSnapshots, object_index, "objects")
        let name = try element(texts.names, property_index, "properties")
        var result = pinview_constraint_property()
        result.name = try element(texts.texts, property_index, "properties").view
        result.value = try box.value(snapshot[name] ?? Value.null)
        try fill(out, result, \.struct_size, minimumSize: 48)
    }
}
