import Foundation
import Pinview
import RandomSupport
import XCTest

/// Objects that are inserted together keep their values as rows at first. Whatever happens to them,
/// they behave as objects that were inserted one by one: random work is done to both, in two stacks
/// (API-22).
final class NewRowsTests: StoreTestCase {
    func test_API_22_objectsMadeTogetherAreAsThoseMadeOneByOne() throws {
        let given = SeededGenerator.givenSeed
        for seed in given.map({ $0...$0 }) ?? 1...24 {
            var random = SeededGenerator(seed: seed)
            let hasParent = random.oneIn(4), hasUndo = !random.oneIn(3)
            let twins = try [true, false].map { isTogether in
                let coordinator = try makeCoordinator(
                    try Self.model(), name: "\(seed)-\(isTogether).sqlite", options: ["NSPersistentHistoryTrackingKey": true])
                return try Twin(try makeContext(coordinator), isTogether: isTogether, hasParent: hasParent, hasUndo: hasUndo)
            }
            for number in 0..<40 {
                let step = Step.random(&random, objectCount: twins[0].objects.count)
                let results = twins.map { $0.run(step) }
                guard results[0] == results[1] else {
                    return XCTFail("PINVIEW_SEED=\(seed), step \(number), \(step): \(results[0]), but one by one \(results[1])")
                }
                // Looking at the objects must not be what makes them alike.
                guard random.oneIn(4) else { continue }
                let shown = try twins.map { try $0.description() }
                for (one, other) in zip(shown[0], shown[1]) where one != other {
                    return XCTFail("PINVIEW_SEED=\(seed), step \(number), \(step): \(one), but one by one \(other)")
                }
            }
            try twins.forEach { try $0.saveAll() }
            let dump = "SELECT * FROM ZITEM ORDER BY Z_PK; SELECT ZCHANGETYPE, ZENTITY, ZENTITYPK FROM ACHANGE ORDER BY Z_PK"
            let stored = try [true, false].map { try sqlite3(dump, file: "\(seed)-\($0).sqlite") }
            guard stored[0] == stored[1] else { return XCTFail("PINVIEW_SEED=\(seed): the stores differ") }
        }
    }

    /// Attributes of all types, with and without defaults, and relationships.
    private static func model() throws -> ManagedObjectModel {
        try ManagedObjectModel(entities: [
            EntityDescription(
                name: "Item",
                attributes: [
                    AttributeDescription(name: "title", attributeType: .string),
                    AttributeDescription(name: "note", attributeType: .string, isOptional: false, defaultValue: "none"),
                    AttributeDescription(name: "small", attributeType: .integer16, defaultValue: 7),
                    AttributeDescription(name: "middle", attributeType: .integer32),
                    AttributeDescription(name: "large", attributeType: .integer64),
                    AttributeDescription(name: "ratio", attributeType: .double, defaultValue: 0.5),
                    AttributeDescription(name: "share", attributeType: .float),
                    AttributeDescription(name: "flag", attributeType: .boolean, defaultValue: true),
                    AttributeDescription(name: "day", attributeType: .date),
                    AttributeDescription(name: "data", attributeType: .binaryData),
                    AttributeDescription(name: "scratch", attributeType: .string, isTransient: true),
                ],
                relationships: [
                    RelationshipDescription(name: "owner", destinationEntityName: "Item", inverseRelationshipName: "parts"),
                    RelationshipDescription(name: "parts", destinationEntityName: "Item", inverseRelationshipName: "owner", isToMany: true),
                ]),
            EntityDescription(
                name: "Special", superentityName: "Item",
                attributes: [AttributeDescription(name: "extra", attributeType: .string, defaultValue: "more")]),
            // Its objects begin with what no row holds.
            EntityDescription(
                name: "Odd", superentityName: "Item",
                attributes: [AttributeDescription(name: "passing", attributeType: .integer64, isTransient: true, defaultValue: 3)]),
        ])
    }
}

private enum Step {
    case insert(entity: String, columns: [String: [Value]])
    case set(Int, String, Value)
    case read(Int, String)
    case relate(Int, Int?)
    case delete(Int)
    case refresh(Int, Bool)
    case nameForGood([Int])
    case fetch
    case undo, redo, save, rollback, process

    private static let attributes = ["title", "note", "small", "middle", "large", "ratio", "share", "flag", "day", "data", "scratch"]

    static func random(_ random: inout SeededGenerator, objectCount: Int) -> Step {
        func object() -> Int { random.below(max(objectCount, 1)) }
        guard objectCount > 0, !random.oneIn(5) else { return insertion(&random) }
        switch random.below(16) {
        case 0...3:
            let name = attributes[random.below(attributes.count)]
            return .set(object(), name, value(of: name, &random))
        case 4: return .read(object(), attributes[random.below(attributes.count)])
        case 5, 6: return .relate(object(), random.oneIn(4) ? nil : object())
        case 7: return .delete(object())
        case 8: return .refresh(object(), random.oneIn(2))
        case 9: return .nameForGood([object(), object()])
        case 10: return .fetch
        case 11: return .undo
        case 12: return .redo
        case 13: return .rollback
        case 14: return .process
        default: return .save
        }
    }

