import Foundation
import Pinview
import RandomSupport
import XCTest

/// Several conflicts in one save, each in columns of its own: SAV-10 to SAV-15. The result of a
/// policy is compared with a naive model in the context that saves, in one that merges the save, in
/// a new one and in the file.
final class ConflictsTogetherTests: StackTestCase {
    private static let keys = ["a", "b", "c", "d", "e", "f", "g", "h", "i"]
    private static let rowCount = 5

    override func model() throws -> ManagedObjectModel {
        try ManagedObjectModel(entities: [
            EntityDescription(
                name: "Row",
                attributes: [AttributeDescription(name: "number", attributeType: .integer64)]
                    + Self.keys.map { AttributeDescription(name: $0, attributeType: .integer64) })
        ])
    }

    override func prepareStore() throws {
        let context = try makeContext(coordinator)
        for number in 0..<Self.rowCount {
            let row = try context.insertNewObject(forEntityName: "Row")
            try row.setValue(number, forKey: "number")
            for (index, key) in Self.keys.enumerated() where !index.isMultiple(of: 4) { try row.setValue(index, forKey: key) }
        }
        try context.save()
    }

    private typealias Row = [String: Value]

    private func objects(_ context: ManagedObjectContext) throws -> [ManagedObject] {
        var request = FetchRequest(entityName: "Row")
        request.sortDescriptors = [PinviewSortDescriptor(keyPath: "number", ascending: true)]
        return Array(try context.fetch(request))
    }

    private func rows(_ objects: [ManagedObject]) throws -> [Row] {
        try objects.map { object in
            try Dictionary(uniqueKeysWithValues: Self.keys.map { ($0, try object.attributeValue(forKey: $0)) })
        }
    }

    /// Changes some columns of an object: which, and to what.
    private func change(_ object: ManagedObject, _ random: inout SeededGenerator) throws -> Row {
        var changes: Row = [:]
        for key in Self.keys where random.oneIn(4) {
            let before = try object.attributeValue(forKey: key)
            var value: Value = random.oneIn(5) ? .null : .integer(Int64(random.below(1000)) + 100)
            if value == before { value = .integer(7) }
            try object.setAttributeValue(value, forKey: key)
            changes[key] = value
        }
        return changes
    }

    /// What a policy makes of one row.
    private func resolved(_ base: Row, _ mine: Row, _ theirs: Row, _ policy: MergePolicy) -> Row {
        func with(_ changes: Row, _ row: Row) -> Row { row.merging(changes) { $1 } }
        if mine.isEmpty || theirs.isEmpty { return with(mine, with(theirs, base)) }
        switch policy {
        case .mergeByPropertyStoreTrump: return with(theirs, with(mine, base))
        case .mergeByPropertyObjectTrump: return with(mine, with(theirs, base))
        case .overwrite: return with(mine, base)
        default: return with(theirs, base)
        }
    }

