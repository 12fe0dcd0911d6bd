extension PinviewError {
    public static let NSAffectedObjectsErrorKey = "NSAffectedObjectsErrorKey"
    public static let NSAffectedStoresErrorKey = "NSAffectedStoresErrorKey"
    public static let NSDetailedErrorsKey = "NSDetailedErrorsKey"
    public static let NSValidationKeyErrorKey = "NSValidationKeyErrorKey"
    public static let NSValidationValueErrorKey = "NSValidationValueErrorKey"
    public static let NSValidationObjectErrorKey = "NSValidationObjectErrorKey"
    /// SQLite's extended result code stands under this key, which is the name of its domain too.
    public static let NSSQLiteErrorDomain = sqliteErrorDomain
    public static let NSUnderlyingErrorKey = "NSUnderlyingError"
    public static let NSLocalizedDescriptionKey = "NSLocalizedDescription"
    public static let NSPersistentStoreSaveConflictsErrorKey = "conflictList"

    /// What stands under a key of `userInfo`.
    public enum UserInfoValue: Sendable {
        case text(String)
        case integer(Int64)
        case value(Value)
        case objectIDs([ManagedObjectID])
        case stores([String])
        case errors([PinviewError])
        case conflicts([MergeConflict])
        case constraintConflicts([ConstraintConflict])
    }

    /// The members of the error under Core Data's keys; only those that the error has.
    public var userInfo: [String: UserInfoValue] {
        var info: [String: UserInfoValue] = [Self.NSLocalizedDescriptionKey: .text(message)]
        if !affectedObjectIDs.isEmpty { info[Self.NSAffectedObjectsErrorKey] = .objectIDs(affectedObjectIDs) }
        if !affectedStores.isEmpty { info[Self.NSAffectedStoresErrorKey] = .stores(affectedStores) }
        if !detailedErrors.isEmpty { info[Self.NSDetailedErrorsKey] = .errors(detailedErrors) }
        if !constraintConflicts.isEmpty { info[Self.NSPersistentStoreSaveConflictsErrorKey] = .constraintConflicts(constraintConflicts) }
        if !conflicts.isEmpty { info[Self.NSPersistentStoreSaveConflictsErrorKey] = .conflicts(conflicts) }
        if let sqliteCode { info[Self.NSSQLiteErrorDomain] = .integer(Int64(sqliteCode)) }
        if let underlyingError { info[Self.NSUnderlyingErrorKey] = .errors([underlyingError]) }
        if let validationKey {
            info[Self.NSValidationKeyErrorKey] = .text(validationKey)
            info[Self.NSValidationObjectErrorKey] = .objectIDs(affectedObjectIDs)
        }
        if let validationValue { info[Self.NSValidationValueErrorKey] = .value(validationValue) }
        return info
    }
}
