import Pinview

/// What must hold after every step, in every context.
extension StackRun {
    func expect<T: Equatable>(_ level: StackLevel, _ actual: T, _ expected: T, _ what: @autoclosure () -> String) throws {
        guard actual != expected else { return }
        throw mismatch(level, "\(what()): the library says \(actual), the model \(expected)")
    }

    func checkAll() throws {
        for level in order {
            if level.isAutomatic {
                // Automatic merges are done by now.
                try level.context.performAndWait {}
                endEvent(level)
            }
            learn(level)
        }
        // The delete rules that were just applied may have read rows.
        for level in order where level.parent == nil { noticePin(level) }
        for level in order {
            try checkLevel(level)
        }
    }

    private func checkLevel(_ level: StackLevel) throws {
        #if DEBUG
            let violations = level.context.checkInvariants()
            if !violations.isEmpty { throw mismatch(level, violations.joined(separator: "\n")) }
        #endif
        let objects = try reachable(level)
        try checkIdentity(level, objects)
        if !level.hasPendingDeletes, level.isInStep || has(.strict) { try checkInverses(level, objects) }
        try checkPending(level)
        try checkToken(level)
    }

    // MARK: ONE-01

    /// All objects of a context that can be reached without loading anything.
    func reachable(_ level: StackLevel) throws -> [ManagedObject] {
        var found: [ManagedObject] = [], seen: Set<ObjectIdentifier> = []
        var queue = Array(level.context.registeredObjects)
        for (_, handle) in level.handles where handle.isLive {
            if try level.context.registeredObject(for: handle.objectID) != nil { queue.append(handle) }
        }
        while let object = queue.popLast() {
            guard seen.insert(ObjectIdentifier(object)).inserted, object.isLive else { continue }
            // A new object that was deleted again is in no context; a rule may have left others
            // related to it.
            if object.objectID.isTemporaryID, !object.isInserted {
                if level.parent == nil { continue }
                let isAlone = try level.context.registeredObject(for: object.objectID) == nil
                if isAlone, let number = numbers[object.rowName], !existing(level).contains(number) { continue }
            }
            found.append(object)
            queue += try object.loadedNeighbours()
        }
        return found
    }

    private func checkIdentity(_ level: StackLevel, _ objects: [ManagedObject]) throws {
        var byRow: [String: ManagedObject] = [:]
        for object in objects {
            let name = object.rowName
            if let other = byRow[name], other !== object {
                throw mismatch(level, "ONE-01: two live objects for \(describe(object)): \(object) and \(other)")
            }
            byRow[name] = object
            let registered = try level.context.registeredObject(for: object.objectID)
            if registered !== object {
                throw mismatch(
                    level, "ONE-01: \(describe(object)) can be reached, but by its ID one finds \(registered.map { "\($0)" } ?? "nothing")")
            }
            guard let number = numbers[name] else { continue }
            for objectID in temporaryIDs[number] ?? [] where ManagedObject.rowName(objectID) == name {
                if let other = try level.context.registeredObject(for: objectID), other !== object {
                    throw mismatch(level, "ONE-01: \(describe(object)) and \(other), found by the ID that it had before")
                }
            }
        }
    }

    func describe(_ object: ManagedObject) -> String {
        numbers[object.rowName].map { "\(StackSchema.entity($0)) \($0)" } ?? "\(object)"
    }

    // MARK: ONE-02

    /// - Parameter records: at least one side has to be one of these; nil for all.
    func checkInverses(_ level: StackLevel, _ objects: [ManagedObject], of records: Set<Int>? = nil) throws {
        func concerns(_ object: ManagedObject) -> Bool { records.map { numbers[object.rowName].map($0.contains) ?? false } ?? true }
        for object in objects {
            for relationship in StackSchema.relationships(of: object.entity.name) {
                guard let inverse = StackSchema.inverse(of: relationship) else { continue }
                let destinations: [ManagedObject]
                if relationship.isToMany {
                    guard let members = object.loadedMembers(relationship.name) else { continue }
                    destinations = members
                } else {
                    guard case .some(let destination) = try object.loadedDestination(relationship.name) else { continue }
                    destinations = destination.map { [$0] } ?? []
                }
                for destination in destinations where concerns(object) || concerns(destination) {
                    if !destination.isLive {
                        // With the rule "no action", objects stay related to deleted ones.
                        let isLeft = inverse.rule == .noAction || inverse.rule == .deny
                        if destination.isInaccessible || isLeft || level.parent != nil { continue }
                        if leadsThereInFile(object, relationship, destination) { continue }
                        throw mismatch(
                            level, "ONE-02: \(describe(object)).\(relationship.name) leads to \(describe(destination)), which is deleted")
                    }
                    let leadsBack: Bool
                    if inverse.isToMany {
                        guard let members = destination.loadedMembers(inverse.name) else { continue }
                        leadsBack = members.contains { $0 === object }
                    } else {
                        guard case .some(let back) = try destination.loadedDestination(inverse.name) else { continue }
                        leadsBack = back === object
                    }
                    if !leadsBack {
                        throw mismatch(
                            level,
                            "ONE-02: \(describe(object)).\(relationship.name) leads to \(describe(destination)), whose \(inverse.name) does not lead back"
                        )
                    }
                }
            }
        }
    }

