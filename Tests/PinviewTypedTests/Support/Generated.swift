// Made from People.json by pinview-generate. Changes are lost when it is made again.
// swift-format-ignore-file

import Foundation
import PinviewFoundation
import PinviewTyped

/// The properties of Car.
protocol CarProperties: TypedObject {}

/// An object of the entity Car.
struct Car: CarProperties {
    static var entityName: String { "Car" }
    static var properties: [any PropertyDeclaration] { [Keys.name, Keys.price, Keys.owner] }

    let managedObject: ManagedObject
    init(managedObject: ManagedObject) { self.managedObject = managedObject }

    /// A new object in a context. What is not given stays as the model and the hooks of the type make it.
    init(in context: ManagedObjectContext, name: String? = nil, price: Double? = nil, owner: Person? = nil) throws(PinviewError) {
        try self.init(in: context) { (object) throws(PinviewError) in
            if let name { try object.set(Car.Keys.name, to: name) }
            if let price { try object.set(Car.Keys.price, to: price) }
            if let owner { try object.set(Car.Keys.owner, to: owner) }
        }
    }

    enum Keys {
        static let name = AttributeKey<String?>("name")
        static let price = AttributeKey<Double>("price", default: 0.0)
        static let owner = ToOneKey<Person>("owner", inverse: "cars")
    }
}

extension CarProperties {
    var name: String? { get { self[Car.Keys.name] } nonmutating set { self[Car.Keys.name] = newValue } }
    var price: Double { get { self[Car.Keys.price] } nonmutating set { self[Car.Keys.price] = newValue } }
    var owner: Person? { get { self[Car.Keys.owner] } nonmutating set { self[Car.Keys.owner] = newValue } }
}

extension ObjectPath where Target: CarProperties {
    var name: AttributePath<Root, String> { self[Car.Keys.name] }
    var price: AttributePath<Root, Double> { self[Car.Keys.price] }
    var owner: ObjectPath<Root, Person> { self[Car.Keys.owner] }
}

/// The properties of Chore.
protocol ChoreProperties: TypedObject {}

/// An object of the entity Chore.
struct Chore: ChoreProperties {
    static var entityName: String { "Chore" }
    static var properties: [any PropertyDeclaration] { [Keys.name, Keys.person] }

    let managedObject: ManagedObject
    init(managedObject: ManagedObject) { self.managedObject = managedObject }

    /// A new object in a context. What is not given stays as the model and the hooks of the type make it.
    init(in context: ManagedObjectContext, name: String? = nil, person: Person? = nil) throws(PinviewError) {
        try self.init(in: context) { (object) throws(PinviewError) in
            if let name { try object.set(Chore.Keys.name, to: name) }
            if let person { try object.set(Chore.Keys.person, to: person) }
        }
    }

    enum Keys {
        static let name = AttributeKey<String?>("name")
        static let person = ToOneKey<Person>("person", inverse: "tasks")
    }
}

extension ChoreProperties {
    var name: String? { get { self[Chore.Keys.name] } nonmutating set { self[Chore.Keys.name] = newValue } }
    var person: Person? { get { self[Chore.Keys.person] } nonmutating set { self[Chore.Keys.person] = newValue } }
}

extension ObjectPath where Target: ChoreProperties {
    var name: AttributePath<Root, String> { self[Chore.Keys.name] }
    var person: ObjectPath<Root, Person> { self[Chore.Keys.person] }
}

/// The properties of Company.
protocol CompanyProperties: TypedObject {}

/// An object of the entity Company.
struct Company: CompanyProperties {
    static var entityName: String { "Company" }
    static var properties: [any PropertyDeclaration] { [Keys.name, Keys.staff] }

    let managedObject: ManagedObject
    init(managedObject: ManagedObject) { self.managedObject = managedObject }

    /// A new object in a context. What is not given stays as the model and the hooks of the type make it.
    init(in context: ManagedObjectContext, name: String? = nil) throws(PinviewError) {
        try self.init(in: context) { (object) throws(PinviewError) in
            if let name { try object.set(Company.Keys.name, to: name) }
        }
    }

    enum Keys {
        static let name = AttributeKey<String?>("name")
        static let staff = ToManyKey<Person>("staff", inverse: "employer")
    }
}

extension CompanyProperties {
    var name: String? { get { self[Company.Keys.name] } nonmutating set { self[Company.Keys.name] = newValue } }
    var staff: Related<Person> { get { self[Company.Keys.staff] } nonmutating set { self[Company.Keys.staff] = newValue } }
}

extension ObjectPath where Target: CompanyProperties {
    var name: AttributePath<Root, String> { self[Company.Keys.name] }
    var staff: ToManyPath<Root, Person> { self[Company.Keys.staff] }
}

/// The properties of Person and its sub-entities.
protocol PersonProperties: TypedObject {}

