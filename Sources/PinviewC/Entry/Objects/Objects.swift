import CPinview
import Pinview

// The section "Objects" of the header.

private func objectIfValid(_ object: OpaquePointer?) -> ManagedObject? {
    Handles.boxOrNil(object, .object, ManagedObject.self)
}

extension ManagedObject {
    /// The value of an attribute, or the ID of a to-one relationship's destination.
    func plainValue(of property: Property) throws(PinviewError) -> Value {
        if property.isAttribute { return try attributeValue(at: property.index) }
        guard !property.isToMany else {
            throw PinviewError(.wrongType, "\(entity.name).\(property.name) is a to-many relationship; use pinview_object_related_objects.")
        }
        guard let destination = try relatedObject(forKey: property.name) else { return Value.null }
        return .objectID(destination.objectID)
    }

    func property(at index: Int32) throws(PinviewError) -> Property {
        guard index >= 0, Int(index) < entity.properties.count else {
            throw PinviewError(.unknownKey, "The entity \(entity.name) has no property with the index \(index).")
        }
        return entity.properties[Int(index)]
    }

    func requiredProperty(_ key: pinview_string) throws(PinviewError) -> Property {
        try property(forKey: try key.required("key"))
    }

    func set(_ value: UnsafePointer<pinview_value>?, _ property: Property) throws(PinviewError) {
        guard let value = value?.pointee else {
            throw PinviewError(.invalidArgument, "'value' is NULL; pass a value of the type PINVIEW_VALUE_NULL for nil.")
        }
        if property.isAttribute { return try setAttributeValue(try value.value(property.name), at: property.index) }
        guard !property.isToMany else {
            throw PinviewError(
                .wrongType, "\(entity.name).\(property.name) is a to-many relationship; use pinview_object_set_related_objects.")
        }
        switch value.type {
        case PINVIEW_VALUE_NULL: try setRelatedObject(nil, forKey: property.name)
        case PINVIEW_VALUE_OBJECT: try setRelatedObject(try Handles.object(value.as.object), forKey: property.name)
        default:
            throw PinviewError(.wrongType, "\(entity.name).\(property.name) is a relationship; it takes an object or null.")
        }
    }
}

@c @implementation
public func pinview_object_retain(_ object: OpaquePointer?) -> pinview_status { Handles.retain(object, .object) }

@c @implementation
public func pinview_object_release(_ object: OpaquePointer?) -> pinview_status { Handles.release(object, .object) }

@c @implementation
public func pinview_objects_release(_ objects: UnsafePointer<OpaquePointer?>?, _ count: Int) {
    guard let objects, isPossible(count) else { return }
    Handles.release(UnsafeBufferPointer(start: objects, count: count), .object)
}

@c @implementation
public func pinview_object_is_equal(_ left: OpaquePointer?, _ right: OpaquePointer?) -> Int32 {
    Handles.isEqual(left, right, .object, ManagedObject.self) { $0 === $1 }
}

@c @implementation
public func pinview_object_identity(_ object: OpaquePointer?) -> UInt64 {
    guard let object = objectIfValid(object) else { return 0 }
    return UInt64(UInt(bitPattern: ObjectIdentifier(object)))
}

@c @implementation
public func pinview_object_get_id(
    _ object: OpaquePointer?, _ out: UnsafeMutablePointer<OpaquePointer?>?, _ error: UnsafeMutablePointer<OpaquePointer?>?
) -> pinview_status {
    call(error) {
        let out = try requireHandle(out)
        out.pointee = try Handles.make(try Handles.object(object).objectID)
    }
}

@c @implementation
public func pinview_object_entity(
    _ object: OpaquePointer?, _ out: UnsafeMutablePointer<OpaquePointer?>?, _ error: UnsafeMutablePointer<OpaquePointer?>?
) -> pinview_status {
    call(error) {
        let out = try requireHandle(out)
        let object = try Handles.object(object)
        guard let model = object.managedObjectModel else {
            throw PinviewError(.contextGone, "The context of this object has ended, so its model is no longer available.")
        }
        out.pointee = try Handles.make(object.entity, model)
    }
}

