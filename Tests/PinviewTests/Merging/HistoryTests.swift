import Foundation
import Pinview
import XCTest

/// Persistent history: HIS-01 to HIS-10.
final class HistoryTests: StoreTestCase {
    private var coordinator: PersistentStoreCoordinator!
    private var context: ManagedObjectContext!

    private static let tracking: [String: Value] = ["NSPersistentHistoryTrackingKey": true]

    /// Person and Club, many to many; the history keeps the names of deleted people.
    private func model() throws -> ManagedObjectModel {
        try ManagedObjectModel(entities: [
            EntityDescription(
                name: "Person",
                attributes: [
                    AttributeDescription(name: "name", attributeType: .string, preservesValueInHistoryOnDeletion: true),
                    AttributeDescription(name: "age", attributeType: .integer64, defaultValue: 0),
                    AttributeDescription(name: "born", attributeType: .date, preservesValueInHistoryOnDeletion: true),
                ],
                relationships: [
                    RelationshipDescription(
                        name: "clubs", destinationEntityName: "Club", inverseRelationshipName: "members", isToMany: true),
                    RelationshipDescription(name: "boss", destinationEntityName: "Person", inverseRelationshipName: "staff"),
                    RelationshipDescription(
                        name: "staff", destinationEntityName: "Person", inverseRelationshipName: "boss", isToMany: true),
                ]),
            EntityDescription(
                name: "Club", attributes: [AttributeDescription(name: "name", attributeType: .string)],
                relationships: [
                    RelationshipDescription(
                        name: "members", destinationEntityName: "Person", inverseRelationshipName: "clubs", isToMany: true)
                ]),
        ])
    }

    override func setUpWithError() throws {
        try super.setUpWithError()
        coordinator = try makeCoordinator(try model(), options: Self.tracking)
        context = try makeContext(coordinator)
    }

    override func tearDownWithError() throws {
        context = nil
        coordinator = nil
        try super.tearDownWithError()
    }

    @discardableResult
    private func insert(_ name: String, in context: ManagedObjectContext? = nil) throws -> ManagedObject {
        let target: ManagedObjectContext = context ?? self.context
        let person = try target.insertNewObject(forEntityName: "Person")
        try person.setValue(name, forKey: "name")
        return person
    }

    private func history(
        _ request: PersistentHistoryChangeRequest = .fetchHistory(after: nil), in context: ManagedObjectContext? = nil
    ) throws -> [PersistentHistoryTransaction] {
        guard case .transactions(let transactions) = try (context ?? self.context).execute(request) else {
            XCTFail("no transactions")
            return []
        }
        return transactions
    }

    func test_HIS_01_theAuthorIsNilUntilItIsSet() throws {
        XCTAssertNil(context.transactionAuthor)
        context.transactionAuthor = "editor"
        XCTAssertEqual(context.transactionAuthor, "editor")
        context.transactionAuthor = nil
        XCTAssertNil(context.transactionAuthor)
    }

    func test_HIS_02_eachSaveWritesOneTransactionWithTheAuthorOfThatMoment() throws {
        context.transactionAuthor = "editor"
        try insert("dave")
        try context.save()
        context.transactionAuthor = nil
        try insert("eve")
        try context.save()
        context.transactionAuthor = "later"
        XCTAssertEqual(try history().map(\.author), ["editor", nil])
    }

    func test_HIS_02_aSaveWithoutChangesWritesNone() throws {
        try context.save()
        XCTAssertEqual(try history(), [])
    }

