import PinviewModel

/// Merging what others have saved.
extension ManagedObjectContext {
    /// Merges the changes of another context's save into this one. A pinned context moves to the
    /// newest generation at its next read.
    ///
    /// May be called on any thread, including from did-save observers, in any pattern between
    /// contexts. The changes are merged when it returns, except in two cases. Then they are merged
    /// later on the context's queue, before any block added from then on:
    /// - The context is busy, and its owner waits, directly or through others, for a context that
    ///   the calling thread uses. An example are two contexts that save at the same time and merge
    ///   each other's saves in observers. Waiting would deadlock.
    /// - This is a main-queue context, and the calling thread is not the main thread: objects of
    ///   the context change on the main queue only, where its observers are called too.
    ///
    /// - Throws: `invalidArgument` for another notification; errors of a hook or of the store while
    ///   local changes are merged. If the merge is postponed, its error is thrown once by the next
    ///   ``save()`` or ``processPendingChanges()`` of this context, before that does anything.
    public func mergeChanges(fromContextDidSave notification: PinviewNotification) throws(PinviewError) {
        guard notification.name == .didSave else {
            throw PinviewError(
                .invalidArgument, "Only a did-save notification can be merged, not \(notification.name.rawValue).")
        }
        if notification.object === self { return }
        try merge(
            MergedRecords(
                inserted: notification.insertedObjectIDs, updated: notification.updatedObjectIDs, deleted: notification.deletedObjectIDs))
    }

    /// Merges a save made elsewhere into several contexts, each as
    /// ``mergeChanges(fromContextDidSave:)`` does. The objects are given by their IDs under the
    /// keys `inserted`, `updated` and `deleted`.
    public static func mergeChanges(
        fromRemoteContextSave changes: [String: [ManagedObjectID]], into contexts: [ManagedObjectContext]
    ) throws(PinviewError) {
        let known = [PinviewNotification.insertedObjectsKey, PinviewNotification.updatedObjectsKey, PinviewNotification.deletedObjectsKey]
        if let unknown = changes.keys.first(where: { !known.contains($0) }) {
            throw PinviewError(.invalidArgument, "Changes to merge have the keys \(known.joined(separator: ", ")), not '\(unknown)'.")
        }
        let records = MergedRecords(
            inserted: changes[PinviewNotification.insertedObjectsKey] ?? [], updated: changes[PinviewNotification.updatedObjectsKey] ?? [],
            deleted: changes[PinviewNotification.deletedObjectsKey] ?? [])
        for context in contexts { try context.merge(records) }
    }

    private func merge(_ records: MergedRecords) throws(PinviewError) {
        // Report a context without a coordinator at once.
        _ = try state.requireCoordinator()
        let merge: @Sendable (ContextState) throws(PinviewError) -> Void = { (state) throws(PinviewError) in try state.merge(records) }
        if state.isOffMainQueue, !state.queue.isCurrent {
            state.queue.perform { [self] in mergeLater(merge) }
            return
        }
        // From any thread, without the checks of a direct call (MRG-04).
        guard state.enterWithAncestors(orPutOff: { [self] in mergeLater(merge) }) else { return }
        defer { state.leaveWithAncestors() }
        try state.requireNotResolving()
        try merge(state)
    }

    /// Merges on the queue, where nobody waits for the outcome.
    private func mergeLater(_ merge: (ContextState) throws(PinviewError) -> Void) {
        guard !state.hasEnded else { return }
        do throws(PinviewError) {
            try state.requireNotResolving()
            try merge(state)
        } catch {
            // What could not be read now is read again when the object is used, which reports the
            // error.
            state.markGenerationChange()
            state.noteFailureOfPutOffMerge(error)
        }
    }
}

extension ContextState {
    /// Enters this context to merge, and the contexts that it reads through, which it could not
    /// wait for in the middle of the merge.
    ///
    /// - Returns: false if the work was queued instead.
    fileprivate func enterWithAncestors(orPutOff work: @escaping @Sendable () -> Void) -> Bool {
        guard queue.enter(orPutOff: work) else { return false }
        guard hasParent else { return true }
        var entered = [queue]
        for ancestor in ancestors {
            guard ancestor.queue.enter(orPutOff: {}) else {
                for queue in entered.reversed() { queue.leave() }
                queue.perform(work)
                return false
            }
            entered.append(ancestor.queue)
        }
        return true
    }

    fileprivate func leaveWithAncestors() {
        for ancestor in ancestors.reversed() { ancestor.queue.leave() }
        queue.leave()
    }

    /// The contexts that this one reads through, starting with its parent. A context keeps its
    /// parent once set.
    private var ancestors: [ContextState] {
        var ancestors: [ContextState] = []
        var next = parent
        while let ancestor = next {
            ancestors.append(ancestor)
            next = ancestor.parent
        }
        return ancestors
    }

    /// Keeps the first error of merges whose callers did not wait. The next save or similar call
    /// reports it.
    func noteFailureOfPutOffMerge(_ error: PinviewError) {
        if pending.failureOfPutOffMerge == nil { pending.failureOfPutOffMerge = error }
    }

    func reportFailureOfPutOffMerge() throws(PinviewError) {
        guard let failure = pending.failureOfPutOffMerge else { return }
        pending.failureOfPutOffMerge = nil
        throw failure
    }
}
