import Pinview
import RandomSupport
import XCTest

/// Page after page of a sorted fetch beside unsaved changes, which may move objects into a page and
/// out of it: FET-03, FET-04. `PINVIEW_SEED` makes the test choose otherwise.
final class PagesBesideChangesTests: StackTestCase {
    override func model() throws -> ManagedObjectModel {
        try ManagedObjectModel(entities: [
            EntityDescription(
                name: "Row",
                attributes: [
                    AttributeDescription(name: "n", attributeType: .integer64), AttributeDescription(name: "t", attributeType: .string),
                    AttributeDescription(name: "number", attributeType: .integer64),
                ], indexes: [FetchIndexDescription(name: "byN", elements: [FetchIndexDescription.Element(attributeName: "n")])]),
            EntityDescription(name: "SubRow", superentityName: "Row"),
        ])
    }

    override func prepareStore() throws {}

    private var lastNumber: Int64 = 0
    private static let texts = ["Zoe", "anna", "Anna", "ÄRA", "ära", "", "b"]

    private func insert(_ context: ManagedObjectContext, _ random: inout SeededGenerator) throws {
        let row = try context.insertNewObject(forEntityName: random.oneIn(4) ? "SubRow" : "Row")
        lastNumber += 1
        try row.setAttributeValue(.integer(lastNumber), forKey: "number")
        try setValues(row, &random)
    }

    private func setValues(_ row: ManagedObject, _ random: inout SeededGenerator) throws {
        if !random.oneIn(6) { try row.setAttributeValue(.integer(Int64(random.below(12))), forKey: "n") }
        if random.oneIn(2) { try row.setAttributeValue(.string(Self.texts[random.below(Self.texts.count)]), forKey: "t") }
    }

    private func change(_ random: inout SeededGenerator) throws {
        let rows = Array(try context.fetch(FetchRequest(entityName: "Row")))
        let row = rows.isEmpty ? nil : rows[random.below(rows.count)]
        switch (random.below(14), row) {
        case (0...1, _), (_, nil): try insert(context, &random)
        case (2...3, let row?): try context.delete(row)
        case (4, let row?): try context.refresh(row, mergeChanges: random.oneIn(2))
        case (5, _): try context.undo()
        case (6, _): try context.redo()
        case (7, _):
            try context.obtainPermanentIDs(
                for: context.insertedObjects.sorted { try ($0.integer("number") ?? 0) < ($1.integer("number") ?? 0) })
        case (8, _): if random.oneIn(3) { try context.rollback() }
        case (9, _): if random.oneIn(2) { try context.save() }
        case (10, _):
            try insert(other, &random)
            try other.save()
            if context.queryGenerationState == .unpinned {
                // What was read before is of another state than what is read from now on.
                try context.refreshAllObjects()
            } else if random.oneIn(2) {
                try context.setQueryGeneration(from: .current)
            }
        case (_, let row?): try setValues(row, &random)
        }
    }

    private struct Listing {
        let entity: String
        let format: String?
        let sorts: [PinviewSortDescriptor]
        let matches: (ManagedObject) throws -> Bool
        let precedes: (ManagedObject, ManagedObject) throws -> Bool
    }

    private static func listings() -> [Listing] {
        func number(_ row: ManagedObject, _ key: String) throws -> Int64 { try row.integer(key) ?? .min }
        let byNumber = PinviewSortDescriptor(keyPath: "number")
        return [
            Listing(entity: "Row", format: nil, sorts: [PinviewSortDescriptor(keyPath: "n"), byNumber], matches: { _ in true }) {
                try (number($0, "n"), number($0, "number")) < (number($1, "n"), number($1, "number"))
            },
            Listing(
                entity: "Row", format: "n > 3", sorts: [PinviewSortDescriptor(keyPath: "n", ascending: false), byNumber],
                matches: { try number($0, "n") > 3 }
            ) { try (-number($0, "n"), number($0, "number")) < (-number($1, "n"), number($1, "number")) },
            Listing(entity: "SubRow", format: nil, sorts: [byNumber], matches: { $0.entity.name == "SubRow" }) {
                try number($0, "number") < number($1, "number")
            },
            Listing(
                entity: "Row", format: "t CONTAINS 'a'", sorts: [PinviewSortDescriptor(keyPath: "number", ascending: false)],
                matches: { try $0.string("t")?.contains("a") ?? false }
            ) { try number($0, "number") > number($1, "number") },
            Listing(
                entity: "Row", format: "t != nil",
                sorts: [PinviewSortDescriptor(keyPath: "t", comparator: .caseInsensitive), byNumber], matches: { try $0.string("t") != nil }
            ) {
                let texts = try [$0, $1].map { try $0.string("t")?.lowercased() ?? "" }
                if texts[0] == texts[1] { return try number($0, "number") < number($1, "number") }
                return texts[0].utf8.lexicographicallyPrecedes(texts[1].utf8)
            },
        ]
    }