    func test_HIS_03_whatATransactionTells() throws {
        context.name = "view"
        let before = Date()
        let dave = try insert("dave")
        try context.save()
        try dave.setValue(30, forKey: "age")
        try context.save()
        try context.delete(dave)
        try context.save()

        let transactions = try history()
        XCTAssertEqual(transactions.map(\.transactionNumber), [1, 2, 3])
        XCTAssertEqual(transactions.map(\.contextName), ["view", "view", "view"])
        XCTAssertEqual(Set(transactions.map(\.storeIdentifier)), [coordinator.persistentStores[0].identifier])
        for transaction in transactions {
            XCTAssertGreaterThan(transaction.timestamp, before.addingTimeInterval(-1))
            XCTAssertLessThan(transaction.timestamp, Date().addingTimeInterval(1))
            XCTAssertTrue(transaction.processID?.hasSuffix("-\(getpid())") ?? false)
        }
        let changes = transactions.flatMap(\.changes)
        XCTAssertEqual(changes.map(\.changeType), [.insert, .update, .delete])
        XCTAssertEqual(Set(changes.map(\.changedObjectID)), [dave.objectID])
        XCTAssertEqual(changes.map(\.updatedProperties), [[], ["age"], []])
        XCTAssertEqual(changes.map(\.changeID), changes.map(\.changeID).sorted())
    }

    func test_HIS_03_aDeletionKeepsWhatTheModelSays() throws {
        let dave = try insert("dave")
        try dave.setValue(30, forKey: "age")
        try dave.setValue(Date(timeIntervalSinceReferenceDate: 12.5), forKey: "born")
        try context.save()
        try context.delete(dave)
        try context.save()
        let change = try XCTUnwrap(try history().last?.changes.first)
        XCTAssertEqual(change.tombstone, ["name": "dave", "born": .date(Date(timeIntervalSinceReferenceDate: 12.5))])
    }

    func test_HIS_03_changedRelationshipsAreNamedOnBothSides() throws {
        let dave = try insert("dave"), eve = try insert("eve")
        let club = try context.insertNewObject(forEntityName: "Club")
        try context.save()
        try dave.setRelatedObjects([club], forKey: "clubs")
        try dave.setRelatedObject(eve, forKey: "boss")
        try context.save()
        let changes = try XCTUnwrap(try history().last?.changes)
        let properties = Dictionary(uniqueKeysWithValues: changes.map { ($0.changedObjectID, Set($0.updatedProperties)) })
        XCTAssertEqual(properties[dave.objectID], ["clubs", "boss"])
        XCTAssertEqual(properties[club.objectID], ["members"])
    }

    func test_HIS_04_afterATokenATransactionOrADate() throws {
        try insert("a")
        try context.save()
        let token = try coordinator.currentPersistentHistoryToken()
        try insert("b")
        try context.save()
        try insert("c")
        try context.save()
        let all = try history()
        XCTAssertEqual(all.count, 3)
        XCTAssertEqual(try history(.fetchHistory(after: token)).map(\.transactionNumber), [2, 3])
        XCTAssertEqual(try history(.fetchHistory(after: all[1])).map(\.transactionNumber), [3])
        XCTAssertEqual(try history(.fetchHistory(after: all[1].token)).map(\.transactionNumber), [3])
        XCTAssertEqual(try history(.fetchHistory(after: all[0].timestamp)).map(\.transactionNumber), [2, 3])
        XCTAssertEqual(try history(.fetchHistory(after: Date(timeIntervalSinceNow: 60))), [])
        XCTAssertEqual(try history(.fetchHistory(after: PersistentHistoryToken(data: token.data()))).count, 2)
    }

    func test_HIS_04_beforeATokenATransactionOrADate() throws {
        for name in ["a", "b", "c"] {
            try insert(name)
            try context.save()
        }
        let all = try history()
        XCTAssertEqual(try history(.fetchHistory(before: all[2].token)).map(\.transactionNumber), [1, 2])
        XCTAssertEqual(try history(.fetchHistory(before: all[1])).map(\.transactionNumber), [1])
        XCTAssertEqual(try history(.fetchHistory(before: all[0].timestamp)), [])
        XCTAssertEqual(try history(.fetchHistory(before: Date(timeIntervalSinceNow: 60))).count, 3)
        XCTAssertEqual(try history(.fetchHistory(after: all[0].token).before(all[2].token)).map(\.transactionNumber), [2])
        XCTAssertEqual(try history(.fetchHistory(before: all[0])), [])
    }

    func test_HIS_04_transactionsOfOtherCoordinatorsAreThere() throws {
        let second = try makeContext(try makeCoordinator(try model(), options: Self.tracking))
        second.transactionAuthor = "elsewhere"
        try insert("eve", in: second)
        try second.save()
        XCTAssertEqual(try history().map(\.author), ["elsewhere"])
    }

