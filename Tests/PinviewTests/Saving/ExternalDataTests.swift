import CSQLite
import Foundation
import Pinview
import XCTest

/// MDL-13: large data in files of its own.
final class ExternalDataTests: StackTestCase {
    private let large = [UInt8](repeating: 7, count: 300_000), other300 = [UInt8](repeating: 9, count: 300_000)

    override func model() throws -> ManagedObjectModel {
        try ManagedObjectModel(entities: [
            EntityDescription(
                name: "Photo",
                attributes: [
                    AttributeDescription(name: "title", attributeType: .string),
                    AttributeDescription(name: "image", attributeType: .binaryData, allowsExternalBinaryDataStorage: true),
                    AttributeDescription(name: "look", attributeType: .transformable, allowsExternalBinaryDataStorage: true),
                ], uniquenessConstraints: [["title"]])
        ])
    }

    override func prepareStore() throws {}

    private var filesFolder: String {
        folder + "/.store_SUPPORT/_EXTERNAL_DATA"
    }
    private func files() -> [String] { ((try? FileManager.default.contentsOfDirectory(atPath: filesFolder)) ?? []).sorted() }

    @discardableResult
    private func insert(_ title: String, _ image: [UInt8], in context: ManagedObjectContext) throws -> ManagedObject {
        let photo = try context.insertNewObject(forEntityName: "Photo")
        try photo.setValue(title, forKey: "title")
        try photo.setValue(image, forKey: "image")
        try context.save()
        return photo
    }

    private func photo(_ title: String, in context: ManagedObjectContext) throws -> ManagedObject {
        try XCTUnwrap(try context.fetch(FetchRequest("Photo", "title == %@", title)).first)
    }

    private func image(_ title: String, in context: ManagedObjectContext) throws -> [UInt8]? {
        try photo(title, in: context).value(forKey: "image") as? [UInt8]
    }

    /// Waits for the library's thread, which deletes files after pins have ended.
    private func waitForFiles(_ count: Int, line: UInt = #line) {
        for _ in 0..<1000 where files().count != count { usleep(10_000) }
        XCTAssertEqual(files().count, count, line: line)
    }

    func test_MDL_13_largeDataGoesToAFileAndSmallDataStaysInTheRow() throws {
        try insert("small", [1, 2], in: context)
        XCTAssertEqual(files(), [])
        try insert("large", large, in: context)

        XCTAssertEqual(files().count, 1)
        XCTAssertEqual(try Data(contentsOf: URL(fileURLWithPath: filesFolder + "/" + files()[0])), Data(large))
        XCTAssertEqual(
            try sqlite3("SELECT hex(ZIMAGE) FROM ZPHOTO ORDER BY length(ZIMAGE)"),
            "010102\n02" + files()[0].utf8.map { String($0, radix: 16, uppercase: true) }.joined() + "00")
        let reader = try makeContextOfSecondStack()
        XCTAssertTrue(try image("large", in: reader) == large)
        XCTAssertEqual(try image("small", in: reader), [1, 2])
    }

    func test_MDL_13_aTransformableAttributeUsesFilesToo() throws {
        let photo = try insert("a", [], in: context)
        try photo.setValue(large, forKey: "look")
        try context.save()

        XCTAssertEqual(files().count, 1)
        let reader = try makeContextOfSecondStack()
        XCTAssertTrue(try self.photo("a", in: reader).value(forKey: "look") as? [UInt8] == large)
    }

    func test_MDL_13_changingAndDeletingRemoveFilesThatAreNoLongerNeeded() throws {
        let photo = try insert("a", large, in: context)
        let first = files()
        try photo.setValue(other300, forKey: "image")
        try context.save()
        waitForFiles(1)
        XCTAssertNotEqual(files(), first)
        try photo.setValue("b", forKey: "title")
        try context.save()
        XCTAssertTrue(try image("b", in: other) == other300)
        try context.delete(photo)
        try context.save()
        waitForFiles(0)
    }

    func test_MDL_13_aPinnedContextReadsTheBytesOfItsGeneration() throws {
        let photo = try insert("a", large, in: context)
        try other.setQueryGeneration(from: .current)
        XCTAssertEqual(try other.count(for: FetchRequest(entityName: "Photo")), 1)
        try photo.setValue(other300, forKey: "image")
        try context.save()
        try context.delete(photo)
        try context.save()

        XCTAssertEqual(files().count, 2)
        XCTAssertTrue(try image("a", in: other) == large)
        try other.setQueryGeneration(from: nil)
        waitForFiles(0)
    }

