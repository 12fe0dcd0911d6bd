import PinviewModel

/// Calling the hooks of entities.
extension ContextState {
    /// The hooks of an object's entity; nil if it has none.
    func hooks(of object: ManagedObject) -> ResolvedHooks? {
        hookTable?.entities[object.entity.index]
    }

    func run(_ hook: EntityHooks.Hook, _ object: ManagedObject) throws(PinviewError) {
        do { try hook(object) } catch { throw PinviewError(thrownByProgram: error) }
    }

    /// Runs `body` without change processing: attributes that it sets do not count as changed.
    private func unnoticed(_ body: () throws(PinviewError) -> Void) throws(PinviewError) {
        pending.unnoticedDepth += 1
        defer { pending.unnoticedDepth -= 1 }
        try body()
    }

    var isUnnoticed: Bool { pending.unnoticedDepth > 0 }

    /// Throws if the calling hook runs without change processing, which rules out what it attempts.
    func requireChangeProcessing(_ what: String) throws(PinviewError) {
        guard isUnnoticed else { return }
        throw PinviewError(
            .invalidArgument,
            "\(what) is not possible inside awakeFromFetch, willTurnIntoFault or didTurnIntoFault: their changes are not recorded. Set attributes "
                + "there, and make other changes elsewhere.")
    }

    /// Throws if a save is under way, which the operation would disrupt.
    func requireNoSave(_ what: String) throws(PinviewError) {
        try requireChangeProcessing(what)
        guard pending.isPreparingSave else { return }
        throw PinviewError(
            .invalidArgument, "\(what) is not possible while the context is being saved, from its hooks and will-save observers.")
    }

    // MARK: Faults

    /// Realises a fault and calls its entity's hook (FLT-17). If the hook fails, the object stays a
    /// fault.
    func realise(_ object: ManagedObject, _ row: CommittedRow) throws(PinviewError) {
        guard let hook = hooks(of: object)?.hooks.awakeFromFetch else {
            object.committed = row
            object.flags.remove(.fault)
            noteRealised(object)
            return
        }
        let before = (object.allSlots, object.transientBaseline)
        object.committed = row
        object.flags.remove(.fault)
        do throws(PinviewError) {
            noteRealised(object)
            try unnoticed { () throws(PinviewError) in try run(hook, object) }
        } catch {
            object.flags.insert(.fault)
            object.committed = .none
            (object.allSlots, object.transientBaseline) = before
            throw error
        }
    }

    /// Calls the hook after a refresh has given a realised object new values. Its local changes and
    /// transient values stay the same, whatever the hook sets (RFR-04, RFR-21).
    func awakeAfterRefresh(_ object: ManagedObject) throws(PinviewError) {
        guard let hook = hooks(of: object)?.hooks.awakeFromFetch else { return }
        let kept = object.entity.attributes.filter { $0.isTransient || object.changed.contains($0.index) }
            .map { ($0.index, object.slot($0.index)) }
        let baseline = object.transientBaseline
        defer {
            for (index, slot) in kept { object.setSlot(index, slot) }
            object.transientBaseline = baseline
        }
        try unnoticed { () throws(PinviewError) in try run(hook, object) }
    }

    func notice(_ path: KeyPath<EntityHooks, EntityHooks.Notice?>, _ object: ManagedObject) {
        guard let notice = hooks(of: object)?.hooks[keyPath: path] else { return }
        pending.unnoticedDepth += 1
        notice(object)
        pending.unnoticedDepth -= 1
    }

    // MARK: Insert and delete

    /// - Throws: the error of the hook, which undoes the insertion.
    func awakeFromInsert(_ object: ManagedObject) throws(PinviewError) {
        guard let hook = hooks(of: object)?.hooks.awakeFromInsert else { return }
        do throws(PinviewError) {
            try run(hook, object)
        } catch {
            if object.flags.contains(.inserted), !object.flags.contains(.invalidated) { try delete(object, preparing: false) }
            throw error
        }
    }

    /// Calls the hook of an object that is about to be deleted.
    ///
    /// - Returns: false if the hook is running already, or has deleted or discarded the object.
    func prepareForDeletion(_ object: ManagedObject, isTold: Bool) throws(PinviewError) -> Bool {
        guard isTold, let hook = hooks(of: object)?.hooks.prepareForDeletion else { return true }
        let identifier = ObjectIdentifier(object)
        guard pending.objectsInPreparation.insert(identifier).inserted else { return false }
        defer { pending.objectsInPreparation.remove(identifier) }
        try run(hook, object)
        return object.flags.isDisjoint(with: [.deleted, .invalidated]) && registry.contains(object)
    }

