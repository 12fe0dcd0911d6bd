import PinviewModel

/// A value that a predicate compares or a fetch computes (`NSExpression`). Immutable; any thread
/// may use it.
///
/// Create expressions with the static members, which are named after the kinds, or parse them with
/// ``init(format:_:)``. `description` writes them in the format language.
public struct PinviewExpression: Hashable, Sendable {
    /// The structure of an expression.
    public indirect enum Kind: Hashable, Sendable {
        case constant(Value)
        /// A list, for IN, BETWEEN and functions over lists.
        case aggregate([PinviewExpression])
        /// The names of properties starting from the evaluated object. Collection operators
        /// (`@count`, `@sum`) and element indexes (`[0]`, `[FIRST]`, `[LAST]`, `[SIZE]`) may be
        /// among them.
        case keyPath([String])
        /// The object that the predicate is evaluated for (`SELF`).
        case evaluatedObject
        /// `$NAME`: the member that a SUBQUERY binds to the name, or a value that
        /// `PinviewPredicate.withSubstitutionVariables(_:)` supplies. The keys continue the path
        /// from there.
        case variable(String, keys: [String])
        /// An object ID as its URI. It is resolved when the predicate is used with a model.
        case objectURI(String)
        /// A function of other expressions, including arithmetic.
        case function(ExpressionFunction, [PinviewExpression])
        /// The members of a to-many key path for which a predicate is true. They can only be
        /// counted (`.@count`).
        case subquery(collection: PinviewExpression, variable: String, predicate: PinviewPredicate)
        /// `TERNARY(predicate, then, else)`.
        case conditional(PinviewPredicate, then: PinviewExpression, otherwise: PinviewExpression)
        /// `CAST(expression, "NSNumber")`.
        case cast(PinviewExpression, ExpressionType)
        /// Stands for an expression that was nested too deeply. Using it is an error.
        case tooDeep
    }

    /// The structure of this expression.
    public let kind: Kind
    /// 1 for expressions that contain no others. The left operand of an arithmetic operator is on
    /// the same level as the operator.
    let depth: Int
    /// The depth of recursion of walks over the tree.
    private let height: Int

    private init(_ kind: Kind, depth: Int = 1, height: Int = 1, limit: Int = NestingLimit.maximumExpressionDepth) {
        let isTooDeep = depth > limit || height > NestingLimit.maximumDepth
        self.kind = isTooDeep ? .tooDeep : kind
        self.depth = isTooDeep ? 1 : depth
        self.height = isTooDeep ? 1 : height
    }

    private static func depth(over expressions: some Sequence<PinviewExpression>) -> Int { 1 + (expressions.lazy.map(\.depth).max() ?? 0) }
    private static func height(over expressions: some Sequence<PinviewExpression>) -> Int {
        1 + (expressions.lazy.map(\.height).max() ?? 0)
    }

    /// An expression with a constant value.
    public static func constant(_ value: Value) -> PinviewExpression { PinviewExpression(.constant(value)) }

    /// A list of expressions.
    public static func aggregate(_ elements: [PinviewExpression]) -> PinviewExpression {
        let depth = depth(over: elements)
        return PinviewExpression(.aggregate(elements), depth: depth, height: depth, limit: NestingLimit.maximumDepth)
    }

    /// A key path from the evaluated object.
    /// - Parameter keys: the names of the properties; if empty, the expression is the evaluated
    ///   object.
    public static func keyPath(_ keys: [String]) -> PinviewExpression {
        keys.isEmpty ? .evaluatedObject : PinviewExpression(.keyPath(keys))
    }

    /// A key path such as `owner.name`, `cars.@count` or `cars[0].name`. `SELF` before it has no
    /// effect.
    public init(forKeyPath keyPath: String) {
        let keys = Self.keys(ofPath: keyPath)
        self = .keyPath(keys.first == "SELF" ? Array(keys.dropFirst()) : keys)
    }

    /// Splits a path that is written as one text into its keys.
    static func keys(ofPath path: String) -> [String] {
        path.split(separator: ".", omittingEmptySubsequences: false).flatMap { key -> [String] in
            guard key.last == "]", let open = key.lastIndex(of: "["), open > key.startIndex else { return [String(key)] }
            let index = key[open...].uppercased()
            guard index == "[SIZE]" || ElementIndex(key: index) != nil else { return [String(key)] }
            return [String(key[..<open]), index]
        }
    }