    /// Whether the file itself has a reference to a deleted row, because the context that deleted
    /// it had not read the reference.
    private func leadsThereInFile(
        _ object: ManagedObject, _ relationship: StackSchema.Relationship, _ destination: ManagedObject
    ) -> Bool {
        guard let number = numbers[object.rowName], let other = numbers[destination.rowName], !relationship.isToMany else { return false }
        return newest[other] == nil && newest[number]?.toOne[relationship.name] == other
    }

    // MARK: What is pending

    /// The pending changes as the library has them.
    func observed(_ level: StackLevel) throws -> StackPending {
        var pending = StackPending()
        for object in level.context.insertedObjects { level.handles[numberOfNew(object)] = object }
        for object in level.context.deletedObjects { pending.deleted.insert(try number(of: object)) }
        for object in level.context.insertedObjects {
            let number = numberOfNew(object)
            var row = StackRow(entity: object.entity.name)
            for name in StackSchema.attributes { row.attributes[name] = try object.attributeValue(forKey: name) }
            for relationship in StackSchema.relationships(of: row.entity) {
                if relationship.isToMany {
                    let members = object.loadedMembers(relationship.name) ?? object.pendingMembers(relationship.name).added
                    row.toMany[relationship.name] = try members.map(self.number).sorted()
                } else if case .some(.some(let destination)) = try object.loadedDestination(relationship.name) {
                    row.toOne[relationship.name] = try self.number(of: destination)
                }
            }
            pending.inserted[number] = row
            level.handles[number] = object
        }
        for object in level.context.updatedObjects {
            let number = try number(of: object)
            var change = StackPending.Change()
            for name in StackSchema.attributes where object.isChanged(name) {
                change.attributes[name] = try object.attributeValue(forKey: name)
            }
            for relationship in StackSchema.relationships(of: object.entity.name) where object.isChanged(relationship.name) {
                if relationship.isToMany {
                    let members = object.pendingMembers(relationship.name)
                    var noted = StackPending.Members(added: try numbers(of: members.added), removed: try numbers(of: members.removed))
                    noted.isMoved = noted.added.isEmpty && noted.removed.isEmpty
                    change.toMany[relationship.name] = noted
                } else if case .some(let destination) = try object.loadedDestination(relationship.name) {
                    change.toOne[relationship.name] = StackPending.Link(
                        was: try committedDestination(object, relationship), now: try destination.map(self.number))
                }
            }
            pending.changes[number] = change
        }
        return pending
    }

    private func committedDestination(_ object: ManagedObject, _ relationship: StackSchema.Relationship) throws -> Int? {
        guard let name = try object.committedRowName(relationship.name) else { return nil }
        return numbers[name]
    }

