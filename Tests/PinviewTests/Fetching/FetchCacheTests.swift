import Pinview
import XCTest

/// The same fetch at the same generation is answered without a statement: performance.md, W1 and
/// W8.
final class FetchCacheTests: StackTestCase {
    private func request(_ change: (inout FetchRequest) -> Void = { _ in }) -> FetchRequest {
        var request = FetchRequest(entityName: "Person")
        request.sortDescriptors = [PinviewSortDescriptor(keyPath: "name", ascending: false)]
        change(&request)
        return request
    }

    override func setUpWithError() throws {
        try super.setUpWithError()
        try context.setQueryGeneration(from: .current)
    }

    func test_W1_aPinnedContextFetchesTheSameAgainWithoutAStatement() throws {
        let first = Array(try context.fetch(request()))
        let read = try selects {
            let second = Array(try context.fetch(request()))
            XCTAssertEqual(second, first)
            XCTAssertEqual(try second.map { try $0.string("name") }, ["dave2", "dave1", "dave0"])
        }
        XCTAssertEqual(read, 0)
    }

    func test_W1_aDifferentFetchIsNotAnsweredFromTheCache() throws {
        _ = try context.fetch(request())
        var found: [ManagedObject] = []
        let read = try selects {
            found = Array(try context.fetch(request { $0.fetchLimit = 2 }))
            found += Array(try context.fetch(request { $0.predicate = try? PinviewPredicate(format: "age > %@", 21) }))
        }
        XCTAssertEqual(read, 2)
        XCTAssertEqual(try found.map { try $0.string("name") }, ["dave2", "dave1", "dave2"])
    }

    /// However many fetches there are, those used last are kept, and a fetch that is used all the time
    /// stays.
    func test_W1_theFetchesUsedLastAreKept() throws {
        func fetch(_ age: Int) throws -> FetchResult {
            try context.fetch(request { $0.predicate = try? PinviewPredicate(format: "age == %@", age) })
        }
        let kept = try context.fetch(request())
        for age in 0..<1000 {
            _ = try fetch(age)
            XCTAssertEqual(try selects { XCTAssertEqual(Array(try context.fetch(request())), Array(kept)) }, 0)
        }
        XCTAssertEqual(try selects { for age in 900..<1000 { _ = try fetch(age) } }, 0)
        XCTAssertEqual(try selects { for age in 0..<100 { _ = try fetch(age) } }, 100)
    }

    func test_W1_releasedObjectsAreMadeAgainFromTheRowsOfAnotherContext() throws {
        try other.setQueryGeneration(from: context.queryGenerationToken)
        let kept = Array(try other.fetch(request()))
        let read = try selects {
            let found = Array(try context.fetch(request()))
            XCTAssertEqual(try found.map { try $0.string("name") }, ["dave2", "dave1", "dave0"])
            XCTAssertEqual(found.map(\.objectID), kept.map(\.objectID))
        }
        XCTAssertEqual(read, 0)
        withExtendedLifetime(kept) {}
    }

    func test_W1_rowsThatAreNotKeptAreReadAgain() throws {
        _ = try context.fetch(request())
        XCTAssertEqual(try selects { XCTAssertEqual(try context.fetch(request()).count, 3) }, 1)
    }

    func test_W1_aRefetchThatRefreshesReadsTheRows() throws {
        let kept = Array(try context.fetch(request()))
        XCTAssertEqual(try selects { _ = try context.fetch(request { $0.shouldRefreshRefetchedObjects = true }) }, 1)
        withExtendedLifetime(kept) {}
    }

    func test_W1_theNextGenerationIsAskedAnew() throws {
        let kept = Array(try context.fetch(request()))
        try changeElsewhere("dave0", "name", "zoe")
        XCTAssertEqual(try context.fetch(request()).first, kept.first)
        try context.setQueryGeneration(from: .current)
        XCTAssertEqual(try context.fetch(request()).first, kept.last)
    }

    func test_W1_anUnpinnedContextAsksEachTime() throws {
        let kept = Array(try other.fetch(request()))
        XCTAssertEqual(try selects { _ = try other.fetch(request()) }, 1)
        withExtendedLifetime(kept) {}
    }

    func test_W1_pendingChangesCount() throws {
        let kept = Array(try context.fetch(request()))
        try context.insertNewObject(forEntityName: "Person").setValue("eve", forKey: "name")
        XCTAssertEqual(try context.fetch(request()).count, kept.count + 1)
    }

    func test_W8_aPinnedContextCountsTheSameOnce() throws {
        XCTAssertEqual(try context.count(for: request()), 3)
        XCTAssertEqual(try selects { XCTAssertEqual(try context.count(for: request()), 3) }, 0)
        try changeElsewhere("dave0", "name", "zoe")
        XCTAssertEqual(try context.count(for: request { $0.predicate = try? PinviewPredicate(format: "name == 'zoe'") }), 0)
    }

    /// Swift takes both for equal, the store does not (PRED: text is compared by its bytes).
    func test_W1_textsThatOnlyLookTheSameAreDifferentFetches() throws {
        let composed = "\u{E9}", decomposed = "e\u{301}"
        for name in [composed, decomposed, "e"] { try other.insertNewObject(forEntityName: "Person").setValue(name, forKey: "name") }
        try other.save()
        try context.setQueryGeneration(from: .current)
        func names(_ predicate: PinviewPredicate?) throws -> [[UInt8]] {
            try context.fetch(request { $0.predicate = predicate }).map { Array(try XCTUnwrap(try $0.string("name")).utf8) }
        }
        let all = try names(nil)
        for format in ["name == %@", "name != %@", "name BEGINSWITH %@", "name IN {%@, 'q'}", "name <= %@", "name == %@ OR age == -1"] {
            for text in [composed, decomposed, composed] {
                let predicate = try PinviewPredicate(format: format, text)
                let expected = try all.filter { name in
                    let person = try XCTUnwrap(
                        try context.fetch(request()).first { try $0.string("name").map { Array($0.utf8) } == name })
                    return try predicate.evaluate(with: person)
                }
                XCTAssertEqual(try names(predicate), expected, "\(format) with \(Array(text.utf8))")
                XCTAssertEqual(try context.count(for: request { $0.predicate = predicate }), expected.count, format)
            }
        }
    }
}
