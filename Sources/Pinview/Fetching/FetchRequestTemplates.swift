import PinviewModel
import PinviewPredicates

/// Fetch requests stored in a model by name (`fetchRequestTemplatesByName`). Their predicates may
/// have variables, `$NAME`, that get values when a template is used. Templates are part of the
/// model's JSON, but not of its version hashes.
extension ManagedObjectModel {
    /// Sets the template with a name; nil removes it. Templates cannot be changed once a
    /// coordinator has been made with the model.
    ///
    /// - Throws: `badModel` for an empty name or an unknown entity, `badPredicate` for a predicate
    ///   that cannot be written as text, `invalidArgument` for a request that names stores, which a
    ///   model does not know, or if the model is in use.
    public func setFetchRequestTemplate(_ request: FetchRequest?, forName name: String) throws(PinviewError) {
        try setFetchRequestTemplateDescription(
            try request.map { (request) throws(PinviewError) in try request.description() }, forName: name)
    }

    /// The template with a name, including its variables; nil if there is none.
    ///
    /// - Throws: `badPredicate` for text that cannot be parsed; the error names the template.
    public func fetchRequestTemplate(forName name: String) throws(PinviewError) -> FetchRequest? {
        guard let description = fetchRequestTemplateDescriptions[name] else { return nil }
        return try Self.request(description, "The fetch request template '\(name)'")
    }

    /// All templates by name, each as ``fetchRequestTemplate(forName:)`` returns it.
    public func fetchRequestTemplatesByName() throws(PinviewError) -> [String: FetchRequest] {
        var templates: [String: FetchRequest] = [:]
        for (name, description) in fetchRequestTemplateDescriptions {
            templates[name] = try Self.request(description, "The fetch request template '\(name)'")
        }
        return templates
    }

    /// A request made from a template, with values for its variables. Changing the request does not
    /// change the template.
    ///
    /// - Parameter substitutionVariables: values by names without the `$`. Unused ones are ignored.
    ///   To pass nil, use `Value.null`.
    /// - Throws: `unknownKey` if there is no such template, `badPredicate` for a variable without a
    ///   value.
    public func fetchRequestFromTemplate(
        withName name: String, substitutionVariables: [String: any PredicateArgument] = [:]
    ) throws(PinviewError) -> FetchRequest {
        guard var request = try fetchRequestTemplate(forName: name) else {
            let names = fetchRequestTemplateDescriptions.keys.sorted().joined(separator: ", ")
            throw PinviewError(
                .unknownKey, "The model has no fetch request template '\(name)'; it has \(names.isEmpty ? "none" : names).")
        }
        try request.substitute { (variable, keys) throws(PinviewError) in
            guard let value = substitutionVariables[variable] else {
                throw PinviewError(.badPredicate, "The fetch request template '\(name)' needs a value for its variable $\(variable).")
            }
            guard keys.isEmpty else { throw PinviewPredicate.cannotContinue(from: variable, keys) }
            return value.predicateArgument
        }
        return request
    }

    /// Parses all templates and fetched properties.
    ///
    /// - Throws: `badModel`, naming the one that is wrong.
    package func checkFetchRequests() throws(PinviewError) {
        do throws(PinviewError) {
            _ = try fetchRequestTemplatesByName()
            for entity in entityDescriptions {
                for property in entity.fetchedProperties { _ = try Self.request(property, of: entity.name) }
            }
        } catch {
            throw PinviewError(.badModel, error.message)
        }
    }

    static func request(_ property: FetchedPropertyDescription, of entityName: String) throws(PinviewError) -> FetchRequest {
        try request(property.fetchRequest, "The fetched property \(entityName).\(property.name)")
    }

    private static func request(_ description: FetchRequestDescription, _ what: String) throws(PinviewError) -> FetchRequest {
        do throws(PinviewError) {
            return try FetchRequest(description)
        } catch {
            throw error.with(message: "\(what): \(error.message)")
        }
    }
}

extension FetchedPropertyDescription {
    /// Makes a fetched property.
    ///
    /// - Throws: `badPredicate` for a predicate that cannot be written as text, `invalidArgument`
    ///   for a request that names stores.
    public init(
        name: String, fetchRequest: FetchRequest, renamingIdentifier: String? = nil, userInfo: [String: String] = [:]
    ) throws(PinviewError) {
        self.init(
            name: name, fetchRequest: try fetchRequest.description(), renamingIdentifier: renamingIdentifier, userInfo: userInfo)
    }
}

extension FetchRequest {
    /// By raw value.
    private static let comparatorNames = [
        "binary", "caseInsensitive", "numeric", "localized", "localizedCaseInsensitive", "localizedStandard",
    ]

