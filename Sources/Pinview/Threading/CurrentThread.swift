import CPlatform
import PinviewGenerations

/// Properties of the calling thread that queues need on every call.
enum CurrentThread {
    /// A number that no other living thread has.
    @inline(__always)
    static var identifier: UInt { pinview_thread() }

    /// Whether this thread works for the main queue: it is the process's first thread or runs the
    /// main actor.
    static var isMain: Bool { DispatchMainQueue.isCurrent || MainThread.isCurrent }
}
