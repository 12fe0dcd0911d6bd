/// An attribute as a model's author writes it down.
public struct AttributeDescription: Hashable, Sendable {
    /// Letters, digits and `_`, beginning with a letter.
    public var name: String
    public var attributeType: AttributeType
    public var isOptional: Bool
    /// Never saved; has no column.
    public var isTransient: Bool
    /// The value of a new object; must suit the type.
    public var defaultValue: Value
    /// Whether large values may lie in files beside the store.
    public var allowsExternalBinaryDataStorage: Bool
    /// Whether the persistent history keeps the value of an object that is deleted (its tombstone).
    public var preservesValueInHistoryOnDeletion: Bool
    /// The least value that passes validation (numbers and dates).
    public var minimumValue: Value?
    /// The greatest value that passes validation (numbers and dates).
    public var maximumValue: Value?
    /// In Unicode code points (strings and URIs).
    public var minimumLength: Int?
    /// In Unicode code points (strings and URIs).
    public var maximumLength: Int?
    /// A regular expression in ICU's syntax that the whole text must match (strings and URIs).
    public var regularExpression: String?
    /// The name in the version of the model from which to migrate, if it was another.
    public var renamingIdentifier: String?
    /// Makes the version hash differ although nothing that it covers has changed.
    public var versionHashModifier: String?
    public var userInfo: [String: String]

    public init(
        name: String, attributeType: AttributeType, isOptional: Bool = true, isTransient: Bool = false, defaultValue: Value = .null,
        allowsExternalBinaryDataStorage: Bool = false, preservesValueInHistoryOnDeletion: Bool = false, minimumValue: Value? = nil,
        maximumValue: Value? = nil, minimumLength: Int? = nil, maximumLength: Int? = nil, regularExpression: String? = nil,
        renamingIdentifier: String? = nil,
        versionHashModifier: String? = nil, userInfo: [String: String] = [:]
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
        self.renamingIdentifier = renamingIdentifier
        self.versionHashModifier = versionHashModifier
        self.userInfo = userInfo
    }
}
