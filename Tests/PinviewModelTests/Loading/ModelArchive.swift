import CZlib

@testable import PinviewModel

/// Writes keyed archives as the tests need them: each object once, referred to by its number.
final class ModelArchive {
    private(set) var objects: [PropertyListValue] = [.string("$null")]
    private var classes: [String: PropertyListValue] = [:]
    var root: PropertyListValue = .uid(0)

    static let null = PropertyListValue.uid(0)

    /// Adds an object and returns the reference to it.
    func add(_ value: PropertyListValue) -> PropertyListValue {
        objects.append(value)
        return .uid(UInt64(objects.count - 1))
    }

    func text(_ text: String) -> PropertyListValue { add(.string(text)) }

    func object(_ name: String, _ members: [String: PropertyListValue]) -> PropertyListValue {
        let reference = reserve()
        fill(reference, name, members)
        return reference
    }

    /// A reference to an object that is filled later, so that objects can contain each other.
    func reserve() -> PropertyListValue { add(.null) }

    func fill(_ reference: PropertyListValue, _ name: String, _ members: [String: PropertyListValue]) {
        guard case .uid(let number) = reference else { return }
        var members = members
        members["$class"] = kind(name)
        objects[Int(number)] = .dictionary(members)
    }

    private func kind(_ name: String) -> PropertyListValue {
        if let known = classes[name] { return known }
        let reference = add(.dictionary(["$classname": .string(name), "$classes": .array([.string(name), .string("NSObject")])]))
        classes[name] = reference
        return reference
    }

    func array(_ elements: [PropertyListValue], _ name: String = "NSArray") -> PropertyListValue {
        object(name, ["NS.objects": .array(elements)])
    }

    func dictionary(_ entries: [(String, PropertyListValue)]) -> PropertyListValue {
        object(
            "NSMutableDictionary", ["NS.keys": .array(entries.map { text($0.0) }), "NS.objects": .array(entries.map(\.1))])
    }

    /// The dictionary with a fixed set of keys that model caches use.
    func knownKeysDictionary(_ entries: [(String, PropertyListValue)]) -> PropertyListValue {
        let mapping = object(
            "NSKnownKeysMappingStrategy1", ["keys": array(entries.map { text($0.0) }), "length": .integer(Int64(entries.count))])
        return object("NSKnownKeysDictionary1", ["searchMapping": mapping, "values": array(entries.map(\.1))])
    }

    var list: PropertyListValue {
        .dictionary([
            "$archiver": .string("NSKeyedArchiver"), "$version": .integer(100_000), "$objects": .array(objects),
            "$top": .dictionary(["root": root]),
        ])
    }

    var bytes: [UInt8] { list.binaryPropertyList() }

    // MARK: Parts of models

    func model(_ entities: [(String, PropertyListValue)], _ more: [String: PropertyListValue] = [:]) {
        var members = more
        members["NSEntities"] = dictionary(entities)
        root = object("NSManagedObjectModel", members)
    }

    func entityMembers(
        _ name: String, parent: PropertyListValue = null, _ properties: [(String, PropertyListValue)],
        _ more: [String: PropertyListValue] = [:]
    ) -> [String: PropertyListValue] {
        let members: [String: PropertyListValue] = [
            "NSEntityName": text(name), "NSSuperentity": parent, "NSClassNameForEntity": text(name), "NSRenamingIdentifier": text(name),
            "NSProperties": dictionary(properties), "NSVersionHashModifier": Self.null,
        ]
        return members.merging(more) { $1 }
    }

    func attribute(_ name: String, _ type: Int64, _ more: [String: PropertyListValue] = [:]) -> PropertyListValue {
        let members: [String: PropertyListValue] = [
            "NSPropertyName": text(name), "NSAttributeType": .integer(type), "NSRenamingIdentifier": text(name),
            "NSDefaultValue": Self.null,
            "NSValueTransformerName": Self.null, "NSFlagsKey": .integer(0), "NSIsOptional": .boolean(true),
        ]
        return object("NSAttributeDescription", members.merging(more) { $1 })
    }

