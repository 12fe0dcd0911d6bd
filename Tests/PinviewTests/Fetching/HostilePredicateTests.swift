import Pinview
import XCTest

/// Hostile predicates: a clear error or the right answer, in bounded time, from a store and in
/// memory (FET-17, FET-19).
final class HostilePredicateTests: StackTestCase {
    private func assertFound(_ format: String, _ arguments: any PredicateArgument..., count: Int, line: UInt = #line) throws {
        var request = FetchRequest(entityName: "Person")
        let all = try context.fetch(request)
        request.predicate = try PinviewPredicate(format: format, arguments: arguments)
        let what = "\(format.prefix(60))"
        XCTAssertEqual(try context.count(for: request), count, what, line: line)
        XCTAssertEqual(try all.filtered(using: try XCTUnwrap(request.predicate)).count, count, what, line: line)
    }

    /// Evaluation gives an error, from the store and in memory.
    private func assertTooHard(_ format: String, _ pattern: String, line: UInt = #line) throws {
        var request = FetchRequest(entityName: "Person")
        let all = try context.fetch(request)
        let predicate = try PinviewPredicate(format: format, arguments: [pattern])
        request.predicate = predicate
        assertError(.badPredicate, try context.count(for: request), line: line)
        assertError(.badPredicate, try all.filtered(using: predicate), line: line)
    }

    private func add(_ name: String) throws {
        try context.insertNewObject(forEntityName: "Person").setValue(name, forKey: "name")
        try context.save()
    }

    func test_FET_17_aTextOfFiftyMegabytes() throws {
        let large = String(repeating: "aB", count: 25_000_000)
        try add(large)
        try assertFound("name == %@", large, count: 1)
        try assertFound("name CONTAINS %@", "Bb", count: 0)
        try assertFound("name LIKE %@", "*" + String(repeating: "aB", count: 1000) + "x", count: 0)
        try assertFound("name MATCHES '(?:aB)++'", count: 1)
        try assertTooHard("name MATCHES %@", "(aB)+")
        try assertFound("length:(name) == 50000000", count: 1)
        assertError(.badPredicate, try context.fetch(try FetchRequest("Person", "name MATCHES %@", large)))
        assertError(.badPredicate, try context.fetch(try FetchRequest("Person", "age == %@", large)))
    }

    func test_FET_19_regularExpressionsThatExplode() throws {
        try add(String(repeating: "a", count: 20_000))
        try add("é" + String(repeating: "a", count: 5000))
        try assertFound("name MATCHES %@", "a{0,1000}a{0,1000}b", count: 0)
        try assertFound("name MATCHES[cd] %@", "a{0,1000}a{0,1000}b", count: 0)
        for pattern in ["(a+)+b", "(.*a){20}.*x", "(a*)*b", "((a|b)*)*c", "(a+)+[bd]", "(a|aa)+[bd]", "((a|b)*)*[cd]"] {
            try assertTooHard("name MATCHES %@", pattern)
            try assertTooHard("NOT name MATCHES[cd] %@", pattern)
        }
        try assertFound("name MATCHES %@", "(a*)*", count: 1)
        try assertFound("name MATCHES[d] %@", "e(a|aa)*", count: 1)
    }

    func test_FET_18_parenthesesAndBracketsInRegularExpressions() throws {
        for name in ["a)", "b]", "^(x)$", "\\"] { try add(name) }
        try assertFound("name MATCHES %@", "a\\)", count: 1)
        try assertFound("name MATCHES %@", "a\\)|b]", count: 2)
        try assertFound("name MATCHES %@", "[])a]+", count: 1)
        try assertFound("name MATCHES %@", "\\^\\(x\\)\\$", count: 1)
        try assertFound("name MATCHES %@", "[\\\\d]", count: 1)
        try assertFound("name MATCHES %@", "x", count: 0)
        for pattern in ["a)(b", "a)", "(", "a\\", "[a"] {
            assertError(.badPredicate, try context.fetch(try FetchRequest("Person", "name MATCHES %@", pattern)))
        }
    }
}
