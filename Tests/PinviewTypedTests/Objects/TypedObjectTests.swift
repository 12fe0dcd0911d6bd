import Foundation
import PinviewTyped
import XCTest

/// Issue 19, point 1: attributes and relationships as typed properties.
final class TypedObjectTests: TypedTestCase {
    func test_attributesOfAllTypesAreStoredAndRead() throws {
        let born = Date(timeIntervalSinceReferenceDate: 1), uuid = UUID()
        let person = try Person(in: context, name: "Ada")
        person.age = 36
        person.height = 1.65
        person.born = born
        person.uuid = uuid
        person.picture = [1, 2]
        person.salary = DecimalNumber("12.50")
        person.rank = 3
        person.status = .closed
        person.address = Address(street: "Main", number: 1)
        person.homepage = URL(string: "https://example.org/ada")
        person.default = "keyword"
        person.description_ = "taken"
        try context.save()

        let reader = container.newBackgroundContext()
        let read = try XCTUnwrap(reader.first(Person.all))
        XCTAssertEqual(read.name, "Ada")
        XCTAssertEqual(read.age, 36)
        XCTAssertEqual(read.height, 1.65)
        XCTAssertEqual(read.born, born)
        XCTAssertEqual(read.uuid, uuid)
        XCTAssertEqual(read.picture, [1, 2])
        XCTAssertEqual(read.salary, DecimalNumber("12.50"))
        XCTAssertEqual(read.rank, 3)
        XCTAssertEqual(read.status, .closed)
        XCTAssertEqual(read.address, Address(street: "Main", number: 1))
        XCTAssertEqual(read.homepage, URL(string: "https://example.org/ada"))
        XCTAssertEqual(read.default, "keyword")
        XCTAssertEqual(read.description_, "taken")
        XCTAssertNil(read.nickname)
    }

    func test_newObjectsHaveTheDefaultsOfTheModel() throws {
        let person = try Person(in: context, name: "Ada")

        XCTAssertEqual(person.age, 0)
        XCTAssertEqual(person.rank, 1)
        XCTAssertTrue(person.isActive)
        XCTAssertEqual(person.status, .open)
        XCTAssertNil(person.height)
    }

    func test_relationshipsAndTheirInversesAreTyped() throws {
        let acme = try Company(in: context, name: "Acme")
        let ada = try Person(in: context, name: "Ada", employer: acme)
        let car = try Car(in: context, name: "Volvo")
        ada.cars.insert(car)

        XCTAssertEqual(acme.staff.map(\.name), ["Ada"])
        XCTAssertEqual(car.owner, ada)
        XCTAssertTrue(ada.cars.contains(car))
        ada.cars = []
        XCTAssertNil(car.owner)
        XCTAssertEqual(ada.cars.count, 0)
        ada.employer = nil
        XCTAssertTrue(acme.staff.isEmpty)
    }

    func test_orderedRelationshipsKeepTheirOrder() throws {
        let ada = try Person(in: context, name: "Ada")
        let chores = try ["b", "c"].map { try Chore(in: context, name: $0) }
        ada.tasks = OrderedRelated(chores)
        ada.tasks.insert(try Chore(in: context, name: "a"), at: 0)
        try context.save()

        XCTAssertEqual(ada.tasks.map(\.name), ["a", "b", "c"])
        XCTAssertEqual(ada.tasks[2]?.name, "c")
        XCTAssertNil(ada.tasks[3])
    }

    func test_subEntitiesHaveInheritedPropertiesAndAreCast() throws {
        let employee = try Employee(in: context, name: "Grace", wage: 10)
        _ = try Person(in: context, name: "Ada")
        try context.save()

        let persons = try context.fetch(Person.all.sorted(by: \.name))
        XCTAssertEqual(persons.map(\.name), ["Ada", "Grace"])
        XCTAssertNil(persons[0].cast(to: Employee.self))
        XCTAssertEqual(persons[1].cast(to: Employee.self), employee)
        XCTAssertEqual(persons[1].cast(to: Employee.self)?.wage, 10)
        XCTAssertEqual(employee.asPerson.name, "Grace")
        XCTAssertEqual(try context.fetch(Employee.where { $0.name == "Grace" && $0.wage > 5 }).count, 1)
        XCTAssertNil(Person(try Car(in: context).managedObject))
    }

