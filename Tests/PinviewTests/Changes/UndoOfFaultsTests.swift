import Foundation
import Pinview
import XCTest

/// Undo and redo of changes to objects that have become faults in between, each kind of change in
/// each way to become a fault: UND-02 to UND-04, UND-17.
final class UndoOfFaultsTests: StackTestCase {
    /// What one event did: the object that it changed, and what a reader sees of it before and
    /// after.
    private struct Change {
        let name: String
        let make: (ManagedObjectContext) throws -> Void
        let see: (ManagedObjectContext) throws -> String
    }

    private func car(_ name: String, _ context: ManagedObjectContext) throws -> ManagedObject {
        try XCTUnwrap(try context.fetch(FetchRequest("Car", "name == %@", name)).first)
    }

    /// By their IDs, because the changes affect what a predicate finds.
    private func changes() throws -> [Change] {
        let person = try context.person("dave0").objectID, second = try context.person("dave1").objectID
        let car = try car("car0", context).objectID
        func cars(_ owner: ManagedObjectID, _ context: ManagedObjectContext) throws -> String {
            try context.existingObject(with: owner).relatedObjects(forKey: "cars").map { try $0.string("name") ?? "nil" }.sorted()
                .joined(separator: ",")
        }
        func owner(_ context: ManagedObjectContext) throws -> String {
            try context.existingObject(with: car).relatedObject(forKey: "owner")?.string("name") ?? "nil"
        }
        func everything(_ context: ManagedObjectContext) throws -> String {
            let object = try context.existingObject(with: person)
            return try [
                object.string("name") ?? "nil", "\(object.integer("age") ?? -1)", cars(person, context), cars(second, context),
                owner(context),
            ].joined(separator: "|")
        }
        return [
            Change(
                name: "an attribute", make: { try $0.existingObject(with: person).setValue("renamed", forKey: "name") }, see: everything),
            Change(
                name: "two attributes",
                make: {
                    try $0.existingObject(with: person).setValue("renamed", forKey: "name")
                    try $0.existingObject(with: person).setValue(nil, forKey: "age")
                }, see: everything),
            Change(
                name: "to one",
                make: { try $0.existingObject(with: car).setRelatedObject($0.existingObject(with: second), forKey: "owner") },
                see: everything),
            Change(
                name: "to nil", make: { try $0.existingObject(with: car).setRelatedObject(nil, forKey: "owner") }, see: everything),
            Change(
                name: "to many",
                make: { try $0.existingObject(with: second).addRelatedObject($0.existingObject(with: car), forKey: "cars") },
                see: everything),
            Change(
                name: "to many, removed",
                make: { try $0.existingObject(with: person).removeRelatedObject($0.existingObject(with: car), forKey: "cars") },
                see: everything),
        ]
    }

    /// The ways to become a fault; the changes are saved before.
    private func faultings() -> [(String, (ManagedObjectContext) throws -> Void)] {
        [
            (
                "refresh of each",
                { context in for object in context.registeredObjects { try context.refresh(object, mergeChanges: false) } }
            ),
            ("refresh of all", { try $0.refreshAllObjects() }),
        ]
    }

    func test_UND_17_aSavedChangeOfAnObjectThatIsAFaultIsTakenBackAndMadeAgain() throws {
        let begin = try changes().map { try $0.see(context) }
        for (index, change) in try changes().enumerated() {
            for (how, becomeFaults) in faultings() {
                let message = "\(change.name), \(how)"
                let context = try makeContext(coordinator)
                try context.performAndWait { try change.make(context) }
                let after = try change.see(context)
                XCTAssertNotEqual(after, begin[index], message)
                try context.save()
                try becomeFaults(context)

                try context.undo()
                XCTAssertTrue(context.hasChanges, message)
                XCTAssertEqual(try change.see(context), begin[index], "\(message): undone")
                XCTAssertEqual(try change.see(try makeContext(coordinator)), after, "\(message): not yet saved")
                try context.save()
                XCTAssertEqual(try change.see(try makeContext(coordinator)), begin[index], "\(message): undone and saved")

                try becomeFaults(context)
                try context.redo()
                XCTAssertEqual(try change.see(context), after, "\(message): redone")
                try context.save()
                XCTAssertEqual(try change.see(try makeContextOfSecondStack()), after, "\(message): redone and saved")

                try becomeFaults(context)
                try context.undo()
                try context.save()
                XCTAssertEqual(try change.see(try makeContextOfSecondStack()), begin[index], "\(message): undone again")
            }
        }
    }

    /// Changes that refreshing has discarded cannot be undone: undo leaves the row as it is. Redo
    /// sets attributes again; members that undo did not have to move it leaves where they are.
    func test_UND_02_aPendingChangeThatWasThrownAwayByARefresh() throws {
        for change in try changes() {
            let context = try makeContext(coordinator)
            let before = try change.see(context)
            try context.performAndWait { try change.make(context) }
            let after = try change.see(context)
            for object in context.registeredObjects { try context.refresh(object, mergeChanges: false) }
            XCTAssertEqual(try change.see(context), before, change.name)
            try context.undo()
            XCTAssertEqual(try change.see(context), before, "\(change.name): undone")
            XCTAssertFalse(context.hasChanges, "\(change.name): undone")
            try context.redo()
            let again = change.name.contains("attribute") ? after : before
            XCTAssertEqual(try change.see(context), again, "\(change.name): redone")
            XCTAssertEqual(context.hasChanges, again != before, "\(change.name): redone")
            try context.rollback()
            XCTAssertEqual(try change.see(context), before, "\(change.name): rolled back")
        }
    }

    /// Several events on one object, taken back one by one, with the object a fault before each.
    func test_UND_05_eachGroupIsTakenBackFromAFault() throws {
        let person = try context.person("dave0")
        for age in 31...35 {
            try context.performAndWait { try person.setValue(age, forKey: "age") }
            try context.save()
        }
        for age in [34, 33, 32, 31, 20] {
            try context.refresh(person, mergeChanges: false)
            try context.undo()
            XCTAssertEqual(try person.integer("age"), Int64(age))
            try context.save()
            let reader = try makeContext(coordinator)
            XCTAssertEqual(try reader.existingObject(with: person.objectID).integer("age"), Int64(age))
        }
        for age in 31...35 {
            try context.refresh(person, mergeChanges: false)
            try context.redo()
            XCTAssertEqual(try person.integer("age"), Int64(age))
        }
    }

    /// Both sides of a relationship are deleted, one before a refresh, and come back one by one.
    func test_UND_04_UND_17_deletionsThatASaveFollowedComeBackRelated() throws {
        let person = try context.person("dave0"), car = try car("car0", context)
        try context.performAndWait { try car.setRelatedObject(person, forKey: "owner") }
        try context.save()
        try context.performAndWait { try context.delete(car) }
        try context.refreshAllObjects()
        try context.performAndWait { try context.delete(person) }
        try context.save()

        try context.undo()
        try context.undo()

        XCTAssertTrue(try car.relatedObject(forKey: "owner") === person)
        XCTAssertTrue(try person.relatedObjects(forKey: "cars").contains(car))
        try context.save()
        let reader = try makeContext(coordinator)
        let owner = try reader.existingObject(with: car.objectID).relatedObject(forKey: "owner")
        XCTAssertEqual(owner?.objectID, person.objectID)
    }
}
