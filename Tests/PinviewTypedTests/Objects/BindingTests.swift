import Foundation
import PinviewGenerator
import PinviewTyped
import XCTest

/// Issue 19, point 1: types bound to a model, with every mismatch reported at start; hooks as
/// methods.
final class BindingTests: TypedTestCase {
    private struct Wrong: TypedObject {
        static var entityName: String { "Person" }
        static var properties: [any PropertyDeclaration] {
            [
                AttributeKey<String>("nickname", default: ""), AttributeKey<Int64?>("height"), ToOneKey<Car>("cars"),
                AttributeKey<String?>("nmae"), ToManyKey<Car>("name"),
            ]
        }
        let managedObject: ManagedObject
        init(managedObject: ManagedObject) { self.managedObject = managedObject }
    }

    func test_everyMismatchIsTold() throws {
        let model = try Self.makeModel()

        let error = try XCTUnwrap(assertError(.badModel) { try model.bind(Wrong.self) })

        XCTAssertEqual(
            error.detailedErrors.map(\.message),
            [
                "Wrong.nickname is optional in the model, but String is not.",
                "Wrong.height is of type double in the model, but Optional<Int64> needs integer64.",
                "Wrong.cars is a to-many relationship in the model.",
                "Wrong.nmae: Person has no such property in the model.",
                "Wrong.name is an attribute in the model, not a relationship.",
            ])
    }

    private struct Missing: TypedObject {
        static var entityName: String { "Nobody" }
        static var properties: [any PropertyDeclaration] { [] }
        let managedObject: ManagedObject
        init(managedObject: ManagedObject) { self.managedObject = managedObject }
    }

    func test_anEntityThatTheModelLacksIsReported() throws {
        let error = assertError(.badModel) { try Self.makeModel().bind(Missing.self) }

        XCTAssertEqual(error?.message.contains("the model has no entity Nobody"), true)
    }

    func test_aModelMadeOfTheTypesIsAsTheOneTheyWereMadeFrom() throws {
        let made = try ManagedObjectModel(types: Self.types), loaded = try Self.makeModel()

        for entity in loaded.entities {
            let other = try XCTUnwrap(made.entity(named: entity.name))
            XCTAssertEqual(other.versionHash, entity.versionHash, entity.name)
            XCTAssertEqual(other.properties.map(\.name), entity.properties.map(\.name))
        }
    }

    func test_theGeneratedSourceIsWhatTheTestsAreBuiltWith() throws {
        var generator = SwiftGenerator()
        generator.source = "People.json"
        let folder = "Tests/PinviewTypedTests/Support"
        let path = Self.sources.appendingPathComponent("\(folder)/Generated.swift").path

        let text = try generator.text(of: Self.makeModel())

        XCTAssertEqual(
            text, try String(contentsOfFile: path, encoding: .utf8),
            "make it again: swift run pinview-generate -o \(folder)/Generated.swift \(folder)/People.json")
    }

    func test_theGeneratorRefusesWhatItCannotWrite() throws {
        let model = try ManagedObjectModel(
            jsonText: """
                {"entities": [{"name": "A", "attributes": [{"name": "b", "type": "string", "optional": false, "userInfo": {"swiftType": "B"}}]}]}
                """)

        let error = assertError(.badModel) { _ = try SwiftGenerator().text(of: model) }

        XCTAssertEqual(error?.message.contains("add a swiftPlaceholder"), true)
    }

    func test_theGeneratedCHeaderCompiles() throws {
        let source = folder + "/people.c"
        let program =
            CGenerator(source: "People.json").text(of: try Self.makeModel()).replacingOccurrences(of: "#pragma once\n", with: "") + """
                pinview_status use(pinview_context *context, pinview_error **error) {
                    pinview_object *person;
                    pinview_status status = insert_person(context, &person, error);
                    if (status == PINVIEW_OK) status = set_person_is_active(person, 1, error);
                    if (status == PINVIEW_OK) status = set_employee_wage(person, 1.5, error);
                    return status;
                }

                """
        try program.write(toFile: source, atomically: true, encoding: .utf8)

        let result = try run(
            ["cc", "-std=c99", "-pedantic", "-Wall", "-Wextra", "-Werror", "-fsyntax-only", "-I\(Self.sources.path)/include", source])

        XCTAssertTrue(result.succeeded, result.output)
    }

    // MARK: Hooks

    func test_hooksAreMethodsOfTheType() throws {
        let model = try ManagedObjectModel(types: Note.self)
        let container = PersistentContainer(name: "Notes", managedObjectModel: model, storePath: folder + "/notes.sqlite")
        try container.loadPersistentStores()
        let context = container.newBackgroundContext()

        let note = try Note(in: context)
        XCTAssertEqual(note.text, "awake")
        note.text = ""
        assertRefused { try context.save() }
        note.text = "written"
        try context.save()
        XCTAssertEqual(note.revision, 3, "willSave ran until it changed nothing")
        note.revision = 1000
        assertRefused { try context.save() }
        try context.rollback()
        assertRefused { try note.delete() }
    }

    /// Checks that the error is the one that the note's hooks throw.
    private func assertRefused(line: UInt = #line, _ body: () throws -> Void) {
        do {
            try body()
            XCTFail("no error was thrown", line: line)
        } catch let error as PinviewError {
            let all = [error] + error.detailedErrors + [error.underlyingError].compactMap { $0 }
            XCTAssertTrue(all.contains { $0.programError is Note.Refused }, "another error: \(error)", line: line)
        } catch {
            XCTAssertTrue(error is Note.Refused, line: line)
        }
    }
}

/// A note with hooks.
struct Note: TypedObject, AwakesFromInsert, HearsOfSaves, PreparesForDeletion, Validatable, HasValidators {
    struct Refused: Error {}
    static var entityName: String { "Note" }
    static var properties: [any PropertyDeclaration] { [Keys.text, Keys.revision] }
    enum Keys {
        static let text = AttributeKey<String?>("text")
        static let revision = AttributeKey<Int64>("revision", default: 0)
    }
    let managedObject: ManagedObject
    init(managedObject: ManagedObject) { self.managedObject = managedObject }

    var text: String? {
        get { self[Keys.text] }
        nonmutating set { self[Keys.text] = newValue }
    }
    var revision: Int64 {
        get { self[Keys.revision] }
        nonmutating set { self[Keys.revision] = newValue }
    }

    func awakeFromInsert() throws { text = "awake" }
    func willSave() throws { if revision < 3 { revision += 1 } }
    func prepareForDeletion() throws { throw Refused() }
    func validate() throws { if text == "" { throw Refused() } }
    static var validators: [PropertyValidator<Note>] {
        [PropertyValidator(Keys.revision) { _, revision in if revision > 100 { throw Refused() } }]
    }
}
