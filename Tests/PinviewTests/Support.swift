import Foundation
import Pinview
import XCTest

/// A test with a folder of its own, which is removed afterwards.
class StoreTestCase: XCTestCase {
    private(set) var folder = ""

    override func setUpWithError() throws {
        // Every context of every test is checked after each of its calls.
        InvariantChecks.observe { violations in
            XCTFail("invariants are broken:\n" + violations.joined(separator: "\n"))
        }
        folder = NSTemporaryDirectory() + "pinview-tests-" + UUID().uuidString
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    }

    override func tearDownWithError() throws {
        try FileManager.default.removeItem(atPath: folder)
    }

    func path(_ name: String = "store.sqlite") -> String { folder + "/" + name }

    /// A coordinator with one SQLite store of the model.
    func makeCoordinator(
        _ model: ManagedObjectModel? = nil, name: String = "store.sqlite", options: [String: Value] = [:]
    ) throws -> PersistentStoreCoordinator {
        let coordinator = PersistentStoreCoordinator(managedObjectModel: try model ?? people())
        try coordinator.addPersistentStore(type: .sqlite, at: path(name), options: options)
        return coordinator
    }

    func makeContext(_ coordinator: PersistentStoreCoordinator, _ type: ManagedObjectContextConcurrencyType = .privateQueue) throws
        -> ManagedObjectContext
    {
        let context = ManagedObjectContext(concurrencyType: type)
        try context.setPersistentStoreCoordinator(coordinator)
        addTeardownBlock { [weak context] in XCTAssertEqual(context?.checkInvariants() ?? [], []) }
        return context
    }

    /// Person (name, age, cars) and Car (name, owner), rule nullify on both sides.
    /// - Parameters:
    ///   - more: further attributes of a person.
    ///   - others: further entities.
    ///   - constraints: uniqueness constraints of a person.
    func people(
        _ more: [AttributeDescription] = [], and others: [EntityDescription] = [], constraints: [[String]] = []
    ) throws -> ManagedObjectModel {
        try ManagedObjectModel(
            entities: [
                EntityDescription(
                    name: "Person",
                    attributes: [
                        AttributeDescription(name: "name", attributeType: .string),
                        AttributeDescription(name: "age", attributeType: .integer64, defaultValue: 0),
                    ] + more,
                    relationships: [
                        RelationshipDescription(
                            name: "cars", destinationEntityName: "Car", inverseRelationshipName: "owner", isToMany: true)
                    ], uniquenessConstraints: constraints),
                EntityDescription(
                    name: "Car", attributes: [AttributeDescription(name: "name", attributeType: .string)],
                    relationships: [
                        RelationshipDescription(name: "owner", destinationEntityName: "Person", inverseRelationshipName: "cars")
                    ]),
            ] + others)
    }

    /// `count` persons dave0, dave1, …, of ages 20, 21, …, each with one car.
    func fill(_ coordinator: PersistentStoreCoordinator, count: Int = 24) throws {
        let context = try makeContext(coordinator)
        for number in 0..<count {
            let person = try context.insertNewObject(forEntityName: "Person")
            try person.setValue("dave\(number)", forKey: "name")
            try person.setValue(20 + number, forKey: "age")
            let car = try context.insertNewObject(forEntityName: "Car")
            try car.setValue("car\(number)", forKey: "name")
            try car.setRelatedObject(person, forKey: "owner")
        }
        try context.save()
    }

    /// Runs the sqlite3 tool on a file: a second process with a SQLite of its own.
    @discardableResult
    func sqlite3(_ sql: String, file: String = "store.sqlite") throws -> String {
        try runProgram(["sqlite3", "-batch", path(file)], input: ".timeout 60000\n" + sql + "\n")
    }

    /// Runs another program and gives what it says.
    @discardableResult
    func runProgram(_ arguments: [String], input text: String = "") throws -> String {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = arguments
        let input = Pipe(), output = Pipe()
        process.standardInput = input
        process.standardOutput = output
        process.standardError = output
        try process.run()
        // A program that does not read it may have ended already.
        if !text.isEmpty { input.fileHandleForWriting.write(Data(text.utf8)) }
        input.fileHandleForWriting.closeFile()
        let answer = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        process.waitUntilExit()
        return answer.trimmingCharacters(in: .whitespacesAndNewlines)
    }
}

extension FetchRequest {
    init(_ entityName: String, _ format: String? = nil, _ arguments: any PredicateArgument...) throws {
        self.init(entityName: entityName)
        if let format { predicate = try PinviewPredicate(format: format, arguments: arguments) }
    }
}

extension ManagedObjectContext {
    func names(_ entityName: String = "Person", _ format: String? = nil, _ arguments: any PredicateArgument...) throws -> [String] {
        var request = FetchRequest(entityName: entityName)
        if let format { request.predicate = try PinviewPredicate(format: format, arguments: arguments) }
        request.sortDescriptors = [PinviewSortDescriptor(keyPath: "name", ascending: true)]
        return try fetch(request).map { try $0.attributeValue(forKey: "name").stringValue ?? "nil" }
    }

    func person(_ name: String) throws -> ManagedObject {
        try XCTUnwrap(try fetch(FetchRequest("Person", "name == %@", name)).first)
    }
}

/// Checks that an expression throws a `PinviewError` of a code.
@discardableResult
func assertError<T>(
    _ code: PinviewError.Code, _ expression: @autoclosure () throws -> T, file: StaticString = #filePath, line: UInt = #line
) -> PinviewError? {
    do {
        _ = try expression()
        XCTFail("no error was thrown", file: file, line: line)
    } catch let error as PinviewError {
        XCTAssertTrue(error.hasCode(code), "another error: \(error)", file: file, line: line)
        return error
    } catch {
        XCTFail("not a PinviewError: \(error)", file: file, line: line)
    }
    return nil
}
