/// The rules for names of entities and properties. They keep their tables and columns (`Z` + the
/// name in upper case) apart from the store's own, such as `Z_PK`, `Z_METADATA` and `Z_FOK_OWNER`.
enum NameRule {
    static func problem(with name: String) -> String? {
        guard let first = name.unicodeScalars.first else { return "a name must not be empty" }
        guard first.properties.isAlphabetic || first == "_" else { return "a name must begin with a letter or an underscore" }
        if first == "_", isStoresOwn(name.dropFirst().lowercased()) {
            return "its table or column would have the name of one of the store's own, Z\(name.uppercased())"
        }
        let isLegal = name.unicodeScalars.allSatisfy { scalar in
            let properties = scalar.properties
            return properties.isAlphabetic || properties.numericType == .decimal || properties.generalCategory == .nonspacingMark
                || scalar == "_"
        }
        return isLegal ? nil : "a name may only contain letters, digits and underscores"
    }

    /// - Parameter name: without the leading underscore, in lower case.
    private static func isStoresOwn(_ name: String) -> Bool {
        // Columns, tables, join tables (`Z_3TAGS`), and columns of order (`Z_FOK_TAGS`).
        ["pk", "ent", "opt", "primarykey", "metadata", "modelcache"].contains(name) || name.hasPrefix("fok_")
            || name.unicodeScalars.first.map { ("0"..."9").contains($0) } ?? true
    }

    /// Names of members that every object has. Shipped models have properties called `objectId`.
    private static let reserved: Set<String> = ["objectID", "entity", "managedObjectContext"]

    static func problem(withPropertyName name: String) -> String? {
        // The language of predicates has SELF in any case.
        reserved.contains(name) || name.lowercased() == "self" ? "this name is reserved for a member that every object has" : nil
    }
}
