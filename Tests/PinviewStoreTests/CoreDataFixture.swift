import CoreDataFixtures
import Foundation

@testable import PinviewStore

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
