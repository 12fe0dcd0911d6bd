import PinviewModel

/// A value that a predicate compares, or that a fetch computes (`NSExpression`). Immutable.
///
/// Made by the static members that are named after the kinds, or read by ``init(format:_:)``. `description` prints it in the
/// format language.
public struct Expression: Hashable, Sendable {
    /// What an expression is, for code that looks at one.
    public indirect enum Kind: Hashable, Sendable {
        case constant(Value)
        /// A list, for IN and BETWEEN and for functions that take one.
        case aggregate([Expression])
        /// Names of properties from the evaluated object on, with collection operators (`@count`, `@sum`) and element indexes
        /// (`[0]`, `[FIRST]`, `[LAST]`, `[SIZE]`) among them.
        case keyPath([String])
        /// The object that is judged (`SELF`).
        case evaluatedObject
        /// `$NAME`: the member of the SUBQUERY that binds the name, else a value to be given by
        /// `Predicate.withSubstitutionVariables(_:)`. The keys lead on from it.
        case variable(String, keys: [String])
        /// An object ID written as its URI; it finds its entity when the predicate is used with a model.
        case objectURI(String)
        /// A function of other expressions; arithmetic too.
        case function(ExpressionFunction, [Expression])
        /// The members of a to-many key path for which a predicate holds. It can be counted (`.@count`) only.
        case subquery(collection: Expression, variable: String, predicate: Predicate)
        /// `TERNARY(predicate, then, else)`.
        case conditional(Predicate, then: Expression, otherwise: Expression)
        /// `CAST(expression, "NSNumber")`.
        case cast(Expression, ExpressionType)
        /// What took the place of expressions within expressions deeper than the limit. Using it is an error.
        case tooDeep
    }

    public let kind: Kind
    /// 1 for what has no expressions or predicates inside. The left side of an arithmetic operator counts as one level with it.
    let depth: Int
    /// How deep the walks over the tree go.
    private let height: Int

    private init(_ kind: Kind, depth: Int = 1, height: Int = 1, limit: Int = NestingLimit.maximumExpressionDepth) {
        let isTooDeep = depth > limit || height > NestingLimit.maximumDepth
        self.kind = isTooDeep ? .tooDeep : kind
        self.depth = isTooDeep ? 1 : depth
        self.height = isTooDeep ? 1 : height
    }

    private static func depth(over expressions: some Sequence<Expression>) -> Int { 1 + (expressions.lazy.map(\.depth).max() ?? 0) }
    private static func height(over expressions: some Sequence<Expression>) -> Int { 1 + (expressions.lazy.map(\.height).max() ?? 0) }

    public static func constant(_ value: Value) -> Expression { Expression(.constant(value)) }

    public static func aggregate(_ elements: [Expression]) -> Expression {
        let depth = depth(over: elements)
        return Expression(.aggregate(elements), depth: depth, height: depth, limit: NestingLimit.maximumDepth)
    }

    /// - Parameter keys: without any it is the evaluated object.
    public static func keyPath(_ keys: [String]) -> Expression {
        keys.isEmpty ? .evaluatedObject : Expression(.keyPath(keys))
    }

    /// An expression for a key path such as `owner.name`, `cars.@count` or `cars[0].name`; `SELF` before it adds nothing.
    public init(forKeyPath keyPath: String) {
        let keys = Self.keys(ofPath: keyPath)
        self = .keyPath(keys.first == "SELF" ? Array(keys.dropFirst()) : keys)
    }

    /// The keys of a path that is written as one text.
    static func keys(ofPath path: String) -> [String] {
        path.split(separator: ".", omittingEmptySubsequences: false).flatMap { key -> [String] in
            guard key.last == "]", let open = key.lastIndex(of: "["), open > key.startIndex else { return [String(key)] }
            let index = key[open...].uppercased()
            guard index == "[SIZE]" || ElementIndex(key: index) != nil else { return [String(key)] }
            return [String(key[..<open]), index]
        }
    }

    public static let evaluatedObject = Expression(.evaluatedObject)

