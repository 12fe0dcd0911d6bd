import Glibc

extension String {
    /// Whether both texts have the same UTF-8 bytes. Stricter than `==`, which compares by
    /// canonical equivalence.
    package func hasSameBytes(as other: String) -> Bool {
        let left = utf8
        let right = other.utf8
        guard left.count == right.count else { return false }
        let same = left.withContiguousStorageIfAvailable { leftBytes in
            right.withContiguousStorageIfAvailable { rightBytes in
                guard let leftStart = leftBytes.baseAddress, let rightStart = rightBytes.baseAddress else { return true }
                return memcmp(leftStart, rightStart, leftBytes.count) == 0
            }
        }
        if let same = same.flatMap({ $0 }) { return same }
        return left.elementsEqual(right)
    }

    func hashBytes(into hasher: inout Hasher) {
        var text = self
        text.withUTF8 { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
        hasher.combine(0xFF as UInt8)  // a terminator: this byte does not occur in UTF-8
    }

    /// The text in double quotes for error messages, with control characters escaped and cut after
    /// 80 characters.
    package var quotedForPeople: String {
        var result = "\""
        var count = 0
        for scalar in unicodeScalars {
            if count == 80 {
                return result + "…\""
            }
            count += 1
            switch scalar {
            case "\"": result += "\\\""
            case "\\": result += "\\\\"
            case "\n": result += "\\n"
            case _ where scalar.value < 0x20 || scalar.value == 0x7F: result += "\\u{\(String(scalar.value, radix: 16))}"
            default: result.unicodeScalars.append(scalar)
            }
        }
        return result + "\""
    }
}

/// A text as a key: it equals only a text with the same bytes, as in stores, where Swift's strings
/// also equal those that merely look the same.
package struct ExactText: Hashable, Sendable {
    package let text: String

    package init(_ text: String) { self.text = text }

    package static func == (left: ExactText, right: ExactText) -> Bool { left.text.hasSameBytes(as: right.text) }
    package func hash(into hasher: inout Hasher) { text.hashBytes(into: &hasher) }
}
