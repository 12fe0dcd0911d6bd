import PinviewModel
import PinviewPredicates
import XCTest

/// People with cars, a boss and a company; `Boat` is unrelated.
enum Family {
    static func model() throws -> ManagedObjectModel {
        try ManagedObjectModel(entities: [
            EntityDescription(
                name: "Person",
                attributes: [
                    AttributeDescription(name: "name", attributeType: .string), AttributeDescription(name: "nick", attributeType: .string),
                    AttributeDescription(name: "site", attributeType: .uri), AttributeDescription(name: "age", attributeType: .integer64),
                    AttributeDescription(name: "rank", attributeType: .integer16),
                    AttributeDescription(name: "height", attributeType: .double),
                    AttributeDescription(name: "ratio", attributeType: .float),
                    AttributeDescription(name: "wealth", attributeType: .decimal),
                    AttributeDescription(name: "isMember", attributeType: .boolean),
                    AttributeDescription(name: "born", attributeType: .date),
                    AttributeDescription(name: "key", attributeType: .uuid),
                    AttributeDescription(name: "photo", attributeType: .binaryData),
                    AttributeDescription(name: "in", attributeType: .string),
                    AttributeDescription(name: "fullName", attributeType: .string, isTransient: true),
                ],
                relationships: [
                    RelationshipDescription(name: "boss", destinationEntityName: "Person", inverseRelationshipName: "staff"),
                    RelationshipDescription(
                        name: "staff", destinationEntityName: "Person", inverseRelationshipName: "boss", isToMany: true),
                    RelationshipDescription(name: "cars", destinationEntityName: "Car", inverseRelationshipName: "owner", isToMany: true),
                ]),
            EntityDescription(
                name: "Pilot", superentityName: "Person", attributes: [AttributeDescription(name: "hours", attributeType: .integer32)]),
            EntityDescription(
                name: "Car",
                attributes: [
                    AttributeDescription(name: "plate", attributeType: .string),
                    AttributeDescription(name: "wheels", attributeType: .integer16),
                ],
                relationships: [
                    RelationshipDescription(name: "owner", destinationEntityName: "Person", inverseRelationshipName: "cars"),
                    RelationshipDescription(name: "parts", destinationEntityName: "Part", inverseRelationshipName: "car", isToMany: true),
                ]),
            EntityDescription(
                name: "Part",
                relationships: [RelationshipDescription(name: "car", destinationEntityName: "Car", inverseRelationshipName: "parts")]),
            EntityDescription(name: "Boat", attributes: [AttributeDescription(name: "name", attributeType: .string)]),
        ])
    }
}

/// An object that exists only in memory.
final class TestObject: EvaluableObject {
    let evaluableID: ManagedObjectID
    private var values: [String: Value]
    private var toOne: [String: TestObject] = [:]
    private var toMany: [String: [TestObject]] = [:]

    init(_ entity: Entity, _ values: [String: Value] = [:]) {
        let root = Int32(entity.rootIndex)
        evaluableID = ManagedObjectID(entity: entity, key: .temporary(rootEntity: root), storeIdentifier: nil)
        self.values = values
    }

    func set(_ value: Value, _ key: String) { values[key] = value }
    func set(_ object: TestObject?, _ key: String) { toOne[key] = object }
    func set(_ objects: [TestObject], _ key: String) { toMany[key] = objects }

    func evaluableValue(of property: Property) throws(PinviewError) -> Value { values[property.name] ?? .null }
    func evaluableDestination(of property: Property) throws(PinviewError) -> (any EvaluableObject)? { toOne[property.name] }
    func evaluableDestinations(of property: Property) throws(PinviewError) -> [any EvaluableObject] { toMany[property.name] ?? [] }
}

class PredicateTestCase: XCTestCase {
    private(set) var model: ManagedObjectModel!
    private(set) var person: Entity!

    override func setUpWithError() throws {
        model = try Family.model()
        person = try XCTUnwrap(model.entity(named: "Person"))
    }

    override func tearDown() {
        model = nil
        person = nil
    }

    func makePerson(_ values: [String: Value] = [:]) -> TestObject { TestObject(person, values) }

    func makeCar(_ values: [String: Value] = [:]) throws -> TestObject { TestObject(try XCTUnwrap(model.entity(named: "Car")), values) }

    func resolved(_ predicate: PinviewPredicate) throws -> ResolvedPredicate { try predicate.resolved(for: person, in: model) }

    func evaluate(_ object: TestObject, _ format: String, _ arguments: any PredicateArgument...) throws -> Bool {
        try evaluate(object, PinviewPredicate(format: format, arguments: arguments))
    }

    func evaluate(_ object: TestObject, _ predicate: PinviewPredicate) throws -> Bool { try resolved(predicate).evaluate(with: object) }

    /// The error of parsing and resolving a predicate.
    func error(
        _ format: String, _ arguments: [any PredicateArgument] = [], file: StaticString = #filePath, line: UInt = #line
    ) -> PinviewError? {
        do {
            _ = try resolved(PinviewPredicate(format: format, arguments: arguments))
            XCTFail("no error for \(format)", file: file, line: line)
        } catch let error as PinviewError {
            return error
        } catch {
            XCTFail("\(error)", file: file, line: line)
        }
        return nil
    }

    func assertBad(
        _ format: String, _ arguments: [any PredicateArgument] = [], says part: String, file: StaticString = #filePath, line: UInt = #line
    ) {
        guard let error = error(format, arguments, file: file, line: line) else { return }
        XCTAssertTrue(error.hasCode(.badPredicate), "\(error)", file: file, line: line)
        XCTAssertTrue(error.message.contains(part), "\(format): \(error.message)", file: file, line: line)
    }
}
