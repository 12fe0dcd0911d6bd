import Foundation
import PinviewGenerations
import PinviewModel
import PinviewPredicates
import XCTest

@testable import PinviewStore

// Foundation has types of these names too.

/// Tests with a folder of their own, which is gone afterwards.
class StoreTestCase: XCTestCase {
    private(set) var folder = ""

    override func setUpWithError() throws {
        folder = FileManager.default.temporaryDirectory.path + "/pinview-store-" + UUID().uuidString
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    }

    override func tearDownWithError() throws {
        try FileManager.default.removeItem(atPath: folder)
    }

    var storePath: String { folder + "/Model.sqlite" }

    func openStore(
        _ model: ManagedObjectModel, path: String? = nil, configuration: String? = nil, options: StoreOptions = StoreOptions()
    ) throws -> SQLStore {
        try SQLStore.open(.file(path: path ?? storePath), model: model, configuration: configuration, options: options)
    }

    /// What the sqlite3 command line tool says, one line a row: a view of the file that shares no
    /// code with the library.
    @discardableResult
    func sqlite3(_ sql: String, path: String? = nil) throws -> [String] {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = ["sqlite3", path ?? storePath, sql]
        let output = Pipe()
        process.standardOutput = output
        try process.run()
        let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        process.waitUntilExit()
        XCTAssertEqual(process.terminationStatus, 0, "sqlite3 \(sql)")
        return text.split(separator: "\n", omittingEmptySubsequences: true).map(String.init)
    }

    func columns(of table: String) throws -> [String] {
        try sqlite3("SELECT name || ' ' || type FROM pragma_table_info('\(table)') ORDER BY cid")
    }

    func assertError(
        _ code: PinviewError.Code, file: StaticString = #filePath, line: UInt = #line, _ body: () throws -> Void
    ) -> PinviewError? {
        do {
            try body()
            XCTFail("no error", file: file, line: line)
            return nil
        } catch let error as PinviewError {
            XCTAssertTrue(error.hasCode(code), "\(error)", file: file, line: line)
            return error
        } catch {
            XCTFail("another kind of error: \(error)", file: file, line: line)
            return nil
        }
    }
}

extension SQLStore {
    /// Inserts rows of an entity in one save; properties that are not given are nil.
    @discardableResult
    func insert(_ entityName: String, _ rows: [[String: Value]], references: [[String: Reference]] = []) throws -> [Reference] {
        let entity = try schema.model.requireEntity(named: entityName)
        let save = try beginSave()
        let first = try save.allocatePrimaryKeys(entity: entity, count: rows.count)
        var builder = RowBuilder(entity: entity, model: schema.model, reservingRows: rows.count)
        for (index, row) in rows.enumerated() {
            builder.beginRow(primaryKey: first + Int64(index), version: 1)
            for property in entity.properties where !property.isTransient && !property.isToMany {
                if property.isAttribute {
                    try builder.append(try property.convert(row[property.name] ?? .null), of: property)
                } else {
                    builder.append(reference: references.indices.contains(index) ? references[index][property.name] : nil, of: property)
                }
            }
        }
        let made = builder.finish()
        for index in rows.indices { try save.insert(made.snapshot(index), entity: entity) }
        _ = try save.commit()
        return rows.indices.map { Reference(entityIndex: Int32(entity.index), primaryKey: first + Int64($0)) }
    }

    func entity(_ name: String) throws -> Entity { try schema.model.requireEntity(named: name) }

    func property(_ name: String, of entityName: String) throws -> Property {
        try XCTUnwrap(try entity(entityName).property(named: name))
    }

    /// The row of a reference, as it is now.
    func newestRow(_ reference: Reference) throws -> RowSnapshot? {
        try row(entity: schema.model.entities[Int(reference.entityIndex)], primaryKey: reference.primaryKey, at: nil)
    }

    func fetch(
        _ entityName: String, _ format: String? = nil, _ arguments: [any PredicateArgument] = [], sort: [PinviewSortDescriptor] = [],
        limit: Int = 0, offset: Int = 0, includesSubentities: Bool = true
    ) throws -> StoreFetch {
        let entity = try entity(entityName)
        var fetch = StoreFetch(entity: entity)
        if let format {
            fetch.predicate = try PinviewPredicate(format: format, arguments: arguments).resolved(for: entity, in: schema.model)
        }
        for descriptor in sort { fetch.sortDescriptors.append(try descriptor.resolved(for: entity, in: schema.model)) }
        fetch.limit = limit
        fetch.offset = offset
        fetch.includesSubentities = includesSubentities
        return fetch
    }

    func objectID(_ reference: Reference) -> ManagedObjectID {
        let entity = schema.model.entities[Int(reference.entityIndex)]
        let key = ObjectKey(storeNumber: number, rootEntity: Int32(entity.rootIndex), primaryKey: reference.primaryKey)
        return ManagedObjectID(entity: entity, key: key, storeIdentifier: identifier)
    }
}

extension SQLStore {
    /// A batch update that sets given values.
    func batchUpdate(
        _ fetch: StoreFetch, assignments: [(Property, Value)], returningReferences: Bool
    ) throws(PinviewError) -> BatchOutcome {
        try batchUpdate(
            fetch, assignments: assignments.map { ($0.0, BatchAssignment.value($0.1)) }, returningReferences: returningReferences)
    }
}