@c @implementation
public func pinview_object_context(
    _ object: OpaquePointer?, _ out: UnsafeMutablePointer<OpaquePointer?>?, _ error: UnsafeMutablePointer<OpaquePointer?>?
) -> pinview_status {
    call(error) {
        let out = try requireHandle(out)
        if let context = try Handles.object(object).managedObjectContext { out.pointee = try Handles.make(context) }
    }
}

@c @implementation
public func pinview_object_state(
    _ object: OpaquePointer?, _ out: UnsafeMutablePointer<UInt32>?, _ error: UnsafeMutablePointer<OpaquePointer?>?
) -> pinview_status {
    call(error) {
        let out = try require(out, "out")
        out.pointee = 0
        let object = try Handles.object(object)
        var flags: UInt32 = 0
        if object.isFault { flags |= PINVIEW_OBJECT_FAULT }
        if object.isInserted { flags |= PINVIEW_OBJECT_INSERTED }
        if object.isUpdated { flags |= PINVIEW_OBJECT_UPDATED }
        if object.isDeleted { flags |= PINVIEW_OBJECT_DELETED }
        if object.hasPersistentChangedValues { flags |= PINVIEW_OBJECT_HAS_PERSISTENT_CHANGES }
        out.pointee = flags
    }
}

/// Stores a value of an object in the caller's struct, for a call that has borrowed the object's
/// handle.
private func give(
    _ value: Value, of property: Int, _ handle: HandleTable.Borrowed, to out: UnsafeMutablePointer<pinview_value>
) throws(PinviewError) {
    if let plain = pinview_value(plain: value) {
        out.pointee = plain
    } else {
        out.pointee = try handle.withTexts { (texts) throws(PinviewError) in try texts.value(value, of: property) }
    }
}

@c @implementation
public func pinview_object_value(
    _ object: OpaquePointer?, _ key: pinview_string, _ out: UnsafeMutablePointer<pinview_value>?,
    _ error: UnsafeMutablePointer<OpaquePointer?>?
) -> pinview_status {
    call(error) {
        let out = try require(out, "out")
        out.pointee = pinview_value()
        let handle = try Handles.borrow(object, .object)
        defer { handle.end() }
        try handle.thing(ManagedObject.self)._withUnsafeGuaranteedRef { object in
            let property = try object.requiredProperty(key)
            try give(try object.plainValue(of: property), of: property.index, handle, to: out)
        }
    }
}

@c @implementation
public func pinview_object_value_at(
    _ object: OpaquePointer?, _ index: Int32, _ out: UnsafeMutablePointer<pinview_value>?,
    _ error: UnsafeMutablePointer<OpaquePointer?>?
) -> pinview_status {
    call(error) {
        let out = try require(out, "out")
        out.pointee = pinview_value()
        let handle = try Handles.borrow(object, .object)
        defer { handle.end() }
        try handle.thing(ManagedObject.self)._withUnsafeGuaranteedRef { object in
            let value: Value
            if let known = object.loadedValue(at: Int(index)) {
                value = known
            } else {
                value = try object.plainValue(of: try object.property(at: index))
            }
            try give(value, of: Int(index), handle, to: out)
        }
    }
}

@c @implementation
public func pinview_object_values(
    _ object: OpaquePointer?, _ indexes: UnsafePointer<Int32>?, _ count: Int, _ buffer: OpaquePointer?,
    _ out: UnsafeMutablePointer<pinview_value>?, _ error: UnsafeMutablePointer<OpaquePointer?>?
) -> pinview_status {
    call(error) {
        let handle = try Handles.borrow(object, .object)
        defer { handle.end() }
        let indexes = try elements(indexes, count, "indexes")
        let arena = try Handles.box(buffer, .buffer, BufferBox.self).arena
        try handle.thing(ManagedObject.self).takeUnretainedValue().giveValues(at: indexes, to: out, arena)
    }
}

