import Pinview

/// Writes the typed objects of a model as Swift source.
package struct SwiftGenerator {
    /// Whether the types are public.
    package var isPublic = false
    /// Whether binary data, decimals and URIs are Foundation's `Data`, `Decimal` and `URL`, and
    /// `#Predicate` knows the types.
    package var usesFoundation = false
    /// The model's file name, for the comment at the top.
    package var source = "a model"

    package init() {}

    private var access: String { isPublic ? "public " : "" }

    /// The source of all entities of a model.
    ///
    /// - Throws: `badModel` for an attribute whose Swift type the model names without a
    ///   placeholder.
    package func text(of model: ManagedObjectModel) throws(PinviewError) -> String {
        var body = ""
        for entity in model.entities { body += "\n" + (try text(of: entity)) }
        let foundation = usesFoundation || ["Data", "Decimal", "URL"].contains { body.contains("<\($0)") || body.contains(": \($0)") }
        let dates = body.contains("Date") || body.contains("UUID")
        var imports: [String] = []
        if foundation { imports += ["Foundation", "PinviewFoundation"] } else if dates { imports.append("FoundationEssentials") }
        imports.append("PinviewTyped")
        let head = "// Made from \(source) by pinview-generate. Changes are lost when it is made again.\n// swift-format-ignore-file\n\n"
        return head + imports.map { "import \($0)\n" }.joined() + body
    }

    private func text(of entity: Entity) throws(PinviewError) -> String {
        let type = SwiftName.type(entity.name), parent = entity.superentityName.map(SwiftName.type)
        let own = entity.properties.filter { $0.declaringEntityName == entity.name }
        try SwiftName.checkMembers(of: entity)
        var lines: [String] = []
        lines.append("/// The properties of \(entity.name)\(entity.subentityNames.isEmpty ? "" : " and its sub-entities").")
        lines.append("\(access)protocol \(type)Properties: \(parent.map { $0 + "Properties" } ?? "TypedObject") {}")
        lines.append("")
        lines.append("/// An object of the entity \(entity.name).")
        lines.append("\(access)struct \(type): \(type)Properties {")
        lines.append("    \(access)static var entityName: String { \(SwiftName.literal(entity.name)) }")
        if let parent { lines.append("    \(access)static var superentity: (any TypedObject.Type)? { \(parent).self }") }
        if entity.isAbstract { lines.append("    \(access)static var isAbstract: Bool { true }") }
        let names = own.map { "Keys.\(SwiftName.member($0.name))" }.joined(separator: ", ")
        lines.append("    \(access)static var properties: [any PropertyDeclaration] { [\(names)] }")
        lines.append("")
        lines.append("    \(access)let managedObject: ManagedObject")
        lines.append("    \(access)init(managedObject: ManagedObject) { self.managedObject = managedObject }")
        for ancestor in ancestors(of: parent) {
            lines.append("    /// The object as the entity that it inherits from.")
            lines.append("    \(access)var as\(ancestor): \(ancestor) { \(ancestor)(managedObject: managedObject) }")
        }
        if !entity.isAbstract { lines += try initializer(of: entity) }
        lines.append("")
        lines.append("    \(access)enum Keys {")
        for property in own { lines.append("        \(access)static let \(SwiftName.member(property.name)) = \(try key(of: property))") }
        lines.append("    }")
        lines.append("}")
        lines.append("")
        lines.append("extension \(type)Properties {")
        for property in own {
            let name = SwiftName.member(property.name), key = "self[\(type).Keys.\(name)]"
            let setter = property.derivationExpression == nil ? "; nonmutating set { \(key) = newValue }" : ""
            let getter = setter.isEmpty ? "{ \(key) }" : "{ get { \(key) }\(setter.dropFirst(1)) }"
            lines.append("    \(access)var \(name): \(try swiftType(of: property)) \(getter)")
        }
        lines.append("}")
        lines.append("")
        lines.append("extension ObjectPath where Target: \(type)Properties {")
        for property in own {
            let name = SwiftName.member(property.name)
            lines.append("    \(access)var \(name): \(try pathType(of: property)) { self[\(type).Keys.\(name)] }")
        }
        lines.append("}")
        if usesFoundation { lines += keyPaths(of: entity, type) }
        return lines.joined(separator: "\n") + "\n"
    }

    /// What `#Predicate` is translated by.
    private func keyPaths(of entity: Entity, _ type: String) -> [String] {
        let pairs = entity.properties.map { property in
            let name = SwiftName.member(property.name)
            return "            \\.\(name): \(SwiftName.type(property.declaringEntityName)).Keys.\(name),"
        }
        return [
            "", "extension \(type): PredicateObject {",
            "    \(access)static var keyPaths: [PartialKeyPath<\(type)>: any PropertyDeclaration] {", "        [",
        ] + (pairs.isEmpty ? ["            :"] : pairs) + ["        ]", "    }", "}"]
    }

    private func ancestors(of parent: String?) -> [String] { parent.map { [$0] } ?? [] }

    /// The initializer: required attributes without a default must be given, everything else may
    /// be.
    private func initializer(of entity: Entity) throws(PinviewError) -> [String] {
        var parameters: [String] = [], body: [String] = []
        for property in entity.properties where property.derivationExpression == nil && !(property.isRelationship && property.isToMany) {
            let name = SwiftName.member(property.name), label = SwiftName.label(property.name)
            let key = "\(SwiftName.type(property.declaringEntityName)).Keys.\(name)"
            let isRequired = property.isAttribute && !property.isOptional && property.defaultValue.isNull
            let type = property.isRelationship ? SwiftName.type(property.destinationEntityName) : try baseType(of: property)
            parameters.append("\(label): \(type)\(isRequired ? "" : "? = nil")")
            let value = label == name ? name : label
            body.append(
                isRequired
                    ? "            try object.set(\(key), to: \(value))"
                    : "            if let \(value) { try object.set(\(key), to: \(value)) }")
        }
        if parameters.isEmpty { return [] }
        return [
            "",
            "    /// A new object in a context. What is not given stays as the model and the hooks of the type make it.",
            "    \(access)init(in context: ManagedObjectContext, \(parameters.joined(separator: ", "))) throws(PinviewError) {",
            "        try self.init(in: context) { (object) throws(PinviewError) in",
        ] + body + ["        }", "    }"]
    }

    // MARK: Types

    private func key(of property: Property) throws(PinviewError) -> String {
        let name = SwiftName.literal(property.name)
        guard property.isAttribute else {
            let kind = !property.isToMany ? "ToOneKey" : property.isOrdered ? "OrderedToManyKey" : "ToManyKey"
            var arguments = [name]
            if let inverse = property.inverseName { arguments.append("inverse: \(SwiftName.literal(inverse))") }
            if property.deleteRule != .nullify { arguments.append("deleteRule: .\(property.deleteRule)") }
            if !property.isOptional { arguments.append("isOptional: false") }
            return "\(kind)<\(SwiftName.type(property.destinationEntityName))>(\(arguments.joined(separator: ", ")))"
        }
        let type = try swiftType(of: property)
        if property.isOptional { return "AttributeKey<\(type)>(\(name))" }
        if let placeholder = property.userInfo["swiftPlaceholder"] {
            return "AttributeKey<\(type)>(\(name), \(property.defaultValue.isNull ? "placeholder" : "default"): \(placeholder))"
        }
        if property.userInfo["swiftType"] != nil {
            throw PinviewError(
                .badModel,
                "\(property.declaringEntityName).\(property.name) is not optional and has the swiftType \(type) in its user info; "
                    + "add a swiftPlaceholder, which is read before the attribute has been set.")
        }
        if let value = literal(property.defaultValue) { return "AttributeKey<\(type)>(\(name), default: \(value))" }
        return "AttributeKey<\(type)>(\(name), placeholder: \(placeholder(property.attributeType)))"
    }

    /// The Swift type of a property as the object shows it.
    private func swiftType(of property: Property) throws(PinviewError) -> String {
        if property.isAttribute { return try baseType(of: property) + (property.isOptional ? "?" : "") }
        let destination = SwiftName.type(property.destinationEntityName)
        return !property.isToMany ? destination + "?" : property.isOrdered ? "OrderedRelated<\(destination)>" : "Related<\(destination)>"
    }

    private func pathType(of property: Property) throws(PinviewError) -> String {
        if property.isAttribute { return "AttributePath<Root, \(try baseType(of: property))>" }
        let destination = SwiftName.type(property.destinationEntityName)
        return property.isToMany ? "ToManyPath<Root, \(destination)>" : "ObjectPath<Root, \(destination)>"
    }

    private func baseType(of property: Property) throws(PinviewError) -> String {
        if let named = property.userInfo["swiftType"] { return named }
        switch property.attributeType {
        case .integer16: return "Int16"
        case .integer32: return "Int32"
        case .integer64: return "Int64"
        case .decimal: return usesFoundation ? "Decimal" : "DecimalNumber"
        case .double: return "Double"
        case .float: return "Float"
        case .string: return "String"
        case .boolean: return "Bool"
        case .date: return "Date"
        case .binaryData, .transformable: return usesFoundation ? "Data" : "[UInt8]"
        case .uuid: return "UUID"
        case .uri: return usesFoundation ? "URL" : "String"
        case .undefined, .composite:
            throw PinviewError(
                .badModel,
                "\(property.declaringEntityName).\(property.name) has no type; give it one in the model, or a swiftType in its user info.")
        }
    }

    private func placeholder(_ type: AttributeType) -> String {
        switch type {
        case .string: "\"\""
        case .uri: usesFoundation ? "URL(fileURLWithPath: \"/\")" : "\"\""
        case .boolean: "false"
        case .date: "Date(timeIntervalSinceReferenceDate: 0)"
        case .binaryData, .transformable: usesFoundation ? "Data()" : "[]"
        case .uuid: "UUID(uuid: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0))"
        case .decimal: usesFoundation ? "0" : "DecimalNumber(0)"
        case .integer16, .integer32, .integer64, .double, .float, .undefined, .composite: "0"
        }
    }

    /// A default value as source; nil for values that have no literal.
    private func literal(_ value: Value) -> String? {
        switch value {
        case .boolean(let value): "\(value)"
        case .integer(let value): "\(value)"
        case .double(let value) where value.isFinite: "\(value)"
        case .string(let value): SwiftName.literal(value)
        case .date(let value): "Date(timeIntervalSinceReferenceDate: \(value.timeIntervalSinceReferenceDate))"
        default: nil
        }
    }
}

