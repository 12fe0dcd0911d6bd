import Pinview

/// What each kind of step does.
extension RandomRun {
    func perform(_ kind: RandomStep.Kind, _ numbers: inout StepNumbers) throws {
        switch kind {
        case .insert, .setAttribute, .setToOne, .addMember, .removeMember, .setMembers, .moveMember, .delete:
            let isDirect = numbers.next(below: 3) == 0
            try event(isDirect: isDirect) { try change(kind, &numbers) }
        case .several, .groups: try several(explicitGroups: kind == .groups, &numbers)
        case .undo: try takeBack(redoing: false)
        case .redo: try takeBack(redoing: true)
        case .save: try save()
        case .rollback:
            note("rollback")
            try context.rollback()
            naive.rollback()
        case .reset: try reset()
        case .refreshMerging, .refreshDropping: try refresh(merging: kind == .refreshMerging, &numbers)
        case .refreshAll: try refreshAllIfAllowed()
        case .obtainIDs: try obtainIDs()
        case .letGo:
            guard scenario.isLazy else { return }
            let used = (naive.undoGroups + naive.redoGroups).reduce(into: Set<Int>()) { $0.formUnion($1.numbers) }
            levels[top].handles = levels[top].handles.filter { used.contains($0.key) }
        case .pushChild, .popChild, .editParent: try nest(kind, &numbers)
        case .pinCurrent, .pinThenCommit, .unpin, .takeToken: try move(kind, &numbers)
        case .giveToken, .readerPins, .readerReads: try moveReader(kind)
        case .commitAttributes: try commitElsewhere(shape: false, merging: false, &numbers)
        case .commitShape: try commitElsewhere(shape: true, merging: false, &numbers)
        case .commitAndMerge: try commitElsewhere(shape: numbers.next(below: 2) == 0, merging: true, &numbers)
        case .fetch: try fetch(&numbers)
        case .read: try read(&numbers)
        case .compareAll: try compareAll(top)
        }
    }

    /// Several changes in one event; with groups of their own, each is undone by itself.
    private func several(explicitGroups: Bool, _ numbers: inout StepNumbers) throws {
        let manager = context.undoManager, count = 2 + numbers.next(below: 3)
        let kinds: [RandomStep.Kind] = [.insert, .setAttribute, .setToOne, .addMember, .removeMember, .setMembers, .moveMember]
        var own = StepNumbers((0..<10).map { _ in numbers.next(below: 1 << 18) })
        note("in one event\(explicitGroups ? ", each in a group" : ""):")
        try context.performAndWait {
            for position in 0...count {
                // Deletions come last, because the state of related objects is unspecified until
                // the end of the event.
                guard let kind = position == count ? (own.next(below: 3) == 0 ? .delete : nil) : own.pick(kinds) else { continue }
                if explicitGroups { manager?.beginUndoGrouping() }
                try change(kind, &own)
                if explicitGroups {
                    if kind == .delete { try context.processPendingChanges() }
                    manager?.endUndoGrouping()
                    naive.endEvent()
                }
            }
        }
        naive.endEvent()
        learnIdentifiersOfNewObjects()
    }

    private func reset() throws {
        note("reset")
        try context.reset()
        naive = newNaiveContext()
        levels[top].handles = [:]
        if top == 0, pin != .unpinned { pin = .onRead(isAnnounced: false) }
        try compareState(top)
        let source = source(top)
        naive.seeNew(in: source.rows, versions: source.versions)
    }

    // MARK: Refreshing

    private func refresh(merging: Bool, _ numbers: inout StepNumbers) throws {
        let source = source(top)
        guard let number = numbers.pick(naive.base.keys.sorted()), let row = source.rows[number], let old = naive.base[number],
            let mine = naive.rows[number]
        else { return }
        if merging {
            // When one side of a relationship merges changes, the other sides show them too
            // (ONE-02); the random stacks test that.
            guard row.toOne == old.toOne, row.toMany == old.toMany else { return }
            note("refresh \(number), merging changes")
            try context.refresh(try object(number), mergeChanges: true)
            naive.see(number, row, keepingChanges: true)
            naive.versions[number] = source.versions[number]
            return
        }
        // Refreshing only one side of a changed relationship is a mistake of the program.
        guard row.toOne == old.toOne, row.toMany == old.toMany else { return }
        guard mine.toOne == old.toOne, mine.toMany == old.toMany, naive.alive.contains(number) || !mine.isRelated else { return }
        note("refresh \(number), dropping changes")
        try context.refresh(try object(number), mergeChanges: false)
        naive.see(number, row, keepingChanges: false)
        naive.versions[number] = source.versions[number]
    }