    func test_HIS_04_resultTypes() throws {
        let dave = try insert("dave")
        try context.save()
        var request = PersistentHistoryChangeRequest.fetchHistory(after: nil)
        request.resultType = .count
        guard case .count(1) = try context.execute(request) else { return XCTFail("no count") }
        request.resultType = .objectIDs
        guard case .objectIDs([dave.objectID]) = try context.execute(request) else { return XCTFail("no IDs") }
        request.resultType = .changesOnly
        guard case .changes(let changes) = try context.execute(request), changes.count == 1 else { return XCTFail("no changes") }
        request.resultType = .transactionsOnly
        XCTAssertEqual(try history(request).map(\.changes), [[]])
        request.resultType = .statusOnly
        guard case .success = try context.execute(request) else { return XCTFail("no status") }
    }

    func test_HIS_05_authorsAreFiltered() throws {
        for author in ["a", nil, "b", "a"] {
            context.transactionAuthor = author
            try insert(author ?? "nobody")
            try context.save()
        }
        var request = PersistentHistoryChangeRequest.fetchHistory(after: nil)
        request.authors = ["a"]
        XCTAssertEqual(try history(request).map(\.transactionNumber), [1, 4])
        request.authors = [nil, "b"]
        XCTAssertEqual(try history(request).map(\.transactionNumber), [2, 3])
        request.authors = nil
        request.excludedAuthors = ["a"]
        XCTAssertEqual(try history(request).map(\.transactionNumber), [2, 3])
        request.excludedAuthors = [nil]
        XCTAssertEqual(try history(request).map(\.transactionNumber), [1, 3, 4])
        request.excludedAuthors = []
        request.entityNames = ["Club"]
        XCTAssertEqual(try history(request), [])
    }

    func test_HIS_06_aTransactionIsMergedAndMovesAPinnedContext() throws {
        let dave = try insert("dave")
        try insert("eve")
        try context.save()
        let view = try makeContext(coordinator)
        try view.setQueryGeneration(from: .current)
        let seen = try view.person("dave"), gone = try view.person("eve")
        let token = try coordinator.currentPersistentHistoryToken()
        try dave.setValue("david", forKey: "name")
        try context.delete(try context.person("eve"))
        try insert("frank")
        try context.save()

        let transactions = try history(.fetchHistory(after: token))
        try view.mergeChanges(fromHistory: transactions)
        XCTAssertNil(view.queryGenerationToken)
        XCTAssertEqual(try seen.string("name"), "david")
        XCTAssertTrue(gone.isDeleted)
        XCTAssertEqual(try view.names(), ["david", "frank"])
        XCTAssertNotNil(view.queryGenerationToken)
    }

    func test_HIS_07_theBeginningCanBeDeleted() throws {
        for name in ["a", "b", "c"] {
            try insert(name)
            try context.save()
        }
        let all = try history()
        var request = PersistentHistoryChangeRequest.deleteHistory(before: all[1])
        request.resultType = .count
        guard case .count(1) = try context.execute(request) else { return XCTFail("not one") }
        XCTAssertEqual(try history().map(\.transactionNumber), [2, 3])
        XCTAssertEqual(try history(.fetchHistory(after: all[1].token)).map(\.transactionNumber), [3])
        let error = assertError(.historyTokenExpired, try history(.fetchHistory(after: all[0].token)))
        XCTAssertEqual(error?.code, 134301)
        XCTAssertEqual(try sqlite3("SELECT count(*) FROM ACHANGE"), "2")

        _ = try context.execute(PersistentHistoryChangeRequest.deleteHistory(before: Date(timeIntervalSinceNow: 60)))
        XCTAssertEqual(try history(), [])
        assertError(.historyTokenExpired, try history(.fetchHistory(after: all[1].token)))
        try insert("d")
        try context.save()
        XCTAssertEqual(try history().map(\.transactionNumber), [4])
    }

