import Foundation
import Pinview
import RandomSupport
import XCTest

/// Saves at random over few keys, with two constraints, inheritance and a child context, against a
/// naive model (UNQ-01 to UNQ-10).
///
/// `PINVIEW_SEED` repeats one sequence, `PINVIEW_ROUNDS` says how many are run.
final class RandomUniquenessTests: UniquenessTestCase {
    func test_savesAgreeWithANaiveModel() throws {
        let environment = ProcessInfo.processInfo.environment
        let first = SeededGenerator.givenSeed ?? 1
        let rounds = environment["PINVIEW_ROUNDS"].flatMap(Int.init) ?? (SeededGenerator.givenSeed == nil ? 40 : 1)
        for seed in first..<first + UInt64(rounds) {
            do {
                try run(seed)
            } catch {
                return XCTFail("PINVIEW_SEED=\(seed): \(error)")
            }
            guard testRun?.failureCount == 0 else { return print("PINVIEW_SEED=\(seed)") }
        }
    }

    private func run(_ seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let coordinator = try makeCoordinator(try model(), name: "\(seed).sqlite")
        var context = try makeContext(coordinator)
        for save in 0..<25 {
            if Int.random(in: 0..<6, using: &random) == 0 { context = try makeContext(coordinator) }
            try step("seed \(seed), save \(save)", context, coordinator, &random)
        }
    }

    private func mail(_ random: inout SeededGenerator) -> Value { [.null, "a", "b", "c", "d"].randomElement(using: &random) ?? .null }
    private func phone(_ random: inout SeededGenerator) -> Value { [.null, .null, 1, 2, 3].randomElement(using: &random) ?? .null }

    private func cells(_ person: ManagedObject) throws -> [Value] {
        try UniquenessModel.keys.map { try person.attributeValue(forKey: $0) }
    }

    private func key(_ person: ManagedObject) -> Int {
        let uri = person.objectID.uriRepresentation
        return Int(uri[(uri.lastIndex(of: "p").map { uri.index(after: $0) } ?? uri.startIndex)...]) ?? 0
    }

    private func stored(_ coordinator: PersistentStoreCoordinator) throws -> [Int: [Value]] {
        let context = try makeContext(coordinator)
        return Dictionary(uniqueKeysWithValues: try context.fetch(FetchRequest("Person")).map { (key($0), try cells($0)) })
    }

    /// One save: what it changes, and what is expected of it.
    private struct Step {
        let label: String
        let context: ManagedObjectContext
        let child: ManagedObjectContext
        var model: UniquenessModel
        var people: [ManagedObject]
        var cars: [(car: ManagedObject, owner: Int)] = []
        var sequence = 0
        var number = 0
    }

    private func step(
        _ label: String, _ context: ManagedObjectContext, _ coordinator: PersistentStoreCoordinator, _ random: inout SeededGenerator
    ) throws {
        let child = ManagedObjectContext(concurrencyType: .privateQueue)
        try child.setParent(context)
        // Some are faults, some are not registered at all.
        let people = Array(try context.fetch(FetchRequest("Person"))).sorted { key($0) < key($1) }
        let kept = people.filter { _ in Bool.random(using: &random) }
        var step = Step(label: label, context: context, child: child, model: UniquenessModel(stored: try stored(coordinator)), people: kept)
        context.mergePolicy = ([.error] + Self.policies).randomElement(using: &random) ?? .error
        for _ in 0..<Int.random(in: 1...5, using: &random) {
            step.sequence += 1
            switch Int.random(in: 0..<6, using: &random) {
            case 0...2: try insert(&step, &random)
            case 3...4: try update(&step, &random)
            default: try delete(&step, &random)
            }
        }
        let before = try stored(coordinator)
        let policy = context.mergePolicy
        let error = failure(of: context)
        let isResolved = step.model.resolve(by: policy)
        if let error {
            XCTAssertFalse(isResolved, "\(label), \(policy): the save failed: \(error)")
            XCTAssertFalse(error.constraintConflicts.isEmpty, "\(label): \(error)")
            let after = try stored(coordinator)
            XCTAssertEqual(after, before, label)
            return try context.rollback()
        }
        XCTAssertTrue(isResolved, "\(label), \(policy): the save did not fail")
        if isResolved { try compare(step, policy, try makeContext(coordinator)) }
    }

