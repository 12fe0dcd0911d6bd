import FoundationEssentials

extension Value {
    /// The value for people and for programs that read JSON: dates as ISO 8601 text in UTC,
    /// property lists and keyed archives as what they contain, other data as
    /// `{"$bytes": 3, "$base64": "AQID"}`.
    ///
    /// No object is made of a class that an archive names: an object of another class than those of
    /// common values is shown with its members and `"$class"`.
    public var readable: JSONValue {
        switch self {
        case .null: .null
        case .boolean(let flag): .boolean(flag)
        case .integer(let number): .integer(number)
        case .double(let number): ReadableData.json(number)
        case .string(let text): .string(text)
        case .binary(let bytes): ReadableData.json(bytes)
        case .date(let date): ReadableData.json(date: date.timeIntervalSinceReferenceDate)
        case .uuid(let uuid): .string(uuid.uuidString)
        case .decimal(let number): .string(number.description)
        case .objectID(let objectID): .string(objectID.uriRepresentation)
        }
    }
}

/// Data as JSON, whoever wrote it. Time and size of the result are limited by the size of the data.
private struct ReadableData {
    private static let maximumDepth = 200

    /// The size of the JSON text that may still be made, roughly. Parts of a list can be shared by
    /// many others, so that little data can describe much.
    private var budget: Int
    private let archive: KeyedArchive?
    /// The objects of the archive around the one that is shown.
    private var open: Set<UInt64> = []

    static func json(_ bytes: [UInt8]) -> JSONValue {
        guard looksLikePropertyList(bytes), let list = try? PropertyListValue(propertyList: bytes) else { return opaque(bytes) }
        let archive = try? KeyedArchive(list)
        var data = ReadableData(budget: 1_000_000 + 16 * bytes.count, archive: archive)
        let json = archive.map { data.json(archived: $0.contents, 0) } ?? data.json(list, 0)
        return data.budget < 0 || archive?.isExhausted == true ? opaque(bytes) : json
    }

    static func json(_ number: Double) -> JSONValue {
        number.isFinite ? .number(number) : .string(number.isNaN ? "NaN" : number < 0 ? "-Infinity" : "Infinity")
    }

    static func json(date seconds: Double) -> JSONValue { DateText.text(seconds).map { .string($0) } ?? json(seconds) }

    private static func looksLikePropertyList(_ bytes: [UInt8]) -> Bool {
        ["bplist0", "<?xml", "<!DOCTYPE plist", "<plist"].contains { bytes.starts(with: $0.utf8) }
    }

    private static func opaque(_ bytes: [UInt8]) -> JSONValue {
        .object([.init("$bytes", .integer(Int64(bytes.count))), .init("$base64", .string(Base64.encode(bytes)))])
    }

    private init(budget: Int, archive: KeyedArchive?) {
        self.budget = budget
        self.archive = archive
    }

    private mutating func spend(_ count: Int, _ depth: Int) -> Bool {
        budget = depth > Self.maximumDepth ? -1 : budget - count - 8
        return budget >= 0
    }

    // MARK: Property lists

    private mutating func json(_ list: PropertyListValue, _ depth: Int) -> JSONValue {
        guard spend(0, depth) else { return .null }
        switch list {
        case .null: return .null
        case .boolean(let flag): return .boolean(flag)
        case .integer(let number): return .integer(number)
        case .unsigned(let number): return .string(String(number))
        case .real(let number): return Self.json(number)
        case .date(let seconds): return Self.json(date: seconds)
        case .data(let bytes): return spend(bytes.count, depth) ? Self.opaque(bytes) : .null
        case .string(let text): return spend(text.utf8.count, depth) ? .string(text) : .null
        case .uid(let number): return .object([.init("$uid", .integer(Int64(clamping: number)))])
        case .array(let elements), .set(let elements): return .array(elements.map { json($0, depth + 1) })
        case .dictionary(let members): return .object(json(members, depth) { $0.json($1, depth + 1) })
        }
    }

    private mutating func json(
        _ members: [String: PropertyListValue], _ depth: Int, _ value: (inout ReadableData, PropertyListValue) -> JSONValue
    ) -> [JSONValue.Member] {
        members.sorted { $0.key < $1.key }.map { name, member in
            .init(name, spend(name.utf8.count, depth) ? value(&self, member) : .null)
        }
    }

    // MARK: Keyed archives

    private mutating func json(archived member: PropertyListValue?, _ depth: Int) -> JSONValue {
        guard let archive, let member, spend(0, depth) else { return .null }
        guard case .uid(let number) = member else { return json(archive, member, depth) }
        guard open.insert(number).inserted else { return .object([.init("$circular", .integer(Int64(clamping: number)))]) }
        defer { open.remove(number) }
        return json(archive, member, depth)
    }

    private mutating func json(_ archive: KeyedArchive, _ member: PropertyListValue, _ depth: Int) -> JSONValue {
        switch archive.scalar(member) {
        case .string(let text)?: return spend(text.utf8.count, depth) ? .string(text) : .null
        case .binary(let bytes)?: return spend(bytes.count, depth) ? Self.opaque(bytes) : .null
        case let value?: return value.readable
        case nil: break
        }
        guard let object = archive.object(member) else {
            return archive.value(member).map { json(unclassed: $0, depth) } ?? .null
        }
        if object.className == "NSNull" { return .null }
        if Self.collections.contains(object.className), let elements = archive.elements(member) {
            return .array(elements.map { json(archived: $0, depth + 1) })
        }
        if object.className.hasSuffix("Dictionary"), let entries = archive.entries(member) { return json(entries, archive, depth) }
        var members = object.members
        members["$class"] = nil
        return .object(
            [.init("$class", .string(object.className))] + json(members, depth) { $0.json(archived: $1, depth + 1) })
    }

    private static let collections: Set<String> = [
        "NSArray", "NSMutableArray", "NSSet", "NSMutableSet", "NSOrderedSet", "NSMutableOrderedSet",
    ]

    /// What has no class in an archive is a property list whose references lead to objects.
    private mutating func json(unclassed list: PropertyListValue, _ depth: Int) -> JSONValue {
        switch list {
        case .array(let elements), .set(let elements): .array(elements.map { json(archived: $0, depth + 1) })
        case .dictionary(let members): .object(json(members, depth) { $0.json(archived: $1, depth + 1) })
        default: json(list, depth)
        }
    }

    /// An object if all keys are texts, otherwise a list of pairs.
    private mutating func json(
        _ entries: [(key: PropertyListValue, value: PropertyListValue)], _ archive: KeyedArchive, _ depth: Int
    ) -> JSONValue {
        let names = entries.compactMap { archive.text($0.key) }
        if names.count == entries.count, Set(names).count == names.count {
            return .object(
                zip(names, entries).sorted { $0.0 < $1.0 }.map { name, entry in
                    .init(name, spend(name.utf8.count, depth) ? json(archived: entry.value, depth + 1) : .null)
                })
        }
        return .array(
            entries.map { entry in
                .object([
                    .init("key", json(archived: entry.key, depth + 1)), .init("value", json(archived: entry.value, depth + 1)),
                ])
            })
    }
}
