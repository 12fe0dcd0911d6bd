import Foundation
import Pinview
import XCTest

/// Checks docs/predicates.md: each example of its tables finds, computes or fails as the page says
/// (FET-17 to FET-19).
final class PredicatePageTests: StackTestCase {
    private static let page: String = {
        let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent()
        return (try? String(contentsOf: root.appendingPathComponent("docs/predicates.md"), encoding: .utf8)) ?? ""
    }()

    /// The rows of the tables whose head begins with a word. Without the quotes of code and the
    /// escapes of bars.
    private func rows(_ first: String) -> [[String]] {
        var rows: [[String]] = []
        var head: [String]?
        for line in Self.page.split(separator: "\n", omittingEmptySubsequences: false) {
            guard line.hasPrefix("|") else {
                head = nil
                continue
            }
            let cells = line.dropFirst().dropLast().replacingOccurrences(of: "\\|", with: "\u{1}").split(
                separator: "|", omittingEmptySubsequences: false
            ).map { cell in
                let text = cell.trimmingCharacters(in: .whitespaces).replacingOccurrences(of: "\u{1}", with: "|")
                return text.hasPrefix("`") && text.hasSuffix("`") ? String(text.dropFirst().dropLast()) : text
            }
            if head == nil {
                head = cells
            } else if head?.first == first, !cells[0].hasPrefix("---") {
                rows.append(cells)
            }
        }
        return rows
    }

    override func model() throws -> ManagedObjectModel {
        let json = try XCTUnwrap(Self.page.components(separatedBy: "```json\n").dropFirst().first?.components(separatedBy: "```").first)
        return try ManagedObjectModel(jsonText: json)
    }

    override func prepareStore() throws {
        let context = try makeContext(coordinator)
        var people: [String: ManagedObject] = [:]
        for cells in rows("Person") {
            let person = try context.insertNewObject(forEntityName: cells[0])
            try person.setValue(cells[1], forKey: "name")
            try person.setAttributeValue(Int64(cells[2]).map { .integer($0) } ?? .null, forKey: "age")
            try person.setAttributeValue(Double(cells[3]).map { .double($0) } ?? .null, forKey: "height")
            try person.setAttributeValue(cells[4].isEmpty ? .null : .string(cells[4]), forKey: "email")
            try person.setAttributeValue(
                Double(cells[5]).map { .date(Date(timeIntervalSinceReferenceDate: $0)) } ?? .null, forKey: "born")
            try person.setAttributeValue(cells[6].isEmpty ? .null : .string(cells[6]), forKey: "in")
            try person.setRelatedObject(people[cells[7]], forKey: "boss")
            people[cells[1]] = person
        }
        for cells in rows("Car") {
            let car = try context.insertNewObject(forEntityName: "Car")
            try car.setValue(cells[1], forKey: "brand")
            try car.setAttributeValue(.decimal(try XCTUnwrap(DecimalNumber(cells[2]))), forKey: "price")
            try car.setRelatedObject(people[cells[3]], forKey: "owner")
        }
        try context.save()
    }

    private func names(_ people: some Sequence<ManagedObject>) throws -> String {
        try people.map { try $0.value(forKey: "name", as: String.self) ?? "" }.joined(separator: ", ")
    }

    private func check(_ predicate: PinviewPredicate, _ expected: String) throws {
        var request = FetchRequest(entityName: "Person")
        request.sortDescriptors = [PinviewSortDescriptor(keyPath: "name")]
        let everybody = try context.fetch(request)
        request.predicate = predicate
        XCTAssertEqual(try names(try context.fetch(request)), expected, "\(predicate)")
        XCTAssertEqual(try names(try everybody.filtered(using: predicate)), expected, "\(predicate), in memory")
        XCTAssertEqual(try PinviewPredicate(format: predicate.description), predicate)
    }

    /// Texts in quotes and whole numbers, separated by commas.
    private func arguments(_ text: String) throws -> [Value] {
        var arguments: [Value] = []
        var rest = text[...]
        while let first = rest.first {
            if first == "\"" {
                let end = try XCTUnwrap(rest.dropFirst().firstIndex(of: "\""))
                arguments.append(.string(String(rest[rest.index(after: rest.startIndex)..<end])))
                rest = rest[rest.index(after: end)...]
            } else {
                let digits = rest.prefix { $0.isNumber }
                arguments.append(.integer(try XCTUnwrap(Int64(digits))))
                rest = rest[digits.endIndex...]
            }
            rest = rest.drop { $0 == "," || $0 == " " }
        }
        return arguments
    }

    func test_FET_18_everyExampleFindsWhatThePageSays() throws {
        let examples = rows("Predicate")
        XCTAssertGreaterThan(examples.count, 100)
        for cells in examples {
            let values = cells.count == 3 ? try arguments(cells[1]) : []
            try check(try PinviewPredicate(format: cells[0], arguments: values), try XCTUnwrap(cells.last))
        }
    }

    func test_FET_18_everyExpressionGivesWhatThePageSays() throws {
        let examples = rows("Expression")
        XCTAssertGreaterThan(examples.count, 40)
        for cells in examples {
            try check(try PinviewPredicate(format: "name == 'Ada' AND \(cells[0]) == \(cells[1])"), "Ada")
        }
    }

    func test_FET_19_everyMistakeIsRefusedAsThePageSays() throws {
        let examples = rows("Refused")
        XCTAssertGreaterThan(examples.count, 15)
        for cells in examples {
            XCTAssertThrowsError(try context.fetch(try FetchRequest("Person", cells[0])), cells[0]) { error in
                let error = error as? PinviewError
                XCTAssertTrue(error?.hasCode(.badPredicate) == true || error?.hasCode(.unknownKey) == true, "\(cells[0]): \(error as Any)")
                XCTAssertTrue(error?.message.contains(cells[1]) == true, "\(cells[0]): \(error?.message ?? "")")
            }
        }
    }
}
