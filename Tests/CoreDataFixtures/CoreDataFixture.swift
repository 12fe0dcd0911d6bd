import Foundation
import PinviewModel

/// Makes stores that are laid out as those of Core Data are, statement by statement and without the
/// library's own schema code.
package struct CoreDataFixture {
    package struct Entity {
        let name: String
        let parent: Int32

        package init(name: String, parent: Int32 = 0) {
            self.name = name
            self.parent = parent
        }
    }

    /// In the order of their numbers, from 1.
    package var entities: [Entity]
    /// Tables and rows.
    package var statements: [String]
    package var metadata: [String: PropertyListValue] = [
        "NSStoreType": .string("SQLite"), "NSPersistenceFrameworkVersion": .integer(1044), "NSStoreModelVersionHashesVersion": .integer(3),
        "_NSAutoVacuumLevel": .string("2"), "NSStoreModelVersionIdentifiers": .array([.string("")]),
    ]
    package static let identifier = "0F9A3B52-6C1D-4E7F-8A90-B1C2D3E4F506"
    /// nil for a store whose metadata are NULL.
    package var hasMetadata = true

    package init(entities: [Entity], _ statements: [String]) {
        self.entities = entities
        self.statements = statements
    }

    package init(_ names: [String], _ statements: [String]) { self.init(entities: names.map { Entity(name: $0) }, statements) }

    package func with(hashes: [String: [UInt8]]) -> CoreDataFixture {
        var copy = self
        copy.metadata["NSStoreModelVersionHashes"] = .dictionary(hashes.mapValues { .data($0) })
        return copy
    }

    /// With a table `Z_MODELCACHE`, which may be empty.
    package func with(cache: [UInt8]?) -> CoreDataFixture {
        var copy = self
        copy.statements.append("CREATE TABLE Z_MODELCACHE (Z_CONTENT BLOB)")
        if let cache { copy.statements.append("INSERT INTO Z_MODELCACHE VALUES (x'\(Self.hexadecimal(cache))')") }
        return copy
    }

    private static func hexadecimal(_ bytes: [UInt8]) -> String { bytes.map { String(format: "%02x", $0) }.joined() }

    package var sql: String {
        let plist = Self.hexadecimal(PropertyListValue.dictionary(metadata).binaryPropertyList())
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
