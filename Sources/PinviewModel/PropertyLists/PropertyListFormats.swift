extension PropertyListValue {
    /// Reads a property list, binary or XML.
    package init(propertyList bytes: [UInt8]) throws(PropertyListError) {
        if bytes.starts(with: Array("bplist".utf8)) {
            self = try PropertyListValue(binary: bytes)
        } else {
            self = try PropertyListValue(xml: bytes)
        }
    }

    private init(xml bytes: [UInt8]) throws(PropertyListError) {
        let root: XMLElement
        do throws(XMLError) {
            root = try XMLReader.read(bytes)
        } catch {
            throw PropertyListError(description: error.description)
        }
        guard root.name == "plist", let value = root.children.first, root.children.count == 1 else {
            throw PropertyListError(description: "its root is not a <plist> with one value")
        }
        self = try Self.value(value)
    }

    /// As deep as the reader of XML allows.
    private static func value(_ element: XMLElement) throws(PropertyListError) -> PropertyListValue {
        switch element.name {
        case "string": return .string(element.text)
        case "true": return .boolean(true)
        case "false": return .boolean(false)
        case "integer":
            guard let number = Int64(element.text.trimmed) else { throw malformed(element) }
            return .integer(number)
        case "real":
            guard let number = Double(element.text.trimmed) else { throw malformed(element) }
            return .real(number)
        case "data":
            let digits = String(element.text.unicodeScalars.filter { !$0.properties.isWhitespace }.map(Character.init))
            guard let bytes = Base64.decode(digits) else { throw malformed(element) }
            return .data(bytes)
        // Nobody computes with dates that are read from XML.
        case "date": return .string(element.text)
        case "array":
            var elements: [PropertyListValue] = []
            for child in element.children { elements.append(try value(child)) }
            return .array(elements)
        case "dict":
            var members: [String: PropertyListValue] = [:]
            guard element.children.count.isMultiple(of: 2) else { throw malformed(element) }
            for index in stride(from: 0, to: element.children.count, by: 2) {
                guard element.children[index].name == "key" else { throw malformed(element) }
                members[element.children[index].text] = try value(element.children[index + 1])
            }
            // How XML writes the references of a keyed archive.
            if members.count == 1, case .integer(let number)? = members["CF$UID"], number >= 0 { return .uid(UInt64(number)) }
            return .dictionary(members)
        default: throw malformed(element)
        }
    }

    private static func malformed(_ element: XMLElement) -> PropertyListError {
        PropertyListError(description: "the <\(element.name)> on line \(element.line) is malformed")
    }
}

extension String {
    /// Without white space at both ends.
    var trimmed: String {
        var rest = unicodeScalars[...]
        while let first = rest.first, first.properties.isWhitespace { rest.removeFirst() }
        while let last = rest.last, last.properties.isWhitespace { rest.removeLast() }
        return String(rest)
    }
}
