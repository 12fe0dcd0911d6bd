import CPinview
import Pinview

/// The type of a column in a program's Arrow stream, according to its format.
enum ArrowType {
    case null, boolean
    case integer(bytes: Int, isSigned: Bool)
    /// 16, 32 and 64 bits.
    case half, float, double
    /// UTF-8 or bytes, with offsets of 32 or 64 bits.
    case text(isLarge: Bool), binary(isLarge: Bool)
    case textView, binaryView
    case fixed(size: Int)
    case decimal(bytes: Int, scale: Int)
    /// Units since 1970-01-01 00:00 UTC, in integers of `bytes` bytes: `perSecond` units a second,
    /// or days of 86,400 `secondsPerUnit`.
    case moment(bytes: Int, perSecond: Int64, secondsPerUnit: Int64)
    indirect case dictionary(indexBytes: Int, isSigned: Bool, values: ArrowType)

    /// - Throws: `wrongType` for a format that no property accepts.
    init(_ schema: ArrowSchema, name: String) throws(PinviewError) {
        let format = String(cString: schema.format ?? UnsafeRawPointer(emptyFormat.utf8Start).assumingMemoryBound(to: CChar.self))
        if let dictionary = schema.dictionary {
            guard case .integer(let bytes, let isSigned)? = Self.simple(format), schema.dictionary.pointee.dictionary == nil else {
                throw Self.unknown(format, name)
            }
            self = .dictionary(indexBytes: bytes, isSigned: isSigned, values: try ArrowType(dictionary.pointee, name: name))
            return
        }
        if format.hasPrefix("ts"), format.hasSuffix(":") { throw Self.withoutZone(name) }
        guard let type = Self.simple(format) ?? Self.withParameters(format) else { throw Self.unknown(format, name) }
        self = type
    }

    private static func unknown(_ format: String, _ name: String) -> PinviewError {
        PinviewError(
            .wrongType,
            "The column '\(name)' has the Arrow format '\(format.prefix(100))', which no property accepts. Convert it, or leave it out.")
    }

    private static func withoutZone(_ name: String) -> PinviewError {
        PinviewError(
            .wrongType,
            "The column '\(name)' has timestamps without a time zone, which are ambiguous. Give the column a time zone, for "
                + "example by a cast to timestamp[us, UTC].")
    }

    private static func simple(_ format: String) -> ArrowType? {
        switch format {
        case "n": .null
        case "b": .boolean
        case "c": .integer(bytes: 1, isSigned: true)
        case "C": .integer(bytes: 1, isSigned: false)
        case "s": .integer(bytes: 2, isSigned: true)
        case "S": .integer(bytes: 2, isSigned: false)
        case "i": .integer(bytes: 4, isSigned: true)
        case "I": .integer(bytes: 4, isSigned: false)
        case "l": .integer(bytes: 8, isSigned: true)
        case "L": .integer(bytes: 8, isSigned: false)
        case "e": .half
        case "f": .float
        case "g": .double
        case "u": .text(isLarge: false)
        case "U": .text(isLarge: true)
        case "z": .binary(isLarge: false)
        case "Z": .binary(isLarge: true)
        case "vu": .textView
        case "vz": .binaryView
        case "tdD": .moment(bytes: 4, perSecond: 1, secondsPerUnit: 86_400)
        case "tdm": .moment(bytes: 8, perSecond: 1_000, secondsPerUnit: 1)
        default: nil
        }
    }

    private static func withParameters(_ format: String) -> ArrowType? {
        let parts = format.utf8.split(separator: UInt8(ascii: ":"), maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.count == 2, let kind = String(parts[0]), let parameters = String(parts[1]) else { return nil }
        switch kind {
        // Whatever the time zone, the time is counted in UTC.
        case "tss": return .moment(bytes: 8, perSecond: 1, secondsPerUnit: 1)
        case "tsm": return .moment(bytes: 8, perSecond: 1_000, secondsPerUnit: 1)
        case "tsu": return .moment(bytes: 8, perSecond: 1_000_000, secondsPerUnit: 1)
        case "tsn": return .moment(bytes: 8, perSecond: 1_000_000_000, secondsPerUnit: 1)
        case "w":
            guard let size = Int(parameters), size >= 0, size < 1 << 30 else { return nil }
            return .fixed(size: size)
        case "d":
            let numbers = parameters.utf8.split(separator: UInt8(ascii: ",")).map { Int(String($0) ?? "") ?? -1000 }
            guard numbers.count == 2 || numbers.count == 3 && numbers[2] == 128, numbers[0] > 0, (-400...400).contains(numbers[1]) else {
                return nil
            }
            return .decimal(bytes: 16, scale: numbers[1])
        default: return nil
        }
    }

    /// Whether an attribute of a type, or a to-one relationship (nil), accepts the values or some
    /// of them.
    func fits(_ attribute: AttributeType?) -> Bool {
        switch self {
        case .null: return true
        case .dictionary(_, _, let values): return values.fits(attribute)
        case .integer: return attribute.map { Self.numbers.contains($0) } ?? true
        case .boolean, .half, .float, .double, .decimal: return attribute.map { Self.numbers.contains($0) } ?? false
        case .text, .textView: return attribute.map { [.string, .uri, .decimal, .uuid].contains($0) } ?? true
        case .binary, .binaryView, .fixed: return attribute.map { [.binaryData, .transformable, .uuid].contains($0) } ?? false
        case .moment: return attribute == .date
        }
    }

    private static let numbers: [AttributeType] = [.integer16, .integer32, .integer64, .decimal, .double, .float, .boolean]

    /// The minimum number of buffers of an array.
    var bufferCount: Int64 {
        switch self {
        case .null: 0
        case .text, .binary, .textView, .binaryView: 3
        default: 2
        }
    }
}

private let emptyFormat: StaticString = ""
