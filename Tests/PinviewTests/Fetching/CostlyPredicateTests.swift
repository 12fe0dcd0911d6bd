import Pinview
import XCTest

/// Predicates that cost the square of their length (issue 15, point 11).
final class CostlyPredicateTests: StoreTestCase {
    private var context: ManagedObjectContext!

    override func setUpWithError() throws {
        try super.setUpWithError()
        let coordinator = try makeCoordinator()
        try fill(coordinator, count: 40)
        context = try makeContext(coordinator)
        // One without a name and without an owner.
        _ = try context.insertNewObject(forEntityName: "Person")
        _ = try context.insertNewObject(forEntityName: "Car")
        try context.save()
    }

    override func tearDownWithError() throws {
        context = nil
        FetchInterruption.setCheck(nil)
        try super.tearDownWithError()
    }

    private func request(_ predicate: PinviewPredicate, _ entity: String = "Person") -> FetchRequest {
        var request = FetchRequest(entityName: entity)
        request.predicate = predicate
        return request
    }

    private func ids(_ predicate: PinviewPredicate, _ entity: String) throws -> Set<ManagedObjectID> {
        Set(try context.fetchObjectIDs(request(predicate, entity)))
    }

    private func statement(_ predicate: PinviewPredicate) throws -> String {
        try XCTUnwrap(try context.explain(request(predicate)).first).sql
    }

    func testLongChainsOfEqualitiesAreOneList() throws {
        let either = PinviewPredicate.or(try (0..<100_000).map { try PinviewPredicate(format: "age == %d", $0) })
        let none = PinviewPredicate.and(try (0..<100_000).map { try PinviewPredicate(format: "age != %d", $0 + 1000) })

        XCTAssertLessThan(try statement(either).utf8.count, 500)
        XCTAssertLessThan(try statement(none).utf8.count, 500)
        XCTAssertEqual(try context.count(for: request(either)), 41)
        XCTAssertEqual(try context.count(for: request(none)), 41)
    }

    /// Each term alone is not rewritten, so the chain has to find the union, or the intersection,
    /// of their results.
    func testAChainOfEqualitiesFindsWhatItsTermsFind() throws {
        let ages = (0..<20).map { "age == \($0 * 3)" }
        let names = (0..<20).map { "name == 'dave\($0)'" }
        let folded = (0..<20).map { "name ==[c] 'DAVE\($0)'" }
        let chains: [(entity: String, terms: [String])] = [
            ("Person", ages + ["age == nil", "age == 1.5", "age == 30.0"]),
            ("Person", names + ["name == nil"]),
            ("Person", folded + names),
            ("Person", ages + names + ["age > 55", "age IN {21, 22}"]),
            ("Car", (0..<20).map { "owner.name == 'dave\($0)'" } + ["owner == nil"]),
            ("Car", (0..<20).map { "owner.age == \($0 + 20)" } + ["owner.name == nil"]),
            ("Person", (0..<20).map { "ANY cars.name == 'car\($0)'" } + ["ANY cars.name == nil"]),
        ]
        for (entity, terms) in chains {
            let found = try terms.map { try ids(PinviewPredicate(format: $0), entity) }
            let either = try ids(PinviewPredicate(format: terms.joined(separator: " OR ")), entity)
            XCTAssertEqual(either, found.reduce([]) { $0.union($1) }, "\(terms)")

            let all = try ids(.constant(true), entity)
            let none = try ids(PinviewPredicate(format: terms.map { "NOT (\($0))" }.joined(separator: " AND ")), entity)
            XCTAssertEqual(none, all.subtracting(either), "\(terms)")
        }
        let differing = (0..<20).map { "age != \($0 + 20)" } + ["age != nil"]
        let found = try differing.map { try ids(PinviewPredicate(format: $0), "Person") }
        let all = try ids(.constant(true), "Person")
        XCTAssertEqual(
            try ids(PinviewPredicate(format: differing.joined(separator: " AND ")), "Person"), found.reduce(all) { $0.intersection($1) })
    }

    func testAChainThatGrowsByOneCostsItsLength() throws {
        let term = try PinviewPredicate(format: "age == 1"), other = try PinviewPredicate(format: "age == 2")
        var chain = term, branches: [PinviewPredicate] = []
        for number in 1..<100_000 {
            if number.isMultiple(of: 20_000) { branches.append(.or([chain, other])) }
            chain = .or([chain, term])
        }

        guard case .or(let members) = chain.kind else { return XCTFail("no chain") }
        XCTAssertEqual(members.count, 100_000)
        XCTAssertEqual(members.last, term)
        for (index, branch) in branches.enumerated() {
            guard case .or(let members) = branch.kind else { return XCTFail("no chain") }
            XCTAssertEqual(members.count, 20_000 * (index + 1) + 1)
            XCTAssertEqual(members.last, other)
        }
    }

    /// The same at its beginning: `p = q & p` in a loop.
    func testAChainThatGrowsAtItsBeginningCostsItsLength() throws {
        let term = try PinviewPredicate(format: "age == 1"), other = try PinviewPredicate(format: "age == 2")
        var chain = term, branches: [PinviewPredicate] = []
        for number in 1..<100_000 {
            if number.isMultiple(of: 20_000) { branches.append(.and([other, chain])) }
            chain = .and([term, chain])
        }
        chain = .and([chain, other])

        guard case .and(let members) = chain.kind else { return XCTFail("no chain") }
        XCTAssertEqual(members.count, 100_001)
        XCTAssertEqual(members.first, term)
        XCTAssertEqual(members.last, other)
        for (index, branch) in branches.enumerated() {
            guard case .and(let members) = branch.kind else { return XCTFail("no chain") }
            XCTAssertEqual(members.count, 20_000 * (index + 1) + 1)
            XCTAssertEqual(members.first, other)
            XCTAssertEqual(members.last, term)
        }
    }

