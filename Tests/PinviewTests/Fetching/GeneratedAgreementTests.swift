import Foundation
import Pinview
import RandomSupport
import XCTest

/// SQL and the judgement in memory agree on generated models, data and predicates (FET-18): on the same ones each time, on others with
/// `PINVIEW_SEED`; `PINVIEW_ROUNDS` says on how many models.
final class GeneratedAgreementTests: StoreTestCase {
    func test_FET_18_storesAndMemoryAgreeOnGeneratedModels() throws {
        let environment = ProcessInfo.processInfo.environment
        let seed = SeededGenerator.givenSeed ?? 1
        let rounds = environment["PINVIEW_ROUNDS"].flatMap { Int($0) } ?? 12
        print("PINVIEW_SEED=\(seed)")
        var world = GeneratedWorld(seed: seed)
        var judged = 0, mixed = 0, refused = 0
        for round in 0..<rounds {
            let model = try world.model()
            let coordinator = PersistentStoreCoordinator(managedObjectModel: model)
            try coordinator.addPersistentStore(type: .sqlite, at: path("generated\(round).sqlite"))
            let context = try makeContext(coordinator)
            try world.fill(context, model)
            for _ in 0..<60 {
                let entity = model.entities[world.random.below(model.entities.count)]
                let predicate = world.predicate(entity, in: model, depth: 2)
                XCTAssertEqual(try PinviewPredicate(format: predicate.description), predicate, "seed \(seed)")
                var request = FetchRequest(entityName: entity.name)
                let all = try context.fetch(request)
                request.predicate = predicate
                switch (
                    outcome { () throws(PinviewError) in try context.fetchObjectIDs(request) },
                    outcome { () throws(PinviewError) in try all.filtered(using: predicate).map { $0.objectID } }
                )
                {
                case (.success(let found), .success(let expected)):
                    guard Set(found) == Set(expected) else {
                        return XCTFail(
                            "seed \(seed), model \(round), \(entity.name): \(predicate) finds \(found.count), not \(expected.count)")
                    }
                    judged += 1
                    if !found.isEmpty, found.count < all.count { mixed += 1 }
                case (.failure(let error), let inMemory):
                    XCTAssertTrue(error.hasCode(.badPredicate), "seed \(seed): \(predicate): \(error)")
                    if case .success = inMemory { XCTAssertTrue(all.isEmpty, "seed \(seed): \(predicate) is refused by the store only") }
                    refused += 1
                case (.success, .failure(let error)): return XCTFail("seed \(seed): \(predicate) is refused in memory only: \(error)")
                }
            }
        }
        print("\(judged) predicates agreed on \(rounds) models, \(mixed) of them true for some objects only; \(refused) were refused")
        XCTAssertGreaterThan(judged, rounds * 40)
        XCTAssertGreaterThan(mixed, judged / 8)
    }

    private func outcome<T>(_ body: () throws(PinviewError) -> T) -> Result<T, PinviewError> {
        do throws(PinviewError) {
            return .success(try body())
        } catch {
            return .failure(error)
        }
    }
}

/// Models, objects and predicates from one seed.
private struct GeneratedWorld {
    var random: SeededGenerator

    init(seed: UInt64) { random = SeededGenerator(seed: seed) }

    private mutating func pick<T>(_ values: [T]) -> T { values[random.below(values.count)] }

    // MARK: Models

    private static let types: [AttributeType] = [
        .string, .string, .integer16, .integer32, .integer64, .double, .float, .decimal, .boolean, .date, .uuid, .binaryData, .uri,
    ]