    private static func insertion(_ random: inout SeededGenerator) -> Step {
        let count = random.oneIn(12) ? 300 : [1, 15, 18, 30][random.below(4)]
        var columns: [String: [Value]] = [:]
        for name in attributes where random.oneIn(3) {
            // Mostly values that need no conversion.
            let isPlain = !random.oneIn(4)
            columns[name] = (0..<count).map { _ in isPlain && random.below(200) > 0 ? plain(name, &random) : value(of: name, &random) }
        }
        if columns.isEmpty { columns["title"] = (0..<count).map { .string("t\($0)") } }
        return .insert(entity: ["Item", "Item", "Special", "Odd"][random.below(4)], columns: columns)
    }

    private static func plain(_ name: String, _ random: inout SeededGenerator) -> Value {
        switch name {
        case "title", "note", "scratch":
            .string(["", "a", "ä\u{0}ö", String(repeating: "long ", count: 30)][random.below(4)] + "\(random.below(9))")
        case "small", "middle", "large": .integer(Int64(random.below(60_000)) - 30_000)
        case "ratio", "share": .double(Double(random.below(100)) / 4)
        case "flag": .boolean(random.oneIn(2))
        case "day": .date(Date(timeIntervalSinceReferenceDate: Double(random.below(100)) / 2))
        default: .binary([UInt8](repeating: 7, count: random.below(20)))
        }
    }

    private static func value(of name: String, _ random: inout SeededGenerator) -> Value {
        switch random.below(30) {
        case 0: return .integer(70_000)
        case 1: return .double(-0.0)
        case 2: return .date(Date(timeIntervalSinceReferenceDate: -0.0))
        case 3: return .string("not of this type")
        case 4...9: return name == "note" && !random.oneIn(20) ? .string("n") : .null
        default: return plain(name, &random)
        }
    }
}

/// One of the two stacks.
private final class Twin {
    let context: ManagedObjectContext
    private let isTogether: Bool
    private(set) var objects: [ManagedObject] = []

    init(_ root: ManagedObjectContext, isTogether: Bool, hasParent: Bool, hasUndo: Bool) throws {
        self.isTogether = isTogether
        if hasParent {
            context = ManagedObjectContext(concurrencyType: .privateQueue)
            try context.setParent(root)
        } else {
            context = root
        }
        context.undoManager = hasUndo ? UndoManager() : nil
    }

    /// What a step gives: a number, or the code of the error.
    func run(_ step: Step) -> String {
        do {
            return "\(try result(of: step))"
        } catch {
            return "\(error.code)"
        }
    }

    private func result(of step: Step) throws(PinviewError) -> Int {
        switch step {
        case .insert(let entity, let columns):
            let made = isTogether ? try context.insertNewObjects(forEntityName: entity, columns: columns) : try insert(entity, columns)
            objects += made
            return made.count
        case .set(let object, let name, let value): try objects[object].setAttributeValue(value, forKey: name)
        case .read(let object, let name): return try objects[object].attributeValue(forKey: name).isNull ? 0 : 1
        case .relate(let object, let owner): try objects[object].setRelatedObject(owner.map { objects[$0] }, forKey: "owner")
        case .delete(let object):
            // Not one that has left the context.
            guard context.registeredObjects.contains(objects[object]) else { return -1 }
            try context.delete(objects[object])
        case .refresh(let object, let mergeChanges): try context.refresh(objects[object], mergeChanges: mergeChanges)
        case .nameForGood(let named): try context.obtainPermanentIDs(for: named.map { objects[$0] })
        case .fetch:
            var request = FetchRequest(entityName: "Item")
            do { request.predicate = try PinviewPredicate(format: "small > 10 AND title != 'a1'") } catch { return -1 }
            return try context.fetch(request).count
        case .undo: try context.undoManager?.undo()
        case .redo: try context.undoManager?.redo()
        case .save: try context.save()
        case .rollback: try context.rollback()
        case .process: try context.processPendingChanges()
        }
        return 0
    }

    private func insert(_ entity: String, _ columns: [String: [Value]]) throws(PinviewError) -> [ManagedObject] {
        var made: [ManagedObject] = []
        do throws(PinviewError) {
            for row in 0..<(columns.values.first?.count ?? 0) {
                made.append(try context.insertNewObject(forEntityName: entity))
                for name in columns.keys.sorted() { try made[row].setAttributeValue(columns[name]?[row] ?? .null, forKey: name) }
            }
        } catch {
            for object in made { try context.delete(object) }
            throw error
        }
        return made
    }

    /// What is known of each object.
    func description() throws -> [String] {
        try objects.enumerated().map { number, object in
            var shown = "\(number): \(object.isInserted) \(object.isUpdated) \(object.isDeleted) \(object.isFault)"
            shown += " \(object.hasChanges) \(object.objectID.isTemporaryID)"
            guard object.managedObjectContext != nil, context.registeredObjects.contains(object) else { return shown + " left" }
            shown += " \(try object.changedValues().keys.sorted()) \(try object.committedValues(forKeys: nil).sorted { $0.key < $1.key })"
            for attribute in object.entity.attributes { shown += " \(try object.attributeValue(forKey: attribute.name))" }
            let owner = try object.relatedObject(forKey: "owner").flatMap { owner in objects.firstIndex { $0 === owner } }
            return shown + " \(owner ?? -1) \(try object.relatedObjects(forKey: "parts").count)"
        }
    }

    /// Saves what can be saved, up to the store.
    func saveAll() throws {
        do { try context.save() } catch { try context.rollback() }
        if let parent = context.parent { do { try parent.save() } catch { try parent.rollback() } }
    }
}