    func test_SAV_15_severalConflictsInOneSaveAreSettledEachByItself() throws {
        let seed = SeededGenerator.givenSeed ?? 1
        print("seed \(seed)")
        var random = SeededGenerator(seed: seed)
        continueAfterFailure = false
        let third = try makeContext(coordinator)
        let seen = try objects(third)
        _ = try rows(seen)
        for round in 0..<60 {
            let policy = [MergePolicy.mergeByPropertyStoreTrump, .mergeByPropertyObjectTrump, .overwrite, .rollback][round % 4]
            let message = "round \(round), \(policy)"
            let context = try makeContext(coordinator), other = try makeContext(coordinator)
            context.mergePolicy = policy
            let mine = try objects(context), theirs = try objects(other)
            let base = try rows(mine)
            var expected: [Row] = [], seenByMine: [Row] = [], conflicts: [(id: ManagedObjectID, mine: Row, theirs: Row)] = []
            for index in 0..<Self.rowCount {
                let myChanges = try change(mine[index], &random), theirChanges = try change(theirs[index], &random)
                expected.append(resolved(base[index], myChanges, theirChanges, policy))
                // What the context has not changed it has not looked at again.
                seenByMine.append(myChanges.isEmpty ? base[index] : expected[index])
                if !myChanges.isEmpty, !theirChanges.isEmpty { conflicts.append((mine[index].objectID, myChanges, theirChanges)) }
            }
            try other.save()

            // The policy that refuses reports all of them, and changes nothing.
            if !conflicts.isEmpty {
                context.mergePolicy = .error
                let error = assertError(.managedObjectMerge, try context.save())
                let told = Dictionary((error?.conflicts ?? []).map { ($0.objectID, $0) }, uniquingKeysWith: { first, _ in first })
                XCTAssertEqual(error?.conflicts.count, conflicts.count, message)
                for conflict in conflicts {
                    XCTAssertEqual(Set(told[conflict.id]?.keysChangedByMine ?? []), Set(conflict.mine.keys), message)
                    XCTAssertEqual(Set(told[conflict.id]?.keysChangedByTheirs ?? []), Set(conflict.theirs.keys), message)
                }
                context.mergePolicy = policy
            }
            var saved: PinviewNotification?
            let center = PinviewNotificationCenter.default
            let observer = center.addObserver(forName: .didSave, object: context) { saved = $0 }
            try context.save()
            center.removeObserver(observer)
            XCTAssertEqual(try rows(mine), seenByMine, "\(message): the context that saved")
            XCTAssertFalse(context.hasChanges, message)
            if let saved { try third.mergeChanges(fromContextDidSave: saved) }
            try third.refreshAllObjects()
            XCTAssertEqual(try rows(seen), expected, "\(message): a context that looks again")
            let reader = try makeContext(coordinator)
            XCTAssertEqual(try rows(try objects(reader)), expected, "\(message): a new context")

            // What each of them does next meets no conflict with a state that it has seen.
            context.mergePolicy = .error
            for (index, row) in seenByMine.enumerated() where row != expected[index] {
                try context.refresh(mine[index], mergeChanges: false)
            }
            let writer = random.oneIn(2) ? mine : seen
            let more = try change(writer[round % Self.rowCount], &random)
            try writer[0].managedObjectContext?.save()
            expected[round % Self.rowCount].merge(more) { $1 }
            if writer == mine { try third.refreshAllObjects() }
            XCTAssertEqual(try rows(seen), expected, "\(message): after the next save")
        }
    }

    /// A third context that merges the save without reading the store sees what the policy left:
    /// also where it dropped a value.
    func test_MRG_01_aThirdContextSeesWhatAPolicyDropped() throws {
        for policy in [MergePolicy.mergeByPropertyStoreTrump, .mergeByPropertyObjectTrump, .overwrite, .rollback] {
            let context = try makeContext(coordinator), other = try makeContext(coordinator), third = try makeContext(coordinator)
            context.mergePolicy = policy
            try third.setAutomaticallyMergesChangesFromParent(true)
            let mine = try objects(context), theirs = try objects(other), seen = try objects(third)
            let base = try rows(mine)
            _ = try rows(seen)
            // Two conflicts, in different columns; the row of the second has one change of mine
            // only.
            let myChanges: [Row] = [["a": 1001, "b": 1002], ["d": 1003]]
            let theirChanges: [Row] = [["b": 2002, "c": .null], ["d": 2003, "e": 2004]]
            for index in 0..<2 {
                for (key, value) in myChanges[index] { try mine[index].setAttributeValue(value, forKey: key) }
                for (key, value) in theirChanges[index] { try theirs[index].setAttributeValue(value, forKey: key) }
            }
            try other.save()
            try context.save()
            try third.performAndWait {}
            let expected = (0..<2).map { resolved(base[$0], myChanges[$0], theirChanges[$0], policy) }
            XCTAssertEqual(try rows(Array(mine[..<2])), expected, "\(policy)")
            XCTAssertEqual(try rows(Array(seen[..<2])), expected, "\(policy): the third")
            let reader = try makeContext(coordinator)
            XCTAssertEqual(try rows(Array(objects(reader)[..<2])), expected, "\(policy): a new one")
            XCTAssertFalse(third.hasChanges)

            // The third one's next save is checked against what it has merged.
            try seen[0].setAttributeValue(5, forKey: "b")
            XCTAssertNoThrow(try third.save(), "\(policy)")
            for index in 0..<2 {
                for (key, value) in base[index] { try seen[index].setAttributeValue(value, forKey: key) }
            }
            try third.save()
        }
    }

    // MARK: Two stores

