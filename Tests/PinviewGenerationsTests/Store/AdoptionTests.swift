import Foundation
import StressSupport
import XCTest

@testable import PinviewGenerations

/// A generation that one process holds is adopted by another one, which then holds it on its own
/// (DEC-07, DEC-66).
final class AdoptionTests: StoreFileTestCase {
    private let sum = "SELECT coalesce(sum(v), 0) FROM t"

    /// A store with one row of the value 100.
    private func openFilledStore() throws -> StoreFile {
        let store = try openStore()
        try store.write("INSERT INTO t VALUES (1, 100)")
        return store
    }

    private func publishedName(_ generation: Generation) -> String {
        generation.publish()
        return generation.name.text
    }

    func test_DEC_66_anotherProcessReadsExactlyTheGeneration() throws {
        let store = try openFilledStore(), old = try store.currentGeneration()
        try store.write("UPDATE t SET v = 5")
        let other = try ForeignProcess.stressProcess("hold", path)
        defer { other.finish() }

        XCTAssertEqual(try other.run("adopt " + publishedName(old)), "adopted")

        try store.write("UPDATE t SET v = 6", "INSERT INTO t VALUES (2, 1)")
        XCTAssertEqual(try other.run("read " + sum), "100")
    }

    func test_DEC_66_theAdopterHoldsItOnItsOwn() throws {
        let store = try openFilledStore()
        var old: Generation? = try store.currentGeneration()
        let name = publishedName(try XCTUnwrap(old))
        try store.write("UPDATE t SET v = 5")
        let other = try ForeignProcess.stressProcess("hold", path)
        defer { other.finish() }
        XCTAssertEqual(try other.run("adopt " + name), "adopted")

        old = nil
        for value in 0..<50 { try store.write("UPDATE t SET v = \(value)") }
        XCTAssertFalse(try store.checkpoint(truncate: true))

        XCTAssertEqual(try other.run("read " + sum), "100")
        // And back: the first process adopts it from the second.
        let again = try store.adopt(try XCTUnwrap(GenerationName(text: name)))
        XCTAssertEqual(try store.int(sum, at: again), 100)
    }

    func test_DEC_07_whatNobodyHoldsHasExpired() throws {
        let store = try openFilledStore()
        var old: Generation? = try store.currentGeneration()
        let name = publishedName(try XCTUnwrap(old))
        let other = try ForeignProcess.stressProcess("hold", path)
        defer { other.finish() }

        old = nil

        XCTAssertTrue(try other.run("adopt " + name).hasPrefix("generationExpired"))
    }

    /// A thread may publish a generation that another one is just ending.
    func test_DEC_07_whatIsPublishedAfterItsEndHasExpired() throws {
        let store = try openFilledStore()
        var old: Generation? = try store.currentGeneration()
        let name = publishedName(try XCTUnwrap(old)), record = try XCTUnwrap(old).record
        // Publishing once more changes nothing about the end.
        record.publish()
        let other = try ForeignProcess.stressProcess("hold", path)
        defer { other.finish() }
        XCTAssertEqual(try other.run("adopt " + name), "adopted")
        other.finish()

        old = nil
        XCTAssertTrue(record.hasEnded)
        record.publish()

        let third = try ForeignProcess.stressProcess("hold", path)
        defer { third.finish() }
        XCTAssertTrue(try third.run("adopt " + name).hasPrefix("generationExpired"))
    }

    func test_DEC_07_aGenerationThatIsLostIsNotPublished() throws {
        let store = try openFilledStore(), old = try store.currentGeneration()
        XCTAssertTrue(old.record.markLost(.locks))
        let other = try ForeignProcess.stressProcess("hold", path)
        defer { other.finish() }

        XCTAssertTrue(try other.run("adopt " + publishedName(old)).hasPrefix("generationExpired"))
    }

    func test_DEC_07_whatIsHeldButWasNeverPublishedHasExpired() throws {
        let store = try openFilledStore(), old = try store.currentGeneration()
        let other = try ForeignProcess.stressProcess("hold", path)
        defer { other.finish() }

        XCTAssertTrue(try other.run("adopt " + old.name.text).hasPrefix("generationExpired"))

        old.publish()
        XCTAssertEqual(try other.run("adopt " + old.name.text), "adopted")
    }

    func test_DEC_66_theAdopterReadsOnWhenTheOwnerIsKilled() throws {
        let store = try openFilledStore()
        let owner = try ForeignProcess.stressProcess("hold", path)
        let name = try XCTUnwrap(GenerationName(text: try owner.run("pin")))
        try store.write("UPDATE t SET v = 5")
        let adopted = try store.adopt(name)

        owner.kill()
        try sqlite3("UPDATE t SET v = 7; PRAGMA wal_checkpoint(TRUNCATE);")

        XCTAssertEqual(try store.int(sum, at: adopted), 100)
        // A third process adopts it from the second one.
        let third = try ForeignProcess.stressProcess("hold", path)
        defer { third.finish() }
        XCTAssertEqual(try third.run("adopt " + name.text), "adopted")
        XCTAssertEqual(try third.run("read " + sum), "100")
    }