    private func refreshAllIfAllowed() throws {
        let source = source(top)
        // Records with pending changes that are gone would become inaccessible.
        guard naive.deleted.union(naive.updated).allSatisfy({ source.rows[$0] != nil }) else { return }
        guard naive.base.hasSameShape(as: source.rows) || !naive.hasChanges else { return }
        note("refreshAllObjects")
        try refreshAll()
    }

    private func obtainIDs() throws {
        guard top == 0 else { return }
        let objects = context.insertedObjects
        note("obtainPermanentIDs")
        for object in objects { levels[top].handles[try number(of: object)] = object }
        // The store hands out the keys in a transaction of its own.
        if objects.contains(where: \.objectID.isTemporaryID) { history.append(newest) }
        try context.obtainPermanentIDs(for: Array(objects))
        for object in objects { try expect(object.objectID.isTemporaryID, false, "\(object) has a temporary ID") }
        learnIdentifiersOfNewObjects()
    }

    // MARK: Nesting

    private func nest(_ kind: RandomStep.Kind, _ numbers: inout StepNumbers) throws {
        switch kind {
        case .pushChild:
            guard levels.count < 3 else { return }
            note("a child context")
            let child = ManagedObjectContext(concurrencyType: .privateQueue)
            try child.setParent(context)
            push(child)
            let source = source(top)
            naive.seeNew(in: source.rows, versions: source.versions)
        case .popChild:
            guard top > 0 else { return }
            note("the child context goes")
            levels.removeLast()
        default:
            guard top > 0, let number = numbers.pick(levels[top - 1].naive.alive.sorted()) else { return }
            let age = numbers.next(below: 4)
            note("in the parent: \(number).age = \(age), and the child refreshes all objects")
            let parent = levels[top - 1].context
            let object = try object(number, top - 1)
            try parent.performAndWait { try object.setAttributeValue(.integer(Int64(age)), forKey: "age") }
            levels[top - 1].naive.set(number, "age", .integer(Int64(age)))
            levels[top - 1].naive.endEvent()
            try refreshAll()
        }
    }

    // MARK: Generations

    private func move(_ kind: RandomStep.Kind, _ numbers: inout StepNumbers) throws {
        guard top == 0 else {
            guard kind == .pinCurrent else { return }
            do throws(PinviewError) {
                try context.setQueryGeneration(from: .current)
            } catch {
                return try expect(error.hasCode(.nestedPin), true, "\(error)")
            }
            throw Mismatch("a child could be pinned")
        }
        switch kind {
        case .takeToken:
            guard case .pinned(let index) = readerPin, index >= oldestUsable, mayMove(to: history[index]) else { return }
            note("takes the reader's token (state \(index))")
            do throws(PinviewError) {
                try context.setQueryGeneration(from: reader.queryGenerationToken)
                pin = readerPin
            } catch {
                // An old generation and automatic merging exclude each other (MRG-12).
                try expect(error.hasCode(.pinnedAutoMerge) && scenario.mergesAutomatically && index < history.count - 1, true, "\(error)")
            }
        case .unpin:
            guard mayMove(to: newest) else { return }
            note("unpins")
            try context.setQueryGeneration(from: nil)
            pin = .unpinned
        default:
            guard mayMove(to: newest) else { return }
            note("pins to current")
            try context.setQueryGeneration(from: .current)
            pin = .onRead(isAnnounced: true)
            try compareState(0)
            guard kind == .pinThenCommit else { return }
            // The pin is lazy: this commit is before the first read.
            try commitElsewhere(shape: numbers.next(below: 2) == 0, merging: false, &numbers)
            try compareState(0)
        }
    }