    func test_FET_04_eachPageIsOfWhatHasChangedUntilThen() throws {
        var random = SeededGenerator.announced("PagesBesideChangesTests")
        for isPinned in [true, false] {
            context = try makeContext(coordinator)
            try checkPages(isPinned: isPinned, &random)
        }
    }

    private func checkPages(isPinned: Bool, _ random: inout SeededGenerator) throws {
        context.undoManager = UndoManager()
        for _ in 0..<30 { try insert(context, &random) }
        try context.save()
        if isPinned { try context.setQueryGeneration(from: .current) }
        let listings = Self.listings()
        for step in 0..<50 {
            for _ in 0..<random.below(3) { try change(&random) }
            let everything = Array(try context.fetch(FetchRequest(entityName: "Row")))
            for listing in listings {
                let expected = try everything.filter(listing.matches).sorted(by: listing.precedes)
                var request = try FetchRequest(listing.entity, listing.format)
                request.sortDescriptors = listing.sorts
                let offset = random.below(expected.count + 2), limit = random.oneIn(5) ? 0 : 1 + random.below(8)
                request.fetchOffset = offset
                request.fetchLimit = limit
                let page = Array(expected.dropFirst(offset).prefix(limit == 0 ? .max : limit))
                let choice = "\(listing.entity) \(listing.format ?? ""), \(offset), \(limit)"
                let message = "PINVIEW_SEED=\(random.seed), \(isPinned), step \(step), \(choice)"
                switch random.below(4) {
                case 0: XCTAssertEqual(try context.count(for: request), page.count, message)
                case 1: XCTAssertEqual(try context.fetchObjectIDs(request), page.map(\.objectID), message)
                case 2:
                    request.fetchBatchSize = 1 + random.below(5)
                    XCTAssertEqual(Array(try context.fetch(request)), page, message)
                default:
                    request.shouldRefreshRefetchedObjects = random.oneIn(4)
                    request.includesPropertyValues = !random.oneIn(4)
                    request.returnsObjectsAsFaults = random.oneIn(2)
                    XCTAssertEqual(Array(try context.fetch(request)), page, message)
                }
            }
        }
    }

    private func fill(_ count: Int) throws {
        for number in 0..<count {
            let row = try context.insertNewObject(forEntityName: "Row")
            try row.setAttributeValue(.integer(Int64(number)), forKey: "number")
            try row.setAttributeValue(.integer(Int64(number / 3)), forKey: "n")
        }
        try context.save()
        context = try makeContext(coordinator)
        try context.setQueryGeneration(from: .current)
    }

    private func request(_ offset: Int, _ limit: Int) -> FetchRequest {
        var request = FetchRequest(entityName: "Row")
        request.sortDescriptors = [PinviewSortDescriptor(keyPath: "n")]
        request.fetchOffset = offset
        request.fetchLimit = limit
        return request
    }

