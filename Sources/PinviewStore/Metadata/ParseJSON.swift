import PinviewGenerations
import PinviewModel

/// Reads a JSON document with SQLite's JSON functions.
///
/// - Parameter text: at most 256 MB, nested at most 500 levels deep.
/// - Throws: `invalidArgument` for text that is not JSON, with the position of the error if SQLite
///   reports it.
package func parseJSON(_ text: String) throws(PinviewError) -> JSONValue {
    do {
        return try JSONTree.parse(text)
    } catch let error as PinviewError {
        throw error
    } catch let error as SQLiteError {
        throw PinviewError(.invalidArgument, "The JSON text could not be read: \(error.message).")
    } catch {
        throw PinviewError(.invalidArgument, "The JSON text could not be read: \(error).")
    }
}

/// Assembles the rows of `json_tree`.
private struct JSONTree {
    private static let maximumDepth = 500
    private static let maximumSize = 256 << 20

    private struct Node {
        let parent: Int
        let depth: Int
        let name: String
        var value: JSONValue
        var isObject = false
        var isContainer = false
        var children: [Int] = []
    }

    static func parse(_ text: String) throws -> JSONValue {
        guard text.utf8.count <= maximumSize else {
            throw PinviewError(.invalidArgument, "The JSON text has \(text.utf8.count) bytes; the maximum is \(maximumSize).")
        }
        // SQLite would take a NUL for the end and ignore what follows.
        if let position = text.utf8.firstIndex(of: 0) {
            let offset = text.utf8.distance(from: text.startIndex, to: position)
            throw PinviewError(.invalidArgument, "The JSON text has a NUL character at byte \(offset).")
        }
        let file = try StoreFile.openInMemory(options: StoreFileOptions())
        defer { file.close() }
        return try file.readNewest { connection in
            let validity = try connection.statement("SELECT json_valid(?)")
            defer { validity.reset() }
            try validity.bind(1, text)
            guard try validity.step(), validity.int64(0) == 1 else { throw malformed(text, connection) }
            return try assemble(text, connection)
        }
    }

    private static func malformed(_ text: String, _ connection: Connection) -> PinviewError {
        // Only in newer versions of SQLite.
        if let statement = try? connection.statement("SELECT json_error_position(?)") {
            defer { statement.reset() }
            if (try? statement.bind(1, text)) != nil, (try? statement.step()) == true, statement.int64(0) > 0 {
                return PinviewError(.invalidArgument, "The text is not valid JSON: there is an error at character \(statement.int64(0)).")
            }
        }
        return PinviewError(.invalidArgument, "The text is not valid JSON, or is nested too deeply: \(text.quotedForPeople).")
    }

    private static func assemble(_ text: String, _ connection: Connection) throws -> JSONValue {
        let statement = try connection.statement("SELECT id, parent, type, key, atom FROM json_tree(?)")
        defer { statement.reset() }
        try statement.bind(1, text)
        var nodes: [Node] = []
        var positions: [Int64: Int] = [:]
        while try statement.step() {
            let parent = statement.isNull(1) ? -1 : positions[statement.int64(1)] ?? -1
            let depth = parent < 0 ? 0 : nodes[parent].depth + 1
            guard depth <= maximumDepth else {
                throw PinviewError(.invalidArgument, "The JSON text is nested deeper than \(maximumDepth) levels.")
            }
            let isMember = parent >= 0 && nodes[parent].isObject
            var node = Node(parent: parent, depth: depth, name: isMember ? statement.string(3) : "", value: .null)
            switch statement.string(2) {
            case "object": (node.isObject, node.isContainer) = (true, true)
            case "array": node.isContainer = true
            case "true": node.value = .boolean(true)
            case "false": node.value = .boolean(false)
            case "integer" where statement.type(4) == .integer: node.value = .integer(statement.int64(4))
            case "integer", "real": node.value = .number(statement.double(4))
            case "text": node.value = .string(statement.string(4))
            default: node.value = .null
            }
            if parent >= 0 { nodes[parent].children.append(nodes.count) }
            positions[statement.int64(0)] = nodes.count
            nodes.append(node)
        }
        // Children come after their parents, so the last ones are complete first.
        for index in nodes.indices.reversed() where nodes[index].isContainer {
            let children = nodes[index].children
            nodes[index].value =
                nodes[index].isObject
                ? .object(children.map { JSONValue.Member(nodes[$0].name, nodes[$0].value) }) : .array(children.map { nodes[$0].value })
        }
        return nodes.first?.value ?? .null
    }
}
