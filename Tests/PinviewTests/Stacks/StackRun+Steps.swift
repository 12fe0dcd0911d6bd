import Pinview

/// The steps, in the library and in the naive model. A step that is not applicable returns false.
extension StackRun {
    func perform(_ step: StackStep) throws -> Bool {
        var words = step.words
        guard words.count > 1 else { return false }
        let name = words.removeFirst()
        var verb = words.removeFirst()
        if verb == "=" {
            guard try makeLevel(name, words) else { return false }
            note(step)
            return true
        }
        if name == "P" { return try performElsewhere(verb, words, step) }
        guard let level = levels[name] else { return false }
        var isDirect = false
        if verb == "direct" {
            guard let next = words.first else { return false }
            isDirect = true
            verb = next
            words.removeFirst()
        }
        if try change(level, verb, words, isDirect: isDirect, step) { return true }
        return try other(level, verb, words, step)
    }

    /// Does something as an event of its own, or as a direct call.
    func event(_ level: StackLevel, isDirect: Bool, _ body: () throws -> Void) throws {
        if isDirect { return try body() }
        try level.context.performAndWait { try body() }
        endEvent(level)
    }

    /// The same for a change that relates objects to others. It is refused if one of them turns out
    /// to be deleted by others.
    private func relating(
        _ level: StackLevel, _ objects: [ManagedObject], isDirect: Bool, _ body: () throws -> Void
    ) throws {
        do { try event(level, isDirect: isDirect, body) } catch {
            let isGone = objects.contains { !$0.isLive }
            guard isGone, (error as? PinviewError)?.hasCode(.invalidArgument) == true else { throw error }
            log.append("# refused: \(error)")
            endEvent(level)
            level.adopts = true
            level.forgetGroups(keepingAttributes: false)
        }
    }

    func endEvent(_ level: StackLevel) {
        if level.hasPendingDeletes {
            level.hasPendingDeletes = false
            level.adopts = true
        }
        level.closeGroup()
    }

    private func relationship(_ name: String, _ number: Int) -> StackSchema.Relationship? {
        StackSchema.relationship(name, of: StackSchema.entity(number))
    }

    // MARK: Changes

