import FoundationEssentials
import PinviewModel

/// Resolves expressions: resolves key paths, checks the operands of functions, and evaluates
/// expressions that consist of constants.
struct ExpressionResolver {
    /// The entity of the evaluated object.
    let entity: Entity
    let model: ManagedObjectModel
    /// The value of `now()`, the same throughout an expression.
    let time: Date
    /// Set if functions over lists may also aggregate the rows of a group, as `sum:(price)` in a
    /// fetch of dictionaries.
    private let groups: GroupScope?
    /// Computed values that key paths may refer to.
    private let names: [String: PinviewExpression]
    /// The members of the enclosing SUBQUERYs, outermost first.
    private(set) var members: [(variable: String, entity: Entity)] = []

    init(entity: Entity, model: ManagedObjectModel, groups: GroupScope? = nil) {
        self.init(entity: entity, model: model, groups: groups, names: groups?.names ?? [:])
    }

    private init(entity: Entity, model: ManagedObjectModel, groups: GroupScope?, names: [String: PinviewExpression]) {
        self.groups = groups
        self.names = names
        self.entity = entity
        self.model = model
        time = Date()
    }

    /// The entity at which key paths without `outer` begin.
    var innermostEntity: Entity { members.last?.entity ?? entity }

    func resolve(_ expression: PinviewExpression) throws(PinviewError) -> ResolvedExpression {
        if members.isEmpty {
            if let path = expression.pathText, let named = names[path] {
                // Inside a computed value, names refer to attributes.
                return try ExpressionResolver(entity: entity, model: model, groups: groups, names: [:]).resolve(named)
            }
            if let keys = groups?.keys {
                if keys.contains(expression) { return try ExpressionResolver(entity: entity, model: model).resolve(expression) }
                try requireOneValue(expression)
            }
        }
        switch expression.kind {
        case .constant(let value): return .constant(value.withoutNaN)
        case .evaluatedObject: return scoped(.object(path: []), toLevel: 0)
        case .variable(let name, let keys):
            let (level, entity) = try member(name)
            guard !keys.isEmpty else { return scoped(.object(path: []), toLevel: level) }
            return scoped(try KeyPathResolver(entity: entity, model: model).expression(keys), toLevel: level)
        case .objectURI(let uri): return .constant(.objectID(try objectID(uri)))
        case .keyPath(let keys): return scoped(try KeyPathResolver(entity: entity, model: model).expression(keys), toLevel: 0)
        case .function(let function, let arguments): return try resolve(function, arguments)
        case .conditional(let predicate, let then, let otherwise): return try conditional(predicate, then, otherwise)
        case .cast(let inner, let type): return try cast(inner, type)
        case .subquery: throw PinviewError(.badPredicate, "A SUBQUERY cannot be compared, only counted with .@count after it.")
        case .aggregate:
            throw PinviewError(.badPredicate, "A list can only be used on the right of IN and BETWEEN, and in functions over lists.")
        case .tooDeep: throw NestingLimit.expressionError
        }
    }

    /// An expression whose key paths begin at the object of a level: 0 is the evaluated object.
    private func scoped(_ expression: ResolvedExpression, toLevel level: Int) -> ResolvedExpression {
        level == members.count || expression.isConstant ? expression : .outer(levels: members.count - level, expression)
    }

    private func member(_ name: String) throws(PinviewError) -> (level: Int, entity: Entity) {
        guard let index = members.lastIndex(where: { $0.variable == name }) else {
            throw PinviewError(.badPredicate, "The variable $\(name) of the predicate has no value; substitute it first.")
        }
        return (index + 1, members[index].entity)
    }

    private func objectID(_ text: String) throws(PinviewError) -> ManagedObjectID {
        guard let uri = ObjectURI(text) else {
            throw PinviewError(
                .badPredicate, "\(text.quotedForPeople) is not the URI of an object ID, or has a temporary ID of another process.")
        }
        let entity = try model.requireEntity(named: uri.entityName)
        let root = Int32(truncatingIfNeeded: entity.rootIndex)
        guard let store = uri.storeIdentifier, let primaryKey = uri.primaryKey else {
            let key = ObjectKey(storeNumber: ObjectKey.temporaryStoreNumber, rootEntity: root, primaryKey: uri.temporarySerial ?? 0)
            return ManagedObjectID(entity: entity, key: key, storeIdentifier: nil)
        }
        let key = ObjectKey(storeNumber: StoreNumbers.number(forIdentifier: store), rootEntity: root, primaryKey: primaryKey)
        return ManagedObjectID(entity: entity, key: key, storeIdentifier: store)
    }

    /// - Throws: `invalidArgument` for an expression that has a value for each row of a group.
    private func requireOneValue(_ expression: PinviewExpression) throws(PinviewError) {
        switch expression.kind {
        case .keyPath, .evaluatedObject, .subquery, .variable: break
        case .constant, .aggregate, .objectURI, .function, .conditional, .cast, .tooDeep: return
        }
        // An unknown key should be reported first.
        _ = try ExpressionResolver(entity: entity, model: model).resolve(expression)
        throw Self.manyValues(expression)
    }

