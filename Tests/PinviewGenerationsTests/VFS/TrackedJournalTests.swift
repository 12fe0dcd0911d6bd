import CSQLite
import Foundation
import RandomSupport
import XCTest

@testable import PinviewGenerations

/// Headers of frames wait for their pages, so that one call writes both.
final class TrackedJournalTests: StoreFileTestCase {
    private let header = Array(repeating: UInt8(0xAA), count: Journal.frameHeaderSize)

    private func page(_ byte: UInt8, _ size: Int = 512) -> [UInt8] { Array(repeating: byte, count: size) }

    func test_aHeaderIsWrittenTogetherWithItsPage() {
        let file = RecordedFile()
        file.writeFrame(header, page(1), 0)  // which tells the size of pages
        file.forgetCalls()

        file.writeFrame(header, page(2), 1)
        file.writeFrame(header, page(3), 2)

        XCTAssertEqual(file.calls, ["write 536 at 568", "write 536 at 1104"])
        XCTAssertEqual(Array(file.bytes[568...]), header + page(2) + header + page(3))
    }

    func test_aHeaderDoesNotWaitForAnythingElse() {
        for other in ["anything but a write", "another page", "another header"] {
            let file = RecordedFile()
            for frame in 0..<3 { file.writeFrame(header, page(UInt8(frame)), frame) }
            file.forgetCalls()
            XCTAssertEqual(file.write(header, at: 568), SQLITE_OK)
            XCTAssertEqual(file.calls, [], "it waits")

            switch other {
            case "another page": XCTAssertEqual(file.write(page(9), at: 56), SQLITE_OK)
            case "another header": XCTAssertEqual(file.write(header, at: 32), SQLITE_OK)
            default: XCTAssertEqual(file.writeWaitingHeader(), SQLITE_OK)
            }

            XCTAssertEqual(file.calls.first, "write 24 at 568", other)
        }
    }

    /// SQLite reads a frame before it writes its header anew, and then nothing may follow.
    func test_aHeaderThatIsWrittenAnewDoesNotWait() {
        let file = RecordedFile()
        for frame in 0..<3 { file.writeFrame(header, page(UInt8(frame)), frame) }
        file.forgetCalls()

        file.journal.noteRead(568)
        XCTAssertEqual(file.write(header, at: 568), SQLITE_OK)

        XCTAssertEqual(file.calls, ["write 24 at 568"])
    }

    func test_anErrorOfTheFileIsReportedAndNothingWaits() {
        let file = RecordedFile()
        file.writeFrame(header, page(1), 0)
        file.failure = SQLITE_FULL
        XCTAssertEqual(file.write(header, at: 568), SQLITE_OK)

        XCTAssertEqual(file.write(page(2), at: 592), SQLITE_FULL)

        file.failure = SQLITE_OK
        file.forgetCalls()
        XCTAssertEqual(file.writeWaitingHeader(), SQLITE_OK)
        XCTAssertEqual(file.calls, [])
    }

    func test_afterAnErrorAHeaderAloneStillWaits() {
        let file = RecordedFile()
        file.writeFrame(header, page(1), 0)
        XCTAssertEqual(file.write(header, at: 568), SQLITE_OK)
        file.failure = SQLITE_IOERR
        XCTAssertEqual(file.writeWaitingHeader(), SQLITE_IOERR)

        file.failure = SQLITE_OK
        XCTAssertEqual(file.writeWaitingHeader(), SQLITE_OK)

        XCTAssertEqual(Array(file.bytes[568...]), header)
    }

