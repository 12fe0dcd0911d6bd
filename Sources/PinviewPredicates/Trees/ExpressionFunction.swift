import PinviewModel

/// The functions of expressions, with the selectors that Core Data has for them.
///
/// They compute with 64-bit integers, doubles and decimals. Integers stay integers: `7 / 2` is 3;
/// results that do not fit in 64 bits become doubles. Decimals, alone or with integers, give
/// decimals, exact up to 38 digits and rounded half to even beyond. With a double among them, the
/// result is a double, as are powers, roots, logarithms and standard deviations. A nil argument
/// gives nil, and so do undefined results such as a division by zero or the square root of a
/// negative number. Functions over a list or over the values of a to-many key path ignore nil; the
/// sum of no values is 0, other functions of no values are nil.
public enum ExpressionFunction: String, Hashable, Sendable, CaseIterable {
    // The raw values are the names in the format language.
    case add = "add:to:"
    case subtract = "from:subtract:"
    case multiply = "multiply:by:"
    case divide = "divide:by:"
    case modulus = "modulus:by:"
    case power = "raise:toPower:"
    case negate = "negate:"
    case absolute = "abs:"
    case squareRoot = "sqrt:"
    case logarithm = "log:"
    case naturalLogarithm = "ln:"
    case exponential = "exp:"
    case floor = "floor:"
    case ceiling = "ceiling:"
    case truncate = "trunc:"
    // The bitwise functions take 64-bit integers. As in SQLite, a shift by 64 or more shifts out
    // every bit, and a negative count shifts the other way.
    case bitwiseAnd = "bitwiseAnd:with:"
    case bitwiseOr = "bitwiseOr:with:"
    case bitwiseXor = "bitwiseXor:with:"
    case leftShift = "leftshift:by:"
    case rightShift = "rightshift:by:"
    case onesComplement = "onesComplement:"
    case uppercase = "uppercase:"
    case lowercase = "lowercase:"
    /// The number of characters (Unicode scalars).
    case length = "length:"
    /// The time at which the predicate or request is resolved.
    case now = "now"
    case sum = "sum:"
    case count = "count:"
    case minimum = "min:"
    case maximum = "max:"
    case average = "average:"
    case median = "median:"
    case standardDeviation = "stddev:"
    /// The string without the differences of case and diacritics.
    case canonical = "canonical:"

    /// The number of arguments. Functions over a list take one: a list or a to-many key path.
    public var argumentCount: Int {
        switch self {
        case .now: 0
        case .add, .subtract, .multiply, .divide, .modulus, .power, .bitwiseAnd, .bitwiseOr, .bitwiseXor, .leftShift, .rightShift: 2
        default: 1
        }
    }

    /// Whether it operates on the bits of integers.
    var isBitwise: Bool {
        switch self {
        case .bitwiseAnd, .bitwiseOr, .bitwiseXor, .leftShift, .rightShift, .onesComplement: true
        default: false
        }
    }

    /// Whether its results are always doubles.
    var givesDouble: Bool {
        switch self {
        case .squareRoot, .logarithm, .naturalLogarithm, .exponential, .power, .average, .median, .standardDeviation: true
        default: false
        }
    }

    /// Whether it takes a list or a to-many key path.
    package var isOverCollection: Bool {
        switch self {
        case .sum, .count, .minimum, .maximum, .average, .median, .standardDeviation: true
        default: false
        }
    }

    /// The arguments in canonical form: `sum(1, 2, 3)` is `sum({1, 2, 3})`.
    ///
    /// - Throws: `badPredicate` for a wrong number of arguments.
    func checked(_ arguments: [PinviewExpression]) throws(PinviewError) -> [PinviewExpression] {
        if isOverCollection, arguments.count > 1 { return [.aggregate(arguments)] }
        guard arguments.count == argumentCount else {
            throw PinviewError(
                .badPredicate, "\(rawValue) takes \(argumentCount) argument\(argumentCount == 1 ? "" : "s"), not \(arguments.count).")
        }
        return arguments
    }

    /// The operator in the format language, and its precedence.
    package var infix: (symbol: String, strength: Int)? {
        switch self {
        case .add: ("+", 1)
        case .subtract: ("-", 1)
        case .multiply: ("*", 2)
        case .divide: ("/", 2)
        case .power: ("**", 3)
        default: nil
        }
    }

    /// The function with a name as written before a parenthesis: `abs`, `abs:`, `raise:toPower:`,
    /// in any case.
    package init?(named name: String) {
        guard let found = Self.byName[name.lowercased()] else { return nil }
        self = found
    }

    private static let byName: [String: ExpressionFunction] = {
        var names: [String: ExpressionFunction] = [:]
        for function in allCases {
            let selector = function.rawValue.lowercased()
            names[selector] = function
            if let first = selector.split(separator: ":").first, names[String(first)] == nil { names[String(first)] = function }
        }
        names["avg"] = .average
        return names
    }()

    /// Whether its arguments are strings rather than numbers.
    package var takesTexts: Bool { givesText || self == .length }
    /// Whether its result is a string.
    package var givesText: Bool { self == .uppercase || self == .lowercase || self == .canonical }

    /// The number that represents it in SQL.
    package var number: Int { Self.numbers[rawValue] ?? 0 }
    package init?(number: Int) {
        guard Self.allCases.indices.contains(number) else { return nil }
        self = Self.allCases[number]
    }
    private static let numbers = Dictionary(uniqueKeysWithValues: allCases.enumerated().map { ($1.rawValue, $0) })
}
