/// The JSON form of models.
///
/// ```json
/// {
///   "entities": [
///     {
///       "name": "Person", "parent": "Being", "abstract": false,
///       "attributes": [
///         {"name": "age", "type": "integer64", "optional": true, "default": 0, "minimumValue": 0, "maximumValue": 150},
///         {"name": "name", "type": "string", "optional": false, "minimumLength": 1, "maximumLength": 80, "regularExpression": "[A-Z].*"},
///         {"name": "portrait", "type": "binaryData", "allowsExternalBinaryDataStorage": true},
///         {"name": "mood", "type": "undefined", "transient": true},
///         {"name": "location", "type": "composite",
///          "elements": [{"name": "latitude", "type": "double"}, {"name": "longitude", "type": "double"}]}
///       ],
///       "relationships": [
///         {"name": "cars", "destination": "Car", "inverse": "owner", "toMany": true, "ordered": false, "deleteRule": "nullify",
///          "optional": true, "minimumCount": 0, "maximumCount": 0, "transient": false}
///       ],
///       "fetchedProperties": [
///         {"name": "namesakes", "fetchRequest": {"entity": "Person", "predicate": "name == $FETCH_SOURCE.name"}, "userInfo": {"note": "a"}}
///       ],
///       "uniquenessConstraints": [["name", "age"]],
///       "indexes": [{"name": "byAge", "elements": [{"property": "age", "ascending": false}]}],
///       "renamingIdentifier": "Human", "versionHashModifier": "2", "userInfo": {"note": "any text"}
///     }
///   ],
///   "configurations": {"People": ["Person"]},
///   "fetchRequests": [
///     {"name": "adults", "entity": "Person", "predicate": "age >= $AGE",
///      "sort": [{"key": "name", "ascending": false, "comparator": "caseInsensitive"}], "limit": 10, "offset": 5, "batchSize": 20,
///      "resultType": "managedObject", "includesSubentities": true, "includesPendingChanges": true, "includesPropertyValues": true,
///      "returnsObjectsAsFaults": true, "refreshesRefetchedObjects": false, "prefetch": ["cars"]},
///     {"name": "ages", "entity": "Person", "resultType": "dictionary", "propertiesToFetch": [{"name": "name"}, {"name": "sum",
///      "expression": "sum:(age)"}], "groupBy": ["name"], "having": "sum:(age) > 9", "returnsDistinctResults": false}
///   ],
///   "versionIdentifiers": ["1.4"]
/// }
/// ```
///
/// Only names, types, destinations and the entities of fetch requests are required. The last three
/// keys of an entity are allowed on attributes and relationships too, and all of them but
/// `versionHashModifier` on fetched properties. Types: integer16, integer32, integer64, decimal,
/// double, float, string, boolean, date, binaryData, uuid, uri, transformable, composite,
/// undefined. The elements of a composite attribute are attributes. Delete rules: noAction,
/// nullify, cascade, deny. Duplicate keys are errors, and with strict checking unknown ones too.
///
/// Values (`default`, `minimumValue`, `maximumValue`) by type: numbers as numbers, with `"NaN"`,
/// `"Infinity"` and `"-Infinity"` as strings; a decimal also as a string with all its digits; a
/// date as seconds since 2001-01-01 00:00 UTC; a UUID as its 36 characters; binaryData and
/// transformable in base64; the value of an undefined attribute as `{"type": "date", "value": 0}`.
extension ManagedObjectModel {
    /// Creates a model from a parsed JSON document.
    ///
    /// A mistake is an error however it is checked: JSON is written for this library, so its author
    /// can correct it. Unknown keys are errors with strict checking only.
    /// - Throws: `badModel` with the JSON path of a malformed part, or with the entity and property
    ///   of an inconsistent one.
    package convenience init(json: JSONValue, checking: ModelChecking = .strict) throws(PinviewError) {
        let document = JSONDocument(checking)
        var contents = try ModelReader.contents(JSONNode(value: json, path: "$", document: document))
        contents.warnings = document.warnings
        try self.init(contents, checking: checking, repairing: false)
    }