    /// Inserts, edits and deletions in two stores in turn and together, many saves long, against an
    /// array.
    func test_SAV_05_twoStoresWrittenInTurn() throws {
        let seed = SeededGenerator.givenSeed ?? 1
        print("seed \(seed)")
        var random = SeededGenerator(seed: seed)
        continueAfterFailure = false
        let stores = [
            try coordinator.addPersistentStore(type: .sqlite, at: path("second.sqlite")),
            try coordinator.addPersistentStore(type: .sqlite, at: path("third.sqlite")),
        ]
        var written: [[Int: Int]] = [[:], [:]], objects: [[Int: ManagedObject]] = [[:], [:]]
        var next = 100
        func change(_ store: Int) throws {
            let known = written[store].keys.sorted()
            switch known.isEmpty ? 0 : random.below(4) {
            case 0, 1:
                let object = try context.insertNewObject(forEntityName: "Row")
                try context.assign(object, to: stores[store])
                try object.setValue(next, forKey: "number")
                try object.setValue(next * 2, forKey: "a")
                (written[store][next], objects[store][next]) = (next * 2, object)
                next += 1
            case 2:
                let number = known[random.below(known.count)], value = random.below(1000)
                try objects[store][number]?.setValue(value, forKey: "a")
                written[store][number] = value
            default:
                let number = known[random.below(known.count)]
                if let object = objects[store].removeValue(forKey: number) { try context.delete(object) }
                written[store][number] = nil
            }
        }
        for round in 0..<80 {
            // One store, the other, both, with one change or several.
            for _ in 0...random.below(3) {
                if round % 3 != 1 { try change(0) }
                if round % 3 != 0 { try change(1) }
            }
            try context.save()
            guard round % 8 == 7 || round < 6 else { continue }
            let reader = try makeContext(try makeSecondCoordinator())
            for store in 0...1 {
                var request = FetchRequest(entityName: "Row")
                request.affectedStores = reader.persistentStoreCoordinator.map { [$0.persistentStores[store]] }
                let found = try reader.fetch(request).map { (Int(try $0.integer("number") ?? 0), Int(try $0.integer("a") ?? 0)) }
                XCTAssertEqual(Dictionary(found, uniquingKeysWith: { $1 }), written[store], "seed \(seed), round \(round), store \(store)")
                XCTAssertEqual(found.count, written[store].count, "seed \(seed), round \(round), store \(store)")
            }
            XCTAssertEqual(Set(objects.flatMap { $0.values.map(\.objectID) }).count, written[0].count + written[1].count)
        }
    }

    /// Another coordinator on the files of the two stores.
    private func makeSecondCoordinator() throws -> PersistentStoreCoordinator {
        let coordinator = PersistentStoreCoordinator(managedObjectModel: try model())
        for name in ["second.sqlite", "third.sqlite"] { try coordinator.addPersistentStore(type: .sqlite, at: path(name)) }
        return coordinator
    }

    /// Conflicts in two stores, resolved in one save.
    func test_SAV_15_conflictsInTwoStores() throws {
        let second = try coordinator.addPersistentStore(type: .sqlite, at: path("second.sqlite"))
        for policy in [MergePolicy.mergeByPropertyStoreTrump, .mergeByPropertyObjectTrump] {
            let context = try makeContext(coordinator), other = try makeContext(coordinator)
            context.mergePolicy = policy
            let rows = try (0..<2).map { store in
                let row = try context.insertNewObject(forEntityName: "Row")
                if store == 1 { try context.assign(row, to: second) }
                try row.setValue(1000 + store, forKey: "number")
                return row
            }
            try context.save()
            for (index, row) in rows.enumerated() {
                let theirs = try other.existingObject(with: row.objectID)
                try theirs.setValue(1, forKey: "a")
                try theirs.setValue(2, forKey: index == 0 ? "b" : "c")
                try row.setValue(3, forKey: "a")
                try row.setValue(4, forKey: index == 0 ? "d" : "e")
            }
            try other.save()
            try context.save()
            let reader = try makeContext(coordinator)
            let mine: Int64 = policy == .mergeByPropertyObjectTrump ? 3 : 1
            for (index, row) in rows.enumerated() {
                for seen in [row, try reader.existingObject(with: row.objectID)] {
                    XCTAssertEqual(try seen.integer("a"), mine, "\(policy), store \(index)")
                    XCTAssertEqual(try seen.integer(index == 0 ? "b" : "c"), 2, "\(policy), store \(index)")
                    XCTAssertEqual(try seen.integer(index == 0 ? "d" : "e"), 4, "\(policy), store \(index)")
                }
                try context.delete(row)
            }
            try context.save()
        }
    }
}
