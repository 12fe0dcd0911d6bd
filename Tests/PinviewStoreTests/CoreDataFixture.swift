import Foundation
import PinviewModel

@testable import PinviewStore

/// Makes stores that are laid out as those of Core Data are, statement by statement and without the
/// library's own schema code.
struct CoreDataFixture {
    struct Entity {
        let name: String
        var parent: Int32 = 0
    }

    /// In the order of their numbers, from 1.
    var entities: [Entity]
    /// Tables and rows.
    var statements: [String]
    var metadata: [String: PropertyListValue] = [
        "NSStoreType": .string("SQLite"), "NSPersistenceFrameworkVersion": .integer(1044), "NSStoreModelVersionHashesVersion": .integer(3),
        "_NSAutoVacuumLevel": .string("2"), "NSStoreModelVersionIdentifiers": .array([.string("")]),
    ]
    static let identifier = "0F9A3B52-6C1D-4E7F-8A90-B1C2D3E4F506"
    /// nil for a store whose metadata are NULL.
    var hasMetadata = true

    init(entities: [Entity], _ statements: [String]) {
        self.entities = entities
        self.statements = statements
    }

    init(_ names: [String], _ statements: [String]) { self.init(entities: names.map { Entity(name: $0) }, statements) }

    func with(hashes: [String: [UInt8]]) -> CoreDataFixture {
        var copy = self
        copy.metadata["NSStoreModelVersionHashes"] = .dictionary(hashes.mapValues { .data($0) })
        return copy
    }

    var sql: String {
        let plist = PropertyListValue.dictionary(metadata).binaryPropertyList().map { String(format: "%02x", $0) }.joined()
        let rows = entities.enumerated().map { "(\($0 + 1), '\($1.name)', \($1.parent), 0)" }
        return
            ([
                "PRAGMA page_size=4096", "PRAGMA auto_vacuum=2", "PRAGMA journal_mode=wal",
                "CREATE TABLE Z_PRIMARYKEY (Z_ENT INTEGER PRIMARY KEY, Z_NAME VARCHAR, Z_SUPER INTEGER, Z_MAX INTEGER)",
                "CREATE TABLE Z_METADATA (Z_VERSION INTEGER PRIMARY KEY, Z_UUID VARCHAR(255), Z_PLIST BLOB)",
                "INSERT INTO Z_METADATA VALUES (1, '\(Self.identifier)', \(hasMetadata ? "x'\(plist)'" : "NULL"))",
                "INSERT INTO Z_PRIMARYKEY VALUES " + rows.joined(separator: ", "),
            ] + statements).joined(separator: "; ")
    }
}

extension StoreTestCase {
    func make(_ fixture: CoreDataFixture, path: String? = nil) throws { try sqlite3(fixture.sql, path: path) }

    /// The bytes of the store's file and of what is beside it, by name.
    func filesBesideStore() throws -> [String: Data] {
        var files: [String: Data] = [:]
        for name in try FileManager.default.contentsOfDirectory(atPath: folder) {
            files[name] = try Data(contentsOf: URL(fileURLWithPath: folder + "/" + name))
        }
        return files
    }
}
