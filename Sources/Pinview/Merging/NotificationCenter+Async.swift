// The shared library for C leaves this out, and with it half a megabyte of the concurrency runtime.
#if !PINVIEW_C_LIBRARY
    extension NotificationCenter {
        /// The notifications from now on, in order, for `for await`.
        ///
        /// Observing begins with this call, so nothing is missed, and ends when the task that
        /// iterates is cancelled or the sequence goes. The posting context does not wait for the
        /// reader: use the objects on their context's queue, or read them by their IDs.
        ///
        /// - Parameters:
        ///   - name: nil for all names.
        ///   - object: the context to watch; nil for every context.
        public func notifications(
            named name: Notification.Name? = nil, object: ManagedObjectContext? = nil
        ) -> AsyncStream<Notification> {
            AsyncStream { continuation in
                let observer = addObserver(forName: name, object: object) { continuation.yield($0) }
                continuation.onTermination = { [self] _ in removeObserver(observer) }
            }
        }
    }
#endif
