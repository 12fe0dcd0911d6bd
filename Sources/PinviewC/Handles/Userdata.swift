import CPinview
import Pinview

/// Data of the program's, with the function that frees it.
final class Userdata: @unchecked Sendable {  // set up by one thread; what it points to is the program's own affair
    let pointer: UnsafeMutableRawPointer?
    private var free: pinview_free_callback?

    init(_ pointer: UnsafeMutableRawPointer?, _ free: pinview_free_callback?) {
        self.pointer = pointer
        self.free = free
    }

    deinit { if let free { callingOut { free(pointer) } } }

    /// Takes ownership of the data, for calls that only own it once they have succeeded.
    func own(_ free: pinview_free_callback?) { self.free = free }
}