    func test_HIS_07_consumersKeepWhatTheyHaveStillToRead() throws {
        try insert("a")
        try context.save()
        let token = try coordinator.currentPersistentHistoryToken()
        try coordinator.setHistoryConsumer("index", token: token)
        try coordinator.setHistoryConsumer("slow", token: PersistentHistoryToken(data: token.data()))
        for name in ["b", "c"] {
            try insert(name)
            try context.save()
        }
        let end = try coordinator.currentPersistentHistoryToken()
        try coordinator.setHistoryConsumer("index", token: end)
        XCTAssertEqual(try coordinator.historyConsumers(), ["index": end, "slow": token])

        _ = try context.execute(PersistentHistoryChangeRequest.deleteHistory(before: end))
        XCTAssertEqual(try history(.fetchHistory(after: nil)).map(\.transactionNumber), [2, 3], "the slow one has read the first only")
        var request = PersistentHistoryChangeRequest.deleteHistory(before: end)
        request.passesConsumers = true
        _ = try context.execute(request)
        XCTAssertEqual(try history().map(\.transactionNumber), [3])
        XCTAssertTrue(try coordinator.removeHistoryConsumer("slow"))
        XCTAssertFalse(try coordinator.removeHistoryConsumer("slow"))
    }

    func test_HIS_07_aConsumerOfNoStoreIsRefused() throws {
        let elsewhere = try makeCoordinator(try model(), name: "elsewhere.sqlite", options: Self.tracking)
        let token = try elsewhere.currentPersistentHistoryToken()
        assertError(.invalidArgument, try coordinator.setHistoryConsumer("index", token: token))
        XCTAssertEqual(try coordinator.historyConsumers(), [:])
    }

    func test_HIS_07_deletingBothPastConsumersAndNotIsRefused() throws {
        try insert("a")
        try context.save()
        var request = PersistentHistoryChangeRequest.deleteHistory(before: Date(timeIntervalSinceNow: 60))
        request.passesConsumers = true
        request.refusesToPassConsumers = true
        assertError(.invalidArgument, try context.execute(request))
        XCTAssertEqual(try history().count, 1)
    }

    func test_HIS_08_withoutTrackingThereIsNone() throws {
        let plain = try makeContext(try makeCoordinator(try model(), name: "plain.sqlite"))
        try insert("dave", in: plain)
        try plain.save()
        let error = assertError(.persistentStoreUnsupportedRequest, try history(in: plain))
        XCTAssertEqual(error?.code, 134091)
        XCTAssertEqual(try sqlite3("SELECT count(*) FROM sqlite_master WHERE name = 'ATRANSACTION'", file: "plain.sqlite"), "0")
        let untracked = try makeContext(try makeCoordinator(try model()))
        try insert("eve", in: untracked)
        try untracked.save()
        XCTAssertEqual(try sqlite3("SELECT count(*) FROM ATRANSACTION"), "0")
    }

    func test_HIS_08_withoutTrackingThereAreNoConsumersAndNoToken() throws {
        let plain = try makeCoordinator(try model(), name: "plain.sqlite")
        let store = try XCTUnwrap(plain.persistentStores.first), plainContext = try makeContext(plain)
        assertError(.persistentStoreUnsupportedRequest, try plain.currentPersistentHistoryToken(fromStores: [store]))
        assertError(
            .persistentStoreUnsupportedRequest,
            try plainContext.execute(PersistentHistoryChangeRequest.deleteHistory(before: Date(timeIntervalSinceNow: 60))))
        let token = try plain.currentPersistentHistoryToken()
        assertError(.invalidArgument, try plain.setHistoryConsumer("index", token: token))
        XCTAssertFalse(try plain.removeHistoryConsumer("index"))
        XCTAssertEqual(try plain.historyConsumers(), [:])
    }

