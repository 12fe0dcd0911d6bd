import PinviewTyped

@Managed struct Person {
    var name: String?
    var age: Int64 = 0
    @Relationship(inverse: "staff") var employer: Company?
    @Relationship(inverse: "owner", deleteRule: .cascade) var cars: Related<Car>

    /// Not a property of the entity.
    var isAdult: Bool { age >= 18 }
}

@Managed(superentity: Person.self) struct Employee {
    var wage: Double = 0
    var grade: Grade = .junior
}

@Managed(superentity: Employee.self) struct Manager {
    var title: String?
}

enum Grade: String, AttributeValue { case junior, senior }

extension Employee: Validatable {
    struct Unpaid: Error {}
    func validate() throws { if wage <= 0 { throw Unpaid() } }
}

@Managed struct Company {
    var name: String = ""
    @Relationship(inverse: "employer") var staff: Related<Person>
}

@Managed struct Car {
    var maker: String?
    @Relationship(inverse: "cars") var owner: Person?
}

let model = try ManagedObjectModel(types: Person.self, Employee.self, Manager.self, Company.self, Car.self)
let container = PersistentContainer(name: "People", managedObjectModel: model)
try container.loadPersistentStores()
let context = container.newBackgroundContext()
let acme = try Company(in: context, name: "Acme")
for (name, age) in [("Ada", 36), ("Kid", 9)] { _ = try Person(in: context, name: name, age: Int64(age), employer: acme) }
_ = try Car(in: context, owner: try context.first(Person.where { $0.name == "Ada" }))
try context.save()
let found = try context.fetch(Person.where { $0.age > 3 && $0.employer.name == "Acme" }.sorted(by: \.name, ascending: false))
for person in found { print(person.name ?? "", person.isAdult, person.cars.count) }
print(try context.fetch(Company.where { $0.staff.any { $0.age < 18 } }).map(\.name))

// Sub-entities have what their parents have, also two steps up.
let grace = try Manager(in: context, title: "Boss")
grace.name = "Grace"
grace.employer = acme
do {
    try context.save()
} catch {
    print("not saved:", error.programError is Employee.Unpaid)
}
grace.wage = 100
grace.grade = .senior
try context.save()
let managers = Manager.where { $0.name.hasPrefix("G") && $0.wage > 50 && $0.grade == .senior && $0.employer == acme }
for manager in try context.fetch(managers.sorted(by: \.age)) { print(manager.title ?? "", manager.name ?? "", manager.isAdult) }
print(acme.staff.count, acme.staff.contains(grace.asSuperentity.asSuperentity), try context.count(for: Employee.all))
