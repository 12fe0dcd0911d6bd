import PinviewModel

/// The functions of expressions, by the selectors that Core Data has for them.
///
/// They calculate with whole numbers of 64 bits, with doubles and with decimals. Whole numbers stay whole: `7 / 2` is 3, and
/// what does not fit into 64 bits becomes a double. Decimals, alone or with whole numbers, give decimals, exact up to 38 digits and
/// rounded half to even beyond; with a double among them the result is a double. So are powers, roots, logarithms and standard
/// deviations. A nil argument gives nil, and so does what has no result, such as a division by
/// zero or the root of a negative number. Functions over a list or over the values of a to-many key path leave nil out; the sum
/// of none is 0, the others of none are nil.
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
    // Whole numbers of 64 bits. A shift by 64 or more leaves no bit of the number, one by a negative count goes the other way, as in SQLite.
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
    /// The time at which the predicate or request is put to use.
    case now = "now"
    case sum = "sum:"
    case count = "count:"
    case minimum = "min:"
    case maximum = "max:"
    case average = "average:"
    case median = "median:"
    case standardDeviation = "stddev:"

    /// How many arguments it takes. Those over a list take one: the list, or a to-many key path.
    public var argumentCount: Int {
        switch self {
        case .now: 0
        case .add, .subtract, .multiply, .divide, .modulus, .power, .bitwiseAnd, .bitwiseOr, .bitwiseXor, .leftShift, .rightShift: 2
        default: 1
        }
    }

    /// Whether it works on the bits of whole numbers.
    var isBitwise: Bool {
        switch self {
        case .bitwiseAnd, .bitwiseOr, .bitwiseXor, .leftShift, .rightShift, .onesComplement: true
        default: false
        }
    }

    /// Whether what it gives is a double, if anything.
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

    /// The arguments as they are kept: `sum(1, 2, 3)` is `sum({1, 2, 3})`.
    ///
    /// - Throws: `badPredicate` for a wrong number of them.
    func checked(_ arguments: [Expression]) throws(PinviewError) -> [Expression] {
        if isOverCollection, arguments.count > 1 { return [.aggregate(arguments)] }
        guard arguments.count == argumentCount else {
            throw PinviewError(.badPredicate, "\(rawValue) takes \(argumentCount) arguments, not \(arguments.count).")
        }
        return arguments
    }

    /// The operator in the format language, and how strongly it binds.
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

    /// The function of a name as it is written before a parenthesis: `abs`, `abs:`, `raise:toPower:`; case does not matter.
    package init?(written name: String) {
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

    /// What texts take, what numbers take, and so on; for error messages and for checking.
    package var takesTexts: Bool { self == .uppercase || self == .lowercase || self == .length }
    package var givesText: Bool { self == .uppercase || self == .lowercase }

    /// Its number in SQL.
    package var number: Int { Self.numbers[self] ?? 0 }
    package init?(number: Int) {
        guard Self.allCases.indices.contains(number) else { return nil }
        self = Self.allCases[number]
    }
    private static let numbers = Dictionary(uniqueKeysWithValues: allCases.enumerated().map { ($1, $0) })
}
