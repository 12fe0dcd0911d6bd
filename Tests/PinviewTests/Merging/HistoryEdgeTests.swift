import Foundation
import Pinview
import XCTest

/// The edges of the history: every property of entities of many sizes, dates equal to a
/// transaction's own, changes of one row that become one, rows that a batch deletion nullifies.
/// HIS-03, HIS-04, HIS-07, HIS-09.
final class HistoryEdgeTests: StoreTestCase {
    private static let tracking: [String: Value] = ["NSPersistentHistoryTrackingKey": true]

    private func history(
        _ context: ManagedObjectContext, _ request: PersistentHistoryChangeRequest = .fetchHistory(after: nil)
    ) throws -> [PersistentHistoryTransaction] {
        guard case .transactions(let transactions) = try context.execute(request) else {
            XCTFail("no transactions")
            return []
        }
        return transactions
    }

    /// The masks end and begin bytes at the 7th and the 8th property, and at the 15th and the 16th.
    func test_HIS_03_everyPropertyOfEveryCountIsNamedAlone() throws {
        for count in [1, 5, 6, 7, 8, 9, 13, 14, 15, 16, 17] {
            let keys = (0..<count).map { String(UnicodeScalar(UInt8(97 + ($0 * 7) % 26))) + "\($0)" }
            let model = try ManagedObjectModel(entities: [
                EntityDescription(name: "Row", attributes: keys.map { AttributeDescription(name: $0, attributeType: .integer64) })
            ])
            let context = try makeContext(try makeCoordinator(model, name: "\(count).sqlite", options: Self.tracking))
            let row = try context.insertNewObject(forEntityName: "Row")
            try context.save()
            for (number, key) in keys.enumerated() {
                try row.setValue(number + 1, forKey: key)
                try context.save()
                XCTAssertEqual(try history(context).last?.changes.map(\.updatedProperties), [[key]], "\(count) properties")
            }
            // Neighbours together, and all of them.
            for (first, second) in zip(keys, keys.dropFirst()) {
                try row.setValue(-1, forKey: first)
                try row.setValue(-1, forKey: second)
                try context.save()
                let named = try history(context).last?.changes.first?.updatedProperties ?? []
                XCTAssertEqual(Set(named), [first, second], "\(count) properties")
                try row.setValue(0, forKey: first)
                try row.setValue(0, forKey: second)
                try context.save()
            }
            for (number, key) in keys.enumerated() { try row.setValue(number + 100, forKey: key) }
            try context.save()
            XCTAssertEqual(Set(try history(context).last?.changes.first?.updatedProperties ?? []), Set(keys), "\(count) properties")
        }
    }

    /// A transaction's own time is neither before nor after it.
    func test_HIS_07_aTransactionsOwnTimeIsAnEdge() throws {
        let context = try makeContext(try makeCoordinator(options: Self.tracking))
        for number in 0..<4 {
            try context.insertNewObject(forEntityName: "Person").setValue("\(number)", forKey: "name")
            try context.save()
        }
        let all = try history(context)
        XCTAssertEqual(Set(all.map(\.timestamp)).count, 4)
        for (index, transaction) in all.enumerated() {
            let (number, time) = (transaction.transactionNumber, transaction.timestamp)
            XCTAssertEqual(
                try history(context, .fetchHistory(after: time)).map(\.transactionNumber),
                all.map(\.transactionNumber).filter { $0 > number })
            XCTAssertEqual(
                try history(context, .fetchHistory(before: time)).map(\.transactionNumber),
                all.map(\.transactionNumber).filter { $0 < number })
            XCTAssertEqual(try history(context, .fetchHistory(after: transaction.token)).count, 3 - index)
            XCTAssertEqual(try history(context, .fetchHistory(before: transaction.token)).count, index)
        }
        for (index, transaction) in all.enumerated() {
            var request = PersistentHistoryChangeRequest.deleteHistory(before: transaction.timestamp)
            request.resultType = .count
            guard case .count(let count) = try context.execute(request) else { return XCTFail("no count") }
            XCTAssertEqual(count, index == 0 ? 0 : 1)
            XCTAssertEqual(try history(context).map(\.transactionNumber), all[index...].map(\.transactionNumber))
        }
        // The token of the last deleted transaction is the oldest one that can still be used.
        XCTAssertEqual(try history(context, .fetchHistory(after: all[3].token)), [])
        assertError(.historyTokenExpired, try history(context, .fetchHistory(after: all[1].token)))
    }

