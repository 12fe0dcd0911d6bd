import CPinview
import Pinview

/// A registration of any kind. Its userdata is freed once the callback cannot be called any more.
final class ObserverBox: @unchecked Sendable {  // guarded by `lock`
    private let lock = ThreadLock()
    private var end: (() -> Void)?
    private var isRemoved = false

    /// - Parameter register: registers, and returns a closure that ends the registration. The
    ///   callback may run at once and remove its observer.
    private func register(_ register: () -> () -> Void) {
        let end = register()
        let isRemoved = lock.withLock {
            self.end = end
            return self.isRemoved
        }
        if isRemoved { remove() }
    }

    /// Stores the observer's handle, and then registers. A failure before that leaves the userdata
    /// to the caller.
    static func observe(
        _ out: UnsafeMutablePointer<OpaquePointer?>, _ userdata: UnsafeMutableRawPointer?, _ freeUserdata: pinview_free_callback?,
        _ register: (Userdata) -> () -> Void
    ) throws(PinviewError) {
        let box = ObserverBox()
        out.pointee = try HandleTable.make(.observer, box)
        let userdata = Userdata(userdata, freeUserdata)
        box.register { register(userdata) }
    }

    func remove() {
        let end = lock.withLock { () -> (() -> Void)? in
            defer { self.end = nil }
            isRemoved = true
            return self.end
        }
        end?()
    }
}
