internal import CSQLite

/// The thread that the process began with.
package enum MainThread {
    /// Whether it is the calling thread; asks the kernel.
    package static var isCurrent: Bool { pinview_is_main_thread() != 0 }

    /// The kernel's number of the calling thread, as tools show it. A system call.
    package static var currentNumber: Int32 { pinview_thread_number() }
}
