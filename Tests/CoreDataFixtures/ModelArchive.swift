import CZlib
import PinviewModel

/// Writes keyed archives as the tests need them: each object once, referred to by its number.
package final class ModelArchive {
    package private(set) var objects: [PropertyListValue] = [.string("$null")]
    private var classes: [String: PropertyListValue] = [:]
    package var root: PropertyListValue = .uid(0)

    package init() {}

    package static let null = PropertyListValue.uid(0)

    /// Adds an object and returns the reference to it.
    package func add(_ value: PropertyListValue) -> PropertyListValue {
        objects.append(value)
        return .uid(UInt64(objects.count - 1))
    }

    package func text(_ text: String) -> PropertyListValue { add(.string(text)) }

    package func object(_ name: String, _ members: [String: PropertyListValue]) -> PropertyListValue {
        let reference = reserve()
        fill(reference, name, members)
        return reference
    }

    /// A reference to an object that is filled later, so that objects can contain each other.
    package func reserve() -> PropertyListValue { add(.null) }

    package func fill(_ reference: PropertyListValue, _ name: String, _ members: [String: PropertyListValue]) {
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

    package func array(_ elements: [PropertyListValue], _ name: String = "NSArray") -> PropertyListValue {
        object(name, ["NS.objects": .array(elements)])
    }

    package func dictionary(_ entries: [(String, PropertyListValue)]) -> PropertyListValue {
        object(
            "NSMutableDictionary", ["NS.keys": .array(entries.map { text($0.0) }), "NS.objects": .array(entries.map(\.1))])
    }

    /// The dictionary with a fixed set of keys that model caches use.
    package func knownKeysDictionary(_ entries: [(String, PropertyListValue)]) -> PropertyListValue {
        let mapping = object(
            "NSKnownKeysMappingStrategy1", ["keys": array(entries.map { text($0.0) }), "length": .integer(Int64(entries.count))])
        return object("NSKnownKeysDictionary1", ["searchMapping": mapping, "values": array(entries.map(\.1))])
    }

    package var list: PropertyListValue {
        .dictionary([
            "$archiver": .string("NSKeyedArchiver"), "$version": .integer(100_000), "$objects": .array(objects),
            "$top": .dictionary(["root": root]),
        ])
    }

    package var bytes: [UInt8] { list.binaryPropertyList() }

    // MARK: Parts of models

    package func model(_ entities: [(String, PropertyListValue)], _ more: [String: PropertyListValue] = [:]) {
        var members = more
        members["NSEntities"] = dictionary(entities)
        root = object("NSManagedObjectModel", members)
    }

    package func entityMembers(
        _ name: String, parent: PropertyListValue = null, _ properties: [(String, PropertyListValue)],
        _ more: [String: PropertyListValue] = [:]
    ) -> [String: PropertyListValue] {
        let members: [String: PropertyListValue] = [
            "NSEntityName": text(name), "NSSuperentity": parent, "NSClassNameForEntity": text(name), "NSRenamingIdentifier": text(name),
            "NSProperties": dictionary(properties), "NSVersionHashModifier": Self.null,
        ]
        return members.merging(more) { $1 }
    }

    package func attribute(_ name: String, _ type: Int64, _ more: [String: PropertyListValue] = [:]) -> PropertyListValue {
        let members: [String: PropertyListValue] = [
            "NSPropertyName": text(name), "NSAttributeType": .integer(type), "NSRenamingIdentifier": text(name),
            "NSDefaultValue": Self.null,
            "NSValueTransformerName": Self.null, "NSFlagsKey": .integer(0), "NSIsOptional": .boolean(true),
        ]
        return object("NSAttributeDescription", members.merging(more) { $1 })
    }

    package func relationshipMembers(
        _ name: String, _ destination: String, inverse: String, maximum: Int64, _ more: [String: PropertyListValue] = [:]
    ) -> [String: PropertyListValue] {
        let members: [String: PropertyListValue] = [
            "NSPropertyName": text(name), "_NSDestinationEntityName": text(destination), "_NSInverseRelationshipName": text(inverse),
            "NSMinCount": .integer(0), "NSMaxCount": .integer(maximum), "NSDeleteRule": .integer(1), "NSIsOptional": .boolean(true),
        ]
        return members.merging(more) { $1 }
    }

    // MARK: Parts of predicates

    package func keyPath(_ path: String) -> PropertyListValue {
        let specifier = object("NSKeyPathSpecifierExpression", ["NSKeyPath": text(path), "NSExpressionType": .integer(10)])
        return object(
            "NSKeyPathExpression",
            [
                "NSOperand": object("NSSelfExpression", ["NSExpressionType": .integer(1)]),
                "NSArguments": array([specifier], "NSMutableArray"),
            ])
    }

    package func constant(_ value: PropertyListValue) -> PropertyListValue {
        object("NSConstantValueExpression", ["NSConstantValue": add(value), "NSExpressionType": .integer(0)])
    }

    package func comparison(_ left: PropertyListValue, _ type: Int64, _ right: PropertyListValue, options: Int64 = 0) -> PropertyListValue {
        let kind = object(
            "NSComparisonPredicateOperator", ["NSOperatorType": .integer(type), "NSModifier": .integer(0), "NSOptions": .integer(options)])
        return object("NSComparisonPredicate", ["NSLeftExpression": left, "NSRightExpression": right, "NSPredicateOperator": kind])
    }

    package func compound(_ type: Int64, _ parts: [PropertyListValue]) -> PropertyListValue {
        object("NSCompoundPredicate", ["NSCompoundPredicateType": .integer(type), "NSSubpredicates": array(parts)])
    }
}

/// Compresses without a header, as Core Data does with its model cache.
package func deflated(_ bytes: [UInt8]) -> [UInt8] {
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