    func test_MDL_13_anUnpinnedContextReadsTheNewestBytesOfAnObjectReadBefore() throws {
        let photo = try insert("a", large, in: context)
        let seen = try self.photo("a", in: other)
        XCTAssertEqual(try seen.value(forKey: "title") as? String, "a")
        try photo.setValue(other300, forKey: "image")
        try context.save()
        waitForFiles(1)

        XCTAssertTrue(try seen.value(forKey: "image") as? [UInt8] == other300)
    }

    func test_MDL_13_aFailedSaveAndARollbackLeaveNoFiles() throws {
        try insert("a", [1], in: context)
        let rival = try other.insertNewObject(forEntityName: "Photo")
        try rival.setValue("a", forKey: "title")
        try rival.setValue(large, forKey: "image")
        XCTAssertThrowsError(try other.save())
        XCTAssertEqual(files(), [])
    }

    func test_MDL_13_batchRequestsWriteAndRemoveFiles() throws {
        let request = BatchInsertRequest(
            entityName: "Photo", objects: [["title": "a", "image": .binary(large)], ["title": "b", "image": .binary(large)]])
        _ = try context.execute(request)
        XCTAssertEqual(files().count, 2)
        var update = BatchUpdateRequest(entityName: "Photo")
        update.propertiesToUpdate = ["image": .binary(other300)]
        _ = try context.execute(update)
        waitForFiles(2)
        XCTAssertTrue(try image("a", in: context) == other300)
        _ = try context.execute(BatchDeleteRequest(fetchRequest: FetchRequest(entityName: "Photo")))
        waitForFiles(0)
    }

    func test_MDL_13_anUpsertLeavesOnlyFilesThatRowsReferTo() throws {
        try insert("a", large, in: context)
        for policy in [MergePolicy.mergeByPropertyObjectTrump, .mergeByPropertyStoreTrump] {
            var request = BatchInsertRequest(entityName: "Photo", objects: [["title": "a", "image": .binary(other300)]])
            request.mergePolicy = policy
            _ = try context.execute(request)
            waitForFiles(1)
        }
        XCTAssertTrue(try image("a", in: try makeContextOfSecondStack()) == other300)
    }

    func test_MDL_13_undoingASavedDeletionBringsTheDataBack() throws {
        context.undoManager = Pinview.UndoManager()
        let photo = try insert("a", large, in: context)
        context.undoManager?.removeAllActions()
        try context.refresh(photo, mergeChanges: false)
        XCTAssertEqual(try photo.value(forKey: "title") as? String, "a")
        try context.delete(photo)
        try context.save()
        waitForFiles(0)
        try context.undo()
        try context.save()

        XCTAssertTrue(try image("a", in: try makeContextOfSecondStack()) == large)
        XCTAssertEqual(files().count, 1)
    }

    func test_MDL_13_predicatesCompareDataWhereverItIs() throws {
        try insert("a", large, in: context)
        try insert("b", [1, 2], in: context)
        for (format, value, titles) in [
            ("image == %@", large, ["a"]), ("image == %@", [1, 2], ["b"]), ("image != %@", large, ["b"]), ("image IN {%@}", large, ["a"]),
        ] {
            let request = try FetchRequest("Photo", format, Value.binary(value))
            XCTAssertEqual(try other.fetch(request).map { try $0.value(forKey: "title") as? String }, titles, format)
        }
        XCTAssertEqual(try other.count(for: try FetchRequest("Photo", "image == nil")), 0)
    }

    // MARK: Data that cannot be read

    /// Two photos, of which one has lost its file.
    private func loseAFile() throws -> String {
        try insert("lost", large, in: context)
        let file = files()[0]
        try insert("kept", other300, in: context)
        try FileManager.default.removeItem(atPath: filesFolder + "/" + file)
        return file
    }