    private func failure(of context: ManagedObjectContext) -> PinviewError? {
        do {
            try context.save()
            return nil
        } catch {
            return error
        }
    }

    private func insert(_ step: inout Step, _ random: inout SeededGenerator) throws {
        let isInChild = Int.random(in: 0..<4, using: &random) == 0
        let target = isInChild ? step.child : step.context
        step.number -= 1
        let person = try target.insertNewObject(forEntityName: Int.random(in: 0..<4, using: &random) == 0 ? "Employee" : "Person")
        var isSet = [false, false, false, false], cells: [Value] = [.null, .null, .null, 0]
        let values: [Value] = [mail(&random), phone(&random), .string("n\(step.sequence)"), 7]
        for index in values.indices where Int.random(in: 0..<4, using: &random) > 0 && !values[index].isNull {
            try person.setAttributeValue(values[index], forKey: UniquenessModel.keys[index])
            isSet[index] = true
            cells[index] = values[index]
        }
        step.model.insert(step.number, cells, isSet: isSet, sequence: step.sequence)
        if Bool.random(using: &random) {
            let car = try target.insertNewObject(forEntityName: "Car")
            try car.setRelatedObject(person, forKey: "owner")
            if !isInChild { step.cars.append((car, step.number)) }
        }
        // The parent takes it in right away, so that the order is the same.
        if isInChild { try step.child.save() }
    }

    private func unchanged(_ step: Step, _ random: inout SeededGenerator) -> ManagedObject? {
        step.people.filter { !$0.isDeleted && !$0.isUpdated }.randomElement(using: &random)
    }

    private func update(_ step: inout Step, _ random: inout SeededGenerator) throws {
        // Some are changed again after others were.
        guard let person = step.people.filter({ !$0.isDeleted }).randomElement(using: &random) else { return }
        try person.setAttributeValue(mail(&random), forKey: "mail")
        if Bool.random(using: &random) { try person.setAttributeValue(phone(&random), forKey: "phone") }
        if Bool.random(using: &random) { try person.setAttributeValue(.string("u\(step.sequence)"), forKey: "name") }
        step.model.update(key(person), try cells(person), sequence: step.sequence)
    }

    private func delete(_ step: inout Step, _ random: inout SeededGenerator) throws {
        guard let person = unchanged(step, &random) else { return }
        step.model.delete(key(person))
        try step.context.delete(person)
    }

    private func compare(_ step: Step, _ policy: MergePolicy, _ fresh: ManagedObjectContext) throws {
        let label = "\(step.label), \(policy)"
        XCTAssertFalse(step.context.hasChanges, label)
        let reread = Array(try fresh.fetch(FetchRequest("Person")))
        let written = try reread.map { try cells($0).description }.sorted()
        XCTAssertEqual(written, step.model.remaining.values.map(\.description).sorted(), label)
        for person in reread where step.model.rows[key(person)] != nil {
            let row = try cells(person)
            XCTAssertEqual(row, step.model.remaining[key(person)], "\(label), row \(key(person))")
        }
        for (car, owner) in step.cars {
            let row = try car.relatedObject(forKey: "owner").map { try cells($0) }
            XCTAssertEqual(row, step.model.remaining(owner), "\(label): a car's owner")
        }
        for person in Array(try step.context.fetch(FetchRequest("Person"))) {
            let twin = try fresh.existingObject(with: person.objectID)
            let mine = try cells(person), theirs = try cells(twin)
            XCTAssertEqual(mine, theirs, "\(label): in memory")
            let cars = try person.relatedObjects(forKey: "cars").map(\.objectID),
                stored = try twin.relatedObjects(forKey: "cars").map(\.objectID)
            XCTAssertEqual(Set(cars), Set(stored), "\(label): the cars")
        }
    }
}
