import Foundation
import PinviewTyped
import XCTest

/// A test with a stack of the model of People.json, on a file in a folder of its own.
class TypedTestCase: XCTestCase {
    private(set) var container: PersistentContainer!
    private(set) var context: ManagedObjectContext!
    private(set) var folder = ""

    static let types: [any TypedObject.Type] = [Person.self, Employee.self, Car.self, Company.self, Chore.self]

    static func makeModel() throws -> ManagedObjectModel {
        let path = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appendingPathComponent("People.json").path
        return try ManagedObjectModel(contentsOf: path, checking: .strict)
    }

    func makeModel() throws -> ManagedObjectModel {
        let model = try Self.makeModel()
        try model.bind(Self.types)
        return model
    }

    override func setUpWithError() throws {
        folder = NSTemporaryDirectory() + "pinview-typed-" + UUID().uuidString
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        container = PersistentContainer(name: "People", managedObjectModel: try makeModel(), storePath: folder + "/people.sqlite")
        try container.loadPersistentStores()
        context = container.newBackgroundContext()
    }

    override func tearDownWithError() throws {
        context = nil
        container = nil
        try FileManager.default.removeItem(atPath: folder)
    }

    /// Persons person0, person1, … of ages 0, 1, …, each with a car of its number, in two
    /// companies.
    func fill(_ count: Int) throws {
        let companies = [try Company(in: context, name: "Acme"), try Company(in: context, name: "Bolt")]
        for number in 0..<count {
            let person = try Person(in: context, name: "person\(number)", age: Int64(number), employer: companies[number % 2])
            _ = try Car(in: context, name: "car\(number)", price: Double(number * 100), owner: person)
        }
        try context.save()
    }

    func assertError(_ code: PinviewError.Code, file: StaticString = #filePath, line: UInt = #line, _ body: () throws -> Void)
        -> PinviewError?
    {
        do {
            try body()
            XCTFail("no error was thrown", file: file, line: line)
        } catch let error as PinviewError {
            XCTAssertTrue(error.hasCode(code), "another error: \(error)", file: file, line: line)
            return error
        } catch {
            XCTFail("not a PinviewError: \(error)", file: file, line: line)
        }
        return nil
    }

    static let sources = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appendingPathComponent("../../..").standardizedFileURL

    /// Runs another program, and returns whether it succeeded, and its output.
    func run(_ arguments: [String]) throws -> (succeeded: Bool, output: String) {
        let process = Process(), output = Pipe()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = arguments
        process.standardOutput = output
        process.standardError = output
        try process.run()
        let said = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        process.waitUntilExit()
        return (process.terminationStatus == 0, said)
    }
}