    /// Whatever is written in whatever order, the file has at each read what it would have without
    /// waiting.
    func test_anyOrderOfWritesEndsInTheSameFile() {
        var random = SeededGenerator.announced(name)
        for _ in 0..<200 {
            let file = RecordedFile()
            var expected: [UInt8] = [], size = 512
            func write(_ bytes: [UInt8], _ offset: Int) {
                XCTAssertEqual(file.write(bytes, at: offset), SQLITE_OK)
                expected.append(contentsOf: repeatElement(0, count: max(0, offset + bytes.count - expected.count)))
                expected.replaceSubrange(offset..<offset + bytes.count, with: bytes)
            }
            for _ in 0..<60 {
                let offset = Journal.headerSize + random.below(5) * (Journal.frameHeaderSize + size), byte = UInt8(random.below(256))
                switch random.below(10) {
                case 0...3:
                    write(Array(repeating: byte, count: Journal.frameHeaderSize), offset)
                    write(page(byte &+ 1, size), offset + Journal.frameHeaderSize)
                case 4: write(Array(repeating: byte, count: Journal.frameHeaderSize), offset)
                case 5: write(page(byte, size), offset + Journal.frameHeaderSize)
                case 6: write(Array(repeating: byte, count: Journal.headerSize), 0)
                case 7: write(Array(repeating: byte, count: 1 + random.below(40)), offset + random.below(100))
                case 8: size = [512, 1024, 4096][random.below(3)]
                default:
                    XCTAssertEqual(file.writeWaitingHeader(), SQLITE_OK)
                    XCTAssertEqual(file.bytes, expected)
                    if random.oneIn(2) { file.journal.noteRead(Int64(offset)) }
                }
            }
            XCTAssertEqual(file.writeWaitingHeader(), SQLITE_OK)
            XCTAssertEqual(file.bytes, expected)
        }
    }

    // MARK: In SQLite

    /// What another program finds in copies of the file and its journal, which it has to recover.
    private func recovered(_ sql: String) throws -> [String] {
        let copy = folder + "/copy.sqlite"
        for suffix in ["", "-wal", "-shm"] { try? FileManager.default.removeItem(atPath: copy + suffix) }
        for suffix in ["", "-wal"] { try FileManager.default.copyItem(atPath: path + suffix, toPath: copy + suffix) }
        return try sqlite3(sql, path: copy)
    }

    func test_theJournalIsRecoveredWithPagesOfEachSize() throws {
        for size in [512, 1024, 4096, 16384, 65536] {
            var options = self.options
            options.initialPragmas = ["PRAGMA page_size=\(size)"]
            let store = try openStore(options)
            for round in 1...5 {
                try store.write("INSERT INTO t (v) VALUES (randomblob(\(size * round)))", "UPDATE t SET v = randomblob(\(size))")
            }
            let sums = "SELECT count(*), sum(length(v)), hex(max(v)) = hex(max(v)) FROM t; PRAGMA page_size; PRAGMA integrity_check"

            XCTAssertEqual(try recovered(sums), ["5|\(5 * size)|1", "\(size)", "ok"])

            try store.close()
            for suffix in ["", "-wal", "-shm"] { try? FileManager.default.removeItem(atPath: path + suffix) }
        }
    }

    /// Pages that do not fit in the cache are written before the commit, several times, after which
    /// SQLite writes the headers of all later frames anew. Stores do not do that; the VFS has to
    /// stand it.
    func test_headersThatAreWrittenAnewAreRecovered() throws {
        let vfs = try XCTUnwrap(ShimVFS.shared)
        var database: OpaquePointer?
        XCTAssertEqual(sqlite3_open_v2(path, &database, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, vfs.trackedName), SQLITE_OK)
        defer { sqlite3_close(database) }
        func run(_ sql: String) {
            XCTAssertEqual(sqlite3_exec(database, sql, nil, nil, nil), SQLITE_OK, String(cString: sqlite3_errmsg(database)))
        }
        run("PRAGMA page_size=512; PRAGMA journal_mode=WAL; PRAGMA wal_autocheckpoint=0; PRAGMA synchronous=NORMAL")
        run("PRAGMA cache_size=6; PRAGMA cache_spill=1")
        run("CREATE TABLE t (id INTEGER PRIMARY KEY, v)")
        run("INSERT INTO t SELECT value, zeroblob(200) FROM generate_series(1, 300)".replacingSeries())
        var random = SeededGenerator.announced(name)
        for round in 1...10 {
            run("BEGIN IMMEDIATE")
            for _ in 0..<40 { run("UPDATE t SET v = \(round) || hex(zeroblob(90)) WHERE id % 7 = \(random.below(7))") }
            run("UPDATE t SET v = '\(round) ' || hex(zeroblob(\(60 + random.below(40))))")
            run("COMMIT")

            let found = try recovered("SELECT count(*), sum(CAST(v AS INTEGER)) FROM t; PRAGMA integrity_check")

            XCTAssertEqual(found, ["300|\(300 * round)", "ok"], "round \(round)")
        }
    }