    private func change(_ level: StackLevel, _ verb: String, _ words: [String], isDirect: Bool, _ step: StackStep) throws -> Bool {
        guard let number = words.first.flatMap(Int.init) else { return false }
        switch verb {
        case "insert":
            guard used.insert(number).inserted else { return false }
            note(step)
            level.noteGroup()
            try event(level, isDirect: isDirect) {
                let object = try level.context.insertNewObject(forEntityName: StackSchema.entity(number))
                level.handles[number] = object
                learn(object, number)
                level.pending.inserted[number] = StackRow(entity: StackSchema.entity(number))
            }
        case "set":
            guard words.count >= 3, StackSchema.attributes.contains(words[1]), let object = try object(number, level) else { return false }
            let attribute = words[1], text = words[2]
            guard attribute != "code" || StackSchema.entity(number) == "Tag" else { return false }
            let value: Value = text == "nil" ? .null : attribute == "age" ? .integer(Int64(text) ?? 0) : .string(text)
            let old = try object.attributeValue(forKey: attribute)
            guard object.isLive, old != value else { return false }
            let committed =
                level.pending.inserted[number] != nil ? .null : try object.committedValues(forKeys: [attribute])[attribute] ?? .null
            note(step)
            level.noteGroup()
            let place = "\(number).\(attribute)"
            if let group = level.openGroup, !group.hasUnknownAttributes, group.attributes[place] == nil {
                level.openGroup?.attributes[place] = (number, attribute, old)
            }
            try event(level, isDirect: isDirect) {
                try object.setAttributeValue(value, forKey: attribute)
                level.pending.set(number, attribute, value, committed: committed)
            }
        case "link", "unlink":
            guard words.count >= 2, let relationship = relationship(words[1], number), !relationship.isToMany,
                let object = try object(number, level)
            else { return false }
            var destination: ManagedObject?, other: Int?
            if verb == "link" {
                guard words.count >= 3, let wanted = Int(words[2]), wanted != number,
                    StackSchema.isKind(StackSchema.entity(wanted), of: relationship.destination)
                else { return false }
                destination = try self.object(wanted, level)
                other = wanted
                guard let destination else { return false }
                // Loading it says whether it is there.
                _ = try destination.attributeValue(forKey: "name")
            }
            guard try shownDestination(level, number, relationship.name) != other, object.isLive else { return false }
            if let destination, !destination.isLive { return false }
            note(step)
            level.noteGroup()
            var pending = level.pending
            try pending.link(number, relationship, to: other) { try shownDestination(level, $0, $1) }
            level.pending = pending
            try relating(level, [object, destination].compactMap { $0 }, isDirect: isDirect) {
                try object.setRelatedObject(destination, forKey: relationship.name)
            }
        case "add", "remove", "move":
            guard words.count >= 3, let relationship = relationship(words[1], number), relationship.isToMany, let other = Int(words[2]),
                other != number, StackSchema.isKind(StackSchema.entity(other), of: relationship.destination),
                let object = try object(number, level), let member = try self.object(other, level)
            else { return false }
            // Loading both first also says whether they are there.
            _ = try member.attributeValue(forKey: "name")
            let isMember = try object.containsRelatedObject(member, forKey: relationship.name)
            guard object.isLive, member.isLive, isMember == (verb != "add") else { return false }
            let index = words.count > 3 ? Int(words[3]) : nil
            if verb == "move" {
                guard relationship.isOrdered, let index else { return false }
                let members = try object.relatedObjects(forKey: relationship.name)
                guard members.count > 1 else { return false }
                var moved = members
                moved.removeAll { $0 === member }
                moved.insert(member, at: min(index, moved.count))
                guard !moved.elementsEqual(members, by: ===) else { return false }
                note(step)
                level.noteGroup()
                // Pending orders are taken from the library; whether they are kept is compared
                // after the save.
                level.openGroup?.before = nil
                try relating(level, [object] + moved, isDirect: isDirect) {
                    try object.setRelatedObjects(moved, forKey: relationship.name)
                }
                return true
            }
            note(step)
            level.noteGroup()
            var pending = level.pending
            if level.absorbs, level.parent == nil {
                let source = graph(level)
                pending.agree(number, relationship.name, with: Set(source[number]?.toMany[relationship.name] ?? []))
                // The far side is changed without being loaded, but loading this side has recorded
                // this pair there.
                if let inverse = StackSchema.inverse(of: relationship), inverse.isToMany {
                    let isLoaded = member.loadedMembers(inverse.name) != nil
                    pending.agree(
                        other, inverse.name, with: Set(source[other]?.toMany[inverse.name] ?? []), about: isLoaded ? nil : number)
                }
            }
            if StackSchema.inverse(of: relationship) == nil {
                level.adopts = true
                level.openGroup?.before = nil
            } else if verb == "add" {
                try pending.add(number, relationship, other) { try shownDestination(level, $0, $1) }
            } else {
                try pending.remove(number, relationship, other) { try shownDestination(level, $0, $1) }
            }
            level.pending = pending
            try relating(level, [object, member], isDirect: isDirect) {
                if verb == "remove" {
                    try object.removeRelatedObject(member, forKey: relationship.name)
                } else if let index, relationship.isOrdered {
                    try object.insertRelatedObject(
                        member, at: min(index, try object.countOfRelatedObjects(forKey: relationship.name)), forKey: relationship.name)
                } else {
                    try object.addRelatedObject(member, forKey: relationship.name)
                }
            }
        case "assign":
            guard words.count >= 3, let relationship = relationship(words[1], number), relationship.isToMany,
                let object = try object(number, level)
            else { return false }
            var members: [ManagedObject] = [], seen: Set<Int> = []
            for other in words[2].split(separator: ",").compactMap({ Int($0) }) where other != number && seen.insert(other).inserted {
                guard StackSchema.isKind(StackSchema.entity(other), of: relationship.destination) else { continue }
                guard let member = try self.object(other, level) else { continue }
                _ = try member.attributeValue(forKey: "name")
                if member.isLive { members.append(member) }
            }
            let old = try object.relatedObjects(forKey: relationship.name)
            guard object.isLive, Set(old) != Set(members) else { return false }
            note(step)
            level.noteGroup()
            level.adopts = true
            try relating(level, [object] + members, isDirect: isDirect) {
                try object.setRelatedObjects(members, forKey: relationship.name)
            }
            if members.allSatisfy(\.isLive) {
                try expect(
                    level, Set(try object.relatedObjects(forKey: relationship.name)), Set(members),
                    "\(number).\(relationship.name) after it was set")
            }
        case "delete":
            guard let object = try object(number, level) else { return false }
            note(step)
            level.noteGroup()
            level.hasPendingDeletes = true
            let isNew = level.pending.inserted[number] != nil
            try event(level, isDirect: isDirect) { try level.context.delete(object) }
            level.adopts = true
            if !isNew { try expect(level, object.isDeleted, true, "isDeleted of \(number)") }
        default: return false
        }
        noteSourceChanged(level)
        return true
    }

