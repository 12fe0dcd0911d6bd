/// An attribute as written in a model, before the model is resolved and checked.
public struct AttributeDescription: Hashable, Sendable {
    /// Letters, digits and `_`, beginning with a letter or `_`.
    public var name: String
    /// Decides which values the attribute takes and the type of its column.
    public var attributeType: AttributeType
    /// Whether a saved object may have null here.
    public var isOptional: Bool
    /// Transient attributes are never saved and have no column.
    public var isTransient: Bool
    /// The value of a new object; it must convert to `attributeType`.
    public var defaultValue: Value
    /// Whether large values may be stored in files beside the store.
    public var allowsExternalBinaryDataStorage: Bool
    /// Whether the persistent history keeps the value of a deleted object (its tombstone).
    public var preservesValueInHistoryOnDeletion: Bool
    /// The smallest valid value (numbers and dates).
    public var minimumValue: Value?
    /// The largest valid value (numbers and dates).
    public var maximumValue: Value?
    /// The smallest valid length in Unicode code points (strings and URIs).
    public var minimumLength: Int?
    /// The largest valid length in Unicode code points (strings and URIs).
    public var maximumLength: Int?
    /// A regular expression in ICU syntax that the whole text must match (strings and URIs).
    public var regularExpression: String?
    /// The transformer that turns the bytes of a transformable attribute into a program's value.
    public var valueTransformerName: String?
    /// The class of the values, as Xcode's model editor names it. The library keeps it.
    public var valueClassName: String?
    /// How the value follows from other properties (`canonical:(name)`, `items.@count`); nil for an
    /// attribute that the program sets.
    public var derivationExpression: String?
    /// Whether the generated code of an Apple program uses a number for the value and not an
    /// object. The library keeps it.
    public var usesScalarValueType: Bool
    /// The attribute's name in the model version to migrate from, if it was renamed.
    public var renamingIdentifier: String?
    /// Changes the version hash although nothing that the hash covers has changed.
    public var versionHashModifier: String?
    /// The attributes that make up a composite one; empty for all others. They may be composite,
    /// too.
    public var elements: [AttributeDescription]
    /// Text of the application's own, by key. It is not part of the version hash.
    public var userInfo: [String: String]

    /// Creates the description of an attribute. Values are checked when a model is made from it.
    public init(
        name: String, attributeType: AttributeType, isOptional: Bool = true, isTransient: Bool = false, defaultValue: Value = .null,
        allowsExternalBinaryDataStorage: Bool = false, preservesValueInHistoryOnDeletion: Bool = false, minimumValue: Value? = nil,
        maximumValue: Value? = nil, minimumLength: Int? = nil, maximumLength: Int? = nil, regularExpression: String? = nil,
        valueTransformerName: String? = nil, valueClassName: String? = nil, derivationExpression: String? = nil,
        usesScalarValueType: Bool = false,
        renamingIdentifier: String? = nil,
        versionHashModifier: String? = nil, elements: [AttributeDescription] = [], userInfo: [String: String] = [:]
    ) {
        self.name = name
        self.attributeType = attributeType
        self.isOptional = isOptional
        self.isTransient = isTransient
        self.defaultValue = defaultValue
        self.allowsExternalBinaryDataStorage = allowsExternalBinaryDataStorage
        self.preservesValueInHistoryOnDeletion = preservesValueInHistoryOnDeletion
        self.minimumValue = minimumValue
        self.maximumValue = maximumValue
        self.minimumLength = minimumLength
        self.maximumLength = maximumLength
        self.regularExpression = regularExpression
        self.valueTransformerName = valueTransformerName
        self.valueClassName = valueClassName
        self.derivationExpression = derivationExpression
        self.usesScalarValueType = usesScalarValueType
        self.renamingIdentifier = renamingIdentifier
        self.versionHashModifier = versionHashModifier
        self.elements = elements
        self.userInfo = userInfo
    }

    /// Creates the description of a composite attribute (`NSCompositeAttributeDescription`).
    ///
    /// ```swift
    /// AttributeDescription(
    ///     name: "location",
    ///     elements: [
    ///         AttributeDescription(name: "latitude", attributeType: .double),
    ///         AttributeDescription(name: "longitude", attributeType: .double),
    ///     ])
    /// ```
    ///
    /// Each element has a column of its own, and a name that begins with that of the composite
    /// attribute: `location.latitude`.
    public init(name: String, elements: [AttributeDescription], isOptional: Bool = true, isTransient: Bool = false) {
        self.init(name: name, attributeType: .composite, isOptional: isOptional, isTransient: isTransient, elements: elements)
    }
}
