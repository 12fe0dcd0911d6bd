import CSQLite
import Foundation
import XCTest

@testable import PinviewGenerations

/// Issue 15, 1: a read that the system fails is an error of that read. The generation stays, and so
/// does everything else that the store can do.
final class FailingReadTests: StoreFileTestCase {
    private let count = "SELECT count(*) || ' ' || sum(length(v)) FROM t"

    /// The scheduler opens files when it measures what pins cost, and could get a descriptor that a
    /// test has closed.
    override var options: StoreFileOptions {
        var options = super.options
        options.journalBudget.policy = .off
        return options
    }

    /// A store whose rows fill many pages, all of them in the journal or all in the file.
    private func makeStore(isCopied: Bool) throws -> StoreFile {
        let store = try openStore()
        try store.write("INSERT INTO t SELECT value, hex(zeroblob(1000)) FROM generate_series(1, 200)".replacingSeries())
        if isCopied { XCTAssertTrue(try store.checkpoint(truncate: true)) }
        return store
    }

    /// Makes the next read of a generation take its pages from the files.
    private func forgetPages(_ store: StoreFile, _ generation: Generation) throws {
        try store.read(at: generation) { try $0.execute("PRAGMA shrink_memory") }
    }

    private func content(_ store: StoreFile, _ generation: Generation) throws -> String? {
        try store.read(at: generation) { try $0.value(count) }
    }

