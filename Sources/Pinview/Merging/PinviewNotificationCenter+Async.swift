// Left out of the shared library for C, which saves half a megabyte of the concurrency runtime.
#if !PINVIEW_C_LIBRARY
    extension PinviewNotificationCenter {
        /// All notifications from now on, in order, for `for await`.
        ///
        /// Observing starts with this call, so nothing is missed, and ends when the iterating task
        /// is cancelled or the sequence is deallocated. The posting context does not wait for the
        /// reader: use the objects on their context's queue, or their IDs.
        ///
        /// - Parameters:
        ///   - name: nil for all names.
        ///   - object: the context to observe; nil for all contexts.
        public func notifications(
            named name: PinviewNotification.Name? = nil, object: ManagedObjectContext? = nil
        ) -> AsyncStream<PinviewNotification> {
            AsyncStream { continuation in
                let observer = addObserver(forName: name, object: object) { continuation.yield($0) }
                continuation.onTermination = { [self] _ in removeObserver(observer) }
            }
        }
    }
#endif
