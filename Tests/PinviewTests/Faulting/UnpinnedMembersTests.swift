import Pinview
import RandomSupport
import XCTest

/// An unpinned context shows the members that an object has now, although it reads those of many
/// objects together: QG-02, REL-01. `PINVIEW_SEED` makes the test choose otherwise.
final class UnpinnedMembersTests: StackTestCase {
    private static let owners = 30

    override func prepareStore() throws { try fill(coordinator, count: Self.owners) }

    private func people(_ context: ManagedObjectContext) throws -> [ManagedObject] {
        var request = FetchRequest(entityName: "Person")
        request.sortDescriptors = [PinviewSortDescriptor(keyPath: "age")]
        return Array(try context.fetch(request))
    }

    private func names(_ person: ManagedObject) throws -> [String] {
        try person.relatedObjects(forKey: "cars").map { try $0.string("name") ?? "" }.sorted()
    }

    func test_REL_01_othersChangeMembersWhileTheyAreWalked() throws {
        var random = SeededGenerator.announced("UnpinnedMembersTests")
        let second = try makeCoordinator(try model())
        let writers = [other!, try makeContext(second)]
        for round in 0..<4 {
            context = try makeContext(coordinator)
            for (place, person) in try people(context).enumerated() {
                if random.oneIn(4) {
                    let writer = writers[random.below(2)]
                    try writer.refreshAllObjects()
                    // Mostly owners whose members have been read along already. What the context has
                    // shown stays as it was, so none of that is moved.
                    let later = try people(writer)[place...].prefix(random.oneIn(3) ? 30 : 5)
                    let owner = later[later.indices.randomElement(using: &random) ?? place]
                    let former = later[later.indices.randomElement(using: &random) ?? place]
                    if random.oneIn(3) {
                        try writer.insertNewObject(forEntityName: "Car").setRelatedObject(owner, forKey: "owner")
                    } else if let car = try former.relatedObjects(forKey: "cars").first {
                        try car.setRelatedObject(random.oneIn(5) ? nil : owner, forKey: "owner")
                    }
                    try writer.save()
                }
                let reader = try makeContext(second)
                let same = try XCTUnwrap(try people(reader).first { try $0.string("name") == (try person.string("name")) })
                XCTAssertEqual(try names(person), try names(same), "PINVIEW_SEED=\(random.seed), round \(round), \(place)")
            }
        }
    }

    func test_W14_membersReadAlongNeedNoGeneration() throws {
        let owners = try people(context)
        XCTAssertEqual(try owners[0..<10].flatMap(names).count, 10)
        let lines = try logged { XCTAssertEqual(try owners[10..<20].flatMap(names).count, 10) }
        XCTAssertLessThanOrEqual(lines.filter { $0.contains("SELECT") }.count, 1)
        XCTAssertEqual(context.queryGenerationState, .unpinned)
    }
}
