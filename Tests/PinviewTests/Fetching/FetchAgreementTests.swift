import Pinview
import RandomSupport
import XCTest

/// The store and the in-memory judgement give the same answer for every construct of the predicate
/// language: FET-18.
///
/// Each predicate is asked twice: of a context without pending changes, where SQL decides, and of a
/// context that has inserted the same objects without saving them, where the evaluator decides.
final class FetchAgreementTests: StoreTestCase {
    private var stored: ManagedObjectContext!
    private var inMemory: ManagedObjectContext!

    override func setUpWithError() throws {
        try super.setUpWithError()
        let model = try makeModel()
        stored = try makeContext(try makeCoordinator(model, name: "stored.sqlite"))
        inMemory = try makeContext(try makeCoordinator(model, name: "memory.sqlite"))
        try insertObjects(stored)
        try insertObjects(inMemory)
        try stored.save()
    }

    override func tearDownWithError() throws {
        stored = nil
        inMemory = nil
        try super.tearDownWithError()
    }

    private func makeModel() throws -> ManagedObjectModel {
        try ManagedObjectModel(entities: [
            EntityDescription(
                name: "Person",
                attributes: [
                    AttributeDescription(name: "code", attributeType: .string), AttributeDescription(name: "name", attributeType: .string),
                    AttributeDescription(name: "age", attributeType: .integer64),
                    AttributeDescription(name: "height", attributeType: .double),
                    AttributeDescription(name: "born", attributeType: .date),
                    AttributeDescription(name: "isMember", attributeType: .boolean),
                    AttributeDescription(name: "wealth", attributeType: .decimal), AttributeDescription(name: "key", attributeType: .uuid),
                ],
                relationships: [
                    RelationshipDescription(name: "cars", destinationEntityName: "Car", inverseRelationshipName: "owner", isToMany: true),
                    RelationshipDescription(name: "boss", destinationEntityName: "Person", inverseRelationshipName: "staff"),
                    RelationshipDescription(
                        name: "staff", destinationEntityName: "Person", inverseRelationshipName: "boss", isToMany: true),
                ]),
            EntityDescription(
                name: "Car",
                attributes: [
                    AttributeDescription(name: "name", attributeType: .string),
                    AttributeDescription(name: "wheels", attributeType: .integer16),
                ],
                relationships: [
                    RelationshipDescription(name: "owner", destinationEntityName: "Person", inverseRelationshipName: "cars")
                ]),
        ])
    }

    private static let names: [String?] = [
        nil, "", "dave", "Dave", "DAVE", "Zoë", "Zoe\u{308}", "zoe", "50%", "a_b", "a*b", "[x]", "it's", "\"quoted\"", "\u{1F600}",
        "Straße", "STRASSE",
    ]
    private static let key = UUID(uuidString: "6F9619FF-8B86-D011-B42D-00C04FC964FF") ?? UUID()

    private func insertObjects(_ context: ManagedObjectContext) throws {
        var persons: [ManagedObject] = []
        for (index, name) in Self.names.enumerated() {
            let person = try context.insertNewObject(forEntityName: "Person")
            try person.setValue("p\(index)", forKey: "code")
            try person.setValue(name, forKey: "name")
            if index % 4 != 3 { try person.setValue(index * 10 - 50, forKey: "age") }
            if index % 3 != 2 { try person.setValue(Double(index) / 4, forKey: "height") }
            if index % 5 != 4 { try person.setValue(Date(timeIntervalSinceReferenceDate: Double(index) * 1000.5), forKey: "born") }
            if index % 6 != 5 { try person.setValue(index % 2 == 0, forKey: "isMember") }
            if index % 7 != 6 { try person.setValue(DecimalNumber("\(index).25"), forKey: "wealth") }
            if index == 3 { try person.setValue(Self.key, forKey: "key") }
            if index > 4 { try person.setRelatedObject(persons[index - 5], forKey: "boss") }
            for number in 0..<(index % 4) {
                let car = try context.insertNewObject(forEntityName: "Car")
                try car.setValue("car\(number)", forKey: "name")
                try car.setValue(number + 2, forKey: "wheels")
                try car.setRelatedObject(person, forKey: "owner")
            }
            persons.append(person)
        }
    }

