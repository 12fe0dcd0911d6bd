/// The parts of an object ID's URI. Parsing is strict: each ID has exactly one valid text.
package struct ObjectURI: Hashable, Sendable {
    /// nil for a temporary ID.
    package let storeIdentifier: String?
    package let entityName: String
    package let primaryKey: Int64?
    package let temporarySerial: Int64?

    private static let scheme = "x-coredata://"
    private static let slash = UInt8(ascii: "/")

    private typealias Bytes = Slice<UnsafeBufferPointer<UInt8>>

    /// - Returns: nil if the text is not an object URI, or has a temporary ID of another process.
    package init?(_ uri: String) {
        var uri = uri
        guard let parsed = uri.withUTF8({ ObjectURI($0[...]) }) else { return nil }
        self = parsed
    }

    private init?(_ uri: Bytes) {
        guard uri.starts(with: Self.scheme.utf8) else { return nil }
        let store = uri.dropFirst(Self.scheme.utf8.count).prefix { $0 != Self.slash }
        let name = uri[store.endIndex...].dropFirst().prefix { $0 != Self.slash }
        let reference = uri[name.endIndex...].dropFirst()
        guard let kind = reference.first, let entityName = Self.decode(name) else { return nil }
        self.entityName = entityName
        let number = String(decoding: reference.dropFirst(), as: UTF8.self)
        switch kind {
        case UInt8(ascii: "p"):
            guard !store.isEmpty, store.allSatisfy(Self.isHostByte), let primaryKey = Int64(number), String(primaryKey) == number
            else { return nil }
            storeIdentifier = String(decoding: store, as: UTF8.self)
            self.primaryKey = primaryKey
            temporarySerial = nil
        case UInt8(ascii: "t"):
            guard store.isEmpty, let serial = TemporaryKeys.serial(fromText: number) else { return nil }
            storeIdentifier = nil
            primaryKey = nil
            temporarySerial = serial
        default:
            return nil
        }
    }

    static func text(storeIdentifier: String?, entityName: String, key: ObjectKey) -> String {
        let reference = key.isTemporary ? "t\(TemporaryKeys.text(forSerial: key.primaryKey))" : "p\(key.primaryKey)"
        return "\(scheme)\(storeIdentifier ?? "")/\(encode(entityName))/\(reference)"
    }

    private static func isHostByte(_ byte: UInt8) -> Bool {
        isUnreserved(byte)
    }

    private static func isUnreserved(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "0")...UInt8(ascii: "9"),
            UInt8(ascii: "_"), UInt8(ascii: "-"):
            true
        default: false
        }
    }

    /// Entity names may contain letters outside ASCII; URIs may not.
    private static func encode(_ name: String) -> String {
        if name.utf8.allSatisfy(isUnreserved) { return name }
        var result = ""
        for byte in name.utf8 {
            if isUnreserved(byte) {
                result.unicodeScalars.append(Unicode.Scalar(byte))
            } else {
                let digits = String(byte, radix: 16, uppercase: true)
                result += digits.utf8.count == 1 ? "%0\(digits)" : "%\(digits)"
            }
        }
        return result
    }

    private static func decode(_ text: Bytes) -> String? {
        if text.allSatisfy(isUnreserved) { return text.isEmpty ? nil : String(decoding: text, as: UTF8.self) }
        var bytes: [UInt8] = []
        var rest = text
        while let byte = rest.popFirst() {
            if byte != UInt8(ascii: "%") {
                bytes.append(byte)
                continue
            }
            guard rest.count >= 2, let decoded = UInt8(String(decoding: rest.prefix(2), as: UTF8.self), radix: 16) else { return nil }
            bytes.append(decoded)
            rest = rest.dropFirst(2)
        }
        guard let name = String(validating: bytes, as: UTF8.self) else { return nil }
        // Each ID has one text: needless escapes are rejected.
        return encode(name).utf8.elementsEqual(text) ? name : nil
    }
}
