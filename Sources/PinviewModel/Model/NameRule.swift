/// The rules for names of entities and properties. A leading letter keeps their tables and columns
/// (`Z` + the name in upper case) apart from the store's own, such as `Z_PK` and `Z_METADATA`.
enum NameRule {
    static func problem(with name: String) -> String? {
        guard let first = name.unicodeScalars.first else { return "a name must not be empty" }
        guard first.properties.isAlphabetic else { return "a name must begin with a letter" }
        let isLegal = name.unicodeScalars.allSatisfy { scalar in
            let properties = scalar.properties
            return properties.isAlphabetic || properties.numericType == .decimal || properties.generalCategory == .nonspacingMark
                || scalar == "_"
        }
        return isLegal ? nil : "a name may only contain letters, digits and underscores"
    }

    /// Names of members that every object has.
    private static let reserved: Set<String> = ["self", "objectid", "entity", "managedobjectcontext"]

    static func problem(withPropertyName name: String) -> String? {
        reserved.contains(name.lowercased()) ? "this name is reserved for a member that every object has" : nil
    }
}
