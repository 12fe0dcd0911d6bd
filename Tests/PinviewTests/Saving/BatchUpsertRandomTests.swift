import Foundation
import Pinview
import RandomSupport
import StressSupport
import XCTest

/// UNQ-09 against a naive model, and against a process that is killed in the middle.
final class BatchUpsertRandomTests: StackTestCase {
    override func model() throws -> ManagedObjectModel {
        try ManagedObjectModel(entities: [
            EntityDescription(
                name: "Person",
                attributes: [
                    AttributeDescription(name: "name", attributeType: .string),
                    AttributeDescription(name: "code", attributeType: .integer64),
                    AttributeDescription(name: "age", attributeType: .integer64, defaultValue: 7),
                ], uniquenessConstraints: [["name"], ["code"]])
        ])
    }

    override func prepareStore() throws {}

    // MARK: The naive model

    private struct Row: Equatable {
        var values: [String: Value]
        var version = 1

        subscript(name: String) -> Value { values[name] ?? .null }
    }

    private struct Refused: Error {}

    private static let names = ["name", "code", "age"]

    /// The rows after a batch, in the order of their insertion; and for each row of the batch the
    /// place of the row that is kept.
    private func insert(
        _ batch: [[String: Value]], _ policy: MergePolicy, into rows: inout [Row]
    ) throws -> (counts: [Int], places: [Int]) {
        var result = rows
        var counts = [0, 0, 0], places: [Int] = []
        for given in batch {
            var new = Row(values: ["name": .null, "code": .null, "age": 7])
            new.values.merge(given) { $1 }
            let met = ["name", "code"].lazy.compactMap { name in
                new[name] == .null ? nil : result.firstIndex { $0[name] == new[name] }
            }.first
            guard let met else {
                result.append(new)
                counts[0] += 1
                places.append(result.count - 1)
                continue
            }
            places.append(met)
            var row = result[met]
            switch policy {
            case .error: throw Refused()
            case .mergeByPropertyObjectTrump: row.values.merge(given) { $1 }
            case .overwrite: row.values = new.values
            default: break
            }
            guard row != result[met] else {
                counts[2] += 1
                continue
            }
            for name in ["name", "code"] where row[name] != .null {
                if result.enumerated().contains(where: { $0.offset != met && $0.element[name] == row[name] }) { throw Refused() }
            }
            row.version += 1
            result[met] = row
            counts[1] += 1
        }
        rows = result
        return (counts, places)
    }

    func test_UNQ_09_agreesWithANaiveModel() throws {
        let seed = SeededGenerator.givenSeed ?? UInt64.random(in: 1...UInt64(UInt32.max))
        print("PINVIEW_SEED=\(seed)")
        var random = SeededGenerator(seed: seed)
        var rows: [Row] = []
        var identifiers: [ManagedObjectID] = []
        var refused = 0
        for round in 0..<150 {
            let policy = MergePolicy.constants[random.below(5)]
            let isWide = random.next() % 4 == 0  // a collision of codes is likely
            let batch: [[String: Value]] = (0..<Int(random.next() % 30)).map { _ in
                var row: [String: Value] = [:]
                if random.next() % 5 > 0 { row["name"] = random.next() % 9 == 0 ? .null : .string("n\(random.next() % 40)") }
                if isWide || random.next() % 9 == 0 { row["code"] = random.next() % 4 == 0 ? .null : .integer(Int64(random.next() % 60)) }
                if random.next() % 3 > 0 { row["age"] = .integer(Int64(random.next() % 3)) }
                return row
            }
            var request = BatchInsertRequest(entityName: "Person", objects: batch)
            request.mergePolicy = policy
            request.resultType = .objectIDs
            var expected: (counts: [Int], places: [Int])?
            do { expected = try insert(batch, policy, into: &rows) } catch is Refused { refused += 1 }
            let context = "seed \(seed), round \(round), policy \(policy.rawValue)"
            switch Result(catching: { () throws(PinviewError) in try self.context.batchInsert(request) }) {
            case .success(let result):
                guard let expected else { return XCTFail("\(context): it should have been refused") }
                XCTAssertEqual([result.insertedCount, result.updatedCount, result.leftCount], expected.counts, context)
                for (objectID, place) in zip(result.objectIDs, expected.places) {
                    if place == identifiers.count { identifiers.append(objectID) }
                    XCTAssertEqual(objectID, identifiers[place], context)
                }
            case .failure(let error):
                guard expected == nil, error.hasCode(.managedObjectConstraintMerge) else { return XCTFail("\(context): \(error)") }
            }
            let stored = try sqlite3("SELECT ZNAME, ZCODE, ZAGE, Z_OPT FROM ZPERSON ORDER BY Z_PK")
            let wanted = rows.map { row in
                (Self.names.map { row[$0] == .null ? "" : row[$0].stringValue ?? row[$0].description } + ["\(row.version)"]).joined(
                    separator: "|")
            }
            guard stored == wanted.joined(separator: "\n") else { return XCTFail("\(context): stored\n\(stored)\nbut expected\n\(wanted)") }
        }
        XCTAssertGreaterThan(refused, 5, "seed \(seed)")
        XCTAssertLessThan(refused, 140, "seed \(seed)")
    }

    // MARK: Crashes

    func test_UNQ_09_aProcessThatIsKilledHasUpsertedAllOrNothing() throws {
        // Each batch gives all rows the same age, one more than before, and adds ten.
        var last = 0
        for round in 0..<8 {
            let process = try ForeignProcess.stackProcess(path("store.sqlite"))
            try process.write("upsert \(last)")
            for _ in 0..<(round % 3) { last = Int(process.readLine()) ?? last }
            // Anywhere in the middle of a batch.
            let answer = process.readLine(until: Date(timeIntervalSinceNow: Double.random(in: 0...0.03)))
            if let number = answer.flatMap({ Int($0) }) { last = number }
            process.kill()
            while let number = Int(process.readLine()) { last = number }
            let found = try sqlite3("SELECT count(DISTINCT ZAGE), max(ZAGE), count(*), max(Z_OPT) FROM ZPERSON; PRAGMA integrity_check")
            let parts = found.split(whereSeparator: { $0 == "|" || $0 == "\n" }).map(String.init)
            guard parts.count == 5, let age = Int(parts[1]) else {
                XCTAssertEqual(last, 0, found)
                continue
            }
            // The last commit may not have been reported.
            XCTAssertTrue(age == last || age == last + 1, "\(found) after \(last)")
            XCTAssertEqual(parts, ["1", "\(age)", "\(2000 + 10 * age)", "\(age)", "ok"])
            last = age
        }
        XCTAssertGreaterThan(last, 0)
    }
}
