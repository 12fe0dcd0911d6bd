import FoundationEssentials
import PinviewTyped

/// A typed object on which Foundation's `#Predicate` can be used: it says which property each of
/// its key paths stands for.
///
/// ```swift
/// extension Person: PredicateObject {
///     static var keyPaths: [PartialKeyPath<Person>: any PropertyDeclaration] {
///         [\.name: Keys.name, \.age: Keys.age, \.cars: Keys.cars]
///     }
/// }
/// let condition = try Condition(#Predicate<Person> { $0.name == "Ada" })
/// ```
///
/// `pinview-generate --foundation` writes it for the types of a model.
public protocol PredicateObject: TypedObject {
    /// The properties by their key paths, with those that are inherited.
    static var keyPaths: [PartialKeyPath<Self>: any PropertyDeclaration] { get }
}

extension PredicateObject {
    static func name(of keyPath: AnyKeyPath) -> String? {
        if keyPath == \Self.managedObject || keyPath == \Self.self { return "self" }
        guard let keyPath = keyPath as? PartialKeyPath<Self> else { return nil }
        return keyPaths[keyPath]?.name
    }
}

extension Condition where Root: PredicateObject {
    /// The condition that a predicate of Foundation's states.
    ///
    /// - Throws: `badPredicate`, which names the part of the predicate that the predicates of a
    ///   store cannot express.
    public init(_ predicate: Predicate<Root>) throws(PinviewError) {
        self.init(try PinviewPredicate(predicate))
    }
}

extension PinviewPredicate {
    /// The predicate that a predicate of Foundation's states, of objects of one type.
    ///
    /// - Throws: `badPredicate`, which names the part of the predicate that the predicates of a
    ///   store cannot express.
    public init<Root: PredicateObject>(_ predicate: Predicate<Root>) throws(PinviewError) {
        let translation = PredicateTranslation([predicate.variable.key: .evaluatedObject])
        self = try translation.predicate(predicate.expression)
    }
}
