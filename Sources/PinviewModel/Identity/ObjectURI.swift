/// The parts of an object ID's URI. Parsing is strict: each ID has exactly one valid text.
package struct ObjectURI: Hashable, Sendable {
    /// nil for a temporary ID.
    package let storeIdentifier: String?
    package let entityName: String
    package let primaryKey: Int64?
    package let temporarySerial: Int64?

    private static let scheme = "x-coredata://"

    /// - Returns: nil if the text is not an object URI, or has a temporary ID of another process.
    package init?(_ uri: String) {
        guard uri.hasPrefix(Self.scheme) else { return nil }
        let parts = uri.utf8.dropFirst(Self.scheme.utf8.count).split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
        guard parts.count == 3, let kind = parts[2].first, let entityName = Self.decode(parts[1]),
            let reference = String(parts[2].dropFirst())
        else { return nil }
        self.entityName = entityName
        switch kind {
        case UInt8(ascii: "p"):
            guard !parts[0].isEmpty, parts[0].allSatisfy(Self.isHostByte), let store = String(parts[0]),
                let primaryKey = Int64(reference), String(primaryKey) == reference
            else { return nil }
            storeIdentifier = store
            self.primaryKey = primaryKey
            temporarySerial = nil
        case UInt8(ascii: "t"):
            guard parts[0].isEmpty, let serial = TemporaryKeys.serial(fromText: reference) else { return nil }
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

    private static func decode(_ text: Substring.UTF8View) -> String? {
        var bytes: [UInt8] = []
        var rest = text[...]
        while let byte = rest.popFirst() {
            if byte != UInt8(ascii: "%") {
                bytes.append(byte)
                continue
            }
            guard rest.count >= 2, let digits = String(rest.prefix(2)), let decoded = UInt8(digits, radix: 16) else { return nil }
            bytes.append(decoded)
            rest = rest.dropFirst(2)
        }
        guard !bytes.isEmpty, let name = String(validating: bytes, as: UTF8.self) else { return nil }
        // Each ID has one text: needless escapes are rejected.
        return encode(name).utf8.elementsEqual(text) ? name : nil
    }
}
