import PinviewModel

/// What expressions over groups of rows can name, as in a fetch of dictionaries that groups.
package struct GroupScope: Sendable {
    /// What makes the groups, and so has one value for each; nil where rows are not grouped, so that everything has one.
    let keys: [Expression]?
    /// Computed values by name; they come before attributes of the same name.
    let names: [String: Expression]
    /// Those of them that functions over the rows of a group can take.
    let rowNames: [String: Expression]

    /// Functions over the rows of a group are allowed, and everything else too.
    package static let unchecked = GroupScope(keys: nil, names: [:])

    package init(keys: [Expression]?, names: [String: Expression], rowNames: [String: Expression] = [:]) {
        self.keys = keys
        self.names = names
        self.rowNames = rowNames
    }
}

extension Expression {
    /// As what a value in the result of a fetch may be named.
    var pathText: String? {
        if case .keyPath(let keys) = kind { return keys.joined(separator: ".") }
        return nil
    }
}
