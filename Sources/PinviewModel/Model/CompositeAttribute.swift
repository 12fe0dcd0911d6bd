/// A composite attribute of a resolved model (`NSCompositeAttributeDescription`): a name for
/// several attributes, its elements, which are stored. Immutable; any thread may use it.
public final class CompositeAttribute: Sendable {
    /// A part of a composite attribute.
    public enum Element: Sendable {
        case attribute(Property)
        case composite(CompositeAttribute)
    }

    /// For a composite attribute inside another a key path: `place.location`.
    public let name: String
    /// Whether a saved object may be without a value here. The value is nil if that of each element
    /// is nil.
    public let isOptional: Bool
    /// The parts, in the order of the model.
    public let elements: [Element]
    /// The attributes among the elements, also those of composite elements: what is stored.
    public let leaves: [Property]
    /// The name that Xcode's model has for composite attributes with these elements.
    public let valueClassName: String?
    /// The entity that declares the attribute; its sub-entities inherit it.
    public let declaringEntityName: String
    /// Changes the version hash although nothing that the hash covers has changed.
    public let versionHashModifier: String?
    /// Text of the application's own, by key.
    public let userInfo: [String: String]

    /// - Parameter properties: those of the entity by name, with the elements.
    init?(_ description: AttributeDescription, named name: String, of entityName: String, _ properties: [String: Property]) {
        guard description.isComposite else { return nil }
        self.name = name
        isOptional = description.isOptional
        elements = description.elements.compactMap { element in
            let path = "\(name).\(element.name)"
            return CompositeAttribute(element, named: path, of: entityName, properties).map { .composite($0) }
                ?? properties[path].map { .attribute($0) }
        }
        leaves = elements.flatMap(\.leaves)
        valueClassName = description.valueClassName
        declaringEntityName = entityName
        versionHashModifier = description.versionHashModifier
        userInfo = description.userInfo
    }

    /// The names of the elements, without that of the composite attribute.
    public var elementNames: [String] { elements.map(\.key) }

    /// The element of that name.
    public func element(named name: String) -> Element? { elements.first { $0.key == name } }

    /// Itself, and the composite attributes inside it.
    var withNested: [CompositeAttribute] {
        var all = [self]
        for case .composite(let composite) in elements { all += composite.withNested }
        return all
    }

    package var qualifiedName: String { "\(declaringEntityName).\(name)" }
}

extension CompositeAttribute.Element {
    /// The name without that of the composite attribute.
    public var key: String {
        let name =
            switch self {
            case .attribute(let property): property.name
            case .composite(let composite): composite.name
            }
        return String(name.lastIndex(of: ".").map { name[name.index(after: $0)...] } ?? name[...])
    }

    fileprivate var leaves: [Property] {
        switch self {
        case .attribute(let property): [property]
        case .composite(let composite): composite.leaves
        }
    }
}

extension CompositeAttribute: CustomStringConvertible {
    public var description: String { "\(qualifiedName): composite of \(elementNames.joined(separator: ", "))" }
}

/// Checks a composite attribute itself. Its elements are checked as attributes.
struct CompositeCheck {
    private let attribute: AttributeDescription
    private let entityName: String

    init(entityName: String, _ attribute: AttributeDescription) {
        self.attribute = attribute
        self.entityName = entityName
    }

    func run() throws(PinviewError) {
        let label = "\(entityName).\(attribute.name)"
        guard attribute.nesting <= AttributeDescription.maximumNesting else {
            throw .badModel(
                "\(label) has composite attributes inside one another, \(attribute.nesting) deep; at most \(AttributeDescription.maximumNesting) are possible."
            )
        }
        for composite in attribute.composites() {
            let label = "\(entityName).\(composite.name)"
            if composite.elements.isEmpty { throw .badModel("\(label) is a composite attribute without elements.") }
            if let extra = Self.extra(of: composite) {
                throw .badModel("\(label) is a composite attribute with \(extra): only its elements can have that.")
            }
        }
    }

    /// What only an attribute with a value of its own can have.
    private static func extra(of composite: AttributeDescription) -> String? {
        if !composite.defaultValue.isNull { return "a default" }
        if composite.minimumValue != nil || composite.maximumValue != nil { return "a limit" }
        if composite.minimumLength != nil || composite.maximumLength != nil { return "a length" }
        if composite.regularExpression != nil { return "a pattern" }
        if composite.derivationExpression != nil { return "a derivation" }
        return composite.allowsExternalBinaryDataStorage ? "external storage" : nil
    }
}
