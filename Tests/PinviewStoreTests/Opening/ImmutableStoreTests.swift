import Foundation
import PinviewGenerations
import PinviewModel
import XCTest

@testable import PinviewStore

/// MDL-06, MDL-16: stores that are read without a lock and without creating files, including the
/// commits in their journals.
final class ImmutableStoreTests: StoreTestCase {
    private func immutable() throws -> StoreOptions { try StoreOptions(parsing: ["immutable": true]) }

    /// A store with three commits in its journal, as a killed program leaves it.
    private func makeWithJournal(_ model: ManagedObjectModel) throws -> String {
        let store = try openStore(model, path: folder + "/Source.sqlite")
        for title in ["one", "two", "three"] { try store.insert("Note", [["title": .string(title)]]) }
        let copies = folder + "/copy"
        try FileManager.default.createDirectory(atPath: copies, withIntermediateDirectories: true)
        for suffix in ["", "-wal"] {
            try FileManager.default.copyItem(atPath: folder + "/Source.sqlite" + suffix, toPath: copies + "/Store.sqlite" + suffix)
        }
        store.close()
        return copies + "/Store.sqlite"
    }

    /// Content and times of all files of a folder, and of the folder.
    private func facts(_ folder: String) throws -> [String: String] {
        var facts: [String: String] = [:]
        for name in [""] + (try FileManager.default.contentsOfDirectory(atPath: folder)) {
            var status = stat()
            XCTAssertEqual(stat(folder + "/" + name, &status), 0)
            let content = name.isEmpty ? Data() : try Data(contentsOf: URL(fileURLWithPath: folder + "/" + name))
            // Reading it here may change the time of access, so that is not compared.
            facts[name] = "\(status.st_mtim) \(status.st_ctim) \(content.base64EncodedString())"
        }
        return facts
    }

    func test_MDL_16_anImmutableStoreIsReadWithItsJournalAndNothingChanges() throws {
        let model = try TestModels.notes()
        let path = try makeWithJournal(model)
        let before = try facts(folder + "/copy")
        let store = try openStore(model, path: path, options: try immutable())
        XCTAssertTrue(store.isReadOnly)
        XCTAssertTrue(store.isImmutable)
        XCTAssertEqual(store.journalMode, "wal")
        XCTAssertEqual(try store.count(try store.fetch("Note"), at: nil), 3)
        XCTAssertEqual(try store.count(try store.fetch("Note", sort: []), at: try store.currentGeneration()), 3)
        _ = assertError(.persistentStoreSave) { _ = try store.insert("Note", [["title": "x"]]) }
        store.close()
        XCTAssertEqual(try facts(folder + "/copy"), before)
    }

    func test_MDL_16_everyCommitInTheJournalIsAGeneration() throws {
        let model = try TestModels.notes()
        let store = try openStore(model, path: try makeWithJournal(model), options: try immutable())
        let commits = store.journalCommits
        XCTAssertEqual(commits.map(\.number), Array(0..<commits.count))
        XCTAssertTrue(commits.allSatisfy(\.isReadable))
        // The first commits make the tables.
        var counts: [Int] = []
        for commit in commits.suffix(4) {
            let generation = try store.adopt(commit.name)
            counts.append(try store.count(try store.fetch("Note"), at: generation))
        }
        XCTAssertEqual(counts, [0, 1, 2, 3])
        let oldest = try store.adopt(commits[commits.count - 4].name), newest = try store.currentGeneration()
        XCTAssertEqual(try store.difference(from: oldest, to: newest).changes.map(\.kind), [.insert, .insert, .insert])
        let second = try store.adopt(commits[commits.count - 2].name)
        XCTAssertEqual(try store.difference(from: second, to: newest).changes.map(\.reference.primaryKey), [3])
    }