    private func checkPending(_ level: StackLevel) throws {
        let observed = try observed(level)
        try expect(level, level.context.hasChanges, observed.hasChanges, "hasChanges, beside the three sets")
        if level.adopts || level.hasPendingDeletes || !level.isInStep {
            level.adopts = false
            level.pending = observed
            return
        }
        var expected = level.pending
        // The model takes from the library whether the order of members has changed.
        for (number, change) in observed.changes {
            for (name, members) in change.toMany where members.isMoved {
                guard StackSchema.relationship(name, of: StackSchema.entity(number))?.isOrdered == true else { continue }
                if expected.changes[number]?.toMany[name] == nil {
                    expected.changes[number, default: StackPending.Change()].toMany[name] = members
                }
            }
        }
        for (number, change) in expected.changes {
            for (name, members) in change.toMany where members.isMoved && observed.changes[number]?.toMany[name] == nil {
                expected.changes[number]?.toMany[name] = nil
                if expected.changes[number]?.isEmpty == true { expected.changes[number] = nil }
            }
        }
        for (number, change) in expected.changes where level.absorbs {
            for (name, members) in change.toMany {
                let shown = observed.changes[number]?.toMany[name]
                var left = members
                left.added.formIntersection(shown?.added ?? [])
                left.removed.formIntersection(shown?.removed ?? [])
                expected.changes[number]?.toMany[name] = left.isEmpty ? nil : left
            }
            if expected.changes[number]?.isEmpty == true { expected.changes[number] = nil }
        }
        // A member that is gone from the store needs no removal.
        let kept = existing(level)
        for (number, change) in expected.changes {
            for (name, members) in change.toMany {
                let shown = observed.changes[number]?.toMany[name]?.removed ?? []
                var left = members
                left.removed = left.removed.filter { kept.contains($0) || shown.contains($0) }
                expected.changes[number]?.toMany[name] = left.isEmpty ? nil : left
            }
            if expected.changes[number]?.isEmpty == true { expected.changes[number] = nil }
        }
        // A member taken from an owner is also taken from the one that others have given it to
        // since, once that is read.
        let source = source(level)
        for (number, change) in expected.changes {
            for (name, link) in change.toOne {
                guard let relationship = StackSchema.relationship(name, of: StackSchema.entity(number)),
                    let inverse = StackSchema.inverse(of: relationship), inverse.isToMany,
                    let owner = source[number]?.toOne[name], owner != link.now,
                    observed.changes[owner]?.toMany[inverse.name]?.removed.contains(number) == true
                else { continue }
                expected.changes[owner, default: StackPending.Change()].toMany[inverse.name, default: StackPending.Members()].removed
                    .insert(number)
            }
        }
        // Also without an inverse, a member given to another owner is taken from the one that
        // others have given it to since.
        for relationship in StackSchema.relationships where relationship.isToMany && relationship.inverse == nil {
            let added = Set(expected.changes.values.flatMap { $0.toMany[relationship.name]?.added ?? [] })
                .union(expected.inserted.values.flatMap { $0.toMany[relationship.name] ?? [] })
            for (owner, change) in observed.changes {
                let taken = (change.toMany[relationship.name]?.removed ?? []).intersection(added)
                    .intersection(source[owner]?.toMany[relationship.name] ?? [])
                guard !taken.isEmpty else { continue }
                expected.changes[owner, default: StackPending.Change()]
                    .toMany[relationship.name, default: StackPending.Members()].removed.formUnion(taken)
            }
        }
        if !observed.hasChanges { level.absorbs = false }
        if level.absorbs {
            expected.takeOtherSides(of: observed)
            expected.takeDeletedMembersWithoutInverse(of: observed)
        }
        // A reference in the source to a row that was deleted here, or whose deletion was merged,
        // is dropped when it is read.
        for (number, change) in observed.changes {
            for (name, link) in change.toOne where link.now == nil && expected.changes[number]?.toOne[name] == nil {
                guard let was = source[number]?.toOne[name], source[was] == nil || observed.deleted.contains(was) else { continue }
                expected.changes[number, default: StackPending.Change()].toOne[name] = link
            }
        }
        takeWrittenMembers(of: observed, source, &expected)
        // A fault whose row is gone is deleted as soon as it is fired.
        let existing = existing(level)
        expected.deleted.formUnion(observed.deleted.filter { !existing.contains($0) })
        for number in expected.deleted { expected.changes[number] = nil }
        expected = expected.leadingOnly(to: { level.handles[$0]?.isInaccessible != true })
        if let difference = expected.difference(from: observed, name: "the model says", otherName: "the library") {
            throw mismatch(level, difference)
        }
        level.pending = observed
    }

    /// An object that joined or left a relationship is written even if its row says the same
    /// already, as the context cannot tell whether the row is outdated.
    private func takeWrittenMembers(of observed: StackPending, _ source: StackGraph, _ expected: inout StackPending) {
        for (number, change) in observed.changes {
            for (name, link) in change.toOne
            where expected.changes[number]?.toOne[name] == nil && source[number]?.toOne[name] == link.now {
                guard let relationship = StackSchema.relationship(name, of: StackSchema.entity(number)),
                    let inverse = StackSchema.inverse(of: relationship), inverse.isToMany
                else { continue }
                let isMoved = expected.changes.contains { owner, change in
                    guard let members = change.toMany[inverse.name] else { return false }
                    return owner == link.now ? members.added.contains(number) : members.removed.contains(number)
                }
                if isMoved { expected.changes[number, default: StackPending.Change()].toOne[name] = link }
            }
        }
    }