    // MARK: Save

    /// How many rounds of willSave a save makes for objects that the hooks themselves change, as in
    /// Core Data.
    private static let willSaveLimit = 1000

    /// Calls willSave for everything to be saved, and again for what the hooks changed, until
    /// nothing changes.
    func callWillSave() throws(PinviewError) {
        guard hookTable?.entities.contains(where: { $0?.hooks.willSave != nil }) ?? false else { return }
        var waiting = objectsToSave
        var rounds = 0
        while true {
            var called: ManagedObject?
            for object in waiting {
                guard let hook = hooks(of: object)?.hooks.willSave, isToBeSaved(object) else { continue }
                called = object
                try run(hook, object)
            }
            guard let called else { return }
            if settings.propagatesDeletesAtEndOfEvent || pending.isSaving { try propagateDeletes() }
            let changed = pending.event
            postObjectsDidChange()
            waiting = [changed.inserted, changed.updated, changed.deleted].flatMap(\.values)
                .sorted { $0.changeSequence < $1.changeSequence }
            rounds += 1
            if rounds > Self.willSaveLimit, !waiting.isEmpty {
                throw PinviewError(
                    .persistentStoreSave,
                    "The save does not end: after \(Self.willSaveLimit) rounds, willSave hooks still change objects, such as "
                        + "\(called.objectID). A willSave hook should only set properties whose values differ."
                ).with(affectedObjectIDs: [called.objectID])
            }
        }
    }

    private var objectsToSave: [ManagedObject] {
        changedInOrder(pending.inserted) + changedInOrder(pending.updated) + pending.deleted.list
    }

    private func isToBeSaved(_ object: ManagedObject) -> Bool {
        !object.flags.isDisjoint(with: [.inserted, .updated, .deleted]) && !object.flags.contains(.inaccessible)
            && registry.contains(object)
    }

    func callDidSave(_ changes: SavedChanges) {
        guard hookTable?.entities.contains(where: { $0?.hooks.didSave != nil }) ?? false else { return }
        for object in changes.inserted.values { hooks(of: object)?.hooks.didSave?(object) }
        for object in changes.updated.values { hooks(of: object)?.hooks.didSave?(object) }
        for object in changes.deleted { hooks(of: object)?.hooks.didSave?(object) }
    }

    // MARK: Validation

    /// Runs the program's own checks of one property.
    func programErrors(of object: ManagedObject, _ property: Property, _ value: Value) throws(PinviewError) -> [PinviewError] {
        guard let check = hooks(of: object)?.propertyChecks[property.index] else { return [] }
        return try collecting { () throws(PinviewError) in
            do { try check(object, value) } catch {
                let error = PinviewError(thrownByProgram: error)
                throw error.with(
                    affectedObjectIDs: error.affectedObjectIDs.isEmpty ? [object.objectID] : nil,
                    validationKey: error.validationKey ?? property.name, validationValue: error.validationValue ?? value)
            }
        }
    }

    /// Runs the program's own checks of an object as a whole.
    func programErrors(
        of object: ManagedObject, _ path: KeyPath<EntityHooks, EntityHooks.Hook?>
    ) throws(PinviewError) -> [PinviewError] {
        guard let hook = hooks(of: object)?.hooks[keyPath: path] else { return [] }
        return try collecting { () throws(PinviewError) in
            do throws(PinviewError) { try run(hook, object) } catch {
                throw error.with(affectedObjectIDs: error.affectedObjectIDs.isEmpty ? [object.objectID] : nil)
            }
        }
    }

    /// The errors that a check reports. An error that asks to stop ends the validation.
    private func collecting(_ check: () throws(PinviewError) -> Void) throws(PinviewError) -> [PinviewError] {
        do throws(PinviewError) {
            try check()
            return []
        } catch {
            if error.hasCode(.stopped) { throw error }
            // If a check reports several errors, list them next to those of the others.
            return error.hasCode(.validationMultipleErrors) && !error.detailedErrors.isEmpty ? error.detailedErrors : [error]
        }
    }
}
