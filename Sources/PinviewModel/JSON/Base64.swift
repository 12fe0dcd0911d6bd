/// Base64 (RFC 4648, section 4), for default values in JSON models.
enum Base64 {
    private static let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)
    private static let padding = UInt8(ascii: "=")

    static func encode(_ bytes: [UInt8]) -> String {
        var text: [UInt8] = []
        for start in stride(from: 0, to: bytes.count, by: 3) {
            let group = bytes[start..<min(start + 3, bytes.count)]
            let bits = group.reduce(UInt32(0)) { $0 << 8 | UInt32($1) } << UInt32(8 * (3 - group.count))
            for digit in 0..<4 {
                text.append(digit <= group.count ? alphabet[Int(bits >> UInt32(18 - 6 * digit)) & 63] : padding)
            }
        }
        return String(decoding: text, as: UTF8.self)
    }

    /// - Returns: nil unless the text is canonical, padded base64.
    static func decode(_ text: String) -> [UInt8]? {
        let digits = Array(text.utf8)
        guard digits.count % 4 == 0 else { return nil }
        var bytes: [UInt8] = []
        for start in stride(from: 0, to: digits.count, by: 4) {
            let group = digits[start..<(start + 4)].prefix { $0 != padding }
            guard group.count >= 2 else { return nil }
            var bits: UInt32 = 0
            for digit in group {
                guard let value = alphabet.firstIndex(of: digit) else { return nil }
                bits = bits << 6 | UInt32(value)
            }
            bits <<= UInt32(6 * (4 - group.count))
            for position in 0..<(group.count - 1) {
                bytes.append(UInt8(truncatingIfNeeded: bits >> UInt32(16 - 8 * position)))
            }
        }
        // Rejects padding in the middle, stray bits, and anything after the padding.
        return encode(bytes) == text ? bytes : nil
    }
}