    /// Two to four entities, some below others, with attributes of any type and relationships of any kind between any two.
    mutating func model() throws -> ManagedObjectModel {
        let count = 2 + random.below(3)
        var attributes: [[AttributeDescription]] = []
        var relationships: [[RelationshipDescription]] = Array(repeating: [], count: count)
        for entity in 0..<count {
            attributes.append(
                (0..<(2 + random.below(4))).map { AttributeDescription(name: "a\(entity)_\($0)", attributeType: pick(Self.types)) })
        }
        for number in 0..<(2 + random.below(4)) {
            let owner = random.below(count), other = random.below(count)
            let isToMany = random.oneIn(2), isInverseToMany = random.oneIn(2)
            relationships[owner].append(
                RelationshipDescription(
                    name: "r\(number)", destinationEntityName: "E\(other)", inverseRelationshipName: "i\(number)", isToMany: isToMany,
                    isOrdered: isToMany && random.oneIn(2)))
            relationships[other].append(
                RelationshipDescription(
                    name: "i\(number)", destinationEntityName: "E\(owner)", inverseRelationshipName: "r\(number)",
                    isToMany: isInverseToMany,
                    isOrdered: isInverseToMany && random.oneIn(3)))
        }
        return try ManagedObjectModel(
            entities: (0..<count).map { entity in
                EntityDescription(
                    name: "E\(entity)", superentityName: entity > 0 && random.oneIn(3) ? "E\(random.below(entity))" : nil,
                    attributes: attributes[entity], relationships: relationships[entity])
            })
    }

    // MARK: Data

    private static let texts = ["", "a", "A", "ab", "b", "ä", "a\u{308}", "ß", "SS", "%", "_", "a*", "\u{0}", "日本", "😀", "12"]
    private static let integers: [Int64] = [0, 1, -1, 2, 3, 7, 1 << 53 + 1, .max, .min]
    private static let doubles = [0, -0.0, 0.5, 1, -2.25, 3, 0x1p53, 1e300]
    private static let decimals = ["0", "1", "0.1", "-2.5", "9007199254740993", "12.50"]

    private mutating func value(_ type: AttributeType) -> Value {
        switch type {
        case .string: return .string(pick(Self.texts))
        case .uri: return .string(pick(["a", "A:b", "http://x", "%41"]))
        case .integer16, .integer32: return .integer(Int64(random.below(8)) - 3)
        case .integer64: return .integer(pick(Self.integers))
        case .double: return .double(pick(Self.doubles))
        case .float: return .double(pick([0, 0.5, 1, -2.25]))
        case .decimal: return .decimal(DecimalNumber(pick(Self.decimals)) ?? .zero)
        case .boolean: return .boolean(random.oneIn(2))
        case .date: return .date(Date(timeIntervalSinceReferenceDate: pick([0, 1, 1.5, -100, 6e8])))
        case .uuid: return .uuid(UUID(uuid: (UInt8(random.below(3)), 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1)))
        case .binaryData, .transformable: return .binary(pick([[], [0], [1, 2], [255]]))
        case .undefined, .composite: return .null
        }
    }

    mutating func fill(_ context: ManagedObjectContext, _ model: ManagedObjectModel) throws {
        var objects: [ManagedObject] = []
        for _ in 0..<30 {
            let entity = pick(model.entities)
            let object = try context.insertNewObject(forEntityName: entity.name)
            for attribute in entity.attributes where !random.oneIn(4) {
                try object.setAttributeValue(value(attribute.attributeType), forKey: attribute.name)
            }
            objects.append(object)
        }
        for object in objects {
            for relationship in object.entity.properties where relationship.isRelationship && !random.oneIn(3) {
                let fitting = objects.filter { $0.entity.isKind(of: relationship.destinationEntityName, in: model) }
                guard !fitting.isEmpty else { continue }
                if relationship.isToMany {
                    for _ in 0..<random.below(4) { try object.addRelatedObject(pick(fitting), forKey: relationship.name) }
                } else {
                    try object.setRelatedObject(pick(fitting), forKey: relationship.name)
                }
            }
        }
        try context.save()
    }

    // MARK: Predicates

    private static let orders: [PredicateOperator] = [
        .equalTo, .notEqualTo, .lessThan, .lessThanOrEqualTo, .greaterThan, .greaterThanOrEqualTo,
    ]

    /// - Parameter variable: what the keys begin at, in a SUBQUERY; nil for the judged object.
    mutating func predicate(_ entity: Entity, in model: ManagedObjectModel, depth: Int, variable: String? = nil) -> PinviewPredicate {
        guard depth > 0, !random.oneIn(2) else { return comparison(entity, in: model, depth: depth, variable: variable) }
        switch random.below(4) {
        case 0: return .not(predicate(entity, in: model, depth: depth - 1, variable: variable))
        case 1: return .or((0..<2).map { _ in predicate(entity, in: model, depth: depth - 1, variable: variable) })
        default: return .and((0..<2).map { _ in predicate(entity, in: model, depth: depth - 1, variable: variable) })
        }
    }

