import PinviewModel
import PinviewPredicates

/// Conditions and expressions of fetch indexes as SQL.
///
/// SQLite evaluates them at every write to the table, in every program. So they consist of the
/// table's own columns, literals and SQLite's operators; what needs more has no SQL here. They are
/// spelled as `PredicateSQL` spells them in statements, by which SQLite recognizes what an index
/// covers. Parameters of a statement count with the values that are bound to them, except in lists
/// and arguments of functions, which is why those are not used here either.
struct FetchIndexSQL {
    /// The part of a table that an index covers.
    struct Condition {
        let sql: String
        /// The attributes that it compares with a list. Statements have to spell that alike.
        fileprivate(set) var listed: [Property] = []
    }

    let entity: Entity
    let names: SchemaNames

    /// Every connection reads the schema: long texts do not belong there.
    private static let longest = 10_000
    /// SQLite's parser allows some ninety open parentheses.
    private static let deepest = 20
    /// Longer lists are parameters of a kind that SQLite cannot compare with a condition.
    static let listLimit = 16

    /// - Returns: nil for a condition that cannot be read, is not for the entity, or needs more
    ///   than SQLite has.
    func condition(_ format: String) -> Condition? {
        guard let predicate = try? PinviewPredicate(format: format), !predicate.usesTime,
            let resolved = try? predicate.resolved(for: entity, in: names.model)
        else { return nil }
        var listed: [Property] = []
        guard let sql = condition(resolved, 0, &listed), sql.utf8.count <= Self.longest else { return nil }
        return Condition(sql: sql, listed: listed)
    }

    /// A column of an index for an expression, which is in parentheses.
    ///
    /// - Returns: nil for an expression that cannot be read, is not for the entity, needs more than
    ///   SQLite has, or contains constants: statements bind those.
    func element(_ format: String) -> String? {
        guard let expression = try? PinviewExpression(format: format),
            let resolved = try? expression.resolved(for: entity, in: names.model)
        else { return nil }
        if case .attribute(let path, let property) = resolved { return path.isEmpty ? column(property) : nil }
        guard let sql = computed(resolved, isConstantAllowed: false, 0), sql.utf8.count <= Self.longest else { return nil }
        return "(\(sql))"
    }

    // MARK: Conditions

    private func condition(_ predicate: ResolvedPredicate, _ depth: Int, _ listed: inout [Property]) -> String? {
        guard depth < Self.deepest else { return nil }
        switch predicate {
        case .comparison(let comparison): return condition(comparison, &listed)
        case .and(let parts): return joined(parts, " AND ", depth, &listed)
        // Longer ones are nested in statements.
        case .or(let parts): return parts.count <= Self.listLimit ? joined(parts, " OR ", depth, &listed) : nil
        // The function that makes NULL false hides the parameters from SQLite.
        case .not: return nil
        case .constant: return nil
        }
    }

    private func joined(_ parts: [ResolvedPredicate], _ joiner: String, _ depth: Int, _ listed: inout [Property]) -> String? {
        var text = ""
        for part in parts {
            guard let sql = condition(part, depth + 1, &listed), text.utf8.count <= Self.longest else { return nil }
            text += (text.isEmpty ? "(" : joiner) + sql
        }
        return text + ")"
    }

    private func condition(_ comparison: ResolvedComparison, _ listed: inout [Property]) -> String? {
        guard comparison.modifier == .direct, comparison.options.isEmpty, let left = operand(comparison.left) else { return nil }
        let attribute: Property? = if case .attribute(_, let property) = comparison.left { property } else { nil }
        switch (comparison.operator, comparison.right) {
        case (.equalTo, .constant(.null)): return "\(left) IS NULL"
        case (.notEqualTo, .constant(.null)): return "\(left) IS NOT NULL"
        case (.between, .list(let bounds)):
            guard bounds.count == 2, let low = literal(bounds[0], attribute), let high = literal(bounds[1], attribute) else { return nil }
            return "(\(left) >= \(low) AND \(left) <= \(high))"
        case (.in, .list(let values)):
            guard let attribute else { return nil }
            return membership(left, attribute, values, &listed)
        case (let op, .constant(let value)):
            guard let symbol = Self.symbol(op, isEqual: "="), attribute?.cellKind != .externalBinary,
                let literal = literal(value, attribute)
            else { return nil }
            return "\(left) \(symbol) \(literal)"
        case (let op, let other):
            // Two columns are equal if both are NULL.
            guard let symbol = Self.symbol(op, isEqual: "IS"), attribute?.cellKind != .externalBinary, let right = operand(other),
                isValue(comparison.left), isValue(other)
            else { return nil }
            return "\(left) \(symbol) \(right)"
        }
    }

