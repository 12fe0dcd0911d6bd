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