    private func descriptors(of file: String) throws -> [Int32] {
        try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").compactMap { Int32($0) }
            .filter { (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/\($0)")) == file }
    }

    /// Runs a body while reading a file fails: its descriptors are those of a folder.
    private func whileUnreadable(_ file: String, _ body: () throws -> Void) throws {
        let replaced = try descriptors(of: file).map { (number: $0, kept: dup($0)) }
        XCTAssertFalse(replaced.isEmpty)
        let other = open("/", O_RDONLY | O_DIRECTORY)
        for file in replaced { dup2(other, file.number) }
        defer {
            for file in replaced {
                dup2(file.kept, file.number)
                close(file.kept)
            }
            close(other)
        }
        try body()
    }

    /// Runs a body while the system knows nothing of a descriptor. The body opens no file.
    private func whileClosed(_ descriptor: Int32, _ body: () throws -> Void) throws {
        let kept = fcntl(descriptor, F_DUPFD_CLOEXEC, 500)
        XCTAssertGreaterThanOrEqual(kept, 500)
        close(descriptor)
        defer {
            XCTAssertEqual(fcntl(descriptor, F_GETFD), -1, "the descriptor's number has been used again")
            dup2(kept, descriptor)
            close(kept)
        }
        try body()
    }

    private func assertFails(_ store: StoreFile, _ generation: Generation, _ text: String, line: UInt = #line) {
        XCTAssertThrowsError(try content(store, generation), line: line) { error in
            XCTAssertEqual((error as? SQLiteError)?.kind, .sqlite, "\(error)", line: line)
            XCTAssertEqual((error as? SQLiteError).map { $0.extendedCode & 0xFF }, SQLITE_IOERR, "\(error)", line: line)
            XCTAssertTrue("\(error)".contains(text), "\(error)", line: line)
            XCTAssertFalse("\(error)".contains("another program"), "\(error)", line: line)
        }
        XCTAssertFalse(generation.isLost, line: line)
    }

    func test_1_aJournalThatCannotBeReadFailsTheReadAndKeepsThePin() throws {
        let store = try makeStore(isCopied: false)
        let held = try store.currentGeneration()
        try forgetPages(store, held)

        try whileUnreadable(path + "-wal") { assertFails(store, held, "I/O error") }

        XCTAssertEqual(try content(store, held), "200 400000")
        XCTAssertTrue(try foreignTruncateIsBusy(), "the pin holds the journal")
        // What is unpinned, a save and a new pin are not concerned.
        XCTAssertEqual(try store.newestInt("SELECT count(*) FROM t"), 200)
        let next = try XCTUnwrap(try store.write("DELETE FROM t WHERE id > 5"))
        XCTAssertEqual(try content(store, next), "5 10000")
        XCTAssertEqual(try content(store, held), "200 400000")
    }

    func test_1_aFileWhoseTimeCannotBeReadFailsTheReadAndKeepsThePin() throws {
        for isCopied in [false, true] {
            try run("rm", ["-f", path, path + "-wal", path + "-shm"])
            let store = try makeStore(isCopied: true)
            if !isCopied { try store.write("INSERT INTO t VALUES (1000, 'x')") }
            let held = try store.currentGeneration()
            let expected = try content(store, held)
            guard case .pin(let pin) = held.record.currentHold else { return XCTFail("no pin") }
            XCTAssertEqual(pin.slot == 0, isCopied)
            // Under read mark 0, the time of the file tells once the journal has been restarted.
            if isCopied { try sqlite3("UPDATE t SET v = '' WHERE id = 1") }
            let main = try XCTUnwrap(try XCTUnwrap(store.shared?.slots).mainDescriptor)
            try forgetPages(store, held)

            try whileClosed(main) { assertFails(store, held, "could not be verified") }

            XCTAssertEqual(try content(store, held), expected, "copied: \(isCopied)")
            XCTAssertNoThrow(try store.write("DELETE FROM t"))
            XCTAssertEqual(try content(store, held), expected, "copied: \(isCopied)")
            store.close()
        }
    }

    func test_1_aCopyWhoseTimeCannotBeReadFailsTheReadAndKeepsTheGeneration() throws {
        let store = try makeStore(isCopied: false)
        let held = try store.currentGeneration()
        try store.write("DELETE FROM t")
        XCTAssertEqual(try store.detachOlderGenerations(), 1)
        XCTAssertEqual(try content(store, held), "200 400000")
        guard case .detached(let pin) = held.record.currentHold, let copy = pin.copy else { return XCTFail("no copy") }
        try forgetPages(store, held)

        try whileClosed(copy.files.main) { assertFails(store, held, "could not be verified") }

        XCTAssertEqual(try content(store, held), "200 400000")
    }

    /// The state is not pinned then, and the next attempt succeeds.
    func test_1_aPinThatCannotBeVerifiedIsNotTaken() throws {
        let store = try makeStore(isCopied: true)
        let main = try XCTUnwrap(try XCTUnwrap(store.shared?.slots).mainDescriptor)
        // A new state, which is far from every read mark.
        try sqlite3("UPDATE t SET v = v || 'x'")

        try whileClosed(main) {
            XCTAssertThrowsError(try store.currentGeneration()) { error in
                XCTAssertEqual((error as? SQLiteError).map { $0.extendedCode & 0xFF }, SQLITE_IOERR, "\(error)")
                XCTAssertTrue("\(error)".contains("could not be verified"), "\(error)")
            }
        }

        XCTAssertEqual(try content(store, try store.currentGeneration()), "200 400200")
    }

    /// Nobody is given a lost generation who asks for the newest state.
    func test_1_aLostGenerationIsNotTheNewestOne() throws {
        let store = try makeStore(isCopied: true)
        let held = try store.currentGeneration()
        try forgetPages(store, held)
        try run("touch", ["-d", "+1 hours", path])
        XCTAssertThrowsError(try content(store, held)) { XCTAssertEqual(($0 as? SQLiteError)?.kind, .generationLost) }
        XCTAssertTrue(held.isLost)
        XCTAssertFalse(store.isNewest(held))

        let next = try store.currentGeneration()

        XCTAssertFalse(next === held)
        XCTAssertEqual(try content(store, next), "200 400000")
        XCTAssertEqual(try store.newestInt("SELECT count(*) FROM t"), 200)
        let written = try XCTUnwrap(try store.write("DELETE FROM t WHERE id > 5"))
        XCTAssertEqual(try content(store, written), "5 10000")
        XCTAssertThrowsError(try content(store, held), "it stays lost") { error in
            XCTAssertTrue("\(error)".contains("overwritten or truncated"), "\(error)")
        }
    }
}
