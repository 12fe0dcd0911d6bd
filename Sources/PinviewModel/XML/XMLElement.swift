/// An element of an XML document, with what is inside.
struct XMLElement {
    let name: String
    let attributes: [String: String]
    /// The line on which it begins.
    let line: Int
    var children: [XMLElement] = []
    /// The text directly inside, without that of the children.
    var text = ""

    func children(named name: String) -> [XMLElement] {
        children.filter { $0.name == name }
    }
}

/// Why bytes are not an XML document that is read.
struct XMLError: Error {
    let description: String
}