    /// The elements as alternatives: SQLite does not compare parameters in a list with literals.
    private func membership(_ column: String, _ attribute: Property, _ values: [Value], _ listed: inout [Property]) -> String? {
        guard values.count <= Self.listLimit, attribute.cellKind != .externalBinary else { return nil }
        var alternatives: [String] = []
        for value in values where !value.isNull {
            guard let literal = literal(value, attribute) else { return nil }
            alternatives.append("\(column) = \(literal)")
        }
        guard let first = alternatives.first else { return nil }
        if alternatives.count > 1 { listed.append(attribute) }
        let list = alternatives.count > 1 ? "(\(alternatives.joined(separator: " OR ")))" : first
        return alternatives.count < values.count ? "(\(column) IS NULL OR \(list))" : list
    }

    private static func symbol(_ op: PredicateOperator, isEqual: String) -> String? {
        switch op {
        case .equalTo: isEqual
        case .notEqualTo: "IS NOT"
        case .lessThan: "<"
        case .lessThanOrEqualTo: "<="
        case .greaterThan: ">"
        case .greaterThanOrEqualTo: ">="
        default: nil
        }
    }

    /// - Returns: nil for what no cell can hold exactly: statements compare that differently.
    private func literal(_ value: Value, _ attribute: Property?) -> String? {
        guard let bound = ConstantBound(value, comparedWith: attribute, options: []), bound.position == 0 else { return nil }
        return SQLLiteral.text(bound.cell)
    }

    // MARK: Operands

    private func operand(_ expression: ResolvedExpression) -> String? {
        switch expression {
        case .attribute(let path, let property): path.isEmpty ? column(property) : nil
        // Keys mean nothing in a model: they are only compared with nil.
        case .object(let path): path.count == 1 && path[0].element == nil ? column(path[0].property) : nil
        case .function: computed(expression, isConstantAllowed: true, 0)
        default: nil
        }
    }

    private func isValue(_ expression: ResolvedExpression) -> Bool {
        switch expression {
        case .attribute(_, let property): property.cellKind != .externalBinary
        case .function: true
        default: false
        }
    }

    private func column(_ property: Property) -> String? {
        switch names.storage(of: property) {
        case .attribute(let column), .toOne(let column, _): SQLIdentifier.quoted(column)
        default: nil
        }
    }

    /// Sums, differences, products and quotients, for which SQLite has operators that never fail.
    private func computed(_ expression: ResolvedExpression, isConstantAllowed: Bool, _ depth: Int) -> String? {
        guard depth < Self.deepest else { return nil }
        switch expression {
        case .constant(let value):
            guard isConstantAllowed else { return nil }
            switch value.computable {
            case .integer(let integer): return SQLLiteral.text(.integer(integer))
            case .double(let double): return SQLLiteral.text(.real(double))
            default: return nil
            }
        case .attribute(let path, let property):
            guard path.isEmpty, let column = column(property) else { return nil }
            switch property.attributeType {
            case .date: return "CAST(\(column) AS REAL)"
            case .integer16, .integer32, .integer64, .double, .float, .boolean: return column
            default: return nil
            }
        case .function(let function, let operands, _):
            guard let (symbol, strength) = function.infix, function != .power, !operands.contains(where: \.mayBeDecimal) else { return nil }
            var sides: [String] = []
            for (position, operand) in operands.enumerated() {
                guard let side = computed(operand, isConstantAllowed: isConstantAllowed, depth + 1) else { return nil }
                var needsParentheses = false
                if case .function(let inner, _, _) = operand, let other = inner.infix {
                    needsParentheses = other.strength < strength || position > 0
                }
                sides.append(needsParentheses ? "(\(side))" : side)
            }
            return sides.joined(separator: " \(symbol) ")
        default: return nil
        }
    }
}

extension SchemaNames {
    /// The attributes that the condition of an index compares with a list.
    var attributesListedByIndexes: Set<Property> {
        var listed: Set<Property> = []
        for entity in model.entities where numbers.has(entityIndex: entity.index) {
            for format in entity.indexes.compactMap(\.partialIndexPredicateFormat) {
                listed.formUnion(FetchIndexSQL(entity: entity, names: self).condition(format)?.listed ?? [])
            }
        }
        return listed
    }
}
