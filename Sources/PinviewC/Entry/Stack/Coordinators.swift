import CPinview
import Pinview

// The section "Coordinator and stores" of the header.

func storeBox(_ store: OpaquePointer?) -> StoreBox? {
    Handles.boxOrNil(store, .store, StoreBox.self)
}

@c @implementation
public func pinview_coordinator_create(
    _ model: OpaquePointer?, _ out: UnsafeMutablePointer<OpaquePointer?>?, _ error: UnsafeMutablePointer<OpaquePointer?>?
) -> pinview_status {
    call(error) {
        let out = try requireHandle(out)
        out.pointee = try Handles.make(PersistentStoreCoordinator(managedObjectModel: try Handles.model(model)))
    }
}

@c @implementation
public func pinview_coordinator_retain(_ coordinator: OpaquePointer?) -> pinview_status { Handles.retain(coordinator, .coordinator) }

@c @implementation
public func pinview_coordinator_release(_ coordinator: OpaquePointer?) -> pinview_status { Handles.release(coordinator, .coordinator) }

@c @implementation
public func pinview_coordinator_is_equal(_ left: OpaquePointer?, _ right: OpaquePointer?) -> Int32 {
    Handles.isEqual(left, right, .coordinator, PersistentStoreCoordinator.self) { $0 === $1 }
}

@c @implementation
public func pinview_coordinator_model(
    _ coordinator: OpaquePointer?, _ out: UnsafeMutablePointer<OpaquePointer?>?, _ error: UnsafeMutablePointer<OpaquePointer?>?
) -> pinview_status {
    call(error) {
        let out = try requireHandle(out)
        out.pointee = try Handles.make(try Handles.coordinator(coordinator).managedObjectModel)
    }
}

@c @implementation
public func pinview_coordinator_set_name(
    _ coordinator: OpaquePointer?, _ name: pinview_string, _ error: UnsafeMutablePointer<OpaquePointer?>?
) -> pinview_status {
    call(error) { try Handles.coordinator(coordinator).name = name.text("name") }
}

@c @implementation
public func pinview_coordinator_name(_ coordinator: OpaquePointer?) -> pinview_string {
    guard !ForkedProcess.isCurrent, let borrowed = HandleTable.Borrowed(coordinator, .coordinator) else { return .absent }
    defer { borrowed.end() }
    guard let name = borrowed.thing(PersistentStoreCoordinator.self).takeUnretainedValue().name else { return .absent }
    return borrowed.withTexts { $0.keep(name, of: 0) }
}

func storeType(_ type: pinview_string) throws(PinviewError) -> StoreType {
    let name = try type.required("type")
    guard let type = StoreType(rawValue: name) else {
        throw PinviewError(.invalidArgument, "'\(name)' is not a store type; expected SQLite or InMemory.")
    }
    return type
}

@c @implementation
public func pinview_coordinator_add_store(
    _ coordinator: OpaquePointer?, _ type: pinview_string, _ configuration: pinview_string, _ path: pinview_string,
    _ options: UnsafePointer<pinview_named_value>?, _ option_count: Int, _ out: UnsafeMutablePointer<OpaquePointer?>?,
    _ error: UnsafeMutablePointer<OpaquePointer?>?
) -> pinview_status {
    call(error) {
        out?.pointee = nil
        let coordinator = try Handles.coordinator(coordinator)
        let type = try storeType(type)
        let store = try coordinator.addPersistentStore(
            type: type, configuration: try configuration.text("configuration"), at: try path.text("path"),
            options: try namedValues(options, option_count, "options"))
        if let out { out.pointee = try Handles.make(store) }
    }
}

@c @implementation
public func pinview_coordinator_remove_store(
    _ coordinator: OpaquePointer?, _ store: OpaquePointer?, _ error: UnsafeMutablePointer<OpaquePointer?>?
) -> pinview_status {
    call(error) {
        try Handles.coordinator(coordinator).remove(try Handles.store(store))
    }
}

@c @implementation
public func pinview_coordinator_store_count(_ coordinator: OpaquePointer?) -> UInt64 {
    UInt64(Handles.boxOrNil(coordinator, .coordinator, PersistentStoreCoordinator.self)?.persistentStores.count ?? 0)
}

@c @implementation
public func pinview_coordinator_store(
    _ coordinator: OpaquePointer?, _ index: UInt64, _ out: UnsafeMutablePointer<OpaquePointer?>?,
    _ error: UnsafeMutablePointer<OpaquePointer?>?
) -> pinview_status {
    call(error) {
        let out = try requireHandle(out)
        out.pointee = try Handles.make(try element(try Handles.coordinator(coordinator).persistentStores, index, "stores"))
    }
}

@c @implementation
public func pinview_coordinator_object_id(
    _ coordinator: OpaquePointer?, _ uri: pinview_string, _ out: UnsafeMutablePointer<OpaquePointer?>?,
    _ error: UnsafeMutablePointer<OpaquePointer?>?
) -> pinview_status {
    call(error) {
        let out = try requireHandle(out)
        let coordinator = try Handles.coordinator(coordinator)
        if let objectID = try coordinator.managedObjectID(forURIRepresentation: try uri.required("uri")) {
            out.pointee = try Handles.make(objectID)
        }
    }
}

