import Pinview
import XCTest

/// Notifications as asynchronous sequences (NOT-05, NOT-11, NOT-13).
final class NotificationStreamTests: StackTestCase {
    func test_NOT_05_notificationsComeInOrder() async throws {
        let context = try XCTUnwrap(context), reader = try makeContext(coordinator)
        let saves = PinviewNotificationCenter.default.notifications(named: .didSave, object: context)
        for number in 0..<3 {
            try await context.perform { try context.insertNewObject(forEntityName: "Person").setValue("new\(number)", forKey: "name") }
            try await context.perform { try context.save() }
        }
        var names: [String?] = []
        for await save in saves {
            for objectID in save.insertedObjectIDs { names.append(try reader.existingObject(with: objectID).string("name")) }
            if names.count == 3 { break }
        }
        XCTAssertEqual(names, ["new0", "new1", "new2"])
    }

    func test_NOT_11_aSequenceOfOneContextHasNothingOfOthers() async throws {
        let context = try XCTUnwrap(context), other = try XCTUnwrap(other)
        var saves = PinviewNotificationCenter.default.notifications(named: .didSave, object: context).makeAsyncIterator()
        for each in [other, context] {
            try each.performAndWait {
                _ = try each.insertNewObject(forEntityName: "Person")
                try each.save()
            }
        }
        let first = await saves.next()
        XCTAssertTrue(first?.object === context)
    }

    func test_NOT_13_aCancelledReaderReceivesNothingMore() async throws {
        let context = try XCTUnwrap(context)
        let saves = PinviewNotificationCenter.default.notifications(named: .didSave, object: context)
        let reader = Task {
            var count = 0
            for await _ in saves { count += 1 }
            return count
        }
        reader.cancel()
        let count = await reader.value
        try await context.perform {
            _ = try context.insertNewObject(forEntityName: "Person")
            try context.save()
        }
        XCTAssertEqual(count, 0)
    }
}
