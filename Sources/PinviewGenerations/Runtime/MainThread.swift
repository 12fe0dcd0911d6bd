internal import CPlatform

/// The thread on which the process began.
package enum MainThread {
    /// Whether the calling thread is the main thread. A system call.
    package static var isCurrent: Bool { pinview_is_main_thread() != 0 }

    /// The kernel's number of the calling thread, as shown by tools. A system call.
    package static var currentNumber: Int32 { pinview_thread_number() }
}
