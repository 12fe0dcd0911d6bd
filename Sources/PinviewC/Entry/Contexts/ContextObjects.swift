import CPinview
import Pinview

// The section "Contexts" of the header: inserting, deleting and finding objects.

@c @implementation
public func pinview_context_insert_new_object(
    _ context: OpaquePointer?, _ entity: pinview_string, _ out: UnsafeMutablePointer<OpaquePointer?>?,
    _ error: UnsafeMutablePointer<OpaquePointer?>?
) -> pinview_status {
    call(error) {
        out?.pointee = nil
        let context = try Handles.context(context)
        // A name that the model knows needs no string.
        let start = entity.data.map { UnsafeRawPointer($0).assumingMemoryBound(to: UInt8.self) }
        try checkCount(entity.size, "entity")
        let name = UnsafeBufferPointer(start: start, count: start == nil ? 0 : entity.size)
        let object =
            try context.insertNewObject(forEntityNamed: name) ?? context.insertNewObject(forEntityName: try entity.required("entity"))
        if let out { out.pointee = try Handles.make(object) }
    }
}

@c @implementation
public func pinview_context_insert(
    _ context: OpaquePointer?, _ object: OpaquePointer?, _ error: UnsafeMutablePointer<OpaquePointer?>?
) -> pinview_status {
    call(error) {
        try Handles.context(context).insert(try Handles.object(object))
    }
}

@c @implementation
public func pinview_context_delete(
    _ context: OpaquePointer?, _ object: OpaquePointer?, _ error: UnsafeMutablePointer<OpaquePointer?>?
) -> pinview_status {
    call(error) {
        let context = try Handles.context(context)
        let handle = try Handles.borrow(object, .object)
        defer { handle.end() }
        try handle.thing(ManagedObject.self)._withUnsafeGuaranteedRef { try context.delete($0) }
    }
}

@c @implementation
public func pinview_context_assign(
    _ context: OpaquePointer?, _ object: OpaquePointer?, _ store: OpaquePointer?, _ error: UnsafeMutablePointer<OpaquePointer?>?
) -> pinview_status {
    call(error) {
        try Handles.context(context).assign(try Handles.object(object), to: try Handles.store(store))
    }
}

@c @implementation
public func pinview_context_registered_object(
    _ context: OpaquePointer?, _ object_id: OpaquePointer?, _ out: UnsafeMutablePointer<OpaquePointer?>?,
    _ error: UnsafeMutablePointer<OpaquePointer?>?
) -> pinview_status {
    call(error) {
        let out = try requireHandle(out)
        if let object = try Handles.context(context).registeredObject(for: try Handles.objectID(object_id)) {
            out.pointee = try Handles.make(object)
        }
    }
}

@c @implementation
public func pinview_context_object(
    _ context: OpaquePointer?, _ object_id: OpaquePointer?, _ out: UnsafeMutablePointer<OpaquePointer?>?,
    _ error: UnsafeMutablePointer<OpaquePointer?>?
) -> pinview_status {
    call(error) {
        let out = try requireHandle(out)
        if let object = registeredObjectIfFree(context, object_id) {
            out.pointee = try Handles.make(object)
            return
        }
        let context = try Handles.borrow(context, .context)
        defer { context.end() }
        let id = try Handles.borrow(object_id, .objectID)
        defer { id.end() }
        let object = try context.thing(ContextBox.self)._withUnsafeGuaranteedRef { context in
            try id.thing(ManagedObjectID.self)._withUnsafeGuaranteedRef { try context.context.object(with: $0) }
        }
        out.pointee = try Handles.make(object)
    }
}

/// The registered object of an ID, if the calling thread can look it up without waiting; otherwise
/// nil.
@inline(__always)
private func registeredObjectIfFree(_ context: OpaquePointer?, _ objectID: OpaquePointer?) -> ManagedObject? {
    guard let box = HandleTable.held(context, .context, ContextBox.self), let key = Handles.key(objectID) else { return nil }
    return box._withUnsafeGuaranteedRef { $0.context.registeredObjectIfFree(key) }
}

/// The maximum number of numbers that are copied without waiting.
private let numberLimit = 16

