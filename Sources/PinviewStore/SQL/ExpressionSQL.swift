import PinviewModel
import PinviewPredicates

/// Computed values as SQL. Functions are evaluated by `SQLFunctions.compute`, so that SQL gives the
/// same results as the evaluator in memory.
struct ExpressionSQL {
    let generator: PredicateSQL

    func sql(_ expression: ResolvedExpression, _ scope: SQLScope) throws(PinviewError) -> SQLText {
        switch expression {
        case .constant(let value): return Self.bound(value.computable)
        case .attribute(let path, let property): return Self.computable(scope.column(of: property, path: path), property)
        case .toManyCount(let path, let property, let levels, let condition):
            return try count(path, property, scope.enclosing(levels), condition, scope)
        case .entityName(let path): return entityName(path, scope)
        case .function(let function, let operands, _): return try call(function, operands, scope)
        case .collection(let function, let path, let property, let isDistinct):
            return aggregate(function, path, property, isDistinct: isDistinct, scope)
        case .group(let function, let inner):
            guard let inner else { return SQLText(text: "COUNT(*)") }
            return "\(SQLFunctions.aggregate(function))(" + (try sql(inner, scope)) + ")"
        case .conditional(let condition, let then, let otherwise, _):
            let condition = try generator.sql(condition, scope)
            return "CASE WHEN " + condition + " THEN " + (try sql(then, scope)) + " ELSE " + (try sql(otherwise, scope)) + " END"
        case .cast(let inner, let type): return "\(SQLFunctions.cast)(" + (try sql(inner, scope)) + ", \(type.number))"
        case .outer(let levels, let inner): return try sql(inner, scope.enclosing(levels))
        case .object, .list: return SQLText(text: "NULL")
        }
    }

    /// An expression as a value for an attribute's column.
    /// - Throws: `wrongType` for an expression of another type than the attribute.
    func assigned(_ expression: ResolvedExpression, to property: Property, _ scope: SQLScope) throws(PinviewError) -> SQLText {
        var value = try sql(expression, scope)
        if expression.mayBeDecimal { value = "\(SQLFunctions.cell(ofDecimal: .rounded))(" + value + ")" }
        switch (property.attributeType, expression.category) {
        case (_, nil): return value
        case (.integer16, .number), (.integer32, .number), (.integer64, .number): return "CAST(" + value + " AS INTEGER)"
        case (.double, .number), (.float, .number): return "CAST(" + value + " AS REAL)"
        case (.decimal, .number): return value
        case (.boolean, .number): return "(" + value + ") <> 0"
        case (.string, .text), (.uri, .text), (.date, .date): return value
        default:
            throw PinviewError(
                .wrongType,
                "\(property.qualifiedName) is of type \(property.attributeType.name); the expression has the type \(expression.category?.rawValue ?? "nil")."
            )
        }
    }

    private static func bound(_ value: Value) -> SQLText {
        switch value {
        case .integer(let integer): .bound(.integer(integer))
        case .double(let double): .bound(.real(double))
        case .string(let text): .bound(.text(text))
        case .decimal(let decimal): .bound(.blob(DecimalKey.bytes(decimal)))
        default: SQLText(text: "NULL")
        }
    }

    /// A column as an argument of functions: decimals as `DecimalKey`, dates as doubles, whatever
    /// the cell holds.
    static func computable(_ column: String, _ property: Property) -> SQLText {
        switch property.attributeType {
        case .decimal: SQLText(text: "\(SQLFunctions.decimal)(\(column), 0)")
        // Functions cannot use these, and bytes represent decimals here.
        case .binaryData, .transformable, .uuid: SQLText(text: "NULL")
        case .date: SQLText(text: "CAST(\(column) AS REAL)")
        default: SQLText(text: column)
        }
    }

    // MARK: Functions

    /// SQLite's arithmetic equals that of `ExpressionFunction`: integers stay integers, become
    /// doubles if they overflow, and a division by zero gives NULL.
    private static let operators: [ExpressionFunction: (symbol: String, strength: Int)] = [
        .add: ("+", 1), .subtract: ("-", 1), .multiply: ("*", 2), .divide: ("/", 2),
    ]

