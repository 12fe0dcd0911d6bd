/// Dates as ISO 8601 text in UTC, without a calendar of Foundation's.
enum DateText {
    private static let secondsPerDay: Int64 = 86_400
    /// 2001-01-01 in days after 0000-03-01, with which the rules of leap years are simplest.
    private static let referenceDay: Int64 = 730_791
    /// Some 300,000 years: as far as microseconds are exact.
    private static let limit = 9e12

    /// `2001-01-01T00:00:00Z`, with as many digits of microseconds as needed.
    ///
    /// - Parameter seconds: after 2001-01-01 00:00 UTC.
    /// - Returns: nil for NaN, and beyond some 300,000 years.
    static func text(_ seconds: Double) -> String? {
        guard seconds.isFinite, abs(seconds) < limit else { return nil }
        let microseconds = Int64((seconds * 1e6).rounded())
        let (second, fraction) = floored(microseconds, 1_000_000)
        let (day, rest) = floored(second, secondsPerDay)
        let (year, month, dayOfMonth) = date(ofDay: day)
        let time = [rest / 3600, rest / 60 % 60, rest % 60].map { padded($0, 2) }.joined(separator: ":")
        return "\(yearText(year))-\(padded(month, 2))-\(padded(dayOfMonth, 2))T\(time)\(fractionText(fraction))Z"
    }

    private static func floored(_ number: Int64, _ divisor: Int64) -> (quotient: Int64, rest: Int64) {
        let rest = (number % divisor + divisor) % divisor
        return ((number - rest) / divisor, rest)
    }

    /// In years that begin with March, the leap day is the last one.
    private static func date(ofDay day: Int64) -> (year: Int64, month: Int64, day: Int64) {
        let (era, dayOfEra) = floored(day + referenceDay, 146_097)
        let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let month = (5 * dayOfYear + 2) / 153
        let isNextYear = month >= 10
        return (era * 400 + yearOfEra + (isNextYear ? 1 : 0), isNextYear ? month - 9 : month + 3, dayOfYear - (153 * month + 2) / 5 + 1)
    }

    /// Four digits, or a sign and at least as many.
    private static func yearText(_ year: Int64) -> String {
        (0...9999).contains(year) ? padded(year, 4) : (year < 0 ? "-" : "+") + padded(abs(year), 4)
    }

    private static func fractionText(_ fraction: Int64) -> String {
        guard fraction > 0 else { return "" }
        var digits = padded(fraction, 6)
        while digits.hasSuffix("0") { digits.removeLast() }
        return "." + digits
    }

    private static func padded(_ number: Int64, _ width: Int) -> String {
        let digits = String(number)
        return String(repeating: "0", count: max(0, width - digits.utf8.count)) + digits
    }
}
