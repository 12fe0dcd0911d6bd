import SwiftSyntax
import SwiftSyntaxMacros

/// `@Managed`.
struct ManagedMacro: MemberMacro, MemberAttributeMacro, ExtensionMacro {
    static func expansion(
        of node: AttributeSyntax, providingMembersOf declaration: some DeclGroupSyntax, conformingTo protocols: [TypeSyntax],
        in context: some MacroExpansionContext
    ) throws -> [DeclSyntax] {
        guard declaration.is(StructDeclSyntax.self) else { throw MacroError("@Managed is for structures.") }
        let access = declaration.modifiers.contains { $0.name.text == "public" } ? "public " : ""
        let properties = try declaration.memberBlock.members.compactMap { try ManagedProperty($0.decl) }
        let keys = properties.map { "    \(access)static let \($0.name) = \($0.key)" }.joined(separator: "\n")
        let fields = properties.map { "    \(access)let \($0.name) = Keys.\($0.name)" }.joined(separator: "\n")
        let names = properties.map { "Keys.\($0.name)" }.joined(separator: ", ")
        return [
            "\(raw: access)enum Keys {\n\(raw: keys)\n}",
            "\(raw: access)struct Fields: Sendable {\n\(raw: fields)\n}",
            "\(raw: access)static let fields = Fields()",
            "\(raw: access)static var properties: [any PropertyDeclaration] { [\(raw: names)] }",
            "\(raw: access)let managedObject: ManagedObject",
            "\(raw: access)init(managedObject: ManagedObject) { self.managedObject = managedObject }",
        ]
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
        [try ExtensionDeclSyntax("extension \(type.trimmed): TypedObject, HasFields {}")]
    }
}

/// A variable of a structure: stored, not static, without accessors.
struct ManagedProperty {
    let name: String
    /// The declaration's key, as source.
    let key: String

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