    private func codes(_ context: ManagedObjectContext, _ predicate: PinviewPredicate) throws -> [String] {
        var request = FetchRequest(entityName: "Person")
        request.predicate = predicate
        return try context.fetch(request).map { try $0.attributeValue(forKey: "code").stringValue ?? "" }.sorted()
    }

    @discardableResult
    private func assertAgree(
        _ format: String, _ arguments: any PredicateArgument..., file: StaticString = #filePath, line: UInt = #line
    ) throws -> [String] {
        let predicate = try PinviewPredicate(format: format, arguments: arguments)
        let fromStore = try codes(stored, predicate)
        XCTAssertEqual(fromStore, try codes(inMemory, predicate), format, file: file, line: line)
        return fromStore
    }

    func test_FET_18_comparisons() throws {
        for op in ["==", "=", "!=", "<>", "<", "<=", "=<", ">", ">=", "=>"] {
            for key in ["age", "height", "wealth"] {
                for value in [-50.0, 0, 2.5, 20, 1e300] { try assertAgree("\(key) \(op) %f", value) }
                try assertAgree("\(key) \(op) nil")
                try assertAgree("NOT \(key) \(op) 20")
            }
            try assertAgree("name \(op) %@", "dave")
            try assertAgree("name \(op) nil")
            try assertAgree("born \(op) %@", Date(timeIntervalSinceReferenceDate: 3001.5))
            try assertAgree("isMember \(op) YES")
            try assertAgree("age \(op) height")
        }
        XCTAssertEqual(try assertAgree("name == 'dave'"), ["p2"])
        XCTAssertEqual(try assertAgree("name == nil"), ["p0"])
        XCTAssertEqual(try assertAgree("name != 'dave'").count, Self.names.count - 1)
        XCTAssertEqual(try assertAgree("key == %@", Self.key), ["p3"])
    }

    func test_FET_18_texts() throws {
        for op in ["CONTAINS", "BEGINSWITH", "ENDSWITH", "LIKE", "==", "!=", "<", ">="] {
            for options in ["", "[c]", "[d]", "[cd]"] {
                for text in ["", "dave", "AVE", "zoe", "Zoë", "%", "_", "*", "a?b", "a\\*b", "*a*", "[", "'", "\"", "ß", "ss", "\u{1F600}"]
                {
                    try assertAgree("name \(op)\(options) %@", text)
                    try assertAgree("NOT (name \(op)\(options) %@)", text)
                }
            }
        }
        XCTAssertEqual(try assertAgree("name BEGINSWITH[c] 'dav'"), ["p2", "p3", "p4"])
        XCTAssertEqual(try assertAgree("name CONTAINS '%'"), ["p8"])
        XCTAssertEqual(try assertAgree("name ==[cd] 'ZOE'"), ["p5", "p6", "p7"])
    }

    func test_FET_18_lists() throws {
        try assertAgree("age IN {0, 10, 20}")
        try assertAgree("age IN %@", [0, 10, 2_000_000])
        try assertAgree("name IN %@", ["dave", "Dave"])
        try assertAgree("name IN {'dave', nil}")
        try assertAgree("NOT (name IN {'dave', nil})")
        try assertAgree("age IN {}")
        try assertAgree("age BETWEEN {0, 50}")
        try assertAgree("NOT age BETWEEN %@", [0, 50])
        XCTAssertEqual(try assertAgree("age IN %@", Array(0..<100_000)).count, try assertAgree("age >= 0").count)
    }

    func test_FET_18_keyPathsAndObjects() throws {
        try assertAgree("boss == nil")
        try assertAgree("boss != nil")
        try assertAgree("boss.name == 'dave'")
        try assertAgree("boss.name != 'dave'")
        try assertAgree("boss.name == nil")
        try assertAgree("boss.boss.age < 0")
        try assertAgree("boss.boss == nil AND boss != nil")
        for format in ["SELF == %@", "SELF != %@", "boss == %@", "boss != %@", "boss.objectID == %@", "NOT boss == %@"] {
            let counts = try [stored, inMemory].compactMap { $0 }.map { context in
                let dave = try context.person("dave")
                return try codes(context, PinviewPredicate(format: format, dave))
            }
            XCTAssertEqual(counts[0], counts[1], format)
        }
    }

