import PinviewModel

extension PinviewPredicate {
    /// Parses a predicate in the format language.
    ///
    /// - Parameter arguments: one for each `%@`, `%K` (a key path as a string) or number format, in
    ///   order.
    /// - Throws: `badPredicate`, with the position in Unicode scalars from 1, what was found and
    ///   what was expected.
    public init(format: String, _ arguments: (any PredicateArgument)...) throws(PinviewError) {
        try self.init(format: format, arguments: arguments)
    }

    /// Parses a predicate in the format language, with its arguments in an array.
    ///
    /// - Throws: `badPredicate`, with the position in Unicode scalars from 1, what was found and
    ///   what was expected.
    public init(format: String, arguments: [any PredicateArgument]) throws(PinviewError) {
        var parser = try PredicateParser(format: format, arguments: arguments)
        self = try parser.parse()
    }
}

extension PinviewExpression {
    /// Parses an expression in the format language, such as `price * 2` or `cars.@sum.price`.
    ///
    /// - Parameter arguments: one for each `%@`, `%K` or number format, in order.
    /// - Throws: `badPredicate`, with the position, what was found and what was expected.
    public init(format: String, _ arguments: (any PredicateArgument)...) throws(PinviewError) {
        try self.init(format: format, arguments: arguments)
    }

    /// Parses an expression in the format language, with its arguments in an array.
    ///
    /// - Throws: `badPredicate`, with the position, what was found and what was expected.
    public init(format: String, arguments: [any PredicateArgument]) throws(PinviewError) {
        var parser = try PredicateParser(format: format, arguments: arguments)
        self = try parser.parseExpression()
    }
}
