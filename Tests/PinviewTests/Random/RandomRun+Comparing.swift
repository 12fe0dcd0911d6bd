import Pinview

/// Comparing the library with the naive model.
extension RandomRun {
    func expect<T: Equatable>(_ actual: T, _ expected: T, _ what: @autoclosure () -> String) throws {
        guard actual != expected else { return }
        throw Mismatch("\(what()): the library says \(actual), the model \(expected)")
    }

    private func place(_ index: Int) -> String { index == 0 ? "the context" : "child \(index)" }

    /// What can be asked without reading.
    func compareState(_ index: Int) throws {
        let context = levels[index].context, naive = levels[index].naive, name = place(index)
        let violations = context.checkInvariants()
        if !violations.isEmpty { throw Mismatch("\(name): " + violations.joined(separator: "\n")) }
        try expect(try numbers(of: context.insertedObjects), naive.inserted, "\(name): insertedObjects")
        try expect(try numbers(of: context.updatedObjects), naive.updated, "\(name): updatedObjects")
        try expect(try numbers(of: context.deletedObjects), naive.deleted, "\(name): deletedObjects")
        try expect(context.hasChanges, naive.hasChanges, "\(name): hasChanges")
        try expect(context.undoManager?.canUndo, !naive.undoGroups.isEmpty, "\(name): canUndo")
        try expect(context.undoManager?.canRedo, !naive.redoGroups.isEmpty, "\(name): canRedo")
        guard index == 0 else { return try expect(context.queryGenerationToken == nil, true, "\(name): a child has no token") }
        try compareTokens()
    }

    private func compareTokens() throws {
        let token = levels[0].context.queryGenerationToken
        switch pin {
        case .unpinned: try expect(token == nil, true, "the token of an unpinned context is nil")
        case .onRead(let isAnnounced): try expect(token, isAnnounced ? .current : nil, "the token before the first read")
        case .pinned(let index):
            try expect(token != nil && token?.isCurrent == false, true, "the token of a pinned context names a generation")
            guard case .pinned(let other) = readerPin else { return }
            if index == other { try expect(token == reader.queryGenerationToken, true, "tokens of one generation are equal") }
            if history[index].rows != history[other].rows {
                try expect(token == reader.queryGenerationToken, false, "tokens of two generations are equal")
            }
        }
    }

    // MARK: Fetching

    /// The records that a fetch finds: records with pending changes are evaluated in memory, all
    /// others in the parent store.
    func expectedNumbers(_ index: Int, _ matches: (NaiveGraph, NaiveRow) -> Bool) -> Set<Int> {
        let naive = levels[index].naive, changed = naive.inserted.union(naive.updated)
        var found: Set<Int>
        if index > 0 {
            found = expectedNumbers(index - 1, matches)
        } else {
            let rows = storeOfRoot.rows
            found = Set(rows.filter { matches(rows, $0.value) }.keys)
        }
        found.subtract(changed)
        found.subtract(naive.deleted)
        return found.union(changed.filter { number in naive.rows[number].map { matches(naive.rows, $0) } ?? false })
    }

    func compareAll(_ index: Int) throws {
        let name = place(index)
        for entity in NaiveSchema.entities where NaiveSchema.parents[entity] == nil {
            let expected = expectedNumbers(index) { NaiveSchema.isKind($1.entity, of: entity) }
            let objects = try levels[index].context.fetch(FetchRequest(entityName: entity))
            try expect(try numbers(of: objects), expected, "\(name): a fetch of \(entity)")
            try expect(objects.count, expected.count, "\(name): the number of objects that a fetch of \(entity) finds")
            let source = source(index)
            levels[index].naive.seeNew(in: source.rows, versions: source.versions)
            for object in objects { try compare(object, index) }
        }
    }

    func compare(_ object: ManagedObject, _ index: Int) throws {
        let number = try number(of: object), naive = levels[index].naive
        guard let row = naive.rows[number] else { throw Mismatch("\(place(index)): record \(number) is not in the model") }
        if !scenario.isLazy { levels[index].handles[number] = object }
        try expect(object.entity.name, row.entity, "\(place(index)): the entity of \(number)")
        try expect(object.isInserted, naive.inserted.contains(number), "\(place(index)): isInserted of \(number)")
        try expect(object.isUpdated, naive.updated.contains(number), "\(place(index)): isUpdated of \(number)")
        for name in NaiveSchema.attributes { try compare(object, row, attribute: name, index) }
        for relationship in NaiveSchema.relationships(of: row.entity) { try compare(object, row, relationship, index) }
        try expect(object.isFault, false, "\(place(index)): isFault of \(number), which was read")
    }

    func compare(_ object: ManagedObject, _ row: NaiveRow, attribute: String, _ index: Int) throws {
        try expect(
            try object.attributeValue(forKey: attribute), row.attributes[attribute], "\(place(index)): \(row.name).\(attribute)")
    }

    func compare(_ object: ManagedObject, _ row: NaiveRow, _ relationship: NaiveSchema.Relationship, _ index: Int) throws {
        let what = "\(place(index)): \(row.name).\(relationship.name)"
        guard relationship.isToMany else {
            return try expect(try object.relatedObject(forKey: relationship.name).map(number), row.toOne[relationship.name], what)
        }
        let members = try object.relatedObjects(forKey: relationship.name).map(number)
        try expect(relationship.isOrdered ? members : members.sorted(), row.toMany[relationship.name], what)
    }

    // MARK: The reader

    /// The reading context sees its own generation, independently of the context under test and of
    /// others.
    func compareReader() throws {
        let rows: NaiveGraph
        switch readerPin {
        case .unpinned: rows = newest.rows
        case .onRead:
            readerPin = .pinned(history.count - 1)
            rows = newest.rows
        case .pinned(let index): rows = history[index].rows
        }
        try reader.refreshAllObjects()
        for entity in NaiveSchema.entities where NaiveSchema.parents[entity] == nil {
            let objects = try reader.fetch(FetchRequest(entityName: entity))
            try expect(
                try numbers(of: objects), Set(rows.filter { NaiveSchema.isKind($0.value.entity, of: entity) }.keys),
                "the reader: a fetch of \(entity)")
            for object in objects {
                let number = try number(of: object)
                guard let row = rows[number] else { continue }
                for name in NaiveSchema.attributes {
                    try expect(try object.attributeValue(forKey: name), row.attributes[name], "the reader: \(row.name).\(name)")
                }
                for relationship in NaiveSchema.relationships(of: row.entity) {
                    let what = "the reader: \(row.name).\(relationship.name)"
                    if relationship.isToMany {
                        let members = try object.relatedObjects(forKey: relationship.name).map(self.number)
                        try expect(relationship.isOrdered ? members : members.sorted(), row.toMany[relationship.name], what)
                    } else {
                        try expect(try object.relatedObject(forKey: relationship.name).map(self.number), row.toOne[relationship.name], what)
                    }
                }
            }
        }
        try expect(reader.hasChanges, false, "the reader: hasChanges")
        let violations = reader.checkInvariants()
        if !violations.isEmpty { throw Mismatch("the reader: " + violations.joined(separator: "\n")) }
    }
}

extension NaiveRow {
    var name: String {
        if case .integer(let number)? = attributes["number"] { return "\(entity) \(number)" }
        return entity
    }
}
