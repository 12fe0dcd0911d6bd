/// The objects of a keyed archive (`NSKeyedArchiver`), looked up one by one: no class is made, and
/// an archive whose objects contain each other costs no more than what is asked for.
package struct KeyedArchive {
    private let objects: [PropertyListValue]
    private let top: [String: PropertyListValue]
    private let budget = Budget()

    /// How much is still read. Objects can be shared by many others, so that a small archive can
    /// describe far more than it holds.
    private final class Budget {
        var rest = 2_000_000

        func spend(_ count: Int) -> Bool {
            rest -= min(count, rest)
            return rest > 0
        }
    }

    /// Whether more was read than any archive needs. Everything is null from then on.
    package var isExhausted: Bool { budget.rest == 0 }

    /// - Throws: for a property list that is not a keyed archive.
    package init(_ list: PropertyListValue) throws(PropertyListError) {
        guard case .dictionary(let members) = list, case .string("NSKeyedArchiver") = members["$archiver"],
            case .array(let objects) = members["$objects"], case .dictionary(let top) = members["$top"]
        else { throw PropertyListError(description: "it is not a keyed archive") }
        self.objects = objects
        self.top = top
    }

    /// The object that was archived.
    package var root: ArchivedObject? { object(top["root"]) }
    /// The root, or all that was archived if it has other names.
    package var contents: PropertyListValue { top["root"] ?? .dictionary(top) }

    /// What a member stands for: the object of a reference, or the member itself. Nil for null.
    package func value(_ member: PropertyListValue?) -> PropertyListValue? {
        guard case .uid(let number) = member else {
            return member == .null ? nil : member
        }
        guard number < UInt64(objects.count) else { return nil }
        switch objects[Int(number)] {
        case .string("$null"), .null, .uid: return nil
        case let object: return object
        }
    }

    /// The object of a member that has a class.
    package func object(_ member: PropertyListValue?) -> ArchivedObject? {
        guard budget.spend(1), case .dictionary(let members) = value(member), case .dictionary(let kind) = value(members["$class"]),
            case .string(let name) = kind["$classname"]
        else { return nil }
        return ArchivedObject(className: name, members: members)
    }

    // MARK: Common classes

    package func text(_ member: PropertyListValue?) -> String? {
        if case .string(let text) = value(member) { return text }
        return object(member)?["NS.string"]?.stringValue
    }

    package func number(_ member: PropertyListValue?) -> Int64? {
        switch value(member) {
        case .integer(let number): number
        case .boolean(let flag): flag ? 1 : 0
        case .real(let number): Int64(exactly: number)
        default: nil
        }
    }

    package func flag(_ member: PropertyListValue?) -> Bool {
        number(member).map { $0 != 0 } ?? false
    }

    /// The elements of an array or a set.
    package func elements(_ member: PropertyListValue?) -> [PropertyListValue]? {
        let found: [PropertyListValue]? =
            if let object = object(member) {
                object["NS.objects"]?.arrayValue
            } else {
                switch value(member) {
                case .array(let elements), .set(let elements): elements
                default: nil
                }
            }
        guard let found, budget.spend(found.count) else { return nil }
        return found
    }

    /// The entries of a dictionary of any kind.
    package func entries(_ member: PropertyListValue?) -> [(key: PropertyListValue, value: PropertyListValue)]? {
        guard let object = object(member) else {
            guard case .dictionary(let members) = value(member) else { return nil }
            return members.map { (.string($0.key), $0.value) }
        }
        if let keys = object["NS.keys"]?.arrayValue, let values = object["NS.objects"]?.arrayValue {
            guard budget.spend(keys.count) else { return nil }
            return Array(zip(keys, values))
        }
        // `NSKnownKeysDictionary`: the keys are in an object of their own.
        guard let keys = elements(self.object(object["searchMapping"])?["keys"]), let values = elements(object["values"]) else {
            return nil
        }
        return zip(keys, values).filter { value($0.1) != nil }.map { ($0.0, $0.1) }
    }

    /// The entries whose keys are texts, sorted by them: what is stored without an order gets one.
    package func namedEntries(_ member: PropertyListValue?) -> [(name: String, value: PropertyListValue)]? {
        guard let entries = entries(member) else { return nil }
        return entries.compactMap { entry in text(entry.key).map { ($0, entry.value) } }
            .sorted { $0.0.utf8.lexicographicallyPrecedes($1.0.utf8) }
    }
}

/// An object of a keyed archive.
package struct ArchivedObject {
    package let className: String
    package let members: [String: PropertyListValue]

    package subscript(key: String) -> PropertyListValue? { members[key] }
}
