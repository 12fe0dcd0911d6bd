/// An entity or a property that a model asks for and a store lacks.
public struct MissingElement: Hashable, Sendable, CustomStringConvertible {
    /// The entity that is missing, or that declares the missing property.
    public let entityName: String
    /// Nil if the whole entity is missing.
    public let propertyName: String?

    package init(entityName: String, propertyName: String? = nil) {
        self.entityName = entityName
        self.propertyName = propertyName
    }

    /// `Person`, or `Person.age`.
    public var description: String { propertyName.map { "\(entityName).\($0)" } ?? entityName }
}
