import PinviewModel

/// One criterion of an order (`NSSortDescriptor`).
public struct SortDescriptor: Hashable, Sendable {
    public enum Comparator: Int, Hashable, Sendable {
        /// Numbers and dates by value, texts by their UTF-8 bytes.
        case binary = 0
        /// Texts without regard to case, by Unicode's case mapping.
        case caseInsensitive = 1
    }

    /// An attribute, maybe over to-one relationships: `owner.name`.
    public var keyPath: String
    public var ascending: Bool
    public var comparator: Comparator

    public init(keyPath: String, ascending: Bool = true, comparator: Comparator = .binary) {
        self.keyPath = keyPath
        self.ascending = ascending
        self.comparator = comparator
    }

    /// The criterion checked against an entity.
    ///
    /// - Throws: `unknownKey`, or `invalidArgument` for a key path that has no order.
    package func resolved(for entity: Entity, in model: ManagedObjectModel) throws(PinviewError) -> ResolvedSortDescriptor {
        let segments = keyPath.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
        let (path, property) = try KeyPathResolver(entity: entity, model: model).resolve(segments)
        guard let property, property.isAttribute, !path.contains(where: \.property.isToMany) else {
            throw PinviewError(
                .invalidArgument, "\(entity.name) cannot be sorted by '\(keyPath)': a sort key is an attribute, over to-one relationships at most.")
        }
        guard !property.isTransient else {
            throw PinviewError(.invalidArgument, "\(entity.name) cannot be sorted by '\(keyPath)': it is transient, so no store has it.")
        }
        guard comparator == .binary || property.attributeType == .string || property.attributeType == .uri else {
            throw PinviewError(.invalidArgument, "\(entity.name).\(keyPath) is no text, so it cannot be sorted without regard to case.")
        }
        return ResolvedSortDescriptor(path: path, property: property, ascending: ascending, comparator: comparator)
    }
}
