import CPinview
import Pinview

// The program's own merge policies: part of the section "Contexts" of the header.

/// The conflicts of one save, and how the program resolves them.
private final class MergeBox: @unchecked Sendable {  // guarded by `lock`
    private let lock = ThreadLock()
    private let error: OpaquePointer
    private var resolutions: [MergeResolution]
    private var isOpen = true

    init(_ conflicts: [MergeConflict]) throws(PinviewError) {
        error = try Handles.make(PinviewError.conflict(conflicts))
        resolutions = conflicts.map { _ in .policy(.error) }
    }

    deinit { _ = HandleTable.release(error, .error) }

    var conflicts: OpaquePointer { error }

    /// Ends the time in which conflicts can be resolved.
    func close() -> [MergeResolution] {
        lock.withLock {
            isOpen = false
            return resolutions
        }
    }

    func change(_ index: UInt64, _ body: (inout MergeResolution) -> Void) throws(PinviewError) {
        lock.lock()
        defer { lock.unlock() }
        _ = try element(resolutions, index, "conflicts")
        guard isOpen else {
            throw PinviewError(.invalidArgument, "Conflicts can be resolved inside the callback only; the save has gone on.")
        }
        body(&resolutions[Int(index)])
    }
}

private func box(_ merge: OpaquePointer?) throws(PinviewError) -> MergeBox { try Handles.box(merge, .merge, MergeBox.self) }

@c @implementation
public func pinview_context_set_merge_callback(
    _ context: OpaquePointer?, _ callback: pinview_merge_callback?, _ userdata: UnsafeMutableRawPointer?,
    _ free_userdata: pinview_free_callback?, _ error: UnsafeMutablePointer<OpaquePointer?>?
) -> pinview_status {
    call(error) {
        let context = try Handles.context(context)
        let callback = try requireArgument(callback, "callback")
        let userdata = Userdata(userdata, free_userdata)
        context.mergePolicy = .custom { conflicts in
            let box = try MergeBox(conflicts)
            let handle = try HandleTable.make(.merge, box)
            defer { _ = HandleTable.release(handle, .merge) }
            defer { _ = box.close() }
            try runCallback { callback(handle, userdata.pointer) }
            return box.close()
        }
    }
}

@c @implementation
public func pinview_merge_retain(_ merge: OpaquePointer?) -> pinview_status { Handles.retain(merge, .merge) }

@c @implementation
public func pinview_merge_release(_ merge: OpaquePointer?) -> pinview_status { Handles.release(merge, .merge) }

@c @implementation
public func pinview_merge_conflicts(_ merge: OpaquePointer?) -> OpaquePointer? {
    Handles.boxOrNil(merge, .merge, MergeBox.self)?.conflicts
}

@c @implementation
public func pinview_merge_set_policy(
    _ merge: OpaquePointer?, _ index: UInt64, _ policy: Int32, _ error: UnsafeMutablePointer<OpaquePointer?>?
) -> pinview_status {
    call(error) {
        let box = try PinviewC.box(merge)
        guard let policy = MergePolicy(rawValue: Int(policy)) else {
            throw PinviewError(
                .invalidArgument, "\(policy) is not a merge policy that resolves a conflict; expected one of PINVIEW_MERGE_POLICY_….")
        }
        try box.change(index) { $0 = .policy(policy) }
    }
}

@c @implementation
public func pinview_merge_set_value(
    _ merge: OpaquePointer?, _ index: UInt64, _ key: pinview_string, _ value: UnsafePointer<pinview_value>?,
    _ error: UnsafeMutablePointer<OpaquePointer?>?
) -> pinview_status {
    call(error) {
        let box = try PinviewC.box(merge)
        let key = try key.required("key")
        guard let value = try value?.pointee.value(key) else {
            throw PinviewError(.invalidArgument, "'value' is NULL; pass a value of the type PINVIEW_VALUE_NULL for nil.")
        }
        try box.change(index) { resolution in
            if case .values(var values) = resolution {
                values[key] = value
                resolution = .values(values)
            } else {
                resolution = .values([key: value])
            }
        }
    }
}