    func test_DEC_66_aKilledOwnerHoldsNothing() throws {
        let store = try openFilledStore()
        let owner = try ForeignProcess.stressProcess("hold", path)
        let name = try XCTUnwrap(GenerationName(text: try owner.run("pin")))
        try store.write("UPDATE t SET v = 5")

        owner.kill()

        XCTAssertThrowsError(try store.adopt(name)) { XCTAssertEqual(($0 as? SQLiteError)?.kind, .generationExpired) }
        XCTAssertTrue(try store.checkpoint(truncate: true))
    }

    func test_DEC_66_aGenerationInTheFileAloneIsAdopted() throws {
        let store = try openFilledStore()
        XCTAssertTrue(try store.checkpoint(truncate: true))
        let old = try store.currentGeneration()  // read mark 0, no frames
        let name = publishedName(old)
        let other = try ForeignProcess.stressProcess("hold", path)
        defer { other.finish() }

        for value in 0..<20 { try store.write("UPDATE t SET v = \(value)") }
        XCTAssertEqual(try other.run("adopt " + name), "adopted")

        XCTAssertEqual(try other.run("read " + sum), "100")
        try store.write("UPDATE t SET v = 1000")
        XCTAssertEqual(try other.run("read " + sum), "100")
        withExtendedLifetime(old) {}
    }

    func test_DEC_66_aRestartedJournalIsNoObstacle() throws {
        let store = try openFilledStore(), old = try store.currentGeneration()
        let name = publishedName(old)  // held by a read mark from 1 up
        XCTAssertTrue(try store.checkpoint(truncate: false))  // now by read mark 0
        let salt = old.header.salt1
        try store.write("UPDATE t SET v = 5")
        XCTAssertNotEqual(try store.currentGeneration().header.salt1, salt)
        let other = try ForeignProcess.stressProcess("hold", path)
        defer { other.finish() }

        XCTAssertEqual(try other.run("adopt " + name), "adopted")

        XCTAssertEqual(try other.run("read " + sum), "100")
    }

    func test_DEC_66_aDetachedGenerationIsAdoptedFromTheCopy() throws {
        let store = try openFilledStore()
        var old: Generation? = try store.currentGeneration()
        let name = publishedName(try XCTUnwrap(old))
        for value in 0..<20 { try store.write("UPDATE t SET v = \(value)") }
        XCTAssertNotNil(try XCTUnwrap(store.shared).detachOlder())
        let other = try ForeignProcess.stressProcess("hold", path)
        defer { other.finish() }

        XCTAssertEqual(try other.run("adopt " + name), "adopted")

        XCTAssertEqual(try other.run("read " + sum), "100")
        old = nil
        try store.write("UPDATE t SET v = 1000")
        XCTAssertEqual(try other.run("read " + sum), "100")
        XCTAssertTrue(try store.checkpoint(truncate: true))
        // And back from there; then the last generation deletes the files.
        var again: Generation? = try store.adopt(try XCTUnwrap(GenerationName(text: name)))
        XCTAssertEqual(try store.int(sum, at: try XCTUnwrap(again)), 100)
        XCTAssertEqual(try other.run("release"), "ok")
        XCTAssertEqual(try store.int(sum, at: try XCTUnwrap(again)), 100)
        again = nil
        XCTAssertEqual(try FileManager.default.contentsOfDirectory(atPath: folder).filter { $0.contains("detached") }, [])
        XCTAssertTrue(try other.run("adopt " + name).hasPrefix("generationExpired"))
    }

    func test_DEC_66_adoptingALivingGenerationReturnsIt() throws {
        let store = try openFilledStore(), old = try store.currentGeneration()
        try store.write("UPDATE t SET v = 5")

        let again = try store.adopt(try XCTUnwrap(GenerationName(text: old.name.text)))

        XCTAssertTrue(again === old)
    }

    func test_namesAreConvertedToWordsAndBack() throws {
        let store = try openFilledStore(), generation = try store.currentGeneration()
        let words = generation.name.words
        XCTAssertEqual(GenerationName(words: words), generation.name)
        XCTAssertEqual(GenerationName(words: words)?.number, generation.name.number)
        for index in 6..<words.count {
            var altered = words
            altered[index] ^= 1
            XCTAssertNil(GenerationName(words: altered))
        }
        XCTAssertNil(GenerationName(words: words.dropLast()))
    }
}
