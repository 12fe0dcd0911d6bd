import CPinview
import Pinview

// Metadata of stores, of the section "Coordinator and stores" of the header.

/// Puts bytes into a caller's buffer, instead of what it had before.
private func view(_ bytes: [UInt8], _ arena: Arena) throws(PinviewError) -> pinview_binary {
    arena.reset()
    return try pinview_value(.binary(bytes), arena).as.binary
}

@c @implementation
public func pinview_store_metadata(
    _ store: OpaquePointer?, _ buffer: OpaquePointer?, _ out: UnsafeMutablePointer<pinview_binary>?,
    _ error: UnsafeMutablePointer<OpaquePointer?>?
) -> pinview_status {
    call(error) {
        let out = try require(out, "out")
        out.pointee = pinview_binary(data: nil, size: 0)
        let store = try Handles.store(store)
        let arena = try Handles.box(buffer, .buffer, BufferBox.self).arena
        out.pointee = try view(try store.metadataPropertyList(), arena)
    }
}

@c @implementation
public func pinview_store_metadata_value(
    _ store: OpaquePointer?, _ key: pinview_string, _ buffer: OpaquePointer?, _ out: UnsafeMutablePointer<pinview_value>?,
    _ error: UnsafeMutablePointer<OpaquePointer?>?
) -> pinview_status {
    call(error) {
        let out = try require(out, "out")
        out.pointee = pinview_value()
        let store = try Handles.store(store)
        let arena = try Handles.box(buffer, .buffer, BufferBox.self).arena
        let value = try store.metadataValue(forKey: try key.required("key"))
        arena.reset()
        out.pointee = try pinview_value(value, arena)
    }
}

@c @implementation
public func pinview_store_set_metadata_value(
    _ store: OpaquePointer?, _ key: pinview_string, _ value: UnsafePointer<pinview_value>?,
    _ error: UnsafeMutablePointer<OpaquePointer?>?
) -> pinview_status {
    call(error) {
        let store = try Handles.store(store)
        let value = try requireArgument(value, "value")
        try store.setMetadataValue(try value.pointee.value("value"), forKey: try key.required("key"))
    }
}

@c @implementation
public func pinview_store_set_metadata(
    _ store: OpaquePointer?, _ entries: pinview_binary, _ error: UnsafeMutablePointer<OpaquePointer?>?
) -> pinview_status {
    call(error) {
        let store = try Handles.store(store)
        try store.setMetadata(propertyList: Array(try elements(entries.data, entries.size, "entries")))
    }
}

@c @implementation
public func pinview_file_metadata(
    _ path: pinview_string, _ buffer: OpaquePointer?, _ out: UnsafeMutablePointer<pinview_binary>?,
    _ error: UnsafeMutablePointer<OpaquePointer?>?
) -> pinview_status {
    call(error) {
        let out = try require(out, "out")
        out.pointee = pinview_binary(data: nil, size: 0)
        let arena = try Handles.box(buffer, .buffer, BufferBox.self).arena
        out.pointee = try view(try StoreMetadata.propertyList(ofStoreAt: try path.required("path")), arena)
    }
}

@c @implementation
public func pinview_file_summary(
    _ path: pinview_string, _ buffer: OpaquePointer?, _ out: UnsafeMutablePointer<pinview_string>?,
    _ error: UnsafeMutablePointer<OpaquePointer?>?
) -> pinview_status {
    call(error) {
        let out = try require(out, "out")
        out.pointee = .absent
        let arena = try Handles.box(buffer, .buffer, BufferBox.self).arena
        let summary = try PersistentStoreCoordinator.summary(ofStoreAt: try path.required("path"))
        arena.reset()
        out.pointee = arena.view(of: summary.json.description)
    }
}

@c @implementation
public func pinview_file_set_metadata(
    _ path: pinview_string, _ entries: pinview_binary, _ error: UnsafeMutablePointer<OpaquePointer?>?
) -> pinview_status {
    call(error) {
        let path = try path.required("path")
        try StoreMetadata.set(propertyList: Array(try elements(entries.data, entries.size, "entries")), ofStoreAt: path)
    }
}
