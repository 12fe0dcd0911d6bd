/// What entities and properties may be called. A leading letter keeps their tables and columns (`Z` + upper-cased name) apart
/// from the store's own, such as `Z_PK` and `Z_METADATA`.
enum NameRule {
    static func problem(with name: String) -> String? {
        guard let first = name.unicodeScalars.first else { return "a name must not be empty" }
        guard first.properties.isAlphabetic else { return "a name begins with a letter" }
        let isLegal = name.unicodeScalars.allSatisfy { scalar in
            let properties = scalar.properties
            return properties.isAlphabetic || properties.numericType == .decimal || properties.generalCategory == .nonspacingMark
                || scalar == "_"
        }
        return isLegal ? nil : "a name consists of letters, digits and underscores"
    }

    /// Every object has these already.
    private static let reserved: Set<String> = ["self", "objectid", "entity", "managedobjectcontext"]

    static func problem(withPropertyName name: String) -> String? {
        reserved.contains(name.lowercased()) ? "this name is reserved, for every object has such a member" : nil
    }
}
