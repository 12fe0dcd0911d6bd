import Pinview
import XCTest

/// Transient properties and refresh: RFR-20 to RFR-24, EX-29 to EX-35.
final class TransientPropertyTests: StoreTestCase {
    /// The program's data of an object: whether it was refreshed since the full name was computed.
    private final class Note {
        var wasRefreshed = false
    }

    private var coordinator: PersistentStoreCoordinator!
    private var one: ManagedObjectContext!
    private var two: ManagedObjectContext!

    private static func fullName(_ person: ManagedObject) throws -> String {
        "\(try person.value(forKey: "firstName", as: String.self) ?? "") \(try person.value(forKey: "lastName", as: String.self) ?? "")"
    }

    /// Person with firstName, lastName and the transient fullName; awakeFromFetch sets fullName and
    /// leaves a note.
    private static func model() throws -> ManagedObjectModel {
        let model = try ManagedObjectModel(entities: [
            EntityDescription(
                name: "Person",
                attributes: [
                    AttributeDescription(name: "firstName", attributeType: .string),
                    AttributeDescription(name: "lastName", attributeType: .string),
                    AttributeDescription(name: "fullName", attributeType: .string, isTransient: true),
                ])
        ])
        var hooks = EntityHooks()
        hooks.awakeFromFetch = { person in
            try person.setValue(try fullName(person), forKey: "fullName")
            if let note = person.userData as? Note { note.wasRefreshed = true }
        }
        try model.setHooks(hooks, forEntityNamed: "Person")
        return model
    }

    override func setUpWithError() throws {
        try super.setUpWithError()
        coordinator = try makeCoordinator(try Self.model())
        let context = try makeContext(coordinator)
        let person = try context.insertNewObject(forEntityName: "Person")
        try person.setValue("Sarit", forKey: "firstName")
        try person.setValue("Smith", forKey: "lastName")
        try context.save()
        one = try makeContext(coordinator)
        two = try makeContext(coordinator)
    }

    override func tearDownWithError() throws {
        one = nil
        two = nil
        coordinator = nil
        try super.tearDownWithError()
    }

    private func person(in context: ManagedObjectContext) throws -> ManagedObject {
        try XCTUnwrap(try context.fetch(FetchRequest(entityName: "Person")).first)
    }

    /// Context one makes her Fiona and saves, context two makes her Jones without saving; then two
    /// refreshes.
    private func playExample() throws -> ManagedObject {
        let first = try person(in: one), second = try person(in: two)
        _ = try second.attributeValue(forKey: "firstName")
        second.userData = Note()
        try first.setValue("Fiona", forKey: "firstName")
        try first.setValue("Fiona Smith", forKey: "fullName")
        try one.save()
        try second.setValue("Jones", forKey: "lastName")
        try second.setValue("Sarit Jones", forKey: "fullName")
        try two.refresh(second, mergeChanges: true)
        return second
    }

    func test_EX_29_bothContextsShowTheFullName() throws {
        for context in [one!, two!] {
            let person = try person(in: context)
            XCTAssertEqual(try person.attributeValue(forKey: "fullName"), "Sarit Smith")
            XCTAssertFalse(context.hasChanges)
        }
    }

    func test_EX_30_theStoreSaysFionaSmith() throws {
        _ = try playExample()
        XCTAssertEqual(try sqlite3("SELECT ZFIRSTNAME, ZLASTNAME FROM ZPERSON"), "Fiona|Smith")
        XCTAssertEqual(try person(in: one).attributeValue(forKey: "fullName"), "Fiona Smith")
    }

    func test_EX_31_and_EX_32_and_EX_33_refreshMergesTheStoredProperties() throws {
        let person = try playExample()
        XCTAssertEqual(try person.attributeValue(forKey: "firstName"), "Fiona")
        XCTAssertEqual(try person.attributeValue(forKey: "lastName"), "Jones")
        XCTAssertTrue(person.isUpdated)
    }

    func test_EX_34_and_RFR_21_theTransientPropertyKeepsItsValueOfBefore() throws {
        let person = try playExample()
        XCTAssertEqual(try person.attributeValue(forKey: "fullName"), "Sarit Jones")
        XCTAssertTrue(try XCTUnwrap(person.userData as? Note).wasRefreshed, "awakeFromFetch was not called by the refresh")
    }