/// Names of a model as Swift spells them.
enum SwiftName {
    private static let keywords: Set<String> = [
        "Any", "as", "associatedtype", "break", "case", "catch", "class", "continue", "default", "defer", "deinit", "do", "else", "enum",
        "extension", "fallthrough", "false", "fileprivate", "for", "func", "guard", "if", "import", "in", "inout", "internal", "is", "let",
        "nil", "operator", "precedencegroup", "private", "protocol", "public", "repeat", "rethrows", "return", "static", "struct",
        "subscript", "super", "switch", "throw", "throws", "true", "try", "typealias", "var", "where", "while",
    ]
    /// Members that every typed object or path has, and names that even backticks do not make
    /// usable.
    private static let taken: Set<String> = [
        "self", "Self", "Type", "Protocol", "init", "description", "hash", "hashValue", "managedObject", "managedObjectContext", "objectID",
        "isFault", "isDeleted", "isInserted", "hasChanges", "entityName", "properties", "superentity", "isAbstract", "delete", "cast",
        "snapshot", "isIn", "steps", "value", "set", "all", "Keys", "validate", "context", "object",
    ]
    private static let takenTypes: Set<String> = [
        "Any", "Self", "Type", "Protocol", "ObjectPath", "Value", "Entity", "Property", "Condition", "Related", "ObjectSnapshot", "String",
        "Int",
        "Int16", "Int32", "Int64", "Bool", "Double", "Float", "Date", "UUID", "Data", "Decimal", "URL", "Array", "Set", "Optional",
        "Dictionary", "Character", "Error", "Result", "Column", "UndoManager", "PersistentStore", "FetchRequest", "Task", "Actor", "Never",
    ]