    func test_HIS_09_batchRequestsWriteHistoryToo() throws {
        context.transactionAuthor = "batch"
        _ = try context.execute(BatchInsertRequest(entityName: "Person", objects: [["name": "a"], ["name": "b"]]))
        var update = BatchUpdateRequest(entityName: "Person")
        update.propertiesToUpdate = ["age": 3]
        update.predicate = try PinviewPredicate(format: "name == 'a'")
        _ = try context.execute(update)
        _ = try context.execute(BatchDeleteRequest(fetchRequest: try FetchRequest("Person", "name == 'b'")))
        let transactions = try history()
        XCTAssertEqual(transactions.map(\.author), ["batch", "batch", "batch"])
        XCTAssertEqual(transactions.map { $0.changes.map(\.changeType) }, [[.insert, .insert], [.update], [.delete]])
        XCTAssertEqual(transactions[1].changes[0].updatedProperties, ["age"])
    }

    func test_HIS_10_theAuthorIsThatOfTheRoot() throws {
        context.transactionAuthor = "root"
        let child = ManagedObjectContext(concurrencyType: .privateQueue)
        try child.setParent(context)
        child.transactionAuthor = "child"
        try insert("dave", in: child)
        try child.save()
        try context.save()
        XCTAssertEqual(try history().map(\.author), ["root"])
    }

    func test_HIS_02_aFailedSaveWritesNoHistory() throws {
        let dave = try insert("dave")
        try context.save()
        let other = try makeContext(coordinator)
        try other.person("dave").setValue(1, forKey: "age")
        try dave.setValue(2, forKey: "age")
        try context.save()
        XCTAssertThrowsError(try other.save())
        XCTAssertEqual(try history().count, 2)
    }

    func test_HIS_04_alteredTokensAreRefused() throws {
        let bytes = try coordinator.currentPersistentHistoryToken().data()
        for data in [[], Array(bytes.dropLast()), [1, 2, 3]] { assertError(.invalidArgument, try PersistentHistoryToken(data: data)) }
        // A damaged token must not be taken for another place, such as the beginning (issue 15,
        // point 12).
        for bit in 0..<bytes.count * 8 {
            var damaged = bytes
            damaged[bit / 8] ^= 1 << UInt8(bit % 8)
            assertError(.invalidArgument, try PersistentHistoryToken(data: damaged))
        }
    }

    func test_HIS_04_tokensOfEarlierVersionsAreRead() throws {
        // A property list without a checksum: { "6F9619FF-8B86-D011-B42D-00CF4FC964FF" = 7 }.
        let old =
            Array("bplist00".utf8) + [0xD1, 0x01, 0x02, 0x5F, 0x10, 0x24] + Array("6F9619FF-8B86-D011-B42D-00CF4FC964FF".utf8)
            + [0x10, 0x07, 0x08, 0x0B, 0x32] + [0, 0, 0, 0, 0, 0, 1, 1] + [0, 0, 0, 0, 0, 0, 0, 3] + [0, 0, 0, 0, 0, 0, 0, 0]
            + [0, 0, 0, 0, 0, 0, 0, 0x34]
        XCTAssertEqual(
            try PersistentHistoryToken(data: old).transactionNumbers, ["6F9619FF-8B86-D011-B42D-00CF4FC964FF": 7])
    }

    /// Read between the two, an object shows the second one once both are merged, as after the merge of
    /// two saves.
    func test_HIS_09_aMergedRangeWithAnInsertionAndALaterChangeRefreshesTheObject() throws {
        for isOwn in [true, false] {
            for isPinned in [true, false] {
                let other = try makeContext(coordinator), reader = try makeContext(coordinator)
                let token = try coordinator.currentPersistentHistoryToken()
                try insert("new", in: isOwn ? reader : other)
                try (isOwn ? reader : other).save()
                if isPinned { try reader.setQueryGeneration(from: .current) }
                let request = try FetchRequest("Person", "name == 'new'")
                let person = try XCTUnwrap(try reader.fetch(request).first)
                XCTAssertEqual(try person.string("name"), "new")
                try XCTUnwrap(try other.fetch(request).first).setValue("changed", forKey: "name")
                try other.save()

                try reader.mergeChanges(fromHistory: try history(.fetchHistory(after: token), in: other))

                XCTAssertEqual(try person.string("name"), "changed", "own: \(isOwn), pinned: \(isPinned)")
            }
        }
    }
}
