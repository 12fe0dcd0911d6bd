/// Any error that Pinview reports: what went wrong, with which code, for which objects and stores.
///
/// A single reference, so that `throws(PinviewError)` costs one register. Immutable; `with(…)`
/// returns a changed copy.
public struct PinviewError: Error, Sendable {
    /// The domain of Core Data's own error codes.
    public static let cocoaErrorDomain = "NSCocoaErrorDomain"
    /// The domain of Pinview's error codes.
    public static let pinviewErrorDomain = "PinviewErrorDomain"
    /// The domain of SQLite's extended result codes.
    public static let sqliteErrorDomain = "NSSQLiteErrorDomain"

    private let details: Details

    private final class Details: Sendable {
        let domain: String
        let code: Int
        let message: String
        let sqliteCode: Int32?
        let affectedObjectIDs: [ManagedObjectID]
        let affectedStores: [String]
        let detailedErrors: [PinviewError]
        let conflicts: [MergeConflict]
        let constraintConflicts: [ConstraintConflict]
        let underlyingError: PinviewError?
        let validationKey: String?
        let validationValue: Value?
        let programError: (any Error)?

        init(
            domain: String, code: Int, message: String, sqliteCode: Int32? = nil, affectedObjectIDs: [ManagedObjectID] = [],
            affectedStores: [String] = [], detailedErrors: [PinviewError] = [], conflicts: [MergeConflict] = [],
            constraintConflicts: [ConstraintConflict] = [], underlyingError: PinviewError? = nil, validationKey: String? = nil,
            validationValue: Value? = nil,
            programError: (any Error)? = nil
        ) {
            self.domain = domain
            self.code = code
            self.message = message
            self.sqliteCode = sqliteCode
            self.affectedObjectIDs = affectedObjectIDs
            self.affectedStores = affectedStores
            self.detailedErrors = detailedErrors
            self.conflicts = conflicts
            self.constraintConflicts = constraintConflicts
            self.underlyingError = underlyingError
            self.validationKey = validationKey
            self.validationValue = validationValue
            self.programError = programError
        }
    }

    /// Creates an error in the domain to which the code belongs.
    /// - Parameter message: what was wrong, with which value, and what to do about it.
    public init(_ code: Code, _ message: String) {
        details = Details(domain: code.domain, code: code.rawValue, message: message)
    }

    /// Creates an error in any domain, such as that of an application's own validation rule.
    public init(domain: String, code: Int, message: String) {
        details = Details(domain: domain, code: code, message: message)
    }

    /// Wraps an error that the application's code threw in a hook or a merge policy. A
    /// `PinviewError` stays as it is; for any other error, the domain is the name of its type and
    /// ``programError`` is the error itself.
    package init(thrownByProgram error: any Error) {
        if let error = error as? PinviewError {
            self = error
            return
        }
        let known = (error as? any ProgramError)?.pinviewError
        details = Details(
            domain: known?.domain ?? String(reflecting: type(of: error)), code: known?.code ?? 0,
            message: known?.message ?? String(describing: error), sqliteCode: known?.sqliteCode,
            affectedObjectIDs: known?.affectedObjectIDs ?? [], affectedStores: known?.affectedStores ?? [],
            detailedErrors: known?.detailedErrors ?? [], conflicts: known?.conflicts ?? [],
            constraintConflicts: known?.constraintConflicts ?? [], underlyingError: known?.underlyingError,
            validationKey: known?.validationKey, validationValue: known?.validationValue, programError: error)
    }

    private init(details: Details) {
        self.details = details
    }

    /// The namespace of `code`.
    public var domain: String { details.domain }
    /// The number of the error within its domain.
    public var code: Int { details.code }
    /// What was wrong, in English.
    public var message: String { details.message }
    /// SQLite's extended result code, if the error comes from SQLite.
    public var sqliteCode: Int32? { details.sqliteCode }
    /// The objects at fault, each once.
    public var affectedObjectIDs: [ManagedObjectID] { details.affectedObjectIDs }
    /// Identifiers or paths of the stores that caused the error.
    public var affectedStores: [String] { details.affectedStores }
    /// The individual errors, if there are several (code `validationMultipleErrors`).
    public var detailedErrors: [PinviewError] { details.detailedErrors }
    /// The rows in conflict (code `managedObjectMerge`).
    public var conflicts: [MergeConflict] { details.conflicts }
    /// All uniqueness constraints that a save would violate (code `managedObjectConstraintMerge`).
    public var constraintConflicts: [ConstraintConflict] { details.constraintConflicts }
    /// The lower-level error that caused this one.
    public var underlyingError: PinviewError? { details.underlyingError }
    /// The property that failed validation.
    public var validationKey: String? { details.validationKey }
    /// The value that failed validation.
    public var validationValue: Value? { details.validationValue }