    private func call(_ function: ExpressionFunction, _ operands: [ResolvedExpression], _ scope: SQLScope) throws(PinviewError) -> SQLText {
        // SQLite's operators cannot handle a `DecimalKey`.
        if function.infix != nil, operands.contains(where: \.mayBeDecimal) {
            return try decimalChain(function, operands, scope)
        }
        if let symbol = Self.operators[function]?.symbol {
            return try side(operands[0], of: function, isLeft: true, scope) + " \(symbol) "
                + side(operands[1], of: function, isLeft: false, scope)
        }
        // The number comes last, since nested calls as first argument use the least room in
        // SQLite's parser.
        var text = SQLText(text: "\(SQLFunctions.compute)(")
        for operand in operands { text = text + (try sql(operand, scope)) + ", " }
        return text + "\(function.number))"
    }

    /// `a + b - c` as `pinview_chain(a, number, b, number, c)`: nested calls would soon be too many
    /// for SQLite's parser.
    private func decimalChain(
        _ function: ExpressionFunction, _ operands: [ResolvedExpression], _ scope: SQLScope
    ) throws(PinviewError) -> SQLText {
        var links = [(function, operands[1])]
        var first = operands[0]
        while case .function(let inner, let operands, _) = first, inner.infix != nil {
            links.append((inner, operands[1]))
            first = operands[0]
        }
        var text = try sql(first, scope)
        var rest = links.reversed()[...]
        while !rest.isEmpty {
            text = "\(SQLFunctions.chain)(" + text
            // A function takes at most 127 arguments.
            for (function, operand) in rest.prefix(60) { text = text + ", \(function.number), " + (try sql(operand, scope)) }
            text = text + ")"
            rest = rest.dropFirst(60)
        }
        return text
    }

    /// Left-associative chains need no parentheses.
    private func side(
        _ operand: ResolvedExpression, of function: ExpressionFunction, isLeft: Bool, _ scope: SQLScope
    ) throws(PinviewError) -> SQLText {
        let inner = try sql(operand, scope)
        guard case .function(let other, _, _) = operand, let strength = Self.operators[other]?.strength,
            let own = Self.operators[function]?.strength, strength < own || !isLeft
        else { return inner }
        return "(" + inner + ")"
    }

    // MARK: Members

    private func count(
        _ path: [ResolvedStep], _ property: Property, _ start: SQLScope, _ condition: ResolvedPredicate?, _ scope: SQLScope
    ) throws(PinviewError) -> SQLText {
        guard let members = generator.members(of: property, after: path, start, inside: scope) else { return SQLText(text: "0") }
        guard let condition else { return "(SELECT COUNT(*)" + members.select() + ")" }
        let inner = try generator.sql(condition, members.scope)
        return "(SELECT COUNT(*)" + members.select(where: inner) + ")"
    }

    private func aggregate(
        _ function: ExpressionFunction, _ path: [ResolvedStep], _ property: Property, isDistinct: Bool, _ scope: SQLScope
    ) -> SQLText {
        guard let position = path.firstIndex(where: \.isToMany),
            let members = generator.members(of: path[position].property, after: path[..<position], scope, inside: scope)
        else { return Self.bound(function.evaluate(overCollection: [])) }
        let column = Self.computable(members.scope.column(of: property, path: path[(position + 1)...]), property)
        let name = SQLFunctions.aggregate(function)
        guard isDistinct else { return "(SELECT \(name)(" + column + ")" + members.select() + ")" }
        return "(SELECT \(name)(DISTINCT " + column + ")" + members.select() + ")"
    }

    private func entityName(_ path: [ResolvedStep], _ scope: SQLScope) -> SQLText {
        guard let alias = scope.join(path) else { return SQLText(text: "NULL") }
        let root = path.last?.destination.rootIndex ?? scope.rootIndex
        let entities = generator.schema.model.entities.filter {
            $0.rootIndex == root && generator.schema.numbers.has(entityIndex: $0.index)
        }
        guard !entities.isEmpty else { return SQLText(text: "NULL") }
        var text = SQLText(text: "CASE \(alias).Z_ENT")
        for entity in entities {
            text = text + " WHEN \(generator.schema.numbers.number(ofEntityIndex: entity.index)) THEN " + .bound(.text(entity.name))
        }
        return text + " END"
    }
}
