import Glibc
import PinviewModel
import PinviewPredicates
import XCTest

/// Deep nesting gives an error and never exhausts the stack; length only costs memory (FET-19).
final class NestingTests: PredicateTestCase {
    /// Runs a body on a thread with a quarter of the usual stack.
    private func onSmallStack(_ body: @escaping () throws -> Void) {
        final class Work {
            let body: () throws -> Void
            init(_ body: @escaping () throws -> Void) { self.body = body }
            func run() {
                do { try body() } catch { XCTFail("\(error)") }
            }
        }
        var attributes = pthread_attr_t()
        pthread_attr_init(&attributes)
        pthread_attr_setstacksize(&attributes, 2 << 20)
        var thread = pthread_t()
        let work = Unmanaged.passRetained(Work(body))
        let code = pthread_create(
            &thread, &attributes,
            { argument in
                if let argument { Unmanaged<Work>.fromOpaque(argument).takeRetainedValue().run() }
                return nil
            }, work.toOpaque())
        XCTAssertEqual(code, 0)
        pthread_join(thread, nil)
        pthread_attr_destroy(&attributes)
    }

    private func isTooDeep(_ format: String) -> Bool {
        guard let error = error(format) else { return false }
        return error.hasCode(.badPredicate) && error.message.contains("1000 levels")
    }

    func test_FET_19_deepTextsAreRejected() {
        onSmallStack { [self] in
            for depth in [1000, 5000, 1_000_000] {
                XCTAssertTrue(isTooDeep(String(repeating: "(", count: depth) + "age == 1" + String(repeating: ")", count: depth)))
                XCTAssertTrue(isTooDeep(String(repeating: "NOT ", count: depth) + "age == 1"))
                XCTAssertTrue(isTooDeep(String(repeating: "!(", count: depth) + "age == 1" + String(repeating: ")", count: depth)))
                XCTAssertTrue(isTooDeep("age IN " + String(repeating: "{", count: depth) + String(repeating: "}", count: depth)))
                XCTAssertTrue(isTooDeep(String(repeating: "(age == 1 AND (age == 2 OR ", count: depth)))
            }
        }
    }

    func test_FET_19_deepPredicatesBuiltByCodeAreRejected() {
        onSmallStack { [self] in
            let leaf = PinviewPredicate.comparison(ComparisonPredicate(.keyPath(["age"]), .equalTo, .constant(1)))
            var negated = leaf
            for _ in 0..<100_000 { negated = .not(negated) }
            var alternating = leaf
            for index in 0..<100_000 { alternating = index.isMultiple(of: 2) ? .and([alternating, leaf]) : .or([leaf, alternating]) }
            var list = PinviewExpression.constant(1)
            for _ in 0..<100_000 { list = .aggregate([list]) }
            for predicate in [negated, alternating, .comparison(ComparisonPredicate(.keyPath(["age"]), .in, list))] {
                XCTAssertThrowsError(try resolved(predicate)) { XCTAssertEqual(($0 as? PinviewError)?.hasCode(.badPredicate), true) }
                XCTAssertTrue(predicate.description.contains("1000 levels"))
                XCTAssertEqual(Set([predicate, predicate]).count, 1)
            }
        }
    }

    func test_FET_19_theDeepestAllowedPredicateWorks() throws {
        onSmallStack { [self] in
            var text = "age == 1"
            for index in 0..<998 { text = index.isMultiple(of: 2) ? "(\(text) AND age > 0)" : "(\(text) OR age < 0)" }
            let predicate = try PinviewPredicate(format: text)
            XCTAssertEqual(try PinviewPredicate(format: predicate.description), predicate)
            XCTAssertEqual(predicate.hashValue, try PinviewPredicate(format: text).hashValue)
            XCTAssertEqual(try predicate.withSubstitutionVariables([:]), predicate)
            XCTAssertTrue(try evaluate(makePerson(["age": 1]), predicate))
            XCTAssertFalse(try evaluate(makePerson(["age": 2]), predicate))
            XCTAssertTrue(try evaluate(makePerson(["age": 2]), .not(predicate)))
            let list = "{" + String(repeating: "{", count: 900) + "1" + String(repeating: "}", count: 900) + "}"
            XCTAssertEqual(try PinviewPredicate(format: "age == \(list)").description, "age == \(list)")
        }
    }

    func test_FET_19_chainsMayHaveAnyLength() throws {
        let count = 50_000
        let text = (0..<count).map { "age == \($0)" }.joined(separator: " OR ")
        let predicate = try PinviewPredicate(format: text)
        guard case .or(let parts) = predicate.kind else { return XCTFail("not flat") }
        XCTAssertEqual(parts.count, count)
        XCTAssertTrue(try evaluate(makePerson(["age": .integer(Int64(count) - 1)]), predicate))
        XCTAssertEqual(try PinviewPredicate(format: predicate.description), predicate)
        XCTAssertFalse(try evaluate(makePerson(["age": -1]), predicate))

        var chained = PinviewPredicate.constant(true)
        for age in 0..<3000 {
            chained = .and([chained, .comparison(ComparisonPredicate(.keyPath(["age"]), .notEqualTo, .constant(.integer(Int64(age)))))])
        }
        XCTAssertTrue(try evaluate(makePerson(["age": -1]), chained))
        XCTAssertFalse(try evaluate(makePerson(["age": 2999]), chained))
    }

    /// Long chains share their members; what is added to one, before or after, keeps its depth.
    func test_FET_19_aLongChainKeepsItsDepthWhenMembersAreAdded() throws {
        onSmallStack { [self] in
            let leaf = PinviewPredicate.comparison(ComparisonPredicate(.keyPath(["age"]), .equalTo, .constant(1)))
            func negated(_ predicate: PinviewPredicate, _ times: Int) -> PinviewPredicate {
                (0..<times).reduce(predicate) { predicate, _ in .not(predicate) }
            }
            for join in [PinviewPredicate.and, PinviewPredicate.or] {
                let chain = join([negated(leaf, 900)] + Array(repeating: leaf, count: 50))
                for longer in [join([leaf, chain]), join([chain, leaf]), join([leaf, leaf, chain]), join([leaf, chain, chain])] {
                    XCTAssertNoThrow(try resolved(negated(longer, 50)))
                    let tooDeep = negated(longer, 200)
                    XCTAssertThrowsError(try resolved(tooDeep)) { XCTAssertEqual(($0 as? PinviewError)?.hasCode(.badPredicate), true) }
                    XCTAssertTrue(tooDeep.description.contains("1000 levels"))
                }
            }
        }
    }
}