    private mutating func comparison(
        _ entity: Entity, in model: ManagedObjectModel, depth: Int, variable: String?
    ) -> PinviewPredicate {
        let relationships = entity.properties.filter(\.isRelationship)
        let toMany = relationships.filter(\.isToMany)
        func begun(_ keys: [String]) -> PinviewExpression { variable.map { .variable($0, keys: keys) } ?? .keyPath(keys) }
        if !toMany.isEmpty, random.oneIn(2) {
            let relationship = pick(toMany)
            let destination = model.entity(named: relationship.destinationEntityName) ?? entity
            switch random.below(4) {
            case 0:
                return .comparison(
                    ComparisonPredicate(
                        begun([relationship.name, "@count"]), pick(Self.orders), .constant(.integer(Int64(random.below(3))))))
            case 1 where depth > 0 && variable == nil:
                let inner = predicate(destination, in: model, depth: 0, variable: "x")
                let count = PinviewExpression.function(.count, [.subquery(begun([relationship.name]), variable: "x", predicate: inner)])
                return .comparison(ComparisonPredicate(count, pick(Self.orders), .constant(.integer(Int64(random.below(2))))))
            case 2 where relationship.isOrdered && !destination.attributes.isEmpty:
                let attribute = pick(destination.attributes)
                let place = pick(["[0]", "[1]", "[FIRST]", "[LAST]"])
                return judged(begun([relationship.name, place, attribute.name]), attribute, .direct)
            default:
                let attribute = pick(destination.attributes)
                return judged(begun([relationship.name, attribute.name]), attribute, pick([.any, .all, .none]))
            }
        }
        if let relationship = relationships.first(where: { !$0.isToMany }), random.oneIn(3) {
            if random.oneIn(3) {
                return .comparison(ComparisonPredicate(begun([relationship.name]), pick([.equalTo, .notEqualTo]), .constant(.null)))
            }
            let attributes = model.entity(named: relationship.destinationEntityName)?.attributes ?? []
            if !attributes.isEmpty {
                let attribute = pick(attributes)
                return judged(begun([relationship.name, attribute.name]), attribute, .direct)
            }
        }
        let attribute = pick(entity.attributes)
        return judged(begun([attribute.name]), attribute, .direct)
    }

    /// An attribute's value compared with a value of a suitable type, or of another one.
    private mutating func judged(_ left: PinviewExpression, _ attribute: Property, _ modifier: PredicateModifier) -> PinviewPredicate {
        let type = attribute.attributeType
        let isText = type == .string || type == .uri
        let isUnordered = type == .uuid || type == .binaryData
        func constant() -> Value { random.oneIn(8) ? .null : value(type) }
        var options: PredicateOptions = []
        var op = isUnordered ? pick([.equalTo, .notEqualTo, .in]) : pick(Self.orders + [.in, .between])
        if isText {
            options = pick([[], [], .caseInsensitive, .diacriticInsensitive, [.caseInsensitive, .diacriticInsensitive], .normalized])
            op = pick(Self.orders + [.in, .between, .contains, .beginsWith, .endsWith, .like])
        }
        var left = left
        let isNumber: Bool =
            switch type {
            case .integer16, .integer32, .integer64, .double, .float, .decimal: true
            default: false
            }
        if isNumber, modifier == .direct, random.oneIn(4) {
            left = .function(pick([.add, .subtract, .multiply, .divide, .modulus]), [left, .constant(.integer(Int64(random.below(4))))])
        }
        let right: PinviewExpression
        switch op {
        case .in: right = .aggregate((0..<random.below(20)).map { _ in .constant(constant()) })
        case .between: right = .aggregate([.constant(constant()), .constant(constant())])
        default: right = .constant(constant())
        }
        return .comparison(ComparisonPredicate(left, op, right, modifier: modifier, options: options))
    }
}

extension Entity {
    fileprivate func isKind(of name: String, in model: ManagedObjectModel) -> Bool {
        var entity: Entity? = self
        while let current = entity {
            if current.name == name { return true }
            entity = current.superentityName.flatMap { model.entity(named: $0) }
        }
        return false
    }
}
