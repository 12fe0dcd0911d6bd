import Glibc
import PinviewGenerations

/// Properties of the calling thread that queues need on every call.
enum CurrentThread {
    /// A number that no other living thread has; a load from the thread's control block.
    @inline(__always)
    static var identifier: UInt { UInt(pthread_self()) }

    /// Whether this thread works for the main queue: it is the process's first thread or runs the
    /// main actor.
    static var isMain: Bool { DispatchMainQueue.isCurrent || MainThread.isCurrent }

    /// The contexts whose blocks this thread is running, innermost last.
    static var contextStack: ContextStack {
        if let known = pthread_getspecific(contextStackKey) {
            return Unmanaged<ContextStack>.fromOpaque(known).takeUnretainedValue()
        }
        let stack = ContextStack()
        pthread_setspecific(contextStackKey, Unmanaged.passRetained(stack).toOpaque())
        return stack
    }

    private static let contextStackKey: pthread_key_t = {
        var key = pthread_key_t()
        pthread_key_create(&key) { stack in
            if let stack { Unmanaged<ContextStack>.fromOpaque(stack).release() }
        }
        return key
    }()
}

/// The contexts whose blocks a thread is running. `FetchRequest.execute()` uses the innermost
/// (FET-15).
final class ContextStack {
    private var contexts: [ManagedObjectContext] = []

    var innermost: ManagedObjectContext? { contexts.last }

    func push(_ context: ManagedObjectContext) { contexts.append(context) }
    func pop() { _ = contexts.popLast() }
}