@c @implementation
public func pinview_store_retain(_ store: OpaquePointer?) -> pinview_status { Handles.retain(store, .store) }

@c @implementation
public func pinview_store_release(_ store: OpaquePointer?) -> pinview_status { Handles.release(store, .store) }

@c @implementation
public func pinview_store_is_equal(_ left: OpaquePointer?, _ right: OpaquePointer?) -> Int32 {
    Handles.isEqual(left, right, .store, StoreBox.self) { $0.store === $1.store }
}

@c @implementation
public func pinview_store_identifier(_ store: OpaquePointer?) -> pinview_string { storeBox(store)?.identifier.view ?? .absent }

@c @implementation
public func pinview_store_type(_ store: OpaquePointer?) -> pinview_string { storeBox(store)?.type.view ?? .absent }

@c @implementation
public func pinview_store_path(_ store: OpaquePointer?) -> pinview_string { storeBox(store)?.path.view ?? .absent }

@c @implementation
public func pinview_store_configuration(_ store: OpaquePointer?) -> pinview_string { storeBox(store)?.configuration.view ?? .absent }

@c @implementation
public func pinview_store_journal_mode(_ store: OpaquePointer?) -> pinview_string { storeBox(store)?.journalMode.view ?? .absent }

@c @implementation
public func pinview_store_is_read_only(_ store: OpaquePointer?) -> Int32 { storeBox(store)?.store.isReadOnly == true ? 1 : 0 }

@c @implementation
public func pinview_store_supports_query_generations(_ store: OpaquePointer?) -> Int32 {
    storeBox(store)?.store.supportsQueryGenerations == true ? 1 : 0
}

@c @implementation
public func pinview_store_journal_size(_ store: OpaquePointer?) -> Int64 { storeBox(store)?.store.journalSize ?? 0 }

@c @implementation
public func pinview_store_checkpoint(
    _ store: OpaquePointer?, _ emptied: UnsafeMutablePointer<Int32>?, _ error: UnsafeMutablePointer<OpaquePointer?>?
) -> pinview_status {
    call(error) {
        let emptied = try require(emptied, "emptied")
        emptied.pointee = 0
        emptied.pointee = try Handles.store(store).checkpoint() ? 1 : 0
    }
}

@c @implementation
public func pinview_container_create(
    _ name: pinview_string, _ model: OpaquePointer?, _ path: pinview_string, _ options: UnsafePointer<pinview_named_value>?,
    _ option_count: Int, _ out: UnsafeMutablePointer<OpaquePointer?>?, _ error: UnsafeMutablePointer<OpaquePointer?>?
) -> pinview_status {
    call(error) {
        let out = try requireHandle(out)
        let container = PersistentContainer(
            name: try name.required("name"), managedObjectModel: try Handles.model(model), storePath: try path.text("path"),
            options: try namedValues(options, option_count, "options"))
        out.pointee = try HandleTable.make(.container, ContainerBox(container))
    }
}

@c @implementation
public func pinview_container_retain(_ container: OpaquePointer?) -> pinview_status { Handles.retain(container, .container) }

@c @implementation
public func pinview_container_release(_ container: OpaquePointer?) -> pinview_status { Handles.release(container, .container) }

@c @implementation
public func pinview_container_load_stores(_ container: OpaquePointer?, _ error: UnsafeMutablePointer<OpaquePointer?>?) -> pinview_status {
    call(error) {
        try Handles.box(container, .container, ContainerBox.self).container.loadPersistentStores()
    }
}

@c @implementation
public func pinview_container_coordinator(
    _ container: OpaquePointer?, _ out: UnsafeMutablePointer<OpaquePointer?>?, _ error: UnsafeMutablePointer<OpaquePointer?>?
) -> pinview_status {
    call(error) {
        let out = try requireHandle(out)
        out.pointee = try Handles.make(try Handles.box(container, .container, ContainerBox.self).container.persistentStoreCoordinator)
    }
}

@c @implementation
public func pinview_container_view_context(
    _ container: OpaquePointer?, _ out: UnsafeMutablePointer<OpaquePointer?>?, _ error: UnsafeMutablePointer<OpaquePointer?>?
) -> pinview_status {
    call(error) {
        let out = try requireHandle(out)
        out.pointee = try Handles.make(try Handles.box(container, .container, ContainerBox.self).container.viewContext)
    }
}

@c @implementation
public func pinview_container_new_background_context(
    _ container: OpaquePointer?, _ out: UnsafeMutablePointer<OpaquePointer?>?, _ error: UnsafeMutablePointer<OpaquePointer?>?
) -> pinview_status {
    call(error) {
        let out = try requireHandle(out)
        out.pointee = try Handles.make(try Handles.box(container, .container, ContainerBox.self).container.newBackgroundContext())
    }
}

@c @implementation
public func pinview_container_perform_background_task(
    _ container: OpaquePointer?, _ task: pinview_block_callback?, _ userdata: UnsafeMutableRawPointer?,
    _ free_userdata: pinview_free_callback?, _ error: UnsafeMutablePointer<OpaquePointer?>?
) -> pinview_status {
    call(error) {
        let container = try Handles.box(container, .container, ContainerBox.self).container
        let task = try requireArgument(task, "task")
        let work = Block(task, userdata, free_userdata)
        container.performBackgroundTask { work.run($0) }
    }
}
