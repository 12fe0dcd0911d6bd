import PinviewModel

/// Taking in what others have saved.
extension ManagedObjectContext {
    /// Merges the changes of another context's save into this one. A pinned context moves to the
    /// newest generation at its next read.
    ///
    /// May be called from any thread, also from a did-save observer and in any pattern between
    /// contexts. When it returns the changes are merged, except in two cases, in which they are
    /// merged later on the context's queue, before any block that is put in from then on:
    /// - The context is busy, and who uses it waits, maybe through others, for a context that the
    ///   calling thread is using: two contexts that merge each other's saves from their observers,
    ///   and save at the same time. Waiting would never end.
    /// - This is a main-queue context and the calling thread is not the main thread: its objects
    ///   change on the main queue only, and its observers are called there.
    ///
    /// - Throws: `invalidArgument` for another notification; what a hook throws, or the store,
    ///   while local changes are merged. When the merge was put off, the next ``save()`` or
    ///   ``processPendingChanges()`` of this context throws its error, once, before it does
    ///   anything.
    public func mergeChanges(fromContextDidSave notification: Notification) throws(PinviewError) {
        guard notification.name == .didSave else {
            throw PinviewError(
                .invalidArgument, "Only a did-save notification can be merged, not \(notification.name.rawValue).")
        }
        if notification.object === self { return }
        try merge(
            MergedIDs(
                inserted: notification.insertedObjectIDs, updated: notification.updatedObjectIDs, deleted: notification.deletedObjectIDs))
    }

    /// Merges a save made elsewhere, given as IDs under the keys `inserted`, `updated` and
    /// `deleted`, into several contexts; into each as ``mergeChanges(fromContextDidSave:)`` does.
    public static func mergeChanges(
        fromRemoteContextSave changes: [String: [ManagedObjectID]], into contexts: [ManagedObjectContext]
    ) throws(PinviewError) {
        let known = [Notification.insertedObjectsKey, Notification.updatedObjectsKey, Notification.deletedObjectsKey]
        if let unknown = changes.keys.first(where: { !known.contains($0) }) {
            throw PinviewError(.invalidArgument, "Changes to merge have the keys \(known.joined(separator: ", ")), not '\(unknown)'.")
        }
        let identifiers = MergedIDs(
            inserted: changes[Notification.insertedObjectsKey] ?? [], updated: changes[Notification.updatedObjectsKey] ?? [],
            deleted: changes[Notification.deletedObjectsKey] ?? [])
        for context in contexts { try context.merge(identifiers) }
    }

    private func merge(_ identifiers: MergedIDs) throws(PinviewError) {
        // What a program has forgotten to set up is told at once.
        _ = try state.requireCoordinator()
        let merge: @Sendable (ContextState) throws(PinviewError) -> Void = { (state) throws(PinviewError) in try state.merge(identifiers) }
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

    /// On the queue, where nobody waits for an answer.
    private func mergeLater(_ merge: (ContextState) throws(PinviewError) -> Void) {
        guard !state.hasEnded else { return }
        do throws(PinviewError) {
            try state.requireNotResolving()
            try merge(state)
        } catch {
            // What could not be read now is read, and reported again, when the object is used.
            state.markGenerationChange()
            state.noteFailureOfPutOffMerge(error)
        }
    }
}

extension ContextState {
    /// Lets the calling thread in to merge, and into the contexts that this one reads through: in
    /// the middle of the merge there is no way back from waiting for them.
    ///
    /// - Returns: false when the queue is to do the work instead.
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

    /// The contexts that this one reads through, its parent first. Once a context has a parent it
    /// keeps it.
    private var ancestors: [ContextState] {
        var ancestors: [ContextState] = []
        var next = parent
        while let ancestor = next {
            ancestors.append(ancestor)
            next = ancestor.parent
        }
        return ancestors
    }

    /// Keeps the first error of merges whose callers have gone on, for the next save or the like,
    /// which tells of it.
    func noteFailureOfPutOffMerge(_ error: PinviewError) {
        if failureOfPutOffMerge == nil { failureOfPutOffMerge = error }
    }

    func reportFailureOfPutOffMerge() throws(PinviewError) {
        guard let failure = failureOfPutOffMerge else { return }
        failureOfPutOffMerge = nil
        throw failure
    }
}