    private func assertUnreadable(
        _ words: [String], _ object: ManagedObject? = nil, line: UInt = #line, _ body: () throws -> Any?
    ) {
        XCTAssertThrowsError(try body(), line: line) { error in
            guard let error = error as? PinviewError else { return XCTFail("\(error)", line: line) }
            XCTAssertTrue(error.hasCode(.sqlite), "\(error)", line: line)
            XCTAssertEqual(error.sqliteCode, 11, line: line)
            for word in words { XCTAssertTrue(error.message.contains(word), "\(word) is missing in: \(error.message)", line: line) }
            if let object { XCTAssertEqual(error.affectedObjectIDs, [object.objectID], line: line) }
        }
    }

    func test_MDL_13_aMissingFileIsAnErrorInEveryWayOfReading() throws {
        let file = try loseAFile()
        let reader = try makeContextOfSecondStack()
        let lost = try photo("lost", in: reader), words = ["Photo.image", file, "No such file"]
        assertUnreadable(words + [lost.objectID.uriRepresentation], lost) { try lost.value(forKey: "image") }
        assertUnreadable(words, lost) { try lost.committedValues(forKeys: ["image"]) }
        try reader.refresh(lost, mergeChanges: false)
        assertUnreadable(words, lost) { try lost.attributeValue(forKey: "image") }
        var request = FetchRequest(entityName: "Photo")
        request.propertiesToFetch = ["image"]
        let key = "key \(lost.objectID.uriRepresentation.split(separator: "/p").last ?? "")"
        assertUnreadable(words + [key]) { try reader.fetchDictionaries(request) }
        assertUnreadable(words + [key]) { try reader.fetch(try FetchRequest("Photo", "image == %@", Value.binary(large))) }
        try reader.setQueryGeneration(from: .current)
        assertUnreadable(words) { try self.image("lost", in: reader) }

        XCTAssertTrue(try image("kept", in: reader) == other300)
        XCTAssertEqual(try lost.value(forKey: "title") as? String, "lost")
        XCTAssertEqual(try reader.count(for: try FetchRequest("Photo", "image != nil")), 2)
    }

    func test_MDL_13_aMissingFileIsAnErrorInAChildAndOnlyForThoseWhoAsk() throws {
        let file = try loseAFile()
        let child = ManagedObjectContext(concurrencyType: .privateQueue)
        try child.setParent(try makeContextOfSecondStack())
        let lost = try photo("lost", in: child)
        XCTAssertEqual(try lost.value(forKey: "title") as? String, "lost")
        assertUnreadable(["Photo.image", file], lost) { try lost.value(forKey: "image") }
        XCTAssertTrue(try image("kept", in: child) == other300)
    }

    func test_MDL_13_anObjectWithoutItsFileIsChangedDeletedAndGivenNil() throws {
        _ = try loseAFile()
        let writer = try makeContextOfSecondStack()
        let lost = try photo("lost", in: writer)
        try lost.setValue("found", forKey: "title")
        try writer.save()
        let reader = try makeContextOfSecondStack()
        assertUnreadable(["Photo.image"]) { try self.image("found", in: reader) }
        try lost.setValue(nil, forKey: "image")
        try writer.save()
        XCTAssertEqual(try sqlite3("SELECT count(*) FROM ZPHOTO WHERE ZIMAGE IS NULL"), "1")
        XCTAssertNil(try lost.value(forKey: "image"))
        try writer.delete(lost)
        try writer.save()
        XCTAssertEqual(try sqlite3("SELECT ZTITLE FROM ZPHOTO"), "kept")
    }

    func test_MDL_13_aDamagedMarkerIsAnError() throws {
        try insert("a", [1, 2], in: context)
        for (cell, word) in [("07080910", "begins with 7"), ("0241", "names no file"), ("02", "names no file")] {
            try sqlite3("UPDATE ZPHOTO SET ZIMAGE = X'\(cell)'")
            let reader = try makeContextOfSecondStack()
            assertUnreadable(["Photo.image", word]) { try self.image("a", in: reader) }
            assertUnreadable([word]) { try reader.fetch(try FetchRequest("Photo", "image == %@", Value.binary([1]))) }
        }
        try sqlite3("UPDATE ZPHOTO SET ZIMAGE = X''")
        XCTAssertEqual(try image("a", in: try makeContextOfSecondStack()), [])
    }