    /// Many to many, to one, and a deletion rule that nullifies.
    private func clubs() throws -> ManagedObjectModel {
        try ManagedObjectModel(entities: [
            EntityDescription(
                name: "Person", attributes: [AttributeDescription(name: "name", attributeType: .string)],
                relationships: [
                    RelationshipDescription(
                        name: "clubs", destinationEntityName: "Club", inverseRelationshipName: "members", isToMany: true),
                    RelationshipDescription(name: "home", destinationEntityName: "Club", inverseRelationshipName: "residents"),
                ]),
            EntityDescription(
                name: "Club", attributes: [AttributeDescription(name: "name", attributeType: .string)],
                relationships: [
                    RelationshipDescription(
                        name: "members", destinationEntityName: "Person", inverseRelationshipName: "clubs", isToMany: true),
                    RelationshipDescription(
                        name: "residents", destinationEntityName: "Person", inverseRelationshipName: "home", isToMany: true),
                ]),
        ])
    }

    private func kinds(_ transaction: PersistentHistoryTransaction?) -> [ManagedObjectID: PersistentHistoryChangeType] {
        Dictionary((transaction?.changes ?? []).map { ($0.changedObjectID, $0.changeType) }) { first, _ in
            XCTFail("one row has two changes")
            return first
        }
    }

    /// A row that is inserted, and whose members change in the same save, has one change: an
    /// insertion.
    func test_HIS_03_anInsertionAndItsMembersAreOneChange() throws {
        let context = try makeContext(try makeCoordinator(try clubs(), options: Self.tracking))
        let old = try context.insertNewObject(forEntityName: "Person"), oldClub = try context.insertNewObject(forEntityName: "Club")
        try context.save()
        let new = try context.insertNewObject(forEntityName: "Person"), newClub = try context.insertNewObject(forEntityName: "Club")
        try new.setRelatedObjects([oldClub, newClub], forKey: "clubs")
        try old.setRelatedObjects([newClub], forKey: "clubs")
        try new.setValue("new", forKey: "name")
        try old.setValue("old", forKey: "name")
        try context.save()
        let last = try history(context).last
        XCTAssertEqual(
            kinds(last), [old.objectID: .update, new.objectID: .insert, oldClub.objectID: .update, newClub.objectID: .insert])
        for change in last?.changes ?? [] {
            let properties: [ManagedObjectID: Set<String>] = [old.objectID: ["name", "clubs"], oldClub.objectID: ["members"]]
            XCTAssertEqual(Set(change.updatedProperties), properties[change.changedObjectID] ?? [])
        }

        // An update and a deletion are a deletion.
        try old.setValue("gone", forKey: "name")
        try context.delete(newClub)
        try context.delete(old)
        try context.save()
        let kinds = kinds(try history(context).last)
        XCTAssertEqual(kinds[old.objectID], .delete)
        XCTAssertEqual(kinds[newClub.objectID], .delete)
        XCTAssertEqual(kinds[new.objectID], .update)
    }

    /// Whichever side a join table is written from, an object that loses a member by its deletion
    /// has changed.
    func test_HIS_03_theDeletionOfEitherSideIsAChangeOfTheOther() throws {
        for deleted in ["Person", "Club"] {
            let context = try makeContext(try makeCoordinator(try clubs(), name: deleted + ".sqlite", options: Self.tracking))
            let person = try context.insertNewObject(forEntityName: "Person"), club = try context.insertNewObject(forEntityName: "Club")
            try person.setRelatedObjects([club], forKey: "clubs")
            try context.save()
            let (gone, stays) = deleted == "Person" ? (person, club) : (club, person)
            try context.delete(gone)
            try context.save()
            let last = try history(context).last
            XCTAssertEqual(kinds(last), [gone.objectID: .delete, stays.objectID: .update], deleted)
            let change = last?.changes.first { $0.changedObjectID == stays.objectID }
            XCTAssertEqual(change?.updatedProperties, [deleted == "Person" ? "members" : "clubs"], deleted)
        }
    }

