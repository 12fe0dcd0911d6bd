import Foundation
import Pinview
import StressSupport
import XCTest

/// Tokens that go to other processes: QG-10, QG-11, QG-41, QG-43, DEC-07, DEC-08, DEC-66.
final class TravellingTokenTests: StackTestCase {
    private var process: ForeignProcess!

    override func setUpWithError() throws {
        try super.setUpWithError()
        process = try ForeignProcess.stackProcess(path("store.sqlite"))
    }

    override func tearDownWithError() throws {
        process.finish()
        process = nil
        try super.tearDownWithError()
    }

    private func text(_ token: QueryGenerationToken?) throws -> String {
        try XCTUnwrap(token).data().map { String(format: "%02x", $0) }.joined()
    }

    private func token(_ text: String) throws -> QueryGenerationToken {
        let digits = Array(text)
        return try QueryGenerationToken(
            data: stride(from: 0, to: digits.count - 1, by: 2).compactMap { UInt8(String(digits[$0...($0 + 1)]), radix: 16) })
    }

    private func pin() throws {
        try context.setQueryGeneration(from: .current)
        _ = try context.names()
    }

    func test_DEC_66_anotherProcessPinsExactlyTheGeneration() throws {
        try pin()
        try changeElsewhere("dave0", "name", "renamed")

        XCTAssertEqual(try process.run("adopt " + text(context.queryGenerationToken)), "adopted")

        try changeElsewhere("dave1", "name", "renamed, too")
        XCTAssertEqual(try process.run("names"), "dave0,dave1,dave2")
        XCTAssertEqual(try context.names(), ["dave0", "dave1", "dave2"])
    }

    func test_QG_10_theTokenOfTheAdoptingContextIsEqual() throws {
        try pin()
        let given = try text(context.queryGenerationToken)
        XCTAssertEqual(try process.run("adopt " + given), "adopted")

        let back = try token(try process.run("token"))

        XCTAssertEqual(back, context.queryGenerationToken)
        XCTAssertEqual(back.hashValue, context.queryGenerationToken?.hashValue)
        XCTAssertEqual(try process.run("isEqual " + given), "yes")
        try changeElsewhere("dave0", "name", "renamed")
        XCTAssertNotEqual(try token(try process.run("pin")), context.queryGenerationToken)
    }

    func test_DEC_66_theOtherProcessKeepsTheGenerationAlive() throws {
        try pin()
        let given = try XCTUnwrap(context.queryGenerationToken)
        XCTAssertEqual(try process.run("adopt " + text(given)), "adopted")
        try context.setQueryGeneration(from: nil)
        for age in 0..<20 { try changeElsewhere("dave0", "age", .integer(Int64(age))) }
        try changeElsewhere("dave0", "name", "renamed")

        // The other process sends it back, although no context of this process was pinned to it
        // meanwhile.
        try context.setQueryGeneration(from: given)
        try context.refreshAllObjects()

        XCTAssertEqual(try context.names(), ["dave0", "dave1", "dave2"])
        XCTAssertEqual(context.queryGenerationToken, given)
        XCTAssertEqual(try process.run("names"), "dave0,dave1,dave2")
    }

    func test_DEC_66_theGenerationOutlivesTheProcessThatTookIt() throws {
        let theirs = try token(try process.run("pin"))
        try changeElsewhere("dave0", "name", "renamed")
        try context.setQueryGeneration(from: theirs)

        process.kill()
        _ = try sqlite3("UPDATE ZPERSON SET ZNAME = 'x';\n.timeout 0\nPRAGMA wal_checkpoint(TRUNCATE);")

        XCTAssertEqual(try context.names(), ["dave0", "dave1", "dave2"])
    }

    func test_FLT_16_rowsOfAnAdoptedGenerationAreNotTheNewestOnes() throws {
        let theirs = try token(try process.run("pin"))
        try changeElsewhere("dave0", "name", "renamed")
        let unpinned = try makeContext(coordinator)
        XCTAssertEqual(try unpinned.names(), ["dave1", "dave2", "renamed"])

        try context.setQueryGeneration(from: theirs)
        XCTAssertEqual(try context.names(), ["dave0", "dave1", "dave2"])

        let late = try makeContext(coordinator)
        let object = try late.object(with: try XCTUnwrap(unpinned.fetch(FetchRequest("Person", "name == 'renamed'")).first).objectID)
        XCTAssertEqual(try object.attributeValue(forKey: "name").stringValue, "renamed")
    }

    func test_QG_41_aGenerationWithoutContextsHasExpired() throws {
        try pin()
        let given = try text(context.queryGenerationToken)
        try context.setQueryGeneration(from: nil)

        XCTAssertTrue(try process.run("adopt " + given).hasPrefix("error 3 "))  // generationExpired
        let theirs = try token(try process.run("pin"))
        XCTAssertEqual(try process.run("unpin"), "ok")
        assertError(.generationExpired, try self.context.setQueryGeneration(from: theirs))
        XCTAssertNil(context.queryGenerationToken)
    }

