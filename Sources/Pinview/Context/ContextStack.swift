import Glibc

extension CurrentThread {
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
