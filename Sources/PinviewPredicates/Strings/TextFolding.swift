@_spi(_Unicode) import Swift

/// Folds strings for `[c]` and `[d]`.
enum TextFolding {
    /// - Returns: nil if the string is already in folded form.
    static func folded(_ text: UnsafeBufferPointer<UInt8>, _ options: PredicateOptions) -> String? {
        var isASCII = true
        var hasUpperCase = false
        for byte in text {
            if byte >= 0x80 {
                isASCII = false
                break
            }
            if isUpperCase(byte) { hasUpperCase = true }
        }
        guard isASCII else { return foldedRuns(text, options) }
        guard hasUpperCase, options.contains(.caseInsensitive) else { return nil }
        return String(unsafeUninitializedCapacity: text.count) { buffer in
            for (index, byte) in text.enumerated() { buffer[index] = isUpperCase(byte) ? byte | 0x20 : byte }
            return text.count
        }
    }

    private static func isUpperCase(_ byte: UInt8) -> Bool { byte >= UInt8(ascii: "A") && byte <= UInt8(ascii: "Z") }

    /// Folds ASCII byte by byte and other runs by scalars: decomposition never reorders marks
    /// across an ASCII character.
    private static func foldedRuns(_ text: UnsafeBufferPointer<UInt8>, _ options: PredicateOptions) -> String {
        let ignoresCase = options.contains(.caseInsensitive)
        var result: [UInt8] = []
        result.reserveCapacity(text.count)
        var position = 0
        while position < text.count {
            let byte = text[position]
            guard byte >= 0x80 else {
                result.append(ignoresCase && isUpperCase(byte) ? byte | 0x20 : byte)
                position += 1
                continue
            }
            let start = position
            while position < text.count, text[position] >= 0x80 { position += 1 }
            let run = String(decoding: UnsafeBufferPointer(rebasing: text[start..<position]), as: UTF8.self)
            result += Array(foldedScalars(run, options).utf8)
        }
        return String(decoding: result, as: UTF8.self)
    }

    private static func foldedScalars(_ text: String, _ options: PredicateOptions) -> String {
        var result = String.UnicodeScalarView()
        if options.contains(.diacriticInsensitive) {
            // The standard library's own decomposition; the alternative would be ICU.
            for scalar in text._nfd where scalar.properties.generalCategory != .nonspacingMark { append(scalar, options, to: &result) }
        } else {
            for scalar in text.unicodeScalars { append(scalar, options, to: &result) }
        }
        return String(result)
    }

    private static func append(_ scalar: Unicode.Scalar, _ options: PredicateOptions, to result: inout String.UnicodeScalarView) {
        guard options.contains(.caseInsensitive) else {
            result.append(scalar)
            return
        }
        if scalar.isASCII {
            result.append(isUpperCase(UInt8(truncatingIfNeeded: scalar.value)) ? Unicode.Scalar(UInt8(scalar.value) | 0x20) : scalar)
            return
        }
        // The dotless ı is the only letter whose upper case belongs to another letter; folding
        // leaves it.
        if scalar == "\u{131}" {
            result.append(scalar)
            return
        }
        // The standard library has no case folding. Mapping to lower, upper and lower case again
        // gives the same classes with other representatives (only this way do ẞ, ß and ss become
        // equal).
        for lower in scalar.properties.lowercaseMapping.unicodeScalars {
            for upper in lower.properties.uppercaseMapping.unicodeScalars {
                for folded in upper.properties.lowercaseMapping.unicodeScalars where !isDropped(folded, options) { result.append(folded) }
            }
        }
    }

    /// Case mappings can add marks.
    private static func isDropped(_ scalar: Unicode.Scalar, _ options: PredicateOptions) -> Bool {
        options.contains(.diacriticInsensitive) && scalar.properties.generalCategory == .nonspacingMark
    }
}