/// An object of the entity Person.
struct Person: PersonProperties {
    static var entityName: String { "Person" }
    static var properties: [any PropertyDeclaration] { [Keys.name, Keys.age, Keys.nickname, Keys.height, Keys.isActive, Keys.born, Keys.uuid, Keys.picture, Keys.salary, Keys.rank, Keys.status, Keys.address, Keys.homepage, Keys.`default`, Keys.description_, Keys.cars, Keys.employer, Keys.tasks] }

    let managedObject: ManagedObject
    init(managedObject: ManagedObject) { self.managedObject = managedObject }

    /// A new object in a context. What is not given stays as the model and the hooks of the type make it.
    init(in context: ManagedObjectContext, name: String, age: Int64? = nil, nickname: String? = nil, height: Double? = nil, isActive: Bool? = nil, born: Date? = nil, uuid: UUID? = nil, picture: [UInt8]? = nil, salary: DecimalNumber? = nil, rank: Int16? = nil, status: Status? = nil, address: Address? = nil, homepage: URL? = nil, `default`: String? = nil, description_: String? = nil, employer: Company? = nil) throws(PinviewError) {
        try self.init(in: context) { (object) throws(PinviewError) in
            try object.set(Person.Keys.name, to: name)
            if let age { try object.set(Person.Keys.age, to: age) }
            if let nickname { try object.set(Person.Keys.nickname, to: nickname) }
            if let height { try object.set(Person.Keys.height, to: height) }
            if let isActive { try object.set(Person.Keys.isActive, to: isActive) }
            if let born { try object.set(Person.Keys.born, to: born) }
            if let uuid { try object.set(Person.Keys.uuid, to: uuid) }
            if let picture { try object.set(Person.Keys.picture, to: picture) }
            if let salary { try object.set(Person.Keys.salary, to: salary) }
            if let rank { try object.set(Person.Keys.rank, to: rank) }
            if let status { try object.set(Person.Keys.status, to: status) }
            if let address { try object.set(Person.Keys.address, to: address) }
            if let homepage { try object.set(Person.Keys.homepage, to: homepage) }
            if let `default` { try object.set(Person.Keys.`default`, to: `default`) }
            if let description_ { try object.set(Person.Keys.description_, to: description_) }
            if let employer { try object.set(Person.Keys.employer, to: employer) }
        }
    }

    enum Keys {
        static let name = AttributeKey<String>("name", placeholder: "")
        static let age = AttributeKey<Int64>("age", default: 0)
        static let nickname = AttributeKey<String?>("nickname")
        static let height = AttributeKey<Double?>("height")
        static let isActive = AttributeKey<Bool>("isActive", default: true)
        static let born = AttributeKey<Date?>("born")
        static let uuid = AttributeKey<UUID?>("uuid")
        static let picture = AttributeKey<[UInt8]?>("picture")
        static let salary = AttributeKey<DecimalNumber?>("salary")
        static let rank = AttributeKey<Int16>("rank", default: 1)
        static let status = AttributeKey<Status>("status", default: .open)
        static let address = AttributeKey<Address?>("address")
        static let homepage = AttributeKey<URL?>("homepage")
        static let `default` = AttributeKey<String?>("default")
        static let description_ = AttributeKey<String?>("description")
        static let cars = ToManyKey<Car>("cars", inverse: "owner", deleteRule: .cascade)
        static let employer = ToOneKey<Company>("employer", inverse: "staff")
        static let tasks = OrderedToManyKey<Chore>("tasks", inverse: "person")
    }
}

extension PersonProperties {
    var name: String { get { self[Person.Keys.name] } nonmutating set { self[Person.Keys.name] = newValue } }
    var age: Int64 { get { self[Person.Keys.age] } nonmutating set { self[Person.Keys.age] = newValue } }
    var nickname: String? { get { self[Person.Keys.nickname] } nonmutating set { self[Person.Keys.nickname] = newValue } }
    var height: Double? { get { self[Person.Keys.height] } nonmutating set { self[Person.Keys.height] = newValue } }
    var isActive: Bool { get { self[Person.Keys.isActive] } nonmutating set { self[Person.Keys.isActive] = newValue } }
    var born: Date? { get { self[Person.Keys.born] } nonmutating set { self[Person.Keys.born] = newValue } }
    var uuid: UUID? { get { self[Person.Keys.uuid] } nonmutating set { self[Person.Keys.uuid] = newValue } }
    var picture: [UInt8]? { get { self[Person.Keys.picture] } nonmutating set { self[Person.Keys.picture] = newValue } }
    var salary: DecimalNumber? { get { self[Person.Keys.salary] } nonmutating set { self[Person.Keys.salary] = newValue } }
    var rank: Int16 { get { self[Person.Keys.rank] } nonmutating set { self[Person.Keys.rank] = newValue } }
    var status: Status { get { self[Person.Keys.status] } nonmutating set { self[Person.Keys.status] = newValue } }
    var address: Address? { get { self[Person.Keys.address] } nonmutating set { self[Person.Keys.address] = newValue } }
    var homepage: URL? { get { self[Person.Keys.homepage] } nonmutating set { self[Person.Keys.homepage] = newValue } }
    var `default`: String? { get { self[Person.Keys.`default`] } nonmutating set { self[Person.Keys.`default`] = newValue } }
    var description_: String? { get { self[Person.Keys.description_] } nonmutating set { self[Person.Keys.description_] = newValue } }
    var cars: Related<Car> { get { self[Person.Keys.cars] } nonmutating set { self[Person.Keys.cars] = newValue } }
    var employer: Company? { get { self[Person.Keys.employer] } nonmutating set { self[Person.Keys.employer] = newValue } }
    var tasks: OrderedRelated<Chore> { get { self[Person.Keys.tasks] } nonmutating set { self[Person.Keys.tasks] = newValue } }
}

