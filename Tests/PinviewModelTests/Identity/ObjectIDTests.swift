import XCTest

@testable import PinviewModel

final class ObjectIDTests: XCTestCase {
    func test_idsOfTwoModelInstancesAreEqual() throws {
        let first = makeID(try XCTUnwrap(makeFamilyModel().entity(named: "Person")), 5)
        let second = makeID(try XCTUnwrap(makeFamilyModel().entity(named: "Person")), 5)

        XCTAssertEqual(first, second)
        XCTAssertEqual(first.hashValue, second.hashValue)
    }

    func test_idsAreEqualAcrossModelsThatNumberTheirEntitiesDifferently() throws {
        let small = try ManagedObjectModel(entities: [EntityDescription(name: "Person")])
        let large = try ManagedObjectModel(entities: [EntityDescription(name: "Animal"), EntityDescription(name: "Person")])
        let first = makeID(small.entities[0], 5)
        let second = makeID(large.entities[1], 5)

        XCTAssertEqual(first, second)
        XCTAssertEqual(first.hashValue, second.hashValue)
    }

    func test_entitiesOfOneHierarchyShareKeys() throws {
        let model = try makeFamilyModel()
        let person = try XCTUnwrap(model.entity(named: "Person"))
        let employee = try XCTUnwrap(model.entity(named: "Employee"))
        let car = try XCTUnwrap(model.entity(named: "Car"))

        XCTAssertEqual(makeID(person, 5), makeID(employee, 5))
        XCTAssertNotEqual(makeID(person, 5), makeID(car, 5))
        XCTAssertNotEqual(makeID(person, 5), makeID(person, 6))
        XCTAssertNotEqual(makeID(person, 5), makeID(person, 5, store: "00000000-0000-0000-0000-000000000001"))
    }

    func test_temporaryIDsDiffer() throws {
        let car = try XCTUnwrap(makeFamilyModel().entity(named: "Car"))
        let first = makeTemporaryID(car)
        let second = makeTemporaryID(car)

        XCTAssertTrue(first.isTemporaryID)
        XCTAssertNotEqual(first, second)
        XCTAssertFalse(makeID(car, 1).isTemporaryID)
    }

    func test_CTX_06_uriIdentifiesTheRecord() throws {
        let car = try XCTUnwrap(makeFamilyModel().entity(named: "Car"))

        let objectID = makeID(car, 12)

        XCTAssertEqual(objectID.uriRepresentation, "x-coredata://\(storeIdentifier)/Car/p12")
        let uri = try XCTUnwrap(ObjectURI(objectID.uriRepresentation))
        XCTAssertEqual(uri.storeIdentifier, storeIdentifier)
        XCTAssertEqual(uri.entityName, "Car")
        XCTAssertEqual(uri.primaryKey, 12)
        XCTAssertNil(uri.temporarySerial)
    }

    func test_uriOfTemporaryIDIsValidInItsProcess() throws {
        let objectID = makeTemporaryID(try XCTUnwrap(makeFamilyModel().entity(named: "Car")))

        let uri = try XCTUnwrap(ObjectURI(objectID.uriRepresentation))

        XCTAssertTrue(objectID.uriRepresentation.hasPrefix("x-coredata:///Car/t"))
        XCTAssertEqual(uri.temporarySerial, objectID.key.primaryKey)
        XCTAssertNil(uri.storeIdentifier)
        XCTAssertNil(ObjectURI("x-coredata:///Car/t" + String(repeating: "0", count: 32)), "of another process")
    }

    func test_uriOfNameWithNonASCIILetters() throws {
        let entity = try ManagedObjectModel(entities: [EntityDescription(name: "Größe")]).entities[0]
        let text = makeID(entity, 1).uriRepresentation

        XCTAssertTrue(text.hasSuffix("/Gr%C3%B6%C3%9Fe/p1"))
        XCTAssertEqual(ObjectURI(text)?.entityName, "Größe")
    }

    func test_malformedURIsAreRejected() {
        let refused = [
            "", "x-coredata://", "x-coredata://A/Car", "x-coredata://A/Car/", "x-coredata://A/Car/p", "x-coredata://A/Car/p01",
            "x-coredata://A/Car/p+1", "x-coredata://A/Car/p1/", "x-coredata://A/Car/q1", "x-coredata:///Car/p1", "x-coredata://A//p1",
            "x-coredata://A/Car/p9223372036854775808", "http://A/Car/p1", "x-coredata://A b/Car/p1", "x-coredata://A/C%41r/p1",
            "x-coredata://A/C%/p1", "x-coredata://A/C%FF/p1", "x-coredata://A/Car/p1\0", "x-coredata://A/Car/t1", "x-coredata://A/Car/é",
        ]
        for text in refused { XCTAssertNil(ObjectURI(text), text) }
    }

    func test_storeNumbersIgnoreCaseOfIdentifiers() {
        let upper = StoreNumbers.number(forIdentifier: "ABCDEF00-0000-0000-0000-000000000000")

        XCTAssertEqual(StoreNumbers.number(forIdentifier: "abcdef00-0000-0000-0000-000000000000"), upper)
        XCTAssertNotEqual(StoreNumbers.number(forIdentifier: "ABCDEF00-0000-0000-0000-000000000001"), upper)
        XCTAssertGreaterThanOrEqual(upper, 0)
        XCTAssertEqual(StoreNumbers.identifier(forNumber: upper), "ABCDEF00-0000-0000-0000-000000000000")
        XCTAssertNil(StoreNumbers.identifier(forNumber: ObjectKey.temporaryStoreNumber))
        XCTAssertNil(StoreNumbers.identifier(forNumber: .max))
    }

    func test_numbersAreUniqueAcrossThreads() {
        let results = ConcurrentResults()

        DispatchQueue.concurrentPerform(iterations: 8) { thread in
            results.add((0..<1000).map { _ in TemporaryKeys.next() }, (0..<100).map { StoreNumbers.number(forIdentifier: "S\($0)") })
        }

        XCTAssertEqual(Set(results.keys).count, 8000)
        XCTAssertEqual(Set(results.numbers).count, 1)
        XCTAssertEqual(Set(results.numbers.first ?? []).count, 100)
    }
}

private final class ConcurrentResults: @unchecked Sendable {
    private let lock = NSLock()
    private(set) var keys: [Int64] = []
    private(set) var numbers: [[Int32]] = []

    func add(_ keys: [Int64], _ numbers: [Int32]) {
        lock.withLock {
            self.keys += keys
            self.numbers.append(numbers)
        }
    }
}
