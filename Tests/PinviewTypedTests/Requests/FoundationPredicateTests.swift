import Foundation
import PinviewFoundation
import PinviewTyped
import XCTest

extension Person: PredicateObject {
    static var keyPaths: [PartialKeyPath<Person>: any PropertyDeclaration] {
        [
            \.name: Keys.name, \.age: Keys.age, \.nickname: Keys.nickname, \.height: Keys.height, \.isActive: Keys.isActive,
            \.status: Keys.status, \.cars: Keys.cars, \.employer: Keys.employer, \.tasks: Keys.tasks, \.rank: Keys.rank,
        ]
    }
}

extension Car: PredicateObject {
    static var keyPaths: [PartialKeyPath<Car>: any PropertyDeclaration] { [\.name: Keys.name, \.price: Keys.price, \.owner: Keys.owner] }
}

extension Company: PredicateObject {
    static var keyPaths: [PartialKeyPath<Company>: any PropertyDeclaration] { [\.name: Keys.name, \.staff: Keys.staff] }
}

extension Chore: PredicateObject {
    static var keyPaths: [PartialKeyPath<Chore>: any PropertyDeclaration] { [\.name: Keys.name] }
}

/// Foundation's `#Predicate`, translated: a fetch finds exactly those for which Foundation's own
/// evaluation says true.
final class FoundationPredicateTests: TypedTestCase {
    override func setUpWithError() throws {
        try super.setUpWithError()
        try fill(8)
        let people = try context.fetch(Person.all.sorted(by: \.age))
        for (number, person) in people.enumerated() {
            if number % 3 != 0 { person.nickname = number % 2 == 0 ? "Nick\(number)" : "" }
            if number % 4 != 1 { person.height = Double(number) / 2 }
            person.isActive = number % 3 != 1
            person.rank = Int16(number % 3)
            if number > 5 { person.employer = nil }
            if number % 2 == 1 { person.status = .closed }
            if number == 2 { person.cars.removeAll() }
            if number == 3 { person.cars.insert(try Car(in: context, name: nil, price: 1000)) }
            if number < 3 { person.tasks = [try Chore(in: context, name: "wash")] }
        }
        try context.save()
        try context.refreshAllObjects()
    }

    private func assertAgrees(
        _ predicate: Predicate<Person>, count: Int? = nil, file: StaticString = #filePath, line: UInt = #line
    ) throws {
        let condition = try Condition(predicate)
        let expected = try context.fetch(Person.all).filter { try predicate.evaluate($0) }.map(\.name).sorted()

        let stored = try context.fetch(Person.all.where(condition)).map(\.name).sorted()
        XCTAssertEqual(stored, expected, "\(condition.predicate)", file: file, line: line)
        if let count { XCTAssertEqual(stored.count, count, "\(condition.predicate)", file: file, line: line) }

        // The same in memory, on changed objects.
        for person in try context.fetch(Person.all) { person.height = person.height }
        XCTAssertEqual(try context.fetch(Person.all.where(condition)).map(\.name).sorted(), expected, file: file, line: line)
    }

