import CoreDataFixtures
import Foundation
import XCTest

@testable import PinviewModel

/// MDL-01: folders with models and versions of them.
final class ModelBundleTests: XCTestCase {
    private var folder = ""

    override func setUpWithError() throws {
        folder = NSTemporaryDirectory() + "models-\(UUID().uuidString)"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    }

    override func tearDownWithError() throws {
        try FileManager.default.removeItem(atPath: folder)
    }

    private func write(_ path: String, _ bytes: [UInt8]) throws {
        let full = "\(folder)/\(path)"
        try FileManager.default.createDirectory(atPath: (full as NSString).deletingLastPathComponent, withIntermediateDirectories: true)
        try Data(bytes).write(to: URL(fileURLWithPath: full))
    }

    private func write(_ path: String, _ text: String) throws { try write(path, Array(text.utf8)) }

    private func xml(_ entity: String) -> String { "<model><entity name='\(entity)'/></model>" }

    private func list(_ key: String, _ value: String) -> String {
        """
        <?xml version="1.0" encoding="UTF-8"?>
        <!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
        <plist version="1.0"><dict><key>\(key)</key><string>\(value)</string></dict></plist>
        """
    }

    private func model(_ path: String, version: String? = nil) throws -> ManagedObjectModel {
        guard case .contents(let contents) = try ModelLoader.load(path: "\(folder)/\(path)", version: version) else {
            throw PinviewError(.badModel, "It is JSON.")
        }
        return try ManagedObjectModel(contents, checking: .lenient)
    }

    func test_MDL_01_aFolderAndItsFile() throws {
        try write("A.xcdatamodel/contents", xml("One"))

        XCTAssertEqual(try model("A.xcdatamodel").entities.map(\.name), ["One"])
        XCTAssertEqual(try model("A.xcdatamodel/contents").entities.map(\.name), ["One"])
    }

    func test_MDL_01_theCurrentVersionAndAnyOther() throws {
        try write("A.xcdatamodeld/A.xcdatamodel/contents", xml("One"))
        try write("A.xcdatamodeld/A 2.xcdatamodel/contents", xml("Two"))
        try write("A.xcdatamodeld/.xccurrentversion", list("_XCCurrentVersionName", "A 2.xcdatamodel"))

        XCTAssertEqual(try model("A.xcdatamodeld").entities.map(\.name), ["Two"])
        XCTAssertEqual(try model("A.xcdatamodeld", version: "A").entities.map(\.name), ["One"])
        let versions = try ManagedObjectModel.versions(ofModelAt: "\(folder)/A.xcdatamodeld")
        XCTAssertEqual(versions.names, ["A", "A 2"])
        XCTAssertEqual(versions.currentName, "A 2")
        assertThrows(.invalidArgument, mentioning: "A 3", "A, A 2") { _ = try self.model("A.xcdatamodeld", version: "A 3") }
    }

    func test_MDL_01_numbersInTheNamesOfVersionsAreOrderedByTheirValues() throws {
        let names = ["Shop", "Shop 2", "Shop 9.10", "Shop 10", "Shop 10 b", "Shop 010", "Shop2", "Ähre"]
        for name in names.reversed() { try write("A.xcdatamodeld/\(name).xcdatamodel/contents", xml("One")) }
        XCTAssertEqual(
            try ManagedObjectModel.versions(ofModelAt: "\(folder)/A.xcdatamodeld").names,
            ["Shop", "Shop 2", "Shop 9.10", "Shop 010", "Shop 10", "Shop 10 b", "Shop2", "Ähre"])
    }

    func test_MIG_01_versionsThatAreNumbersAreCompared() throws {
        let ascending = ["0", "1", "1.0.1", "1.2", "1.10", "2", "10.0"]
        for (older, newer) in zip(ascending, ascending.dropFirst()) {
            XCTAssertLessThan(try XCTUnwrap(VersionNumber(older)), try XCTUnwrap(VersionNumber(newer)), newer)
        }
        XCTAssertEqual(VersionNumber("2"), VersionNumber("2.0.0"))
        for text in ["", "a", "1.", ".1", "1b", "-1", "99999999999999999999", "１"] { XCTAssertNil(VersionNumber(text), text) }
        XCTAssertEqual(VersionNumber.highest(of: ["first", "2", "3"]), VersionNumber("3"))
    }