    /// The destination of a to-one relationship in a context, read by the library before the step.
    private func shownDestination(_ level: StackLevel, _ number: Int, _ name: String) throws -> Int? {
        guard let object = try object(number, level) ?? level.handles[number] else { return nil }
        // An object that a rule left related to a deleted one counts as unrelated.
        return try object.relatedObject(forKey: name).map { $0.isLive ? try self.number(of: $0) : StackPending.gone }
    }

    // MARK: Everything else

    private func other(_ level: StackLevel, _ verb: String, _ words: [String], _ step: StackStep) throws -> Bool {
        let context = level.context
        switch verb {
        case "process":
            note(step)
            try context.processPendingChanges()
            endEvent(level)
        case "save": return try save(level, step)
        case "rollback":
            note(step)
            try context.rollback()
            level.pending = StackPending()
            level.undoGroups = []
            level.redoGroups = []
            level.hasUnknownGroups = false
            // A group that was opened explicitly stays open, but is emptied.
            level.openGroup = nil
            level.hasPendingDeletes = false
            noteSourceChanged(level)
        case "reset":
            note(step)
            for one in level.descendants.reversed() + [level] {
                try one.context.reset()
                one.handles = [:]
                one.pending = StackPending()
                one.undoGroups = []
                one.redoGroups = []
                one.hasUnknownGroups = false
                one.openGroup = nil
                one.hasPendingDeletes = false
                one.missed = []
                one.mayConflict = false
            }
            if level.parent == nil, level.pin != .unpinned {
                level.pin = .onRead
                level.isAnnounced = true
            }
        case "undo": return try undo(level, step)
        case "redo":
            guard level.explicitDepth == 0 else { return false }
            note(step)
            try context.redo()
            level.absorbs = true
            endEvent(level)
            if let group = level.redoGroups.popLast() {
                let before = level.pending
                if let group { level.pending = group } else { level.adopts = true }
                level.undoGroups.append(StackLevel.Group(before: level.adopts ? nil : before))
            } else if level.hasUnknownGroups {
                level.adopts = true
            }
            noteSourceChanged(level)
        case "begin":
            guard level.explicitDepth == 0 else { return false }
            note(step)
            level.closeGroup()
            context.undoManager?.beginUndoGrouping()
            level.explicitDepth = 1
        case "end":
            guard level.explicitDepth == 1 else { return false }
            note(step)
            context.undoManager?.endUndoGrouping()
            level.explicitDepth = 0
            level.closeGroup()
        case "refresh":
            guard words.count >= 2, let number = Int(words[0]), let object = try object(number, level),
                level.pending.inserted[number] == nil
            else { return false }
            let merging = words[1] == "merging"
            // After refreshing one side of a changed relationship, the program has to care for the
            // other side.
            if !merging, level.pending.changes[number]?.hasRelationships == true { return false }
            note(step)
            let before = try changesToKeep(level)
            try context.performAndWait { try context.refresh(object, mergeChanges: merging) }
            endEvent(level)
            level.absorbs = true
            if merging {
                level.adopts = true
                try expectKept(level, before, [number])
            } else {
                level.pending.changes[number] = nil
            }
            level.forgetGroups(keepingAttributes: false)
            noteSourceChanged(level)
        case "refreshAll":
            note(step)
            let before = try changesToKeep(level)
            try context.performAndWait { try context.refreshAllObjects() }
            endEvent(level)
            level.adopts = true
            level.absorbs = true
            level.forgetGroups(keepingAttributes: false)
            try expectKept(level, before, Array(before.changes.keys))
            if case .at(let index) = level.pin { level.missed = level.missed.filter { $0 > index } } else { level.missed = [] }
            if level.pending.deleted.isEmpty, level.missed.isEmpty { level.mayConflict = false }
            noteSourceChanged(level)
        case "obtain":
            guard level.parent == nil else { return false }
            note(step)
            try context.obtainPermanentIDs(for: Array(context.insertedObjects))
            for object in context.insertedObjects {
                try expect(level, object.objectID.isTemporaryID, false, "isTemporaryID of \(object) after obtainPermanentIDs")
            }
        case "merge", "remote": return try merge(level, remotely: verb == "remote", words, step)
        case "pin", "unpin", "token": return try pin(level, verb, words, step)
        case "fetch":
            guard let entity = words.first, StackSchema.entities.contains(entity) else { return false }
            note(step)
            let objects = try context.performAndWait { try context.fetch(FetchRequest(entityName: entity)) }
            endEvent(level)
            try expectFound(level, entity, Array(objects))
        case "readAll":
            note(step)
            try readAll(level)
        case "read":
            guard let number = words.first.flatMap(Int.init), let object = try object(number, level) else { return false }
            note(step)
            try read(object)
        case "lookUp":
            guard let number = words.first.flatMap(Int.init), shown(level).contains(number), let objectID = identifiers[number] else {
                return false
            }
            note(step)
            let known = temporaryIDs[number]?.first ?? objectID
            // A temporary ID matters only if contexts below the saved one may have it.
            let isUnknown = ManagedObject.rowName(known) != ManagedObject.rowName(objectID)
            let coordinator = coordinators[level.coordinator]
            let own = objectID.isTemporaryID ? objectID : try coordinator.managedObjectID(forURIRepresentation: objectID.uriRepresentation)
            guard let own else { throw mismatch(level, "the coordinator does not know \(objectID)") }
            let object = try context.existingObject(with: own)
            if !isUnknown {
                try expect(level, try context.object(with: known) === object, true, "\(number) looked up by \(known) and by \(own)")
            }
            level.handles[number] = object
        case "forget":
            note(step)
            level.handles = [:]
            level.lastSave = nil
        default: return false
        }
        noticePin(level.root)
        return true
    }

