import PinviewModel
import PinviewPredicates

/// A comparison as SQL, according to the truth table at `ResolvedPredicate`.
struct ComparisonSQL {
    let generator: PredicateSQL
    let comparison: ResolvedComparison
    /// Where key paths of the right side start; the left side may be inside a subselect.
    let rightScope: SQLScope

    private enum Operand {
        case attribute(column: String, Property)
        /// Data, which may be in a file, and the column that says where they are.
        case data(String, column: String, Property)
        /// The primary key of an object.
        case object(column: String, rootIndex: Int)
        /// The result of a function, a count or the like.
        case computed(SQLText)
        /// A result that may be a `DecimalKey`.
        case computedDecimal(SQLText)
        case constant(Value)
        case list([Value])

        var isConstant: Bool {
            if case .constant = self { return true }
            return false
        }

        /// The operand as SQL; nil for constants.
        var column: SQLText? {
            switch self {
            case .attribute(let column, _), .object(let column, _), .data(let column, _, _): SQLText(text: column)
            case .computed(let sql), .computedDecimal(let sql): sql
            case .constant, .list: nil
            }
        }

        var isComputedDecimal: Bool {
            if case .computedDecimal = self { return true }
            return false
        }

        var property: Property? {
            switch self {
            case .attribute(_, let property), .data(_, _, let property): property
            default: nil
            }
        }
    }

    private var options: PredicateOptions { comparison.options }

    func sql(_ left: ResolvedExpression, _ leftScope: SQLScope) throws(PinviewError) -> SQLText {
        var left = try operand(left, leftScope)
        var right = try operand(comparison.right, rightScope)
        var op = comparison.operator
        switch op {
        case .in: return membership(left, elements(right))
        case .between:
            let bounds = elements(right)
            guard bounds.count == 2 else { return PredicateSQL.constant(false) }
            let low = relation(left, .constant(bounds[0]), .greaterThanOrEqualTo)
            let high = relation(left, .constant(bounds[1]), .lessThanOrEqualTo)
            return "(" + low + " AND " + high + ")"
        case .contains, .beginsWith, .endsWith, .like, .matches: return textual(left, right, op)
        default:
            if left.isConstant, !right.isConstant { (left, right, op) = (right, left, Self.mirrored(op)) }
            return relation(left, right, op)
        }
    }

    private func operand(_ expression: ResolvedExpression, _ scope: SQLScope) throws(PinviewError) -> Operand {
        switch expression {
        case .constant(let value): return .constant(value)
        case .list(let values): return .list(values)
        case .attribute(let path, let property):
            let column = scope.column(of: property, path: path)
            guard property.cellKind == .externalBinary else { return .attribute(column: column, property) }
            return .data(scope.value(of: property, path: path), column: column, property)
        case .object(let path):
            guard let last = path.last else { return .object(column: "\(scope.alias).Z_PK", rootIndex: scope.rootIndex) }
            if last.element != nil {
                return .object(column: scope.join(path).map { "\($0).Z_PK" } ?? "NULL", rootIndex: last.destination.rootIndex)
            }
            return .object(column: scope.column(of: last.property, path: path.dropLast()), rootIndex: last.destination.rootIndex)
        case .outer(let levels, let inner): return try operand(inner, scope.enclosing(levels))
        default:
            let sql = try ExpressionSQL(generator: generator).sql(expression, scope)
            return expression.mayBeDecimal ? .computedDecimal(sql) : .computed(sql)
        }
    }

    private func elements(_ operand: Operand) -> [Value] {
        switch operand {
        case .list(let values): values
        case .constant(let value): [value]
        case .attribute, .data, .object, .computed, .computedDecimal: []
        }
    }

    private static func mirrored(_ op: PredicateOperator) -> PredicateOperator {
        switch op {
        case .lessThan: .greaterThan
        case .lessThanOrEqualTo: .greaterThanOrEqualTo
        case .greaterThan: .lessThan
        case .greaterThanOrEqualTo: .lessThanOrEqualTo
        default: op
        }
    }

    // MARK: == != < <= > >=

