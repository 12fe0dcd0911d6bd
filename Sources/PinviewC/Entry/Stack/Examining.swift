import CPinview
import Pinview

// What a store lacks, of the section "Coordinator and stores" of the header, and values as
// examiners read them, of the section "Objects".

@c @implementation
public func pinview_store_missing_count(_ store: OpaquePointer?) -> UInt64 {
    UInt64(storeBox(store)?.store.missing.count ?? 0)
}

@c @implementation
public func pinview_store_missing(
    _ store: OpaquePointer?, _ index: UInt64, _ buffer: OpaquePointer?, _ entity: UnsafeMutablePointer<pinview_string>?,
    _ property: UnsafeMutablePointer<pinview_string>?, _ error: UnsafeMutablePointer<OpaquePointer?>?
) -> pinview_status {
    call(error) {
        let entity = try require(entity, "entity"), property = try require(property, "property")
        entity.pointee = .absent
        property.pointee = .absent
        let missing = try Handles.store(store).missing
        let arena = try Handles.box(buffer, .buffer, BufferBox.self).arena
        let element = missing[try checkedRange(index, 1, of: missing.count, "missing entities and properties").lowerBound]
        arena.reset()
        entity.pointee = arena.view(of: element.entityName)
        property.pointee = element.propertyName.map { arena.view(of: $0) } ?? .absent
    }
}

@c @implementation
public func pinview_store_lacks(
    _ store: OpaquePointer?, _ entity: pinview_string, _ property: pinview_string, _ out: UnsafeMutablePointer<Int32>?,
    _ error: UnsafeMutablePointer<OpaquePointer?>?
) -> pinview_status {
    call(error) {
        let out = try require(out, "out")
        out.pointee = 0
        let store = try Handles.store(store)
        let name = try entity.required("entity")
        let isMissing: Bool
        if let key = try property.text("property") {
            isMissing = try store.lacks(propertyNamed: key, ofEntityNamed: name)
        } else {
            isMissing = try store.lacks(entityNamed: name)
        }
        out.pointee = isMissing ? 1 : 0
    }
}

@c @implementation
public func pinview_object_examine(
    _ object: OpaquePointer?, _ key: pinview_string, _ buffer: OpaquePointer?, _ raw: UnsafeMutablePointer<pinview_value>?,
    _ readable: UnsafeMutablePointer<pinview_string>?, _ is_missing: UnsafeMutablePointer<Int32>?,
    _ error: UnsafeMutablePointer<OpaquePointer?>?
) -> pinview_status {
    call(error) {
        let raw = try require(raw, "raw"), readable = try require(readable, "readable"), isMissing = try require(is_missing, "is_missing")
        raw.pointee = pinview_value()
        readable.pointee = .absent
        isMissing.pointee = 0
        let object = try Handles.object(object)
        let arena = try Handles.box(buffer, .buffer, BufferBox.self).arena
        let examined = try object.examine(try key.required("key"))
        arena.reset()
        raw.pointee = try pinview_value(examined.raw, arena)
        readable.pointee = arena.view(of: examined.readable.description)
        isMissing.pointee = examined.isMissing ? 1 : 0
    }
}

@c @implementation
public func pinview_value_readable(
    _ value: UnsafePointer<pinview_value>?, _ buffer: OpaquePointer?, _ out: UnsafeMutablePointer<pinview_string>?,
    _ error: UnsafeMutablePointer<OpaquePointer?>?
) -> pinview_status {
    call(error) {
        let out = try require(out, "out")
        out.pointee = .absent
        let arena = try Handles.box(buffer, .buffer, BufferBox.self).arena
        let value = try requireArgument(value, "value").pointee.value("value")
        arena.reset()
        out.pointee = arena.view(of: value.readable.description)
    }
}
