internal import CExpat

/// Reads a document with expat, within limits that no model comes near.
///
/// Entities cannot be declared, so that a short document cannot expand into a long one, and nothing
/// outside the document is read.
final class XMLReader {
    static let maximumSize = 64 << 20
    private static let maximumDepth = 100
    private static let maximumElementCount = 1_000_000

    private let parser: XML_Parser
    /// The elements that are open, from the root.
    private var open: [XMLElement] = []
    private var root: XMLElement?
    private var elementCount = 0
    private var problem: String?

    static func read(_ bytes: [UInt8]) throws(XMLError) -> XMLElement {
        guard bytes.count <= maximumSize else {
            throw XMLError(description: "it has \(bytes.count) bytes; at most \(maximumSize) are read")
        }
        guard let parser = XML_ParserCreate(nil) else { throw XMLError(description: "there is not enough memory") }
        defer { XML_ParserFree(parser) }
        return try XMLReader(parser).parse(bytes)
    }

    private init(_ parser: XML_Parser) {
        self.parser = parser
    }

    private func parse(_ bytes: [UInt8]) throws(XMLError) -> XMLElement {
        XML_SetUserData(parser, Unmanaged.passUnretained(self).toOpaque())
        XML_SetElementHandler(
            parser,
            { reader, name, attributes in XMLReader.of(reader)?.begin(name, attributes) },
            { reader, _ in XMLReader.of(reader)?.end() })
        XML_SetCharacterDataHandler(parser) { reader, text, count in XMLReader.of(reader)?.add(text, Int(count)) }
        XML_SetEntityDeclHandler(parser) { reader, _, _, _, _, _, _, _, _ in
            XMLReader.of(reader)?.stop("it declares an entity, which is not allowed")
        }
        XML_SetSkippedEntityHandler(parser) { reader, _, _ in
            XMLReader.of(reader)?.stop("it uses an entity that it does not declare")
        }
        let status = bytes.withUnsafeBytes { XML_Parse(parser, $0.bindMemory(to: CChar.self).baseAddress, Int32($0.count), 1) }
        if let problem { throw XMLError(description: "\(problem) (line \(XML_GetCurrentLineNumber(parser)))") }
        guard status == XML_STATUS_OK, let root else {
            let reason = XML_ErrorString(XML_GetErrorCode(parser)).map { String(cString: $0) } ?? "it is empty"
            throw XMLError(description: "\(reason) (line \(XML_GetCurrentLineNumber(parser)))")
        }
        return root
    }

    private static func of(_ pointer: UnsafeMutableRawPointer?) -> XMLReader? {
        pointer.map { Unmanaged<XMLReader>.fromOpaque($0).takeUnretainedValue() }
    }

    private func stop(_ problem: String) {
        guard self.problem == nil else { return }
        self.problem = problem
        XML_StopParser(parser, 0)
    }

    private func begin(_ name: UnsafePointer<XML_Char>?, _ pairs: UnsafeMutablePointer<UnsafePointer<XML_Char>?>?) {
        elementCount += 1
        guard elementCount <= Self.maximumElementCount else { return stop("it has more than \(Self.maximumElementCount) elements") }
        guard open.count < Self.maximumDepth else { return stop("its elements are nested deeper than \(Self.maximumDepth) levels") }
        var attributes: [String: String] = [:]
        var next = 0
        while let pairs, let name = pairs[next], let value = pairs[next + 1] {
            attributes[String(cString: name)] = String(cString: value)
            next += 2
        }
        open.append(
            XMLElement(
                name: name.map { String(cString: $0) } ?? "", attributes: attributes, line: Int(XML_GetCurrentLineNumber(parser))))
    }

    private func end() {
        guard let element = open.popLast() else { return }
        if open.isEmpty {
            root = element
        } else {
            open[open.count - 1].children.append(element)
        }
    }

    private func add(_ text: UnsafePointer<XML_Char>?, _ count: Int) {
        guard let text, !open.isEmpty else { return }
        text.withMemoryRebound(to: UInt8.self, capacity: count) {
            open[open.count - 1].text += String(decoding: UnsafeBufferPointer(start: $0, count: count), as: UTF8.self)
        }
    }
}