@c @implementation
public func pinview_objects_values(
    _ objects: UnsafePointer<OpaquePointer?>?, _ count: Int, _ indexes: UnsafePointer<Int32>?, _ index_count: Int,
    _ buffer: OpaquePointer?, _ out: UnsafeMutablePointer<pinview_value>?, _ error: UnsafeMutablePointer<OpaquePointer?>?
) -> pinview_status {
    call(error) {
        let handles = try elements(objects, count, "objects")
        let indexes = try elements(indexes, index_count, "indexes")
        let arena = try Handles.box(buffer, .buffer, BufferBox.self).arena
        guard count > 0, index_count > 0 else { return }
        let out = try require(out, "out")
        let borrowed = try Handles.borrowObjects(handles)
        defer { borrowed.end() }
        var objects = borrowed.things.makeIterator()
        try ManagedObject.realiseTogether(borrowed.things)
        arena.reset()
        var copier = ValueCopier(indexes, arena)
        var target = out
        for handle in handles {
            if handle != nil {
                try objects.next()?._withUnsafeGuaranteedRef { try copier.copy($0, to: target) }
            } else {
                target.update(repeating: pinview_value(), count: index_count)
            }
            target += index_count
        }
    }
}

@c @implementation
public func pinview_object_set_value(
    _ object: OpaquePointer?, _ key: pinview_string, _ value: UnsafePointer<pinview_value>?,
    _ error: UnsafeMutablePointer<OpaquePointer?>?
) -> pinview_status {
    call(error) {
        let object = try Handles.object(object)
        try object.set(value, try object.requiredProperty(key))
    }
}

@c @implementation
public func pinview_object_set_value_at(
    _ object: OpaquePointer?, _ index: Int32, _ value: UnsafePointer<pinview_value>?, _ error: UnsafeMutablePointer<OpaquePointer?>?
) -> pinview_status {
    call(error) {
        let handle = try Handles.borrow(object, .object)
        defer { handle.end() }
        try handle.thing(ManagedObject.self)._withUnsafeGuaranteedRef { object in
            if let value = value?.pointee.usualValue, object.setAtOnce(value, at: Int(index)) { return }
            try object.set(value, try object.property(at: index))
        }
    }
}

@c @implementation
public func pinview_object_set_composite(
    _ object: OpaquePointer?, _ key: pinview_string, _ elements: UnsafePointer<pinview_named_value>?, _ count: Int,
    _ error: UnsafeMutablePointer<OpaquePointer?>?
) -> pinview_status {
    call(error) {
        let object = try Handles.object(object)
        let values = elements == nil && count == 0 ? nil : try namedValues(elements, count, "elements")
        try object.setCompositeValue(values, forKey: try key.required("key"))
    }
}

@c @implementation
public func pinview_object_related_object(
    _ object: OpaquePointer?, _ key: pinview_string, _ out: UnsafeMutablePointer<OpaquePointer?>?,
    _ error: UnsafeMutablePointer<OpaquePointer?>?
) -> pinview_status {
    call(error) {
        let out = try requireHandle(out)
        let handle = try Handles.borrow(object, .object)
        defer { handle.end() }
        let related = try handle.thing(ManagedObject.self)._withUnsafeGuaranteedRef { object in
            try object.relatedObject(forKey: try key.required("key"))
        }
        if let related { out.pointee = try Handles.make(related) }
    }
}

@c @implementation
public func pinview_object_related_object_at(
    _ object: OpaquePointer?, _ index: Int32, _ out: UnsafeMutablePointer<OpaquePointer?>?, _ error: UnsafeMutablePointer<OpaquePointer?>?
) -> pinview_status {
    call(error) {
        let out = try requireHandle(out)
        let handle = try Handles.borrow(object, .object)
        defer { handle.end() }
        let related = try handle.thing(ManagedObject.self)._withUnsafeGuaranteedRef { try $0.relatedObject(at: Int(index)) }
        if let related { out.pointee = try Handles.make(related) }
    }
}

