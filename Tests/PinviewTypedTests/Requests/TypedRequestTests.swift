import Foundation
import PinviewTyped
import XCTest

/// Issue 19, point 2: typed conditions become the predicates that format strings make.
final class TypedRequestTests: TypedTestCase {
    private func assertFormat(
        _ request: TypedFetchRequest<Person>, _ format: String, _ arguments: any PredicateArgument..., file: StaticString = #filePath,
        line: UInt = #line
    ) throws {
        let expected = try PinviewPredicate(format: format, arguments: arguments)
        XCTAssertEqual(request.untyped.predicate?.description, expected.description, file: file, line: line)
        // Both find the same, and the store can carry it out.
        var untyped = FetchRequest(entityName: "Person")
        untyped.predicate = expected
        XCTAssertEqual(
            Set(try context.fetch(request).map(\.objectID)), Set(try context.fetch(untyped).map(\.objectID)), file: file, line: line)
    }

    func test_comparisons() throws {
        try fill(10)

        try assertFormat(Person.where { $0.age > 3 && $0.employer.name == "Acme" }, "age > 3 AND employer.name == 'Acme'")
        try assertFormat(Person.where { $0.age >= 3 || !($0.name != "person1") }, "age >= 3 OR NOT name != 'person1'")
        try assertFormat(Person.where { $0.nickname == nil }, "nickname == nil")
        try assertFormat(Person.where { $0.status == .open }, "status == 'open'")
        try assertFormat(Person.where { $0.age.isBetween(2...4) }, "age BETWEEN {2, 4}")
        try assertFormat(Person.where { $0.name.isIn(["person1", "person2"]) }, "name IN {'person1', 'person2'}")
        try assertFormat(Person.where { $0.name.contains("SON1", .caseInsensitive) }, "name CONTAINS[c] 'SON1'")
        try assertFormat(Person.where { $0.name.hasPrefix("person") }, "name BEGINSWITH 'person'")
        try assertFormat(Person.where { $0.name.isLike("*3") }, "name LIKE '*3'")
        try assertFormat(Person.where { $0.name == $0.nickname }, "name == nickname")
    }

    func test_conditionsOnOneLineEachAreJoinedByAnd() throws {
        try fill(10)
        let limit: Int64? = 5

        let request = Person.where {
            $0.age > 1
            if let limit { $0.age < limit }
            for name in ["person2"] { $0.name != name }
        }

        XCTAssertEqual(Set(try context.fetch(request).map(\.name)), ["person3", "person4"])
    }

    func test_keyPathsAreComparedToo() throws {
        try fill(10)

        try assertFormat(Person.all.where(\.age > 3 && \.employer.name == "Acme"), "age > 3 AND employer.name == 'Acme'")
    }

    func test_relatedObjects() throws {
        try fill(4)
        let acme = try XCTUnwrap(context.first(Company.where { $0.name == "Acme" }))
        let car = try XCTUnwrap(context.first(Car.where { $0.name == "car3" }))

        try assertFormat(Person.where { $0.employer == acme }, "employer == %@", acme.objectID)
        try assertFormat(Person.where { $0.employer == nil }, "employer == nil")
        try assertFormat(Person.where { $0.employer.isIn([acme]) }, "employer IN %@", [acme.objectID])
        try assertFormat(Person.where { $0.cars.contains(car) }, "ANY cars == %@", car.objectID)
        try assertFormat(Person.where { $0.cars.any { $0.name == "car2" } }, "ANY cars.name == 'car2'")
        try assertFormat(Person.where { $0.cars.all { $0.price > 150 } }, "ALL cars.price > 150.0")
        try assertFormat(Person.where { $0.cars.none { $0.price > 150 } }, "NONE cars.price > 150.0")
        try assertFormat(Person.where { $0.cars.count > 0 }, "cars.@count > 0")
        try assertFormat(Person.where { $0.cars.sum(\.price) > 250 }, "cars.@sum.price > 250.0")
        try assertFormat(Person.where { $0.employer.staff.count == 2 }, "employer.staff.@count == 2")
    }

