/// The canonical text of an entity and its hash.
///
/// It covers what decides how rows are stored and what they mean, so that models which differ in
/// anything else can share a store. Properties are sorted by name, because their order in the model
/// has no meaning. The parent's hash is included, because its columns are inherited.
enum VersionHash {
    static func hash(of entity: EntityDescription, parentHash: [UInt8]?) -> [UInt8] {
        SHA256.hash(Array(canonicalText(of: entity, parentHash: parentHash).utf8))
    }

    private static func canonicalText(of entity: EntityDescription, parentHash: [UInt8]?) -> String {
        var text = "pinview entity 1\n"
        text += line("name", entity.name)
        text += line("abstract", entity.isAbstract ? "1" : "0")
        text += line("modifier", entity.versionHashModifier ?? "")
        text += line("parent", entity.superentityName ?? "")
        text += line("parentHash", (parentHash ?? []).map { String($0, radix: 16) }.joined(separator: "."))
        for attribute in entity.attributes.flatMap(\.leaves).sorted(by: { precedes($0.name, $1.name) }) {
            text += line("attribute", attribute.name)
            text += line("type", String(attribute.attributeType.rawValue))
            text += flags(attribute.isOptional, attribute.isTransient, attribute.allowsExternalBinaryDataStorage)
            text += line("modifier", attribute.versionHashModifier ?? "")
            // Only where there is one, so that the hashes of other entities stay as they were.
            if let derivation = attribute.derivationExpression { text += line("derivation", derivation) }
        }
        // The elements are among the attributes; here is only what they do not say.
        for composite in entity.attributes.flatMap({ $0.composites() }).sorted(by: { precedes($0.name, $1.name) }) {
            text += line("composite", composite.name)
            text += flags(composite.isOptional)
            text += line("modifier", composite.versionHashModifier ?? "")
        }
        for relationship in entity.relationships.sorted(by: { precedes($0.name, $1.name) }) {
            text += line("relationship", relationship.name)
            text += line("destination", relationship.destinationEntityName)
            text += line("inverse", relationship.inverseRelationshipName ?? "")
            text += flags(relationship.isOptional, relationship.isTransient, relationship.isToMany, relationship.isOrdered)
            text += line("modifier", relationship.versionHashModifier ?? "")
        }
        let constraints = entity.uniquenessConstraints.map { constraint in constraint.map { line("key", $0) }.joined() }
        for constraint in constraints.sorted(by: precedes) {
            text += "unique\n" + constraint
        }
        return text
    }

    /// The length prefix makes the line unambiguous whatever the text contains.
    private static func line(_ key: String, _ text: String) -> String {
        "\(key) \(text.utf8.count):\(text)\n"
    }

    private static func flags(_ flags: Bool...) -> String {
        line("flags", flags.map { $0 ? "1" : "0" }.joined())
    }

    private static func precedes(_ left: String, _ right: String) -> Bool {
        left.utf8.lexicographicallyPrecedes(right.utf8)
    }
}
