extension Unit {
    /// Three figures, with the prefix that fits.
    func text(_ value: Double) -> String {
        switch self {
        case .nanoseconds: Self.scaled(value, [(1, "ns"), (1e3, "µs"), (1e6, "ms"), (1e9, "s")])
        case .bytes: Self.scaled(value, [(1, "B"), (1e3, "KB"), (1e6, "MB"), (1e9, "GB")])
        case .count: Self.scaled(value, [(1, "")])
        case .perSecond: Self.scaled(value, [(1, "/s"), (1e3, "k/s"), (1e6, "M/s")])
        }
    }

    private static func scaled(_ value: Double, _ prefixes: [(factor: Double, name: String)]) -> String {
        let prefix = prefixes.last { abs(value) >= $0.factor * 0.9995 } ?? prefixes[0]
        let text = rounded(value / prefix.factor)
        return prefix.name.isEmpty ? text : text + " " + prefix.name
    }

    /// 0.0123, 0.12, 1.23, 12.3, 123; whole numbers as they are.
    static func rounded(_ value: Double) -> String {
        if value == value.rounded(), abs(value) < 1e15 { return String(Int64(value)) }
        if abs(value) < 0.0995 { return String(((value * 10_000).rounded() / 10_000)) }
        let digits = abs(value) < 9.995 ? 2 : abs(value) < 99.95 ? 1 : 0
        var factor = 1.0
        for _ in 0..<digits { factor *= 10 }
        let scaled = Int64((abs(value) * factor).rounded())
        let sign = value < 0 && scaled > 0 ? "-" : ""
        guard digits > 0 else { return sign + String(scaled) }
        let fraction = String(scaled % Int64(factor))
        return sign + String(scaled / Int64(factor)) + "." + String(repeating: "0", count: digits - fraction.count) + fraction
    }

    /// 500, 10k, 1M
    static func brief(_ value: Int) -> String {
        if value >= 1_000_000, value % 1_000_000 == 0 { return "\(value / 1_000_000)M" }
        if value >= 1_000, value % 1_000 == 0 { return "\(value / 1_000)k" }
        return String(value)
    }

    /// 10,000
    static func grouped(_ value: Int) -> String {
        var digits = String(value.magnitude), groups: [String] = []
        while digits.count > 3 {
            groups.insert(String(digits.suffix(3)), at: 0)
            digits.removeLast(3)
        }
        return (value < 0 ? "-" : "") + ([digits] + groups).joined(separator: ",")
    }
}
