import CPinview
import Pinview

// Parts of the section "Contexts" of the header that programs use among themselves: the deprecated
// lock, and data.

@c @implementation
public func pinview_context_lock(_ context: OpaquePointer?, _ error: UnsafeMutablePointer<OpaquePointer?>?) -> pinview_status {
    call(error) { (try Handles.context(context) as any Lockable).lock() }
}

@c @implementation
public func pinview_context_unlock(_ context: OpaquePointer?, _ error: UnsafeMutablePointer<OpaquePointer?>?) -> pinview_status {
    call(error) { try (try Handles.context(context) as any Lockable).unlock() }
}

@c @implementation
public func pinview_context_try_lock(
    _ context: OpaquePointer?, _ out: UnsafeMutablePointer<Int32>?, _ error: UnsafeMutablePointer<OpaquePointer?>?
) -> pinview_status {
    call(error) {
        let out = try require(out, "out")
        out.pointee = 0
        out.pointee = (try Handles.context(context) as any Lockable).tryLock() ? 1 : 0
    }
}

/// Calls the deprecated lock without a warning.
private protocol Lockable {
    func lock()
    func unlock() throws(PinviewError)
    func tryLock() -> Bool
}

extension ManagedObjectContext: Lockable {}

@c @implementation
public func pinview_context_set_userdata(
    _ context: OpaquePointer?, _ userdata: UnsafeMutableRawPointer?, _ free_userdata: pinview_free_callback?,
    _ error: UnsafeMutablePointer<OpaquePointer?>?
) -> pinview_status {
    call(error) {
        let context = try Handles.context(context)
        context.attachment = userdata == nil ? nil : Userdata(userdata, free_userdata)
    }
}

@c @implementation
public func pinview_context_userdata(_ context: OpaquePointer?) -> UnsafeMutableRawPointer? {
    (contextBox(context)?.context.attachment as? Userdata)?.pointer
}