    /// Histories of earlier versions do not name the other side of added and removed members: the
    /// difference finds it nevertheless.
    func test_QG_40_theDifferenceNamesTheOtherSideOfAddedAndRemovedMembers() throws {
        let coordinator = try makeCoordinator(try clubs(), options: Self.tracking)
        let context = try makeContext(coordinator), view = try makeContext(coordinator)
        let person = try context.insertNewObject(forEntityName: "Person"), gone = try context.insertNewObject(forEntityName: "Club")
        let stays = try context.insertNewObject(forEntityName: "Club")
        try person.setRelatedObjects([gone, stays], forKey: "clubs")
        try context.save()
        try view.setQueryGeneration(from: .current)
        _ = try view.names()
        let old = try XCTUnwrap(view.queryGenerationToken)

        try context.delete(gone)
        let new = try context.insertNewObject(forEntityName: "Person")
        try new.setRelatedObjects([stays], forKey: "clubs")
        try context.save()
        try sqlite3("DELETE FROM ACHANGE WHERE ZCHANGETYPE = 1")

        let difference = try coordinator.difference(from: old)
        XCTAssertEqual(difference.insertedObjectIDs, [new.objectID])
        XCTAssertEqual(difference.deletedObjectIDs, [gone.objectID])
        let updates = difference.changes.filter { $0.changeType == .update }
        XCTAssertEqual(
            Dictionary(uniqueKeysWithValues: updates.map { ($0.changedObjectID, $0.updatedProperties) }),
            [person.objectID: ["clubs"], stays.objectID: ["members"]])
    }

    /// The rows that lose what a batch deletion deletes are changes of the same transaction.
    func test_HIS_09_rowsThatABatchDeletionNullifiesAreChanges() throws {
        let coordinator = try makeCoordinator(try clubs(), options: Self.tracking)
        let context = try makeContext(coordinator)
        let people = try (0..<3).map { number in
            let person = try context.insertNewObject(forEntityName: "Person")
            try person.setValue("p\(number)", forKey: "name")
            return person
        }
        let gone = try context.insertNewObject(forEntityName: "Club"), stays = try context.insertNewObject(forEntityName: "Club")
        try gone.setValue("gone", forKey: "name")
        try people[0].setRelatedObject(gone, forKey: "home")
        try people[1].setRelatedObject(stays, forKey: "home")
        try people[1].setRelatedObjects([gone, stays], forKey: "clubs")
        try context.save()

        _ = try context.execute(BatchDeleteRequest(fetchRequest: try FetchRequest("Club", "name == 'gone'")))

        let last = try XCTUnwrap(try history(context).last)
        XCTAssertEqual(kinds(last), [gone.objectID: .delete, people[0].objectID: .update, people[1].objectID: .update])
        for change in last.changes where change.changeType == .update {
            XCTAssertEqual(change.updatedProperties, change.changedObjectID == people[0].objectID ? ["home"] : ["clubs"])
        }
        let reader = try makeContext(coordinator)
        XCTAssertNil(try reader.person("p0").relatedObject(forKey: "home"))
        XCTAssertEqual(try reader.person("p1").relatedObject(forKey: "home")?.objectID, stays.objectID)
        XCTAssertEqual(try reader.person("p1").relatedObjects(forKey: "clubs").map(\.objectID), [stays.objectID])
        XCTAssertEqual(try sqlite3("PRAGMA foreign_key_check"), "")

        // Their versions have increased: changing them based on the old ones gives a conflict.
        try people[0].setRelatedObject(stays, forKey: "home")
        XCTAssertEqual(assertError(.managedObjectMerge, try context.save())?.conflicts.map(\.objectID), [people[0].objectID])
    }
}
