import BenchmarkRunner
import BenchmarkSupport
import Pinview
import RawSQLite

extension Cell {
    /// The store that ``PeopleStore/prepare(_:)`` made.
    var people: String { path(PeopleStore.file) }
}

/// Persons and their cars, as many as a workload wants.
enum PeopleStore {
    static let file = "people.sqlite"

    static func model(uniqueEmail: Bool = false) throws -> ManagedObjectModel {
        func attribute(_ name: String, _ type: AttributeType) -> AttributeDescription {
            AttributeDescription(name: name, attributeType: type)
        }
        return try ManagedObjectModel(entities: [
            EntityDescription(
                name: "Person",
                attributes: [
                    attribute("firstName", .string), attribute("lastName", .string), attribute("email", .string),
                    attribute("age", .integer16), attribute("height", .double),
                ],
                relationships: [
                    RelationshipDescription(name: "cars", destinationEntityName: "Car", inverseRelationshipName: "owner", isToMany: true)
                ],
                uniquenessConstraints: uniqueEmail ? [["email"]] : []),
            EntityDescription(
                name: "Car",
                attributes: [
                    attribute("plate", .string), attribute("brand", .string), attribute("year", .integer16), attribute("price", .double),
                ],
                relationships: [
                    RelationshipDescription(name: "owner", destinationEntityName: "Person", inverseRelationshipName: "cars")
                ]),
        ])
    }

    static func prepare(_ cell: Cell) throws { try prepare(cell, history: false) }

    /// Fills the store, from its second opening on with a history if asked for.
    static func prepare(_ cell: Cell, history: Bool) throws {
        try Stores.open(cell.people, try model())
        raw_people_fill(cell.people, Int64(try cell.parameter("persons")), Int64((try? cell.parameter("cars")) ?? 0))
        if history { try Stores.open(cell.people, try model(), history: true) }
    }

    /// A context that is not pinned, as for writing.
    static func context(_ cell: Cell, history: Bool = false) throws -> ManagedObjectContext {
        let context = try Stores.context(try Stores.open(cell.people, try model(), history: history))
        try context.setQueryGeneration(from: nil)
        return context
    }
}

/// The indexes of a person's attributes.
struct PersonAttributes {
    let firstName: Int, lastName: Int, email: Int, age: Int, height: Int

    init(_ context: ManagedObjectContext) throws {
        guard let entity = context.persistentStoreCoordinator?.managedObjectModel.entity(named: "Person") else {
            throw BenchmarkError("there is no entity Person")
        }
        func index(_ name: String) throws -> Int {
            guard let index = entity.properties.firstIndex(where: { $0.name == name }) else { throw BenchmarkError("no attribute \(name)") }
            return index
        }
        firstName = try index("firstName")
        lastName = try index("lastName")
        email = try index("email")
        age = try index("age")
        height = try index("height")
    }
}

/// The n-th person; older than the formula says, if asked for.
struct PersonValues {
    let firstName: Value, lastName: Value, email: Value, age: Value, height: Value

    init(_ number: Int, older years: Int = 0) {
        firstName = .string("First" + String(number % 500))
        lastName = .string("Last" + String(number % 7919))
        email = .string("person" + String(number) + "@example.com")
        age = .integer(Int64((number + years) % 90))
        height = .double(1.5 + Double(number % 50) / 100)
    }

    var byName: [String: Value] { ["firstName": firstName, "lastName": lastName, "email": email, "age": age, "height": height] }
}

/// The values of many persons, attribute by attribute.
struct PersonColumns {
    private var firstNames: [Value] = [], lastNames: [Value] = [], emails: [Value] = [], ages: [Value] = [], heights: [Value] = []

    init(_ numbers: Range<Int>, older years: Int = 0) {
        firstNames.reserveCapacity(numbers.count)
        lastNames.reserveCapacity(numbers.count)
        emails.reserveCapacity(numbers.count)
        ages.reserveCapacity(numbers.count)
        heights.reserveCapacity(numbers.count)
        for number in numbers {
            let values = PersonValues(number, older: years)
            firstNames.append(values.firstName)
            lastNames.append(values.lastName)
            emails.append(values.email)
            ages.append(values.age)
            heights.append(values.height)
        }
    }

    var byName: [String: [Value]] {
        ["firstName": firstNames, "lastName": lastNames, "email": emails, "age": ages, "height": heights]
    }
}