    /// The error thrown by the application's hook or merge policy, if it was not a `PinviewError`.
    public var programError: (any Error)? { details.programError }

    /// Whether this error has the given code in that code's domain.
    public func hasCode(_ code: Code) -> Bool {
        details.code == code.rawValue && details.domain == code.domain
    }

    /// Returns a copy with the given members replaced.
    public func with(
        message: String? = nil, sqliteCode: Int32? = nil, affectedObjectIDs: [ManagedObjectID]? = nil,
        affectedStores: [String]? = nil, detailedErrors: [PinviewError]? = nil, conflicts: [MergeConflict]? = nil,
        constraintConflicts: [ConstraintConflict]? = nil, underlyingError: PinviewError? = nil, validationKey: String? = nil,
        validationValue: Value? = nil
    ) -> PinviewError {
        PinviewError(
            details: Details(
                domain: details.domain, code: details.code, message: message ?? details.message,
                sqliteCode: sqliteCode ?? details.sqliteCode,
                affectedObjectIDs: affectedObjectIDs ?? details.affectedObjectIDs,
                affectedStores: affectedStores ?? details.affectedStores,
                detailedErrors: detailedErrors ?? details.detailedErrors, conflicts: conflicts ?? details.conflicts,
                constraintConflicts: constraintConflicts ?? details.constraintConflicts,
                underlyingError: underlyingError ?? details.underlyingError,
                validationKey: validationKey ?? details.validationKey,
                validationValue: validationValue ?? details.validationValue, programError: details.programError))
    }
}

/// An error thrown by application code that has a counterpart among the library's errors.
package protocol ProgramError: Error {
    var pinviewError: PinviewError { get }
}

extension PinviewError: CustomStringConvertible {
    /// Domain, code and message, followed by the detailed and underlying errors, one per line.
    public var description: String {
        var text = "\(domain) \(code): \(message)"
        if let sqliteCode, domain != Self.sqliteErrorDomain { text += " (SQLite code \(sqliteCode))" }
        if !affectedStores.isEmpty { text += " [stores: \(affectedStores.joined(separator: ", "))]" }
        for error in detailedErrors { text += "\n  - \(error.message)" }
        if let underlyingError { text += "\n  because of \(underlyingError.domain) \(underlyingError.code): \(underlyingError.message)" }
        return text
    }
}

extension PinviewError {
    /// An error reported by SQLite. The extended code is in `sqliteCode`, in `userInfo` under
    /// `NSSQLiteErrorDomain`, and is the code of the underlying error.
    /// - Parameters:
    /// - code: what failed, such as `.persistentStoreSave`.
    ///   - sqliteCode: SQLite's extended result code.
    /// - sqliteMessage: SQLite's own message.
    /// - store: identifier or path of the store.
    package static func sqlite(
        _ code: Code = .sqlite, _ message: String, sqliteCode: Int32, sqliteMessage: String, store: String?
    ) -> PinviewError {
        let cause = PinviewError(domain: sqliteErrorDomain, code: Int(sqliteCode), message: sqliteMessage).with(sqliteCode: sqliteCode)
        return PinviewError(code, message).with(
            sqliteCode: sqliteCode, affectedStores: store.map { [$0] } ?? [], underlyingError: cause)
    }

    /// The error of a property that failed validation.
    package static func validation(
        _ code: Code, _ message: String, objectID: ManagedObjectID, key: String, value: Value
    ) -> PinviewError {
        PinviewError(code, message).with(affectedObjectIDs: [objectID], validationKey: key, validationValue: value)
    }

    /// Combines the validation errors of a save: nil for none, the error itself for one.
    package static func combining(_ errors: [PinviewError]) -> PinviewError? {
        guard let first = errors.first else { return nil }
        guard errors.count > 1 else { return first }
        var seen = Set<ManagedObjectID>()
        let objects = errors.flatMap(\.affectedObjectIDs).filter { seen.insert($0).inserted }
        return PinviewError(.validationMultipleErrors, "\(errors.count) validation errors; the first: \(first.message)")
            .with(affectedObjectIDs: objects, detailedErrors: errors)
    }

    /// The error for an object whose row does not exist in the generation that was read.
    package static func noSuchRow(_ objectID: ManagedObjectID) -> PinviewError {
        let reason =
            objectID.isTemporaryID
            ? "the ID is temporary, and the object has not been saved or has a permanent ID by now; ask the object for its current ID"
            : "it was deleted, never saved, or saved after the generation that was read"
        return PinviewError(
            .managedObjectReferentialIntegrity, "There is no row for \(objectID.uriRepresentation): \(reason)."
        ).with(affectedObjectIDs: [objectID], affectedStores: objectID.storeIdentifier.map { [$0] } ?? [])
    }
}
