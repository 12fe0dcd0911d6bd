import Pinview
import XCTest

/// Relationships compared with one another and read as values, in every combination of set, nil and
/// gone: stored, and pending in memory. FET-17, FET-18, FET-21.
final class ObjectComparisonTests: StackTestCase {
    override func model() throws -> ManagedObjectModel {
        func toOne(_ name: String, _ entity: String) -> RelationshipDescription {
            RelationshipDescription(name: name, destinationEntityName: entity)
        }
        return try ManagedObjectModel(entities: [
            EntityDescription(
                name: "Person", attributes: [AttributeDescription(name: "name", attributeType: .string)],
                relationships: [toOne("home", "House"), toOne("office", "House"), toOne("car", "Car")]),
            EntityDescription(
                name: "House", attributes: [AttributeDescription(name: "name", attributeType: .string)],
                relationships: [
                    RelationshipDescription(name: "guest", destinationEntityName: "Person", deleteRule: .noAction)
                ]),
            EntityDescription(name: "Car", attributes: [AttributeDescription(name: "name", attributeType: .string)]),
        ])
    }

    override func prepareStore() throws {}

    /// Where a person's relationships lead to: the numbers of a house, of a house and of a car.
    private struct Ends { let home: Int?, office: Int?, car: Int? }

    private static let all: [Ends] = [nil, 0, 1].flatMap { home in
        [nil, 0, 1].flatMap { office in [nil, 0].map { Ends(home: home, office: office, car: $0) } }
    }

    func test_FET_18_relationshipsAreComparedWithOneAnother() throws {
        let houses = try (0..<2).map { _ in try context.insertNewObject(forEntityName: "House") }
        let car = try context.insertNewObject(forEntityName: "Car")
        try context.save()
        for (number, ends) in Self.all.enumerated() {
            let person = try context.insertNewObject(forEntityName: "Person")
            try person.setValue("p\(number)", forKey: "name")
            try person.setRelatedObject(ends.home.map { houses[$0] }, forKey: "home")
            try person.setRelatedObject(ends.office.map { houses[$0] }, forKey: "office")
            try person.setRelatedObject(ends.car.map { _ in car }, forKey: "car")
        }
        let rules: [(String, (Ends) -> Bool)] = [
            ("home == office", { $0.home == $0.office }), ("home != office", { $0.home != $0.office }),
            ("NOT home == office", { $0.home != $0.office }), ("home == nil", { $0.home == nil }), ("car != nil", { $0.car != nil }),
            ("home == office AND car == nil", { $0.home == $0.office && $0.car == nil }),
            ("home == office OR car == nil", { $0.home == $0.office || $0.car == nil }),
        ]
        for isStored in [false, true] {
            for (format, holds) in rules {
                let expected = Self.all.indices.filter { holds(Self.all[$0]) }.map { "p\($0)" }.sorted()
                XCTAssertEqual(try context.names("Person", format), expected, "\(format), stored: \(isStored)")
                XCTAssertEqual(try context.count(for: FetchRequest("Person", format)), expected.count, "\(format), stored: \(isStored)")
            }
            try context.save()
        }
        // Objects of entities that have nothing in common are never the same: it is a mistake to
        // ask.
        assertError(.badPredicate, try context.names("Person", "home == car"))
        for house in houses {
            let expected = Self.all.indices.filter { Self.all[$0].home.map { houses[$0] === house } ?? false }.map { "p\($0)" }.sorted()
            XCTAssertEqual(try context.names("Person", "home == %@", house.objectID), expected)
        }
    }

    /// A reference is read as a value; one whose object another program has deleted is nil.
    func test_FET_21_aReferenceIsReadAsAValue() throws {
        let house = try context.insertNewObject(forEntityName: "House"), empty = try context.insertNewObject(forEntityName: "House")
        let person = try context.insertNewObject(forEntityName: "Person")
        try house.setValue("a", forKey: "name")
        try empty.setValue("b", forKey: "name")
        try house.setRelatedObject(person, forKey: "guest")
        try context.save()
        let identifier = person.objectID
        var request = FetchRequest(entityName: "House")
        request.resultType = .dictionary
        request.propertiesToFetch = ["name", "guest"]
        request.sortDescriptors = [PinviewSortDescriptor(keyPath: "name", ascending: true)]
        let reader = try makeContext(coordinator)
        XCTAssertEqual(try guests(request, reader), [.objectID(identifier), .null])
        try sqlite3("DELETE FROM ZPERSON")
        let second = try makeContextOfSecondStack()
        XCTAssertEqual(try guests(request, second), [.null, .null])
    }

    private func guests(_ request: FetchRequest, _ context: ManagedObjectContext) throws -> [Value?] {
        guard case .dictionaries(let rows) = try context.execute(request) else { return [] }
        return rows.map { $0["guest"] ?? nil }
    }
}