    /// The pending changes, without the references that the parent shows too: after merging the
    /// parent's state they are no changes of the child any more (CTX-10), and then others may take
    /// a one-to-one partner.
    func changesToKeep(_ level: StackLevel) throws -> StackPending {
        var kept = level.pending
        guard let parent = level.parent else { return kept }
        for (number, change) in level.pending.changes {
            for (name, link) in change.toOne {
                guard let shown = try parent.handles[number]?.loadedDestination(name), try shown.map(self.number) == link.now else {
                    continue
                }
                kept.changes[number]?.toOne[name] = nil
            }
        }
        return kept
    }

    /// Changes made here before others' changes were merged are kept (MRG-01, RFR-04, RFR-07).
    func expectKept(_ level: StackLevel, _ before: StackPending, _ numbers: [Int]) throws {
        for number in numbers {
            guard let change = before.changes[number], let object = level.handles[number], object.isLive else { continue }
            for (name, value) in change.attributes {
                let actual = try object.attributeValue(forKey: name)
                guard object.isLive else { break }
                try expect(level, actual, value, "\(number).\(name), which was changed here before")
            }
            for (name, link) in change.toOne {
                guard object.isLive else { break }
                if let now = link.now, level.handles[now]?.isLive != true { continue }
                let destination = try object.relatedObject(forKey: name)
                guard object.isLive else { break }
                // One-to-one and one-to-many: others may have moved the partner away from here.
                try expect(level, try destination.map(self.number), link.now, "\(number).\(name), which was changed here before")
            }
        }
    }

    private func checkToken(_ level: StackLevel) throws {
        guard level.parent == nil else {
            return try expect(level, level.context.queryGenerationToken == nil, true, "the token of a child is nil")
        }
        let state = level.context.queryGenerationState, token = level.context.queryGenerationToken
        switch level.pin {
        case .unpinned:
            try expect(level, state, .unpinned, "queryGenerationState")
            try expect(level, token == nil, true, "the token of an unpinned context is nil")
        case .onRead: try expect(level, state, .pinnedAtNextRead, "queryGenerationState")
        case .at:
            try expect(level, state, .pinned, "queryGenerationState")
            try expect(level, token != nil && token?.isCurrent == false, true, "the token of a pinned context names a generation")
        }
    }

    // MARK: Reading

    func expectFound(_ level: StackLevel, _ entity: String, _ objects: [ManagedObject]) throws {
        noticePin(level.root)
        // A fetch applies the delete rules first, also in the contexts above.
        var above = Optional(level)
        while let one = above {
            if one.hasPendingDeletes || one.adopts { one.pending = try observed(one) }
            above = one.parent
        }
        var expected = shown(level).filter { StackSchema.isKind(StackSchema.entity($0), of: entity) }
        let found = try numbers(of: objects)
        // A changed object is found until its context notices that its row is gone.
        expected.formUnion(found.filter { level.pending.changes[$0] != nil })
        var chain: StackLevel? = level
        while let one = chain?.parent {
            expected.formUnion(found.filter { one.pending.changes[$0] != nil })
            chain = one
        }
        try expect(level, found, expected, "a fetch of \(entity)")
        try expect(level, objects.count, found.count, "the number of objects that a fetch of \(entity) finds")
        for object in objects { level.handles[try number(of: object)] = object }
    }

    /// Reads everything that an object has.
    func read(_ object: ManagedObject) throws {
        for name in StackSchema.attributes { _ = try object.attributeValue(forKey: name) }
        guard object.isLive else { return }
        for relationship in StackSchema.relationships(of: object.entity.name) {
            if relationship.isToMany {
                _ = try object.relatedObjects(forKey: relationship.name)
            } else {
                _ = try object.relatedObject(forKey: relationship.name)
            }
        }
    }

    /// Loads everything that a context can read; the step's own check looks at all of it then.
    func readAll(_ level: StackLevel) throws {
        for entity in StackSchema.entities where StackSchema.parents[entity] == nil {
            let objects = Array(try level.context.fetch(FetchRequest(entityName: entity)))
            try expectFound(level, entity, objects)
            for object in objects { try read(object) }
        }
    }
}