@c @implementation
public func pinview_objects_related_object_at(
    _ objects: UnsafePointer<OpaquePointer?>?, _ count: Int, _ index: Int32, _ out: UnsafeMutablePointer<OpaquePointer?>?,
    _ error: UnsafeMutablePointer<OpaquePointer?>?
) -> pinview_status {
    call(error) {
        let objects = try elements(objects, count, "objects")
        if count == 0 { return }
        let out = try require(out, "out")
        out.update(repeating: nil, count: count)
        let owners = try Handles.borrowObjects(objects)
        defer { owners.end() }
        try ManagedObject.realiseTogether(owners.things)
        var maker = HandleTable.Maker(.object, count: count), owner = owners.things.makeIterator()
        do {
            for (position, object) in objects.enumerated() where object != nil {
                guard let related = try owner.next()?._withUnsafeGuaranteedRef({ try $0.relatedObject(at: Int(index)) }) else { continue }
                out[position] = try maker.make(related)
            }
        } catch {
            pinview_objects_release(out, count)
            out.update(repeating: nil, count: count)
            throw error
        }
    }
}

@c @implementation
public func pinview_object_related_objects(
    _ object: OpaquePointer?, _ key: pinview_string, _ out: UnsafeMutablePointer<OpaquePointer?>?,
    _ error: UnsafeMutablePointer<OpaquePointer?>?
) -> pinview_status {
    call(error) {
        let out = try requireHandle(out)
        let handle = try Handles.borrow(object, .object)
        defer { handle.end() }
        let members = try handle.thing(ManagedObject.self)._withUnsafeGuaranteedRef { object in
            try object.relatedObjects(forKey: try key.required("key"))
        }
        out.pointee = try Handles.make(.objectArray(members))
    }
}

@c @implementation
public func pinview_object_related_object_count(
    _ object: OpaquePointer?, _ key: pinview_string, _ out: UnsafeMutablePointer<UInt64>?,
    _ error: UnsafeMutablePointer<OpaquePointer?>?
) -> pinview_status {
    call(error) {
        let out = try require(out, "out")
        out.pointee = 0
        out.pointee = UInt64(try Handles.object(object).countOfRelatedObjects(forKey: try key.required("key")))
    }
}

@c @implementation
public func pinview_object_contains_related_object(
    _ object: OpaquePointer?, _ key: pinview_string, _ member: OpaquePointer?, _ out: UnsafeMutablePointer<Int32>?,
    _ error: UnsafeMutablePointer<OpaquePointer?>?
) -> pinview_status {
    call(error) {
        let out = try require(out, "out")
        out.pointee = 0
        let isMember = try Handles.object(object).containsRelatedObject(try Handles.object(member), forKey: try key.required("key"))
        out.pointee = isMember ? 1 : 0
    }
}

@c @implementation
public func pinview_object_add_related_object(
    _ object: OpaquePointer?, _ key: pinview_string, _ member: OpaquePointer?, _ error: UnsafeMutablePointer<OpaquePointer?>?
) -> pinview_status {
    call(error) {
        try Handles.object(object).addRelatedObject(try Handles.object(member), forKey: try key.required("key"))
    }
}

@c @implementation
public func pinview_object_insert_related_object(
    _ object: OpaquePointer?, _ key: pinview_string, _ member: OpaquePointer?, _ index: UInt64,
    _ error: UnsafeMutablePointer<OpaquePointer?>?
) -> pinview_status {
    call(error) {
        try Handles.object(object).insertRelatedObject(
            try Handles.object(member), at: Int(clamping: index), forKey: try key.required("key"))
    }
}

@c @implementation
public func pinview_object_remove_related_object(
    _ object: OpaquePointer?, _ key: pinview_string, _ member: OpaquePointer?, _ error: UnsafeMutablePointer<OpaquePointer?>?
) -> pinview_status {
    call(error) {
        try Handles.object(object).removeRelatedObject(try Handles.object(member), forKey: try key.required("key"))
    }
}

