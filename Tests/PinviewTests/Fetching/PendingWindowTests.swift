import Pinview
import RandomSupport
import XCTest

/// A fetch with a limit and an offset returns that part of what it returns without them, whatever is
/// pending: FET-04, FET-09. `PINVIEW_SEED` makes the test choose otherwise.
final class PendingWindowTests: StackTestCase {
    override func model() throws -> ManagedObjectModel {
        try ManagedObjectModel(entities: [
            EntityDescription(
                name: "Row",
                attributes: [
                    AttributeDescription(name: "n", attributeType: .integer64), AttributeDescription(name: "t", attributeType: .string),
                ]), EntityDescription(name: "SubRow", superentityName: "Row"),
        ])
    }

    override func prepareStore() throws {}

    private func change(_ context: ManagedObjectContext, _ random: inout SeededGenerator) throws {
        let rows = Array(try context.fetch(FetchRequest(entityName: "Row")))
        for _ in 0..<random.below(8) {
            switch random.below(4) {
            case 0:
                let row = try context.insertNewObject(forEntityName: random.below(3) == 0 ? "SubRow" : "Row")
                try row.setAttributeValue(.integer(Int64(random.below(12))), forKey: "n")
            case 1 where !rows.isEmpty: try context.delete(rows[random.below(rows.count)])
            default:
                let row = rows.isEmpty ? nil : rows[random.below(rows.count)]
                // A change of `t` leaves rows where they are: nothing looks at it.
                let value = Int64(random.below(12)), changesOther = random.below(2) == 0
                if let row, !row.isDeleted {
                    try row.setAttributeValue(changesOther ? .string("\(value)") : .integer(value), forKey: changesOther ? "t" : "n")
                }
            }
        }
    }

    func test_FET_04_aLimitCutsOutOfWhatIsPendingAndStored() throws {
        var random = SeededGenerator.announced("PendingWindowTests")
        let child = ManagedObjectContext(concurrencyType: .privateQueue)
        try child.setParent(context)
        for step in 0..<60 {
            try change(context, &random)
            if random.below(3) == 0 { try context.save() }
            if random.below(2) == 0 { try change(child, &random) }
            if random.below(4) == 0 { try child.save() }
            for reader in [context, child] as [ManagedObjectContext] {
                // A child's objects keep the values that they got, whatever the parent has changed since.
                if reader === child { try child.refreshAllObjects() }
                let everything = Array(try reader.fetch(FetchRequest(entityName: "Row")))
                for (entity, format, isSorted, matches) in [
                    ("Row", nil, true, { _ in true }), ("Row", nil, false, { _ in true }),
                    ("SubRow", nil, true, { $0.entity.name == "SubRow" }),
                    ("Row", "n > 3", true, { (try? $0.integer("n")).flatMap { $0 }.map { $0 > 3 } ?? false }),
                    ("Row", "n < 9", false, { (try? $0.integer("n")).flatMap { $0 }.map { $0 < 9 } ?? false }),
                    ("Row", "t != nil", true, { (try? $0.string("t")).flatMap { $0 } != nil }),
                ] as [(String, String?, Bool, (ManagedObject) -> Bool)] {
                    var request = try FetchRequest(entity, format)
                    let ascending = random.below(2) == 0
                    if isSorted { request.sortDescriptors = [PinviewSortDescriptor(keyPath: "n", ascending: ascending)] }
                    let all = Array(try reader.fetch(request))
                    let found = "PINVIEW_SEED=\(random.seed), step \(step), \(entity) \(format ?? "")"
                    XCTAssertEqual(Set(all), Set(everything.filter(matches)), found)
                    XCTAssertEqual(Set(all).count, all.count, found)
                    let keys = try all.map { try $0.integer("n") ?? -1 }
                    if isSorted { XCTAssertEqual(keys, keys.sorted { ascending ? $0 < $1 : $0 > $1 }, found) }
                    for (offset, limit) in [(0, 1), (0, 4), (2, 3), (1, .max), (all.count, 2), (random.below(5), 1 + random.below(6))] {
                        request.fetchOffset = offset
                        request.fetchLimit = limit
                        let expected = Array(all.dropFirst(offset).prefix(limit))
                        let message = "PINVIEW_SEED=\(random.seed), step \(step), \(entity) \(format ?? ""), \(offset), \(limit)"
                        XCTAssertEqual(Array(try reader.fetch(request)), expected, message)
                        XCTAssertEqual(try reader.count(for: request), expected.count, message)
                        XCTAssertEqual(try reader.fetchObjectIDs(request), expected.map(\.objectID), message)
                    }
                }
            }
            if random.below(5) == 0 { try context.rollback() }
        }
    }
}