    /// The object that the predicate is evaluated for (`SELF`).
    public static let evaluatedObject = PinviewExpression(.evaluatedObject)

    /// A variable (`$NAME`).
    /// - Parameters:
    ///   - name: without the `$`.
    /// - keys: a key path that continues from the variable's object.
    public static func variable(_ name: String, keys: [String] = []) -> PinviewExpression { PinviewExpression(.variable(name, keys: keys)) }

    /// A variable, optionally followed by a key path.
    /// - Parameters:
    ///   - name: without the `$`.
    ///   - keyPath: continues from the variable of a SUBQUERY; empty for none.
    public init(forVariable name: String, keyPath: String = "") {
        self = .variable(name, keys: keyPath.isEmpty ? [] : Self.keys(ofPath: keyPath))
    }

    /// An object ID by its URI.
    /// - Parameter uri: in the form of `ManagedObjectID.uriRepresentation`.
    public static func objectURI(_ uri: String) -> PinviewExpression { PinviewExpression(.objectURI(uri)) }

    /// A function of other expressions.
    /// - Parameter arguments: as many as `ExpressionFunction.argumentCount` says.
    public static func function(_ function: ExpressionFunction, _ arguments: [PinviewExpression]) -> PinviewExpression {
        let height = height(over: arguments)
        guard function.infix != nil, arguments.count == 2 else {
            return PinviewExpression(.function(function, arguments), depth: depth(over: arguments), height: height)
        }
        guard height <= NestingLimit.maximumChainLength else { return PinviewExpression(.tooDeep) }
        let depth = max(arguments[0].depth, 1 + arguments[1].depth)
        return PinviewExpression(.function(function, arguments), depth: max(depth, 2), height: height)
    }

    /// `SUBQUERY(collection, $variable, predicate)`, to be counted with `.@count`.
    public static func subquery(_ collection: PinviewExpression, variable: String, predicate: PinviewPredicate) -> PinviewExpression {
        PinviewExpression(
            .subquery(collection: collection, variable: variable, predicate: predicate), depth: 1 + max(collection.depth, predicate.depth),
            height: 1 + predicate.depth)
    }

    /// One of two values, depending on a predicate.
    public static func conditional(_ predicate: PinviewPredicate, then: PinviewExpression, otherwise: PinviewExpression)
        -> PinviewExpression
    {
        PinviewExpression(
            .conditional(predicate, then: then, otherwise: otherwise), depth: 1 + max(predicate.depth, then.depth, otherwise.depth),
            height: 1 + max(predicate.depth, then.height, otherwise.height))
    }

    /// A function by its name in the format language, such as `lowercase:`
    /// (`NSExpression(forFunction:arguments:)`).
    ///
    /// - Throws: `badPredicate` for an unknown name or a wrong number of arguments.
    public init(forFunction name: String, arguments: [PinviewExpression]) throws(PinviewError) {
        guard let function = ExpressionFunction(named: name) else {
            throw PinviewError(.badPredicate, "Unknown function \(name.quotedForPeople).")
        }
        self = .function(function, try function.checked(arguments))
    }

    /// A conversion. Casting a constant gives the converted constant, just as `CAST("5", "NSDate")`
    /// is read as a constant.
    public static func cast(_ expression: PinviewExpression, _ type: ExpressionType) -> PinviewExpression {
        if case .constant(let value) = expression.kind {
            return .constant(type.cast(value.computable).typed(type == .string ? .text : type == .date ? .date : .number))
        }
        return PinviewExpression(.cast(expression, type), depth: 1 + expression.depth, height: 1 + expression.height)
    }
}

extension PinviewExpression {
    /// The ID of an object equals the URI of the same object, because that is how it is written and
    /// read back.
    public static func == (left: PinviewExpression, right: PinviewExpression) -> Bool {
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

/// A target type of `CAST`.
public enum ExpressionType: String, Hashable, Sendable, CaseIterable {
    /// From a number, a truth value, a numeric string, or a date (its seconds since 2001-01-01
    /// 00:00 UTC).
    case number = "NSNumber"
    /// From a string, or from a number as it is printed.
    case string = "NSString"
    /// From a number of seconds since 2001-01-01 00:00 UTC, or from a date.
    case date = "NSDate"
}