    func test_EX_35_and_RFR_23_aNoteInTheProgramsSlotSaysWhenToRecompute() throws {
        let person = try playExample()
        if let note = person.userData as? Note, note.wasRefreshed {
            try person.setValue(try Self.fullName(person), forKey: "fullName")
        }
        XCTAssertEqual(try person.attributeValue(forKey: "fullName"), "Fiona Jones")
    }

    func test_RFR_20_aTransientPropertyHasNoColumn() throws {
        XCTAssertFalse(try sqlite3("SELECT sql FROM sqlite_master WHERE name = 'ZPERSON'").contains("FULLNAME"))
    }

    func test_RFR_21_aRefreshWithoutLocalChangesPutsTheTransientValueBackToo() throws {
        let first = try person(in: one), second = try person(in: two)
        XCTAssertEqual(try second.attributeValue(forKey: "fullName"), "Sarit Smith")
        try first.setValue("Fiona", forKey: "firstName")
        try one.save()
        try two.refresh(second, mergeChanges: true)
        XCTAssertEqual(try second.attributeValue(forKey: "firstName"), "Fiona")
        XCTAssertEqual(try second.attributeValue(forKey: "fullName"), "Sarit Smith")
        XCTAssertFalse(second.isUpdated)
    }

    func test_RFR_21_refreshOfAFaultWithMergeChangesAwakensIt() throws {
        let person = try person(in: two)
        try two.refresh(person, mergeChanges: true)
        XCTAssertFalse(person.isFault)
        XCTAssertEqual(try person.attributeValue(forKey: "fullName"), "Sarit Smith")
    }

    func test_RFR_22_refreshWithoutMergingThrowsTransientValuesAway() throws {
        let person = try person(in: one)
        try person.setValue("made up", forKey: "fullName")
        try one.refresh(person, mergeChanges: false)
        XCTAssertEqual(try person.attributeValue(forKey: "fullName"), "Sarit Smith")
    }

    func test_RFR_23_refreshLeavesTheProgramsSlotAlone() throws {
        let person = try person(in: one)
        let note = Note()
        person.userData = note
        try one.refresh(person, mergeChanges: false)
        XCTAssertTrue(person.userData === note)
        try one.refresh(person, mergeChanges: true)
        XCTAssertTrue(person.userData === note)
    }

    func test_RFR_24_aTransientChangeMarksTheObjectButWritesNothing() throws {
        let person = try person(in: one)
        try person.setValue("made up", forKey: "fullName")
        XCTAssertTrue(person.isUpdated)
        XCTAssertFalse(person.hasPersistentChangedValues)
        let before = try sqlite3("SELECT Z_OPT FROM ZPERSON")
        try one.save()
        XCTAssertEqual(try sqlite3("SELECT Z_OPT FROM ZPERSON"), before)
        XCTAssertEqual(try person.attributeValue(forKey: "fullName"), "made up")
    }

    func test_PRD_storesCannotSearchByATransientPropertyWhereverItStandsInAPath() throws {
        let model = try ManagedObjectModel(entities: [
            EntityDescription(
                name: "Person",
                attributes: [AttributeDescription(name: "name", attributeType: .string)],
                relationships: [
                    RelationshipDescription(name: "partner", destinationEntityName: "Person", isTransient: true),
                    RelationshipDescription(name: "boss", destinationEntityName: "Person"),
                ])
        ])
        let context = try makeContext(try makeCoordinator(model, name: "partners.sqlite"))

        for format in [
            "partner == nil", "partner.name == 'x'", "boss.partner == nil", "boss.partner.name == 'x'", "partner.entity.name == 'Person'",
        ] {
            XCTAssertThrowsError(try context.count(for: try FetchRequest("Person", format)), format) {
                XCTAssertTrue("\($0)".contains("Person.partner is transient"), "\($0)")
            }
        }
        XCTAssertEqual(try context.count(for: try FetchRequest("Person", "boss.name == 'x'")), 0)
    }
}
