import PinviewModel

/// Notifications of a context.
extension ContextState {
    /// Posts one objects-did-change notification for everything since the last (NOT-01, NOT-02).
    func postObjectsDidChange() {
        guard !pending.event.isEmpty else { return }
        pending.mergedOrders.removeAll()
        if isOffMainQueue { return endEventOnMainQueue() }
        let isWatched = objectsDidChangeIsWatched
        if isWatched, pending.hasDeferredRemovals { applyDeferredRemovals() }
        endEventOfDeferredRemovals()
        guard isWatched, let context = publicContext else { return pending.event.forgetAll() }
        let changes = pending.event.takeAll()
        var notification = PinviewNotification(name: .objectsDidChange, object: context)
        notification.insertedObjects = Set(changes.inserted.values)
        notification.deletedObjects = Set(changes.deleted.values)
        // A refreshed object that keeps local changes counts as updated (NOT-08).
        let keptChanges = changes.refreshed.values.filter { $0.flags.contains(.updated) }
        notification.updatedObjects = Set(changes.updated.values).union(keptChanges).subtracting(notification.deletedObjects)
        notification.refreshedObjects = Set(changes.refreshed.values).subtracting(notification.updatedObjects)
        notification.takeIDs()
        post(notification)
    }

    /// Whether anybody is told of changed objects. Where the main queue tells them later, there may
    /// be somebody by then.
    var objectsDidChangeIsWatched: Bool {
        isOffMainQueue || PinviewNotificationCenter.default.hasObservers(for: .objectsDidChange, state: self)
    }

    func postInvalidatedAll(_ identifiers: [ManagedObjectID]) {
        guard let context = publicContext else { return }
        var notification = PinviewNotification(name: .objectsDidChange, object: context)
        notification.invalidatedAllObjectIDs = identifiers
        post(notification)
    }

    func postInvalidated(_ objects: [ManagedObject]) {
        guard let context = publicContext else { return }
        var notification = PinviewNotification(name: .objectsDidChange, object: context)
        notification.invalidatedObjects = Set(objects)
        post(notification)
    }

    func postWillSave() {
        guard PinviewNotificationCenter.default.hasObservers(for: .willSave, state: self), let context = publicContext else { return }
        post(PinviewNotification(name: .willSave, object: context))
    }

    /// Calls the observers; those of a main-queue context on the main queue, whichever thread works
    /// on the context (ONE-07).
    func post(_ notification: PinviewNotification) {
        guard isOffMainQueue else { return PinviewNotificationCenter.default.post(notification) }
        queue.perform { PinviewNotificationCenter.default.post(notification) }
    }

    /// Processes and announces changes by a child's thread on the main queue, once for everything
    /// it does until then.
    func endEventOnMainQueue() {
        guard !endsEventOnMainQueue else { return }
        endsEventOnMainQueue = true
        queue.perform { [self] in
            endsEventOnMainQueue = false
            if !hasEnded { endEvent() }
        }
    }
}