    func test_MDL_13_distinctDataAreComparedWhereverTheyAre() throws {
        try insert("a", large, in: context)
        try insert("b", large, in: context)
        var request = FetchRequest(entityName: "Photo")
        request.propertiesToFetch = ["image"]
        request.returnsDistinctResults = true
        XCTAssertEqual(files().count, 2)
        XCTAssertEqual(try other.fetchDictionaries(request).count, 1)
    }

    func test_MDL_13_anExportHasItsOwnFiles() throws {
        try insert("a", large, in: context)
        let path = path("copy.sqlite")
        try context.setQueryGeneration(from: .current)
        XCTAssertTrue(try image("a", in: context) == large)
        try other.delete(try photo("a", in: other))
        try other.save()
        try coordinator.export(try XCTUnwrap(context.queryGenerationToken), to: path)
        try context.setQueryGeneration(from: nil)
        waitForFiles(0)

        let copies = try makeCoordinator(try model(), name: "copy.sqlite")
        XCTAssertTrue(try image("a", in: try makeContext(copies)) == large)
    }

    func test_MDL_13_filesOfAKilledProcessAreRemovedWhenTheStoreIsOpenedNext() throws {
        try insert("a", large, in: context)
        let used = files()[0]
        // The files left by a process that was killed before its commit, or before it deleted the
        // files it no longer used.
        let orphan = UUID().uuidString
        try Data(large).write(to: URL(fileURLWithPath: filesFolder + "/" + orphan))
        let list = (filesFolder as NSString).deletingLastPathComponent + "/external-pending-0123456789abcdef"
        try Data("\(orphan)\n\(used)\n\(UUID().uuidString)\n0000".utf8).write(to: URL(fileURLWithPath: list))

        XCTAssertTrue(try image("a", in: try makeContextOfSecondStack()) == large)
        XCTAssertEqual(files(), [used])
        XCTAssertFalse(FileManager.default.fileExists(atPath: list))
    }

    /// A pin outlives the store that deleted the row. Nobody is left in the process to delete the
    /// file then, so the list of what is pending must name it.
    func test_MDL_13_whatAPinKeptWhileTheStoreWasClosedIsRemovedWhenItIsOpenedNext() throws {
        let photo = try insert("a", large, in: context)
        let pins = try makeCoordinator(try model())
        let pinned = try makeContext(pins)
        try pinned.setQueryGeneration(from: .current)
        XCTAssertEqual(try pinned.count(for: FetchRequest(entityName: "Photo")), 1)
        try context.delete(photo)
        try context.save()
        try coordinator.remove(try XCTUnwrap(coordinator.persistentStores.first))

        XCTAssertTrue(try image("a", in: pinned) == large)
        try pinned.setQueryGeneration(from: nil)
        try pins.remove(try XCTUnwrap(pins.persistentStores.first))
        XCTAssertEqual(files().count, 1)

        _ = try makeCoordinator(try model())
        waitForFiles(0)
    }

    /// Another program reads a store in rollback mode, so that the commit fails when all else is
    /// done. What is not known to be committed is decided by who opens the store next.
    func test_MDL_13_filesOfACommitThatFailedAreRemovedWhenTheStoreIsOpenedNext() throws {
        let options: [String: Value] = ["journalMode": "delete", "busyTimeout": .double(0.05)]
        let plain = try makeCoordinator(try model(), name: "plain.sqlite", options: options)
        let writer = try makeContext(plain)
        let photo = try writer.insertNewObject(forEntityName: "Photo")
        try photo.setValue("a", forKey: "title")
        try photo.setValue(large, forKey: "image")
        var reader: OpaquePointer?
        XCTAssertEqual(sqlite3_open(path("plain.sqlite"), &reader), SQLITE_OK)
        XCTAssertEqual(sqlite3_exec(reader, "BEGIN; SELECT count(*) FROM ZPHOTO", nil, nil, nil), SQLITE_OK)
        XCTAssertThrowsError(try writer.save())
        XCTAssertEqual(sqlite3_close(reader), SQLITE_OK)
        try writer.save()
        try plain.remove(try XCTUnwrap(plain.persistentStores.first))

        let again = try makeContext(try makeCoordinator(try model(), name: "plain.sqlite", options: options))
        XCTAssertTrue(try image("a", in: again) == large)
        let left = try FileManager.default.contentsOfDirectory(atPath: folder + "/.plain_SUPPORT/_EXTERNAL_DATA")
        XCTAssertEqual(left.count, 1)
    }
}
