import CPinview
import Glibc
import Pinview

/// The error behind a handle.
final class ErrorBox {
    let error: PinviewError
    let status: pinview_status
    let domain, message, description, validationKey: TextStorage
    let stores: [TextStorage]
    let conflicts: [ConflictTexts]
    let constraints: [ConstraintTexts]
    let userdata: UnsafeMutableRawPointer?
    private let freeUserdata: pinview_free_callback?
    /// The error left by a callback, if this is that error with something added on its way through
    /// the library.
    private let original: ErrorBox?
    private let lock = ThreadLock()
    private let arena = Arena()

    init(
        _ error: PinviewError, status: pinview_status? = nil, userdata: UnsafeMutableRawPointer? = nil,
        freeUserdata: pinview_free_callback? = nil
    ) {
        self.error = error
        let origin = error.programError as? CallbackError
        original = origin?.box
        self.status = status ?? origin?.status ?? error.status
        self.userdata = userdata ?? origin?.box.userdata
        self.freeUserdata = freeUserdata
        domain = TextStorage(error.domain)
        message = TextStorage(error.message)
        description = TextStorage(error.description)
        validationKey = TextStorage(error.validationKey)
        stores = error.affectedStores.map { TextStorage($0) }
        constraints = error.constraintConflicts.map(ConstraintTexts.init)
        let numbers = Dictionary(
            error.constraintConflicts.enumerated().map { ($1, Int32(clamping: $0 + 1)) }, uniquingKeysWith: { first, _ in first })
        conflicts = error.conflicts.map { ConflictTexts($0, constraintNumber: $0.constraint.flatMap { numbers[$0] } ?? 0) }
    }

    deinit { if let freeUserdata { callingOut { freeUserdata(userdata) } } }

    /// A value that lives as long as the error. Errors are immutable, so the memory only grows with
    /// what is asked for.
    func value(_ value: Value) throws(PinviewError) -> pinview_value {
        lock.lock()
        defer { lock.unlock() }
        return try pinview_value(value, arena)
    }

    func objectID(_ objectID: ManagedObjectID) throws(PinviewError) -> OpaquePointer {
        lock.lock()
        defer { lock.unlock() }
        let handle = try Handles.make(objectID)
        arena.own(handle)
        return handle
    }
}

/// The properties of a conflict in alphabetical order, with their names as C strings.
final class ConflictTexts {
    let names: [String]
    let texts: [TextStorage]
    /// 1 + the index of the constraint conflict; 0 if there is none.
    let constraintNumber: Int32

    init(_ conflict: MergeConflict, constraintNumber: Int32) {
        self.constraintNumber = constraintNumber
        names = Set(conflict.base.keys).union(conflict.mine.keys).union(conflict.theirs?.keys ?? [:].keys).sorted()
        texts = names.map { TextStorage($0) }
    }
}

/// The names of a constraint conflict as C strings; those of the snapshots in alphabetical order.
final class ConstraintTexts {
    let entityName: TextStorage
    let constraint: [TextStorage]
    let names: [String]
    let texts: [TextStorage]

    init(_ conflict: ConstraintConflict) {
        entityName = TextStorage(conflict.entityName)
        constraint = conflict.constraint.map { TextStorage($0) }
        var known = Set((conflict.databaseSnapshot ?? [:]).keys)
        for snapshot in conflict.conflictingSnapshots { known.formUnion(snapshot.keys) }
        names = known.sorted()
        texts = names.map { TextStorage($0) }
    }
}

extension PinviewError {
    /// The status of an error.
    var status: pinview_status {
        switch domain {
        case PinviewError.pinviewErrorDomain, PinviewError.cocoaErrorDomain:
            // A program can make errors of these domains with any number, but the status of a
            // failure is never 0.
            code > 0 && code <= Int(Int32.max) ? -Int32(code) : 100
        case PinviewError.sqliteErrorDomain: PINVIEW_ERROR_SQLITE
        default: code >= 100 && code <= Int(Int32.max) ? Int32(code) : 100
        }
    }
}

extension PinviewError {
    /// The error of a call made in the middle of a statement, for which it would have to wait.
    fileprivate static var insideStatement: PinviewError {
        PinviewError(
            .invalidArgument,
            "Callbacks of the SQL log and interruption checks run in the middle of a statement and cannot use the library.")
    }
}

/// An error left by a callback of the program, on its way back to the program.
struct CallbackError: ProgramError, @unchecked Sendable {  // errors are immutable
    let status: pinview_status
    let box: ErrorBox
    var pinviewError: PinviewError { box.error }
}

/// The last error of each thread.
enum LastError {
    private static let key: pthread_key_t = {
        var key = pthread_key_t()
        pthread_key_create(&key) { value in
            guard let value else { return }
            _ = HandleTable.release(OpaquePointer(value), .error)
        }
        return key
    }()

    static var handle: OpaquePointer? { pthread_getspecific(key).map { OpaquePointer($0) } }

    /// Takes over one reference.
    static func set(_ handle: OpaquePointer?) {
        let old = Self.handle
        pthread_setspecific(key, handle.map { UnsafeRawPointer($0) })
        // The last release takes the table's lock, which a forked child must not do.
        if let old, !ForkedProcess.isCurrent { _ = HandleTable.release(old, .error) }
    }
}

/// Whether a thread is inside a callback that `runCallback` runs.
enum CallbackDepth {
    private static let key: pthread_key_t = {
        var key = pthread_key_t()
        pthread_key_create(&key, nil)
        return key
    }()

