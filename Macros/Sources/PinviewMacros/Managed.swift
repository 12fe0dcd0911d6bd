@_exported import PinviewTyped

/// Makes a structure a typed object: its variables become properties of the entity of its name.
///
/// ```swift
/// @Managed struct Person {
///     var name: String?
///     var age: Int64 = 0
///     @Relationship(inverse: "staff") var employer: Company?
///     var cars: Related<Car>
/// }
/// let adults = Person.where { $0.age >= 18 && $0.employer.name == "Acme" }
/// ```
///
/// An attribute that is not optional needs a value, its default in a model that is made of the types.
/// The initializer takes attributes and to-one relationships: `try Person(in: context, name: "Ada")`.
/// What else ``TypedObject`` and the hooks have, such as `static var uniquenessConstraints` and
/// `func willSave()`, is written in the structure or in an extension.
@attached(member, names: named(Keys), named(Fields), named(fields), named(properties), named(managedObject), named(init))
@attached(memberAttribute)
@attached(extension, conformances: TypedObject, HasFields)
public macro Managed() = #externalMacro(module: "PinviewMacrosPlugin", type: "ManagedMacro")

/// Like ``Managed()``, for a sub-entity: the type has the properties of its parent, too.
///
/// ```swift
/// @Managed(superentity: Person.self) struct Employee {
///     var wage: Double = 0
/// }
/// let rich = Employee.where { $0.wage > 100 && $0.name == "Ada" }
/// ```
@attached(
    member,
    names: named(Keys), named(Fields), named(fields), named(properties), named(managedObject), named(init), named(Superentity),
    named(superentity)
)
@attached(memberAttribute)
@attached(extension, conformances: TypedObject, HasFields, Subentity)
public macro Managed(superentity: any TypedObject.Type) = #externalMacro(module: "PinviewMacrosPlugin", type: "ManagedMacro")

/// For ``Managed()``: a variable as a property.
@attached(accessor)
public macro ManagedProperty() = #externalMacro(module: "PinviewMacrosPlugin", type: "ManagedPropertyMacro")

/// What a relationship's type does not say, for models that are made of the types.
@attached(peer)
public macro Relationship(
    inverse: String? = nil, deleteRule: DeleteRule = .nullify
) = #externalMacro(module: "PinviewMacrosPlugin", type: "RelationshipMacro")
