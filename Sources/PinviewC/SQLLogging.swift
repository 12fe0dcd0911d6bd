import CPinview
import Pinview

// The section "SQL log" of the header.

/// Holds the userdata of a log callback until nobody can call it any more.
private final class LogCallback: @unchecked Sendable {  // immutable; the program says that its callback may be called on any thread
    let callback: pinview_log_callback
    let userdata: UnsafeMutableRawPointer?
    let freeUserdata: pinview_free_callback?

    init(_ callback: @escaping pinview_log_callback, _ userdata: UnsafeMutableRawPointer?, _ freeUserdata: pinview_free_callback?) {
        self.callback = callback
        self.userdata = userdata
        self.freeUserdata = freeUserdata
    }

    deinit { freeUserdata?(userdata) }

    func call(_ line: String) {
        var line = line
        line.withUTF8 { bytes in
            let storage = TextStorage()
            storage.set(UnsafeRawBufferPointer(bytes))
            callback(storage.view, userdata)
        }
    }
}

@c @implementation
public func pinview_sql_log_set_enabled(_ is_on: Int32) { SQLDebug.isEnabled = is_on != 0 }

@c @implementation
public func pinview_sql_log_is_enabled() -> Int32 { SQLDebug.isEnabled ? 1 : 0 }

@c @implementation
public func pinview_sql_log_set_callback(
    _ callback: pinview_log_callback?, _ userdata: UnsafeMutableRawPointer?, _ free_userdata: pinview_free_callback?,
    _ error: UnsafeMutablePointer<OpaquePointer?>?
) -> pinview_status {
    call(error) {
        guard let callback else {
            SQLDebug.setHandler(nil)
            free_userdata?(userdata)
            return
        }
        let holder = LogCallback(callback, userdata, free_userdata)
        SQLDebug.setHandler { holder.call($0) }
    }
}