    private static func manyValues(_ expression: PinviewExpression) -> PinviewError {
        PinviewError(
            .invalidArgument,
            "'\(expression)' has a value for each row, not for a group of rows; group by it as well, or compute one value with "
                + "min:, max:, sum:, average: or count:.")
    }

    // MARK: Functions

    private func resolve(_ function: ExpressionFunction, _ arguments: [PinviewExpression]) throws(PinviewError) -> ResolvedExpression {
        let arguments = try function.checked(arguments)
        if function == .now { return .constant(.date(time)) }
        if function.isOverCollection {
            if let group = try group(function, arguments[0]) { return group }
            if groups?.keys != nil, members.isEmpty, !arguments[0].isList { throw Self.manyValues(.function(function, arguments)) }
            switch arguments[0].kind {
            case .aggregate(let elements): return try calculation(function, elements)
            case .keyPath(let keys): return try collection(function, keys, from: entity, atLevel: 0)
            case .variable(let name, let keys) where !keys.isEmpty:
                let (level, entity) = try member(name)
                return try collection(function, keys, from: entity, atLevel: level)
            case .subquery(let collection, let variable, let predicate) where function == .count:
                return try count(collection, variable, predicate)
            default:
                throw PinviewError(.badPredicate, "\(function.rawValue) takes a list or a to-many key path, not \(arguments[0]).")
            }
        }
        return try calculation(function, arguments)
    }

    /// A function over the rows of a group, if its argument has one value in each row.
    private func group(_ function: ExpressionFunction, _ argument: PinviewExpression) throws(PinviewError) -> ResolvedExpression? {
        guard let groups, members.isEmpty else { return nil }
        switch argument.kind {
        case .aggregate, .subquery: return nil
        case .evaluatedObject where function == .count: return .group(.count, nil)
        case .keyPath(let keys) where keys.contains(where: { $0.hasPrefix("@") }): return nil
        default: break
        }
        // Rows of a group are not grouped again.
        let resolver = ExpressionResolver(entity: entity, model: model, groups: nil, names: groups.rowNames)
        let inner = try resolver.resolve(argument)
        guard !inner.isCollection else { return nil }
        if case .object(let path) = inner, path.isEmpty || path.last?.isToMany == true {
            return function == .count ? .group(.count, nil) : nil
        }
        _ = try function == .count ? .number : function.category(of: [inner.category])
        return .group(function, inner)
    }

    private func collection(
        _ function: ExpressionFunction, _ keys: [String], from entity: Entity, atLevel level: Int
    ) throws(PinviewError) -> ResolvedExpression {
        scoped(try KeyPathResolver(entity: entity, model: model).collection(function, keys, keys), toLevel: level)
    }

    private func calculation(_ function: ExpressionFunction, _ arguments: [PinviewExpression]) throws(PinviewError) -> ResolvedExpression {
        var operands: [ResolvedExpression] = []
        for argument in arguments { operands.append(try scalar(argument, for: function.rawValue)) }
        let category = try function.category(of: operands.map(\.category))
        if function.isBitwise {
            for (operand, argument) in zip(operands, arguments) {
                guard let kind = operand.fractionalTypeName else { continue }
                throw PinviewError(.badPredicate, "\(function.rawValue) takes whole numbers; \(argument) is \(kind).")
            }
        }
        let values = operands.compactMap { if case .constant(let value) = $0 { value.computable } else { nil } }
        guard values.count == operands.count else { return .function(function, operands, category: category) }
        return .constant(function.result(values).typed(category))
    }

    /// A single value of a category that functions take.
    private func scalar(_ expression: PinviewExpression, for user: String) throws(PinviewError) -> ResolvedExpression {
        let resolved = try resolve(expression)
        guard !resolved.isCollection else {
            throw PinviewError(.badPredicate, "\(user) takes single values; \(expression) goes over a to-many relationship.")
        }
        switch resolved.category {
        case .number, .text, .date, nil: return resolved
        case .binary, .uuid, .object:
            throw PinviewError(
                .badPredicate, "\(user) takes numbers, strings and dates; \(expression) is \(resolved.category?.rawValue ?? "").")
        }
    }

    private func cast(_ inner: PinviewExpression, _ type: ExpressionType) throws(PinviewError) -> ResolvedExpression {
        let resolved = try scalar(inner, for: "CAST")
        guard case .constant(let value) = resolved else { return .cast(resolved, type) }
        return .constant(type.cast(value.computable).typed(ResolvedExpression.cast(resolved, type).category))
    }