extension ObjectPath where Target: PersonProperties {
    var name: AttributePath<Root, String> { self[Person.Keys.name] }
    var age: AttributePath<Root, Int64> { self[Person.Keys.age] }
    var nickname: AttributePath<Root, String> { self[Person.Keys.nickname] }
    var height: AttributePath<Root, Double> { self[Person.Keys.height] }
    var isActive: AttributePath<Root, Bool> { self[Person.Keys.isActive] }
    var born: AttributePath<Root, Date> { self[Person.Keys.born] }
    var uuid: AttributePath<Root, UUID> { self[Person.Keys.uuid] }
    var picture: AttributePath<Root, [UInt8]> { self[Person.Keys.picture] }
    var salary: AttributePath<Root, DecimalNumber> { self[Person.Keys.salary] }
    var rank: AttributePath<Root, Int16> { self[Person.Keys.rank] }
    var status: AttributePath<Root, Status> { self[Person.Keys.status] }
    var address: AttributePath<Root, Address> { self[Person.Keys.address] }
    var homepage: AttributePath<Root, URL> { self[Person.Keys.homepage] }
    var `default`: AttributePath<Root, String> { self[Person.Keys.`default`] }
    var description_: AttributePath<Root, String> { self[Person.Keys.description_] }
    var cars: ToManyPath<Root, Car> { self[Person.Keys.cars] }
    var employer: ObjectPath<Root, Company> { self[Person.Keys.employer] }
    var tasks: ToManyPath<Root, Chore> { self[Person.Keys.tasks] }
}

/// The properties of Employee.
protocol EmployeeProperties: PersonProperties {}

/// An object of the entity Employee.
struct Employee: EmployeeProperties {
    static var entityName: String { "Employee" }
    static var superentity: (any TypedObject.Type)? { Person.self }
    static var properties: [any PropertyDeclaration] { [Keys.wage] }

    let managedObject: ManagedObject
    init(managedObject: ManagedObject) { self.managedObject = managedObject }
    /// The object as the entity that it inherits from.
    var asPerson: Person { Person(managedObject: managedObject) }

    /// A new object in a context. What is not given stays as the model and the hooks of the type make it.
    init(in context: ManagedObjectContext, name: String, age: Int64? = nil, nickname: String? = nil, height: Double? = nil, isActive: Bool? = nil, born: Date? = nil, uuid: UUID? = nil, picture: [UInt8]? = nil, salary: DecimalNumber? = nil, rank: Int16? = nil, status: Status? = nil, address: Address? = nil, homepage: URL? = nil, `default`: String? = nil, description_: String? = nil, employer: Company? = nil, wage: Double? = nil) throws(PinviewError) {
        try self.init(in: context) { (object) throws(PinviewError) in
            try object.set(Person.Keys.name, to: name)
            if let age { try object.set(Person.Keys.age, to: age) }
            if let nickname { try object.set(Person.Keys.nickname, to: nickname) }
            if let height { try object.set(Person.Keys.height, to: height) }
            if let isActive { try object.set(Person.Keys.isActive, to: isActive) }
            if let born { try object.set(Person.Keys.born, to: born) }
            if let uuid { try object.set(Person.Keys.uuid, to: uuid) }
            if let picture { try object.set(Person.Keys.picture, to: picture) }
            if let salary { try object.set(Person.Keys.salary, to: salary) }
            if let rank { try object.set(Person.Keys.rank, to: rank) }
            if let status { try object.set(Person.Keys.status, to: status) }
            if let address { try object.set(Person.Keys.address, to: address) }
            if let homepage { try object.set(Person.Keys.homepage, to: homepage) }
            if let `default` { try object.set(Person.Keys.`default`, to: `default`) }
            if let description_ { try object.set(Person.Keys.description_, to: description_) }
            if let employer { try object.set(Person.Keys.employer, to: employer) }
            if let wage { try object.set(Employee.Keys.wage, to: wage) }
        }
    }

    enum Keys {
        static let wage = AttributeKey<Double?>("wage")
    }
}

extension EmployeeProperties {
    var wage: Double? { get { self[Employee.Keys.wage] } nonmutating set { self[Employee.Keys.wage] = newValue } }
}

extension ObjectPath where Target: EmployeeProperties {
    var wage: AttributePath<Root, Double> { self[Employee.Keys.wage] }
}