    static func type(_ name: String) -> String {
        let first = name.prefix(1).uppercased() + name.dropFirst()
        return takenTypes.contains(first) ? first + "Entity" : first
    }

    /// The elements of composite attributes have key paths as names: `location.latitude` becomes
    /// `location_latitude`.
    static func member(_ name: String) -> String {
        if name.contains(".") { return name.split(separator: ".").joined(separator: "_") }
        return taken.contains(name) ? name + "_" : keywords.contains(name) ? "`\(name)`" : name
    }

    /// - Throws: `badModel` if an element of a composite attribute would have the name of another
    ///   property in source code.
    static func checkMembers(of entity: Entity) throws(PinviewError) {
        var names: [String: Property] = [:]
        for property in entity.properties {
            guard let other = names.updateValue(property, forKey: member(property.name)) else { continue }
            throw PinviewError(
                .badModel,
                "\(entity.name) has the properties \(other.name) and \(property.name), which both are called \(member(property.name)) in source code; rename one of them."
            )
        }
    }

    /// The name as the label and variable of a parameter.
    static func label(_ name: String) -> String { member(name) }

    static func literal(_ text: String) -> String {
        var result = "\""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"", "\\": result += "\\" + String(scalar)
            case _ where scalar.value < 32 || scalar.value == 127: result += "\\u{\(String(scalar.value, radix: 16))}"
            default: result.unicodeScalars.append(scalar)
            }
        }
        return result + "\""
    }
}
