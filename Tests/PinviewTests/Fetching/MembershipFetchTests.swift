import Pinview
import RandomSupport
import XCTest

/// Fetches of the owners that have given members: compared with the members themselves, in all kinds
/// of to-many relationships, stored and pending. `PINVIEW_SEED` makes the test choose otherwise.
final class MembershipFetchTests: StackTestCase {
    private static let kinds = ["posts", "tags", "ranks"]

    override func model() throws -> ManagedObjectModel {
        let name = AttributeDescription(name: "name", attributeType: .string)
        func related(_ name: String, _ entity: String, _ inverse: String, isToMany: Bool = true, isOrdered: Bool = false)
            -> RelationshipDescription
        {
            RelationshipDescription(
                name: name, destinationEntityName: entity, inverseRelationshipName: inverse, isToMany: isToMany, isOrdered: isOrdered)
        }
        return try ManagedObjectModel(entities: [
            EntityDescription(
                name: "Person", attributes: [name],
                relationships: [
                    related("posts", "Post", "author"), related("tags", "Tag", "people"),
                    related("ranks", "Rank", "people", isOrdered: true), related("boss", "Person", "staff", isToMany: false),
                    related("staff", "Person", "boss"),
                ]),
            EntityDescription(name: "Post", attributes: [name], relationships: [related("author", "Person", "posts", isToMany: false)]),
            EntityDescription(name: "Tag", attributes: [name], relationships: [related("people", "Person", "tags")]),
            EntityDescription(name: "Rank", attributes: [name], relationships: [related("people", "Person", "ranks")]),
        ])
    }

    override func prepareStore() throws {}

    func test_FET_18_ownersAreFoundByTheirMembers() throws {
        var random = SeededGenerator.announced("MembershipFetchTests")
        let people = try (0..<12).map { number in
            let person = try context.insertNewObject(forEntityName: "Person")
            try person.setValue("p\(number)", forKey: "name")
            return person
        }
        let members = try zip(Self.kinds, ["Post", "Tag", "Rank"]).map { kind, entity in
            (
                kind,
                try (0..<6).map { number in
                    let member = try context.insertNewObject(forEntityName: entity)
                    try member.setValue(["a", "b", nil, "A", "b", "c"][number], forKey: "name")
                    return member
                }
            )
        }
        for isSaved in [false, true, true] {
            for person in people {
                for (kind, all) in members {
                    try person.setRelatedObjects(all.filter { _ in random.below(3) == 0 }, forKey: kind)
                }
                try person.setRelatedObject(random.below(3) == 0 ? nil : people[random.below(people.count)], forKey: "boss")
            }
            if isSaved { try context.save() }
            func expect(_ format: String, _ arguments: [any PredicateArgument], _ holds: (ManagedObject) throws -> Bool) throws {
                var request = FetchRequest(entityName: "Person")
                request.predicate = try PinviewPredicate(format: format, arguments: arguments)
                let expected = try people.filter(holds)
                XCTAssertEqual(Set(try context.fetch(request)), Set(expected), "PINVIEW_SEED=\(random.seed), \(format)")
                XCTAssertEqual(try context.count(for: request), expected.count, "PINVIEW_SEED=\(random.seed), \(format)")
            }
            for (kind, all) in members {
                let one = all[random.below(all.count)], another = all[random.below(all.count)]
                func has(_ owner: ManagedObject, _ member: ManagedObject) throws -> Bool {
                    try owner.relatedObjects(forKey: kind).contains(member)
                }
                try expect("ANY \(kind) == %@", [one]) { try has($0, one) }
                try expect("%@ IN \(kind)", [one]) { try has($0, one) }
                try expect("NONE \(kind) == %@", [one]) { try !has($0, one) }
                try expect("NOT ANY \(kind) == %@", [one]) { try !has($0, one) }
                try expect("ALL \(kind) == %@", [one]) { try $0.relatedObjects(forKey: kind).allSatisfy { $0 === one } }
                try expect("ANY \(kind) IN {%@, %@}", [one, another]) { try has($0, one) || has($0, another) }
                try expect("ANY \(kind) == %@ AND name != 'p0'", [one]) { try has($0, one) && $0 !== people[0] }
                try expect("ANY boss.\(kind) == %@", [one]) { try $0.relatedObject(forKey: "boss").map { try has($0, one) } ?? false }
                try expect("NOT ANY boss.\(kind) == %@", [one]) {
                    try !($0.relatedObject(forKey: "boss").map { try has($0, one) } ?? false)
                }
                try expect("ANY staff.\(kind) == %@", [one]) { try $0.relatedObjects(forKey: "staff").contains { try has($0, one) } }
                func names(_ owner: ManagedObject) throws -> [String?] {
                    try owner.relatedObjects(forKey: kind).map { try $0.string("name") }
                }
                try expect("ANY \(kind).name == 'b'", []) { try names($0).contains("b") }
                try expect("ANY \(kind).name ==[c] 'A'", []) { try names($0).contains { $0?.lowercased() == "a" } }
                try expect("ANY \(kind).name == nil", []) { try names($0).contains(nil) }
                try expect("ANY \(kind).name IN {'a', 'c'}", []) { try names($0).contains { $0 == "a" || $0 == "c" } }
                try expect("ANY \(kind).name != 'b'", []) { try names($0).contains { $0 != "b" } }
                try expect("NONE \(kind).name == 'b'", []) { try !names($0).contains("b") }
                try expect("ALL \(kind).name == 'b'", []) { try names($0).allSatisfy { $0 == "b" } }
                try expect("ANY staff.\(kind).name == 'b'", []) {
                    try $0.relatedObjects(forKey: "staff").contains { try names($0).contains("b") }
                }
            }
        }
    }

    /// Those with a name are searched for once, not by each owner.
    func test_W16_ownersOfMembersWithAValueAreNotSearched() throws {
        let member = try context.insertNewObject(forEntityName: "Tag"), person = try context.insertNewObject(forEntityName: "Person")
        try person.setRelatedObjects([member], forKey: "tags")
        try context.save()
        for format in ["ANY tags.name == 'x'", "ANY tags.name IN {'x', 'y'}", "name == 'x' AND ANY tags.name == 'x'"] {
            let request = try FetchRequest("Person", format)
            let plan = try XCTUnwrap(try context.explain(request).first).queryPlan
            XCTAssertFalse(plan.contains { $0.contains("CORRELATED") }, "\(format): \(plan)")
        }
    }

    /// The members lead to their owners; not every owner is asked for its members.
    func test_W16_ownersOfAMemberAreNotSearched() throws {
        let member = try context.insertNewObject(forEntityName: "Tag"), person = try context.insertNewObject(forEntityName: "Person")
        try person.setRelatedObjects([member], forKey: "tags")
        try context.save()
        for format in ["ANY tags == %@", "%@ IN tags", "name == 'x' AND ANY tags == %@"] {
            var request = FetchRequest(entityName: "Person")
            request.predicate = try PinviewPredicate(format: format, arguments: [member])
            let plan = try XCTUnwrap(try context.explain(request).first).queryPlan
            XCTAssertFalse(plan.contains { $0.contains("SCAN") }, "\(format): \(plan)")
        }
    }
}
