import Foundation
import RandomSupport
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

    /// A store has its files and folders watched from some number of commits on.
    private func commitOften(_ store: StoreFile) throws {
        for _ in 0...NamedFiles.proofsBeforeWatching { try store.write("INSERT INTO t (v) VALUES (0)") }
    }

    func test_9_aCommitFailsAfterWatchedFilesWereMovedOrReplaced() throws {
        for suffix in ["", "-wal", "-shm"] {
            let store = try openStore()
            try commitOften(store)
            try FileManager.default.moveItem(atPath: path + suffix, toPath: path + suffix + "-away")

            assertReplaced(store, path + suffix)
            // A commit that failed has proved nothing.
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

    func test_9_aCommitFailsAfterAWatchedFileWasDeletedOrOverwrittenByARename() throws {
        for suffix in ["", "-wal", "-shm"] {
            for isReplaced in [false, true] {
                let store = try openStore()
                try commitOften(store)
                try FileManager.default.copyItem(atPath: path + suffix, toPath: path + "-copy")
                if isReplaced {
                    XCTAssertEqual(rename(path + "-copy", path + suffix), 0)
                } else {
                    XCTAssertEqual(unlink(path + suffix), 0)
                }

                assertReplaced(store, path + suffix)

                store.close()
                for name in try FileManager.default.contentsOfDirectory(atPath: folder) { unlink(folder + "/" + name) }
            }
        }
    }

    func test_9_aCommitFailsAfterAFolderWasMovedOrReplaced() throws {
        let outer = folder, inner = outer + "/inner", name = inner + "/store.sqlite"
        try FileManager.default.createDirectory(atPath: inner, withIntermediateDirectories: false)
        for moved in [inner, outer] {
            let store = try StoreFile.open(path: name, options: options)
            try store.write("CREATE TABLE IF NOT EXISTS t (id INTEGER PRIMARY KEY, v)")
            try commitOften(store)
            XCTAssertEqual(rename(moved, moved + "-away"), 0)

            assertReplaced(store, name)
            try FileManager.default.copyItem(atPath: moved + "-away", toPath: moved)
            assertReplaced(store, name)

            try FileManager.default.removeItem(atPath: moved)
            XCTAssertEqual(rename(moved + "-away", moved), 0)
            try store.write("INSERT INTO t (v) VALUES (3)")
            XCTAssertEqual(try store.newestInt("SELECT max(v) FROM t"), 3)
            store.close()
        }
    }

    /// What happens to the files of one store has no effect on another one in the same folder.
    func test_9_aStoreStaysWatchedWhenAnotherOneIsClosed() throws {
        let store = try openStore(), other = try StoreFile.open(path: folder + "/other.sqlite", options: options)
        try other.write("CREATE TABLE t (v)")
        try commitOften(store)
        try commitOften(other)
        other.close()
        try store.write("INSERT INTO t (v) VALUES (1)")
        XCTAssertEqual(rename(folder, folder + "-away"), 0)

        assertReplaced(store, path)

        XCTAssertEqual(rename(folder + "-away", folder), 0)
        try store.write("INSERT INTO t (v) VALUES (1)")
    }

    /// Other code may close a descriptor that it does not know. The paths are looked up then.
    func test_9_aCommitFailsAfterTheWatchingDescriptorWasClosed() throws {
        let store = try openStore()
        try commitOften(store)
        let descriptors = try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").compactMap { Int32($0) }.filter {
            (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/\($0)")) == "anon_inode:inotify"
        }
        XCTAssertFalse(descriptors.isEmpty)
        // A pipe with something to read, which nobody but its owner may read.
        var ends: [Int32] = [0, 0]
        XCTAssertEqual(pipe(&ends), 0)
        XCTAssertEqual(write(ends[1], "text", 4), 4)
        let kept = descriptors.map { (number: $0, copy: dup($0)) }
        for number in descriptors { dup2(ends[0], number) }
        defer { for (number, copy) in kept { dup2(copy, number); close(copy) } }

        try store.write("INSERT INTO t (v) VALUES (1)")
        XCTAssertEqual(rename(path, path + "-away"), 0)
        assertReplaced(store, path)
        XCTAssertEqual(rename(path + "-away", path), 0)
        try store.write("INSERT INTO t (v) VALUES (1)")

        var text = [UInt8](repeating: 0, count: 8)
        XCTAssertEqual(read(ends[0], &text, 8), 4)
        ends.forEach { close($0) }
    }

    /// Every change of the files and folders, at random, is noticed by files that are watched as by
    /// files that are looked up each time.
    func test_9_whatIsWatchedIsSeenAsWhatIsLookedUp() throws {
        let store = try openStore()
        defer { store.close() }
        let watched = NamedFiles(path: path, isWAL: true), lookedUp = NamedFiles(path: path, isWAL: true, events: nil)
        for _ in 0...NamedFiles.proofsBeforeWatching { try watched.prove() }
        var random = SeededGenerator.announced(name)
        let names = [folder] + ["", "-wal", "-shm"].map { path + $0 }
        func putBack(_ name: String) {
            guard access(name + "-away", F_OK) == 0 else { return }
            if rename(name + "-away", name) != 0 { try? FileManager.default.removeItem(atPath: name) }
        }
        for _ in 0..<500 {
            let name = names.randomElement(using: &random) ?? path
            if Bool.random(using: &random) {
                putBack(name)
            } else if access(name + "-away", F_OK) != 0 {
                rename(name, name + "-away")
                // Sometimes there is another file or folder in its place.
                if Bool.random(using: &random) { name == folder ? mkdir(name, 0o700) : close(open(name, O_CREAT | O_RDWR, 0o600)) }
            }

            let expected = Result { try lookedUp.prove() }, found = Result { try watched.prove() }

            XCTAssertEqual("\(expected)", "\(found)")
        }
        for name in names { for _ in 0..<2 { putBack(name) } }
        XCTAssertNoThrow(try watched.prove())
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
