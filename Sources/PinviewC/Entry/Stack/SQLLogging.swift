import CPinview
import Pinview

// The section "SQL log" of the header.

private func tell(_ callback: pinview_log_callback, _ line: String, _ userdata: Userdata) {
    var line = line
    line.withUTF8 { bytes in
        let storage = TextStorage()
        storage.set(UnsafeRawBufferPointer(bytes))
        callback(storage.view, userdata.pointer)
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
        let userdata = Userdata(userdata, free_userdata)
        SQLDebug.setHandler { tell(callback, $0, userdata) }
    }
}
