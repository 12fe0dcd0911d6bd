import PinviewTyped

@Managed struct Person {
    var name: String?
    var age: Int64 = 0
    @Relationship(inverse: "staff") var employer: Company?
    @Relationship(inverse: "owner", deleteRule: .cascade) var cars: Related<Car>

    /// Not a property of the entity.
    var isAdult: Bool { age >= 18 }
}

@Managed struct Company {
    var name: String = ""
    @Relationship(inverse: "employer") var staff: Related<Person>
}

@Managed struct Car {
    var maker: String?
    @Relationship(inverse: "cars") var owner: Person?
}

let container = PersistentContainer(name: "People", managedObjectModel: try ManagedObjectModel(types: Person.self, Company.self, Car.self))
try container.loadPersistentStores()
let context = container.newBackgroundContext()
let acme = try Company(in: context)
acme.name = "Acme"
for (name, age) in [("Ada", 36), ("Kid", 9)] {
    let person = try Person(in: context)
    person.name = name
    person.age = Int64(age)
    person.employer = acme
}
try Car(in: context).owner = try context.first(Person.where { $0.name == "Ada" })
try context.save()
let found = try context.fetch(Person.where { $0.age > 3 && $0.employer.name == "Acme" }.sorted(by: \.name, ascending: false))
for person in found { print(person.name ?? "", person.isAdult, person.cars.count) }
print(try context.fetch(Company.where { $0.staff.any { $0.age < 18 } }).map(\.name))