    // The number itself is the thread-specific value, so there is nothing to free.
    private static var depth: Int {
        get { Int(bitPattern: pthread_getspecific(key)) }
        set { pthread_setspecific(key, UnsafeRawPointer(bitPattern: newValue)) }
    }

    static var isInside: Bool { depth > 0 }

    static func inside<R>(_ body: () -> R) -> R {
        depth += 1
        defer { depth -= 1 }
        return body()
    }
}

/// The error of a forked child. Made in the parent, since in the child the table's lock may be held
/// for ever. Handing it out takes no lock.
private enum ForkedError {
    // Made once and used on any thread.
    nonisolated(unsafe) private static let handle: OpaquePointer? = {
        ForkedProcess.arm()
        do throws(PinviewError) { try Handles.checkProcess(asIfForked: true) } catch {
            return try? HandleTable.make(.error, ErrorBox(error), isCounted: false)
        }
        return nil
    }()

    /// Whether this process is such a child. In other processes it makes sure that the error
    /// exists.
    static var isDue: Bool { handle != nil && ForkedProcess.isCurrent }

    static func report(_ error: UnsafeMutablePointer<OpaquePointer?>?) -> pinview_status {
        guard let handle else { return PINVIEW_ERROR_FORKED }
        error?.pointee = error != nil && HandleTable.retain(handle, .error) ? handle : nil
        if HandleTable.retain(handle, .error) { LastError.set(handle) }
        return PINVIEW_ERROR_FORKED
    }
}

/// Runs the work of an entry point that can fail. Every such entry point uses it, so no Swift error
/// crosses the border, and all are handled alike.
///
/// - Parameter insideStatements: whether callbacks in the middle of a statement may call the entry
///   point, as they may to examine errors.
func call(
    _ error: UnsafeMutablePointer<OpaquePointer?>?, insideStatements: Bool = false, _ body: () throws -> Void
) -> pinview_status {
    guard !ForkedError.isDue else { return ForkedError.report(error) }
    do {
        if !insideStatements, StatementCallbacks.isInside { throw PinviewError.insideStatement }
        try body()
        error?.pointee = nil
        return PINVIEW_OK
    } catch let failure as CallbackError {
        return report(failure.box, failure.status, error)
    } catch let failure as PinviewError {
        let box = ErrorBox(failure)
        return report(box, box.status, error)
    } catch let failure {
        let other = PinviewError(domain: PinviewError.pinviewErrorDomain, code: 102, message: "\(failure)")
        return report(ErrorBox(other), other.status, error)
    }
}

private func report(_ box: ErrorBox, _ status: pinview_status, _ error: UnsafeMutablePointer<OpaquePointer?>?) -> pinview_status {
    error?.pointee = nil
    // Without a handle, the status must be enough.
    guard let handle = try? HandleTable.make(.error, box) else { return status }
    if let error {
        _ = HandleTable.retain(handle, .error)
        error.pointee = handle
    }
    LastError.set(handle)
    return status
}

/// The failure of a function written in C (Sources/CPinview/report.h). Not exported: only names
/// that begin with the library's own are.
@_cdecl("internal_pinview_report")
public func reportFromC(
    _ status: pinview_status, _ message: UnsafePointer<CChar>, _ error: UnsafeMutablePointer<OpaquePointer?>?
) -> pinview_status {
    call(error, insideStatements: true) {
        throw PinviewError(domain: PinviewError.pinviewErrorDomain, code: -Int(status), message: String(cString: message))
    }
}

/// The pointer for a result, which must not be NULL.
func require<T>(_ out: UnsafeMutablePointer<T>?, _ parameter: String) throws(PinviewError) -> UnsafeMutablePointer<T> {
    guard let out else { throw PinviewError(.invalidArgument, "'\(parameter)' is NULL, but receives the result.") }
    return out
}

/// An argument, such as a callback, that may not be NULL.
func requireArgument<T>(_ argument: T?, _ parameter: String) throws(PinviewError) -> T {
    guard let argument else { throw PinviewError(.invalidArgument, "'\(parameter)' is NULL.") }
    return argument
}

/// The pointer for a handle. Sets it to NULL first.
func requireHandle(_ out: UnsafeMutablePointer<OpaquePointer?>?, _ parameter: String = "out") throws(PinviewError) -> UnsafeMutablePointer<
    OpaquePointer?
> {
    let out = try require(out, parameter)
    out.pointee = nil
    return out
}

/// Runs a callback of the program, and passes on its failure unchanged.
func runCallback(_ body: () -> pinview_status) throws {
    let before = LastError.handle
    let status = callingOut { CallbackDepth.inside(body) }
    switch status {
    case PINVIEW_OK, PINVIEW_USE_DEFAULT: return
    case PINVIEW_STOP: throw PinviewError(.stopped, "A callback asked to stop.")
    default:
        // The callback's own error, if it left one, which may be one of the library's or made by
        // pinview_error_create.
        if let last = LastError.handle, last != before, let box = HandleTable.object(last, .error) as? ErrorBox, box.status == status {
            // It continues as the error of the call around the callback, and is released when that
            // one is.
            LastError.set(nil)
            throw CallbackError(status: status, box: box)
        }
        let error = PinviewError(
            domain: String(cString: PINVIEW_CALLBACK_ERROR_DOMAIN), code: Int(status), message: "A callback returned the status \(status).")
        throw CallbackError(status: status, box: ErrorBox(error, status: status))
    }
}