    /// - Parameters:
    ///   - name: without the `$`.
    ///   - keys: a key path that leads on from the object that the variable stands for.
    public static func variable(_ name: String, keys: [String] = []) -> Expression { Expression(.variable(name, keys: keys)) }

    /// - Parameter keyPath: what leads on from the variable of a SUBQUERY; empty for nothing.
    public init(forVariable name: String, keyPath: String = "") {
        self = .variable(name, keys: keyPath.isEmpty ? [] : Self.keys(ofPath: keyPath))
    }

    /// - Parameter uri: as `ManagedObjectID.uriRepresentation` gives it.
    public static func objectURI(_ uri: String) -> Expression { Expression(.objectURI(uri)) }

    /// - Parameter arguments: as many as the function takes; `ExpressionFunction` says how many.
    public static func function(_ function: ExpressionFunction, _ arguments: [Expression]) -> Expression {
        let height = height(over: arguments)
        guard function.infix != nil, arguments.count == 2 else {
            return Expression(.function(function, arguments), depth: depth(over: arguments), height: height)
        }
        guard height <= NestingLimit.maximumChainLength else { return Expression(.tooDeep) }
        let depth = max(arguments[0].depth, 1 + arguments[1].depth)
        return Expression(.function(function, arguments), depth: max(depth, 2), height: height)
    }

    /// `SUBQUERY(collection, $variable, predicate)`: to be counted by `.@count`.
    public static func subquery(_ collection: Expression, variable: String, predicate: Predicate) -> Expression {
        Expression(
            .subquery(collection: collection, variable: variable, predicate: predicate), depth: 1 + max(collection.depth, predicate.depth),
            height: 1 + predicate.depth)
    }

    /// One value where a predicate holds, another one where it does not.
    public static func conditional(_ predicate: Predicate, then: Expression, otherwise: Expression) -> Expression {
        Expression(
            .conditional(predicate, then: then, otherwise: otherwise), depth: 1 + max(predicate.depth, then.depth, otherwise.depth),
            height: 1 + max(predicate.depth, then.height, otherwise.height))
    }

    /// A function by its name in the format language, such as `lowercase:` (`NSExpression(forFunction:arguments:)`).
    ///
    /// - Throws: `badPredicate` for a name that no function has, and for a wrong number of arguments.
    public init(forFunction name: String, arguments: [Expression]) throws(PinviewError) {
        guard let function = ExpressionFunction(written: name) else {
            throw PinviewError(.badPredicate, "There is no function \(name.quotedForPeople).")
        }
        self = .function(function, try function.checked(arguments))
    }

    /// The cast of a constant is the constant that it makes: written down, `CAST("5", "NSDate")` is one, too.
    public static func cast(_ expression: Expression, _ type: ExpressionType) -> Expression {
        if case .constant(let value) = expression.kind {
            return .constant(type.cast(value.computable).typed(type == .string ? .text : type == .date ? .date : .number))
        }
        return Expression(.cast(expression, type), depth: 1 + expression.depth, height: 1 + expression.height)
    }
}

extension Expression {
    /// An object's ID equals the URI of the same object: that is how it is written down and read back.
    public static func == (left: Expression, right: Expression) -> Bool {
        switch (left.kind, right.kind) {
        case (.constant(.objectID(let objectID)), .objectURI(let uri)), (.objectURI(let uri), .constant(.objectID(let objectID))):
            objectID.uriRepresentation == uri
        default: left.kind == right.kind
        }
    }

    public func hash(into hasher: inout Hasher) {
        switch kind {
        case .constant(.objectID(let objectID)): hasher.combine(objectID.uriRepresentation)
        case .objectURI(let uri): hasher.combine(uri)
        default: hasher.combine(kind)
        }
    }
}

/// What `CAST` turns a value into.
public enum ExpressionType: String, Hashable, Sendable, CaseIterable {
    /// Of a number, a truth value, a text that is a number, or a date (its seconds since 2001-01-01 00:00 UTC).
    case number = "NSNumber"
    /// Of a text, or of a number as it is printed.
    case string = "NSString"
    /// Of a number of seconds since 2001-01-01 00:00 UTC, or of a date.
    case date = "NSDate"
}
