import Foundation
import XCTest

@testable import PinviewGenerations

/// Issue 15, 9: a commit goes to the file that the path names, or fails.
final class ReplacedFileTests: StoreFileTestCase {
    private func assertReplaced(_ store: StoreFile, _ text: String, file: StaticString = #filePath, line: UInt = #line) {
        XCTAssertThrowsError(try store.write("INSERT INTO t (v) VALUES (2)"), file: file, line: line) { error in
            XCTAssertEqual((error as? SQLiteError)?.kind, .replaced, "\(error)", file: file, line: line)
            XCTAssertTrue("\(error)".contains(text), "\(error)", file: file, line: line)
        }
    }

    func test_9_aCommitToADeletedFileFails() throws {
        for mode in ["wal", "delete"] {
            for suffix in mode == "wal" ? ["", "-wal", "-shm"] : [""] {
                var options = self.options
                options.journalMode = mode
                let store = try openStore(options)
                try FileManager.default.moveItem(atPath: path + suffix, toPath: path + suffix + "-away")

                assertReplaced(store, path + suffix)

                // Nothing was written, and the file can be put back.
                try FileManager.default.moveItem(atPath: path + suffix + "-away", toPath: path + suffix)
                try store.write("INSERT INTO t (v) VALUES (3)")
                XCTAssertEqual(try store.newestInt("SELECT sum(v) FROM t"), 3)
                try store.write("DELETE FROM t")
                store.close()
            }
        }
    }

    /// Only a folder whose last change is a while ago shows by its time whether it has changed.
    private func letFolderSettle(_ store: StoreFile, seconds: Int = 1_000_000, nanoseconds: Int = 1) throws {
        let time = timespec(tv_sec: seconds, tv_nsec: nanoseconds)
        XCTAssertEqual(utimensat(AT_FDCWD, folder, [time, time], 0), 0)
        try store.write("INSERT INTO t (v) VALUES (0)")
    }

    func test_9_aCommitFailsAfterFilesOfASettledFolderWereMovedOrReplaced() throws {
        for suffix in ["", "-wal", "-shm"] {
            let store = try openStore()
            try letFolderSettle(store)
            try FileManager.default.moveItem(atPath: path + suffix, toPath: path + suffix + "-away")

            assertReplaced(store, path + suffix)
            // A commit that failed has not made the folder a known one.
            assertReplaced(store, path + suffix)

            try FileManager.default.copyItem(atPath: path + suffix + "-away", toPath: path + suffix)
            assertReplaced(store, "replaced")
            XCTAssertEqual(rename(path + suffix + "-away", path + suffix), 0)
            try store.write("INSERT INTO t (v) VALUES (3)")
            XCTAssertEqual(try store.newestInt("SELECT sum(v) FROM t"), 3)
            try store.write("DELETE FROM t")
            store.close()
        }
    }

    func test_9_aCommitFailsAfterTheFolderWasMovedOrReplaced() throws {
        let store = try openStore()
        try letFolderSettle(store)
        XCTAssertEqual(rename(folder, folder + "-away"), 0)

        assertReplaced(store, path)
        try FileManager.default.copyItem(atPath: folder + "-away", toPath: folder)
        assertReplaced(store, path)

        try FileManager.default.removeItem(atPath: folder)
        XCTAssertEqual(rename(folder + "-away", folder), 0)
        try store.write("INSERT INTO t (v) VALUES (3)")
        XCTAssertEqual(try store.newestInt("SELECT sum(v) FROM t"), 3)
    }

    /// Two changes may have one time, so the time of a folder that has just changed, or that counts
    /// in seconds, says nothing.
    func test_9_theTimeOfAFolderThatHasJustChangedIsNotTrusted() throws {
        for (age, nanoseconds) in [(-1000, 1), (-1000, 0), (0, 0), (1, 0)] {
            let store = try openStore()
            let seconds = time(nil) - age
            try letFolderSettle(store, seconds: seconds, nanoseconds: nanoseconds)
            try FileManager.default.moveItem(atPath: path + "-wal", toPath: path + "-away")
            let time = timespec(tv_sec: seconds, tv_nsec: nanoseconds)
            XCTAssertEqual(utimensat(AT_FDCWD, folder, [time, time], 0), 0)

            assertReplaced(store, path + "-wal")

            XCTAssertEqual(rename(path + "-away", path + "-wal"), 0)
            store.close()
        }
    }

    func test_9_aCommitToAReplacedFileFails() throws {
        let store = try openStore()
        try FileManager.default.copyItem(atPath: path, toPath: path + "-copy")
        XCTAssertEqual(rename(path + "-copy", path), 0)

        assertReplaced(store, "replaced")
    }

    func test_9_aStoreBehindALinkAndAWorkingFolderThatChangesStayTheSame() throws {
        let link = folder + "/link"
        let store = try openStore()
        store.close()
        try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: "store.sqlite")
        let before = FileManager.default.currentDirectoryPath
        defer { XCTAssertTrue(FileManager.default.changeCurrentDirectoryPath(before)) }
        XCTAssertTrue(FileManager.default.changeCurrentDirectoryPath(folder))
        let linked = try StoreFile.open(path: "link", options: options)
        XCTAssertTrue(FileManager.default.changeCurrentDirectoryPath("/"))

        try linked.write("INSERT INTO t (v) VALUES (1)")

        XCTAssertEqual(try linked.newestInt("SELECT sum(v) FROM t"), 1)
    }
}
