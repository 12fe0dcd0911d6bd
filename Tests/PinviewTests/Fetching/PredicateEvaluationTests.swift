import Pinview
import XCTest

/// Predicates and expressions judge objects and arrays in memory, and agree with the stores:
/// FET-18.
final class PredicateEvaluationTests: StackTestCase {
    override func model() throws -> ManagedObjectModel {
        try ManagedObjectModel(entities: [
            EntityDescription(
                name: "Box",
                attributes: [
                    AttributeDescription(name: "label", attributeType: .string),
                    AttributeDescription(name: "weight", attributeType: .integer64, defaultValue: 0),
                ],
                relationships: [
                    RelationshipDescription(name: "outer", destinationEntityName: "Box", inverseRelationshipName: "inner"),
                    RelationshipDescription(name: "inner", destinationEntityName: "Box", inverseRelationshipName: "outer", isToMany: true),
                ])
        ])
    }

    override func prepareStore() throws {}

    private func box(_ label: String?, _ weight: Int, in outer: ManagedObject? = nil) throws -> ManagedObject {
        let box = try context.insertNewObject(forEntityName: "Box")
        try box.setAttributeValue(label.map { .string($0) } ?? .null, forKey: "label")
        try box.setValue(weight, forKey: "weight")
        try box.setRelatedObject(outer, forKey: "outer")
        return box
    }

    func test_FET_18_objectsAreJudgedByTheirUnsavedValues() throws {
        let large = try box("large", 10)
        let small = try box("small", 1, in: large)
        let predicate = try PinviewPredicate(format: "weight > 5 AND ANY inner.label BEGINSWITH 'sm'")
        XCTAssertTrue(try predicate.evaluate(with: large))
        XCTAssertFalse(try predicate.evaluate(with: small))
        try large.setValue(2, forKey: "weight")
        XCTAssertFalse(try predicate.evaluate(with: large))
        XCTAssertEqual(try PinviewExpression(format: "outer.weight * 2").value(with: small), 4)
        XCTAssertEqual(try PinviewExpression(format: "SELF").value(with: small), .objectID(small.objectID))
        assertError(.unknownKey, try PinviewPredicate(format: "wings == 2").evaluate(with: large))
        assertError(.badPredicate, try PinviewExpression(format: "inner.label").value(with: large))
    }

    func test_FET_18_arraysAreFilteredInTheirOrder() throws {
        let boxes = try [3, 1, 4, 1, 5].map { try box("b\($0)", $0) }
        let found = try boxes.filtered(using: try PinviewPredicate(format: "weight > 1"))
        XCTAssertEqual(found.map { $0.objectID }, [boxes[0], boxes[2], boxes[4]].map { $0.objectID })
        assertError(.badPredicate, try boxes.filtered(using: try PinviewPredicate(format: "label > 3")))
        XCTAssertEqual(try [ManagedObject]().filtered(using: try PinviewPredicate(format: "wings > 3")), [])
    }

    func test_FET_18_localizedComparisonsAgreeInStoresAndInMemory() throws {
        for label in ["a", "B", "b", "ä", "z", "a\u{0}b", "", nil] { _ = try box(label, 0) }
        try context.save()
        for format in [
            "label <[l] 'b'", "label >=[cl] 'B'", "label ==[cdl] 'A'", "label BETWEEN[l] {'a', 'c'}", "label IN[l] {'a', 'ä', nil}",
            "label !=[l] 'b'", "NOT label >[l] 'b'", "label ==[nl] 'b'",
        ] {
            let predicate = try PinviewPredicate(format: format)
            XCTAssertEqual(try PinviewPredicate(format: predicate.description), predicate)
            var request = FetchRequest(entityName: "Box")
            request.predicate = predicate
            let stored = Set(try context.fetch(request).map { $0.objectID })
            let all = try context.fetch(FetchRequest(entityName: "Box"))
            XCTAssertEqual(Set(try all.filtered(using: predicate).map { $0.objectID }), stored, format)
            XCTAssertFalse(stored.isEmpty, format)
        }
        var request = FetchRequest(entityName: "Box")
        request.predicate = try PinviewPredicate(format: "label ==[cl] 'B'")
        XCTAssertEqual(try context.count(for: request), 2)
    }
}
