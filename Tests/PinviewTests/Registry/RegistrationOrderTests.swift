import RandomSupport
import XCTest

@testable import Pinview

/// The look-ups that follow the order of registration are recognised, and what comes next is known.
/// `PINVIEW_SEED` makes the tests choose otherwise.
final class RegistrationOrderTests: StoreTestCase {
    func test_nothingIsKeptBeforeThereIsRoom() {
        var order = RegistrationOrder()
        order.append(7)
        XCTAssertFalse(order.follow(7))
        order.reserve(4)
        XCTAssertFalse(order.follow(7))
    }

    /// The keys of a model are in the order of their registration, and only as many as there is room
    /// for.
    func test_lookupsInTheOrderOfRegistrationAreFollowed() {
        var random = SeededGenerator.announced("RegistrationOrderTests")
        for _ in 0..<200 {
            var order = RegistrationOrder(), model: [Int64] = [], room = 0
            let high = Int64(random.below(5) - 2) << 32
            var next = Int64(random.below(1 << 32))
            for _ in 0..<random.below(5) + 1 {
                let more = 1 + random.below(300)
                order.reserve(more)
                room = max(room, more)
                for _ in 0..<random.below(300) {
                    let key = high | next
                    next = (next + Int64(random.below(1 << 20)) + 1) & 0xffff_ffff
                    order.append(key)
                    model.append(key)
                }
                model = Array(model.suffix(room))
                for (index, key) in model.enumerated() {
                    XCTAssertTrue(order.follow(key), "PINVIEW_SEED=\(random.seed)")
                    let distance = 1 + random.below(20)
                    guard index + distance < model.count else { continue }
                    XCTAssertEqual(order.key(distance, after: key), model[index + distance], "PINVIEW_SEED=\(random.seed)")
                }
            }
            order.removeAll()
            if let key = model.first { XCTAssertFalse(order.follow(key)) }
        }
    }

    func test_otherLookupsDoNotEndALoop() {
        var order = RegistrationOrder()
        order.reserve(8)
        for key in 1...8 as ClosedRange<Int64> { order.append(key * 10) }
        XCTAssertFalse(order.follow(30))
        XCTAssertTrue(order.follow(10))
        XCTAssertFalse(order.follow(999))
        XCTAssertTrue(order.follow(20))
        // The loop begins anew.
        XCTAssertTrue(order.follow(10))
        XCTAssertTrue(order.follow(20))
        XCTAssertEqual(order.key(3, after: 20), 50)
    }

    /// FET-08, ONE-01: whatever is guessed, an ID leads to its own object, also when others are gone
    /// whose memory was to be loaded.
    func test_FET_08_manyObjectsAreFoundInAnyOrder() throws {
        var random = SeededGenerator.announced("RegistrationOrderTests")
        let coordinator = try makeCoordinator(), context = try makeContext(coordinator)
        let people = try (0..<3_000).map { number in
            let person = try context.insertNewObject(forEntityName: "Person")
            try person.setValue(number, forKey: "age")
            return person
        }
        try context.save()
        let ids = people.map(\.objectID), other = try makeContext(coordinator)
        let age = try XCTUnwrap(people[0].entity.property(named: "age")).index
        try other.performAndWait {
            var kept: [ManagedObject?] = try ids.map { try other.object(with: $0) }
            for step in [1, 2_999, 7, 1_021, 1] {
                for turn in 0..<ids.count {
                    let index = turn * step % ids.count
                    let found = try other.object(with: ids[index])
                    if let known = kept[index] { XCTAssertTrue(found === known) }
                    XCTAssertEqual(found.objectID, ids[index])
                    XCTAssertEqual(try other.attributeValue(at: age, of: ids[index]), .integer(Int64(index)), "PINVIEW_SEED=\(random.seed)")
                }
                for _ in 0..<500 { kept[random.below(kept.count)] = nil }
            }
        }
    }
}