    func testMembersStayInTheirOrderAtBothEnds() throws {
        let terms = try (0..<200).map { try PinviewPredicate(format: "age == %d", $0) }
        var chain = PinviewPredicate.or(Array(terms[80..<120]))
        for step in 1...80 { chain = .or([terms[80 - step], chain, terms[119 + step]]) }

        XCTAssertEqual(chain, .or(terms))
        XCTAssertEqual(PinviewPredicate.or([chain, chain]), .or(terms + terms))
    }

    func testWhatRemainsTooLongIsAnError() throws {
        let long = PinviewPredicate.or(try (0..<20_000).map { try PinviewPredicate(format: "age > %d", $0) })

        XCTAssertThrowsError(try context.count(for: request(long))) { error in
            XCTAssertEqual((error as? PinviewError)?.hasCode(.badPredicate), true)
            XCTAssertTrue("\(error)".contains("20000 comparisons"), "\(error)")
        }
    }

    func testAModelMayNotBeDeeperThanALimit() throws {
        func model(_ depth: Int) throws -> ManagedObjectModel {
            try ManagedObjectModel(
                entities: (0..<depth).map { number in
                    var entity = EntityDescription(name: "Entity\(number)")
                    if number > 0 { entity.superentityName = "Entity\(number - 1)" }
                    return entity
                })
        }

        XCTAssertNoThrow(try model(100))
        XCTAssertThrowsError(try model(100_000)) { error in
            XCTAssertEqual((error as? PinviewError)?.hasCode(.badModel), true)
        }
    }

    // MARK: Stopping

    /// Cars of one person, each compared with all of them.
    private func costly(_ count: Int) throws -> FetchRequest {
        let person = try context.insertNewObject(forEntityName: "Person")
        for number in 0..<count {
            let car = try context.insertNewObject(forEntityName: "Car")
            try car.setValue("car\(number)", forKey: "name")
            try car.setRelatedObject(person, forKey: "owner")
        }
        try context.save()
        return request(try PinviewPredicate(format: "SUBQUERY(owner.cars, $c, $c.name > name).@count > %d", count), "Car")
    }

    func testAFetchEndsWithItsTimeout() throws {
        var slow = try costly(1000)
        slow.timeout = 0

        XCTAssertThrowsError(try context.fetch(slow)) { XCTAssertEqual(($0 as? PinviewError)?.hasCode(.timedOut), true, "\($0)") }
        XCTAssertThrowsError(try context.count(for: slow)) { XCTAssertEqual(($0 as? PinviewError)?.hasCode(.timedOut), true, "\($0)") }
        XCTAssertThrowsError(try context.fetchColumns(slow).next()) {
            XCTAssertEqual(($0 as? PinviewError)?.hasCode(.timedOut), true, "\($0)")
        }
        let result = try context.execute(AsynchronousFetchRequest(fetchRequest: slow))
        XCTAssertTrue(result.waitUntilFinished(timeout: 300))
        XCTAssertEqual(result.operationError?.hasCode(.timedOut), true)
        slow.timeout = 300
        XCTAssertEqual(try context.count(for: slow), 0)
        slow.timeout = -1
        XCTAssertThrowsError(try context.count(for: slow)) { XCTAssertEqual(($0 as? PinviewError)?.hasCode(.invalidArgument), true) }
    }

    func testAThreadIsAskedWhetherToStop() throws {
        // Some seconds; the question comes after 50 ms.
        let slow = try costly(4000)
        var questions = 0
        FetchInterruption.setCheck {
            questions += 1
            return true
        }

        XCTAssertThrowsError(try context.fetch(slow)) { XCTAssertEqual(($0 as? PinviewError)?.hasCode(.userCancelled), true, "\($0)") }
        XCTAssertEqual(questions, 1)
        FetchInterruption.setCheck(nil)
        XCTAssertEqual(try context.count(for: FetchRequest(entityName: "Car")), 4041)
        XCTAssertEqual(questions, 1)
    }

    /// A save that is stopped before its commit has done nothing, and loses nothing.
    func testACheckThatSaysSoStopsASave() throws {
        let count = 40_000
        for number in 0..<count { try context.insertNewObject(forEntityName: "Person").setValue("new\(number)", forKey: "name") }
        FetchInterruption.setCheck { true }

        XCTAssertThrowsError(try context.save()) { error in
            XCTAssertEqual((error as? PinviewError)?.hasCode(.userCancelled), true, "\(error)")
            XCTAssertTrue("\(error)".contains("nothing was written"), "\(error)")
        }

        FetchInterruption.setCheck(nil)
        XCTAssertEqual(context.insertedObjects.count, count)
        XCTAssertEqual(try context.count(for: request(PinviewPredicate(format: "name BEGINSWITH 'new'"))), count, "with what is pending")
        let other = try makeContext(try XCTUnwrap(context.persistentStoreCoordinator))
        XCTAssertEqual(try other.count(for: FetchRequest(entityName: "Person")), 41)
        try context.save()
        XCTAssertEqual(try other.count(for: FetchRequest(entityName: "Person")), 41 + count)
    }
}
