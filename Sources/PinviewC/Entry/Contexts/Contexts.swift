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

/// A block of the program's with its userdata, on its way to a queue.
final class Block: @unchecked Sendable {  // immutable; the program says that its block may run on the queue's thread
    let callback: pinview_block_callback
    let userdata: UnsafeMutableRawPointer?
    let freeUserdata: pinview_free_callback?

    init(_ callback: @escaping pinview_block_callback, _ userdata: UnsafeMutableRawPointer?, _ freeUserdata: pinview_free_callback?) {
        self.callback = callback
        self.userdata = userdata
        self.freeUserdata = freeUserdata
    }

    func run(_ context: ManagedObjectContext) {
        let box = ContextBox(context)
        if let handle = try? Handles.make(box) {
            _ = HandleTable.holding(handle, .context, box) { callingOut { callback(handle, userdata) } }
            _ = HandleTable.release(handle, .context)
        }
        if let freeUserdata { callingOut { freeUserdata(userdata) } }
    }
}

@c @implementation
public func pinview_context_perform(
    _ context: OpaquePointer?, _ block: pinview_block_callback?, _ userdata: UnsafeMutableRawPointer?,
    _ free_userdata: pinview_free_callback?, _ error: UnsafeMutablePointer<OpaquePointer?>?
) -> pinview_status {
    call(error) {
        let context = try Handles.context(context)
        let block = try requireArgument(block, "block")
        let work = Block(block, userdata, free_userdata)
        try context.perform { work.run(context) }
    }
}

@c @implementation
public func pinview_context_perform_and_wait(
    _ context: OpaquePointer?, _ block: pinview_block_callback?, _ userdata: UnsafeMutableRawPointer?,
    _ error: UnsafeMutablePointer<OpaquePointer?>?
) -> pinview_status {
    call(error) {
        let box = try Handles.box(context, .context, ContextBox.self)
        let block = try requireArgument(block, "block")
        var failure: (any Error)?
        try box.context.performAndWait {
            HandleTable.holding(context, .context, box) {
                // The error is made on the thread that ran the block, where it is the last error.
                do { try runCallback { block(context, userdata) } } catch { failure = error }
            }
        }
        if let failure { throw failure }
    }
}

@c @implementation
public func pinview_main_queue_drain(
    _ count: UnsafeMutablePointer<UInt64>?, _ error: UnsafeMutablePointer<OpaquePointer?>?
) -> pinview_status {
    call(error) {
        count?.pointee = 0
        let number = try MainQueue.drain()
        count?.pointee = UInt64(number)
    }
}

@c @implementation
public func pinview_main_queue_file_descriptor() -> Int32 { MainQueue.fileDescriptor }

@c @implementation
public func pinview_set_concurrency_debug(_ is_on: Int32) { ConcurrencyDebug.isEnabled = is_on != 0 }

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