    private func undo(_ level: StackLevel, _ step: StackStep) throws -> Bool {
        guard level.explicitDepth == 0 else { return false }
        note(step)
        endEvent(level)
        if level.adopts { level.pending = try observed(level) }
        let before = level.pending
        try level.context.undo()
        // An undone change may have been undone by others as well, which shows when it is loaded.
        level.absorbs = true
        if let group = level.undoGroups.popLast() {
            level.redoGroups.append(group.before == nil || level.adopts ? nil : before)
            if let pending = group.before { level.pending = pending } else { level.adopts = true }
            for (_, place) in group.attributes {
                guard let object = level.handles[place.number], object.isLive,
                    try level.context.registeredObject(for: object.objectID) === object
                else { continue }
                let value = try object.attributeValue(forKey: place.name)
                guard object.isLive else { continue }
                try expect(level, value, place.value, "\(place.number).\(place.name) after the undo")
            }
        } else if level.hasUnknownGroups {
            level.adopts = true
            level.redoGroups = [StackPending?.none]
        }
        noteSourceChanged(level)
        return true
    }

    private func merge(_ level: StackLevel, remotely: Bool, _ words: [String], _ step: StackStep) throws -> Bool {
        guard let author = words.first.flatMap({ levels[$0] }), author !== level, let save = author.lastSave,
            author.parent === level.parent
        else { return false }
        note(step)
        let before = try changesToKeep(level)
        if remotely {
            let notification = save.notification
            try ManagedObjectContext.mergeChanges(
                fromRemoteContextSave: [
                    PinviewNotification.insertedObjectsKey: notification.insertedObjectIDs,
                    PinviewNotification.updatedObjectsKey: notification.updatedObjectIDs,
                    PinviewNotification.deletedObjectsKey: notification.deletedObjectIDs,
                ], into: [level.context])
        } else {
            try level.context.mergeChanges(fromContextDidSave: save.notification)
        }
        noteMerged(level, commit: level.parent == nil ? save.commit : nil)
        if level.parent == nil, level.missed.isEmpty, before.deleted.isEmpty, level.context.deletedObjects.isEmpty {
            level.mayConflict = false
        }
        try expectKept(level, before, Array(before.changes.keys))
        noteSourceChanged(level)
        return true
    }

    private func pin(_ level: StackLevel, _ verb: String, _ words: [String], _ step: StackStep) throws -> Bool {
        guard level.parent == nil else { return false }
        do throws(PinviewError) {
            switch verb {
            case "pin":
                note(step)
                try level.context.setQueryGeneration(from: .current)
                level.pin = .onRead
                level.isAnnounced = false
            case "unpin":
                note(step)
                try level.context.setQueryGeneration(from: nil)
                level.pin = .unpinned
            default:
                guard let other = words.first.flatMap({ levels[$0] }), case .at(let index) = other.pin,
                    other.coordinator == level.coordinator,
                    let token = other.context.queryGenerationToken
                else { return false }
                note(step)
                try level.context.setQueryGeneration(from: token)
                level.pin = .at(index)
                level.isPinnedBack = index < history.count - 1
                // What was read at a newer state stays as it is.
                level.missed.insert(-1)
            }
        } catch {
            guard error.hasCode(.pinnedAutoMerge), level.isAutomatic else { throw error }
        }
        level.forgetGroups(keepingAttributes: false)
        noteSourceChanged(level)
        return true
    }
}
