import PinviewGenerations
import PinviewModel

/// Models that ask for more than a store has.
extension StoreMatching {
    /// How the store keeps the model. An error says if the store would open with the option that
    /// allows it to lack things.
    func schemaOrAdvice(for contents: StoreContents, _ connection: Connection, _ matched: MatchedNames? = nil) throws -> StoreSchema {
        do {
            return try schema(for: contents, connection, matched)
        } catch let error as PinviewError where error.hasCode(.persistentStoreIncompatibleVersionHash) && !options.allowsMissing {
            var options = options
            options.isReadOnly = true
            options.allowsMissing = true
            let lenient = StoreMatching(location: location, model: model, configuration: configuration, options: options)
            guard let schema = try? lenient?.schema(for: contents, connection), !schema.gaps.isEmpty else { throw error }
            let missing = Self.list(schema.gaps.elements(of: model).map(\.description))
            throw error.with(
                message:
                    "\(error.message) It can be opened read-only with the option \(StoreOptions.allowMissingKey); then this has no "
                    + "values: \(missing).")
        }
    }

    /// The model that the store was made with, if the file says so.
    func ownModel(_ contents: StoreContents, _ connection: Connection) throws -> StoreOwnModel? {
        if contents.isOwn { return try StoreContents.storedModel(contents.metadata).map(StoreOwnModel.init) }
        if let model = try StoreContents.migratedModel(contents.metadata) { return StoreOwnModel(model: model) }
        guard let cache = try ModelCache.read(connection, contents) else { return nil }
        // The tables say enough, too, if the cache is damaged or of an unknown version.
        return (try? ModelCache.model(cache, metadata: contents.metadata)).map(StoreOwnModel.init)
    }

    /// The additions that have no place in the store. Its to-one relationships have one for new
    /// inverses, too.
    func columnless(_ additions: Set<Property>) -> Set<Property> {
        additions.filter { addition in
            guard addition.isToMany, !addition.isOrdered, let inverse = model.inverse(of: addition) else { return true }
            return inverse.isToMany
        }
    }

    /// Columns that would lead to entities which the store lacks.
    func misplaced(_ absent: [Entity], _ names: SchemaNames) -> [String] {
        let absent = Set(absent.map(\.index))
        guard !absent.isEmpty else { return [] }
        return names.declarations.compactMap { _, property in
            guard case .toOne(let key, _) = names.storage(of: property), absent.contains(property.destinationIndex) else { return nil }
            return "the column \(key) of \(property.qualifiedName) leads to the entity \(property.destinationEntityName), which it lacks"
        }
    }
}
