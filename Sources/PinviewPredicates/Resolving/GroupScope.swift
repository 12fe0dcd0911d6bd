import PinviewModel

/// The names that expressions over groups of rows can use, as in a fetch that groups dictionaries.
package struct GroupScope: Sendable {
    /// The keys that rows are grouped by, which have one value for each group; nil if rows are not
    /// grouped, so that everything has one.
    let keys: [PinviewExpression]?
    /// Computed values by name; they take precedence over attributes of the same name.
    let names: [String: PinviewExpression]
    /// Those that functions over the rows of a group can take.
    let rowNames: [String: PinviewExpression]

    /// Allows functions over the rows of a group along with everything else.
    package static let unchecked = GroupScope(keys: nil, names: [:])

    package init(keys: [PinviewExpression]?, names: [String: PinviewExpression], rowNames: [String: PinviewExpression] = [:]) {
        self.keys = keys
        self.names = names
        self.rowNames = rowNames
    }
}

extension PinviewExpression {
    /// The name by which the expression could refer to a computed value of the fetch.
    var pathText: String? {
        if case .keyPath(let keys) = kind { return keys.joined(separator: ".") }
        return nil
    }
}