    func test_MDL_16_aCommitWhosePagesACheckpointHasOverwrittenIsNotReadable() throws {
        let model = try TestModels.notes()
        let path = try makeWithJournal(model)
        let clean = folder + "/copy/Clean.sqlite"
        // A checkpoint copies all pages; then the old journal is put back beside the file.
        for suffix in ["", "-wal"] { try FileManager.default.copyItem(atPath: path + suffix, toPath: clean + suffix) }
        try sqlite3("PRAGMA wal_checkpoint(TRUNCATE)", path: clean)
        try? FileManager.default.removeItem(atPath: clean + "-wal")
        try FileManager.default.copyItem(atPath: path + "-wal", toPath: clean + "-wal")
        let store = try openStore(model, path: clean, options: try immutable())
        let commits = store.journalCommits
        XCTAssertEqual(commits.last?.isReadable, true)
        XCTAssertEqual(commits.first?.isReadable, false)
        XCTAssertEqual(try store.count(try store.fetch("Note"), at: nil), 3)
        _ = assertError(.generationLost) { _ = try store.adopt(try XCTUnwrap(commits.first).name) }
    }

    func test_MDL_16_aChangeByAnotherProgramIsNoticed() throws {
        let model = try TestModels.notes()
        let path = try makeWithJournal(model)
        let store = try openStore(model, path: path, options: try immutable())
        XCTAssertEqual(try store.count(try store.fetch("Note"), at: nil), 3)
        try sqlite3("UPDATE ZNOTE SET ZTITLE = 'other'", path: path)
        XCTAssertThrowsError(try store.count(try store.fetch("Note"), at: nil)) { XCTAssertTrue("\($0)".contains("changed"), "\($0)") }
    }

    func test_MDL_06_aStoreInAnotherJournalModeAndAnUnfinishedTransaction() throws {
        let model = try TestModels.notes()
        let store = try openStore(model, options: try StoreOptions(parsing: ["journalMode": "delete"]))
        try store.insert("Note", [["title": "one"]])
        store.close()
        let still = try openStore(model, options: try immutable())
        XCTAssertEqual(still.journalMode, "delete")
        XCTAssertEqual(try still.count(try still.fetch("Note"), at: nil), 1)
        still.close()
        try Data([0xd9, 0xd5, 0x05, 0xf9] + [UInt8](repeating: 1, count: 600)).write(to: URL(fileURLWithPath: storePath + "-journal"))
        let error = assertError(.persistentStoreOpen) { _ = try openStore(model, options: try immutable()) }
        XCTAssertTrue(error?.message.contains("unfinished transaction") ?? false, error?.message ?? "")
    }

    func test_MDL_06_readingLeavesNothingBesideAStore() throws {
        let model = try TestModels.notes()
        let store = try openStore(model)
        try store.insert("Note", [["title": "one"]])
        store.close()
        let before = try facts(folder)
        XCTAssertEqual(Set(before.keys), ["", "Model.sqlite"])
        let reader = try openStore(model, options: try StoreOptions(parsing: ["readOnly": true]))
        XCTAssertEqual(try reader.count(try reader.fetch("Note"), at: nil), 1)
        reader.close()
        XCTAssertEqual(try filesBesideStore().keys.sorted(), ["Model.sqlite"])
        _ = try SQLStore.metadata(ofStoreAt: storePath)
        _ = assertError(.persistentStoreIncompatibleVersionHash) { _ = try openStore(try TestModels.company()) }
        XCTAssertEqual(try filesBesideStore().keys.sorted(), ["Model.sqlite"])
        XCTAssertEqual(try facts(folder)["Model.sqlite"], before["Model.sqlite"])
    }

    func test_MDL_16_truncatedAndForeignJournalsEndWhereTheyAreDamaged() throws {
        let model = try TestModels.notes()
        let path = try makeWithJournal(model)
        let whole = try Data(contentsOf: URL(fileURLWithPath: path + "-wal"))
        let count = try openStore(model, path: path, options: try immutable()).journalCommits.count
        for (index, size) in [0, 31, 32, 100, whole.count - 1, whole.count / 2].enumerated() {
            let other = folder + "/copy/\(index).sqlite"
            try FileManager.default.copyItem(atPath: path, toPath: other)
            try whole.prefix(size).write(to: URL(fileURLWithPath: other + "-wal"))
            guard let store = try? openStore(model, path: other, options: try immutable()) else { continue }
            XCTAssertLessThan(store.journalCommits.count, count)
            XCTAssertLessThan(try store.count(try store.fetch("Note"), at: nil), 3)
        }
    }
}