    /// Behind tens of thousands of rows the store passes over what precedes the page.
    func test_FET_04_aDistantPageIsThatOfTheWholeResult() throws {
        try fill(20_000)
        var random = SeededGenerator.announced("PagesBesideChangesTests")
        for row in try context.fetch(request(17_000, 60)).filter({ _ in random.oneIn(3) }) {
            try row.setAttributeValue(.integer(Int64(random.below(7_000))), forKey: "n")
        }
        try context.delete(try context.fetch(request(18_000, 1))[0])
        for _ in 0..<5 {
            let row = try context.insertNewObject(forEntityName: "Row")
            try row.setAttributeValue(.integer(Int64(random.below(7_000))), forKey: "n")
        }
        let all = try context.fetch(request(0, 0)).map(\.objectID)
        XCTAssertEqual(all.count, 20_004)
        let changed = try XCTUnwrap(context.updatedObjects.first)
        for offset in [16_300, 16_384, 16_900, 17_020, 18_000, 19_990, 20_003, 20_004, 30_000, 0, 19_000, 40]
            + (0..<20).map({ _ in random.below(20_010) })
        {
            // A change that moves nothing: the next page begins anew.
            if random.oneIn(2) { try changed.setAttributeValue(.string("\(offset)"), forKey: "t") }
            for limit in [1, 40] {
                let page = try context.fetch(request(offset, limit)).map(\.objectID)
                XCTAssertEqual(page, Array(all.dropFirst(offset).prefix(limit)), "PINVIEW_SEED=\(random.seed), \(offset), \(limit)")
            }
        }
    }

    func test_FET_04_theNextPageBesideChangesReadsOnlyItself() throws {
        try fill(400)
        let rows = Array(try context.fetch(request(0, 0)))
        for row in rows.prefix(100) { try row.setAttributeValue(.integer(50), forKey: "n") }
        let pages = try (0..<4).map { try context.fetch(request($0 * 20, 20)).map(\.objectID) }
        let lines = try logged {
            for page in 0..<4 { XCTAssertEqual(try context.fetch(request(page * 20, 20)).map(\.objectID), pages[page]) }
        }
        XCTAssertEqual(lines.filter { $0.contains("SELECT") }, [], "the order is known, and all objects have values")
    }

    /// The objects of a page that nobody asks for are not made.
    func test_FET_04_aBatchedFetchBesideChangesMakesOnlyTheObjectsOfItsPages() throws {
        try fill(2_000)
        let changed = try XCTUnwrap(try context.fetch(request(700, 1)).first)
        try changed.setAttributeValue(.integer(0), forKey: "n")
        var batched = request(0, 0)
        batched.fetchBatchSize = 20
        let result = try context.fetch(batched)
        XCTAssertEqual(result.count, 2_000)
        XCTAssertEqual(result[3], changed)
        XCTAssertLessThan(context.registeredObjects.count, 100)
        XCTAssertEqual(try result.map { try $0.integer("n") ?? -1 }, try result.map { try $0.integer("n") ?? -1 }.sorted())
    }

    func test_FET_04_aCountBesideChangesMakesNoObjects() throws {
        try fill(2_000)
        let changed = try XCTUnwrap(try context.fetch(request(700, 1)).first)
        try changed.setAttributeValue(.integer(5), forKey: "n")
        var counted = try FetchRequest("Row", "n == 5")
        XCTAssertEqual(try context.count(for: counted), 4)
        XCTAssertEqual(context.registeredObjects.count, 1)
        counted.fetchOffset = 3
        XCTAssertEqual(try context.count(for: counted), 1)
    }

    func test_CTX_18_aContextThatKeepsAnOrderIsReleasedWithItsObjects() throws {
        try fill(100)
        weak var changed: ManagedObject?
        for row in try context.fetch(request(0, 3)) {
            try row.setAttributeValue(.integer(20), forKey: "n")
            changed = row
        }
        XCTAssertEqual(try context.fetch(request(50, 10)).count, 10)
        XCTAssertNotNil(changed)
        context = nil
        XCTAssertNil(changed)
    }

    /// What a predicate says about unsaved objects only shows in memory.
    func test_FET_04_fetchesByDifferentUnsavedObjectsAreDifferent() throws {
        try fill(10)
        let new = try (0..<2).map { number in
            let row = try context.insertNewObject(forEntityName: "Row")
            try row.setAttributeValue(.integer(Int64(number)), forKey: "n")
            return row
        }
        for row in new {
            for format in ["SELF IN %@", "SELF == %@"] {
                var request = request(0, 5)
                request.predicate =
                    format == "SELF == %@"
                    ? try PinviewPredicate(format: format, row.objectID) : try PinviewPredicate(format: format, [row.objectID])
                XCTAssertEqual(Array(try context.fetch(request)), [row], format)
            }
        }
    }
}