    /// Makes a request from its description in a model.
    ///
    /// - Throws: `badPredicate` for text that cannot be parsed, `invalidArgument` for an unknown
    ///   comparator.
    public init(_ description: FetchRequestDescription) throws(PinviewError) {
        self.init(entityName: description.entityName)
        if let format = description.predicateFormat { predicate = try PinviewPredicate(format: format) }
        for sort in description.sortDescriptors {
            guard let number = Self.comparatorNames.firstIndex(of: sort.comparator),
                let comparator = PinviewSortDescriptor.Comparator(rawValue: number)
            else {
                throw PinviewError(
                    .invalidArgument,
                    "Unknown comparator '\(sort.comparator)'; expected one of \(Self.comparatorNames.joined(separator: ", ")).")
            }
            sortDescriptors.append(PinviewSortDescriptor(keyPath: sort.keyPath, ascending: sort.isAscending, comparator: comparator))
        }
        fetchLimit = description.fetchLimit
        fetchOffset = description.fetchOffset
        fetchBatchSize = description.fetchBatchSize
        resultType = description.resultType
        includesSubentities = description.includesSubentities
        includesPendingChanges = description.includesPendingChanges
        includesPropertyValues = description.includesPropertyValues
        returnsObjectsAsFaults = description.returnsObjectsAsFaults
        shouldRefreshRefetchedObjects = description.shouldRefreshRefetchedObjects
        relationshipKeyPathsForPrefetching = description.relationshipKeyPathsForPrefetching
        for property in description.propertiesToFetch {
            guard let format = property.expressionFormat else {
                propertiesToFetch.append(.keyPath(property.name))
                continue
            }
            propertiesToFetch.append(
                .expression(ExpressionDescription(name: property.name, expression: try PinviewExpression(format: format))))
        }
        returnsDistinctResults = description.returnsDistinctResults
        propertiesToGroupBy = description.propertiesToGroupBy
        if let format = description.havingFormat { havingPredicate = try PinviewPredicate(format: format) }
    }

    /// The request's description for a model.
    ///
    /// - Throws: `badPredicate` for a predicate or an expression nested too deeply to be written as
    ///   text, `invalidArgument` for a request that names stores.
    public func description() throws(PinviewError) -> FetchRequestDescription {
        guard affectedStores == nil else {
            throw PinviewError(
                .invalidArgument, "A fetch request in a model cannot name stores. Set the affected stores of the request made from it.")
        }
        var description = FetchRequestDescription(
            entityName: entityName, predicateFormat: try predicate.map { (predicate) throws(PinviewError) in try predicate.writtenDown() },
            sortDescriptors: sortDescriptors.map {
                .init(keyPath: $0.keyPath, isAscending: $0.ascending, comparator: Self.comparatorNames[$0.comparator.rawValue])
            })
        description.fetchLimit = fetchLimit
        description.fetchOffset = fetchOffset
        description.fetchBatchSize = fetchBatchSize
        description.resultType = resultType
        description.includesSubentities = includesSubentities
        description.includesPendingChanges = includesPendingChanges
        description.includesPropertyValues = includesPropertyValues
        description.returnsObjectsAsFaults = returnsObjectsAsFaults
        description.shouldRefreshRefetchedObjects = shouldRefreshRefetchedObjects
        description.relationshipKeyPathsForPrefetching = relationshipKeyPathsForPrefetching
        description.propertiesToFetch = try propertiesToFetch.map { (property) throws(PinviewError) in
            switch property {
            case .keyPath(let keyPath): .init(name: keyPath)
            case .expression(let computed): .init(name: computed.name, expressionFormat: try computed.expression.writtenDown())
            }
        }
        description.returnsDistinctResults = returnsDistinctResults
        description.propertiesToGroupBy = propertiesToGroupBy
        description.havingFormat = try havingPredicate.map { (predicate) throws(PinviewError) in try predicate.writtenDown() }
        return description
    }

    /// Substitutes values for the variables of the predicates.
    mutating func substitute(
        _ value: (_ name: String, _ keys: [String]) throws(PinviewError) -> PinviewExpression
    ) throws(PinviewError) {
        predicate = try predicate.map { (predicate) throws(PinviewError) in try predicate.substitutingVariables(value) }
        havingPredicate = try havingPredicate.map { (predicate) throws(PinviewError) in try predicate.substitutingVariables(value) }
    }
}

extension PinviewPredicate {
    /// A text that parses to the same predicate.
    fileprivate func writtenDown() throws(PinviewError) -> String {
        let text = description
        _ = try PinviewPredicate(format: text)
        return text
    }
}

extension PinviewExpression {
    /// A text that parses to the same expression.
    fileprivate func writtenDown() throws(PinviewError) -> String {
        let text = description
        _ = try PinviewExpression(format: text)
        return text
    }
}
