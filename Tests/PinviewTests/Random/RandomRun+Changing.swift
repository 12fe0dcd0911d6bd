import Pinview

/// Changes of objects, made both in the library and in the model.
extension RandomRun {
    /// One event on the uppermost context: a block, or direct calls with their end.
    func event(isDirect: Bool, _ body: () throws -> Bool) throws {
        if isDirect { _ = try body() } else { _ = try context.performAndWait(body) }
        if isDirect { try context.processPendingChanges() }
        naive.endEvent()
        learnIdentifiersOfNewObjects()
    }

    /// Makes one change of a kind. False if it is not applicable.
    @discardableResult
    func change(_ kind: RandomStep.Kind, _ numbers: inout StepNumbers) throws -> Bool {
        switch kind {
        case .insert: return try insert(&numbers)
        case .setAttribute: return try setAttribute(&numbers)
        case .setToOne: return try setToOne(&numbers)
        case .delete: return try delete(&numbers)
        default: return try changeMembers(kind, &numbers)
        }
    }

    private func insert(_ numbers: inout StepNumbers) throws -> Bool {
        guard let entity = numbers.pick(NaiveSchema.entities + ["Person", "Employee", "Task"]) else { return false }
        lastNumber += 1
        let number = lastNumber
        note("insert \(entity) \(number)")
        let object = try context.insertNewObject(forEntityName: entity)
        levels[top].handles[number] = object
        learnIdentifier(of: object, number)
        naive.insert(number, entity: entity)
        try set(number, "number", .integer(Int64(number)))
        return true
    }

    private func set(_ number: Int, _ attribute: String, _ value: Value) throws {
        try object(number).setAttributeValue(value, forKey: attribute)
        naive.set(number, attribute, value)
    }

    private func setAttribute(_ numbers: inout StepNumbers) throws -> Bool {
        guard let number = numbers.pick(naive.alive.sorted()) else { return false }
        if numbers.next(below: 2) == 0 {
            let age = numbers.next(below: 4)
            note("\(naive.entity(number)) \(number).age = \(age)")
            try set(number, "age", .integer(Int64(age)))
        } else {
            let name = numbers.pick(["ann", "bob", "cy"]).map { Value.string($0) } ?? .null
            note("\(naive.entity(number)) \(number).name = \(name)")
            try set(number, "name", name)
        }
        return true
    }

    private func owner(_ numbers: inout StepNumbers, toMany: Bool, ordered: Bool = false) -> (Int, NaiveSchema.Relationship)? {
        guard mayRelate else { return nil }
        let fitting = NaiveSchema.relationships.filter { $0.isToMany == toMany && (!ordered || $0.isOrdered) }
        let places = naive.alive.sorted().flatMap { number in
            fitting.filter { NaiveSchema.isKind(naive.entity(number), of: $0.entity) }.map { (number, $0) }
        }
        return numbers.pick(places)
    }

    /// Whether a record is still known to the context, so that its side of a relationship can be
    /// changed too.
    private func isKnown(_ number: Int?) -> Bool {
        guard let number else { return true }
        return naive.alive.contains(number) || naive.base[number] != nil
    }

    private func setToOne(_ numbers: inout StepNumbers) throws -> Bool {
        guard let (number, relationship) = owner(&numbers, toMany: false) else { return false }
        let inverse = NaiveSchema.inverse(of: relationship)
        guard isKnown(naive.rows[number]?.toOne[relationship.name]) else { return false }
        let destination = numbers.next(below: 4) == 0 ? nil : numbers.pick(naive.candidates(relationship.destination))
        if let destination, !inverse.isToMany, !isKnown(naive.rows[destination]?.toOne[inverse.name]) { return false }
        note("\(naive.entity(number)) \(number).\(relationship.name) = \(destination.map(String.init) ?? "nil")")
        try object(number).setRelatedObject(try destination.map { try object($0) }, forKey: relationship.name)
        naive.setToOne(number, relationship, destination)
        return true
    }

    private func changeMembers(_ kind: RandomStep.Kind, _ numbers: inout StepNumbers) throws -> Bool {
        guard let (number, relationship) = owner(&numbers, toMany: true, ordered: kind == .moveMember) else { return false }
        let inverse = NaiveSchema.inverse(of: relationship), name = relationship.name
        let members = naive.rows[number]?.toMany[name] ?? []
        guard members.allSatisfy(isKnown) else { return false }
        let title = "\(naive.entity(number)) \(number).\(name)"
        let candidates = naive.candidates(relationship.destination).filter {
            inverse.isToMany || isKnown(naive.rows[$0]?.toOne[inverse.name])
        }
        switch kind {
        case .addMember:
            guard let member = numbers.pick(candidates) else { return false }
            let index = relationship.isOrdered && numbers.next(below: 2) == 0 ? numbers.next(below: members.count + 1) : nil
            if let index, !members.contains(member) {
                note("\(title) inserts \(member) at \(index)")
                try object(number).insertRelatedObject(try object(member), at: index, forKey: name)
                naive.addMember(number, relationship, member, at: index)
            } else {
                note("\(title) adds \(member)")
                try object(number).addRelatedObject(try object(member), forKey: name)
                naive.addMember(number, relationship, member)
            }
        case .removeMember:
            guard let member = numbers.pick(members.filter(naive.alive.contains)) else { return false }
            note("\(title) removes \(member)")
            try object(number).removeRelatedObject(try object(member), forKey: name)
            naive.removeMember(number, relationship, member)
        case .setMembers:
            var chosen: [Int] = []
            for _ in 0..<numbers.next(below: 4) {
                if let member = numbers.pick(candidates), !chosen.contains(member) { chosen.append(member) }
            }
            note("\(title) = \(chosen)")
            try object(number).setRelatedObjects(try chosen.map { try object($0) }, forKey: name)
            naive.setMembers(number, relationship, chosen)
        default:
            guard members.count > 1, let member = numbers.pick(members.filter(naive.alive.contains)) else { return false }
            let index = numbers.next(below: members.count)
            note("\(title) moves \(member) to \(index)")
            try object(number).insertRelatedObject(try object(member), at: index, forKey: name)
            naive.move(number, relationship, member, to: index)
        }
        return true
    }

    private func delete(_ numbers: inout StepNumbers) throws -> Bool {
        guard mayRelate, let number = numbers.pick(naive.alive.sorted()) else { return false }
        var after = naive
        after.delete(number)
        after.endEvent()
        let gone = naive.alive.subtracting(after.alive)
        for number in gone {
            // The delete rules would have to change records that the context does not know.
            guard let row = naive.rows[number], row.toOne.values.allSatisfy(isKnown), row.toMany.values.joined().allSatisfy(isKnown) else {
                return false
            }
        }
        // No record refers to an unsaved one that is deleted: a save would refuse that.
        let stillReferred = after.alive.contains { number in
            guard let row = after.rows[number] else { return false }
            return (Array(row.toOne.values) + row.toMany.values.joined()).contains { gone.contains($0) && newest.rows[$0] == nil }
        }
        if stillReferred { return false }
        note("delete \(naive.entity(number)) \(number)")
        for number in gone { _ = try object(number) }
        try context.delete(try object(number))
        naive.delete(number)
        return true
    }

    // MARK: Undo

    func takeBack(redoing: Bool) throws {
        note(redoing ? "redo" : "undo")
        if redoing { try context.redo() } else { try context.undo() }
        if redoing { naive.redo() } else { naive.undo() }
        learnIdentifiersOfNewObjects()
    }
}