    /// Of two constants there is nothing to compare here: resolving the predicate did.
    private func relation(_ left: Operand, _ right: Operand, _ op: PredicateOperator) -> SQLText {
        switch (left, right) {
        case (.attribute(let column, _), .constant(.null)), (.data(_, let column, _), .constant(.null)):
            return nilRelation(SQLText(text: column), op)
        case (_, .constant(.null)):
            guard let column = left.column else { return PredicateSQL.constant(false) }
            return nilRelation(column, op)
        case (_, _) where left.isComputedDecimal || right.isComputedDecimal:
            let number = SQLFunctions.comparatorNumber(op)
            return "\(SQLFunctions.relate)(" + numbers(left) + ", \(number), " + numbers(right) + ")"
        case (.object(let column, let rootIndex), .constant(let value)):
            guard let key = primaryKey(value, rootIndex: rootIndex) else { return PredicateSQL.constant(op == .notEqualTo) }
            return Self.compare(SQLText(text: column), op, .integer(key))
        case (.object(let left, let leftRoot), .object(let right, let rightRoot)) where leftRoot != rightRoot:
            // Equal only if both are nil.
            let bothNil = SQLText(text: "(\(left) IS NULL AND \(right) IS NULL)")
            return op == .equalTo ? bothNil : PredicateSQL.not(bothNil)
        case (_, .constant(let value)):
            guard let column = left.column else { return PredicateSQL.constant(false) }
            guard let bound = ConstantBound(value, comparedWith: left.property, options: options) else {
                return PredicateSQL.constant(op == .notEqualTo)
            }
            return Self.compare(folded(column), op, bound)
        default:
            guard let leftColumn = left.column, let rightColumn = right.column else { return PredicateSQL.constant(false) }
            return folded(leftColumn) + " \(Self.symbol(op, betweenColumns: true)) " + folded(rightColumn)
        }
    }

    /// The operand as an argument of `pinview_relate`.
    private func numbers(_ operand: Operand) -> SQLText {
        switch operand {
        case .attribute(let column, let property) where property.attributeType == .decimal:
            return SQLText(text: "\(SQLFunctions.decimal)(\(column), 1)")
        case .constant(.integer(let integer)): return .bound(.integer(integer))
        case .constant(.boolean(let flag)): return .bound(.integer(flag ? 1 : 0))
        case .constant(.double(let double)): return .bound(.real(double))
        case .constant(.decimal(let decimal)): return .bound(.blob(DecimalKey.bytes(decimal)))
        case .constant, .list: return SQLText(text: "NULL")
        case .attribute, .data, .object, .computed, .computedDecimal: return operand.column ?? SQLText(text: "NULL")
        }
    }

    private func nilRelation(_ column: SQLText, _ op: PredicateOperator) -> SQLText {
        switch op {
        case .equalTo: column + " IS NULL"
        case .notEqualTo: column + " IS NOT NULL"
        default: PredicateSQL.constant(false)
        }
    }

    private static func compare(_ column: SQLText, _ op: PredicateOperator, _ cell: StoredCell) -> SQLText {
        column + " \(symbol(op, betweenColumns: false)) " + SQLText.bound(cell)
    }

    private static func compare(_ column: SQLText, _ op: PredicateOperator, _ bound: ConstantBound) -> SQLText {
        guard bound.position != 0 else { return compare(column, op, bound.cell) }
        let isBelow = bound.position < 0
        switch op {
        case .equalTo: return PredicateSQL.constant(false)
        case .notEqualTo: return PredicateSQL.constant(true)
        case .lessThan, .lessThanOrEqualTo: return compare(column, isBelow ? .lessThanOrEqualTo : .lessThan, bound.cell)
        default: return compare(column, isBelow ? .greaterThan : .greaterThanOrEqualTo, bound.cell)
        }
    }

    /// `=` is never true for NULL, which is right against a constant; between two columns, nil
    /// equals nil.
    private static func symbol(_ op: PredicateOperator, betweenColumns: Bool) -> String {
        switch op {
        case .equalTo: betweenColumns ? "IS" : "="
        case .notEqualTo: "IS NOT"
        case .lessThan: "<"
        case .lessThanOrEqualTo: "<="
        case .greaterThan: ">"
        default: ">="
        }
    }

    private func folded(_ column: SQLText) -> SQLText {
        options.isEmpty ? column : "\(SQLFunctions.fold)(" + column + ", \(options.rawValue))"
    }

    private func primaryKey(_ value: Value, rootIndex: Int) -> Int64? {
        generator.schema.primaryKey(of: value, rootIndex: rootIndex, storeNumber: generator.storeNumber)
    }

    // MARK: IN

    /// Up to this many elements are bound one by one; longer lists are passed as one JSON text.
    static let boundElementLimit = 64

    private func membership(_ left: Operand, _ values: [Value]) -> SQLText {
        guard var column = left.column else { return PredicateSQL.constant(false) }
        // Equal numbers are equal cells then.
        if left.isComputedDecimal { column = "\(SQLFunctions.cell(ofDecimal: .exact))(" + column + ")" }
        let elements =
            if case .object(_, let rootIndex) = left {
                MembershipCells(values) { primaryKey($0, rootIndex: rootIndex) }
            } else {
                MembershipCells(values, comparedWith: left.property, options: options, isComputedDecimal: left.isComputedDecimal)
            }
        let isElement = isElement(folded(column), of: elements.cells, asAlternatives: isListedByIndex(left))
        return elements.includesNil ? "(" + column + " IS NULL OR " + isElement + ")" : isElement
    }