    func test_FET_18_toManyRelationships() throws {
        for modifier in ["ANY", "SOME", "ALL", "NONE"] {
            for op in ["==", "!=", "<", ">="] {
                try assertAgree("\(modifier) cars.wheels \(op) 3")
                try assertAgree("NOT (\(modifier) cars.wheels \(op) 3)")
                try assertAgree("\(modifier) cars.name \(op) 'car0'")
                try assertAgree("\(modifier) boss.cars.wheels \(op) 3")
            }
            try assertAgree("\(modifier) cars.wheels BETWEEN {3, 4}")
            try assertAgree("\(modifier) staff.age IN {0, 10}")
        }
        try assertAgree("cars.@count == 0")
        try assertAgree("cars.@count > 1 AND staff.@count == 1")
        try assertAgree("boss.cars.@count == 2")
    }

    func test_FET_18_compounds() throws {
        try assertAgree("age > 0 AND (name == nil OR height < 2) AND NOT isMember == YES")
        try assertAgree("age > 0 && name != nil || !(height >= 1)")
        try assertAgree("TRUEPREDICATE")
        try assertAgree("FALSEPREDICATE OR name == 'dave'")
    }

    func test_FET_18_randomCompounds() throws {
        let seed = SeededGenerator.givenSeed ?? 1
        print("seed of FetchAgreementTests: \(seed) (PINVIEW_SEED)")
        var generator = SeededGenerator(seed: seed)
        for _ in 0..<300 {
            let predicate = Self.randomPredicate(depth: 4, &generator)
            XCTAssertEqual(try codes(stored, predicate), try codes(inMemory, predicate), "\(predicate), seed \(seed)")
            XCTAssertEqual(try PinviewPredicate(format: predicate.description), predicate, "printed and read again, seed \(seed)")
        }
    }

    private static func randomPredicate(depth: Int, _ generator: inout SeededGenerator) -> PinviewPredicate {
        let kind = depth == 0 ? 0 : Int.random(in: 0..<5, using: &generator)
        switch kind {
        case 1: return .and((0..<Int.random(in: 2...3, using: &generator)).map { _ in randomPredicate(depth: depth - 1, &generator) })
        case 2: return .or((0..<Int.random(in: 2...3, using: &generator)).map { _ in randomPredicate(depth: depth - 1, &generator) })
        case 3: return .not(randomPredicate(depth: depth - 1, &generator))
        default: return .comparison(randomComparison(&generator))
        }
    }

    private static func randomComparison(_ generator: inout SeededGenerator) -> ComparisonPredicate {
        let operators: [PredicateOperator] = [.equalTo, .notEqualTo, .lessThan, .lessThanOrEqualTo, .greaterThan, .greaterThanOrEqualTo]
        let op = operators.randomElement(using: &generator) ?? .equalTo
        switch Int.random(in: 0..<4, using: &generator) {
        case 0:
            let textual: [PredicateOperator] = operators + [.contains, .beginsWith, .endsWith, .like]
            let text = (names.compactMap { $0 } + ["a", "e*", "?"]).randomElement(using: &generator) ?? ""
            return ComparisonPredicate(
                PinviewExpression(forKeyPath: Bool.random(using: &generator) ? "name" : "boss.name"),
                textual.randomElement(using: &generator) ?? .like,
                .constant(.string(text)), options: PredicateOptions(rawValue: Int.random(in: 0..<4, using: &generator)))
        case 1:
            let modifier = [PredicateModifier.any, .all, .none].randomElement(using: &generator) ?? .any
            return ComparisonPredicate(
                PinviewExpression(forKeyPath: "cars.wheels"), op, .constant(.integer(Int64.random(in: 1...5, using: &generator))),
                modifier: modifier)
        case 2:
            return ComparisonPredicate(
                PinviewExpression(forKeyPath: "boss"), Bool.random(using: &generator) ? .equalTo : .notEqualTo, .constant(.null))
        default:
            let key = ["age", "height", "boss.age", "cars.@count", "wealth"].randomElement(using: &generator) ?? "age"
            let value: Value = Bool.random(using: &generator) ? .null : .double(Double(Int.random(in: -8...16, using: &generator)) * 2.5)
            return ComparisonPredicate(PinviewExpression(forKeyPath: key), op, .constant(value))
        }
    }
}
