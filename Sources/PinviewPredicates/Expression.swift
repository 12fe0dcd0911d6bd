import PinviewModel

/// One side of a comparison (`NSExpression`): a value, a list, a key path, the object itself, or a variable. Immutable.
///
/// Made by the static members that are named after the kinds. `description` prints it in the format language.
public struct Expression: Hashable, Sendable {
    /// What an expression is, for code that looks at one.
    public enum Kind: Hashable, Sendable {
        case constant(Value)
        /// A list, for IN and BETWEEN.
        case aggregate([Expression])
        /// Names of properties from the evaluated object on; `@count` as the last one counts a to-many relationship.
        case keyPath([String])
        /// The object that is judged (`SELF`).
        case evaluatedObject
        /// `$NAME`, to be replaced by `Predicate.withSubstitutionVariables(_:)` before use.
        case variable(String)
        /// An object ID written as its URI; it finds its entity when the predicate is used with a model.
        case objectURI(String)
        /// What took the place of lists within lists deeper than 1000 levels. Using it is an error.
        case tooDeep
    }

    public let kind: Kind
    /// 1 for everything but lists.
    let depth: Int

    private init(_ kind: Kind, depth: Int = 1) {
        self.kind = kind
        self.depth = depth
    }

    public static func constant(_ value: Value) -> Expression { Expression(.constant(value)) }

    public static func aggregate(_ elements: [Expression]) -> Expression {
        let depth = 1 + (elements.lazy.map(\.depth).max() ?? 0)
        return depth > NestingLimit.maximumDepth ? Expression(.tooDeep) : Expression(.aggregate(elements), depth: depth)
    }

    /// - Parameter keys: without any it is the evaluated object.
    public static func keyPath(_ keys: [String]) -> Expression {
        keys.isEmpty ? .evaluatedObject : Expression(.keyPath(keys))
    }

    /// An expression for a key path such as `owner.name`.
    public init(forKeyPath keyPath: String) {
        self = .keyPath(keyPath.split(separator: ".", omittingEmptySubsequences: false).map(String.init))
    }

    public static let evaluatedObject = Expression(.evaluatedObject)

    /// - Parameter name: without the `$`.
    public static func variable(_ name: String) -> Expression { Expression(.variable(name)) }

    /// - Parameter uri: as `ManagedObjectID.uriRepresentation` gives it.
    public static func objectURI(_ uri: String) -> Expression { Expression(.objectURI(uri)) }
}