@c @implementation
public func pinview_object_set_related_objects(
    _ object: OpaquePointer?, _ key: pinview_string, _ members: UnsafePointer<OpaquePointer?>?, _ count: Int,
    _ error: UnsafeMutablePointer<OpaquePointer?>?
) -> pinview_status {
    call(error) {
        let object = try Handles.object(object)
        var objects: [ManagedObject] = []
        for member in try elements(members, count, "members") { objects.append(try Handles.object(member)) }
        try object.setRelatedObjects(objects, forKey: try key.required("key"))
    }
}

@c @implementation
public func pinview_object_has_fault(
    _ object: OpaquePointer?, _ key: pinview_string, _ out: UnsafeMutablePointer<Int32>?, _ error: UnsafeMutablePointer<OpaquePointer?>?
) -> pinview_status {
    call(error) {
        let out = try require(out, "out")
        out.pointee = 0
        out.pointee = try Handles.object(object).hasFault(forRelationshipNamed: try key.required("key")) ? 1 : 0
    }
}

@c @implementation
public func pinview_object_changed_properties(
    _ object: OpaquePointer?, _ indexes: UnsafeMutablePointer<Int32>?, _ capacity: Int, _ count: UnsafeMutablePointer<Int>?,
    _ error: UnsafeMutablePointer<OpaquePointer?>?
) -> pinview_status {
    call(error) {
        let count = try require(count, "count")
        count.pointee = 0
        let object = try Handles.object(object)
        try checkCount(capacity, "capacity")
        guard capacity == 0 || indexes != nil else {
            throw PinviewError(.invalidArgument, "'indexes' is NULL, but 'capacity' is \(capacity).")
        }
        let changed = try object.changedPropertyIndexes()
        for (place, index) in changed.prefix(capacity).enumerated() { indexes?[place] = Int32(index) }
        count.pointee = changed.count
    }
}

@c @implementation
public func pinview_object_committed_value(
    _ object: OpaquePointer?, _ key: pinview_string, _ out: UnsafeMutablePointer<pinview_value>?,
    _ error: UnsafeMutablePointer<OpaquePointer?>?
) -> pinview_status {
    call(error) {
        let out = try require(out, "out")
        out.pointee = pinview_value()
        let handle = try Handles.borrow(object, .object)
        defer { handle.end() }
        let object = handle.thing(ManagedObject.self).takeUnretainedValue()
        let property = try object.requiredProperty(key)
        let value = try object.committedValues(forKeys: [property.name])[property.name] ?? Value.null
        out.pointee = try handle.withTexts { (texts) throws(PinviewError) in try texts.value(value, of: property.index) }
    }
}

@c @implementation
public func pinview_object_validate(_ object: OpaquePointer?, _ error: UnsafeMutablePointer<OpaquePointer?>?) -> pinview_status {
    call(error) {
        try Handles.object(object).validate()
    }
}

@c @implementation
public func pinview_object_validate_for_delete(
    _ object: OpaquePointer?, _ error: UnsafeMutablePointer<OpaquePointer?>?
) -> pinview_status {
    call(error) { try Handles.object(object).validateForDelete() }
}

@c @implementation
public func pinview_object_get_weak(
    _ object: OpaquePointer?, _ out: UnsafeMutablePointer<OpaquePointer?>?, _ error: UnsafeMutablePointer<OpaquePointer?>?
) -> pinview_status {
    call(error) {
        let out = try requireHandle(out)
        out.pointee = try HandleTable.make(.weakObject, WeakObjectBox(try Handles.object(object)))
    }
}

@c @implementation
public func pinview_weak_object_retain(_ weak: OpaquePointer?) -> pinview_status { Handles.retain(weak, .weakObject) }

@c @implementation
public func pinview_weak_object_release(_ weak: OpaquePointer?) -> pinview_status { Handles.release(weak, .weakObject) }

@c @implementation
public func pinview_weak_object_get(
    _ weak: OpaquePointer?, _ out: UnsafeMutablePointer<OpaquePointer?>?, _ error: UnsafeMutablePointer<OpaquePointer?>?
) -> pinview_status {
    call(error) {
        let out = try requireHandle(out)
        if let object = try Handles.box(weak, .weakObject, WeakObjectBox.self).object { out.pointee = try Handles.make(object) }
    }
}
