/// What the nodes of a JSON document share.
final class JSONDocument {
    let checking: ModelChecking
    /// What was passed over.
    var warnings: [String] = []

    init(_ checking: ModelChecking) {
        self.checking = checking
    }
}

/// A node of a JSON document, with its path for error messages (`$.entities[0].name`).
struct JSONNode {
    let value: JSONValue
    let path: String
    let document: JSONDocument

    func mistake(_ what: String) -> PinviewError {
        .badModel("\(path) \(what).")
    }

    private func expected(_ what: String) -> PinviewError {
        mistake("must be \(what), but is \(value.descriptionForPeople)")
    }

    func string() throws(PinviewError) -> String {
        guard case .string(let text) = value else { throw expected("a string") }
        return text
    }

    func boolean() throws(PinviewError) -> Bool {
        guard case .boolean(let flag) = value else { throw expected("true or false") }
        return flag
    }

    func count() throws(PinviewError) -> Int {
        guard case .integer(let number) = value, let count = Int(exactly: number) else { throw expected("a whole number") }
        return count
    }

    func elements() throws(PinviewError) -> [JSONNode] {
        guard case .array(let elements) = value else { throw expected("an array") }
        return elements.enumerated().map { JSONNode(value: $1, path: "\(path)[\($0)]", document: document) }
    }

    func strings() throws(PinviewError) -> [String] {
        try map { node throws(PinviewError) in try node.string() }
    }

    func map<Element>(_ read: (JSONNode) throws(PinviewError) -> Element) throws(PinviewError) -> [Element] {
        var result: [Element] = []
        for node in try elements() { result.append(try read(node)) }
        return result
    }

    /// The members in document order. A duplicate name is an error.
    func members() throws(PinviewError) -> [(name: String, node: JSONNode)] {
        guard case .object(let members) = value else { throw expected("an object") }
        var seen = Set<String>()
        var result: [(name: String, node: JSONNode)] = []
        for member in members {
            guard seen.insert(member.name).inserted else { throw mistake("has the duplicate key \(member.name.quotedForPeople)") }
            result.append((member.name, JSONNode(value: member.value, path: path + Self.step(member.name), document: document)))
        }
        return result
    }

    /// The node as an object with the given keys. Others are errors with strict checking, so that
    /// typos are reported, and warnings else.
    func object(keys: [String]) throws(PinviewError) -> JSONObject {
        var nodes: [String: JSONNode] = [:]
        for (name, node) in try members() {
            if keys.contains(name) {
                nodes[name] = node
            } else if document.checking == .strict {
                throw mistake("has the unknown key \(name.quotedForPeople); expected one of \(keys.joined(separator: ", "))")
            } else {
                document.warnings.append("\(path) has the unknown key \(name.quotedForPeople): it is ignored.")
            }
        }
        return JSONObject(node: self, nodes: nodes)
    }

    private static func step(_ name: String) -> String {
        let isPlain = !name.isEmpty && name.unicodeScalars.allSatisfy { $0.properties.isAlphabetic || $0 == "_" }
        return isPlain ? ".\(name)" : "[\(name.quotedForPeople)]"
    }
}

/// A JSON object whose keys have been checked. A key with the value null counts as absent.
struct JSONObject {
    let node: JSONNode
    fileprivate let nodes: [String: JSONNode]

    fileprivate init(node: JSONNode, nodes: [String: JSONNode]) {
        self.node = node
        self.nodes = nodes
    }

    subscript(key: String) -> JSONNode? {
        guard let node = nodes[key], node.value != .null else { return nil }
        return node
    }

    func required(_ key: String) throws(PinviewError) -> JSONNode {
        guard let node = self[key] else { throw self.node.mistake("lacks the key \(key.quotedForPeople)") }
        return node
    }

    func string(_ key: String) throws(PinviewError) -> String? {
        try self[key]?.string()
    }

    func boolean(_ key: String, default value: Bool) throws(PinviewError) -> Bool {
        try self[key]?.boolean() ?? value
    }

    func count(_ key: String) throws(PinviewError) -> Int? {
        try self[key]?.count()
    }

    func list<Element>(_ key: String, _ read: (JSONNode) throws(PinviewError) -> Element) throws(PinviewError) -> [Element] {
        try self[key]?.map(read) ?? []
    }

    /// A dictionary of strings, such as user info.
    func texts(_ key: String) throws(PinviewError) -> [String: String] {
        var texts: [String: String] = [:]
        for (name, node) in try self[key]?.members() ?? [] { texts[name] = try node.string() }
        return texts
    }
}

extension JSONValue {
    fileprivate var descriptionForPeople: String {
        switch self {
        case .null: "null"
        case .boolean(let value): value ? "true" : "false"
        case .integer(let value): "the number \(value)"
        case .number(let value): "the number \(value)"
        case .string(let value): "the string \(value.quotedForPeople)"
        case .array: "an array"
        case .object: "an object"
        }
    }
}