    func test_comparisons() throws {
        try assertAgrees(#Predicate { $0.name == "person3" }, count: 1)
        try assertAgrees(#Predicate { $0.name != "person3" && $0.isActive }, count: 4)
        try assertAgrees(#Predicate { $0.age > 2 || !$0.isActive })
        try assertAgrees(#Predicate { $0.age >= 2 && $0.age <= 5 && !($0.age < 3) }, count: 3)
        try assertAgrees(#Predicate { $0.age * 2 + 1 > 7 - $0.age })
        try assertAgrees(#Predicate { -$0.age < -3 })
        try assertAgrees(#Predicate { $0.age % 3 == 1 && $0.age / 2 == 0 })
        try assertAgrees(#Predicate { $0.isActive == false })
        try assertAgrees(#Predicate { _ in true }, count: 8)
    }

    func test_optionalValues() throws {
        let wanted: String? = "Nick2", none: String? = nil
        try assertAgrees(#Predicate { $0.nickname == nil }, count: 3)
        try assertAgrees(#Predicate { $0.nickname != nil })
        try assertAgrees(#Predicate { $0.nickname == wanted }, count: 1)
        try assertAgrees(#Predicate { $0.nickname == none }, count: 3)
        try assertAgrees(#Predicate { $0.nickname != wanted }, count: 7)
        try assertAgrees(#Predicate { $0.nickname ?? "none" == "none" }, count: 3)
        try assertAgrees(#Predicate { ($0.height ?? 10) > 2 })
        try assertAgrees(#Predicate { $0.nickname?.contains("ick") == true })
        try assertAgrees(#Predicate { $0.nickname?.contains("ick") == false })
        try assertAgrees(#Predicate { $0.nickname?.contains("ick") != true })
        try assertAgrees(#Predicate { $0.nickname?.contains("ick") ?? true })
        try assertAgrees(#Predicate { $0.nickname?.isEmpty ?? false })
        try assertAgrees(#Predicate { if let height = $0.height { height > 1 } else { $0.age == 1 } })
        try assertAgrees(#Predicate { $0.height == nil || $0.height! > 1 })
        try assertAgrees(#Predicate { $0.isActive ? $0.age > 3 : $0.age < 3 })
    }

    func test_texts() throws {
        try assertAgrees(#Predicate { $0.name.contains("son4") }, count: 1)
        try assertAgrees(#Predicate { $0.name.starts(with: "person") }, count: 8)
        try assertAgrees(#Predicate { "person1, person2".contains($0.name) }, count: 2)
        try assertAgrees(#Predicate { !$0.name.isEmpty }, count: 8)
    }

    func test_listsAndRanges() throws {
        let names = ["person1", "person5", "nobody"], ages: Set<Int64> = [0, 7], range: Range<Int64> = 2..<4
        let nicknames: [String?] = ["Nick4", nil], nobody: [Int64] = []
        try assertAgrees(#Predicate { names.contains($0.name) }, count: 2)
        try assertAgrees(#Predicate { ages.contains($0.age) }, count: 2)
        try assertAgrees(#Predicate { nicknames.contains($0.nickname) }, count: 4)
        try assertAgrees(#Predicate { range.contains($0.age) }, count: 2)
        try assertAgrees(#Predicate { (2...4).contains($0.age) }, count: 3)
        try assertAgrees(#Predicate { person in names.contains { $0 == person.name } }, count: 2)
        try assertAgrees(#Predicate { person in names.allSatisfy { $0 != person.name } }, count: 6)
        try assertAgrees(#Predicate { nobody.contains($0.age) }, count: 0)
    }

    func test_relationships() throws {
        let id = try XCTUnwrap(try context.fetch(Company.where { $0.name == "Acme" }).first).objectID.uriRepresentation
        let ids = [id]
        try assertAgrees(#Predicate { $0.employer == nil }, count: 2)
        try assertAgrees(#Predicate { $0.employer?.name == "Acme" }, count: 3)
        try assertAgrees(#Predicate { $0.employer?.name != "Acme" }, count: 5)
        try assertAgrees(#Predicate { $0.employer?.objectID.uriRepresentation == id }, count: 3)
        try assertAgrees(#Predicate { $0.employer != nil && ids.contains($0.employer!.objectID.uriRepresentation) }, count: 3)
        try assertAgrees(#Predicate { $0.cars.contains { $0.price > 300 } }, count: 5)
        try assertAgrees(#Predicate { person in person.cars.contains { $0.price == 100 && person.age == 1 } }, count: 1)
        try assertAgrees(#Predicate { $0.cars.allSatisfy { $0.price < 500 } })
        try assertAgrees(#Predicate { $0.cars.isEmpty }, count: 1)
        try assertAgrees(#Predicate { $0.cars.count == 2 }, count: 1)
        try assertAgrees(#Predicate { $0.tasks.count > 0 && !$0.tasks.isEmpty }, count: 3)
        try assertAgrees(#Predicate { $0.cars.filter { $0.price >= 300 }.count > 1 }, count: 1)
        try assertAgrees(#Predicate { $0.cars.filter { $0.name == nil }.isEmpty }, count: 7)
        try assertAgrees(#Predicate { $0.cars.contains { $0.owner?.cars.contains { $0.price > 900 } == true } }, count: 1)
    }

    func test_enumerationsByValueAndRawValue() throws {
        let closed = Status.closed
        try assertAgrees(#Predicate { $0.status == closed }, count: 4)
        try assertAgrees(#Predicate { $0.status.rawValue == "closed" }, count: 4)
    }

    func test_whatCannotBeTranslatedIsNamed() throws {
        for (predicate, part) in [
            (#Predicate<Person> { $0.name.count > 3 }, "a property of String of type Int"),
            (#Predicate<Person> { $0.picture != nil }, "that Person.keyPaths does not list"),
            (#Predicate<Person> { ($0.name as Any) is String }, "PredicateExpressions.TypeCheck"),
        ] {
            let error = assertError(.badPredicate) { _ = try Condition(predicate) }
            XCTAssertTrue(error?.message.contains(part) ?? false, "\(error?.message ?? "") lacks \(part)")
        }
    }
}
