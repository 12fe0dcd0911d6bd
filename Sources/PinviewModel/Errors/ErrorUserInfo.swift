/// Core Data's keys for `userInfo`, under their Objective-C names.
extension PinviewError {
    /// The affected objects' IDs.
    public static let NSAffectedObjectsErrorKey = "NSAffectedObjectsErrorKey"
    /// The affected stores' identifiers or paths.
    public static let NSAffectedStoresErrorKey = "NSAffectedStoresErrorKey"
    /// The individual errors.
    public static let NSDetailedErrorsKey = "NSDetailedErrorsKey"
    /// The property that failed validation.
    public static let NSValidationKeyErrorKey = "NSValidationKeyErrorKey"
    /// The value that failed validation.
    public static let NSValidationValueErrorKey = "NSValidationValueErrorKey"
    /// The object that failed validation.
    public static let NSValidationObjectErrorKey = "NSValidationObjectErrorKey"
    /// SQLite's extended result code. The key is also the name of the error's domain.
    public static let NSSQLiteErrorDomain = sqliteErrorDomain
    /// The error that caused this one.
    public static let NSUnderlyingErrorKey = "NSUnderlyingError"
    /// The message.
    public static let NSLocalizedDescriptionKey = "NSLocalizedDescription"
    /// The conflicts of a save.
    public static let NSPersistentStoreSaveConflictsErrorKey = "conflictList"

    /// A value in `userInfo`.
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

    /// The error's members under Core Data's keys; members that are empty are left out.
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