    private func conditional(_ predicate: PinviewPredicate, _ then: PinviewExpression, _ otherwise: PinviewExpression) throws(PinviewError)
        -> ResolvedExpression
    {
        let first = try scalar(then, for: "TERNARY"), second = try scalar(otherwise, for: "TERNARY")
        if let left = first.category, let right = second.category, left != right {
            throw PinviewError(
                .badPredicate, "TERNARY has \(left.rawValue) in one case and \(right.rawValue) in the other; both must be of the same type."
            )
        }
        let condition = try PredicateResolver(comparisons: ComparisonResolver(expressions: self)).resolve(predicate, isNegated: false)
        if case .constant(let holds) = condition { return holds ? first : second }
        return .conditional(condition, then: first, otherwise: second, category: first.category ?? second.category)
    }

    private func count(_ collection: PinviewExpression, _ variable: String, _ predicate: PinviewPredicate) throws(PinviewError)
        -> ResolvedExpression
    {
        let level: Int, start: Entity, keys: [String]
        switch collection.kind {
        case .keyPath(let path): (level, start, keys) = (0, entity, path)
        case .variable(let name, let path) where !path.isEmpty:
            let (found, entity) = try member(name)
            (level, start, keys) = (found, entity, path)
        default: throw PinviewError(.badPredicate, "SUBQUERY needs a to-many relationship, not \(collection).")
        }
        let (path, property) = try KeyPathResolver(entity: start, model: model).toMany(keys, keys)
        var inner = self
        inner.members.append((variable, model.entities[property.destinationIndex]))
        let condition = try PredicateResolver(comparisons: ComparisonResolver(expressions: inner)).resolve(predicate, isNegated: false)
        return .toManyCount(path: path, property: property, levels: members.count - level, where: condition)
    }
}

extension ResolvedExpression {
    /// The type of a value that is not an integer, for error messages; nil if it is or may be one.
    fileprivate var fractionalTypeName: String? {
        switch self {
        case .constant(.double): return "a double"
        case .constant(.decimal): return "a decimal"
        case .attribute(_, let property):
            switch property.attributeType {
            case .double, .float, .decimal: return "of type \(property.attributeType.name)"
            default: return nil
            }
        case .function(let function, _, _), .collection(let function, _, _, _), .group(let function, _):
            return mayBeDecimal ? "a decimal" : function.givesDouble ? "a double" : nil
        case .outer(_, let inner): return inner.fractionalTypeName
        default: return nil
        }
    }
}

extension PinviewExpression {
    fileprivate var isList: Bool {
        if case .aggregate = kind { return true }
        return false
    }
}

extension ExpressionFunction {
    /// The result for arguments that are single values, or for a function over a list, its
    /// elements.
    package func result(_ arguments: [Value]) -> Value {
        isOverCollection ? evaluate(overCollection: arguments) : evaluate(arguments)
    }

    /// The category of the result; null arguments are accepted everywhere.
    func category(of arguments: [ValueCategory?]) throws(PinviewError) -> ValueCategory {
        let given = arguments.compactMap { $0 }
        switch self {
        case .count: return .number
        case .minimum, .maximum:
            guard let first = given.first else { return .number }
            guard given.allSatisfy({ $0 == first }) else { throw mismatch("values of the same type", given.first { $0 != first } ?? first) }
            return first
        case .add where given.contains(.date):
            guard arguments.filter({ $0 == .date }).count == 1, !given.contains(.text) else {
                throw mismatch("a date and a number", given.last ?? .date)
            }
            return .date
        case .subtract where arguments.first == .date:
            guard arguments.last != .text else { throw mismatch("a date or a number", .text) }
            return arguments.last == .date ? .number : .date
        default:
            let taken: ValueCategory = takesTexts ? .text : .number
            if let wrong = given.first(where: { $0 != taken }) { throw mismatch(takesTexts ? "a string" : "numbers", wrong) }
            return givesText ? .text : .number
        }
    }

    private func mismatch(_ expected: String, _ found: ValueCategory) -> PinviewError {
        PinviewError(.badPredicate, "\(rawValue) takes \(expected), not \(found.rawValue).")
    }
}

extension Value {
    /// The result as a value of its category: for a date, seconds become a date.
    package func typed(_ category: ValueCategory?) -> Value {
        guard category == .date else { return self }
        switch self {
        case .double(let seconds): return .date(Date(timeIntervalSinceReferenceDate: seconds))
        case .integer(let seconds): return .date(Date(timeIntervalSinceReferenceDate: Double(seconds)))
        default: return self
        }
    }
}

extension PinviewExpression {
    /// Checks the expression against an entity and resolves it.
    ///
    /// - Parameter groups: set if functions may aggregate the rows of a group.
    /// - Throws: `unknownKey` for a key that the entity lacks, `badPredicate` for an expression
    ///   that makes no sense or has more than one value.
    package func resolved(
        for entity: Entity, in model: ManagedObjectModel, groups: GroupScope? = nil
    ) throws(PinviewError) -> ResolvedExpression {
        let resolved = try ExpressionResolver(entity: entity, model: model, groups: groups).resolve(self)
        guard !resolved.isCollection else {
            throw PinviewError(.badPredicate, "\(self) goes over a to-many relationship and has any number of values; one is needed.")
        }
        return resolved
    }
}