    func test_DEC_07_aKilledProcessHoldsNothing() throws {
        let theirs = try token(try process.run("pin"))
        try changeElsewhere("dave0", "name", "renamed")
        process.kill()

        assertError(.generationExpired, try self.context.setQueryGeneration(from: theirs))
    }

    func test_QG_43_bytesDoNotHelpAnotherCoordinatorOfTheProcess() throws {
        try pin()
        let bytes = try XCTUnwrap(context.queryGenerationToken).data()
        let stranger = try makeContextOfSecondStack()

        let error = assertError(.foreignToken, try stranger.setQueryGeneration(from: try QueryGenerationToken(data: bytes)))

        XCTAssertTrue(try XCTUnwrap(error).message.contains("another coordinator"))
    }

    func test_aTokenOfAStoreThatTheCoordinatorLacksIsForeign() throws {
        let elsewhere = try makeCoordinator(try model(), name: "other.sqlite")
        try fill(elsewhere, count: 1)
        let stranger = try ForeignProcess.stackProcess(path("other.sqlite"))
        defer { stranger.finish() }
        let theirs = try token(try stranger.run("pin"))

        let error = assertError(.foreignToken, try self.context.setQueryGeneration(from: theirs))

        XCTAssertTrue(try XCTUnwrap(error).message.contains(elsewhere.persistentStores[0].identifier))
    }

    func test_aTokenOfACopyOfTheFileIsForeign() throws {
        XCTAssertEqual(try process.run("names"), "dave0,dave1,dave2")  // it has opened the store: nothing is in the way of the checkpoint
        XCTAssertTrue(try coordinator.persistentStores[0].checkpoint())
        try FileManager.default.copyItem(atPath: path("store.sqlite"), toPath: path("copy.sqlite"))
        let stranger = try ForeignProcess.stackProcess(path("copy.sqlite"))
        defer { stranger.finish() }
        let theirs = try token(try stranger.run("pin"))

        let error = assertError(.foreignToken, try self.context.setQueryGeneration(from: theirs))

        XCTAssertTrue(try XCTUnwrap(error).message.contains("a different file"))
    }

    func test_aTokenFromBeforeARestartHasExpired() throws {
        let theirs = try token(try process.run("pin")).data()
        var words = stride(from: 0, to: theirs.count, by: 8).map { start in
            (0..<8).reduce(UInt64(0)) { $0 | UInt64(theirs[start + $1]) << UInt64(8 * $1) }
        }
        words[5] ^= 2  // the run of the machine
        words[words.count - 1] = GenerationNameHash.of(words.dropLast())
        let old = words.flatMap { word in (0..<8).map { UInt8(truncatingIfNeeded: word >> UInt64(8 * $0)) } }

        let error = assertError(.generationExpired, try self.context.setQueryGeneration(from: try QueryGenerationToken(data: old)))

        XCTAssertTrue(try XCTUnwrap(error).message.contains("restart"))
    }

    func test_QG_11_everyAlteredByteIsNoticed() throws {
        try pin()
        let bytes = try XCTUnwrap(context.queryGenerationToken).data()
        for index in bytes.indices {
            var altered = bytes
            altered[index] ^= 0x10
            assertError(.invalidArgument, try QueryGenerationToken(data: altered))
            assertError(.invalidArgument, try QueryGenerationToken(data: Array(bytes.prefix(index))))
        }
    }

    func test_QG_34_aTokenCoversAllStores() throws {
        try coordinator.addPersistentStore(type: .sqlite, at: path("second.sqlite"))
        let both = try ForeignProcess.stackProcess(path("second.sqlite"), path("store.sqlite"))
        defer { both.finish() }
        try pin()
        let person = try other.insertNewObject(forEntityName: "Person")
        try person.setValue("second", forKey: "name")
        try other.assign(person, to: coordinator.persistentStores[1])
        try other.save()
        try changeElsewhere("dave0", "name", "renamed")

        XCTAssertEqual(try both.run("adopt " + text(context.queryGenerationToken)), "adopted")

        XCTAssertEqual(try both.run("names"), "dave0,dave1,dave2")
        XCTAssertTrue(try process.run("adopt " + text(context.queryGenerationToken)).hasPrefix("error 2 "))  // it has one of the two
    }
}

/// The checksum of tokens, written down once more.
private enum GenerationNameHash {
    static func of(_ words: some Sequence<UInt64>) -> UInt64 {
        var hash: UInt64 = 14_695_981_039_346_656_037
        for word in words {
            for byte in 0..<8 { hash = (hash ^ (word >> UInt64(8 * byte) & 0xff)) &* 1_099_511_628_211 }
        }
        return hash
    }
}