/// Copies numbers of the registered object of an ID, if that needs no waiting.
@inline(__always)
private func copyLoadedNumbers(
    _ context: OpaquePointer?, _ objectID: OpaquePointer?, _ indexes: UnsafeBufferPointer<Int32>, _ out: UnsafeMutablePointer<pinview_value>
) -> Bool {
    guard indexes.count <= numberLimit, let key = Handles.key(objectID) else { return false }
    return withUnsafeTemporaryAllocation(of: PlainNumber.self, capacity: numberLimit) { numbers in
        // Safe: it is not empty.
        let numbers = numbers.baseAddress.unsafelyUnwrapped
        let isGiven: Bool
        if let held = HandleTable.held(context, .context, ContextBox.self) {
            isGiven = held._withUnsafeGuaranteedRef { $0.context.copyLoadedNumbers(of: key, indexes, to: numbers) }
        } else {
            guard !ForkedProcess.isCurrent, let borrowed = HandleTable.Borrowed(context, .context) else { return false }
            isGiven = borrowed.thing(ContextBox.self)._withUnsafeGuaranteedRef {
                $0.context.copyLoadedNumbers(of: key, indexes, to: numbers)
            }
            borrowed.end()
        }
        if isGiven { for position in indexes.indices { out[position] = pinview_value(numbers[position]) } }
        return isGiven
    }
}

@c @implementation
public func pinview_context_values(
    _ context: OpaquePointer?, _ object_id: OpaquePointer?, _ indexes: UnsafePointer<Int32>?, _ count: Int, _ buffer: OpaquePointer?,
    _ out: UnsafeMutablePointer<pinview_value>?, _ error: UnsafeMutablePointer<OpaquePointer?>?
) -> pinview_status {
    // The usual case.
    if let indexes, let out, count > 0, buffer == nil || HandleTable.isGood(buffer, .buffer),
        copyLoadedNumbers(context, object_id, UnsafeBufferPointer(start: indexes, count: count), out)
    {
        error?.pointee = nil
        return PINVIEW_OK
    }
    return call(error) {
        let context = try Handles.context(context)
        let objectID = try Handles.objectID(object_id)
        let indexes = try elements(indexes, count, "indexes")
        let arena = buffer == nil ? Arena() : try Handles.box(buffer, .buffer, BufferBox.self).arena
        let object = try context.object(with: objectID)
        if count > 0, try !object.copyLoadedValues(at: indexes, to: require(out, "out"), arena) {
            try object.giveValues(at: indexes, to: out, arena)
        }
        guard buffer == nil, let out, let position = indexes.indices.first(where: { out[$0].needsMemory }) else { return }
        for index in indexes.indices { out[index] = pinview_value() }
        throw PinviewError(
            .invalidArgument,
            "\(object.entity.name).\(try object.property(at: indexes[position]).name) has a value that needs memory, but 'buffer' is NULL.")
    }
}

@c @implementation
public func pinview_context_existing_object(
    _ context: OpaquePointer?, _ object_id: OpaquePointer?, _ out: UnsafeMutablePointer<OpaquePointer?>?,
    _ error: UnsafeMutablePointer<OpaquePointer?>?
) -> pinview_status {
    call(error) {
        let out = try requireHandle(out)
        out.pointee = try Handles.make(try Handles.context(context).existingObject(with: try Handles.objectID(object_id)))
    }
}

@c @implementation
public func pinview_context_registered_objects(
    _ context: OpaquePointer?, _ out: UnsafeMutablePointer<OpaquePointer?>?, _ error: UnsafeMutablePointer<OpaquePointer?>?
) -> pinview_status {
    call(error) {
        let out = try requireHandle(out)
        out.pointee = try Handles.make(.objectArray(Array(try Handles.context(context).registeredObjects)))
    }
}

@c @implementation
public func pinview_context_inserted_objects(
    _ context: OpaquePointer?, _ out: UnsafeMutablePointer<OpaquePointer?>?, _ error: UnsafeMutablePointer<OpaquePointer?>?
) -> pinview_status {
    call(error) {
        let out = try requireHandle(out)
        out.pointee = try Handles.make(.objectArray(Array(try Handles.context(context).insertedObjects)))
    }
}

@c @implementation
public func pinview_context_updated_objects(
    _ context: OpaquePointer?, _ out: UnsafeMutablePointer<OpaquePointer?>?, _ error: UnsafeMutablePointer<OpaquePointer?>?
) -> pinview_status {
    call(error) {
        let out = try requireHandle(out)
        out.pointee = try Handles.make(.objectArray(Array(try Handles.context(context).updatedObjects)))
    }
}

@c @implementation
public func pinview_context_deleted_objects(
    _ context: OpaquePointer?, _ out: UnsafeMutablePointer<OpaquePointer?>?, _ error: UnsafeMutablePointer<OpaquePointer?>?
) -> pinview_status {
    call(error) {
        let out = try requireHandle(out)
        out.pointee = try Handles.make(.objectArray(Array(try Handles.context(context).deletedObjects)))
    }
}