    /// The model as JSON text, which reads back as an equal model. Members that have their default
    /// value are left out.
    public func jsonRepresentation() -> String {
        var members = [JSONValue.Member(ModelKeys.entities, .array(entityDescriptions.map(ModelWriter.entity)))]
        if !configurations.isEmpty {
            let sorted = configurations.sorted { $0.key < $1.key }
            members.append(
                .init(ModelKeys.configurations, .object(sorted.map { .init($0.key, .array($0.value.map { .string($0) })) })))
        }
        let templates = fetchRequestTemplateDescriptions.sorted { $0.key < $1.key }
        if !templates.isEmpty {
            members.append(.init(ModelKeys.fetchRequests, .array(templates.map { FetchRequestJSON.write($0.value, name: $0.key) })))
        }
        if !versionIdentifiers.isEmpty {
            members.append(.init(ModelKeys.versionIdentifiers, .array(versionIdentifiers.map { .string($0) })))
        }
        return JSONValue.object(members).description
    }
}

/// The keys, shared by reader and writer.
enum ModelKeys {
    static let entities = "entities"
    static let configurations = "configurations"
    static let versionIdentifiers = "versionIdentifiers"
    static let fetchRequests = "fetchRequests"
    static let name = "name"
    static let parent = "parent"
    static let abstract = "abstract"
    static let attributes = "attributes"
    static let relationships = "relationships"
    static let fetchedProperties = "fetchedProperties"
    static let fetchRequest = "fetchRequest"
    static let uniquenessConstraints = "uniquenessConstraints"
    static let indexes = "indexes"
    static let elements = "elements"
    static let property = "property"
    static let ascending = "ascending"
    static let renamingIdentifier = "renamingIdentifier"
    static let versionHashModifier = "versionHashModifier"
    static let userInfo = "userInfo"
    static let type = "type"
    static let value = "value"
    static let optional = "optional"
    static let transient = "transient"
    static let defaultValue = "default"
    static let allowsExternalBinaryDataStorage = "allowsExternalBinaryDataStorage"
    static let preservesValueInHistoryOnDeletion = "preservesValueInHistoryOnDeletion"
    static let minimumValue = "minimumValue"
    static let maximumValue = "maximumValue"
    static let minimumLength = "minimumLength"
    static let maximumLength = "maximumLength"
    static let regularExpression = "regularExpression"
    static let valueTransformerName = "valueTransformerName"
    static let valueClassName = "valueClassName"
    static let derivationExpression = "derivationExpression"
    static let usesScalarValueType = "usesScalarValueType"
    static let versionHash = "versionHash"
    static let managedObjectClassName = "managedObjectClassName"
    static let expression = "expression"
    static let predicate = "predicate"
    static let destination = "destination"
    static let inverse = "inverse"
    static let toMany = "toMany"
    static let ordered = "ordered"
    static let deleteRule = "deleteRule"
    static let minimumCount = "minimumCount"
    static let maximumCount = "maximumCount"

    private static let common = [renamingIdentifier, versionHashModifier, userInfo]
    static let model = [entities, configurations, fetchRequests, versionIdentifiers]
    static let entity =
        [
            name, parent, abstract, attributes, relationships, fetchedProperties, uniquenessConstraints, indexes, versionHash,
            managedObjectClassName,
        ]
        + common
    static let fetchedProperty = [name, fetchRequest, renamingIdentifier, userInfo]
    static let attribute =
        [
            name, type, optional, transient, defaultValue, allowsExternalBinaryDataStorage, preservesValueInHistoryOnDeletion, minimumValue,
            maximumValue, minimumLength,
            maximumLength, regularExpression, valueTransformerName, valueClassName, derivationExpression,
            usesScalarValueType, elements,
        ] + common
    static let relationship =
        [name, destination, inverse, toMany, ordered, deleteRule, optional, minimumCount, maximumCount, transient] + common
}
