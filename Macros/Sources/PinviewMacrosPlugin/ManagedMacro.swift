import SwiftSyntax
import SwiftSyntaxMacros

/// `@Managed`.
struct ManagedMacro: MemberMacro, MemberAttributeMacro, ExtensionMacro {
    static func expansion(
        of node: AttributeSyntax, providingMembersOf declaration: some DeclGroupSyntax, conformingTo protocols: [TypeSyntax],
        in context: some MacroExpansionContext
    ) throws -> [DeclSyntax] {
        guard declaration.is(StructDeclSyntax.self) else { throw MacroError("@Managed is for structures.") }
        let access = declaration.modifiers.first { ["public", "package"].contains($0.name.text) }.map { "\($0.name.text) " } ?? ""
        let properties = try declaration.memberBlock.members.compactMap { try ManagedProperty($0.decl) }
        let keys = properties.map { "    \(access)static let \($0.name) = \($0.key)" }.joined(separator: "\n")
        let fields = properties.map { "    \(access)let \($0.name) = Keys.\($0.name)" }.joined(separator: "\n")
        let names = properties.map { "Keys.\($0.name)" }.joined(separator: ", ")
        var members: [DeclSyntax] = [
            "\(raw: access)enum Keys {\n\(raw: keys)\n}",
            "\(raw: access)static let fields = Fields()",
            "\(raw: access)static var properties: [any PropertyDeclaration] { [\(raw: names)] }",
            "\(raw: access)let managedObject: ManagedObject",
            "\(raw: access)init(managedObject: ManagedObject) { self.managedObject = managedObject }",
        ]
        if let parent = superentity(of: node) {
            // What the fields lack is looked up in those of the parent.
            let inherited =
                "    \(access)subscript<K>(dynamicMember key: KeyPath<\(parent).Fields, K>) -> K { \(parent).fields[keyPath: key] }"
            members += [
                "@dynamicMemberLookup\n\(raw: access)struct Fields: Sendable {\n\(raw: fields)\n\(raw: inherited)\n}",
                "\(raw: access)typealias Superentity = \(raw: parent)",
                "\(raw: access)static var superentity: (any TypedObject.Type)? { \(raw: parent).self }",
            ]
        } else {
            members.append("\(raw: access)struct Fields: Sendable {\n\(raw: fields)\n}")
        }
        if let made = initializer(setting: properties, access) { members.append(made) }
        return members
    }

    /// The type that the argument `superentity: Person.self` names.
    private static func superentity(of node: AttributeSyntax) -> String? {
        guard case .argumentList(let arguments) = node.arguments, let type = arguments.first?.expression.trimmedDescription else {
            return nil
        }
        return type.hasSuffix(".self") ? String(type.dropLast(5)) : type
    }

    /// `init(in:name:age:…)`, like that of the generator.
    private static func initializer(setting properties: [ManagedProperty], _ access: String) -> DeclSyntax? {
        let set = properties.filter { $0.parameter != nil }
        if set.isEmpty { return nil }
        let parameters = set.map { ", \($0.name): \($0.parameter ?? "") = nil" }.joined()
        let body = set.map { "        if let \($0.name) { try object.set(Keys.\($0.name), to: \($0.name)) }" }.joined(separator: "\n")
        return """
            /// A new object in a context. What is not given stays as the model and the hooks of the type make it.
            \(raw: access)init(in context: ManagedObjectContext\(raw: parameters)) throws(PinviewError) {
                try self.init(in: context) { (object) throws(PinviewError) in
            \(raw: body)
                }
            }
            """
    }

    static func expansion(
        of node: AttributeSyntax, attachedTo declaration: some DeclGroupSyntax, providingAttributesFor member: some DeclSyntaxProtocol,
        in context: some MacroExpansionContext
    ) throws -> [AttributeSyntax] {
        try ManagedProperty(DeclSyntax(member)) == nil ? [] : ["@ManagedProperty"]
    }

    static func expansion(
        of node: AttributeSyntax, attachedTo declaration: some DeclGroupSyntax, providingExtensionsOf type: some TypeSyntaxProtocol,
        conformingTo protocols: [TypeSyntax], in context: some MacroExpansionContext
    ) throws -> [ExtensionDeclSyntax] {
        let protocols = superentity(of: node) == nil ? "" : ", Subentity"
        return [try ExtensionDeclSyntax("extension \(type.trimmed): TypedObject, HasFields\(raw: protocols) {}")]
    }
}

/// A variable of a structure: stored, not static, without accessors.
struct ManagedProperty {
    let name: String
    /// The declaration's key, as source.
    let key: String
    /// The optional type of the initializer's parameter; nil for to-many relationships.
    let parameter: String?

    /// Nil for anything but a stored variable.
    init?(_ declaration: DeclSyntax) throws {
        guard let variable = declaration.as(VariableDeclSyntax.self), variable.bindingSpecifier.text == "var",
            !variable.modifiers.contains(where: { ["static", "class", "lazy"].contains($0.name.text) }),
            let binding = variable.bindings.first, binding.accessorBlock == nil,
            let name = binding.pattern.as(IdentifierPatternSyntax.self)?.identifier.text
        else { return nil }
        guard variable.bindings.count == 1, let type = binding.typeAnnotation?.type.trimmedDescription else {
            throw MacroError("'\(name)' needs a type of its own: var \(name): …")
        }
        self.name = name
        let plain = name.trimmingBackticks
        var arguments = "\"\(plain)\", \(type).self"
        if let value = binding.initializer?.value.trimmedDescription { arguments += ", default: \(value)" }
        for case .attribute(let attribute) in variable.attributes where attribute.attributeName.trimmedDescription == "Relationship" {
            if let given = attribute.arguments?.trimmedDescription, !given.isEmpty { arguments += ", \(given)" }
        }
        key = "PropertyKey.typed(\(arguments))"
        let isOptional = type.hasSuffix("?") || type.hasPrefix("Optional<")
        parameter = isOptional ? type : binding.initializer == nil ? nil : "\(type)?"
    }
}

/// `@ManagedProperty`, which `@Managed` adds to each variable.
struct ManagedPropertyMacro: AccessorMacro {
    static func expansion(
        of node: AttributeSyntax, providingAccessorsOf declaration: some DeclSyntaxProtocol, in context: some MacroExpansionContext
    ) throws -> [AccessorDeclSyntax] {
        guard let property = try ManagedProperty(DeclSyntax(declaration)) else { return [] }
        return ["get { self[Keys.\(raw: property.name)] }", "nonmutating set { self[Keys.\(raw: property.name)] = newValue }"]
    }
}

/// `@Relationship`, whose arguments `@Managed` reads.
struct RelationshipMacro: PeerMacro {
    static func expansion(
        of node: AttributeSyntax, providingPeersOf declaration: some DeclSyntaxProtocol, in context: some MacroExpansionContext
    ) throws -> [DeclSyntax] { [] }
}

struct MacroError: Error, CustomStringConvertible {
    let description: String
    init(_ description: String) { self.description = description }
}

extension String {
    fileprivate var trimmingBackticks: String { hasPrefix("`") && hasSuffix("`") ? String(dropFirst().dropLast()) : self }
}
