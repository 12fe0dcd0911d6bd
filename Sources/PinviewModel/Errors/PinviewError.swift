/// Everything that can go wrong in Pinview: what, with which code, for which objects and stores, and why.
///
/// A value of one reference, so that `throws(PinviewError)` costs a register. Immutable; `with(…)` gives a changed copy.
public struct PinviewError: Error, Sendable {
    public static let cocoaErrorDomain = "NSCocoaErrorDomain"
    public static let pinviewErrorDomain = "PinviewErrorDomain"
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

    /// An error in the domain to which the code belongs.
    /// - Parameter message: for people: what was wrong, with which value, and what to do.
    public init(_ code: Code, _ message: String) {
        details = Details(domain: code.domain, code: code.rawValue, message: message)
    }

    /// An error of any domain, such as one that an application's own validation rule reports.
    public init(domain: String, code: Int, message: String) {
        details = Details(domain: domain, code: code, message: message)
    }

    /// An error that code of the program threw inside a hook or a merge policy: an error of the library as it is, any other with its
    /// type's name as the domain, and itself in ``programError``.
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

    public var domain: String { details.domain }
    public var code: Int { details.code }
    /// What was wrong, for people.
    public var message: String { details.message }
    /// SQLite's extended result code, if the error comes from SQLite.
    public var sqliteCode: Int32? { details.sqliteCode }
    public var affectedObjectIDs: [ManagedObjectID] { details.affectedObjectIDs }
    /// Identifiers or paths of the stores that caused the error.
    public var affectedStores: [String] { details.affectedStores }
    /// The single errors, when there are several (code `validationMultipleErrors`).
    public var detailedErrors: [PinviewError] { details.detailedErrors }
    /// The rows in dispute, under a merge error.
    public var conflicts: [MergeConflict] { details.conflicts }
    /// The uniqueness constraints that the save would violate (code `managedObjectConstraintMerge`): all of the save.
    public var constraintConflicts: [ConstraintConflict] { details.constraintConflicts }
    /// The error from a layer below that caused this one.
    public var underlyingError: PinviewError? { details.underlyingError }
    /// The property that failed validation.
    public var validationKey: String? { details.validationKey }
    /// The value that failed validation.
    public var validationValue: Value? { details.validationValue }

    /// What the program's own code threw, when this error comes from a hook or a merge policy and is none of the library's.
    public var programError: (any Error)? { details.programError }

    /// Whether this error has that code, in that code's domain.
    public func hasCode(_ code: Code) -> Bool {
        details.code == code.rawValue && details.domain == code.domain
    }

    /// A copy with the given members replaced; the others stay.
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

/// An error of the program that knows what it is as an error of the library.
package protocol ProgramError: Error {
    var pinviewError: PinviewError { get }
}

extension PinviewError: CustomStringConvertible {
    /// Domain, code and message, then the errors below, one a line.
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
    /// An error that SQLite reported: the extended code stands in `sqliteCode`, in `userInfo` under `NSSQLiteErrorDomain`, and
    /// as the code of an underlying error of that domain.
    /// - Parameters:
    ///   - code: what failed, for instance `.persistentStoreSave`.
    ///   - sqliteCode: SQLite's extended result code.
    ///   - sqliteMessage: SQLite's own words.
    ///   - store: identifier or path of the store.
    package static func sqlite(
        _ code: Code = .sqlite, _ message: String, sqliteCode: Int32, sqliteMessage: String, store: String?
    ) -> PinviewError {
        let cause = PinviewError(domain: sqliteErrorDomain, code: Int(sqliteCode), message: sqliteMessage).with(sqliteCode: sqliteCode)
        return PinviewError(code, message).with(
            sqliteCode: sqliteCode, affectedStores: store.map { [$0] } ?? [], underlyingError: cause)
    }

    /// A property that failed validation.
    package static func validation(
        _ code: Code, _ message: String, objectID: ManagedObjectID, key: String, value: Value
    ) -> PinviewError {
        PinviewError(code, message).with(affectedObjectIDs: [objectID], validationKey: key, validationValue: value)
    }

    /// One error for all validation failures of a save: the failure itself if there is only one, nil if there is none.
    package static func combining(_ errors: [PinviewError]) -> PinviewError? {
        guard let first = errors.first else { return nil }
        guard errors.count > 1 else { return first }
        var seen = Set<ManagedObjectID>()
        let objects = errors.flatMap(\.affectedObjectIDs).filter { seen.insert($0).inserted }
        return PinviewError(.validationMultipleErrors, "\(errors.count) validation errors; the first: \(first.message)")
            .with(affectedObjectIDs: objects, detailedErrors: errors)
    }

    /// The entity is not in the model.
    package static func unknownEntity(_ name: String, in model: ManagedObjectModel) -> PinviewError {
        PinviewError(.unknownEntity, "The model has no entity \(name.quotedForPeople). It has: \(model.entityNamesForPeople).")
    }

    /// The key is not a property of the entity.
    package static func unknownKey(_ key: String, of entity: Entity) -> PinviewError {
        if entity.fetchedPropertyIndex(named: key) != nil {
            return PinviewError(
                .unknownKey,
                "\(entity.name).\(key) is a fetched property: it can be read from an object, but not be set, and no store has it to search by."
            )
        }
        return PinviewError(
            .unknownKey, "Entity \(entity.name) has no property \(key.quotedForPeople). It has: \(entity.propertyNamesForPeople).")
    }

    /// There is no row for this ID in the generation that was read.
    package static func noSuchRow(_ objectID: ManagedObjectID) -> PinviewError {
        let reason =
            objectID.isTemporaryID
            ? "that is the temporary ID of an object that is not saved, or has a permanent one since; ask the object for its ID"
            : "it was deleted, or saved after the state that is read, or never"
        return PinviewError(
            .managedObjectReferentialIntegrity, "There is no row for \(objectID.uriRepresentation): \(reason)."
        ).with(affectedObjectIDs: [objectID], affectedStores: objectID.storeIdentifier.map { [$0] } ?? [])
    }
}
