import Foundation

@testable import PinviewModel

/// A JSON parser for the tests: the library parses JSON with SQLite, which this module cannot use.
func parseJSON(_ text: String) -> JSONValue? {
    var parser = JSONParser(bytes: Array(text.utf8))
    guard let value = parser.value() else { return nil }
    parser.skipSpace()
    return parser.position == parser.bytes.count ? value : nil
}

private struct JSONParser {
    let bytes: [UInt8]
    var position = 0

    init(bytes: [UInt8]) {
        self.bytes = bytes
    }

    mutating func skipSpace() {
        while position < bytes.count, [0x20, 0x0A, 0x0D, 0x09].contains(bytes[position]) { position += 1 }
    }

    mutating func take(_ text: String) -> Bool {
        skipSpace()
        guard bytes[position...].starts(with: text.utf8) else { return false }
        position += text.utf8.count
        return true
    }

    mutating func value() -> JSONValue? {
        if take("null") { return .null }
        if take("true") { return .boolean(true) }
        if take("false") { return .boolean(false) }
        if take("[") { return array() }
        if take("{") { return object() }
        if take("\"") { return string().map { .string($0) } }
        return number()
    }

    mutating func array() -> JSONValue? {
        var elements: [JSONValue] = []
        if take("]") { return .array([]) }
        repeat {
            guard let element = value() else { return nil }
            elements.append(element)
        } while take(",")
        return take("]") ? .array(elements) : nil
    }

    mutating func object() -> JSONValue? {
        var members: [JSONValue.Member] = []
        if take("}") { return .object([]) }
        repeat {
            guard take("\""), let name = string(), take(":"), let value = value() else { return nil }
            members.append(.init(name, value))
        } while take(",")
        return take("}") ? .object(members) : nil
    }

    /// Leaves unescaping to Foundation, so that it checks the writer's escapes.
    mutating func string() -> String? {
        let start = position - 1
        while position < bytes.count, bytes[position] != UInt8(ascii: "\"") {
            position += bytes[position] == UInt8(ascii: "\\") ? 2 : 1
        }
        guard position < bytes.count else { return nil }
        position += 1
        let document = Data("[".utf8) + Data(bytes[start..<position]) + Data("]".utf8)
        return (try? JSONSerialization.jsonObject(with: document) as? [String])?.first
    }

    mutating func number() -> JSONValue? {
        skipSpace()
        let digits = bytes[position...].prefix { "+-.eE0123456789".utf8.contains($0) }
        position += digits.count
        let text = String(decoding: digits, as: UTF8.self)
        return Int64(text).map { .integer($0) } ?? Double(text).map { .number($0) }
    }
}