    func test_aTransactionRolledBackInPartIsRecovered() throws {
        let store = try openStore()
        try store.write("INSERT INTO t SELECT value, zeroblob(500) FROM generate_series(1, 200)".replacingSeries())
        try store.write(
            "SAVEPOINT one", "UPDATE t SET v = zeroblob(600)", "ROLLBACK TO one", "UPDATE t SET v = zeroblob(300) WHERE id <= 50",
            "RELEASE one")

        XCTAssertEqual(try recovered("SELECT sum(length(v)) FROM t; PRAGMA integrity_check"), ["\(50 * 300 + 150 * 500)", "ok"])
    }
}

/// A file that keeps what is written to it, and the calls.
private final class RecordedFile {
    var journal = TrackedJournal()
    private(set) var calls: [String] = []
    private(set) var bytes: [UInt8] = []
    /// What writes return without writing anything.
    var failure = SQLITE_OK
    private let file = UnsafeMutablePointer<File>.allocate(capacity: 1)

    /// SQLite knows a file by the address of its first member.
    private struct File {
        var base: sqlite3_file
        unowned(unsafe) let owner: RecordedFile
    }

    nonisolated(unsafe) private static let methods: UnsafeMutablePointer<sqlite3_io_methods> = {
        let methods = UnsafeMutablePointer<sqlite3_io_methods>.allocate(capacity: 1)
        methods.initialize(to: sqlite3_io_methods())
        methods.pointee.xWrite = { file, bytes, count, offset in
            guard let file, let bytes else { return SQLITE_IOERR }
            let owner = UnsafeMutableRawPointer(file).assumingMemoryBound(to: File.self).pointee.owner
            return owner.take(UnsafeRawBufferPointer(start: bytes, count: Int(count)), at: Int(offset))
        }
        return methods
    }()

    init() { file.initialize(to: File(base: sqlite3_file(pMethods: Self.methods), owner: self)) }

    deinit {
        journal.deallocate()
        file.deallocate()
    }

    private var base: UnsafeMutablePointer<sqlite3_file> { UnsafeMutableRawPointer(file).assumingMemoryBound(to: sqlite3_file.self) }

    private func take(_ new: UnsafeRawBufferPointer, at offset: Int) -> Int32 {
        guard failure == SQLITE_OK else { return failure }
        calls.append("write \(new.count) at \(offset)")
        bytes.append(contentsOf: repeatElement(0, count: max(0, offset + new.count - bytes.count)))
        bytes.replaceSubrange(offset..<offset + new.count, with: new)
        return SQLITE_OK
    }

    func forgetCalls() { calls = [] }

    func write(_ bytes: [UInt8], at offset: Int) -> Int32 {
        bytes.withUnsafeBytes { $0.baseAddress.map { journal.write(base, $0, bytes.count, Int64(offset)) } ?? SQLITE_OK }
    }

    func writeFrame(_ header: [UInt8], _ page: [UInt8], _ number: Int) {
        let offset = Journal.headerSize + number * (header.count + page.count)
        XCTAssertEqual(write(header, at: offset), SQLITE_OK)
        XCTAssertEqual(write(page, at: offset + header.count), SQLITE_OK)
    }

    func writeWaitingHeader() -> Int32 { journal.writeWaitingHeader(base) }
}