    /// Whether an index has such a condition, which SQLite recognizes only if it is spelled alike.
    private func isListedByIndex(_ left: Operand) -> Bool {
        guard case .attribute(_, let property) = left else { return false }
        return generator.schema.attributesListedByIndexes.contains(property)
    }

    private func isElement(_ column: SQLText, of cells: [StoredCell], asAlternatives: Bool) -> SQLText {
        switch cells.count {
        case 0: return PredicateSQL.constant(false)
        case 1: return column + " = " + SQLText.bound(cells[0])
        case ...FetchIndexSQL.listLimit where asAlternatives:
            var text = "(" + column + " = " + SQLText.bound(cells[0])
            for cell in cells.dropFirst() { text = text + " OR " + column + " = " + SQLText.bound(cell) }
            return text + ")"
        case ...Self.boundElementLimit:
            let places = String(repeating: "?, ", count: cells.count - 1) + "?"
            return column + SQLText(text: " IN (\(places))", bindings: cells)
        default:
            let integers = cells.compactMap { if case .integer(let integer) = $0 { String(integer) } else { nil } }
            if integers.count == cells.count {
                return column + " IN (SELECT value FROM json_each(" + SQLText.bound(.text("[\(integers.joined(separator: ","))]")) + "))"
            }
            let json = "[\"\(cells.map(SQLFunctions.encoded).joined(separator: "\",\""))\"]"
            return column + " IN (SELECT \(SQLFunctions.cell)(value) FROM json_each(" + SQLText.bound(.text(json)) + "))"
        }
    }

    // MARK: CONTAINS BEGINSWITH ENDSWITH LIKE

    private func textual(_ left: Operand, _ right: Operand, _ op: PredicateOperator) -> SQLText {
        if op == .matches {
            // The pattern is passed as written; the function compiles it once per statement.
            guard let column = left.column ?? textOperand(left), case .constant(.string(let pattern)) = right else {
                return PredicateSQL.constant(false)
            }
            return "\(SQLFunctions.matchPattern)(" + column + ", \(options.rawValue), " + SQLText.bound(.text(pattern)) + ")"
        }
        guard let text = textOperand(left), let pattern = textOperand(right), let number = SQLFunctions.number(of: op) else {
            return PredicateSQL.constant(false)
        }
        // SQLite's own search takes time in proportion to the product of the lengths, so it is used
        // for short patterns only.
        if op == .contains, case .constant(.string(let part)) = right, part.utf8.count <= 256 {
            return "instr(" + text + ", " + pattern + ") > 0"
        }
        if op == .beginsWith, options.isEmpty, let column = left.column, column.bindings.isEmpty,
            case .constant(.string(let prefix)) = right
        {
            return Self.hasPrefix(column, prefix)
        }
        return "\(SQLFunctions.match)(\(number), " + text + ", " + pattern + ")"
    }

    /// The folded text of an operand; nil if it is not text.
    private func textOperand(_ operand: Operand) -> SQLText? {
        if let column = operand.column { return folded(column) }
        guard case .constant(.string) = operand, case .constant(let value) = operand,
            let bound = ConstantBound(value, comparedWith: nil, options: options)
        else { return nil }
        return SQLText.bound(bound.cell)
    }

    /// A range, which can use an index: texts from the prefix up to the first one beyond all texts
    /// with the prefix.
    private static func hasPrefix(_ column: SQLText, _ prefix: String) -> SQLText {
        guard !prefix.isEmpty else { return column + " IS NOT NULL" }
        let lower = column + " >= " + SQLText.bound(.text(prefix))
        guard let successor = successor(of: prefix) else { return lower }
        return "(" + lower + " AND " + column + " < " + SQLText.bound(.text(successor)) + ")"
    }

    /// The smallest text greater than every text with the prefix: the prefix with its last scalar
    /// incremented. UTF-8 sorts like scalars.
    private static func successor(of prefix: String) -> String? {
        var scalars = Array(prefix.unicodeScalars)
        while let last = scalars.popLast() {
            let next = last.value == 0xD7FF ? 0xE000 : last.value + 1
            guard let scalar = Unicode.Scalar(next) else { continue }
            scalars.append(scalar)
            var text = String.UnicodeScalarView()
            text.append(contentsOf: scalars)
            return String(text)
        }
        return nil
    }
}