    func relationshipMembers(
        _ name: String, _ destination: String, inverse: String, maximum: Int64, _ more: [String: PropertyListValue] = [:]
    ) -> [String: PropertyListValue] {
        let members: [String: PropertyListValue] = [
            "NSPropertyName": text(name), "_NSDestinationEntityName": text(destination), "_NSInverseRelationshipName": text(inverse),
            "NSMinCount": .integer(0), "NSMaxCount": .integer(maximum), "NSDeleteRule": .integer(1), "NSIsOptional": .boolean(true),
        ]
        return members.merging(more) { $1 }
    }

    // MARK: Parts of predicates

    func keyPath(_ path: String) -> PropertyListValue {
        let specifier = object("NSKeyPathSpecifierExpression", ["NSKeyPath": text(path), "NSExpressionType": .integer(10)])
        return object(
            "NSKeyPathExpression",
            [
                "NSOperand": object("NSSelfExpression", ["NSExpressionType": .integer(1)]),
                "NSArguments": array([specifier], "NSMutableArray"),
            ])
    }

    func constant(_ value: PropertyListValue) -> PropertyListValue {
        object("NSConstantValueExpression", ["NSConstantValue": add(value), "NSExpressionType": .integer(0)])
    }

    func comparison(_ left: PropertyListValue, _ type: Int64, _ right: PropertyListValue, options: Int64 = 0) -> PropertyListValue {
        let kind = object(
            "NSComparisonPredicateOperator", ["NSOperatorType": .integer(type), "NSModifier": .integer(0), "NSOptions": .integer(options)])
        return object("NSComparisonPredicate", ["NSLeftExpression": left, "NSRightExpression": right, "NSPredicateOperator": kind])
    }

    func compound(_ type: Int64, _ parts: [PropertyListValue]) -> PropertyListValue {
        object("NSCompoundPredicate", ["NSCompoundPredicateType": .integer(type), "NSSubpredicates": array(parts)])
    }
}

/// Compresses without a header, as Core Data does with its model cache.
func deflated(_ bytes: [UInt8]) -> [UInt8] {
    var stream = z_stream()
    guard deflateInit2_(&stream, 9, Z_DEFLATED, -15, 8, Z_DEFAULT_STRATEGY, zlibVersion(), Int32(MemoryLayout<z_stream>.size)) == Z_OK
    else {
        return []
    }
    defer { deflateEnd(&stream) }
    var input = bytes
    var output = [UInt8](repeating: 0, count: Int(deflateBound(&stream, UInt(bytes.count))))
    let count = input.withUnsafeMutableBufferPointer { input in
        output.withUnsafeMutableBufferPointer { output in
            stream.next_in = input.baseAddress
            stream.avail_in = UInt32(input.count)
            stream.next_out = output.baseAddress
            stream.avail_out = UInt32(output.count)
            _ = deflate(&stream, Z_FINISH)
            return output.count - Int(stream.avail_out)
        }
    }
    return Array(output[..<count])
}

/// The model that bytes hold, which must not be JSON.
func loadedModel(_ bytes: [UInt8], _ checking: ModelChecking = .lenient) throws -> ManagedObjectModel {
    guard case .contents(let contents) = try ModelLoader.load(bytes: bytes) else { throw PinviewError(.badModel, "It is JSON.") }
    return try ManagedObjectModel(contents, checking: checking)
}

/// The model of an XML document with these elements in it.
func loadedModel(xml elements: String, _ checking: ModelChecking = .lenient) throws -> ManagedObjectModel {
    let text = """
        <?xml version="1.0" encoding="UTF-8" standalone="yes"?>
        <model type="com.apple.IDECoreDataModeler.DataModel" documentVersion="1.0" userDefinedModelVersionIdentifier="1.2">\(elements)</model>
        """
    return try loadedModel(Array(text.utf8), checking)
}