    func test_severalConditionsHoldForTheSameMember() throws {
        try fill(4)
        let person = try XCTUnwrap(context.first(Person.where { $0.name == "person0" }))
        person.cars.insert(try Car(in: context, name: "cheap", price: 1000))
        try context.save()

        let found = try context.fetch(
            Person.where {
                $0.cars.any {
                    $0.name == "cheap"
                    $0.price < 500
                }
            })
        let nested = try context.fetch(Company.where { $0.staff.any { $0.cars.any { $0.name == "car3" && $0.price > 200 } } })

        XCTAssertEqual(found.map(\.name), [])
        XCTAssertEqual(nested.map(\.name), ["Bolt"])
    }

    func test_sortingLimitsAndPrefetching() throws {
        try fill(6)

        let request = Person.all.sorted(by: \.employer.name, ascending: false).sorted(by: \.age).limited(to: 4, offset: 1)
            .prefetching(\.cars).prefetching(\.employer)

        XCTAssertEqual(try context.fetch(request).map(\.name), ["person3", "person5", "person0", "person2"])
        XCTAssertEqual(try context.count(for: Person.all), 6)
        XCTAssertEqual(try context.first(Person.all.sorted(by: \.age, ascending: false))?.name, "person5")
        XCTAssertEqual(try context.fetchObjectIDs(request).count, 4)
    }

    func test_anObjectOfAnIDIsOfTheTypeOrAnError() throws {
        try fill(1)
        let person = try XCTUnwrap(context.first(Person.all))

        XCTAssertEqual(try context.object(Person.self, with: person.objectID), person)
        _ = assertError(.wrongType) { _ = try context.object(Car.self, with: person.objectID) }
    }

    func test_whatIsNotSupportedDoesNotCompile() throws {
        let base = """
            import PinviewTyped
            struct Person: TypedObject {
                static var properties: [any PropertyDeclaration] { [] }
                let managedObject: ManagedObject
                init(managedObject: ManagedObject) { self.managedObject = managedObject }
                var name: String? { get { nil } nonmutating set {} }
            }
            extension ObjectPath where Target == Person {
                var name: AttributePath<Root, String> { self[AttributeKey<String?>("name")] }
                var age: AttributePath<Root, Int64> { self[AttributeKey<Int64>("age", default: 0)] }
                var isActive: AttributePath<Root, Bool> { self[AttributeKey<Bool>("isActive", default: true)] }
                var friends: ToManyPath<Root, Person> { self[ToManyKey<Person>("friends")] }
            }

            """
        let right = "let request = Person.where { $0.age > 3 && $0.name == nil && $0.friends.any { $0.isActive == true } }"
        let wrong = [
            "$0.nmae == nil", "$0.age == \"3\"", "$0.age > nil", "$0.isActive > false", "$0.friends.name == nil", "$0.age.contains(\"3\")",
        ]
        for (text, compiles) in [(right, true)] + wrong.map({ ("let request = Person.where { \($0) }", false) }) {
            let file = folder + "/main.swift"
            try (base + text + "\n").write(toFile: file, atomically: true, encoding: .utf8)

            let result = try run(
                ["swiftc", "-frontend", "-typecheck", "-swift-version", "6", "-module-name", "Probe", file] + moduleOptions())

            XCTAssertEqual(result.succeeded, compiles, text + "\n" + result.output)
        }
    }

    /// How the compiler finds the modules that these tests are built with.
    private func moduleOptions() throws -> [String] {
        let modules = URL(fileURLWithPath: ProcessInfo.processInfo.arguments[0]).deletingLastPathComponent().appendingPathComponent(
            "Modules"
        ).path
        let maps = ["CSQLite", "CPlatform", "CPCRE2", "CExpat", "CZlib"].flatMap {
            ["-Xcc", "-fmodule-map-file=\(Self.sources.path)/Sources/\($0)/module.modulemap"]
        }
        return ["-I", modules] + maps
    }
}