    func test_MDL_01_withoutACurrentVersionTheOnlyOneIsRead() throws {
        try write("A.xcdatamodeld/A.xcdatamodel/contents", xml("One"))
        XCTAssertEqual(try model("A.xcdatamodeld").entities.map(\.name), ["One"])

        try write("A.xcdatamodeld/B.xcdatamodel/contents", xml("Two"))
        assertThrows(.invalidArgument, mentioning: "current", "A, B") { _ = try self.model("A.xcdatamodeld") }
    }

    func test_MDL_01_MDL_08_compiledVersionsHaveTheHashesOfTheirFolder() throws {
        let archive = ModelArchive()
        archive.model([("One", archive.object("NSEntityDescription", archive.entityMembers("One", [("a", archive.attribute("a", 700))])))])
        let hash = (0..<32).map { UInt8($0) }
        try write("A.momd/A.mom", archive.bytes)
        try write("A.momd/A 2.mom", archive.bytes)
        try write(
            "A.momd/VersionInfo.plist",
            PropertyListValue.dictionary([
                "NSManagedObjectModel_CurrentVersionName": .string("A"),
                "NSManagedObjectModel_VersionHashes": .dictionary(["A": .dictionary(["One": .data(hash)])]),
            ]).binaryPropertyList())

        let entity = try XCTUnwrap(model("A.momd").entity(named: "One"))

        XCTAssertEqual(entity.givenVersionHash, hash)
        XCTAssertEqual(entity.versionHash, hash)
        XCTAssertNil(try XCTUnwrap(model("A.momd", version: "A 2").entity(named: "One")).givenVersionHash)
        XCTAssertEqual(try ManagedObjectModel.versions(ofModelAt: "\(folder)/A.momd").currentName, "A")
        let json = try XCTUnwrap(parseJSON(model("A.momd").jsonRepresentation()))
        XCTAssertEqual(try ManagedObjectModel(json: json).entities[0].givenVersionHash, hash)
    }

    func test_MDL_01_foldersThatHoldNoModel() throws {
        try write("Old.xcdatamodel/elements", "x")
        try write("Old.xcdatamodel/layout", "x")
        try write("Empty/readme.txt", "x")
        try write("Bad.xcdatamodeld/A.xcdatamodel/contents", xml("One"))
        try write("Bad.xcdatamodeld/.xccurrentversion", "nothing")

        assertThrows(.badModel, mentioning: "Xcode 3") { _ = try self.model("Old.xcdatamodel") }
        assertThrows(.invalidArgument, mentioning: "Empty", "contents") { _ = try self.model("Empty") }
        assertThrows(.badModel, mentioning: ".xccurrentversion") { _ = try self.model("Bad.xcdatamodeld") }
        assertThrows(.invalidArgument, mentioning: "None.xcdatamodel") { _ = try self.model("None.xcdatamodel") }
        assertThrows(.invalidArgument, mentioning: "no version") { _ = try self.model("Old.xcdatamodel", version: "1") }
        assertThrows(.invalidArgument, mentioning: "versions") { _ = try ManagedObjectModel.versions(ofModelAt: "\(self.folder)/Empty") }
    }

    func test_MDL_01_filesOfOtherKinds() throws {
        for (name, bytes) in [
            ("png", [0x89, 0x50, 0x4E, 0x47]), ("text", Array("hello".utf8)), ("zeros", [UInt8](repeating: 0, count: 99)), ("none", []),
        ] {
            try write(name, bytes)
            assertThrows(.badModel, mentioning: name) { _ = try self.model(name) }
        }
        XCTAssertEqual(mkfifo("\(folder)/fifo", 0o600), 0)
        assertThrows(.invalidArgument, mentioning: "FIFO") { _ = try self.model("fifo") }
    }

    func test_MDL_01_propertyListsInXML() throws {
        let text = """
            <plist><dict><key>a</key><array><integer> 5 </integer><real>0.5</real><true/><false/><string>&lt;</string></array>
            <key>b</key><data> AQ ID\n</data></dict></plist>
            """
        XCTAssertEqual(
            try PropertyListValue(propertyList: Array(text.utf8)),
            .dictionary(["a": .array([.integer(5), .real(0.5), .boolean(true), .boolean(false), .string("<")]), "b": .data([1, 2, 3])]))
        for wrong in [
            "<plist/>", "<plist><dict><key>a</key></dict></plist>", "<plist><integer>x</integer></plist>", "<plist><odd/></plist>", "<x/>",
        ] {
            XCTAssertThrowsError(try PropertyListValue(propertyList: Array(wrong.utf8)), wrong)
        }
    }
}
