/// The order of the versions in a bundle, by their names: `Shop`, `Shop 2`, `Shop 10`.
enum VersionNameOrder {
    /// Compares numbers in the names by their values, everything else by its bytes.
    static func precedes(_ left: String, _ right: String) -> Bool {
        var bytes = Array(left.utf8)[...], others = Array(right.utf8)[...]
        while let byte = bytes.first, let other = others.first {
            if isDigit(byte), isDigit(other) {
                let number = takeNumber(&bytes), otherNumber = takeNumber(&others)
                if number.count != otherNumber.count { return number.count < otherNumber.count }
                if number != otherNumber { return number.lexicographicallyPrecedes(otherNumber) }
            } else {
                if byte != other { return byte < other }
                bytes.removeFirst()
                others.removeFirst()
            }
        }
        if bytes.isEmpty != others.isEmpty { return bytes.isEmpty }
        // Nothing differs, or leading zeros.
        return left < right
    }

    private static func isDigit(_ byte: UInt8) -> Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) }

    /// Takes the digits from the beginning, without leading zeros.
    private static func takeNumber(_ bytes: inout ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        let digits = bytes.prefix(while: isDigit)
        bytes = bytes.dropFirst(digits.count)
        return digits.drop { $0 == UInt8(ascii: "0") }
    }
}
