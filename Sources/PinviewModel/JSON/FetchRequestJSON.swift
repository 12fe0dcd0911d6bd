/// The JSON form of fetch requests, for templates and fetched properties.
enum FetchRequestJSON {
    private enum Keys {
        static let entity = "entity"
        static let predicate = "predicate"
        static let sort = "sort"
        static let key = "key"
        static let comparator = "comparator"
        static let limit = "limit"
        static let offset = "offset"
        static let batchSize = "batchSize"
        static let resultType = "resultType"
        static let includesSubentities = "includesSubentities"
        static let includesPendingChanges = "includesPendingChanges"
        static let includesPropertyValues = "includesPropertyValues"
        static let returnsObjectsAsFaults = "returnsObjectsAsFaults"
        static let refreshesRefetchedObjects = "refreshesRefetchedObjects"
        static let prefetch = "prefetch"
        static let propertiesToFetch = "propertiesToFetch"
        static let expression = "expression"
        static let returnsDistinctResults = "returnsDistinctResults"
        static let groupBy = "groupBy"
        static let having = "having"

        static let request = [
            entity, predicate, sort, limit, offset, batchSize, resultType, includesSubentities, includesPendingChanges,
            includesPropertyValues, returnsObjectsAsFaults, refreshesRefetchedObjects, prefetch, propertiesToFetch, returnsDistinctResults,
            groupBy, having,
        ]
    }

    /// - Parameter hasName: whether the JSON object also has a template's name.
    static func read(_ node: JSONNode, hasName: Bool = false) throws(PinviewError) -> (name: String, request: FetchRequestDescription) {
        let object = try node.object(keys: Keys.request + (hasName ? [ModelKeys.name] : []))
        var request = FetchRequestDescription(
            entityName: try object.required(Keys.entity).string(), predicateFormat: try object.string(Keys.predicate),
            sortDescriptors: try object.list(Keys.sort, sort))
        request.fetchLimit = try object.count(Keys.limit) ?? 0
        request.fetchOffset = try object.count(Keys.offset) ?? 0
        request.fetchBatchSize = try object.count(Keys.batchSize) ?? 0
        if let node = object[Keys.resultType] { request.resultType = try ModelReader.choice(node, among: resultTypes, named: name) }
        request.includesSubentities = try object.boolean(Keys.includesSubentities, default: true)
        request.includesPendingChanges = try object.boolean(Keys.includesPendingChanges, default: true)
        request.includesPropertyValues = try object.boolean(Keys.includesPropertyValues, default: true)
        request.returnsObjectsAsFaults = try object.boolean(Keys.returnsObjectsAsFaults, default: true)
        request.shouldRefreshRefetchedObjects = try object.boolean(Keys.refreshesRefetchedObjects, default: false)
        request.relationshipKeyPathsForPrefetching = try object[Keys.prefetch]?.strings() ?? []
        request.propertiesToFetch = try object.list(Keys.propertiesToFetch, propertyToFetch)
        request.returnsDistinctResults = try object.boolean(Keys.returnsDistinctResults, default: false)
        request.propertiesToGroupBy = try object[Keys.groupBy]?.strings() ?? []
        request.havingFormat = try object.string(Keys.having)
        return (hasName ? try object.required(ModelKeys.name).string() : "", request)
    }

    private static let resultTypes: [FetchRequestResultType] = [.managedObject, .managedObjectID, .dictionary, .count]

    private static func name(_ type: FetchRequestResultType) -> String {
        switch type {
        case .managedObject: "managedObject"
        case .managedObjectID: "managedObjectID"
        case .dictionary: "dictionary"
        case .count: "count"
        }
    }

    private static func sort(_ node: JSONNode) throws(PinviewError) -> FetchRequestDescription.Sort {
        let object = try node.object(keys: [Keys.key, ModelKeys.ascending, Keys.comparator])
        return FetchRequestDescription.Sort(
            keyPath: try object.required(Keys.key).string(), isAscending: try object.boolean(ModelKeys.ascending, default: true),
            comparator: try object.string(Keys.comparator) ?? "binary")
    }

    private static func propertyToFetch(_ node: JSONNode) throws(PinviewError) -> FetchRequestDescription.PropertyToFetch {
        let object = try node.object(keys: [ModelKeys.name, Keys.expression])
        return FetchRequestDescription.PropertyToFetch(
            name: try object.required(ModelKeys.name).string(), expressionFormat: try object.string(Keys.expression))
    }

    static func write(_ request: FetchRequestDescription, name: String? = nil) -> JSONValue {
        var members = ModelWriter.Members()
        members.add(ModelKeys.name, name)
        members.add(Keys.entity, .string(request.entityName))
        members.add(Keys.predicate, request.predicateFormat)
        members.add(
            Keys.sort,
            list: request.sortDescriptors.map { criterion in
                var members = ModelWriter.Members()
                members.add(Keys.key, .string(criterion.keyPath))
                members.add(ModelKeys.ascending, criterion.isAscending, unless: true)
                members.add(Keys.comparator, criterion.comparator == "binary" ? nil : criterion.comparator)
                return .object(members.list)
            })
        members.add(Keys.limit, request.fetchLimit == 0 ? nil : request.fetchLimit)
        members.add(Keys.offset, request.fetchOffset == 0 ? nil : request.fetchOffset)
        members.add(Keys.batchSize, request.fetchBatchSize == 0 ? nil : request.fetchBatchSize)
        members.add(Keys.resultType, request.resultType == .managedObject ? nil : Self.name(request.resultType))
        members.add(Keys.includesSubentities, request.includesSubentities, unless: true)
        members.add(Keys.includesPendingChanges, request.includesPendingChanges, unless: true)
        members.add(Keys.includesPropertyValues, request.includesPropertyValues, unless: true)
        members.add(Keys.returnsObjectsAsFaults, request.returnsObjectsAsFaults, unless: true)
        members.add(Keys.refreshesRefetchedObjects, request.shouldRefreshRefetchedObjects, unless: false)
        members.add(Keys.prefetch, list: request.relationshipKeyPathsForPrefetching.map { .string($0) })
        members.add(
            Keys.propertiesToFetch,
            list: request.propertiesToFetch.map { property in
                var members = ModelWriter.Members()
                members.add(ModelKeys.name, .string(property.name))
                members.add(Keys.expression, property.expressionFormat)
                return .object(members.list)
            })
        members.add(Keys.returnsDistinctResults, request.returnsDistinctResults, unless: false)
        members.add(Keys.groupBy, list: request.propertiesToGroupBy.map { .string($0) })
        members.add(Keys.having, request.havingFormat)
        return .object(members.list)
    }
}