    func test_keysFindTheirPropertyInEachModel() throws {
        // The same names at other positions: a key's cached position is valid for one entity only.
        let other = try ManagedObjectModel(entities: [
            EntityDescription(
                name: "Person",
                attributes: [
                    AttributeDescription(name: "aaa", attributeType: .string, defaultValue: "wrong"),
                    AttributeDescription(name: "name", attributeType: .string, defaultValue: "right"),
                ])
        ])
        let second = PersistentContainer(name: "Other", managedObjectModel: other)
        try second.loadPersistentStores()
        let foreign = Person(managedObject: try second.newBackgroundContext().insertNewObject(forEntityName: "Person"))
        let own = try Person(in: context, name: "Ada")

        for _ in 0..<3 {
            XCTAssertEqual(own.name, "Ada")
            // Its context has ended: the name is not known any more, but never one of another
            // property.
            XCTAssertNotEqual(foreign.name, "wrong")
        }
    }

    // MARK: Failures

    func test_aFailedReadGivesThePlaceholderAndFailsTheNextSaveOnce() throws {
        _ = try Person(in: context, name: "Ada")
        try context.save()
        try container.newBackgroundContext().performAndWait {}
        // A status that the enumeration lacks.
        let person = try XCTUnwrap(context.first(Person.all))
        try person.managedObject.setValue("unknown", forKey: "status")

        XCTAssertEqual(person.status, .open)

        XCTAssertEqual(context.propertyFailure?.hasCode(.wrongType), true)
        let error = assertError(.wrongType) { try context.save() }
        XCTAssertEqual(error?.message.contains("Person.status is \"unknown\""), true, "\(String(describing: error))")
        XCTAssertTrue(context.hasChanges, "nothing was written")
        try context.save()
        XCTAssertNil(context.propertyFailure)
        _ = assertError(.wrongType) { _ = try person.value(of: Person.Keys.status) }
    }

    func test_aFailedWriteChangesNothingAndFailsTheNextSave() throws {
        struct Narrow: TypedObject {
            static var entityName: String { "Person" }
            static var properties: [any PropertyDeclaration] { [rank] }
            static let rank = AttributeKey<Int>("rank", default: 1)
            let managedObject: ManagedObject
            init(managedObject: ManagedObject) { self.managedObject = managedObject }
        }
        let person = try Person(in: context, name: "Ada")
        let narrow = try XCTUnwrap(Narrow(person.managedObject))

        narrow[Narrow.rank] = 1 << 20

        XCTAssertEqual(person.rank, 1)
        _ = assertError(.wrongType) { try context.save() }
        try context.save()
    }

    func test_anEndedContextIsADocumentedValueAndAThrownError() throws {
        var ended: ManagedObjectContext? = container.newBackgroundContext()
        let person = try Person(in: try XCTUnwrap(ended), name: "Ada")
        ended = nil

        XCTAssertEqual(person.name, "")
        XCTAssertNil(person.employer)
        XCTAssertEqual(person.cars.count, 0)
        person.age = 3
        _ = assertError(.contextGone) { _ = try person.value(of: Person.Keys.name) }
        _ = assertError(.contextGone) { try person.delete() }
    }

    func test_everyFailureIsToldToTheHandler() throws {
        let told = Box<[PinviewError]>([])
        PropertyFailures.setHandler { error in told.value.append(error) }
        defer { PropertyFailures.setHandler(nil) }
        let person = try Person(in: context, name: "Ada")
        try person.managedObject.setValue("unknown", forKey: "status")

        _ = person.status
        _ = person.status

        XCTAssertEqual(told.value.count, 2)
        XCTAssertNotNil(context.takePropertyFailure())
        try context.save()
    }

    func test_anInsertionThatFailsLeavesNoObject() throws {
        struct Refused: Error {}
        _ = assertError(.wrongType) {
            _ = try Person(in: context) { (person) throws(PinviewError) in
                try person.managedObject.setAttributeValue(.integer(1), forKey: "name")
            }
        }

        XCTAssertEqual(try context.count(for: Person.all), 0)
    }

    func test_SNP_04_snapshotsKeepValuesAndCrossThreads() async throws {
        try fill(2)
        let person = try XCTUnwrap(context.first(Person.where { $0.name == "person1" }))
        let snapshot = try person.snapshot()
        person.name = "changed"

        let text = await Task.detached { "\(snapshot.name ?? "") \(snapshot.age ?? -1) \(snapshot.cars.count)" }.value

        XCTAssertEqual(text, "person1 1 1")
        XCTAssertEqual(snapshot.employer, person.employer?.objectID)
        XCTAssertEqual(snapshot.objectID, person.objectID)
        XCTAssertNotEqual(snapshot, try person.snapshot())
        person.name = "person1"
        XCTAssertEqual(snapshot, try person.snapshot())
    }
}

final class Box<T>: @unchecked Sendable {
    private let lock = NSLock()
    private var stored: T
    init(_ value: T) { stored = value }
    var value: T {
        get { lock.withLock { stored } }
        set { lock.withLock { stored = newValue } }
    }
}
