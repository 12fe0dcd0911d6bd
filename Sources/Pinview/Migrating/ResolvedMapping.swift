import PinviewModel
import PinviewPredicates
import PinviewStore

/// Mappings of a stage, checked against the two versions: what becomes a hint for inference, and
/// what has to be done object by object.
struct ResolvedMapping: Sendable {
    struct Part: Sendable {
        let source: String
        let destination: String
        /// Whether each source object gets another object, instead of living on as this one.
        let makesObjects: Bool
        /// In the order of their names.
        let values: [(property: String, mapping: PropertyMapping, expression: PinviewExpression?)]
    }

    private(set) var hints = MappingHints()
    private(set) var parts: [Part] = []

    init(_ mappings: [EntityMapping], from source: ManagedObjectModel, to destination: ManagedObjectModel) throws(PinviewError) {
        let inferred = ModelMapping(from: source, to: destination)
        var successors: [String: String] = [:]
        for mapping in mappings {
            guard let old = source.entity(named: mapping.sourceEntityName) else { throw Self.missing(mapping.sourceEntityName, "old") }
            guard let new = destination.entity(named: mapping.destinationEntityName) else {
                throw Self.missing(mapping.destinationEntityName, "new")
            }
            let isNatural = inferred.origin(of: new) === old
            let isFree = inferred.origin(of: new) == nil && inferred.successor(of: old) == nil
            if isNatural || isFree && successors[old.name] == nil { successors[old.name] = new.name }
            let makesObjects = successors[old.name] != new.name
            if !makesObjects { hints.entities[new.name] = old.name }
            try add(mapping, old, new, makesObjects)
        }
    }

    private mutating func add(_ mapping: EntityMapping, _ old: Entity, _ new: Entity, _ makesObjects: Bool) throws(PinviewError) {
        var values: [(property: String, mapping: PropertyMapping, expression: PinviewExpression?)] = []
        for (name, value) in mapping.properties.sorted(by: { $0.key < $1.key }) {
            guard let property = new.property(named: name) else { throw Self.missing("\(new.name).\(name)", "new") }
            if case .expression(let text) = value, !makesObjects, let origin = old.property(named: text), isSameKind(origin, property) {
                hints.properties[new.name, default: [:]].updateValue(text, forKey: name)
                continue
            }
            if case .step = value {
                if !makesObjects { hints.properties[new.name, default: [:]].updateValue(nil, forKey: name) }
                continue
            }
            guard property.isAttribute else {
                throw PinviewError(
                    .invalidArgument,
                    "\(property.qualifiedName) is a relationship: map it to an old relationship, or set it in the step of the stage.")
            }
            if !makesObjects { hints.properties[new.name, default: [:]].updateValue(nil, forKey: name) }
            if case .expression(let text) = value {
                values.append((name, value, try PinviewExpression(format: text, arguments: [])))
            } else {
                values.append((name, value, nil))
            }
        }
        guard makesObjects || !values.isEmpty else { return }
        parts.append(Part(source: old.name, destination: new.name, makesObjects: makesObjects, values: values))
    }

    private func isSameKind(_ old: Property, _ new: Property) -> Bool {
        old.isRelationship == new.isRelationship && (old.isRelationship || old.attributeType.widens(to: new.attributeType))
    }

    private static func missing(_ name: String, _ version: String) -> PinviewError {
        PinviewError(.invalidArgument, "A mapping names \(name.quotedForPeople), which is not in the \(version) version of the model.")
    }
}
