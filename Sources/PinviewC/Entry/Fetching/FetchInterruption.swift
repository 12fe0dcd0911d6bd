import CPinview
import Pinview

// The check that can stop a fetch: part of the section "Fetching" of the header.

@c @implementation
public func pinview_set_interrupt_callback(
    _ callback: pinview_interrupt_callback?, _ userdata: UnsafeMutableRawPointer?, _ free_userdata: pinview_free_callback?,
    _ error: UnsafeMutablePointer<OpaquePointer?>?
) -> pinview_status {
    call(error) {
        try Handles.checkProcess()
        guard let callback else {
            FetchInterruption.setCheck(nil)
            if let free_userdata { callingOut { free_userdata(userdata) } }
            return
        }
        let userdata = Userdata(userdata, free_userdata)
        FetchInterruption.setCheck { callback(userdata.pointer) != 0 }
    }
}