    private func moveReader(_ kind: RandomStep.Kind) throws {
        switch kind {
        case .giveToken:
            guard case .pinned = pin else { return }
            note("the reader takes the token")
            try reader.setQueryGeneration(from: levels[0].context.queryGenerationToken)
            readerPin = pin
        case .readerPins:
            note("the reader pins to current")
            try reader.setQueryGeneration(from: .current)
            readerPin = .onRead(isAnnounced: true)
        default: break
        }
        try compareReader()
    }

    // MARK: Reading

    private func read(_ numbers: inout StepNumbers) throws {
        guard let number = numbers.pick(naive.alive.sorted()), let row = naive.rows[number] else { return }
        let object = try object(number)
        let relationships = NaiveSchema.relationships(of: row.entity)
        let index = numbers.next(below: relationships.count + 1)
        if index == relationships.count { return try compare(object, row, attribute: "age", top) }
        note("read \(row.name).\(relationships[index].name)")
        try compare(object, row, relationships[index], top)
    }

    /// A fetch with a predicate, as objects, as a count and as a window of the sorted result.
    private func fetch(_ numbers: inout StepNumbers) throws {
        guard let entity = numbers.pick(NaiveSchema.entities + ["Person", "Person"]), let query = numbers.pick(NaiveQuery.all(entity))
        else { return }
        let exact = numbers.next(below: 4) == 0
        let expected = expectedNumbers(top) { rows, row in
            (exact ? row.entity == entity : NaiveSchema.isKind(row.entity, of: entity)) && query.matches(rows, row)
        }
        note("fetch \(entity)\(exact ? " itself" : ""), \(query.format)")
        var request = try FetchRequest(entity, query.format)
        request.includesSubentities = !exact
        try expect(try self.numbers(of: context.fetch(request)), expected, "a fetch of \(entity), \(query.format)")
        try expect(try context.count(for: request), expected.count, "the count of \(entity), \(query.format)")
        request.sortDescriptors = [PinviewSortDescriptor(keyPath: "number", ascending: false)]
        request.fetchOffset = numbers.next(below: 3)
        request.fetchLimit = 1 + numbers.next(below: 4)
        let window = expected.sorted(by: >).dropFirst(request.fetchOffset).prefix(request.fetchLimit)
        try expect(try context.fetch(request).map(number), Array(window), "a window of \(entity), \(query.format)")
        try expect(try context.fetchObjectIDs(request).map { self.numbers[$0] }, window.map { $0 }, "the IDs of a window of \(entity)")
    }
}

/// A predicate, and what it means.
struct NaiveQuery {
    let format: String
    let matches: (NaiveGraph, NaiveRow) -> Bool

    static func all(_ entity: String) -> [NaiveQuery] {
        func age(_ row: NaiveRow) -> Int64 { row.attributes["age"]?.integerValue ?? 0 }
        var queries = [
            NaiveQuery(format: "TRUEPREDICATE") { _, _ in true },
            NaiveQuery(format: "age > 1") { age($1) > 1 },
            NaiveQuery(format: "name == 'ann'") { $1.attributes["name"] == .string("ann") },
            NaiveQuery(format: "name == nil OR age == 2") { $1.attributes["name"] == .null || age($1) == 2 },
            NaiveQuery(format: "NOT (name BEGINSWITH 'b') AND age < 3") {
                !($1.attributes["name"]?.stringValue?.hasPrefix("b") ?? false) && age($1) < 3
            },
        ]
        guard NaiveSchema.isKind(entity, of: "Person") else { return queries }
        queries += [
            NaiveQuery(format: "boss == nil") { $1.toOne["boss"] == nil },
            NaiveQuery(format: "boss.age > 0") { rows, row in row.toOne["boss"].flatMap { rows[$0] }.map { age($0) > 0 } ?? false },
            NaiveQuery(format: "tasks.@count > 1") { ($1.toMany["tasks"] ?? []).count > 1 },
            NaiveQuery(format: "ANY clubs.name == 'bob'") { rows, row in
                (row.toMany["clubs"] ?? []).contains { rows[$0]?.attributes["name"] == .string("bob") }
            },
        ]
        return queries
    }
}
