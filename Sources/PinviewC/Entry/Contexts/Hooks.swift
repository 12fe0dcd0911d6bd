import CPinview
import Pinview

// The hooks of entities: part of the section "Model" of the header.

/// The callbacks of one entity.
private final class HookCallbacks: Sendable {
    let gate = CallbackGate()
    private let userdata: Userdata

    init(_ userdata: UnsafeMutableRawPointer?) { self.userdata = Userdata(userdata, nil) }

    func own(_ free: pinview_free_callback?) { userdata.own(free) }

    func hook(_ callback: pinview_object_callback?) -> EntityHooks.Hook? {
        guard let callback else { return nil }
        return { [self] object in
            try gate.pass {
                let handle = try Handles.make(object)
                defer { _ = HandleTable.release(handle, .object) }
                try runCallback { callback(handle, userdata.pointer) }
            }
        }
    }

    func notice(_ callback: pinview_object_notice_callback?) -> EntityHooks.Notice? {
        guard let callback else { return nil }
        return { [self] object in
            gate.pass {
                // If no handle can be made, the hook cannot be called.
                guard let handle = try? Handles.make(object) else { return }
                callingOut { callback(handle, userdata.pointer) }
                _ = HandleTable.release(handle, .object)
            }
        }
    }

    func check(_ key: String, _ callback: @escaping pinview_property_check_callback) -> EntityHooks.PropertyCheck {
        { [self] object, value in
            try gate.pass {
                let handle = try Handles.make(object)
                defer { _ = HandleTable.release(handle, .object) }
                let name = TextStorage(key)
                let arena = Arena()
                let value = try pinview_value(value, arena)
                try withUnsafePointer(to: value) { value in try runCallback { callback(handle, name.view, value, userdata.pointer) } }
            }
        }
    }

    func hooks(_ source: pinview_entity_hooks, checking keys: [String]) -> EntityHooks {
        var hooks = EntityHooks()
        hooks.awakeFromInsert = hook(source.awake_from_insert)
        hooks.awakeFromFetch = hook(source.awake_from_fetch)
        hooks.prepareForDeletion = hook(source.prepare_for_deletion)
        hooks.willSave = hook(source.will_save)
        hooks.didSave = notice(source.did_save)
        hooks.willTurnIntoFault = notice(source.will_turn_into_fault)
        hooks.didTurnIntoFault = notice(source.did_turn_into_fault)
        hooks.validateForInsert = hook(source.validate_for_insert)
        hooks.validateForUpdate = hook(source.validate_for_update)
        hooks.validateForDelete = hook(source.validate_for_delete)
        if let callback = source.validate_property {
            for key in keys { hooks.validateProperty[key] = check(key, callback) }
        }
        return hooks
    }
}

/// The gates of hooks by model and entity, used to switch hooks off.
private final class HookGates: @unchecked Sendable {  // guarded by `lock`
    static let shared = HookGates()

    private struct Key: Hashable {
        let model: UInt64
        let entity: String
    }

    private struct WeakGate { weak var gate: CallbackGate? }

    private let lock = ThreadLock()
    private var gates: [Key: WeakGate] = [:]

    func note(_ gate: CallbackGate, _ model: ManagedObjectModel, _ entity: String) {
        lock.withLock {
            gates = gates.filter { $0.value.gate != nil }
            gates[Key(model: model.attachments.serial, entity: entity)] = WeakGate(gate: gate)
        }
    }

    /// Closes the gate of an entity's hooks, if it has any.
    func close(_ model: ManagedObjectModel, _ entity: String) {
        // Outside the lock, since a hook that is waited for may set others.
        lock.withLock { gates.removeValue(forKey: Key(model: model.attachments.serial, entity: entity))?.gate }?.close()
    }
}

@c @implementation
public func pinview_model_set_entity_hooks(
    _ model: OpaquePointer?, _ entity: pinview_string, _ hooks: UnsafePointer<pinview_entity_hooks>?,
    _ userdata: UnsafeMutableRawPointer?, _ free_userdata: pinview_free_callback?, _ error: UnsafeMutablePointer<OpaquePointer?>?
) -> pinview_status {
    call(error) {
        let model = try Handles.model(model)
        var source = pinview_entity_hooks()
        if hooks != nil {
            source = try read(hooks, "hooks", source, minimumSize: MemoryLayout<pinview_entity_hooks>.size)
            try checkReserved(source.reserved, "hooks.reserved")
            try checkCount(source.checked_key_count, "hooks.checked_keys")
        }
        let name = try entity.required("entity")
        guard let entity = model.entity(named: name) else { throw PinviewError.unknownEntity(name, in: model) }
        guard hooks != nil else {
            HookGates.shared.close(model, name)
            // In a model in use, the hooks stay behind a closed gate.
            try? model.setHooks(nil, forEntityNamed: name)
            return
        }
        var keys: [String] = []
        for key in try elements(source.checked_keys, source.checked_key_count, "hooks.checked_keys") {
            keys.append(try key.required("hooks.checked_keys"))
        }
        if source.checked_keys == nil { keys = entity.properties.map(\.name) }
        let callbacks = HookCallbacks(userdata)
        try model.setHooks(callbacks.hooks(source, checking: keys), forEntityNamed: name)
        // From here on the userdata is owned; before, a failure leaves it to the caller.
        callbacks.own(free_userdata)
        HookGates.shared.note(callbacks.gate, model, name)
    }
}

@c @implementation
public func pinview_object_set_userdata(
    _ object: OpaquePointer?, _ userdata: UnsafeMutableRawPointer?, _ free_userdata: pinview_free_callback?,
    _ error: UnsafeMutablePointer<OpaquePointer?>?
) -> pinview_status {
    call(error) {
        let object = try Handles.object(object)
        object.userData = userdata == nil ? nil : Userdata(userdata, free_userdata)
    }
}

@c @implementation
public func pinview_object_userdata(_ object: OpaquePointer?) -> UnsafeMutableRawPointer? {
    (Handles.boxOrNil(object, .object, ManagedObject.self)?.userData as? Userdata)?.pointer
}
